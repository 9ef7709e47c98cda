//! How vertices move, and which primitives are lost.

use hapticd_counting::counted;
use hapticd_geometry::Vec3;
use hapticd_skin::blend::Graph;
use hapticd_skin::{
    Ambiguity, Domain, Kernel, Lost, Mesh, MotionError, Primitive, Settings, Skeleton, Skin,
    visible_radius_m,
};
use proptest::prelude::*;

fn settings(cell_m: f64, cells: u32) -> Settings {
    let half = f64::from(cells) * cell_m / 2.0;
    Settings {
        domain: Domain::new(Vec3::repeat(-half), cell_m, [cells; 3]).unwrap(),
        level: 0.5,
        ambiguity: Ambiguity::Separate,
    }
}

/// A coil of balls with a segment among them: terms evaluated in lanes and otherwise.
fn some(count: u32) -> Vec<Primitive> {
    let at = |k: u32| {
        let s = f64::from(k) * 0.4;
        Vec3::new(0.6 * s.sin(), 0.6 * (1.3 * s).cos(), 0.05 * s - 0.3)
    };
    let mut all: Vec<Primitive> = (0..count).map(|k| Primitive::point(at(k), 0.3)).collect();
    all[1].skeleton = Skeleton::Segment([at(1), at(2)]);
    all[3].amplitude = -0.2;
    all
}

fn moved(primitives: &[Primitive], by: Vec3) -> Vec<Primitive> {
    let mut all = primitives.to_vec();
    for p in &mut all {
        match &mut p.skeleton {
            Skeleton::Point(c) => *c += by,
            Skeleton::Segment(ends) => ends.iter_mut().for_each(|end| *end += by),
            _ => unreachable!(),
        }
    }
    all
}

#[test]
fn what_moves_as_one_moves_to_the_bit() {
    let settings = settings(0.05, 40);
    let primitives = some(30);
    let mut graph = Graph::new();
    for b in 0..30 {
        for a in (0..b).filter(|a| a % 3 == b % 3) {
            graph.allow(a, b);
        }
    }
    let velocity = Vec3::new(0.125, -0.7, 0.3);
    let wanted: [f32; 3] = velocity.cast().into();
    let (mut skin, mut mesh, mut out) = (Skin::default(), Mesh::default(), Vec::new());
    for controlled in [false, true] {
        let made = if controlled {
            skin.polygonize_controlled(&settings, &primitives, &graph, &mut mesh)
        } else {
            skin.polygonize(&settings, &primitives, &mut mesh)
        };
        assert_eq!(made.unwrap().control.doubled > 0, controlled);
        skin.motions(&mesh, &[velocity; 30], &mut out).unwrap();
        assert_eq!(out.len(), mesh.points.len());
        assert!(out.iter().all(|v| *v == wanted), "{controlled}");
        let (done, calls) = counted(|| skin.motions(&mesh, &[velocity; 30], &mut out));
        assert_eq!((done, calls), (Ok(()), 0));
    }
    // A mesh moved by one step is near the mesh of the moved primitives.
    skin.polygonize(&settings, &primitives, &mut mesh).unwrap();
    skin.motions(&mesh, &[velocity; 30], &mut out).unwrap();
    let there = moved(&primitives, 0.01 * velocity);
    for (p, v) in mesh.points.iter().zip(&out) {
        let at = Vec3::from([0, 1, 2].map(|k| f64::from(p[k]) + 0.01 * f64::from(v[k])));
        let sum: f64 = there.iter().map(|p| p.value(&at)).sum();
        assert!((sum - 0.5).abs() < 0.05, "{p:?}: {sum}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(30))]

    /// Against the plain mean over all primitives, and between the smallest and the largest
    /// velocity.
    #[test]
    fn motions_are_means_by_potential(
        velocities in proptest::collection::vec([-1.0..1.0, -1.0..1.0, -1.0..1.0], 20),
    ) {
        let settings = settings(0.08, 26);
        let primitives = some(20);
        let velocities: Vec<Vec3> = velocities.into_iter().map(Vec3::from).collect();
        let (mut skin, mut mesh, mut out) = (Skin::default(), Mesh::default(), Vec::new());
        skin.polygonize(&settings, &primitives, &mut mesh).unwrap();
        skin.motions(&mesh, &velocities, &mut out).unwrap();
        for (p, v) in mesh.points.iter().zip(&out) {
            let at = Vec3::from(p.map(f64::from));
            let (mut sum, mut weights) = (Vec3::zeros(), 0.0);
            for (primitive, velocity) in primitives.iter().zip(&velocities) {
                let weight = primitive.value(&at).abs();
                sum += weight * velocity;
                weights += weight;
            }
            let wanted = sum / weights;
            prop_assert!((Vec3::from(v.map(f64::from)) - wanted).amax() < 1e-4, "{v:?} {wanted}");
        }
    }
}

/// Two bodies that press each other: neither drags the other along.
#[test]
fn a_class_moves_alone() {
    let settings = settings(0.07, 40);
    let balls = [-0.4, 0.4].map(|x| Primitive::point(Vec3::new(x, 0.011, -0.007), 1.0));
    let velocities = [Vec3::x(), -Vec3::x()];
    let (mut skin, mut mesh, mut out) = (Skin::default(), Mesh::default(), Vec::new());
    skin.polygonize_controlled(&settings, &balls, &Graph::new(), &mut mesh)
        .unwrap();
    skin.motions(&mesh, &velocities, &mut out).unwrap();
    // The outward normal of one's flat side points to the other.
    for ((p, n), v) in mesh.points.iter().zip(&mesh.normals).zip(&out) {
        if p[0].abs() < 1e-3 && n[0].abs() > 0.9 {
            assert_eq!(v[0], n[0].signum(), "{p:?} {n:?}");
        }
    }
    assert!(out.iter().any(|v| v[0] == 1.0) && out.iter().any(|v| v[0] == -1.0));
    // Free, they blend, and so do their motions.
    skin.polygonize(&settings, &balls, &mut mesh).unwrap();
    skin.motions(&mesh, &velocities, &mut out).unwrap();
    assert!(out.iter().any(|v| v[0].abs() < 0.1));
}

/// A ball so small that a vertex between nodes is out of its reach still moves the vertex.
#[test]
fn a_vertex_beyond_all_reach_goes_with_the_nearest() {
    let settings = settings(0.1, 10);
    let ball = [Primitive::point(Vec3::zeros(), 0.04)];
    let (mut skin, mut mesh, mut out) = (Skin::default(), Mesh::default(), Vec::new());
    skin.polygonize(&settings, &ball, &mut mesh).unwrap();
    assert_eq!(mesh.points.len(), 6);
    assert!(
        mesh.points
            .iter()
            .all(|p| p.map(f32::abs).iter().sum::<f32>() > 0.04)
    );
    skin.motions(&mesh, &[Vec3::y()], &mut out).unwrap();
    assert_eq!(out, [[0.0, 1.0, 0.0]; 6]);
}

#[test]
fn what_does_not_fit_the_last_mesh_is_refused() {
    let settings = settings(0.1, 20);
    let ball = [Primitive::point(Vec3::zeros(), 0.7)];
    let (mut skin, mut mesh, mut out) = (Skin::default(), Mesh::default(), Vec::new());
    assert_eq!(skin.motions(&mesh, &[], &mut out), Ok(()));
    skin.polygonize(&settings, &ball, &mut mesh).unwrap();
    let still = [Vec3::zeros()];
    skin.motions(&mesh, &still, &mut out).unwrap();
    let error = skin.motions(&mesh, &[], &mut out).unwrap_err();
    assert_eq!(
        error.to_string(),
        "0 velocities: the last mesh was made of 1 primitives"
    );
    assert!(out.is_empty());
    let none = [Vec3::new(0.0, f64::NAN, 0.0)];
    let error = skin.motions(&mesh, &none, &mut out).unwrap_err();
    assert!(
        matches!(error, MotionError::NotFinite { number: 0, .. }),
        "{error}"
    );
    let other = Mesh::default();
    let error = skin.motions(&other, &still, &mut out).unwrap_err();
    let made = mesh.points.len();
    assert_eq!(error, MotionError::Mesh { given: 0, made });
    // Nothing is left of a refused mesh.
    let bad = [Primitive::point(Vec3::zeros(), f64::NAN)];
    skin.polygonize(&settings, &bad, &mut mesh).unwrap_err();
    assert_eq!(skin.motions(&mesh, &[], &mut out), Ok(()));
    assert!(out.is_empty());
}

#[test]
fn what_will_not_be_seen_is_counted() {
    let settings = settings(0.1, 20);
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let mut lost = |primitives: &[Primitive]| {
        skin.polygonize(&settings, primitives, &mut mesh)
            .unwrap()
            .lost
    };
    let good = Primitive::point(Vec3::zeros(), 0.5);
    assert_eq!(lost(&[good]), Lost::default());
    // The smallest that spans a cube has a radius of 0.1 m over 0.5412.
    let small = |at: [f64; 3]| Primitive::point(Vec3::from(at), 0.18);
    let between = Primitive::point(Vec3::repeat(0.75), 0.08);
    let outside = Primitive::point(Vec3::new(0.0, 1.9, 0.0), 0.8);
    let weak = Primitive {
        amplitude: 0.4,
        ..good
    };
    let away = Primitive {
        amplitude: -1.0,
        ..good
    };
    let wide = Primitive::point(Vec3::zeros(), 0.185);
    assert_eq!(lost(&[wide]), Lost::default());
    assert_eq!(
        lost(&[good, small([0.3, 0.3, 0.3])]),
        Lost {
            small: 1,
            ..Lost::default()
        }
    );
    assert_eq!(
        lost(&[good, between]),
        Lost {
            small: 1,
            unseen: 1,
            ..Lost::default()
        }
    );
    assert_eq!(
        lost(&[good, outside]),
        Lost {
            outside: 1,
            unseen: 1,
            ..Lost::default()
        }
    );
    assert_eq!(
        lost(&[weak]),
        Lost {
            weak: 1,
            unseen: 1,
            ..Lost::default()
        }
    );
    // Two weak ones make one surface.
    assert_eq!(
        lost(&[weak, weak]),
        Lost {
            weak: 2,
            ..Lost::default()
        }
    );
    assert_eq!(
        lost(&[good, away]),
        Lost {
            weak: 1,
            unseen: 2,
            ..Lost::default()
        }
    );
    // By their thickness, not by their reach.
    let of = |skeleton, radius_m| Primitive {
        skeleton,
        radius_m,
        ..good
    };
    let [a, b] = [-0.3, 0.3].map(|x| Vec3::new(x, 0.0, 0.0));
    let axes = hapticd_geometry::Mat3::from_diagonal(&Vec3::new(3.0, 1.0, 0.1));
    assert_eq!(lost(&[of(Skeleton::Cylinder([a, b], 0.2), 0.05)]).small, 0);
    assert_eq!(
        lost(&[of(Skeleton::Ellipsoid(Vec3::zeros(), axes), 0.3)]).small,
        1
    );
    assert_eq!(lost(&[of(Skeleton::Segment([a, b]), 0.1)]).small, 1);
    assert_eq!(lost(&[of(Skeleton::Convolved([a, b]), 0.3)]).small, 0);
    assert_eq!(lost(&[of(Skeleton::Convolved([a, 0.99 * a]), 0.3)]).weak, 1);
}

/// The visible radius is where the potential of a lone primitive equals the level.
#[test]
fn the_visible_radius_is_where_the_level_is() {
    let [a, b] = [-0.7, 0.3].map(|x| Vec3::new(x, 0.2, -0.1));
    for (skeleton, kernel) in [
        (Skeleton::Point(a), Kernel::Murakami),
        (Skeleton::Segment([a, b]), Kernel::Wyvill),
        (Skeleton::Convolved([a, b]), Kernel::Murakami),
    ] {
        let primitive = Primitive {
            skeleton,
            kernel,
            radius_m: 0.6,
            amplitude: 1.2,
        };
        let radius = visible_radius_m(&primitive, 0.4);
        assert!(radius > 0.1);
        let at = primitive.heart() + radius * Vec3::new(0.0, 0.6, -0.8);
        assert!((primitive.value(&at) - 0.4).abs() < 1e-9, "{skeleton:?}");
        assert_eq!(
            visible_radius_m(
                &Primitive {
                    amplitude: -1.0,
                    ..primitive
                },
                0.4
            ),
            0.0
        );
    }
    let none = Primitive {
        skeleton: Skeleton::Convolved([a, a]),
        ..Primitive::point(a, 0.6)
    };
    assert_eq!(visible_radius_m(&none, 0.4), 0.0);
}
