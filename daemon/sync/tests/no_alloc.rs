//! Nothing here allocates or frees after construction, as counted by the test binary's allocator on
//! this thread while armed.
#![cfg(not(loom))]

use hapticd_counting::{Counting, counted};
use hapticd_sync::{
    latest::latest,
    ring::ring,
    seqlock::{seqlock, slice::slice_seqlock},
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn reading_and_writing_never_allocate() {
    let (mut lock_writer, lock_reader) = seqlock::<40>();
    let (mut long_writer, long_reader) = slice_seqlock(300);
    let mut long = vec![0; 300];
    let (mut mail_writer, mut mail_reader) = latest([0_u64; 40]);
    let (mut producer, mut consumer) = ring::<[u64; 8]>(4);
    let ((), calls) = counted(|| {
        for round in 0..10_000 {
            lock_writer.write(&[round; 40]);
            assert_eq!(
                lock_reader.read().map(|(version, _)| version),
                Ok(round + 1)
            );
            long.fill(round);
            assert_eq!(long_writer.write(&long), Ok(()));
            assert_eq!(long_reader.read_into(&mut long), Ok(round + 1));
            assert!(long_writer.write(&long[1..]).is_err());
            mail_writer.write([round; 40]);
            assert!(mail_reader.update());
            // Fills, overflows, drains and underflows in turn.
            if round % 16 < 8 {
                let _ = producer.push([round; 8]);
            } else {
                let _ = consumer.pop();
            }
        }
    });
    assert_eq!(calls, 0);
    assert!(producer.dropped() > 0);
}
