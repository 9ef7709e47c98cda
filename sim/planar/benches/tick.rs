//! Cost of a tick of a planar scene: the demonstration's room, a disc that moves about in it and
//! presses on what it meets, a rotating star, a swinging block.
//!
//! First, thirty thousand ticks of virtual time are measured one by one: median, mean, 99th
//! percentile, worst. They are the same ticks in every run, so instructions can be counted as well:
//! `valgrind --tool=callgrind --toggle-collect='*PlanarEngine*tick*' BENCH --test`. Then criterion
//! measures sequences of a hundred.
//!
//! `cargo bench -p hapticd-planar --bench tick`
#![allow(missing_docs)]
#![allow(clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::f64::consts::TAU;
use std::hint::black_box;
use std::time::{Duration, Instant};

use common::{PERIOD_S, Polygon, Scene, at, fixed, rectangle};
use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_benchmarks::{ours, quantiles};
use hapticd_geometry::Pose;
use hapticd_planar::polygon::{about_disc, star};
use hapticd_proxy::{BodyTarget, MAX_ARMS, Snapshot, TickInput};

/// Ticks of the run.
const TICKS: u32 = 30_000;

/// Interval between answers of the collision thread, ticks.
const ANSWERS: u32 = 3;

/// A comb: slots 12 mm wide.
const COMB: [[f64; 2]; 16] = [
    [-0.1, 0.005],
    [-0.1, -0.005],
    [-0.076, -0.005],
    [-0.076, -0.03],
    [-0.07, -0.03],
    [-0.07, -0.005],
    [-0.058, -0.005],
    [-0.058, -0.03],
    [-0.052, -0.03],
    [-0.052, -0.005],
    [-0.04, -0.005],
    [-0.04, -0.03],
    [-0.034, -0.03],
    [-0.034, -0.005],
    [0.1, -0.005],
    [0.1, 0.005],
];

/// A C for the tool to enter.
const CLAW: [[f64; 2]; 16] = [
    [0.02, -0.016],
    [0.026, -0.012],
    [0.022, 0.015],
    [0.008, 0.026],
    [-0.01, 0.025],
    [-0.024, 0.012],
    [-0.025, -0.008],
    [-0.012, -0.024],
    [0.006, -0.026],
    [0.005, -0.02],
    [-0.009, -0.018],
    [-0.019, -0.006],
    [-0.018, 0.009],
    [-0.007, 0.019],
    [0.006, 0.02],
    [0.017, 0.011],
];

/// The room of `config/planar.toml`.
fn room() -> Vec<Polygon> {
    vec![
        fixed(rectangle(0.1, 0.005), at(0.0, -0.065, 0.0)),
        fixed(COMB.to_vec(), at(0.0, 0.065, 0.0)),
        fixed(rectangle(0.005, 0.058), at(-0.095, 0.0, 0.0)),
        fixed(rectangle(0.005, 0.058), at(0.095, 0.0, 0.0)),
        fixed(CLAW.to_vec(), at(0.05, 0.018, -TAU / 6.0)),
        moving(star(6, 0.02, 0.009), at(-0.045, -0.022, 0.0)),
        moving(rectangle(0.008, 0.006), at(0.035, -0.042, 0.0)),
    ]
}

/// Returns a polygon that will get targets.
fn moving(outline: Vec<[f64; 2]>, pose: Pose) -> Polygon {
    let target = Some(BodyTarget {
        world_from_body: pose,
        speed_m_s: 0.0,
    });
    Polygon {
        target,
        ..fixed(outline, pose)
    }
}

/// The scene, and the time in it.
struct Run {
    scene: Scene,
    snapshot: Option<Box<Snapshot>>,
    tick: u32,
}

impl Run {
    fn new() -> Self {
        let disc = (about_disc(0.004, 24), false);
        let mut scene = Scene::new(vec![disc], room(), 0.3, 256);
        scene.settle(&[hand(0.0)]);
        Run {
            scene,
            snapshot: None,
            tick: 0,
        }
    }

    /// Gives the collision thread's periodic answer: the star turns once in 12 s, the block swings
    /// in 7 s.
    fn answer(&mut self) {
        let t = f64::from(self.tick) * PERIOD_S + 0.02;
        let turned = BodyTarget {
            world_from_body: at(-0.045, -0.022, TAU / 12.0 * t),
            speed_m_s: 1.5 * 0.02 * TAU / 12.0,
        };
        let swung = BodyTarget {
            world_from_body: at(0.035 + 0.03 * (TAU / 7.0 * t).sin(), -0.042, 0.0),
            speed_m_s: 1.5 * 0.03 * TAU / 7.0,
        };
        self.scene.bodies[5].target = Some(turned);
        self.scene.bodies[6].target = Some(swung);
        self.snapshot = Some(self.scene.snapshot());
    }

    /// Runs one tick, and returns its duration.
    fn tick(&mut self) -> Duration {
        if self.tick.is_multiple_of(ANSWERS) {
            self.answer();
        }
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(hand(f64::from(self.tick) * PERIOD_S));
        let input = TickInput {
            period_s: PERIOD_S,
            devices,
            anchor: 0,
        };
        let snapshot = self.snapshot.take();
        let start = Instant::now();
        if let Some(snapshot) = snapshot {
            self.scene.engine.receive(snapshot);
        }
        black_box(self.scene.engine.tick(&input));
        let took = start.elapsed();
        self.tick += 1;
        took
    }
}

/// Returns the hand's pose: all over the room and a little beyond its walls, at up to 0.25 m/s.
fn hand(t: f64) -> Pose {
    let x = 0.075 * (TAU * t / 5.3).sin() + 0.03 * (TAU * t / 1.7).sin();
    let y = 0.05 * (TAU * t / 3.1 + 0.5).sin() + 0.018 * (TAU * t / 0.9).sin();
    at(x, y, 0.0)
}

fn turns() {
    let mut run = Run::new();
    let mut us: Vec<f64> = Vec::new();
    let [mut touching, mut starved, mut events] = [0_u64; 3];
    for _ in 0..TICKS {
        us.push(run.tick().as_secs_f64() * 1e6);
        let arm = &run.scene.engine.output().arms[0];
        touching += u64::from(arm.contact_count > 0);
        starved += u64::from(arm.starved);
        events += u64::from(arm.pairs_tested);
    }
    let proxy = run.scene.engine.output().arms[0].proxy.translation.vector;
    us.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| us[(share * (us.len() - 1) as f64) as usize];
    println!(
        "{TICKS} ticks, {touching} with a contact, {starved} starved, {events} events of the tool, builds {:?}, the tool ends at {:016x} {:016x}",
        run.scene.engine.rebuilds(),
        proxy.x.to_bits(),
        proxy.y.to_bits()
    );
    println!(
        "us a tick: median {:.2}, mean {:.2}, 99 % {:.2}, worst {:.0}",
        at(0.5),
        us.iter().sum::<f64>() / us.len() as f64,
        at(0.99),
        at(1.0)
    );
    ours("1.3", "us", quantiles(at(0.5), at(0.99)));
}

fn bench(c: &mut Criterion) {
    turns();
    let mut run = Run::new();
    c.bench_function("a hundred ticks of the planar demonstration", |b| {
        b.iter_custom(|count| (0..100 * count).map(|_| run.tick()).sum());
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(300));
    targets = bench
}
criterion_main!(benches);
