//! The bound of a contact's row: what a contact that keeps a safe distance asks of a motion.
//!
//! Tools in space, tools in the plane and bodies of the rigid world share it. Plain data: no
//! allocation, no failure.
//!
//! # Theory
//!
//! A contact of gap `d` with a body that approaches by `a` in the same step leaves the safe
//! distance `s` if `n . (v + om x arm) >= s + a - d` (Redon 2002, equation 5.8 at displacement
//! level, with the safe distance of section 6.2). Mostly that is negative: the gap may still close.
//!
//! Where `d < s`, some of the safe distance is missing, for instance where detection stopped a
//! motion at the clearance. The row above would restore all of it in one step, and a hand would
//! feel a kick. So the row asks for a share of it, [`RECOVERY`]. It asks for the body's whole
//! approach, or the body would catch up.
//!
//! # Practice
//!
//! The order of operations is part of the contract: kept digests depend on it. `approach_m = 0`
//! gives the same bits as a formula without it. At velocity level the caller divides the bound by
//! the step. A soft surface recovers by the same share, with a limit of its own.

/// Share of a missing safe distance that one step restores; small, since the hand feels it.
pub const RECOVERY: f64 = 0.2;

/// A contact along its normal.
///
/// ```
/// use hapticd_gauss::ContactGap;
///
/// let at = |gap_m| ContactGap { gap_m, safe_m: 1e-3, approach_m: 0.0 };
/// // It may close to the safe distance.
/// assert_eq!(at(4e-3).bound(), -3e-3);
/// // A fifth of half a millimetre comes back.
/// assert_eq!(at(0.5e-3).bound(), 0.1e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactGap {
    /// Distance of the surfaces, m.
    pub gap_m: f64,
    /// Distance at which the contact rests, m.
    pub safe_m: f64,
    /// How far the other body approaches in the same step, m; at least 0.
    pub approach_m: f64,
}

impl ContactGap {
    /// Returns the smallest admissible motion of the contact point along the normal, m: the
    /// [`bound`](crate::Row::bound) of the contact's row.
    #[inline]
    #[must_use]
    pub fn bound(&self) -> f64 {
        let missing = self.safe_m + self.approach_m - self.gap_m;
        if missing > self.approach_m {
            self.approach_m + RECOVERY * (missing - self.approach_m)
        } else {
            missing
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_may_close_to_the_safe_distance_past_what_approaches() {
        let gap = ContactGap {
            gap_m: 5.0,
            safe_m: 1.0,
            approach_m: 0.5,
        };
        assert_eq!(gap.bound(), -3.5);
    }

    #[test]
    fn an_approach_is_followed_in_full_and_a_lack_restored_by_a_share() {
        let gap = ContactGap {
            gap_m: 0.5,
            safe_m: 1.0,
            approach_m: 2.0,
        };
        assert_eq!(gap.bound(), 2.0 + RECOVERY * 0.5);
        // At the safe distance there is nothing to restore.
        let gap = ContactGap { gap_m: 1.0, ..gap };
        assert_eq!(gap.bound(), 2.0);
    }

    #[test]
    fn without_approach_the_bound_is_the_lack() {
        for k in -40..40 {
            let (safe_m, gap_m) = (3.2e-5, f64::from(k) * 1.7e-6);
            let lacks = safe_m - gap_m;
            let wanted = if lacks > 0.0 { RECOVERY * lacks } else { lacks };
            let gap = ContactGap {
                gap_m,
                safe_m,
                approach_m: 0.0,
            };
            assert_eq!(gap.bound().to_bits(), wanted.to_bits());
        }
    }
}
