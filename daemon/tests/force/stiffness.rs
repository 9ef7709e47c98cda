//! What the hand's spring is, from recorded forces: the arm's bound on any scale of motion, and the
//! material's own stiffness from the first tick of a touch on.

use super::*;

/// A ball over a floor whose top is at 0; the hand comes to 0 where they touch.
fn scene(folder: &Folder, scale: f64, stiffness: f64, hand: &str) {
    let radius = 0.005 * scale;
    let text = format!(
        "[[arm]]\nname = \"arm-0\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
         motion_scale = {scale:?}\nworld_from_base = {{ position_m = [0.0, 0.0, {radius:?}] }}\n\
         tool = {{ kind = \"sphere\", radius_m = {radius:?} }}\n\
         mechanics = {{ mass_kg = 0.15, damping_n_s_per_m = 2.0, \
         coulomb_friction_n = 0.1, resolution_m = 1e-6, delay_us = 500 }}\n\
         hand = {{ stiffness_n_per_m = 2000.0, damping_n_s_per_m = 20.0 }}\n\
         [safety]\nramp_s = 0.1\n\
         [[body]]\nname = \"floor\"\nposition_m = [0.0, 0.0, {:?}]\nmaterial = \"stuff\"\n\
         shape = {{ kind = \"cuboid\", size_m = [{:?}, {:?}, {:?}] }}\n\
         [[material]]\nname = \"stuff\"\nstiffness_n_per_m = {stiffness:?}\n\
         damping_n_s_per_m = 0.0\nfriction_coefficient = 0.0\n",
        -0.01 * scale,
        0.4 * scale,
        0.4 * scale,
        0.02 * scale,
    );
    std::fs::write(folder.0.join("scene.toml"), text).unwrap();
    std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
}

/// Force by stretch, N per metre of the device, in each tick that has both.
fn stiffness(ticks: &[ArmTick], scale: f64) -> Vec<f64> {
    let of = |tick: &ArmTick| {
        let stretch_m = (tick.proxy_m[2] - tick.hand_z_m) / scale;
        (stretch_m > 1e-4).then(|| tick.wanted_n / stretch_m)
    };
    ticks.iter().filter_map(of).collect()
}

#[test]
fn the_stiffness_at_the_device_is_the_arms_on_every_scale_of_motion() {
    // A hand that holds on, so that what is measured is at rest.
    let hand = "kind = \"press\"\nfrom = [0.0, 0.0, 0.01]\ndepth_m = 0.013\nmove_s = 1.0\n\
                hold_s = 10.0\n";
    let mut at_rest = Vec::new();
    for scale in [0.1, 0.3, 1.0, 3.0, 10.0, 100.0] {
        let folder = Folder::new(&format!("scale-{scale}"));
        scene(&folder, scale, 1e5, hand);
        let ticks = arm(&folder.run(3));
        let rest = stiffness(&ticks[2500..], scale);
        assert_eq!(rest.len(), ticks.len() - 2500, "scale {scale}: it presses");
        at_rest.push(rest);
    }
    let of_one = at_rest[2][0];
    assert!((300.0..2000.0).contains(&of_one), "{of_one} N/m");
    for (scale, rest) in at_rest.iter().enumerate() {
        for k in rest {
            // Nothing but the damper of a hand that trembles by an encoder's step.
            assert!(
                (k / of_one - 1.0).abs() < 5e-3,
                "{scale}: {k} N/m, not {of_one}"
            );
        }
    }
}

#[test]
fn a_soft_material_is_soft_from_the_first_tick_and_lets_go() {
    let hand = "kind = \"script\"\nrepeat = true\ntrack = [ { t_s = 0.0, position = [0.0, 0.0, 0.04] }, \
                { t_s = 0.4, position = [0.0, 0.0, -0.01] }, { t_s = 0.6, position = [0.0, 0.0, -0.01] }, \
                { t_s = 1.0, position = [0.0, 0.0, 0.04] } ]\n";
    for material in [50.0, 100.0, 300.0] {
        let folder = Folder::new(&format!("soft-{material}"));
        scene(&folder, 1.0, material, hand);
        let ticks = arm(&folder.run(6));
        let stiffness = stiffness(&ticks, 1.0);
        assert!(
            stiffness.len() > 1000,
            "{} ticks under force",
            stiffness.len()
        );
        for k in &stiffness {
            assert!((k / material - 1.0).abs() < 0.05, "{k} N/m of {material}");
        }
        // Off the floor nothing is felt of it.
        for (tick, arm) in ticks.iter().enumerate() {
            if arm.hand_z_m > 0.0051 {
                assert!(arm.wanted_n < 1e-3, "tick {tick}: {arm:?}");
            }
        }
    }
}
