//! Meshes against meshes and spheres: trees against brute force, planted gaps, overlaps,
//! containment and depth.

mod common;

use common::{Random, at, ball, brute_force, cuboid, mesh, sheet, singles};
use hapticd_audit::{Solid, Tool, contains, distance_m, intersects, penetration_depth_m};
use hapticd_geometry::{Pose, TriMesh, Vec3};
use proptest::prelude::*;

fn depth(tool: &Solid, tool_at: &Pose, body: &Solid) -> f64 {
    penetration_depth_m(&Tool::Mesh(tool), tool_at, body, &Pose::identity())
}

#[test]
fn trees_agree_with_brute_force() {
    let mut random = Random(1);
    let (a, b) = (
        ball(0.5, 6, 0.4, &mut random),
        ball(0.6, 7, 0.4, &mut random),
    );
    let (solid_a, solid_b) = (Solid::new(&a), Solid::new(&b));
    let (single_a, single_b) = (singles(&a), singles(&b));
    let (mut met, mut apart) = (0, 0);
    for _ in 0..25 {
        let (pa, pb) = (random.pose(0.9), random.pose(0.9));
        let (meet, least) = brute_force(&single_a, &pa, &single_b, &pb);
        let tool = Tool::Mesh(&solid_a);
        let hit = intersects(&tool, &pa, &solid_b, &pb);
        assert_eq!(hit.is_some(), meet);
        assert_eq!(distance_m(&tool, &pa, &solid_b, &pb), least);
        match hit {
            Some(hit) => {
                met += 1;
                let (i, j) = (
                    hit.tool_triangle.unwrap() as usize,
                    hit.body_triangle as usize,
                );
                let pair = intersects(&Tool::Mesh(&single_a[i]), &pa, &single_b[j], &pb);
                assert!(pair.is_some());
                assert!(penetration_depth_m(&tool, &pa, &solid_b, &pb) > 0.0);
            }
            None => apart += 1,
        }
    }
    assert!(met > 3 && apart > 3, "{met} {apart}");
}

#[test]
fn sphere_agrees_with_brute_force() {
    let mut random = Random(2);
    let b = ball(0.6, 7, 0.4, &mut random);
    let (solid, single) = (Solid::new(&b), singles(&b));
    for _ in 0..60 {
        let (pa, pb) = (random.pose(1.0), random.pose(0.5));
        let tool = Tool::Sphere { radius_m: 0.2 };
        let least = single
            .iter()
            .map(|t| distance_m(&tool, &pa, t, &pb))
            .fold(f64::INFINITY, f64::min);
        assert_eq!(distance_m(&tool, &pa, &solid, &pb), least);
        assert_eq!(intersects(&tool, &pa, &solid, &pb).is_some(), least == 0.0);
    }
}

/// Boxes side by side along each axis: gap, contact and overlap down to a nanometre and to one unit
/// in the last place.
#[test]
fn boxes_side_by_side() {
    let body = Solid::new(&cuboid([0.5, 0.25, 0.125]));
    let tool = Solid::new(&cuboid([0.0625, 0.03125, 0.25]));
    for axis in 0..3 {
        let touch = [0.5625, 0.28125, 0.375][axis];
        let place = |x: f64| {
            let mut shift = Vec3::zeros();
            shift[axis] = x;
            Pose::from_parts(shift.into(), nalgebra::UnitQuaternion::identity())
        };
        for gap in [1e-3, 1e-9] {
            assert_eq!(depth(&tool, &place(touch + gap), &body), 0.0);
            let apart = distance_m(
                &Tool::Mesh(&tool),
                &place(touch + gap),
                &body,
                &Pose::identity(),
            );
            assert!((apart - gap).abs() < 1e-15);
            let deep = depth(&tool, &place(touch - gap), &body);
            assert!((deep - gap).abs() < 1e-15, "{deep} {gap}");
        }
        // Faces in one plane: contact without depth.
        let contact = depth(&tool, &place(touch), &body);
        assert!(contact > 0.0 && contact < 1e-15, "{contact}");
        assert!(intersects(&Tool::Mesh(&tool), &place(touch), &body, &Pose::identity()).is_some());
        // The corner 0.5625 - 0.0625 + one ulp is still representable: a gap of 2^-53.
        assert_eq!(depth(&tool, &place(touch + 2f64.powi(-50)), &body), 0.0);
    }
}

#[test]
fn corner_and_edge_contacts_of_boxes() {
    let body = Solid::new(&cuboid([0.5; 3]));
    for (name, pose, touches) in [
        ("corner to corner", at(1.0, 1.0, 1.0), true),
        ("edge to edge", at(1.0, 0.25, 1.0), true),
        ("past the corner", at(1.0, 1.0, 1.0 + 1e-12), false),
        ("past the edge", at(1.0 + 1e-12, 0.25, 1.0), false),
    ] {
        assert_eq!(depth(&body, &pose, &body) > 0.0, touches, "{name}");
    }
}

#[test]
fn swallowed_tools_and_bodies_are_found() {
    let outer = Solid::new(&cuboid([0.5; 3]));
    let inner = Solid::new(&cuboid([0.1; 3]));
    // No surfaces meet, either way round.
    let tool = Tool::Mesh(&inner);
    assert!(intersects(&tool, &at(0.2, 0.0, 0.0), &outer, &Pose::identity()).is_none());
    assert!((depth(&inner, &at(0.2, 0.0, 0.0), &outer) - 0.4).abs() < 1e-15);
    assert!((depth(&outer, &at(0.2, 0.0, 0.0), &inner) - 0.4).abs() < 1e-15);
    for radius_m in [0.0, 0.1, 0.5, 3.0] {
        let sphere = Tool::Sphere { radius_m };
        let deep = penetration_depth_m(&sphere, &at(0.1, 0.0, 0.0), &outer, &Pose::identity());
        assert!((deep - (radius_m + 0.4)).abs() < 1e-15);
    }
}

/// A shell has an inside and a cavity; a tool in the cavity is free.
#[test]
fn cavities_are_outside() {
    let outer = cuboid([0.5; 3]);
    let inner = cuboid([0.4; 3]);
    let mut positions = outer.positions().to_vec();
    positions.extend(inner.positions());
    let mut triangles = outer.triangles().to_vec();
    triangles.extend(
        inner
            .triangles()
            .iter()
            .map(|t| [t[0] + 8, t[2] + 8, t[1] + 8]),
    );
    let shell = Solid::new(&mesh(positions, triangles));
    assert!(shell.is_closed() && shell.is_oriented());
    let id = Pose::identity();
    assert!(!contains(&shell, &id, &Vec3::zeros()));
    assert!(contains(&shell, &id, &Vec3::new(0.45, 0.0, 0.0)));
    let tool = Solid::new(&cuboid([0.3; 3]));
    assert_eq!(depth(&tool, &id, &shell), 0.0);
    assert!(depth(&tool, &at(0.11, 0.0, 0.0), &shell) > 0.0);
    let thin = Solid::new(&cuboid([0.01; 3]));
    assert!(depth(&thin, &at(0.45, 0.0, 0.0), &shell) > 0.0);
}

/// A mesh turned inside out or with a turned triangle still has its inside.
#[test]
fn orientation_does_not_matter() {
    let good = cuboid([0.5; 3]);
    let turned = |some: fn(usize) -> bool| -> TriMesh {
        let triangles = good
            .triangles()
            .iter()
            .enumerate()
            .map(|(i, t)| if some(i) { [t[0], t[2], t[1]] } else { *t })
            .collect();
        mesh(good.positions().to_vec(), triangles)
    };
    for (body, oriented) in [(turned(|_| true), true), (turned(|i| i == 3), false)] {
        let body = Solid::new(&body);
        assert!(body.is_closed());
        assert_eq!(body.is_oriented(), oriented);
        assert!(contains(
            &body,
            &Pose::identity(),
            &Vec3::new(0.1, 0.2, 0.3)
        ));
        assert!(!contains(
            &body,
            &Pose::identity(),
            &Vec3::new(0.1, 0.2, 0.6)
        ));
    }
}

/// Vertices that are stored once per triangle, as in STL files, make the same closed surface.
#[test]
fn unshared_vertices_are_welded() {
    let good = cuboid([0.5; 3]);
    let positions: Vec<Vec3> = (0..12).flat_map(|i| good.triangle(i)).collect();
    let triangles = (0..12).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let soup = Solid::new(&mesh(positions, triangles));
    assert!(soup.is_closed() && soup.is_oriented());
    assert_eq!(soup.len(), 12);
    let open = Solid::new(&sheet(2));
    assert!(!open.is_closed() && !open.is_oriented() && !open.is_empty());
}

/// Points on the grid of the body's own coordinates send rays through edges and corners; the answer
/// is exact all the same.
#[test]
fn containment_at_degenerate_points() {
    let cube = Solid::new(&cuboid([0.5; 3]));
    let id = Pose::identity();
    let steps = [-0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75];
    for x in steps {
        for y in steps {
            for z in steps {
                let p = Vec3::new(x, y, z);
                assert_eq!(contains(&cube, &id, &p), p.amax() <= 0.5, "{p}");
            }
        }
    }
    assert!(!contains(
        &cube,
        &id,
        &Vec3::new(0.5f64.next_up(), 0.1, 0.1)
    ));
    assert!(contains(
        &cube,
        &id,
        &Vec3::new(0.5f64.next_down(), 0.1, 0.1)
    ));
    let mut random = Random(3);
    let round = Solid::new(&ball(1.0, 12, 0.0, &mut random));
    for _ in 0..400 {
        let p = random.vec3() * 1.2;
        // Between the ball's inscribed and circumscribed radius nothing is tested.
        if (0.9..1.0).contains(&p.norm()) {
            continue;
        }
        assert_eq!(contains(&round, &id, &p), p.norm() < 0.95);
    }
}

/// A thin plate that a long tool pierces: no vertex of either is inside the other.
#[test]
fn piercing_without_a_vertex_inside() {
    let plate = Solid::new(&cuboid([1.0, 1.0, 5e-5]));
    let rod = Solid::new(&cuboid([0.01, 0.01, 0.5]));
    let deep = depth(&rod, &at(0.3, 0.2, 0.1), &plate);
    assert!(deep > 1e-3, "{deep}");
    // The same with the tip just through, just in, just short.
    assert!(depth(&rod, &at(0.3, 0.2, 0.49), &plate) > 1e-3);
    let tip = depth(&rod, &at(0.3, 0.2, 0.5 + 4e-5), &plate);
    assert!((tip - 1e-5).abs() < 1e-14, "{tip}");
    assert_eq!(depth(&rod, &at(0.3, 0.2, 0.5 + 5e-5 + 1e-9), &plate), 0.0);
    let sphere = Tool::Sphere { radius_m: 0.01 };
    let level = |z: f64| penetration_depth_m(&sphere, &at(0.3, 0.2, z), &plate, &Pose::identity());
    assert_eq!(level(0.01 + 5e-5 + 1e-9), 0.0);
    assert!((level(0.01 + 5e-5 - 1e-9) - 1e-9).abs() < 1e-15);
    assert!(level(-0.005) > 0.0);
}

#[test]
fn sheets_have_no_inside() {
    let cloth = Solid::new(&sheet(5));
    let cube = Solid::new(&cuboid([0.1; 3]));
    assert_eq!(depth(&cube, &at(0.0, 0.0, 0.2), &cloth), 0.0);
    assert_eq!(depth(&cube, &at(0.0, 0.0, -0.2), &cloth), 0.0);
    assert!((depth(&cube, &at(0.013, 0.017, 0.09), &cloth) - 0.01).abs() < 1e-12);
    assert!(!contains(&cloth, &Pose::identity(), &Vec3::zeros()));
    // A sheet as the tool, crossing a solid and lost inside it.
    let rag = Solid::new(&mesh(
        vec![Vec3::zeros(), Vec3::x() * 0.05, Vec3::y() * 0.05],
        vec![[0, 1, 2]],
    ));
    assert!(depth(&rag, &at(0.0, 0.0, 0.0), &cube) > 0.0);
    assert!(depth(&cube, &at(0.0, 0.0, 0.0), &rag) > 0.0);
    assert_eq!(depth(&rag, &at(0.2, 0.0, 0.0), &cube), 0.0);
}

#[test]
fn bad_numbers_never_pass() {
    let cube = Solid::new(&cuboid([0.1; 3]));
    let far = at(f64::NAN, 0.0, 0.0);
    let id = Pose::identity();
    for tool in [Tool::Mesh(&cube), Tool::Sphere { radius_m: 0.1 }] {
        for (a, b) in [(far, id), (id, far), (at(f64::INFINITY, 0.0, 0.0), id)] {
            assert!(intersects(&tool, &a, &cube, &b).is_some());
            assert_eq!(distance_m(&tool, &a, &cube, &b), 0.0);
            assert_eq!(penetration_depth_m(&tool, &a, &cube, &b), f64::INFINITY);
        }
    }
    for radius_m in [f64::NAN, -1.0, f64::INFINITY] {
        let tool = Tool::Sphere { radius_m };
        let away = at(9.0, 0.0, 0.0);
        assert!(intersects(&tool, &away, &cube, &id).is_some());
        assert_eq!(penetration_depth_m(&tool, &away, &cube, &id), f64::INFINITY);
    }
    assert!(contains(&cube, &id, &Vec3::repeat(f64::NAN)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A rough ball pushed along a direction by more than the gap it measured is found inside; by
    /// less, outside.
    #[test]
    fn distance_bounds_the_free_way(seed in any::<u64>()) {
        let mut random = Random(seed);
        let a = Solid::new(&ball(0.3, 5, 0.3, &mut random));
        let b = Solid::new(&ball(0.4, 6, 0.3, &mut random));
        let start = Pose::from_parts((random.vec3().normalize() * 1.2).into(), random.pose(0.0).rotation);
        let tool = Tool::Mesh(&a);
        let id = Pose::identity();
        let gap = distance_m(&tool, &start, &b, &id);
        prop_assert!(gap > 0.0);
        let direction = random.vec3().normalize();
        let mut pose = start;
        pose.translation.vector += direction * (gap * 0.999_999_999);
        prop_assert_eq!(penetration_depth_m(&tool, &pose, &b, &id), 0.0);
        // The distance changes by no more than the motion.
        let later = distance_m(&tool, &pose, &b, &id);
        prop_assert!((later - gap).abs() <= gap);
    }

    /// The whole scene moved rigidly: the verdict and the distance stay.
    #[test]
    fn frames_do_not_matter(seed in any::<u64>()) {
        let mut random = Random(seed);
        let a = Solid::new(&ball(0.3, 4, 0.3, &mut random));
        let b = Solid::new(&ball(0.4, 4, 0.3, &mut random));
        let (pa, pb, world) = (random.pose(0.5), random.pose(0.5), random.pose(2.0));
        let tool = Tool::Mesh(&a);
        let here = distance_m(&tool, &pa, &b, &pb);
        let there = distance_m(&tool, &(world * pa), &b, &(world * pb));
        prop_assert!((here - there).abs() < 1e-14);
        let deep = penetration_depth_m(&tool, &pa, &b, &pb);
        let there = penetration_depth_m(&tool, &(world * pa), &b, &(world * pb));
        prop_assert!((deep - there).abs() < 1e-12);
    }
}
