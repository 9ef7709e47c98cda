//! Which adapter, what it is, and whether it can do what the passes need.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::passes;

/// What kind of adapter is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// A GPU: the first discrete one, or else integrated, or else virtual.
    Hardware,
    /// A Vulkan driver that computes on the CPU (lavapipe). Slow; for tests, which are to run the
    /// same everywhere.
    Software,
}

impl Choice {
    /// Names the choice in the environment: `hardware` or `software`.
    pub const VARIABLE: &str = "HAPTICD_GPU";

    /// What [`Choice::VARIABLE`] says; `None` if it is not set.
    ///
    /// # Errors
    /// If it says something else.
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

/// Neither `hardware` nor `software`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` is no kind of adapter: `hardware` or `software`")]
pub struct UnknownChoice(pub String);

/// What an adapter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A GPU with memory of its own.
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

/// An adapter, for reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterReport {
    /// As its driver names it.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// The driver's name.
    pub driver: String,
    /// The driver's version, in its own words.
    pub driver_version: String,
    /// Where it is plugged in, `domain:bus:device.function`; empty if the driver does not say.
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

/// Why there is no GPU to work with.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum OpenError {
    /// The machine has no such adapter, or no driver for it.
    #[error("no {wanted} adapter; Vulkan offers: {}", list(found))]
    NoAdapter {
        /// What was asked for.
        wanted: Choice,
        /// What there is instead.
        found: Vec<AdapterReport>,
    },
    /// The adapter cannot do what the passes need.
    #[error("adapter {adapter} has {limit} {has}, the passes need {needs}")]
    TooSmall {
        /// Its name.
        adapter: String,
        /// Which limit, as WebGPU calls it.
        limit: &'static str,
        /// What it has.
        has: u64,
        /// What is needed.
        needs: u64,
    },
    /// Ray queries are demanded, and it cannot do them.
    #[error("adapter {adapter} has no ray queries: its {what} is 0")]
    NoRayQueries {
        /// Its name.
        adapter: String,
        /// Which feature or limit, as wgpu calls it.
        what: &'static str,
    },
    /// The driver refused.
    #[error("adapter {adapter} gave no device: {message}")]
    Refused {
        /// Its name.
        adapter: String,
        /// In the driver's words.
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

/// The adapter to take: the first of the best kind. Software is never taken for hardware, nor the
/// other way round.
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

/// Whether an adapter with these limits can run every pass.
///
/// # Errors
/// [`OpenError::TooSmall`] with the first limit that is not enough.
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
