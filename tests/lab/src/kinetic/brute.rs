//! "Collision brut force": polygons that bounce in a box without any structure, compared with the
//! kinetic ones.
//!
//! Only the title of the source's program remains. Four methods find the next impact: every pair's
//! next contact, computed again at every impact; all pairs, tested every two milliseconds; the
//! pairs that kinetic sweep-and-prune reports, in the part of the step that it reports; the
//! pseudo-triangulation.

use clap::Parser;
use hapticd_kinetic::pseudo::{
    Bounce, Contact, Contacts, CornerChange, Policy, PolygonBody, overlap, rebound,
};
use hapticd_kinetic::sap::Lines;
use hapticd_kinetic::{Kinetic, PolygonStructure, PseudoTriangulation, Rigid2, Sap};

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report};
use crate::kinetic::claims::{Claims, Oracle};
use crate::kinetic::common::Rng;
use crate::kinetic::common::polygons::{any_overlap, boxed};
use crate::kinetic::log::Log;
use crate::kinetic::narrow::first_contact;
use crate::kinetic::{Common, failed, positive};
use crate::svg::{Anchor, Axis, COLOURS, Frame, INK, Svg};

pub const EXPERIMENT: Experiment = Experiment {
    id: "kinetic-brute",
    title: "polygons that bounce in a box: brute force, sampling, sweep-and-prune and pseudo-triangulation, time by their number",
    judges: Judges::CountsAndTime(&["--k", "4", "--t-end", "0.5"]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Most polygons: 2, 4, 8, ... up to it.
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(2..=64))]
    k: u32,
    /// Vertices of each.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(4..=40))]
    vertices: u32,
    /// Simulated time, s.
    #[arg(long, default_value_t = 1.0, value_parser = positive)]
    t_end: f64,
    #[command(flatten)]
    common: Common,
}

/// Sampling period, s, which is also the step of sweep-and-prune.
const SAMPLE_S: f64 = 2e-3;
const STEP_S: f64 = 0.02;
/// Number of bisections of a sampled contact's interval.
const HALVINGS: u32 = 40;
/// More impacts than a run can have unless it is stuck.
const MAX_IMPACTS: usize = 100_000;
/// Number of impacts whose times are compared: later ones depend on the last digit of earlier ones.
const COMPARED: usize = 3;

const HOW: Bounce = Bounce {
    restitution: 1.0,
    least_speed: 0.0,
};

/// Motion of all bodies from each impact on.
struct Track {
    /// Time of each impact, and the two bodies.
    impacts: Vec<(f64, [u32; 2])>,
    motions: Vec<(f64, Vec<Rigid2>)>,
    /// Processor time, s.
    seconds: f64,
}

impl Track {
    fn new(bodies: &[PolygonBody]) -> Self {
        Self {
            impacts: Vec::new(),
            motions: vec![(0.0, motions(bodies))],
            seconds: 0.0,
        }
    }

    fn impact(&mut self, time: f64, [a, b]: [u32; 2], bodies: &[PolygonBody]) {
        self.impacts.push((time, [a.min(b), a.max(b)]));
        self.motions.push((time, motions(bodies)));
    }
}

fn motions(bodies: &[PolygonBody]) -> Vec<Rigid2> {
    bodies.iter().map(|b| b.motion).collect()
}

/// Returns the pairs of which at least one moves.
fn pairs(bodies: &[PolygonBody]) -> Vec<[usize; 2]> {
    let moves = |k: usize| bodies[k].mass < f64::INFINITY;
    (0..bodies.len())
        .flat_map(|k| (0..k).map(move |i| [i, k]))
        .filter(|p| moves(p[0]) || moves(p[1]))
        .collect()
}

/// Runs one method, which returns the time and the bodies of the next impact.
fn follow(
    mut bodies: Vec<PolygonBody>,
    end: f64,
    mut next: impl FnMut(&[PolygonBody], f64) -> Result<Option<Contact>, Failure>,
) -> Result<Track, Failure> {
    let start = Moment::now();
    let mut track = Track::new(&bodies);
    let mut now = 0.0;
    while let Some(contact) = next(&bodies, now)?.filter(|c| c.time < end) {
        let two = contact.bodies.map(|b| &bodies[b as usize]);
        let after = rebound(two, &contact, HOW).map_err(failed)?;
        for (body, motion) in contact.bodies.into_iter().zip(after) {
            bodies[body as usize].motion = motion;
        }
        now = contact.time;
        track.impact(now, contact.bodies, &bodies);
        if track.impacts.len() > MAX_IMPACTS {
            return Err(Failure::Run(format!("stuck at {now} s")));
        }
    }
    track.seconds = start.elapsed().as_secs_f64();
    Ok(track)
}

/// Computes every pair's next contact again at every impact.
fn brute_force(bodies: Vec<PolygonBody>, end: f64) -> Result<Track, Failure> {
    let pairs = pairs(&bodies);
    follow(bodies, end, |bodies, now| {
        let mut first: Option<Contact> = None;
        for pair in &pairs {
            let before = first.map_or(end, |c| c.time);
            first = first_contact(bodies, *pair, now, before).or(first);
        }
        Ok(first)
    })
}

/// Tests all pairs every [`SAMPLE_S`]; for the first that overlap, bisects for the time at which
/// they began to.
fn sampling(bodies: Vec<PolygonBody>, end: f64) -> Result<Track, Failure> {
    let pairs = pairs(&bodies);
    follow(bodies, end, |bodies, now| {
        let over = |pair: &[usize; 2], t: f64| {
            overlap(&bodies[pair[0]].polygon(t), &bodies[pair[1]].polygon(t))
        };
        let mut low = now;
        while low < end {
            let high = low + SAMPLE_S;
            let mut first: Option<([f64; 2], &[usize; 2])> = None;
            for pair in pairs.iter().filter(|p| over(p, high)) {
                let mut between = [low, high];
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (between[0] + between[1]);
                    between[usize::from(over(pair, middle))] = middle;
                }
                if first.is_none_or(|f| between[0] < f.0[0]) {
                    first = Some((between, pair));
                }
            }
            if let Some((between, pair)) = first {
                return Ok(nearest(bodies, *pair, between[0]));
            }
            low = high;
        }
        Ok(None)
    })
}

/// Returns the vertex and the edge of two bodies that are nearest to each other.
fn nearest(bodies: &[PolygonBody], pair: [usize; 2], time: f64) -> Option<Contact> {
    let mut least = f64::INFINITY;
    let mut found = None;
    for [a, b] in [pair, [pair[1], pair[0]]] {
        let [of, on] = [a, b].map(|k| bodies[k].polygon(time));
        for (v, p) in of.iter().enumerate() {
            for e in 0..on.len() {
                let next = (e + 1) % on.len();
                let along = [on[next][0] - on[e][0], on[next][1] - on[e][1]];
                let off = [p[0] - on[e][0], p[1] - on[e][1]];
                let length = along[0].hypot(along[1]);
                let share = (along[0] * off[0] + along[1] * off[1]) / (length * length);
                let share = share.clamp(0.0, 1.0);
                let away = (off[0] - share * along[0]).hypot(off[1] - share * along[1]);
                if away < least {
                    least = away;
                    found = Some(Contact {
                        time,
                        bodies: [a as u32, b as u32],
                        vertex: v as u32,
                        edge: [next as u32, e as u32],
                        point: *p,
                        normal: [along[1] / length, -along[0] / length],
                    });
                }
            }
        }
    }
    found
}

/// Returns linear bounds from `from` to `to`: of a disc around a moving body, of a static one its
/// own.
fn lines(body: &PolygonBody, from: f64, to: f64) -> Lines {
    let depth = [0.0, 1.0];
    if body.motion.is_still() {
        let all = body.polygon(from);
        let bound = |k: usize| {
            let values = || all.iter().map(|p| p[k]);
            let low = values().fold(f64::INFINITY, f64::min);
            [low, values().fold(f64::NEG_INFINITY, f64::max)]
        };
        return Lines::still(&[bound(0), bound(1), depth]);
    }
    let lengths = body.shape.iter().map(|p| p[0].hypot(p[1]));
    let radius = lengths.fold(0.0, f64::max) + 1e-9;
    let disc = |t: f64| {
        let c = body.motion.point([0.0; 2], t);
        [
            [c[0] - radius, c[0] + radius],
            [c[1] - radius, c[1] + radius],
            depth,
        ]
    };
    Lines::new(&disc(from), &disc(to), [0.0; 3])
}

/// Tests the pairs whose bounds overlap, each in the part of the step in which they do.
fn swept(bodies: Vec<PolygonBody>, end: f64) -> Result<Track, Failure> {
    let mut sap = Sap::new(bodies.len());
    // Number of the step, whether it has begun, and the bodies that have just bounced in it.
    let (mut number, mut begun, mut hit) = (0_u32, false, None::<[u32; 2]>);
    follow(bodies, end, |bodies, now| {
        let at = |step: u32| f64::from(step) * STEP_S;
        if let Some(changed) = hit.take() {
            for body in changed {
                let plan = lines(&bodies[body as usize], now, at(number + 1));
                sap.change_plan(body, plan).map_err(failed)?;
            }
        }
        while at(number) < end {
            let start = at(number);
            if !begun {
                for (b, body) in bodies.iter().enumerate() {
                    let plan = lines(body, start, at(number + 1));
                    sap.set(b as u32, &plan).map_err(failed)?;
                }
                sap.step(STEP_S).map_err(failed)?;
                begun = true;
            }
            let from = now.max(start);
            let coming = sap.log().iter().filter(|e| e.on && start + e.time >= from);
            let mut near: Vec<_> = coming.map(|e| e.pair).collect();
            near.extend_from_slice(sap.pairs());
            near.sort_unstable();
            near.dedup();
            let mut first: Option<Contact> = None;
            for (a, b) in near {
                let Some([on, off]) = sap.overlap(a, b) else {
                    continue;
                };
                let before = first.map_or(f64::INFINITY, |c| c.time);
                let [on, off] = [(start + on).max(from), (start + off).min(before)];
                first = first_contact(bodies, [a as usize, b as usize], on, off).or(first);
            }
            if let Some(contact) = first {
                sap.advance(contact.time - start).map_err(failed)?;
                hit = Some(contact.bodies);
                return Ok(Some(contact));
            }
            sap.advance(STEP_S).map_err(failed)?;
            number += 1;
            begun = false;
        }
        Ok(None)
    })
}

/// Uses the structure's own events; returns also the processor time of building it.
fn structured(bodies: Vec<PolygonBody>, end: f64, log: &mut Log) -> Result<(Track, f64), Failure> {
    let start = Moment::now();
    let how = Contacts::Bounce(HOW);
    let mut structure =
        PseudoTriangulation::new(bodies, 0.0, end, Policy::Foreign, how).map_err(failed)?;
    let build = start.elapsed().as_secs_f64();
    let mut track = Track::new(structure.bodies());
    let start = Moment::now();
    while let Some(event) = structure.step(end).map_err(failed)? {
        if event.happened == CornerChange::Contact {
            // The vertex comes before or after the corner on the other body's edge.
            let [a, b, c] = event.corner.map(|p| p.0);
            let two = if a == b { [a, c] } else { [a, b] };
            track.impact(event.time, two, structure.bodies());
            let sizes = [structure.queued() as u64, structure.certificates()];
            log.event(event.time, "contact", two, sizes, true);
        }
    }
    track.seconds = start.elapsed().as_secs_f64();
    Ok((track, build))
}

const METHODS: [&str; 4] = [
    "every pair, at every impact",
    "every pair, every 2 ms",
    "sweep-and-prune's pairs",
    "pseudo-triangulation",
];
const EXACT: [usize; 3] = [0, 2, 3];

/// Measurements with one number of polygons.
struct Measured {
    k: u32,
    /// Processor time per simulated second, s, by method.
    seconds: [f64; 4],
    impacts: [usize; 4],
    build: f64,
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let mut oracle = Oracle::default();
    let mut log = Log::new();
    let mut all = Vec::new();
    let sizes = (1..=6).map(|k| 1 << k);
    for k in sizes.filter(|k| *k <= options.k) {
        let mut rng = Rng(options.common.seed);
        let bodies = boxed(&mut rng, k as usize, options.vertices as usize, 0.0);
        let end = options.t_end;
        log = Log::new();
        let (track, build) = structured(bodies.clone(), end, &mut log)?;
        let tracks = [
            brute_force(bodies.clone(), end)?,
            sampling(bodies.clone(), end)?,
            swept(bodies.clone(), end)?,
            track,
        ];
        for method in EXACT {
            let name = METHODS[method];
            compare(&tracks[0], &tracks[method], name, &mut oracle);
            no_penetration(&bodies, &tracks[method], end, name, &mut oracle);
        }
        all.push(Measured {
            k,
            seconds: tracks.each_ref().map(|t| t.seconds / end),
            impacts: tracks.each_ref().map(|t| t.impacts.len()),
            build,
        });
    }
    let mut claims = Claims::default();
    for m in &all {
        for (method, name) in METHODS.iter().enumerate() {
            claims.figure(
                format!(
                    "{} polygons, {name}: a second ({} impacts)",
                    m.k, m.impacts[method]
                ),
                "ms",
                1e3 * m.seconds[method],
            );
        }
    }
    if let Some(last) = all.last() {
        claims.figure(
            format!("{} polygons: making the pseudo-triangulation", last.k),
            "ms",
            1e3 * last.build,
        );
        let [brute, sampled, swept, pseudo] = last.seconds;
        claims.claim_time(
            format!(
                "{} polygons: brute force over the pseudo-triangulation",
                last.k
            ),
            "> 1",
            brute / pseudo,
            brute > pseudo,
        );
        claims.claim_time(
            format!(
                "{} polygons: brute force over sweep-and-prune's pairs",
                last.k
            ),
            "> 1",
            brute / swept,
            brute > swept,
        );
        claims.figure(
            format!(
                "{} polygons: sampling over the pseudo-triangulation",
                last.k
            ),
            "",
            sampled / pseudo,
        );
    }
    options.common.save("brute.csv", || log.text())?;
    options.common.save("brute.svg", || plotted(&all))?;
    Ok(claims.report(
        &oracle,
        vec![format!(
            "polygons of {} vertices in a box of four walls, seed {}, {} s, restitution 1; the oracle: the first {COMPARED} impacts of each way are those of brute force to 1e-6 s (sampling excepted: it sees no contact shorter than its step), and no two overlap. The source has a title only",
            options.vertices, options.common.seed, options.t_end
        )],
    ))
}

/// Compares the first impacts of two methods: times and bodies.
fn compare(brute: &Track, other: &Track, name: &str, oracle: &mut Oracle) {
    let first = |t: &Track| t.impacts.iter().take(COMPARED).copied().collect::<Vec<_>>();
    let (a, b) = (first(brute), first(other));
    let same = a.len() == b.len()
        && (a.iter().zip(&b)).all(|(a, b)| a.1 == b.1 && (a.0 - b.0).abs() < 1e-6);
    oracle.check(same, || format!("{name}: {b:?}, by brute force {a:?}"));
}

/// Checks a track between two impacts, by [`any_overlap`].
fn no_penetration(
    bodies: &[PolygonBody],
    track: &Track,
    end: f64,
    name: &str,
    oracle: &mut Oracle,
) {
    let ends = track.motions.iter().skip(1).map(|m| m.0).chain([end]);
    for ((from, motions), to) in track.motions.iter().zip(ends) {
        let moved = |(b, m): (&PolygonBody, &Rigid2)| PolygonBody {
            motion: *m,
            ..b.clone()
        };
        let bodies: Vec<_> = bodies.iter().zip(motions).map(moved).collect();
        for share in [0.25, 0.75] {
            let t = from + share * (to - from);
            oracle.check(!any_overlap(&bodies, t), || {
                format!("{name}: two overlap at {t} s")
            });
        }
    }
}

/// Processor time against the number of polygons.
fn plotted(all: &[Measured]) -> String {
    let mut svg = Svg::new(760.0, 480.0);
    let times = || all.iter().flat_map(|m| m.seconds).map(|s| 1e3 * s);
    let low = times().fold(f64::INFINITY, f64::min) * 0.7;
    let high = times().fold(0.0, f64::max) * 1.5;
    let last = all.last().map_or(2.0, |m| f64::from(m.k));
    let frame = Frame {
        place: [70.0, 30.0, 420.0, 390.0],
        x: Axis::log("polygons", [1.7, last * 1.2]),
        y: Axis::log("processor time for a second, ms", [low, high]),
    };
    frame.axes(&mut svg);
    // Decades are too coarse for 2 to 64.
    for m in all {
        let at = frame.at([f64::from(m.k), low]);
        svg.line(&[at, [at[0], at[1] + 4.0]], INK, 1.0);
        let below = [at[0], at[1] + 16.0];
        svg.text(below, 11.0, Anchor::Middle, INK, &m.k.to_string());
    }
    frame.names(&mut svg, &METHODS);
    for method in 0..METHODS.len() {
        let line: Vec<_> = (all.iter())
            .map(|m| [f64::from(m.k), 1e3 * m.seconds[method]])
            .collect();
        let colour = COLOURS[method];
        svg.line(&frame.all(&line), colour, 2.0);
        for p in &line {
            svg.disc(frame.at(*p), 3.5, colour);
        }
    }
    svg.finish()
}
