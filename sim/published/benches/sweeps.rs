//! First contact of two meshes that both move, on random sweeps from separated starts. Each is
//! checked against 2,000 samples: 200 with 2,000 triangles, and 20,000 and 80,000 with as many.
//!
//! Not criterion: what matters is the distribution, and whether a contact is missed. Times are
//! thread times, so that other load on the machine does not count. `cargo bench -p
//! hapticd-published --bench sweeps`.
#![allow(missing_docs, clippy::print_stdout)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::SplitMix;
use hapticd_benchmarks::{Cell, number, ours};
use hapticd_ccd::MeshIndex;
use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_geometry::{Pose, Quat, Screw, Vec3, shapes};
use hapticd_published::first_contact::{FirstContactOptions, first_contact};

const CLEARANCE: f64 = 1e-5;
const SAMPLES: u32 = 2_000;

struct Case {
    motions: [Motion; 2],
}

/// Both bodies move, from apart, mostly towards each other.
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

/// The motion of a millisecond at 1 m/s and 2 rad/s, from the end of a sweep: up to a millimetre
/// apart. `None` if the sweep has no contact.
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

/// Prints the distribution; returns the mean, ms.
fn report(name: &str, mut times: Vec<f64>) -> f64 {
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
    1e3 * mean
}

/// Two plates of 800 triangles that lie flat on each other at the clearance and slide by a
/// millimetre.
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

/// One row of results: sweeps or ticks of two bodies.
struct Series {
    name: &'static str,
    /// Row of the tables, if it has one.
    row: Option<&'static str>,
    sweeping: bool,
    runs: usize,
}

/// Prints the times of all runs, and whether a contact was missed or late.
fn series(s: &Series, shapes: [&MeshIndex; 2], rng: &mut SplitMix, search: &mut MovingSearch) {
    let mut truth = Intersections::default();
    let (mut times, mut hits, mut uncertain) = (Vec::new(), 0, 0);
    let (mut touching, mut late, mut sampling) = (0, 0, 0.0);
    for _ in 0..s.runs {
        let Case { motions } = loop {
            let case = if s.sweeping {
                Some(sweep(rng))
            } else {
                tick(rng, search, shapes)
            };
            let apart = |c: &Case| {
                let [a, b] = &c.motions;
                !truth.any(shapes[0], shapes[1], &(b.start().inverse() * a.start()))
            };
            if let Some(case) = case.filter(apart) {
                break case;
            }
        };
        let body = |k: usize| MovingBody {
            shape: shapes[k],
            motion: &motions[k],
            radius_m: 0.0,
        };
        let start = thread_seconds();
        let meeting = search.first_contact(&body(0), &body(1), CLEARANCE, 1.0);
        times.push(thread_seconds() - start);
        hits += usize::from(meeting.first.is_some());
        uncertain += usize::from(!meeting.certain);
        let start = thread_seconds();
        let first = (0..=SAMPLES)
            .map(|i| f64::from(i) / f64::from(SAMPLES))
            .find(|&t| {
                let pose = motions[1].pose_at(t).inverse() * motions[0].pose_at(t);
                truth.any(shapes[0], shapes[1], &pose)
            });
        sampling += thread_seconds() - start;
        if let Some(t) = first {
            touching += 1;
            late += usize::from(meeting.free_until >= t);
        }
    }
    println!(
        "{}: {hits} contacts in {}, {uncertain} of them for want of steps; sampled {touching} touch, missed or late {late} ({sampling:.0} s)",
        s.name, s.runs
    );
    let mean_ms = report(s.name, times);
    if let Some(row) = s.row {
        let figures = vec![Cell::from(format!("{late} of {touching}")), number(mean_ms)];
        ours(row, "ms", figures);
    }
    assert_eq!(late, 0);
}

/// The published method (one mover) on the same kind of sweep, for comparison.
fn published(shapes: [&MeshIndex; 2], rng: &mut SplitMix) {
    let mut times = Vec::new();
    for _ in 0..200 {
        let Case { motions: [a, b] } = sweep(rng);
        let b_from_world = b.start().inverse();
        let screw = a.screws()[0].in_frame(&b_from_world);
        let start = thread_seconds();
        std::hint::black_box(first_contact(
            shapes[0],
            shapes[1],
            &(b_from_world * a.start()),
            &screw,
            &FirstContactOptions::default(),
        ));
        times.push(thread_seconds() - start);
    }
    let mean_ms = report("published method, one mover", times);
    ours("2.7", "ms", number(mean_ms));
}

fn main() {
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let torus = |r, tube, n, m| MeshIndex::new(shapes::torus(r, tube, n, m).expect("valid"));
    // The same two rings, coarse and fine.
    let small = |n, m| torus(0.1, 0.04, n, m);
    let large = |n, m| torus(0.15, 0.06, n, m);
    let mut rng = SplitMix(1);
    let mut search = MovingSearch::new(256);
    sliding(&mut search);
    for (size, a, b, runs, rows) in [
        (
            "200 x 2,000",
            small(10, 10),
            large(40, 25),
            2_000,
            [Some("2.3"), Some("2.4")],
        ),
        (
            "20,000 x 20,000",
            small(125, 80),
            large(125, 80),
            500,
            [Some("2.5"), None],
        ),
        (
            "80,000 x 80,000",
            small(250, 160),
            large(250, 160),
            500,
            [Some("2.6"), None],
        ),
    ] {
        println!("\n{size} triangles");
        let shapes = [&a, &b];
        for (name, sweeping, row) in [
            ("large sweeps", true, rows[0]),
            ("ticks of 1 ms", false, rows[1]),
        ] {
            let s = Series {
                name,
                row,
                sweeping,
                runs,
            };
            series(&s, shapes, &mut rng, &mut search);
        }
        if runs == 2_000 {
            published(shapes, &mut rng);
        }
    }
}
