//! The exact text of every error: `tests/errors/NAME.toml` is the input, `NAME.txt` what the person
//! sees.
//!
//! `UPDATE_GENERATED=1 cargo test -p hapticd-config` rewrites the texts; read the difference before
//! committing it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use hapticd_config::{Context, Finding, LoadError, Problem, load, parse};

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    let mut cases: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "toml"))
        .collect();
    cases.sort();
    cases
}

fn context() -> Context<'static> {
    Context::new("/etc/hapticd", |name| {
        (name == "LONG").then(|| "/very/long/folder/name".repeat(6))
    })
}

/// Names every class of errors that a text alone can cause. Add a new variant here and to the
/// golden texts.
fn class(problem: &Problem) -> Option<&'static str> {
    Some(match problem {
        Problem::Syntax { .. } => "Syntax",
        Problem::UnknownKey { .. } => "UnknownKey",
        Problem::NotApplicable { .. } => "NotApplicable",
        Problem::Refused { .. } => "Refused",
        Problem::Missing { .. } => "Missing",
        Problem::WrongType { .. } => "WrongType",
        Problem::TooLarge { .. } => "TooLarge",
        Problem::NotFinite { .. } => "NotFinite",
        Problem::OutOfRange { .. } => "OutOfRange",
        Problem::WrongCount { .. } => "WrongCount",
        Problem::NoDirection { .. } => "NoDirection",
        Problem::NotAllowed { .. } => "NotAllowed",
        Problem::NotAName { .. } => "NotAName",
        Problem::BadText { .. } => "BadText",
        Problem::UnsetVariable { .. } => "UnsetVariable",
        Problem::BadVariable { .. } => "BadVariable",
        Problem::SocketPathTooLong { .. } => "SocketPathTooLong",
        Problem::TooManyTables { .. } => "TooManyTables",
        Problem::Duplicate { .. } => "Duplicate",
        Problem::Undefined { .. } => "Undefined",
        Problem::Exceeds { .. } => "Exceeds",
        Problem::NoDeviceClock { .. } => "NoDeviceClock",
        Problem::HoleTooLarge { .. } => "NoWall",
        Problem::SphereBody => "SphereBody",
        Problem::MotionNotKinematic { .. } => "ForeignMotion",
        Problem::DynamicNotSolid => "HollowDynamic",
        Problem::InvalidPins { .. } => "ForeignPins",
        Problem::CopiesNotCrowd { .. } => "ForeignCopies",
        Problem::CrowdNameTooLong { .. } => "CrowdNameTooLong",
        Problem::NotPlanar { .. } => "NotPlanar",
        Problem::OddPlanar { .. } => "OddPlanar",
        // Causes other than the text: a hand's intention, the bytes, the file system, a reload.
        // Other tests cover them.
        Problem::NotLater { .. }
        | Problem::NoPoses
        | Problem::NothingToRepeat
        | Problem::NotUtf8 { .. }
        | Problem::TooLong { .. }
        | Problem::Unreadable { .. }
        | Problem::Loosens { .. }
        | Problem::NeedsRestart { .. }
        | Problem::Unusable { .. }
        | Problem::TableChanged { .. } => return None,
    })
}

const CLASSES: usize = 31;

#[test]
fn every_error_text_is_as_committed() {
    let mut seen = BTreeSet::new();
    for path in cases() {
        let name = path.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let errors = match parse(name, &text, &context()) {
            Ok(_) => panic!("{name} is valid"),
            Err(errors) => errors,
        };
        seen.extend(
            errors
                .diagnostics()
                .iter()
                .filter_map(|d| class(&d.problem)),
        );
        let fresh = errors.to_string();
        let golden = path.with_extension("txt");
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            std::fs::write(&golden, &fresh).unwrap();
        }
        let committed = std::fs::read_to_string(&golden).unwrap_or_default();
        assert!(
            committed == fresh,
            "{name}\n--- committed\n{committed}\n--- now\n{fresh}"
        );
    }
    assert_eq!(seen.len(), CLASSES, "golden texts exist only for {seen:?}");
}

/// A separate folder for one test, removed afterwards.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path =
            std::env::temp_dir().join(format!("hapticd-config-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn missing_mesh_files_are_found_by_the_file_check_and_not_before() {
    let folder = Folder::new("files");
    folder.write("here.obj", b"v 0 0 0\n");
    let body = |name: &str, file: &str| {
        format!("[[body]]\nname = \"{name}\"\nshape = {{ kind = \"mesh\", file = \"{file}\" }}\n")
    };
    let text = body("a", "here.obj") + &body("b", "gone.obj") + &body("c", ".");
    let path = folder.write("hapticd.toml", text.as_bytes());

    let loaded = load(&path).unwrap();
    let errors = loaded.check_files().unwrap_err();
    let at = |line: usize, column: usize| format!("{}:{line}:{column}: error: ", path.display());
    let text = errors.to_string();
    assert_eq!(errors.diagnostics().len(), 2, "{text}");
    let gone = folder.0.join("gone.obj");
    let gone = format!("`file`: cannot read {}: No such file", gone.display());
    assert!(text.contains(&(at(6, 33) + &gone)), "{text}");
    assert!(
        text.contains(&at(9, 33)) && text.contains("it is not a regular file"),
        "{text}"
    );
}

#[test]
fn findings_after_parsing_are_reported_at_their_key() {
    let text = "[[arm]]\nname = \"right\"\nkind = \"simulated\"\nintention = \"press\"\ntool = { kind = \"mesh\", file = \"pen.obj\" }\n";
    let loaded = parse("a.toml", text, &context()).unwrap();
    let find = |key: Option<&str>, message: &str| Finding {
        key: key.map(str::to_owned),
        message: message.to_owned(),
    };
    assert!(loaded.with_findings(Ok(()), []).is_ok());
    let errors = loaded
        .with_findings(
            loaded.check_files(),
            [
                find(None, "no place"),
                find(Some("arm.left.name"), "no such arm"),
                find(Some("arm.right.tool.file"), "a hole"),
                find(
                    Some("arm.right.max_stiffness_n_per_m"),
                    "a default, so it is the arm's name",
                ),
                find(
                    Some("safety.peak_force_n"),
                    "a default of a table without a name",
                ),
            ],
        )
        .unwrap_err();
    let said: Vec<_> = errors
        .diagnostics()
        .iter()
        .map(|d| {
            let at = d
                .span
                .as_ref()
                .map(|span| errors.source().position(span.start));
            (at.map(|p| (p.line, p.column)), d.problem.to_string())
        })
        .collect();
    let expected = [
        (Some((2, 8)), "a default, so it is the arm's name"),
        (
            Some((5, 32)),
            "`file`: cannot read /etc/hapticd/pen.obj: No such file or directory (os error 2)",
        ),
        (Some((5, 32)), "a hole"),
        (None, "no place"),
        (None, "no such arm"),
        (None, "a default of a table without a name"),
    ];
    assert_eq!(said, expected.map(|(at, text)| (at, text.to_owned())));
    assert!(
        errors
            .to_string()
            .contains("a.toml:5:32: error: a hole\n  |\n5 | tool"),
        "{errors}"
    );
    assert!(
        errors.to_string().contains("a.toml: error: no such arm\n"),
        "{errors}"
    );
}

#[test]
fn a_configuration_that_is_not_text_is_refused_with_the_place() {
    let folder = Folder::new("bytes");
    let path = folder.write("hapticd.toml", b"[loop]\nrate_hz = \xff\n");
    let Err(LoadError::Invalid(errors)) = load(&path) else {
        panic!("loaded")
    };
    let expected = format!(
        "{}:2:11: error: the file is not UTF-8: byte 17 (0xff) is not part of a character\n",
        path.display()
    );
    assert!(errors.to_string().starts_with(&expected), "{errors}");
}

#[test]
fn an_endless_configuration_is_refused() {
    let folder = Folder::new("long");
    let path = folder.write("hapticd.toml", &vec![b'#'; (1 << 20) + 1]);
    let error = load(&path).unwrap_err();
    assert!(matches!(error, LoadError::Unreadable { .. }));
    let said = error.to_string();
    assert!(said.ends_with("it has more than 1048576 bytes"), "{said}");
    // Reading stops at the limit, however long the file is; this much is not even allocated.
    let file = std::fs::File::options().write(true).open(&path).unwrap();
    file.set_len(1 << 40).unwrap();
    assert_eq!(load(&path).unwrap_err().to_string(), said);
}

#[test]
fn a_missing_configuration_is_told_apart_from_a_wrong_one() {
    let error = load(Path::new("/nonexistent/hapticd.toml")).unwrap_err();
    assert!(matches!(error, LoadError::Unreadable { .. }));
    assert!(
        error
            .to_string()
            .starts_with("cannot read /nonexistent/hapticd.toml: ")
    );
}

#[test]
fn errors_are_available_as_json() {
    let errors = parse("x.toml", "[loop]\nrate = 1\n", &context()).unwrap_err();
    assert_eq!(
        errors.to_json(),
        serde_json::json!([{
            "file": "x.toml", "line": 2, "column": 1, "key": "rate",
            "message": "unknown key `rate` in [loop]",
            "help": "did you mean `rate_hz`?",
        }])
    );
}
