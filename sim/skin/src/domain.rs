//! Domain of a skin: a box of cubes.

use hapticd_geometry::Vec3;

use crate::kernel::Kernel;
use crate::primitive::Primitive;

/// Cubes along a side of a brick; a brick has one more node.
pub(crate) const SIDE: u32 = 7;

/// Maximum number of cubes along an axis.
pub const MAX_CELLS: u32 = 4096;

/// Maximum number of bricks of 7³ cubes in a domain around primitives. Each takes 6 bytes of a
/// table, even if empty: 100 MB.
pub const MAX_PLACES: u64 = 1 << 24;

/// A world-aligned grid of cubes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    low: Vec3,
    cell_m: f64,
    cells: [u32; 3],
}

/// Reasons for refusing a domain. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// The edge is NaN, infinite, 0 or negative.
    #[error("cubes of {0} m: they have to be larger than 0 and finite")]
    Cell(f64),
    /// Too few or too many cubes along an axis.
    #[error("{0:?} cubes: there have to be 3 to {MAX_CELLS} along each axis")]
    Cells([u32; 3]),
    /// The primitives are too far apart for their common domain.
    #[error("{0:?} cubes: in all there can be {MAX_PLACES} bricks of 7³")]
    Large([u32; 3]),
    /// A corner is not finite, or single precision cannot distinguish the cubes.
    #[error(
        "{low:?} m and {cells:?} cubes of {cell_m} m: single precision cannot tell cubes apart there"
    )]
    Place {
        /// Lowest corner, m.
        low: [f64; 3],
        /// Cubes along each axis, as given.
        cells: [u32; 3],
        /// Edge of a cube, as given, m.
        cell_m: f64,
    },
}

impl Domain {
    /// Creates a domain of `cells` cubes along each axis from its lowest corner.
    ///
    /// # Errors
    /// [`DomainError`]: the first defect found.
    pub fn new(low: Vec3, cell_m: f64, cells: [u32; 3]) -> Result<Domain, DomainError> {
        if !(cell_m > 0.0 && cell_m.is_finite()) {
            return Err(DomainError::Cell(cell_m));
        }
        if !cells.iter().all(|n| (3..=MAX_CELLS).contains(n)) {
            return Err(DomainError::Cells(cells));
        }
        let domain = Domain { low, cell_m, cells };
        let furthest = low.amax().max(domain.high().amax());
        // Published points must resolve a thousandth of a cube. `amax` may skip a NaN, so each
        // coordinate is tested separately.
        let is_place = low.iter().all(|x| x.is_finite());
        if !(is_place && furthest * f64::from(f32::EPSILON) <= 1e-3 * cell_m) {
            return Err(DomainError::Place {
                low: low.into(),
                cells,
                cell_m,
            });
        }
        Ok(domain)
    }

    /// Creates the smallest domain that holds the surface of these primitives at a level, however
    /// they blend, with no border node inside. It consists of whole bricks of 7³ cubes aligned to
    /// the world's origin: a mesh does not swim through the cubes when its primitives move.
    ///
    /// There is no surface where no primitive reaches, nor where every endless kernel is below an
    /// equal share of the level. Primitives that only subtract are ignored. Without primitives the
    /// domain is one brick at the origin.
    ///
    /// # Errors
    /// [`DomainError`]: the cube's edge is invalid, or there are too many cubes.
    pub fn around(
        primitives: &[Primitive],
        level: f64,
        cell_m: f64,
    ) -> Result<Domain, DomainError> {
        if !(cell_m > 0.0 && cell_m.is_finite()) {
            return Err(DomainError::Cell(cell_m));
        }
        let adding = || primitives.iter().filter(|p| p.amplitude > 0.0);
        let endless = adding().filter(|p| !p.kernel.is_finite()).count();
        let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
        for primitive in adding() {
            let (from, to) = if primitive.kernel.is_finite() {
                primitive.bounds()
            } else {
                let share = level / (primitive.amplitude * endless as f64);
                let radius_m = primitive.radius_m * primitive.kernel.reach(share);
                let kernel = Kernel::Murakami;
                let ends = Primitive {
                    radius_m,
                    kernel,
                    ..*primitive
                };
                ends.bounds()
            };
            (low, high) = (low.inf(&from), high.sup(&to));
        }
        if adding().next().is_none() {
            (low, high) = (Vec3::zeros(), Vec3::zeros());
        }
        Domain::holding(low, high, cell_m)
    }

    /// Creates the smallest domain that holds a box, m, with no border node in it. It consists of
    /// whole bricks aligned to the world's origin.
    ///
    /// # Errors
    /// [`DomainError`]: the cube's edge is invalid, or there are too many cubes.
    pub fn holding(low: Vec3, high: Vec3, cell_m: f64) -> Result<Domain, DomainError> {
        if !(cell_m > 0.0 && cell_m.is_finite()) {
            return Err(DomainError::Cell(cell_m));
        }
        let side = f64::from(SIDE) * cell_m;
        let room = Vec3::repeat(cell_m);
        let first = ((low - room) / side).map(f64::floor);
        let last = ((high + room) / side).map(f64::ceil);
        // The casts saturate, and NaN becomes 0: `Domain::new` refuses both.
        let cells = [0, 1, 2].map(|k| (f64::from(SIDE) * (last[k] - first[k])) as u32);
        let bricks = cells.map(|n| u64::from(n.min(MAX_CELLS) / SIDE));
        if cells.iter().all(|n| *n <= MAX_CELLS) && bricks.iter().product::<u64>() > MAX_PLACES {
            return Err(DomainError::Large(cells));
        }
        Domain::new(side * first, cell_m, cells)
    }

    /// Lowest corner, m.
    #[must_use]
    pub fn low(&self) -> Vec3 {
        self.low
    }

    /// Highest corner, m.
    #[must_use]
    pub fn high(&self) -> Vec3 {
        self.low + self.cell_m * Vec3::from(self.cells.map(f64::from))
    }

    /// Edge of a cube, m.
    #[must_use]
    pub fn cell_m(&self) -> f64 {
        self.cell_m
    }

    /// Cubes along each axis.
    #[must_use]
    pub fn cells(&self) -> [u32; 3] {
        self.cells
    }
}
