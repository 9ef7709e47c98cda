//! First contact of one feature pair on an algebraic motion: a cubic, its roots, and their
//! validation.

use hapticd_ccd::pair::{FeaturePair, PairDistance, PairKind, closest};
use hapticd_geometry::Vec3;

use super::AlgebraicMotion;
use super::cubic::roots_in;

/// An edge, metres.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    /// One end.
    pub start: Vec3,
    /// From there to the other end.
    pub along: Vec3,
}

impl Edge {
    /// The edge between two points.
    #[must_use]
    pub fn between(start: &Vec3, end: &Vec3) -> Self {
        Self {
            start: *start,
            along: end - start,
        }
    }
}

/// Coefficients, constant first, of the coplanarity function of two edges, times `1 + tau^2`, in
/// the fraction of the shift (Redon 2002, equation 2.27 with `tau = T f`).
///
/// The first edge, `a` to `a + e`, moves by `s` while it turns by `2 atan(T)` about z; the second,
/// `c` to `c + f`, is static. All in the screw frame. Cubic metres.
#[must_use]
#[allow(clippy::many_single_char_names)]
pub fn edge_edge(first: &Edge, second: &Edge, s: f64, half_tangent: f64) -> [f64; 4] {
    let (Edge { start: a, along: e }, Edge { start: c, along: f }) = (first, second);
    let t = half_tangent;
    let rise = a.z - c.z;
    let a2 = f.x * e.y - f.y * e.x;
    let a3 = f.x * e.x + f.y * e.y;
    let a0 = rise * a2 + e.z * (a.x * f.y - a.y * f.x) + f.z * (c.x * e.y - c.y * e.x);
    let a1 = rise * a3 - e.z * (f.x * a.x + f.y * a.y) + f.z * (c.x * e.x + c.y * e.y);
    let a4 = e.z * (f.x * c.y - f.y * c.x) + f.z * (e.x * a.y - e.y * a.x);
    [
        a0 + a4,
        2.0 * a1 * t + s * a2,
        (2.0 * s * a3 + (a4 - a0) * t) * t,
        -s * a2 * t * t,
    ]
}

/// As [`edge_edge`], for a moving vertex `a` and a static face (Redon 2002, equation 2.29).
#[must_use]
pub fn vertex_face(a: &Vec3, [b, c, d]: &[Vec3; 3], s: f64, half_tangent: f64) -> [f64; 4] {
    let t = half_tangent;
    let n = (c - b).cross(&(d - b));
    let b0 = -a.x * n.x - a.y * n.y;
    let b1 = a.y * n.x - a.x * n.y;
    let b2 = -n.z;
    let b3 = b.x * n.x + b.y * n.y + (b.z - a.z) * n.z;
    [
        b0 + b3,
        2.0 * b1 * t + s * b2,
        (b3 - b0) * t * t,
        s * b2 * t * t,
    ]
}

/// Contact of a feature pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlgebraicContact {
    /// Fraction of the shift made at the contact; larger fractions are later times.
    pub share: f64,
    /// Closest points at the contact, in the screw frame.
    pub pair: PairDistance,
}

/// First contact of a feature pair before `share_end`; the pair (A at time 0) is in the screw
/// frame, as in [`hapticd_ccd::advance()`].
///
/// A root of the cubic is a contact if the features are within `tolerance` metres there. Features
/// that stay in one plane throughout have no cubic. Where such a motion leads to contact,
/// neighbouring features out of that plane find it.
#[must_use]
pub fn first_contact_of_pair(
    FeaturePair { kind, a, b }: FeaturePair<'_>,
    motion: &AlgebraicMotion,
    share_end: f64,
    tolerance: f64,
) -> Option<AlgebraicContact> {
    let (s, t) = (motion.translation(), motion.half_tangent());
    let cubic = match kind {
        PairKind::VertexFace => vertex_face(&a[0], b, s, t),
        // Seen from A, the vertex moves on the inverse screw.
        PairKind::FaceVertex => vertex_face(&b[0], a, -s, -t),
        PairKind::EdgeEdge => edge_edge(
            &Edge::between(&a[0], &a[1]),
            &Edge::between(&b[0], &b[1]),
            s,
            t,
        ),
    };
    // Over the whole motion, so that the last bits of a root do not depend on the end of the
    // search.
    let (roots, count) = roots_in(&cubic, 0.0, 1.0);
    let before_end = roots[..count].iter().take_while(|&&x| x <= share_end);
    before_end.copied().find_map(|share| {
        let pair = closest(kind, &a.map(|x| motion.moved(&x, share)), b);
        (pair.distance <= tolerance).then_some(AlgebraicContact { share, pair })
    })
}
