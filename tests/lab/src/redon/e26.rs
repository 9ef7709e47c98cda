//! E26 (section 6.4): the largest stable stiffness of the coupling on a device with force in every
//! direction. It is found by bisection, for the damped spring (6.4) and for its variant with the
//! damper on the device (6.5), and compared with the bound from which the product computes its
//! gains.

use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_proxy::{Damping, Gains, Interaction, LoopTiming, Wrench};
use serde_json::Value;

use super::bench::{Bench, Setting};
use super::hand::{Grip, Hand, Script};
use super::trial::{Feels, Trial, most};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e26",
    title: "haptic: coupling in six directions, and how stiff (6.4) and (6.5) may be",
    judges: Judges::Counts(&[]),
    run,
};

const MASS_KG: f64 = 0.15;
/// Force with which the hand pushes on the wall, N, and its height above the wall at the start, m.
const PUSH_N: f64 = 1.0;
const ABOVE_M: f64 = 1e-3;
const RADIUS_M: f64 = 5e-3;
const SECONDS: f64 = 6.0;
const BISECTIONS: u32 = 14;

/// One configuration: period, delay, the arm's damping, the coupling's.
#[derive(Clone, Copy)]
struct Case {
    period_s: f64,
    delay: usize,
    arm_n_s_per_m: f64,
    damper_n_s_per_m: f64,
    interaction: Interaction,
}

impl Case {
    fn timing(&self) -> LoopTiming {
        LoopTiming {
            period_s: self.period_s,
            delay_s: self.delay as f64 * self.period_s,
            damping_n_s_per_m: self.arm_n_s_per_m,
            coulomb_friction_n: 0.0,
            resolution_m: 0.0,
        }
    }

    /// Returns the bound of Colgate and Schenkel: `k (T/2 + t_d) + B < b`.
    fn bound(&self) -> f64 {
        let timing = self.timing();
        (self.arm_n_s_per_m - self.damper_n_s_per_m) / (timing.period_s / 2.0 + timing.delay_s)
    }

    fn name(&self) -> String {
        let mass = match self.interaction {
            Interaction::SpringWithMass(m) => format!(", tool of {m} kg"),
            _ => String::new(),
        };
        format!(
            "T {} ms, delay {} ms, arm {} N s/m, b_h {} N s/m{mass}",
            1e3 * self.period_s,
            1e3 * self.period_s * self.delay as f64,
            self.arm_n_s_per_m,
            self.damper_n_s_per_m
        )
    }

    /// Returns true if a hand that is only a mass, pushed on a wall, comes to rest there.
    fn is_stable(&self, stiffness_n_per_m: f64, damping: Damping) -> Result<bool, Failure> {
        let wall =
            shapes::cuboid(&Vec3::repeat(2.0)).map_err(|e| Failure::Run(format!("a mesh: {e}")))?;
        let gains = Gains {
            stiffness_n_per_m,
            damping_n_s_per_m: self.damper_n_s_per_m,
            ..Gains::default()
        };
        let setting = Setting {
            gains,
            damping,
            interaction: self.interaction,
            period_s: self.period_s,
            delay: self.delay,
        };
        let mut bench = Bench::new(
            Ok(RADIUS_M),
            &wall,
            Pose::translation(0.0, 0.0, -2.0),
            &setting,
        )?;
        let grip = Grip {
            mass_kg: MASS_KG,
            stiffness_n_per_m: 0.0,
            damping_n_s_per_m: 0.0,
            arm_n_s_per_m: self.arm_n_s_per_m,
            ..Grip::RELAXED
        };
        let start = Pose::translation(0.001, 0.002, RADIUS_M + ABOVE_M);
        let mut hand = Hand::new(grip, start);
        for _ in 0..10 {
            bench.tick(&start);
        }
        let ticks = (SECONDS / self.period_s) as u32;
        let mut force = Wrench::default();
        let mut speed = 0.0_f64;
        for k in 0..ticks {
            let push = Wrench {
                force_n: force.force_n - Vec3::z() * PUSH_N,
                torque_nm: Vec3::zeros(),
            };
            hand.advance(&start, &push, self.period_s);
            let height = hand.pose.translation.z;
            if !height.is_finite() || height.abs() > 0.5 {
                return Ok(false);
            }
            force = bench.tick(&hand.pose).1;
            if k > ticks - ticks / 10 {
                speed = speed.max(hand.velocity.norm());
            }
        }
        // It arrived at about 0.1 m/s; the remaining speed dies out, or never will.
        Ok(speed < 1e-3)
    }

    /// Returns the largest stable stiffness, N/m, to a few parts in a thousand; `None` if even the
    /// weakest coupling tried is unstable.
    fn stiffest(&self, damping: Damping) -> Result<Option<f64>, Failure> {
        let (mut low, mut high) = (0.2 * self.bound(), 100.0 * self.bound());
        if !self.is_stable(low, damping)? {
            return Ok(None);
        }
        for _ in 0..BISECTIONS {
            let middle = (low * high).sqrt();
            if self.is_stable(middle, damping)? {
                low = middle;
            } else {
                high = middle;
            }
        }
        Ok(Some(low))
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let case =
        |period_ms: f64, delay: usize, arm: f64, damper: f64, interaction: Interaction| Case {
            period_s: 1e-3 * period_ms,
            delay,
            arm_n_s_per_m: arm,
            damper_n_s_per_m: damper,
            interaction,
        };
    let light = Interaction::Spring;
    let cases = [
        case(1.0, 0, 2.0, 0.5, light),
        case(1.0, 1, 2.0, 0.5, light),
        case(1.0, 3, 2.0, 0.5, light),
        case(2.0, 0, 2.0, 0.5, light),
        case(0.5, 0, 2.0, 0.5, light),
        case(1.0, 0, 4.0, 0.5, light),
        case(1.0, 0, 4.0, 2.0, light),
        case(1.0, 0, 2.0, 0.5, Interaction::SpringWithMass(0.05)),
    ];
    let (mut rows, mut bounded, mut ours, mut stabler) = (Vec::new(), true, true, true);
    let (mut margin, mut gain) = ([f64::INFINITY, 0.0_f64], [f64::INFINITY, 0.0_f64]);
    for case in cases {
        let relative = case.stiffest(Damping::Relative)?;
        let device = case.stiffest(Damping::Device)?;
        let bound = case.bound();
        rows.push(
            Row::new(
                format!("{}: largest stable k, (6.4)", case.name()),
                "N/m",
                Value::Null,
                relative,
            )
            .with("bound", bound),
        );
        rows.push(
            Row::new(
                format!("{}: largest stable k, (6.5)", case.name()),
                "N/m",
                "more stable",
                device,
            )
            .with("bound", bound),
        );
        let (Some(relative), Some(device)) = (relative, device) else {
            bounded = false;
            continue;
        };
        bounded &= relative >= bound && device >= bound;
        ours &= relative >= case.timing().stable_stiffness();
        stabler &= device >= 0.98 * relative;
        margin = [
            margin[0].min(relative.min(device) / bound),
            margin[1].max(relative.max(device) / bound),
        ];
        gain = [
            gain[0].min(device / relative),
            gain[1].max(device / relative),
        ];
    }
    let six = six_directions()?;
    rows.extend(six.rows);
    Ok(Report {
        rows,
        verdict: Verdict::new(
            bounded && ours && stabler && six.holds,
            format!(
                "the largest stable stiffness is {:.2} to {:.1} times the passivity bound in all cases (never below: {bounded}), with (6.5) {:.2} to {:.2} times that of \
                 (6.4); in six directions {}",
                margin[0], margin[1], gain[0], gain[1], six.words
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "the hand is a mass of 0.15 kg without stiffness or friction of its own, pushed onto a wall with 1 N from 1 mm above; stable: slower than 1 mm/s in the last of \
             six seconds' tenth"
                .into(),
            "bound: (b - b_h) / (T/2 + delay) of Colgate and Schenkel, which the exact condition that the product takes its gains from goes beyond; it holds for every passive hand, so \
             a given one may be stable beyond it"
                .into(),
            "in contact the tool stands still and the two variants are one formula: they can differ while the hand bounces, and with a tool that has mass".into(),
        ],
    })
}

struct Six {
    rows: Vec<Row>,
    holds: bool,
    words: String,
}

/// Leads a bar that turns with the hand freely, presses one end on a block, and releases it.
fn six_directions() -> Result<Six, Failure> {
    use hapticd_testkit::{BodyPlan, ScenePlan, ToolPlan};
    let failed = |e| Failure::Run(format!("a mesh: {e}"));
    let bar = shapes::cuboid(&Vec3::new(0.03, 0.006, 0.006)).map_err(failed)?;
    let block = shapes::cuboid(&Vec3::new(0.02, 0.05, 0.02)).map_err(failed)?;
    let mut scene = ScenePlan::new(
        "bar on block",
        ToolPlan::Mesh {
            mesh: bar,
            turns: true,
        },
        vec![BodyPlan::fixed(block, Pose::translation(0.04, 0.0, -0.02))],
    );
    let at = |z: f64, turn: f64| {
        super::stage::about(
            &Vec3::zeros(),
            &(Vec3::new(0.2, 0.0, 1.0) * turn),
            &Vec3::new(0.0, 0.0, z),
        )
    };
    scene.start = at(0.03, 0.0);
    let script = Script::new(&[
        (0.1, at(0.03, 0.0)),
        (0.4, at(0.03, 0.3)),
        (0.4, at(0.03, 0.0)),
        (0.4, at(-0.01, 0.0)),
        (0.3, at(-0.01, 0.0)),
        (0.4, at(0.03, 0.0)),
        (0.3, at(0.03, 0.0)),
    ]);
    let trial = Trial::run(&scene, Grip::RELAXED, &script, Feels::ForceAndTorque, 1)?;
    let free = most(trial.stages(1..=2).map(|s| s.force_n.norm()));
    let pressed = trial.stages(4..=4).last().copied();
    let (force, torque) = pressed.map_or((0.0, 0.0), |s| (s.force_n.z, s.torque_nm.y));
    let after = trial
        .samples
        .last()
        .map_or(f64::INFINITY, |s| s.force_n.norm());
    let turned = pressed.map_or(0.0, |s| s.tool.rotation.angle());
    // The block lifts the end at +x: upwards, and about -y.
    let holds = trial.is_clean()
        && free < 1e-6
        && after < 1e-6
        && force > 1.0
        && torque < -1e-3
        && turned > 0.01;
    let mut rows = vec![
        Row::new("six directions: force in free motion, most", "N", 0.0, free),
        Row::new(
            "six directions: force on the hand, one end on a block",
            "N",
            "works",
            force,
        ),
        Row::new(
            "six directions: torque about the bar's side",
            "N m",
            "works",
            torque,
        ),
        Row::new(
            "six directions: the bar gives way by",
            "rad",
            Value::Null,
            turned,
        ),
        Row::new("six directions: force after it has left", "N", 0.0, after),
    ];
    rows.extend(trial.rows());
    let words = format!(
        "free motion is free ({free:.0e} N), one end on a block gives {force:.2} N and {torque:.3} N m, and leaving it 0; {}",
        trial.words()
    );
    Ok(Six { rows, holds, words })
}
