//! Sweeps: did the surfaces stay apart between two poses? Bisects the motion against the exact
//! distance.
//!
//! Between two poses the motion is the constant-speed screw (as everywhere in this project). No
//! tool point moves faster relative to the body than the largest speed of a vertex, which is
//! constant along a screw. So around an instant with distance `d` the surfaces are apart for `d /
//! speed` in both directions. The rest is bisected. An instant at which the surfaces meet is a
//! crossing.
//!
//! The screw is computed here from the two poses, as the exponential of one twist, not by the
//! geometry crate's screw.

use hapticd_geometry::{Pose, Vec3};
use nalgebra::{Translation3, UnitQuaternion};

use crate::query::{Placement, Tool, distance_within, segment_meets_surface};
use crate::solid::Solid;

/// When to give up on a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepLimits {
    /// A piece during which no point moves further than this (m) is not divided further.
    pub resolution_m: f64,
    /// Most distance evaluations for one motion.
    pub samples: u32,
}

impl Default for SweepLimits {
    /// 1 nm and 200 000 evaluations.
    fn default() -> Self {
        Self {
            resolution_m: 1e-9,
            samples: 200_000,
        }
    }
}

/// Result of a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Sweep {
    /// The surfaces were apart at every instant: proven, up to rounding of distances.
    Clear {
        /// Least distance at the evaluated instants (m); an upper bound of the least over the
        /// motion. Infinite if none needed measuring.
        seen_m: f64,
    },
    /// The surfaces meet at this instant.
    Crossing {
        /// Share of the motion, 0 to 1; not necessarily the first such instant.
        t: f64,
    },
    /// Neither was shown within the limits, or a number was not finite.
    Unresolved {
        /// Share of the motion at which the limits were reached.
        t: f64,
        /// Distance there (m).
        distance_m: f64,
    },
}

/// The constant-speed screw motion between two poses.
#[derive(Clone, Copy, Debug)]
pub struct ScrewMotion<'a> {
    /// Pose at the start.
    pub from: &'a Pose,
    /// Pose at the end.
    pub to: &'a Pose,
}

/// Follows a tool that moves past a body that stands still.
///
/// Only surfaces count. A tool that is inside a closed body throughout is clear here;
/// [`crate::penetration_depth_m`] finds it at either end. The rotation between the poses is the
/// shorter one.
#[must_use]
pub fn sweep_tool(
    tool: &Tool<'_>,
    motion: ScrewMotion<'_>,
    body: &Solid,
    world_from_body: &Pose,
    limits: &SweepLimits,
) -> Sweep {
    let ScrewMotion { from, to } = motion;
    let twist = Twist::between(from, to);
    let speed = fastest(tool, from, &twist);
    let path = Path {
        tool,
        body,
        places: &|t| (twist.pose(from, to, t), *world_from_body),
    };
    path.follow(limits, speed, scale(tool, from, to, body))
}

/// Follows a body that moves past a tool that stands still; otherwise as [`sweep_tool`].
#[must_use]
pub fn sweep_body(
    tool: &Tool<'_>,
    world_from_tool: &Pose,
    body: &Solid,
    motion: ScrewMotion<'_>,
    limits: &SweepLimits,
) -> Sweep {
    let ScrewMotion { from, to } = motion;
    let twist = Twist::between(from, to);
    let speed = fastest(tool, world_from_tool, &twist);
    let scale = scale(tool, world_from_tool, world_from_tool, body)
        + from.translation.vector.amax()
        + to.translation.vector.amax();
    let path = Path {
        tool,
        body,
        places: &|t| (*world_from_tool, twist.pose(from, to, t)),
    };
    path.follow(limits, speed, scale)
}

/// A motion in progress.
struct Path<'a> {
    tool: &'a Tool<'a>,
    body: &'a Solid,
    /// Poses of tool and body at a share of the motion.
    places: &'a dyn Fn(f64) -> (Pose, Pose),
}

impl Path<'_> {
    fn distance(&self, t: f64, limit: f64) -> f64 {
        let (tool_at, body_at) = (self.places)(t);
        distance_within(self.tool, &tool_at, self.body, &body_at, limit)
    }

    /// Whether the straight path of a sphere's centre between two instants meets the surface: a
    /// point has no width that would be caught.
    fn centre_crosses(&self, start: f64, end: f64) -> bool {
        if matches!(self.tool, Tool::Mesh(_)) {
            return false;
        }
        let [a, b] = [start, end].map(|t| {
            let (tool_at, body_at) = (self.places)(t);
            Placement::new(&tool_at, &body_at).map(|place| place.origin())
        });
        match (a, b) {
            (Some(a), Some(b)) => segment_meets_surface(self.body, &a, &b),
            _ => true,
        }
    }

    /// Covers the motion piece by piece, the earliest first. `speed` bounds the speed of every tool
    /// point, `scale` every coordinate.
    fn follow(&self, limits: &SweepLimits, speed: f64, scale: f64) -> Sweep {
        if !(speed.is_finite() && scale.is_finite()) {
            return Sweep::Unresolved {
                t: 0.0,
                distance_m: 0.0,
            };
        }
        // What rounding of coordinates may have added to a distance.
        let pad = 1e-14 * scale;
        for t in [0.0, 1.0] {
            if self.distance(t, pad) <= 0.0 {
                return Sweep::Crossing { t };
            }
        }
        let mut seen_m = f64::INFINITY;
        let mut unresolved = None;
        let mut samples = 0;
        let mut pending = vec![(0.0_f64, 1.0_f64)];
        while let Some((start, end)) = pending.pop() {
            let t = 0.5 * (start + end);
            let reach = speed * 0.5 * (end - start);
            let enough = reach * (1.0 + 1e-6) + 2.0 * pad;
            let d = self.distance(t, enough);
            samples += 1;
            if d <= 0.0 {
                return Sweep::Crossing { t };
            }
            if d >= enough {
                continue;
            }
            seen_m = seen_m.min(d);
            if reach < limits.resolution_m || samples >= limits.samples {
                if self.centre_crosses(start, end) {
                    return Sweep::Crossing { t };
                }
                unresolved.get_or_insert(Sweep::Unresolved { t, distance_m: d });
                if samples >= limits.samples {
                    break;
                }
                continue;
            }
            let clear = ((d - 2.0 * pad) / (speed * (1.0 + 1e-6))).max(0.0);
            pending.push((t + clear, end));
            pending.push((start, t - clear));
        }
        unresolved.unwrap_or(Sweep::Clear { seen_m })
    }
}

/// Returns the largest size of a coordinate that enters a distance.
fn scale(tool: &Tool<'_>, from: &Pose, to: &Pose, body: &Solid) -> f64 {
    let size = match tool {
        Tool::Mesh(tool) => tool.bounds().low.amax().max(tool.bounds().high.amax()),
        Tool::Sphere { radius_m } => *radius_m,
    };
    let body = body.bounds().low.amax().max(body.bounds().high.amax());
    size + body + from.translation.vector.amax() + to.translation.vector.amax()
}

/// Returns the largest speed, over the motion's unit of time, of the twist's velocity field at a
/// point of the placed tool.
fn fastest(tool: &Tool<'_>, world_from_tool: &Pose, twist: &Twist) -> f64 {
    let speed = |p: &Vec3| {
        let x = world_from_tool.rotation * p + world_from_tool.translation.vector;
        twist.velocity_of(&x).norm()
    };
    let most = match tool {
        Tool::Mesh(tool) => tool.vertices().map(speed).fold(0.0, f64::max),
        Tool::Sphere { .. } => speed(&Vec3::zeros()),
    };
    // `max` drops NaN, so test one point separately.
    let one = speed(&Vec3::zeros());
    if one.is_finite() { most } else { f64::NAN }
}

/// A constant velocity field `v + w x (x - pivot)`, for one unit of time.
struct Twist {
    linear: Vec3,
    angular: Vec3,
    pivot: Vec3,
}

impl Twist {
    /// Returns the field with the flow that takes `from` to `to` (the logarithm of the rigid
    /// displacement).
    fn between(from: &Pose, to: &Pose) -> Self {
        let angular = (to.rotation * from.rotation.inverse()).scaled_axis();
        let shift = to.translation.vector - from.translation.vector;
        let w = angular.norm();
        let square = if w < 1e-2 {
            1.0 / 12.0 + w * w / 720.0 + w.powi(4) / 30240.0
        } else {
            (1.0 - 0.5 * w / (0.5 * w).tan()) / (w * w)
        };
        let once = angular.cross(&shift);
        Self {
            linear: shift - once * 0.5 + angular.cross(&once) * square,
            angular,
            pivot: from.translation.vector,
        }
    }

    fn velocity_of(&self, x: &Vec3) -> Vec3 {
        self.linear + self.angular.cross(&(x - self.pivot))
    }

    /// Returns the pose at share `t`; at the ends, exactly the given poses.
    fn pose(&self, from: &Pose, to: &Pose, t: f64) -> Pose {
        if t <= 0.0 {
            return *from;
        }
        if t >= 1.0 {
            return *to;
        }
        let w = self.angular.norm();
        let a = w * t;
        let (first, second) = if a < 1e-2 {
            let q = a * a;
            (
                t * t * (0.5 - q / 24.0 + q * q / 720.0),
                t * t * t * (1.0 / 6.0 - q / 120.0 + q * q / 5040.0),
            )
        } else {
            ((1.0 - a.cos()) / (w * w), (a - a.sin()) / (w * w * w))
        };
        let once = self.angular.cross(&self.linear);
        let shift = self.linear * t + once * first + self.angular.cross(&once) * second;
        Pose::from_parts(
            Translation3::from(from.translation.vector + shift),
            UnitQuaternion::from_scaled_axis(self.angular * t) * from.rotation,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn twist_flows_from_pose_to_pose() {
        for (k, size) in [1e-9, 1e-5, 9e-3, 0.011, 0.4, 1.7, 3.1].iter().enumerate() {
            let turn = Vec3::new(0.3, -0.8, 0.5).normalize() * *size;
            let from = Pose::new(Vec3::new(0.4, k as f64, -0.2), Vec3::new(0.1, 2.0, -0.7));
            let to = Pose::from_parts(
                Translation3::new(-0.3, 0.5 * k as f64, 0.1),
                UnitQuaternion::from_scaled_axis(turn) * from.rotation,
            );
            let twist = Twist::between(&from, &to);
            let end = twist.pose(&from, &to, 1.0 - 1e-15);
            assert!((end.translation.vector - to.translation.vector).amax() < 1e-12);
            assert!(end.rotation.angle_to(&to.rotation) < 1e-7);
            // Halfway and on again is the whole motion, by the same field: it has constant speed.
            let half = twist.pose(&from, &to, 0.5);
            let again = Twist::between(&from, &half);
            assert!((again.linear * 2.0 - twist.linear).amax() < 1e-11);
            assert!((again.angular * 2.0 - twist.angular).amax() < 1e-11);
        }
    }
}
