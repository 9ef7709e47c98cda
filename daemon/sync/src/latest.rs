//! A latest-value mailbox between two threads: the writer always succeeds, the reader always has
//! the newest complete value.
//!
//! * **Both sides wait-free**: one atomic swap each, no loop, no retry. RT-callable on either side.
//! * **No allocation after [`latest`]**. Values are written in place; with a `T` that owns memory,
//!   [`Writer::write`] drops the value that it overwrites *on the writer's thread*. A real-time
//!   writer carries `Copy` types or uses [`Writer::overwrite`].
//! * **The mailbox does not store the writer's state**. A cell that the writer gets holds *some*
//!   earlier value: which one depends on when the reader last fetched. A writer that changes one
//!   field of many keeps the whole value itself and [`write`](Writer::write)s it whole.
//! * Values between two reads are lost, by design: use [`ring`](crate::ring) where each one counts.
//!
//! # How it works
//!
//! There are three cells. The writer owns one, the reader owns one, and the third is in the middle.
//! One atomic byte holds the index of the middle cell and whether the reader has seen it. To
//! publish, the writer swaps its cell with the middle one; to fetch, the reader does the same. Each
//! cell has one owner at a time, so neither side waits. (Graphics drivers call this a "triple
//! buffer".)

use crate::loom::{
    cell::UnsafeCell,
    sync::{Arc, AtomicU8, Ordering},
};

/// Bit of the middle byte: the middle cell is newer than the reader's.
const FRESH: u8 = 0b100;
/// Bits of the middle byte: index of the middle cell.
const INDEX: u8 = 0b011;

/// Ordering of both swaps. SYNC POINT: latest hand-over. Each swap is the Release of the cell given
/// away and the Acquire of the cell received, and its partner is the other side's swap.
const HAND_OVER: Ordering = Ordering::AcqRel;

#[derive(Debug)]
struct Shared<T> {
    cells: [UnsafeCell<T>; 3],
    middle: AtomicU8,
}

// SAFETY: a cell is only ever accessed by the side that owns its index, the indices of writer,
// reader and middle are always a permutation of 0, 1, 2 (they start so, and a swap keeps it), and
// the AcqRel swap orders the previous owner's accesses before the next owner's. So `&Shared` from
// two threads never gives two of them the same cell; `T: Send` because values cross threads.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// The cell with a two-bit index. The mask makes the bound visible to the compiler; 3 is never
    /// stored.
    fn cell(&self, index: u8) -> &UnsafeCell<T> {
        &self.cells[usize::from(index & INDEX).min(2)]
    }
}

/// Makes a mailbox that holds `initial`, which the reader sees as "not new" until the first write.
/// Allocates once.
pub fn latest<T: Clone + Send>(initial: T) -> (Writer<T>, Reader<T>) {
    let shared = Arc::new(Shared {
        cells: [
            UnsafeCell::new(initial.clone()),
            UnsafeCell::new(initial.clone()),
            UnsafeCell::new(initial),
        ],
        middle: AtomicU8::new(2),
    });
    (
        Writer {
            shared: Arc::clone(&shared),
            own: 0,
        },
        Reader { shared, own: 1 },
    )
}

/// The writing end.
#[derive(Debug)]
pub struct Writer<T> {
    shared: Arc<Shared<T>>,
    own: u8,
}

impl<T: Send> Writer<T> {
    /// Publishes `value`. Wait-free, never fails. Drops an older value on this thread (no work for
    /// `Copy` types).
    #[inline]
    pub fn write(&mut self, value: T) {
        self.overwrite(|cell| *cell = value);
    }

    /// Lets `f` overwrite a cell in place, then publishes it. Use it to hand over something large
    /// and reuse its memory.
    ///
    /// The content of the cell is unspecified: any value written before, or the initial one, and
    /// usually not the newest. `f` must assign every field. It may reuse what the cell owns (the
    /// capacity of a `Vec`), but must never compute from the content: `cell.version += 1` loses
    /// updates and goes backwards. If `f` unwinds, nothing is published.
    #[inline]
    pub fn overwrite(&mut self, f: impl FnOnce(&mut T)) {
        self.shared.cell(self.own).with_mut(|cell| {
            // SAFETY: `own` is this side's index and `&mut self` makes this the only access through
            // it (see `Shared`'s Sync).
            f(unsafe { &mut *cell });
        });
        self.hand_over(HAND_OVER);
    }

    fn hand_over(&mut self, order: Ordering) {
        // SYNC POINT: latest hand-over. Partner: the swap in `Reader::hand_over`.
        self.own = self.shared.middle.swap(self.own | FRESH, order) & INDEX;
    }
}

/// The reading end.
#[derive(Debug)]
pub struct Reader<T> {
    shared: Arc<Shared<T>>,
    own: u8,
}

impl<T: Send> Reader<T> {
    /// Fetches the newest value and returns whether it is new since the last fetch. Wait-free.
    #[inline]
    pub fn update(&mut self) -> bool {
        // Relaxed is enough for a hint: the swap below synchronises, and a stale "nothing new" only
        // delays the fetch.
        if self.shared.middle.load(Ordering::Relaxed) & FRESH == 0 {
            return false;
        }
        self.hand_over(HAND_OVER);
        true
    }

    fn hand_over(&mut self, order: Ordering) {
        // SYNC POINT: latest hand-over. Partner: the swap in `Writer::hand_over`.
        self.own = self.shared.middle.swap(self.own, order) & INDEX;
    }

    /// The value of the last [`update`](Self::update), or the initial one.
    #[inline]
    pub fn get(&self) -> &T {
        self.shared.cell(self.own).with(|cell| {
            // SAFETY: `own` is this side's index; it changes only in `update`, which needs `&mut
            // self` and so ends this borrow.
            unsafe { &*cell }
        })
    }

    /// A copy of the newest value if it is new since the last fetch.
    #[inline]
    pub fn read_new(&mut self) -> Option<T>
    where
        T: Copy,
    {
        self.update().then(|| *self.get())
    }

    /// Combines [`update`](Self::update) and [`get`](Self::get): returns the newest value and
    /// whether it is new.
    #[inline]
    pub fn read(&mut self) -> (&T, bool) {
        let new = self.update();
        (self.get(), new)
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn the_initial_value_is_there_and_is_not_new() {
        let (_writer, mut reader) = latest(7);
        assert_eq!(reader.read(), (&7, false));
    }

    #[test]
    fn a_written_value_is_new_once() {
        let (mut writer, mut reader) = latest(0);
        writer.write(1);
        assert_eq!(reader.read(), (&1, true));
        assert_eq!(reader.read(), (&1, false));
        writer.write(2);
        assert_eq!((reader.read_new(), reader.read_new()), (Some(2), None));
    }

    #[test]
    fn only_the_newest_of_many_writes_is_read() {
        let (mut writer, mut reader) = latest([0; 4]);
        for value in 1..=10 {
            writer.write([value; 4]);
        }
        assert_eq!(reader.read(), (&[10; 4], true));
        writer.write([11; 4]);
        writer.write([12; 4]);
        assert_eq!(reader.get(), &[10; 4], "get does not fetch");
        assert_eq!(reader.read(), (&[12; 4], true));
    }

    #[test]
    fn overwriting_reuses_the_memory_of_older_values() {
        let (mut writer, mut reader) = latest(Vec::with_capacity(8));
        for round in 0..12_u32 {
            writer.overwrite(|list| {
                list.clear();
                list.extend(round..round + 3);
            });
            assert_eq!(reader.read(), (&vec![round, round + 1, round + 2], true));
        }
    }

    /// Shows why a writer must not compute from a cell: with a reader that fetches, the cell is two
    /// writes old.
    #[test]
    fn a_cell_to_overwrite_holds_an_older_value() {
        let (mut writer, mut reader) = latest(0);
        let mut found = Vec::new();
        for value in 1..=5 {
            writer.overwrite(|cell| found.push(std::mem::replace(cell, value)));
            reader.update();
        }
        assert_eq!(found, [0, 0, 0, 1, 2]);
    }

    #[test]
    fn overwriting_that_unwinds_publishes_nothing() {
        let (mut writer, mut reader) = latest(1);
        let unwound = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            writer.overwrite(|_| std::panic::resume_unwind(Box::new(())));
        }));
        assert!(unwound.is_err());
        assert_eq!(reader.read(), (&1, false));
        writer.write(2);
        assert_eq!(reader.read(), (&2, true));
    }

    #[test]
    fn each_end_outlives_the_other() {
        let (mut writer, reader) = latest(String::from("first"));
        drop(reader);
        writer.write(String::from("second"));
        let (writer, mut reader) = latest(3);
        drop(writer);
        assert_eq!(reader.read(), (&3, false));
    }
}

#[cfg(all(test, loom))]
mod loom_tests;
