//! Four methods give the same pairs: box 41 of the checklist in the digest of Pitiot 2015.

use crate::common;
use crate::tree;

use common::SplitMix;
use hapticd_geometry::Vec3;
use hapticd_published::baselines::{
    BaselineError, ByGrid, ByHash, ByRegistration, Neighbours, Pairs,
};
use hapticd_registration::map::Map;
use hapticd_registration::registration::{Kind, Policy, Registration};
use hapticd_registration::scale::Density;
use hapticd_registration::track::TrackError;

fn brute(positions: &[Vec3], radius: f64) -> Pairs {
    let mut pairs = Vec::new();
    for i in 0..positions.len() {
        for j in i + 1..positions.len() {
            if (positions[i] - positions[j]).norm_squared() <= radius * radius {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

#[test]
fn box_41_all_baselines_find_the_same_pairs() {
    for (flat, crowded) in [(true, false), (true, true), (false, false), (false, true)] {
        let (n, radius, mut random) = (8, 0.25, SplitMix(6));
        let place = |random: &mut SplitMix| {
            let by = if crowded && random.unit() < 0.6 {
                1.5
            } else {
                7.99
            };
            let mut p = Vec3::from([0; 3].map(|_| random.range(0.01, by)));
            p.z *= if flat { 0.0 } else { 1.0 };
            p
        };
        let mut at: Vec<Vec3> = (0..900).map(|_| place(&mut random)).collect();
        let map = if flat {
            Map::grid_2d(Vec3::zeros(), 1.0, [n, n])
        } else {
            Map::grid_3d(Vec3::zeros(), 1.0, [n; 3])
        };
        let density = Density {
            kind: Kind::Point,
            split: 12,
            merge: 6,
            finest: 2,
            coarsest: 0,
            budget: 50,
            balanced: false,
        };
        let registration = Registration::new(map.unwrap(), Policy::Tolerate);
        let mut ours = ByRegistration::new(registration, &at, radius, Some(density)).unwrap();
        let mut grid = ByGrid::new(Vec3::zeros(), Vec3::repeat(n as f64), &at, radius).unwrap();
        let mut hashes =
            [0.3, 1.0, 2.5].map(|radii| ByHash::new(&at, radius, radii * radius, flat).unwrap());
        let mut tree = tree::ByTree::new(&at, radius).unwrap();
        let (mut out, mut found) = (Pairs::new(), 0);
        for _ in 0..20 {
            let expected = brute(&at, radius);
            found += expected.len();
            let [fine, hash, coarse] = &mut hashes;
            let all: [(&str, &mut dyn Neighbours); 6] = [
                ("ours", &mut ours),
                ("grid", &mut grid),
                ("hash, fine", fine),
                ("hash", hash),
                ("hash, coarse", coarse),
                ("tree", &mut tree),
            ];
            for (name, baseline) in all {
                baseline.pairs(&mut out);
                out.sort_unstable();
                // Both are sorted: no pair is missing, wrong or repeated.
                let wrong = out.iter().zip(&expected).find(|(is, should)| is != should);
                assert!(wrong.is_none(), "{name}: {wrong:?}");
                assert_eq!(out.len(), expected.len(), "{name}");
            }
            for p in &mut at {
                let mut to = *p + Vec3::from([0; 3].map(|_| (2.0 * random.unit() - 1.0) * 0.2));
                to.z *= if flat { 0.0 } else { 1.0 };
                let inside =
                    to.iter().take(2).all(|&x| x > 0.0 && x < 8.0) && to.z >= 0.0 && to.z < 8.0;
                *p = if inside { to } else { place(&mut random) };
            }
            let [fine, hash, coarse] = &mut hashes;
            let all: [&mut dyn Neighbours; 6] =
                [&mut ours, &mut grid, fine, hash, coarse, &mut tree];
            for baseline in all {
                baseline.update(&at).unwrap();
            }
        }
        assert!(found > 1_000, "{found}");
        let levels = ours
            .registration()
            .map()
            .leaves()
            .map(|c| ours.registration().map().cell_level(c))
            .max();
        assert!(!crowded || levels > Some(0));
    }
}

#[test]
fn baselines_refuse_bad_input() {
    let at = [Vec3::repeat(0.5); 3];
    for radius in [0.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(
            ByHash::new(&at, radius, 1.0, false),
            Err(BaselineError::Radius { .. })
        ));
        assert!(matches!(
            ByGrid::new(Vec3::zeros(), Vec3::repeat(1.0), &at, radius),
            Err(BaselineError::Radius { .. })
        ));
    }
    let too_fine = ByGrid::new(Vec3::zeros(), Vec3::repeat(1.0), &at, 1e-4);
    assert!(matches!(too_fine, Err(BaselineError::Radius { .. })));
    let map = Map::grid_3d(Vec3::zeros(), 1.0, [2; 3]).unwrap();
    let registration = Registration::new(map, Policy::Tolerate);
    let mut ours = ByRegistration::new(registration, &at, 0.1, None).unwrap();
    let mut grid = ByGrid::new(Vec3::zeros(), Vec3::repeat(1.0), &at, 0.1).unwrap();
    let mut hash = ByHash::new(&at, 0.1, 0.1, false).unwrap();
    let mut bad = at;
    bad[1].y = f64::NAN;
    let all: [&mut dyn Neighbours; 3] = [&mut ours, &mut grid, &mut hash];
    for baseline in all {
        assert_eq!(
            baseline.update(&at[..2]),
            Err(BaselineError::Count {
                given: 2,
                wanted: 3
            })
        );
        let error = baseline.update(&bad).unwrap_err();
        assert!(matches!(
            error,
            BaselineError::Track(TrackError::NotFinite { .. }) | BaselineError::Registration(_)
        ));
        let mut out = Pairs::new();
        baseline.pairs(&mut out);
        out.sort_unstable();
        assert_eq!(out, [[0, 1], [0, 2], [1, 2]]);
    }
    // Outside the numbering range of hash cells, points share a cell, and each pair is found once.
    let far = [Vec3::repeat(1e12), Vec3::repeat(1e12), Vec3::repeat(-1e12)];
    let mut hash = ByHash::new(&far, 0.1, 0.1, false).unwrap();
    let mut out = Pairs::new();
    hash.pairs(&mut out);
    assert_eq!(out, [[0, 1]]);
}
