//! Neighbour search for spheres by registration: the alternative to the hashed grid of the
//! mechanics.
//!
//! Spheres are registered as points in a multiresolution map around them (Pitiot 2015, chapters 5
//! and 6; [`MovingPoints`]). A sphere that stays in its cell costs only the test of that. The
//! pairs, and all results, are the same to the bit: the mechanics sort the pairs.

use hapticd_geometry::Vec3;
use hapticd_particles::NeighbourSearch;
use hapticd_registration::points::MovingPoints;

/// Finds spheres near each other by registration. Allocates while its tables grow, and when the map
/// no longer fits.
#[derive(Clone, Debug, Default)]
pub struct RegisteredSpheres {
    points: MovingPoints,
}

impl RegisteredSpheres {
    /// Creates a search without spheres.
    #[must_use]
    pub fn new() -> Self {
        RegisteredSpheres::default()
    }

    /// The map and its registered points.
    #[must_use]
    pub fn points(&self) -> &MovingPoints {
        &self.points
    }
}

impl NeighbourSearch for RegisteredSpheres {
    fn pairs(&mut self, x: &[Vec3], reach_m: f64, visit: &mut dyn FnMut(u32, u32, f64)) -> bool {
        // Positions too far away for a map are left to the hash.
        let placed = self.points.place(x, reach_m, 0.0).is_ok();
        if placed {
            self.points.pairs(x, reach_m, visit);
        }
        placed
    }

    fn boxed_clone(&self) -> Box<dyn NeighbourSearch> {
        Box::new(self.clone())
    }
}
