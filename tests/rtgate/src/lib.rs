//! Planted violations: functions that claim to be real-time and are not, one for each thing a tick
//! must never do.
//!
//! Built with `RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=realtime --cfg rtsan --cfg
//! rustix_use_libc"`, every function here carries the same attribute as the daemon's tick.
//! `tests/rt_gate.rs` runs each in a process of its own and demands that RealtimeSanitizer kills
//! it: a gate that lets these pass would let a tick pass that does the same. Built otherwise these
//! are ordinary functions.
//!
//! The sanitizer's blind spots are *not* planted here because it does not see them: an uncontended
//! `std::sync::Mutex` and `clock_nanosleep` (so `std::thread::sleep`). It sees only calls into
//! libc; with `rustix_use_libc` that is where rustix's system calls go, which `write_by_rustix`
//! proves. Code review and the counting allocator stand for the rest.
#![forbid(unsafe_code)]
#![cfg_attr(rtsan, feature(sanitize))]

use std::fs::File;
use std::hint::black_box;
use std::io::Write;
use std::sync::{Condvar, Mutex};
use std::time::Duration;

/// What a planted violation works on; made before the real-time part begins.
#[derive(Debug)]
pub struct Materials {
    /// Something to free.
    pub boxed: Option<Box<[u8; 64]>>,
    /// Full: one more element makes it grow.
    pub full: Vec<u64>,
    /// Something to write to.
    pub file: File,
    /// Something to wait for.
    pub waiting: (Mutex<()>, Condvar),
}

impl Materials {
    /// All materials at hand.
    ///
    /// # Errors
    /// The operating system's, when `/dev/null` cannot be opened.
    pub fn new() -> std::io::Result<Materials> {
        Ok(Materials {
            boxed: Some(Box::new([0; 64])),
            full: vec![0; 4],
            file: File::options().write(true).open("/dev/null")?,
            waiting: (Mutex::new(()), Condvar::new()),
        })
    }
}

/// A real-time function and whether it keeps its promise.
pub struct Planted {
    /// Name, as the test's messages give it.
    pub name: &'static str,
    /// What RealtimeSanitizer must name in its report; `None` when the function is clean.
    pub offence: Option<&'static str>,
    /// The function.
    pub run: fn(&mut Materials),
}

/// The clean one, which shows that the gate does not kill everything, and then the violations.
pub const PLANTED: &[Planted] = &[
    Planted {
        name: "arithmetic",
        offence: None,
        run: arithmetic,
    },
    Planted {
        name: "allocate",
        offence: Some("malloc"),
        run: allocate,
    },
    Planted {
        name: "grow",
        offence: Some("realloc"),
        run: grow,
    },
    Planted {
        name: "free",
        offence: Some("free"),
        run: free,
    },
    Planted {
        name: "format",
        offence: Some("malloc"),
        run: format_text,
    },
    Planted {
        name: "write",
        offence: Some("write"),
        run: write,
    },
    Planted {
        name: "write_by_rustix",
        offence: Some("write"),
        run: write_by_rustix,
    },
    Planted {
        name: "wait",
        offence: Some("syscall"),
        run: wait,
    },
];

#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn arithmetic(materials: &mut Materials) {
    for (k, x) in materials.full.iter_mut().enumerate() {
        *x = black_box(*x)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(k as u64);
    }
}

#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn allocate(materials: &mut Materials) {
    let boxed = black_box(Box::new([1; 64]));
    // Kept, so that the allocation is the only offence.
    std::mem::forget(materials.boxed.replace(boxed));
}

#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn grow(materials: &mut Materials) {
    materials.full.push(black_box(1));
}

#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn free(materials: &mut Materials) {
    drop(black_box(materials.boxed.take()));
}

#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn format_text(materials: &mut Materials) {
    std::mem::forget(black_box(format!("tick {}", materials.full.len())));
}

#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn write(materials: &mut Materials) {
    // The sanitizer stops the call; its result is of no interest.
    let _ = black_box(materials.file.write(b"tick"));
}

#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn write_by_rustix(materials: &mut Materials) {
    let _ = black_box(rustix::io::write(&materials.file, b"tick"));
}

#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn wait(materials: &mut Materials) {
    let (mutex, condvar) = &materials.waiting;
    let guard = mutex.lock().unwrap_or_else(|e| e.into_inner());
    let _ = black_box(condvar.wait_timeout(guard, Duration::from_millis(1)));
}
