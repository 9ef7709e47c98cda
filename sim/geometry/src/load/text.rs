//! Lines and words of text formats, as bytes: comments and names need not be UTF-8. Line numbers
//! start at 1.

use super::LoadProblem;
use crate::pose::Vec3;

/// One line and its number.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    pub(super) number: usize,
    pub(super) bytes: &'a [u8],
}

/// Returns the lines of a text, with any line end.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    bytes
        .split(|&b| b == b'\n')
        .enumerate()
        .map(|(i, bytes)| Line {
            number: i + 1,
            bytes,
        })
}

/// Returns the words between white space.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
}

impl Line<'_> {
    /// Returns the error that something else was expected in this line.
    pub(super) fn expected(&self, expected: &'static str) -> LoadProblem {
        LoadProblem::Syntax {
            line: self.number,
            expected,
            found: excerpt(self.bytes),
        }
    }

    /// Reads three numbers, the next words of the line.
    pub(super) fn vec3<'w>(
        &self,
        words: &mut impl Iterator<Item = &'w [u8]>,
    ) -> Result<Vec3, LoadProblem> {
        let mut p = Vec3::zeros();
        for x in p.iter_mut() {
            *x = words
                .next()
                .and_then(number)
                .ok_or_else(|| self.expected("three numbers"))?;
        }
        Ok(p)
    }
}

/// Parses a number as Rust does: `inf` and `nan` are accepted here and refused later.
pub(super) fn number<T: std::str::FromStr>(word: &[u8]) -> Option<T> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// Returns the start of a line for an error message: short and without control characters.
pub(crate) fn excerpt(bytes: &[u8]) -> String {
    let start = &bytes[..bytes.len().min(60)];
    String::from_utf8_lossy(start)
        .trim()
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect()
}
