//! Equal spheres that cover a surface, and a complete tree over them.
//!
//! The surface is laid over a grid of cubes with circumscribed spheres of the chosen radius. Every
//! cube that the surface passes through becomes a leaf sphere about its centre. A leaf holds the
//! vertices, edges and triangles that pass through its cube. Where two surfaces touch, the point is
//! in a cube of each, and both leaves hold the touching features. The inner spheres are built by
//! halving along the longest extent, so the tree is complete: its leaves are on at most two levels.
//!
//! *Labels* (section 2.6.4): leaves with the same features share one label and one list. An inner
//! sphere has the common label of both its children, or a separate one.
//!
//! Built off-line; allocates; deterministic. Metres, frame of the mesh.

use std::collections::BTreeMap;

use hapticd_geometry::{Adjacency, TriMesh, Vec3};

/// Maximum number of leaf spheres of a tree.
const MAX_LEAVES: usize = 1 << 20;
/// Rounding error of the grid's arithmetic, relative to the size of the mesh; added to every cube.
const SLACK: f64 = 64.0 * f64::EPSILON;

/// One sphere of a tree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereNode {
    /// Centre.
    pub center: Vec3,
    /// Radius, metres.
    pub radius: f64,
    /// Index of the first child of an inner sphere; the second child follows. 0 in a leaf.
    pub children: u32,
    /// Label: spheres with one label hold the same features. In a leaf, the index of its list; see
    /// [`SphereTree::features`].
    pub label: u32,
}

impl SphereNode {
    /// True for a leaf, which holds features.
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.children == 0
    }
}

/// Features that pass through a leaf: indices as in the mesh and its adjacency, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct FeatureSet {
    /// Vertices.
    pub vertices: Vec<u32>,
    /// Edges.
    pub edges: Vec<u32>,
    /// Triangles.
    pub triangles: Vec<u32>,
}

/// Reasons why a sphere tree cannot be built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SphereTreeError {
    /// The radius of the leaves is not a positive, finite number of metres.
    BadRadius {
        /// Radius requested.
        radius_m: f64,
    },
    /// There would be too many leaves.
    TooManyLeaves {
        /// Radius requested.
        radius_m: f64,
        /// Maximum number of leaves.
        limit: usize,
    },
}

impl std::fmt::Display for SphereTreeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::BadRadius { radius_m } => {
                write!(
                    f,
                    "leaf spheres of radius {radius_m} m: not a positive number"
                )
            }
            Self::TooManyLeaves { radius_m, limit } => write!(
                f,
                "leaf spheres of radius {radius_m} m would be more than {limit}: make them larger"
            ),
        }
    }
}

impl std::error::Error for SphereTreeError {}

/// A tree of spheres over a mesh. Node 0 is the root.
#[derive(Clone, Debug)]
pub struct SphereTree {
    nodes: Vec<SphereNode>,
    features: Vec<FeatureSet>,
    positions: Vec<Vec3>,
    edges: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
    labels: u32,
    depth: u32,
}

impl SphereTree {
    /// Covers a mesh with leaf spheres of the given radius.
    ///
    /// # Errors
    /// The radius is not positive and finite, or so small that there would be more than a million
    /// leaves.
    pub fn new(mesh: &TriMesh, radius_m: f64) -> Result<Self, SphereTreeError> {
        if !(radius_m > 0.0 && radius_m.is_finite()) {
            return Err(SphereTreeError::BadRadius { radius_m });
        }
        let adjacency = Adjacency::new(mesh);
        let grid = Grid::new(mesh, radius_m);
        let too_many = SphereTreeError::TooManyLeaves {
            radius_m,
            limit: MAX_LEAVES,
        };
        let cells = grid.fill(mesh).ok_or(too_many)?;
        let edges: Vec<[u32; 2]> = adjacency.edges.iter().map(|e| e.vertices).collect();
        let mut leaves = Vec::with_capacity(cells.len());
        let mut features: BTreeMap<FeatureSet, u32> = BTreeMap::new();
        for (cell, triangles) in &cells {
            let set = grid.features(mesh, &adjacency, *cell, triangles);
            let fresh = features.len() as u32;
            let label = *features.entry(set).or_insert(fresh);
            leaves.push((grid.middle(*cell), label));
        }
        let mut sets = vec![FeatureSet::default(); features.len()];
        let mut labels = features.len() as u32;
        for (set, label) in features {
            sets[label as usize] = set;
        }
        let (nodes, depth) = build(&mut leaves, grid.radius, &mut labels);
        Ok(Self {
            nodes,
            features: sets,
            positions: mesh.positions().to_vec(),
            edges,
            triangles: mesh.triangles().to_vec(),
            labels,
            depth,
        })
    }

    /// All spheres; children follow their parent.
    #[must_use]
    pub fn nodes(&self) -> &[SphereNode] {
        &self.nodes
    }

    /// Longest path from the root to a leaf, in edges.
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Number of different labels.
    #[must_use]
    pub fn labels(&self) -> u32 {
        self.labels
    }

    /// Number of different feature lists of the leaves.
    #[must_use]
    pub fn feature_sets(&self) -> usize {
        self.features.len()
    }

    /// Features of a leaf; `None` for inner spheres.
    #[must_use]
    pub fn features(&self, node: &SphereNode) -> Option<&FeatureSet> {
        self.features
            .get(node.label as usize)
            .filter(|_| node.is_leaf())
    }

    pub(crate) fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    pub(crate) fn edge(&self, i: u32) -> [u32; 2] {
        self.edges[i as usize]
    }

    pub(crate) fn triangle(&self, i: u32) -> [u32; 3] {
        self.triangles[i as usize]
    }
}

type Cell = [i64; 3];

/// Grid of cubes over a mesh.
struct Grid {
    origin: Vec3,
    side: f64,
    /// Half of a side, plus the slack.
    half: f64,
    radius: f64,
    size: f64,
}

impl Grid {
    fn new(mesh: &TriMesh, radius: f64) -> Self {
        let (low, high) = mesh.bounds();
        let size = low.amax().max(high.amax());
        // Centres of cubes lie on the mesh's planes of symmetry, and walls avoid corners modelled
        // on round numbers.
        let side = 2.0 * radius / 3f64.sqrt();
        Self {
            origin: (low + high) * 0.5,
            side,
            half: 0.5 * side + SLACK * (size + side),
            radius: radius * (1.0 + SLACK) + 2.0 * SLACK * size,
            size,
        }
    }

    fn middle(&self, cell: Cell) -> Vec3 {
        self.origin + Vec3::from(cell.map(|c| c as f64)) * self.side
    }

    /// Cubes that triangles pass through, and those triangles; `None` if there are too many cubes.
    fn fill(&self, mesh: &TriMesh) -> Option<BTreeMap<Cell, Vec<u32>>> {
        let mut cells: BTreeMap<Cell, Vec<u32>> = BTreeMap::new();
        // Indices must be exact and of limited number.
        if self.size / self.side > 1e9 {
            return None;
        }
        let mut waiting = Vec::new();
        for t in 0..mesh.triangles().len() {
            let corners = mesh.triangle(t).map(|p| p - self.origin);
            let (mut low, mut high) = (corners[0], corners[0]);
            for p in &corners[1..] {
                (low, high) = (low.inf(p), high.sup(p));
            }
            let index = |x: f64| (x / self.side).round() as i64;
            // One more on each side, for features on a wall.
            let range = [0, 1, 2].map(|i| (index(low[i]) - 1, index(high[i]) + 1));
            waiting.push(range);
            while let Some(range) = waiting.pop() {
                if !self.passes(&corners, &range) {
                    continue;
                }
                let longest = (0..3).max_by_key(|&i| range[i].1 - range[i].0).unwrap_or(0);
                let (first, last) = range[longest];
                if first == last {
                    cells.entry(range.map(|r| r.0)).or_default().push(t as u32);
                    if cells.len() > MAX_LEAVES {
                        return None;
                    }
                    continue;
                }
                let middle = first + (last - first) / 2;
                for part in [(middle + 1, last), (first, middle)] {
                    let mut half = range;
                    half[longest] = part;
                    waiting.push(half);
                }
            }
        }
        Some(cells)
    }

    /// Tests whether a triangle, relative to the origin, passes through a block of cubes:
    /// separating axes. A triangle within rounding passes.
    fn passes(&self, corners: &[Vec3; 3], range: &[(i64, i64); 3]) -> bool {
        let middle = |i: usize| 0.5 * (range[i].0 + range[i].1) as f64 * self.side;
        let half = |i: usize| 0.5 * (range[i].1 - range[i].0) as f64 * self.side + self.half;
        let center = Vec3::new(middle(0), middle(1), middle(2));
        let half = Vec3::new(half(0), half(1), half(2));
        box_passed(&corners.map(|p| p - center), &half)
    }

    fn features(
        &self,
        mesh: &TriMesh,
        adjacency: &Adjacency,
        cell: Cell,
        triangles: &[u32],
    ) -> FeatureSet {
        let mut set = FeatureSet {
            triangles: triangles.to_vec(),
            ..FeatureSet::default()
        };
        let range = cell.map(|c| (c, c));
        let at = |v: u32| mesh.positions()[v as usize] - self.origin;
        for &t in triangles {
            for v in mesh.triangles()[t as usize] {
                if self.passes(&[at(v); 3], &range) {
                    set.vertices.push(v);
                }
            }
            for e in adjacency.triangle_edges[t as usize] {
                let [p, q] = adjacency.edges[e as usize].vertices.map(at);
                if self.passes(&[p, q, q], &range) {
                    set.edges.push(e);
                }
            }
        }
        for list in [&mut set.vertices, &mut set.edges, &mut set.triangles] {
            list.sort_unstable();
            list.dedup();
        }
        set
    }
}

/// Tests whether a triangle, a segment or a point (repeated corners) passes through the box with
/// these half sizes about the origin.
fn box_passed(corners: &[Vec3; 3], half: &Vec3) -> bool {
    let apart = |axis: &Vec3| {
        let [x, y, z] = corners.map(|p| p.dot(axis));
        let reach = axis.abs().dot(half) * (1.0 + SLACK);
        x.min(y).min(z) > reach || x.max(y).max(z) < -reach
    };
    let [p, q, r] = corners;
    let edges = [q - p, r - q, p - r];
    let units = [Vec3::x(), Vec3::y(), Vec3::z()];
    !(units.iter().any(apart)
        || apart(&edges[0].cross(&edges[1]))
        || edges
            .iter()
            .any(|e| units.iter().any(|u| apart(&e.cross(u)))))
}

/// Builds a complete tree over leaf spheres of one radius. Leaves are (centre, label); new labels
/// count on from `labels`.
fn build(leaves: &mut [(Vec3, u32)], radius: f64, labels: &mut u32) -> (Vec<SphereNode>, u32) {
    let blank = SphereNode {
        center: Vec3::zeros(),
        radius: 0.0,
        children: 0,
        label: 0,
    };
    let mut nodes = vec![blank];
    let mut depth = 0;
    let mut waiting = vec![(0, 0, leaves.len(), 0)];
    while let Some((node, from, to, level)) = waiting.pop() {
        depth = depth.max(level);
        let set = &mut leaves[from..to];
        let (mut low, mut high) = (set[0].0, set[0].0);
        for (p, _) in set.iter() {
            (low, high) = (low.inf(p), high.sup(p));
        }
        let center = (low + high) * 0.5;
        let reach = (set.iter()).fold(0.0, |r: f64, (p, _)| r.max((p - center).norm()));
        nodes[node] = SphereNode {
            center,
            radius: (reach + radius) * (1.0 + SLACK),
            children: 0,
            label: set[0].1,
        };
        if set.len() > 1 {
            let axis = (high - low).imax();
            let order = |x: &(Vec3, u32), y: &(Vec3, u32)| {
                let key = |p: &Vec3| [p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]];
                let (kx, ky) = (key(&x.0), key(&y.0));
                (kx[0].total_cmp(&ky[0]))
                    .then(kx[1].total_cmp(&ky[1]))
                    .then(kx[2].total_cmp(&ky[2]))
            };
            let middle = set.len() / 2;
            set.select_nth_unstable_by(middle, order);
            let first = nodes.len();
            nodes[node].children = first as u32;
            nodes.extend([blank; 2]);
            waiting.push((first + 1, from + middle, to, level + 1));
            waiting.push((first, from, from + middle, level + 1));
        }
    }
    // From the leaves up: the common label of both children, or a new one.
    for i in (0..nodes.len()).rev() {
        let first = nodes[i].children as usize;
        if first != 0 {
            let (x, y) = (nodes[first].label, nodes[first + 1].label);
            nodes[i].label = if x == y { x } else { *labels };
            *labels += u32::from(x != y);
        }
    }
    (nodes, depth)
}
