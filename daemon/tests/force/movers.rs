//! Effect on a hand of a body that comes as fast as a scene allows: the recorded tool and force.

use super::*;

/// A hand at rest, and a slab that passes through its place, to and fro at up to 20 m/s.
fn through_the_hand(name: &str) -> Vec<ArmTick> {
    let folder = Folder::new(name);
    folder.scene(
        "ramp_s = 0.1",
        "kind = \"rest\"\nat = [0.0, 0.0, 0.0]\n",
        &[0.8],
    );
    let path = folder.0.join("scene.toml");
    let slab = "[[body]]\nname = \"slab\"\nkind = \"kinematic\"\nposition_m = [0.8, 0.0, 0.25]\n\
                shape = { kind = \"cuboid\", size_m = [0.1, 0.1, 0.02] }\n\
                motion = { kind = \"oscillation\", amplitude_m = [0.0, 0.0, 0.33], period_s = 0.1 }\n";
    let scene = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, scene + slab).unwrap();
    arm(&folder.run(2))
}

/// The tool never turns back by more than a millimetre from one tick to the next. It did in each of
/// 20 periods, and before a slab that an application had sent in every tick.
#[test]
fn a_slab_that_comes_at_20_m_s_pushes_the_tool_one_way() {
    let ticks = through_the_hand("slab");
    assert!(longest(&ticks) > 1.0, "it was felt");
    let turned = ticks
        .windows(3)
        .filter(|w| {
            let step = |k: usize| w[k + 1].proxy_m[2] - w[k].proxy_m[2];
            step(0) * step(1) < -1e-6
        })
        .count();
    assert_eq!(turned, 0);
}
