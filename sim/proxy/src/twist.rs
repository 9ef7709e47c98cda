//! Conversion between a rigid displacement and the velocity of the constant-speed screw that makes
//! it.
//!
//! Pure functions, allocation-free, any finite input. The contact rows constrain velocities. The
//! direction of a displacement (a chord) differs from the velocity at its start by half the angle
//! of rotation, so with large rotations a chord that leaves a contact may start into it. Motions
//! are therefore handled as twists: `v`, the velocity of the tool's centre at the start, and `w`,
//! over one unit of time.

use hapticd_geometry::Vec3;

/// Angle below which the series are exact to rounding, rad.
const SMALL: f64 = 1e-2;

/// Returns the velocity of the centre at the start of the screw that shifts it by `shift` while
/// turning by the rotation vector `w`, |w| <= pi.
pub fn velocity_of_shift(shift: &Vec3, w: &Vec3) -> Vec3 {
    let square = w.norm_squared();
    let angle = square.sqrt();
    let factor = if angle < SMALL {
        1.0 / 12.0 + square / 720.0 + square * square / 30240.0
    } else {
        (1.0 - 0.5 * angle / (0.5 * angle).tan()) / square
    };
    let once = w.cross(shift);
    shift - once * 0.5 + w.cross(&once) * factor
}

/// Inverts [`velocity_of_shift`], for any angle.
pub fn shift_of_velocity(v: &Vec3, w: &Vec3) -> Vec3 {
    let square = w.norm_squared();
    let angle = square.sqrt();
    let (first, second) = if angle < SMALL {
        (
            0.5 - square / 24.0 + square * square / 720.0,
            1.0 / 6.0 - square / 120.0 + square * square / 5040.0,
        )
    } else {
        let half = (0.5 * angle).sin();
        (
            2.0 * half * half / square,
            (angle - angle.sin()) / (square * angle),
        )
    };
    let once = w.cross(v);
    v + once * first + w.cross(&once) * second
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::Screw;

    #[test]
    fn twist_matches_the_screw_both_ways() {
        let shift = Vec3::new(0.03, -0.01, 0.2);
        let centre = Vec3::new(0.4, 0.1, -0.3);
        for angle in [0.0, 1e-12, 1e-6, 9e-3, 1.1e-2, 0.4, 1.6, 3.1] {
            let w = Vec3::new(0.3, -0.8, 0.5).normalize() * angle;
            let v = velocity_of_shift(&shift, &w);
            let screw = Screw::from_twist(&shift, &w, &centre);
            assert!((screw.velocity_of(&centre) - v).norm() < 1e-12, "{angle}");
            assert!(
                (shift_of_velocity(&v, &w) - shift).norm() < 1e-14,
                "{angle}"
            );
        }
    }
}
