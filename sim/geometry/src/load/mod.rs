//! Loading meshes from files and bytes: one clean triangle mesh of whatever the file holds, and a
//! report on it.
//!
//! Every loader gives the file's triangles (polygons are cut up), in metres as the numbers stand,
//! in the file's own axes. Then, for all formats alike: vertices that are exactly equal are welded,
//! triangles without area are dropped (and counted in the report), and vertices that nothing uses
//! are dropped. Nothing else is repaired: holes, flipped faces and self-crossings stay and show in
//! the [`MeshReport`].
//!
//! The parsers are ours where a library could panic or allocate by a header's word: memory is in
//! proportion to the bytes that are really there, whatever counts the file claims. No panics on any
//! bytes. Blocks on the disk and allocates: not for a real-time thread.

use std::collections::HashMap;
use std::fmt;
use std::path::Path;

use crate::adjacency::Adjacency;
use crate::mesh::{MAX_TRIANGLES, MeshError, TriMesh};
use crate::pose::Vec3;
use crate::report::{MeshReport, is_degenerate};

mod gltf;
mod obj;
mod ply;
mod polygon;
mod stl;
mod text;

pub(crate) use text::excerpt;

/// Largest file that is read, bytes.
pub const MAX_FILE_BYTES: u64 = 2 << 30;

/// A mesh file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ: `v` and `f` are read, everything else is passed over.
    Obj,
    /// STL, binary or ASCII.
    Stl,
    /// PLY, ASCII or binary.
    Ply,
    /// glTF 2.0, text or binary (GLB).
    Gltf,
}

impl Format {
    /// By the file name's extension, in any case.
    #[must_use]
    pub fn of(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "obj" => Some(Format::Obj),
            "stl" => Some(Format::Stl),
            "ply" => Some(Format::Ply),
            "gltf" | "glb" => Some(Format::Gltf),
            _ => None,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Obj => "OBJ",
            Format::Stl => "STL",
            Format::Ply => "PLY",
            Format::Gltf => "glTF",
        })
    }
}

/// A loaded mesh.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The mesh: welded, without degenerate triangles and unused vertices.
    pub mesh: TriMesh,
    /// Findings on it; `degenerate_triangles` counts those that were dropped.
    pub report: MeshReport,
}

/// Why a mesh could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {problem}", format.map(|f| format!(" ({f})")).unwrap_or_default())]
pub struct LoadError {
    /// The file, or the name that the bytes were given with.
    pub file: String,
    /// The format; `None` if it is not known.
    pub format: Option<Format>,
    /// What is wrong.
    pub problem: LoadProblem,
}

/// What is wrong with a mesh file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadProblem {
    /// The extension names no format.
    #[error("`{extension}` is not a mesh file's extension (obj, stl, ply, gltf, glb)")]
    UnknownExtension {
        /// The extension, empty if there is none.
        extension: String,
    },
    /// A folder, a device or a pipe.
    #[error("not a regular file")]
    NotAFile,
    /// The operating system said no.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// A file larger than [`MAX_FILE_BYTES`].
    #[error("{bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// How large.
        bytes: u64,
        /// How large it may be.
        limit: u64,
    },
    /// The file ends before what its header claims.
    #[error("{what} need {needed} bytes, {available} are there")]
    Truncated {
        /// Which part.
        what: String,
        /// How many bytes it should have.
        needed: u64,
        /// How many there are.
        available: u64,
    },
    /// A line of a text that is not what it should be.
    #[error("line {line}: {expected} expected, `{found}` found")]
    Syntax {
        /// Which line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        /// The start of what is there.
        found: String,
    },
    /// An element of a PLY is not there or no number.
    #[error("{element} {index} of {count}: no value at byte {offset}")]
    Element {
        /// "vertex", "face", ...
        element: String,
        /// Which one, from 0.
        index: u64,
        /// How many the header claims.
        count: u64,
        /// Where in the file.
        offset: u64,
    },
    /// An index or a list's length is negative, too large or not whole.
    #[error("{element} {index}: {value} is no index")]
    NotAnIndex {
        /// "vertex", "face", ...
        element: String,
        /// Which one, from 0.
        index: u64,
        /// The number that is there.
        value: f64,
    },
    /// The JSON of a glTF is none, or is none of glTF.
    #[error("JSON: {0}")]
    Json(String),
    /// A part of a glTF refers to another that is not there.
    #[error("{what} {index} does not exist, there are {count}")]
    Reference {
        /// "mesh", "accessor", ...
        what: &'static str,
        /// Which one, from 0.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// A node of a glTF is its own ancestor or has two parents.
    #[error("node {node} is in the scene twice")]
    NodeTwice {
        /// Which one, from 0.
        node: usize,
    },
    /// Something that is not read, or makes no sense.
    #[error("not supported: {what}")]
    Unsupported {
        /// What, and where.
        what: String,
    },
    /// A coordinate of an OBJ's vertex is NaN or infinite.
    #[error("line {line}: vertex {vertex} has a coordinate that is not finite: `{found}`")]
    Vertex {
        /// Which line, from 1.
        line: usize,
        /// Which vertex, from 1 as the format counts.
        vertex: usize,
        /// The line.
        found: String,
    },
    /// A face names a vertex that is not there.
    #[error(
        "{}face {face}: vertex {index} does not exist, there are {vertices}",
        line.map(|line| format!("line {line}: ")).unwrap_or_default()
    )]
    Index {
        /// Which line of a text, from 1.
        line: Option<usize>,
        /// Which face, from 1.
        face: usize,
        /// The index as the file has it.
        index: i64,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A polygon that is not convex and has too many corners.
    #[error("face {face} is not convex and has {corners} corners, the limit is {limit}")]
    Polygon {
        /// Which face, from 1.
        face: usize,
        /// How many corners it has.
        corners: usize,
        /// How many it may have.
        limit: usize,
    },
    /// All triangles are without area.
    #[error("all {dropped} triangles are without area")]
    AllDegenerate {
        /// How many there were.
        dropped: usize,
    },
    /// The triangles do not make a mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// What a parser makes of a file: vertices and faces over them, unchecked.
#[derive(Debug, Default)]
struct Soup {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Corners of the faces with more than three, one face after the other.
    polygons: Vec<u32>,
    /// Where each of them ends, and which face of the file it is, from 0.
    polygon_ends: Vec<(usize, usize)>,
}

impl Soup {
    /// Adds a triangle unless there are too many.
    fn triangle(&mut self, corners: [u32; 3]) -> Result<(), LoadProblem> {
        within("triangles", self.triangles.len(), MAX_TRIANGLES)?;
        self.triangles.push(corners);
        Ok(())
    }

    /// Adds a face of any number of corners; less than three make none. `face` counts from 0.
    fn face(&mut self, corners: &[u32], face: usize) -> Result<(), LoadProblem> {
        match *corners {
            [_, _] | [_] | [] => Ok(()),
            [a, b, c] => self.triangle([a, b, c]),
            _ => {
                let triangles = self.polygons.len() + corners.len();
                within("polygon corners", triangles, 3 * MAX_TRIANGLES)?;
                self.polygons.extend_from_slice(corners);
                self.polygon_ends.push((self.polygons.len(), face));
                Ok(())
            }
        }
    }

    /// Adds a vertex unless there are too many, and gives its index.
    fn vertex(&mut self, position: Vec3) -> Result<u32, LoadProblem> {
        within("vertices", self.positions.len(), 3 * MAX_TRIANGLES)?;
        self.positions.push(position);
        Ok((self.positions.len() - 1) as u32)
    }

    /// Cuts the polygons up: the checked mesh of all faces.
    fn into_mesh(mut self) -> Result<TriMesh, LoadProblem> {
        let (polygons, ends) = (
            std::mem::take(&mut self.polygons),
            std::mem::take(&mut self.polygon_ends),
        );
        let mut start = 0;
        for (end, face) in ends {
            let (positions, triangles) = (&self.positions, &mut self.triangles);
            polygon::cut(positions, &polygons[start..end], face, |corners| {
                within("triangles", triangles.len(), MAX_TRIANGLES)?;
                triangles.push(corners);
                Ok(())
            })?;
            start = end;
        }
        Ok(TriMesh::new(self.positions, self.triangles)?)
    }
}

/// There is room for one more.
fn within(what: &'static str, have: usize, limit: usize) -> Result<(), LoadProblem> {
    if have < limit {
        return Ok(());
    }
    let count = have.saturating_add(1);
    Err(MeshError::TooMany { what, count, limit }.into())
}

/// Loads a mesh file; its extension tells the format.
///
/// # Errors
/// [`LoadError`], with the file, the format and the numbers.
pub fn load(path: &Path) -> Result<Loaded, LoadError> {
    let file = path.display().to_string();
    let Some(format) = Format::of(path) else {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let problem = LoadProblem::UnknownExtension {
            extension: extension.into_owned(),
        };
        return Err(LoadError {
            file,
            format: None,
            problem,
        });
    };
    let problem = match read(path) {
        Ok(bytes) => match parse(&bytes, format, path.parent()) {
            Ok(loaded) => return Ok(loaded),
            Err(problem) => problem,
        },
        Err(problem) => problem,
    };
    Err(LoadError {
        file,
        format: Some(format),
        problem,
    })
}

/// Where an OBJ says that a vertex is here: line and number of the vertex, both from 1, of the
/// first one that does. `None` for other formats, and for a file that cannot be read or says no
/// such thing.
#[must_use]
pub fn vertex_in_file(path: &Path, position: &Vec3) -> Option<(usize, usize)> {
    (Format::of(path) == Some(Format::Obj)).then_some(())?;
    obj::find(&read(path).ok()?, position)
}

/// Loads a mesh from bytes; `name` is for the error. A glTF must hold its buffers itself.
///
/// # Errors
/// [`LoadError`], with the name, the format and the numbers.
pub fn from_bytes(bytes: &[u8], format: Format, name: &str) -> Result<Loaded, LoadError> {
    parse(bytes, format, None).map_err(|problem| LoadError {
        file: name.to_owned(),
        format: Some(format),
        problem,
    })
}

/// `folder`: where a file's own files are.
fn parse(bytes: &[u8], format: Format, folder: Option<&Path>) -> Result<Loaded, LoadProblem> {
    finish(match format {
        Format::Obj => obj::parse(bytes)?,
        Format::Stl => stl::parse(bytes)?,
        Format::Ply => ply::parse(bytes)?,
        Format::Gltf => gltf::parse(bytes, folder)?,
    })
}

/// The bytes of a regular file within the limit.
fn read(path: &Path) -> Result<Vec<u8>, LoadProblem> {
    // Before opening: opening a pipe would wait for its writer.
    let about = std::fs::metadata(path)?;
    if !about.is_file() {
        return Err(LoadProblem::NotAFile);
    }
    if about.len() > MAX_FILE_BYTES {
        return Err(LoadProblem::TooLarge {
            bytes: about.len(),
            limit: MAX_FILE_BYTES,
        });
    }
    Ok(hapticd_files::read(path, MAX_FILE_BYTES)?)
}

/// Welds, drops what has no area, drops what is not used.
fn finish(soup: Soup) -> Result<Loaded, LoadProblem> {
    let checked = soup.into_mesh()?;
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(checked.positions().len());
    let mut kept: Vec<Vec3> = Vec::new();
    let new_index: Vec<u32> = checked
        .positions()
        .iter()
        .map(|p| {
            // Adding 0 makes -0 of the same bits as 0.
            let p = p.add_scalar(0.0);
            *first
                .entry([p.x, p.y, p.z].map(f64::to_bits))
                .or_insert_with(|| {
                    kept.push(p);
                    (kept.len() - 1) as u32
                })
        })
        .collect();
    let welded = checked
        .triangles()
        .iter()
        .map(|t| t.map(|v| new_index[v as usize]))
        .collect();
    let welded = TriMesh::new(kept, welded)?;
    let sound: Vec<[u32; 3]> = (0..welded.triangles().len())
        .filter(|&t| !is_degenerate(&welded, t))
        .map(|t| welded.triangles()[t])
        .collect();
    let dropped = welded.triangles().len() - sound.len();
    if sound.is_empty() {
        return Err(LoadProblem::AllDegenerate { dropped });
    }
    let mesh = crate::mesh::compact(welded.positions(), sound)?;
    let mut report = MeshReport::of(&mesh, &Adjacency::new(&mesh));
    report.degenerate_triangles = dropped;
    Ok(Loaded { mesh, report })
}
