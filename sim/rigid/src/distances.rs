//! How near bodies may come: the four distances of a contact (Redon 2002, section 6.2).

/// Safe distance in units of the smaller body's radius. The source has 2e-4 of the scene's width
/// and advises to adapt it to the bodies.
const SAFE_PER_RADIUS: f64 = 4e-4;
/// Coordinates are good to a few units in the last place: a safe distance below this part of them
/// could not be kept.
const MIN_PER_COORDINATE: f64 = 1e-9;

/// The distances of one pair of bodies, m. `clearance < alarm < safe < release`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// Continuous detection stops every motion here: nothing ever comes nearer.
    pub clearance_m: f64,
    /// Below, the bodies are repositioned before time goes on.
    pub alarm_m: f64,
    /// Kept at contacts.
    pub safe_m: f64,
    /// Above, a contact is broken.
    pub release_m: f64,
}

impl Distances {
    /// For two bodies, the smaller of radius `radius_m`, with coordinates up to `extent_m`. The
    /// ratios are the source's: 0.44 : 1 : 2.3.
    #[must_use]
    pub fn new(radius_m: f64, extent_m: f64) -> Self {
        let safe_m = (SAFE_PER_RADIUS * radius_m).max(MIN_PER_COORDINATE * extent_m);
        Self {
            clearance_m: 0.2 * safe_m,
            alarm_m: 0.44 * safe_m,
            safe_m,
            release_m: 2.3 * safe_m,
        }
    }
}
