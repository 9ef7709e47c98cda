//! Starts a named thread.

use std::thread::{Builder, JoinHandle};

use super::SessionError;

/// Starts a thread that runs `f`; its name is what the system and the log show.
///
/// # Errors
/// When the system makes no thread.
pub(super) fn spawn<T: Send + 'static>(
    name: &'static str,
    f: impl FnOnce() -> T + Send + 'static,
) -> Result<JoinHandle<T>, SessionError> {
    Builder::new()
        .name(name.to_owned())
        .spawn(f)
        .map_err(|error| SessionError::Thread { name, error })
}
