//! Cost of tracking one particle from cell to cell, in the plane and in space.
#![allow(missing_docs)]
#![allow(clippy::print_stdout)]

mod common;

use std::hint::black_box;
use std::time::{Duration, Instant};

use common::Random;
use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_benchmarks::{ours, quantiles};
use hapticd_geometry::Vec3;
use hapticd_registration::map::Map;
use hapticd_registration::track::Tally;

/// Single moves: their 99th percentile, including the timer.
fn tracking(c: &mut Criterion) {
    let mut cells = Vec::new();
    for (name, map, flat) in [
        (
            "plane",
            Map::grid_2d(Vec3::zeros(), 1.0, [32, 32]).unwrap(),
            true,
        ),
        (
            "volume",
            Map::grid_3d(Vec3::zeros(), 1.0, [32; 3]).unwrap(),
            false,
        ),
    ] {
        let mut random = Random(3);
        let mut tally = Tally::default();
        let start = random.vector(flat) * 32.0;
        let near = map.leaves().next().unwrap();
        let mut particle = map.locate(&start, near, &mut tally).unwrap();
        let half = Vec3::new(0.5, 0.5, if flat { 0.0 } else { 0.5 });
        let goals: Vec<Vec3> = (0..20_000)
            .scan(start, |p, _| {
                let to = *p + (random.vector(flat) - half) * 0.6;
                let inside = (0..if flat { 2 } else { 3 }).all(|i| to[i] > 0.0 && to[i] < 32.0);
                *p = if inside { to } else { start };
                Some(*p)
            })
            .collect();
        let mut times: Vec<Duration> = goals
            .iter()
            .map(|goal| {
                let begin = Instant::now();
                let outcome = map.track(&mut particle, black_box(goal), &mut tally);
                let took = begin.elapsed();
                let _ = black_box(outcome);
                took
            })
            .collect();
        times.sort_unstable();
        let at = |share: f64| times[(share * times.len() as f64) as usize];
        println!(
            "tracking in a {name}: median {:?}, p99 {:?}, p99.9 {:?}, {tally:?}",
            at(0.5),
            at(0.99),
            at(0.999)
        );
        let [median, p99] = [0.5, 0.99].map(|share| 1e6 * at(share).as_secs_f64());
        cells.push(quantiles(median, p99));
        let mut i = 0;
        c.bench_function(&format!("tracking in a {name}"), |b| {
            b.iter(|| {
                i = (i + 1) % goals.len();
                map.track(&mut particle, black_box(&goals[i]), &mut tally)
            });
        });
    }
    ours("5.7", "us", cells);
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .sample_size(20)
        .without_plots();
    targets = tracking
}
criterion_main!(benches);
