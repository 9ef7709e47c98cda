//! Boxes in single precision, four at a time: lower bounds on distance at a fifth of the cost.
//!
//! A proximity query spends most of its time on bounds of box pairs that it then throws away, and a bound need not be
//! tight to the last digit: it must only never be above the distance. So the hierarchy is kept a second time, in `f32`, about
//! the centre of its root; what rounding may do to a gap along one axis is bounded by [`slack`] and taken off every gap.
//! Distances that a caller sees are never computed here.
//!
//! # Theory
//!
//! The bound is that of [`crate::obb::distance_lower_bound`]: the length of the gap vector between one box and the bounds of
//! the other in its axes, or the other way round, whichever is larger. With `u` the unit roundoff and `S` the largest coordinate of
//! either hierarchy (1-norms, the shift between them included), rounding enters by storing centres, axes and half sizes
//! (`3 u S`), by turning A's boxes into B's frame (`12 u S`) and by the products of the test (`20 u S`): a gap along one axis is
//! wrong by less than `40 u S`. [`slack`] is `128 u S`. The axes are orthonormal to `20 u` only: a factor of `1 - 1e-5` on the
//! square covers that.
//!
//! The hierarchy is made four wide by leaving out every other level. One box is held against the four below another at once, a lane
//! each, in the arithmetic that every machine of the architecture has: the same bits everywhere.

use hapticd_geometry::{Mat3, Vec3};
use wide::f32x4;

use crate::index::Leaf;
use crate::tree::ObbTree;

/// Bound on the rounding error of a gap, in units of the size of the coordinates.
const SLACK: f64 = 64.0 * f32::EPSILON as f64;
/// Coordinates up to which the arithmetic cannot overflow, metres. Beyond, every bound is 0: slow, not wrong.
const LARGEST: f64 = 1e15;
/// On the square of a bound, see the theory.
const ROUNDING: f32 = 1.0 - 1e-5;
/// In [`Box32::link`]: the box of one triangle.
const LEAF: u32 = 1 << 31;

/// One box of the hierarchy and where it leads.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Box32 {
    /// Rows x, y, z of the matrix of axes; fourth: of the centre.
    rows: [[f32; 4]; 3],
    /// Half sizes.
    half: [f32; 3],
    /// Index of its quad; with [`LEAF`] the position in leaf order.
    link: u32,
}

/// Where a box leads.
pub(crate) enum Link {
    /// To this quad.
    Quad(u32),
    /// To this triangle, in leaf order.
    Leaf(u32),
}

impl Box32 {
    const NOWHERE: Self = Self {
        rows: [[0.0; 4]; 3],
        half: [0.0; 3],
        link: LEAF,
    };

    #[inline(always)]
    pub(crate) fn link(&self) -> Link {
        if self.link & LEAF == 0 {
            Link::Quad(self.link)
        } else {
            Link::Leaf(self.link & !LEAF)
        }
    }

    #[inline(always)]
    pub(crate) fn is_leaf(&self) -> bool {
        self.link & LEAF != 0
    }

    /// Square of half the diagonal.
    #[inline(always)]
    pub(crate) fn size(&self) -> f32 {
        let h = &self.half;
        h[0] * h[0] + h[1] * h[1] + h[2] * h[2]
    }
}

/// The two to four boxes below a box: its children's children, or its children where they are leaves. One a lane.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Quad {
    /// As in [`Box32`].
    rows: [[f32x4; 4]; 3],
    half: [f32x4; 3],
    /// Indices in [`Boxes::nodes`]; lanes that are not used repeat the first.
    nodes: [u32; 4],
}

impl Quad {
    /// Indices in [`Boxes::nodes`], by lane.
    #[inline(always)]
    pub(crate) fn below(&self) -> &[u32] {
        let unused = self.nodes[1..].iter().position(|&n| n == self.nodes[0]);
        &self.nodes[..unused.map_or(4, |k| k + 1)]
    }
}

/// The corners of a triangle, fourth lane 0, and a bit for each corner and side that it owns.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Triangle {
    corners: [f32x4; 3],
    owned_vertices: u8,
    owned_edges: u8,
}

/// Feature pairs of two triangles that may be in reach: a bit by corner, or by side of B for each side of A.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NearFeatures {
    /// Corners of A that may be near B's face.
    pub(crate) vertices_of_a: u8,
    /// Corners of B that may be near A's face.
    pub(crate) vertices_of_b: u8,
    pub(crate) edges: [u8; 3],
}

impl NearFeatures {
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        let [x, y, z] = self.edges;
        self.vertices_of_a | self.vertices_of_b | x | y | z == 0
    }
}

/// Smallest and largest coordinates of a feature.
#[derive(Clone, Copy)]
struct Bounds {
    low: f32x4,
    high: f32x4,
}

impl Bounds {
    #[inline(always)]
    fn of(p: f32x4, q: f32x4) -> Self {
        Self {
            low: p.fast_min(q),
            high: p.fast_max(q),
        }
    }

    #[inline(always)]
    fn and(self, p: f32x4) -> Self {
        Self {
            low: self.low.fast_min(p),
            high: self.high.fast_max(p),
        }
    }
}

/// The boxes of one hierarchy, of which every other level is left out.
#[derive(Clone, Debug)]
pub(crate) struct Boxes {
    /// As in [`ObbTree::nodes`]; those on the levels left out lead to no quad.
    pub(crate) nodes: Vec<Box32>,
    pub(crate) quads: Vec<Quad>,
    /// In leaf order.
    pub(crate) triangles: Vec<Triangle>,
    /// Where coordinates are counted from, in the frame of the mesh.
    origin: Vec3,
    /// No coordinate of a point of a box is larger.
    size: f64,
}

impl Boxes {
    /// `leaves` are the triangles in leaf order.
    pub(crate) fn new(tree: &ObbTree, leaves: &[Leaf]) -> Self {
        let origin = tree.nodes()[0].center();
        let mut size: f64 = 0.0;
        let one_norm = |v: &Vec3| v.x.abs() + v.y.abs() + v.z.abs();
        let nodes = tree.nodes().iter().map(|node| {
            let obb = node.obb();
            let centre = obb.center - origin;
            size = size.max(one_norm(&centre) + one_norm(&obb.half));
            let axes = &obb.axes;
            let row =
                |r: usize| [axes[(r, 0)], axes[(r, 1)], axes[(r, 2)], centre[r]].map(|x| x as f32);
            Box32 {
                rows: [row(0), row(1), row(2)],
                half: [0, 1, 2].map(|i| obb.half[i] as f32),
                link: node.leaf | LEAF,
            }
        });
        let corner = |p: &Vec3| {
            let p = p - origin;
            f32x4::new([p.x as f32, p.y as f32, p.z as f32, 0.0])
        };
        let triangles = leaves.iter().map(|leaf| Triangle {
            corners: leaf.corners.each_ref().map(corner),
            owned_vertices: leaf.owned_vertices,
            owned_edges: leaf.owned_edges,
        });
        let mut boxes = Self {
            nodes: nodes.collect(),
            quads: Vec::new(),
            triangles: triangles.collect(),
            origin,
            size,
        };
        boxes.link(tree);
        boxes
    }

    /// Makes the quads, from the root down.
    fn link(&mut self, tree: &ObbTree) {
        let mut waiting = vec![0_u32];
        while let Some(index) = waiting.pop() {
            let node = &tree.nodes()[index as usize];
            if node.is_leaf() {
                continue;
            }
            let mut below = Vec::with_capacity(4);
            for child in [node.children, node.children + 1] {
                let child_node = &tree.nodes()[child as usize];
                if child_node.is_leaf() {
                    below.push(child);
                } else {
                    below.extend([child_node.children, child_node.children + 1]);
                }
            }
            waiting.extend(&below);
            below.resize(4, below[0]);
            let lane = |k: usize| &self.nodes[below[k] as usize];
            let lanes = |f: &dyn Fn(&Box32) -> f32| f32x4::new([0, 1, 2, 3].map(|k| f(lane(k))));
            let quad = Quad {
                rows: [0, 1, 2].map(|r| [0, 1, 2, 3].map(|c| lanes(&|b| b.rows[r][c]))),
                half: [0, 1, 2].map(|i| lanes(&|b| b.half[i])),
                nodes: [below[0], below[1], below[2], below[3]],
            };
            self.nodes[index as usize].link = self.quads.len() as u32;
            self.quads.push(quad);
        }
    }
}

/// From the boxes of A to the frame and the origin of those of B, with the rounding bound of the pair.
pub(crate) struct Shift {
    /// Rows of the rotation.
    rotation: [[f32; 3]; 3],
    translation: [f32; 3],
    slack: f32,
}

impl Shift {
    pub(crate) fn new(a: &Boxes, b: &Boxes, rotation: &Mat3, translation: &Vec3) -> Self {
        let shift = rotation * a.origin + translation - b.origin;
        let size = a.size + b.size + shift.x.abs() + shift.y.abs() + shift.z.abs();
        Self {
            rotation: [0, 1, 2].map(|r| [0, 1, 2].map(|c| rotation[(r, c)] as f32)),
            translation: [0, 1, 2].map(|i| shift[i] as f32),
            slack: if size < LARGEST {
                (SLACK * size) as f32
            } else {
                f32::INFINITY
            },
        }
    }

    /// A box of A, in B's frame.
    #[inline]
    pub(crate) fn apply(&self, a: &Box32) -> Box32 {
        let rows = [
            f32x4::new(a.rows[0]),
            f32x4::new(a.rows[1]),
            f32x4::new(a.rows[2]),
        ];
        let row = |m: &[f32; 3], shift: f32| {
            let turned = rows[0] * f32x4::splat(m[0])
                + rows[1] * f32x4::splat(m[1])
                + rows[2] * f32x4::splat(m[2]);
            (turned + f32x4::new([0.0, 0.0, 0.0, shift])).to_array()
        };
        let (m, t) = (&self.rotation, &self.translation);
        Box32 {
            rows: [row(&m[0], t[0]), row(&m[1], t[1]), row(&m[2], t[2])],
            ..*a
        }
    }

    /// Four boxes of A, in B's frame.
    #[inline]
    pub(crate) fn apply_to_quad(&self, a: &Quad) -> Quad {
        let mut out = *a;
        for (r, m) in self.rotation.iter().enumerate() {
            let m = [f32x4::splat(m[0]), f32x4::splat(m[1]), f32x4::splat(m[2])];
            for c in 0..4 {
                out.rows[r][c] = a.rows[0][c] * m[0] + a.rows[1][c] * m[1] + a.rows[2][c] * m[2];
            }
            out.rows[r][3] += f32x4::splat(self.translation[r]);
        }
        out
    }

    /// The feature pairs that two triangles own and that may be nearer than the root of `limit_squared`: those whose bounds along
    /// the axes of B's frame are.
    #[inline(always)]
    pub(crate) fn near_features(
        &self,
        a: &Triangle,
        b: &Triangle,
        limit_squared: f64,
    ) -> NearFeatures {
        let column = |c: usize| {
            let m = &self.rotation;
            f32x4::new([m[0][c], m[1][c], m[2][c], 0.0])
        };
        let (x, y, z) = (column(0), column(1), column(2));
        let t = &self.translation;
        let shift = f32x4::new([t[0], t[1], t[2], 0.0]);
        let turned = |p: &f32x4| {
            let p = p.to_array();
            x * f32x4::splat(p[0]) + y * f32x4::splat(p[1]) + z * f32x4::splat(p[2]) + shift
        };
        let p = [
            turned(&a.corners[0]),
            turned(&a.corners[1]),
            turned(&a.corners[2]),
        ];
        let q = &b.corners;
        let slack = f32x4::splat(self.slack);
        let near = |a: &Bounds, b: &Bounds| {
            let gaps = (a.low - b.high).fast_max(b.low - a.high) - slack;
            let [x, y, z, _] = positive_squared(gaps).to_array();
            f64::from((x + y + z) * ROUNDING) < limit_squared
        };
        let sides_a = [
            Bounds::of(p[0], p[1]),
            Bounds::of(p[1], p[2]),
            Bounds::of(p[2], p[0]),
        ];
        let sides_b = [
            Bounds::of(q[0], q[1]),
            Bounds::of(q[1], q[2]),
            Bounds::of(q[2], q[0]),
        ];
        let (face_a, face_b) = (sides_a[0].and(p[2]), sides_b[0].and(q[2]));
        let mut out = NearFeatures {
            vertices_of_a: 0,
            vertices_of_b: 0,
            edges: [0; 3],
        };
        for i in 0..3 {
            let bit = 1 << i;
            if a.owned_vertices & bit != 0 && near(&Bounds::of(p[i], p[i]), &face_b) {
                out.vertices_of_a |= bit;
            }
            if b.owned_vertices & bit != 0 && near(&Bounds::of(q[i], q[i]), &face_a) {
                out.vertices_of_b |= bit;
            }
            if a.owned_edges & bit != 0 && near(&sides_a[i], &face_b) {
                for j in 0..3 {
                    if b.owned_edges & (1 << j) != 0 && near(&sides_a[i], &sides_b[j]) {
                        out.edges[i] |= 1 << j;
                    }
                }
            }
        }
        out
    }

    /// Squares of lower bounds on the distances of a box and those of a quad, both in B's frame.
    #[inline]
    pub(crate) fn bounds_squared(&self, one: &Box32, four: &Quad) -> [f32; 4] {
        let slack = f32x4::splat(self.slack);
        let (p, q) = (&one.rows, &four.rows);
        let between = [
            q[0][3] - f32x4::splat(p[0][3]),
            q[1][3] - f32x4::splat(p[1][3]),
            q[2][3] - f32x4::splat(p[2][3]),
        ];
        let dot = |u: [f32x4; 3], v: [f32x4; 3]| (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]).abs();
        let column = |c: usize| [q[0][c], q[1][c], q[2][c]];
        let mut from_one = f32x4::splat(0.0);
        let mut radius = [
            four.half[0] + slack,
            four.half[1] + slack,
            four.half[2] + slack,
        ];
        for i in 0..3 {
            let axis = [
                f32x4::splat(p[0][i]),
                f32x4::splat(p[1][i]),
                f32x4::splat(p[2][i]),
            ];
            let half = f32x4::splat(one.half[i]);
            let mut across = half + slack;
            for j in 0..3 {
                let m = dot(axis, column(j));
                across += m * four.half[j];
                radius[j] += m * half;
            }
            from_one += positive_squared(dot(axis, between) - across);
        }
        let mut from_four = f32x4::splat(0.0);
        for j in 0..3 {
            from_four += positive_squared(dot(column(j), between) - radius[j]);
        }
        // No lane is NaN.
        let larger = from_one.fast_max(from_four);
        (larger * f32x4::splat(ROUNDING)).to_array()
    }
}

/// Squares of the positive lanes, 0 for the others and for NaN.
#[inline(always)]
fn positive_squared(x: f32x4) -> f32x4 {
    let positive = x & x.simd_gt(f32x4::ZERO);
    positive * positive
}

/// The boxes of A in B's frame that a query has met: each is met some five times.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    boxes: Vec<Box32>,
    /// The query that put a box there.
    queries: Vec<u32>,
    query: u32,
}

impl Moved {
    /// Before a query over this many boxes. Allocates when it meets a larger hierarchy than before.
    pub(crate) fn start(&mut self, nodes: usize) {
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            self.queries.fill(0);
            self.query = 1;
        }
        if self.boxes.len() < nodes {
            self.boxes.resize(nodes, Box32::NOWHERE);
            self.queries.resize(nodes, 0);
        }
    }

    /// Box `index` of `nodes`, shifted.
    #[inline(always)]
    pub(crate) fn get(&mut self, index: u32, nodes: &[Box32], shift: &Shift) -> &Box32 {
        let i = index as usize;
        if self.queries[i] != self.query {
            self.queries[i] = self.query;
            self.boxes[i] = shift.apply(&nodes[i]);
        }
        &self.boxes[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::MeshIndex;
    use crate::obb::distance_lower_bound;
    use hapticd_geometry::{Pose, Quat, shapes};

    /// Never above the bound in double precision, and near it: for scenes of all sizes and distances from the origin.
    #[test]
    fn below_the_double_precision_bound_and_close_to_it() {
        let mut compared = 0;
        for (size, far) in [(1.0, 0.0), (1e-3, 0.0), (1e3, 0.0), (0.1, 50.0)] {
            let at = Vec3::new(far, -far, 0.5 * far);
            let moved = |mesh: hapticd_geometry::TriMesh| {
                let positions = mesh.positions().iter().map(|p| p * size + at).collect();
                hapticd_geometry::TriMesh::new(positions, mesh.triangles().to_vec()).unwrap()
            };
            let a = MeshIndex::new(moved(shapes::torus(0.3, 0.1, 12, 8).unwrap()));
            let b = MeshIndex::new(moved(shapes::terrain([0.5, 0.5], 10, 0.1, 0.2, 3).unwrap()));
            let (a, b) = (a.surface().unwrap(), b.surface().unwrap());
            let (small_a, small_b) = (&a.boxes, &b.boxes);
            let (a, b) = (&a.tree, &b.tree);
            for k in 0..20 {
                let t = f64::from(k);
                let turn = Quat::from_scaled_axis(Vec3::new(0.3 * t, 0.5, -0.2 * t));
                let gap = Vec3::new(0.02 * t, 0.1, 0.05 * t) * size;
                let pose = Pose::from_parts((at + gap - turn * at).into(), turn);
                let rotation = *turn.to_rotation_matrix().matrix();
                let shift = Shift::new(small_a, small_b, &rotation, &pose.translation.vector);
                let mut compare = |i: u32, j: u32, squared: f32| {
                    let exact = a.nodes()[i as usize].obb().transformed(&pose);
                    let bound = distance_lower_bound(&exact, &b.nodes()[j as usize].obb());
                    let here = f64::from(squared).sqrt();
                    assert!(here <= bound, "{here} above {bound}");
                    let lost = bound - here - 1e-5 * bound;
                    let most = 2.0 * f64::from(shift.slack);
                    assert!(lost <= most, "{here} far below {bound}");
                    compared += usize::from(here > 0.0);
                };
                // One of A against four of B, and four of A against one of B.
                for i in (0..a.nodes().len()).step_by(7) {
                    let one = shift.apply(&small_a.nodes[i]);
                    for four in small_b.quads.iter().step_by(5) {
                        let bounds = shift.bounds_squared(&one, four);
                        for (j, squared) in four.nodes.into_iter().zip(bounds) {
                            compare(i as u32, j, squared);
                        }
                    }
                }
                for four in small_a.quads.iter().step_by(7) {
                    let four = shift.apply_to_quad(four);
                    for j in (0..b.nodes().len()).step_by(5) {
                        let bounds = shift.bounds_squared(&small_b.nodes[j], &four);
                        for (i, squared) in four.nodes.into_iter().zip(bounds) {
                            compare(i, j as u32, squared);
                        }
                    }
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    /// Coordinates that single precision cannot hold bound nothing.
    #[test]
    fn coordinates_out_of_range_give_zero() {
        let mesh = shapes::torus(1e18, 1e17, 8, 6).unwrap();
        let index = MeshIndex::new(mesh);
        let boxes = &index.surface().unwrap().boxes;
        let shift = Shift::new(boxes, boxes, &Mat3::identity(), &Vec3::new(1e19, 0.0, 0.0));
        let moved = shift.apply(&boxes.nodes[0]);
        let bounds = shift.bounds_squared(&moved, &boxes.quads[0]);
        assert_eq!(bounds, [0.0; 4]);
        let here = &boxes.triangles[0];
        let near = shift.near_features(here, here, 1e-30);
        assert_eq!(near.vertices_of_a, here.owned_vertices);
    }

    /// Every triangle is reached from the root exactly once, in trees of every small size.
    #[test]
    fn quads_lead_to_every_leaf_once() {
        for n in 3..40 {
            let positions = (0..n + 2).map(|k| {
                let t = f64::from(k);
                Vec3::new(t, (0.7 * t).sin(), f64::from(k % 2))
            });
            let triangles = (0..n as u32).map(|k| [k, k + 1, k + 2]).collect();
            let mesh = hapticd_geometry::TriMesh::new(positions.collect(), triangles).unwrap();
            let index = MeshIndex::new(mesh);
            let boxes = &index.surface().unwrap().boxes;
            let mut seen = vec![0; n as usize];
            let mut waiting = vec![0_u32];
            while let Some(node) = waiting.pop() {
                match boxes.nodes[node as usize].link() {
                    Link::Leaf(leaf) => seen[leaf as usize] += 1,
                    Link::Quad(quad) => waiting.extend(boxes.quads[quad as usize].below()),
                }
            }
            assert!(seen.iter().all(|&k| k == 1), "{n}: {seen:?}");
        }
    }

    #[test]
    fn boxes_and_triangles_are_one_cache_line() {
        assert_eq!((size_of::<Box32>(), size_of::<Triangle>()), (64, 64));
    }
}
