//! Redon's elementary continuous tests: first time at which the two features of a pair touch.
//!
//! Contact of a vertex and a face, or of two edges, makes four points coplanar. The coplanarity
//! function `F(t)` along a constant-speed screw is enclosed with interval arithmetic, and its first
//! root is isolated by bisection, earlier half first (Redon 2002, sections 1.3, 3.2 and 3.3.2).
//! With `c = cos wt`, `s = sin wt`, `b` the shift along the axis so far, and components in a frame
//! with the screw's axis as z axis:
//!
//! ```text
//! edges (a, e), (c, f):        F = A0 c + A1 s + (A2 c + A3 s) b + A4
//! vertex a, face (b, n):       F = B0 c + B1 s + B2 b + B3
//! ```
//!
//! Here the constants are written without that frame, and `F` relative to `F(0)`, so that a distant
//! axis (tiny rotation) costs no digits. All constants are intervals, so rounding is enclosed as
//! well.
//!
//! This is the independent check of [`mod@hapticd_ccd::advance`]. They share only the closest
//! points of a pair at one instant. Not for the real-time path: bounded time and allocation-free,
//! but slow. No panics: non-finite inputs give an uncertain contact at time 0. Metres; time in
//! fractions of the screw.

use hapticd_ccd::pair::{FeaturePair, PairDistance, PairKind, closest};
use hapticd_geometry::{IVec3, Interval, Screw, Vec3};

/// Required precision of a first time of contact (Redon 2002, section 3.3.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Maximum error of the time of contact, fraction of the screw.
    pub time: f64,
    /// Maximum error of the position of the contact, metres. Features that pass within it may count
    /// as touching.
    pub position_m: f64,
    /// Maximum number of evaluations of `F` for one pair. When they run out, the answer is an
    /// uncertain contact at the time proven so far.
    pub max_evaluations: u32,
}

impl Default for Precision {
    /// A millionth of the step, a tenth of a micrometre.
    fn default() -> Self {
        Self {
            time: 1e-6,
            position_m: 1e-7,
            max_evaluations: 100_000,
        }
    }
}

/// First contact of one feature pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Time of contact, not later than the true one. Before it the features do not touch.
    pub t: f64,
    /// Closest points at `t`, in B's frame.
    pub pair: PairDistance,
    /// True if the features are within the position precision of each other at `t`. False if the
    /// search was given up at `t`: later times are then unknown.
    pub certain: bool,
}

/// Interval of values of the coplanarity function over `time`; contact needs a root.
///
/// The unnormalised functions of Redon 2002, equations 1.3 and 1.4: for a vertex and a face `(b -
/// a) . (bc x bd)`, for edges `ac . (ab x cd)`; for a face and a vertex, that of the vertex moving
/// backwards. Cubic metres.
#[must_use]
pub fn coplanarity(
    kind: PairKind,
    a: &[Vec3; 3],
    b: &[Vec3; 3],
    screw: &Screw,
    time: Interval,
) -> Interval {
    Coplanarity::new(kind, a, b, screw).over(time)
}

/// `F(t) = constant + cosine (cos wt - 1) + sine sin wt + (shift_cosine cos wt + shift_sine sin
/// wt + shift) s t`.
struct Coplanarity {
    constant: Interval,
    cosine: Interval,
    sine: Interval,
    shift_cosine: Interval,
    shift_sine: Interval,
    /// Redon's B2: for a face the shift acts without rotation.
    shift: Interval,
    angle: Interval,
    translation: Interval,
}

impl Coplanarity {
    fn new(kind: PairKind, a: &[Vec3; 3], b: &[Vec3; 3], screw: &Screw) -> Self {
        match kind {
            PairKind::VertexFace => Self::vertex_face(&a[0], b, screw, 1.0),
            // Seen from A, the vertex moves on the inverse screw.
            PairKind::FaceVertex => Self::vertex_face(&b[0], a, screw, -1.0),
            PairKind::EdgeEdge => Self::edge_edge(a, b, screw),
        }
    }

    fn vertex_face(vertex: &Vec3, face: &[Vec3; 3], screw: &Screw, direction: f64) -> Self {
        let u = IVec3::from(&screw.axis);
        let [p, q, r] = face.map(|x| IVec3::from(&x));
        let vertex = IVec3::from(vertex);
        let arm = vertex - IVec3::from(&screw.point);
        let n = (q - p).cross(r - p);
        Self {
            constant: (p - vertex).dot(n),
            // B0 and B1.
            cosine: -across(u, arm, n),
            sine: -u.dot(arm.cross(n)),
            shift_cosine: Interval::ZERO,
            shift_sine: Interval::ZERO,
            // B2.
            shift: -n.dot(u),
            angle: Interval::from(screw.angle * direction),
            translation: Interval::from(screw.translation * direction),
        }
    }

    fn edge_edge(a: &[Vec3; 3], b: &[Vec3; 3], screw: &Screw) -> Self {
        let u = IVec3::from(&screw.axis);
        let o = IVec3::from(&screw.point);
        let (a0, a1) = (IVec3::from(&a[0]), IVec3::from(&a[1]));
        let (c0, c1) = (IVec3::from(&b[0]), IVec3::from(&b[1]));
        let (e, f) = (a1 - a0, c1 - c0);
        let (ra, rc) = (a0 - o, c0 - o);
        let (ez, fz) = (e.dot(u), f.dot(u));
        let between = (a0 - c0).dot(u);
        let a2 = u.dot(f.cross(e));
        let a3 = across(u, f, e);
        Self {
            // A0 + A4.
            constant: (c0 - a0).dot(e.cross(f)),
            cosine: between * a2 + ez * u.dot(ra.cross(f)) + fz * u.dot(rc.cross(e)),
            sine: between * a3 - ez * across(u, ra, f) + fz * across(u, rc, e),
            shift_cosine: a2,
            shift_sine: a3,
            shift: Interval::ZERO,
            angle: Interval::from(screw.angle),
            translation: Interval::from(screw.translation),
        }
    }

    fn over(&self, time: Interval) -> Interval {
        let theta = self.angle * time;
        let sine = theta.sin();
        let versine = (theta * 0.5).sin().sqr() * 2.0;
        let shift = self.translation * time;
        let turned = self.shift_cosine * theta.cos() + self.shift_sine * sine + self.shift;
        self.constant - self.cosine * versine + self.sine * sine + turned * shift
    }
}

/// Dot product of the components orthogonal to the unit vector `u`.
fn across(u: IVec3, x: IVec3, y: IVec3) -> Interval {
    x.dot(y) - x.dot(u) * y.dot(u)
}

/// Maximum depth of bisection; `2^-52` of the screw.
const MAX_DEPTH: u32 = 52;

/// First contact of a feature pair while A's feature follows `screw`, over `[0, t_end]`, `t_end <=
/// 1`.
///
/// Pair and screw are as for [`hapticd_ccd::advance()`]. The search halves the *whole* screw
/// and skips what lies after `t_end`. So `t_end` decides only whether a contact is reported, not
/// its value. A contact is reported at the lower end of an interval of the width that `precision`
/// asks for, if the features are then as close as the distance they can travel in it. `None` is
/// proven: no contact.
#[must_use]
pub fn first_contact_of_pair(
    FeaturePair { kind, a, b }: FeaturePair<'_>,
    screw: &Screw,
    t_end: f64,
    precision: &Precision,
) -> Option<Contact> {
    let fastest = (a[..kind.points_a()].iter())
        .map(|x| screw.velocity_of(x).norm())
        .fold(0.0, |m: f64, v| if v > m || v.is_nan() { v } else { m });
    let at = |t: f64| {
        let moved = a.map(|x| x + screw.shift_of(&x, t));
        closest(kind, &moved, b)
    };
    let finite = fastest.is_finite()
        && a[..kind.points_a()]
            .iter()
            .chain(&b[..kind.points_b()])
            .all(|x| x.sum().is_finite());
    if !finite {
        return Some(Contact {
            t: 0.0,
            pair: at(0.0),
            certain: false,
        });
    }
    let width = precision.time.min(precision.position_m / fastest);
    let mut depth = 0;
    while depth < MAX_DEPTH && 0.5f64.powi(depth as i32) > width {
        depth += 1;
    }
    // Rounding of a distance at one instant.
    let size: f64 = (a[..kind.points_a()].iter().chain(&b[..kind.points_b()]))
        .map(|x| x.amax())
        .fold(fastest, f64::max);
    let rounding = 64.0 * f64::EPSILON * size;

    let function = Coplanarity::new(kind, a, b, screw);
    let mut stack = [(0.0, 1.0, 0); MAX_DEPTH as usize + 1];
    let mut height = 1;
    let mut evaluations = 0;
    while height > 0 {
        height -= 1;
        let (low, high, level) = stack[height];
        if low > t_end {
            continue;
        }
        if evaluations >= precision.max_evaluations {
            return Some(Contact {
                t: low,
                pair: at(low),
                certain: false,
            });
        }
        evaluations += 1;
        let time = Interval::new(low, high);
        if !function.over(time).contains(0.0) {
            continue;
        }
        // A root of F is a contact only if the features are close. This is Redon's validation, done
        // at every level: it decides motion within one plane, where F vanishes throughout.
        let pair = at(low);
        if pair.distance > fastest * (high - low) * (1.0 + 1e-9) + rounding {
            continue;
        }
        if level >= depth {
            return Some(Contact {
                t: low,
                pair,
                certain: true,
            });
        }
        let middle = 0.5 * (low + high);
        stack[height] = (middle, high, level + 1);
        stack[height + 1] = (low, middle, level + 1);
        height += 2;
    }
    None
}
