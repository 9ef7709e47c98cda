//! Writing meshes of skins: named parts of points with normals and triangles, as OBJ, PLY or binary
//! glTF.
//!
//! Pure functions to an [`io::Write`]: equal meshes give equal bytes. Numbers survive to the bit,
//! also as text, since they are written with as many digits as tell them apart. Metres and axes
//! stay as they are, z up; of glTF, whose up is y, they are turned by the root node and not in the
//! numbers. OBJ has a part as an object, glTF as a node with its mesh; PLY, which knows one mesh
//! only, has them one after the other and says where each is in comments. Everything is checked
//! before the first byte, so a mesh with a fault leaves no half file; what the writer itself
//! refuses may. May block where the writer does, and allocates: not for a real-time thread.

use std::io;

mod gltf;
mod obj;
mod ply;

pub use gltf::write_glb;
pub use obj::write_obj;
pub use ply::{Encoding, write_ply};

/// A mesh to be written; it borrows what the skin has.
#[derive(Debug, Clone, Copy)]
pub struct Surface<'a> {
    /// m
    pub positions: &'a [[f32; 3]],
    /// One for each position, of any length; written as they are.
    pub normals: &'a [[f32; 3]],
    /// Indices into the positions, counter-clockwise from outside.
    pub triangles: &'a [[u32; 3]],
}

/// One of the meshes of a file.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// Its name; line breaks and other control characters become spaces.
    pub name: &'a str,
    /// Its mesh.
    pub surface: Surface<'a>,
}

/// What is wrong with a mesh that was to be written. The caller's fault.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceFault {
    /// Not one normal for each position.
    #[error("{positions} positions, but {normals} normals")]
    Lengths {
        /// How many positions.
        positions: usize,
        /// How many normals.
        normals: usize,
    },
    /// No position or no triangle: glTF cannot say it, and nobody could load it.
    #[error("nothing to write: {positions} positions, {triangles} triangles")]
    Empty {
        /// How many positions.
        positions: usize,
        /// How many triangles.
        triangles: usize,
    },
    /// A corner that is no position's index.
    #[error("triangle {triangle} names position {index}, there are {positions}")]
    Index {
        /// Which triangle.
        triangle: usize,
        /// The corner.
        index: u32,
        /// How many positions.
        positions: usize,
    },
    /// A number that is not finite.
    #[error("{what} {index} {value:?} is not finite")]
    NotFinite {
        /// Position or normal.
        what: &'static str,
        /// Which.
        index: usize,
        /// What it is.
        value: [f32; 3],
    },
}

/// Why meshes could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// No part.
    #[error("nothing to write: no mesh")]
    NoPart,
    /// A mesh with a fault.
    #[error("`{name}`: {fault}")]
    Surface {
        /// Whose.
        name: String,
        /// Which.
        #[source]
        fault: SurfaceFault,
    },
    /// More than the format can number, in all parts together.
    #[error("{count} {what}, the format holds {limit}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: u64,
        /// How many there may be.
        limit: u64,
    },
    /// The writer said no.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Surface<'_> {
    /// How many sides of triangles have not exactly one other triangle that has them the other way
    /// round: 0 of a closed surface. Allocates; linear but for a sort.
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

/// How many positions and triangles all parts have, if they are what they should be.
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
    // Counts and indices are 32 bit in all of the formats, and the largest index of glTF is a mark.
    let limit = u64::from(u32::MAX);
    for (what, count) in [("positions", positions), ("triangles", triangles)] {
        if count >= limit {
            return Err(ExportError::TooMany { what, count, limit });
        }
    }
    Ok((positions, triangles))
}

/// A name on one line.
fn line(name: &str) -> String {
    name.replace(char::is_control, " ")
}

#[cfg(test)]
mod tests;
