//! The loop's events on their way to the clients: each once, in the order of their ticks, with a
//! count where some are missing.

use hapticd_loop::{
    contact_events::{ContactEvent, ContactEventKind, RELEASE_NS},
    events::{Gaps, LoopEvent, LoopEventKind, Numbered},
};
use hapticd_protocol::event::{self, Event, LetGoReason};
use hapticd_proxy::LetGo;
use hapticd_sync::ring;

const _: () = assert!(RELEASE_NS == event::RELEASE_NS);

/// One feed of the loop.
struct Feed<K> {
    ring: ring::Consumer<Numbered<K>>,
    gaps: Gaps,
    /// Number of missing events before `next`.
    missing: u64,
    next: Option<Numbered<K>>,
}

impl<K: Copy> Feed<K> {
    fn new(ring: ring::Consumer<Numbered<K>>) -> Self {
        Feed {
            ring,
            gaps: Gaps::default(),
            missing: 0,
            next: None,
        }
    }

    fn is_waiting(&self) -> bool {
        self.next.is_some() || self.ring.waiting() > 0
    }

    /// Tick of the next event.
    fn tick(&mut self) -> Option<u64> {
        if self.next.is_none() {
            self.next = self.ring.pop();
            self.missing = self.next.as_ref().map_or(0, |next| self.gaps.before(next));
        }
        self.next.as_ref().map(|next| next.tick)
    }

    /// Takes the next event, or first the number of events that are missing before it.
    fn take(&mut self) -> Option<Result<Numbered<K>, event::EventsLost>> {
        self.tick()?;
        match std::mem::take(&mut self.missing) {
            0 => self.next.take().map(Ok),
            count => Some(Err(event::EventsLost { count })),
        }
    }
}

/// News of the loop for clients.
#[derive(Debug)]
pub(super) enum News {
    /// For those that listen for events.
    Event(Event),
    /// For those that listen for the news of contacts and buttons.
    Contact(Event),
}

/// The server's end of the rings of [`EventFeed`](hapticd_loop::events::EventFeed) and
/// [`ContactFeed`](hapticd_loop::contact_events::ContactFeed).
pub struct LoopEvents {
    events: Feed<LoopEventKind>,
    contacts: Feed<ContactEventKind>,
}

impl LoopEvents {
    /// Makes a reader of these rings.
    pub fn new(events: ring::Consumer<LoopEvent>, contacts: ring::Consumer<ContactEvent>) -> Self {
        LoopEvents {
            events: Feed::new(events),
            contacts: Feed::new(contacts),
        }
    }

    /// Whether more events wait.
    pub(super) fn is_waiting(&self) -> bool {
        self.events.is_waiting() || self.contacts.is_waiting()
    }

    /// The next event for clients; `None` if there is none now.
    pub(super) fn next(&mut self) -> Option<News> {
        loop {
            let told = match (self.events.tick(), self.contacts.tick()) {
                (None, None) => return None,
                (Some(tick), contact) if contact.is_none_or(|contact| tick <= contact) => {
                    match self.events.take()? {
                        Ok(event) => told(&event).map(News::Event),
                        Err(lost) => Some(News::Event(lost.into())),
                    }
                }
                _ => Some(News::Contact(match self.contacts.take()? {
                    Ok(event) => told_contact(&event),
                    Err(lost) => lost.into(),
                })),
            };
            if told.is_some() {
                return told;
            }
        }
    }
}

/// Converts an event for clients; `None` if they do not receive it.
fn told(happened: &LoopEvent) -> Option<Event> {
    let Numbered {
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

/// Converts the reason why an arm let go.
fn let_go_reason(why: LetGo) -> LetGoReason {
    match why {
        LetGo::Ordered => LetGoReason::Ordered,
        LetGo::NothingThere => LetGoReason::NothingThere,
        LetGo::HolderGone => LetGoReason::HolderGone,
        LetGo::BodyGone => LetGoReason::BodyGone,
        LetGo::BodySilent => LetGoReason::BodySilent,
        LetGo::ArmLost => LetGoReason::ArmLost,
        LetGo::Stretched => LetGoReason::Stretched,
        LetGo::ClientsUnserved => LetGoReason::ClientsUnserved,
    }
}

/// Converts the news of a contact or a button for clients.
fn told_contact(happened: &ContactEvent) -> Event {
    let Numbered {
        tick,
        now_ns: time_ns,
        arm,
        kind,
        ..
    } = *happened;
    match kind {
        ContactEventKind::Touched(body) => event::Touched {
            tick,
            time_ns,
            body,
            arm,
        }
        .into(),
        ContactEventKind::Released {
            body,
            last_touch_ns,
        } => event::Released {
            tick,
            time_ns,
            last_touch_ns,
            body,
            arm,
        }
        .into(),
        ContactEventKind::Ghost(body) => event::Ghost {
            tick,
            time_ns,
            body,
            arm,
        }
        .into(),
        ContactEventKind::Solid(body) => event::Solid {
            tick,
            time_ns,
            body,
            arm,
        }
        .into(),
        ContactEventKind::Grasped(body) => event::Grasped {
            tick,
            time_ns,
            body,
            arm,
        }
        .into(),
        ContactEventKind::LetGo { body, why } => event::LetGo {
            tick,
            time_ns,
            body,
            arm,
            reason: let_go_reason(why),
        }
        .into(),
        ContactEventKind::ClutchEngaged => event::ClutchEngaged { tick, time_ns, arm }.into(),
        ContactEventKind::ClutchReleased => event::ClutchReleased { tick, time_ns, arm }.into(),
        ContactEventKind::ButtonPressed(button) => event::ButtonPressed {
            tick,
            time_ns,
            arm,
            button,
        }
        .into(),
        ContactEventKind::ButtonReleased(button) => event::ButtonReleased {
            tick,
            time_ns,
            arm,
            button,
        }
        .into(),
    }
}
