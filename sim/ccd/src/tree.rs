//! Hierarchies of oriented boxes over a mesh (Redon 2002, section 3.1).
//!
//! Binary, built top-down: a box is fitted, the triangles are cut in two along one of its axes, and
//! so on down to one triangle a leaf; the cut is the *min-max* one (see the private module
//! `build`). One hierarchy serves all queries: those that take a box at a time in double precision,
//! and [`crate::proximity`], which takes four at a time in single precision and every other level.
//! Built off-line: allocates, takes time O(n log n), is deterministic whatever the number of
//! threads. Kept next to its mesh as bytes ([`bytes`]). Reading is lock-free and allocation-free.

mod build;
pub mod bytes;
mod node;

use hapticd_geometry::{TriMesh, Vec3};

use crate::obb::Obb;
pub use node::Node;
pub(crate) use node::{Group, Link, Quad};

/// No node, no triangle.
const NONE: u32 = u32::MAX;

/// A hierarchy of oriented boxes, in the frame of its mesh. Node 0 is the root.
#[derive(Clone, Debug, PartialEq)]
pub struct ObbTree {
    nodes: Vec<Node>,
    /// What the centres of the boxes are counted from.
    origin: Vec3,
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
    /// A child index is out of range, a node is reached twice, or boxes of a group do not lie
    /// together.
    BadChild {
        /// The parent.
        node: u32,
    },
    /// A triangle has no leaf, or two.
    NotOneLeaf {
        /// The triangle.
        triangle: u32,
    },
    /// A box whose numbers are none.
    BadBox {
        /// The box.
        node: u32,
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
        Self::with_threads(mesh, 1)
    }

    /// Builds the same hierarchy with up to `threads` threads, which have ended when this returns.
    #[must_use]
    pub fn with_threads(mesh: &TriMesh, threads: usize) -> Self {
        build::build(mesh, threads)
    }

    /// Memory of the hierarchy, bytes: 64 a triangle.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + self.nodes.capacity() * size_of::<Node>()
    }

    /// All nodes; children come after their parent.
    #[inline]
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// What the centres of the boxes are counted from, in the frame of the mesh.
    #[inline]
    pub(crate) fn origin(&self) -> &Vec3 {
        &self.origin
    }

    /// A box, in the frame of the mesh: encloses all triangles below.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline(always)]
    #[must_use]
    pub fn obb(&self, node: u32) -> Obb {
        self.nodes[node as usize].obb(&self.origin)
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
        node.is_leaf().then_some(node.triangle())
    }

    /// Checks that the hierarchy is one over `mesh`: one leaf a triangle, every triangle in every
    /// box above it to within `tolerance` metres.
    ///
    /// # Errors
    /// The first defect found, see [`TreeDefect`].
    pub fn validate(&self, mesh: &TriMesh, tolerance: f64) -> Result<(), TreeDefect> {
        let triangles = mesh.triangles().len();
        let leaves = self.nodes.iter().filter(|node| node.is_leaf()).count();
        if leaves != triangles {
            return Err(TreeDefect::LeafCount { leaves, triangles });
        }
        let mut parent = vec![NONE; self.nodes.len()];
        let mut levels = vec![0_u32; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            let Link::Quad(group) = node.link() else {
                continue;
            };
            let bad = TreeDefect::BadChild { node: i as u32 };
            let children = node.children() as usize;
            for child in [children, children + 1] {
                let fresh = child > i && parent.get(child) == Some(&NONE);
                if !fresh {
                    return Err(bad);
                }
                parent[child] = i as u32;
                levels[child] = levels[i] + 1;
            }
            if !self.lies_together(node.children(), levels[i].is_multiple_of(2), group) {
                return Err(bad);
            }
        }
        let mut seen = vec![false; triangles];
        for (i, node) in self.nodes.iter().enumerate().filter(|(_, n)| n.is_leaf()) {
            let triangle = node.triangle();
            match seen.get_mut(triangle as usize) {
                Some(s) if !*s => *s = true,
                _ => return Err(TreeDefect::NotOneLeaf { triangle }),
            }
            let corners = mesh.triangle(triangle as usize);
            let mut above = i as u32;
            while above != NONE {
                let obb = self.obb(above);
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

    /// Whether a group below two children, which exist, is what it should be. Of a box of an even
    /// level: what is below them, or a child where it is a leaf, which then is the second.
    fn lies_together(&self, children: u32, even: bool, group: Group) -> bool {
        let [first, second] = [0, 1].map(|k| &self.nodes[(children + k) as usize]);
        let (mut count, mut next) = (2, children + 2);
        if even {
            for child in [first, second].into_iter().filter(|c| !c.is_leaf()) {
                if child.children() != next {
                    return false;
                }
                (count, next) = (count + 1, next + 2);
            }
        }
        let lone_first = count == 3 && first.is_leaf();
        group.count == count && group.first == children + count - 2 && !lone_first
    }
}
