//! Lattices: solids of mass points on a grid, with springs to their near neighbours.
//!
//! # Theory
//!
//! Springs along the axes resist stretching. Springs along the diagonals of faces (18 neighbours)
//! and of cubes (26) resist shear and crushing. A spring of length `L` has the stiffness `k s / L`,
//! with `s` the spacing: one material in all directions of the grid, a little stiffer along the
//! axes. Spheres of a lattice that overlap at rest, linked or not, never touch each other.

use super::cells::Cells;
use super::finite;
use super::sphere::{Sphere, SphereError, not_negative};
use super::world::SphereWorld;
use crate::Vec3;

/// Largest number of points of a [`Region`].
const MAX_POINTS: usize = 1 << 20;
/// Largest number of springs and overlapping pairs per sphere; a cubic grid has 13.
const MAX_LINKS: usize = 64;
/// Factor by which a diagonal may be longer than in a perfect grid.
const REACH_TOLERANCE: f64 = 1.05;

/// Reach of the springs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// To the faces and edges of the grid's cubes: the square root of 2 times the spacing.
    Eighteen,
    /// To their corners as well: the square root of 3 times the spacing.
    TwentySix,
}

/// Material of a lattice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatticeMaterial {
    /// Radius of the collision spheres, m.
    pub radius_m: f64,
    /// Total mass, kg, positive.
    pub mass_kg: f64,
    /// Stiffness of a spring along an axis of the grid, N/m, positive.
    pub stiffness_n_m: f64,
    /// Viscosity over stiffness, s. It damps up to a few substeps; far above that it softens.
    pub damping_s: f64,
    /// Reach of the springs.
    pub neighbours: Neighbours,
}

/// A solid to be filled with points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Region {
    /// A box with its centre and half edges, m.
    Box(Vec3, Vec3),
    /// An ellipsoid with its centre and half axes, m.
    Ellipsoid(Vec3, Vec3),
}

/// Why a lattice or a filling was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LatticeError {
    /// There are no points.
    Empty,
    /// A point (m) is not finite.
    Point {
        /// Index of the point.
        index: usize,
        /// Position of the point, m.
        at: Vec3,
    },
    /// There are more points than this limit.
    Points(usize),
    /// The points are so dense, for this spacing (m) or these radii, that there are more pairs than
    /// the limit.
    Dense {
        /// The longest distance of a pair that was searched for, m.
        reach: f64,
        /// Limit on the number of pairs.
        most: usize,
    },
    /// A number is out of its range.
    Number(SphereError),
}

impl core::fmt::Display for LatticeError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Empty => write!(f, "no point"),
            Self::Point { index, at } => {
                write!(f, "point {index} {:?} is not finite", at.as_slice())
            }
            Self::Points(most) => write!(f, "more than {most} points"),
            Self::Dense { reach, most } => {
                write!(f, "more than {most} pairs of points within {reach} m")
            }
            Self::Number(fault) => fault.fmt(f),
        }
    }
}

impl core::error::Error for LatticeError {}

fn positive(name: &'static str, value: f64) -> Result<(), LatticeError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(LatticeError::Number(SphereError::Number { name, value }))
    }
}

impl Region {
    /// Returns the points of a cubic grid around the centre, with `spacing_m`, that are inside; for
    /// a lattice or a fluid. Allocates.
    ///
    /// # Errors
    /// [`LatticeError`] if a value is not finite, half an edge or the spacing is not positive, or
    /// the bounding box would hold more than a million points.
    pub fn fill(&self, spacing_m: f64) -> Result<Vec<Vec3>, LatticeError> {
        let (Self::Box(middle, half) | Self::Ellipsoid(middle, half)) = self;
        positive("spacing_m", spacing_m)?;
        if !finite(middle) {
            return Err(LatticeError::Point {
                index: 0,
                at: *middle,
            });
        }
        let mut all = 1.0;
        for axis in 0..3 {
            positive("half", half[axis])?;
            // A grid that fits exactly must not lose a layer to rounding.
            all *= 2.0 * (half[axis] / spacing_m + 1e-9).floor() + 1.0;
        }
        if !(all <= MAX_POINTS as f64) {
            return Err(LatticeError::Points(MAX_POINTS));
        }
        let n = half.map(|half| (half / spacing_m + 1e-9).floor() as i32);
        let mut points = Vec::new();
        for z in -n.z..=n.z {
            for y in -n.y..=n.y {
                for x in -n.x..=n.x {
                    let from = Vec3::new(f64::from(x), f64::from(y), f64::from(z)) * spacing_m;
                    let inside = match self {
                        Self::Box(..) => true,
                        Self::Ellipsoid(..) => from.component_div(half).norm() <= 1.0 + 1e-9,
                    };
                    if inside {
                        points.push(middle + from);
                    }
                }
            }
        }
        Ok(points)
    }
}

impl SphereWorld {
    /// Adds a solid of spheres at `points` (m), at rest, each linked to those as near as the
    /// neighbours in a grid with `spacing_m`. Returns their indices. Allocates.
    ///
    /// # Errors
    /// [`LatticeError`]; nothing is added then.
    pub fn lattice(
        &mut self,
        points: &[Vec3],
        body: u32,
        spacing_m: f64,
        material: &LatticeMaterial,
    ) -> Result<core::ops::Range<u32>, LatticeError> {
        if points.is_empty() {
            return Err(LatticeError::Empty);
        }
        positive("spacing_m", spacing_m)?;
        positive("mass_kg", material.mass_kg)?;
        positive("stiffness_n_m", material.stiffness_n_m)?;
        for (name, value) in [
            ("radius_m", material.radius_m),
            ("damping_s", material.damping_s),
        ] {
            not_negative(name, value).map_err(LatticeError::Number)?;
        }
        if let Some(index) = points.iter().position(|p| !finite(p)) {
            let at = points[index];
            return Err(LatticeError::Point { index, at });
        }
        let mass = material.mass_kg / points.len() as f64;
        let sphere = |at: &Vec3| Sphere::at(*at, mass, material.radius_m, body);
        sphere(&points[0]).check().map_err(LatticeError::Number)?;
        self.check_capacity(points.len())
            .map_err(LatticeError::Number)?;

        let diagonal = match material.neighbours {
            Neighbours::Eighteen => 2.0_f64,
            Neighbours::TwentySix => 3.0,
        };
        let reach = spacing_m * diagonal.sqrt() * REACH_TOLERANCE;
        let thick = 2.0 * material.radius_m;
        let near = near_pairs(points, reach.max(thick))?;
        let first = self.spheres.x.len() as u32;
        for point in points {
            self.push(&sphere(point));
        }
        for (a, b) in near {
            let length = (points[a as usize] - points[b as usize]).norm();
            let (a, b) = (first + a, first + b);
            if length <= reach && length > 0.0 {
                let compliance = length / (spacing_m * material.stiffness_n_m);
                self.bind([a, b], length, compliance, material.damping_s);
            } else {
                self.exclude_pair(a, b);
            }
        }
        Ok(first..self.spheres.x.len() as u32)
    }
}

/// Returns all pairs no further apart than `reach`, rising, so that the order of the springs is
/// that of the points.
fn near_pairs(points: &[Vec3], reach: f64) -> Result<Vec<(u32, u32)>, LatticeError> {
    let mut cells = Cells::default();
    // Slightly wider, since the cells may miss a pair at exactly this distance.
    cells.build(points, reach * 1.001);
    let most = MAX_LINKS * points.len();
    let mut pairs = Vec::new();
    let mut dense = false;
    cells.pairs(|a, b, square| {
        if square <= reach * reach {
            dense |= pairs.len() == most;
            if !dense {
                pairs.push((a, b));
            }
        }
    });
    if dense {
        return Err(LatticeError::Dense { reach, most });
    }
    pairs.sort_unstable();
    Ok(pairs)
}
