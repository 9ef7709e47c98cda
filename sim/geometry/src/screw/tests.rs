use std::f64::consts::PI;

use proptest::prelude::*;

use super::*;
use crate::pose::transform;

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(Vec3::from)
}

fn direction() -> impl Strategy<Value = Vec3> {
    vector(1.0)
        .prop_filter("long enough", |v| v.norm() > 0.1)
        .prop_map(|v| v.normalize())
}

/// Rotation angles from almost nothing to almost a half turn, evenly over the orders of magnitude.
fn angle() -> impl Strategy<Value = f64> {
    prop_oneof![
        (-12.0..0.0f64).prop_map(|e| PI * 10f64.powf(e)),
        (-12.0..0.0f64).prop_map(|e| PI - 10f64.powf(e)),
        Just(0.0),
        Just(PI),
    ]
}

fn close(a: &Vec3, b: &Vec3, tolerance: f64) {
    assert!(
        (a - b).norm() <= tolerance,
        "{a} != {b} (within {tolerance})"
    );
}

#[test]
fn twist_of_the_reference_vector_v5() {
    let pivot = Vec3::new(1.0, 2.0, 3.0);
    let s = Screw::from_twist(
        &Vec3::new(0.3, 0.1, 0.2),
        &Vec3::new(0.1, -0.2, 0.4),
        &pivot,
    );
    assert!((s.angle - 0.458_257_569_496).abs() < 1e-12);
    assert!((s.translation - 0.196_396_101_212).abs() < 1e-12);
    close(
        &s.axis,
        &Vec3::new(0.218_217_890_2, -0.436_435_780_5, 0.872_871_560_9),
        1e-10,
    );
    close(
        &s.point,
        &Vec3::new(0.754_309_164_9, 2.560_684_972_4, 3.341_765_195_0),
        1e-10,
    );
    close(
        &(pivot + s.shift_of(&pivot, 1.0)),
        &Vec3::new(1.3, 2.1, 3.2),
        1e-15,
    );
    let middle = Vec3::new(1.160_043_980_9, 2.037_445_023_9, 3.091_211_516_7);
    close(&(pivot + s.shift_of(&pivot, 0.5)), &middle, 1e-10);
}

#[test]
fn no_rotation_no_motion_backwards_and_pure_rotation() {
    let pivot = Vec3::new(1.0, 2.0, 3.0);
    let still = Screw::from_twist(&Vec3::zeros(), &Vec3::zeros(), &pivot);
    assert_eq!(
        (still.angle, still.translation, still.axis),
        (0.0, 0.0, Vec3::z())
    );
    assert_eq!(still.shift_of(&pivot, 0.7), Vec3::zeros());
    assert_eq!(Screw::identity().displacement_at(0.3), Pose::identity());

    let slide = Screw::from_twist(&Vec3::new(0.0, 3.0, 4.0), &Vec3::zeros(), &pivot);
    assert_eq!((slide.angle, slide.translation), (0.0, 5.0));
    close(
        &slide.shift_of(&Vec3::x(), 0.5),
        &Vec3::new(0.0, 1.5, 2.0),
        1e-15,
    );

    let back = Screw::from_twist(
        &Vec3::new(0.0, 0.0, -0.2),
        &Vec3::new(0.0, 0.0, 0.5),
        &pivot,
    );
    assert!((back.translation + 0.2).abs() < 1e-15);
    close(
        &back.shift_of(&pivot, 1.0),
        &Vec3::new(0.0, 0.0, -0.2),
        1e-15,
    );

    let turn = Screw::from_twist(&Vec3::zeros(), &Vec3::new(0.0, 0.0, PI / 2.0), &pivot);
    assert_eq!(turn.translation, 0.0);
    close(&turn.point, &pivot, 1e-15);
    close(
        &(pivot + Vec3::x() + turn.shift_of(&(pivot + Vec3::x()), 1.0)),
        &(pivot + Vec3::y()),
        1e-15,
    );
}

#[test]
fn the_axis_may_go_far_away_without_loss() {
    // Against the exact planar circle: a pivot that shifts 0.3 along x while it turns by w about z
    // moves along a chord of length 0.3; its sagitta at half time is 0.15 tan(w/4).
    for exponent in -14..=0 {
        let w = 10f64.powi(exponent);
        let s = Screw::from_twist(&(Vec3::x() * 0.3), &(Vec3::z() * w), &Vec3::zeros());
        close(&s.shift_of(&Vec3::zeros(), 1.0), &(Vec3::x() * 0.3), 1e-15);
        let middle = Vec3::new(0.15, -0.15 * (w / 4.0).tan(), 0.0);
        close(&s.shift_of(&Vec3::zeros(), 0.5), &middle, 1e-15);
    }
}

#[test]
fn beyond_a_half_turn_the_shorter_way_is_taken() {
    let (d, axis) = (Vec3::new(0.1, 0.2, 0.3), Vec3::new(2.0, -1.0, 2.0) / 3.0);
    for w in [3.5, 2.0 * PI - 1e-6, 2.0 * PI, 7.0, 100.0] {
        let s = Screw::from_twist(&d, &(axis * w), &Vec3::x());
        assert!((0.0..=PI).contains(&s.angle));
        close(&s.shift_of(&Vec3::x(), 1.0), &d, 1e-14);
        let whole = Quat::from_scaled_axis(axis * w);
        assert!(whole.angle_to(&s.rotation_at(1.0)) < 1e-13);
        assert!(s.max_displacement(&Vec3::x(), 0.0, 1.0) < 2.0 * d.norm());
    }
}

#[test]
fn nan_shows() {
    let s = Screw::from_twist(&Vec3::x(), &Vec3::new(f64::NAN, 0.0, 0.0), &Vec3::zeros());
    assert!(s.shift_of(&Vec3::zeros(), 1.0).x.is_nan());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_pivot_lands_exactly(d in vector(0.5), axis in direction(), w in angle(), pivot in vector(1.0)) {
        let s = Screw::from_twist(&d, &(axis * w), &pivot);
        close(&s.shift_of(&pivot, 1.0), &d, 1e-14);
        prop_assert_eq!(s.shift_of(&pivot, 0.0), Vec3::zeros());
        // The whole displacement: R about the pivot, then d.
        let rotation = Quat::from_scaled_axis(axis * w);
        let x = pivot + Vec3::new(0.3, -0.2, 0.5);
        close(&(x + s.shift_of(&x, 1.0)), &(pivot + d + rotation * (x - pivot)), 1e-14);
        close(&transform(&s.displacement_at(1.0), &x), &(pivot + d + rotation * (x - pivot)), 1e-14);
    }

    #[test]
    fn between_poses(p in vector(1.0), q in vector(1.0), r in vector(3.0), axis in direction(), w in angle()) {
        let from = Pose::from_parts(p.into(), Quat::from_scaled_axis(r));
        let to = Pose::from_parts(q.into(), Quat::from_scaled_axis(axis * w) * from.rotation);
        let s = Screw::between(&from, &to);
        prop_assert!((0.0..=PI).contains(&s.angle));
        for (t, pose) in [(0.0, from), (1.0, to)] {
            let at = s.pose_at(&from, t);
            close(&at.translation.vector, &pose.translation.vector, 1e-14);
            prop_assert!((at.rotation.to_rotation_matrix().matrix() - pose.rotation.to_rotation_matrix().matrix()).norm() < 1e-12);
        }
    }

    #[test]
    fn poses_are_rigid_and_agree(d in vector(0.5), axis in direction(), w in angle(), t in 0.0..1.0, x in vector(1.0)) {
        let s = Screw::from_twist(&d, &(axis * w), &Vec3::new(0.1, 0.2, 0.3));
        let at = s.displacement_at(t);
        let r = at.rotation.to_rotation_matrix();
        prop_assert!((r.matrix() * r.matrix().transpose() - crate::pose::Mat3::identity()).norm() < 1e-14);
        close(&transform(&at, &x), &(x + s.shift_of(&x, t)), 1e-14);
        // A body that starts anywhere moves with its points.
        let start = Pose::from_parts(x.into(), Quat::from_scaled_axis(d));
        let local = Vec3::new(0.2, 0.3, -0.1);
        let moved = transform(&s.pose_at(&start, t), &local);
        close(&moved, &transform(&at, &transform(&start, &local)), 1e-14);
    }

    #[test]
    fn velocity_is_the_derivative_and_constant_in_the_body(
        d in vector(0.5), axis in direction(), w in angle(), t in 0.01..0.99, x in vector(1.0), n in direction(),
    ) {
        let s = Screw::from_twist(&d, &(axis * w), &Vec3::zeros());
        let at = x + s.shift_of(&x, t);
        let h = 1e-5;
        let difference = (s.shift_of(&x, t + h) - s.shift_of(&x, t - h)) / (2.0 * h);
        close(&s.velocity_of(&at), &difference, 1e-8);
        // p'(t) . n(t) of a body-fixed point and direction (Redon 2002, section 4.5).
        let start = s.velocity_of(&x).dot(&n);
        let now = s.velocity_of(&at).dot(&(s.rotation_at(t) * n));
        prop_assert!((start - now).abs() < 1e-13, "{start} {now}");
        let bound = s.acceleration_bound(&x);
        prop_assert!((bound - s.acceleration_bound(&at)).abs() < 1e-12);
        let off_tangent = s.shift_of(&x, t) - s.velocity_of(&x) * t;
        prop_assert!(off_tangent.norm() <= 0.5 * bound * t * t + 1e-15);
    }

    #[test]
    fn displacement_bound_holds(
        d in vector(0.5), axis in direction(), w in angle(), t in 0.0..1.0, centre in vector(1.0), off in direction(), radius in 0.0..0.5,
    ) {
        let s = Screw::from_twist(&d, &(axis * w), &Vec3::zeros());
        let x = centre + off * radius;
        prop_assert!(s.shift_of(&x, t).norm() <= s.max_displacement(&centre, radius, t));
    }

    #[test]
    fn frames_parts_and_the_way_back(
        d in vector(0.5), axis in direction(), w in angle(), t in 0.0..1.0, x in vector(1.0), frame in vector(2.0),
    ) {
        let s = Screw::from_twist(&d, &(axis * w), &x);
        let to = Pose::from_parts(frame.into(), Quat::from_scaled_axis(frame));
        let there = transform(&to, &(x + s.shift_of(&x, t)));
        let seen = s.in_frame(&to);
        close(&(transform(&to, &x) + seen.shift_of(&transform(&to, &x), t)), &there, 1e-14);
        let end = x + s.shift_of(&x, t);
        close(&(end + s.inverse().shift_of(&end, t)), &x, 1e-14);
        close(&s.part(t).shift_of(&x, 1.0), &s.shift_of(&x, t), 1e-15);
    }
}
