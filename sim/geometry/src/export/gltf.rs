//! glTF 2.0 in one binary file (Khronos Group 2021, section 4.4): a JSON chunk, and a chunk that
//! holds positions, normals and indices of each part in this order.
//!
//! The format's up axis is +y and its front +z (section 3.3); here z is up. A root node turns
//! everything by a quarter turn about x. It does so with a matrix of exact numbers, so that loaders
//! that apply it recover exactly the given coordinates.

use std::io::Write;

use super::{ExportError, Part, check};

const MAGIC: &[u8; 4] = b"glTF";
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
/// Column-major: x stays, y goes to -z, z goes to y.
const Y_UP_FROM_Z_UP: &str = "[1,0,0,0,0,0,-1,0,0,1,0,0,0,0,0,1]";

/// Writes the meshes as binary glTF (`.glb`), each a node with its mesh under one root that turns z
/// up into y up. Makes many small writes: pass a buffered writer.
///
/// # Errors
/// [`ExportError`]: a fault of the meshes, or an error of the writer. The format cannot hold files
/// of 4 GiB or more.
pub fn write_glb(parts: &[Part<'_>], to: &mut impl Write) -> Result<(), ExportError> {
    let (vertices, triangles) = check(parts)?;
    // Twelve bytes for each position, normal and triangle: all start at a multiple of four.
    let body = 12 * (2 * vertices + triangles);
    let mut json = description(parts, body);
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    // The header of the file and those of two chunks.
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
    for Part { surface, .. } in parts {
        for c in surface.positions.iter().chain(surface.normals).flatten() {
            to.write_all(&c.to_le_bytes())?;
        }
        for i in surface.triangles.iter().flatten() {
            to.write_all(&i.to_le_bytes())?;
        }
    }
    Ok(())
}

/// Returns the JSON chunk. Node 0 is the root, node `k + 1` is part `k`; each part has three
/// accessors and three views.
fn description(parts: &[Part<'_>], body: u64) -> String {
    let mut at = 0;
    let [
        mut children,
        mut nodes,
        mut meshes,
        mut accessors,
        mut views,
    ] = [const { Vec::new() }; 5];
    for (k, Part { name, surface }) in parts.iter().enumerate() {
        let (first, name) = (3 * k, quoted(name));
        children.push((k + 1).to_string());
        nodes.push(format!(r#"{{"name":{name},"mesh":{k}}}"#));
        let (normals, indices) = (first + 1, first + 2);
        meshes.push(format!(
            r#"{{"name":{name},"primitives":[{{"attributes":{{"POSITION":{first},"NORMAL":{normals}}},"indices":{indices},"mode":4}}]}}"#
        ));
        let (points, corners) = (surface.positions.len(), 3 * surface.triangles.len());
        let (low, high) = bounds(surface.positions);
        accessors.push(format!(
            r#"{{"bufferView":{first},"componentType":{FLOAT},"count":{points},"type":"VEC3","min":{low:?},"max":{high:?}}},{{"bufferView":{normals},"componentType":{FLOAT},"count":{points},"type":"VEC3"}},{{"bufferView":{indices},"componentType":{UNSIGNED_INT},"count":{corners},"type":"SCALAR"}}"#
        ));
        for (bytes, target) in [
            (12 * points, ARRAY_BUFFER),
            (12 * points, ARRAY_BUFFER),
            (4 * corners, ELEMENT_ARRAY_BUFFER),
        ] {
            views.push(format!(
                r#"{{"buffer":0,"byteOffset":{at},"byteLength":{bytes},"target":{target}}}"#
            ));
            at += bytes;
        }
    }
    let [children, nodes, meshes, accessors, views] =
        [children, nodes, meshes, accessors, views].map(|list: Vec<String>| list.join(","));
    format!(
        r#"{{"asset":{{"version":"2.0","generator":"hapticd"}},"scene":0,"scenes":[{{"nodes":[0]}}],"nodes":[{{"name":"z up","children":[{children}],"matrix":{Y_UP_FROM_Z_UP}}},{nodes}],"meshes":[{meshes}],"accessors":[{accessors}],"bufferViews":[{views}],"buffers":[{{"byteLength":{body}}}]}}"#
    )
}

/// Returns the name as a JSON string (RFC 8259, section 7).
fn quoted(name: &str) -> String {
    let mut text = String::from('"');
    for c in super::line(name).chars() {
        if matches!(c, '"' | '\\') {
            text.push('\\');
        }
        text.push(c);
    }
    text.push('"');
    text
}

/// Returns the least and greatest coordinates, which the format requires.
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
