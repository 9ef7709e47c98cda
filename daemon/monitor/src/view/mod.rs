//! The live view of `hapticd demo` and `hapticd run`: a screen of the arms, the loop and the
//! events; and the plain lines for when standard output is no terminal.
//!
//! [`draw::draw`] and [`plain::line`] are pure. [`View`] owns the terminal on threads of its own,
//! so that a terminal that takes nothing (a stalled connection) holds up neither the loop nor the
//! supervisor: frames are handed over through a queue of one and dropped when the thread is busy. A
//! second thread reads keys and writes nothing, so `q` works on such a terminal, too. The terminal
//! is put back when the view is dropped, and on a panic of any thread.

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
/// How often keys are looked at.
const KEYS: Duration = Duration::from_millis(30);
/// How long the end waits for a terminal that takes nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// What the live view wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewAction {
    /// More.
    Continue,
    /// The end.
    Quit,
}

/// What a key asks for.
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

/// The live view on the terminal. The thread and the screen start with the first frame, after the
/// session has blocked its signals.
pub struct View {
    title: String,
    running: Option<Running>,
    /// The terminal cannot be used: plain lines from then on.
    failed: bool,
    last_line: Option<Instant>,
}

struct Running {
    frames: SyncSender<Box<Live>>,
    keys: Arc<Keys>,
    thread: JoinHandle<()>,
}

/// What the keys asked for.
#[derive(Default)]
struct Keys {
    quit: AtomicBool,
    paused: AtomicBool,
    /// What is shown is not what it should be: paused, or another size.
    changed: AtomicBool,
    /// The view has ended.
    over: AtomicBool,
}

impl View {
    /// `title` says what runs. Touches nothing yet.
    pub fn new(title: &str) -> Self {
        View {
            title: title.to_owned(),
            running: None,
            failed: false,
            last_line: None,
        }
    }

    /// Shows a frame if the terminal keeps up, and says what the keys asked for. Never waits for
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
        // Full: the terminal is slow, the next frame will do.
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
        // The thread ends when nobody can send any more.
        drop(frames);
        let asked = Instant::now();
        while !thread.is_finished() && asked.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(2));
        }
        if thread.is_finished() {
            // It has put the terminal back; if it panicked, the hook has.
            let _ = thread.join();
        } else {
            // The terminal takes no byte: its mode can still be put back.
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
    // It ends by itself when the view is over.
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

/// The keys' thread: hears what a person wants, also while the terminal takes nothing.
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
            // An error: the terminal went away, which is asked for next.
            Ok(_) | Err(_) => {}
        }
    }
}

/// The thread that draws what comes.
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
            // Gone, or given back by the panic hook.
            keys.quit.store(true, Ordering::Relaxed);
            return;
        }
    }
}
