//! A bounded queue of box pairs, nearest first to within 4 %.
//!
//! Items are sorted into buckets by the leading bits of the squared distance, 8 buckets per octave;
//! within a bucket, last in, first out. No comparisons, constant time. All memory is allocated at
//! construction. Deterministic.

/// A pair of nodes and the square of the lower bound on their distance.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Item {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) bound: f64,
}

pub(crate) const BUCKETS: usize = 256;
/// Mantissa bits that are dropped; 3 are kept along with the exponent.
const DROPPED: u32 = 49;
const NONE: u32 = u32::MAX;

/// Maps a squared distance to a bucket: 8 buckets per octave below a limit. Values below all
/// buckets go into the first.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scale {
    /// Leading bits of the limit.
    top: u64,
}

impl Scale {
    pub(crate) fn up_to(limit: f64) -> Self {
        Self {
            top: limit.to_bits() >> DROPPED,
        }
    }

    /// Bucket of a value, which must not be negative.
    #[inline]
    pub(crate) fn bucket(&self, value: f64) -> usize {
        let below = self.top.saturating_sub(value.to_bits() >> DROPPED);
        (BUCKETS as u64 - 1).saturating_sub(below) as usize
    }

    /// Upper bound, exclusive, of the values in a bucket.
    pub(crate) fn end(&self, bucket: usize) -> f64 {
        let below = (BUCKETS - 1 - bucket) as u64;
        f64::from_bits((self.top.saturating_sub(below) + 1) << DROPPED)
    }
}

#[derive(Debug)]
pub(crate) struct Front {
    items: Vec<(Item, u32)>,
    capacity: usize,
    /// First free slot of `items`; free slots form a linked list.
    free: u32,
    heads: [u32; BUCKETS],
    /// One bit per bucket, set if it is not empty.
    filled: [u64; BUCKETS / 64],
    /// Covers bounds up to the largest one of interest.
    scale: Scale,
}

impl Front {
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            items: Vec::with_capacity(capacity),
            capacity,
            free: NONE,
            heads: [NONE; BUCKETS],
            filled: [0; BUCKETS / 64],
            scale: Scale::default(),
        }
    }

    /// Empties the queue; later bounds must be below `limit`.
    pub(crate) fn clear(&mut self, limit: f64) {
        self.items.clear();
        self.free = NONE;
        self.heads.fill(NONE);
        self.filled.fill(0);
        self.scale = Scale::up_to(limit);
    }

    /// Whether items with these bounds come out last in, first out.
    #[inline]
    pub(crate) fn same_bucket(&self, x: f64, y: f64) -> bool {
        self.scale.bucket(x) == self.scale.bucket(y)
    }

    /// Queues an item with a non-negative bound; returns `false` if the queue is full.
    #[inline]
    pub(crate) fn push(&mut self, item: Item) -> bool {
        let bucket = self.scale.bucket(item.bound);
        let next = self.heads[bucket];
        let slot = if self.free != NONE {
            let slot = self.free;
            let place = &mut self.items[slot as usize];
            self.free = place.1;
            *place = (item, next);
            slot
        } else if self.items.len() < self.capacity {
            self.items.push((item, next));
            (self.items.len() - 1) as u32
        } else {
            return false;
        };
        self.heads[bucket] = slot;
        self.filled[bucket / 64] |= 1 << (bucket % 64);
        true
    }

    /// Smallest bound of all items; infinity if the queue is empty. Takes time proportional to the
    /// size of the nearest bucket.
    pub(crate) fn least(&self) -> f64 {
        let mut slot = self.nearest().map_or(NONE, |bucket| self.heads[bucket]);
        let mut least = f64::INFINITY;
        while slot != NONE {
            let (item, next) = &self.items[slot as usize];
            least = least.min(item.bound);
            slot = *next;
        }
        least
    }

    #[inline]
    fn nearest(&self) -> Option<usize> {
        let word = self.filled.iter().position(|w| *w != 0)?;
        Some(64 * word + self.filled[word].trailing_zeros() as usize)
    }

    /// Removes and returns an item of the nearest bucket.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Item> {
        let bucket = self.nearest()?;
        let slot = self.heads[bucket];
        let place = &mut self.items[slot as usize];
        let (item, next) = *place;
        place.1 = self.free;
        self.free = slot;
        self.heads[bucket] = next;
        if next == NONE {
            self.filled[bucket / 64] &= !(1 << (bucket % 64));
        }
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearest_bucket_first_and_nothing_lost() {
        let mut front = Front::new(100);
        for limit in [1.0, 1e-8, 3e12] {
            front.clear(limit);
            let mut seed: u64 = 1;
            let mut pushed: Vec<f64> = Vec::new();
            for a in 0..150 {
                seed = seed
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                let bound = limit * (seed >> 11) as f64 / (1u64 << 53) as f64;
                let room = front.push(Item { a, b: 0, bound });
                assert_eq!(room, pushed.len() < 100);
                if room {
                    pushed.push(bound);
                }
            }
            let mut last = 0.0;
            let mut popped = Vec::new();
            loop {
                let least = front.least();
                let Some(item) = front.pop() else {
                    assert_eq!(least, f64::INFINITY);
                    break;
                };
                let left = pushed.iter().filter(|bound| !popped.contains(*bound));
                assert_eq!(least, left.copied().fold(f64::INFINITY, f64::min));
                assert!(item.bound >= last / 1.13);
                last = item.bound.max(last);
                popped.push(item.bound);
            }
            pushed.sort_by(f64::total_cmp);
            popped.sort_by(f64::total_cmp);
            assert_eq!(pushed, popped);
        }
    }

    #[test]
    fn slots_are_used_again() {
        let mut front = Front::new(2);
        front.clear(1.0);
        for i in 0..1000 {
            assert!(front.push(Item {
                a: i,
                b: 0,
                bound: 0.0
            }));
            assert!(front.push(Item {
                a: i,
                b: 1,
                bound: 0.5
            }));
            assert!(!front.push(Item {
                a: i,
                b: 2,
                bound: 0.1
            }));
            assert_eq!(front.pop().map(|x| x.b), Some(0));
            assert_eq!(front.pop().map(|x| x.b), Some(1));
            assert!(front.pop().is_none());
        }
    }
}
