//! Opening a device, detecting its loss, and opening it again.
//!
//! Every opened device has a *generation* number, from 1. Whatever was made with a device belongs
//! to its generation and dies with it; pending work of a lost device is dropped. The driver's
//! callbacks record the loss, and errors that no call waits for. The next call that returns a
//! [`Fault`] reports them.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use thiserror::Error;

use crate::adapter::{AdapterReport, Choice, OpenError, pick, suffices};
use crate::queries::{RayQueries, experiment};

/// Maximum wait of one [`Gpu::look`]: a hung device is detected by counting polls, not by a clock.
const MAX_POLL_WAIT: Duration = Duration::from_millis(1);

/// Failures of an open device.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Fault {
    /// The device is lost: open it again.
    #[error("the GPU was lost: {0}")]
    Lost(String),
    /// The GPU's memory is full.
    #[error("the GPU is out of memory: {0}")]
    OutOfMemory(String),
    /// A command was not allowed: a defect of this program.
    #[error("the GPU refused a command of ours: {0}")]
    Rejected(String),
    /// The driver failed.
    #[error("the GPU's driver failed: {0}")]
    Driver(String),
}

impl Fault {
    fn of(error: &wgpu::Error) -> Self {
        match error {
            wgpu::Error::OutOfMemory { source } => Self::OutOfMemory(source.to_string()),
            wgpu::Error::Validation { description, .. } => Self::Rejected(description.clone()),
            wgpu::Error::Internal { description, .. } => Self::Driver(description.clone()),
        }
    }
}

/// First fault of a device, recorded by whichever thread the driver calls back on.
#[derive(Debug, Default)]
struct Watch {
    any: AtomicBool,
    first: Mutex<Option<Fault>>,
}

impl Watch {
    fn note(&self, fault: Fault) {
        let mut first = self.lock();
        // A loss explains all earlier faults.
        if first.is_none() || matches!(fault, Fault::Lost(_)) {
            *first = Some(fault);
        }
        self.any.store(true, Ordering::Release);
    }

    fn check(&self) -> Result<(), Fault> {
        if !self.any.load(Ordering::Acquire) {
            return Ok(());
        }
        self.lock().clone().map_or(Ok(()), Err)
    }

    fn lock(&self) -> MutexGuard<'_, Option<Fault>> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Options for opening a device.
#[derive(Clone, Debug)]
pub struct Options {
    /// Kind of adapter.
    pub choice: Choice,
    /// Limits to use, even if the adapter has more; `None` uses all of the adapter's.
    pub limits: Option<wgpu::Limits>,
    /// Whether full traces use ray queries.
    pub ray_queries: RayQueries,
}

impl From<Choice> for Options {
    fn from(choice: Choice) -> Self {
        Self {
            choice,
            limits: None,
            ray_queries: RayQueries::Off,
        }
    }
}

/// An open device and its queue.
#[derive(Debug)]
pub struct Gpu {
    options: Options,
    instance: wgpu::Instance,
    open: Open,
    generation: u64,
}

#[derive(Debug)]
struct Open {
    adapter: AdapterReport,
    limits: wgpu::Limits,
    device: wgpu::Device,
    queue: wgpu::Queue,
    watch: Arc<Watch>,
    ray_queries: bool,
    tick_ns: Option<f32>,
}

/// Loses one device on purpose; see [`Gpu::breaker`].
#[derive(Clone, Debug)]
pub struct Breaker {
    device: wgpu::Device,
    watch: Arc<Watch>,
}

impl Breaker {
    /// Loses the device as if it had been unplugged.
    pub fn lose(&self) {
        self.device.destroy();
        self.watch
            .note(Fault::Lost("destroyed on demand".to_string()));
    }
}

impl Gpu {
    /// Opens an adapter of the requested kind.
    ///
    /// # Errors
    /// There is no such adapter, it does not meet the passes' requirements, or its driver refuses.
    pub fn open(options: impl Into<Options>) -> Result<Self, OpenError> {
        let options = options.into();
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            // No validation layers in any build: tests and daemon run the same. Only checks what
            // could hang the GPU.
            flags: wgpu::InstanceFlags::VALIDATION_INDIRECT_CALL,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let open = open(&instance, &options)?;
        Ok(Self {
            options,
            instance,
            open,
            generation: 1,
        })
    }

    /// Opens the adapter again, after a loss. The next generation begins: everything made with the
    /// old device is void.
    ///
    /// # Errors
    /// As [`Gpu::open`]; the old, lost device then stays.
    pub fn reopen(&mut self) -> Result<(), OpenError> {
        let open = open(&self.instance, &self.options)?;
        // The old device may still be alive if it was only suspected.
        self.open.device.destroy();
        self.open = open;
        self.generation += 1;
        Ok(())
    }

    /// The adapter in use.
    #[must_use]
    pub fn adapter(&self) -> &AdapterReport {
        &self.open.adapter
    }

    /// True if full traces use the adapter's ray queries.
    #[must_use]
    pub fn ray_queries(&self) -> bool {
        self.open.ray_queries
    }

    /// Maximum number of objects for ray queries: their numbers have 24 bits.
    pub(crate) fn most_instances(&self) -> usize {
        self.open.limits.max_tlas_instance_count.min(1 << 24) as usize
    }

    /// Number of devices opened so far, from 1.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Maximum size of a buffer binding, bytes.
    #[must_use]
    pub fn largest_binding(&self) -> u64 {
        let limits = &self.open.limits;
        // A multiple of the largest element's size.
        limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size)
            & !255
    }

    /// Maximum size of a buffer that is not bound, bytes.
    pub(crate) fn largest_buffer(&self) -> u64 {
        self.open.limits.max_buffer_size
    }

    /// Checks for a fault since the device was opened.
    ///
    /// # Errors
    /// The first such fault.
    pub fn check(&self) -> Result<(), Fault> {
        self.open.watch.check()
    }

    /// Lets the driver report finished work; does not wait.
    ///
    /// # Errors
    /// The device has failed.
    pub fn poll(&self) -> Result<(), Fault> {
        self.turn(wgpu::PollType::Poll)
    }

    /// Waits until the device has finished everything submitted. For tests and measurements: a step
    /// never waits.
    ///
    /// # Errors
    /// The device has failed.
    pub fn wait(&self) -> Result<(), Fault> {
        self.turn(wgpu::PollType::wait_indefinitely())
    }

    /// Waits for everything submitted, at most a millisecond.
    pub(crate) fn look(&self) -> Result<(), Fault> {
        self.guard(|device, _| {
            let how = wgpu::PollType::Wait {
                submission_index: None,
                timeout: Some(MAX_POLL_WAIT),
            };
            match device.poll(how) {
                Ok(_) | Err(wgpu::PollError::Timeout) => {}
                Err(error) => self.open.watch.note(Fault::Driver(error.to_string())),
            }
        })
    }

    fn turn(&self, how: wgpu::PollType) -> Result<(), Fault> {
        self.guard(|device, _| {
            if let Err(error) = device.poll(how) {
                self.open.watch.note(Fault::Driver(error.to_string()));
            }
        })
    }

    /// Loses the device on purpose, as if it had been unplugged. Drops everything submitted and not
    /// answered.
    pub fn lose(&self) {
        self.breaker().lose();
    }

    /// Returns a handle that can lose the currently open device, for callers without access to this
    /// one.
    #[must_use]
    pub fn breaker(&self) -> Breaker {
        Breaker {
            device: self.open.device.clone(),
            watch: Arc::clone(&self.open.watch),
        }
    }

    /// Nanoseconds per tick of the GPU's timestamps; `None` if it has none.
    #[must_use]
    pub fn tick_ns(&self) -> Option<f32> {
        self.open.tick_ns
    }

    /// Runs code that calls the device. wgpu panics if a device vanishes during `poll`; the daemon
    /// must survive that, so a panic counts as a loss.
    pub(crate) fn guard<T>(
        &self,
        work: impl FnOnce(&wgpu::Device, &wgpu::Queue) -> T,
    ) -> Result<T, Fault> {
        self.check()?;
        let done = catch_unwind(AssertUnwindSafe(|| {
            work(&self.open.device, &self.open.queue)
        }));
        match done {
            Ok(value) => self.check().map(|()| value),
            Err(panic) => {
                let message = panic
                    .downcast_ref::<String>()
                    .cloned()
                    .or_else(|| panic.downcast_ref::<&str>().map(ToString::to_string))
                    .unwrap_or_default();
                self.open.watch.note(Fault::Lost(message));
                self.check().and(Err(Fault::Lost(String::new())))
            }
        }
    }

    /// As [`Gpu::guard`], but returns the errors of this work without recording them for the
    /// device.
    pub(crate) fn attempt<T>(
        &self,
        work: impl FnOnce(&wgpu::Device, &wgpu::Queue) -> T,
    ) -> Result<T, Fault> {
        self.guard(|device, queue| {
            let scopes = [
                wgpu::ErrorFilter::Internal,
                wgpu::ErrorFilter::OutOfMemory,
                wgpu::ErrorFilter::Validation,
            ]
            .map(|filter| device.push_error_scope(filter));
            let value = work(device, queue);
            let mut first = None;
            for scope in scopes.into_iter().rev() {
                first = first.or(now(scope.pop()).flatten());
            }
            first.map_or(Ok(value), |error| Err(Fault::of(&error)))
        })?
    }
}

fn open(instance: &wgpu::Instance, options: &Options) -> Result<Open, OpenError> {
    let adapters = now(instance.enumerate_adapters(wgpu::Backends::VULKAN)).unwrap_or_default();
    let (adapter, report) = pick(adapters, options.choice)?;
    let limits = options.limits.clone().unwrap_or_else(|| adapter.limits());
    suffices(&report.name, &limits)?;
    let there = adapter.features();
    let ray_queries = (options.ray_queries).decide(&report.name, report.kind, there, &limits)?;
    let mut features = there & wgpu::Features::TIMESTAMP_QUERY;
    let has_clock = !features.is_empty();
    let mut experimental_features = wgpu::ExperimentalFeatures::disabled();
    if ray_queries {
        features |= wgpu::Features::EXPERIMENTAL_RAY_QUERY;
        experimental_features = experiment();
    }
    let refused = |message: String| OpenError::Refused {
        adapter: report.name.clone(),
        message,
    };
    let (device, queue) = now(adapter.request_device(&wgpu::DeviceDescriptor {
        label: Some("hapticd"),
        required_features: features,
        required_limits: limits.clone(),
        experimental_features,
        ..wgpu::DeviceDescriptor::default()
    }))
    .ok_or_else(|| refused("it did not answer".to_string()))?
    .map_err(|error| refused(error.to_string()))?;
    let watch = Arc::new(Watch::default());
    let noted = Arc::clone(&watch);
    device.on_uncaptured_error(Arc::new(move |error| noted.note(Fault::of(&error))));
    let noted = Arc::clone(&watch);
    device.set_device_lost_callback(move |reason, message| {
        noted.note(Fault::Lost(format!("{reason:?}: {message}")));
    });
    let tick_ns = has_clock.then(|| queue.get_timestamp_period());
    Ok(Open {
        adapter: report,
        limits,
        device,
        queue,
        watch,
        ray_queries,
        tick_ns,
    })
}

/// Value of a future that is ready at once, as all of wgpu's are outside a browser.
fn now<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
