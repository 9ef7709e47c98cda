//! Runs the live view and the plain lines on a separate thread, because their reader may stop
//! reading.
//!
//! At most one frame waits, the newest. No thread waits for this one, except for a moment at the
//! end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, TrySendError, bounded};

use super::stop::ends_soon;
use super::{SessionError, Show, ViewAction, thread};
use hapticd_monitor::scribe::Live;

/// Handle of the thread, with the wish of its user.
pub(super) struct ViewThread {
    quit: Arc<AtomicBool>,
    thread: JoinHandle<()>,
}

/// Sender of frames. The thread ends when it is dropped.
pub(super) struct Frames {
    frames: Sender<Box<Live>>,
    /// Other end of the same queue, to take back a frame that was not shown.
    unseen: Receiver<Box<Live>>,
}

impl ViewThread {
    /// Starts the thread.
    ///
    /// # Errors
    /// If the thread cannot be created.
    pub(super) fn start(mut show: Show) -> Result<(Self, Frames), SessionError> {
        let (frames, unseen) = bounded::<Box<Live>>(1);
        let quit = Arc::new(AtomicBool::new(false));
        let (queue, asked) = (unseen.clone(), quit.clone());
        let thread = thread::spawn("show", move || {
            for live in queue {
                if show(&live) == ViewAction::Quit {
                    asked.store(true, Ordering::Relaxed);
                }
            }
        })?;
        Ok((ViewThread { quit, thread }, Frames { frames, unseen }))
    }

    /// Returns the last wish of the view. Never waits.
    pub(super) fn last_action(&self) -> ViewAction {
        if self.quit.load(Ordering::Relaxed) {
            ViewAction::Quit
        } else {
            ViewAction::Continue
        }
    }

    /// Waits for the end of the thread, which restores the terminal. A thread that waits for a
    /// reader is left to the end of the process.
    pub(super) fn end(self) {
        if ends_soon(&self.thread) {
            // If it panicked, there was nothing more to show.
            let _ = self.thread.join();
        }
    }
}

impl Frames {
    /// Hands over a frame, which replaces one that was not shown yet. Never waits.
    pub(super) fn show(&self, live: &Live) {
        if let Err(TrySendError::Full(frame)) = self.frames.try_send(Box::new(live.clone())) {
            let _ = self.unseen.try_recv();
            // The queue cannot be full again, because there is no other sender.
            let _ = self.frames.try_send(frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_frame_waits_while_the_reader_does_not_read() {
        let (entered, enters) = bounded(8);
        let (go, gate) = bounded::<()>(8);
        let (shown, frames) = ViewThread::start(Box::new(move |live| {
            entered.send(live.record.tick).unwrap();
            gate.recv().unwrap();
            if live.record.tick == 9 {
                ViewAction::Quit
            } else {
                ViewAction::Continue
            }
        }))
        .unwrap();
        let mut live = Live::new();
        live.record.tick = 1;
        frames.show(&live);
        assert_eq!(shown.last_action(), ViewAction::Continue);
        assert_eq!(enters.recv().unwrap(), 1);
        for tick in 2..10 {
            live.record.tick = tick;
            frames.show(&live);
        }
        go.send(()).unwrap();
        go.send(()).unwrap();
        assert_eq!(enters.recv().unwrap(), 9);
        let quit = shown.quit.clone();
        drop(frames);
        shown.end();
        assert!(quit.load(Ordering::Relaxed));
        assert!(enters.try_recv().is_err(), "what was between is not shown");
    }
}
