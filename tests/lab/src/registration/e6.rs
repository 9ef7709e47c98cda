//! Figure 8.12: snakes go through a crowd, with and without virtual edges ahead of them.

use hapticd_geometry::Vec3;
use hapticd_testkit::Random;
use serde_json::{Map, Value};

use super::crowd::picture::{self, View};
use super::crowd::{Ahead, Body, Crowd, Settings};
use super::stage::{self, Cells, Options, Watch};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "registration-snake",
    title: "figure 8.12 (E6): snakes through a dense crowd, with and without anticipation",
    judges: Judges::Counts(&["--steps", "300"]),
    run,
};

const POINTS: usize = 600;
const LINKS: usize = 12;
const LINK_M: f64 = 3.0;
/// A dense crowd about the middle of a square of 128 m; snakes come from two sides.
pub fn scene(ahead: Ahead, speed_m_s: f64, seed: u64) -> Result<Crowd, Failure> {
    let mut crowd = stage::plane(
        Cells::Multiresolution,
        [8, 8],
        stage::LEVELS,
        Settings::seeded(seed),
    )?;
    let mut random = Random::new(seed);
    let middle = Vec3::new(64.0, 64.0, 0.0);
    for _ in 0..POINTS {
        let (angle, out) = (random.between(0.0, std::f64::consts::TAU), random.unit());
        let at = middle + Vec3::new(angle.cos(), angle.sin(), 0.0) * (22.0 * out.sqrt());
        crowd.add_point(at, at, random.between(1.2, 1.8))?;
    }
    for i in 0..2 {
        let (y, to) = ([57.0, 71.0][i], [1.0, -1.0][i]);
        let head = 64.0 - to * 26.0;
        let hinges = (0..=LINKS).map(|k| Vec3::new(head - to * LINK_M * k as f64, y, 0.0));
        let inside = |p: Vec3| Vec3::new(p.x.clamp(1.0, 127.0), p.y, 0.0);
        let body = Body::Chain {
            hinges: hinges.map(inside).collect(),
            link_m: LINK_M,
            half_width_m: 0.9,
        };
        let target = Vec3::new(64.0 + to * 60.0, y, 0.0);
        crowd.add_polygon(body, &[], ahead, target, speed_m_s)?;
    }
    crowd.settle_cells();
    Ok(crowd)
}

/// Makes the snakes' paths wind, and varies their speed by 30 %.
pub fn wind(crowd: &mut Crowd, k: u64, speed_m_s: f64) {
    for (i, snake) in crowd.polygons.iter_mut().enumerate() {
        let to = [1.0, -1.0][i];
        let x = snake.middle().x;
        let y = [57.0, 71.0][i] + 5.0 * (0.12 * x).sin();
        snake.target = Vec3::new((x + to * 8.0).clamp(4.0, 124.0), y, 0.0);
        snake.speed_m_s = speed_m_s * (1.0 + 0.3 * (0.05 * k as f64).sin());
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let mut rows = Vec::new();
    let mut watch = Watch::default();
    let (mut with, mut without) = (0, 0);
    for speed in [2.0, 4.0, 8.0, 12.0] {
        // The same distance at any speed.
        let steps = options.steps((80.0 / speed * 30.0) as u64, (100.0 / speed * 30.0) as u64);
        let mut hits = [0; 2];
        let mut panics = 0;
        for (side, ahead) in [Ahead::None, Ahead::One].into_iter().enumerate() {
            let mut crowd = scene(ahead, speed, options.seed)?;
            for k in 0..steps {
                wind(&mut crowd, k, speed);
                crowd.step()?;
                let name = format!("snake-{speed}-{}", ["without", "with"][side]);
                options.frame(&name, k, steps, || {
                    let view = View::Above {
                        low: [24.0, 34.0],
                        size: [80.0, 60.0],
                    };
                    picture::draw(&crowd, view, |_| 0, &[])
                })?;
                hits[side] += crowd.inside_polygons();
                panics += crowd.agents.iter().filter(|a| a.panics).count();
                if k % (steps / 4).max(1) == 0 {
                    watch.look(&mut crowd);
                }
            }
        }
        without += hits[0];
        with += hits[1];
        let share = |n: usize| 1e3 * n as f64 / (POINTS as u64 * steps) as f64;
        let name = format!("{speed} m/s: points in a snake, of 1,000");
        rows.push(
            Row::new(name, "", Value::Null, share(hits[1]))
                .with("without virtual edges", share(hits[0]))
                .with("in panic, of 1,000", share(panics)),
        );
    }
    let fewer = without as f64 / (with as f64).max(1.0);
    rows.push(Row::new(
        "all: factor fewer with them",
        "",
        "a path opens",
        fewer,
    ));
    rows.push(watch.row());
    Ok(Report {
        rows,
        verdict: Verdict::new(
            fewer >= 2.0 && without > 0 && watch.missed == 0,
            format!(
                "{fewer:.1} times fewer points in a snake with virtual edges (bar 2; {with} and {without} point-steps); {}",
                watch.words()
            ),
        ),
        more: Map::new(),
        notes: vec![format!(
            "{POINTS} points within 22 m, two snakes of {LINKS} links of {LINK_M} m on winding ways, speeds varying by 30 %; the source shows pictures only"
        )],
        details: Vec::new(),
    })
}
