//! Queries with a budget, on meshes built to exhaust it: how much work they do, and what they then
//! guarantee.

use crate::common;

use std::collections::HashSet;

use common::{SplitMix, oracle_distance, pair};
use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::proximity::LEAF_WORK;
use hapticd_ccd::{MeshIndex, NearSet, PairKind, Proximity, Winding};
use hapticd_geometry::{NO_OWNER, Pose, Quat, Vec3, shapes, transform};
use hapticd_testkit::meshes;

fn tangle(triangles: u32) -> MeshIndex {
    MeshIndex::new(meshes::tangle(triangles).unwrap())
}

fn fan(triangles: u32) -> MeshIndex {
    MeshIndex::new(meshes::fan(triangles).unwrap())
}

fn tools() -> [MeshIndex; 3] {
    [
        MeshIndex::point(Vec3::zeros()),
        MeshIndex::new(shapes::cuboid(&Vec3::repeat(0.002)).unwrap()),
        MeshIndex::new(shapes::torus(0.03, 0.01, 30, 20).unwrap()),
    ]
}

/// Every feature pair nearer than `complete_to` is in the list, once; the distances are right.
fn check(near: &NearSet<'_>, a: &MeshIndex, radius: f64, b: &MeshIndex, b_from_a: &Pose) {
    const TOL: f64 = 1e-12;
    let count = |s: &MeshIndex| match (s.mesh(), s.adjacency()) {
        (Some(m), Some(adj)) => [m.positions().len(), adj.edges.len(), m.triangles().len()],
        _ => [1, 0, 0],
    };
    let owned = |s: &MeshIndex, v: u32| {
        (s.adjacency()).is_none_or(|adj| adj.vertex_owner[v as usize] != NO_OWNER)
    };
    let listed: HashSet<_> = (near.pairs.iter())
        .map(|p| (p.kind, p.feature_a, p.feature_b))
        .collect();
    assert_eq!(listed.len(), near.pairs.len(), "a pair appears twice");
    let (na, nb) = (count(a), count(b));
    let mut matched = 0;
    for kind in common::KINDS {
        for i in 0..na[kind.points_a() - 1] as u32 {
            let fa = a.feature_a(kind, i).unwrap();
            let fa = fa.map(|p| transform(b_from_a, &p));
            if kind == PairKind::VertexFace && !owned(a, i) {
                continue;
            }
            for j in 0..nb[kind.points_b() - 1] as u32 {
                if kind == PairKind::FaceVertex && !owned(b, j) {
                    continue;
                }
                let is_listed = listed.contains(&(kind, i, j));
                let fb = b.feature_b(kind, j).unwrap();
                // Far away, whatever their closest points.
                let size = |f: &[Vec3; 3], n: usize| {
                    (f[..n].iter().map(|p| (p - f[0]).norm())).fold(0.0, f64::max)
                };
                let apart = (fa[0] - fb[0]).norm()
                    - size(&fa, kind.points_a())
                    - size(&fb, kind.points_b());
                if !is_listed && apart - radius > near.complete_to {
                    continue;
                }
                let distance = oracle_distance(kind, &fa, &fb) - radius;
                if is_listed {
                    let found = (near.pairs.iter())
                        .find(|p| (p.kind, p.feature_a, p.feature_b) == (kind, i, j));
                    assert!((found.unwrap().distance - distance).abs() < TOL);
                    matched += 1;
                } else {
                    let missing = distance < near.complete_to - TOL;
                    assert!(!missing, "{kind:?} {i} {j} at {distance}: {near:?}");
                }
            }
        }
    }
    assert_eq!(matched, listed.len(), "an invented pair");
}

#[test]
fn no_mesh_takes_more_than_the_budget() {
    let mut proximity = Proximity::new(4096);
    let pose = Pose::translation(0.001, 0.002, 0.0015);
    let mut exhausted = 0;
    for body in [tangle(50_000), fan(50_000)] {
        for tool in &tools() {
            for budget in [0, 1, 1 << 10, 1 << 14, 1 << 17] {
                for reach in [0.001, 0.02] {
                    let near =
                        proximity.query_within(&pair((tool, 0.0), &body, &pose), reach, budget);
                    assert!(near.work < budget + LEAF_WORK, "{budget} {}", near.work);
                    assert!(near.exhausted || near.work <= budget);
                    let most = near.box_tests + LEAF_WORK * near.leaf_tests;
                    assert!(near.work <= most);
                    exhausted += usize::from(near.exhausted);
                }
            }
        }
    }
    assert!(exhausted > 40, "{exhausted}");
}

#[test]
fn what_a_stopped_query_certifies_is_true() {
    let mut rng = SplitMix(3);
    let mut proximity = Proximity::new(300);
    let mut knew = 0;
    for body in [tangle(2000), fan(2000)] {
        for (k, tool) in tools().iter().enumerate() {
            let radius = if k == 0 { 0.001 } else { 0.0 };
            for i in 0..6 {
                let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
                let at = rng.direction() * (0.012 * f64::from(i));
                let pose = Pose::from_parts(at.into(), turn);
                let budget = [100, 1000, 10_000][i as usize % 3];
                let near =
                    proximity.query_within(&pair((tool, radius), &body, &pose), 0.02, budget);
                check(&near, tool, radius, &body, &pose);
                knew += usize::from(near.exhausted && near.complete_to > 0.0);
            }
        }
    }
    assert!(knew > 3, "{knew}");
}

/// Fifty thousand triangles around a ball: the list is complete up to the reported distance.
#[test]
fn a_ball_in_fifty_thousand_triangles() {
    let tool = MeshIndex::point(Vec3::zeros());
    let mut proximity = Proximity::new(4096);
    for body in [tangle(50_000), fan(50_000)] {
        for height in [0.0, 0.01, 0.035] {
            let pose = Pose::translation(0.004, 0.003, height);
            for budget in [1 << 12, 1 << 16] {
                let near =
                    proximity.query_within(&pair((&tool, 0.002), &body, &pose), 0.02, budget);
                check(&near, &tool, 0.002, &body, &pose);
            }
        }
    }
}

#[test]
fn a_budget_that_is_not_used_up_changes_nothing() {
    let ground = MeshIndex::new(shapes::terrain([0.1, 0.1], 40, 0.01, 0.05, 3).unwrap());
    let (mut free, mut bound) = (Proximity::new(512), Proximity::new(512));
    let mut rng = SplitMix(8);
    for tool in &tools() {
        for _ in 0..20 {
            let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
            let at = Vec3::new(rng.range(-0.08, 0.08), rng.range(-0.08, 0.08), 0.03);
            let pose = Pose::from_parts(at.into(), turn);
            let all = free.query(tool, 0.0, &ground, &pose, 0.02);
            assert!(!all.exhausted);
            let near = bound.query_within(&pair((tool, 0.0), &ground, &pose), 0.02, all.work + 1);
            assert!(!near.exhausted);
            assert_eq!(near.pairs, all.pairs);
            assert_eq!(near.complete_to.to_bits(), all.complete_to.to_bits());
            assert_eq!(near.work, all.work);
            // A quarter of the work is not enough and proves less.
            let less = bound.query_within(&pair((tool, 0.0), &ground, &pose), 0.02, all.work / 4);
            assert!(less.exhausted || all.work < 40);
            assert!(less.complete_to <= all.complete_to);
        }
    }
}

#[test]
fn whether_meshes_meet_is_not_told_beyond_the_visits() {
    let (body, [_, tool, _]) = (tangle(5000), tools());
    let mut search = Intersections::default();
    let near = Pose::translation(0.0, 0.0, 0.0);
    let mut visits = 3;
    assert_eq!(search.any_within(&tool, &body, &near, &mut visits), None);
    assert_eq!(visits, 0);
    visits = 1 << 20;
    assert_eq!(
        search.any_within(&tool, &body, &near, &mut visits),
        Some(true)
    );
    assert!(visits > 0);
    let far = Pose::translation(0.0, 0.0, 1.0);
    visits = 1;
    assert_eq!(
        search.any_within(&tool, &body, &far, &mut visits),
        Some(false)
    );
    let ball = MeshIndex::new(shapes::icosphere(0.1, 3).unwrap());
    let (mut winding, mut few) = (Winding::default(), 2);
    let p = Vec3::new(0.01, 0.0, 0.0);
    assert_eq!(winding.about_within(&ball, &p, &mut few), None);
    few = 1000;
    assert_eq!(winding.about_within(&ball, &p, &mut few), Some(1));
    assert_eq!(winding.about(&ball, &p), Some(1));
}

/// Two fine flat meshes face to face: any number of pairs at one distance, so that these alone
/// exceed a budget. Only the rounding of the boxes' bounds is lost: 8 um for meshes of a metre.
#[test]
fn flat_on_flat_keeps_most_of_its_certificate() {
    let ground = MeshIndex::new(shapes::sheet(0.5, 224).unwrap());
    let tool = MeshIndex::new(shapes::sheet(0.06, 70).unwrap());
    let mut p = Proximity::new(4096);
    for height in [3e-5, 2e-3] {
        let turn = Quat::from_axis_angle(&Vec3::z_axis(), 0.3);
        let pose = Pose::from_parts(Vec3::new(0.003, 0.001, height).into(), turn);
        let whole = p
            .query(&tool, 0.0, &ground, &pose, 1.5 * height)
            .complete_to;
        for budget in [1 << 16, 1 << 18] {
            let near = p.query_within(&pair((&tool, 0.0), &ground, &pose), 1.5 * height, budget);
            let lost = whole - near.complete_to;
            assert!(near.exhausted);
            assert!(
                lost < 1e-5 + 0.01 * height,
                "{height} {budget}: {lost:e} of {whole:e}"
            );
        }
    }
}
