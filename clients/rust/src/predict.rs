//! Where a tool will be when a frame is shown: extrapolation of a state by at most 50 ms.
//!
//! A state holds one pair of velocities: those of the hand, `v` of the tool's origin and `w`, both
//! in the world frame. With `dt` the time since the state, cut to `0..=PREDICTION_HORIZON`:
//!
//! ```text
//! translation = translation + v dt
//! rotation    = exp(w dt) * rotation          (exponential map; applied in the world frame)
//! exp(r)      = (r / |r| * sin(|r| / 2), cos(|r| / 2))      as a quaternion x y z, w
//! ```
//!
//! Pure functions: no allocation, no system call; any thread may call them.

use hapticd_protocol::{
    block::{ArmState, flag},
    wire::Pose,
};
use std::time::Duration;

/// Longest time that is extrapolated. A hand may turn around within it.
pub const PREDICTION_HORIZON: Duration = Duration::from_millis(50);

/// A predicted pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Pose in the world frame.
    pub pose: Pose,
    /// True if it is not the pose at the time that was asked for. The pose is then held: the time
    /// is before the state or beyond the horizon, the arm is not attached, or, for a proxy, it does
    /// not move freely.
    pub held: bool,
}

/// Predicts the pose of the tool as the hand holds it (`world_from_device`) at `time_ns`, on
/// `CLOCK_MONOTONIC`.
pub fn predict_device(state: &ArmState, time_ns: u64) -> Prediction {
    let free = state.has(flag::ATTACHED);
    extrapolate(state, &state.world_from_device, time_ns, free)
}

/// Predicts the pose of the proxy (`world_from_proxy`) at `time_ns`, on `CLOCK_MONOTONIC`. In free
/// space it moves with the hand. While it touches, is inside a body or is held back, nothing in the
/// state says how it will move: the pose of the state is held, so that it never enters a body that
/// it touches.
pub fn predict_proxy(state: &ArmState, time_ns: u64) -> Prediction {
    let bound = flag::TOUCHING | flag::STARVED | flag::INSIDE;
    let free = state.has(flag::ATTACHED) && state.flags & bound == 0;
    extrapolate(state, &state.world_from_proxy, time_ns, free)
}

fn extrapolate(state: &ArmState, pose: &Pose, time_ns: u64, free: bool) -> Prediction {
    let (v, w) = (state.linear_velocity_m_s, state.angular_velocity_rad_s);
    if !free || !v.iter().chain(&w).all(|part| part.is_finite()) {
        return Prediction {
            pose: *pose,
            held: true,
        };
    }
    let horizon_ns = PREDICTION_HORIZON.as_nanos() as u64;
    let ahead_ns = time_ns.saturating_sub(state.time_ns);
    let dt = 1e-9 * ahead_ns.min(horizon_ns) as f64;
    let [x, y, z] = pose.translation_m;
    let pose = Pose {
        translation_m: [x + v[0] * dt, y + v[1] * dt, z + v[2] * dt],
        rotation_xyzw: product(exp(w.map(|part| part * dt)), pose.rotation_xyzw),
    };
    Prediction {
        pose,
        held: time_ns < state.time_ns || ahead_ns > horizon_ns,
    }
}

/// Exponential map of a rotation vector, rad, as a unit quaternion.
fn exp(rotation: [f64; 3]) -> [f64; 4] {
    let angle = rotation.iter().fold(0.0, |sum: f64, part| sum.hypot(*part));
    // sin(angle / 2) / angle, by its series where the quotient would lose digits.
    let factor = if angle < 1e-4 {
        0.5 - angle * angle / 48.0
    } else {
        (0.5 * angle).sin() / angle
    };
    let [x, y, z] = rotation.map(|part| part * factor);
    [x, y, z, (0.5 * angle).cos()]
}

/// Product of two quaternions, of length 1.
fn product([ax, ay, az, aw]: [f64; 4], [bx, by, bz, bw]: [f64; 4]) -> [f64; 4] {
    let q = [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ];
    let length = q.iter().map(|part| part * part).sum::<f64>().sqrt();
    if length > 0.0 {
        q.map(|part| part / length)
    } else {
        q
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::{FRAC_1_SQRT_2, PI};

    fn moving() -> ArmState {
        ArmState {
            tick: 1,
            time_ns: 1_000_000_000,
            linear_velocity_m_s: [0.1, -0.2, 0.3],
            angular_velocity_rad_s: [0.0, 0.0, 10.0 * PI],
            flags: flag::ATTACHED,
            ..ArmState::EMPTY
        }
    }

    fn near<const N: usize>(a: [f64; N], b: [f64; N]) {
        assert!(
            a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12),
            "{a:?} {b:?}"
        );
    }

    #[test]
    fn a_turning_hand_is_a_quarter_turn_further_after_50_ms() {
        for predict in [predict_device, predict_proxy] {
            let Prediction { pose, held } = predict(&moving(), 1_050_000_000);
            near(pose.translation_m, [0.005, -0.01, 0.015]);
            near(pose.rotation_xyzw, [0.0, 0.0, FRAC_1_SQRT_2, FRAC_1_SQRT_2]);
            assert!(!held);
        }
    }

    #[test]
    fn the_rotation_is_applied_in_the_world_frame() {
        let mut state = moving();
        // Half a turn about x; then a quarter turn about the world's z.
        state.world_from_device.rotation_xyzw = [1.0, 0.0, 0.0, 0.0];
        let pose = predict_device(&state, 1_050_000_000).pose;
        near(pose.rotation_xyzw, [FRAC_1_SQRT_2, FRAC_1_SQRT_2, 0.0, 0.0]);
    }

    #[test]
    fn beyond_the_horizon_and_before_the_state_it_holds_and_says_so() {
        let at = |time_ns| predict_device(&moving(), time_ns);
        let (last, later) = (at(1_050_000_000), at(u64::MAX));
        assert_eq!((later.pose, later.held), (last.pose, true));
        let before = at(0);
        assert_eq!((before.pose, before.held), (Pose::IDENTITY, true));
        assert!(!at(1_000_000_000).held && at(999_999_999).held && at(1_050_000_001).held);
    }

    #[test]
    fn a_proxy_that_touches_and_an_arm_that_is_away_stay() {
        for flags in [flag::TOUCHING, flag::STARVED, flag::INSIDE] {
            let mut state = moving();
            state.flags |= flags;
            let there = predict_proxy(&state, 1_020_000_000);
            assert_eq!((there.pose, there.held), (Pose::IDENTITY, true));
            assert!(!predict_device(&state, 1_020_000_000).held);
        }
        let mut away = moving();
        away.flags = 0;
        assert!(predict_device(&away, 1_020_000_000).held);
        let mut invalid = moving();
        invalid.linear_velocity_m_s[1] = f64::NAN;
        let there = predict_device(&invalid, 1_020_000_000);
        assert_eq!((there.pose, there.held), (Pose::IDENTITY, true));
    }

    #[test]
    fn small_and_large_angles_meet() {
        // Both sides of where the series ends.
        for angle in [9.999e-5, 1.0001e-4] {
            let [x, _, _, w] = exp([angle, 0.0, 0.0]);
            assert!((x - (0.5 * angle).sin()).abs() < 1e-18);
            assert!((w - (0.5 * angle).cos()).abs() < 1e-15);
        }
    }
}
