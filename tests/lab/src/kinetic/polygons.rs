//! "Collision de polygones simples 2D": cells between polygons that move, and the exact time of
//! their first contact.

use clap::{Parser, ValueEnum};
use hapticd_kinetic::pseudo::{Contact, Contacts, CornerChange, Policy, PolygonBody};
use hapticd_kinetic::{GeodesicTriangulation, Kinetic, PolygonStructure, PseudoTriangulation};

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report};
use crate::kinetic::cells::{Colours, Shot};
use crate::kinetic::claims::{Claims, Oracle};
use crate::kinetic::common::Rng;
use crate::kinetic::common::polygons::{any_overlap, c_shape, sampled, scene, star};
use crate::kinetic::log::Log;
use crate::kinetic::{Common, failed, n_log_n, positive};
use crate::svg::{Anchor, Frame, INK, Svg};

pub const EXPERIMENT: Experiment = Experiment {
    id: "kinetic-polygons",
    title: "polygons that move and turn: cells between them, and the time of their first contact",
    judges: Judges::Counts(&[]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Polygons.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=12))]
    k: u32,
    /// Vertices of each.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(6..=60))]
    vertices: u32,
    /// Fastest that they turn, rad/s; 0: they translate.
    #[arg(long, default_value_t = 1.5, value_parser = spin)]
    spin: f64,
    /// What they look like.
    #[arg(long, value_enum, default_value_t = Shape::Star)]
    shape: Shape,
    /// What the space between them is cut by.
    #[arg(long, value_enum, default_value_t = Structure::Pseudo)]
    structure: Structure,
    /// Which of two free edges goes when a corner becomes straight.
    #[arg(long, value_enum, default_value_t = Choice::Foreign)]
    policy: Choice,
    /// Scenes, the first of which is the one in the pictures.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// When it ends if nothing touches, s.
    #[arg(long, default_value_t = 4.0, value_parser = positive)]
    t_end: f64,
    #[command(flatten)]
    common: Common,
}

fn spin(word: &str) -> Result<f64, String> {
    let spin: f64 = word.parse().map_err(|e| format!("{e}"))?;
    if (0.0..=10.0).contains(&spin) {
        Ok(spin)
    } else {
        Err("0 to 10".into())
    }
}

#[derive(Clone, Copy, ValueEnum)]
enum Shape {
    /// Stars.
    Star,
    /// Three quarters of a thick ring.
    C,
}

#[derive(Clone, Copy, ValueEnum)]
enum Structure {
    /// Pointed pseudo-triangles, any number of polygons.
    Pseudo,
    /// Relative geodesics of two polygons (`--k 2`), beside pseudo-triangles.
    Ergt,
}

/// [`Policy`] with the names of the command line.
#[derive(Clone, Copy, ValueEnum)]
enum Choice {
    First,
    Longer,
    Shorter,
    Foreign,
}

impl Choice {
    fn policy(self) -> Policy {
        match self {
            Choice::First => Policy::First,
            Choice::Longer => Policy::Longer,
            Choice::Shorter => Policy::Shorter,
            Choice::Foreign => Policy::Foreign,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Choice::First => "first",
            Choice::Longer => "longer",
            Choice::Shorter => "shorter",
            Choice::Foreign => "foreign",
        }
    }
}

/// Sampling period of the oracle, s.
const SAMPLE_S: f64 = 2e-3;
const FRAMES: usize = 6;

/// Totals over all runs.
#[derive(Default)]
struct Tally {
    same: u32,
    none: u32,
    thin: u32,
    furthest_s: f64,
    /// Events at corners of a single body.
    alone: u64,
    /// Largest number of certificates of a run, relative to `n log2 n` and to `r + k`.
    of_n_log_n: f64,
    of_size: f64,
    created: u32,
    /// Correct numbers of edges and cells, and incorrect ones.
    counts: [u32; 2],
    us: f64,
    events: u64,
}

fn bodies(rng: &mut Rng, options: &Options) -> Vec<PolygonBody> {
    let n = options.vertices as usize;
    let shapes = (0..options.k)
        .map(|_| match options.shape {
            Shape::Star => star(rng, n, 0.3),
            Shape::C => c_shape(rng, n),
        })
        .collect();
    scene(rng, shapes, options.spin, 1.05)
}

fn reflex(bodies: &[PolygonBody]) -> usize {
    let corner = |s: &[[f64; 2]], k: usize| {
        let n = s.len();
        let [a, b, c] = [s[(k + n - 1) % n], s[k], s[(k + 1) % n]];
        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
    };
    let shapes = bodies.iter().map(|b| &b.shape);
    shapes
        .map(|s| (0..s.len()).filter(|k| corner(s, *k) < 0.0).count())
        .sum()
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    if matches!(options.structure, Structure::Ergt) && options.k != 2 {
        let k = options.k;
        return Err(Failure::Input(format!(
            "relative geodesics are of two polygons, not of {k}: --k 2"
        )));
    }
    let mut rng = Rng(options.common.seed);
    let scenes: Vec<_> = (0..options.runs)
        .map(|_| bodies(&mut rng, &options))
        .collect();
    let (mut oracle, mut tally) = (Oracle::default(), Tally::default());
    for bodies in &scenes {
        race(bodies, &options, &mut tally, &mut oracle)?;
    }
    let mut claims = Claims::default();
    statements(&mut claims, &tally, options.runs);
    by_policy(&mut claims, &scenes, options.t_end)?;
    if matches!(options.structure, Structure::Ergt) {
        geodesics(&mut claims, &mut oracle, &scenes, &options)?;
    }
    pictures(&scenes[0], &options)?;
    Ok(claims.report(
        &oracle,
        vec![format!(
            "{} scenes of {} polygons of {} vertices, at most {} rad/s, seed {}; the oracle samples every {} ms and bisects. Where the source cuts the space by relative geodesics of two polygons (`--structure ergt --k 2`), here are pointed pseudo-triangles of any number",
            options.runs,
            options.k,
            options.vertices,
            options.spin,
            options.common.seed,
            1e3 * SAMPLE_S
        )],
    ))
}

fn made(bodies: &[PolygonBody], end: f64, policy: Policy) -> Result<PseudoTriangulation, Failure> {
    PseudoTriangulation::new(bodies.to_vec(), 0.0, end, policy, Contacts::Stop).map_err(failed)
}

/// Runs until the first contact or the end, with audits, and compares with sampling.
fn race(
    bodies: &[PolygonBody],
    options: &Options,
    tally: &mut Tally,
    oracle: &mut Oracle,
) -> Result<(), Failure> {
    let (k, n) = (
        bodies.len(),
        bodies.iter().map(|b| b.shape.len()).sum::<usize>(),
    );
    let mut structure = made(bodies, options.t_end, options.policy.policy())?;
    let r = reflex(bodies);
    let numbers = (structure.free_edges().len(), structure.cells());
    let right = numbers == (r + 3 * (k - 1), r + 2 * (k - 1));
    tally.counts[usize::from(!right)] += 1;
    let mut t = 0.0;
    while t < options.t_end && structure.contact().is_none() {
        t = (t + 0.1).min(options.t_end);
        let start = Moment::now();
        loop {
            let event = structure.step(t).map_err(failed)?;
            let Some(event) = event else { break };
            let [a, b, c] = event.corner.map(|p| p.0);
            tally.alone += u64::from(a == b && b == c);
        }
        structure.advance(t).map_err(failed)?;
        tally.us += start.elapsed().as_secs_f64() * 1e6;
        let audit = structure.audit(structure.now());
        oracle.check(audit.is_ok(), || format!("{audit:?}"));
    }
    let stats = structure.stats();
    tally.events += stats.events();
    tally.created = tally.created.max(stats.worst.created);
    let most = stats.certificates_live_max as f64;
    tally.of_n_log_n = tally.of_n_log_n.max(most / n_log_n(n));
    tally.of_size = tally.of_size.max(most / (r + k) as f64);
    let want = sampled(bodies, options.t_end, SAMPLE_S);
    match (structure.contact(), want) {
        (None, None) => tally.none += 1,
        (None, Some(t)) => oracle.check(false, || format!("a contact at {t} s was missed")),
        (Some(contact), want) => {
            let off = off_edge(bodies, contact);
            oracle.check(off < 1e-8, || {
                format!("at {} s the vertex is {off} m off the edge", contact.time)
            });
            let apart = want.map_or(f64::INFINITY, |t| (t - contact.time).abs());
            if apart < 1e-6 {
                tally.same += 1;
                tally.furthest_s = tally.furthest_s.max(apart);
                oracle.check(true, String::new);
            } else {
                // Over before the next sample: finer samples nearby see it.
                tally.thin += 1;
                let seen = (0..60).any(|k| {
                    let later = contact.time + 1e-3 * 0.75_f64.powi(k);
                    any_overlap(bodies, later)
                });
                let early = want.is_none_or(|t| contact.time < t);
                oracle.check(seen && early, || {
                    format!("a contact at {} s, by sampling {want:?}", contact.time)
                });
            }
        }
    }
    Ok(())
}

/// The source's subdivision, by relative geodesics of two polygons: checks that first contacts are
/// the same, and that geodesics equal those computed from scratch.
fn geodesics(
    claims: &mut Claims,
    oracle: &mut Oracle,
    scenes: &[Vec<PolygonBody>],
    options: &Options,
) -> Result<(), Failure> {
    let (mut furthest_s, mut contacts, mut events, mut flips, mut us) = (0.0_f64, 0, 0, 0, 0.0);
    for bodies in scenes {
        let two = [bodies[0].clone(), bodies[1].clone()];
        let start = Moment::now();
        let mut structure =
            GeodesicTriangulation::new(two, 0.0, options.t_end, Contacts::Stop).map_err(failed)?;
        let audit = structure.audit(structure.now());
        oracle.check(audit.is_ok(), || format!("{audit:?}"));
        events += structure.advance(options.t_end).map_err(failed)?.events;
        us += start.elapsed().as_secs_f64() * 1e6;
        let audit = structure.audit(structure.now());
        oracle.check(audit.is_ok(), || format!("{audit:?}"));
        let mut other = made(bodies, options.t_end, options.policy.policy())?;
        flips += other.advance(options.t_end).map_err(failed)?.events;
        let times = [structure.contact(), other.contact()].map(|c| c.map(|c| c.time));
        let apart = match times {
            [None, None] => 0.0,
            [Some(a), Some(b)] => (a - b).abs(),
            _ => f64::INFINITY,
        };
        contacts += u32::from(times[0].is_some());
        furthest_s = furthest_s.max(apart);
        oracle.check(apart < 1e-9, || format!("first contacts {times:?} s"));
    }
    claims.claim(
        format!("relative geodesics: first contacts of {contacts} scenes, from those of pseudo-triangles"),
        "s",
        "the same",
        furthest_s,
        furthest_s < 1e-9,
    );
    claims.figure("relative geodesics: events", "", events);
    claims.figure("pseudo-triangles: events in the same scenes", "", flips);
    claims.figure(
        "relative geodesics: an event, with making and checking it",
        "us",
        us / events.max(1) as f64,
    );
    Ok(())
}

/// Returns the distance of a contact's vertex from its edge.
fn off_edge(bodies: &[PolygonBody], contact: &Contact) -> f64 {
    let [a, b] = contact
        .bodies
        .map(|b| bodies[b as usize].polygon(contact.time));
    let p = a[contact.vertex as usize];
    let [q, r] = contact.edge.map(|v| b[v as usize]);
    let (along, off) = ([r[0] - q[0], r[1] - q[1]], [p[0] - q[0], p[1] - q[1]]);
    let square = along[0] * along[0] + along[1] * along[1];
    let share = ((along[0] * off[0] + along[1] * off[1]) / square).clamp(0.0, 1.0);
    (off[0] - share * along[0]).hypot(off[1] - share * along[1])
}

fn statements(claims: &mut Claims, tally: &Tally, runs: u32) {
    let Tally {
        same, none, thin, ..
    } = tally;
    let counted = same + none + thin;
    claims.claim(
        "scenes that are answered as by sampling, or found between two samples and confirmed",
        "",
        runs,
        format!("{counted} ({same} the same time, {none} no contact, {thin} between samples)"),
        counted == runs,
    );
    claims.claim(
        "first contact, furthest from the sampled one",
        "s",
        "<= 1e-6",
        tally.furthest_s,
        tally.furthest_s <= 1e-6,
    );
    claims.claim(
        "scenes with r + 3 (k - 1) free edges and r + 2 (k - 1) cells",
        "",
        runs,
        tally.counts[0],
        tally.counts[0] == runs,
    );
    claims.claim(
        "events of corners of one body: only certificates about two fail",
        "",
        0,
        tally.alone,
        tally.alone == 0,
    );
    claims.claim(
        "certificates that one event makes, most: responsive",
        "",
        "<= 5",
        tally.created,
        tally.created <= 5,
    );
    claims.claim(
        "certificates about two bodies, most, of n log2 n",
        "",
        "O(n log n): <= 1",
        tally.of_n_log_n,
        tally.of_n_log_n <= 1.0,
    );
    // Each vertex has a corner on each side of each of its edges; the number of edges is linear in
    // that of vertices.
    claims.claim(
        "the same, of reflex vertices + polygons: compact",
        "",
        "O(1): <= 12",
        tally.of_size,
        tally.of_size <= 12.0,
    );
    let events = tally.events.max(1) as f64;
    claims.figure("events in a scene, mean", "", events / f64::from(runs));
    claims.figure("an event", "us", tally.us / events);
}

/// Compares events of the same scenes by policy.
fn by_policy(claims: &mut Claims, scenes: &[Vec<PolygonBody>], end: f64) -> Result<(), Failure> {
    let all = [
        Choice::Foreign,
        Choice::Longer,
        Choice::First,
        Choice::Shorter,
    ];
    let mut counts = Vec::new();
    let mut times: Vec<Vec<Option<f64>>> = Vec::new();
    for choice in all {
        let (mut events, mut contacts) = (0, Vec::new());
        for bodies in scenes {
            let mut structure = made(bodies, end, choice.policy())?;
            events += structure.advance(end).map_err(failed)?.events;
            contacts.push(structure.contact().map(|c| c.time));
        }
        counts.push(events);
        times.push(contacts);
    }
    for (choice, count) in all.into_iter().zip(&counts) {
        claims.figure(
            format!("events of all scenes if the {} edge goes", choice.name()),
            "",
            *count,
        );
    }
    let agree = |a: &Option<f64>, b: &Option<f64>| match (a, b) {
        (Some(a), Some(b)) => (a - b).abs() < 1e-9,
        (a, b) => a.is_none() && b.is_none(),
    };
    let same = (times.iter()).all(|t| t.iter().zip(&times[0]).all(|(a, b)| agree(a, b)));
    claims.claim(
        "contacts whatever edge goes",
        "",
        "the same",
        if same { "the same" } else { "others" },
        same,
    );
    Ok(())
}

/// Writes the log of the first scene, and its cells on the way to the contact.
fn pictures(bodies: &[PolygonBody], options: &Options) -> Result<(), Failure> {
    let policy = options.policy.policy();
    let mut structure = made(bodies, options.t_end, policy)?;
    let mut log = Log::new();
    while let Some(event) = structure.step(options.t_end).map_err(failed)? {
        let kind = match event.happened {
            CornerChange::Straight => "straight",
            CornerChange::Closed => "closed",
            CornerChange::Contact => "contact",
            CornerChange::Looked => "looked",
        };
        let corner = event
            .corner
            .map(|(body, vertex)| format!("{body}.{vertex}"));
        let sizes = [structure.queued() as u64, structure.certificates()];
        let external = event.happened == CornerChange::Contact;
        log.event(event.time, kind, corner, sizes, external);
    }
    options.common.save("polygons.csv", || log.text())?;
    let end = structure.contact().map_or(options.t_end, |c| c.time);
    let mut structure = made(bodies, options.t_end, policy)?;
    let mut shots = Vec::new();
    for k in 0..FRAMES - 1 {
        let t = if k + 2 == FRAMES {
            options.t_end
        } else {
            end * k as f64 / (FRAMES - 2) as f64
        };
        structure.advance(t).map_err(failed)?;
        shots.push(Shot::of(&structure, structure.now()));
    }
    options.common.save("polygons.svg", || drawn(&shots))
}

fn drawn(shots: &[Shot]) -> String {
    let mut svg = Svg::new(900.0, 640.0);
    let mut colours = Colours::default();
    let place = |k: usize| {
        let (column, line) = ((k % 3) as f64, (k / 3) as f64);
        [15.0 + 295.0 * column, 30.0 + 310.0 * line, 280.0, 280.0]
    };
    let label = |svg: &mut Svg, k: usize, text: &str| {
        let [left, top, ..] = place(k);
        svg.text([left, top - 6.0], 12.0, Anchor::Start, INK, text);
    };
    for (k, shot) in shots.iter().enumerate() {
        let (centre, half) = shot.view();
        let map = Frame::map(place(k), centre, half);
        map.border(&mut svg);
        svg.within(map.place, |svg| shot.draw(svg, &map, &mut colours));
        let text = format!("{:.3} s, events so far: {}", shot.t, shot.events);
        label(&mut svg, k, &text);
    }
    if let Some((shot, point)) = shots.last().and_then(|s| Some((s, s.contact()?))) {
        let map = Frame::map(place(shots.len()), point, 0.3);
        svg.within(map.place, |svg| shot.draw(svg, &map, &mut colours));
        map.border(&mut svg);
        label(&mut svg, shots.len(), "the corner that has closed");
    }
    svg.finish()
}
