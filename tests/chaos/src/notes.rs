//! What everybody writes down while an episode runs: one line of JSON each, with the time on
//! `CLOCK_MONOTONIC`, ns. All processes append to one file; a line is one write.

use crate::Failure;
use serde::{Deserialize, Serialize};
use std::{fs::File, fs::OpenOptions, io::Write, path::Path};

/// What was noted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// The daemon answered a tightening with "done". `arm` 255: all of them.
    Tightened {
        /// Which arm.
        arm: u8,
        /// Its peak, N.
        peak_n: f64,
        /// When it was asked for, ns.
        asked_ns: u64,
    },
    /// A technician is about to undo all tightenings of an arm.
    Undoing {
        /// Which arm.
        arm: u8,
    },
    /// It has the answer, whatever that is.
    Undone {
        /// Which arm.
        arm: u8,
    },
    /// The daemon said that a configuration with this peak is in force.
    Reloaded {
        /// Its peak, N.
        peak_n: f64,
    },
    /// A client is about to ask for a body under the right arm.
    Adding,
    /// It has it.
    Added {
        /// Which.
        body: u32,
    },
    /// The client that pressed is dead, and was waited for.
    Dead,
    /// It was stopped (SIGSTOP).
    Stopped,
    /// It goes on (SIGCONT).
    Continued,
    /// From here on every event is heard.
    Listening,
    /// A force-off event came.
    ForceOff {
        /// Which arm.
        arm: u8,
        /// The tick that it names.
        tick: u64,
        /// Its reason.
        reason: u8,
    },
    /// The daemon said how many events it could not tell.
    Lost {
        /// How many.
        count: u64,
    },
    /// SIGTERM was sent.
    Terminated,
    /// The daemon ended; no status after a kill.
    Exited {
        /// Its status.
        status: Option<i32>,
    },
    /// What the daemon holds: before all chaos, and after it.
    Usage {
        /// Before.
        before: bool,
        /// Resident, bytes.
        resident: u64,
        /// Open descriptors.
        descriptors: u64,
        /// Threads.
        threads: u64,
    },
    /// Something was done to the daemon. For people.
    Done {
        /// What.
        text: String,
    },
}

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// When, ns.
    pub at_ns: u64,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// The file that notes go to.
#[derive(Debug)]
pub struct Notes(File);

impl Notes {
    /// Opens it, or makes it.
    ///
    /// # Errors
    /// What the system says.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.map(Self)
    }

    /// Writes one down, with the time that it is.
    pub fn note(&self, what: What) {
        self.note_at(hapticd_sys::clock::now_ns(), what);
    }

    /// Writes one down with a time.
    pub fn note_at(&self, at_ns: u64, what: What) {
        let mut line = serde_json::to_vec(&Note { at_ns, what }).unwrap_or_default();
        line.push(b'\n');
        // A note that is not written makes the judge see more, never less.
        let _ = (&self.0).write_all(&line);
    }
}

/// All notes of a file, by time.
///
/// # Errors
/// What cannot be read; a last line that was cut off is left out.
pub fn read(path: &Path) -> Result<Vec<Note>, Failure> {
    let text = std::fs::read_to_string(path)?;
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let mut notes: Vec<Note> = whole
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    notes.sort_by_key(|note| note.at_ns);
    Ok(notes)
}
