//! The recorder: a [`Sink`] that writes MCAP.
//!
//! It runs on the scribe thread and may block there on the disk. That delays the statistics and
//! loses records after four seconds, but it never delays the loop. Messages are collected into
//! chunks in memory. A chunk is written at once, at the latest after one second of ticks, so a
//! crash loses at most a second.
//!
//! A failed write (a full disk) ends the recording: the file is cut back to its last whole chunk
//! and closed there, so its content stays readable. Reaching the size limit ends the recording in
//! order.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};

use hapticd_proxy::MAX_ARMS;
use mcap::records::{MessageHeader, Metadata};
use mcap::{Attachment, WriteOptions};
use serde::Serialize;

use super::files::Embedded;
use super::message::{EventMessage, LastStated, StepMessage, TickMessage};
use super::{COLLISION, CONFIG, EVENT, FILE, METADATA, Meta, TICK, schema};
use crate::Sink;
use hapticd_collision::step_log::StepLog;
use hapticd_loop::record::TickRecord;

/// Destination of a recording.
pub trait Output: Write + Send {
    /// Truncates the output to its first `len` bytes and continues writing there.
    ///
    /// # Errors
    /// If the output cannot be truncated.
    fn cut(&mut self, len: u64) -> io::Result<()>;

    /// Returns whether the output is lost because its file was removed in the meantime.
    fn is_gone(&self) -> bool {
        false
    }
}

impl Output for File {
    fn cut(&mut self, len: u64) -> io::Result<()> {
        self.set_len(len)?;
        self.seek(SeekFrom::Start(len)).map(drop)
    }

    fn is_gone(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        self.metadata()
            .is_ok_and(|file| file.is_file() && file.nlink() == 0)
    }
}

/// Counts the bytes that pass. MCAP asks for the position but must not seek, and the recorder reads
/// the count from outside.
struct Counted<W> {
    inner: W,
    bytes: Arc<AtomicU64>,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(buf)?;
        self.bytes.fetch_add(n as u64, Relaxed);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<W> Seek for Counted<W> {
    /// Returns the current position. Any other target is unsupported.
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let here = self.bytes.load(Relaxed);
        match to {
            SeekFrom::Current(0) => Ok(here),
            SeekFrom::Start(n) if n == here => Ok(n),
            _ => Err(io::Error::from(io::ErrorKind::Unsupported)),
        }
    }
}

/// What the recorder needs at the start.
pub struct Setup<'a> {
    /// Metadata of the file.
    pub meta: Meta,
    /// The effective configuration.
    pub config: &'a str,
    /// The files that the configuration names.
    pub files: &'a [Embedded],
    /// Number of configured arms.
    pub arms: usize,
    /// Size limit of the file, bytes: the recording ends before it exceeds it.
    pub max_bytes: u64,
    /// Wall clock (ns since 1970) at the zero of the loop's clock, for viewers. The messages
    /// themselves keep the loop's time.
    pub epoch_ns: u64,
}

/// Bytes of messages after which a chunk is written.
const CHUNK_BYTES: usize = 512 * 1024;
/// Ticks after which a chunk is written, however small it is.
const CHUNK_TICKS: u32 = 1000;
/// Overhead of a message in bytes: its header and its entry in the message index.
const MESSAGE_BYTES: u64 = 31 + 16;
/// Bytes reserved for the summary: schemas, channels, statistics and so on. Each chunk adds its
/// index.
const SUMMARY_BYTES: u64 = 32 * 1024;
const CHUNK_INDEX_BYTES: u64 = 256;

#[derive(Clone, Copy)]
struct Channels {
    tick: u16,
    collision: u16,
    event: u16,
}

/// Writes a recording; see the module page.
pub struct Recorder<W: Output> {
    /// `None` once the recording has ended.
    writer: Option<mcap::Writer<Counted<W>>>,
    written: Arc<AtomicU64>,
    channels: Channels,
    arms: usize,
    max_bytes: u64,
    epoch_ns: u64,
    last: [LastStated; MAX_ARMS],
    text: Vec<u8>,
    /// Length of the file after the last whole chunk.
    whole_bytes: u64,
    pending_bytes: u64,
    pending_ticks: u32,
    summary_bytes: u64,
    now_ns: u64,
    /// Time of the first tick, where the session begins.
    start_ns: Option<u64>,
    /// Time of the last tick in the last whole chunk.
    whole_ns: u64,
    sequence: u32,
    failure: Arc<OnceLock<String>>,
}

impl<W: Output> Recorder<W> {
    /// Writes everything that precedes the messages.
    ///
    /// # Errors
    /// The error of the output, in words.
    pub fn new(output: W, setup: &Setup<'_>) -> Result<Self, String> {
        let written = Arc::new(AtomicU64::new(0));
        let counted = Counted {
            inner: output,
            bytes: written.clone(),
        };
        let options = WriteOptions::new()
            .compression(None)
            .profile("hapticd")
            .library(format!("hapticd {}", setup.meta.version))
            .chunk_size(None)
            .disable_seeking(true);
        let begin = || -> mcap::McapResult<(mcap::Writer<Counted<W>>, Channels)> {
            let mut writer = options.create(counted)?;
            writer.write_metadata(&Metadata {
                name: METADATA.to_owned(),
                metadata: setup.meta.to_map(),
            })?;
            if !setup.meta.trajectory {
                attach(
                    &mut writer,
                    CONFIG,
                    "application/toml",
                    setup.config.as_bytes(),
                    setup.epoch_ns,
                )?;
            }
            for (i, file) in setup.files.iter().enumerate() {
                let name = format!("{FILE}{i} {}", file.path.display());
                attach(
                    &mut writer,
                    &name,
                    "application/octet-stream",
                    &file.bytes,
                    setup.epoch_ns,
                )?;
            }
            let mut channel = |topic: &str, name: &str, schema: serde_json::Value| {
                let id = writer.add_schema(name, "jsonschema", schema.to_string().as_bytes())?;
                writer.add_channel(id, topic, "json", &BTreeMap::new())
            };
            let channels = if setup.meta.trajectory {
                let tick = channel(TICK, "hapticd.Trajectory", schema::trajectory())?;
                Channels {
                    tick,
                    collision: tick,
                    event: tick,
                }
            } else {
                Channels {
                    tick: channel(TICK, "hapticd.Tick", schema::tick())?,
                    collision: channel(COLLISION, "hapticd.Collision", schema::collision())?,
                    event: channel(EVENT, "hapticd.Event", schema::event())?,
                }
            };
            writer.flush()?;
            Ok((writer, channels))
        };
        let (writer, channels) = begin().map_err(|e| words(&e))?;
        let whole_bytes = written.load(Relaxed);
        Ok(Recorder {
            written,
            writer: Some(writer),
            channels,
            arms: setup.arms.min(MAX_ARMS),
            max_bytes: setup.max_bytes,
            epoch_ns: setup.epoch_ns,
            last: [LastStated::default(); MAX_ARMS],
            text: Vec::new(),
            whole_bytes,
            pending_bytes: 0,
            pending_ticks: 0,
            summary_bytes: SUMMARY_BYTES,
            now_ns: 0,
            start_ns: None,
            whole_ns: 0,
            sequence: 0,
            failure: Arc::default(),
        })
    }

    /// Returns the cell that later holds the reason why the recording is incomplete. Reaching the
    /// size limit is not a failure.
    pub fn failure(&self) -> Arc<OnceLock<String>> {
        self.failure.clone()
    }

    /// Returns the size of the file so far and of what waits to be written, bytes.
    pub fn bytes(&self) -> u64 {
        self.whole_bytes + self.pending_bytes
    }

    /// Writes one pose of a trajectory on the tick channel.
    pub(super) fn trajectory_point(
        &mut self,
        now_ns: u64,
        point: &impl Serialize,
    ) -> Result<(), String> {
        self.now_ns = now_ns;
        self.message(self.channels.tick, point)
    }

    fn message(&mut self, channel_id: u16, message: &impl Serialize) -> Result<(), String> {
        if self.writer.is_none() {
            return Err("it has already ended".to_owned());
        }
        self.text.clear();
        // This can fail only for a map whose keys are not strings.
        serde_json::to_writer(&mut self.text, message).map_err(|e| e.to_string())?;
        let bytes = self.text.len() as u64 + MESSAGE_BYTES;
        let total = self.bytes() + bytes + self.summary_bytes + CHUNK_INDEX_BYTES;
        if total > self.max_bytes {
            self.finish()?;
            return Err(format!(
                "it reached its size limit, max_bytes = {}",
                self.max_bytes
            ));
        }
        self.pending_bytes += bytes;
        let log_time = self.epoch_ns.saturating_add(self.now_ns);
        self.sequence = self.sequence.wrapping_add(1);
        let header = MessageHeader {
            channel_id,
            sequence: self.sequence,
            log_time,
            publish_time: log_time,
        };
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        let mut done = writer.write_to_known_channel(&header, &self.text);
        if done.is_ok()
            && (self.pending_bytes > CHUNK_BYTES as u64 || self.pending_ticks >= CHUNK_TICKS)
        {
            done = writer.flush();
            if done.is_ok() {
                self.whole_bytes = self.written.load(Relaxed);
                self.whole_ns = self.now_ns;
                self.pending_bytes = 0;
                self.pending_ticks = 0;
                self.summary_bytes += CHUNK_INDEX_BYTES;
            }
        }
        done.map_err(|e| self.fail(&e))
    }

    /// Ends the recording after an error: truncates the file to its last whole chunk and closes it.
    fn fail(&mut self, error: &mcap::McapError) -> String {
        let why = words(error);
        let Some(writer) = self.writer.take() else {
            return why;
        };
        let mut output = writer.into_inner().inner;
        // An output that cannot be truncated (a pipe, a device), or that fails again, stays as it
        // is. The reader copes with it.
        let said = match output
            .cut(self.whole_bytes)
            .and_then(|()| output.write_all(&closing()))
            .and_then(|()| output.flush())
        {
            Ok(()) => {
                // In the time of the session, as everywhere else: the zero of the clock itself is
                // arbitrary.
                let whole_ns = self.whole_ns.saturating_sub(self.start_ns.unwrap_or(0));
                format!(
                    "{why}; the file is whole up to {:.3} s",
                    whole_ns as f64 * 1e-9
                )
            }
            Err(again) => format!("{why}; the end of the file is damaged ({again})"),
        };
        // The first failure is the cause.
        let _ = self.failure.set(said.clone());
        said
    }
}

fn attach<W: Output>(
    writer: &mut mcap::Writer<Counted<W>>,
    name: &str,
    media_type: &str,
    data: &[u8],
    time_ns: u64,
) -> mcap::McapResult<()> {
    writer.attach(&Attachment {
        log_time: time_ns,
        create_time: time_ns,
        name: name.to_owned(),
        media_type: media_type.to_owned(),
        data: data.into(),
    })
}

/// Returns the bytes that end an MCAP file without a summary: data end, footer, magic.
fn closing() -> Vec<u8> {
    let mut end = vec![mcap::records::op::DATA_END];
    end.extend(4u64.to_le_bytes());
    end.extend([0; 4]);
    end.push(mcap::records::op::FOOTER);
    end.extend(20u64.to_le_bytes());
    end.extend([0; 20]);
    end.extend(mcap::MAGIC);
    end
}

/// Returns an MCAP error together with its cause, which its own text omits.
pub(super) fn words(error: &mcap::McapError) -> String {
    match error {
        // The library's own text also mentions compression.
        mcap::McapError::Io(cause) => cause.to_string(),
        other => match std::error::Error::source(other) {
            Some(cause) => format!("{other}: {cause}"),
            None => other.to_string(),
        },
    }
}

impl<W: Output> Sink for Recorder<W> {
    fn tick(&mut self, record: &TickRecord) -> Result<(), String> {
        self.now_ns = record.now_ns;
        self.start_ns.get_or_insert(record.now_ns);
        self.pending_ticks += 1;
        let message = TickMessage::of(record, self.arms, &mut self.last);
        self.message(self.channels.tick, &message)
    }

    fn step(&mut self, step: &StepLog) -> Result<(), String> {
        self.message(self.channels.collision, &StepMessage::from(step))
    }

    fn event(&mut self, now_ns: u64, text: &str) -> Result<(), String> {
        self.message(
            self.channels.event,
            &EventMessage {
                now_ns,
                text: text.to_owned(),
            },
        )
    }

    fn finish(&mut self) -> Result<(), String> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        match writer.finish() {
            Ok(_) => {
                let Some(mut output) = self.writer.take().map(|w| w.into_inner().inner) else {
                    return Ok(());
                };
                output.flush().map_err(|e| e.to_string())?;
                if output.is_gone() {
                    let why = "its file was removed while it was written".to_owned();
                    let _ = self.failure.set(why.clone());
                    return Err(why);
                }
                Ok(())
            }
            Err(e) => Err(self.fail(&e)),
        }
    }
}
