//! A device on a separate thread: the caller hands over its queries and never calls the driver.
//!
//! # Theory
//!
//! A driver may block any call: one that submits, one that polls for an answer, one that frees. So
//! one thread makes all of them, and no other thread waits for it without a bound. Orders for the
//! device go into a bounded queue, and answers come back as messages. When [`QueryEnd`] is
//! dropped, that thread ends as soon as the driver lets it, and drops the device itself.
//!
//! # Practice
//!
//! Both queues are bounded, and neither is a channel with ends that wait for each other
//! ([`hapticd_sync::delivery`]). They hold no mesh: a thread that hangs must not keep memory alive
//! that a client pays for.
//!
//! Preparing a shape takes long: its boxes are sorted, and all shapes are uploaded. Until the
//! thread reports completion no query is sent ([`SweepError::Preparing`]): the answer would be late
//! through no fault of the device.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use hapticd_ccd::MeshIndex;
use hapticd_geometry::{Pose, Screw};
use hapticd_sync::delivery::{NoValue, Receiver, Sender, Unsent, delivery};

use super::Sweeper;
use crate::device::Fault;
use crate::midphase::{Candidates, SweepError};
use crate::readback::DEPTH;
use crate::sweep::{ShapeId, Sweep};
use crate::tracer::Ticket;

/// Capacity for orders: all shapes of a scene, coming and going several times.
const SHELF: usize = 256;
/// Time after which a device that has prepared no shape counts as hung. The largest mesh takes some
/// seconds.
const PREPARE_TIMEOUT: Duration = Duration::from_secs(20);
/// Pause between two polls for an answer that the device reports as finished.
const POLL_PAUSE: Duration = Duration::from_micros(100);

/// An order for the device's thread.
#[derive(Debug)]
enum DeviceOrder {
    /// Add this shape under this name, if it still exists.
    Add(ShapeId, Weak<MeshIndex>),
    /// Remove all shapes but these.
    Keep(Vec<ShapeId>),
    /// Answer these sweeps; the last field is an old answer, for its memory.
    Sweeps(Ticket, Vec<Sweep>, Candidates),
}

/// A message from the device's thread.
#[derive(Debug)]
enum DeviceMessage {
    /// This many orders about shapes are done.
    Ready(usize),
    /// Answer to the step that it names.
    Found(Candidates),
    /// One step has no answer.
    Refused(SweepError),
    /// No step will have an answer any more.
    Failed(Fault),
}

/// The querying end. Never calls the device, and waits only in [`Sweeper::rest`] and
/// [`Sweeper::finish`].
#[derive(Debug)]
pub struct QueryEnd {
    order_queue: Sender<DeviceOrder>,
    message_queue: Receiver<DeviceMessage>,
    /// Messages received but not handled yet.
    inbox: VecDeque<DeviceMessage>,
    /// Orders about shapes not reported as done, and the time of the last report.
    unready: (usize, Duration),
    /// Number of queries without an answer.
    under_way: usize,
    sent: u64,
    next_shape: u32,
    fault: Option<Fault>,
    spare: Candidates,
}

/// The end for the thread that calls the device.
#[derive(Debug)]
pub struct DeviceEnd<D> {
    device: D,
    order_queue: Receiver<DeviceOrder>,
    message_queue: Sender<DeviceMessage>,
    /// Name of each shape at the other end, and on the device.
    names: Vec<(ShapeId, ShapeId)>,
}

/// Creates both ends, for a device that has these shapes.
pub(super) fn pair<D: Sweeper>(device: D, shapes: Vec<ShapeId>) -> (QueryEnd, DeviceEnd<D>) {
    let (shelf_in, order_queue) = delivery(SHELF);
    // Every order leads to at most one message, and the last message reports the end.
    let (words_in, message_queue) = delivery(SHELF + DEPTH + 2);
    let next_shape = shapes.iter().map(|id| id.number() + 1).max().unwrap_or(0);
    let mut asking = QueryEnd {
        order_queue: shelf_in,
        message_queue,
        inbox: VecDeque::with_capacity(SHELF),
        // The existing shapes must be uploaded first.
        unready: (1, Duration::ZERO),
        under_way: 0,
        sent: 0,
        next_shape,
        fault: None,
        spare: Candidates::default(),
    };
    asking.unready.1 = asking.now();
    let device = DeviceEnd {
        device,
        order_queue,
        message_queue: words_in,
        names: shapes.into_iter().map(|id| (id, id)).collect(),
    };
    (asking, device)
}

impl QueryEnd {
    /// Records a fault; the first one counts.
    fn note(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn gone() -> Fault {
        Fault::Driver("the thread that talks to it has ended".to_owned())
    }

    /// Enqueues an order about shapes.
    fn order(&mut self, errand: DeviceOrder) {
        // Drains the messages, which would otherwise fill their queue while no query is made.
        self.drain_messages();
        let now = self.now();
        match self.order_queue.send(errand) {
            Ok(()) => {
                if self.unready.0 == 0 {
                    self.unready.1 = now;
                }
                self.unready.0 += 1;
            }
            Err(Unsent::Full(_)) => {
                let why = format!("{SHELF} shapes wait for the device");
                self.note(Fault::Driver(why));
            }
            Err(Unsent::Gone(_)) => self.note(Self::gone()),
        }
    }

    /// Receives all pending messages.
    fn drain_messages(&mut self) {
        loop {
            match self.message_queue.try_recv() {
                Ok(word) => self.take_in(word),
                Err(NoValue::Empty) => return,
                Err(NoValue::Gone) => return self.note(Self::gone()),
            }
        }
    }

    fn take_in(&mut self, word: DeviceMessage) {
        match word {
            DeviceMessage::Ready(errands) => {
                self.unready = (self.unready.0.saturating_sub(errands), self.now());
            }
            DeviceMessage::Failed(fault) => self.note(fault),
            DeviceMessage::Found(_) | DeviceMessage::Refused(_) => {
                self.under_way = self.under_way.saturating_sub(1);
                self.inbox.push_back(word);
            }
        }
    }
}

impl Sweeper for QueryEnd {
    fn add(&mut self, shape: &Arc<MeshIndex>) -> Option<ShapeId> {
        shape.mesh()?;
        let id = ShapeId::nth(self.next_shape);
        self.next_shape += 1;
        self.order(DeviceOrder::Add(id, Arc::downgrade(shape)));
        Some(id)
    }

    /// The shapes keep their names.
    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId> {
        self.order(DeviceOrder::Keep(shapes.to_vec()));
        shapes.to_vec()
    }

    fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError> {
        self.drain_messages();
        let (unready, since) = self.unready;
        if unready > 0 && self.now().saturating_sub(since) > PREPARE_TIMEOUT {
            let s = PREPARE_TIMEOUT.as_secs();
            self.note(Fault::Driver(format!("it made no shape ready in {s} s")));
        }
        if let Some(fault) = &self.fault {
            return Err(fault.clone().into());
        }
        if unready > 0 {
            return Err(SweepError::Preparing);
        }
        if self.under_way >= DEPTH {
            return Err(SweepError::Busy);
        }
        let ticket = Ticket {
            generation: 0,
            number: self.sent + 1,
        };
        let room = std::mem::take(&mut self.spare);
        match (self.order_queue).send(DeviceOrder::Sweeps(ticket, sweeps.to_vec(), room)) {
            Ok(()) => {
                self.sent += 1;
                self.under_way += 1;
                Ok(ticket)
            }
            Err(Unsent::Full(_)) => Err(SweepError::Busy),
            Err(Unsent::Gone(_)) => Err(Self::gone().into()),
        }
    }

    fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, SweepError> {
        self.drain_messages();
        match self.inbox.pop_front() {
            Some(DeviceMessage::Found(answer)) => {
                self.spare = std::mem::replace(found, answer);
                Ok(true)
            }
            Some(DeviceMessage::Refused(error)) => Err(error),
            _ => match &self.fault {
                Some(fault) => Err(fault.clone().into()),
                None => Ok(false),
            },
        }
    }

    fn finish(&mut self) -> Result<(), Fault> {
        while (self.under_way > 0 || self.unready.0 > 0) && self.fault.is_none() {
            match self.message_queue.recv() {
                Some(word) => self.take_in(word),
                None => self.note(Self::gone()),
            }
        }
        self.fault.clone().map_or(Ok(()), Err)
    }

    fn rest(&mut self, at_most: Duration) {
        match self.message_queue.recv_timeout(at_most) {
            Ok(word) => self.take_in(word),
            Err(NoValue::Empty) => {}
            Err(NoValue::Gone) => self.note(Self::gone()),
        }
    }
}

/// The querying end is gone, or there is nothing left to answer.
struct Ended;

impl<D: Sweeper> DeviceEnd<D> {
    /// Runs the thread until the other end is dropped or the device fails. Drops the device at the
    /// end. May hang for as long as the driver does.
    pub fn serve(mut self) {
        // Orders not yet reported as done; 1 for the shapes that came with the device.
        let mut unsaid = 1;
        while self.round(&mut unsaid).is_ok() {}
    }

    fn round(&mut self, unsaid: &mut usize) -> Result<(), Ended> {
        let errand = match *unsaid {
            0 => self.order_queue.recv().ok_or(Ended)?,
            _ => match self.order_queue.try_recv() {
                Ok(errand) => errand,
                // One upload for all: whatever is added, everything is uploaded again.
                Err(NoValue::Empty) => {
                    self.upload()?;
                    return self.say(DeviceMessage::Ready(std::mem::take(unsaid)));
                }
                Err(NoValue::Gone) => return Err(Ended),
            },
        };
        match errand {
            DeviceOrder::Add(name, shape) => {
                *unsaid += 1;
                // Holds the shape only while its boxes are built: its owner's drop frees it.
                let Some(shape) = shape.upgrade() else {
                    return Ok(());
                };
                self.names
                    .extend(self.device.add(&shape).map(|id| (name, id)));
            }
            DeviceOrder::Keep(names) => {
                *unsaid += 1;
                self.names.retain(|(name, _)| names.contains(name));
                let kept: Vec<ShapeId> = self.names.iter().map(|&(_, id)| id).collect();
                for ((_, id), new) in self.names.iter_mut().zip(self.device.keep(&kept)) {
                    *id = new;
                }
            }
            DeviceOrder::Sweeps(ticket, sweeps, mut found) => {
                let word = match self.answer(sweeps, &mut found) {
                    Ok(()) => {
                        found.ticket = ticket;
                        DeviceMessage::Found(found)
                    }
                    Err(error) => error
                        .into_fault()
                        .map_or_else(DeviceMessage::Refused, DeviceMessage::Failed),
                };
                self.say(word)?;
            }
        }
        Ok(())
    }

    /// Lets the device answer sweeps, translating the other end's names; waits for it.
    fn answer(&mut self, mut sweeps: Vec<Sweep>, found: &mut Candidates) -> Result<(), SweepError> {
        for (query, sweep) in sweeps.iter_mut().enumerate() {
            for id in [&mut sweep.a, &mut sweep.b] {
                let known = self.names.iter().find(|(name, _)| *name == *id);
                let unknown = SweepError::Shape {
                    query,
                    shape: id.number(),
                    of: self.names.len(),
                };
                *id = known.ok_or(unknown)?.1;
            }
        }
        let ticket = self.device.send(&sweeps)?;
        loop {
            self.device.finish()?;
            while self.device.receive_into(found)? {
                if found.ticket == ticket {
                    return Ok(());
                }
            }
            self.device.rest(POLL_PAUSE);
        }
    }

    /// Uploads the shapes by a query without hits, since they go with the next step.
    fn upload(&mut self) -> Result<(), Ended> {
        let Some(&(name, _)) = self.names.last() else {
            return Ok(());
        };
        let far_off = Sweep {
            a: name,
            b: name,
            b_from_a: Pose::translation(5e5, 0.0, 0.0),
            screw: Screw::identity(),
            reach_m: 0.0,
        };
        let answered = self.answer(vec![far_off], &mut Candidates::default());
        match answered.map_err(SweepError::into_fault) {
            Err(Ok(fault)) => self.say(DeviceMessage::Failed(fault)),
            // A problem with the shapes also affects queries, and is reported then.
            Ok(()) | Err(Err(_)) => Ok(()),
        }
    }

    fn say(&mut self, word: DeviceMessage) -> Result<(), Ended> {
        let is_last = matches!(word, DeviceMessage::Failed(_));
        self.message_queue.send(word).map_err(|_| Ended)?;
        if is_last { Err(Ended) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
