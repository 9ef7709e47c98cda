//! Directional conservative advancement of one feature pair along a constant-speed screw.
//!
//! **Proof.** Let `n` be a unit vector, `x_i(t)` the points of A on their screw, and `y_j` the
//! points of B. Convex features are at least `min_i n.x_i - max_j n.y_j` apart. On a constant-speed
//! screw with angular velocity `w`, the acceleration of a point is `a_i = w x v_i`, of constant
//! length. Its component along `n` changes at a rate of at most `|w x n| |a_i|` and never exceeds
//! `|a_i| |w x n| / |w|` in size. So for `0 <= d <= T`
//!
//! ```text
//! n.x_i(t + d) >= n.x_i(t) + d n.v_i(t) - k_i d^2 / 2,
//! k_i = min( |a_i| |w x n| / |w|,  -n.a_i(t) + T |w x n| |a_i| )
//! ```
//!
//! The largest `d` for which no point of A comes nearer than the threshold along `n` is the root of
//! a quadratic. One such step proves a whole interval of time; the next step starts from the
//! closest direction at its end. Every intermediate time is proven, so running out of steps costs
//! motion, never correctness.
//!
//! **Rounding.** All arithmetic is relative to the first point of B. An explicit bound on the
//! rounding error of one gap is subtracted from every gap, so that the proof covers the
//! floating-point evaluation. The bound is `64 eps (E + t_max (1 + w)(m + w E))`, with `E` the
//! largest coordinate of the pair and `m` the sum of the sizes of the terms of the velocity.
//! Positions at time `t` are computed from the data at time 0, never accumulated. The formula does
//! not use the screw's point, which is far away for tiny rotations.
//!
//! Bounded (`max_steps` steps of one closest-point query each), allocation-free, lock-free, a pure
//! function, no panics: inputs that are not finite give [`Advance::Stopped`] at time 0. Lengths in
//! metres, time in fractions of the screw. The motion is Redon's constant-speed screw (Redon 2002,
//! equations 3.3 to 3.5), the stepping rule that of conservative advancement (Mirtich 1996).

use hapticd_geometry::{Screw, Vec3};

use crate::pair::{
    FeaturePair, PairDistance, PairKind, closest, closest_points, highest, refine, support_gap,
};

/// Steps that move no point farther than this (metres), or than this fraction of the threshold if
/// that is less, are not made.
pub(crate) const RESOLUTION_M: f64 = 1e-9;
pub(crate) const RESOLUTION_RELATIVE: f64 = 1e-3;

/// Rounding errors of one gap in units of `f64::EPSILON` times the size of its terms. The longest
/// chain (position on the screw, dot product, difference) is about 20 operations.
const ROUNDINGS: f64 = 64.0;

/// Outcome of [`advance`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Advance {
    /// The whole motion `[0, t_max]` is proven.
    Clear,
    /// Only `[0, t]` is proven.
    Stopped {
        /// Proven time; 0 if nothing is.
        t: f64,
        /// Distance of the features at `t`, metres.
        distance: f64,
        /// Closest direction at `t`, unit, from B to A; zero if the features touch.
        normal: Vec3,
    },
}

/// The velocity field of a constant-speed screw in the form that the bound needs: the velocity of a
/// point `x` is `velocity + omega x x`, in units per screw.
#[derive(Clone, Copy, Debug)]
pub struct MotionBound {
    /// Angular velocity, radians per screw.
    omega: Vec3,
    /// `|omega|`.
    speed: f64,
    /// Velocity of the point now at the origin, metres per screw.
    velocity: Vec3,
    /// Sum of the sizes of the terms that `velocity` was computed from, for its rounding error.
    size: f64,
}

impl MotionBound {
    /// Velocity field of `screw`, in the frame in which the screw is expressed.
    #[inline]
    #[must_use]
    pub fn new(screw: &Screw) -> Self {
        let omega = screw.axis * screw.angle;
        let speed = omega.norm();
        Self {
            omega,
            speed,
            velocity: screw.axis * screw.translation - omega.cross(&screw.point),
            size: screw.translation.abs() * one_norm(&screw.axis) + speed * one_norm(&screw.point),
        }
    }

    /// Velocity of a point, per screw.
    #[inline]
    #[must_use]
    pub fn velocity_at(&self, point: &Vec3) -> Vec3 {
        self.velocity + self.omega.cross(point)
    }

    /// Angular velocity, radians per screw.
    #[inline]
    #[must_use]
    pub fn omega(&self) -> &Vec3 {
        &self.omega
    }

    /// Sum of the sizes of the terms that velocities are computed from, for their rounding error.
    #[inline]
    pub(crate) fn size(&self) -> f64 {
        self.size
    }

    /// Size of the angular velocity, radians per screw.
    #[inline]
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// The same field with `origin` as the new origin of coordinates.
    #[inline]
    pub(crate) fn about(&self, origin: &Vec3) -> Self {
        Self {
            velocity: self.velocity + self.omega.cross(origin),
            size: self.size + self.speed * one_norm(origin),
            ..*self
        }
    }
}

/// One point of A: its start and the first three derivatives of its motion there.
#[derive(Clone, Copy)]
struct Mover {
    start: Vec3,
    velocity: Vec3,
    acceleration: Vec3,
    jerk: Vec3,
    /// `|acceleration|`, constant on the screw.
    bend: f64,
}

impl Mover {
    #[inline]
    fn new(start: &Vec3, velocity: &Vec3, field: &MotionBound) -> Self {
        let acceleration = field.omega.cross(velocity);
        Self {
            start: *start,
            velocity: *velocity,
            acceleration,
            jerk: field.omega.cross(&acceleration),
            bend: acceleration.norm(),
        }
    }
}

/// `(1 - cos w t) / w^2` and `(w t - sin w t) / w^3`, the factors of acceleration and jerk in the
/// exact displacement `t v + c2 a + c3 j`.
#[inline]
pub(crate) fn screw_factors(w: f64, t: f64) -> (f64, f64) {
    let angle = w * t;
    if angle < 0.05 {
        let q = angle * angle;
        let c2 = 0.5 - q / 24.0 * (1.0 - q / 30.0 * (1.0 - q / 56.0));
        let c3 = 1.0 / 6.0 - q / 120.0 * (1.0 - q / 42.0 * (1.0 - q / 72.0));
        (t * t * c2, t * t * t * c3)
    } else {
        let half = (0.5 * angle).sin() / w;
        (2.0 * half * half, (angle - angle.sin()) / (w * w * w))
    }
}

/// How far and how hard to advance a feature pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdvanceLimits {
    /// Distance to keep, metres; a negative one counts as 0.
    pub threshold: f64,
    /// End of the motion: times run over `[0, t_max]`, with 1 the whole screw.
    pub t_max: f64,
    /// Maximum number of steps; running out costs motion, never correctness.
    pub max_steps: u32,
}

/// Advances one feature pair along `screw` and returns how far the motion is proven.
///
/// A's feature, `pair.a` at time 0, moves with the screw; B's feature, `pair.b`, stands still. The
/// screw is in the frame of the pair.
///
/// At every time of the proven interval, the distance is at least `min(threshold, d)`, where `d` is
/// the distance at time 0 (up to the rounding bound of the module). So a pair that starts at or
/// inside the threshold may separate and slide but does not approach. Stepping ends when the next
/// step would move no point by a nanometre, or by a thousandth of the threshold if that is less. So
/// an approach stops within about that distance of the threshold.
///
/// `warm` may be a guess of the closest direction at time 0 (from B to A, any length). If it proves
/// the whole motion, no closest points are computed. A wrong guess costs time, not correctness.
///
/// Features that intersect, touch, or are not finite give `Stopped` at 0.
#[must_use]
pub fn advance(
    pair: FeaturePair<'_>,
    screw: &Screw,
    limits: AdvanceLimits,
    warm: Option<Vec3>,
) -> Advance {
    advance_bound(pair, &MotionBound::new(screw), limits, warm)
}

/// As [`advance`], with the velocity field of the screw computed once for many pairs.
#[must_use]
pub fn advance_bound(
    FeaturePair { kind, a, b }: FeaturePair<'_>,
    motion: &MotionBound,
    limits: AdvanceLimits,
    warm: Option<Vec3>,
) -> Advance {
    let AdvanceLimits {
        threshold,
        t_max,
        max_steps,
    } = limits;
    // Not `max`: NaN must propagate; it then means "no nearer than now".
    let threshold = if threshold < 0.0 { 0.0 } else { threshold };
    let origin = b[0];
    let field = motion.about(&origin);
    let count = kind.points_a();
    let mut still = [Vec3::zeros(); 3];
    let mut extent = 0.0;
    for (y, p) in still.iter_mut().zip(&b[..kind.points_b()]).skip(1) {
        *y = p - origin;
        extent += one_norm(y);
    }
    let mut points = [Vec3::zeros(); 3];
    let mut velocities = [Vec3::zeros(); 3];
    for i in 0..count {
        points[i] = a[i] - origin;
        velocities[i] = field.velocity + field.omega.cross(&points[i]);
        extent += one_norm(&points[i]);
    }
    let reach = t_max * (1.0 + field.speed) * (field.size + field.speed * extent);
    let error = ROUNDINGS * f64::EPSILON * (extent + reach);
    let floor = threshold + error;

    // A useful guess gives the answer without computing closest points.
    if let Some(guess) = warm {
        let length = guess.norm();
        let plane = Plane {
            n: guess,
            high: highest(kind, &still, &guess) + floor * length,
        };
        if field.all_clear(&points[..count], &velocities, &plane, length, t_max) {
            return Advance::Clear;
        }
    }
    let nearest = closest_points(kind, &points, &still);
    let difference = nearest.0 - nearest.1;
    let length = difference.norm();
    // Written so that a NaN gap is rejected.
    if length > 4.0 * error {
        let plane = Plane {
            n: difference,
            high: highest(kind, &still, &difference) + floor * length,
        };
        if field.all_clear(&points[..count], &velocities, &plane, length, t_max) {
            return Advance::Clear;
        }
    }
    let here = refine(kind, &points, &still, &nearest);
    advance_in_steps(
        &Problem {
            kind,
            still,
            field,
            threshold,
            error,
            t_max,
            max_steps,
        },
        points,
        &velocities,
        here,
    )
}

/// Data that stays constant over the steps of one call; coordinates relative to the first point of
/// B.
struct Problem {
    kind: PairKind,
    still: [Vec3; 3],
    field: MotionBound,
    threshold: f64,
    error: f64,
    t_max: f64,
    max_steps: u32,
}

/// Advances in steps, from the points, their velocities and the closest direction at time 0.
#[inline(never)]
fn advance_in_steps(
    problem: &Problem,
    mut points: [Vec3; 3],
    velocities: &[Vec3; 3],
    mut here: PairDistance,
) -> Advance {
    let &Problem {
        kind,
        ref still,
        ref field,
        threshold,
        error,
        t_max,
        max_steps,
    } = problem;
    let gap = support_gap(kind, &points, still, &here.normal);
    // Written so that a NaN gap is rejected.
    let apart = gap > 4.0 * error && t_max >= 0.0;
    if !apart {
        return stopped(0.0, &here);
    }
    // Two error bounds below the present gap, so that a pair at the threshold can slide.
    let target = threshold.min(gap - 2.0 * error);
    let mut movers = [Mover::new(&points[0], &velocities[0], field); 3];
    let mut fastest = velocities[0].norm_squared();
    for i in 1..kind.points_a() {
        movers[i] = Mover::new(&points[i], &velocities[i], field);
        fastest = fastest.max(velocities[i].norm_squared());
    }
    let movers = &movers[..kind.points_a()];
    let resolution = (RESOLUTION_RELATIVE * target).min(RESOLUTION_M) + error;
    let resolution = resolution * resolution;

    let mut t = 0.0;
    for _ in 0..max_steps {
        let plane = Plane {
            n: here.normal,
            high: highest(kind, still, &here.normal) + target + error,
        };
        let mut step = field.proven(movers, &points, &plane, t_max - t);
        // NaN and negative steps pass unchanged.
        if kind == PairKind::EdgeEdge && step >= 0.0 && step < t_max - t {
            let turning = field.proven_turning(movers, &points, &still[1], &plane, t_max - t);
            if turning > step {
                step = turning;
            }
        }
        if step >= t_max - t {
            return Advance::Clear;
        }
        let worthwhile = step > 0.0 && step * step * fastest >= resolution;
        if !worthwhile {
            break;
        }
        t += step;
        let (c2, c3) = screw_factors(field.speed, t);
        for (x, m) in points.iter_mut().zip(movers) {
            *x = m.start + m.velocity * t + m.acceleration * c2 + m.jerk * c3;
        }
        here = closest(kind, &points, still);
    }
    stopped(t, &here)
}

#[inline]
fn stopped(t: f64, here: &PairDistance) -> Advance {
    Advance::Stopped {
        t,
        distance: here.distance,
        normal: here.normal,
    }
}

/// The plane `n.x = high` above which A's points stay: all of B and the threshold are below it.
struct Plane {
    n: Vec3,
    high: f64,
}

/// What a plane proves about points that move with the field.
impl MotionBound {
    /// Whether all points, with these velocities, provably stay above the plane for the time
    /// `remaining`. Crude and cheap (no roots): the acceleration of a point is at most `|w| |v|`.
    /// The plane's `n` has the length `length`, which scales everything.
    #[inline]
    fn all_clear(
        &self,
        points: &[Vec3],
        velocities: &[Vec3; 3],
        plane: &Plane,
        length: f64,
        remaining: f64,
    ) -> bool {
        let &Plane { ref n, high } = plane;
        let bend = 0.5 * remaining * self.speed * length;
        // `&`, not `&&`: no branches, and NaN is not clear.
        points
            .iter()
            .zip(velocities)
            .fold(remaining >= 0.0, |clear, (x, v)| {
                let margin = n.dot(x) - high;
                let end = margin + remaining * (n.dot(v) - bend * one_norm(v));
                clear & (margin > 0.0) & (end >= 0.0)
            })
    }

    /// The largest step `<= remaining` during which all movers, now at `points`, stay above the
    /// plane, which has a unit `n`. Negative or NaN if they do not start above it.
    #[inline]
    fn proven(&self, movers: &[Mover], points: &[Vec3; 3], plane: &Plane, remaining: f64) -> f64 {
        let &Plane { ref n, high } = plane;
        let rotates = self.speed > 0.0;
        // Maximum rate of change of the component along `n` of a unit acceleration, and its maximum
        // size.
        let swing = if rotates {
            self.omega.cross(n).norm()
        } else {
            0.0
        };
        let largest = if rotates {
            (swing / self.speed).min(1.0)
        } else {
            0.0
        };
        let mut first = remaining;
        for (m, x) in movers.iter().zip(points) {
            let margin = n.dot(x) - high;
            let velocity = self.velocity + self.omega.cross(x);
            let rate = n.dot(&velocity);
            let bend = if rotates {
                let now = n.dot(&self.omega.cross(&velocity));
                (m.bend * largest).min(m.bend * swing * remaining - now)
            } else {
                0.0
            };
            let step = first_crossing(margin, rate, bend, remaining);
            if step.is_nan() || step <= 0.0 {
                return step;
            }
            first = first.min(step);
        }
        first
    }

    /// As [`Self::proven`], for the two ends of an edge, along a direction that turns about the
    /// other edge (from the origin to `along`).
    ///
    /// When an edge turns about a point of contact, one end always descends along a fixed
    /// direction. At the threshold no step could then be proven, although the point of contact
    /// rises. So the direction turns as well. With `e` the unit direction of B's edge and any rate
    /// `b`, let `n(d)` be `n` turned about `e` by `b d`. The projection of B's edge on `n(d)` does
    /// not change, since `n(d).e` does not. For the ends `x` of A
    ///
    /// ```text
    /// (n.x)'  = b (e x n).x + n.v
    /// (n.x)'' >= -(b^2 (|e x x| + |v| T) + 2 |b| |v| + |a|)
    /// ```
    ///
    /// The rate `b` is chosen so that both ends move alike, which is then how the point of contact
    /// moves. Returns 0 if no such rate exists.
    #[cold]
    fn proven_turning(
        &self,
        movers: &[Mover],
        points: &[Vec3; 3],
        along: &Vec3,
        plane: &Plane,
        remaining: f64,
    ) -> f64 {
        let &Plane { ref n, high } = plane;
        let length = along.norm();
        if movers.len() != 2 || !(length > 0.0 && remaining > 0.0 && self.speed > 0.0) {
            return 0.0;
        }
        let e = along / length;
        let lever = e.cross(n);
        let velocities = [0, 1].map(|i| self.velocity + self.omega.cross(&points[i]));
        let [r0, r1] = velocities.map(|v| n.dot(&v));
        let spread = lever.dot(&(points[1] - points[0]));
        // Limited to the size of the motion's own terms, so that the rounding bound of the module
        // covers it.
        let most = 2.0 * (self.speed + 1.0 / remaining);
        let turn = (r0 - r1) / spread;
        if !(turn.abs() <= most) {
            return 0.0;
        }
        let mut first = remaining;
        for i in 0..2 {
            let x = &points[i];
            let rate = n.dot(&velocities[i]) + turn * lever.dot(x);
            let fast = velocities[i].norm();
            let away = e.cross(x).norm() + fast * remaining;
            let bend = turn * turn * away + 2.0 * turn.abs() * fast + movers[i].bend;
            let step = first_crossing(n.dot(x) - high, rate, bend, remaining);
            if !(step > 0.0) {
                return 0.0;
            }
            first = first.min(step);
        }
        first
    }
}

/// Returns the first `d` in `[0, remaining]` with `margin + rate d - bend d^2 / 2 = 0`, or
/// `remaining` if there is none. Negative or NaN if `margin` is not positive. Each branch is free
/// of cancellation.
#[inline]
pub(crate) fn first_crossing(margin: f64, rate: f64, bend: f64, remaining: f64) -> f64 {
    if margin <= 0.0 || margin.is_nan() {
        return -1.0;
    }
    if bend >= 0.0 {
        // Concave: positive at both ends implies positive in between.
        if margin + remaining * (rate - 0.5 * bend * remaining) >= 0.0 {
            return remaining;
        }
    } else if rate >= 0.0 {
        return remaining;
    }
    let discriminant = rate * rate + 2.0 * bend * margin;
    if discriminant < 0.0 {
        return remaining;
    }
    let root = discriminant.sqrt();
    let step = if rate < 0.0 {
        2.0 * margin / (root - rate)
    } else {
        (rate + root) / bend
    };
    if step >= remaining {
        remaining
    } else {
        step * (1.0 - 4.0 * f64::EPSILON)
    }
}

#[inline]
pub(crate) fn one_norm(v: &Vec3) -> f64 {
    v.x.abs() + v.y.abs() + v.z.abs()
}
