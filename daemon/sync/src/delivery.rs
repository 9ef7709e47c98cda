//! A bounded queue between two threads of different priority, for values that a thread waits for: a
//! [`ring`](crate::ring) and a bell.
//!
//! * **Neither end waits for the other unless asked to.** [`Sender::send`] and
//!   [`Receiver::try_recv`] are wait-free except for one system call that wakes; only
//!   [`Receiver::recv`] and [`Receiver::recv_timeout`] wait.
//! * **Full**: the value comes back. **The other end is gone**: the value comes back, with that
//!   reason.
//! * The last end to be dropped drops the remaining values.
//!
//! # Why not a channel
//!
//! The bounded channels of the standard library and of crossbeam are lock-free, not wait-free. A
//! sender takes a place, writes, and then marks the place as written. A receiver that finds a place
//! taken and not marked *spins until it is*, even in `try_recv`. If a sender of lower priority is
//! interrupted between the two steps, it does not run again while the receiver spins. A receiver
//! that must not wait then waits for another thread's time slice, tens of milliseconds on a busy
//! machine. In this queue a value is either there or not.

use std::time::{Duration, Instant};

use crate::loom::{
    sync::{Arc, OnceLock, Ordering, fence},
    thread::{self, Thread},
};
use crate::ring::{Consumer, Producer, ring};

/// Ordering of the bell's fences. SYNC POINT: delivery bell. Both are sequentially consistent: of a
/// sender that has pushed and a receiver that has registered, at least one sees what the other did.
const BELL: Ordering = Ordering::SeqCst;

/// Makes a queue for `capacity` values (at least 1). Allocates once.
pub fn delivery<T: Send>(capacity: usize) -> (Sender<T>, Receiver<T>) {
    ends(ring(capacity))
}

fn ends<T>((values_in, values): (Producer<T>, Consumer<T>)) -> (Sender<T>, Receiver<T>) {
    let waiter = Arc::<OnceLock<Thread>>::default();
    let sender = Sender {
        values: Some(values_in),
        waiter: Arc::clone(&waiter),
    };
    (sender, Receiver { values, waiter })
}

/// Why a value was not sent. Carries the value back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unsent<T> {
    /// The queue is full.
    Full(T),
    /// The receiver is gone.
    Gone(T),
}

/// Why no value was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoValue {
    /// No value yet.
    Empty,
    /// The sender is gone and all values were received.
    Gone,
}

/// The sending end.
#[derive(Debug)]
pub struct Sender<T> {
    /// `None` only while the sender is dropped.
    values: Option<Producer<T>>,
    waiter: Arc<OnceLock<Thread>>,
}

impl<T> Sender<T> {
    /// Sends a value, and wakes the receiver if it waits.
    ///
    /// # Errors
    /// [`Unsent`], with the value.
    pub fn send(&mut self, value: T) -> Result<(), Unsent<T>> {
        let Some(values) = &mut self.values else {
            return Err(Unsent::Gone(value));
        };
        if values.is_abandoned() {
            return Err(Unsent::Gone(value));
        }
        values.push(value).map_err(Unsent::Full)?;
        self.ring_the_bell(BELL);
        Ok(())
    }

    fn ring_the_bell(&self, order: Ordering) {
        // Either this thread sees the registered waiter, or the waiter sees this thread's push or
        // drop when it checks after registering: see `Receiver::wait`.
        fence(order);
        if let Some(waiter) = self.waiter.get() {
            waiter.unpark();
        }
    }
}

impl<T> Drop for Sender<T> {
    fn drop(&mut self) {
        self.values = None;
        self.ring_the_bell(BELL);
    }
}

/// The receiving end. Only the thread that waits first may wait.
#[derive(Debug)]
pub struct Receiver<T> {
    values: Consumer<T>,
    waiter: Arc<OnceLock<Thread>>,
}

impl<T> Receiver<T> {
    /// Takes the oldest value. Wait-free.
    ///
    /// # Errors
    /// [`NoValue`].
    pub fn try_recv(&mut self) -> Result<T, NoValue> {
        if let Some(value) = self.values.pop() {
            return Ok(value);
        }
        if !self.values.is_abandoned() {
            return Err(NoValue::Empty);
        }
        // All values sent before the sender was dropped are visible now.
        self.values.pop().ok_or(NoValue::Gone)
    }

    /// Takes the oldest value and waits for it. `None`: the sender is gone and no value will come.
    pub fn recv(&mut self) -> Option<T> {
        self.wait(None, BELL).ok()
    }

    /// Takes the oldest value and waits for it, at most this long.
    ///
    /// # Errors
    /// [`NoValue`]: it has not come, or will not.
    pub fn recv_timeout(&mut self, at_most: Duration) -> Result<T, NoValue> {
        self.wait(Instant::now().checked_add(at_most), BELL)
    }

    /// Registers this thread: from now on each value, and the end of the sender, unparks it. For a
    /// thread that waits for several sources: call this, check all of them, then `park`.
    pub fn listen(&mut self) {
        self.leave_name(BELL);
    }

    fn leave_name(&self, order: Ordering) {
        let here = self.waiter.get_or_init(thread::current);
        debug_assert_eq!(here.id(), thread::current().id());
        // See `Sender::ring_the_bell`.
        fence(order);
    }

    fn wait(&mut self, until: Option<Instant>, order: Ordering) -> Result<T, NoValue> {
        self.leave_name(order);
        loop {
            match self.try_recv() {
                Err(NoValue::Empty) => {}
                done => return done,
            }
            match until {
                None => thread::park(),
                Some(until) => {
                    let left = until.saturating_duration_since(Instant::now());
                    if left.is_zero() {
                        return Err(NoValue::Empty);
                    }
                    thread::park_timeout(left);
                }
            }
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(300);

    #[test]
    fn values_come_in_order_and_wake() {
        const COUNT: u64 = 100_000;
        let (mut sender, mut receiver) = delivery(4);
        let (mut back_in, mut back) = delivery(4);
        std::thread::scope(|scope| {
            scope.spawn(move || {
                while let Some(value) = receiver.recv() {
                    assert_eq!(back_in.send(value), Ok(()));
                }
            });
            for value in 0..COUNT {
                assert_eq!(sender.send(value), Ok(()));
                // A lost wake-up would wait until the end of the test.
                assert_eq!(back.recv_timeout(LONG), Ok(value));
            }
            drop(sender);
            assert_eq!(back.recv(), None);
        });
    }

    #[test]
    fn values_without_space_or_receiver_come_back() {
        let (mut sender, mut receiver) = delivery(1);
        assert_eq!(receiver.try_recv(), Err(NoValue::Empty));
        assert_eq!(receiver.recv_timeout(Duration::ZERO), Err(NoValue::Empty));
        assert_eq!(sender.send('a'), Ok(()));
        assert_eq!(sender.send('b'), Err(Unsent::Full('b')));
        assert_eq!(receiver.try_recv(), Ok('a'));
        assert_eq!(sender.send('c'), Ok(()));
        drop(sender);
        assert_eq!(receiver.try_recv(), Ok('c'));
        assert_eq!(receiver.try_recv(), Err(NoValue::Gone));
        let (mut sender, receiver) = delivery(1);
        drop(receiver);
        assert_eq!(sender.send('d'), Err(Unsent::Gone('d')));
    }

    #[test]
    fn a_thread_that_listens_to_several_is_unparked_by_each() {
        let (mut one, mut from_one) = delivery::<u8>(1);
        let (two, mut from_two) = delivery::<u8>(1);
        from_one.listen();
        from_two.listen();
        assert_eq!(one.send(1), Ok(()));
        // A lost wake-up would wait until the end of the test.
        std::thread::park_timeout(LONG);
        assert_eq!(from_one.try_recv(), Ok(1));
        drop(two);
        std::thread::park_timeout(LONG);
        assert_eq!(from_two.try_recv(), Err(NoValue::Gone));
    }

    #[test]
    fn a_waiting_receiver_learns_of_the_end() {
        let (sender, mut receiver) = delivery::<u8>(1);
        let thread = std::thread::spawn(move || receiver.recv());
        drop(sender);
        assert_eq!(thread.join().unwrap(), None);
    }
}
