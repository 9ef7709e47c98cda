//! How declarations describe themselves: names, types, places and meanings as values.
//!
//! The macros that declare messages, codes and blocks make these descriptions, so that they cannot
//! differ from what is encoded. [`layout`](crate::layout) collects them. Not for real-time threads:
//! descriptions are allocated.

use crate::text;

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
    /// [`Name`](crate::text::Name).
    Name,
    /// [`Text`](crate::text::Text) in that many bytes.
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
    /// Returns the number of bytes on the wire; `None` for a list: its length varies.
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

/// An integer with named values: one of them, or a sum of bits.
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
}
