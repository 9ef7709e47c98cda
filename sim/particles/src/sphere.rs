//! Spheres: mass points that carry a collision sphere each. There is one array per quantity, since
//! a constraint reads few of them.
//!
//! Positions are in m and velocities in m/s, world axes. The arrays grow only when spheres are
//! added. Spheres do not rotate: friction acts on their centres.

use super::finite;
use crate::Vec3;

/// A sphere to be added.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    /// Centre, m.
    pub position: Vec3,
    /// Velocity, m/s.
    pub velocity: Vec3,
    /// Mass, kg, positive and finite. A fixed sphere has it once it is released.
    pub mass_kg: f64,
    /// Radius of the collision sphere, m; a sphere of radius 0 touches walls and obstacles as a
    /// point.
    pub radius_m: f64,
    /// Body of the sphere; the caller may use any number.
    pub body: u32,
    /// If true, the sphere moves only by its own velocity.
    pub fixed: bool,
}

impl Sphere {
    /// Returns a free sphere at rest.
    #[must_use]
    pub fn at(position: Vec3, mass_kg: f64, radius_m: f64, body: u32) -> Self {
        Self {
            position,
            velocity: Vec3::zeros(),
            mass_kg,
            radius_m,
            body,
            fixed: false,
        }
    }

    pub(super) fn check(&self) -> Result<(), SphereError> {
        check_place(&self.position, &self.velocity)?;
        if !(self.mass_kg > 0.0 && self.mass_kg.is_finite() && (1.0 / self.mass_kg).is_finite()) {
            return Err(SphereError::Number {
                name: "mass_kg",
                value: self.mass_kg,
            });
        }
        not_negative("radius_m", self.radius_m)
    }
}

/// Why a sphere, a link or a change of one was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SphereError {
    /// The sphere does not exist.
    Unknown {
        /// Index that was given.
        sphere: u32,
        /// Number of spheres.
        count: usize,
    },
    /// Both ends of a link are this sphere.
    Same(u32),
    /// There are as many spheres as can be numbered.
    Full(usize),
    /// A value is out of its range or not finite.
    Number {
        /// Name of the field.
        name: &'static str,
        /// Value of the field.
        value: f64,
    },
    /// A vector is not finite.
    Vector {
        /// Name of the field.
        name: &'static str,
        /// Value of the field.
        value: Vec3,
    },
}

impl core::fmt::Display for SphereError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Unknown { sphere, count } => {
                write!(f, "sphere {sphere} does not exist, there are {count}")
            }
            Self::Same(i) => write!(f, "both ends are sphere {i}"),
            Self::Full(count) => write!(f, "{count} spheres are the maximum"),
            Self::Number { name, value } => write!(f, "{name} = {value} is out of range"),
            Self::Vector { name, value } => {
                write!(f, "{name} {:?} is not finite", value.as_slice())
            }
        }
    }
}

impl core::error::Error for SphereError {}

pub(super) fn not_negative(name: &'static str, value: f64) -> Result<(), SphereError> {
    if value >= 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(SphereError::Number { name, value })
    }
}

pub(super) fn finite_vector(name: &'static str, value: &Vec3) -> Result<(), SphereError> {
    if finite(value) {
        Ok(())
    } else {
        Err(SphereError::Vector {
            name,
            value: *value,
        })
    }
}

pub(super) fn check_place(position: &Vec3, velocity: &Vec3) -> Result<(), SphereError> {
    finite_vector("position", position)?;
    finite_vector("velocity", velocity)
}

/// Position of a sphere along a strand; `strand` is [`NO_STRAND`] for spheres without one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct OnStrand {
    pub strand: u32,
    /// Distance from the strand's first sphere along the wire at rest, m.
    pub arc: f64,
    /// Pairs no further apart than this along the wire always blend, m.
    pub window: f64,
}

pub(super) const NO_STRAND: u32 = u32::MAX;
pub(super) const NO_FLUID: u32 = u32::MAX;

#[derive(Clone, Debug, Default)]
pub(super) struct Spheres {
    pub x: Vec<Vec3>,
    /// Positions at the start of the substep.
    pub before: Vec<Vec3>,
    /// Positions at the start of the step.
    pub start: Vec<Vec3>,
    pub v: Vec<Vec3>,
    /// 1/kg; 0 while fixed.
    pub inverse_mass: Vec<f64>,
    pub mass: Vec<f64>,
    pub radius: Vec<f64>,
    pub body: Vec<u32>,
    /// Index of the fluid, or [`NO_FLUID`].
    pub fluid: Vec<u32>,
    pub on_strand: Vec<OnStrand>,
}

impl Spheres {
    pub fn push(&mut self, sphere: &Sphere) -> u32 {
        let index = self.x.len() as u32;
        self.x.push(sphere.position);
        self.before.push(sphere.position);
        self.start.push(sphere.position);
        self.v.push(sphere.velocity);
        let free = if sphere.fixed { 0.0 } else { 1.0 };
        self.inverse_mass.push(free / sphere.mass_kg);
        self.mass.push(sphere.mass_kg);
        self.radius.push(sphere.radius_m);
        self.body.push(sphere.body);
        self.fluid.push(NO_FLUID);
        self.on_strand.push(OnStrand {
            strand: NO_STRAND,
            arc: 0.0,
            window: 0.0,
        });
        index
    }

    pub fn index(&self, sphere: u32) -> Result<usize, SphereError> {
        let count = self.x.len();
        if (sphere as usize) < count {
            Ok(sphere as usize)
        } else {
            Err(SphereError::Unknown { sphere, count })
        }
    }

    /// Integrates by semi-implicit Euler; `keep` is the fraction of the velocity that damping
    /// leaves.
    pub fn predict(&mut self, h: f64, gravity: &Vec3, keep: f64) {
        for i in 0..self.x.len() {
            self.before[i] = self.x[i];
            if self.inverse_mass[i] > 0.0 {
                self.v[i] = (self.v[i] + gravity * h) * keep;
            }
            let next = self.x[i] + self.v[i] * h;
            // A sphere that diverges stays, so that its neighbours read a finite number; `settle`
            // counts it.
            if finite(&next) {
                self.x[i] = next;
            }
        }
    }

    /// Derives velocities from the new positions. Returns the number of spheres that were put back
    /// to where the substep began, at rest.
    pub fn settle(&mut self, h: f64) -> u32 {
        let mut held = 0;
        for i in 0..self.x.len() {
            if self.inverse_mass[i] == 0.0 {
                continue;
            }
            // A sphere that nothing touched has moved by exactly its velocity, and keeps it to the
            // bit.
            let flown = self.before[i] + self.v[i] * h;
            let v = self.v[i] + (self.x[i] - flown) / h;
            if finite(&self.x[i]) && finite(&v) && finite(&flown) {
                self.v[i] = v;
            } else {
                self.x[i] = self.before[i];
                self.v[i] = Vec3::zeros();
                held += 1;
            }
        }
        held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sphere whose position is not finite, or whose displacement is too long for a velocity,
    /// returns to where the substep began, at rest; others keep their velocity to the bit.
    #[test]
    fn what_is_not_finite_is_put_back_at_rest() {
        let mut s = Spheres::default();
        for i in 0..4 {
            let mut sphere = Sphere::at(Vec3::x() * f64::from(i), 1.0, 0.1, 0);
            sphere.velocity = Vec3::new(0.1, 0.2, 0.3);
            s.push(&sphere);
        }
        s.predict(0.001, &Vec3::zeros(), 1.0);
        s.x[1].y = f64::NAN;
        s.x[2] = Vec3::repeat(1e307);
        s.x[3].z = f64::INFINITY;
        assert_eq!(s.settle(0.001), 3);
        assert_eq!(s.v[0], Vec3::new(0.1, 0.2, 0.3));
        for i in 1..4 {
            assert_eq!((s.x[i], s.v[i]), (Vec3::x() * i as f64, Vec3::zeros()));
        }
    }
}
