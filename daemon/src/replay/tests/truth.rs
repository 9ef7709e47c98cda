//! The true state of simulated arms in a recording: present or absent, never zero.

use hapticd_devices::sim::{ArmTruth, Work};

use super::*;
use hapticd_loop::record::TickRecord;

fn truth() -> ArmTruth {
    let mut setup = build(SCENE, Time::Virtual);
    let mut arms = session::virtual_arms(&mut setup);
    let arm = arms[0].as_mut().expect("simulated");
    arm.step(5_000_000, 5_000_000, &Default::default());
    let mut truth = arm.truth().expect("simulated");
    // Infinities, which a computation may produce, pass as well.
    truth.motors.force_n.x = f64::NEG_INFINITY;
    truth.motor_work = Work {
        force_j: -0.0,
        torque_j: 1e-300,
    };
    truth
}

#[test]
fn a_simulated_arms_truth_comes_back_to_the_bit() {
    let mut record = TickRecord::new();
    let truth = truth();
    assert_eq!(truth.time_ns, 5_000_000);
    record.arms[0].truth = Some(truth);
    let message = TickMessage::of(&record, 2, &mut Default::default());
    let text = serde_json::to_string(&message).expect("JSON");
    let read: TickMessage = serde_json::from_str(&text).expect("a tick");
    assert_eq!(read, message);
    let input = read.input();
    assert_eq!(input.arms[0].truth, Some(truth));
    assert!(
        input.arms[0]
            .truth
            .is_some_and(|t| t.motor_work.force_j.is_sign_negative())
    );
    assert_eq!(input.arms[1].truth, None);
}

#[test]
fn an_arm_without_truth_has_no_such_field() {
    // Real arms have none, and neither have recordings from before it existed.
    let message = TickMessage::of(&TickRecord::new(), 1, &mut Default::default());
    let text = serde_json::to_string(&message).expect("JSON");
    assert!(!text.contains("truth"), "{text}");
    let read: TickMessage = serde_json::from_str(&text).expect("a tick");
    assert_eq!(read.input().arms[0].truth, None);
}
