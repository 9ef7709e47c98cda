//! Building maps from meshes: triangles, quads, any polygons; tetrahedra and hexahedra.
//!
//! A mesh is accepted if it is a quasi-manifold: at most two cells at a side, oriented alike, and
//! around every vertex one fan of cells. Others are refused with the indices of the fault. Vertices
//! that no cell uses are dropped. Allocates; not for a real-time thread.

use std::collections::HashMap;

use hapticd_geometry::Vec3;

use super::orbits::Orbits;
use super::{Cell, Dart, Map, NONE, Shape, Space};

/// Most cells from which a map is built.
pub const MAX_CELLS: usize = 1 << 22;

/// Why a mesh does not form a map. All of these are the fault of the mesh's author; the numbers are
/// indices into the input.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// There is no cell.
    #[error("the mesh has no cells")]
    Empty,
    /// More than [`MAX_CELLS`], or twice as many vertices.
    #[error("the mesh has {count} {what}, the limit is {limit}")]
    TooMany {
        /// "cells" or "vertices".
        what: &'static str,
        /// The count.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A cell refers to a vertex that does not exist.
    #[error("cell {cell} refers to vertex {index}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// Index of the cell.
        cell: usize,
        /// The invalid index.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
    },
    /// A cell has fewer than three corners, or one of them twice.
    #[error("cell {cell} has {corners} corners, only {different} distinct")]
    Degenerate {
        /// Index of the cell.
        cell: usize,
        /// Number of corners.
        corners: usize,
        /// Number of different corners.
        different: usize,
    },
    /// Two cells run along a side in the same direction, or more than two cells share it.
    #[error("cells {first} and {second} have the side at {vertices:?} both in the same direction")]
    Side {
        /// The cell that came first.
        first: usize,
        /// The other cell.
        second: usize,
        /// Two or three vertices of that side.
        vertices: [u32; 3],
    },
    /// The cells around a vertex do not all connect through sides at it.
    #[error("the cells around vertex {vertex} form {groups} groups, not one")]
    Pinched {
        /// Index of the vertex.
        vertex: u32,
        /// Number of groups.
        groups: usize,
    },
    /// A cell is inverted, or not fully visible from its centre. The measure is an area, m², for a
    /// plane, and six times a tetrahedron's volume, m³, for volumes.
    #[error("cell {cell} is inside out or not star-shaped about its centre: {measure:e}")]
    Inverted {
        /// Index of the cell.
        cell: usize,
        /// The measure, which is not positive.
        measure: f64,
    },
}

/// Faces of a tetrahedron `0 1 2 3`, counter-clockwise seen from outside. Corner 3 is behind the
/// outward normal of the other three.
const TETRAHEDRON: [&[usize]; 4] = [&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[2, 0, 3]];
/// Faces of a hexahedron: `0 1 2 3` below, counter-clockwise seen from above, `4 5 6 7` above them.
const HEXAHEDRON: [&[usize]; 6] = [
    &[0, 3, 2, 1],
    &[4, 5, 6, 7],
    &[0, 1, 5, 4],
    &[1, 2, 6, 5],
    &[2, 3, 7, 6],
    &[3, 0, 4, 7],
];

impl Map {
    /// Builds a map of faces, each given by any number of corners in order.
    ///
    /// It is a [`Space::Plane`] if all have the same z, counter-clockwise; otherwise a
    /// [`Space::Surface`].
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn from_faces<'a>(
        positions: &[Vec3],
        faces: impl IntoIterator<Item = &'a [u32]>,
    ) -> Result<Map, BuildError> {
        let faces: Vec<&[u32]> = faces.into_iter().collect();
        check(positions, faces.len(), &faces)?;
        let flat = faces
            .iter()
            .flat_map(|f| f.iter())
            .all(|&v| positions[v as usize].z == positions[faces[0][0] as usize].z);
        let space = if flat { Space::Plane } else { Space::Surface };
        let mut builder = Builder::new(space, positions);
        for face in &faces {
            let shape = match face.len() {
                3 => Shape::Triangle,
                4 => Shape::Quad,
                _ => Shape::Other,
            };
            let cell = builder.map.new_cell(NONE, 0, shape);
            builder.face(face, cell);
        }
        builder.glue_edges()?;
        builder.finish()
    }

    /// Builds a map of quads. See [`Map::from_faces`].
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn from_quads(positions: &[Vec3], quads: &[[u32; 4]]) -> Result<Map, BuildError> {
        Map::from_faces(positions, quads.iter().map(|q| &q[..]))
    }

    /// Builds a map of triangles. See [`Map::from_faces`].
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn from_triangles(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<Map, BuildError> {
        Map::from_faces(positions, triangles.iter().map(|t| &t[..]))
    }

    /// Builds a map of hexahedra: corners `0 1 2 3` counter-clockwise seen from above, `4 5 6 7`
    /// above them. They need not be convex, but must be fully visible from their centres.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn from_hexahedra(positions: &[Vec3], cells: &[[u32; 8]]) -> Result<Map, BuildError> {
        volumes(positions, cells, Shape::Hexahedron, &HEXAHEDRON)
    }

    /// Builds a map of tetrahedra: corners `0 1 2` counter-clockwise seen from corner `3`. They
    /// cannot be refined.
    ///
    /// # Errors
    /// See [`BuildError`].
    pub fn from_tetrahedra(positions: &[Vec3], cells: &[[u32; 4]]) -> Result<Map, BuildError> {
        volumes(positions, cells, Shape::Other, &TETRAHEDRON)
    }
}

fn volumes<const N: usize>(
    positions: &[Vec3],
    cells: &[[u32; N]],
    shape: Shape,
    faces: &[&[usize]],
) -> Result<Map, BuildError> {
    check(positions, cells.len(), cells)?;
    let mut builder = Builder::new(Space::Volume, positions);
    let mut corners = Vec::new();
    for of in cells {
        let cell = builder.map.new_cell(NONE, 0, shape);
        let first = builder.map.phi1.len();
        for face in faces {
            corners.clear();
            corners.extend(face.iter().map(|&i| of[i]));
            builder.face(&corners, cell);
        }
        builder.glue_faces_of_cell(first);
    }
    builder.glue_cells()?;
    builder.finish()
}

fn check<C: AsRef<[u32]>>(positions: &[Vec3], count: usize, cells: &[C]) -> Result<(), BuildError> {
    if cells.is_empty() {
        return Err(BuildError::Empty);
    }
    for (what, count, limit) in [
        ("cells", count, MAX_CELLS),
        ("vertices", positions.len(), 2 * MAX_CELLS),
    ] {
        if count > limit {
            return Err(BuildError::TooMany { what, count, limit });
        }
    }
    let vertices = positions.len();
    if let Some(vertex) = positions
        .iter()
        .position(|p| !p.iter().all(|x| x.is_finite()))
    {
        return Err(BuildError::NotFinite { vertex });
    }
    for (cell, corners) in cells.iter().map(AsRef::as_ref).enumerate() {
        if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices) {
            return Err(BuildError::IndexOutOfRange {
                cell,
                index,
                vertices,
            });
        }
        let mut sorted = corners.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let (corners, different) = (corners.len(), sorted.len());
        if corners < 3 || different < corners {
            return Err(BuildError::Degenerate {
                cell,
                corners,
                different,
            });
        }
    }
    Ok(())
}

/// A map under construction: darts know the mesh's vertices; orbits follow last.
struct Builder<'a> {
    map: Map,
    positions: &'a [Vec3],
    /// For each dart: the mesh's vertex at which it starts.
    start: Vec<u32>,
}

impl<'a> Builder<'a> {
    fn new(space: Space, positions: &'a [Vec3]) -> Self {
        let map = Map {
            space,
            tolerance_m: 0.0,
            phi1: Vec::new(),
            phi_1: Vec::new(),
            phi2: Vec::new(),
            phi3: Vec::new(),
            level: Vec::new(),
            edge_label: Vec::new(),
            face_label: Vec::new(),
            obstacle: Vec::new(),
            dying: Vec::new(),
            free_darts: Vec::new(),
            vertices: Orbits::default(),
            edges: Orbits::default(),
            faces: Orbits::default(),
            cells: Orbits::external_ids(),
            positions: Vec::new(),
            face_centres: Vec::new(),
            records: Vec::new(),
            cores: Vec::new(),
            free_cells: Vec::new(),
            leaves: 0,
            obstacles: 0,
            convex: space == Space::Plane,
            bent: false,
            work: super::cut::Work::default(),
        };
        Builder {
            map,
            positions,
            start: Vec::new(),
        }
    }

    /// Adds one oriented face.
    fn face(&mut self, corners: &[u32], cell: Cell) {
        let first = self.map.phi1.len() as u32;
        for &v in corners {
            let d = self.map.new_dart(0);
            self.map.cells.assign(d.0, cell.0);
            self.start.push(v);
        }
        let count = corners.len() as u32;
        for i in 0..count {
            self.map
                .link1(Dart(first + i), Dart(first + (i + 1) % count));
        }
    }

    fn ends(&self, d: u32) -> (u32, u32) {
        let next = self.map.phi1[d as usize];
        (self.start[d as usize], self.start[next as usize])
    }

    /// Dimension 2: glues edges along which two faces run in opposite directions.
    fn glue_edges(&mut self) -> Result<(), BuildError> {
        let mut by_ends: HashMap<(u32, u32), u32> = HashMap::new();
        for d in 0..self.map.phi1.len() as u32 {
            let (a, b) = self.ends(d);
            if let Some(other) = by_ends.insert((a, b), d) {
                return Err(BuildError::Side {
                    first: self.map.cells.of(other) as usize,
                    second: self.map.cells.of(d) as usize,
                    vertices: [a, b, b],
                });
            }
        }
        for d in 0..self.map.phi1.len() as u32 {
            let (a, b) = self.ends(d);
            if let Some(&other) = by_ends.get(&(b, a)) {
                self.map.phi2[d as usize] = other;
            }
        }
        Ok(())
    }

    /// Dimension 3: glues the faces of the cell with darts from `first` on.
    fn glue_faces_of_cell(&mut self, first: usize) {
        let darts = first as u32..self.map.phi1.len() as u32;
        for d in darts.clone() {
            let (a, b) = self.ends(d);
            if let Some(other) = darts.clone().find(|&o| self.ends(o) == (b, a)) {
                self.map.phi2[d as usize] = other;
            }
        }
    }

    /// Dimension 3: glues faces that two cells have in opposite directions. The smallest vertex of
    /// a face and its two neighbours identify it.
    fn glue_cells(&mut self) -> Result<(), BuildError> {
        let map = &mut self.map;
        let mut by_corner: HashMap<[u32; 3], u32> = HashMap::new();
        let count = map.phi1.len() as u32;
        let least = |map: &Map, d: u32| -> bool {
            let mut at = map.phi1[d as usize];
            while at != d {
                if self.start[at as usize] < self.start[d as usize] {
                    return false;
                }
                at = map.phi1[at as usize];
            }
            true
        };
        let around = |map: &Map, d: u32| {
            [map.phi_1[d as usize], d, map.phi1[d as usize]].map(|x| self.start[x as usize])
        };
        for d in 0..count {
            if !least(map, d) {
                continue;
            }
            let vertices = around(map, d);
            if let Some(other) = by_corner.insert(vertices, d) {
                return Err(BuildError::Side {
                    first: map.cells.of(other) as usize,
                    second: map.cells.of(d) as usize,
                    vertices,
                });
            }
        }
        for d in 0..count {
            if !least(map, d) {
                continue;
            }
            let [before, here, after] = around(map, d);
            let Some(&other) = by_corner.get(&[after, here, before]) else {
                continue;
            };
            // The other one runs backwards: where `d` starts, the one before `other` ends.
            let (mut a, mut b) = (d, map.phi_1[other as usize]);
            loop {
                map.phi3[a as usize] = b;
                a = map.phi1[a as usize];
                b = map.phi_1[b as usize];
                if a == d {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Numbers the orbits, places centres, and checks the map.
    fn finish(mut self) -> Result<Map, BuildError> {
        let map = &mut self.map;
        let count = map.phi1.len() as u32;
        let mut number = vec![NONE; self.positions.len()];
        let mut groups = vec![0_usize; self.positions.len()];
        let mut orbit = Vec::new();
        for d in 0..count {
            if map.vertices.of(d) != NONE {
                continue;
            }
            let v = self.start[d as usize];
            groups[v as usize] += 1;
            map.vertex_orbit(Dart(d), &mut orbit);
            if number[v as usize] == NONE {
                number[v as usize] = map.new_vertex(self.positions[v as usize]);
            }
            for &x in &orbit {
                map.vertices.assign(x, number[v as usize]);
            }
        }
        if let Some(vertex) = groups.iter().position(|&g| g > 1) {
            return Err(BuildError::Pinched {
                vertex: vertex as u32,
                groups: groups[vertex],
            });
        }
        let mut shortest = f64::INFINITY;
        for d in 0..count {
            if map.edges.of(d) == NONE {
                let edge = map.edges.create();
                map.edge_orbit(Dart(d), &mut orbit);
                for &x in &orbit {
                    map.edges.assign(x, edge);
                }
            }
            if map.solid() && map.faces.of(d) == NONE {
                let face = map.new_face(Vec3::zeros());
                map.assign_face(Dart(d), face);
            }
            shortest = shortest.min((map.start(Dart(d)) - map.start(map.phi1(Dart(d)))).norm());
        }
        map.tolerance_m = 1e-9 * shortest;
        for f in map.faces.ids().collect::<Vec<_>>() {
            map.refresh_face(Dart(map.faces.head(f)));
        }
        for c in 0..map.records.len() as u32 {
            map.refresh_centre(Cell(c));
        }
        for c in 0..map.records.len() as u32 {
            if let Err(invalid) = map.validity(Cell(c)) {
                return Err(BuildError::Inverted {
                    cell: c as usize,
                    measure: invalid.measure,
                });
            }
        }
        self.map.bent = self.map.is_bent();
        self.map.convex &=
            (0..self.map.records.len() as u32).all(|c| self.map.cell_is_convex(Cell(c)));
        Ok(self.map)
    }
}
