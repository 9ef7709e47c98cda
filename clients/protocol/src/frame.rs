//! The header of every message, and the declaration, encoding and decoding of message sets.
//!
//! ```text
//! offset 0  u16  kind
//!        2  u8   number of descriptors that come with the message
//!        3  u8   reserved, zero
//!        4  u32  length of the whole message, header included, at most 4096
//!        8  u64  id: chosen by the client, given back with the reply; 0 for events
//!       16       body
//! ```

use crate::description::{FieldLayout, RecordLayout, Type};
use crate::wire::{DecodeError, Decoder, Field};

/// Maximum length of a message in bytes, header included.
pub const MAX_MESSAGE: usize = 4096;
/// Length of the header in bytes.
pub const HEADER_BYTES: usize = 16;

/// Header in front of every message body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// Kind of the message.
    pub kind: u16,
    /// Number of descriptors that come with the message.
    pub descriptors: u8,
    /// Id of the request; 0 for events.
    pub id: u64,
}

impl Header {
    /// Splits a packet into header and body; `descriptors` is the number that arrived with it.
    ///
    /// # Errors
    /// [`DecodeError`] when the packet is not a message, or when its length or number of
    /// descriptors differs from what the header declares.
    pub fn split(packet: &[u8], descriptors: usize) -> Result<(Self, &[u8]), DecodeError> {
        let (head, body) = packet
            .split_at_checked(HEADER_BYTES)
            .ok_or(DecodeError::NoHeader {
                bytes: packet.len(),
            })?;
        let mut input = Decoder::new(head);
        let kind = u16::take(&mut input, "kind")?;
        let declared = u8::take(&mut input, "descriptors")?;
        input.reserved(1)?;
        let length = u32::take(&mut input, "length")?;
        let id = u64::take(&mut input, "id")?;
        if usize::try_from(length) != Ok(packet.len()) || packet.len() > MAX_MESSAGE {
            return Err(DecodeError::Length {
                declared: length,
                actual: packet.len(),
            });
        }
        if usize::from(declared) != descriptors {
            return Err(DecodeError::Descriptors {
                kind,
                expected: declared,
                declared,
                actual: descriptors,
            });
        }
        Ok((
            Self {
                kind,
                descriptors: declared,
                id,
            },
            body,
        ))
    }

    /// Returns the id of a packet whose other bytes may be anything, so that even a malformed
    /// request is answered; 0 when the packet is too short to have one.
    pub fn id_of(packet: &[u8]) -> u64 {
        packet
            .get(8..16)
            .and_then(|bytes| bytes.try_into().ok())
            .map_or(0, u64::from_le_bytes)
    }
}

/// Returns names, types and meanings of the header's fields.
pub fn header_layout() -> RecordLayout {
    let field = |name, of, doc: &str| FieldLayout {
        name,
        doc: doc.to_owned(),
        of,
        range: None,
    };
    RecordLayout {
        name: "Header",
        doc: "Header in front of every message body.".to_owned(),
        fields: vec![
            field("kind", Type::Unsigned(16), "Kind of the message."),
            field(
                "descriptors",
                Type::Unsigned(8),
                "Number of descriptors that come with the message.",
            ),
            field("reserved", Type::Unsigned(8), "Zero."),
            field(
                "length",
                Type::Unsigned(32),
                "Length of the whole message, header included, bytes.",
            ),
            field(
                "id",
                Type::Unsigned(64),
                "Chosen by the client, given back with the reply; 0 for events.",
            ),
        ],
        reserved: 0,
    }
}

/// A set of messages for one direction.
pub trait Message: Sized {
    /// Returns the number of this message's kind.
    fn kind(&self) -> u16;

    /// Returns the number of descriptors that the message carries.
    fn descriptors(&self) -> u8;

    /// Appends the body.
    fn put_body(&self, out: &mut Vec<u8>);

    /// Reads a body of kind `kind`.
    ///
    /// # Errors
    /// [`DecodeError::UnknownKind`] for a kind outside the set; another [`DecodeError`] for an
    /// invalid body.
    fn take_body(kind: u16, body: &[u8]) -> Result<Self, DecodeError>;

    /// Encodes the whole packet.
    fn encode(&self, id: u64) -> Vec<u8> {
        let mut packet = Vec::with_capacity(256);
        self.kind().put(&mut packet);
        self.descriptors().put(&mut packet);
        0_u8.put(&mut packet);
        0_u32.put(&mut packet);
        id.put(&mut packet);
        self.put_body(&mut packet);
        // Every body is far below the limit (tested), so the length fits.
        let length = packet.len() as u32;
        packet[4..8].copy_from_slice(&length.to_le_bytes());
        packet
    }

    /// Reads a packet that arrived with `descriptors` descriptors. Returns its id and the message.
    ///
    /// # Errors
    /// [`DecodeError`]: the first thing that is wrong.
    fn decode(packet: &[u8], descriptors: usize) -> Result<(u64, Self), DecodeError> {
        let (header, body) = Header::split(packet, descriptors)?;
        let message = Self::take_body(header.kind, body)?;
        let expected = message.descriptors();
        if header.descriptors != expected {
            let (kind, declared) = (header.kind, header.descriptors);
            return Err(DecodeError::Descriptors {
                kind,
                expected,
                declared,
                actual: descriptors,
            });
        }
        Ok((header.id, message))
    }
}

/// Declares the messages of one direction: a structure for each message and the enumeration of all.
/// `-> Done` names the replies that carry a request out. `descriptors` is their number, or `one for
/// each` element of a list.
macro_rules! messages {
    (@count $message:ident) => { 0 };
    (@count $message:ident, one for each $list:ident) => { $message.$list.sent().len() as u8 };
    (@count $message:ident, $count:literal) => { $count };
    (@said) => { $crate::description::Descriptors::Fixed(0) };
    (@said one for each $list:ident) => {
        $crate::description::Descriptors::OneForEach(stringify!($list))
    };
    (@said $count:literal) => { $crate::description::Descriptors::Fixed($count) };
    (
        $(#[doc = $enum_doc:literal])*
        pub enum $set:ident {
            $(
                $(#[doc = $doc:literal])*
                $name:ident = $kind:literal
                $(-> $($answer:ident)|+)?
                $(, descriptors [$($descriptors:tt)+])?
                => {
                    $(
                        $(#[doc = $field_doc:literal])*
                        $field:ident: $type:ty $(= $range:expr)?,
                    )*
                } reserved $reserved:literal
            )*
        }
    ) => {
        $(
            $crate::wire::record! {
                $(#[doc = $doc])*
                pub struct $name {
                    $($(#[doc = $field_doc])* $field: $type $(= $range)?,)*
                } reserved $reserved
            }
        )*

        $(#[doc = $enum_doc])*
        // Only one exists at a time, and it is a few hundred bytes: a box for each variant would
        // cost more than it saves.
        #[allow(clippy::large_enum_variant)]
        #[derive(Clone, Debug, PartialEq)]
        pub enum $set {
            $($(#[doc = $doc])* $name($name),)*
        }

        impl $set {
            /// Kind and name of every message of this direction.
            pub const KINDS: &'static [(u16, &'static str)] = &[$(($kind, stringify!($name))),*];

            /// Returns the descriptions of all messages of this direction.
            pub fn layout() -> Vec<$crate::description::MessageLayout> {
                vec![$($crate::description::MessageLayout {
                    kind: $kind,
                    body: $name::layout(),
                    descriptors: $crate::frame::messages!(@said $($($descriptors)+)?),
                    answers: vec![$($(stringify!($answer)),+)?],
                }),*]
            }
        }

        $(
            impl $name {
                /// Number of this kind.
                pub const KIND: u16 = $kind;
            }

            impl From<$name> for $set {
                fn from(message: $name) -> Self {
                    Self::$name(message)
                }
            }
        )*

        impl $crate::frame::Message for $set {
            fn kind(&self) -> u16 {
                match self { $(Self::$name(_) => $kind,)* }
            }

            fn descriptors(&self) -> u8 {
                match self {
                    $(Self::$name(_message) => $crate::frame::messages!(@count _message $(, $($descriptors)+)?),)*
                }
            }

            fn put_body(&self, out: &mut Vec<u8>) {
                match self { $(Self::$name(message) => $crate::wire::Field::put(message, out),)* }
            }

            fn take_body(kind: u16, body: &[u8]) -> Result<Self, $crate::wire::DecodeError> {
                let mut input = $crate::wire::Decoder::new(body);
                let message = match kind {
                    $($kind => Self::$name($crate::wire::Field::take(&mut input, stringify!($name))?),)*
                    _ => return Err($crate::wire::DecodeError::UnknownKind { kind }),
                };
                input.finish()?;
                Ok(message)
            }
        }
    };
}

pub(crate) use messages;
