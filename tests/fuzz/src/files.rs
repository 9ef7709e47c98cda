//! Targets for meshes, volumes and recordings.

use crate::input::Input;
use hapticd_geometry::{
    TriMesh, Vec3,
    load::{Format, from_bytes},
    volume::nrrd,
};
use hapticd_protocol::mesh::{Mesh, Precision};
use hapticd_recording::Reader;

/// A mesh file; the first byte selects the format. A loaded mesh is finite and its corners exist.
pub fn mesh(data: &[u8]) {
    const FORMATS: [Format; 4] = [Format::Obj, Format::Stl, Format::Ply, Format::Gltf];
    let mut input = Input::new(data);
    let format = FORMATS[usize::from(input.byte()) % FORMATS.len()];
    match from_bytes(input.rest(), format, "fuzz") {
        Ok(loaded) => sound(&loaded.mesh),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A client's mesh. A decoded mesh encodes to bytes that decode to the same mesh.
pub fn haptmesh(data: &[u8]) {
    let Ok(mesh) = Mesh::decode(data) else { return };
    let bytes = mesh.encode(Precision::Double).unwrap();
    assert_eq!(Mesh::decode(&bytes).unwrap(), mesh);
    let positions = mesh.positions.into_iter().map(Vec3::from).collect();
    if let Ok(mesh) = TriMesh::new(positions, mesh.triangles) {
        sound(&mesh);
    }
}

fn sound(mesh: &TriMesh) {
    let positions = mesh.positions();
    assert!(positions.iter().flatten().all(|x| x.is_finite()));
    for corner in mesh.triangles().iter().flatten() {
        assert!((*corner as usize) < positions.len());
    }
}

/// A volume in one file.
pub fn volume(data: &[u8]) {
    match nrrd::from_bytes(data, "fuzz") {
        Ok(volume) => assert_eq!(
            volume.samples.len() as u64,
            volume.nodes.iter().map(|n| u64::from(*n)).product::<u64>()
        ),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// A recording, read as a run and as a trajectory, up to its end or its first damage.
pub fn recording(data: &[u8]) {
    let open = || Reader::new(data, data.len() as u64);
    let Ok(mut run) = open() else { return };
    let _ = run.config();
    run.files();
    while let Ok(Some(_)) = run.event() {}
    if let Ok(mut trajectory) = open() {
        while let Ok(Some(_)) = trajectory.point() {}
    }
}
