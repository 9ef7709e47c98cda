//! Every tick of every demonstration and of the adversary's scenes produces the same bits as
//! before.

use std::path::Path;
use std::process::Command;

use hapticd_e2e::{PROCESSORS, compare, output, program};

/// Duration of each demonstration in virtual time: long enough to touch.
const SECONDS: &str = "4";

/// Returns the digest of a demonstration on this kind of processor.
fn demonstration(name: &str, processor: (&str, &str)) -> String {
    let folder = std::env::temp_dir().join(format!("hapticd-e2e-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let report = folder.join("report.json");
    let _ = output(
        Command::new(program("hapticd"))
            .args([
                "demo",
                "--scene",
                name,
                "--virtual-time",
                "--plain",
                "--no-check",
            ])
            .args(["--duration", SECONDS, "--report"])
            .arg(&report)
            .env("XDG_RUNTIME_DIR", &folder)
            .env(processor.0, processor.1),
    );
    let report: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(&report).unwrap()).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    let force_n = report["max_force_n"].as_f64().unwrap();
    assert!(force_n > 0.05, "{name}: {force_n} N");
    format!(
        "{} ticks {}\n",
        report["ticks"],
        report["digest"].as_str().unwrap()
    )
}

macro_rules! demonstrations {
    ($($test:ident: $scene:literal,)*) => {
        $(
            #[test]
            fn $test() {
                for processor in PROCESSORS {
                    compare($scene, &demonstration($scene, processor));
                }
            }
        )*

        #[test]
        fn every_demonstration_is_asked() {
            let help = output(Command::new(program("hapticd")).args(["demo", "--help"]));
            let scenes = help.split("--scene <SCENE>").nth(1).unwrap();
            let scenes = scenes.split("--duration").next().unwrap();
            let asked = [$($scene),*];
            let known: Vec<&str> = scenes
                .lines()
                .filter_map(|line| line.trim().strip_prefix("- "))
                .filter_map(|line| line.split(':').next())
                .collect();
            assert_eq!(known.len(), asked.len(), "{known:?}");
            assert!(known.iter().all(|name| asked.contains(name)), "{known:?}");
        }
    };
}

demonstrations! {
    terrain_does_what_it_did: "terrain",
    assembly_does_what_it_did: "assembly",
    blocks_does_what_it_did: "blocks",
    cloth_does_what_it_did: "cloth",
    palpation_does_what_it_did: "palpation",
    crowd_does_what_it_did: "crowd",
    coil_does_what_it_did: "coil",
    fluid_does_what_it_did: "fluid",
    intestine_does_what_it_did: "intestine",
    skull_does_what_it_did: "skull",
    needle_does_what_it_did: "needle",
    planar_does_what_it_did: "planar",
}

/// Late, lost and overtaking answers, and hands that jump.
#[test]
fn the_adversarys_scenes_do_what_they_did() {
    for (variable, value) in PROCESSORS {
        let mut command = Command::new(program("adversary"));
        command.args(["--ticks", "10000", "--digests"]);
        compare("adversary", &output(command.env(variable, value)));
    }
}

/// A recording made on a processor with fused multiplication is replayed to the bit on one without.
#[test]
fn a_recording_is_replayed_on_another_processor() {
    let folder = std::env::temp_dir().join(format!("hapticd-e2e-{}-replay", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let [here, elsewhere] = PROCESSORS;
    let run = |arguments: &[&str], processor: (&str, &str)| {
        output(
            Command::new(program("hapticd"))
                .args(arguments)
                .current_dir(&folder)
                .env("XDG_RUNTIME_DIR", &folder)
                .env(processor.0, processor.1),
        )
    };
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config/crowd.toml");
    let config = config.to_str().unwrap();
    let recorded = [
        "--virtual-time",
        "--duration",
        SECONDS,
        "--output",
        "run.mcap",
    ];
    run(
        &[&["record", config, "--no-check"], &recorded[..]].concat(),
        here,
    );
    run(&["replay", "run.mcap", "--verify"], elsewhere);
    let _ = std::fs::remove_dir_all(&folder);
}

/// There is one implementation for all processors: no function of the C library's libm is linked.
#[test]
fn programs_take_no_function_from_the_c_librarys_libm() {
    for name in ["hapticd", "adversary", "lab"] {
        let bytes = std::fs::read(program(name)).unwrap();
        let needs = b"libm.so.6\0";
        let linked = bytes.windows(needs.len()).any(|here| here == needs);
        assert!(!linked, "{name} needs libm.so.6");
    }
}
