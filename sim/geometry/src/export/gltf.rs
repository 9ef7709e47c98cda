//! glTF 2.0 in one binary file (Khronos Group 2021, section 4.4): a JSON chunk, and a chunk of positions, normals and indices in this order.

use std::io::Write;

use super::{ExportError, Surface};

const MAGIC: &[u8; 4] = b"glTF";
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Writes the mesh as binary glTF (`.glb`), one node with one mesh. Many small writes: give it something buffered.
///
/// # Errors
/// [`ExportError`]: what is wrong with the mesh, or what the writer said. A file of 4 GiB is too large for this format.
pub fn write_glb(mesh: &Surface<'_>, to: &mut impl Write) -> Result<(), ExportError> {
    mesh.check()?;
    let vertices = mesh.positions.len() as u64;
    let triangles = mesh.triangles.len() as u64;
    // Twelve bytes for a position, a normal, a triangle: all begin at a multiple of four.
    let (points, corners) = (12 * vertices, 12 * triangles);
    let body = 2 * points + corners;
    let (low, high) = bounds(mesh.positions);
    let mut json = format!(
        concat!(
            r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],"#,
            r#""meshes":[{{"primitives":[{{"attributes":{{"POSITION":0,"NORMAL":1}},"indices":2,"mode":4}}]}}],"#,
            r#""accessors":[{{"bufferView":0,"componentType":{f},"count":{v},"type":"VEC3","min":{low:?},"max":{high:?}}},"#,
            r#"{{"bufferView":1,"componentType":{f},"count":{v},"type":"VEC3"}},"#,
            r#"{{"bufferView":2,"componentType":{u},"count":{i},"type":"SCALAR"}}],"#,
            r#""bufferViews":[{{"buffer":0,"byteOffset":0,"byteLength":{p},"target":{a}}},"#,
            r#"{{"buffer":0,"byteOffset":{p},"byteLength":{p},"target":{a}}},"#,
            r#"{{"buffer":0,"byteOffset":{o},"byteLength":{c},"target":{e}}}],"#,
            r#""buffers":[{{"byteLength":{b}}}]}}"#
        ),
        f = FLOAT,
        u = UNSIGNED_INT,
        a = ARRAY_BUFFER,
        e = ELEMENT_ARRAY_BUFFER,
        v = vertices,
        i = 3 * triangles,
        p = points,
        o = 2 * points,
        c = corners,
        b = body,
        low = low,
        high = high,
    );
    while json.len() % 4 != 0 {
        json.push(' ');
    }
    // The file's header and those of two chunks.
    let whole = 12 + 8 + json.len() as u64 + 8 + body;
    let (Ok(whole), Ok(body)) = (u32::try_from(whole), u32::try_from(body)) else {
        return Err(ExportError::TooMany {
            what: "bytes",
            count: whole,
            limit: u64::from(u32::MAX),
        });
    };
    to.write_all(MAGIC)?;
    for word in [2, whole, json.len() as u32] {
        to.write_all(&word.to_le_bytes())?;
    }
    to.write_all(b"JSON")?;
    to.write_all(json.as_bytes())?;
    to.write_all(&body.to_le_bytes())?;
    to.write_all(b"BIN\0")?;
    for c in mesh.positions.iter().chain(mesh.normals).flatten() {
        to.write_all(&c.to_le_bytes())?;
    }
    for i in mesh.triangles.iter().flatten() {
        to.write_all(&i.to_le_bytes())?;
    }
    Ok(())
}

/// Least and greatest coordinates, which the format asks for.
fn bounds(positions: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let start = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    positions.iter().fold(start, |(mut low, mut high), p| {
        for k in 0..3 {
            low[k] = low[k].min(p[k]);
            high[k] = high[k].max(p[k]);
        }
        (low, high)
    })
}
