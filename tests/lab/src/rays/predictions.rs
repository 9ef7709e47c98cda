//! Figures 4.9 and 4.10 (chapter 4, section 3.2): contacts that predictions preserve.
//!
//! A scene runs on the contacts that the walk finds, with and without predictions, while a second
//! tracer traces everything in full. In both runs every contact is compared, and the solver gets
//! contacts only, like the source's. A recording shared by both shows how much of the difference is
//! due to the motion. A third run shows how our own solver uses the predictions.

use clap::Parser;
use hapticd_rays::{Settings, Tracer};
use serde_json::Value;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::rays::audit::{Audit, Errors};
use crate::rays::scenes::{BETWEEN, Rigid, contacts_only, rigid_rays};

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-predictions",
    title: "figures 4.9 and 4.10: contacts that walks lose, with predictions and without (S1)",
    judges: Judges::Counts(&["--bodies", "27"]),
    run: |context| run(context, Rigid::S1, 64),
};

pub const ONE_BY_ONE: Experiment = Experiment {
    id: "rays-predictions-s2",
    title: "figures 4.9 and 4.10: contacts that walks lose, with predictions and without (S2)",
    judges: Judges::Counts(&["--bodies", "8"]),
    run: |context| run(context, Rigid::S2, 32),
};

#[derive(Parser)]
struct Options {
    /// Bodies; the source has 512 in S1, 500 in S2. [default: 64, 32]
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..=1000))]
    bodies: Option<u32>,
    /// Steps of 1/60 s of S1; the source has 600. S2 has six for every body.
    #[arg(long, default_value_t = 240, value_parser = clap::value_parser!(u32).range(60..=6000))]
    steps: u32,
    /// Displacement up to which the walk is trusted, in mean edges; the source does not say.
    #[arg(long, default_value_t = 0.5, value_parser = edges)]
    threshold: f32,
    /// Longest prediction, in mean edges; the source does not say.
    #[arg(long, default_value_t = 1.0, value_parser = edges)]
    prediction: f32,
}

fn edges(word: &str) -> Result<f32, String> {
    let edges: f32 = word.parse().map_err(|e| format!("{e}"))?;
    if (0.1..=10.0).contains(&edges) {
        Ok(edges)
    } else {
        Err("0.1 to 10".into())
    }
}

/// Totals of a whole run.
#[derive(Default)]
struct Run {
    errors: Errors,
    /// Totals of every half second.
    curve: Vec<(Errors, f64)>,
    /// Sum of the lengths of all rays that are contacts, m; of the true contacts, not of those
    /// found.
    length_m: f64,
}

fn run(context: &Context, scene: Rigid, bodies: u32) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let bodies = options.bodies.unwrap_or(bodies);
    let settings = rigid_rays()?;
    // Those of `for_edges` are half an edge and a whole one.
    let settings = Settings {
        displacement_m: 2.0 * options.threshold * settings.displacement_m,
        prediction_m: options.prediction * settings.prediction_m,
        ..settings
    };
    let without = Settings {
        prediction_m: 0.0,
        ..settings
    };
    let steps = match scene {
        Rigid::S1 => options.steps as usize,
        Rigid::S2 => BETWEEN * bodies as usize,
    };
    let stage = |rays| scene.stage(bodies, rays);
    let mut driven = [Run::default(), Run::default(), Run::default()];
    let runs = [(without, true), (settings, true), (settings, false)];
    for (run, (rays, only)) in driven.iter_mut().zip(runs) {
        let mut stage = stage(rays)?;
        stage.world_mut().set_contacts_only(only);
        let mut audit = Audit::new(settings);
        for step in 0..steps {
            stage.step()?;
            audit.look(stage.world_mut().scene_mut());
            let errors = audit.judge(stage.world().detector().contacts());
            run.errors += errors;
            run.length_m += audit.length_m();
            if step % 30 == 0 {
                run.curve.push((Errors::default(), 0.0));
            }
            if let Some((sum, length)) = run.curve.last_mut() {
                *sum += errors;
                *length += audit.length_m();
            }
        }
    }
    let mut watched = [Errors::default(); 3];
    let mut tracers = [without, settings, contacts_only(settings)].map(Tracer::new);
    let mut audit = Audit::new(settings);
    stage(settings)?.record(steps)?.replay(|_, scene| {
        audit.look(scene);
        for (errors, tracer) in watched.iter_mut().zip(&mut tracers) {
            *errors += audit.judge(tracer.step(scene));
        }
        Ok(())
    })?;
    let [bare, kept, product] = &driven;
    let less = |before: f64, after: f64| 100.0 * (1.0 - after / before);
    let reduction = less(bare.errors.rate(), kept.errors.rate());
    let same_motion = less(watched[0].rate(), watched[1].rate());
    let asleep = less(watched[0].rate(), watched[2].rate());
    let shallower = less(bare.length_m, kept.length_m);
    let rate = 100.0 * kept.errors.rate();
    let mut rows = vec![
        Row::new(
            "fewer errors with predictions",
            "%",
            "up to 91",
            digits(reduction),
        ),
        Row::new(
            "the same, both on one motion",
            "%",
            Value::Null,
            digits(same_motion),
        ),
        Row::new(
            "the same, predictions sleep until they can touch",
            "%",
            Value::Null,
            digits(asleep),
        )
        .with("errors", watched[2].wrong())
        .with("awake", watched[1].wrong()),
        Row::new("errors with predictions, of all rays", "%", "< 0.05", rate),
        Row::new(
            "less interpenetration with predictions",
            "%",
            match scene {
                Rigid::S1 => 45,
                Rigid::S2 => 56,
            },
            digits(shallower),
        ),
    ];
    for (name, run, missed) in [("without", bare, "~95"), ("with", kept, "~90")] {
        let e = &run.errors;
        let share = digits(100.0 * e.share_missed());
        rows.push(Row::new(
            format!("{name}: false negatives of all errors"),
            "%",
            missed,
            share,
        ));
        for (what, count) in [
            ("rays", e.rays),
            ("contacts", e.contacts),
            ("false negatives", e.missed),
            ("false positives", e.invented),
            ("mislocated", e.misplaced),
        ] {
            rows.push(Row::new(format!("{name}: {what}"), "", Value::Null, count));
        }
        let of = digits(100.0 * e.of_contacts());
        rows.push(Row::new(
            format!("{name}: errors by contacts"),
            "%",
            Value::Null,
            of,
        ));
        rows.push(Row::new(
            format!("{name}: rays in contact, all steps"),
            "m",
            Value::Null,
            run.length_m,
        ));
    }
    let name = "the same, the solver gets predictions, too";
    let own = digits(less(bare.length_m, product.length_m));
    rows.insert(5, Row::new(name, "%", Value::Null, own));
    let late = |run: &Run| run.curve.iter().skip(2).map(|part| part.1).sum::<f64>();
    let name = "less interpenetration, after the first second";
    let lying = digits(less(late(bare), late(kept)));
    rows.insert(6, Row::new(name, "%", Value::Null, lying));
    let missed = [bare, kept].map(|run| run.errors.share_missed());
    let holds = reduction >= 80.0
        && rate < 0.05
        && missed.iter().all(|share| *share >= 0.8)
        && shallower >= 20.0;
    Ok(Report {
        rows,
        verdict: Verdict::new(
            holds,
            format!(
                "predictions leave {reduction:.0} % fewer errors (to hold: 80), on {rate:.4} % of the rays (0.05), most of them false negatives before and after ({:.0} and {:.0} %; 80), and {shallower:.0} % less interpenetration (20); after the first second, without the landing, {lying:.0} %",
                100.0 * missed[0],
                100.0 * missed[1]
            ),
        ),
        more: serde_json::Map::new(),
        details: [("without", bare), ("with", kept)].map(curve).into(),
        notes: vec![
            format!(
                "{}, {} bodies (published: 512 or 500), {steps} steps; prediction {:.1} mm, threshold {:.1} mm",
                scene.name(),
                bodies,
                1e3 * settings.prediction_m,
                1e3 * settings.displacement_m
            ),
            "rays: point and target, the point in the target's box inflated by the prediction, in both runs; interpenetration: the full trace's".into(),
        ],
    })
}

/// Formats a line for each run.
fn curve((name, run): (&str, &Run)) -> String {
    let parts = run.curve.iter().map(|(errors, length)| {
        let contacts = errors.contacts.max(1) as f64;
        format!(
            "{}/{} {:.2} mm",
            errors.wrong(),
            errors.contacts,
            1e3 * length / contacts
        )
    });
    let parts: Vec<_> = parts.collect();
    format!(
        "{name}, errors by contacts and a contact's mean ray in every half second: {}",
        parts.join(", ")
    )
}

fn digits(x: f64) -> f64 {
    (10.0 * x).round() / 10.0
}
