//! Parametric and implicit surfaces against closed-form results.

use crate::common;

use std::f64::consts::PI;

use common::SplitMix;
use hapticd_ccd::MeshIndex;
use hapticd_ccd::moving::pieces::{Implicit, MeshPieces, Parametric, Pieces, first_meeting};
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_geometry::{IVec3, Interval, Pose, Quat, Screw, Vec3, shapes};

const MAX_PAIRS: u64 = 3_000_000;

/// A sphere by angles.
fn sphere(radius: f64) -> Parametric<impl Fn(Interval, Interval) -> IVec3> {
    let r = Interval::point(radius);
    Parametric {
        position: move |u: Interval, v: Interval| {
            IVec3::new(v.cos() * u.cos() * r, v.cos() * u.sin() * r, v.sin() * r)
        },
        domain: [Interval::new(-PI, PI), Interval::new(-0.5 * PI, 0.5 * PI)],
    }
}

/// A torus about z as the zeros of a function.
fn torus(major: f64, minor: f64) -> Implicit<impl Fn(&IVec3) -> Interval> {
    let (wide, high) = (major + minor, minor);
    let side = |x: f64| Interval::new(-1.01 * x, 1.01 * x);
    Implicit {
        function: move |p: &IVec3| {
            let across = (p.x.sqr() + p.y.sqr()).sqrt() - Interval::point(major);
            across.sqr() + p.z.sqr() - Interval::point(minor).sqr()
        },
        bounds: IVec3::new(side(wide), side(wide), side(high)),
    }
}

fn moving(at: Vec3, turn: Vec3, d: Vec3, spin: Vec3) -> Motion {
    let start = Pose::from_parts(at.into(), Quat::from_scaled_axis(turn));
    Motion::screw(&start, &Screw::from_twist(&d, &spin, &at))
}

/// Spheres that turn about their centres meet when the distance of the centres says so.
#[test]
fn spheres_that_both_move() {
    let (small, large) = (sphere(0.1), sphere(0.2));
    let mut rng = SplitMix(31);
    let mut hits = 0;
    for _ in 0..25 {
        let (at, target) = (rng.direction() * 0.6, rng.point(0.25));
        let a = moving(at, rng.point(1.0), target - at, rng.point(1.0));
        let b = moving(-at, rng.point(1.0), at + rng.point(0.25), rng.point(1.0));
        let apart = |t: f64| {
            (a.pose_at(t).translation.vector - b.pose_at(t).translation.vector).norm() - 0.3
        };
        let (clearance, tolerance) = (1e-3, 2e-3);
        let found = first_meeting((&small, &a), (&large, &b), clearance, tolerance, MAX_PAIRS);
        assert!(found.certain);
        for k in 0..=1_000 {
            assert!(apart(found.free_until * f64::from(k) / 1_000.0) >= clearance - 1e-12);
        }
        if let Some([p, q]) = found.at {
            hits += 1;
            assert!(apart(found.free_until) <= clearance + tolerance);
            assert!((p - q).norm() <= clearance + 2.0 * tolerance);
        }
    }
    assert!(hits > 5, "{hits}");
}

/// A parametric, an implicit and a meshed surface against each other.
#[test]
fn three_kinds_of_surface() {
    let ball = sphere(0.1);
    let ring = torus(0.3, 0.05);
    let sheet = MeshIndex::new(shapes::sheet(1.0, 3).expect("valid"));
    let sheet = MeshPieces(&sheet);
    let still = Motion::still(&Pose::identity());
    let down = |x: f64| {
        moving(
            Vec3::new(x, 0.0, 1.0),
            Vec3::x() * 0.3,
            -Vec3::z(),
            Vec3::zeros(),
        )
    };
    let met = |found: hapticd_ccd::moving::pieces::PieceMeeting, height: f64| {
        // Falls one metre from a height of one metre.
        let expected = 1.0 - height;
        assert!(found.certain && found.free_until <= expected + 1e-12);
        assert!(
            found.free_until >= expected - 5e-3,
            "{} {expected}",
            found.free_until
        );
    };
    let tolerance = 2e-3;
    met(
        first_meeting(
            (&ball, &down(0.2)),
            (&sheet, &still),
            0.0,
            tolerance,
            MAX_PAIRS,
        ),
        0.1,
    );
    // On top of the ring: tube of 0.05 and ball of 0.1 above its centre line. In its hole: passes
    // through.
    met(
        first_meeting(
            (&ball, &down(0.3)),
            (&ring, &still),
            0.0,
            tolerance,
            MAX_PAIRS,
        ),
        0.15,
    );
    let through = first_meeting(
        (&ball, &down(0.0)),
        (&ring, &still),
        0.0,
        tolerance,
        MAX_PAIRS,
    );
    assert!(through.certain && through.free_until == 1.0 && through.at.is_none());
    // The ring, tilted by 0.3, on the sheet: its centre is above the sheet by the tube and the
    // tilted circle.
    let height = 0.3 * 0.3f64.sin() + 0.05;
    met(
        first_meeting(
            (&ring, &down(0.0)),
            (&sheet, &still),
            0.0,
            tolerance,
            MAX_PAIRS,
        ),
        height,
    );
}

/// Meshes as pieces meet when meshes do.
#[test]
fn meshes_as_pieces() {
    let a = MeshIndex::new(shapes::cuboid(&Vec3::new(0.1, 0.05, 0.08)).expect("valid"));
    let b = MeshIndex::new(shapes::icosphere(0.15, 1).expect("valid"));
    let mut rng = SplitMix(32);
    let mut search = MovingSearch::new(16);
    let mut hits = 0;
    for _ in 0..15 {
        let at = rng.direction() * 0.5;
        let motion_a = moving(
            at,
            rng.point(1.0),
            (rng.point(0.2) - at) * 1.3,
            rng.point(1.0),
        );
        let motion_b = moving(
            Vec3::zeros(),
            rng.point(1.0),
            rng.point(0.1),
            rng.point(1.0),
        );
        let body = |shape, motion| MovingBody {
            shape,
            motion,
            radius_m: 0.0,
        };
        let exact = search.first_contact(&body(&a, &motion_a), &body(&b, &motion_b), 1e-3, 1.0);
        let pieces = (MeshPieces(&a), MeshPieces(&b));
        let found = first_meeting(
            (&pieces.0, &motion_a),
            (&pieces.1, &motion_b),
            1e-3,
            1e-3,
            MAX_PAIRS,
        );
        assert!(found.certain && found.free_until <= exact.free_until + 1e-9);
        if exact.first.is_some() {
            hits += 1;
            assert!(
                found.free_until >= exact.free_until - 0.05,
                "{} {}",
                found.free_until,
                exact.free_until
            );
        }
    }
    assert!(hits > 5, "{hits}");
}

#[test]
fn no_numbers_and_no_room() {
    let ball = sphere(0.1);
    let still = Motion::still(&Pose::identity());
    let broken = Motion::still(&Pose::translation(f64::NAN, 0.0, 0.0));
    let none = first_meeting((&ball, &broken), (&ball, &still), 0.0, 1e-3, MAX_PAIRS);
    assert!(!none.certain && none.free_until == 0.0);
    let none = first_meeting((&ball, &still), (&ball, &still), f64::NAN, 1e-3, MAX_PAIRS);
    assert!(!none.certain);
    let near = moving(Vec3::z() * 0.25, Vec3::zeros(), -Vec3::z(), Vec3::zeros());
    let cut = first_meeting((&ball, &near), (&ball, &still), 0.0, 1e-3, 20);
    assert!(!cut.certain && cut.free_until <= 0.05);
    let nowhere = Parametric {
        position: |_: Interval, _: Interval| {
            IVec3::new(Interval::ENTIRE, Interval::ENTIRE, Interval::ENTIRE)
        },
        domain: [Interval::new(0.0, 1.0); 2],
    };
    assert!(nowhere.halves(&nowhere.whole()).iter().all(Option::is_some));
    let all = first_meeting((&nowhere, &near), (&ball, &still), 0.0, 1e-3, 1_000);
    assert!(!all.certain && all.free_until == 0.0);
}
