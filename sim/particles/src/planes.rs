//! Half-spaces that spheres stay out of: obstacles that the caller found near them, and the walls
//! of a box.

use super::finite;
use super::sphere::{SphereError, Spheres, finite_vector, not_negative};
use super::unilateral::{ContactState, Sides, StepContext};
use crate::Vec3;

/// A half-space that a sphere stays out of during the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle {
    /// Index of the sphere.
    pub sphere: u32,
    /// A point of the plane at the start of the step, m.
    pub point: Vec3,
    /// Unit vector, world axes, pointing out of the obstacle.
    pub normal: Vec3,
    /// Velocity of the plane, m/s. It is constant during the step, and the plane drags by friction.
    pub velocity: Vec3,
    /// Coulomb's coefficient, not negative.
    pub friction: f64,
}

impl Obstacle {
    pub(super) fn check(&self, spheres: &Spheres) -> Result<(), ListFault> {
        if self.sphere as usize >= spheres.x.len() {
            return Err(ListFault::Sphere(self.sphere));
        }
        check_normal(&self.normal)?;
        for v in [&self.point, &self.velocity] {
            if !finite(v) {
                return Err(ListFault::Vector(*v));
            }
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(ListFault::Friction(self.friction));
        }
        Ok(())
    }
}

pub(super) fn check_normal(normal: &Vec3) -> Result<(), ListFault> {
    let length = normal.norm();
    if (length - 1.0).abs() <= 1e-5 {
        Ok(())
    } else {
        Err(ListFault::Normal(length))
    }
}

/// Why an entry of a caller's contact list was left out of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ListFault {
    /// The sphere does not exist.
    Sphere(u32),
    /// The probe does not exist.
    Probe(u32),
    /// A point (m), offset (m) or velocity (m/s) is not finite.
    Vector(Vec3),
    /// The length of the normal is not 1 (within 1e-5); holds the length.
    Normal(f64),
    /// The gap (m) is not finite.
    Gap(f64),
    /// The coefficient of friction is negative or not finite.
    Friction(f64),
    /// The weights do not add up to 1 (within 1e-6); holds their sum.
    Weights(f64),
    /// A weight is below -0.01 or not finite.
    Weight(f64),
}

impl core::fmt::Display for ListFault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Sphere(i) => write!(f, "sphere {i} does not exist"),
            Self::Probe(i) => write!(f, "probe {i} does not exist"),
            Self::Vector(v) => write!(f, "{:?} is not finite", v.as_slice()),
            Self::Normal(length) => write!(f, "the normal's length is {length}, not 1"),
            Self::Gap(gap) => write!(f, "gap {gap} m is not finite"),
            Self::Friction(mu) => write!(f, "friction {mu} is negative or not finite"),
            Self::Weights(sum) => write!(f, "the weights add up to {sum}, not 1"),
            Self::Weight(w) => write!(f, "weight {w} is below -0.01 or not finite"),
        }
    }
}

impl core::error::Error for ListFault {}

/// A box of walls that contains all spheres; any side may be missing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walls {
    /// Lowest coordinate that the surface of a sphere may reach, m, by axis.
    pub low: [Option<f64>; 3],
    /// Highest coordinate that the surface of a sphere may reach, m, by axis.
    pub high: [Option<f64>; 3],
    /// Coulomb's coefficient, not negative.
    pub friction: f64,
}

impl Walls {
    /// No walls.
    pub const NONE: Walls = Walls {
        low: [None; 3],
        high: [None; 3],
        friction: 0.0,
    };

    /// Returns a floor whose surface is at the height `z` (m).
    #[must_use]
    pub fn floor(z: f64, friction: f64) -> Self {
        Self {
            low: [None, None, Some(z)],
            friction,
            ..Self::NONE
        }
    }

    pub(super) fn check(&self) -> Result<(), SphereError> {
        not_negative("friction", self.friction)?;
        for axis in 0..3 {
            for (name, side) in [("low", self.low[axis]), ("high", self.high[axis])] {
                let at = side.unwrap_or(0.0);
                finite_vector(name, &Vec3::new(at, 0.0, 0.0))?;
            }
            if let (Some(low), Some(high)) = (self.low[axis], self.high[axis])
                && !(low <= high)
            {
                return Err(SphereError::Number {
                    name: "low above high",
                    value: low,
                });
            }
        }
        Ok(())
    }

    /// Existing walls as (axis, sign of the inward normal, coordinate of the plane along the axis).
    pub(super) fn planes(&self) -> impl Iterator<Item = (usize, f64, f64)> + '_ {
        (0..3).flat_map(|axis| {
            let low = self.low[axis].map(|at| (axis, 1.0, at));
            let high = self.high[axis].map(|at| (axis, -1.0, at));
            low.into_iter().chain(high)
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    pub sphere: u32,
    pub point: Vec3,
    pub normal: Vec3,
    pub velocity: Vec3,
}

impl Plane {
    fn gap(&self, at: &Vec3, time: f64, radius: f64) -> f64 {
        (at - self.point - self.velocity * time).dot(&self.normal) - radius
    }
}

impl Sides for Plane {
    #[inline]
    fn look(&self, scene: &StepContext<'_>) -> (Vec3, f64) {
        let (s, i) = (&*scene.spheres, self.sphere as usize);
        let gap = self.gap(&s.x[i], scene.time, s.radius[i]);
        (self.normal, gap)
    }

    #[inline]
    fn slid(&self, scene: &StepContext<'_>) -> Vec3 {
        let (s, i) = (&*scene.spheres, self.sphere as usize);
        s.x[i] - s.before[i] - self.velocity * scene.h
    }

    #[inline]
    fn speed(&self, scene: &StepContext<'_>) -> Vec3 {
        scene.spheres.v[self.sphere as usize] - self.velocity
    }

    #[inline]
    fn give(&self, scene: &StepContext<'_>) -> f64 {
        scene.spheres.inverse_mass[self.sphere as usize]
    }

    #[inline]
    fn apply_displacement(&self, scene: &mut StepContext<'_>, p: &Vec3) {
        let (s, i) = (&mut *scene.spheres, self.sphere as usize);
        s.x[i] += p * s.inverse_mass[i];
    }

    #[inline]
    fn push(&self, scene: &mut StepContext<'_>, p: &Vec3) {
        let (s, i) = (&mut *scene.spheres, self.sphere as usize);
        s.v[i] += p * s.inverse_mass[i];
    }
}

/// A plane that may press in this step, and its index in the caller's list (`None` for walls).
#[derive(Clone, Copy, Debug)]
pub(super) struct PlaneRow {
    pub sides: Plane,
    pub press: ContactState,
    pub source: Option<u32>,
}
