//! Contacts as the caller passes them: two points, a normal, a gap. Checked here, solved in
//! `contact_solver`.

use super::{BodyId, DeformableId, ParticleId};
use crate::Vec3;

/// One side of a contact: a point and what it moves with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactPoint {
    /// A particle.
    Particle(ParticleId),
    /// A vertex of a deformable's surface.
    Vertex {
        /// Deformable that owns the surface.
        deformable: DeformableId,
        /// Index into the surface positions.
        vertex: u32,
    },
    /// A point of a deformable's surface, interpolated between three of its vertices.
    Triangle {
        /// Deformable that owns the surface.
        deformable: DeformableId,
        /// Indices into the surface positions.
        vertices: [u32; 3],
        /// Barycentric coordinates; their sum is 1, none is below -0.01.
        weights: [f64; 3],
    },
    /// A point of a rigid body.
    Body {
        /// The body.
        body: BodyId,
        /// Position from the centre of mass, m, principal axes of the body.
        local: Vec3,
    },
    /// A fixed point of the world (m, world axes).
    World(Vec3),
}

/// A contact: the constraint `(a - b) . normal >= gap`, with friction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// First side.
    pub a: ContactPoint,
    /// Second side.
    pub b: ContactPoint,
    /// Unit vector, world axes: the direction in which the first side is pushed.
    pub normal: Vec3,
    /// Smallest distance along the normal (the half thicknesses of both sides), m, not negative.
    pub gap_m: f64,
    /// Coulomb's coefficient for both sticking and sliding, not negative.
    pub friction: f64,
    /// Fraction of the approach speed that is returned, 0 to 1. An approach slower than the speed
    /// that gravity adds in two substeps does not bounce.
    pub restitution: f64,
}

/// Why a contact was left out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactFault {
    /// The particle does not exist.
    Particle(u32),
    /// The deformable does not exist.
    Deformable(u32),
    /// The deformable does not have this surface vertex.
    Vertex {
        /// Deformable that was given.
        deformable: u32,
        /// Vertex that was given.
        vertex: u32,
    },
    /// The barycentric coordinates are not finite, do not add up to 1 (within 1e-6), or are below
    /// -0.01.
    Weights([f64; 3]),
    /// The body does not exist.
    Body(u32),
    /// The point (m) is not finite.
    Point(Vec3),
    /// The length of the normal is not 1 (within 1e-5); holds the length.
    Normal(f64),
    /// The gap (m) is negative or not finite.
    Gap(f64),
    /// The coefficient of friction is negative or not finite.
    Friction(f64),
    /// The restitution is not between 0 and 1.
    Restitution(f64),
}

impl core::fmt::Display for ContactFault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Particle(i) => write!(f, "particle {i} does not exist"),
            Self::Deformable(i) => write!(f, "deformable {i} does not exist"),
            Self::Vertex { deformable, vertex } => {
                write!(f, "deformable {deformable} has no vertex {vertex}")
            }
            Self::Weights(w) => write!(f, "{w:?} are not barycentric weights"),
            Self::Body(i) => write!(f, "body {i} does not exist"),
            Self::Point(p) => write!(f, "point {:?} m is not finite", p.as_slice()),
            Self::Normal(length) => write!(f, "the normal's length is {length}, not 1"),
            Self::Gap(gap) => write!(f, "gap {gap} m is negative or not finite"),
            Self::Friction(mu) => write!(f, "friction {mu} is negative or not finite"),
            Self::Restitution(e) => write!(f, "restitution {e} is not between 0 and 1"),
        }
    }
}

impl core::error::Error for ContactFault {}

impl Contact {
    /// Checks the values that do not depend on the world.
    pub(super) fn check(&self) -> Result<(), ContactFault> {
        let length = self.normal.norm();
        if !((length - 1.0).abs() <= 1e-5) {
            return Err(ContactFault::Normal(length));
        }
        if !(self.gap_m >= 0.0 && self.gap_m.is_finite()) {
            return Err(ContactFault::Gap(self.gap_m));
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(ContactFault::Friction(self.friction));
        }
        if !(0.0..=1.0).contains(&self.restitution) {
            return Err(ContactFault::Restitution(self.restitution));
        }
        Ok(())
    }
}

pub(super) fn check_weights(weights: &[f64; 3]) -> Result<(), ContactFault> {
    let sum: f64 = weights.iter().sum();
    // A NaN fails the first comparison.
    if (sum - 1.0).abs() <= 1e-6 && weights.iter().all(|w| *w >= -0.01) {
        Ok(())
    } else {
        Err(ContactFault::Weights(*weights))
    }
}
