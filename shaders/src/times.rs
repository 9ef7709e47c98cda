//! Time that the GPU takes for each pass, if it has a clock.

use crate::device::{Fault, Gpu};

/// Timestamps before and after each of a fixed number of passes.
#[derive(Debug)]
pub struct Clock {
    stamps: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    passes: u32,
    tick_ns: f32,
}

impl Clock {
    /// Creates a clock for that many passes; `None` if the adapter has no timestamps.
    ///
    /// # Errors
    /// The device has failed.
    pub fn new(gpu: &Gpu, passes: u32) -> Result<Option<Self>, Fault> {
        let Some(tick_ns) = gpu.tick_ns() else {
            return Ok(None);
        };
        let (stamps, resolved) = gpu.attempt(|device, _| {
            let stamps = device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("stamps"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * passes,
            });
            let resolved = device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("stamps"),
                size: bytes(passes),
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            (stamps, resolved)
        })?;
        Ok(Some(Self {
            stamps,
            resolved,
            passes,
            tick_ns,
        }))
    }

    /// Timestamp writes for pass number `pass`.
    #[must_use]
    pub fn around(&self, pass: u32) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.stamps,
            beginning_of_pass_write_index: Some(2 * pass),
            end_of_pass_write_index: Some(2 * pass + 1),
        }
    }

    /// Number of bytes that [`Clock::copy`] writes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        bytes(self.passes)
    }

    /// Copies the timestamps to `offset` in `to`.
    pub fn copy(&self, encoder: &mut wgpu::CommandEncoder, to: &wgpu::Buffer, offset: u64) {
        encoder.resolve_query_set(&self.stamps, 0..2 * self.passes, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, to, offset, self.bytes());
    }

    /// Duration of pass number `pass` from the copied bytes, ns.
    #[must_use]
    pub fn read(&self, copied: &[u8], pass: usize) -> Option<f64> {
        self.span(copied, pass, pass)
    }

    /// Duration from the beginning of one pass to the end of another, with all between, ns.
    #[must_use]
    pub fn span(&self, copied: &[u8], first: usize, last: usize) -> Option<f64> {
        let stamp = |k: usize| {
            let bytes = copied.get(8 * k..8 * k + 8)?;
            Some(u64::from_le_bytes(bytes.try_into().ok()?))
        };
        let ticks = stamp(2 * last + 1)?.saturating_sub(stamp(2 * first)?);
        Some(ticks as f64 * f64::from(self.tick_ns))
    }
}

fn bytes(passes: u32) -> u64 {
    u64::from(2 * passes) * 8
}
