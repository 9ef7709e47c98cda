//! Neighbours of the needle against brute force, and the mesh that is fine about the tip only (box
//! 40 of the checklist for Pitiot 2015).

mod common;

use std::collections::BTreeSet;

use common::{Random, ball};
use hapticd_geometry::closest::{point_triangle, segment_segment};
use hapticd_geometry::{Aabb, Pose, TriMesh, Vec3, refined, shapes};
use hapticd_needle::{CROWD, Layer, NearStructure, Structure, Surroundings, TissueSpec, Zoom};
use hapticd_registration::map::Cell;
use hapticd_registration::registration::Kind;
use proptest::prelude::*;

fn spec(seed: u64) -> TissueSpec {
    let mut random = Random(seed);
    let layer: Layer = common::layer(0.1, 0.5);
    let tube = common::moved(
        &shapes::cylinder(0.004, 0.03, 16).unwrap(),
        &Vec3::new(0.004, 0.0, 0.0),
    );
    // Nothing lies exactly between two cells, where it could be in either.
    let sheet = shapes::sheet(0.02, 6).unwrap();
    let sheet = common::moved(&sheet, &Vec3::new(3e-4, -2e-4, 1.3e-3));
    let mut meshes: Vec<TriMesh> = vec![tube, sheet];
    for _ in 0..3 {
        let at = Vec3::from_fn(|_, _| random.within(-0.02, 0.02));
        meshes.push(ball(random.within(0.003, 0.01), at));
    }
    let structure = |(id, mesh)| Structure {
        id,
        mesh,
        puncture_force_n: Some(0.5),
    };
    TissueSpec {
        world_from_tissue: Pose::identity(),
        half_m: Vec3::repeat(0.04),
        layers: vec![layer],
        structures: (0..).zip(meshes).map(structure).collect(),
    }
}

const ZOOM: Zoom = Zoom {
    cell_m: 0.02,
    finest: 2,
    about_m: 0.004,
    budget: 12,
};

/// Returns a path that winds down from the top.
fn way(seed: u64, pieces: usize) -> Vec<Vec3> {
    let mut random = Random(seed);
    let (pitch, radius, phase) = (
        random.within(0.01, 0.05),
        random.within(0.004, 0.02),
        random.within(0.0, 6.0),
    );
    let length = 0.002;
    let turn = length / (radius * radius + pitch * pitch / 40.0).sqrt();
    (0..=pieces)
        .map(|i| {
            let t = turn * i as f64;
            let down = (pitch / 6.3 * t) % 0.14;
            // Down and up again, so that the path comes near itself.
            let z = 0.035 - if down > 0.07 { 0.14 - down } else { down };
            Vec3::new(radius * (t + phase).cos(), radius * (t + phase).sin(), z)
        })
        .collect()
}

fn brute_near(spec: &TissueSpec, [p, q]: [Vec3; 2]) -> Vec<f64> {
    let to_triangle = |t: &[Vec3; 3]| {
        let ends = [p, q].map(|e| (point_triangle(&e, t).0 - e).norm());
        let mut least = ends[0].min(ends[1]);
        for i in 0..3 {
            let (u, v, _, _) = segment_segment(&p, &q, &t[i], &t[(i + 1) % 3]);
            least = least.min((u - v).norm());
        }
        // Through the inside.
        let n = (t[1] - t[0]).cross(&(t[2] - t[0]));
        let (a, b) = (n.dot(&(p - t[0])), n.dot(&(q - t[0])));
        if a * b < 0.0 {
            let x = p + (q - p) * (a / (a - b));
            least = least.min((point_triangle(&x, t).0 - x).norm());
        }
        least
    };
    let all = spec.structures.iter().map(|s| {
        let triangles = (0..s.mesh.triangles().len()).map(|i| to_triangle(&s.mesh.triangle(i)));
        triangles.fold(f64::INFINITY, f64::min)
    });
    all.collect()
}

/// Compares the neighbours of every piece with brute force. Returns how many structures and own
/// pieces were near enough that they had to be found.
fn compare(s: &mut Surroundings, spec: &TissueSpec, nodes: &[Vec3], tip: &Vec3) -> (usize, usize) {
    let mut chain = nodes.to_vec();
    chain.push(*tip);
    assert_eq!(s.pieces(), chain.len() - 1);
    let (mut near, mut own): (Vec<NearStructure>, Vec<_>) = (Vec::new(), Vec::new());
    let (mut structures, mut selves) = (0, 0);
    for i in 0..chain.len() - 1 {
        let ends = [chain[i], chain[i + 1]];
        s.near(i, &mut near);
        for (k, least) in brute_near(spec, ends).into_iter().enumerate() {
            let found = near.iter().find(|n| n.structure == k);
            if least < s.sure_m() {
                structures += 1;
                let n = found.expect("a structure that is near");
                assert!((n.distance_m - least).abs() < 1e-9, "{n:?} {least}");
            } else if let Some(n) = found {
                assert!(n.distance_m > s.sure_m() - 1e-9 && n.distance_m > least - 1e-9);
            }
        }
        s.own(i, &mut own);
        for j in 0..chain.len() - 1 {
            if i.abs_diff(j) <= 1 {
                assert!(own.iter().all(|o| o.0 != j));
                continue;
            }
            let (u, v, _, _) = segment_segment(&ends[0], &ends[1], &chain[j], &chain[j + 1]);
            let apart = (u - v).norm();
            match own.iter().find(|o| o.0 == j) {
                Some(o) => assert!((o.1 - apart).abs() < 1e-12),
                None => assert!(apart >= s.sure_m(), "{i} {j} {apart}"),
            }
            selves += usize::from(apart < s.sure_m());
        }
    }
    (structures, selves)
}

type Lists = Vec<(usize, BTreeSet<usize>, BTreeSet<usize>)>;

fn lists(s: &Surroundings, kind: Kind) -> Lists {
    // Rings are computed on demand, which changes caches but no result.
    let mut r = s.registration().clone();
    let leaves: Vec<_> = r.map().leaves().collect();
    let mut all: Lists = (leaves.into_iter())
        .map(|c| {
            let here = r.present(c, kind).map(|x| x.index()).collect();
            (
                c.index(),
                here,
                r.neighbours(c, kind).map(|x| x.index()).collect(),
            )
        })
        .collect();
    all.sort();
    all
}

fn run(seed: u64, pieces: usize, steps: usize) -> (usize, usize) {
    let spec = spec(seed);
    let mut s = Surroundings::new(&spec, ZOOM).unwrap();
    let (triangles, leaves) = (
        lists(&s, Kind::Triangle),
        s.registration().map().leaf_count(),
    );
    // Where structures are dense, and only there, cells are fine from the start.
    let first: BTreeSet<Cell> = s.registration().map().leaves().collect();
    let map = s.registration().map();
    let boxes: Vec<Aabb> = (spec.structures.iter())
        .flat_map(|structure| {
            let mesh = refined(&structure.mesh, s.sure_m()).unwrap();
            let of = |i| {
                let [a, b, c] = mesh.triangle(i).map(|p| Aabb::about(&p, 0.0));
                a.union(&b).union(&c)
            };
            (0..mesh.triangles().len()).map(of).collect::<Vec<_>>()
        })
        .collect();
    for &c in &first {
        let level = map.cell_level(c);
        let crowd = s.registration().present(c, Kind::Triangle).count();
        assert!(crowd <= CROWD || level == ZOOM.finest, "{crowd} {level}");
        if let Some(parent) = map.parent(c) {
            // At least as many as are present in it.
            let half = ZOOM.cell_m / f64::from(1_u32 << level) + 1e-9;
            let cube = Aabb::about(&map.centre(parent), half);
            let crowd = boxes.iter().filter(|b| b.overlaps(&cube)).count();
            assert!(crowd > CROWD, "{crowd} {level}");
        }
    }
    let way = way(seed, pieces + 1);
    let mut random = Random(seed ^ 77);
    let (mut at, mut found) = (0_usize, (0, 0));
    for step in 0..steps {
        // Mostly forward, sometimes back by a few.
        at = match random.bits() % 5 {
            0 => at.saturating_sub(random.bits() as usize % 9),
            _ => (at + random.bits() as usize % 4).min(pieces - 1),
        };
        let nodes = &way[..=at];
        let tip = way[at].lerp(&way[at + 1], random.within(0.05, 1.0));
        let done = s.follow(nodes, &tip).unwrap();
        assert!(
            done.refined <= ZOOM.budget && done.merged <= ZOOM.budget,
            "{done:?}"
        );
        if step % 10 == 9 {
            let (a, b) = compare(&mut s, &spec, nodes, &tip);
            found = (found.0 + a, found.1 + b);
            for _ in 0..100 {
                if !s.follow(nodes, &tip).unwrap().more {
                    break;
                }
            }
            fine_about(&s, &tip, &first);
            compare(&mut s, &spec, nodes, &tip);
        }
    }
    // Out: everything is as it was.
    for _ in 0..200 {
        if !s.follow(&[], &Vec3::zeros()).unwrap().more {
            break;
        }
    }
    assert_eq!((s.pieces(), s.parents()), (0, 0));
    assert_eq!(s.registration().map().leaf_count(), leaves);
    assert!(lists(&s, Kind::Triangle) == triangles);
    assert!(
        lists(&s, Kind::Edge)
            .iter()
            .all(|l| l.1.is_empty() && l.2.is_empty())
    );
    found
}

/// Checks that all cells near the tip are at the finest level, and all far ones as at first.
fn fine_about(s: &Surroundings, tip: &Vec3, first: &BTreeSet<Cell>) {
    let map = s.registration().map();
    let mut fine = 0;
    for c in map.leaves() {
        let level = map.cell_level(c);
        let half = 0.5 * ZOOM.cell_m / f64::from(1_u32 << level);
        let apart = (tip - map.centre(c))
            .map(|x| (x.abs() - half).max(0.0))
            .norm();
        if apart <= ZOOM.about_m {
            assert_eq!(level, ZOOM.finest, "{apart}");
            fine += 1;
        }
        // Its parent was not far, or it would have been merged.
        if !first.contains(&c) {
            let parent = map.parent(c).unwrap();
            let half = 2.0 * half;
            let apart = (tip - map.centre(parent))
                .map(|x| (x.abs() - half).max(0.0))
                .norm();
            assert!(apart <= 2.0 * ZOOM.about_m + 1e-12, "{apart} {level}");
        }
    }
    // At a corner of the fine cells only the eight cells that meet there are near: the next are a
    // whole cell away.
    assert!(fine >= 8, "{fine}");
}

#[test]
fn what_is_near_is_found_in_and_out_again() {
    let (mut structures, mut selves) = (0, 0);
    for seed in 0..4 {
        let s = Surroundings::new(&spec(seed), ZOOM).unwrap();
        let map = s.registration().map();
        assert!(map.leaves().any(|c| map.cell_level(c) > 0), "no crowd");
        let (a, b) = run(seed, 40, 40);
        structures += a;
        selves += b;
    }
    assert!(structures > 30 && selves > 100, "{structures} {selves}");
}

proptest! {
    #![proptest_config(common::cases(3))]

    #[test]
    fn on_random_paths(seed in any::<u64>(), pieces in 2_usize..40) {
        run(seed, pieces, 30);
    }
}

#[test]
fn lists_are_those_of_a_needle_that_went_straight_there() {
    let spec = spec(3);
    let way = way(3, 30);
    let mut there = Surroundings::new(&spec, ZOOM).unwrap();
    there.follow(&way[..20], &way[20]).unwrap();
    let mut about = Surroundings::new(&spec, ZOOM).unwrap();
    for n in [5, 25, 12, 28, 1, 20] {
        about.follow(&way[..n], &way[n]).unwrap();
    }
    for s in [&mut there, &mut about] {
        while s.follow(&way[..20], &way[20]).unwrap().more {}
        let (structures, selves) = compare(s, &spec, &way[..20], &way[20]);
        assert!(structures + selves > 3, "{structures} {selves}");
    }
}

#[test]
fn what_leaves_the_tissue_is_refused() {
    let mut s = Surroundings::new(&spec(1), ZOOM).unwrap();
    let at = Vec3::new(0.0, 0.0, 0.03);
    s.follow(&[at], &Vec3::zeros()).unwrap();
    assert!(s.follow(&[Vec3::repeat(1.0)], &at).is_err());
    assert!(s.follow(&[Vec3::repeat(f64::NAN)], &at).is_err());
    s.follow(&[at], &Vec3::zeros()).unwrap();
    assert_eq!(s.pieces(), 1);
}
