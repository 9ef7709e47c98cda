//! Kernels and primitives against the source and against finite differences.

use hapticd_geometry::{Mat3, Vec3};
use hapticd_skin::{Kernel, Primitive, PrimitiveError, Skeleton};
use proptest::prelude::*;

const KERNELS: [Kernel; 13] = [
    Kernel::Murakami,
    Kernel::Wyvill,
    Kernel::Nishimura,
    Kernel::Gascuel(1.0),
    Kernel::Gascuel(0.3),
    Kernel::Gascuel(6.0),
    Kernel::BlancSchlick(1.0),
    Kernel::BlancSchlick(0.1),
    Kernel::BlancSchlick(20.0),
    Kernel::Blinn(2.0),
    Kernel::Inverse,
    Kernel::Step,
    Kernel::Linear,
];

/// Value at a distance over the radius.
fn at(kernel: Kernel, d: f64) -> f64 {
    kernel.value(d * d)
}

/// Values of the table of section 3.2.1, as printed but for 5.5, and where they are 1/2.
#[test]
fn values_are_the_sources() {
    let blinn = |d: f64| (-2.0 * d * d).exp();
    let printed = |kernel: Kernel, d: f64| match kernel {
        Kernel::Murakami => (1.0 - d * d).powi(2),
        Kernel::Wyvill => {
            1.0 - 22.0 / 9.0 * d.powi(2) + 17.0 / 9.0 * d.powi(4) - 4.0 / 9.0 * d.powi(6)
        }
        Kernel::Nishimura if d <= 1.0 / 3.0 => 4.0 / 3.0 - 4.0 * d * d,
        Kernel::Nishimura => 2.0 * (1.0 - d).powi(2),
        Kernel::Gascuel(_) if d < 0.5 => 0.25 * (3.0 - 2.0 * d),
        Kernel::Gascuel(_) => (-1.0 + 8.0 * d - 2.0 * d) * (1.0 - d).powi(2),
        Kernel::BlancSchlick(_) if d < 0.5 => 1.0 - (3.0 * d * d).powi(2) / (1.0 + 0.5 * d * d),
        Kernel::BlancSchlick(_) => (1.0 - d * d).powi(2) / (-0.25 + 5.5 * d * d),
        Kernel::Blinn(_) => blinn(d),
        Kernel::Inverse => 1.0 / d,
        Kernel::Step => 0.5,
        Kernel::Linear => 1.0 - d,
    };
    for kernel in KERNELS {
        if matches!(kernel, Kernel::Gascuel(p) | Kernel::BlancSchlick(p) if p != 1.0) {
            continue;
        }
        for k in 1..100 {
            let d = f64::from(k) / 100.0;
            let [ours, theirs] = [at(kernel, d), printed(kernel, d)];
            assert!(
                (ours - theirs).abs() < 1e-14,
                "{kernel:?} at {d}: {ours}, {theirs}"
            );
        }
    }
    for (kernel, half) in [
        (Kernel::Murakami, 0.541_196_100_146_197),
        (Kernel::Wyvill, 0.5),
        (Kernel::Gascuel(1.0), 0.5),
        (Kernel::BlancSchlick(1.0), 0.5),
        (Kernel::BlancSchlick(7.0), 0.5),
        (Kernel::Linear, 0.5),
        (Kernel::Inverse, 2.0),
    ] {
        assert!((kernel.reach(0.5) - half).abs() < 1e-12, "{kernel:?}");
    }
    assert_eq!(Kernel::Murakami.reach(1.5), 0.0);
    assert_eq!(at(Kernel::Nishimura, 0.0), 4.0 / 3.0);
    assert_eq!(at(Kernel::Gascuel(1.0), 0.0), 0.75);
}

#[test]
fn kernels_fall_are_continuous_and_end() {
    for kernel in KERNELS {
        kernel.check().unwrap();
        let step = 1e-6;
        let mut before = at(kernel, step);
        for k in 2..1_500_000 {
            let d = f64::from(k) * step;
            let (value, slope) = kernel.with_slope(d * d);
            assert!(value >= 0.0 && slope <= 0.0, "{kernel:?} at {d}");
            assert!(value <= before, "{kernel:?} rises at {d}");
            // No step: less than the steepest slope times the distance.
            let steep = if kernel == Kernel::Inverse {
                f64::INFINITY
            } else {
                50.0
            };
            let stepped = before - value > steep * step;
            assert_eq!(
                stepped,
                kernel == Kernel::Step && d > 1.0 - step && value == 0.0 && before > 0.0,
                "{kernel:?} at {d}"
            );
            before = value;
        }
        if kernel.is_finite() {
            assert_eq!(kernel.with_slope(1.0), (0.0, 0.0), "{kernel:?}");
            assert_eq!(at(kernel, 1.5), 0.0);
        } else {
            assert!(at(kernel, 1.5) > 0.0);
        }
    }
}

/// Except for the three documented ones, the slope in `d` is continuous, at the joints and at the
/// end as well.
#[test]
fn slopes_are_continuous() {
    for kernel in KERNELS {
        if matches!(kernel, Kernel::Step | Kernel::Linear | Kernel::Inverse) {
            continue;
        }
        let slope = |d: f64| 2.0 * d * kernel.with_slope(d * d).1;
        for joint in [1.0 / 3.0, 0.5, 1.0] {
            if joint == 1.0 && !kernel.is_finite() {
                continue;
            }
            let jump = (slope(joint + 1e-9) - slope(joint - 1e-9)).abs();
            assert!(jump < 1e-6, "{kernel:?} at {joint}: {jump}");
        }
    }
}

#[test]
fn parameters_out_of_range_are_refused() {
    for kernel in [
        Kernel::Gascuel(0.0),
        Kernel::Gascuel(6.1),
        Kernel::Gascuel(f64::NAN),
        Kernel::BlancSchlick(-1.0),
        Kernel::Blinn(f64::INFINITY),
    ] {
        let error = kernel.check().unwrap_err();
        assert_eq!(
            error.kernel == kernel,
            !matches!(kernel, Kernel::Gascuel(p) if p.is_nan())
        );
        assert!(error.to_string().contains("above 0"), "{error}");
    }
}

fn vector() -> impl Strategy<Value = Vec3> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Vec3::from)
}

fn skeleton() -> impl Strategy<Value = Skeleton> {
    let axes = (vector(), [0.3..2.0, 0.3..2.0, 0.3..2.0]).prop_map(|(turn, lengths)| {
        let turn = nalgebra_turn(turn);
        turn * Mat3::from_diagonal(&Vec3::from(lengths))
    });
    prop_oneof![
        vector().prop_map(Skeleton::Point),
        (vector(), 1.3..9.0).prop_map(|(c, n)| Skeleton::Rounded(c, n)),
        [vector(), vector()].prop_map(Skeleton::Segment),
        [vector(), vector()].prop_map(Skeleton::Convolved),
        [vector(), vector(), vector()].prop_map(Skeleton::Triangle),
        (vector(), axes).prop_map(|(c, axes)| Skeleton::Ellipsoid(c, axes)),
        ([vector(), vector()], 0.05..0.5).prop_map(|(ends, r)| Skeleton::Cylinder(ends, r)),
    ]
}

fn nalgebra_turn(by: Vec3) -> Mat3 {
    *hapticd_geometry::Quat::from_scaled_axis(3.0 * by)
        .to_rotation_matrix()
        .matrix()
}

fn primitive() -> impl Strategy<Value = Primitive> {
    let smooth = prop_oneof![
        Just(Kernel::Murakami),
        Just(Kernel::Wyvill),
        Just(Kernel::Nishimura),
        (0.1..6.0).prop_map(Kernel::Gascuel),
        (0.1..9.0).prop_map(Kernel::BlancSchlick),
        (0.1..4.0).prop_map(Kernel::Blinn),
    ];
    (skeleton(), 0.3..1.5, 0.1..3.0, smooth).prop_map(|(skeleton, radius_m, amplitude, kernel)| {
        let convolved = matches!(skeleton, Skeleton::Convolved(_));
        Primitive {
            skeleton,
            radius_m,
            amplitude,
            kernel: if convolved { Kernel::Murakami } else { kernel },
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Also for sums over unequal radii: the gradient is linear.
    #[test]
    fn gradients_are_those_of_differences(
        some in proptest::collection::vec(primitive(), 1..4),
        at in vector(),
    ) {
        let h = 1e-7;
        let value = |x: &Vec3| some.iter().map(|p| p.value(x)).sum::<f64>();
        let mut sum = (0.0, Vec3::zeros());
        for primitive in &some {
            prop_assert_eq!(primitive.check(), Ok(()));
            let (f, g) = primitive.with_gradient(&at);
            sum = (sum.0 + f, sum.1 + g);
        }
        prop_assert!((sum.0 - value(&at)).abs() <= 1e-12 * sum.0.abs());
        let by_differences = Vec3::from([0, 1, 2].map(|k| {
            let step = Vec3::ith(k, h);
            (value(&(at + step)) - value(&(at - step))) / (2.0 * h)
        }));
        // Second derivatives jump where a branch, a region of the skeleton or the support ends:
        // differences there are off by the jump times their step.
        let steep: f64 = some.iter().map(|p| p.amplitude / (p.radius_m * p.radius_m)).sum();
        let tolerance = 1e-4 * sum.1.norm() + 200.0 * h * steep;
        prop_assert!(
            (by_differences - sum.1).norm() <= tolerance,
            "{:?} {:?}",
            by_differences,
            sum.1
        );
    }

    #[test]
    fn a_primitive_is_zero_outside_bounds(primitive in primitive(), at in vector()) {
        let (low, high) = primitive.bounds();
        let at = 3.0 * at;
        let inside = (0..3).all(|k| (low[k]..=high[k]).contains(&at[k]));
        prop_assert!(inside || primitive.value(&at) == 0.0);
        prop_assert!(primitive.value(&primitive.heart()) >= primitive.value(&at));
    }

    /// A segment in two pieces equals the whole one (section 1.2.5.2); the sum of two distance
    /// surfaces bulges.
    #[test]
    fn convolution_does_not_see_joints(
        ends in [vector(), vector()],
        share in 0.0..1.0,
        radius_m in 0.1..2.0,
        at in vector(),
    ) {
        let [a, b] = ends;
        let m = a + share * (b - a);
        let of = |ends| Primitive {
            skeleton: Skeleton::Convolved(ends),
            radius_m,
            amplitude: 1.0,
            kernel: Kernel::Murakami,
        };
        let parts = [of([a, b]), of([a, m]), of([m, b])];
        let [whole, first, second] = parts.map(|p| p.with_gradient(&at));
        prop_assert!((whole.0 - first.0 - second.0).abs() < 1e-12);
        prop_assert!((whole.1 - first.1 - second.1).norm() < 1e-11 / radius_m);
        // By quadrature.
        let n = 500;
        let length = (b - a).norm();
        let sum: f64 = (0..n).map(|k| {
            let x = a + (f64::from(k) + 0.5) / f64::from(n) * (b - a);
            Kernel::Murakami.value((at - x).norm_squared() / (radius_m * radius_m))
        }).sum();
        prop_assert!((whole.0 - sum * length / f64::from(n) / radius_m).abs() < 1e-4);
    }
}

#[test]
fn distance_bulges_where_segments_join() {
    let [a, m, b] = [-1.0, 0.0, 1.0].map(|x| Vec3::new(x, 0.0, 0.0));
    let of = |ends| Primitive {
        skeleton: Skeleton::Segment(ends),
        ..Primitive::point(Vec3::zeros(), 0.5)
    };
    let at = Vec3::new(0.0, 0.3, 0.0);
    let whole = of([a, b]).value(&at);
    assert!(of([a, m]).value(&at) + of([m, b]).value(&at) > 1.9 * whole);
    // Elsewhere a segment equals a point at the foot.
    let point = Primitive::point(Vec3::new(0.5, 0.0, 0.0), 0.5);
    let beside = Vec3::new(0.5, 0.2, 0.1);
    assert!((of([a, b]).value(&beside) - point.value(&beside)).abs() < 1e-15);
}

/// The `n`-norm: 2 is a ball, infinite a cube.
#[test]
fn rounded_is_between_ball_and_cube() {
    let of = |n| Primitive {
        skeleton: Skeleton::Rounded(Vec3::zeros(), n),
        ..Primitive::point(Vec3::zeros(), 1.0)
    };
    let at = Vec3::new(0.3, -0.5, 0.2);
    let ball = Primitive::point(Vec3::zeros(), 1.0);
    assert!((of(2.0).value(&at) - ball.value(&at)).abs() < 1e-15);
    assert!((of(f64::INFINITY).value(&at) - Kernel::Murakami.value(0.25)).abs() < 1e-15);
    assert_eq!(of(f64::INFINITY).with_gradient(&at).1.y, 4.0 * 0.75 * 0.5);
    assert!(of(1.0).value(&at) < of(1.5).value(&at) && of(3.0).value(&at) > of(2.0).value(&at));
    // A large exponent does not overflow.
    let far = of(300.0).with_gradient(&Vec3::new(1e-3, 0.9, 1e-3));
    assert!(far.1.iter().all(|x| x.is_finite()) && far.0 > 0.0);
}

#[test]
fn what_is_no_primitive_is_refused() {
    let good = Primitive::point(Vec3::zeros(), 1.0);
    let with = |skeleton| Primitive { skeleton, ..good };
    let nan = Vec3::new(0.0, f64::NAN, 0.0);
    let skew = Mat3::new(1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0);
    let wrong = [
        (
            Primitive {
                radius_m: 0.0,
                ..good
            },
            "radius 0 m",
        ),
        (
            Primitive {
                radius_m: f64::NAN,
                ..good
            },
            "radius NaN m",
        ),
        (
            Primitive {
                radius_m: f64::INFINITY,
                ..good
            },
            "radius inf m",
        ),
        (
            Primitive {
                amplitude: f64::NAN,
                ..good
            },
            "amplitude NaN",
        ),
        (
            Primitive {
                kernel: Kernel::Blinn(0.0),
                ..good
            },
            "Blinn(0.0)",
        ),
        (with(Skeleton::Point(nan)), "finite"),
        (with(Skeleton::Segment([nan, nan])), "finite"),
        (with(Skeleton::Triangle([nan; 3])), "finite"),
        (with(Skeleton::Rounded(Vec3::zeros(), 0.5)), "exponent"),
        (with(Skeleton::Rounded(Vec3::zeros(), f64::NAN)), "exponent"),
        (with(Skeleton::Ellipsoid(Vec3::zeros(), skew)), "orthogonal"),
        (
            with(Skeleton::Ellipsoid(Vec3::zeros(), Mat3::zeros())),
            "longer than 0",
        ),
        (
            with(Skeleton::Cylinder([Vec3::zeros(); 2], -1.0)),
            "0 m or more",
        ),
        (
            Primitive {
                kernel: Kernel::Wyvill,
                ..with(Skeleton::Convolved([Vec3::zeros(); 2]))
            },
            "only Murakami",
        ),
    ];
    for (primitive, words) in wrong {
        let error: PrimitiveError = primitive.check().unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
    // Skeletons of length 0, but with a value.
    for skeleton in [
        Skeleton::Segment([Vec3::zeros(); 2]),
        Skeleton::Convolved([Vec3::zeros(); 2]),
        Skeleton::Triangle([Vec3::zeros(); 3]),
        Skeleton::Cylinder([Vec3::zeros(); 2], 0.0),
    ] {
        let (value, gradient) = with(skeleton).with_gradient(&Vec3::new(0.1, 0.2, 0.3));
        assert!(value.is_finite() && gradient.iter().all(|x| x.is_finite()));
        let (value, gradient) = with(skeleton).with_gradient(&Vec3::zeros());
        assert!(value.is_finite() && gradient.iter().all(|x| x.is_finite()));
    }
}
