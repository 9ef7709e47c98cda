//! Stand-in for the teapot: open patches that share no edge, with a spout and a handle that pass
//! through the body's wall.

use std::f64::consts::TAU;

use hapticd_geometry::{TriMesh, Vec3};

use super::meshing::Patches;
use crate::experiment::Failure;

/// Radius and height of the body's outline from the foot to the rim.
const BODY_M: [[f64; 2]; 7] = [
    [0.075, 0.0],
    [0.085, 0.01],
    [0.098, 0.035],
    [0.1, 0.06],
    [0.092, 0.09],
    [0.078, 0.115],
    [0.07, 0.12],
];
/// The same for the lid, from its edge to the top of its knob.
const LID_M: [[f64; 2]; 6] = [
    [0.069, 0.121],
    [0.045, 0.133],
    [0.012, 0.137],
    [0.01, 0.143],
    [0.016, 0.15],
    [0.0, 0.157],
];
/// Centre line of the spout, x and z, and its radius.
const SPOUT_M: [[f64; 3]; 5] = [
    [0.08, 0.04, 0.026],
    [0.115, 0.045, 0.02],
    [0.135, 0.07, 0.013],
    [0.147, 0.1, 0.01],
    [0.165, 0.115, 0.012],
];
/// The same for the handle.
const HANDLE_M: [[f64; 3]; 5] = [
    [-0.08, 0.1, 0.007],
    [-0.12, 0.105, 0.007],
    [-0.15, 0.085, 0.007],
    [-0.135, 0.05, 0.007],
    [-0.088, 0.035, 0.007],
];

/// Returns the teapot: open, without a volume, about 6,300 triangles (the customary subdivision of
/// the original's 32 patches; the source says "several thousand"), 0.33 m long from handle to
/// spout, the foot in z = 0. A separate patch closes the foot; the rim is open under the lid.
pub fn teapot() -> Result<TriMesh, Failure> {
    let mut patches = Patches::default();
    // Four quarters, like the original's patches.
    for quarter in 0..4 {
        let turn = |u: f64| TAU * (f64::from(quarter) + u) / 4.0;
        let revolved = |outline: &[[f64; 2]], u: f64, v: f64| {
            let [r, z] = along(outline, v);
            let (s, c) = turn(u).sin_cos();
            Vec3::new(r * c, r * s, z)
        };
        patches.add(16, 24, |u, v| revolved(&BODY_M, u, v));
        patches.add(16, 10, |u, v| revolved(&LID_M, u, v));
        // Seen from below, so the orientation is reversed.
        patches.add(16, 2, |u, v| {
            revolved(&[[0.0, 0.0], [0.04, 0.002], [0.075, 0.0]], u, v)
        });
    }
    for (line, sides) in [(&SPOUT_M, 20), (&HANDLE_M, 20)] {
        patches.add(sides, 24, |u, v| tube(line, u, v));
    }
    patches.mesh()
}

/// Returns a point on a curve through these points (a uniform cubic spline by Catmull and Rom).
fn along<const N: usize>(points: &[[f64; N]], v: f64) -> [f64; N] {
    let last = points.len() - 1;
    let k = ((v * last as f64) as usize).min(last - 1);
    let t = v * last as f64 - k as f64;
    let at = |i: usize| &points[i.min(last)];
    let (p, q, r, s) = (at(k.saturating_sub(1)), at(k), at(k + 1), at(k + 2));
    std::array::from_fn(|i| {
        let [p, q, r, s] = [p[i], q[i], r[i], s[i]];
        q + 0.5 * t * (r - p + t * (2.0 * p - 5.0 * q + 4.0 * r - s + t * (3.0 * (q - r) + s - p)))
    })
}

/// Returns a point on a tube about a line in the plane y = 0.
fn tube(line: &[[f64; 3]; 5], u: f64, v: f64) -> Vec3 {
    let [x, z, radius] = along(line, v);
    let [[x0, z0, _], [x1, z1, _]] = [
        along(line, (v - 1e-4).max(0.0)),
        along(line, (v + 1e-4).min(1.0)),
    ];
    let across = Vec3::new(z1 - z0, 0.0, x0 - x1).normalize();
    let (s, c) = (TAU * u).sin_cos();
    Vec3::new(x, 0.0, z) + (across * c + Vec3::y() * s) * radius
}
