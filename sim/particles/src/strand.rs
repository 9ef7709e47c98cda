//! Strands: wires, threads and intestines, as spheres along a curve with springs between them and
//! bending resistance.
//!
//! # Theory
//!
//! Segments stretch with `EA / l` and bend by [`Bend`]. A wire that is curved at rest also resists
//! [`Torsion`], since with curvature alone a coil could unwind into a ring. Each sphere has the
//! mass of half the adjoining segments.
//!
//! Two spheres that are near each other along the wire always blend (Triquet 2001, section 4.2; the
//! window for a skin without cracks is `2 R + sqrt(3) h` with the influence radius `R` and the cube
//! edge `h` of the skin). These pairs are returned with the strand and make no events. Pairs nearer
//! than half a circle of the wire's own thickness never touch each other.

use super::bend::Bend;
use super::finite;
use super::sphere::{OnStrand, Sphere, SphereError};
use super::torsion::Torsion;
use super::world::SphereWorld;
use crate::Vec3;

/// Rest shape of a strand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    /// The given shape: a coil stays a coil.
    AsGiven,
    /// Straight: the wire unbends as far as its surroundings allow.
    Straight,
}

/// Material of a strand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StrandMaterial {
    /// Radius of its collision spheres, m.
    pub radius_m: f64,
    /// Total mass, kg, positive.
    pub mass_kg: f64,
    /// `EA`: the force that would double its length, N, positive.
    pub stretch_n: f64,
    /// `EI`: flexural rigidity, N m²; 0 is a thread.
    pub bend_n_m2: f64,
    /// Viscosity over stiffness of all constraints, s. A coil needs about a substep or it may
    /// buckle; far above that it softens.
    pub damping_s: f64,
    /// Rest shape.
    pub rest: Rest,
    /// Pairs no further apart than this along the wire always blend, m.
    pub window_m: f64,
}

/// A strand that was added.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strand {
    /// Indices of its spheres, in the order of the points.
    pub spheres: core::ops::Range<u32>,
    /// Pairs within the window along the wire, rising, the lower index first.
    pub blended: Vec<(u32, u32)>,
}

/// Why a strand was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StrandError {
    /// There are fewer than two points.
    Few(usize),
    /// A point (m) is not finite.
    Point {
        /// Index of the point.
        index: usize,
        /// Position of the point, m.
        at: Vec3,
    },
    /// A point is in the same place as the one before it, or so near or far that the length of the
    /// segment (m) is unusable.
    Piece {
        /// Index of the second point.
        index: usize,
        /// Distance from the first point to the second, m.
        length: f64,
    },
    /// A value of the material is out of its range.
    Material(SphereError),
    /// The window holds more pairs than the limit.
    Window {
        /// Length of the window, m.
        window: f64,
        /// Limit on the number of pairs: 256 per sphere.
        most: usize,
    },
}

/// Largest number of pairs within a strand's window, per sphere.
const MAX_BLENDED: usize = 256;

impl core::fmt::Display for StrandError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Few(n) => write!(f, "{n} points, a strand has at least 2"),
            Self::Point { index, at } => {
                write!(f, "point {index} {:?} is not finite", at.as_slice())
            }
            Self::Piece { index, length } => {
                write!(f, "point {index} is {length} m from the one before it")
            }
            Self::Material(fault) => fault.fmt(f),
            Self::Window { window, most } => {
                write!(f, "a window of {window} m holds more than {most} pairs")
            }
        }
    }
}

impl core::error::Error for StrandError {}

impl StrandMaterial {
    fn check(&self) -> Result<(), SphereError> {
        for (name, value, fine) in [
            ("radius_m", self.radius_m, self.radius_m >= 0.0),
            ("mass_kg", self.mass_kg, self.mass_kg > 0.0),
            ("stretch_n", self.stretch_n, self.stretch_n > 0.0),
            ("bend_n_m2", self.bend_n_m2, self.bend_n_m2 >= 0.0),
            ("damping_s", self.damping_s, self.damping_s >= 0.0),
            ("window_m", self.window_m, self.window_m >= 0.0),
        ] {
            if !(fine && value.is_finite()) {
                return Err(SphereError::Number { name, value });
            }
        }
        Ok(())
    }
}

impl SphereWorld {
    /// Adds a strand along `points` (m), at rest. Allocates.
    ///
    /// # Errors
    /// [`StrandError`]; nothing is added then.
    pub fn strand(
        &mut self,
        points: &[Vec3],
        body: u32,
        material: &StrandMaterial,
    ) -> Result<Strand, StrandError> {
        material.check().map_err(StrandError::Material)?;
        let arc = arcs(points)?;
        self.check_capacity(points.len())
            .map_err(StrandError::Material)?;
        let n = points.len();
        let whole = arc[n - 1];
        let first = self.spheres.x.len() as u32;
        let blended = window(&arc, first, material.window_m)?;

        // Check the mass of each sphere before anything is added: a mass too small to have a finite
        // inverse is refused.
        let mass = |i: usize| {
            let half = (arc[(i + 1).min(n - 1)] - arc[i.saturating_sub(1)]) / 2.0;
            material.mass_kg * (half / whole)
        };
        for i in 0..n {
            let value = mass(i);
            let sphere = Sphere::at(points[i], value, material.radius_m, body);
            sphere.check().map_err(StrandError::Material)?;
        }
        for (i, point) in points.iter().enumerate() {
            let sphere = Sphere::at(*point, mass(i), material.radius_m, body);
            let index = self.push(&sphere);
            self.spheres.on_strand[index as usize] = OnStrand {
                strand: self.strands,
                arc: arc[i],
                window: material.window_m,
            };
        }
        self.strands += 1;
        self.tie(points, first, material);
        Ok(Strand {
            spheres: first..first + n as u32,
            blended,
        })
    }

    fn tie(&mut self, points: &[Vec3], first: u32, material: &StrandMaterial) {
        let at = |i: usize| first + i as u32;
        let damping = material.damping_s;
        let straight = material.rest == Rest::Straight;
        for i in 1..points.len() {
            let length = (points[i] - points[i - 1]).norm();
            self.bind(
                [at(i - 1), at(i)],
                length,
                length / material.stretch_n,
                damping,
            );
        }
        if material.bend_n_m2 == 0.0 {
            return;
        }
        for i in 2..points.len() {
            let bend = Bend::new(
                [at(i - 2), at(i - 1), at(i)],
                [&points[i - 2], &points[i - 1], &points[i]],
                straight,
                material.bend_n_m2,
                damping,
            );
            self.bends.extend(bend);
        }
        for i in 3..points.len() {
            if !straight {
                let torsion = Torsion::new(
                    [at(i - 3), at(i - 2), at(i - 1), at(i)],
                    [&points[i - 3], &points[i - 2], &points[i - 1], &points[i]],
                    material.bend_n_m2,
                    damping,
                );
                self.torsions.extend(torsion);
            }
        }
    }
}

/// Length along the wire up to each point, m.
fn arcs(points: &[Vec3]) -> Result<Vec<f64>, StrandError> {
    if points.len() < 2 {
        return Err(StrandError::Few(points.len()));
    }
    let mut arc = Vec::with_capacity(points.len());
    let mut sum = 0.0;
    for (index, point) in points.iter().enumerate() {
        if !finite(point) {
            return Err(StrandError::Point { index, at: *point });
        }
        if index > 0 {
            let length = (point - points[index - 1]).norm();
            let sum_before = sum;
            sum += length;
            if !((1.0 / (length * length)).is_finite() && sum.is_finite() && sum > sum_before) {
                return Err(StrandError::Piece { index, length });
            }
        }
        arc.push(sum);
    }
    Ok(arc)
}

fn window(arc: &[f64], first: u32, window: f64) -> Result<Vec<(u32, u32)>, StrandError> {
    let mut pairs = Vec::new();
    let most = MAX_BLENDED * arc.len();
    for i in 0..arc.len() {
        for j in i + 1..arc.len() {
            if arc[j] - arc[i] > window {
                break;
            }
            if pairs.len() == most {
                return Err(StrandError::Window { window, most });
            }
            pairs.push((first + i as u32, first + j as u32));
        }
    }
    Ok(pairs)
}
