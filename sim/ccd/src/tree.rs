//! Hierarchies of oriented boxes over a mesh (Redon 2002, section 3.1).
//!
//! Binary, built top-down: a box is fitted, and its triangles are split in two along one of its
//! axes, down to one triangle per leaf. The split follows the *min-max* rule (see the private
//! module `build`). One hierarchy serves all queries: those that take one box at a time in double
//! precision, and [`crate::proximity`], which takes four at a time in single precision and skips
//! every other level.
//!
//! Built off-line: building allocates, takes O(n log n), and gives the same result for any number
//! of threads. A hierarchy can be saved as bytes next to its mesh ([`bytes`]). Reading is lock-free
//! and allocation-free.

mod build;
pub mod bytes;
mod node;

use hapticd_geometry::{TriMesh, Vec3};

use crate::obb::Obb;
pub use node::Node;
pub(crate) use node::{Group, Link, Quad};

/// Marks a missing node.
const NONE: u32 = u32::MAX;

/// A hierarchy of oriented boxes, in the frame of its mesh. Node 0 is the root.
#[derive(Clone, Debug, PartialEq)]
pub struct ObbTree {
    nodes: Vec<Node>,
    /// Origin of the box centres.
    origin: Vec3,
    depth: u32,
}

/// Why a hierarchy does not fit a mesh. Numbers are node and triangle indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeDefect {
    /// The numbers of leaves and triangles differ.
    LeafCount {
        /// Leaves in the tree.
        leaves: usize,
        /// Triangles of the mesh.
        triangles: usize,
    },
    /// A child index is out of range, a node is reached twice, or the boxes of a group are not
    /// contiguous.
    BadChild {
        /// The parent.
        node: u32,
    },
    /// A triangle has no leaf, or more than one.
    NotOneLeaf {
        /// The triangle.
        triangle: u32,
    },
    /// A box has an invalid centre (not finite) or half size (negative or NaN).
    BadBox {
        /// The box.
        node: u32,
    },
    /// A corner of a triangle sticks out of a box above it.
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

    /// Builds the same hierarchy with up to `threads` threads. They have ended when this returns.
    #[must_use]
    pub fn with_threads(mesh: &TriMesh, threads: usize) -> Self {
        build::build(mesh, threads)
    }

    /// Memory of the hierarchy in bytes: 64 per triangle.
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

    /// Origin of the box centres, in the frame of the mesh.
    #[inline]
    pub(crate) fn origin(&self) -> &Vec3 {
        &self.origin
    }

    /// Returns a box in the frame of the mesh; it encloses all triangles below.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline(always)]
    #[must_use]
    pub fn obb(&self, node: u32) -> Obb {
        self.nodes[node as usize].obb(&self.origin)
    }

    /// Length of the longest path from the root to a leaf, in edges.
    #[inline]
    #[must_use]
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// Returns the triangle of a leaf; `None` for inner nodes and indices out of range.
    #[must_use]
    pub fn triangle_of(&self, node: u32) -> Option<u32> {
        let node = self.nodes.get(node as usize)?;
        node.is_leaf().then_some(node.triangle())
    }

    /// Checks that the hierarchy fits `mesh`: one leaf per triangle, and every triangle in every
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

    /// Whether the group below two existing children is laid out as it must be. For a box of an
    /// even level, the group holds the children's children, and a child itself if that is a leaf. A
    /// lone leaf must be the second child.
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
