//! Guides: things fixed to a tool that limit in each tick how far it may follow the hand. A needle
//! in tissue is one.
//!
//! The guide comes before rigid contact. The tool aims for where its guide lets it go; the
//! projection and continuous detection then decide as usual; the guide is given the resulting pose.
//! So no guide can weaken the guarantee about rigid bodies. Plain data except for the trait.

use hapticd_geometry::{Pose, Vec3};

/// Number of the newest path nodes that an [`Insertion`] lists; more than become fixed in one tick.
pub const NEWEST: usize = 8;

/// State of a needle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Phase {
    /// There is no needle.
    #[default]
    None,
    /// Outside the tissue, or not known to have come from outside.
    Free,
    /// The tip dents the surface.
    Touching,
    /// In the tissue.
    Inserted,
}

/// What holds the tip of a needle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Held {
    /// Friction of the shaft and the cutting force.
    #[default]
    Friction,
    /// Surface of this layer, counted from the top.
    Layer(u32),
    /// Surface of this structure, which can be pierced.
    Membrane(u32),
    /// This structure, which cannot be pierced.
    Bone(u32),
    /// Side of the tissue.
    Border,
    /// Hub at the surface: all of the needle is in.
    Hub,
}

/// Outcome of a needle's tick, world frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Insertion {
    /// State of the needle.
    pub phase: Phase,
    /// Length of the tip's path in the tissue, m.
    pub depth_m: f64,
    /// Force of the tissue along the axis, N; positive pushes the needle out, negative holds it
    /// back.
    pub force_n: f64,
    /// Force across the axis, N.
    pub lateral_n: f64,
    /// Position of the tip, m.
    pub tip: Vec3,
    /// Surfaces pierced since the start.
    pub pierced: u32,
    /// Layer that the tip is in, from the top, from 0; 0 outside.
    pub layer: u32,
    /// What holds the tip.
    pub held: Held,
    /// Number of fixed nodes of the path, up to the tip.
    pub nodes: u32,
    /// Newest of these nodes, newest first, m.
    pub newest: [Vec3; NEWEST],
}

/// A guide fixed to a tool. See the module page. It runs on the real-time thread: no method may
/// allocate, lock or block, and each must be bounded.
pub trait Guide: Send {
    /// Notes that the tool was placed without a path.
    fn anchor(&mut self);

    /// Returns the pose that the tool may take instead of `wanted`. The stiffness, N/m, is that of
    /// the coupling that draws the tool. World frame.
    fn guide(&mut self, wanted: &Pose, stiffness_n_per_m: f64) -> Pose;

    /// Takes the pose of the tool at the end of the tick. World frame.
    fn went(&mut self, tool: &Pose);

    /// Returns the outcome of the tick.
    fn insertion(&self) -> Insertion;
}
