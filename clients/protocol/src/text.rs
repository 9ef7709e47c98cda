//! Texts of bounded length: UTF-8 in a fixed number of bytes, padded with zeros.

/// A text of at most `N - 1` bytes, so that a zero always terminates it. It may be empty. It has no
/// control characters except line breaks.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Text<N> {
    /// Returns as much of `text` as fits, cut between characters, with `…` at its end where it was
    /// cut and that fits. Control characters other than line breaks become spaces.
    pub fn lossy(text: &str) -> Self {
        const MARK: &str = "…";
        if text.len() < N || N <= MARK.len() {
            return Self::start_of(text);
        }
        let kept = text.floor_char_boundary(N - 1 - MARK.len());
        let mut result = Self::start_of(&text[..kept]);
        let end = result.length + MARK.len();
        if let Some(place) = result.bytes.get_mut(result.length..end) {
            place.copy_from_slice(MARK.as_bytes());
            result.length = end;
        }
        result
    }

    /// Returns as much of `text` as fits.
    fn start_of(text: &str) -> Self {
        let mut result = Self {
            bytes: [0; N],
            length: 0,
        };
        for character in text.chars() {
            let character = if is_allowed(character) {
                character
            } else {
                ' '
            };
            let end = result.length + character.len_utf8();
            match result.bytes.get_mut(result.length..end) {
                Some(place) if end < N => {
                    character.encode_utf8(place);
                    result.length = end;
                }
                _ => break,
            }
        }
        result
    }

    /// Parses the fixed-size form. It must be UTF-8, terminated by a zero, with only zeros after
    /// that.
    ///
    /// # Errors
    /// A description of what is wrong.
    pub fn from_bytes(bytes: &[u8; N]) -> Result<Self, &'static str> {
        let length = bytes
            .iter()
            .position(|byte| *byte == 0)
            .ok_or("no zero ends it")?;
        let (text, padding) = bytes.split_at(length);
        if padding.iter().any(|byte| *byte != 0) {
            return Err("bytes behind the end are not zero");
        }
        let text = std::str::from_utf8(text).map_err(|_| "not UTF-8")?;
        if text.chars().all(is_allowed) {
            Ok(Self {
                bytes: *bytes,
                length,
            })
        } else {
            Err("control characters")
        }
    }

    /// Returns the fixed-size form.
    pub fn as_bytes(&self) -> &[u8; N] {
        &self.bytes
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        // The bytes are UTF-8 by construction; the empty text is a fallback that avoids a panic
        // path.
        self.bytes
            .get(..self.length)
            .and_then(|text| std::str::from_utf8(text).ok())
            .unwrap_or("")
    }
}

/// Returns true for Unicode's line breaks and direction marks. They could make a name look like
/// another one in a log or a list.
fn reorders(character: char) -> bool {
    matches!(
        character,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

fn is_allowed(character: char) -> bool {
    !character.is_control() || character == '\n'
}

impl<const N: usize> std::fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self.as_str(), f)
    }
}

impl<const N: usize> std::fmt::Display for Text<N> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Length of a [`Name`] on the wire, in bytes.
pub const NAME_BYTES: usize = 64;

/// Name of a client, an arm or a body: 1 to 63 bytes of UTF-8 on one line.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(Text<NAME_BYTES>);

impl Name {
    /// Checks a name.
    ///
    /// # Errors
    /// A description of what is wrong.
    pub fn new(name: &str) -> Result<Self, &'static str> {
        if name.is_empty() {
            return Err("empty");
        }
        if name.len() >= NAME_BYTES {
            return Err("longer than 63 bytes");
        }
        if name.chars().any(char::is_control) {
            return Err("control characters");
        }
        if name.chars().any(reorders) {
            return Err("characters that break or reorder lines");
        }
        Ok(Self(Text::lossy(name)))
    }

    /// Returns the name as a string.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Returns the fixed-size form.
    pub fn as_bytes(&self) -> &[u8; NAME_BYTES] {
        self.0.as_bytes()
    }
}

impl std::fmt::Debug for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(&self.0, f)
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        assert_eq!(Text::<6>::lossy("abcde").as_str(), "abcde");
        assert_eq!(Text::<6>::lossy("abcdef").as_str(), "ab…");
        assert_eq!(Text::<6>::lossy("aéee").as_str(), "aéee");
        assert_eq!(Text::<6>::lossy("aééé").as_str(), "a…");
        assert_eq!(Text::<3>::lossy("abcdef").as_str(), "ab");
        assert_eq!(Text::<6>::lossy("a\tb\nc").as_str(), "a b\nc");
        assert_eq!(Text::<1>::lossy("a").as_str(), "");
    }

    #[test]
    fn names_have_1_to_63_bytes_on_one_line() {
        assert_eq!(Name::new("").unwrap_err(), "empty");
        assert_eq!(
            Name::new(&"x".repeat(64)).unwrap_err(),
            "longer than 63 bytes"
        );
        assert_eq!(Name::new("a\nb").unwrap_err(), "control characters");
        for mark in ['\u{2028}', '\u{202e}', '\u{2067}', '\u{200f}'] {
            let name = format!("a{mark}b");
            let why = Name::new(&name).unwrap_err();
            assert_eq!(why, "characters that break or reorder lines");
        }
        assert!(Name::new("Gr\u{fc}\u{df}e, \u{5de6}").is_ok());
        assert_eq!(Name::new(&"é".repeat(31)).unwrap().as_str(), "é".repeat(31));
        assert!(Name::new(&"x".repeat(63)).is_ok());
    }

    #[test]
    fn bytes_behind_the_end_must_be_zero() {
        assert_eq!(Text::from_bytes(b"ab\0\0").unwrap().as_str(), "ab");
        assert_eq!(
            Text::from_bytes(b"ab\0c").unwrap_err(),
            "bytes behind the end are not zero"
        );
        assert_eq!(Text::from_bytes(b"abcd").unwrap_err(), "no zero ends it");
        assert_eq!(Text::from_bytes(b"\xff\0\0\0").unwrap_err(), "not UTF-8");
        assert_eq!(
            Text::from_bytes(b"\x1b[m\0").unwrap_err(),
            "control characters"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_was_made_of_any_text_is_valid(text in ".*") {
            let made = Text::<24>::lossy(&text);
            prop_assert_eq!(Text::from_bytes(made.as_bytes()), Ok(made));
            prop_assert!(made.as_str().len() < 24);
        }
    }
}
