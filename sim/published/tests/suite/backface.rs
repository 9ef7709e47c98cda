//! Back-face culling: culled parts recede, and the first contact of closed solids does not change.

use crate::common;

use common::{SplitMix, screw_position};
use hapticd_ccd::MeshIndex;
use hapticd_geometry::{Pose, Quat, Screw, TriMesh, Vec3, shapes, transform};
use hapticd_published::backface::recede::{recedes, recedes_between};
use hapticd_published::backface::{BackFaceCones, ConeError, Strategy};
use hapticd_published::first_contact::{
    CullBoxes, Culling, FirstContactOptions, ShapeMotion, first_contact, first_contact_culled,
};

fn solids() -> Vec<MeshIndex> {
    [
        shapes::cuboid(&Vec3::new(0.3, 0.2, 0.1)),
        shapes::icosphere(0.25, 2),
        shapes::torus(0.3, 0.1, 16, 8),
        shapes::plate(0.4, 0.3, 0.001),
        shapes::block_with_hole(&Vec3::new(0.2, 0.2, 0.1), 0.1),
    ]
    .into_iter()
    .map(|m| MeshIndex::new(m.expect("valid")))
    .collect()
}

fn random_motion(rng: &mut SplitMix) -> (Pose, Screw) {
    let at = rng.direction() * rng.range(0.8, 1.5);
    let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
    let d = (rng.point(0.3) - at) * rng.range(0.8, 2.0);
    let screw = Screw::from_twist(&d, &(rng.direction() * rng.range(0.0, 2.0)), &at);
    (Pose::from_parts(at.into(), turn), screw)
}

/// Triangles below every node, by node.
fn below(shape: &MeshIndex) -> Vec<Vec<u32>> {
    let tree = shape.tree().expect("a mesh");
    let mut all = vec![Vec::new(); tree.nodes().len()];
    for (i, node) in tree.nodes().iter().enumerate().rev() {
        all[i] = if node.is_leaf() {
            tree.triangle_of(i as u32).into_iter().collect()
        } else {
            let c = node.children() as usize;
            [&all[c][..], &all[c + 1][..]].concat()
        };
    }
    all
}

/// Largest component of the relative velocity of a triangle's corners along its outward normal at
/// some time, in its own frame.
fn fastest_outward(
    mesh: &TriMesh,
    triangle: u32,
    start: &Pose,
    own: &Screw,
    other: &Screw,
    t: f64,
) -> f64 {
    let at = mesh
        .triangle(triangle as usize)
        .map(|p| screw_position(own, &transform(start, &p), t));
    let n = (at[1] - at[0]).cross(&(at[2] - at[0])).normalize();
    let relative = |x: &Vec3| own.velocity_of(x) - other.velocity_of(x);
    at.iter()
        .map(|x| relative(x).dot(&n))
        .fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn what_is_culled_recedes_throughout() {
    let mut rng = SplitMix(21);
    let (mut culled, mut between) = (0, 0);
    for shape in solids() {
        let mesh = shape.mesh().expect("a mesh");
        let tree = shape.tree().expect("a mesh");
        let below = below(&shape);
        for strategy in [Strategy::TopDown, Strategy::BottomUp] {
            for most in [3, 6, 9] {
                let cones = BackFaceCones::new(&shape, most, strategy).expect("closed");
                let (start, screw) = random_motion(&mut rng);
                let (_, second) = random_motion(&mut rng);
                let still = Screw::identity();
                for i in 0..tree.nodes().len() {
                    let obb = tree.obb(i as u32).transformed(&start);
                    let cone: Vec<Vec3> = cones
                        .of(i as u32)
                        .iter()
                        .map(|m| start.rotation * m)
                        .collect();
                    assert!(cone.len() <= most);
                    let cases = [
                        (recedes(&obb, &cone, &screw, 1.0), &screw, &still),
                        (recedes(&obb, &cone, &screw, -1.0), &still, &screw),
                        (
                            recedes_between(&obb, &cone, &screw, &second, 1.0),
                            &screw,
                            &second,
                        ),
                    ];
                    for (k, (away, own, other)) in cases.into_iter().enumerate() {
                        if !away {
                            continue;
                        }
                        culled += 1;
                        between += usize::from(k == 2);
                        for &t in &below[i] {
                            for time in [0.0, 0.3, 1.0] {
                                let v = fastest_outward(mesh, t, &start, own, other, time);
                                assert!(v < 1e-12, "{v}");
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(culled > 3_000 && between > 300, "{culled} {between}");
}

/// Two movers of which one is static: the interval bound nearly equals the exact test.
#[test]
fn intervals_agree_where_both_apply() {
    let shape = &solids()[2];
    let cones = BackFaceCones::new(shape, 6, Strategy::TopDown).expect("closed");
    let tree = shape.tree().expect("a mesh");
    let mut rng = SplitMix(22);
    let (mut exact, mut bounded) = (0, 0);
    for _ in 0..10 {
        let (start, screw) = random_motion(&mut rng);
        for i in 0..tree.nodes().len() {
            let obb = tree.obb(i as u32).transformed(&start);
            let cone: Vec<Vec3> = cones
                .of(i as u32)
                .iter()
                .map(|m| start.rotation * m)
                .collect();
            let one = recedes(&obb, &cone, &screw, 1.0);
            let two = recedes_between(&obb, &cone, &screw, &Screw::identity(), 1.0);
            assert!(one || !two);
            exact += usize::from(one);
            bounded += usize::from(two);
        }
    }
    assert!(exact > 500 && bounded == exact, "{exact} {bounded}");
}

#[test]
fn the_contact_of_closed_solids_stays() {
    let solids = solids();
    let cones: Vec<[BackFaceCones; 2]> = solids
        .iter()
        .map(|s| {
            [Strategy::TopDown, Strategy::BottomUp]
                .map(|strategy| BackFaceCones::new(s, 6, strategy).expect("closed"))
        })
        .collect();
    let mut rng = SplitMix(23);
    let options = FirstContactOptions::default();
    let (mut hits, mut plain, mut hierarchical, mut at_leaves) = (0, 0, 0, 0);
    for _ in 0..60 {
        let [i, j] = [0; 2].map(|_| rng.below(solids.len()));
        let (a, b) = (&solids[i], &solids[j]);
        let (start, screw) = random_motion(&mut rng);
        let (expected, counters) = first_contact(a, b, &start, &screw, &options);
        plain += counters.boxes_final;
        hits += usize::from(expected.is_some());
        for (k, boxes) in [
            (0, CullBoxes::All),
            (1, CullBoxes::All),
            (0, CullBoxes::Leaves),
        ] {
            let mut tested = [0; 2];
            for (n, stamps) in [true, false].into_iter().enumerate() {
                let culling = Culling {
                    cones_a: Some(&cones[i][k]),
                    cones_b: Some(&cones[j][k]),
                    boxes,
                    stamps,
                };
                let (found, counters) = first_contact_culled(
                    ShapeMotion {
                        a,
                        b,
                        b_from_a: &start,
                        screw: &screw,
                    },
                    &options,
                    &culling,
                );
                tested[n] = counters.back_faces;
                if stamps && k == 0 {
                    match boxes {
                        CullBoxes::All => hierarchical += counters.boxes_final,
                        CullBoxes::Leaves => at_leaves += counters.boxes_final,
                    }
                    // At most once per box.
                    let nodes = |s: &MeshIndex| s.tree().expect("a mesh").nodes().len() as u64;
                    assert!(counters.back_faces <= nodes(a) + nodes(b));
                }
                match (expected, found) {
                    (None, None) => {}
                    // Equal up to the precision: a millionth of the step.
                    (Some(x), Some(y)) => assert!((x.t - y.t).abs() <= 2e-6, "{} {}", x.t, y.t),
                    _ => panic!("{expected:?} {found:?}"),
                }
            }
            assert!(tested[0] <= tested[1]);
        }
    }
    assert!(hits > 20, "{hits}");
    assert!(
        hierarchical < at_leaves && at_leaves < plain,
        "{hierarchical} {at_leaves} {plain}"
    );
}

#[test]
fn sizes_memory_and_strategies() {
    let shape = &solids()[2];
    let nodes = shape.tree().expect("a mesh").nodes().len();
    let mut with_cone = [[0; 7]; 2];
    for (k, strategy) in [Strategy::TopDown, Strategy::BottomUp]
        .into_iter()
        .enumerate()
    {
        for most in 3..=9 {
            let cones = BackFaceCones::new(shape, most, strategy).expect("closed");
            let report = cones.report();
            assert_eq!(report.by_size.iter().sum::<usize>(), nodes);
            assert!(report.by_size[most + 1..].iter().all(|&n| n == 0));
            let vectors: usize = report
                .by_size
                .iter()
                .enumerate()
                .map(|(size, n)| size * n)
                .sum();
            assert_eq!(report.bytes, 24 * vectors + 4 * (nodes + 1));
            // Every leaf has its normal; the root of a closed solid has no cone.
            assert!(report.by_size[1] >= nodes / 2 && cones.of(0).is_empty());
            with_cone[k][most - 3] = nodes - report.by_size[0];
        }
    }
    // A cone of the children's cones exists only if that of the normals does.
    assert!((0..7).all(|i| with_cone[1][i] <= with_cone[0][i]));
}

#[test]
fn open_meshes_points_and_bad_sizes_are_refused() {
    let sheet = MeshIndex::new(shapes::sheet(0.3, 2).expect("valid"));
    let error = BackFaceCones::new(&sheet, 6, Strategy::TopDown).expect_err("open");
    assert!(
        matches!(
            error,
            ConeError::NotASolid {
                boundary_edges: 8,
                ..
            }
        ),
        "{error}"
    );
    let cube = shapes::cuboid(&Vec3::repeat(0.1)).expect("valid");
    let inside_out: Vec<[u32; 3]> = cube
        .triangles()
        .iter()
        .map(|&[a, b, c]| [a, c, b])
        .collect();
    let inside_out = TriMesh::new(cube.positions().to_vec(), inside_out).expect("valid");
    let error = BackFaceCones::new(&MeshIndex::new(inside_out), 6, Strategy::TopDown);
    assert!(matches!(error, Err(ConeError::NotASolid { .. })));
    let tip = MeshIndex::point(Vec3::zeros());
    assert_eq!(
        BackFaceCones::new(&tip, 6, Strategy::TopDown),
        Err(ConeError::Point)
    );
    let cube = MeshIndex::new(cube);
    for most_vectors in [0, 2, 10] {
        assert_eq!(
            BackFaceCones::new(&cube, most_vectors, Strategy::BottomUp),
            Err(ConeError::BadSize { most_vectors })
        );
    }
}
