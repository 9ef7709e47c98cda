//! The test door of E13 to E17, ready for queries.

use hapticd_ccd::MeshIndex;

use crate::experiment::Failure;
use crate::models;

/// The door.
pub fn door() -> Result<MeshIndex, Failure> {
    models::test_door().map(MeshIndex::new)
}

/// What reports say of it.
pub const NOTE: &str = "door: surrogate of two curved sheets 30 mm apart with a crease, a rib and a rim, 3,524 triangles, 7,047 boxes (the original: 7,059)";
