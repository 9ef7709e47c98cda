//! Mid-phase of continuous detection on the GPU: the triangles of two meshes that may come near
//! each other while one follows a screw.
//!
//! # Theory
//!
//! The points of A follow a screw over `t` in `[0, 1]`; B is static; both are in B's frame. A point
//! `p` of a triangle's box moves on an arc. The arc deviates from its chord by at most an eighth of
//! the point's acceleration, `|w x (w x p + v)| / 8`, and by a sixteenth of that if the motion is
//! split into [`crate::PARTS`] chords. The chords' ends are in the boxes around the turned box at
//! the times between. The union of those boxes, enlarged by the deviation and by the reach, is the
//! swept box, which descends B's tree.
//!
//! *Never too few.* All coordinates are relative to the middles of the two meshes, so that nearby
//! geometry has small numbers wherever it is. The host's own roundings are added to the reach.
//! Boxes and trees are rounded outward from `f64`. The pass computes a position as a sum of
//! products with sizes that add up to at most `s = |shift| + |low| + |high|`. This takes fewer than
//! twenty roundings of `2^-24`, including those of the pose's own numbers, whether or not the
//! driver fuses them. The pass allows 32 of them, `2^-19 s`, and as much of the deviation and of
//! the reach. The deviation's own roundings are `2^-19 |w| (|v| + |w| s)` and a hundredth of it
//! (0.126 for an eighth). Numbers beyond [`MAX_COORDINATE_M`] are refused, so nothing overflows.
//!
//! # Practice
//!
//! Shapes are added once; a [`Sweep`] names two of them, and many are sent at once. The answer is a
//! sorted list of [`Candidate`]s; the CPU does the exact tests, in `f64`, as without a GPU. A list
//! that overflows keeps counting. The truncated queries are known ([`Candidates::is_complete`]),
//! for the CPU or for another try, which then has the capacity. Only [`Midphase::wait`] waits.

use bytemuck::{Pod, Zeroable};
use hapticd_rays::layout::Node;
use thiserror::Error;

use crate::boxes::{MeshBoxes, TriangleBox};
use crate::buffer::{BufferError, Store};
use crate::device::{Fault, Gpu};
use crate::pass::Pass;
use crate::readback::{DEPTH, Ring};
use crate::setup::SetupError;
use crate::sweep::{MAX_COORDINATE_M, Place, ShapeId, Sweep, SweepRow};
use crate::times::Clock;
use crate::tracer::Ticket;
use crate::{GROUP, passes};

/// Two triangles that may come near each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Candidate {
    /// Index of the sweep, among those sent together.
    pub query: u32,
    /// Triangle of A.
    pub a: u32,
    /// Triangle of B.
    pub b: u32,
    /// Padding.
    pub pad: u32,
}

/// Results of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Step that this answers.
    pub ticket: Ticket,
    /// Candidates of all sweeps, sorted.
    pub pairs: Vec<Candidate>,
    /// Number of candidates of each sweep, including those that did not fit.
    pub wanted: Vec<u32>,
    /// GPU time of the pass, ns; `None` without timestamps.
    pub gpu_ns: Option<f64>,
    kept: Vec<u32>,
}

impl Candidates {
    /// Builds a complete answer for this many sweeps, from a source other than a device.
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

    /// True if all candidates of a sweep are present.
    #[must_use]
    pub fn is_complete(&self, query: usize) -> bool {
        self.wanted.get(query).is_some() && self.wanted.get(query) == self.kept.get(query)
    }

    /// Candidates of one sweep.
    #[must_use]
    pub fn of(&self, query: usize) -> &[Candidate] {
        let from = self.pairs.partition_point(|c| (c.query as usize) < query);
        let to = self.pairs.partition_point(|c| c.query as usize <= query);
        &self.pairs[from..to]
    }
}

/// Reasons why sweeps were not sent.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum SweepError {
    /// The maximum number of steps is under way; receive one first.
    #[error("{DEPTH} steps are under way already")]
    Busy,
    /// The device's thread is still preparing shapes.
    #[error("shapes are being made ready")]
    Preparing,
    /// A number is not finite or too large.
    #[error("sweep {query}: {value} is not within {MAX_COORDINATE_M}")]
    Range {
        /// Index of the sweep.
        query: usize,
        /// The offending number.
        value: f64,
    },
    /// The shape does not exist.
    #[error("sweep {query}: shape {shape} of {of}")]
    Shape {
        /// Index of the sweep.
        query: usize,
        /// Number of the shape.
        shape: u32,
        /// Number of shapes.
        of: usize,
    },
    /// The sweeps do not fit.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The device has failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

impl SweepError {
    /// Extracts the device's fault; `Err` returns an error that concerns only the sweeps.
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

/// Counters of the pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Tally {
    /// Number of candidates, including those that did not fit.
    pub count: u32,
    /// Capacity for candidates.
    pub capacity: u32,
    /// Number of workgroups with work to do.
    pub jobs: u32,
    /// Padding.
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
    /// True if the shapes' boxes and nodes are on the GPU.
    loaded: bool,
}

/// Mid-phase on a device. See the module page.
#[derive(Debug)]
pub struct Midphase {
    gpu: Gpu,
    made: Made,
    ring: Ring<Sent>,
    steps: u64,
    room: usize,
    max_capacity: usize,
    /// All shapes, concatenated.
    shapes: MeshBoxes,
    places: Vec<Place>,
    rows: Vec<SweepRow>,
    jobs: Vec<[u32; 2]>,
    zeros: Vec<u32>,
}

impl Midphase {
    /// Creates the mid-phase and compiles the pass.
    ///
    /// # Errors
    /// The device does not accept the pass, has no memory or has failed.
    pub fn new(gpu: Gpu) -> Result<Self, SetupError> {
        let made = Made::new(&gpu)?;
        Ok(Self {
            gpu,
            made,
            ring: Ring::default(),
            steps: 0,
            room: 1 << 14,
            max_capacity: usize::MAX,
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

    /// Sets the capacity for the next step's candidates. It grows automatically after a step that
    /// overflowed.
    pub fn set_capacity(&mut self, candidates: usize) {
        self.room = candidates.clamp(1, self.max_capacity);
    }

    /// Sets the maximum capacity. The whole capacity is read back from the GPU with every step,
    /// whatever was found.
    pub fn set_max_capacity(&mut self, candidates: usize) {
        self.max_capacity = candidates.max(1);
        self.set_capacity(self.room);
    }

    /// Adds a shape, which is uploaded with the next step.
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
        ShapeId::nth(self.places.len() as u32 - 1)
    }

    /// Removes all shapes but these, and returns their new names, in the same order. They are
    /// uploaded with the next step. Unknown shapes are ignored.
    pub fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId> {
        let old = std::mem::take(&mut self.shapes);
        let places = std::mem::take(&mut self.places);
        let kept = shapes
            .iter()
            .filter_map(|id| places.get(id.number() as usize));
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

    /// Opens the device again after a fault. Drops all steps under way; the shapes stay.
    ///
    /// # Errors
    /// Opening or compiling fails; it can be tried again.
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
    /// Too many steps are under way, a sweep is invalid, there is no memory, or the device has
    /// failed; nothing was sent.
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

    /// Writes the sweeps as rows, and a job for every workgroup of boxes.
    fn list(&mut self, sweeps: &[Sweep]) -> Result<(), SweepError> {
        self.rows.clear();
        self.jobs.clear();
        for (query, sweep) in sweeps.iter().enumerate() {
            let place = |shape: ShapeId| {
                let of = self.places.len();
                let place = self.places.get(shape.number() as usize);
                place.ok_or(SweepError::Shape {
                    query,
                    shape: shape.number(),
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

    /// Writes the answer of the oldest step to `found`, reusing its memory. Returns whether an
    /// answer has arrived. Does not wait.
    ///
    /// # Errors
    /// The device has failed: no step will be answered until [`Midphase::recover`].
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
            // The GPU appends in any order.
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
            let most = most.min(self.max_capacity);
            self.room = self.room.max((count + count / 2).min(most));
        }
        Ok(some.is_some())
    }

    /// Waits for the oldest answer; `None` if no step is under way. For tests and measurements.
    ///
    /// # Errors
    /// The device has failed.
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
