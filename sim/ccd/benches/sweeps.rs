//! First contact of 200 with 2,000 triangles on random sweeps from separated starts, held against 2,000 samples of each.
//!
//! Not criterion: what counts is the distribution and whether anything is missed. Times are those of the thread, so that other work on the machine
//! does not count. `cargo bench -p hapticd-ccd --bench sweeps`.
#![allow(missing_docs, clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::SplitMix;
use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_ccd::{FirstContactOptions, MeshIndex, first_contact};
use hapticd_geometry::{Pose, Quat, Screw, Vec3, shapes};

const CLEARANCE: f64 = 1e-5;

struct Case {
    motions: [Motion; 2],
}

/// Both bodies move, from apart, mostly at each other.
fn sweep(rng: &mut SplitMix) -> Case {
    let at = rng.direction() * rng.range(0.35, 1.0);
    let mut motion = |at: Vec3| {
        let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
        let start = Pose::from_parts(at.into(), turn);
        let d = (rng.point(0.1) - at) * rng.range(0.5, 3.0);
        Motion::screw(&start, &Screw::from_twist(&d, &rng.point(2.0), &at))
    };
    Case {
        motions: [motion(at), motion(-at)],
    }
}

/// As far as in a millisecond at 1 m/s and 2 rad/s, from where a sweep ends: up to a millimetre apart. `None` if it does not meet.
fn tick(rng: &mut SplitMix, search: &mut MovingSearch, shapes: [&MeshIndex; 2]) -> Option<Case> {
    let Case { motions } = sweep(rng);
    let body = |k: usize| MovingBody {
        shape: shapes[k],
        motion: &motions[k],
        radius_m: 0.0,
    };
    let near = search.first_contact(&body(0), &body(1), rng.log_range(2e-5, 1e-3), 1.0);
    near.first?;
    let motions = motions.map(|m| {
        let start = m.pose_at(near.free_until);
        let at = start.translation.vector;
        Motion::screw(
            &start,
            &Screw::from_twist(&rng.point(1e-3), &rng.point(2e-3), &at),
        )
    });
    Some(Case { motions })
}

fn thread_seconds() -> f64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    now.tv_sec as f64 + 1e-9 * now.tv_nsec as f64
}

fn report(name: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let at = |q: f64| times[((times.len() - 1) as f64 * q) as usize];
    println!(
        "{name}: mean {:.3} ms, median {:.3}, p99 {:.3}, worst {:.3}",
        mean * 1e3,
        at(0.5) * 1e3,
        at(0.99) * 1e3,
        at(1.0) * 1e3
    );
}

/// Two plates of 800 triangles that lie flat on each other at the clearance, and slide a millimetre.
fn sliding(search: &mut MovingSearch) {
    let sheet = MeshIndex::new(shapes::sheet(0.1, 20).expect("valid"));
    let mut rng = SplitMix(2);
    let mut times = Vec::new();
    let (mut free, mut features) = (0, 0);
    for _ in 0..20 {
        let still = Motion::still(&Pose::identity());
        let at = Vec3::new(rng.range(-0.02, 0.02), rng.range(-0.02, 0.02), CLEARANCE);
        let d = Vec3::new(1e-3, 5e-4, 1e-9);
        let screw = Screw::from_twist(&d, &(Vec3::z() * rng.range(-1e-2, 1e-2)), &at);
        let motion = Motion::screw(&Pose::from_parts(at.into(), Quat::identity()), &screw);
        let body = |motion| MovingBody {
            shape: &sheet,
            motion,
            radius_m: 0.0,
        };
        let before = search.counters().features;
        let start = thread_seconds();
        let meeting = search.first_contact(&body(&motion), &body(&still), CLEARANCE, 1.0);
        times.push(thread_seconds() - start);
        features += search.counters().features - before;
        free += usize::from(meeting.first.is_none());
    }
    println!(
        "sliding plates: {free} of 20 free, {} feature pairs a step",
        features / 20
    );
    report("sliding plates", times);
}

fn main() {
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let small = MeshIndex::new(shapes::torus(0.1, 0.04, 10, 10).expect("valid"));
    let large = MeshIndex::new(shapes::torus(0.15, 0.06, 40, 25).expect("valid"));
    let mut rng = SplitMix(1);
    let mut search = MovingSearch::new(256);
    sliding(&mut search);
    let mut truth = Intersections::default();
    for (name, sweeping, runs, checked) in [
        ("large sweeps", true, 2_000, 150),
        ("ticks of 1 ms", false, 2_000, 20),
    ] {
        let (mut times, mut hits, mut late, mut samples_hit) = (Vec::new(), 0, 0, 0);
        let mut one_mover = Vec::new();
        for run in 0..runs {
            let case = loop {
                let case = if sweeping {
                    sweep(&mut rng)
                } else if let Some(case) = tick(&mut rng, &mut search, [&small, &large]) {
                    case
                } else {
                    continue;
                };
                let [a, b] = &case.motions;
                if !truth.any(&small, &large, &(b.start().inverse() * a.start())) {
                    break case;
                }
            };
            let body = |shape, motion| MovingBody {
                shape,
                motion,
                radius_m: 0.0,
            };
            let (a, b) = (
                body(&small, &case.motions[0]),
                body(&large, &case.motions[1]),
            );
            let start = thread_seconds();
            let meeting = search.first_contact(&a, &b, CLEARANCE, 1.0);
            times.push(thread_seconds() - start);
            hits += usize::from(meeting.first.is_some());
            if run < 200 {
                // The other search knows one mover only.
                let b_from_a = b.motion.start().inverse() * a.motion.start();
                let screw = a.motion.screws()[0].in_frame(&b.motion.start().inverse());
                let start = thread_seconds();
                let found = first_contact(
                    &small,
                    &large,
                    &b_from_a,
                    &screw,
                    &FirstContactOptions::default(),
                );
                one_mover.push(thread_seconds() - start);
                std::hint::black_box(found);
            }
            if run < checked {
                let first = (0..=2_000).map(|i| f64::from(i) / 2_000.0).find(|&t| {
                    let pose = b.motion.pose_at(t).inverse() * a.motion.pose_at(t);
                    truth.any(&small, &large, &pose)
                });
                if let Some(t) = first {
                    samples_hit += 1;
                    late += usize::from(meeting.free_until >= t);
                }
            }
        }
        println!(
            "{name}: {hits} contacts in {runs}; of {checked} sampled {samples_hit} touch, missed or late {late}"
        );
        report(name, times);
        report("  one mover, interval search", one_mover);
        assert_eq!(late, 0);
    }
}
