//! How near bodies may come: the four distances of a contact (Redon 2002, section 6.2).

/// Safe distance in units of the smaller body's radius. The source uses 2e-4 of the scene's width
/// and advises adapting it to the bodies.
const SAFE_PER_RADIUS: f64 = 4e-4;
/// Coordinates are accurate to a few units in the last place. A safe distance below this fraction
/// of them could not be maintained.
const MIN_PER_COORDINATE: f64 = 1e-9;

/// The distances of one pair of bodies, m. `clearance < alarm < safe < release`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distances {
    /// Distance at which continuous detection stops every motion: nothing ever comes nearer.
    pub clearance_m: f64,
    /// Distance below which the bodies are repositioned before time continues.
    pub alarm_m: f64,
    /// Distance maintained at contacts.
    pub safe_m: f64,
    /// Distance above which a contact is broken.
    pub release_m: f64,
}

impl Distances {
    /// Distances for two bodies, the smaller of radius `radius_m`, with coordinates up to
    /// `extent_m`. The ratios are those of the source: 0.44 : 1 : 2.3.
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
