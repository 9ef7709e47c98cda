//! A spring and a damper that pull a rigid body towards a frame that the caller moves: a tool in a
//! hand.
//!
//! # Theory
//!
//! A force held over a whole step adds energy to a stiff spring on a light body, and so does one
//! evaluated at the beginning of each substep. Here each substep takes spring and damper at its
//! *end*, which is implicit Euler for them. With mass `m`, stiffness `k` and damping `c`, `v' = (m
//! v + h k (target' - x) + h c v_target) / (m + h c + h² k)`, which is stable for every `k`, `c`
//! and `h`. The attitude is treated the same way, with the angular momentum in place of `m v` and
//! the inertia tensor in place of `m`. Gravity does not act on a pulled body: the pull carries it.

use nalgebra::{Matrix3, UnitQuaternion};

use super::{BodyError, XpbdBody};
use crate::{Vec3, finite};

/// Motion of the frame during the next step, at constant velocity, and its coupling to the body's
/// centre of mass and principal axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// Pose at the start of the step, m and world axes.
    pub from: (Vec3, UnitQuaternion<f64>),
    /// Pose at the end of the step.
    pub to: (Vec3, UnitQuaternion<f64>),
    /// Linear stiffness, N/m.
    pub stiffness_n_m: f64,
    /// Linear damping, N s/m.
    pub damping_n_s_m: f64,
    /// Angular stiffness, N m/rad.
    pub stiffness_nm_rad: f64,
    /// Angular damping, N m s/rad.
    pub damping_nm_s_rad: f64,
}

impl Pull {
    pub(crate) fn check(&self) -> Result<(), BodyError> {
        for (position, rotation) in [&self.from, &self.to] {
            if !finite(position) {
                return Err(BodyError::Position(*position));
            }
            let norm = rotation.coords.norm();
            if !((norm - 1.0).abs() < 1e-6) {
                return Err(BodyError::Rotation(norm));
            }
        }
        for (name, value) in [
            ("stiffness_n_m", self.stiffness_n_m),
            ("damping_n_s_m", self.damping_n_s_m),
            ("stiffness_nm_rad", self.stiffness_nm_rad),
            ("damping_nm_s_rad", self.damping_nm_s_rad),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(BodyError::Pull { name, value });
            }
        }
        Ok(())
    }
}

impl XpbdBody {
    /// Sets velocity and momentum to those at the end of a substep of `h`. By then `share` of the
    /// step of length `step_s` is complete.
    pub(super) fn follow_pull(&mut self, pull: &Pull, share: f64, step_s: f64, h: f64) {
        let way = pull.to.0 - pull.from.0;
        let target = pull.from.0 + way * share;
        let (k, c) = (pull.stiffness_n_m, pull.damping_n_s_m);
        let m = 1.0 / self.inverse_mass;
        let force = (target - self.state.position) * k + way * (c / step_s);
        self.state.velocity = (self.state.velocity * m + force * h) / (m + h * c + h * h * k);

        let turn = (pull.to.1 * pull.from.1.inverse()).scaled_axis();
        let target = UnitQuaternion::from_scaled_axis(turn * share) * pull.from.1;
        let (k, c) = (pull.stiffness_nm_rad, pull.damping_nm_s_rad);
        let torque =
            (target * self.state.rotation.inverse()).scaled_axis() * k + turn * (c / step_s);
        let s = h * c + h * h * k;
        let goal = self.momentum + torque * h;
        // (1 + s J) w = J goal, with J the inverse of the inertia. In the axes of J the matrix is
        // symmetric and positive.
        let j = self.inverse_inertia_world;
        let system = Matrix3::identity() + j * s;
        if let Some(inverse) = system.try_inverse() {
            self.momentum = goal - inverse * (j * goal) * s;
        }
    }
}
