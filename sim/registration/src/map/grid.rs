//! Regular grids, ready made: squares in a plane, cubes in space.

use hapticd_geometry::Vec3;

use super::{BuildError, MAX_CELLS, Map};

/// Why there is no such grid. The caller's.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum GridError {
    /// No cell along an axis, or too many altogether.
    #[error(
        "a grid of {cells:?} cells: at least one along each axis and at most {MAX_CELLS} together"
    )]
    Cells {
        /// As given; 1 along z in a plane.
        cells: [usize; 3],
    },
    /// Not a positive, finite width, or an origin that is not finite.
    #[error("a grid of cells {width_m} m wide at {origin:?}")]
    Size {
        /// As given, m.
        width_m: f64,
        /// As given, m.
        origin: [f64; 3],
    },
    /// The cells are too small for coordinates so far out.
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
    /// Squares of this width in the plane of `origin`, their lowest corner. Cell `x + cells[0] *
    /// y`.
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

    /// Cubes of this width, `origin` their lowest corner. Cell `x + cells[0] * (y + cells[1] * z)`.
    ///
    /// # Errors
    /// See [`GridError`].
    pub fn grid_3d(origin: Vec3, width_m: f64, cells: [usize; 3]) -> Result<Map, GridError> {
        let (positions, cubes) = cubes(origin, width_m, cells)?;
        Ok(Map::from_hexahedra(&positions, &cubes)?)
    }
}

/// Corners and cells of [`Map::grid_3d`], for who wants to move corners first.
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
