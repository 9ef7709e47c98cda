//! Buffers on the GPU that hold elements of one type and grow.
//!
//! They grow by half at least, never shrink, and never beyond what the adapter can bind: a step
//! that needs more fails and says by how much.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

use bytemuck::Pod;
use thiserror::Error;

use crate::device::{Fault, Gpu};
use crate::pass::Bound;

/// Why a buffer cannot hold what it should.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BufferError {
    /// The adapter cannot bind that much.
    #[error("buffer `{buffer}`: {elements} elements are {bytes} bytes, the adapter binds {limit}")]
    TooLarge {
        /// Which buffer.
        buffer: &'static str,
        /// How many elements are wanted.
        elements: usize,
        /// How large they are.
        bytes: u64,
        /// What the adapter can bind.
        limit: u64,
    },
    /// Another number of elements than the scene has.
    #[error("buffer `{buffer}`: {count} elements, the scene has {of}")]
    Count {
        /// Which buffer.
        buffer: &'static str,
        /// How many are given.
        count: usize,
        /// How many there should be.
        of: usize,
    },
    /// The GPU's memory is full.
    #[error("buffer `{buffer}`: no memory for {bytes} bytes: {message}")]
    NoMemory {
        /// Which buffer.
        buffer: &'static str,
        /// How large it should have become.
        bytes: u64,
        /// In the driver's words.
        message: String,
    },
    /// The device has failed.
    #[error(transparent)]
    Fault(#[from] Fault),
}

/// Numbers everything ever made to be bound, so that a bind group knows whether it is still the
/// same.
static MADE: AtomicU64 = AtomicU64::new(0);

/// A number that nothing else that is bound has.
pub(crate) fn next_id() -> u64 {
    MADE.fetch_add(1, Ordering::Relaxed)
}

/// A buffer of `T`s.
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
    /// A buffer with room for at least `capacity` elements, all zero. `usage` in addition to being
    /// read and written by passes.
    ///
    /// # Errors
    /// If it cannot be had.
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

    /// Elements that there is room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// The buffer.
    #[must_use]
    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Changes when the buffer is replaced by a larger one.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// All of it, to be bound.
    pub(crate) fn bound(&self) -> Bound<'_> {
        (self.buffer.as_entire_binding(), self.id)
    }

    /// Makes room for `elements`. The content is lost if it grows.
    ///
    /// # Errors
    /// If there is none; the buffer is then as before.
    pub fn reserve(&mut self, gpu: &Gpu, elements: usize) -> Result<(), BufferError> {
        if elements <= self.capacity {
            return Ok(());
        }
        let most = (gpu.largest_binding() / size_of::<T>() as u64) as usize;
        let roomy = elements.max(self.capacity + self.capacity / 2).min(most);
        // With no room to spare, at least what is needed, or the error that says that it is too
        // much.
        let capacity = roomy.max(elements);
        (self.buffer, self.id) = make::<T>(gpu, self.name, self.usage, capacity)?;
        self.capacity = capacity;
        Ok(())
    }

    /// Makes these its first elements, growing if need be.
    ///
    /// # Errors
    /// If there is no room, or the device has failed.
    pub fn write(&mut self, gpu: &Gpu, elements: &[T]) -> Result<(), BufferError> {
        self.reserve(gpu, elements.len())?;
        self.overwrite(gpu, 0, elements)
    }

    /// Overwrites elements from number `first` on. Those beyond the capacity are an error, and then
    /// nothing is written.
    ///
    /// # Errors
    /// If there is no room, or the device has failed.
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
            // Copies are made of whole words.
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
