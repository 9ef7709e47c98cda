//! No text makes the parser panic, however it was mutated, and every error can be shown.

use hapticd_config::{Context, generate, parse, reload};
use proptest::prelude::*;

/// Of a recording: there a body may have the keys of every kind.
fn context() -> Context<'static> {
    Context::new("/etc/hapticd", |_| None).recorded()
}

/// Parses the text and shows everything.
fn chew(text: &str) -> bool {
    match parse("x.toml", text, &context()) {
        Ok(loaded) => {
            assert!(!loaded.effective_toml().is_empty());
            assert!(loaded.effective_json().is_array());
            assert!(reload::compare(&loaded, &loaded).unwrap().is_empty());
            true
        }
        Err(errors) => {
            assert!(!errors.diagnostics().is_empty());
            assert!(errors.to_string().contains("error: "));
            assert!(errors.to_json().is_array());
            false
        }
    }
}

/// The example with everything uncommented, and the demo: together they cover most of the schema.
fn seed() -> String {
    let example = generate::example();
    let on = example.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c == '[' || c.is_ascii_lowercase()) => rest,
        None => line,
        Some(_) => "",
    });
    on.filter(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Pieces of TOML texts, and some that are not TOML.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(vec![
            "[",
            "]",
            "[[",
            "]]",
            "{",
            "}",
            "=",
            ".",
            ",",
            "\"",
            "\"\"\"",
            "'",
            "'''",
            "#",
            "\n",
            "\\",
            "\\u",
            "\0",
            "\u{feff}",
            "\r",
            "é",
            "💥",
            "-",
            "+",
            "_",
            "0x",
            "1e999",
            "-0.0",
            "nan",
            "inf",
            "true",
            "1979-05-27",
            "99999999999999999999",
            "$",
            "${",
            "${A:-",
            "[loop]",
            "[[arm]]",
            "[arm.tool]",
            "[loop.rate_hz]",
            "name = 1",
            "loop.rate_hz = 1",
            "kind = \"mesh\"",
            "a.b.c = 1",
            "[a.b]",
            "[[a.b]]",
            "[[loop]]",
            "tool = {",
        ])
        .prop_map(str::to_owned),
        "[ -~]{0,12}",
        ".{0,4}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 300 } else { 2_000 }))]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        chew(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_pieces(pieces in proptest::collection::vec(piece(), 0..40), glue in "[ \n]?") {
        chew(&pieces.join(&glue));
    }

    #[test]
    fn the_example_with_pieces_cut_out_and_put_in(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0usize..40, piece()), 1..6),
    ) {
        let mut text: Vec<char> = seed().chars().collect();
        for (at, cut, piece) in edits {
            let from = at.index(text.len() + 1);
            let to = (from + cut).min(text.len());
            text.splice(from..to, piece.chars());
        }
        chew(&text.into_iter().collect::<String>());
    }

    #[test]
    fn the_example_with_lines_shuffled(
        swaps in proptest::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..20),
    ) {
        let text = seed();
        let mut lines: Vec<&str> = text.lines().collect();
        for (a, b) in swaps {
            let (a, b) = (a.index(lines.len()), b.index(lines.len()));
            lines.swap(a, b);
        }
        chew(&lines.join("\n"));
    }
}

#[test]
fn deep_nesting_is_an_error_and_not_a_stack_overflow() {
    for open in ["a = [", "a = {b = ", "[a.", "${A:-"] {
        assert!(!chew(&open.repeat(20_000)));
    }
    assert!(!chew(&format!("a{} = 1", ".a".repeat(20_000))));
    assert!(!chew(&format!("[a{}]", ".a".repeat(20_000))));
}

#[test]
fn a_byte_order_mark_does_not_move_the_columns() {
    let errors = parse("x.toml", "\u{feff}[loop]\nrate = 1\n", &context()).unwrap_err();
    assert!(errors.to_string().starts_with("x.toml:2:1: "), "{errors}");
}

#[test]
fn windows_line_ends_are_as_good_as_any() {
    let text = seed().replace('\n', "\r\n");
    if let Err(errors) = parse("x.toml", &text, &context()) {
        panic!("{errors}");
    }
    let errors = parse("x.toml", "[loop]\r\nrate = 1\r\n", &context()).unwrap_err();
    let shown = "x.toml:2:1: error: unknown key `rate` in [loop]\n  |\n2 | rate = 1\n  | ^^^^\n";
    assert!(errors.to_string().starts_with(shown), "{errors}");
}
