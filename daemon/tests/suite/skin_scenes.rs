//! Skins of the built-in scenes: made of the state of the mechanics, at the requested quality.

use std::path::Path;

use hapticd_config as config;
use hapticd_deformable::{SkinMaker, SkinStates};

use hapticd::session::virtual_arms;
use hapticd::session_setup;
use hapticd_collision::virtual_time::VirtualLoop;

#[test]
fn the_skins_of_the_demo_scenes_are_sound_and_as_their_bodies_are_felt() {
    for (name, text) in [
        ("coil", include_str!("../../../config/coil.toml")),
        ("fluid", include_str!("../../../config/fluid.toml")),
        ("intestine", include_str!("../../../config/intestine.toml")),
        ("skull", include_str!("../../../config/skull.toml")),
    ] {
        let context = config::Context::new("", |_| None);
        let loaded = config::parse(name, text, &context).unwrap().config;
        let mut setup = session_setup::build(&loaded, Path::new(""), true).unwrap();
        let arms = virtual_arms(&mut setup);
        let pairs = setup.pair_capacity;
        let mut driver = VirtualLoop::new(
            setup.core,
            (setup.collider, setup.deformable),
            arms,
            4,
            pairs,
        );
        let mut makers: Vec<SkinMaker> = (driver.deformable().unwrap().skin_specs())
            .map(|spec| SkinMaker::new(spec, 1_000_000, f64::INFINITY).unwrap())
            .collect();
        assert!(!makers.is_empty(), "{name}");
        let mut states = SkinStates::default();
        for tick in 0..3000 {
            driver.step(false);
            if tick % 500 != 499 {
                continue;
            }
            driver.deformable().unwrap().skin_states(&mut states);
            for (maker, state) in makers.iter_mut().zip(&states.bodies) {
                let made = maker.make(state).unwrap();
                let about = format!("{name} at {tick}: {made:?}");
                assert!(made.check.is_sound(), "{about}");
                // Blended as requested.
                assert!(!made.creased && !made.uncontrolled, "{about}");
                assert_eq!((made.rung, made.report.clipped), (0, 0), "{about}");
                assert!(maker.mesh().triangles.len() > 1000, "{about}");
                // A linear crossing of a bent field, which has a kink at the rim of the contact
                // between bodies.
                assert!(made.felt_m < 0.25 * maker.spec().cell_m, "{about}");
            }
        }
    }
}
