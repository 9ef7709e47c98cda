//! The live view of `hapticd demo` and `hapticd run`: a screen of the arms, the loop and the
//! events. If standard output is not a terminal, it prints plain lines.
//!
//! [`draw::draw`] and [`plain::line`] are pure. [`View`] owns the terminal on separate threads, so
//! a terminal that takes no output (a stalled connection) holds up neither the loop nor the
//! supervisor. Frames pass through a queue of one and are dropped while the thread is busy. A
//! second thread reads keys and writes nothing, so `q` works on such a terminal as well. The
//! terminal is restored when the view is dropped, and on a panic of any thread.

pub mod arm;
pub mod draw;
pub mod held_log;
pub mod plain;
pub mod screen;
pub mod summary;
pub mod text;
pub mod timing;
mod trouble;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use self::screen::Screen;
use crate::scribe::Live;

/// Time between two frames: 15 a second.
pub const FRAME: Duration = Duration::from_millis(66);
/// Interval between two polls of the keys.
const KEYS: Duration = Duration::from_millis(30);
/// Longest wait at the end for a terminal that takes no output.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the user of the live view wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewAction {
    /// The run continues.
    Continue,
    /// The run ends.
    Quit,
}

/// Action of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeyAction {
    Quit,
    Pause,
}

fn key_action(key: &KeyEvent) -> Option<KeyAction> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            Some(KeyAction::Quit)
        }
        KeyCode::Char('q' | 'Q') | KeyCode::Esc => Some(KeyAction::Quit),
        KeyCode::Char('p' | 'P' | ' ') => Some(KeyAction::Pause),
        _ => None,
    }
}

/// The live view on the terminal. Threads and screen start with the first frame, after the session
/// has blocked its signals.
pub struct View {
    title: String,
    running: Option<Running>,
    /// True if the terminal cannot be used; plain lines are printed from then on.
    failed: bool,
    last_line: Option<Instant>,
}

struct Running {
    frames: SyncSender<Box<Live>>,
    keys: Arc<Keys>,
    thread: JoinHandle<()>,
}

/// Actions that the keys requested.
#[derive(Default)]
struct Keys {
    quit: AtomicBool,
    paused: AtomicBool,
    /// True if the screen must be redrawn: pause or size has changed.
    changed: AtomicBool,
    /// True once the view has ended.
    over: AtomicBool,
}

impl View {
    /// Creates a view with this title. Does not touch the terminal yet.
    pub fn new(title: &str) -> Self {
        View {
            title: title.to_owned(),
            running: None,
            failed: false,
            last_line: None,
        }
    }

    /// Shows a frame if the terminal keeps up, and returns what the keys requested. Never waits for
    /// the terminal.
    pub fn show(&mut self, live: &Live) -> ViewAction {
        if self.running.is_none() && !self.failed {
            match start(&self.title) {
                Ok(running) => self.running = Some(running),
                Err(error) => {
                    tracing::warn!(
                        "the terminal cannot show the live view ({error}); a line a second instead"
                    );
                    self.failed = true;
                }
            }
        }
        let Some(running) = &self.running else {
            if self
                .last_line
                .is_none_or(|at| at.elapsed() >= Duration::from_secs(1))
            {
                self.last_line = Some(Instant::now());
                plain::print(live);
            }
            return ViewAction::Continue;
        };
        // If the queue is full, the terminal is slow, and the next frame will do.
        let _ = running.frames.try_send(Box::new(live.clone()));
        if running.keys.quit.load(Ordering::Relaxed) {
            ViewAction::Quit
        } else {
            ViewAction::Continue
        }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let Some(Running {
            frames,
            keys,
            thread,
        }) = self.running.take()
        else {
            return;
        };
        keys.over.store(true, Ordering::Relaxed);
        // The thread ends once no sender is left.
        drop(frames);
        let asked = Instant::now();
        while !thread.is_finished() && asked.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(2));
        }
        if thread.is_finished() {
            // The thread has restored the terminal; if it panicked, the hook has.
            let _ = thread.join();
        } else {
            // The terminal takes no output, but its mode can still be restored.
            screen::leave_mode();
        }
    }
}

fn start(title: &str) -> std::io::Result<Running> {
    let screen = Screen::enter()?;
    let (frames, receiver) = sync_channel(1);
    let keys = Arc::new(Keys::default());
    let (pressed, asked) = (keys.clone(), keys.clone());
    let title = title.to_owned();
    // This thread ends without a join when the view is over.
    std::thread::Builder::new()
        .name("keys".to_owned())
        .spawn(move || listen(&pressed))?;
    let thread = std::thread::Builder::new()
        .name("view".to_owned())
        .spawn(move || serve(screen, &receiver, &asked, title))?;
    Ok(Running {
        frames,
        keys,
        thread,
    })
}

/// Runs the key thread: reads keys, even while the terminal takes no output.
fn listen(keys: &Keys) {
    while !keys.over.load(Ordering::Relaxed) {
        // Closing the terminal of a live view ends the run in order. A terminal that hung up would
        // keep the event reader busy for ever.
        if screen::is_gone() {
            keys.quit.store(true, Ordering::Relaxed);
            return;
        }
        match event::poll(KEYS) {
            Ok(true) => {}
            Ok(false) => continue,
            Err(_) => {
                std::thread::sleep(KEYS);
                continue;
            }
        }
        match event::read() {
            Ok(Event::Key(key)) => match key_action(&key) {
                Some(KeyAction::Quit) => keys.quit.store(true, Ordering::Relaxed),
                Some(KeyAction::Pause) => {
                    keys.paused.fetch_xor(true, Ordering::Relaxed);
                    keys.changed.store(true, Ordering::Relaxed);
                }
                None => {}
            },
            Ok(Event::Resize(..)) => keys.changed.store(true, Ordering::Relaxed),
            // After an error the terminal is gone, which the next round tests.
            Ok(_) | Err(_) => {}
        }
    }
}

/// Runs the drawing thread.
fn serve(mut screen: Screen, frames: &Receiver<Box<Live>>, keys: &Keys, title: String) {
    let mut state = draw::State {
        title,
        paused: false,
    };
    let mut shown: Option<Box<Live>> = None;
    loop {
        let mut changed = keys.changed.swap(false, Ordering::Relaxed);
        state.paused = keys.paused.load(Ordering::Relaxed);
        match frames.recv_timeout(KEYS) {
            Ok(live) => {
                if !state.paused {
                    shown = Some(live);
                    changed = true;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        if changed
            && let Some(live) = &shown
            && screen
                .draw(|frame| draw::draw(frame, live, &state))
                .is_err()
        {
            // The terminal is gone, or the panic hook has restored it.
            keys.quit.store(true, Ordering::Relaxed);
            return;
        }
    }
}
