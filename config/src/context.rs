//! What parsing needs from outside: the folder of the configuration file and the environment.
//!
//! It is passed as an argument, so that parsing stays a pure function of its inputs.

use std::path::{Path, PathBuf};

/// Deepest nesting of `${A:-${B:-...}}`.
const NESTING_MAX: usize = 8;

/// The base folder of relative paths, and the environment variables that paths may name.
pub struct Context<'a> {
    base: PathBuf,
    variable: Box<Lookup<'a>>,
    recorded: bool,
}

/// Looks up an environment variable.
type Lookup<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// Why a path text could not be expanded.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ExpandError {
    /// A variable is unset (or empty) and has no fallback.
    Unset(String),
    /// A `$` that does not start a variable, at this byte of the text.
    Malformed(usize),
}

impl<'a> Context<'a> {
    /// Makes a context: relative paths start at `base`, and `variable` looks up environment
    /// variables.
    pub fn new(
        base: impl Into<PathBuf>,
        variable: impl Fn(&str) -> Option<String> + 'a,
    ) -> Context<'a> {
        Context {
            base: base.into(),
            variable: Box::new(variable),
            recorded: false,
        }
    }

    /// Makes the context of a configuration from a recording. Earlier versions wrote keys into it
    /// that the kind of a body does not take, so these are not refused.
    #[must_use]
    pub fn recorded(self) -> Self {
        Context {
            recorded: true,
            ..self
        }
    }

    pub(crate) fn is_recorded(&self) -> bool {
        self.recorded
    }

    /// Makes the context of the file at `path`: its folder, and the environment of this process.
    #[must_use]
    pub fn of_file(path: &Path) -> Context<'static> {
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        Context::new(folder, |name| std::env::var(name).ok())
    }

    /// Substitutes environment variables in `text` and joins the result to the base folder, if it
    /// is relative.
    ///
    /// `$NAME`, `${NAME}` and `${NAME:-fallback}` work as in a shell: an empty variable counts as
    /// unset, and the fallback may itself name variables. `$$` is a dollar sign.
    pub(crate) fn resolve(&self, text: &str) -> Result<PathBuf, ExpandError> {
        let mut out = String::with_capacity(text.len());
        self.expand(text, 0, 0, &mut out)?;
        Ok(self.base.join(out))
    }

    /// Appends `text`, which starts at byte `offset` of the whole, with its variables substituted.
    fn expand(
        &self,
        text: &str,
        offset: usize,
        depth: usize,
        out: &mut String,
    ) -> Result<(), ExpandError> {
        let mut rest = text;
        while let Some(dollar) = rest.find('$') {
            out.push_str(&rest[..dollar]);
            let here = offset + (text.len() - rest.len()) + dollar;
            let after = &rest[dollar + 1..];
            if let Some(tail) = after.strip_prefix('$') {
                out.push('$');
                rest = tail;
            } else if let Some(braced) = after.strip_prefix('{') {
                let end = closing_brace(braced).ok_or(ExpandError::Malformed(here))?;
                let (inside, tail) = (&braced[..end], &braced[end + 1..]);
                let (name, fallback) = match inside.split_once(":-") {
                    Some((name, fallback)) => (name, Some(fallback)),
                    None => (inside, None),
                };
                if variable_length(name) != name.len() || name.is_empty() || depth >= NESTING_MAX {
                    return Err(ExpandError::Malformed(here));
                }
                match (self.lookup(name), fallback) {
                    (Some(value), _) => out.push_str(&value),
                    (None, Some(fallback)) => {
                        let start = here + 2 + name.len() + 2;
                        self.expand(fallback, start, depth + 1, out)?;
                    }
                    (None, None) => return Err(ExpandError::Unset(name.to_owned())),
                }
                rest = tail;
            } else {
                let length = variable_length(after);
                if length == 0 {
                    return Err(ExpandError::Malformed(here));
                }
                let name = &after[..length];
                let value = self
                    .lookup(name)
                    .ok_or_else(|| ExpandError::Unset(name.to_owned()))?;
                out.push_str(&value);
                rest = &after[length..];
            }
        }
        out.push_str(rest);
        Ok(())
    }

    fn lookup(&self, name: &str) -> Option<String> {
        (self.variable)(name).filter(|value| !value.is_empty())
    }
}

/// Returns the length of the variable name at the start of `text`: letters, digits and `_`, not
/// starting with a digit.
fn variable_length(text: &str) -> usize {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len())
}

/// Returns the offset of the `}` that closes a brace opened just before `text`.
fn closing_brace(text: &str) -> Option<usize> {
    let mut open = 0usize;
    let mut previous = ' ';
    for (i, c) in text.char_indices() {
        match c {
            '{' if previous == '$' => open += 1,
            '}' if open == 0 => return Some(i),
            '}' => open -= 1,
            _ => {}
        }
        previous = c;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> Result<String, ExpandError> {
        let context = Context::new("/etc/hapticd", |name| match name {
            "RUN" => Some("/run/user/7".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        });
        context
            .resolve(text)
            .map(|path| path.to_string_lossy().into_owned())
    }

    #[test]
    fn variables_expand_as_in_a_shell() {
        assert_eq!(expand("$RUN/x").unwrap(), "/run/user/7/x");
        assert_eq!(expand("${RUN}x").unwrap(), "/run/user/7x");
        assert_eq!(expand("${RUN:-/tmp}/x").unwrap(), "/run/user/7/x");
        assert_eq!(expand("${NO:-/tmp}/x").unwrap(), "/tmp/x");
        assert_eq!(expand("${EMPTY:-/tmp}").unwrap(), "/tmp");
        assert_eq!(expand("${NO:-${RUN}/y}/z").unwrap(), "/run/user/7/y/z");
        assert_eq!(expand("/a$$b").unwrap(), "/a$b");
    }

    #[test]
    fn relative_paths_start_at_the_base_folder() {
        assert_eq!(expand("a/b.obj").unwrap(), "/etc/hapticd/a/b.obj");
    }

    #[test]
    fn unset_and_malformed_variables_are_told_apart() {
        assert_eq!(expand("$NO"), Err(ExpandError::Unset("NO".into())));
        assert_eq!(
            expand("${NO:-${NEITHER}}"),
            Err(ExpandError::Unset("NEITHER".into()))
        );
        assert_eq!(expand("/a/$"), Err(ExpandError::Malformed(3)));
        assert_eq!(expand("${RUN"), Err(ExpandError::Malformed(0)));
        assert_eq!(expand("${}"), Err(ExpandError::Malformed(0)));
        assert_eq!(expand("${NO:-$9}"), Err(ExpandError::Malformed(6)));
        assert_eq!(expand(&"${A:-".repeat(20)), Err(ExpandError::Malformed(0)));
        let deep = format!("{}x{}", "${A:-".repeat(20), "}".repeat(20));
        assert!(matches!(expand(&deep), Err(ExpandError::Malformed(_))));
    }
}
