//! Whether full traces use the adapter's ray queries, and whether it has them.
//!
//! Ray queries are experimental in wgpu, and few adapters have hardware for them (those of data
//! centres have none). The tree works everywhere, and ray queries are never required.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::adapter::{Kind, OpenError};

/// Whether full traces of rigid and deformable targets use ray queries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RayQueries {
    /// Never: rigid targets use their trees, deformable ones are tested over all triangles.
    #[default]
    Off,
    /// If the adapter is a GPU and has them; otherwise as with [`RayQueries::Off`].
    Hardware,
    /// Always, even with a driver that computes on the CPU; an adapter without them is refused.
    Demanded,
}

impl RayQueries {
    /// Environment variable for this setting: `off`, `hardware` or `demanded`.
    pub const VARIABLE: &str = "HAPTICD_RAY_QUERIES";

    /// Value of [`RayQueries::VARIABLE`]; [`RayQueries::Off`] if it is not set.
    ///
    /// # Errors
    /// The variable has another value.
    pub fn from_env() -> Result<Self, UnknownRayQueries> {
        std::env::var_os(Self::VARIABLE)
            .map_or(Ok(Self::Off), |text| text.to_string_lossy().parse())
    }

    /// Decides whether to use ray queries on an adapter of that kind, with these features and
    /// limits.
    ///
    /// # Errors
    /// [`OpenError::NoRayQueries`], naming what the adapter lacks, if they are demanded.
    pub fn decide(
        self,
        adapter: &str,
        kind: Kind,
        features: wgpu::Features,
        limits: &wgpu::Limits,
    ) -> Result<bool, OpenError> {
        let lacks = lacks(features, limits);
        match (self, lacks) {
            (Self::Off, _) => Ok(false),
            (Self::Hardware, lacks) => Ok(lacks.is_none() && kind != Kind::Software),
            (Self::Demanded, None) => Ok(true),
            (Self::Demanded, Some(what)) => Err(OpenError::NoRayQueries {
                adapter: adapter.to_string(),
                what,
            }),
        }
    }
}

impl FromStr for RayQueries {
    type Err = UnknownRayQueries;

    fn from_str(text: &str) -> Result<Self, UnknownRayQueries> {
        match text {
            "off" => Ok(Self::Off),
            "hardware" => Ok(Self::Hardware),
            "demanded" => Ok(Self::Demanded),
            _ => Err(UnknownRayQueries(text.to_string())),
        }
    }
}

impl fmt::Display for RayQueries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Off => "off",
            Self::Hardware => "hardware",
            Self::Demanded => "demanded",
        })
    }
}

/// A value other than `off`, `hardware` and `demanded`.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("`{0}` says nothing of ray queries: `off`, `hardware` or `demanded`")]
pub struct UnknownRayQueries(pub String);

/// The first requirement of ray queries that is missing altogether.
fn lacks(features: wgpu::Features, limits: &wgpu::Limits) -> Option<&'static str> {
    let feature = features.contains(wgpu::Features::EXPERIMENTAL_RAY_QUERY);
    [
        ("EXPERIMENTAL_RAY_QUERY", u32::from(feature)),
        ("max_blas_primitive_count", limits.max_blas_primitive_count),
        ("max_blas_geometry_count", limits.max_blas_geometry_count),
        ("max_tlas_instance_count", limits.max_tlas_instance_count),
        (
            "max_acceleration_structures_per_shader_stage",
            limits.max_acceleration_structures_per_shader_stage,
        ),
    ]
    .into_iter()
    .find_map(|(what, has)| (has == 0).then_some(what))
}

/// wgpu's token for experimental features.
#[allow(unsafe_code)]
pub(crate) fn experiment() -> wgpu::ExperimentalFeatures {
    // SAFETY: this acknowledges that wgpu's ray queries may have bugs that safe code could trigger.
    // The rules of that interface are kept: what is bound has been built in the same commands,
    // boxes are finite or left out (`boxes.wgsl`), positions are finite and instances are counted
    // (`structures.rs`), rays are finite (`query.wgsl`). The token is created only when a caller
    // requests ray queries.
    unsafe { wgpu::ExperimentalFeatures::enabled() }
}
