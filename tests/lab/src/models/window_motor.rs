//! Stand-in for the window-lift motor: a gear housing with flange, lid and pinion, three lugs with
//! holes, the motor's can and a hollow connector.

use hapticd_geometry::{TriMesh, Vec3};

use super::meshing::{Lattice, planes, rounded};
use crate::experiment::Failure;

/// Radii of the flange and of the housing.
const FLANGE_M: f64 = 0.048;
const HOUSING_M: f64 = 0.042;
/// Half width of the can, and height of its axis above the middle of the housing.
const CAN_M: f64 = 0.017;
const CAN_Z_M: f64 = 0.02;
/// The lugs: distance of their holes from the middle, half their width, radius of the holes.
const LUG_M: [f64; 3] = [0.056, 0.009, 0.0035];

/// Returns the motor: about 6,000 triangles, 0.19 x 0.06 x 0.13 m, the gear's axis along y and the
/// can along -x. With [`super::lift_door()`] it stands for the pair of the source, about 20,000
/// triangles in all.
pub fn window_motor() -> Result<TriMesh, Failure> {
    let [out, half, hole] = LUG_M;
    let end = out + 0.01;
    let lug_planes = |sign: f64| {
        [
            sign * (out - hole),
            sign * (out + hole),
            sign * end,
            sign * out,
        ]
    };
    let mut x = vec![
        -0.12, -0.1, -0.0985, -0.0765, -0.075, -FLANGE_M, -HOUSING_M, -half, -hole, 0.0,
    ];
    x.extend([-0.02, 0.02, -0.006, 0.006, hole, half, HOUSING_M, FLANGE_M]);
    x.extend(lug_planes(1.0));
    let mut z = vec![
        -FLANGE_M, -HOUSING_M, -0.02, -half, -hole, -0.006, 0.0, hole, 0.006, half, 0.02,
    ];
    z.extend([
        CAN_Z_M - CAN_M,
        CAN_Z_M + CAN_M,
        HOUSING_M,
        FLANGE_M,
        0.0555,
        0.057,
    ]);
    z.extend(lug_planes(1.0));
    z.extend(lug_planes(-1.0));
    let y = [
        -0.03, -0.014, -0.011, -0.009, -0.0075, -0.006, 0.006, 0.0075, 0.013, -0.013, 0.014, 0.02,
    ];
    let mut body = Lattice::new([planes(&x, 0.0065), planes(&y, 0.005), planes(&z, 0.0065)]);
    let mut round = |r: f64, low: f64, high: f64| body.set([-r, low, -r], [r, high, r], true);
    round(HOUSING_M, -0.014, 0.014);
    round(FLANGE_M, -0.014, -0.011);
    round(0.02, 0.014, 0.02);
    round(0.006, -0.03, -0.014);
    for ([low, high], [hole_x, hole_z]) in [
        ([[0.0, -half], [end, half]], [out, 0.0]),
        ([[-half, 0.0], [half, end]], [0.0, out]),
        ([[-half, -end], [half, 0.0]], [0.0, -out]),
    ] {
        body.set([low[0], -0.014, low[1]], [high[0], -0.009, high[1]], true);
        body.set(
            [hole_x - hole, -0.014, hole_z - hole],
            [hole_x + hole, -0.009, hole_z + hole],
            false,
        );
    }
    body.set(
        [-0.12, -0.013, CAN_Z_M - CAN_M],
        [-0.03, 0.013, CAN_Z_M + CAN_M],
        true,
    );
    // The connector on the can, a socket open to +z.
    body.set([-0.1, -0.0075, CAN_Z_M], [-0.075, 0.0075, 0.057], true);
    body.set([-0.0985, -0.006, 0.042], [-0.0765, 0.006, 0.06], false);
    body.mesh(bend)
}

/// Maps from the lattice, in which all round parts are square.
fn bend(p: Vec3) -> Vec3 {
    let [out, _, hole] = LUG_M;
    let mut q = p;
    for [x, z] in [[out, 0.0], [0.0, out], [0.0, -out]] {
        let [dx, dz] = rounded([q.x - x, q.z - z], [hole; 2], 2.0, 1.0, 2.5);
        (q.x, q.z) = (x + dx, z + dz);
    }
    // The can becomes round at some distance from the housing.
    let from_housing = ((-FLANGE_M - p.x) / 0.02).clamp(0.0, 1.0);
    let [dy, dz] = rounded([q.y, q.z - CAN_Z_M], [0.013, CAN_M], 3.0, 1.0, 2.0);
    q.y += (dy - q.y) * from_housing;
    q.z += (CAN_Z_M + dz - q.z) * from_housing;
    [q.x, q.z] = rounded([q.x, q.z], [1.0; 2], 2.0, FLANGE_M, 1.6 * FLANGE_M);
    q
}
