//! Room for what a step of the narrow phase finds, before it is found (Lehericey 2016, chapter 3,
//! section 1.3).
//!
//! List by list equation 3.1, with the pairs that fill it: those to be traced in full for the tree
//! and the basic algorithm, those to be walked on for the walk, all for contacts. Where nothing is
//! known, and after a step that ran short, there is room for the worst case, which the plan tells;
//! never more than the adapter binds.

use hapticd_rays::layout::{Contact, Object};
use hapticd_rays::{Plan, Predicted, Predictor};

use crate::hits::Hits;
use crate::narrow::{Found, Narrow};
use crate::traces::{LISTS, TRACES};

/// Room beyond what equation 3.1 says: pairs differ in how many points they have in reach.
const CONFIDENCE: f64 = 1.5;

/// Least room if nothing else is asked for: where few pairs fill a list the equation is no guide.
/// Rays, of which it takes 3 MiB, are never read back; contacts are, 256 KiB of each list.
const MIN_CAPACITY: [usize; 2] = [1 << 16, 1 << 12];

/// What a plan may fill the lists with: rays for the tree, the basic algorithm and the walk,
/// contacts, and what is near.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Pairs that fill each list.
    pub pairs: [usize; LISTS],
    /// Most rays of each.
    pub worst: [usize; TRACES],
}

impl Demand {
    /// Of a plan for these objects, which `narrow` has. `by_basic`: trees are not used.
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

/// See the module page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rooms {
    pub predicted: [Predicted; LISTS],
    /// Of a list of rays and of one of contacts, unless the worst case is less.
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
    /// Room in each list, for a scene with that many records.
    pub fn predict(
        &mut self,
        demand: &Demand,
        records: usize,
        most_bytes: usize,
    ) -> [usize; LISTS] {
        // One buffer holds the three lists of rays, another those of contacts.
        let bytes = [size_of::<Hits>() * TRACES, size_of::<Contact>() * 2];
        let with = Predictor::ByPairs {
            confidence: CONFIDENCE,
        };
        let mut room = [0; LISTS];
        for k in 0..LISTS {
            let of = usize::from(k >= TRACES);
            // Every ray has an answer on either side, and every point two places.
            let worst = match demand.worst.get(k) {
                Some(&rays) => rays,
                None => records.min(2 * room[..TRACES].iter().sum::<usize>()),
            };
            let guess = self.predicted[k].predict(with, demand.pairs[k], worst);
            room[k] = (guess.max(self.least[of].min(worst))).min(most_bytes / bytes[of]);
        }
        room
    }

    /// What a step with that room found, which worked on so many pairs.
    pub fn learn(&mut self, found: &Found, room: &[usize; LISTS], pairs: &[usize; LISTS]) {
        for (k, predicted) in self.predicted.iter_mut().enumerate() {
            predicted.learn_late(room[k], found.wanted[k] as usize, pairs[k]);
        }
        if found.overflow {
            // Contacts that lacked rays are no guide to how many there are.
            self.predicted = self.predicted.map(Predicted::forgetting);
        }
    }

    /// Another scene: nothing is known of it.
    pub fn forget(&mut self) {
        self.predicted = Default::default();
    }
}
