//! Who finds which boxes meet: three broad phases that answer the same to the bit, and the choice
//! among them.
//!
//! [`BroadPhaseKind::Sweep`] looks at all boxes again, in an order that it keeps.
//! [`BroadPhaseKind::Kinetic`] keeps the orders on all three axes and the pairs, and pays for what
//! passes what on the way. [`BroadPhaseKind::Registration`] keeps a map of space and in each of its
//! cells a list of what is in and around it, and pays for what goes from cell to cell.
//!
//! All of them list exactly the pairs of [`SweptBox::meets`](hapticd_geometry::SweptBox::meets), so
//! contacts, forces and recordings do not depend on the choice; what it changes is time.

mod kinetic;
mod registration;

use hapticd_geometry::{BroadPhase, SweepAndPrune};

pub use kinetic::KineticSweep;
pub use registration::RegistrationPhase;

/// A broad phase by name.
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
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Sweep, Self::Kinetic, Self::Registration];

    /// As the configuration names it.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.make().name()
    }

    /// A new one.
    #[must_use]
    pub fn make(self) -> Box<dyn BroadPhase> {
        match self {
            Self::Sweep => Box::new(SweepAndPrune::default()),
            Self::Kinetic => Box::new(KineticSweep::default()),
            Self::Registration => Box::new(RegistrationPhase::default()),
        }
    }
}
