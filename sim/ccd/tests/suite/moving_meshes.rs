//! Two moving meshes against the distance of the meshes at sampled times, and thin plates that must
//! not pass through each other.

use crate::common;

use common::SplitMix;
use common::moving::{body, zoo};
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_ccd::{MeshIndex, Proximity};
use hapticd_geometry::{Pose, Quat, Screw, Vec3, shapes};

fn random_motion(rng: &mut SplitMix, at: Vec3, meet: Vec3) -> Motion {
    let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
    let start = Pose::from_parts(at.into(), turn);
    let d = (meet - at) * rng.range(0.7, 1.7);
    let spin = rng.direction() * rng.range(0.0, 2.0);
    let motion = Motion::screw(&start, &Screw::from_twist(&d, &spin, &at));
    match rng.below(5) {
        0 => Motion::still(&start),
        1 => {
            let carrier = Screw::from_twist(&rng.point(0.2), &rng.point(0.5), &rng.point(0.3));
            let carrier = Motion::screw(&Pose::identity(), &carrier);
            let screw = motion.screws()[0];
            carrier.link(&start, &screw).expect("short")
        }
        _ => motion,
    }
}

fn distance(near: &mut Proximity, a: &MovingBody<'_>, b: &MovingBody<'_>, t: f64) -> f64 {
    let b_from_a = b.motion.pose_at(t).inverse() * a.motion.pose_at(t);
    near.query(a.shape, 0.0, b.shape, &b_from_a, 100.0).pairs[0].distance
}

#[test]
fn free_up_to_the_clearance_and_not_beyond() {
    let zoo = zoo();
    let mut rng = SplitMix(71);
    let (mut near, mut search) = (Proximity::new(64), MovingSearch::new(64));
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..400 {
        let shape = |rng: &mut SplitMix| &zoo[rng.below(zoo.len())];
        let (shape_a, shape_b) = (shape(&mut rng), shape(&mut rng));
        let (at, meet) = (rng.direction() * rng.range(0.6, 1.2), rng.point(0.4));
        let motion_a = random_motion(&mut rng, at, meet);
        let motion_b = random_motion(&mut rng, -at, meet);
        let (a, b) = (body(shape_a, &motion_a), body(shape_b, &motion_b));
        let clearance = rng.log_range(1e-5, 1e-2);
        let meeting = search.first_contact(&a, &b, clearance, 1.0);
        assert!(meeting.certain);
        let floor = clearance.min(distance(&mut near, &a, &b, 0.0)) - 1e-11;
        for i in 0..=100 {
            let t = meeting.free_until * f64::from(i) / 100.0;
            let d = distance(&mut near, &a, &b, t);
            assert!(
                d >= floor,
                "{d} under {floor} at {t} of {}",
                meeting.free_until
            );
        }
        let Some(first) = meeting.first else {
            misses += 1;
            assert_eq!(meeting.free_until, 1.0);
            continue;
        };
        hits += 1;
        let d = distance(&mut near, &a, &b, meeting.free_until);
        assert!(
            d <= clearance + 2e-9,
            "stopped {d} apart, clearance {clearance}"
        );
        assert!((first.distance_m - d).abs() <= 2e-9 + 1e-3 * clearance);
        let apart = first.point_a - first.point_b;
        assert!((apart - first.normal * first.distance_m).norm() < 1e-9);
        // The pair that stops is among the contacts at that time, and no contact is farther away
        // than a stop leaves it.
        let contacts = search.contacts_at(&a, &b, meeting.free_until, clearance);
        let key = |c: &hapticd_ccd::moving::MovingContact| (c.kind, c.feature_a, c.feature_b);
        assert!(contacts.iter().any(|c| key(c) == key(&first)));
        assert!(contacts.iter().all(|c| c.distance_m <= clearance + 1e-8));
        // The same with the sides exchanged.
        let mirrored = search.first_contact(&b, &a, clearance, 1.0);
        assert!((mirrored.free_until - meeting.free_until).abs() < 1e-6);
    }
    assert!(hits > 150 && misses > 50, "{hits} {misses}");
}

/// Two plates a tenth of a millimetre thick at up to 100 m/s towards each other, spinning in their
/// planes at up to 50 rad/s.
#[test]
fn thin_plates_never_pass_through_each_other() {
    let plate = MeshIndex::new(shapes::plate(0.2, 0.2, 1e-4).expect("valid"));
    let (bottom, top) = plate.mesh().expect("a mesh").bounds();
    let half = 0.5 * (top.z - bottom.z);
    let mut rng = SplitMix(73);
    let mut search = MovingSearch::new(256);
    for run in 0..300 {
        let clearance = rng.log_range(1e-6, 1e-3);
        // A step of a second, or of a hundredth.
        let step = [1.0, 0.01][run % 2];
        let height = rng.range(0.1, 10.0) * step + 0.01;
        let mut motion = |z: f64| {
            let start = Pose::from_parts(
                Vec3::new(rng.range(-0.1, 0.1), rng.range(-0.1, 0.1), z).into(),
                Quat::from_scaled_axis(Vec3::z() * rng.range(0.0, 3.0)),
            );
            let axis = start.translation.vector;
            let screw = Screw {
                angle: rng.range(-50.0, 50.0) * step,
                translation: rng.range(60.0, 100.0) * step * -z.signum(),
                point: axis,
                axis: Vec3::z(),
            };
            (Motion::screw(&start, &screw), screw.translation)
        };
        let ((motion_a, down), (motion_b, up)) = (motion(height), motion(-height));
        let (a, b) = (body(&plate, &motion_a), body(&plate, &motion_b));
        let meeting = search.first_contact(&a, &b, clearance, 1.0);
        assert!(meeting.certain);
        // Their planes meet exactly at this time; side A is still above side B.
        let expected = (2.0 * height - 2.0 * half - clearance) / (up - down);
        assert!(
            meeting.free_until <= expected + 1e-12,
            "{} {expected}",
            meeting.free_until
        );
        assert!(
            meeting.free_until >= expected - 1e-8,
            "{} {expected}",
            meeting.free_until
        );
        let contacts = search.contacts_at(&a, &b, meeting.free_until, clearance);
        assert!(contacts.len() >= 4);
        assert!(contacts.iter().all(|c| c.normal.z > 0.99));
    }
}

/// The same, tumbling: whatever the motion, the plates end on the same sides of each other as at
/// the start.
#[test]
fn tumbling_plates_never_pass_through_each_other() {
    let plate = MeshIndex::new(shapes::plate(0.2, 0.2, 1e-4).expect("valid"));
    let mut rng = SplitMix(74);
    let mut search = MovingSearch::new(256);
    let mut near = Proximity::new(64);
    let mut hits = 0;
    for _ in 0..200 {
        let clearance = 1e-5;
        let at = Vec3::new(
            rng.range(-0.1, 0.1),
            rng.range(-0.1, 0.1),
            rng.range(0.35, 1.0),
        );
        let (a, b) = (
            random_motion(&mut rng, at, Vec3::zeros()),
            random_motion(&mut rng, -at, Vec3::zeros()),
        );
        let (a, b) = (body(&plate, &a), body(&plate, &b));
        let meeting = search.first_contact(&a, &b, clearance, 1.0);
        hits += usize::from(meeting.first.is_some());
        let end = meeting.free_until;
        // Sampled finer than the thickness near the end, where the plates are.
        for i in 0..200 {
            let t = end * (1.0 - (f64::from(i) / 200.0).powi(3));
            assert!(distance(&mut near, &a, &b, t) >= clearance - 1e-10);
        }
    }
    assert!(hits > 100, "{hits}");
}

/// No unlisted pair comes within the clearance, or is within reach at the start. With a small
/// capacity, this holds up to the reported time.
#[test]
fn the_list_of_a_step_is_complete() {
    let zoo = zoo();
    let mut rng = SplitMix(75);
    let (mut all, mut search) = (Proximity::new(100_000), MovingSearch::new(100_000));
    let (mut few, mut listed, mut cut) = (MovingSearch::new(20), 0, 0);
    for _ in 0..60 {
        let shape = |rng: &mut SplitMix| &zoo[rng.below(zoo.len())];
        let (shape_a, shape_b) = (shape(&mut rng), shape(&mut rng));
        let at = rng.direction() * rng.range(0.3, 0.8);
        let meet = rng.point(0.2);
        let (motion_a, motion_b) = (
            random_motion(&mut rng, at, meet),
            random_motion(&mut rng, -at, meet),
        );
        let (a, b) = (body(shape_a, &motion_a), body(shape_b, &motion_b));
        let (clearance, reach) = (1e-3, rng.range(0.0, 0.3));
        let set = search.step_pairs(&a, &b, clearance, reach);
        assert_eq!((set.complete_until, set.complete_to), (1.0, reach));
        listed += set.pairs.len();
        let some = few.step_pairs(&a, &b, clearance, reach);
        assert!(some.pairs.len() <= 20);
        cut += usize::from(some.complete_until < 1.0);
        for i in 0..=40 {
            let t = f64::from(i) / 40.0;
            let b_from_a = motion_b.pose_at(t).inverse() * motion_a.pose_at(t);
            let within = if i == 0 {
                reach.max(clearance)
            } else {
                clearance
            };
            for n in all.query(shape_a, 0.0, shape_b, &b_from_a, within).pairs {
                let is_it = |p: &&hapticd_ccd::moving::StepPair| {
                    (p.pair.kind, p.pair.feature_a, p.pair.feature_b)
                        == (n.kind, n.feature_a, n.feature_b)
                };
                let found = set.pairs.iter().find(is_it);
                if n.distance < within - 1e-10 {
                    let found = found.expect("listed");
                    assert!(n.distance >= clearance - 1e-10 || found.earliest <= t);
                    let left_out = some.pairs.iter().find(is_it).is_none();
                    let excused = if i == 0 {
                        n.distance >= some.complete_to - 1e-10
                    } else {
                        t >= some.complete_until
                    };
                    assert!(!left_out || excused, "{t} {}", some.complete_until);
                }
            }
        }
    }
    assert!(listed > 1_000 && cut > 10, "{listed} {cut}");
}

#[test]
fn points_balls_and_nonsense() {
    let ball = MeshIndex::new(shapes::icosphere(0.25, 3).expect("valid"));
    let tip = MeshIndex::point(Vec3::zeros());
    let mut search = MovingSearch::new(64);
    let left = Motion::screw(
        &Pose::translation(-1.0, 0.0, 0.0),
        &Screw::from_twist(&Vec3::x(), &Vec3::zeros(), &Vec3::zeros()),
    );
    let right = Motion::screw(
        &Pose::translation(1.0, 0.0, 0.0),
        &Screw::from_twist(&-Vec3::x(), &Vec3::zeros(), &Vec3::zeros()),
    );
    let sphere = MovingBody {
        radius_m: 0.1,
        ..body(&tip, &left)
    };
    for swapped in [false, true] {
        let target = body(&ball, &right);
        let (a, b) = if swapped {
            (target, sphere)
        } else {
            (sphere, target)
        };
        let meeting = search.first_contact(&a, &b, 1e-4, 1.0);
        // The icosphere lies slightly inside its radius.
        assert!(
            (meeting.free_until - 0.825).abs() < 2e-3,
            "{}",
            meeting.free_until
        );
        assert!(
            !search
                .contacts_at(&a, &b, meeting.free_until, 1e-4)
                .is_empty()
        );
    }
    let two = search.first_contact(&sphere, &sphere, 1e-4, 1.0);
    assert_eq!((two.free_until, two.first), (1.0, None));
    for bad in [f64::NAN, f64::INFINITY] {
        let broken = Motion::still(&Pose::translation(bad, 0.0, 0.0));
        let meeting = search.first_contact(&body(&ball, &broken), &body(&ball, &right), 1e-4, 1.0);
        assert!(!meeting.certain && meeting.free_until == 0.0);
        let set = search.step_pairs(&body(&ball, &broken), &body(&ball, &right), 1e-4, 0.1);
        assert_eq!(set.complete_until, 0.0);
        let meeting = search.first_contact(&body(&ball, &left), &body(&ball, &right), bad, 1.0);
        assert!(!meeting.certain && meeting.free_until == 0.0);
    }
}
