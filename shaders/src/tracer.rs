//! The three traces, from lists of rays to what they meet.
//!
//! A step uploads its rays, records the passes and sends them; the answer is received when it has
//! come, a step or two later. Nothing waits.

use hapticd_rays::layout::{Normal, Object, Point, Ray};
use thiserror::Error;

use crate::adapter::OpenError;
use crate::buffer::BufferError;
use crate::device::{Fault, Gpu};
use crate::hits::{Hits, List};
use crate::pass::PassError;
use crate::readback::{DEPTH, Ring};
use crate::scene::{GpuScene, Packed};
use crate::times::Clock;
use crate::traces::{LISTS, Settings, TRACES, Traces};

/// The rays of a step, by algorithm.
#[derive(Clone, Copy, Debug, Default)]
pub struct Work<'a> {
    /// Through the tree of a rigid target.
    pub tree: &'a [Ray],
    /// Over all triangles of the target, or of one of its clusters.
    pub basic: &'a [Ray],
    /// Over the target's surface from [`Ray::start`].
    pub walk: &'a [Ray],
    /// Length of the longest prediction that is wanted, m.
    pub prediction: f32,
}

impl<'a> Work<'a> {
    fn lists(&self) -> [&'a [Ray]; TRACES] {
        [self.tree, self.basic, self.walk]
    }
}

/// Names a step: its generation and its number in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ticket {
    /// [`Gpu::generation`].
    pub generation: u64,
    /// From 1.
    pub number: u64,
}

/// What a step found: for each ray of a list, in its order.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// Which step.
    pub ticket: Ticket,
    /// For [`Work::tree`].
    pub tree: Vec<Hits>,
    /// For [`Work::basic`].
    pub basic: Vec<Hits>,
    /// For [`Work::walk`].
    pub walk: Vec<Hits>,
    /// Nanoseconds on the GPU for the three; `None` if it has no clock.
    pub pass_ns: Option<[f64; TRACES]>,
}

/// Why there is no tracer.
#[derive(Clone, Debug, Error)]
pub enum SetupError {
    /// No adapter.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A shader was not accepted.
    #[error(transparent)]
    Pass(#[from] PassError),
    /// No memory.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The device has failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Why a step was not sent.
#[derive(Clone, Debug, Error)]
pub enum StepError {
    /// As many steps are under way as there can be; receive one first.
    #[error("{DEPTH} steps are under way already")]
    Busy,
    /// The device is new: set the scene first.
    #[error("no scene since the GPU was opened (generation {0})")]
    NoScene(u64),
    /// More rays than fit.
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

/// See the module page.
#[derive(Debug)]
pub struct Tracer {
    gpu: Gpu,
    made: Made,
    ring: Ring<Sent>,
    steps: u64,
}

impl Tracer {
    /// Compiles the passes.
    ///
    /// # Errors
    /// If the device does not accept a shader, has no memory or has failed.
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

    /// After a fault: opens the device again and compiles the passes. What was under way is
    /// dropped, and the scene has to be set again.
    ///
    /// # Errors
    /// If that fails; it can be tried again.
    pub fn recover(&mut self) -> Result<(), SetupError> {
        self.ring.clear();
        // Whatever fails from here on: nothing made with the old device is used with the new.
        self.made.scene_set = false;
        self.gpu.reopen()?;
        self.made = Made::new(&self.gpu)?;
        self.steps = 0;
        Ok(())
    }

    /// Takes over all objects, in place of those before.
    ///
    /// # Errors
    /// If there is no room, or the device has failed.
    pub fn set_scene(&mut self, packed: &Packed) -> Result<(), BufferError> {
        self.made.scene_set = false;
        self.made.scene.set(&self.gpu, packed)?;
        self.made.scene_set = true;
        Ok(())
    }

    /// Where the objects are now: all of them, as packed but for place.
    ///
    /// # Errors
    /// If there are more than were set, or the device has failed.
    pub fn place(&mut self, objects: &[Object]) -> Result<(), BufferError> {
        self.made.scene.place(&self.gpu, objects)
    }

    /// Where a deformable's points are now, from packed number `first` on, and their normals.
    ///
    /// # Errors
    /// If there are more than were set, or the device has failed.
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
    /// If too many are under way, if there is no scene, if the rays do not fit, or if the device
    /// has failed; nothing was sent.
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
        // Without rays and without a clock there is nothing to read; a row keeps the ring's buffers
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

    /// The answer of the oldest step, if it has come. Does not wait.
    ///
    /// # Errors
    /// If the device has failed: then no step will be answered until [`Tracer::recover`].
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
    /// If the device has failed.
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

    /// Uploads what a step works on, and binds it.
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
