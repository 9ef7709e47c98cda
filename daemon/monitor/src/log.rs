//! The log: its destination, its format, and its level, which may change while the daemon runs.
//!
//! No thread of the daemon waits for the log's reader (`lines`). Nothing here may be called from a
//! real-time thread.

mod format;
mod lines;

use std::io::IsTerminal;

use hapticd_config::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Registry, fmt, reload};

use crate::view::held_log::HeldLog;

pub use format::{LogFormat, logged, time};
pub use lines::LogEnd;

/// Handle that changes the log level.
#[derive(Clone)]
pub struct LogLevel {
    filter: reload::Handle<LevelFilter, Registry>,
    /// Upper bound of the level, whatever the configuration says.
    most: LevelFilter,
}

impl LogLevel {
    /// Returns a subscriber's filter and the handle that changes it.
    fn new(level: Level, most: LevelFilter) -> (reload::Layer<LevelFilter, Registry>, Self) {
        let (layer, filter) = reload::Layer::new(filter(level).min(most));
        (layer, LogLevel { filter, most })
    }

    /// Sets the level from now on.
    pub fn set(&self, level: Level) {
        // This fails only if the subscriber is gone, and then nothing can log.
        let _ = self.filter.reload(filter(level).min(self.most));
    }
}

fn filter(level: Level) -> LevelFilter {
    match level {
        Level::Error => LevelFilter::ERROR,
        Level::Warn => LevelFilter::WARN,
        Level::Info => LevelFilter::INFO,
        Level::Debug => LevelFilter::DEBUG,
        Level::Trace => LevelFilter::TRACE,
    }
}

/// Starts the log on standard error. While the live view (`tui`) owns the terminal, lines for that
/// terminal are held back. Dropping the returned [`LogEnd`] prints them; it waits for the reader,
/// but only for a bounded time.
///
/// The second value is `None` if a descriptor or a thread could not be had; then nothing is logged.
pub fn start(level: Level, format: LogFormat, tui: bool) -> (LogLevel, Option<LogEnd>) {
    let terminal = std::io::stderr().is_terminal();
    let held = (tui && terminal).then(HeldLog::default);
    // While all is well, the screen shows what the log would say.
    let most = if held.is_some() {
        LevelFilter::WARN
    } else {
        LevelFilter::TRACE
    };
    let (filter, level) = LogLevel::new(level, most);
    let Ok((lines, end)) = lines::to_stderr(held, format.lost_line()) else {
        return (level, None);
    };
    let layer = fmt::layer()
        .with_ansi(terminal && format == LogFormat::Text)
        .event_format(format)
        .with_writer(move || lines.clone());
    // A second call (in tests) keeps the first subscriber.
    let _ = tracing_subscriber::registry()
        .with(filter)
        .with(layer)
        .try_init();
    // The default panic hook writes to standard error directly and would wait for its reader.
    std::panic::set_hook(Box::new(|panic| {
        let thread = std::thread::current();
        let name = thread.name().unwrap_or("?");
        tracing::error!("thread `{name}` {panic}");
    }));
    (level, Some(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Logs one line per level after each change of the level, and returns the lines that got
    /// through.
    fn logged(most: LevelFilter, levels: &[Level]) -> Vec<String> {
        let held = HeldLog::default();
        let writer = held.clone();
        let (filter, level) = LogLevel::new(Level::Info, most);
        let lines = fmt::layer()
            .with_ansi(false)
            .without_time()
            .with_target(false)
            .with_writer(move || writer.clone());
        let log = tracing_subscriber::registry().with(filter).with(lines);
        tracing::subscriber::with_default(log, || {
            let said = || {
                tracing::error!("e");
                tracing::warn!("w");
                tracing::info!("i");
                tracing::debug!("d");
                tracing::trace!("t");
                let text = String::from_utf8(held.take()).unwrap();
                text.lines()
                    .filter_map(|line| line.split_whitespace().last())
                    .collect::<String>()
            };
            let mut all = vec![said()];
            for to in levels {
                level.set(*to);
                all.push(said());
            }
            all
        })
    }

    #[test]
    fn the_level_changes_while_the_log_is_open() {
        let all = logged(
            LevelFilter::TRACE,
            &[Level::Trace, Level::Error, Level::Debug, Level::Warn],
        );
        assert_eq!(all, ["ewi", "ewidt", "e", "ewid", "ew"]);
    }

    #[test]
    fn a_log_behind_the_live_view_is_never_more_than_warnings() {
        let all = logged(LevelFilter::WARN, &[Level::Trace, Level::Error]);
        assert_eq!(all, ["ew", "ew", "e"]);
    }
}
