//! The server's wait: sources, timeout, and dispatch of what is ready.

use super::super::{ClientId, GoneWhy, Role, hub::Output};
use super::peers::Watch;
use super::{File, Server};
use hapticd_sys::{
    clock::now_ns,
    descriptors::is_shortage,
    wake::{Interest, Ready, wait},
};
use std::{
    io,
    os::fd::{AsFd, BorrowedFd},
    time::Duration,
};

/// Longest wait, so that the haptic loop sees the heartbeat: well within `loop.silent_ipc_ms`.
const HEARTBEAT_PERIOD: Duration = Duration::from_millis(10);
/// Interval at which a full closer is checked again.
const FULL_PAUSE: Duration = Duration::from_millis(10);
/// Interval at which wake-up lines, waiting commands and the news of contacts are checked.
const RELAY_PERIOD: Duration = Duration::from_millis(1);
/// Interval at which the ring of the loop's events is polled: the loop makes no system call that
/// could wake this thread.
const EVENTS_EVERY: Duration = Duration::from_millis(10);

/// Owner of a descriptor in the poll list.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Wake,
    Listener(Role),
    Client(ClientId),
    Process(ClientId),
}

impl Server {
    fn timeout(&self, next_ns: Option<u64>) -> Duration {
        let now_ns = now_ns();
        if self.events.is_waiting() {
            return Duration::ZERO;
        }
        let mut timeout = EVENTS_EVERY.min(HEARTBEAT_PERIOD);
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
        if self.closer.is_full() {
            timeout = timeout.min(FULL_PAUSE);
        }
        let waits = self.settling || !self.backlog.is_empty() || !self.motions.is_empty();
        if waits || !self.lines.is_empty() || self.hub.hears_contacts() {
            timeout = timeout.min(RELAY_PERIOD);
        }
        timeout
    }

    /// Waits for something to do and returns the ready sources.
    pub(super) fn poll(&self, next_ns: Option<u64>) -> io::Result<Vec<(Source, Ready)>> {
        let mut sources = vec![Source::Wake];
        let mut items: Vec<(BorrowedFd<'_>, Interest)> =
            vec![(self.handle.wake.as_fd(), Interest::Read)];
        // New clients wait while the closer is full; connected ones are served.
        if now_ns() >= self.accept_after_ns && !self.closer.is_full() {
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
                // No memory for the list now: leases are still checked, and clients a moment later.
                std::thread::sleep(timeout.min(RELAY_PERIOD));
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

    pub(super) fn serve(&mut self, source: Source, ready: Ready, out: &mut Vec<Output<File>>) {
        match source {
            Source::Wake => {
                self.handle.wake.clear();
            }
            Source::Listener(role) => self.accept(role),
            Source::Client(client) => {
                let parked = self.peers.get(&client).is_some_and(|peer| peer.parked);
                if parked && ready.ended {
                    // Its remaining messages have descriptors for which there is no capacity.
                    self.drop_peer(client, GoneWhy::Closed, out);
                } else if !parked && (ready.readable || ready.ended) {
                    self.receive(client, out);
                }
            }
            Source::Process(client) => {
                // Messages that it sent before it ended are carried out first.
                self.receive(client, out);
                self.drop_peer(client, GoneWhy::ProcessEnded, out);
            }
        }
    }
}
