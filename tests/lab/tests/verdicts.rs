//! Verdicts that do not depend on time: each experiment at its small size, one test for each.
//!
//! An experiment that judges times of this machine, too, is held to the rest of its verdict
//! (`verdict_untimed`). What falls short is listed as such: no bar is loosened for it, and once it
//! holds it has to move to the others.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

fn lab(words: &[&str]) -> (Vec<Value>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(words)
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout);
    let objects = text.lines().map(serde_json::from_str);
    let objects = objects.collect::<Result<_, _>>().expect("JSON a line");
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    (objects, complaint)
}

fn expect(id: &str, wanted: &str) {
    let (told, complaint) = lab(&["run", id, "--quick", "--json"]);
    let [told] = &told[..] else {
        panic!("{id}: {told:?}{complaint}");
    };
    assert_eq!(told["error"], Value::Null, "{told}");
    let verdict = match told["judges"].as_str() {
        Some("counts and time") => &told["verdict_untimed"],
        _ => {
            assert_eq!(told["verdict_untimed"], Value::Null, "{id} judges times");
            &told["verdict"]
        }
    };
    assert_eq!(verdict, wanted, "{}", told["why"]);
}

macro_rules! verdicts {
    ($module:ident: $word:literal, $($test:ident: $id:literal,)*) => {
        mod $module {
            pub const IDS: &[&str] = &[$($id),*];
            $(
                #[test]
                fn $test() {
                    super::expect($id, $word);
                }
            )*
        }
    };
}

verdicts! {
    holds: "holds",
    ccd_queries: "ccd-queries",
    contact_pile: "contact-pile",
    redon_e1: "redon-e1",
    redon_e2: "redon-e2",
    redon_e3: "redon-e3",
    redon_e4: "redon-e4",
    redon_e5: "redon-e5",
    redon_e6: "redon-e6",
    redon_e7: "redon-e7",
    redon_e8: "redon-e8",
    redon_e9: "redon-e9",
    redon_e10: "redon-e10",
    redon_e11: "redon-e11",
    redon_e13: "redon-e13",
    redon_e14: "redon-e14",
    redon_e15: "redon-e15",
    redon_e17: "redon-e17",
    redon_e18: "redon-e18",
    redon_e19: "redon-e19",
    redon_e19b: "redon-e19b",
    redon_e20: "redon-e20",
    redon_e21: "redon-e21",
    redon_e22: "redon-e22",
    redon_e23: "redon-e23",
    redon_e26: "redon-e26",
    redon_e27: "redon-e27",
    redon_e30: "redon-e30",
    rays_direction: "rays-direction",
    rays_cloth: "rays-cloth",
    rays_predictions: "rays-predictions",
    registration_corridor: "registration-corridor",
    registration_circle: "registration-circle",
    registration_cells: "registration-cells",
    registration_city: "registration-city",
    registration_snake: "registration-snake",
    registration_curved: "registration-curved",
    registration_sphere: "registration-sphere",
    registration_capacity: "registration-capacity",
    registration_pairs: "registration-pairs",
    skin_triangles: "skin-triangles",
    skin_control: "skin-control",
    skin_modes: "skin-modes",
    skin_figures: "skin-figures",
    skin_preview: "skin-preview",
    skin_gpu: "skin-gpu",
    kinetic_sorted: "kinetic-sorted",
    kinetic_hull: "kinetic-hull",
    kinetic_polygons: "kinetic-polygons",
    kinetic_brute: "kinetic-brute",
    kinetic_gravity: "kinetic-gravity",
    kinetic_sap: "kinetic-sap",
    registration_needle: "registration-needle",
    feel_zwidth: "feel-zwidth",
    feel_oscillation: "feel-oscillation",
    feel_passivity: "feel-passivity",
    feel_fidelity: "feel-fidelity",
    feel_wrench: "feel-wrench",
    feel_friction: "feel-friction",
    feel_impact: "feel-impact",
    feel_air: "feel-air",
    feel_energy: "feel-energy",
    feel_peers: "feel-peers",
}

// The reasons are in `docs/benchmarks.md`.
verdicts! {
    falls_short: "falls short",
    redon_e24: "redon-e24",
    redon_e28: "redon-e28",
    redon_e29: "redon-e29",
    rays_reprojection: "rays-reprojection",
    rays_inversions: "rays-inversions",
    rays_predictions_s2: "rays-predictions-s2",
    rays_measures: "rays-measures",
    rays_workload: "rays-workload",
}

#[test]
fn every_verdict_that_no_time_decides_is_tested() {
    let (all, _) = lab(&["list", "--json"]);
    let listed: BTreeSet<_> = all
        .iter()
        .filter(|one| matches!(one["judges"].as_str(), Some("counts" | "counts and time")))
        .filter_map(|one| one["id"].as_str())
        .collect();
    let tested: BTreeSet<_> = holds::IDS.iter().chain(falls_short::IDS).copied().collect();
    assert_eq!(listed, tested);
}
