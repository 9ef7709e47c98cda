//! Two costs, in processor time. First, the spheres' neighbours by a hash and by registration, for
//! the same steps, alternately. Second, continuous detection of cloth: the cost of detection, and
//! what goes through without it.
//!
//! `cargo bench -p hapticd-deformable --bench neighbours`
#![allow(missing_docs)]
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hapticd_benchmarks::{Cell, detail, number, ours};
use hapticd_deformable::Continuous;
use hapticd_deformable::RegisteredSpheres;
use hapticd_deformable::world::DeformableWorld;
use hapticd_geometry::{Pose, Quat, Vec3, shapes};
use hapticd_particles::{
    FluidMaterial, NeighbourSearch, Rest, Settings, SphereWorld, StrandMaterial, Walls,
};
use hapticd_rays::{Shape, Topology};
use hapticd_xpbd::{self as xpbd, ClothMaterial, ParticleId};

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

/// Processor time of all threads, s; resolution a hundredth of a second.
fn process_s() -> f64 {
    let told = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // After the name, which may contain anything, user and system time are the 12th and 13th
    // fields.
    let rest = told.rsplit(") ").next().unwrap_or_default();
    let ticks = rest.split(' ').skip(11).take(2);
    let ticks: Option<f64> = ticks.map(|n| n.parse::<f64>().ok()).sum();
    ticks.map_or_else(thread_s, |ticks| ticks * 0.01)
}

/// Measures the time of a search.
#[derive(Clone, Debug)]
struct Timed {
    by: RegisteredSpheres,
    ns: Arc<AtomicU64>,
}

impl NeighbourSearch for Timed {
    fn pairs(&mut self, x: &[Vec3], reach_m: f64, visit: &mut dyn FnMut(u32, u32, f64)) -> bool {
        let start = thread_s();
        let told = self.by.pairs(x, reach_m, visit);
        let ns = ((thread_s() - start) * 1e9) as u64;
        self.ns.fetch_add(ns, Ordering::Relaxed);
        told
    }

    fn boxed_clone(&self) -> Box<dyn NeighbourSearch> {
        Box::new(self.clone())
    }
}

fn world(floor_z: f64) -> SphereWorld {
    let mut world = SphereWorld::new(Settings {
        substeps: 8,
        ..Settings::default()
    })
    .unwrap();
    world.set_walls(&Walls::floor(floor_z, 0.3)).unwrap();
    world
}

fn fluid(side: u32) -> SphereWorld {
    let mut world = world(0.0);
    let at = |i: u32| 0.008 * f64::from(i);
    let points: Vec<Vec3> = (0..side * side * side)
        .map(|i| {
            Vec3::new(
                at(i % side),
                at(i / side % side),
                at(i / side / side) + 0.01,
            )
        })
        .collect();
    world
        .fluid(&points, 0, 0.004, 3e-4, &FluidMaterial::default())
        .unwrap();
    world
}

fn coil(count: u32) -> SphereWorld {
    let mut world = world(0.0);
    let points: Vec<Vec3> = (0..count)
        .map(|i| {
            let turn = 0.28 * f64::from(i);
            Vec3::new(0.02 * turn.cos(), 0.02 * turn.sin(), 0.0018 * turn + 0.01)
        })
        .collect();
    let material = StrandMaterial {
        radius_m: 0.005,
        mass_kg: 1e-4 * f64::from(count),
        stretch_n: 50.0,
        bend_n_m2: 1e-5,
        damping_s: 5e-4,
        rest: Rest::AsGiven,
        window_m: 0.011,
    };
    world.strand(&points, 0, &material).unwrap();
    world
}

fn neighbours(name: &str, made: impl Fn() -> SphereWorld) {
    let (mut hash, mut registered, mut search) = (f64::MAX, f64::MAX, f64::MAX);
    for _ in 0..ROUNDS {
        for by_registration in [false, true] {
            let ns = Arc::new(AtomicU64::new(0));
            let mut world = made();
            if by_registration {
                world.set_neighbour_search(Some(Box::new(Timed {
                    by: RegisteredSpheres::new(),
                    ns: ns.clone(),
                })));
            }
            let start = thread_s();
            for _ in 0..STEPS {
                black_box(world.step(STEP_S, &[], &[]).unwrap());
            }
            let us = (thread_s() - start) * 1e6 / STEPS as f64;
            if by_registration {
                registered = registered.min(us);
                search = search.min(ns.load(Ordering::Relaxed) as f64 * 1e-3 / STEPS as f64);
            } else {
                hash = hash.min(us);
            }
        }
    }
    let spheres = made().positions().len();
    let by_hash = hash - (registered - search);
    println!(
        "{name}, {spheres} spheres: a step {hash:.0} us by the hash, {registered:.0} by registration; of that the search {by_hash:.0} and {search:.0}"
    );
    let us = [hash, registered, by_hash, search];
    detail("4.11", name, us.map(|us| number(1e-3 * us)).into());
}

fn cloth_world(cells: u32, mode: Continuous) -> DeformableWorld {
    let mut world = DeformableWorld::new(hapticd_deformable::world::Settings {
        dynamics: xpbd::Settings {
            damping_1_s: 0.5,
            ..xpbd::Settings::default()
        },
        substeps: 8,
        rays: hapticd_rays::Settings::for_edges((0.3 / f64::from(cells)) as f32),
    })
    .unwrap();
    world.set_continuous(mode);
    world
}

fn sheet(world: &mut DeformableWorld, cells: u32, z: f64, speed: f64) {
    let mesh = shapes::sheet(0.15, cells).unwrap();
    let positions = mesh.positions().iter().map(|p| p + Vec3::z() * z).collect();
    let mesh = hapticd_geometry::TriMesh::new(positions, mesh.triangles().to_vec()).unwrap();
    let material = ClothMaterial {
        density_kg_m2: 0.2,
        stretch_compliance_m_n: 1e-4,
        bending_compliance_1_nm: Some(1e4),
        damping_s: 0.001,
        half_thickness_m: 0.001,
    };
    world.add_cloth(&mesh, &material, 32, 0.3).unwrap();
    for i in 0..world.dynamics().positions().len() {
        let at = world.dynamics().positions()[i];
        (world.dynamics_mut())
            .set_particle(ParticleId(i as u32), at, Vec3::new(0.0, 0.0, -speed))
            .unwrap();
    }
}

fn rigid(world: &mut DeformableWorld, mesh: &hapticd_geometry::TriMesh, pose: &Pose) {
    let shape = Arc::new(Shape::new(mesh, Topology::Volume, 32).unwrap());
    world.add_fixed(shape, pose, 0.3).unwrap();
}

/// Returns the number of crossings with `hold`.
fn continuous(name: &str, scene: impl Fn(Continuous) -> DeformableWorld) -> u32 {
    let (mut ms, mut found) = (Vec::new(), Vec::new());
    for (how, mode) in [
        ("off", Continuous::Off),
        ("count", Continuous::Count),
        ("hold", Continuous::Hold { attempts: 8 }),
    ] {
        let mut least = f64::MAX;
        let (mut crossings, mut attempts, mut stopped) = (0, 0, 0);
        for _ in 0..3 {
            let mut world = scene(mode);
            (crossings, attempts, stopped) = (0, 0, 0);
            let start = process_s();
            for _ in 0..STEPS {
                let report = world.step(STEP_S).unwrap().continuous;
                crossings += report.crossings;
                attempts += report.attempts;
                stopped += report.stopped;
            }
            least = least.min((process_s() - start) * 1e6 / STEPS as f64);
        }
        println!(
            "{name}, {how}: a step {least:.0} us; {crossings} crossings, {attempts} steps made again, {stopped} points stopped"
        );
        ms.push(number(1e-3 * least));
        found.push(crossings);
    }
    // Without continuous detection none is counted.
    let [_, without, with] = found[..] else {
        unreachable!("three modes")
    };
    let both = [without, with].map(|n| Cell::from(n as usize));
    ms.push(Cell::Several(both.into()));
    detail("4.12", name, ms);
    with
}

fn main() {
    neighbours("fluid of 1,000", || fluid(10));
    neighbours("fluid of 2,197", || fluid(13));
    neighbours("coil of 300", || coil(300));
    neighbours("coil of 600", || coil(600));
    let mut with = continuous("on a ball", |mode| {
        let mut world = cloth_world(20, mode);
        let ball = shapes::icosphere(0.06, 3).unwrap();
        rigid(&mut world, &ball, &Pose::identity());
        sheet(&mut world, 20, 0.07, 0.0);
        world
    });
    with += continuous("thrown on a thin rod at 5 m/s", |mode| {
        let mut world = cloth_world(20, mode);
        let rod = shapes::cylinder(0.003, 0.3, 8).unwrap();
        let along_y = Quat::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
        let pose = Pose::from_parts(Vec3::new(0.011, 0.0, 0.0).into(), along_y);
        rigid(&mut world, &rod, &pose);
        sheet(&mut world, 20, 0.05, 5.0);
        world
    });
    with += continuous("two of them on a floor", |mode| {
        let mut world = cloth_world(20, mode);
        let slab = shapes::cuboid(&Vec3::new(1.0, 1.0, 0.1)).unwrap();
        rigid(&mut world, &slab, &Pose::translation(0.0, 0.0, -0.1));
        sheet(&mut world, 20, 0.02, 0.0);
        sheet(&mut world, 20, 0.05, 2.0);
        world
    });
    ours("4.12", "", format!("{with} with"));
}
