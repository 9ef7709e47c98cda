//! Lines on standard error, at most a few a second: a flood of refusals does not fill a disk.

use std::{
    io::Write,
    sync::Mutex,
    time::{Duration, Instant},
};

/// Lines within a second.
const LINES_PER_S: u32 = 20;

/// The log; shared by all connections.
#[derive(Debug)]
pub struct Log(Mutex<Window>);

#[derive(Debug)]
struct Window {
    since: Instant,
    lines: u32,
    left_out: u64,
}

impl Default for Log {
    fn default() -> Self {
        Self(Mutex::new(Window {
            since: Instant::now(),
            lines: 0,
            left_out: 0,
        }))
    }
}

impl Log {
    /// Writes a line, or counts it where there were too many.
    pub fn line(&self, text: &str) {
        let Ok(mut window) = self.0.lock() else {
            return;
        };
        if window.since.elapsed() >= Duration::from_secs(1) {
            let left_out = std::mem::take(&mut window.left_out);
            window.since = Instant::now();
            window.lines = 0;
            if left_out > 0 {
                write(&format!("{left_out} lines were left out"));
            }
        }
        if window.lines < LINES_PER_S {
            window.lines += 1;
            write(text);
        } else {
            window.left_out += 1;
        }
    }
}

/// A log that cannot be written is no reason to stop.
fn write(text: &str) {
    let _ = writeln!(std::io::stderr(), "hapticd-gateway: {text}");
}
