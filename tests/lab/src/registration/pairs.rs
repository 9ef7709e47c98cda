//! Section 8.3: the crowd's neighbours by other structures, which must find the same pairs.

use hapticd_geometry::Vec3;
use hapticd_published::baselines::{ByGrid, ByHash, ByRegistration, Neighbours, Pairs};
use hapticd_registration::map::Map;
use hapticd_registration::registration::{Policy, Registration};
use serde_json::Value;

use super::corridor::{NARROW, corridor};
use super::stage::{self, COARSE_M, Cells, Options};
use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "registration-pairs",
    title: "section 8.3: people within 2 m of each other in a corridor, by registration, grid and hash: the same pairs",
    judges: Judges::CountsAndTime(&["--steps", "60"]),
    run,
};

const RADIUS_M: f64 = 2.0;

fn brute(places: &[Vec3], out: &mut Pairs) {
    out.clear();
    for (i, p) in places.iter().enumerate() {
        for (j, q) in places.iter().enumerate().skip(i + 1) {
            if (p - q).norm_squared() <= RADIUS_M * RADIUS_M {
                out.push([i as u32, j as u32]);
            }
        }
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let steps = options.steps(300, 3000);
    let mut crowd = corridor(NARROW, Cells::Multiresolution, 1000, 50, options.seed)?;
    let places =
        |crowd: &super::crowd::Crowd| -> Vec<Vec3> { crowd.agents.iter().map(|a| a.at).collect() };
    let start = places(&crowd);
    let wrong = |e: &dyn std::fmt::Display| Failure::Run(e.to_string());
    let high = Vec3::new(NARROW[0] as f64, NARROW[1] as f64, 0.0) * COARSE_M;
    let map = Map::grid_2d(Vec3::zeros(), COARSE_M, NARROW).map_err(|e| wrong(&e))?;
    let registration = Registration::new(map, Policy::Tolerate);
    // 2 m at the finest: the ring is as wide as the radius.
    let density = Some(stage::density(stage::LEVELS));
    let mut structures: Vec<(&str, Box<dyn Neighbours>)> = vec![
        (
            "registration, multiresolution",
            Box::new(
                ByRegistration::new(registration, &start, RADIUS_M, density)
                    .map_err(|e| wrong(&e))?,
            ),
        ),
        (
            "regular grid",
            Box::new(ByGrid::new(Vec3::zeros(), high, &start, RADIUS_M).map_err(|e| wrong(&e))?),
        ),
        (
            "spatial hash",
            Box::new(ByHash::new(&start, RADIUS_M, RADIUS_M, true).map_err(|e| wrong(&e))?),
        ),
    ];
    let mut times = [0.0; 3];
    let mut differ = [0; 3];
    let (mut want, mut found, mut checked, mut all) = (Pairs::new(), Pairs::new(), 0, 0);
    for k in 0..steps {
        crowd.shuttle();
        crowd.step()?;
        let now = places(&crowd);
        let check = k % (steps / 20).max(1) == 0;
        if check {
            brute(&now, &mut want);
            checked += 1;
            all += want.len();
        }
        for ((_, structure), (time, differ)) in
            structures.iter_mut().zip(times.iter_mut().zip(&mut differ))
        {
            let from = Moment::now();
            structure.update(&now).map_err(|e| wrong(&e))?;
            structure.pairs(&mut found);
            *time += from.elapsed().as_secs_f64() * 1e3;
            if check {
                found.sort_unstable();
                *differ += usize::from(found != want);
            }
        }
    }
    let mut rows = Vec::new();
    for ((name, _), (time, differ)) in structures.iter().zip(times.iter().zip(&differ)) {
        rows.push(
            Row::new(*name, "ms a step", Value::Null, time / steps as f64)
                .with("lists that differ from brute force", *differ)
                .with("of", checked),
        );
    }
    let wrong = differ.iter().sum::<usize>();
    let ratio = times[0] / times[1].min(times[2]);
    let name = "registration / the faster of the others";
    rows.push(Row::new(name, "", Value::Null, ratio).timed());
    Ok(Report {
        rows,
        verdict: Verdict::new(
            wrong == 0 && all > 0,
            format!(
                "{wrong} of {} lists differ from brute force, {all} pairs in all; registration takes {ratio:.2} times the time of the faster of grid and hash (our own bar: at most 1)",
                3 * checked
            ),
        )
        .and_time(ratio <= 1.0),
        more: serde_json::Map::new(),
        notes: vec![format!(
            "1,000 points among 50 polygons, {steps} steps. The source refers to Jund 2012 for times; `cargo bench -p hapticd-registration` compares them with care"
        )],
        details: Vec::new(),
    })
}
