//! The terminal in the state that the live view needs, and its way back.
//!
//! [`Screen::enter`] switches to the alternate screen without echo, line editing and cursor. It is
//! put back exactly once: when the [`Screen`] is dropped, or by the panic hook, which runs first so
//! that the panic's message is readable on the ordinary screen. Blocks for as long as the terminal
//! does.

use std::io::{self, Stdout};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, window_size,
};
use ratatui::{Frame, Terminal};

/// The terminal is ours.
static OURS: AtomicBool = AtomicBool::new(false);

/// See the module page. There is one terminal, so there can be one of these.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal of standard output.
    ///
    /// # Errors
    /// If it is none, or cannot be put into the needed mode; it is then as it was.
    pub fn enter() -> io::Result<Self> {
        put_back_on_panic();
        enable_raw_mode()?;
        OURS.store(true, Ordering::SeqCst);
        let made = execute!(io::stdout(), EnterAlternateScreen, Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match made {
            // Not cleared: the alternate screen is empty, and clearing asks for the cursor's
            // position, which some terminals do not tell.
            Ok(terminal) => Ok(Screen { terminal }),
            Err(error) => {
                leave();
                Err(error)
            }
        }
    }

    /// Draws one frame.
    ///
    /// # Errors
    /// If the terminal is gone, or no longer ours.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        if !OURS.load(Ordering::SeqCst) {
            return Err(io::Error::other("the terminal was given back"));
        }
        self.terminal.draw(draw).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Whether the terminal hung up.
pub(super) fn is_gone() -> bool {
    window_size().is_err()
}

/// Puts the terminal back, once; later calls do nothing.
fn leave() {
    if OURS.swap(false, Ordering::SeqCst) {
        // Nobody to tell if it fails: the terminal is gone.
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// Puts only the line discipline back, which cannot block; for a terminal that takes no output.
pub(super) fn leave_mode() {
    if OURS.swap(false, Ordering::SeqCst) {
        let _ = disable_raw_mode();
    }
}

fn put_back_on_panic() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            leave();
            before(info);
        }));
    });
}
