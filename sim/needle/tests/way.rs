//! The path of the tip: circles, bone, membranes, and many motions of the hand.

mod common;

use std::sync::{Arc, OnceLock};

use common::{HUB_M, Hand, LENGTH_M, Random, STIFFNESS, ball, layer, needle, tissue};
use hapticd_counting::{Counting, counted};
use hapticd_geometry::closest::point_triangle;
use hapticd_geometry::{Pose, Quat, Vec3, shapes, transform};
use hapticd_needle::{MAX_CANDIDATES, MAX_EVENTS, Needle, Structure, Tissue};
use hapticd_proxy::{Guide, Held, Insertion, Phase};
use proptest::prelude::*;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns how far the nodes of a path, pushed in without rotation, are from the circle that the
/// bevel describes.
fn off_circle(segment_m: f64) -> f64 {
    let bent = Needle {
        segment_m,
        ..needle(12.0)
    };
    let mut hand = Hand::new(tissue(vec![layer(0.1, 1.0)], vec![]), bent);
    hand.along(-0.005, 0.06, 4_000, |_, _, _| {});
    let nodes = hand.felt.path().nodes();
    assert!(nodes.len() as f64 > 0.05 / segment_m);
    let centre = nodes[0].at + Vec3::x() / 12.0;
    let off = |p: &Vec3| ((p - centre).norm() - 1.0 / 12.0).abs();
    nodes.iter().map(|n| off(&n.at)).fold(0.0, f64::max)
}

#[test]
fn the_tip_is_on_its_circle_to_second_order() {
    let (coarse, fine) = (off_circle(2e-3), off_circle(1e-3));
    assert!(coarse < 2e-5, "{coarse}");
    assert!(fine < coarse / 3.5, "{coarse} {fine}");
}

#[test]
fn half_a_turn_bends_the_other_way_and_spinning_goes_straight() {
    let end = |roll: fn(f64) -> f64| {
        let mut hand = Hand::new(tissue(vec![layer(0.1, 1.0)], vec![]), needle(12.0));
        for i in 0..6_000 {
            let depth_m = -0.005 + 1e-5 * f64::from(i);
            hand.upright(depth_m, roll(depth_m));
        }
        let nodes = hand.felt.path().nodes();
        nodes[nodes.len() - 1].at - nodes[0].at
    };
    let straight = end(|_| 0.0);
    let turned = end(|s| {
        if s < -0.002 {
            0.0
        } else {
            std::f64::consts::PI
        }
    });
    let spun = end(|s| 4_000.0 * s);
    let aside = |v: &Vec3| v.x.hypot(v.y);
    assert!(straight.x > 0.01, "{straight}");
    // Rolled before insertion: it is inserted with the bevel on the other side.
    assert!(
        turned.x < -0.01 && (turned.x + straight.x).abs() < 1e-3,
        "{turned}"
    );
    assert!(aside(&spun) < 0.1 * aside(&straight), "{spun}");
}

fn bones() -> Vec<Structure> {
    vec![
        Structure {
            id: 7,
            mesh: ball(0.012, Vec3::new(0.006, 0.0, 0.005)),
            puncture_force_n: None,
        },
        Structure {
            id: 8,
            mesh: common::moved(
                &shapes::cuboid(&Vec3::new(0.012, 0.004, 0.01)).unwrap(),
                &Vec3::new(-0.025, 0.02, 0.0),
            ),
            puncture_force_n: None,
        },
        Structure {
            id: 9,
            mesh: ball(0.006, Vec3::new(-0.015, -0.01, 0.01)),
            puncture_force_n: Some(0.4),
        },
    ]
}

fn to_bone(tissue: &Tissue, p: &Vec3) -> f64 {
    let bone = |t: &usize| {
        tissue
            .structure(tissue.owner(*t))
            .puncture_force_n
            .is_none()
    };
    let all = (0..tissue.triangles().len()).filter(bone);
    all.map(|t| (point_triangle(p, &tissue.triangles()[t]).0 - p).norm())
        .fold(f64::INFINITY, f64::min)
}

/// A hand that wanders over the tissue, in and out, rolls, hurries and rests. Poses in the tissue's
/// frame.
struct Wanderer {
    random: Random,
    at: Vec3,
    goal: Vec3,
    roll: f64,
    tilt: Quat,
    speed_m: f64,
    speeds_m: [f64; 3],
}

impl Wanderer {
    fn new(seed: u64) -> Wanderer {
        Wanderer {
            random: Random(seed),
            at: Vec3::new(0.0, 0.0, 0.2),
            goal: Vec3::new(0.0, 0.0, 0.2),
            roll: 0.0,
            tilt: Quat::identity(),
            speed_m: 1e-3,
            speeds_m: [5e-5, 3e-4, 2e-3],
        }
    }

    fn next(&mut self) -> Pose {
        let random = &mut self.random;
        if (self.goal - self.at).norm() < self.speed_m {
            let out = random.within(0.0, 1.0) < 0.3;
            let z = if out { 0.14 } else { random.within(0.05, 0.13) };
            self.goal = Vec3::new(random.within(-0.04, 0.04), random.within(-0.03, 0.03), z);
            // Mostly straight down from the present position.
            if random.within(0.0, 1.0) < 0.7 {
                (self.goal.x, self.goal.y) = (self.at.x, self.at.y);
            }
            self.speed_m = self.speeds_m[random.bits() as usize % 3];
        }
        let way = self.goal - self.at;
        self.at += way * (self.speed_m / way.norm().max(self.speed_m));
        self.roll += random.within(-0.2, 0.3);
        let turn = Quat::from_axis_angle(&Vec3::z_axis(), self.roll);
        Pose::from_parts(self.at.into(), self.tilt * turn)
    }
}

#[test]
fn the_tip_is_never_in_bone() {
    let mut hand = Hand::new(
        tissue(vec![layer(0.01, 0.6), layer(0.1, 0.4)], bones()),
        needle(10.0),
    );
    let mut wanderer = Wanderer::new(1);
    let (mut stopped, mut inserted, mut most) = (0, 0, 0.0_f64);
    let (mut nearest, mut busiest) = (f64::INFINITY, 0);
    for _ in 0..100_000 {
        let tests = hand.felt.tests();
        let told = hand.at(&wanderer.next());
        busiest = busiest.max(hand.felt.tests() - tests);
        if told.phase == Phase::Inserted {
            inserted += 1;
            let apart = to_bone(&hand.tissue, &hand.felt.tip_m());
            nearest = nearest.min(apart);
            assert!(apart >= 5e-4, "{apart} {told:?}");
            most = most.max(told.depth_m);
            stopped += usize::from(matches!(told.held, Held::Bone(_)));
        }
    }
    assert!(
        inserted > 20_000 && stopped > 500 && most > 0.03,
        "{inserted} {stopped} {most}"
    );
    assert!(nearest < 6e-4, "{nearest}");
    // The work of a tick is bounded, and some was done.
    let most = (MAX_EVENTS * MAX_CANDIDATES) as u64;
    assert!((50..=most).contains(&busiest), "{busiest}");
}

#[test]
fn bone_holds_between_ticks() {
    let mut hand = Hand::new(tissue(vec![layer(0.1, 0.4)], bones()), needle(10.0));
    let mut wanderer = Wanderer::new(5);
    let mut looked = 0;
    for i in 0..40_000 {
        let told = hand.at(&wanderer.next());
        if told.phase != Phase::Inserted || i % 500 != 0 {
            continue;
        }
        // The whole path that was ever swept.
        let mut chain: Vec<Vec3> = hand.felt.path().nodes().iter().map(|n| n.at).collect();
        chain.push(hand.felt.tip_m());
        for pair in chain.windows(2).take(told.nodes as usize) {
            for j in 0..=20 {
                let p = pair[0].lerp(&pair[1], f64::from(j) / 20.0);
                looked += 1;
                assert!(to_bone(&hand.tissue, &p) >= 5e-4, "{p}");
            }
        }
    }
    assert!(looked > 2_000, "{looked}");
}

/// Returns true if a segment passes through a triangle, by plain geometry.
fn goes_through(p: &Vec3, q: &Vec3, [a, b, c]: &[Vec3; 3]) -> bool {
    let n = (b - a).cross(&(c - a));
    let (dp, dq) = (n.dot(&(p - a)), n.dot(&(q - a)));
    if (dp > 0.0) == (dq > 0.0) {
        return false;
    }
    let x = p + (q - p) * (dp / (dp - dq));
    let inside = |u: &Vec3, v: &Vec3| n.dot(&(v - u).cross(&(x - u))) >= 0.0;
    inside(a, b) && inside(b, c) && inside(c, a)
}

#[test]
fn membranes_are_pierced_as_often_as_the_way_goes_through_them() {
    let vessel = common::moved(
        &shapes::cylinder(0.004, 0.03, 24).unwrap(),
        &Vec3::new(0.003, 0.001, 0.0),
    );
    let mut crossings = 0;
    for seed in 0..12 {
        let mut random = Random(seed);
        let structures = (0..6)
            .map(|id| {
                let at = Vec3::from_fn(|_, _| random.within(-0.012, 0.012));
                Structure {
                    id,
                    mesh: if id == 0 {
                        vessel.clone()
                    } else {
                        ball(random.within(0.003, 0.012), at)
                    },
                    puncture_force_n: Some(random.within(0.2, 0.8)),
                }
            })
            .collect();
        let tissue = tissue(vec![layer(0.1, 0.4)], structures);
        for _ in 0..5 {
            let mut hand = Hand::new(tissue.clone(), needle(10.0));
            let roll = random.within(0.0, 6.0);
            let mut told = Insertion::default();
            for i in 0..3_000 {
                told = hand.upright(-0.005 + 2.5e-5 * f64::from(i), roll);
            }
            assert!(told.depth_m > 0.05, "{told:?}");
            let mut chain: Vec<Vec3> = hand.felt.path().nodes().iter().map(|n| n.at).collect();
            chain.push(hand.felt.tip_m());
            let brute = chain
                .windows(2)
                .map(|pair| {
                    let all = hand.tissue.triangles().iter();
                    all.filter(|t| goes_through(&pair[0], &pair[1], t)).count()
                })
                .sum::<usize>();
            crossings += brute;
            // One of them is the skin.
            assert_eq!(told.pierced as usize - 1, brute, "seed {seed}");
        }
    }
    assert!(crossings > 100, "{crossings}");
}

/// Measures the energy that a hand gets out by a held force, J: at most what any spring of this
/// stiffness gives between ticks.
fn passive(seed: u64, ticks: usize) -> (usize, usize) {
    let stiff = |k: f64, thickness_m: f64, puncture_force_n: f64| hapticd_needle::Layer {
        stiffness_n_per_m: k,
        ..layer(thickness_m, puncture_force_n)
    };
    static TISSUE: OnceLock<Arc<Tissue>> = OnceLock::new();
    let tissue = TISSUE.get_or_init(|| {
        let layers = vec![
            stiff(600.0, 0.006, 0.9),
            stiff(150.0, 0.012, 0.35),
            stiff(900.0, 0.1, 0.7),
        ];
        tissue(layers, bones())
    });
    let mut hand = Hand::new(tissue.clone(), needle(10.0));
    let mut wanderer = Wanderer::new(seed);
    let mut random = Random(seed ^ 0x5555);
    // Slow, so that the energy of a held spring between two ticks hides nothing.
    wanderer.speeds_m = [3e-5, 6e-5, 1e-4];
    wanderer.at.z = 0.13;
    wanderer.goal = wanderer.at;
    // Tilted, but constantly so: a hub without torque cannot account for the work of turning a
    // needle that touches.
    wanderer.tilt = Quat::from_scaled_axis(Vec3::new(
        random.within(-0.5, 0.5),
        random.within(-0.5, 0.5),
        0.0,
    ));
    let world = hand.tissue.spec().world_from_tissue;
    let (mut out_j, mut leak_j, mut scale_j) = (0.0, 0.0, 0.0);
    let (mut last, mut held_j): (Option<Vec3>, f64) = (None, 0.0);
    let (mut inserted, mut touching) = (0, 0);
    for i in 0..ticks {
        let pose = wanderer.next();
        let at = transform(&world, &pose.translation.vector);
        if let Some(last) = last {
            let step = at - last;
            out_j += hand.force.dot(&step);
            leak_j += 0.5 * STIFFNESS * step.norm_squared();
            scale_j += (hand.force.norm() * step.norm()).abs();
        }
        let before = hand.force;
        let told = hand.at(&pose);
        // Tick by tick, both springs store no more than before plus the hand's work, so that losses
        // do not hide generated energy.
        let now_j = hand.felt.stored_j() + 0.5 * hand.force.norm_squared() / STIFFNESS;
        if let Some(last) = last {
            let step = at - last;
            let most_j = held_j - before.dot(&step) + 0.5 * STIFFNESS * step.norm_squared();
            assert!(
                now_j <= most_j + 1e-12,
                "seed {seed} tick {i}: {now_j} {most_j} {told:?}"
            );
        }
        (last, held_j) = (Some(at), now_j);
        inserted += usize::from(told.phase == Phase::Inserted);
        touching += usize::from(told.phase == Phase::Touching);
        assert!(
            out_j <= leak_j + 1e-12 * (1.0 + scale_j),
            "seed {seed} tick {i}: {out_j} {leak_j} {told:?}"
        );
    }
    (inserted, touching)
}

#[test]
fn no_hand_gets_energy_out_of_it() {
    let (mut inserted, mut touching) = (0, 0);
    for seed in 0..20 {
        let (i, t) = passive(seed, 4_000);
        inserted += i;
        touching += t;
    }
    assert!(inserted > 5_000 && touching > 200, "{inserted} {touching}");
}

proptest! {
    #![proptest_config(common::cases(24))]

    #[test]
    fn no_seed_gets_energy_out(seed in any::<u64>()) {
        passive(seed, 2_000);
    }
}

#[test]
fn what_the_loop_calls_does_not_allocate() {
    let mut hand = Hand::new(
        tissue(vec![layer(0.01, 0.6), layer(0.1, 0.4)], bones()),
        needle(10.0),
    );
    let mut wanderer = Wanderer::new(3);
    let (inserted, calls) = counted(|| {
        let mut inserted = 0;
        for i in 0..20_000 {
            let told = hand.at(&wanderer.next());
            inserted += usize::from(told.phase == Phase::Inserted);
            if i == 10_000 {
                hand.felt.anchor();
            }
        }
        inserted
    });
    assert_eq!(calls, 0);
    assert!(inserted > 2_000, "{inserted}");
}

#[test]
fn the_same_hand_gives_the_same_bits() {
    let run = || {
        let mut hand = Hand::new(tissue(vec![layer(0.1, 0.4)], bones()), needle(10.0));
        let mut wanderer = Wanderer::new(9);
        let told = (0..5_000)
            .map(|_| (hand.at(&wanderer.next()), hand.hub))
            .collect::<Vec<_>>();
        format!("{told:?}")
    };
    assert!(run() == run());
}

#[test]
fn invalid_poses_do_no_harm() {
    let mut hand = Hand::new(tissue(vec![layer(0.1, 0.4)], bones()), needle(10.0));
    hand.along(-0.01, 0.02, 500, |_, _, _| {});
    for x in [f64::NAN, f64::INFINITY, 1e300, -1e300, 1e9] {
        for i in 0..3 {
            let mut at = Vec3::zeros();
            at[i] = x;
            let told = hand.at(&Pose::from_parts(at.into(), Quat::identity()));
            assert!(told.phase != Phase::Inserted || told.depth_m.is_finite());
            let apart = to_bone(&hand.tissue, &hand.felt.tip_m());
            assert!(told.phase != Phase::Inserted || apart >= 5e-4);
        }
        hand.upright(0.02, 0.0);
    }
    hand.along(-0.01, 0.03, 500, |_, _, _| {});
    assert_eq!(hand.upright(0.03, 0.0).phase, Phase::Inserted);
}

/// A rigid contact holds the hub back, or pushes it: the tip moves only as far as that hub takes
/// it.
#[test]
fn a_hub_that_is_held_back_takes_the_tip_no_further() {
    let mut hand = Hand::new(tissue(vec![layer(0.1, 0.4)], bones()), needle(10.0));
    let world = hand.tissue.spec().world_from_tissue;
    let hub =
        |depth_m: f64| world * Pose::translation(-0.02, -0.02, 0.04 + HUB_M + LENGTH_M - depth_m);
    let mut deepest = 0.0_f64;
    let mut stopped = hub(0.0);
    for i in 0..3_000 {
        let depth_m = -0.01 + 2e-5 * f64::from(i);
        let free = hand.felt.guide(&hub(depth_m), STIFFNESS);
        // A plate ends the hub's path 20 mm in.
        let way = (world.inverse() * free).translation.vector.z;
        if way >= 0.04 + HUB_M + LENGTH_M - 0.02 {
            stopped = free;
        }
        hand.felt.went(&stopped);
        deepest = deepest.max(hand.felt.insertion().depth_m);
    }
    assert!(deepest > 0.018 && deepest <= 0.02, "{deepest}");
    // Pushed through by something that the hand does not feel: the tip still stops before bone.
    for i in 0..3_000 {
        let pushed = world * Pose::translation(0.006, 0.0, 0.16 - 4e-5 * f64::from(i));
        hand.felt.guide(&pushed, STIFFNESS);
        hand.felt.went(&pushed);
        let told = hand.felt.insertion();
        if told.phase == Phase::Inserted {
            assert!(
                to_bone(&hand.tissue, &hand.felt.tip_m()) >= 5e-4,
                "{told:?}"
            );
        }
    }
}
