//! Log lines held back while the live view owns the terminal, printed after it is released.
//!
//! The newest [`MAX_BYTES`] bytes are kept, and the number of dropped lines is reported. Locks and
//! allocates; the haptic loop never calls it.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Maximum number of bytes that are kept.
pub const MAX_BYTES: usize = 64 * 1024;

#[derive(Default)]
struct Kept {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    dropped: u64,
}

/// A log that waits. Clones belong to the same log.
#[derive(Clone, Default)]
pub struct HeldLog(Arc<Mutex<Kept>>);

impl HeldLog {
    /// Takes out the lines that were kept.
    pub fn take(&self) -> Vec<u8> {
        let Ok(mut kept) = self.0.lock() else {
            return Vec::new();
        };
        let mut out = Vec::new();
        if kept.dropped > 0 {
            // Writing into a vector does not fail.
            let _ = writeln!(out, "({} earlier log lines are not shown)", kept.dropped);
        }
        for line in kept.lines.drain(..) {
            out.extend(line);
        }
        (kept.bytes, kept.dropped) = (0, 0);
        out
    }
}

impl Write for HeldLog {
    /// The subscriber writes one whole line per call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if let Ok(mut kept) = self.0.lock() {
            kept.bytes += line.len();
            kept.lines.push_back(line.to_vec());
            while kept.bytes > MAX_BYTES {
                let Some(oldest) = kept.lines.pop_front() else {
                    break;
                };
                kept.bytes -= oldest.len();
                kept.dropped += 1;
            }
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_order_and_says_what_it_dropped() {
        let log = HeldLog::default();
        let mut writer = log.clone();
        writer.write_all(b"one\n").unwrap();
        writer.write_all(b"two\n").unwrap();
        assert_eq!(log.take(), b"one\ntwo\n");
        assert!(log.take().is_empty());
        let long = vec![b'x'; MAX_BYTES / 2];
        for _ in 0..5 {
            writer.write_all(&long).unwrap();
        }
        let text = String::from_utf8(log.take()).unwrap();
        assert!(text.starts_with("(3 earlier log lines are not shown)\n"));
        assert_eq!(
            text.len(),
            "(3 earlier log lines are not shown)\n".len() + 2 * long.len()
        );
    }
}
