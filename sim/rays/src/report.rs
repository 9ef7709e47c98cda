//! Statistics of a detection step.

/// Statistics of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Pairs of the broad phase, self pairs included.
    pub pairs: usize,
    /// Rigid pairs that moved little.
    pub rigid_low: usize,
    /// Rigid pairs that moved, or are new.
    pub rigid_high: usize,
    /// Pairs with a deformable.
    pub deformable: usize,
    /// Pairs of clusters near each other, both directions.
    pub cluster_pairs: usize,
    /// Pairs of clusters to be traced in full.
    pub cluster_pairs_high: usize,
    /// Rays for the walk.
    pub walks: usize,
    /// Triangles that the walks visited; 0 where that is not counted, as on a GPU.
    pub walked: u64,
    /// Walks that found nothing; 0 where that is not counted.
    pub lost: u64,
    /// Rays for the tree.
    pub tree: usize,
    /// Rays for the basic algorithm.
    pub basic: usize,
    /// Contacts.
    pub collisions: usize,
    /// Records that are predictions, excluding sleeping ones.
    pub predictions: usize,
    /// Sleeping predictions ([`Settings::awake_m`](crate::Settings::awake_m)).
    pub asleep: usize,
    /// Points of a sheet on the wrong side of another.
    pub inversions: u64,
    /// Sum of the lengths of the contacts' rays, m.
    pub length_m: f64,
}
