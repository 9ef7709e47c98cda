//! Sweep-and-prune over steps: the work of the running structure, compared with an insertion sort
//! of a kept list and a sweep that is rebuilt.

use std::hint::black_box;
use std::time::{Duration, Instant};

use clap::Parser;
use hapticd_kinetic::Kinetic;
use hapticd_kinetic::sap::{Lines, Pair};

use crate::experiment::{Context, Experiment, Failure, Judges, Report};
use crate::kinetic::Common;
use crate::kinetic::claims::{Claims, Oracle};
use crate::kinetic::common::boxes::{Incremental, Rebuilt, Scene, ours, started};
use crate::kinetic::log::Log;
use crate::svg::{Axis, COLOURS, Frame, Svg};

pub const EXPERIMENT: Experiment = Experiment {
    id: "kinetic-sap",
    title: "kinetic sweep-and-prune: exchanges are order changes; against an insertion sort and a rebuilt sweep",
    judges: Judges::CountsAndTime(&["--bodies", "150", "--steps", "40"]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Bodies.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(2..=100_000))]
    bodies: u32,
    /// Steps of 1 ms of each way, in turns of twenty.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(20..=100_000))]
    steps: u32,
    #[command(flatten)]
    common: Common,
}

/// Speeds, m/s: a tenth of a micrometre to a millimetre per step. Up to the third, motions are
/// small.
const SPEEDS: [f64; 5] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0];
const SMALL: usize = 3;
/// Steps of one method before the next has its turn; for that long its data stay in the caches.
const TURN: usize = 20;
const WAYS: [&str; 3] = ["kinetic", "insertion sort", "sweep again"];

/// Measurements at one speed.
struct Measured {
    speed: f64,
    /// Median time of a step, us, by method.
    us: [f64; 3],
    swaps: f64,
    awake: f64,
    /// Inversions of the endpoint order on all axes from start to end of a step, per step.
    inversions: f64,
    pairs: usize,
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let (mut oracle, mut log) = (Oracle::default(), Log::new());
    let mut all = Vec::new();
    for speed in SPEEDS {
        all.push(measure(&options, speed, &mut oracle, &mut log));
    }
    let mut claims = Claims::default();
    for (k, m) in all.iter().enumerate() {
        let name = |what: &str| format!("{} m/s: {what}", m.speed);
        claims.claim(
            name("exchanges a step, of the order's changes"),
            "",
            format!("{:.2}", m.inversions),
            m.swaps,
            m.swaps == m.inversions,
        );
        claims.figure(name("endpoints looked at in a step"), "", m.awake);
        claims.figure(name("pairs"), "", m.pairs);
        for (way, us) in WAYS.iter().zip(m.us) {
            claims.figure(name(&format!("a step, {way}, median")), "us", us);
        }
        let [ours, kept, again] = m.us;
        if k < SMALL {
            let times = again / ours;
            claims.claim_time(
                name("sweep again over kinetic"),
                ">= 5",
                times,
                times >= 5.0,
            );
            let times = kept / ours;
            claims.claim_time(
                name("insertion sort over kinetic"),
                ">= 1",
                times,
                times >= 1.0,
            );
        } else {
            claims.figure(name("sweep again over kinetic"), "", again / ours);
            claims.figure(name("insertion sort over kinetic"), "", kept / ours);
        }
    }
    options.common.save("sap.csv", || log.text())?;
    options.common.save("sap.svg", || plotted(&all))?;
    Ok(claims.report(
        &oracle,
        vec![format!(
            "{} boxes of 6 to 12 cm, one for every 8 litres, all of which move; {} steps of 1 ms of each way, in turns; wall clock. The oracle compares the pairs at the end of a step with those of all boxes there, and counts what is the other way round on each axis",
            options.bodies, options.steps
        )],
    ))
}

/// Returns the boxes at the end of the step, as constant lines.
fn ends(lines: &[Lines]) -> Vec<Lines> {
    lines.iter().map(|l| Lines::still(&l.end)).collect()
}

/// Returns the endpoints of one axis: bounds at the start and at the end.
fn endpoints(lines: &[Lines], axis: usize) -> Vec<[f64; 2]> {
    (lines.iter())
        .flat_map(|l| [0, 1].map(|side| [l.start[axis][side], l.end[axis][side]]))
        .collect()
}

/// Counts the pairs that are in order at the start and reversed at the end, by merging.
fn inversions(mut ends: Vec<[f64; 2]>) -> u64 {
    fn merge(list: &mut [f64]) -> u64 {
        let n = list.len();
        if n < 2 {
            return 0;
        }
        let (low, high) = list.split_at_mut(n / 2);
        let mut count = merge(low) + merge(high);
        let (low, high) = (low.to_vec(), high.to_vec());
        let (mut i, mut k) = (0, 0);
        for to in list {
            if k == high.len() || (i < low.len() && low[i] <= high[k]) {
                *to = low[i];
                i += 1;
            } else {
                *to = high[k];
                k += 1;
                count += (low.len() - i) as u64;
            }
        }
        count
    }
    ends.sort_by(|a, b| a[0].total_cmp(&b[0]));
    merge(&mut ends.iter().map(|e| e[1]).collect::<Vec<_>>())
}

fn timed(step: impl FnOnce() -> usize) -> Duration {
    let start = Instant::now();
    black_box(step());
    start.elapsed()
}

/// Runs the three methods in turns, with nothing between their steps that would evict their data
/// from the caches; returns medians, us.
fn times(scene: impl Fn() -> Scene, turns: usize) -> [f64; 3] {
    let mut scenes = WAYS.map(|_| scene());
    let mut sap = started(&scenes[0]);
    let (mut kept, mut again) = (Incremental::new(&scenes[1].lines), Rebuilt::default());
    let mut times = [const { Vec::new() }; 3];
    for turn in 0..turns {
        for way in (0..3).map(|way| (way + turn) % 3) {
            for _ in 0..TURN {
                let scene = &mut scenes[way];
                scene.go();
                times[way].push(timed(|| match way {
                    0 => ours(&mut sap, scene),
                    1 => kept.step(&scene.lines),
                    _ => again.step(&scene.lines),
                }));
            }
        }
    }
    times.map(|mut t| {
        t.sort_unstable();
        t[t.len() / 2].as_secs_f64() * 1e6
    })
}

fn measure(options: &Options, speed: f64, oracle: &mut Oracle, log: &mut Log) -> Measured {
    let bodies = options.bodies as usize;
    let scene = || Scene::new(options.common.seed, bodies, speed, bodies);
    let turns = (options.steps as usize).div_ceil(TURN);
    let us = times(scene, turns);
    // The same steps again, this time observed.
    let mut scene = scene();
    let mut sap = started(&scene);
    let (mut awake, mut changed) = (0, 0);
    sap.reset_stats();
    for step in 0..turns * TURN {
        scene.go();
        ours(&mut sap, &scene);
        awake += sap.last_report().awake;
        let axes = (0..3).map(|axis| inversions(endpoints(&scene.lines, axis)));
        changed += axes.sum::<u64>();
        if (step + 1) % TURN == 0 {
            let mut fresh = Rebuilt::default();
            fresh.step(&ends(&scene.lines));
            let (mut mine, mut all) = (sap.pairs().to_vec(), fresh.pairs);
            mine.sort_unstable();
            all.sort_unstable();
            oracle.check(mine == all, || {
                let (a, b) = (mine.len(), all.len());
                format!("at {speed} m/s {a} pairs, by a fresh sweep {b}")
            });
        }
        for event in sap.log() {
            let kind = if event.on { "on" } else { "off" };
            let (a, b): Pair = event.pair;
            let t = 1e-3 * step as f64 + event.time;
            let sizes = [sap.log().len() as u64, sap.stats().certificates_live];
            log.event(t, &format!("{kind} at {speed} m/s"), [a, b], sizes, true);
        }
    }
    let steps = (turns * TURN) as f64;
    Measured {
        speed,
        us,
        swaps: sap.stats().internal[2] as f64 / steps,
        awake: awake as f64 / steps,
        inversions: changed as f64 / steps,
        pairs: sap.pairs().len(),
    }
}

/// Plots the time of a step against speed.
fn plotted(all: &[Measured]) -> String {
    let mut svg = Svg::new(720.0, 440.0);
    let times = || all.iter().flat_map(|m| m.us);
    let low = times().fold(f64::INFINITY, f64::min) * 0.7;
    let high = times().fold(0.0, f64::max) * 1.5;
    let frame = Frame {
        place: [70.0, 30.0, 480.0, 350.0],
        x: Axis::log("speed, m/s", [7e-5, 1.4]),
        y: Axis::log("a step of 1 ms, us, median", [low, high]),
    };
    frame.axes(&mut svg);
    frame.names(&mut svg, &WAYS);
    for way in 0..WAYS.len() {
        let line: Vec<_> = all.iter().map(|m| [m.speed, m.us[way]]).collect();
        let colour = COLOURS[way];
        svg.line(&frame.all(&line), colour, 2.0);
        for p in &line {
            svg.disc(frame.at(*p), 3.5, colour);
        }
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinetic::common::Rng;

    #[test]
    fn inversions_are_those_of_comparing_all_with_all() {
        let mut rng = Rng(3);
        for n in 0..60 {
            let list: Vec<_> = (0..n).map(|_| [rng.unit(), rng.unit()]).collect();
            let turned = |a: &[f64; 2], b: &[f64; 2]| (a[0] < b[0]) != (a[1] < b[1]);
            let pairs = (0..n).flat_map(|i| (0..i).map(move |k| (i, k)));
            let all = pairs.filter(|&(i, k)| turned(&list[i], &list[k])).count();
            assert_eq!(inversions(list), all as u64);
        }
    }
}
