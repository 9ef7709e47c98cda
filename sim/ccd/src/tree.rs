//! Hierarchies of oriented boxes over a mesh (Redon 2002, section 3.1).
//!
//! Binary, built top-down: a box is fitted, the triangles are cut in two along one of its axes, and so on down to one
//! triangle a leaf; the cut is the *min-max* one (see the private module `build`). Built off-line: allocates, takes time O(n log n), is deterministic
//! whatever the number of threads. Kept next to its mesh as bytes ([`bytes`]). Reading is lock-free and allocation-free.

mod build;
pub mod bytes;

use hapticd_geometry::{Mat3, TriMesh, Vec3};
use nalgebra::{Quaternion, Rotation3, UnitQuaternion};

use crate::obb::Obb;

/// In [`Node::leaf`]: not a leaf.
pub const INNER: u32 = u32::MAX;

/// One box of the hierarchy, 80 bytes: the axes as a quaternion, the half sizes in single precision, rounded up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    center: Vec3,
    /// x, y, z, w.
    rotation: [f64; 4],
    half: [f32; 3],
    /// Inner node: index of the first child, the second is the next one. Leaf: unused.
    pub children: u32,
    /// Leaf: position in leaf order of its triangle, see [`ObbTree::order`]. Inner node: [`INNER`].
    pub leaf: u32,
}

impl Node {
    const BLANK: Self = Self {
        center: Vec3::new(0.0, 0.0, 0.0),
        rotation: [0.0, 0.0, 0.0, 1.0],
        half: [0.0; 3],
        children: 0,
        leaf: INNER,
    };

    /// `obb` must have axes as they are stored, or a little to spare.
    fn new(obb: &Obb, children: u32, leaf: u32) -> Self {
        Self {
            center: obb.center,
            rotation: quaternion(&obb.axes),
            half: [0, 1, 2].map(|i| {
                let half = obb.half[i] as f32;
                if f64::from(half) < obb.half[i] {
                    half.next_up()
                } else {
                    half
                }
            }),
            children,
            leaf,
        }
    }

    /// Orthonormal axes as a node would give them back.
    fn axes_as_stored(axes: &Mat3) -> Mat3 {
        matrix(&quaternion(axes))
    }

    /// The box: encloses all triangles below.
    #[inline]
    #[must_use]
    pub fn obb(&self) -> Obb {
        Obb {
            center: self.center,
            axes: matrix(&self.rotation),
            half: self.half(),
        }
    }

    /// Centre of the box.
    #[inline]
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Half sizes of the box.
    #[inline]
    #[must_use]
    pub fn half(&self) -> Vec3 {
        let [x, y, z] = self.half.map(f64::from);
        Vec3::new(x, y, z)
    }

    /// Square of half the diagonal.
    #[inline]
    #[must_use]
    pub fn size(&self) -> f32 {
        let [x, y, z] = self.half;
        x * x + y * y + z * z
    }

    /// Whether the node holds one triangle.
    #[inline]
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.leaf != INNER
    }
}

fn quaternion(axes: &Mat3) -> [f64; 4] {
    let mut axes = *axes;
    // A box is the same with one axis turned round.
    if axes.determinant() < 0.0 {
        axes.set_column(2, &-axes.column(2));
    }
    let rotation = Rotation3::from_matrix_unchecked(axes);
    let q = UnitQuaternion::from_rotation_matrix(&rotation);
    [q.i, q.j, q.k, q.w]
}

/// Orthonormal to rounding whatever the length of the quaternion.
#[inline]
fn matrix(&[i, j, k, w]: &[f64; 4]) -> Mat3 {
    let q = Quaternion::new(w, i, j, k);
    let s = 2.0 / q.norm_squared();
    let (xs, ys, zs) = (i * s, j * s, k * s);
    let (xx, yy, zz) = (i * xs, j * ys, k * zs);
    let (xy, yz, zx) = (i * ys, j * zs, k * xs);
    let (wx, wy, wz) = (w * xs, w * ys, w * zs);
    Mat3::new(
        1.0 - (yy + zz),
        xy - wz,
        zx + wy,
        xy + wz,
        1.0 - (xx + zz),
        yz - wx,
        zx - wy,
        yz + wx,
        1.0 - (xx + yy),
    )
}

/// A hierarchy of oriented boxes, in the frame of its mesh. Node 0 is the root.
#[derive(Clone, Debug, PartialEq)]
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

    /// Memory of the hierarchy, bytes: about 164 a triangle.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        size_of::<Self>() + size_of_val(&self.nodes[..]) + size_of_val(&self.order[..])
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
                let obb = self.nodes[above as usize].obb();
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
