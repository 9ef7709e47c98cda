//! What tests of several crates share: what every detector must do, and one whose answers come
//! late.
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
