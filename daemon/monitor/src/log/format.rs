//! Format of the log's lines: for a person, for a program, for systemd's journal.

use crate::view::held_log::HeldLog;
use std::fmt::{self, Write as _};
use tracing_subscriber::layer::SubscriberExt;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The form of the log's lines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum LogFormat {
    /// Time, level, words.
    #[default]
    Text,
    /// One object a line: `time`, `level`, `target`, `message`, and the fields of the event.
    Json,
    /// For systemd: the priority in angle brackets; time and level are the journal's.
    Journal,
}

/// Fields that name the subject of a line. They precede the words.
const SUBJECTS: [&str; 2] = ["arm", "client"];
/// Fields for programs, whose values the words already contain. They appear in JSON only.
const IN_WORDS: [&str; 9] = [
    "event", "reason", "off_ms", "count", "name", "pid", "uid", "value", "limit",
];

/// The message and the fields of an event.
#[derive(Default)]
struct Fields {
    message: String,
    rest: Vec<(&'static str, Value)>,
}

impl Fields {
    fn put(&mut self, field: &Field, value: Value) {
        if field.name() == "message" {
            self.message = words(&value);
        } else {
            self.rest.push((field.name(), value));
        }
    }
}

impl Visit for Fields {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put(field, format!("{value:?}").into());
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, value.into());
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, value.into());
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, value.into());
    }
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, value.into());
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, value.into());
    }
}

/// Returns a value as text, without the quotation marks of JSON.
fn words(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the time of day as the log writes it: UTC, RFC 3339.
#[must_use]
pub fn time() -> String {
    let mut time = String::new();
    // Writing into a string does not fail.
    let _ = SystemTime.format_time(&mut Writer::new(&mut time));
    time
}

impl LogFormat {
    /// Returns the function that makes the line in place of `lost` missing lines.
    pub(super) fn lost_line(self) -> fn(u64) -> Vec<u8> {
        let of: fn(u64) -> Vec<u8> = match self {
            LogFormat::Text => |lost| LogFormat::Text.lost(lost),
            LogFormat::Json => |lost| LogFormat::Json.lost(lost),
            LogFormat::Journal => |lost| LogFormat::Journal.lost(lost),
        };
        of
    }

    fn lost(self, lost: u64) -> Vec<u8> {
        let fields = Fields {
            message: format!("{lost} lines of the log are missing here: nobody was reading it"),
            rest: vec![("event", "log_lost".into()), ("count", lost.into())],
        };
        self.line(&Level::WARN, "hapticd::log", fields, false)
            .into_bytes()
    }

    /// Returns the line with a line end, or several lines if the message has several.
    fn line(self, level: &Level, target: &str, fields: Fields, colours: bool) -> String {
        match self {
            LogFormat::Json => {
                let mut object = Map::new();
                object.insert("time".into(), time().into());
                object.insert("level".into(), level.as_str().to_lowercase().into());
                object.insert("target".into(), target.into());
                object.insert("message".into(), fields.message.into());
                for (name, value) in fields.rest {
                    object.insert(name.into(), value);
                }
                Value::Object(object).to_string() + "\n"
            }
            LogFormat::Text => {
                let (dim, colour, plain) = match *level {
                    _ if !colours => ("", "", ""),
                    Level::ERROR => ("\x1b[2m", "\x1b[31m", "\x1b[0m"),
                    Level::WARN => ("\x1b[2m", "\x1b[33m", "\x1b[0m"),
                    Level::INFO => ("\x1b[2m", "\x1b[32m", "\x1b[0m"),
                    _ => ("\x1b[2m", "\x1b[34m", "\x1b[0m"),
                };
                let (time, text) = (time(), fields.text());
                format!("{dim}{time}{plain} {colour}{level:>5}{plain} {text}\n")
            }
            LogFormat::Journal => {
                let priority = match *level {
                    Level::ERROR => 3,
                    Level::WARN => 4,
                    Level::INFO => 6,
                    _ => 7,
                };
                let text = fields.text();
                let line = |line: &str| format!("<{priority}>{line}\n");
                text.lines().map(line).collect()
            }
        }
    }
}

impl Fields {
    /// Returns subject, words and remaining fields.
    fn text(&self) -> String {
        let mut text = String::new();
        let (subjects, rest): (Vec<_>, Vec<_>) = self
            .rest
            .iter()
            .filter(|(name, _)| !IN_WORDS.contains(name))
            .partition(|(name, _)| SUBJECTS.contains(name));
        // Writing into a string does not fail.
        for (name, value) in subjects {
            let _ = write!(text, "{name}={} ", words(value));
        }
        text += &self.message;
        for (name, value) in rest {
            let _ = write!(text, " {name}={}", words(value));
        }
        text
    }
}

impl<S, N> FormatEvent<S, N> for LogFormat
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let mut fields = Fields::default();
        event.record(&mut fields);
        let (meta, colours) = (event.metadata(), writer.has_ansi_escapes());
        writer.write_str(&self.line(meta.level(), meta.target(), fields, colours))
    }
}

/// Returns the output of `what` to the log in this format. For tests.
pub fn logged(format: LogFormat, what: impl FnOnce()) -> String {
    let held = HeldLog::default();
    let writer = held.clone();
    let lines = tracing_subscriber::fmt::layer()
        .with_ansi(false)
        .event_format(format)
        .with_writer(move || writer.clone());
    let log = tracing_subscriber::registry().with(lines);
    tracing::subscriber::with_default(log, what);
    String::from_utf8(held.take()).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one() {
        tracing::warn!(
            arm = "right",
            reason = 34,
            tick = 7,
            "force \"off\":\ntoo old"
        );
    }

    #[test]
    fn text_has_time_level_subject_words_and_the_rest() {
        let line = logged(LogFormat::Text, one);
        let (time, rest) = line.split_once(' ').unwrap();
        assert!(time.ends_with('Z') && time.contains('T'), "{line}");
        assert_eq!(rest, " WARN arm=right force \"off\":\ntoo old tick=7\n");
    }

    #[test]
    fn json_is_one_object_a_line_with_every_field() {
        let line = logged(LogFormat::Json, one);
        assert_eq!(line.lines().count(), 1);
        let object: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(object["level"], "warn");
        assert_eq!(object["arm"], "right");
        assert_eq!(object["reason"], 34);
        assert_eq!(object["tick"], 7);
        assert_eq!(object["message"], "force \"off\":\ntoo old");
        assert!(object["time"].is_string() && object["target"].is_string());
    }

    #[test]
    fn each_line_for_the_journal_begins_with_its_priority() {
        let said = logged(LogFormat::Journal, || {
            one();
            tracing::error!("e");
            tracing::info!("i");
            tracing::debug!("d");
        });
        let expected = "<4>arm=right force \"off\":\n<4>too old tick=7\n<3>e\n<6>i\n<7>d\n";
        assert_eq!(said, expected);
    }

    #[test]
    fn a_gap_is_a_line_of_its_form() {
        let text = |format: LogFormat| String::from_utf8((format.lost_line())(3)).unwrap();
        assert!(
            text(LogFormat::Text)
                .ends_with("WARN 3 lines of the log are missing here: nobody was reading it\n")
        );
        assert!(text(LogFormat::Journal).starts_with("<4>3 lines"));
        let object: Value = serde_json::from_str(&text(LogFormat::Json)).unwrap();
        assert_eq!(
            (&object["event"], &object["count"]),
            (&"log_lost".into(), &3.into())
        );
    }
}
