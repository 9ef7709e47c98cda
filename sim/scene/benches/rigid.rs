//! Cost of the broad phase in the rigid world: how often it runs, on what input, and its share of
//! the processor time of a step.
//!
//! Bodies that fall in a heap, and weightless bodies that fly about and bounce. Every search of a
//! run is recorded and repeated afterwards by each phase, many times, so that the time of one
//! search is well known; the run itself is timed as a whole.
//!
//! `cargo bench -p hapticd-scene --bench rigid`; with `-- NAME`, only the scenes with names that
//! begin with NAME.
#![allow(missing_docs)]
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::sync::{Arc, Mutex};

use hapticd_benchmarks::{number, ours};
use hapticd_ccd::MeshIndex;
use hapticd_geometry::broad::BroadWork;
use hapticd_geometry::{BroadPhase, Pose, Quat, SweepAndPrune, SweptBox, Vec3, shapes};
use hapticd_rigid::{BodySpec, Material, RigidWorld, Settings, Twist};
use hapticd_scene::{BroadPhaseKind, broad_phase};

const STEP_S: f64 = 1e-3;
/// Time for which the searches are repeated with each phase, s.
const LONG_S: f64 = 0.3;

/// Processor time of this thread, s; clock time where the system does not provide it.
fn thread_s() -> f64 {
    static BEGIN: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = told.split(' ').next().and_then(|n| n.parse::<f64>().ok());
    ns.map_or_else(|| BEGIN.elapsed().as_secs_f64(), |ns| ns * 1e-9)
}

/// A broad phase that records its inputs.
#[derive(Clone, Debug, Default)]
struct Noted {
    by: SweepAndPrune,
    asked: Arc<Mutex<Vec<Vec<SweptBox>>>>,
}

impl BroadPhase for Noted {
    fn name(&self) -> &'static str {
        "noted"
    }

    fn overlapping(&mut self, boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>) {
        self.by.overlapping(boxes, pairs);
        self.asked.lock().unwrap().push(boxes.to_vec());
    }

    fn work(&self) -> BroadWork {
        self.by.work()
    }

    fn boxed_clone(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5)
    }
}

/// `count` bodies of 4 to 6 cm on a lattice in an open box. Heavy ones fall and come to rest;
/// weightless ones fly at up to `speed_m_s` and keep their speed.
fn scene(count: usize, weight: bool, speed_m_s: f64) -> RigidWorld {
    let mut world = RigidWorld::new(Settings {
        gravity: if weight {
            Vec3::z() * -9.81
        } else {
            Vec3::zeros()
        },
        ..Settings::default()
    })
    .unwrap();
    let index = |mesh| Arc::new(MeshIndex::new(mesh));
    let cuboid = |x, y, z| index(shapes::cuboid(&Vec3::new(x, y, z)).unwrap());
    let apart = if weight { 0.07 } else { 0.1 };
    let side = (count as f64).cbrt().ceil();
    let half = 0.5 * side * apart + 0.02;
    let height = 2.0 * half;
    let material = Material {
        friction: if weight { 0.4 } else { 0.0 },
        restitution: if weight { 0.2 } else { 1.0 },
    };
    let mut add = |spec| world.add(&BodySpec { material, ..spec }).unwrap();
    let wall = cuboid(half, half, 0.05);
    for sign in [-1.0, 1.0] {
        if sign < 0.0 || !weight {
            let z = 0.5 * height + sign * (0.5 * height + 0.06);
            add(BodySpec::fixed(
                wall.clone(),
                Pose::translation(0.0, 0.0, z),
            ));
        }
        let tall = 0.5 * height + 0.1;
        let at = sign * (half + 0.06);
        add(BodySpec::fixed(
            cuboid(0.05, half, tall),
            Pose::translation(at, 0.0, tall),
        ));
        add(BodySpec::fixed(
            cuboid(half, 0.05, tall),
            Pose::translation(0.0, at, tall),
        ));
    }
    let kinds = [
        cuboid(0.02, 0.02, 0.02),
        cuboid(0.03, 0.02, 0.015),
        index(shapes::icosphere(0.025, 1).unwrap()),
    ];
    let mut random = Random(7);
    let places = 0..side as usize;
    let mut made = 0;
    for z in places.clone() {
        for y in places.clone() {
            for x in places.clone() {
                if made == count {
                    break;
                }
                let f = |k: usize| k as f64 + 0.5;
                let at = Vec3::new(
                    f(x) * apart - 0.5 * side * apart,
                    f(y) * apart - 0.5 * side * apart,
                    f(z) * apart + 0.02,
                );
                let pose = Pose::from_parts(at.into(), Quat::from_scaled_axis(random.vector()));
                let mut spec = BodySpec::dynamic(kinds[made % 3].clone(), pose, 800.0);
                spec.twist = Twist {
                    linear: random.vector() * 2.0 * speed_m_s,
                    angular: Vec3::zeros(),
                };
                add(spec);
                made += 1;
            }
        }
    }
    world
}

/// Returns the number of searches a step.
fn run(name: &str, count: usize, weight: bool, speed_m_s: f64, steps: usize) -> f64 {
    let mut world = scene(count, weight, speed_m_s);
    let noted = Noted::default();
    let asked = noted.asked.clone();
    world.set_broad_phase(Box::new(noted));
    let (start, mut most, mut searches_of_features) = (thread_s(), 0, 0_u64);
    for _ in 0..steps {
        let before = asked.lock().unwrap().len();
        let counters = world.step(STEP_S).counters;
        searches_of_features += u64::from(counters.searches);
        most = most.max(asked.lock().unwrap().len() - before);
    }
    let whole_s = thread_s() - start;
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    println!(
        "{name}, {count} bodies, {steps} steps of 1 ms: {:.1} us a step; {:.3} searches a step, {most} at most; {:.2} lists of features a step",
        whole_s / steps as f64 * 1e6,
        asked.len() as f64 / steps as f64,
        searches_of_features as f64 / steps as f64,
    );
    for kind in BroadPhaseKind::ALL {
        let (mut found, mut rounds) = (0, 0_u32);
        let start = thread_s();
        // Long enough for a clock with a resolution of some milliseconds.
        while thread_s() - start < LONG_S && !asked.is_empty() {
            let (mut broad, mut pairs) = (broad_phase(kind), Vec::new());
            found = 0;
            for boxes in &asked {
                broad.overlapping(black_box(boxes), &mut pairs);
                found += pairs.len();
            }
            rounds += 1;
        }
        let once_s = (thread_s() - start) / f64::from(rounds.max(1));
        println!(
            "  {:12} {:8.2} us a search, {:5.2} % of the steps; {:.1} pairs a search",
            kind.name(),
            once_s / asked.len().max(1) as f64 * 1e6,
            100.0 * once_s / whole_s,
            found as f64 / asked.len().max(1) as f64,
        );
    }
    asked.len() as f64 / steps as f64
}

fn main() {
    let wanted = std::env::args().skip(1).find(|a| !a.starts_with('-'));
    for (name, weight, speed_m_s) in [
        ("heap", true, 0.2),
        ("gas", false, 1.0),
        ("fast gas", false, 5.0),
    ] {
        if wanted
            .as_ref()
            .is_some_and(|w| !name.starts_with(w.as_str()))
        {
            continue;
        }
        for (count, steps) in [(64, 1000), (250, 500), (1000, 200)] {
            let searches = run(name, count, weight, speed_m_s, steps);
            if let ("gas", 64) = (name, count) {
                ours("5.2", "searches a step", number(searches));
            }
        }
    }
}
