//! The importer: makes a body for the scene from a client's mesh file. It runs on a separate
//! thread, because it reads, checks, sorts and builds trees for as long as a large mesh needs, and
//! no thread waits for it.

use super::{
    Refusal,
    hub::{Import, Imported, scene_kind},
    memory_quota::{Cost, Ledger},
    shapes::{ShapeFile, ShapeFileError},
};
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, load::cleaned};
use hapticd_protocol::{
    mesh::{MESH_HEADER_BYTES, Mesh, MeshError},
    reply::ErrorCode,
    request::AddBody,
};
use hapticd_proxy::Material;
use hapticd_scene::BodySpec;
use hapticd_sys::sealed_file::{FileError, read_start, sealed_length};
use std::os::fd::AsFd;

/// Reads the file, checks the mesh and indexes it. `soft`: also prepares the shape for soft bodies,
/// so that their thread does not have to. Whether they can meet it does not matter to the client.
///
/// Reserves the memory for everything made from the mesh before allocating any of it.
pub(super) fn import<F: AsFd>(
    job: &Import<F>,
    deformable: bool,
    ledger: &mut Ledger,
) -> Result<Imported, Refusal> {
    let refused = |error: FileError| match &error {
        FileError::NotSealable { .. } | FileError::Unsealed { .. } => {
            Refusal::text(ErrorCode::InvalidDescriptor, error.to_string())
        }
        FileError::TooLong { bytes, limit } => {
            Refusal::new(ErrorCode::MeshTooLarge, *bytes, *limit)
        }
        // Not opened for reading: the sender's fault. Any other error is a shortage of this
        // process.
        FileError::System { source, .. } if source.kind() != std::io::ErrorKind::OutOfMemory => {
            Refusal::text(ErrorCode::InvalidDescriptor, error.to_string())
        }
        FileError::System { .. } => Refusal::text(ErrorCode::Internal, error.to_string()),
    };
    let bad = |error: MeshError| Refusal::text(ErrorCode::InvalidMesh, error.to_string());
    let length = sealed_length(&job.file, job.limit_bytes).map_err(refused)?;
    let header = read_start(&job.file, length.min(MESH_HEADER_BYTES)).map_err(refused)?;
    let (vertices, triangles) = Mesh::counts(&header, length as u64).map_err(bad)?;
    let cost = Cost::of(vertices, triangles, deformable);
    ledger.check(job.client, cost)?;
    let bytes = read_start(&job.file, length).map_err(refused)?;
    let mesh = Mesh::decode(&bytes).map_err(bad)?;
    drop(bytes);
    let imported = body(&job.request, mesh, length as u64)?;
    ledger.note(job.client, cost, &imported.spec.shape.index);
    if deformable {
        // The soft bodies ask again, and then report the error.
        let _ = imported.spec.soft_shape();
    }
    Ok(imported)
}

fn body(request: &AddBody, mesh: Mesh, mesh_bytes: u64) -> Result<Imported, Refusal> {
    let positions = mesh.positions.into_iter().map(Vec3::from).collect();
    let invalid =
        |error: &dyn std::fmt::Display| Refusal::text(ErrorCode::InvalidMesh, error.to_string());
    let mesh = TriMesh::new(positions, mesh.triangles).map_err(|error| invalid(&error))?;
    // As a file's. A mesh that needs nothing of it keeps the order of its vertices.
    let clean = cleaned(&mesh).map_err(|error| invalid(&error))?.mesh;
    let sizes = |mesh: &TriMesh| (mesh.positions().len(), mesh.triangles().len());
    let mesh = if sizes(&mesh) == sizes(&clean) {
        mesh
    } else {
        clean
    };
    let kind = scene_kind(request.kind)?;
    let file = ShapeFile::new(&mesh).map_err(|error| {
        let code = match error {
            ShapeFileError::Mesh(_) => ErrorCode::InvalidMesh,
            ShapeFileError::File(_) => ErrorCode::Internal,
        };
        Refusal::text(code, error.to_string())
    })?;
    let (shape, report) = hapticd_scene::Shape::of(mesh);
    if request.solid && !(report.closed && report.oriented) {
        let detail = format!(
            "a solid body's mesh must be closed and outward: {}",
            report.defects()
        );
        return Err(Refusal::text(ErrorCode::InvalidMesh, detail));
    }
    let [x, y, z, w] = request.world_from_body.rotation_xyzw;
    let rotation = Quat::new_normalize(nalgebra::Quaternion::new(w, x, y, z));
    let triangles = u32::try_from(report.triangles).unwrap_or(u32::MAX);
    let spec = BodySpec {
        name: request.name.as_str().to_owned(),
        kind,
        shape,
        solid: request.solid,
        world_from_body: Pose::from_parts(
            Vec3::from(request.world_from_body.translation_m).into(),
            rotation,
        ),
        material: Material {
            stiffness_n_per_m: request.stiffness_n_per_m.0,
            damping_n_s_per_m: request.damping_n_s_per_m.0,
            friction: request.friction.0,
            force_shading: false,
        },
        restitution: request.restitution.0,
        density_kg_m3: request.density_kg_m3.0,
    };
    Ok(Imported {
        spec: Box::new(spec),
        mesh_bytes,
        triangles,
        file,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ClientId;
    use hapticd_protocol::{
        mesh::Precision,
        text::Name,
        wire::{NonNegative, Pose as WirePose},
    };
    use hapticd_sys::sealed_file::{create_sealed, read_sealed};
    use std::os::fd::OwnedFd;

    fn request(solid: bool) -> AddBody {
        AddBody {
            name: Name::new("tetrahedron").unwrap(),
            world_from_body: WirePose {
                translation_m: [1.0, 2.0, 3.0],
                ..WirePose::IDENTITY
            },
            stiffness_n_per_m: NonNegative(500.0),
            damping_n_s_per_m: NonNegative(1.0),
            friction: NonNegative(0.0),
            restitution: NonNegative(0.0),
            density_kg_m3: NonNegative(1000.0),
            kind: hapticd_protocol::request::BodyKind::Kinematic,
            solid,
        }
    }

    fn tetrahedron() -> Mesh {
        Mesh {
            positions: vec![
                [0.0, 0.0, 0.0],
                [0.1, 0.0, 0.0],
                [0.0, 0.1, 0.0],
                [0.0, 0.0, 0.1],
            ],
            triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        }
    }

    fn run(file: OwnedFd, solid: bool, limit_bytes: u64) -> Result<Imported, ErrorCode> {
        import(
            &Import {
                token: 1,
                client: ClientId(1),
                request: request(solid),
                file,
                limit_bytes,
            },
            true,
            &mut Ledger::new(0),
        )
        .map_err(|refusal| refusal.code)
    }

    fn file(mesh: &Mesh) -> OwnedFd {
        create_sealed("hapticd-test", &mesh.encode(Precision::Single).unwrap()).unwrap()
    }

    #[test]
    fn a_closed_mesh_becomes_a_solid_body() {
        let imported = run(file(&tetrahedron()), true, 1000).unwrap();
        assert_eq!((imported.triangles, imported.mesh_bytes), (4, 32 + 48 + 48));
        assert_eq!(imported.spec.name, "tetrahedron");
        assert_eq!(imported.spec.kind, hapticd_scene::BodyKind::Kinematic);
        assert_eq!(
            imported.spec.world_from_body.translation.vector,
            Vec3::new(1.0, 2.0, 3.0)
        );
        assert_eq!(imported.spec.material.stiffness_n_per_m, 500.0);
        assert!(imported.spec.shape.closed);
        let shown = read_sealed(imported.file.descriptor(), 1000).unwrap();
        assert_eq!(Mesh::decode(&shown).unwrap().triangles.len(), 4);
    }

    #[test]
    fn an_open_mesh_is_no_solid_but_may_be_a_sheet() {
        let mut open = tetrahedron();
        open.triangles.pop();
        assert_eq!(
            run(file(&open), true, 1000).err(),
            Some(ErrorCode::InvalidMesh)
        );
        assert_eq!(run(file(&open), false, 1000).unwrap().triangles, 3);
    }

    /// As a renderer holds it: each triangle with corners of its own, some triangles without area,
    /// and a vertex that none uses.
    #[test]
    fn a_clients_mesh_is_cleaned_as_a_files() {
        let sound = tetrahedron();
        let corner = |v: &u32| sound.positions[*v as usize];
        let mut soup: Vec<_> = sound.triangles.iter().flatten().map(corner).collect();
        soup.extend([
            [0.0, 0.0, 0.0],
            [0.1, 0.0, 0.0],
            [0.1, 0.0, 0.0],
            [9.0, 9.0, 9.0],
        ]);
        let triangles = (0..5).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        let soup = Mesh {
            positions: soup,
            triangles,
        };
        let imported = run(file(&soup), true, 1000).unwrap();
        assert_eq!(imported.triangles, 4);
        let shown = read_sealed(imported.file.descriptor(), 1000).unwrap();
        let shown = Mesh::decode(&shown).unwrap();
        assert_eq!((shown.positions.len(), shown.triangles.len()), (4, 4));
        let flat = Mesh {
            triangles: vec![[0, 1, 1]],
            ..tetrahedron()
        };
        let refused = run(file(&flat), false, 1000).err();
        assert_eq!(refused, Some(ErrorCode::InvalidMesh));
    }

    #[test]
    fn an_inside_out_mesh_is_no_solid() {
        let mut inverted = tetrahedron();
        for triangle in &mut inverted.triangles {
            triangle.swap(0, 1);
        }
        assert_eq!(
            run(file(&inverted), true, 1000).err(),
            Some(ErrorCode::InvalidMesh)
        );
    }

    #[test]
    fn files_that_are_not_meshes_are_refused_by_fault() {
        assert_eq!(
            run(file(&tetrahedron()), true, 127).err(),
            Some(ErrorCode::MeshTooLarge)
        );
        let garbage = create_sealed("hapticd-test", &[7; 100]).unwrap();
        assert_eq!(run(garbage, true, 1000).err(), Some(ErrorCode::InvalidMesh));
        let folder = std::fs::File::open("/").unwrap().into();
        assert_eq!(
            run(folder, true, 1000).err(),
            Some(ErrorCode::InvalidDescriptor)
        );
        let empty = Mesh {
            positions: vec![],
            triangles: vec![],
        };
        assert_eq!(
            run(file(&empty), false, 1000).err(),
            Some(ErrorCode::InvalidMesh)
        );
    }
}
