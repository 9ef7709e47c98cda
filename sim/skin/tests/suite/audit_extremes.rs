//! Numbers at the limits of what is accepted: anything accepted has a value and a gradient
//! everywhere, and affects nothing else.

use hapticd_geometry::{Mat3, Vec3};
use hapticd_skin::{
    Ambiguity, Domain, Kernel, Mesh, MotionError, Primitive, Settings, Skeleton, Skin, SkinError,
    Tracker,
};
use proptest::prelude::*;

fn settings() -> Settings {
    Settings {
        domain: Domain::new(Vec3::repeat(-1.0), 0.1, [20; 3]).unwrap(),
        level: 0.5,
        ambiguity: Ambiguity::Separate,
    }
}

fn skin(of: &[Primitive]) -> Mesh {
    let mut mesh = Mesh::default();
    Skin::default()
        .polygonize(&settings(), of, &mut mesh)
        .unwrap();
    mesh
}

/// Between nodes, where four bricks meet: a primitive that reaches no node changes no vertex and no
/// normal of a ball, however small it is and however large its amplitude, of either sign.
#[test]
fn what_no_node_sees_changes_no_normal() {
    let ball = Primitive::point(Vec3::new(0.013, -0.021, 0.017), 0.9);
    let alone = skin(&[ball]);
    assert!(alone.points.len() > 300);
    let at = Vec3::new(0.44, 0.05, 0.04);
    for radius_m in [0.02, 1e-6, 1e-12, 1e-19, 1e-25, 1e-38, 1e-45, 1e-100] {
        for amplitude in [1.0, 1e-40, 3e38, -3e38, 0.0] {
            let small = Primitive {
                amplitude,
                ..Primitive::point(at, radius_m)
            };
            let both = skin(&[ball, small]);
            assert_eq!(both.points, alone.points, "{small:?}");
            assert_eq!(both.triangles, alone.triangles, "{small:?}");
            for (a, b) in both.normals.iter().zip(&alone.normals) {
                let off = (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f32::max);
                assert!(off < 1e-5, "{small:?}: {a:?} {b:?}");
            }
        }
    }
}

/// Every skeleton with numbers from tiny to huge: refused, or finite everywhere, and its mesh
/// together with a ball closes.
#[test]
fn what_is_accepted_is_finite_everywhere_and_tears_no_mesh() {
    let numbers = [
        0.0, 1e-300, 1e-160, 1e-30, 1.0, 1e30, 1e100, 1e160, 1e200, 1e308,
    ];
    let ball = Primitive::point(Vec3::new(0.03, 0.31, -0.02), 0.6);
    let (mut accepted, mut refused) = (0, 0);
    for x in numbers {
        for radius_m in [
            1e-308, 1e-200, 1e-160, 1e-150, 1e-30, 0.3, 1e30, 1e200, 1e308,
        ] {
            let [a, b] = [-1.0, 0.7].map(|by| Vec3::new(by * x, 0.0, 0.1));
            let axes = Mat3::from_diagonal(&Vec3::new(x, 1.0, 0.5));
            for skeleton in [
                Skeleton::Point(a),
                Skeleton::Rounded(a, 1.0),
                Skeleton::Rounded(a, 5.0),
                Skeleton::Rounded(a, f64::INFINITY),
                Skeleton::Segment([a, b]),
                Skeleton::Convolved([a, b]),
                Skeleton::Triangle([a, b, Vec3::new(0.1, 0.4 * x, -0.3)]),
                Skeleton::Ellipsoid(Vec3::zeros(), axes),
                Skeleton::Cylinder([a, b], 0.1),
                Skeleton::Cylinder([-Vec3::z(), Vec3::z()], x),
            ] {
                let one = Primitive {
                    skeleton,
                    radius_m,
                    amplitude: 1.0,
                    kernel: Kernel::Murakami,
                };
                let mut mesh = Mesh::default();
                let made = Skin::default().polygonize(&settings(), &[ball, one], &mut mesh);
                if one.check().is_err() {
                    refused += 1;
                    let is = matches!(made, Err(SkinError::Primitive { number: 1, .. }));
                    assert!(is, "{one:?}: {made:?}");
                    continue;
                }
                accepted += 1;
                let places = [one.heart(), Vec3::zeros(), Vec3::repeat(0.1), a, b];
                let around = [0.0, 1e-200, 1e-3].map(|by| by * radius_m);
                for at in places {
                    for by in around {
                        let at = at + Vec3::new(by, -by, 0.5 * by);
                        let (value, gradient) = one.with_gradient(&at);
                        let finite = value.is_finite() && gradient.iter().all(|x| x.is_finite());
                        assert!(finite, "{one:?} at {at:?}: {value} {gradient:?}");
                        assert_eq!(value, one.value(&at));
                    }
                }
                assert!(made.is_ok(), "{one:?}: {made:?}");
                let faults = mesh.faults();
                let sound = (faults.open_edges, faults.pinched) == (0, 0);
                assert!(sound, "{one:?}: {faults:?}");
                let all = mesh.points.iter().chain(&mesh.normals).flatten();
                assert!(all.clone().all(|x| x.is_finite()), "{one:?}");
            }
        }
    }
    assert!(accepted > 400 && refused > 50, "{accepted} {refused}");
}

/// An accepted parameter keeps a kernel decreasing and nonnegative up to rounding, however large it
/// is.
#[test]
fn any_parameter_that_is_accepted_leaves_a_kernel_falling() {
    let mut accepted = 0;
    for p in [
        5e-324,
        1e-300,
        1e-9,
        0.5,
        6.0,
        1e3,
        1e6,
        1e9,
        1e15,
        1e16,
        1e17,
        1e100,
        f64::MAX,
    ] {
        for kernel in [
            Kernel::Gascuel(p),
            Kernel::BlancSchlick(p),
            Kernel::Blinn(p),
        ] {
            if kernel.check().is_err() {
                continue;
            }
            accepted += 1;
            let mut before = f64::INFINITY;
            // In the square of the distance, including the joints at a ninth, a quarter and one,
            // and points next to them.
            for k in 0..=7200 {
                for beside in [-1e-13, 0.0, 1e-13] {
                    let u = (f64::from(k) / 3600.0 + beside).max(0.0);
                    let (value, slope) = kernel.with_slope(u);
                    let about = format!("{kernel:?} at {u}: {value}, slope {slope}");
                    assert!((0.0..=2.0 + 1e-9).contains(&value), "{about}");
                    assert!(slope <= 0.0 && slope.is_finite(), "{about}");
                    assert!(value <= before + 1e-9, "{about} after {before}");
                    before = value;
                }
            }
        }
    }
    assert!(accepted > 15, "{accepted}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Also for kernels with a tip or without an end, for negative terms, and for norms with edges:
    /// where the gradient exists, away from tips and edges.
    #[test]
    fn gradients_of_tips_and_negative_terms_are_those_of_differences(
        turn in [-1.0..1.0, -1.0..1.0, -1.0..1.0],
        share in 0.15..0.9,
        radius_m in 0.2..2.0,
        amplitude in -3.0..3.0,
        which in 0_usize..6,
    ) {
        let centre = Vec3::new(0.3, -0.7, 0.2);
        let direction = Vec3::from(turn);
        prop_assume!(direction.norm() > 0.1);
        // Away from where two coordinates are equal, and from where one is 0.
        let sizes = direction.normalize().abs();
        let gaps = [sizes.x - sizes.y, sizes.y - sizes.z, sizes.z - sizes.x];
        prop_assume!(sizes.min() > 0.05 && gaps.iter().all(|x| x.abs() > 0.02));
        let (skeleton, kernel) = [
            (Skeleton::Point(centre), Kernel::Inverse),
            (Skeleton::Point(centre), Kernel::Linear),
            (Skeleton::Point(centre), Kernel::Murakami),
            (Skeleton::Rounded(centre, 1.0), Kernel::Murakami),
            (Skeleton::Rounded(centre, f64::INFINITY), Kernel::Wyvill),
            (Skeleton::Rounded(centre, 2.0), Kernel::Linear),
        ][which];
        let one = Primitive { skeleton, radius_m, amplitude, kernel };
        prop_assert_eq!(one.check(), Ok(()));
        // Another one next to it, with another radius, to test sums.
        let two = Primitive { amplitude: -0.3, ..Primitive::point(centre.add_scalar(0.4), 1.7 * radius_m) };
        // Before the end, by the longest norm.
        let at = centre + direction.normalize() * (share * radius_m / 3.0_f64.sqrt());
        let h = 1e-6 * radius_m;
        let value = |x: &Vec3| one.value(x) + two.value(x);
        let by_differences = Vec3::from([0, 1, 2].map(|k| {
            let step = Vec3::ith(k, h);
            (value(&(at + step)) - value(&(at - step))) / (2.0 * h)
        }));
        let gradient = one.with_gradient(&at).1 + two.with_gradient(&at).1;
        let scale = one.with_gradient(&at).1.norm() + two.with_gradient(&at).1.norm();
        prop_assert!((by_differences - gradient).norm() <= 1e-6 * scale + 1e-9, "{one:?}: {by_differences:?} {gradient:?}");
    }
}

/// Velocities are published in single precision: one that overflows is refused as not finite, and
/// the largest that fits comes back finite.
#[test]
fn velocities_beyond_single_precision_are_refused() {
    let balls = [-0.2, 0.2].map(|x| Primitive::point(Vec3::new(x, 0.0, 0.0), 0.6));
    let (mut skin, mut mesh, mut out) = (Skin::default(), Mesh::default(), Vec::new());
    skin.polygonize(&settings(), &balls, &mut mesh).unwrap();
    let large = Vec3::new(3e38, 0.0, 0.0);
    skin.motions(&mesh, &[large, -large], &mut out).unwrap();
    assert_eq!(out.len(), mesh.points.len());
    assert!(out.iter().flatten().all(|x| x.is_finite()));
    let larger = Vec3::new(0.0, 4e38, 0.0);
    let refused = skin.motions(&mesh, &[large, larger], &mut out);
    let is = matches!(refused, Err(MotionError::NotFinite { number: 1, .. }));
    assert!(is && out.is_empty(), "{refused:?}");
}

/// A hundred thousand balls that each reach all 15³ bricks are refused by both polygonizers, with
/// the numbers, before memory is allocated. A thousand of them are accepted.
#[test]
fn primitives_that_reach_everything_are_refused_before_memory_is_full() {
    let ball = |k: u32| Primitive {
        amplitude: 1e-3,
        ..Primitive::point(1e-6 * Vec3::new(k.into(), 0.3, 0.7), 30.0)
    };
    let crowd: Vec<Primitive> = (0..100_000).map(ball).collect();
    let wide = Settings {
        domain: Domain::new(Vec3::repeat(-10.5), 0.2, [105; 3]).unwrap(),
        ..settings()
    };
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let refused = skin.polygonize(&wide, &crowd, &mut mesh);
    let entries = 100_000 * 15 * 15 * 15;
    let most = 1 << 28;
    let dense = SkinError::Dense {
        primitives: 100_000,
        entries,
        most,
    };
    assert_eq!(refused, Err(dense.clone()));
    assert!(dense.to_string().contains("337500000 bricks"), "{dense}");
    assert!(mesh == Mesh::default() && skin.bytes() < 50_000_000);
    let mut tracker = Tracker::default();
    assert_eq!(tracker.polygonize(&wide, &crowd, &mut mesh), Err(dense));
    let fewer = skin.polygonize(&wide, &crowd[..1000], &mut mesh).unwrap();
    assert_eq!((fewer.reached, mesh.faults().open_edges), (15 * 15 * 15, 0));
}
