//! A rigid body drawn after a frame that the caller moves, by a spring and a damper: a tool in a
//! hand.
//!
//! # Theory
//!
//! A force that is held over a whole step feeds a stiff spring on a light body, and so does one
//! that is found at the beginning of each substep. Here each substep takes spring and damper at its
//! *end*, which is implicit Euler for them: with mass `m`, stiffness `k` and damping `c`, `v' = (m
//! v + h k (target' - x) + h c v_target) / (m + h c + h² k)`, stable for every `k`, `c` and `h`.
//! The same for the attitude, with the momentum in the place of `m v` and the tensor of inertia in
//! that of `m`. A body that is drawn is carried: gravity does not act on it.

use nalgebra::{Matrix3, UnitQuaternion};

use super::body::{BodyError, BodyId, XpbdBody};
use super::finite;
use super::world::XpbdWorld;
use crate::Vec3;

/// Where the frame goes during the next step, evenly, and how it is tied to the body's centre of
/// mass and principal axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pull {
    /// At the step's beginning, m and world axes.
    pub from: (Vec3, UnitQuaternion<f64>),
    /// At its end.
    pub to: (Vec3, UnitQuaternion<f64>),
    /// N/m
    pub stiffness_n_m: f64,
    /// N s/m
    pub damping_n_s_m: f64,
    /// N m/rad
    pub stiffness_nm_rad: f64,
    /// N m s/rad
    pub damping_nm_s_rad: f64,
}

impl Pull {
    fn check(&self) -> Result<(), BodyError> {
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

impl XpbdWorld {
    /// Draws a dynamic body after a frame during the next step; of no effect on a kinematic one.
    /// Allocates nothing.
    ///
    /// # Errors
    /// [`BodyError`] if there is no such body, a number is not finite, or a stiffness or damping is
    /// negative.
    pub fn pull_body(&mut self, id: BodyId, pull: &Pull) -> Result<(), BodyError> {
        pull.check()?;
        let body = self.body_mut(id)?;
        if body.is_dynamic() {
            body.pull = Some(*pull);
        }
        Ok(())
    }
}

impl XpbdBody {
    /// Velocity and momentum at the end of a substep of `h`; `share` of the step is over then, and
    /// `step_s` is the whole of it.
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
        // (1 + s J) w = J goal with J the inverse of the inertia: the matrix is symmetric in J's
        // axes and positive.
        let j = self.inverse_inertia_world;
        let system = Matrix3::identity() + j * s;
        if let Some(inverse) = system.try_inverse() {
            self.momentum = goal - inverse * (j * goal) * s;
        }
    }
}
