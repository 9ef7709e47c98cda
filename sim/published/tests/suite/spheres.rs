//! Sphere trees cover their surface, and all search options find the same contact.

use crate::common;

use common::SplitMix;
use hapticd_ccd::{FeaturePair, MeshIndex, PairKind};
use hapticd_geometry::{Pose, Quat, Screw, TriMesh, Vec3, shapes, transform};
use hapticd_published::algebraic::AlgebraicMotion;
use hapticd_published::algebraic::pair::first_contact_of_pair;
use hapticd_published::spheres::{SphereOptions, SphereSearch, SphereTree, SphereTreeError};

fn zoo() -> Vec<TriMesh> {
    [
        shapes::cuboid(&Vec3::new(0.3, 0.2, 0.1)),
        shapes::icosphere(0.25, 1),
        shapes::torus(0.3, 0.1, 7, 4),
        shapes::sheet(0.3, 2),
    ]
    .into_iter()
    .map(|m| m.expect("valid"))
    .collect()
}

#[test]
fn leaves_cover_the_surface_and_hold_what_passes_through() {
    let mut rng = SplitMix(11);
    for mesh in zoo() {
        for radius in [0.02, 0.07, 0.3, 5.0] {
            let tree = SphereTree::new(&mesh, radius).expect("not too many");
            let leaves: Vec<_> = tree.nodes().iter().filter(|n| n.is_leaf()).collect();
            assert_eq!(tree.nodes().len(), 2 * leaves.len() - 1);
            // Complete: no deeper than necessary.
            assert_eq!(
                tree.depth(),
                leaves.len().next_power_of_two().trailing_zeros()
            );
            assert!(leaves.iter().all(|n| n.radius <= radius * (1.0 + 1e-9)));
            // Every sphere is inside its parent where it matters: leaf spheres are inside all
            // spheres above them.
            for node in tree.nodes().iter().filter(|n| !n.is_leaf()) {
                let mut below = vec![node.children, node.children + 1];
                while let Some(i) = below.pop() {
                    let n = &tree.nodes()[i as usize];
                    if n.is_leaf() {
                        assert!((n.center - node.center).norm() + radius <= node.radius + 1e-12);
                    } else {
                        below.extend([n.children, n.children + 1]);
                    }
                }
            }
            for _ in 0..300 {
                let t = rng.below(mesh.triangles().len());
                let [p, q, r] = mesh.triangle(t);
                let (mut u, mut v) = (rng.range(0.0, 1.0), rng.range(0.0, 1.0));
                if rng.below(3) == 0 {
                    v = 0.0;
                }
                if u + v > 1.0 {
                    (u, v) = (1.0 - u, 1.0 - v);
                }
                let x = p + (q - p) * u + (r - p) * v;
                let holds = leaves.iter().any(|n| {
                    let holds = tree
                        .features(n)
                        .is_some_and(|f| f.triangles.contains(&(t as u32)));
                    (n.center - x).norm() <= n.radius && holds
                });
                assert!(holds);
            }
            for (v, p) in mesh.positions().iter().enumerate() {
                let holds = leaves.iter().any(|n| {
                    let holds = tree
                        .features(n)
                        .is_some_and(|f| f.vertices.contains(&(v as u32)));
                    (n.center - p).norm() <= n.radius && holds
                });
                assert!(holds);
            }
        }
    }
}

/// Tries every feature pair.
fn brute(a: &MeshIndex, b: &MeshIndex, start: &Pose, m: &AlgebraicMotion) -> Option<f64> {
    let counts = |s: &MeshIndex| {
        let (mesh, adjacency) = (s.mesh().expect("mesh"), s.adjacency().expect("mesh"));
        [
            mesh.positions().len(),
            adjacency.edges.len(),
            mesh.triangles().len(),
        ]
    };
    let (na, nb) = (counts(a), counts(b));
    let mut best: Option<f64> = None;
    for kind in [
        PairKind::VertexFace,
        PairKind::FaceVertex,
        PairKind::EdgeEdge,
    ] {
        for i in 0..na[kind.points_a() - 1] as u32 {
            let p = a.feature_a(kind, i).expect("in range");
            let p = p.map(|x| m.to_frame(&transform(start, &x)));
            for j in 0..nb[kind.points_b() - 1] as u32 {
                let q = b
                    .feature_b(kind, j)
                    .expect("in range")
                    .map(|x| m.to_frame(&x));
                if let Some(c) =
                    first_contact_of_pair(FeaturePair { kind, a: &p, b: &q }, m, 1.0, 1e-9)
                {
                    best = Some(best.map_or(c.share, |s: f64| s.min(c.share)));
                }
            }
        }
    }
    best.map(|s| m.time_of(s))
}

fn random_motion(rng: &mut SplitMix) -> (Pose, AlgebraicMotion) {
    let at = rng.direction() * rng.range(0.7, 1.2);
    let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
    let start = Pose::from_parts(at.into(), turn);
    let d = (rng.point(0.2) - at) * rng.range(0.8, 1.5);
    let spin = match rng.below(4) {
        0 => Vec3::zeros(),
        _ => rng.direction() * rng.range(0.1, 1.0),
    };
    let motion = AlgebraicMotion::new(&Screw::from_twist(&d, &spin, &at)).expect("in range");
    (start, motion)
}

#[test]
fn every_switch_gives_the_contact_of_all_pairs_tried() {
    let zoo = zoo();
    let index: Vec<MeshIndex> = zoo.iter().map(|m| MeshIndex::new(m.clone())).collect();
    let trees: Vec<SphereTree> = zoo
        .iter()
        .map(|m| SphereTree::new(m, 0.06).expect("valid"))
        .collect();
    let mut rng = SplitMix(12);
    let mut search = SphereSearch::default();
    let mut hits = 0;
    for _ in 0..40 {
        let [i, j] = [0; 2].map(|_| rng.below(zoo.len()));
        let (start, motion) = random_motion(&mut rng);
        let expected = brute(&index[i], &index[j], &start, &motion);
        let mut first = None;
        for bits in 0..16 {
            let options = SphereOptions {
                sphere_table: bits & 1 != 0,
                feature_tables: bits & 2 != 0,
                vertex_cache: bits & 4 != 0,
                pass_contact_time: bits & 8 != 0,
                ..SphereOptions::default()
            };
            let found = search.first_contact(&trees[i], &trees[j], &start, &motion, &options);
            assert_eq!(
                found.map(|c| c.t.to_bits()),
                expected.map(f64::to_bits),
                "{options:?}"
            );
            // Equal to the last bit: features and position.
            assert_eq!(*first.get_or_insert(found), found);
        }
        hits += usize::from(expected.is_some());
    }
    assert!(hits > 15, "{hits}");
}

/// Large faces under many leaves: each table saves its tests.
#[test]
fn labels_and_tables_save_tests_on_large_faces() {
    let block = shapes::cuboid(&Vec3::new(0.3, 0.2, 0.05)).expect("valid");
    let tree = SphereTree::new(&block, 0.02).expect("valid");
    assert!(tree.feature_sets() < 60 && tree.nodes().len() > 1_000);
    let mut rng = SplitMix(13);
    let scenes: Vec<_> = (0..10).map(|_| random_motion(&mut rng)).collect();
    let run = |sphere_table, feature_tables, vertex_cache| {
        let options = SphereOptions {
            sphere_table,
            feature_tables,
            vertex_cache,
            ..SphereOptions::default()
        };
        let mut search = SphereSearch::default();
        for (start, motion) in &scenes {
            search.first_contact(&tree, &tree, start, motion, &options);
        }
        search.counters
    };
    let (none, labels, features, all) = (
        run(false, false, true),
        run(true, false, true),
        run(false, true, true),
        run(true, true, true),
    );
    assert!(labels.spheres < none.spheres && features.spheres == none.spheres);
    assert!(features.edge_edge < labels.edge_edge && labels.edge_edge < none.edge_edge);
    assert!(all.tests() < labels.tests() && all.tests() < features.tests());
    assert!(features.tests() < none.tests());
    assert!(run(false, false, false).vertices > 3 * none.vertices);
}

/// A block in one sphere meets most leaves of a detailed body; with leaves as small as the body's
/// it meets few.
#[test]
fn leaves_of_one_size_are_tested_least() {
    let block = shapes::cuboid(&Vec3::repeat(0.15)).expect("valid");
    let detailed = shapes::torus(0.25, 0.1, 40, 20).expect("valid");
    let detailed = SphereTree::new(&detailed, 0.02).expect("valid");
    let start = Pose::translation(0.0, 0.0, 0.35);
    let motion = AlgebraicMotion::new(&Screw::from_twist(
        &Vec3::new(0.1, 0.0, -0.15),
        &Vec3::zeros(),
        &Vec3::zeros(),
    ));
    let motion = motion.expect("in range");
    let tests = |radius: f64| {
        let block = SphereTree::new(&block, radius).expect("valid");
        let mut search = SphereSearch::default();
        search.first_contact(
            &block,
            &detailed,
            &start,
            &motion,
            &SphereOptions::default(),
        );
        search.counters.edge_edge + search.counters.vertex_face + search.counters.face_vertex
    };
    assert!(
        tests(0.02) * 4 < tests(0.3),
        "{} {}",
        tests(0.02),
        tests(0.3)
    );
}

#[test]
fn what_cannot_be_built_says_why() {
    let mesh = shapes::cuboid(&Vec3::repeat(1.0)).expect("valid");
    for radius in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = SphereTree::new(&mesh, radius).expect_err("no radius");
        assert!(
            matches!(error, SphereTreeError::BadRadius { .. }),
            "{error}"
        );
    }
    for radius in [1e-4, 1e-12, 1e-300] {
        let error = SphereTree::new(&mesh, radius).expect_err("too small");
        assert!(
            matches!(error, SphereTreeError::TooManyLeaves { .. }),
            "{error}"
        );
    }
}
