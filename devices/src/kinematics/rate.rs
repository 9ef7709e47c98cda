//! Rate control: the displacement of a puck (a SpaceMouse) sets the velocity of the tool, not its
//! position.
//!
//! Axes 0 to 2 are the wanted velocity along x, y, z (m/s), and axes 3 to 5 the wanted angular
//! velocity about x, y, z (rad/s), in the base frame. The pose is their integral from the
//! workspace's centre: translation along straight lines, rotation about the tool's origin by the
//! exponential map. The position never leaves the workspace box. Pure: time is an argument, no
//! allocation.

use nalgebra::{Translation3, UnitQuaternion};

use crate::arm::{Axes, Pose, Vec3, Workspace};

/// Parameters of the integration.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Rate {
    /// Linear rates below this count as zero, m/s: a puck never rests at exactly zero.
    pub dead_band_m_s: f64,
    /// Angular rates below this count as zero, rad/s.
    pub dead_band_rad_s: f64,
    /// Longest step that is integrated, ns: a puck that was silent for longer was at rest.
    pub max_step_ns: u64,
}

/// The integrated pose and its state.
#[derive(Clone, Debug)]
pub struct RateIntegrator {
    rate: Rate,
    workspace: Workspace,
    last_ns: Option<u64>,
    pose: Pose,
}

impl RateIntegrator {
    /// Starts at the workspace's centre with the identity rotation.
    #[must_use]
    pub fn new(rate: Rate, workspace: Workspace) -> Self {
        Self {
            rate,
            workspace,
            last_ns: None,
            pose: Pose::from_parts(
                Translation3::from(workspace.center),
                UnitQuaternion::identity(),
            ),
        }
    }

    /// Integrates the rates that held since the last step and returns the pose. Rates that are not
    /// finite move nothing.
    pub fn step(&mut self, time_ns: u64, axes: &Axes) -> Pose {
        let since = self.last_ns.map_or(0, |last| time_ns.saturating_sub(last));
        self.last_ns = Some(time_ns.max(self.last_ns.unwrap_or(0)));
        let seconds = since.min(self.rate.max_step_ns) as f64 * 1e-9;
        let moving = |rate: Vec3, dead_band: f64| {
            let speed = rate.norm();
            if speed.is_finite() && speed > dead_band {
                rate * seconds
            } else {
                Vec3::zeros()
            }
        };
        let linear = moving(
            Vec3::new(axes[0], axes[1], axes[2]),
            self.rate.dead_band_m_s,
        );
        let angular = moving(
            Vec3::new(axes[3], axes[4], axes[5]),
            self.rate.dead_band_rad_s,
        );
        let Workspace {
            center,
            half_extents,
        } = self.workspace;
        let position = self.pose.translation.vector + linear;
        let low = center - half_extents;
        let position = position.sup(&low).inf(&(center + half_extents));
        let mut rotation = UnitQuaternion::from_scaled_axis(angular) * self.pose.rotation;
        rotation.renormalize_fast();
        self.pose = Pose::from_parts(Translation3::from(position), rotation);
        self.pose
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn integrator() -> RateIntegrator {
        let rate = Rate {
            dead_band_m_s: 0.001,
            dead_band_rad_s: 0.01,
            max_step_ns: 50 * MS,
        };
        let workspace = Workspace {
            center: Vec3::new(0.0, 0.0, 0.1),
            half_extents: Vec3::new(0.1, 0.1, 0.05),
        };
        RateIntegrator::new(rate, workspace)
    }

    #[test]
    fn the_pose_is_the_integral_of_the_rates() {
        let mut integrator = integrator();
        let rates = [0.1, 0.0, 0.02, 0.0, 0.0, 2.0, 0.0];
        let mut pose = Pose::identity();
        for i in 0..=100 {
            pose = integrator.step(i * 8 * MS, &rates);
        }
        assert!((pose.translation.vector - Vec3::new(0.08, 0.0, 0.116)).norm() < 1e-12);
        assert!((pose.rotation.scaled_axis() - Vec3::z() * 1.6).norm() < 1e-9);
    }

    #[test]
    fn it_stops_at_the_walls_and_turns_on() {
        let mut integrator = integrator();
        for i in 0..1000 {
            let pose = integrator.step(i * 8 * MS, &[-3.0, 3.0, 3.0, 0.0, 1.0, 0.0, 0.0]);
            let inside = (pose.translation.vector - Vec3::new(0.0, 0.0, 0.1)).abs();
            assert!(inside.x <= 0.1 + 1e-12 && inside.y <= 0.1 + 1e-12 && inside.z <= 0.05 + 1e-12);
            assert!((pose.rotation.norm() - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn noise_silence_and_nonsense_move_nothing() {
        let mut integrator = integrator();
        integrator.step(0, &[0.0; 7]);
        let still = integrator.step(8 * MS, &[5e-4, 0.0, 0.0, 0.005, 0.0, 0.0, 0.0]);
        assert_eq!(still.translation.vector, Vec3::new(0.0, 0.0, 0.1));
        let silent = integrator.step(10_000 * MS, &[0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert!(
            (silent.translation.x - 0.005).abs() < 1e-12,
            "50 ms at most"
        );
        let back = integrator.step(5 * MS, &[0.1, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(back.translation, silent.translation);
        let nonsense = integrator.step(
            10_008 * MS,
            &[f64::NAN, f64::INFINITY, 0.0, f64::NAN, 0.0, 0.0, 0.0],
        );
        assert_eq!(nonsense.translation, silent.translation);
    }
}
