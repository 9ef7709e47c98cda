//! Growing GPU buffers with elements of one type.
//!
//! Buffers grow by half at least, never shrink, and never exceed what the adapter can bind: a step
//! that needs more fails, with the numbers.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;
use thiserror::Error;

use crate::device::{Fault, Gpu};
use crate::pass::Bound;

/// Reasons why a buffer cannot hold the requested elements.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BufferError {
    /// The adapter cannot bind that many bytes.
    #[error("buffer `{buffer}`: {elements} elements are {bytes} bytes, the adapter binds {limit}")]
    TooLarge {
        /// Name of the buffer.
        buffer: &'static str,
        /// Number of elements requested.
        elements: usize,
        /// Their size, bytes.
        bytes: u64,
        /// Maximum size that the adapter can bind, bytes.
        limit: u64,
    },
    /// The number of elements differs from the scene's.
    #[error("buffer `{buffer}`: {count} elements, the scene has {of}")]
    Count {
        /// Name of the buffer.
        buffer: &'static str,
        /// Number given.
        count: usize,
        /// Number required.
        of: usize,
    },
    /// The GPU's memory is full.
    #[error("buffer `{buffer}`: no memory for {bytes} bytes: {message}")]
    NoMemory {
        /// Name of the buffer.
        buffer: &'static str,
        /// Size requested, bytes.
        bytes: u64,
        /// Message of the driver.
        message: String,
    },
    /// The device has failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Counter of everything made to be bound, so that a bind group can tell whether it is still
/// current.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Returns an identity that no other bound resource has.
pub(crate) fn next_id() -> u64 {
    MADE.fetch_add(1, Ordering::Relaxed)
}

/// A growing buffer of elements `T`.
#[derive(Debug)]
pub struct Store<T> {
    name: &'static str,
    usage: wgpu::BufferUsages,
    buffer: wgpu::Buffer,
    capacity: usize,
    id: u64,
    element: PhantomData<T>,
}

impl<T: Pod> Store<T> {
    /// Creates a buffer with a capacity of at least `capacity` elements, all zero. `usage` is added
    /// to reading and writing by passes.
    ///
    /// # Errors
    /// The buffer is too large, or there is no memory.
    pub fn new(
        gpu: &Gpu,
        name: &'static str,
        usage: wgpu::BufferUsages,
        capacity: usize,
    ) -> Result<Self, BufferError> {
        let usage = usage
            | wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC;
        let capacity = capacity.max(1);
        let (buffer, id) = make::<T>(gpu, name, usage, capacity)?;
        Ok(Self {
            name,
            usage,
            buffer,
            capacity,
            id,
            element: PhantomData,
        })
    }

    /// Number of elements that fit.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The buffer.
    #[must_use]
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Identity of the buffer; it changes when a larger buffer replaces it.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The whole buffer as a binding.
    pub(crate) fn bound(&self) -> Bound<'_> {
        (self.buffer.as_entire_binding(), self.id)
    }

    /// Grows to a capacity of `elements`. Growing loses the content.
    ///
    /// # Errors
    /// There is no memory; the buffer is then unchanged.
    pub fn reserve(&mut self, gpu: &Gpu, elements: usize) -> Result<(), BufferError> {
        if elements <= self.capacity {
            return Ok(());
        }
        let most = (gpu.largest_binding() / size_of::<T>() as u64) as usize;
        let roomy = elements.max(self.capacity + self.capacity / 2).min(most);
        // At the limit, request exactly what is needed, or let `make` report that it is too much.
        let capacity = roomy.max(elements);
        (self.buffer, self.id) = make::<T>(gpu, self.name, self.usage, capacity)?;
        self.capacity = capacity;
        Ok(())
    }

    /// Writes these as the first elements, growing if needed.
    ///
    /// # Errors
    /// There is no memory, or the device has failed.
    pub fn write(&mut self, gpu: &Gpu, elements: &[T]) -> Result<(), BufferError> {
        self.reserve(gpu, elements.len())?;
        self.overwrite(gpu, 0, elements)
    }

    /// Overwrites elements from number `first` on. If any is beyond the capacity, nothing is
    /// written.
    ///
    /// # Errors
    /// The elements exceed the capacity, or the device has failed.
    pub fn overwrite(&self, gpu: &Gpu, first: usize, elements: &[T]) -> Result<(), BufferError> {
        let end = first + elements.len();
        if end > self.capacity {
            return Err(BufferError::TooLarge {
                buffer: self.name,
                elements: end,
                bytes: (end * size_of::<T>()) as u64,
                limit: self.buffer.size(),
            });
        }
        if !elements.is_empty() {
            let at = (first * size_of::<T>()) as u64;
            gpu.guard(|_, queue| {
                queue.write_buffer(&self.buffer, at, bytemuck::cast_slice(elements));
            })?;
        }
        Ok(())
    }
}

fn make<T>(
    gpu: &Gpu,
    name: &'static str,
    usage: wgpu::BufferUsages,
    capacity: usize,
) -> Result<(wgpu::Buffer, u64), BufferError> {
    let (bytes, limit) = (
        capacity as u64 * size_of::<T>() as u64,
        gpu.largest_binding(),
    );
    if bytes > limit {
        return Err(BufferError::TooLarge {
            buffer: name,
            elements: capacity,
            bytes,
            limit,
        });
    }
    let made = gpu.attempt(|device, _| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(name),
            // Copies require whole words.
            size: bytes.next_multiple_of(16),
            usage,
            mapped_at_creation: false,
        })
    });
    match made {
        Ok(buffer) => Ok((buffer, next_id())),
        Err(Fault::OutOfMemory(message)) => Err(BufferError::NoMemory {
            buffer: name,
            bytes,
            message,
        }),
        Err(fault) => Err(fault.into()),
    }
}
