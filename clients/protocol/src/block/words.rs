//! Values at fixed places of a block's words, and the macro that declares them.
//!
//! Any words give some value. Real-time callable: no allocation, no panic, constant time.

use crate::description::Described;
use crate::wire::Pose;

/// A value that stands at a fixed place of consecutive words.
pub(crate) trait Placed: Sized + Described {
    /// Writes the value from bit `bit` of word `word` on; bits that are not its own stay. Nothing
    /// is written beyond the last word.
    fn put(&self, words: &mut [u64], word: usize, bit: u32);

    /// Reads the value from there; words beyond the last are zero.
    fn take(words: &[u64], word: usize, bit: u32) -> Self;
}

macro_rules! integers {
    ($($type:ty),*) => {$(
        impl Placed for $type {
            fn put(&self, words: &mut [u64], word: usize, bit: u32) {
                if let Some(place) = words.get_mut(word) {
                    *place |= u64::from(*self) << bit;
                }
            }

            fn take(words: &[u64], word: usize, bit: u32) -> Self {
                (words.get(word).copied().unwrap_or(0) >> bit) as Self
            }
        }
    )*};
}

integers!(u8, u16, u32, u64);

impl Placed for bool {
    fn put(&self, words: &mut [u64], word: usize, bit: u32) {
        u8::from(*self).put(words, word, bit);
    }

    fn take(words: &[u64], word: usize, bit: u32) -> Self {
        u8::take(words, word, bit) & 1 == 1
    }
}

impl Placed for f64 {
    fn put(&self, words: &mut [u64], word: usize, bit: u32) {
        self.to_bits().put(words, word, bit);
    }

    fn take(words: &[u64], word: usize, bit: u32) -> Self {
        Self::from_bits(u64::take(words, word, bit))
    }
}

impl<const N: usize> Placed for [f64; N] {
    fn put(&self, words: &mut [u64], word: usize, bit: u32) {
        for (index, value) in self.iter().enumerate() {
            value.put(words, word + index, bit);
        }
    }

    fn take(words: &[u64], word: usize, bit: u32) -> Self {
        std::array::from_fn(|index| f64::take(words, word + index, bit))
    }
}

impl Placed for Pose {
    fn put(&self, words: &mut [u64], word: usize, bit: u32) {
        self.to_array().put(words, word, bit);
    }

    fn take(words: &[u64], word: usize, bit: u32) -> Self {
        Self::from_array(Placed::take(words, word, bit))
    }
}

/// Declares a structure of values at fixed places of `$count` words: `value: u16 = word 34 bit 8;`.
/// Bits without a value are zero when written and ignored when read.
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derive:ident),*)])?
        pub struct $name:ident in $count:literal words {
            $(
                $(#[doc = $field_doc:literal])*
                $field:ident: $type:ty = word $word:literal $(bit $bit:literal)?;
            )*
        }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq $($(, $derive)*)?)]
        pub struct $name {
            $(
                $(#[doc = $field_doc])*
                #[doc = ""]
                #[doc = concat!("Word ", stringify!($word) $(, ", bit ", stringify!($bit))?, ".")]
                pub $field: $type,
            )*
        }

        impl $name {
            /// Number of words.
            pub const WORDS: usize = $count;

            /// Returns the words. Real-time callable.
            pub fn to_words(&self) -> [u64; $count] {
                let mut words = [0; $count];
                $crate::block::words::Placed::put(self, &mut words, 0, 0);
                words
            }

            /// Reads the words; any words give a value. Real-time callable.
            pub fn from_words(words: &[u64; $count]) -> Self {
                $crate::block::words::Placed::take(words, 0, 0)
            }

            /// Returns names, types, places and meanings of the values.
            pub fn layout() -> $crate::description::WordsLayout {
                $crate::description::WordsLayout {
                    name: stringify!($name),
                    doc: $crate::description::plain(&[$($doc),*]),
                    words: $count,
                    places: vec![$($crate::description::PlaceLayout {
                        word: $word,
                        bit: 0 $(+ $bit)?,
                        field: $crate::wire::field_layout!($field, $type, [$($field_doc),*]),
                    }),*],
                }
            }
        }

        impl $crate::description::Described for $name {
            fn described() -> $crate::description::Type {
                $crate::description::Type::Words(Box::new(Self::layout()))
            }
        }

        impl $crate::block::words::Placed for $name {
            fn put(&self, words: &mut [u64], word: usize, _: u32) {
                $($crate::block::words::Placed::put(
                    &self.$field, words, word + $word, 0 $(+ $bit)?,
                );)*
            }

            fn take(words: &[u64], word: usize, _: u32) -> Self {
                Self {
                    $($field: $crate::block::words::Placed::take(
                        words, word + $word, 0 $(+ $bit)?,
                    ),)*
                }
            }
        }
    };
}

pub(crate) use words;
