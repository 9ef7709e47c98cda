//! An aircraft engine's pylon, a box beam with ribs, and a part in one of its bays that can be
//! removed only by pivoting it.

use hapticd_geometry::{Pose, Quat, TriMesh, Vec3};

use super::meshing::{Lattice, planes, rounded};
use crate::experiment::Failure;

/// Length, depth, height.
const SIZE_M: [f64; 3] = [3.0, 0.41, 0.5];
const SKIN_M: f64 = 0.004;
const RIB_M: f64 = 0.003;
/// Ribs at the ends of the bay with the part.
const BAY_M: [f64; 2] = [1.2, 1.7];
/// The hole in the skin of the bay at y = 0.41: along x and z. The part is longer than it is wide.
const HOLE_M: [[f64; 2]; 2] = [[1.3, 1.6], [0.1, 0.4]];
/// Length, depth and height of the part.
pub const PART_M: [f64; 3] = [0.42, 0.06, 0.12];
const STEP_M: f64 = 0.0238;

/// Returns the pylon: about 73,500 triangles; with the part about 77,000, where the source has
/// 80,000.
pub fn pylon() -> Result<TriMesh, Failure> {
    let [length, depth, height] = SIZE_M;
    let s = SKIN_M;
    let ribs = [
        0.24,
        0.48,
        0.72,
        0.96,
        BAY_M[0] - RIB_M,
        BAY_M[1],
        1.94,
        2.18,
        2.42,
        2.66,
        2.85,
    ];
    let mut x = vec![0.0, s, length - s, length];
    x.extend(ribs.iter().flat_map(|r| [*r, r + RIB_M]));
    x.extend(HOLE_M[0]);
    let (cy, cz, hole) = (0.5 * depth, 0.5 * height, 0.09);
    let y = [0.0, s, depth - s, depth, cy - hole, cy, cy + hole];
    let mut z = vec![0.0, s, height - s, height, cz - hole, cz, cz + hole];
    z.extend(HOLE_M[1]);
    z.extend([0.06, 0.06 + RIB_M, height - 0.06 - RIB_M, height - 0.06]);
    let mut pylon = Lattice::new([planes(&x, STEP_M), planes(&y, STEP_M), planes(&z, STEP_M)]);
    pylon.set([0.0; 3], SIZE_M, true);
    pylon.set([s; 3], [length - s, depth - s, height - s], false);
    for rib in ribs {
        pylon.set([rib, 0.0, 0.0], [rib + RIB_M, depth, height], true);
        if !(BAY_M[0] - 0.01..=BAY_M[1]).contains(&rib) {
            pylon.set(
                [rib, cy - hole, cz - hole],
                [rib + RIB_M, cy + hole, cz + hole],
                false,
            );
        }
    }
    // Stringers along both skins, not in the bay.
    for [from, to] in [[0.0, BAY_M[0]], [BAY_M[1] + RIB_M, length]] {
        for z in [0.06, height - 0.06 - RIB_M] {
            pylon.set([from, s, z], [to, 0.03, z + RIB_M], true);
            pylon.set([from, depth - 0.03, z], [to, depth - s, z + RIB_M], true);
        }
    }
    pylon.set(
        [HOLE_M[0][0], depth - s, HOLE_M[1][0]],
        [HOLE_M[0][1], depth, HOLE_M[1][1]],
        false,
    );
    pylon.mesh(|p| {
        if p.x > BAY_M[0] - 0.01 && p.x < BAY_M[1] + 0.01 {
            return p;
        }
        let [dy, dz] = rounded([p.y - cy, p.z - cz], [hole; 2], 2.0, 1.0, 1.5);
        Vec3::new(p.x, cy + dy, cz + dz)
    })
}

/// Returns the part, with its middle at the origin, along x: about 3,600 triangles. A bar with
/// three flanges that have holes.
pub fn pylon_part() -> Result<TriMesh, Failure> {
    let half = PART_M.map(|m| 0.5 * m);
    let web = 0.008;
    let flanges = [-half[0], -0.5 * web, half[0] - web];
    let mut x: Vec<f64> = flanges.iter().flat_map(|f| [*f, f + web]).collect();
    x.extend([-0.16, -0.06, 0.06, 0.16]);
    let y = [-half[1], -0.015, 0.015, half[1]];
    let z = [-half[2], -0.045, -0.02, 0.02, 0.045, half[2]];
    let mut part = Lattice::new([planes(&x, 0.0093), planes(&y, 0.0093), planes(&z, 0.0093)]);
    part.set([-half[0], -0.015, -0.02], [half[0], 0.015, 0.02], true);
    for from in flanges {
        part.set(
            [from, -half[1], -half[2]],
            [from + web, half[1], half[2]],
            true,
        );
        for z in [-0.045, 0.02] {
            part.set([from, -0.015, z], [from + web, 0.015, z + 0.025], false);
        }
    }
    for [from, to] in [[-0.16, -0.06], [0.06, 0.16]] {
        part.set([from, -half[1], -0.02], [to, half[1], 0.02], true);
    }
    part.mesh(|p| p)
}

/// Returns the mounted pose of the part: along x, near the rear of the bay.
pub fn mounted() -> Pose {
    Pose::translation(
        0.5 * (BAY_M[0] + BAY_M[1]),
        SKIN_M + 0.5 * PART_M[1] + 0.006,
        0.5 * SIZE_M[2],
    )
}

/// Returns the part pivoted by 55 degrees in the bay, with its end towards the hole.
pub fn pivoted() -> Pose {
    Pose::from_parts(
        Vec3::new(BAY_M[0] + 0.2, 0.5 * SIZE_M[1], 0.5 * SIZE_M[2]).into(),
        Quat::from_scaled_axis(Vec3::z() * 55_f64.to_radians()),
    )
}

/// Returns the position of the pylon's outer side.
pub fn outside_m() -> f64 {
    SIZE_M[1]
}

#[cfg(test)]
mod tests {
    use super::super::lattice::check;
    use super::*;

    #[test]
    fn pylon_and_part_are_closed_and_full_size() {
        check(&pylon(), 73_500.0);
        check(&pylon_part(), 3_600.0);
    }
}
