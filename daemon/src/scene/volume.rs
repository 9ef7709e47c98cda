//! From the configuration's volumes to bodies of samples: read or made up, placed, and closed at
//! their borders.

use std::path::Path;

use hapticd_config as config;
use hapticd_deformable::{GridError, ImplicitSpec, Inside};
use hapticd_geometry::volume::{Volume, nrrd, skull};
use hapticd_geometry::{Vec3, VolumeFault, transform};

use super::bounds::MAX_COORDINATE_M;
use super::{SceneError, material, pose};

/// Why a body cannot be made of a volume. The configuration's fault, or the file's.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VolumeError {
    /// The file is none that is read.
    #[error("body `{name}`: {error}")]
    Read {
        /// Whose.
        name: String,
        /// Why, with file and line.
        error: Box<nrrd::NrrdError>,
    },
    /// What is made up by formula cannot be.
    #[error("body `{name}`: {error}")]
    Made {
        /// Whose.
        name: String,
        /// Why.
        error: VolumeFault,
    },
    /// Nobody says how long a unit is.
    #[error(
        "body `{0}`: its file does not say in which unit its lengths are: give the shape a `scale`, 0.001 for millimetres"
    )]
    NoUnit(String),
    /// Samples beyond where coordinates may be.
    #[error(
        "body `{name}`: its samples reach {metres:.3e} m from the file's origin; {MAX_COORDINATE_M} m are \
         allowed: is `scale` right?"
    )]
    Far {
        /// Whose.
        name: String,
        /// How far out the first corner is that is too far.
        metres: f64,
    },
    /// Nothing moves samples.
    #[error(
        "body `{0}` is made of samples, which nothing moves: `implicit.model` has to be \"fixed\""
    )]
    Moves(String),
    /// The samples make no surface here.
    #[error("body `{name}`: {error}")]
    Grid {
        /// Whose.
        name: String,
        /// Why.
        error: GridError,
    },
}

/// An implicit body of samples as configured; `None`: its shape is no volume. Blocks on the disk.
///
/// # Errors
/// What is wrong with its file, its level or its place.
pub fn implicit(
    body: &config::Body,
    materials: &[config::Material],
    folder: &Path,
    id: u32,
) -> Result<Option<ImplicitSpec>, SceneError> {
    let name = || body.name.clone();
    let fixed = match body.implicit.model {
        config::Model::Fixed => Ok(()),
        _ => Err(VolumeError::Moves(name())),
    };
    let (volume, inside, unit_m) = match &body.shape {
        config::Shape::Volume {
            file,
            level,
            inside,
            scale,
        } => {
            fixed?;
            let read = nrrd::load(&folder.join(file));
            let volume = read.map_err(|error| VolumeError::Read {
                name: name(),
                error: Box::new(error),
            })?;
            let unit_m = scale.or(volume.unit_m);
            let unit_m = unit_m.ok_or_else(|| VolumeError::NoUnit(name()))?;
            if let Some(metres) = beyond(&volume, unit_m) {
                return Err(VolumeError::Far {
                    name: name(),
                    metres,
                }
                .into());
            }
            let inside = Inside {
                level: *level,
                below: *inside == config::Inside::Below,
            };
            (volume, inside, unit_m)
        }
        config::Shape::Skull { height_m, samples } => {
            fixed?;
            let made = skull::skull(*height_m, *samples);
            let volume = made.map_err(|error| VolumeError::Made {
                name: name(),
                error,
            })?;
            let inside = Inside {
                level: skull::LEVEL,
                below: false,
            };
            (volume, inside, 1.0)
        }
        _ => return Ok(None),
    };
    let spec = ImplicitSpec::of_volume(
        (name(), id),
        volume,
        (&pose(&body.world_from_body), unit_m),
        inside,
        body.implicit.cell_m,
        material(body, materials),
    );
    let spec = spec.map_err(|error| VolumeError::Grid {
        name: name(),
        error,
    })?;
    Ok(Some(spec))
}

/// Distance of the first corner that is too far from the file's origin, m.
fn beyond(volume: &Volume, unit_m: f64) -> Option<f64> {
    let far: [f64; 3] =
        std::array::from_fn(|k| f64::from(volume.nodes[k].saturating_sub(1)) * volume.spacing[k]);
    let mut corners = (0..8).map(|corner| {
        let side: [f64; 3] = std::array::from_fn(|k| f64::from(corner >> k & 1) * far[k]);
        unit_m * transform(&volume.frame, &Vec3::from(side)).norm()
    });
    corners.find(|metres| metres.is_nan() || *metres > MAX_COORDINATE_M)
}

#[cfg(test)]
mod tests;
