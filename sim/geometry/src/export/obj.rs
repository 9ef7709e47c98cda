//! Wavefront OBJ as text: `v`, `vn`, and `f a//a b//b c//c`.

use std::io::Write;

use super::{ExportError, Surface};

/// Writes the mesh as Wavefront OBJ. Many small writes: give it something buffered.
///
/// # Errors
/// [`ExportError`]: what is wrong with the mesh, or what the writer said.
pub fn write_obj(mesh: &Surface<'_>, to: &mut impl Write) -> Result<(), ExportError> {
    mesh.check()?;
    for (word, list) in [("v", mesh.positions), ("vn", mesh.normals)] {
        for [x, y, z] in list {
            writeln!(to, "{word} {x} {y} {z}")?;
        }
    }
    for triangle in mesh.triangles {
        // From 1; checked to be below the number of positions.
        let [a, b, c] = triangle.map(|i| i + 1);
        writeln!(to, "f {a}//{a} {b}//{b} {c}//{c}")?;
    }
    Ok(())
}
