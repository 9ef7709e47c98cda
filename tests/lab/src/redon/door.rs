//! The test door of E13 to E17, prepared for queries.

use hapticd_ccd::MeshIndex;

use crate::experiment::Failure;
use crate::models;

/// Returns the door.
pub fn door() -> Result<MeshIndex, Failure> {
    models::test_door().map(MeshIndex::new)
}

/// Description of the door in reports.
pub const NOTE: &str = "door: surrogate of two curved sheets 30 mm apart with a crease, a rib and a rim, 3,524 triangles, 7,047 boxes (the original: 7,059)";
