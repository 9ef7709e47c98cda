//! Predicted capacities for a step of the narrow phase (Lehericey 2016, chapter 3, section 1.3).
//!
//! Applies equation 3.1 to each list, with the pairs that fill it: pairs traced in full for the
//! tree and the basic algorithm, pairs that walk on for the walk, all pairs for contacts. Without
//! knowledge, and after a step that overflowed, the capacity is the worst case of the plan. It
//! never exceeds what the adapter binds.

use hapticd_rays::layout::{Contact, Object};
use hapticd_rays::{Plan, Predicted, Predictor};

use crate::hits::Hits;
use crate::narrow::{Found, Narrow};
use crate::traces::{LISTS, TRACES};

/// Factor on equation 3.1, since pairs differ in the number of points in reach.
const CONFIDENCE: f64 = 1.5;

/// Default minimum capacities of rays and of contacts: with few pairs in a list the equation is no
/// guide. Rays take 3 MiB and are never read back; contacts are, 256 KiB for each list.
const MIN_CAPACITY: [usize; 2] = [1 << 16, 1 << 12];

/// Upper bounds on what a plan puts into the lists: rays for the tree, the basic algorithm and the
/// walk, contacts, and near points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Number of pairs that fill each list.
    pub pairs: [usize; LISTS],
    /// Worst-case number of rays of each list.
    pub worst: [usize; TRACES],
}

impl Demand {
    /// Computes the demand of a plan for these objects, which `narrow` must have. With `by_basic`,
    /// trees are not used.
    #[must_use]
    pub fn new(plan: &Plan, objects: &[Object], narrow: &Narrow, by_basic: bool) -> Self {
        let ([mut full, mut low], [mut tree, mut basic, mut walk]) = ([0; 2], [0; TRACES]);
        for pair in plan.rigid() {
            let points = objects[pair.source as usize].points as usize;
            if pair.full {
                full += 1;
                tree += points;
            } else {
                low += 1;
                walk += 2 * points;
            }
        }
        for run in plan.runs() {
            let points = narrow.cluster_points(&objects[run.source as usize], run.from);
            let near = &plan.near()[run.first as usize..][..run.count as usize];
            let high = near.iter().filter(|near| near.full).count();
            full += high;
            low += near.len() - high;
            let deforms = objects[run.target as usize].nodes == 0;
            if deforms || by_basic {
                basic += points * high;
            } else if high > 0 {
                tree += points;
            }
            walk += if high < near.len() { 2 * points } else { 0 };
        }
        if by_basic {
            (basic, tree) = (basic + tree, 0);
        }
        Self {
            pairs: [full, full, low, full + low, full + low],
            worst: [tree, basic, walk],
        }
    }
}

/// Predictor of the capacities. See the module page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rooms {
    pub predicted: [Predicted; LISTS],
    /// Minimum capacities of a list of rays and of one of contacts, unless the worst case is less.
    pub least: [usize; 2],
}

impl Default for Rooms {
    fn default() -> Self {
        Self {
            predicted: [Predicted::default(); LISTS],
            least: MIN_CAPACITY,
        }
    }
}

impl Rooms {
    /// Predicts the capacity of each list, for a scene with that many records.
    pub fn predict(
        &mut self,
        demand: &Demand,
        records: usize,
        most_bytes: usize,
    ) -> [usize; LISTS] {
        // One buffer holds the three lists of rays, another the two of contacts.
        let bytes = [size_of::<Hits>() * TRACES, size_of::<Contact>() * 2];
        let with = Predictor::ByPairs {
            confidence: CONFIDENCE,
        };
        let mut room = [0; LISTS];
        for k in 0..LISTS {
            let of = usize::from(k >= TRACES);
            // Every ray has one result on either side, and every point has two places.
            let worst = match demand.worst.get(k) {
                Some(&rays) => rays,
                None => records.min(2 * room[..TRACES].iter().sum::<usize>()),
            };
            let guess = self.predicted[k].predict(with, demand.pairs[k], worst);
            room[k] = (guess.max(self.least[of].min(worst))).min(most_bytes / bytes[of]);
        }
        room
    }

    /// Learns from the results of a step with these capacities and numbers of pairs.
    pub fn learn(&mut self, found: &Found, room: &[usize; LISTS], pairs: &[usize; LISTS]) {
        for (k, predicted) in self.predicted.iter_mut().enumerate() {
            predicted.learn_late(room[k], found.wanted[k] as usize, pairs[k]);
        }
        if found.overflow {
            // Counts of contacts are unreliable if rays were lost.
            self.predicted = self.predicted.map(Predicted::forgetting);
        }
    }

    /// Discards all knowledge, for another scene.
    pub fn forget(&mut self) {
        self.predicted = Default::default();
    }
}
