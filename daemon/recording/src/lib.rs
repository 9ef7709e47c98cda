//! Recordings: everything that crosses the borders of the haptic loop, written as MCAP. A replay
//! computes it again bit for bit.
//!
//! A recording holds the configuration with every file that it names. It has one message per tick
//! (what went in and what came out) and one per collision step (which query it answered, and which
//! commands it applied to the scene before). That is enough: the loop is a pure function of its
//! inputs and of the snapshots that it was offered, and a snapshot is a pure function of the query
//! and the scene. The computation sees the tick's deadline as its time, so this holds in real time
//! as well as in virtual time.
//!
//! The files are plain MCAP (<https://mcap.dev>) with JSON messages and their JSON Schemas. They
//! are not compressed, so Foxglove and Rerun open them. Topics: [`TICK`], [`COLLISION`], [`EVENT`].
//!
//! Nothing here runs on a real-time thread: the scribe feeds the recorder. Everything allocates and
//! does file I/O. No bytes of a file that is read can cause a panic, and memory is bounded by the
//! size of that file.

mod chunk;
pub mod command;
pub mod effect;
pub mod energy;
pub mod files;
pub mod grasp;
pub mod message;
pub mod number;
mod read_error;
pub mod reader;
pub mod schema;
pub mod spatial;
pub mod trajectory;
pub mod workspace;
pub mod writer;

use std::collections::BTreeMap;

pub use read_error::ReadError;
pub use reader::{Event, Reader};
pub use writer::{Recorder, Setup};

use hapticd_collision::step_log::StepLog;
use hapticd_loop::record::TickRecord;

/// Consumer of tick records and collision steps. [`Recorder`] implements it.
pub trait Sink: Send {
    /// Takes one tick. An error ends the recording, not the run.
    fn tick(&mut self, record: &TickRecord) -> Result<(), String>;
    /// Takes one collision step.
    fn step(&mut self, step: &StepLog) -> Result<(), String>;
    /// Takes an event in words, stamped with a time of the loop.
    fn event(&mut self, now_ns: u64, text: &str) -> Result<(), String>;
    /// Ends the recording.
    fn finish(&mut self) -> Result<(), String>;
}

/// Topic with one message per tick.
pub const TICK: &str = "/tick";
/// Topic with one message per collision step.
pub const COLLISION: &str = "/collision";
/// Topic with events in words.
pub const EVENT: &str = "/event";
/// Name of the metadata record that marks an MCAP file as a recording of hapticd.
pub const METADATA: &str = "hapticd";
/// Name of the attachment with the effective configuration.
pub const CONFIG: &str = "hapticd.toml";
/// Prefix of the attachments with the files that the configuration names. Their number in the order
/// of [`files::paths`], a space and the original path follow it.
pub const FILE: &str = "file/";
/// Version of the content of the messages. The reader refuses files of another version.
///
/// 2: an arm's input has `limits` and `cleared` instead of the arm's `tightened` and the tick's
/// `cleared`.
/// 3: `near_by_gpu`, `near_gpu_ns` and the keys with `soft` are `mid_phase_by_gpu`,
/// `mid_phase_gpu_ns` and `deformable`.
pub const FORMAT: u32 = 3;

/// Clock of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Time {
    /// The monotonic clock.
    Real,
    /// The clock of a run in virtual time.
    Virtual,
}

impl Time {
    /// `"real"` or `"virtual"`.
    pub fn word(self) -> &'static str {
        match self {
            Time::Real => "real",
            Time::Virtual => "virtual",
        }
    }
}

/// Metadata of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Version of the messages, see [`FORMAT`].
    pub format: u32,
    /// Version of the hapticd that wrote it.
    pub version: String,
    /// Clock of the run.
    pub time: Time,
    /// The file holds only device poses, for a simulated hand to follow. It cannot be replayed.
    pub trajectory: bool,
}

impl Meta {
    /// Returns the metadata of a file that this program writes.
    pub fn of_this(time: Time, trajectory: bool) -> Self {
        Meta {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            time,
            trajectory,
        }
    }

    fn to_map(&self) -> BTreeMap<String, String> {
        BTreeMap::from([
            ("format".to_owned(), self.format.to_string()),
            ("version".to_owned(), self.version.clone()),
            ("time".to_owned(), self.time.word().to_owned()),
            (
                "content".to_owned(),
                if self.trajectory { "trajectory" } else { "run" }.to_owned(),
            ),
        ])
    }

    fn from_map(map: &BTreeMap<String, String>) -> Option<Self> {
        Some(Meta {
            format: map.get("format")?.parse().ok()?,
            version: map.get("version")?.clone(),
            time: match map.get("time")?.as_str() {
                "real" => Time::Real,
                "virtual" => Time::Virtual,
                _ => return None,
            },
            trajectory: map.get("content")? == "trajectory",
        })
    }
}
