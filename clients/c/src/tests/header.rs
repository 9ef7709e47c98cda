//! The header says what the library does: sizes, offsets, numbers and names, as a C compiler reads
//! them.

use crate::{failure::STATUSES, library::ABI_VERSION, types::layouts};
use hapticd_protocol::{
    MAX_BODIES, MAX_CONTACTS, layout,
    request::{ALL_ARMS, EFFECTS_PER_ARM, MAX_TARGETS},
};
use std::{
    collections::BTreeSet,
    fmt::Write as _,
    io::Write as _,
    process::{Command, Stdio},
};

const HEADER: &str = include_str!("../../include/hapticd.h");

/// Compiles a translation unit that includes the header; returns what the compiler said.
fn compile(body: &str) -> Result<(), String> {
    let include = concat!(env!("CARGO_MANIFEST_DIR"), "/include");
    let mut cc = Command::new("cc")
        .args([
            "-std=c11",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-fsyntax-only",
            "-I",
            include,
        ])
        .args(["-x", "c", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a C compiler, `cc`");
    let unit = format!("#include <hapticd.h>\n{body}");
    cc.stdin.take().unwrap().write_all(unit.as_bytes()).unwrap();
    let output = cc.wait_with_output().unwrap();
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

fn assert_equal(to: &mut String, c: &str, value: impl std::fmt::Display) {
    writeln!(to, "_Static_assert({c} == {value}, \"{c}\");").unwrap();
}

#[test]
fn sizes_and_offsets_are_those_of_a_c_compiler() {
    let mut unit = String::new();
    for of in layouts() {
        let name = of.name;
        assert_equal(&mut unit, &format!("sizeof({name})"), of.size);
        assert_equal(&mut unit, &format!("_Alignof({name})"), of.align);
        for (field, offset, size) in of.fields {
            assert_equal(&mut unit, &format!("offsetof({name}, {field})"), offset);
            let place = format!("sizeof((({name} *)0)->{field})");
            assert_equal(&mut unit, &place, size);
        }
    }
    compile(&unit).unwrap();
    // The comparison can fail.
    let wrong = unit.replace(
        "offsetof(hd_error, limit) == 24",
        "offsetof(hd_error, limit) == 32",
    );
    assert!(
        compile(&wrong)
            .unwrap_err()
            .contains("offsetof(hd_error, limit)")
    );
}

#[test]
fn the_header_has_all_structs_of_the_library_and_no_other() {
    let declared = HEADER
        .lines()
        .filter_map(|line| line.strip_prefix("} ")?.strip_suffix(';'));
    let declared: Vec<_> = declared.collect();
    let ours: Vec<_> = layouts().iter().map(|of| of.name).collect();
    assert_eq!(declared, ours);
}

/// `WaitingSmallForce` as `WAITING_SMALL_FORCE`; `SMALL` stays.
fn constant_case(name: &str) -> String {
    let mut result = String::new();
    let mut lower = false;
    for letter in name.chars() {
        if letter.is_uppercase() && lower {
            result.push('_');
        }
        lower = letter.is_lowercase();
        result.extend(letter.to_uppercase());
    }
    result
}

/// All constants of the protocol that the header has: name, value.
fn constants() -> Vec<(String, u64)> {
    let prefixes = [
        ("GovernorState", "GOVERNOR"),
        ("BodyKind", "BODY"),
        ("ErrorCode", "CODE"),
        ("RefusalReason", "ADMISSION"),
        ("RemovalReason", "REMOVAL"),
        ("EffectEnd", "EFFECT_END"),
        ("EffectKind", "EFFECT"),
        ("Waveform", "WAVE"),
        ("EffectShape", "SHAPE"),
        ("LetGoReason", "LET_GO"),
        ("PushMode", "PUSH"),
        ("NeedlePhase", "NEEDLE"),
        ("NeedleHold", "HOLD"),
        ("topic", "TOPIC"),
        ("flag", "FLAG"),
        ("skin_flag", "SKIN"),
    ];
    let mut all = Vec::new();
    for codes in layout::codes().into_iter().chain(layout::flags()) {
        if let Some((_, prefix)) = prefixes.iter().find(|(name, _)| *name == codes.name) {
            for value in codes.values {
                all.push((
                    format!("HD_{prefix}_{}", constant_case(value.name)),
                    value.code,
                ));
            }
        }
    }
    for event in layout::messages().events {
        all.push((
            format!("HD_EVENT_{}", constant_case(event.body.name)),
            event.kind.into(),
        ));
    }
    all.push((
        "HD_EVENT_POST_REFUSED".to_owned(),
        crate::types::hd_event::POST_REFUSED.into(),
    ));
    assert!(all.len() > 60, "{all:?}");
    all
}

#[test]
fn codes_are_those_of_the_protocol_and_none_is_missing() {
    let mut unit = String::new();
    for (name, value) in constants() {
        assert_equal(&mut unit, &name, format!("{value}u"));
    }
    for (name, value) in STATUSES {
        assert_equal(&mut unit, name, value);
    }
    assert_equal(&mut unit, "HD_ABI_VERSION", format!("{ABI_VERSION}u"));
    assert_equal(&mut unit, "HD_MAX_BODIES", format!("{MAX_BODIES}u"));
    assert_equal(&mut unit, "HD_MAX_CONTACTS", format!("{MAX_CONTACTS}u"));
    assert_equal(&mut unit, "HD_ALL_ARMS", format!("{ALL_ARMS}u"));
    assert_equal(
        &mut unit,
        "HD_EFFECTS_PER_ARM",
        format!("{EFFECTS_PER_ARM}u"),
    );
    assert_equal(&mut unit, "HD_MAX_TARGETS", format!("{MAX_TARGETS}u"));
    assert_equal(
        &mut unit,
        "HD_TOOL(1)",
        format!("{}u", hapticd_client::tool_id(1)),
    );
    compile(&unit).unwrap();
    // And back: the header has no code that the protocol does not have.
    let known: BTreeSet<String> = constants().into_iter().map(|(name, _)| name).collect();
    let defined = HEADER
        .lines()
        .filter_map(|line| line.strip_prefix("#define "));
    let families = [
        "GOVERNOR",
        "BODY",
        "CODE",
        "ADMISSION",
        "REMOVAL",
        "TOPIC",
        "FLAG",
        "SKIN",
        "NEEDLE",
        "HOLD",
        "EFFECT",
        "WAVE",
        "SHAPE",
        "LET_GO",
        "PUSH",
    ];
    let names = defined.filter_map(|line| line.split([' ', '(']).next());
    let coded: BTreeSet<String> = names
        .filter(|name| {
            let in_family = |family| name.starts_with(&format!("HD_{family}_"));
            families.into_iter().any(in_family) || name.starts_with("HD_EVENT_")
        })
        .map(str::to_owned)
        .collect();
    assert_eq!(coded, known);
}

#[test]
fn the_list_of_symbols_is_the_headers() {
    let mut declared = BTreeSet::new();
    for (index, _) in HEADER.match_indices(" hd_") {
        let name = HEADER[index + 1..].split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = name.into_iter().next().unwrap();
        let line = HEADER[..index].rsplit('\n').next().unwrap();
        let returns = ["int32_t", "uint32_t", "uint64_t", "int64_t", "void"];
        if returns.contains(&line) {
            declared.insert(name.to_owned());
        }
    }
    for name in ["hd_version_string", "hd_status_text", "hd_governor_text"] {
        assert!(HEADER.contains(&format!("const char *{name}(")));
    }
    let pointers = HEADER.match_indices("\nconst char *hd_").map(|(index, _)| {
        let name = &HEADER[index + "\nconst char *".len()..];
        name.split('(').next().unwrap().to_owned()
    });
    declared.extend(pointers);
    let listed: Vec<_> = include_str!("../../symbols.txt").lines().collect();
    let declared: Vec<_> = declared.iter().map(String::as_str).collect();
    assert_eq!(listed, declared);
}

#[test]
fn names_of_codes_are_written_as_in_c() {
    for (name, expected) in [
        ("WaitingSmallForce", "WAITING_SMALL_FORCE"),
        ("NotHello", "NOT_HELLO"),
        ("SMALL", "SMALL"),
    ] {
        assert_eq!(constant_case(name), expected);
    }
}

#[test]
fn words_for_codes_end_where_c_expects_it_and_are_those_of_the_client() {
    use hapticd_client::{BodyKind, GovernorState, force_off_text};
    unsafe extern "C" {
        fn hd_governor_text(governor: u32) -> *const std::ffi::c_char;
        fn hd_body_kind_text(kind: u32) -> *const std::ffi::c_char;
        fn hd_reason_text(reason: u32) -> *const std::ffi::c_char;
        fn hd_status_text(status: i32) -> *const std::ffi::c_char;
        fn hd_version_string() -> *const std::ffi::c_char;
    }
    // SAFETY: all return a constant text that ends with a NUL, or this test finds that one does
    // not.
    let text = |start| unsafe { std::ffi::CStr::from_ptr(start) }.to_str().unwrap();
    // SAFETY: they take any number.
    unsafe {
        for state in GovernorState::ALL {
            assert_eq!(text(hd_governor_text(state.code().into())), state.text());
        }
        for kind in BodyKind::ALL {
            assert_eq!(text(hd_body_kind_text(kind.code().into())), kind.text());
        }
        for code in 0..=u8::MAX {
            assert_eq!(text(hd_reason_text(code.into())), force_off_text(code));
        }
        assert_eq!(text(hd_reason_text(u32::MAX)), force_off_text(255));
        assert!(text(hd_governor_text(256)).contains("does not know"));
        assert!(text(hd_body_kind_text(256)).contains("does not know"));
        for (name, status) in STATUSES {
            assert!(
                !text(hd_status_text(*status)).contains("does not know"),
                "{name}"
            );
        }
        for unknown in [-20, i32::MIN] {
            assert!(text(hd_status_text(unknown)).contains("does not know"));
        }
        assert_eq!(text(hd_version_string()), env!("CARGO_PKG_VERSION"));
    }
}
