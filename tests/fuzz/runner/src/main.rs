//! Runs libFuzzer with one of our targets: `FUZZ_TARGET=hub hapticd-fuzz-runner [OPTION...]
//! [CORPUS...]`.
//! With `FUZZ_SEEDS=FOLDER` it writes the target's seeds there instead and ends.

#![no_main]

use hapticd_fuzz::{Target, find, seeds};
use std::sync::OnceLock;

fn target() -> Target {
    static TARGET: OnceLock<Target> = OnceLock::new();
    *TARGET.get_or_init(|| {
        let name = std::env::var("FUZZ_TARGET").expect("FUZZ_TARGET names the target");
        let target = find(&name).unwrap_or_else(|| panic!("no target `{name}`"));
        if let Some(folder) = std::env::var_os("FUZZ_SEEDS") {
            for (index, (of, bytes)) in seeds::all().into_iter().enumerate() {
                if of == name {
                    let path = std::path::Path::new(&folder).join(format!("seed-{index}"));
                    std::fs::write(path, bytes).expect("the folder can be written");
                }
            }
            std::process::exit(0);
        }
        target
    })
}

libfuzzer_sys::fuzz_target!(
    init: {
        target();
    },
    |data: &[u8]| (target().run)(data)
);
