//! A point as a weighted mean of particles: how a surface vertex, or a point of a surface triangle,
//! follows them.

use crate::Vec3;

/// Largest number of particles in a stencil: three vertices of four particles each.
pub(super) const WIDEST: usize = 12;

#[derive(Clone, Copy, Debug)]
pub(super) struct Stencil {
    entries: [(u32, f64); WIDEST],
    count: usize,
}

impl Stencil {
    pub fn new() -> Self {
        Self {
            entries: [(0, 0.0); WIDEST],
            count: 0,
        }
    }

    /// Adds a particle's weight. Each particle has one entry, because the mobility is a sum of
    /// squares.
    pub fn add(&mut self, particle: u32, weight: f64) {
        match (self.entries[..self.count].iter_mut()).find(|e| e.0 == particle) {
            Some(entry) => entry.1 += weight,
            None if weight != 0.0 => {
                self.entries[self.count] = (particle, weight);
                self.count += 1;
            }
            None => {}
        }
    }

    pub fn entries(&self) -> &[(u32, f64)] {
        &self.entries[..self.count]
    }
}

#[inline]
pub(super) fn mean(entries: &[(u32, f64)], of: &[Vec3]) -> Vec3 {
    (entries.iter()).fold(Vec3::zeros(), |sum, &(i, k)| sum + of[i as usize] * k)
}

/// Displacement of the point, per `h` times impulse.
#[inline]
pub(super) fn mobility(entries: &[(u32, f64)], inverse_mass: &[f64]) -> f64 {
    (entries.iter())
        .map(|&(i, k)| inverse_mass[i as usize] * k * k)
        .sum()
}

/// Adds `p` times inverse mass, by weight, to the particles' values.
#[inline]
pub(super) fn spread(entries: &[(u32, f64)], inverse_mass: &[f64], p: &Vec3, to: &mut [Vec3]) {
    for &(i, k) in entries {
        to[i as usize] += p * (k * inverse_mass[i as usize]);
    }
}
