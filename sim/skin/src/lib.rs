//! Skins: implicit surfaces around skeletons, for bodies that deform, merge and part (Triquet
//! 2001).
//!
//! Every [`Primitive`] of a skeleton radiates a potential that falls with distance; the surface is
//! where their sum is the level. Inside it is above. Such surfaces blend where they meet, and
//! change their topology by themselves.
//!
//! * [`kernel`] is how a potential falls, [`primitive`] what it falls from, with gradients.
//! * [`Skin`] makes a [`Mesh`] of primitives in a [`Domain`]; [`Tracker`] does the same by the
//!   source's own way.
//! * A [`Polygonizer`] is somebody else who makes meshes, of which [`Skin::adopt`] takes
//!   possession.
//! * A [`Grid`] is a potential of samples, alone or one more term.
//! * [`blend`] says which primitives may blend, and what those do that may not.
//! * [`Checker`] looks at every mesh for what must not be.
//! * [`quality`] says how fine a skin can be for what it may cost.
//! * [`table`] is what Marching Cubes makes of a cube, such that the mesh closes.
//!
//! No I/O, no clocks, no threads of its own. Deterministic.
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
