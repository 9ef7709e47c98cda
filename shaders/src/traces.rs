//! Lists of rays, the three traces, and their hits: what a plain trace and a whole step have in
//! common.

use bytemuck::{Pod, Zeroable};
use hapticd_rays::layout::Ray;

use crate::GROUP;
use crate::buffer::{BufferError, Store};
use crate::device::Gpu;
use crate::hits::{Hits, List};
use crate::pass::{Bound, Pass};
use crate::passes;
use crate::scene::GpuScene;
use crate::times::Clock;
use crate::tracer::SetupError;

/// Lists of rays: for the tree, the basic algorithm and the walk, in the shaders' order.
pub(crate) const TRACES: usize = 3;
/// Those, the contacts, and what is near.
pub(crate) const LISTS: usize = 5;

/// What is the same for a whole step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Settings {
    /// Length of the longest prediction that is wanted, m.
    pub prediction: f32,
    /// How the step is done.
    pub flags: u32,
    /// Objects of the scene.
    pub objects: u32,
    /// Points of the scene.
    pub points: u32,
    /// Chunks of rigid pairs to emit rays from.
    pub chunks: u32,
    /// Runs of clusters to emit rays from.
    pub runs: u32,
    /// Fills the row.
    pub pad0: u32,
    /// Fills the row.
    pub pad1: u32,
}

#[derive(Debug)]
pub(crate) struct Traces {
    pub buffers: Buffers,
    build_args: Pass,
    passes: [Pass; TRACES],
}

/// Apart from the passes: binding changes those and reads these.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub settings: Store<Settings>,
    pub lists: Store<List>,
    pub args: Store<[u32; 4]>,
    pub rays: Store<Ray>,
    hits: Store<Hits>,
}

impl Buffers {
    /// The buffer that the shaders call this.
    pub fn find(&self, name: &str) -> Option<Bound<'_>> {
        Some(match name {
            "settings" => self.settings.bound(),
            // The same lists for those who read them and for those who append.
            "lists" | "counters" => self.lists.bound(),
            "args" => self.args.bound(),
            "rays" => self.rays.bound(),
            "hits" => self.hits.bound(),
            _ => return None,
        })
    }
}

impl Traces {
    pub fn new(gpu: &Gpu) -> Result<Self, SetupError> {
        let none = wgpu::BufferUsages::empty();
        let [tree, basic] = if gpu.ray_queries() {
            [&passes::QUERY_TREE, &passes::QUERY_BASIC]
        } else {
            [&passes::TRACE_TREE, &passes::TRACE_BASIC]
        };
        Ok(Self {
            buffers: Buffers {
                settings: Store::new(gpu, "settings", wgpu::BufferUsages::UNIFORM, 1)?,
                lists: Store::new(gpu, "lists", wgpu::BufferUsages::UNIFORM, LISTS)?,
                args: Store::new(gpu, "args", wgpu::BufferUsages::INDIRECT, TRACES + 1)?,
                rays: Store::new(gpu, "rays", none, 1)?,
                hits: Store::new(gpu, "hits", none, 1)?,
            },
            build_args: Pass::new(gpu, &passes::BUILD_ARGS)?,
            passes: [
                Pass::new(gpu, tree)?,
                Pass::new(gpu, basic)?,
                Pass::new(gpu, &passes::TRACE_WALK)?,
            ],
        })
    }

    /// Makes room for lists of rays of these capacities, one behind the other, and gives them,
    /// empty.
    pub fn divide(
        &mut self,
        gpu: &Gpu,
        capacities: [usize; TRACES],
    ) -> Result<[List; TRACES], BufferError> {
        let total = capacities.iter().sum();
        self.buffers.rays.reserve(gpu, total)?;
        self.buffers.hits.reserve(gpu, total)?;
        let mut first = 0;
        Ok(capacities.map(|capacity| {
            let list = List {
                count: 0,
                capacity: capacity as u32,
                first,
                pad: 0,
            };
            first += capacity as u32;
            list
        }))
    }

    /// Binds the passes to what is theirs and to the scene.
    pub fn bind(&mut self, gpu: &Gpu, scene: &GpuScene) -> Result<(), BufferError> {
        let buffers = &self.buffers;
        self.build_args.bind(gpu, |name| buffers.find(name))?;
        for pass in &mut self.passes {
            pass.bind(gpu, |name| buffers.find(name).or_else(|| scene.find(name)))?;
        }
        Ok(())
    }

    /// Records the traces of what is in the lists; stamps of the clock from number `stamp` on.
    /// `counts`: as many rays as the host says, for comparison; `None`: as many as the GPU has
    /// counted.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        scene: &GpuScene,
        clock: Option<&Clock>,
        stamp: u32,
        counts: Option<[u32; TRACES]>,
    ) {
        scene.record(encoder);
        if counts.is_none() {
            self.count_groups(encoder);
        }
        for (k, pass) in self.passes.iter().enumerate() {
            let times = clock.map(|clock| clock.around(stamp + k as u32));
            match counts {
                Some(counts) => pass.record(encoder, counts[k].div_ceil(GROUP), times),
                None => {
                    let at = k as u64 * 16;
                    pass.record_indirect(encoder, self.buffers.args.buffer(), at, times);
                }
            }
        }
    }

    /// Records what makes of the lists' counts those of groups.
    pub fn count_groups(&self, encoder: &mut wgpu::CommandEncoder) {
        self.build_args.record(encoder, 1, None);
    }

    /// The hits, in the order of the rays.
    pub fn hits(&self) -> &wgpu::Buffer {
        self.buffers.hits.buffer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::Choice;
    use crate::readback::Ring;

    /// Lists of any length: the groups that are launched are enough, and never more along one side
    /// than every adapter has.
    #[test]
    fn groups_are_folded() {
        let choice = Choice::from_env().unwrap().unwrap_or(Choice::Software);
        let gpu = Gpu::open(choice).unwrap();
        let mut traces = Traces::new(&gpu).unwrap();
        let mut ring = Ring::default();
        for [tree, basic, walk] in [
            [0, 1, 64],
            [65, 64 * 65_535, 64 * 65_535 + 1],
            [1_000_000_000, 100_000_000, 777],
            [u32::MAX, 0, 0],
        ] {
            let list = |count| List {
                count,
                capacity: u32::MAX,
                ..List::default()
            };
            // The last of the three has room for half of it.
            let short = List {
                capacity: walk / 2,
                ..list(walk)
            };
            (traces.buffers.lists)
                .write(&gpu, &[list(tree), list(basic), short, list(5), list(5)])
                .unwrap();
            let (pass, buffers) = (&mut traces.build_args, &traces.buffers);
            pass.bind(&gpu, |name| buffers.find(name)).unwrap();
            let slot = ring.take(&gpu, 64).unwrap().unwrap();
            let commands = gpu
                .guard(|device, _| {
                    let mut encoder =
                        device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                    pass.record(&mut encoder, 1, None);
                    encoder.copy_buffer_to_buffer(buffers.args.buffer(), 0, &slot.buffer, 0, 64);
                    encoder.finish()
                })
                .unwrap();
            ring.send(&gpu, commands, slot, 64, ()).unwrap();
            gpu.wait().unwrap();
            let args: Vec<[u32; 4]> = ring
                .receive(&gpu, |(), bytes| bytemuck::pod_collect_to_vec(bytes))
                .unwrap()
                .unwrap();
            let counts = [tree, basic, walk / 2].map(u64::from);
            let all = counts.iter().sum::<u64>() % (1 << 32);
            for (args, count) in args.iter().zip(counts.into_iter().chain([all])) {
                let groups = u64::from(args[0]) * u64::from(args[1]);
                let needed = count.div_ceil(u64::from(GROUP));
                assert!(args[0] <= crate::SIDE && args[1] <= crate::SIDE && args[2] == 1);
                assert!(
                    groups >= needed && groups < needed + u64::from(args[1]),
                    "{count}: {args:?}"
                );
            }
        }
    }
}
