//! How Rust types take their values from the file, and the keys that stand for them.
//!
//! The schema macros call [`Field`] for every key. Leaves take one checked [`Value`]; tables and
//! arrays of tables recurse through the [`Cursor`].

use std::path::PathBuf;

pub use hapticd_choices::Choices;

use crate::key::{Key, Kind, Literal, PathUse, looks_like_path};
use crate::read::{Cursor, Tabular};
use crate::value::Value;

/// A type that a key of the schema can have.
pub(crate) trait Field: Sized {
    /// Reads the value of `key` from the table under `cursor`. Returns `None` if an error was
    /// reported.
    fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<Self>;
}

/// A type that a single checked value converts to.
pub(crate) trait Leaf: Sized {
    /// Converts the value. `None` only if the schema gives the key a kind that does not fit this
    /// type.
    fn from_value(value: &Value) -> Option<Self>;
}

/// Something that ships with the daemon, or a file of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameOrPath {
    /// Name of something that ships with the daemon.
    Name(String),
    /// Path of a file.
    Path(PathBuf),
}

impl Leaf for bool {
    fn from_value(value: &Value) -> Option<bool> {
        match value {
            Value::Boolean(b) => Some(*b),
            _ => None,
        }
    }
}

impl Leaf for f64 {
    fn from_value(value: &Value) -> Option<f64> {
        value.as_number()
    }
}

impl Leaf for String {
    fn from_value(value: &Value) -> Option<String> {
        value.as_text().map(str::to_owned)
    }
}

macro_rules! integer_leaves {
    ($($ty:ty),*) => { $(
        impl Leaf for $ty {
            fn from_value(value: &Value) -> Option<$ty> {
                match value {
                    Value::Integer(i) => <$ty>::try_from(*i).ok(),
                    _ => None,
                }
            }
        }
        impl Field for $ty {
            fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<$ty> {
                <$ty>::from_value(&cursor.leaf(key)?)
            }
        }
    )* };
}
integer_leaves!(u32, u64, usize);

macro_rules! leaf_fields {
    ($($ty:ty),*) => { $(
        impl Field for $ty {
            fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<$ty> {
                <$ty>::from_value(&cursor.leaf(key)?)
            }
        }
    )* };
}
leaf_fields!(bool, f64, String);

impl<const N: usize> Field for [f64; N] {
    fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<[f64; N]> {
        match cursor.leaf(key)? {
            Value::Numbers(xs) => xs.try_into().ok(),
            _ => None,
        }
    }
}

impl Field for Vec<[f64; 2]> {
    fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<Vec<[f64; 2]>> {
        match cursor.leaf(key)? {
            Value::Points(points) => Some(points),
            _ => None,
        }
    }
}

/// Unset, or the word that replaces the number, reads as `None`.
impl<T: Leaf> Field for Option<T> {
    fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<Option<T>> {
        match cursor.leaf(key)? {
            Value::Unset => Some(None),
            Value::Text(word) if key.word() == Some(&word) => Some(None),
            value => T::from_value(&value).map(Some),
        }
    }
}

impl Field for PathBuf {
    fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<PathBuf> {
        <Option<PathBuf> as Field>::read(cursor, key)?
    }
}

impl Field for Option<PathBuf> {
    fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<Option<PathBuf>> {
        let value = cursor.leaf(key)?;
        let purpose = match key.kind {
            Kind::Path(purpose) => purpose,
            _ => PathUse::Input,
        };
        match value {
            Value::Unset => Some(None),
            value => cursor.resolve(key, value.as_text()?, purpose).map(Some),
        }
    }
}

impl Field for NameOrPath {
    fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<NameOrPath> {
        let value = cursor.leaf(key)?;
        let text = value.as_text()?;
        if looks_like_path(text) {
            let path = cursor.resolve(key, text, PathUse::Input)?;
            Some(NameOrPath::Path(path))
        } else {
            Some(NameOrPath::Name(text.to_owned()))
        }
    }
}

impl<T: Tabular> Field for Vec<T> {
    fn read(cursor: &mut Cursor<'_, '_, '_>, key: &'static Key) -> Option<Vec<T>> {
        cursor.tables(key)
    }
}

/// One of the words of `T`.
pub(crate) const fn choice<T: Choices>(default: &'static str) -> Key {
    Key::new(Kind::Choice(T::CHOICES), Some(Literal::Text(default)))
}

/// A sub-table.
pub(crate) const fn table<T: Tabular>() -> Key {
    Key::new(Kind::Table(T::SECTION), None)
}

/// More keys in the same table.
pub(crate) const fn flatten<T: Tabular>() -> Key {
    Key::new(Kind::Flatten(T::SECTION), None)
}

/// At most `max` tables.
pub(crate) const fn tables<T: Tabular>(max: usize) -> Key {
    Key::new(
        Kind::Tables {
            section: T::SECTION,
            max,
        },
        None,
    )
}
