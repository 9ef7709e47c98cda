//! Ripple: force across the true one for a hand that slides over a mesh, by octaves from 5 to 400
//! Hz.
//!
//! The truth is that of the smooth sphere or cylinder, which has no such force. The ripple of a
//! bare mesh is known where facets are equal and lie across the path: a saw-tooth with an amplitude
//! of force times the angle from facet to facet.

use std::f64::consts::TAU;

use hapticd_geometry::{MeshError, Pose, Quat, TriMesh, Vec3, shapes};
use rayon::prelude::*;

use super::{Part, STIFFNESS, bench_at, out_m};
use crate::experiment::{Context, Failure, Row};

/// Bars: RMS ripple on shaded bodies, N; on facets, the deviation from theory.
const SHADED_N: f64 = 1e-3;
const SAW: f64 = 0.2;
/// Octaves, Hz; the last ends where a hand no longer feels vibration.
const BANDS_HZ: [f64; 8] = [5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 400.0];
/// Ticks of the measurement, and those before it.
const WINDOW: usize = 4096;
const BEFORE: usize = 300;
const RATE_HZ: f64 = 1000.0;
/// Radius of the cylinder, m, and number of its sides.
const CYLINDER_M: f64 = 0.03;
const SIDES: u32 = 48;

#[derive(Clone, Copy)]
struct Case {
    name: &'static str,
    mesh: fn() -> Result<TriMesh, MeshError>,
    radius_m: f64,
    /// True: around the z axis, across all sides of a cylinder. False: obliquely to a sphere's
    /// triangles.
    cylinder: bool,
    ball_m: f64,
    shaded: bool,
    m_s: f64,
    depth_m: f64,
}

type Mesh = (&'static str, fn() -> Result<TriMesh, MeshError>, f64, bool);

const MESHES: [Mesh; 6] = [
    (
        "sphere, R 50 mm, L/R 0.14 (default)",
        || shapes::icosphere(0.05, 3),
        0.05,
        false,
    ),
    (
        "sphere, R 50 mm, L/R 0.07",
        || shapes::icosphere(0.05, 4),
        0.05,
        false,
    ),
    (
        "sphere, R 50 mm, L/R 0.035",
        || shapes::icosphere(0.05, 5),
        0.05,
        false,
    ),
    (
        "sphere, R 20 mm, L/R 0.14",
        || shapes::icosphere(0.02, 3),
        0.02,
        false,
    ),
    (
        "sphere, R 20 mm, L/R 0.07",
        || shapes::icosphere(0.02, 4),
        0.02,
        false,
    ),
    (
        "cylinder, R 30 mm, 48 sides (default)",
        || shapes::cylinder(CYLINDER_M, 0.05, SIDES),
        CYLINDER_M,
        true,
    ),
];

/// Fourier transform in place; the length is a power of two.
fn transformed(values: &mut [(f64, f64)]) {
    let count = values.len();
    if count < 2 {
        return;
    }
    let mut even: Vec<_> = values.iter().step_by(2).copied().collect();
    let mut odd: Vec<_> = values.iter().skip(1).step_by(2).copied().collect();
    transformed(&mut even);
    transformed(&mut odd);
    for (k, ((a, b), (c, d))) in even.iter().zip(&odd).enumerate() {
        let (sin, cos) = (-TAU * k as f64 / count as f64).sin_cos();
        let (re, im) = (c * cos - d * sin, c * sin + d * cos);
        values[k] = (a + re, b + im);
        values[k + count / 2] = (a - re, b - im);
    }
}

/// Returns the RMS of a signal within each band, through a Hann window.
fn in_bands(signal: &[f64]) -> [f64; BANDS_HZ.len() - 1] {
    let count = signal.len() as f64;
    // The window's mean square is 3/8.
    let mut values: Vec<_> = signal
        .iter()
        .enumerate()
        .map(|(k, x)| (x * (0.5 - 0.5 * (TAU * k as f64 / count).cos()), 0.0))
        .collect();
    transformed(&mut values);
    let mut bands = [0.0; BANDS_HZ.len() - 1];
    for (k, (re, im)) in values.iter().enumerate().take(signal.len() / 2).skip(1) {
        let hz = k as f64 * RATE_HZ / count;
        let band = BANDS_HZ.windows(2).position(|b| (b[0]..b[1]).contains(&hz));
        if let Some(band) = band {
            bands[band] += 2.0 * (re * re + im * im) / (count * count) / 0.375;
        }
    }
    bands.map(f64::sqrt)
}

/// Returns the RMS across the true force in each band, N, of both directions together.
fn felt(case: &Case, mutant: bool) -> Result<[f64; BANDS_HZ.len() - 1], Failure> {
    let mesh = (case.mesh)().map_err(|e| Failure::Run(e.to_string()))?;
    // Planted fault: what should be shaded is rendered as its mesh.
    let shaded = case.shaded && !mutant;
    let mut bench = bench_at(&mesh, Pose::identity(), case.ball_m, shaded, false)?;
    let axis = if case.cylinder {
        Vec3::z()
    } else {
        Vec3::new(0.31, 0.87, 0.11).normalize()
    };
    let from = axis.cross(&Vec3::new(0.2, 0.1, 1.0)).normalize();
    let axis = nalgebra::Unit::new_unchecked(axis);
    let out_m = case.radius_m + out_m(case.ball_m);
    let mut signals = [Vec::new(), Vec::new()];
    for tick in 0..BEFORE + WINDOW {
        let t = tick as f64 / RATE_HZ;
        let deep = (2.0 * tick as f64 / BEFORE as f64 - 1.0).min(1.0) * case.depth_m;
        let out = Quat::from_axis_angle(&axis, case.m_s / case.radius_m * t) * from;
        let hand = out * (out_m - deep);
        let outcome = bench.tick(&Pose::translation(hand.x, hand.y, hand.z)).0;
        if tick >= BEFORE {
            let force = outcome.wrench.force_n;
            signals[0].push(force.dot(&axis.cross(&out)));
            signals[1].push(force.dot(&axis));
        }
    }
    let [along, across] = signals.map(|signal| in_bands(&signal));
    Ok(std::array::from_fn(|k| along[k].hypot(across[k])))
}

/// Runs this part of the experiment.
pub fn part(context: &Context) -> Result<Part, Failure> {
    let mut cases = Vec::new();
    for (name, mesh, radius_m, cylinder) in MESHES {
        for (m_s, depth_m) in [(0.02, 0.002), (0.1, 0.004), (0.3, 0.004)] {
            for ball_m in [0.0, 0.001, 0.005] {
                for shaded in [false, true] {
                    // Only plain cylinders are tested against theory, which is for a point. At the
                    // lowest speed the facets are below the first octave.
                    let is_asked = !cylinder || (!shaded && ball_m == 0.0 && m_s > 0.05);
                    let is_quick = m_s == 0.1 && ball_m <= 0.001 && radius_m > 0.02;
                    if is_asked && (ball_m > 0.0 || cylinder) && (!context.quick || is_quick) {
                        cases.push(Case {
                            name,
                            mesh,
                            radius_m,
                            cylinder,
                            ball_m,
                            shaded,
                            m_s,
                            depth_m,
                        });
                    }
                }
            }
        }
    }
    let found: Vec<_> = cases
        .par_iter()
        .map(|case| felt(case, context.mutant))
        .collect::<Result<_, _>>()?;
    let (mut shaded_n, mut plain_n, mut saw) = (0.0_f64, 0.0_f64, 0.0_f64);
    let mut rows = Vec::new();
    for (case, bands) in cases.iter().zip(&found) {
        let whole_n = bands.iter().map(|n| n * n).sum::<f64>().sqrt();
        let how = if case.shaded { "shaded" } else { "plain" };
        let name = format!(
            "ripple: {}, ball {} mm, {how}, {} mm/s, {} mm deep",
            case.name,
            1e3 * case.ball_m,
            1e3 * case.m_s,
            1e3 * case.depth_m
        );
        let mut bar = serde_json::Value::Null;
        if case.cylinder {
            let said_n = STIFFNESS * case.depth_m * TAU / f64::from(SIDES) / 12.0_f64.sqrt();
            saw = saw.max((whole_n / said_n - 1.0).abs());
            bar = (1e3 * said_n).into();
        } else if case.shaded {
            shaded_n = shaded_n.max(whole_n);
            bar = (1e3 * SHADED_N).into();
        } else {
            plain_n = plain_n.max(whole_n);
        }
        rows.push(
            Row::new(name, "mN, RMS", bar, 1e3 * whole_n)
                .with("octaves from 5 Hz, mN", bands.map(|n| 1e3 * n).to_vec()),
        );
    }
    Ok(Part {
        rows,
        holds: shaded_n < SHADED_N && saw <= SAW,
        said: format!(
            "ripple of shaded spheres {:.2e} mN (1 mN; as meshes {:.0} mN), of facets {:.0} % off theory (20 %)",
            1e3 * shaded_n,
            1e3 * plain_n,
            1e2 * saw
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sine_is_in_its_octave_with_its_rms() {
        let sine = (0..WINDOW).map(|k| 0.3 * (TAU * 57.3 * k as f64 / RATE_HZ).sin());
        let bands = in_bands(&sine.collect::<Vec<_>>());
        for (k, rms) in bands.iter().enumerate() {
            let wanted = if k == 3 { 0.3 / 2.0_f64.sqrt() } else { 0.0 };
            assert!((rms - wanted).abs() < 1e-4, "{bands:?}");
        }
    }
}
