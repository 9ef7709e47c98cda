//! A triangular patch from three points and their normals that meets its neighbours smoothly.
//!
//! Real-time callable: no allocation, constant work. Metres.
//!
//! # Theory
//!
//! After Nielson (1987). A *side* between two points with normals is a cubic. Its end tangents lie
//! in the tangent planes and are as long as a circular arc's. The curve over an edge is the side
//! between its corners. The normal along it is the corners' mean made perpendicular to the curve.
//! Both follow from the edge alone. From each corner a side leads through the evaluated point to
//! the opposite edge, where it ends with the edge's normal. These three sides are blended by
//! weights `(b_j b_k)^2`. On an edge only the opposite corner's weight is left, and the others have
//! zero derivatives. So the patch has the edge's tangent plane there, and so has the patch on the
//! other side. A plane's patch is the plane. On a sphere every side is a great arc to within the
//! fourth power of its angle.

use crate::pose::Vec3;

/// A patch over one triangle. See the module page.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    pub(super) points: [Vec3; 3],
    pub(super) normals: [Vec3; 3],
    /// Curves over the edges, each opposite to its corner.
    edges: [Side; 3],
}

/// A place on the patch, with its derivatives along the weights of two corners. Their weight comes
/// from the third corner, the heaviest.
pub(super) struct PatchPoint {
    pub(super) point: Vec3,
    /// The corner from which the others' weight is taken.
    pub(super) from: usize,
    pub(super) along: [Vec3; 2],
    /// Unit, outward.
    pub(super) normal: Vec3,
}

/// Step of the numerical derivatives, in weights.
const STEP: f64 = 1e-6;

impl Patch {
    /// Builds the patch from corners, counter-clockwise seen from outside, and unit normals.
    #[must_use]
    pub fn new(points: [Vec3; 3], normals: [Vec3; 3]) -> Self {
        let edges = [0, 1, 2].map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            Side::new([points[j], points[k]], [normals[j], normals[k]])
        });
        Patch {
            points,
            normals,
            edges,
        }
    }

    /// Returns the point with these barycentric weights, each at least 0, with sum 1.
    #[must_use]
    pub fn at(&self, weights: &[f64; 3]) -> Vec3 {
        let product = |i: usize| {
            let p = weights[(i + 1) % 3] * weights[(i + 2) % 3];
            p * p
        };
        let blend = [product(0), product(1), product(2)];
        let sum = blend[0] + blend[1] + blend[2];
        // Not `sum <= ...`, so that NaN ends at a corner.
        if !(sum > 1e-60) {
            return self.points[heaviest(weights)];
        }
        let mut point = Vec3::zeros();
        for (i, blend) in blend.iter().enumerate().filter(|(_, b)| **b > 0.0) {
            point += self.seen_from_corner(i, weights) * (blend / sum);
        }
        point
    }

    /// Evaluates the side from a corner through the point with these weights, at that point.
    fn seen_from_corner(&self, i: usize, weights: &[f64; 3]) -> Vec3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let share = weights[k] / (weights[j] + weights[k]);
        let (end, along) = self.edges[i].at(share);
        let mean = self.normals[j] * (1.0 - share) + self.normals[k] * share;
        let across = mean - along * (mean.dot(&along) / along.norm_squared());
        let normal = across.try_normalize(0.0).unwrap_or(self.normals[j]);
        let side = Side::new([self.points[i], end], [self.normals[i], normal]);
        side.at(weights[j] + weights[k]).0
    }

    /// Returns position and derivatives.
    pub(super) fn spot(&self, weights: &[f64; 3]) -> PatchPoint {
        let point = self.at(weights);
        let from = heaviest(weights);
        let along = [1, 2].map(|n| {
            let mut there = *weights;
            there[(from + n) % 3] += STEP;
            there[from] -= STEP;
            (self.at(&there) - point) / STEP
        });
        let normal = along[0].cross(&along[1]).try_normalize(0.0);
        PatchPoint {
            point,
            from,
            along,
            normal: normal.unwrap_or(self.normals[from]),
        }
    }

    /// Returns the outward unit normal at a point of the patch.
    #[must_use]
    pub fn normal_at(&self, weights: &[f64; 3]) -> Vec3 {
        self.spot(weights).normal
    }
}

fn heaviest(weights: &[f64; 3]) -> usize {
    let [a, b, c] = *weights;
    if a >= b && a >= c {
        0
    } else if b >= c {
        1
    } else {
        2
    }
}

/// A cubic curve between two points, perpendicular to the normals there.
#[derive(Clone, Copy, Debug)]
struct Side {
    ends: [Vec3; 2],
    tangents: [Vec3; 2],
}

impl Side {
    fn new(ends: [Vec3; 2], normals: [Vec3; 2]) -> Self {
        let chord = ends[1] - ends[0];
        let square = chord.norm_squared();
        let length = square.sqrt();
        let tangents = normals.map(|n| {
            let flat = chord - n * n.dot(&chord);
            match flat.try_normalize(1e-3 * length) {
                // A circular arc that turns by 2 a between its ends has tangents longer than its
                // chord by 1 / cos^2(a / 2) = 2 / (1 + cos a).
                Some(unit) => unit * (2.0 * square / (length + unit.dot(&chord))),
                None => chord,
            }
        });
        Side { ends, tangents }
    }

    /// Returns position and derivative at `s` between 0 and 1.
    fn at(&self, s: f64) -> (Vec3, Vec3) {
        let ([p, q], [a, b]) = (self.ends, self.tangents);
        let chord = q - p;
        let (ca, cb) = (a - chord, b - chord);
        let r = 1.0 - s;
        let bow = ca * (s * r * r) - cb * (s * s * r);
        let slope = ca * (r * (1.0 - 3.0 * s)) - cb * (s * (2.0 - 3.0 * s));
        (p + chord * s + bow, chord + slope)
    }
}
