//! The thread that serves clients: one poll loop over sockets, connections, processes and what the daemon has to say.

use super::{
    Answer, BodyRecord, ClientId, Command, CommandSink, GoneWhy, Notice, Quotas, Refusal, Role,
    blocks::BlockFds,
    hub::{Hub, Import, Imported, Output},
    import::import,
    janitor::{Foreign, Janitor, JanitorStats, Owed},
    log::ClientLog,
    loop_events::LoopEvents,
    memory_quota::Ledger,
    outbox::{Flushed, Outbox, Packet, Passed, Sent},
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
    wire::Limit,
};
use hapticd_sys::{
    clock::now_ns,
    descriptors::is_shortage,
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
/// Longest wait, so that the haptic loop sees the heart beat: well within `loop.silent_ipc_ms`.
const BEAT: Duration = Duration::from_millis(10);
/// How often a full janitor is asked whether it still is.
const FULL_PAUSE: Duration = Duration::from_millis(10);
/// How often wake-up lines and waiting commands are looked at.
const RELAY: Duration = Duration::from_millis(1);
/// How often the ring of the loop's events is looked at: the loop makes no system call that could
/// wake us.
const EVENTS_EVERY: Duration = Duration::from_millis(10);
/// Events of the loop that clients are told before what waits for them is sent.
const EVENTS_PER_TURN: usize = 128;
/// Urgent commands that may wait for the sink before clients are told to try again.
const MAX_BACKLOG: usize = 256;
/// Meshes that may wait for the importer.
const MAX_IMPORTS: usize = 16;

/// Most descriptors that a client may have passed and that the janitor has not closed yet: two messages' worth. Who passes more
/// passes what hangs in `close`, and is closed.
const MAX_OWED: usize = 512;

/// Most descriptors under way to a client that has not read all that was sent: the kernel lets a user's processes together have no
/// more of them under way than one may have open, and then nobody gets any.
const MAX_UNDER_WAY: usize = 32;
/// When what the system could not do is tried again: sending, or watching a client's process.
const RETRY_NS: u64 = 5_000_000;

/// What clients pass.
type File = Foreign<OwnedFd>;

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
    /// What clients passed, and what of it is closed.
    pub janitor: JanitorStats,
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
    /// What happens in the haptic loop.
    pub events: LoopEvents,
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

    /// Counts the server's rounds, and what it serves in each; at least a hundred a second while it
    /// lives.
    pub fn heartbeat(&self) -> Arc<AtomicU64> {
        self.heartbeat.clone()
    }
}

/// A connected client.
struct Peer {
    connection: Foreign<Connection>,
    /// Process and user, as they were when it connected.
    pid: i32,
    uid: u32,
    watch: Watch,
    outbox: Outbox,
    /// Descriptors that were sent since it had last read everything.
    under_way: usize,
    /// Nothing is sent before.
    send_after_ns: u64,
    /// What it passed that is not closed yet.
    owed: Owed,
    /// Its next message has descriptors, and the janitor is full: it waits to be read.
    parked: bool,
}

/// How the end of a client's process is seen, beside its socket's.
enum Watch {
    /// By its pidfd.
    On(ProcessWatch),
    /// The system had no descriptor for it; it is tried again.
    Later(i32),
    /// It lives in another process namespace, or is gone already. Its socket and its leases remain.
    Impossible,
}

impl Watch {
    fn new(pid: i32) -> Self {
        match ProcessWatch::new(pid) {
            Ok(watch) => Self::On(watch),
            Err(error) if is_shortage(&error) => Self::Later(pid),
            Err(_) => Self::Impossible,
        }
    }
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
    events: LoopEvents,
    /// Urgent commands that the sink did not take, oldest first.
    backlog: VecDeque<Command>,
    log: ClientLog,
    /// The newest motion of each body that it did not take.
    motions: BTreeMap<u32, Command>,
    /// Commands wait for the haptic loop.
    settling: bool,
    imports: Sender<Import<File>>,
    imported: Receiver<(u64, Result<Imported, Refusal>)>,
    notices: Receiver<Notice>,
    handle: Handle,
    janitor: Janitor,
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
        let janitor = Janitor::new()?;
        let app = sockets::bind(&setup.app, &janitor)?;
        let technician = sockets::bind(&setup.technician, &janitor)?;
        let (notice_sender, notices) = unbounded();
        let (imports, jobs) = bounded::<Import<File>>(MAX_IMPORTS);
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
                    let result = import(&job, soft, &mut ledger);
                    let token = job.token;
                    // Before the answer: what it was made of is the janitor's.
                    drop(job);
                    if results.send((token, result)).is_err() {
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
            events: setup.events,
            backlog: VecDeque::new(),
            log: ClientLog::default(),
            motions: BTreeMap::new(),
            settling: false,
            imports,
            imported,
            notices,
            handle: handle.clone(),
            janitor,
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
            self.log.minute(now_ns());
            let next_ns = self.hub.expire(now_ns(), &mut out);
            self.perform(&mut out);
            self.submit_waiting();
            self.settle(&mut out);
            self.ring();
            self.tell_loop_events(&mut out);
            self.flush(&mut out);
            self.unpark();
            self.watch_again();
            let found = self.poll(next_ns)?;
            for (source, ready) in found {
                self.handle.heartbeat.fetch_add(1, Ordering::Relaxed);
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

    /// Some of what happened in the loop; the rest comes after these were sent.
    fn tell_loop_events(&mut self, out: &mut Vec<Output<File>>) {
        for _ in 0..EVENTS_PER_TURN {
            let Some(event) = self.events.next() else {
                break;
            };
            self.hub.notice(Notice::Event(event), now_ns(), out);
        }
        self.perform(out);
    }

    fn end(&mut self, out: &mut Vec<Output<File>>) {
        while self.events.is_waiting() {
            self.tell_loop_events(out);
            self.flush(out);
        }
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
        if self.events.is_waiting() {
            return Duration::ZERO;
        }
        let mut timeout = EVENTS_EVERY.min(BEAT);
        for peer in self.peers.values() {
            if peer.send_after_ns > now_ns && !peer.outbox.is_empty() {
                timeout = timeout.min(Duration::from_nanos(peer.send_after_ns - now_ns));
            }
        }
        if let Some(next_ns) = next_ns {
            timeout = timeout.min(Duration::from_nanos(next_ns.saturating_sub(now_ns)));
        }
        if self.accept_after_ns > now_ns {
            timeout = timeout.min(Duration::from_nanos(self.accept_after_ns - now_ns));
        }
        if self.janitor.is_full() {
            timeout = timeout.min(FULL_PAUSE);
        }
        let waits = self.settling || !self.backlog.is_empty() || !self.motions.is_empty();
        if waits || !self.lines.is_empty() {
            timeout = timeout.min(RELAY);
        }
        timeout
    }

    /// Waits for something to do and says where it is.
    fn poll(&self, next_ns: Option<u64>) -> io::Result<Vec<(Source, Ready)>> {
        let mut sources = vec![Source::Wake];
        let mut items: Vec<(BorrowedFd<'_>, Interest)> =
            vec![(self.handle.wake.as_fd(), Interest::Read)];
        // New clients wait while the janitor is full; those that are here are served.
        if now_ns() >= self.accept_after_ns && !self.janitor.is_full() {
            for (role, bound) in [(Role::App, &self.app), (Role::Technician, &self.technician)] {
                sources.push(Source::Listener(role));
                items.push((bound.listener.as_fd(), Interest::Read));
            }
        }
        for (client, peer) in &self.peers {
            let sends = !peer.outbox.is_empty() && now_ns() >= peer.send_after_ns;
            let interest = match (peer.parked, !sends) {
                (false, true) => Interest::Read,
                (false, false) => Interest::ReadWrite,
                (true, true) => Interest::End,
                (true, false) => Interest::Write,
            };
            sources.push(Source::Client(*client));
            items.push((peer.connection.as_fd(), interest));
            if let Watch::On(watch) = &peer.watch {
                sources.push(Source::Process(*client));
                items.push((watch.as_fd(), Interest::Read));
            }
        }
        let timeout = self.timeout(next_ns);
        let ready = match wait(&items, Some(timeout)) {
            Ok(ready) => ready,
            Err(error) if is_shortage(&error) => {
                // No memory for the list now: leases are looked at all the same, and clients a moment later.
                std::thread::sleep(timeout.min(RELAY));
                return Ok(Vec::new());
            }
            Err(error) => return Err(error),
        };
        Ok(sources
            .into_iter()
            .zip(ready)
            .filter(|(_, ready)| *ready != Ready::default())
            .collect())
    }

    fn serve(&mut self, source: Source, ready: Ready, out: &mut Vec<Output<File>>) {
        match source {
            Source::Wake => {
                self.handle.wake.clear();
            }
            Source::Listener(role) => self.accept(role),
            Source::Client(client) => {
                let parked = self.peers.get(&client).is_some_and(|peer| peer.parked);
                if parked && ready.ended {
                    // What it still had to say has descriptors for which there is no capacity.
                    self.drop_peer(client, GoneWhy::Closed, out);
                } else if !parked && (ready.readable || ready.ended) {
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
        let owed = Owed::default();
        let connection = self.janitor.foreign(connection, &owed);
        let Ok(Credentials { pid, uid, .. }) = connection.peer() else {
            return;
        };
        // The file's mode decided who could connect; the technician's socket is for our user and root whatever its mode.
        let permitted = role == Role::App || uid == self.us || uid == 0;
        match self.hub.connect(role, permitted, now_ns()) {
            Ok(client) => {
                let watch = Watch::new(pid);
                self.peers.insert(
                    client,
                    Peer {
                        connection,
                        pid,
                        uid,
                        watch,
                        outbox: Outbox::default(),
                        under_way: 0,
                        send_after_ns: 0,
                        owed,
                        parked: false,
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

    fn receive(&mut self, client: ClientId, out: &mut Vec<Output<File>>) {
        let mut packet = [0; MAX_MESSAGE];
        let mut fds = Vec::new();
        for _ in 0..PACKETS_PER_TURN {
            // It may have been closed for an earlier packet of this turn.
            let Some(peer) = self.peers.get_mut(&client) else {
                return;
            };
            if self.janitor.is_full() && peer.connection.next_has_descriptors() {
                peer.parked = true;
                return;
            }
            let received = peer.connection.receive_into(&mut packet, &mut fds);
            let owed = peer.owed.clone();
            let take = |fd| self.janitor.foreign(fd, &owed);
            // From here on the janitor's, whatever becomes of them.
            let files: Vec<File> = fds.drain(..).map(take).collect();
            match received {
                Ok(length) => {
                    let bytes = packet.get(..length).unwrap_or(&[]);
                    self.hub.receive(client, bytes, files, now_ns(), out);
                    self.perform(out);
                }
                Err(ReceiveError::WouldBlock | ReceiveError::Exhausted(_)) => return,
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
            if owed.load(Ordering::Relaxed) > MAX_OWED {
                self.drop_peer(client, GoneWhy::Expelled, out);
                self.perform(out);
                return;
            }
        }
    }

    /// Reads on from those who wait, when the janitor has capacity again.
    fn unpark(&mut self) {
        if !self.janitor.is_full() {
            for peer in self.peers.values_mut() {
                peer.parked = false;
            }
        }
    }

    /// Watches the processes for which there was no descriptor.
    fn watch_again(&mut self) {
        for peer in self.peers.values_mut() {
            if let Watch::Later(pid) = peer.watch {
                peer.watch = Watch::new(pid);
            }
        }
    }

    fn drop_peer(&mut self, client: ClientId, why: GoneWhy, out: &mut Vec<Output<File>>) {
        self.peers.remove(&client);
        self.lines.retain(|line| line.client != client);
        self.hub.disconnect(client, why, out);
    }

    /// Carries out what the hub decided, and what follows from that.
    fn perform(&mut self, out: &mut Vec<Output<File>>) {
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
                            peer.flush(now_ns());
                        }
                        self.lines.retain(|line| line.client != client);
                    }
                }
            }
            *out = more;
        }
    }

    fn reply(&mut self, client: ClientId, id: u64, mut reply: Reply, more: &mut Vec<Output<File>>) {
        if let Reply::Welcome(welcome) = &reply
            && let Some(peer) = self.peers.get(&client)
        {
            let names = self.hub.names().find(|(id, ..)| *id == client);
            let name = names.and_then(|(_, _, name)| name).unwrap_or("?");
            let technician = welcome.technician;
            self.log
                .came(client, name, technician, (peer.pid, peer.uid));
        }
        let passed = match self.passed(client, &mut reply) {
            Ok(passed) => passed,
            Err(refusal) => {
                let error = reply::Error {
                    number: 0,
                    limit: 0,
                    detail: Text::lossy(&refusal.detail),
                    code: refusal.code,
                    request: 0,
                };
                reply = error.into();
                Passed::default()
            }
        };
        if let Some(peer) = self.peers.get_mut(&client)
            && peer.outbox.reply(id, &reply, passed).is_err()
        {
            self.drop_peer(client, GoneWhy::Expelled, more);
        }
    }

    /// What goes with a reply.
    fn passed(&mut self, client: ClientId, reply: &mut Reply) -> Result<Passed, Refusal> {
        let shared = |fds: Option<Vec<Arc<OwnedFd>>>| {
            let fds = fds.ok_or_else(|| Refusal::text(ErrorCode::Internal, "no such block"))?;
            Ok(Passed { fds, own: false })
        };
        match reply {
            Reply::Arms(arms) => {
                for arm in &mut arms.arms.0 {
                    if let Some(limits) = self.sink.limits_in_force(arm.index) {
                        arm.peak_force_n = Limit(limits.peak_force_n);
                        arm.continuous_force_n = Limit(limits.continuous_force_n);
                        arm.peak_torque_nm = Limit(limits.peak_torque_nm);
                    }
                }
                shared(Some(Vec::new()))
            }
            Reply::Subscribed(subscribed) => {
                let blocks = subscribed.blocks.0.clone();
                let own = blocks.iter().any(|block| block.kind == BlockKind::Wake);
                if own {
                    self.check_own(client)?;
                }
                let fds = blocks
                    .iter()
                    .map(|block| self.descriptor(client, block.kind, block.arm));
                let fds = fds.collect::<Result<_, _>>()?;
                Ok(Passed { fds, own })
            }
            Reply::Surface(surface) => {
                let fd = self.surfaces.descriptor(surface.body);
                shared(fd.map(|fd| vec![fd]))
            }
            Reply::Skin(skin) => {
                let fd = self.skins.descriptor(skin.body);
                shared(fd.map(|fd| vec![fd]))
            }
            Reply::Shape(shape) => {
                let fd = self.hub.shape(shape.body).map(ShapeFile::descriptor);
                shared(fd.map(|fd| vec![fd]))
            }
            Reply::Status(status) => {
                self.check_own(client)?;
                let file = self.status_file(status).ok_or_else(shortage)?;
                Ok(Passed {
                    fds: vec![Arc::new(file)],
                    own: true,
                })
            }
            _ => Ok(Passed::default()),
        }
    }

    /// Whether a client may have one more reply with a descriptor of its own.
    fn check_own(&self, client: ClientId) -> Result<(), Refusal> {
        let takes = |peer: &Peer| peer.outbox.takes_own();
        if self.peers.get(&client).is_none_or(takes) {
            return Ok(());
        }
        let detail = "read the answers that wait first: each of them holds a descriptor";
        Err(Refusal::text(ErrorCode::Busy, detail))
    }

    fn descriptor(
        &mut self,
        client: ClientId,
        kind: BlockKind,
        arm: u16,
    ) -> Result<Arc<OwnedFd>, Refusal> {
        if kind != BlockKind::Wake {
            let block = self.blocks.descriptor(kind, arm);
            return block.ok_or_else(|| Refusal::text(ErrorCode::Internal, "no such block"));
        }
        let (ours, theirs) = Connection::pair().map_err(|_| shortage())?;
        // What its client puts into the line would wait here, and closing the line would wait for it.
        ours.refuse_messages().map_err(|_| shortage())?;
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
        Ok(Arc::new(theirs.into()))
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
            janitor: self.janitor.stats(),
        });
        reply.bytes = text.len() as u64;
        create_sealed("hapticd-status", text.as_bytes()).ok()
    }

    fn submit(&mut self, command: Command, more: &mut Vec<Output<File>>) {
        // What takes force away waits behind nothing but its own kind; a motion of a body never overtakes what waits.
        match &command {
            Command::HaltBody { body }
            | Command::RemoveBody { body }
            | Command::Orphaned { body } => {
                self.motions.remove(body);
            }
            Command::Gone { client, bodies, .. } | Command::Silent { client, bodies } => {
                match &command {
                    Command::Gone { why, .. } => self.log.went(*client, *why),
                    _ => self.log.silent(*client),
                }
                self.motions.retain(|body, _| !bodies.contains(body));
            }
            _ => {}
        }
        let waits = command.is_urgent() && !command.is_for_the_governor();
        if !self.backlog.is_empty() && waits {
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

    /// Answers what the haptic loop has put into force.
    fn settle(&mut self, out: &mut Vec<Output<File>>) {
        let mut answers = Vec::new();
        self.settling = self.sink.settle(now_ns(), &mut answers);
        for (token, answer) in answers {
            self.hub.answer(token, &answer, now_ns(), out);
        }
        self.perform(out);
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
                Ok(()) | Err(SendError::WouldBlock | SendError::Exhausted(_))
            )
        });
    }

    /// Sends what waits.
    fn flush(&mut self, out: &mut Vec<Output<File>>) {
        let now_ns = now_ns();
        let mut broken = Vec::new();
        for (client, peer) in &mut self.peers {
            if peer.flush(now_ns) == Flushed::Broken {
                broken.push(*client);
            }
        }
        for client in broken {
            self.drop_peer(client, GoneWhy::Closed, out);
        }
        self.perform(out);
    }
}

impl Peer {
    /// Sends what waits, unless it is too early to try again.
    fn flush(&mut self, now_ns: u64) -> Flushed {
        if self.outbox.is_empty() || now_ns < self.send_after_ns {
            return Flushed::Done;
        }
        let (connection, under_way) = (&self.connection, &mut self.under_way);
        let flushed = self
            .outbox
            .flush(|packet| send(connection, packet, under_way));
        if flushed == Flushed::Held {
            self.send_after_ns = now_ns.saturating_add(RETRY_NS);
        }
        flushed
    }
}

fn send(connection: &Connection, packet: &Packet, under_way: &mut usize) -> Sent {
    let fds: Vec<BorrowedFd<'_>> = packet.passed.fds.iter().map(|fd| fd.as_fd()).collect();
    if !fds.is_empty() && *under_way + fds.len() > MAX_UNDER_WAY {
        if !matches!(connection.unread(), Ok(0)) {
            return Sent::Held;
        }
        *under_way = 0;
    }
    match connection.send(&packet.bytes, &fds) {
        Ok(()) => {
            *under_way += fds.len();
            Sent::Done
        }
        Err(SendError::WouldBlock) => Sent::Later,
        Err(SendError::Exhausted(_)) => Sent::Held,
        Err(SendError::Closed | SendError::Impossible { .. } | SendError::System(_)) => Sent::Never,
    }
}

fn shortage() -> Refusal {
    let detail = "out of descriptors or memory: try again";
    Refusal::text(ErrorCode::Busy, detail)
}
