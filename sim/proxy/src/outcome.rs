//! What one tick did with one arm, for whoever reports it.
//!
//! Plain data of fixed size: made, filled and copied without allocation. World frame, SI units.

use hapticd_geometry::{Pose, Vec3};

use crate::coupling::{SpringEnergy, Wrench};
use crate::guide::Insertion;
use crate::snapshot::MidPhaseShare;
use crate::soft::Finder;

/// Most slide-and-retry rounds in a tick.
pub const MAX_SUBSTEPS: usize = 4;
/// Most contacts reported per tick; the nearest are taken.
pub const MAX_CONTACTS: usize = 32;

/// One reported contact.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    /// On the body's surface, world frame, m.
    pub point: Vec3,
    /// Unit, from the body to the tool.
    pub normal: Vec3,
    /// Surface to surface, m.
    pub gap_m: f64,
    /// Client-visible id of the body.
    pub body: u32,
    /// Whether the contact held the tool back in this tick.
    pub active: bool,
}

impl Contact {
    pub(crate) const NONE: Contact = Contact {
        point: Vec3::new(0.0, 0.0, 0.0),
        normal: Vec3::new(0.0, 0.0, 0.0),
        gap_m: 0.0,
        body: 0,
        active: false,
    };
}

/// The coupling's spring after a tick, for a ledger of its energy.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringState {
    /// Where the far end of the spring is, as the hand feels it, world: the proxy, but where a
    /// certificate alone held that back.
    pub far_end: Pose,
    /// The point of the tool that the spring is fixed to, tool frame, m.
    pub centre: Vec3,
    /// What it has stored.
    pub energy: SpringEnergy,
    /// What holds the tool can put energy into the spring: it moves, bends, or has a mass of its
    /// own.
    pub held_by_movers: bool,
}

/// What one tick did with one arm.
#[derive(Clone, Copy, Debug)]
pub struct ArmOutcome {
    /// False: the arm gave no pose and nothing was done.
    pub present: bool,
    /// Where the tool is now.
    pub proxy: Pose,
    /// The coupling's wrench on the device, world axes, before the safety governor.
    pub wrench: Wrench,
    /// The spring that it comes from.
    pub spring: SpringState,
    /// The certificate, the pair budget or the step cap held the tool back.
    pub starved: bool,
    /// Contacts of this tick, `..contact_count`, nearest first.
    pub contacts: [Contact; MAX_CONTACTS],
    /// How many.
    pub contact_count: usize,
    /// Ticks since the reference poses of the snapshot in use; `u64::MAX` without one.
    pub snapshot_age: u64,
    /// Sequence of the snapshot in use.
    pub snapshot_sequence: u64,
    /// What a mid-phase did for that snapshot.
    pub midphase: MidPhaseShare,
    /// Pairs that were evaluated, over all substeps.
    pub pairs_tested: u32,
    /// Rows of the largest projection.
    pub rows: u32,
    /// Slide-and-retry rounds.
    pub substeps: u32,
    /// Where the tool was after each move of this tick, `..path_len`: with the previous tick's
    /// proxy the corners of its path, joined by constant-speed screws of less than half a turn. A
    /// sphere also turns in place, with the hand, before it moves: its centre goes straight from
    /// corner to corner.
    pub path: [Pose; MAX_SUBSTEPS],
    /// How many.
    pub path_len: usize,
    /// Bodies by slot that are solid to the tool.
    pub solid: u64,
    /// Bodies by slot that the tool is inside of, or overlaps, by the newest answer: they are not
    /// solid to it, and exert nothing until it has moved out.
    pub inside: u64,
    /// Ticks since the soft surfaces were where the answer in use says; `u64::MAX` without one.
    pub soft_age: u64,
    /// By how many ticks that is more than four steps of the soft bodies take: late, not just slow.
    pub soft_late: u64,
    /// Sequence of that answer; 0 without one.
    pub soft_sequence: u64,
    /// Who found the contacts of that answer.
    pub soft_finder: Finder,
    /// Points that it tracks.
    pub tracked: u32,
    /// Tangent planes of soft surfaces that were near enough to count.
    pub soft_rows: u32,
    /// What the needle at the tool did; [`Phase::None`](crate::Phase::None) where there is none.
    pub insertion: Insertion,
}

impl ArmOutcome {
    /// Of an arm that gave no pose.
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
        }
    }
}

impl ArmOutcome {
    /// Notes a corner of the path.
    pub fn walked(&mut self, to: &Pose) {
        if let Some(corner) = self.path.get_mut(self.path_len) {
            *corner = *to;
            self.path_len += 1;
        }
    }
}
