//! A mesh in a memory file, as [`AddBody`](crate::request::AddBody) carries it to the daemon and
//! [`Shape`](crate::reply::Shape) to a client.
//!
//! ```text
//! offset  0  u64  "HAPTMESH", little-endian
//!         8  u32  version, 1
//!        12  u32  bytes of a coordinate: 4 (f32) or 8 (f64)
//!        16  u32  number of vertices
//!        20  u32  number of triangles
//!        24  u64  reserved, zero
//!        32       vertices: x, y, z each, m, in the body's frame
//!                 zero bytes up to the next multiple of 8
//!                 triangles: three u32 each, counter-clockwise seen from outside
//! ```
//!
//! The file ends with the last triangle. Decoding checks every number: the length is exact,
//! coordinates are finite and within [`MAX_COORDINATE_M`], indices are below the number of
//! vertices. Whether the *shape* is closed and oriented is for the daemon to check.

use crate::wire::MAX_COORDINATE_M;

/// First word of the file.
pub const MESH_MAGIC: u64 = u64::from_le_bytes(*b"HAPTMESH");
/// The only version so far.
pub const MESH_VERSION: u32 = 1;
/// Offset of the vertices, in bytes.
pub const MESH_HEADER_BYTES: usize = 32;

/// Seals that the file must have when it is sent: `F_SEAL_SHRINK`, `F_SEAL_GROW` and
/// `F_SEAL_WRITE`. More are allowed.
pub const MESH_SEALS: u32 = 2 | 4 | 8;

/// A triangle mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Vertices: x, y, z in the body's frame, m.
    pub positions: Vec<[f64; 3]>,
    /// Indices of `positions`, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// Format of the coordinates in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `f32`: half the size.
    Single,
    /// `f64`: exact.
    Double,
}

/// Reason why a file is not a mesh; the sender's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MeshError {
    /// The file is shorter than a header, or the magic differs.
    #[error("not a mesh file")]
    NotAMesh,
    /// Unknown version or coordinate size.
    #[error("mesh version {version} with {coordinate_bytes}-byte coordinates is not known here")]
    Unknown {
        /// The version.
        version: u32,
        /// Bytes of a coordinate.
        coordinate_bytes: u32,
    },
    /// The length does not match the counts.
    #[error(
        "{vertices} vertices and {triangles} triangles need {expected} bytes; the file has {actual}"
    )]
    Length {
        /// Number of vertices.
        vertices: u32,
        /// Number of triangles.
        triangles: u32,
        /// Length in bytes that the counts require.
        expected: u64,
        /// Length of the file in bytes.
        actual: u64,
    },
    /// Reserved or padding bytes are not zero.
    #[error("reserved bytes are not zero")]
    Reserved,
    /// A coordinate is not finite or out of range.
    #[error("vertex {vertex} has coordinate {value}, which is not within {MAX_COORDINATE_M} m")]
    Coordinate {
        /// Index of the vertex.
        vertex: usize,
        /// Value of the coordinate.
        value: f64,
    },
    /// An index is out of range.
    #[error("triangle {triangle} has vertex {index}, and there are {vertices}")]
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// The vertex index.
        index: u32,
        /// Number of vertices.
        vertices: u32,
    },
    /// More vertices or triangles than the format can count.
    #[error("{count} vertices or triangles are more than a mesh file can hold")]
    TooMany {
        /// The number of vertices or of triangles.
        count: usize,
    },
}

/// Returns the offset of the triangles and the length of the file, in bytes.
fn layout(vertices: u32, triangles: u32, coordinate_bytes: u32) -> (u64, u64) {
    let positions = u64::from(vertices) * 3 * u64::from(coordinate_bytes);
    let start = (MESH_HEADER_BYTES as u64 + positions).next_multiple_of(8);
    (start, start + u64::from(triangles) * 12)
}

fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    bytes
        .get(offset..offset + 4)
        .and_then(|bytes| bytes.try_into().ok())
        .map_or(0, u32::from_le_bytes)
}

impl Mesh {
    /// Encodes the mesh as the content of a file.
    ///
    /// # Errors
    /// [`MeshError::TooMany`] for more than 2^32 - 1 vertices or triangles. Nothing else is checked
    /// here; the receiver checks the rest.
    pub fn encode(&self, precision: Precision) -> Result<Vec<u8>, MeshError> {
        let count = |count: usize| u32::try_from(count).map_err(|_| MeshError::TooMany { count });
        let (vertices, triangles) = (count(self.positions.len())?, count(self.triangles.len())?);
        let coordinate_bytes: u32 = match precision {
            Precision::Single => 4,
            Precision::Double => 8,
        };
        let (triangles_at, end) = layout(vertices, triangles, coordinate_bytes);
        let mut bytes = Vec::with_capacity(usize::try_from(end).unwrap_or(0));
        bytes.extend_from_slice(&MESH_MAGIC.to_le_bytes());
        for word in [MESH_VERSION, coordinate_bytes, vertices, triangles, 0, 0] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        for value in self.positions.iter().flatten() {
            match precision {
                Precision::Single => bytes.extend_from_slice(&(*value as f32).to_le_bytes()),
                Precision::Double => bytes.extend_from_slice(&value.to_le_bytes()),
            }
        }
        while (bytes.len() as u64) < triangles_at {
            bytes.push(0);
        }
        for index in self.triangles.iter().flatten() {
            bytes.extend_from_slice(&index.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Returns the numbers of vertices and triangles from the file's header, which must match the
    /// length of the file. Does not allocate.
    ///
    /// # Errors
    /// [`MeshError`] for a missing or unknown header, or another length.
    pub fn counts(header: &[u8], file_bytes: u64) -> Result<(u32, u32), MeshError> {
        if header.len() < MESH_HEADER_BYTES || header[..8] != MESH_MAGIC.to_le_bytes() {
            return Err(MeshError::NotAMesh);
        }
        let (version, coordinate_bytes) = (u32_at(header, 8), u32_at(header, 12));
        if version != MESH_VERSION || !matches!(coordinate_bytes, 4 | 8) {
            return Err(MeshError::Unknown {
                version,
                coordinate_bytes,
            });
        }
        let (vertices, triangles) = (u32_at(header, 16), u32_at(header, 20));
        let (_, expected) = layout(vertices, triangles, coordinate_bytes);
        if expected != file_bytes {
            return Err(MeshError::Length {
                vertices,
                triangles,
                expected,
                actual: file_bytes,
            });
        }
        Ok((vertices, triangles))
    }

    /// Decodes and checks the content of a file. Allocates only what the (checked) length allows.
    ///
    /// # Errors
    /// [`MeshError`]: the first thing that is wrong.
    pub fn decode(bytes: &[u8]) -> Result<Self, MeshError> {
        if bytes.len() < MESH_HEADER_BYTES || bytes[..8] != MESH_MAGIC.to_le_bytes() {
            return Err(MeshError::NotAMesh);
        }
        let (version, coordinate_bytes) = (u32_at(bytes, 8), u32_at(bytes, 12));
        if version != MESH_VERSION || !matches!(coordinate_bytes, 4 | 8) {
            return Err(MeshError::Unknown {
                version,
                coordinate_bytes,
            });
        }
        let (vertices, triangles) = (u32_at(bytes, 16), u32_at(bytes, 20));
        if bytes[24..MESH_HEADER_BYTES].iter().any(|byte| *byte != 0) {
            return Err(MeshError::Reserved);
        }
        let (triangles_at, expected) = layout(vertices, triangles, coordinate_bytes);
        let actual = bytes.len() as u64;
        if expected != actual {
            return Err(MeshError::Length {
                vertices,
                triangles,
                expected,
                actual,
            });
        }
        // Both are at most the length of the file, which is a usize.
        let positions_end = MESH_HEADER_BYTES + vertices as usize * 3 * coordinate_bytes as usize;
        let triangles_at = triangles_at as usize;
        if bytes[positions_end..triangles_at]
            .iter()
            .any(|byte| *byte != 0)
        {
            return Err(MeshError::Reserved);
        }
        let coordinates = &bytes[MESH_HEADER_BYTES..positions_end];
        let values: Vec<f64> = if coordinate_bytes == 4 {
            coordinates
                .as_chunks()
                .0
                .iter()
                .map(|bytes| f64::from(f32::from_le_bytes(*bytes)))
                .collect()
        } else {
            coordinates
                .as_chunks()
                .0
                .iter()
                .map(|bytes| f64::from_le_bytes(*bytes))
                .collect()
        };
        // A NaN lies in no range.
        let range = -MAX_COORDINATE_M..=MAX_COORDINATE_M;
        if let Some(bad) = values.iter().position(|value| !range.contains(value)) {
            return Err(MeshError::Coordinate {
                vertex: bad / 3,
                value: values[bad],
            });
        }
        let indices: Vec<u32> = bytes[triangles_at..]
            .as_chunks()
            .0
            .iter()
            .map(|bytes| u32::from_le_bytes(*bytes))
            .collect();
        if let Some(bad) = indices.iter().position(|index| *index >= vertices) {
            return Err(MeshError::Index {
                triangle: bad / 3,
                index: indices[bad],
                vertices,
            });
        }
        Ok(Self {
            positions: values.as_chunks().0.to_vec(),
            triangles: indices.as_chunks().0.to_vec(),
        })
    }
}
