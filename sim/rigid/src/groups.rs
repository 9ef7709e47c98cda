//! Contact groups: moving bodies that touch, directly or through each other. Bodies with prescribed
//! motion connect no groups.

/// Disjoint sets of slots. No allocation once grown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups {
    parent: Vec<u32>,
    refused: Vec<bool>,
}

impl Groups {
    pub fn start(&mut self, slots: usize) {
        self.parent.clear();
        self.parent.extend(0..slots as u32);
        self.refused.clear();
        self.refused.resize(slots, false);
    }

    /// Marks a group, given by its representative.
    pub fn refuse(&mut self, name: usize) {
        self.refused[name] = true;
    }

    pub fn is_refused(&self, name: usize) -> bool {
        self.refused[name]
    }

    /// Returns the representative of the group: its lowest slot, so that it does not depend on the
    /// order of joining.
    pub fn find(&mut self, slot: u32) -> u32 {
        let mut root = slot;
        while self.parent[root as usize] != root {
            root = self.parent[root as usize];
        }
        let mut at = slot;
        while self.parent[at as usize] != root {
            at = std::mem::replace(&mut self.parent[at as usize], root);
        }
        root
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_what_is_connected_and_named_after_the_lowest() {
        let mut groups = Groups::default();
        groups.start(7);
        for (a, b) in [(6, 4), (4, 2), (5, 1), (3, 5)] {
            groups.join(a, b);
        }
        let names: Vec<u32> = (0..7).map(|s| groups.find(s)).collect();
        assert_eq!(names, [0, 1, 2, 1, 2, 1, 2]);
    }
}
