//! Seeded queries that are hard in every way known to us.
//!
//! Each [`Family`] is one such way. The same seed gives the same queries on every machine.
//! Coordinates are `f64`, so the exact answer of a query is that of its rounded coordinates,
//! whatever was intended.

use crate::Features;

/// Four points, as in [`crate::Query`].
pub type Points = [[f64; 3]; 4];

/// A kind of difficulty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Uniform in a cube, moving anywhere in it.
    Random,
    /// Small features that move far.
    Fast,
    /// Heading for a contact, then displaced by 1e-3 to 1e-17, or not at all.
    Graze,
    /// Everything in one plane, which is seldom that of two axes.
    Planar,
    /// Small integers, so that every degenerate configuration occurs often.
    Lattice,
    /// A common vertex, permanently or until the end.
    Shared,
    /// In contact exactly at the beginning or the end, or off by the last digit.
    Ends,
    /// Nearly or exactly parallel edges, needles and slivers.
    Thin,
    /// Zero-length edges, faces without area, coincident points.
    Collapsed,
    /// One slides along the other, at a distance of 0 to a few roundings.
    Sliding,
    /// Little motion or none.
    Slow,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 11] = [
        Self::Random,
        Self::Fast,
        Self::Graze,
        Self::Planar,
        Self::Lattice,
        Self::Shared,
        Self::Ends,
        Self::Thin,
        Self::Collapsed,
        Self::Sliding,
        Self::Slow,
    ];
}

/// A random generator (linear congruential, with mixed output).
#[derive(Clone, Debug)]
pub struct Random(u64);

type V = [f64; 3];

fn plus(a: V, b: V, k: f64) -> V {
    std::array::from_fn(|i| a[i] + k * b[i])
}

fn cross(a: V, b: V) -> V {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(a: V) -> V {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-300);
    a.map(|x| x / length)
}

impl Random {
    /// Returns the generator of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x9e37_79b9_7f4a_7c15)
    }

    fn bits(&mut self) -> u64 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let x = (self.0 ^ (self.0 >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        x ^ (x >> 32)
    }

    /// Returns an integer below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        (self.bits() >> 11) % n
    }

    /// Returns a number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Returns a number in `[-1, 1)`.
    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    fn vector(&mut self) -> V {
        std::array::from_fn(|_| self.signed())
    }

    fn points(&mut self) -> Points {
        std::array::from_fn(|_| self.vector())
    }

    fn chance(&mut self, one_in: u64) -> bool {
        self.below(one_in) == 0
    }

    /// Returns 10 to a power in a range, or 0 in one of eight cases.
    fn tiny(&mut self, from: f64, to: f64) -> f64 {
        if self.chance(8) {
            0.0
        } else {
            10f64.powf(from + (to - from) * self.unit())
        }
    }

    /// Returns a query of a family: points at time 0 and at time 1.
    pub fn query(&mut self, family: Family, features: Features) -> (Points, Points) {
        let (mut start, mut end) = match family {
            Family::Random => (self.points(), self.points()),
            Family::Fast => self.fast(),
            Family::Graze => self.graze(features),
            Family::Planar => self.planar(),
            Family::Lattice => return self.lattice(),
            Family::Shared => self.shared(features),
            Family::Ends => return self.ends(features),
            Family::Thin => self.thin(features),
            Family::Collapsed => self.collapsed(features),
            Family::Sliding => self.sliding(features),
            Family::Slow => self.slow(features),
        };
        // In half of the cases, any size and any place.
        if self.chance(2) {
            let scale = 10f64.powf(-4.0 + 7.0 * self.unit());
            let origin = if self.chance(2) {
                self.vector().map(|x| x * 1e3)
            } else {
                [0.0; 3]
            };
            for points in [&mut start, &mut end] {
                *points = points.map(|p| plus(origin, p, scale));
            }
        }
        (start, end)
    }

    fn fast(&mut self) -> (Points, Points) {
        let size = 10f64.powf(-3.0 * self.unit());
        let (a, b) = (self.vector(), self.vector());
        let shape = self.points();
        let bend = self.points();
        let at = |o: [V; 2], bend: f64, other: &Points| -> Points {
            std::array::from_fn(|i| {
                let p = plus(o[usize::from(i > 1)], shape[i], size);
                plus(p, other[i], size * bend)
            })
        };
        (at([a, b], 0.0, &bend), at([b, a], 0.3, &bend))
    }

    /// Returns weights of two points, one on each feature; they sum to 1 on each side.
    fn weights(&mut self, features: Features) -> [f64; 4] {
        let (mut u, mut w) = (self.unit(), self.unit());
        match self.below(4) {
            0 => u = 0.0,
            1 => (u, w) = (1.0, 0.0),
            _ => {}
        }
        match features {
            Features::VertexFace => {
                let w = w * (1.0 - u);
                [1.0, 1.0 - u - w, u, w]
            }
            Features::EdgeEdge => [1.0 - u, u, 1.0 - w, w],
        }
    }

    /// Returns the number of points of side A.
    fn first(features: Features) -> usize {
        match features {
            Features::VertexFace => 1,
            Features::EdgeEdge => 2,
        }
    }

    /// Returns the normal of the features: of the face, or common to the edges.
    fn normal(features: Features, p: &Points) -> V {
        unit(match features {
            Features::VertexFace => cross(plus(p[2], p[1], -1.0), plus(p[3], p[1], -1.0)),
            Features::EdgeEdge => cross(plus(p[1], p[0], -1.0), plus(p[3], p[2], -1.0)),
        })
    }

    /// Moves side A so that the two weighted points are `gap` apart along a direction.
    fn join(features: Features, p: &mut Points, weights: &[f64; 4], direction: V, gap: f64) {
        let n = Self::first(features);
        let mut d = [0.0; 3];
        for i in 0..4 {
            d = plus(d, p[i], if i < n { -weights[i] } else { weights[i] });
        }
        for point in &mut p[..n] {
            *point = plus(plus(*point, d, 1.0), direction, gap);
        }
    }

    fn graze(&mut self, features: Features) -> (Points, Points) {
        let mut middle = self.points();
        let speed = self.points();
        let weights = self.weights(features);
        let normal = match self.below(3) {
            0 => unit(self.vector()),
            1 => {
                // In the plane, across an edge.
                let n = Self::normal(features, &middle);
                unit(cross(n, plus(middle[3], middle[2], -1.0)))
            }
            _ => Self::normal(features, &middle),
        };
        let gap = self.tiny(-17.0, -3.0);
        Self::join(features, &mut middle, &weights, normal, gap);
        let t = self.unit();
        // In half of the cases the relative motion is across the direction of the gap.
        let tangential = self.chance(2);
        let velocity = |i: usize| {
            let v = if tangential && i >= Self::first(features) {
                speed[3]
            } else {
                speed[i]
            };
            if tangential {
                let along: f64 = (0..3).map(|k| v[k] * normal[k]).sum();
                plus(v, normal, -along)
            } else {
                v
            }
        };
        let at = |s: f64| std::array::from_fn(|i| plus(middle[i], velocity(i), s - t));
        (at(0.0), at(1.0))
    }

    fn planar(&mut self) -> (Points, Points) {
        let (mut start, mut end) = (self.points(), self.points());
        if self.chance(2) {
            // Features in one plane usually overlap, so make them small.
            let size = 0.1 + 0.3 * self.unit();
            for p in [&mut start, &mut end] {
                for i in [0, 2] {
                    p[i + 1] = plus(p[i], p[i + 1], size);
                }
            }
        }
        let height = self.signed();
        for p in start.iter_mut().chain(&mut end) {
            p[2] = height;
        }
        if self.chance(2) {
            let (x, y) = (self.vector(), self.vector());
            for p in start.iter_mut().chain(&mut end) {
                *p = plus(plus([0.0; 3], x, p[0]), y, p[1]);
            }
        }
        (start, end)
    }

    fn lattice(&mut self) -> (Points, Points) {
        let n = 1 + self.below(4);
        let unit = 0.5f64.powi(self.below(3) as i32);
        let mut points = || -> Points {
            std::array::from_fn(|_| {
                std::array::from_fn(|_| (self.below(2 * n + 1) as f64 - n as f64) * unit)
            })
        };
        (points(), points())
    }

    fn shared(&mut self, features: Features) -> (Points, Points) {
        let (mut start, mut end) = (self.points(), self.points());
        let n = Self::first(features);
        let (a, b) = (
            self.below(n as u64) as usize,
            n + self.below(4 - n as u64) as usize,
        );
        match self.below(3) {
            0 => (start[a], end[a]) = (start[b], end[b]),
            1 => end[a] = end[b],
            // Nearly shared, and separating.
            _ => start[a] = plus(start[b], self.vector(), 1e-12),
        }
        (start, end)
    }

    fn ends(&mut self, features: Features) -> (Points, Points) {
        let (mut start, end) = self.lattice();
        // Dyadic weights, so that the contact is exact.
        let (u, w) = (self.below(5) as f64 / 4.0, self.below(5) as f64 / 4.0);
        let weights = match features {
            Features::VertexFace => [1.0, 1.0 - u - w * (1.0 - u), u, w * (1.0 - u)],
            Features::EdgeEdge => [1.0 - u, u, 1.0 - w, w],
        };
        let axis = self.below(3) as usize;
        Self::join(features, &mut start, &weights, [0.0; 3], 0.0);
        // The last digit of 1, also if the coordinate is 0.
        match self.below(4) {
            0 => start[0][axis] += f64::EPSILON,
            1 => start[0][axis] -= f64::EPSILON,
            _ => {}
        }
        if self.chance(2) {
            (start, end)
        } else {
            (end, start)
        }
    }

    fn thin(&mut self, features: Features) -> (Points, Points) {
        let (mut start, mut end) = (self.points(), self.points());
        let (from, to, base) = match features {
            Features::VertexFace => (1, 2, 1),
            Features::EdgeEdge => (0, 1, 2),
        };
        let mut narrow = |p: &mut Points| {
            let (along, width, noise) = (self.signed(), self.tiny(-17.0, -2.0), self.vector());
            let edge = plus(p[to], p[from], -1.0);
            p[3] = plus(plus(p[base], edge, 2.0 * along), noise, width);
        };
        narrow(&mut start);
        narrow(&mut end);
        (start, end)
    }

    fn collapsed(&mut self, features: Features) -> (Points, Points) {
        let (mut start, mut end) = if self.chance(2) {
            self.lattice()
        } else {
            self.graze(features)
        };
        let (i, j) = match features {
            Features::VertexFace => [(1, 2), (1, 3), (2, 3)][self.below(3) as usize],
            Features::EdgeEdge => [(0, 1), (2, 3)][self.below(2) as usize],
        };
        match self.below(3) {
            0 => start[i] = start[j],
            1 => end[i] = end[j],
            _ => (start[i], end[i]) = (start[j], end[j]),
        }
        if self.chance(4) {
            (start[3], end[3]) = (start[2], end[2]);
        }
        (start, end)
    }

    fn sliding(&mut self, features: Features) -> (Points, Points) {
        let mut start = self.points();
        let weights = self.weights(features);
        let normal = Self::normal(features, &start);
        let gap = self.tiny(-16.5, -14.5);
        Self::join(features, &mut start, &weights, normal, gap);
        // Along the plane: all of side A in common, side B not at all or in common.
        let (x, y) = (unit(cross(normal, [0.6, 0.0, 0.8])), self.vector());
        let along = cross(normal, x);
        let slide = plus(x.map(|k| k * y[0]), along, y[1]);
        let drift = if self.chance(2) {
            self.vector()
        } else {
            [0.0; 3]
        };
        let n = Self::first(features);
        let end = std::array::from_fn(|i| {
            plus(
                plus(start[i], drift, 1.0),
                slide,
                if i < n { 1.0 } else { 0.0 },
            )
        });
        (start, end)
    }

    fn slow(&mut self, features: Features) -> (Points, Points) {
        let (start, _) = self.graze(features);
        let speed = self.tiny(-17.0, -6.0);
        let change = self.points();
        let end = std::array::from_fn(|i| plus(start[i], change[i], speed));
        (start, end)
    }
}
