//! Regular grids: squares in a plane, cubes in space.

use hapticd_geometry::Vec3;

use super::{BuildError, MAX_CELLS, Map};

/// Why a grid is invalid. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// No cell along an axis, or too many in total.
    #[error(
        "a grid of {cells:?} cells: at least one along each axis and at most {MAX_CELLS} together"
    )]
    Cells {
        /// The given numbers; 1 along z in a plane.
        cells: [usize; 3],
    },
    /// The width is not positive and finite, or the origin is not finite.
    #[error("bad grid: cells {width_m} m wide at {origin:?}")]
    Size {
        /// The given width, m.
        width_m: f64,
        /// The given origin, m.
        origin: [f64; 3],
    },
    /// The cells are too small for coordinates so far from zero.
    #[error(transparent)]
    Build(#[from] BuildError),
}

fn check(origin: &Vec3, width_m: f64, cells: [usize; 3]) -> Result<(), GridError> {
    let all = cells
        .iter()
        .try_fold(1_usize, |all, &n| all.checked_mul(n))
        .unwrap_or(usize::MAX);
    if all == 0 || all > MAX_CELLS {
        return Err(GridError::Cells { cells });
    }
    if !(width_m > 0.0 && width_m.is_finite() && origin.iter().all(|x| x.is_finite())) {
        return Err(GridError::Size {
            width_m,
            origin: [origin.x, origin.y, origin.z],
        });
    }
    Ok(())
}

impl Map {
    /// Builds squares of this width in the plane of `origin`, their lowest corner. The index of a
    /// cell is `x + cells[0] * y`.
    ///
    /// # Errors
    /// See [`GridError`].
    pub fn grid_2d(origin: Vec3, width_m: f64, cells: [usize; 2]) -> Result<Map, GridError> {
        let [nx, ny] = cells;
        check(&origin, width_m, [nx, ny, 1])?;
        let mut positions = Vec::with_capacity((nx + 1) * (ny + 1));
        for y in 0..=ny {
            for x in 0..=nx {
                positions.push(origin + Vec3::new(x as f64, y as f64, 0.0) * width_m);
            }
        }
        let at = |x: usize, y: usize| (x + (nx + 1) * y) as u32;
        let mut quads = Vec::with_capacity(nx * ny);
        for y in 0..ny {
            for x in 0..nx {
                quads.push([at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]);
            }
        }
        Ok(Map::from_quads(&positions, &quads)?)
    }

    /// Builds cubes of this width with `origin` as their lowest corner. The index of a cell is `x +
    /// cells[0] * (y + cells[1] * z)`.
    ///
    /// # Errors
    /// See [`GridError`].
    pub fn grid_3d(origin: Vec3, width_m: f64, cells: [usize; 3]) -> Result<Map, GridError> {
        let (positions, cubes) = cubes(origin, width_m, cells)?;
        Ok(Map::from_hexahedra(&positions, &cubes)?)
    }
}

/// Returns the corners and cells of [`Map::grid_3d`], for callers that move corners first.
///
/// # Errors
/// See [`GridError`].
pub fn cubes(
    origin: Vec3,
    width_m: f64,
    cells: [usize; 3],
) -> Result<(Vec<Vec3>, Vec<[u32; 8]>), GridError> {
    check(&origin, width_m, cells)?;
    let [nx, ny, nz] = cells;
    let mut positions = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
    for z in 0..=nz {
        for y in 0..=ny {
            for x in 0..=nx {
                positions.push(origin + Vec3::new(x as f64, y as f64, z as f64) * width_m);
            }
        }
    }
    let at = |x: usize, y: usize, z: usize| (x + (nx + 1) * (y + (ny + 1) * z)) as u32;
    let mut cubes = Vec::with_capacity(nx * ny * nz);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let layer = |z| {
                    [
                        at(x, y, z),
                        at(x + 1, y, z),
                        at(x + 1, y + 1, z),
                        at(x, y + 1, z),
                    ]
                };
                let ([a, b, c, d], [e, f, g, h]) = (layer(z), layer(z + 1));
                cubes.push([a, b, c, d, e, f, g, h]);
            }
        }
    }
    Ok((positions, cubes))
}
