//! Reasons why the GPU makes no skin.

use hapticd_skin::{Kernel, Skeleton, SkinError};
use thiserror::Error;

use crate::buffer::BufferError;
use crate::device::Fault;

/// Reasons why a primitive is not for the GPU. Not a fault: the CPU handles it.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum SkinRefused {
    /// The skeleton is not a point.
    #[error("{0:?}: the GPU has points only")]
    Skeleton(Skeleton),
    /// The kernel is not Murakami's.
    #[error("{0:?}: the GPU has Murakami's kernel only")]
    Kernel(Kernel),
    /// A number that single precision cannot represent next to the others.
    #[error("{what} is {value}, the GPU has {least} to {most}")]
    Range {
        /// Name of the number.
        what: &'static str,
        /// Its value.
        value: f64,
        /// Smallest allowed value.
        least: f64,
        /// Largest allowed value.
        most: f64,
    },
}

/// Reasons why the GPU makes no mesh. Where the CPU would make one, it can be used instead, with
/// the same result.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum GpuSkinError {
    /// The CPU refuses it as well. The caller is at fault.
    #[error(transparent)]
    Skin(#[from] SkinError),
    /// Only the CPU supports it.
    #[error("primitive {number}: {why}")]
    Refused {
        /// Number of the primitive.
        number: usize,
        /// Reason.
        why: SkinRefused,
    },
    /// There are too many bricks, pairs of a primitive and a brick, vertices or triangles to
    /// number.
    #[error("{what}: {count} of them, the GPU counts to {most}")]
    Count {
        /// Kind of element.
        what: &'static str,
        /// Their number, or a lower bound of it.
        count: u64,
        /// Maximum number.
        most: u64,
    },
    /// The adapter cannot bind that much, or has no memory.
    #[error(transparent)]
    Buffer(BufferError),
    /// The answer did not arrive in time. The device may be slow, or hang.
    #[error("the GPU was asked for a skin and looked at {looks} times: no answer")]
    Late {
        /// Number of polls.
        looks: u32,
    },
    /// A defect of this program or of the driver: triangles have corners without a vertex, or the
    /// capacity never suffices.
    #[error(
        "the GPU's skin is wrong: {torn} corners of triangles are no vertices, after {tries} tries"
    )]
    Wrong {
        /// Number of such corners.
        torn: u32,
        /// Number of tries.
        tries: u32,
    },
    /// The device has failed.
    #[error(transparent)]
    Fault(Fault),
}

impl GpuSkinError {
    /// True if the device is unusable until it is opened again.
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
