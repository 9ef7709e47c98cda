//! Section 9.1.2 of Pitiot 2015, figures 9.5 and 9.6: a needle whose pieces are registered one by
//! one, in a mesh that is fine around the tip.
//!
//! The source moves the tip with the mouse and calls both demonstrations interactive; it gives no
//! counts and no times. Here a scripted helix of up to 1000 pieces moves among a vessel, a ball and
//! a membrane, with the mesh two to five levels deep around its tip. A step is one move of the tip
//! by half a piece: registration, refinement and merging, and the neighbours of the active piece.
//! The neighbours are compared with brute force at every twentieth step. A row covers the steps up
//! to its number of registered pieces and beyond that of the row before; it shows whether steps
//! become slower as the needle grows. Times are processor times.

use std::fmt::Write as _;
use std::sync::Arc;

use clap::Parser;
use hapticd_geometry::closest::{point_triangle, segment_segment};
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_needle::{
    CLEARANCE_M, Layer, NearStructure, Needle, NeedleInTissue, Structure, Surroundings, Tissue,
    TissueSpec, Zoom,
};
use hapticd_proxy::{Guide, Phase};
use serde_json::{Map, Value};

use super::stage;
use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::output;

pub const EXPERIMENT: Experiment = Experiment {
    id: "registration-needle",
    title: "figures 9.5 and 9.6: a needle of 10 to 1000 registered pieces, cells fine about its tip, stays interactive",
    judges: Judges::CountsAndTime(&["--pieces", "60", "--finest", "3"]),
    run,
};

#[derive(Parser)]
struct NeedleOptions {
    /// Most pieces; else half of `--steps`, else 1000. The helix is the same whatever the seed.
    #[arg(long, value_parser = clap::value_parser!(u32).range(10..=4000))]
    pieces: Option<u32>,
    /// Most levels below the coarsest cells, from two up; else 5.
    #[arg(long, value_parser = clap::value_parser!(u8).range(2..=5))]
    finest: Option<u8>,
    #[command(flatten)]
    shared: stage::Options,
}

/// Half of the edge of the box, m.
const HALF_M: f64 = 0.05;
/// Centre of the ball, in the tissue's frame, m.
const BALL: Vec3 = Vec3::new(-0.019, 0.011, -0.01);
/// Length of a piece, m.
const PIECE_M: f64 = 0.001;
/// Time of a frame, which the source calls interactive, s.
const FRAME_S: f64 = 1.0 / 30.0;

fn spec() -> Result<TissueSpec, Failure> {
    let bad = |e| Failure::Run(format!("a shape: {e}"));
    let moved = |mesh: &TriMesh, by: Vec3| {
        let positions = mesh.positions().iter().map(|p| p + by).collect();
        TriMesh::new(positions, mesh.triangles().to_vec()).map_err(bad)
    };
    // On the helix's path, and small: all are cut into triangles no larger than the finest cell.
    let tube = shapes::cylinder(0.002, 0.02, 16).map_err(bad)?;
    let ball = shapes::icosphere(0.004, 2).map_err(bad)?;
    let sheet = shapes::sheet(0.01, 4).map_err(bad)?;
    let meshes = [
        moved(&tube, Vec3::new(0.0, 0.022, 0.0))?,
        moved(&ball, BALL)?,
        moved(&sheet, Vec3::new(0.022, 0.0, 0.021))?,
    ];
    let structure = |(id, mesh)| Structure {
        id,
        mesh,
        puncture_force_n: Some(0.5),
    };
    Ok(TissueSpec {
        world_from_tissue: Pose::identity(),
        half_m: Vec3::repeat(HALF_M),
        layers: vec![Layer {
            thickness_m: 0.2,
            stiffness_n_per_m: 400.0,
            puncture_force_n: 0.8,
            cutting_force_n: 0.2,
            friction_n_per_m: 15.0,
            lateral_n_per_m2: 20_000.0,
        }],
        structures: (0..).zip(meshes).map(structure).collect(),
    })
}

/// Returns a helix about z that descends 7 cm, whatever its number of pieces, and rises again if it
/// is longer.
fn way(pieces: u32) -> Vec<Vec3> {
    let radius = 0.022;
    let pitch_per_rad = 0.0016;
    let turn = PIECE_M / f64::hypot(radius, pitch_per_rad);
    (0..=pieces + 1)
        .map(|i| {
            let t = turn * f64::from(i);
            let down = (pitch_per_rad * t) % 0.16;
            let z = 0.04 - if down > 0.08 { 0.16 - down } else { down };
            Vec3::new(radius * t.cos(), radius * t.sin(), z)
        })
        .collect()
}

/// Cost of the steps of a row.
#[derive(Clone, Default)]
struct Tally {
    times: Vec<f64>,
    leaves: usize,
    edits: u64,
    compared: usize,
    wrong: usize,
}

fn brute(spec: &TissueSpec, p: &Vec3, q: &Vec3) -> Vec<f64> {
    let apart = |t: [Vec3; 3]| {
        let ends = [p, q].map(|e| (point_triangle(e, &t).0 - e).norm());
        let mut least = ends[0].min(ends[1]);
        for i in 0..3 {
            let (u, v, _, _) = segment_segment(p, q, &t[i], &t[(i + 1) % 3]);
            least = least.min((u - v).norm());
        }
        let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
        let (a, b) = (n.dot(&(p - t[0])), n.dot(&(q - t[0])));
        if a * b < 0.0 {
            let x = p + (q - p) * (a / (a - b));
            least = least.min((point_triangle(&x, &t).0 - x).norm());
        }
        least
    };
    let of = |s: &Structure| {
        let all = (0..s.mesh.triangles().len()).map(|i| apart(s.mesh.triangle(i)));
        all.fold(f64::INFINITY, f64::min)
    };
    spec.structures.iter().map(of).collect()
}

/// Compares the neighbours of the active piece with brute force; returns how many there were, and
/// whether they agree.
fn compare(s: &mut Surroundings, spec: &TissueSpec, chain: &[Vec3]) -> (usize, bool) {
    let last = chain.len() - 2;
    let [p, q] = [chain[last], chain[last + 1]];
    let (mut near, mut own): (Vec<NearStructure>, Vec<_>) = (Vec::new(), Vec::new());
    s.near(last, &mut near);
    s.own(last, &mut own);
    let (mut wanted, mut right) = (0, true);
    for (k, least) in brute(spec, &p, &q).into_iter().enumerate() {
        let found = near.iter().find(|n| n.structure == k);
        if least < s.sure_m() {
            wanted += 1;
            right &= found.is_some_and(|n| (n.distance_m - least).abs() < 1e-9);
        }
    }
    for j in 0..last.saturating_sub(1) {
        let (u, v, _, _) = segment_segment(&p, &q, &chain[j], &chain[j + 1]);
        if (u - v).norm() < s.sure_m() {
            wanted += 1;
            right &= own.iter().any(|o| o.0 == j);
        }
    }
    (wanted, right)
}

/// Inserts one needle completely; returns a tally for each number of pieces, over the steps up to
/// it.
fn measure(spec: &TissueSpec, counts: &[u32], finest: u8) -> Result<Vec<Tally>, Failure> {
    let bad = |e| Failure::Run(format!("the needle: {e}"));
    let way = way(counts.last().copied().unwrap_or_default());
    let mut s = Surroundings::new(spec, zoom(finest)).map_err(bad)?;
    let (mut tallies, mut near, mut step) = (Vec::new(), Vec::new(), 0_usize);
    for &pieces in counts {
        let mut tally = Tally::default();
        while step < 2 * pieces as usize {
            let k = step / 2;
            let tip = way[k].lerp(&way[k + 1], if step % 2 == 0 { 0.5 } else { 1.0 });
            let started = Moment::now();
            let done = s.follow(&way[..=k], &tip).map_err(bad)?;
            s.near(s.pieces() - 1, &mut near);
            tally.times.push(started.elapsed().as_secs_f64());
            tally.edits += done.edits;
            tally.leaves = tally.leaves.max(s.registration().map().leaf_count());
            if step % 20 == 19 {
                let mut chain = way[..=k].to_vec();
                chain.push(tip);
                let (wanted, right) = compare(&mut s, spec, &chain);
                tally.compared += wanted;
                tally.wrong += usize::from(!right);
            }
            step += 1;
        }
        tally.times.sort_by(f64::total_cmp);
        tallies.push(tally);
    }
    Ok(tallies)
}

fn zoom(finest: u8) -> Zoom {
    let cell_m = 0.0125;
    Zoom {
        cell_m,
        finest,
        about_m: 2.0 * cell_m / f64::from(1_u32 << finest),
        budget: 16,
    }
}

/// Runs a hand that pushes a needle in, turns it and pulls it out. Returns the median and 99th
/// percentile of the guide's time per tick, s, and the number of ticks in the tissue.
fn ticks(mut spec: TissueSpec) -> Result<(f64, f64, usize), Failure> {
    // The ball is bone, and in the path.
    spec.structures[1].puncture_force_n = None;
    let needle = Needle {
        length_m: 0.09,
        radius_m: 5e-4,
        curvature_1_m: 8.0,
        segment_m: PIECE_M,
    };
    let tissue = Tissue::new(spec, needle.radius_m + CLEARANCE_M);
    let tissue = tissue.map_err(|e| Failure::Run(format!("the tissue: {e}")))?;
    let mut felt = NeedleInTissue::new(Arc::new(tissue), needle, 0.005)
        .map_err(|e| Failure::Run(format!("the needle: {e}")))?;
    let (mut times, mut inserted) = (Vec::new(), 0);
    for i in 0..40_000 {
        let t = f64::from(i) * 1e-3;
        let down = 0.5 - 0.5 * (0.8 * t).cos();
        let roll = Quat::from_axis_angle(&Vec3::z_axis(), 0.7 * t);
        let aside = 0.002 * (3.0 * t).sin();
        let at = Vec3::new(BALL.x + aside, BALL.y, 0.16 - 0.085 * down);
        let hand = Pose::from_parts(at.into(), roll);
        let started = Moment::now();
        let hub = felt.guide(&hand, 1500.0);
        felt.went(&hub);
        let told = felt.insertion();
        times.push(started.elapsed().as_secs_f64());
        inserted += usize::from(told.phase == Phase::Inserted);
    }
    times.sort_by(f64::total_cmp);
    let at = |q: f64| times[((times.len() - 1) as f64 * q) as usize];
    Ok((at(0.5), at(0.99), inserted))
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: NeedleOptions = context.parse()?;
    let spec = spec()?;
    let mut rows = Vec::new();
    let (mut slowest_s, mut wrong, mut compared) = (0.0_f64, 0, 0);
    let of_steps = u32::try_from(options.shared.steps(2000, 2000) / 2).unwrap_or(u32::MAX);
    let most = options.pieces.unwrap_or(of_steps).clamp(10, 4000);
    let mut counts: Vec<u32> = [10, 100, 300, 1000].map(|n: u32| n.min(most)).to_vec();
    counts.dedup();
    for finest in 2..=options.finest.unwrap_or(5) {
        for (&pieces, tally) in counts.iter().zip(measure(&spec, &counts, finest)?) {
            let at = |q: f64| tally.times[((tally.times.len() - 1) as f64 * q) as usize];
            slowest_s = slowest_s.max(at(0.99));
            wrong += tally.wrong;
            compared += tally.compared;
            rows.push(
                Row::new(
                    format!("up to {pieces} pieces, {finest} levels: 99th percentile of a step"),
                    "ms",
                    "interactive",
                    at(0.99) * 1e3,
                )
                .with("median_ms", at(0.5) * 1e3)
                .with("cells", tally.leaves)
                .with(
                    "edits_per_step",
                    tally.edits as f64 / tally.times.len() as f64,
                ),
            );
        }
    }
    let notes = vec![
        "The source gives no figure: interactive is taken for a step within 1/30 s.".to_owned(),
        format!(
            "Neighbours to find: {compared}; steps with a missing neighbour or a wrong distance: {wrong}."
        ),
    ];
    if let Some(folder) = &options.shared.out {
        output::save(folder, "registration-needle.svg", &picture(&spec)?)?;
    }
    let (median_s, tick_s, inserted) = ticks(spec)?;
    rows.push(
        Row::new(
            "in the loop, a tick of a needle that goes in and out: 99th percentile",
            "us",
            Value::Null,
            tick_s * 1e6,
        )
        .with("median_us", median_s * 1e6)
        .with("ticks_inserted", inserted),
    );
    Ok(Report {
        rows,
        verdict: Verdict::new(
            wrong == 0 && compared > 0,
            format!(
                "the slowest 99th percentile of a step is {:.2} ms of the 33 of a frame, and {wrong} neighbour sets differ from brute force",
                slowest_s * 1e3
            ),
        )
        .and_time(slowest_s < FRAME_S),
        more: Map::new(),
        notes,
        details: Vec::new(),
    })
}

/// Draws the needle along y, with the cells that meet the plane of its tip. Everything is coloured
/// by its distance to the tip: red is near (figure 9.6).
fn picture(spec: &TissueSpec) -> Result<String, Failure> {
    let bad = |e| Failure::Run(format!("the needle: {e}"));
    let pieces = 260;
    let way = way(pieces);
    let mut s = Surroundings::new(spec, zoom(4)).map_err(bad)?;
    for k in 0..pieces as usize {
        s.follow(&way[..=k], &way[k + 1]).map_err(bad)?;
    }
    let tip = way[pieces as usize];
    while s.follow(&way[..pieces as usize], &tip).map_err(bad)?.more {}
    let (scale, size) = (7_000.0, 2.0 * HALF_M * 7_000.0 + 20.0);
    let x = |p: &Vec3| 10.0 + (p.x + HALF_M) * scale;
    let y = |p: &Vec3| 10.0 + (HALF_M - p.z) * scale;
    let colour = |apart_m: f64| {
        let t = (apart_m / 0.05).clamp(0.0, 1.0);
        let mix = |a: f64, b: f64| (a + (b - a) * t).round();
        format!(
            "rgb({},{},{})",
            mix(215.0, 60.0),
            mix(40.0, 110.0),
            mix(30.0, 200.0)
        )
    };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {size} {size}\" width=\"{size}\" height=\"{size}\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<g fill=\"none\" stroke=\"#c9c9c9\" stroke-width=\"0.6\">\n"
    );
    let map = s.registration().map();
    for c in map.leaves() {
        let half = 0.5 * zoom(4).cell_m / f64::from(1_u32 << map.cell_level(c));
        let centre = map.centre(c);
        if (centre.y - tip.y).abs() <= half {
            let corner = centre + Vec3::new(-half, 0.0, half);
            let side = 2.0 * half * scale;
            let _ = writeln!(
                svg,
                "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{side:.2}\" height=\"{side:.2}\"/>",
                x(&corner),
                y(&corner)
            );
        }
    }
    svg += "</g>\n<g fill=\"none\" stroke-width=\"0.7\" stroke-opacity=\"0.6\">\n";
    for structure in &spec.structures {
        for i in 0..structure.mesh.triangles().len() {
            let t = structure.mesh.triangle(i);
            let apart = (point_triangle(&tip, &t).0 - tip).norm();
            let corners: Vec<String> = t
                .iter()
                .map(|p| format!("{:.1},{:.1}", x(p), y(p)))
                .collect();
            let _ = writeln!(
                svg,
                "<polygon points=\"{}\" stroke=\"{}\"/>",
                corners.join(" "),
                colour(apart)
            );
        }
    }
    svg += "</g>\n<g stroke-width=\"3\" stroke-linecap=\"round\">\n";
    for pair in way[..=pieces as usize].windows(2) {
        let middle = (pair[0] + pair[1]) * 0.5;
        let _ = writeln!(
            svg,
            "<line x1=\"{:.2}\" y1=\"{:.2}\" x2=\"{:.2}\" y2=\"{:.2}\" stroke=\"{}\"/>",
            x(&pair[0]),
            y(&pair[0]),
            x(&pair[1]),
            y(&pair[1]),
            colour((middle - tip).norm())
        );
    }
    let _ = write!(
        svg,
        "</g>\n<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"5\" fill=\"black\"/>\n</svg>\n",
        x(&tip),
        y(&tip)
    );
    Ok(svg)
}
