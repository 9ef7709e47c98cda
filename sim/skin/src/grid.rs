//! Potentials that come as samples: scans, simulations, whatever is no sum of primitives.
//!
//! # Theory
//!
//! The source's library was adapted to polygonize a grid that its user fills (Triquet 2001, section 5.6: skulls from planes of a scanner, figure 5.18). Here
//! a grid is one more term of the sum, with a spacing and an origin of its own: trilinear between its samples, and 0 beyond them. So a scan can
//! be alone, or blend with primitives. Where its nodes are the domain's, the mesh is Marching Cubes of the samples to the bit.
//!
//! Its slope jumps at the faces between its cubes, and so do normals. Where the samples on its border are not 0 the sum jumps there, and the
//! surface follows the border to within a cube.
//!
//! # Practice
//!
//! World frame, metres; potentials have no unit. Samples are single precision, x fastest. Values and gradients are real-time callable: no allocation,
//! bounded work.

use hapticd_geometry::Vec3;

/// See the module page.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    low: Vec3,
    spacing_m: f64,
    nodes: [u32; 3],
    values: Vec<f32>,
    below_zero: bool,
}

/// Most samples along an axis.
pub const MOST_SAMPLES: u32 = 4096;

/// Why a grid was refused. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// NaN, infinite, 0 or less.
    #[error("samples every {0} m: it has to be more than 0 and finite")]
    Spacing(f64),
    /// A corner that is no place, or so far out that its samples are one.
    #[error("{low:?} m, samples every {spacing_m} m: they cannot be told apart out there")]
    Place {
        /// Lowest corner, m.
        low: [f64; 3],
        /// As given, m.
        spacing_m: f64,
    },
    /// None, or too many.
    #[error("{0:?} samples: there have to be 2 to {MOST_SAMPLES} along each axis")]
    Nodes([u32; 3]),
    /// Not as many as nodes.
    #[error("{given} samples for {nodes:?} nodes")]
    Count {
        /// How many came.
        given: usize,
        /// Along each axis.
        nodes: [u32; 3],
    },
    /// One that is none.
    #[error("sample {at:?} is {value}")]
    NotFinite {
        /// Along each axis.
        at: [u32; 3],
        /// As given.
        value: f32,
    },
}

impl Grid {
    /// From its lowest corner on, `nodes` samples along each axis, every `spacing_m` metres; x fastest, then y.
    ///
    /// # Errors
    /// [`GridError`]: the first thing that is wrong.
    pub fn new(
        low: Vec3,
        spacing_m: f64,
        nodes: [u32; 3],
        values: Vec<f32>,
    ) -> Result<Grid, GridError> {
        if !(spacing_m > 0.0 && spacing_m.is_finite()) {
            return Err(GridError::Spacing(spacing_m));
        }
        if !nodes.iter().all(|n| (2..=MOST_SAMPLES).contains(n)) {
            return Err(GridError::Nodes(nodes));
        }
        let grid = Grid {
            low,
            spacing_m,
            nodes,
            below_zero: values.iter().any(|x| *x < 0.0),
            values,
        };
        let (low, high) = grid.bounds();
        let furthest = low.amax().max(high.amax());
        // The largest coordinate does not tell of a NaN beside it.
        let is_place = low.iter().all(|x| x.is_finite());
        if !(is_place && furthest * f64::EPSILON <= 1e-9 * spacing_m) {
            let low = low.into();
            return Err(GridError::Place { low, spacing_m });
        }
        let given = grid.values.len();
        if given as u64 != nodes.iter().map(|n| u64::from(*n)).product::<u64>() {
            return Err(GridError::Count { given, nodes });
        }
        if let Some(k) = grid.values.iter().position(|x| !x.is_finite()) {
            let [nx, ny] = [nodes[0], nodes[1]].map(|n| n as usize);
            let at = [k % nx, k / nx % ny, k / (nx * ny)].map(|i| i as u32);
            let value = grid.values[k];
            return Err(GridError::NotFinite { at, value });
        }
        Ok(grid)
    }

    /// Whether it takes away somewhere.
    pub(crate) fn is_below_zero(&self) -> bool {
        self.below_zero
    }

    /// Its samples back, to be filled anew.
    #[must_use]
    pub fn into_values(self) -> Vec<f32> {
        self.values
    }

    /// Lowest and highest corner, m: 0 beyond.
    #[must_use]
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let size = self.spacing_m * Vec3::from(self.nodes.map(|n| f64::from(n - 1)));
        (self.low, self.low + size)
    }

    /// Potential at a place.
    #[must_use]
    pub fn value(&self, at: &Vec3) -> f64 {
        self.with_gradient(at).0
    }

    /// Potential at a place, and its gradient, 1/m: on a face between cubes of samples that of the upper one.
    #[must_use]
    pub fn with_gradient(&self, at: &Vec3) -> (f64, Vec3) {
        let (mut node, mut part) = ([0; 3], [0.0; 3]);
        for k in 0..3 {
            let mut t = (at[k] - self.low[k]) / self.spacing_m;
            // A billionth beside a sample is on it: what the division may do.
            if (t - t.round()).abs() < 1e-9 * (1.0 + t.abs()) {
                t = t.round();
            }
            let last = self.nodes[k] - 1;
            if !(t >= 0.0 && t <= f64::from(last)) {
                return (0.0, Vec3::zeros());
            }
            let cell = (t as u32).min(last - 1);
            (node[k], part[k]) = (cell, t - f64::from(cell));
        }
        let corner =
            |c: usize| f64::from(self.sample([0, 1, 2].map(|k| node[k] + (c >> k) as u32 % 2)));
        let c: [f64; 8] = std::array::from_fn(corner);
        // Along x, then y, then z. On a sample exactly that: a part of 0 or 1 leaves the other out.
        let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
        let [u, v, w] = part;
        let x = [0, 2, 4, 6].map(|i| mix(c[i], c[i + 1], u));
        let y = [0, 2].map(|i| mix(x[i], x[i + 1], v));
        let by_x = [0, 2, 4, 6].map(|i| c[i + 1] - c[i]);
        let by_x = [0, 2].map(|i| mix(by_x[i], by_x[i + 1], v));
        let by_y = [0, 2].map(|i| x[i + 1] - x[i]);
        let gradient = Vec3::new(
            mix(by_x[0], by_x[1], w),
            mix(by_y[0], by_y[1], w),
            y[1] - y[0],
        );
        (mix(y[0], y[1], w), gradient / self.spacing_m)
    }

    /// Lowest and highest potential in a box, or more: of the samples of all cubes that it meets, and 0 if it goes beyond them.
    pub(crate) fn extremes(&self, low: &Vec3, high: &Vec3) -> (f32, f32) {
        let (mut from, mut to, mut beyond) = ([0; 3], [0; 3], false);
        for k in 0..3 {
            let last = f64::from(self.nodes[k] - 1);
            let [a, b] = [low, high].map(|p| (p[k] - self.low[k]) / self.spacing_m);
            // A sample more on either side, for rounding.
            let [a, b] = [a.floor() - 1.0, b.ceil() + 1.0];
            beyond |= a < 0.0 || b > last;
            if a > last || b < 0.0 {
                return (0.0, 0.0);
            }
            (from[k], to[k]) = (a.max(0.0) as u32, b.min(last) as u32);
        }
        let start = if beyond {
            (0.0, 0.0)
        } else {
            (f32::MAX, f32::MIN)
        };
        let mut extremes: (f32, f32) = start;
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                let row = self.index([from[0], y, z])..=self.index([to[0], y, z]);
                for value in &self.values[row] {
                    extremes = (extremes.0.min(*value), extremes.1.max(*value));
                }
            }
        }
        extremes
    }

    fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        let [nx, ny] = [self.nodes[0], self.nodes[1]].map(|n| n as usize);
        (z as usize * ny + y as usize) * nx + x as usize
    }

    fn sample(&self, node: [u32; 3]) -> f32 {
        self.values[self.index(node)]
    }
}
