//! Motions between two poses: planted tunnelling is found, near misses are proven clear, and limits
//! are reported as such.

mod common;

use std::f64::consts::PI;

use common::{Random, at, ball, cuboid, sheet};
use hapticd_audit::{
    ScrewMotion, Solid, Sweep, SweepLimits, Tool, distance_m, penetration_depth_m, sweep_body,
    sweep_tool,
};
use hapticd_geometry::{Pose, Screw, Vec3};
use nalgebra::UnitQuaternion;

fn sweep(tool: &Tool<'_>, from: &Pose, to: &Pose, body: &Solid) -> Sweep {
    sweep_tool(
        tool,
        ScrewMotion { from, to },
        body,
        &Pose::identity(),
        &SweepLimits::default(),
    )
}

fn is_clear(sweep: Sweep) -> bool {
    matches!(sweep, Sweep::Clear { .. })
}

/// A tool that is on the other side of a 0.1 mm plate in the next tick: both poses are free, the
/// motion is not.
#[test]
fn tunnelling_through_a_thin_plate() {
    let plate = Solid::new(&cuboid([0.5, 0.5, 5e-5]));
    let cube = Solid::new(&cuboid([0.01; 3]));
    let (from, to) = (at(0.1, 0.0, 0.02), at(0.1, 0.0, -0.02));
    for tool in [
        Tool::Mesh(&cube),
        Tool::Sphere { radius_m: 0.01 },
        Tool::Sphere { radius_m: 0.0 },
    ] {
        for pose in [&from, &to] {
            assert_eq!(
                penetration_depth_m(&tool, pose, &plate, &Pose::identity()),
                0.0
            );
        }
        let Sweep::Crossing { t } = sweep(&tool, &from, &to, &plate) else {
            panic!("not found");
        };
        assert!((0.0..=1.0).contains(&t));
        // The same from a plate that jumps over the tool.
        let body = sweep_body(
            &tool,
            &at(0.1, 0.0, 0.0),
            &plate,
            ScrewMotion {
                from: &at(0.0, 0.0, 0.02),
                to: &at(0.0, 0.0, -0.02),
            },
            &SweepLimits::default(),
        );
        assert!(matches!(body, Sweep::Crossing { .. }));
    }
}

/// Far above the plate's thickness in one motion: 100 m at once.
#[test]
fn tunnelling_at_any_speed() {
    let cloth = Solid::new(&sheet(4));
    let cube = Solid::new(&cuboid([1e-3; 3]));
    let found = sweep(
        &Tool::Mesh(&cube),
        &at(0.11, 0.07, 63.0),
        &at(0.11, 0.07, -37.0),
        &cloth,
    );
    assert!(matches!(found, Sweep::Crossing { .. }), "{found:?}");
    let beside = sweep(
        &Tool::Mesh(&cube),
        &at(1.0 + 1.1e-3, 0.07, 63.0),
        &at(1.0 + 1.1e-3, 0.07, -37.0),
        &cloth,
    );
    assert!(is_clear(beside), "{beside:?}");
}

/// A bar that turns: its ends sweep through a post that neither pose touches.
#[test]
fn tunnelling_by_rotation() {
    let bar = Solid::new(&cuboid([0.5, 0.01, 0.01]));
    let post = Solid::new(&cuboid([0.01, 0.01, 0.2]));
    let turned = |angle: f64| {
        Pose::from_parts(
            Vec3::zeros().into(),
            UnitQuaternion::from_scaled_axis(Vec3::z() * angle),
        )
    };
    let place = at(0.3, 0.3, 0.0);
    let tool = Tool::Mesh(&bar);
    let limits = SweepLimits::default();
    let found = sweep_tool(
        &tool,
        ScrewMotion {
            from: &turned(0.0),
            to: &turned(0.5 * PI),
        },
        &post,
        &place,
        &limits,
    );
    let Sweep::Crossing { t } = found else {
        panic!("{found:?}");
    };
    assert!((t - 0.5).abs() < 0.1);
    let short = sweep_tool(
        &tool,
        ScrewMotion {
            from: &turned(0.0),
            to: &turned(0.2 * PI),
        },
        &post,
        &place,
        &limits,
    );
    assert!(is_clear(short), "{short:?}");
    // Out of the bar's reach.
    let away = at(0.37, 0.37, 0.0);
    let clear = sweep_tool(
        &tool,
        ScrewMotion {
            from: &turned(0.0),
            to: &turned(0.5 * PI),
        },
        &post,
        &away,
        &limits,
    );
    let Sweep::Clear { seen_m } = clear else {
        panic!("{clear:?}");
    };
    // Nearest corners: (0.36, 0.36) of the post and the circle of the bar's end.
    let gap = 0.36 * 2f64.sqrt() - (0.5f64.powi(2) + 0.01f64.powi(2)).sqrt();
    assert!(gap > 0.0 && seen_m >= gap, "{seen_m} {gap}");
}

/// The same at every angle, most of which no bisection hits exactly: the bar's centre does not
/// move, its ends do.
#[test]
fn thin_posts_are_hit_at_any_angle() {
    let bar = Solid::new(&cuboid([0.5, 0.01, 0.01]));
    let post = Solid::new(&cuboid([1e-4, 1e-4, 0.2]));
    let turned = |angle: f64| {
        Pose::from_parts(
            Vec3::zeros().into(),
            UnitQuaternion::from_scaled_axis(Vec3::z() * angle),
        )
    };
    for k in 1..20 {
        let angle = 0.1 * f64::from(k);
        let place = at(0.45 * angle.cos(), 0.45 * angle.sin(), 0.0);
        let found = sweep_tool(
            &Tool::Mesh(&bar),
            ScrewMotion {
                from: &turned(0.0),
                to: &turned(2.0),
            },
            &post,
            &place,
            &SweepLimits::default(),
        );
        let Sweep::Crossing { t } = found else {
            panic!("{angle}: {found:?}");
        };
        assert!((2.0 * t - angle).abs() < 0.03, "{angle} {t}");
    }
}

/// Sliding along a face with a gap of a micron is proven clear, not merely unresolved.
#[test]
fn sliding_close_is_clear() {
    let table = Solid::new(&cuboid([0.2, 0.2, 0.05]));
    let cube = Solid::new(&cuboid([0.01; 3]));
    for gap in [1e-5, 1e-6] {
        let height = 0.06 + gap;
        let slid = sweep(
            &Tool::Mesh(&cube),
            &at(-0.001, 0.0, height),
            &at(0.001, 0.0005, height),
            &table,
        );
        assert!(is_clear(slid), "{slid:?}");
    }
    let touching = sweep(
        &Tool::Mesh(&cube),
        &at(-0.001, 0.0, 0.06),
        &at(0.001, 0.0, 0.0601),
        &table,
    );
    assert_eq!(touching, Sweep::Crossing { t: 0.0 });
}

#[test]
fn limits_are_reported_not_hidden() {
    let table = Solid::new(&cuboid([0.2, 0.2, 0.05]));
    let cube = Solid::new(&cuboid([0.01; 3]));
    let (from, to) = (at(-0.01, 0.0, 0.06 + 1e-8), at(0.01, 0.0, 0.06 + 1e-8));
    for limits in [
        SweepLimits {
            samples: 20,
            ..SweepLimits::default()
        },
        SweepLimits {
            resolution_m: 1e-3,
            ..SweepLimits::default()
        },
    ] {
        let tool = Tool::Mesh(&cube);
        let given_up = sweep_tool(
            &tool,
            ScrewMotion {
                from: &from,
                to: &to,
            },
            &table,
            &Pose::identity(),
            &limits,
        );
        let Sweep::Unresolved { distance_m, .. } = given_up else {
            panic!("{given_up:?}");
        };
        assert!((distance_m - 1e-8).abs() < 1e-12);
    }
    let nan = sweep(&Tool::Mesh(&cube), &from, &at(f64::NAN, 0.0, 0.0), &table);
    assert!(!is_clear(nan));
    let nan = sweep(&Tool::Sphere { radius_m: f64::NAN }, &from, &to, &table);
    assert!(!is_clear(nan));
}

/// Random screws past a rough ball: what is clear is clear at every sampled instant of the mesh
/// library's screw, and what dense sampling finds is never called clear.
#[test]
fn agrees_with_dense_sampling_of_the_screw() {
    let mut random = Random(7);
    let body = Solid::new(&ball(0.3, 6, 0.3, &mut random));
    let blob = Solid::new(&ball(0.1, 4, 0.3, &mut random));
    let id = Pose::identity();
    let (mut clear, mut crossed) = (0, 0);
    for round in 0..60 {
        let tool = if round % 2 == 0 {
            Tool::Mesh(&blob)
        } else {
            Tool::Sphere { radius_m: 0.08 }
        };
        let from = Pose::from_parts(
            (random.vec3().normalize() * 0.6).into(),
            random.pose(0.0).rotation,
        );
        let turn = UnitQuaternion::from_scaled_axis(random.vec3());
        let to = Pose::from_parts((random.vec3() * 0.7).into(), turn * from.rotation);
        let screw = Screw::between(&from, &to);
        let met = (0..=200).any(|k| {
            let pose = screw.pose_at(&from, f64::from(k) / 200.0);
            distance_m(&tool, &pose, &body, &id) <= 0.0
        });
        match sweep(&tool, &from, &to, &body) {
            Sweep::Clear { .. } => {
                assert!(!met);
                clear += 1;
            }
            Sweep::Crossing { t } => {
                let pose = screw.pose_at(&from, t);
                assert!(distance_m(&tool, &pose, &body, &id) < 1e-12);
                crossed += 1;
            }
            Sweep::Unresolved { distance_m, .. } => assert!(!met || distance_m < 1e-6),
        }
    }
    assert!(clear > 10 && crossed > 10, "{clear} {crossed}");
}
