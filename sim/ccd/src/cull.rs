//! Boxes in single precision, four at a time: lower bounds on distance at a fifth of the cost.
//!
//! A proximity query spends most of its time on bounds of box pairs that it then discards. A bound
//! need not be tight to the last digit; it only must never exceed the distance. So the boxes are
//! read in `f32`, as they are stored, about the origin of their tree. [`SLACK`] bounds what
//! rounding may do to a gap along one axis and is subtracted from every gap. Distances that a
//! caller sees are never computed here.
//!
//! # Theory
//!
//! The bound is that of [`crate::obb::distance_lower_bound`]: the length of the gap vector between
//! one box and the bounds of the other in its axes, or the reverse, whichever is larger. Let `u` be
//! the unit roundoff and `S` the largest coordinate of either hierarchy (1-norms, including the
//! shift between them). Rounding enters in three places:
//!
//! - The axes are computed from three angles. Each number is wrong by less than `10 u`, a product
//!   of two by less than `35 u`: `35 u S`.
//! - Turning A's boxes into B's frame: `12 u S`.
//! - The products of the test: `20 u S`.
//!
//! So a gap along one axis is wrong by less than `70 u S`. Centres and half sizes are stored in
//! single precision and enclose as they are. The slack is `128 u S`. The axes are orthonormal to
//! `40 u` only; a factor of `1 - 1e-5` on the square covers that.
//!
//! The hierarchy is made four wide by skipping every other level. One box is tested against the
//! four below another at once, one per lane, with arithmetic that every machine of the architecture
//! has: the same bits everywhere. The boxes below one box are contiguous and are arranged in lanes
//! on request ([`Quad`]). Of a triangle, only what it owns is stored, in one byte; its corners are
//! gathered from the vertices in single precision.

use hapticd_geometry::{Mat3, TriMesh, Vec3};
use wide::f32x4;

use crate::tree::{Node, ObbTree, Quad};

/// Bound on the rounding error of a gap, in units of the size of the coordinates.
const SLACK: f64 = 64.0 * f32::EPSILON as f64;
/// Largest coordinates for which the arithmetic cannot overflow, metres. Beyond, every bound is 0:
/// slow, not wrong.
const LARGEST: f64 = 1e15;
/// Factor on the square of a bound; see the theory.
const ROUNDING: f32 = 1.0 - 1e-5;
/// One unpacked box: a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Box32 {
    /// Rows x, y, z of the matrix of axes; the fourth column is the centre.
    rows: [[f32; 4]; 3],
    /// Half sizes.
    half: [f32; 3],
}

impl Box32 {
    const NOWHERE: Self = Self {
        rows: [[0.0; 4]; 3],
        half: [0.0; 3],
    };

    #[inline(always)]
    pub(crate) fn of(node: &Node) -> Self {
        let ([x, y, z], center) = (node.axes32(), node.center32());
        Self {
            rows: [
                [x[0], x[1], x[2], center[0]],
                [y[0], y[1], y[2], center[1]],
                [z[0], z[1], z[2], center[2]],
            ],
            half: node.half32(),
        }
    }
}

/// The corners of a triangle, and which of its corners and sides it owns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Triangle<'a> {
    corners: [&'a [f32; 4]; 3],
    owned: Owned,
}

/// One bit for each corner that a triangle owns, and one for each side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Owned(u8);

impl Owned {
    pub(crate) fn new(vertices: u8, edges: u8) -> Self {
        Self(vertices | edges << 3)
    }

    #[inline(always)]
    pub(crate) fn vertices(self) -> u8 {
        self.0 & 0b111
    }

    #[inline(always)]
    pub(crate) fn edges(self) -> u8 {
        self.0 >> 3
    }
}

/// Feature pairs of two triangles that may be in reach: one bit per corner, and per side of B for
/// each side of A.
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

/// Single-precision data of a mesh, apart from its boxes.
#[derive(Clone, Debug)]
pub(crate) struct Small {
    /// Vertices about the origin of the tree; the fourth component is zero.
    points: Vec<[f32; 4]>,
    /// Owned features, by triangle.
    pub(crate) owned: Vec<Owned>,
    /// Origin of the tree.
    origin: Vec3,
    /// Largest 1-norm of a box: centre plus half sizes.
    size: f64,
}

impl Small {
    /// `owned` returns the features that a triangle owns.
    pub(crate) fn new(tree: &ObbTree, mesh: &TriMesh, owned: impl Fn(u32) -> Owned) -> Self {
        let origin = *tree.origin();
        let one_norm = |v: [f32; 3]| v.iter().map(|x| f64::from(x.abs())).sum::<f64>();
        let boxes = tree.nodes().iter();
        let point = |p: &Vec3| {
            let [x, y, z]: [f64; 3] = (p - origin).into();
            [x as f32, y as f32, z as f32, 0.0]
        };
        Self {
            points: mesh.positions().iter().map(point).collect(),
            owned: (0..mesh.triangles().len() as u32).map(owned).collect(),
            size: boxes
                .map(|node| one_norm(node.center32()) + one_norm(node.half32()))
                .fold(0.0, f64::max),
            origin,
        }
    }

    /// A triangle, given its index and its vertices.
    #[inline(always)]
    pub(crate) fn triangle(&self, triangle: u32, vertices: &[u32; 3]) -> Triangle<'_> {
        let [p, q, r] = *vertices;
        let point = |v: u32| &self.points[v as usize];
        Triangle {
            corners: [point(p), point(q), point(r)],
            owned: self.owned[triangle as usize],
        }
    }
}

/// Takes boxes of A to the frame and the origin of those of B, with the rounding bound of the pair.
pub(crate) struct Shift {
    /// Rows of the rotation.
    rotation: [[f32; 3]; 3],
    translation: [f32; 3],
    slack: f32,
}

impl Shift {
    pub(crate) fn new(a: &Small, b: &Small, rotation: &Mat3, translation: &Vec3) -> Self {
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

    /// Takes a box of A to B's frame.
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
            half: a.half,
        }
    }

    /// Takes four boxes of A to B's frame.
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

    /// Returns the feature pairs that two triangles own and that may be nearer than the root of
    /// `limit_squared`, judged by their bounds along the axes of B's frame.
    #[inline(always)]
    pub(crate) fn near_features(
        &self,
        a: &Triangle<'_>,
        b: &Triangle<'_>,
        limit_squared: f64,
    ) -> NearFeatures {
        let column = |c: usize| {
            let m = &self.rotation;
            f32x4::new([m[0][c], m[1][c], m[2][c], 0.0])
        };
        let (x, y, z) = (column(0), column(1), column(2));
        let t = &self.translation;
        let shift = f32x4::new([t[0], t[1], t[2], 0.0]);
        let turned = |[px, py, pz, _]: &[f32; 4]| {
            x * f32x4::splat(*px) + y * f32x4::splat(*py) + z * f32x4::splat(*pz) + shift
        };
        let p = [
            turned(a.corners[0]),
            turned(a.corners[1]),
            turned(a.corners[2]),
        ];
        let q = [
            f32x4::new(*b.corners[0]),
            f32x4::new(*b.corners[1]),
            f32x4::new(*b.corners[2]),
        ];
        let (vertices_a, edges_a) = (a.owned.vertices(), a.owned.edges());
        let (vertices_b, edges_b) = (b.owned.vertices(), b.owned.edges());
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
            if vertices_a & bit != 0 && near(&Bounds::of(p[i], p[i]), &face_b) {
                out.vertices_of_a |= bit;
            }
            if vertices_b & bit != 0 && near(&Bounds::of(q[i], q[i]), &face_a) {
                out.vertices_of_b |= bit;
            }
            if edges_a & bit != 0 && near(&sides_a[i], &face_b) {
                for j in 0..3 {
                    if edges_b & (1 << j) != 0 && near(&sides_a[i], &sides_b[j]) {
                        out.edges[i] |= 1 << j;
                    }
                }
            }
        }
        out
    }

    /// Squares of lower bounds on the distances between one box and the boxes of a quad, all in B's
    /// frame.
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

/// Maximum number of boxes that [`Moved`] keeps: 2.25 MiB. In a larger hierarchy, boxes that share
/// a slot evict each other.
const MOVED: usize = 1 << 15;

/// Cache of boxes of A in B's frame during a query: each is used some five times.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    /// The boxes, by the low bits of their index. The length is a power of two, at most [`MOVED`].
    boxes: Vec<Box32>,
    /// For each slot, the query that filled it and the index of the box.
    of: Vec<(u32, u32)>,
    query: u32,
}

impl Moved {
    /// Starts a query over a hierarchy of this many nodes. Allocates if the hierarchy is larger
    /// than all before.
    pub(crate) fn start(&mut self, nodes: usize) {
        self.query = self.query.wrapping_add(1);
        if self.query == 0 {
            self.of.fill((0, 0));
            self.query = 1;
        }
        let places = nodes.min(MOVED).next_power_of_two();
        if self.boxes.len() < places {
            self.boxes.resize(places, Box32::NOWHERE);
            self.of.resize(places, (0, 0));
        }
    }

    /// Box `index` of `nodes` in B's frame.
    #[inline(always)]
    pub(crate) fn get(&mut self, index: u32, nodes: &[Node], shift: &Shift) -> &Box32 {
        let i = index as usize & (self.boxes.len() - 1);
        if self.of[i] != (self.query, index) {
            self.of[i] = (self.query, index);
            self.boxes[i] = shift.apply(&Box32::of(&nodes[index as usize]));
        }
        &self.boxes[i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::index::MeshIndex;
    use crate::obb::distance_lower_bound;
    use crate::tree::{Group, Link};
    use hapticd_geometry::{Pose, Quat, shapes};

    fn groups(tree: &ObbTree) -> impl Iterator<Item = Group> + '_ {
        tree.nodes().iter().filter_map(|node| match node.link() {
            Link::Quad(group) => Some(group),
            Link::Leaf(_) => None,
        })
    }

    /// Never above the bound in double precision, and close to it, for scenes of all sizes and
    /// distances from the origin.
    #[test]
    fn below_the_double_precision_bound_and_close_to_it() {
        let mut compared = 0;
        for (size, far) in [(1.0, 0.0), (1e-3, 0.0), (1e3, 0.0), (0.1, 50.0)] {
            let at = Vec3::new(far, -far, 0.5 * far);
            let moved = |mesh: TriMesh| {
                let positions = mesh.positions().iter().map(|p| p * size + at).collect();
                TriMesh::new(positions, mesh.triangles().to_vec()).unwrap()
            };
            let a = MeshIndex::new(moved(shapes::torus(0.3, 0.1, 12, 8).unwrap()));
            let b = MeshIndex::new(moved(shapes::terrain([0.5, 0.5], 10, 0.1, 0.2, 3).unwrap()));
            let (a, b) = (a.surface().unwrap(), b.surface().unwrap());
            let (small_a, small_b) = (&a.small, &b.small);
            let (a, b) = (&a.tree, &b.tree);
            let read = |tree: &ObbTree, i: usize| Box32::of(&tree.nodes()[i]);
            for k in 0..20 {
                let t = f64::from(k);
                let turn = Quat::from_scaled_axis(Vec3::new(0.3 * t, 0.5, -0.2 * t));
                let gap = Vec3::new(0.02 * t, 0.1, 0.05 * t) * size;
                let pose = Pose::from_parts((at + gap - turn * at).into(), turn);
                let rotation = *turn.to_rotation_matrix().matrix();
                let shift = Shift::new(small_a, small_b, &rotation, &pose.translation.vector);
                let mut compare = |i: u32, j: u32, squared: f32| {
                    let bound = distance_lower_bound(&a.obb(i).transformed(&pose), &b.obb(j));
                    let here = f64::from(squared).sqrt();
                    assert!(here <= bound, "{here} above {bound}");
                    let lost = bound - here - 1e-5 * bound;
                    let most = 2.0 * f64::from(shift.slack);
                    assert!(lost <= most, "{here} far below {bound}");
                    compared += usize::from(here > 0.0);
                };
                // One of A against four of B, and four of A against one of B.
                for i in (0..a.nodes().len()).step_by(7) {
                    let one = shift.apply(&read(a, i));
                    for group in groups(b).step_by(5) {
                        let bounds = shift.bounds_squared(&one, &Quad::of(b.nodes(), group));
                        for (j, squared) in group.below().zip(bounds) {
                            compare(i as u32, j, squared);
                        }
                    }
                }
                for group in groups(a).step_by(7) {
                    let four = shift.apply_to_quad(&Quad::of(a.nodes(), group));
                    for j in (0..b.nodes().len()).step_by(5) {
                        let bounds = shift.bounds_squared(&read(b, j), &four);
                        for (i, squared) in group.below().zip(bounds) {
                            compare(i, j as u32, squared);
                        }
                    }
                }
            }
        }
        assert!(compared > 10_000, "{compared}");
    }

    /// Coordinates that single precision cannot hold give a bound of zero.
    #[test]
    fn coordinates_out_of_range_give_zero() {
        let mesh = shapes::torus(1e18, 1e17, 8, 6).unwrap();
        let index = MeshIndex::new(mesh);
        let surface = index.surface().unwrap();
        let (small, nodes) = (&surface.small, surface.tree.nodes());
        let shift = Shift::new(small, small, &Mat3::identity(), &Vec3::new(1e19, 0.0, 0.0));
        let moved = shift.apply(&Box32::of(&nodes[0]));
        let Link::Quad(group) = nodes[0].link() else {
            panic!("a leaf");
        };
        let bounds = shift.bounds_squared(&moved, &Quad::of(nodes, group));
        assert_eq!(bounds, [0.0; 4]);
        let here = small.triangle(0, &index.mesh().unwrap().triangles()[0]);
        let near = shift.near_features(&here, &here, 1e-30);
        assert_eq!(near.vertices_of_a, here.owned.vertices());
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
            let mesh = TriMesh::new(positions.collect(), triangles).unwrap();
            let index = MeshIndex::new(mesh);
            let nodes = index.tree().unwrap().nodes();
            let mut seen = vec![0; n as usize];
            let mut waiting = vec![0_u32];
            while let Some(node) = waiting.pop() {
                match nodes[node as usize].link() {
                    Link::Leaf(triangle) => seen[triangle as usize] += 1,
                    Link::Quad(group) => waiting.extend(group.below()),
                }
            }
            assert!(seen.iter().all(|&k| k == 1), "{n}: {seen:?}");
        }
    }

    #[test]
    fn a_box_that_is_read_is_one_cache_line() {
        assert_eq!((size_of::<Box32>(), size_of::<Owned>()), (64, 1));
    }
}
