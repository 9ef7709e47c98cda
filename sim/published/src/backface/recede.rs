//! Whether all that a box holds moves away from the other body.
//!
//! Velocities are affine in the point, so over a box the largest component along a vector is that
//! of its centre and what its half sizes add: the eight corners of the thesis' test (section 4.3)
//! in closed form.
//!
//! On a constant-speed screw the component of a point's velocity along a direction that moves with
//! it does not change (section 2.6 of the digest), so where one of the two bodies stands the test
//! at time 0 is that of the whole step. Where both move, [`recedes_between`] bounds it with
//! intervals (section 4.6).

use hapticd_ccd::obb::Obb;
use hapticd_geometry::{IVec3, Interval, Screw, ScrewBounds, Vec3};

/// Margin for rounding, of the cone and of the test, relative to the speed.
const MARGIN: f64 = 1e-9;

/// Whether all points of a box have velocities against all vectors of its cone, during the whole
/// step; `direction` is 1 if the box follows the screw and what it recedes from stands, -1 if it
/// stands and the other follows the screw. All in one frame, at time 0. Never of a box without a
/// cone.
#[must_use]
pub fn recedes(obb: &Obb, cone: &[Vec3], screw: &Screw, direction: f64) -> bool {
    let omega = screw.angular_velocity();
    let velocity = screw.velocity_of(&obb.center) * direction;
    let swings = [0, 1, 2].map(|i| omega.cross(&obb.axes.column(i)) * obb.half[i]);
    let fastest = velocity.norm() + swings.iter().map(Vec3::norm).sum::<f64>();
    // The screw's own numbers round too, where the axis is far away.
    let rounding = 64.0
        * f64::EPSILON
        * (screw.translation.abs()
            + omega.norm() * (screw.point.norm() + obb.center.norm() + obb.half.norm()));
    let margin = MARGIN * fastest + rounding;
    !cone.is_empty()
        && cone.iter().all(|m| {
            let swing: f64 = swings.iter().map(|s| s.dot(m).abs()).sum();
            velocity.dot(m) + swing < -margin
        })
}

/// Whether all points of a box that follows `own` have velocities, relative to a body that follows
/// `other`, against all vectors of its cone, at all times in `[0, t_max]`. All in one frame, at
/// time 0. Conservative.
#[must_use]
pub fn recedes_between(obb: &Obb, cone: &[Vec3], own: &Screw, other: &Screw, t_max: f64) -> bool {
    if cone.is_empty() {
        return false;
    }
    let bounds = ScrewBounds::new(own, Interval::new(0.0, t_max));
    let omega = IVec3::from(&other.axis) * Interval::from(other.angle);
    let along = IVec3::from(&other.axis) * Interval::from(other.translation);
    let about = IVec3::from(&other.point);
    for k in 0..8 {
        let sign = |bit: u32| if k & (1 << bit) == 0 { 1.0 } else { -1.0 };
        let signs = Vec3::new(sign(0), sign(1), sign(2));
        let corner = obb.center + obb.axes * obb.half.component_mul(&signs);
        // Constant in the body, see above.
        let own_velocity = own.velocity_of(&corner);
        let place = bounds.point(&corner);
        let other_velocity = omega.cross(place - about) + along;
        let margin = MARGIN * (own_velocity.norm() + other.translation.abs())
            + 64.0 * f64::EPSILON * own.angle.abs() * (own.point.norm() + corner.norm());
        for m in cone {
            let relative =
                Interval::from(own_velocity.dot(m)) - other_velocity.dot(bounds.direction(m));
            // In this order NaN does not recede.
            if !(relative.hi < -margin) {
                return false;
            }
        }
    }
    true
}
