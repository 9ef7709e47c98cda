//! The sum of potentials at all nodes of a brick, and its gradient at points: four at a time.
//!
//! Points with [`Kernel::Murakami`], which a skin mostly is, are added in lanes; other primitives
//! one by one as [`Primitive`] has them. Terms are added in order of their numbers, points first,
//! whatever brick asks, so two bricks have the same bits at the nodes that they share. Positions
//! are from the domain's lowest corner on, metres, single precision.

use wide::f32x4;

use hapticd_geometry::Vec3;

use crate::domain::Domain;
use crate::grid::Grid;
use crate::kernel::Kernel;
use crate::lists::SIDE;
use crate::primitive::{Primitive, Skeleton};

/// Nodes along a side of a brick.
pub(crate) const NODES: usize = SIDE as usize + 1;

/// Potentials of a brick's nodes, by `z`, `y` and half rows along x.
pub(crate) type Samples = [[[f32x4; 2]; NODES]; NODES];

/// A point primitive, ready for lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ball {
    pub centre: [f32; 3],
    pub per_radius: f32,
    pub amplitude: f32,
}

impl Ball {
    /// If a primitive is one.
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

    /// The square of distance over radius, along one axis.
    #[inline]
    fn square(&self, place: f32, k: usize) -> f32 {
        let d = (place - self.centre[k]) * self.per_radius;
        d * d
    }

    /// What it adds at a place: the bits of a lane of [`each_of_ball`].
    #[inline]
    pub fn at(&self, [x, y, z]: [f32; 3]) -> f32 {
        let v = (1.0 - self.square(z, 2) - self.square(y, 1) - self.square(x, 0)).max(0.0);
        self.amplitude * v * v
    }

    /// What it adds at four places along x: the bits of [`each_of_ball`].
    #[inline]
    pub fn at_row(&self, x: [f32; 4], y: f32, z: f32) -> f32x4 {
        let along = f32x4::new(x.map(|x| self.square(x, 0)));
        let left = 1.0 - self.square(z, 2) - self.square(y, 1);
        let v = (f32x4::splat(left) - along).fast_max(f32x4::ZERO);
        f32x4::splat(self.amplitude) * v * v
    }

    /// What it adds at four places.
    #[inline]
    pub fn at_four(&self, places: [f32x4; 3]) -> f32x4 {
        let square = |k: usize| {
            let d = (places[k] - f32x4::splat(self.centre[k])) * f32x4::splat(self.per_radius);
            d * d
        };
        let v = (f32x4::ONE - square(2) - square(1) - square(0)).fast_max(f32x4::ZERO);
        f32x4::splat(self.amplitude) * v * v
    }

    /// From its centre to four places.
    #[inline]
    pub fn away(&self, places: [f32x4; 3]) -> [f32x4; 3] {
        [
            places[0] - f32x4::splat(self.centre[0]),
            places[1] - f32x4::splat(self.centre[1]),
            places[2] - f32x4::splat(self.centre[2]),
        ]
    }

    /// How deep in it four places are: 1 at its centre, 0 or less where it does not reach.
    #[inline]
    pub fn depth(&self, [x, y, z]: [f32x4; 3]) -> f32x4 {
        let per_r2 = self.per_radius * self.per_radius;
        f32x4::ONE - (x * x + y * y + z * z) * f32x4::splat(per_r2)
    }

    /// What it adds at four places: the bits of [`Ball::at`].
    #[inline]
    pub fn value_at(&self, [x, y, z]: [f32x4; 3]) -> f32x4 {
        let square = |away: f32x4| {
            let d = away * f32x4::splat(self.per_radius);
            d * d
        };
        let v = (f32x4::ONE - square(z) - square(y) - square(x)).fast_max(f32x4::ZERO);
        f32x4::splat(self.amplitude) * v * v
    }

    /// Its negative gradient at four places of this depth: the bits of [`Ball::outwards`].
    #[inline]
    pub fn outwards_at(&self, [x, y, z]: [f32x4; 3], depth: f32x4) -> [f32x4; 3] {
        let per_r2 = self.per_radius * self.per_radius;
        let rate = depth.fast_max(f32x4::ZERO) * f32x4::splat(self.amplitude);
        let rate = rate * f32x4::splat(per_r2);
        [rate * x, rate * y, rate * z]
    }

    /// Its negative gradient at a place, to the factor of [`outwards`].
    #[inline]
    pub fn outwards(&self, at: [f32; 3]) -> [f32; 3] {
        let [x, y, z] = [0, 1, 2].map(|k| at[k] - self.centre[k]);
        let per_r2 = self.per_radius * self.per_radius;
        let v = (1.0 - (x * x + y * y + z * z) * per_r2).max(0.0);
        if v == 0.0 {
            // Whatever the rest is: of a small radius it is beyond single precision.
            return [0.0; 3];
        }
        [x, y, z].map(|away| v * self.amplitude * per_r2 * away)
    }
}

/// Where the nodes of a brick are along one axis.
pub(crate) fn places(domain: &Domain, brick: u16) -> [f32; NODES] {
    let cell = domain.cell_m() as f32;
    let first = u32::from(brick) * SIDE;
    // By the node's number in the domain: the same bits from both sides of a brick's end.
    std::array::from_fn(|i| (first + i as u32) as f32 * cell)
}

/// What a ball adds to the nodes of a brick, by layer, row and half row; those that it does not
/// reach may be left out.
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
    /// At a place in the world, 1/m.
    pub fn gradient(&self, at: &Vec3) -> Vec3 {
        match self {
            Source::Primitive(primitive) => primitive.with_gradient(at).1,
            Source::Grid(grid) => grid.with_gradient(at).1,
        }
    }
}

/// What any term adds to the nodes of a brick.
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

/// What any term adds at a place.
pub(crate) fn value_of_other(domain: &Domain, source: Source<'_>, at: [f32; 3]) -> f32 {
    match source {
        Source::Primitive(primitive) => {
            let local = Vec3::from(at.map(f64::from));
            primitive.value(&(domain.low() + local)) as f32
        }
        // A node as the domain has it: one that is a sample's is to be that.
        Source::Grid(grid) => {
            let cell = domain.cell_m();
            let local = at.map(|x| {
                let x = f64::from(x);
                let node = (x / cell).round();
                // As near to each other as single precision has nodes.
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

/// The negative gradient of balls at four points, to a factor.
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

/// The negative gradient of any term at a point, to the same factor.
pub(crate) fn outwards_other(domain: &Domain, source: Source<'_>, at: [f32; 3]) -> [f32; 3] {
    let at = domain.low() + Vec3::from(at.map(f64::from));
    (-0.25 * source.gradient(&at)).cast().into()
}

/// Of length 1. There is no direction where the gradient is 0: any will do.
pub(crate) fn unit(outwards: [f32; 3]) -> [f32; 3] {
    let length = outwards.iter().map(|x| x * x).sum::<f32>().sqrt();
    if !has_direction(length) {
        return unit_of_any(outwards.map(f64::from).into());
    }
    outwards.map(|x| x / length)
}

/// Whether a vector whose length comes out like this in single precision has the direction that its
/// numbers say: their squares are numbers, too.
#[inline]
pub(crate) fn has_direction(length: f32) -> bool {
    (1e-15..1e15).contains(&length)
}

/// As [`unit`], of vectors that are as long or short as they like.
pub(crate) fn unit_of_any(outwards: Vec3) -> [f32; 3] {
    let largest = outwards.amax();
    let unit: [f32; 3] = (outwards / largest).normalize().cast().into();
    if unit.iter().all(|x| x.is_finite()) {
        unit
    } else {
        [0.0, 0.0, 1.0]
    }
}
