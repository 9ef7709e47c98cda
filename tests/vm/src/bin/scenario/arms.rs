//! `hapticd` and arms that the kernel treats as real: actions of a user on arms, judged by what the
//! arms receive.
//!
//! Every arm's hand swings between 8 mm above its base and 70 mm inside the plate there, whatever
//! the force. That deep in the plate every arm wants more force than the configured peak and gets
//! exactly the peak: forces here do not depend on the stiffness that the daemon chooses on this
//! slow machine. All waits are guards, far longer than needed; the criteria are counts, forces and
//! their order.

use std::fs;
use std::time::Duration;

use hapticd_devices::profile::generic::{INPUT_REPORT_ID, OUTPUT_REPORT_ID};
use hapticd_devices::profile::shipped;
use hapticd_vmrig::arm::{Arm, ForceAt};
use hapticd_vmrig::gadget::GadgetPort;
use hapticd_vmrig::host::wait_for;
use hapticd_vmrig::path::Path;
use hapticd_vmrig::port::{Identity, Port};
use hapticd_vmrig::uhid::UhidPort;
use hapticd_vmrig::wire::{
    Direction, Sample, UNKNOWN_REPORT_ID, descriptor, understated_descriptor,
};
use serde_json::Value;

use crate::daemon::{ArmConfig, Daemon, LIMIT, PEAK_N, PROFILE, config, config_over, devices};

const ABOVE_M: [f64; 3] = [0.0, 0.0, 0.008];
const INSIDE_M: [f64; 3] = [0.0, 0.0, -0.07];
const SWING_S: f64 = 0.6;
/// Duration of the force's ramp after a fault, where it is under test and where it is not.
const RAMP_S: f64 = 1.5;
const SHORT_S: f64 = 0.5;
/// A force that only contact can cause.
const CONTACT_N: f64 = 0.1 * PEAK_N;
/// Half a step of the wire's 1 mN on each of three axes, and a small margin.
const ROUNDING_N: f64 = 0.0009;

fn uhid(port: &str) -> Result<Arm, String> {
    start(Box::new(
        UhidPort::open(port).map_err(|error| format!("/dev/uhid: {error}"))?,
    ))
}

fn gadget(slot: u32) -> Result<Arm, String> {
    start(Box::new(
        GadgetPort::new(slot).map_err(|error| error.to_string())?,
    ))
}

fn start(port: Box<dyn Port>) -> Result<Arm, String> {
    Arm::start(port, Path::swing(ABOVE_M, INSIDE_M, SWING_S)).map_err(|error| error.to_string())
}

fn plug(arm: &Arm, identity: &Identity) -> Result<(), String> {
    arm.plug(identity).map_err(|error| error.to_string())
}

fn one(name: &'static str, serial: &str, x_m: f64) -> ArmConfig {
    ArmConfig {
        name,
        keys: format!("{PROFILE}serial = \"{serial}\""),
        x_m,
    }
}

/// Returns the magnitude of the strongest of these forces, N.
fn strongest(forces: &[ForceAt]) -> f64 {
    forces
        .iter()
        .map(|at| at.force.norm_n())
        .fold(0.0, f64::max)
}

/// Waits until the arm, from force number `from` on, has felt the plate in three swings, and
/// returns those forces.
fn until_contact(
    daemon: &mut Daemon,
    arm: &Arm,
    from: usize,
    what: &str,
) -> Result<Vec<ForceAt>, String> {
    daemon.until(&format!("{what} feels the plate"), |_| {
        let forces = arm.forces_from(from);
        (peaks(&forces).len() >= 3).then_some(forces)
    })
}

/// Returns the strongest push of each touch that has ended, oldest first.
///
/// A push points upwards, out of the ground, though not straight up on a slope. The coupling's
/// damper holds back a hand that leaves fast for a few ticks; that ends its touch and does not
/// start another one.
fn peaks(forces: &[ForceAt]) -> Vec<f64> {
    let mut peaks = Vec::new();
    let mut peak: f64 = 0.0;
    for at in forces {
        if at.force.newtons[2] > CONTACT_N {
            peak = peak.max(at.force.norm_n());
        } else if peak > 0.0 {
            peaks.push(peak);
            peak = 0.0;
        }
    }
    peaks
}

/// Waits until the arm gets the whole permitted force in two consecutive swings: the ramp after a
/// start is over.
fn full_force(daemon: &mut Daemon, arm: &Arm) -> Result<(), String> {
    let from = arm.forces_from(0).len();
    daemon.until("the arm to feel the plate in full", |_| {
        match peaks(&arm.forces_from(from))[..] {
            // The first touch may have begun earlier.
            [_, .., a, b] if a.min(b) > PEAK_N - ROUNDING_N => Some(()),
            _ => None,
        }
    })
}

/// Returns what the daemon's report says of this arm.
fn reported<'a>(report: &'a Value, name: &str) -> Result<&'a Value, String> {
    let arms = report["arms"].as_array().into_iter().flatten();
    arms.into_iter()
        .find(|arm| arm["name"] == name)
        .ok_or_else(|| format!("no arm {name} in {report}"))
}

/// Checks in the report that force was off for this reason.
fn was_off(report: &Value, name: &str, reason: &str) -> Result<(), String> {
    let reasons = &reported(report, name)?["force_off"];
    let found = reasons.as_array().into_iter().flatten().any(|given| {
        given
            .as_str()
            .is_some_and(|given| given.starts_with(reason))
    });
    found
        .then_some(())
        .ok_or_else(|| format!("force of {name} was never off for `{reason}`, but for {reasons}"))
}

/// Checks that no force exceeds the limit or points sideways, and that forces of contact point out
/// of the plate. Only a tool that waits for a late answer of the collision thread is held back the
/// other way.
fn check_forces(forces: &[ForceAt]) -> Result<(), String> {
    let (mut out, mut back) = (0, 0);
    for at in forces {
        let [x, y, z] = at.force.newtons;
        if x.hypot(y) > 0.1 * PEAK_N || at.force.norm_n() > PEAK_N + ROUNDING_N {
            return Err(format!("a force that the plate cannot have made: {at:?}"));
        }
        out += usize::from(z > CONTACT_N);
        back += usize::from(z < -CONTACT_N);
    }
    if 10 * back > out {
        return Err(format!("{out} forces out of the plate and {back} into it"));
    }
    Ok(())
}

/// Both kinds of arm are listed, with their serial numbers and the profile that drives them.
pub fn enumeration() -> Result<String, String> {
    let (left, right) = (uhid("rig/uhid/0")?, gadget(0)?);
    plug(&left, &Identity::generic("ENUM-UHID"))?;
    plug(&right, &Identity::generic("ENUM-USB"))?;
    let identities = wait_for("both arms in `hapticd devices --json`", LIMIT, || {
        let devices = devices().ok()?;
        let arms = devices["arms"]
            .as_array()?
            .iter()
            .filter(|arm| arm["profile"] == "generic-vendor-3dof");
        let identities: Vec<String> = arms
            .filter_map(|arm| arm["identity"].as_str().map(str::to_owned))
            .collect();
        (identities == ["1209:caf3/serial/ENUM-UHID", "1209:caf3/serial/ENUM-USB"])
            .then_some(identities)
    })?;
    Ok(identities.join(", "))
}

/// Samples in, forces out, through the kernel's own HID stack; at SIGTERM the last force is zero.
pub fn contact() -> Result<String, String> {
    let arm = uhid("rig/uhid/0")?;
    plug(&arm, &Identity::generic("CONTACT"))?;
    let mut daemon = Daemon::start("contact", &config(&[one("right", "CONTACT", 0.0)], SHORT_S))?;
    daemon.until("1000 forces after 1000 samples", |_| {
        let counters = arm.counters();
        (counters.sent >= 1000 && counters.outputs >= 1000).then_some(())
    })?;
    until_contact(&mut daemon, &arm, 0, "the arm")?;
    let report = daemon.stop()?;
    let forces = arm.forces_from(0);
    check_forces(&forces)?;
    let last = forces.last().ok_or("no force")?;
    if last.force.newtons != [0.0; 3] {
        return Err(format!("the last force before the end was {last:?}"));
    }
    let counters = arm.counters();
    if counters.malformed > 0 {
        return Err(format!("malformed force reports: {counters:?}"));
    }
    let of = |key: &str| report["arms"][0][key].as_f64().unwrap_or(f64::NAN);
    // A value that is not a number fails these as well.
    if !(of("samples") >= 1000.0) || report["max_penetration_m"] != 0.0 || of("crossings") != 0.0 {
        return Err(format!("the daemon's report says otherwise: {report}"));
    }
    Ok(format!(
        "{} samples sent, {} taken; {} forces received, up to {:.2} N; penetration 0 over {} ticks; zero at the end",
        counters.sent,
        of("samples"),
        forces.len(),
        strongest(&forces),
        of("checked_ticks")
    ))
}

/// The mesh scene on a real arm: hills of 10,082 triangles from a file. The arm feels them
/// repeatedly and never enters them.
pub fn mesh() -> Result<String, String> {
    const CELLS: usize = 71;
    const HALF_M: f64 = 0.06;
    let mut hills = String::new();
    for j in 0..=CELLS {
        for i in 0..=CELLS {
            let at = |k: usize| HALF_M * (2.0 * k as f64 / CELLS as f64 - 1.0);
            let (x, y) = (at(i), at(j));
            let z = 0.002 * ((90.0 * x).sin() * (70.0 * y).cos() - 1.0);
            hills += &format!("v {x:.6} {y:.6} {z:.6}\n");
        }
    }
    for j in 0..CELLS {
        for i in 0..CELLS {
            let v = j * (CELLS + 1) + i + 1;
            let (right, up) = (v + 1, v + CELLS + 1);
            hills += &format!("f {v} {right} {}\nf {v} {} {up}\n", up + 1, up + 1);
        }
    }
    fs::write("/tmp/hills.obj", hills).map_err(|error| error.to_string())?;
    let arm = uhid("rig/uhid/0")?;
    plug(&arm, &Identity::generic("MESH"))?;
    let ground = "shape = { kind = \"mesh\", file = \"/tmp/hills.obj\" }\nsolid = false\n";
    let arms = [one("right", "MESH", 0.0)];
    // A sheet has two sides, and an arm that is attached below it stays there.
    arm.set_path(Path::rest(ABOVE_M));
    let mut daemon = Daemon::start("mesh", &config_over(ground, &arms, SHORT_S))?;
    daemon.until("300 commands above the hills", |_| {
        (arm.forces_from(0).len() >= 300).then_some(())
    })?;
    arm.set_path(Path::swing(ABOVE_M, INSIDE_M, SWING_S));
    until_contact(&mut daemon, &arm, 0, "the arm")?;
    full_force(&mut daemon, &arm)?;
    let report = daemon.stop()?;
    let forces = arm.forces_from(0);
    let of = |key: &str| report["arms"][0][key].as_f64().unwrap_or(f64::NAN);
    // A value that is not a number fails these as well.
    if strongest(&forces) > PEAK_N + ROUNDING_N
        || report["max_penetration_m"] != 0.0
        || of("crossings") != 0.0
        || !(of("checked_ticks") > 0.0)
    {
        return Err(format!(
            "{:.4} N at most; the daemon's report: {report}",
            strongest(&forces)
        ));
    }
    Ok(format!(
        "{} forces of a mesh of {} triangles, up to {:.2} N; penetration 0 over {} ticks; a tick's work {:.0} us at p50, \
         {:.0} at p99, {:.0} at most",
        forces.len(),
        2 * CELLS * CELLS,
        strongest(&forces),
        of("checked_ticks"),
        report["compute_us"]["p50"].as_f64().unwrap_or(f64::NAN),
        report["compute_us"]["p99"].as_f64().unwrap_or(f64::NAN),
        report["compute_us"]["max"].as_f64().unwrap_or(f64::NAN)
    ))
}

/// Unplugged in contact: the arm is lost, and its neighbour feels nothing of it. Plugged in again:
/// zero, then a ramp.
pub fn replug() -> Result<String, String> {
    let (arm, witness) = (gadget(0)?, uhid("rig/uhid/0")?);
    plug(&arm, &Identity::generic("REPLUG"))?;
    plug(&witness, &Identity::generic("WITNESS"))?;
    let arms = [one("right", "REPLUG", 0.0), one("left", "WITNESS", 0.3)];
    let mut daemon = Daemon::start("replug", &config(&arms, RAMP_S))?;
    until_contact(&mut daemon, &arm, 0, "the arm")?;
    until_contact(&mut daemon, &witness, 0, "the other arm")?;
    full_force(&mut daemon, &arm)?;

    arm.unplug().map_err(|error| error.to_string())?;
    daemon.until_logged(0, "right", "arm lost")?;
    let before = witness.forces_from(0).len();
    until_contact(
        &mut daemon,
        &witness,
        before,
        "the other arm, with its neighbour unplugged,",
    )?;

    // Another arm of the same make is not this arm.
    let from = arm.forces_from(0).len();
    plug(&arm, &Identity::generic("STRANGER"))?;
    let seen = witness.forces_from(0).len();
    until_contact(
        &mut daemon,
        &witness,
        seen,
        "the other arm, with a stranger plugged in,",
    )?;
    if arm
        .forces_from(from)
        .iter()
        .any(|at| at.force.norm_n() > 0.0)
    {
        return Err(daemon.explain("an arm with another serial number was given force"));
    }
    arm.unplug().map_err(|error| error.to_string())?;

    // Back: force is not at its full value before the ramp is over. A slow machine can only make it
    // longer.
    let (from, said) = (arm.forces_from(0).len(), daemon.output().len());
    plug(&arm, &Identity::generic("REPLUG"))?;
    daemon.until_logged(said, "right", "arm attached")?;
    full_force(&mut daemon, &arm)?;
    let forces = arm.forces_from(from);
    check_forces(&forces)?;
    let whole = forces
        .iter()
        .find(|at| at.force.norm_n() > PEAK_N - ROUNDING_N);
    let ramp_s = forces
        .first()
        .zip(whole)
        .map_or(0.0, |(first, whole)| whole.at_s - first.at_s);
    if ramp_s < 0.5 * RAMP_S || forces[0].force.newtons != [0.0; 3] {
        return Err(daemon.explain(&format!(
            "began with {:?}, all force was back after {ramp_s:.2} s",
            forces[0]
        )));
    }

    // Back with the hand inside the plate: no force before it has left.
    arm.unplug().map_err(|error| error.to_string())?;
    daemon.until_logged(said, "right", "arm lost")?;
    let (from, said) = (arm.forces_from(0).len(), daemon.output().len());
    arm.set_path(Path::rest(INSIDE_M));
    plug(&arm, &Identity::generic("REPLUG"))?;
    daemon.until_logged(said, "right", "arm attached")?;
    daemon.until("300 commands", |_| {
        (arm.forces_from(from).len() >= 300).then_some(())
    })?;
    let inside = strongest(&arm.forces_from(from));
    if inside > 0.0 {
        return Err(daemon.explain(&format!(
            "{inside:.2} N on a hand that came back inside the plate"
        )));
    }
    arm.set_path(Path::swing(INSIDE_M, ABOVE_M, SWING_S));
    full_force(&mut daemon, &arm)?;
    was_off(&daemon.stop()?, "right", "device lost")?;
    Ok(format!(
        "lost; a stranger refused; back: zero, all force after {ramp_s:.1} s; back inside the plate: zero until out"
    ))
}

/// An arm whose firmware hangs (writes to it block five seconds each) costs the other arm nothing.
pub fn hung() -> Result<String, String> {
    let (arm, witness) = (gadget(0)?, uhid("rig/uhid/0")?);
    plug(&arm, &Identity::generic("HUNG"))?;
    plug(&witness, &Identity::generic("HEALTHY"))?;
    let arms = [one("right", "HUNG", 0.0), one("left", "HEALTHY", 0.3)];
    let mut daemon = Daemon::start("hung", &config(&arms, SHORT_S))?;
    full_force(&mut daemon, &arm)?;
    full_force(&mut daemon, &witness)?;
    let said = daemon.output().len();
    arm.set_streaming(false);
    arm.set_draining(false);
    let (taken, start, from) = (
        arm.counters().outputs,
        witness.now_s(),
        witness.forces_from(0).len(),
    );
    daemon.until_logged(said, "right", "refuses its commands")?;
    // Also while the next write hangs.
    let again = witness.forces_from(0).len();
    until_contact(
        &mut daemon,
        &witness,
        again,
        "the other arm, with its neighbour hung,",
    )?;
    let (hung_s, forces) = (witness.now_s() - start, witness.forces_from(from));
    check_forces(&forces)?;
    // A write to the hung arm blocks for five seconds; if the other arm shared its fate, it would
    // wait as long.
    let gap = forces
        .windows(2)
        .map(|pair| pair[1].at_s - pair[0].at_s)
        .fold(0.0, f64::max);
    if gap > 4.0 || arm.counters().outputs > taken + 1 {
        return Err(daemon.explain(&format!(
            "longest gap {gap:.2} s; the hung arm took {:?}",
            arm.counters()
        )));
    }

    // The firmware recovers, and so does its force.
    arm.set_draining(true);
    arm.set_streaming(true);
    daemon.until_logged(said, "right", "accepts commands again")?;
    full_force(&mut daemon, &arm)?;
    let report = daemon.stop()?;
    was_off(&report, "right", "device sample too old")?;
    let (hung, healthy) = (reported(&report, "right")?, reported(&report, "left")?);
    if hung["failed_writes"].as_u64().unwrap_or(0) == 0 || healthy["failed_writes"] != 0 {
        return Err(format!(
            "the hung arm's writes did not fail, or the other's did: {report}"
        ));
    }
    Ok(format!(
        "in {hung_s:.0} s of hang (longest write {} ms) the other arm got {} forces, longest gap {:.0} ms; the hung arm came back",
        hung["longest_write_ms"],
        forces.len(),
        1e3 * gap
    ))
}

/// An arm whose own description of its reports contradicts its profile is not used, and the daemon
/// says why.
pub fn misfit() -> Result<String, String> {
    let arm = uhid("rig/uhid/0")?;
    let mut identity = Identity::generic("MISFIT");
    identity.descriptor = understated_descriptor();
    plug(&arm, &identity)?;
    let mut daemon = Daemon::start("misfit", &config(&[one("right", "MISFIT", 0.0)], SHORT_S))?;
    let why =
        "the profile's Input report 0x01 of 20 bytes does not fit the device, which has 2 bytes";
    daemon.until_logged(0, "right", why)?;
    arm.unplug().map_err(|error| error.to_string())?;
    let said = daemon.output().len();
    plug(&arm, &Identity::generic("MISFIT"))?;
    daemon.until_logged(said, "right", "arm attached")?;
    if arm.forces_from(0).iter().any(|at| at.plugged == 1) {
        return Err(daemon.explain("an arm that does not fit was sent a force"));
    }
    full_force(&mut daemon, &arm)?;
    daemon.stop()?;
    Ok(format!("refused ({why}) until it told the truth"))
}

/// Reports of every wrong kind between good ones: counted, never trusted, never fatal.
///
/// The kernel filters out reports that are shorter than declared or have an undeclared id. So this
/// arm mixes two generations: its profile also knows a report 9, which it declares in full and
/// never sends, and it declares one byte of report 1, which it does send.
pub fn garbage() -> Result<String, String> {
    const ROUNDS: u64 = 200;
    const SECOND_ID: u8 = 9;
    let generic = shipped("generic-vendor-3dof")
        .ok_or("no generic profile")?
        .text;
    let mut profile =
        format!("{generic}\n[[input.report]]\nname = \"second\"\nid = {SECOND_ID}\nbytes = 13\n");
    for axis in 0..3 {
        profile += &format!(
            "\n[[input.field]]\nreport = \"second\"\nwhat = \"axis\"\nindex = {axis}\nbit_offset = {}\n\
             bit_size = 32\nsigned = true\nscale = 1e-6\nunit = \"m\"\n",
            8 + 32 * axis
        );
    }
    fs::write("/tmp/generations.toml", profile).map_err(|error| error.to_string())?;
    let arm = uhid("rig/uhid/0")?;
    let mut identity = Identity::generic("GARBAGE");
    identity.descriptor = descriptor(&[
        (Direction::Input, INPUT_REPORT_ID, 1),
        (Direction::Input, UNKNOWN_REPORT_ID, 1),
        (Direction::Input, SECOND_ID, 12),
        (Direction::Output, OUTPUT_REPORT_ID, 8),
    ]);
    plug(&arm, &identity)?;
    let keys = "profile = \"/tmp/generations.toml\"\nserial = \"GARBAGE\"".to_owned();
    let mut daemon = Daemon::start(
        "garbage",
        &config(
            &[ArmConfig {
                name: "right",
                keys,
                x_m: 0.0,
            }],
            SHORT_S,
        ),
    )?;
    full_force(&mut daemon, &arm)?;

    let above = Sample {
        counter: 0,
        position_m: ABOVE_M,
        buttons: 0,
        safety_switch: true,
        calibrated: true,
        temperature_c: 20.0,
    };
    let good = above.encode();
    let mut random = 0x9E37_79B9_7F4A_7C15_u64;
    let mut noise = |length: usize| -> Vec<u8> {
        (0..length)
            .map(|_| {
                random = random
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1_442_695_040_888_963_407);
                (random >> 56) as u8
            })
            .collect()
    };
    let from = arm.forces_from(0).len();
    for _ in 0..ROUNDS {
        let mut reports: Vec<Vec<u8>> = vec![
            good[..2].to_vec(),
            good[..19].to_vec(),
            [good.as_slice(), &noise(1)].concat(),
            [good.as_slice(), &noise(180)].concat(),
            [&[UNKNOWN_REPORT_ID], noise(3).as_slice()].concat(),
        ];
        for length in [19, 63, 300] {
            reports.push([&[good[0]], noise(length).as_slice()].concat());
        }
        for report in reports {
            arm.inject(&report).map_err(|error| error.to_string())?;
            std::thread::sleep(Duration::from_micros(500));
        }
        daemon.alive()?;
    }
    let forces = arm.forces_from(from);
    if strongest(&forces) > PEAK_N + ROUNDING_N {
        return Err(daemon.explain(&format!("{:.2} N out of garbage", strongest(&forces))));
    }
    // Noise that claims to be calibrated is a hand in some place, and a tool that was anchored
    // under the plate stays there. Once calibrated again, the tool is where its hand is.
    let lost = Sample {
        calibrated: false,
        ..above
    };
    for _ in 0..100 {
        arm.inject(&lost.encode())
            .map_err(|error| error.to_string())?;
        std::thread::sleep(Duration::from_micros(500));
    }
    full_force(&mut daemon, &arm)?;
    let report = daemon.stop()?;
    let bad = reported(&report, "right")?["bad_reports"]
        .as_u64()
        .unwrap_or(0);
    if bad < 3 * ROUNDS {
        return Err(format!(
            "{} short or unknown reports were sent, {bad} counted: {report}",
            3 * ROUNDS
        ));
    }
    Ok(format!(
        "{} wrong reports, {bad} of them short or unknown and counted; at most {:.2} N meanwhile, full force after",
        8 * ROUNDS,
        strongest(&forces)
    ))
}

/// Two USB arms that both report the number 0001 are distinguished by their ports.
pub fn twins() -> Result<String, String> {
    let (one, two) = (gadget(0)?, gadget(1)?);
    plug(&one, &Identity::generic("0001"))?;
    plug(&two, &Identity::generic("0001"))?;
    let ports = wait_for("two arms with serial number 0001", LIMIT, || {
        let devices = devices().ok()?;
        let twins = devices["arms"]
            .as_array()?
            .iter()
            .filter(|arm| arm["serial"] == "0001" && arm["ambiguous"] == true);
        let ports: Vec<String> = twins
            .filter_map(|arm| arm["port"].as_str().map(str::to_owned))
            .collect();
        (ports.len() == 2).then_some(ports)
    })?;
    // By the number alone, neither is driven: force on the wrong arm is worse than none.
    let mut daemon = Daemon::start(
        "twins-by-number",
        &config(&[self::one("left", "0001", 0.0)], SHORT_S),
    )?;
    daemon.until_logged(0, "left", "2 devices have the serial number 0001")?;
    daemon.stop()?;
    if !one.forces_from(0).is_empty() || !two.forces_from(0).is_empty() {
        return Err("one of two arms with the same number was sent a force".to_owned());
    }
    let arm = |name, port: &String, x_m| ArmConfig {
        name,
        keys: format!("{PROFILE}port_path = \"{port}\""),
        x_m,
    };
    let arms = [arm("left", &ports[0], 0.0), arm("right", &ports[1], 0.3)];
    let mut daemon = Daemon::start("twins", &config(&arms, SHORT_S))?;
    full_force(&mut daemon, &one)?;
    full_force(&mut daemon, &two)?;
    // Only one of them is pulled out.
    one.unplug().map_err(|error| error.to_string())?;
    let from = two.forces_from(0).len();
    until_contact(&mut daemon, &two, from, "the twin that stayed")?;
    daemon.stop()?;
    Ok(format!(
        "told apart by {}; one unplugged, the other goes on",
        ports.join(" and ")
    ))
}

/// The operator opens the safety switch, the sensors freeze, the encoders lose their origin, the
/// motors are hot: no force until the condition is over.
pub fn interlocks() -> Result<String, String> {
    let arm = uhid("rig/uhid/0")?;
    plug(&arm, &Identity::generic("LOCKS"))?;
    let mut daemon = Daemon::start(
        "interlocks",
        &config(&[one("right", "LOCKS", 0.0)], SHORT_S),
    )?;
    type Set = fn(&Arm, bool);
    let cases: [(&str, &str, Set); 4] = [
        (
            "safety switch",
            "safety switch open",
            Arm::set_safety_switch,
        ),
        ("calibration", "device not calibrated", Arm::set_calibrated),
        ("sample stream", "device sample too old", Arm::set_streaming),
        ("cool motors", "device too hot", Arm::set_cool),
    ];
    for (name, _, set) in cases {
        full_force(&mut daemon, &arm)?;
        // In contact first: a hand in the air feels nothing anyway, and a sample stream that stops
        // there proves nothing.
        daemon.until("the arm to feel the plate", |_| {
            (arm.last_force()?.force.norm_n() >= CONTACT_N).then_some(())
        })?;
        let from = arm.forces_from(0).len();
        set(&arm, false);
        // The kernel still holds earlier samples, and old samples remain valid for a while: force
        // may continue, but it ends, and then stays away for longer than a hand is ever out of the
        // plate.
        let forces = daemon.until(&format!("no force without {name} for two swings"), |_| {
            let forces = arm.forces_from(from);
            let zero = forces
                .iter()
                .rev()
                .take_while(|at| at.force.newtons == [0.0; 3])
                .count();
            let silence = &forces[forces.len() - zero..];
            let s = silence.last()?.at_s - silence[0].at_s;
            (zero >= 500 && s > 2.0 * SWING_S).then_some(forces)
        })?;
        // Commands are counted, not seconds: 150 go out before the last sample is too old, and the
        // kernel holds some more.
        let late = forces.iter().filter(|at| at.force.newtons != [0.0; 3]);
        let late = late.count();
        if late > 500 {
            return Err(daemon.explain(&format!("{late} more forces without {name}")));
        }
        set(&arm, true);
    }
    full_force(&mut daemon, &arm)?;
    let report = daemon.stop()?;
    for (_, reason, _) in cases {
        was_off(&report, "right", reason)?;
    }
    Ok(format!(
        "no force without {}; full force again after",
        cases.map(|(name, ..)| name).join(", ")
    ))
}
