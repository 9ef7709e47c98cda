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

pub use hapticd_choices::BroadPhaseKind;
use hapticd_geometry::{BroadPhase, SweepAndPrune};

pub use kinetic::KineticSweep;
pub use registration::RegistrationPhase;

/// Creates a broad phase of this kind.
#[must_use]
pub fn broad_phase(kind: BroadPhaseKind) -> Box<dyn BroadPhase> {
    match kind {
        BroadPhaseKind::Sweep => Box::new(SweepAndPrune::default()),
        BroadPhaseKind::Kinetic => Box::new(KineticSweep::default()),
        BroadPhaseKind::Registration => Box::new(RegistrationPhase::default()),
    }
}
