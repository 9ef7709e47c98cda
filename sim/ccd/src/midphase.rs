//! Interface of an external mid-phase: a source of the triangle pairs of two meshes that may be
//! within reach, queried ahead of time.
//!
//! [`crate::Proximity::query`] finds these pairs with the CPU's own hierarchies. A [`MidPhase`]
//! receives many pairs of meshes at once, before the exact tests. Its candidates go through
//! [`crate::Proximity::query_among`], which gives the same answer to the bit. It may decline or
//! fail at any time: the caller then uses the CPU and has lost only time.
//!
//! An implementation belongs to the querying thread. It may wait, but not forever.

use std::fmt::Debug;
use std::sync::Arc;

use hapticd_geometry::Pose;

use crate::index::MeshIndex;

/// One query: which triangles of `a` may be within `reach_m` of which triangles of `b`.
#[derive(Clone, Copy, Debug)]
pub struct MidPhaseQuery<'a> {
    /// First mesh.
    pub a: &'a Arc<MeshIndex>,
    /// Second mesh.
    pub b: &'a Arc<MeshIndex>,
    /// Takes coordinates of `a` to those of `b`, m.
    pub b_from_a: Pose,
    /// Reach including all radii, m.
    pub reach_m: f64,
}

/// Outcomes of the queries so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MidPhaseStats {
    /// Queries sent.
    pub sent: u64,
    /// Queries sent that were answered in time and in full.
    pub answered: u64,
    /// Queries with more candidates than capacity.
    pub short: u64,
    /// Queries that had no answer yet when it was needed.
    pub late: u64,
    /// Queries not sent, or sent in vain: numbers out of range, no memory, shapes not ready yet.
    pub refused: u64,
    /// Candidates in the last answer that was used.
    pub candidates: u64,
    /// Time to compute the last answer on the device, ns; `None` without a clock there.
    pub gpu_ns: Option<f64>,
    /// Why the mid-phase was given up; empty if it was not.
    pub given_up: String,
}

/// A mid-phase; see the module page.
pub trait MidPhase: Debug + Send {
    /// Prepares a shape, so that the first query about it is not late. Allocates, and takes long
    /// unless another thread does the work; until that is done, queries are declined. Ignores point
    /// shapes.
    fn prepare(&mut self, shape: &Arc<MeshIndex>);

    /// Sends all queries at once and forgets earlier ones.
    fn ask(&mut self, asks: &mut dyn Iterator<Item = MidPhaseQuery<'_>>);

    /// Returns all pairs of triangles that may be within reach for query number `ask` of the last
    /// batch, each pair once, in any order. `None` means that the CPU must find them.
    fn candidates(&mut self, ask: usize) -> Option<&[[u32; 2]]>;

    /// Outcomes of the queries so far.
    fn facts(&self) -> &MidPhaseStats;
}
