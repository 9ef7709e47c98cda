//! Reads a recording, message by message.
//!
//! The reader streams: memory is bounded by the largest record or chunk of the file. It tests the
//! checksum of each chunk before it returns the chunk's messages, so a damaged file ends with an
//! error instead of a wrong number. No bytes can cause a panic.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use super::chunk::Chunk;
use mcap::McapError;
use mcap::records::{Record, op};
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use serde::de::DeserializeOwned;

use super::files::Embedded;
use super::message::{EventMessage, StepMessage, TickMessage};
use super::read_error::ReadError;
use super::spatial::Triple;
use super::writer::words;
use super::{COLLISION, CONFIG, EVENT, FILE, FORMAT, METADATA, Meta, TICK};

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A message of `/tick`.
    Tick(Box<TickMessage>),
    /// A message of `/collision`.
    Step(Box<StepMessage>),
    /// A message of `/event`.
    Event(EventMessage),
}

/// One pose of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct PointMessage {
    /// Time since the start of the trajectory, ns.
    pub now_ns: u64,
    /// Tool position, base frame, m.
    pub position_m: Triple,
    /// Its rotation; x y z w.
    pub rotation_xyzw: [super::number::Num; 4],
}

/// A raw message: topic and JSON text.
struct Message {
    topic: String,
    data: Vec<u8>,
}

/// Streaming reader of a recording; see the module page.
pub struct Reader<R> {
    source: R,
    records: LinearReader,
    /// Unread records of the newest chunk.
    chunk: Chunk,
    topics: HashMap<u16, String>,
    metadata: BTreeMap<String, BTreeMap<String, String>>,
    attachments: Vec<(String, Vec<u8>)>,
    /// The first message. It is read ahead to know that everything before it is complete.
    first: Option<Message>,
    /// Set if the file ends before its first message; the first call returns it.
    cut: Option<ReadError>,
    ended: bool,
    meta: Meta,
}

impl Reader<BufReader<File>> {
    /// Opens a file.
    ///
    /// # Errors
    /// If it is not a recording that this program can read.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let file = hapticd_files::open(path)?;
        let length = file.metadata()?.len();
        Self::new(BufReader::new(file), length)
    }
}

impl<R: Read> Reader<R> {
    /// Reads from `source`, which has `length` bytes. No record may be longer than `length`.
    ///
    /// # Errors
    /// If the bytes are not a recording that this program can read.
    pub fn new(source: R, length: u64) -> Result<Self, ReadError> {
        let options = LinearReaderOptions::default()
            .with_emit_chunks(true)
            .with_validate_data_section_crc(true)
            .with_record_length_limit(usize::try_from(length).unwrap_or(usize::MAX));
        let mut reader = Reader {
            source,
            records: LinearReader::new_with_options(options),
            chunk: Chunk::default(),
            topics: HashMap::new(),
            metadata: BTreeMap::new(),
            attachments: Vec::new(),
            first: None,
            cut: None,
            ended: false,
            meta: Meta::of_this(super::Time::Real, false),
        };
        // The magic bytes distinguish an MCAP file that was cut off very early from other files.
        match reader.message() {
            Ok(first) => reader.first = first,
            Err(ReadError::Truncated) => reader.cut = Some(ReadError::Truncated),
            Err(ReadError::Damaged(_)) if reader.metadata.is_empty() => {
                return Err(ReadError::NotMcap);
            }
            Err(e) => return Err(e),
        }
        let found = reader.metadata.get(METADATA);
        let Some(meta) = found.and_then(Meta::from_map) else {
            return Err(if reader.ended && reader.metadata.is_empty() {
                ReadError::NotMcap
            } else {
                ReadError::NotOurs
            });
        };
        if meta.format != FORMAT {
            return Err(ReadError::Format {
                found: meta.format,
                version: meta.version,
            });
        }
        reader.meta = meta;
        Ok(reader)
    }

    /// Returns the metadata of the file.
    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Returns the effective configuration.
    ///
    /// # Errors
    /// If the file was cut off before the configuration, or the configuration is not UTF-8.
    pub fn config(&self) -> Result<&str, ReadError> {
        let bytes = self
            .attachments
            .iter()
            .find(|(name, _)| name == CONFIG)
            .map(|(_, bytes)| bytes)
            .ok_or(ReadError::Truncated)?;
        std::str::from_utf8(bytes)
            .map_err(|e| ReadError::Damaged(format!("the configuration: {e}")))
    }

    /// Returns the files that the configuration names, in the order of [`super::files::paths`].
    pub fn files(&self) -> Vec<Embedded> {
        let mut numbered: Vec<(usize, Embedded)> = self
            .attachments
            .iter()
            .filter_map(|(name, bytes)| {
                let (number, path) = name.strip_prefix(FILE)?.split_once(' ')?;
                let file = Embedded {
                    path: PathBuf::from(path),
                    bytes: bytes.clone(),
                };
                Some((number.parse().ok()?, file))
            })
            .collect();
        numbered.sort_by_key(|(number, _)| *number);
        numbered.into_iter().map(|(_, file)| file).collect()
    }

    /// Returns the next message of a run; `None` at the end. After an error the reader is at the
    /// end.
    ///
    /// # Errors
    /// If the file is cut off or damaged there.
    pub fn event(&mut self) -> Result<Option<Event>, ReadError> {
        while let Some(message) = self.next_message()? {
            return Ok(Some(match message.topic.as_str() {
                TICK => Event::Tick(self.parse(&message)?),
                COLLISION => Event::Step(self.parse(&message)?),
                EVENT => Event::Event(self.parse(&message)?),
                // A foreign channel that another program merged in.
                _ => continue,
            }));
        }
        Ok(None)
    }

    /// Returns the next point of a trajectory; `None` at the end.
    ///
    /// # Errors
    /// If the file is cut off or damaged there.
    pub fn point(&mut self) -> Result<Option<PointMessage>, ReadError> {
        while let Some(message) = self.next_message()? {
            if message.topic == TICK {
                return self.parse(&message).map(Some);
            }
        }
        Ok(None)
    }

    fn parse<T: DeserializeOwned>(&mut self, message: &Message) -> Result<T, ReadError> {
        serde_json::from_slice(&message.data).map_err(|e| {
            self.ended = true;
            ReadError::Damaged(format!("a message on {}: {e}", message.topic))
        })
    }

    fn next_message(&mut self) -> Result<Option<Message>, ReadError> {
        match self.first.take() {
            Some(message) => Ok(Some(message)),
            None => self.message(),
        }
    }

    /// Reads up to and including the next message; `None` at the end.
    fn message(&mut self) -> Result<Option<Message>, ReadError> {
        if let Some(error) = self.cut.take() {
            return Err(error);
        }
        if self.ended {
            return Ok(None);
        }
        let result = match self.raw_message() {
            // The file began as MCAP, so the wrong bytes are at its end.
            Err(ReadError::NotMcap) if !self.metadata.is_empty() => Err(ReadError::Damaged(
                "it does not end as an MCAP file".to_owned(),
            )),
            result => result,
        };
        self.ended = !matches!(result, Ok(Some(_)));
        result
    }

    fn raw_message(&mut self) -> Result<Option<Message>, ReadError> {
        loop {
            let next = match self.chunk.advance()? {
                Some((opcode, place)) => LinearReadEvent::Record {
                    opcode,
                    data: self.chunk.content(place),
                },
                None => match self.records.next_event() {
                    Some(event) => event.map_err(|e| read_error(&e))?,
                    None => return Ok(None),
                },
            };
            let (opcode, data) = match next {
                LinearReadEvent::Record {
                    opcode: op::CHUNK,
                    data,
                } => {
                    self.chunk = Chunk::new(data)?;
                    continue;
                }
                LinearReadEvent::Record { opcode, data } => (opcode, data),
                LinearReadEvent::ReadRequest(bytes) => {
                    let got = loop {
                        match self.source.read(self.records.insert(bytes)) {
                            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                            got => break got?,
                        }
                    };
                    self.records.notify_read(got);
                    continue;
                }
            };
            match opcode {
                op::MESSAGE => {}
                // The parser trusts these lengths and reserves that much memory, so they are
                // checked first.
                op::CHANNEL if channel_is_whole(data) => {}
                op::METADATA if metadata_is_whole(data) => {}
                op::CHANNEL | op::METADATA => {
                    return Err(ReadError::Damaged("a text exceeds its record".to_owned()));
                }
                op::ATTACHMENT if attachment_is_whole(data) => {}
                op::ATTACHMENT => {
                    return Err(ReadError::Damaged(
                        "an attachment is longer than its record".to_owned(),
                    ));
                }
                // Summary and indexes only repeat what other records say.
                _ => continue,
            }
            match mcap::parse_record(opcode, data).map_err(|e| read_error(&e))? {
                Record::Channel(channel) => {
                    self.topics.insert(channel.id, channel.topic);
                }
                Record::Metadata(m) => {
                    self.metadata.insert(m.name, m.metadata);
                }
                Record::Attachment { header, data, .. } => {
                    self.attachments.push((header.name, data.into_owned()));
                }
                Record::Message { header, data } => {
                    let Some(topic) = self.topics.get(&header.channel_id) else {
                        return Err(ReadError::Damaged(format!(
                            "a message on channel {}, which does not exist",
                            header.channel_id
                        )));
                    };
                    return Ok(Some(Message {
                        topic: topic.clone(),
                        data: data.into_owned(),
                    }));
                }
                _ => {}
            }
        }
    }
}

fn read_error(error: &McapError) -> ReadError {
    match error {
        McapError::BadMagic => ReadError::NotMcap,
        McapError::UnexpectedEof | McapError::UnexpectedEoc => ReadError::Truncated,
        // No record can be longer than the file. Either the end of the file is missing, or the
        // length is wrong.
        McapError::RecordTooLarge { .. } | McapError::ChunkTooLarge(_) => ReadError::Truncated,
        other => ReadError::Damaged(words(other)),
    }
}

/// Returns the bytes after a text or a map that begins here; `None` if it is longer than the rest.
fn after_text(rest: &[u8]) -> Option<&[u8]> {
    let (length, rest) = rest.split_first_chunk::<4>()?;
    rest.get(u32::from_le_bytes(*length) as usize..)
}

/// Returns whether a complete map from texts to texts begins here.
fn is_map(rest: &[u8]) -> bool {
    let behind = after_text(rest).map_or(rest.len(), <[u8]>::len);
    let Some(mut texts) = rest.get(4..rest.len() - behind) else {
        return false;
    };
    while !texts.is_empty() {
        match after_text(texts).and_then(after_text) {
            Some(rest) => texts = rest,
            None => return false,
        }
    }
    after_text(rest).is_some()
}

/// Returns whether the lengths in a channel record fit into it.
fn channel_is_whole(record: &[u8]) -> bool {
    let texts = record.get(4..);
    let map = texts.and_then(after_text).and_then(after_text);
    map.is_some_and(is_map)
}

/// Returns whether the lengths in a metadata record fit into it.
fn metadata_is_whole(record: &[u8]) -> bool {
    after_text(record).is_some_and(is_map)
}

/// Returns whether the lengths in an attachment record fit into it.
fn attachment_is_whole(record: &[u8]) -> bool {
    let data = || {
        let rest = after_text(after_text(record.get(16..)?)?)?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        // The data and a checksum of four bytes.
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        (rest.len() >= length.checked_add(4)?).then_some(())
    };
    data().is_some()
}

#[cfg(test)]
mod lengths {
    use super::*;

    fn text(text: &str) -> Vec<u8> {
        [&(text.len() as u32).to_le_bytes()[..], text.as_bytes()].concat()
    }

    #[test]
    fn no_length_beyond_its_record_reaches_the_parser() {
        let pairs = [text("key"), text("value")].concat();
        let map = [&(pairs.len() as u32).to_le_bytes()[..], &pairs].concat();
        let channel = [vec![1, 0, 2, 0], text("tick"), text("json"), map.clone()].concat();
        let metadata = [text("hapticd"), map].concat();
        assert!(channel_is_whole(&channel) && metadata_is_whole(&metadata));
        // Sets each length in turn to 4 GiB, and cuts each record at every position.
        for (record, lengths, is_whole) in [
            (
                &channel,
                vec![4, 12, 20, 24, 31],
                channel_is_whole as fn(&[u8]) -> bool,
            ),
            (&metadata, vec![0, 11, 15, 22], metadata_is_whole),
        ] {
            for at in lengths {
                let mut wrong = record.clone();
                wrong[at..at + 4].fill(0xFF);
                assert!(!is_whole(&wrong), "at {at}");
            }
            for length in 0..record.len() {
                assert!(!is_whole(&record[..length]), "cut to {length}");
            }
        }
    }
}
