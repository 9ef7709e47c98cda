//! "Pesenteur": polygons that fall in a box and bounce until they are at rest.

use clap::Parser;
use hapticd_kinetic::pseudo::{Bounce, Contacts, CornerChange, Policy, PolygonBody};
use hapticd_kinetic::{Kinetic, PolygonStructure, PseudoTriangulation};

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report};
use crate::kinetic::cells::outlines;
use crate::kinetic::claims::{Claims, Oracle};
use crate::kinetic::common::Rng;
use crate::kinetic::common::polygons::{any_overlap, boxed};
use crate::kinetic::log::Log;
use crate::kinetic::{Common, failed, positive};
use crate::svg::{Anchor, Axis, COLOURS, Frame, INK, PALE, Svg};

pub const EXPERIMENT: Experiment = Experiment {
    id: "kinetic-gravity",
    title: "polygons that fall and bounce in a box: heights, energy, impacts, no penetration",
    judges: Judges::Counts(&[]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Polygons.
    #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=16))]
    k: u32,
    /// Vertices of each.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(4..=40))]
    vertices: u32,
    /// Gravity, m/s².
    #[arg(long, default_value_t = 3.0, value_parser = gravity)]
    gravity: f64,
    /// Share of the normal speed that comes back.
    #[arg(long, default_value_t = 0.5, value_parser = share)]
    restitution: f64,
    /// Least normal speed at which two part, m/s. Without it bounces accumulate and time stands
    /// still.
    #[arg(long, default_value_t = 0.05, value_parser = share)]
    least_speed: f64,
    /// Simulated time, s.
    #[arg(long, default_value_t = 12.0, value_parser = positive)]
    t_end: f64,
    #[command(flatten)]
    common: Common,
}

fn between(word: &str, high: f64) -> Result<f64, String> {
    let x: f64 = word.parse().map_err(|e| format!("{e}"))?;
    if (0.0..=high).contains(&x) {
        Ok(x)
    } else {
        Err(format!("0 to {high}"))
    }
}

fn gravity(word: &str) -> Result<f64, String> {
    between(word, 20.0)
}

fn share(word: &str) -> Result<f64, String> {
    between(word, 1.0)
}

/// Sampling period, s.
const SAMPLE_S: f64 = 0.01;
/// Relative energy that rounding may add between two samples.
const ROUNDING: f64 = 1e-9;
const FRAMES: usize = 4;

/// Returns kinetic and potential energy, J.
fn energy(bodies: &[PolygonBody], gravity: f64, t: f64) -> f64 {
    let moving = bodies.iter().filter(|b| b.mass < f64::INFINITY);
    moving
        .map(|b| {
            let v = b.motion.velocity_at(t);
            let height = b.motion.about(t).centre[1];
            0.5 * b.mass * (v[0] * v[0] + v[1] * v[1])
                + 0.5 * b.inertia * b.motion.omega.powi(2)
                + b.mass * gravity * height
        })
        .sum()
}

/// Observations at one sample.
struct Sample {
    t: f64,
    heights: Vec<f64>,
    energy: f64,
    impacts: u64,
}

/// One complete run.
struct Fall {
    looks: Vec<Sample>,
    frames: Vec<(f64, Vec<PolygonBody>)>,
    log: Log,
    impacts: u64,
    events: u64,
    seconds: f64,
}

fn fall(options: &Options, how: Bounce, oracle: &mut Oracle) -> Result<Fall, Failure> {
    let mut rng = Rng(options.common.seed);
    let bodies = boxed(
        &mut rng,
        options.k as usize,
        options.vertices as usize,
        options.gravity,
    );
    let is_free = |b: &&PolygonBody| b.mass < f64::INFINITY;
    let mass = bodies
        .iter()
        .filter(is_free)
        .map(|b| b.mass)
        .fold(0.0, f64::max);
    let mut structure = PseudoTriangulation::new(
        bodies,
        0.0,
        options.t_end + 1.0,
        Policy::Foreign,
        Contacts::Bounce(how),
    )
    .map_err(failed)?;
    let mut fall = Fall {
        looks: Vec::new(),
        frames: vec![(0.0, structure.bodies().to_vec())],
        log: Log::new(),
        impacts: 0,
        events: 0,
        seconds: 0.0,
    };
    let mut before = energy(structure.bodies(), options.gravity, 0.0);
    let whole = before.abs().max(1.0);
    let count = (options.t_end / SAMPLE_S).round() as u32;
    for k in 1..=count {
        let t = f64::from(k) * SAMPLE_S;
        let start = Moment::now();
        while let Some(event) = structure.step(t).map_err(failed)? {
            if event.happened == CornerChange::Contact {
                let corner = event.corner.map(|(b, v)| format!("{b}.{v}"));
                let sizes = [structure.queued() as u64, structure.certificates()];
                fall.log.event(event.time, "contact", corner, sizes, true);
            }
        }
        structure.advance(t).map_err(failed)?;
        fall.seconds += start.elapsed().as_secs_f64();
        let bodies = structure.bodies();
        oracle.check(!any_overlap(bodies, t), || format!("two overlap at {t} s"));
        // Impacts take energy, except for the least speed: at most half a mass times its square.
        let now = energy(bodies, options.gravity, t);
        let impacts = structure.impacts() - fall.impacts;
        let given = impacts as f64 * 0.5 * mass * how.least_speed.powi(2);
        let mut right = now <= before + given + ROUNDING * whole;
        if how.restitution == 1.0 || impacts == 0 {
            right &= now >= before - ROUNDING * whole;
        }
        oracle.check(right, || {
            format!("{before} J become {now} J by {impacts} impacts before {t} s")
        });
        before = now;
        fall.impacts = structure.impacts();
        let heights = bodies
            .iter()
            .filter(is_free)
            .map(|b| b.motion.about(t).centre[1]);
        fall.looks.push(Sample {
            t,
            heights: heights.collect(),
            energy: now,
            impacts: fall.impacts,
        });
        if (fall.frames.len() as u32) * count / (FRAMES as u32 - 1) == k {
            let audit = structure.audit(t);
            oracle.check(audit.is_ok(), || format!("{audit:?}"));
            fall.frames.push((t, bodies.to_vec()));
        }
    }
    fall.events = structure.stats().events();
    Ok(fall)
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let mut oracle = Oracle::default();
    let how = Bounce {
        restitution: options.restitution,
        least_speed: options.least_speed,
    };
    let fallen = fall(&options, how, &mut oracle)?;
    let elastic = Bounce {
        restitution: 1.0,
        least_speed: 0.0,
    };
    let free = fall(&options, elastic, &mut oracle)?;
    let mut claims = Claims::default();
    let energies = |f: &Fall| {
        let first = f.looks.first().map_or(f64::NAN, |l| l.energy);
        let last = f.looks.last().map_or(f64::NAN, |l| l.energy);
        (first, last)
    };
    let (first, last) = energies(&free);
    let change = (last - first).abs() / first.abs().max(1.0);
    claims.claim(
        "restitution 1: energy lost or made, of the whole",
        "",
        "<= 1e-8",
        change,
        change <= 1e-8,
    );
    let (first, last) = energies(&fallen);
    claims.claim(
        format!(
            "restitution {}: energy at the end, {first:.3} at the start",
            how.restitution
        ),
        "J",
        "less",
        last,
        last < first || how.restitution == 1.0,
    );
    for (name, f) in [("1", &free), ("as asked", &fallen)] {
        claims.figure(format!("restitution {name}: impacts"), "", f.impacts);
        claims.figure(format!("restitution {name}: events"), "", f.events);
        claims.figure(
            format!("restitution {name}: processor time for a second"),
            "ms",
            1e3 * f.seconds / options.t_end,
        );
    }
    options.common.save("gravity.csv", || fallen.log.text())?;
    options
        .common
        .save("gravity.svg", || drawn(&fallen, options.t_end))?;
    Ok(claims.report(
        &oracle,
        vec![format!(
            "{} polygons of {} vertices, {} m/s², restitution {}, least speed {} m/s, seed {}, {} s; the oracle looks every {} ms: no two overlap, and energy is what the bounces leave. The source has a title only",
            options.k,
            options.vertices,
            options.gravity,
            how.restitution,
            how.least_speed,
            options.common.seed,
            options.t_end,
            1e3 * SAMPLE_S
        )],
    ))
}

/// Draws the bodies at four times, and heights, energy and impacts over time.
fn drawn(fall: &Fall, end: f64) -> String {
    let mut svg = Svg::new(900.0, 640.0);
    let reach = (fall.frames[0].1.iter())
        .flat_map(|b| b.polygon(0.0))
        .flatten()
        .fold(0.0_f64, |r, x| r.max(x.abs()));
    for (k, (t, bodies)) in fall.frames.iter().enumerate() {
        let place = [15.0 + 222.0 * k as f64, 30.0, 208.0, 208.0];
        let map = Frame::map(place, [0.0; 2], reach);
        let label = [place[0], place[1] - 6.0];
        let (walls, free): (Vec<PolygonBody>, Vec<PolygonBody>) = bodies
            .iter()
            .cloned()
            .partition(|b| b.mass == f64::INFINITY);
        outlines(&walls, *t, &mut svg, &map, PALE);
        for (n, body) in free.iter().enumerate() {
            let one = std::slice::from_ref(body);
            outlines(one, *t, &mut svg, &map, COLOURS[n % COLOURS.len()]);
        }
        svg.text(label, 12.0, Anchor::Start, INK, &format!("{t:.1} s"));
    }
    let time = |label| Axis::linear(label, [0.0, end]);
    let heights = || fall.looks.iter().flat_map(|l| l.heights.iter().copied());
    let low = heights().fold(f64::INFINITY, f64::min);
    let high = heights().fold(f64::NEG_INFINITY, f64::max);
    let upper = Frame {
        place: [70.0, 275.0, 810.0, 165.0],
        x: time(""),
        y: Axis::linear("heights, m", [low - 0.1, high + 0.1]),
    };
    upper.axes(&mut svg);
    // Every fifth sample is enough for a line.
    let shown = || fall.looks.iter().step_by(5);
    for body in 0..fall.looks[0].heights.len() {
        let line: Vec<_> = shown().map(|l| [l.t, l.heights[body]]).collect();
        svg.line(&upper.all(&line), COLOURS[body % COLOURS.len()], 1.0);
    }
    let energies = || fall.looks.iter().map(|l| l.energy);
    let low = energies().fold(f64::INFINITY, f64::min);
    let high = energies().fold(f64::NEG_INFINITY, f64::max);
    let room = 0.05 * (high - low).max(1e-6);
    let most = fall.impacts.max(1) as f64;
    let lower = Frame {
        place: [70.0, 485.0, 810.0, 110.0],
        x: time("time, s"),
        y: Axis::linear("energy, J", [low - room, high + room]),
    };
    lower.axes(&mut svg);
    let line: Vec<_> = shown().map(|l| [l.t, l.energy]).collect();
    svg.line(&lower.all(&line), INK, 1.5);
    let impacts = Frame {
        y: Axis::linear("", [0.0, most]),
        ..lower
    };
    let line: Vec<_> = shown().map(|l| [l.t, l.impacts as f64]).collect();
    svg.dashed(&impacts.all(&line), COLOURS[1], 1.0);
    let text = format!("dashed: impacts so far, {} at the end", fall.impacts);
    svg.text([880.0, 478.0], 12.0, Anchor::End, COLOURS[1], &text);
    svg.finish()
}
