//! Refinement of a leaf: quad into 4, triangle into 4, hexahedron into 8.
//!
//! Pitiot 2015, section 6.2: cuts every edge that is not yet cut, splits every face that is not yet
//! split, and splits the volume around its centre. Edges and faces that a finer neighbour has
//! already cut are used as they are, however far that neighbour has cut them. The cost is the
//! number of darts of the cell and of those around its edges.

use hapticd_geometry::Vec3;

use super::{Cell, CellRecord, Core, Dart, Map, NONE, Shape, Space};

/// The finest level that a cell can have: lengths shrink by a factor of a million.
pub const MAX_LEVEL: u8 = 20;

/// Why a cell was not refined. All of these are the caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefineError {
    /// There is no such cell, or it is already refined.
    #[error("cell {cell} is not a leaf")]
    NotLeaf {
        /// Its index.
        cell: u32,
    },
    /// The cell is neither a triangle nor a quad nor a hexahedron.
    #[error("cell {cell} is neither a triangle nor a quad nor a hexahedron")]
    Shape {
        /// Its index.
        cell: u32,
    },
    /// The cell is at the finest level.
    #[error("cell {cell} is at level {level}; the maximum is {MAX_LEVEL}")]
    Finest {
        /// Its index.
        cell: u32,
        /// Its level.
        level: u8,
    },
}

/// Corner darts of a hexahedron: four in each of six faces.
const CORNERS: usize = 24;

impl Map {
    /// Checks whether [`Map::refine`] would accept it.
    ///
    /// # Errors
    /// See [`RefineError`].
    pub fn can_refine(&self, c: Cell) -> Result<(), RefineError> {
        let cell = c.0;
        if !self.is_leaf(c) {
            return Err(RefineError::NotLeaf { cell });
        }
        let record = &self.records[c.index()];
        if record.shape == Shape::Other {
            return Err(RefineError::Shape { cell });
        }
        if record.level >= MAX_LEVEL {
            let level = record.level;
            return Err(RefineError::Finest { cell, level });
        }
        Ok(())
    }

    /// Refines a leaf into its [`Map::children`]: child `i` is at its corner `i` (a triangle's last
    /// one is in its middle).
    ///
    /// Darts are added and none is removed. Children are one level deeper. Those of a cell that is
    /// far from convex may not be fully visible from their centres: [`Map::validity`] tells.
    ///
    /// # Errors
    /// See [`RefineError`]; then nothing has changed.
    pub fn refine(&mut self, c: Cell) -> Result<(), RefineError> {
        self.can_refine(c)?;
        let level = self.cell_level(c) + 1;
        match self.shape(c) {
            Shape::Quad => self.refine_quad(c, level),
            Shape::Triangle => self.refine_triangle(c, level),
            Shape::Hexahedron => self.refine_hexahedron(c, level),
            Shape::Other => {}
        }
        self.leaves -= 1;
        for child in self.children(c) {
            self.refresh_inner(child);
            self.refresh_inner_around(child);
        }
        Ok(())
    }

    /// Returns a cell's darts that are older than those its refinement inserts, in order: the
    /// corners of a face.
    pub(crate) fn corners<const N: usize>(&self, c: Cell) -> [Dart; N] {
        let level = self.cell_level(c);
        let first = self
            .cell_darts(c)
            .find(|&d| self.dart_level(d) <= level)
            .unwrap_or(Dart(self.cells.head(c.0)));
        let mut at = first;
        std::array::from_fn(|_| {
            let corner = at;
            at = self.next_at(level, at);
            corner
        })
    }

    /// Cuts the edge at a corner in the middle, unless it is already cut.
    fn cut_at(&mut self, corner: Dart, level: u8) {
        let end = self.next_at(level - 1, corner);
        if self.vertex(self.phi1(corner)) == self.vertex(end) {
            let middle = (self.start(corner) + self.start(end)) * 0.5;
            self.cut_edge(corner, level, middle);
        }
    }

    fn refine_quad(&mut self, c: Cell, level: u8) {
        let corners: [Dart; 4] = self.corners(c);
        for corner in corners {
            self.cut_at(corner, level);
        }
        let middles = corners.map(|corner| self.next_at(level, corner));
        self.split_quad(corners, middles, level, self.centre(c));
        for (i, corner) in corners.into_iter().enumerate() {
            let child = self.new_child(c, i, level);
            self.assign_side(corner, child.0);
            self.cores[child.index()].centre = if self.space() == Space::Surface {
                // On the fold from the corner to the middle, so that the surface does not change.
                (self.start(corner) + self.centre(c)) * 0.5
            } else {
                self.mean_of_corners(child)
            };
        }
    }

    fn refine_triangle(&mut self, c: Cell, level: u8) {
        let corners: [Dart; 3] = self.corners(c);
        for corner in corners {
            self.cut_at(corner, level);
        }
        let middles = corners.map(|corner| self.next_at(level, corner));
        let inner = self.split_triangle(corners, middles, level);
        for (i, d) in corners.into_iter().chain([inner]).enumerate() {
            let child = self.new_child(c, i, level);
            self.assign_side(d, child.0);
            self.cores[child.index()].centre = self.mean_of_corners(child);
        }
    }

    fn refine_hexahedron(&mut self, c: Cell, level: u8) {
        let mut corners = [Dart(0); CORNERS];
        let mut count = 0;
        for d in self.cell_darts(c) {
            if self.dart_level(d) < level && count < CORNERS {
                corners[count] = d;
                count += 1;
            }
        }
        for corner in corners {
            self.cut_at(corner, level);
        }
        for corner in corners {
            let round = self.round(corner, level - 1);
            // A face that is already split has its corners in four faces.
            if self.face(corner) == self.face(round[1]) {
                let middles = round.map(|d| self.next_at(level, d));
                let centre = self.face_centre(corner);
                self.split_quad(round, middles, level, centre);
            }
        }
        self.split_hexahedron(c, &corners, level);
    }

    /// Returns the four corners of a face at a level.
    pub(crate) fn round(&self, corner: Dart, level: u8) -> [Dart; 4] {
        let mut at = corner;
        std::array::from_fn(|_| {
            let d = at;
            at = self.next_at(level, at);
            d
        })
    }

    /// Puts twelve new faces between the eight parts, after all faces have been split into four.
    ///
    /// Take each corner dart `c` in face `a`; let its edge have the middle `M` and the other face
    /// `b`. The part at the start of `c` gets one side of the new face `(M, F_a, V, F_b)`, which
    /// runs from `F_a` to `M` to `F_b` to `V`. The part at its end gets the other side, through the
    /// corner dart of `b` along the same edge.
    fn split_hexahedron(&mut self, c: Cell, corners: &[Dart; CORNERS], level: u8) {
        let centre = self.centre(c);
        let find = |d: Dart| corners.iter().position(|&x| x == d).unwrap_or(0);
        let coarse = level - 1;
        let mut next = [0; CORNERS];
        let mut previous = [0; CORNERS];
        let mut across = [0; CORNERS];
        for i in 0..CORNERS {
            next[i] = find(self.next_at(coarse, corners[i]));
            previous[next[i]] = i;
            across[i] = find(self.across_at(coarse, corners[i]));
        }
        // The darts from the middle of an edge to the centre of a face, and from there to the
        // middle of the previous edge.
        let inward = corners.map(|d| self.next_at(level, d));
        let outward = inward.map(|d| self.next_at(level, d));
        let mut work = std::mem::take(&mut self.work);
        // Both sides of the darts to be glued to the edges between parts.
        for i in 0..CORNERS {
            work.inner.clear();
            self.parts_at(level, inward[i], |part| work.inner.push(part.0));
            for &x in &work.inner {
                let x = Dart(x);
                let y = self.phi2(x);
                let near = self.new_dart(self.dart_level(y));
                let far = self.new_dart(self.dart_level(x));
                let (start, end) = (self.vertices.of(x.0), self.vertices.of(y.0));
                self.vertices.assign(near.0, end);
                self.vertices.assign(far.0, start);
                let edge = self.edges.of(x.0);
                let label = self.edge_label[x.index()];
                for d in [near, far] {
                    // No face's label yet, so that walks around this edge pass by.
                    self.face_label[d.index()] = u8::MAX;
                    self.edges.assign(d.0, edge);
                    self.edge_label[d.index()] = label;
                }
                self.link2(x, near);
                self.link2(y, far);
                self.link3(near, far);
            }
        }
        let middle = self.new_vertex(centre);
        let to_centre: [Dart; CORNERS] = std::array::from_fn(|_| self.new_dart(level));
        let from_centre: [Dart; CORNERS] = std::array::from_fn(|_| self.new_dart(level));
        for i in 0..CORNERS {
            // The corner dart of the other face at the same corner: its path back to the edge's
            // middle is the other end of the new face.
            let other = next[across[i]];
            let face_middle = self.vertices.of(outward[other].0);
            // From F_a to M.
            work.inner.clear();
            self.parts_at(level, inward[i], |part| work.inner.push(part.0));
            let mut last = from_centre[i];
            for k in (0..work.inner.len()).rev() {
                let d = Dart(self.phi2[work.inner[k] as usize]);
                self.link1(last, d);
                last = d;
            }
            // From M to F_b.
            work.inner.clear();
            self.parts_at(level, outward[other], |part| work.inner.push(part.0));
            for k in (0..work.inner.len()).rev() {
                let d = Dart(self.phi2[work.inner[k] as usize]);
                self.link1(last, d);
                last = d;
            }
            self.link1(last, to_centre[i]);
            self.link1(to_centre[i], from_centre[i]);
            self.vertices.assign(to_centre[i].0, face_middle);
            self.vertices.assign(from_centre[i].0, middle);
        }
        self.work = work;
        for i in 0..CORNERS {
            let far = across[i];
            self.link3(to_centre[i], from_centre[far]);
            // The new face of the previous edge, at the same corner, has the same path to F_a.
            let before = across[previous[i]];
            self.link2(from_centre[i], to_centre[before]);
        }
        self.number_inner(corners, &across, &from_centre, &to_centre, level);
        self.number_parts(c, corners, level);
    }

    /// Numbers edges from the centre and faces between the parts, and sets their labels.
    fn number_inner(
        &mut self,
        corners: &[Dart; CORNERS],
        across: &[usize; CORNERS],
        from_centre: &[Dart; CORNERS],
        to_centre: &[Dart; CORNERS],
        level: u8,
    ) {
        for i in 0..CORNERS {
            if self.edges.of(from_centre[i].0) == NONE {
                let edge = self.edges.create();
                // All around the edge: alternately across it and to the next part.
                let mut d = from_centre[i];
                loop {
                    self.edges.assign(d.0, edge);
                    d = self.phi2(d);
                    self.edges.assign(d.0, edge);
                    d = self.phi3(d);
                    if d == from_centre[i] {
                        break;
                    }
                }
            }
            if self.faces.of(to_centre[i].0) == NONE {
                let [a, b] = [corners[i], corners[across[i]]].map(|d| self.face_label[d.index()]);
                let label = (0..3).find(|l| *l != a && *l != b).unwrap_or(0);
                let face = self.new_face(Vec3::zeros());
                let (mut sum, mut count) = (Vec3::zeros(), 0.0);
                let mut d = to_centre[i];
                loop {
                    for side in [d, self.phi3(d)] {
                        self.faces.assign(side.0, face);
                        self.face_label[side.index()] = label;
                    }
                    // Not where a finer neighbour has cut an edge.
                    if self.dart_level(d) <= level {
                        sum += self.start(d);
                        count += 1.0;
                    }
                    d = self.phi1(d);
                    if d == to_centre[i] {
                        break;
                    }
                }
                self.face_centres[face as usize] = sum / count;
            }
        }
    }

    /// Makes the eight parts children.
    fn number_parts(&mut self, c: Cell, corners: &[Dart; CORNERS], level: u8) {
        let mut count = 0;
        for &corner in corners {
            if self.cells.of(corner.0) != c.0 {
                continue;
            }
            let child = self.new_child(c, count, level);
            count += 1;
            // Follows all links: a finer neighbour may have split the outer faces further.
            self.assign_volume(corner, child.0);
            self.cores[child.index()].centre = self.mean_of_corners(child);
        }
    }

    /// Returns the mean of a leaf's vertices at its own level, m.
    pub(crate) fn mean_of_corners(&self, c: Cell) -> Vec3 {
        let level = self.cell_level(c);
        let (mut sum, mut count) = (Vec3::zeros(), 0.0);
        // In dimension 3 each corner counts once for each of its faces there: three times in cells
        // that can be refined.
        for d in self.cell_darts(c) {
            if self.dart_level(d) <= level {
                sum += self.start(d);
                count += 1.0;
            }
        }
        sum / count
    }

    /// Creates a cell without darts as the parent's child number `i`.
    pub(crate) fn new_child(&mut self, parent: Cell, i: usize, level: u8) -> Cell {
        let shape = self.shape(parent);
        let child = self.new_cell(parent.0, level, shape);
        self.records[parent.index()].children[i] = child.0;
        child
    }

    pub(crate) fn new_cell(&mut self, parent: u32, level: u8, shape: Shape) -> Cell {
        let core = Core {
            centre: Vec3::zeros(),
            inner: Vec3::repeat(-1.0),
        };
        let record = CellRecord {
            towards: [NONE; 6],
            parent,
            children: [NONE; 8],
            level,
            shape,
            alive: true,
        };
        self.leaves += 1;
        if let Some(c) = self.free_cells.pop() {
            self.records[c as usize] = record;
            self.cores[c as usize] = core;
            return Cell(c);
        }
        self.records.push(record);
        self.cores.push(core);
        let c = self.records.len() as u32 - 1;
        self.cells.admit(c);
        if self.free_cells.capacity() < self.records.capacity() {
            // All may be released at once, which must not allocate then.
            self.free_cells.reserve(self.records.capacity());
        }
        Cell(c)
    }
}
