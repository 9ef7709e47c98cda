//! The text of a configuration file, and positions in it.
//!
//! Converts byte offsets to lines and columns. Never panics, whatever the offsets.

use std::ops::Range;

/// A line and a column, both counted from 1; columns count characters, not bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// A configuration text and the name that errors show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

/// The part of a line that an error points at, ready to print.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The line (or a window of it), with control characters made visible.
    pub line: String,
    /// Characters before the first caret.
    pub indent: usize,
    /// Number of carets, at least one.
    pub carets: usize,
}

/// Longest line that an excerpt shows whole; longer lines are cut around the error.
const EXCERPT_CHARS: usize = 120;

impl Source {
    /// Takes the text of the file called `name`.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Source {
        let text = text.into();
        let line_starts = std::iter::once(0)
            .chain(text.match_indices('\n').map(|(i, _)| i + 1))
            .collect();
        Source {
            name: name.into(),
            text,
            line_starts,
        }
    }

    /// Returns the name that errors show.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the position of byte `offset`. Offsets beyond the end count as the end.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let offset = offset.min(self.text.len());
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line - 1];
        let column = self.text[start..]
            .char_indices()
            .take_while(|(i, _)| start + i < offset)
            .count();
        Position {
            line,
            column: column + 1,
        }
    }

    /// Returns the text of line `line` (from 1), without its line end.
    fn line(&self, line: usize) -> &str {
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let end = self
            .line_starts
            .get(line)
            .map_or(self.text.len(), |next| next - 1);
        self.text[start..end].trim_end_matches('\r')
    }

    /// Returns the first line of `span` and the place of the carets.
    pub(crate) fn excerpt(&self, span: &Range<usize>) -> Excerpt {
        let at = self.position(span.start);
        let end = self.position(span.end.max(span.start));
        let line: Vec<char> = self.line(at.line).chars().collect();
        let first = (at.column - 1).min(line.len());
        let last = if end.line == at.line {
            (end.column - 1).clamp(first, line.len())
        } else {
            line.len()
        };
        let carets = (last - first).max(1);

        let (from, to) = if line.len() <= EXCERPT_CHARS {
            (0, line.len())
        } else {
            let from = first.saturating_sub(EXCERPT_CHARS / 3);
            (from, (from + EXCERPT_CHARS).min(line.len()))
        };
        let shown = line[from..to].iter().map(|&c| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        });
        let cut_left = if from > 0 { "..." } else { "" };
        let cut_right = if to < line.len() { "..." } else { "" };
        Excerpt {
            line: format!("{cut_left}{}{cut_right}", shown.collect::<String>()),
            indent: first - from + cut_left.len(),
            carets: carets.min((to - first).max(1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let source = Source::new("x", "a\nb\u{e9}c\n");
        let at = |offset| {
            let p = source.position(offset);
            (p.line, p.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(1), (1, 2));
        assert_eq!(at(2), (2, 1));
        assert_eq!(at(5), (2, 3), "an accented letter is one column");
        assert_eq!(at(7), (3, 1));
        assert_eq!(at(1000), (3, 1));
    }

    #[test]
    fn excerpts_of_long_lines_are_cut_around_the_error() {
        let text = format!("{}BAD{}", "x".repeat(500), "y".repeat(500));
        let source = Source::new("x", text);
        let excerpt = source.excerpt(&(500..503));
        assert!(excerpt.line.chars().count() <= EXCERPT_CHARS + 6);
        let under: String = excerpt
            .line
            .chars()
            .skip(excerpt.indent)
            .take(excerpt.carets)
            .collect();
        assert_eq!(under, "BAD");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        let source = Source::new("x", "a\u{1b}[2Jb\tc");
        assert_eq!(source.excerpt(&(0..1)).line, "a\u{fffd}[2Jb c");
    }

    #[test]
    fn spans_in_the_middle_of_a_character_do_not_panic() {
        let source = Source::new("x", "\u{e9}\u{e9}");
        for start in 0..6 {
            for end in 0..6 {
                let _ = source.excerpt(&(start..end));
            }
        }
    }
}
