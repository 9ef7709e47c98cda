//! Figure 8.9: two groups of points cross a corridor, through cars that go back and forth across
//! it.

use hapticd_geometry::Vec3;
use hapticd_testkit::Random;

use super::crowd::{Ahead, Body, Crowd, Settings, polygon};
use super::stage::{self, COARSE_M, Cells};
use crate::experiment::Failure;

/// Size of a corridor in coarse cells, along and across: 192 by 128 m, 96 by 64 m.
pub const WIDE: [usize; 2] = [12, 8];
pub const NARROW: [usize; 2] = [6, 4];
const LANES: usize = 16;
const LANE_M: f64 = 5.0;
/// Distance from the head of a car to the next one's, and travel of each car.
const SPACING_M: f64 = 8.0;
const WAY_M: f64 = 16.0;
const CAR_M_S: f64 = 3.0;

/// Makes a corridor: half of the points start at each end, with the other end as their goal. Cars
/// drive in lanes in the middle, in alternating directions.
pub fn corridor(
    size: [usize; 2],
    cells: Cells,
    points: usize,
    cars: usize,
    seed: u64,
) -> Result<Crowd, Failure> {
    let [length, width] = size.map(|n| n as f64 * COARSE_M);
    let (levels, settings) = if size == NARROW {
        (stage::LEVELS + 1, Settings::close(seed))
    } else {
        (stage::LEVELS, Settings::seeded(seed))
    };
    let mut crowd = stage::plane(cells, size, levels, settings)?;
    let mut random = Random::new(seed);
    for i in 0..points {
        let x = random.between(0.02, 0.26) * length;
        let y = random.between(2.0, width - 2.0);
        let x = if i % 2 == 0 { x } else { length - x };
        let target = Vec3::new(length - x, y, 0.0);
        crowd.add_point(Vec3::new(x, y, 0.0), target, random.between(1.0, 1.8))?;
    }
    let first_x = 0.5 * length - 0.5 * LANE_M * (LANES - 1) as f64;
    let longest = cars.div_ceil(LANES).max(1);
    let first_y = 0.5 * (width - WAY_M - SPACING_M * (longest - 1) as f64);
    for i in 0..cars {
        let (lane, place) = (i % LANES, i / LANES);
        let up = lane % 2 == 0;
        let y = first_y + SPACING_M * place as f64 + if up { 0.0 } else { WAY_M };
        let centre = Vec3::new(first_x + LANE_M * lane as f64, y, 0.0);
        let body = Body::rigid(
            polygon::box_of(4.0, 2.0),
            centre,
            std::f64::consts::FRAC_PI_2,
            false,
        );
        let to = if up { WAY_M } else { -WAY_M };
        crowd.add_polygon(body, &[], Ahead::One, centre + Vec3::y() * to, CAR_M_S)?;
    }
    crowd.settle_cells();
    Ok(crowd)
}
