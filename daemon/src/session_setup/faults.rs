//! Faults that keep a configuration from running: what is wrong, in which file, and the key that
//! causes it.

use std::fmt;
use std::path::PathBuf;

use hapticd_config as config;
use hapticd_deformable::DeformableAddError;
use hapticd_devices::profile::ProfileErrors;
use hapticd_devices::safety::LimitsError;
use hapticd_devices::sim::held_arm::HeldArmError;
use hapticd_needle::SurroundingsError;
use hapticd_scene::AddError;

use crate::intentions;
use hapticd_scene_setup::{self as scene_setup, SceneError};

/// Reason why a configuration that parses cannot run. The fault is in the configuration or in a
/// file that it names.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionSetupError {
    /// The scene cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A device profile does not exist.
    #[error("arm `{arm}`: no shipped profile is called `{profile}`; shipped: {known}")]
    NoProfile {
        /// Name of the arm.
        arm: String,
        /// Name of the requested profile.
        profile: String,
        /// Names of the shipped profiles.
        known: String,
    },
    /// A device profile cannot be read.
    #[error("arm `{arm}`: {path}: {error}")]
    UnreadableProfile {
        /// Name of the arm.
        arm: String,
        /// Path of the profile.
        path: String,
        /// Error of the system.
        error: std::io::Error,
    },
    /// A device profile is wrong.
    #[error("arm `{arm}`: {errors}")]
    Profile {
        /// Name of the arm.
        arm: String,
        /// All errors in the profile.
        errors: Box<ProfileErrors>,
    },
    /// A simulated arm is impossible.
    #[error("arm `{arm}`: {error}")]
    Simulated {
        /// Name of the arm.
        arm: String,
        /// Error of the arm or its hand.
        error: HeldArmError,
    },
    /// An intention is unknown, unreadable or invalid.
    #[error("arm `{arm}`: {error}")]
    Intention {
        /// Name of the arm.
        arm: String,
        /// Error of the intention.
        error: Box<intentions::Error>,
    },
    /// Limits contradict each other for an arm, by the names that they have in their files.
    #[error("limits: {0}")]
    Limits(String),
}

/// One fault that keeps a configuration from running, with the key that causes it.
#[derive(Debug)]
pub struct Fault {
    /// Key of the configuration, as in its entries: `body.floor.shape.file`.
    pub key: String,
    /// The file concerned, if any.
    pub file: Option<PathBuf>,
    /// The error itself.
    pub error: SessionSetupError,
}

impl fmt::Display for Fault {
    /// Also names the file if the error itself does not.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.error.to_string();
        if let Some(file) = self.file.as_ref().map(|file| file.display().to_string())
            && !text.contains(&file)
        {
            write!(f, "{file}: ")?;
        }
        f.write_str(&text)
    }
}

/// All faults that keep a configuration from running, at least a line for each; never empty.
#[derive(Debug)]
pub struct SessionSetupErrors(pub(super) Vec<Fault>);

impl SessionSetupErrors {
    /// Returns all faults, of arms, limits and bodies.
    pub fn faults(&self) -> &[Fault] {
        &self.0
    }
}

impl fmt::Display for SessionSetupErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            write!(f, "{}{fault}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for SessionSetupErrors {}

/// Notes the fault of a step that failed, so that the steps after it still report theirs.
pub(super) fn noted<T>(step: Result<T, Box<Fault>>, faults: &mut Vec<Fault>) -> Option<T> {
    step.map_err(|fault| faults.push(*fault)).ok()
}

pub(super) fn device_fault(arm: &config::Arm, error: SessionSetupError) -> Fault {
    let (key, file) = match &arm.device {
        config::Device::Hid { profile, .. } => ("profile", profile),
        config::Device::Simulated { intention, .. } => ("intention", intention),
    };
    // Invalid hand parameters or mechanics are not the intention's fault, and concern no single
    // key.
    let is_whole_arm = matches!(error, SessionSetupError::Simulated { .. });
    Fault {
        key: format!(
            "arm.{}.{}",
            arm.name,
            if is_whole_arm { "name" } else { key }
        ),
        file: match file {
            config::NameOrPath::Path(path) if !is_whole_arm => Some(path.clone()),
            _ => None,
        },
        error,
    }
}

/// Returns the fault for a shape; `table` is the key of the shape's table.
pub(super) fn shape_fault(table: &str, shape: &config::Shape, error: SceneError) -> Fault {
    use scene_setup::volume::VolumeError;
    let (key, file) = match (shape, &error) {
        (config::Shape::Mesh { file, .. }, _)
        | (
            config::Shape::Volume { file, .. },
            SceneError::Volume(
                VolumeError::Read { .. } | VolumeError::NoUnit(_) | VolumeError::Far { .. },
            ),
        ) => ("file", Some(file.clone())),
        (config::Shape::Volume { .. }, SceneError::Volume(VolumeError::Grid { .. })) => {
            ("level", None)
        }
        (
            config::Shape::Polygon { .. },
            SceneError::Planar(scene_setup::planar::PlanarError::Polygon { .. }),
        ) => ("vertices_m", None),
        _ => ("kind", None),
    };
    Fault {
        key: format!("{table}.{key}"),
        file,
        error: error.into(),
    }
}

pub(super) fn body_fault(body: &config::Body, error: SceneError) -> Fault {
    let key = match &error {
        SceneError::Add(AddError::Full | AddError::NameTaken(_)) => "name",
        SceneError::Add(AddError::BadMaterial { .. }) => "material",
        _ => return shape_fault(&format!("body.{}.shape", body.name), &body.shape, error),
    };
    Fault {
        key: format!("body.{}.{key}", body.name),
        file: None,
        error: error.into(),
    }
}

/// Returns the fault for limits that the per-arm check did not find, in the governor's words.
pub(super) fn limits_fault(error: LimitsError) -> Fault {
    Fault {
        key: "safety.peak_force_n".to_owned(),
        file: None,
        error: SessionSetupError::Limits(error.to_string()),
    }
}

/// Returns the fault for an error of the soft scene: one of its bodies, or a rigid body that rays
/// cannot be traced against.
pub(super) fn soft_fault(config: &config::Config, error: DeformableAddError) -> Fault {
    let name = match &error {
        DeformableAddError::Body { name, .. }
        | DeformableAddError::Pins { name, .. }
        | DeformableAddError::Mass { name, .. } => name.clone(),
        DeformableAddError::Implicit(error) => error.name.clone(),
        DeformableAddError::TooMany { .. } => largest_crowd(config).to_owned(),
        _ => String::new(),
    };
    let key = match (&error, config.bodies.iter().find(|body| body.name == name)) {
        (DeformableAddError::Pins { .. }, Some(body)) => format!("body.{}.pinned", body.name),
        (DeformableAddError::TooMany { .. }, Some(body)) => format!("body.{}.copies", body.name),
        (_, Some(body)) => format!("body.{}.shape.kind", body.name),
        _ => "deformable.substeps".to_owned(),
    };
    Fault {
        key,
        file: None,
        error: SceneError::Soft(error).into(),
    }
}

/// Returns the name of the crowd with the most copies.
fn largest_crowd(config: &config::Config) -> &str {
    let crowds = config.bodies.iter();
    let crowds = crowds.filter(|body| body.kind == config::BodyKind::Crowd);
    crowds
        .max_by_key(|body| body.copies)
        .map_or("", |b| &b.name)
}

/// Returns the fault for something that cannot be registered in the tissue.
pub(super) fn surroundings_fault(config: &config::Config, error: SurroundingsError) -> Fault {
    let id = match &error {
        SurroundingsError::Mesh { id, .. } | SurroundingsError::Surface { id, .. } => Some(*id),
        _ => None,
    };
    let body = id.and_then(|id| config.bodies.get(id as usize));
    let tissue = || {
        let mut bodies = config.bodies.iter();
        bodies.find(|b| b.kind == config::BodyKind::Tissue)
    };
    let name = body.or_else(tissue).map_or("", |b| b.name.as_str());
    Fault {
        key: format!("body.{name}.shape.kind"),
        file: None,
        error: SceneError::from(scene_setup::needle::InsertionError::Surroundings {
            name: name.to_owned(),
            error,
        })
        .into(),
    }
}
