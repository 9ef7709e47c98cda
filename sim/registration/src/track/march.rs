//! The exact cells that a segment crosses.
//!
//! Marches from tetrahedron to tetrahedron, or triangle to triangle, through the side where the
//! barycentric coordinate vanishes first. All `T(d)` together fit without gap. So the result is the
//! cells that the segment really crosses, both in convex cells and in those that are only fully
//! visible from their centres. The walk of [`super::volume`] names others: on 44 of 100 segments of
//! two cells' length. No allocation.

use hapticd_geometry::Vec3;

use crate::map::{Cell, Dart, Map, Space};

/// Most tetrahedra or triangles of one march.
pub(super) const MAX_STEPS: u32 = 16_384;

/// How a march ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Path {
    /// The end is in `T` of this dart.
    Reached(Dart),
    /// It ended at the boundary, or at an obstacle where obstacles count.
    Blocked {
        /// Dart of the side.
        dart: Dart,
        /// Share of the path covered, 0 to 1.
        share: f64,
    },
    /// On a curved surface: no path along the plane section leads to the end.
    Apart,
    /// It reached the limit on steps, 16 384 unless stated otherwise. Then the path is that long
    /// or, except on curved surfaces, cells are inverted. Also the result of [`Map::march`] on a
    /// curved surface.
    Lost,
}

/// What ends a march before its goal.
#[derive(Clone, Copy)]
pub(crate) struct MarchLimits {
    /// Whether obstacles do.
    obstacles: bool,
    /// Maximum number of steps.
    steps: u32,
}

impl MarchLimits {
    /// A number of steps; obstacles do not count.
    pub(crate) const fn steps(steps: u32) -> Self {
        Self {
            obstacles: false,
            steps,
        }
    }

    /// A number of steps, or an obstacle.
    pub(crate) const fn obstacles(steps: u32) -> Self {
        Self {
            obstacles: true,
            steps,
        }
    }
}

impl Map {
    /// Marches along the segment from `a`, in the cell of `d`, to `b`, m, and calls `visit` with
    /// every cell that it enters, including the first. A cell that it re-enters is reported again.
    ///
    /// Obstacles do not count. Not for a [`Space::Surface`]: see [`Map::march_between`].
    pub fn march(&self, d: Dart, a: &Vec3, b: &Vec3, visit: impl FnMut(Cell)) -> Path {
        self.march_to(d, [a, b], MarchLimits::steps(MAX_STEPS), visit)
    }

    /// As [`Map::march`], along the segment between two points, within limits.
    pub(crate) fn march_to(
        &self,
        d: Dart,
        [a, b]: [&Vec3; 2],
        limits: MarchLimits,
        mut visit: impl FnMut(Cell),
    ) -> Path {
        if self.space() == Space::Surface {
            return Path::Lost;
        }
        let mut d = self.facet_at(d, a);
        visit(self.cell(d));
        let sides = if self.solid() { 4 } else { 3 };
        let mut entered = sides;
        for _ in 0..limits.steps {
            let (from, to) = (self.coordinates(d, a), self.coordinates(d, b));
            let mut exit: Option<(f64, usize)> = None;
            for i in 0..sides {
                let fall = from[i] - to[i];
                if i == entered || !(fall > 0.0) {
                    continue;
                }
                let t = from[i] / fall;
                if exit.is_none_or(|(least, _)| t < least) {
                    exit = Some((t, i));
                }
            }
            let Some((t, i)) = exit.filter(|&(t, _)| t < 1.0) else {
                return Path::Reached(d);
            };
            let outward = i == 0;
            let next = match (i, self.solid()) {
                (0, _) => self.beyond(d),
                (1, true) => self.phi2(d),
                (1, false) | (2, true) => self.phi1(d),
                _ => self.phi_1(d),
            };
            if outward && (next == d || (limits.obstacles && self.is_obstacle(d))) {
                let share = t.clamp(0.0, 1.0);
                return Path::Blocked { dart: d, share };
            }
            // The side through which it enters has the same name beyond, except for S and S'.
            entered = match (i, self.solid()) {
                (0, _) | (1, true) => i,
                (1, false) => 2,
                (2, false) => 1,
                (2, true) => 3,
                _ => 2,
            };
            d = next;
            if outward {
                visit(self.cell(d));
            }
        }
        Path::Lost
    }

    /// Returns coordinates of `p` in `T(d)`, up to scale: how far inside it is of the sides
    /// opposite to V, F, S, S', in this order; to V, S, S' in a plane. Affine in `p`, negative
    /// outside.
    #[inline]
    pub(crate) fn coordinates(&self, d: Dart, p: &Vec3) -> [f64; 4] {
        let [v, f, s, e] = self.tetrahedron(d);
        if !self.solid() {
            let turn = |a: &Vec3, b: &Vec3| (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x);
            return [turn(&s, &e), turn(&e, &v), turn(&v, &s), 0.0];
        }
        let (q, s, e, f) = (p - v, s - v, e - v, f - v);
        [
            -(e - s).cross(&(f - s)).dot(&(q - s)),
            -e.cross(&s).dot(&q),
            -f.cross(&e).dot(&q),
            f.cross(&s).dot(&q),
        ]
    }
}
