//! A tool that slips over an edge: the face that it has left does not pull it back.

use super::*;

/// A ball is pressed 9 mm deep on the upper face of a smooth block and moved over its edge. There
/// the side face holds it, and the upper one lets go of 1.8 N within a few ticks.
#[test]
fn a_face_that_a_tool_has_slipped_off_does_not_pull_it_back() {
    let folder = Folder::new("slips");
    let scene = "[[arm]]\nname = \"arm-0\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
         tool = { kind = \"sphere\", radius_m = 0.005 }\n\
         mechanics = { mass_kg = 0.15, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.1, \
         resolution_m = 2e-5, delay_us = 500 }\n\
         hand = { stiffness_n_per_m = 5000.0, damping_n_s_per_m = 20.0 }\n\
         [[body]]\nname = \"block\"\nmaterial = \"smooth\"\nposition_m = [-0.05, 0.0, -0.05]\n\
         shape = { kind = \"cuboid\", size_m = [0.1, 0.1, 0.1] }\n\
         [[material]]\nname = \"smooth\"\nstiffness_n_per_m = 200.0\n\
         damping_n_s_per_m = 2.0\nfriction_coefficient = 0.0\n";
    let track = [
        (0.0, -0.02, 0.02),
        (1.6, -0.02, 0.02),
        (2.0, -0.02, -0.004),
        (3.0, 0.02, -0.004),
    ]
    .map(|(t, x, z)| format!("{{ t_s = {t:?}, position = [{x:?}, 0.0, {z:?}] }}"));
    let hand = format!("kind = \"script\"\ntrack = [ {} ]\n", track.join(", "));
    std::fs::write(folder.0.join("scene.toml"), scene).unwrap();
    std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
    let ticks = arm(&folder.run(3));
    let slip = ticks.iter().rposition(|tick| tick.wanted_force_n[2] > 1.5);
    let slip = slip.expect("the tool is pressed on the upper face");
    let soon_n = ticks[slip + 8].wanted_force_n[2];
    assert!(soon_n < 0.1, "{soon_n} N of the upper face after 8 ms");
    let mut side_n = 0.0_f64;
    for (k, tick) in ticks[slip..].iter().enumerate() {
        let [x, _, z] = tick.wanted_force_n;
        assert!(z > -1e-3, "{k} ms after the edge: {z} N into the block");
        assert!(x > -1e-3, "{k} ms after the edge: {x} N into the block");
        side_n = side_n.max(x);
    }
    assert!(side_n > 0.5, "{side_n} N from the side face");
}
