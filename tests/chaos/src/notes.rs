//! Notes that all processes write during an episode: one line of JSON each, with the time on
//! `CLOCK_MONOTONIC`, ns. All processes append to one file; each line is a single write.

use crate::Failure;
use serde::{Deserialize, Serialize};
use std::{fs::File, fs::OpenOptions, io::Write, path::Path};

/// Content of a note.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum What {
    /// The daemon answered a tightening with "done". `arm` 255 stands for all arms.
    Tightened {
        /// Index of the arm.
        arm: u8,
        /// Peak force, N.
        peak_n: f64,
        /// Time of the request, ns.
        asked_ns: u64,
    },
    /// A technician is about to undo all tightenings of an arm.
    Undoing {
        /// Index of the arm.
        arm: u8,
    },
    /// The technician has an answer of any kind.
    Undone {
        /// Index of the arm.
        arm: u8,
    },
    /// The daemon confirmed that a configuration with this peak is in force.
    Reloaded {
        /// Peak force, N.
        peak_n: f64,
    },
    /// A client is about to request a body under the right arm.
    Adding,
    /// The client has the body.
    Added {
        /// Identity of the body.
        body: u32,
    },
    /// The pressing client is dead and was waited for.
    Dead,
    /// The pressing client was stopped (SIGSTOP).
    Stopped,
    /// The pressing client continues (SIGCONT).
    Continued,
    /// From here on every event is received.
    Listening,
    /// A force-off event arrived.
    ForceOff {
        /// Index of the arm.
        arm: u8,
        /// Tick in the event.
        tick: u64,
        /// Code of the reason.
        reason: u8,
    },
    /// The daemon reported how many events it could not deliver.
    Lost {
        /// Number of events.
        count: u64,
    },
    /// SIGTERM was sent.
    Terminated,
    /// The daemon ended; there is no status after a kill.
    Exited {
        /// Exit status.
        status: Option<i32>,
    },
    /// Resource usage of the daemon, before all chaos or after it.
    Usage {
        /// True before the chaos.
        before: bool,
        /// Resident memory, bytes.
        resident: u64,
        /// Number of open descriptors.
        descriptors: u64,
        /// Number of threads.
        threads: u64,
    },
    /// An action on the daemon; for people.
    Done {
        /// Description of the action.
        text: String,
    },
}

/// One line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    /// Time, ns.
    pub at_ns: u64,
    /// Content.
    #[serde(flatten)]
    pub what: What,
}

/// File of notes.
#[derive(Debug)]
pub struct Notes(File);

impl Notes {
    /// Opens or creates the file.
    ///
    /// # Errors
    /// The error of the system.
    pub fn open(path: &Path) -> std::io::Result<Self> {
        let file = OpenOptions::new().append(true).create(true).open(path);
        file.map(Self)
    }

    /// Writes a note with the current time.
    pub fn note(&self, what: What) {
        self.note_at(hapticd_sys::clock::now_ns(), what);
    }

    /// Writes a note with a given time.
    pub fn note_at(&self, at_ns: u64, what: What) {
        let mut line = serde_json::to_vec(&Note { at_ns, what }).unwrap_or_default();
        line.push(b'\n');
        // A missing note makes the judge report more, never less.
        let _ = (&self.0).write_all(&line);
    }
}

/// Reads all notes of a file, sorted by time.
///
/// # Errors
/// What cannot be read; a truncated last line is skipped.
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
