//! A pass: a shader with one entry point, its pipeline, and the buffers that it binds.
//!
//! The build derives the buffers from the shader ([`Source::slots`]), so the two cannot disagree.

use thiserror::Error;

use crate::device::{Fault, Gpu};

/// How a pass uses a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A small buffer with the same content for all threads.
    Uniform,
    /// Read only.
    Read,
    /// Read and write.
    Write,
    /// An acceleration structure for ray queries, not a buffer.
    Query,
}

/// A buffer that a pass binds, in group 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Binding number.
    pub binding: u32,
    /// Name in the shader.
    pub name: &'static str,
    /// Access by the pass.
    pub access: Access,
}

/// A shader and its bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The entry point.
    pub entry: &'static str,
    /// Complete source text.
    pub wgsl: &'static str,
    /// Bindings, by number.
    pub slots: &'static [Slot],
}

/// Reasons why a pass has no pipeline.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum PassError {
    /// wgpu's or the driver's compiler does not accept the shader.
    #[error("pass `{pass}` is not accepted: {message}")]
    Rejected {
        /// Name of the pass.
        pass: &'static str,
        /// Message of the compiler.
        message: String,
    },
    /// The device has failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// A pass that is ready to run. A copy shares its pipeline.
#[derive(Clone, Debug)]
pub struct Pass {
    source: &'static Source,
    pipeline: wgpu::ComputePipeline,
    bound: Option<(Vec<u64>, wgpu::BindGroup)>,
}

/// A resource to bind, and the identity that distinguishes it from others
/// ([`crate::buffer::Store::id`]).
pub type Bound<'a> = (wgpu::BindingResource<'a>, u64);

impl Pass {
    /// Compiles the shader.
    ///
    /// # Errors
    /// The shader is not accepted, or the device has failed.
    pub fn new(gpu: &Gpu, source: &'static Source) -> Result<Self, PassError> {
        let made = gpu.attempt(|device, _| {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(source.entry),
                source: wgpu::ShaderSource::Wgsl(source.wgsl.into()),
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(source.entry),
                // Derived from the shader, which uses what `slots` lists.
                layout: None,
                module: &module,
                entry_point: Some(source.entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        });
        match made {
            Ok(pipeline) => Ok(Self {
                source,
                pipeline,
                bound: None,
            }),
            Err(Fault::Rejected(message) | Fault::Driver(message)) => Err(PassError::Rejected {
                pass: source.entry,
                message,
            }),
            Err(fault) => Err(fault.into()),
        }
    }

    /// Binds what `find` returns for the shader's names. Keeps the bind group while their
    /// identities stay the same.
    ///
    /// # Errors
    /// The device has failed, or `find` has no buffer for a name.
    pub fn bind<'a>(
        &mut self,
        gpu: &Gpu,
        find: impl Fn(&str) -> Option<Bound<'a>>,
    ) -> Result<(), Fault> {
        let get = |slot: &Slot| {
            find(slot.name).ok_or_else(|| {
                Fault::Rejected(format!(
                    "pass `{}`: nobody has a buffer `{}`",
                    self.source.entry, slot.name
                ))
            })
        };
        if let Some((bound, _)) = &self.bound {
            let mut same = true;
            for (slot, id) in self.source.slots.iter().zip(bound) {
                same &= get(slot)?.1 == *id;
            }
            if same {
                return Ok(());
            }
        }
        let mut ids = Vec::with_capacity(self.source.slots.len());
        let mut entries = Vec::with_capacity(self.source.slots.len());
        for slot in self.source.slots {
            let (resource, id) = get(slot)?;
            ids.push(id);
            entries.push(wgpu::BindGroupEntry {
                binding: slot.binding,
                resource,
            });
        }
        let group = gpu.attempt(|device, _| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some(self.source.entry),
                layout: &self.pipeline.get_bind_group_layout(0),
                entries: &entries,
            })
        })?;
        self.bound = Some((ids, group));
        Ok(())
    }

    /// Records the pass with the workgroup counts at `offset` in `args`. Records nothing if the
    /// pass was never bound.
    pub fn record_indirect(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        args: &wgpu::Buffer,
        offset: u64,
        times: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        self.run(encoder, times, |pass| {
            pass.dispatch_workgroups_indirect(args, offset);
        });
    }

    /// Records the pass with that many workgroups, in two dimensions if necessary. Records nothing
    /// if the pass was never bound.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        groups: u32,
        times: Option<wgpu::ComputePassTimestampWrites<'_>>,
    ) {
        let rows = groups.div_ceil(crate::SIDE).max(1);
        self.run(encoder, times, |pass| {
            pass.dispatch_workgroups(groups.div_ceil(rows), rows, 1);
        });
    }

    fn run(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        times: Option<wgpu::ComputePassTimestampWrites<'_>>,
        dispatch: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) {
        let Some((_, group)) = &self.bound else {
            return;
        };
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(self.source.entry),
            timestamp_writes: times,
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, group, &[]);
        dispatch(&mut pass);
    }
}
