//! The check that every model must pass: efforts do the same virtual work as the wrench, by central
//! differences of the pose.

use super::{AxisUnit, Kinematics};
use crate::arm::{Axes, Vec3, Wrench};

/// Checks, for several wrenches, that `efforts . dq == force . dx + torque . dphi` for a small
/// change of each axis.
///
/// Skips axes whose effort is not the dual of the coordinate itself: for Cartesian rotations the
/// efforts are the torque about the base axes.
pub fn check_against_differences(model: &dyn Kinematics, axes: &Axes) {
    let step = 1e-6;
    let pose = model.forward(axes).unwrap();
    for wrench in wrenches(model.has_rotation()) {
        let efforts = model.efforts(axes, &wrench).unwrap();
        let mut work_of_twist = 0.0;
        let mut work_of_efforts = 0.0;
        // One axis at a time, so that errors cannot cancel; then the sums must agree as well.
        for axis in 0..model.axes().len() {
            let (mut before, mut after) = (*axes, *axes);
            before[axis] -= step;
            after[axis] += step;
            let (low, high) = (
                model.forward(&before).unwrap(),
                model.forward(&after).unwrap(),
            );
            let moved = (high.translation.vector - low.translation.vector) / (2.0 * step);
            let turned = (high.rotation * low.rotation.inverse()).scaled_axis() / (2.0 * step);
            let twist_work = wrench.force_n.dot(&moved) + wrench.torque_nm.dot(&turned);
            work_of_twist += twist_work;
            work_of_efforts += efforts[axis];
            if !rotation_of_cartesian(model, axis) {
                assert!(
                    (twist_work - efforts[axis]).abs() < 1e-6 * (1.0 + twist_work.abs()),
                    "axis {axis} at {axes:?} (pose {pose}): {twist_work} is not {}",
                    efforts[axis]
                );
            }
        }
        if !(0..model.axes().len()).any(|axis| rotation_of_cartesian(model, axis)) {
            assert!((work_of_twist - work_of_efforts).abs() < 1e-5 * (1.0 + work_of_twist.abs()));
        }
        for (axis, effort) in efforts.iter().enumerate().skip(model.axes().len()) {
            assert_eq!(*effort, 0.0, "axis {axis} is not there");
        }
    }
}

/// Returns whether the axis is a rotation of a Cartesian model: its effort is the torque about a
/// mechanism axis, which is not dual to the coordinate.
fn rotation_of_cartesian(model: &dyn Kinematics, axis: usize) -> bool {
    let axes = model.axes();
    axes.len() >= 6
        && axes[..3].iter().all(|unit| *unit == AxisUnit::Metre)
        && axes[3..].iter().all(|unit| *unit != AxisUnit::Metre)
        && axis >= 3
}

fn wrenches(torque: bool) -> Vec<Wrench> {
    let mut wrenches = vec![];
    for i in 0..if torque { 6 } else { 3 } {
        let mut wrench = Wrench::zero();
        if i < 3 {
            wrench.force_n[i] = 1.0;
        } else {
            wrench.torque_nm[i - 3] = 1.0;
        }
        wrenches.push(wrench);
    }
    wrenches.push(Wrench {
        force_n: Vec3::new(0.3, -2.0, 1.1),
        torque_nm: if torque {
            Vec3::new(-0.2, 0.4, 0.9)
        } else {
            Vec3::zeros()
        },
    });
    wrenches
}
