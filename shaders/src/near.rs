//! The GPU mid-phase for a world that asks what is near its tools: [`hapticd_ccd::MidPhase`], with the CPU to take over.
//!
//! All questions of an answer go in one submission. Meshes stand still while they are asked about, so every sweep is one without a motion. What the
//! GPU cannot answer is answered by the CPU in the same call, with the same bits: pairs of meshes that are too small to be worth it, numbers out of
//! range, more candidates than [`Limits::candidates`], an answer that is late. A device that fails, or that is late [`Limits::late`] times in a
//! row, is given up: it is never asked again. Whoever wants a GPU again makes another mid-phase.
//!
//! Waits for an answer no longer than [`Patience`] says. Allocates, as the driver does.

use std::sync::{Arc, Weak};

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
    /// So many answers late in a row are the end.
    pub late: u32,
}

impl Limits {
    /// What the daemon asks with. How many triangles pay has not been measured on hardware. A submission and its way back are said to take 50 to
    /// 200 us there; an answer near contact takes the CPU about as long with 10,000 triangles, and a millisecond with 100,000: the middle.
    /// Ten thousand looks, each a call of the driver, are tens of milliseconds.
    pub const DEFAULT: Self = Self {
        triangles: 50_000,
        candidates: 1 << 16,
        patience: Patience::Looks(10_000),
        late: 8,
    };
}

/// See the module page.
#[derive(Debug)]
pub struct GpuMidPhase {
    midphase: Midphase,
    limits: Limits,
    /// Alive as long as somebody else has them.
    shapes: Vec<(Weak<MeshIndex>, ShapeId)>,
    sweeps: Vec<Sweep>,
    /// By question: which sweep asks it, if any.
    asked: Vec<Option<usize>>,
    /// What has been sent and not been waited for.
    waiting: Option<Ticket>,
    /// `found` is of the questions asked last.
    here: bool,
    found: Candidates,
    pairs: Vec<[u32; 2]>,
    late_in_a_row: u32,
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
        Ok(Self {
            midphase,
            limits,
            shapes: Vec::new(),
            sweeps: Vec::new(),
            asked: Vec::new(),
            waiting: None,
            here: false,
            found: Candidates::default(),
            pairs: Vec::new(),
            late_in_a_row: 0,
            facts: MidPhaseFacts::default(),
        })
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        self.midphase.gpu()
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
        self.late_in_a_row += 1;
        if self.late_in_a_row >= self.limits.late {
            let late = self.late_in_a_row;
            self.give_up(format!("the GPU was late {late} times in a row"));
        }
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

    fn wait_for(&mut self, ticket: Ticket) -> Result<bool, Fault> {
        match self.limits.patience {
            Patience::Answer => {
                self.midphase.gpu().wait()?;
                self.take(ticket)
            }
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
        let Some(ticket) = self.waiting.take() else {
            return;
        };
        match self.wait_for(ticket) {
            Ok(true) => {
                self.here = true;
                self.late_in_a_row = 0;
                self.facts.candidates = self.found.wanted.iter().map(|&n| u64::from(n)).sum();
                self.facts.gpu_ns = self.found.gpu_ns;
            }
            Ok(false) => self.note_late(),
            Err(fault) => self.give_up(fault.to_string()),
        }
    }
}

impl MidPhase for GpuMidPhase {
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
        if self.is_given_up() {
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
        match self.midphase.send(&self.sweeps) {
            Ok(ticket) => {
                self.facts.sent += self.sweeps.len() as u64;
                self.waiting = Some(ticket);
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
