//! One box of a hierarchy in 32 bytes, and how it is packed and read.
//!
//! The centre is stored in single precision about the origin of the tree, the axes as a rotation
//! with 16 bits per component. The half sizes are rounded up by everything that the rest was
//! rounded. So a box as read encloses what it was made for, in the arithmetic of [`Obb::contains`].
//!
//! # Theory
//!
//! A box has 24 equivalent rotations: its axes can be permuted and reversed. The one nearest to the
//! identity turns by less than 62.8°, and its Rodrigues vector `tan(angle / 2) axis` has no
//! component above `tan(22.5°)` (the cubic fundamental zone). That range suits integers, and the
//! rotation follows by products and one quotient (Cayley), without a square root.
//!
//! # Practice
//!
//! Two words of 16 bytes, each a register of four lanes. A half size needs only 15 bits of
//! mantissa, so the low bytes of two of them hold a component of the rotation. The same formula
//! reads one box in double precision, one in single precision, and four in lanes.

use std::ops::{Add, Div, Mul, Sub};

use hapticd_geometry::{Mat3, Vec3};
use wide::bytemuck::cast;
use wide::{f32x4, i32x4};

use crate::obb::Obb;

/// Flag in [`Node::place`]: the box of one triangle.
const LEAF: u32 = 1 << 31;
/// Bit position in [`Node::place`] of an inner node: number of boxes of the group, less one. A mesh
/// has at most 2^24 triangles.
const COUNT: u32 = 29;
/// Bits of a half size that hold a part of the rotation.
const LOW: u32 = 0xff;
/// One step of a component of a Rodrigues vector: a little more than `tan(22.5°) / 32767`.
const STEP: f32 = 1.265e-5;

/// One box of the hierarchy, 32 bytes.
///
/// The two boxes below a box are contiguous. So are the two to four boxes below a box of an even
/// level when its children are skipped: see `Group`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(32))]
pub struct Node {
    /// Bits of the centre's coordinates, and the link: for a leaf, [`LEAF`] and the triangle;
    /// otherwise the first child and the size of the group.
    place: [u32; 4],
    /// Bits of the half sizes, rounded up. The low bytes of the first two hold the third component
    /// of the rotation. The fourth word holds the first and the second component.
    shape: [u32; 4],
}

/// What is below a box.
pub(crate) enum Link {
    /// These boxes.
    Quad(Group),
    /// This triangle.
    Leaf(u32),
}

/// Index range of two to four contiguous boxes that together hold all that a box holds. For a box
/// of an even level: its children's children, and its children where they are leaves. For others:
/// its children.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Group {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

impl Group {
    /// Indices of the boxes, by lane.
    #[inline(always)]
    pub(crate) fn below(self) -> std::ops::Range<u32> {
        self.first..self.first + self.count
    }
}

/// Axes in the form that a node stores: a quantized Rodrigues vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Turn([i16; 3]);

impl Turn {
    /// Quantizes orthonormal axes to the nearest representable ones, possibly permuted and
    /// reversed.
    pub(crate) fn nearest(axes: &Mat3) -> Self {
        let [x, y, z] = upright(axes);
        // Twice the sine of the angle times its axis, over 2 + 2 cosines.
        let by = 1.0 + x.x + y.y + z.z;
        let r = [y.z - z.y, z.x - x.z, x.y - y.x];
        Self(r.map(|x| (x / by / f64::from(STEP)).round().clamp(-32767.0, 32767.0) as i16))
    }

    /// The axes, as columns; orthonormal to rounding.
    #[inline(always)]
    pub(crate) fn axes(self) -> Mat3 {
        let step = f64::from(STEP);
        let [x, y, z] = self.0;
        let r = [
            f64::from(x) * step,
            f64::from(y) * step,
            f64::from(z) * step,
        ];
        let [[a, b, c], [d, e, f], [g, h, i]] = rotation(r, 1.0);
        Mat3::new(a, b, c, d, e, f, g, h, i)
    }
}

/// Permutes and reverses the axes so that they are nearest to the coordinate axes and right-handed.
fn upright(axes: &Mat3) -> [Vec3; 3] {
    const ORDERS: [([usize; 3], f64); 6] = [
        ([0, 1, 2], 1.0),
        ([1, 2, 0], 1.0),
        ([2, 0, 1], 1.0),
        ([0, 2, 1], -1.0),
        ([2, 1, 0], -1.0),
        ([1, 0, 2], -1.0),
    ];
    let hand = if axes.determinant() < 0.0 { -1.0 } else { 1.0 };
    let mut best = (f64::NEG_INFINITY, [Vec3::x(), Vec3::y(), Vec3::z()]);
    for (order, parity) in ORDERS {
        let on_diagonal = [0, 1, 2].map(|i| axes[(i, order[i])]);
        let mut signs = on_diagonal.map(|x| if x < 0.0 { -1.0 } else { 1.0 });
        let mut trace: f64 = on_diagonal.iter().map(|x| x.abs()).sum();
        if hand * parity * signs.iter().product::<f64>() < 0.0 {
            let least = Vec3::from(on_diagonal).iamin();
            signs[least] = -signs[least];
            trace -= 2.0 * on_diagonal[least].abs();
        }
        if trace > best.0 {
            best = (trace, [0, 1, 2].map(|i| axes.column(order[i]) * signs[i]));
        }
    }
    best.1
}

/// Rows of the rotation of a Rodrigues vector.
#[inline(always)]
fn rotation<T>([x, y, z]: [T; 3], one: T) -> [[T; 3]; 3]
where
    T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Div<Output = T>,
{
    let s = (one + one) / (one + (x * x + y * y + z * z));
    let (xs, ys, zs) = (x * s, y * s, z * s);
    let (xx, yy, zz) = (x * xs, y * ys, z * zs);
    let (xy, yz, zx) = (x * ys, y * zs, z * xs);
    [
        [one - (yy + zz), xy - zs, zx + ys],
        [xy + zs, one - (xx + zz), yz - xs],
        [zx - ys, yz + xs, one - (xx + yy)],
    ]
}

/// Rounds up to single precision with the bits `low` clear. Infinite if the value is not
/// representable.
fn up(x: f64, low: u32) -> u32 {
    let near = x as f32;
    let up = if f64::from(near) < x {
        near.next_up()
    } else {
        near
    };
    if up.is_nan() {
        return f32::INFINITY.to_bits();
    }
    // The carry goes into the exponent, which is correct for rounding up.
    (up.to_bits() + low) & !low
}

impl Node {
    pub(crate) const BLANK: Self = Self {
        place: [0, 0, 0, LEAF],
        shape: [0; 4],
    };

    /// Packs a box with the axes of `turn` about `center` (relative to the origin of the tree) that
    /// encloses the box with these half sizes.
    pub(crate) fn new(turn: Turn, center: &Vec3, half: &Vec3, link: u32) -> Self {
        let range = f64::from(f32::MAX);
        let kept = center.map(|x| x.clamp(-range, range) as f32);
        let moved = center - kept.map(f64::from);
        // Plus the rounding of the product.
        let rounding = 8.0 * f64::EPSILON * moved.amax();
        let half = half + turn.axes().tr_mul(&moved).abs().add_scalar(rounding);
        let [x, y, z] = turn.0;
        let [high, low] = z.to_be_bytes().map(u32::from);
        Self {
            place: [kept.x.to_bits(), kept.y.to_bits(), kept.z.to_bits(), link],
            shape: [
                up(half.x, LOW) | high,
                up(half.y, LOW) | low,
                up(half.z, 0),
                u32::from(x as u16) << 16 | u32::from(y as u16),
            ],
        }
    }

    /// Link for [`Node::new`]: index of the first of two children, and the size of the group.
    pub(crate) fn inner(children: u32, group: u32) -> u32 {
        children | (group - 1) << COUNT
    }

    /// Link for [`Node::new`]: a leaf with this triangle.
    pub(crate) fn leaf(triangle: u32) -> u32 {
        triangle | LEAF
    }

    /// The stored words.
    pub(super) fn words(&self) -> [u32; 8] {
        cast([self.place, self.shape])
    }

    /// Reads a node from its words; `check` in the module `bytes` defines which are valid.
    pub(super) fn from_words(words: [u32; 8]) -> Self {
        let [place, shape] = cast(words);
        Self { place, shape }
    }

    /// Whether the node holds one triangle.
    #[inline(always)]
    #[must_use]
    pub fn is_leaf(&self) -> bool {
        self.place[3] & LEAF != 0
    }

    /// Index of the first child of an inner node; the second is the next one. Meaningless for a
    /// leaf.
    #[inline(always)]
    #[must_use]
    pub fn children(&self) -> u32 {
        self.place[3] & ((1 << COUNT) - 1)
    }

    /// Triangle of a leaf. Meaningless for an inner node.
    #[inline(always)]
    #[must_use]
    pub fn triangle(&self) -> u32 {
        self.place[3] & !LEAF
    }

    #[inline(always)]
    pub(crate) fn link(&self) -> Link {
        if self.is_leaf() {
            return Link::Leaf(self.triangle());
        }
        let count = (self.place[3] >> COUNT) + 1;
        Link::Quad(Group {
            first: self.children() + count - 2,
            count,
        })
    }

    /// Half sizes in single precision.
    #[inline(always)]
    pub(crate) fn half32(&self) -> [f32; 3] {
        let [x, y, z, _] = self.shape;
        [
            f32::from_bits(x & !LOW),
            f32::from_bits(y & !LOW),
            f32::from_bits(z),
        ]
    }

    /// Square of half the diagonal.
    #[inline(always)]
    #[must_use]
    pub fn size(&self) -> f32 {
        let [x, y, z] = self.half32();
        x * x + y * y + z * z
    }

    /// Half sizes of the box.
    #[inline(always)]
    #[must_use]
    pub fn half(&self) -> Vec3 {
        let [x, y, z] = self.half32();
        Vec3::new(x.into(), y.into(), z.into())
    }

    /// Centre of the box, relative to the origin of the tree.
    #[inline(always)]
    pub(crate) fn center32(&self) -> [f32; 3] {
        let [x, y, z, _] = self.place;
        [f32::from_bits(x), f32::from_bits(y), f32::from_bits(z)]
    }

    #[inline(always)]
    fn turn(&self) -> Turn {
        let [high, low, _, others] = self.shape;
        Turn([
            (others >> 16) as i16,
            others as i16,
            ((high & LOW) << 8 | low & LOW) as i16,
        ])
    }

    /// The box, given the `origin` of the tree.
    #[inline(always)]
    pub(crate) fn obb(&self, origin: &Vec3) -> Obb {
        let [x, y, z] = self.center32();
        let center = Vec3::new(x.into(), y.into(), z.into());
        Obb {
            center: origin + center,
            axes: self.turn().axes(),
            half: self.half(),
        }
    }

    /// Rows of the axes in single precision.
    #[inline(always)]
    pub(crate) fn axes32(&self) -> [[f32; 3]; 3] {
        let [x, y, z] = self.turn().0;
        let r = [
            f32::from(x) * STEP,
            f32::from(y) * STEP,
            f32::from(z) * STEP,
        ];
        rotation(r, 1.0)
    }
}

/// Four boxes, one per lane: rows of the matrix of axes, with the centre as fourth column; half
/// sizes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Quad {
    pub(crate) rows: [[f32x4; 4]; 3],
    pub(crate) half: [f32x4; 3],
}

impl Quad {
    /// Gathers the boxes of a group; unused lanes repeat the first.
    #[inline(always)]
    pub(crate) fn of(nodes: &[Node], group: Group) -> Self {
        let node = |k: u32| {
            let lane = if k < group.count { k } else { 0 };
            &nodes[(group.first + lane) as usize]
        };
        let four = [node(0), node(1), node(2), node(3)];
        let places: [f32x4; 4] = four.map(|node| cast(node.place));
        let shapes: [f32x4; 4] = four.map(|node| cast(node.shape));
        let [cx, cy, cz, _] = f32x4::transpose(places);
        let [hx, hy, hz, others] = f32x4::transpose(shapes);
        let [high, low, others]: [i32x4; 3] = [hx, hy, others].map(cast);
        let bits = i32x4::splat(LOW as i32);
        let turn: [i32x4; 3] = [
            others >> 16,
            (others << 16) >> 16,
            ((high << 24) >> 16) | (low & bits),
        ];
        let turn = turn.map(|x| x.round_float() * f32x4::splat(STEP));
        let [x, y, z] = rotation(turn, f32x4::splat(1.0));
        let half = |word: i32x4| cast::<i32x4, f32x4>(word & !bits);
        Self {
            rows: [
                [x[0], x[1], x[2], cx],
                [y[0], y[1], y[2], cy],
                [z[0], z[1], z[2], cz],
            ],
            half: [half(high), half(low), hz],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::Quat;

    struct Random(u64);

    impl Random {
        /// Between -1 and 1.
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn vector(&mut self) -> Vec3 {
            Vec3::new(self.next(), self.next(), self.next())
        }
    }

    /// For any axes, each is along one of the stored axes to within a step.
    #[test]
    fn axes_are_kept_to_a_step() {
        let mut random = Random(1);
        let upright = Turn::nearest(&Mat3::identity());
        assert_eq!(upright.axes(), Mat3::identity());
        for k in 0..20_000 {
            let turn = Quat::from_scaled_axis(random.vector() * 4.0);
            let mut axes = *turn.to_rotation_matrix().matrix();
            if k % 3 == 0 {
                axes.swap_columns(0, 2);
            }
            let kept = Turn::nearest(&axes).axes();
            assert!((kept.tr_mul(&kept) - Mat3::identity()).amax() < 1e-15);
            let between = kept.tr_mul(&axes).abs();
            for i in 0..3 {
                let (along, across) = (between.column(i).max(), between.column(i).sum());
                assert!(across - along < 4.0 * f64::from(STEP), "{between}");
            }
        }
    }

    /// A box of any size anywhere encloses its original and is little larger.
    #[test]
    fn a_kept_box_encloses_what_it_was_made_for() {
        let mut random = Random(2);
        for exponent in -45..=38 {
            for from_center in [0.0, 1.0, 1e4] {
                let size = 10_f64.powi(exponent);
                for _ in 0..50 {
                    let turn = Turn::nearest(
                        Quat::from_scaled_axis(random.vector() * 4.0)
                            .to_rotation_matrix()
                            .matrix(),
                    );
                    let center = random.vector() * size * from_center;
                    let half = random.vector().abs() * size;
                    let node = Node::new(turn, &center, &half, Node::leaf(7));
                    let kept = node.obb(&Vec3::zeros());
                    for corner in 0..8 {
                        let sign = |k: usize| if corner >> k & 1 == 0 { 1.0 } else { -1.0 };
                        let signs = Vec3::new(sign(0), sign(1), sign(2));
                        let p = center + kept.axes * half.component_mul(&signs);
                        let slack = 4.0 * f64::EPSILON * (center.amax() + half.amax());
                        assert!(kept.contains(&p, slack), "{p} of {center} {half}: {kept:?}");
                    }
                    // Sizes that single precision cannot hold become infinite or vanish.
                    if (1e-35..1e34).contains(&size) {
                        let wider = kept.half - half;
                        let most = 4e-5 * half.amax() + 2e-7 * center.amax();
                        assert!(wider.amax() <= most, "{wider} of {half} at {center}");
                    }
                    assert_eq!((node.is_leaf(), node.triangle()), (true, 7));
                }
            }
        }
        let lost = Node::new(Turn([0; 3]), &Vec3::zeros(), &Vec3::repeat(f64::NAN), 0);
        assert_eq!(lost.half(), Vec3::repeat(f64::INFINITY));
    }

    /// Lanes equal single boxes to the bit, and boxes in double precision to rounding.
    #[test]
    fn four_boxes_are_each_of_them() {
        let mut random = Random(3);
        for count in 2..=4 {
            let nodes: Vec<Node> = (0..6)
                .map(|k| {
                    let turn = Quat::from_scaled_axis(random.vector() * 4.0);
                    let turn = Turn::nearest(turn.to_rotation_matrix().matrix());
                    let half = random.vector().abs();
                    Node::new(turn, &random.vector(), &half, Node::leaf(k))
                })
                .collect();
            let group = Group { first: 1, count };
            let quad = Quad::of(&nodes, group);
            for lane in 0..4 {
                let node = &nodes[if lane < count { 1 + lane } else { 1 } as usize];
                let exact = node.obb(&Vec3::zeros());
                let at = |x: f32x4| x.to_array()[lane as usize];
                for r in 0..3 {
                    let row = quad.rows[r].map(at);
                    assert_eq!(row[..3], node.axes32()[r]);
                    assert_eq!(row[3], node.center32()[r]);
                    assert_eq!(at(quad.half[r]), node.half32()[r]);
                    for c in 0..3 {
                        let wrong = f64::from(row[c]) - exact.axes[(r, c)];
                        assert!(wrong.abs() < 10.0 * f64::from(f32::EPSILON) / 2.0);
                    }
                }
            }
        }
        assert_eq!(size_of::<Node>(), 32);
    }
}
