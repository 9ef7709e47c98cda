//! A cube that a hand rolls round on its corners: each corner lifts the hand, and none of this
//! counts as an oscillation.

use std::fmt::Write as _;

use super::*;

/// Returns the ticks of a cube of 20 mm that is pressed to a smooth plate and tilted by 0.2 rad to
/// all sides in turn, `hz` turns a second, by a hand of this stiffness.
fn rolled(hz: f64, hand_n_per_m: f64) -> Vec<ArmTick> {
    let folder = Folder::new(&format!("rolled-{hz}-{hand_n_per_m}"));
    let scene = format!(
        "[[arm]]\nname = \"arm-0\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
         tool = {{ kind = \"cuboid\", size_m = [0.02, 0.02, 0.02] }}\n\
         mechanics = {{ mass_kg = 0.15, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.1, \
         resolution_m = 2e-5, delay_us = 500 }}\n\
         hand = {{ stiffness_n_per_m = {hand_n_per_m:.1}, damping_n_s_per_m = 10 }}\n\
         [[body]]\nname = \"plate\"\nmaterial = \"smooth\"\n\
         shape = {{ kind = \"plate\", size_m = [0.5, 0.5], thickness_m = 0.01 }}\n\
         [[material]]\nname = \"smooth\"\nstiffness_n_per_m = 1000.0\n\
         damping_n_s_per_m = 0.0\nfriction_coefficient = 0.0\n"
    );
    let mut hand = String::from("kind = \"script\"\ntrack = [\n");
    for k in 0..=600 {
        let t = f64::from(k) * 0.005;
        let z = 0.009 + 0.013 * (1.0 - t / 0.4).max(0.0);
        let tilt = 0.2 * ((t - 0.4) / 0.2).clamp(0.0, 1.0);
        let (sin, cos) = (std::f64::consts::TAU * hz * t).sin_cos();
        let (x, y) = (tilt * sin, tilt * cos);
        writeln!(
            hand,
            "{{ t_s = {t:.3}, position = [0.0, 0.0, {z:.6}], rotation = [{x:.6}, {y:.6}, 0.0] }},"
        )
        .unwrap();
    }
    hand.push_str("]\n");
    std::fs::write(folder.0.join("scene.toml"), scene).unwrap();
    std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
    arm(&folder.run(3))
}

#[test]
fn a_cube_that_is_rolled_on_its_corners_keeps_all_of_its_force() {
    for (hz, hand_n_per_m) in [(4.0, 1000.0), (4.0, 5000.0), (3.0, 5000.0)] {
        let ticks = rolled(hz, hand_n_per_m);
        let pressed = ticks.iter().filter(|tick| tick.wanted_n > 0.5).count();
        assert!(
            pressed > 1_000,
            "{hz} Hz, {hand_n_per_m} N/m: {pressed} ticks in contact"
        );
        for (k, tick) in ticks.iter().enumerate().take(2_800).skip(1_200) {
            let lost_n = tick.wanted_n - tick.length_n();
            assert!(
                lost_n.abs() < 0.05 && tick.gain == 1.0,
                "{hz} Hz, {hand_n_per_m} N/m, tick {k}: {} of {} N, gain {}",
                tick.length_n(),
                tick.wanted_n,
                tick.gain
            );
        }
    }
}
