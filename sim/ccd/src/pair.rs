//! Feature pairs: their three kinds and their closest points.
//!
//! A feature pair takes one *closed* feature of A and one of B: vertex/face, face/vertex or
//! edge/edge. A face is a triangle with its edges and vertices, an edge is a segment with its end
//! points. The distance of two disjoint triangles is always attained at one of these pairs (Redon
//! 2002, section 1.3), so all pairs together describe the distance of two meshes.
//!
//! Allocation-free, no panics. Degenerate triangles and segments are handled as the points and
//! segments that they are. NaN input gives NaN output.

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::{point_triangle, segment_segment};

/// Kind of the two features. It determines how many points of each side are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PairKind {
    /// One point of A, one triangle of B.
    VertexFace,
    /// One triangle of A, one point of B.
    FaceVertex,
    /// One segment of A, one segment of B.
    EdgeEdge,
}

impl PairKind {
    /// Number of points of A's feature, 1 to 3.
    #[inline]
    #[must_use]
    pub const fn points_a(self) -> usize {
        match self {
            Self::VertexFace => 1,
            Self::FaceVertex => 3,
            Self::EdgeEdge => 2,
        }
    }

    /// Number of points of B's feature, 1 to 3.
    #[inline]
    #[must_use]
    pub const fn points_b(self) -> usize {
        match self {
            Self::VertexFace => 3,
            Self::FaceVertex => 1,
            Self::EdgeEdge => 2,
        }
    }

    /// The kind of the pair with A and B swapped.
    #[inline]
    #[must_use]
    pub const fn swapped(self) -> Self {
        match self {
            Self::VertexFace => Self::FaceVertex,
            Self::FaceVertex => Self::VertexFace,
            Self::EdgeEdge => Self::EdgeEdge,
        }
    }
}

/// One feature of A and one of B, in one frame, metres.
///
/// Only the points that the kind needs are read: the first [`PairKind::points_a`] of `a` and the
/// first [`PairKind::points_b`] of `b`.
#[derive(Clone, Copy, Debug)]
pub struct FeaturePair<'a> {
    /// Kind of the two features.
    pub kind: PairKind,
    /// Points of A's feature.
    pub a: &'a [Vec3; 3],
    /// Points of B's feature.
    pub b: &'a [Vec3; 3],
}

impl FeaturePair<'_> {
    /// The same features with A and B swapped.
    #[inline]
    #[must_use]
    pub const fn swapped(self) -> Self {
        Self {
            kind: self.kind.swapped(),
            a: self.b,
            b: self.a,
        }
    }
}

/// The closest points of one feature pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairDistance {
    /// Distance of the two closed features, metres.
    pub distance: f64,
    /// Unit vector from B to A along which the features are best separated; zero if they touch or
    /// are not finite.
    pub normal: Vec3,
    /// Closest point on A's feature.
    pub point_a: Vec3,
    /// Closest point on B's feature.
    pub point_b: Vec3,
    /// Barycentric coordinates of the closest point on the triangle (vertex/face and face/vertex),
    /// or `[s, t, 0]` with `point_a = a0 + s (a1 - a0)` and `point_b = b0 + t (b1 - b0)`
    /// (edge/edge).
    pub params: [f64; 3],
    /// Whether the closest points are inside the face or inside both edges, that is, not on a
    /// boundary that the feature shares with its neighbours.
    pub interior: bool,
}

/// Smallest projection of A's points on `n` minus the largest of B's: a lower bound on the distance
/// of the two features for any unit `n`.
#[inline]
#[must_use]
pub fn support_gap(kind: PairKind, a: &[Vec3; 3], b: &[Vec3; 3], n: &Vec3) -> f64 {
    let mut low = n.dot(&a[0]);
    for p in &a[1..kind.points_a()] {
        low = low.min(n.dot(p));
    }
    low - highest(kind, b, n)
}

/// Largest projection of B's points on `n`.
#[inline]
#[must_use]
pub fn highest(kind: PairKind, b: &[Vec3; 3], n: &Vec3) -> f64 {
    let mut high = n.dot(&b[0]);
    for p in &b[1..kind.points_b()] {
        high = high.max(n.dot(p));
    }
    high
}

/// Returns the closest points of a feature pair. Only the first [`PairKind::points_a`] points of
/// `a` and the first [`PairKind::points_b`] of `b` are read; both are in one common frame, metres.
///
/// When the closest points are very near (a hundred thousandth of their coordinates), the normal is
/// better than their normalised difference. A second candidate is then taken from the features
/// themselves (face normal, cross product of the edges, the component orthogonal to the edge), and
/// the candidate with the larger [`support_gap`] is returned.
#[must_use]
#[inline]
pub fn closest(kind: PairKind, a: &[Vec3; 3], b: &[Vec3; 3]) -> PairDistance {
    refine(kind, a, b, &closest_points(kind, a, b))
}

/// Returns the closest points `(on A, on B)` and [`PairDistance::params`]: [`closest`] without the
/// improved normal.
#[inline]
#[must_use]
pub fn closest_points(kind: PairKind, a: &[Vec3; 3], b: &[Vec3; 3]) -> (Vec3, Vec3, [f64; 3]) {
    match kind {
        PairKind::VertexFace => {
            let (point, params) = point_triangle(&a[0], b);
            (a[0], point, params)
        }
        PairKind::FaceVertex => {
            let (point, params) = point_triangle(&b[0], a);
            (point, b[0], params)
        }
        PairKind::EdgeEdge => {
            let (pa, pb, s, t) = segment_segment(&a[0], &a[1], &b[0], &b[1]);
            (pa, pb, [s, t, 0.0])
        }
    }
}

/// Relative distance, in units of the sum of the coordinates. Beyond it, the rounding of the
/// closest points leaves the direction of their difference accurate to 1e-10.
const NEAR: f64 = 1e-5;

/// Returns the better of two normals: the given direction, with its support gap, and the one that
/// the features themselves define.
#[cold]
fn better_normal(
    FeaturePair { kind, a, b }: FeaturePair<'_>,
    difference: &Vec3,
    params: &[f64; 3],
    (normal, gap): (Vec3, f64),
) -> Vec3 {
    let refined = match kind {
        PairKind::VertexFace => refine_vertex_face(difference, b, params),
        PairKind::FaceVertex => refine_vertex_face(difference, a, params),
        PairKind::EdgeEdge => refine_edge_edge(difference, a, b, params[0], params[1]),
    };
    let length = refined.norm();
    if length > 0.0 {
        let candidate = refined / length;
        if support_gap(kind, a, b, &candidate) >= gap {
            return candidate;
        }
    }
    normal
}

/// Distance and best normal, given the closest points.
#[inline]
pub(crate) fn refine(
    kind: PairKind,
    a: &[Vec3; 3],
    b: &[Vec3; 3],
    &(point_a, point_b, params): &(Vec3, Vec3, [f64; 3]),
) -> PairDistance {
    let difference = point_a - point_b;
    let inside = |x: f64| x > 0.0 && x < 1.0;
    let interior = match kind {
        PairKind::EdgeEdge => inside(params[0]) && inside(params[1]),
        _ => params.iter().all(|&x| x > 0.0),
    };
    let distance = difference.norm();
    let mut normal = Vec3::zeros();
    if distance > 0.0 {
        normal = difference * (1.0 / distance);
        // Not `distance <= ...`, so that NaN is refined.
        let points = a[..kind.points_a()].iter().chain(&b[..kind.points_b()]);
        let size = points.fold(0.0, |sum, p| sum + p.x.abs() + p.y.abs() + p.z.abs());
        let plain = distance > NEAR * size;
        if !plain {
            let gap = support_gap(kind, a, b, &normal);
            normal = better_normal(
                FeaturePair { kind, a, b },
                &difference,
                &params,
                (normal, gap),
            );
        }
    }
    PairDistance {
        distance,
        normal,
        point_a,
        point_b,
        params,
        interior,
    }
}

/// Direction defined by the features for a closest point with barycentric coordinates `bary` on
/// `tri`, with the sign of `difference`; not normalised.
fn refine_vertex_face(difference: &Vec3, tri: &[Vec3; 3], bary: &[f64; 3]) -> Vec3 {
    let inside = [bary[0] > 0.0, bary[1] > 0.0, bary[2] > 0.0];
    let edge = match inside {
        [true, true, true] => {
            let n = (tri[1] - tri[0]).cross(&(tri[2] - tri[0]));
            return if n.dot(difference) < 0.0 { -n } else { n };
        }
        [true, true, false] => tri[1] - tri[0],
        [true, false, true] => tri[2] - tri[0],
        [false, true, true] => tri[2] - tri[1],
        _ => return *difference,
    };
    without(difference, &edge)
}

/// As [`refine_vertex_face`], for two segments with parameters `s` and `t`.
fn refine_edge_edge(difference: &Vec3, a: &[Vec3; 3], b: &[Vec3; 3], s: f64, t: f64) -> Vec3 {
    let (ea, eb) = (a[1] - a[0], b[1] - b[0]);
    let inside_a = s > 0.0 && s < 1.0;
    let inside_b = t > 0.0 && t < 1.0;
    match (inside_a, inside_b) {
        (true, true) => {
            let n = ea.cross(&eb);
            if n.dot(difference) < 0.0 { -n } else { n }
        }
        (true, false) => without(difference, &ea),
        (false, true) => without(difference, &eb),
        (false, false) => *difference,
    }
}

/// `v` without its component along `e`.
#[inline]
fn without(v: &Vec3, e: &Vec3) -> Vec3 {
    let ee = e.norm_squared();
    if ee > 0.0 {
        v - e * (v.dot(e) / ee)
    } else {
        *v
    }
}
