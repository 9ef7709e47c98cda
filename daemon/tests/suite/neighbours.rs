//! The built-in scenes of implicit bodies are the same to the bit with every neighbour search.

use std::path::Path;

use hapticd::session::virtual_arms;
use hapticd::session_setup;
use hapticd_collision::virtual_time::VirtualLoop;
use hapticd_config as config;
use hapticd_deformable::SkinStates;

#[test]
fn the_demo_scenes_are_the_same_with_either_finder() {
    for (name, text) in [
        ("coil", include_str!("../../../config/coil.toml")),
        ("fluid", include_str!("../../../config/fluid.toml")),
        ("intestine", include_str!("../../../config/intestine.toml")),
    ] {
        let end = |neighbours: config::Neighbours| {
            let context = config::Context::new("", |_| None);
            let mut loaded = config::parse(name, text, &context).unwrap().config;
            loaded.deformable.neighbours = neighbours;
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
            for _ in 0..1500 {
                driver.step(false);
            }
            let mut states = SkinStates::default();
            driver.deformable().unwrap().skin_states(&mut states);
            let all = states.bodies.iter().flat_map(|body| &body.primitives);
            all.map(|p| p.heart().map(f64::to_bits)).collect::<Vec<_>>()
        };
        let (hash, registered) = (
            end(config::Neighbours::Hash),
            end(config::Neighbours::Registration),
        );
        assert!(hash.len() > 10 && hash == registered, "{name}");
    }
}
