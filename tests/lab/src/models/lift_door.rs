//! Stand-in for the car door: a hollow box of thin plates with ribs, an access hole in the inner
//! plate, smaller holes, and a slit for the window.

use hapticd_geometry::{Pose, TriMesh, Vec3};

use super::meshing::{Lattice, planes, rounded};
use crate::experiment::Failure;

/// Length along x, depth along y, height along z.
const SIZE_M: [f64; 3] = [1.0, 0.12, 0.6];
/// Thickness of the outer plate, of the inner plate and ribs, and of the rim.
const OUTER_M: f64 = 0.8e-3;
const INNER_M: f64 = 1.2e-3;
const RIM_M: f64 = 1.5e-3;
/// Middle and half size of the access hole in x and z.
const ACCESS_M: ([f64; 2], [f64; 2]) = ([0.54, 0.25], [0.14, 0.11]);
/// Middle and radius of the round holes in the inner plate.
const ROUND_M: [([f64; 2], f64); 4] = [
    ([0.84, 0.2], 0.06),
    ([0.12, 0.47], 0.02),
    ([0.86, 0.46], 0.02),
    ([0.12, 0.12], 0.025),
];
/// Distance between planes of the lattice.
const STEP_M: f64 = 0.038;

/// Returns the door: about 14,000 triangles; outer plate at y = 0, inner plate 0.12 m further, both
/// bulging towards -y. With [`super::window_motor()`] it stands for the pair of the source, about
/// 20,000 triangles in all.
pub fn lift_door() -> Result<TriMesh, Failure> {
    let [length, depth, height] = SIZE_M;
    let inner = depth - INNER_M;
    let (mut x, mut z) = (
        vec![0.0, RIM_M, length - RIM_M, length],
        vec![0.0, RIM_M, height - RIM_M, height],
    );
    let mut holes: Vec<([f64; 2], [f64; 2])> = ROUND_M.iter().map(|&(c, r)| (c, [r; 2])).collect();
    holes.push(ACCESS_M);
    for ([cx, cz], [hx, hz]) in &holes {
        x.extend([cx - hx, *cx, cx + hx]);
        z.extend([cz - hz, *cz, cz + hz]);
    }
    let uprights = [0.35, 0.73];
    let levels = [0.08, 0.42];
    let bar = 0.3;
    x.extend(uprights.iter().flat_map(|r| [*r, r + INNER_M]));
    z.extend(levels.iter().flat_map(|r| [*r, r + INNER_M]));
    z.extend([bar, bar + INNER_M]);
    // The window's slit, and drains in the bottom.
    let drains = [[0.2, 0.23], [0.5, 0.53], [0.8, 0.83]];
    x.extend(drains.iter().flatten().chain(&[0.06, 0.94]));
    let y = [
        0.0,
        OUTER_M,
        0.02,
        0.05,
        0.065,
        0.09,
        inner - 0.012,
        inner,
        depth,
    ];
    let mut door = Lattice::new([planes(&x, STEP_M), planes(&y, STEP_M), planes(&z, STEP_M)]);
    door.set([0.0; 3], SIZE_M, true);
    door.set(
        [RIM_M, OUTER_M, RIM_M],
        [length - RIM_M, inner, height - RIM_M],
        false,
    );
    // Ribs: upright and level on the inner plate; on the outer one the bar against side impacts, as
    // long as the door.
    for x in uprights {
        door.set(
            [x, inner - 0.012, levels[0]],
            [x + INNER_M, inner, levels[1]],
            true,
        );
    }
    for z in levels {
        door.set([0.0, inner - 0.012, z], [length, inner, z + INNER_M], true);
    }
    door.set([0.0, 0.0, bar], [length, 0.02, bar + INNER_M], true);
    for ([cx, cz], [hx, hz]) in &holes {
        door.set([cx - hx, inner, cz - hz], [cx + hx, depth, cz + hz], false);
    }
    door.set([0.06, 0.05, height - RIM_M], [0.94, 0.065, height], false);
    for [from, to] in drains {
        door.set([from, 0.05, 0.0], [to, 0.065, RIM_M], false);
    }
    door.mesh(|p| {
        let mut q = p;
        if p.y > inner - 1e-6 {
            for (k, ([cx, cz], half)) in holes.iter().enumerate() {
                let (exponent, none) = if k < ROUND_M.len() {
                    (2.0, 1.6)
                } else {
                    (5.0, 1.3)
                };
                let [dx, dz] = rounded([q.x - cx, q.z - cz], *half, exponent, 1.0, none);
                (q.x, q.z) = (cx + dx, cz + dz);
            }
        }
        q.y -= bulge(q.x, q.z);
        q
    })
}

/// Returns the outward bulge of the door.
fn bulge(x: f64, z: f64) -> f64 {
    let (u, v) = (2.0 * x / SIZE_M[0] - 1.0, 2.0 * z / SIZE_M[2] - 1.0);
    0.03 * (1.0 - v * v) + 0.01 * (1.0 - u * u)
}

/// Returns the mounted pose of the motor: behind the inner plate, left of the access hole.
pub fn mounted_motor() -> Pose {
    Pose::from_parts(inside(0.22).into(), hapticd_geometry::Quat::identity())
}

/// Returns the position of its origin from which it can be drawn out along +y.
pub fn before_access_hole() -> Vec3 {
    inside(0.56)
}

/// Returns a position in the middle between the plates.
fn inside(x: f64) -> Vec3 {
    let z = ACCESS_M.0[1] - 0.01;
    Vec3::new(x, 0.06 - bulge(x, z), z)
}

/// Returns a position outside, 0.2 m in front of the access hole.
pub fn outside() -> Vec3 {
    before_access_hole() + Vec3::y() * 0.26
}
