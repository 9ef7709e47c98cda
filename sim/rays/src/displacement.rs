//! Relative displacement of two objects or two clusters, which decides whether a walk from the last
//! answer can still find the next.
//!
//! # Theory
//!
//! *Rigid pairs* (Lehericey 2016, equation 4.2): `|t0 - t| + angle(q0, q) r`, with the relative
//! transform at the last full trace and now, and `r` the larger radius. This is an upper bound on
//! the net displacement between any two points, so a pair that swings to and fro is never traced
//! again. Here the transform is that of the smaller object in the larger one's frame, and `r` is
//! the smaller radius plus the prediction distance. That bounds all points near the other object,
//! `|t0 - t| + |(q0 - q) d|` with `d` from the origin of the smaller one. With the larger radius, a
//! body that rolls on a wide ground would be traced in full in every step.
//!
//! *Clusters* (chapter 4, section 4.1, table 4.2): one motion per cluster and step, and the
//! differences of motions summed over the steps. The mean alone does not see a cluster turn about
//! its centre. Lehericey recommends mean and deviation.

use nalgebra::UnitQuaternion;

use crate::V3;

/// A rigid transform in single precision.
pub type Pose = nalgebra::Isometry3<f32>;

/// Angle of the rotation between two quaternions, rad, 0 to pi.
///
/// Computed from the difference of the quaternions: the arc cosine of the usual formula has no
/// precision at small angles.
#[must_use]
pub fn angle(a: &UnitQuaternion<f32>, b: &UnitQuaternion<f32>) -> f32 {
    let (near, far) = ((a.coords - b.coords).norm(), (a.coords + b.coords).norm());
    4.0 * (0.5 * near.min(far)).min(1.0).asin()
}

/// Bound on the relative displacement between two relative poses, m, for points up to `radius` from
/// the origin that the poses place.
#[must_use]
pub fn rigid(then: &Pose, now: &Pose, radius: f32) -> f32 {
    (then.translation.vector - now.translation.vector).norm()
        + angle(&then.rotation, &now.rotation) * radius
}

/// Measure of a cluster's motion (Lehericey 2016, table 4.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Mean displacement. Does not see rotations about the centre. For comparison.
    Mean,
    /// Mean displacement and its standard deviation: the fewest errors.
    MeanDeviation,
    /// Displacement of the point that moved most.
    Max,
    /// Not relative: each point's own displacement since its last full trace, whatever the other
    /// cluster did. For comparison.
    Absolute,
}

/// Motion of a cluster in one step, or of two relative to each other since their last full trace.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    /// Displacement, m.
    pub vector: V3,
    /// Deviation, m; 0 except for [`Measure::MeanDeviation`].
    pub deviation: f32,
}

impl Motion {
    /// No motion.
    pub const ZERO: Motion = Motion {
        vector: V3::new(0.0, 0.0, 0.0),
        deviation: 0.0,
    };

    /// Motion of a cluster whose points have the displacements `moves`; zero if there are none.
    #[must_use]
    pub fn of(measure: Measure, moves: impl Iterator<Item = V3> + Clone) -> Motion {
        let (mut sum, mut count) = (V3::zeros(), 0_u32);
        let (mut most, mut longest) = (V3::zeros(), 0.0_f32);
        for d in moves.clone() {
            sum += d;
            count += 1;
            if d.norm_squared() > longest {
                (most, longest) = (d, d.norm_squared());
            }
        }
        let mean = sum / count.max(1) as f32;
        match measure {
            Measure::Max | Measure::Absolute => Motion {
                vector: most,
                deviation: 0.0,
            },
            Measure::Mean => Motion {
                vector: mean,
                deviation: 0.0,
            },
            Measure::MeanDeviation => {
                let spread: f32 = moves.map(|d| (d - mean).norm_squared()).sum();
                Motion {
                    vector: mean,
                    deviation: (spread / count.max(1) as f32).sqrt(),
                }
            }
        }
    }

    /// Motion relative to another: vectors subtract, deviations add up.
    #[must_use]
    pub fn relative(&self, other: &Motion) -> Motion {
        Motion {
            vector: self.vector - other.vector,
            deviation: self.deviation + other.deviation,
        }
    }

    /// Concatenation of two motions.
    #[must_use]
    pub fn then(&self, next: &Motion) -> Motion {
        Motion {
            vector: self.vector + next.vector,
            deviation: self.deviation + next.deviation,
        }
    }

    /// Length of the vector plus the deviation, m.
    #[must_use]
    pub fn length(&self) -> f32 {
        self.vector.norm() + self.deviation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Translation3;
    use proptest::prelude::*;

    #[test]
    fn angles_small_and_large() {
        for turn in [0.0_f32, 1e-6, 1e-3, 0.5, 3.0, 3.1] {
            let q = UnitQuaternion::from_axis_angle(&V3::y_axis(), turn);
            let r = UnitQuaternion::from_euler_angles(0.3, -0.8, 2.0);
            let measured = angle(&r, &(r * q));
            assert!(
                (measured - turn).abs() < 1e-6 + 1e-5 * turn,
                "{turn} {measured}"
            );
            let other_sign = UnitQuaternion::new_unchecked(-(r * q).into_inner());
            assert!((angle(&r, &other_sign) - turn).abs() < 1e-6 + 1e-5 * turn);
        }
    }

    proptest! {
        /// The bound holds for every two points of the two objects.
        #[test]
        fn no_point_moves_further_than_the_bound(
            t in prop::array::uniform6(-1.0f32..1.0), r in prop::array::uniform6(-1.5f32..1.5),
            p in prop::array::uniform3(-1.0f32..1.0),
        ) {
            let pose = |k: usize| Pose::from_parts(
                Translation3::new(t[k], t[k + 1], t[k + 2]),
                UnitQuaternion::from_scaled_axis(V3::new(r[k], r[k + 1], r[k + 2])),
            );
            let (then, now) = (pose(0), pose(3));
            let p = V3::from(p);
            let moved = (then.rotation * p + then.translation.vector
                - now.rotation * p - now.translation.vector).norm();
            let bound = rigid(&then, &now, p.norm());
            prop_assert!(moved <= bound * 1.0001 + 1e-5, "{} {}", moved, bound);
        }
    }

    fn motion(measure: Measure, moves: &[V3]) -> Motion {
        Motion::of(measure, moves.iter().copied())
    }

    #[test]
    fn a_turn_about_the_middle_is_seen_by_all_but_the_mean() {
        let turn = [V3::x(), V3::y(), -V3::x(), -V3::y()].map(|d| d * 0.01);
        assert!(motion(Measure::Mean, &turn).length() < 1e-9);
        assert!((motion(Measure::MeanDeviation, &turn).length() - 0.01).abs() < 1e-6);
        assert!((motion(Measure::Max, &turn).length() - 0.01).abs() < 1e-6);
    }

    #[test]
    fn moving_together_is_not_moving() {
        let shift = [V3::new(0.1, 0.2, -0.3); 5];
        for measure in [Measure::Mean, Measure::MeanDeviation, Measure::Max] {
            let one = motion(measure, &shift);
            assert!((one.length() - shift[0].norm()).abs() < 1e-6);
            assert!(one.relative(&one).length() < 1e-6);
        }
    }

    #[test]
    fn vectors_cancel_over_time_and_deviations_do_not() {
        let there = Motion {
            vector: V3::x(),
            deviation: 0.5,
        };
        let back = Motion {
            vector: -V3::x(),
            deviation: 0.25,
        };
        assert_eq!(there.then(&back).length(), 0.75);
        assert_eq!(motion(Measure::Max, &[]).length(), 0.0);
    }
}
