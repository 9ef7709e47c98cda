//! The shapes of rigid bodies and tools, as files to hand to clients: written once, one file for
//! all who ask, gone when the body and the last of them are.
//!
//! A file is sealed before anybody sees it: it can be neither written nor resized, by us neither.
//! It has 12 bytes a vertex and as many a triangle. What clients add is written by the importer, so
//! nobody waits for it, and is never longer than the file that the client sent and its quota
//! counted. Makes system calls; for a real-time thread neither to make nor to drop.

use hapticd_geometry::TriMesh;
use hapticd_protocol::mesh::{Mesh, MeshError, Precision};
use hapticd_sys::sealed_file::{FileError, create_sealed};
use std::{os::fd::OwnedFd, sync::Arc};

/// Why there is no file.
#[derive(Debug, thiserror::Error)]
pub enum ShapeFileError {
    /// More vertices or triangles than the format counts. The mesh's fault.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Out of memory or descriptors.
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

    /// Its descriptor, to be passed to a client.
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
