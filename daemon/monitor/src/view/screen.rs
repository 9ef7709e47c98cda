//! Puts the terminal into the state that the live view needs, and restores it.
//!
//! [`Screen::enter`] switches to the alternate screen without echo, line editing and cursor. The
//! terminal is restored exactly once: when the [`Screen`] is dropped, or by the panic hook. The
//! hook runs first, so the panic message is readable on the ordinary screen. Blocks for as long as
//! the terminal does.

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

/// True while this process has the terminal in the state for the live view.
static IS_ENTERED: AtomicBool = AtomicBool::new(false);

/// The terminal in the state for the live view; see the module page. There is one terminal, so at
/// most one of these exists.
pub struct Screen {
    terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl Screen {
    /// Takes the terminal of standard output.
    ///
    /// # Errors
    /// If standard output is not a terminal, or cannot be put into the needed mode. The terminal is
    /// then as before.
    pub fn enter() -> io::Result<Self> {
        put_back_on_panic();
        enable_raw_mode()?;
        IS_ENTERED.store(true, Ordering::SeqCst);
        let made = execute!(io::stdout(), EnterAlternateScreen, Hide)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stdout())));
        match made {
            // No clear: the alternate screen is empty, and clearing queries the cursor's position,
            // which some terminals do not report.
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
    /// If the terminal is gone, or has been restored.
    pub fn draw(&mut self, draw: impl FnOnce(&mut Frame)) -> io::Result<()> {
        if !IS_ENTERED.load(Ordering::SeqCst) {
            return Err(io::Error::other("the terminal was restored"));
        }
        self.terminal.draw(draw).map(|_| ())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        leave();
    }
}

/// Returns whether the terminal hung up.
pub(super) fn is_gone() -> bool {
    window_size().is_err()
}

/// Restores the terminal once; later calls do nothing.
fn leave() {
    if IS_ENTERED.swap(false, Ordering::SeqCst) {
        // If this fails, the terminal is gone, and the error can be reported to nobody.
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// Restores only the line discipline, which cannot block. For a terminal that takes no output.
pub(super) fn leave_mode() {
    if IS_ENTERED.swap(false, Ordering::SeqCst) {
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
