//! A motion given by poses and times: recorded, or written by hand as keyframes. Pure data,
//! readable from TOML.
//!
//! Between two keyframes the motion is either straight (recordings, which are dense) or follows the
//! minimum-jerk profile `s(u) = 10u³ - 15u⁴ + 6u⁵` of point-to-point hand movements (Flash and
//! Hogan 1985), which starts and ends at rest. Orientations take the shorter rotation. Before the
//! first keyframe the pose is the first one; after the last it is the last one.

use super::intention::IntentionError;
use crate::arm::{Pose, Vec3};
use hapticd_config::intention::MAX_COORDINATE_M;
use nalgebra::{Translation3, UnitQuaternion};
use serde::Deserialize;

/// A pose at a time.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keyframe {
    /// Time after the start, s.
    pub t_s: f64,
    /// Position in the arm's base frame, m.
    pub position: [f64; 3],
    /// Rotation vector in the arm's base frame, rad.
    #[serde(default)]
    pub rotation: [f64; 3],
}

impl Keyframe {
    fn pose(&self) -> Pose {
        Pose::from_parts(
            Translation3::from(Vec3::from(self.position)),
            UnitQuaternion::from_scaled_axis(Vec3::from(self.rotation)),
        )
    }
}

/// Keyframes in order of time.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(try_from = "Vec<Keyframe>")]
pub struct Track {
    keys: Vec<Keyframe>,
}

impl TryFrom<Vec<Keyframe>> for Track {
    type Error = IntentionError;

    fn try_from(keys: Vec<Keyframe>) -> Result<Self, IntentionError> {
        Track::new(keys)
    }
}

impl Track {
    /// Makes a track from its keyframes.
    ///
    /// # Errors
    /// [`IntentionError::Empty`] without keyframes, [`IntentionError::NotFinite`] and
    /// [`IntentionError::NotAscending`] with the index of the keyframe at fault,
    /// [`IntentionError::OutOfRange`] for a coordinate that is too large.
    pub fn new(keys: Vec<Keyframe>) -> Result<Self, IntentionError> {
        if keys.is_empty() {
            return Err(IntentionError::Empty);
        }
        for (index, key) in keys.iter().enumerate() {
            let finite = key.t_s.is_finite()
                && key
                    .position
                    .iter()
                    .chain(&key.rotation)
                    .all(|x| x.is_finite());
            if !finite {
                return Err(IntentionError::NotFinite {
                    what: "keyframe",
                    index,
                });
            }
            let mut numbers = key.position.iter().chain(&key.rotation);
            let beyond = numbers.find(|x| x.abs() > MAX_COORDINATE_M);
            if let Some(&value) = beyond {
                return Err(IntentionError::OutOfRange {
                    what: "a keyframe's number",
                    value,
                    must: "within 10000",
                });
            }
            if index > 0 && key.t_s <= keys[index - 1].t_s {
                return Err(IntentionError::NotAscending {
                    index,
                    t_s: key.t_s,
                });
            }
        }
        Ok(Track { keys })
    }

    /// Returns the keyframes.
    #[must_use]
    pub fn keys(&self) -> &[Keyframe] {
        &self.keys
    }

    /// Returns the time from the first keyframe to the last, s.
    #[must_use]
    pub fn duration_s(&self) -> f64 {
        self.keys[self.keys.len() - 1].t_s - self.keys[0].t_s
    }

    /// Returns the pose at a time: minimum jerk between keyframes if `smooth`, else straight.
    /// Logarithmic in the number of keyframes.
    #[must_use]
    pub fn pose(&self, t_s: f64, smooth: bool) -> Pose {
        let after = self.keys.partition_point(|k| k.t_s <= t_s);
        if after == 0 {
            return self.keys[0].pose();
        }
        let from = &self.keys[after - 1];
        let Some(to) = self.keys.get(after) else {
            return from.pose();
        };
        let u = (t_s - from.t_s) / (to.t_s - from.t_s);
        let s = if smooth { minimum_jerk(u) } else { u };
        let (a, b) = (from.pose(), to.pose());
        let turn = (b.rotation * a.rotation.inverse()).scaled_axis();
        Pose::from_parts(
            Translation3::from(a.translation.vector.lerp(&b.translation.vector, s)),
            UnitQuaternion::from_scaled_axis(turn * s) * a.rotation,
        )
    }
}

/// Returns the share of the path after the share `u` of the time: from rest to rest with the least
/// jerk.
#[must_use]
pub fn minimum_jerk(u: f64) -> f64 {
    let u = u.clamp(0.0, 1.0);
    u * u * u * (10.0 + u * (6.0 * u - 15.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(t_s: f64, x: f64) -> Keyframe {
        Keyframe {
            t_s,
            position: [x, 0.0, 0.0],
            rotation: [0.0, 0.0, x],
        }
    }

    #[test]
    fn the_track_goes_through_its_keyframes_and_stays_at_its_ends() {
        let track = Track::new(vec![key(1.0, 0.0), key(2.0, 0.5), key(4.0, -0.5)]).expect("valid");
        for smooth in [false, true] {
            for (t, x) in [
                (-3.0, 0.0),
                (1.0, 0.0),
                (2.0, 0.5),
                (4.0, -0.5),
                (9.0, -0.5),
                (3.0, 0.0),
                (1.5, 0.25),
            ] {
                let pose = track.pose(t, smooth);
                assert!((pose.translation.x - x).abs() < 1e-12, "at {t}");
                assert!((pose.rotation.scaled_axis().z - x).abs() < 1e-12);
            }
        }
        assert!(track.pose(1.1, true).translation.x < track.pose(1.1, false).translation.x);
        assert_eq!(track.duration_s(), 3.0);
    }

    #[test]
    fn minimum_jerk_starts_and_ends_at_rest_with_a_peak_of_fifteen_eighths() {
        let slope = |u: f64| (minimum_jerk(u + 1e-6) - minimum_jerk(u - 1e-6)) / 2e-6;
        assert!(slope(1e-5).abs() < 1e-6 && slope(1.0 - 1e-5).abs() < 1e-6);
        assert!((slope(0.5) - 15.0 / 8.0).abs() < 1e-6);
        assert_eq!(
            (minimum_jerk(-1.0), minimum_jerk(0.5), minimum_jerk(2.0)),
            (0.0, 0.5, 1.0)
        );
    }

    #[test]
    fn bad_keyframes_are_named() {
        assert_eq!(Track::new(vec![]), Err(IntentionError::Empty));
        assert_eq!(
            Track::new(vec![key(1.0, 0.0), key(1.0, 1.0)]),
            Err(IntentionError::NotAscending { index: 1, t_s: 1.0 })
        );
        assert_eq!(
            Track::new(vec![key(1.0, f64::NAN)]),
            Err(IntentionError::NotFinite {
                what: "keyframe",
                index: 0
            })
        );
        let far = Track::new(vec![key(0.0, 0.0), key(1.0, -2e4)]);
        assert!(matches!(
            far,
            Err(IntentionError::OutOfRange { value: -2e4, .. })
        ));
    }
}
