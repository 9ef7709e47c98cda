//! PLY (Turk 1994) with `x y z nx ny nz` as 32-bit floats and faces as lists of three.

use std::io::Write;

use super::{ExportError, Surface};

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As text.
    Ascii,
    /// As bytes, the least significant first.
    LittleEndian,
}

/// Writes the mesh as PLY. Many small writes: give it something buffered.
///
/// # Errors
/// [`ExportError`]: what is wrong with the mesh, or what the writer said. Indices are signed in this format: positions beyond 2^31 are too many.
pub fn write_ply(
    mesh: &Surface<'_>,
    encoding: Encoding,
    to: &mut impl Write,
) -> Result<(), ExportError> {
    mesh.check()?;
    let (vertices, faces) = (mesh.positions.len(), mesh.triangles.len());
    let limit = i32::MAX as u64;
    if vertices as u64 > limit {
        return Err(ExportError::TooMany {
            what: "positions",
            count: vertices as u64,
            limit,
        });
    }
    let format = match encoding {
        Encoding::Ascii => "ascii",
        Encoding::LittleEndian => "binary_little_endian",
    };
    write!(
        to,
        "ply\nformat {format} 1.0\nelement vertex {vertices}\n\
         property float x\nproperty float y\nproperty float z\n\
         property float nx\nproperty float ny\nproperty float nz\n\
         element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    )?;
    for (p, n) in mesh.positions.iter().zip(mesh.normals) {
        match encoding {
            Encoding::Ascii => {
                let ([x, y, z], [nx, ny, nz]) = (p, n);
                writeln!(to, "{x} {y} {z} {nx} {ny} {nz}")?;
            }
            Encoding::LittleEndian => {
                for c in p.iter().chain(n) {
                    to.write_all(&c.to_le_bytes())?;
                }
            }
        }
    }
    for triangle in mesh.triangles {
        match encoding {
            Encoding::Ascii => {
                let [a, b, c] = triangle;
                writeln!(to, "3 {a} {b} {c}")?;
            }
            Encoding::LittleEndian => {
                to.write_all(&[3])?;
                for i in triangle {
                    to.write_all(&i.to_le_bytes())?;
                }
            }
        }
    }
    Ok(())
}
