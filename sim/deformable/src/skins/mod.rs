//! From the state of an implicit body to a frame of its skin, and to what of it is felt at a tool.
//!
//! Both come from the same primitives: [`SkinState`] is what mechanics say of a body at the end of
//! a step. [`SkinMaker`] makes the mesh that people see (for the skin thread: takes milliseconds,
//! allocates while its memory grows, uses no clock), [`near`] takes the primitives around a tool
//! for the loop to evaluate ([`hapticd_proxy::ImplicitSurface`]). How far the two are apart is
//! measured in every frame ([`SkinMade::felt_m`]).

mod maker;
pub(crate) mod near_terms;

pub use maker::{LargeSkin, SkinBy, SkinMade, SkinMakeError, SkinMaker, SkinSpec};

use hapticd_geometry::Vec3;
pub use hapticd_skin::Polygonizer;
use hapticd_skin::Primitive;
use hapticd_skin::blend::Graph;

/// Who of a body's primitives blends with whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blending {
    /// All that come near.
    #[default]
    Free,
    /// Those that the mechanics allow; others press each other flat (Triquet 2001, section 4.2).
    Controlled,
    /// Those that the mechanics allow; others meet in a crease, and there is one surface, closed
    /// however tightly a body folds ([`hapticd_skin::blend::Cliques`]).
    Creased,
    /// As controlled; what is pressed also swells around the contact (section 4.3). Bulges are
    /// seen, and not felt.
    Bulging,
}

/// An implicit body at the end of a step.
#[derive(Clone, Debug, Default)]
pub struct SkinState {
    /// In the order of its spheres. World frame, m.
    pub primitives: Vec<Primitive>,
    /// Of the primitives, m/s.
    pub velocities: Vec<Vec3>,
    /// Who may blend, by the numbers of the primitives; of no meaning where all do, or where there
    /// are groups.
    pub graph: Graph,
    /// Of each primitive the group that it blends with, all of it: drops that hang together by
    /// others do. Empty where the graph says it.
    pub groups: Vec<u32>,
}

/// All implicit bodies of a scene at the end of a step, for the skin thread.
#[derive(Clone, Debug, Default)]
pub struct SkinStates {
    /// Tick of the loop that the step was of.
    pub tick: u64,
    /// In the order of the bodies.
    pub bodies: Vec<SkinState>,
}
