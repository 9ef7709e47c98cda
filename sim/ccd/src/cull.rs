//! Boxes in single precision, one cache line each: lower bounds on distance at a third of the cost.
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
//! Four lanes throughout: the fourth holds the centre, so one product serves axes and centre alike.

use std::ops::{Add, Mul, Sub};

use hapticd_geometry::{Mat3, Vec3};

use crate::tree::ObbTree;

/// Bound on the rounding error of a gap, in units of the size of the coordinates.
const SLACK: f64 = 64.0 * f32::EPSILON as f64;
/// Coordinates up to which the arithmetic cannot overflow, metres. Beyond, every bound is 0: slow, not wrong.
const LARGEST: f64 = 1e15;
/// On the square of a bound, see the theory.
const ROUNDING: f32 = 1.0 - 1e-5;
/// In [`Box32::link`]: the box of one triangle.
const LEAF: u32 = 1 << 31;

/// Four lanes.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(16))]
pub(crate) struct F4([f32; 4]);

impl F4 {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; 4])
    }

    #[inline(always)]
    fn map(self, f: impl Fn(f32) -> f32) -> Self {
        Self([f(self.0[0]), f(self.0[1]), f(self.0[2]), f(self.0[3])])
    }

    #[inline(always)]
    fn zip(self, b: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        let (a, b) = (self.0, b.0);
        Self([f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2]), f(a[3], b[3])])
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32::abs)
    }

    /// Squares of what is positive, the first three lanes added up.
    #[inline(always)]
    fn gap_squared(self) -> f32 {
        let g = self.map(|x| if x > 0.0 { x } else { 0.0 });
        let g = (g * g).0;
        g[0] + g[1] + g[2]
    }
}

impl Add for F4 {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        self.zip(b, |x, y| x + y)
    }
}

impl Sub for F4 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self.zip(b, |x, y| x - y)
    }
}

impl Mul for F4 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        self.zip(b, |x, y| x * y)
    }
}

/// One box of the hierarchy and where it leads.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Box32 {
    /// Rows x, y, z of the matrix of axes; fourth lane: of the centre.
    rows: [F4; 3],
    /// Half sizes.
    half: [f32; 3],
    /// First child, the second is the next one; with [`LEAF`] the position in leaf order.
    link: u32,
}

/// Where a box leads.
pub(crate) enum Link {
    /// To this node and the next one.
    Children(u32),
    /// To this triangle, in leaf order.
    Leaf(u32),
}

impl Box32 {
    #[inline(always)]
    pub(crate) fn link(&self) -> Link {
        if self.link & LEAF == 0 {
            Link::Children(self.link)
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

/// The boxes of one hierarchy.
#[derive(Clone, Debug)]
pub(crate) struct Boxes {
    /// As in [`ObbTree::nodes`].
    pub(crate) nodes: Vec<Box32>,
    /// Where coordinates are counted from, in the frame of the mesh.
    origin: Vec3,
    /// No coordinate of a point of a box is larger.
    size: f64,
}

impl Boxes {
    pub(crate) fn new(tree: &ObbTree) -> Self {
        let origin = tree.nodes()[0].obb.center;
        let mut size: f64 = 0.0;
        let one_norm = |v: &Vec3| v.x.abs() + v.y.abs() + v.z.abs();
        let nodes = tree.nodes().iter().map(|node| {
            let centre = node.obb.center - origin;
            size = size.max(one_norm(&centre) + one_norm(&node.obb.half));
            let axes = &node.obb.axes;
            let row = |r: usize| {
                F4([axes[(r, 0)], axes[(r, 1)], axes[(r, 2)], centre[r]].map(|x| x as f32))
            };
            Box32 {
                rows: [row(0), row(1), row(2)],
                half: [0, 1, 2].map(|i| node.obb.half[i] as f32),
                link: if node.is_leaf() {
                    node.leaf | LEAF
                } else {
                    node.children
                },
            }
        });
        let nodes = nodes.collect();
        Self {
            nodes,
            origin,
            size,
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
    #[inline(always)]
    pub(crate) fn apply(&self, a: &Box32) -> Box32 {
        let row = |m: &[f32; 3], shift: f32| {
            a.rows[0] * F4::splat(m[0])
                + a.rows[1] * F4::splat(m[1])
                + a.rows[2] * F4::splat(m[2])
                + F4([0.0, 0.0, 0.0, shift])
        };
        let (m, t) = (&self.rotation, &self.translation);
        Box32 {
            rows: [row(&m[0], t[0]), row(&m[1], t[1]), row(&m[2], t[2])],
            half: a.half,
            link: a.link,
        }
    }

    /// Square of a lower bound on the distance of two boxes in B's frame.
    #[inline(always)]
    pub(crate) fn bound_squared(&self, a: &Box32, b: &Box32) -> f32 {
        let (ra, rb) = (&a.rows, &b.rows);
        let d = (
            rb[0].0[3] - ra[0].0[3],
            rb[1].0[3] - ra[1].0[3],
            rb[2].0[3] - ra[2].0[3],
        );
        let with = |row: &F4, last: f32| F4([row.0[0], row.0[1], row.0[2], last]);
        let (x, y, z) = (with(&ra[0], d.0), with(&ra[1], d.1), with(&ra[2], d.2));
        let along =
            |u: f32, v: f32, w: f32| (x * F4::splat(u) + y * F4::splat(v) + z * F4::splat(w)).abs();
        // Lanes 0 to 2: axis j of B along the axes of A; lane 3: along the line of centres.
        let m0 = along(rb[0].0[0], rb[1].0[0], rb[2].0[0]);
        let m1 = along(rb[0].0[1], rb[1].0[1], rb[2].0[1]);
        let m2 = along(rb[0].0[2], rb[1].0[2], rb[2].0[2]);
        let centres = along(d.0, d.1, d.2);
        let slack = F4::splat(self.slack);
        let (ha, hb) = (&a.half, &b.half);
        let radius_a = F4([ha[0], ha[1], ha[2], 0.0])
            + slack
            + m0 * F4::splat(hb[0])
            + m1 * F4::splat(hb[1])
            + m2 * F4::splat(hb[2]);
        let from_a = (centres - radius_a).gap_squared();
        // The same from B: the transpose of `m`.
        let turned = |i: usize| F4([m0.0[i], m1.0[i], m2.0[i], 0.0]);
        let radius_b = F4([hb[0], hb[1], hb[2], 0.0])
            + slack
            + turned(0) * F4::splat(ha[0])
            + turned(1) * F4::splat(ha[1])
            + turned(2) * F4::splat(ha[2]);
        let from_b = (turned(3) - radius_b).gap_squared();
        // Not `f32::max`, which costs a test for NaN; `gap_squared` gives none.
        ROUNDING * if from_a > from_b { from_a } else { from_b }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
            let a = ObbTree::new(&moved(shapes::torus(0.3, 0.1, 12, 8).unwrap()));
            let b = ObbTree::new(&moved(
                shapes::terrain([0.5, 0.5], 10, 0.1, 0.2, 3).unwrap(),
            ));
            let (small_a, small_b) = (Boxes::new(&a), Boxes::new(&b));
            for k in 0..20 {
                let t = f64::from(k);
                let turn = Quat::from_scaled_axis(Vec3::new(0.3 * t, 0.5, -0.2 * t));
                let gap = Vec3::new(0.02 * t, 0.1, 0.05 * t) * size;
                let pose = Pose::from_parts((at + gap - turn * at).into(), turn);
                let rotation = *turn.to_rotation_matrix().matrix();
                let shift = Shift::new(&small_a, &small_b, &rotation, &pose.translation.vector);
                for i in (0..a.nodes().len()).step_by(7) {
                    let (exact, rough) = (
                        a.nodes()[i].obb.transformed(&pose),
                        shift.apply(&small_a.nodes[i]),
                    );
                    for j in (0..b.nodes().len()).step_by(5) {
                        let bound = distance_lower_bound(&exact, &b.nodes()[j].obb);
                        let here = f64::from(shift.bound_squared(&rough, &small_b.nodes[j])).sqrt();
                        assert!(here <= bound, "{here} above {bound}");
                        let lost = bound - here - 1e-5 * bound;
                        assert!(
                            lost <= 2.0 * f64::from(shift.slack),
                            "{here} far below {bound}"
                        );
                        compared += usize::from(here > 0.0);
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
        let tree = ObbTree::new(&mesh);
        let boxes = Boxes::new(&tree);
        let shift = Shift::new(
            &boxes,
            &boxes,
            &Mat3::identity(),
            &Vec3::new(1e19, 0.0, 0.0),
        );
        let moved = shift.apply(&boxes.nodes[0]);
        assert_eq!(shift.bound_squared(&moved, &boxes.nodes[0]), 0.0);
    }

    #[test]
    fn one_box_is_one_cache_line() {
        assert_eq!(size_of::<Box32>(), 64);
    }
}
