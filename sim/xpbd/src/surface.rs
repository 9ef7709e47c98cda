//! The surface of a deformable: what collision detection reads and pushes on.

use super::stencil::Stencil;
use crate::Vec3;

/// Identifies a cloth or soft body of an [`XpbdWorld`](super::XpbdWorld), numbered from 0 in order
/// of addition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct DeformableId(pub u32);

/// How the vertices get their positions.
#[derive(Clone, Debug)]
pub(super) enum Skin {
    /// The vertices are the particles.
    Bare,
    /// The vertices are weighted means of four particles.
    Embedded {
        carriers: Vec<([u32; 4], [f64; 4])>,
        now: Vec<Vec3>,
        start: Vec<Vec3>,
    },
}

#[derive(Clone, Debug)]
pub(super) struct Deformable {
    pub triangles: Vec<[u32; 3]>,
    pub half_thickness: f64,
    /// First particle, and their number.
    pub particles: (u32, u32),
    /// First tetrahedron, and their number.
    pub tetrahedra: (u32, u32),
    pub skin: Skin,
}

impl Deformable {
    pub fn vertices(&self) -> usize {
        match &self.skin {
            Skin::Bare => self.particles.1 as usize,
            Skin::Embedded { carriers, .. } => carriers.len(),
        }
    }

    /// Adds the surface vertex `vertex`, which must exist, to the stencil with `weight`.
    pub fn carry(&self, vertex: u32, weight: f64, stencil: &mut Stencil) {
        match &self.skin {
            Skin::Bare => stencil.add(self.particles.0 + vertex, weight),
            Skin::Embedded { carriers, .. } => {
                let (particles, weights) = &carriers[vertex as usize];
                for (p, w) in particles.iter().zip(weights) {
                    stencil.add(*p, w * weight);
                }
            }
        }
    }

    pub fn begin_step(&mut self) {
        if let Skin::Embedded { now, start, .. } = &mut self.skin {
            start.copy_from_slice(now);
        }
    }

    /// Moves embedded vertices with their particles.
    pub fn follow(&mut self, x: &[Vec3]) {
        if let Skin::Embedded { carriers, now, .. } = &mut self.skin {
            for (vertex, carrier) in now.iter_mut().zip(carriers) {
                *vertex = carried(carrier, x);
            }
        }
    }
}

#[inline]
pub(super) fn carried((particles, weights): &([u32; 4], [f64; 4]), of: &[Vec3]) -> Vec3 {
    let at = |i: usize| of[particles[i] as usize] * weights[i];
    at(0) + at(1) + at(2) + at(3)
}
