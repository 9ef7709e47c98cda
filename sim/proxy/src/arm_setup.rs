//! Set-up of one arm of the loop: its tool, its coupling, and the bounds of its work.

use crate::coupling::{Damping, Gains};
use crate::interaction::Interaction;
use crate::tool::{Distances, ToolShape};

/// Set-up of one arm.
#[derive(Clone, Copy, Debug)]
pub struct ArmSetup {
    /// Shape of the tool.
    pub shape: ToolShape,
    /// Distances of its contact.
    pub distances: Distances,
    /// Initial gains of the coupling.
    pub gains: Gains,
    /// Speed that the coupling damps.
    pub damping: Damping,
    /// How the tool follows the hand.
    pub interaction: Interaction,
    /// Most feature pairs that one pass over the candidates evaluates; a tick evaluates less than
    /// eight times as many.
    pub pair_budget: usize,
    /// Largest reach of a query, m.
    pub reach_max_m: f64,
    /// Smallest reach of a query, m.
    pub reach_min_m: f64,
}
