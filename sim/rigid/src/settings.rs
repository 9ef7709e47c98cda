//! Simulation settings of a world.

use hapticd_gauss::FrictionLaw;
use hapticd_geometry::Vec3;

use crate::body::BodyError;

/// Which quantity forces change (Redon 2002, section 6.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Forces change velocities. Bodies move as their wanted twists and the forces on them dictate,
    /// as far as contacts allow, and stand still otherwise. A force `f` on a mass `m` adds the
    /// velocity `f / (m drag)`.
    First,
    /// Forces change accelerations: gravity, inertia, impacts.
    Second,
}

/// Simulation settings of a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// First or second order.
    pub order: Order,
    /// Gravitational acceleration, m/s². Not used in a first-order world.
    pub gravity: Vec3,
    /// Drag that resists forces in a first-order world, 1/s. Not used in a second-order world.
    pub drag_per_s: f64,
    /// Whether kinematic bodies pass through static ones and each other, so that only dynamic
    /// bodies are kept apart from all others. Where a client places them, they may overlap on
    /// purpose.
    pub kinematic_passes: bool,
    /// Friction law.
    pub friction: FrictionLaw,
    /// The solver stops when no contact velocity changes by more than this fraction of the speeds
    /// in its group.
    pub tolerance: f64,
    /// Work bound: maximum number of contact visits that the solver makes for one group in one
    /// step.
    pub visits: u32,
    /// A body slower than this fraction of `sqrt(g r + r² 0.01/s²)` (`r` is its radius) is quiet.
    pub quiet: f64,
    /// A group that has been quiet for this long falls asleep, s. Infinite means never.
    pub sleep_after_s: f64,
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), BodyError> {
        let finite = f64::MAX;
        for (what, value, most) in [
            ("gravity", self.gravity.norm(), 1e100),
            // Quotients by it must stay finite.
            ("1 / drag_per_s", self.drag_per_s.recip(), 1e100),
            ("tolerance", self.tolerance, 1.0),
            ("quiet", self.quiet, finite),
            ("sleep_after_s", self.sleep_after_s, f64::INFINITY),
        ] {
            if !(0.0..=most).contains(&value) {
                return Err(BodyError::Setting { what, value, most });
            }
        }
        Ok(())
    }
}

impl Default for Settings {
    /// Second order, 9.81 m/s² along -z, Coulomb's law.
    fn default() -> Self {
        Self {
            order: Order::Second,
            gravity: Vec3::new(0.0, 0.0, -9.81),
            drag_per_s: 10.0,
            kinematic_passes: false,
            friction: FrictionLaw::Coulomb,
            tolerance: 1e-5,
            visits: 30_000,
            quiet: 2e-3,
            sleep_after_s: 0.5,
        }
    }
}
