//! How the rays of a step are found and traced: the product's method, and three others for
//! comparison (Lehericey 2016, chapter 3, section 1.4). The daemon uses only the first, and
//! compiles nothing of the others.
//!
//! All give the same contacts; with too little capacity they may drop different rays.

use hapticd_rays::layout::Ray;

use super::{Made, Narrow, Step};
use crate::GROUP;
use crate::device::{Fault, Gpu};
use crate::hits::List;
use crate::pass::Pass;
use crate::passes;
use crate::setup::SetupError;
use crate::times::Clock;
use crate::tracer::StepError;
use crate::traces::{LISTS, TRACES};

/// Launch method of a step. See the module page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Launch {
    /// Three stages, with one kernel per algorithm, launched with the counts on the GPU (indirect
    /// dispatch). Nothing waits.
    #[default]
    Indirect,
    /// The same stages, launched by the host with exact counts: [`Narrow::send`] reads them back
    /// after stage two, and **waits** for that.
    Exact,
    /// The same stages, launched by the host with as many rays as the capacity:
    /// [`Narrow::set_capacity`] is the prediction, and rays beyond it are missed. Nothing waits.
    Reserved,
    /// One kernel with branches in place of stages two and three: for each point of each pair it
    /// decides what is due and traces it at once. It binds more buffers than every adapter has,
    /// accepts no given rays, and uses no ray queries. Nothing waits.
    AtOnce,
}

/// The single kernel of [`Launch::AtOnce`].
#[derive(Debug)]
pub(super) struct Naive {
    pub pass: Pass,
    /// Times of the kernel, and of keeping the answers.
    pub clock: Option<Clock>,
}

impl Naive {
    pub fn new(gpu: &Gpu) -> Result<Self, SetupError> {
        Ok(Self {
            pass: Pass::new(gpu, &passes::TRACE_AT_ONCE)?,
            clock: Clock::new(gpu, 2)?,
        })
    }

    /// Records the kernel: one workgroup for every [`GROUP`] points of a chunk, and one for each
    /// run.
    pub fn record(&self, encoder: &mut wgpu::CommandEncoder, step: &Step<'_>) {
        let groups = step.chunks.len() as u32 * (crate::CHUNK / GROUP) + step.runs.len() as u32;
        let times = self.clock.as_ref().map(|clock| clock.around(0));
        self.pass.record(encoder, groups, times);
    }
}

impl Narrow {
    /// Ray counts for a launch by the host; `None` to use those counted on the GPU. With
    /// [`Launch::Exact`] this runs stage two.
    pub(super) fn counts(
        &mut self,
        step: &Step<'_>,
        points: u32,
    ) -> Result<Option<[u32; TRACES]>, StepError> {
        let given = step.rays().map(<[Ray]>::len);
        match self.launch {
            Launch::Indirect => Ok(None),
            Launch::AtOnce => match given.iter().sum() {
                0 => Ok(None),
                rays => Err(refused(rays).into()),
            },
            Launch::Reserved => Ok(Some(std::array::from_fn(|k| {
                (self.room.rays[k] + given[k]) as u32
            }))),
            Launch::Exact => self.read_counts(step, points).map(Some),
        }
    }

    /// Runs stage two and waits for the ray counts.
    fn read_counts(&mut self, step: &Step<'_>, points: u32) -> Result<[u32; TRACES], StepError> {
        let (gpu, made) = (&self.gpu, &self.made);
        let bytes = (LISTS * size_of::<List>()) as u64;
        let Some(slot) = self.counted.take(gpu, bytes)? else {
            return Err(StepError::Busy);
        };
        let commands = gpu.guard(|device, _| {
            let mut encoder =
                device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            made.emit(&mut encoder, step, points);
            let lists = made.traces.buffers.lists.buffer();
            encoder.copy_buffer_to_buffer(lists, 0, &slot.buffer, 0, bytes);
            encoder.finish()
        })?;
        self.counted.send(gpu, commands, slot, bytes, ())?;
        gpu.wait()?;
        let read = |(), bytes: &[u8]| bytemuck::pod_read_unaligned::<[List; LISTS]>(bytes);
        let Some(lists) = self.counted.receive(gpu, read)? else {
            return Err(Fault::Driver("counts that were waited for have not come".into()).into());
        };
        Ok(std::array::from_fn(|k| lists[k].entries()))
    }
}

fn refused(rays: usize) -> Fault {
    Fault::Rejected(format!(
        "{rays} rays are given to a kernel that finds its own"
    ))
}

impl Made {
    /// Clock that stamps the steps.
    pub(super) fn clock(&self) -> Option<&Clock> {
        let naive = self.naive.as_ref();
        naive.map_or(self.clock.as_ref(), |naive| naive.clock.as_ref())
    }
}
