//! A car's body shell and its door, both in the car's frame: x to the rear, y to the right, z up,
//! the left side at y = 0.
//!
//! Both are bent in the same way and only along y, so the gap between them is the same as in the
//! lattice, and the door is inserted along y.

use hapticd_geometry::{TriMesh, Vec3};

use super::meshing::{Lattice, planes};
use crate::experiment::Failure;

/// Length, width, height.
const SIZE_M: [f64; 3] = [3.9, 1.6, 1.5];
const SKIN_M: f64 = 0.012;
/// The door's opening: from and to, along x and z.
const OPENING_M: [[f64; 2]; 2] = [[1.3, 2.4], [0.25, 1.3]];
/// Height of the sill of the windows.
const SILL_M: f64 = 0.85;
/// Frame of the opening: its depth, the inward extent of its inner flange, and the flange's
/// thickness.
const FRAME_M: [f64; 3] = [0.075, 0.035, 0.012];
/// Gap between the mounted door and its frame, and between it and the flange behind it.
pub const GAP_M: f64 = 0.005;
pub const FLANGE_GAP_M: f64 = 0.003;

/// Returns the shell: about 29,000 triangles, with openings for two doors, windows, wheels and the
/// engine.
pub fn body_shell() -> Result<TriMesh, Failure> {
    let [length, width, height] = SIZE_M;
    let [[x0, x1], [z0, z1]] = OPENING_M;
    let [deep, reach, thick] = FRAME_M;
    let s = SKIN_M;
    let mut x = vec![
        0.0,
        s,
        length - s,
        length,
        0.9,
        0.9 + s,
        2.9,
        2.9 + s,
        x0 - s,
        x0,
        x0 + reach,
        x1 - reach,
        x1,
        x1 + s,
    ];
    x.extend([0.35, 0.75, 3.1, 3.5, 0.12, 0.8, 2.55, 3.7, 1.0, 2.8]);
    let right = |y: f64| width - y;
    let mut y = vec![
        0.0,
        s,
        deep - thick,
        deep,
        0.2,
        right(0.2),
        right(deep),
        right(deep - thick),
        right(s),
        width,
    ];
    y.extend([0.5, 0.5 + s, right(0.5), right(0.5 + s)]);
    let z = [
        0.0,
        s,
        height - s,
        height,
        z0 - s,
        z0,
        z0 + reach,
        z1 - reach,
        z1,
        z1 + s,
        SILL_M,
        SILL_M + s,
        0.35,
        0.1,
        0.7,
        1.4,
    ];
    let mut shell = Lattice::new([planes(&x, STEP_M), planes(&y, STEP_M), planes(&z, STEP_M)]);
    shell.set([0.0; 3], SIZE_M, true);
    shell.set([s, s, s], [length - s, width - s, height - s], false);
    // Cut away everything above the bonnet; close it by the bonnet and the bulkhead, and leave the
    // bonnet open.
    shell.set([0.0, 0.0, SILL_M + s], [0.9, width, height], false);
    shell.set([0.0, 0.0, SILL_M], [0.9 + s, width, SILL_M + s], true);
    shell.set([0.9, 0.0, 0.0], [0.9 + s, width, SILL_M + s], true);
    shell.set([0.12, 0.2, SILL_M], [0.8, right(0.2), SILL_M + s], false);
    // Two beams along the floor.
    for beam in [0.5, right(0.5 + s)] {
        shell.set([0.0, beam, 0.0], [length, beam + s, 0.1], true);
    }
    // Windscreen and rear window.
    shell.set(
        [0.85, 0.2, SILL_M + s],
        [0.9 + 2.0 * s, right(0.2), 1.4],
        false,
    );
    shell.set(
        [length - s, 0.2, SILL_M + s],
        [length, right(0.2), 1.4],
        false,
    );
    for (outside, inside, frame) in [
        (0.0, deep, [deep - thick, deep]),
        (width, right(deep), [right(deep), right(deep - thick)]),
    ] {
        let mut set = |x: [f64; 2], y: [f64; 2], z: [f64; 2], full: bool| {
            shell.set(
                [x[0], y[0].min(y[1]), z[0]],
                [x[1], y[0].max(y[1]), z[1]],
                full,
            );
        };
        let through = [outside, inside];
        set([x0 - s, x1 + s], through, [z0 - s, z1 + s], true);
        set([x0, x1], through, [z0, z1], false);
        set([x0, x1], frame, [z0, z1], true);
        set(
            [x0 + reach, x1 - reach],
            frame,
            [z0 + reach, z1 - reach],
            false,
        );
        // Wheel arches and the side window behind the door.
        let skin = [outside, if outside == 0.0 { s } else { right(s) }];
        set([0.35, 0.75], skin, [0.0, 0.35], false);
        set([3.1, 3.5], skin, [0.0, 0.35], false);
        set([2.55, 3.7], skin, [SILL_M + s, 1.3], false);
    }
    // The floor below the arches is removed with them.
    for [from, to] in [[0.35, 0.75], [3.1, 3.5]] {
        shell.set([from, 0.0, 0.0], [to, 0.2, s], false);
        shell.set([from, right(0.2), 0.0], [to, width, s], false);
    }
    shell.mesh(bend)
}

/// Distance between planes of the lattice.
const STEP_M: f64 = 0.08;

/// Returns the left door, mounted: about 16,000 triangles. Two plates with a rim, ribs between
/// them, and a window.
pub fn car_door() -> Result<TriMesh, Failure> {
    let [[x0, x1], [z0, z1]] = OPENING_M;
    let [deep, _, thick] = FRAME_M;
    let (low, high) = (
        [x0 + GAP_M, 0.004, z0 + GAP_M],
        [x1 - GAP_M, deep - thick - FLANGE_GAP_M, z1 - GAP_M],
    );
    let t = 0.004;
    let border = 0.07;
    let x = [
        low[0],
        low[0] + t,
        high[0] - t,
        high[0],
        low[0] + border,
        high[0] - border,
        1.65,
        1.65 + t,
        2.05,
        2.05 + t,
        1.75,
        1.95,
    ];
    let y = [low[1], low[1] + t, high[1] - t, high[1], 0.03];
    let z = [
        low[2],
        low[2] + t,
        high[2] - t,
        high[2],
        SILL_M - t,
        SILL_M,
        high[2] - border,
        0.5,
        0.5 + t,
        0.6,
        0.8,
        high[2] - border + t,
    ];
    let mut door = Lattice::new([
        planes(&x, DOOR_STEP_M),
        planes(&y, DOOR_STEP_M),
        planes(&z, DOOR_STEP_M),
    ]);
    door.set(low, high, true);
    door.set(
        [low[0] + t, low[1] + t, low[2] + t],
        [high[0] - t, high[1] - t, high[2] - t],
        false,
    );
    // Window: the frame around it is hollow as well.
    let (from, to) = (
        [low[0] + border, SILL_M],
        [high[0] - border, high[2] - border],
    );
    door.set(
        [from[0] - t, low[1], from[1] - t],
        [to[0] + t, high[1], to[1] + t],
        true,
    );
    door.set([from[0], low[1], from[1]], [to[0], high[1], to[1]], false);
    for rib in [1.65, 2.05] {
        door.set([rib, low[1], low[2]], [rib + t, 0.03, SILL_M], true);
    }
    door.set([low[0], low[1], 0.5], [high[0], 0.03, 0.5 + t], true);
    // A hole in the inner plate.
    door.set([1.75, high[1] - t, 0.6], [1.95, high[1], 0.8], false);
    door.mesh(bend)
}

const DOOR_STEP_M: f64 = 0.0265;

/// Bulges the sides by up to 60 mm; points in the middle do not move.
fn bend(p: Vec3) -> Vec3 {
    let (u, v) = (2.0 * p.x / SIZE_M[0] - 1.0, 2.0 * p.z / SIZE_M[2] - 1.0);
    // Constant over the depth of a door's frame, so that a door is bent like its frame.
    let side = |y: f64| (1.0 - (y - FRAME_M[0]).max(0.0) / 0.5).clamp(0.0, 1.0);
    let out = 0.04 * (1.0 - v * v) + 0.02 * (1.0 - u * u);
    Vec3::new(p.x, p.y - out * (side(p.y) - side(SIZE_M[1] - p.y)), p.z)
}

#[cfg(test)]
mod tests {
    use super::super::lattice::check;
    use super::*;

    #[test]
    fn shell_and_door_are_closed_and_full_size() {
        check(&body_shell(), 29_000.0);
        check(&car_door(), 16_000.0);
    }

    #[test]
    fn the_mounted_door_is_in_its_opening_and_touches_nothing() {
        use hapticd_audit::{Solid, Tool, distance_m, penetration_depth_m};
        use hapticd_geometry::Pose;
        let (shell, door) = (
            Solid::new(&body_shell().unwrap()),
            Solid::new(&car_door().unwrap()),
        );
        let (tool, here) = (Tool::Mesh(&door), Pose::identity());
        assert_eq!(penetration_depth_m(&tool, &here, &shell, &here), 0.0);
        let gap = distance_m(&tool, &here, &shell, &here);
        assert!(
            gap > 0.5 * FLANGE_GAP_M && gap <= FLANGE_GAP_M + 1e-9,
            "{gap}"
        );
    }
}
