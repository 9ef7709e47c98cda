//! Meshes of all kinds, and how they move.

use hapticd_ccd::MeshIndex;
use hapticd_ccd::moving::{Motion, MovingBody};
use hapticd_geometry::{Vec3, shapes};

pub fn zoo() -> Vec<MeshIndex> {
    [
        shapes::cuboid(&Vec3::new(0.3, 0.2, 0.1)),
        shapes::icosphere(0.25, 2),
        shapes::torus(0.3, 0.1, 12, 6),
        shapes::plate(0.4, 0.3, 0.001),
        shapes::sheet(0.3, 2),
    ]
    .into_iter()
    .map(|m| MeshIndex::new(m.expect("valid")))
    .collect()
}

pub fn body<'a>(shape: &'a MeshIndex, motion: &'a Motion) -> MovingBody<'a> {
    MovingBody {
        shape,
        motion,
        radius_m: 0.0,
    }
}
