//! Many small lists in one block of memory.
//!
//! Lists grow by doubling and give their old room back to others of the same size, so nothing
//! allocates once the pool has been as large as it gets. A list is a slice to read.

/// A list in a [`Pool`]. Not to be copied while it is in use.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct List {
    at: u32,
    len: u32,
    /// Room for `2 << class` items; 0 for none yet.
    class: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct Pool {
    words: Vec<u32>,
    /// Per class the first free block; a free block's first word is the next one, `u32::MAX` the
    /// end.
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

    /// How much memory there is, in items.
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

    /// Puts another item into the place of the first one; nothing where there is none.
    pub(crate) fn set_first(&mut self, list: List, item: u32) {
        if list.len > 0 {
            self.words[list.at as usize] = item;
        }
    }

    /// Takes out an item, of doubles the last; the last one of all takes its place. Says whether
    /// there was one.
    pub(crate) fn remove(&mut self, list: &mut List, item: u32) -> bool {
        let Some(i) = position(self.get(*list), item) else {
            return false;
        };
        list.len -= 1;
        let at = list.at as usize;
        self.words[at + i] = self.words[at + list.len as usize];
        true
    }

    /// Takes out all items that are not to be kept; the others stay in their order.
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

    /// Empties a list and gives its room back.
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

/// Where an item is, looked for from the end, since what came last goes first as a rule, and
/// sixteen at once, which the compiler makes lanes of.
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
