//! Contact as a hand finds it in the plane: free space, walls, corners, slots, moving bodies.
//! Distances are checked by brute force in every tick.

mod common;

use common::*;
use hapticd_counting::{Counting, counted};
use hapticd_geometry::{Pose, Vec3};
use hapticd_planar::polygon::{about_disc, star};
use hapticd_proxy::*;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn disc() -> Vec<(Vec<[f64; 2]>, bool)> {
    vec![(about_disc(0.005, 16), false)]
}

/// A room with a star and a C in it, all on a lattice, as drawn scenes are.
fn room() -> Vec<Polygon> {
    vec![
        fixed(rectangle(0.1, 0.005), at(0.0, -0.07, 0.0)),
        fixed(rectangle(0.1, 0.005), at(0.0, 0.07, 0.0)),
        fixed(rectangle(0.005, 0.06), at(-0.1, 0.0, 0.0)),
        fixed(rectangle(0.005, 0.06), at(0.1, 0.0, 0.0)),
        fixed(star(5, 0.02, 0.009), at(-0.04, 0.0, 0.2)),
        fixed(c_shape(0.025, 0.017, 8), at(0.05, 0.01, 0.0)),
    ]
}

/// A hand that wanders in a room: slowly or in jumps, often beyond its walls.
struct Hand {
    random: Random,
    at: [f64; 2],
    to: [f64; 2],
    speed: f64,
    angle: f64,
    spin: f64,
}

impl Hand {
    fn new(seed: u64) -> Self {
        Hand {
            random: Random(seed),
            at: [0.0, 0.03],
            to: [0.0, 0.03],
            speed: 0.0,
            angle: 0.0,
            spin: 0.0,
        }
    }

    fn next(&mut self) -> Pose {
        let gap = [self.to[0] - self.at[0], self.to[1] - self.at[1]];
        let length = gap[0].hypot(gap[1]);
        let step = self.speed * PERIOD_S;
        if length <= step || self.random.next() < 0.002 {
            self.to = [0.13 * self.random.signed(), 0.09 * self.random.signed()];
            self.speed = 10f64.powf(-2.5 + 2.8 * self.random.next());
            self.spin = 3.0 * self.random.signed();
        } else {
            self.at = [0, 1].map(|i| self.at[i] + gap[i] * step / length);
        }
        self.angle += self.spin * PERIOD_S;
        at(self.at[0], self.at[1], self.angle)
    }
}

fn explore(
    tool: (Vec<[f64; 2]>, bool),
    bodies: Vec<Polygon>,
    friction: f64,
    budget: usize,
    seed: u64,
    ticks: u64,
) -> Scene {
    let mut scene = Scene::new(vec![tool], bodies, friction, budget);
    let mut hand = Hand::new(seed);
    scene.settle(&[at(0.0, 0.03, 0.0)]);
    for _ in 0..ticks {
        let hand = hand.next();
        scene.tick(&[hand]);
    }
    scene
}

/// Returns the length of one exploration; longer if more property cases are asked for.
fn ticks() -> u64 {
    let cases = std::env::var("PROPTEST_CASES").ok();
    16 * cases
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(256)
        .max(256)
}

fn told(scene: &Scene, what: &str) {
    #[allow(clippy::print_stderr, reason = "read when a test fails")]
    {
        eprintln!(
            "{what}: least {:.2e} m, touched {} starved {} of {} ticks, faults and builds {:?}",
            scene.least_m,
            scene.touched,
            scene.starved,
            scene.ticks,
            scene.engine.rebuilds()
        );
    }
}

#[test]
fn a_disc_that_goes_everywhere_never_penetrates() {
    for seed in 0..5 {
        for friction in [0.0, 0.4] {
            let scene = explore(disc().remove(0), room(), friction, 256, seed, ticks());
            told(&scene, "disc");
            assert!(scene.touched > scene.ticks / 10, "{}", scene.touched);
            assert!(
                scene.starved < scene.ticks / 50,
                "{} of {}",
                scene.starved,
                scene.ticks
            );
        }
    }
}

#[test]
fn a_wedge_that_turns_never_penetrates() {
    let wedge = vec![[0.009, 0.0], [-0.004, 0.004], [-0.004, -0.004]];
    for seed in 10..14 {
        let scene = explore((wedge.clone(), true), room(), 0.2, 256, seed, ticks());
        told(&scene, "wedge");
        assert!(scene.touched > scene.ticks / 10);
        assert!(
            scene.starved < scene.ticks / 50,
            "{} of {}",
            scene.starved,
            scene.ticks
        );
    }
}

#[test]
fn without_a_budget_the_tool_is_late_and_never_wrong() {
    let scene = explore(disc().remove(0), room(), 0.0, 1, 20, ticks());
    told(&scene, "budget 1");
    assert!(scene.starved > 40, "{}", scene.starved);
}

/// If the hand moves too fast for the tick's budget, the tool lags, and nothing holds it.
#[test]
fn a_budget_that_ends_in_free_air_is_not_felt() {
    for (tool, budget) in [(disc().remove(0), 1), ((rectangle(0.005, 0.003), true), 1)] {
        let mut scene = Scene::new(vec![tool], room(), 0.0, budget);
        scene.settle(&[at(0.0, 0.035, 0.0)]);
        let mut starved = 0;
        // 3 m/s, and turning.
        for k in 0..2000 {
            let t = 0.3 * f64::from(k);
            let hand = at(
                0.01 * t.sin(),
                0.035 + 0.005 * t.cos() - 0.005,
                0.4 * t.sin(),
            );
            let out = scene.tick(&[hand]);
            starved += u32::from(out.arms[0].starved);
            assert_eq!(out.arms[0].contact_count, 0, "tick {k}");
            let wrench = out.arms[0].wrench;
            assert!(
                wrench.force_n.norm() < 1e-9 && wrench.torque_nm.norm() < 1e-9,
                "tick {k}: {wrench:?}"
            );
        }
        assert!(starved > 50, "{starved}");
    }
}

/// It is not known then what holds the tool: the force on the hand stays.
#[test]
fn a_structure_that_is_built_again_leaves_the_force_as_it_is() {
    for (down, depth) in [(0.02, 0.0), (-0.07, 0.010)] {
        let mut scene = Scene::new(disc(), room(), 0.0, 256);
        scene.settle(&[at(0.0, 0.03, 0.0)]);
        let mut starved = 0;
        for k in 0..2000 {
            let way = (f64::from(k) / 1000.0).min(1.0);
            if k > 1100 && k % 50 == 49 {
                scene.engine.spoil();
            }
            let x = 0.01 * (0.01 * f64::from(k)).sin();
            let out = scene.tick(&[at(x, 0.03 + (down - 0.03) * way, 0.0)]);
            if k > 1100 {
                starved += u32::from(out.arms[0].starved);
                let held = 500.0
                    * (depth
                        + if depth > 0.0 {
                            scene.distances.safe_m
                        } else {
                            0.0
                        });
                let force = out.arms[0].wrench.force_n;
                assert!(
                    (force.y - held).abs() < 0.02 && force.x.abs() < 0.02,
                    "tick {k}: {force:?}, not {held} N"
                );
            }
        }
        assert!(starved > 15, "{starved}");
    }
}

/// For any fault during a motion, that motion is not made: the tool stands still until the
/// structure has been rebuilt, and then moves on.
#[test]
fn a_structure_that_finds_itself_wrong_is_rebuilt_and_costs_motion_only() {
    let mut scene = Scene::new(disc(), swinging(), 0.2, 256);
    scene.settle(&[at(0.0, 0.03, 0.0)]);
    let (mut hand, mut held) = (Hand::new(41), 0);
    let mut before = scene.engine.output().arms[0].proxy;
    let mut side = 1.0;
    for k in 0..3000 {
        if k % 500 == 0 {
            side = -side;
            scene.bodies[4].target = Some(BodyTarget {
                world_from_body: at(0.05 * side, 0.0, 0.0),
                speed_m_s: 0.1,
            });
            scene.tell();
        }
        if k % 50 == 49 {
            scene.engine.spoil();
        }
        let hand = hand.next();
        let out = scene.tick(&[hand]);
        if out.arms[0].starved && out.arms[0].path_len == 0 {
            held += 1;
            assert_eq!(out.arms[0].proxy, before, "tick {k}");
        }
        before = out.arms[0].proxy;
    }
    told(&scene, "spoilt");
    let [faults, builds] = scene.engine.rebuilds();
    assert!(faults >= 50 && builds >= faults, "{faults} {builds}");
    assert!(
        held >= 30 && scene.starved < 600,
        "{held} {}",
        scene.starved
    );
    assert!(scene.touched > 300);
}

#[test]
fn free_space_is_transparent_and_out_of_the_plane_nothing_counts() {
    let mut scene = Scene::new(disc(), room(), 0.0, 256);
    scene.settle(&[at(0.0, 0.03, 0.0)]);
    for k in 0..300 {
        let t = 0.02 * f64::from(k);
        let mut hand = at(0.01 * t.sin(), 0.035 + 0.005 * t.cos(), 0.0);
        hand.translation.z = 0.02 * t.sin();
        let out = scene.tick(&[hand]);
        let arm = &out.arms[0];
        assert_eq!(
            arm.proxy.translation.vector.xy(),
            hand.translation.vector.xy(),
            "tick {k}"
        );
        assert_eq!(arm.wrench, Wrench::default());
        assert_eq!((arm.starved, arm.contact_count), (false, 0));
    }
}

#[test]
fn a_wall_is_felt_as_a_spring_at_the_safe_distance_and_slid_along() {
    let mut scene = Scene::new(disc(), room(), 0.0, 256);
    scene.settle(&[at(0.0, 0.03, 0.0)]);
    // The floor's upper side is at -0.065: 2 mm into it, slowly to and fro along it.
    let mut depth = 0.0;
    for k in 0..3000 {
        let down = 0.03 - 0.0001 * f64::from(k.min(970));
        let x = if k > 1200 {
            0.03 * (0.002 * f64::from(k - 1200)).sin()
        } else {
            0.0
        };
        let out = scene.tick(&[at(x, down, 0.0)]);
        let arm = &out.arms[0];
        if k > 1200 {
            assert!(
                (arm.proxy.translation.x - x).abs() < 1e-6,
                "tick {k}: {} {x}",
                arm.proxy.translation.x
            );
            let gap = arm.proxy.translation.y - 0.005 + 0.065;
            assert!(
                (gap / scene.distances.safe_m - 1.0).abs() < 0.3,
                "tick {k}: {gap:e}"
            );
            depth = arm.proxy.translation.y - down;
            assert!(
                (arm.wrench.force_n.y - 500.0 * depth).abs() < 0.01,
                "{:?}",
                arm.wrench
            );
            assert!(arm.wrench.force_n.x.abs() < 0.01 && arm.wrench.force_n.z == 0.0);
            assert!(
                arm.contacts[..arm.contact_count]
                    .iter()
                    .any(|c| c.active && c.body == 1 && c.normal.y > 0.999)
            );
        }
    }
    assert!(depth > 0.006, "{depth}");
}

#[test]
fn a_rough_wall_holds_until_the_hand_pulls_out_of_the_cone() {
    let mut scene = Scene::new(disc(), room(), 0.5, 256);
    scene.settle(&[at(0.0, 0.03, 0.0)]);
    for k in 0..1000 {
        scene.tick(&[at(0.0, 0.03 - 0.0001 * f64::from(k), 0.0)]);
    }
    // 10 mm deep: held up to some 5 mm to the side.
    let mut slid = None;
    for k in 0..1000 {
        let x = 1e-5 * f64::from(k);
        let out = scene.tick(&[at(x, -0.07, 0.0)]);
        if out.arms[0].proxy.translation.x.abs() > 1e-5 && slid.is_none() {
            slid = Some(x);
        }
    }
    let slid = slid.unwrap();
    assert!((slid / 0.005 - 1.0).abs() < 0.1, "{slid}");
}

#[test]
fn a_tool_that_starts_inside_feels_nothing_until_it_is_out() {
    let mut scene = Scene::new(disc(), room(), 0.0, 256);
    scene.tell();
    for k in 0..400 {
        // Out of the star, to the right.
        let hand = at(-0.04 + 0.0001 * f64::from(k), 0.0, 0.0);
        let out = scene.tick(&[hand]);
        let arm = &out.arms[0];
        if arm.solid == 0 {
            assert_eq!(arm.wrench, Wrench::default());
            assert_eq!(arm.proxy.translation, hand.translation);
        }
        // No tool is reported inside anything once it is a member, and inside one body before.
        let inside = arm.inside.count_ones();
        assert_eq!(inside, u32::from(arm.solid == 0), "tick {k}");
        assert!(k > 100 || arm.solid == 0, "inside at {k}");
        assert!(k < 320 || arm.solid != 0, "out at {k}");
    }
}

/// A block that swings through the room against the hand, which holds still.
fn swinging() -> Vec<Polygon> {
    let mut bodies = room();
    bodies.truncate(4);
    let mut block = fixed(rectangle(0.01, 0.03), at(-0.05, 0.0, 0.0));
    block.target = Some(BodyTarget {
        world_from_body: block.pose,
        speed_m_s: 0.1,
    });
    bodies.push(block);
    bodies
}

#[test]
fn what_moves_pushes_the_tool_and_stops_where_it_cannot() {
    let mut scene = Scene::new(disc(), swinging(), 0.2, 256);
    scene.settle(&[at(0.0, 0.0, 0.0)]);
    // Towards the right wall, further than the gap allows for it and the tool.
    scene.bodies[4].target = Some(BodyTarget {
        world_from_body: at(0.09, 0.0, 0.6),
        speed_m_s: 0.1,
    });
    scene.tell();
    let mut pushed = 0.0_f64;
    let mut blocked = 0;
    for _ in 0..2500 {
        let out = scene.tick(&[at(0.0, 0.0, 0.0)]);
        pushed = pushed.max(out.arms[0].wrench.force_n.x);
        blocked += u64::from(out.blocked_bodies & (1 << 4) != 0);
    }
    told(&scene, "swinging");
    let block = scene
        .engine
        .table()
        .of_scene()
        .find(|b| b.id == 5)
        .unwrap()
        .pose;
    // It moved as far as the walls allow and pushed the tool along, or the tool slipped off.
    assert!(block.translation.x > 0.05, "{block}");
    assert!(pushed > 10.0, "{pushed} N");
    assert!(blocked > 100, "{blocked}");
    // And back again.
    scene.bodies[4].target = Some(BodyTarget {
        world_from_body: at(-0.05, 0.0, 0.0),
        speed_m_s: 0.1,
    });
    scene.tell();
    for _ in 0..2500 {
        scene.tick(&[at(0.0, 0.0, 0.0)]);
    }
    let block = scene
        .engine
        .table()
        .of_scene()
        .find(|b| b.id == 5)
        .unwrap()
        .pose;
    assert!((block.translation.x + 0.05).abs() < 1e-6, "{block}");
}

#[test]
fn two_tools_stop_at_each_other() {
    let tools = vec![
        (about_disc(0.005, 12), false),
        (about_disc(0.004, 8), false),
    ];
    let mut scene = Scene::new(tools, room(), 0.0, 256);
    scene.settle(&[at(-0.01, 0.03, 0.0), at(0.01, 0.03, 0.0)]);
    for k in 0..1000 {
        let x = 0.01 - 0.00002 * f64::from(k);
        let out = scene.tick(&[at(-x, 0.03, 0.0), at(x, 0.03, 0.0)]);
        let [a, b] = [0, 1].map(|i| out.arms[i].proxy.translation.vector);
        assert!(a.x < b.x && (b - a).norm() >= 0.009, "tick {k}: {a} {b}");
        assert_eq!(out.arms[0].solid >> tool_slot(1) & 1, 1);
    }
    let out = scene.engine.output();
    assert!(out.arms[0].wrench.force_n.x < -1.0 && out.arms[1].wrench.force_n.x > 1.0);
}

#[test]
fn ticks_do_not_allocate_and_are_the_same_to_the_bit() {
    let run = || {
        let mut scene = Scene::new(disc(), room(), 0.3, 256);
        let mut hand = Hand::new(31);
        let mut snapshot = Some(scene.snapshot());
        let mut bits = 0_u64;
        let mut calls = 0;
        for k in 0..1500 {
            let mut devices = [None; MAX_ARMS];
            devices[0] = Some(hand.next());
            if k % 3 == 0
                && let Some(s) = snapshot.take()
            {
                snapshot = scene.engine.receive(s);
            }
            // Placed again now and then: the structure is rebuilt.
            let input = TickInput {
                period_s: PERIOD_S,
                devices,
                anchor: u8::from(k % 500 == 499),
            };
            let (force, n) = counted(|| {
                let force: Vec3 = scene.engine.tick(&input).arms[0].wrench.force_n;
                let query = scene.engine.query();
                force + Vec3::repeat(query.tick as f64 * 0.0)
            });
            calls += n;
            bits = force
                .iter()
                .fold(bits, |bits, x| bits.rotate_left(7) ^ x.to_bits());
        }
        assert_eq!(calls, 0, "calls of the allocator");
        assert!(scene.engine.rebuilds()[1] >= 3);
        bits
    };
    let first = run();
    assert_ne!(first, 0);
    assert_eq!(first, run());
}
