//! Bounds on the points of a body during a part of a screw: the interval pose (Redon 2002, sections
//! 2.2, 3.3 and equation 3.10).
//!
//! The four-constant form `c0 + c1 cos + c2 sin + c3 t` of the pose, rearranged so that nothing
//! cancels when the axis is far away: `x(t) = x + s t u + p sin(wt)/w + (w u x p) (1 - cos
//! wt)/w^2`, `p = w u x (x - o)` (see [`crate::screw`]), with an interval for each factor. The
//! bounds hold the motion that the screw's numbers define, rounding included, and shrink linearly
//! with the time interval. No allocation, no panics; numbers that are not finite give infinite
//! bounds.

use crate::interval::{IVec3, Interval};
use crate::pose::{Pose, Vec3};
use crate::screw::{STRAIGHT, Screw};

/// A screw over an interval of time.
#[derive(Clone, Copy, Debug)]
pub struct ScrewBounds {
    axis: IVec3,
    /// Angular velocity, radians per screw.
    omega: IVec3,
    point: IVec3,
    /// Shift along the axis so far.
    along: IVec3,
    /// `sin(wt)/w`.
    turned: Interval,
    /// `(1 - cos wt)/w^2`.
    inward: Interval,
    /// `sin(wt)` and `1 - cos wt`.
    sine: Interval,
    versine: Interval,
}

impl ScrewBounds {
    /// Bounds the screw during `time` (fractions of the screw).
    #[must_use]
    pub fn new(screw: &Screw, time: Interval) -> Self {
        let w = Interval::from(screw.angle);
        let axis = IVec3::from(&screw.axis);
        let theta = time * w;
        let sine = theta.sin();
        let half = (theta * 0.5).sin();
        let (turned, inward) = if screw.angle.abs() < STRAIGHT {
            (time, time.sqr() * 0.5)
        } else {
            (sine / w, (half / w).sqr() * 2.0)
        };
        ScrewBounds {
            axis,
            omega: axis * w,
            point: IVec3::from(&screw.point),
            along: axis * (time * Interval::from(screw.translation)),
            turned,
            inward,
            sine,
            versine: half.sqr() * 2.0,
        }
    }

    /// Returns a box of the positions of the point that is at `x` at time 0.
    #[inline]
    #[must_use]
    pub fn point(&self, x: &Vec3) -> IVec3 {
        IVec3::from(x) + self.shift(x)
    }

    /// Returns a box of the displacements of the point that is at `x` at time 0.
    #[inline]
    #[must_use]
    pub fn shift(&self, x: &Vec3) -> IVec3 {
        let turning = self.omega.cross(IVec3::from(x) - self.point);
        self.along + turning * self.turned + self.omega.cross(turning) * self.inward
    }

    /// Returns a box of a direction that is `n` at time 0 and turns with the body.
    #[inline]
    #[must_use]
    pub fn direction(&self, n: &Vec3) -> IVec3 {
        let n = IVec3::from(n);
        let across = self.axis.cross(n);
        n + across * self.sine + self.axis.cross(across) * self.versine
    }

    /// Returns the interval pose of a body that starts at `start`: the boxes of its x, y and z axes
    /// and of its origin.
    #[must_use]
    pub fn pose(&self, start: &Pose) -> ([IVec3; 3], IVec3) {
        let axes = [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| self.direction(&(start.rotation * e)));
        (axes, self.point(&start.translation.vector))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pose::Quat;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    fn screws() -> impl Strategy<Value = Screw> {
        let angle = prop_oneof![(-12.0..0.5f64).prop_map(|e| 10f64.powf(e)), Just(0.0)];
        (vector(0.5), vector(1.0), angle, vector(1.0)).prop_map(|(d, axis, w, pivot)| {
            let axis = axis.try_normalize(1e-3).unwrap_or_else(Vec3::z);
            Screw::from_twist(&d, &(axis * w), &pivot)
        })
    }

    /// The sample is itself rounded, hence the slack.
    fn holds(b: IVec3, v: &Vec3) -> bool {
        let slack = Interval::new(-1e-14, 1e-14);
        (b + IVec3::new(slack, slack, slack)).contains(v)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn bounds_hold_the_sampled_motion(s in screws(), x in vector(1.0), from in 0.0..1.0f64, length in 0.0..1.0f64) {
            let time = Interval::new(from, (from + length).min(1.0));
            for s in [s, s.inverse()] {
                let b = ScrewBounds::new(&s, time);
                let start = Pose::from_parts(x.into(), Quat::from_scaled_axis(x));
                let (axes, origin) = b.pose(&start);
                for k in 0..=16 {
                    let t = time.lo + (time.hi - time.lo) * f64::from(k) / 16.0;
                    prop_assert!(holds(b.point(&x), &(x + s.shift_of(&x, t))));
                    prop_assert!(holds(b.shift(&x), &s.shift_of(&x, t)));
                    let at = s.pose_at(&start, t);
                    prop_assert!(holds(origin, &at.translation.vector));
                    for (axis, e) in axes.iter().zip([Vec3::x(), Vec3::y(), Vec3::z()]) {
                        prop_assert!(holds(*axis, &(at.rotation * e)));
                    }
                }
            }
        }

        /// Half the time gives half the box, down to rounding, and never more than a few times the
        /// distance travelled.
        #[test]
        fn bounds_shrink_linearly(s in screws(), x in vector(1.0), from in 0.0..0.5f64) {
            let speed = s.velocity_of(&x).norm();
            let bend = s.acceleration_bound(&x);
            for halvings in 1..30 {
                let length = 0.5f64.powi(halvings);
                let width = ScrewBounds::new(&s, Interval::new(from, from + length)).point(&x).width();
                prop_assert!(width <= 4.0 * (speed + bend) * length + 1e-14, "{width} {speed} {length}");
            }
        }
    }

    #[test]
    fn a_moment_is_a_point() {
        let s = Screw::from_twist(
            &Vec3::new(0.3, 0.1, 0.2),
            &(Vec3::z() * 1e-11),
            &Vec3::zeros(),
        );
        let x = Vec3::new(1.0, 2.0, 3.0);
        assert!(ScrewBounds::new(&s, Interval::point(0.5)).point(&x).width() < 1e-14);
        assert!(ScrewBounds::new(&s, Interval::ZERO).point(&x).contains(&x));
    }

    #[test]
    fn nonsense_has_no_bounds() {
        let mut s = Screw::identity();
        s.translation = f64::NAN;
        let b = ScrewBounds::new(&s, Interval::new(0.0, 1.0)).point(&Vec3::zeros());
        assert_eq!(b.z, Interval::ENTIRE);
    }
}
