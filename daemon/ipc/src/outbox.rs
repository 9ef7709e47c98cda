//! Messages waiting for one client that does not read at the moment: bounded, with replies never
//! lost and lost events counted.
//!
//! Pure: sending is the caller's closure.

use hapticd_protocol::{
    event::{Event, EventsLost},
    frame::Message,
    reply::Reply,
};
use std::{collections::VecDeque, os::fd::OwnedFd, sync::Arc};

/// Most waiting replies. A client with this many unread answers is closed.
pub(super) const MAX_REPLIES: usize = 256;
/// Most waiting replies that each hold a separate descriptor (a status, a wake-up line); more are
/// refused.
const MAX_OWN: usize = 8;
/// Most waiting events; more are dropped and counted.
const MAX_EVENTS: usize = 1024;

/// Descriptors that go with a reply. However many replies wait, a descriptor that many of them name
/// exists once.
#[derive(Debug, Default)]
pub(super) struct Passed {
    /// The descriptors, in order.
    pub(super) fds: Vec<Arc<OwnedFd>>,
    /// Whether one of them was made for this reply.
    pub(super) own: bool,
}

/// One message with its descriptors.
#[derive(Debug)]
pub(super) struct Packet {
    pub(super) bytes: Vec<u8>,
    pub(super) passed: Passed,
    is_event: bool,
}

/// Result of sending a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// The packet was sent.
    Done,
    /// The client's queue has no capacity now; its socket shows when it has again.
    Later,
    /// Another resource is short, or the client has to read first; only a later attempt can tell.
    Held,
    /// The connection is broken.
    Never,
}

/// Result of sending all waiting packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flushed {
    /// Everything was sent, or waits for the client's socket.
    Done,
    /// The next packet must be tried again after a while.
    Held,
    /// The connection is broken.
    Broken,
}

/// The client does not read its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooSlow;

/// The queue of waiting messages.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    queue: VecDeque<Packet>,
    replies: usize,
    own: usize,
    lost: u64,
}

impl Outbox {
    pub(super) fn reply(&mut self, id: u64, reply: &Reply, passed: Passed) -> Result<(), TooSlow> {
        if self.replies >= MAX_REPLIES {
            return Err(TooSlow);
        }
        self.replies += 1;
        self.own += usize::from(passed.own);
        self.queue.push_back(Packet {
            bytes: reply.encode(id),
            passed,
            is_event: false,
        });
        Ok(())
    }

    /// Queues the last message before a client is closed, however much waits.
    pub(super) fn push_final(&mut self, id: u64, reply: &Reply) {
        self.replies += 1;
        self.queue.push_back(Packet {
            bytes: reply.encode(id),
            passed: Passed::default(),
            is_event: false,
        });
    }

    pub(super) fn event(&mut self, event: &Event) {
        let waiting = self.queue.len() - self.replies;
        // If events are missing, their number comes first, at their place.
        let more = 1 + usize::from(self.lost > 0);
        if waiting + more > MAX_EVENTS {
            self.lost += 1;
            return;
        }
        if self.lost > 0 {
            let count = std::mem::take(&mut self.lost);
            self.push_event(&EventsLost { count }.into());
        }
        self.push_event(event);
    }

    fn push_event(&mut self, event: &Event) {
        self.queue.push_back(Packet {
            bytes: event.encode(0),
            passed: Passed::default(),
            is_event: true,
        });
    }

    /// Whether no message waits.
    pub(super) fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.lost == 0
    }

    /// Whether one more reply may hold a separate descriptor.
    pub(super) fn takes_own(&self) -> bool {
        self.own < MAX_OWN
    }

    /// Sends as much as the client can take.
    pub(super) fn flush(&mut self, mut send: impl FnMut(&Packet) -> Sent) -> Flushed {
        loop {
            while let Some(packet) = self.queue.front() {
                match send(packet) {
                    Sent::Done => {
                        self.replies -= usize::from(!packet.is_event);
                        self.own -= usize::from(packet.passed.own);
                        self.queue.pop_front();
                    }
                    Sent::Later => return Flushed::Done,
                    Sent::Held => return Flushed::Held,
                    Sent::Never => return Flushed::Broken,
                }
            }
            if self.lost == 0 {
                return Flushed::Done;
            }
            // Events lost at the end are reported as well, though nothing follows.
            let count = std::mem::take(&mut self.lost);
            self.push_event(&EventsLost { count }.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_protocol::{event, reply};

    fn event(body: u32) -> Event {
        event::LeaseExpired { body }.into()
    }

    /// Everything that is sent while there is capacity for `room` packets.
    fn flush(outbox: &mut Outbox, mut room: usize) -> Vec<Vec<u8>> {
        let mut sent = Vec::new();
        let flushed = outbox.flush(|packet| {
            if room == 0 {
                return Sent::Later;
            }
            room -= 1;
            sent.push(packet.bytes.clone());
            Sent::Done
        });
        assert_eq!(flushed, Flushed::Done);
        sent
    }

    #[test]
    fn everything_arrives_in_order_however_little_room_there_is() {
        let mut outbox = Outbox::default();
        outbox.event(&event(1));
        outbox
            .reply(7, &reply::Done {}.into(), Passed::default())
            .unwrap();
        outbox.event(&event(2));
        let mut sent = Vec::new();
        while !outbox.is_empty() {
            sent.extend(flush(&mut outbox, 1));
        }
        assert_eq!(
            sent,
            [
                event(1).encode(0),
                Reply::from(reply::Done {}).encode(7),
                event(2).encode(0)
            ]
        );
    }

    #[test]
    fn events_that_do_not_fit_are_reported() {
        let mut outbox = Outbox::default();
        for body in 0..MAX_EVENTS as u32 + 5 {
            outbox.event(&event(body));
        }
        let sent = flush(&mut outbox, usize::MAX);
        assert_eq!(sent.len(), MAX_EVENTS + 1);
        assert_eq!(
            sent.last().unwrap(),
            &Event::from(EventsLost { count: 5 }).encode(0)
        );
        assert!(outbox.is_empty());
    }

    #[test]
    fn a_gap_is_shown_in_place() {
        let mut outbox = Outbox::default();
        let all = MAX_EVENTS as u32 + 5;
        (0..all).for_each(|body| outbox.event(&event(body)));
        // There is capacity for three again: the number of missing events, and two events after it.
        let mut sent = flush(&mut outbox, 3);
        (all..all + 4).for_each(|body| outbox.event(&event(body)));
        sent.extend(flush(&mut outbox, usize::MAX));
        let (mut next, mut gaps) = (0, Vec::new());
        for packet in &sent {
            match Event::decode(packet, 0).unwrap().1 {
                Event::LeaseExpired(told) => {
                    assert_eq!(told.body, next);
                    next += 1;
                }
                Event::EventsLost(lost) => {
                    gaps.push((next, lost.count));
                    next += lost.count as u32;
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(gaps, [(all - 5, 5), (all + 2, 2)]);
        assert_eq!(next, all + 4);
    }

    #[test]
    fn a_client_that_never_reads_its_answers_is_too_slow_and_one_that_does_is_not() {
        let mut outbox = Outbox::default();
        let done = reply::Done {}.into();
        for id in 0..MAX_REPLIES as u64 {
            outbox.reply(id, &done, Passed::default()).unwrap();
        }
        assert_eq!(outbox.reply(0, &done, Passed::default()), Err(TooSlow));
        assert_eq!(flush(&mut outbox, 1).len(), 1);
        assert_eq!(outbox.reply(0, &done, Passed::default()), Ok(()));
    }

    #[test]
    fn a_broken_link_is_reported() {
        let mut outbox = Outbox::default();
        assert_eq!(outbox.flush(|_| Sent::Never), Flushed::Done);
        outbox.event(&event(1));
        assert_eq!(outbox.flush(|_| Sent::Never), Flushed::Broken);
    }

    #[test]
    fn what_the_system_cannot_send_now_waits_in_its_place() {
        let mut outbox = Outbox::default();
        outbox.event(&event(1));
        outbox.event(&event(2));
        assert_eq!(outbox.flush(|_| Sent::Held), Flushed::Held);
        assert_eq!(
            flush(&mut outbox, usize::MAX),
            [event(1).encode(0), event(2).encode(0)]
        );
    }

    #[test]
    fn replies_with_their_own_descriptor_are_limited() {
        let mut outbox = Outbox::default();
        for id in 0..MAX_OWN as u64 {
            assert!(outbox.takes_own(), "{id}");
            let passed = Passed {
                own: true,
                ..Passed::default()
            };
            outbox.reply(id, &reply::Done {}.into(), passed).unwrap();
        }
        assert!(!outbox.takes_own());
        assert_eq!(flush(&mut outbox, 1).len(), 1);
        assert!(outbox.takes_own());
    }
}
