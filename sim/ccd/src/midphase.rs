//! Who names, of two meshes, the pairs of triangles that may be within reach: the CPU's own
//! hierarchies, or somebody who is asked ahead.
//!
//! [`crate::Proximity::query`] finds them by itself. A [`MidPhase`] is asked about many pairs of
//! meshes at once, before the exact tests; what it names goes through
//! [`crate::Proximity::query_among`], which gives the same answer to the bit. It may decline or
//! fail at any time: whoever asks then lets the CPU do it, and has lost time only.
//!
//! Implementations belong to the thread that asks. They may wait, but not for ever.

use std::fmt::Debug;
use std::sync::Arc;

use hapticd_geometry::Pose;

use crate::index::MeshIndex;

/// One question: which triangles of `a` may be within `reach_m` of which of `b`.
#[derive(Clone, Copy, Debug)]
pub struct MidPhaseQuery<'a> {
    /// One mesh.
    pub a: &'a Arc<MeshIndex>,
    /// The other.
    pub b: &'a Arc<MeshIndex>,
    /// Takes coordinates of `a` to those of `b`, m.
    pub b_from_a: Pose,
    /// m, with all radii.
    pub reach_m: f64,
}

/// What became of the questions so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MidPhaseStats {
    /// Questions that were sent.
    pub sent: u64,
    /// Of those: answered in time and in full.
    pub answered: u64,
    /// There were more candidates than room.
    pub short: u64,
    /// The answer had not come when it was needed.
    pub late: u64,
    /// Not sent, or sent in vain: numbers out of range, no memory, shapes not ready yet.
    pub refused: u64,
    /// Candidates in the last answer that was used.
    pub candidates: u64,
    /// Time that the last answer took where it was computed, ns; `None` where there is no clock.
    pub gpu_ns: Option<f64>,
    /// Why it was given up; empty: it was not.
    pub given_up: String,
}

/// See the module page.
pub trait MidPhase: Debug + Send {
    /// Gets a shape ready, so that the first question about it is not late. Allocates, and takes
    /// long unless another thread does it; until that has, questions are declined. Points are of no
    /// interest.
    fn prepare(&mut self, shape: &Arc<MeshIndex>);

    /// Asks, all at once; what was asked before is forgotten.
    fn ask(&mut self, asks: &mut dyn Iterator<Item = MidPhaseQuery<'_>>);

    /// All pairs of triangles that may be within reach, of the question with that number among
    /// those asked last: each pair once, in any order. `None`: the CPU is to find them.
    fn candidates(&mut self, ask: usize) -> Option<&[[u32; 2]]>;

    /// What became of the questions so far.
    fn facts(&self) -> &MidPhaseStats;
}
