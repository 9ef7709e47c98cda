//! Log lines on their way to standard error: a bounded queue and the one thread that writes.
//!
//! The reader of standard error may stop: a pager, a terminal with Ctrl-S, a full pipe. Logging may
//! then lose a line, but never waits: [`Lines`] appends or counts, and only the writer's thread
//! blocks in `write`. A line in the output states how many lines are missing there.

use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, Sender, bounded};
use hapticd_sys::signals::Signals;

use crate::view::held_log::HeldLog;

/// Maximum number of lines that wait.
pub const MAX_LINES: usize = 4096;
/// Maximum number of bytes that wait.
pub const MAX_BYTES: usize = 1 << 20;
/// Longest wait for the reader at the end of the process.
const LAST_FLUSH: Duration = Duration::from_millis(300);
/// Pause before the writer tries a full descriptor again that another process made non-blocking.
const FULL_PAUSE: Duration = Duration::from_millis(10);

/// Makes the line that stands in place of this many missing ones.
pub type LostLine = fn(u64) -> Vec<u8>;

struct Line {
    /// Lines lost between the previous line and this one.
    lost_before: u64,
    text: Vec<u8>,
}

#[derive(Default)]
struct Shared {
    waiting_bytes: AtomicUsize,
    /// Lines lost since the newest line that was taken.
    lost: AtomicU64,
    taken: AtomicU64,
    done: AtomicU64,
    /// True once the terminal is free and the held lines may be printed.
    released: AtomicBool,
}

/// The logging side. Clones belong to the same log. Never blocks; allocates.
#[derive(Clone)]
pub struct Lines {
    queue: Sender<Line>,
    shared: Arc<Shared>,
}

impl Lines {
    fn push(&self, text: &[u8]) {
        let shared = &self.shared;
        let size = text.len();
        let before = shared.waiting_bytes.fetch_add(size, Ordering::Relaxed);
        if before + size > MAX_BYTES {
            shared.waiting_bytes.fetch_sub(size, Ordering::Relaxed);
            shared.lost.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let line = Line {
            lost_before: shared.lost.swap(0, Ordering::Relaxed),
            text: text.to_vec(),
        };
        // Counted before the line can be written, so that `done` never overtakes `taken`.
        shared.taken.fetch_add(1, Ordering::AcqRel);
        if let Err(back) = self.queue.try_send(line) {
            let lost = back.into_inner().lost_before + 1;
            shared.taken.fetch_sub(1, Ordering::AcqRel);
            shared.waiting_bytes.fetch_sub(size, Ordering::Relaxed);
            shared.lost.fetch_add(lost, Ordering::Relaxed);
        }
    }

    /// Wakes an idle writer with an empty line; a busy one checks `released` at its next line.
    fn nudge(&self) {
        let shared = &self.shared;
        shared.taken.fetch_add(1, Ordering::AcqRel);
        let line = Line {
            lost_before: 0,
            text: Vec::new(),
        };
        if self.queue.try_send(line).is_err() {
            shared.taken.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// Waits at most `bound` until everything is written. Returns whether it is.
    fn flush(&self, bound: Duration) -> bool {
        let end = Instant::now() + bound;
        let all = || {
            let shared = &self.shared;
            shared.done.load(Ordering::Acquire) >= shared.taken.load(Ordering::Acquire)
        };
        while !all() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(1));
        }
        all()
    }
}

impl Write for Lines {
    /// The subscriber writes one whole line per call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The end of the log. Dropping it prints the held lines and waits for the reader, but only for a
/// bounded time.
pub struct LogEnd(Lines);

impl Drop for LogEnd {
    fn drop(&mut self) {
        self.0.shared.released.store(true, Ordering::Release);
        self.0.nudge();
        self.0.flush(LAST_FLUSH);
    }
}

/// The writing side.
struct Writer<W> {
    out: W,
    held: Option<HeldLog>,
    lost_line: LostLine,
    lines: Receiver<Line>,
    shared: Arc<Shared>,
}

impl<W: Write> Writer<W> {
    /// Writes lines until all logging sides are gone.
    fn run(mut self) {
        loop {
            let line = match self.lines.try_recv() {
                Ok(line) => line,
                Err(_) => {
                    let lost = self.shared.lost.swap(0, Ordering::Relaxed);
                    self.say_lost(lost);
                    match self.lines.recv() {
                        Ok(line) => line,
                        Err(_) => return,
                    }
                }
            };
            self.say_lost(line.lost_before);
            self.write(&line.text);
            let shared = &self.shared;
            shared
                .waiting_bytes
                .fetch_sub(line.text.len(), Ordering::Relaxed);
            shared.done.fetch_add(1, Ordering::Release);
        }
    }

    fn say_lost(&mut self, lost: u64) {
        if lost > 0 {
            let line = (self.lost_line)(lost);
            self.write(&line);
        }
    }

    fn write(&mut self, text: &[u8]) {
        if self.shared.released.load(Ordering::Acquire)
            && let Some(held) = self.held.take()
        {
            self.write_out(&held.take());
        }
        match &mut self.held {
            // Writing into memory does not fail.
            Some(held) => drop(held.write_all(text)),
            None => self.write_out(text),
        }
    }

    /// Writes all of `text`, however long that takes. Drops the rest if nobody can read it.
    fn write_out(&mut self, mut text: &[u8]) {
        while !text.is_empty() {
            match self.out.write(text) {
                Ok(written) if written > 0 => text = text.get(written..).unwrap_or_default(),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => std::thread::sleep(FULL_PAUSE),
                Ok(_) | Err(_) => return,
            }
        }
    }
}

/// Starts the writer's thread to standard error. With `held`, lines go there until the [`LogEnd`]
/// is dropped.
///
/// # Errors
/// If a descriptor or a thread cannot be had.
pub fn to_stderr(held: Option<HeldLog>, lost_line: LostLine) -> io::Result<(Lines, LogEnd)> {
    // A separate descriptor: a blocked writer that held the lock of standard error would block
    // everybody else.
    let out = File::from(io::stderr().as_fd().try_clone_to_owned()?);
    start(out, held, lost_line)
}

fn start(
    out: impl Write + Send + 'static,
    held: Option<HeldLog>,
    lost_line: LostLine,
) -> io::Result<(Lines, LogEnd)> {
    let (queue, lines) = bounded(MAX_LINES);
    let shared = Arc::new(Shared::default());
    let writer = Writer {
        out,
        held,
        lost_line,
        lines,
        shared: shared.clone(),
    };
    let (ready_in, ready) = bounded::<()>(0);
    std::thread::Builder::new()
        .name("log".to_owned())
        .spawn(move || {
            // This thread starts before the session blocks signals for all threads. Without its own
            // mask, a signal could be delivered to it and end the process. The descriptor is not
            // needed; the mask stays.
            drop(Signals::block());
            drop(ready_in);
            writer.run();
        })?;
    // An error means that the other side has ended, which is just as good a signal.
    let _ = ready.recv();
    let lines = Lines { queue, shared };
    Ok((lines.clone(), LogEnd(lines)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read};

    fn lost(n: u64) -> Vec<u8> {
        format!("lost {n}\n").into_bytes()
    }

    /// Returns the number of lines that arrived, and of those that were reported missing, in order.
    fn account(text: &str) -> (u64, u64) {
        let (mut came, mut missing) = (0, 0);
        for line in text.lines() {
            if let Some(n) = line.strip_prefix("lost ") {
                missing += n.parse::<u64>().unwrap();
            } else {
                let number: u64 = line.split(' ').next().unwrap().parse().unwrap();
                assert_eq!(number, came + missing, "in order, gaps where they are");
                came += 1;
            }
        }
        (came, missing)
    }

    #[test]
    fn a_reader_that_stops_costs_lines_and_never_a_wait() {
        let (mut reader, writer) = io::pipe().unwrap();
        let (mut lines, end) = start(writer, None, lost).unwrap();
        // Nobody reads. This is many times the capacity of pipe and queue; a log that waited for
        // its reader would hang here.
        let most = 40_000_u64;
        for k in 0..most {
            lines
                .write_all(format!("{k} {}\n", "x".repeat(90)).as_bytes())
                .unwrap();
        }
        assert!(lines.shared.lost.load(Ordering::Relaxed) > 0);
        // The end does not wait for ever either.
        assert!(!lines.flush(Duration::from_millis(1)));
        let read = std::thread::spawn(move || {
            let mut text = String::new();
            reader.read_to_string(&mut text).unwrap();
            text
        });
        while !lines.flush(Duration::from_secs(1)) {}
        lines
            .write_all(format!("{most} the last\n").as_bytes())
            .unwrap();
        drop((lines, end));
        let (came, missing) = account(&read.join().unwrap());
        assert_eq!(came + missing, most + 1);
        assert!(came >= MAX_LINES as u64 && missing > 0, "{came} {missing}");
    }

    #[test]
    fn losses_are_reported_without_new_lines() {
        let (reader, writer) = io::pipe().unwrap();
        let (mut lines, _end) = start(writer, None, lost).unwrap();
        let long = vec![b'x'; MAX_BYTES - 1];
        let mut written = 0;
        while lines.shared.lost.load(Ordering::Relaxed) == 0 {
            lines.write_all(&long).unwrap();
            lines.write_all(b"\n").unwrap();
            written += 1;
        }
        assert!(written <= 3, "bounded by bytes");
        let said = BufReader::new(reader)
            .lines()
            .map(Result::unwrap)
            .find(|line| line.contains("lost"));
        assert!(said.is_some());
    }

    #[test]
    fn what_was_held_back_is_printed_at_the_end() {
        let (reader, writer) = io::pipe().unwrap();
        let held = HeldLog::default();
        let (mut lines, end) = start(writer, Some(held.clone()), lost).unwrap();
        lines.write_all(b"one\n").unwrap();
        lines.write_all(b"two\n").unwrap();
        while !lines.flush(Duration::from_secs(1)) {}
        drop(end);
        while !lines.flush(Duration::from_secs(1)) {}
        lines.write_all(b"three\n").unwrap();
        drop(lines);
        let text = io::read_to_string(reader).unwrap();
        assert_eq!(text, "one\ntwo\nthree\n");
        assert!(held.take().is_empty());
    }

    /// A descriptor that never accepts anything.
    struct Broken;

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_that_went_away_ends_nothing() {
        let (mut lines, end) = start(Broken, None, lost).unwrap();
        for _ in 0..10 {
            lines.write_all(b"to nobody\n").unwrap();
        }
        while !lines.flush(Duration::from_secs(1)) {}
        drop(end);
    }
}
