//! Shared by the tests: numbers, oracles and an independent screw from the crates of these methods,
//! and reference vectors.
#![allow(dead_code, unused_imports)]

use hapticd_geometry::{Screw, Vec3};

#[path = "../../../ccd/tests/common/mod.rs"]
mod ccd;
#[path = "../../../kinetic/tests/common/mod.rs"]
pub mod kinetic;

pub use ccd::*;

/// A screw about z through the origin.
pub fn about_z(angle: f64, translation: f64) -> Screw {
    Screw {
        angle,
        translation,
        point: Vec3::zeros(),
        axis: Vec3::z(),
    }
}

/// Reference vector V2: a screw of 1 rad and -1 m along z moves a vertex onto a face.
pub fn vertex_and_face() -> ([Vec3; 3], [Vec3; 3]) {
    let face = [
        Vec3::new(0.0, 0.0, 0.4),
        Vec3::new(2.0, 0.0, 0.4),
        Vec3::new(0.0, 2.0, 0.6),
    ];
    ([Vec3::new(1.0, 0.0, 1.0); 3], face)
}

/// Reference vector V3: a screw of 1.2 rad and 0.5 m along z moves an edge onto another.
pub fn two_edges() -> ([Vec3; 3], [Vec3; 3]) {
    let moving = [
        Vec3::new(1.0, -0.5, 0.0),
        Vec3::new(1.0, 0.5, 0.2),
        Vec3::zeros(),
    ];
    let standing = [
        Vec3::new(0.3, 0.9, -1.0),
        Vec3::new(0.8, 0.8, 1.5),
        Vec3::zeros(),
    ];
    (moving, standing)
}
