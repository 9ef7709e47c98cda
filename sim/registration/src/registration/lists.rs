//! Many small lists in one block of memory.
//!
//! Lists grow by doubling and release their old block to others of the same size, so nothing
//! allocates once the pool has reached its largest size. A list reads as a slice.

/// A list in a [`Pool`]. Must not be copied while it is in use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct List {
    at: u32,
    len: u32,
    /// Capacity is `2 << class` items; class 0 means no block yet.
    class: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct Pool {
    words: Vec<u32>,
    /// For each class the first free block. The first word of a free block is the next one,
    /// `u32::MAX` the end.
    free: [u32; 31],
}

impl Default for Pool {
    fn default() -> Self {
        Pool {
            words: Vec::new(),
            free: [u32::MAX; 31],
        }
    }
}

impl Pool {
    pub(crate) fn reserve(&mut self, words: usize) {
        self.words.reserve(words.saturating_sub(self.words.len()));
    }

    /// Size of the memory, in items.
    #[cfg(test)]
    pub(crate) fn words(&self) -> usize {
        self.words.len()
    }

    #[inline]
    pub(crate) fn get(&self, list: List) -> &[u32] {
        &self.words[list.at as usize..(list.at + list.len) as usize]
    }

    pub(crate) fn push(&mut self, list: &mut List, item: u32) {
        if list.class == 0 || list.len == 2 << list.class {
            self.grow(list);
        }
        self.words[(list.at + list.len) as usize] = item;
        list.len += 1;
    }

    /// Replaces the first item; does nothing if the list is empty.
    pub(crate) fn set_first(&mut self, list: List, item: u32) {
        if list.len > 0 {
            self.words[list.at as usize] = item;
        }
    }

    /// Removes an item, the last of duplicates; the list's last item takes its place. Returns
    /// whether there was one.
    pub(crate) fn remove(&mut self, list: &mut List, item: u32) -> bool {
        let Some(i) = position(self.get(*list), item) else {
            return false;
        };
        list.len -= 1;
        let at = list.at as usize;
        self.words[at + i] = self.words[at + list.len as usize];
        true
    }

    /// Removes all items that are not to be kept; the others stay in order.
    pub(crate) fn retain(&mut self, list: &mut List, keep: impl Fn(u32) -> bool) {
        let items = &mut self.words[list.at as usize..(list.at + list.len) as usize];
        let mut kept = 0;
        for i in 0..items.len() {
            let item = items[i];
            items[kept] = item;
            kept += usize::from(keep(item));
        }
        list.len = kept as u32;
    }

    /// Empties a list and releases its block.
    pub(crate) fn clear(&mut self, list: &mut List) {
        if list.class > 0 {
            self.words[list.at as usize] = self.free[list.class as usize];
            self.free[list.class as usize] = list.at;
        }
        *list = List::default();
    }

    fn grow(&mut self, list: &mut List) {
        let class = list.class + 1;
        let free = self.free[class as usize];
        let at = if free == u32::MAX {
            let at = self.words.len() as u32;
            self.words.resize(self.words.len() + (2 << class), 0);
            at
        } else {
            self.free[class as usize] = self.words[free as usize];
            free
        };
        let old = *list;
        self.words
            .copy_within(old.at as usize..(old.at + old.len) as usize, at as usize);
        self.clear(list);
        *list = List {
            at,
            len: old.len,
            class,
        };
    }
}

/// Returns the position of an item, searched from the end, since the most recent items usually go
/// first. Tests sixteen at once, which the compiler vectorizes.
fn position(list: &[u32], item: u32) -> Option<usize> {
    let mut end = list.len();
    while end >= 16 {
        let chunk = &list[end - 16..end];
        if chunk.iter().fold(false, |hit, &x| hit | (x == item)) {
            break;
        }
        end -= 16;
    }
    list[..end].iter().rposition(|&x| x == item)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_what_they_are_given_and_share_their_room() {
        let mut pool = Pool::default();
        let (mut a, mut b) = (List::default(), List::default());
        for i in 0..20 {
            pool.push(&mut a, i);
            pool.push(&mut b, 100 + i);
        }
        assert_eq!(pool.get(a), (0..20).collect::<Vec<_>>());
        pool.set_first(a, 50);
        assert_eq!(pool.get(a)[..2], [50, 1]);
        pool.set_first(a, 0);
        assert!(pool.remove(&mut a, 3) && !pool.remove(&mut a, 3));
        assert_eq!(pool.get(a)[3], 19);
        assert_eq!(pool.get(b), (100..120).collect::<Vec<_>>());
        pool.retain(&mut b, |x| x % 3 == 0);
        assert_eq!(pool.get(b), [102, 105, 108, 111, 114, 117]);
        pool.retain(&mut b, |_| false);
        assert_eq!(pool.get(b).len(), 0);
        let room = pool.words.len();
        for _ in 0..5 {
            pool.clear(&mut a);
            for i in 0..20 {
                pool.push(&mut a, i);
            }
        }
        assert_eq!(pool.words.len(), room);
    }
}
