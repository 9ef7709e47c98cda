//! A box turned across the two lips of a slot, where friction may hold it at any angle: bodies at
//! rest give no energy, and the force remains.

use super::*;

/// Maximum energy that bodies at rest put into the spring while the tool returns to the safe
/// distance, J.
const RECOVERY_J: f64 = 3e-4;

fn slot(folder: &Folder, friction: f64, clean: bool, latency: u32) {
    let (coulomb, resolution, delay) = if clean {
        (0.0, 0.0, 0)
    } else {
        (0.1, 2e-5, 500)
    };
    let lips = [("left", 0.03, -0.015), ("right", 0.0315, 0.024_25)].map(|(name, width, x)| {
        format!(
            "[[body]]\nname = \"{name}\"\nposition_m = [{x:?}, -0.01, 0.0]\n\
             shape = {{ kind = \"cuboid\", size_m = [{width:?}, 0.02, 0.05] }}\n\
             material = \"rough\"\n"
        )
    });
    let text = format!(
        "[collision]\nvirtual_latency_ticks = {latency}\n[safety]\nramp_s = 0.1\n\
         [[arm]]\nname = \"arm-0\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
         tool = {{ kind = \"cuboid\", size_m = [0.008, 0.008, 0.008] }}\n\
         hand = {{ stiffness_n_per_m = 300, damping_n_s_per_m = 4 }}\n\
         mechanics = {{ mass_kg = 0.15, damping_n_s_per_m = 2.0, saturation_n = 200, \
         coulomb_friction_n = {coulomb:?}, resolution_m = {resolution:?}, delay_us = {delay} }}\n\
         {}[[material]]\nname = \"rough\"\nstiffness_n_per_m = 800.0\n\
         damping_n_s_per_m = 0.5\nfriction_coefficient = {friction:?}\n",
        lips.concat()
    );
    // Into the slot askew, then turned to and fro in it.
    let hand = "kind = \"script\"\ntrack = [\n\
        { t_s = 0.0, position = [0.012, 0.015, 0.0] },\n\
        { t_s = 0.5, position = [0.012, 0.015, 0.0], rotation = [0.0, 0.0, 0.28] },\n\
        { t_s = 1.2, position = [0.012, -0.002, 0.0], rotation = [0.0, 0.0, 0.28] },\n\
        { t_s = 2.2, position = [0.002, -0.002, 0.0], rotation = [0.0, 0.0, 0.26] },\n\
        { t_s = 3.0, position = [0.002, -0.002, 0.0], rotation = [0.0, 0.0, -0.4] },\n\
        { t_s = 4.0, position = [0.006, -0.002, 0.0], rotation = [0.0, 0.0, 0.4] },\n\
        { t_s = 5.0, position = [0.002, -0.002, 0.0], rotation = [0.0, 0.0, -0.2] },\n\
        { t_s = 6.0, position = [0.002, 0.015, 0.0], rotation = [0.0, 0.0, 0.0] },\n]\n";
    std::fs::write(folder.0.join("scene.toml"), text).unwrap();
    std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
}

#[test]
fn a_box_jammed_by_friction_between_lips_makes_no_energy() {
    for (friction, clean, latency) in [(0.3, false, 4), (0.3, true, 0), (0.6, true, 0)] {
        let what = format!("friction {friction}, clean {clean}, latency {latency}");
        let folder = Folder::new(&format!("jam-{friction}-{clean}-{latency}"));
        slot(&folder, friction, clean, latency);
        let ticks = arm(&folder.run(7));
        let (mut least_j, mut made_j) = (f64::INFINITY, 0.0_f64);
        for (k, tick) in ticks.iter().enumerate() {
            least_j = least_j.min(tick.world_j);
            made_j = made_j.max(tick.world_j - least_j);
            assert!(tick.gain == 1.0, "{what}, tick {k}: gain {}", tick.gain);
        }
        assert!(
            made_j < RECOVERY_J,
            "{what}: {made_j} J from bodies at rest"
        );
        assert!(longest(&ticks) > 1.0, "{what}: it presses");
    }
}
