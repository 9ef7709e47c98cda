//! Statistics of the broad phase, for people and scripts: its results and its cost.
//!
//! Plain numbers; serialised off the real-time thread.

use hapticd_geometry::broad::{BroadWork, Upkeep};
use hapticd_planar::Measures;

/// Work of a broad phase since the daemon began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct BroadPhaseStats {
    /// Name, as in `[collision] broad_phase`.
    pub name: &'static str,
    /// Number of searches. 0: no bodies may touch, or all of them rest.
    pub searches: u64,
    /// Boxes queried, over all searches.
    pub boxes: u64,
    /// Pairs listed, over all searches.
    pub pairs: u64,
    /// Upkeep by kind of broad phase; `None` before the first search.
    pub upkeep: Option<UpkeepStats>,
}

/// Cost of keeping the stored structure valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum UpkeepStats {
    /// Sweep: an order along one axis.
    Sweep {
        /// Exchanges of neighbours.
        exchanges: u64,
        /// Number of complete sorts.
        sorts: u64,
    },
    /// Kinetic: the orders of all bounds, and the pairs.
    Kinetic {
        /// Certificates: pairs of neighbouring bounds in order.
        certificates: u64,
        /// Exchanges of neighbours: internal events.
        exchanges: u64,
        /// Pairs that began or ceased to overlap: external events.
        events: u64,
        /// Most certificates that name one box: twelve, for two neighbours of each of six bounds.
        certificates_per_box: u64,
        /// Certificates that an exchange changes: three.
        changes_per_exchange: u64,
        /// Number of complete sorts.
        sorts: u64,
    },
    /// Registration: points in the cells of a map.
    Registration {
        /// Points that moved.
        moved: u64,
        /// Moved points that ended in another cell.
        changed_cell: u64,
        /// Large boxes, which were compared with all others.
        large: u64,
        /// Maps built.
        maps: u64,
    },
}

impl BroadPhaseStats {
    /// Statistics of the broad phase of this name. `work` is `None` if it never existed.
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
    /// it could change is certified, so these are the certificates of that body.
    pub certificates_max: u64,
    /// Efficiency: events that changed only the structure.
    pub events_internal: u64,
    /// Efficiency: events that were contacts.
    pub events_external: u64,
    /// Locality: most certificates that name one body.
    pub certificates_per_body_max: u64,
    /// Responsiveness: most certificates that one event made or dropped.
    pub changes_per_event_max: u64,
    /// Number of rebuilds.
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
