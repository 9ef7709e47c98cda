//! Power saving: processors that wake slowly make the loop late.

use super::Step;
use std::{
    fs::{File, OpenOptions},
    io::Write,
    path::Path,
};

const LATENCY: &str = "cpu_dma_latency";
const DEVICE: &str = "/dev/cpu_dma_latency";

/// While this value lives, processors do not enter sleep states that take time to leave.
#[derive(Debug)]
pub struct LatencyHold {
    _device: File,
}

/// Requests a wake-up latency of 0 us from the kernel for as long as the returned hold lives (PM
/// QoS, `/dev/cpu_dma_latency`).
pub fn forbid_deep_sleep() -> (Step, Option<LatencyHold>) {
    hold(Path::new(DEVICE))
}

fn hold(path: &Path) -> (Step, Option<LatencyHold>) {
    let held = OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|mut device| {
            device.write_all(&0_i32.to_ne_bytes())?;
            Ok(LatencyHold { _device: device })
        });
    match held {
        Ok(hold) => (
            Step::granted(LATENCY, "0 us, while the daemon runs"),
            Some(hold),
        ),
        Err(error) => {
            let help = "give the daemon write access to /dev/cpu_dma_latency (udev rule), or disable deep sleep states";
            (
                Step::refused(LATENCY, format!("{}: {error}", path.display()), help),
                None,
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_device_is_refused_with_its_name() {
        let (step, hold) = hold(Path::new("/dev/hapticd-no-such-device"));
        assert!(hold.is_none());
        assert!(
            step.to_string().contains("/dev/hapticd-no-such-device"),
            "{step}"
        );
    }

    #[test]
    fn what_is_written_is_a_latency_of_zero() {
        let path = std::env::temp_dir().join(format!("hapticd-latency-{}", std::process::id()));
        File::create(&path).unwrap();
        let (step, hold) = hold(&path);
        assert!(step.is_granted() && hold.is_some());
        assert_eq!(std::fs::read(&path).unwrap(), 0_i32.to_ne_bytes());
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn the_real_device_is_held_or_refused_with_help() {
        let (step, hold) = forbid_deep_sleep();
        assert_eq!(step.is_granted(), hold.is_some());
    }
}
