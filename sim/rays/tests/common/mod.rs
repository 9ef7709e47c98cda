//! Shared by the tests of several crates: requirements on every detector, and a detector with late
//! answers.
#![allow(dead_code)]

pub mod conformance;
pub mod late;

use hapticd_rays::Detector;

/// Polls until the newest step has been answered.
pub fn settle(detector: &mut dyn Detector) {
    for _ in 0..1_u64 << 26 {
        if detector.progress().age() == 0 {
            return;
        }
        if !detector.poll().unwrap() {
            std::thread::yield_now();
        }
    }
    panic!("no answer: {:?}", detector.progress());
}
