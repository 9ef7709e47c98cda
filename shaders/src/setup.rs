//! What can go wrong when something is created on a GPU: the device, a shader, memory.

use thiserror::Error;

use crate::adapter::OpenError;
use crate::buffer::BufferError;
use crate::device::Fault;
use crate::pass::PassError;

/// Reasons why a tracer, or anything else that works on a GPU, cannot be created.
#[derive(Clone, Debug, Error)]
pub enum SetupError {
    /// No adapter is available.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A shader was not accepted.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// There is no memory.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The device has failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}
