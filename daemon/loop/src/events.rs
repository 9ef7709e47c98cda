//! Events of the loop: every change, at the tick that brought it, in order.
//!
//! A reader that samples the newest record now and then misses what is already over: of cuts that
//! last one tick, seven in eight. Here each tick is compared with the one before ([`Changes`],
//! pure). Changes go through wait-free rings to the threads that report them ([`EventFeed`], on the
//! real-time thread). A full ring loses the event but not its number, so the reader sees the gap
//! and its size.

use hapticd_devices::safety::{ForceOffReason, GovernorState};
use hapticd_proxy::MAX_ARMS;
use hapticd_sync::ring;

use super::cause::Cause;
use super::core::LoopCore;
use super::record::{ArmTick, TickRecord};
use super::thread::Publish;

/// Capacity of a ring, events. An arm has at most three a tick as a rule.
pub const EVENTS: usize = 4096;

/// Kind of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoopEventKind {
    /// The arm was attached.
    ArmAttached,
    /// The arm was lost.
    ArmLost,
    /// The governor began to hold force off or to take it off.
    ForceOff {
        /// [`ForceOffReason::code`].
        reason: u8,
        /// The number behind the reason.
        cause: Cause,
    },
    /// Force was off already and still is; another reason is shown now.
    StillOff {
        /// [`ForceOffReason::code`].
        reason: u8,
        /// The number behind the reason.
        cause: Cause,
    },
    /// The last reason is over: force may return once little of it is wanted.
    CauseOver {
        /// [`ForceOffReason::code`].
        reason: u8,
    },
    /// Force is back at full authority.
    ForceOn,
    /// The governor lowered the gain because something oscillated or gave the hand energy. The
    /// fields hold the remaining gain.
    GainLowered {
        /// Remaining after oscillation, for force and for torque.
        oscillation: [f64; 2],
        /// Remaining after the energy check, for both.
        energy: f64,
    },
}

/// One change of one arm.
pub type LoopEvent = Numbered<LoopEventKind>;

/// An event of one arm, numbered in its feed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Numbered<K> {
    /// Number of the event over all events of its feed, from 1; gaps show missed events.
    pub sequence: u64,
    /// Tick that brought the change.
    pub tick: u64,
    /// Time of that tick, ns.
    pub now_ns: u64,
    /// Index of the arm.
    pub arm: u8,
    /// What changed.
    pub kind: K,
}

/// The part of an arm's tick that is compared.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    attached: bool,
    reason: u8,
    state: u8,
    lowered: u64,
}

impl Seen {
    fn of(tick: &ArmTick) -> Self {
        Seen {
            attached: tick.attached,
            reason: tick.reason,
            state: tick.state,
            lowered: tick.lowered.0,
        }
    }
}

/// Compares each tick with the one before. Real-time callable.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    before: [Seen; MAX_ARMS],
    sequence: u64,
    /// Time of the previous tick, ns.
    before_ns: u64,
}

impl Changes {
    /// Passes each change of this tick to `tell`.
    pub fn tick(&mut self, record: &TickRecord, mut tell: impl FnMut(LoopEvent)) {
        let passed_ns = record.now_ns.saturating_sub(self.before_ns);
        let is_first = std::mem::replace(&mut self.before_ns, record.now_ns) == 0;
        let periods = u64::from(record.periods.max(1));
        let period_ns = if is_first { 0 } else { passed_ns / periods };
        for (arm, (tick, before)) in (0u8..).zip(record.arms.iter().zip(&mut self.before)) {
            let now = Seen::of(tick);
            let sequence = &mut self.sequence;
            let mut say = |kind| {
                *sequence += 1;
                tell(Numbered {
                    sequence: *sequence,
                    tick: record.tick,
                    now_ns: record.now_ns,
                    arm,
                    kind,
                });
            };
            if now.attached != before.attached {
                say(if now.attached {
                    LoopEventKind::ArmAttached
                } else {
                    LoopEventKind::ArmLost
                });
            }
            if now.reason != before.reason {
                let is_off = |reason| ForceOffReason::from_code(reason).is_some();
                let reason = now.reason;
                let cause = || Cause::of(reason, tick, record, period_ns);
                say(match (is_off(before.reason), is_off(reason)) {
                    (false, true) => LoopEventKind::ForceOff {
                        reason,
                        cause: cause(),
                    },
                    (true, true) => LoopEventKind::StillOff {
                        reason,
                        cause: cause(),
                    },
                    (_, false) => LoopEventKind::CauseOver {
                        reason: before.reason,
                    },
                });
            }
            let active = GovernorState::Active as u8;
            if now.state == active && before.state != active {
                say(LoopEventKind::ForceOn);
            }
            if now.lowered > before.lowered {
                say(LoopEventKind::GainLowered {
                    oscillation: tick.lowered.1,
                    energy: tick.energy.gain,
                });
            }
            *before = now;
        }
    }
}

/// The loop's end of the event rings. Real-time callable: it only compares and pushes.
pub struct EventFeed {
    changes: Changes,
    readers: [ring::Producer<LoopEvent>; 2],
}

impl EventFeed {
    /// Makes the feed, and the two ends that the clients' thread and the scribe read.
    pub fn new() -> (Self, ring::Consumer<LoopEvent>, ring::Consumer<LoopEvent>) {
        let (to_clients, clients) = ring::ring(EVENTS);
        let (to_scribe, scribe) = ring::ring(EVENTS);
        let feed = EventFeed {
            changes: Changes::default(),
            readers: [to_clients, to_scribe],
        };
        (feed, clients, scribe)
    }

    /// Pushes the changes of one tick.
    pub fn tick(&mut self, record: &TickRecord) {
        let readers = &mut self.readers;
        self.changes.tick(record, |event| {
            for reader in readers.iter_mut() {
                // The numbers show a stalled reader what it missed.
                let _ = reader.push(event);
            }
        });
    }
}

impl Publish for EventFeed {
    fn publish(&mut self, core: &LoopCore) {
        self.tick(core.record());
    }
}

/// Tracks event numbers for a reader and finds gaps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gaps {
    last: u64,
}

impl Gaps {
    /// Number of events missing right before this one.
    pub fn before<K>(&mut self, event: &Numbered<K>) -> u64 {
        let missing = event.sequence.saturating_sub(self.last + 1);
        self.last = event.sequence;
        missing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Record of a tick in which arm 0 has this state.
    fn record(tick: u64, attached: bool, reason: u8, state: GovernorState) -> TickRecord {
        let mut record = TickRecord::new();
        (record.tick, record.now_ns) = (tick, tick * 1_000_000);
        record.arms[0].attached = attached;
        record.arms[0].reason = reason;
        record.arms[0].state = state as u8;
        record.arms[0].snapshot_age = 45;
        record.arms[0].limits.stale_contact_ns = 40_000_000;
        record
    }

    #[test]
    fn each_change_is_an_event_of_its_tick_and_nothing_else_is() {
        let mut changes = Changes::default();
        let mut all = Vec::new();
        let (off, on) = (GovernorState::Fault, GovernorState::Active);
        let ticks = [
            (true, 0, off),
            (true, 0, on),
            (true, 0, on),
            (true, 34, off),
            (true, 2, off),
            (false, 2, off),
            (true, 0, off),
            (true, 0, on),
        ];
        for (tick, (attached, reason, state)) in (1..).zip(ticks) {
            changes.tick(&record(tick, attached, reason, state), |e| all.push(e));
        }
        assert!(all.iter().map(|e| e.sequence).eq(1..=8));
        assert!(
            all.iter()
                .all(|e| e.arm == 0 && e.now_ns == e.tick * 1_000_000)
        );
        let answered = Cause::Above {
            what: "",
            value: 45.0,
            limit: 40.0,
            unit: "ms",
        };
        let off = |reason, cause| LoopEventKind::ForceOff { reason, cause };
        let (reason, cause) = (2, Cause::Plain);
        let still_off = LoopEventKind::StillOff { reason, cause };
        let told: Vec<_> = all.iter().map(|e| (e.tick, e.kind)).collect();
        assert_eq!(
            told,
            [
                (1, LoopEventKind::ArmAttached),
                (2, LoopEventKind::ForceOn),
                (4, off(34, answered)),
                (5, still_off),
                (6, LoopEventKind::ArmLost),
                (7, LoopEventKind::ArmAttached),
                (7, LoopEventKind::CauseOver { reason: 2 }),
                (8, LoopEventKind::ForceOn),
            ]
        );
    }

    #[test]
    fn a_gain_that_is_lowered_is_an_event_with_what_is_left() {
        let mut changes = Changes::default();
        let mut all = Vec::new();
        for (tick, lowered) in (1..).zip([
            (0, [1.0, 1.0]),
            (1, [0.5, 1.0]),
            (1, [0.51, 1.0]),
            (3, [0.51, 0.25]),
        ]) {
            let mut record = record(tick, true, 0, GovernorState::Active);
            record.arms[0].lowered = lowered;
            changes.tick(&record, |e| all.push((e.tick, e.kind)));
        }
        let lowered = |oscillation| LoopEventKind::GainLowered {
            oscillation,
            energy: 1.0,
        };
        assert_eq!(
            all[2..],
            [(2, lowered([0.5, 1.0])), (4, lowered([0.51, 0.25]))]
        );
    }

    #[test]
    fn a_reader_that_stops_knows_how_many_it_missed() {
        let (mut feed, mut clients, mut scribe) = EventFeed::new();
        let (mut gaps, mut read, mut missed) = (Gaps::default(), 0, 0);
        let mut take = |ring: &mut ring::Consumer<LoopEvent>, gaps: &mut Gaps| {
            while let Some(event) = ring.pop() {
                missed += gaps.before(&event);
                read += 1;
            }
        };
        let ticks = 3 * EVENTS as u64;
        let mut scribes = 0;
        for tick in 1..=ticks {
            feed.tick(&record(tick, tick % 2 == 1, 0, GovernorState::Fault));
            scribes += u64::from(scribe.pop().is_some());
            if tick == 2 * EVENTS as u64 {
                take(&mut clients, &mut gaps);
            }
        }
        take(&mut clients, &mut gaps);
        assert_eq!((read + missed, scribes), (ticks, ticks));
        assert_eq!(missed, EVENTS as u64);
    }
}
