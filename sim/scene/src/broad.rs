//! Broad phases: three that give the same result to the bit, and the choice among them.
//!
//! [`BroadPhaseKind::Sweep`] visits all boxes again, in an order that it keeps.
//! [`BroadPhaseKind::Kinetic`] keeps the orders on all three axes and the pairs, and pays for each
//! exchange of bounds. [`BroadPhaseKind::Registration`] keeps a map of space with, in each cell, a
//! list of the boxes in and around it. It pays for each change of cell.
//!
//! All of them list exactly the pairs of [`SweptBox::meets`](hapticd_geometry::SweptBox::meets), so
//! contacts, forces and recordings do not depend on the choice; only the time does.

mod kinetic;
mod registration;

use hapticd_geometry::{BroadPhase, SweepAndPrune};

pub use kinetic::KineticSweep;
pub use registration::RegistrationPhase;

/// Selects a broad phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BroadPhaseKind {
    /// [`SweepAndPrune`].
    #[default]
    Sweep,
    /// [`KineticSweep`].
    Kinetic,
    /// [`RegistrationPhase`].
    Registration,
}

impl BroadPhaseKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Sweep, Self::Kinetic, Self::Registration];

    /// Name in the configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.make().name()
    }

    /// Creates a new instance.
    #[must_use]
    pub fn make(self) -> Box<dyn BroadPhase> {
        match self {
            Self::Sweep => Box::new(SweepAndPrune::default()),
            Self::Kinetic => Box::new(KineticSweep::default()),
            Self::Registration => Box::new(RegistrationPhase::default()),
        }
    }
}
