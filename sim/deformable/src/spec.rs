//! What a soft body, a cloth or a crowd is made of, and why one is refused.

use std::collections::HashMap;

use crate::world::AddError;
use hapticd_geometry::{MassError, MeshError, Pose, TriMesh, Vec3};
use hapticd_proxy::Material;
use hapticd_xpbd::{ClothMaterial, SettingsError, SoftMaterial};

use super::implicit::ImplicitAddError;
use hapticd_scene::BroadPhaseKind;

/// How the scene is stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftSettings {
    /// Time of a step, ticks; at least 1.
    pub step_ticks: u64,
    /// Parts of a step.
    pub substeps: u32,
    /// m/s²
    pub gravity_m_s2: Vec3,
    /// The loop's, s.
    pub period_s: f64,
    /// Who finds which bodies may touch at all. Changes no answer.
    pub broad_phase: BroadPhaseKind,
}

/// Most bodies of a soft scene, each of a crowd counted: the loop numbers them in a byte.
pub const MAX_BODIES: usize = 255;

/// What a body of a soft scene is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SoftKind {
    /// A solid that gives way.
    Soft,
    /// A sheet.
    Cloth,
    /// A rigid one of a crowd.
    Crowd,
}

/// What yields.
#[derive(Clone, Debug, PartialEq)]
pub enum Substance {
    /// A solid.
    Soft {
        /// Boxes of tetrahedra along its longest side.
        cells: u32,
        /// What it is made of.
        material: SoftMaterial,
    },
    /// A sheet.
    Cloth {
        /// What it is made of.
        material: ClothMaterial,
    },
    /// Copies of a rigid body that nothing holds: they move as a whole.
    Crowd {
        /// kg/m³
        density_kg_m3: f64,
        /// Where each of them starts.
        world_from_mesh: Vec<Pose>,
    },
}

/// Which points of it never move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pinned {
    /// None.
    None,
    /// The lowest layer, in the world.
    Bottom,
    /// Of a sheet: where its border turns.
    Corners,
    /// Of a sheet: its whole border.
    Border,
}

/// A soft body or cloth to add.
#[derive(Clone, Debug)]
pub struct SoftSpec {
    /// For people.
    pub name: String,
    /// Client-visible identity, no body's of the rigid scene. Those of a crowd count on from here.
    pub id: u32,
    /// Where it starts, at rest, in the world; of a crowd in its own frame.
    pub mesh: TriMesh,
    /// What it is.
    pub substance: Substance,
    /// What holds it.
    pub pinned: Pinned,
    /// How it feels.
    pub surface: Material,
}

impl SoftSpec {
    /// What it is.
    #[must_use]
    pub fn kind(&self) -> SoftKind {
        match self.substance {
            Substance::Soft { .. } => SoftKind::Soft,
            Substance::Cloth { .. } => SoftKind::Cloth,
            Substance::Crowd { .. } => SoftKind::Crowd,
        }
    }

    /// How many bodies it is.
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

/// Why a soft scene could not be made. The caller's fault.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SoftAddError {
    /// A number of the settings.
    #[error("soft bodies: {0}")]
    Settings(#[from] SettingsError),
    /// A body.
    #[error("`{name}`: {why}")]
    Body {
        /// Whose.
        name: String,
        /// Why.
        why: AddError,
    },
    /// An implicit body.
    #[error(transparent)]
    Implicit(#[from] ImplicitAddError),
    /// An arm's ball is none.
    #[error("the ball of arm {arm}, radius {radius_m} m: {why}")]
    Ball {
        /// Whose.
        arm: usize,
        /// Its radius, m.
        radius_m: f64,
        /// Why.
        why: MeshError,
    },
    /// A body of a crowd has no mass.
    #[error("`{name}`: {why}")]
    Mass {
        /// Whose.
        name: String,
        /// Why.
        why: MassError,
    },
    /// More bodies than the loop can number.
    #[error(
        "{count} soft bodies, cloths, bodies of crowds and implicit ones; there can be {MAX_BODIES}"
    )]
    TooMany {
        /// How many.
        count: usize,
    },
    /// The whole of it would be pinned, or a sheet's pins are asked of a solid, or any of a crowd.
    #[error("`{name}`: {pinned:?} pins {count} of {of} particles")]
    Pins {
        /// Whose.
        name: String,
        /// What was asked for.
        pinned: Pinned,
        /// How many that is.
        count: usize,
        /// And of how many.
        of: usize,
    },
}

/// Part of the height of a body that counts as its lowest layer.
const LAYER: f64 = 0.02;

/// The particles, at rest at `particles`, that a body is held by. A cloth's particles are the
/// points of `mesh`.
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
                // A border that goes on within 45 degrees is no corner.
                (a.dot(&b) < 0.7 * a.norm() * b.norm()).then_some(p)
            };
            border(mesh).into_iter().filter_map(turns).collect()
        }
    }
}

/// The points of a mesh's borders, in order, each with those before and after it.
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
