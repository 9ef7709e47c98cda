//! Requirements on every detector, whatever it runs on. Each function is a test; the tests of a
//! detector call all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_rays::layout::Contact;
use hapticd_rays::{Detector, Full, Progress, RayScene, Settings, Shape, Topology, Tracer};

use super::settle;

/// Constructor of the detector under test.
pub type Make<'a> = &'a dyn Fn(Settings) -> Box<dyn Detector>;

const CLOTH: Topology = Topology::Sheet {
    half_thickness_m: 0.001,
};

fn settings() -> Settings {
    Settings {
        prediction_m: 0.01,
        displacement_m: 0.005,
        ..Settings::for_edges(0.01)
    }
}

fn volume(mesh: &TriMesh) -> Arc<Shape> {
    Arc::new(Shape::new(mesh, Topology::Volume, 32).unwrap())
}

fn ball(level: u32) -> Arc<Shape> {
    volume(&shapes::icosphere(0.05, level).unwrap())
}

fn slab() -> Arc<Shape> {
    volume(&shapes::cuboid(&Vec3::new(1.0, 1.0, 0.1)).unwrap())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::translation(x, y, z)
}

/// Runs one step and waits for its answer.
fn step(detector: &mut dyn Detector, scene: &mut RayScene) {
    detector.submit(scene).unwrap();
    settle(detector);
}

/// A ball sinks into a slab: in every step exactly the points below its upper side are contacts,
/// with the depth of their height.
pub fn a_ruler_agrees(make: Make<'_>) {
    for full in [Full::Tree, Full::Basic] {
        let ball = ball(3);
        let mut scene = RayScene::new();
        let height = |step: u32| 0.1507 - 0.001 * f64::from(step);
        let a = scene
            .add_rigid(ball.clone(), &at(0.013, 0.007, height(0)), false)
            .unwrap();
        let b = scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
        let mut detector = make(Settings { full, ..settings() });
        let (mut contacts, mut near, mut walks) = (0, 0, 0);
        for k in 0..12 {
            scene.begin_step();
            scene.set_pose(a, &at(0.013, 0.007, height(k))).unwrap();
            step(&mut *detector, &mut scene);
            let below = |z: f32| f64::from(z) + height(k) < 0.1;
            let points = (0..).zip(ball.points());
            let expected: Vec<u32> = points.filter(|(_, p)| below(p.z)).map(|(p, _)| p).collect();
            let mut found: Vec<u32> = detector.contacts().iter().map(|c| c.point).collect();
            found.sort_unstable();
            assert_eq!(found, expected, "{full:?}, step {k}");
            for c in detector.contacts().iter().chain(detector.near()) {
                assert_eq!((c.source, c.target), (a, b));
                assert!((c.n[2] - 1.0).abs() < 1e-6, "{c:?}");
                assert!((c.depth - (0.1 - c.x[2])).abs() < 1e-6, "{c:?}");
            }
            assert!(detector.near().iter().all(|c| c.depth <= 0.0));
            let report = detector.report();
            assert_eq!(report.collisions, found.len());
            assert_eq!(report.predictions, detector.near().len());
            contacts += found.len();
            near += detector.near().len();
            walks += report.walks;
        }
        assert!(
            contacts > 150 && near > 150 && walks > 100,
            "{contacts} {near} {walks}"
        );
    }
}

/// Contacts and predictions by objects, point, side and kind.
fn by_name(detector: &dyn Detector) -> Named {
    let name = |c: &Contact, near| ((c.source, c.point, c.target, c.t >= 0.0, near), *c);
    let contacts = detector.contacts().iter().map(|c| name(c, false));
    contacts
        .chain(detector.near().iter().map(|c| name(c, true)))
        .collect()
}

/// Returns the number of contacts, and how many differ in class, triangle, length, place or normal
/// beyond rounding.
fn compare(ours: &dyn Detector, twins: &dyn Detector) -> (usize, usize) {
    let (a, b) = (by_name(ours), by_name(twins));
    (b.len(), differ(&a, &b))
}

/// Source, point, target, whether ahead, whether a prediction.
type Name = (u32, u32, u32, bool, bool);
type Named = BTreeMap<Name, Contact>;

/// Number of differences between two answers.
fn differ(a: &Named, b: &Named) -> usize {
    let near = |x: f32, y: f32| (x - y).abs() <= 2e-6;
    let same = |x: &Contact, y: &Contact| {
        let vectors = (0..3).all(|k| near(x.x[k], y.x[k]) && (x.n[k] - y.n[k]).abs() < 1e-4);
        x.triangle == y.triangle && vectors && near(x.depth, y.depth) && near(x.t, y.t)
    };
    let odd = a
        .iter()
        .filter(|(k, x)| !b.get(k).is_some_and(|y| same(x, y)));
    let missing = b.keys().filter(|k| !a.contains_key(k)).count();
    odd.count() + missing
}

/// Takes a detector and a twin through the same steps. The twin agrees with itself to the bit,
/// other detectors except for one in `one_in`.
fn side_by_side(
    make: Make<'_>,
    settings: Settings,
    scene: &mut RayScene,
    steps: u32,
    one_in: usize,
    mut each: impl FnMut(u32, &mut RayScene),
) -> (usize, u64) {
    let mut detector = make(settings);
    let mut twin = Tracer::new(settings);
    let (mut all, mut odd, mut inverted) = (0, 0, 0);
    for k in 0..steps {
        if k > 0 {
            scene.begin_step();
        }
        each(k, scene);
        twin.step(scene);
        step(&mut *detector, scene);
        assert_eq!(detector.progress().short, 0);
        let counts = compare(&*detector, &twin);
        all += counts.0;
        odd += counts.1;
        let (ours, theirs) = (detector.report(), twin.report());
        inverted += ours.inversions;
        assert_eq!(
            (ours.pairs, ours.rigid_low, ours.rigid_high),
            (theirs.pairs, theirs.rigid_low, theirs.rigid_high)
        );
        assert_eq!(
            (ours.cluster_pairs, ours.cluster_pairs_high),
            (theirs.cluster_pairs, theirs.cluster_pairs_high)
        );
        let rays = |a: usize, b: usize| a.abs_diff(b) * 100 <= b + 100;
        assert!(
            rays(ours.tree, theirs.tree)
                && rays(ours.basic, theirs.basic)
                && rays(ours.walks, theirs.walks),
            "step {k}: {ours:?}, the twin has {theirs:?}"
        );
        assert!(
            ours.inversions.abs_diff(theirs.inversions) * 20 <= theirs.inversions + 20,
            "step {k}: {} inversions, the twin has {}",
            ours.inversions,
            theirs.inversions
        );
    }
    if detector.name() == Detector::name(&twin) {
        assert_eq!(odd, 0);
    }
    assert!(odd * one_in <= all, "{odd} of {all} differ");
    (all, inverted)
}

/// A stirred heap of bodies, with walks and full traces as the displacements decide.
pub fn a_heap_of_bodies(make: Make<'_>) {
    let shapes = [
        volume(&shapes::icosphere(0.03, 3).unwrap()),
        volume(&shapes::torus(0.04, 0.015, 40, 18).unwrap()),
        volume(&shapes::block_with_hole(&Vec3::new(0.05, 0.04, 0.02), 0.015).unwrap()),
    ];
    let way = |k: u32| {
        let k = f64::from(k);
        Vec3::new((1.7 * k).sin(), (2.9 * k).cos(), k.sin())
    };
    let mut scene = RayScene::new();
    let poses: Vec<Pose> = (0..9)
        .map(|k| {
            let cell = Vec3::new(f64::from(k % 3), f64::from(k / 3), 0.0) * 0.05;
            let turn = Quat::from_scaled_axis(way(k + 20) * 2.0);
            Pose::from_parts((cell + way(k + 9) * 0.008).into(), turn)
        })
        .collect();
    for (k, pose) in poses.iter().enumerate() {
        scene
            .add_rigid(shapes[k % 3].clone(), pose, k == 4)
            .unwrap();
    }
    let (all, _) = side_by_side(make, settings(), &mut scene, 30, 300, |step, scene| {
        for (k, pose) in (0..).zip(&poses) {
            let s = f64::from(step);
            let turn = Quat::from_scaled_axis(way(k) * 4e-3 * s);
            let by = Pose::from_parts((way(k) * 2e-4 * s).into(), turn);
            scene.set_pose(k, &(by * pose)).unwrap();
        }
    });
    assert!(all > 10_000, "{all}");
}

/// A cloth that waves over a ball, and another that sinks through it: contacts on both sides,
/// self-contact, inversions.
pub fn cloths_and_a_ball(make: Make<'_>) {
    let mesh = shapes::sheet(0.1, 24).unwrap();
    let cloth = Arc::new(Shape::new(&mesh, CLOTH, 32).unwrap());
    let ball = volume(&shapes::icosphere(0.04, 3).unwrap());
    let mut scene = RayScene::new();
    scene
        .add_rigid(ball, &at(0.003, 0.007, -0.036), false)
        .unwrap();
    for _ in 0..2 {
        scene.add_deformable(cloth.clone());
    }
    let wave = |step: u32, lift: f64| -> Vec<Vec3> {
        let s = f64::from(step) * 0.13;
        let bend = |p: &Vec3| 0.004 * (40.0 * p.x + s).sin() + 0.003 * (31.0 * p.y - s).cos();
        let at = |p: &Vec3| Vec3::new(p.x, p.y, lift + bend(p));
        mesh.positions().iter().map(at).collect()
    };
    let (all, inverted) = side_by_side(make, settings(), &mut scene, 40, 50, |step, scene| {
        let lift = 0.012 - 0.0004 * f64::from(step);
        scene.set_points(1, &wave(step, 0.0)).unwrap();
        scene.set_points(2, &wave(3 * step, lift)).unwrap();
    });
    assert!(all > 10_000 && inverted > 100, "{all}, {inverted} inverted");
}

/// Lines of a sheet that pass an edge of a box within rounding: such a point is outside, and no
/// deeper than the thickness of the sheet. A point inside exits on the shorter side.
pub fn a_sheet_beside_an_edge_is_outside(make: Make<'_>) {
    let cloth = shapes::sheet(0.003, 2).unwrap();
    let cloth = Arc::new(Shape::new(&cloth, CLOTH, 32).unwrap());
    for full in [Full::Tree, Full::Basic] {
        let mut scene = RayScene::new();
        let half = 0.1;
        let block = volume(&shapes::cuboid(&Vec3::repeat(half)).unwrap());
        scene.add_rigid(block, &Pose::identity(), true).unwrap();
        let sheet = scene
            .add_rigid(cloth.clone(), &at(0.0, 0.0, 1.0), false)
            .unwrap();
        // Every step is an independent search.
        let mut detector = make(Settings {
            full,
            iterative: false,
            ..settings()
        });
        let mut seed = 7_u64;
        let mut random = |size: f64| {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            size * ((seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0)
        };
        let mut found = 0;
        for trial in 0..400 {
            // Down past the edge of the upper side, at 45 degrees, seen from either side of the
            // sheet.
            let way = Vec3::new(1.0, 0.0, -1.0).normalize();
            let across = Vec3::new(1.0, 0.0, 1.0).normalize();
            let edge = Vec3::new(half, random(0.05), half);
            // Near enough to be searched at all.
            let from = 0.008 + random(0.003);
            let place = edge - way * from + across * random(3e-6);
            let turn = if trial % 2 == 0 { 0.75 } else { -0.25 } * std::f64::consts::PI;
            let turn = Quat::from_axis_angle(&Vec3::y_axis(), turn);
            scene.begin_step();
            let pose = Pose::from_parts(place.into(), turn);
            scene.set_pose(sheet, &pose).unwrap();
            step(&mut *detector, &mut scene);
            for c in detector.contacts() {
                assert!(
                    c.source != sheet || c.depth <= 0.002,
                    "{full:?}, {trial}: {c:?}"
                );
            }
            // Wholly inside: every point exits on the shorter side.
            let low = place - across * 0.06 - Vec3::new(0.0, 0.0, 0.05);
            let pose = Pose::from_parts(low.into(), turn);
            scene.begin_step();
            scene.set_pose(sheet, &pose).unwrap();
            step(&mut *detector, &mut scene);
            let deep =
                (detector.contacts().iter()).filter(|c| c.source == sheet && c.depth > 0.002);
            let deep = deep.count();
            assert_eq!(deep, 9, "{full:?}, {trial}");
            found += deep;
        }
        assert_eq!(found, 400 * 9);
    }
}

/// A soft ball that is squeezed between a block and a cloth.
pub fn a_soft_ball(make: Make<'_>) {
    let mesh = shapes::sheet(0.1, 24).unwrap();
    let ball = shapes::icosphere(0.04, 3).unwrap();
    let mut scene = RayScene::new();
    let block = volume(&shapes::cuboid(&Vec3::new(0.06, 0.05, 0.02)).unwrap());
    scene
        .add_rigid(block, &at(0.003, 0.007, -0.05), false)
        .unwrap();
    scene.add_deformable(volume(&ball));
    scene.add_deformable(Arc::new(Shape::new(&mesh, CLOTH, 32).unwrap()));
    let soft = |step: u32| -> Vec<Vec3> {
        let s = 1.0 + 0.2 * (f64::from(step) * 0.3).sin();
        let at = |p: &Vec3| Vec3::new(p.x * s + 0.5 * p.y, p.y / s, p.z * s);
        ball.positions().iter().map(at).collect()
    };
    let wave = |step: u32| -> Vec<Vec3> {
        let s = f64::from(step) * 0.13;
        let at = |p: &Vec3| Vec3::new(p.x, p.y, 0.034 + 0.004 * (40.0 * p.x + s).sin());
        mesh.positions().iter().map(at).collect()
    };
    let (all, _) = side_by_side(make, settings(), &mut scene, 30, 50, |step, scene| {
        scene.set_points(1, &soft(step)).unwrap();
        scene.set_points(2, &wave(step)).unwrap();
    });
    assert!(all > 3_000, "{all}");
}

/// A ball that rests in a slab.
fn resting(make: Make<'_>) -> (Box<dyn Detector>, RayScene) {
    let mut scene = RayScene::new();
    scene
        .add_rigid(ball(3), &at(0.013, 0.007, 0.14), false)
        .unwrap();
    scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
    (make(settings()), scene)
}

/// Steps are counted, an answer is new once, and the held answer stays until the next; after
/// `forget`, everything is traced in full again.
pub fn steps_are_counted(make: Make<'_>) {
    let (mut detector, mut scene) = resting(make);
    assert_eq!(detector.progress(), Progress::default());
    assert!(detector.contacts().is_empty() && detector.near().is_empty());
    assert!(!detector.poll().unwrap());
    for k in 1..=3 {
        scene.begin_step();
        detector.submit(&mut scene).unwrap();
        assert_eq!(detector.progress().newest, k);
        let mut told = 0;
        while told == 0 {
            told += u32::from(detector.poll().unwrap());
        }
        settle(&mut *detector);
        assert!(!detector.poll().unwrap());
        let Progress {
            newest, answered, ..
        } = detector.progress();
        assert_eq!((newest, answered, detector.progress().age()), (k, k, 0));
        let report = detector.report();
        assert_eq!((report.tree > 0, report.walks > 0), (k == 1, k > 1));
    }
    let held = detector.contacts().to_vec();
    assert!(held.len() > 20);
    detector.forget();
    assert_eq!(detector.contacts(), held);
    scene.begin_step();
    step(&mut *detector, &mut scene);
    let report = detector.report();
    assert!(report.tree > 0 && report.walks == 0, "{report:?}");
    assert_eq!(detector.contacts(), held);
}

/// Objects may be added between steps, and a scene may be empty.
pub fn objects_come_later(make: Make<'_>) {
    let mut detector = make(settings());
    let mut scene = RayScene::new();
    step(&mut *detector, &mut scene);
    assert!(detector.contacts().is_empty());
    scene.add_rigid(slab(), &Pose::identity(), true).unwrap();
    scene.begin_step();
    step(&mut *detector, &mut scene);
    assert!(detector.contacts().is_empty() && detector.report().pairs == 0);
    let mut before = 0;
    for k in 0..4 {
        let place = at(0.12 * f64::from(k) - 0.2, 0.007, 0.14);
        let added = scene.add_rigid(ball(2), &place, false).unwrap();
        for _ in 0..2 {
            scene.begin_step();
            step(&mut *detector, &mut scene);
        }
        let of = |id: u32| {
            detector
                .contacts()
                .iter()
                .filter(|c| c.source == id)
                .count()
        };
        assert!(of(added) > 5 && detector.contacts().len() > before);
        before = detector.contacts().len();
    }
    let mesh = shapes::sheet(0.05, 8).unwrap();
    let sheet = scene.add_deformable(Arc::new(Shape::new(&mesh, CLOTH, 16).unwrap()));
    let lifted = |p: &Vec3| p + Vec3::new(0.0, 0.3, 0.1005);
    let points: Vec<Vec3> = mesh.positions().iter().map(lifted).collect();
    scene.begin_step();
    scene.set_points(sheet, &points).unwrap();
    step(&mut *detector, &mut scene);
    let of = |id: u32| {
        detector
            .contacts()
            .iter()
            .filter(|c| c.source == id)
            .count()
    };
    assert_eq!(of(sheet), points.len());
}

/// A new scene with the present objects of another; with the number of each object in the other.
fn rebuilt(scene: &RayScene) -> (RayScene, Vec<u32>) {
    let (mut again, mut numbers) = (RayScene::new(), Vec::new());
    for id in (0..scene.len() as u32).filter(|id| scene.identity(*id).is_some()) {
        let shape = scene.shape(id).clone();
        if let Some((pose, _)) = scene.poses(id) {
            again.add_rigid(shape, pose, false).unwrap();
        } else {
            let added = again.add_deformable(shape);
            let (points, _) = scene.points(id).unwrap();
            let points: Vec<Vec3> = points.iter().map(|p| p.cast()).collect();
            again.set_points(added, &points).unwrap();
        }
        numbers.push(id);
    }
    (again, numbers)
}

/// Pseudo-random numbers from -1 to 1, or below a limit.
struct Draw(u64);

impl Draw {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn part(&mut self, size: f64) -> f64 {
        size * (self.below(2001) as f64 / 1000.0 - 1.0)
    }

    fn vector(&mut self, size: [f64; 3]) -> Vec3 {
        let [x, y, z] = size.map(|s| self.part(s));
        Vec3::new(x, y, z)
    }
}

/// Objects are removed and others added in their places, while all move. In every step the contacts
/// equal those of a scene rebuilt with the same objects at the same positions, where everything is
/// traced in full. With walks, they equal those of a scene from which nothing is ever removed: an
/// object to be removed is put far away instead, and all added objects have new numbers.
pub fn objects_come_and_go(make: Make<'_>) {
    let mesh = shapes::sheet(0.1, 16).unwrap();
    let cloth = Arc::new(Shape::new(&mesh, CLOTH, 32).unwrap());
    let rigid = [
        ball(2),
        volume(&shapes::torus(0.04, 0.015, 30, 14).unwrap()),
        volume(&shapes::cuboid(&Vec3::new(0.05, 0.04, 0.02)).unwrap()),
        cloth.clone(),
    ];
    let bent = |from: &Vec3, k: u32| -> Vec<Vec3> {
        let up = |p: &Vec3| Vec3::z() * 0.004 * (40.0 * p.x + 0.1 * f64::from(k)).sin();
        mesh.positions().iter().map(|p| from + p + up(p)).collect()
    };
    for iterative in [false, true] {
        let settings = Settings {
            iterative,
            // A sheet's inversions are stored, and a rebuilt scene has none.
            inversions: iterative,
            ..settings()
        };
        let mut detector = make(settings);
        let (mut scene, mut all_ever) = (RayScene::new(), RayScene::new());
        let mut reference = Tracer::new(settings);
        let mut draw = Draw(7);
        // By number: position of each object, its displacement per step, and its number in the
        // scene without removals.
        let mut there: BTreeMap<u32, (Vec3, Vec3, u32)> = BTreeMap::new();
        let (mut all, mut odd, mut most, mut reused, mut inverted) = (0, 0, 0, 0, 0);
        for k in 0..60_u32 {
            scene.begin_step();
            all_ever.begin_step();
            for _ in 0..draw.below(3) {
                let gone = draw.below(14) as u32;
                let Some((_, _, parked)) = there.remove(&gone) else {
                    assert!(scene.remove(gone).is_err());
                    continue;
                };
                scene.remove(gone).unwrap();
                let away = 5.0 * f64::from(parked) + 50.0;
                if all_ever.poses(parked).is_some() {
                    all_ever.set_pose(parked, &at(away, 0.0, 0.0)).unwrap();
                } else {
                    let points = bent(&Vec3::new(away, 0.0, 0.0), 0);
                    all_ever.set_points(parked, &points).unwrap();
                }
            }
            for _ in 0..draw.below(4).min(10 - there.len() as u64) {
                let from = draw.vector([0.08, 0.08, 0.05]);
                let way = draw.vector([4e-4; 3]);
                let shape = draw.below(5) as usize;
                let add = |scene: &mut RayScene| match rigid.get(shape) {
                    None => scene.add_deformable(cloth.clone()),
                    Some(shape) => {
                        let pose = at(from.x, from.y, from.z);
                        scene.add_rigid(shape.clone(), &pose, false).unwrap()
                    }
                };
                let next = scene.next();
                reused += usize::from((next as usize) < scene.len());
                assert_eq!(add(&mut scene), next);
                there.insert(next, (from, way, add(&mut all_ever)));
            }
            for (id, (from, way, ever)) in &mut there {
                *from += *way;
                for (scene, id) in [(&mut scene, *id), (&mut all_ever, *ever)] {
                    if scene.poses(id).is_some() {
                        let turn = Quat::from_scaled_axis(*way * 20.0 * f64::from(k));
                        let pose = Pose::from_parts((*from).into(), turn);
                        scene.set_pose(id, &pose).unwrap();
                    } else {
                        scene.set_points(id, &bent(from, k)).unwrap();
                    }
                }
            }
            most = most.max(there.len());
            assert!(scene.len() <= most + 4, "{} {most}", scene.len());
            step(&mut *detector, &mut scene);
            assert_eq!(detector.progress().short, 0);
            let numbers: BTreeMap<u32, u32>;
            if iterative {
                reference.step(&mut all_ever);
                numbers = there.iter().map(|(id, (.., ever))| (*ever, *id)).collect();
            } else {
                let (mut again, order) = rebuilt(&scene);
                reference = Tracer::new(settings);
                reference.step(&mut again);
                numbers = (0..).zip(order).collect();
            }
            inverted += reference.report().inversions;
            let renamed = |((source, point, target, ahead, near), c): (Name, Contact)| {
                let [source, target] = [source, target].map(|id| numbers[&id]);
                ((source, point, target, ahead, near), c)
            };
            let theirs: Named = by_name(&reference).into_iter().map(renamed).collect();
            all += theirs.len();
            odd += differ(&by_name(&*detector), &theirs);
        }
        assert!(reused > 10 && most == 10, "{reused} {most}");
        assert!(inverted > 100 || !iterative, "{inverted}");
        // Ties between two objects are decided by their numbers, which differ there.
        let one_in = if iterative { 50 } else { 300 };
        if !iterative && detector.name() == Detector::name(&reference) {
            assert_eq!(odd, 0);
        }
        assert!(all > 10_000 && odd * one_in <= all, "{odd} of {all} differ");
    }
}

/// The stored inversions of a sheet outlast the removal and addition of other objects. An object
/// added in the place of one of the two does not inherit them.
pub fn what_stays_is_remembered(make: Make<'_>) {
    let sheet = |cells| {
        let mesh = shapes::sheet(0.1, cells).unwrap();
        Arc::new(Shape::new(&mesh, CLOTH, 32).unwrap())
    };
    let mut scene = RayScene::new();
    let put = |scene: &mut RayScene, shape, z| {
        let added = scene.add_rigid(shape, &at(0.001, 0.002, z), false);
        added.unwrap()
    };
    let before = put(&mut scene, ball(2), 1.0);
    let lower = put(&mut scene, sheet(16), 0.0);
    let between = put(&mut scene, ball(1), 2.0);
    let upper = put(&mut scene, sheet(15), 0.0025);
    let mut detector = make(settings());
    step(&mut *detector, &mut scene);
    assert_eq!(detector.report().inversions, 0);
    scene.begin_step();
    scene.set_pose(upper, &at(0.001, 0.002, -0.003)).unwrap();
    step(&mut *detector, &mut scene);
    let inverted = detector.report().inversions;
    assert!(inverted > 100, "{inverted}");
    // Others are removed and added, and records move.
    for k in 0..6 {
        match k {
            0 => scene.remove(before).unwrap(),
            2 => assert_eq!(put(&mut scene, ball(3), 1.0), before),
            3 => scene.remove(between).unwrap(),
            _ => {}
        }
        scene.begin_step();
        step(&mut *detector, &mut scene);
        assert_eq!(detector.report().inversions, inverted, "{k}");
    }
    // The lower sheet is removed, and a coarser one added in its place: nothing went through that
    // one.
    scene.remove(lower).unwrap();
    for _ in 0..2 {
        scene.begin_step();
        step(&mut *detector, &mut scene);
        assert!(detector.contacts().is_empty() && detector.near().is_empty());
    }
    assert_eq!(put(&mut scene, sheet(4), 0.0), lower);
    scene.begin_step();
    step(&mut *detector, &mut scene);
    assert!(detector.near().len() > 100, "{}", detector.near().len());
    assert_eq!(detector.report().inversions, 0);
}

/// New settings apply from the next step on.
pub fn settings_change(make: Make<'_>) {
    let (mut detector, mut scene) = resting(make);
    step(&mut *detector, &mut scene);
    let contacts = detector.contacts().len();
    assert!(!detector.near().is_empty());
    let blind = Settings {
        prediction_m: 0.0,
        ..settings()
    };
    detector.set_settings(blind).unwrap();
    assert_eq!(*detector.settings(), blind);
    scene.begin_step();
    detector.forget();
    step(&mut *detector, &mut scene);
    assert_eq!(
        (detector.contacts().len(), detector.near().len()),
        (contacts, 0)
    );
}

/// After recovery it is like new, and finds the same contacts.
pub fn recovered_it_is_as_new(make: Make<'_>) {
    let (mut detector, mut scene) = resting(make);
    for _ in 0..3 {
        scene.begin_step();
        step(&mut *detector, &mut scene);
    }
    let before = detector.contacts().to_vec();
    // A step in flight is no longer answered.
    detector.submit(&mut scene).unwrap();
    detector.recover().unwrap();
    assert_eq!(detector.progress(), Progress::default());
    assert!(detector.contacts().is_empty() && detector.near().is_empty());
    assert!(!detector.poll().unwrap());
    scene.begin_step();
    step(&mut *detector, &mut scene);
    assert_eq!(detector.contacts(), before);
    assert_eq!(detector.progress().answered, 1);
    assert!(detector.report().tree > 0 && detector.report().walks == 0);
}
