//! Combinatorial maps of dimension 2 and 3 that are refined and coarsened in place: the mesh that
//! represents space.
//!
//! # Theory
//! A map is a set of darts with three links (Pitiot 2015, section 3.1): `phi1` to the next dart of
//! the oriented face, `phi2` to the adjacent face of the same volume, `phi3` to the adjacent
//! volume. A dart's start, edge, face and volume are its *orbits*. In each volume darts run
//! counter-clockwise around each face seen from outside; in a plane, counter-clockwise seen from
//! +z.
//!
//! **Boundary by fixed points**: where nothing is adjacent, `phi2(d) = d` (dimension 2) or
//! `phi3(d) = d` (dimension 3). The source's library closes the map with marked darts instead.
//! Fixed points need no outside. The cells of an outside would have as many darts as the boundary,
//! and every refinement at the boundary would rewrite them.
//!
//! **Levels are implicit** (section 3.2.2): only the finest level is stored. Each dart has the
//! level at which it was inserted. Edges and the faces of volumes have labels, by which coarser
//! levels are walked ([`levels`](self)). Only primal schemes: old vertices stay. Between two levels
//! the coarse cell has extra vertices on its edges and extra faces, never a gap. So all code here
//! accepts faces of any degree and cells with any number of faces.
//!
//! **Geometry** is per dart. In dimension 3 it is the tetrahedron `T(d) = (V, F, S, S')` of the
//! volume's visibility centre, the face's centre, and the dart's ends; in dimension 2 the triangle
//! `(V, S, S')`. Both sides of a face share `F`, so all these fit without gap or overlap
//! ("well-centred" cells, section 7.2). When a cell is refined its centres are stored, not
//! recomputed. The four parts of a face get theirs on the old facets, so refinement moves no
//! boundary.
//!
//! # Practice
//! | object | lifetime | cost |
//! |---|---|---|
//! | [`Map`] | of the scene | about 90 bytes a dart, 24 darts a hexahedron |
//! | [`Marks`] | one for each map | 8 bytes a cell and vertex |
//! | [`Cell`], [`Vertex`], [`Dart`] | until the cell is refined or merged | indices; those of removed items are reused |
//!
//! Refining and coarsening reuse what earlier ones released. They do not allocate once the map has
//! reached its largest size, or after [`Map::reserve`]. Deterministic: the same calls give the same
//! indices. No threads, no I/O.

mod build;
mod coarsen;
mod cut;
mod geometry;
mod grid;
mod levels;
mod orbits;
mod refine;
mod ring;
mod validate;

pub use build::{BuildError, MAX_CELLS};
pub use coarsen::CoarsenError;
pub use geometry::{Invalid, MoveError};
pub use grid::{GridError, cubes};
pub use refine::{MAX_LEVEL, RefineError};
pub use ring::Marks;
pub use validate::Fault;

use hapticd_geometry::Vec3;
use orbits::Orbits;

/// Absent dart or cell.
pub(crate) const NONE: u32 = u32::MAX;

/// Distance from a surface, in tolerances, up to which a point counts as on it.
pub(crate) const ON_SURFACE: f64 = 1e3;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// Returns its index in a table of attributes.
            #[inline]
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}
number!(
    /// The only primitive of a map: a corner of a cell.
    Dart
);
number!(
    /// A 0-cell.
    Vertex
);
number!(
    /// A 1-cell.
    Edge
);
number!(
    /// A 2-cell of a map of dimension 3.
    Face
);
number!(
    /// A cell of the map's own dimension: a face in dimension 2, a volume in dimension 3. Refined
    /// cells, which have children instead of darts, are included.
    Cell
);

/// Kind of space that a map represents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Faces in a plane of constant z, counter-clockwise seen from +z and fully visible from their
    /// centres.
    Plane,
    /// Faces of an oriented surface in space.
    Surface,
    /// Volumes.
    Volume,
}

/// How a cell is refined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Into 4, by joining the midpoints of its edges.
    Triangle,
    /// Into 4, around its centre.
    Quad,
    /// Into 8, around its centre.
    Hexahedron,
    /// Not at all.
    Other,
}

/// Data of a cell that every move reads. Stored separately, so that many cells fit the nearest
/// caches.
#[derive(Clone, Copy, Debug)]
struct Core {
    centre: Vec3,
    /// Half the sides of a box around the centre, m, on the inner side of the planes of all facets.
    /// Positions in it need no test, and the straight path there from anywhere in the cell stays in
    /// the cell. Negative if there is none; for leaves only.
    inner: Vec3,
}

#[derive(Clone, Copy, Debug)]
struct CellRecord {
    /// In dimension 3: a dart of the face that lies furthest along -x, x, -y, y, -z, z, as far as
    /// it still exists.
    towards: [u32; 6],
    parent: u32,
    children: [u32; 8],
    level: u8,
    shape: Shape,
    alive: bool,
}

/// A combinatorial map with its geometry. See the [module](self).
#[derive(Clone, Debug)]
pub struct Map {
    space: Space,
    tolerance_m: f64,
    phi1: Vec<u32>,
    phi_1: Vec<u32>,
    phi2: Vec<u32>,
    phi3: Vec<u32>,
    level: Vec<u8>,
    edge_label: Vec<u8>,
    face_label: Vec<u8>,
    obstacle: Vec<bool>,
    /// Scratch marks for refinement.
    dying: Vec<bool>,
    free_darts: Vec<u32>,
    vertices: Orbits,
    edges: Orbits,
    faces: Orbits,
    cells: Orbits,
    positions: Vec<Vec3>,
    face_centres: Vec<Vec3>,
    records: Vec<CellRecord>,
    /// As many as records.
    cores: Vec<Core>,
    free_cells: Vec<u32>,
    leaves: usize,
    obstacles: usize,
    convex: bool,
    /// Sides are possibly not flat. Then an operation on a cell can move the boundary of its
    /// neighbour a little.
    bent: bool,
    work: cut::Work,
}

impl Map {
    /// Returns the kind of its cells.
    #[must_use]
    pub fn space(&self) -> Space {
        self.space
    }

    /// Returns whether the cells are volumes.
    #[inline]
    pub(crate) fn solid(&self) -> bool {
        self.space == Space::Volume
    }

    /// Returns whether all cells are known to be convex: in a plane, as long as no deformation has
    /// produced a non-convex one.
    #[inline]
    #[must_use]
    pub fn is_convex(&self) -> bool {
        self.convex
    }

    /// Returns the distance, m, below which a point counts as on a plane, line or point. It is a
    /// billionth of the shortest edge from which the map was built.
    #[must_use]
    pub fn tolerance_m(&self) -> f64 {
        self.tolerance_m
    }

    /// Returns the next dart of the face.
    #[inline]
    #[must_use]
    pub fn phi1(&self, d: Dart) -> Dart {
        Dart(self.phi1[d.index()])
    }

    /// Returns the previous dart of the face.
    #[inline]
    #[must_use]
    pub fn phi_1(&self, d: Dart) -> Dart {
        Dart(self.phi_1[d.index()])
    }

    /// Returns the dart across the edge, in the same volume; `d` itself on the boundary of a map of
    /// dimension 2.
    #[inline]
    #[must_use]
    pub fn phi2(&self, d: Dart) -> Dart {
        Dart(self.phi2[d.index()])
    }

    /// Returns the dart across the face; `d` itself on the boundary, and in dimension 2.
    #[inline]
    #[must_use]
    pub fn phi3(&self, d: Dart) -> Dart {
        Dart(self.phi3[d.index()])
    }

    /// Returns the dart across the cell's side: `phi2` in dimension 2, `phi3` in dimension 3. `d`
    /// itself on the boundary.
    #[inline]
    #[must_use]
    pub fn beyond(&self, d: Dart) -> Dart {
        if self.solid() {
            self.phi3(d)
        } else {
            self.phi2(d)
        }
    }

    /// Returns the vertex at which the dart starts.
    #[inline]
    #[must_use]
    pub fn vertex(&self, d: Dart) -> Vertex {
        Vertex(self.vertices.of(d.0))
    }

    /// Returns the dart's edge.
    #[inline]
    #[must_use]
    pub fn edge(&self, d: Dart) -> Edge {
        Edge(self.edges.of(d.0))
    }

    /// Returns the dart's face; in dimension 2 it has the index of its [`Cell`].
    #[inline]
    #[must_use]
    pub fn face(&self, d: Dart) -> Face {
        Face(if self.solid() {
            self.faces.of(d.0)
        } else {
            self.cells.of(d.0)
        })
    }

    /// Returns the dart's cell: a face in dimension 2, a volume in dimension 3.
    #[inline]
    #[must_use]
    pub fn cell(&self, d: Dart) -> Cell {
        Cell(self.cells.of(d.0))
    }

    /// Returns the level at which the dart was inserted.
    #[inline]
    #[must_use]
    pub fn dart_level(&self, d: Dart) -> u8 {
        self.level[d.index()]
    }

    /// Returns whether the dart exists.
    #[must_use]
    pub fn has_dart(&self, d: Dart) -> bool {
        self.phi1.get(d.index()).is_some_and(|&n| n != NONE)
    }

    /// Returns the position of a vertex, m.
    #[inline]
    #[must_use]
    pub fn position(&self, v: Vertex) -> Vec3 {
        self.positions[v.index()]
    }

    /// Returns the position at which a dart starts, m.
    #[inline]
    #[must_use]
    pub fn start(&self, d: Dart) -> Vec3 {
        self.positions[self.vertices.of(d.0) as usize]
    }

    /// Returns the centre F of the dart's face, m; in dimension 2 that of its cell.
    #[inline]
    #[must_use]
    pub fn face_centre(&self, d: Dart) -> Vec3 {
        if self.solid() {
            self.face_centres[self.faces.of(d.0) as usize]
        } else {
            self.centre(self.cell(d))
        }
    }

    /// Returns the visibility centre V of a cell, m.
    #[inline]
    #[must_use]
    pub fn centre(&self, c: Cell) -> Vec3 {
        self.cores[c.index()].centre
    }

    /// Returns whether a point is in the box well inside a leaf, around its centre.
    ///
    /// Then every straight path to it from within the leaf is inside the leaf as well and needs no
    /// test, whatever the leaf's shape and sides. Ignores z in dimension 2.
    #[inline]
    pub(crate) fn well_inside(&self, c: Cell, p: &Vec3) -> bool {
        let Core { centre, inner } = &self.cores[c.index()];
        let off = (p - centre).abs();
        off.x < inner.x && off.y < inner.y && (!self.solid() || off.z < inner.z)
    }

    /// In dimension 3: returns a dart of the leaf of `d` from which to search for a goal that is
    /// not well inside; `d` if none is known.
    #[inline]
    pub(crate) fn start_dart(&self, d: Dart, goal: &Vec3) -> Dart {
        let c = self.cell(d);
        let record = &self.records[c.index()];
        let Core { centre, inner } = &self.cores[c.index()];
        let off = (goal - centre).component_div(inner);
        let axis = off.iamax();
        let known = record.towards[2 * axis + usize::from(off[axis] > 0.0)];
        if known != NONE && self.cells.of(known) == c.0 {
            Dart(known)
        } else {
            d
        }
    }

    /// Returns a cell's level; 0 for the cells from which the map was built.
    #[inline]
    #[must_use]
    pub fn cell_level(&self, c: Cell) -> u8 {
        self.records[c.index()].level
    }

    /// Returns how a cell is refined.
    #[must_use]
    pub fn shape(&self, c: Cell) -> Shape {
        self.records[c.index()].shape
    }

    /// Returns whether the cell exists and has darts, so is not refined.
    #[inline]
    #[must_use]
    pub fn is_leaf(&self, c: Cell) -> bool {
        self.cells.head(c.0) != NONE
    }

    /// Returns whether the cell exists, refined or not.
    #[must_use]
    pub fn has_cell(&self, c: Cell) -> bool {
        self.records.get(c.index()).is_some_and(|r| r.alive)
    }

    /// Returns the cell of which this one is a part.
    #[must_use]
    pub fn parent(&self, c: Cell) -> Option<Cell> {
        let parent = self.records[c.index()].parent;
        (parent != NONE).then_some(Cell(parent))
    }

    /// Returns the parts of a refined cell: 4 or 8; none for a leaf.
    pub fn children(&self, c: Cell) -> impl Iterator<Item = Cell> + Clone + use<> {
        let children = self.records[c.index()].children;
        children.into_iter().filter(|&c| c != NONE).map(Cell)
    }

    /// Returns a dart of a leaf.
    ///
    /// # Panics
    /// If the cell is not a leaf.
    #[inline]
    #[must_use]
    pub fn dart(&self, c: Cell) -> Dart {
        let dart = self.cells.head(c.0);
        assert!(dart != NONE, "cell {} is not a leaf", c.0);
        Dart(dart)
    }

    /// Returns all leaves, in rising order.
    pub fn leaves(&self) -> impl Iterator<Item = Cell> + '_ {
        self.cells.ids().map(Cell)
    }

    /// Returns the number of leaves.
    #[must_use]
    pub fn leaf_count(&self) -> usize {
        self.leaves
    }

    /// Returns one more than the highest index that a cell has had: the length of a table by cells.
    #[must_use]
    pub fn cell_slots(&self) -> usize {
        self.records.len()
    }

    /// Returns all vertices, in rising order.
    pub fn all_vertices(&self) -> impl Iterator<Item = Vertex> + '_ {
        self.vertices.ids().map(Vertex)
    }

    /// Returns all edges, in rising order.
    pub fn all_edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.edges.ids().map(Edge)
    }

    /// Returns all faces, in rising order.
    pub fn all_faces(&self) -> impl Iterator<Item = Face> + '_ {
        let orbits = if self.solid() {
            &self.faces
        } else {
            &self.cells
        };
        orbits.ids().map(Face)
    }

    /// Returns all darts, in rising order.
    pub fn all_darts(&self) -> impl Iterator<Item = Dart> + '_ {
        (0..self.phi1.len() as u32)
            .map(Dart)
            .filter(|&d| self.has_dart(d))
    }

    /// Returns the darts that start at a vertex, each once.
    #[inline]
    pub fn vertex_darts(&self, v: Vertex) -> impl Iterator<Item = Dart> + '_ {
        self.vertices.darts(v.0).map(Dart)
    }

    /// Returns the darts of an edge, each once.
    #[inline]
    pub fn edge_darts(&self, e: Edge) -> impl Iterator<Item = Dart> + '_ {
        self.edges.darts(e.0).map(Dart)
    }

    /// Returns the darts of a face, both sides, each once.
    #[inline]
    pub fn face_darts(&self, f: Face) -> impl Iterator<Item = Dart> + '_ {
        let orbits = if self.solid() {
            &self.faces
        } else {
            &self.cells
        };
        orbits.darts(f.0).map(Dart)
    }

    /// Returns the darts of a leaf, each once: its tetrahedra or triangles `T(d)`.
    #[inline]
    pub fn cell_darts(&self, c: Cell) -> impl Iterator<Item = Dart> + '_ {
        self.cells.darts(c.0).map(Dart)
    }

    /// Returns whether moving objects may not cross the dart's side (an edge in dimension 2, a face
    /// in dimension 3). The boundary is not an obstacle, since nothing is beyond it.
    #[inline]
    #[must_use]
    pub fn is_obstacle(&self, d: Dart) -> bool {
        self.obstacle[d.index()]
    }

    /// Returns whether any side is an obstacle.
    #[inline]
    #[must_use]
    pub fn has_obstacles(&self) -> bool {
        self.obstacles > 0
    }

    /// Marks the dart's side as an obstacle from both cells, or removes the mark. The parts of a
    /// refined side inherit the mark; a merged side is an obstacle if any part was.
    pub fn set_obstacle(&mut self, d: Dart, is: bool) {
        let mut at = d;
        loop {
            self.mark_obstacle(at, is);
            let beyond = self.beyond(at);
            if beyond != at {
                self.mark_obstacle(beyond, is);
            }
            at = self.phi1(at);
            if !self.solid() || at == d {
                return;
            }
        }
    }

    /// Marks all sides of a leaf, so that nothing can enter or leave; or removes the marks.
    pub fn set_obstacle_cell(&mut self, c: Cell, is: bool) {
        let mut at = self.cells.head(c.0);
        let head = at;
        while at != NONE {
            self.set_obstacle(Dart(at), is);
            at = self.cells.after(at);
            if at == head {
                return;
            }
        }
    }

    fn mark_obstacle(&mut self, d: Dart, is: bool) {
        let mark = &mut self.obstacle[d.index()];
        match (*mark, is) {
            (false, true) => self.obstacles += 1,
            (true, false) => self.obstacles -= 1,
            _ => {}
        }
        *mark = is;
    }

    /// Reserves capacity for this many darts, vertices and cells in total. Up to there refinement
    /// does not allocate.
    pub fn reserve(&mut self, darts: usize, vertices: usize, cells: usize) {
        let more = |len: usize, wanted: usize| wanted.saturating_sub(len);
        for list in [
            &mut self.phi1,
            &mut self.phi_1,
            &mut self.phi2,
            &mut self.phi3,
            &mut self.free_darts,
        ] {
            list.reserve(more(list.len(), darts));
        }
        for list in [&mut self.level, &mut self.edge_label, &mut self.face_label] {
            list.reserve(more(list.len(), darts));
        }
        for list in [&mut self.obstacle, &mut self.dying] {
            list.reserve(more(list.len(), darts));
        }
        self.vertices.reserve(darts, vertices);
        self.edges.reserve(darts, darts);
        if self.solid() {
            self.faces.reserve(darts, darts);
            self.face_centres
                .reserve(more(self.face_centres.len(), darts / 3));
        }
        self.cells.reserve(darts, cells);
        self.positions.reserve(more(self.positions.len(), vertices));
        self.records.reserve(more(self.records.len(), cells));
        self.cores.reserve(more(self.cores.len(), cells));
        self.free_cells.reserve(more(self.free_cells.len(), cells));
    }
}
