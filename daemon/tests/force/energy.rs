//! Energy given to the hand, as seen by a user of a recording: the ledger against the motors' true
//! work, and springs that are forced far beyond what the arm can render.

use super::*;

/// A ball over a floor with its top at 0; the coupling is forced to `stiffness`, if given.
fn scene(folder: &Folder, stiffness: Option<f64>, hand: &str, mechanics: &str, intention: &str) {
    let forced = stiffness.map_or(String::new(), |k| {
        format!("forced_stiffness_n_per_m = {k:?}\n")
    });
    let text = format!(
        "[[arm]]\nname = \"arm-0\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n{forced}\
         world_from_base = {{ position_m = [0.0, 0.0, 0.005] }}\n\
         tool = {{ kind = \"sphere\", radius_m = 0.005 }}\n\
         mechanics = {{ {mechanics} }}\nhand = {{ {hand} }}\n\
         [safety]\nramp_s = 0.1\n\
         [[body]]\nname = \"floor\"\nposition_m = [0.0, 0.0, -0.01]\nmaterial = \"stone\"\n\
         shape = {{ kind = \"cuboid\", size_m = [0.4, 0.4, 0.02] }}\n\
         [[material]]\nname = \"stone\"\nstiffness_n_per_m = 100000.0\n\
         damping_n_s_per_m = 0.0\nfriction_coefficient = 0.0\n"
    );
    std::fs::write(folder.0.join("scene.toml"), text).unwrap();
    std::fs::write(folder.0.join("hand.toml"), intention).unwrap();
}

const LIGHT: &str = "mass_kg = 0.15, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.1, \
                     resolution_m = 2e-5, delay_us = 500";
const FIRM: &str = "stiffness_n_per_m = 1000.0, damping_n_s_per_m = 20.0";
/// Nothing but a weak spring, with minimal damping.
const UNDAMPED: &str = "stiffness_n_per_m = 100.0, damping_n_s_per_m = 0.0";

fn press(depth_m: f64) -> String {
    format!(
        "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = {:?}\nmove_s = 0.5\nhold_s = 30.0\n",
        0.02 + depth_m
    )
}

/// Returns the highest minus the lowest force.
fn swing_n(ticks: &[ArmTick]) -> f64 {
    let forces = || ticks.iter().map(|tick| tick.force_n[2]);
    forces().fold(f64::MIN, f64::max) - forces().fold(f64::MAX, f64::min)
}

#[test]
fn a_spring_up_to_fifty_times_too_stiff_is_calmed() {
    for (name, hand) in [("firm", FIRM), ("undamped", UNDAMPED)] {
        let folder = Folder::new(&format!("auto-{name}"));
        scene(&folder, None, hand, LIGHT, &press(0.01));
        let ticks = arm(&folder.run(3));
        assert!(
            ticks.iter().all(|tick| tick.gain == 1.0),
            "{name}: at `auto` it does not act"
        );
        let at_rest = &ticks[2500];
        let auto = at_rest.wanted_n / (at_rest.proxy_m[2] - at_rest.hand_z_m);
        for factor in [5.0, 15.0, 50.0] {
            let folder = Folder::new(&format!("wild-{name}-{factor}"));
            scene(&folder, Some(factor * auto), hand, LIGHT, &press(0.01));
            let ticks = arm(&folder.run(6));
            let what = format!("{name}, {factor} times {auto} N/m");
            let touch = ticks.iter().position(|tick| tick.length_n() > 0.0).unwrap();
            assert!(ticks.iter().any(|tick| tick.gain < 1.0), "{what}: it acts");
            let fed_j = ticks
                .iter()
                .map(|tick| tick.motor_work_j)
                .fold(0.0, f64::max);
            assert!(fed_j < 5e-3, "{what}: {fed_j} J");
            let calm = &ticks[(touch + 300).max(700)..ticks.len() - 200];
            for (k, window) in calm.chunks(200).enumerate() {
                let swing_n = swing_n(window);
                assert!(swing_n < 0.5, "{what}, window {k}: {swing_n} N");
            }
            assert!(
                ticks.iter().all(|tick| tick.reason != 36),
                "{what}: force stays on"
            );
        }
    }
}

#[test]
fn the_recorded_ledger_is_the_motors_work() {
    // In and out, again and again.
    let tap =
        "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.03\nmove_s = 0.3\nhold_s = 0.2\n";
    for (name, hand) in [("firm", FIRM), ("undamped", UNDAMPED)] {
        let folder = Folder::new(&format!("ledger-{name}"));
        scene(&folder, None, hand, LIGHT, tap);
        let ticks = arm(&folder.run(8));
        let (mut exchanged_j, mut compared) = (0.0, 0);
        for k in 5..ticks.len() {
            exchanged_j += (ticks[k].motor_work_j - ticks[k - 1].motor_work_j).abs();
            // While no command is under way.
            if (ticks[k].motor_work_j - ticks[k - 5].motor_work_j).abs() > 1e-7 {
                continue;
            }
            compared += 1;
            let off_j = ticks[k].given_j - ticks[k].motor_work_j;
            let room_j = 2e-4;
            assert!(
                off_j.abs() < 0.01 * exchanged_j + room_j,
                "{name}, tick {k}: {off_j} J of {exchanged_j} J"
            );
        }
        assert!(
            compared > 1000 && exchanged_j > 0.01,
            "{name}: {compared}, {exchanged_j} J"
        );
    }
}

/// Runs a shipped scene for four seconds: at its default stiffness the controller has no reason to
/// act, whatever its bodies do.
fn stays_passive(scene: &str) {
    let folder = Folder::new(&format!("shipped-{scene}"));
    let file = format!("{}/../config/{scene}.toml", env!("CARGO_MANIFEST_DIR"));
    let status = folder
        .command(&["record", &file, "--virtual-time", "--duration", "4"])
        .args(["--output", "run.mcap", "--no-check"])
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(0), "{scene}");
    let ticks = folder.read();
    assert_eq!(ticks.len(), 4000, "{scene}");
    let pressed = ticks.iter().filter(|tick| tick.arms[0].length_n() > 0.05);
    assert!(pressed.count() > 100, "{scene}: it presses");
    for tick in &ticks {
        for arm in &tick.arms {
            assert!(arm.gain == 1.0, "{scene}, tick {}: {arm:?}", tick.tick);
        }
    }
}

#[test]
fn rigid_scenes_that_ship_stay_passive() {
    for scene in ["demo", "assembly", "blocks", "skull", "planar"] {
        stays_passive(scene);
    }
}

#[test]
fn soft_scenes_that_ship_stay_passive() {
    for scene in ["palpation", "intestine", "cloth"] {
        stays_passive(scene);
    }
}

#[test]
fn coils_crowds_liquids_and_needles_that_ship_stay_passive() {
    for scene in ["coil", "crowd", "fluid", "needle"] {
        stays_passive(scene);
    }
}

/// Runs these arms and bodies. Returns the ticks.
fn of_scene(name: &str, text: &str, hands: &[String], seconds: u32) -> Vec<Tick> {
    let folder = Folder::new(name);
    std::fs::write(folder.0.join("scene.toml"), text).unwrap();
    for (k, hand) in hands.iter().enumerate() {
        std::fs::write(folder.0.join(format!("hand-{k}.toml")), hand).unwrap();
    }
    folder.run(seconds)
}

fn keeps_its_gain(what: &str, ticks: &[Tick], at_least_n: f64) {
    for arm in 0..ticks[0].arms.len() {
        let forces = ticks.iter().map(|tick| tick.arms[arm].length_n());
        let most_n = forces.fold(0.0, f64::max);
        assert!(most_n > at_least_n, "{what}, arm {arm}: {most_n} N");
        for tick in ticks {
            let now = &tick.arms[arm];
            assert!(now.gain == 1.0, "{what}, tick {}: {now:?}", tick.tick);
        }
    }
}

/// A hand at rest that another one reaches is pushed by a moving body.
#[test]
fn arms_that_press_each_other_keep_their_gains() {
    let arm = |k: u32| {
        format!(
            "[[arm]]\nname = \"arm-{k}\"\nkind = \"simulated\"\nintention = \"./hand-{k}.toml\"\n\
             tool = {{ kind = \"sphere\", radius_m = 0.005 }}\nmechanics = {{ {LIGHT} }}\n\
             hand = {{ {FIRM} }}\n"
        )
    };
    let text = arm(0) + &arm(1) + "[safety]\nramp_s = 0.1\n";
    for speed_m_s in [0.02, 0.1, 0.4] {
        let end_s = 0.5 + 0.027 / speed_m_s;
        let comes = format!(
            "kind = \"script\"\ntrack = [ {{ t_s = 0.0, position = [-0.03, 0.0, 0.0] }}, \
             {{ t_s = 0.5, position = [-0.03, 0.0, 0.0] }}, \
             {{ t_s = {end_s:?}, position = [-0.003, 0.0, 0.001] }} ]\n"
        );
        let rests = "kind = \"rest\"\nat = [0.003, 0.0, 0.0]\n".to_owned();
        let ticks = of_scene(&format!("two-{speed_m_s}"), &text, &[comes, rests], 3);
        keeps_its_gain(&format!("{speed_m_s} m/s"), &ticks, 0.5);
    }
}

/// A box of 20 mm on the arm, over a floor.
fn box_on_floor(friction: f64) -> String {
    format!(
        "[[arm]]\nname = \"arm-0\"\nkind = \"simulated\"\nintention = \"./hand-0.toml\"\n\
         tool = {{ kind = \"cuboid\", size_m = [0.02, 0.02, 0.02] }}\n\
         mechanics = {{ {LIGHT} }}\nhand = {{ {FIRM} }}\n[safety]\nramp_s = 0.1\n\
         [[body]]\nname = \"floor\"\nposition_m = [0.0, 0.0, -0.01]\nmaterial = \"stone\"\n\
         shape = {{ kind = \"cuboid\", size_m = [0.4, 0.4, 0.02] }}\n\
         [[material]]\nname = \"stone\"\nstiffness_n_per_m = 800.0\n\
         damping_n_s_per_m = 0.5\nfriction_coefficient = {friction:?}\n"
    )
}

/// A box that is turned while it is pressed on a floor, with friction.
#[test]
fn a_box_that_turns_on_a_floor_with_friction_keeps_its_gain() {
    let keys: String = (0..80)
        .map(|k| {
            let t = f64::from(k) * 0.05;
            let (a, b) = ((3.0 * t).sin(), (2.0 * t).cos());
            let depth_m = 0.002 * t.min(1.0);
            format!(
                "{{ t_s = {:?}, position = [{:?}, 0.0, {:?}], rotation = [{:?}, {:?}, {:?}] }}, ",
                0.5 + t,
                0.004 * a,
                0.016 - depth_m,
                0.6 + 0.2 * a,
                0.4 + 0.2 * b,
                0.4 * a * b
            )
        })
        .collect();
    let hand = format!(
        "kind = \"script\"\ntrack = [ {{ t_s = 0.0, position = [0.0, 0.0, 0.04] }}, {keys} ]\n"
    );
    for friction in [0.3, 0.8] {
        let ticks = of_scene(
            &format!("turns-{friction}"),
            &box_on_floor(friction),
            std::slice::from_ref(&hand),
            5,
        );
        keeps_its_gain(&format!("friction {friction}"), &ticks, 0.5);
    }
}

/// The floor stands still, so it gives at most what its contact yielded just before.
#[test]
fn a_box_that_rocks_slowly_with_friction_is_given_nothing() {
    let keys: String = (0..160)
        .map(|k| {
            let t = f64::from(k) * 0.05;
            format!(
                "{{ t_s = {:?}, position = [0.0, 0.0, 0.006], rotation = [0.0, {:?}, 0.0] }}, ",
                1.0 + t,
                0.3 * (0.8 * t).sin(),
            )
        })
        .collect();
    let hand = format!(
        "kind = \"script\"\ntrack = [ {{ t_s = 0.0, position = [0.0, 0.0, 0.015] }}, {keys} ]\n"
    );
    for friction in [0.3, 0.8] {
        let ticks = of_scene(
            &format!("rocks-{friction}"),
            &box_on_floor(friction),
            std::slice::from_ref(&hand),
            9,
        );
        keeps_its_gain(&format!("friction {friction}"), &ticks, 0.5);
        let (mut least_j, mut rise_j) = (0.0_f64, 0.0_f64);
        for tick in arm(&ticks) {
            least_j = least_j.min(tick.world_j);
            rise_j = rise_j.max(tick.world_j - least_j);
        }
        assert!(rise_j < 2e-4, "friction {friction}: {rise_j} J");
    }
}

/// A loop that is eight times as fast as its arm sends eight commands for one sample.
#[test]
fn a_loop_that_is_faster_than_its_arm_keeps_the_gain() {
    let tap =
        "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.025\nmove_s = 0.15\nhold_s = 0.2\n";
    for rate_hz in [1000, 4000, 8000] {
        let folder = Folder::new(&format!("rate-{rate_hz}"));
        scene(
            &folder,
            None,
            "stiffness_n_per_m = 2000.0, damping_n_s_per_m = 20.0",
            LIGHT,
            tap,
        );
        let path = folder.0.join("scene.toml");
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, format!("[loop]\nrate_hz = {rate_hz}\n{text}")).unwrap();
        keeps_its_gain(&format!("{rate_hz} Hz"), &folder.run(3), 1.0);
    }
}

/// The cause of a lowered gain is reported where a technician looks: in the log, and in the
/// recording's events.
#[test]
fn a_gain_that_is_lowered_has_a_line_in_the_log_and_in_the_recording() {
    let folder = Folder::new("gain-lowered");
    scene(&folder, Some(100_000.0), FIRM, LIGHT, &press(0.01));
    let words = "record scene.toml --virtual-time --duration 2 --output run.mcap --no-check";
    let words: Vec<_> = words.split(' ').collect();
    let output = folder.command(&words).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let recorded = recording::read(&folder.0.join("run.mcap")).unwrap();
    let lowest = recorded.ticks.iter().map(|tick| tick.arms[0].gain);
    let lowest = lowest.fold(1.0, f64::min);
    assert!(lowest < 0.9, "{lowest}");
    let log = String::from_utf8(output.stderr).unwrap();
    assert!(log.contains("gain lowered: force "), "{log}");
    let told = |line: &&String| line.contains("arm-0: gain lowered: force ");
    let events = recorded.events.iter().filter(told).count();
    assert!(events > 0, "{:?}", recorded.events);
}
