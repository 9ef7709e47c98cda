//! Refinement: the same surface with more points, for bodies that bend.
//!
//! Every triangle is split into four at the midpoints of its edges, all alike, so that nothing
//! opens and nothing moves. Deterministic; allocates.

use std::collections::HashMap;

use crate::{MeshError, TriMesh};

/// Splits all triangles into four until no edge is longer than `longest_m`. The old points keep
/// their indices.
///
/// # Errors
/// [`MeshError::TooMany`] if that takes more triangles than a mesh may have, or if `longest_m` is
/// not a positive number.
pub fn refined(mesh: &TriMesh, longest_m: f64) -> Result<TriMesh, MeshError> {
    let mut now = mesh.clone();
    loop {
        let positions = now.positions();
        let edges = (now.triangles().iter()).flat_map(|[a, b, c]| [(*a, *b), (*b, *c), (*c, *a)]);
        let longest = edges
            .map(|(a, b)| (positions[a as usize] - positions[b as usize]).norm())
            .fold(0.0, f64::max);
        // Not `longest > longest_m`, so that NaN and zero run into the limit instead of looping
        // forever.
        if longest <= longest_m {
            return Ok(now);
        }
        let count = 4 * now.triangles().len();
        if !(longest_m > 0.0) || count > crate::mesh::MAX_TRIANGLES {
            return Err(MeshError::TooMany {
                what: "triangles",
                count,
                limit: crate::mesh::MAX_TRIANGLES,
            });
        }
        now = quartered(&now)?;
    }
}

fn quartered(mesh: &TriMesh) -> Result<TriMesh, MeshError> {
    let mut positions = mesh.positions().to_vec();
    let mut middles: HashMap<(u32, u32), u32> = HashMap::new();
    let mut triangles = Vec::with_capacity(4 * mesh.triangles().len());
    for &[a, b, c] in mesh.triangles() {
        let [ab, bc, ca] = [(a, b), (b, c), (c, a)].map(|(i, j)| {
            *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                let middle = (positions[i as usize] + positions[j as usize]) / 2.0;
                positions.push(middle);
                positions.len() as u32 - 1
            })
        });
        triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    TriMesh::new(positions, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adjacency, MeshReport, Vec3, shapes};

    #[test]
    fn a_finer_cuboid_is_the_same_solid() {
        let coarse = shapes::cuboid(&Vec3::new(0.03, 0.02, 0.01)).unwrap();
        let fine = refined(&coarse, 0.006).unwrap();
        let report = MeshReport::of(&fine, &Adjacency::new(&fine));
        assert!(report.closed && report.oriented, "{report:?}");
        let volume = 8.0 * 0.03 * 0.02 * 0.01;
        assert!((report.signed_volume_m3 - volume).abs() < 1e-12 * volume);
        // The longest edge is the diagonal of the largest face, 72 mm: four splits.
        assert_eq!(fine.triangles().len(), 12 * 256);
        assert_eq!(fine.positions()[..8], coarse.positions()[..]);
    }

    #[test]
    fn what_cannot_be_fine_enough_is_refused() {
        let mesh = shapes::cuboid(&Vec3::repeat(0.1)).unwrap();
        for longest in [0.0, f64::NAN, -1.0, 1e-7] {
            assert!(refined(&mesh, longest).is_err(), "{longest}");
        }
    }
}
