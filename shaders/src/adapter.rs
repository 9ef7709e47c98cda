//! Choice of an adapter, its description, and whether it meets the passes' requirements.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::passes;

/// Kind of adapter requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A GPU: the first discrete one, or else integrated, or else virtual.
    Hardware,
    /// A Vulkan driver that computes on the CPU (lavapipe). Slow; for tests, which must behave the
    /// same everywhere.
    Software,
}

impl Choice {
    /// Environment variable for the choice: `hardware` or `software`.
    pub const VARIABLE: &str = "HAPTICD_GPU";

    /// Value of [`Choice::VARIABLE`]; `None` if it is not set.
    ///
    /// # Errors
    /// The variable has another value.
    pub fn from_env() -> Result<Option<Self>, UnknownChoice> {
        std::env::var_os(Self::VARIABLE)
            .map(|text| text.to_string_lossy().parse())
            .transpose()
    }
}

impl FromStr for Choice {
    type Err = UnknownChoice;

    fn from_str(text: &str) -> Result<Self, UnknownChoice> {
        match text {
            "hardware" => Ok(Self::Hardware),
            "software" => Ok(Self::Software),
            _ => Err(UnknownChoice(text.to_string())),
        }
    }
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hardware => "hardware",
            Self::Software => "software",
        })
    }
}

/// A value other than `hardware` and `software`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is no kind of adapter: `hardware` or `software`")]
pub struct UnknownChoice(pub String);

/// Kind of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A GPU with dedicated memory.
    Discrete,
    /// A GPU that shares the CPU's memory.
    Integrated,
    /// A GPU handed to a virtual machine.
    Virtual,
    /// The driver does not say.
    Unknown,
    /// The CPU.
    Software,
}

impl From<wgpu::DeviceType> for Kind {
    fn from(kind: wgpu::DeviceType) -> Self {
        match kind {
            wgpu::DeviceType::DiscreteGpu => Self::Discrete,
            wgpu::DeviceType::IntegratedGpu => Self::Integrated,
            wgpu::DeviceType::VirtualGpu => Self::Virtual,
            wgpu::DeviceType::Cpu => Self::Software,
            wgpu::DeviceType::Other => Self::Unknown,
        }
    }
}

/// Description of an adapter, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterReport {
    /// Name given by its driver.
    pub name: String,
    /// Kind of the adapter.
    pub kind: Kind,
    /// Name of the driver.
    pub driver: String,
    /// Version of the driver, as it reports it.
    pub driver_version: String,
    /// PCI address, `domain:bus:device.function`; empty if the driver does not report it.
    pub pci: String,
}

impl From<wgpu::AdapterInfo> for AdapterReport {
    fn from(info: wgpu::AdapterInfo) -> Self {
        Self {
            name: info.name,
            kind: info.device_type.into(),
            driver: info.driver,
            driver_version: info.driver_info,
            pci: info.device_pci_bus_id,
        }
    }
}

impl fmt::Display for AdapterReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            kind,
            driver,
            driver_version,
            ..
        } = self;
        write!(f, "{name} ({kind:?}, {driver} {driver_version})")
    }
}

/// Reasons why no GPU is available.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OpenError {
    /// The machine has no such adapter, or no driver for it.
    #[error("no {wanted} adapter; Vulkan offers: {}", list(found))]
    NoAdapter {
        /// Kind requested.
        wanted: Choice,
        /// Adapters present.
        found: Vec<AdapterReport>,
    },
    /// The adapter does not meet the passes' requirements.
    #[error("adapter {adapter} has {limit} {has}, the passes need {needs}")]
    TooSmall {
        /// Name of the adapter.
        adapter: String,
        /// Limit, by its WebGPU name.
        limit: &'static str,
        /// Value of the adapter.
        has: u64,
        /// Value required.
        needs: u64,
    },
    /// Ray queries are demanded, and the adapter does not support them.
    #[error("adapter {adapter} has no ray queries: its {what} is 0")]
    NoRayQueries {
        /// Name of the adapter.
        adapter: String,
        /// Missing feature or limit, by its wgpu name.
        what: &'static str,
    },
    /// The driver refused to open a device.
    #[error("adapter {adapter} gave no device: {message}")]
    Refused {
        /// Name of the adapter.
        adapter: String,
        /// Message of the driver.
        message: String,
    },
}

fn list(found: &[AdapterReport]) -> String {
    if found.is_empty() {
        return "none".to_string();
    }
    let names: Vec<String> = found.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Picks the first adapter of the best kind. Software never stands in for hardware, nor the
/// reverse.
pub(crate) fn pick(
    adapters: Vec<wgpu::Adapter>,
    wanted: Choice,
) -> Result<(wgpu::Adapter, AdapterReport), OpenError> {
    let mut known: Vec<(wgpu::Adapter, AdapterReport)> = adapters
        .into_iter()
        .map(|adapter| {
            let report = adapter.get_info().into();
            (adapter, report)
        })
        .collect();
    let best = known
        .iter()
        .enumerate()
        .filter(|(_, (_, report))| (report.kind == Kind::Software) == (wanted == Choice::Software))
        .min_by_key(|(i, (_, report))| (report.kind, *i))
        .map(|(i, _)| i);
    match best {
        Some(i) => Ok(known.swap_remove(i)),
        None => Err(OpenError::NoAdapter {
            wanted,
            found: known.into_iter().map(|(_, report)| report).collect(),
        }),
    }
}

/// Checks that an adapter with these limits can run every pass.
///
/// # Errors
/// [`OpenError::TooSmall`], with the first limit that is too low.
pub fn suffices(adapter: &str, limits: &wgpu::Limits) -> Result<(), OpenError> {
    let group = u64::from(crate::GROUP);
    let needs = [
        (
            "max_storage_buffers_per_shader_stage",
            u64::from(limits.max_storage_buffers_per_shader_stage),
            u64::from(passes::STORAGE_BUFFERS),
        ),
        (
            "max_uniform_buffers_per_shader_stage",
            u64::from(limits.max_uniform_buffers_per_shader_stage),
            u64::from(passes::UNIFORM_BUFFERS),
        ),
        (
            "max_compute_invocations_per_workgroup",
            u64::from(limits.max_compute_invocations_per_workgroup),
            group,
        ),
        (
            "max_compute_workgroup_size_x",
            u64::from(limits.max_compute_workgroup_size_x),
            group,
        ),
        (
            "max_compute_workgroups_per_dimension",
            u64::from(limits.max_compute_workgroups_per_dimension),
            u64::from(crate::SIDE),
        ),
    ];
    for (limit, has, needs) in needs {
        if has < needs {
            return Err(OpenError::TooSmall {
                adapter: adapter.to_string(),
                limit,
                has,
                needs,
            });
        }
    }
    Ok(())
}
