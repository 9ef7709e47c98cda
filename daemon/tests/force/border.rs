//! The border of an arm's workspace, from recorded forces: a contact that is held across it keeps
//! its force, and the hand receives no more energy from it than it put in.

use super::*;

/// Half the width of a simulated arm's workspace, m.
const HALF_M: f64 = 0.1;
/// The fade outside, m.
const FADE_M: f64 = 0.01;
/// Depth that the hand presses, from where the tool touches, m.
const DEPTH_M: f64 = 0.002;
/// Springs of surface and hand, N/m.
const SURFACE: f64 = 800.0;
const HAND: f64 = 5000.0;

/// Returns the commands while a stiff hand presses at `HALF_M - 0.02`, slides to `out_m` beyond the
/// border, is `deeper_m` deeper there, and slides back.
fn over_the_border(name: &str, out_m: f64, deeper_m: f64) -> Vec<ArmTick> {
    let folder = Folder::new(&format!("border-{name}"));
    let ball_m = 0.005;
    let scene = format!(
        "[[arm]]\nname = \"arm\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
         tool = {{ kind = \"sphere\", radius_m = {ball_m:?} }}\n\
         mechanics = {{ mass_kg = 0.05, damping_n_s_per_m = 2.0, resolution_m = 0.0, \
         coulomb_friction_n = 0.0, delay_us = 0 }}\n\
         hand = {{ stiffness_n_per_m = {HAND:?}, damping_n_s_per_m = 10.0 }}\n\
         [safety]\nramp_s = 0.1\nedge_fade_m = {FADE_M:?}\n\
         [[body]]\nname = \"floor\"\nposition_m = [0.0, 0.0, -0.025]\nmaterial = \"smooth\"\n\
         shape = {{ kind = \"cuboid\", size_m = [0.6, 0.4, 0.02] }}\n\
         [[material]]\nname = \"smooth\"\nstiffness_n_per_m = {SURFACE:?}\n\
         damping_n_s_per_m = 0.0\nfriction_coefficient = 0.0\n"
    );
    let touches = ball_m - 0.015;
    let (inside, outside) = (HALF_M - 0.02, HALF_M + out_m);
    let (pressed, deep) = (touches - DEPTH_M, touches - DEPTH_M - deeper_m);
    let keys = [
        (0.0, inside, touches + 0.01),
        (0.5, inside, touches + 0.01),
        (1.0, inside, pressed),
        (1.5, inside, pressed),
        (2.0, outside, pressed),
        (2.5, outside, deep),
        (3.0, inside, deep),
        (3.5, inside, deep),
        (4.0, inside, touches + 0.01),
        (5.0, inside, touches + 0.01),
    ]
    .map(|(t, x, z)| format!("{{ t_s = {t:?}, position = [{x:?}, 0.0, {z:?}] }}"));
    let hand = format!("kind = \"script\"\ntrack = [ {} ]\n", keys.join(", "));
    std::fs::write(folder.0.join("scene.toml"), scene).unwrap();
    std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
    arm(&folder.run(5))
}

/// Returns the mean force over a tenth of a second.
fn mean_n(ticks: &[ArmTick], from: usize) -> f64 {
    ticks[from..from + 100]
        .iter()
        .map(ArmTick::length_n)
        .sum::<f64>()
        / 100.0
}

/// Returns the most that the hand put into the motors, and what they gave in all. A sampled spring
/// gives a few hundredths more than it stored, which the arm's own damping takes.
fn work_j(ticks: &[ArmTick]) -> [f64; 2] {
    let start_j = ticks[450].motor_work_j;
    let mut given = ticks[450..4500].iter().map(|t| t.motor_work_j - start_j);
    [
        -given.clone().fold(0.0, f64::min),
        given.next_back().unwrap(),
    ]
}

#[test]
fn a_contact_that_is_held_over_the_border_keeps_its_force() {
    for (name, out_m) in [
        ("half", 0.5 * FADE_M),
        ("just", 0.99 * FADE_M),
        ("far", 0.03),
    ] {
        let ticks = over_the_border(name, out_m, 0.0);
        // The returning force moves the hand, and its damping takes a little.
        let (before, after) = (mean_n(&ticks, 1350), mean_n(&ticks, 3350));
        let both = |share: f64| DEPTH_M / (1.0 / (share * SURFACE) + 1.0 / HAND);
        assert!((before - both(1.0)).abs() < 0.04, "{name}: {before} N");
        let faded = mean_n(&ticks, 2200);
        let left = (1.0 - out_m / FADE_M).max(0.0);
        assert!(
            (faded - both(left)).abs() < 0.04,
            "{name}: {faded} N outside"
        );
        assert!(
            (after - before).abs() < 0.03 * before,
            "{name}: {before} N before, {after} N after"
        );
        assert!(mean_n(&ticks, 4500) < 1e-6, "{name}");
        let [put_in_j, given_j] = work_j(&ticks);
        assert!(
            given_j < 0.05 * put_in_j,
            "{name}: {given_j} J, {put_in_j} J put in"
        );
        assert!(ticks.iter().all(|tick| tick.gain == 1.0), "{name}");
    }
}

#[test]
fn what_is_pressed_outside_gives_nothing_inside() {
    for (name, out_m) in [("half-deep", 0.5 * FADE_M), ("far-deep", 0.03)] {
        let ticks = over_the_border(name, out_m, 0.008);
        let (before, after) = (mean_n(&ticks, 1350), mean_n(&ticks, 3350));
        // Where the fade leaves some force, the contact is pressed against it. The hand's damping
        // takes a little as well.
        assert!(
            after > 0.94 * before,
            "{name}: {before} N before, {after} N after"
        );
        let [put_in_j, given_j] = work_j(&ticks);
        assert!(
            given_j < 0.05 * put_in_j,
            "{name}: {given_j} J, {put_in_j} J put in"
        );
        assert!(ticks.iter().all(|tick| tick.gain == 1.0), "{name}");
    }
}
