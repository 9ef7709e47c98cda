//! Stand-in for the test door of the source: two curved sheets three centimetres apart, closed by a
//! rim.
//!
//! Piecewise smooth like a pressed door: a panel bent and twisted, a crease along which the slope
//! jumps, a shallow rib.

use hapticd_geometry::{TriMesh, Vec3};

use super::meshing::mesh;
use crate::experiment::Failure;

const COLUMNS: u32 = 41;
const ROWS: u32 = 20;
const WIDTH_M: f64 = 1.0;
const HEIGHT_M: f64 = 0.8;
/// Distance of the sheets, like that of a car door: if it were smaller than a triangle, hardly any
/// box would hold only one sheet.
const THICKNESS_M: f64 = 0.03;

/// Returns the inner sheet over `x, y` in metres from a corner.
fn surface(x: f64, y: f64) -> f64 {
    let bend = 0.06 * (x - 0.5 * WIDTH_M).powi(2) + 0.12 * y * y;
    let crease = 0.25 * (y - 0.45).max(0.0);
    let rib = 0.01 * (1.0 - ((y - 0.2) / 0.06).powi(2)).max(0.0);
    let twist = 0.05 * x * y + 0.01 * (4.0 * x + 3.0 * y * y).sin();
    bend + crease + rib + twist
}

/// Returns the door of the experiments with back-face cones: 3,524 triangles; the original had
/// about 3,530 (7,059 boxes).
pub fn test_door() -> Result<TriMesh, Failure> {
    let stride = COLUMNS + 1;
    let sheet = stride * (ROWS + 1);
    let mut positions = Vec::new();
    for z in [0.0, THICKNESS_M] {
        for j in 0..=ROWS {
            for i in 0..=COLUMNS {
                let x = WIDTH_M * f64::from(i) / f64::from(COLUMNS);
                let y = HEIGHT_M * f64::from(j) / f64::from(ROWS);
                positions.push(Vec3::new(x, y, surface(x, y) + z));
            }
        }
    }
    let mut triangles = Vec::new();
    let mut quad = |[a, b, c, d]: [u32; 4]| triangles.extend([[a, b, c], [a, c, d]]);
    let at = |i: u32, j: u32| j * stride + i;
    for j in 0..ROWS {
        for i in 0..COLUMNS {
            let corners = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            let [a, b, c, d] = corners;
            quad([a, d, c, b]);
            quad(corners.map(|v| v + sheet));
        }
    }
    // The rim: along every side of the lower sheet, facing outward.
    let mut side = |a: u32, b: u32| quad([a, b, b + sheet, a + sheet]);
    for i in 0..COLUMNS {
        side(at(i, 0), at(i + 1, 0));
        side(at(i + 1, ROWS), at(i, ROWS));
    }
    for j in 0..ROWS {
        side(at(COLUMNS, j), at(COLUMNS, j + 1));
        side(at(0, j + 1), at(0, j));
    }
    mesh(positions, triangles)
}
