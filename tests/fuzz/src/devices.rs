//! Targets for data from an arm and for descriptions of arms.

use crate::input::Input;
use hapticd_devices::{
    arm::MAX_AXES,
    codec::ReportBuffer,
    driver::Driver,
    hid::descriptor::Descriptor,
    profile::{Profile, SHIPPED},
};
use std::sync::{Arc, OnceLock};

fn profiles() -> &'static [Arc<Profile>] {
    static PROFILES: OnceLock<Vec<Arc<Profile>>> = OnceLock::new();
    PROFILES.get_or_init(|| {
        let parsed = SHIPPED.iter().map(|shipped| shipped.parse().unwrap());
        parsed.map(Arc::new).collect()
    })
}

/// Reports of an arm with a shipped profile: the first byte selects the profile, and each report is
/// preceded by its length. A decoded pose is finite; a sample's time is the given one.
pub fn report(data: &[u8]) {
    let mut input = Input::new(data);
    let profiles = profiles();
    let profile = &profiles[usize::from(input.byte()) % profiles.len()];
    drive(profile, &mut input);
}

fn drive(profile: &Arc<Profile>, input: &mut Input<'_>) {
    let mut driver = Driver::new(Arc::clone(profile));
    let mut buffer = ReportBuffer::new();
    let mut now_ns = 1_000_000;
    while !input.is_empty() {
        let report = input.piece();
        now_ns += 1_000_000;
        if driver.input(report).is_err() {
            continue;
        }
        if let Some(sample) = driver.sample(now_ns, false) {
            let pose = sample.pose.to_homogeneous();
            assert!(pose.iter().all(|x| x.is_finite()), "{pose}");
            let velocity = [sample.linear_velocity, sample.angular_velocity];
            assert!(velocity.iter().flatten().all(|x| x.is_finite()));
        }
        let effort = f64::from(report.first().copied().unwrap_or(0)) * 1e300;
        for index in 0..driver.output_reports() + 1 {
            driver.encode(index, &[effort; MAX_AXES], now_ns, &mut buffer);
        }
    }
}

/// A report descriptor, checked against the layout of every shipped profile.
pub fn descriptor(data: &[u8]) {
    let Ok(descriptor) = Descriptor::parse(data) else {
        return;
    };
    for profile in profiles() {
        // Most match none.
        let _ = descriptor.check(profile.codec.layout());
    }
}

/// The text of a profile. An accepted profile drives an arm through reports of all ones and all
/// zeros.
pub fn profile(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    match Profile::parse("fuzz.toml", &text) {
        Ok(profile) => {
            let mut reports = Vec::new();
            for report in &profile.codec.layout().inputs {
                for fill in [0x00, 0xFF, 0x7F, 0x80] {
                    let length = report.bytes.min(255);
                    reports.push(length as u8);
                    let start = reports.len();
                    reports.resize(start + length, fill);
                    if report.id != 0 && length > 0 {
                        reports[start] = report.id;
                    }
                }
            }
            drive(&Arc::new(profile), &mut Input::new(&reports));
        }
        Err(errors) => assert!(!errors.to_string().is_empty()),
    }
}
