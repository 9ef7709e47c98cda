//! Whole steps: which points send rays, by which algorithm, and how hits are classified. Covers
//! every rule of Lehericey 2016 that a scene can show.

use std::sync::Arc;

use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_rays::displacement::Measure;
use hapticd_rays::layout::{Class, Contact, INVERTED};
use hapticd_rays::{Full, RayScene, SceneError, Settings, Shape, ShapeError, Topology, Tracer};

const CLOTH: Topology = Topology::Sheet {
    half_thickness_m: 0.001,
};

fn ball(radius: f64, level: u32) -> Arc<Shape> {
    let mesh = shapes::icosphere(radius, level).unwrap();
    Arc::new(Shape::new(&mesh, Topology::Volume, 32).unwrap())
}

fn slab() -> Arc<Shape> {
    let mesh = shapes::cuboid(&Vec3::new(1.0, 1.0, 0.1)).unwrap();
    Arc::new(Shape::new(&mesh, Topology::Volume, 0).unwrap())
}

fn sheet_mesh(cells: u32) -> TriMesh {
    shapes::sheet(0.1, cells).unwrap()
}

fn sheet(cells: u32) -> Arc<Shape> {
    Arc::new(Shape::new(&sheet_mesh(cells), CLOTH, 32).unwrap())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(x, y, z)
}

fn settings() -> Settings {
    Settings {
        prediction_m: 0.01,
        displacement_m: 0.005,
        ..Settings::for_edges(0.01)
    }
}

/// Points of an object that are in contact, sorted.
fn touching(tracer: &Tracer, object: u32) -> Vec<u32> {
    let of = tracer.contacts().iter().filter(|c| c.source == object);
    let mut points: Vec<u32> = of.map(|c| c.point).collect();
    points.sort_unstable();
    points
}

/// A ball pressed into a slab: every point below its upper side is a contact and no other, with its
/// height as depth.
#[test]
fn a_ball_in_a_slab() {
    for full in [Full::Tree, Full::Basic] {
        let ball = ball(0.05, 3);
        let mut scene = RayScene::new();
        let a = scene
            .add_rigid(ball.clone(), &at(0.013, 0.007, 0.14), false)
            .unwrap();
        let b = scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
        let mut tracer = Tracer::new(Settings { full, ..settings() });
        tracer.step(&mut scene);
        let below: Vec<u32> = (0..ball.points().len() as u32)
            .filter(|&p| ball.points()[p as usize].z + 0.14 < 0.1)
            .collect();
        assert_eq!(touching(&tracer, a), below);
        assert!(below.len() > 20);
        for c in tracer.contacts().iter().filter(|c| c.source == a) {
            assert_eq!(c.target, b);
            assert!((c.n[2] - 1.0).abs() < 1e-6);
            assert!((c.depth - (0.1 - c.x[2])).abs() < 1e-6, "{c:?}");
        }
        // The slab's corners are far away, and its sides send no rays: only vertices do.
        assert!(touching(&tracer, b).is_empty());
    }
}

/// Digest item 7: a point whose inner ray leaves its own object before the other one has not
/// penetrated.
#[test]
fn a_plate_thinner_than_its_way_out_is_no_contact() {
    let plate = shapes::cuboid(&Vec3::new(0.05, 0.05, 0.002)).unwrap();
    let plate = Arc::new(Shape::new(&plate, Topology::Volume, 0).unwrap());
    let mut scene = RayScene::new();
    // Deep in the slab: the rays leave the plate after millimetres, the slab after centimetres.
    let a = scene.add_rigid(plate, &at(0.0, 0.0, 0.0), false).unwrap();
    scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
    let mut tracer = Tracer::new(settings());
    tracer.step(&mut scene);
    assert!(touching(&tracer, a).is_empty());
    assert!(tracer.report().tree > 0);
}

/// Digest items 10 and 11: predictions reach their length and no further, even where the boxes do
/// not meet.
#[test]
fn predictions_reach_as_far_as_they_are_asked_to() {
    for (gap, predicted) in [(0.0095, true), (0.0105, false)] {
        let mut scene = RayScene::new();
        let ball = ball(0.05, 3);
        let lowest = (0..ball.points().len())
            .min_by(|&a, &b| ball.points()[a].z.total_cmp(&ball.points()[b].z))
            .unwrap();
        let low = f64::from(ball.points()[lowest].z);
        let a = scene
            .add_rigid(ball, &at(0.0, 0.0, 0.1 + gap - low), false)
            .unwrap();
        scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
        let mut tracer = Tracer::new(settings());
        tracer.step(&mut scene);
        assert!(tracer.contacts().is_empty());
        let [record, _] = tracer.records(&scene, a, lowest as u32);
        assert_eq!(record.class() == Class::Prediction, predicted, "{gap}");
        if predicted {
            assert!((f64::from(record.t) + gap).abs() < 1e-4, "{record:?}");
        }
    }
}

/// Digest items 15, 18, 19: a new pair is traced in full, a slow one walked, one beyond the
/// threshold traced in full again, and the classes change with the sign of `t` alone.
#[test]
fn rigid_pairs_walk_until_they_have_moved_by_the_threshold() {
    let mut scene = RayScene::new();
    let a = scene
        .add_rigid(ball(0.05, 3), &at(0.0, 0.0, 0.156), false)
        .unwrap();
    scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
    let mut tracer = Tracer::new(settings());
    let mut full = Tracer::new(Settings {
        iterative: false,
        ..settings()
    });
    let (mut fulls, mut first_touch) = (Vec::new(), None);
    for step in 0..14 {
        scene.begin_step();
        // A millimetre a step: threshold 5 mm.
        scene
            .set_pose(a, &at(0.0, 0.0, 0.156 - 0.001 * f64::from(step)))
            .unwrap();
        tracer.step(&mut scene);
        if tracer.report().rigid_high == 1 {
            assert_eq!(tracer.report().walks, 0);
            fulls.push(step);
        } else {
            assert_eq!((tracer.report().rigid_low, tracer.report().tree), (1, 0));
        }
        full.step(&mut scene);
        assert_eq!(touching(&tracer, a), touching(&full, a), "step {step}");
        if !tracer.contacts().is_empty() {
            first_touch.get_or_insert(step);
        }
    }
    // f32 decides whether exactly 5 mm are more than 5 mm; 6 mm are.
    let apart = fulls
        .windows(2)
        .all(|pair| (5..=6).contains(&(pair[1] - pair[0])));
    assert!(fulls.len() == 3 && fulls[0] == 0 && apart, "{fulls:?}");
    // The first contact came by a walk.
    let touch = first_touch.unwrap();
    assert!(!fulls.contains(&touch), "{touch}");
    // Away and back: the pair is new.
    for (z, high) in [(0.5, 0), (0.145, 1)] {
        scene.begin_step();
        scene.set_pose(a, &at(0.0, 0.0, z)).unwrap();
        tracer.step(&mut scene);
        assert_eq!(
            (tracer.report().rigid_high, tracer.report().rigid_low),
            (high, 0)
        );
    }
}

/// A pair that swings to and fro within the threshold is never traced in full again.
#[test]
fn net_displacement_counts_not_the_way() {
    let mut scene = RayScene::new();
    let a = scene
        .add_rigid(ball(0.05, 2), &at(0.0, 0.0, 0.145), false)
        .unwrap();
    scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
    let mut tracer = Tracer::new(settings());
    tracer.step(&mut scene);
    for step in 0..40 {
        scene.begin_step();
        let x = 0.004 * f64::from(step % 2);
        scene.set_pose(a, &at(x, 0.0, 0.145)).unwrap();
        tracer.step(&mut scene);
        assert_eq!(tracer.report().rigid_high, 0);
    }
}

/// Digest item 16 and the note of 4.3: a tracked point that has left by the entry side is not a
/// contact.
#[test]
fn a_walk_beyond_the_exit_is_no_contact() {
    let small = ball(0.01, 2);
    let mut scene = RayScene::new();
    let a = scene
        .add_rigid(small.clone(), &at(0.0, 0.0, 0.095), false)
        .unwrap();
    scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
    let mut tracer = Tracer::new(Settings {
        displacement_m: 1.0,
        ..settings()
    });
    tracer.step(&mut scene);
    assert!(!tracer.contacts().is_empty());
    // Down through the slab, walking all the time: deeper than the thickness of the ball, the rays
    // end in the ball itself.
    for step in 0..60 {
        scene.begin_step();
        scene
            .set_pose(a, &at(0.0, 0.0, 0.095 - 0.001 * f64::from(step)))
            .unwrap();
        tracer.step(&mut scene);
        for c in tracer.contacts() {
            assert!(c.t < small.exits()[c.point as usize]);
        }
    }
    assert_eq!(tracer.report().tree, 0);
    assert!(tracer.contacts().is_empty());
}

/// Digest item 13 on whole objects, and what predictions are for (6.12): two balls slide over each
/// other.
#[test]
fn predictions_keep_what_walks_alone_lose() {
    let missed = |prediction_m: f32| {
        let settings = Settings {
            prediction_m,
            displacement_m: 0.011,
            ..settings()
        };
        let mut scene = RayScene::new();
        let a = scene
            .add_rigid(ball(0.1, 2), &at(0.0, 0.0, 0.197), false)
            .unwrap();
        let b = scene
            .add_rigid(ball(0.1, 3), &Pose::identity(), false)
            .unwrap();
        let mut tracer = Tracer::new(settings);
        let mut full = Tracer::new(Settings {
            iterative: false,
            ..settings
        });
        let (mut missed, mut all) = (0, 0);
        for step in 0..11 {
            let s = f64::from(step) * 0.001;
            scene.begin_step();
            scene
                .set_pose(a, &at(0.7 * s, 0.0, 0.197 - 0.7 * s))
                .unwrap();
            tracer.step(&mut scene);
            full.step(&mut scene);
            assert_eq!(tracer.report().rigid_high, u32::from(step == 0) as usize);
            for object in [a, b] {
                let (walked, truth) = (touching(&tracer, object), touching(&full, object));
                missed += truth.iter().filter(|p| !walked.contains(p)).count();
                all += truth.len();
                assert!(walked.iter().all(|p| truth.contains(p)), "false contacts");
            }
        }
        (missed, all)
    };
    let (without, all) = missed(0.0);
    assert!(10 * without > all, "{without} of {all}");
    assert_eq!(missed(0.02).0, 0);
}

/// A sleeping prediction is a contact in the same step as if it had been walked all the time: balls
/// and tori that rotate next to each other.
#[test]
fn a_sleeper_wakes_in_time() {
    let torus = shapes::torus(0.04, 0.015, 40, 18).unwrap();
    let torus = Arc::new(Shape::new(&torus, Topology::Volume, 32).unwrap());
    let shapes = [ball(0.03, 3), torus];
    let mut scene = RayScene::new();
    let place = |k: u32, step: u32| {
        let (k, s) = (f64::from(k), f64::from(step));
        let cell = Vec3::new((k % 3.0).floor(), (k / 3.0).floor(), 0.0) * 0.078;
        let way = Vec3::new((1.7 * k).sin(), (2.9 * k).cos(), k.sin());
        let swing = way * 4e-3 * (0.05 * s + k).sin();
        Pose::from_parts(
            (cell + swing).into(),
            Quat::from_scaled_axis(way * 0.01 * s),
        )
    };
    for k in 0..9 {
        scene
            .add_rigid(shapes[k as usize % 2].clone(), &place(k, 0), k == 4)
            .unwrap();
    }
    let variants = [f32::INFINITY, 0.0, 0.002].map(|awake_m| Settings {
        awake_m,
        ..settings()
    });
    let mut tracers = variants.map(Tracer::new);
    let mut full = Tracer::new(Settings {
        iterative: false,
        ..settings()
    });
    let name = |c: &Contact| (c.source, c.point, c.target);
    let contacts =
        |tracer: &Tracer| -> Vec<(u32, u32, u32)> { tracer.contacts().iter().map(name).collect() };
    let (mut all, mut late, mut asleep) = (0, 0, 0);
    let (mut invented, mut walks) = ([0; 2], [0; 3]);
    for step in 0..120 {
        scene.begin_step();
        for k in 0..9 {
            scene.set_pose(k, &place(k, step)).unwrap();
        }
        full.step(&mut scene);
        for (walks, tracer) in walks.iter_mut().zip(&mut tracers) {
            tracer.step(&mut scene);
            *walks += tracer.report().walks;
        }
        let [awake, sleepy, ahead] = tracers.each_ref().map(contacts);
        let truth = contacts(&full);
        // No more contacts are missed than without sleep.
        let lost = |found: &[(u32, u32, u32)]| truth.iter().filter(|c| !found.contains(c)).count();
        assert!(
            lost(&sleepy) <= lost(&awake) && lost(&ahead) <= lost(&awake),
            "{step}"
        );
        all += truth.len();
        let right = awake.iter().filter(|c| truth.contains(c));
        late += right.filter(|c| !sleepy.contains(c)).count();
        for (invented, found) in invented.iter_mut().zip([&awake, &sleepy]) {
            *invented += found.iter().filter(|c| !truth.contains(c)).count();
        }
        asleep += tracers[1].report().asleep;
    }
    assert_eq!(late, 0);
    assert!(invented[1] <= invented[0], "{invented:?}");
    assert!(all > 20_000 && asleep > 30_000, "{all} {asleep}");
    assert!(3 * walks[1] < 2 * walks[0], "{walks:?}");
    assert!(walks[1] < walks[2] && walks[2] < walks[0], "{walks:?}");
}

/// A ball sinks onto a slab: exactly the predictions nearer than the requested distance are
/// returned, by their height; the others sleep.
#[test]
fn near_predictions_do_not_sleep() {
    const AHEAD: f32 = 0.004;
    let mut scene = RayScene::new();
    let a = scene
        .add_rigid(ball(0.05, 3), &at(0.0, 0.0, 0.156), false)
        .unwrap();
    scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
    let mut awake = Tracer::new(settings());
    let mut tracer = Tracer::new(Settings {
        awake_m: AHEAD,
        ..settings()
    });
    let (mut given, mut slept) = (0, 0);
    for step in 0..40 {
        scene.begin_step();
        let down = at(0.0, 0.0, 0.156 - 0.0003 * f64::from(step));
        scene.set_pose(a, &down).unwrap();
        awake.step(&mut scene);
        tracer.step(&mut scene);
        assert_eq!(touching(&tracer, a), touching(&awake, a), "{step}");
        let near: Vec<_> = tracer.near().iter().map(|c| (c.source, c.point)).collect();
        for c in awake.near() {
            let asked_for = near.contains(&(c.source, c.point));
            // Rounding may be a twentieth of a millimetre where the slab is a metre.
            if -c.depth < AHEAD || -c.depth > AHEAD + 1e-4 {
                assert_eq!(asked_for, -c.depth < AHEAD, "{step}: {c:?}");
            }
        }
        given += near.len();
        slept += tracer.report().asleep;
        assert_eq!(near.len() + tracer.report().asleep, awake.near().len());
    }
    assert!(given > 500 && slept > 500, "{given} {slept}");
}

/// Both directions (digest item 30): a corner of the slab in the side of a ball is the slab's
/// contact alone.
#[test]
fn both_directions_are_tested() {
    let cube = shapes::cuboid(&Vec3::repeat(0.02)).unwrap();
    let cube = Arc::new(Shape::new(&cube, Topology::Volume, 0).unwrap());
    let mut scene = RayScene::new();
    let a = scene
        .add_rigid(ball(0.1, 1), &Pose::identity(), true)
        .unwrap();
    // Balanced on its corner, which reaches a centimetre into a face of the coarse ball.
    let up = Quat::rotation_between(&Vec3::repeat(-1.0), &-Vec3::z()).unwrap();
    let centre = shapes::icosphere(0.1, 1).unwrap();
    let [p, q, r] = centre.triangle(0);
    let face = (p + q + r) / 3.0;
    let out = face.normalize();
    let turn = Quat::rotation_between(&Vec3::z(), &out).unwrap();
    let pose = Pose::from_parts(
        (face + out * (0.02 * 3.0_f64.sqrt() - 0.01)).into(),
        turn * up,
    );
    let b = scene.add_rigid(cube, &pose, false).unwrap();
    let mut tracer = Tracer::new(settings());
    tracer.step(&mut scene);
    assert!(touching(&tracer, a).is_empty());
    assert_eq!(touching(&tracer, b).len(), 1);
    let c = tracer.contacts()[0];
    assert!((f64::from(c.depth) - 0.01).abs() < 1e-4, "{c:?}");
}

fn raised(mesh: &TriMesh, z: impl Fn(&Vec3) -> f64) -> Vec<Vec3> {
    let up = |p: &Vec3| Vec3::new(p.x, p.y, z(p));
    mesh.positions().iter().map(up).collect()
}

/// Digest items 33 and 35: a sheet above a slab, within it, below its middle.
#[test]
fn a_sheet_on_a_slab() {
    let mesh = sheet_mesh(8);
    for (z, class, depth) in [
        (0.1009, Some(Class::Collision), 0.0001),
        (0.1011, Some(Class::Prediction), 0.0),
        (0.111, None, 0.0),
        (0.098, Some(Class::Collision), 0.003),
    ] {
        let mut scene = RayScene::new();
        let a = scene.add_deformable(sheet(8));
        scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
        scene.set_points(a, &raised(&mesh, |_| z)).unwrap();
        let mut tracer = Tracer::new(settings());
        tracer.step(&mut scene);
        for p in 0..mesh.positions().len() as u32 {
            let found = tracer.records(&scene, a, p).map(|r| r.class());
            let some: Vec<Class> = found.into_iter().filter(|c| *c != Class::Nothing).collect();
            assert_eq!(some, class.into_iter().collect::<Vec<_>>(), "{z} point {p}");
        }
        for c in tracer.contacts() {
            assert!((f64::from(c.depth) - depth).abs() < 1e-6, "{c:?}");
            assert!(c.n[2] > 0.9999);
        }
    }
}

/// Two sheets one over the other; `a` is the upper.
struct Layers {
    scene: RayScene,
    mesh: TriMesh,
    a: u32,
    b: u32,
}

impl Layers {
    fn new() -> Layers {
        let mut scene = RayScene::new();
        let (a, b) = (
            scene.add_deformable(sheet(8)),
            scene.add_deformable(sheet(8)),
        );
        let mesh = sheet_mesh(8);
        scene.set_points(a, &raised(&mesh, |_| 0.005)).unwrap();
        Layers { scene, mesh, a, b }
    }

    /// Puts the upper sheet at this height, shifted so that points do not lie on edges.
    fn put(&mut self, z: f64) {
        self.scene.begin_step();
        let points = raised(&self.mesh, |_| z);
        let shifted: Vec<Vec3> = (points.iter())
            .map(|p| p + Vec3::new(0.003, 0.001, 0.0))
            .collect();
        self.scene.set_points(self.a, &shifted).unwrap();
        self.scene
            .set_points(self.b, self.mesh.positions())
            .unwrap();
    }

    /// Checks that all contacts push the sheets apart, the upper one up, by this depth.
    fn check(&self, tracer: &Tracer, depth: f32) {
        assert!(tracer.contacts().len() > 100, "{}", tracer.contacts().len());
        for c in tracer.contacts() {
            let up = if c.source == self.a { 1.0 } else { -1.0 };
            assert!(
                c.n[2] * up > 0.9999 && (c.depth - depth).abs() < 1e-6,
                "{c:?}"
            );
        }
    }
}

#[test]
fn sheets_on_sheets() {
    let mut layers = Layers::new();
    layers.scene.begin_step();
    let mut tracer = Tracer::new(settings());
    tracer.step(&mut layers.scene);
    assert!(tracer.contacts().is_empty());
    assert!(tracer.report().predictions > 100);
    layers.put(0.0015);
    tracer.step(&mut layers.scene);
    layers.check(&tracer, 0.0005);
}

/// Digest item 36: one sheet goes through the other in one step. It is pushed back, although by its
/// distance it is only near, until it is back.
#[test]
fn a_sheet_that_went_through_is_pushed_back() {
    for inversions in [true, false] {
        let mut layers = Layers::new();
        layers.put(0.0025);
        let mut tracer = Tracer::new(Settings {
            inversions,
            ..settings()
        });
        tracer.step(&mut layers.scene);
        assert!(tracer.contacts().is_empty());
        for _ in 0..3 {
            layers.put(-0.003);
            tracer.step(&mut layers.scene);
            if !inversions {
                assert!(tracer.contacts().is_empty());
                continue;
            }
            layers.check(&tracer, 0.005);
            let c = tracer.contacts()[0];
            let records = tracer.records(&layers.scene, c.source, c.point);
            assert!(records.iter().any(|r| r.bits & INVERTED != 0));
        }
        if inversions {
            layers.put(0.003);
            tracer.step(&mut layers.scene);
            assert!(tracer.contacts().is_empty(), "{:?}", tracer.report());
            assert_eq!(tracer.report().inversions, 0);
        }
    }
}

/// A ball that has gone into a sheet is pushed back to the side that it came from, for either side
/// (digest 4.12, volume to sheet).
#[test]
fn a_ball_through_a_sheet() {
    for side in [1.0, -1.0] {
        let ball = ball(0.02, 3);
        let mut scene = RayScene::new();
        // Its lowest third is beyond.
        let pose = at(0.001, 0.002, 0.012 * side);
        let a = scene.add_rigid(ball.clone(), &pose, false).unwrap();
        scene.add_deformable(sheet(10));
        let mut tracer = Tracer::new(settings());
        tracer.step(&mut scene);
        let mut beyond = 0;
        for c in tracer.contacts().iter().filter(|c| c.source == a) {
            let height = ball.points()[c.point as usize].z + 0.012 * side as f32;
            assert!(c.n[2] * side as f32 > 0.9999, "{c:?}");
            // The ball's point has to go up past the sheet, by its own depth and the half
            // thickness.
            let depth = 0.001 - height * side as f32;
            assert!((c.depth - depth).abs() < 1e-6, "{c:?}");
            beyond += u32::from(c.depth > 0.001);
        }
        let all =
            (ball.points().iter()).filter(|p| (p.z + 0.012 * side as f32) * (side as f32) < 0.0);
        assert_eq!(beyond as usize, all.count());
        assert!(beyond > 50);
    }
}

/// Digest item 37: a flat sheet does not touch itself; folded to within its thickness it does.
#[test]
fn a_sheet_touches_itself_only_where_it_is_folded() {
    let mesh = sheet_mesh(20);
    let mut scene = RayScene::new();
    let a = scene.add_deformable(sheet(20));
    let mut tracer = Tracer::new(settings());
    for _ in 0..10 {
        scene.begin_step();
        scene.set_points(a, mesh.positions()).unwrap();
        tracer.step(&mut scene);
        assert!(tracer.contacts().is_empty());
        assert_eq!(tracer.report().pairs, 1);
    }
    // A hairpin: the right half lies over the left one, the fold is round.
    let fold = |gap: f64| -> Vec<Vec3> {
        let r = gap / 2.0;
        let over = |p: &Vec3| {
            let arc = std::f64::consts::PI * r;
            if p.x < 0.0 {
                *p
            } else if p.x < arc {
                let angle = p.x / r;
                Vec3::new(r * angle.sin(), p.y, r - r * angle.cos())
            } else {
                Vec3::new(arc - p.x, p.y, gap)
            }
        };
        mesh.positions().iter().map(over).collect()
    };
    for (gap, touches) in [(0.012, false), (0.0018, true)] {
        tracer.forget();
        scene.set_points(a, &fold(gap)).unwrap();
        scene.begin_step();
        tracer.step(&mut scene);
        let flat = |c: &&Contact| c.x[0] < -0.02;
        let contacts = tracer.contacts().iter().filter(flat).count();
        assert_eq!(contacts > 100, touches, "{gap} {contacts}");
        assert_eq!(contacts == 0, !touches, "{gap} {contacts}");
        for c in tracer.contacts().iter().filter(flat) {
            let up = if c.x[2] > 0.0005 { 1.0 } else { -1.0 };
            assert!(
                c.n[2] * up > 0.99 && (c.depth - 0.0002).abs() < 2e-5,
                "{c:?}"
            );
        }
    }
}

/// Digest item 24: two sheets that lie on each other and travel together need no full trace by the
/// relative measures, but do by the absolute one. Item 23 is in `displacement`.
#[test]
fn travelling_together_is_no_displacement() {
    for (measure, full) in [
        (Measure::Mean, false),
        (Measure::MeanDeviation, false),
        (Measure::Max, false),
        (Measure::Absolute, true),
    ] {
        let mesh = sheet_mesh(20);
        let mut scene = RayScene::new();
        let (a, b) = (
            scene.add_deformable(sheet(20)),
            scene.add_deformable(sheet(20)),
        );
        let mut tracer = Tracer::new(Settings {
            self_collision: false,
            measure,
            ..settings()
        });
        let mut traced = 0;
        for step in 0..30 {
            scene.begin_step();
            let shift = Vec3::new(0.001, 0.0005, 0.0) * f64::from(step);
            for (object, z) in [(a, 0.0015), (b, 0.0)] {
                let points: Vec<Vec3> = (raised(&mesh, |_| z).iter()).map(|p| p + shift).collect();
                scene.set_points(object, &points).unwrap();
            }
            tracer.step(&mut scene);
            assert!(tracer.contacts().len() > 700);
            if step == 0 {
                assert!(tracer.report().basic > 700, "new pairs are traced in full");
                assert_eq!(tracer.report().walks, 0);
            } else {
                traced += tracer.report().basic;
            }
        }
        assert_eq!(traced > 0, full, "{measure:?}: {traced}");
    }
}

/// Clusters change the amount of work, not the result.
#[test]
fn clusters_find_the_same_as_whole_objects() {
    let mesh = sheet_mesh(20);
    let wave = |phase: f64| {
        raised(&mesh, |p| {
            0.004 * ((60.0 * p.x).sin() + (50.0 * p.y).cos()) + phase
        })
    };
    let mut found = Vec::new();
    for per_cluster in [0, 16, 64] {
        let shape = Arc::new(Shape::new(&mesh, CLOTH, per_cluster).unwrap());
        let mut scene = RayScene::new();
        let a = scene.add_deformable(shape.clone());
        let b = scene.add_deformable(shape);
        let ball = scene
            .add_rigid(ball(0.03, 3), &at(0.0, 0.0, 0.02), false)
            .unwrap();
        scene.set_points(a, &wave(0.001)).unwrap();
        scene.set_points(b, &wave(0.0)).unwrap();
        scene.begin_step();
        let mut tracer = Tracer::new(Settings {
            iterative: false,
            ..settings()
        });
        tracer.step(&mut scene);
        let all = [a, b, ball].map(|object| touching(&tracer, object));
        let lengths: Vec<u32> = tracer.contacts().iter().map(|c| c.t.to_bits()).collect();
        found.push((all, lengths));
    }
    assert!(found[0].1.len() > 500);
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

/// A soft ball, pressed flat: exits follow the surface, so its far side still bounds its rays.
#[test]
fn exits_of_a_deformed_volume() {
    let mesh = shapes::icosphere(0.05, 3).unwrap();
    let shape = ball(0.05, 3);
    let mut scene = RayScene::new();
    let a = scene.add_deformable(shape.clone());
    scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
    let mut tracer = Tracer::new(settings());
    let mut contacts = Vec::new();
    for flat in [1.0, 0.5, 0.25] {
        scene.begin_step();
        // Its lowest point stays 4 mm deep.
        let points: Vec<Vec3> = (mesh.positions().iter())
            .map(|p| Vec3::new(p.x, p.y, 0.096 + flat * (p.z + 0.05)))
            .collect();
        scene.set_points(a, &points).unwrap();
        tracer.step(&mut scene);
        let below: Vec<u32> = (0..points.len() as u32)
            .filter(|&p| points[p as usize].z < 0.1)
            .collect();
        assert_eq!(touching(&tracer, a), below, "{flat}");
        contacts.push(below.len());
    }
    assert!(contacts.is_sorted() && contacts[0] > 5, "{contacts:?}");
}

/// A single soft body does not touch itself, however it is rotated: the exit of its own rays is no
/// contact.
#[test]
fn a_soft_ball_does_not_touch_itself() {
    let mesh = shapes::icosphere(0.05, 3).unwrap();
    let mut scene = RayScene::new();
    let a = scene.add_deformable(ball(0.05, 3));
    let mut tracer = Tracer::new(settings());
    for step in 0..40 {
        scene.begin_step();
        let turn = Quat::from_euler_angles(0.1 * f64::from(step), 0.07 * f64::from(step), 0.0);
        let points: Vec<Vec3> = (mesh.positions().iter())
            .map(|p| turn * Vec3::new(p.x, p.y, 0.1 * p.z))
            .collect();
        scene.set_points(a, &points).unwrap();
        tracer.step(&mut scene);
        assert_eq!(tracer.report().pairs, 1);
        assert!(tracer.report().basic + tracer.report().walks > 0 || step > 0);
        assert!(
            tracer.contacts().is_empty(),
            "step {step}: {:?}",
            tracer.contacts()[0]
        );
    }
}

/// The same answers, bit for bit, from any number of threads.
#[test]
fn threads_change_nothing() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut layers = Layers::new();
            let balls: Vec<u32> = (0..20)
                .map(|k| {
                    let k = f64::from(k);
                    let pose = at(
                        0.03 * (k % 5.0) - 0.06,
                        0.03 * (k / 5.0).floor() - 0.04,
                        0.025,
                    );
                    layers.scene.add_rigid(ball(0.02, 2), &pose, false).unwrap()
                })
                .collect();
            let mut tracer = Tracer::new(settings());
            let mut all = Vec::new();
            for step in 0..8 {
                layers.put(0.004 - 0.0005 * f64::from(step));
                for (&id, k) in balls.iter().zip(0..) {
                    let k = f64::from(k);
                    let x = 0.03 * (k % 5.0) - 0.06 + 0.0007 * f64::from(step);
                    let pose = at(
                        x,
                        0.03 * (k / 5.0).floor() - 0.04,
                        0.025 - 0.0003 * f64::from(step),
                    );
                    layers.scene.set_pose(id, &pose).unwrap();
                }
                let contacts = tracer.step(&mut layers.scene);
                all.extend(
                    contacts
                        .iter()
                        .map(|c| (c.source, c.point, c.triangle, c.depth.to_bits())),
                );
            }
            all
        })
    };
    let one = run(1);
    assert!(one.len() > 1000);
    assert_eq!(one, run(2));
    assert_eq!(one, run(5));
}

#[test]
fn bad_shapes_are_refused_with_numbers() {
    let open = Shape::new(&sheet_mesh(3), Topology::Volume, 0).unwrap_err();
    assert_eq!(
        open,
        ShapeError::Open {
            boundary: 12,
            non_manifold: 0
        }
    );
    let cube = shapes::cuboid(&Vec3::repeat(0.1)).unwrap();
    let inside_out: Vec<[u32; 3]> = cube
        .triangles()
        .iter()
        .map(|&[a, b, c]| [a, c, b])
        .collect();
    let inside_out = TriMesh::new(cube.positions().to_vec(), inside_out).unwrap();
    let error = Shape::new(&inside_out, Topology::Volume, 0).unwrap_err();
    assert!(
        matches!(error, ShapeError::Orientation { misoriented: 0, volume_m3 } if volume_m3 < 0.0)
    );
    // Three pages of a book.
    let pages = vec![Vec3::zeros(), Vec3::y(), Vec3::x(), -Vec3::x(), Vec3::z()];
    let book = TriMesh::new(pages, vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]]).unwrap();
    let error = Shape::new(&book, CLOTH, 0).unwrap_err();
    assert_eq!(
        error,
        ShapeError::Branches {
            non_manifold: 1,
            misoriented: 0
        }
    );
    for half_thickness_m in [0.0, -1.0, f64::NAN, 0.1] {
        let thick = Topology::Sheet { half_thickness_m };
        let error = Shape::new(&sheet_mesh(3), thick, 0).unwrap_err();
        assert!(
            matches!(error, ShapeError::Thickness { .. }),
            "{half_thickness_m}"
        );
    }
    // A thousand kilometres away, single precision cannot tell the corners apart.
    let far = Vec3::repeat(1e6);
    let corners = vec![far, far + Vec3::x() * 1e-2, far + Vec3::y() * 1e-2];
    let there = TriMesh::new(corners, vec![[0, 1, 2]]).unwrap();
    let error = Shape::new(&there, CLOTH, 0).unwrap_err();
    assert_eq!(error, ShapeError::Degenerate { triangle: 0 });
}

#[test]
fn bad_places_are_refused_and_change_nothing() {
    let mut layers = Layers::new();
    let (a, scene) = (layers.a, &mut layers.scene);
    let ball = scene
        .add_rigid(ball(0.02, 1), &at(0.0, 0.0, 0.5), false)
        .unwrap();
    for bad in [f64::NAN, f64::INFINITY, 1e4] {
        let mut points = layers.mesh.positions().to_vec();
        points[7].y = bad;
        let error = scene.set_points(a, &points).unwrap_err();
        assert!(matches!(error, SceneError::BadPoint { object, point: 7, .. } if object == a));
        let error = scene.set_pose(ball, &at(bad, 0.0, 0.0)).unwrap_err();
        assert!(matches!(error, SceneError::BadPose { object, .. } if object == ball));
        assert!(
            scene
                .add_rigid(self::ball(0.02, 1), &at(0.0, bad, 0.0), true)
                .is_err()
        );
    }
    let error = scene.set_points(a, &[Vec3::zeros()]).unwrap_err();
    assert_eq!(
        error,
        SceneError::Count {
            object: a,
            given: 1,
            wanted: 81
        }
    );
    assert!(scene.set_points(ball, &[]).is_err());
    assert!(scene.set_pose(a, &Pose::identity()).is_err());
    assert!(scene.set_pose(99, &Pose::identity()).is_err());
    assert_eq!(scene.len(), 3);
    let mut tracer = Tracer::new(settings());
    tracer.step(scene);
    assert!(tracer.contacts().is_empty());
}

#[test]
fn an_empty_scene_has_no_contacts() {
    let mut scene = RayScene::new();
    assert!(scene.is_empty());
    assert!(Tracer::new(settings()).step(&mut scene).is_empty());
}
