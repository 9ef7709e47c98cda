//! Number of certificates that involve a body: the measure that bounds the cost of a change of its
//! motion. The structure does not need it, so it is counted only on request.

use super::PseudoTriangulation;

impl PseudoTriangulation {
    /// Counts the corners that change when a body moves and all others stand still, and records the
    /// number: [`Stats::named`](crate::Stats::named).
    ///
    /// Visits each corner around the body once; does not allocate. Returns 0, and records nothing,
    /// if there is no such body, it does not take part, or the structure is not whole.
    pub fn count_certificates(&mut self, body: u32) -> u64 {
        if !self.is_whole() || !self.takes_part(body) {
            return 0;
        }
        let mut touched = std::mem::take(&mut self.scratch.touched);
        self.touch(body, &mut touched, true);
        let owner = |v: u32| self.state.polygons.owner[v as usize];
        // All three points of one body: a corner of its outline, which never changes.
        let changes = |h: &&u32| self.corner(**h).into_iter().any(|v| owner(v) != body);
        let count = touched.iter().filter(changes).count() as u64;
        self.scratch.touched = touched;
        self.state.stats.named(count);
        count
    }
}
