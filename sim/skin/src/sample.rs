//! Sum of potentials at the nodes of a brick, and its gradient at points, in four lanes.
//!
//! Most terms of a skin are points with [`Kernel::Murakami`]; these are added in lanes. Other
//! primitives are added one by one as [`Primitive`] evaluates them. Every brick adds terms in the
//! order of their numbers, points first, so bricks have the same bits at shared nodes. Positions
//! are relative to the domain's lowest corner, metres, single precision.

use wide::f32x4;

use hapticd_geometry::Vec3;

use crate::domain::{Domain, SIDE};
use crate::grid::Grid;
use crate::kernel::Kernel;
use crate::primitive::{Primitive, Skeleton};

/// Nodes along a side of a brick.
pub(crate) const NODES: usize = SIDE as usize + 1;

/// Potentials of a brick's nodes, by `z`, `y` and half row along x.
pub(crate) type Samples = [[[f32x4; 2]; NODES]; NODES];

/// A Murakami point primitive, prepared for lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ball {
    pub centre: [f32; 3],
    pub per_radius: f32,
    pub amplitude: f32,
}

impl Ball {
    /// Converts a primitive; `None` if it is not such a point.
    pub fn of(domain: &Domain, primitive: &Primitive) -> Option<Ball> {
        match primitive.skeleton {
            Skeleton::Point(centre) if primitive.kernel == Kernel::Murakami => Some(Ball {
                centre: (centre - domain.low()).cast().into(),
                per_radius: (1.0 / primitive.radius_m) as f32,
                amplitude: primitive.amplitude as f32,
            }),
            _ => None,
        }
    }

    /// Square of distance over radius, along one axis.
    #[inline]
    fn square(&self, place: f32, k: usize) -> f32 {
        let d = (place - self.centre[k]) * self.per_radius;
        d * d
    }

    /// Contribution at a position, bit-equal to a lane of [`each_of_ball`].
    #[inline]
    pub fn at(&self, [x, y, z]: [f32; 3]) -> f32 {
        let v = (1.0 - self.square(z, 2) - self.square(y, 1) - self.square(x, 0)).max(0.0);
        self.amplitude * v * v
    }

    /// Contribution at four positions along x, bit-equal to [`each_of_ball`].
    #[inline]
    pub fn at_row(&self, x: [f32; 4], y: f32, z: f32) -> f32x4 {
        let along = f32x4::new(x.map(|x| self.square(x, 0)));
        let left = 1.0 - self.square(z, 2) - self.square(y, 1);
        let v = (f32x4::splat(left) - along).fast_max(f32x4::ZERO);
        f32x4::splat(self.amplitude) * v * v
    }

    /// Contribution at four positions.
    #[inline]
    pub fn at_four(&self, places: [f32x4; 3]) -> f32x4 {
        let square = |k: usize| {
            let d = (places[k] - f32x4::splat(self.centre[k])) * f32x4::splat(self.per_radius);
            d * d
        };
        let v = (f32x4::ONE - square(2) - square(1) - square(0)).fast_max(f32x4::ZERO);
        f32x4::splat(self.amplitude) * v * v
    }

    /// Offsets from its centre to four positions.
    #[inline]
    pub fn away(&self, places: [f32x4; 3]) -> [f32x4; 3] {
        [
            places[0] - f32x4::splat(self.centre[0]),
            places[1] - f32x4::splat(self.centre[1]),
            places[2] - f32x4::splat(self.centre[2]),
        ]
    }

    /// Depth of four offsets: 1 at the centre, 0 or less out of reach.
    #[inline]
    pub fn depth(&self, [x, y, z]: [f32x4; 3]) -> f32x4 {
        let per_r2 = self.per_radius * self.per_radius;
        f32x4::ONE - (x * x + y * y + z * z) * f32x4::splat(per_r2)
    }

    /// Contribution at four offsets, bit-equal to [`Ball::at`].
    #[inline]
    pub fn value_at(&self, [x, y, z]: [f32x4; 3]) -> f32x4 {
        let square = |away: f32x4| {
            let d = away * f32x4::splat(self.per_radius);
            d * d
        };
        let v = (f32x4::ONE - square(z) - square(y) - square(x)).fast_max(f32x4::ZERO);
        f32x4::splat(self.amplitude) * v * v
    }

    /// Negative gradient at four offsets of this depth, bit-equal to [`Ball::outwards`].
    #[inline]
    pub fn outwards_at(&self, [x, y, z]: [f32x4; 3], depth: f32x4) -> [f32x4; 3] {
        let per_r2 = self.per_radius * self.per_radius;
        let rate = depth.fast_max(f32x4::ZERO) * f32x4::splat(self.amplitude);
        let rate = rate * f32x4::splat(per_r2);
        [rate * x, rate * y, rate * z]
    }

    /// Negative gradient at a position, scaled as in [`outwards`].
    #[inline]
    pub fn outwards(&self, at: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = [0, 1, 2].map(|k| at[k] - self.centre[k]);
        let per_r2 = self.per_radius * self.per_radius;
        let v = (1.0 - (x * x + y * y + z * z) * per_r2).max(0.0);
        if v == 0.0 {
            // Out of reach. For a small radius the other factors exceed single precision.
            return [0.0; 3];
        }
        [x, y, z].map(|away| v * self.amplitude * per_r2 * away)
    }
}

/// Positions of the nodes of a brick along one axis.
pub(crate) fn places(domain: &Domain, brick: u16) -> [f32; NODES] {
    let cell = domain.cell_m() as f32;
    let first = u32::from(brick) * SIDE;
    // Computed from the node's number in the domain: both bricks of a shared node have the same
    // bits.
    std::array::from_fn(|i| (first + i as u32) as f32 * cell)
}

/// Calls `note` with what a ball adds to the nodes of a brick, by layer, row and half row. May skip
/// nodes out of reach.
#[inline]
pub(crate) fn each_of_ball(
    ball: &Ball,
    [x, y, z]: &[[f32; NODES]; 3],
    mut note: impl FnMut(usize, usize, usize, f32x4),
) {
    let along = [0, 4].map(|i| f32x4::new([0, 1, 2, 3].map(|j| ball.square(x[i + j], 0))));
    let amplitude = f32x4::splat(ball.amplitude);
    let halves = along.map(|along| along.simd_lt(f32x4::ONE).to_bitmask() != 0);
    for (layer, z) in z.iter().enumerate() {
        let by_z = 1.0 - ball.square(*z, 2);
        if by_z <= 0.0 {
            continue;
        }
        for (row, y) in y.iter().enumerate() {
            let left = by_z - ball.square(*y, 1);
            if left <= 0.0 {
                continue;
            }
            for (half, along) in along.iter().enumerate() {
                if !halves[half] {
                    continue;
                }
                let v = (f32x4::splat(left) - *along).fast_max(f32x4::ZERO);
                note(layer, row, half, amplitude * v * v);
            }
        }
    }
}

/// A term of the sum that is not a ball.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Source<'a> {
    Primitive(&'a Primitive),
    Grid(&'a Grid),
}

impl Source<'_> {
    /// Gradient at a position in the world, 1/m.
    pub fn gradient(&self, at: &Vec3) -> Vec3 {
        match self {
            Source::Primitive(primitive) => primitive.with_gradient(at).1,
            Source::Grid(grid) => grid.with_gradient(at).1,
        }
    }
}

/// Calls `note` with what any term adds to the nodes of a brick.
#[inline]
pub(crate) fn each_of_other(
    domain: &Domain,
    source: Source<'_>,
    [x, y, z]: &[[f32; NODES]; 3],
    mut note: impl FnMut(usize, usize, usize, f32x4),
) {
    for (layer, z) in z.iter().enumerate() {
        for (row, y) in y.iter().enumerate() {
            for (half, i) in [0, 4].into_iter().enumerate() {
                let value = |j: usize| value_of_other(domain, source, [x[i + j], *y, *z]);
                note(layer, row, half, f32x4::new([0, 1, 2, 3].map(value)));
            }
        }
    }
}

/// Contribution of any term at a position.
pub(crate) fn value_of_other(domain: &Domain, source: Source<'_>, at: [f32; 3]) -> f32 {
    match source {
        Source::Primitive(primitive) => {
            let local = Vec3::from(at.map(f64::from));
            primitive.value(&(domain.low() + local)) as f32
        }
        // Snaps to the domain's node in double precision: a node on a sample must yield that
        // sample.
        Source::Grid(grid) => {
            let cell = domain.cell_m();
            let local = at.map(|x| {
                let x = f64::from(x);
                let node = (x / cell).round();
                // Single precision places nodes this accurately.
                if (x - node * cell).abs() < 1e-3 * cell {
                    node * cell
                } else {
                    x
                }
            });
            grid.value(&(domain.low() + Vec3::from(local))) as f32
        }
    }
}

/// Negative gradient of balls at four points, up to a constant factor.
pub(crate) fn outwards<'a>(
    balls: impl Iterator<Item = &'a Ball>,
    [x, y, z]: [f32x4; 3],
) -> [f32x4; 3] {
    let mut sum = [f32x4::ZERO; 3];
    for ball in balls {
        let away = [
            x - f32x4::splat(ball.centre[0]),
            y - f32x4::splat(ball.centre[1]),
            z - f32x4::splat(ball.centre[2]),
        ];
        let per_r2 = ball.per_radius * ball.per_radius;
        let square = away[0] * away[0] + away[1] * away[1] + away[2] * away[2];
        let v = (f32x4::ONE - square * f32x4::splat(per_r2)).fast_max(f32x4::ZERO);
        let rate = v * f32x4::splat(ball.amplitude * per_r2);
        for (sum, away) in sum.iter_mut().zip(away) {
            *sum += rate * away;
        }
    }
    sum
}

/// Negative gradient of any term at a point, scaled by the same factor.
pub(crate) fn outwards_other(domain: &Domain, source: Source<'_>, at: [f32; 3]) -> [f32; 3] {
    let at = domain.low() + Vec3::from(at.map(f64::from));
    (-0.25 * source.gradient(&at)).cast().into()
}

/// Normalizes a vector. A zero gradient has no direction; any unit vector will do.
pub(crate) fn unit(outwards: [f32; 3]) -> [f32; 3] {
    let length = outwards.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !has_direction(length) {
        return unit_of_any(outwards.map(f64::from).into());
    }
    outwards.map(|x| x / length)
}

/// True if a vector of this length in single precision has a reliable direction: the squares of its
/// components neither overflow nor vanish.
#[inline]
pub(crate) fn has_direction(length: f32) -> bool {
    (1e-15..1e15).contains(&length)
}

/// As [`unit`], for vectors of any length.
pub(crate) fn unit_of_any(outwards: Vec3) -> [f32; 3] {
    let largest = outwards.amax();
    let unit: [f32; 3] = (outwards / largest).normalize().cast().into();
    if unit.iter().all(|x| x.is_finite()) {
        unit
    } else {
        [0.0, 0.0, 1.0]
    }
}
