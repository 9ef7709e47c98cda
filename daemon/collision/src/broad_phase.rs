//! Which bodies may touch at all, and what finding that out costs, for people and scripts.
//!
//! Plain numbers; serialised off the real-time thread.

use hapticd_geometry::broad::{BroadWork, Upkeep};
use hapticd_planar::Measures;

/// What a broad phase has done since the daemon began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct BroadPhaseStats {
    /// As `[collision] broad_phase` names it.
    pub name: &'static str,
    /// Times that it was asked. 0: there is nothing that may touch, or all of it rests.
    pub searches: u64,
    /// Boxes that it was asked about, in all searches together.
    pub boxes: u64,
    /// Pairs that it listed, in all searches together.
    pub pairs: u64,
    /// What it did for that, by its kind; `None` before the first search.
    pub upkeep: Option<UpkeepStats>,
}

/// What it costs to keep what is remembered true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UpkeepStats {
    /// An order along one axis.
    Sweep {
        /// Exchanges of neighbours.
        exchanges: u64,
        /// Times that it was sorted again.
        sorts: u64,
    },
    /// The orders of all bounds, and the pairs.
    Kinetic {
        /// Pairs of neighbouring bounds that are in order.
        certificates: u64,
        /// Exchanges of neighbours: internal events.
        exchanges: u64,
        /// Pairs that began or ceased to overlap: external events.
        events: u64,
        /// Most certificates that name one box: twelve, for two neighbours of each of six bounds.
        certificates_per_box: u64,
        /// Certificates that an exchange changes: three.
        changes_per_exchange: u64,
        /// Times that it was sorted again.
        sorts: u64,
    },
    /// Points in a map's cells.
    Registration {
        /// Points that had moved.
        moved: u64,
        /// Of those: ended in another cell.
        changed_cell: u64,
        /// Boxes that were compared with all.
        large: u64,
        /// Maps that were made.
        maps: u64,
    },
}

impl BroadPhaseStats {
    /// Of the one of this name. `work`: `None`, it was never there to be asked.
    pub fn of(name: &'static str, work: Option<BroadWork>) -> Self {
        let work = work.unwrap_or_default();
        let upkeep = match work.upkeep {
            Upkeep::Order { exchanges, sorts } => UpkeepStats::Sweep { exchanges, sorts },
            Upkeep::Kinetic {
                certificates,
                exchanges,
                events,
                sorts,
            } => UpkeepStats::Kinetic {
                certificates,
                exchanges,
                events,
                certificates_per_box: 12,
                changes_per_exchange: 3,
                sorts,
            },
            Upkeep::Registration {
                moved,
                changed_cell,
                large,
                maps,
            } => UpkeepStats::Registration {
                moved,
                changed_cell,
                large,
                maps,
            },
        };
        Self {
            name,
            searches: work.searches,
            boxes: work.boxes,
            pairs: work.pairs,
            upkeep: (work.searches > 0).then_some(upkeep),
        }
    }
}

/// The four measures of the kinetic structure of a planar scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PlanarStats {
    /// Compactness: most live certificates after an event. One body moves at a time, and only what
    /// it could change is certified: so these are its own.
    pub certificates_max: u64,
    /// Efficiency: events that changed bookkeeping only.
    pub events_internal: u64,
    /// And those that were contacts.
    pub events_external: u64,
    /// Locality: most certificates that name one body.
    pub certificates_per_body_max: u64,
    /// Responsiveness: most certificates that one event made or dropped.
    pub changes_per_event_max: u64,
    /// Times that it was rebuilt.
    pub builds: u64,
}

impl From<&Measures> for PlanarStats {
    fn from(m: &Measures) -> Self {
        Self {
            certificates_max: m.certificates_max,
            events_internal: m.events_internal,
            events_external: m.events_external,
            certificates_per_body_max: m.certificates_per_object_max,
            changes_per_event_max: m.changes_per_event_max,
            builds: m.rebuilds,
        }
    }
}
