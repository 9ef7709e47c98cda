//! Sampled potentials: scans, simulations and other fields that are not sums of primitives.
//!
//! # Theory
//!
//! The source's library was adapted to polygonize a grid that its user fills (Triquet 2001, section
//! 5.6: skulls from planes of a scanner, figure 5.18). Here a grid is one more term of the sum,
//! with its own spacings and frame. It is cubic between its samples and 0 outside. So a scan can
//! stand alone or blend with primitives. Where the grid's nodes coincide with the domain's, the
//! mesh is Marching Cubes of the samples, to the bit.
//!
//! *Between samples* the potential is a cubic along each axis, with central differences as slopes
//! (Catmull and Rom 1974). It interpolates the samples, and value and gradient are continuous. A
//! trilinear gradient jumps from cube to cube, and the hand feels such jumps of the normal as
//! ticks. Next to the border, where a sample is missing, the line through the last two samples is
//! extended. The cubic may overshoot its samples: a jump from 0 to 1 gives -0.07 and 1.07.
//!
//! If the samples on the border are not 0, the sum jumps there, and the surface follows the border
//! to within a cube. [`Grid::of_volume`] closes the border.
//!
//! # Practice
//!
//! World frame, metres; potentials are dimensionless. Samples are single precision, x fastest.
//! Values and gradients are real-time callable: no allocation, bounded work, 64 samples. A clone
//! shares the samples.

use std::sync::Arc;

use hapticd_geometry::{Mat3, Pose, Vec3, Volume};

/// A potential sampled on a regular lattice. See the module page.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Position of the first sample, m.
    first: Vec3,
    /// Step between neighbouring samples, m: one column per axis.
    steps: Mat3,
    /// Maps metres to sample coordinates.
    samples_from_m: Mat3,
    nodes: [u32; 3],
    values: Arc<Vec<f32>>,
    below_zero: bool,
}

/// Maximum number of samples along an axis.
pub const MAX_SAMPLES: u32 = 4096;

/// Upper bound of the sum of the absolute values of a cubic's four weights: 1.25, midway between
/// samples. Along three axes, the product.
const OVERSHOOT: f64 = 1.25 * 1.25 * 1.25;

/// Reasons for refusing a grid. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// The spacing is NaN, infinite, 0 or negative.
    #[error("samples every {0} m: it has to be more than 0 and finite")]
    Spacing(f64),
    /// A corner is not finite, or so far out that neighbouring samples coincide.
    #[error("{low:?} m, samples every {spacing_m} m: they cannot be told apart out there")]
    Place {
        /// Lowest corner, m.
        low: [f64; 3],
        /// Smallest spacing as given, m.
        spacing_m: f64,
    },
    /// Too few or too many samples along an axis.
    #[error("{0:?} samples: there have to be 2 to {MAX_SAMPLES} along each axis")]
    Nodes([u32; 3]),
    /// The number of samples differs from the number of nodes.
    #[error("{given} samples for {nodes:?} nodes")]
    Count {
        /// Number of samples given.
        given: usize,
        /// Nodes along each axis.
        nodes: [u32; 3],
    },
    /// A sample is not finite.
    #[error("sample {at:?} is {value}")]
    NotFinite {
        /// Index of the sample along each axis.
        at: [u32; 3],
        /// Value of the sample.
        value: f32,
    },
    /// The samples within the border are all inside or all outside; those on the border count as
    /// outside.
    #[error(
        "no surface: the samples within the border go from {lowest} to {highest}, and the level is {level}"
    )]
    NoSurface {
        /// Lowest of the samples within the border.
        lowest: f32,
        /// Highest of them.
        highest: f32,
        /// Level that should lie between the two.
        level: f64,
    },
}

/// Selects which samples of a volume are inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inside {
    /// Value of a sample on the surface, in the unit of the samples.
    pub level: f64,
    /// True: inside is below the level, as for signed distances. False: inside is above it.
    pub below: bool,
}

impl Grid {
    /// Creates a grid from its lowest corner: `nodes` samples along each axis, every `spacing_m`
    /// metres; x fastest, then y.
    ///
    /// # Errors
    /// [`GridError`]: the first defect found.
    pub fn new(
        low: Vec3,
        spacing_m: f64,
        nodes: [u32; 3],
        values: Vec<f32>,
    ) -> Result<Grid, GridError> {
        let place = Pose::translation(low.x, low.y, low.z);
        Grid::placed(&place, [spacing_m; 3], nodes, values)
    }

    /// Creates a grid in its own frame, with the first sample as origin: `nodes` samples along each
    /// axis, spaced by `spacing_m`; x fastest, then y.
    ///
    /// # Errors
    /// [`GridError`]: the first defect found.
    pub fn placed(
        world_from_grid: &Pose,
        spacing_m: [f64; 3],
        nodes: [u32; 3],
        values: Vec<f32>,
    ) -> Result<Grid, GridError> {
        if let Some(bad) = spacing_m.iter().find(|h| !(**h > 0.0 && h.is_finite())) {
            return Err(GridError::Spacing(*bad));
        }
        if !nodes.iter().all(|n| (2..=MAX_SAMPLES).contains(n)) {
            return Err(GridError::Nodes(nodes));
        }
        let turn = world_from_grid.rotation.to_rotation_matrix().into_inner();
        let spacing = Vec3::from(spacing_m);
        let grid = Grid {
            first: world_from_grid.translation.vector,
            steps: turn * Mat3::from_diagonal(&spacing),
            samples_from_m: Mat3::from_diagonal(&spacing.map(|h| 1.0 / h)) * turn.transpose(),
            nodes,
            below_zero: values.iter().any(|x| *x < 0.0),
            values: Arc::new(values),
        };
        let (low, high) = grid.bounds();
        let furthest = low.amax().max(high.amax());
        // `amax` may skip a NaN, so each coordinate is tested separately.
        let is_place = low.iter().chain(&high).all(|x| x.is_finite());
        let spacing_m = spacing.min();
        if !(is_place && furthest * f64::EPSILON <= 1e-9 * spacing_m) {
            let low = low.into();
            return Err(GridError::Place { low, spacing_m });
        }
        let given = grid.values.len();
        if given as u64 != nodes.iter().map(|n| u64::from(*n)).product::<u64>() {
            return Err(GridError::Count { given, nodes });
        }
        if let Some(k) = grid.values.iter().position(|x| !x.is_finite()) {
            let value = grid.values[k];
            let at = grid.node(k);
            return Err(GridError::NotFinite { at, value });
        }
        Ok(grid)
    }

    /// True if the potential is negative somewhere.
    pub(crate) fn is_below_zero(&self) -> bool {
        self.below_zero
    }

    /// Converts a volume to a potential: `level` on the surface, 0 at the sample that is furthest
    /// outside, and linear between and beyond. The samples on the border are set to 0. So the
    /// surface stays within the volume and the potential does not jump. `unit_m` is the length of
    /// one unit of the volume's frame.
    ///
    /// # Errors
    /// [`GridError`]: the first defect found, or [`GridError::NoSurface`].
    pub fn of_volume(
        volume: Volume,
        (world_from_volume, unit_m): (&Pose, f64),
        inside: Inside,
        level: f64,
    ) -> Result<Grid, GridError> {
        let Volume {
            frame,
            spacing,
            nodes,
            mut samples,
            ..
        } = volume;
        let origin = Pose::from_parts((frame.translation.vector * unit_m).into(), frame.rotation);
        let is_border = |k: usize| {
            let at = node_of(nodes, k);
            (0..3).any(|i| at[i] == 0 || at[i] + 1 == nodes[i])
        };
        let (mut lowest, mut highest) = (f32::INFINITY, f32::NEG_INFINITY);
        for (k, sample) in samples.iter().enumerate() {
            if !is_border(k) {
                (lowest, highest) = (lowest.min(*sample), highest.max(*sample));
            }
        }
        let most_out = f64::from(if inside.below { highest } else { lowest });
        let most_in = f64::from(if inside.below { lowest } else { highest });
        let per = level / (inside.level - most_out);
        // Not `<`: a NaN crosses nothing. Between -inf and inf there is no finite factor.
        let crosses = (most_in - inside.level) * (inside.level - most_out) > 0.0;
        if !(crosses && per.is_finite()) {
            let level = inside.level;
            return Err(GridError::NoSurface {
                lowest,
                highest,
                level,
            });
        }
        for (k, sample) in samples.iter_mut().enumerate() {
            *sample = match is_border(k) {
                true => 0.0,
                false => (per * (f64::from(*sample) - most_out)) as f32,
            };
        }
        let spacing_m = spacing.map(|h| h * unit_m);
        Grid::placed(&(world_from_volume * origin), spacing_m, nodes, samples)
    }

    /// Returns the samples for refilling. Copies them only if a clone still shares them.
    #[must_use]
    pub fn into_values(self) -> Vec<f32> {
        Arc::unwrap_or_clone(self.values)
    }

    /// Returns the samples, x fastest, then y.
    #[must_use]
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// Samples along each axis.
    #[must_use]
    pub fn nodes(&self) -> [u32; 3] {
        self.nodes
    }

    /// Distance between neighbouring samples along each axis, m.
    #[must_use]
    pub fn spacing_m(&self) -> [f64; 3] {
        [0, 1, 2].map(|k| self.steps.column(k).norm())
    }

    /// Converts a position, m, to sample coordinates, with the first sample as origin.
    #[must_use]
    pub fn in_samples(&self, at: &Vec3) -> Vec3 {
        self.samples_from_m * (at - self.first)
    }

    /// Converts sample coordinates to a position, m.
    #[must_use]
    pub fn place(&self, at: &Vec3) -> Vec3 {
        self.first + self.steps * at
    }

    /// Converts a slope per sample to a slope in the world, 1/m.
    #[must_use]
    pub fn slope(&self, per_sample: &Vec3) -> Vec3 {
        self.samples_from_m.tr_mul(per_sample)
    }

    /// Lowest and highest corner of the world-aligned bounding box, m. The potential is 0 outside.
    #[must_use]
    pub fn bounds(&self) -> (Vec3, Vec3) {
        let (mut low, mut high) = (self.first, self.first);
        for k in 0..3 {
            let along = self.steps.column(k) * f64::from(self.nodes[k] - 1);
            low += along.map(|x| x.min(0.0));
            high += along.map(|x| x.max(0.0));
        }
        (low, high)
    }

    /// Potential at a position.
    #[must_use]
    pub fn value(&self, at: &Vec3) -> f64 {
        self.with_gradient(at).0
    }

    /// Potential at a position, and its gradient, 1/m.
    #[must_use]
    pub fn with_gradient(&self, at: &Vec3) -> (f64, Vec3) {
        let at = self.in_samples(at);
        let mut axes = [Axis::default(); 3];
        for k in 0..3 {
            let Some(axis) = Axis::at(at[k], self.nodes[k]) else {
                return (0.0, Vec3::zeros());
            };
            axes[k] = axis;
        }
        let [x, y, z] = &axes;
        let (mut value, mut slope) = (0.0, Vec3::zeros());
        // Along x, then y, then z. On a sample the result is exact: the other weights are 0.
        for k in 0..4 {
            let (mut plane, mut by_x, mut by_y) = (0.0, 0.0, 0.0);
            for j in 0..4 {
                let row = self.index([0, y.nodes[j], z.nodes[k]]);
                let (mut sum, mut by) = (0.0, 0.0);
                for i in 0..4 {
                    let sample = f64::from(self.values[row + x.nodes[i] as usize]);
                    sum += x.weights[i] * sample;
                    by += x.slopes[i] * sample;
                }
                plane += y.weights[j] * sum;
                by_x += y.weights[j] * by;
                by_y += y.slopes[j] * sum;
            }
            value += z.weights[k] * plane;
            slope += Vec3::new(
                z.weights[k] * by_x,
                z.weights[k] * by_y,
                z.slopes[k] * plane,
            );
        }
        (value, self.slope(&slope))
    }

    /// Bounds on the potential in a world-aligned box. They cover the samples of all cubes that the
    /// box meets and their neighbours, the overshoot of the cubic, and 0 if the box leaves the
    /// grid.
    pub(crate) fn extremes(&self, low: &Vec3, high: &Vec3) -> (f32, f32) {
        let middle = self.in_samples(&(0.5 * (low + high)));
        let half = self.samples_from_m.abs() * (0.5 * (high - low));
        let (mut from, mut to, mut beyond) = ([0; 3], [0; 3], false);
        for k in 0..3 {
            let last = f64::from(self.nodes[k] - 1);
            // One more sample on either side, for rounding.
            let a = (middle[k] - half[k]).floor() - 1.0;
            let b = (middle[k] + half[k]).ceil() + 1.0;
            beyond |= a < 0.0 || b > last;
            if a > last || b < 0.0 {
                return (0.0, 0.0);
            }
            // Plus the neighbours that the outermost cubes use.
            (from[k], to[k]) = ((a - 1.0).max(0.0) as u32, (b + 1.0).min(last) as u32);
        }
        let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
        for z in from[2]..=to[2] {
            for y in from[1]..=to[1] {
                let row = self.index([from[0], y, z])..=self.index([to[0], y, z]);
                for value in &self.values[row] {
                    (least, most) = (least.min(*value), most.max(*value));
                }
            }
        }
        let [least, most] = [least, most].map(f64::from);
        let (middle, half) = (0.5 * (least + most), 0.5 * OVERSHOOT * (most - least));
        let (least, most) = ((middle - half) as f32, (middle + half) as f32);
        match beyond {
            true => (least.min(0.0), most.max(0.0)),
            false => (least, most),
        }
    }

    fn index(&self, [x, y, z]: [u32; 3]) -> usize {
        let [nx, ny] = [self.nodes[0], self.nodes[1]].map(|n| n as usize);
        (z as usize * ny + y as usize) * nx + x as usize
    }

    fn node(&self, k: usize) -> [u32; 3] {
        node_of(self.nodes, k)
    }
}

/// Node of sample `k`, along each axis.
fn node_of(nodes: [u32; 3], k: usize) -> [u32; 3] {
    let [nx, ny] = [nodes[0], nodes[1]].map(|n| n as usize);
    [k % nx, k / nx % ny, k / (nx * ny)].map(|i| i as u32)
}

/// Interpolation along one axis: four samples, their weights, and their weights in the slope.
#[derive(Clone, Copy, Default)]
struct Axis {
    nodes: [u32; 4],
    weights: [f64; 4],
    slopes: [f64; 4],
}

impl Axis {
    /// Interpolates at `t` samples from the first of `count`; `None` outside.
    #[inline]
    fn at(mut t: f64, count: u32) -> Option<Axis> {
        // Within a billionth of a sample counts as on it, since the division rounds.
        if (t - t.round()).abs() < 1e-9 * (1.0 + t.abs()) {
            t = t.round();
        }
        let last = count - 1;
        if !(t >= 0.0 && t <= f64::from(last)) {
            return None;
        }
        let cell = (t as u32).min(last - 1);
        let t = t - f64::from(cell);
        let mut weights = [
            ((1.0 - 0.5 * t) * t - 0.5) * t,
            (1.5 * t - 2.5) * t * t + 1.0,
            ((2.0 - 1.5 * t) * t + 0.5) * t,
            (0.5 * t - 0.5) * t * t,
        ];
        let mut slopes = [
            (2.0 - 1.5 * t) * t - 0.5,
            (4.5 * t - 5.0) * t,
            (4.0 - 4.5 * t) * t + 0.5,
            (1.5 * t - 1.0) * t,
        ];
        // A missing sample lies on the line through the two next to it.
        for set in [&mut weights, &mut slopes] {
            if cell == 0 {
                (set[1], set[2], set[0]) = (set[1] + 2.0 * set[0], set[2] - set[0], 0.0);
            }
            if cell + 1 == last {
                (set[2], set[1], set[3]) = (set[2] + 2.0 * set[3], set[1] - set[3], 0.0);
            }
        }
        let nodes = [cell.saturating_sub(1), cell, cell + 1, (cell + 2).min(last)];
        Some(Axis {
            nodes,
            weights,
            slopes,
        })
    }
}
