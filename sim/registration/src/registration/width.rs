//! The distance up to which a cell's lists are complete.

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::{point_triangle, segment_segment};

use super::Registration;
use crate::map::{Cell, Dart, Map, Marks};

impl Registration {
    /// Returns the distance from a leaf to the nearest cell outside its ring, m; infinite if there
    /// is none.
    ///
    /// Anything with a point nearer than that to a point of the leaf is in its lists. The boundary
    /// does not count. Not for a real-time thread: it computes thousands of distances, and
    /// allocates.
    #[must_use]
    pub fn ring_width_m(&self, c: Cell) -> f64 {
        self.map.ring_width_m(c)
    }
}

impl Map {
    /// See [`Registration::ring_width_m`].
    #[must_use]
    pub fn ring_width_m(&self, c: Cell) -> f64 {
        let (mut marks, mut ring) = (Marks::default(), Vec::new());
        self.ring(c, &mut marks, &mut ring);
        // `marks` holds the cell and its ring: the lists end where their sides lead out.
        let mut least = f64::INFINITY;
        for &b in &ring {
            for d in self.cell_darts(b) {
                if marks.has(self.cell(self.beyond(d))) {
                    continue;
                }
                for own in self.cell_darts(c) {
                    least = least.min(self.gap_m(own, d));
                }
            }
        }
        least
    }

    /// Returns the distance between the facets (in dimension 2, the edges) of two darts, m. They do
    /// not cross.
    fn gap_m(&self, a: Dart, b: Dart) -> f64 {
        let ends = |d: Dart| [self.start(d), self.start(self.phi1(d))];
        let apart = |[p0, p1]: [Vec3; 2], [q0, q1]: [Vec3; 2]| {
            let (p, q, _, _) = segment_segment(&p0, &p1, &q0, &q1);
            (p - q).norm()
        };
        if !self.solid() {
            return apart(ends(a), ends(b));
        }
        let facet = |d: Dart| {
            let [s, e] = ends(d);
            [s, e, self.face_centre(d)]
        };
        let (p, q) = (facet(a), facet(b));
        let mut least = f64::INFINITY;
        for i in 0..3 {
            for j in 0..3 {
                least = least.min(apart([p[i], p[(i + 1) % 3]], [q[j], q[(j + 1) % 3]]));
            }
            least = least.min((point_triangle(&p[i], &q).0 - p[i]).norm());
            least = least.min((point_triangle(&q[i], &p).0 - q[i]).norm());
        }
        least
    }
}
