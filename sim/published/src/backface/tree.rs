//! Cones of a hierarchy of boxes.

use hapticd_ccd::{MeshIndex, ObbTree};
use hapticd_geometry::{MeshReport, TriMesh, Vec3};

use super::cone::{MAX_VECTORS, enclosing_cone};

/// Input of an inner box's cone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// The normals of all triangles below: the tightest cones.
    TopDown,
    /// The cones of its two children: faster to build, slightly less tight.
    BottomUp,
}

/// Reasons why cones cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConeError {
    /// The shape is a point, which has no faces.
    Point,
    /// The mesh is open or not consistently outward: a receding part may then still touch first.
    NotASolid {
        /// Edges with one face.
        boundary_edges: usize,
        /// Edges with three faces or more.
        non_manifold_edges: usize,
        /// Edges at which one of the two faces is inside out.
        misoriented_edges: usize,
    },
    /// The number of vectors per cone is out of range.
    BadSize {
        /// Number requested.
        most_vectors: usize,
    },
}

impl std::fmt::Display for ConeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Point => write!(f, "a point has no faces to cull"),
            Self::NotASolid {
                boundary_edges,
                non_manifold_edges,
                misoriented_edges,
            } => write!(
                f,
                "not a closed, outward solid ({boundary_edges} boundary, {non_manifold_edges} non-manifold, \
                 {misoriented_edges} misoriented edges): its back faces cannot be culled"
            ),
            Self::BadSize { most_vectors } => {
                write!(
                    f,
                    "{most_vectors} vectors a cone: must be 3 to {MAX_VECTORS}"
                )
            }
        }
    }
}

impl std::error::Error for ConeError {}

/// Number of cones by size, and their memory (Redon 2002, section 4.7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConeReport {
    /// Boxes by number of cone vectors; index 0 counts those without a cone.
    pub by_size: [usize; MAX_VECTORS + 1],
    /// Bytes of all vectors and of their index.
    pub bytes: usize,
}

/// Cones of all boxes of a mesh's hierarchy.
#[derive(Clone, Debug, PartialEq)]
pub struct BackFaceCones {
    /// Node `i` has the vectors `vectors[start[i]..start[i + 1]]`; empty if it has no cone.
    start: Vec<u32>,
    vectors: Vec<Vec3>,
}

impl BackFaceCones {
    /// Builds cones of at most `most_vectors` (3 to 9) vectors.
    ///
    /// # Errors
    /// The shape is not a closed solid with outward faces, or the number of vectors is out of
    /// range.
    pub fn new(
        shape: &MeshIndex,
        most_vectors: usize,
        strategy: Strategy,
    ) -> Result<Self, ConeError> {
        if !(3..=MAX_VECTORS).contains(&most_vectors) {
            return Err(ConeError::BadSize { most_vectors });
        }
        let (Some(tree), Some(mesh), Some(adjacency)) =
            (shape.tree(), shape.mesh(), shape.adjacency())
        else {
            return Err(ConeError::Point);
        };
        let report = MeshReport::of(mesh, adjacency);
        if !report.oriented {
            return Err(ConeError::NotASolid {
                boundary_edges: report.boundary_edges,
                non_manifold_edges: report.non_manifold_edges,
                misoriented_edges: report.misoriented_edges,
            });
        }
        let nodes = tree.nodes();
        let normals = normals(mesh);
        let below = (strategy == Strategy::TopDown).then(|| triangles_below(tree));
        let mut cones: Vec<Option<Vec<Vec3>>> = vec![None; nodes.len()];
        // Children follow their parent.
        for (i, node) in nodes.iter().enumerate().rev() {
            let below = if node.is_leaf() {
                normals[node.triangle() as usize].map(|normal| vec![normal])
            } else if let Some(below) = &below {
                let below = below[i].iter().map(|&t| normals[t as usize]);
                below.collect()
            } else {
                let children = node.children() as usize;
                let both = cones[children].as_ref().zip(cones[children + 1].as_ref());
                both.map(|(x, y)| x.iter().chain(y).copied().collect::<Vec<Vec3>>())
            };
            cones[i] = below.and_then(|normals| enclosing_cone(&normals, most_vectors));
        }
        let mut start = Vec::with_capacity(nodes.len() + 1);
        let mut vectors = Vec::new();
        for cone in cones {
            start.push(vectors.len() as u32);
            vectors.extend(cone.unwrap_or_default());
        }
        start.push(vectors.len() as u32);
        Ok(Self { start, vectors })
    }

    /// Cone of a box, in the frame of the mesh; empty if it has none or the box does not exist.
    #[inline]
    #[must_use]
    pub fn of(&self, node: u32) -> &[Vec3] {
        let i = node as usize;
        match (self.start.get(i), self.start.get(i + 1)) {
            (Some(&from), Some(&to)) => &self.vectors[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Counts cones by size, and their memory.
    #[must_use]
    pub fn report(&self) -> ConeReport {
        let mut by_size = [0; MAX_VECTORS + 1];
        for pair in self.start.windows(2) {
            by_size[(pair[1] - pair[0]) as usize] += 1;
        }
        ConeReport {
            by_size,
            bytes: size_of_val(&self.vectors[..]) + size_of_val(&self.start[..]),
        }
    }
}

/// Outward unit normals; `None` for triangles without area.
fn normals(mesh: &TriMesh) -> Vec<Option<Vec3>> {
    let normal = |[p, q, r]: [Vec3; 3]| (q - p).cross(&(r - p)).try_normalize(0.0);
    let triangles = 0..mesh.triangles().len();
    triangles.map(|t| normal(mesh.triangle(t))).collect()
}

/// Triangles below every node.
fn triangles_below(tree: &ObbTree) -> Vec<Vec<u32>> {
    let nodes = tree.nodes();
    let mut below: Vec<Vec<u32>> = vec![Vec::new(); nodes.len()];
    for (i, node) in nodes.iter().enumerate().rev() {
        below[i] = if node.is_leaf() {
            vec![node.triangle()]
        } else {
            let children = node.children() as usize;
            [&below[children][..], &below[children + 1][..]].concat()
        };
    }
    below
}
