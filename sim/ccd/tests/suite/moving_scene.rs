//! Scenes of moving bodies: the earliest time over all pairs, consistent placement, chains.

use crate::common;

use common::SplitMix;
use hapticd_ccd::moving::broad::swept_box;
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch, SceneSearch};
use hapticd_ccd::{MeshIndex, Proximity};
use hapticd_geometry::{Aabb, Pose, Quat, Screw, SweepAndPrune, SweptBox, Vec3, shapes, transform};

fn bodies<'a>(shapes: &[&'a MeshIndex], motions: &'a [Motion]) -> Vec<MovingBody<'a>> {
    let both = shapes.iter().zip(motions);
    both.map(|(shape, motion)| MovingBody {
        shape,
        motion,
        radius_m: 0.0,
    })
    .collect()
}

fn random_motion(rng: &mut SplitMix, spread: f64) -> Motion {
    let at = rng.point(spread);
    let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
    let start = Pose::from_parts(at.into(), turn);
    let screw = Screw::from_twist(&rng.point(1.0), &rng.point(1.5), &at);
    if rng.below(4) == 0 {
        let carrier = Motion::screw(&Pose::identity(), &screw);
        return carrier.link(&start, &screw).expect("short");
    }
    Motion::screw(&start, &screw)
}

#[test]
fn the_earliest_of_all_pairs() {
    let shapes = [
        MeshIndex::new(shapes::cuboid(&Vec3::new(0.1, 0.05, 0.08)).expect("valid")),
        MeshIndex::new(shapes::torus(0.1, 0.03, 8, 5).expect("valid")),
        MeshIndex::new(shapes::plate(0.1, 0.1, 0.001).expect("valid")),
    ];
    let mut rng = SplitMix(81);
    let (mut scene, mut search) = (SceneSearch::new(64), MovingSearch::new(64));
    let mut near = Proximity::new(64);
    let (mut hits, mut pruned) = (0, 0);
    for _ in 0..40 {
        let motions: Vec<Motion> = (0..7).map(|_| random_motion(&mut rng, 0.7)).collect();
        let which: Vec<&MeshIndex> = (0..7).map(|i| &shapes[i % 3]).collect();
        let bodies = bodies(&which, &motions);
        let clearance = 1e-4;
        let meeting =
            scene.first_contact(&bodies, clearance, &mut SweepAndPrune::default(), |_, _| {
                true
            });
        pruned += 21 - meeting.pairs;
        let mut expected = (1.0, None);
        for i in 0..7 {
            for j in i + 1..7 {
                let pair = search.first_contact(&bodies[i], &bodies[j], clearance, 1.0);
                if pair.free_until < expected.0 {
                    expected = (pair.free_until, Some((i as u32, j as u32)));
                }
            }
        }
        assert!((meeting.free_until - expected.0).abs() <= 1e-9);
        assert_eq!(meeting.first.map(|(i, j, _)| (i, j)), expected.1);
        assert_eq!(meeting.contacts.is_empty(), expected.1.is_none());
        hits += usize::from(expected.1.is_some());
        // Placed at that time, all bodies are as far apart as at the start or as the clearance.
        for i in 0..7 {
            for j in i + 1..7 {
                let mut apart = |t: f64| {
                    let b_from_a = motions[j].pose_at(t).inverse() * motions[i].pose_at(t);
                    near.query(which[i], 0.0, which[j], &b_from_a, 10.0).pairs[0].distance
                };
                let least = clearance.min(apart(0.0)) - 1e-10;
                assert!(apart(meeting.free_until) >= least);
            }
        }
    }
    assert!(hits > 20 && pruned > 100, "{hits} {pruned}");
}

/// Six cubes pushed together from all sides meet at one time: all contacts are listed, by pair.
#[test]
fn cubes_that_meet_at_once() {
    let cube = MeshIndex::new(shapes::cuboid(&Vec3::repeat(0.1)).expect("valid"));
    let middle = Motion::still(&Pose::identity());
    let sides = [
        Vec3::x(),
        -Vec3::x(),
        Vec3::y(),
        -Vec3::y(),
        Vec3::z(),
        -Vec3::z(),
    ];
    let motions: Vec<Motion> = std::iter::once(middle)
        .chain(sides.iter().map(|d| {
            let start = Pose::from_parts((d * 0.5).into(), Quat::identity());
            Motion::screw(
                &start,
                &Screw::from_twist(&(-d), &Vec3::zeros(), &Vec3::zeros()),
            )
        }))
        .collect();
    let cubes = vec![&cube; 7];
    let bodies = bodies(&cubes, &motions);
    let mut scene = SceneSearch::new(64);
    let meeting = scene.first_contact(&bodies, 1e-3, &mut SweepAndPrune::default(), |_, _| true);
    assert!(
        (meeting.free_until - (0.3 - 1e-3)).abs() < 1e-8,
        "{}",
        meeting.free_until
    );
    for j in 1..7 {
        let of_pair: Vec<_> = meeting
            .contacts
            .iter()
            .filter(|c| (c.body_a, c.body_b) == (0, j))
            .collect();
        assert!(of_pair.len() >= 4);
        assert!(
            of_pair
                .iter()
                .all(|c| (c.contact.normal + sides[j as usize - 1]).norm() < 1e-6)
        );
    }
    let all_free = meeting.free_until;
    let held = scene.first_contact(&bodies, 1e-3, &mut SweepAndPrune::default(), |i, _| i != 0);
    // The sides then meet each other, edge to edge, a little later.
    assert!(held.free_until > all_free);
    assert!(held.first.is_some_and(|(i, _, _)| i != 0));
}

/// A folding arm of three links over a floor: the tip stops above it, and the links carry each
/// other exactly.
#[test]
fn a_chain_stops_on_the_floor() {
    let link = MeshIndex::new(shapes::cuboid(&Vec3::new(0.25, 0.02, 0.02)).expect("valid"));
    let floor = MeshIndex::new(shapes::sheet(2.0, 4).expect("valid"));
    let bend = |angle: f64, joint: f64| Screw {
        angle,
        translation: 0.0,
        point: Vec3::x() * joint,
        axis: Vec3::y(),
    };
    // Frames at the joints; links along x from them. About y a positive angle leads down.
    let base = Motion::still(&Pose::translation(0.0, 0.0, 0.4));
    let first = base
        .link(&Pose::identity(), &bend(0.5, 0.0))
        .expect("short");
    let next = Pose::translation(0.5, 0.0, 0.0);
    let second = first.link(&next, &bend(0.7, 0.5)).expect("short");
    let third = second.link(&next, &bend(0.9, 0.5)).expect("short");
    for t in [0.0_f64, 0.3, 1.0] {
        // By hand: the angles add up.
        let mut at = Vec3::new(0.0, 0.0, 0.4);
        let mut angle: f64 = 0.5 * t;
        for (motion, more) in [(&second, 0.7), (&third, 0.9)] {
            at += Vec3::new(angle.cos(), 0.0, -angle.sin()) * 0.5;
            angle += more * t;
            let pose = motion.pose_at(t);
            assert!((pose.translation.vector - at).norm() < 1e-12);
            let x = transform(&pose, &Vec3::x()) - pose.translation.vector;
            assert!((x - Vec3::new(angle.cos(), 0.0, -angle.sin())).norm() < 1e-12);
        }
    }
    // The link meshes are centred at their middles.
    let middle = Pose::translation(0.25, 0.0, 0.0);
    let motions: Vec<Motion> = [first, second, third]
        .iter()
        .map(|m| m.link(&middle, &Screw::identity()).expect("short"))
        .chain([Motion::still(&Pose::identity())])
        .collect();
    let shapes = [&link, &link, &link, &floor];
    let bodies = bodies(&shapes, &motions);
    let mut scene = SceneSearch::new(64);
    let meeting = scene.first_contact(&bodies, 1e-4, &mut SweepAndPrune::default(), |i, j| {
        j == 3 && i < 3
    });
    let (i, j, first) = meeting.first.expect("reaches the floor");
    assert_eq!((i, j), (2, 3));
    assert!(first.certain);
    let lowest = |t: f64| {
        let pose = motions[2].pose_at(t);
        let corners = link.mesh().expect("a mesh").positions().iter();
        corners
            .map(|p| transform(&pose, p).z)
            .fold(f64::INFINITY, f64::min)
    };
    assert!((lowest(meeting.free_until) - 1e-4).abs() < 1e-8);
    assert!((0..100).all(|k| lowest(meeting.free_until * f64::from(k) / 100.0) >= 1e-4));
}

#[test]
fn too_long_a_chain_is_refused_and_standing_links_are_free() {
    let turn = Screw::from_twist(&Vec3::zeros(), &Vec3::z(), &Vec3::zeros());
    let mut chain = Motion::still(&Pose::identity());
    for _ in 0..hapticd_ccd::moving::MAX_LINKS {
        chain = chain.link(&Pose::identity(), &turn).expect("short");
    }
    assert!(chain.link(&Pose::identity(), &turn).is_none());
    assert!(
        chain
            .link(&Pose::translation(1.0, 0.0, 0.0), &Screw::identity())
            .is_some()
    );
    let half = chain.part(0.5);
    let x = Vec3::new(0.3, 0.2, 0.1);
    let gap = transform(&half.pose_at(1.0), &x) - transform(&chain.pose_at(0.5), &x);
    assert!(gap.norm() < 1e-14);
}

#[test]
fn swept_boxes_hold_every_vertex_at_all_times() {
    let shape = MeshIndex::new(shapes::torus(0.1, 0.03, 9, 5).expect("valid"));
    let mut rng = SplitMix(82);
    let mut slack: f64 = 0.0;
    for _ in 0..200 {
        let motion = random_motion(&mut rng, 2.0);
        let swept = swept_box(&shape, &motion, 0.0);
        let mut all = Aabb::NOWHERE;
        for k in 0..=50 {
            let t = f64::from(k) / 50.0;
            let pose = motion.pose_at(t);
            let mut held = Aabb::NOWHERE;
            for p in shape.mesh().expect("a mesh").positions() {
                let x = transform(&pose, p);
                held = held.union(&Aabb { low: x, high: x });
            }
            let low = swept.start.low.lerp(&swept.end.low, t);
            let high = swept.start.high.lerp(&swept.end.high, t);
            assert!((0..3).all(|i| low[i] <= held.low[i] && held.high[i] <= high[i]));
            all = all.union(&held);
        }
        let hull = swept.hull();
        slack = slack.max((hull.high - hull.low - all.high + all.low).amax());
    }
    // And not much more than enclose it.
    assert!(slack < 0.3, "{slack}");
    let broken = Motion::still(&Pose::translation(f64::NAN, 0.0, 0.0));
    assert_eq!(swept_box(&shape, &broken, 0.0), SweptBox::EVERYWHERE);
}
