//! Whole steps against the CPU twin's: the same rays, the same records, the same contacts.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

use crate::common;

use std::collections::BTreeMap;
use std::sync::Arc;

use common::gpu;
use hapticd_geometry::{Pose, Quat, Vec3, shapes};
use hapticd_rays::displacement::Measure;
use hapticd_rays::layout::{Class, Contact, DEFORMABLE, INVERTED, Normal, Object, Point, Record};
use hapticd_rays::{Full, RayScene, Settings, Shape, Topology, Tracer, V3};
use hapticd_shaders::{Chunk, Found, Narrow, NearCluster, Packed, Room, Run, Step};

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

/// A scene on both sides.
struct Twins {
    scene: RayScene,
    tracer: Tracer,
    narrow: Narrow,
    packed: Packed,
    before: Vec<Object>,
    shapes: Vec<Arc<Shape>>,
    /// Positions of all points, in the world.
    world: Vec<Vec<V3>>,
    /// True if the GPU computes the normals.
    surfaces: bool,
}

/// Boxes around all triangles of an object's clusters.
fn boxes(shape: &Shape, world: &[V3]) -> Vec<[V3; 2]> {
    let triangles = shape.clusters().triangles(shape.triangles());
    let of = |c: usize| {
        let corners = triangles.of(c).iter();
        let corners = corners.flat_map(|&t| shape.triangles()[t as usize]);
        let start = [V3::repeat(f32::INFINITY), V3::repeat(f32::NEG_INFINITY)];
        corners.fold(start, |[low, high], v| {
            let p = &world[v as usize];
            [low.inf(p), high.sup(p)]
        })
    };
    (0..shape.clusters().count()).map(of).collect()
}

fn are_near(a: &[V3; 2], b: &[V3; 2], margin: f32) -> bool {
    (0..3).all(|k| a[0][k] - margin <= b[1][k] && b[0][k] - margin <= a[1][k])
}

impl Twins {
    fn new(settings: Settings, of: &[(Arc<Shape>, Option<Pose>)]) -> Self {
        let mut scene = RayScene::new();
        let mut packed = Packed::default();
        for (shape, pose) in of {
            match pose {
                Some(pose) => scene.add_rigid(shape.clone(), pose, false).unwrap(),
                None => scene.add_deformable(shape.clone()),
            };
            let limit = settings.walk_limit(shape.mean_edge_m());
            packed.add_shape(shape, pose.as_ref(), limit).unwrap();
        }
        let mut narrow = Narrow::new(gpu()).unwrap();
        narrow.set_scene(&packed).unwrap();
        narrow.set_capacity(Room {
            rays: [1 << 16; 3],
            contacts: 1 << 13,
            near: 1 << 13,
        });
        Self {
            scene,
            tracer: Tracer::new(settings),
            narrow,
            before: packed.objects.clone(),
            packed,
            shapes: of.iter().map(|(shape, _)| shape.clone()).collect(),
            surfaces: false,
            world: of
                .iter()
                .map(|(shape, pose)| moved(shape, &pose.unwrap_or_default()))
                .collect(),
        }
    }

    fn begin(&mut self) {
        self.scene.begin_step();
        self.before = self.packed.objects.clone();
    }

    fn set_pose(&mut self, object: u32, pose: &Pose) {
        self.scene.set_pose(object, pose).unwrap();
        self.packed.set_pose(object, pose);
        self.world[object as usize] = moved(&self.shapes[object as usize], pose);
    }

    /// Nearby clusters of all pairs with a deformable, all traced in full or all walking on.
    fn runs(&self, full: bool) -> (Vec<Run>, Vec<NearCluster>) {
        let settings = self.tracer.settings();
        let deforms = |o: u32| self.packed.objects[o as usize].flags & DEFORMABLE != 0;
        let boxes: Vec<_> = (self.shapes.iter().zip(&self.world))
            .map(|(shape, world)| boxes(shape, world))
            .collect();
        let margin = settings.prediction_m.max(0.002) + settings.displacement_m;
        let (mut runs, mut near) = (Vec::new(), Vec::new());
        for &(a, b) in self.tracer.pairs() {
            if !deforms(a) && !deforms(b) {
                continue;
            }
            let both = [(a, b), (b, a)];
            for &(source, target) in &both[..if a == b { 1 } else { 2 }] {
                for (from, mine) in (0..).zip(&boxes[source as usize]) {
                    let first = near.len();
                    for (to, other) in (0..).zip(&boxes[target as usize]) {
                        if are_near(mine, other, margin) {
                            let [low, high] = other.map(Into::into);
                            near.push(NearCluster {
                                low,
                                high,
                                to,
                                full,
                            });
                        }
                    }
                    if near.len() > first {
                        let count = (near.len() - first) as u32;
                        runs.push(Run {
                            source,
                            target,
                            from,
                            first: first as u32,
                            count,
                        });
                    }
                }
            }
        }
        (runs, near)
    }

    fn place(&mut self) {
        self.narrow
            .place(&self.packed.objects, &self.before)
            .unwrap();
    }

    /// Sets a deformable's points now and before, with the twin's normals.
    fn deform(&mut self, object: u32, now: &[Vec3], before: &[Vec3]) {
        self.scene.set_points(object, now).unwrap();
        let of = &self.shapes[object as usize];
        let cast = |points: &[Vec3]| -> Vec<Point> {
            points
                .iter()
                .map(|p| Point {
                    x: p.cast::<f32>().into(),
                    cluster: 0,
                })
                .collect()
        };
        self.world[object as usize] = now.iter().map(|p| p.cast()).collect();
        let (now, before) = (cast(now), cast(before));
        let mut normals = vec![V3::zeros(); now.len()];
        for triangle in of.triangles() {
            for k in 0..3 {
                let [o, a, b] = [0, 1, 2].map(|i| V3::from(now[triangle[(k + i) % 3] as usize].x));
                let n = (a - o).cross(&(b - o));
                normals[triangle[k] as usize] +=
                    n * (n.norm().atan2((a - o).dot(&(b - o))) / n.norm());
            }
        }
        let normals: Vec<Normal> = normals
            .iter()
            .map(|n| Normal {
                n: n.normalize().into(),
                exit: f32::INFINITY,
            })
            .collect();
        let normals = if self.surfaces { Vec::new() } else { normals };
        let first = self.packed.objects[object as usize].first_point as usize;
        self.narrow.deform(first, &now, &before, &normals).unwrap();
    }

    /// Runs a step of both, with the twin's rays on the GPU.
    fn by_rays(&mut self) -> Found {
        self.tracer.step(&mut self.scene);
        let rays = self.tracer.rays();
        let settings = *self.tracer.settings();
        let step = Step {
            tree: &rays.tree,
            basic: &rays.basic,
            walk: &rays.walk,
            prediction: settings.prediction_m,
            inversions: settings.inversions,
            surfaces: self.surfaces,
            records: true,
            ..Step::default()
        };
        self.narrow.send(&step).unwrap();
        self.narrow.wait().unwrap().unwrap()
    }

    /// Runs a step of both, with pairs only on the GPU, all traced in full or all walking on.
    fn by_pairs(&mut self, full: bool) -> Found {
        self.tracer.step(&mut self.scene);
        let mut chunks = Vec::new();
        let deforms = |o: u32| self.packed.objects[o as usize].flags & DEFORMABLE != 0;
        for &(a, b) in self.tracer.pairs() {
            for (source, target) in [(a, b), (b, a)] {
                let points = self.packed.objects[source as usize].points;
                if !deforms(a) && !deforms(b) {
                    chunks.extend(Chunk::of(source, target, points, full));
                }
            }
        }
        let (runs, near) = self.runs(full);
        let settings = *self.tracer.settings();
        let step = Step {
            chunks: &chunks,
            runs: &runs,
            near: &near,
            prediction: settings.prediction_m,
            by_basic: settings.full == Full::Basic,
            inversions: settings.inversions,
            surfaces: self.surfaces,
            records: true,
            ..Step::default()
        };
        self.narrow.send(&step).unwrap();
        self.narrow.wait().unwrap().unwrap()
    }

    /// Compares records and contacts; returns the number of records, and of those that differ. They
    /// may differ only where rounding decides.
    fn compare(&self, found: &Found, what: &str) -> (usize, usize) {
        assert!(!found.overflow, "{what}");
        let (mut some, mut other) = (0, 0);
        for (object, placed) in self.packed.objects.iter().enumerate() {
            for point in 0..placed.points {
                let expected = self.tracer.records(&self.scene, object as u32, point);
                let at = (placed.first_record + 2 * point) as usize;
                for (a, b) in expected.iter().zip(&found.records[at..at + 2]) {
                    some += usize::from(a.class() != Class::Nothing || b.class() != Class::Nothing);
                    other += usize::from(!same_record(a, b));
                }
            }
        }
        let contact = |c: &Contact| ((c.source, c.point, c.target, c.t >= 0.0, false), *c);
        let near = |c: &Contact| ((c.source, c.point, c.target, c.t >= 0.0, true), *c);
        let theirs = self.tracer.contacts().iter().map(contact);
        let theirs: BTreeMap<_, _> = theirs.chain(self.tracer.near().iter().map(near)).collect();
        let ours = found.contacts.iter().map(contact);
        let ours: BTreeMap<_, _> = ours.chain(found.near.iter().map(near)).collect();
        let mut odd = theirs.keys().filter(|k| !ours.contains_key(k)).count()
            + ours.keys().filter(|k| !theirs.contains_key(k)).count();
        for (key, a) in &theirs {
            if let Some(b) = ours.get(key) {
                odd += usize::from(!same_contact(a, b));
            }
        }
        assert!(
            odd <= 2 * other,
            "{what}: {odd} contacts differ, {other} records do"
        );
        (some, other)
    }
}

fn near(a: f32, b: f32) -> bool {
    (a - b).abs() <= 2e-6
}

fn same_record(a: &Record, b: &Record) -> bool {
    (a.triangle, a.target, a.bits) == (b.triangle, b.target, b.bits) && near(a.t, b.t)
}

fn same_contact(a: &Contact, b: &Contact) -> bool {
    let vectors = (0..3).all(|k| near(a.x[k], b.x[k]) && (a.n[k] - b.n[k]).abs() < 1e-4);
    a.triangle == b.triangle && vectors && near(a.depth, b.depth) && near(a.t, b.t)
}

fn moved(shape: &Shape, pose: &Pose) -> Vec<V3> {
    let at = |p: &V3| (pose.rotation * p.cast::<f64>() + pose.translation.vector).cast();
    shape.points().iter().map(at).collect()
}

fn volume(mesh: &hapticd_geometry::TriMesh) -> Arc<Shape> {
    Arc::new(Shape::new(mesh, Topology::Volume, 32).unwrap())
}

/// A heap of bodies that interpenetrate in places.
fn heap() -> Vec<(Arc<Shape>, Option<Pose>)> {
    let ball = volume(&shapes::icosphere(0.03, 3).unwrap());
    let torus = volume(&shapes::torus(0.04, 0.015, 40, 18).unwrap());
    let block = volume(&shapes::block_with_hole(&Vec3::new(0.05, 0.04, 0.02), 0.015).unwrap());
    let shapes = [ball, torus, block];
    let mut chance = common::Random(5);
    (0..9)
        .map(|k| {
            let turn = Quat::from_scaled_axis(chance.vector() * 2.0);
            let at = Vec3::new(0.05 * f64::from(k % 3), 0.05 * f64::from(k / 3), 0.0)
                + chance.vector() * 0.01;
            (
                shapes[k as usize % 3].clone(),
                Some(Pose::from_parts(at.into(), turn)),
            )
        })
        .collect()
}

/// Moves all bodies a little further, each on its own path.
fn stir(twins: &mut Twins, heap: &[(Arc<Shape>, Option<Pose>)], step: u32) {
    twins.begin();
    let s = f64::from(step);
    for (k, (_, pose)) in (0..).zip(heap) {
        let way = Vec3::new(
            (f64::from(k) * 1.7).sin(),
            (f64::from(k) * 2.9).cos(),
            (f64::from(k)).sin(),
        );
        let by = Pose::from_parts(
            (way * 2e-4 * s).into(),
            Quat::from_scaled_axis(way * 4e-3 * s),
        );
        twins.set_pose(k, &(by * pose.unwrap()));
    }
    twins.place();
}

#[test]
fn rigid_bodies_by_the_twins_rays() {
    let heap = heap();
    for full in [Full::Tree, Full::Basic] {
        let mut twins = Twins::new(Settings { full, ..settings() }, &heap);
        let (mut all, mut other, mut contacts, mut walks) = (0, 0, 0, 0);
        for step in 0..30 {
            stir(&mut twins, &heap, step);
            let found = twins.by_rays();
            let counts = twins.compare(&found, &format!("{full:?}, step {step}"));
            all += counts.0;
            other += counts.1;
            contacts += found.contacts.len();
            walks += twins.tracer.report().walks;
        }
        println!("{full:?}: {all} records, {other} differ; {contacts} contacts, {walks} walks");
        assert!(contacts > 3000 && walks > 10_000);
        assert!(other * 500 < all, "{other} of {all}");
    }
}

#[test]
fn rigid_bodies_by_pairs() {
    let heap = heap();
    // Walking on after the first step, and traced in full in every step.
    for iterative in [true, false] {
        let wide = Settings {
            iterative,
            displacement_m: 10.0,
            walk_confidence: 0.01,
            ..settings()
        };
        let mut twins = Twins::new(wide, &heap);
        let (mut all, mut other) = (0, 0);
        for step in 0..12 {
            stir(&mut twins, &heap, step);
            let found = twins.by_pairs(step == 0 || !iterative);
            let report = *twins.tracer.report();
            let counts = twins.compare(&found, &format!("{iterative}, step {step}"));
            all += counts.0;
            other += counts.1;
            let theirs = [report.tree, report.basic, report.walks];
            for (a, b) in found.wanted.iter().zip(theirs) {
                assert!(
                    (*a as usize).abs_diff(b) * 500 <= b,
                    "{:?} rays, the twin has {theirs:?}",
                    found.wanted
                );
            }
        }
        println!("{iterative}: {all} records, {other} differ");
        assert!(all > 3000 && other * 200 < all, "{other} of {all}");
    }
}

/// A cloth that waves over a ball and through a second cloth.
#[test]
fn deformables_by_the_twins_rays() {
    let mesh = shapes::sheet(0.1, 24).unwrap();
    let cloth = Arc::new(Shape::new(&mesh, CLOTH, 32).unwrap());
    let ball = volume(&shapes::icosphere(0.04, 3).unwrap());
    for measure in [Measure::MeanDeviation, Measure::Max] {
        let of = [
            (ball.clone(), Some(Pose::translation(0.003, 0.007, -0.036))),
            (cloth.clone(), None),
            (cloth.clone(), None),
        ];
        let mut twins = Twins::new(
            Settings {
                measure,
                ..settings()
            },
            &of,
        );
        let wave = |step: u32, lift: f64| -> Vec<Vec3> {
            let s = f64::from(step) * 0.13;
            let at = |p: &Vec3| {
                Vec3::new(
                    p.x,
                    p.y,
                    lift + 0.004 * (40.0 * p.x + s).sin() + 0.003 * (31.0 * p.y - s).cos(),
                )
            };
            mesh.positions().iter().map(at).collect()
        };
        let (mut all, mut other, mut contacts, mut inverted) = (0, 0, 0, 0);
        for step in 0..40 {
            if step == 0 {
                // So that nothing has moved before the first step.
                twins.deform(1, &wave(0, 0.0), &wave(0, 0.0));
                twins.deform(2, &wave(0, 0.012), &wave(0, 0.012));
            }
            twins.begin();
            // The second sinks through the first.
            let lift = |step: u32| 0.012 - 0.0004 * f64::from(step);
            let last = step.max(1) - 1;
            twins.deform(1, &wave(step, 0.0), &wave(last, 0.0));
            twins.deform(2, &wave(3 * step, lift(step)), &wave(3 * last, lift(last)));
            twins.place();
            let found = twins.by_rays();
            let counts = twins.compare(&found, &format!("{measure:?}, step {step}"));
            all += counts.0;
            other += counts.1;
            contacts += found.contacts.len();
            inverted += found
                .records
                .iter()
                .filter(|r| r.bits & INVERTED != 0)
                .count();
        }
        println!(
            "{measure:?}: {all} records, {other} differ; {contacts} contacts, {inverted} inverted"
        );
        assert!(contacts > 3000 && inverted > 100);
        assert!(other * 100 < all, "{other} of {all}");
    }
}

/// Cloths and bodies, with pairs of clusters only.
#[test]
fn deformables_by_clusters() {
    let mesh = shapes::sheet(0.1, 24).unwrap();
    let cloth = Arc::new(Shape::new(&mesh, CLOTH, 32).unwrap());
    let ball = volume(&shapes::icosphere(0.04, 3).unwrap());
    let of = [
        (ball.clone(), Some(Pose::translation(0.003, 0.007, -0.036))),
        (cloth.clone(), None),
        (ball.clone(), Some(Pose::translation(0.013, -0.037, -0.034))),
        (cloth.clone(), None),
    ];
    let wave = |step: u32, lift: f64| -> Vec<Vec3> {
        let s = f64::from(step) * 0.13;
        let bend = |p: &Vec3| 0.004 * (40.0 * p.x + s).sin() + 0.003 * (31.0 * p.y - s).cos();
        let at = |p: &Vec3| Vec3::new(p.x, p.y, lift + bend(p));
        mesh.positions().iter().map(at).collect()
    };
    for (iterative, full) in [
        (false, Full::Tree),
        (true, Full::Tree),
        (false, Full::Basic),
    ] {
        let settings = Settings {
            iterative,
            full,
            displacement_m: 10.0,
            walk_confidence: 0.01,
            ..settings()
        };
        let mut twins = Twins::new(settings, &of);
        let (mut all, mut other, mut contacts) = (0, 0, 0);
        for step in 0..8 {
            if step == 0 {
                // So that nothing has moved before the first step.
                twins.deform(1, &wave(0, 0.0), &wave(0, 0.0));
                twins.deform(3, &wave(0, 0.006), &wave(0, 0.006));
            }
            twins.begin();
            let last = step.max(1) - 1;
            let lift = |step: u32| 0.006 - 0.0004 * f64::from(step);
            twins.deform(1, &wave(step, 0.0), &wave(last, 0.0));
            twins.deform(3, &wave(3 * step, lift(step)), &wave(3 * last, lift(last)));
            twins.place();
            let found = twins.by_pairs(step == 0 || !iterative);
            let report = *twins.tracer.report();
            let counts = twins.compare(&found, &format!("{iterative}, {full:?}, step {step}"));
            all += counts.0;
            other += counts.1;
            contacts += found.contacts.len();
            let theirs = [report.tree, report.basic, report.walks];
            for (a, b) in found.wanted.iter().zip(theirs) {
                assert!(
                    (*a as usize).abs_diff(b) * 500 <= b,
                    "{:?} rays, the twin has {theirs:?}",
                    found.wanted
                );
            }
        }
        println!("{iterative}, {full:?}: {all} records, {other} differ; {contacts} contacts");
        assert!(contacts > 1000 && other * 100 < all, "{other} of {all}");
    }
}

/// A soft ball and a cloth, with surfaces derived from the points alone.
#[test]
fn surfaces_from_points() {
    let mesh = shapes::sheet(0.1, 24).unwrap();
    let cloth = Arc::new(Shape::new(&mesh, CLOTH, 32).unwrap());
    let ball_mesh = shapes::icosphere(0.04, 3).unwrap();
    let ball = volume(&ball_mesh);
    let block = volume(&shapes::cuboid(&Vec3::new(0.06, 0.05, 0.02)).unwrap());
    let of = [
        (block, Some(Pose::translation(0.003, 0.007, -0.05))),
        (ball, None),
        (cloth, None),
    ];
    let mut twins = Twins::new(settings(), &of);
    // Nothing is left of the original surfaces.
    twins.surfaces = true;
    let first = twins.packed.objects[1].first_point as usize;
    twins.packed.normals[first..].fill(Normal::default());
    twins.narrow.set_scene(&twins.packed.clone()).unwrap();
    let soft = |step: u32| -> Vec<Vec3> {
        let s = 1.0 + 0.2 * (f64::from(step) * 0.3).sin();
        let at = |p: &Vec3| Vec3::new(p.x * s + 1.5 * p.y, p.y / s, p.z * s);
        ball_mesh.positions().iter().map(at).collect()
    };
    let wave = |step: u32| -> Vec<Vec3> {
        let s = f64::from(step) * 0.13;
        let at = |p: &Vec3| Vec3::new(p.x, p.y, 0.034 + 0.004 * (40.0 * p.x + s).sin());
        mesh.positions().iter().map(at).collect()
    };
    let (mut all, mut other, mut contacts) = (0, 0, 0);
    for step in 0..30 {
        let last = step.max(1) - 1;
        if step == 0 {
            twins.deform(1, &soft(0), &soft(0));
            twins.deform(2, &wave(0), &wave(0));
        }
        twins.begin();
        twins.deform(1, &soft(step), &soft(last));
        twins.deform(2, &wave(step), &wave(last));
        twins.place();
        let found = twins.by_rays();
        let counts = twins.compare(&found, &format!("step {step}"));
        all += counts.0;
        other += counts.1;
        contacts += found.contacts.len();
    }
    println!("{all} records, {other} differ; {contacts} contacts");
    assert!(contacts > 1000 && other * 100 < all, "{other} of {all}");
}

#[test]
fn what_finds_no_room_is_counted_and_not_written() {
    let heap = heap();
    let mut twins = Twins::new(
        Settings {
            iterative: false,
            ..settings()
        },
        &heap,
    );
    twins.narrow.set_capacity(Room {
        rays: [10, 0, 0],
        contacts: 3,
        near: 9,
    });
    stir(&mut twins, &heap, 0);
    let short = twins.by_pairs(true);
    let expected = twins.tracer.report().tree as u32;
    assert!(short.overflow);
    assert!(
        short.wanted[0].abs_diff(expected) * 500 <= expected && expected > 1000,
        "{:?}",
        short.wanted
    );
    assert!(short.contacts.len() <= 3);
    let answered = short
        .records
        .iter()
        .filter(|r| r.class() != Class::Nothing)
        .count();
    assert!(answered <= 10, "{answered}");
    // It has grown, though not yet by what ten rays could not find.
    assert!(twins.narrow.room().rays[0] > expected as usize);
    twins.narrow.set_capacity(Room {
        contacts: 3,
        ..twins.narrow.room()
    });
    let few = twins.by_pairs(true);
    assert!(few.overflow && few.contacts.len() == 3);
    assert_eq!(few.wanted[3] as usize, twins.tracer.contacts().len());
    let enough = twins.by_pairs(true);
    assert_eq!(enough.contacts.len(), twins.tracer.contacts().len());
    twins.compare(&enough, "enough");
}

/// More chunks than workgroups in one dimension of a dispatch.
#[test]
fn many_chunks_are_folded() {
    let heap = heap();
    let mut twins = Twins::new(settings(), &heap);
    stir(&mut twins, &heap, 0);
    // Two bodies that overlap: all but the last chunk belong to a pair and start beyond its last
    // point.
    let empty = Chunk {
        source: 0,
        target: 1,
        first: 1 << 20,
        full: 1,
    };
    let mut chunks = vec![empty; 70_000];
    chunks.extend(Chunk::of(0, 1, twins.packed.objects[0].points, true));
    let step = Step {
        chunks: &chunks,
        prediction: 0.01,
        ..Step::default()
    };
    twins.narrow.send(&step).unwrap();
    let folded = twins.narrow.wait().unwrap().unwrap();
    let step = Step {
        chunks: &chunks[70_000..],
        ..step
    };
    twins.narrow.send(&step).unwrap();
    let plain = twins.narrow.wait().unwrap().unwrap();
    assert_eq!(
        (folded.wanted, &folded.contacts),
        (plain.wanted, &plain.contacts)
    );
    assert!(folded.wanted[0] > 0);
}

#[test]
fn the_same_step_gives_the_same_answer_and_a_lost_device_forgets() {
    let heap = heap();
    let mut twins = Twins::new(
        Settings {
            iterative: false,
            ..settings()
        },
        &heap,
    );
    stir(&mut twins, &heap, 3);
    let first = twins.by_pairs(true);
    assert!(first.contacts.len() > 100);
    let again = twins.by_pairs(true);
    assert_eq!(
        (&first.contacts, &first.records),
        (&again.contacts, &again.records)
    );

    twins.narrow.gpu().lose();
    assert!(twins.narrow.send(&Step::default()).is_err());
    assert!(twins.narrow.receive().is_err());
    twins.narrow.recover().unwrap();
    twins.narrow.set_scene(&twins.packed).unwrap();
    twins.place();
    let after = twins.by_pairs(true);
    assert_eq!(after.ticket.generation, 2);
    assert_eq!(
        (&first.contacts, &first.records),
        (&after.contacts, &after.records)
    );
    // Points that were never traced have no memory.
    twins.narrow.set_scene(&twins.packed).unwrap();
    let unknown = twins.by_pairs(false);
    assert_eq!((unknown.wanted, unknown.contacts.len()), ([0; 5], 0));
}

/// Steps sent before the first is answered see the state left by the steps before them, as if each
/// had been waited for.
#[test]
fn steps_under_way_follow_each_other() {
    let heap = heap();
    let mut twins = Twins::new(settings(), &heap);
    let full: Vec<Chunk> = (0..heap.len() as u32)
        .flat_map(|a| (0..heap.len() as u32).map(move |b| (a, b)))
        .filter(|(a, b)| a != b)
        .flat_map(|(a, b)| Chunk::of(a, b, twins.packed.objects[a as usize].points, true))
        .collect();
    let walked: Vec<Chunk> = full.iter().map(|c| Chunk { full: 0, ..*c }).collect();
    let mut run = |wait: bool| -> Vec<Found> {
        twins.narrow.set_scene(&twins.packed.clone()).unwrap();
        let mut all = Vec::new();
        for (step, chunks) in [&full, &walked, &walked].into_iter().enumerate() {
            stir(&mut twins, &heap, step as u32);
            let step = Step {
                chunks,
                prediction: 0.01,
                records: true,
                ..Step::default()
            };
            twins.narrow.send(&step).unwrap();
            if wait {
                all.push(twins.narrow.wait().unwrap().unwrap());
            }
        }
        while let Some(found) = twins.narrow.wait().unwrap() {
            all.push(found);
        }
        all
    };
    let (waited, sent) = (run(true), run(false));
    assert_eq!((waited.len(), sent.len()), (3, 3));
    for (a, b) in waited.iter().zip(&sent) {
        assert_eq!(
            (a.wanted, &a.contacts, &a.near),
            (b.wanted, &b.contacts, &b.near)
        );
        assert_eq!(a.records, b.records);
        assert!(a.contacts.len() > 100 && !a.overflow);
    }
}
