//! Values on the wire: how each field type is written, and what is checked when it is read.
//!
//! Fields are little-endian and packed; the only padding is what a message declares as reserved.
//! Decoding allocates only for lists and texts.

use crate::description::{Described, Type};
use crate::text::{NAME_BYTES, Name, Text};

/// Largest coordinate accepted in a pose or a mesh, m. Anything farther away is a mistake of units.
pub const MAX_COORDINATE_M: f64 = 1e4;

/// Largest deviation of the length of a rotation quaternion from 1.
pub const QUATERNION_TOLERANCE: f64 = 1e-3;

/// Reason why bytes are not a message; always the sender's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum DecodeError {
    /// The packet is shorter than a header.
    #[error("{bytes} bytes are no message: a header has 16")]
    NoHeader {
        /// Length of the packet in bytes.
        bytes: usize,
    },
    /// Header and packet disagree about the length, or the length exceeds the limit.
    #[error("the header says {declared} bytes and {actual} arrived (at most 4096)")]
    Length {
        /// Length that the header declares.
        declared: u32,
        /// Length of the packet that arrived.
        actual: usize,
    },
    /// This version does not have the kind, or it belongs to the other direction.
    #[error("there is no message of kind {kind:#06x} here")]
    UnknownKind {
        /// The unknown kind.
        kind: u16,
    },
    /// The number of descriptors is not the one of the kind, or not the one that arrived.
    #[error("{}", descriptors(*kind, *expected, *declared, *actual))]
    Descriptors {
        /// Kind of the message.
        kind: u16,
        /// Number of descriptors of this kind.
        expected: u8,
        /// Number that the header declares.
        declared: u8,
        /// Number that arrived.
        actual: usize,
    },
    /// The body ends before this field ends.
    #[error("the body has {bytes} bytes, and `{field}` ends at byte {end}")]
    Short {
        /// Name of the field.
        field: &'static str,
        /// Length of the body in bytes.
        bytes: usize,
        /// End of the field, counted from the body's first byte.
        end: usize,
    },
    /// Bytes are left after the last field.
    #[error("{bytes} bytes too many behind the last field")]
    Trailing {
        /// Number of surplus bytes.
        bytes: usize,
    },
    /// A reserved byte is not zero.
    #[error("reserved bytes are not zero")]
    Reserved,
    /// The field's value is not allowed.
    #[error("`{field}` is {value}, and must be {must}")]
    Value {
        /// Name of the field.
        field: &'static str,
        /// Value of the field.
        value: f64,
        /// Requirement that the value violates.
        must: &'static str,
    },
    /// The field is not a valid text.
    #[error("`{field}` is not a text: {problem}")]
    NotText {
        /// Name of the field.
        field: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
}

/// Says how many descriptors a message takes and how many came.
fn descriptors(kind: u16, expected: u8, declared: u8, actual: usize) -> String {
    let s = if expected == 1 { "" } else { "s" };
    let said = if usize::from(declared) == actual {
        String::new()
    } else {
        format!("the header says {declared} and ")
    };
    format!("kind {kind:#06x} takes {expected} descriptor{s}; {said}{actual} arrived")
}

/// Reads fields from a body, in order.
#[derive(Clone, Debug)]
pub struct Decoder<'a> {
    rest: &'a [u8],
    /// Length of the whole body.
    bytes: usize,
}

impl<'a> Decoder<'a> {
    /// Returns a decoder at the first byte of `body`.
    pub fn new(body: &'a [u8]) -> Self {
        Self {
            rest: body,
            bytes: body.len(),
        }
    }

    /// The error for a field of `count` bytes that is not there.
    fn short(&self, field: &'static str, count: usize) -> DecodeError {
        DecodeError::Short {
            field,
            bytes: self.bytes,
            end: self.bytes - self.rest.len() + count,
        }
    }

    /// Takes the next `N` bytes.
    ///
    /// # Errors
    /// [`DecodeError::Short`] when there are fewer.
    pub fn bytes<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], DecodeError> {
        let (bytes, rest) = self
            .rest
            .split_first_chunk::<N>()
            .ok_or_else(|| self.short(field, N))?;
        self.rest = rest;
        Ok(*bytes)
    }

    /// Takes `count` bytes that must be zero.
    ///
    /// # Errors
    /// [`DecodeError::Reserved`] when one is not zero, [`DecodeError::Short`] when there are fewer.
    pub fn reserved(&mut self, count: usize) -> Result<(), DecodeError> {
        let (bytes, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| self.short("reserved", count))?;
        self.rest = rest;
        if bytes.iter().all(|byte| *byte == 0) {
            Ok(())
        } else {
            Err(DecodeError::Reserved)
        }
    }

    /// Checks that no bytes are left.
    ///
    /// # Errors
    /// [`DecodeError::Trailing`] when there are some.
    pub fn finish(self) -> Result<(), DecodeError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::Trailing {
                bytes: self.rest.len(),
            })
        }
    }
}

/// A field type: how it is written and read.
pub trait Field: Sized + Described {
    /// Appends the field.
    fn put(&self, out: &mut Vec<u8>);

    /// Reads and validates the field; `field` is its name for the error.
    ///
    /// # Errors
    /// [`DecodeError`]: what is wrong with the field.
    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError>;
}

/// Implements [`Described`] for types that have a variant of their own.
macro_rules! described {
    ($($type:ty => $shape:expr),* $(,)?) => {$(
        impl Described for $type {
            fn described() -> Type {
                $shape
            }
        }
    )*};
}

described! {
    u8 => Type::Unsigned(8),
    u16 => Type::Unsigned(16),
    u32 => Type::Unsigned(32),
    u64 => Type::Unsigned(64),
    bool => Type::Bool,
    f64 => Type::Float,
    NonNegative => Type::NonNegative,
    Limit => Type::Limit,
    Pose => Type::Pose,
    Name => Type::Name,
}

impl<const N: usize> Described for [f64; N] {
    fn described() -> Type {
        Type::Array(Box::new(Type::Float), N)
    }
}

impl<const N: usize> Described for Text<N> {
    fn described() -> Type {
        Type::Text(N)
    }
}

impl<T: Described, const MAX: usize> Described for List<T, MAX> {
    fn described() -> Type {
        Type::List {
            of: Box::new(T::described()),
            max: MAX,
        }
    }
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Field for $type {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
                Ok(Self::from_le_bytes(input.bytes(field)?))
            }
        }
    )*};
}

integers!(u8, u16, u32, u64);

impl Field for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
        match u8::take(input, field)? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(DecodeError::Value {
                field,
                value: f64::from(other),
                must: "0 or 1",
            }),
        }
    }
}

/// Any finite number.
impl Field for f64 {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_le_bytes());
    }

    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
        let value = Self::from_le_bytes(input.bytes(field)?);
        if value.is_finite() {
            Ok(value)
        } else {
            Err(DecodeError::Value {
                field,
                value,
                must: "finite",
            })
        }
    }
}

/// An upper limit: a non-negative number, or infinity for "no limit from me".
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Limit(pub f64);

impl Limit {
    /// No limit.
    pub const NONE: Self = Self(f64::INFINITY);
}

impl Field for Limit {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0.to_le_bytes());
    }

    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
        let value = f64::from_le_bytes(input.bytes(field)?);
        if value >= 0.0 {
            Ok(Self(value))
        } else {
            Err(DecodeError::Value {
                field,
                value,
                must: "0 or more, or infinite for no limit",
            })
        }
    }
}

/// A finite non-negative number.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct NonNegative(pub f64);

impl Field for NonNegative {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
        let value = f64::take(input, field)?;
        if value >= 0.0 {
            Ok(Self(value))
        } else {
            Err(DecodeError::Value {
                field,
                value,
                must: "0 or more",
            })
        }
    }
}

impl<const N: usize> Field for [f64; N] {
    fn put(&self, out: &mut Vec<u8>) {
        for value in self {
            value.put(out);
        }
    }

    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = f64::take(input, field)?;
        }
        Ok(values)
    }
}

/// A rigid transform, such as `world_from_body`: 56 bytes, translation then rotation.
///
/// Decoding accepts coordinates within [`MAX_COORDINATE_M`] and quaternions whose length is within
/// [`QUATERNION_TOLERANCE`] of 1, and normalises the quaternion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin of the inner frame in the outer frame, m.
    pub translation_m: [f64; 3],
    /// Unit quaternion x, y, z, w: rotation of the inner frame in the outer one.
    pub rotation_xyzw: [f64; 4],
}

impl Pose {
    /// The identity: both frames coincide.
    pub const IDENTITY: Self = Self {
        translation_m: [0.0; 3],
        rotation_xyzw: [0.0, 0.0, 0.0, 1.0],
    };

    /// Returns the pose as seven numbers: translation, then quaternion.
    pub fn to_array(self) -> [f64; 7] {
        let ([a, b, c], [x, y, z, w]) = (self.translation_m, self.rotation_xyzw);
        [a, b, c, x, y, z, w]
    }

    /// Makes a pose of seven numbers, unchecked.
    pub fn from_array([a, b, c, x, y, z, w]: [f64; 7]) -> Self {
        Self {
            translation_m: [a, b, c],
            rotation_xyzw: [x, y, z, w],
        }
    }
}

impl Field for Pose {
    fn put(&self, out: &mut Vec<u8>) {
        self.to_array().put(out);
    }

    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
        let mut pose = Self::from_array(<[f64; 7]>::take(input, field)?);
        for value in pose.translation_m {
            if value.abs() > MAX_COORDINATE_M {
                return Err(DecodeError::Value {
                    field,
                    value,
                    must: "within 10000 m of the origin",
                });
            }
        }
        let length = pose
            .rotation_xyzw
            .iter()
            .map(|part| part * part)
            .sum::<f64>()
            .sqrt();
        // An infinite length (components near the largest number) is out of range as well.
        if !(1.0 - QUATERNION_TOLERANCE..=1.0 + QUATERNION_TOLERANCE).contains(&length) {
            return Err(DecodeError::Value {
                field,
                value: length,
                must: "a rotation: a quaternion of length 1",
            });
        }
        // A quaternion that is already normalised stays unchanged, so that a pose that is passed on
        // reads the same.
        if (length - 1.0).abs() > 8.0 * f64::EPSILON {
            for part in &mut pose.rotation_xyzw {
                *part /= length;
            }
        }
        Ok(pose)
    }
}

impl<const N: usize> Field for Text<N> {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }

    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
        Self::from_bytes(&input.bytes::<N>(field)?)
            .map_err(|problem| DecodeError::NotText { field, problem })
    }
}

impl Field for Name {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.as_bytes());
    }

    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
        let text = Text::<NAME_BYTES>::take(input, field)?;
        Self::new(text.as_str()).map_err(|problem| DecodeError::NotText { field, problem })
    }
}

/// A list: its count as `u32` and four reserved bytes, then at most `MAX` elements.
impl<T: Field, const MAX: usize> Field for List<T, MAX> {
    fn put(&self, out: &mut Vec<u8>) {
        let items = self.sent();
        (items.len() as u32).put(out);
        0_u32.put(out);
        for item in items {
            item.put(out);
        }
    }

    fn take(input: &mut Decoder<'_>, field: &'static str) -> Result<Self, DecodeError> {
        let count = u32::take(input, field)?;
        input.reserved(4)?;
        match usize::try_from(count) {
            Ok(count) if count <= MAX => (0..count)
                .map(|_| T::take(input, field))
                .collect::<Result<_, _>>()
                .map(Self),
            _ => Err(DecodeError::Value {
                field,
                value: f64::from(count),
                must: "a count within the list's limit",
            }),
        }
    }
}

/// A list of at most `MAX` elements; surplus elements are not sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List<T, const MAX: usize>(pub Vec<T>);

impl<T, const MAX: usize> List<T, MAX> {
    /// Returns the elements that are sent.
    pub fn sent(&self) -> &[T] {
        &self.0[..self.0.len().min(MAX)]
    }
}

/// Declares an enumeration on the wire; unknown codes are refused.
macro_rules! codes {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident: $repr:ty, $must:literal {
            $($(#[doc = $variant_doc:literal])* $variant:ident = $code:literal,)*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr($repr)]
        pub enum $name { $($(#[doc = $variant_doc])* $variant = $code,)* }

        impl $name {
            /// All values, in the order of their codes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Returns the number on the wire.
            pub const fn code(self) -> $repr {
                self as $repr
            }

            /// Returns the value with this number, or `None` if the number is unknown.
            pub const fn from_code(code: $repr) -> Option<Self> {
                match code { $($code => Some(Self::$variant),)* _ => None }
            }

            /// Returns names and meanings of the numbers.
            pub fn layout() -> $crate::description::CodesLayout {
                $crate::description::CodesLayout {
                    name: stringify!($name),
                    doc: $crate::description::plain(&[$($doc),*]),
                    bits: <$repr>::BITS,
                    values: vec![$($crate::description::CodeLayout {
                        name: stringify!($variant),
                        code: $code,
                        doc: $crate::description::plain(&[$($variant_doc),*]),
                    }),*],
                }
            }
        }

        impl $crate::description::Described for $name {
            fn described() -> $crate::description::Type {
                $crate::description::Type::Code(Self::layout())
            }
        }

        impl $crate::wire::Field for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $crate::wire::Field::put(&self.code(), out);
            }

            fn take(
                input: &mut $crate::wire::Decoder<'_>,
                field: &'static str,
            ) -> Result<Self, $crate::wire::DecodeError> {
                let code = <$repr as $crate::wire::Field>::take(input, field)?;
                Self::from_code(code).ok_or($crate::wire::DecodeError::Value {
                    field,
                    value: f64::from(code),
                    must: $must,
                })
            }
        }
    };
}

/// Declares a module of bits of which a field is the sum.
macro_rules! flags {
    (
        $(#[doc = $doc:literal])*
        pub mod $name:ident: $repr:ty {
            $($(#[doc = $bit_doc:literal])* $bit:ident = $value:literal,)*
        }
    ) => {
        $(#[doc = $doc])*
        pub mod $name {
            $($(#[doc = $bit_doc])* pub const $bit: $repr = $value;)*

            /// Returns names and meanings of the bits.
            pub fn layout() -> $crate::description::CodesLayout {
                $crate::description::CodesLayout {
                    name: stringify!($name),
                    doc: $crate::description::plain(&[$($doc),*]),
                    bits: <$repr>::BITS,
                    values: vec![$($crate::description::CodeLayout {
                        name: stringify!($bit),
                        code: $value,
                        doc: $crate::description::plain(&[$($bit_doc),*]),
                    }),*],
                }
            }
        }
    };
}

/// Declares a structure whose fields are written one after the other, followed by reserved bytes.
/// `= range` behind a field's type is what any daemon takes at most; it is described and not
/// checked here, since a daemon answers with the numbers.
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        pub struct $name:ident {
            $($(#[doc = $field_doc:literal])* $field:ident: $type:ty $(= $range:expr)?,)*
        } reserved $reserved:literal
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name { $($(#[doc = $field_doc])* pub $field: $type,)* }

        impl $name {
            /// Returns names, types and meanings of the fields.
            pub fn layout() -> $crate::description::RecordLayout {
                $crate::description::RecordLayout {
                    name: stringify!($name),
                    doc: $crate::description::plain(&[$($doc),*]),
                    fields: vec![$($crate::wire::field_layout!(
                        $field, $type, [$($field_doc),*] $(, $range)?
                    )),*],
                    reserved: $reserved,
                }
            }
        }

        impl $crate::description::Described for $name {
            fn described() -> $crate::description::Type {
                $crate::description::Type::Record(Box::new(Self::layout()))
            }
        }

        impl $crate::wire::Field for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::wire::Field::put(&self.$field, out);)*
                out.extend_from_slice(&[0; $reserved]);
            }

            fn take(
                input: &mut $crate::wire::Decoder<'_>,
                _: &'static str,
            ) -> Result<Self, $crate::wire::DecodeError> {
                $(let $field = $crate::wire::Field::take(input, stringify!($field))?;)*
                input.reserved($reserved)?;
                Ok(Self { $($field,)* })
            }
        }
    };
}

/// The description of one field.
macro_rules! field_layout {
    ($field:ident, $type:ty, [$($doc:literal),*]) => {
        $crate::description::FieldLayout {
            name: stringify!($field),
            doc: $crate::description::plain(&[$($doc),*]),
            of: <$type as $crate::description::Described>::described(),
            range: None,
        }
    };
    ($field:ident, $type:ty, [$($doc:literal),*], $range:expr) => {{
        let range: std::ops::RangeInclusive<f64> = $range;
        $crate::description::FieldLayout {
            range: Some((*range.start(), *range.end())),
            ..$crate::wire::field_layout!($field, $type, [$($doc),*])
        }
    }};
}

pub(crate) use {codes, field_layout, flags, record};
