//! What a needle is like, and which numbers make none.

/// A needle with a bevelled tip. Its shaft is round, straight at rest, and follows where the tip
/// has gone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needle {
    /// From the hub's surface to the tip, m: no more than this is ever inserted.
    pub length_m: f64,
    /// Of the shaft, m. Bone is never nearer to the tip than this.
    pub radius_m: f64,
    /// By how much the bevel bends the tip's way, rad/m: one over the radius of the circle that it
    /// describes when it is pushed without being turned.
    pub curvature_1_m: f64,
    /// Length after which a piece of the shaft is locked, m: the way is a chain of straight pieces
    /// of it.
    pub segment_m: f64,
}

/// Most pieces that a needle may be cut into.
const MAX_SEGMENTS: f64 = 2_000.0;
/// Most turn from one piece to the next, rad: beyond it a chain of pieces is no circle.
const MAX_TURN: f64 = 0.25;

/// Why there is no such needle. The configuration's.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NeedleError {
    /// A length that is none.
    #[error(
        "a needle {length_m} m long and {radius_m} m thick from its axis: both are finite and above 0, and the length is the larger"
    )]
    Size {
        /// As given.
        length_m: f64,
        /// As given.
        radius_m: f64,
    },
    /// A bend that is none, or too tight for the pieces.
    #[error(
        "a bevel that turns {curvature_1_m} rad/m in pieces of {segment_m} m: from 0 on, and at most {MAX_TURN} rad from one piece to the next"
    )]
    Curvature {
        /// As given.
        curvature_1_m: f64,
        /// As given.
        segment_m: f64,
    },
    /// Too many pieces, or longer ones than the needle.
    #[error(
        "pieces of {segment_m} m for a needle of {length_m} m: at least one and at most {MAX_SEGMENTS} of them"
    )]
    Segment {
        /// As given.
        segment_m: f64,
        /// As given.
        length_m: f64,
    },
}

impl Needle {
    /// Whether the numbers make a needle.
    ///
    /// # Errors
    /// See [`NeedleError`].
    pub fn check(&self) -> Result<(), NeedleError> {
        let Needle {
            length_m,
            radius_m,
            curvature_1_m,
            segment_m,
        } = *self;
        // Written so that NaN is none.
        if !(radius_m > 0.0 && length_m > radius_m && length_m.is_finite()) {
            return Err(NeedleError::Size { length_m, radius_m });
        }
        if !(segment_m > 0.0 && segment_m <= length_m && length_m <= MAX_SEGMENTS * segment_m) {
            return Err(NeedleError::Segment {
                segment_m,
                length_m,
            });
        }
        if !(curvature_1_m >= 0.0 && curvature_1_m * segment_m <= MAX_TURN) {
            return Err(NeedleError::Curvature {
                curvature_1_m,
                segment_m,
            });
        }
        Ok(())
    }
}
