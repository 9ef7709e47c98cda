use proptest::prelude::*;

use super::*;
use crate::shapes;

fn smooth(mesh: TriMesh) -> Option<SmoothMesh> {
    let mesh = Arc::new(mesh);
    SmoothMesh::new(&mesh, &Adjacency::new(&mesh))
}

/// The default bodies of a scene.
fn sphere() -> SmoothMesh {
    smooth(shapes::icosphere(0.05, 3).unwrap()).unwrap()
}

fn torus() -> SmoothMesh {
    smooth(shapes::torus(0.05, 0.015, 64, 24).unwrap()).unwrap()
}

fn cylinder() -> SmoothMesh {
    smooth(shapes::cylinder(0.03, 0.05, 48).unwrap()).unwrap()
}

fn trough() -> SmoothMesh {
    smooth(shapes::trough(0.008, 0.016, 0.02).unwrap()).unwrap()
}

/// Weights inside a triangle.
fn inside() -> impl Strategy<Value = [f64; 3]> {
    (0.01..1.0_f64, 0.01..1.0_f64, 0.01..1.0_f64).prop_map(|(a, b, c)| {
        let sum = a + b + c;
        [a / sum, b / sum, c / sum]
    })
}

#[test]
fn planes_and_boxes_stay_meshes() {
    let half = Vec3::new(0.1, 0.05, 0.02);
    assert!(smooth(shapes::cuboid(&half).unwrap()).is_none());
    assert!(smooth(shapes::plate(0.1, 0.1, 0.01).unwrap()).is_none());
    assert!(smooth(shapes::inner_corner(0.2, 0.01).unwrap()).is_none());
    assert!(smooth(shapes::sheet(0.1, 100).unwrap()).is_none());
    // Too coarse to tell what was meant: 6 mm from edge to sphere.
    assert!(smooth(shapes::icosphere(0.5, 2).unwrap()).is_none());
}

#[test]
fn ends_of_a_cylinder_stay_planes() {
    let body = cylinder();
    for face in 0..body.faces.len() as u32 {
        let [a, b, c] = body.mesh.triangle(face as usize);
        let lid = facet(&[a, b, c]).z.abs() > 0.5;
        assert_eq!(body.is_flat(face), lid);
    }
    let across = 0.03 * (1.0 - (std::f64::consts::PI / 48.0).cos());
    assert!(
        (body.lift_m() / across - 1.0).abs() < 0.01,
        "{}",
        body.lift_m()
    );
}

/// Two triangles with a common side have one place and one tangent plane there.
#[test]
fn patches_meet_smoothly_on_every_side() {
    let hills = shapes::terrain([0.05, 0.05], 20, 0.004, 0.02, 3).unwrap();
    for body in [sphere(), torus(), cylinder(), smooth(hills).unwrap()] {
        let mut compared = 0;
        for face in 0..body.faces.len() as u32 {
            for corner in 0..3 {
                for share in [0.1, 0.35, 0.5, 0.8] {
                    let mut w = [0.0; 3];
                    w[(corner + 1) % 3] = share;
                    w[(corner + 2) % 3] = 1.0 - share;
                    let Some((there, v)) = body.over(face, corner, &w) else {
                        continue;
                    };
                    let here = body.patch(face).spot(&w);
                    let there = body.patch(there).spot(&v);
                    assert!((here.point - there.point).norm() < 1e-12);
                    assert!((here.normal - there.normal).norm() < 1e-4);
                    compared += 1;
                }
            }
        }
        assert!(compared > 1000, "{compared}");
    }
}

/// How far the surface deviates from a body's true shape, and its normal.
fn off(body: &SmoothMesh, truth: impl Fn(&Vec3) -> (f64, Vec3)) -> (f64, f64) {
    let (mut far, mut turned) = (0.0_f64, 0.0_f64);
    for face in (0..body.faces.len() as u32).filter(|face| !body.is_flat(*face)) {
        for w in [
            [0.4, 0.35, 0.25],
            [0.8, 0.15, 0.05],
            [0.02, 0.49, 0.49],
            [0.1, 0.1, 0.8],
        ] {
            let spot = body.patch(face).spot(&w);
            let (distance, normal) = truth(&spot.point);
            far = far.max(distance.abs());
            turned = turned.max(spot.normal.cross(&normal).norm());
        }
    }
    (far, turned)
}

#[test]
fn surfaces_are_what_the_default_meshes_stand_for() {
    let (far, turned) = off(&sphere(), |p| (p.norm() - 0.05, p.normalize()));
    assert!(far < 2e-6 && turned < 2e-3, "sphere: {far} m, {turned} rad");
    let (far, turned) = off(&cylinder(), |p| {
        let out = Vec3::new(p.x, p.y, 0.0);
        (out.norm() - 0.03, out.normalize())
    });
    assert!(
        far < 1e-6 && turned < 2e-3,
        "cylinder: {far} m, {turned} rad"
    );
    let (far, turned) = off(&torus(), |p| {
        let out = p - Vec3::new(p.x, p.y, 0.0).normalize() * 0.05;
        (out.norm() - 0.015, out.normalize())
    });
    assert!(far < 8e-6 && turned < 1e-2, "torus: {far} m, {turned} rad");
}

proptest! {
    /// From far away, over many triangles: where the point is straight above.
    #[test]
    fn feet_on_spheres_are_found_from_neighbours(
        face in 0_u32..1280, w in inside(),
        x in prop::array::uniform3(-1.0..1.0_f64), turn in 0.0..0.3_f64, height in -0.02..0.02_f64,
    ) {
        let body = sphere();
        let start = body.patch(face).at(&w).normalize();
        let across = start.cross(&Vec3::from(x));
        prop_assume!(across.norm() > 0.1);
        let there = start * turn.cos() + across.normalize() * turn.sin();
        let foot = body.foot(face, &w, &(there * (0.05 + height))).unwrap();
        prop_assert!(!foot.on_border);
        prop_assert!((foot.point - there * 0.05).norm() < 5e-5);
        let off = there * (0.05 + height) - foot.point;
        prop_assert!(off.cross(&foot.normal).norm() < 1e-7, "{:e}", off.cross(&foot.normal).norm());
    }

    /// The foot does not depend on where the search began.
    #[test]
    fn feet_are_the_same_from_wherever_they_are_sought(
        around in 0.0..std::f64::consts::TAU, turn in 0.0..std::f64::consts::TAU, height in -0.006..0.008_f64,
        off in prop::array::uniform3(-0.002..0.002_f64),
    ) {
        let body = torus();
        let ring = Vec3::new(around.cos(), around.sin(), 0.0);
        let out = ring * turn.cos() + Vec3::z() * turn.sin();
        let x = ring * 0.05 + out * (0.015 + height);
        let nearest = |x: &Vec3| {
            let to = |t: &u32| {
                let [a, b, c] = body.mesh.triangle(*t as usize);
                ((a + b + c) / 3.0 - x).norm()
            };
            (0..body.faces.len() as u32).min_by(|s, t| to(s).total_cmp(&to(t))).unwrap()
        };
        let places = [x, ring * 0.05 + out * 0.015 + Vec3::from(off)];
        let [a, b] = places.map(|from| {
            let face = nearest(&from);
            body.foot(face, &body.weights(face, &from), &x).unwrap()
        });
        prop_assert!((a.point - b.point).norm() < 1e-8, "{:e}", (a.point - b.point).norm());
    }
}

proptest! {
    /// Beyond the end of a side, also over its vertices: on the rim, where the point is straight
    /// out.
    #[test]
    fn feet_beyond_a_rim_are_on_it(
        around in 0.0..48.0_f64, snap in 0_u8..3, from in -1.5..1.5_f64,
        out in -0.006..0.008_f64, up in 0.0..0.004_f64,
    ) {
        let body = cylinder();
        // In two of three cases at a vertex or next to one.
        let around = match snap {
            0 => around,
            1 => around.floor(),
            _ => around.floor() + 1e-7 * out,
        };
        let at = |n: f64| {
            let angle = n * std::f64::consts::TAU / 48.0;
            Vec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let rim = at(around) * 0.03 + Vec3::z() * 0.05;
        let x = rim + at(around) * out + Vec3::z() * up;
        // The search begins on the side, somewhere nearby.
        let start = at(around + from) * 0.03 + Vec3::z() * 0.04;
        let to = |t: &u32| {
            let [a, b, c] = body.mesh.triangle(*t as usize);
            ((a + b + c) / 3.0 - start).norm()
        };
        let sides = (0..body.faces.len() as u32).filter(|t| !body.is_flat(*t));
        let face = sides.min_by(|s, t| to(s).total_cmp(&to(t))).unwrap();
        let foot = body.foot(face, &body.weights(face, &start), &x);
        prop_assert!(foot.is_some());
        let foot = foot.unwrap();
        // The sheet ends at a plane, so this is not a border.
        prop_assert!(!foot.on_border);
        // The rim is a circle to a part in a million of its radius.
        let (nearest, normal) = match out > 0.0 {
            true => (rim, (x - rim).try_normalize(0.0)),
            false => (x - Vec3::z() * up, Some(Vec3::z())),
        };
        prop_assert!((foot.point - nearest).norm() < 5e-6, "{:e}", (foot.point - nearest).norm());
        // Only where the place on the rim is well defined from here.
        let height = (x - foot.point).norm();
        if height > 1e-3 && out.abs() > 1e-5 {
            let off = foot.normal - normal.unwrap();
            prop_assert!(off.norm() < 1e-5 / height, "{:e}", off.norm());
        }
    }
}

/// At a vertex every side is equally near: the search must go on over the one that leads to the
/// foot, not back over the one that it came by.
#[test]
fn feet_are_found_from_vertices() {
    for body in [sphere(), torus()] {
        for face in (0..body.faces.len() as u32).step_by(7) {
            for corner in 0..3 {
                let mut w = [0.0; 3];
                w[corner] = 1.0;
                let spot = body.patch(face).spot(&w);
                for k in 0..12 {
                    let angle = 0.5 * f64::from(k);
                    let across = spot.along[0].normalize();
                    let beside = spot.normal.cross(&across);
                    let off = across * angle.cos() + beside * angle.sin();
                    let x = spot.point + off * 5e-4 - spot.normal * 1e-3;
                    let foot = body.foot(face, &w, &x);
                    let off = x - foot.expect("a foot").point;
                    assert!(off.cross(&foot.unwrap().normal).norm() < 1e-7);
                }
            }
        }
    }
}

/// Where a torus is concave, around its hole, its radius is the hole's; without concave parts there
/// is no such radius.
#[test]
fn the_narrowest_valley_of_a_sheet_is_known() {
    let narrowest = |body: &SmoothMesh| {
        let bent = (0..body.faces.len() as u32).filter(|face| !body.is_flat(*face));
        bent.map(|face| body.min_concave_radius_m(body.sheet(face).unwrap()))
            .fold(f64::INFINITY, f64::min)
    };
    assert!((narrowest(&torus()) / 0.035 - 1.0).abs() < 0.05);
    assert!(narrowest(&sphere()) > 1e3 && narrowest(&cylinder()) > 1e3);
    assert!((narrowest(&trough()) / 0.008 - 1.0).abs() < 0.05);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]
    /// Above a trough of long triangles, up to four tenths of the way to the centre of its curve:
    /// found from any place below.
    #[test]
    fn feet_are_found_from_far_above_a_hollow(
        along in -0.015..0.015_f64, side in -0.01..0.01_f64, height in 0.0..0.0032_f64,
        near in prop::array::uniform3(-0.002..0.002_f64),
    ) {
        let body = trough();
        let below = if side.abs() < 0.0045 { side * side / 0.016 } else { 0.7 * side.abs() - 0.002 };
        let x = Vec3::new(side, along, below + height);
        let from = x + Vec3::from(near);
        let to = |t: &u32| {
            let [a, b, c] = body.mesh.triangle(*t as usize);
            let w = body.weights(*t, &from);
            (a * w[0] + b * w[1] + c * w[2] - from).norm()
        };
        let face = (0..body.faces.len() as u32).min_by(|s, t| to(s).total_cmp(&to(t))).unwrap();
        let foot = body.foot(face, &body.weights(face, &from), &x);
        prop_assert!(foot.is_some());
        let (foot, off) = (foot.unwrap(), x - foot.unwrap().point);
        prop_assert!(off.cross(&foot.normal).norm() < 1e-7, "{:e}", off.cross(&foot.normal).norm());
    }
}
