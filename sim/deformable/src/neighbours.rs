//! Spheres near each other by registration: the other way to what the mechanics find by a hash.
//!
//! Spheres are registered as points in a multiresolution map around them (Pitiot 2015, chapters 5
//! and 6; [`MovingPoints`]); who stays in its cell costs nothing but the look that says so. The
//! pairs are the same, and so is all that follows, to the bit: the mechanics put them in order.

use hapticd_geometry::Vec3;
use hapticd_particles::NeighbourSearch;
use hapticd_registration::points::MovingPoints;

/// Finds spheres near each other by registration. Allocates while its tables grow, and where the
/// map no longer fits.
#[derive(Clone, Debug, Default)]
pub struct RegisteredSpheres {
    points: MovingPoints,
}

impl RegisteredSpheres {
    /// Of none.
    #[must_use]
    pub fn new() -> Self {
        RegisteredSpheres::default()
    }

    /// What they are registered in.
    #[must_use]
    pub fn points(&self) -> &MovingPoints {
        &self.points
    }
}

impl NeighbourSearch for RegisteredSpheres {
    fn pairs(&mut self, x: &[Vec3], reach_m: f64, visit: &mut dyn FnMut(u32, u32, f64)) -> bool {
        // What is too far away for a map is left to the hash.
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
