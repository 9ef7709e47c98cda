//! What a recording says of energy: the ledger of each arm's spring, and what a simulated arm's
//! motors and hand truly did.
//!
//! Joules; all else as in [`super::message`]. Going through a message changes no bit. Pure.

use hapticd_devices::safety::Energy;
use hapticd_devices::sim::{ArmTruth, Work};
use serde::{Deserialize, Serialize};

use super::message::{PoseMessage, Triple, WrenchMessage, triple, vector};
use super::number::Num;

/// The passivity observer's ledger of an arm, J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyMessage {
    /// Given to the hand so far.
    pub given_j: Num,
    /// Put in so far by what holds the tool.
    pub world_j: Num,
    /// Stored in the spring now.
    pub stored_j: Num,
    /// Made so far by sampling, delay, ramps and gains; negative: dissipated.
    pub leak_j: Num,
    /// Added so far by limits that were raised; negative: taken off by limits that came down.
    pub limits_j: Num,
    /// Given beyond what the arm's damping surely takes.
    pub debt_j: Num,
    /// Stored and taken off so far where the gain was lowered.
    pub withheld_j: Num,
    /// The controller's gain, 1 where it does not act.
    pub gain: Num,
}

impl From<&Energy> for EnergyMessage {
    fn from(e: &Energy) -> Self {
        EnergyMessage {
            given_j: Num(e.given_j),
            world_j: Num(e.world_j),
            stored_j: Num(e.stored_j),
            leak_j: Num(e.leak_j),
            limits_j: Num(e.limits_j),
            debt_j: Num(e.debt_j),
            withheld_j: Num(e.withheld_j),
            gain: Num(e.gain),
        }
    }
}

/// Work on a simulated handle since the start, J; positive where it was given energy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkMessage {
    /// Of the force.
    pub force_j: Num,
    /// Of the torque.
    pub torque_j: Num,
}

impl From<&Work> for WorkMessage {
    fn from(work: &Work) -> Self {
        WorkMessage {
            force_j: Num(work.force_j),
            torque_j: Num(work.torque_j),
        }
    }
}

impl From<&WorkMessage> for Work {
    fn from(m: &WorkMessage) -> Self {
        Work {
            force_j: m.force_j.0,
            torque_j: m.torque_j.0,
        }
    }
}

/// A simulated handle as it is, before encoders and wire, base frame. No part of the computation:
/// a replay neither needs nor compares it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TruthMessage {
    /// When it was so: the tick's time where time is virtual, else when the arm's thread took in
    /// the last report.
    pub time_ns: u64,
    /// Tool in the base frame.
    pub pose: PoseMessage,
    /// m/s.
    pub linear_velocity: Triple,
    /// rad/s.
    pub angular_velocity: Triple,
    /// The hand's wrench on the handle.
    pub hand: WrenchMessage,
    /// The motors' wrench on the handle.
    pub motors: WrenchMessage,
    /// The hand's work on the handle.
    pub hand_work: WorkMessage,
    /// The motors' work on the handle.
    pub motor_work: WorkMessage,
}

impl From<&ArmTruth> for TruthMessage {
    fn from(t: &ArmTruth) -> Self {
        TruthMessage {
            time_ns: t.time_ns,
            pose: (&t.pose).into(),
            linear_velocity: triple(&t.linear_velocity),
            angular_velocity: triple(&t.angular_velocity),
            hand: (&t.hand).into(),
            motors: (&t.motors).into(),
            hand_work: (&t.hand_work).into(),
            motor_work: (&t.motor_work).into(),
        }
    }
}

impl From<&TruthMessage> for ArmTruth {
    fn from(m: &TruthMessage) -> Self {
        ArmTruth {
            time_ns: m.time_ns,
            pose: (&m.pose).into(),
            linear_velocity: vector(&m.linear_velocity),
            angular_velocity: vector(&m.angular_velocity),
            hand: (&m.hand).into(),
            motors: (&m.motors).into(),
            hand_work: (&m.hand_work).into(),
            motor_work: (&m.motor_work).into(),
        }
    }
}
