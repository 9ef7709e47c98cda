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
/// Longest interval at which wake-up lines, waiting commands and the news of contacts are checked.
const RELAY_PERIOD: Duration = Duration::from_millis(1);
/// Time after the expected publication of a tick at which it is looked for, ns.
const BEHIND_NS: u64 = 5_000;
/// Interval at which a tick that is late is looked for, and how long.
const LATE_PAUSE: Duration = Duration::from_micros(40);
const LATE_NS: u64 = 300_000;
/// Interval at which the ring of the loop's events is polled: the loop makes no system call that
/// could wake this thread.
const EVENTS_EVERY: Duration = Duration::from_millis(10);

/// Returns how long to wait for the loop's next publication. The loop makes no system call that
/// could wake this thread, so the thread follows its phase: the next tick comes a period after the
/// newest one, and takes about as long as the last. `newest`: time of the newest published tick,
/// and how long after its time the tick before was published.
fn until_publication(now_ns: u64, newest: Option<(u64, u64)>, period_ns: u64) -> Duration {
    let Some((time_ns, lag_ns)) = newest else {
        return RELAY_PERIOD;
    };
    let due_ns = time_ns
        .saturating_add(period_ns)
        .saturating_add(lag_ns)
        .saturating_add(BEHIND_NS);
    match due_ns.checked_sub(now_ns) {
        Some(rest_ns) => RELAY_PERIOD.min(Duration::from_nanos(rest_ns)),
        None if now_ns - due_ns < LATE_NS => LATE_PAUSE,
        None => RELAY_PERIOD,
    }
}

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
            let period_ns = self.hub.arms().first().map_or(0, |arm| arm.period_ns);
            let newest = self.blocks.newest_tick();
            timeout = timeout.min(until_publication(now_ns, newest, period_ns));
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

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    #[test]
    fn the_next_tick_is_looked_for_just_after_it_is_due() {
        let newest = Some((100 * MS, 30_000));
        let wait = |now_ns| until_publication(now_ns, newest, MS);
        let due_ns = 101 * MS + 30_000 + BEHIND_NS;
        assert_eq!(wait(due_ns - 200_000), Duration::from_micros(200));
        assert_eq!(wait(due_ns), Duration::ZERO);
        // It is late: soon again, but not for ever.
        assert_eq!(wait(due_ns + 1), LATE_PAUSE);
        assert_eq!(wait(due_ns + LATE_NS), RELAY_PERIOD);
        // Its clock is ahead, or it has not ticked.
        assert_eq!(wait(0), RELAY_PERIOD);
        assert_eq!(until_publication(due_ns, None, MS), RELAY_PERIOD);
        assert_eq!(until_publication(0, Some((u64::MAX, 1)), MS), RELAY_PERIOD);
    }
}
