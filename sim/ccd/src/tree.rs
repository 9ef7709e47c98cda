//! Hierarchies of oriented boxes over a mesh (Redon 2002, section 3.1).
//!
//! Binary, built top-down: a box is fitted, the triangles are cut in two along one of its axes, and so on down to one
//! triangle a leaf. The cut is the *min-max* one: the larger of the two child boxes, refitted, is as
//! small as possible. Large sets are cut at quantiles and judged on a sample, small ones at every
//! position. Built off-line: allocates, takes time O(n log n), is deterministic. Reading is lock-free and
//! allocation-free.

use hapticd_geometry::{Mat3, TriMesh, Vec3};

use crate::obb::{Moments, Obb, fit_triangle};

/// In [`Node::leaf`]: not a leaf.
pub const INNER: u32 = u32::MAX;

/// Largest set that is cut at every position instead of at quantiles.
const CUT_EVERYWHERE: usize = 8;
/// Quantiles for larger sets; cuts at `1/8 .. 7/8`, so the depth is logarithmic.
const QUANTILES: usize = 8;
/// Candidate boxes of large sets are sized on about so many triangles.
const SAMPLE: usize = 256;

/// One box of the hierarchy.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct Node {
    /// Encloses all triangles below.
    pub obb: Obb,
    /// Inner node: index of the first child, the second is the next one. Leaf: unused.
    pub children: u32,
    /// Leaf: position in leaf order of its triangle, see [`ObbTree::order`]. Inner node: [`INNER`].
    pub leaf: u32,
}

impl Node {
    /// Whether the node holds one triangle.
    #[inline]
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.leaf != INNER
    }
}

/// A hierarchy of oriented boxes, in the frame of its mesh. Node 0 is the root.
#[derive(Clone, Debug)]
pub struct ObbTree {
    nodes: Vec<Node>,
    order: Vec<u32>,
    depth: u32,
}

/// Why a hierarchy is not one over a mesh. Numbers are node and triangle indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeDefect {
    /// Numbers of leaves and triangles differ.
    LeafCount {
        /// Leaves in the tree.
        leaves: usize,
        /// Triangles of the mesh.
        triangles: usize,
    },
    /// A child index is out of range or a node is reached twice.
    BadChild {
        /// The parent.
        node: u32,
    },
    /// A triangle has no leaf, or two.
    NotOneLeaf {
        /// The triangle.
        triangle: u32,
    },
    /// A corner sticks out of a box above it.
    NotContained {
        /// The box.
        node: u32,
        /// The triangle.
        triangle: u32,
    },
}

impl ObbTree {
    /// Builds the hierarchy over all triangles of `mesh`.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        Builder::new(mesh).build()
    }

    /// All nodes; children come after their parent.
    #[inline]
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Triangle indices in leaf order: neighbours in the tree are neighbours here.
    #[inline]
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Longest path from the root to a leaf, in edges.
    #[inline]
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Triangle of a leaf, `None` for inner nodes and indices out of range.
    #[must_use]
    pub fn triangle_of(&self, node: u32) -> Option<u32> {
        let node = self.nodes.get(node as usize)?;
        self.order.get(node.leaf as usize).copied()
    }

    /// Checks that the hierarchy is one over `mesh`: one leaf a triangle, every triangle in every box
    /// above it to within `tolerance` metres.
    ///
    /// # Errors
    /// The first defect found, see [`TreeDefect`].
    pub fn validate(&self, mesh: &TriMesh, tolerance: f64) -> Result<(), TreeDefect> {
        let triangles = mesh.triangles().len();
        if self.order.len() != triangles {
            return Err(TreeDefect::LeafCount {
                leaves: self.order.len(),
                triangles,
            });
        }
        let mut parent = vec![INNER; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if node.is_leaf() {
                continue;
            }
            for child in [node.children as usize, node.children as usize + 1] {
                let fresh = child > i && parent.get(child) == Some(&INNER);
                if !fresh {
                    return Err(TreeDefect::BadChild { node: i as u32 });
                }
                parent[child] = i as u32;
            }
        }
        let mut seen = vec![false; triangles];
        for (i, node) in self.nodes.iter().enumerate().filter(|(_, n)| n.is_leaf()) {
            let triangle = self.order.get(node.leaf as usize).copied().unwrap_or(INNER);
            match seen.get_mut(triangle as usize) {
                Some(s) if !*s => *s = true,
                _ => return Err(TreeDefect::NotOneLeaf { triangle }),
            }
            let corners = mesh.triangle(triangle as usize);
            let mut above = i as u32;
            while above != INNER {
                let obb = &self.nodes[above as usize].obb;
                if corners.iter().any(|p| !obb.contains(p, tolerance)) {
                    return Err(TreeDefect::NotContained {
                        node: above,
                        triangle,
                    });
                }
                above = parent[above as usize];
            }
        }
        match seen.iter().position(|s| !s) {
            Some(t) => Err(TreeDefect::NotOneLeaf { triangle: t as u32 }),
            None => Ok(()),
        }
    }
}

struct Builder {
    /// Corners relative to `origin`.
    corners: Vec<[Vec3; 3]>,
    origin: Vec3,
    /// Weight added to the area of every triangle, so that degenerate sets have axes too.
    small: f64,
    moments: Vec<Moments>,
    order: Vec<u32>,
    /// The same set sorted along a candidate axis, and the best order so far.
    keys: Vec<(f64, u32)>,
    best: Vec<u32>,
}

impl Builder {
    fn new(mesh: &TriMesh) -> Self {
        let (low, high) = mesh.bounds();
        let origin = low + (high - low) * 0.5;
        let count = mesh.triangles().len();
        let corners: Vec<[Vec3; 3]> = (0..count)
            .map(|i| mesh.triangle(i).map(|p| p - origin))
            .collect();
        let extent = (high - low).amax();
        // Small against the mean area even of very fine meshes.
        let small = 1e-9 * extent * extent / count as f64;
        let moments = corners
            .iter()
            .map(|t| Moments::of_triangle(t, small))
            .collect();
        Self {
            corners,
            origin,
            small,
            moments,
            order: (0..count as u32).collect(),
            keys: Vec::with_capacity(count),
            best: Vec::with_capacity(count),
        }
    }

    fn build(mut self) -> ObbTree {
        let count = self.corners.len();
        let mut nodes: Vec<Node> = Vec::with_capacity(2 * count);
        let blank = Node {
            obb: Obb {
                center: Vec3::zeros(),
                axes: Mat3::identity(),
                half: Vec3::zeros(),
            },
            children: 0,
            leaf: INNER,
        };
        nodes.push(blank);
        let mut depth = 0;
        let mut work = vec![(0usize, 0usize, count, 0u32)];
        while let Some((node, start, end, level)) = work.pop() {
            depth = depth.max(level);
            let mut obb = self.fit(start, end);
            if end - start == 1 {
                nodes[node].leaf = start as u32;
            } else {
                let middle = start + self.cut(start, end, &obb.axes);
                let children = nodes.len();
                nodes[node].children = children as u32;
                nodes.push(blank);
                nodes.push(blank);
                // The first child is built first: depth-first order in memory.
                work.push((children + 1, middle, end, level + 1));
                work.push((children, start, middle, level + 1));
            }
            obb.center += self.origin;
            nodes[node].obb = obb;
        }
        // Moving the centre rounds; containment is meant for the mesh as it is.
        for node in &mut nodes {
            let slack = 4.0 * f64::EPSILON * (node.obb.center.amax() + self.origin.amax());
            node.obb.half = node.obb.half.map(|h| h + slack);
        }
        ObbTree {
            nodes,
            order: self.order,
            depth,
        }
    }

    /// Exact box of a range of `order`.
    fn fit(&self, start: usize, end: usize) -> Obb {
        let set = &self.order[start..end];
        if let [only] = set {
            return fit_triangle(&self.corners[*only as usize]);
        }
        let axes = self.local_moments(set).axes();
        Obb::with_axes(axes, set.iter().flat_map(|&t| &self.corners[t as usize]))
    }

    /// Moments about a corner of the set itself: no cancellation for small sets far from the origin.
    fn local_moments(&self, set: &[u32]) -> Moments {
        let reference = self.corners[set[0] as usize][0];
        let mut sum = Moments::default();
        for &t in set {
            let local = self.corners[t as usize].map(|p| p - reference);
            sum.add(&Moments::of_triangle(&local, self.small));
        }
        sum
    }

    /// Reorders the range so that the best cut is at the returned offset, between 1 and its length - 1.
    fn cut(&mut self, start: usize, end: usize, axes: &Mat3) -> usize {
        let n = end - start;
        if n == 2 {
            return 1;
        }
        let mut best_size = f64::INFINITY;
        let mut best_cut = n / 2;
        self.best.clear();
        for axis in axes.column_iter() {
            self.keys.clear();
            for &t in &self.order[start..end] {
                let [p, q, r] = &self.corners[t as usize];
                self.keys.push((axis.dot(&(p + q + r)), t));
            }
            self.keys
                .sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.cmp(&y.1)));
            let found = if n <= CUT_EVERYWHERE {
                self.judge_all()
            } else {
                self.judge_quantiles()
            };
            if found.0 < best_size || self.best.is_empty() {
                (best_size, best_cut) = found;
                self.best.clear();
                self.best.extend(self.keys.iter().map(|k| k.1));
            }
        }
        self.order[start..end].copy_from_slice(&self.best);
        best_cut
    }

    /// Best (size of the larger child, cut) over all positions of `keys`.
    fn judge_all(&self) -> (f64, usize) {
        let n = self.keys.len();
        let reference = self.corners[self.keys[0].1 as usize][0];
        let mut set = [[Vec3::zeros(); 3]; CUT_EVERYWHERE];
        let mut prefix = [Moments::default(); CUT_EVERYWHERE + 1];
        for (i, key) in self.keys.iter().enumerate() {
            set[i] = self.corners[key.1 as usize].map(|p| p - reference);
            prefix[i + 1] = prefix[i];
            prefix[i + 1].add(&Moments::of_triangle(&set[i], self.small));
        }
        let mut best = (f64::INFINITY, n / 2);
        for cut in 1..n {
            let left = size_of(&set[..cut], &prefix[cut]);
            if left < best.0 {
                let size = left.max(size_of(&set[cut..n], &prefix[n].minus(&prefix[cut])));
                if size < best.0 {
                    best = (size, cut);
                }
            }
        }
        best
    }

    /// As [`Self::judge_all`] over the quantiles of a large set, sized on a sample.
    fn judge_quantiles(&self) -> (f64, usize) {
        let n = self.keys.len();
        let stride = n.div_ceil(SAMPLE);
        let cut_at = |k: usize| k * n / QUANTILES;
        let mut prefix = [Moments::default(); QUANTILES + 1];
        for k in 0..QUANTILES {
            prefix[k + 1] = prefix[k];
            for key in self.keys[cut_at(k)..cut_at(k + 1)].iter().step_by(stride) {
                prefix[k + 1].add(&self.moments[key.1 as usize]);
            }
        }
        let sample = |range: &[(f64, u32)], moments: &Moments| {
            let points = range
                .iter()
                .step_by(stride)
                .flat_map(|k| &self.corners[k.1 as usize]);
            Obb::with_axes(moments.axes(), points).size()
        };
        let mut best = (f64::INFINITY, n / 2);
        for k in 1..QUANTILES {
            let cut = cut_at(k);
            let left = sample(&self.keys[..cut], &prefix[k]);
            if left < best.0 {
                let rest = prefix[QUANTILES].minus(&prefix[k]);
                let size = left.max(sample(&self.keys[cut..], &rest));
                if size < best.0 {
                    best = (size, cut);
                }
            }
        }
        best
    }
}

fn size_of(set: &[[Vec3; 3]], moments: &Moments) -> f64 {
    match set {
        [only] => fit_triangle(only).size(),
        _ => Obb::with_axes(moments.axes(), set.iter().flatten()).size(),
    }
}
