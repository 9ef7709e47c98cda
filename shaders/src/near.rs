//! The GPU mid-phase for a world that asks what is near its tools: [`hapticd_ccd::MidPhase`], with
//! the CPU to take over.
//!
//! All questions of an answer go in one submission. Meshes stand still while they are asked about,
//! so every sweep is one without a motion. What the GPU cannot answer is answered by the CPU in the
//! same call, with the same bits: pairs of meshes that are too small to be worth it, numbers out of
//! range, more candidates than [`Limits::candidates`], an answer that is late. A device that fails,
//! or is late too often ([`Limits::late`]), is given up: it is never asked again. Whoever wants a
//! GPU again makes another mid-phase.
//!
//! An answer is due [`Patience::Within`] from its question. What is late is dropped when it comes,
//! and the CPU answers in the same call; until it has come nothing more is asked. So a device that
//! hangs costs one such wait over its whole life.
//!
//! A driver may also hold up a call that should not wait. Whatever has a deadline therefore never
//! calls it: [`GpuMidPhase::beside`] gives the device to a thread of its own and leaves this end
//! with a hand-over in its place ([`AskingEnd`]). Without that it is for threads that may wait.
//! Allocates, as the driver does.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use hapticd_ccd::{MeshIndex, MidPhase, MidPhaseQuery, MidPhaseStats};
use hapticd_geometry::Screw;

use crate::boxes::MeshBoxes;
use crate::device::{Fault, Gpu};
use crate::midphase::{Candidates, Midphase, ShapeId, SweepError};
use crate::sweep::Sweep;
use crate::tracer::{SetupError, Ticket};

pub use beside::{AskingEnd, DeviceEnd};

mod beside;

/// How long to wait for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Until it is due, letting others run in between: so long after the question.
    Within(Duration),
    /// So many looks, letting others run in between.
    Looks(u32),
    /// Until it is there. For tests and measurements: a device that hangs holds up whoever asks.
    Answer,
}

/// From where on the GPU is asked, and how far it may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Triangles of both meshes together from which on they are worth a question.
    pub triangles: usize,
    /// Room for candidates, of all questions of an answer together.
    pub candidates: usize,
    /// How long to wait.
    pub patience: Patience,
    /// Answers late in a row that are the end. One in time makes up for a part of one only
    /// (`MAKE_UP`).
    pub late: u32,
}

/// Answers in time that make up for one that was late: a device that is late now and then may cost
/// no more than every so many.
const MAKE_UP: u32 = 64;
/// A device that owes an answer for so long hangs.
const HUNG: Duration = Duration::from_millis(500);

impl Limits {
    /// What the daemon asks with. How many triangles pay has not been measured on hardware. A
    /// submission and its way back are said to take 50 to 200 us there; an answer near contact
    /// takes the CPU about as long with 10,000 triangles, and a millisecond with 100,000: the
    /// middle. An answer is due in two ticks of 1 kHz: a tenth of the default of
    /// `safety.stale_contact_ms`.
    pub const DEFAULT: Self = Self {
        triangles: 50_000,
        candidates: 1 << 16,
        patience: Patience::Within(Duration::from_millis(2)),
        late: 4,
    };
}

/// What sweeps are sent to: a device, or the hand-over to the thread that has it.
pub trait Sweeper: std::fmt::Debug + Send {
    /// Adds a shape; `None`: it has no triangles.
    fn add(&mut self, shape: &Arc<MeshIndex>) -> Option<ShapeId>;
    /// Forgets all shapes but these. Their names from now on, in the same order.
    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId>;
    /// Sends sweeps, all in one step.
    ///
    /// # Errors
    /// Nothing was sent then.
    fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError>;
    /// The oldest answer into `found`; whether one has come. Does not wait for it.
    ///
    /// # Errors
    /// If there will be no answer to a step, or to none any more.
    fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, SweepError>;
    /// Waits until all that was sent is answered, however long that takes.
    ///
    /// # Errors
    /// If the device has failed.
    fn finish(&mut self) -> Result<(), Fault>;
    /// Lets others run, for so long at most, or until there is word.
    fn rest(&mut self, at_most: Duration) {
        let _ = at_most;
        std::thread::yield_now();
    }
    /// Time from an origin of its own.
    fn now(&self) -> Duration {
        static ORIGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        ORIGIN.get_or_init(Instant::now).elapsed()
    }
}

impl Sweeper for Midphase {
    fn add(&mut self, shape: &Arc<MeshIndex>) -> Option<ShapeId> {
        let mesh = shape.mesh()?;
        Some(Midphase::add(self, &MeshBoxes::new(mesh)))
    }
    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId> {
        Midphase::keep(self, shapes)
    }
    fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError> {
        Midphase::send(self, sweeps)
    }
    fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, SweepError> {
        Ok(Midphase::receive_into(self, found)?)
    }
    fn finish(&mut self) -> Result<(), Fault> {
        self.gpu().wait()
    }
}

/// See the module page.
#[derive(Debug)]
pub struct GpuMidPhase<D = Midphase> {
    midphase: D,
    limits: Limits,
    /// Alive as long as somebody else has them.
    shapes: Vec<(Weak<MeshIndex>, ShapeId)>,
    sweeps: Vec<Sweep>,
    /// By question: which sweep asks it, if any.
    asked: Vec<Option<usize>>,
    /// What was late and has not come yet, and when it was asked for.
    owed: Option<(Ticket, Duration)>,
    /// What has been sent and not been waited for, and when.
    waiting: Option<(Ticket, Duration)>,
    /// `found` is of the questions asked last.
    here: bool,
    found: Candidates,
    pairs: Vec<[u32; 2]>,
    /// [`MAKE_UP`] for each answer that was late, less one for each that was not.
    lateness: u32,
    facts: MidPhaseStats,
}

impl GpuMidPhase {
    /// On this device.
    ///
    /// # Errors
    /// If the device does not accept the pass, has no memory or has failed.
    pub fn new(gpu: Gpu, limits: Limits) -> Result<Self, SetupError> {
        let mut midphase = Midphase::new(gpu)?;
        midphase.set_most_room(limits.candidates);
        Ok(Self::on(midphase, limits))
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        self.midphase.gpu()
    }
}

impl<D: Sweeper> GpuMidPhase<D> {
    /// On whatever answers sweeps.
    pub fn on(midphase: D, limits: Limits) -> Self {
        Self {
            midphase,
            limits,
            shapes: Vec::new(),
            sweeps: Vec::new(),
            asked: Vec::new(),
            owed: None,
            waiting: None,
            here: false,
            found: Candidates::default(),
            pairs: Vec::new(),
            lateness: 0,
            facts: MidPhaseStats::default(),
        }
    }

    /// Parts from the device: what asks, and what is to be served by a thread of its own. The
    /// device keeps its shapes, and the counts go on. An answer that is still owed is dropped.
    #[must_use]
    pub fn beside(self) -> (GpuMidPhase<AskingEnd>, DeviceEnd<D>) {
        let ids = self.shapes.iter().map(|&(_, id)| id).collect();
        let (asking, device) = beside::pair(self.midphase, ids);
        let asking = GpuMidPhase {
            shapes: self.shapes,
            lateness: self.lateness,
            facts: self.facts,
            ..GpuMidPhase::on(asking, self.limits)
        };
        (asking, device)
    }

    /// How many shapes the GPU has.
    #[must_use]
    pub fn shapes(&self) -> usize {
        self.shapes.len()
    }

    fn id(&self, shape: &Arc<MeshIndex>) -> Option<ShapeId> {
        // The weak one keeps the place: no other shape can have come to lie there.
        let known = |of: &&(Weak<MeshIndex>, ShapeId)| of.0.as_ptr() == Arc::as_ptr(shape);
        self.shapes.iter().find(known).map(|&(_, id)| id)
    }

    /// The question as a sweep, if it is worth one.
    fn sweep(&self, ask: &MidPhaseQuery<'_>) -> Option<Sweep> {
        if triangles(ask.a)? + triangles(ask.b)? < self.limits.triangles {
            return None;
        }
        Some(Sweep {
            a: self.id(ask.a)?,
            b: self.id(ask.b)?,
            b_from_a: ask.b_from_a,
            screw: Screw::identity(),
            reach_m: ask.reach_m,
        })
    }

    fn give_up(&mut self, why: String) {
        self.facts.given_up = why;
    }

    fn is_given_up(&self) -> bool {
        !self.facts.given_up.is_empty()
    }

    fn note_late(&mut self) {
        self.facts.late += self.sweeps.len() as u64;
        self.lateness += MAKE_UP;
        let times = self.lateness.div_ceil(MAKE_UP);
        if times >= self.limits.late {
            self.give_up(format!("the GPU was late {times} times"));
        }
    }

    /// Whether an answer that was late has not come yet. Then nothing is asked and nothing is
    /// waited for; after [`HUNG`] it is the end.
    fn owes(&mut self) -> bool {
        let Some((ticket, asked)) = self.owed else {
            return false;
        };
        match self.take(ticket) {
            Ok(true) => self.owed = None,
            Ok(false) => {
                let since = self.midphase.now().saturating_sub(asked);
                if since >= HUNG {
                    let ms = since.as_millis();
                    self.give_up(format!("the GPU has not answered for {ms} ms"));
                }
            }
            Err(error) => {
                self.owed = None;
                self.note_failed(error);
            }
        }
        self.owed.is_some() || self.is_given_up()
    }

    /// An answer that will not come: of one step, or the device has failed.
    fn note_failed(&mut self, error: SweepError) {
        match error.into_fault() {
            Ok(fault) => self.give_up(fault.to_string()),
            Err(_) => self.facts.refused += self.sweeps.len() as u64,
        }
    }

    /// Takes the answer to `ticket`, and what is left of older ones. `false`: it has not come.
    fn take(&mut self, ticket: Ticket) -> Result<bool, SweepError> {
        while self.midphase.receive_into(&mut self.found)? {
            if self.found.ticket == ticket {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn wait_for(&mut self, ticket: Ticket, asked: Duration) -> Result<bool, SweepError> {
        match self.limits.patience {
            Patience::Answer => {
                self.midphase.finish()?;
                self.take(ticket)
            }
            Patience::Within(within) => loop {
                // The time first: an answer that came while this thread was not running is not
                // late.
                let since = self.midphase.now().saturating_sub(asked);
                if self.take(ticket)? {
                    return Ok(true);
                }
                if since >= within {
                    return Ok(false);
                }
                self.midphase.rest(within - since);
            },
            Patience::Looks(looks) => {
                for _ in 0..looks {
                    if self.take(ticket)? {
                        return Ok(true);
                    }
                    std::thread::yield_now();
                }
                Ok(false)
            }
        }
    }

    /// Once after each submission.
    fn hear(&mut self) {
        let Some((ticket, asked)) = self.waiting.take() else {
            return;
        };
        match self.wait_for(ticket, asked) {
            Ok(true) => {
                self.here = true;
                self.lateness = self.lateness.saturating_sub(1);
                self.facts.candidates = self.found.wanted.iter().map(|&n| u64::from(n)).sum();
                self.facts.gpu_ns = self.found.gpu_ns;
            }
            Ok(false) => {
                if matches!(self.limits.patience, Patience::Within(_)) {
                    self.owed = Some((ticket, asked));
                }
                self.note_late();
            }
            Err(error) => self.note_failed(error),
        }
    }
}

impl<D: Sweeper> MidPhase for GpuMidPhase<D> {
    fn prepare(&mut self, shape: &Arc<MeshIndex>) {
        if shape.mesh().is_none() || self.id(shape).is_some() || self.is_given_up() {
            return;
        }
        if self.shapes.iter().any(|(of, _)| of.strong_count() == 0) {
            self.shapes.retain(|(of, _)| of.strong_count() > 0);
            let kept: Vec<ShapeId> = self.shapes.iter().map(|&(_, id)| id).collect();
            for ((_, id), new) in self.shapes.iter_mut().zip(self.midphase.keep(&kept)) {
                *id = new;
            }
        }
        if let Some(id) = self.midphase.add(shape) {
            self.shapes.push((Arc::downgrade(shape), id));
        }
    }

    fn ask(&mut self, asks: &mut dyn Iterator<Item = MidPhaseQuery<'_>>) {
        self.asked.clear();
        self.sweeps.clear();
        (self.waiting, self.here) = (None, false);
        if self.is_given_up() || self.owes() {
            return;
        }
        for ask in asks {
            let sweep = self.sweep(&ask);
            self.asked.push(sweep.map(|_| self.sweeps.len()));
            self.sweeps.extend(sweep);
        }
        if self.sweeps.is_empty() {
            return;
        }
        let now = self.midphase.now();
        let mut sent = self.midphase.send(&self.sweeps);
        if matches!(sent, Err(SweepError::Preparing)) && self.limits.patience == Patience::Answer {
            sent = (self.midphase.finish().map_err(SweepError::from))
                .and_then(|()| self.midphase.send(&self.sweeps));
        }
        match sent {
            Ok(ticket) => {
                self.facts.sent += self.sweeps.len() as u64;
                self.waiting = Some((ticket, now));
            }
            Err(SweepError::Busy) => {
                // What came too late makes room for the next one.
                while let Ok(true) = self.midphase.receive_into(&mut self.found) {}
                self.note_late();
            }
            Err(error) => self.note_failed(error),
        }
    }

    fn candidates(&mut self, ask: usize) -> Option<&[[u32; 2]]> {
        let query = self.asked.get(ask).copied().flatten()?;
        self.hear();
        if !self.here {
            return None;
        }
        if !self.found.is_complete(query) {
            self.facts.short += 1;
            return None;
        }
        self.facts.answered += 1;
        self.pairs.clear();
        let some = self.found.of(query).iter().map(|c| [c.a, c.b]);
        self.pairs.extend(some);
        Some(&self.pairs)
    }

    fn facts(&self) -> &MidPhaseStats {
        &self.facts
    }
}

fn triangles(shape: &MeshIndex) -> Option<usize> {
    shape.mesh().map(|mesh| mesh.triangles().len())
}

#[cfg(test)]
mod tests;
