//! A simplified nozzle and the pipe that is inserted into it: bodies of revolution about x, with a
//! flange, and lips that the pipe has to pass.

use hapticd_geometry::{TriMesh, Vec3};

use super::lattice::Lattice;
use crate::experiment::Failure;

/// Radius of the pipe, and thickness of its wall.
pub const PIPE_M: f64 = 0.02;
const PIPE_WALL_M: f64 = 0.002;
/// Half of the pipe's length.
pub const PIPE_HALF_M: f64 = 0.08;
/// Inner radius of the nozzle in its straight part: a clearance of 0.5 mm.
pub const BORE_M: f64 = PIPE_M + 5e-4;
/// The nozzle's mouth is at x = 0, its end here.
pub const NOZZLE_M: f64 = 0.12;
/// Corners around nozzle and pipe: different numbers, so that no facets of the two coincide.
const AROUND: u32 = 32;
const PIPE_AROUND: u32 = 26;
/// Positions of the nozzle's corners along x: end of the funnel, flange.
const PLACES_M: [f64; 7] = [0.0, FUNNEL_M, 0.05, 0.09, 0.1, 0.11, NOZZLE_M];
/// The mouth is a funnel up to here.
pub const FUNNEL_M: f64 = 0.015;

/// Returns the nozzle: 1,024 triangles; the source says "simplified" and gives no number.
pub fn nozzle() -> Result<TriMesh, Failure> {
    let lattice = Lattice {
        cells: [2, AROUND, PLACES_M.len() as u32 - 1],
        closes: [false, true, false],
    };
    lattice.surface(
        "the nozzle",
        |_| true,
        |[i, j, k]| {
            let x = PLACES_M[k as usize];
            let inner = BORE_M + 0.010 * (1.0 - x / FUNNEL_M).max(0.0);
            let outer = 0.042 + 0.012 * (-((x - 0.1) / 0.012).powi(2)).exp() - 0.1 * x;
            let r = [inner, 0.5 * (inner + outer), outer][i as usize];
            around(x, r, j, AROUND)
        },
    )
}

/// Returns the pipe, with its middle at the origin.
pub fn pipe() -> Result<TriMesh, Failure> {
    let lattice = Lattice {
        cells: [1, PIPE_AROUND, 1],
        closes: [false, true, false],
    };
    lattice.surface(
        "the pipe",
        |_| true,
        |[i, j, k]| {
            let x = PIPE_HALF_M * (2.0 * f64::from(k) - 1.0);
            around(
                x,
                if i == 0 { PIPE_M - PIPE_WALL_M } else { PIPE_M },
                j,
                PIPE_AROUND,
            )
        },
    )
}

/// Returns a corner on a circle about x. Radius, angle, x are right-handed.
fn around(x: f64, r: f64, j: u32, of: u32) -> Vec3 {
    let (s, c) = (std::f64::consts::TAU * f64::from(j) / f64::from(of)).sin_cos();
    Vec3::new(x, r * c, r * s)
}

#[cfg(test)]
mod tests {
    use super::super::lattice::check;
    use super::*;

    #[test]
    fn they_are_closed() {
        check(&nozzle(), 1024.0);
        check(&pipe(), 208.0);
    }
}
