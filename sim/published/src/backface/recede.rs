//! Tests whether the whole content of a box moves away from the other body.
//!
//! Velocities are affine in the point. So over a box the largest component along a vector is that
//! of its centre plus a term for its half sizes. This is the thesis' test of the eight corners
//! (section 4.3) in closed form.
//!
//! On a constant-speed screw, the component of a point's velocity along a direction that moves with
//! it is constant. So if one of the two bodies is static, the test at
//! time 0 holds for the whole step. If both move, [`recedes_between`] bounds the component with
//! intervals (section 4.6).

use hapticd_ccd::obb::Obb;
use hapticd_geometry::{IVec3, Interval, Screw, ScrewBounds, Vec3};

/// Margin for rounding of the cone and of the test, relative to the speed.
const MARGIN: f64 = 1e-9;

/// Returns whether all points of a box have velocities against all vectors of its cone during the
/// whole step. `direction` is 1 if the box follows the screw and the other body is static, -1 if
/// the box is static and the other follows the screw. All in one frame, at time 0. False for a box
/// without a cone.
#[must_use]
pub fn recedes(obb: &Obb, cone: &[Vec3], screw: &Screw, direction: f64) -> bool {
    let omega = screw.angular_velocity();
    let velocity = screw.velocity_of(&obb.center) * direction;
    let swings = [0, 1, 2].map(|i| omega.cross(&obb.axes.column(i)) * obb.half[i]);
    let fastest = velocity.norm() + swings.iter().map(Vec3::norm).sum::<f64>();
    // The screw's own numbers also carry rounding if the axis is far away.
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

/// Returns whether all points of a box that follows `own` have velocities, relative to a body that
/// follows `other`, against all vectors of its cone, at all times in `[0, t_max]`. All in one
/// frame, at time 0. Conservative.
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
        // Constant in the body; see the module page.
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
