//! No function of the product has more than five parameters; a struct with names holds more.
//!
//! Clippy's `too_many_arguments` counts `self`, so it cannot say this. Tests, benches and examples
//! do not count, nor do closures.

use std::path::{Path, PathBuf};

/// Maximum number of parameters, `self` not counted.
const MAX_PARAMETERS: usize = 5;

/// Folders of the product.
const FOLDERS: [&str; 6] = ["clients", "config", "daemon", "devices", "shaders", "sim"];

/// Collects all Rust files below a folder but those of tests, benches and examples.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() {
            if !["tests", "benches", "examples", "target"].contains(&name) {
                files(&path, found);
            }
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// Returns the length of the comment or literal at the start of a text; 0 if there is none.
fn opaque(text: &str) -> usize {
    let end = |from: usize, close: &str| {
        let at = text[from..].find(close);
        at.map_or(text.len(), |at| from + at + close.len())
    };
    if text.starts_with("//") {
        return end(2, "\n");
    }
    if text.starts_with("/*") {
        let (mut depth, mut at) = (1, 2);
        while depth > 0 && at < text.len() {
            match &text.as_bytes()[at..] {
                [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
                [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
        }
        return at;
    }
    if let Some(rest) = text.strip_prefix('r') {
        let hashes = rest.len() - rest.trim_start_matches('#').len();
        if rest[hashes..].starts_with('"') {
            return end(2 + hashes, &format!("\"{}", &rest[..hashes]));
        }
    }
    let quote = text.chars().next().filter(|c| ['"', '\''].contains(c));
    let Some(quote) = quote else { return 0 };
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return at + 1,
            // A lifetime: a character literal would have ended.
            _ if quote == '\'' && at > 1 && !text.starts_with("'\\") => return 0,
            _ => {}
        }
    }
    0
}

/// Returns code in which a space stands for each comment and literal.
fn code(text: &str) -> String {
    let mut kept = String::new();
    let (mut at, mut in_word) = (0, false);
    while let Some(c) = text[at..].chars().next() {
        // `r` may also be the end of a name.
        let length = if in_word && c == 'r' {
            0
        } else {
            opaque(&text[at..])
        };
        kept.push(if length > 0 { ' ' } else { c });
        at += length.max(c.len_utf8());
        in_word = length == 0 && (c.is_alphanumeric() || c == '_');
    }
    kept
}

/// Returns the text up to the bracket that closes the one before it, split at top-level commas.
/// Angle brackets count if `angles` is set; it is unset for bodies.
fn list(text: &str, angles: bool) -> (Vec<&str>, usize) {
    let (mut depth, mut from, mut items) = (0, 0, Vec::new());
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let arrow = c == '>' && ['-', '='].contains(&before);
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => {
                items.push(&text[from..at]);
                return (items, at + 1);
            }
            ')' | ']' | '}' => depth -= 1,
            '<' if angles => depth += 1,
            '>' if angles && !arrow && depth == 0 => return (items, at + 1),
            '>' if angles && !arrow => depth -= 1,
            ',' if depth == 0 => {
                items.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
        before = c;
    }
    (items, text.len())
}

/// Returns code without its modules of tests.
fn without_tests(mut code: &str) -> String {
    let mut kept = String::new();
    while let Some(at) = code.find("#[cfg(test)]\nmod tests {") {
        kept += &code[..at];
        let body = &code[at + code[at..].find('{').unwrap() + 1..];
        code = &body[list(body, false).1..];
    }
    kept + code
}

/// Returns whether a parameter is `self`, by value or by reference.
fn is_self(parameter: &str) -> bool {
    let mut words = parameter.split(|c: char| c.is_whitespace() || c == '&' || c == ':');
    let own = words.find(|word| !word.is_empty() && *word != "mut" && !word.starts_with('\''));
    own == Some("self")
}

/// Returns the name of each function of a text and how many parameters it has.
fn functions(text: &str) -> Vec<(String, usize)> {
    let code = without_tests(&code(text));
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        if code[..at].ends_with(is_word) {
            continue;
        }
        let rest = code[at + 3..].trim_start();
        let name = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        let mut rest = rest[name.len()..].trim_start();
        if let Some(generics) = rest.strip_prefix('<') {
            rest = generics[list(generics, true).1..].trim_start();
        }
        // A macro's `fn $name` has no name here.
        if let (false, Some(parameters)) = (name.is_empty(), rest.strip_prefix('(')) {
            let (items, _) = list(parameters, true);
            let counted = items.iter().filter(|p| !p.trim().is_empty() && !is_self(p));
            found.push((name.to_owned(), counted.count()));
        }
    }
    found
}

#[test]
fn no_function_has_more_than_five_parameters() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let (mut all, mut long) = (0, Vec::new());
    for folder in FOLDERS {
        let mut found = Vec::new();
        files(&root.join(folder), &mut found);
        for file in found {
            let functions = functions(&std::fs::read_to_string(&file).unwrap());
            all += functions.len();
            let functions = functions.into_iter().filter(|f| f.1 > MAX_PARAMETERS);
            let file = file.strip_prefix(&root).unwrap().display();
            long.extend(functions.map(|(name, count)| format!("{file}: {name} has {count}")));
        }
    }
    assert!(all > 5000, "{all} functions");
    assert!(
        long.is_empty(),
        "more than {MAX_PARAMETERS} parameters; a struct can hold them:\n{}",
        long.join("\n")
    );
}

#[test]
fn parameters_are_counted() {
    let text = r##"
        // fn comment(a, b) {
        /* fn /* nested */ block(a) */
        const TEXT: &str = "fn text(a: u8)";
        const RAW: &str = r#"fn " raw(a: u8)"#;
        const QUOTES: [char; 2] = ['"', '\''];
        fn none() {}
        fn two<'a, F: Fn(u8, u8) -> u8>(a: &'a [u8; 2], (b, c): (u8, u8)) -> fn(u8) {}
        pub fn own(&'a mut self, map: BTreeMap<u8, Vec<(u8, u8)>>, each: impl Fn(u8) -> u8,);
        fn boxed(mut self: Box<Self>) where u8: Copy {}
        fn own_size(self_m: f64) { let pass = |a, b, c| older > newer; }
        #[cfg(test)]
        mod tests {
            fn inner(a: u8) { loop {} }
        }
        fn after(a: u8) {}
    "##;
    let text = text.replace("\n        ", "\n");
    let found = functions(&text);
    let found: Vec<_> = found.iter().map(|(name, n)| (name.as_str(), *n)).collect();
    let expected = [
        ("none", 0),
        ("two", 2),
        ("own", 2),
        ("boxed", 0),
        ("own_size", 1),
        ("after", 1),
    ];
    assert_eq!(found, expected);
}
