//! What the tests share: a seeded generator, an independent distance oracle, an independent screw.
#![allow(dead_code)]

pub mod moving;

use hapticd_ccd::{MeshIndex, PairKind, ShapePair};
use hapticd_geometry::screw::Screw;
use hapticd_geometry::{Pose, Vec3};

/// SplitMix64 (Steele, Lea, Flood 2014).
pub struct SplitMix(pub u64);

impl SplitMix {
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in `[lo, hi)`.
    pub fn range(&mut self, lo: f64, hi: f64) -> f64 {
        lo + (hi - lo) * self.unit()
    }

    /// Uniform below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n as u64) as usize
    }

    /// Log-uniform in `[lo, hi)`.
    pub fn log_range(&mut self, lo: f64, hi: f64) -> f64 {
        self.range(lo.ln(), hi.ln()).exp()
    }

    pub fn point(&mut self, half: f64) -> Vec3 {
        Vec3::new(
            self.range(-half, half),
            self.range(-half, half),
            self.range(-half, half),
        )
    }

    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = self.point(1.0);
            if v.norm() > 0.1 && v.norm() <= 1.0 {
                return v.normalize();
            }
        }
    }
}

/// Position at time `t` of a point that follows `screw`: Rodrigues' formula for the displacement,
/// so that an axis far away costs no digits.
pub fn screw_position(screw: &Screw, x: &Vec3, t: f64) -> Vec3 {
    let turn = screw.axis.cross(&(x - screw.point));
    let angle = screw.angle * t;
    let half = (0.5 * angle).sin();
    x + turn * angle.sin()
        + screw.axis.cross(&turn) * (2.0 * half * half)
        + screw.axis * (screw.translation * t)
}

/// The screw with the given axis direction and angle that displaces `pivot` by `d` (Redon 2002,
/// appendix A.1, with the axis given).
pub fn screw_through(pivot: &Vec3, d: &Vec3, axis: Vec3, angle: f64) -> Screw {
    let along = d.dot(&axis);
    let across = d - axis * along;
    let point = pivot + (across + axis.cross(&across) / (0.5 * angle).tan()) * 0.5;
    Screw {
        angle,
        translation: along,
        point,
        axis,
    }
}

fn point_segment(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let e = b - a;
    let ee = e.norm_squared();
    let t = if ee > 0.0 {
        ((p - a).dot(&e) / ee).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (a + e * t - p).norm()
}

fn point_triangle(p: &Vec3, tri: &[Vec3; 3]) -> f64 {
    let mut best = f64::INFINITY;
    for i in 0..3 {
        best = best.min(point_segment(p, &tri[i], &tri[(i + 1) % 3]));
    }
    let n = (tri[1] - tri[0]).cross(&(tri[2] - tri[0]));
    let nn = n.norm();
    if nn > 0.0 {
        let inside = (0..3).all(|i| {
            let (a, b) = (tri[i], tri[(i + 1) % 3]);
            (b - a).cross(&(p - a)).dot(&n) >= 0.0
        });
        if inside {
            best = best.min(((p - tri[0]).dot(&n) / nn).abs());
        }
    }
    best
}

fn segment_segment(a: &[Vec3; 3], b: &[Vec3; 3]) -> f64 {
    let mut best = point_segment(&a[0], &b[0], &b[1])
        .min(point_segment(&a[1], &b[0], &b[1]))
        .min(point_segment(&b[0], &a[0], &a[1]))
        .min(point_segment(&b[1], &a[0], &a[1]));
    let (ea, eb, r) = (a[1] - a[0], b[1] - b[0], b[0] - a[0]);
    let n = ea.cross(&eb);
    let nn = n.norm_squared();
    if nn > 0.0 {
        let s = r.cross(&eb).dot(&n) / nn;
        let t = r.cross(&ea).dot(&n) / nn;
        if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
            best = best.min((r.dot(&n)).abs() / nn.sqrt());
        }
    }
    best
}

/// Distance of a feature pair by trying every sub-feature; shares no code with the crate.
pub fn oracle_distance(kind: PairKind, a: &[Vec3; 3], b: &[Vec3; 3]) -> f64 {
    match kind {
        PairKind::VertexFace => point_triangle(&a[0], b),
        PairKind::FaceVertex => point_triangle(&b[0], a),
        PairKind::EdgeEdge => segment_segment(a, b),
    }
}

/// [`oracle_distance`] with A moved to time `t`.
pub fn distance_at(kind: PairKind, a: &[Vec3; 3], b: &[Vec3; 3], screw: &Screw, t: f64) -> f64 {
    let moved = [0, 1, 2].map(|i| screw_position(screw, &a[i], t));
    oracle_distance(kind, &moved, b)
}

pub const KINDS: [PairKind; 3] = [
    PairKind::VertexFace,
    PairKind::FaceVertex,
    PairKind::EdgeEdge,
];

/// Two shapes, of which A is everything within a radius of its own.
pub fn pair<'a>(
    (a, a_radius): (&'a MeshIndex, f64),
    b: &'a MeshIndex,
    b_from_a: &'a Pose,
) -> ShapePair<'a> {
    ShapePair {
        a,
        a_radius,
        b,
        b_from_a,
    }
}
