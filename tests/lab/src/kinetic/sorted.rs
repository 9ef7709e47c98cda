//! "Liste de points": points that slide on a line, each at its own constant speed, and the kinetic
//! order.

use clap::Parser;
use hapticd_kinetic::{Kinetic, Motion1};
use hapticd_published::sorted::SortedList;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report};
use crate::kinetic::claims::{Claims, Oracle};
use crate::kinetic::common::Rng;
use crate::kinetic::log::Log;
use crate::kinetic::{Common, failed, positive};
use crate::svg::{Anchor, Axis, COLOURS, Frame, INK, PALE, Svg};

pub const EXPERIMENT: Experiment = Experiment {
    id: "kinetic-sorted",
    title: "points on a line: their order, one event for each two that pass",
    judges: Judges::Counts(&[]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Points.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(2..=2000))]
    n: u32,
    /// Degree of their motions.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=3))]
    deg: u32,
    /// When it ends, s.
    #[arg(long, default_value_t = 4.0, value_parser = positive)]
    t_end: f64,
    #[command(flatten)]
    common: Common,
}

/// Number of checks of the order, at random times.
const CHECKS: usize = 200;
/// Number of points that meet in one point.
const MEETING: u32 = 100;
/// Sizes at which the time of an event is measured.
const SIZES: [usize; 3] = [128, 512, 2048];

fn points(rng: &mut Rng, n: usize, degree: usize) -> Vec<[f64; 4]> {
    (0..n)
        .map(|_| {
            let mut c = [rng.range(-3.0, 3.0), 0.0, 0.0, 0.0];
            for (k, c) in c.iter_mut().enumerate().take(degree + 1).skip(1) {
                *c = rng.range(-1.0, 1.0) / k as f64;
            }
            c
        })
        .collect()
}

fn motions(points: &[[f64; 4]], degree: usize) -> Vec<Motion1> {
    let motion = |c: &[f64; 4]| match degree {
        1 => Motion1::linear(c[0], c[1]),
        _ => Motion1::poly(c),
    };
    points.iter().map(motion).collect()
}

/// Returns how often two pass each other in `(0, end]`: from the signs of their difference at the
/// ends of the intervals on which it is monotone.
fn crossings(a: &[f64; 4], b: &[f64; 4], end: f64) -> u64 {
    let d = [0, 1, 2, 3].map(|k| b[k] - a[k]);
    let at = |t: f64| ((d[3] * t + d[2]) * t + d[1]) * t + d[0];
    let mut ends = vec![0.0];
    // 3 d3 t² + 2 d2 t + d1
    let (a, b, c) = (3.0 * d[3], 2.0 * d[2], d[1]);
    let mut turns = if a == 0.0 {
        vec![-c / b]
    } else {
        let root = (b * b - 4.0 * a * c).sqrt();
        vec![(-b - root) / (2.0 * a), (-b + root) / (2.0 * a)]
    };
    turns.retain(|t| *t > 0.0 && *t < end);
    turns.sort_by(f64::total_cmp);
    ends.extend(turns);
    ends.push(end);
    (ends.windows(2))
        .filter(|w| (at(w[0]) < 0.0) != (at(w[1]) < 0.0))
        .count() as u64
}

fn sorted_again(motions: &[Motion1], t: f64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..motions.len() as u32).collect();
    let at = |i: u32| motions[i as usize].at(t);
    order.sort_by(|&a, &b| at(a).total_cmp(&at(b)));
    order
}

/// Data of a run for the pictures.
#[derive(Default)]
struct Story {
    swaps: Vec<[f64; 2]>,
    /// Length of the queue from each time on.
    queue: Vec<[f64; 2]>,
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let (n, degree) = (options.n as usize, options.deg as usize);
    let mut rng = Rng(options.common.seed);
    let points = points(&mut rng, n, degree);
    let motions = motions(&points, degree);
    let mut oracle = Oracle::default();
    let mut claims = Claims::default();

    let mut looks: Vec<f64> = (0..CHECKS)
        .map(|_| rng.range(0.0, options.t_end))
        .chain([options.t_end])
        .collect();
    looks.sort_by(f64::total_cmp);
    let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).map_err(failed)?;
    let (mut log, mut story) = (Log::new(), Story::default());
    story.queue.push([0.0, list.queued() as f64]);
    for t in looks {
        while let Some(swap) = list.step(t).map_err(failed)? {
            let sizes = [list.queued() as u64, list.stats().certificates_live];
            let pair = [swap.passing, swap.passed];
            log.event(swap.time, "swap", pair, sizes, true);
            let place = motions[swap.passing as usize].at(swap.time);
            story.swaps.push([swap.time, place]);
            story.queue.push([swap.time, list.queued() as f64]);
        }
        list.advance(t).map_err(failed)?;
        oracle.check(list.order() == sorted_again(&motions, t), || {
            format!("the order at {t} s is not that of a fresh sort")
        });
    }
    let stats = list.stats().clone();
    let passings: u64 = (0..n)
        .flat_map(|i| (0..i).map(move |k| (i, k)))
        .map(|(i, k)| crossings(&points[i], &points[k], options.t_end))
        .sum();
    let events = stats.events();
    let limit = (n * (n - 1) / 2 * degree) as u64;
    claims.claim(
        "events that change the order",
        "",
        format!("all {events}"),
        stats.events_external(),
        stats.events_internal() == 0,
    );
    claims.claim(
        "events: two that pass each other (inversions, at constant speeds)",
        "",
        passings,
        events,
        events == passings,
    );
    claims.claim(
        "events, at most one for each two and degree",
        "",
        format!("<= {limit}"),
        events,
        events <= limit,
    );
    claims.claim(
        "longest queue: compact",
        "",
        format!("<= {}", n - 1),
        stats.queue_len_max,
        stats.queue_len_max < n as u64,
    );
    claims.claim(
        "events destroyed by one",
        "",
        "<= 3",
        stats.worst.destroyed,
        stats.worst.destroyed <= 3,
    );
    let created = if degree == 1 { 2 } else { 3 };
    claims.claim(
        "events created by one (the source: 2; at higher degrees they may meet again)",
        "",
        format!("<= {created}"),
        stats.worst.created,
        stats.worst.created <= created,
    );
    change_plans(&mut list, &mut rng, &mut claims, &mut oracle)?;
    meet(&mut claims, &mut oracle)?;
    four(&mut claims, &mut oracle)?;
    for size in SIZES {
        claims.figure(
            format!("an event among {size} points: responsive"),
            "us",
            timed(&mut rng, size)?,
        );
    }
    options.common.save("sorted.csv", || log.text())?;
    options
        .common
        .save("sorted.svg", || space_time(&motions, &story, options.t_end))?;
    options.common.save("sorted-four.svg", four_points)?;
    Ok(claims.report(
        &oracle,
        vec![format!(
            "{n} points of degree {degree}, seed {}, until {} s; {CHECKS} looks at the order",
            options.common.seed, options.t_end
        )],
    ))
}

/// Checks that a new flight plan affects the two certificates of its point.
fn change_plans(
    list: &mut SortedList,
    rng: &mut Rng,
    claims: &mut Claims,
    oracle: &mut Oracle,
) -> Result<(), Failure> {
    let count = list.order().len();
    for _ in 0..50 {
        let now = list.now() + 0.02;
        list.advance(now).map_err(failed)?;
        let object = rng.below(count) as u32;
        let here = list.motion(object).map_or(0.0, |m| m.at(now));
        let plan = Motion1::Linear {
            x0: here,
            v: rng.range(-1.0, 1.0),
            t0: now,
        };
        list.change_plan(object, plan).map_err(failed)?;
        let audit = list.audit(now);
        oracle.check(audit.is_ok(), || format!("after a new plan: {audit:?}"));
    }
    let most = list.stats().reissued_max;
    claims.claim(
        "certificates of one point: local",
        "",
        "<= 2",
        most,
        most <= 2,
    );
    Ok(())
}

/// Checks any number of points that pass through one point at one time.
fn meet(claims: &mut Claims, oracle: &mut Oracle) -> Result<(), Failure> {
    let speeds = (0..MEETING).map(|k| 0.37 * f64::from(k) - 11.0);
    let motions: Vec<_> = speeds.map(|v| Motion1::linear(5.0 - 1.3 * v, v)).collect();
    let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).map_err(failed)?;
    let first = list.order().to_vec();
    let events = list.advance(3.0).map_err(failed)?.events;
    oracle.check(list.order().iter().eq(first.iter().rev()), || {
        "points that met in one point are not in the reversed order".into()
    });
    let pairs = u64::from(MEETING * (MEETING - 1) / 2);
    claims.claim(
        format!("{MEETING} points through one point: events, n (n - 1) / 2"),
        "",
        pairs,
        events,
        events == pairs,
    );
    Ok(())
}

/// The source's four points: position at 0, speed, in the order of their names.
const FOUR: [(f64, f64); 4] = [(0.0, 2.0), (4.0, 1.5), (5.0, 0.0), (10.0, 3.0)];
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn four_list() -> Result<SortedList, Failure> {
    let motions = FOUR.map(|(x, v)| Motion1::linear(x, v));
    SortedList::new(&motions, 0.0, f64::INFINITY).map_err(failed)
}

/// Returns the queue, as names of neighbours and times.
fn queue(list: &SortedList) -> String {
    let mut events: Vec<_> = (list.order().windows(2))
        .map(|w| {
            let names = [w[0], w[1]].map(|i| NAMES[i as usize]).concat();
            (list.passes_at(w[0]), names)
        })
        .filter(|e| e.0 < f64::INFINITY)
        .collect();
    events.sort_by(|a, b| a.0.total_cmp(&b.0));
    let all: Vec<_> = (events.iter())
        .map(|(t, names)| format!("{names} {t:.4}"))
        .collect();
    all.join(", ")
}

fn four(claims: &mut Claims, oracle: &mut Oracle) -> Result<(), Failure> {
    let mut list = four_list()?;
    let before = queue(&list);
    let swap = list.step(1.0).map_err(failed)?;
    let pair = swap.map(|s| (s.passing, s.passed));
    oracle.check(pair == Some((1, 2)), || {
        format!("the first of the four points' events is {swap:?}")
    });
    let after = queue(&list);
    let [first, then] = ["bc 0.6667, ab 8.0000", "ac 2.5000"];
    let holds = before == first;
    claims.claim(
        "the drawing's four points: F and E",
        "s",
        first,
        before,
        holds,
    );
    let holds = after == then;
    claims.claim("after F: neither F nor E, but G", "s", then, after, holds);
    Ok(())
}

/// Returns the processor time of an event, us.
fn timed(rng: &mut Rng, n: usize) -> Result<f64, Failure> {
    let motions = motions(&points(rng, n, 1), 1);
    let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).map_err(failed)?;
    let start = Moment::now();
    let events = list.advance(1.0).map_err(failed)?.events;
    Ok(start.elapsed().as_secs_f64() * 1e6 / events.max(1) as f64)
}

/// Draws position over time, a mark for each swap, and the length of the queue below.
fn space_time(motions: &[Motion1], story: &Story, end: f64) -> String {
    let mut svg = Svg::new(900.0, 620.0);
    const STEPS: u32 = 60;
    let times: Vec<f64> = (0..=STEPS)
        .map(|k| end * f64::from(k) / f64::from(STEPS))
        .collect();
    let places = || motions.iter().flat_map(|m| times.iter().map(|t| m.at(*t)));
    let range = [
        places().fold(f64::INFINITY, f64::min),
        places().fold(f64::NEG_INFINITY, f64::max),
    ];
    let time = Axis::linear("time, s", [0.0, end]);
    let main = Frame {
        place: [70.0, 30.0, 810.0, 400.0],
        x: Axis { label: "", ..time },
        y: Axis::linear("place on the line, m", range),
    };
    main.axes(&mut svg);
    for motion in motions {
        let line: Vec<_> = if motion.degree() == Some(1) {
            vec![[0.0, motion.at(0.0)], [end, motion.at(end)]]
        } else {
            times.iter().map(|t| [*t, motion.at(*t)]).collect()
        };
        svg.line(&main.all(&line), COLOURS[0], 1.0);
    }
    for swap in &story.swaps {
        svg.disc(main.at(*swap), 2.2, COLOURS[1]);
    }
    let most = motions.len() as f64 - 1.0;
    let strip = Frame {
        place: [70.0, 490.0, 810.0, 85.0],
        x: time,
        y: Axis::linear("events in the queue; dashed: n - 1", [0.0, most + 1.0]),
    };
    strip.axes(&mut svg);
    svg.dashed(&strip.all(&[[0.0, most], [end, most]]), INK, 1.0);
    let mut steps: Vec<[f64; 2]> = Vec::new();
    for &[t, length] in &story.queue {
        if let Some(&[_, before]) = steps.last() {
            steps.push([t, before]);
        }
        steps.push([t, length]);
    }
    steps.extend(steps.last().map(|l| [end, l[1]]));
    svg.line(&strip.all(&steps), COLOURS[2], 1.2);
    svg.finish()
}

/// Draws the lost figure: the four points at 0 and at 1, and an event between two neighbours as a
/// red line.
fn four_points() -> String {
    let mut svg = Svg::new(640.0, 230.0);
    let axis = Axis::linear("", [-0.5, 14.0]);
    for (k, t) in [0.0, 1.0].into_iter().enumerate() {
        let y = 75.0 + 100.0 * k as f64;
        let frame = Frame {
            place: [60.0, y - 10.0, 560.0, 20.0],
            x: axis,
            y: Axis::linear("", [-1.0, 1.0]),
        };
        let label = [
            "t = 0: F (b, c) at 2/3, E (a, b) at 8",
            "t = 1: G (a, c) at 2.5",
        ][k];
        svg.text([20.0, y - 38.0], 13.0, Anchor::Start, INK, label);
        svg.line(&frame.all(&[[-0.5, 0.0], [14.0, 0.0]]), PALE, 1.0);
        let place = |i: u32| FOUR[i as usize].0 + FOUR[i as usize].1 * t;
        if let Ok(mut list) = four_list() {
            let advanced = list.advance(t).is_ok();
            for pair in list.order().windows(2).filter(|_| advanced) {
                if list.passes_at(pair[0]) < f64::INFINITY {
                    let ends = [[place(pair[0]), 0.0], [place(pair[1]), 0.0]];
                    svg.line(&frame.all(&ends), COLOURS[1], 4.0);
                }
            }
        }
        for i in 0..4 {
            let at = frame.at([place(i), 0.0]);
            svg.disc(at, 5.0, COLOURS[0]);
            let above = [at[0], at[1] - 12.0];
            svg.text(above, 14.0, Anchor::Middle, INK, NAMES[i as usize]);
        }
    }
    svg.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passings_are_counted_piece_by_piece() {
        let zero = [0.0; 4];
        assert_eq!(crossings(&zero, &[-1.0, 1.0, 0.0, 0.0], 2.0), 1);
        assert_eq!(crossings(&zero, &[-1.0, 1.0, 0.0, 0.0], 0.5), 0);
        // (t - 1)(t - 2)(t - 3)
        let cubic = [-6.0, 11.0, -6.0, 1.0];
        assert_eq!(crossings(&zero, &cubic, 4.0), 3);
        assert_eq!(crossings(&zero, &cubic, 2.5), 2);
        // (t - 1)(t - 2)
        assert_eq!(crossings(&[2.0, -3.0, 1.0, 0.0], &zero, 4.0), 2);
        // Brute force: random pairs, a fine grid.
        let mut rng = Rng(5);
        for _ in 0..200 {
            let all = points(&mut rng, 2, 3);
            let at = |t: f64| {
                let f = |c: &[f64; 4]| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
                f(&all[0]) < f(&all[1])
            };
            let grid = (1..=20_000).filter(|&k| {
                let t = f64::from(k) * 2e-4;
                at(t) != at(t - 2e-4)
            });
            assert_eq!(crossings(&all[0], &all[1], 4.0), grid.count() as u64);
        }
    }
}
