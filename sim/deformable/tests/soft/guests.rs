//! Bodies added while the scene runs: soft bodies meet them like those that were there from the
//! start, and forget them when they are removed.

use hapticd_deformable::{DeformableScene, DeformableSpec, Pinned};
use hapticd_geometry::{Pose, Quat, Vec3, refined, shapes};
use hapticd_proxy::{BodyKey, BodyPose, Query};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};

use super::{PERIOD_S, feel, settings, sheet, slab};

const TICKS: u64 = 4;

/// A box of 30 mm, with points 6 mm apart.
fn block(kind: BodyKind, at: &Vec3) -> BodySpec {
    let mesh = shapes::cuboid(&Vec3::repeat(0.015)).unwrap();
    BodySpec {
        name: "block".into(),
        kind,
        shape: Shape::of(refined(&mesh, 0.006).unwrap()).0,
        solid: true,
        world_from_body: place(at),
        material: feel(0.5),
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

fn place(at: &Vec3) -> Pose {
    Pose::translation(at.x, at.y, at.z)
}

fn key(slot: u8, generation: u32) -> BodyKey {
    BodyKey { slot, generation }
}

/// A soft scene, and the loop's poses of rigid bodies.
struct Stage {
    soft: DeformableScene,
    query: Query,
}

impl Stage {
    fn new(specs: &[DeformableSpec]) -> Stage {
        let world = Scene::new(1e-5, 64);
        Stage {
            soft: DeformableScene::new(settings(), specs, &[], &world).unwrap(),
            query: Query::default(),
        }
    }

    fn put(&mut self, key: BodyKey, world_from_body: Pose) {
        self.query.bodies[0] = BodyPose {
            key,
            world_from_body,
        };
        self.query.body_count = 1;
    }

    fn steps(&mut self, count: u64) {
        for _ in 0..count {
            self.query.tick += TICKS;
            assert!(self.soft.step(&self.query));
        }
        assert_eq!(self.soft.refused(), 0);
    }

    /// Moves a body from one position to another at 0.1 m/s.
    fn carry(&mut self, key: BodyKey, from: &Vec3, to: &Vec3) {
        let way = to - from;
        let count = (way.norm() / (0.1 * TICKS as f64 * PERIOD_S)).ceil();
        for k in 1..=count as u32 {
            self.put(key, place(&(from + way * (f64::from(k) / count))));
            self.steps(1);
        }
    }

    fn points(&self) -> Vec<Vec3> {
        self.soft.surfaces().next().unwrap().1.to_vec()
    }

    fn lowest(&self) -> f64 {
        let heights = self.points().into_iter().map(|p| p.z);
        heights.fold(f64::INFINITY, f64::min)
    }

    /// Largest speed of a point between two steps, m/s.
    fn fastest(&mut self) -> f64 {
        let before = self.points();
        self.steps(1);
        let ways = self.points().into_iter().zip(before);
        let longest = ways.map(|(a, b)| (a - b).norm()).fold(0.0, f64::max);
        longest / (TICKS as f64 * PERIOD_S)
    }
}

/// A box that is added above a sheet in a frame is pressed into it and dents it. When it is
/// removed, the sheet springs back.
#[test]
fn a_box_that_comes_presses_and_lets_go() {
    for kind in [BodyKind::Kinematic, BodyKind::Dynamic] {
        let mut stage = Stage::new(&[sheet()]);
        stage.steps(50);
        let sag = stage.lowest();
        let (above, below) = (Vec3::new(0.0, 0.0, 0.03), Vec3::new(0.0, 0.0, -0.005));
        let key = key(3, 7);
        stage.soft.add_body(key, &block(kind, &above)).unwrap();
        assert_eq!(stage.soft.rigid_bodies(), 1);
        stage.put(key, place(&above));
        stage.steps(5);
        stage.carry(key, &above, &below);
        stage.steps(50);
        // Its lower side is at -20 mm, and the sheet is 1 mm below.
        let dent = stage.lowest();
        assert!((-0.0235..-0.0205).contains(&dent), "{dent}");
        assert!(stage.soft.report().contacts > 20);
        assert!(stage.soft.remove_body(key) && !stage.soft.remove_body(key));
        stage.steps(1);
        assert_eq!(
            (stage.soft.report().contacts, stage.soft.rigid_bodies()),
            (0, 0)
        );
        stage.steps(500);
        assert!(
            (stage.lowest() - sag).abs() < 2e-3,
            "{} {sag}",
            stage.lowest()
        );
    }
}

/// A sheet that falls on an added table lies on it until the table is removed, and then falls
/// freely.
#[test]
fn a_sheet_on_a_table_falls_when_the_table_goes() {
    let mut loose = sheet();
    loose.pinned = Pinned::None;
    let mut stage = Stage::new(&[loose]);
    let key = key(0, 1);
    let below = Vec3::new(0.0, 0.0, -0.02);
    let mut table = block(BodyKind::Static, &below);
    let wide = shapes::cuboid(&Vec3::new(0.045, 0.045, 0.015)).unwrap();
    table.shape = Shape::of(refined(&wide, 0.01).unwrap()).0;
    stage.soft.add_body(key, &table).unwrap();
    stage.steps(400);
    // The lowest point above the middle of the table; and the centre of mass.
    let middle = |stage: &Stage| {
        let points = stage.points().into_iter();
        let near = points.filter(|p| p.xy().amax() < 0.015).map(|p| p.z);
        near.fold(f64::INFINITY, f64::min)
    };
    let mass = |stage: &Stage| {
        let points = stage.points();
        points.iter().map(|p| p.z).sum::<f64>() / points.len() as f64
    };
    let rest = middle(&stage);
    assert!((rest + 0.004).abs() < 5e-4, "it lies on the table: {rest}");
    let before = mass(&stage);
    stage.soft.remove_body(key);
    stage.steps(25);
    let (t, fallen) = (25.0 * TICKS as f64 * PERIOD_S, before - mass(&stage));
    // Half of g t²; the air takes some, and the hanging part of the sheet was at rest a step
    // before.
    assert!(
        (0.9..1.05).contains(&(fallen / (0.5 * 9.81 * t * t))),
        "{fallen}"
    );
    // The table is added again, and holds the sheet further down.
    let lower = Vec3::new(0.0, 0.0, -0.5);
    table.world_from_body = place(&lower);
    stage.soft.add_body(key, &table).unwrap();
    stage.steps(500);
    assert!((middle(&stage) + 0.484).abs() < 1e-3, "{}", middle(&stage));
}

/// A body placed in a soft body, deep inside or half way, has no effect, to the bit, until it has
/// been outside; then it presses.
#[test]
fn what_comes_inside_is_a_ghost() {
    for (half, at) in [(0.004, -0.009), (0.015, 0.0)] {
        let mut spec = block(BodyKind::Kinematic, &Vec3::new(0.001, 0.002, at));
        let mesh = shapes::cuboid(&Vec3::repeat(half)).unwrap();
        spec.shape = Shape::of(mesh).0;
        let [mut with, mut without] = [0; 2].map(|_| Stage::new(&[slab(20e3)]));
        let key = key(1, 1);
        for stage in [&mut with, &mut without] {
            stage.steps(20);
        }
        with.soft.add_body(key, &spec).unwrap();
        for k in 0..60 {
            with.steps(1);
            without.steps(1);
            assert_eq!(with.points(), without.points(), "{half}: step {k}");
        }
        let [inside, above, pressed] = [at, 0.03, half - 0.004].map(|z| Vec3::new(0.001, 0.002, z));
        with.carry(key, &inside, &above);
        with.steps(20);
        with.carry(key, &above, &pressed);
        with.steps(50);
        let highest_below = |stage: &Stage| {
            let points = stage.points().into_iter();
            let near = points.filter(|p| (p.x - 0.001).abs() < half && (p.y - 0.002).abs() < half);
            near.map(|p| p.z).fold(f64::NEG_INFINITY, f64::max)
        };
        let (dented, flat) = (highest_below(&with), highest_below(&without));
        assert!(flat > -0.001 && dented < -0.003, "{half}: {dented} {flat}");
    }
}

/// A soft body within an added box is not held by it either.
#[test]
fn what_comes_around_is_a_ghost() {
    let mut loose = slab(60e3);
    loose.mesh = super::moved(&shapes::icosphere(0.005, 2).unwrap(), &Vec3::zeros());
    loose.pinned = Pinned::None;
    let [mut with, mut without] = [0; 2].map(|_| Stage::new(std::slice::from_ref(&loose)));
    let around = block(BodyKind::Static, &Vec3::zeros());
    with.soft.add_body(key(0, 1), &around).unwrap();
    for k in 0..40 {
        with.steps(1);
        without.steps(1);
        assert_eq!(with.points(), without.points(), "step {k}");
    }
    assert!(with.lowest() < -0.1, "{}", with.lowest());
}

/// A body that jumps, because nothing stepped for a while, catches up at no more than 20 m/s and
/// does not fling what it meets.
#[test]
fn a_body_that_jumps_flings_nothing() {
    let mut stage = Stage::new(&[sheet()]);
    let key = key(2, 1);
    let above = Vec3::new(0.0, 0.0, 0.018);
    stage
        .soft
        .add_body(key, &block(BodyKind::Kinematic, &above))
        .unwrap();
    stage.put(key, place(&above));
    stage.steps(30);
    // Half a metre beyond the sheet, and turned over, within a step.
    let turn = Quat::from_axis_angle(&Vec3::y_axis(), std::f64::consts::PI);
    stage.put(
        key,
        Pose::from_parts(Vec3::new(0.0, 0.0, -0.5).into(), turn),
    );
    let mut fastest: f64 = 0.0;
    for _ in 0..200 {
        fastest = fastest.max(stage.fastest());
    }
    assert!(fastest < 25.0, "{fastest}");
    // It is through, and the sheet is at rest in its frame.
    assert!(
        stage.lowest() > -0.05 && stage.fastest() < 0.5,
        "{}",
        stage.lowest()
    );
    assert!(
        stage
            .points()
            .iter()
            .all(|p| p.iter().all(|x| x.is_finite()))
    );
}

/// Bodies of several shapes are added and removed a thousand times: numbers and places are reused,
/// and every run is the same.
#[test]
fn a_thousand_come_and_go() {
    let run = || {
        let mut stage = Stage::new(&[sheet()]);
        let kinds = [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic];
        let mut ball = block(BodyKind::Static, &Vec3::zeros());
        ball.shape = Shape::of(shapes::icosphere(0.012, 2).unwrap()).0;
        let mut sheet = block(BodyKind::Static, &Vec3::zeros());
        sheet.solid = false;
        sheet.shape = Shape::of(shapes::sheet(0.02, 5).unwrap()).0;
        let specs = [block(BodyKind::Static, &Vec3::zeros()), ball, sheet];
        let (mut most, mut contacts) = (0, 0);
        for k in 0..1000_u32 {
            let slot = (k % 7) as u8;
            let mut spec = specs[(k % 3) as usize].clone();
            spec.kind = kinds[(k / 5 % 3) as usize];
            let part = |n: u32| 0.03 * (f64::from(k * n % 101) / 50.0 - 1.0);
            spec.world_from_body = place(&Vec3::new(part(7), part(31), -0.012 + 0.2 * part(13)));
            if k >= 7 {
                assert!(stage.soft.remove_body(key(slot, k / 7)));
            }
            stage.soft.add_body(key(slot, 1 + k / 7), &spec).unwrap();
            if k % 3 > 0 {
                stage.steps(1);
                contacts += stage.soft.report().contacts;
            }
            let world = stage.soft.world();
            most = most.max(world.scene().len());
            assert!(world.dynamics().bodies() <= 7 && stage.soft.rigid_bodies() <= 7);
        }
        // The sheet and seven bodies, and those removed within two steps.
        assert!(most <= 14 && contacts > 100, "{most} {contacts}");
        stage.points()
    };
    let points = run();
    assert!(
        points.iter().all(|p| p.norm() < 0.2),
        "nothing is flung away"
    );
    assert_eq!(points, run());
}

/// A body that rays cannot handle is refused with its name; existing bodies stay.
#[test]
fn what_cannot_be_met_is_refused() {
    let mut stage = Stage::new(&[sheet()]);
    let mut fine = block(BodyKind::Static, &Vec3::zeros());
    // As a sheet of a millimetre its triangles are too small.
    fine.solid = false;
    fine.shape = Shape::of(shapes::icosphere(0.002, 3).unwrap()).0;
    let error = stage.soft.add_body(key(0, 1), &fine).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("`block`: half a thickness of"),
        "{error}"
    );
    let mut far = block(BodyKind::Static, &Vec3::new(2000.0, 0.0, 0.0));
    let error = stage.soft.add_body(key(0, 1), &far).unwrap_err();
    assert!(
        error.to_string().contains("not a pose within 1000 m"),
        "{error}"
    );
    far.world_from_body = place(&Vec3::new(0.0, 0.0, 1.0));
    stage.soft.add_body(key(0, 1), &far).unwrap();
    // Larger than the capacity.
    let mut large = far.clone();
    large.shape = Shape::of(shapes::icosphere(0.1, 6).unwrap()).0;
    let mut met = 0;
    let error = loop {
        match stage.soft.add_body(key(9, met), &large) {
            Ok(()) => met += 1,
            Err(error) => break error.to_string(),
        }
    };
    assert!(
        error.contains("40962 points") && error.contains("exceed 2097152"),
        "{error}"
    );
    assert!(met > 40, "{met}");
    assert_eq!(stage.soft.rigid_bodies(), 1 + met as usize);
    stage.steps(2);
    assert!(stage.soft.remove_body(key(9, 0)));
    stage.soft.add_body(key(9, 1000), &large).unwrap();
}
