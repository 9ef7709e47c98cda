//! How far two moving features provably stay apart.
//!
//! This is [`mod@crate::advance`] with two moving sides. Along a unit direction `n`, the points
//! `x_i` of A and `y_j` of B have the differences `r_ij = x_i - y_j`, and the features are at least
//! `min n.r_ij` apart. Let `A` and `J` bound the acceleration and the jerk of a difference
//! ([`crate::moving::motion`]). Then for `0 <= d <= T`
//!
//! ```text
//! n.r(t + d) >= n.r(t) + d n.r'(t) - k d^2 / 2,    k = min( A, T J / 3 - n.r''(t) )
//! ```
//!
//! so common velocities and accelerations cancel. Features that turn together need a direction that
//! also turns. For any constant `h`, the direction `n(d)` that turns with the angular velocity `h`
//! sees the difference `q(d)`, which is `r` turned back, and
//!
//! ```text
//! n.q'  = n.(r' - h x r)
//! n.q'' = n.(r'' - 2 h x r' + h x (h x r)),   |q''| <= A + 2 |h| |r'| + |h|^2 |r|
//! |q'''| <= J + 3 |h| A + 3 |h|^2 |r'| + |h|^3 |r|
//! ```
//!
//! `h` is chosen so that `n` stays orthogonal to the face or to both edges. All four rates are then
//! equal to the rate of the distance.
//!
//! **Rounding** is bounded as in [`mod@crate::advance`], with coordinates about a point near the
//! bodies. The bound is `64 eps` times the number of factors of the motions, times `1 + w`, times
//! the sum of the sizes of all terms. It is subtracted from every gap.
//!
//! Bounded, allocation-free, a pure function, no panics.

use hapticd_geometry::Vec3;

use super::motion::{Limits, Motion, PointState, RelativeMotion};
use crate::advance::{
    Advance, AdvanceLimits, RESOLUTION_M, RESOLUTION_RELATIVE, first_crossing, one_norm,
};
use crate::pair::{FeaturePair, PairDistance, PairKind, closest, support_gap};

/// Advances one feature pair while both bodies move. Guarantees and outcome are those of
/// [`crate::advance()`].
///
/// The points of the pair are in the frames of their bodies, and `motions` are those of A and B.
/// The proven interval starts at 0 and ends at `t_max` at the latest. At every time in it, the
/// distance is at least `min(threshold, distance at time 0)`, up to the rounding bound of the
/// module. The normal of a stop is in the world frame.
#[must_use]
pub fn advance_features(
    FeaturePair { kind, a, b }: FeaturePair<'_>,
    [motion_a, motion_b]: [&Motion; 2],
    limits: AdvanceLimits,
) -> Advance {
    let origin = motion_b.start() * nalgebra::Point3::from(b[0]);
    let common = motion_a.common_factors(motion_b);
    let motion_of_a = RelativeMotion::new(motion_a, common, &origin.coords);
    let motion_of_b = RelativeMotion::new(motion_b, common, &origin.coords);
    let features = Features {
        kind,
        a: a.map(|p| motion_of_a.place(&p)),
        b: b.map(|p| motion_of_b.place(&p)),
        motion_of_a: &motion_of_a,
        motion_of_b: &motion_of_b,
    };
    let AdvanceLimits {
        threshold,
        t_max,
        max_steps,
    } = limits;
    let advanced = features.advance(threshold, 0.0, t_max, max_steps);
    let Advance::Stopped {
        t,
        distance,
        normal,
    } = advanced
    else {
        return advanced;
    };
    // The common factors turn the direction together with the bodies.
    let screws = motion_a.screws()[..common].iter().rev();
    let normal = screws.fold(normal, |n, s| s.rotation_at(t) * n);
    Advance::Stopped {
        t,
        distance,
        normal,
    }
}

/// A feature pair at time 0 and the relative motions of its bodies, all about one origin.
pub(crate) struct Features<'a> {
    pub(crate) kind: PairKind,
    pub(crate) a: [Vec3; 3],
    pub(crate) b: [Vec3; 3],
    pub(crate) motion_of_a: &'a RelativeMotion,
    pub(crate) motion_of_b: &'a RelativeMotion,
}

/// The points of both features at one time.
struct Now {
    a: [PointState; 3],
    b: [PointState; 3],
    here: PairDistance,
}

impl Features<'_> {
    fn at(&self, t: f64) -> Now {
        let mut now = Now {
            a: [PointState::ZERO; 3],
            b: [PointState::ZERO; 3],
            here: PairDistance {
                distance: 0.0,
                normal: Vec3::zeros(),
                point_a: Vec3::zeros(),
                point_b: Vec3::zeros(),
                params: [0.0; 3],
                interior: false,
            },
        };
        for i in 0..self.kind.points_a() {
            now.a[i] = self.motion_of_a.point(&self.a[i], t);
        }
        for j in 0..self.kind.points_b() {
            now.b[j] = self.motion_of_b.point(&self.b[j], t);
        }
        now.here = closest(self.kind, &now.a.map(|p| p.x), &now.b.map(|p| p.x));
        now
    }

    /// Closest points at time `t`.
    pub(crate) fn closest_at(&self, t: f64) -> PairDistance {
        self.at(t).here
    }

    /// Proves as much as possible from `from` on, given that `[0, from]` is proven. Returns `Clear`
    /// up to `t_max`, or the time of the stop.
    pub(crate) fn advance(&self, threshold: f64, from: f64, t_max: f64, max_steps: u32) -> Advance {
        let threshold = if threshold < 0.0 { 0.0 } else { threshold };
        let (kind, mut t) = (self.kind, from);
        let mut now = self.at(t);
        let extent = (self.a[..kind.points_a()].iter())
            .chain(&self.b[..kind.points_b()])
            .map(one_norm)
            .sum();
        let error =
            self.motion_of_a.rounding(extent, t_max) + self.motion_of_b.rounding(extent, t_max);
        let gap = support_gap(
            kind,
            &now.a.map(|p| p.x),
            &now.b.map(|p| p.x),
            &now.here.normal,
        );
        // Written so that a NaN gap is rejected.
        let apart = gap > 4.0 * error && t_max >= t;
        if !apart {
            return stopped(t, &now.here);
        }
        // Two error bounds below the present gap, so that a pair at the threshold can slide.
        let target = threshold.min(gap - 2.0 * error);
        let mut limits = [[Limits::default(); 3]; 2];
        for i in 0..kind.points_a() {
            limits[0][i] = self.motion_of_a.limits(&self.a[i], 0.0, t_max);
        }
        for j in 0..kind.points_b() {
            limits[1][j] = self.motion_of_b.limits(&self.b[j], 0.0, t_max);
        }
        let resolution = (RESOLUTION_RELATIVE * target).min(RESOLUTION_M) + error;
        for _ in 0..max_steps {
            let remaining = t_max - t;
            let Step { time, fastest } = self.step(&now, &limits, target + error, remaining);
            if time >= remaining {
                return Advance::Clear;
            }
            let worthwhile = time > 0.0 && time * fastest >= resolution;
            if !worthwhile {
                break;
            }
            t += time;
            now = self.at(t);
        }
        stopped(t, &now.here)
    }

    /// The longest proven step, along a fixed or a turning direction.
    fn step(&self, now: &Now, limits: &[[Limits; 3]; 2], floor: f64, remaining: f64) -> Step {
        let n = &now.here.normal;
        let (across_a, across_b) = (self.motion_of_a.across(n), self.motion_of_b.across(n));
        let mut straight = remaining;
        let mut fastest: f64 = 0.0;
        for (p, q, la, lb) in self.differences(now, limits) {
            let (r, v, a) = (p.x - q.x, p.v - q.v, p.a - q.a);
            let ((bend_a, jerk_a), (bend_b, jerk_b)) = (la.along(across_a), lb.along(across_b));
            let exact = remaining * (jerk_a + jerk_b) / 3.0 - n.dot(&a);
            let bend = (bend_a + bend_b).min(exact);
            let time = first_crossing(n.dot(&r) - floor, n.dot(&v), bend, remaining);
            // Tested in this order so that NaN propagates.
            if time.is_nan() || time <= 0.0 {
                return Step { time, fastest };
            }
            straight = straight.min(time);
            fastest = fastest.max(v.norm() + remaining * (la.acceleration + lb.acceleration));
        }
        let mut time = straight;
        if straight < remaining {
            let turning = self.turning(now, limits, floor, remaining);
            if turning > straight {
                time = turning;
            }
        }
        Step { time, fastest }
    }

    /// The proven step along a direction that turns with the features; 0 if there is none.
    fn turning(&self, now: &Now, limits: &[[Limits; 3]; 2], floor: f64, remaining: f64) -> f64 {
        let n = &now.here.normal;
        let side = |p: &PointState, q: &PointState| (q.x - p.x, n.dot(&(q.v - p.v)));
        let ((d1, q1), (d2, q2)) = match self.kind {
            PairKind::VertexFace => (side(&now.b[0], &now.b[1]), side(&now.b[0], &now.b[2])),
            PairKind::FaceVertex => (side(&now.a[0], &now.a[1]), side(&now.a[0], &now.a[2])),
            PairKind::EdgeEdge => (side(&now.a[0], &now.a[1]), side(&now.b[0], &now.b[1])),
        };
        // The vector m = n x h in the plane across n with m.d1 = q1 and m.d2 = q2.
        let m = (d2.cross(n) * q1 + n.cross(&d1) * q2) / n.dot(&d1.cross(&d2));
        let h = m.cross(n);
        let turn = h.norm();
        // Limited to the size of the motion's own terms, so that the rounding bound of the module
        // covers it.
        let most =
            2.0 * (self.motion_of_a.turn_rate() + self.motion_of_b.turn_rate() + 1.0 / remaining);
        if !(turn <= most) {
            return 0.0;
        }
        let mut first = remaining;
        for (p, q, la, lb) in self.differences(now, limits) {
            let (r, v, a) = (p.x - q.x, p.v - q.v, p.a - q.a);
            let bend = la.acceleration + lb.acceleration;
            let fast = v.norm() + bend * remaining;
            let far = r.norm() + fast * remaining;
            let crude = bend + turn * (2.0 * fast + turn * far);
            let jerk = la.jerk + lb.jerk + turn * (3.0 * bend + turn * (3.0 * fast + turn * far));
            let second = a - h.cross(&(v * 2.0 - h.cross(&r)));
            let bend = crude.min(remaining * jerk / 3.0 - n.dot(&second));
            let time = first_crossing(n.dot(&r) - floor, n.dot(&v) - m.dot(&r), bend, remaining);
            if !(time > 0.0) {
                return 0.0;
            }
            first = first.min(time);
        }
        first
    }

    /// All combinations of a point of A and a point of B, with their limits.
    #[inline]
    fn differences<'n>(
        &self,
        now: &'n Now,
        limits: &'n [[Limits; 3]; 2],
    ) -> impl Iterator<Item = (&'n PointState, &'n PointState, &'n Limits, &'n Limits)> {
        let (count_a, count_b) = (self.kind.points_a(), self.kind.points_b());
        (0..count_a * count_b).map(move |k| {
            let (i, j) = (k / count_b, k % count_b);
            (&now.a[i], &now.b[j], &limits[0][i], &limits[1][j])
        })
    }
}

struct Step {
    time: f64,
    /// Upper bound on the rate of change of any difference of two points.
    fastest: f64,
}

fn stopped(t: f64, here: &PairDistance) -> Advance {
    Advance::Stopped {
        t,
        distance: here.distance,
        normal: here.normal,
    }
}
