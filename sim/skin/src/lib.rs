//! Skins: implicit surfaces around skeletons, for bodies that deform, merge and split (Triquet
//! 2001).
//!
//! Every [`Primitive`] of a skeleton radiates a potential that falls with distance. The surface is
//! the set of points where the sum of the potentials equals the level; inside, the sum is above it.
//! Such surfaces blend where they meet, and change topology without further effort.
//!
//! * [`kernel`]: how a potential falls with distance. [`primitive`]: the skeletons, with gradients.
//! * [`Skin`] polygonizes primitives in a [`Domain`] into a [`Mesh`]. [`Tracker`] does the same
//!   with the source's own algorithm.
//! * [`Polygonizer`]: an external mesher, such as a GPU. [`Skin::adopt`] takes over its meshes.
//! * [`Grid`]: a sampled potential, alone or as one more term of the sum.
//! * [`blend`]: which primitives may blend, and what happens between those that may not.
//! * [`Checker`] counts the defects of every mesh.
//! * [`quality`] chooses the cube size that a cost budget allows.
//! * [`table`]: the Marching Cubes table, built so that meshes close.
//!
//! No I/O, no clocks, no threads. Deterministic.
#![forbid(unsafe_code)]

pub mod blend;
mod check;
mod domain;
mod grid;
pub mod kernel;
mod lists;
mod mesh;
mod polygonizer;
pub mod primitive;
pub mod quality;
mod sample;
mod skin;
pub mod table;
mod tracked;

pub use check::{Check, Checker};
pub use domain::{Domain, DomainError, MAX_CELLS, MAX_PLACES};
pub use grid::{Grid, GridError, Inside, MAX_SAMPLES};
pub use kernel::{Kernel, KernelError};
pub use mesh::{Faults, Mesh};
pub use polygonizer::Polygonizer;
pub use primitive::{Primitive, PrimitiveError, Skeleton};
pub use skin::{
    AdoptError, Control, Lost, MAX_BRICKS, MAX_CLIQUES, MotionError, Report, Settings, Skin,
    SkinError, visible_radius_m,
};
pub use table::{Ambiguity, Table};
pub use tracked::{TrackReport, Tracker};
