//! How a world is simulated.

use hapticd_gauss::FrictionLaw;
use hapticd_geometry::Vec3;

use crate::body::BodyError;

/// What forces change (Redon 2002, section 6.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Velocities: bodies are moved as their wanted twists and the forces on them say, as far as
    /// contacts admit, and stand still when nothing is wanted. A force `f` on a mass `m` is worth
    /// the velocity `f / (m drag)`.
    First,
    /// Accelerations: gravity, inertia, impacts.
    Second,
}

/// How a world is simulated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// First or second order.
    pub order: Order,
    /// Acceleration of everything, m/s². Not used in a first-order world.
    pub gravity: Vec3,
    /// What resists forces in a first-order world, 1/s. Not used in one of second order.
    pub drag_per_s: f64,
    /// Whether kinematic bodies pass through static ones and each other, so that only dynamic
    /// bodies are kept apart from everything. Where others place them, they may overlap by
    /// intention.
    pub kinematic_passes: bool,
    /// Friction.
    pub friction: FrictionLaw,
    /// The solver stops when no contact velocity changes by more than this part of the speeds of
    /// its group.
    pub tolerance: f64,
    /// Most visits to contacts that the solver makes for one group in one step: its work bound.
    pub visits: u32,
    /// Bodies slower than this, as a part of `sqrt(g r + r² 0.01/s²)` (`r` their radius), are
    /// quiet.
    pub quiet: f64,
    /// A group that has been quiet for this long falls asleep, s. Infinite: never.
    pub sleep_after_s: f64,
}

impl Settings {
    pub(crate) fn check(&self) -> Result<(), BodyError> {
        let finite = f64::MAX;
        for (what, value, most) in [
            ("gravity", self.gravity.norm(), 1e100),
            // What divides by it must stay finite.
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
