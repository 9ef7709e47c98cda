//! E6 to E9 (section 3.5, tables 3.2 to 3.6): savings by each optimisation of the box tests, on one
//! recorded trajectory.

use hapticd_ccd::obb::Axes;
use hapticd_published::first_contact::{FirstContactOptions, PreTests};
use hapticd_published::sweep::SweepOptions;
use serde_json::Value;

use super::motor::{Replay, same, scene};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

/// E6.
pub const PRE_TESTS: Experiment = Experiment {
    id: "redon-e6",
    title: "discrete pre-tests before the continuous box test",
    judges: Judges::Counts(&[]),
    run: pre_tests,
};

/// The source's choice of k (section 3.5.2).
const RECOMMENDED: f64 = 0.15;

/// E7.
pub const SUBDIVISION: Experiment = Experiment {
    id: "redon-e7",
    title: "the subdivision constant k of the continuous box test",
    judges: Judges::Counts(&[]),
    run: subdivision,
};

/// E8.
pub const PASSING: Experiment = Experiment {
    id: "redon-e8",
    title: "passing the earliest contact time to later tests",
    judges: Judges::Counts(&[]),
    run: passing,
};

/// E9.
pub const AXES: Experiment = Experiment {
    id: "redon-e9",
    title: "six face axes against all fifteen, discrete and continuous",
    judges: Judges::CountsAndTime(&[]),
    run: axes,
};

/// Returns a row for each test of a variant, and one for its time.
fn rows(name: &str, tests: &[(&str, u64, u64)], published_s: f64, replay: &Replay) -> Vec<Row> {
    let count = |&(test, published, ours): &(&str, u64, u64)| {
        Row::new(format!("{name}: {test}"), "tests", published, ours)
    };
    let mut rows: Vec<Row> = tests.iter().map(count).collect();
    rows.push(Row::new(
        format!("{name}: time"),
        "s",
        published_s,
        replay.total_s(),
    ));
    rows
}

/// Returns the change in per cent.
fn change(from: u64, to: u64) -> f64 {
    100.0 * (to as f64 / from.max(1) as f64 - 1.0)
}

fn pre_tests(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = scene(context)?;
    let variants = [
        ("none", PreTests::None, [0, 0, 5_050_305], 55.99),
        ("final", PreTests::Final, [5_050_305, 0, 2_577_968], 41.83),
        (
            "initial",
            PreTests::Initial,
            [0, 5_050_305, 2_653_086],
            41.21,
        ),
        (
            "both",
            PreTests::Both,
            [5_075_137, 2_600_063, 2_430_508],
            39.10,
        ),
    ];
    let (mut table, mut replays) = (Vec::new(), Vec::new());
    for (name, pre_tests, published, seconds) in variants {
        let options = FirstContactOptions {
            pre_tests,
            ..FirstContactOptions::default()
        };
        let replay = scene.replay(&options);
        let c = replay.counters;
        let tests = [
            ("final", published[0], c.boxes_final),
            ("initial", published[1], c.boxes_initial),
            ("continuous", published[2], c.boxes_continuous),
        ];
        table.extend(rows(name, &tests, seconds, &replay));
        replays.push(replay);
    }
    let continuous = |k: usize| replays[k].counters.boxes_continuous;
    let either = continuous(1).min(continuous(2));
    let (same, ordered) = (
        same(&replays),
        continuous(3) < either && either.max(continuous(1)).max(continuous(2)) < continuous(0),
    );
    let why = format!(
        "contacts of all variants the same to the last bit: {same} ({} in {} steps); both pre-tests leave {:.0} % of the continuous tests (published: \
         48 %), fewer than \
         either alone, and either fewer than none: {ordered}",
        replays[0].touching(),
        replays[0].contacts.len(),
        100.0 + change(continuous(0), continuous(3)),
    );
    Ok(scene.report(
        table,
        Verdict::new(same && ordered && replays[0].touching() > 0, why),
        &[],
    ))
}

fn subdivision(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = scene(context)?;
    let (mut table, mut replays) = (Vec::new(), Vec::new());
    let swept = [
        0.02,
        0.05,
        0.1,
        RECOMMENDED,
        0.3,
        0.6,
        1.5,
        5.0,
        f64::INFINITY,
    ];
    for k in swept {
        let sweep = SweepOptions {
            k,
            ..SweepOptions::default()
        };
        let options = FirstContactOptions {
            sweep,
            ..FirstContactOptions::default()
        };
        let replay = scene.replay(&options);
        let subdivisions = replay.counters.sweeps - replay.counters.boxes_continuous;
        let row = Row::new(
            format!("k = {k}: subdivided intervals"),
            "",
            Value::Null,
            subdivisions,
        );
        table.push(
            row.with("box pairs", replay.boxes())
                .with("feature tests", replay.elementary())
                .with("seconds", replay.total_s()),
        );
        replays.push(replay);
    }
    let more_pairs = replays.windows(2).all(|w| w[0].boxes() <= w[1].boxes());
    let a_pair = |r: &Replay| r.counters.sweeps as f64 / r.counters.boxes_continuous.max(1) as f64;
    // The source states a trend and a flat stretch, not an order of adjacent values: the pairs
    // differ from one k to the next.
    let rise = |w: &[Replay]| 100.0 * (a_pair(&w[1]) / a_pair(&w[0]) - 1.0);
    let steepest = replays
        .windows(2)
        .map(rise)
        .fold(f64::NEG_INFINITY, f64::max);
    let published = replays.iter().zip(swept).find(|(_, k)| *k == RECOMMENDED);
    let (first, last) = (&replays[0], &replays[replays.len() - 1]);
    let cheaper = published
        .is_some_and(|(middle, _)| a_pair(first) > a_pair(middle) && a_pair(middle) > a_pair(last));
    let same = same(&replays);
    let why = format!(
        "contacts the same: {same}; the larger k, the more box pairs: {more_pairs}, and the fewer intervals a test, from the least k to the recommended one and on to the largest: \
         {cheaper} (largest change from one k to the \
         next {steepest:+.2} %; from the first to the last {:+.0} %; published: a curve with a flat minimum, k = 0.15 recommended)",
        100.0 * (a_pair(last) / a_pair(first) - 1.0)
    );
    Ok(scene.report(table, Verdict::new(same && more_pairs && cheaper, why), &[]))
}

fn passing(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = scene(context)?;
    let variants = [
        (
            "without",
            false,
            [6_685_889, 7_226_139, 2_335_435, 2_363_427],
            79.59,
        ),
        (
            "with",
            true,
            [5_075_137, 3_191_041, 1_036_723, 1_050_031],
            38.93,
        ),
    ];
    let (mut table, mut replays) = (Vec::new(), Vec::new());
    for (name, pass_contact_time, published, seconds) in variants {
        let options = FirstContactOptions {
            pass_contact_time,
            ..FirstContactOptions::default()
        };
        let replay = scene.replay(&options);
        let c = replay.counters;
        let ours = [replay.boxes(), c.edge_edge, c.vertex_face, c.face_vertex];
        let tests: Vec<_> = (0..4)
            .map(|i| (["BV", "EE", "VF", "FV"][i], published[i], ours[i]))
            .collect();
        table.extend(rows(name, &tests, seconds, &replay));
        replays.push(replay);
    }
    let boxes = change(replays[0].boxes(), replays[1].boxes());
    let features = change(replays[0].elementary(), replays[1].elementary());
    let same = same(&replays);
    let why = format!(
        "contacts the same: {same}; box tests {boxes:+.0} % (published -24 %), elementary tests {features:+.0} % (published -56 %), time divided by \
         {:.2} (published 2.04)",
        replays[0].total_s() / replays[1].total_s()
    );
    Ok(scene.report(
        table,
        Verdict::new(same && boxes < 0.0 && features < 0.0, why),
        &[],
    ))
}

fn axes(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = scene(context)?;
    let variants = [
        ("both partial", Axes::Faces, Axes::Faces, 6_629_533, 46.15),
        ("discrete full", Axes::All, Axes::Faces, 6_602_937, 231.65),
        ("continuous full", Axes::Faces, Axes::All, 6_499_411, 43.56),
        ("both full", Axes::All, Axes::All, 5_075_137, 38.63),
    ];
    let (mut table, mut replays) = (Vec::new(), Vec::new());
    for (name, discrete_axes, axes, published, seconds) in variants {
        let sweep = SweepOptions {
            axes,
            ..SweepOptions::default()
        };
        let options = FirstContactOptions {
            discrete_axes,
            sweep,
            ..FirstContactOptions::default()
        };
        let replay = scene.replay(&options);
        let row = Row::new(
            format!("{name}: box pairs"),
            "tests",
            published,
            replay.boxes(),
        );
        table.push(
            row.with("continuous tests", replay.counters.boxes_continuous)
                .with("intervals", replay.counters.sweeps)
                .with("seconds", replay.total_s())
                .with("seconds published", seconds),
        );
        replays.push(replay);
    }
    let fewest = replays[..3].iter().all(|r| replays[3].boxes() < r.boxes());
    let next_s = replays[..3].iter().map(Replay::total_s);
    let ratio = replays[3].total_s() / next_s.fold(f64::INFINITY, f64::min);
    let same = same(&replays);
    let why = format!(
        "contacts the same: {same}; both full has the fewest box pairs: {fewest} ({:+.0} % against both partial; published -23 %), and takes {ratio:.2} times \
         the time of the quickest of the others (to hold: less than 1; published 0.89)",
        change(replays[0].boxes(), replays[3].boxes())
    );
    let verdict = Verdict::new(same && fewest, why).and_time(ratio < 1.0);
    Ok(scene.report(table, verdict, &[]))
}
