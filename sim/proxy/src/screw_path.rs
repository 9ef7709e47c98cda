//! Advancement of feature pairs along one screw. The two motions that continuous detection needs
//! are built once for many pairs.
//!
//! Real-time callable: no allocation, bounded steps. Everything reported as clear is proven (see
//! [`hapticd_ccd::advance`]). World frame, metres.

use hapticd_ccd::advance::{AdvanceLimits, advance_bound};
use hapticd_ccd::pair::highest;
use hapticd_ccd::{Advance, FeaturePair, MotionBound, PairKind};
use hapticd_geometry::{Screw, Vec3};

use crate::rows::Candidate;

/// Steps of conservative advancement per pair; a pair that needs more shortens the motion.
const ADVANCE_STEPS: u32 = 24;

/// A screw seen from the world and from the mover.
pub(crate) struct ScrewPath {
    forth: MotionBound,
    /// Motion of the world as the mover sees it: the same axis in reverse.
    back: MotionBound,
}

impl ScrewPath {
    pub(crate) fn new(screw: &Screw) -> Self {
        ScrewPath {
            forth: MotionBound::new(screw),
            back: MotionBound::new(&screw.inverse()),
        }
    }

    /// Returns a lower bound on the distance of a pair over the whole screw: along the pair's
    /// present normal, the tool's points less the body's.
    ///
    /// A point with velocity `v` leaves its straight line by `w |v| / 2` at most (as in
    /// [`hapticd_ccd::advance`]), so the bound is lowest at the start or at the end. A pair that is
    /// clear by this bound needs no advancement.
    #[inline]
    pub(crate) fn least_gap(&self, c: &Candidate) -> f64 {
        let mut low = f64::INFINITY;
        for x in &c.tool[..c.kind.points_a()] {
            let v = self.forth.velocity_at(x);
            let along = c.normal.dot(&v);
            let sinks = if along < 0.0 { along } else { 0.0 };
            let least = c.normal.dot(x) + sinks - 0.5 * self.forth.speed() * v.norm();
            // Not `f64::min`, so that NaN stays.
            if !(least >= low) {
                low = least;
            }
        }
        low - highest(c.kind, &c.body, &c.normal)
    }

    /// Returns how far, up to `t_max`, the first feature may move along the screw. `normal` points
    /// from the second to the first.
    ///
    /// A moving face is treated in its own frame, where the vertex moves and the face stands still.
    /// Advancement holds its direction fixed during a step. If the face itself turned about a
    /// vertex at the threshold, some corner would always descend along that direction, and no step
    /// could be proven.
    pub(crate) fn advance(
        &self,
        pair: FeaturePair<'_>,
        normal: &Vec3,
        threshold: f64,
        t_max: f64,
    ) -> f64 {
        let (pair, motion, normal) = match pair.kind {
            PairKind::FaceVertex => (pair.swapped(), &self.back, -normal),
            _ => (pair, &self.forth, *normal),
        };
        let limits = AdvanceLimits {
            threshold,
            t_max,
            max_steps: ADVANCE_STEPS,
        };
        match advance_bound(pair, motion, limits, Some(normal)) {
            Advance::Clear => t_max,
            Advance::Stopped { t, .. } => t.clamp(0.0, t_max),
        }
    }
}
