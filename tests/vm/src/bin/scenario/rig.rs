//! Self-check of the virtual arms with hidapi alone: what an arm sends arrives, what the host
//! writes reaches the arm, and every fault that the other scenarios rely on is the fault that the
//! kernel shows to a host program.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hapticd_devices::profile::generic::{INPUT_REPORT_BYTES, INPUT_REPORT_ID};
use hapticd_vmrig::arm::Arm;
use hapticd_vmrig::gadget::GadgetPort;
use hapticd_vmrig::host::{list, open, wait_for};
use hapticd_vmrig::path::Path;
use hapticd_vmrig::port::{Identity, Port};
use hapticd_vmrig::uhid::UhidPort;
use hapticd_vmrig::wire::{self, Force};
use hidapi::HidDevice;

const LIMIT: Duration = Duration::from_secs(30);
/// Number of reports that must come in, and of forces that must go out, over one connection.
const EXCHANGES: u16 = 1000;

pub fn uhid() -> Result<String, String> {
    let port = UhidPort::open("rig/uhid/0").map_err(|error| format!("/dev/uhid: {error}"))?;
    let arm = start(Box::new(port))?;
    let mut identity = Identity::generic("RIG-UHID-1");
    arm.plug(&identity).map_err(|error| error.to_string())?;
    let (_, device) = open("RIG-UHID-1")?;
    let exchanged = exchange(&arm, &device)?;

    // Behaviour of the kernel for reports of the wrong length: short ones are dropped, long ones
    // pass.
    arm.set_streaming(false);
    drain(&device)?;
    arm.inject(&[INPUT_REPORT_ID, 1, 2])
        .map_err(|error| error.to_string())?;
    arm.inject(&[0x55; INPUT_REPORT_BYTES])
        .map_err(|error| error.to_string())?;
    let marker = [INPUT_REPORT_ID; INPUT_REPORT_BYTES];
    arm.inject(&marker).map_err(|error| error.to_string())?;
    let first = read(&device)?;
    if first != marker {
        return Err(format!(
            "the kernel let a short or unknown report pass: {first:02x?}"
        ));
    }

    // Understated descriptor: any length reaches the host byte for byte.
    arm.unplug().map_err(|error| error.to_string())?;
    fails_after_unplug(&device)?;
    drop(device);
    identity.serial = "RIG-UHID-2".to_owned();
    identity.descriptor = wire::understated_descriptor();
    arm.plug(&identity).map_err(|error| error.to_string())?;
    let (_, device) = open("RIG-UHID-2")?;
    let mut reports: Vec<Vec<u8>> = vec![vec![wire::UNKNOWN_REPORT_ID, 1, 2, 3]];
    for length in [2, 3, 19, 20, 21, 64, 200] {
        reports.push(
            (0..length)
                .map(|k| if k == 0 { INPUT_REPORT_ID } else { k as u8 })
                .collect(),
        );
    }
    for sent in reports {
        arm.inject(&sent).map_err(|error| error.to_string())?;
        let got = read(&device)?;
        if got != sent {
            return Err(format!("sent {sent:02x?}, the host read {got:02x?}"));
        }
    }
    drop(device);
    drop(arm);
    gone("RIG-UHID-2")?;
    Ok(format!(
        "{exchanged}; every length from 2 to 200 bytes passes an understated descriptor"
    ))
}

pub fn gadget() -> Result<String, String> {
    let port = GadgetPort::new(0).map_err(|error| error.to_string())?;
    let arm = start(Box::new(port))?;
    arm.plug(&Identity::generic("RIG-USB-1"))
        .map_err(|error| error.to_string())?;
    let (info, device) = open("RIG-USB-1")?;
    if info.product_string() != Some("Generic 3-DOF arm") || info.interface_number() != 0 {
        return Err(format!("not a USB device: {info:?}"));
    }
    let exchanged = exchange(&arm, &device)?;

    arm.set_draining(false);
    let mut absorbed = 0;
    let (blocked, error) = loop {
        let start = Instant::now();
        let written = device.write(
            &Force {
                newtons: [0.0; 3],
                sequence: absorbed,
            }
            .encode(),
        );
        match written {
            Ok(_) => absorbed += 1,
            Err(error) => break (start.elapsed(), error.to_string()),
        }
        if absorbed > 1000 {
            return Err(
                "a firmware that does not drain its endpoint still takes reports".to_owned(),
            );
        }
    };
    if blocked < Duration::from_secs(4) {
        return Err(format!(
            "a write to hung firmware failed after {blocked:?} already: {error}"
        ));
    }
    arm.set_draining(true);

    arm.unplug().map_err(|error| error.to_string())?;
    fails_after_unplug(&device)?;
    drop(device);
    arm.plug(&Identity::generic("RIG-USB-2"))
        .map_err(|error| error.to_string())?;
    let (_, device) = open("RIG-USB-2")?;
    read(&device)?;
    drop(device);
    drop(arm);
    gone("RIG-USB-2")?;
    Ok(format!(
        "{exchanged}; hung firmware took {absorbed} reports, then one write blocked {:.1} s ({error})",
        blocked.as_secs_f64()
    ))
}

/// The stand-alone programs obey their commands: plug, send a force, read it back, unplug.
pub fn console() -> Result<String, String> {
    for (program, serial) in [
        ("uhid-arm", "RIG-CONSOLE-1"),
        ("gadget-arm", "RIG-CONSOLE-2"),
    ] {
        let mut child = Command::new(program)
            .args(["--serial", serial])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("{program}: {error}"))?;
        let mut input = child.stdin.take().ok_or("no pipe")?;
        writeln!(input, "plug").map_err(|error| error.to_string())?;
        let (_, device) = open(serial)?;
        read(&device)?;
        device
            .write(
                &Force {
                    newtons: [0.25, 0.0, -1.5],
                    sequence: 7,
                }
                .encode(),
            )
            .map_err(|e| e.to_string())?;
        drop(device);
        writeln!(input, "wait 0.5\nforce\nquit").map_err(|error| error.to_string())?;
        let output = child
            .wait_with_output()
            .map_err(|error| error.to_string())?;
        let answers = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() || answers != "ok\nok\n0.250 0.000 -1.500 N sequence 7\n" {
            return Err(format!(
                "{program} answered {answers:?} and ended with {}",
                output.status
            ));
        }
        gone(serial)?;
    }
    Ok("uhid-arm and gadget-arm obey their commands".to_owned())
}

fn start(port: Box<dyn Port>) -> Result<Arm, String> {
    Arm::start(port, Path::rest([0.0, 0.0, 0.05])).map_err(|error| error.to_string())
}

fn gone(serial: &str) -> Result<(), String> {
    wait_for(&format!("{serial} to leave the list"), LIMIT, || {
        list()
            .ok()?
            .iter()
            .all(|device| device.serial_number() != Some(serial))
            .then_some(())
    })
}

/// Reads `EXCHANGES` samples and answers each with a force.
fn exchange(arm: &Arm, device: &HidDevice) -> Result<String, String> {
    let before = arm.counters().outputs;
    let mut last: Option<u16> = None;
    let mut skipped = 0u32;
    for sequence in 0..EXCHANGES {
        let report = read(device)?;
        let whole: &[u8; INPUT_REPORT_BYTES] = report
            .as_slice()
            .try_into()
            .map_err(|_| format!("{} bytes read", report.len()))?;
        let z = i32::from_le_bytes([whole[11], whole[12], whole[13], whole[14]]);
        if whole[0] != INPUT_REPORT_ID || z != 50_000 || whole[15] != 0xC0 {
            return Err(format!("not the sample that was sent: {whole:02x?}"));
        }
        let counter = u16::from_le_bytes([whole[1], whole[2]]);
        skipped += last.map_or(0, |last| {
            u32::from(counter.wrapping_sub(last).wrapping_sub(1))
        });
        last = Some(counter);
        let force = Force {
            newtons: [0.001 * f64::from(sequence), 0.0, -1.0],
            sequence,
        };
        device
            .write(&force.encode())
            .map_err(|error| format!("write {sequence}: {error}"))?;
    }
    let wanted = before + u64::from(EXCHANGES);
    wait_for("the arm to have every force", LIMIT, || {
        (arm.counters().outputs >= wanted).then_some(())
    })?;
    let forces = arm.forces_from(before as usize);
    for (k, received) in forces.iter().enumerate() {
        if usize::from(received.force.sequence) != k
            || (received.force.newtons[0] - 0.001 * k as f64).abs() > 1e-9
        {
            return Err(format!("force {k} arrived as {received:?}"));
        }
    }
    if arm.counters().malformed > 0 {
        return Err(format!("malformed forces: {:?}", arm.counters()));
    }
    Ok(format!(
        "{EXCHANGES} samples in, {EXCHANGES} forces out in order, {skipped} samples skipped"
    ))
}

fn read(device: &HidDevice) -> Result<Vec<u8>, String> {
    let mut buffer = [0; 4096];
    match device.read_timeout(&mut buffer, 10_000) {
        Ok(0) => Err("no report within 10 s".to_owned()),
        Ok(length) => Ok(buffer[..length].to_vec()),
        Err(error) => Err(format!("read: {error}")),
    }
}

fn drain(device: &HidDevice) -> Result<(), String> {
    let mut buffer = [0; 4096];
    // A sample may still be in transit when streaming is switched off: after 100 ms of silence the
    // queue is empty.
    while device
        .read_timeout(&mut buffer, 100)
        .map_err(|error| format!("read: {error}"))?
        > 0
    {}
    Ok(())
}

/// After an unplug both directions report an error (reads once the queue is empty).
fn fails_after_unplug(device: &HidDevice) -> Result<(), String> {
    let mut buffer = [0; 4096];
    wait_for("a read to fail after the unplug", LIMIT, || {
        device.read_timeout(&mut buffer, 100).err()
    })?;
    match device.write(
        &Force {
            newtons: [0.0; 3],
            sequence: 0,
        }
        .encode(),
    ) {
        Err(_) => Ok(()),
        Ok(_) => Err("a write after the unplug succeeded".to_owned()),
    }
}
