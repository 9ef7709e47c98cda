//! Shapes of rigid bodies and tools, as files for clients: written once, one file for all readers,
//! freed with the body and the last reader.
//!
//! A file is sealed before anyone sees it: no process can write or resize it, not even the daemon.
//! It has 12 bytes per vertex and 12 per triangle. The importer writes the files of clients'
//! bodies, so no thread waits for them. Such a file is never longer than the one that the client
//! sent and its quota counted. Makes system calls; a real-time thread must neither make nor drop
//! one.

use hapticd_geometry::TriMesh;
use hapticd_protocol::mesh::{Mesh, MeshError, Precision};
use hapticd_sys::sealed_file::{FileError, create_sealed};
use std::{os::fd::OwnedFd, sync::Arc};

/// Why the file could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ShapeFileError {
    /// More vertices or triangles than the format counts. The mesh is at fault.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The process is out of memory or descriptors.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A mesh in a sealed memory file, in single precision. A copy is another handle of the same file.
#[derive(Clone, Debug)]
pub struct ShapeFile(Arc<OwnedFd>);

impl ShapeFile {
    /// Writes the file.
    ///
    /// # Errors
    /// [`ShapeFileError`].
    pub fn new(mesh: &TriMesh) -> Result<Self, ShapeFileError> {
        let mesh = Mesh {
            positions: mesh.positions().iter().map(|p| (*p).into()).collect(),
            triangles: mesh.triangles().to_vec(),
        };
        let bytes = mesh.encode(Precision::Single)?;
        Ok(Self(Arc::new(create_sealed("hapticd-shape", &bytes)?)))
    }

    /// Descriptor of the file, for a client.
    pub(super) fn descriptor(&self) -> Arc<OwnedFd> {
        self.0.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Vec3, shapes};
    use hapticd_sys::sealed_file::read_sealed;

    #[test]
    fn a_file_has_the_mesh_in_single_precision_and_is_one_for_all() {
        let cuboid = shapes::cuboid(&Vec3::new(0.1, 0.2, 0.3)).unwrap();
        let file = ShapeFile::new(&cuboid).unwrap();
        let copy = file.clone();
        let bytes = read_sealed(file.descriptor(), 1000).unwrap();
        drop(file);
        assert_eq!(bytes.len(), 32 + 8 * 12 + 12 * 12);
        assert_eq!(read_sealed(copy.descriptor(), 1000).unwrap(), bytes);
        let read = Mesh::decode(&bytes).unwrap();
        assert_eq!(read.triangles, cuboid.triangles());
        for (read, exact) in read.positions.iter().zip(cuboid.positions()) {
            assert_eq!(
                read.map(|x| x as f32),
                [exact.x, exact.y, exact.z].map(|x| x as f32)
            );
        }
    }
}
