//! A steering wheel: a rim with a groove along its upper side, three spokes, a hub with an embossed
//! logo.

use hapticd_geometry::{TriMesh, Vec3};

use super::lattice::Lattice;
use crate::experiment::Failure;

/// Cells around.
const AROUND: u32 = 96;
/// Radii of the corners, mm: hub, spokes, rim. The middle of the hub is open, as for a horn button.
const RADII_MM: [f64; 34] = [
    4.0, 7.5, 11.0, 14.0, 17.0, 20.0, 23.0, 26.0, 29.0, 32.0, 35.0, 38.0, 42.0, 48.0, 55.0, 68.0,
    80.0, 92.0, 104.0, 116.0, 128.0, 140.0, 150.0, 170.0, 172.0, 174.5, 178.0, 181.0, 182.5, 187.5,
    189.0, 192.0, 196.0, 200.0,
];
/// Indices of the radii at which the hub ends and the rim begins.
const HUB_ENDS: u32 = 14;
const RIM_BEGINS: u32 = 23;
/// Radius of the middle of the groove, m; it is 5 mm wide at the bottom.
pub const GROOVE_RADIUS_M: f64 = 0.185;
pub const GROOVE_DEPTH_M: f64 = 1.5e-3;
pub const LOGO_HEIGHT_M: f64 = 1e-3;
/// Half height of the hub without the logo, m.
pub const HUB_HALF_M: f64 = 0.012;
/// Half width of the lozenge's centre line along x, m, and along y.
pub const LOGO_HALF_M: [f64; 2] = [0.029, 0.040];

/// Returns the height of the logo above a point of the hub.
fn logo(x: f64, y: f64) -> f64 {
    let at = x.abs() / LOGO_HALF_M[0] + y.abs() / LOGO_HALF_M[1];
    if (at - 1.0).abs() < 0.17 {
        LOGO_HEIGHT_M
    } else {
        0.0
    }
}

/// Returns the height of the upper side above the middle plane.
fn upper(r: f64, x: f64, y: f64) -> f64 {
    if r >= 0.17 {
        let across = (r - GROOVE_RADIUS_M) / 0.015;
        let groove = if (r - GROOVE_RADIUS_M).abs() < 2.6e-3 {
            GROOVE_DEPTH_M
        } else {
            0.0
        };
        lower(r, across) - groove
    } else {
        HUB_HALF_M + if r < 0.055 { logo(x, y) } else { 0.0 }
    }
}

/// Returns the depth of the lower side below the middle plane; `across` is the position on the rim,
/// -1 to 1.
fn lower(r: f64, across: f64) -> f64 {
    if r >= 0.17 {
        0.004 + 0.010 * (1.0 - 0.9 * across * across).sqrt()
    } else {
        HUB_HALF_M
    }
}

/// Returns the wheel in the plane z = 0, its upper side towards +z.
pub fn steering_wheel() -> Result<TriMesh, Failure> {
    let lattice = Lattice {
        cells: [RADII_MM.len() as u32 - 1, AROUND, 1],
        closes: [false, true, false],
    };
    // Three spokes of 41 degrees.
    let spoke = |j: u32| j % (AROUND / 3) < 11;
    let solid = |[i, j, _]: [u32; 3]| !(HUB_ENDS..RIM_BEGINS).contains(&i) || spoke(j);
    let at = |[i, j, k]: [u32; 3]| {
        let r = 1e-3 * RADII_MM[i as usize];
        let (s, c) = (std::f64::consts::TAU * f64::from(j) / f64::from(AROUND)).sin_cos();
        let (x, y) = (r * c, r * s);
        let z = if k == 0 {
            -lower(r, (r - GROOVE_RADIUS_M) / 0.015)
        } else {
            upper(r, x, y)
        };
        Vec3::new(x, y, z)
    };
    lattice.surface("the steering wheel", solid, at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wheel_is_closed_and_full_size() {
        super::super::lattice::check(&steering_wheel(), 11_000.0);
    }
}
