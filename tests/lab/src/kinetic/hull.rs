//! "Enveloppe convexe 2D": points that move in the plane, and their upper and lower hull.

use std::cmp::Ordering;

use clap::Parser;
use hapticd_kinetic::kinetic::REBUILD_AFTER;
use hapticd_kinetic::{Kinetic, Motion1};
use hapticd_published::hull::{Hull, HullEvent, Merged, UpperHull};

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report};
use crate::kinetic::claims::{Claims, Oracle};
use crate::kinetic::common::Rng;
use crate::kinetic::common::points::{Point, agree, at, fresh, moving, negative};
use crate::kinetic::log::Log;
use crate::kinetic::{Common, dual, failed, n_log_n, positive};
use crate::svg::{Anchor, COLOURS, Frame, INK, PALE, Svg};

pub const EXPERIMENT: Experiment = Experiment {
    id: "kinetic-hull",
    title: "points in the plane: upper and lower hull, nine types of certificates, bounces as new flight plans",
    judges: Judges::Counts(&[]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Points.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(2..=1000))]
    n: u32,
    /// Degree of their motions.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=3))]
    deg: u32,
    /// Half the side of the walls at which points of constant speed turn round, m; 0: none. Points
    /// of higher degrees see no walls.
    #[arg(long = "box", default_value_t = 1.2, value_parser = half_side)]
    half: f64,
    /// When it ends, s.
    #[arg(long, default_value_t = 6.0, value_parser = positive)]
    t_end: f64,
    /// Node of the tree whose two envelopes the dual picture shows, at the look at which there is
    /// most to see; the last is the root, and the default.
    #[arg(long)]
    node: Option<usize>,
    /// Most points in the table of events by the number of points: 8, 32, 128, 512.
    #[arg(long, default_value_t = 512)]
    most: usize,
    #[command(flatten)]
    common: Common,
}

fn half_side(word: &str) -> Result<f64, String> {
    let half: f64 = word.parse().map_err(|e| format!("{e}"))?;
    if half == 0.0 || (1.01..=1e3).contains(&half) {
        Ok(half)
    } else {
        Err("0, or 1.01 to 1000: the points start within 1".into())
    }
}

/// Number of checks of the hull, at random times, and of pictures of it.
const CHECKS: usize = 200;
const FRAMES: usize = 6;

/// Returns the time after `now` at which a coordinate reaches a wall.
fn wall_time(motion: &Motion1, half: f64, now: f64) -> f64 {
    let (x, v) = (motion.at(now), motion.slope(now));
    if v == 0.0 || half == 0.0 {
        return f64::INFINITY;
    }
    now + ((half * v.signum() - x) / v).max(0.0)
}

/// The two halves and their log, advanced together.
struct Run {
    points: Vec<Point>,
    hull: Hull,
    log: Log,
}

impl Run {
    /// Advances to `t`, with the events of both halves in order of time.
    fn advance(&mut self, t: f64) -> Result<(), Failure> {
        loop {
            let [above, below] = [&self.hull.upper, &self.hull.lower].map(Kinetic::next_time);
            if above.min(below) > t {
                break;
            }
            let (half, name) = if above <= below {
                (&mut self.hull.upper, "upper")
            } else {
                (&mut self.hull.lower, "lower")
            };
            match half.step(t) {
                Ok(event) => event
                    .iter()
                    .for_each(|e| noted(&mut self.log, name, half, e)),
                Err(_) => {
                    let later = half.now() + REBUILD_AFTER;
                    half.rebuild(later).map_err(failed)?;
                }
            }
        }
        self.hull.advance(t, 1.0).map_err(failed)?;
        Ok(())
    }
}

fn noted(log: &mut Log, name: &str, half: &UpperHull, event: &HullEvent) {
    let kind = half.stats().kinds()[event.certificate as usize];
    let points = event.points.iter().filter(|p| **p != u32::MAX);
    let sizes = [half.queued() as u64, half.certificates()];
    log.event(
        event.time,
        &format!("{name} {kind}"),
        points,
        sizes,
        event.external,
    );
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let (n, degree) = (options.n as usize, options.deg as usize);
    let half = if degree == 1 { options.half } else { 0.0 };
    let mut rng = Rng(options.common.seed);
    let points: Vec<Point> = (0..n).map(|_| moving(&mut rng, degree)).collect();
    let mut run = Run {
        hull: Hull::new(&points, 0.0, f64::INFINITY).map_err(failed)?,
        points,
        log: Log::new(),
    };
    let mut oracle = Oracle::default();
    let mut stops: Vec<(f64, Stop)> = (0..CHECKS)
        .map(|_| (rng.range(0.0, options.t_end), Stop::Look))
        .chain((0..FRAMES).map(|k| {
            let share = k as f64 / (FRAMES - 1) as f64;
            (share * options.t_end, Stop::Frame)
        }))
        .collect();
    stops.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut frames, mut best, mut bounces) = (Vec::new(), None, 0_u64);
    for (t, stop) in stops {
        bounces += advance_in_box(&mut run, half, t)?;
        let t = run.hull.upper.now();
        look(&run, t, &mut oracle);
        if matches!(stop, Stop::Frame) {
            frames.push(Snapshot::of(&run, t));
        }
        let upper = &run.hull.upper;
        let merged = merged(upper, options.node)?;
        let seen = dual::readable(upper, &merged, t);
        if best.as_ref().is_none_or(|b: &Best| seen > b.seen) {
            let upper = upper.clone();
            best = Some(Best {
                seen,
                upper,
                merged,
                t,
            });
        }
    }
    let mut claims = Claims::default();
    measures(&mut claims, &run.hull, n, bounces);
    efficiency(&mut claims, &mut oracle, &mut rng, options.most)?;
    options.common.save("hull.csv", || run.log.text())?;
    options.common.save("hull.svg", || drawn(&frames, half))?;
    if let Some(best) = best {
        options.common.save("hull-dual.svg", || {
            dual::picture(&best.upper, &best.merged, best.t)
        })?;
    }
    let walls = match half {
        0.0 => "no walls".to_owned(),
        half => format!("walls {half} m from the middle, {bounces} bounces"),
    };
    Ok(claims.report(
        &oracle,
        vec![format!(
            "{n} points of degree {degree}, seed {}, until {} s, {walls}; {CHECKS} looks, upper and lower hull beside static ones, and an audit",
            options.common.seed, options.t_end
        )],
    ))
}

/// The sample at which the dual picture shows most.
struct Best {
    seen: usize,
    upper: UpperHull,
    merged: Merged,
    t: f64,
}

/// Returns what a node merges now; the root without a number.
fn merged(upper: &UpperHull, node: Option<usize>) -> Result<Merged, Failure> {
    let count = upper.nodes();
    let node = node.unwrap_or(count.saturating_sub(1));
    upper
        .merged(node)
        .ok_or_else(|| Failure::Input(format!("no node {node}, only {count}")))
}

enum Stop {
    Look,
    Frame,
}

/// Advances to `t`. Points that reach a wall turn round there; returns how many.
fn advance_in_box(run: &mut Run, half: f64, t: f64) -> Result<u64, Failure> {
    let mut bounces = 0;
    loop {
        let now = run.hull.upper.now();
        let walls = (run.points.iter().enumerate())
            .flat_map(|(i, p)| [0, 1].map(|axis| (wall_time(&p[axis], half, now), i, axis)));
        let first = walls.min_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
        let Some((time, i, axis)) = first.filter(|w| w.0 <= t) else {
            run.advance(t)?;
            return Ok(bounces);
        };
        run.advance(time)?;
        // After a rebuild, time has advanced a little.
        let now = run.hull.upper.now().max(run.hull.lower.now());
        run.advance(now)?;
        let mut plan = run.points[i].map(|m| Motion1::Linear {
            x0: m.at(now),
            v: m.slope(now),
            t0: now,
        });
        if let Motion1::Linear { x0, v, .. } = &mut plan[axis] {
            *v = -v.abs() * x0.signum();
        }
        run.hull.change_plan(i as u32, plan).map_err(failed)?;
        run.points[i] = plan;
        bounces += 1;
    }
}

/// Compares both halves with static hulls.
fn look(run: &Run, t: f64, oracle: &mut Oracle) {
    let below: Vec<Point> = (run.points.iter())
        .map(|p| [p[0], negative(&p[1])])
        .collect();
    for (name, half, points) in [
        ("upper", &run.hull.upper, &run.points),
        ("lower", &run.hull.lower, &below),
    ] {
        let (ours, again) = (half.hull(), fresh(points, t));
        oracle.check(agree(points, t, &ours, &again), || {
            format!("the {name} hull at {t} s is {ours:?}, a static one {again:?}")
        });
        let audit = half.audit(t);
        oracle.check(audit.is_ok(), || format!("{name}: {audit:?}"));
    }
}

fn measures(claims: &mut Claims, hull: &Hull, n: usize, bounces: u64) {
    let halves = [&hull.upper, &hull.lower];
    let log = (n as f64).log2().max(1.0);
    let live = halves.map(|h| h.stats().certificates_live_max as f64 / n_log_n(n));
    let most = live[0].max(live[1]);
    claims.claim(
        "most certificates of a hull, over n log2 n: compact",
        "",
        "<= 1.5",
        most,
        most <= 1.5,
    );
    let named = halves.map(|h| h.certificates_per_object() as f64 / log);
    let most = named[0].max(named[1]);
    claims.claim(
        "certificates that name one point, most, of log2 n: local",
        "",
        "<= 8",
        most,
        most <= 8.0,
    );
    let levels = halves.map(|h| h.stats().worst.levels);
    let (most, height) = (levels[0].max(levels[1]), log.ceil() as u32 + 2);
    claims.claim(
        "levels of the tree that one event changes, most: responsive",
        "",
        format!("<= {height} (the height)"),
        most,
        most <= height,
    );
    // A vertex has at most four certificates, and an event renews those of six on each level.
    let made = halves.map(|h| h.stats().worst.created);
    let (most, limit) = (made[0].max(made[1]), 24 * height);
    claims.claim(
        "certificates that one event makes, most",
        "",
        format!("<= {limit} (24 a level)"),
        most,
        most <= limit,
    );
    let [plans, reissued] = [
        halves.map(|h| h.stats().plan_changes),
        halves.map(|h| h.stats().reissued),
    ];
    if bounces > 0 {
        let mean = (reissued[0] + reissued[1]) as f64 / (plans[0] + plans[1]) as f64;
        claims.figure("certificates rebuilt by a bounce, mean", "", mean);
    }
    for (k, kind) in hull.upper.stats().kinds().iter().enumerate() {
        let sum = |of: fn(&UpperHull, usize) -> u64| halves.map(|h| of(h, k)).iter().sum::<u64>();
        let external = sum(|h, k| h.stats().external[k]);
        let all = external + sum(|h, k| h.stats().internal[k]);
        claims.figure(
            format!("events {kind}, and those that change the hull"),
            "",
            format!("{all} ({external})"),
        );
    }
    let rebuilds: u64 = halves.iter().map(|h| h.stats().rebuilds).sum();
    claims.figure("times it was rebuilt", "", rebuilds);
}

/// Measures all events against those that change the hull, and the time of one, by the number of
/// points.
fn efficiency(
    claims: &mut Claims,
    oracle: &mut Oracle,
    rng: &mut Rng,
    most: usize,
) -> Result<(), Failure> {
    for n in [8, 32, 128, 512].into_iter().filter(|n| *n <= most) {
        let points: Vec<Point> = (0..n).map(|_| moving(rng, 1)).collect();
        let mut hull = UpperHull::new(&points, 0.0, f64::INFINITY).map_err(failed)?;
        let start = Moment::now();
        hull.advance_or_rebuild(3.0, 1.0).map_err(failed)?;
        let us = start.elapsed().as_secs_f64() * 1e6;
        let t = hull.now();
        let (ours, again) = (hull.hull(), fresh(&points, t));
        oracle.check(agree(&points, t, &ours, &again), || {
            format!("of {n} points the hull at {t} s is {ours:?}, a static one {again:?}")
        });
        let (all, external) = (hull.stats().events(), hull.stats().events_external());
        claims.figure(
            format!("{n} points, 3 s: events for each that changes the hull: efficiency"),
            "",
            all as f64 / external.max(1) as f64,
        );
        claims.figure(
            format!("{n} points: an event"),
            "us",
            us / all.max(1) as f64,
        );
    }
    Ok(())
}

/// Content of a picture.
struct Snapshot {
    t: f64,
    points: Vec<[f64; 2]>,
    upper: Vec<u32>,
    lower: Vec<u32>,
    events: u64,
}

impl Snapshot {
    fn of(run: &Run, t: f64) -> Self {
        let (upper, lower) = (&run.hull.upper, &run.hull.lower);
        Self {
            t,
            points: run.points.iter().map(|p| at(p, t)).collect(),
            upper: upper.hull(),
            lower: lower.hull(),
            events: upper.stats().events() + lower.stats().events(),
        }
    }
}

fn drawn(frames: &[Snapshot], half: f64) -> String {
    let mut svg = Svg::new(900.0, 640.0);
    for (k, frame) in frames.iter().enumerate() {
        let (column, line) = ((k % 3) as f64, (k / 3) as f64);
        let place = [15.0 + 295.0 * column, 30.0 + 310.0 * line, 280.0, 280.0];
        let reach = frame
            .points
            .iter()
            .flatten()
            .fold(0.0_f64, |r, x| r.max(x.abs()));
        let map = Frame::map(place, [0.0; 2], reach.max(half) * 1.05);
        map.border(&mut svg);
        if half > 0.0 {
            let walls = [[-half, -half], [half, -half], [half, half], [-half, half]];
            svg.polygon(&map.all(&walls), "none", PALE, 1.0);
        }
        let chain = |list: &[u32]| {
            let places: Vec<_> = list.iter().map(|i| frame.points[*i as usize]).collect();
            map.all(&places)
        };
        svg.line(&chain(&frame.upper), COLOURS[1], 2.0);
        svg.line(&chain(&frame.lower), COLOURS[0], 2.0);
        for p in &frame.points {
            svg.disc(map.at(*p), 2.5, INK);
        }
        let label = format!("{:.1} s, events so far: {}", frame.t, frame.events);
        let above = [place[0], place[1] - 6.0];
        svg.text(above, 12.0, Anchor::Start, INK, &label);
    }
    svg.finish()
}
