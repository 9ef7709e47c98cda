//! The table of section 2.3: cost of an evaluation of each potential.

use std::hint::black_box;

use hapticd_skin::Kernel;
use serde_json::{Map, Value};

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "skin-potentials",
    title: "section 3.2.1: the cost of the potential functions, Murakami's the cheapest",
    judges: Judges::Time,
    run,
};

const EVALUATIONS: u32 = 10_000_000;

/// In the order of the source's table, the cheapest first.
const KERNELS: [(&str, Kernel); 6] = [
    ("Murakami", Kernel::Murakami),
    ("Wyvill", Kernel::Wyvill),
    ("Blanc and Schlick", Kernel::BlancSchlick(1.0)),
    ("Gascuel", Kernel::Gascuel(2.0)),
    ("Nishimura", Kernel::Nishimura),
    ("Blinn", Kernel::Blinn(4.0)),
];

/// Returns nanoseconds per evaluation, over distances from 0 to 1. The sum is kept so that nothing
/// is optimised away.
fn cost(kernel: Kernel) -> f64 {
    let step = 1.0 / f64::from(EVALUATIONS);
    let start = Moment::now();
    let mut sum = 0.0;
    for i in 0..EVALUATIONS {
        let d = f64::from(i) * step;
        sum += black_box(kernel).value(black_box(d * d));
    }
    black_box(sum);
    1e9 * start.elapsed().as_secs_f64() / f64::from(EVALUATIONS)
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let costs = KERNELS.map(|(name, kernel)| (name, cost(kernel)));
    let mut order = costs;
    order.sort_by(|a, b| a.1.total_cmp(&b.1));
    let rank = |name: &str| {
        order
            .iter()
            .position(|(n, _)| *n == name)
            .map_or(0, |k| k + 1)
    };
    let rows = (1..).zip(&costs).map(|(published, (name, ns))| {
        Row::new(*name, "rank", published, rank(name)).with("ns", *ns)
    });
    let cheapest = order[0].0;
    Ok(Report {
        rows: rows.collect(),
        verdict: Verdict::new(
            costs[0].1 <= 1.25 * order[0].1 && rank("Blinn") == costs.len(),
            format!(
                "Murakami's takes {:.2} ns, the cheapest ({cheapest}) {:.2}, Blinn's {:.2}",
                costs[0].1, order[0].1, costs[5].1
            ),
        ),
        more: Map::from_iter([("evaluations".into(), Value::from(EVALUATIONS))]),
        notes: vec![
            "argument: the square of the distance; kernels that want the distance take its root".into(),
            "single calls, branches included; the effects of vector lanes and memory are not measured".into(),
        ],
        details: Vec::new(),
    })
}
