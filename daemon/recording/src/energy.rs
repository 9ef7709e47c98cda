//! Energy in a recording: the ledger of each arm's coupling, and the true work of a simulated arm's
//! motors and hand.
//!
//! Values are joules; all else is as in [`super::message`]. A round trip through a message changes
//! no bit. The code is pure.

use hapticd_devices::safety::Energy;
use hapticd_devices::sim::{ArmTruth, Work};
use serde::{Deserialize, Serialize};

use super::number::Num;
use super::spatial::{PoseMessage, Triple, WrenchMessage, triple, vector};

/// The passivity observer's ledger of an arm, J.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnergyMessage {
    /// Energy given to the hand so far.
    pub given_j: Num,
    /// Energy put in so far at the far end, by whatever holds the tool.
    pub world_j: Num,
    /// Energy stored in the spring now.
    pub stored_j: Num,
    /// Energy made so far by sampling, delay, ramps and gains; negative if dissipated.
    pub leak_j: Num,
    /// Energy added so far by limits that were raised; negative if removed by limits that came
    /// down.
    pub limits_j: Num,
    /// Energy given beyond what the arm's damping surely takes.
    pub debt_j: Num,
    /// Stored energy that was removed so far when the gain was lowered.
    pub withheld_j: Num,
    /// Gain of the passivity controller; 1 while it does not act.
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

/// Work on a simulated handle since the start, J; positive if the handle was given energy.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkMessage {
    /// Work of the force.
    pub force_j: Num,
    /// Work of the torque.
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

/// True state of a simulated handle, before encoders and wire, base frame. It is not part of the
/// computation: a replay neither needs nor compares it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TruthMessage {
    /// Time of this state: the tick's time in virtual time, otherwise the time at which the arm's
    /// thread took in the last report.
    pub time_ns: u64,
    /// Pose of the tool in the base frame.
    pub pose: PoseMessage,
    /// Linear velocity, m/s.
    pub linear_velocity: Triple,
    /// Angular velocity, rad/s.
    pub angular_velocity: Triple,
    /// Wrench of the hand on the handle.
    pub hand: WrenchMessage,
    /// Wrench of the motors on the handle.
    pub motors: WrenchMessage,
    /// Work of the hand on the handle.
    pub hand_work: WorkMessage,
    /// Work of the motors on the handle.
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
