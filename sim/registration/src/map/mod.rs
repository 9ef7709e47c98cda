//! Combinatorial maps of dimension 2 and 3 that are refined and coarsened in place: the mesh that
//! space itself is.
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
//! Fixed points need no outside: its cells would have as many darts as the boundary, and every
//! refinement at the boundary would rewrite them.
//!
//! **Levels are implicit** (section 3.2.2): only the finest level is stored. Each dart has the
//! level it was inserted at, edges have labels and so have the faces of volumes, by which coarser
//! levels are walked ([`levels`](self)). Only primal schemes: old vertices stay. Between two levels
//! the coarse cell has extra vertices on its edges and extra faces, never a gap; so all code here
//! takes faces of any degree and cells of any number of faces.
//!
//! **Geometry** is per dart: in dimension 3 the tetrahedron `T(d) = (V, F, S, S')` of the volume's
//! visibility centre, the face's centre, and the dart's ends; in dimension 2 the triangle `(V, S,
//! S')`. Both sides of a face share `F`, so all these fit without gap or overlap ("well-centred"
//! cells, section 7.2). Centres are stored, not computed again, when a cell is refined: the four
//! parts of a face get theirs on the old facets, so refining moves no boundary.
//!
//! # Practice
//! | object | lifetime | cost |
//! |---|---|---|
//! | [`Map`] | of the scene | about 90 bytes a dart, 24 darts a hexahedron |
//! | [`Marks`] | one beside each map | 8 bytes a cell and vertex |
//! | [`Cell`], [`Vertex`], [`Dart`] | until the cell is refined or merged | numbers; numbers of what has gone are used again |
//!
//! Refining and coarsening take what earlier ones gave back and do not allocate once the map has
//! been as large as it gets, or when [`Map::reserve`] has been called. Deterministic: the same
//! calls give the same numbers. No threads, no I/O.

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

/// No dart, no cell.
pub(crate) const NONE: u32 = u32::MAX;

macro_rules! number {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub(crate) u32);

        impl $name {
            /// As an index of an attribute's table.
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
    /// A cell of the map's own dimension: a face in dimension 2, a volume in dimension 3. Also a
    /// cell that is refined, which has children instead of darts.
    Cell
);

/// What the cells of a map are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Faces in a plane of constant z, counter-clockwise seen from +z and seen whole from their
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
    /// Into 4, from midpoint to midpoint.
    Triangle,
    /// Into 4, around its centre.
    Quad,
    /// Into 8, around its centre.
    Hexahedron,
    /// Not at all.
    Other,
}

/// What every move looks at of a cell, apart from the rest so that many are close to the processor.
#[derive(Clone, Copy, Debug)]
struct Core {
    centre: Vec3,
    /// Half the sides of a box around the centre that is on the inner side of all facets' planes,
    /// m: no test is needed there, and from everywhere in the cell the straight way there is in the
    /// cell. Negative where there is none; of leaves.
    inner: Vec3,
}

#[derive(Clone, Copy, Debug)]
struct CellRecord {
    /// In dimension 3: a dart of the face that lies furthest along -x, x, -y, y, -z, z, as far as
    /// it is still there.
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
    /// For refinement, which marks what it visits.
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
    /// Sides may not be flat: what is done to a cell can move the boundary of the next one, by
    /// little.
    bent: bool,
    work: cut::Work,
}

impl Map {
    /// What its cells are.
    #[must_use]
    pub fn space(&self) -> Space {
        self.space
    }

    /// Whether the cells are volumes.
    #[inline]
    pub(crate) fn solid(&self) -> bool {
        self.space == Space::Volume
    }

    /// Whether all cells are known to be convex: in a plane, as long as no deformation has made one
    /// that is not.
    #[inline]
    #[must_use]
    pub fn is_convex(&self) -> bool {
        self.convex
    }

    /// Closer than this to a plane, line or point counts as on it, m. A billionth of the shortest
    /// edge that the map was built of.
    #[must_use]
    pub fn tolerance_m(&self) -> f64 {
        self.tolerance_m
    }

    /// The next dart of the face.
    #[inline]
    #[must_use]
    pub fn phi1(&self, d: Dart) -> Dart {
        Dart(self.phi1[d.index()])
    }

    /// The previous dart of the face.
    #[inline]
    #[must_use]
    pub fn phi_1(&self, d: Dart) -> Dart {
        Dart(self.phi_1[d.index()])
    }

    /// Across the edge, in the same volume; `d` itself on the boundary of a map of dimension 2.
    #[inline]
    #[must_use]
    pub fn phi2(&self, d: Dart) -> Dart {
        Dart(self.phi2[d.index()])
    }

    /// Across the face; `d` itself on the boundary, and in dimension 2.
    #[inline]
    #[must_use]
    pub fn phi3(&self, d: Dart) -> Dart {
        Dart(self.phi3[d.index()])
    }

    /// Across the cell's side: `phi2` in dimension 2, `phi3` in dimension 3. `d` itself on the
    /// boundary.
    #[inline]
    #[must_use]
    pub fn beyond(&self, d: Dart) -> Dart {
        if self.solid() {
            self.phi3(d)
        } else {
            self.phi2(d)
        }
    }

    /// The vertex that the dart starts at.
    #[inline]
    #[must_use]
    pub fn vertex(&self, d: Dart) -> Vertex {
        Vertex(self.vertices.of(d.0))
    }

    /// The dart's edge.
    #[inline]
    #[must_use]
    pub fn edge(&self, d: Dart) -> Edge {
        Edge(self.edges.of(d.0))
    }

    /// The dart's face; in dimension 2 it has the number of its [`Cell`].
    #[inline]
    #[must_use]
    pub fn face(&self, d: Dart) -> Face {
        Face(if self.solid() {
            self.faces.of(d.0)
        } else {
            self.cells.of(d.0)
        })
    }

    /// The dart's cell: a face in dimension 2, a volume in dimension 3.
    #[inline]
    #[must_use]
    pub fn cell(&self, d: Dart) -> Cell {
        Cell(self.cells.of(d.0))
    }

    /// The level that the dart was inserted at.
    #[inline]
    #[must_use]
    pub fn dart_level(&self, d: Dart) -> u8 {
        self.level[d.index()]
    }

    /// Whether there is such a dart.
    #[must_use]
    pub fn has_dart(&self, d: Dart) -> bool {
        self.phi1.get(d.index()).is_some_and(|&n| n != NONE)
    }

    /// Where a vertex is, m.
    #[inline]
    #[must_use]
    pub fn position(&self, v: Vertex) -> Vec3 {
        self.positions[v.index()]
    }

    /// Where a dart starts, m.
    #[inline]
    #[must_use]
    pub fn start(&self, d: Dart) -> Vec3 {
        self.positions[self.vertices.of(d.0) as usize]
    }

    /// The centre F of the dart's face, m; in dimension 2 that of its cell.
    #[inline]
    #[must_use]
    pub fn face_centre(&self, d: Dart) -> Vec3 {
        if self.solid() {
            self.face_centres[self.faces.of(d.0) as usize]
        } else {
            self.centre(self.cell(d))
        }
    }

    /// The visibility centre V of a cell, m.
    #[inline]
    #[must_use]
    pub fn centre(&self, c: Cell) -> Vec3 {
        self.cores[c.index()].centre
    }

    /// Whether a point is well inside a leaf, in the box around its centre that is. So is then
    /// every straight way there from within the leaf, which need not be looked at, however bent the
    /// leaf is and whatever its sides are. In dimension 2 z is not looked at.
    #[inline]
    pub(crate) fn well_inside(&self, c: Cell, p: &Vec3) -> bool {
        let Core { centre, inner } = &self.cores[c.index()];
        let off = (p - centre).abs();
        off.x < inner.x && off.y < inner.y && (!self.solid() || off.z < inner.z)
    }

    /// In dimension 3: a dart of the leaf of `d` to look for a goal from that is not well inside;
    /// `d` where none is known.
    #[inline]
    pub(crate) fn dart_towards(&self, d: Dart, goal: &Vec3) -> Dart {
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

    /// A cell's level; 0 for what the map was built of.
    #[inline]
    #[must_use]
    pub fn cell_level(&self, c: Cell) -> u8 {
        self.records[c.index()].level
    }

    /// How a cell is refined.
    #[must_use]
    pub fn shape(&self, c: Cell) -> Shape {
        self.records[c.index()].shape
    }

    /// Whether there is such a cell and it has darts: it is not refined.
    #[inline]
    #[must_use]
    pub fn is_leaf(&self, c: Cell) -> bool {
        self.cells.head(c.0) != NONE
    }

    /// Whether there is such a cell, refined or not.
    #[must_use]
    pub fn has_cell(&self, c: Cell) -> bool {
        self.records.get(c.index()).is_some_and(|r| r.alive)
    }

    /// The cell that this one is a part of.
    #[must_use]
    pub fn parent(&self, c: Cell) -> Option<Cell> {
        let parent = self.records[c.index()].parent;
        (parent != NONE).then_some(Cell(parent))
    }

    /// What a refined cell was refined into: 4 or 8; none for a leaf.
    pub fn children(&self, c: Cell) -> impl Iterator<Item = Cell> + Clone + use<> {
        let children = self.records[c.index()].children;
        children.into_iter().filter(|&c| c != NONE).map(Cell)
    }

    /// A dart of a leaf.
    ///
    /// # Panics
    /// If the cell is no leaf.
    #[inline]
    #[must_use]
    pub fn dart(&self, c: Cell) -> Dart {
        let dart = self.cells.head(c.0);
        assert!(dart != NONE, "cell {} is not a leaf", c.0);
        Dart(dart)
    }

    /// All leaves, by rising number.
    pub fn leaves(&self) -> impl Iterator<Item = Cell> + '_ {
        self.cells.ids().map(Cell)
    }

    /// How many leaves there are.
    #[must_use]
    pub fn leaf_count(&self) -> usize {
        self.leaves
    }

    /// One more than the highest number that a cell has had: the length of a table by cells.
    #[must_use]
    pub fn cell_slots(&self) -> usize {
        self.records.len()
    }

    /// All vertices, by rising number.
    pub fn all_vertices(&self) -> impl Iterator<Item = Vertex> + '_ {
        self.vertices.ids().map(Vertex)
    }

    /// All edges, by rising number.
    pub fn all_edges(&self) -> impl Iterator<Item = Edge> + '_ {
        self.edges.ids().map(Edge)
    }

    /// All faces, by rising number.
    pub fn all_faces(&self) -> impl Iterator<Item = Face> + '_ {
        let orbits = if self.solid() {
            &self.faces
        } else {
            &self.cells
        };
        orbits.ids().map(Face)
    }

    /// All darts, by rising number.
    pub fn all_darts(&self) -> impl Iterator<Item = Dart> + '_ {
        (0..self.phi1.len() as u32)
            .map(Dart)
            .filter(|&d| self.has_dart(d))
    }

    /// The darts that start at a vertex, each once.
    #[inline]
    pub fn vertex_darts(&self, v: Vertex) -> impl Iterator<Item = Dart> + '_ {
        self.vertices.darts(v.0).map(Dart)
    }

    /// The darts of an edge, each once.
    #[inline]
    pub fn edge_darts(&self, e: Edge) -> impl Iterator<Item = Dart> + '_ {
        self.edges.darts(e.0).map(Dart)
    }

    /// The darts of a face, both sides, each once.
    #[inline]
    pub fn face_darts(&self, f: Face) -> impl Iterator<Item = Dart> + '_ {
        let orbits = if self.solid() {
            &self.faces
        } else {
            &self.cells
        };
        orbits.darts(f.0).map(Dart)
    }

    /// The darts of a leaf, each once: its tetrahedra or triangles `T(d)`.
    #[inline]
    pub fn cell_darts(&self, c: Cell) -> impl Iterator<Item = Dart> + '_ {
        self.cells.darts(c.0).map(Dart)
    }

    /// Whether moving things may not cross the dart's side (an edge in dimension 2, a face in
    /// dimension 3). The boundary is no obstacle: there is nothing beyond.
    #[inline]
    #[must_use]
    pub fn is_obstacle(&self, d: Dart) -> bool {
        self.obstacle[d.index()]
    }

    /// Whether any side is an obstacle.
    #[inline]
    #[must_use]
    pub fn has_obstacles(&self) -> bool {
        self.obstacles > 0
    }

    /// Marks the dart's side as an obstacle, from both cells, or takes the mark away. The parts of
    /// a refined side are obstacles if it is; a merged one is if any part was.
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

    /// Marks all sides of a leaf, so that nothing gets in or out.
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

    /// Room for so many darts, vertices and cells altogether: until then refinement does not
    /// allocate.
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
