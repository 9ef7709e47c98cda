//! The estimated cost of a mesh covers what is allocated for it, and is bounded by the length of
//! its file.

use hapticd_audit::Solid;
use hapticd_counting::{Counting, held};
use hapticd_geometry::{Pose, TriMesh, Vec3, shapes};
use hapticd_ipc::memory_quota::Cost;
use hapticd_scene::{BodyKind, BodySpec, Shape};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Returns triangles that share no vertex.
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

/// Maximum number of bytes allocated per byte of a mesh in single precision, with rays or without.
const MAX_RESIDENT: f64 = 12.0;
/// Maximum estimate with deformable bodies, and so with rays.
const MAX_ESTIMATE_WITH_RAYS: f64 = 13.0;

fn meshes() -> [(&'static str, TriMesh); 5] {
    [
        ("ball", shapes::icosphere(0.5, 6).unwrap()),
        (
            "ground",
            shapes::terrain([0.5, 0.5], 120, 0.1, 0.2, 3).unwrap(),
        ),
        ("ring", shapes::torus(0.5, 0.1, 300, 100).unwrap()),
        ("sheet", shapes::sheet(0.5, 150).unwrap()),
        ("soup", soup(20_000)),
    ]
}

/// Bytes that are kept of a mesh as a body, by part.
struct Parts {
    mesh: u64,
    /// Adjacency, boxes and other data of the queries, and what the dynamics know of the body.
    index: u64,
    checker: u64,
    rays: u64,
    /// The mesh that clients are shown is a separate file.
    file: u64,
}

impl Parts {
    /// Measures by allocating what the importer and the checker do.
    fn of(mesh: &TriMesh, deformable: bool) -> Self {
        let (copy, of_mesh) = held(|| mesh.clone());
        let (shape, of_index) = held(|| Shape::of(copy).0);
        let shared = shape.index.mesh().unwrap().clone();
        let (checked, of_checker) = held(|| Solid::of(shared));
        let spec = BodySpec {
            name: String::new(),
            kind: BodyKind::Static,
            solid: shape.closed,
            shape,
            world_from_body: Pose::identity(),
            material: hapticd_proxy::Material::DEFAULT,
            restitution: 0.0,
            density_kg_m3: 1000.0,
        };
        // Not every mesh suits rays; those that do not cost less.
        let (_, of_rays) = held(|| deformable.then(|| spec.soft_shape().is_ok()));
        drop((spec, checked));
        let bytes = |now: i64| u64::try_from(now).unwrap();
        Self {
            mesh: bytes(of_mesh.now),
            index: bytes(of_index.now),
            checker: bytes(of_checker.now),
            rays: bytes(of_rays.now),
            file: 12 * (mesh.positions().len() + mesh.triangles().len()) as u64,
        }
    }

    fn resident(&self) -> u64 {
        self.mesh + self.index + self.checker + self.rays + self.file
    }

    /// Returns the bytes per byte of a file in single precision.
    fn share(&self) -> f64 {
        self.resident() as f64 / self.file as f64
    }
}

fn counts(mesh: &TriMesh) -> (u32, u32) {
    (mesh.positions().len() as u32, mesh.triangles().len() as u32)
}

#[test]
fn the_estimate_covers_what_is_allocated() {
    for (name, mesh) in meshes() {
        let (vertices, triangles) = counts(&mesh);
        for deformable in [false, true] {
            let cost = Cost::of(vertices, triangles, deformable);
            let parts = Parts::of(&mesh, deformable);
            let resident = parts.resident();
            let each = |bytes: u64| bytes as f64 / f64::from(triangles);
            let parts = format!(
                "{name}, soft {deformable}: {resident} of {cost:?}; bytes a triangle: mesh {:.1}, index {:.1}, \
                 checker {:.1}, rays {:.1}, shown {:.1}; {:.2} a byte of mesh",
                each(parts.mesh),
                each(parts.index),
                each(parts.checker),
                each(parts.rays),
                each(parts.file),
                parts.share(),
            );
            let of_estimate = resident as f64 / cost.resident as f64;
            assert!(resident <= cost.resident, "{parts}");
            assert!(of_estimate > 0.5, "{parts}");
        }
    }
}

/// Checks the bounds of what each mesh really takes, and of its estimate, as multiples of its file.
fn is_bounded(deformable: bool, most_estimated: f64) {
    for (name, mesh) in meshes() {
        let (vertices, triangles) = counts(&mesh);
        let parts = Parts::of(&mesh, deformable);
        let estimate = Cost::of(vertices, triangles, deformable).resident;
        let of_estimate = estimate as f64 / parts.file as f64;
        assert!(parts.share() <= MAX_RESIDENT, "{name}: {}", parts.share());
        assert!(of_estimate <= most_estimated, "{name}: {of_estimate}");
    }
}

#[test]
fn a_body_takes_twelve_bytes_a_byte_of_mesh_at_most() {
    is_bounded(false, MAX_RESIDENT);
}

#[test]
fn with_rays_a_body_takes_no_more_than_that() {
    is_bounded(true, MAX_ESTIMATE_WITH_RAYS);
}
