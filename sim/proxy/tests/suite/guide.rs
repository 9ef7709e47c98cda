//! A guide fixed to a tool limits where it may go; rigid contact has the last word, and the guide
//! is given the result.
use crate::common;
use std::sync::{Arc, Mutex};

use common::*;
use hapticd_geometry::{Pose, Vec3};
use hapticd_proxy::*;

const D: Distances = Distances {
    clearance_m: 8e-6,
    safe_m: 4e-5,
    release_m: 9e-5,
};

/// Wants to go 2 cm below the hand, through anything, and records the outcome.
struct Heavy {
    went: Arc<Mutex<Vec<(Pose, Pose)>>>,
    asked: Pose,
    anchored: u32,
}

impl Guide for Heavy {
    fn anchor(&mut self) {
        self.anchored += 1;
    }

    fn guide(&mut self, wanted: &Pose, stiffness_n_per_m: f64) -> Pose {
        assert!(stiffness_n_per_m > 0.0);
        let mut lower = *wanted;
        lower.translation.vector.z -= 0.02;
        self.asked = lower;
        lower
    }

    fn went(&mut self, tool: &Pose) {
        self.went.lock().unwrap().push((self.asked, *tool));
    }

    fn insertion(&self) -> Insertion {
        Insertion {
            phase: Phase::Touching,
            pierced: self.anchored,
            ..Insertion::default()
        }
    }
}

#[test]
fn no_guide_leads_a_tool_into_what_is_rigid() {
    let floor = (Part::new(sheet(0.1, 4)), Pose::identity(), true, None);
    let mut scene = Scene {
        tool: Tool::Ball(0.005),
        bodies: vec![floor],
        capacity: 400,
        sequence: 0,
        clearance: D.clearance_m,
        friction: 0.0,
        trajectory: None,
    };
    let mut engine = Engine::new(setup(ToolShape::sphere(0.005), D), 0.003);
    let went = Arc::new(Mutex::new(Vec::new()));
    let heavy = Heavy {
        went: went.clone(),
        asked: Pose::identity(),
        anchored: 0,
    };
    engine.set_guide(0, Box::new(heavy));
    let (mut free, mut held) = (0, 0);
    run(
        &mut scene,
        &mut engine,
        1_000,
        2,
        |k| Pose::translation(0.01, 0.0, 0.06 - 5e-5 * k as f64),
        |k, device, out, d| {
            let (asked, tool) = *went.lock().unwrap().last().unwrap();
            assert_eq!(tool, out.proxy);
            assert_eq!(
                (out.insertion.phase, out.insertion.pierced),
                (Phase::Touching, 1)
            );
            if k < 20 {
                return;
            }
            assert!(d > 0.0, "tick {k}: {d}");
            let low = device.translation.vector.z - 0.02;
            assert!((asked.translation.vector.z - low).abs() < 1e-15);
            if low > 0.0055 {
                free += 1;
                assert!((out.proxy.translation.vector - Vec3::new(0.01, 0.0, low)).norm() < 1e-9);
                // What the guide holds back stretches the spring to the hand.
                assert!(out.wrench.force_n.z < 0.0, "tick {k}: {out:?}");
            } else if low < 0.0049 {
                held += 1;
                assert!(
                    (out.proxy.translation.vector.z - 0.005 - D.safe_m).abs() < 2e-5,
                    "{out:?}"
                );
            }
        },
    );
    assert!(free > 300 && held > 200, "{free} {held}");
}
