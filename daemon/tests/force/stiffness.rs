//! Stiffness at the hand, from recorded forces: the arm's bound at any motion scale, and the
//! material's own stiffness from the first tick of a touch.

use super::*;

/// Additional keys of a scene's arm and safety.
#[derive(Clone, Copy)]
struct Keys<'a> {
    arm: &'a str,
    safety: &'a str,
    delay_us: u32,
}

const USUAL: Keys = Keys {
    arm: "",
    safety: "",
    delay_us: 500,
};

/// A ball over a floor whose top is at 0; the hand reaches 0 where they touch.
fn scene(folder: &Folder, scale: f64, stiffness: f64, hand: &str, keys: Keys) {
    let radius = 0.005 * scale;
    let Keys {
        arm,
        safety,
        delay_us,
    } = keys;
    let text = format!(
        "[[arm]]\nname = \"arm-0\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
         motion_scale = {scale:?}\n{arm}world_from_base = {{ position_m = [0.0, 0.0, {radius:?}] }}\n\
         tool = {{ kind = \"sphere\", radius_m = {radius:?} }}\n\
         mechanics = {{ mass_kg = 0.15, damping_n_s_per_m = 2.0, \
         coulomb_friction_n = 0.1, resolution_m = 1e-6, delay_us = {delay_us} }}\n\
         hand = {{ stiffness_n_per_m = 2000.0, damping_n_s_per_m = 20.0 }}\n\
         [safety]\nramp_s = 0.1\n{safety}\
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

/// Returns force by stretch, N per metre of the device, in each tick that has both.
fn stiffness(ticks: &[ArmTick], scale: f64) -> Vec<f64> {
    let of = |tick: &ArmTick| {
        let stretch_m = (tick.proxy_m[2] - tick.hand_z_m) / scale;
        (stretch_m > 1e-4).then(|| tick.wanted_n / stretch_m)
    };
    ticks.iter().filter_map(of).collect()
}

/// A hand that holds on, so that the measurement is at rest.
const HOLD: &str = "kind = \"press\"\nfrom = [0.0, 0.0, 0.01]\ndepth_m = 0.013\nmove_s = 1.0\n\
                    hold_s = 10.0\n";

/// Colgate's bound for a spring of this stiffness's share and a damper of eight samples that are
/// late by `delay_ms`, with periods of 1 ms: the minimum over all frequencies, N/m.
fn colgate(arm: f64, damper: f64, delay_ms: f64) -> f64 {
    let at = |k: u32| {
        let theta = f64::from(k) * std::f64::consts::PI / 5000.0;
        let half = (0.5 * theta).sin();
        let spring = 0.5e-3 * ((delay_ms + 0.5) * theta).sin() / half;
        let rate = (4.0 * theta).sin() / (8.0 * half);
        let damper = -damper * rate * ((delay_ms + 4.5) * theta).cos();
        match spring > 0.0 {
            true => (arm - damper) / spring,
            false => f64::INFINITY,
        }
    };
    let undamped = arm / (0.5e-3 + 1e-3 * delay_ms);
    (1..5000).map(at).fold(undamped, f64::min)
}

/// In virtual time a sample is under way for half of the arm's delay, waits for its tick, and is
/// answered half a delay later.
#[test]
fn auto_is_nine_tenths_of_the_bound_with_the_true_delay() {
    for (delay_us, truly_ms) in [(0, 0.0), (500, 1.25), (2000, 2.0), (6000, 6.0)] {
        let folder = Folder::new(&format!("auto-{delay_us}"));
        let keys = Keys { delay_us, ..USUAL };
        scene(&folder, 1.0, 1e5, HOLD, keys);
        let ticks = arm(&folder.run(3));
        let bound = colgate(2.0, 0.4, truly_ms);
        for k in stiffness(&ticks[2500..], 1.0) {
            let share = k / bound;
            assert!((0.895..0.905).contains(&share), "{delay_us} us: {share}");
        }
        assert!(ticks.iter().all(|tick| tick.gain == 1.0), "{delay_us} us");
    }
}

#[test]
fn the_technicians_factor_is_felt_at_the_device() {
    let of = |arm: &str| {
        let folder = Folder::new(&format!("factor-{}", arm.len()));
        scene(&folder, 1.0, 1e5, HOLD, Keys { arm, ..USUAL });
        let ticks = super::arm(&folder.run(3));
        assert!(ticks.iter().all(|tick| tick.gain == 1.0), "a firm hand");
        stiffness(&ticks[2500..], 1.0)[0]
    };
    let auto = of("");
    let twice = of("auto_factor = 2.0\n");
    assert!((twice / auto - 2.0).abs() < 0.02, "{twice} of {auto} N/m");
}

const SCALES: [f64; 4] = [0.1, 1.0, 10.0, 100.0];

#[test]
fn limits_hold_at_the_device_on_every_scale_of_motion() {
    for scale in SCALES {
        let folder = Folder::new(&format!("limit-{scale}"));
        let safety = "peak_force_n = 1.5\ncontinuous_force_n = 1.5\n";
        scene(&folder, scale, 1e5, HOLD, Keys { safety, ..USUAL });
        let ticks = arm(&folder.run(3));
        let most_n = longest(&ticks);
        assert!(ticks.iter().any(|tick| tick.wanted_n > 1.6), "{scale}");
        assert!((most_n - 1.5).abs() < 1e-6, "{scale}: {most_n} N");
    }
}

/// Ten times what the arm carries, in a hand without damping: the oscillation is fed, found and
/// calmed in the same way at every scale.
#[test]
fn an_oscillation_is_found_on_every_scale_of_motion() {
    let arm_keys = "forced_stiffness_n_per_m = 10000.0\nforced_damping_n_s_per_m = 0.0\n";
    for scale in SCALES {
        let folder = Folder::new(&format!("wild-{scale}"));
        let keys = Keys {
            arm: arm_keys,
            ..USUAL
        };
        scene(&folder, scale, 1e5, HOLD, keys);
        let path = folder.0.join("scene.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        let firm = "hand = { stiffness_n_per_m = 2000.0, damping_n_s_per_m = 20.0 }";
        let weak = "hand = { stiffness_n_per_m = 150.0, damping_n_s_per_m = 0.0 }";
        assert!(text.contains(firm));
        std::fs::write(&path, text.replace(firm, weak)).unwrap();
        let ticks = arm(&folder.run(5));
        let touch = ticks.iter().position(|tick| tick.length_n() > 0.0).unwrap();
        let lowered = ticks.iter().position(|tick| tick.gain < 1.0);
        let lowered = lowered.unwrap_or_else(|| panic!("{scale}: it acts"));
        assert!(
            lowered < touch + 300,
            "{scale}: after {} ticks",
            lowered - touch
        );
        let fed = ticks.iter().map(|tick| tick.motor_work_j);
        let fed_j = fed.fold(0.0, f64::max);
        assert!(fed_j < 5e-3, "{scale}: {fed_j} J");
        for (k, window) in ticks[touch + 1000..4800].chunks(200).enumerate() {
            let forces = || window.iter().map(|tick| tick.force_n[2]);
            let swing_n = forces().fold(f64::MIN, f64::max) - forces().fold(f64::MAX, f64::min);
            assert!(swing_n < 0.5, "{scale}, window {k}: {swing_n} N");
        }
    }
}

#[test]
fn the_stiffness_at_the_device_is_the_arms_on_every_scale_of_motion() {
    let mut at_rest = Vec::new();
    for scale in [0.1, 0.3, 1.0, 3.0, 10.0, 100.0] {
        let folder = Folder::new(&format!("scale-{scale}"));
        scene(&folder, scale, 1e5, HOLD, USUAL);
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
        scene(&folder, 1.0, material, hand, USUAL);
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
        // Off the floor the hand feels nothing of it.
        for (tick, arm) in ticks.iter().enumerate() {
            if arm.hand_z_m > 0.0051 {
                assert!(arm.wanted_n < 1e-3, "tick {tick}: {arm:?}");
            }
        }
    }
}

/// A ball that leans on stone and is moved into a sponge at its side: each gives the same force as
/// alone, from the first tick.
#[test]
fn a_sponge_at_the_side_leaves_the_stone_as_hard_as_it_is() {
    let body = |at: [f64; 3], size: [f64; 3]| {
        format!("position_m = {at:?}\nshape = {{ kind = \"cuboid\", size_m = {size:?} }}")
    };
    leans_on_stone(
        "sponge",
        "tool = { kind = \"sphere\", radius_m = 0.005 }\n\
         world_from_base = { position_m = [0.0, 0.0, 0.005] }",
        [
            &body([0.0, 0.0, -0.005], [0.3, 0.3, 0.01]),
            &body([0.03, 0.0, 0.026], [0.01, 0.1, 0.05]),
        ],
        (2, 0.03, 0.01),
    );
}

/// The same in the plane, with a box: the sponge pushes off its centre, which the stone holds by
/// two corners. (Where the box comes to lie on the sponge by a second corner, 3 % of what is stored
/// is lost.)
#[test]
fn a_sponge_at_the_side_leaves_the_stone_as_hard_as_it_is_in_the_plane() {
    let body = |[left, low]: [f64; 2], [right, high]: [f64; 2]| {
        let corners = [[left, low], [right, low], [right, high], [left, high]];
        format!("shape = {{ kind = \"polygon\", vertices_m = {corners:?} }}")
    };
    let most_nm = leans_on_stone(
        "flat-sponge",
        "tool = { kind = \"polygon\", vertices_m = [[-0.005, -0.005], [0.005, -0.005], \
         [0.005, 0.005], [-0.005, 0.005]] }\n\
         world_from_base = { position_m = [0.0, 0.005, 0.0] }",
        [
            &body([-0.15, -0.01], [0.15, 0.0]),
            &body([0.025, 0.001], [0.035, 0.051]),
        ],
        (1, 0.04, 0.02),
    );
    // 0.2 N at 4 mm off the centre, and the effect of the hand's turn of 5e-5 rad.
    assert!(most_nm < 1.5e-3, "{most_nm} Nm");
}

/// `up` is the axis that stands on the stone. `lost` bounds the lost share of the force on it;
/// `off_n` bounds the deviation of the sponge's force. Returns the largest rendered torque, N m.
fn leans_on_stone(
    name: &str,
    arm_keys: &str,
    bodies: [&str; 2],
    (up, lost, off_n): (usize, f64, f64),
) -> f64 {
    let folder = Folder::new(name);
    let body = |name: &str, keys: &str, stiffness: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmaterial = \"{name}\"\n{keys}\n\
             [[material]]\nname = \"{name}\"\n\
             stiffness_n_per_m = {stiffness:?}\ndamping_n_s_per_m = 0.0\n\
             friction_coefficient = 0.0\n"
        )
    };
    let scene = format!(
        "[[arm]]\nname = \"arm\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
         {arm_keys}\n\
         mechanics = {{ mass_kg = 0.05, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.0, \
         resolution_m = 0.0, delay_us = 0 }}\n\
         hand = {{ stiffness_n_per_m = 5000.0, damping_n_s_per_m = 10.0 }}\n\
         [safety]\nramp_s = 0.1\n{}{}",
        body("stone", bodies[0], 2000.0),
        body("sponge", bodies[1], 100.0),
    );
    let keys = [
        (0.0, 0.0, 0.01),
        (0.5, 0.0, 0.01),
        (1.0, 0.0, -0.001),
        (1.5, 0.0, -0.001),
        (2.5, 0.022, -0.001),
        (3.0, 0.022, -0.001),
        (4.0, 0.0, -0.001),
        (6.0, 0.0, -0.001),
    ]
    .map(|(t, x, z)| {
        let mut at = [x, 0.0, 0.0];
        at[up] = z;
        format!("{{ t_s = {t:?}, position = {at:?} }}")
    });
    let hand = format!("kind = \"script\"\ntrack = [ {} ]\n", keys.join(", "));
    std::fs::write(folder.0.join("scene.toml"), scene).unwrap();
    std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
    let ticks = arm(&folder.run(5));
    let alone = ticks[1450].wanted_force_n[up];
    assert!(alone > 1.0, "{alone} N");
    let mut deepest_m = 0.0_f64;
    for (k, tick) in ticks[1450..4500].iter().enumerate() {
        let (x, z) = (tick.wanted_force_n[0], tick.wanted_force_n[up]);
        assert!(
            (z / alone - 1.0).abs() < lost,
            "tick {k}: {z} N, {alone} N alone"
        );
        let depth_m = (tick.hand_x_m - tick.proxy_m[0]).max(0.0);
        deepest_m = deepest_m.max(depth_m);
        assert!(
            (-x - 100.0 * depth_m).abs() <= 0.05 * 100.0 * depth_m + off_n,
            "tick {k}: {x} N, {depth_m} m deep"
        );
    }
    assert!(deepest_m > 1.5e-3, "{deepest_m} m");
    let torques = ticks[1450..4500]
        .iter()
        .map(|tick| tick.wanted_torque_nm[2].abs());
    torques.fold(0.0, f64::max)
}
