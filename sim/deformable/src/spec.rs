//! Specification of a soft solid, a cloth or a crowd, and why one is refused.

use std::collections::HashMap;

use crate::world::AddError;
use hapticd_geometry::{MassError, MeshError, Pose, TriMesh, Vec3};
use hapticd_proxy::Material;
use hapticd_xpbd::{ClothMaterial, SettingsError, SoftMaterial};

use super::implicit::ImplicitAddError;

/// Largest number of bodies of a soft scene, counting each of a crowd: the loop numbers them in a
/// byte.
pub const MAX_BODIES: usize = 255;

/// Kind of a soft body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeformableKind {
    /// A deformable solid.
    Soft,
    /// A sheet.
    Cloth,
    /// A rigid body of a crowd.
    Crowd,
}

/// Substance of a soft body.
#[derive(Clone, Debug, PartialEq)]
pub enum Substance {
    /// A deformable solid.
    Soft {
        /// Number of boxes of tetrahedra along its longest side.
        cells: u32,
        /// Material of the solid.
        material: SoftMaterial,
    },
    /// A sheet.
    Cloth {
        /// Material of the cloth.
        material: ClothMaterial,
    },
    /// Copies of a free rigid body.
    Crowd {
        /// Density, kg/m³.
        density_kg_m3: f64,
        /// Initial pose of each copy.
        world_from_mesh: Vec<Pose>,
    },
}

/// Which points of a body never move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pinned {
    /// None.
    None,
    /// The lowest layer, in the world.
    Bottom,
    /// Corners of a sheet's border.
    Corners,
    /// Whole border of a sheet.
    Border,
}

/// A soft body to add.
#[derive(Clone, Debug)]
pub struct DeformableSpec {
    /// Name for people.
    pub name: String,
    /// Identity visible to clients, not used by any body of the rigid scene. The bodies of a crowd
    /// are numbered from here.
    pub id: u32,
    /// Initial mesh, at rest, in the world; for a crowd in the frame of the copies.
    pub mesh: TriMesh,
    /// Substance of the body.
    pub substance: Substance,
    /// Which points never move.
    pub pinned: Pinned,
    /// Haptic material.
    pub surface: Material,
}

impl DeformableSpec {
    /// Kind of the body.
    #[must_use]
    pub fn kind(&self) -> DeformableKind {
        match self.substance {
            Substance::Soft { .. } => DeformableKind::Soft,
            Substance::Cloth { .. } => DeformableKind::Cloth,
            Substance::Crowd { .. } => DeformableKind::Crowd,
        }
    }

    /// Number of bodies that it adds.
    #[must_use]
    pub fn count(&self) -> usize {
        match &self.substance {
            Substance::Crowd {
                world_from_mesh, ..
            } => world_from_mesh.len(),
            _ => 1,
        }
    }
}

/// Why a soft scene could not be made. The caller is at fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DeformableAddError {
    /// A value of the settings is invalid.
    #[error("soft bodies: {0}")]
    Settings(#[from] SettingsError),
    /// A body was refused.
    #[error("`{name}`: {why}")]
    Body {
        /// Name of the body.
        name: String,
        /// Reason.
        why: AddError,
    },
    /// An implicit body was refused.
    #[error(transparent)]
    Implicit(#[from] ImplicitAddError),
    /// The ball of an arm is invalid.
    #[error("the ball of arm {arm}, radius {radius_m} m: {why}")]
    Ball {
        /// Index of the arm.
        arm: usize,
        /// Radius of the ball, m.
        radius_m: f64,
        /// Reason.
        why: MeshError,
    },
    /// A body of a crowd has no mass.
    #[error("`{name}`: {why}")]
    Mass {
        /// Name of the crowd.
        name: String,
        /// Reason.
        why: MassError,
    },
    /// There are more bodies than the loop can number.
    #[error(
        "{count} soft bodies, cloths, bodies of crowds and implicit ones; there can be {MAX_BODIES}"
    )]
    TooMany {
        /// Number of bodies.
        count: usize,
    },
    /// The pins would hold the whole body, pins for a sheet were requested for a solid or match no
    /// point, or pins were requested for a crowd.
    #[error("`{name}`: {pinned:?} pins {count} of {of} particles")]
    Pins {
        /// Name of the body.
        name: String,
        /// Requested pins.
        pinned: Pinned,
        /// Number of pinned particles.
        count: usize,
        /// Number of particles.
        of: usize,
    },
}

/// Fraction of the height of a body that counts as its lowest layer.
const LAYER: f64 = 0.02;

/// Returns the particles that are pinned. `particles` are their positions at rest; for a cloth they
/// are the points of `mesh`.
pub(super) fn pins(pinned: Pinned, mesh: &TriMesh, particles: &[Vec3]) -> Vec<usize> {
    match pinned {
        Pinned::None => Vec::new(),
        Pinned::Bottom => {
            let heights = particles.iter().map(|p| p.z);
            let low = heights.clone().fold(f64::INFINITY, f64::min);
            let high = heights.clone().fold(f64::NEG_INFINITY, f64::max);
            let layer = low + LAYER * (high - low);
            let held = heights.enumerate().filter(|(_, z)| *z <= layer);
            held.map(|(i, _)| i).collect()
        }
        Pinned::Border => border(mesh).into_iter().map(|(p, ..)| p).collect(),
        Pinned::Corners => {
            let x = mesh.positions();
            let turns = |(p, before, after): (usize, usize, usize)| {
                let [a, b] = [x[p] - x[before], x[after] - x[p]];
                // A border that turns by less than 45 degrees has no corner.
                (a.dot(&b) < 0.7 * a.norm() * b.norm()).then_some(p)
            };
            border(mesh).into_iter().filter_map(turns).collect()
        }
    }
}

/// Returns the points of a mesh's borders, in order, each with the previous and next ones.
fn border(mesh: &TriMesh) -> Vec<(usize, usize, usize)> {
    let mut edges: HashMap<(u32, u32), bool> = HashMap::new();
    let mut list = Vec::new();
    for [a, b, c] in mesh.triangles() {
        for (i, j) in [(*a, *b), (*b, *c), (*c, *a)] {
            list.push((i, j));
            edges.insert((i, j), true);
        }
    }
    let open = list.iter().filter(|(i, j)| !edges.contains_key(&(*j, *i)));
    let next: HashMap<u32, u32> = open.clone().copied().collect();
    let before: HashMap<u32, u32> = open.map(|(i, j)| (*j, *i)).collect();
    let mut points: Vec<u32> = next.keys().copied().collect();
    points.sort_unstable();
    let whole = |p: &u32| {
        Some((
            *p as usize,
            *before.get(p)? as usize,
            *next.get(p)? as usize,
        ))
    };
    points.iter().filter_map(whole).collect()
}
