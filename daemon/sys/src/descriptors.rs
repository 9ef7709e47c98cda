//! Descriptors as such: how many the process may have, and closing without waiting.
//!
//! Makes system calls.

use rustix::{
    io::Errno,
    net::sockopt::set_socket_linger,
    process::{Resource, Rlimit, getrlimit, setrlimit},
};
use std::{io, os::fd::AsFd};

/// How many descriptors the process may have: what it had, and what it has after [`raise_limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DescriptorLimit {
    /// Before.
    pub was: u64,
    /// Now; `u64::MAX` without a limit.
    pub is: u64,
}

/// Raises the soft limit on descriptors to the hard one, which needs no right. `select` is the only
/// call that minds, and nothing here uses it.
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

/// How many descriptors the process may have now; `u64::MAX` without a limit.
pub fn limit() -> u64 {
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

/// Whether the system refused for want of memory or descriptors, of which it may have more later.
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

/// If it is a socket, closing it no longer waits for data to be delivered; the kernel goes on
/// delivering them. May block while somebody else is using the socket, and closing other files may
/// block all the same.
pub fn do_not_linger(fd: impl AsFd) {
    // Refused by what is not a socket, and that is fine.
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
    fn a_socket_that_lingers_does_no_longer() {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        set_socket_linger(&socket, Some(Duration::from_secs(3600))).unwrap();
        do_not_linger(&socket);
        assert_eq!(socket_linger(&socket).unwrap(), None);
        // No socket: nothing happens.
        do_not_linger(std::fs::File::open("/").unwrap());
    }
}
