//! Connected clients: accepting them, reading from them, sending to them, and detecting their end.

use super::super::{
    ClientId, Expulsion, GoneWhy, Role,
    descriptor_closer::{Foreign, UnclosedCount},
    hub::Output,
    outbox::{Flushed, Outbox, Packet, Sent},
};
use super::{File, Server};
use hapticd_protocol::{
    frame::{Header, MAX_MESSAGE, Message},
    reply::Reply,
};
use hapticd_sys::{
    clock::now_ns,
    descriptors::is_shortage,
    socket::{Connection, Credentials, ReceiveError, SendError},
    wake::ProcessWatch,
};
use std::{
    os::fd::{AsFd, BorrowedFd},
    sync::atomic::Ordering,
};

/// Packets taken from one client before the next one has its turn.
const PACKETS_PER_TURN: usize = 32;
/// Connections accepted before the connected clients have their turn.
const ACCEPTS_PER_TURN: usize = 8;
/// Pause in accepting after the system refused it for lack of descriptors: polling would find the
/// socket ready at once.
const ACCEPT_PAUSE_NS: u64 = 100_000_000;

/// Most descriptors that a client may have passed and that the closer has not closed yet: two
/// messages' worth. A client that passes more passes descriptors that hang in `close`, and is
/// closed.
const MAX_UNCLOSED: usize = 512;

/// Most descriptors in flight to a client that has not read everything sent. The kernel limits a
/// user's processes together to as many descriptors in flight as one process may have open; beyond
/// that none of them gets any.
const MAX_IN_FLIGHT: usize = 32;
/// Delay before an operation that the system could not do is tried again: sending, or watching a
/// client's process.
const RETRY_NS: u64 = 5_000_000;

/// A connected client.
pub(super) struct Peer {
    pub(super) connection: Foreign<Connection>,
    /// Process and user at the time it connected.
    pub(super) pid: i32,
    pub(super) uid: u32,
    pub(super) watch: Watch,
    pub(super) outbox: Outbox,
    /// Descriptors sent since it had last read everything.
    pub(super) in_flight: usize,
    /// No sending before this time.
    pub(super) send_after_ns: u64,
    /// Descriptors that it passed and that are not closed yet.
    pub(super) unclosed: UnclosedCount,
    /// Whether its next message has descriptors while the closer is full; the message waits to be
    /// read.
    pub(super) parked: bool,
}

/// How the end of a client's process is detected, in addition to that of its socket.
pub(super) enum Watch {
    /// By its pidfd.
    On(ProcessWatch),
    /// The system had no descriptor for it; it is tried again.
    Later(i32),
    /// The process is in another namespace, or already gone. Its socket and its leases remain.
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

impl Server {
    pub(super) fn accept(&mut self, role: Role) {
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
        let unclosed = UnclosedCount::default();
        let connection = self.closer.foreign(connection, &unclosed);
        let Ok(Credentials { pid, uid, .. }) = connection.peer() else {
            return;
        };
        // The file's mode decides who can connect. The technician's socket accepts only the
        // daemon's user and root, whatever its mode.
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
                        in_flight: 0,
                        send_after_ns: 0,
                        unclosed,
                        parked: false,
                    },
                );
            }
            Err(refused) => {
                self.refused += 1;
                self.log.refused((pid, uid), &refused);
                // If even this does not fit, closing says enough.
                let _ = connection.send(&Reply::from(refused).encode(0), &[]);
            }
        }
    }

    pub(super) fn receive(&mut self, client: ClientId, out: &mut Vec<Output<File>>) {
        let mut packet = [0; MAX_MESSAGE];
        let mut fds = Vec::new();
        for _ in 0..PACKETS_PER_TURN {
            // It may have been closed for an earlier packet of this turn.
            let Some(peer) = self.peers.get_mut(&client) else {
                return;
            };
            if self.closer.is_full() && peer.connection.next_has_descriptors() {
                peer.parked = true;
                return;
            }
            let received = peer.connection.receive_into(&mut packet, &mut fds);
            let unclosed = peer.unclosed.clone();
            let take = |fd| self.closer.foreign(fd, &unclosed);
            // From here on the closer owns them, whatever happens to the message.
            let files: Vec<File> = fds.drain(..).map(take).collect();
            let mut id = 0;
            match received {
                Ok(length) => {
                    let bytes = packet.get(..length).unwrap_or(&[]);
                    id = Header::id_of(bytes);
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
            let open = unclosed.load(Ordering::Relaxed);
            if open > MAX_UNCLOSED {
                let limit = MAX_UNCLOSED;
                self.expel(client, id, Expulsion::OpenDescriptors { open, limit }, out);
                self.perform(out);
                return;
            }
        }
    }

    /// Resumes reading from parked clients when the closer has capacity again.
    pub(super) fn unpark(&mut self) {
        if !self.closer.is_full() {
            for peer in self.peers.values_mut() {
                peer.parked = false;
            }
        }
    }

    /// Retries to watch the processes for which there was no descriptor.
    pub(super) fn retry_watches(&mut self) {
        for peer in self.peers.values_mut() {
            if let Watch::Later(pid) = peer.watch {
                peer.watch = Watch::new(pid);
            }
        }
    }

    pub(super) fn drop_peer(
        &mut self,
        client: ClientId,
        why: GoneWhy,
        out: &mut Vec<Output<File>>,
    ) {
        self.peers.remove(&client);
        self.lines.retain(|line| line.client != client);
        self.hub.disconnect(client, why, out);
    }

    /// Sends the waiting messages of all clients.
    pub(super) fn flush(&mut self, out: &mut Vec<Output<File>>) {
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
    /// Sends the waiting messages, unless it is too early to try again.
    pub(super) fn flush(&mut self, now_ns: u64) -> Flushed {
        if self.outbox.is_empty() || now_ns < self.send_after_ns {
            return Flushed::Done;
        }
        let (connection, in_flight) = (&self.connection, &mut self.in_flight);
        let flushed = self
            .outbox
            .flush(|packet| send(connection, packet, in_flight));
        if flushed == Flushed::Held {
            self.send_after_ns = now_ns.saturating_add(RETRY_NS);
        }
        flushed
    }
}

fn send(connection: &Connection, packet: &Packet, in_flight: &mut usize) -> Sent {
    let fds: Vec<BorrowedFd<'_>> = packet.passed.fds.iter().map(|fd| fd.as_fd()).collect();
    if !fds.is_empty() && *in_flight + fds.len() > MAX_IN_FLIGHT {
        if !matches!(connection.unread(), Ok(0)) {
            return Sent::Held;
        }
        *in_flight = 0;
    }
    match connection.send(&packet.bytes, &fds) {
        Ok(()) => {
            *in_flight += fds.len();
            Sent::Done
        }
        Err(SendError::WouldBlock) => Sent::Later,
        Err(SendError::Exhausted(_)) => Sent::Held,
        Err(SendError::Closed | SendError::Impossible { .. } | SendError::System(_)) => Sent::Never,
    }
}
