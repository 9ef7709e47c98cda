//! Seeded experiments of each group of the lab produce the same numbers as before.
//!
//! The test compares the values of the rows, except times of this machine. Names and remarks may
//! change.

use std::process::Command;

use hapticd_e2e::{PROCESSORS, compare, program};
use hapticd_geometry::Digest;

/// Returns the digest of an experiment's values on this kind of processor.
fn experiment(words: &[&str], processor: (&str, &str)) -> String {
    let mut command = Command::new(program("lab"));
    command.arg("run").args(words).arg("--json");
    // Ignore the exit status: a verdict may be that something falls short.
    let output = command.env(processor.0, processor.1).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let report: serde_json::Value = serde_json::from_str(text.trim()).unwrap_or_else(|e| {
        let error = String::from_utf8_lossy(&output.stderr);
        panic!("{words:?}: {e}: {text}{error}")
    });
    let rows = report["rows"].as_array().unwrap();
    let total = rows.len();
    let kept: Vec<_> = rows.iter().filter(|row| row["timed"] != true).collect();
    assert!(kept.len() > 2, "{words:?}: {} rows", kept.len());
    let mut digest = Digest::default();
    for row in &kept {
        digest.bytes(row["ours"].to_string().as_bytes());
        digest.bytes(b"\n");
    }
    // A verdict on times is this machine's and not the experiment's.
    let verdict = match kept.len() < total {
        true => String::new(),
        false => format!(", {}", report["verdict"]),
    };
    format!("{} values {digest}{verdict}\n", kept.len())
}

macro_rules! experiments {
    ($($test:ident: $name:literal $($word:literal)*,)*) => {
        $(
            #[test]
            fn $test() {
                for processor in PROCESSORS {
                    let found = experiment(&[$name $(, $word)*], processor);
                    compare(concat!("lab-", $name), &found);
                }
            }
        )*
    };
}

experiments! {
    linear_queries_find_what_they_found: "ccd-queries",
    a_pile_does_what_it_did: "contact-pile" "--ticks" "600",
    metaphors_do_what_they_did: "redon-e23",
    tunnelling_is_what_it_was: "redon-e4",
    directions_are_what_they_were: "rays-direction",
    curved_crowds_do_what_they_did: "registration-curved" "--steps" "100",
    skins_are_what_they_were: "skin-modes",
    hulls_are_what_they_were: "kinetic-hull",
    polygons_do_what_they_did: "kinetic-polygons",
    forces_are_what_they_were: "feel-fidelity" "--quick",
    friction_is_what_it_was: "feel-friction" "--quick",
}
