//! Wavefront OBJ as text: for each part `o`, `v`, `vn`, and `f a//a b//b c//c`.

use std::io::Write;

use super::{ExportError, Part, check, line};

/// Writes the meshes as Wavefront OBJ, each an object. Makes many small writes: pass a buffered
/// writer.
///
/// # Errors
/// [`ExportError`]: a fault of the meshes, or an error of the writer.
pub fn write_obj(parts: &[Part<'_>], to: &mut impl Write) -> Result<(), ExportError> {
    check(parts)?;
    writeln!(to, "# metres, z up")?;
    // Indices continue from part to part, from 1; checked to stay below 2^32.
    let mut first = 1_u32;
    for Part { name, surface } in parts {
        writeln!(to, "o {}", line(name))?;
        for (word, list) in [("v", surface.positions), ("vn", surface.normals)] {
            for [x, y, z] in list {
                writeln!(to, "{word} {x} {y} {z}")?;
            }
        }
        for triangle in surface.triangles {
            let [a, b, c] = triangle.map(|i| i + first);
            writeln!(to, "f {a}//{a} {b}//{b} {c}//{c}")?;
        }
        first += surface.positions.len() as u32;
    }
    Ok(())
}
