//! Lists of rays, the three traces, and their hits: shared by the plain tracer and the narrow
//! phase.

use bytemuck::{Pod, Zeroable};
use hapticd_rays::layout::Ray;

use crate::GROUP;
use crate::buffer::{BufferError, Store};
use crate::device::Gpu;
use crate::hits::{Hits, List};
use crate::pass::{Bound, Pass};
use crate::passes;
use crate::scene::GpuScene;
use crate::setup::SetupError;
use crate::times::Clock;

/// Number of ray lists: tree, basic algorithm and walk, in the shaders' order.
pub(crate) const TRACES: usize = 3;
/// Number of all lists: those of rays, contacts, and near points.
pub(crate) const LISTS: usize = 5;

/// Settings that are constant for a whole step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Settings {
    /// Maximum length of a prediction, m.
    pub prediction: f32,
    /// Bit 0: trace rigid targets without trees. Bit 1: find inversions.
    pub flags: u32,
    /// Number of objects of the scene.
    pub objects: u32,
    /// Number of points of the scene.
    pub points: u32,
    /// Number of chunks of rigid pairs that emit rays.
    pub chunks: u32,
    /// Number of runs of clusters that emit rays.
    pub runs: u32,
    /// Padding.
    pub pad0: u32,
    /// Padding.
    pub pad1: u32,
}

#[derive(Debug)]
pub(crate) struct Traces {
    pub buffers: Buffers,
    build_args: Pass,
    passes: [Pass; TRACES],
}

/// Buffers, separate from the passes: binding changes the passes and reads the buffers.
#[derive(Debug)]
pub(crate) struct Buffers {
    pub settings: Store<Settings>,
    pub lists: Store<List>,
    pub args: Store<[u32; 4]>,
    pub rays: Store<Ray>,
    hits: Store<Hits>,
}

impl Buffers {
    /// Binding of a name used by the shaders.
    pub fn find(&self, name: &str) -> Option<Bound<'_>> {
        Some(match name {
            "settings" => self.settings.bound(),
            // The same lists under two names: one for passes that read, one for passes that append.
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

    /// Reserves lists of rays of these capacities, contiguously, and returns them empty.
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

    /// Binds the passes to these buffers and to the scene.
    pub fn bind(&mut self, gpu: &Gpu, scene: &GpuScene) -> Result<(), BufferError> {
        let buffers = &self.buffers;
        self.build_args.bind(gpu, |name| buffers.find(name))?;
        for pass in &mut self.passes {
            pass.bind(gpu, |name| buffers.find(name).or_else(|| scene.find(name)))?;
        }
        Ok(())
    }

    /// Records the traces of the lists' rays; the clock's stamps start at number `stamp`. `counts`
    /// are ray counts of the host, for comparison; `None` uses those counted on the GPU.
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

    /// Records the pass that converts the lists' counts to workgroup counts.
    pub fn count_groups(&self, encoder: &mut wgpu::CommandEncoder) {
        self.build_args.record(encoder, 1, None);
    }

    /// Hits, in the order of the rays.
    pub fn hits(&self) -> &wgpu::Buffer {
        self.buffers.hits.buffer()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapter::Choice;
    use crate::readback::Ring;

    /// For lists of any length, the launched workgroups suffice, and no dimension exceeds what
    /// every adapter has.
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
            // The last of the three has half the capacity it needs.
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
