//! Writing meshes of skins: points with normals and triangles, as OBJ, PLY or binary glTF.
//!
//! Pure functions to an [`io::Write`]: equal meshes give equal bytes. Numbers survive to the bit, also as text, since they are written with as many digits as
//! tell them apart. Axes and metres stay as they are (glTF viewers take y for up). Everything is checked before the first byte, so a mesh with a
//! fault leaves no half file; what the writer itself refuses may. May block where the writer does, and allocates: not for a real-time thread.

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

/// Why a mesh could not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
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
    /// More than the format can number.
    #[error("{count} {what}, the format holds {limit}")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: u64,
        /// How many there may be.
        limit: u64,
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
    /// The writer said no.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Surface<'_> {
    fn check(&self) -> Result<(), ExportError> {
        let positions = self.positions.len();
        if positions != self.normals.len() {
            return Err(ExportError::Lengths {
                positions,
                normals: self.normals.len(),
            });
        }
        let triangles = self.triangles.len();
        if positions == 0 || triangles == 0 {
            return Err(ExportError::Empty {
                positions,
                triangles,
            });
        }
        // Counts and indices are 32 bit in all of the formats, and the largest index of glTF is a mark.
        let limit = u64::from(u32::MAX);
        for (what, count) in [("positions", positions), ("triangles", triangles)] {
            let count = count as u64;
            if count >= limit {
                return Err(ExportError::TooMany { what, count, limit });
            }
        }
        for (what, list) in [("position", self.positions), ("normal", self.normals)] {
            let odd = list.iter().position(|v| v.iter().any(|c| !c.is_finite()));
            if let Some(index) = odd {
                let value = list[index];
                return Err(ExportError::NotFinite { what, index, value });
            }
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|i| **i as usize >= positions) {
                return Err(ExportError::Index {
                    triangle,
                    index,
                    positions,
                });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
