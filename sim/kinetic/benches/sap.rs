//! One step of sweep-and-prune in three ways on the same boxes: the kinetic one, an insertion sort
//! kept from step to step, and a sweep rebuilt in each.
//!
//! All three receive the same lines in each step. First they take turns of twenty steps each, so
//! that other load on the machine affects all of them; medians and worst cases are printed. Then
//! criterion measures each separately.
//!
//! `cargo bench -p hapticd-kinetic --bench sap`
#![allow(missing_docs)]
#![allow(clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::{Duration, Instant};

use common::boxes::{Incremental, Rebuilt, Scene, ours, started};
use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_benchmarks::{Cell, detail, number, ours as renew};
use hapticd_kinetic::Kinetic;

fn timed(f: impl FnOnce() -> usize) -> Duration {
    let start = Instant::now();
    black_box(f());
    start.elapsed()
}

/// Median, mean, worst, in microseconds.
fn figures(times: &mut [Duration]) -> [f64; 3] {
    times.sort_unstable();
    let us = |d: Duration| d.as_secs_f64() * 1e6;
    let mean = us(times.iter().sum()) / times.len() as f64;
    [us(times[times.len() / 2]), mean, us(times[times.len() - 1])]
}

/// Number of bodies, speed in m/s, number of moving bodies.
const SCENES: [(usize, f64, usize); 10] = [
    (20, 1.0, 20),
    (60, 1.0, 60),
    (200, 1.0, 200),
    (10_000, 0.0001, 10_000),
    (10_000, 0.001, 10_000),
    (10_000, 0.01, 10_000),
    (10_000, 0.1, 10_000),
    (10_000, 1.0, 10_000),
    (10_000, 0.1, 1_000),
    (10_000, 0.1, 100),
];

/// Returns a ratio to the insertion sort for the tables: bold where we are slower.
fn beside_sort(ratio: f64) -> Cell {
    match number(ratio) {
        cell if ratio < 1.0 => Cell::from(format!("**{cell}**")),
        cell => cell,
    }
}

fn turns() {
    // All of 10,000 boxes move: the rows of the tables.
    let mut ratios = Vec::new();
    println!(
        "bodies, speed m/s, movers: exchanges, awake, pairs; us a step, median (mean, worst): ours, insertion sort, sweep again; ratios"
    );
    for (bodies, speed, movers) in SCENES {
        let mut scenes = [(); 3].map(|()| Scene::new(1, bodies, speed, movers));
        let (mut sap, mut kept, mut again) = (
            started(&scenes[0]),
            Incremental::new(&scenes[1].lines),
            Rebuilt::default(),
        );
        let mut times = [const { Vec::new() }; 3];
        let mut awake = 0;
        let steps = if bodies > 1000 { 400 } else { 4000 };
        // In turns of twenty steps, for which each may keep its data in the caches.
        for turn in 0..steps / 20 {
            for method in (0..3).map(|m| (m + turn) % 3) {
                for _ in 0..20 {
                    let scene = &mut scenes[method];
                    scene.go();
                    times[method].push(timed(|| match method {
                        0 => ours(&mut sap, scene),
                        1 => kept.step(&scene.lines),
                        _ => again.step(&scene.lines),
                    }));
                    if method == 0 {
                        awake += sap.last_report().awake;
                    }
                }
            }
        }
        let swaps = sap.stats().internal[2];
        let [a, b, c] = times.each_mut().map(|t| figures(t));
        let text = |[median, mean, worst]: [f64; 3]| format!("{median:.2} ({mean:.2}, {worst:.0})");
        println!(
            "{bodies:6} {speed:7} {movers:6}: {:9.1} {:8.1} {:6}; {} {} {}; {:.2} {:.2}",
            swaps as f64 / f64::from(steps as u32),
            awake as f64 / f64::from(steps as u32),
            sap.pairs().len(),
            text(a),
            text(b),
            text(c),
            b[0] / a[0],
            c[0] / a[0],
        );
        if (bodies, movers) == (10_000, 10_000) {
            let speed = match speed {
                s if s < 1.0 => format!("{} mm/s", 1e3 * s),
                s => format!("{s} m/s"),
            };
            let [by_sweep, by_sort] = [c[0] / a[0], b[0] / a[0]];
            ratios.push([by_sweep, by_sort]);
            detail("5.3", &speed, vec![number(by_sweep), beside_sort(by_sort)]);
        }
    }
    let range = |k: usize| {
        let all = ratios.iter().map(move |ratio| ratio[k]);
        [
            all.clone().fold(f64::MAX, f64::min),
            all.fold(0.0, f64::max),
        ]
    };
    let [[least, most], [least_sort, most_sort]] = [range(0), range(1)];
    let text = format!("{} to {} times", number(most), number(least));
    renew("5.3", "", text);
    let [least, most] = [least_sort, most_sort].map(beside_sort);
    renew("5.4", "", format!("{least} to {most} times"));
}

fn bench(c: &mut Criterion) {
    turns();
    for (bodies, speed, movers) in [
        (200, 1.0, 200),
        (10_000, 0.001, 10_000),
        (10_000, 0.01, 10_000),
    ] {
        let mut group = c.benchmark_group(format!("{bodies} bodies, {speed} m/s, {movers} move"));
        let mut run = |name: &str, step: &mut dyn FnMut(&Scene) -> usize| {
            let mut scene = Scene::new(1, bodies, speed, movers);
            group.bench_function(name, |b| {
                b.iter_custom(|count| {
                    (0..count)
                        .map(|_| {
                            scene.go();
                            timed(|| step(&scene))
                        })
                        .sum()
                });
            });
        };
        let scene = Scene::new(1, bodies, speed, movers);
        let mut sap = started(&scene);
        run("ours", &mut |s| ours(&mut sap, s));
        let mut kept = Incremental::new(&scene.lines);
        run("insertion sort", &mut |s| kept.step(&s.lines));
        let mut again = Rebuilt::default();
        run("sweep again", &mut |s| again.step(&s.lines));
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(300));
    targets = bench
}
criterion_main!(benches);
