//! Warnings, and the printed sheet of a configuration.

use std::path::Path;

use hapticd_config as config;

use super::sheet::Sheet;
use super::warnings::warnings;
use crate::session_setup;

const SPHERE: &str = "tool = { kind = \"sphere\", radius_m = 0.005 }\n";

fn built(text: &str) -> (session_setup::SessionSetup, config::Config) {
    let context = config::Context::new(".", |_| None);
    let loaded = config::parse("case.toml", text, &context).unwrap();
    let setup = session_setup::build(&loaded.config, Path::new(""), true).unwrap();
    (setup, loaded.config)
}

fn simulated(keys: &str) -> String {
    format!("[[arm]]\nname = \"right\"\nkind = \"simulated\"\nintention = \"rest\"\n{keys}")
}

/// Returns the keys of the warnings.
fn keys(text: &str) -> Vec<String> {
    let (setup, config) = built(text);
    let found = warnings(&setup, &config);
    for warning in &found {
        assert!(!warning.message.is_empty());
    }
    found.into_iter().map(|warning| warning.key).collect()
}

#[test]
fn a_sensible_arm_gives_no_warning() {
    assert_eq!(keys(&simulated(SPHERE)), Vec::<String>::new());
}

#[test]
fn a_huge_tool_gives_a_warning() {
    let stylus = "tool = { kind = \"cuboid\", size_m = [0.01, 38.0, 0.01] }\n";
    assert_eq!(keys(&simulated(stylus)), ["arm.right.tool.kind"]);
}

/// The workspace is 0.2 m wide.
#[test]
fn a_huge_body_gives_a_warning() {
    let body = |size: &str| {
        let shape = format!("shape = {{ kind = \"cuboid\", size_m = [0.1, {size}, 0.1] }}\n");
        simulated(SPHERE) + "[[body]]\nname = \"wall\"\nposition_m = [0.0, 0.0, -1.0]\n" + &shape
    };
    let (setup, _) = built(&body("1.0"));
    let widest = super::warnings::workspace_size_m(&setup.arms[0]).max();
    assert_eq!(keys(&body(&(49.9 * widest).to_string())), [""; 0]);
    let large = body(&(50.1 * widest).to_string());
    assert_eq!(keys(&large), ["body.wall.shape.kind"]);
    let said = said(&large);
    assert!(
        said[0].contains(" 50 times the widest workspace "),
        "{said:?}"
    );
}

#[test]
fn round_bodies_felt_as_facets_give_a_warning() {
    let body = |keys: &str| {
        simulated(SPHERE) + "[[body]]\nname = \"ball\"\nposition_m = [0.0, 0.0, -0.2]\n" + keys
    };
    let sphere = |radius: &str, more: &str| {
        let shape = format!("{{ kind = \"icosphere\", radius_m = {radius}{more} }}");
        body(&format!("shape = {shape}\n"))
    };
    assert_eq!(keys(&sphere("0.053", "")), [""; 0]);
    assert_eq!(keys(&sphere("0.08", "")), ["body.ball.shape.subdivisions"]);
    assert_eq!(keys(&sphere("0.08", ", subdivisions = 4")), [""; 0]);
    let off = "material = \"m\"\n[[material]]\nname = \"m\"\nforce_shading = \"off\"\n";
    assert_eq!(keys(&(sphere("0.08", "") + off)), [""; 0]);
    let plate = "shape = { kind = \"plate\", size_m = [0.1, 0.1] }\n";
    let all = off.replace("off", "all");
    assert_eq!(keys(&(body(plate) + &all)), [""; 0]);
}

#[test]
fn no_body_of_a_demonstration_gives_a_warning() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../config"));
    let mut scenes = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let context = config::Context::new(folder, |_| None);
        let Ok(loaded) = config::parse("scene.toml", &text, &context) else {
            continue;
        };
        if loaded.config.bodies.is_empty() {
            continue;
        }
        let setup = session_setup::build(&loaded.config, Path::new(""), true).unwrap();
        let found = warnings(&setup, &loaded.config);
        assert!(
            found.iter().all(|w| !w.key.starts_with("body.")),
            "{found:?}"
        );
        scenes += 1;
    }
    assert!(scenes >= 12, "{scenes}");
}

#[test]
fn a_huge_workspace_gives_a_warning() {
    let scaled = format!("{SPHERE}motion_scale = 100.0\n");
    assert_eq!(keys(&simulated(&scaled)), ["arm.right.motion_scale"]);
}

#[test]
fn a_missing_processor_gives_a_warning() {
    let on = |cpu: &str| format!("[loop]\ncpu_affinity = {cpu}\n{}", simulated(SPHERE));
    assert_eq!(keys(&on("1023")), ["loop.cpu_affinity"]);
    for cpu in ["0", "\"any\""] {
        assert!(keys(&on(cpu)).is_empty());
    }
}

#[test]
fn the_examples_profile_is_one_that_ships() {
    let example = config::generate::example();
    let line = example
        .lines()
        .find(|line| line.contains("profile = \""))
        .unwrap();
    let name = line
        .split("profile = \"")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    assert!(hapticd_devices::profile::shipped(name).is_some(), "{name}");
}

#[test]
fn few_motors_and_late_reports_give_warnings() {
    let mouse = "[[arm]]\nname = \"left\"\nkind = \"hid\"\nprofile = \"spacemouse\"\n";
    let text = format!("{mouse}{SPHERE}");
    assert_eq!(keys(&text), ["arm.left.profile", "safety.stale_input_ms"]);
    let patient = format!("[safety]\nstale_input_ms = 20.0\n{text}");
    assert_eq!(keys(&patient), ["arm.left.profile"]);
}

/// Returns the warnings, with the words that give the reason.
fn said(text: &str) -> Vec<String> {
    let (setup, config) = built(text);
    let found = warnings(&setup, &config);
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn an_arm_that_can_carry_no_stiffness_gives_a_warning() {
    let undamped = format!("{SPHERE}mechanics = {{ damping_n_s_per_m = 0.0 }}\n");
    let rough = format!("{SPHERE}mechanics = {{ coulomb_friction_n = 0.0 }}\n");
    for (text, key) in [
        (undamped, "damping_n_s_per_m"),
        (rough, "coulomb_friction_n"),
    ] {
        let said = said(&simulated(&text));
        let expected = format!("arm.right.mechanics.{key}: the coupling has 0 N/m");
        assert!(
            said.len() == 1 && said[0].starts_with(&expected),
            "{said:?}"
        );
    }
    let smooth = "mechanics = { coulomb_friction_n = 0.0, resolution_m = 0.0 }\n";
    assert_eq!(keys(&simulated(&format!("{SPHERE}{smooth}"))), [""; 0]);
}

#[test]
fn rare_reports_give_a_warning_and_a_long_delay_does_not() {
    let rare = format!("{SPHERE}mechanics = {{ report_rate_hz = 125 }}\n");
    let said = said(&simulated(&rare));
    assert!(
        said.len() == 1 && said[0].contains("every 8.00 ms") && said[0].contains("report_rate_hz"),
        "{said:?}"
    );
    // A sample's age begins when it arrives.
    let far = format!("{SPHERE}mechanics = {{ delay_us = 20000 }}\n");
    assert_eq!(keys(&simulated(&far)), [""; 0]);
}

#[test]
fn stiffness_beyond_passive_gives_a_warning() {
    let bold = format!("{SPHERE}auto_factor = 3.0\n");
    let bounded = format!("{bold}max_stiffness_n_per_m = 50.0\n");
    for (text, unit) in [(&bold, " N/m,"), (&bounded, " N m/rad,")] {
        let said = said(&simulated(text));
        let key = "arm.right.auto_factor: ";
        assert!(
            said.len() == 1 && said[0].starts_with(key) && said[0].contains(unit),
            "{said:?}"
        );
    }
    let by_itself = format!("{SPHERE}auto_factor = 1.0\n");
    assert_eq!(keys(&simulated(&by_itself)), [""; 0]);
}

#[test]
fn the_sheet_counts_all_bodies_and_shows_the_limits_in_force() {
    let bodies = "[safety]\npeak_force_n = 100.0\n\
        [[body]]\nname = \"a\"\nshape = { kind = \"cuboid\", size_m = [0.1, 0.1, 0.1] }\n\
        [[body]]\nname = \"b\"\nkind = \"cloth\"\nshape = { kind = \"sheet\", size_m = 0.1, cells = 4 }\n";
    let (setup, config) = built(&format!("{}{bodies}", simulated(SPHERE)));
    let sheet = serde_json::to_value(Sheet::new(&setup, &config)).unwrap();
    assert_eq!(sheet["bodies"]["rigid"], 1);
    assert_eq!(sheet["bodies"]["rigid_triangles"], 12);
    assert_eq!(sheet["bodies"]["deformable"], 1);
    assert_eq!(sheet["bodies"]["deformable_points"], 25);
    assert_eq!(sheet["bodies"]["deformable_triangles"], 32);
    let arm = &sheet["arms"][0];
    assert_eq!(arm["device"], "simulated");
    let peak = arm["limits"]["peak_force_n"].as_f64().unwrap();
    assert_eq!(
        peak, setup.arms[0].spec.peak_force_n,
        "the profile's is stricter"
    );
    assert!(peak < 100.0);
}
