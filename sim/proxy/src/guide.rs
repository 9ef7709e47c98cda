//! What is fixed to a tool and says, tick by tick, how far the tool may follow the hand: a needle
//! in tissue.
//!
//! It comes before what is rigid: the tool wants to go where its guide lets it, the projection and
//! continuous detection then decide as ever, and the guide hears where the tool went. So whatever a
//! guide says, the promise about rigid bodies stays what it is. Plain data but for the trait.

use hapticd_geometry::{Pose, Vec3};

/// How many of the newest nodes of the way an [`Insertion`] tells: more than become fixed in one
/// tick.
pub const NEWEST: usize = 8;

/// How a needle is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// There is no needle.
    #[default]
    None,
    /// Outside the tissue, or not known to have come from there.
    Free,
    /// Its tip dents the surface.
    Touching,
    /// In the tissue.
    Inserted,
}

/// What holds the tip of a needle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Held {
    /// Friction of the shaft, and what cutting takes.
    #[default]
    Friction,
    /// The surface of this layer, counted from the top.
    Layer(u32),
    /// The surface of this structure, which can be pierced.
    Membrane(u32),
    /// This structure, which cannot.
    Bone(u32),
    /// The side of the tissue.
    Border,
    /// The hub is at the surface: all of the needle is in.
    Hub,
}

/// What a needle did in a tick. World frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Insertion {
    /// How it is.
    pub phase: Phase,
    /// Length of the way that its tip has gone in the tissue, m.
    pub depth_m: f64,
    /// Force of the tissue along the axis, N: positive pushes it out, negative holds it back.
    pub force_n: f64,
    /// Force across the axis, N.
    pub lateral_n: f64,
    /// Where the tip is, m.
    pub tip: Vec3,
    /// Surfaces pierced since the start.
    pub pierced: u32,
    /// What holds the tip.
    pub held: Held,
    /// Fixed ends of the pieces of the way up to the tip.
    pub nodes: u32,
    /// The last of them, newest first, m.
    pub newest: [Vec3; NEWEST],
}

/// See the module page. For the real-time thread: no method may allocate, lock or block, and each
/// is bounded.
pub trait Guide: Send {
    /// The tool was placed without a path.
    fn anchor(&mut self);

    /// From where the tool wants to be to where it may be; the stiffness, N/m, is that of the
    /// coupling that draws it. World frame.
    fn guide(&mut self, wanted: &Pose, stiffness_n_per_m: f64) -> Pose;

    /// Where the tool is at the end of the tick. World frame.
    fn went(&mut self, tool: &Pose);

    /// What came of it.
    fn insertion(&self) -> Insertion;
}
