//! The mid-phase of continuous detection on the GPU: of two meshes the triangles that may come near
//! each other while one follows a screw.
//!
//! # Theory
//!
//! The points of A follow a screw over `t` in `[0, 1]`, B stands still, both in B's frame. A point
//! `p` of a triangle's box moves on an arc that is never further from its chord than an eighth of
//! its acceleration, `|w x (w x p + v)| / 8`, and a sixteenth of that where the motion is cut into
//! [`crate::PARTS`] chords, whose ends are in the boxes around the turned box at the times between.
//! Those together, wider by the bow and by the reach, are the swept box; it goes down B's tree.
//!
//! *Never too few.* Everything is about the middles of the two meshes, so that what is near has
//! small numbers wherever it is; the host's own roundings are added to the reach. Boxes and trees
//! are rounded outward from `f64`. What the pass computes of a place is a sum of products whose
//! sizes add up to `s = |shift| + |low| + |high|` at most; less than twenty roundings of `2^-24`
//! are made on the way, those of the pose's own numbers included, whether or not the driver fuses
//! them. The pass takes 32 of them, `2^-19 s`, and as much of the bow and of the reach; the bow's
//! own are `2^-19 |w| (|v| + |w| s)` and a hundredth of it (0.126 for an eighth). Numbers beyond
//! [`FURTHEST_M`] are refused, so nothing overflows.
//!
//! # Practice
//!
//! Shapes are added once; a [`Sweep`] names two of them, many are sent at once. The answer is a
//! list of [`Candidate`]s in order; the exact tests are the CPU's, in `f64`, as without a GPU. A
//! list that found no room counts on: the queries that it cut short are named
//! ([`Candidates::is_complete`]), for the CPU or for another try, which has room. Nothing waits but
//! [`Midphase::wait`].

use bytemuck::{Pod, Zeroable};
use hapticd_rays::layout::Node;
use thiserror::Error;

use crate::boxes::{MeshBoxes, TriangleBox};
use crate::buffer::{BufferError, Store};
use crate::device::{Fault, Gpu};
use crate::pass::Pass;
use crate::readback::{DEPTH, Ring};
use crate::sweep::{Place, Sweep, SweepRow};
use crate::times::Clock;
use crate::tracer::{SetupError, Ticket};
use crate::{GROUP, passes};

/// Furthest that anything may be, reach, or move in a step, m; and most radians.
pub const FURTHEST_M: f64 = 1e6;

/// A shape that was added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ShapeId(u32);

impl ShapeId {
    /// The shape that was added so many shapes after the first one.
    #[must_use]
    pub const fn nth(number: u32) -> Self {
        Self(number)
    }

    /// See [`ShapeId::nth`].
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }
}

/// Two triangles that may come near each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Candidate {
    /// Number of the sweep, among those that were sent together.
    pub query: u32,
    /// Triangle of A.
    pub a: u32,
    /// Triangle of B.
    pub b: u32,
    /// Fills the row.
    pub pad: u32,
}

/// What a step found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Which step.
    pub ticket: Ticket,
    /// Of all sweeps, in order.
    pub pairs: Vec<Candidate>,
    /// How many each sweep has, with those that found no room.
    pub wanted: Vec<u32>,
    /// Time of the pass on the GPU; `None` if that has no clock.
    pub gpu_ns: Option<f64>,
    kept: Vec<u32>,
}

impl Candidates {
    /// All candidates of so many sweeps, from whatever finds them beside a device.
    #[must_use]
    pub fn whole(ticket: Ticket, sweeps: usize, mut pairs: Vec<Candidate>) -> Self {
        pairs.retain(|pair| (pair.query as usize) < sweeps);
        pairs.sort_unstable();
        let mut wanted = vec![0; sweeps];
        for pair in &pairs {
            wanted[pair.query as usize] += 1;
        }
        Self {
            ticket,
            pairs,
            kept: wanted.clone(),
            wanted,
            gpu_ns: None,
        }
    }

    /// Whether all of a sweep's candidates are there.
    #[must_use]
    pub fn is_complete(&self, query: usize) -> bool {
        self.wanted.get(query).is_some() && self.wanted.get(query) == self.kept.get(query)
    }

    /// Those of one sweep.
    #[must_use]
    pub fn of(&self, query: usize) -> &[Candidate] {
        let from = self.pairs.partition_point(|c| (c.query as usize) < query);
        let to = self.pairs.partition_point(|c| c.query as usize <= query);
        &self.pairs[from..to]
    }
}

/// Why sweeps were not sent.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// As many steps are under way as there can be; receive one first.
    #[error("{DEPTH} steps are under way already")]
    Busy,
    /// The device's thread makes shapes ready.
    #[error("shapes are being made ready")]
    Preparing,
    /// A number that is none, or too large.
    #[error("sweep {query}: {value} is not within {FURTHEST_M}")]
    Range {
        /// Which of them.
        query: usize,
        /// The worst of its numbers.
        value: f64,
    },
    /// No such shape.
    #[error("sweep {query}: shape {shape} of {of}")]
    Shape {
        /// Which of them.
        query: usize,
        /// Its shape.
        shape: u32,
        /// How many there are.
        of: usize,
    },
    /// They do not fit.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The device has failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl SweepError {
    /// What became of the device; `Err`: nothing, this is about the sweeps.
    ///
    /// # Errors
    /// The error itself.
    pub fn into_fault(self) -> Result<Fault, Self> {
        match self {
            Self::Fault(fault) | Self::Buffer(BufferError::Fault(fault)) => Ok(fault),
            error => Err(error),
        }
    }
}

/// How many candidates there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Tally {
    /// With those that found no room.
    pub count: u32,
    /// Room.
    pub capacity: u32,
    /// Groups of threads that have something to do.
    pub jobs: u32,
    /// Fills the row.
    pub pad: u32,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    ticket: Ticket,
    queries: usize,
    room: usize,
}

/// Everything that belongs to one device.
#[derive(Debug)]
struct Made {
    boxes: Store<TriangleBox>,
    nodes: Store<Node>,
    sweeps: Store<SweepRow>,
    jobs: Store<[u32; 2]>,
    tally: Store<Tally>,
    counts: Store<u32>,
    candidates: Store<Candidate>,
    pass: Pass,
    clock: Option<Clock>,
    /// What is on the GPU of the shapes' boxes and nodes.
    loaded: bool,
}

/// See the module page.
#[derive(Debug)]
pub struct Midphase {
    gpu: Gpu,
    made: Made,
    ring: Ring<Sent>,
    steps: u64,
    room: usize,
    most_room: usize,
    /// All shapes, one behind the other.
    shapes: MeshBoxes,
    places: Vec<Place>,
    rows: Vec<SweepRow>,
    jobs: Vec<[u32; 2]>,
    zeros: Vec<u32>,
}

impl Midphase {
    /// Compiles the pass.
    ///
    /// # Errors
    /// If the device does not accept it, has no memory or has failed.
    pub fn new(gpu: Gpu) -> Result<Self, SetupError> {
        let made = Made::new(&gpu)?;
        Ok(Self {
            gpu,
            made,
            ring: Ring::default(),
            steps: 0,
            room: 1 << 14,
            most_room: usize::MAX,
            shapes: MeshBoxes::default(),
            places: Vec::new(),
            rows: Vec::new(),
            jobs: Vec::new(),
            zeros: Vec::new(),
        })
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Room for the next step's candidates; by itself it grows after one that had too little.
    pub fn set_room(&mut self, candidates: usize) {
        self.room = candidates.clamp(1, self.most_room);
    }

    /// How much room there may ever be. All of it is read back from the GPU with every step,
    /// whatever was found.
    pub fn set_most_room(&mut self, candidates: usize) {
        self.most_room = candidates.max(1);
        self.set_room(self.room);
    }

    /// Adds a shape. It goes to the GPU with the next step.
    pub fn add(&mut self, mesh: &MeshBoxes) -> ShapeId {
        let all = &mut self.shapes;
        self.places.push(Place {
            first_box: all.boxes.len() as u32,
            boxes: mesh.boxes.len() as u32,
            first_node: all.nodes.len() as u32,
            nodes: mesh.nodes.len() as u32,
            middle: mesh.middle,
            furthest: mesh.furthest,
        });
        all.boxes.extend_from_slice(&mesh.boxes);
        all.nodes.extend_from_slice(&mesh.nodes);
        self.made.loaded = false;
        ShapeId(self.places.len() as u32 - 1)
    }

    /// Forgets all shapes but these, which get new names: those that are returned, in the same
    /// order. They go to the GPU with the next step. Shapes that do not exist are left out.
    pub fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId> {
        let old = std::mem::take(&mut self.shapes);
        let places = std::mem::take(&mut self.places);
        let kept = shapes.iter().filter_map(|id| places.get(id.0 as usize));
        let kept = kept.map(|place| {
            let (box_, node) = (place.first_box as usize, place.first_node as usize);
            self.add(&MeshBoxes {
                boxes: old.boxes[box_..box_ + place.boxes as usize].to_vec(),
                nodes: old.nodes[node..node + place.nodes as usize].to_vec(),
                middle: place.middle,
                furthest: place.furthest,
            })
        });
        kept.collect()
    }

    /// After a fault: opens the device again. What was under way is dropped; the shapes stay.
    ///
    /// # Errors
    /// If that fails; it can be tried again.
    pub fn recover(&mut self) -> Result<(), SetupError> {
        self.ring.clear();
        self.gpu.reopen()?;
        self.made = Made::new(&self.gpu)?;
        self.steps = 0;
        Ok(())
    }

    /// Sends sweeps, all in one step.
    ///
    /// # Errors
    /// If too many steps are under way, if a sweep is none or too large, if there is no room, or if
    /// the device has failed; nothing was sent.
    pub fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError> {
        self.gpu.check()?;
        self.list(sweeps)?;
        let sizes = [
            size_of::<Tally>(),
            sweeps.len() * size_of::<u32>(),
            self.room * size_of::<Candidate>(),
        ]
        .map(|bytes| bytes as u64);
        let clock = self.made.clock.as_ref();
        let bytes = sizes.iter().sum::<u64>() + clock.map_or(0, Clock::bytes);
        let Some(slot) = self.ring.take(&self.gpu, bytes)? else {
            return Err(SweepError::Busy);
        };
        self.load()?;
        let (gpu, made) = (&self.gpu, &self.made);
        let commands = gpu.guard(|device, _| {
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let clock = made.clock.as_ref();
            let times = clock.map(|clock| clock.around(0));
            (made.pass).record(&mut encoder, self.jobs.len() as u32, times);
            let from = [
                made.tally.buffer(),
                made.counts.buffer(),
                made.candidates.buffer(),
            ];
            let mut offset = 0;
            for (from, bytes) in from.into_iter().zip(sizes) {
                if bytes > 0 {
                    encoder.copy_buffer_to_buffer(from, 0, &slot.buffer, offset, bytes);
                    offset += bytes;
                }
            }
            if let Some(clock) = clock {
                clock.copy(&mut encoder, &slot.buffer, offset);
            }
            encoder.finish()
        })?;
        let ticket = Ticket {
            generation: gpu.generation(),
            number: self.steps + 1,
        };
        let sent = Sent {
            ticket,
            queries: sweeps.len(),
            room: self.room,
        };
        self.ring.send(gpu, commands, slot, bytes, sent)?;
        self.steps += 1;
        Ok(ticket)
    }

    /// The sweeps as rows, and a job for every group of boxes.
    fn list(&mut self, sweeps: &[Sweep]) -> Result<(), SweepError> {
        self.rows.clear();
        self.jobs.clear();
        for (query, sweep) in sweeps.iter().enumerate() {
            let place = |shape: ShapeId| {
                let of = self.places.len();
                let place = self.places.get(shape.0 as usize);
                place.ok_or(SweepError::Shape {
                    query,
                    shape: shape.0,
                    of,
                })
            };
            let (a, b) = (place(sweep.a)?, place(sweep.b)?);
            let row = SweepRow::new(sweep, a, b);
            let row = row.map_err(|value| SweepError::Range { query, value })?;
            self.rows.push(row);
            let firsts = (0..a.boxes).step_by(GROUP as usize);
            self.jobs.extend(firsts.map(|first| [query as u32, first]));
        }
        Ok(())
    }

    fn load(&mut self) -> Result<(), BufferError> {
        let (gpu, made) = (&self.gpu, &mut self.made);
        if !made.loaded {
            made.boxes.write(gpu, &self.shapes.boxes)?;
            made.nodes.write(gpu, &self.shapes.nodes)?;
            made.loaded = true;
        }
        made.sweeps.write(gpu, &self.rows)?;
        made.jobs.write(gpu, &self.jobs)?;
        let tally = Tally {
            capacity: self.room as u32,
            jobs: self.jobs.len() as u32,
            ..Tally::default()
        };
        made.tally.write(gpu, &[tally])?;
        self.zeros.resize(self.rows.len(), 0);
        made.counts.write(gpu, &self.zeros)?;
        made.candidates.reserve(gpu, self.room)?;
        let Made {
            boxes,
            nodes,
            sweeps,
            jobs,
            tally,
            counts,
            candidates,
            pass,
            ..
        } = made;
        pass.bind(gpu, |name| {
            Some(match name {
                "boxes" => boxes.bound(),
                "nodes" => nodes.bound(),
                "sweeps" => sweeps.bound(),
                "jobs" => jobs.bound(),
                "tally" => tally.bound(),
                "counts" => counts.bound(),
                "candidates" => candidates.bound(),
                _ => return None,
            })
        })?;
        Ok(())
    }

    /// The answer of the oldest step into `found`, whose room is used again; whether one has come.
    /// Does not wait.
    ///
    /// # Errors
    /// If the device has failed: then no step will be answered until [`Midphase::recover`].
    pub fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, Fault> {
        let clock = self.made.clock.as_ref();
        let some = self.ring.receive(&self.gpu, |sent, bytes| {
            let (tally, rest) = bytes.split_at(size_of::<Tally>());
            let (counts, rest) = rest.split_at(sent.queries * size_of::<u32>());
            let tally: Tally = bytemuck::pod_read_unaligned(tally);
            let (rows, stamps) = rest.split_at(sent.room * size_of::<Candidate>());
            found.gpu_ns = clock.and_then(|clock| clock.read(stamps, 0));
            let there = (tally.count as usize).min(sent.room) * size_of::<Candidate>();
            found.ticket = sent.ticket;
            found.wanted.clear();
            let each = counts.chunks_exact(size_of::<u32>());
            (found.wanted).extend(each.map(bytemuck::pod_read_unaligned::<u32>));
            found.pairs.clear();
            let each = rows[..there].chunks_exact(size_of::<Candidate>());
            (found.pairs).extend(each.map(bytemuck::pod_read_unaligned::<Candidate>));
            // Appended as the GPU came to them.
            found.pairs.sort_unstable();
            found.kept.clear();
            found.kept.resize(sent.queries, 0);
            for pair in &found.pairs {
                found.kept[pair.query as usize] += 1;
            }
            tally.count as usize
        })?;
        if let Some(count) = some {
            let most = self.gpu.largest_binding() as usize / size_of::<Candidate>();
            let most = most.min(self.most_room);
            self.room = self.room.max((count + count / 2).min(most));
        }
        Ok(some.is_some())
    }

    /// Waits for the oldest answer; `None` if no step is under way. For tests and measurements.
    ///
    /// # Errors
    /// If the device has failed.
    pub fn wait(&mut self) -> Result<Option<Candidates>, Fault> {
        if self.ring.under_way() > 0 {
            self.gpu.wait()?;
        }
        let mut found = Candidates::default();
        Ok(self.receive_into(&mut found)?.then_some(found))
    }
}

impl Made {
    fn new(gpu: &Gpu) -> Result<Self, SetupError> {
        let none = wgpu::BufferUsages::empty();
        Ok(Self {
            boxes: Store::new(gpu, "boxes", none, 1)?,
            nodes: Store::new(gpu, "nodes", none, 1)?,
            sweeps: Store::new(gpu, "sweeps", none, 1)?,
            jobs: Store::new(gpu, "jobs", none, 1)?,
            tally: Store::new(gpu, "tally", none, 1)?,
            counts: Store::new(gpu, "counts", none, 1)?,
            candidates: Store::new(gpu, "candidates", none, 1)?,
            pass: Pass::new(gpu, &passes::SWEEP_BOXES)?,
            clock: Clock::new(gpu, 1)?,
            loaded: false,
        })
    }
}
