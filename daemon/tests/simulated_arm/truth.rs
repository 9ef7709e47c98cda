//! The true state of the handle in a recording.

use super::*;

fn vector(arm: &Arm, path: &str) -> [f64; 3] {
    ["/0", "/1", "/2"].map(|axis| arm.number(&format!("{path}{axis}")))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

/// A run of two seconds at 4 kHz, presses included.
fn run(folder: &Folder, arm: &str, mechanics: &str) -> Vec<Arm> {
    folder.write("hand.toml", HAND);
    let mechanics = format!("report_rate_hz = 4000, {mechanics}");
    folder.write("scene.toml", &scene(4000, arm, &mechanics));
    folder.run("2")
}

#[test]
fn the_truth_is_that_of_the_tick_and_samples_are_it_rounded() {
    let folder = Folder::new("rounded");
    let arms = run(&folder, "", "resolution_m = 1e-3, delay_us = 0");
    for arm in &arms {
        assert_eq!(arm.integer("/truth/time_ns"), arm.now_ns);
        let truth = vector(arm, "/truth/pose/position_m");
        let seen = vector(arm, "/input/sample/pose/position_m");
        for (truth, seen) in truth.iter().zip(seen) {
            assert_eq!((truth / 1e-3).round() * 1e-3, seen);
        }
    }
}

#[test]
fn samples_are_the_truth_late_by_the_way_in() {
    let folder = Folder::new("late");
    // Half of the delay is the input path: four ticks.
    let arms = run(&folder, "", "resolution_m = 0.0, delay_us = 2000");
    for pair in arms.windows(5) {
        let before = vector(&pair[0], "/truth/pose/position_m");
        assert_eq!(vector(&pair[4], "/input/sample/pose/position_m"), before);
    }
}

#[test]
fn velocity_is_the_change_of_the_true_place() {
    let folder = Folder::new("velocity");
    let arms = run(&folder, "", "resolution_m = 1e-3");
    let mut fastest = 0.0_f64;
    for pair in arms.windows(2) {
        let [a, b] = [0, 1].map(|i| vector(&pair[i], "/truth/pose/position_m"));
        let [v, w] = [0, 1].map(|i| vector(&pair[i], "/truth/linear_velocity"));
        for i in 0..3 {
            let mean = (b[i] - a[i]) * 4000.0;
            // Between the values at both ends of the tick, apart from the bend by a step of the
            // force.
            let bend = 0.02 + (v[i] - w[i]).abs();
            assert!(
                (mean - 0.5 * (v[i] + w[i])).abs() < bend,
                "{mean} {v:?} {w:?}"
            );
            fastest = fastest.max(v[i].abs());
        }
    }
    assert!(fastest > 0.02, "{fastest} m/s");
}

#[test]
fn motors_make_what_was_sent_in_the_tick_before() {
    let folder = Folder::new("motors");
    let arms = run(&folder, "", "delay_us = 0");
    let mut pressed = 0;
    for pair in arms.windows(2) {
        let sent = vector(&pair[0], "/output/sent/force_n");
        assert_eq!(vector(&pair[1], "/truth/motors/force_n"), sent);
        pressed += usize::from(dot(sent, sent) > 0.01);
    }
    assert!(pressed > 500, "{pressed} ticks under force");
}

#[test]
fn the_motors_work_is_the_sum_of_force_times_way() {
    let folder = Folder::new("work");
    let arms = run(&folder, "", "delay_us = 0");
    let (mut sum, mut most) = (0.0, 0.0_f64);
    for pair in arms.windows(2) {
        // Without delay a command is in force for exactly a tick.
        let force = vector(&pair[1], "/truth/motors/force_n");
        let [from, to] = [0, 1].map(|i| vector(&pair[i], "/truth/pose/position_m"));
        sum += dot(force, minus(to, from));
        let work = pair[1].number("/truth/motor_work/force_j");
        assert!((sum - work).abs() < 1e-12, "{sum} J, not {work} J");
        most = most.max(work.abs());
    }
    assert!(most > 1e-3, "{most} J");
}

#[test]
fn hand_motors_and_friction_balance_the_energy() {
    let folder = Folder::new("balance");
    let arms = run(
        &folder,
        "",
        "damping_n_s_per_m = 2.0, coulomb_friction_n = 0.1",
    );
    // The hand's mass moves with the handle's.
    let mass_kg = 0.15 + hapticd_devices::sim::HandParams::relaxed().mass_kg;
    let mut last = 0.0;
    for arm in &arms {
        let v = vector(arm, "/truth/linear_velocity");
        let given = ["hand", "motor"].map(|of| arm.number(&format!("/truth/{of}_work/force_j")));
        // Energy that is not motion went into friction, which only takes, apart from the rounding
        // of reversals.
        let lost = given[0] + given[1] - 0.5 * mass_kg * dot(v, v);
        assert!(lost >= last - 1e-8, "{lost} J after {last} J");
        last = lost;
    }
    assert!(last > 1e-3, "{last} J");
}

#[test]
fn a_recording_with_truth_replays_to_the_bit() {
    let folder = Folder::new("replay");
    run(&folder, "", "resolution_m = 2e-5");
    let output = folder.hapticd(&["replay", "run.mcap", "--verify"]);
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn in_real_time_the_truth_comes_with_the_sample_and_its_own_time() {
    let folder = Folder::new("real");
    folder.write("hand.toml", HAND);
    folder.write("scene.toml", &scene(1000, "", "report_rate_hz = 1000"));
    let output = folder.hapticd(&[
        "run",
        "scene.toml",
        "--duration",
        "1",
        "--record",
        "run.mcap",
        "--no-check",
    ]);
    assert!(output.status.success(), "{output:?}");
    let arms = read(&folder.path("run.mcap"));
    let mut with = 0;
    let mut last = (0, 0);
    for arm in &arms {
        let sequence = arm.integer("/input/sample/sequence");
        if sequence == 0 || arm.at("/input/attached") == &Value::Bool(false) {
            continue;
        }
        let time_ns = arm.integer("/truth/time_ns");
        // The report was made before the true state that came with it.
        assert!(time_ns >= arm.integer("/input/sample/time_ns"));
        assert!(
            sequence != last.0 || time_ns == last.1,
            "one truth a sample"
        );
        last = (sequence, time_ns);
        with += 1;
    }
    assert!(with > 100, "{with} ticks of {}", arms.len());
}
