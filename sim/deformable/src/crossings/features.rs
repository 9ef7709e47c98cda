//! The vertices, edges and triangles of all surfaces, each in one list, with their positions before
//! and after the step.

use hapticd_geometry::Vec3;

use super::Crossing;

/// Kind of object that a surface belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    /// A sheet: it must go through nothing.
    Sheet,
    /// A deformable solid: it must not go through itself, nor sheets through it.
    Solid,
    /// A rigid body: sheets must not go through it.
    Rigid,
}

/// Description of a surface.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    /// Number of its vertices.
    pub vertices: usize,
    /// Corners of its triangles.
    pub triangles: &'a [[u32; 3]],
    /// Kind of object that it belongs to.
    pub nature: Nature,
}

/// A triangle refers to a vertex that does not exist. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("surface {surface}: triangle {triangle} refers to vertex {index}, there are {vertices}")]
pub struct MeshFault {
    /// Index of the surface in the list.
    pub surface: usize,
    /// Index of the triangle.
    pub triangle: usize,
    /// The invalid index.
    pub index: u32,
    /// Number of vertices.
    pub vertices: usize,
}

#[derive(Clone, Copy, Debug)]
struct Piece {
    nature: Nature,
    ghost: bool,
    first: u32,
    count: u32,
}

/// The features at each vertex, in one array.
#[derive(Clone, Debug, Default)]
struct Star {
    first: Vec<u32>,
    of: Vec<u32>,
}

impl Star {
    fn new<'a>(vertices: usize, features: impl Iterator<Item = &'a [u32]> + Clone) -> Self {
        let mut first = vec![0; vertices + 1];
        for v in features.clone().flatten() {
            first[*v as usize + 1] += 1;
        }
        for v in 0..vertices {
            first[v + 1] += first[v];
        }
        let mut next = first.clone();
        let mut of = vec![0; first[vertices] as usize];
        for (feature, corners) in (0..).zip(features) {
            for v in corners {
                of[next[*v as usize] as usize] = feature;
                next[*v as usize] += 1;
            }
        }
        Star { first, of }
    }

    fn at(&self, v: u32) -> &[u32] {
        &self.of[self.first[v as usize] as usize..self.first[v as usize + 1] as usize]
    }
}

/// An edge, with the third corner of one triangle at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub ends: [u32; 2],
    pub third: u32,
}

/// All features. See the [module documentation](self). Vertices, edges and triangles are numbered
/// across all surfaces.
#[derive(Clone, Debug, Default)]
pub(super) struct Features {
    pieces: Vec<Piece>,
    piece_of: Vec<u32>,
    pub before: Vec<Vec3>,
    pub after: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub edges: Vec<Edge>,
    triangles_at: Star,
    edges_at: Star,
}

impl Features {
    pub fn set(&mut self, surfaces: &[Surface<'_>]) -> Result<(), MeshFault> {
        *self = Features::default();
        let mut new = Features::default();
        for (number, surface) in surfaces.iter().enumerate() {
            let (first, count) = (new.piece_of.len() as u32, surface.vertices as u32);
            new.pieces.push(Piece {
                nature: surface.nature,
                ghost: false,
                first,
                count,
            });
            let surface_index = number as u32;
            (new.piece_of).extend(std::iter::repeat_n(surface_index, surface.vertices));
            for (triangle, corners) in surface.triangles.iter().enumerate() {
                if let Some(&index) = corners.iter().find(|v| **v >= count) {
                    return Err(MeshFault {
                        surface: number,
                        triangle,
                        index,
                        vertices: surface.vertices,
                    });
                }
                new.triangles.push(corners.map(|v| first + v));
            }
        }
        for &[a, b, c] in &new.triangles {
            for (i, j, third) in [(a, b, c), (b, c, a), (c, a, b)] {
                let ends = [i.min(j), i.max(j)];
                if i != j {
                    new.edges.push(Edge { ends, third });
                }
            }
        }
        new.edges.sort_unstable();
        new.edges.dedup_by_key(|edge| edge.ends);
        let vertices = new.piece_of.len();
        new.triangles_at = Star::new(vertices, new.triangles.iter().map(|t| &t[..]));
        new.edges_at = Star::new(vertices, new.edges.iter().map(|e| &e.ends[..]));
        let nowhere = Vec3::repeat(f64::NAN);
        new.before.resize(vertices, nowhere);
        new.after.resize(vertices, nowhere);
        *self = new;
        Ok(())
    }

    pub fn place(
        &mut self,
        surface: usize,
        before: impl Iterator<Item = Vec3>,
        after: impl Iterator<Item = Vec3>,
    ) {
        let Some(piece) = self.pieces.get(surface) else {
            return;
        };
        let all = piece.first as usize..(piece.first + piece.count) as usize;
        let nowhere = Vec3::repeat(f64::NAN);
        let rest = || std::iter::repeat(nowhere);
        for (to, p) in (self.before[all.clone()].iter_mut()).zip(before.chain(rest())) {
            *to = p;
        }
        for (to, p) in self.after[all].iter_mut().zip(after.chain(rest())) {
            *to = p;
        }
    }

    pub fn set_ghost(&mut self, surface: usize, ghost: bool) {
        if let Some(piece) = self.pieces.get_mut(surface) {
            piece.ghost = ghost;
        }
    }

    pub fn vertices(&self) -> u32 {
        self.piece_of.len() as u32
    }

    pub fn triangles_at(&self, v: u32) -> &[u32] {
        self.triangles_at.at(v)
    }

    pub fn edges_at(&self, v: u32) -> &[u32] {
        self.edges_at.at(v)
    }

    fn piece(&self, v: u32) -> &Piece {
        &self.pieces[self.piece_of[v as usize] as usize]
    }

    /// Whether a vertex belongs to a deformable surface that is not a ghost.
    pub fn yields(&self, v: u32) -> bool {
        let piece = self.piece(v);
        piece.nature != Nature::Rigid && !piece.ghost
    }

    /// Whether features at these vertices are to be tested against each other.
    pub fn watched(&self, v: u32, w: u32) -> bool {
        let (p, q) = (self.piece(v), self.piece(w));
        let natures = if p.first == q.first {
            p.nature != Nature::Rigid
        } else {
            p.nature == Nature::Sheet || q.nature == Nature::Sheet
        };
        natures && !p.ghost && !q.ghost
    }

    /// Surface of a vertex, and its index there.
    pub fn local(&self, v: u32) -> (u32, u32) {
        let surface = self.piece_of[v as usize];
        (surface, v - self.pieces[surface as usize].first)
    }

    /// Positions of three vertices before and after the step.
    pub fn way(&self, corners: [u32; 3]) -> [[Vec3; 3]; 2] {
        let [a, b, c] = corners.map(|v| v as usize);
        let at = |x: &[Vec3]| [x[a], x[b], x[c]];
        [at(&self.before), at(&self.after)]
    }

    /// Positions of both sides of a crossing, before and after the step.
    pub fn ways(&self, crossing: &Crossing) -> [[[Vec3; 3]; 2]; 2] {
        let first = crossing.surfaces.map(|s| self.pieces[s as usize].first);
        [(crossing.a, first[0]), (crossing.b, first[1])]
            .map(|(corners, first)| self.way(corners.map(|v| first + v)))
    }
}
