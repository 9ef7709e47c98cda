//! The messages of points, poses and wrenches, which all other messages are made of.
//!
//! Metres, newtons, newton metres; rotations are quaternions `[x, y, z, w]`. Going through a
//! message changes no bit. Pure.

use hapticd_devices::arm::Wrench;
use hapticd_geometry::{Pose, Quat, Vec3};
use serde::{Deserialize, Serialize};

use super::number::Num;

/// A point or vector.
pub type Triple = [Num; 3];

pub(super) fn triple(v: &Vec3) -> Triple {
    [Num(v.x), Num(v.y), Num(v.z)]
}

pub(super) fn vector(t: &Triple) -> Vec3 {
    Vec3::new(t[0].0, t[1].0, t[2].0)
}

/// A pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoseMessage {
    /// m.
    pub position_m: Triple,
    /// Unit quaternion, x y z w.
    pub rotation_xyzw: [Num; 4],
}

impl From<&Pose> for PoseMessage {
    fn from(p: &Pose) -> Self {
        let q = p.rotation.coords;
        PoseMessage {
            position_m: triple(&p.translation.vector),
            rotation_xyzw: [Num(q.x), Num(q.y), Num(q.z), Num(q.w)],
        }
    }
}

impl From<&PoseMessage> for Pose {
    /// The quaternion is taken as it stands: normalising it would change its last bits.
    fn from(m: &PoseMessage) -> Self {
        let [x, y, z, w] = m.rotation_xyzw;
        Pose::from_parts(
            vector(&m.position_m).into(),
            Quat::new_unchecked(nalgebra::Quaternion::new(w.0, x.0, y.0, z.0)),
        )
    }
}

/// Force and torque in an arm's base frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrenchMessage {
    /// N.
    pub force_n: Triple,
    /// N·m.
    pub torque_nm: Triple,
}

impl From<&Wrench> for WrenchMessage {
    fn from(w: &Wrench) -> Self {
        WrenchMessage {
            force_n: triple(&w.force_n),
            torque_nm: triple(&w.torque_nm),
        }
    }
}

impl From<&WrenchMessage> for Wrench {
    fn from(m: &WrenchMessage) -> Self {
        Wrench {
            force_n: vector(&m.force_n),
            torque_nm: vector(&m.torque_nm),
        }
    }
}
