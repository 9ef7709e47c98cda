//! The GPU mid-phase for a world that asks what is near its tools: [`hapticd_ccd::MidPhase`], with the CPU to take over.
//!
//! All questions of an answer go in one submission. Meshes stand still while they are asked about, so every sweep is one without a motion. What the
//! GPU cannot answer is answered by the CPU in the same call, with the same bits: pairs of meshes that are too small to be worth it, numbers out of
//! range, more candidates than [`Limits::candidates`], an answer that is late. A device that fails, or is late too often ([`Limits::late`]), is given
//! up: it is never asked again. Whoever wants a GPU again makes another mid-phase.
//!
//! An answer is due [`Patience::Within`] from its question. What is late is dropped when it comes, and the CPU answers in the same call;
//! until it has come nothing more is asked. So a device that hangs costs one such wait over its whole life. What cannot be bounded here
//! is a driver that holds up a call which should not wait. Allocates, as the driver does.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use hapticd_ccd::{Ask, MeshIndex, MidPhase, MidPhaseFacts};
use hapticd_geometry::Screw;

use crate::boxes::MeshBoxes;
use crate::buffer::BufferError;
use crate::device::{Fault, Gpu};
use crate::midphase::{Candidates, Midphase, ShapeId, SweepError};
use crate::sweep::Sweep;
use crate::tracer::{SetupError, Ticket};

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
    /// Answers late in a row that are the end. One in time makes up for a part of one only (`MAKE_UP`).
    pub late: u32,
}

/// Answers in time that make up for one that was late: a device that is late now and then may cost no more than every so many.
const MAKE_UP: u32 = 64;
/// A device that owes an answer for so long hangs.
const HUNG: Duration = Duration::from_millis(500);

impl Limits {
    /// What the daemon asks with. How many triangles pay has not been measured on hardware. A submission and its way back are said to take 50 to
    /// 200 us there; an answer near contact takes the CPU about as long with 10,000 triangles, and a millisecond with 100,000: the middle.
    /// An answer is due in two ticks of 1 kHz: a tenth of the default of `safety.stale_contact_ms`.
    pub const DEFAULT: Self = Self {
        triangles: 50_000,
        candidates: 1 << 16,
        patience: Patience::Within(Duration::from_millis(2)),
        late: 4,
    };
}

/// What sweeps are sent to: a device, or what hangs in a test.
pub trait Sweeper: std::fmt::Debug + Send {
    /// See [`Midphase::add`].
    fn add(&mut self, mesh: &MeshBoxes) -> ShapeId;
    /// See [`Midphase::keep`].
    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId>;
    /// See [`Midphase::send`].
    fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError>;
    /// See [`Midphase::receive_into`].
    fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, Fault>;
    /// Until all that was sent is answered.
    fn finish(&mut self) -> Result<(), Fault>;
    /// Time from an origin of its own.
    fn now(&self) -> Duration;
}

impl Sweeper for Midphase {
    fn add(&mut self, mesh: &MeshBoxes) -> ShapeId {
        Midphase::add(self, mesh)
    }
    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId> {
        Midphase::keep(self, shapes)
    }
    fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError> {
        Midphase::send(self, sweeps)
    }
    fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, Fault> {
        Midphase::receive_into(self, found)
    }
    fn finish(&mut self) -> Result<(), Fault> {
        self.gpu().wait()
    }
    fn now(&self) -> Duration {
        static ORIGIN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        ORIGIN.get_or_init(Instant::now).elapsed()
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
    facts: MidPhaseFacts,
}

impl GpuMidPhase {
    /// On this device.
    ///
    /// # Errors
    /// If the device does not accept the pass, has no memory or has failed.
    pub fn new(gpu: Gpu, limits: Limits) -> Result<Self, SetupError> {
        let mut midphase = Midphase::new(gpu)?;
        midphase.set_most_room(limits.candidates);
        Ok(Self::of(midphase, limits))
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        self.midphase.gpu()
    }
}

impl<D: Sweeper> GpuMidPhase<D> {
    fn of(midphase: D, limits: Limits) -> Self {
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
            facts: MidPhaseFacts::default(),
        }
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
    fn sweep(&self, ask: &Ask<'_>) -> Option<Sweep> {
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

    /// Whether an answer that was late has not come yet. Then nothing is asked and nothing is waited for; after [`HUNG`] it is the end.
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
            Err(fault) => self.give_up(fault.to_string()),
        }
        self.owed.is_some()
    }

    /// Takes the answer to `ticket`, and what is left of older ones. `false`: it has not come.
    fn take(&mut self, ticket: Ticket) -> Result<bool, Fault> {
        while self.midphase.receive_into(&mut self.found)? {
            if self.found.ticket == ticket {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn wait_for(&mut self, ticket: Ticket, asked: Duration) -> Result<bool, Fault> {
        match self.limits.patience {
            Patience::Answer => {
                self.midphase.finish()?;
                self.take(ticket)
            }
            Patience::Within(within) => loop {
                // The time first: an answer that came while this thread was not running is not late.
                let is_due = self.midphase.now().saturating_sub(asked) >= within;
                if self.take(ticket)? {
                    return Ok(true);
                }
                if is_due {
                    return Ok(false);
                }
                std::thread::yield_now();
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
            Err(fault) => self.give_up(fault.to_string()),
        }
    }
}

impl<D: Sweeper> MidPhase for GpuMidPhase<D> {
    fn prepare(&mut self, shape: &Arc<MeshIndex>) {
        let Some(mesh) = shape.mesh() else {
            return;
        };
        if self.id(shape).is_some() {
            return;
        }
        if self.shapes.iter().any(|(of, _)| of.strong_count() == 0) {
            self.shapes.retain(|(of, _)| of.strong_count() > 0);
            let kept: Vec<ShapeId> = self.shapes.iter().map(|&(_, id)| id).collect();
            for ((_, id), new) in self.shapes.iter_mut().zip(self.midphase.keep(&kept)) {
                *id = new;
            }
        }
        let id = self.midphase.add(&MeshBoxes::new(mesh));
        self.shapes.push((Arc::downgrade(shape), id));
    }

    fn ask(&mut self, asks: &mut dyn Iterator<Item = Ask<'_>>) {
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
        match self.midphase.send(&self.sweeps) {
            Ok(ticket) => {
                self.facts.sent += self.sweeps.len() as u64;
                self.waiting = Some((ticket, now));
            }
            Err(SweepError::Busy) => {
                // What came too late makes room for the next one.
                while let Ok(true) = self.midphase.receive_into(&mut self.found) {}
                self.note_late();
            }
            Err(SweepError::Fault(fault) | SweepError::Buffer(BufferError::Fault(fault))) => {
                self.give_up(fault.to_string());
            }
            Err(_) => self.facts.refused += self.sweeps.len() as u64,
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

    fn facts(&self) -> &MidPhaseFacts {
        &self.facts
    }
}

fn triangles(shape: &MeshIndex) -> Option<usize> {
    shape.mesh().map(|mesh| mesh.triangles().len())
}

#[cfg(test)]
mod tests;
