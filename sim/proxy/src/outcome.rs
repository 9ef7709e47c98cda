//! Outcome of one arm's tick, for reports.
//!
//! Plain data of fixed size: created, filled and copied without allocation. World frame, SI units.

use hapticd_geometry::{Pose, Vec3};

use crate::contact::{Contact, MAX_CONTACTS};
use crate::coupling::{SpringEnergy, Wrench};
use crate::guide::Insertion;
use crate::snapshot::MidPhaseShare;
use crate::soft::Finder;

/// Most slide-and-retry rounds in a tick.
pub const MAX_SUBSTEPS: usize = 4;
/// Shortest motion that is worth such a round, m.
pub const MIN_SUBSTEP_M: f64 = 1e-10;

/// Spring of the coupling after a tick, for its energy ledger.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringState {
    /// Far end of the spring as the hand feels it, world frame: the proxy, except where a
    /// certificate alone held the proxy back.
    pub far_end: Pose,
    /// Point of the tool that the spring is fixed to, tool frame, m.
    pub centre: Vec3,
    /// Stored energy.
    pub energy: SpringEnergy,
    /// True if what holds the tool can put energy into the spring: it moves, bends, or has mass.
    pub held_by_movers: bool,
}

/// Outcome of one arm's tick.
#[derive(Clone, Copy, Debug)]
pub struct ArmOutcome {
    /// False if the arm gave no pose and nothing was done.
    pub present: bool,
    /// Pose of the proxy, `world_from_tool`.
    pub proxy: Pose,
    /// Wrench of the coupling on the device, world axes, before the safety governor.
    pub wrench: Wrench,
    /// Spring that the wrench comes from.
    pub spring: SpringState,
    /// True if the certificate, the pair budget or the step cap held the tool back.
    pub starved: bool,
    /// Contacts of this tick, `..contact_count`, nearest first.
    pub contacts: [Contact; MAX_CONTACTS],
    /// Number of contacts.
    pub contact_count: usize,
    /// Ticks since the reference poses of the snapshot in use; `u64::MAX` without one.
    pub snapshot_age: u64,
    /// Sequence number of the snapshot in use.
    pub snapshot_sequence: u64,
    /// Share of the mid-phase in that snapshot.
    pub midphase: MidPhaseShare,
    /// Pairs evaluated, over all substeps.
    pub pairs_tested: u32,
    /// Rows of the largest projection.
    pub rows: u32,
    /// Slide-and-retry rounds.
    pub substeps: u32,
    /// Pose of the tool after each move of this tick, `..path_len`. With the previous tick's proxy
    /// these are the corners of its path, joined by constant-speed screws of less than half a turn.
    /// A sphere also turns in place, with the hand, before it moves: its centre goes straight from
    /// corner to corner.
    pub path: [Pose; MAX_SUBSTEPS],
    /// Number of corners.
    pub path_len: usize,
    /// Bodies that are solid to the tool, one bit per slot.
    pub solid: u64,
    /// Bodies that the tool is inside of, or overlaps, by the newest answer, one bit per slot. They
    /// are not solid to it, and exert nothing until it has moved out.
    pub inside: u64,
    /// Ticks since the soft surfaces were where the answer in use has them; `u64::MAX` without one.
    pub soft_age: u64,
    /// Ticks by which that age exceeds four steps of the deformables: above 0 the answer is late,
    /// not just slow.
    pub soft_late: u64,
    /// Sequence number of that answer; 0 without one.
    pub soft_sequence: u64,
    /// Method that found the contacts of that answer.
    pub soft_finder: Finder,
    /// Points that the answer tracks.
    pub tracked: u32,
    /// Tangent planes of soft surfaces that were near enough to count.
    pub soft_rows: u32,
    /// Outcome of the needle at the tool; [`Phase::None`](crate::Phase::None) without one.
    pub insertion: Insertion,
    /// Client-visible identity of the body that the tool holds; 0: none.
    pub grasped: u32,
    /// Why the tool let go of a body since the last tick, or did not take one.
    pub let_go: Option<LetGo>,
}

/// Why a tool let go of what it held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetGo {
    /// It was told to.
    Ordered,
    /// The application that held it is gone, silent or out of focus.
    HolderGone,
    /// The body has gone.
    BodyGone,
    /// The body's client is silent, or out of focus.
    BodySilent,
    /// Applications are not served.
    ClientsUnserved,
    /// The arm was lost, or placed elsewhere.
    ArmLost,
    /// The body was caught: the hand pulled harder than the arm can, for too long.
    Stretched,
    /// There was nothing to take: the tool touches no dynamic body, or the one that was named is
    /// not dynamic, out of reach or too fast.
    NothingThere,
}

impl ArmOutcome {
    /// Creates the outcome of an arm that gave no pose.
    #[must_use]
    pub fn absent() -> ArmOutcome {
        ArmOutcome {
            present: false,
            proxy: Pose::identity(),
            wrench: Wrench::default(),
            spring: SpringState::default(),
            starved: false,
            contacts: [Contact::NONE; MAX_CONTACTS],
            contact_count: 0,
            snapshot_age: u64::MAX,
            snapshot_sequence: 0,
            midphase: MidPhaseShare::default(),
            pairs_tested: 0,
            rows: 0,
            substeps: 0,
            path: [Pose::identity(); MAX_SUBSTEPS],
            path_len: 0,
            solid: 0,
            inside: 0,
            soft_age: u64::MAX,
            soft_late: 0,
            soft_sequence: 0,
            soft_finder: Finder::default(),
            tracked: 0,
            soft_rows: 0,
            insertion: Insertion::default(),
            grasped: 0,
            let_go: None,
        }
    }
}

impl ArmOutcome {
    /// Appends a corner of the path.
    pub fn walked(&mut self, to: &Pose) {
        if let Some(corner) = self.path.get_mut(self.path_len) {
            *corner = *to;
            self.path_len += 1;
        }
    }
}
