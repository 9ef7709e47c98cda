//! Faults of needles are reported at their keys.

use std::path::Path;

use crate::session_setup;

const GOOD: &str = include_str!("../../../../config/needle.toml");

/// Returns the faults in the demonstration's configuration with each old text replaced by the
/// new one, with their keys.
fn wrong(changes: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut text = GOOD.to_owned();
    for (old, new) in changes {
        assert!(text.contains(old), "{old}");
        text = text.replacen(old, new, 1);
    }
    let context = hapticd_config::Context::new(".", |_| None);
    let loaded =
        hapticd_config::parse("needle.toml", &text, &context).unwrap_or_else(|e| panic!("{e}"));
    match session_setup::build(&loaded.config, Path::new("."), true) {
        Ok(_) => Vec::new(),
        Err(errors) => errors
            .faults()
            .iter()
            .map(|f| (f.key.clone(), f.to_string()))
            .collect(),
    }
}

#[track_caller]
fn one(changes: &[(&str, &str)], key: &str, words: &str) {
    let found = wrong(changes);
    assert!(
        found
            .iter()
            .any(|(k, text)| k == key && text.contains(words)),
        "{found:#?}"
    );
}

#[test]
fn each_fault_is_reported_at_its_key() {
    assert_eq!(wrong(&[]), Vec::new());
    one(
        &[("arm = \"right\"", "arm = \"left\"")],
        "body.needle.needle.arm",
        "known arms: right",
    );
    one(
        &[("needle = { arm = \"right\", ", "needle = { ")],
        "body.needle.kind",
        "names arm ``",
    );
    one(
        &[(
            "tool = { kind = \"sphere\", radius_m = 0.006 }",
            "tool = { kind = \"icosphere\", radius_m = 0.006 }",
        )],
        "body.needle.needle.arm",
        "must be a \"sphere\"",
    );
    one(
        &[(
            "intention = \"insert\"",
            "intention = \"insert\"\ninteraction = { metaphor = \"spring\", tool_mass_kg = 0.1 }",
        )],
        "body.needle.needle.arm",
        "without tool_mass_kg",
    );
    one(
        &[(
            "curvature_1_m = 5, segment_m = 0.002",
            "curvature_1_m = 100, segment_m = 0.01",
        )],
        "body.needle.needle.curvature_1_m",
        "100 rad/m",
    );
    one(
        &[
            ("segment_m = 0.002", "segment_m = 0.05"),
            ("length_m = 0.09 }\nneedle", "length_m = 0.04 }\nneedle"),
        ],
        "body.needle.needle.segment_m",
        "0.05 m",
    );
    one(
        &[(
            "shape = { kind = \"cylinder\", radius_m = 0.0006, length_m = 0.09 }",
            "shape = { kind = \"cuboid\" , size_m = [0.1, 0.1, 0.1] }",
        )],
        "body.needle.shape.kind",
        "must be a \"cylinder\"",
    );
    one(
        &[(
            "kind = \"cuboid\", size_m = [0.12, 0.1, 0.08]",
            "kind = \"icosphere\", radius_m = 0.05",
        )],
        "body.flank.shape.kind",
        "must be a \"cuboid\"",
    );
    one(
        &[("kind = \"tissue\"", "kind = \"static\"")],
        "body.needle.kind",
        "there is none",
    );
    one(
        &[("kind = \"tissue\"", "kind = \"static\"")],
        "layer.skin.name",
        "there is none",
    );
    one(
        &[(
            "name = \"bench\"\nkind = \"static\"",
            "name = \"bench\"\nkind = \"tissue\"",
        )],
        "body.flank.kind",
        "at most",
    );
    one(
        &[(
            "position_m = [0.008, 0.0, -0.062]",
            "position_m = [0.058, 0.0, -0.062]",
        )],
        "body.rib.shape.kind",
        "reaches out",
    );
    one(
        &[(
            "kind = \"icosphere\", radius_m = 0.012, subdivisions = 3",
            "kind = \"sheet\", size_m = 0.02, cells = 4",
        )],
        "body.rib.shape.kind",
        "close it",
    );
    one(
        &[("puncture_force_n = 1.6", "puncture_force_n = 0.1")],
        "layer.skin.puncture_force_n",
        "no less than cutting",
    );
    one(
        &[("thickness_m = 0.012", "thickness_m = 0.2")],
        "layer.muscle.name",
        "layer `muscle` begins 0.2",
    );
}

#[test]
fn an_arm_holds_one_needle() {
    let second = "[[body]]\nname = \"second\"\nkind = \"needle\"\nshape = { kind = \"cylinder\", radius_m = 0.0006, length_m = 0.09 }\nneedle = { arm = \"right\" }\n\n[[layer]]\nname = \"skin\"";
    one(
        &[("[[layer]]\nname = \"skin\"", second)],
        "body.second.needle.arm",
        "holds needle `needle` already",
    );
}
