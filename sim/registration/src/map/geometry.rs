//! Geometry of a map: predicates of darts, centres, and the visibility of a cell from its centre.
//!
//! The three predicates of dimension 3 are signed distances from planes through the visibility
//! centre V, the face's centre F and the ends S, S' of the dart; within the map's tolerance they
//! are 0. They replace all plane names of Pitiot 2015, chapters 4 and 7, which contradict each
//! other in their orientations. Pure functions, no allocation.

use hapticd_geometry::Vec3;

use super::{Cell, Dart, Map, NONE, ON_SURFACE, Space, Vertex};

/// A cell that is not fully visible from its centre.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("cell {cell} is not star-shaped: {measure:e} at dart {dart}")]
pub struct Invalid {
    /// Its index.
    pub cell: u32,
    /// The dart with the worst measure.
    pub dart: u32,
    /// The measure, which is not positive: twice a triangle's area in a plane, m², or six times a
    /// tetrahedron's volume, m³. NaN if coordinates have overflowed.
    pub measure: f64,
}

/// Why vertices were not moved. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MoveError {
    /// There is no such vertex.
    #[error("there is no vertex {vertex}")]
    NoVertex {
        /// Its index.
        vertex: u32,
    },
    /// The new position is NaN or infinite.
    #[error("vertex {vertex} cannot go to {to:?}")]
    NotFinite {
        /// Its index.
        vertex: u32,
        /// The given position, m.
        to: [f64; 3],
    },
    /// The new position is outside the plane of a [`Space::Plane`].
    #[error("vertex {vertex} is in the plane z = {plane_m} and cannot go to z = {z_m}")]
    OffPlane {
        /// Its index.
        vertex: u32,
        /// Height of the plane, m.
        plane_m: f64,
        /// The given height, m.
        z_m: f64,
    },
}

/// Returns six times the volume of the tetrahedron `a b c p`: positive if `p` is on the side of the
/// normal `(b - a) x (c - a)`.
#[inline]
pub(crate) fn volume6(a: &Vec3, b: &Vec3, c: &Vec3, p: &Vec3) -> f64 {
    (b - a).cross(&(c - a)).dot(&(p - a))
}

/// Returns the sign of the distance of `p` from the plane through `a b c`, 0 within `tolerance`.
#[inline]
fn side(a: &Vec3, b: &Vec3, c: &Vec3, p: &Vec3, tolerance: f64) -> i32 {
    let normal = (b - a).cross(&(c - a));
    let volume = normal.dot(&(p - a));
    if volume * volume <= tolerance * tolerance * normal.norm_squared() {
        0
    } else if volume > 0.0 {
        1
    } else {
        -1
    }
}

impl Map {
    /// Returns V, F, S, S' of a dart.
    #[inline]
    pub(crate) fn tetrahedron(&self, d: Dart) -> [Vec3; 4] {
        [
            self.centre(self.cell(d)),
            self.face_centre(d),
            self.start(d),
            self.start(self.phi1(d)),
        ]
    }

    /// Returns 1 if `p` lies further along `phi1` in the face's fan than the start of `d`, -1 if it
    /// lies behind.
    #[inline]
    pub(crate) fn ahead(&self, d: Dart, p: &Vec3) -> i32 {
        let v = self.centre(self.cell(d));
        side(
            &v,
            &self.face_centre(d),
            &self.start(d),
            p,
            self.tolerance_m,
        )
    }

    /// Returns 1 if `p` is beyond the plane through the centre and the edge, on the other face's
    /// side; -1 if on this face's.
    #[inline]
    pub(crate) fn past_edge(&self, d: Dart, p: &Vec3) -> i32 {
        let v = self.centre(self.cell(d));
        let end = self.start(self.phi1(d));
        side(&v, &end, &self.start(d), p, self.tolerance_m)
    }

    /// Returns 1 if `p` is outside, beyond the facet of `d`; -1 if inside.
    #[inline]
    pub(crate) fn past_face(&self, d: Dart, p: &Vec3) -> i32 {
        let end = self.start(self.phi1(d));
        side(
            &self.start(d),
            &end,
            &self.face_centre(d),
            p,
            self.tolerance_m,
        )
    }

    /// In a plane: returns how far `p` is on the inner side of the line of `d`, m.
    #[inline]
    pub(crate) fn inside_of(&self, d: Dart, p: &Vec3) -> f64 {
        let (s, e) = (self.start(d), self.start(self.phi1(d)));
        let along = e - s;
        let q = p - s;
        (along.x * q.y - along.y * q.x) / along.xy().norm()
    }

    /// Returns [`Map::inside_of`] times the length of the edge, m², and the square of that length,
    /// m². It needs no square root.
    #[inline]
    pub(crate) fn turn_of(&self, d: Dart, p: &Vec3) -> (f64, f64) {
        let (s, e) = (self.start(d), self.start(self.phi1(d)));
        let along = e - s;
        let q = p - s;
        (along.x * q.y - along.y * q.x, along.xy().norm_squared())
    }

    /// Returns whether `p` is in `T(d)`, its sides included.
    pub(crate) fn holds(&self, d: Dart, p: &Vec3) -> bool {
        if self.solid() {
            return self.ahead(d, p) >= 0
                && self.ahead_of_end(d, p) <= 0
                && self.past_edge(d, p) <= 0
                && self.past_face(d, p) <= 0;
        }
        let [v, _, s, e] = self.tetrahedron(d);
        let normal = (s - v).cross(&(e - v));
        let n2 = normal.norm();
        if n2 == 0.0 {
            return false;
        }
        let within = |a: &Vec3, b: &Vec3| {
            (b - a).cross(&(p - a)).dot(&normal) >= -self.tolerance_m * n2 * (b - a).norm()
        };
        let off = normal.dot(&(p - v)).abs() <= ON_SURFACE * self.tolerance_m * n2;
        off && within(&v, &s) && within(&s, &e) && within(&e, &v)
    }

    /// [`Map::ahead`] for the dart's end, in its own facet.
    #[inline]
    pub(crate) fn ahead_of_end(&self, d: Dart, p: &Vec3) -> i32 {
        let v = self.centre(self.cell(d));
        let end = self.start(self.phi1(d));
        side(&v, &self.face_centre(d), &end, p, self.tolerance_m)
    }

    /// Returns whether a leaf holds `p`, its sides included. Visits all its darts.
    #[must_use]
    pub fn cell_holds(&self, c: Cell, p: &Vec3) -> bool {
        self.cell_darts(c).any(|d| self.holds(d, p))
    }

    /// Checks that a leaf is fully visible from its centre: all its tetrahedra are positive (Pitiot
    /// 2015, section 7.2). On a surface the triangles must not be turned against their cell.
    ///
    /// # Errors
    /// The dart with the worst measure.
    pub fn validity(&self, c: Cell) -> Result<(), Invalid> {
        let mut worst: Option<(f64, Dart)> = None;
        let normal = self.normal(c);
        for d in self.cell_darts(c) {
            let [v, f, s, e] = self.tetrahedron(d);
            let measure = match self.space {
                Space::Volume => volume6(&v, &s, &e, &f),
                Space::Plane => (s - v).cross(&(e - v)).z,
                Space::Surface => (s - v).cross(&(e - v)).dot(&normal),
            };
            if worst.is_none_or(|(w, _)| !(measure >= w)) {
                worst = Some((measure, d));
            }
        }
        match worst {
            Some((measure, d)) if !(measure > 0.0) => Err(Invalid {
                cell: c.0,
                dart: d.0,
                measure,
            }),
            _ => Ok(()),
        }
    }

    /// Returns whether a face of a plane is convex. A straight corner counts as convex, because a
    /// finer neighbour may have its vertex there.
    pub(crate) fn cell_is_convex(&self, c: Cell) -> bool {
        self.cell_darts(c).all(|d| {
            let before = self.phi_1(d);
            let end = self.start(self.phi1(d));
            self.inside_of(before, &end) >= -self.tolerance_m
        })
    }

    /// Returns the direction of a face's area vector; zero in dimension 3.
    pub(crate) fn normal(&self, c: Cell) -> Vec3 {
        if self.solid() {
            return Vec3::zeros();
        }
        let v = self.centre(c);
        let sum: Vec3 = self
            .cell_darts(c)
            .map(|d| (self.start(d) - v).cross(&(self.start(self.phi1(d)) - v)))
            .sum();
        let length = sum.norm();
        if length > 0.0 { sum / length } else { sum }
    }

    /// Places the centre of a leaf at the mean of its corners.
    pub(crate) fn refresh_centre(&mut self, c: Cell) {
        self.cores[c.index()].centre = self.mean_of_corners(c);
        self.refresh_inner(c);
    }

    /// Finds the largest box around a leaf's centre, with the proportions of its bounding box, that
    /// is inside the planes of all its facets (in dimension 2, the lines of its edges).
    ///
    /// The intersection of these half-spaces is convex and visible from the whole cell, and so is
    /// the box. For a cube it is the whole cube. On a surface there is none.
    pub(crate) fn refresh_inner(&mut self, c: Cell) {
        if self.space != Space::Surface {
            let (inner, towards) = self.inner_of(c);
            self.cores[c.index()].inner = inner;
            self.records[c.index()].towards = towards;
        }
    }

    /// Returns that box's half sides, m, and a dart of the face furthest along -x, x, -y, y, -z, z.
    pub(crate) fn inner_of(&self, c: Cell) -> (Vec3, [u32; 6]) {
        let centre = self.centre(c);
        let (mut low, mut high) = (centre, centre);
        for d in self.cell_darts(c) {
            low = low.inf(&self.start(d));
            high = high.sup(&self.start(d));
        }
        let half = (high - low) * 0.5;
        let mut share = f64::INFINITY;
        let (mut towards, mut furthest) = ([NONE; 6], [0.0; 6]);
        for d in self.cell_darts(c) {
            let [v, f, s, e] = self.tetrahedron(d);
            if self.solid() {
                let off = (f - v).component_div(&half);
                let axis = off.iamax();
                let i = 2 * axis + usize::from(off[axis] > 0.0);
                if off[axis].abs() > furthest[i] {
                    (towards[i], furthest[i]) = (d.0, off[axis].abs());
                }
            }
            let outward = match self.space {
                Space::Volume => (e - s).cross(&(f - s)),
                _ => Vec3::new(e.y - s.y, s.x - e.x, 0.0),
            };
            // NaN is not a share, and results in no box.
            let to_side = outward.dot(&(s - v)) / outward.abs().dot(&half);
            share = if to_side < share || to_side.is_nan() {
                to_side
            } else {
                share
            };
        }
        let inner = half * share - Vec3::repeat(4.0 * self.tolerance_m);
        (inner, towards)
    }

    /// If sides are possibly not flat, refreshes the boxes of the cells around the edges of a leaf
    /// that was just refined or merged.
    pub(crate) fn refresh_inner_around(&mut self, c: Cell) {
        if !self.bent || self.space == Space::Surface {
            return;
        }
        let head = self.cells.head(c.0);
        let mut d = head;
        loop {
            let mut around = self.edges.head(self.edges.of(d));
            let first = around;
            loop {
                self.refresh_inner(Cell(self.cells.of(around)));
                around = self.edges.after(around);
                if around == first {
                    break;
                }
            }
            d = self.cells.after(d);
            if d == head {
                return;
            }
        }
    }

    /// Places the centre of a dart's face at the mean of its corners. Only those of its own level
    /// count, so that vertices of finer neighbours on its edges do not shift it.
    pub(crate) fn refresh_face(&mut self, d: Dart) {
        let level = |d: Dart| self.cell_level(self.cell(d));
        let own = level(d).max(level(self.phi3(d)));
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        let mut at = d;
        loop {
            if self.dart_level(at) <= own {
                sum += self.start(at);
                count += 1.0;
            }
            at = self.phi1(at);
            if at == d {
                break;
            }
        }
        self.face_centres[self.faces.of(d.0) as usize] = sum / count;
    }

    /// Places the centres of all faces around a vertex at the means of their corners.
    pub(crate) fn refresh_faces_at(&mut self, v: Vertex) {
        if !self.solid() {
            return;
        }
        let head = self.vertices.head(v.0);
        let mut d = head;
        loop {
            self.refresh_face(Dart(d));
            d = self.vertices.after(d);
            if d == head {
                return;
            }
        }
    }

    /// Returns the barycentric coordinates of a point in the triangle `(V, S, S')`.
    pub(crate) fn shares(&self, d: Dart, p: &Vec3) -> [f64; 3] {
        let [v, _, s, e] = self.tetrahedron(d);
        let normal = (s - v).cross(&(e - v));
        let n2 = normal.norm_squared();
        if n2 == 0.0 {
            return [1.0, 0.0, 0.0];
        }
        let share = |a: &Vec3, b: &Vec3| (b - a).cross(&(p - a)).dot(&normal) / n2;
        let (of_s, of_e) = (share(&e, &v), share(&v, &s));
        [1.0 - of_s - of_e, of_s, of_e]
    }

    /// Returns the point of the triangle `(V, S, S')` with these coordinates.
    pub(crate) fn at_shares(&self, d: Dart, shares: [f64; 3]) -> Vec3 {
        let [v, _, s, e] = self.tetrahedron(d);
        v * shares[0] + s * shares[1] + e * shares[2]
    }

    /// Returns whether any face deviates from a plane by more than ten tolerances; in dimension 2,
    /// whether space is curved.
    pub(crate) fn is_bent(&self) -> bool {
        match self.space {
            Space::Plane => false,
            Space::Surface => true,
            Space::Volume => self.all_faces().any(|f| {
                let d = Dart(self.faces.head(f.0));
                let next = self.phi1(d);
                let normal = (self.start(next) - self.start(d))
                    .cross(&(self.start(self.phi1(next)) - self.start(d)));
                let off = |p: Vec3| normal.dot(&(p - self.start(d))).abs();
                let limit = 10.0 * self.tolerance_m * normal.norm();
                self.face_darts(f).any(|x| off(self.start(x)) > limit)
            }),
        }
    }

    /// Checks whether a vertex may be moved to a position.
    pub(crate) fn check_move(&self, v: Vertex, to: &Vec3) -> Result<(), MoveError> {
        let vertex = v.0;
        if self.vertices.head(v.0) == NONE {
            return Err(MoveError::NoVertex { vertex });
        }
        if !to.iter().all(|x| x.is_finite()) {
            return Err(MoveError::NotFinite {
                vertex,
                to: [to.x, to.y, to.z],
            });
        }
        let plane_m = self.position(v).z;
        if self.space == Space::Plane && to.z != plane_m {
            let z_m = to.z;
            return Err(MoveError::OffPlane {
                vertex,
                plane_m,
                z_m,
            });
        }
        Ok(())
    }

    /// Records whether these cells have ceased to be convex.
    pub(crate) fn lose_convexity(&mut self, changed: &[Cell]) {
        self.convex = self.convex && changed.iter().all(|&c| self.cell_is_convex(c));
    }

    /// Moves a vertex. The centres of faces and cells around it are stale until they are refreshed.
    pub(crate) fn place_vertex(&mut self, v: Vertex, to: Vec3) {
        self.positions[v.index()] = to;
        self.bent = true;
    }
}
