//! Friction as rows of motion space (Redon 2002, section 5.6): contacts that slide and contacts
//! that stick.
//!
//! Empirical, after Coulomb: the admissible set stays convex, so the motion exists and is unique,
//! and no force is needed. Where sliding starts, the sticking rows lift the body by `mu` times its
//! sliding motion; [`crate::ConeSolver`] does not. No allocation, no panic.

use crate::{Motion, Row, Vec3};

/// Two unit vectors orthogonal to a unit `normal` and to each other.
#[must_use]
pub fn tangents(normal: &Vec3) -> [Vec3; 2] {
    // An axis that is not along the normal; z gives tangents in x and y.
    let first = if normal.z.abs() > 0.5 && normal.x.abs() <= normal.z.abs() {
        Vec3::y().cross(normal)
    } else {
        Vec3::z().cross(normal)
    };
    let first = first.try_normalize(0.0).unwrap_or_else(Vec3::x);
    [first, normal.cross(&first)]
}

/// Rows of a contact that sticks: the normals of the `sides` planes of a pit of slope `friction`
/// about `normal` (equation 5.40). Each replaces the contact's own normal, with the same bound. A
/// motion is held as long as it stays within the cone of the negatives of these normals.
pub fn pit(normal: &Vec3, friction: f64, sides: u32) -> impl Iterator<Item = Vec3> {
    let [t1, t2] = tangents(normal);
    let normal = *normal;
    let length = friction.hypot(1.0);
    (1..=sides).map(move |k| {
        let (sin, cos) = (std::f64::consts::TAU * f64::from(k) / f64::from(sides)).sin_cos();
        (normal - (t1 * cos + t2 * sin) * friction) / length
    })
}

/// Row of a contact that slides along the unit vector `along`, to be added to the contact's own
/// row. It limits the motion gained along `along + friction * normal` to what it would be without
/// contact (equation 5.39). `wanted` is the unconstrained motion.
#[must_use]
pub fn sliding(normal: &Vec3, arm: &Vec3, along: &Vec3, friction: f64, wanted: &Motion) -> Row {
    let row = Row {
        normal: -(along + normal * friction),
        arm: *arm,
        bound: 0.0,
    };
    Row {
        bound: row.covector().dot(wanted),
        ..row
    }
}

/// Newton's restitution: the smallest normal velocity after an impact with incoming normal velocity
/// `speed` (negative when closing; equation 5.14).
#[must_use]
pub fn rebound(speed: f64, restitution: f64) -> f64 {
    -restitution * speed
}
