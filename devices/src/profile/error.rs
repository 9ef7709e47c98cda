//! Mistakes in a profile with their places: rendered as `file:line:column` with the line and a
//! caret.
//!
//! All mistakes of a file are reported together, in the order of the file. Pure; allocates.

use std::fmt;
use std::ops::Range;

/// One mistake in a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the text that it is about.
    pub span: Range<usize>,
    /// A sentence about the user's input, without a full stop.
    pub message: String,
}

/// All mistakes of one profile; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileErrors {
    /// Name of the file, for messages.
    pub source_name: String,
    /// Text of the file.
    pub text: String,
    /// Mistakes in the order of the text.
    pub problems: Vec<Problem>,
}

impl std::error::Error for ProfileErrors {}

/// Returns line and column of a byte offset, both from 1, columns in characters, and the text of
/// the line.
fn locate(text: &str, offset: usize) -> (usize, usize, &str) {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    let before = &text[..offset];
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[start..].lines().next().unwrap_or("");
    let number = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
    (number, before[start..].chars().count() + 1, line)
}

impl fmt::Display for ProfileErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, problem) in self.problems.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            let (line, column, text) = locate(&self.text, problem.span.start);
            let width = line.to_string().len();
            // A span of several lines is marked on its first line.
            let left = text.chars().count().saturating_sub(column - 1);
            let long = self
                .text
                .get(problem.span.clone())
                .map_or(1, |span| span.chars().count());
            let carets = "^".repeat(long.min(left).max(1));
            writeln!(
                f,
                "{}:{line}:{column}: {}",
                self.source_name, problem.message
            )?;
            writeln!(f, "{:width$} |", "")?;
            writeln!(f, "{line} | {text}")?;
            write!(f, "{:width$} | {:>2$}{carets}", "", "", column - 1)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistake_is_shown_with_line_column_and_caret() {
        let text = "first = 1\nsécond = oops\n";
        let start = text.find("oops").unwrap();
        let problem = |span| Problem {
            span,
            message: "no such value".into(),
        };
        let errors = ProfileErrors {
            source_name: "arm.toml".into(),
            text: text.into(),
            problems: vec![
                problem(start..start + 4),
                problem(text.len() + 5..usize::MAX),
            ],
        };
        let shown = errors.to_string();
        assert!(
            shown.starts_with(
                "arm.toml:2:10: no such value\n  |\n2 | sécond = oops\n  |          ^^^^\n"
            ),
            "{shown}"
        );
        assert!(shown.contains("arm.toml:3:1: no such value"), "{shown}");
    }
}
