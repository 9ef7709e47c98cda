//! Connecting, polling, leaving.

use crate::{
    failure::{Failure, HD_EVENT, HD_OK, HD_VERSION, Misuse, check_output},
    handle::{Handle, guarded_call},
    library::ABI_VERSION,
    memory,
    types::{hd_connect_options, hd_error, hd_event, hd_welcome},
};
use hapticd_client::{ArmInfo, BodyInfo, Client, ConnectError, RequestError};
use std::{
    os::fd::{AsFd, AsRawFd},
    path::PathBuf,
    time::{Duration, Instant},
};

/// Time that an answer may take unless the caller says otherwise.
const TIMEOUT: Duration = Duration::from_secs(10);

/// What is behind an `hd_client`.
pub(crate) struct Connected {
    pub client: Client,
    timeout: Duration,
    pub arms: Vec<ArmInfo>,
    pub bodies: Vec<BodyInfo>,
}

/// An `hd_client`.
pub(crate) type ClientHandle = Handle<Connected>;

impl Connected {
    pub fn new(client: Client) -> Self {
        Self {
            client,
            timeout: TIMEOUT,
            arms: Vec::new(),
            bodies: Vec::new(),
        }
    }

    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
        self.client.set_timeout(timeout);
    }

    /// Posts something without waiting for the daemon to take it.
    pub fn post(
        &mut self,
        post: impl FnOnce(&mut Client) -> Result<(), RequestError>,
    ) -> Result<i32, Failure> {
        self.client.set_timeout(Duration::ZERO);
        let result = post(&mut self.client);
        self.client.set_timeout(self.timeout);
        match result {
            Ok(()) => Ok(HD_OK),
            Err(RequestError::Timeout(_)) => Err(Failure::plain(crate::failure::HD_WOULD_WAIT)),
            Err(error) => Err(error.into()),
        }
    }
}

/// A time of the caller's; less than 0 is for ever.
pub(crate) fn duration(milliseconds: i32) -> Duration {
    u64::try_from(milliseconds).map_or(Duration::MAX, Duration::from_millis)
}

/// Where and as what to connect.
struct Wanted {
    name: String,
    socket: Option<PathBuf>,
    patience: Duration,
    timeout: Duration,
}

fn check_version(theirs: u32) -> Result<(), Failure> {
    if theirs >> 16 == ABI_VERSION >> 16 {
        return Ok(());
    }
    let parts = |version: u32| format!("{}.{}", version >> 16, version & 0xffff);
    Err(Failure {
        number: theirs.into(),
        limit: ABI_VERSION.into(),
        ..Failure::new(
            HD_VERSION,
            format!(
                "the program was built for version {} of libhapticd's interface, and this is {}: \
                 build it again, or install the other library",
                parts(theirs),
                parts(ABI_VERSION)
            ),
        )
    })
}

/// Tries again every 20 ms while no daemon listens, for at most the caller's patience.
fn connect(wanted: &Wanted) -> Result<*mut ClientHandle, Failure> {
    let start = Instant::now();
    let client = loop {
        let attempt = match &wanted.socket {
            Some(path) => Client::connect_to(path, &wanted.name),
            None => Client::connect(&wanted.name),
        };
        match attempt {
            // Also a daemon that is just ending: its socket still took the connection.
            Err(
                ConnectError::NoDaemon { .. } | ConnectError::Handshake(RequestError::Disconnected),
            ) if start.elapsed() < wanted.patience => {
                std::thread::sleep(Duration::from_millis(20));
            }
            attempt => break attempt?,
        }
    };
    let mut connected = Connected::new(client);
    connected.set_timeout(wanted.timeout);
    Ok(ClientHandle::give(connected))
}

/// Connects, and writes the handle, or NULL, to `to`.
unsafe fn give_client(
    to: *mut *mut ClientHandle,
    error: *mut hd_error,
    wanted: impl FnOnce() -> Result<Wanted, Failure>,
) -> i32 {
    let made = || {
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(to, std::ptr::null_mut()) }?;
        let handle = connect(&wanted()?)?;
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(to, handle) }?;
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { guarded_call(error, made) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_connect(
    abi_version: u32,
    name: *const u8,
    name_length: usize,
    client: *mut *mut ClientHandle,
    error: *mut hd_error,
) -> i32 {
    let wanted = || {
        check_version(abi_version)?;
        Ok(Wanted {
            // SAFETY: the rule of `memory`.
            name: unsafe { name_of(name, name_length) }?,
            socket: None,
            patience: Duration::ZERO,
            timeout: TIMEOUT,
        })
    };
    // SAFETY: the rule of `memory`.
    unsafe { give_client(client, error, wanted) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_connect_with(
    options: *const hd_connect_options,
    client: *mut *mut ClientHandle,
    error: *mut hd_error,
) -> i32 {
    let wanted = || {
        // SAFETY: the rule of `memory`.
        let options = unsafe { memory::read(options) }?;
        check_version(options.abi_version)?;
        let socket = if options.socket.is_null() {
            None
        } else if options.socket_length > MAX_PATH {
            return Err(Misuse {
                what: "the path of a socket is too long",
                number: options.socket_length as u64,
                limit: MAX_PATH as u64,
            }
            .into());
        } else {
            // SAFETY: the rule of `memory`.
            Some(unsafe { memory::text(options.socket, options.socket_length) }?.into())
        };
        Ok(Wanted {
            // SAFETY: the rule of `memory`.
            name: unsafe { name_of(options.name, options.name_length) }?,
            socket,
            patience: duration(options.patience_ms),
            timeout: match options.timeout_ms {
                0 => TIMEOUT,
                other => duration(other),
            },
        })
    };
    // SAFETY: the rule of `memory`.
    unsafe { give_client(client, error, wanted) }
}

/// No path of a system is longer. A length of -1 is found by it before the text is read.
const MAX_PATH: usize = 4096;
/// Longest name that is read at all; the daemon's limit is 63 bytes.
const MAX_NAME: usize = 4096;

/// Reads a name. That it is one is for the client to check.
pub(crate) unsafe fn name_of(start: *const u8, length: usize) -> Result<String, Misuse> {
    if length > MAX_NAME {
        return Err(Misuse {
            what: "a name is too long",
            number: length as u64,
            limit: 63,
        });
    }
    // SAFETY: the rule of `memory`.
    unsafe { memory::text(start, length) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_client_free(client: *mut ClientHandle) {
    // SAFETY: the rule of `memory`.
    unsafe { Handle::free(client, |connected| connected.client.close()) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_client_welcome(
    client: *const ClientHandle,
    welcome: *mut hd_welcome,
) -> i32 {
    let write = |connected: &mut Connected| {
        let made = hd_welcome::from(connected.client.welcome());
        // SAFETY: the rule of `memory`.
        unsafe { memory::write(welcome, &made) }?;
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, std::ptr::null_mut(), write) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_client_set_timeout_ms(client: *mut ClientHandle, timeout_ms: i32) -> i32 {
    let set = |connected: &mut Connected| {
        connected.set_timeout(duration(timeout_ms));
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, std::ptr::null_mut(), set) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_client_fd(client: *const ClientHandle) -> i32 {
    let fd = |connected: &mut Connected| Ok(connected.client.as_fd().as_raw_fd());
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, std::ptr::null_mut(), fd) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_client_poll(
    client: *mut ClientHandle,
    timeout_ms: i32,
    event: *mut hd_event,
    error: *mut hd_error,
) -> i32 {
    let poll = |connected: &mut Connected| {
        // Before an event is taken that could then not be written.
        // SAFETY: the rule of `memory`.
        unsafe { check_output(event) }?;
        match connected.client.poll_renewing(duration(timeout_ms))? {
            None => Ok(HD_OK),
            Some(news) => {
                // SAFETY: the rule of `memory`.
                unsafe { memory::write(event, &hd_event::from(&news)) }?;
                Ok(HD_EVENT)
            }
        }
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, error, poll) }
}

/// A mistake in the library while it has a client, for tests of what it does then.
#[cfg(feature = "panic-entry")]
#[unsafe(no_mangle)]
unsafe extern "C" fn hd_test_panic_client(client: *mut ClientHandle, error: *mut hd_error) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, error, |_| panic!("a planted mistake")) }
}
