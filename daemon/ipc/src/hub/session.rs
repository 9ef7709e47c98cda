//! What the hub knows of one client.

use super::super::{ClientId, Refusal, Role};
use super::bucket::Bucket;
use hapticd_protocol::{MAJOR, reply::ErrorCode, request::BodyKind, text::Name};

/// Longest time from connecting to the hello.
pub(super) const HELLO_NS: u64 = 1_000_000_000;

/// One client.
#[derive(Clone, Debug)]
pub(super) struct Session {
    pub(super) id: ClientId,
    pub(super) role: Role,
    /// Set by the hello; until then the client may do nothing else.
    pub(super) name: Option<Name>,
    /// The minor version that both sides use; of no meaning before the hello.
    pub(super) minor: u16,
    pub(super) since_ns: u64,
    pub(super) bucket: Bucket,
    /// Listens for events.
    pub(super) events: bool,
    pub(super) last_heard_ns: u64,
    /// When it counts as silent.
    pub(super) silent_at_ns: u64,
    pub(super) silent: bool,
    pub(super) focused: bool,
    /// Bodies on their way into the scene.
    pub(super) pending_bodies: usize,
    /// A mesh is being read.
    pub(super) importing: bool,
}

impl Session {
    pub(super) fn new(id: ClientId, role: Role, messages_per_s: u32, now_ns: u64) -> Self {
        Self {
            id,
            role,
            name: None,
            minor: 0,
            since_ns: now_ns,
            bucket: Bucket::new(messages_per_s, now_ns),
            events: false,
            last_heard_ns: now_ns,
            silent_at_ns: u64::MAX,
            silent: false,
            focused: true,
            pending_bodies: 0,
            importing: false,
        }
    }

    /// Whether it knows of bodies of a kind.
    pub(super) fn knows(&self, kind: BodyKind) -> bool {
        self.minor >= kind.since()
    }

    /// Refuses a request that came with a later minor version than the client said hello with.
    pub(super) fn check_minor(&self, needed: u16) -> Result<(), Refusal> {
        let minor = self.minor;
        if minor >= needed {
            return Ok(());
        }
        let detail = format!(
            "this request is of version {MAJOR}.{needed}, the hello was of {MAJOR}.{minor}"
        );
        Err(Refusal::text(ErrorCode::Malformed, detail))
    }

    /// Something arrived: it is alive until `lease_ms` from now, or as long as it asked for before.
    pub(super) fn heard(&mut self, now_ns: u64, lease_ms: u32) {
        self.last_heard_ns = now_ns;
        self.silent_at_ns = now_ns.saturating_add(u64::from(lease_ms) * 1_000_000);
    }
}
