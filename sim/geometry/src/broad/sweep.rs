//! Sweep and prune: sorts along the axis on which the boxes are spread most, then sweeps along it.

use super::{Aabb, BroadPhase, BroadWork, Extent, SweptBox, Upkeep, pairs_of_unbounded};
use crate::pose::Vec3;

/// Exchanges for each box after which insertion gives up and the list is sorted from scratch.
const MAX_EXCHANGES_PER_BOX: usize = 8;

/// Sorts along the axis on which the boxes are spread most, and sweeps along it.
///
/// Costs `O(n log n)` plus the pairs that overlap on that axis. The order is kept from call to call
/// and repaired by insertion (Baraff 1992), which is cheap while little changes.
#[derive(Clone, Debug, Default)]
pub struct SweepAndPrune {
    /// Order of the last call: all boxes, the bounded ones first.
    order: Vec<u32>,
    hulls: Vec<Aabb>,
    sorted: Vec<Entry>,
    unbounded: Vec<u32>,
    work: BroadWork,
    exchanges: u64,
    sorts: u64,
}

/// A box on the axis of the sweep.
#[derive(Clone, Copy, Debug)]
struct Entry {
    low: f64,
    high: f64,
    index: u32,
}

impl Entry {
    fn comes_before(&self, other: &Self) -> bool {
        self.low
            .total_cmp(&other.low)
            .then(self.index.cmp(&other.index))
            .is_lt()
    }
}

impl BroadPhase for SweepAndPrune {
    fn name(&self) -> &'static str {
        "sweep"
    }

    fn overlapping(&mut self, boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>) {
        pairs.clear();
        self.hulls.clear();
        self.unbounded.clear();
        for (i, b) in (0_u32..).zip(boxes) {
            self.hulls.push(match b.extent() {
                Extent::Bounded => b.hull(),
                Extent::Nowhere => Aabb::NOWHERE,
                Extent::Everywhere => {
                    self.unbounded.push(i);
                    Aabb::NOWHERE
                }
            });
        }
        self.sort();
        let bounded = self.sorted.iter().take_while(|e| e.low < f64::INFINITY);
        for (k, here) in bounded.enumerate() {
            let (own, hull) = (
                &boxes[here.index as usize],
                &self.hulls[here.index as usize],
            );
            let behind = self.sorted[k + 1..].iter();
            for other in behind.take_while(|e| e.low <= here.high) {
                let (i, j) = (here.index, other.index);
                if hull.overlaps(&self.hulls[j as usize]) && own.meets_bounded(&boxes[j as usize]) {
                    pairs.push((i.min(j), i.max(j)));
                }
            }
        }
        pairs_of_unbounded(&self.unbounded, boxes, pairs);
        pairs.sort_unstable();
        self.work.search(boxes.len(), pairs.len());
    }

    fn work(&self) -> BroadWork {
        let upkeep = Upkeep::Order {
            exchanges: self.exchanges,
            sorts: self.sorts,
        };
        BroadWork {
            upkeep,
            ..self.work
        }
    }

    fn boxed_clone(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}

impl SweepAndPrune {
    /// Rebuilds `sorted` from `hulls`. Empty boxes come last.
    fn sort(&mut self) {
        let axis = spread_axis(&self.hulls);
        if self.order.len() != self.hulls.len() {
            self.order.clear();
            self.order.extend(0..self.hulls.len() as u32);
        }
        let entry = |&index: &u32| {
            let hull = &self.hulls[index as usize];
            Entry {
                low: hull.low[axis],
                high: hull.high[axis],
                index,
            }
        };
        self.sorted.clear();
        self.sorted.extend(self.order.iter().map(entry));
        if let Some(exchanges) = insert(&mut self.sorted) {
            self.exchanges += exchanges as u64;
        } else {
            self.sorts += 1;
            let in_order =
                |a: &Entry, b: &Entry| a.low.total_cmp(&b.low).then(a.index.cmp(&b.index));
            self.sorted.sort_unstable_by(in_order);
        }
        for (at, entry) in self.order.iter_mut().zip(&self.sorted) {
            *at = entry.index;
        }
    }
}

/// Sorts by insertion and returns the number of exchanges of neighbours. `None` if that takes more
/// than [`MAX_EXCHANGES_PER_BOX`] exchanges a box.
fn insert(entries: &mut [Entry]) -> Option<usize> {
    let most = MAX_EXCHANGES_PER_BOX * entries.len();
    let mut left = most;
    for i in 1..entries.len() {
        let moved = entries[i];
        let mut k = i;
        while k > 0 && moved.comes_before(&entries[k - 1]) {
            if left == 0 {
                entries[k] = moved;
                return None;
            }
            left -= 1;
            entries[k] = entries[k - 1];
            k -= 1;
        }
        entries[k] = moved;
    }
    Some(most - left)
}

/// Returns the axis along which the centres of the boxes vary most; unbounded boxes do not count.
fn spread_axis(hulls: &[Aabb]) -> usize {
    let middles = hulls.iter().map(|b| b.low * 0.5 + b.high * 0.5);
    let (mut count, mut sum, mut squares) = (0.0, Vec3::zeros(), Vec3::zeros());
    for m in middles.filter(|m| m.sum().is_finite()) {
        count += 1.0;
        sum += m;
        squares += m.component_mul(&m);
    }
    if count == 0.0 {
        return 0;
    }
    let mean = sum / count;
    (squares / count - mean.component_mul(&mean)).imax()
}
