//! Readback without waiting: a ring of buffers that the GPU copies into and the CPU maps when the
//! driver says so.
//!
//! Answers come in the order of the steps. While all buffers of the ring are under way the next
//! step is refused; no call waits.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::buffer::BufferError;
use crate::device::{Fault, Gpu};

/// Maximum number of steps under way.
pub const DEPTH: usize = 3;

const WAITING: u8 = 0;
const READY: u8 = 1;
const FAILED: u8 = 2;

/// The ring; `T` describes the content of a buffer.
#[derive(Debug)]
pub struct Ring<T> {
    free: Vec<Slot>,
    under_way: VecDeque<Flight<T>>,
}

/// A buffer to copy an answer into.
#[derive(Debug)]
pub struct Slot {
    /// Target of the copy.
    pub buffer: wgpu::Buffer,
    state: Arc<AtomicU8>,
}

#[derive(Debug)]
struct Flight<T> {
    slot: Slot,
    bytes: u64,
    what: T,
}

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self {
            free: Vec::with_capacity(DEPTH),
            under_way: VecDeque::with_capacity(DEPTH),
        }
    }
}

impl<T> Ring<T> {
    /// Number of steps under way.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.under_way.len()
    }

    /// Takes a buffer of at least that many bytes for an answer; `None` if all are under way.
    ///
    /// # Errors
    /// There is no memory, or the device has failed.
    pub fn take(&mut self, gpu: &Gpu, bytes: u64) -> Result<Option<Slot>, BufferError> {
        if self.under_way.len() >= DEPTH {
            return Ok(None);
        }
        if let Some(slot) = self.free.pop()
            && slot.buffer.size() >= bytes
        {
            return Ok(Some(slot));
        }
        let size = (bytes + bytes / 2).max(1024).next_multiple_of(256);
        gpu.attempt(|device, _| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("answers"),
                size,
                usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        })
        .map(|buffer| {
            let state = Arc::new(AtomicU8::new(WAITING));
            Some(Slot { buffer, state })
        })
        .map_err(|fault| match fault {
            Fault::OutOfMemory(message) => BufferError::NoMemory {
                buffer: "answers",
                bytes: size,
                message,
            },
            fault => fault.into(),
        })
    }

    /// Sends a step that copies its answer into the first `bytes` of a buffer.
    ///
    /// # Errors
    /// The device has failed; the step is dropped.
    pub fn send(
        &mut self,
        gpu: &Gpu,
        commands: wgpu::CommandBuffer,
        slot: Slot,
        bytes: u64,
        what: T,
    ) -> Result<(), Fault> {
        slot.state.store(WAITING, Ordering::Relaxed);
        let told = Arc::clone(&slot.state);
        gpu.guard(|_, queue| {
            queue.submit([commands]);
            if bytes > 0 {
                slot.buffer
                    .slice(..bytes)
                    .map_async(wgpu::MapMode::Read, move |result| {
                        told.store(
                            if result.is_ok() { READY } else { FAILED },
                            Ordering::Release,
                        );
                    });
            }
        })?;
        self.under_way.push_back(Flight { slot, bytes, what });
        Ok(())
    }

    /// Passes the oldest step's bytes to `read`, if they have arrived. Does not wait.
    ///
    /// # Errors
    /// The device has failed.
    pub fn receive<R>(
        &mut self,
        gpu: &Gpu,
        read: impl FnOnce(T, &[u8]) -> R,
    ) -> Result<Option<R>, Fault> {
        gpu.poll()?;
        match self
            .under_way
            .front()
            .map(|oldest| oldest.slot.state.load(Ordering::Acquire))
        {
            None | Some(WAITING) => return Ok(None),
            Some(FAILED) => return Err(Fault::Lost("an answer cannot be read".to_string())),
            Some(_) => {}
        }
        let Some(oldest) = self.under_way.pop_front() else {
            return Ok(None);
        };
        let view = gpu
            .guard(|_, _| oldest.slot.buffer.slice(..oldest.bytes).get_mapped_range())?
            .map_err(|error| Fault::Driver(error.to_string()))?;
        let answer = read(oldest.what, &view);
        drop(view);
        gpu.guard(|_, _| oldest.slot.buffer.unmap())?;
        self.free.push(oldest.slot);
        Ok(Some(answer))
    }

    /// Drops all buffers and steps, after a loss of the device.
    pub fn clear(&mut self) {
        self.free.clear();
        self.under_way.clear();
    }
}
