//! The definition of a key: name, type, unit, range, default, documentation and reload class.
//!
//! A [`Key`] is written once, in `schema/`, and everything follows from it: the parser, the range
//! check, the error texts, `docs/config.md`, the JSON Schema and the commented example file. All of
//! it is `const` data; nothing here allocates, blocks or fails. What checks such a value elsewhere
//! asks [`Section::range`].

use std::ops::RangeInclusive;

pub use hapticd_choices::Choice;

/// Longest path of a unix socket, bytes: the kernel has 108, and ends it with a zero.
pub const SOCKET_PATH_MAX: usize = 107;

/// A value as the schema writes it (defaults and examples).
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Literal {
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A real number.
    Number(f64),
    /// A string.
    Text(&'static str),
    /// An array of real numbers.
    Numbers(&'static [f64]),
    /// An array of points in the plane.
    Points(&'static [[f64; 2]]),
}

/// What a reload of the running daemon may do with a changed value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reload {
    /// The value is read once at start; changing it needs a restart.
    Restart,
    /// The value may change at any tick boundary.
    Live,
    /// A safety limit: a reload may make it stricter; making it looser needs a restart.
    TightenOnly(Stricter),
}

/// Direction in which a safety limit becomes stricter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stricter {
    /// A lower value is stricter (a force limit).
    Lower,
    /// A higher value is stricter (the time over which force is ramped up).
    Higher,
}

/// The type of a key and its allowed values. All bounds are inclusive.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// `true` or `false`.
    Boolean,
    /// A whole number, or `word` if there is one.
    Integer {
        /// Smallest allowed value.
        min: i64,
        /// Largest allowed value.
        max: i64,
        /// Word allowed in place of the number.
        word: Option<&'static str>,
    },
    /// A finite real number (with or without a decimal point), or `word` if there is one.
    Number {
        /// Smallest allowed value.
        min: f64,
        /// Largest allowed value.
        max: f64,
        /// Word allowed in place of the number.
        word: Option<&'static str>,
    },
    /// An array of exactly `count` finite real numbers.
    Numbers {
        /// Number of elements.
        count: usize,
        /// Smallest allowed value of each.
        min: f64,
        /// Largest allowed value of each.
        max: f64,
    },
    /// Three finite real numbers that are not all zero; only their direction matters.
    Direction,
    /// An array of arrays of two finite real numbers: points in the plane.
    Points {
        /// Smallest number of points.
        least: usize,
        /// Largest number of points.
        most: usize,
        /// Smallest allowed value of each coordinate.
        min: f64,
        /// Largest allowed value of each coordinate.
        max: f64,
    },
    /// Any text without control characters.
    Text {
        /// Largest length, in characters.
        max_chars: usize,
    },
    /// An identifier: 1 to 63 of `A-Z a-z 0-9 _ -`.
    Name,
    /// A path, with environment variables. Relative paths start at the folder of the configuration
    /// file.
    Path(PathUse),
    /// A known name, or (if it contains a `/`, a `.` or a `$`) a path.
    NameOrPath {
        /// Names that exist; empty if this crate does not know them.
        names: &'static [&'static str],
    },
    /// One of a fixed set of words.
    Choice(&'static [Choice]),
    /// A sub-table.
    Table(&'static Section),
    /// More keys in the same table.
    Flatten(&'static Section),
    /// An array of tables.
    Tables {
        /// Keys of each table.
        section: &'static Section,
        /// Largest number of tables.
        max: usize,
    },
}

/// Purpose of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathUse {
    /// A file that must exist when the daemon starts.
    Input,
    /// A file that the daemon writes.
    Output,
    /// A unix socket that the daemon creates: at most [`SOCKET_PATH_MAX`] bytes long after
    /// expansion.
    Socket,
}

/// The definition of one key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Name on the left of `=`, or in the header of a table.
    pub name: &'static str,
    /// Documentation, in sentences. Lines end with newlines and may start with a space.
    pub doc: &'static str,
    /// Type and allowed values.
    pub kind: Kind,
    /// Unit symbol for the reader; the name carries the unit as well.
    pub unit: Option<&'static str>,
    /// Value if the file does not give one. If `None` and not `required`, the key may stay unset.
    pub default: Option<Literal>,
    /// Whether the file must give it.
    pub required: bool,
    /// Value shown in the example file if there is no default.
    pub example: Option<Literal>,
    /// What a reload may do with it.
    pub reload: Reload,
    /// Why other values of the tag refuse the key, if that matters more than which keys they allow.
    pub refused_elsewhere: Option<&'static str>,
}

/// The keys of one table. `keys` come first, then those of the chosen variant.
#[derive(Debug)]
pub struct Section {
    /// Purpose of the table.
    pub doc: &'static str,
    /// Keys that always apply.
    pub keys: &'static [Key],
    /// Keys that depend on the value of a tag.
    pub variants: Option<Variants>,
}

/// Keys that depend on the value of a tag.
#[derive(Debug)]
pub struct Variants {
    /// The key that chooses. Its kind is [`Kind::Choice`] and its choices are `cases`, in order.
    pub tag: Key,
    /// The keys of each choice.
    pub cases: &'static [Case],
}

/// One choice of a tag and its keys.
#[derive(Debug)]
pub struct Case {
    /// Value of the tag.
    pub name: &'static str,
    /// Keys that apply with this value.
    pub keys: &'static [Key],
}

impl Key {
    pub(crate) const fn new(kind: Kind, default: Option<Literal>) -> Key {
        Key {
            name: "",
            doc: "",
            kind,
            unit: None,
            default,
            required: false,
            example: None,
            reload: Reload::Restart,
            refused_elsewhere: None,
        }
    }

    /// Sets name and documentation. The schema macros call it.
    pub(crate) const fn named(mut self, name: &'static str, doc: &'static str) -> Key {
        self.name = name;
        self.doc = doc;
        self
    }

    /// Sets the unit.
    pub(crate) const fn unit(mut self, unit: &'static str) -> Key {
        self.unit = Some(unit);
        self
    }

    /// Makes the key required; `example` is what the example file shows (for a table with variants:
    /// the value of its tag).
    pub(crate) const fn required(mut self, example: Literal) -> Key {
        self.default = None;
        self.required = true;
        self.example = Some(example);
        self
    }

    /// Makes the key optional, without a default; `example` is what the example file shows.
    pub(crate) const fn optional(mut self, example: Literal) -> Key {
        self.default = None;
        self.example = Some(example);
        self
    }

    /// Lets a reload change the key at any tick boundary.
    pub(crate) const fn live(mut self) -> Key {
        self.reload = Reload::Live;
        self
    }

    /// Lets a reload only lower the key.
    pub(crate) const fn lower_is_stricter(mut self) -> Key {
        self.reload = Reload::TightenOnly(Stricter::Lower);
        self
    }

    /// Lets a reload only raise the key.
    pub(crate) const fn higher_is_stricter(mut self) -> Key {
        self.reload = Reload::TightenOnly(Stricter::Higher);
        self
    }

    /// Allows `word` in place of the number; `word` becomes the default.
    pub(crate) const fn or_word(mut self, word: &'static str) -> Key {
        self.kind = match self.kind {
            Kind::Integer { min, max, .. } => Kind::Integer {
                min,
                max,
                word: Some(word),
            },
            Kind::Number { min, max, .. } => Kind::Number {
                min,
                max,
                word: Some(word),
            },
            other => other,
        };
        self.default = Some(Literal::Text(word));
        self
    }

    /// Sets the reason why other values of the table's tag refuse the key.
    pub(crate) const fn refused_elsewhere(mut self, why: &'static str) -> Key {
        self.refused_elsewhere = Some(why);
        self
    }

    /// Returns the word allowed in place of the number, if any.
    #[must_use]
    pub fn word(&self) -> Option<&'static str> {
        match self.kind {
            Kind::Integer { word, .. } | Kind::Number { word, .. } => word,
            _ => None,
        }
    }

    /// Returns what the example file shows: the default, else the example.
    #[must_use]
    pub fn shown(&self) -> Option<Literal> {
        self.default.or(self.example)
    }

    /// Returns the first sentence of the documentation, on one line.
    #[must_use]
    pub fn summary(&self) -> String {
        let text = one_line(self.doc);
        match text.find(". ") {
            Some(end) => text[..=end].to_owned(),
            None => text,
        }
    }
}

/// Replaces line breaks and repeated spaces in `text` by single spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl Section {
    /// Returns the allowed values of the number `name`, one of [`keys`](Self::keys), in the unit of
    /// the key. Made for constants, so that a wrong name does not compile:
    ///
    /// ```
    /// use std::ops::RangeInclusive;
    ///
    /// use hapticd_config::{Material, Tabular};
    ///
    /// const FRICTION: RangeInclusive<f64> = Material::SECTION.range("friction_coefficient");
    /// assert_eq!(FRICTION, 0.0..=2.0);
    /// ```
    ///
    /// # Panics
    ///
    /// If the table has no such key, or the key is not a number.
    #[must_use]
    pub const fn range(&self, name: &str) -> RangeInclusive<f64> {
        let mut i = 0;
        while i < self.keys.len() {
            if is_same(self.keys[i].name, name) {
                return match self.keys[i].kind {
                    Kind::Number { min, max, .. } => RangeInclusive::new(min, max),
                    Kind::Integer { min, max, .. } => RangeInclusive::new(min as f64, max as f64),
                    _ => panic!("the key is not a number"),
                };
            }
            i += 1;
        }
        panic!("the table has no key of that name")
    }

    /// Calls `visit` for every key that may stand in this table, whatever the tag. A nested table
    /// counts as one key; flattened tables are entered.
    pub fn each_key(&'static self, visit: &mut dyn FnMut(&'static Key)) {
        fn enter(keys: &'static [Key], visit: &mut dyn FnMut(&'static Key)) {
            for key in keys {
                match key.kind {
                    Kind::Flatten(section) => section.each_key(visit),
                    _ => visit(key),
                }
            }
        }
        enter(self.keys, visit);
        if let Some(variants) = &self.variants {
            visit(&variants.tag);
            for case in variants.cases {
                enter(case.keys, visit);
            }
        }
    }
}

/// Whether two names are equal, for constants.
const fn is_same(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Whether `text` is a path, where a name is also allowed.
pub(crate) fn looks_like_path(text: &str) -> bool {
    text.contains(['/', '.', '$'])
}

/// A key of `true` or `false`.
pub(crate) const fn boolean(default: bool) -> Key {
    Key::new(Kind::Boolean, Some(Literal::Boolean(default)))
}

/// A whole number from `min` to `max`.
pub(crate) const fn integer(default: i64, min: i64, max: i64) -> Key {
    Key::new(
        Kind::Integer {
            min,
            max,
            word: None,
        },
        Some(Literal::Integer(default)),
    )
}

/// A real number from `min` to `max`.
pub(crate) const fn number(default: f64, min: f64, max: f64) -> Key {
    Key::new(
        Kind::Number {
            min,
            max,
            word: None,
        },
        Some(Literal::Number(default)),
    )
}

/// As many real numbers as `default` has, each from `min` to `max`.
pub(crate) const fn numbers(default: &'static [f64], min: f64, max: f64) -> Key {
    Key::new(
        Kind::Numbers {
            count: default.len(),
            min,
            max,
        },
        Some(Literal::Numbers(default)),
    )
}

/// A direction in space.
pub(crate) const fn direction(default: &'static [f64; 3]) -> Key {
    Key::new(Kind::Direction, Some(Literal::Numbers(default)))
}

/// From `least` to `most` points in the plane, each coordinate from `min` to `max`. The file must
/// give them.
pub(crate) const fn points(least: usize, most: usize, min: f64, max: f64) -> Key {
    Key::new(
        Kind::Points {
            least,
            most,
            min,
            max,
        },
        None,
    )
}

/// A text of at most `max_chars` characters, unset by default.
pub(crate) const fn text(max_chars: usize) -> Key {
    Key::new(Kind::Text { max_chars }, None)
}

/// An identifier, unset by default.
pub(crate) const fn name() -> Key {
    Key::new(Kind::Name, None)
}

/// A path, unset by default.
pub(crate) const fn path(purpose: PathUse) -> Key {
    Key::new(Kind::Path(purpose), None)
}

/// A path with the default `default`.
pub(crate) const fn path_or(purpose: PathUse, default: &'static str) -> Key {
    Key::new(Kind::Path(purpose), Some(Literal::Text(default)))
}

/// A known name or a path; `names` may be empty if only another crate knows them.
pub(crate) const fn name_or_path(names: &'static [&'static str]) -> Key {
    Key::new(Kind::NameOrPath { names }, None)
}
