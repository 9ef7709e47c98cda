//! Lists of numbers in one array: the triangles at each point, the points of each cluster.

/// A number of lists; entries keep the order in which they were given.
#[derive(Clone, Debug)]
pub struct Lists {
    /// Start of each list in [`Lists::all`], and the total length at the end.
    pub first: Vec<u32>,
    /// Numbers, list by list.
    pub all: Vec<u32>,
}

impl Default for Lists {
    /// No lists.
    fn default() -> Lists {
        Lists {
            first: vec![0],
            all: Vec::new(),
        }
    }
}

impl Lists {
    /// Builds `count` lists from `(list, number)` entries.
    pub(crate) fn new(count: usize, entries: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let mut first = vec![0_u32; count + 1];
        for (list, _) in entries.clone() {
            first[list as usize + 1] += 1;
        }
        for i in 1..first.len() {
            first[i] += first[i - 1];
        }
        let mut fill = first.clone();
        let mut all = vec![0; first[count] as usize];
        for (list, number) in entries {
            all[fill[list as usize] as usize] = number;
            fill[list as usize] += 1;
        }
        Lists { first, all }
    }

    /// Number of lists.
    #[must_use]
    pub fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Whether there are no lists.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Entries of a list.
    ///
    /// # Panics
    /// If the list does not exist.
    #[must_use]
    pub fn of(&self, list: usize) -> &[u32] {
        &self.all[self.first[list] as usize..self.first[list + 1] as usize]
    }
}
