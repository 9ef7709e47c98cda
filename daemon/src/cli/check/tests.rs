//! What is warned of, and what is printed of a rig.

use std::path::Path;

use hapticd_config as config;

use super::sheet::Sheet;
use super::warnings::warnings;
use crate::rig;

const SPHERE: &str = "tool = { kind = \"sphere\", radius_m = 0.005 }\n";

fn built(text: &str) -> (rig::Rig, config::Config) {
    let context = config::Context::new(".", |_| None);
    let loaded = config::parse("case.toml", text, &context).unwrap();
    let rig = rig::build(&loaded.config, Path::new(""), true).unwrap();
    (rig, loaded.config)
}

fn simulated(keys: &str) -> String {
    format!("[[arm]]\nname = \"right\"\nkind = \"simulated\"\nintention = \"rest\"\n{keys}")
}

/// The keys that are warned of.
fn keys(text: &str) -> Vec<String> {
    let (rig, config) = built(text);
    let found = warnings(&rig, &config);
    for warning in &found {
        assert!(!warning.message.is_empty());
    }
    found.into_iter().map(|warning| warning.key).collect()
}

#[test]
fn a_sensible_arm_is_warned_of_nothing() {
    assert_eq!(keys(&simulated(SPHERE)), Vec::<String>::new());
}

#[test]
fn a_tool_of_metres_is_warned_of() {
    let stylus = "tool = { kind = \"cuboid\", size_m = [0.01, 38.0, 0.01] }\n";
    assert_eq!(keys(&simulated(stylus)), ["arm.right.tool.kind"]);
}

#[test]
fn a_workspace_of_a_hall_is_warned_of() {
    let scaled = format!("{SPHERE}motion_scale = 100.0\n");
    assert_eq!(keys(&simulated(&scaled)), ["arm.right.motion_scale"]);
}

#[test]
fn few_motors_and_late_reports_are_warned_of() {
    let mouse = "[[arm]]\nname = \"left\"\nkind = \"hid\"\nprofile = \"spacemouse\"\n";
    let text = format!("{mouse}{SPHERE}");
    assert_eq!(keys(&text), ["arm.left.profile", "safety.stale_input_ms"]);
    let patient = format!("[safety]\nstale_input_ms = 20.0\n{text}");
    assert_eq!(keys(&patient), ["arm.left.profile"]);
}

#[test]
fn the_sheet_counts_all_bodies_and_shows_the_limits_in_force() {
    let bodies = "[safety]\npeak_force_n = 100.0\n\
        [[body]]\nname = \"a\"\nshape = { kind = \"cuboid\", size_m = [0.1, 0.1, 0.1] }\n\
        [[body]]\nname = \"b\"\nkind = \"cloth\"\nshape = { kind = \"sheet\", size_m = 0.1, cells = 4 }\n";
    let (rig, config) = built(&format!("{}{bodies}", simulated(SPHERE)));
    let sheet = serde_json::to_value(Sheet::new(&rig, &config)).unwrap();
    assert_eq!(sheet["bodies"]["rigid"], 1);
    assert_eq!(sheet["bodies"]["rigid_triangles"], 12);
    assert_eq!(sheet["bodies"]["deformable"], 1);
    assert_eq!(sheet["bodies"]["deformable_points"], 25);
    assert_eq!(sheet["bodies"]["deformable_triangles"], 32);
    let arm = &sheet["arms"][0];
    assert_eq!(arm["device"], "simulated");
    let peak = arm["limits"]["peak_force_n"].as_f64().unwrap();
    assert_eq!(
        peak, rig.arms[0].spec.peak_force_n,
        "the profile's is stricter"
    );
    assert!(peak < 100.0);
}
