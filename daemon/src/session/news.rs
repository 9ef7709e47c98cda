//! Gathers the status of the threads for the live view and `status`, on a separate thread. This
//! thread also passes copies to the view and to the clients' server.
//!
//! It takes locks that threads without any right to the processor hold for a moment. The supervisor
//! must not wait for those, because the loop takes its silence for a hang.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hapticd_sync::latest;

use super::notifier::{self, Notifier};
use super::shown::Frames;
use super::supervise::Signs;
use hapticd_monitor::scribe::Live;

/// Time between two rounds.
const ROUND: Duration = Duration::from_millis(20);

/// Which of the optional threads exist.
#[derive(Clone, Copy)]
pub(super) struct Present {
    pub(super) deformable: bool,
    pub(super) skin: bool,
}

/// Destinations of the copies.
pub(super) struct Copies {
    /// For the status, written in every round.
    pub(super) status: latest::Writer<Live>,
    /// For the view, written less often.
    pub(super) frames: Frames,
    pub(super) view_every: Duration,
}

/// Gathers until `stop` is set.
pub(super) fn gather(
    signs: &Signs,
    present: Present,
    live: &Mutex<Live>,
    mut copies: Copies,
    stop: &AtomicBool,
) {
    let mut shown: Option<Instant> = None;
    let mut told = Notifier::default();
    while !stop.load(Ordering::Relaxed) {
        told.near(&signs.near, live);
        notifier::broad(&signs.broad, live);
        if present.deformable {
            told.deformable(&signs.deformable, live);
        }
        if present.skin {
            told.skin(&signs.skin, live);
        }
        if let Ok(live) = live.lock() {
            copies.status.overwrite(|copy| copy.clone_from(&live));
            if shown.is_none_or(|at| at.elapsed() >= copies.view_every) {
                shown = Some(Instant::now());
                copies.frames.show(&live);
            }
        }
        std::thread::sleep(ROUND);
    }
}
