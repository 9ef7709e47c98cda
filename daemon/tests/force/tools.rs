//! Reachable poses of tools and their commands, in virtual time: near thin plates, inside bodies,
//! in tissue and at bone.

use super::*;

/// Period of the loop, s.
const DT: f64 = 1e-3;

#[test]
fn a_tool_that_is_flung_at_a_thin_plate_stays_on_its_side() {
    let folder = Folder::new("plate");
    // A tenth of a millimetre thick, with its upper side at 0.05 mm.
    let text = "[safety]\npeak_force_n = 4.0\ncontinuous_force_n = 4.0\n\
        velocity_limit_m_s = 10.0\nramp_s = 0.1\n\
        [[arm]]\nname = \"arm-0\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
        tool = { kind = \"sphere\", radius_m = 0.005 }\n\
        hand = { stiffness_n_per_m = 2000.0, damping_n_s_per_m = 20.0 }\n\
        [[body]]\nname = \"plate\"\n\
        shape = { kind = \"cuboid\", size_m = [0.4, 0.4, 0.0001] }\n";
    // The hand tries to cross the plate at 11 m/s, again and again.
    let hand =
        "kind = \"press\"\nfrom = [0.0, 0.0, 0.3]\ndepth_m = 0.6\nmove_s = 0.1\nhold_s = 0.4\n";
    std::fs::write(folder.0.join("scene.toml"), text).unwrap();
    std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
    let ticks = arm(&folder.run(10));
    let crossings = ticks
        .windows(2)
        .filter(|pair| pair[0].hand_z_m >= 0.0 && pair[1].hand_z_m < 0.0)
        .map(|pair| (pair[0].hand_z_m - pair[1].hand_z_m) / DT);
    let fastest = crossings.fold(0.0, f64::max);
    assert!(fastest > 4.0, "the hand crosses the plate at {fastest} m/s");
    let lowest = ticks.iter().map(|tick| tick.proxy_m[2]);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    // The radius and half of the plate; the tool comes to lie on it.
    assert!(
        (0.005_05..0.0052).contains(&lowest),
        "the tool's middle is at {lowest} m"
    );
}

#[test]
fn a_tool_that_starts_inside_is_sent_nothing_until_it_is_out() {
    let folder = Folder::new("inside");
    let safety = "peak_force_n = 4.0\ncontinuous_force_n = 4.0\nramp_s = 0.1\n";
    // From the middle of the floor up through its top, and down on it again.
    let hand =
        "kind = \"press\"\nfrom = [0.0, 0.0, -0.03]\ndepth_m = -0.1\nmove_s = 1.0\nhold_s = 0.5\n";
    folder.scene(safety, hand, &[0.0]);
    let ticks = arm(&folder.run(4));
    // Its centre is a radius above the top.
    let is_out = |tick: &ArmTick| tick.hand_z_m > -0.015;
    let out = ticks.iter().position(is_out).unwrap();
    assert!(out > 200, "out after {out} ticks");
    for (tick, arm) in ticks[..out].iter().enumerate() {
        assert_eq!(arm.force_n, [0.0; 3], "tick {tick}");
    }
    // Once out, the tool never gets in again.
    let after = &ticks[out + 100..];
    let lowest = after.iter().map(|tick| tick.proxy_m[2]);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    assert!(lowest > -0.015, "the tool's middle is at {lowest} m");
    assert!(longest(after) > 1.0, "{} N", longest(after));
}

/// 800 N/m of coupling: surfaces push out (0.1 m/s) and let fall (0.2 m/s), hand and surface move
/// (0.1 m/s together), and 0.1 N of damping and friction.
#[test]
fn the_recorded_force_on_tissue_never_jumps() {
    let folder = Folder::new("tissue");
    let text = include_str!("../../../config/palpation.toml");
    std::fs::write(folder.0.join("scene.toml"), text).unwrap();
    let ticks = arm(&folder.run(10));
    let most = 800.0 * DT * (0.1 + 0.2 + 0.1) + 0.1;
    let pressed = ticks.iter().filter(|tick| tick.wanted_n > 0.5).count();
    assert!(pressed > 500, "{pressed} ticks under force");
    for (tick, pair) in ticks.windows(2).enumerate() {
        let change = (pair[1].wanted_n - pair[0].wanted_n).abs();
        assert!(change < most, "tick {tick}: {change} N");
    }
}

/// The rib of the scene is a ball of flat triangles between 11.95 and 12 mm; the radius of the
/// needle is 0.6 mm.
#[test]
fn the_recorded_tip_of_a_needle_stays_out_of_bone() {
    const RIB_M: [f64; 3] = [0.008, 0.0, -0.062];
    let folder = Folder::new("needle");
    let text = include_str!("../../../config/needle.toml");
    std::fs::write(folder.0.join("scene.toml"), text).unwrap();
    let ticks = arm(&folder.run(9));
    let tips: Vec<[f64; 3]> = ticks.iter().filter_map(|tick| tick.tip_m).collect();
    assert!(tips.len() > 4000, "{} ticks in tissue", tips.len());
    let nearest = tips
        .iter()
        .map(|tip| recording::length(&[0, 1, 2].map(|k| tip[k] - RIB_M[k])))
        .fold(f64::INFINITY, f64::min);
    // The tip gets there, because the hand pushes on.
    assert!((0.0125..0.0128).contains(&nearest), "{nearest} m");
}

/// A needle's hub, upright in tissue or tilted above it, is a ball on a plate: pressed along the
/// plate's normal alone, and turned by nothing.
#[test]
fn a_hub_on_a_plate_is_pressed_along_its_normal_and_not_turned() {
    let (radius, length) = (0.006, 0.09);
    let (reach, base) = (radius + length, 0.1);
    // The tip's depth in the tissue when the hub is on the plate, its tilt, and whether it goes in.
    for (depth, tilt, goes_in) in [(0.02, 0.0_f64, true), (-0.01, 0.26, false)] {
        let folder = Folder::new(&format!("hub-{goes_in}"));
        let at = |depth: f64| {
            let up = reach - depth;
            let [x, z] = [up * tilt.sin(), up * tilt.cos() - base];
            format!("position = [{x:?}, 0.0, {z:?}], rotation = [0.0, {tilt:?}, 0.0]")
        };
        let top = (reach - depth) * tilt.cos() - radius;
        let keys = [(0.0, -0.02), (1.2, -0.02), (3.0, depth + 0.006)]
            .map(|(t, depth)| format!("{{ t_s = {t:?}, {} }}", at(depth)));
        let hand = format!("kind = \"script\"\ntrack = [ {} ]\n", keys.join(", "));
        let scene = format!(
            "[[arm]]\nname = \"arm\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
             world_from_base = {{ position_m = [0.0, 0.0, {base:?}] }}\n\
             tool = {{ kind = \"sphere\", radius_m = {radius:?} }}\n\
             mechanics = {{ mass_kg = 0.05, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.0, \
             resolution_m = 0.0, delay_us = 0 }}\n\
             hand = {{ stiffness_n_per_m = 5000.0, damping_n_s_per_m = 10.0 }}\n\
             [safety]\nramp_s = 0.1\n\
             [[body]]\nname = \"plate\"\nkind = \"static\"\nmaterial = \"smooth\"\n\
             shape = {{ kind = \"cuboid\", size_m = [0.3, 0.3, 0.01] }}\n\
             position_m = [0.0, 0.0, {:?}]\n\
             [[body]]\nname = \"flank\"\nkind = \"tissue\"\nposition_m = [0.0, 0.0, -0.04]\n\
             shape = {{ kind = \"cuboid\", size_m = [0.3, 0.3, 0.08] }}\n\
             [[body]]\nname = \"needle\"\nkind = \"needle\"\n\
             shape = {{ kind = \"cylinder\", radius_m = 0.0006, length_m = {length:?} }}\n\
             needle = {{ arm = \"arm\", curvature_1_m = 0, segment_m = 0.002 }}\n\
             [[layer]]\nname = \"flesh\"\nthickness_m = 0.08\nstiffness_n_per_m = 600\n\
             puncture_force_n = 0.3\ncutting_force_n = 0.2\nfriction_n_per_m = 20\n\
             lateral_n_per_m2 = 8000\n\
             [[material]]\nname = \"smooth\"\nstiffness_n_per_m = 800.0\n\
             damping_n_s_per_m = 0.0\nfriction_coefficient = 0.0\n",
            top - 0.005
        );
        std::fs::write(folder.0.join("scene.toml"), scene).unwrap();
        std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
        let ticks = arm(&folder.run(4));
        assert_eq!(ticks.iter().any(|tick| tick.tip_m.is_some()), goes_in);
        let mut pressed = 0;
        for (k, tick) in ticks.iter().enumerate().skip(1000) {
            let [x, y, z] = tick.wanted_force_n;
            let lateral_n = x.hypot(y);
            assert!(
                lateral_n <= 1e-3 * tick.wanted_n + 1e-5,
                "{tilt}, tick {k}: {lateral_n} N across"
            );
            assert_eq!(tick.wanted_torque_nm, [0.0; 3], "{tilt}, tick {k}");
            assert!(
                tick.proxy_m[2] > top + radius,
                "{tilt}, tick {k}: in the plate"
            );
            // On the plate, after the spring has reached its material's stiffness.
            let depth_m = tick.proxy_m[2] - tick.hand_z_m;
            if depth_m > 2e-3 && tick.proxy_m[2] < top + radius + 1e-4 {
                pressed += 1;
                assert!(
                    (z / (800.0 * depth_m) - 1.0).abs() < 0.01,
                    "{tilt}, tick {k}: {z} N"
                );
            }
        }
        assert!(pressed > 500, "{tilt}: {pressed} ticks on the plate");
    }
}

/// The pair budget costs motion, not force. A round peg that tilts in its bore has hundreds of
/// pairs near it, more than a default tick tests within the motion that its hand wants.
#[test]
fn a_peg_in_its_bore_keeps_its_force_where_the_budget_of_pairs_is_short() {
    let run = |pairs: u32| {
        let folder = Folder::new(&format!("peg-{pairs}"));
        // To and fro by 3 mm, tilted by 0.1 rad both ways, with 0.1 mm of play.
        let keys = (0..7).map(|k| {
            let (turn, x) = (
                0.1 * [0.0, 1.0, 0.0, -1.0][k % 4],
                0.003 * [0.0, 1.0, -1.0][k % 3],
            );
            let t = 0.2 + 0.25 * k as f64;
            format!(
                "{{ t_s = {t:?}, position = [{x:?}, 0.0, 0.0], rotation = [0.0, {turn:?}, 0.0] }}"
            )
        });
        let keys: Vec<String> = keys.collect();
        let hand = format!("kind = \"script\"\ntrack = [ {} ]\n", keys.join(", "));
        let scene = format!(
            "[loop]\ntick_budget_pairs = {pairs}\n[collision]\npairs = 16384\n\
             [[arm]]\nname = \"arm\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
             tool = {{ kind = \"cylinder\", radius_m = 0.005, length_m = 0.03, segments = 48 }}\n\
             mechanics = {{ mass_kg = 0.05, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.0, \
             resolution_m = 0.0, delay_us = 0 }}\n\
             hand = {{ stiffness_n_per_m = 5000.0, damping_n_s_per_m = 10.0 }}\n\
             [safety]\nramp_s = 0.1\n\
             [[body]]\nname = \"block\"\nkind = \"static\"\nmaterial = \"smooth\"\n\
             shape = {{ kind = \"block_with_hole\", size_m = [0.06, 0.06, 0.04], \
             hole_radius_m = 0.0051, segments = 48 }}\n\
             [[material]]\nname = \"smooth\"\nstiffness_n_per_m = 800.0\n\
             damping_n_s_per_m = 0.0\nfriction_coefficient = 0.0\n"
        );
        std::fs::write(folder.0.join("scene.toml"), scene).unwrap();
        std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
        arm(&folder.run(2))
    };
    let (short, ample) = (run(256), run(16_384));
    let pressed = ample.iter().filter(|tick| tick.wanted_n > 0.5).count();
    assert!(pressed > 600, "{pressed} ticks under force");
    let off = short.iter().zip(&ample).map(|(short, ample)| {
        let [a, b] = [short, ample].map(|tick| tick.wanted_force_n);
        recording::length(&[0, 1, 2].map(|k| a[k] - b[k]))
    });
    let off: Vec<f64> = off.collect();
    let rms = (off.iter().map(|n| n * n).sum::<f64>() / off.len() as f64).sqrt();
    let worst = off.iter().copied().fold(0.0, f64::max);
    assert!(
        rms < 0.02 && worst < 0.2,
        "off by {rms} N, RMS, and by {worst} N"
    );
}

/// A box across two supports of unlike stiffness: nothing turns it along the supports, the mirrored
/// scene gives the mirrored wrench, and the wrench is constant while the hand is at rest, however
/// old answers are. (The projection chooses which corners it loads, and may choose differently in
/// each tick.)
#[test]
fn a_box_on_two_materials_feels_each_of_them_and_no_choice_of_corners() {
    let run = |left: f64, right: f64, latency: u32| {
        let folder = Folder::new(&format!("supports-{left}-{latency}"));
        let support = |name: &str, x: f64, stiffness: f64| {
            format!(
                "[[body]]\nname = \"{name}\"\nmaterial = \"{name}\"\nposition_m = [{x:?}, 0.0, -0.01]\n\
                 shape = {{ kind = \"cuboid\", size_m = [0.02, 0.06, 0.02] }}\n\
                 [[material]]\nname = \"{name}\"\nstiffness_n_per_m = {stiffness:?}\n\
                 damping_n_s_per_m = 0.0\nfriction_coefficient = 0.0\n"
            )
        };
        let scene = format!(
            "[collision]\nvirtual_latency_ticks = {latency}\n\
             [[arm]]\nname = \"arm\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
             tool = {{ kind = \"cuboid\", size_m = [0.06, 0.02, 0.02] }}\n\
             mechanics = {{ mass_kg = 0.05, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.0, \
             resolution_m = 0.0, delay_us = 0 }}\n\
             hand = {{ stiffness_n_per_m = 5000.0, damping_n_s_per_m = 10.0 }}\n\
             [safety]\nramp_s = 0.1\n{}{}",
            support("left", -0.02, left),
            support("right", 0.02, right),
        );
        let hand = "kind = \"script\"\ntrack = [ { t_s = 0.0, position = [0.0, 0.0, 0.02] }, \
                    { t_s = 0.5, position = [0.0, 0.0, 0.02] }, \
                    { t_s = 1.0, position = [0.0, 0.0, 0.008] }, \
                    { t_s = 3.0, position = [0.0, 0.0, 0.008] } ]\n";
        std::fs::write(folder.0.join("scene.toml"), scene).unwrap();
        std::fs::write(folder.0.join("hand.toml"), hand).unwrap();
        arm(&folder.run(3))[1500..2800].to_vec()
    };
    let mirrored = |a: f64, b: f64, bar: f64, what: &str| {
        assert!((a + b).abs() < bar, "{what}: {a} and {b}");
    };
    for latency in [0, 4, 8] {
        let [one, other] = [run(1000.0, 200.0, latency), run(200.0, 1000.0, latency)];
        for (k, (a, b)) in one.iter().zip(&other).enumerate() {
            let what = format!("answers {latency} ticks old, tick {k}");
            for tick in [a, b] {
                let [x, y, z] = tick.wanted_force_n;
                let [along, _, up] = tick.wanted_torque_nm;
                assert!(z > 1.0, "{what}: {z} N");
                assert!(x.abs() < 1e-4 * z && y.abs() < 1e-6, "{what}: {x} N, {y} N");
                assert!(
                    along.abs() < 1e-6 && up.abs() < 1e-6,
                    "{what}: {along} Nm, {up} Nm"
                );
            }
            mirrored(a.wanted_force_n[2], -b.wanted_force_n[2], 1e-6, &what);
            mirrored(a.wanted_torque_nm[1], b.wanted_torque_nm[1], 1e-7, &what);
            // The stiffer side carries more.
            assert!(
                a.wanted_torque_nm[1] > 1e-3,
                "{what}: {:?}",
                a.wanted_torque_nm
            );
        }
        for (k, pair) in one.windows(2).enumerate() {
            let [a, b] = [&pair[0], &pair[1]].map(|tick| tick.wanted_force_n[2]);
            assert!(
                (a - b).abs() < 1e-3,
                "answers {latency} ticks old, tick {k}: {a} N, then {b} N"
            );
        }
    }
}
