//! What a hand wants to do: a pose for every time. Pure data, readable from TOML; a pure function
//! of time.
//!
//! ```toml
//! [hand.intention]
//! kind = "press"
//! from = [0.0, 0.0, 0.05]
//! depth_m = 0.08
//! move_s = 1.0
//! hold_s = 1.0
//! ```
//!
//! Positions are metres in the arm's base frame; "down" is -z. The intention knows nothing of the
//! scene: a hand presses on a surface by intending to be below it.

use std::f64::consts::TAU;

use super::random;
use super::track::{Track, minimum_jerk};
use crate::arm::{Pose, Vec3};
use hapticd_config::intention::{MAX_COORDINATE_M, POSITIVE};
use nalgebra::{Translation3, UnitQuaternion};
use serde::Deserialize;
use thiserror::Error;

/// Why an intention is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum IntentionError {
    /// A track without keyframes.
    #[error("no keyframes")]
    Empty,
    /// A NaN or an infinity.
    #[error("{what} {index} is not finite")]
    NotFinite {
        /// Name of the value or list.
        what: &'static str,
        /// Index in the list.
        index: usize,
    },
    /// Keyframes whose times do not increase.
    #[error("keyframe {index} at {t_s} s is not later than the one before it")]
    NotAscending {
        /// Index of the keyframe.
        index: usize,
        /// Time of the keyframe, s.
        t_s: f64,
    },
    /// A length, time or speed out of range.
    #[error("{what} is {value}, must be {must}")]
    OutOfRange {
        /// Name of the field.
        what: &'static str,
        /// Value of the field.
        value: f64,
        /// What the value must be.
        must: &'static str,
    },
}

/// Path over a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// To and fro along x, slowly across along y, and back.
    Raster,
    /// Sines along x and y with frequencies in the ratio 5 to 4: smooth, and passes near every
    /// point.
    Lissajous,
}

/// What the hand wants to do.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Intention {
    /// Stay in one pose.
    Rest {
        /// Position, m.
        at: [f64; 3],
        /// Rotation vector, rad.
        #[serde(default)]
        rotation: [f64; 3],
    },
    /// Go straight down, hold, come back, pause for as long, and repeat, with minimum-jerk
    /// movements.
    Press {
        /// Position to start from, m.
        from: [f64; 3],
        /// Rotation vector, rad.
        #[serde(default)]
        rotation: [f64; 3],
        /// Depth below the start, m.
        depth_m: f64,
        /// Duration of one movement, s.
        move_s: f64,
        /// Time spent below, and time spent above, s.
        hold_s: f64,
    },
    /// Move over a surface while pressing on it. Starts in the centre of the region.
    Explore {
        /// Centre of the region, at the height of the surface, m.
        center: [f64; 3],
        /// Rotation vector, rad.
        #[serde(default)]
        rotation: [f64; 3],
        /// Half of the region along x and y, m.
        half_width_m: [f64; 2],
        /// Depth below the surface that the hand wants to reach, m: the pressure over the stiffness
        /// of hand and coupling.
        pressure_depth_m: f64,
        /// Largest speed along the surface, m/s.
        speed_m_s: f64,
        /// Path over the surface.
        pattern: Pattern,
    },
    /// Move on a circle at constant height.
    Circle {
        /// Centre of the circle, m.
        center: [f64; 3],
        /// Rotation vector at the start, rad.
        #[serde(default)]
        rotation: [f64; 3],
        /// Radius of the circle, m.
        radius_m: f64,
        /// Duration of one turn, s; if negative, turns are clockwise seen from above.
        period_s: f64,
        /// Whether the tool turns about z with the motion.
        #[serde(default)]
        turn_along: bool,
    },
    /// Follow a recording with straight motions between its poses, then stay.
    Recorded {
        /// Poses of the recording.
        track: Track,
    },
    /// Follow keyframes with minimum-jerk movements.
    Script {
        /// Keyframes to follow.
        track: Track,
        /// Whether to begin again at the end. The hand then jumps from the last pose to the first:
        /// make them equal.
        #[serde(default)]
        repeat: bool,
    },
    /// The adversary: straight dashes at constant speed between random points, with random
    /// rotations. The points lie alternately in the upper and the lower half of a box, so that each
    /// dash crosses the plane between.
    Dash {
        /// Centre of the box, m.
        center: [f64; 3],
        /// Half of its edges, m.
        half_extents: [f64; 3],
        /// Speed of a dash, m/s.
        speed_m_s: f64,
        /// Largest value of each component of the random rotation vectors, rad.
        #[serde(default)]
        turn_rad: f64,
        /// Seed of the random points.
        seed: u64,
    },
}

fn pose(position: Vec3, rotation: &[f64; 3]) -> Pose {
    Pose::from_parts(
        Translation3::from(position),
        UnitQuaternion::from_scaled_axis(Vec3::from(*rotation)),
    )
}

/// A triangle wave of period 1 between -1 and 1 that starts at 0 and rises.
fn triangle(phase: f64) -> f64 {
    let p = (phase + 0.25).rem_euclid(1.0);
    1.0 - 4.0 * (p - 0.5).abs()
}

/// Returns the share of its depth that a press has at a time: down, hold, up, pause.
fn press_share(move_s: f64, hold_s: f64, t_s: f64) -> f64 {
    let half = move_s + hold_s;
    let t = t_s.max(0.0).rem_euclid(2.0 * half);
    if t < half {
        minimum_jerk(t / move_s)
    } else {
        1.0 - minimum_jerk((t - half) / move_s)
    }
}

impl Pattern {
    /// Returns the offset from the middle of the surface at a time `t` that is not negative, m.
    fn at(self, [wx, wy]: &[f64; 2], speed_m_s: f64, t: f64) -> (f64, f64) {
        match self {
            Pattern::Raster => {
                // One crossing to and fro is 4 wx long; ten of them for one crossing and return
                // along y.
                let period = 4.0 * wx / speed_m_s;
                (
                    wx * triangle(t / period),
                    wy * triangle(t / (10.0 * period)),
                )
            }
            Pattern::Lissajous => {
                // The speed is at most |(5 wx, 4 wy)| * rate.
                let rate = speed_m_s / (5.0 * wx).hypot(4.0 * wy);
                (wx * (5.0 * rate * t).sin(), wy * (4.0 * rate * t).sin())
            }
        }
    }
}

impl Intention {
    /// Checks every value.
    ///
    /// # Errors
    /// The first [`IntentionError`].
    pub fn validate(&self) -> Result<(), IntentionError> {
        let finite = |what, values: &[f64]| match values.iter().position(|x| !x.is_finite()) {
            Some(index) => Err(IntentionError::NotFinite { what, index }),
            None => match values.iter().find(|x| x.abs() > MAX_COORDINATE_M) {
                Some(&value) => Err(IntentionError::OutOfRange {
                    what,
                    value,
                    must: "within 10000",
                }),
                None => Ok(()),
            },
        };
        let positive = |what, value: f64| {
            if POSITIVE.contains(&value) {
                Ok(())
            } else {
                Err(IntentionError::OutOfRange {
                    what,
                    value,
                    must: "1e-9 to 1e9",
                })
            }
        };
        match self {
            Self::Rest { at, rotation } => {
                finite("at", at)?;
                finite("rotation", rotation)
            }
            Self::Press {
                from,
                rotation,
                depth_m,
                move_s,
                hold_s,
            } => {
                finite("from", from)?;
                finite("rotation", rotation)?;
                finite("depth_m", &[*depth_m])?;
                positive("move_s", *move_s)?;
                if hold_s.is_finite() && *hold_s >= 0.0 {
                    Ok(())
                } else {
                    Err(IntentionError::OutOfRange {
                        what: "hold_s",
                        value: *hold_s,
                        must: "not negative",
                    })
                }
            }
            Self::Explore {
                center,
                rotation,
                half_width_m,
                pressure_depth_m,
                speed_m_s,
                ..
            } => {
                finite("center", center)?;
                finite("rotation", rotation)?;
                finite("pressure_depth_m", &[*pressure_depth_m])?;
                positive("half_width_m[0]", half_width_m[0])?;
                positive("half_width_m[1]", half_width_m[1])?;
                positive("speed_m_s", *speed_m_s)
            }
            Self::Circle {
                center,
                rotation,
                radius_m,
                period_s,
                ..
            } => {
                finite("center", center)?;
                finite("rotation", rotation)?;
                positive("radius_m", *radius_m)?;
                positive("period_s", period_s.abs())
            }
            Self::Recorded { .. } => Ok(()),
            Self::Script { track, repeat } => {
                if *repeat {
                    positive("duration of a repeated script", track.duration_s())
                } else {
                    Ok(())
                }
            }
            Self::Dash {
                center,
                half_extents,
                speed_m_s,
                turn_rad,
                ..
            } => {
                finite("center", center)?;
                half_extents
                    .iter()
                    .try_for_each(|h| positive("half_extents", *h))?;
                finite("turn_rad", &[*turn_rad])?;
                positive("speed_m_s", *speed_m_s)
            }
        }
    }

    /// Returns the pose that the hand wants `t_s` after the start. Finite for every finite time of
    /// a valid intention; no allocation.
    #[must_use]
    pub fn pose(&self, t_s: f64) -> Pose {
        match self {
            Self::Rest { at, rotation } => pose(Vec3::from(*at), rotation),
            Self::Press {
                from,
                rotation,
                depth_m,
                move_s,
                hold_s,
            } => {
                let down = press_share(*move_s, *hold_s, t_s);
                pose(
                    Vec3::from(*from) - Vec3::new(0.0, 0.0, depth_m * down),
                    rotation,
                )
            }
            Self::Explore {
                center,
                rotation,
                half_width_m,
                pressure_depth_m,
                speed_m_s,
                pattern,
            } => {
                let (x, y) = pattern.at(half_width_m, *speed_m_s, t_s.max(0.0));
                pose(
                    Vec3::from(*center) + Vec3::new(x, y, -pressure_depth_m),
                    rotation,
                )
            }
            Self::Circle {
                center,
                rotation,
                radius_m,
                period_s,
                turn_along,
            } => {
                let angle = TAU * (t_s / period_s).rem_euclid(1.0);
                let at = Vec3::from(*center) + Vec3::new(angle.cos(), angle.sin(), 0.0) * *radius_m;
                let mut placed = pose(at, rotation);
                if *turn_along {
                    placed.rotation = UnitQuaternion::from_scaled_axis(Vec3::new(0.0, 0.0, angle))
                        * placed.rotation;
                }
                placed
            }
            Self::Recorded { track } => track.pose(t_s, false),
            Self::Script { track, repeat } => {
                let first = track.keys()[0].t_s;
                let t = if *repeat {
                    first + (t_s - first).max(0.0).rem_euclid(track.duration_s())
                } else {
                    t_s
                };
                track.pose(t, true)
            }
            Self::Dash {
                center,
                half_extents,
                speed_m_s,
                turn_rad,
                seed,
            } => {
                let half = Vec3::from(*half_extents);
                let (at, turn) = dash(*seed, &half, *speed_m_s, t_s.max(0.0));
                let turn = turn * *turn_rad;
                pose(Vec3::from(*center) + at, &[turn.x, turn.y, turn.z])
            }
        }
    }
}

/// Returns the place of a dashing hand relative to the middle of its box at a time `t` that is not
/// negative, m, and its rotation vector in -1..1.
fn dash(seed: u64, half: &Vec3, speed_m_s: f64, t: f64) -> (Vec3, Vec3) {
    // Long enough for the longest dash; a shorter one waits at its end.
    let slot_s = 2.0 * half.norm() / speed_m_s;
    let slot = (t / slot_s).floor();
    let index = slot as u64;
    let (from, from_turn) = dash_point(seed, index, half);
    let (to, to_turn) = dash_point(seed, index.saturating_add(1), half);
    let length = (to - from).norm();
    let since_s = t - slot * slot_s;
    let done = (since_s * speed_m_s).min(length);
    let share = if length > 0.0 { done / length } else { 1.0 };
    (
        from.lerp(&to, share),
        from_turn.lerp(&to_turn, since_s / slot_s),
    )
}

/// Returns the `index`-th point of a dash, and its rotation vector in -1..1. The sign of z
/// alternates with the index.
fn dash_point(seed: u64, index: u64, half: &Vec3) -> (Vec3, Vec3) {
    let number = |i: u64| random::symmetric(seed, index.wrapping_mul(6).wrapping_add(i));
    let side = if index.is_multiple_of(2) { 1.0 } else { -1.0 };
    let point = Vec3::new(number(0), number(1), number(2).abs() * side);
    (
        point.component_mul(half),
        Vec3::new(number(3), number(4), number(5)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Keyframe;

    fn samples() -> Vec<Intention> {
        let key = |t_s, z| Keyframe {
            t_s,
            position: [0.0, 0.0, z],
            rotation: [0.0; 3],
        };
        let track = Track::new(vec![key(0.0, 0.0), key(1.0, 0.1), key(2.0, 0.0)]).expect("valid");
        let explore = |pattern| Intention::Explore {
            center: [0.0, 0.0, 0.02],
            rotation: [0.0; 3],
            half_width_m: [0.05, 0.03],
            pressure_depth_m: 0.01,
            speed_m_s: 0.2,
            pattern,
        };
        vec![
            Intention::Rest {
                at: [0.1, 0.0, 0.0],
                rotation: [0.0; 3],
            },
            Intention::Press {
                from: [0.0; 3],
                rotation: [0.0; 3],
                depth_m: 0.05,
                move_s: 0.5,
                hold_s: 0.2,
            },
            explore(Pattern::Raster),
            explore(Pattern::Lissajous),
            Intention::Circle {
                center: [0.0; 3],
                rotation: [0.1, 0.0, 0.0],
                radius_m: 0.05,
                period_s: 1.0,
                turn_along: true,
            },
            Intention::Recorded {
                track: track.clone(),
            },
            Intention::Script {
                track,
                repeat: true,
            },
            Intention::Dash {
                center: [0.0; 3],
                half_extents: [0.05; 3],
                speed_m_s: 10.0,
                turn_rad: 1.0,
                seed: 3,
            },
        ]
    }

    #[test]
    fn every_intention_is_valid_and_moves_without_jumps() {
        for intention in samples() {
            assert_eq!(intention.validate(), Ok(()));
            let mut last = intention.pose(0.0);
            for i in 1..8_000 {
                let next = intention.pose(f64::from(i) * 1e-4);
                let moved = (next.translation.vector - last.translation.vector).norm();
                assert!(
                    moved <= 10.0 * 1e-4 * (1.0 + 1e-9),
                    "{intention:?} jumps by {moved}"
                );
                assert!((next.rotation * last.rotation.inverse()).angle() < 0.05);
                last = next;
            }
        }
    }

    #[test]
    fn a_press_goes_down_holds_and_comes_back() {
        let press = &samples()[1];
        for (t, z) in [
            (0.0, 0.0),
            (0.25, -0.025),
            (0.5, -0.05),
            (0.69, -0.05),
            (1.2, 0.0),
            (1.39, 0.0),
            (1.9, -0.05),
        ] {
            assert!((press.pose(t).translation.z - z).abs() < 1e-12, "at {t}");
        }
    }

    #[test]
    fn exploring_keeps_its_speed_and_covers_its_region_below_the_surface() {
        for intention in &samples()[2..4] {
            let (mut fastest, mut reach) = (0.0_f64, Vec3::zeros());
            for i in 0..20_000 {
                let t = f64::from(i) * 2e-3;
                let (a, b) = (intention.pose(t), intention.pose(t + 1e-6));
                fastest = fastest.max((b.translation.vector - a.translation.vector).norm() / 1e-6);
                reach = reach.sup(&a.translation.vector.abs());
                assert!((a.translation.z - 0.01).abs() < 1e-12);
            }
            assert!((0.15..0.21).contains(&fastest), "{fastest}");
            assert!(reach.x > 0.0499 && reach.x < 0.0501 && reach.y > 0.0299 && reach.y < 0.0301);
        }
    }

    #[test]
    fn dashes_run_at_their_speed_cross_the_middle_each_time_and_depend_on_the_seed() {
        let dash = |seed| Intention::Dash {
            center: [0.0, 0.0, 0.0],
            half_extents: [0.05, 0.05, 0.05],
            speed_m_s: 10.0,
            turn_rad: 0.5,
            seed,
        };
        let (one, other) = (dash(1), dash(2));
        assert_ne!(one.pose(0.5), other.pose(0.5));
        assert_eq!(one.pose(0.5), dash(1).pose(0.5));
        let slot = 2.0 * 0.05 * 3.0_f64.sqrt() / 10.0;
        for i in 0..200 {
            let begin = f64::from(i) * slot;
            let (a, b) = (one.pose(begin + 1e-5), one.pose(begin + 3e-5));
            let speed = (b.translation.vector - a.translation.vector).norm() / 2e-5;
            assert!((speed - 10.0).abs() < 1e-6, "{speed}");
            assert!(a.translation.z * one.pose(begin + slot - 1e-6).translation.z < 0.0);
        }
    }

    #[test]
    fn intentions_are_read_from_toml_and_checked() {
        let read = |text: &str| toml::from_str::<Intention>(text);
        let press = read(
            "kind = \"press\"\nfrom = [0.0, 0.0, 0.05]\ndepth_m = 0.08\nmove_s = 1.0\nhold_s = 1.0",
        );
        assert!(matches!(press, Ok(Intention::Press { depth_m: 0.08, .. })));
        let script = read(
            "kind = \"script\"\nrepeat = true\ntrack = [{ t_s = 0.0, position = [0.0, 0.0, 0.1] }, { t_s = 1.0, position = [0.0, 0.0, 0.0] }]",
        );
        assert!(matches!(script, Ok(Intention::Script { repeat: true, .. })));
        assert!(read("kind = \"script\"\ntrack = []").is_err());
        assert!(
            read("kind = \"rest\"\nat = [0.0, 0.0, 0.0]\nspeed = 3").is_err(),
            "unknown key"
        );
        let wrong = Intention::Circle {
            center: [0.0; 3],
            rotation: [0.0; 3],
            radius_m: -1.0,
            period_s: 1.0,
            turn_along: false,
        };
        assert!(matches!(
            wrong.validate(),
            Err(IntentionError::OutOfRange {
                what: "radius_m",
                ..
            })
        ));
    }
}
