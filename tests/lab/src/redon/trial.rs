//! A haptic trial without a device: the product's scene and loop in virtual time, a simulated hand,
//! and an exact check of every tick.
//!
//! The fixture of `hapticd-testkit` is the loop, with answers one tick late, and the checker; the
//! hand feels the coupling's force a tick later.

use hapticd_geometry::{Pose, Vec3};
use hapticd_proxy::Wrench;
use hapticd_testkit::courier::Delivery;
use hapticd_testkit::{Fixture, ScenePlan, Tally};

use super::hand::{Grip, Hand, Script};
use crate::clock::Moment;
use crate::experiment::{Failure, Row};

pub const PERIOD_S: f64 = 1e-3;

/// Measurements of a tick.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Stage of the script.
    pub stage: usize,
    pub device: Vec3,
    pub tool: Pose,
    pub force_n: Vec3,
    pub torque_nm: Vec3,
    /// Change of the force since the previous tick, N.
    pub jump_n: f64,
    /// Normal of the nearest contact that holds the tool, if any.
    pub normal: Option<Vec3>,
}

/// What a device renders to the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feels {
    Force,
    ForceAndTorque,
}

/// Measurements of a trial.
pub struct Trial {
    pub samples: Vec<Sample>,
    pub tally: Tally,
    pub seconds: f64,
}

impl Trial {
    /// Runs the script from beginning to end with this hand.
    pub fn run(
        scene: &ScenePlan,
        grip: Grip,
        script: &Script,
        feels: Feels,
        measure_every: u64,
    ) -> Result<Self, Failure> {
        let mut fixture = Fixture::new(scene, Delivery::fixed(1), 1)
            .map_err(|e| Failure::Run(format!("the scene: {e}")))?;
        fixture.measure_every = measure_every;
        let start = script.goal(0.0);
        let mut hand = Hand::new(grip, start);
        let mut wrench = Wrench::default();
        let mut samples = Vec::new();
        let clock = Moment::now();
        // Nothing is solid before the first answers have arrived.
        for _ in 0..50 {
            fixture.step(Some(start));
        }
        // Before that it was clear of everything, as the first answer has proven.
        fixture.tally.ghost = 0;
        let ticks = (script.duration_s() / PERIOD_S).round() as u32;
        for k in 0..ticks {
            let time_s = f64::from(k) * PERIOD_S;
            if feels == Feels::Force {
                wrench.torque_nm = Vec3::zeros();
            }
            hand.advance(&script.goal(time_s), &wrench, PERIOD_S);
            let (outcome, _) = fixture.step(Some(hand.pose));
            let contacts = &outcome.contacts[..outcome.contact_count];
            samples.push(Sample {
                stage: script.stage(time_s),
                device: hand.pose.translation.vector,
                tool: outcome.proxy,
                force_n: outcome.wrench.force_n,
                torque_nm: outcome.wrench.torque_nm,
                jump_n: (outcome.wrench.force_n - wrench.force_n).norm(),
                normal: contacts.iter().find(|c| c.active).map(|c| c.normal),
            });
            wrench = outcome.wrench;
        }
        Ok(Self {
            samples,
            tally: fixture.tally,
            seconds: clock.elapsed().as_secs_f64(),
        })
    }

    /// Returns the samples on the way to one of these stations.
    pub fn stages(
        &self,
        stages: std::ops::RangeInclusive<usize>,
    ) -> impl Iterator<Item = &Sample> + Clone {
        self.samples
            .iter()
            .filter(move |s| stages.contains(&s.stage))
    }

    /// Returns true if the tool was never in a body, no piece of its path crossed a surface, and
    /// the checker found nothing else.
    pub fn is_clean(&self) -> bool {
        self.tally.is_clean() && self.tally.penetration_m == 0.0 && self.tally.ghost == 0
    }

    /// Returns the rows that every trial reports.
    pub fn rows(&self) -> Vec<Row> {
        let t = &self.tally;
        let worst = self.samples.iter().map(|s| s.jump_n).fold(0.0, f64::max);
        let most = self
            .samples
            .iter()
            .map(|s| s.force_n.norm())
            .fold(0.0, f64::max);
        vec![
            Row::new("penetration, deepest", "m", 0.0, t.penetration_m),
            Row::new(
                "pieces of the tool's path that met a surface",
                "",
                0,
                t.crossings,
            ),
            Row::new(
                "other objections of the checker",
                "",
                0,
                t.violations - t.crossings,
            ),
            Row::new(
                "least distance of the surfaces, measured",
                "m",
                "> 0",
                t.least_gap_m,
            ),
            Row::new("ticks", "", serde_json::Value::Null, t.ticks),
            Row::new("ticks in contact", "", serde_json::Value::Null, t.contact),
            Row::new(
                "ticks held back by late answers or budgets",
                "",
                serde_json::Value::Null,
                t.starved,
            ),
            Row::new("largest force", "N", serde_json::Value::Null, most),
            Row::new(
                "largest change of the force in 1 ms",
                "N",
                serde_json::Value::Null,
                worst,
            ),
            Row::new(
                "ticks per second, with the checker",
                "1/s",
                serde_json::Value::Null,
                t.ticks as f64 / self.seconds,
            ),
        ]
    }

    /// Returns a sentence for a verdict.
    pub fn words(&self) -> String {
        let t = &self.tally;
        format!(
            "penetration {} m, {} of {} pieces of path through a surface",
            t.penetration_m, t.crossings, t.pieces
        )
    }
}

/// Returns the largest of these.
pub fn most(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::NEG_INFINITY, f64::max)
}

/// Returns the smallest of these.
pub fn least(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(f64::INFINITY, f64::min)
}
