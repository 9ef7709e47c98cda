//! The protocol as data: every message, code and block with the names, types and places of its
//! parts.
//!
//! The macros that declare messages, codes and blocks make these descriptions, so that they cannot
//! differ from what is encoded. `clients/protocol/layout.json` and the tables of `docs/protocol.md`
//! are generated from them (`tests/generated`). Not for real-time threads: descriptions are
//! allocated.

use crate::{block, event, mesh, reply, request, text, wire};

/// Type of a field or of a word's part.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// Unsigned integer of that many bits.
    Unsigned(u32),
    /// One byte (one bit in a block), 0 or 1.
    Bool,
    /// `f64`: finite in a message, any in a block.
    Float,
    /// `f64`, finite, 0 or more.
    NonNegative,
    /// `f64`, 0 or more; infinity for no limit.
    Limit,
    /// Seven `f64`: translation in m, then a unit quaternion x, y, z, w.
    Pose,
    /// [`Name`](text::Name).
    Name,
    /// [`Text`](text::Text) in that many bytes.
    Text(usize),
    /// That many values of one type, one behind the other.
    Array(Box<Self>, usize),
    /// An integer with named values.
    Code(CodesLayout),
    /// A structure of a message.
    Record(Box<RecordLayout>),
    /// A structure of a block.
    Words(Box<WordsLayout>),
    /// A count (`u32`), four zero bytes, and at most `max` elements.
    List {
        /// Type of an element.
        of: Box<Self>,
        /// Largest count.
        max: usize,
    },
}

impl Type {
    /// Returns the number of bytes on the wire; `None` for a list, whose length varies.
    pub fn bytes(&self) -> Option<usize> {
        Some(match self {
            Self::Unsigned(bits) => *bits as usize / 8,
            Self::Bool => 1,
            Self::Float | Self::NonNegative | Self::Limit => 8,
            Self::Pose => 56,
            Self::Name => text::NAME_BYTES,
            Self::Text(bytes) => *bytes,
            Self::Array(of, count) => of.bytes()? * count,
            Self::Code(codes) => codes.bits as usize / 8,
            Self::Record(record) => record.bytes()?,
            Self::Words(words) => words.words * 8,
            Self::List { .. } => return None,
        })
    }

    /// Returns the number of bits in a block's words.
    pub fn bits(&self) -> Option<usize> {
        match self {
            Self::Bool => Some(1),
            other => Some(other.bytes()? * 8),
        }
    }

    /// Returns the name of the type as documents write it.
    pub fn name(&self) -> String {
        match self {
            Self::Unsigned(bits) => format!("u{bits}"),
            Self::Bool => "bool".to_owned(),
            Self::Float => "f64".to_owned(),
            Self::NonNegative => "positive".to_owned(),
            Self::Limit => "limit".to_owned(),
            Self::Pose => "pose".to_owned(),
            Self::Name => "name".to_owned(),
            Self::Text(bytes) => format!("text {bytes}"),
            Self::Array(of, count) => format!("{count} {}", of.name()),
            Self::Code(codes) => format!("u{}", codes.bits),
            Self::Record(record) => record.name.to_owned(),
            Self::Words(words) => words.name.to_owned(),
            Self::List { of, .. } => format!("list of {}", of.name()),
        }
    }
}

/// What has a type that can be described.
pub trait Described {
    /// Returns its type.
    fn described() -> Type;
}

/// One named part of a message or structure.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldLayout {
    /// Name.
    pub name: &'static str,
    /// Meaning; names in backticks.
    pub doc: String,
    /// Type.
    pub of: Type,
    /// Smallest and largest value that any daemon takes, where the type allows more.
    pub range: Option<(f64, f64)>,
}

/// A structure: fields one behind the other, then zero bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordLayout {
    /// Name.
    pub name: &'static str,
    /// Meaning; names in backticks.
    pub doc: String,
    /// Fields in their order.
    pub fields: Vec<FieldLayout>,
    /// Number of zero bytes behind the fields.
    pub reserved: usize,
}

impl RecordLayout {
    /// Returns the number of bytes; `None` with a list.
    pub fn bytes(&self) -> Option<usize> {
        let mut bytes = self.reserved;
        for field in &self.fields {
            bytes += field.of.bytes()?;
        }
        Some(bytes)
    }
}

/// Number of descriptors that come with a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Descriptors {
    /// Always this many.
    Fixed(u8),
    /// One for each element of the list with this name.
    OneForEach(&'static str),
}

/// A message: its body is a structure.
#[derive(Clone, Debug, PartialEq)]
pub struct MessageLayout {
    /// Number of the kind.
    pub kind: u16,
    /// The body.
    pub body: RecordLayout,
    /// Number of descriptors.
    pub descriptors: Descriptors,
    /// Replies that carry it out; none for an event, a reply, and a request without an answer.
    pub answers: Vec<&'static str>,
}

/// One named number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLayout {
    /// Name.
    pub name: &'static str,
    /// The number.
    pub code: u64,
    /// Meaning; names in backticks.
    pub doc: String,
}

/// An integer whose values have names: one of them, or a sum of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodesLayout {
    /// Name.
    pub name: &'static str,
    /// Meaning; names in backticks.
    pub doc: String,
    /// Width, bits.
    pub bits: u32,
    /// Values in the order of their codes.
    pub values: Vec<CodeLayout>,
}

/// Place of a value in a block.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceLayout {
    /// Index of the first word.
    pub word: usize,
    /// Lowest bit in that word.
    pub bit: u32,
    /// Name, type and meaning.
    pub field: FieldLayout,
}

/// Values at fixed places of consecutive words.
#[derive(Clone, Debug, PartialEq)]
pub struct WordsLayout {
    /// Name.
    pub name: &'static str,
    /// Meaning; names in backticks.
    pub doc: String,
    /// Number of words.
    pub words: usize,
    /// Values in the order of their places; bits without one are zero.
    pub places: Vec<PlaceLayout>,
}

/// Returns the first paragraph of a doc comment on one line, without links.
pub(crate) fn plain(lines: &[&str]) -> String {
    let mut text = String::new();
    for line in lines {
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(line);
    }
    without_links(&text)
}

/// Removes link targets: `[what](where)` becomes `what`.
fn without_links(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let (before, after) = rest.split_at(open);
        plain.push_str(before);
        let Some(close) = after.find(']') else {
            rest = after;
            break;
        };
        plain.push_str(&after[1..close]);
        rest = &after[close + 1..];
        if rest.starts_with('(')
            && let Some(end) = rest.find(')')
        {
            rest = &rest[end + 1..];
        }
    }
    plain.push_str(rest);
    plain
}

/// All messages of the three directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Messages {
    /// From client to daemon.
    pub requests: Vec<MessageLayout>,
    /// From daemon to client, with the id of a request.
    pub replies: Vec<MessageLayout>,
    /// From daemon to client, with id 0.
    pub events: Vec<MessageLayout>,
}

/// Returns all messages, in the order of their kinds.
pub fn messages() -> Messages {
    Messages {
        requests: request::Request::layout(),
        replies: reply::Reply::layout(),
        events: event::Event::layout(),
    }
}

/// Returns all integers of which a field is one named value.
pub fn codes() -> Vec<CodesLayout> {
    vec![
        request::BodyKind::layout(),
        reply::RefusalReason::layout(),
        reply::ErrorCode::layout(),
        reply::BlockKind::layout(),
        event::RemovalReason::layout(),
        block::GovernorState::layout(),
        block::force_off_layout(),
    ]
}

/// Returns all integers that are sums of named bits.
pub fn flags() -> Vec<CodesLayout> {
    vec![
        request::topic::layout(),
        block::flag::layout(),
        block::skin_flag::layout(),
    ]
}

/// Returns what stands at fixed places of blocks. The words of [`BlockHeader`](block::BlockHeader)
/// count from the block's first, all others from the first of what they describe.
pub fn words() -> Vec<WordsLayout> {
    block::layouts()
}

/// A kind of block: what its payload begins with, and what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockLayout {
    /// The kind.
    pub kind: reply::BlockKind,
    /// Name of the words at the payload's beginning, in [`words`].
    pub payload: &'static str,
    /// Name and largest number of what follows, as often as the payload's `count` says.
    pub list: Option<(&'static str, usize)>,
    /// Number of words of the payload; `None` where it is the body's.
    pub payload_words: Option<usize>,
}

/// Returns the kinds of blocks. What follows in a surface and a skin depends on the body's counts
/// and is on the page of [`block`].
pub fn blocks() -> Vec<BlockLayout> {
    let of = |kind, payload, list, payload_words| BlockLayout {
        kind,
        payload,
        list,
        payload_words,
    };
    use reply::BlockKind as Kind;
    let (contacts, bodies) = (block::CONTACTS_WORDS, block::BODIES_WORDS);
    vec![
        of(Kind::State, "ArmState", None, Some(block::STATE_WORDS)),
        of(
            Kind::Contacts,
            "ListHeader",
            Some(("Contact", crate::MAX_CONTACTS)),
            Some(contacts),
        ),
        of(
            Kind::Bodies,
            "ListHeader",
            Some(("BodyPose", crate::MAX_BODIES)),
            Some(bodies),
        ),
        of(Kind::Surface, "SurfaceFrameHeader", None, None),
        of(Kind::Skin, "SkinFrameHeader", None, None),
    ]
}

/// A constant that clients need, with its meaning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstantLayout {
    /// Name.
    pub name: &'static str,
    /// Value.
    pub value: u64,
    /// Meaning.
    pub doc: &'static str,
}

/// Returns the constants that clients need.
pub fn constants() -> Vec<ConstantLayout> {
    let constant = |name, value, doc| ConstantLayout { name, value, doc };
    vec![
        constant(
            "MAJOR",
            u64::from(crate::MAJOR),
            "Major version of the protocol.",
        ),
        constant(
            "MINOR",
            u64::from(crate::MINOR),
            "Minor version of the protocol.",
        ),
        constant(
            "MAGIC",
            crate::MAGIC,
            "First word of a hello, a welcome and a block.",
        ),
        constant(
            "MAX_MESSAGE",
            crate::frame::MAX_MESSAGE as u64,
            "Largest message, header included, bytes.",
        ),
        constant(
            "HEADER_BYTES",
            crate::frame::HEADER_BYTES as u64,
            "Length of a message's header, bytes.",
        ),
        constant("MAX_ARMS", crate::MAX_ARMS as u64, "Most arms of a daemon."),
        constant(
            "MAX_BODIES",
            crate::MAX_BODIES as u64,
            "Most rigid bodies in a scene.",
        ),
        constant(
            "MAX_CONTACTS",
            crate::MAX_CONTACTS as u64,
            "Most contacts in an arm's block.",
        ),
        constant(
            "ALL_ARMS",
            u64::from(request::ALL_ARMS),
            "Stands for all arms where a field takes an arm.",
        ),
        constant(
            "MAX_LEASE_MS",
            u64::from(request::MAX_LEASE_MS),
            "Longest lease that any daemon grants, ms.",
        ),
        constant(
            "MAX_COORDINATE_M",
            wire::MAX_COORDINATE_M as u64,
            "Largest coordinate of a pose or a mesh, m.",
        ),
        constant(
            "SEQUENCE_WORD",
            block::SEQUENCE_WORD as u64,
            "Index of a block's sequence.",
        ),
        constant(
            "PAYLOAD_WORD",
            block::PAYLOAD_WORD as u64,
            "Index of the first word of a block's payload.",
        ),
        constant("MESH_MAGIC", mesh::MESH_MAGIC, "First word of a mesh file."),
        constant(
            "MESH_VERSION",
            u64::from(mesh::MESH_VERSION),
            "Version of the mesh format.",
        ),
        constant(
            "MESH_HEADER_BYTES",
            mesh::MESH_HEADER_BYTES as u64,
            "Offset of a mesh file's vertices, bytes.",
        ),
        constant(
            "MESH_SEALS",
            u64::from(mesh::MESH_SEALS),
            "Seals that a mesh file must have: F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE.",
        ),
        constant(
            "BLOCK_SEALS",
            u64::from(block::BLOCK_SEALS),
            "Seals of a block: F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE.",
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doc_comment_becomes_one_plain_line() {
        let doc = [
            " Moves `x` ([`Pose`](crate::Pose), [2]).",
            " Then stops.",
            "",
            " More.",
        ];
        assert_eq!(plain(&doc), "Moves `x` (`Pose`, 2). Then stops.");
        assert_eq!(plain(&[" an [open"]), "an [open");
    }

    #[test]
    fn every_name_is_there_once() {
        let Messages {
            requests,
            replies,
            events,
        } = messages();
        let mut names: Vec<_> = [requests, replies, events].concat();
        names.sort_by_key(|message| message.kind);
        assert!(names.windows(2).all(|two| two[0].kind < two[1].kind));
        for answer in names.iter().flat_map(|message| &message.answers) {
            assert!(
                names.iter().any(|message| message.body.name == *answer),
                "{answer}"
            );
        }
    }

    #[test]
    fn values_in_blocks_do_not_overlap() {
        for layout in words() {
            let mut taken = vec![0_u64; layout.words];
            for place in &layout.places {
                let bits = place.field.of.bits().unwrap();
                let first = place.word * 64 + place.bit as usize;
                for bit in first..first + bits {
                    let mask = 1 << (bit % 64);
                    assert_eq!(
                        taken[bit / 64] & mask,
                        0,
                        "{}: {}",
                        layout.name,
                        place.field.name
                    );
                    taken[bit / 64] |= mask;
                }
            }
        }
    }
}
