//! Narrow phase on the GPU, from pairs to contacts: points emit rays, rays are traced, results are
//! kept, and contacts are made.
//!
//! # Theory
//!
//! Lehericey 2016, chapter 3, section 1: every stage reads a dense list and appends to the next.
//! The lists are counted on the GPU. Elements that do not fit are counted as well, so the host
//! knows how much capacity was missing and provides it for the next step. The GPU remembers from
//! step to step what each point hit ([`Record`]).
//!
//! # Practice
//!
//! The host supplies the pairs, and for each whether it has moved too far to continue walking:
//! pairs of rigid objects ([`Chunk`]), and of clusters where one object deforms ([`Run`]). Rays may
//! also be given directly ([`Step::tree`] and the others).

mod launch;

use bytemuck::Pod;
use hapticd_rays::Roster;
use hapticd_rays::layout::{Contact, NONE, Normal, Object, Point, Ray, Record};

use crate::GROUP;
use crate::buffer::{BufferError, Store};
use crate::device::{Fault, Gpu};
use crate::hits::{List, Place};
use crate::packed::Packed;
use crate::pass::Pass;
use crate::passes;
use crate::plan::{Chunk, ClusterPoints, NearCluster, Row, Run, rows};
use crate::readback::Ring;
use crate::scene::GpuScene;
use crate::setup::SetupError;
use crate::times::Clock;
use crate::tracer::{StepError, Ticket};
use crate::traces::{LISTS, Settings, TRACES, Traces};

pub use launch::Launch;
use launch::Naive;

/// Work of one step.
#[derive(Clone, Copy, Debug, Default)]
pub struct Step<'a> {
    /// Parts of the pairs of rigid objects.
    pub chunks: &'a [Chunk],
    /// Clusters of the pairs with a deformable.
    pub runs: &'a [Run],
    /// Clusters near those of [`Step::runs`].
    pub near: &'a [NearCluster],
    /// Additional rays, through the trees of rigid targets.
    pub tree: &'a [Ray],
    /// Additional rays, over the triangles of a target or of one of its clusters.
    pub basic: &'a [Ray],
    /// Additional rays, walking on from [`Ray::start`].
    pub walk: &'a [Ray],
    /// Maximum length of a prediction, m.
    pub prediction: f32,
    /// Traces rigid targets without their trees.
    pub by_basic: bool,
    /// Finds points that crossed a sheet.
    pub inversions: bool,
    /// Computes the normals of the deformables' points, and the exits of deformable volumes, from
    /// the current points. Normals given with [`Narrow::deform`] are then ignored.
    pub surfaces: bool,
    /// Returns the records as well.
    pub records: bool,
}

impl<'a> Step<'a> {
    fn rays(&self) -> [&'a [Ray]; TRACES] {
        [self.tree, self.basic, self.walk]
    }
}

/// Capacities for a step's results. They grow automatically after a step that overflowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Rays for the tree, the basic algorithm and the walk, in addition to the given rays.
    pub rays: [usize; TRACES],
    /// Number of contacts.
    pub contacts: usize,
    /// Number of predictions.
    pub near: usize,
}

/// Results of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Step that this answers.
    pub ticket: Ticket,
    /// Contacts, in order of source, point and target.
    pub contacts: Vec<Contact>,
    /// Near points that are not in contact yet, with negative depth. In the same order.
    pub near: Vec<Contact>,
    /// Records of every point, ahead and behind, if requested: at twice the point's packed number.
    pub records: Vec<Record>,
    /// Counts of the three lists of rays, contacts and near points, including those that did not
    /// fit.
    pub wanted: [u32; LISTS],
    /// True if a list overflowed: contacts may be missing. The next step has the capacity.
    pub overflow: bool,
    /// GPU time of the two emissions, the three traces, and keeping the answers, ns; `None` without
    /// timestamps. The builds for ray queries are not included. With [`Launch::AtOnce`] the single
    /// kernel is the first entry, and all others but the last are 0.
    pub pass_ns: Option<[f64; STAMPS]>,
    /// GPU time from the beginning of the first emission to the end of the last trace, and to the
    /// end of the step, ns; `None` without timestamps.
    pub span_ns: Option<[f64; 2]>,
}

impl Found {
    /// Keeps results between objects that existed in this step and still exist at the roster's last
    /// refresh.
    pub(crate) fn retain(&mut self, roster: &Roster, step: u64) {
        self.contacts.retain(|contact| roster.knows(contact, step));
        self.near.retain(|contact| roster.knows(contact, step));
    }
}

/// Old and new location of an object's records.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved {
    pub from: u32,
    pub to: u32,
    pub count: u32,
}

/// Parts of a step that are timed.
const STAMPS: usize = TRACES + 3;

/// Everything that belongs to one device.
#[derive(Debug)]
struct Made {
    scene: GpuScene,
    known: Option<PackedScene>,
    before: Store<Point>,
    traces: Traces,
    chunks: Store<Chunk>,
    places: Store<Place>,
    records: Store<Record>,
    contacts: Store<Contact>,
    rows: Store<Row>,
    cluster_points: Store<u32>,
    listed: Vec<Row>,
    around: Store<u32>,
    exits: Store<u32>,
    surfaces: [Pass; 2],
    emit: [Pass; 2],
    after: [Pass; 3],
    keep: Pass,
    clock: Option<Clock>,
    naive: Option<Naive>,
}

/// Data of the scene that the host needs.
#[derive(Clone, Debug)]
struct PackedScene {
    objects: Vec<Object>,
    points: u32,
    clusters: ClusterPoints,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    ticket: Ticket,
    room: Room,
    records: usize,
}

/// Narrow phase on the GPU. See the module page.
#[derive(Debug)]
pub struct Narrow {
    gpu: Gpu,
    made: Made,
    ring: Ring<Sent>,
    /// Ray counts on the way to the host, for [`Launch::Exact`].
    counted: Ring<()>,
    launch: Launch,
    steps: u64,
    room: Room,
}

impl Narrow {
    /// Creates the narrow phase and compiles the passes.
    ///
    /// # Errors
    /// The device does not accept a shader, has no memory or has failed.
    pub fn new(gpu: Gpu) -> Result<Self, SetupError> {
        Self::launched(gpu, Launch::Indirect)
    }

    /// As [`Narrow::new`], with another launch method, for comparison.
    ///
    /// # Errors
    /// As [`Narrow::new`]. An adapter that cannot bind what [`Launch::AtOnce`] needs is reported as
    /// not accepting the shader.
    pub fn launched(gpu: Gpu, launch: Launch) -> Result<Self, SetupError> {
        let made = Made::new(&gpu, launch)?;
        Ok(Self {
            gpu,
            made,
            ring: Ring::default(),
            counted: Ring::default(),
            launch,
            steps: 0,
            room: Room {
                rays: [1 << 12; TRACES],
                contacts: 1 << 10,
                near: 1 << 10,
            },
        })
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Number of points of a cluster of an object of the scene.
    pub(crate) fn cluster_points(&self, object: &Object, cluster: u32) -> usize {
        let known = self.made.known.as_ref();
        known.map_or(0, |known| {
            known.clusters.of(Some(object), cluster)[1] as usize
        })
    }

    /// Capacities for the next step.
    #[must_use]
    pub fn room(&self) -> Room {
        self.room
    }

    /// Sets the capacities, as predicted from the pairs or otherwise.
    pub fn set_capacity(&mut self, room: Room) {
        self.room = room;
    }

    /// Opens the device again after a fault and compiles the passes. Drops all steps under way and
    /// all memory of the points; the scene must be set again.
    ///
    /// # Errors
    /// Opening or compiling fails; it can be tried again.
    pub fn recover(&mut self) -> Result<(), SetupError> {
        self.ring.clear();
        self.counted.clear();
        // From here on, a failure must not leave objects of the old device in use with the new one.
        self.made.known = None;
        self.gpu.reopen()?;
        self.made = Made::new(&self.gpu, self.launch)?;
        self.steps = 0;
        Ok(())
    }

    /// Replaces all objects, without memory of their points, and with equal current and previous
    /// poses.
    ///
    /// # Errors
    /// There is no memory, or the device has failed.
    pub fn set_scene(&mut self, packed: &Packed) -> Result<(), BufferError> {
        self.made.known = None;
        let records = vec![Record::EMPTY; packed.records()];
        self.made.records.write(&self.gpu, &records)?;
        self.take_over(packed)
    }

    /// As [`Narrow::set_scene`], but keeps the memory of some points, which is copied on the GPU
    /// after the steps under way.
    ///
    /// # Errors
    /// As [`Narrow::set_scene`].
    pub(crate) fn change_scene(
        &mut self,
        packed: &Packed,
        moved: &[Moved],
    ) -> Result<(), BufferError> {
        let none = wgpu::BufferUsages::empty();
        // Zeros; a record of zeros has no class.
        let records = Store::<Record>::new(&self.gpu, "records", none, packed.records())?;
        self.made.known = None;
        let old = self.made.records.buffer();
        self.gpu.guard(|device, queue| {
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            for Moved { from, to, count } in moved.iter().filter(|moved| moved.count > 0) {
                let [from, to, bytes] =
                    [from, to, count].map(|n| u64::from(*n) * size_of::<Record>() as u64);
                encoder.copy_buffer_to_buffer(old, from, records.buffer(), to, bytes);
            }
            queue.submit([encoder.finish()]);
        })?;
        self.made.records = records;
        self.take_over(packed)
    }

    fn take_over(&mut self, packed: &Packed) -> Result<(), BufferError> {
        let made = &mut self.made;
        made.known = None;
        made.scene.set(&self.gpu, packed)?;
        made.scene
            .place_all(&self.gpu, &packed.objects, &packed.objects)?;
        made.before.write(&self.gpu, &packed.points)?;
        made.places
            .write(&self.gpu, &vec![Place::EMPTY; packed.records()])?;
        made.cluster_points
            .write(&self.gpu, &packed.cluster_points.points)?;
        made.around.write(&self.gpu, &packed.around())?;
        made.exits
            .write(&self.gpu, &vec![NONE; packed.points.len()])?;
        made.known = Some(PackedScene {
            objects: packed.objects.clone(),
            points: packed.points.len() as u32,
            clusters: packed.cluster_points.clone(),
        });
        Ok(())
    }

    /// Clears the memory of the points: the next step walks from none.
    ///
    /// # Errors
    /// The device has failed.
    pub fn forget(&mut self) -> Result<(), Fault> {
        self.gpu.guard(|device, queue| {
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            // A record of zeros has no class.
            encoder.clear_buffer(self.made.records.buffer(), 0, None);
            queue.submit([encoder.finish()]);
        })
    }

    /// Sets the poses of all objects now and a step ago; all else must be as packed.
    ///
    /// # Errors
    /// There are more or fewer objects than were set, or the device has failed.
    pub fn place(&mut self, now: &[Object], before: &[Object]) -> Result<(), BufferError> {
        // The previous poses follow the current ones in one buffer: both counts must match exactly.
        let of = self
            .made
            .known
            .as_ref()
            .map_or(0, |known| known.objects.len());
        for count in [now.len(), before.len()] {
            if count != of {
                return Err(BufferError::Count {
                    buffer: "objects",
                    count,
                    of,
                });
            }
        }
        self.made.scene.place_all(&self.gpu, now, before)
    }

    /// Sets a deformable's points now and a step ago, from packed number `first` on, and their
    /// normals. The normals may be empty if the GPU computes them ([`Step::surfaces`]).
    ///
    /// # Errors
    /// There are more points than were set, or the device has failed.
    pub fn deform(
        &mut self,
        first: usize,
        points: &[Point],
        before: &[Point],
        normals: &[Normal],
    ) -> Result<(), BufferError> {
        self.made.scene.deform(&self.gpu, first, points, normals)?;
        self.made.before.overwrite(&self.gpu, first, before)
    }

    /// Sends a step. Waits only with [`Launch::Exact`].
    ///
    /// # Errors
    /// Too many steps are under way, there is no scene, something does not fit, or the device has
    /// failed; nothing was sent.
    pub fn send(&mut self, step: &Step<'_>) -> Result<Ticket, StepError> {
        let gpu = &self.gpu;
        gpu.check()?;
        let Some(known) = &self.made.known else {
            return Err(StepError::NoScene(gpu.generation()));
        };
        let points = known.points;
        let records = if step.records { 2 * points as usize } else { 0 };
        let sizes = [
            LISTS * size_of::<List>(),
            (self.room.contacts + self.room.near) * size_of::<Contact>(),
            records * size_of::<Record>(),
        ]
        .map(|bytes| bytes as u64);
        let clock = self.made.clock();
        let bytes = sizes.iter().sum::<u64>() + clock.map_or(0, Clock::bytes);
        let Some(slot) = self.ring.take(gpu, bytes)? else {
            return Err(StepError::Busy);
        };
        self.made.load(gpu, step, &self.room)?;
        let counts = self.counts(step, points)?;
        let (gpu, made) = (&self.gpu, &self.made);
        let commands = gpu.guard(|device, _| {
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            if self.launch != Launch::Exact {
                made.emit(&mut encoder, step, points);
            }
            made.record(&mut encoder, points, counts);
            let mut offset = 0;
            let from = [
                made.traces.buffers.lists.buffer(),
                made.contacts.buffer(),
                made.records.buffer(),
            ];
            for (from, bytes) in from.into_iter().zip(sizes) {
                if bytes > 0 {
                    encoder.copy_buffer_to_buffer(from, 0, &slot.buffer, offset, bytes);
                    offset += bytes;
                }
            }
            if let Some(clock) = made.clock() {
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
            room: self.room,
            records,
        };
        self.ring.send(gpu, commands, slot, bytes, sent)?;
        self.steps += 1;
        Ok(ticket)
    }

    /// Number of steps under way.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.ring.under_way()
    }

    /// Returns the answer of the oldest step, if it has arrived. Does not wait.
    ///
    /// # Errors
    /// The device has failed: no step will be answered until [`Narrow::recover`].
    pub fn receive(&mut self) -> Result<Option<Found>, Fault> {
        let mut found = Found::default();
        Ok(self.receive_into(&mut found)?.then_some(found))
    }

    /// As [`Narrow::receive`], into an existing answer, and reuses its memory. Returns whether an
    /// answer has arrived.
    ///
    /// # Errors
    /// As [`Narrow::receive`].
    pub fn receive_into(&mut self, found: &mut Found) -> Result<bool, Fault> {
        let made = &self.made;
        let some = self.ring.receive(&self.gpu, |sent, bytes| {
            let (lists, rest) = bytes.split_at(LISTS * size_of::<List>());
            let (contacts, rest) = rest.split_at(sent.room.contacts * size_of::<Contact>());
            let (near, rest) = rest.split_at(sent.room.near * size_of::<Contact>());
            let (records, stamps) = rest.split_at(sent.records * size_of::<Record>());
            let lists: [List; LISTS] = bytemuck::pod_read_unaligned(lists);
            found.ticket = sent.ticket;
            sort(contacts, &lists[TRACES], &mut found.contacts);
            sort(near, &lists[TRACES + 1], &mut found.near);
            collect(records, &mut found.records);
            found.wanted = lists.map(|list| list.count);
            found.overflow = lists.iter().any(|list| list.count > list.capacity);
            (found.pass_ns, found.span_ns) = made.times(stamps).unzip();
        })?;
        if some.is_some() {
            self.grow(found);
        }
        Ok(some.is_some())
    }

    /// Grows the capacities to half as much again as was wanted.
    fn grow(&mut self, found: &Found) {
        let [rays @ .., contacts, near] = found.wanted.map(|n| n as usize + n as usize / 2);
        for (room, wanted) in self.room.rays.iter_mut().zip(rays) {
            *room = wanted.max(*room);
        }
        self.room.contacts = contacts.max(self.room.contacts);
        self.room.near = near.max(self.room.near);
    }

    /// Waits for the oldest answer; `None` if no step is under way. For tests and measurements: the
    /// collision thread never waits.
    ///
    /// # Errors
    /// The device has failed.
    pub fn wait(&mut self) -> Result<Option<Found>, Fault> {
        if self.ring.under_way() > 0 {
            self.gpu.wait()?;
        }
        self.receive()
    }
}

/// Sorts the entries of a list of contacts, which the GPU appends in any order.
fn sort(bytes: &[u8], list: &List, contacts: &mut Vec<Contact>) {
    let there = list.entries() as usize * size_of::<Contact>();
    collect(&bytes[..there], contacts);
    contacts.sort_unstable_by_key(|c| (c.source, c.point, c.target, c.triangle));
}

/// Copies elements from mapped memory, which need not be aligned.
fn collect<T: Pod>(bytes: &[u8], to: &mut Vec<T>) {
    to.clear();
    let each = bytes.chunks_exact(size_of::<T>());
    to.extend(each.map(bytemuck::pod_read_unaligned::<T>));
}

impl Made {
    fn new(gpu: &Gpu, launch: Launch) -> Result<Self, SetupError> {
        let naive = (launch == Launch::AtOnce).then(|| Naive::new(gpu));
        let none = wgpu::BufferUsages::empty();
        Ok(Self {
            scene: GpuScene::new(gpu)?,
            known: None,
            before: Store::new(gpu, "points_before", none, 1)?,
            traces: Traces::new(gpu)?,
            chunks: Store::new(gpu, "chunks", none, 1)?,
            places: Store::new(gpu, "places", none, 1)?,
            records: Store::new(gpu, "records", none, 1)?,
            contacts: Store::new(gpu, "contacts", none, 1)?,
            rows: Store::new(gpu, "rows", none, 1)?,
            cluster_points: Store::new(gpu, "cluster_points", none, 1)?,
            listed: Vec::new(),
            around: Store::new(gpu, "around", none, 1)?,
            exits: Store::new(gpu, "exits", none, 1)?,
            surfaces: [
                Pass::new(gpu, &passes::UPDATE_NORMALS)?,
                Pass::new(gpu, &passes::FIND_EXITS)?,
            ],
            emit: [
                Pass::new(gpu, &passes::EMIT_RIGID)?,
                Pass::new(gpu, &passes::EMIT_CLUSTERS)?,
            ],
            after: [
                Pass::new(gpu, &passes::ACCEPT_HITS)?,
                Pass::new(gpu, &passes::SETTLE_TIES)?,
                Pass::new(gpu, &passes::CLAIM_PLACES)?,
            ],
            keep: Pass::new(gpu, &passes::KEEP_ANSWERS)?,
            clock: Clock::new(gpu, STAMPS as u32)?,
            naive: naive.transpose()?,
        })
    }

    /// Uploads the data of a step, and binds it.
    fn load(&mut self, gpu: &Gpu, step: &Step<'_>, room: &Room) -> Result<(), BufferError> {
        let Some(known) = &self.known else {
            return Ok(());
        };
        rows(
            step.runs,
            step.near,
            &known.objects,
            &known.clusters,
            &mut self.listed,
        );
        self.rows.write(gpu, &self.listed)?;
        let mut capacities = room.rays;
        for (capacity, given) in capacities.iter_mut().zip(step.rays()) {
            *capacity += given.len();
        }
        let mut lists = [List::default(); LISTS];
        let divided = self.traces.divide(gpu, capacities)?;
        for ((list, divided), given) in lists.iter_mut().zip(divided).zip(step.rays()) {
            *list = List {
                count: given.len() as u32,
                ..divided
            };
            let first = divided.first as usize;
            self.traces.buffers.rays.overwrite(gpu, first, given)?;
        }
        lists[TRACES].capacity = room.contacts as u32;
        lists[TRACES + 1].capacity = room.near as u32;
        lists[TRACES + 1].first = room.contacts as u32;
        self.contacts.reserve(gpu, room.contacts + room.near)?;
        self.traces.buffers.lists.write(gpu, &lists)?;
        self.chunks.write(gpu, step.chunks)?;
        let settings = Settings {
            prediction: step.prediction,
            flags: u32::from(step.by_basic) | u32::from(step.inversions) << 1,
            objects: known.objects.len() as u32,
            points: known.points,
            chunks: step.chunks.len() as u32,
            runs: step.runs.len() as u32,
            ..Settings::default()
        };
        self.traces.buffers.settings.write(gpu, &[settings])?;
        self.traces.bind(gpu, &self.scene)?;
        let Self {
            scene,
            before,
            traces,
            chunks,
            places,
            records,
            contacts,
            rows,
            cluster_points,
            around,
            exits,
            surfaces,
            emit,
            after,
            keep,
            naive,
            ..
        } = self;
        let naive = naive.iter_mut().map(|naive| &mut naive.pass);
        for pass in (surfaces.iter_mut().chain(emit).chain(after))
            .chain([keep])
            .chain(naive)
        {
            pass.bind(gpu, |name| match name {
                "points_before" => Some(before.bound()),
                "chunks" => Some(chunks.bound()),
                "around" => Some(around.bound()),
                "exits" => Some(exits.bound()),
                "rows" => Some(rows.bound()),
                "cluster_points" => Some(cluster_points.bound()),
                "places" => Some(places.bound()),
                "records" => Some(records.bound()),
                "contacts" => Some(contacts.bound()),
                _ => traces.buffers.find(name).or_else(|| scene.find(name)),
            })?;
        }
        Ok(())
    }

    /// Records stage two; or stages two and three, if one kernel does both.
    fn emit(&self, encoder: &mut wgpu::CommandEncoder, step: &Step<'_>, points: u32) {
        if step.surfaces {
            for pass in &self.surfaces {
                pass.record(encoder, points.div_ceil(GROUP), None);
            }
        }
        if let Some(naive) = &self.naive {
            return naive.record(encoder, step);
        }
        let around = |k| self.clock.as_ref().map(|clock| clock.around(k));
        let [rigid, clusters] = &self.emit;
        rigid.record(encoder, step.chunks.len() as u32, around(0));
        clusters.record(encoder, step.runs.len() as u32, around(1));
    }

    /// Records what follows [`Made::emit`]. `counts` are ray counts of the host, for comparison;
    /// `None` uses those counted on the GPU.
    fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        points: u32,
        counts: Option<[u32; TRACES]>,
    ) {
        if self.naive.is_some() {
            self.traces.count_groups(encoder);
        } else {
            let clock = self.clock.as_ref();
            (self.traces).record(encoder, &self.scene, clock, 2, counts);
        }
        let all = (TRACES * 16) as u64;
        for pass in &self.after {
            match counts {
                Some(counts) => {
                    pass.record(encoder, counts.iter().sum::<u32>().div_ceil(GROUP), None)
                }
                None => pass.record_indirect(encoder, self.traces.buffers.args.buffer(), all, None),
            }
        }
        let last = if self.naive.is_some() {
            1
        } else {
            STAMPS as u32 - 1
        };
        let times = self.clock().map(|clock| clock.around(last));
        self.keep.record(encoder, points.div_ceil(GROUP), times);
    }

    /// Times of each pass and overall, as in [`Found`].
    fn times(&self, stamps: &[u8]) -> Option<([f64; STAMPS], [f64; 2])> {
        let clock = self.clock()?;
        let mut all = [0.0; STAMPS];
        if self.naive.is_some() {
            (all[0], all[STAMPS - 1]) = (clock.read(stamps, 0)?, clock.read(stamps, 1)?);
            return Some((all, [all[0], clock.span(stamps, 0, 1)?]));
        }
        for (k, ns) in all.iter_mut().enumerate() {
            *ns = clock.read(stamps, k)?;
        }
        let end = STAMPS - 1;
        Some((
            all,
            [clock.span(stamps, 0, end - 1)?, clock.span(stamps, 0, end)?],
        ))
    }
}
