//! How far a feature pair may go along one screw: the two motions that continuous detection needs,
//! made once for many pairs.
//!
//! Real-time callable: no allocation, bounded steps. Everything given as clear is proven (see
//! [`hapticd_ccd::advance`]). World frame, metres.

use hapticd_ccd::advance::advance_bound;
use hapticd_ccd::pair::highest;
use hapticd_ccd::{Advance, MotionBound, PairKind};
use hapticd_geometry::{Screw, Vec3};

use crate::rows::Candidate;

/// Steps of conservative advancement per pair. A pair that needs more costs motion.
const ADVANCE_STEPS: u32 = 24;

/// A screw from both sides.
pub(crate) struct ScrewPath {
    forth: MotionBound,
    /// Of the world as the mover sees it: the same axis, run through backwards.
    back: MotionBound,
}

impl ScrewPath {
    pub(crate) fn new(screw: &Screw) -> Self {
        ScrewPath {
            forth: MotionBound::new(screw),
            back: MotionBound::new(&screw.inverse()),
        }
    }

    /// Lower bound on the distance of a pair on the whole screw: along the pair's present normal,
    /// the tool's points less the body's. A point with velocity `v` leaves the line of that by
    /// `w |v| / 2` at most (as in [`hapticd_ccd::advance`]), so it is lowest at the start or at the
    /// end. What is clear by this needs no advancement.
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

    /// How far, up to `t_max`, the first feature may go along the screw. `normal` points from the
    /// second to the first.
    ///
    /// A moving face is looked at from its own frame, where the vertex moves and the face stands
    /// still. Advancement holds its direction fixed during a step; of a face that turns about a
    /// vertex at the threshold some corner would always go down along that direction, and no step
    /// would be proven.
    pub(crate) fn advance(
        &self,
        kind: PairKind,
        mover: &[Vec3; 3],
        other: &[Vec3; 3],
        normal: &Vec3,
        threshold: f64,
        t_max: f64,
    ) -> f64 {
        let (kind, a, b, motion, normal) = match kind {
            PairKind::FaceVertex => (PairKind::VertexFace, other, mover, &self.back, -normal),
            _ => (kind, mover, other, &self.forth, *normal),
        };
        match advance_bound(
            kind,
            a,
            b,
            motion,
            threshold,
            t_max,
            ADVANCE_STEPS,
            Some(normal),
        ) {
            Advance::Clear => t_max,
            Advance::Stopped { t, .. } => t.clamp(0.0, t_max),
        }
    }
}

/// The pair seen from the other side.
pub(crate) fn swapped(kind: PairKind) -> PairKind {
    match kind {
        PairKind::VertexFace => PairKind::FaceVertex,
        PairKind::FaceVertex => PairKind::VertexFace,
        PairKind::EdgeEdge => PairKind::EdgeEdge,
    }
}
