//! Differences of two tool poses: as a twist, as the pull of a spring, as a path length.
//!
//! Pure functions, allocation-free.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Vec3, transform};

use crate::tool::ToolShape;
use crate::twist::velocity_of_shift;

/// Returns the twist (velocity of the shape's centre, and rotation vector) of the screw that leads
/// from one pose to the other.
pub(crate) fn motion_between(shape: &ToolShape, from: &Pose, to: &Pose) -> Motion {
    let pull = pull_between(shape, from, to);
    let (shift, w) = (pull.fixed_rows::<3>(0), pull.fixed_rows::<3>(3));
    let v = velocity_of_shift(&shift.into_owned(), &w.into_owned());
    Motion::new(v.x, v.y, v.z, w[0], w[1], w[2])
}

/// Returns the pull of a spring between two poses: their [`deflection`] at the shape's centre. The
/// projection takes this and not the twist of the screw that would lead there, because the proxy
/// rests where contacts hold all of the pull.
pub(crate) fn pull_between(shape: &ToolShape, from: &Pose, to: &Pose) -> Motion {
    if shape.turns {
        return deflection(from, to, &shape.centre);
    }
    let shift = transform(to, &shape.centre) - transform(from, &shape.centre);
    Motion::new(shift.x, shift.y, shift.z, 0.0, 0.0, 0.0)
}

/// Returns the shift of the point `centre` of a tool (tool frame), m, and the rotation vector, rad,
/// from one pose to the other.
pub(crate) fn deflection(from: &Pose, to: &Pose, centre: &Vec3) -> Motion {
    let shift = transform(to, centre) - transform(from, centre);
    let turn = (to.rotation * from.rotation.inverse()).scaled_axis();
    Motion::new(shift.x, shift.y, shift.z, turn.x, turn.y, turn.z)
}

/// Returns an upper bound on the path of a point of the tool, m.
pub(crate) fn path_of(shape: &ToolShape, motion: &Motion) -> f64 {
    motion.fixed_rows::<3>(0).norm() + motion.fixed_rows::<3>(3).norm() * shape.bound_m
}
