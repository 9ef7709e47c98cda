//! File descriptors in general: the limit of the process, and closing without waiting.
//!
//! Makes system calls.

use rustix::{
    io::Errno,
    net::sockopt::set_socket_linger,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use std::{io, os::fd::AsFd};

/// The process's limit on descriptors, before and after [`raise_limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescriptorLimit {
    /// The limit before.
    pub was: u64,
    /// The limit now; `u64::MAX` if there is none.
    pub is: u64,
}

/// Raises the soft limit on descriptors to the hard one, which needs no privilege. Only `select`
/// cannot cope with that, and nothing here uses it.
///
/// # Errors
/// The system's refusal; the limit then stays as it was.
pub fn raise_limit() -> io::Result<DescriptorLimit> {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let number = |limit: Option<u64>| limit.unwrap_or(u64::MAX);
    if current != maximum {
        let current = maximum;
        setrlimit(Resource::Nofile, Rlimit { current, maximum })?;
    }
    Ok(DescriptorLimit {
        was: number(current),
        is: number(maximum),
    })
}

/// The process's present limit on descriptors; `u64::MAX` if there is none.
pub fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Whether the system refused for lack of memory or descriptors, of which more may be available
/// later.
pub fn is_shortage(error: &io::Error) -> bool {
    let shortages = [
        Errno::MFILE,
        Errno::NFILE,
        Errno::NOMEM,
        Errno::NOBUFS,
        Errno::AGAIN,
    ];
    error
        .raw_os_error()
        .is_some_and(|code| shortages.iter().any(|s| s.raw_os_error() == code))
}

/// Makes closing a socket no longer wait for its data to be delivered; the kernel continues to
/// deliver them. May block while another thread or process uses the socket. Closing other files may
/// still block.
pub fn do_not_linger(fd: impl AsFd) {
    // Fails for a descriptor that is not a socket, which is fine.
    let _ = set_socket_linger(fd, None);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::net::sockopt::socket_linger;
    use std::{net::TcpListener, time::Duration};

    #[test]
    fn the_soft_limit_becomes_the_hard_one() {
        let before = getrlimit(Resource::Nofile);
        let low = Rlimit {
            current: Some(200),
            ..before
        };
        setrlimit(Resource::Nofile, low).unwrap();
        assert_eq!(limit(), 200);
        let raised = raise_limit().unwrap();
        assert_eq!(raised.was, 200);
        assert_eq!(Some(raised.is), before.maximum.or(Some(u64::MAX)));
        assert_eq!(limit(), raised.is);
        assert_eq!(raise_limit().unwrap().was, raised.is);
    }

    #[test]
    fn a_socket_stops_lingering() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        set_socket_linger(&socket, Some(Duration::from_secs(3600))).unwrap();
        do_not_linger(&socket);
        assert_eq!(socket_linger(&socket).unwrap(), None);
        // Not a socket: nothing happens.
        do_not_linger(std::fs::File::open("/").unwrap());
    }
}
