//! Cost of the search for crossings in a step of cloth, in processor time. Motions are recorded
//! first, then only the search runs.
//!
//! `cargo bench --workspace --bench crossings [-- NAME]`, NAME as in `ball:`. The fingerprint
//! covers all results, to the bit: an optimization of the search must not change it.
#![allow(missing_docs)]
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::Arc;

use hapticd_benchmarks::{Cell, detail, number, ours};
use hapticd_deformable::crossings::{Crossings, Found, Nature, Surface};
use hapticd_deformable::world::{DeformableWorld, ObjectId, Settings};
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes, transform};
use hapticd_rays::{Shape, Topology};
use hapticd_xpbd::{self as xpbd, ClothMaterial, ParticleId, SoftMaterial};

const STEP_S: f64 = 0.004;
const STEPS: usize = 100;
const ROUNDS: usize = 3;

/// Processor time of this thread, s; wall-clock time if the system does not report it.
fn thread_s() -> f64 {
    static BEGIN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = told.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    ns.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// A scene and its recorded motion.
struct Stage {
    world: DeformableWorld,
    objects: Vec<Object>,
}

struct Object {
    id: ObjectId,
    nature: Nature,
    triangles: Vec<[u32; 3]>,
    /// Points of the static objects.
    points: Vec<Vec3>,
    /// Points of the deformables, before and after each step.
    steps: Vec<[Vec<Vec3>; 2]>,
}

impl Stage {
    fn new(edge_m: f64) -> Self {
        let world = DeformableWorld::new(Settings {
            dynamics: xpbd::Settings {
                damping_1_s: 0.5,
                ..xpbd::Settings::default()
            },
            substeps: 8,
            rays: hapticd_rays::Settings::for_edges(edge_m as f32),
        });
        Stage {
            world: world.unwrap(),
            objects: Vec::new(),
        }
    }

    fn add(&mut self, id: ObjectId, nature: Nature, mesh: &TriMesh, pose: &Pose) {
        let points = mesh.positions().iter().map(|p| transform(pose, p));
        self.objects.push(Object {
            id,
            nature,
            triangles: mesh.triangles().to_vec(),
            points: points.collect(),
            steps: Vec::new(),
        });
    }

    fn rigid(mut self, mesh: &TriMesh, pose: &Pose) -> Self {
        let shape = Arc::new(Shape::new(mesh, Topology::Volume, 32).unwrap());
        let id = self.world.add_fixed(shape, pose, 0.3).unwrap();
        self.add(id, Nature::Rigid, mesh, pose);
        self
    }

    fn sheet(mut self, half: f64, cells: u32, z: f64, speed: f64) -> Self {
        let mesh = shapes::sheet(half, cells).unwrap();
        let positions = mesh.positions().iter().map(|p| p + Vec3::z() * z).collect();
        let mesh = TriMesh::new(positions, mesh.triangles().to_vec()).unwrap();
        let material = ClothMaterial {
            density_kg_m2: 0.2,
            stretch_compliance_m_n: 1e-4,
            bending_compliance_1_nm: Some(1e4),
            damping_s: 0.001,
            half_thickness_m: 0.001,
        };
        let id = self.world.add_cloth(&mesh, &material, 32, 0.3).unwrap();
        self.throw(id, speed);
        self.add(id, Nature::Sheet, &mesh, &Pose::identity());
        self
    }

    fn soft(mut self, mesh: &TriMesh, speed: f64) -> Self {
        let material = SoftMaterial {
            density_kg_m3: 1000.0,
            young_pa: 2e4,
            poisson: 0.4,
            damping_s: 5e-4,
            half_thickness_m: 0.0,
        };
        let id = self.world.add_soft(mesh, 8, &material, 32, 0.3).unwrap();
        self.throw(id, speed);
        self.add(id, Nature::Solid, mesh, &Pose::identity());
        self
    }

    fn throw(&mut self, id: ObjectId, speed: f64) {
        let deformable = self.world.deformable(id).unwrap();
        for i in self.world.dynamics().particles_of(deformable).unwrap() {
            let at = self.world.dynamics().positions()[i];
            (self.world.dynamics_mut())
                .set_particle(ParticleId(i as u32), at, Vec3::new(0.0, 0.0, -speed))
                .unwrap();
        }
    }

    fn record(mut self) -> Vec<Object> {
        for _ in 0..STEPS {
            let _ = self.world.step(STEP_S).unwrap();
            for object in &mut self.objects {
                let Some(deformable) = self.world.deformable(object.id) else {
                    continue;
                };
                let dynamics = self.world.dynamics();
                let both = [
                    dynamics.surface_at_start(deformable),
                    dynamics.surface(deformable),
                ];
                object.steps.push(both.map(|x| x.unwrap().to_vec()));
            }
        }
        self.objects
    }
}

/// FNV-1a hash.
struct Print(u64);

impl Print {
    fn add(&mut self, x: u64) {
        for byte in x.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn found(&mut self, found: &Found) {
        for c in &found.crossings {
            self.add(c.kind as u64);
            for x in c.surfaces.iter().chain(&c.a).chain(&c.b) {
                self.add(u64::from(*x));
            }
            let pair = &c.contact.pair;
            for x in [c.contact.t, c.contact.t_upper, pair.distance] {
                self.add(x.to_bits());
            }
            for x in [&pair.point_a, &pair.point_b, &pair.normal] {
                x.iter().for_each(|x| self.add(x.to_bits()));
            }
        }
    }
}

fn place(crossings: &mut Crossings, objects: &[Object], step: usize) {
    for (i, object) in objects.iter().enumerate() {
        match object.steps.get(step) {
            Some([a, b]) => crossings.place(i, a.iter().copied(), b.iter().copied()),
            None if step == 0 => {
                let points = object.points.iter().copied();
                crossings.place(i, points.clone(), points);
            }
            None => {}
        }
    }
}

/// Searches the scene `name`, which is `row` of the tables. Returns the time of a step, ms; `None`
/// if the command line leaves it out.
fn search(name: &str, row: &str, made: impl Fn() -> Stage) -> Option<f64> {
    let mut asked = std::env::args().skip(1).filter(|x| !x.starts_with('-'));
    if asked.next().is_some_and(|only| !name.contains(&only)) {
        return None;
    }
    let objects = made().record();
    let surfaces: Vec<Surface<'_>> = (objects.iter())
        .map(|object| Surface {
            vertices: object.points.len(),
            triangles: &object.triangles,
            nature: object.nature,
        })
        .collect();
    let mut least = f64::MAX;
    let (mut met, mut tested, mut reach, mut print) = (0, 0, 0.0, Print(0));
    for _ in 0..ROUNDS {
        let mut crossings = Crossings::new();
        crossings.set_surfaces(&surfaces).unwrap();
        (met, tested, reach, print) = (0, 0, 0.0, Print(0xcbf2_9ce4_8422_2325));
        let mut spent = 0.0;
        for step in 0..STEPS {
            place(&mut crossings, &objects, step);
            let start = thread_s();
            let found = black_box(crossings.find());
            spent += thread_s() - start;
            met += found.crossings.len();
            tested += found.tested as usize;
            reach += found.reach_m;
            print.found(found);
        }
        least = least.min(spent * 1e6 / STEPS as f64);
    }
    println!(
        "{name}: {least:.0} us a step; {met} crossings, {} pairs tested a step, reach {:.4} m; fingerprint {:016x}",
        tested / STEPS,
        reach / STEPS as f64,
        print.0
    );
    detail("4.13", row, vec![number(1e-3 * least)]);
    Some(1e-3 * least)
}

fn main() {
    let ball = search(
        "ball: 441 points on a ball",
        "441 points on a rigid ball",
        || {
            let ball = shapes::icosphere(0.06, 3).unwrap();
            Stage::new(0.015)
                .rigid(&ball, &Pose::identity())
                .sheet(0.15, 20, 0.07, 0.0)
        },
    );
    let rod = search(
        "rod: 441 points thrown on a rod, 5 m/s",
        "thrown on a rod",
        || {
            let rod = shapes::cylinder(0.003, 0.3, 8).unwrap();
            let along_y = Quat::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
            let pose = Pose::from_parts(Vec3::new(0.011, 0.0, 0.0).into(), along_y);
            Stage::new(0.015)
                .rigid(&rod, &pose)
                .sheet(0.15, 20, 0.05, 5.0)
        },
    );
    let slab = || shapes::cuboid(&Vec3::new(1.0, 1.0, 0.1)).unwrap();
    let below = || Pose::translation(0.0, 0.0, -0.1);
    let sheets = search(
        "sheets: two of 441 points on a floor",
        "two sheets on a floor",
        || {
            Stage::new(0.015)
                .rigid(&slab(), &below())
                .sheet(0.15, 20, 0.02, 0.0)
                .sheet(0.15, 20, 0.05, 2.0)
        },
    );
    let large = search(
        "large: 1,681 points on a floor",
        "1,681 points on a floor",
        || {
            Stage::new(0.0075)
                .rigid(&slab(), &below())
                .sheet(0.15, 40, 0.02, 0.5)
        },
    );
    let soft = search(
        "soft: 441 points on a soft ball",
        "441 points on a soft ball",
        || {
            Stage::new(0.015)
                .soft(&shapes::icosphere(0.06, 3).unwrap(), 0.0)
                .sheet(0.15, 20, 0.07, 1.0)
        },
    );
    let all = [ball, rod, sheets, large, soft];
    if let Some(ms) = all.into_iter().collect::<Option<Vec<f64>>>() {
        ours("4.13", "ms", Cell::range(&ms));
    }
}
