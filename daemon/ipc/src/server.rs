//! The thread that serves clients: one poll loop over sockets, connections, processes and the
//! daemon's notices.
//!
//! [`turn`] waits and dispatches, [`peers`] reads and sends, the hub decides, [`replies`] carries
//! its decisions out, and [`commands`] brings commands to the sink.

mod commands;
mod peers;
mod replies;
mod setup;
mod turn;

pub use setup::{ClientStatus, LimitsStatus, ServerSetup, ServerStatus, SetupError, StatusText};

use super::{
    ClientId, Command, CommandSink, GoneWhy, Notice, Refusal,
    blocks::BlockFds,
    descriptor_closer::{DescriptorCloser, Foreign},
    hub::{Hub, Import, Imported, Output},
    import::import,
    log::ClientLog,
    loop_events::{LoopEvents, News},
    memory_quota::Ledger,
    skins::SkinFds,
    sockets::{self, Bound},
    surfaces::SurfaceFds,
};
use crossbeam::channel::{Receiver, Sender, unbounded};
use hapticd_sync::delivery;
use hapticd_sys::{
    clock::now_ns,
    socket::Connection,
    wake::{Wake, exact_waits},
};
use peers::Peer;
use replies::Line;
use std::{
    collections::{BTreeMap, VecDeque},
    io,
    os::fd::OwnedFd,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// Events of the loop that are queued for clients before waiting messages are sent.
const EVENTS_PER_TURN: usize = 128;
/// Most meshes that wait for the importer.
const MAX_IMPORTS: usize = 16;
/// Most imported meshes that wait for the server.
const MAX_IMPORTED: usize = 4 * MAX_IMPORTS;
/// Pause of the importer when that many wait.
const BEHIND: Duration = Duration::from_millis(5);

/// A file from a client.
type File = Foreign<OwnedFd>;

/// The daemon's handle to the server. Not for real-time threads: allocates and makes system calls.
#[derive(Clone, Debug)]
pub struct Handle {
    notices: Sender<Notice>,
    wake: Arc<Wake>,
    stop: Arc<AtomicBool>,
    heartbeat: Arc<AtomicU64>,
}

impl Handle {
    /// Sends a notice to the server. Returns whether the server still lives.
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

    /// Counts the server's rounds, and the sources it serves in each; at least a hundred a second
    /// while it lives.
    pub fn heartbeat(&self) -> Arc<AtomicU64> {
        self.heartbeat.clone()
    }
}

/// The server: see the module documentation.
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
    /// The newest motion of each body that the sink did not take.
    motions: BTreeMap<u32, Command>,
    /// Whether commands wait for the haptic loop.
    settling: bool,
    /// Links to and from the importer, which has a lower priority: the server never waits for it to
    /// hand over.
    imports: delivery::Sender<Import<File>>,
    imported: delivery::Receiver<(u64, Result<Imported, Refusal>)>,
    notices: Receiver<Notice>,
    handle: Handle,
    closer: DescriptorCloser,
    accept_after_ns: u64,
    refused: u64,
    oversize: u64,
}

impl Server {
    /// Makes the sockets and starts the importer. Clients can connect from now on and are served by
    /// [`run`](Self::run).
    ///
    /// # Errors
    /// [`SetupError`]: another daemon is running, the folder is not safe, the system refused.
    pub fn bind(setup: ServerSetup) -> Result<(Self, Handle), SetupError> {
        let closer = DescriptorCloser::new()?;
        let app = sockets::bind(&setup.app, &closer)?;
        let technician = sockets::bind(&setup.technician, &closer)?;
        let (notice_sender, notices) = unbounded();
        let (imports, mut jobs) = delivery::delivery::<Import<File>>(MAX_IMPORTS);
        let (mut results, imported) = delivery::delivery(MAX_IMPORTED);
        let wake = Arc::new(setup.wake);
        let importer_wake = wake.try_clone()?;
        let deformable = setup.bodies.iter().any(|body| body.kind.is_simulated());
        let mut ledger = Ledger::new(setup.quotas.memory_bytes);
        std::thread::Builder::new()
            .name("hapticd-import".to_owned())
            .spawn(move || {
                // Ends when the server ends and drops the other end.
                while let Some(job) = jobs.recv() {
                    let result = import(&job, deformable, &mut ledger);
                    let token = job.token;
                    // Before the answer: its descriptors go to the closer.
                    drop(job);
                    let mut unsent = results.send((token, result));
                    while let Err(delivery::Unsent::Full(result)) = unsent {
                        // The server is behind; it has been woken for the results before this one.
                        std::thread::sleep(BEHIND);
                        unsent = results.send(result);
                    }
                    if unsent.is_err() {
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
        // A connection to this process reveals its user id.
        let (ours, _) = Connection::pair()?;
        let us = ours.peer()?.uid;
        let mut hub = Hub::new(setup.quotas, setup.arms, setup.bodies);
        if setup.planar {
            hub.set_planar();
        }
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
            closer,
            accept_after_ns: 0,
            refused: 0,
            oversize: 0,
        };
        Ok((server, handle))
    }

    /// Serves until [`Handle::stop`]. Then notifies the clients, hands their [`Command::Gone`]s on
    /// and removes the sockets.
    ///
    /// # Errors
    /// When the system refuses to poll (out of memory): serving is impossible then.
    pub fn run(mut self) -> io::Result<()> {
        // It follows the loop's ticks.
        exact_waits();
        let mut out = Vec::new();
        while !self.handle.stop.load(Ordering::Relaxed) {
            self.handle.heartbeat.fetch_add(1, Ordering::Relaxed);
            self.log.minute(now_ns());
            let next_ns = self.hub.expire(now_ns(), &mut out);
            self.perform(&mut out);
            self.submit_waiting();
            self.settle(&mut out);
            self.ring();
            self.queue_loop_events(&mut out);
            self.flush(&mut out);
            self.unpark();
            self.retry_watches();
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

    /// Queues some of the loop's events; the rest follows after these were sent.
    fn queue_loop_events(&mut self, out: &mut Vec<Output<File>>) {
        for _ in 0..EVENTS_PER_TURN {
            let Some(event) = self.events.next() else {
                break;
            };
            let notice = match event {
                News::Event(event) => Notice::Event(event),
                News::Contact(event) => Notice::Contact(event),
            };
            self.hub.notice(notice, now_ns(), out);
        }
        self.perform(out);
    }

    fn end(&mut self, out: &mut Vec<Output<File>>) {
        while self.events.is_waiting() {
            self.queue_loop_events(out);
            self.flush(out);
        }
        while let Ok(notice) = self.notices.try_recv() {
            self.hub.notice(notice, now_ns(), out);
        }
        self.settle(out);
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
}
