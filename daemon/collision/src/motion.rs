//! Bodies that move on their own, as configured: oscillating or turning.
//!
//! Pure functions of time: the collision side turns them into targets for the loop, which moves the
//! bodies as far as detection allows.

use hapticd_config::Motion;
use hapticd_geometry::{Pose, Quat, Vec3};

/// The configured motion of one body.
#[derive(Clone, Copy, Debug)]
pub struct BodyMotion {
    /// Client-visible id.
    pub id: u32,
    start: Pose,
    kind: Kind,
    speed_m_s: f64,
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    Swing {
        amplitude_m: Vec3,
        per_s: f64,
    },
    Turn {
        axis: nalgebra::Unit<Vec3>,
        per_s: f64,
    },
}

/// How far ahead of the present time a body's target is, s: more than an answer takes to arrive.
const AHEAD_S: f64 = 0.02;
/// Speed limit of a body relative to its motion, so that it can catch up after it was blocked.
const CATCH_UP: f64 = 1.5;

impl BodyMotion {
    /// The motion of body `id` that starts at `start` and whose points are within `bound_m` of its
    /// origin; `None` if it has none.
    pub fn new(id: u32, motion: &Motion, start: Pose, bound_m: f64) -> Option<Self> {
        let (kind, speed) = match motion {
            Motion::None {} => return None,
            Motion::Oscillation {
                amplitude_m,
                period_s,
            } => {
                let amplitude_m = Vec3::from(*amplitude_m);
                let per_s = std::f64::consts::TAU / period_s;
                (
                    Kind::Swing { amplitude_m, per_s },
                    amplitude_m.norm() * per_s,
                )
            }
            Motion::Rotation { axis, period_s } => {
                let axis = nalgebra::Unit::try_new(Vec3::from(*axis), 0.0)?;
                let per_s = std::f64::consts::TAU / period_s;
                (Kind::Turn { axis, per_s }, bound_m * per_s)
            }
        };
        Some(BodyMotion {
            id,
            start,
            kind,
            speed_m_s: CATCH_UP * speed,
        })
    }

    /// Target pose `t_s` after the start.
    pub fn pose(&self, t_s: f64) -> Pose {
        let mut pose = self.start;
        match self.kind {
            Kind::Swing { amplitude_m, per_s } => {
                pose.translation.vector += amplitude_m * (per_s * t_s).sin()
            }
            Kind::Turn { axis, per_s } => {
                pose.rotation = Quat::from_axis_angle(&axis, per_s * t_s) * pose.rotation;
            }
        }
        pose
    }

    /// Target and speed limit to send at `t_s`.
    pub fn target(&self, t_s: f64) -> (Pose, f64) {
        (self.pose(t_s + AHEAD_S), self.speed_m_s)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swing_comes_back_and_a_turn_comes_round() {
        let start = Pose::translation(0.1, 0.2, 0.3);
        let swing = Motion::Oscillation {
            amplitude_m: [0.03, 0.0, 0.0],
            period_s: 2.0,
        };
        let swing = BodyMotion::new(1, &swing, start, 0.1).unwrap();
        assert!((swing.pose(0.5).translation.x - 0.13).abs() < 1e-12);
        assert!((swing.pose(2.0).translation.vector - start.translation.vector).norm() < 1e-12);
        let turn = Motion::Rotation {
            axis: [0.0, 0.0, 2.0],
            period_s: 4.0,
        };
        let turn = BodyMotion::new(1, &turn, start, 0.1).unwrap();
        assert!((turn.pose(1.0).rotation.angle() - std::f64::consts::FRAC_PI_2).abs() < 1e-12);
        assert!(BodyMotion::new(1, &Motion::None {}, start, 0.1).is_none());
    }
}
