//! News of contacts and buttons: every touch, release and press, at the tick that brought it, in
//! order.
//!
//! Contacts come and go within a tick or two, which a reader that samples blocks misses. Here each
//! tick is compared with the ones before ([`ContactChanges`], pure), and what changed goes through
//! a wait-free ring to the clients' thread ([`ContactFeed`], on the real-time thread). The ring is
//! its own: whatever touches, the news that force went off ([`events`](crate::events)) waits behind
//! none of it.
//!
//! Real-time callable: no allocation, no blocking, work bounded by arms, contacts and bodies.

use hapticd_proxy::{Contact, LetGo, MAX_ARMS, MAX_BODIES};
use hapticd_sync::ring;

use super::core::{LoopCore, first_body_id};
use super::events::{EVENTS, Numbered};
use super::thread::Publish;

/// Time without contact after which a tool counts as released from a body, ns.
pub const RELEASE_NS: u64 = 20_000_000;

/// Kind of the news.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactEventKind {
    /// The body with this client-visible id holds the tool back, and did not before.
    Touched(u32),
    /// It has not held the tool back for [`RELEASE_NS`].
    Released {
        /// Client-visible id.
        body: u32,
        /// Time of the last tick in which it did, ns.
        last_touch_ns: u64,
    },
    /// The tool is inside this body, or overlaps it: the body is not solid to it.
    Ghost(u32),
    /// The tool has moved out of this body, or the body is gone.
    Solid(u32),
    /// The button with this number was pressed.
    ButtonPressed(u8),
    /// It was released, or the arm was lost.
    ButtonReleased(u8),
    /// The arm holds the dynamic body with this client-visible id.
    Grasped(u32),
    /// A clutch holds the tool.
    ClutchEngaged,
    /// It no longer does.
    ClutchReleased,
    /// It does not hold that body any more.
    LetGo {
        /// Client-visible id; 0 if there was nothing to take.
        body: u32,
        /// Why.
        why: LetGo,
    },
}

/// One piece of news of one arm.
pub type ContactEvent = Numbered<ContactEventKind>;

/// One arm's part of a tick.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// Buttons that are pressed, one bit each.
    pub buttons: u32,
    /// Contacts.
    pub contacts: &'a [Contact],
    /// Bodies that the tool is inside of, by slot.
    pub inside: u64,
    /// Client-visible id of the body that the arm holds; 0: none.
    pub grasped: u32,
    /// Why it let go of one, or found none.
    pub let_go: Option<LetGo>,
    /// Whether a clutch holds the tool.
    pub clutched: bool,
}

/// Bodies that a tool touches or is inside of.
#[derive(Clone, Copy, Debug)]
struct Arm {
    /// Client-visible id, and time of the last tick in which the body held the tool.
    touched: [(u32, u64); MAX_BODIES],
    count: usize,
    inside: u64,
    inside_ids: [u32; MAX_BODIES],
    buttons: u32,
    grasped: u32,
    clutched: bool,
}

impl Arm {
    const NEW: Arm = Arm {
        touched: [(0, 0); MAX_BODIES],
        count: 0,
        inside: 0,
        inside_ids: [0; MAX_BODIES],
        buttons: 0,
        grasped: 0,
        clutched: false,
    };

    /// Passes on which bodies began and ceased to hold the tool.
    fn touches(
        &mut self,
        now_ns: u64,
        contacts: &[Contact],
        say: &mut impl FnMut(ContactEventKind),
    ) {
        for contact in contacts.iter().filter(|contact| contact.active) {
            let mut known = self.touched[..self.count].iter_mut();
            if let Some((_, last_ns)) = known.find(|(body, _)| *body == contact.body) {
                *last_ns = now_ns;
            } else if let Some(place) = self.touched.get_mut(self.count) {
                *place = (contact.body, now_ns);
                self.count += 1;
                say(ContactEventKind::Touched(contact.body));
            }
        }
        let mut k = 0;
        while k < self.count {
            let (body, last_touch_ns) = self.touched[k];
            if now_ns.saturating_sub(last_touch_ns) < RELEASE_NS {
                k += 1;
                continue;
            }
            self.count -= 1;
            self.touched[k] = self.touched[self.count];
            say(ContactEventKind::Released {
                body,
                last_touch_ns,
            });
        }
    }

    /// Passes on which bodies the tool is now inside of, and which no longer.
    fn insides(
        &mut self,
        inside: u64,
        id_of: impl Fn(usize) -> u32,
        say: &mut impl FnMut(ContactEventKind),
    ) {
        for slot in bits(inside & !self.inside) {
            self.inside_ids[slot] = id_of(slot);
            say(ContactEventKind::Ghost(self.inside_ids[slot]));
        }
        for slot in bits(self.inside & !inside) {
            say(ContactEventKind::Solid(self.inside_ids[slot]));
        }
        self.inside = inside;
    }

    /// Passes on which buttons were pressed and released.
    fn presses(&mut self, buttons: u32, say: &mut impl FnMut(ContactEventKind)) {
        for button in bits(u64::from(buttons & !self.buttons)) {
            say(ContactEventKind::ButtonPressed(button as u8));
        }
        for button in bits(u64::from(self.buttons & !buttons)) {
            say(ContactEventKind::ButtonReleased(button as u8));
        }
        self.buttons = buttons;
    }
}

impl Arm {
    /// Passes on what the arm took and let go of, the latter first.
    fn grasps(&mut self, seen: &Seen<'_>, say: &mut impl FnMut(ContactEventKind)) {
        let before = std::mem::replace(&mut self.grasped, seen.grasped);
        let ended = before != 0 && before != seen.grasped;
        if ended || seen.let_go.is_some() {
            let why = seen.let_go.unwrap_or(LetGo::Ordered);
            let body = if ended { before } else { 0 };
            say(ContactEventKind::LetGo { body, why });
        }
        if seen.grasped != 0 && seen.grasped != before {
            say(ContactEventKind::Grasped(seen.grasped));
        }
    }
}

impl Arm {
    /// Passes on whether a clutch was engaged or disengaged.
    fn clutches(&mut self, clutched: bool, say: &mut impl FnMut(ContactEventKind)) {
        if std::mem::replace(&mut self.clutched, clutched) != clutched {
            say(match clutched {
                true => ContactEventKind::ClutchEngaged,
                false => ContactEventKind::ClutchReleased,
            });
        }
    }
}

/// Returns the bits that are set, lowest first.
fn bits(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (set != 0).then_some(set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(lowest)
    })
}

/// Compares each tick with the ones before.
#[derive(Clone, Debug)]
pub struct ContactChanges {
    arms: [Arm; MAX_ARMS],
    sequence: u64,
}

impl Default for ContactChanges {
    fn default() -> Self {
        ContactChanges {
            arms: [Arm::NEW; MAX_ARMS],
            sequence: 0,
        }
    }
}

impl ContactChanges {
    /// Passes the news of a tick to `tell`. `id_of` returns the client-visible id of the body in a
    /// slot.
    pub fn tick(
        &mut self,
        [tick, now_ns]: [u64; 2],
        seen: &[Seen<'_>; MAX_ARMS],
        id_of: impl Fn(usize) -> u32,
        mut tell: impl FnMut(ContactEvent),
    ) {
        for (arm, (seen, before)) in (0u8..).zip(seen.iter().zip(&mut self.arms)) {
            let sequence = &mut self.sequence;
            let mut say = |kind| {
                *sequence += 1;
                tell(Numbered {
                    sequence: *sequence,
                    tick,
                    now_ns,
                    arm,
                    kind,
                });
            };
            before.touches(now_ns, seen.contacts, &mut say);
            before.insides(seen.inside, &id_of, &mut say);
            before.presses(seen.buttons, &mut say);
            before.grasps(seen, &mut say);
            before.clutches(seen.clutched, &mut say);
        }
    }
}

/// The loop's end of the ring of this news.
pub struct ContactFeed {
    changes: ContactChanges,
    reader: ring::Producer<ContactEvent>,
}

impl ContactFeed {
    /// Makes the feed, and the end that the clients' thread reads.
    pub fn new() -> (Self, ring::Consumer<ContactEvent>) {
        let (reader, clients) = ring::ring(EVENTS);
        let changes = ContactChanges::default();
        (ContactFeed { changes, reader }, clients)
    }

    /// Pushes the news of one tick.
    pub fn tick(
        &mut self,
        time: [u64; 2],
        seen: &[Seen<'_>; MAX_ARMS],
        id_of: impl Fn(usize) -> u32,
    ) {
        let reader = &mut self.reader;
        self.changes.tick(time, seen, id_of, |event| {
            // The numbers show a stalled reader what it missed.
            let _ = reader.push(event);
        });
    }
}

impl Publish for ContactFeed {
    fn publish(&mut self, core: &LoopCore) {
        let (record, output) = (core.record(), core.output());
        let seen = std::array::from_fn(|arm| {
            let (tick, outcome) = (&record.arms[arm], &output.arms[arm]);
            Seen {
                buttons: if tick.attached {
                    tick.sample.buttons
                } else {
                    0
                },
                contacts: &outcome.contacts[..outcome.contact_count],
                inside: tick.inside,
                grasped: outcome.grasped,
                let_go: core.grasp_ended(arm),
                clutched: tick.clutched,
            }
        });
        let id_of = |slot| first_body_id(core.engine(), 1_u64 << slot);
        self.tick([record.tick, record.now_ns], &seen, id_of);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ContactEventKind::{
        ButtonPressed, ButtonReleased, Ghost, Grasped, Released, Solid, Touched,
    };

    const NOTHING: Seen<'_> = Seen {
        buttons: 0,
        contacts: &[],
        inside: 0,
        grasped: 0,
        let_go: None,
        clutched: false,
    };

    fn contact(body: u32, active: bool) -> Contact {
        Contact {
            body,
            active,
            ..Contact::NONE
        }
    }

    /// Runs ticks of a millisecond in which arm 1 sees this, and returns the news with its tick.
    fn run(ticks: &[Seen<'_>]) -> Vec<(u64, ContactEventKind)> {
        let (mut changes, mut all) = (ContactChanges::default(), Vec::new());
        for (tick, seen) in (1..).zip(ticks) {
            let mut arms = [NOTHING; MAX_ARMS];
            arms[1] = *seen;
            let id_of = |slot| 100 + slot as u32;
            changes.tick([tick, tick * 1_000_000], &arms, id_of, |e| all.push(e));
        }
        assert!(all.iter().map(|e| e.sequence).eq(1..=all.len() as u64));
        assert!(
            all.iter()
                .all(|e| e.arm == 1 && e.now_ns == e.tick * 1_000_000)
        );
        all.iter().map(|e| (e.tick, e.kind)).collect()
    }

    #[test]
    fn a_touch_is_told_once_and_its_end_20_ms_after_the_last() {
        let (on, off) = ([contact(7, true)], [contact(7, false)]);
        let touching = Seen {
            contacts: &on,
            ..NOTHING
        };
        let near = Seen {
            contacts: &off,
            ..NOTHING
        };
        // Two ticks, a bounce of 19, one tick, and away.
        let mut ticks = vec![touching; 2];
        ticks.extend([near; 19]);
        ticks.push(touching);
        ticks.extend([near; 30]);
        let last_touch_ns = 22_000_000;
        let released = Released {
            body: 7,
            last_touch_ns,
        };
        assert_eq!(run(&ticks), [(1, Touched(7)), (42, released)]);
    }

    #[test]
    fn bodies_are_told_apart_and_two_contacts_of_one_are_one_touch() {
        let both = [contact(7, true), contact(8, true), contact(7, true)];
        let one = [contact(8, true)];
        let mut ticks = vec![Seen {
            contacts: &both,
            ..NOTHING
        }];
        ticks.extend(
            [Seen {
                contacts: &one,
                ..NOTHING
            }; 25],
        );
        let released = Released {
            body: 7,
            last_touch_ns: 1_000_000,
        };
        assert_eq!(
            run(&ticks),
            [(1, Touched(7)), (1, Touched(8)), (21, released)]
        );
    }

    #[test]
    fn insides_and_buttons_are_told_at_their_edges() {
        let of = |inside, buttons| Seen {
            inside,
            buttons,
            ..NOTHING
        };
        let ticks = [
            of(0, 0),
            of(0b101, 1 << 31),
            of(0b101, 1 << 31 | 2),
            of(0b100, 2),
            of(0, 0),
        ];
        assert_eq!(
            run(&ticks),
            [
                (2, Ghost(100)),
                (2, Ghost(102)),
                (2, ButtonPressed(31)),
                (3, ButtonPressed(1)),
                (4, Solid(100)),
                (4, ButtonReleased(31)),
                (5, Solid(102)),
                (5, ButtonReleased(1)),
            ]
        );
    }

    #[test]
    fn grasps_are_told_at_their_ends_and_a_change_of_bodies_is_both() {
        let of = |grasped, let_go| Seen {
            grasped,
            let_go,
            ..NOTHING
        };
        let ticks = [
            of(0, Some(LetGo::NothingThere)),
            of(7, None),
            of(7, None),
            of(8, Some(LetGo::Ordered)),
            of(0, Some(LetGo::Stretched)),
            of(0, None),
        ];
        let let_go = |body, why| ContactEventKind::LetGo { body, why };
        assert_eq!(
            run(&ticks),
            [
                (1, let_go(0, LetGo::NothingThere)),
                (2, Grasped(7)),
                (4, let_go(7, LetGo::Ordered)),
                (4, Grasped(8)),
                (5, let_go(8, LetGo::Stretched)),
            ]
        );
    }
}
