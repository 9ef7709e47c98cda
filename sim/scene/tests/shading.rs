//! Force on a ball from coarse meshes, by the loop with the scene's own answers: it comes from the
//! smooth surfaces that the meshes stand for, and has a potential. Planes and the proxy are
//! unchanged.

use hapticd_counting::{Counting, counted};
use hapticd_geometry::{Pose, TriMesh, Vec3, shapes};
use hapticd_proxy::{
    ArmOutcome, ArmSetup, Damping, Distances, Engine, Gains, Interaction, MAX_ARMS, Material,
    Snapshot, TickInput, ToolShape,
};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const STIFFNESS: f64 = 800.0;
const BALL_M: f64 = 0.003;

struct Stage {
    world: Scene,
    engine: Engine,
    answer: Option<Box<Snapshot>>,
    out_m: f64,
}

impl Stage {
    fn new(mesh: TriMesh, ball_m: f64, force_shading: bool, friction: f64) -> Self {
        let distances = Distances::for_width(0.16);
        let shape = ToolShape::sphere(ball_m);
        let mut world = Scene::new(distances.clearance_m, 1024);
        world.set_tool(0, Shape::point(), shape);
        let material = Material {
            stiffness_n_per_m: 1e9,
            damping_n_s_per_m: 0.0,
            friction,
            force_shading,
        };
        let spec = BodySpec {
            name: "body".into(),
            kind: BodyKind::Static,
            shape: Shape::of(mesh).0.shaded_for(&material),
            solid: false,
            world_from_body: Pose::identity(),
            restitution: 0.0,
            density_kg_m3: 1000.0,
            material,
        };
        world.add_body(spec).unwrap();
        let mut setups = [None; MAX_ARMS];
        setups[0] = Some(ArmSetup {
            shape,
            distances,
            gains: Gains {
                stiffness_n_per_m: STIFFNESS,
                ..Gains::default()
            },
            damping: Damping::default(),
            interaction: Interaction::Spring,
            pair_budget: 256,
            reach_max_m: 0.05,
            reach_min_m: 20.0 * distances.safe_m,
        });
        Stage {
            world,
            engine: Engine::new(setups, 0.003),
            answer: None,
            out_m: ball_m + distances.safe_m,
        }
    }

    fn tick(&mut self, at: &Vec3) -> ArmOutcome {
        let free = self.answer.take().and_then(|a| self.engine.receive(a));
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(Pose::translation(at.x, at.y, at.z));
        self.engine.tick(&TickInput {
            period_s: 1e-3,
            devices,
            anchor: 0,
        });
        let free = free.or_else(|| self.engine.take_retired());
        let mut answer = free.unwrap_or_else(|| Box::new(Snapshot::new(2048)));
        if self.world.answer(&self.engine.query(), 0, &mut answer) {
            self.answer = Some(answer);
        }
        self.engine.output().arms[0]
    }

    /// Moves along straight lines from corner to corner, after three unrecorded ticks at the first
    /// one. Returns hand and outcome of each recorded tick.
    fn along(&mut self, corners: &[Vec3], step_m: f64) -> Vec<(Vec3, ArmOutcome)> {
        let mut ticks = Vec::new();
        for _ in 0..3 {
            self.tick(&corners[0]);
        }
        for ends in corners.windows(2) {
            let count = ((ends[1] - ends[0]).norm() / step_m).ceil().max(1.0) as usize;
            for k in 1..=count {
                let way = (ends[1] - ends[0]) * (k as f64 / count as f64);
                let at = if k == count { ends[1] } else { ends[0] + way };
                ticks.push((at, self.tick(&at)));
            }
        }
        ticks
    }
}

/// A circle around a sphere, `height(k)` above it.
fn circle(radius_m: f64, count: usize, height: impl Fn(usize) -> f64) -> Vec<Vec3> {
    let (u, v) = (Vec3::new(0.6, 0.0, 0.8), Vec3::new(0.48, 0.8, -0.36));
    let at = |k: usize| {
        let angle = 0.4 + 1e-3 * k as f64;
        (u * angle.cos() + v * angle.sin()) * (radius_m + height(k))
    };
    (0..count).map(at).collect()
}

/// Work done on the hand along a path, J.
fn work(ticks: &[(Vec3, ArmOutcome)]) -> f64 {
    let pairs = ticks.windows(2);
    pairs
        .map(|w| {
            let force = (w[0].1.wrench.force_n + w[1].1.wrench.force_n) / 2.0;
            force.dot(&(w[1].0 - w[0].0))
        })
        .sum()
}

#[test]
fn a_coarse_sphere_is_felt_as_a_sphere() {
    let mut wrong = [0.0; 2];
    for (wrong, shaded) in wrong.iter_mut().zip([false, true]) {
        let mut stage = Stage::new(shapes::icosphere(0.05, 3).unwrap(), BALL_M, shaded, 0.0);
        let out = 0.05 + stage.out_m;
        let depth = |k: usize| if k < 20 { 0.0005 } else { -0.005 };
        let path = circle(out, 1500, depth);
        let ticks = stage.along(&path, 1e-3);
        let pressed = &ticks[100..];
        let square: f64 = pressed
            .iter()
            .map(|(at, out_of)| {
                let truth = at.normalize() * (STIFFNESS * (out - at.norm()));
                (out_of.wrench.force_n - truth).norm_squared() / 16.0
            })
            .sum();
        *wrong = (square / pressed.len() as f64).sqrt();
    }
    assert!(wrong[0] > 0.03, "plain: {}", wrong[0]);
    assert!(wrong[1] < 0.01, "shaded: {}", wrong[1]);
}

#[test]
fn the_proxy_goes_where_it_goes_without() {
    let mesh = shapes::torus(0.05, 0.015, 64, 24).unwrap();
    for friction in [0.0, 0.4] {
        let [mut plain, mut shaded] =
            [false, true].map(|shaded| Stage::new(mesh.clone(), BALL_M, shaded, friction));
        let mut differ = 0;
        for k in 0..1500 {
            let angle = 2e-3 * f64::from(k);
            let deep = 0.018 - 0.006 * (0.01 * f64::from(k)).sin().abs();
            let ring = Vec3::new(angle.cos(), angle.sin(), 0.0);
            let out = ring * (3.0 * angle).cos() + Vec3::z() * (3.0 * angle).sin();
            let at = ring * 0.05 + out * deep;
            let (a, b) = (plain.tick(&at), shaded.tick(&at));
            assert_eq!(a.proxy, b.proxy, "tick {k}");
            assert_eq!(a.contact_count, b.contact_count);
            let apart = (b.spring.far_end.translation.vector - b.proxy.translation.vector).norm();
            let lean = (at - b.proxy.translation.vector).norm();
            assert!(apart <= 0.25e-3 + 0.6 * lean + 1e-12, "tick {k}: {apart}");
            differ += usize::from(a.wrench != b.wrench);
        }
        assert!(differ > 500, "{differ}");
    }
}

#[test]
fn planes_and_boxes_are_the_same_to_the_bit() {
    let half = Vec3::new(0.05, 0.05, 0.02);
    let meshes = [
        shapes::cuboid(&half).unwrap(),
        shapes::sheet(0.1, 20).unwrap(),
        shapes::inner_corner(0.1, 0.01).unwrap(),
    ];
    for (mesh, top) in meshes.iter().zip([0.02, 0.0, 0.0]) {
        for friction in [0.0, 0.3] {
            let [mut plain, mut shaded] =
                [false, true].map(|shaded| Stage::new(mesh.clone(), BALL_M, shaded, friction));
            let mut pressed = 0;
            for k in 0..800 {
                let t = 1e-2 * f64::from(k);
                let z = top + 0.004 - 0.006 * (0.5 * t).sin().abs();
                let at = Vec3::new(0.02 + 0.02 * t.sin(), 0.02 * (1.7 * t).cos(), z);
                let (a, b) = (plain.tick(&at), shaded.tick(&at));
                assert_eq!((a.wrench, a.spring), (b.wrench, b.spring), "tick {k}");
                pressed += usize::from(a.wrench.force_n.norm() > 0.1);
            }
            assert!(pressed > 200, "{pressed}");
        }
    }
}

/// With steps so small that a jump would show: the force changes by at most one and a half times
/// the stiffness times the motion of the hand.
#[test]
fn force_has_no_steps_on_edges_of_facets() {
    for ball_m in [0.0, BALL_M] {
        let mut stage = Stage::new(shapes::icosphere(0.05, 3).unwrap(), ball_m, true, 0.0);
        let out = 0.05 + stage.out_m;
        let path = circle(out, 400, |k| if k < 20 { 0.0005 } else { -0.004 });
        let ticks = stage.along(&path, 2e-6);
        let pressed = ticks.windows(2).skip(2000);
        let steepest = pressed
            .map(|w| {
                let change = (w[1].1.wrench.force_n - w[0].1.wrench.force_n).norm();
                change / (w[1].0 - w[0].0).norm()
            })
            .fold(0.0, f64::max);
        assert!(
            steepest < 1.5 * STIFFNESS,
            "ball of {ball_m} m: {steepest} N/m"
        );
    }
}

/// Out along a path, deeper, and back: the total work is zero. Turning the force without a
/// potential gives a hundred times as much, which shows that this test would detect it.
#[test]
fn a_closed_path_without_friction_gives_nothing() {
    let mut stage = Stage::new(shapes::icosphere(0.05, 3).unwrap(), 0.0, true, 0.0);
    let out = 0.05 + stage.out_m;
    let there = circle(out, 60, |_| -0.001);
    let back = circle(out, 60, |_| -0.005);
    let loop_of = |first: usize, last: usize| {
        let mut corners = vec![there[first] * 1.05];
        corners.extend_from_slice(&there[first..=last]);
        corners.extend(back[first..=last].iter().rev());
        corners.push(there[first]);
        corners
    };
    let (mut most, mut turned) = (0.0_f64, 0.0_f64);
    for (first, last) in [(0, 30), (10, 59), (25, 45)] {
        let ticks = stage.along(&loop_of(first, last), 5e-6);
        let start = ticks
            .iter()
            .position(|(at, _)| *at == there[first])
            .unwrap();
        let ring = &ticks[start..];
        most = most.max(work(ring).abs());
        // The mutant: depth of the proxy along the smooth normal.
        let mutant: f64 = ring
            .windows(2)
            .map(|w| {
                let depth = (w[0].1.proxy.translation.vector - w[0].0).norm();
                let normal = w[0].1.wrench.force_n.normalize();
                (normal * (STIFFNESS * depth)).dot(&(w[1].0 - w[0].0))
            })
            .sum();
        turned = turned.max(mutant.abs());
    }
    assert!(most < 1e-6, "{most} J");
    assert!(turned > 1e-5, "the mutant: {turned} J");
}

/// With friction, every closed path takes energy or, if all of it sticks, gives none.
#[test]
fn a_closed_path_with_friction_takes_energy() {
    for (friction, least) in [(0.1, 1e-4), (0.5, 1e-4), (2.0, -1e-6)] {
        let mut stage = Stage::new(shapes::icosphere(0.05, 3).unwrap(), BALL_M, true, friction);
        let out = 0.05 + stage.out_m;
        let there = circle(out, 260, |_| -0.003);
        let back = circle(out, 260, |_| -0.004);
        let mut corners = vec![there[0] * 1.1];
        let turns = if friction > 1.0 { 15 } else { 259 };
        for _ in 0..3 {
            corners.extend_from_slice(&there[..=turns]);
            corners.extend(back[..=turns].iter().rev());
        }
        corners.push(there[0]);
        let ticks = stage.along(&corners, 1e-5);
        let laps: Vec<usize> = (0..ticks.len())
            .filter(|k| ticks[*k].0 == there[0])
            .collect();
        // The first lap slides to where the next ones begin.
        let taken = -work(&ticks[laps[1]..*laps.last().unwrap()]);
        assert!(taken > least, "mu {friction}: {taken} J");
    }
}

#[test]
fn a_hand_at_rest_stays_where_friction_holds_it() {
    let mut stage = Stage::new(shapes::icosphere(0.05, 3).unwrap(), BALL_M, true, 0.5);
    let out = 0.05 + stage.out_m;
    let path = circle(out, 300, |k| if k < 20 { 0.0005 } else { -0.004 });
    let ticks = stage.along(&path, 1e-3);
    let (at, before) = *ticks.last().unwrap();
    for _ in 0..2000 {
        stage.tick(&at);
    }
    let after = stage.tick(&at);
    let crept = after.spring.far_end.translation.vector - before.spring.far_end.translation.vector;
    assert!(crept.norm() < 1e-6, "{} m", crept.norm());
    assert!(
        after.wrench.force_n.cross(&at.normalize()).norm() > 0.5,
        "it sticks"
    );
}

#[test]
fn ticks_allocate_nothing() {
    let mut stage = Stage::new(
        shapes::torus(0.05, 0.015, 64, 24).unwrap(),
        BALL_M,
        true,
        0.3,
    );
    let mut felt = 0;
    for k in 0..600 {
        let angle = 1e-2 * f64::from(k);
        let ring = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let out = ring * (3.0 * angle).cos() + Vec3::z() * (3.0 * angle).sin();
        let at = ring * 0.05 + out * (0.018 - if k < 20 { 0.0 } else { 0.003 });
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(Pose::translation(at.x, at.y, at.z));
        let input = TickInput {
            period_s: 1e-3,
            devices,
            anchor: 0,
        };
        let free = stage.answer.take().and_then(|a| stage.engine.receive(a));
        let engine = &mut stage.engine;
        let (_, allocations) = counted(|| {
            engine.tick(&input);
        });
        assert_eq!(allocations, 0, "tick {k}");
        let mut answer = free.unwrap_or_else(|| Box::new(Snapshot::new(2048)));
        if stage.world.answer(&stage.engine.query(), 0, &mut answer) {
            stage.answer = Some(answer);
        }
        let outcome = &stage.engine.output().arms[0];
        felt += usize::from(outcome.spring.far_end != outcome.proxy);
    }
    assert!(felt > 300, "{felt}");
}

/// A quarter turn over a cylinder's rim at this angle around it, from its side to its end. The hand
/// is this deep under the surface that lies a ball's radius and the safe distance outside.
fn over_the_rim(out_m: f64, deep_m: f64, angle: f64) -> Vec<Vec3> {
    let around = Vec3::new(angle.cos(), angle.sin(), 0.0);
    let r = out_m - deep_m;
    let rim = around * 0.03 + Vec3::z() * 0.02;
    let turn = (0..=90).map(|k| {
        let turn = f64::from(k).to_radians();
        rim + (around * turn.cos() + Vec3::z() * turn.sin()) * r
    });
    let mut corners = vec![rim + around * r - Vec3::z() * 0.01];
    corners.extend(turn);
    corners.push(rim - around * 0.01 + Vec3::z() * r);
    corners
}

#[test]
fn a_rim_is_felt_as_round_as_the_tool() {
    for (ball_m, deep_m) in [(0.003, 0.001), (0.003, 0.002), (0.005, 0.004)] {
        let mut wrong = [0.0_f64; 2];
        for angle in [0.0, 0.013, 0.03, 0.05] {
            for (wrong, shaded) in wrong.iter_mut().zip([false, true]) {
                let mesh = shapes::cylinder(0.03, 0.02, 48).unwrap();
                let mut stage = Stage::new(mesh, ball_m, shaded, 0.0);
                let out_m = stage.out_m;
                let mut path = over_the_rim(out_m, deep_m, angle);
                path.insert(0, path[0] * 1.15);
                for (at, outcome) in &stage.along(&path, 2e-5)[500..] {
                    // From the nearest point of the body.
                    let r = at.xy().norm();
                    let inside = at.xy() * (r.min(0.03) / r);
                    let off = at - Vec3::new(inside.x, inside.y, at.z.min(0.02));
                    let truth = off.normalize() * (STIFFNESS * (out_m - off.norm()));
                    *wrong = wrong.max((outcome.wrench.force_n - truth).norm());
                }
            }
        }
        assert!(wrong[0] > 0.03, "plain: {} N", wrong[0]);
        assert!(
            wrong[1] < 0.01,
            "ball of {ball_m} m, {deep_m} m deep: {} N",
            wrong[1]
        );
    }
}

/// Over the rim where a facet is widest, along it, and back where two meet.
#[test]
fn a_closed_path_over_a_rim_gives_nothing() {
    let mesh = shapes::cylinder(0.03, 0.02, 48).unwrap();
    let mut stage = Stage::new(mesh, BALL_M, true, 0.0);
    let there = over_the_rim(stage.out_m, 0.002, 0.0);
    let mut back = over_the_rim(stage.out_m, 0.001, std::f64::consts::PI / 48.0);
    back.reverse();
    let mut corners = vec![there[0] * 1.15];
    for _ in 0..3 {
        corners.extend_from_slice(&there);
        corners.extend_from_slice(&back);
    }
    corners.push(there[0]);
    let ticks = stage.along(&corners, 5e-6);
    let laps: Vec<usize> = (0..ticks.len())
        .filter(|k| ticks[*k].0 == there[0])
        .collect();
    let given = work(&ticks[laps[0]..*laps.last().unwrap()]);
    // A thousandth of the 1.6 mJ stored, three times.
    assert!(given.abs() < 4.8e-6, "{given} J");
}

/// Largest change of force in a tick beyond the change of the spring with the hand's motion, N.
fn step_n(ticks: &[(Vec3, ArmOutcome)]) -> f64 {
    let steps = ticks.windows(2).map(|w| {
        let change = (w[1].1.wrench.force_n - w[0].1.wrench.force_n).norm();
        change - STIFFNESS * (w[1].0 - w[0].0).norm()
    });
    steps.fold(0.0, f64::max)
}

/// From the end of a cylinder over its rim to its side, and back: friction continues to hold.
#[test]
fn friction_holds_over_a_rim_both_ways() {
    for friction in [0.1, 0.3, 0.6] {
        let mesh = shapes::cylinder(0.03, 0.02, 48).unwrap();
        let mut stage = Stage::new(mesh, BALL_M, true, friction);
        let there = over_the_rim(stage.out_m, 0.002, 0.02);
        let mut corners = there.clone();
        corners.reverse();
        corners.insert(0, corners[0] + Vec3::z() * 0.004);
        corners.extend(there);
        let ticks = stage.along(&corners, 2e-5);
        let held = ticks.iter().any(|(at, outcome)| {
            let lateral = outcome.wrench.force_n.z.abs();
            at.z < 0.015 && lateral > 0.5 * friction
        });
        assert!(held, "friction {friction} is felt on the side");
        let step_n = step_n(&ticks);
        assert!(step_n < 0.04, "friction {friction}: {step_n} N in a tick");
    }
}

/// A sphere with some triangles fine enough for smoothing and others too coarse is rendered as its
/// mesh.
#[test]
fn a_body_is_smooth_as_a_whole_or_not_at_all() {
    for radius_m in [0.05, 0.053, 0.056, 0.06, 0.065, 0.068, 0.08] {
        let mesh = shapes::icosphere(radius_m, 3).unwrap();
        let mut stage = Stage::new(mesh, BALL_M, true, 0.0);
        let out_m = stage.out_m;
        let path = circle(radius_m, 600, |k| {
            if k == 0 { out_m + 0.001 } else { out_m - 0.002 }
        });
        let step_n = step_n(&stage.along(&path, 1e-5));
        // The proxy passes an edge of the mesh in a few ticks.
        assert!(step_n < 0.01, "{radius_m} m: {step_n} N in a tick");
    }
}

/// Where a tool does not fit into a valley, the mesh is rendered. Where it does, the valley is
/// smooth up to the walls.
#[test]
fn a_valley_is_felt_without_steps_whether_it_is_wide_or_narrow() {
    for (radius_m, is_smooth) in [
        (0.014, true),
        (0.008, false),
        (0.0045, false),
        (0.002, false),
    ] {
        let mesh = shapes::trough(radius_m, 0.016, 0.02).unwrap();
        let mut stage = Stage::new(mesh, 0.005, true, 0.0);
        // Rest position of the tool: at the bottom, or between the walls.
        let between_m = (stage.out_m - radius_m).max(0.0) * (1.0 / 0.6_f64.cos() - 1.0);
        let rest_m = stage.out_m + between_m;
        for deep_m in [0.0005, 0.003] {
            let at = |x: f64, y: f64, z: f64| Vec3::new(x, y, rest_m + z);
            let path = [
                at(-0.003, 0.0, 0.004),
                at(-0.003, 0.0, -deep_m),
                at(0.003, 0.003, -deep_m),
            ];
            let ticks = stage.along(&path, 2e-6);
            let steepest = ticks[3..]
                .windows(2)
                .map(|w| {
                    let change = (w[1].1.wrench.force_n - w[0].1.wrench.force_n).norm();
                    change / (w[1].0 - w[0].0).norm()
                })
                .fold(0.0, f64::max);
            assert!(
                steepest < 1.5 * STIFFNESS,
                "radius {radius_m}, {deep_m} deep: {steepest} N/m"
            );
            let outcome = ticks.last().unwrap().1;
            let moved = outcome.spring.far_end != outcome.proxy;
            assert_eq!(moved, is_smooth, "radius {radius_m}");
        }
    }
}
