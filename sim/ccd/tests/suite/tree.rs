//! Building hierarchies: any number of threads, memory, saving.

use hapticd_ccd::{MeshIndex, ObbTree};
use hapticd_geometry::{TriMesh, Vec3, shapes};

#[test]
fn any_number_of_threads_builds_the_same() {
    for mesh in [
        shapes::terrain([0.5, 0.5], 80, 0.02, 0.05, 3),
        shapes::torus(0.3, 0.1, 90, 60),
        shapes::sheet(1.0, 1),
    ] {
        let mesh = mesh.expect("valid");
        let one = ObbTree::new(&mesh);
        let (low, high) = mesh.bounds();
        assert_eq!(one.validate(&mesh, 1e-14 * (high - low).norm()), Ok(()));
        for threads in [0, 2, 3, 7, 64] {
            assert_eq!(ObbTree::with_threads(&mesh, threads), one, "{threads}");
        }
    }
}

#[test]
fn a_tree_takes_64_bytes_a_triangle() {
    let mesh = shapes::torus(0.3, 0.1, 90, 60).expect("valid");
    let tree = ObbTree::new(&mesh);
    let a_triangle = tree.memory_bytes() / mesh.triangles().len();
    assert_eq!(a_triangle, 64);
}

/// Many triangles with one centroid, in a line, in a plane, without area: the tree does not get
/// deep.
#[test]
fn heaps_of_equal_triangles_are_cut_somewhere() {
    let fan: Vec<[u32; 3]> = (0..500).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let spread = |f: &dyn Fn(u32) -> Vec3| {
        TriMesh::new((0..1500).map(f).collect(), fan.clone()).expect("valid")
    };
    let corner = |i: u32| [Vec3::x(), Vec3::y(), Vec3::z()][i as usize % 3];
    for mesh in [
        spread(&|i| corner(i)),
        spread(&|i| Vec3::x() * f64::from(i)),
        spread(&|_| Vec3::repeat(0.3)),
        spread(&|i| corner(i) * 2f64.powi(-(i as i32 / 3))),
    ] {
        let tree = ObbTree::new(&mesh);
        assert_eq!(tree.validate(&mesh, 1e-9), Ok(()));
        assert!(tree.depth() < 60, "{}", tree.depth());
    }
}

/// A saved hierarchy works like a newly built one.
#[test]
fn an_index_over_a_saved_tree() {
    let mesh = shapes::torus(0.3, 0.1, 20, 10).expect("valid");
    let bytes = ObbTree::new(&mesh).to_bytes(&mesh);
    let tree = ObbTree::from_bytes(&bytes, &mesh).expect("just written");
    let built = MeshIndex::new(mesh.clone());
    let loaded = MeshIndex::with_tree(mesh.clone(), tree.clone()).expect("of this mesh");
    assert_eq!(loaded.tree(), built.tree());
    let other = shapes::torus(0.3, 0.1, 20, 11).expect("valid");
    assert!(MeshIndex::with_tree(other, tree).is_err());
}
