//! The loop's events on their way to the clients: each once, in order, with a count where some are
//! missing.

use hapticd_protocol::event::{self, Event};
use hapticd_sync::ring;

use hapticd_loop::events::{Gaps, LoopEvent, LoopEventKind};

/// The server's end of the ring of [`EventFeed`](hapticd_loop::events::EventFeed).
pub struct LoopEvents {
    ring: ring::Consumer<LoopEvent>,
    gaps: Gaps,
    /// The event that follows the count of missing ones.
    next: Option<LoopEvent>,
}

impl LoopEvents {
    /// Makes a reader of this ring.
    pub fn new(ring: ring::Consumer<LoopEvent>) -> Self {
        LoopEvents {
            ring,
            gaps: Gaps::default(),
            next: None,
        }
    }

    /// Whether more events wait.
    pub(super) fn is_waiting(&self) -> bool {
        self.next.is_some() || self.ring.waiting() > 0
    }

    /// The next event for clients; `None` if there is none now.
    pub(super) fn next(&mut self) -> Option<Event> {
        loop {
            let event = match self.next.take() {
                Some(event) => event,
                None => {
                    let event = self.ring.pop()?;
                    let count = self.gaps.before(&event);
                    if count > 0 {
                        self.next = Some(event);
                        return Some(event::EventsLost { count }.into());
                    }
                    event
                }
            };
            if let Some(event) = told(&event) {
                return Some(event);
            }
        }
    }
}

/// Converts an event for clients; `None` if they do not receive it.
fn told(happened: &LoopEvent) -> Option<Event> {
    let LoopEvent {
        tick,
        now_ns: time_ns,
        arm,
        kind,
        ..
    } = *happened;
    Some(match kind {
        LoopEventKind::ArmAttached => event::ArmAttached { arm }.into(),
        LoopEventKind::ArmLost => event::ArmLost { arm }.into(),
        LoopEventKind::ForceOff { reason, .. } | LoopEventKind::StillOff { reason, .. } => {
            event::ForceOff {
                tick,
                time_ns,
                arm,
                reason,
            }
            .into()
        }
        LoopEventKind::ForceOn => event::ForceOn { tick, time_ns, arm }.into(),
        // Force is still off; clients are notified when it is on again.
        LoopEventKind::CauseOver { .. } | LoopEventKind::GainLowered { .. } => return None,
    })
}
