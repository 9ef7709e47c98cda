//! The listening socket, and a thread for each connection.

use crate::{
    access::Access,
    http::{self, Refusal},
    limits::{HANDSHAKE, MAX_CLIENTS, MAX_CONNECTIONS, RESPONSE},
    log::Log,
    session::{End, Session},
    stream::Stream,
    token::Token,
    upgrade::{self, Route, SUBPROTOCOL},
};
use hapticd_sys::wake::{Interest, Wake, wait};
use rustls::ServerConfig;
use std::{
    io,
    net::{SocketAddr, TcpListener, TcpStream},
    os::fd::AsFd,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// How a gateway is started.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Address to listen at; port 0 for any that is free.
    pub listen: SocketAddr,
    /// The daemon's socket.
    pub socket: PathBuf,
    /// More host names ([`Access::new`]).
    pub names: Vec<String>,
    /// More origins.
    pub origins: Vec<String>,
    /// TLS.
    pub tls: Option<Arc<ServerConfig>>,
    /// The token that clients must show.
    pub token: Token,
}

/// Why a gateway does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Motion and forces would go over a network in the clear.
    #[error(
        "{0} is not loopback: another machine may connect only through TLS (--tls-cert, --tls-key)"
    )]
    NoTls(SocketAddr),
    /// The address is taken, or not this machine's.
    #[error("cannot listen at {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Error of the system.
        source: io::Error,
    },
}

/// What all connections share.
#[derive(Debug)]
struct Shared {
    access: Access,
    socket: PathBuf,
    tls: Option<Arc<ServerConfig>>,
    log: Log,
    connections: AtomicUsize,
    clients: AtomicUsize,
}

/// One of a limited number of places.
struct Place<'a>(&'a AtomicUsize);

impl<'a> Place<'a> {
    fn take(counter: &'a AtomicUsize, limit: usize) -> Option<Self> {
        let next = |count: usize| (count < limit).then_some(count + 1);
        counter
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, next)
            .ok()
            .map(|_| Self(counter))
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A gateway that listens.
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Listens. Connections wait until [`serve`](Self::serve).
    ///
    /// # Errors
    /// [`StartError`].
    pub fn start(settings: Settings) -> Result<Self, StartError> {
        let address = settings.listen;
        if !address.ip().is_loopback() && settings.tls.is_none() {
            return Err(StartError::NoTls(address));
        }
        let failed = |source| StartError::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let is_tls = settings.tls.is_some();
        let Settings {
            names,
            origins,
            token,
            ..
        } = settings;
        Ok(Self {
            listener,
            address,
            shared: Arc::new(Shared {
                access: Access::new(address, is_tls, &names, &origins, token),
                socket: settings.socket,
                tls: settings.tls,
                log: Log::default(),
                connections: AtomicUsize::new(0),
                clients: AtomicUsize::new(0),
            }),
        })
    }

    /// Returns the address with its port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts connections until `stop` is signalled. Connections that are open then go on in
    /// their threads.
    ///
    /// # Errors
    /// When the system refuses to wait.
    pub fn serve(&self, stop: &Wake) -> io::Result<()> {
        loop {
            let items = [
                (self.listener.as_fd(), Interest::Read),
                (stop.as_fd(), Interest::Read),
            ];
            let ready = wait(&items, None)?;
            if ready.get(1).is_some_and(|stop| stop.readable) {
                return Ok(());
            }
            match self.listener.accept() {
                Ok((stream, peer)) => self.open(stream, peer),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    self.shared.log.line(&format!("cannot accept: {error}"));
                    // Out of descriptors, as a rule: some become free when a connection ends.
                    wait(
                        &[(stop.as_fd(), Interest::Read)],
                        Some(Duration::from_millis(100)),
                    )?;
                }
            }
        }
    }

    fn open(&self, stream: TcpStream, peer: SocketAddr) {
        let shared = self.shared.clone();
        let started = std::thread::Builder::new()
            .name("connection".to_owned())
            .stack_size(256 << 10)
            .spawn(move || shared.connection(stream, peer));
        if let Err(error) = started {
            self.shared
                .log
                .line(&format!("no thread for {peer}: {error}"));
        }
    }
}

impl Shared {
    fn connection(&self, stream: TcpStream, peer: SocketAddr) {
        // One too many is closed without a word: words would cost what there is not.
        let Some(_place) = Place::take(&self.connections, MAX_CONNECTIONS) else {
            return self
                .log
                .line(&format!("{peer}: {MAX_CONNECTIONS} connections are open"));
        };
        let Ok(mut stream) = Stream::new(stream, self.tls.as_ref()) else {
            return;
        };
        let deadline = Instant::now() + HANDSHAKE;
        let (refusal, host) = match http::read(&mut stream, deadline) {
            Ok(None) => return,
            Ok(Some((request, rest))) => {
                let host = request.header("host").ok().flatten().map(str::to_owned);
                match upgrade::route(&request, &self.access) {
                    Ok(Route::File(file)) => {
                        let headers = http::headers(
                            file.kind,
                            file.content.len(),
                            host.as_deref(),
                            self.is_tls(),
                        );
                        return respond(&mut stream, 200, &headers, file.content);
                    }
                    Ok(Route::WebSocket(accept)) => match Place::take(&self.clients, MAX_CLIENTS) {
                        Some(place) => return self.client(stream, rest, &accept, (peer, place)),
                        None => {
                            let reason = format!("{MAX_CLIENTS} clients are connected");
                            (Refusal::new(503, reason), None)
                        }
                    },
                    Err(refusal) => (refusal, None),
                }
            }
            Err(refusal) => (refusal, None::<String>),
        };
        self.refuse(&mut stream, &refusal, host.as_deref(), peer);
    }

    fn is_tls(&self) -> bool {
        self.tls.is_some()
    }

    fn refuse(&self, stream: &mut Stream, refusal: &Refusal, host: Option<&str>, peer: SocketAddr) {
        let Refusal { status, reason } = refusal;
        self.log
            .line(&format!("{peer}: refused ({status}): {reason}"));
        let body = format!("{reason}\n");
        let kind = "text/plain; charset=utf-8";
        let mut headers = http::headers(kind, body.len(), host, self.is_tls());
        match status {
            405 => headers.push("Allow: GET".to_owned()),
            426 => headers
                .extend(["Upgrade: websocket", "Sec-WebSocket-Version: 13"].map(str::to_owned)),
            _ => {}
        }
        respond(stream, *status, &headers, body.as_bytes());
    }

    fn client(
        &self,
        mut stream: Stream,
        rest: Vec<u8>,
        accept: &str,
        (peer, place): (SocketAddr, Place<'_>),
    ) {
        let headers = [
            "Upgrade: websocket".to_owned(),
            "Connection: Upgrade".to_owned(),
            format!("Sec-WebSocket-Accept: {accept}"),
            format!("Sec-WebSocket-Protocol: {SUBPROTOCOL}"),
        ];
        let head = http::head(101, &headers);
        if stream
            .write_until(head.as_bytes(), Instant::now() + HANDSHAKE)
            .is_err()
        {
            return;
        }
        self.log.line(&format!("{peer}: connected"));
        match Session::new(stream, rest, self.socket.clone()).run(place) {
            End::Gone => self.log.line(&format!("{peer}: gone")),
            End::Close(code, reason) => {
                self.log.line(&format!("{peer}: closed ({code}): {reason}"));
            }
        }
    }
}

/// Answers and ends the connection. A client that does not take the answer misses it.
fn respond(stream: &mut Stream, status: u16, headers: &[String], body: &[u8]) {
    let deadline = Instant::now() + RESPONSE;
    let mut bytes = http::head(status, headers).into_bytes();
    bytes.extend_from_slice(body);
    if stream.write_until(&bytes, deadline).is_err() {
        return;
    }
    stream.finish(deadline);
    // Until the client has closed: closing with unread bytes would reset what was sent.
    stream.set_budget(64 << 10);
    let mut buffer = [0; 4096];
    while matches!(stream.read_until(&mut buffer, deadline), Ok(count) if count > 0) {}
}
