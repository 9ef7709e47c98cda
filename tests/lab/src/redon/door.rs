//! The test door of E13 to E17, prepared for queries.

use hapticd_ccd::MeshIndex;

use crate::experiment::Failure;
use crate::models;

/// Returns the door.
pub fn door() -> Result<MeshIndex, Failure> {
    models::test_door().map(MeshIndex::new)
}

/// Returns the number of boxes of its tree.
pub fn boxes(door: &MeshIndex) -> usize {
    door.tree().map_or(0, |tree| tree.nodes().len())
}

/// Returns its description for reports.
pub fn note(door: &MeshIndex) -> String {
    let triangles = door.mesh().map_or(0, |mesh| mesh.triangles().len());
    format!(
        "door: surrogate of two curved sheets 30 mm apart with a crease, a rib and a rim, \
         {triangles} triangles, {} boxes (the original: 7,059)",
        boxes(door)
    )
}
