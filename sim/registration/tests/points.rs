//! Points in a map that adapts to them, against brute force.

mod common;

use common::Random;
use hapticd_counting::{Counting, counted};
use hapticd_geometry::Vec3;
use hapticd_registration::points::{MovingPoints, PointsError};
use hapticd_registration::track::Path;
use proptest::prelude::*;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn brute(at: &[Vec3], radius: f64) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for i in 0..at.len() {
        for j in i + 1..at.len() {
            if (at[j] - at[i]).norm_squared() <= radius * radius {
                pairs.push((i as u32, j as u32));
            }
        }
    }
    pairs
}

/// Pairs as found, sorted; each must be found once, with its distance.
fn found(points: &mut MovingPoints, at: &[Vec3], radius: f64) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    points.pairs(at, radius, |a, b, square| {
        let apart = at[a as usize] - at[b as usize];
        assert_eq!(square, apart.norm_squared());
        pairs.push((a, b));
    });
    pairs.sort_unstable();
    pairs
}

/// Points that drift, jump, crowd and spread, with a reach that changes.
fn wander(seed: u64, count: usize, steps: usize) -> (usize, u64, u8) {
    let mut random = Random(seed);
    let mut points = MovingPoints::new();
    let mut at: Vec<Vec3> = (0..count).map(|_| random.vector(1.0)).collect();
    let (mut seen, mut deepest) = (0, 0);
    let mut reach = 0.15;
    for step in 0..steps {
        let crowd = random.vector(1.0);
        for p in &mut at {
            *p = match step % 7 {
                3 => crowd + (*p - crowd) * 0.5,
                5 => *p * 1.7,
                _ if random.below(40) == 0 => random.vector(2.0),
                _ => *p + random.vector(0.3 * reach),
            };
        }
        if random.below(3) == 0 {
            reach = (reach * (1.0 + random.around(0.6))).clamp(0.02, 0.8);
        }
        if random.below(9) == 0 {
            at.push(random.vector(1.0));
        }
        points.place(&at, reach, 0.1).unwrap();
        let radius = reach * if random.below(2) == 0 { 1.0 } else { 0.6 };
        let expected = brute(&at, radius);
        assert_eq!(found(&mut points, &at, radius), expected);
        seen += expected.len();
        let map = points.registration().unwrap().map();
        deepest = deepest.max(map.leaves().map(|c| map.cell_level(c)).max().unwrap());
        // Along a path that leaves the points' box: every point within reach of any of its
        // positions is in a list.
        let i = random.below(at.len());
        let to = at[i] + random.vector(0.05);
        let mut met = Vec::new();
        let mut leaves = Vec::new();
        let path = points.march(i, &to, |c| leaves.push(c));
        for c in leaves {
            met.extend(points.around(c));
        }
        assert!(matches!(path, Some(Path::Reached(_))), "{path:?}");
        for k in 0..=16 {
            let place = at[i] + (to - at[i]) * (f64::from(k) / 16.0);
            for (j, p) in (0..).zip(&at) {
                assert!((p - place).norm() > reach || met.contains(&j), "{j} by {i}");
            }
        }
    }
    (seen, points.remade(), deepest)
}

#[test]
fn pairs_are_those_of_brute_force() {
    let (seen, remade, deepest) = wander(1, 150, 60);
    assert!(
        seen > 10_000 && remade > 2 && deepest >= 2,
        "{seen} {remade} {deepest}"
    );
}

/// The usual number of cases, or as many as the environment requests.
fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    ProptestConfig {
        cases: asked.and_then(|n| n.parse().ok()).unwrap_or(usual),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(cases(24))]

    #[test]
    fn pairs_are_those_of_brute_force_whatever_the_seed(seed: u64, count in 1_usize..60) {
        let _ = wander(seed, count, 15);
    }
}

#[test]
fn bad_places_are_refused_and_forgotten() {
    let mut points = MovingPoints::new();
    let at = [Vec3::zeros(), Vec3::repeat(0.1)];
    points.place(&at, 1.0, 0.0).unwrap();
    for bad in [f64::NAN, f64::INFINITY, 1e300] {
        let refused = points.place(&[at[0], Vec3::new(0.0, bad, 0.0)], 1.0, 0.0);
        assert!(
            matches!(refused, Err(PointsError::Place { point: 1, .. })),
            "{refused:?}"
        );
        // The old lists do not fit the new positions.
        assert!(points.registration().is_none());
        points.place(&at, 1.0, 0.0).unwrap();
        assert_eq!(found(&mut points, &at, 1.0), [(0, 1)]);
    }
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            points.place(&at, bad, 0.0),
            Err(PointsError::Reach { .. })
        ));
    }
    points.place(&[], 1.0, 0.0).unwrap();
    assert!(points.march(0, &at[1], |_| {}).is_none());
    points.pairs(&[], 1.0, |_, _, _| panic!("nobody is there"));
}

/// Points that repeat a motion need no more memory after some rounds.
#[test]
fn nothing_allocates_where_the_same_comes_again() {
    let mut random = Random(3);
    let start: Vec<Vec3> = (0..200).map(|_| random.vector(1.0)).collect();
    let ways: Vec<Vec3> = (0..200).map(|_| random.vector(0.4)).collect();
    let mut at = start.clone();
    let mut points = MovingPoints::new();
    let mut pairs = 0_usize;
    let mut round = |points: &mut MovingPoints| {
        for step in 0..40 {
            let share = (f64::from(step) / 40.0 * std::f64::consts::TAU).sin();
            for ((p, from), way) in at.iter_mut().zip(&start).zip(&ways) {
                *p = from + way * share;
            }
            points.place(&at, 0.2 + 0.05 * share, 0.0).unwrap();
            points.pairs(&at, 0.2, |_, _, _| pairs += 1);
        }
    };
    for _ in 0..6 {
        round(&mut points);
    }
    let edits = points.registration().unwrap().edits();
    let ((), calls) = counted(|| round(&mut points));
    assert!(points.registration().unwrap().edits() > edits + 1000);
    assert_eq!(calls, 0);
    assert!(pairs > 10_000);
}
