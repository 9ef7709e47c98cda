//! Classifies hits: the four elementary tests between volumes and sheets (Lehericey 2016, chapter
//! 1, section 2.2.4 B, and chapter 3, section 4.2).
//!
//! # Theory
//!
//! | source, target | ahead (volume: inner ray; sheet: its upper side) | behind (volume: outer ray; sheet: its lower side) |
//! |---|---|---|
//! | volume, volume | collision if the line leaves the target there, before it leaves the source | prediction if the line, followed backward, enters there |
//! | volume, sheet | collision up to half of the length through the source | collision within the thickness, else prediction |
//! | sheet, volume | from inside: collision, on the side with the shorter exit; from outside: as behind a volume | the same |
//! | sheet, sheet | collision within both thicknesses, else prediction | the same |
//!
//! Thickness is compared with the *re-projected* length, along the target's normal. A solver places
//! points at that distance; with any other measure they would flicker between contact and none.
//!
//! A point of a sheet is inside a solid only if *both* its rays meet the inner side (chapter 3,
//! section 4.2.1). A ray that grazes an edge may pass it, within rounding, and meet the far side
//! from within. That ray alone would be a contact as deep as the ray is long. So where one ray
//! meets the inner side and the other does not, only the thickness counts ([`accept_alone`]).
//!
//! A rejected hit differs from no hit: surfaces behind it on the same side must not count either.
//! So a rejection is an answer ([`Class::Nothing`] with a triangle), and the nearest answer on each
//! side decides.

use crate::layout::Class;
use crate::line::Meeting;

/// Fraction of the exit length up to which a ray is inside its own object. A soft body tested
/// against itself finds its own exit at that length, and rounding must not make that a contact.
const EXIT_FRACTION: f32 = 0.9999;

/// One side of a pair.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Side {
    /// A solid.
    Volume {
        /// Length of the inner ray where it leaves the solid itself, m. Used only if the solid is
        /// the source.
        exit: f32,
    },
    /// A thin material.
    Sheet {
        /// Half of its thickness, m.
        half_thickness: f32,
    },
}

/// Returns how far to search along a point's line, m: `(behind, ahead)`.
///
/// `prediction`: the longest wanted prediction, m.
#[must_use]
pub fn range(source: Side, target: Side, prediction: f32) -> (f32, f32) {
    match (source, target) {
        (Side::Volume { exit }, Side::Volume { .. }) => (prediction, exit),
        (Side::Volume { exit }, Side::Sheet { half_thickness }) => {
            (prediction.max(half_thickness), 0.5 * exit)
        }
        // From inside a solid, the exit may be far away.
        (Side::Sheet { .. }, Side::Volume { .. }) => (f32::INFINITY, f32::INFINITY),
        (Side::Sheet { half_thickness: a }, Side::Sheet { half_thickness: b }) => {
            (prediction.max(a + b), prediction.max(a + b))
        }
    }
}

/// Returns the class of a hit, and whether the ray of that side met the inner side of a solid.
///
/// `slope`: cosine between the line and the target's normal, for the re-projected length.
#[must_use]
pub fn accept(
    source: Side,
    target: Side,
    at: &Meeting,
    slope: f32,
    prediction: f32,
) -> (Class, bool) {
    let ahead = at.t >= 0.0;
    let length = at.t.abs();
    let projected = (at.t * slope).abs();
    let near = |thickness: f32| {
        if projected < thickness {
            Class::Collision
        } else if length <= prediction {
            Class::Prediction
        } else {
            Class::Nothing
        }
    };
    match (source, target) {
        (Side::Volume { exit }, Side::Volume { .. }) => {
            // The line goes outward in both cases: out of the target ahead of the point, and,
            // followed backward, into it.
            let class = match (at.outward, ahead) {
                (true, true) if length < EXIT_FRACTION * exit => Class::Collision,
                (true, false) if length <= prediction => Class::Prediction,
                _ => Class::Nothing,
            };
            (class, ahead && at.outward)
        }
        (Side::Volume { exit }, Side::Sheet { half_thickness }) => {
            let class = if !ahead {
                near(half_thickness)
            } else if length <= 0.5 * exit {
                Class::Collision
            } else {
                Class::Nothing
            };
            (class, false)
        }
        (Side::Sheet { half_thickness }, Side::Volume { .. }) => {
            if at.outward == ahead {
                (Class::Collision, true)
            } else {
                (near(half_thickness), false)
            }
        }
        (Side::Sheet { half_thickness: a }, Side::Sheet { half_thickness: b }) => {
            (near(a + b), false)
        }
    }
}

/// Returns the class of a sheet's hit on the inner side of a solid if the opposite ray does not
/// meet the inner side. The point is not inside, so the hit is a contact only within the thickness.
/// `projected`: the re-projected length, m.
#[must_use]
pub fn accept_alone(half_thickness: f32, projected: f32) -> Class {
    if projected < half_thickness {
        Class::Collision
    } else {
        Class::Nothing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREDICTION: f32 = 0.01;
    const SOLID: Side = Side::Volume { exit: 0.1 };
    const CLOTH: Side = Side::Sheet {
        half_thickness: 0.001,
    };

    fn class(source: Side, target: Side, t: f32, outward: bool) -> (Class, bool) {
        slanted(source, target, t, outward, if outward { 1.0 } else { -1.0 })
    }

    fn slanted(source: Side, target: Side, t: f32, outward: bool, slope: f32) -> (Class, bool) {
        let at = Meeting {
            t,
            u: 0.3,
            v: 0.3,
            outward,
        };
        accept(source, target, &at, slope, PREDICTION)
    }

    #[test]
    fn volume_to_volume() {
        // Inside: the inner ray leaves the target before its own object.
        assert_eq!(class(SOLID, SOLID, 0.05, true).0, Class::Collision);
        // It leaves its own object first.
        assert_eq!(class(SOLID, SOLID, 0.11, true).0, Class::Nothing);
        // Outside: the ray enters the target.
        assert_eq!(class(SOLID, SOLID, 0.05, false).0, Class::Nothing);
        // Outside: the outer ray meets the target.
        assert_eq!(class(SOLID, SOLID, -0.009, true).0, Class::Prediction);
        assert_eq!(class(SOLID, SOLID, -0.011, true).0, Class::Nothing);
        // Beyond the target: followed backward, the line meets its inner side.
        assert_eq!(class(SOLID, SOLID, -0.005, false).0, Class::Nothing);
    }

    #[test]
    fn volume_to_sheet() {
        for outward in [true, false] {
            assert_eq!(class(SOLID, CLOTH, 0.049, outward).0, Class::Collision);
            assert_eq!(class(SOLID, CLOTH, 0.051, outward).0, Class::Nothing);
            assert_eq!(class(SOLID, CLOTH, -0.0009, outward).0, Class::Collision);
            assert_eq!(class(SOLID, CLOTH, -0.0011, outward).0, Class::Prediction);
            assert_eq!(class(SOLID, CLOTH, -0.011, outward).0, Class::Nothing);
        }
    }

    #[test]
    fn sheet_to_volume() {
        // Inside: both rays meet the inner side.
        assert_eq!(class(CLOTH, SOLID, 0.5, true), (Class::Collision, true));
        assert_eq!(class(CLOTH, SOLID, -0.3, false), (Class::Collision, true));
        // Outside: within the thickness, near, far; on either side.
        for (t, outward) in [(1.0, false), (-1.0, true)] {
            assert_eq!(
                class(CLOTH, SOLID, 0.0009 * t, outward),
                (Class::Collision, false)
            );
            assert_eq!(
                class(CLOTH, SOLID, 0.0011 * t, outward),
                (Class::Prediction, false)
            );
            assert_eq!(
                class(CLOTH, SOLID, 0.011 * t, outward),
                (Class::Nothing, false)
            );
        }
    }

    #[test]
    fn sheet_to_sheet() {
        for outward in [true, false] {
            for sign in [1.0, -1.0] {
                assert_eq!(
                    class(CLOTH, CLOTH, 0.0019 * sign, outward).0,
                    Class::Collision
                );
                assert_eq!(
                    class(CLOTH, CLOTH, 0.0021 * sign, outward).0,
                    Class::Prediction
                );
                assert_eq!(class(CLOTH, CLOTH, 0.011 * sign, outward).0, Class::Nothing);
            }
        }
    }

    #[test]
    fn thickness_counts_along_the_normal() {
        // 3 mm along a ray that is 75 degrees off the normal are 0.8 mm.
        assert_eq!(slanted(CLOTH, CLOTH, 0.003, true, 0.26).0, Class::Collision);
        assert_eq!(
            slanted(CLOTH, SOLID, -0.003, true, 0.26).0,
            Class::Collision
        );
        assert_eq!(
            slanted(SOLID, CLOTH, -0.003, true, 0.26).0,
            Class::Collision
        );
    }

    #[test]
    fn everything_that_counts_is_within_the_range() {
        for (a, b) in [
            (SOLID, SOLID),
            (SOLID, CLOTH),
            (CLOTH, SOLID),
            (CLOTH, CLOTH),
        ] {
            let (behind, ahead) = range(a, b, PREDICTION);
            for k in -400..400 {
                let t = k as f32 * 5e-4;
                for outward in [true, false] {
                    let beyond = t > ahead || -t > behind;
                    assert!(
                        !beyond || class(a, b, t, outward).0 == Class::Nothing,
                        "{a:?} {b:?} {t}"
                    );
                }
            }
        }
    }
}
