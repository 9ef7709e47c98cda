//! Errors of the build for defective shaders, and how files are assembled.

#[path = "../../build/assemble.rs"]
mod assemble;

use assemble::{Files, assemble};

const COMMON: &str =
    "// Common.\nstruct A { x: f32 }\nfn twice(x: f32) -> f32 { return 2.0 * x; }\n";
const PASS: &str = "//# use common.wgsl\n@group(0) @binding(0) var<storage, read_write> a: array<f32>;\n\
                    @group(0) @binding(1) var<storage, read> unused: array<A>;\n\
                    @compute @workgroup_size(64) fn go() { a[0] = twice(a[1]); }\n";

fn files(of: &[(&str, &str)]) -> Files {
    of.iter()
        .map(|(name, text)| (name.to_string(), text.to_string()))
        .collect()
}

/// Error message for `pass.wgsl`.
fn complaint(of: &[(&str, &str)]) -> String {
    match assemble(&files(of), "pass.wgsl") {
        Err(error) => error,
        Ok(unit) => match unit.check() {
            Err(error) => error,
            Ok((module, info)) => assemble::slots(&module, &info).unwrap_err(),
        },
    }
}

#[test]
fn a_pass_binds_what_it_uses_and_nothing_else() {
    let unit = assemble(
        &files(&[("common.wgsl", COMMON), ("pass.wgsl", PASS)]),
        "pass.wgsl",
    )
    .unwrap();
    let (module, info) = unit.check().unwrap();
    let (entry, slots) = assemble::slots(&module, &info).unwrap();
    assert_eq!(entry, "go");
    assert_eq!(slots.len(), 1);
    assert_eq!(
        (slots[0].binding, slots[0].name.as_str(), slots[0].access),
        (0, "a", "Write")
    );
}

#[test]
fn a_file_that_two_files_use_is_there_once() {
    let other = "//# use common.wgsl\nfn four(x: f32) -> f32 { return twice(twice(x)); }\n";
    let pass = format!("//# use other.wgsl\n{PASS}");
    let all = [
        ("common.wgsl", COMMON),
        ("other.wgsl", other),
        ("pass.wgsl", pass.as_str()),
    ];
    let unit = assemble(&files(&all), "pass.wgsl").unwrap();
    assert_eq!(unit.text.matches("struct A").count(), 1);
    unit.check().unwrap();
}

#[test]
fn mistakes_are_placed_in_the_file_that_they_are_in() {
    // Syntax, in the pass.
    let pass = PASS.replace("twice(a[1])", "twice(a[1]");
    let said = complaint(&[("common.wgsl", COMMON), ("pass.wgsl", &pass)]);
    assert!(said.starts_with("pass.wgsl:4:"), "{said}");
    // A type, in a file that it uses.
    let common = COMMON.replace("2.0 * x", "vec2(x)");
    let said = complaint(&[("common.wgsl", &common), ("pass.wgsl", PASS)]);
    assert!(said.starts_with("common.wgsl:3:"), "{said}");
    // An unknown name.
    let pass = PASS.replace("twice", "thrice");
    let said = complaint(&[("common.wgsl", COMMON), ("pass.wgsl", &pass)]);
    assert!(
        said.starts_with("pass.wgsl:4:") && said.contains("thrice"),
        "{said}"
    );
}

#[test]
fn files_that_are_not_there_or_use_themselves() {
    let said = complaint(&[("pass.wgsl", PASS)]);
    assert_eq!(said, "pass.wgsl:1:9: no such file: common.wgsl");
    let common = format!("//# use pass.wgsl\n{COMMON}");
    let said = complaint(&[("common.wgsl", &common), ("pass.wgsl", PASS)]);
    assert_eq!(said, "common.wgsl:1:9: uses itself by way of pass.wgsl");
}

#[test]
fn a_file_stands_in_for_another() {
    let other = "//# use common.wgsl\nfn four(x: f32) -> f32 { return twice(twice(x)); }\n";
    let stand_in = "fn twice(x: f32) -> f32 { return x + x; }\nstruct A { x: f32 }\n";
    let all = |lines: &str| {
        let pass = PASS.replace("//# use common.wgsl\n", lines);
        files(&[
            ("common.wgsl", COMMON),
            ("other.wgsl", other),
            ("stand_in.wgsl", stand_in),
            ("pass.wgsl", &pass),
        ])
    };
    let lines = "//# for comparison\n//# use stand_in.wgsl for common.wgsl\n//# use other.wgsl\n";
    let unit = assemble(&all(lines), "pass.wgsl").unwrap();
    assert!(unit.for_comparison && !unit.text.contains("2.0 * x") && unit.text.contains("x + x"));
    unit.check().unwrap();
    let plain = assemble(&all("//# use other.wgsl\n"), "pass.wgsl").unwrap();
    assert!(!plain.for_comparison && plain.text.contains("2.0 * x"));
    plain.check().unwrap();
    // Too late.
    let lines = "//# use other.wgsl\n//# use stand_in.wgsl for common.wgsl\n";
    let said = assemble(&all(lines), "pass.wgsl").err().unwrap();
    assert_eq!(said, "pass.wgsl:2:9: common.wgsl is there already");
    // An unknown file.
    let said = assemble(&all("//# use none.wgsl for common.wgsl\n"), "pass.wgsl");
    assert_eq!(
        said.err().unwrap(),
        "pass.wgsl:1:9: no such file: none.wgsl"
    );
}

/// The directive comes first, whichever file wants it, and shifts no position.
#[test]
fn what_a_pass_enables_is_enabled() {
    let query = "//# enable wgpu_ray_query\n@group(0) @binding(2) var structure: acceleration_structure;\n\
                 fn none() { var q: ray_query; rayQueryInitialize(&q, structure, RayDesc(0u, 255u, 0.0, 1.0, vec3(0.0), vec3(1.0))); }\n";
    let pass = PASS
        .replace(
            "//# use common.wgsl",
            "//# use common.wgsl\n//# use query.wgsl",
        )
        .replace("a[0] =", "none(); a[0] =");
    let all = |query: &str, pass: &str| {
        files(&[
            ("common.wgsl", COMMON),
            ("query.wgsl", query),
            ("pass.wgsl", pass),
        ])
    };
    let unit = assemble(&all(query, &pass), "pass.wgsl").unwrap();
    assert!(unit.text.starts_with("enable wgpu_ray_query; // Common."));
    let (module, info) = unit.check().unwrap();
    let (_, slots) = assemble::slots(&module, &info).unwrap();
    let found: Vec<_> = slots.iter().map(|s| (s.name.as_str(), s.access)).collect();
    assert_eq!(found, [("a", "Write"), ("structure", "Query")]);
    // Not enabled, or unknown.
    let said = assemble(&all(&query.replace("//# enable", "//"), &pass), "pass.wgsl").unwrap();
    assert!(said.check().unwrap_err().starts_with("query.wgsl:2:"));
    let said = assemble(
        &all(&query.replace("wgpu_ray_query", "magic"), &pass),
        "pass.wgsl",
    );
    assert_eq!(
        said.err().unwrap(),
        "query.wgsl:1:12: no such extension: magic"
    );
    let wrong = pass.replace("twice", "thrice");
    let said = assemble(&all(query, &wrong), "pass.wgsl").unwrap();
    assert!(said.check().unwrap_err().starts_with("pass.wgsl:5:"));
}

#[test]
fn two_buffers_in_one_place() {
    let pass = PASS
        .replace("binding(1)", "binding(0)")
        .replace("a[1]", "unused[1].x");
    let said = complaint(&[("common.wgsl", COMMON), ("pass.wgsl", &pass)]);
    assert!(
        said.contains("both binding 0") || said.contains("onflict"),
        "{said}"
    );
}
