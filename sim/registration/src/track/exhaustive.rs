//! The fallback: a search of all darts, one after the other.

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::point_triangle;

use crate::map::{Cell, Dart, Map};

impl Map {
    /// Returns the dart of a tetrahedron or triangle that holds `p`: searches the cell of `d`, then
    /// its ring, then everything.
    pub(crate) fn search(&self, d: Dart, p: &Vec3) -> Option<Dart> {
        let within = |c: Cell| self.cell_darts(c).find(|&x| self.holds(x, p));
        let here = self.cell(d);
        within(here)
            .or_else(|| {
                self.cell_darts(here)
                    .flat_map(|x| self.vertex_darts(self.vertex(x)))
                    .find_map(|x| within(self.cell(x)))
            })
            .or_else(|| self.all_darts().find(|&x| self.holds(x, p)))
    }

    /// On a surface: returns the triangle of the cell of `d` or of its ring that holds `p`, and
    /// `p`. If none does, returns the nearest one, and the nearest point on it.
    pub(crate) fn nearest_around(&self, d: Dart, p: &Vec3) -> (Dart, Vec3) {
        let here = self.cell(d);
        let cells = || {
            let ring = self
                .cell_darts(here)
                .flat_map(|x| self.vertex_darts(self.vertex(x)))
                .map(|x| self.cell(x));
            std::iter::once(here).chain(ring)
        };
        let darts = || cells().flat_map(|c| self.cell_darts(c));
        if let Some(x) = darts().find(|&x| self.holds(x, p)) {
            return (x, *p);
        }
        let mut nearest = (f64::INFINITY, d, *p);
        for x in darts() {
            let [v, _, s, e] = self.tetrahedron(x);
            let on = point_triangle(p, &[v, s, e]).0;
            let off = (on - p).norm_squared();
            if off < nearest.0 {
                nearest = (off, x, on);
            }
        }
        (nearest.1, nearest.2)
    }

    /// Returns whether a segment crosses a leaf. Visits all its darts.
    pub(crate) fn crosses(&self, c: Cell, a: &Vec3, b: &Vec3) -> bool {
        self.cell_darts(c)
            .filter_map(|d| self.stretch(d, a, b))
            .any(|(low, high)| low < high)
    }

    /// Returns the part of the segment from `a` to `b` inside `T(d)`, as shares of its length;
    /// `None` if they do not meet.
    pub(crate) fn stretch(&self, d: Dart, a: &Vec3, b: &Vec3) -> Option<(f64, f64)> {
        let (from, to) = (self.coordinates(d, a), self.coordinates(d, b));
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for i in 0..if self.solid() { 4 } else { 3 } {
            let fall = from[i] - to[i];
            if from[i] < 0.0 && to[i] < 0.0 {
                return None;
            }
            if fall > 0.0 {
                high = high.min(from[i] / fall);
            } else if fall < 0.0 {
                low = low.max(from[i] / fall);
            }
        }
        (low <= high).then_some((low, high))
    }
}
