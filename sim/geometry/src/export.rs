//! Writing meshes of skins: named parts of points with normals and triangles, as OBJ, PLY or binary
//! glTF.
//!
//! Pure functions that write to an [`io::Write`]: equal meshes give equal bytes. Numbers keep every
//! bit, also as text, since they are written with as many digits as distinguish them. Units and
//! axes stay as they are: metres, z up. In glTF the up axis is y: the root node turns them and the
//! numbers stay. A part is an object in OBJ and a node with its mesh in glTF. PLY has a single
//! mesh: it holds the parts one after the other, and comments say where each is.
//!
//! Everything is checked before the first byte, so a faulty mesh leaves no partial file; an error
//! of the writer may. May block where the writer does, and allocates: not for a real-time thread.

use std::io;

mod gltf;
mod obj;
mod ply;

pub use gltf::write_glb;
pub use obj::write_obj;
pub use ply::{Encoding, write_ply};

/// A mesh to be written, borrowed from the skin.
#[derive(Debug, Clone, Copy)]
pub struct Surface<'a> {
    /// Positions, m.
    pub positions: &'a [[f32; 3]],
    /// One normal for each position, of any length; written as given.
    pub normals: &'a [[f32; 3]],
    /// Indices into the positions, counter-clockwise from outside.
    pub triangles: &'a [[u32; 3]],
}

/// One mesh of a file.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Its name; line breaks and other control characters become spaces.
    pub name: &'a str,
    /// Its mesh.
    pub surface: Surface<'a>,
}

/// A fault of a mesh that was to be written. The caller's fault.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceFault {
    /// The number of normals differs from the number of positions.
    #[error("{positions} positions, but {normals} normals")]
    Lengths {
        /// Number of positions.
        positions: usize,
        /// Number of normals.
        normals: usize,
    },
    /// No position or no triangle: glTF cannot express it, and no loader could read it.
    #[error("nothing to write: {positions} positions, {triangles} triangles")]
    Empty {
        /// Number of positions.
        positions: usize,
        /// Number of triangles.
        triangles: usize,
    },
    /// A corner is not the index of a position.
    #[error("triangle {triangle} names position {index} of {positions}")]
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// The invalid corner.
        index: u32,
        /// Number of positions.
        positions: usize,
    },
    /// A number is not finite.
    #[error("{what} {index} {value:?} is not finite")]
    NotFinite {
        /// "position" or "normal".
        what: &'static str,
        /// Index of the position or normal.
        index: usize,
        /// Its value.
        value: [f32; 3],
    },
}

/// Why meshes could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// There is no part.
    #[error("nothing to write: no mesh")]
    NoPart,
    /// A mesh has a fault.
    #[error("`{name}`: {fault}")]
    Surface {
        /// Name of the part.
        name: String,
        /// Its fault.
        #[source]
        fault: SurfaceFault,
    },
    /// More than the format can number, in all parts together.
    #[error("{count} {what}, the format holds {limit}")]
    TooMany {
        /// What is counted.
        what: &'static str,
        /// The count.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// An error of the writer.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Surface<'_> {
    /// Counts the sides of triangles that do not have exactly one other triangle running along them
    /// the other way: 0 for a closed surface. Allocates; linear except for a sort.
    #[must_use]
    pub fn open_sides(&self) -> usize {
        let corners = self.triangles.iter();
        let sides = corners.flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
        let mut sides: Vec<(u32, u32)> = sides.collect();
        sides.sort_unstable();
        let count = |side: (u32, u32)| {
            sides.partition_point(|s| *s <= side) - sides.partition_point(|s| *s < side)
        };
        let is_open = |&&(a, b): &&(u32, u32)| count((a, b)) != 1 || count((b, a)) != 1;
        sides.iter().filter(is_open).count()
    }

    fn check(&self) -> Result<(), SurfaceFault> {
        let positions = self.positions.len();
        if positions != self.normals.len() {
            return Err(SurfaceFault::Lengths {
                positions,
                normals: self.normals.len(),
            });
        }
        let triangles = self.triangles.len();
        if positions == 0 || triangles == 0 {
            return Err(SurfaceFault::Empty {
                positions,
                triangles,
            });
        }
        for (what, list) in [("position", self.positions), ("normal", self.normals)] {
            let odd = list.iter().position(|v| v.iter().any(|c| !c.is_finite()));
            if let Some(index) = odd {
                let value = list[index];
                return Err(SurfaceFault::NotFinite { what, index, value });
            }
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|i| **i as usize >= positions) {
                return Err(SurfaceFault::Index {
                    triangle,
                    index,
                    positions,
                });
            }
        }
        Ok(())
    }
}

/// Checks all parts and returns how many positions and triangles they have.
fn check(parts: &[Part<'_>]) -> Result<(u64, u64), ExportError> {
    if parts.is_empty() {
        return Err(ExportError::NoPart);
    }
    let (mut positions, mut triangles) = (0, 0);
    for Part { name, surface } in parts {
        surface.check().map_err(|fault| ExportError::Surface {
            name: (*name).to_owned(),
            fault,
        })?;
        positions += surface.positions.len() as u64;
        triangles += surface.triangles.len() as u64;
    }
    // Counts and indices have 32 bits in all formats, and the largest index of glTF is reserved.
    let limit = u64::from(u32::MAX);
    for (what, count) in [("positions", positions), ("triangles", triangles)] {
        if count >= limit {
            return Err(ExportError::TooMany { what, count, limit });
        }
    }
    Ok((positions, triangles))
}

/// Returns a name on one line.
fn line(name: &str) -> String {
    name.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests;
