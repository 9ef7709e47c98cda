//! Reads a TOML table key by key and collects every mistake with its span.
//!
//! A reader asks for the keys that it knows. When the section is closed, keys that it never asked
//! for are unknown and reported with the nearest known name. A missing or bad value is reported
//! once and replaced by a harmless one, so that reading goes on and finds the other mistakes. The
//! caller discards the result if there were any. Pure; allocates; no text causes a panic.

use std::cell::RefCell;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::Problem;
use crate::arm::MAX_COORDINATE_M;

/// Collects the mistakes of one file.
#[derive(Default)]
pub(super) struct Problems(RefCell<Vec<Problem>>);

impl Problems {
    pub(super) fn add(&self, span: Range<usize>, message: impl Into<String>) {
        let message = message.into();
        self.0.borrow_mut().push(Problem { span, message });
    }

    /// Returns the number so far, to find out whether something went wrong in between.
    pub(super) fn count(&self) -> usize {
        self.0.borrow().len()
    }

    /// Returns the mistakes in the order of the text, without repetitions.
    pub(super) fn into_sorted(self) -> Vec<Problem> {
        let mut problems = self.0.into_inner();
        problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
        problems.dedup();
        problems
    }
}

/// Numbers that a key allows.
#[derive(Copy, Clone)]
pub(super) enum Allow {
    Any,
    Positive,
    NotNegative,
}

/// One table of the file.
pub(super) struct Section<'a> {
    table: Option<&'a DeTable<'a>>,
    pub(super) span: Range<usize>,
    /// Name as a person would write it: `[limits]`, `[[input.field]]`.
    name: String,
    problems: &'a Problems,
    known: RefCell<Vec<&'static str>>,
}

impl<'a> Section<'a> {
    pub(super) fn root(table: &'a Spanned<DeTable<'a>>, problems: &'a Problems) -> Self {
        Self {
            table: Some(table.get_ref()),
            // The whole file is not a useful place to point at; what is missing from it is reported
            // at its first line.
            span: 0..0,
            name: "the profile".into(),
            problems,
            known: RefCell::default(),
        }
    }

    fn get(&self, key: &'static str) -> Option<&'a Spanned<DeValue<'a>>> {
        self.known.borrow_mut().push(key);
        self.table?.get(key)
    }

    pub(super) fn has(&self, key: &'static str) -> bool {
        self.get(key).is_some()
    }

    /// Returns the span of a key's value, or of the section if the key is missing.
    pub(super) fn span_of(&self, key: &'static str) -> Range<usize> {
        self.get(key)
            .map_or_else(|| self.span.clone(), Spanned::span)
    }

    pub(super) fn add_problem(&self, key: &'static str, message: impl Into<String>) {
        self.problems.add(self.span_of(key), message);
    }

    fn missing(&self, key: &'static str) {
        // A missing section was already reported.
        if self.table.is_some() {
            self.problems.add(
                self.span.clone(),
                format!("{} needs the key `{key}`", self.name),
            );
        }
    }

    fn wrong_type(&self, key: &'static str, wanted: &str, found: &Spanned<DeValue<'_>>) {
        let found_type = found.get_ref().type_str();
        self.problems.add(
            found.span(),
            format!("`{key}` must be {wanted}, not a TOML {found_type}"),
        );
    }

    /// Returns a table within this one. If it is missing, returns an empty one and, if it is
    /// required, reports it.
    pub(super) fn table(&self, key: &'static str, required: bool) -> Section<'a> {
        let name = match self.name.as_str() {
            "the profile" => format!("[{key}]"),
            outer => format!("[{}.{key}]", outer.trim_matches(['[', ']'])),
        };
        let value = self.get(key);
        if required && value.is_none() && self.table.is_some() {
            let message = format!("{} needs the section {name}", self.name);
            self.problems.add(self.span.clone(), message);
        }
        if let Some(value) = value
            && !value.get_ref().is_table()
        {
            self.wrong_type(key, "a table", value);
        }
        Section {
            table: value.and_then(|value| value.get_ref().as_table()),
            span: value.map_or_else(|| self.span.clone(), Spanned::span),
            name,
            problems: self.problems,
            known: RefCell::default(),
        }
    }

    /// Returns the tables of an array of tables.
    pub(super) fn tables(&self, key: &'static str) -> Vec<Section<'a>> {
        let name = match self.name.as_str() {
            "the profile" => format!("[[{key}]]"),
            outer => format!("[[{}.{key}]]", outer.trim_matches(['[', ']'])),
        };
        let Some(value) = self.get(key) else {
            return Vec::new();
        };
        let Some(array) = value.get_ref().as_array() else {
            self.wrong_type(key, "an array of tables", value);
            return Vec::new();
        };
        let sections = array.iter().filter_map(|entry| {
            let Some(table) = entry.get_ref().as_table() else {
                self.wrong_type(key, "an array of tables", entry);
                return None;
            };
            Some(Section {
                table: Some(table),
                span: entry.span(),
                name: name.clone(),
                problems: self.problems,
                known: RefCell::default(),
            })
        });
        sections.collect()
    }

    pub(super) fn number(&self, key: &'static str, allow: Allow) -> f64 {
        match self.get(key) {
            Some(value) => self.checked_number(key, value, allow),
            None => {
                self.missing(key);
                1.0
            }
        }
    }

    pub(super) fn number_or(&self, key: &'static str, default: f64, allow: Allow) -> f64 {
        match self.get(key) {
            Some(value) => self.checked_number(key, value, allow),
            None => default,
        }
    }

    fn checked_number(&self, key: &str, value: &Spanned<DeValue<'_>>, allow: Allow) -> f64 {
        let number = match value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(_) => integer(value.get_ref()).map(|whole| whole as f64),
            _ => {
                let found = value.get_ref().type_str();
                self.problems.add(
                    value.span(),
                    format!("`{key}` must be a number, not a TOML {found}"),
                );
                return 1.0;
            }
        };
        let (fits, wanted) = match (number, allow) {
            (Some(x), Allow::Any) => (f64::is_finite(x), "finite"),
            (Some(x), Allow::Positive) => (f64::is_finite(x) && x > 0.0, "greater than 0"),
            (Some(x), Allow::NotNegative) => (f64::is_finite(x) && x >= 0.0, "0 or more"),
            (None, _) => (false, "a number in range"),
        };
        if fits {
            number.unwrap_or(1.0)
        } else {
            self.problems
                .add(value.span(), format!("`{key}` must be {wanted}"));
            1.0
        }
    }

    /// Reads a length in metres, no larger than any coordinate may be.
    pub(super) fn length(&self, key: &'static str, allow: Allow) -> f64 {
        let [length] = self.check_magnitude(key, [self.number(key, allow)]);
        length
    }

    /// Reads several lengths in metres.
    pub(super) fn lengths<const N: usize>(
        &self,
        key: &'static str,
        default: Option<[f64; N]>,
        allow: Allow,
    ) -> [f64; N] {
        self.check_magnitude(key, self.numbers(key, default, allow))
    }

    fn check_magnitude<const N: usize>(&self, key: &'static str, lengths: [f64; N]) -> [f64; N] {
        if lengths
            .iter()
            .all(|length| length.abs() <= MAX_COORDINATE_M)
        {
            return lengths;
        }
        self.add_problem(key, format!("`{key}` must be {MAX_COORDINATE_M} m at most"));
        [1.0; N]
    }

    pub(super) fn integer(&self, key: &'static str, allowed: std::ops::RangeInclusive<i64>) -> i64 {
        match self.get(key) {
            Some(value) => self.checked_integer(key, value, allowed),
            None => {
                self.missing(key);
                *allowed.start()
            }
        }
    }

    pub(super) fn optional_integer(
        &self,
        key: &'static str,
        allowed: std::ops::RangeInclusive<i64>,
    ) -> Option<i64> {
        self.get(key)
            .map(|value| self.checked_integer(key, value, allowed))
    }

    fn checked_integer(
        &self,
        key: &str,
        value: &Spanned<DeValue<'_>>,
        allowed: std::ops::RangeInclusive<i64>,
    ) -> i64 {
        match integer(value.get_ref()) {
            Some(whole) if allowed.contains(&whole) => whole,
            _ => {
                let (low, high) = allowed.into_inner();
                let message = format!("`{key}` must be a whole number from {low} to {high}");
                self.problems.add(value.span(), message);
                low
            }
        }
    }

    pub(super) fn boolean_or(&self, key: &'static str, default: bool) -> bool {
        match self.get(key) {
            None => default,
            Some(value) => value.get_ref().as_bool().unwrap_or_else(|| {
                self.wrong_type(key, "true or false", value);
                default
            }),
        }
    }

    pub(super) fn text(&self, key: &'static str) -> &'a str {
        let Some(value) = self.get(key) else {
            self.missing(key);
            return "";
        };
        value.get_ref().as_str().unwrap_or_else(|| {
            self.wrong_type(key, "a string", value);
            ""
        })
    }

    /// Reads one of several words; a mistake is replaced by the first.
    pub(super) fn choice<T: Copy>(&self, key: &'static str, choices: &[(&'static str, T)]) -> T {
        if self.has(key) {
            self.choice_or(key, choices, choices[0].1)
        } else {
            self.missing(key);
            choices[0].1
        }
    }

    pub(super) fn choice_or<T: Copy>(
        &self,
        key: &'static str,
        choices: &[(&'static str, T)],
        default: T,
    ) -> T {
        if !self.has(key) {
            return default;
        }
        let text = self.text(key);
        match choices.iter().find(|(word, _)| *word == text) {
            Some((_, choice)) => *choice,
            None => {
                let words: Vec<String> = choices
                    .iter()
                    .map(|(word, _)| format!("\"{word}\""))
                    .collect();
                self.add_problem(key, format!("`{key}` must be one of {}", words.join(", ")));
                default
            }
        }
    }

    /// Reads an array of exactly `N` finite numbers.
    pub(super) fn numbers<const N: usize>(
        &self,
        key: &'static str,
        default: Option<[f64; N]>,
        allow: Allow,
    ) -> [f64; N] {
        let fallback = default.unwrap_or([1.0; N]);
        let Some(value) = self.get(key) else {
            if default.is_none() {
                self.missing(key);
            }
            return fallback;
        };
        let Some(array) = value.get_ref().as_array().filter(|array| array.len() == N) else {
            self.add_problem(key, format!("`{key}` must be an array of {N} numbers"));
            return fallback;
        };
        let mut numbers = fallback;
        for (number, entry) in numbers.iter_mut().zip(array.iter()) {
            *number = self.checked_number(key, entry, allow);
        }
        numbers
    }

    /// Reads an array of rows of numbers, as written.
    pub(super) fn rows(&self, key: &'static str, rows: usize, columns: usize) -> Vec<Vec<f64>> {
        let Some(value) = self.get(key) else {
            return Vec::new();
        };
        let wanted = || format!("`{key}` must be {rows} arrays of {columns} numbers each");
        let array = value.get_ref().as_array();
        let Some(array) = array.filter(|array| array.len() == rows) else {
            self.add_problem(key, wanted());
            return Vec::new();
        };
        let row = |entry: &Spanned<DeValue<'_>>| match entry.get_ref().as_array() {
            Some(numbers) if numbers.len() == columns => (numbers.iter())
                .map(|number| self.checked_number(key, number, Allow::Any))
                .collect(),
            _ => {
                self.problems.add(entry.span(), wanted());
                vec![0.0; columns]
            }
        };
        array.iter().map(row).collect()
    }

    /// Reads an array of whole numbers from 0 to 255.
    pub(super) fn bytes(&self, key: &'static str, required: bool) -> Vec<u8> {
        let Some(value) = self.get(key) else {
            if required {
                self.missing(key);
            }
            return Vec::new();
        };
        let Some(array) = value.get_ref().as_array() else {
            self.wrong_type(key, "an array of bytes", value);
            return Vec::new();
        };
        let byte = |entry| self.checked_integer(key, entry, 0..=255) as u8;
        array.iter().map(byte).collect()
    }

    /// Reports the keys that were never asked for. Closing twice does no harm: repetitions are
    /// dropped.
    pub(super) fn close(&self) {
        let Some(table) = self.table else {
            return;
        };
        let known = self.known.borrow();
        for key in table.keys() {
            let name = key.get_ref().as_ref();
            if known.contains(&name) {
                continue;
            }
            let nearest = (known.iter())
                .map(|known| (strsim::damerau_levenshtein(known, name), *known))
                .min()
                .filter(|(distance, known)| *distance <= 1 + known.len() / 3);
            let hint = nearest
                .map(|(_, known)| format!("; did you mean `{known}`?"))
                .unwrap_or_default();
            let message = format!("unknown key `{name}` in {}{hint}", self.name);
            self.problems.add(key.span(), message);
        }
    }
}

fn integer(value: &DeValue<'_>) -> Option<i64> {
    let whole = value.as_integer()?;
    i64::from_str_radix(whole.as_str(), whole.radix()).ok()
}
