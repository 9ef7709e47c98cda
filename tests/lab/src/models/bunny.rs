//! Stand-in for the bunny: a bumpy round body with two ears, smooth and closed.

use hapticd_geometry::{TriMesh, Vec3, shapes};

use super::meshing::mesh;
use crate::experiment::Failure;

/// Radius of the body without bumps and ears.
const BODY_M: f64 = 0.06;

/// Returns the bunny: 5,120 triangles, about 0.16 m high, the ears up z and the nose along x; the
/// reduced models of the source had about 5,000.
pub fn bunny() -> Result<TriMesh, Failure> {
    let round =
        shapes::icosphere(1.0, 4).map_err(|e| Failure::Run(format!("a surrogate model: {e}")))?;
    let positions = round.positions().iter().map(|d| d * radius(d));
    mesh(positions.collect(), round.triangles().to_vec())
}

/// Returns the distance of the surface from the middle in this direction.
fn radius(d: &Vec3) -> f64 {
    // A bump of this height about a direction, which vanishes a few times `width` (radians) away
    // from it.
    let bump = |x: f64, y: f64, z: f64, height: f64, width: f64| {
        let angle = d.angle(&Vec3::new(x, y, z));
        height * (-(angle / width).powi(2)).exp()
    };
    let ears = bump(0.1, 0.45, 1.0, 1.0, 0.2) + bump(0.1, -0.45, 1.0, 1.0, 0.2);
    let head = bump(1.0, 0.0, 0.6, 0.35, 0.45) + bump(1.0, 0.0, 0.35, 0.12, 0.15);
    let tail_and_feet = bump(-1.0, 0.0, -0.4, 0.2, 0.25)
        + bump(0.8, 0.5, -0.8, 0.25, 0.3)
        + bump(0.8, -0.5, -0.8, 0.25, 0.3);
    let fur =
        0.02 * (9.0 * d.x).sin() * (11.0 * d.y).sin() + 0.015 * (13.0 * d.z + 2.0 * d.x).sin();
    BODY_M * (1.0 + ears + head + tail_and_feet + fur)
}
