//! PLY (Turk 1994) with `x y z nx ny nz` as 32-bit floats and faces as lists of three.

use std::io::Write;

use super::{ExportError, Part, check, line};

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// As text.
    Ascii,
    /// As bytes, least significant first.
    LittleEndian,
}

/// Writes the meshes as one PLY, one after the other; comments say which faces belong to which
/// part. Makes many small writes: pass a buffered writer.
///
/// # Errors
/// [`ExportError`]: a fault of the meshes, or an error of the writer. Indices are signed in this
/// format: positions beyond 2^31 are too many.
pub fn write_ply(
    parts: &[Part<'_>],
    encoding: Encoding,
    to: &mut impl Write,
) -> Result<(), ExportError> {
    let (vertices, faces) = check(parts)?;
    let limit = i32::MAX as u64;
    if vertices > limit {
        return Err(ExportError::TooMany {
            what: "positions",
            count: vertices,
            limit,
        });
    }
    let format = match encoding {
        Encoding::Ascii => "ascii",
        Encoding::LittleEndian => "binary_little_endian",
    };
    write!(to, "ply\nformat {format} 1.0\ncomment metres, z up\n")?;
    let mut first = 0;
    for Part { name, surface } in parts {
        let end = first + surface.triangles.len();
        writeln!(to, "comment faces {first} to {}: {}", end - 1, line(name))?;
        first = end;
    }
    write!(
        to,
        "element vertex {vertices}\n\
         property float x\nproperty float y\nproperty float z\n\
         property float nx\nproperty float ny\nproperty float nz\n\
         element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
    )?;
    let surfaces = || parts.iter().map(|part| part.surface);
    for (p, n) in surfaces().flat_map(|s| s.positions.iter().zip(s.normals)) {
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
    let mut first = 0;
    for surface in surfaces() {
        for triangle in surface.triangles.iter().map(|t| t.map(|i| i + first)) {
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
        // Checked to stay below 2^31.
        first += surface.positions.len() as u32;
    }
    Ok(())
}
