//! The rays of one step, by the algorithm that traces them.

use crate::layout::Ray;

/// Rays of one step: a dense list for each algorithm, in order of source, target and point.
#[derive(Clone, Debug, Default)]
pub struct Rays {
    /// Rays for the walk.
    pub walk: Vec<Ray>,
    /// Rays for the tree.
    pub tree: Vec<Ray>,
    /// Rays for the basic algorithm.
    pub basic: Vec<Ray>,
    /// Indices of the sleepers that woke; their walks are in `walk`.
    pub(crate) woken: Vec<u32>,
}

impl Rays {
    pub(crate) fn clear(&mut self) {
        self.walk.clear();
        self.tree.clear();
        self.basic.clear();
        self.woken.clear();
    }

    pub(crate) fn append(&mut self, other: &Rays) {
        self.walk.extend_from_slice(&other.walk);
        self.tree.extend_from_slice(&other.tree);
        self.basic.extend_from_slice(&other.basic);
        self.woken.extend_from_slice(&other.woken);
    }
}
