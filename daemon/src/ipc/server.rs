//! The thread that serves clients: one poll loop over sockets, connections, processes and what the daemon has to say.

use super::{
    Answer, BodyRecord, ClientId, Command, CommandSink, GoneWhy, Notice, Quotas, Refusal, Role,
    blocks::BlockFds,
    hub::{Hub, Import, Imported, Output},
    import::import,
    memory_quota::Ledger,
    outbox::{Outbox, Packet, Sent},
    shapes::{ShapeFile, ShapeFileError},
    skins::{SkinFds, SkinsError},
    sockets::{self, Bound, Endpoint, SocketError},
    surfaces::{SurfaceFds, SurfacesError},
};
use crossbeam::channel::{Receiver, Sender, TrySendError, bounded, unbounded};
use hapticd_protocol::{
    frame::{MAX_MESSAGE, Message},
    reply::{self, ArmInfo, BlockKind, ErrorCode, Reply},
    text::Text,
};
use hapticd_sys::{
    clock::now_ns,
    sealed_file::create_sealed,
    socket::{Connection, Credentials, ReceiveError, SendError},
    wake::{Interest, ProcessWatch, Ready, Wake, wait},
};
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// Packets that are taken from one client before the next one has its turn.
const PACKETS_PER_TURN: usize = 32;
/// Connections that are accepted before those who are connected have their turn.
const ACCEPTS_PER_TURN: usize = 8;
/// For how long nobody is accepted after the system refused to, for want of descriptors: polling would find the socket ready at once.
const ACCEPT_PAUSE_NS: u64 = 100_000_000;
/// Longest wait, so that the supervisor sees the heart beat.
const BEAT: Duration = Duration::from_millis(100);
/// How often wake-up lines and waiting commands are looked at.
const RELAY: Duration = Duration::from_millis(1);
/// Urgent commands that may wait for the sink before clients are told to try again.
const MAX_BACKLOG: usize = 256;
/// Meshes that may wait for the importer.
const MAX_IMPORTS: usize = 16;

/// A client's entry in the [`ServerStatus`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientStatus {
    /// Its number.
    pub client: u32,
    /// Whether it came through the technician's socket.
    pub technician: bool,
    /// What it calls itself; `None` before its hello.
    pub name: Option<String>,
}

/// What the server knows, for the status text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ServerStatus {
    /// Who is connected.
    pub clients: Vec<ClientStatus>,
    /// Connections that were not taken since the start.
    pub refused: u64,
    /// Messages since the start that were lost because they were longer than any, or had more descriptors.
    pub oversize: u64,
}

/// Writes the daemon's state as JSON text, for the technician. Called on the server's thread.
pub type StatusText = Box<dyn FnMut(&ServerStatus) -> String + Send>;

/// What a server needs.
pub struct ServerSetup {
    /// Where applications connect.
    pub app: Endpoint,
    /// Where technicians connect.
    pub technician: Endpoint,
    /// What a client may use.
    pub quotas: Quotas,
    /// The arms.
    pub arms: Vec<ArmInfo>,
    /// The bodies that are there from the start, deformable ones too.
    pub bodies: Vec<BodyRecord>,
    /// The blocks to hand out.
    pub blocks: BlockFds,
    /// The surfaces to hand out: one for each deformable body.
    pub surfaces: SurfaceFds,
    /// The skins to hand out: one for each implicit body.
    pub skins: SkinFds,
    /// The shapes to hand out: of the rigid bodies among those, and of the tools, by identity.
    pub shapes: Vec<(u32, ShapeFile)>,
    /// Writes the status.
    pub status: StatusText,
    /// Takes the commands.
    pub sink: Box<dyn CommandSink>,
}

/// Why there is no server.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    /// A socket.
    #[error(transparent)]
    Socket(#[from] SocketError),
    /// The surface of a deformable body.
    #[error(transparent)]
    Surface(#[from] SurfacesError),
    /// The skin of an implicit body.
    #[error(transparent)]
    Skin(#[from] SkinsError),
    /// The shape of a rigid body or of a tool.
    #[error("the shape of body {id} cannot be shown to clients: {source}")]
    Shape {
        /// The body, or the tool.
        id: u32,
        /// Why.
        source: ShapeFileError,
    },
    /// The system refused something else.
    #[error("cannot set up the server: {0}")]
    System(#[from] io::Error),
}

/// How the rest of the daemon talks to the server. Not for real-time threads: allocates and makes system calls.
#[derive(Clone, Debug)]
pub struct Handle {
    notices: Sender<Notice>,
    wake: Arc<Wake>,
    stop: Arc<AtomicBool>,
    heartbeat: Arc<AtomicU64>,
}

impl Handle {
    /// Tells the server something. Says whether it still lives.
    pub fn notify(&self, notice: Notice) -> bool {
        let alive = self.notices.send(notice).is_ok();
        self.wake.signal();
        alive
    }

    /// Makes [`Server::run`] tell the clients and return.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
        self.wake.signal();
    }

    /// Counts the server's rounds; at least ten a second while it lives.
    pub fn heartbeat(&self) -> u64 {
        self.heartbeat.load(Ordering::Relaxed)
    }
}

/// A connected client.
struct Peer {
    connection: Connection,
    watch: Option<ProcessWatch>,
    outbox: Outbox,
}

/// A line that is rung when an arm's state is new.
struct Line {
    client: ClientId,
    arm: u16,
    connection: Connection,
    rung_at: u64,
}

/// What a descriptor in the poll list belongs to.
#[derive(Clone, Copy)]
enum Source {
    Wake,
    Listener(Role),
    Client(ClientId),
    Process(ClientId),
}

/// The server. See the module page.
pub struct Server {
    app: Bound,
    technician: Bound,
    us: u32,
    hub: Hub,
    peers: BTreeMap<ClientId, Peer>,
    lines: Vec<Line>,
    blocks: BlockFds,
    surfaces: SurfaceFds,
    skins: SkinFds,
    status: StatusText,
    sink: Box<dyn CommandSink>,
    /// Urgent commands that the sink did not take, oldest first.
    backlog: VecDeque<Command>,
    /// The newest motion of each body that it did not take.
    motions: BTreeMap<u32, Command>,
    imports: Sender<Import<OwnedFd>>,
    imported: Receiver<(u64, Result<Imported, Refusal>)>,
    notices: Receiver<Notice>,
    handle: Handle,
    accept_after_ns: u64,
    refused: u64,
    oversize: u64,
}

impl Server {
    /// Makes the sockets and starts the importer. Clients can connect from now on and are served by [`run`](Self::run).
    ///
    /// # Errors
    /// [`SetupError`]: another daemon is running, the folder is not safe, the system refused.
    pub fn bind(setup: ServerSetup) -> Result<(Self, Handle), SetupError> {
        let app = sockets::bind(&setup.app)?;
        let technician = sockets::bind(&setup.technician)?;
        let (notice_sender, notices) = unbounded();
        let (imports, jobs) = bounded::<Import<OwnedFd>>(MAX_IMPORTS);
        let (results, imported) = unbounded();
        let wake = Arc::new(Wake::new()?);
        let importer_wake = wake.try_clone()?;
        let soft = setup.bodies.iter().any(|body| body.kind.is_simulated());
        let mut ledger = Ledger::new(setup.quotas.memory_bytes);
        std::thread::Builder::new()
            .name("hapticd-import".to_owned())
            .spawn(move || {
                // Ends when the server does and drops the other end.
                for job in jobs {
                    if results
                        .send((job.token, import(&job, soft, &mut ledger)))
                        .is_err()
                    {
                        return;
                    }
                    importer_wake.signal();
                }
            })?;
        let handle = Handle {
            notices: notice_sender,
            wake,
            stop: Arc::new(AtomicBool::new(false)),
            heartbeat: Arc::new(AtomicU64::new(0)),
        };
        // A connection to ourselves tells our user id.
        let (ours, _) = Connection::pair()?;
        let us = ours.peer()?.uid;
        let mut hub = Hub::new(setup.quotas, setup.arms, setup.bodies);
        for (body, file) in setup.shapes {
            hub.set_shape(body, file);
        }
        let server = Self {
            app,
            technician,
            us,
            hub,
            peers: BTreeMap::new(),
            lines: Vec::new(),
            blocks: setup.blocks,
            surfaces: setup.surfaces,
            skins: setup.skins,
            status: setup.status,
            sink: setup.sink,
            backlog: VecDeque::new(),
            motions: BTreeMap::new(),
            imports,
            imported,
            notices,
            handle: handle.clone(),
            accept_after_ns: 0,
            refused: 0,
            oversize: 0,
        };
        Ok((server, handle))
    }

    /// Serves until [`Handle::stop`]; then tells the clients, hands their [`Command::Gone`]s on and removes the sockets.
    ///
    /// # Errors
    /// When the system refuses to poll (out of memory): nothing can be served any more.
    pub fn run(mut self) -> io::Result<()> {
        let mut out = Vec::new();
        while !self.handle.stop.load(Ordering::Relaxed) {
            self.handle.heartbeat.fetch_add(1, Ordering::Relaxed);
            let next_ns = self.hub.expire(now_ns(), &mut out);
            self.perform(&mut out);
            self.submit_waiting();
            self.ring();
            self.flush(&mut out);
            let found = self.poll(next_ns)?;
            for (source, ready) in found {
                self.serve(source, ready, &mut out);
                self.perform(&mut out);
            }
            while let Ok(notice) = self.notices.try_recv() {
                self.hub.notice(notice, now_ns(), &mut out);
            }
            while let Ok((token, result)) = self.imported.try_recv() {
                self.hub.imported(token, result, now_ns(), &mut out);
            }
            self.perform(&mut out);
        }
        self.end(&mut out);
        Ok(())
    }

    fn end(&mut self, out: &mut Vec<Output<OwnedFd>>) {
        while let Ok(notice) = self.notices.try_recv() {
            self.hub.notice(notice, now_ns(), out);
        }
        self.hub.stop(out);
        self.perform(out);
        self.flush(out);
        let clients: Vec<ClientId> = self.peers.keys().copied().collect();
        for client in clients {
            self.hub.disconnect(client, GoneWhy::ShuttingDown, out);
        }
        self.perform(out);
        self.submit_waiting();
        self.peers.clear();
    }

    fn timeout(&self, next_ns: Option<u64>) -> Duration {
        let now_ns = now_ns();
        let mut timeout = BEAT;
        if let Some(next_ns) = next_ns {
            timeout = timeout.min(Duration::from_nanos(next_ns.saturating_sub(now_ns)));
        }
        if self.accept_after_ns > now_ns {
            timeout = timeout.min(Duration::from_nanos(self.accept_after_ns - now_ns));
        }
        if !self.lines.is_empty() || !self.backlog.is_empty() || !self.motions.is_empty() {
            timeout = timeout.min(RELAY);
        }
        timeout
    }

    /// Waits for something to do and says where it is.
    fn poll(&self, next_ns: Option<u64>) -> io::Result<Vec<(Source, Ready)>> {
        let mut sources = vec![Source::Wake];
        let mut items: Vec<(BorrowedFd<'_>, Interest)> =
            vec![(self.handle.wake.as_fd(), Interest::Read)];
        if now_ns() >= self.accept_after_ns {
            for (role, bound) in [(Role::App, &self.app), (Role::Technician, &self.technician)] {
                sources.push(Source::Listener(role));
                items.push((bound.listener.as_fd(), Interest::Read));
            }
        }
        for (client, peer) in &self.peers {
            let interest = if peer.outbox.is_empty() {
                Interest::Read
            } else {
                Interest::ReadWrite
            };
            sources.push(Source::Client(*client));
            items.push((peer.connection.as_fd(), interest));
            if let Some(watch) = &peer.watch {
                sources.push(Source::Process(*client));
                items.push((watch.as_fd(), Interest::Read));
            }
        }
        let ready = wait(&items, Some(self.timeout(next_ns)))?;
        Ok(sources
            .into_iter()
            .zip(ready)
            .filter(|(_, ready)| *ready != Ready::default())
            .collect())
    }

    fn serve(&mut self, source: Source, ready: Ready, out: &mut Vec<Output<OwnedFd>>) {
        match source {
            Source::Wake => {
                self.handle.wake.clear();
            }
            Source::Listener(role) => self.accept(role),
            Source::Client(client) => {
                if ready.readable || ready.ended {
                    self.receive(client, out);
                }
            }
            Source::Process(client) => {
                // What it sent before it ended is still carried out, then its end is.
                self.receive(client, out);
                self.drop_peer(client, GoneWhy::ProcessEnded, out);
            }
        }
    }

    fn accept(&mut self, role: Role) {
        for _ in 0..ACCEPTS_PER_TURN {
            let listener = match role {
                Role::App => &self.app.listener,
                Role::Technician => &self.technician.listener,
            };
            match listener.accept() {
                Ok(Some(connection)) => self.admit(role, connection),
                Ok(None) => return,
                Err(_) => {
                    self.accept_after_ns = now_ns().saturating_add(ACCEPT_PAUSE_NS);
                    return;
                }
            }
        }
    }

    fn admit(&mut self, role: Role, connection: Connection) {
        let Ok(Credentials { pid, uid, .. }) = connection.peer() else {
            return;
        };
        // The file's mode decided who could connect; the technician's socket is for our user and root whatever its mode.
        let permitted = role == Role::App || uid == self.us || uid == 0;
        match self.hub.connect(role, permitted, now_ns()) {
            Ok(client) => {
                // A process outside our namespace cannot be watched; its socket and its leases remain.
                let watch = ProcessWatch::new(pid).ok();
                self.peers.insert(
                    client,
                    Peer {
                        connection,
                        watch,
                        outbox: Outbox::default(),
                    },
                );
            }
            Err(refused) => {
                self.refused += 1;
                // If even this does not fit, closing says enough.
                let _ = connection.send(&Reply::from(refused).encode(0), &[]);
            }
        }
    }

    fn receive(&mut self, client: ClientId, out: &mut Vec<Output<OwnedFd>>) {
        let mut packet = [0; MAX_MESSAGE];
        for _ in 0..PACKETS_PER_TURN {
            // It may have been closed for an earlier packet of this turn.
            let Some(peer) = self.peers.get(&client) else {
                return;
            };
            match peer.connection.receive(&mut packet) {
                Ok(received) => {
                    let bytes = packet.get(..received.length).unwrap_or(&[]);
                    self.hub.receive(client, bytes, received.fds, now_ns(), out);
                    self.perform(out);
                }
                Err(ReceiveError::WouldBlock) => return,
                Err(ReceiveError::Oversize { .. }) => {
                    self.oversize += 1;
                    self.hub.oversize(client, now_ns(), out);
                    self.perform(out);
                }
                Err(ReceiveError::Closed | ReceiveError::System(_)) => {
                    self.drop_peer(client, GoneWhy::Closed, out);
                    return;
                }
            }
        }
    }

    fn drop_peer(&mut self, client: ClientId, why: GoneWhy, out: &mut Vec<Output<OwnedFd>>) {
        self.peers.remove(&client);
        self.lines.retain(|line| line.client != client);
        self.hub.disconnect(client, why, out);
    }

    /// Carries out what the hub decided, and what follows from that.
    fn perform(&mut self, out: &mut Vec<Output<OwnedFd>>) {
        while !out.is_empty() {
            let mut more = Vec::new();
            for output in out.drain(..) {
                match output {
                    Output::Reply { client, id, reply } => self.reply(client, id, reply, &mut more),
                    Output::Event { client, event } => {
                        if let Some(peer) = self.peers.get_mut(&client) {
                            peer.outbox.event(&event);
                        }
                    }
                    Output::Command(command) => self.submit(command, &mut more),
                    Output::Import(job) => {
                        let token = job.token;
                        let refusal = match self.imports.try_send(job) {
                            Ok(()) => continue,
                            Err(TrySendError::Full(_)) => Refusal::new(ErrorCode::Busy, 0, 0),
                            Err(TrySendError::Disconnected(_)) => {
                                Refusal::text(ErrorCode::Internal, "the importer has ended")
                            }
                        };
                        self.hub.imported(token, Err(refusal), now_ns(), &mut more);
                    }
                    Output::Close { client } => {
                        if let Some(mut peer) = self.peers.remove(&client) {
                            let connection = &peer.connection;
                            peer.outbox.flush(|packet| send(connection, packet));
                        }
                        self.lines.retain(|line| line.client != client);
                    }
                }
            }
            *out = more;
        }
    }

    fn reply(
        &mut self,
        client: ClientId,
        id: u64,
        mut reply: Reply,
        more: &mut Vec<Output<OwnedFd>>,
    ) {
        let fds = match &mut reply {
            Reply::Subscribed(subscribed) => {
                let blocks = subscribed.blocks.0.clone();
                blocks
                    .iter()
                    .map(|block| self.descriptor(client, block.kind, block.arm))
                    .collect()
            }
            Reply::Surface(surface) => {
                let fd = self.surfaces.descriptor(surface.body);
                fd.map(|fd| vec![fd])
            }
            Reply::Skin(skin) => {
                let fd = self.skins.descriptor(skin.body);
                fd.map(|fd| vec![fd])
            }
            Reply::Shape(shape) => {
                let fd = self.hub.shape(shape.body).and_then(ShapeFile::descriptor);
                fd.map(|fd| vec![fd])
            }
            Reply::Status(status) => self.status_file(status).map(|fd| vec![fd]),
            _ => Some(Vec::new()),
        };
        let (reply, fds) = match fds {
            Some(fds) => (reply, fds),
            None => {
                let detail = Text::lossy("out of descriptors or memory");
                let error = reply::Error {
                    number: 0,
                    limit: 0,
                    detail,
                    code: ErrorCode::Internal,
                    request: 0,
                };
                (error.into(), Vec::new())
            }
        };
        if let Some(peer) = self.peers.get_mut(&client)
            && peer.outbox.reply(id, &reply, fds).is_err()
        {
            self.drop_peer(client, GoneWhy::Expelled, more);
        }
    }

    fn descriptor(&mut self, client: ClientId, kind: BlockKind, arm: u16) -> Option<OwnedFd> {
        if kind != BlockKind::Wake {
            return self.blocks.descriptor(kind, arm);
        }
        let (ours, theirs) = Connection::pair().ok()?;
        // One line for each arm: a new one replaces the old.
        self.lines
            .retain(|line| (line.client, line.arm) != (client, arm));
        let rung_at = self.blocks.state_version(arm);
        self.lines.push(Line {
            client,
            arm,
            connection: ours,
            rung_at,
        });
        Some(theirs.into())
    }

    fn status_file(&mut self, reply: &mut reply::Status) -> Option<OwnedFd> {
        let clients = self
            .hub
            .names()
            .map(|(client, role, name)| ClientStatus {
                client: client.0,
                technician: role == Role::Technician,
                name: name.map(str::to_owned),
            })
            .collect();
        let text = (self.status)(&ServerStatus {
            clients,
            refused: self.refused,
            oversize: self.oversize,
        });
        reply.bytes = text.len() as u64;
        create_sealed("hapticd-status", text.as_bytes()).ok()
    }

    fn submit(&mut self, command: Command, more: &mut Vec<Output<OwnedFd>>) {
        // What takes force away waits behind nothing but its own kind; a motion of a body never overtakes what waits.
        match &command {
            Command::HaltBody { body }
            | Command::RemoveBody { body }
            | Command::Orphaned { body } => {
                self.motions.remove(body);
            }
            Command::Gone { bodies, .. } | Command::Silent { bodies, .. } => {
                self.motions.retain(|body, _| !bodies.contains(body));
            }
            _ => {}
        }
        if !self.backlog.is_empty() && command.is_urgent() {
            self.keep(command);
            return;
        }
        if !self.backlog.is_empty()
            && let Command::MoveBody { body, .. } = command
        {
            self.motions.insert(body, command);
            return;
        }
        let Err(back) = self.sink.submit(command) else {
            return;
        };
        match *back {
            Command::AddBody { token, .. } | Command::Reload { token } => {
                let answer = Answer::Refused(Refusal::new(ErrorCode::Busy, 0, 0));
                self.hub.answer(token, &answer, now_ns(), more);
            }
            Command::MoveBody { body, .. } => {
                self.motions.insert(body, *back);
            }
            urgent => self.keep(urgent),
        }
    }

    fn keep(&mut self, command: Command) {
        self.backlog.push_back(command);
        self.hub.set_busy(self.backlog.len() >= MAX_BACKLOG);
    }

    /// Offers again what the sink did not take.
    fn submit_waiting(&mut self) {
        while let Some(command) = self.backlog.pop_front() {
            if let Err(back) = self.sink.submit(command) {
                self.backlog.push_front(*back);
                return;
            }
        }
        self.hub.set_busy(false);
        while let Some((body, command)) = self.motions.pop_first() {
            if let Err(back) = self.sink.submit(command) {
                self.motions.insert(body, *back);
                return;
            }
        }
    }

    /// Rings the lines of arms whose state is new since the last ring.
    fn ring(&mut self) {
        let blocks = &self.blocks;
        self.lines.retain_mut(|line| {
            let version = blocks.state_version(line.arm);
            if version == line.rung_at {
                return true;
            }
            line.rung_at = version;
            // A line that is full has rings that were not heard yet; one more would say nothing new.
            matches!(
                line.connection.send(&[1], &[]),
                Ok(()) | Err(SendError::WouldBlock)
            )
        });
    }

    /// Sends what waits.
    fn flush(&mut self, out: &mut Vec<Output<OwnedFd>>) {
        let mut broken = Vec::new();
        for (client, peer) in &mut self.peers {
            let connection = &peer.connection;
            if !peer.outbox.is_empty() && !peer.outbox.flush(|packet| send(connection, packet)) {
                broken.push(*client);
            }
        }
        for client in broken {
            self.drop_peer(client, GoneWhy::Closed, out);
        }
        self.perform(out);
    }
}

fn send(connection: &Connection, packet: &Packet) -> Sent {
    let fds: Vec<BorrowedFd<'_>> = packet.fds.iter().map(AsFd::as_fd).collect();
    match connection.send(&packet.bytes, &fds) {
        Ok(()) => Sent::Done,
        Err(SendError::WouldBlock) => Sent::Later,
        Err(SendError::Closed | SendError::Impossible { .. } | SendError::System(_)) => Sent::Never,
    }
}
