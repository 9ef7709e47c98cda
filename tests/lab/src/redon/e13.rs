//! E13 and E14 (section 4.7, tables 4.1 and 4.2): savings by culling back faces of single triangles
//! and of boxes, and the number of cone vectors that this needs.

use hapticd_published::backface::Strategy;
use hapticd_published::first_contact::{CullBoxes, Culling};
use serde_json::Value;

use super::doors::{Replay, Scene, scene};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

/// E13.
pub const CULLING: Experiment = Experiment {
    id: "redon-e13",
    title: "hierarchical back-face culling in sliding contact",
    judges: Judges::Counts(&[]),
    run: culling,
};

/// E14.
pub const CONES: Experiment = Experiment {
    id: "redon-e14",
    title: "largest number of cone vectors, and how cones are built",
    judges: Judges::Counts(&[]),
    run: cones,
};

/// BV, EE, VF, FV and back-face tests, then seconds.
const PUBLISHED: [(&str, [u64; 5], f64); 3] = [
    (
        "none",
        [7_483_916, 6_290_371, 2_068_579, 2_062_241, 0],
        49.81,
    ),
    (
        "elementary at leaves",
        [6_197_548, 2_968_201, 971_035, 968_633, 219_935],
        39.31,
    ),
    (
        "hierarchical",
        [4_860_450, 2_945_669, 966_109, 965_067, 521_290],
        32.69,
    ),
];
/// Back-face tests of the hierarchical variant without memory.
const PUBLISHED_UNSTAMPED: u64 = 2_136_234;
/// Seconds by r_max from 3 to 9, top-down then bottom-up; 49.81 without culling.
const PUBLISHED_S: [[f64; 7]; 2] = [
    [33.83, 33.31, 33.12, 32.69, 32.63, 32.17, 31.88],
    [35.03, 35.54, 34.20, 34.22, 34.06, 33.92, 33.69],
];

/// A step takes a hundred milliseconds without culling, so only every this-many-th is replayed,
/// from all parts of the trajectory, and all with a new contact.
const EVERY: usize = 16;

/// Returns the saved work in per cent of the remaining work, as the source gives its gains: here of
/// box and feature tests.
fn gain(none: f64, left: f64) -> f64 {
    100.0 * (none / left - 1.0)
}

/// Returns true if a replay has the contact times of the first, to the last bit.
fn agrees(replay: &Replay, first: &Replay) -> bool {
    replay.difference(first) == 0.0
}

fn culling(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = scene()?;
    let cones = scene.cones(6, Strategy::TopDown)?;
    let replays = [
        scene.replay_whole(EVERY),
        scene.replay_culled(&cones, CullBoxes::Leaves, true, EVERY),
        scene.replay_culled(&cones, CullBoxes::All, true, EVERY),
    ];
    let mut rows = Vec::new();
    for ((name, published, seconds), replay) in PUBLISHED.into_iter().zip(&replays) {
        for (i, test) in ["BV", "EE", "VF", "FV", "back-face"].iter().enumerate() {
            rows.push(Row::new(
                format!("{name}: {test}"),
                "tests",
                published[i],
                counts(replay)[i],
            ));
        }
        rows.push(Row::new(
            format!("{name}: time"),
            "s",
            seconds,
            replay.seconds,
        ));
    }
    let unstamped = scene.replay_culled(&cones, CullBoxes::All, false, EVERY);
    let tests = unstamped.counters.back_faces;
    rows.push(Row::new(
        "hierarchical without stamps: back-face",
        "tests",
        PUBLISHED_UNSTAMPED,
        tests,
    ));
    let owned = scene.replay(&scene.door, &Culling::NONE, EVERY);
    rows.push(Row::new(
        "none, shared features tested once: EE, VF and FV",
        "tests",
        Value::Null,
        owned.elementary(),
    ));
    rows.push(Row::new(
        "none, shared features tested once: time",
        "s",
        Value::Null,
        owned.seconds,
    ));
    let gains = [1, 2].map(|k| gain(replays[0].seconds, replays[k].seconds));
    rows.push(Row::new("gain in time, elementary", "%", 27, gains[0]));
    rows.push(Row::new("gain in time, hierarchical", "%", 52, gains[1]));
    let work = |k: usize| (replays[k].counters.boxes_final + replays[k].elementary()) as f64;
    let saved = [1, 2].map(|k| gain(work(0), work(k)));
    let published = |k: usize| PUBLISHED[k].1[..4].iter().sum::<u64>() as f64;
    for (k, name) in [(1, "elementary"), (2, "hierarchical")] {
        let gain_published = gain(published(0), published(k));
        rows.push(Row::new(
            format!("gain in box and feature tests, {name}"),
            "%",
            gain_published,
            saved[k - 1],
        ));
    }
    let same = replays
        .iter()
        .chain([&unstamped])
        .all(|r| agrees(r, &replays[0]));
    let difference = replays
        .iter()
        .map(|r| r.difference(&replays[0]))
        .fold(0.0, f64::max);
    let more = saved[1] > saved[0] && saved[0] > 0.0;
    let why = format!(
        "contact times of all variants the same to the last bit: {same} (largest difference {difference:.1e} of a step, {} contacts in {} steps); gain \
         in box and feature tests \
         {:.0} % at leaves, {:.0} % hierarchical (derived from the published: 61 % and 84 %); in time {:.0} % and {:.0} % (published: 27 % and 52 %)",
        replays[0].touching(),
        replays[0].times.len(),
        saved[0],
        saved[1],
        gains[0],
        gains[1]
    );
    Ok(report(
        scene,
        rows,
        Verdict::new(same && more && replays[0].touching() > 0, why),
        EVERY,
    ))
}

fn counts(replay: &Replay) -> [u64; 5] {
    let c = &replay.counters;
    [
        c.boxes_final,
        c.edge_edge,
        c.vertex_face,
        c.face_vertex,
        c.back_faces,
    ]
}

/// With fifteen variants, fewer steps of each than in E13.
const EVERY_CONES: usize = 48;

fn cones(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = scene()?;
    let none = scene.replay_whole(EVERY_CONES);
    let mut rows = vec![
        Row::new("none", "s", 49.81, none.seconds).with("BV tests", none.counters.boxes_final),
    ];
    let mut boxes = [[0; 7]; 2];
    let mut same = true;
    let strategies = [
        ("top-down", Strategy::TopDown),
        ("bottom-up", Strategy::BottomUp),
    ];
    for (s, (name, strategy)) in strategies.into_iter().enumerate() {
        for (k, published) in PUBLISHED_S[s].into_iter().enumerate() {
            let cones = scene.cones(k + 3, strategy)?;
            let replay = scene.replay_culled(&cones, CullBoxes::All, true, EVERY_CONES);
            boxes[s][k] = replay.counters.boxes_final;
            same &= agrees(&replay, &none);
            rows.push(
                Row::new(
                    format!("{name}, r_max {}", k + 3),
                    "s",
                    published,
                    replay.seconds,
                )
                .with("BV tests", boxes[s][k])
                .with("back-face tests", replay.counters.back_faces)
                .with(
                    "gain % in BV tests",
                    gain(none.counters.boxes_final as f64, boxes[s][k] as f64),
                )
                .with("gain % in time", gain(none.seconds, replay.seconds))
                .with("gain % in time published", gain(49.81, published)),
            );
        }
    }
    let falling = boxes.iter().all(|b| b.windows(2).all(|w| w[1] <= w[0]));
    let tighter = (0..7).all(|k| boxes[0][k] <= boxes[1][k]);
    let saved = |s: usize, k: usize| gain(none.counters.boxes_final as f64, boxes[s][k] as f64);
    let why = format!(
        "contact times the same in all: {same}; box tests do not rise with r_max: {falling}; top-down cones never need more of them than bottom-up \
         ones: {tighter}; box tests \
         saved at r_max 3 and 9: top-down {:.0} and {:.0} %, bottom-up {:.0} and {:.0} % (published, in time: 47 and 56 %, 42 and 48 %)",
        saved(0, 0),
        saved(0, 6),
        saved(1, 0),
        saved(1, 6)
    );
    Ok(report(
        scene,
        rows,
        Verdict::new(same && falling && tighter, why),
        EVERY_CONES,
    ))
}

fn report(scene: &Scene, rows: Vec<Row>, verdict: Verdict, every: usize) -> Report {
    Report {
        rows,
        verdict,
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: scene.notes(every),
    }
}
