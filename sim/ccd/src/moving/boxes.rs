//! How long two boxes of moving bodies provably stay apart.
//!
//! With both boxes at their place at time `t`, one finds a direction `n` along which they have a
//! gap `g`. All points `x` of one and `y` of the other then satisfy, for `0 <= d <= T`,
//!
//! ```text
//! n.(x - y)(t + d) >= g + d r - k d^2 / 2,
//! r = n.(v(c_a) - v(c_b)) - sum a_i |e_i.(n x w_a)| - sum b_i |f_i.(n x w_b)|
//! ```
//!
//! Here `c` and `w` are the centres and the angular velocities at `t`, and `k` is the sum of the
//! bounds of [`crate::moving::motion`] on the acceleration along `n` of all points of a box. This
//! is conservative advancement with the boxes of Redon 2002, section 3.1. It replaces the interval
//! test of section 3.3 and also tells *when* the boxes may meet first. Never late, rounding
//! included.

use hapticd_geometry::Vec3;

use super::motion::{BodyState, Limits, RelativeMotion};
use crate::advance::{first_crossing, one_norm};
use crate::obb::Obb;

/// A box at time `t`, and the bounds on its points over the whole step.
pub(crate) struct MovingBox {
    obb: Obb,
    velocity: Vec3,
    omega: Vec3,
    limits: Limits,
    /// Rounding error of a projection.
    error: f64,
    /// Radius about the centre.
    radius: f64,
}

impl MovingBox {
    /// Places the box `local` of a body that is in the state `now`.
    pub(crate) fn new(
        local: &Obb,
        relative_motion: &RelativeMotion,
        now: &BodyState,
        t_max: f64,
    ) -> Self {
        let radius = local.half.norm() * (1.0 + 4.0 * f64::EPSILON);
        let place = relative_motion.place(&local.center);
        let center = now.pose.point(&local.center);
        Self {
            obb: Obb {
                center,
                axes: now.pose.rotation * local.axes,
                half: local.half,
            },
            velocity: now.velocity_at(&center),
            omega: now.omega,
            limits: relative_motion.limits(&place, radius, t_max),
            error: relative_motion.rounding(
                one_norm(&place) + one_norm(&local.center) + 2.0 * radius,
                t_max,
            ),
            radius,
        }
    }

    fn spread(&self, n: &Vec3) -> f64 {
        let e = self.obb.axes.tr_mul(n).abs();
        e.dot(&self.obb.half)
    }
}

/// What is known about two boxes from a given time on.
pub(crate) struct Apart {
    /// Lower bound on their distance at that time; 0 if none is found.
    pub(crate) gap: f64,
    /// How long they provably stay farther apart than the floor; at most the requested time.
    pub(crate) time: f64,
    /// True if their points may approach in that time by a considerable part of the boxes' sizes.
    pub(crate) far: bool,
}

/// Computes how long two boxes stay farther apart than `floor`, starting now; at most `remaining`.
pub(crate) fn apart(
    a: &MovingBox,
    b: &MovingBox,
    relative_motions: [&RelativeMotion; 2],
    floor: f64,
    remaining: f64,
) -> Apart {
    let error = a.error + b.error;
    let n = direction(&a.obb, &b.obb);
    let between = a.obb.center - b.obb.center;
    let gap = n.dot(&between) - a.spread(&n) - b.spread(&n) - error;
    let rate = n.dot(&(a.velocity - b.velocity))
        - a.spread(&n.cross(&a.omega))
        - b.spread(&n.cross(&b.omega));
    let (bend_a, _) = a.limits.along(relative_motions[0].across(&n));
    let (bend_b, _) = b.limits.along(relative_motions[1].across(&n));
    let time = first_crossing(gap - floor, rate, bend_a + bend_b, remaining);
    let time = if time > 0.0 { time } else { 0.0 };
    let nearer = time * ((a.velocity - b.velocity).norm() + time * (bend_a + bend_b));
    Apart {
        gap: if gap > 0.0 { gap } else { 0.0 },
        time,
        far: nearer > 0.15 * (a.radius + b.radius),
    }
}

/// Returns a unit direction from `b` to `a` along which the boxes are apart, if the axes of one of
/// them show any. It is the direction of the gap vector in the axes of either box, whichever is
/// longer.
fn direction(a: &Obb, b: &Obb) -> Vec3 {
    let between = a.center - b.center;
    let m = a.axes.tr_mul(&b.axes);
    let (in_a, in_b) = (a.axes.tr_mul(&between), b.axes.tr_mul(&between));
    let (mut gap_a, mut gap_b) = (Vec3::zeros(), Vec3::zeros());
    let mut widest = (f64::NEG_INFINITY, Vec3::zeros());
    for i in 0..3 {
        let across: f64 = (0..3).map(|j| m[(i, j)].abs() * b.half[j]).sum();
        let gap = in_a[i].abs() - a.half[i] - across;
        gap_a[i] = gap.max(0.0).copysign(in_a[i]);
        if gap > widest.0 {
            widest = (gap, a.axes.column(i) * 1f64.copysign(in_a[i]));
        }
        let across: f64 = (0..3).map(|j| m[(j, i)].abs() * a.half[j]).sum();
        let gap = in_b[i].abs() - b.half[i] - across;
        gap_b[i] = gap.max(0.0).copysign(in_b[i]);
        if gap > widest.0 {
            widest = (gap, b.axes.column(i) * 1f64.copysign(in_b[i]));
        }
    }
    let (from_a, from_b) = (gap_a.norm_squared(), gap_b.norm_squared());
    let n = if from_a >= from_b {
        a.axes * gap_a
    } else {
        b.axes * gap_b
    };
    let length = n.norm();
    // If the boxes overlap along all these axes, uses the axis with the smallest overlap, which
    // then shows no gap.
    if length > 0.0 { n / length } else { widest.1 }
}
