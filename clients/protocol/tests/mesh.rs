//! The mesh file reads back as written, and no bytes cause harm.

use hapticd_protocol::mesh::{MESH_HEADER_BYTES, Mesh, MeshError, Precision};
use proptest::prelude::*;

fn tetrahedron() -> Mesh {
    Mesh {
        positions: vec![
            [0.0, 0.0, 0.0],
            [0.1, 0.0, 0.0],
            [0.0, 0.1, 0.0],
            [0.0, 0.0, 0.1],
            [1.0 / 3.0, -2.0, 1e4],
        ],
        triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
    }
}

#[test]
fn double_precision_is_exact_and_single_is_rounded() {
    let mesh = tetrahedron();
    assert_eq!(
        Mesh::decode(&mesh.encode(Precision::Double).unwrap()),
        Ok(mesh.clone())
    );
    let rounded = Mesh::decode(&mesh.encode(Precision::Single).unwrap()).unwrap();
    assert_eq!(rounded.triangles, mesh.triangles);
    for (a, b) in rounded
        .positions
        .iter()
        .flatten()
        .zip(mesh.positions.iter().flatten())
    {
        assert_eq!(*a, f64::from(*b as f32));
    }
}

#[test]
fn the_file_is_at_its_published_bytes() {
    let mesh = Mesh {
        positions: vec![[1.0, 2.0, 3.0]; 3],
        triangles: vec![[0, 1, 2]],
    };
    let bytes = mesh.encode(Precision::Single).unwrap();
    // 32 + 9 * 4 = 68, padded to 72, and 12.
    assert_eq!(bytes.len(), 84);
    assert_eq!(&bytes[..8], b"HAPTMESH");
    assert_eq!(
        bytes[8..32],
        [
            1, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
        ]
    );
    assert_eq!(bytes[32..36], 1_f32.to_le_bytes());
    assert_eq!(bytes[68..72], [0; 4]);
    assert_eq!(bytes[72..], [0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
}

#[test]
fn a_mesh_without_anything_is_a_mesh_file() {
    let empty = Mesh {
        positions: vec![],
        triangles: vec![],
    };
    assert_eq!(
        Mesh::decode(&empty.encode(Precision::Double).unwrap()),
        Ok(empty)
    );
}

#[test]
fn every_defect_is_named() {
    let good = tetrahedron().encode(Precision::Double).unwrap();
    let with = |at: usize, value: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + value.len()].copy_from_slice(value);
        Mesh::decode(&bytes).unwrap_err()
    };
    assert_eq!(Mesh::decode(&good[..31]), Err(MeshError::NotAMesh));
    assert_eq!(with(0, b"X"), MeshError::NotAMesh);
    assert_eq!(
        with(8, &[2]),
        MeshError::Unknown {
            version: 2,
            coordinate_bytes: 8
        }
    );
    assert_eq!(
        with(12, &[5]),
        MeshError::Unknown {
            version: 1,
            coordinate_bytes: 5
        }
    );
    assert_eq!(with(24, &[1]), MeshError::Reserved);
    for counts in [[6_u32, 4], [5, 5], [u32::MAX, u32::MAX], [0, 0]] {
        let bytes: Vec<u8> = counts
            .iter()
            .flat_map(|count| count.to_le_bytes())
            .collect();
        assert!(
            matches!(with(16, &bytes), MeshError::Length { .. }),
            "{counts:?}"
        );
    }
    assert!(matches!(
        Mesh::decode(&good[..good.len() - 1]),
        Err(MeshError::Length { .. })
    ));
    for bad in [f64::NAN, f64::INFINITY, 1.0001e4, -1.0001e4] {
        let refused = with(MESH_HEADER_BYTES + 8 * 4, &bad.to_le_bytes());
        assert!(
            matches!(refused, MeshError::Coordinate { vertex: 1, .. }),
            "{refused}"
        );
    }
    let triangles_at = MESH_HEADER_BYTES + 5 * 24;
    assert_eq!(
        with(triangles_at + 16, &[5]),
        MeshError::Index {
            triangle: 1,
            index: 5,
            vertices: 5
        }
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = Mesh::decode(&bytes);
    }

    #[test]
    fn damaged_files_are_refused_or_valid(at in any::<prop::sample::Index>(), value in any::<u8>()) {
        let mut bytes = tetrahedron().encode(Precision::Single).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = value;
        if let Ok(mesh) = Mesh::decode(&bytes) {
            prop_assert!(mesh.positions.iter().flatten().all(|value| value.abs() <= 1e4));
            prop_assert!(mesh.triangles.iter().flatten().all(|index| (*index as usize) < mesh.positions.len()));
        }
    }
}
