//! `ccd-queries`: linear-motion queries with known truth: ours compared with the published figures
//! and, on request, with the peer.
//!
//! Targets: no contact missed on any set; false alarms on at most 1 % of the queries that do not
//! collide; a mean of one microsecond a query, and at most a hundred. The published values are
//! those of Wang et al. 2021, table 1, for Tight-Inclusion on its simulation set. That set differs
//! from the one measured here, so compare with the peer on the same queries.

mod file;
mod generate;
mod measure;
mod peer;

use std::path::{Path, PathBuf};

use clap::{Parser, ValueEnum};
use hapticd_oracle::Features;
use serde_json::{Map, Value, json};

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

use file::Labelled;
use measure::{Answer, Totals};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    id: "ccd-queries",
    title: "linear-motion queries with exact truth: missed, false alarms, time (Wang et al. 2021, table 1)",
    judges: Judges::CountsAndTime(&["--count", "1100"]),
    run,
};

/// Kind of a file's features.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Vertex and face.
    Vf,
    /// Edge and edge.
    Ee,
}

#[derive(Parser)]
#[command(about = "Answers linear-motion queries and compares with their labels.")]
struct Args {
    /// CSV files, eight rows a query (v f0 f1 f2 or a0 a1 b0 b1 at time 0, then 1), each three
    /// numerator,denominator pairs and the label. Without any, a seeded set is made, with the truth
    /// by exact arithmetic.
    files: Vec<PathBuf>,
    /// What the files hold, where their names (or folders) do not say vertex-face, edge-edge, vf or
    /// ee.
    #[arg(long)]
    kind: Option<Kind>,
    /// Also every query: hit, bounds of the time, nanoseconds.
    #[arg(long, visible_alias = "verbose")]
    per_query: bool,
    /// Take the truth from exact arithmetic on the coordinates as rounded to f64, not from the
    /// labels.
    #[arg(long)]
    exact_truth: bool,
    /// Calls a query, of which the shortest time counts.
    #[arg(long, default_value_t = 7)]
    repeats: u32,
    /// Of the set that is made.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Queries of either kind in the set that is made.
    #[arg(long, default_value_t = 3300)]
    count: usize,
    /// Also write the set in this form, to DIR/vertex-face/ and DIR/edge-edge/.
    #[arg(long, value_name = "DIR")]
    write: Option<PathBuf>,
    /// Run Tight-Inclusion on the same queries, with a Python that has ipctk.
    #[arg(long, value_name = "PYTHON", num_args = 0..=1, default_missing_value = "python3")]
    peer: Option<String>,
}

/// Maximum rate of false alarms, percent of the queries that do not collide.
const MAX_FALSE_ALARMS: f64 = 1.0;
/// Maximum mean and maximum single time, nanoseconds.
const MEAN_NS: f64 = 1e3;
const WORST_NS: f64 = 1e5;

fn run(context: &Context) -> Result<Report, Failure> {
    let args: Args = context.parse()?;
    let mut notes = Vec::new();
    let mut queries = if args.files.is_empty() {
        notes.push(format!(
            "made: {} of either kind, seed {}, truth exact",
            args.count, args.seed
        ));
        generate::generate(args.seed, args.count)
    } else {
        read(&args)?
    };
    let rounded = queries.iter().filter(|q| q.rounded).count();
    let mut wrong_labels = 0;
    if args.exact_truth {
        for query in &mut queries {
            let touch = generate::truth(query);
            wrong_labels += usize::from(touch != query.touch);
            query.touch = touch;
        }
        notes.push(format!(
            "truth by exact arithmetic; {wrong_labels} labels differ"
        ));
    }
    if rounded > 0 {
        notes.push(format!(
            "{rounded} queries have coordinates that do not fit f64: rounded; their labels are for the exact input (--exact-truth: for the rounded)"
        ));
    }
    if let Some(folder) = &args.write {
        written(folder, &queries)?;
        notes.push(format!("written to {}", folder.display()));
    }
    let clock_ns = measure::clock_ns();
    notes.push(format!(
        "each query timed alone, shortest of {} calls, minus {clock_ns:.0} ns for reading the clock",
        args.repeats.max(1)
    ));

    let answers: Vec<Answer> = queries
        .iter()
        .map(|q| measure::answer(q, args.repeats, clock_ns))
        .collect();
    let of = |kind: Option<Features>| {
        let chosen = queries.iter().zip(&answers);
        let chosen = chosen.filter(|(q, _)| kind.is_none_or(|kind| kind == q.features));
        Totals::new(chosen.map(|(q, a)| {
            let uncertain = a.contact.is_some_and(|c| !c.certain);
            (q.touch, a.contact.is_some(), uncertain, a.ns)
        }))
    };
    let all = of(None);
    let peer = match &args.peer {
        Some(python) => Some(beside(python, &queries, args.exact_truth, &mut notes)?),
        None => None,
    };

    let mut rows = Vec::new();
    let mut by_kind = Map::new();
    for features in [Features::VertexFace, Features::EdgeEdge] {
        let totals = of(Some(features));
        if totals.queries > 0 {
            rows.extend(rows_of(features, &totals, peer.as_ref()));
            by_kind.insert(short(features).to_owned(), Value::Object(totals.keys()));
        }
    }
    let mut more = all.keys();
    more.insert("by_kind".into(), Value::Object(by_kind));
    more.insert("rounded".into(), rounded.into());
    if args.exact_truth {
        more.insert("wrong_labels".into(), wrong_labels.into());
    }
    if let Some(peer) = peer {
        more.insert("peer".into(), peer);
    }
    let mut details = Vec::new();
    if args.per_query {
        let list: Vec<_> = queries.iter().zip(&answers).enumerate().map(each).collect();
        details.extend(list.iter().map(line));
        more.insert("per_query".into(), list.into());
    }
    Ok(Report {
        rows,
        verdict: verdict(&all),
        more,
        notes,
        details,
    })
}

fn short(features: Features) -> &'static str {
    match features {
        Features::VertexFace => "vf",
        Features::EdgeEdge => "ee",
    }
}

fn folder(features: Features) -> &'static str {
    match features {
        Features::VertexFace => "vertex-face",
        Features::EdgeEdge => "edge-edge",
    }
}

fn read(args: &Args) -> Result<Vec<Labelled>, Failure> {
    let mut queries = Vec::new();
    for path in &args.files {
        let features = match args.kind {
            Some(Kind::Vf) => Features::VertexFace,
            Some(Kind::Ee) => Features::EdgeEdge,
            None => file::kind_of(path).map_err(Failure::Input)?,
        };
        let wrong =
            |why: &dyn std::fmt::Display| Failure::Input(format!("{}: {why}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|e| wrong(&e))?;
        queries.extend(file::parse(&text, features).map_err(|e| wrong(&e))?);
    }
    Ok(queries)
}

/// Writes the queries, one file for each kind; returns the kinds and the files.
fn written(root: &Path, queries: &[Labelled]) -> Result<Vec<(&'static str, PathBuf)>, Failure> {
    let mut files = Vec::new();
    for features in [Features::VertexFace, Features::EdgeEdge] {
        let some: Vec<_> = queries
            .iter()
            .filter(|q| q.features == features)
            .cloned()
            .collect();
        if some.is_empty() {
            continue;
        }
        let folder = root.join(folder(features));
        let path = folder.join("queries.csv");
        std::fs::create_dir_all(&folder)
            .and_then(|()| std::fs::write(&path, file::write(&some)))
            .map_err(|e| Failure::Run(format!("{}: {e}", path.display())))?;
        files.push((short(features), path));
    }
    Ok(files)
}

/// Runs the peer on the same queries, through temporary files.
fn beside(
    python: &str,
    queries: &[Labelled],
    exact_truth: bool,
    notes: &mut Vec<String>,
) -> Result<Value, Failure> {
    let root = std::env::temp_dir().join(format!("lab-ccd-queries-{}", std::process::id()));
    let report = written(&root, queries).and_then(|files| peer::run(python, &files));
    let _ = std::fs::remove_dir_all(&root);
    let report = report?;
    let truth = if exact_truth { "the exact" } else { "the same" };
    notes.push(format!(
        "peer: {} in the same run, {truth} truth",
        text(&report["package"])
    ));
    if let Some(methods) = report["methods"].as_object() {
        for (name, method) in methods {
            notes.push(format!(
                "{name}: {}; 1-3 us of each call are Python's",
                text(&method["settings"])
            ));
        }
    }
    Ok(report)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

/// Returns rows with the published values, ours and the peer's.
fn rows_of(features: Features, totals: &Totals, peer: Option<&Value>) -> Vec<Row> {
    let kind = short(features);
    let (mean, false_alarms) = match features {
        Features::VertexFace => (740.0, "2 of 18 million"),
        Features::EdgeEdge => (780.0, "17 of 41 million"),
    };
    let published = |key: &str| match key {
        "missed" => json!(0),
        "false_alarms" => json!(false_alarms),
        "mean_ns" => json!(mean),
        _ => Value::Null,
    };
    let ours = totals.keys();
    let keys = [
        ("queries", ""),
        ("colliding", ""),
        ("missed", ""),
        ("false_alarms", ""),
        ("false_alarm_percent", "%"),
        ("mean_ns", "ns"),
        ("median_ns", "ns"),
        ("p99_ns", "ns"),
        ("max_ns", "ns"),
    ];
    let row = |&(key, unit): &(&str, &'static str)| {
        let mut row = Row::new(
            format!("{kind} {key}"),
            unit,
            published(key),
            ours[key].clone(),
        );
        for (name, method) in peer
            .and_then(|p| p["methods"].as_object())
            .into_iter()
            .flatten()
        {
            row = row.with(name, method["by_kind"][kind][key].clone());
        }
        row
    };
    keys.iter().map(row).collect()
}

/// Returns one query as JSON.
fn each((index, (query, answer)): (usize, (&Labelled, &Answer))) -> Value {
    json!({
        "index": index,
        "kind": short(query.features),
        "truth": query.touch,
        "hit": answer.contact.is_some(),
        "t_lower": answer.contact.map(|c| c.t),
        "t_upper": answer.contact.map(|c| c.t_upper),
        "certain": answer.contact.map(|c| c.certain),
        "rounded": query.rounded,
        "ns": answer.ns,
    })
}

/// Formats one query for people.
fn line(query: &Value) -> String {
    let times = match (query["t_lower"].as_f64(), query["t_upper"].as_f64()) {
        (Some(low), Some(high)) => {
            let doubt = if query["certain"] == json!(false) {
                ", given up"
            } else {
                ""
            };
            format!("hit {low:.17} to {high:.17}{doubt}")
        }
        _ => "free".to_owned(),
    };
    let truth = if query["truth"] == json!(true) {
        "touches"
    } else {
        "free"
    };
    format!(
        "{} {} {times} ({truth}), {} ns",
        query["index"],
        text(&query["kind"]),
        query["ns"]
    )
}

fn verdict(totals: &Totals) -> Verdict {
    let percent = totals.false_alarm_percent();
    let (mean, worst) = (totals.mean_ns(), totals.quantile_ns(1.0));
    Verdict::new(
        totals.missed == 0 && percent <= MAX_FALSE_ALARMS,
        format!(
            "{} of {} contacts missed (bar 0), {percent:.2} % false alarms (bar \
             {MAX_FALSE_ALARMS}), mean {mean:.0} ns ({MEAN_NS}), worst {worst:.0} ns ({WORST_NS})",
            totals.missed, totals.colliding
        ),
    )
    .and_time(mean <= MEAN_NS && worst <= WORST_NS)
}
