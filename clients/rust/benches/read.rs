//! Cost of reading the newest state, and its latency after publication.
//!
//! `read/state` is the copy alone (the block does not change). `read/after_publication` is one
//! write and the read that sees it, in the same thread: the time from the start of publication to
//! the decoded value in the reader, without the wait for another core. `across processes` is the
//! same with a second process that polls the block while this one publishes a thousand times a
//! second. It needs two idle cores, and reports how often it met a writer at work.

#![allow(missing_docs, clippy::print_stdout)]

use criterion::{Criterion, criterion_group};
use hapticd_benchmarks::{number, ours};
use hapticd_protocol::block::{
    ArmState, BODIES_WORDS, Bodies, SEQUENCE_WORD, STATE_WORDS, block_words,
};
use hapticd_sync::seqlock::{Reader, Writer};
use hapticd_sys::block::{ReadOnlyBlock, SharedBlock};
use hapticd_sys::clock::now_ns;
use std::{
    hint::black_box,
    io::{BufRead, BufReader},
    os::fd::AsFd,
    process::{Command, Stdio},
};

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

/// Publications of the measurement across processes; the first ones are not counted.
const PUBLICATIONS: u64 = 6_000;
const WARM_UP: u64 = 1_000;
/// First argument of the reading process; its standard input is the block.
const READER: &str = "reader-of-the-block-on-stdin";

/// Publishes in this process, reads in another.
fn across_processes() {
    let (block, fd) =
        SharedBlock::create("hapticd-bench", block_words(STATE_WORDS)).expect("a block");
    let mut writer = Writer::<_, STATE_WORDS>::new(block, SEQUENCE_WORD).expect("large enough");
    writer.write(&ArmState::EMPTY.to_words());
    let mut reader = Command::new(std::env::current_exe().expect("a path"))
        .arg(READER)
        .stdin(Stdio::from(fd.into_owned()))
        .stdout(Stdio::piped())
        .spawn()
        .expect("a second process");
    // The first line tells that the reader has started.
    let mut said = BufReader::new(reader.stdout.take().expect("piped"));
    let mut line = String::new();
    said.read_line(&mut line).expect("its line");
    let mut state = ArmState::EMPTY;
    let mut next = now_ns();
    for tick in 1..=PUBLICATIONS {
        next += 1_000_000;
        while now_ns() < next {
            std::hint::spin_loop();
        }
        state.tick = tick;
        state.time_ns = now_ns();
        writer.write(&state.to_words());
    }
    line.clear();
    said.read_line(&mut line).expect("its result");
    print!("read/across processes   {line}");
    // `p50 N ns, ...`.
    let median_ns = line.split(' ').nth(1).and_then(|n| n.parse::<f64>().ok());
    ours("1.9", "us", number(1e-3 * median_ns.expect("a median")));
    reader.wait().expect("its end");
}

/// The reading process: polls until every publication has arrived, then prints how old each was on
/// arrival.
fn read_on_stdin() {
    let fd = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .expect("a descriptor");
    let block = ReadOnlyBlock::open(fd).expect("the block");
    let reader = Reader::<_, STATE_WORDS>::new(block, SEQUENCE_WORD).expect("large enough");
    let mut ages = Vec::with_capacity(PUBLICATIONS as usize);
    let (mut last, mut busy) = (0, 0_u64);
    println!("reading");
    while last < PUBLICATIONS {
        let Ok((_, words)) = reader.read() else {
            busy += 1;
            continue;
        };
        let state = ArmState::from_words(&words);
        if state.tick != last {
            let now = now_ns();
            last = state.tick;
            if last > WARM_UP {
                ages.push(now - state.time_ns);
            }
        }
    }
    ages.sort_unstable();
    let at = |q: f64| ages[((ages.len() - 1) as f64 * q) as usize];
    println!(
        "p50 {} ns, p99 {} ns after the start of publication; {} of {} seen, writer met at work {busy} times",
        at(0.5),
        at(0.99),
        ages.len(),
        PUBLICATIONS - WARM_UP,
    );
}

criterion_group!(all, benches);

fn main() {
    if std::env::args().nth(1).as_deref() == Some(READER) {
        read_on_stdin();
        return;
    }
    across_processes();
    all();
    Criterion::default().configure_from_args().final_summary();
}
