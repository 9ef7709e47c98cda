//! GPU mid-phase for a world that searches near its tools: [`hapticd_ccd::MidPhase`], with the CPU
//! as a fallback.
//!
//! All queries of an answer go in one submission. Meshes are static during a query, so every sweep
//! has no motion. The CPU answers in the same call, with the same bits, what the GPU cannot: pairs
//! of meshes too small to be worth it, numbers out of range, more candidates than
//! [`Limits::candidates`], a late answer. A device that fails, or is late too often
//! ([`Limits::late`]), is given up and never queried again. To use a GPU again, create another
//! mid-phase.
//!
//! An answer is due [`Patience::Within`] after its query. A late answer is dropped when it arrives,
//! and the CPU answers in the same call; no further query is sent before it has arrived. So a
//! device that hangs costs one such wait in its lifetime.
//!
//! A driver may also block a call that should not wait. Code with a deadline therefore never calls
//! it: [`GpuMidPhase::beside`] gives the device to a separate thread, and leaves a hand-over in its
//! place ([`QueryEnd`]). Without that, use this type only on threads that may wait. Allocates, as
//! the driver does.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use hapticd_ccd::{MeshIndex, MidPhase, MidPhaseQuery, MidPhaseStats};
use hapticd_geometry::Screw;

use crate::boxes::MeshBoxes;
use crate::device::{Fault, Gpu};
use crate::midphase::{Candidates, Midphase, SweepError};
use crate::setup::SetupError;
use crate::sweep::{ShapeId, Sweep};
use crate::tracer::Ticket;

pub use beside::{DeviceEnd, QueryEnd};

mod beside;

/// How long to wait for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Waits at most this long after the query, yielding to other threads.
    Within(Duration),
    /// Polls at most this many times, yielding between polls.
    Looks(u32),
    /// Waits until the answer is there. For tests and measurements: a device that hangs blocks the
    /// caller.
    Answer,
}

/// When to use the GPU, and its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Minimum number of triangles of both meshes together for a GPU query.
    pub triangles: usize,
    /// Capacity for candidates of all queries of an answer together.
    pub candidates: usize,
    /// How long to wait.
    pub patience: Patience,
    /// Number of late answers after which the device is given up. Only `TIMELY_PER_LATE` answers in
    /// time make up for one late answer.
    pub late: u32,
}

/// Answers in time that make up for one late answer: a device may be late at most once in this many
/// without being given up.
const TIMELY_PER_LATE: u32 = 64;
/// Time without a due answer after which a device counts as hung.
const HANG_TIMEOUT: Duration = Duration::from_millis(500);

impl Limits {
    /// Limits of the daemon. The number of triangles that pays off has not been measured on
    /// hardware. A submission and its return are said to take 50 to 200 us there. An answer near
    /// contact takes the CPU about as long with 10,000 triangles, and a millisecond with 100,000:
    /// the value is in the middle. An answer is due within two ticks of 1 kHz: a tenth of the
    /// default of `safety.stale_contact_ms`.
    pub const DEFAULT: Self = Self {
        triangles: 50_000,
        candidates: 1 << 16,
        patience: Patience::Within(Duration::from_millis(2)),
        late: 4,
    };
}

/// Target of sweeps: a device, or the hand-over to the thread that owns it.
pub trait Sweeper: std::fmt::Debug + Send {
    /// Adds a shape; `None` if it has no triangles.
    fn add(&mut self, shape: &Arc<MeshIndex>) -> Option<ShapeId>;
    /// Removes all shapes but these. Returns their new names, in the same order.
    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId>;
    /// Sends sweeps, all in one step.
    ///
    /// # Errors
    /// Nothing was sent.
    fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError>;
    /// Writes the oldest answer to `found`. Returns whether there was one; does not wait.
    ///
    /// # Errors
    /// One step, or every further step, will have no answer.
    fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, SweepError>;
    /// Waits until everything sent is answered, however long that takes.
    ///
    /// # Errors
    /// The device has failed.
    fn finish(&mut self) -> Result<(), Fault>;
    /// Yields to other threads for at most this long, or until a message arrives.
    fn rest(&mut self, at_most: Duration) {
        let _ = at_most;
        std::thread::yield_now();
    }
    /// Time since an arbitrary origin.
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

/// Mid-phase on a device `D`, with the CPU as a fallback. See the module page.
#[derive(Debug)]
pub struct GpuMidPhase<D = Midphase> {
    midphase: D,
    limits: Limits,
    /// Shapes on the device, kept while another owner holds them.
    shapes: Vec<(Weak<MeshIndex>, ShapeId)>,
    sweeps: Vec<Sweep>,
    /// Index of the sweep of each query, if it has one.
    asked: Vec<Option<usize>>,
    /// Late answer that has not arrived yet, and the time of its query.
    owed: Option<(Ticket, Duration)>,
    /// Submission with an answer not awaited yet, and its time.
    waiting: Option<(Ticket, Duration)>,
    /// True if `found` belongs to the latest queries.
    has_answer: bool,
    found: Candidates,
    pairs: Vec<[u32; 2]>,
    /// Plus [`TIMELY_PER_LATE`] for each late answer, minus one for each answer in time.
    lateness: u32,
    facts: MidPhaseStats,
}

impl GpuMidPhase {
    /// Creates a mid-phase on this device.
    ///
    /// # Errors
    /// The device does not accept the pass, has no memory or has failed.
    pub fn new(gpu: Gpu, limits: Limits) -> Result<Self, SetupError> {
        let mut midphase = Midphase::new(gpu)?;
        midphase.set_max_capacity(limits.candidates);
        Ok(Self::on(midphase, limits))
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        self.midphase.gpu()
    }
}

impl<D: Sweeper> GpuMidPhase<D> {
    /// Creates a mid-phase on any target of sweeps.
    pub fn on(midphase: D, limits: Limits) -> Self {
        Self {
            midphase,
            limits,
            shapes: Vec::new(),
            sweeps: Vec::new(),
            asked: Vec::new(),
            owed: None,
            waiting: None,
            has_answer: false,
            found: Candidates::default(),
            pairs: Vec::new(),
            lateness: 0,
            facts: MidPhaseStats::default(),
        }
    }

    /// Separates from the device: returns the end that queries, and the end that a separate thread
    /// must serve. The device keeps its shapes, and the statistics go on. An answer still owed is
    /// dropped.
    #[must_use]
    pub fn beside(self) -> (GpuMidPhase<QueryEnd>, DeviceEnd<D>) {
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

    /// Number of shapes on the GPU.
    #[must_use]
    pub fn shapes(&self) -> usize {
        self.shapes.len()
    }

    fn id(&self, shape: &Arc<MeshIndex>) -> Option<ShapeId> {
        // The weak pointer keeps the allocation, so no other shape can have its address.
        let known = |of: &&(Weak<MeshIndex>, ShapeId)| of.0.as_ptr() == Arc::as_ptr(shape);
        self.shapes.iter().find(known).map(|&(_, id)| id)
    }

    /// Converts a query to a sweep, if it is worth one.
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
        self.lateness += TIMELY_PER_LATE;
        let times = self.lateness.div_ceil(TIMELY_PER_LATE);
        if times >= self.limits.late {
            self.give_up(format!("the GPU was late {times} times"));
        }
    }

    /// True while a late answer has not arrived. No query is then sent and none is awaited; after
    /// [`HANG_TIMEOUT`] the device is given up.
    fn is_answer_owed(&mut self) -> bool {
        let Some((ticket, asked)) = self.owed else {
            return false;
        };
        match self.take(ticket) {
            Ok(true) => self.owed = None,
            Ok(false) => {
                let since = self.midphase.now().saturating_sub(asked);
                if since >= HANG_TIMEOUT {
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

    /// Handles an answer that will not arrive, because of one step or because the device has
    /// failed.
    fn note_failed(&mut self, error: SweepError) {
        match error.into_fault() {
            Ok(fault) => self.give_up(fault.to_string()),
            Err(_) => self.facts.refused += self.sweeps.len() as u64,
        }
    }

    /// Receives the answer to `ticket`, discarding older ones. Returns false if it has not arrived.
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
                // Reads the time first: an answer that arrived while this thread was not running is
                // not late.
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

    /// Waits for the pending answer, at most once per submission.
    fn await_answer(&mut self) {
        let Some((ticket, asked)) = self.waiting.take() else {
            return;
        };
        match self.wait_for(ticket, asked) {
            Ok(true) => {
                self.has_answer = true;
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
        (self.waiting, self.has_answer) = (None, false);
        if self.is_given_up() || self.is_answer_owed() {
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
                // Draining late answers frees the ring for the next query.
                while let Ok(true) = self.midphase.receive_into(&mut self.found) {}
                self.note_late();
            }
            Err(error) => self.note_failed(error),
        }
    }

    fn candidates(&mut self, ask: usize) -> Option<&[[u32; 2]]> {
        let query = self.asked.get(ask).copied().flatten()?;
        self.await_answer();
        if !self.has_answer {
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
