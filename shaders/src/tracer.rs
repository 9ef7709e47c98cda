//! The three traces, from lists of rays to their hits.
//!
//! A step uploads its rays, records the passes and sends them. Its answer can be received when it
//! has arrived, one or two steps later. Nothing waits.

use hapticd_rays::layout::{Normal, Object, Point, Ray};
use thiserror::Error;

use crate::buffer::BufferError;
use crate::device::{Fault, Gpu};
use crate::hits::{Hits, List};
use crate::packed::Packed;
use crate::readback::{DEPTH, Ring};
use crate::scene::GpuScene;
use crate::setup::SetupError;
use crate::times::Clock;
use crate::traces::{LISTS, Settings, TRACES, Traces};

/// Rays of a step, by algorithm.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work<'a> {
    /// Rays through the tree of a rigid target.
    pub tree: &'a [Ray],
    /// Rays over all triangles of the target, or of one of its clusters.
    pub basic: &'a [Ray],
    /// Rays that walk over the target's surface from [`Ray::start`].
    pub walk: &'a [Ray],
    /// Maximum length of a prediction, m.
    pub prediction: f32,
}

impl<'a> Work<'a> {
    fn lists(&self) -> [&'a [Ray]; TRACES] {
        [self.tree, self.basic, self.walk]
    }
}

/// Identifies a step, by generation and number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket {
    /// [`Gpu::generation`].
    pub generation: u64,
    /// Number within the generation, from 1.
    pub number: u64,
}

/// Results of a step: one for each ray of a list, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Step that this answers.
    pub ticket: Ticket,
    /// Hits of [`Work::tree`].
    pub tree: Vec<Hits>,
    /// Hits of [`Work::basic`].
    pub basic: Vec<Hits>,
    /// Hits of [`Work::walk`].
    pub walk: Vec<Hits>,
    /// GPU time of the three traces, ns; `None` without timestamps.
    pub pass_ns: Option<[f64; TRACES]>,
}

/// Reasons why a step was not sent.
#[derive(Clone, Debug, Error)]
pub enum StepError {
    /// The maximum number of steps is under way; receive one first.
    #[error("{DEPTH} steps are under way already")]
    Busy,
    /// The device is new: set the scene first.
    #[error("no scene since the GPU was opened (generation {0})")]
    NoScene(u64),
    /// The rays do not fit.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The device has failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Everything that belongs to one device.
#[derive(Debug)]
struct Made {
    scene: GpuScene,
    scene_set: bool,
    traces: Traces,
    clock: Option<Clock>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    ticket: Ticket,
    rays: [usize; TRACES],
}

/// The three traces on a device. See the module page.
#[derive(Debug)]
pub struct Tracer {
    gpu: Gpu,
    made: Made,
    ring: Ring<Sent>,
    steps: u64,
}

impl Tracer {
    /// Creates the tracer and compiles the passes.
    ///
    /// # Errors
    /// The device does not accept a shader, has no memory or has failed.
    pub fn new(gpu: Gpu) -> Result<Self, SetupError> {
        let made = Made::new(&gpu)?;
        Ok(Self {
            gpu,
            made,
            ring: Ring::default(),
            steps: 0,
        })
    }

    /// The device.
    #[must_use]
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Opens the device again after a fault and compiles the passes. Drops all steps under way; the
    /// scene must be set again.
    ///
    /// # Errors
    /// Opening or compiling fails; it can be tried again.
    pub fn recover(&mut self) -> Result<(), SetupError> {
        self.ring.clear();
        // From here on, a failure must not leave objects of the old device in use with the new one.
        self.made.scene_set = false;
        self.gpu.reopen()?;
        self.made = Made::new(&self.gpu)?;
        self.steps = 0;
        Ok(())
    }

    /// Replaces all objects.
    ///
    /// # Errors
    /// There is no memory, or the device has failed.
    pub fn set_scene(&mut self, packed: &Packed) -> Result<(), BufferError> {
        self.made.scene_set = false;
        self.made.scene.set(&self.gpu, packed)?;
        self.made.scene_set = true;
        Ok(())
    }

    /// Sets the current poses of all objects; all else must be as packed.
    ///
    /// # Errors
    /// There are more objects than were set, or the device has failed.
    pub fn place(&mut self, objects: &[Object]) -> Result<(), BufferError> {
        self.made.scene.place(&self.gpu, objects)
    }

    /// Sets a deformable's current points, from packed number `first` on, and their normals.
    ///
    /// # Errors
    /// There are more points than were set, or the device has failed.
    pub fn deform(
        &mut self,
        first: usize,
        points: &[Point],
        normals: &[Normal],
    ) -> Result<(), BufferError> {
        self.made.scene.deform(&self.gpu, first, points, normals)
    }

    /// Sends a step.
    ///
    /// # Errors
    /// Too many steps are under way, there is no scene, the rays do not fit, or the device has
    /// failed; nothing was sent.
    pub fn send(&mut self, work: &Work<'_>) -> Result<Ticket, StepError> {
        let gpu = &self.gpu;
        gpu.check()?;
        if !self.made.scene_set {
            return Err(StepError::NoScene(gpu.generation()));
        }
        let rays = work.lists().map(<[Ray]>::len);
        self.made.load(gpu, work)?;
        let hits: usize = rays.iter().sum();
        let answer = (hits * size_of::<Hits>()) as u64;
        let bytes = answer + self.made.clock.as_ref().map_or(0, Clock::bytes);
        // Without rays and timestamps there is nothing to read; 16 bytes keep the ring's buffers
        // readable.
        let bytes = bytes.max(16);
        let Some(slot) = self.ring.take(gpu, bytes)? else {
            return Err(StepError::Busy);
        };
        let made = &self.made;
        let commands = gpu.guard(|device, _| {
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            (made.traces).record(&mut encoder, &made.scene, made.clock.as_ref(), 0, None);
            let hits = made.traces.hits();
            if answer > 0 {
                encoder.copy_buffer_to_buffer(hits, 0, &slot.buffer, 0, answer);
            }
            if let Some(clock) = &made.clock {
                clock.copy(&mut encoder, &slot.buffer, answer);
            }
            encoder.finish()
        })?;
        let ticket = Ticket {
            generation: gpu.generation(),
            number: self.steps + 1,
        };
        self.ring
            .send(gpu, commands, slot, bytes, Sent { ticket, rays })?;
        self.steps += 1;
        Ok(ticket)
    }

    /// Returns the answer of the oldest step, if it has arrived. Does not wait.
    ///
    /// # Errors
    /// The device has failed: no step will be answered until [`Tracer::recover`].
    pub fn receive(&mut self) -> Result<Option<Answer>, Fault> {
        let clock = self.made.clock.as_ref();
        self.ring.receive(&self.gpu, |sent, bytes| {
            let mut rest = bytes;
            let mut take = |count: usize| {
                let (now, later) = rest.split_at(count * size_of::<Hits>());
                rest = later;
                bytemuck::pod_collect_to_vec(now)
            };
            let [tree, basic, walk] = sent.rays.map(&mut take);
            let pass_ns = clock.and_then(|clock| {
                Some([
                    clock.read(rest, 0)?,
                    clock.read(rest, 1)?,
                    clock.read(rest, 2)?,
                ])
            });
            Answer {
                ticket: sent.ticket,
                tree,
                basic,
                walk,
                pass_ns,
            }
        })
    }

    /// Waits for the oldest answer; `None` if no step is under way. For tests and measurements: the
    /// collision thread never waits.
    ///
    /// # Errors
    /// The device has failed.
    pub fn wait(&mut self) -> Result<Option<Answer>, Fault> {
        if self.ring.under_way() > 0 {
            self.gpu.wait()?;
        }
        self.receive()
    }
}

impl Made {
    fn new(gpu: &Gpu) -> Result<Self, SetupError> {
        Ok(Self {
            scene: GpuScene::new(gpu)?,
            scene_set: false,
            traces: Traces::new(gpu)?,
            clock: Clock::new(gpu, TRACES as u32)?,
        })
    }

    /// Uploads the data of a step, and binds it.
    fn load(&mut self, gpu: &Gpu, work: &Work<'_>) -> Result<(), BufferError> {
        let traces = &mut self.traces;
        let divided = traces.divide(gpu, work.lists().map(<[Ray]>::len))?;
        let mut lists = [List::default(); LISTS];
        for ((list, divided), rays) in lists.iter_mut().zip(divided).zip(work.lists()) {
            *list = List {
                count: rays.len() as u32,
                ..divided
            };
            traces
                .buffers
                .rays
                .overwrite(gpu, list.first as usize, rays)?;
        }
        traces.buffers.lists.write(gpu, &lists)?;
        let settings = Settings {
            prediction: work.prediction,
            ..Settings::default()
        };
        traces.buffers.settings.write(gpu, &[settings])?;
        traces.bind(gpu, &self.scene)
    }
}
