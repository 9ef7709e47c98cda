//! A skull by formula: **an invented shape, not the anatomy of a person**, for demonstrations and
//! tests of volumes where no scan may be used.
//!
//! Triquet 2001 shows a skull from planes of a scanner (section 5.6, figure 5.18); those data are
//! not public. This one consists of ellipsoids and capsules in centimetres, joined and cut
//! smoothly, and sampled as a scanner would: 1000 inside, 0 outside, [`LEVEL`] on the surface, and
//! in proportion to the distance within a centimetre of it. The same arguments give the same bits
//! everywhere, because it uses only sums, products and square roots.

use super::{Volume, VolumeFault};
use crate::pose::{Pose, Vec3};

/// Value of a sample on the surface.
pub const LEVEL: f64 = 500.0;
/// Fewest samples along the height.
pub const MIN_NODES: u32 = 16;
/// Most samples along the height.
pub const MAX_NODES: u32 = 256;

/// Change of the sample value per centimetre of distance from the surface, before clamping.
const PER_CM: f64 = 500.0;
/// Height from chin to crown, cm.
const HEIGHT_CM: f64 = 21.0;
/// Corners of the sampled box, cm: a centimetre of air all around.
const LOW: Vec3 = Vec3::new(-8.4, -10.0, -11.4);
const HIGH: Vec3 = Vec3::new(8.4, 11.2, 12.0);

/// Samples a skull of this height, m, from chin to crown, with `nodes` samples along the height of
/// the box.
///
/// x points to its left, y to its back, z up, about its middle.
///
/// # Errors
/// [`VolumeFault`] if the height is invalid; `nodes` is clamped to the allowed range.
pub fn skull(height_m: f64, nodes: u32) -> Result<Volume, VolumeFault> {
    let nodes = nodes.clamp(MIN_NODES, MAX_NODES);
    let size = HIGH - LOW;
    let step = size.z / f64::from(nodes - 1);
    // As many as it takes to hold the box: some more air at the far end.
    let counts = [size.x, size.y, size.z].map(|along| (along / step - 1e-9).ceil() as u32 + 1);
    let [nx, ny, nz] = counts;
    let mut samples = Vec::with_capacity(nx as usize * ny as usize * nz as usize);
    for z in 0..nz {
        for y in 0..ny {
            for x in 0..nx {
                let at = LOW + step * Vec3::new(x.into(), y.into(), z.into());
                samples.push((LEVEL - PER_CM * distance(&at)).clamp(0.0, 2.0 * LEVEL) as f32);
            }
        }
    }
    let m_per_cm = height_m / HEIGHT_CM;
    let low = LOW * m_per_cm;
    let frame = Pose::translation(low.x, low.y, low.z);
    let mut volume = Volume::new(frame, [step * m_per_cm; 3], counts, samples)?;
    volume.unit_m = Some(1.0);
    Ok(volume)
}

/// Approximate distance of a point from the skull, cm; negative inside.
fn distance(at: &Vec3) -> f64 {
    // Symmetric, left and right.
    let p = Vec3::new(at.x.abs(), at.y, at.z);
    let brain_case = ellipsoid(&p, [0.0, 1.2, 4.4], [7.0, 8.8, 6.6]);
    let face = ellipsoid(&p, [0.0, -4.6, -1.0], [4.7, 3.6, 4.4]);
    let brow = capsule(&p, [1.0, -7.2, 2.3], [4.7, -5.6, 2.4], 0.9);
    let temple = ellipsoid(&p, [8.2, -3.4, 1.6], [2.3, 3.0, 3.2]);
    let cheek = capsule(&p, [3.4, -6.0, -1.7], [6.0, -3.9, -1.2], 1.0);
    let arch = capsule(&p, [6.0, -3.9, -1.2], [6.8, 0.8, -0.5], 0.6);
    let mastoid = capsule(&p, [5.5, 2.6, -1.0], [5.0, 2.4, -3.2], 0.9);
    let orbit = ellipsoid(&p, [3.0, -7.4, 0.5], [1.95, 4.4, 1.7]);
    let nostril = ellipsoid(&p, [0.55, -8.2, -2.2], [0.75, 2.6, 1.4]);
    let nose = capsule(&p, [0.0, -7.4, 1.4], [0.0, -8.7, -0.4], 0.5);
    let palate = ellipsoid(&p, [0.0, -5.5, -4.3], [3.2, 2.9, 1.2]);
    let head = join(join(brain_case, face, 1.2), brow, 0.8);
    let head = cut(head, temple, 0.8);
    let head = join(join(join(head, cheek, 0.8), arch, 0.5), mastoid, 0.8);
    let head = cut(cut(head, orbit, 0.5), nostril, 0.4);
    let head = join(join(head, nose, 0.4), palate, 0.6);
    // A jaw is a plate on edge: a lower and an upper rim, and two of the branch that rises to its
    // joint.
    let chin = capsule(&p, [0.0, -7.5, -9.3], [1.8, -7.0, -9.3], 0.85);
    let below = capsule(&p, [1.8, -7.0, -9.3], [5.2, -1.0, -8.0], 0.7);
    let front = capsule(&p, [0.0, -7.6, -7.9], [1.9, -6.9, -7.8], 0.6);
    let above = capsule(&p, [1.9, -6.9, -7.8], [5.0, -2.2, -6.8], 0.6);
    let back = capsule(&p, [5.2, -1.0, -7.8], [5.9, 0.9, -1.6], 0.6);
    let branch = capsule(&p, [5.0, -2.2, -6.8], [5.6, -1.6, -2.6], 0.5);
    let jaw = join(join(chin, below, 0.6), join(front, above, 0.5), 1.6);
    let jaw = join(jaw, join(back, branch, 1.6), 0.8);
    let (mut upper, mut lower) = (f64::INFINITY, f64::INFINITY);
    for tooth in 0..4 {
        let x = 0.42 + 0.82 * f64::from(tooth);
        let y = 0.3 * x * x;
        upper = upper.min(capsule(&p, [x, y - 8.0, -5.0], [x, y - 8.1, -6.1], 0.4));
        lower = lower.min(capsule(&p, [x, y - 7.8, -7.6], [x, y - 7.8, -6.8], 0.36));
    }
    join(join(head, upper, 0.2), join(jaw, lower, 0.2), 0.2)
}

/// Approximate distance from an ellipsoid: zero exactly on the surface, with slope 1 there.
fn ellipsoid(p: &Vec3, centre: [f64; 3], radii: [f64; 3]) -> f64 {
    let away = p - Vec3::from(centre);
    let scaled = away.component_div(&Vec3::from(radii));
    let slope = scaled.component_div(&Vec3::from(radii)).norm();
    let far = scaled.norm();
    if slope > 0.0 {
        far * (far - 1.0) / slope
    } else {
        -radii.into_iter().fold(f64::INFINITY, f64::min)
    }
}

/// Distance from a capsule: a segment with a radius.
fn capsule(p: &Vec3, from: [f64; 3], to: [f64; 3], radius: f64) -> f64 {
    let (from, to) = (Vec3::from(from), Vec3::from(to));
    let along = to - from;
    let share = ((p - from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
    (p - from - along * share).norm() - radius
}

/// Union of two shapes, with a fillet where their distances differ by less than `width`:
/// polynomial, quadratic.
fn join(a: f64, b: f64, width: f64) -> f64 {
    let near = (width - (a - b).abs()).max(0.0) / width;
    a.min(b) - 0.25 * near * near * width
}

/// The first shape minus the second, with a rounded edge.
fn cut(a: f64, b: f64, width: f64) -> f64 {
    -join(-a, b, width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(volume: &Volume, at: [f64; 3]) -> f32 {
        let local = volume.frame.inverse_transform_point(&Vec3::from(at).into());
        let node = [0, 1, 2].map(|k| (local[k] / volume.spacing[k]).round() as usize);
        let [nx, ny, _] = volume.nodes.map(|n| n as usize);
        volume.samples[(node[2] * ny + node[1]) * nx + node[0]]
    }

    #[test]
    fn the_skull_has_bone_and_eye_holes_in_place_and_air_all_around() {
        let skull = skull(0.21, 64).unwrap();
        assert_eq!(skull.nodes, [47, 59, 64]);
        let level = LEVEL as f32;
        for (at, inside) in [
            ([0.0, 0.0, 0.05], true),
            ([0.0, -0.074, -0.091], true),
            ([0.052, -0.01, -0.077], true),
            ([0.031, -0.07, 0.005], false),
            ([-0.031, -0.07, 0.005], false),
            ([0.0, -0.03, -0.08], false),
        ] {
            assert_eq!(sample(&skull, at) > level, inside, "{at:?}");
        }
        let [nx, ny, nz] = skull.nodes;
        for (k, sample) in (0_u32..).zip(&skull.samples) {
            let at = [k % nx, k / nx % ny, k / (nx * ny)];
            let border = (0..3).any(|i| at[i] == 0 || at[i] + 1 == [nx, ny, nz][i]);
            assert!(!border || *sample < 0.5 * level, "air at {at:?}: {sample}");
        }
    }

    #[test]
    fn left_mirrors_right_to_the_bit_and_invalid_heights_are_refused() {
        for at in [[3.0, -5.0, 0.0], [5.5, 0.0, -4.0], [0.4, -8.1, -2.0]] {
            let [x, y, z] = at;
            let [right, left] = [x, -x].map(|x| distance(&Vec3::new(x, y, z)));
            assert!(right == left && right.abs() < 10.0, "{at:?}");
        }
        for height in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(skull(height, 40).is_err(), "{height}");
        }
    }
}
