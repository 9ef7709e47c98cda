//! The real-time gate for functions that the haptic loop may call: tracking and marching with a
//! budget, in every kind of space, without an allocation and (under RealtimeSanitizer) without a
//! lock or a blocking call, and never past the budget.
//!
//! Built with `RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=realtime --cfg rtsan"`, `turn` below is
//! real-time to the sanitizer, which ends the process at the first violation. `hapticd-rtgate`
//! shows that the sanitizer does so.
#![cfg_attr(rtsan, feature(sanitize))]

mod common;

use common::{Random, bent_cubes, bent_squares, closed_surface, hills, shuffle, triangles};
use hapticd_counting::{Counting, counted};
use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map, Space};
use hapticd_registration::registration::{EntityId, Kind, ParticleId, Policy, Registration};
use hapticd_registration::track::{Outcome, Particle, Path, Tally};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Results of the turns, by kind.
#[derive(Debug, Default)]
struct Met {
    reached: usize,
    blocked: usize,
    spent: usize,
    cells: usize,
    ways: usize,
    long: usize,
}

/// One turn: the particle follows its goal, and the cells between its old and its new position are
/// named.
#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn turn(
    map: &Map,
    particle: &mut Particle,
    goal: &Vec3,
    most: u32,
    tally: &mut Tally,
    met: &mut Met,
) {
    let from = *particle;
    match map.track_bounded(particle, goal, most, tally) {
        Ok(Some(Outcome::Reached)) => met.reached += 1,
        Ok(Some(Outcome::Blocked { .. })) => met.blocked += 1,
        Ok(None) => met.spent += usize::from(*particle == from),
        Err(_) => {}
    }
    let mut cells = 0;
    match map.march_bounded(&from, particle, most, |_| cells += 1) {
        Path::Lost => met.long += 1,
        _ => met.ways += 1,
    }
    met.cells += cells;
}

#[test]
fn tracking_and_marching_with_a_budget_are_for_the_loop() {
    let mut spaces = vec![
        bent_cubes(4, 0.0, 1),
        bent_cubes(4, 0.25, 2),
        bent_squares(5, 0.2, 3),
        triangles(4),
        closed_surface(4, true),
        hills(5, 0.5, 4, |x, y| (x, y) == (2, 2)),
    ];
    let mut walled = bent_cubes(4, 0.1, 5);
    for c in walled.leaves().step_by(7).collect::<Vec<_>>() {
        walled.set_obstacle_cell(c, true);
    }
    spaces.push(walled);
    for mut map in spaces {
        shuffle(&mut map, &mut Random(9), 12, 2);
        for most in [2_000, 24] {
            let mut random = Random(3);
            let first = map.leaves().nth(1).unwrap();
            let (mut particle, mut tally) = (map.particle_in(first), Tally::default());
            let mut met = Met::default();
            let ((), calls) = counted(|| {
                for i in 0..1_500 {
                    let by = if i % 9 == 0 { 4.0 } else { 0.3 };
                    let mut goal = particle.position + random.vector(by);
                    if map.space() == Space::Plane {
                        goal.z = 0.0;
                    }
                    turn(&map, &mut particle, &goal, most, &mut tally, &mut met);
                }
            });
            assert_eq!(calls, 0);
            assert!(tally.most_tests <= most + 8, "{most}: {tally:?}");
            assert_eq!(tally.fallbacks, 0);
            assert_eq!(met.reached + met.blocked + met.spent, 1_500, "{met:?}");
            assert!(met.reached > 100 && met.cells > 1_500, "{met:?}");
            assert!(most < 100 || (met.spent == 0 && met.long == 0), "{met:?}");
        }
    }
}

/// One turn with a registration that the loop's own thread keeps.
#[cfg_attr(rtsan, sanitize(realtime = "nonblocking"))]
fn registered(
    r: &mut Registration,
    p: ParticleId,
    goal: &Vec3,
    x: EntityId,
    out: &mut Vec<EntityId>,
) {
    let _ = r.move_particle(p, goal);
    r.settle();
    for kind in Kind::ALL {
        r.visible(x, kind, out);
    }
}

#[test]
fn lists_that_follow_what_moves_allocate_nothing() {
    for (map, n) in [
        (bent_cubes(4, 0.0, 1), 4.0),
        (bent_squares(5, 0.2, 3), 5.0),
        (closed_surface(4, true), 2.0),
    ] {
        let mut r = Registration::new(map, Policy::Tolerate);
        r.reserve(200_000, 100, 100, 1_000);
        let near = r.map().leaves().next().unwrap();
        let cells: Vec<Cell> = r.map().leaves().collect();
        let mut ends = Vec::new();
        let mut random = Random(4);
        for _ in 0..40 {
            let at = r.map().centre(cells[random.below(cells.len())]);
            ends.push(r.insert_particle(&at, near).unwrap());
        }
        let mut all = Vec::new();
        for k in 0..36 {
            all.push(match k % 3 {
                0 => r.insert_point(ends[k]),
                1 => r.insert_edge(ends[k], ends[k + 1]),
                _ => r.insert_triangle([ends[k], ends[k + 1], ends[k + 2]]),
            });
        }
        let all: Vec<EntityId> = all.into_iter().map(Result::unwrap).collect();
        let mut out = Vec::with_capacity(100);
        let flat = r.map().space() == Space::Plane;
        let goals: Vec<Vec3> = (0..2_000)
            .map(|_| {
                let mut goal = random.inside(Vec3::zeros(), Vec3::repeat(n));
                goal.z *= if flat { 0.0 } else { 1.0 };
                goal
            })
            .collect();
        let mut turns = |r: &mut Registration| {
            for (i, goal) in goals.iter().enumerate() {
                registered(r, ends[i % 40], goal, all[i % 36], &mut out);
            }
        };
        turns(&mut r);
        let before = r.edits();
        let ((), calls) = counted(|| turns(&mut r));
        assert_eq!(calls, 0);
        assert!(r.edits() > before + 10_000);
    }
}
