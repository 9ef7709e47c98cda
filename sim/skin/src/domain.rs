//! Where a skin may be: a box of cubes.

use hapticd_geometry::Vec3;

/// Most cubes along an axis.
pub const MOST_CELLS: u32 = 4096;

/// A grid of cubes, axes along the world's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Domain {
    low: Vec3,
    cell_m: f64,
    cells: [u32; 3],
}

/// Why a domain was refused. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DomainError {
    /// NaN, infinite, 0 or less.
    #[error("cubes of {0} m: they have to be larger than 0 and finite")]
    Cell(f64),
    /// None, or too many.
    #[error("{0:?} cubes: there have to be 3 to {MOST_CELLS} along each axis")]
    Cells([u32; 3]),
    /// A corner that is no place, or a box whose cubes single precision cannot tell apart.
    #[error(
        "{low:?} m and {cells:?} cubes of {cell_m} m: single precision does not tell cubes apart out there"
    )]
    Place {
        /// Lowest corner, m.
        low: [f64; 3],
        /// As given.
        cells: [u32; 3],
        /// As given, m.
        cell_m: f64,
    },
}

impl Domain {
    /// `cells` cubes along each axis, from its lowest corner on.
    ///
    /// # Errors
    /// [`DomainError`]: the first thing that is wrong.
    pub fn new(low: Vec3, cell_m: f64, cells: [u32; 3]) -> Result<Domain, DomainError> {
        if !(cell_m > 0.0 && cell_m.is_finite()) {
            return Err(DomainError::Cell(cell_m));
        }
        if !cells.iter().all(|n| (3..=MOST_CELLS).contains(n)) {
            return Err(DomainError::Cells(cells));
        }
        let domain = Domain { low, cell_m, cells };
        let furthest = low.amax().max(domain.high().amax());
        // A thousandth of a cube is to be seen in a published point. Not `>`: NaN is wrong, too.
        if !(furthest * f64::from(f32::EPSILON) <= 1e-3 * cell_m) {
            return Err(DomainError::Place {
                low: low.into(),
                cells,
                cell_m,
            });
        }
        Ok(domain)
    }

    /// The lowest corner, m.
    #[must_use]
    pub fn low(&self) -> Vec3 {
        self.low
    }

    /// The highest corner, m.
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
