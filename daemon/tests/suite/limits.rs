//! Limits at the border: the real daemon, its sockets, its configuration file, a hand that presses,
//! and the published force.

use crate::running;

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use hapticd_client::{
    ALL_ARMS, BodyKind, Client, ErrorCode, Limit, Limits, RequestError, Subscription, topic,
};
use hapticd_protocol::request;
use hapticd_recording::message::InputMessage;
use hapticd_recording::reader::{Event, Reader};
use running::{Daemon, PATIENCE};

/// A hand that presses on a floor with more than the default peak of 4 N, even where lateness has
/// made the arm soft, for as long as any test runs.
const HAND: &str =
    "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.12\nmove_s = 3.0\nhold_s = 3000.0\n";

/// `arms` arms, 0.2 m apart. Stalls, late samples and late answers of a busy machine are not tested
/// here.
fn configuration(arms: usize, peak_n: f64) -> String {
    let arm = |k: usize| {
        format!(
            "[[arm]]\nname = \"arm-{k}\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
             world_from_base = {{ position_m = [{}, 0.0, 0.0] }}\n\
             tool = {{ kind = \"sphere\", radius_m = 0.005 }}\n\
             mechanics = {{ mass_kg = 0.15, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.1, resolution_m = 2e-5, delay_us = 500 }}\n",
            0.2 * k as f64
        )
    };
    format!(
        "[safety]\npeak_force_n = {peak_n}\ncontinuous_force_n = {peak_n}\nramp_s = 0.05\nstall_ms = 100.0\nstale_input_ms = 200.0\nstale_contact_ms = 500.0\n\
         {}[[body]]\nname = \"floor\"\nposition_m = [0.0, 0.0, -0.03]\nshape = {{ kind = \"cuboid\", size_m = [1.0, 0.5, 0.02] }}\n",
        (0..arms).map(arm).collect::<String>()
    )
}

fn start(name: &str, arms: usize, args: &[&str]) -> Daemon {
    start_with(name, &configuration(arms, 4.0), args)
}

fn start_with(name: &str, configuration: &str, args: &[&str]) -> Daemon {
    let name = format!("limits-{name}");
    Daemon::run(&name, configuration, &[("hand.toml", HAND)], args)
}

fn force_n(arm: &Subscription) -> (u64, f64) {
    loop {
        // Torn reads, and missing ones before the first tick, are skipped.
        if let Ok(state) = arm.state() {
            let [x, y, z] = state.force_n;
            return (state.time_ns, (x * x + y * y + z * z).sqrt());
        }
        std::thread::yield_now();
    }
}

/// Waits until the hand presses with more than `least_n`.
fn presses(arm: &Subscription, least_n: f64) {
    let begun = Instant::now();
    while force_n(arm).1 <= least_n {
        assert!(
            begun.elapsed() < PATIENCE,
            "never more than {least_n} N: {:?}",
            arm.state()
        );
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Watches the force for `ms` of the loop's time from now on. Returns the largest value after the
/// slew limit has had its time to get from 4 N to zero: 1 N/ms, and a few ticks. The clock is the
/// loop's, so a busy machine makes this no harder.
fn largest_after_slew(arm: &Subscription, ms: u64) -> f64 {
    let (begin_ns, _) = force_n(arm);
    let mut largest: f64 = 0.0;
    loop {
        let (now_ns, force_n) = force_n(arm);
        let since_ns = now_ns - begin_ns;
        if since_ns > 10_000_000 {
            largest = largest.max(force_n);
        }
        if since_ns > ms * 1_000_000 {
            return largest;
        }
        std::thread::sleep(Duration::from_micros(300));
    }
}

fn peaks_n(client: &mut Client) -> Vec<f64> {
    let arms = client.arms().unwrap();
    arms.iter().map(|arm| arm.peak_force_n.0).collect()
}

fn verify(folder: &Path) {
    let out = Command::new(env!("CARGO_BIN_EXE_hapticd"))
        .args(["replay", "run.mcap", "--verify"])
        .current_dir(folder)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0), "{out:?}");
}

#[test]
fn done_means_in_force_step_by_step_and_the_recording_replays() {
    let mut daemon = start("series", 1, &["--record", "run.mcap"]);
    daemon.until("arm attached");
    let (mut app, mut technician) = (daemon.app(), daemon.client("technician.sock"));
    let arm = app.subscribe(0, topic::STATE).unwrap();
    for round in 0..3 {
        presses(&arm, 3.4);
        for peak_n in [3.0, 2.0, 1.0, 0.5, 0.0] {
            // Another client each time; its limits stay when it disconnects.
            let mut other = daemon.app();
            other.tighten_force(0, peak_n, f64::INFINITY).unwrap();
            assert_eq!(peaks_n(&mut other), [peak_n]);
            drop(other);
            let largest = largest_after_slew(&arm, 60);
            assert!(
                largest <= peak_n + 1e-9,
                "round {round}: {largest} N at {peak_n} N"
            );
        }
        // A looser limit changes nothing, and nothing is released without a request: gains are
        // measured again each second.
        app.tighten_force(ALL_ARMS, 3.5, f64::INFINITY).unwrap();
        let largest = largest_after_slew(&arm, if round == 0 { 2500 } else { 20 });
        assert_eq!(largest, 0.0);
        let why = app.request(request::ReleaseLimits { arm: 0 }).unwrap_err();
        assert!(
            matches!(&why, RequestError::Refused(e) if e.code == ErrorCode::TechnicianOnly),
            "{why}"
        );
        assert_eq!(peaks_n(&mut app), [0.0]);
        technician.clear_fault(0).unwrap();
        technician.release_limits(0).unwrap();
        assert_eq!(peaks_n(&mut app), [4.0]);
    }
    presses(&arm, 3.4);
    let folder = daemon.folder.clone();
    daemon.ask_to_end();
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    verify(&folder);
}

#[test]
fn a_reload_that_tightens_is_in_force_when_it_is_told() {
    let mut daemon = start("reload", 1, &[]);
    daemon.until("arm attached");
    let (mut app, mut technician) = (daemon.app(), daemon.client("technician.sock"));
    let arm = app.subscribe(0, topic::STATE).unwrap();
    presses(&arm, 3.4);
    let file = daemon.folder.join("rig.toml");
    // By request: in force when it is answered.
    std::fs::write(&file, configuration(1, 2.0)).unwrap();
    technician.reload().unwrap();
    let largest = largest_after_slew(&arm, 200);
    assert!(largest <= 2.0 + 1e-9, "{largest} N after the answer");
    assert_eq!(peaks_n(&mut app), [2.0]);
    // By the file alone: in force when the log says so.
    std::fs::write(&file, configuration(1, 1.0)).unwrap();
    daemon.until("peak_force_n = 1 (was 2)");
    let largest = largest_after_slew(&arm, 200);
    assert!(largest <= 1.0 + 1e-9, "{largest} N after the reload");
    assert_eq!(peaks_n(&mut app), [1.0]);
    // Releasing what clients tightened returns to the configuration as reloaded.
    app.tighten_force(0, 0.5, f64::INFINITY).unwrap();
    assert_eq!(peaks_n(&mut app), [0.5]);
    technician.release_limits(ALL_ARMS).unwrap();
    assert_eq!(peaks_n(&mut app), [1.0]);
    presses(&arm, 0.8);
    let largest = largest_after_slew(&arm, 200);
    assert!(largest <= 1.0 + 1e-9, "{largest} N after the release");
    daemon.end();
}

/// Returns the ticks of a recording: the loop's time, s, the force of the first arm, N, and its
/// input.
fn recorded(folder: &Path) -> Vec<(f64, f64, InputMessage)> {
    let mut reader = Reader::open(&folder.join("run.mcap")).unwrap();
    let mut ticks = Vec::new();
    while let Some(event) = reader.event().unwrap() {
        if let Event::Tick(tick) = event {
            let arm = &tick.arms[0];
            let force_n = arm
                .output
                .sent
                .force_n
                .iter()
                .map(|f| f.0 * f.0)
                .sum::<f64>();
            ticks.push((tick.now_ns as f64 * 1e-9, force_n.sqrt(), arm.input.clone()));
        }
    }
    ticks
}

/// The client is an application that hangs: the technician decides how long its force may stay.
#[test]
fn no_client_may_be_silent_for_longer_than_the_configuration_allows() {
    let mut daemon = start("lease", 1, &[]);
    daemon.until("arm attached");
    let mut app = daemon.app();
    let spec = hapticd_chaos::clients::spec("block", BodyKind::Kinematic, [5.0, 0.0, 0.0]);
    let mesh = hapticd_chaos::clients::cuboid([0.02; 3], 1);
    let body = app.add_body(&spec, &mesh).unwrap();
    let mut ask = |lease_ms| app.set_body_pose(body, spec.world_from_body, 0.1, lease_ms);
    ask(1000).unwrap();
    let why = ask(1001).unwrap_err().to_string();
    assert!(why.contains("lease_ms is 1001, at most 1000"), "{why}");
    daemon.end();
}

#[test]
fn applications_cannot_keep_a_technician_out() {
    let text = format!("[ipc]\nmax_clients = 2\n{}", configuration(1, 4.0));
    let mut daemon = start_with("places", &text, &[]);
    daemon.until("arm attached");
    let apps = [daemon.app(), daemon.app()];
    let socket = daemon.folder.join("hapticd/app.sock");
    let third = Client::connect_to(&socket, "third").map(|_| ());
    let why = third.unwrap_err().to_string();
    assert!(why.contains("all 2 places for clients are taken"), "{why}");
    daemon
        .client("technician.sock")
        .release_limits(ALL_ARMS)
        .unwrap();
    drop(apps);
    daemon.end();
}

/// With such a configuration SIGTERM would end the process while the arm still pushes.
#[test]
fn a_reload_with_which_force_would_not_fade_is_refused() {
    let mut daemon = start("slow", 1, &[]);
    daemon.until("arm attached");
    let (mut app, mut technician) = (daemon.app(), daemon.client("technician.sock"));
    let arm = app.subscribe(0, topic::STATE).unwrap();
    presses(&arm, 3.4);
    let slow = configuration(1, 4.0).replace("[safety]\n", "[safety]\nslew_n_per_ms = 0.001\n");
    std::fs::write(daemon.folder.join("rig.toml"), slow).unwrap();
    let why = technician.reload().unwrap_err().to_string();
    assert!(
        why.contains("`slew_n_per_ms` is 0.001 N/ms, must be"),
        "{why}"
    );
    daemon.until("configuration not reloaded, the old one stays: ");
    // The old configuration stays: force is gone in time.
    daemon.ask_to_end();
    let begun = Instant::now();
    while force_n(&arm).1 > 0.0 {
        assert!(begun.elapsed() < PATIENCE, "force stays: {:?}", arm.state());
        std::thread::sleep(Duration::from_micros(300));
    }
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
}

#[test]
fn what_is_undone_and_what_is_reloaded_raises_force_by_the_ramp_only() {
    // 4 N in 2 s; the slew limit would be 1000 N/s.
    let slope_n_per_s = 4.0 / 2.0;
    let text = |stiffness: f64| {
        let text = configuration(1, 4.0).replace("ramp_s = 0.05", "ramp_s = 2.0");
        let text = text.replace(
            "name = \"floor\"\n",
            "name = \"floor\"\nmaterial = \"skin\"\n",
        );
        format!("{text}[[material]]\nname = \"skin\"\nstiffness_n_per_m = {stiffness:?}\n")
    };
    let mut daemon = start_with("ramps", &text(15.0), &["--record", "run.mcap"]);
    daemon.until("arm attached");
    let (mut app, mut technician) = (daemon.app(), daemon.client("technician.sock"));
    let arm = app.subscribe(0, topic::STATE).unwrap();
    presses(&arm, 0.8);
    app.tighten_force(0, 0.5, f64::INFINITY).unwrap();
    largest_after_slew(&arm, 20);
    technician.release_limits(0).unwrap();
    presses(&arm, 0.8);
    largest_after_slew(&arm, 1500);
    let before_n = force_n(&arm).1;
    std::fs::write(daemon.folder.join("rig.toml"), text(400.0)).unwrap();
    technician.reload().unwrap();
    // A spring that stiffens under load keeps its stored energy, so force rises by the square root.
    presses(&arm, 2.0);
    let folder = daemon.folder.clone();
    daemon.ask_to_end();
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    let ticks = recorded(&folder);
    let follows = |what: &str, from: usize, until_n: f64| {
        let (begin_s, begin_n, _) = ticks[from - 1];
        let end = (from..ticks.len()).find(|k| ticks[*k].1 > until_n);
        let end = end.unwrap_or_else(|| panic!("{what}: it does not come to {until_n} N"));
        for (now_s, n, _) in &ticks[from..=end] {
            let bound_n = begin_n + slope_n_per_s * (now_s - begin_s) + 1e-9;
            assert!(*n <= bound_n, "{what}: {n} N where {bound_n} N are due");
        }
    };
    let peak_n = |k: &usize| ticks[*k].2.limits.as_ref().map(|l| l.peak_force_n.0);
    let low = (0..ticks.len()).find(|k| peak_n(k) == Some(0.5)).unwrap();
    let released = (low..ticks.len()).find(|k| peak_n(k) == Some(4.0)).unwrap();
    follows("the undo", released, 0.8);
    let reloaded = ticks.iter().position(|(_, _, input)| input.eased).unwrap();
    assert!(
        (ticks[reloaded - 1].1 - before_n).abs() < 0.3,
        "it pressed on a soft floor"
    );
    follows("the reload", reloaded, 2.0);
    verify(&folder);
}

#[test]
fn an_arm_is_tightened_alone_and_what_cannot_be_kept_is_refused() {
    let mut daemon = start("arms", 2, &[]);
    daemon.until("arm attached");
    let (mut app, mut technician) = (daemon.app(), daemon.client("technician.sock"));
    let arms = [0, 1].map(|arm| app.subscribe(arm, topic::STATE).unwrap());
    for arm in &arms {
        presses(arm, 3.4);
    }
    app.tighten_force(0, 1.0, f64::INFINITY).unwrap();
    assert_eq!(peaks_n(&mut app), [1.0, 4.0]);
    assert!(largest_after_slew(&arms[0], 60) <= 1.0 + 1e-9);
    presses(&arms[1], 3.4);
    technician.release_limits(1).unwrap();
    assert_eq!(peaks_n(&mut app), [1.0, 4.0]);
    technician.release_limits(0).unwrap();
    presses(&arms[0], 3.4);
    let cold = request::TightenLimits {
        peak_force_n: Limit::NONE,
        continuous_force_n: Limit(0.01),
        peak_torque_nm: Limit::NONE,
        continuous_torque_nm: Limit::NONE,
        slew_n_per_s: Limit::NONE,
        slew_nm_per_s: Limit::NONE,
        velocity_m_s: Limit::NONE,
        angular_velocity_rad_s: Limit::NONE,
        arm: ALL_ARMS,
    };
    let frozen = request::TightenLimits {
        continuous_force_n: Limit::NONE,
        slew_n_per_s: Limit(0.0),
        ..cold.clone()
    };
    for (wish, says) in [
        (cold, "continuous_force_n is 0.01 N"),
        (frozen, "slew_n_per_s is 0 N/s"),
    ] {
        let why = app.request(wish).unwrap_err();
        let RequestError::Refused(error) = &why else {
            panic!("{why}");
        };
        assert_eq!(error.code, ErrorCode::LimitsRefused);
        assert!(why.to_string().contains(says), "{why}");
    }
    let in_force = app.arms().unwrap();
    assert!(in_force.iter().all(|arm| arm.continuous_force_n.0 == 4.0));
    daemon.end();
}

/// Names of the eight limits, in the order of the request that tightens them.
const EIGHT: [&str; 8] = [
    "peak_force_n",
    "continuous_force_n",
    "peak_torque_nm",
    "continuous_torque_nm",
    "slew_n_per_s",
    "slew_nm_per_s",
    "velocity_m_s",
    "angular_velocity_rad_s",
];

/// By their names, so that swapped limits are noticed.
fn tightening(arm: u8, limits: [f64; 8]) -> request::TightenLimits {
    let of = |name| Limit(limits[EIGHT.iter().position(|n| *n == name).unwrap()]);
    request::TightenLimits {
        peak_force_n: of("peak_force_n"),
        continuous_force_n: of("continuous_force_n"),
        peak_torque_nm: of("peak_torque_nm"),
        continuous_torque_nm: of("continuous_torque_nm"),
        slew_n_per_s: of("slew_n_per_s"),
        slew_nm_per_s: of("slew_nm_per_s"),
        velocity_m_s: of("velocity_m_s"),
        angular_velocity_rad_s: of("angular_velocity_rad_s"),
        arm,
    }
}

/// Returns the limits in force on an arm, in the order of [`EIGHT`]. The list of arms gives the
/// same for three of them.
fn eight(client: &mut Client, arm: u8) -> [f64; 8] {
    let limits: Limits = client.limits(arm).unwrap();
    assert_eq!(limits.arm, arm);
    let listed = &client.arms().unwrap()[usize::from(arm)];
    assert_eq!(listed.peak_force_n, limits.peak_force_n);
    assert_eq!(listed.continuous_force_n, limits.continuous_force_n);
    assert_eq!(listed.peak_torque_nm, limits.peak_torque_nm);
    [
        limits.peak_force_n.0,
        limits.continuous_force_n.0,
        limits.peak_torque_nm.0,
        limits.continuous_torque_nm.0,
        limits.slew_n_per_s.0,
        limits.slew_nm_per_s.0,
        limits.velocity_m_s.0,
        limits.angular_velocity_rad_s.0,
    ]
}

/// No two limits are the same number, before or after.
#[test]
fn an_application_sees_all_eight_limits_that_are_in_force() {
    let configured = [4.0, 3.0, 0.2, 0.1, 900.0, 40.0, 1.25, 15.0];
    let tightened = [3.5, 2.5, 0.15, 0.05, 800.0, 30.0, 0.75, 10.0];
    let text = |peak_n: f64| {
        let all = format!(
            "[safety]\npeak_force_n = {peak_n}\ncontinuous_force_n = 3.0\n\
             peak_torque_nm = 0.2\ncontinuous_torque_nm = 0.1\n\
             slew_n_per_ms = 0.9\nslew_nm_per_ms = 0.04\n\
             velocity_limit_m_s = 1.25\nangular_velocity_limit_rad_s = 15.0\n"
        );
        let text = configuration(2, 4.0);
        let (_, rest) = text.split_once("ramp_s").unwrap();
        format!("{all}ramp_s{rest}")
    };
    let mut daemon = start_with("eight", &text(4.0), &[]);
    daemon.until("arm attached");
    let (mut app, mut technician) = (daemon.app(), daemon.client("technician.sock"));
    assert_eq!(eight(&mut app, 0), configured);

    let mut expected = configured;
    for (index, name) in EIGHT.iter().enumerate() {
        // One limit at a time, by another client each time; the limits stay when it disconnects.
        let mut wish = [f64::INFINITY; 8];
        wish[index] = tightened[index];
        expected[index] = tightened[index];
        daemon.app().request(tightening(0, wish)).unwrap();
        assert_eq!(eight(&mut app, 0), expected, "{name} was tightened");
    }
    assert_eq!(eight(&mut technician, 0), tightened);
    assert_eq!(eight(&mut app, 1), configured, "the other arm");

    // A second client that requests looser limits changes nothing, even for all arms.
    let mut other = daemon.app();
    for wish in [configured, configured.map(|limit| 2.0 * limit)] {
        for arm in [0, ALL_ARMS] {
            other.request(tightening(arm, wish)).unwrap();
            assert_eq!(eight(&mut other, 0), tightened);
            assert_eq!(eight(&mut app, 1), configured);
        }
    }
    // A refused request changes nothing either.
    let mut cold = [f64::INFINITY; 8];
    (cold[1], cold[6]) = (0.01, 0.5);
    other.request(tightening(0, cold)).unwrap_err();
    assert_eq!(eight(&mut app, 0), tightened);

    for (arm, says) in [
        (2, "there is no arm 2; there are 2"),
        (ALL_ARMS, "ask for the limits of one arm at a time"),
    ] {
        let why = app.limits(arm).unwrap_err();
        assert!(
            matches!(&why, RequestError::Refused(e) if e.code == ErrorCode::NoSuchArm),
            "{why}"
        );
        assert!(why.to_string().contains(says), "{why}");
    }

    technician.release_limits(0).unwrap();
    assert_eq!(eight(&mut app, 0), configured);
    // A reload that tightens is seen as well, on both arms.
    std::fs::write(daemon.folder.join("rig.toml"), text(3.25)).unwrap();
    technician.reload().unwrap();
    for arm in [0, 1] {
        let mut reloaded = configured;
        reloaded[0] = 3.25;
        assert_eq!(eight(&mut app, arm), reloaded);
    }
    daemon.end();
}
