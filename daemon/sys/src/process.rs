//! Ends this process when the ordinary way out is blocked.

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    stdio::stderr,
};

/// Writes `text` to standard error if that can take it now. Never blocks, takes no lock.
pub fn say_unless_it_blocks(text: &str) {
    let stderr = stderr();
    let mut polled = [PollFd::new(&stderr, PollFlags::OUT)];
    let now = Timespec::default();
    // A pipe that is ready takes at least a page; no text here is longer.
    if matches!(poll(&mut polled, Some(&now)), Ok(1))
        && polled
            .first()
            .is_some_and(|p| p.revents().contains(PollFlags::OUT))
    {
        let _ = rustix::io::write(stderr, text.as_bytes());
    }
}

/// Ends the process at once: nothing is flushed, no destructor and no exit handler runs, no lock is
/// taken.
pub fn end_now(status: u8) -> ! {
    // SAFETY: `_exit` takes any status, does not return, and touches no memory of ours.
    unsafe { libc::_exit(libc::c_int::from(status)) }
}
