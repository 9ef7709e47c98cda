//! The device that draws: any adapter with Vulkan; a software driver if there is no other.
//!
//! `HAPTICD_GPU=software` selects the software driver, as in the daemon. Asynchronous errors are
//! stored: check [`Gpu::fault`] after drawing.

use std::sync::{Arc, Mutex, PoisonError};

/// Reason why nothing can be drawn.
#[derive(Debug, thiserror::Error)]
pub enum GpuError {
    /// There is no adapter, or none that can present to this window.
    #[error(
        "no Vulkan adapter can draw here ({found} found). A software driver will do: on Debian, mesa-vulkan-drivers"
    )]
    NoAdapter {
        /// Number of adapters that were found but cannot draw here.
        found: usize,
    },
    /// The driver refused the device.
    #[error("the adapter `{adapter}` refused: {why}")]
    Refused {
        /// Name of the adapter.
        adapter: String,
        /// Reason of the driver.
        why: String,
    },
    /// Drawing failed.
    #[error("the adapter failed: {0}")]
    Failed(String),
}

/// An open device.
#[derive(Debug)]
pub struct Gpu {
    /// Name of the adapter, for people.
    pub name: String,
    /// The device.
    pub device: wgpu::Device,
    /// Its queue.
    pub queue: wgpu::Queue,
    /// The adapter; used to query surface formats.
    pub adapter: wgpu::Adapter,
    fault: Arc<Mutex<Option<String>>>,
}

/// Rank of an adapter type; the lowest is preferred.
fn rank(kind: wgpu::DeviceType) -> u8 {
    use wgpu::DeviceType::{Cpu, DiscreteGpu, IntegratedGpu, Other, VirtualGpu};
    match kind {
        DiscreteGpu => 0,
        IntegratedGpu => 1,
        VirtualGpu => 2,
        Other => 3,
        Cpu => 4,
    }
}

impl Gpu {
    /// Returns an instance without a display.
    pub fn headless() -> wgpu::Instance {
        wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            flags: wgpu::InstanceFlags::empty(),
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        })
    }

    /// Opens the best adapter that can present to this surface. Takes a software adapter only if
    /// there is no other, or if `software`.
    ///
    /// # Errors
    /// [`GpuError`].
    pub fn open(
        instance: &wgpu::Instance,
        surface: Option<&wgpu::Surface<'_>>,
        software: bool,
    ) -> Result<Self, GpuError> {
        let mut adapters = pollster::block_on(instance.enumerate_adapters(wgpu::Backends::VULKAN));
        let found = adapters.len();
        adapters.retain(|adapter| {
            let kind = adapter.get_info().device_type;
            (!software || kind == wgpu::DeviceType::Cpu)
                && surface.is_none_or(|surface| adapter.is_surface_supported(surface))
        });
        let adapter = adapters
            .into_iter()
            .min_by_key(|adapter| rank(adapter.get_info().device_type))
            .ok_or(GpuError::NoAdapter { found })?;
        let name = adapter.get_info().name;
        let asked = adapter.request_device(&wgpu::DeviceDescriptor {
            label: Some("hapticd-view"),
            required_limits: adapter.limits(),
            ..wgpu::DeviceDescriptor::default()
        });
        let (device, queue) = pollster::block_on(asked).map_err(|error| GpuError::Refused {
            adapter: name.clone(),
            why: error.to_string(),
        })?;
        let fault = Arc::new(Mutex::new(None));
        let noted = Arc::clone(&fault);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            note(&noted, error.to_string())
        }));
        let noted = Arc::clone(&fault);
        device.set_device_lost_callback(move |reason, message| {
            note(&noted, format!("{reason:?}: {message}"));
        });
        Ok(Self {
            name,
            device,
            queue,
            adapter,
            fault,
        })
    }

    /// Returns true if the environment asks for the software driver.
    pub fn software_wanted() -> bool {
        std::env::var_os("HAPTICD_GPU").is_some_and(|kind| kind == "software")
    }

    /// Returns the first error that was stored, if any.
    ///
    /// # Errors
    /// [`GpuError::Failed`].
    pub fn fault(&self) -> Result<(), GpuError> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner);
        fault
            .clone()
            .map_or(Ok(()), |why| Err(GpuError::Failed(why)))
    }
}

fn note(fault: &Mutex<Option<String>>, why: String) {
    let mut first = fault.lock().unwrap_or_else(PoisonError::into_inner);
    first.get_or_insert(why);
}
