//! What a client pays to read the newest state, and how long after publication it has it.
//!
//! `read/state` is the copy alone (the block does not change). `read/after_publication` is one write and the read that sees it, in the same
//! thread: the time from the start of publication to the decoded value in the reader's hands, without the wait for another core.

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_protocol::block::{
    ArmState, BODIES_WORDS, Bodies, SEQUENCE_WORD, STATE_WORDS, block_words,
};
use hapticd_sync::seqlock::{Reader, Writer};
use hapticd_sys::block::{ReadOnlyBlock, SharedBlock};
use std::hint::black_box;

fn pair<const N: usize>() -> (Writer<SharedBlock, N>, Reader<ReadOnlyBlock, N>) {
    let (block, fd) = SharedBlock::create("hapticd-bench", block_words(N)).expect("a block");
    let reader = ReadOnlyBlock::open(fd.into_owned()).expect("the same block");
    (
        Writer::new(block, SEQUENCE_WORD).expect("large enough"),
        Reader::new(reader, SEQUENCE_WORD).expect("large enough"),
    )
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("read");
    let (mut writer, reader) = pair::<STATE_WORDS>();
    writer.write(&ArmState::EMPTY.to_words());
    group.bench_function("state", |bencher| {
        bencher.iter(|| black_box(reader.read().map(|(_, words)| ArmState::from_words(&words))));
    });
    let mut state = ArmState::EMPTY;
    group.bench_function("after_publication", |bencher| {
        bencher.iter(|| {
            state.tick += 1;
            writer.write(&black_box(&state).to_words());
            black_box(reader.read().map(|(_, words)| ArmState::from_words(&words)))
        });
    });
    let (mut writer, reader) = pair::<BODIES_WORDS>();
    writer.write(&Bodies::new(1, 1).to_words());
    group.bench_function("bodies", |bencher| {
        bencher.iter(|| black_box(reader.read().map(|(_, words)| Bodies::from_words(&words))));
    });
    group.finish();
}

criterion_group!(all, benches);
criterion_main!(all);
