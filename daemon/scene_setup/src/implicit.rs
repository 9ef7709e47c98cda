//! From the configuration's implicit bodies to spheres: spheres fill a shape, or are placed along a
//! curve. [`volume`] makes the bodies of samples.

use std::path::Path;

use hapticd_config as config;
use hapticd_deformable::{ImplicitModel, ImplicitSpec};
use hapticd_geometry::{TriMesh, Vec3, transform};
use hapticd_particles::FluidMaterial;
use hapticd_scene::contains;

use super::{Owner, SceneError, material, mesh, pose, volume};

/// Maximum number of spheres of a body.
pub const MAX_SPHERES: usize = 20_000;
/// Distance between spheres of a solid and along a strand, in radii: small enough for a smooth
/// surface.
const SPACING: f64 = 1.2;
/// Distance between the drops of a fluid, in radii: side by side.
const DROP_SPACING: f64 = 2.0;
/// Default edge of a skin's cubes, in radii.
const DEFAULT_CELL: f64 = 0.4;

/// Reason why an implicit body cannot be made of its shape. The fault is in the configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImplicitError {
    /// A strand needs a curve as its shape.
    #[error("strand `{0}`: give it a shape of kind \"coil\", \"line\" or \"folds\"")]
    NoCurve(String),
    /// A shape with holes has no inside to fill.
    #[error("body `{name}`: its shape is open and cannot be filled with spheres")]
    Open {
        /// Name of the body.
        name: String,
    },
    /// The body is too large for spheres of this radius.
    #[error(
        "body `{name}`: about {count} spheres of {radius_m} m; there can be {MAX_SPHERES}: make `sphere_radius_m` larger"
    )]
    TooMany {
        /// Name of the body.
        name: String,
        /// Estimated number of spheres.
        count: f64,
        /// Radius of the spheres, m.
        radius_m: f64,
    },
    /// No sphere has its centre inside the shape.
    #[error("body `{name}`: no sphere of {radius_m} m fits: make `sphere_radius_m` smaller")]
    Empty {
        /// Name of the body.
        name: String,
        /// Radius of the spheres, m.
        radius_m: f64,
    },
}

/// Builds an implicit body as configured.
///
/// # Errors
/// The fault in its shape.
pub fn implicit(
    body: &config::Body,
    materials: &[config::Material],
    folder: &Path,
    id: u32,
) -> Result<ImplicitSpec, SceneError> {
    if let Some(spec) = volume::implicit(body, materials, folder, id)? {
        return Ok(spec);
    }
    let made = &body.implicit;
    let radius_m = made.sphere_radius_m;
    let (damping_s, stiffness_n_m) = (made.damping_ms * 1e-3, made.stiffness_n_per_m);
    let spacing_m = match made.model {
        config::Model::Fluid => DROP_SPACING * radius_m,
        _ => SPACING * radius_m,
    };
    let filled = || filled(body, folder, spacing_m);
    let (local, volume_m3, model) = match made.model {
        config::Model::Strand => {
            let points = along_curve(body, spacing_m)?;
            let ways = points.windows(2).map(|w| (w[1] - w[0]).norm());
            let length_m: f64 = ways.sum();
            let volume_m3 = std::f64::consts::PI * radius_m * radius_m * length_m;
            let model = ImplicitModel::Strand {
                stretch_n: stiffness_n_m * spacing_m,
                bend_n_m2: made.bending_n_m2,
                damping_s,
            };
            (points, volume_m3, model)
        }
        config::Model::Springs => {
            let (points, volume_m3) = filled()?;
            let model = ImplicitModel::Springs {
                spacing_m,
                stiffness_n_m,
                damping_s,
            };
            (points, volume_m3, model)
        }
        config::Model::Fluid => {
            let (points, volume_m3) = filled()?;
            let material = FluidMaterial {
                stiffness_n_m,
                cohesion_n_m: made.cohesion_n_per_m.min(stiffness_n_m),
                viscosity_1_s: made.viscosity_per_s,
                ..FluidMaterial::default()
            };
            (points, volume_m3, ImplicitModel::Fluid(material))
        }
        config::Model::Fixed => {
            let (points, volume_m3) = filled()?;
            (points, volume_m3, ImplicitModel::Fixed)
        }
    };
    let place = pose(&body.world_from_body);
    let points: Vec<Vec3> = local.iter().map(|p| transform(&place, p)).collect();
    Ok(ImplicitSpec {
        name: body.name.clone(),
        id,
        pinned: pinned(body.pinned, &points, radius_m),
        points,
        model,
        radius_m,
        mass_kg: body.density_kg_m3 * volume_m3,
        blending: made.blending,
        cell_m: made.cell_m.unwrap_or(DEFAULT_CELL * radius_m),
        surface: material(body, materials),
    })
}

fn check_count(body: &config::Body, count: f64) -> Result<(), ImplicitError> {
    // Not `>`, so that NaN counts as too many.
    if count <= MAX_SPHERES as f64 {
        return Ok(());
    }
    Err(ImplicitError::TooMany {
        name: body.name.clone(),
        count,
        radius_m: body.implicit.sphere_radius_m,
    })
}

/// Parameters of a folded curve; see the configuration's shape.
#[derive(Clone, Copy)]
struct Folds {
    run_m: f64,
    pitch_m: f64,
    runs: u32,
    layers: u32,
}

impl Folds {
    fn count(&self) -> u32 {
        self.runs * self.layers
    }

    /// Length of the half circle from one run to the next, m.
    fn bend_m(&self) -> f64 {
        std::f64::consts::FRAC_PI_2 * self.pitch_m
    }

    fn length_m(&self) -> f64 {
        let count = f64::from(self.count());
        count * self.run_m + (count - 1.0) * self.bend_m()
    }

    /// Returns the centre of a run. In every second layer the runs go back.
    fn middle(&self, run: u32) -> Vec3 {
        let (layer, row) = (run / self.runs, run % self.runs);
        let row = if layer.is_multiple_of(2) {
            row
        } else {
            self.runs - 1 - row
        };
        let from_middle =
            |k: u32, count: u32| self.pitch_m * (f64::from(k) - 0.5 * f64::from(count - 1));
        Vec3::new(
            0.0,
            from_middle(row, self.runs),
            from_middle(layer, self.layers),
        )
    }

    /// Returns the point at a distance `arc_m` along the curve.
    fn at(&self, arc_m: f64) -> Vec3 {
        let unit = self.run_m + self.bend_m();
        let run = ((arc_m / unit) as u32).min(self.count() - 1);
        let way = arc_m - f64::from(run) * unit;
        let along = if run.is_multiple_of(2) {
            Vec3::x()
        } else {
            -Vec3::x()
        };
        let middle = self.middle(run);
        if way <= self.run_m || run + 1 == self.count() {
            return middle + along * (way - 0.5 * self.run_m);
        }
        let (sin, cos) = (2.0 * (way - self.run_m) / self.pitch_m).sin_cos();
        let over = 0.5 * (1.0 - cos) * (self.middle(run + 1) - middle);
        middle + over + along * (0.5 * self.run_m + 0.5 * self.pitch_m * sin)
    }
}

/// Places spheres along a coil, a line or folds, with the requested spacing or slightly less.
fn along_curve(body: &config::Body, spacing_m: f64) -> Result<Vec<Vec3>, ImplicitError> {
    let (length_m, at): (f64, Box<dyn Fn(f64) -> Vec3>) = match body.shape {
        config::Shape::Coil {
            radius_m,
            pitch_m,
            turns,
        } => {
            let angle = turns * std::f64::consts::TAU;
            let length_m = (radius_m * angle).hypot(pitch_m * turns);
            let at = move |share: f64| {
                let (sin, cos) = (share * angle).sin_cos();
                let z = pitch_m * turns * (share - 0.5);
                Vec3::new(radius_m * cos, radius_m * sin, z)
            };
            (length_m, Box::new(at))
        }
        config::Shape::Line { length_m } => (
            length_m,
            Box::new(move |share| Vec3::new(length_m * (share - 0.5), 0.0, 0.0)),
        ),
        config::Shape::Folds {
            run_m,
            pitch_m,
            runs,
            layers,
        } => {
            let all = Folds {
                run_m,
                pitch_m,
                runs,
                layers,
            };
            let length_m = all.length_m();
            (length_m, Box::new(move |share| all.at(share * length_m)))
        }
        _ => return Err(ImplicitError::NoCurve(body.name.clone())),
    };
    let pieces = (length_m / spacing_m).ceil().max(1.0);
    check_count(body, pieces + 1.0)?;
    Ok((0..=pieces as usize)
        .map(|i| at(i as f64 / pieces))
        .collect())
}

/// Places spheres on a grid inside a shape. Their centres are at least a radius from the sides of
/// its bounding box. Also returns the shape's volume, m³.
fn filled(
    body: &config::Body,
    folder: &Path,
    spacing_m: f64,
) -> Result<(Vec<Vec3>, f64), SceneError> {
    let owner = Owner {
        what: "body",
        name: &body.name,
    };
    let Some((mesh, _)) = mesh(&body.shape, owner, folder)? else {
        return Err(SceneError::SphereBody(body.name.clone()));
    };
    let radius_m = body.implicit.sphere_radius_m;
    let volume_m3 = volume(&mesh);
    if !(volume_m3 > 0.0) {
        let name = body.name.clone();
        return Err(ImplicitError::Open { name }.into());
    }
    let (low, high) = mesh.bounds();
    let room = (high - low).add_scalar(-2.0 * radius_m);
    // As many layers as fit, centred in the shape.
    let steps = room.map(|x| (x / spacing_m + 1e-9).floor().max(0.0));
    check_count(body, steps.map(|n| n + 1.0).product())?;
    let first = 0.5 * (low + high) - 0.5 * spacing_m * steps;
    let [nx, ny, nz] = [steps.x as u32, steps.y as u32, steps.z as u32];
    let mut points = Vec::new();
    for z in 0..=nz {
        for y in 0..=ny {
            for x in 0..=nx {
                let at = first + spacing_m * Vec3::from([x, y, z].map(f64::from));
                if contains(&mesh, &at) {
                    points.push(at);
                }
            }
        }
    }
    if points.is_empty() {
        let name = body.name.clone();
        return Err(ImplicitError::Empty { name, radius_m }.into());
    }
    Ok((points, volume_m3))
}

/// Returns the volume of a closed, consistently oriented mesh, m³; 0 for any other mesh.
fn volume(mesh: &TriMesh) -> f64 {
    let report = hapticd_geometry::MeshReport::of(mesh, &hapticd_geometry::Adjacency::new(mesh));
    if report.closed && report.oriented {
        report.signed_volume_m3
    } else {
        0.0
    }
}

/// Returns the indices of the spheres that never move.
fn pinned(pinned: config::Pinned, points: &[Vec3], radius_m: f64) -> Vec<usize> {
    match pinned {
        config::Pinned::Bottom => {
            let low = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
            let held = points.iter().enumerate();
            let held = held.filter(|(_, p)| p.z <= low + 0.5 * radius_m);
            held.map(|(i, _)| i).collect()
        }
        // Two spheres also fix the direction of an end.
        config::Pinned::Ends => {
            let count = points.len();
            let mut ends = vec![0, 1, count.saturating_sub(2), count.saturating_sub(1)];
            ends.retain(|i| *i < count);
            ends.sort_unstable();
            ends.dedup();
            ends
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
