//! Parameters of a needle, and their validation.

/// A needle with a bevelled tip. Its shaft is round, straight at rest, and follows the path of the
/// tip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needle {
    /// Length from the hub's surface to the tip, m: the largest insertion.
    pub length_m: f64,
    /// Radius of the shaft, m. Bone is never nearer to the tip than this.
    pub radius_m: f64,
    /// Curvature of the tip's path due to the bevel, rad/m: one over the radius of the circle that
    /// the tip describes when it is pushed without rotation.
    pub curvature_1_m: f64,
    /// Length after which a piece of the shaft is locked, m: the path is a chain of straight pieces
    /// of this length.
    pub segment_m: f64,
}

/// Most pieces per needle.
const MAX_SEGMENTS: f64 = 2_000.0;
/// Largest rotation from one piece to the next, rad; beyond it a chain of pieces is not a circle.
const MAX_TURN: f64 = 0.25;

/// Reason why the parameters of a needle are invalid; they come from the configuration.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NeedleError {
    /// A length or radius is not finite and above 0, or the length is not the larger.
    #[error(
        "needle length {length_m} m and radius {radius_m} m must be finite and above 0, and the length the larger"
    )]
    Size {
        /// Given length, m.
        length_m: f64,
        /// Given radius, m.
        radius_m: f64,
    },
    /// The curvature is negative or NaN, or too tight for the pieces.
    #[error(
        "a bevel of {curvature_1_m} rad/m in pieces of {segment_m} m: must be 0 or more, and at most {MAX_TURN} rad per piece"
    )]
    Curvature {
        /// Given curvature, rad/m.
        curvature_1_m: f64,
        /// Given length of a piece, m.
        segment_m: f64,
    },
    /// Too many pieces, or pieces longer than the needle.
    #[error(
        "pieces of {segment_m} m for a needle of {length_m} m: must give 1 to {MAX_SEGMENTS} pieces"
    )]
    Segment {
        /// Given length of a piece, m.
        segment_m: f64,
        /// Given length of the needle, m.
        length_m: f64,
    },
}

impl Needle {
    /// Checks that the parameters are valid.
    ///
    /// # Errors
    ///
    /// See [`NeedleError`].
    pub fn check(&self) -> Result<(), NeedleError> {
        let Needle {
            length_m,
            radius_m,
            curvature_1_m,
            segment_m,
        } = *self;
        // Written so that NaN is invalid.
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
