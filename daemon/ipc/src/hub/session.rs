//! The hub's state of one client.

use super::super::{ClientId, Role};
use super::bucket::Bucket;
use hapticd_protocol::text::Name;

/// Longest time from connecting to the hello.
pub(super) const HELLO_NS: u64 = 1_000_000_000;

/// One client.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) id: ClientId,
    pub(super) role: Role,
    /// Set by the hello; until then the client may do nothing else.
    pub(super) name: Option<Name>,
    pub(super) since_ns: u64,
    pub(super) bucket: Bucket,
    /// Whether it listens for events.
    pub(super) events: bool,
    /// Whether it listens for the news of contacts and buttons.
    pub(super) contact_events: bool,
    pub(super) last_heard_ns: u64,
    /// Time from which it counts as silent.
    pub(super) silent_at_ns: u64,
    pub(super) silent: bool,
    pub(super) focused: bool,
    /// Bodies on their way into the scene.
    pub(super) pending_bodies: usize,
    /// Whether a mesh is being read.
    pub(super) importing: bool,
}

impl Session {
    pub(super) fn new(id: ClientId, role: Role, messages_per_s: u32, now_ns: u64) -> Self {
        Self {
            id,
            role,
            name: None,
            since_ns: now_ns,
            bucket: Bucket::new(messages_per_s, now_ns),
            events: false,
            contact_events: false,
            last_heard_ns: now_ns,
            silent_at_ns: now_ns,
            silent: false,
            focused: true,
            pending_bodies: 0,
            importing: false,
        }
    }

    /// Notes a packet: the client counts as alive until `lease_ms` from now, and longer if a
    /// renewal said so.
    pub(super) fn heard(&mut self, now_ns: u64, lease_ms: u32) {
        self.last_heard_ns = now_ns;
        self.alive_until(now_ns.saturating_add(u64::from(lease_ms) * 1_000_000));
    }

    /// Counts the client as alive until then, unless it does so for longer already.
    pub(super) fn alive_until(&mut self, until_ns: u64) {
        self.silent_at_ns = self.silent_at_ns.max(until_ns);
    }
}
