//! Estimates velocity from poses: finite differences over a documented window.
//!
//! The estimate at a pose is the difference to the *oldest* pose that is not older than the window,
//! divided by the time between the two. The default windows are 15 ms linear and 30 ms angular, as
//! in CHAI3D. Quantisation of `Delta` then costs at most `2 Delta / window` of noise. The estimate
//! lags by half the window: the price that a damping gain pays (Chawda 2014).
//!
//! Angular velocity is that of the one constant rotation from the older to the newer orientation,
//! in the base frame. It is correct for turns below half a turn per window. Fixed capacity, no
//! allocation, no clock: the times are arguments.

use crate::arm::{Pose, Vec3};

/// Number of stored poses: enough for a window of 30 ms at 8 kHz.
const CAPACITY: usize = 256;
/// Poses closer in time than this to the newest are not used as a base: arrival times jitter by
/// about as much.
const MIN_SPAN_NS: u64 = 500_000;
/// A pose older than this many windows says nothing about the present velocity.
const STALE_WINDOWS: u64 = 4;

/// Lengths of the two windows.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct VelocityWindows {
    /// Window for the velocity of the tool origin, ns.
    pub linear_ns: u64,
    /// Window for the angular velocity, ns.
    pub angular_ns: u64,
}

impl Default for VelocityWindows {
    /// 15 ms and 30 ms.
    fn default() -> Self {
        Self {
            linear_ns: 15_000_000,
            angular_ns: 30_000_000,
        }
    }
}

#[derive(Copy, Clone)]
struct Entry {
    time_ns: u64,
    pose: Pose,
}

/// Velocity estimator of one arm.
#[derive(Clone)]
pub struct VelocityEstimator {
    windows: VelocityWindows,
    /// Ring buffer; `newest` is the index of the latest entry, and `count` entries are valid.
    ring: Box<[Entry; CAPACITY]>,
    newest: usize,
    count: usize,
    linear: Vec3,
    angular: Vec3,
}

impl std::fmt::Debug for VelocityEstimator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("VelocityEstimator")
            .field("windows", &self.windows)
            .field("count", &self.count)
            .field("linear", &self.linear)
            .field("angular", &self.angular)
            .finish_non_exhaustive()
    }
}

impl VelocityEstimator {
    /// Makes an estimator without poses. Allocates its memory once.
    #[must_use]
    pub fn new(windows: VelocityWindows) -> Self {
        let nothing = Entry {
            time_ns: 0,
            pose: Pose::identity(),
        };
        Self {
            windows,
            ring: Box::new([nothing; CAPACITY]),
            newest: 0,
            count: 0,
            linear: Vec3::zeros(),
            angular: Vec3::zeros(),
        }
    }

    /// Adds a pose. A pose that is not later than the last one replaces the last one.
    pub fn push(&mut self, time_ns: u64, pose: &Pose) {
        let entry = Entry {
            time_ns,
            pose: *pose,
        };
        if self.count > 0 && time_ns <= self.ring[self.newest].time_ns {
            let time_ns = self.ring[self.newest].time_ns;
            self.ring[self.newest] = Entry { time_ns, ..entry };
        } else {
            self.newest = (self.newest + 1) % CAPACITY;
            self.ring[self.newest] = entry;
            self.count = (self.count + 1).min(CAPACITY);
        }
        let entry = self.ring[self.newest];
        match self.base(self.windows.linear_ns) {
            Base::Hold => {}
            Base::Rest => self.linear = Vec3::zeros(),
            Base::Pose(old, seconds) => {
                self.linear =
                    (entry.pose.translation.vector - old.pose.translation.vector) / seconds;
            }
        }
        match self.base(self.windows.angular_ns) {
            Base::Hold => {}
            Base::Rest => self.angular = Vec3::zeros(),
            Base::Pose(old, seconds) => {
                let turn = entry.pose.rotation * old.pose.rotation.inverse();
                self.angular = turn.scaled_axis() / seconds;
            }
        }
    }

    /// Discards all poses: at rest.
    pub fn reset(&mut self) {
        self.count = 0;
        self.linear = Vec3::zeros();
        self.angular = Vec3::zeros();
    }

    /// Returns the velocity of the tool origin, m/s.
    #[must_use]
    pub fn linear(&self) -> Vec3 {
        self.linear
    }

    /// Returns the angular velocity in the base frame, rad/s.
    #[must_use]
    pub fn angular(&self) -> Vec3 {
        self.angular
    }

    /// Returns the pose to compare the newest with: the oldest within the window or, if the arm is
    /// slower than that, the one before the newest.
    fn base(&self, window_ns: u64) -> Base {
        let now = self.ring[self.newest].time_ns;
        let mut base = None;
        let mut close_only = false;
        for back in 1..self.count {
            let entry = self.ring[(self.newest + CAPACITY - back) % CAPACITY];
            let age = now - entry.time_ns;
            if age < MIN_SPAN_NS {
                close_only = true;
                continue;
            }
            if age > window_ns && (base.is_some() || age > window_ns.saturating_mul(STALE_WINDOWS))
            {
                break;
            }
            base = Some((entry, age as f64 * 1e-9));
            if age > window_ns {
                break;
            }
        }
        match base {
            Some((entry, seconds)) => Base::Pose(entry, seconds),
            None if close_only => Base::Hold,
            None => Base::Rest,
        }
    }
}

/// What an estimate is based on.
enum Base {
    /// An earlier pose, and the seconds since.
    Pose(Entry, f64),
    /// Only poses of the same moment: the estimate is kept.
    Hold,
    /// No pose, or no recent one.
    Rest,
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Translation3, UnitQuaternion};
    use proptest::prelude::*;

    const MS: u64 = 1_000_000;

    fn pose(position: Vec3, turn: Vec3) -> Pose {
        Pose::from_parts(
            Translation3::from(position),
            UnitQuaternion::from_scaled_axis(turn),
        )
    }

    fn estimator() -> VelocityEstimator {
        VelocityEstimator::new(VelocityWindows::default())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        /// For a constant twist the estimate is exact, whatever the arrival times.
        #[test]
        fn a_constant_motion_is_estimated_exactly(
            v in prop::array::uniform3(-2.0_f64..2.0), w in prop::array::uniform3(-10.0_f64..10.0),
            gaps in prop::collection::vec(100_000_u64..12 * MS, 5..400),
        ) {
            let (v, w) = (Vec3::from(v), Vec3::from(w));
            let mut estimator = estimator();
            let (start, mut now) = (5 * MS, 5 * MS);
            let turned = UnitQuaternion::from_scaled_axis(Vec3::new(0.3, -1.0, 0.5));
            for gap in gaps {
                now += gap;
                let t = (now - start) as f64 * 1e-9;
                let rotation = UnitQuaternion::from_scaled_axis(w * t) * turned;
                estimator.push(now, &Pose::from_parts(Translation3::from(v * t), rotation));
            }
            prop_assert!((estimator.linear() - v).norm() < 1e-9);
            prop_assert!((estimator.angular() - w).norm() < 1e-7);
        }

        /// Finite input gives finite output, bounded by range over the smallest span.
        #[test]
        fn no_times_make_it_panic_or_blow_up(steps in prop::collection::vec((any::<u64>(), -1.0_f64..1.0), 1..300)) {
            let mut estimator = estimator();
            for (time_ns, x) in steps {
                estimator.push(time_ns, &pose(Vec3::new(x, 0.0, 0.0), Vec3::new(0.0, x, 0.0)));
                prop_assert!(estimator.linear().norm() <= 2.0 / (MIN_SPAN_NS as f64 * 1e-9));
                prop_assert!(estimator.angular().iter().all(|w| w.is_finite()));
            }
        }
    }

    #[test]
    fn the_window_is_the_one_documented() {
        // Still for 100 ms, then a jump: the jump is forgotten after one window, not before.
        let mut estimator = estimator();
        for i in 0..100 {
            estimator.push(i * MS, &Pose::identity());
        }
        let moved = pose(Vec3::new(0.015, 0.0, 0.0), Vec3::new(0.03, 0.0, 0.0));
        for i in 100..114 {
            estimator.push(i * MS, &moved);
            assert!((estimator.linear().x - 1.0).abs() < 1e-9, "tick {i}");
        }
        estimator.push(114 * MS, &moved);
        assert!((estimator.linear().x - 1.0).abs() < 1e-9);
        estimator.push(115 * MS, &moved);
        assert_eq!(estimator.linear().x, 0.0);
        assert!((estimator.angular().x - 1.0).abs() < 1e-9);
        for i in 116..131 {
            estimator.push(i * MS, &moved);
        }
        assert_eq!(estimator.angular().x, 0.0);
    }

    #[test]
    fn a_burst_of_reports_does_not_divide_by_zero() {
        let mut estimator = estimator();
        for i in 0..20_u64 {
            let at = pose(Vec3::new(i as f64 * 1e-3, 0.0, 0.0), Vec3::zeros());
            estimator.push(i * MS, &at);
        }
        assert!((estimator.linear().x - 1.0).abs() < 1e-9);
        // Two reports within one microsecond.
        let next = pose(Vec3::new(0.020, 0.0, 0.0), Vec3::zeros());
        estimator.push(20 * MS, &next);
        let after = pose(Vec3::new(0.021, 0.0, 0.0), Vec3::zeros());
        estimator.push(20 * MS + 1_000, &after);
        assert!((estimator.linear().x - 1.0).abs() < 0.1);
        // The first two reports, too close to each other: still at rest.
        let mut fresh = self::estimator();
        fresh.push(0, &next);
        fresh.push(1_000, &after);
        assert_eq!(fresh.linear(), Vec3::zeros());
    }

    #[test]
    fn after_a_pause_the_arm_counts_as_at_rest() {
        let mut estimator = estimator();
        for i in 0..20_u64 {
            let at = pose(Vec3::new(i as f64 * 1e-3, 0.0, 0.0), Vec3::zeros());
            estimator.push(i * MS, &at);
        }
        estimator.push(500 * MS, &Pose::identity());
        assert_eq!(estimator.linear(), Vec3::zeros());
    }

    #[test]
    fn an_arm_slower_than_the_window_is_still_followed() {
        let mut estimator = estimator();
        for i in 0..10_u64 {
            let at = pose(Vec3::new(0.0, i as f64 * 0.02, 0.0), Vec3::zeros());
            estimator.push(i * 20 * MS, &at);
        }
        assert!((estimator.linear().y - 1.0).abs() < 1e-9);
    }
}
