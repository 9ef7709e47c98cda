//! loom models of the delivery: every value comes exactly once, in order, or comes back to its
//! sender and is counted; and a waiting receiver is always woken.
//!
//! The ring is `ringbuf`'s algorithm on loom's atomics. A missed bell leaves the receiver parked
//! for ever, which loom reports as a deadlock. The receiver has a separate thread: if a bell comes
//! while its thread joins another, loom takes it for the end of that other thread.

use super::*;
use crate::ring::mocked::{HeapRb, PUBLISH};
use ::loom::thread::spawn;

/// The orderings; a mutant weakens one of them.
#[derive(Clone, Copy)]
struct Orders {
    publish: Ordering,
    senders_bell: Ordering,
    receivers_bell: Ordering,
}

const RIGHT: Orders = Orders {
    publish: PUBLISH,
    senders_bell: BELL,
    receivers_bell: BELL,
};

fn made(capacity: usize, orders: Orders) -> (Sender<u8>, Receiver<u8>) {
    ends(crate::ring::ends(HeapRb::ordered(capacity, orders.publish)))
}

/// Same as [`Sender::send`], with these orderings. Returns false if the value came back.
fn send(sender: &mut Sender<u8>, value: u8, orders: Orders) -> bool {
    let values = sender.values.as_mut().unwrap();
    if values.is_abandoned() || values.push(value).is_err() {
        return false;
    }
    sender.ring_the_bell(orders.senders_bell);
    true
}

/// Sends the values in order. Returns those that came back, and the number counted as lost.
fn send_all(sender: &mut Sender<u8>, count: u8, orders: Orders) -> (Vec<u8>, u64) {
    let back = (1..=count)
        .filter(|value| !send(sender, *value, orders))
        .collect();
    (back, sender.values.as_ref().unwrap().dropped())
}

/// Sends all values, then drops the sender.
fn send_and_go(mut sender: Sender<u8>, count: u8, orders: Orders) -> (Vec<u8>, u64) {
    send_all(&mut sender, count, orders)
}

/// Checks that received and returned values together are the values sent.
fn judge(count: u8, received: &[u8], (back, lost): &(Vec<u8>, u64)) {
    assert!(
        received.is_sorted_by(|a, b| a < b),
        "out of order: {received:?}"
    );
    assert_eq!(back.len() as u64, *lost, "what came back was not counted");
    let mut all = [received, back].concat();
    all.sort_unstable();
    assert_eq!(all, (1..=count).collect::<Vec<_>>(), "lost or doubled");
}

/// The receiver waits for each value, until the sender is gone.
fn waits(capacity: usize, count: u8, orders: Orders) {
    ::loom::model(move || {
        let (mut sender, mut receiver) = made(capacity, orders);
        let receiving = spawn(move || {
            let next = || receiver.wait(None, orders.receivers_bell).ok();
            std::iter::from_fn(next).collect::<Vec<_>>()
        });
        let sent = send_all(&mut sender, count, orders);
        drop(sender);
        judge(count, &receiving.join().unwrap(), &sent);
    });
}

/// The receiver waits for as many values as fit; the sender rings for nothing else meanwhile. The
/// threads are swapped, and there is no join: loom cannot drop what a deadlock leaves behind.
fn waits_for_all(count: u8, orders: Orders) {
    ::loom::model(move || {
        let (mut sender, mut receiver) = made(usize::from(count), orders);
        // Kept until the end: the bell of its drop would be heard.
        let _sending = spawn(move || {
            let sent = send_all(&mut sender, count, orders);
            assert_eq!(sent, (Vec::new(), 0));
            sender
        });
        let next = |_| receiver.wait(None, orders.receivers_bell).unwrap();
        let received: Vec<u8> = (0..count).map(next).collect();
        judge(count, &received, &(Vec::new(), 0));
    });
}

/// The receiver polls a few times, and takes the rest when the sender is gone.
fn polls(capacity: usize, count: u8, orders: Orders) {
    ::loom::model(move || {
        let (sender, mut receiver) = made(capacity, orders);
        let sending = spawn(move || send_and_go(sender, count, orders));
        let mut received = Vec::new();
        for _ in 0..2 {
            match receiver.try_recv() {
                Ok(value) => received.push(value),
                Err(NoValue::Empty) => {}
                // No value will come.
                Err(NoValue::Gone) => break,
            }
        }
        let sent = sending.join().unwrap();
        while let Ok(value) = receiver.try_recv() {
            received.push(value);
        }
        assert_eq!(receiver.try_recv(), Err(NoValue::Gone));
        judge(count, &received, &sent);
    });
}

#[test]
fn loom_a_delivery_comes_once_and_in_order_and_wakes() {
    waits(1, 2, RIGHT);
    waits(2, 2, RIGHT);
    waits_for_all(2, RIGHT);
}

#[test]
fn loom_a_delivery_that_is_polled_loses_nothing_uncounted() {
    polls(1, 3, RIGHT);
    polls(2, 3, RIGHT);
}

#[test]
fn loom_without_a_receiver_it_comes_back() {
    ::loom::model(|| {
        let (mut sender, mut receiver) = made(1, RIGHT);
        let receiving = spawn(move || receiver.try_recv().is_ok());
        let first = sender.send(1);
        let was_received = receiving.join().unwrap();
        // The value came too late, or came back, or is left in the ring, which drops it.
        assert!(!was_received || first.is_ok());
        assert_eq!(sender.send(2), Err(Unsent::Gone(2)));
    });
}

#[test]
#[should_panic(expected = "Causality violation")]
fn loom_mutant_of_a_delivery_that_does_not_release_fails() {
    let orders = Orders {
        publish: Ordering::Relaxed,
        ..RIGHT
    };
    polls(1, 3, orders);
}

/// A receiver that takes the end of the sender for the end of the values, and does not check once
/// more.
#[test]
#[should_panic(expected = "lost or doubled")]
fn loom_mutant_of_a_receiver_that_looks_once_fails() {
    ::loom::model(|| {
        let (sender, mut receiver) = made(2, RIGHT);
        let receiving = spawn(move || {
            let mut received = Vec::new();
            loop {
                match receiver.values.pop() {
                    Some(value) => received.push(value),
                    None if receiver.values.is_abandoned() => return received,
                    None => ::loom::thread::yield_now(),
                }
            }
        });
        let sent = send_and_go(sender, 1, RIGHT);
        judge(1, &receiving.join().unwrap(), &sent);
    });
}

#[test]
#[should_panic(expected = "deadlock")]
fn loom_mutant_of_a_bell_whose_sender_has_a_lesser_fence_fails() {
    let orders = Orders {
        senders_bell: Ordering::AcqRel,
        ..RIGHT
    };
    waits_for_all(1, orders);
}

#[test]
#[should_panic(expected = "deadlock")]
fn loom_mutant_of_a_bell_whose_receiver_has_a_lesser_fence_fails() {
    let orders = Orders {
        receivers_bell: Ordering::AcqRel,
        ..RIGHT
    };
    waits_for_all(1, orders);
}
