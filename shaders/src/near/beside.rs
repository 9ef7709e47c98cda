//! A device on a separate thread: the caller hands over its queries and never calls the driver.
//!
//! # Theory
//!
//! A driver may block any call: one that submits, one that polls for an answer, one that frees. So
//! one thread makes all of them, and no other thread waits for it without a bound. Orders for the
//! device go into a bounded queue, and answers come back as messages. When [`AskingEnd`] is
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
use crate::midphase::{Candidates, ShapeId, SweepError};
use crate::readback::DEPTH;
use crate::sweep::Sweep;
use crate::tracer::Ticket;

/// Capacity for orders: all shapes of a scene, coming and going several times.
const SHELF: usize = 256;
/// Time after which a device that has prepared no shape counts as hung. The largest mesh takes some
/// seconds.
const UNREADY: Duration = Duration::from_secs(20);
/// Pause between two polls for an answer that the device reports as finished.
const NAP: Duration = Duration::from_micros(100);

/// An order for the device's thread.
#[derive(Debug)]
enum Errand {
    /// Add this shape under this name, if it still exists.
    Add(ShapeId, Weak<MeshIndex>),
    /// Remove all shapes but these.
    Keep(Vec<ShapeId>),
    /// Answer these sweeps; the last field is an old answer, for its memory.
    Sweeps(Ticket, Vec<Sweep>, Candidates),
}

/// A message from the device's thread.
#[derive(Debug)]
enum Word {
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
pub struct AskingEnd {
    shelf: Sender<Errand>,
    words: Receiver<Word>,
    /// Messages received but not handled yet.
    heard: VecDeque<Word>,
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
    shelf: Receiver<Errand>,
    words: Sender<Word>,
    /// Name of each shape at the other end, and on the device.
    names: Vec<(ShapeId, ShapeId)>,
}

/// Creates both ends, for a device that has these shapes.
pub(super) fn pair<D: Sweeper>(device: D, shapes: Vec<ShapeId>) -> (AskingEnd, DeviceEnd<D>) {
    let (shelf_in, shelf) = delivery(SHELF);
    // Every order leads to at most one message, and the last message reports the end.
    let (words_in, words) = delivery(SHELF + DEPTH + 2);
    let next_shape = shapes.iter().map(|id| id.number() + 1).max().unwrap_or(0);
    let mut asking = AskingEnd {
        shelf: shelf_in,
        words,
        heard: VecDeque::with_capacity(SHELF),
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
        shelf,
        words: words_in,
        names: shapes.into_iter().map(|id| (id, id)).collect(),
    };
    (asking, device)
}

impl AskingEnd {
    /// Records a fault; the first one counts.
    fn note(&mut self, fault: Fault) {
        self.fault.get_or_insert(fault);
    }

    fn gone() -> Fault {
        Fault::Driver("the thread that talks to it has ended".to_owned())
    }

    /// Enqueues an order about shapes.
    fn order(&mut self, errand: Errand) {
        // Drains the messages, which would otherwise fill their queue while no query is made.
        self.hear();
        let now = self.now();
        match self.shelf.send(errand) {
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
    fn hear(&mut self) {
        loop {
            match self.words.try_recv() {
                Ok(word) => self.take_in(word),
                Err(NoValue::Empty) => return,
                Err(NoValue::Gone) => return self.note(Self::gone()),
            }
        }
    }

    fn take_in(&mut self, word: Word) {
        match word {
            Word::Ready(errands) => {
                self.unready = (self.unready.0.saturating_sub(errands), self.now());
            }
            Word::Failed(fault) => self.note(fault),
            Word::Found(_) | Word::Refused(_) => {
                self.under_way = self.under_way.saturating_sub(1);
                self.heard.push_back(word);
            }
        }
    }
}

impl Sweeper for AskingEnd {
    fn add(&mut self, shape: &Arc<MeshIndex>) -> Option<ShapeId> {
        shape.mesh()?;
        let id = ShapeId::nth(self.next_shape);
        self.next_shape += 1;
        self.order(Errand::Add(id, Arc::downgrade(shape)));
        Some(id)
    }

    /// The shapes keep their names.
    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId> {
        self.order(Errand::Keep(shapes.to_vec()));
        shapes.to_vec()
    }

    fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError> {
        self.hear();
        let (unready, since) = self.unready;
        if unready > 0 && self.now().saturating_sub(since) > UNREADY {
            let s = UNREADY.as_secs();
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
        match (self.shelf).send(Errand::Sweeps(ticket, sweeps.to_vec(), room)) {
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
        self.hear();
        match self.heard.pop_front() {
            Some(Word::Found(answer)) => {
                self.spare = std::mem::replace(found, answer);
                Ok(true)
            }
            Some(Word::Refused(error)) => Err(error),
            _ => match &self.fault {
                Some(fault) => Err(fault.clone().into()),
                None => Ok(false),
            },
        }
    }

    fn finish(&mut self) -> Result<(), Fault> {
        while (self.under_way > 0 || self.unready.0 > 0) && self.fault.is_none() {
            match self.words.recv() {
                Some(word) => self.take_in(word),
                None => self.note(Self::gone()),
            }
        }
        self.fault.clone().map_or(Ok(()), Err)
    }

    fn rest(&mut self, at_most: Duration) {
        match self.words.recv_timeout(at_most) {
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
            0 => self.shelf.recv().ok_or(Ended)?,
            _ => match self.shelf.try_recv() {
                Ok(errand) => errand,
                // One upload for all: whatever is added, everything is uploaded again.
                Err(NoValue::Empty) => {
                    self.upload()?;
                    return self.say(Word::Ready(std::mem::take(unsaid)));
                }
                Err(NoValue::Gone) => return Err(Ended),
            },
        };
        match errand {
            Errand::Add(name, shape) => {
                *unsaid += 1;
                // Holds the shape only while its boxes are built: its owner's drop frees it.
                let Some(shape) = shape.upgrade() else {
                    return Ok(());
                };
                self.names
                    .extend(self.device.add(&shape).map(|id| (name, id)));
            }
            Errand::Keep(names) => {
                *unsaid += 1;
                self.names.retain(|(name, _)| names.contains(name));
                let kept: Vec<ShapeId> = self.names.iter().map(|&(_, id)| id).collect();
                for ((_, id), new) in self.names.iter_mut().zip(self.device.keep(&kept)) {
                    *id = new;
                }
            }
            Errand::Sweeps(ticket, sweeps, mut found) => {
                let word = match self.answer(sweeps, &mut found) {
                    Ok(()) => {
                        found.ticket = ticket;
                        Word::Found(found)
                    }
                    Err(error) => error.into_fault().map_or_else(Word::Refused, Word::Failed),
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
            self.device.rest(NAP);
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
            Err(Ok(fault)) => self.say(Word::Failed(fault)),
            // A problem with the shapes also affects queries, and is reported then.
            Ok(()) | Err(Err(_)) => Ok(()),
        }
    }

    fn say(&mut self, word: Word) -> Result<(), Ended> {
        let is_last = matches!(word, Word::Failed(_));
        self.words.send(word).map_err(|_| Ended)?;
        if is_last { Err(Ended) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
