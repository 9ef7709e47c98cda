//! From the state of an implicit body to a frame of its skin, and to the surface that a tool feels.
//!
//! Both use the same primitives: [`SkinState`] is the state of a body at the end of a mechanics
//! step. [`SkinMaker`] makes the visible mesh (for the skin thread: takes milliseconds, allocates
//! while its memory grows, uses no clock). [`NearTerms`](near_terms::NearTerms) collects the
//! primitives around a tool for the loop to evaluate ([`hapticd_proxy::ImplicitSurface`]). The
//! distance between the two is measured in every frame ([`SkinMade::felt_m`]).

mod maker;
pub(crate) mod near_terms;

pub use maker::{LargeSkin, SkinBy, SkinMade, SkinMakeError, SkinMaker, SkinSpec};

/// Which of a body's primitives blend with each other. `Controlled` is Triquet 2001, section 4.2,
/// `Bulging` section 4.3, and `Creased` needs [`hapticd_skin::blend::Cliques`].
pub use hapticd_choices::Blending;
use hapticd_geometry::Vec3;
pub use hapticd_skin::Polygonizer;
use hapticd_skin::Primitive;
use hapticd_skin::blend::Graph;

/// An implicit body at the end of a step.
#[derive(Clone, Debug, Default)]
pub struct SkinState {
    /// Primitives in the order of its spheres, world frame, m.
    pub primitives: Vec<Primitive>,
    /// Velocities of the primitives, m/s.
    pub velocities: Vec<Vec3>,
    /// Pairs that may blend, by indices of the primitives. Meaningless if all blend, or if there
    /// are groups.
    pub graph: Graph,
    /// For each primitive, the group with which it blends completely: drops connected through
    /// others form a group. Empty if the graph decides.
    pub groups: Vec<u32>,
}

/// All implicit bodies of a scene at the end of a step, for the skin thread.
#[derive(Clone, Debug, Default)]
pub struct SkinStates {
    /// Tick of the loop that the step was for.
    pub tick: u64,
    /// States in the order of the bodies.
    pub bodies: Vec<SkinState>,
}
