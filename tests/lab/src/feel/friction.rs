//! Coulomb friction as a hand feels it: the cone, the creep of a held tool, the work of a loop.

use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_loop::record::ArmTick;
use rayon::prelude::*;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::feel::stage::{
    LIMITS, SETTLED_S, STIFFNESS, Stage, ball, cube, eased, floor, forced_arm, posed, stone, work_j,
};

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-friction",
    title: "friction of 0 to 1.5 on planes, spheres and edges, ball and box: cone, creep, work of a loop",
    judges: Judges::Counts(&[]),
    run,
};

/// Bars: ratio of tangential to normal force minus the coefficient, over the coefficient (over 1 if
/// that is 0); creep of a held tool, m; work of a loop, as a fraction.
const RATIO: f64 = 5e-3;
const CREEP_M: f64 = 1e-6;
const LOOP: f64 = 0.01;
/// Largest energy gain of the hand on a closed path, as a fraction of the largest energy stored on
/// it.
const GAIN: f64 = 0.01;

const COEFFICIENTS: [f64; 6] = [0.0, 0.1, 0.3, 0.6, 1.0, 1.5];
const BALL_M: f64 = 0.005;
const CUBE_M: f64 = 0.005;
const DEPTH_M: f64 = 0.002;
/// Radius of the sphere, m.
const SPHERE_M: f64 = 0.04;

#[derive(Clone, Copy, PartialEq)]
enum Tool {
    Ball,
    Cube,
}

impl Tool {
    fn half_m(self) -> f64 {
        match self {
            Tool::Ball => BALL_M,
            Tool::Cube => CUBE_M,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Tool::Ball => "ball",
            Tool::Cube => "box",
        }
    }

    fn arm(self) -> String {
        let shape = match self {
            Tool::Ball => ball(BALL_M),
            Tool::Cube => cube(CUBE_M),
        };
        forced_arm(&shape, STIFFNESS, 0.0) + LIMITS
    }
}

/// A coefficient as declared, and as the scene has it; they differ only if a fault is planted.
#[derive(Clone, Copy)]
struct Coefficient {
    said: f64,
    real: f64,
}

impl Coefficient {
    fn new(said: f64, mutant: bool) -> Self {
        let real = match mutant {
            true => (1.01 * said).max(0.01),
            false => said,
        };
        Coefficient { said, real }
    }
}

/// Returns tangential over normal force, for a normal.
fn ratio(force: &Vec3, normal: &Vec3) -> f64 {
    let along = force.dot(normal);
    (force - normal * along).norm() / along
}

/// Returns the relative deviation of a ratio from the coefficient.
fn off(ratio: f64, coefficient: f64) -> f64 {
    if coefficient > 0.0 {
        (ratio / coefficient - 1.0).abs()
    } else {
        ratio
    }
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// Slides on a plane; returns the largest relative deviation from the cone.
fn plane(tool: Tool, coefficient: Coefficient) -> Result<f64, Failure> {
    let text = tool.arm() + &floor(-tool.half_m() - 0.001, coefficient.real);
    // Far enough for the largest cone: 3 mm of lag before it slides.
    let mut stage = Stage::led(&text, 4, |t| {
        let down = (0.001 + DEPTH_M) * eased(t, SETTLED_S, 0.3);
        let along = 0.02 * (t - 0.4).max(0.0);
        Pose::translation(0.8 * along, -0.6 * along, -down)
    })?;
    let ticks = stage.run(1600);
    let slides = &ticks[900..];
    Ok(largest(slides.iter().map(|tick| {
        off(ratio(&tick.wanted.force_n, &Vec3::z()), coefficient.said)
    })))
}

/// Slides over a ball of many triangles whose top is at the height of the start. The normal is that
/// of the facet, seen from the tool's offset surface. The median of the ratio is judged, because at
/// each edge the normal lies between two.
fn sphere(tool: Tool, coefficient: Coefficient) -> Result<f64, Failure> {
    let half = tool.half_m();
    let shape = format!("{{ kind = \"icosphere\", radius_m = {SPHERE_M:?}, subdivisions = 6 }}");
    let centre = Vec3::new(0.0, 0.0, -SPHERE_M - half - 0.001);
    let text = tool.arm() + &stone(&shape, centre.into(), coefficient.real);
    // Around an axis through the centre, at a constant depth.
    let mut stage = Stage::led(&text, 4, move |t| {
        let radius = SPHERE_M + half + 0.001 - (0.001 + DEPTH_M) * eased(t, SETTLED_S, 0.3);
        let angle = 0.3 * (t - 0.4).max(0.0);
        let turn = Quat::from_scaled_axis(Vec3::y() * angle);
        posed(centre + turn * Vec3::z() * radius, turn)
    })?;
    let ticks = stage.run(2400);
    let mut ratios: Vec<f64> = ticks[1200..]
        .iter()
        .map(|tick| {
            let normal = (tick.world_from_proxy.translation.vector - centre).normalize();
            ratio(&tick.wanted.force_n, &normal)
        })
        .collect();
    ratios.sort_by(f64::total_cmp);
    Ok(off(ratios[ratios.len() / 2], coefficient.said))
}

/// Holds for a minute within the cone, with the tremor of a hand; returns how far the tool moved,
/// m.
fn creep(tool: Tool, coefficient: Coefficient) -> Result<f64, Failure> {
    let text = tool.arm() + &floor(-tool.half_m() - 0.001, coefficient.real);
    // 80 % of the holding limit, with a tremor below 2 % of it.
    let lag = 0.8 * coefficient.said * DEPTH_M;
    let mut stage = Stage::led(&text, 4, move |t| {
        let down = (0.001 + DEPTH_M) * eased(t, SETTLED_S, 0.3);
        let pull = lag * eased(t, 0.4, 0.8);
        let tremor = 1e-5 * eased(t, 0.4, 0.8);
        let (a, b) = ((57.0 * t).sin(), (69.0 * t).sin());
        posed(
            Vec3::new(
                0.8 * pull + tremor * a,
                0.6 * pull + tremor * b,
                -down + tremor * a * b,
            ),
            Quat::identity(),
        )
    })?;
    let mut from: Option<Vec3> = None;
    let mut crept: f64 = 0.0;
    for k in 0..61_000 {
        let at = stage.step().arms[0].world_from_proxy.translation.vector;
        if k >= 1000 {
            crept = crept.max((at - *from.get_or_insert(at)).xy().norm());
        }
    }
    Ok(crept)
}

/// Moves in circles on a plane. Returns the hand's work over a whole turn, as a fraction of
/// coefficient times pressure times the tool's path, minus one.
fn turns(tool: Tool, coefficient: Coefficient) -> Result<f64, Failure> {
    let text = tool.arm() + &floor(-tool.half_m() - 0.001, coefficient.real);
    let mut stage = Stage::led(&text, 4, |t| {
        let down = (0.001 + DEPTH_M) * eased(t, SETTLED_S, 0.3);
        let radius = 0.01 * eased(t, 0.4, 0.8);
        let angle = std::f64::consts::TAU * t;
        Pose::translation(radius * angle.cos(), radius * angle.sin(), -down)
    })?;
    let ticks = stage.run(4001);
    let turn = &ticks[3000..=4000];
    let (mut work, mut lost) = (0.0, 0.0);
    for pair in turn.windows(2) {
        let went = |tick: &ArmTick| tick.world_from_proxy.translation.vector.xy();
        work -= work_j(&pair[0], &pair[1]);
        lost +=
            coefficient.said * pair[1].wanted.force_n.z * (went(&pair[1]) - went(&pair[0])).norm();
    }
    if coefficient.said > 0.0 {
        Ok((work / lost - 1.0).abs())
    } else {
        // Relative to one newton over the whole path.
        Ok(work.abs() / (std::f64::consts::TAU * 0.01))
    }
}

/// Energy of a closed path, J: given to the hand (negative: taken), the largest stored energy, and
/// the largest force, N.
#[derive(Clone, Copy)]
struct Round {
    given_j: f64,
    stored_j: f64,
}

fn round(ticks: &[ArmTick], period: usize) -> Round {
    let mut worst = f64::MIN;
    let (mut sum, mut stored_j) = (0.0, 0.0_f64);
    for (k, pair) in ticks.windows(2).enumerate() {
        sum += work_j(&pair[0], &pair[1]);
        stored_j = stored_j.max(pair[1].energy.stored_j);
        if (k + 1) % period == 0 {
            worst = worst.max(sum);
            sum = 0.0;
        }
    }
    Round {
        given_j: worst,
        stored_j,
    }
}

/// Moves to and fro across a convex edge of 90 degrees.
fn across_an_edge(tool: Tool, coefficient: Coefficient) -> Result<(Round, f64), Failure> {
    let half = tool.half_m();
    // The upper edge of the block along y is at x = 0; its top touches the tool's lowest point.
    let top = -half - 0.001;
    let block = stone(
        "{ kind = \"cuboid\", size_m = [0.1, 0.2, 0.1] }",
        [-0.05, 0.0, top - 0.05],
        coefficient.real,
    );
    let text = tool.arm() + &block;
    // Within a second from 8 mm on the top to 4 mm beyond the edge, and as far down; back within a
    // second.
    let mut stage = Stage::led(&text, 4, |t| {
        let down = (0.001 + DEPTH_M) * eased(t, SETTLED_S, 0.3);
        let there = 0.5 - 0.5 * (std::f64::consts::PI * (t - 0.5).max(0.0)).cos();
        Pose::translation(-0.008 + 0.013 * there, 0.0, -down - 0.002 * there)
    })?;
    let ticks = stage.run(6501);
    let whole = round(&ticks[2500..], 2000);
    // For a ball the normal is known: from the nearest point of the block.
    let mut beyond: f64 = 0.0;
    if tool == Tool::Ball {
        for tick in &ticks[2500..] {
            let at = tick.world_from_proxy.translation.vector;
            let foot = Vec3::new(at.x.min(0.0), at.y, at.z.min(top));
            let normal = (at - foot).normalize();
            if tick.wanted.force_n.norm() > 0.05 {
                let over = ratio(&tick.wanted.force_n, &normal) - coefficient.said;
                beyond = beyond.max(over / coefficient.said.max(1.0));
            }
        }
    }
    Ok((whole, beyond))
}

/// Turns a box while it sticks.
fn rocked(coefficient: f64, period_s: f64) -> Result<Round, Failure> {
    let text = Tool::Cube.arm() + &floor(-CUBE_M - 0.001, coefficient);
    let mut stage = Stage::led(&text, 4, move |t| {
        let down = (0.001 + DEPTH_M) * eased(t, SETTLED_S, 0.3);
        let phase = std::f64::consts::TAU * (t - 0.5).max(0.0) / period_s;
        let turn = Quat::from_scaled_axis(Vec3::y() * (0.25 * phase.sin()))
            * Quat::from_scaled_axis(Vec3::x() * (0.25 * (phase.cos() - 1.0)));
        posed(Vec3::new(0.0, 0.0, -down), turn)
    })?;
    let period = (1e3 * period_s) as usize;
    let ticks = stage.run(500 + 4 * period as u64 + 1);
    Ok(round(&ticks[500 + period..], period))
}

/// Turns a box about its lowest corner and moves it to and fro, while it sticks and slides.
fn turned(coefficient: f64) -> Result<Round, Failure> {
    let half = 0.01;
    let arm = forced_arm(&cube(half), STIFFNESS, 0.0) + LIMITS;
    let text = arm + &floor(-0.016, coefficient);
    let mut stage = Stage::led(&text, 4, |t| {
        let down = DEPTH_M * eased(t, SETTLED_S, 0.5);
        let (a, b) = ((3.0 * t).sin(), (2.0 * t).cos());
        let turn = Vec3::new(0.6 + 0.2 * a, 0.4 + 0.2 * b, 0.4 * a * b);
        let up = 0.004 * (1.0 - eased(t, SETTLED_S, 0.5));
        posed(
            Vec3::new(0.004 * a, 0.0, up - down),
            Quat::from_scaled_axis(turn),
        )
    })?;
    // Both return after a whole turn at a radian a second.
    let period = (1e3 * std::f64::consts::TAU).round() as usize;
    let ticks = stage.run(1000 + 3 * period as u64 + 1);
    Ok(round(&ticks[1000 + period..], period))
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let tools = [Tool::Ball, Tool::Cube];
    let cases: Vec<(Tool, f64)> = tools
        .into_iter()
        .flat_map(|tool| COEFFICIENTS.map(|c| (tool, c)))
        .filter(|(tool, c)| !context.quick || (*tool == Tool::Ball && *c == 0.3))
        .collect();
    let real = |c: f64| Coefficient::new(c, context.mutant);
    let mut rows = Vec::new();
    let mut missed = Vec::new();
    let mut judge = |name: String, unit: &'static str, bar: f64, ours: f64, rows: &mut Vec<Row>| {
        if !(ours <= bar) {
            missed.push(format!("{name}: {ours:.3e} {unit}"));
        }
        rows.push(Row::new(name, unit, bar, ours));
    };
    let of = |measure: &(dyn Fn(Tool, Coefficient) -> Result<f64, Failure> + Sync)| {
        let done: Result<Vec<f64>, Failure> = cases
            .par_iter()
            .map(|&(tool, c)| measure(tool, real(c)))
            .collect();
        done
    };
    for ((tool, c), ours) in cases.iter().zip(of(&plane)?) {
        let name = format!("{}, {c}, plane: ratio", tool.name());
        judge(name, "", RATIO, ours, &mut rows);
    }
    let balls = cases.iter().filter(|(tool, _)| *tool == Tool::Ball);
    // 82,000 triangles: not for tests.
    let spheres = if context.quick {
        Vec::new()
    } else {
        of(&sphere)?
    };
    for (&(tool, c), ours) in balls.zip(spheres) {
        let name = format!("{}, {c}, sphere: ratio", tool.name());
        judge(name, "", RATIO, ours, &mut rows);
    }
    // A minute: not for tests.
    let held = if context.quick {
        Vec::new()
    } else {
        of(&creep)?
    };
    for ((tool, c), ours) in cases.iter().zip(held) {
        if *c > 0.0 {
            let name = format!("{}, {c}, held for 60 s: creep", tool.name());
            judge(name, "um", 1e6 * CREEP_M, 1e6 * ours, &mut rows);
        }
    }
    for ((tool, c), ours) in cases.iter().zip(of(&turns)?) {
        let name = format!("{}, {c}, circle: work of a turn", tool.name());
        judge(name, "", LOOP, ours, &mut rows);
    }
    let across: Result<Vec<_>, Failure> = cases
        .par_iter()
        .map(|&(tool, c)| across_an_edge(tool, real(c)))
        .collect();
    for ((tool, c), (round, beyond)) in cases.iter().zip(across?) {
        let name = format!("{}, {c}, across an edge", tool.name());
        if *tool == Tool::Ball {
            judge(
                format!("{name}: ratio beyond"),
                "",
                RATIO,
                beyond,
                &mut rows,
            );
        }
        let bar = 1e3 * GAIN * round.stored_j;
        judge(
            format!("{name}: given a cycle"),
            "mJ",
            bar,
            1e3 * round.given_j,
            &mut rows,
        );
    }
    let rocks: Vec<(f64, f64)> = [0.0, 0.3, 0.8, 1.5]
        .into_iter()
        .flat_map(|c| [1.0, 4.0].map(|period| (c, period)))
        .filter(|(c, period)| !context.quick || (*c == 0.3 && *period == 1.0))
        .collect();
    let rocked: Result<Vec<_>, Failure> = rocks
        .par_iter()
        .map(|&(c, p)| rocked(real(c).real, p))
        .collect();
    for ((c, period), round) in rocks.iter().zip(rocked?) {
        let name = format!("box, {c}, rocked in {period} s: given a cycle");
        let bar = 1e3 * GAIN * round.stored_j;
        judge(name, "mJ", bar, 1e3 * round.given_j, &mut rows);
    }
    for c in [0.0, 0.3, 0.8] {
        if context.quick {
            break;
        }
        let round = turned(real(c).real)?;
        let name = format!("box of 20 mm, {c}, turned and moved: given a cycle");
        judge(
            name,
            "mJ",
            1e3 * GAIN * round.stored_j,
            1e3 * round.given_j,
            &mut rows,
        );
    }
    Ok(Report {
        verdict: Verdict::on_rows(rows.len(), &missed),
        rows,
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "ratio: tangential over normal force less the coefficient, as a share of it (of 1 N/N where that is 0); \
             published: the bar".into(),
            format!(
                "coupling {STIFFNESS} N/m without damping, {:.0} mm deep, answers 4 ticks late; ball of {:.0} mm, \
                 box of {:.0} mm with 6 DOF; sphere of {:.0} mm and 82,000 triangles: median",
                1e3 * DEPTH_M, 2e3 * BALL_M, 2e3 * CUBE_M, 2e3 * SPHERE_M
            ),
            format!(
                "given a cycle: work on the hand over a closed path, worst cycle; negative: taken; \
                 bar: {:.0} % of the largest stored energy", 1e2 * GAIN
            ),
        ],
    })
}
