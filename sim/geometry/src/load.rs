//! Loading meshes from files and bytes: one clean triangle mesh from the contents, and a report on
//! it.
//!
//! Every loader returns the file's triangles (polygons are triangulated), with its numbers read as
//! metres and in the file's own axes. Then all formats are treated alike. Vertices that are exactly
//! equal are welded. Triangles without area are dropped, and counted in the report. Unused vertices
//! are dropped. Nothing else is repaired: holes, flipped faces and self-intersections stay and show
//! in the [`MeshReport`].
//!
//! Where a library could panic, or could allocate what a header claims, the parsers are written
//! here. Memory is in proportion to the bytes that are really there, whatever counts the file
//! claims. No panics on any bytes. Blocks on the disk and allocates: not for a real-time thread.

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
    /// Wavefront OBJ: `v` and `f` are read, everything else is skipped.
    Obj,
    /// STL, binary or ASCII.
    Stl,
    /// PLY, ASCII or binary.
    Ply,
    /// glTF 2.0, text or binary (GLB).
    Gltf,
}

impl Format {
    /// Returns the format of a file name's extension, in any case.
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
    /// Findings about it; `degenerate_triangles` counts those that were dropped.
    pub report: MeshReport,
}

/// Why a mesh could not be loaded.
#[derive(Debug, thiserror::Error)]
#[error("{file}{}: {problem}", format.map(|f| format!(" ({f})")).unwrap_or_default())]
pub struct LoadError {
    /// The file, or the name given with the bytes.
    pub file: String,
    /// The format; `None` if it is not known.
    pub format: Option<Format>,
    /// The problem.
    pub problem: LoadProblem,
}

/// A problem of a mesh file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadProblem {
    /// The extension belongs to no known format.
    #[error("`{extension}` is not a mesh file's extension (obj, stl, ply, gltf, glb)")]
    UnknownExtension {
        /// The extension, empty if there is none.
        extension: String,
    },
    /// A folder, a device or a pipe.
    #[error("not a regular file")]
    NotAFile,
    /// An error of the operating system.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The file is larger than [`MAX_FILE_BYTES`].
    #[error("{bytes} bytes, the limit is {limit}")]
    TooLarge {
        /// Size of the file.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// The file ends before its header says.
    #[error("{what} need {needed} bytes; found {available}")]
    Truncated {
        /// The part that is cut off.
        what: String,
        /// Bytes that it should have.
        needed: u64,
        /// Bytes that there are.
        available: u64,
    },
    /// A line of a text is malformed.
    #[error("line {line}: {expected} expected, `{found}` found")]
    Syntax {
        /// Line, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
        /// The start of what is there.
        found: String,
    },
    /// A value of a PLY element is missing or not a number.
    #[error("{element} {index} of {count}: no value at byte {offset}")]
    Element {
        /// "vertex", "face", ...
        element: String,
        /// Index of the element, from 0.
        index: u64,
        /// Number that the header claims.
        count: u64,
        /// Byte offset in the file.
        offset: u64,
    },
    /// An index or the length of a list is negative, too large or not whole.
    #[error("{element} {index}: bad index {value}")]
    NotAnIndex {
        /// "vertex", "face", ...
        element: String,
        /// Index of the element, from 0.
        index: u64,
        /// The number that is there.
        value: f64,
    },
    /// The JSON of a glTF is malformed, or does not describe a glTF.
    #[error("JSON: {0}")]
    Json(String),
    /// A part of a glTF refers to another that does not exist.
    #[error("{what} {index} does not exist, there are {count}")]
    Reference {
        /// "mesh", "accessor", ...
        what: &'static str,
        /// Its index, from 0.
        index: usize,
        /// Number of such parts.
        count: usize,
    },
    /// A node of a glTF is its own ancestor or has two parents.
    #[error("node {node} is in the scene twice")]
    NodeTwice {
        /// Index of the node, from 0.
        node: usize,
    },
    /// A feature that is not read, or something that makes no sense.
    #[error("not supported: {what}")]
    Unsupported {
        /// What, and where.
        what: String,
    },
    /// A coordinate of an OBJ's vertex is NaN or infinite.
    #[error("line {line}: vertex {vertex} has a coordinate that is not finite: `{found}`")]
    Vertex {
        /// Line, from 1.
        line: usize,
        /// Index of the vertex, from 1 as the format counts.
        vertex: usize,
        /// Text of the line.
        found: String,
    },
    /// A face refers to a vertex that does not exist.
    #[error(
        "{}face {face}: vertex {index} does not exist, there are {vertices}",
        line.map(|line| format!("line {line}: ")).unwrap_or_default()
    )]
    Index {
        /// Line of a text, from 1.
        line: Option<usize>,
        /// Index of the face, from 1.
        face: usize,
        /// The index as the file has it.
        index: i64,
        /// Number of vertices.
        vertices: usize,
    },
    /// A polygon that is not convex has too many corners.
    #[error("face {face} is not convex and has {corners} corners, the limit is {limit}")]
    Polygon {
        /// Index of the face, from 1.
        face: usize,
        /// Number of corners.
        corners: usize,
        /// The limit.
        limit: usize,
    },
    /// No triangle has an area.
    #[error("all {dropped} triangles have no area")]
    AllDegenerate {
        /// Number of triangles that were dropped.
        dropped: usize,
    },
    /// The triangles do not make a valid mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
}

/// Result of a parser: vertices and faces over them, unchecked.
#[derive(Debug, Default)]
struct Soup {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    /// Corners of the faces with more than three, one face after the other.
    polygons: Vec<u32>,
    /// End of each such face in `polygons`, and its index in the file, from 0.
    polygon_ends: Vec<(usize, usize)>,
}

impl Soup {
    /// Adds a triangle unless there are too many.
    fn triangle(&mut self, corners: [u32; 3]) -> Result<(), LoadProblem> {
        within("triangles", self.triangles.len(), MAX_TRIANGLES)?;
        self.triangles.push(corners);
        Ok(())
    }

    /// Adds a face of any number of corners; fewer than three add nothing. `face` counts from 0.
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

    /// Adds a vertex unless there are too many, and returns its index.
    fn vertex(&mut self, position: Vec3) -> Result<u32, LoadProblem> {
        within("vertices", self.positions.len(), 3 * MAX_TRIANGLES)?;
        self.positions.push(position);
        Ok((self.positions.len() - 1) as u32)
    }

    /// Triangulates the polygons and returns the checked mesh of all faces.
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

/// Checks that one more fits.
fn within(what: &'static str, have: usize, limit: usize) -> Result<(), LoadProblem> {
    if have < limit {
        return Ok(());
    }
    let count = have.saturating_add(1);
    Err(MeshError::TooMany { what, count, limit }.into())
}

/// Loads a mesh file; its extension selects the format.
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

/// Finds the first vertex of an OBJ at exactly this position: its line and its number, both from 1.
///
/// `None` for other formats, if the file cannot be read, and if no vertex is there.
#[must_use]
pub fn vertex_in_file(path: &Path, position: &Vec3) -> Option<(usize, usize)> {
    (Format::of(path) == Some(Format::Obj)).then_some(())?;
    obj::find(&read(path).ok()?, position)
}

/// Loads a mesh from bytes; `name` is for the error. A glTF must contain its own buffers.
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

/// `folder` holds the files that this one refers to.
fn parse(bytes: &[u8], format: Format, folder: Option<&Path>) -> Result<Loaded, LoadProblem> {
    finish(match format {
        Format::Obj => obj::parse(bytes)?,
        Format::Stl => stl::parse(bytes)?,
        Format::Ply => ply::parse(bytes)?,
        Format::Gltf => gltf::parse(bytes, folder)?,
    })
}

/// Reads the bytes of a regular file within the limit.
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

/// Cleans what a file gave, and reports on it.
fn finish(soup: Soup) -> Result<Loaded, LoadProblem> {
    let Cleaned { mesh, dropped } = cleaned(&soup.into_mesh()?)?;
    let mut report = MeshReport::of(&mesh, &Adjacency::new(&mesh));
    report.degenerate_triangles = dropped;
    Ok(Loaded { mesh, report })
}

/// A mesh that was [`cleaned`].
#[derive(Debug, Clone)]
pub struct Cleaned {
    /// The mesh: welded, without degenerate triangles and unused vertices.
    pub mesh: TriMesh,
    /// Number of degenerate triangles that were left out.
    pub dropped: usize,
}

/// Welds vertices at equal positions, drops triangles without area, drops unused vertices.
///
/// # Errors
/// If no triangle has an area, or the result is not a mesh.
pub fn cleaned(checked: &TriMesh) -> Result<Cleaned, LoadProblem> {
    let mut first: HashMap<[u64; 3], u32> = HashMap::with_capacity(checked.positions().len());
    let mut kept: Vec<Vec3> = Vec::new();
    let new_index: Vec<u32> = checked
        .positions()
        .iter()
        .map(|p| {
            // Adding 0 gives -0 the same bits as 0.
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
    Ok(Cleaned { mesh, dropped })
}
