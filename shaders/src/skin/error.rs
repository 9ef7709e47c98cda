//! Why there is no skin from the GPU.

use hapticd_skin::{Kernel, Skeleton, SkinError};
use thiserror::Error;

use crate::buffer::BufferError;
use crate::device::Fault;

/// Why a primitive is not for the GPU. Nobody's fault: the CPU takes it.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SkinRefused {
    /// No point.
    #[error("{0:?}: the GPU has points only")]
    Skeleton(Skeleton),
    /// Another one.
    #[error("{0:?}: the GPU has Murakami's kernel only")]
    Kernel(Kernel),
    /// A number that single precision does not hold beside the others.
    #[error("{what} is {value}, the GPU has {least} to {most}")]
    Range {
        /// Which number.
        what: &'static str,
        /// What it is.
        value: f64,
        /// Least that it may be.
        least: f64,
        /// Most that it may be.
        most: f64,
    },
}

/// Why there is no mesh from the GPU. Where the CPU would give one it can be asked, and gives the
/// same.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GpuSkinError {
    /// What the CPU says as well. The caller's fault.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// Something that only the CPU does.
    #[error("primitive {number}: {why}")]
    Refused {
        /// Which.
        number: usize,
        /// Why.
        why: SkinRefused,
    },
    /// Bricks, pairs of a primitive and a brick, vertices or triangles that cannot be numbered.
    #[error("{what}: {count} of them, the GPU counts to {most}")]
    Count {
        /// What there is too much of.
        what: &'static str,
        /// How many there are, or more.
        count: u64,
        /// How many there may be.
        most: u64,
    },
    /// More than the adapter can bind, or no memory.
    #[error(transparent)]
    Buffer(BufferError),
    /// The answer did not come in time. The device may be slow, or hang.
    #[error("the GPU was asked for a skin and looked at {looks} times: no answer")]
    Late {
        /// How often.
        looks: u32,
    },
    /// A defect of ours, or of the driver: triangles have corners that are no vertices, or there
    /// never is enough room.
    #[error(
        "the GPU's skin is wrong: {torn} corners of triangles are no vertices, after {tries} tries"
    )]
    Wrong {
        /// How many.
        torn: u32,
        /// How often it was tried.
        tries: u32,
    },
    /// The device has failed.
    #[error(transparent)]
    Fault(Fault),
}

impl GpuSkinError {
    /// Whether the device is of no more use before it is opened again.
    #[must_use]
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Fault(_))
    }
}

impl From<Fault> for GpuSkinError {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl From<BufferError> for GpuSkinError {
    fn from(error: BufferError) -> Self {
        match error {
            BufferError::Fault(fault) => Self::Fault(fault),
            error => Self::Buffer(error),
        }
    }
}
