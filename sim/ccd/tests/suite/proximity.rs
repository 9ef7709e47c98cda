//! `Proximity` against brute force over all feature pairs, and the hierarchy that it descends.

use crate::common;

use std::collections::HashSet;

use common::{SplitMix, oracle_distance, pair};
use hapticd_ccd::{MeshIndex, NearPair, NearSet, ObbTree, PairKind, Proximity, obb};
use hapticd_geometry::{Adjacency, Pose, Quat, TriMesh, Vec3, shapes, transform};

/// Every feature pair with its distance, sorted as by the query.
fn brute(a: &MeshIndex, radius: f64, b: &MeshIndex, b_from_a: &Pose) -> Vec<NearPair> {
    let count = |s: &MeshIndex| match (s.mesh(), s.adjacency()) {
        (Some(m), Some(adj)) => [m.positions().len(), adj.edges.len(), m.triangles().len()],
        _ => [1, 0, 0],
    };
    let (na, nb) = (count(a), count(b));
    let mut all = Vec::new();
    for kind in common::KINDS {
        for feature_a in 0..na[kind.points_a() - 1] as u32 {
            let fa = a
                .feature_a(kind, feature_a)
                .unwrap()
                .map(|p| transform(b_from_a, &p));
            for feature_b in 0..nb[kind.points_b() - 1] as u32 {
                let fb = b.feature_b(kind, feature_b).unwrap();
                let distance = oracle_distance(kind, &fa, &fb) - radius;
                all.push(NearPair {
                    kind,
                    feature_a,
                    feature_b,
                    distance,
                });
            }
        }
    }
    all.sort_by(|x, y| x.distance.total_cmp(&y.distance));
    all
}

fn check(found: &NearSet<'_>, all: &[NearPair], reach: f64, capacity: usize) {
    const TOL: f64 = 1e-12;
    let key = |p: &NearPair| (p.kind, p.feature_a, p.feature_b);
    assert!(found.pairs.len() <= capacity);
    assert!(found.complete_to <= reach);
    assert!(
        found
            .pairs
            .windows(2)
            .all(|w| w[0].distance <= w[1].distance)
    );
    let listed: HashSet<_> = found.pairs.iter().map(key).collect();
    assert_eq!(listed.len(), found.pairs.len(), "a pair appears twice");
    let within = all.iter().filter(|p| p.distance < reach - TOL).count();
    if within <= capacity {
        assert!(found.pairs.len() >= within);
        assert_eq!(found.complete_to, reach);
    } else {
        assert_eq!(found.pairs.len(), capacity);
        // The nearest ones, up to the documented width of ties.
        let worst = all[capacity - 1].distance;
        assert!(found.complete_to >= worst - 1.1e-3 * worst.abs() - TOL);
    }
    let mut matched = 0;
    for p in all {
        if listed.contains(&key(p)) {
            let q = found.pairs.iter().find(|q| key(q) == key(p)).unwrap();
            assert!((p.distance - q.distance).abs() < TOL, "{p:?} {q:?}");
            matched += 1;
        } else {
            assert!(
                p.distance >= found.complete_to - TOL,
                "missing {p:?}, complete to {}",
                found.complete_to
            );
        }
        if p.distance > reach + TOL && matched == listed.len() {
            break;
        }
    }
    assert_eq!(matched, listed.len(), "an invented pair");
    if within > capacity {
        let (last, worst) = (
            found.pairs[capacity - 1].distance,
            all[capacity - 1].distance,
        );
        assert!(last <= worst + 1.1e-3 * worst.abs() + TOL, "{last} {worst}");
    }
}

fn random_pose(rng: &mut SplitMix, spread: f64) -> Pose {
    let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
    Pose::from_parts(rng.point(spread).into(), turn)
}

fn mesh_zoo() -> Vec<MeshIndex> {
    [
        shapes::cuboid(&Vec3::new(0.3, 0.2, 0.1)),
        shapes::icosphere(0.25, 1),
        shapes::torus(0.3, 0.1, 8, 5),
        shapes::plate(0.4, 0.3, 0.001),
        shapes::inner_corner(0.4, 0.05),
        shapes::sheet(0.4, 4),
        // Degenerate on purpose: a needle, a point, a doubled triangle, a lone vertex.
        TriMesh::new(
            vec![
                Vec3::zeros(),
                Vec3::x() * 0.5,
                Vec3::x() * 0.2,
                Vec3::new(0.1, 0.3, 0.0),
                Vec3::repeat(9.0),
            ],
            vec![[0, 1, 2], [3, 3, 3], [0, 1, 3], [0, 3, 1], [0, 0, 3]],
        ),
    ]
    .into_iter()
    .map(|m| MeshIndex::new(m.expect("valid")))
    .collect()
}

/// Vertices without a triangle do not belong to the surface.
fn without_lone_vertices(all: &mut Vec<NearPair>, a: &MeshIndex, b: &MeshIndex) {
    let lone = |s: &MeshIndex, v: u32| {
        s.adjacency().is_some_and(|adj: &Adjacency| {
            adj.vertex_owner[v as usize] == hapticd_geometry::NO_OWNER
        })
    };
    all.retain(|p| match p.kind {
        PairKind::VertexFace => !lone(a, p.feature_a),
        PairKind::FaceVertex => !lone(b, p.feature_b),
        PairKind::EdgeEdge => true,
    });
}

#[test]
fn agrees_with_every_pair_tried() {
    let zoo = mesh_zoo();
    let mut rng = SplitMix(11);
    let mut proximity: Vec<Proximity> = [1, 7, 64, 1 << 16].map(Proximity::new).into();
    for _ in 0..16 {
        let a = &zoo[rng.below(zoo.len())];
        let b = &zoo[rng.below(zoo.len())];
        let pose = random_pose(&mut rng, 0.6);
        let mut all = brute(a, 0.0, b, &pose);
        without_lone_vertices(&mut all, a, b);
        for p in &mut proximity {
            let capacity = p.capacity();
            for reach in [0.0, 0.02, 0.2, 10.0] {
                let found = p.query(a, 0.0, b, &pose, reach);
                check(&found, &all, reach, capacity);
            }
        }
    }
}

#[test]
fn ties_on_parallel_faces() {
    // A plate parallel to a sheet: very many pairs at one distance.
    let sheet = MeshIndex::new(shapes::sheet(0.4, 12).expect("valid"));
    let tool = MeshIndex::new(shapes::sheet(0.2, 9).expect("valid"));
    let pose = Pose::translation(0.013, 0.007, 0.001);
    let all = brute(&tool, 0.0, &sheet, &pose);
    for capacity in [16, 100, 5000] {
        let mut p = Proximity::new(capacity);
        check(
            &p.query(&tool, 0.0, &sheet, &pose, 0.01),
            &all,
            0.01,
            capacity,
        );
    }
}

#[test]
fn point_tools_meet_each_triangle_once() {
    let mut rng = SplitMix(12);
    for body in &mesh_zoo() {
        for _ in 0..10 {
            let tip = MeshIndex::point(rng.point(0.1));
            let pose = random_pose(&mut rng, 0.5);
            let radius = rng.range(0.0, 0.1);
            let reach = rng.range(0.0, 0.5);
            for capacity in [3, 1000] {
                let mut p = Proximity::new(capacity);
                let all = brute(&tip, radius, body, &pose);
                assert!(all.iter().all(|p| p.kind == PairKind::VertexFace));
                check(
                    &p.query(&tip, radius, body, &pose, reach),
                    &all,
                    reach,
                    capacity,
                );
                let back = pose.inverse();
                let all = brute(body, 0.0, &tip, &back);
                assert!(all.iter().all(|p| p.kind == PairKind::FaceVertex));
                check(
                    &p.query(body, 0.0, &tip, &back, reach),
                    &all,
                    reach,
                    capacity,
                );
            }
        }
    }
}

#[test]
fn equal_inputs_give_equal_lists() {
    let zoo = mesh_zoo();
    let mut rng = SplitMix(13);
    let (mut used, mut fresh_total) = (Proximity::new(40), 0);
    for _ in 0..60 {
        let a = &zoo[rng.below(zoo.len())];
        let b = &zoo[rng.below(zoo.len())];
        let pose = random_pose(&mut rng, 0.4);
        let mut fresh = Proximity::new(40);
        let first = fresh.query(a, 0.0, b, &pose, 0.2);
        let second = used.query(a, 0.0, b, &pose, 0.2);
        assert_eq!(first.pairs, second.pairs);
        assert_eq!(first.complete_to, second.complete_to);
        fresh_total += first.pairs.len();
    }
    assert!(fresh_total > 0);
}

#[test]
fn two_points_are_a_pair() {
    let [a, b] = [Vec3::x(), -Vec3::y()].map(MeshIndex::point);
    let pose = Pose::translation(0.0, 2.0, 0.0);
    let mut p = Proximity::new(8);
    let near = p.query(&a, 0.5, &b, &pose, 5.0);
    let [pair] = near.pairs else {
        panic!("{:?}", near.pairs)
    };
    assert!((pair.distance - (10.0_f64.sqrt() - 0.5)).abs() < 1e-15);
    assert_eq!(near.complete_to, 5.0);
    let feature = b.feature_b(pair.kind, pair.feature_b).expect("a face");
    assert_eq!(feature, [-Vec3::y(); 3]);
    let far = p.query(&a, 0.5, &b, &pose, 2.0);
    assert!(far.pairs.is_empty());
    assert_eq!(far.complete_to, 2.0);
}

#[test]
fn nothing_is_claimed_without_numbers() {
    let body = MeshIndex::new(shapes::icosphere(0.2, 1).expect("valid"));
    let tip = MeshIndex::point(Vec3::zeros());
    let mut p = Proximity::new(8);
    let bad = Pose::translation(f64::NAN, 0.0, 0.0);
    let good = Pose::identity();
    for (a, radius, b, pose, reach) in [
        (&tip, 0.0, &body, &bad, 1.0),
        (&tip, f64::NAN, &body, &good, 1.0),
        (&body, 0.0, &body, &good, f64::INFINITY),
        (&tip, 0.0, &tip, &bad, 1.0),
    ] {
        let found = p.query(a, radius, b, pose, reach);
        assert!(found.pairs.is_empty());
        assert_eq!(found.complete_to, f64::NEG_INFINITY);
    }
}

#[test]
fn trees_are_valid_balanced_and_repeatable() {
    for mesh in [
        shapes::torus(0.3, 0.1, 40, 25),
        shapes::terrain([0.5, 0.5], 40, 0.02, 0.05, 3),
        shapes::icosphere(1e-3, 4),
        shapes::plate(1.0, 1.0, 1e-4),
        shapes::icosphere(100.0, 3),
    ] {
        let mesh = mesh.expect("valid");
        let tree = ObbTree::new(&mesh);
        let (low, high) = mesh.bounds();
        let size = (high - low).norm();
        assert_eq!(tree.validate(&mesh, 1e-14 * size), Ok(()));
        let n = mesh.triangles().len() as f64;
        assert_eq!(tree.nodes().len(), 2 * mesh.triangles().len() - 1);
        assert!(
            f64::from(tree.depth()) <= 3.0 * n.log2() + 8.0,
            "depth {} for {n}",
            tree.depth()
        );
        let again = ObbTree::new(&mesh);
        assert_eq!(tree, again);
    }
    // Far from the origin the boxes still hold.
    let mesh = shapes::icosphere(0.01, 2).expect("valid");
    let far = mesh
        .positions()
        .iter()
        .map(|p| p + Vec3::new(300.0, -20.0, 7.0))
        .collect();
    let far = TriMesh::new(far, mesh.triangles().to_vec()).expect("valid");
    assert_eq!(ObbTree::new(&far).validate(&far, 1e-13), Ok(()));
}

#[test]
fn validate_finds_defects() {
    let mesh = shapes::icosphere(0.2, 1).expect("valid");
    let tree = ObbTree::new(&mesh);
    let grown = mesh.positions().iter().map(|p| p * 1.01).collect();
    let grown = TriMesh::new(grown, mesh.triangles().to_vec()).expect("valid");
    assert!(matches!(
        tree.validate(&grown, 1e-9),
        Err(hapticd_ccd::tree::TreeDefect::NotContained { .. })
    ));
    let other = shapes::icosphere(0.2, 2).expect("valid");
    assert!(matches!(
        tree.validate(&other, 1e-9),
        Err(hapticd_ccd::tree::TreeDefect::LeafCount { .. })
    ));
}

#[test]
fn box_distances_bound_point_distances() {
    let mut rng = SplitMix(14);
    let mut positive = 0;
    for _ in 0..3_000 {
        let scale = rng.log_range(1e-3, 1.0);
        let set = |rng: &mut SplitMix, at: Vec3| -> Vec<[Vec3; 3]> {
            (0..1 + rng.below(4))
                .map(|_| [0; 3].map(|_| at + rng.point(scale)))
                .collect()
        };
        let offset = rng.direction() * scale * rng.range(0.0, 6.0);
        let (a, b) = (set(&mut rng, Vec3::zeros()), set(&mut rng, offset));
        let (oa, ob) = (obb::fit(&a), obb::fit(&b));
        for (set, obb) in [(&a, &oa), (&b, &ob)] {
            assert!(set.iter().flatten().all(|p| obb.contains(p, 0.0)));
            assert!(
                (obb.axes.transpose() * obb.axes - hapticd_geometry::Mat3::identity()).amax()
                    < 1e-14
            );
        }
        let bound = obb::distance_lower_bound(&oa, &ob);
        positive += usize::from(bound > 0.0);
        let overlap = obb::overlap(&oa, &ob);
        assert!(bound <= 0.0 || !overlap);
        // Points of the boxes, corners and random ones.
        let sample = |rng: &mut SplitMix, o: &hapticd_ccd::Obb| {
            let u = [0; 3].map(|_| rng.range(-1.5, 1.5).clamp(-1.0, 1.0));
            o.center + o.axes * o.half.component_mul(&Vec3::from(u))
        };
        for _ in 0..60 {
            let (p, q) = (sample(&mut rng, &oa), sample(&mut rng, &ob));
            assert!((p - q).norm() >= bound - 1e-12 * scale);
            assert!(overlap || !oa.contains(&q, -1e-9 * scale));
        }
    }
    assert!(positive > 500);
}

/// All pairs of triangles, or those with boxes within reach, shuffled.
fn candidates(
    rng: &mut SplitMix,
    (a, b): (&MeshIndex, &MeshIndex),
    pose: &Pose,
    reach: f64,
) -> Vec<[u32; 2]> {
    let (a, b) = (a.mesh().unwrap(), b.mesh().unwrap());
    let all = rng.below(2) == 0;
    let mut some = Vec::new();
    for i in 0..a.triangles().len() {
        let p = a.triangle(i).map(|p| transform(pose, &p));
        for j in 0..b.triangles().len() {
            let q = b.triangle(j);
            let near = (0..3).all(|k| {
                let bounds = |t: &[Vec3; 3]| {
                    let x = t.map(|v| v[k]);
                    (x[0].min(x[1]).min(x[2]), x[0].max(x[1]).max(x[2]))
                };
                let ((low_p, high_p), (low_q, high_q)) = (bounds(&p), bounds(&q));
                low_p - high_q <= reach + 1e-9 && low_q - high_p <= reach + 1e-9
            });
            if all || near {
                some.push([i as u32, j as u32]);
            }
        }
    }
    for k in (1..some.len()).rev() {
        some.swap(k, rng.below(k + 1));
    }
    some
}

/// In any order of the triangle pairs, the list is that of the search, to the bit. It is declined
/// if and only if the search may leave out ties.
#[test]
fn candidates_in_any_order_give_the_list_of_the_search() {
    let zoo = mesh_zoo();
    let mut rng = SplitMix(17);
    let (mut whole, mut short, mut declined) = (0, 0, 0);
    for _ in 0..300 {
        let a = &zoo[rng.below(zoo.len())];
        let b = &zoo[rng.below(zoo.len())];
        let pose = match rng.below(3) {
            // Sides on sides: ties.
            0 => Pose::from_parts(
                (rng.point(0.3)).map(|x| (x * 10.0).round() / 10.0).into(),
                Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2),
            ),
            _ => random_pose(&mut rng, 0.4),
        };
        let reach = rng.range(0.0, 0.25);
        let radius = if rng.below(4) == 0 { 0.01 } else { 0.0 };
        let some = candidates(&mut rng, (a, b), &pose, reach + radius);
        let within = Proximity::new(1 << 16)
            .query(a, radius, b, &pose, reach)
            .pairs
            .len();
        for capacity in [1, 30, within / 2, within / 2 + 1, within, within + 1] {
            let capacity = capacity.max(1);
            let (mut one, mut other) = (Proximity::new(capacity), Proximity::new(capacity));
            let among = one.query_among(&pair((a, radius), b, &pose), reach, &some);
            assert_eq!(among.is_none(), within >= 2 * capacity);
            let Some(among) = among else {
                declined += 1;
                continue;
            };
            let searched = other.query(a, radius, b, &pose, reach);
            let bits = |near: &NearSet<'_>| {
                let of = |p: &NearPair| (p.kind, p.feature_a, p.feature_b, p.distance.to_bits());
                let pairs: Vec<_> = near.pairs.iter().map(of).collect();
                (pairs, near.complete_to.to_bits())
            };
            assert_eq!(bits(&among), bits(&searched));
            let full = among.complete_to < reach;
            whole += usize::from(!full && within > 0);
            short += usize::from(full);
        }
    }
    assert!(
        whole > 150 && short > 150 && declined > 150,
        "{whole} {short} {declined}"
    );
}

#[test]
fn candidates_that_do_not_exist_are_declined() {
    let a = MeshIndex::new(shapes::cuboid(&Vec3::repeat(0.1)).unwrap());
    let tip = MeshIndex::point(Vec3::zeros());
    let pose = Pose::translation(0.0, 0.0, 0.3);
    let mut p = Proximity::new(64);
    assert!(
        p.query_among(&pair((&a, 0.0), &a, &pose), 0.05, &[])
            .is_some()
    );
    assert!(
        p.query_among(&pair((&a, 0.0), &a, &pose), 0.05, &[[12, 0]])
            .is_none()
    );
    assert!(
        p.query_among(&pair((&a, 0.0), &a, &pose), 0.05, &[[0, 12]])
            .is_none()
    );
    assert!(
        p.query_among(&pair((&tip, 0.0), &a, &pose), 0.05, &[])
            .is_none()
    );
    assert!(
        p.query_among(&pair((&a, 0.0), &tip, &pose), 0.05, &[])
            .is_none()
    );
    let bad = Pose::translation(f64::NAN, 0.0, 0.0);
    let near = p
        .query_among(&pair((&a, 0.0), &a, &bad), 0.05, &[[0, 0]])
        .unwrap();
    assert_eq!(near.complete_to, f64::NEG_INFINITY);
}
