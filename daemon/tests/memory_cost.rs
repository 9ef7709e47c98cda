//! What a mesh is estimated to cost is what is allocated for it, and never less.

use hapticd::ipc::memory_quota::Cost;
use hapticd_audit::Solid;
use hapticd_counting::{Counting, held};
use hapticd_geometry::{Pose, TriMesh, Vec3, shapes};
use hapticd_world::{BodyKind, BodySpec, Shape};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Triangles that share nothing.
fn soup(count: u32) -> TriMesh {
    let corner = |k: u32| {
        let t = f64::from(k / 3);
        let at = Vec3::new((0.7 * t).sin(), (1.3 * t).cos(), (0.3 * t).sin());
        at + Vec3::ith((k % 3) as usize, 0.01)
    };
    let positions = (0..3 * count).map(corner).collect();
    let triangles = (0..count).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    TriMesh::new(positions, triangles).unwrap()
}

#[test]
fn the_estimate_covers_what_is_allocated() {
    for (name, mesh) in [
        ("ball", shapes::icosphere(0.5, 6).unwrap()),
        (
            "ground",
            shapes::terrain([0.5, 0.5], 120, 0.1, 0.2, 3).unwrap(),
        ),
        ("ring", shapes::torus(0.5, 0.1, 300, 100).unwrap()),
        ("sheet", shapes::sheet(0.5, 150).unwrap()),
        ("soup", soup(20_000)),
    ] {
        let counts = (mesh.positions().len() as u32, mesh.triangles().len() as u32);
        for soft in [false, true] {
            let cost = Cost::of(counts.0, counts.1, soft);
            let copy = mesh.clone();
            let ((shape, checked), held) = held(|| {
                // The importer's: positions and triangles are the mesh's own.
                let mesh = copy.clone();
                let shape = Shape::of(mesh).0;
                let spec = BodySpec {
                    name: name.to_owned(),
                    kind: BodyKind::Static,
                    solid: shape.closed,
                    shape,
                    world_from_body: Pose::identity(),
                    material: hapticd::scene::DEFAULT_MATERIAL,
                    restitution: 0.0,
                    density_kg_m3: 1000.0,
                };
                if soft {
                    // Not every mesh is one for rays; those that are not cost less.
                    let _ = spec.soft_shape();
                }
                (spec, Solid::new(&copy))
            });
            // What clients are shown is a file of its own.
            let file = 12 * u64::from(counts.0) + 12 * u64::from(counts.1);
            let resident = held.now as u64 + file;
            let of_estimate = resident as f64 / cost.resident as f64;
            assert!(resident <= cost.resident, "{name}: {resident} of {cost:?}");
            assert!(of_estimate > 0.5, "{name}: {resident} of {cost:?}");
            drop((shape, checked));
        }
    }
}
