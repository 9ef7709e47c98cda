//! Every demonstration with each broad phase: the same ticks, bodies and surfaces, bit for bit.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use hapticd::session::virtual_arms;
use hapticd::session_setup;
use hapticd_collision::virtual_time::VirtualLoop;
use hapticd_config as config;
use hapticd_scene::BroadPhaseKind;

/// Ticks of each run; soft bodies take a step every few ticks.
const TICKS: u64 = 120;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../config")
}

/// Hash of a text (FNV-1a).
struct Hash(u64);

impl Write for Hash {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
        Ok(())
    }
}

/// Returns a hash of each tick: forces of the arms, poses of bodies and positions of surfaces,
/// every number to its last digit.
fn ticks(loaded: &config::Config, kind: BroadPhaseKind) -> Vec<u64> {
    let mut setup = session_setup::build(loaded, &folder(), true).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(setup.collider.world().broad_phase(), kind);
    let name = kind.name();
    let arms = virtual_arms(&mut setup);
    let latency = loaded.collision.virtual_latency_ticks;
    let scenes = (setup.collider, setup.deformable);
    let mut driver = VirtualLoop::new(setup.core, scenes, arms, latency, setup.pair_capacity);
    if let Some(deformable) = driver.deformable() {
        assert_eq!(deformable.world().scene().broad_phase().name(), name);
    }
    (0..TICKS)
        .map(|_| {
            let mut hash = Hash(0xcbf2_9ce4_8422_2325);
            let record = driver.step(false);
            let moved = &record.moved[..usize::from(record.moved_count)];
            write!(hash, "{:?}{moved:?}", record.arms).expect("no end");
            if let Some(deformable) = driver.deformable() {
                for surface in deformable.surfaces() {
                    write!(hash, "{surface:?}").expect("no end");
                }
                write!(hash, "{:?}", deformable.report()).expect("no end");
            }
            hash.0
        })
        .collect()
}

fn same_with_each(scene: &str) {
    let path = folder().join(scene);
    let text = std::fs::read_to_string(&path).expect("shipped");
    let context = config::Context::new("", |_| Some("/nowhere".to_owned()));
    let parsed = config::parse(scene, &text, &context).unwrap_or_else(|e| panic!("{e}"));
    let mut loaded = parsed.config;
    let mut first: Option<Vec<u64>> = None;
    for kind in BroadPhaseKind::ALL {
        loaded.collision.broad_phase = kind;
        let found = ticks(&loaded, kind);
        let first = first.get_or_insert_with(|| found.clone());
        let differs = first.iter().zip(&found).position(|(a, b)| a != b);
        assert_eq!(
            differs, None,
            "{scene} with {kind:?}: first tick that differs"
        );
    }
}

macro_rules! scenes {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            same_with_each(concat!(stringify!($name), ".toml"));
        })*

        /// A new scene must be added here.
        #[test]
        fn all_demonstrations_are_here() {
            let here = [$(concat!(stringify!($name), ".toml")),*];
            let others = ["hapticd.toml", "trajectory-demo.toml", "Cargo.toml"];
            for entry in std::fs::read_dir(folder()).expect("shipped") {
                let name = entry.expect("readable").file_name();
                let name = name.to_str().expect("plain");
                let is_scene = name.ends_with(".toml") && !others.contains(&name);
                assert!(!is_scene || here.contains(&name), "{name}");
            }
        }
    };
}

scenes!(
    assembly, blocks, cloth, coil, crowd, demo, fluid, intestine, needle, palpation, planar, skull
);
