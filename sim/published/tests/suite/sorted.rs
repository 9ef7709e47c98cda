//! The sorted list against a fresh sort, and its counts against crossings of pairs.

use crate::common;

use common::SplitMix;
use hapticd_counting::counted;
use hapticd_kinetic::{Kinetic, Motion1, PlanError};
use hapticd_published::sorted::SortedList;

fn random(rng: &mut SplitMix, degree: usize) -> Motion1 {
    let mut c = [0.0; 4];
    for c in &mut c[..=degree] {
        *c = rng.range(-1.0, 1.0);
    }
    c[0] *= 3.0;
    if degree == 1 {
        Motion1::linear(c[0], c[1])
    } else {
        Motion1::poly(&c)
    }
}

/// Number of neighbours out of order at `t`, by more than rounding.
fn disorder(list: &SortedList, t: f64) -> usize {
    let at = |o: u32| list.motion(o).unwrap().at(t);
    list.order()
        .windows(2)
        .filter(|w| at(w[1]) < at(w[0]) - 1e-9)
        .count()
}

#[test]
fn the_order_is_that_of_a_fresh_sort_at_all_times() {
    let mut rng = SplitMix(7);
    let mut events = 0;
    for run in 0..400 {
        let degree = 1 + run % 3;
        let n = 2 + rng.below(if run % 10 == 0 { 200 } else { 40 });
        let motions: Vec<_> = (0..n).map(|_| random(&mut rng, degree)).collect();
        let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).unwrap();
        let first = list.order().to_vec();
        let mut times: Vec<f64> = (0..50).map(|_| rng.range(0.0, 4.0)).collect();
        times.sort_by(f64::total_cmp);
        for &t in &times {
            let done = list.advance(t).unwrap();
            events += done.events;
            let mut fresh: Vec<u32> = (0..n as u32).collect();
            fresh.sort_by(|&a, &b| {
                motions[a as usize]
                    .at(t)
                    .total_cmp(&motions[b as usize].at(t))
            });
            assert_eq!(list.order(), fresh, "run {run} at {t}");
            list.audit(t).unwrap();
        }
        let stats = list.stats();
        assert_eq!(stats.events(), stats.events_external());
        assert!(stats.queue_len_max < n as u64 && stats.worst.destroyed <= 3);
        assert!(stats.worst.created <= if degree == 1 { 2 } else { 3 });
        if degree == 1 {
            let rank = |o: u32| first.iter().position(|&x| x == o).unwrap();
            let last: Vec<usize> = list.order().iter().map(|&o| rank(o)).collect();
            let inversions: usize = (0..n)
                .map(|k| last[k..].iter().filter(|&&r| r < last[k]).count())
                .sum();
            assert_eq!(stats.events(), inversions as u64);
        }
    }
    assert!(events > 50_000, "{events}");
}

/// Crossings of every pair, counted by the signs of their difference on a fine grid.
#[test]
fn events_are_the_crossings_of_pairs() {
    let mut rng = SplitMix(8);
    for run in 0..30 {
        let motions: Vec<_> = (0..8).map(|_| random(&mut rng, 2 + run % 2)).collect();
        let mut list = SortedList::new(&motions, 0.0, 2.0).unwrap();
        let events = list.advance(2.0).unwrap().events;
        let mut crossings = 0;
        for i in 0..8 {
            for k in 0..i {
                let f = |s: u32| {
                    let t = 2.0 * f64::from(s) / 20_000.0;
                    motions[i].at(t) > motions[k].at(t)
                };
                crossings += (1..=20_000).filter(|&s| f(s) != f(s - 1)).count() as u64;
            }
        }
        assert_eq!(events, crossings, "run {run}");
    }
}

#[test]
fn any_number_of_points_through_one_point_change_places_once_each() {
    for n in [2_u32, 10, 100, 300] {
        let motions: Vec<_> = (0..n)
            .map(|k| {
                let v = f64::from(k) * 0.37 - 11.0;
                Motion1::linear(5.0 - v * 1.3, v)
            })
            .collect();
        let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).unwrap();
        let first = list.order().to_vec();
        let events = list.advance(3.0).unwrap().events;
        assert_eq!(events, u64::from(n * (n - 1) / 2));
        assert!(list.order().iter().eq(first.iter().rev()));
    }
}

#[test]
fn a_lattice_with_duplicates_is_never_out_of_order_and_ends() {
    let mut rng = SplitMix(9);
    for run in 0..300 {
        let degree = 1 + run % 3;
        let n = 2 + rng.below(40);
        let motions: Vec<_> = (0..n)
            .map(|_| {
                let c: Vec<f64> = (0..=degree).map(|_| rng.below(7) as f64 - 3.0).collect();
                Motion1::poly(&c)
            })
            .collect();
        let mut list = SortedList::new(&motions, 0.0, 6.0).unwrap();
        for k in 1..=40 {
            let t = f64::from(k) * 0.15;
            list.advance(t).unwrap();
            assert_eq!(disorder(&list, t), 0, "run {run} at {t}");
        }
    }
}

/// Section 2.3 of the source.
#[test]
fn the_four_points_have_exactly_the_stated_events() {
    let [a, b, c, d] = [0, 1, 2, 3];
    let motions =
        [(0.0, 2.0), (4.0, 1.5), (5.0, 0.0), (10.0, 3.0)].map(|(x, v)| Motion1::linear(x, v));
    let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).unwrap();
    assert_eq!(list.order(), [a, b, c, d]);
    assert!((list.passes_at(b) - 2.0 / 3.0).abs() < 1e-15);
    assert_eq!(list.passes_at(a), 8.0);
    assert_eq!((list.passes_at(c), list.queued()), (f64::INFINITY, 2));
    let swap = list.step(1.0).unwrap().unwrap();
    assert_eq!((swap.passing, swap.passed), (b, c));
    assert_eq!(list.order(), [a, c, b, d]);
    assert!((list.passes_at(a) - 2.5).abs() < 1e-14);
    assert_eq!(list.queued(), 1);
}

/// Time never decreases.
#[test]
fn points_come_go_and_change_their_plans() {
    let mut rng = SplitMix(11);
    for run in 0..60 {
        let degree = 1 + run % 3;
        let motions: Vec<_> = (0..20).map(|_| random(&mut rng, degree)).collect();
        let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).unwrap();
        let mut there: Vec<u32> = (0..20).collect();
        let mut now = 0.0;
        for _ in 0..200 {
            now += rng.range(0.0, 0.05);
            list.advance(now).unwrap();
            assert!(list.now() == now);
            match rng.below(3) {
                0 => {
                    let fresh = random(&mut rng, degree);
                    there.push(list.insert(fresh).unwrap());
                }
                1 if there.len() > 1 => {
                    let gone = there.swap_remove(rng.below(there.len()));
                    assert!(list.remove(gone) && !list.remove(gone));
                    assert_eq!(list.motion(gone), None);
                }
                _ => {
                    let o = there[rng.below(there.len())];
                    let x0 = list.motion(o).unwrap().at(now);
                    let v = rng.range(-1.0, 1.0);
                    list.change_plan(o, Motion1::Linear { x0, v, t0: now })
                        .unwrap();
                }
            }
            assert_eq!(list.order().len(), there.len());
            assert_eq!(disorder(&list, now), 0);
            list.audit(now).unwrap();
        }
        assert!(list.stats().reissued_max <= 2);
    }
}

/// Bodies that rotate: certificates that are not polynomials.
#[test]
fn points_of_bodies_that_turn_stay_in_order() {
    let mut rng = SplitMix(12);
    for run in 0..20 {
        let motions: Vec<_> = (0..12)
            .map(|_| Motion1::Turning {
                x0: rng.range(-1.0, 1.0),
                v: rng.range(-0.3, 0.3),
                radius: rng.range(0.0, 1.0),
                phase: rng.range(0.0, 6.0),
                omega: rng.range(-3.0, 3.0),
                t0: 0.0,
            })
            .collect();
        for horizon in [40.0, f64::INFINITY] {
            let mut list = SortedList::new(&motions, 0.0, horizon).unwrap();
            for k in 1..=400 {
                let t = f64::from(k) * 0.1;
                list.advance(t).unwrap();
                assert_eq!(disorder(&list, t), 0, "run {run} at {t}");
            }
            assert!(list.stats().events_external() > 20);
        }
    }
}

/// The same bits for the same calls, and time never decreases.
#[test]
fn the_same_points_give_the_same_events_to_the_bit() {
    let log = || {
        let mut rng = SplitMix(13);
        let motions: Vec<_> = (0..2100).map(|_| random(&mut rng, 1)).collect();
        let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).unwrap();
        let (mut digest, mut events, mut now) = (0_u64, 0, 0.0);
        while let Some(swap) = list.step(f64::INFINITY).unwrap() {
            assert!(swap.time >= now);
            now = swap.time;
            events += 1;
            for x in [
                now.to_bits(),
                u64::from(swap.passing),
                u64::from(swap.passed),
            ] {
                digest = (digest ^ x).wrapping_mul(0x0100_0000_01b3).rotate_left(17);
            }
        }
        (events, digest)
    };
    let first = log();
    assert!(first.0 > 1_000_000, "{first:?}");
    assert_eq!(first, log());
}

#[test]
fn the_horizon_hides_events_until_it_is_extended() {
    let motions = [Motion1::linear(0.0, 1.0), Motion1::still(5.0)];
    let mut list = SortedList::new(&motions, 0.0, 4.0).unwrap();
    assert_eq!((list.next_time(), list.queued()), (f64::INFINITY, 0));
    list.extend_horizon(8.0);
    assert_eq!((list.next_time(), list.queued()), (5.0, 1));
    list.extend_horizon(1.0);
    assert_eq!(list.next_time(), 5.0);
}

/// A list out of order is detected and rebuilt.
#[test]
fn a_corrupted_list_is_found_and_rebuilt() {
    let motions: Vec<_> = (0..10)
        .map(|k| Motion1::linear(f64::from(k), 0.1 * f64::from(k)))
        .collect();
    let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).unwrap();
    list.audit(0.0).unwrap();
    list.corrupt(4);
    let fault = list.audit(0.0).unwrap_err();
    assert_eq!(fault.object, 5);
    assert!(
        fault.to_string().contains("right of its right neighbour"),
        "{fault}"
    );
    list.rebuild(0.5).unwrap();
    list.audit(0.5).unwrap();
    assert_eq!((list.stats().rebuilds, list.now()), (1, 0.5));
}

#[test]
fn bad_motions_are_refused_and_few_points_are_no_trouble() {
    for bad in [f64::NAN, f64::INFINITY] {
        let motions = [Motion1::still(0.0), Motion1::linear(1.0, bad)];
        let fault = SortedList::new(&motions, 0.0, 1.0).unwrap_err();
        assert_eq!(fault, PlanError::NotFinite { object: 1 });
        assert_eq!(
            fault.to_string(),
            "object 1: its motion has a number that is not finite"
        );
    }
    let mut none = SortedList::new(&[], 0.0, 1.0).unwrap();
    assert_eq!(none.advance(1.0).unwrap().events, 0);
    none.audit(1.0).unwrap();
    assert!(!none.remove(0));
    let missing = none.change_plan(0, Motion1::still(0.0)).unwrap_err();
    assert_eq!(
        missing,
        PlanError::NoObject {
            object: 0,
            count: 0
        }
    );
    assert!(none.insert(Motion1::still(f64::NAN)).is_err());
    assert_eq!(none.insert(Motion1::linear(0.0, 1.0)), Ok(0));
    none.advance(2.0).unwrap();
    let jump = none.change_plan(0, Motion1::still(0.0)).unwrap_err();
    assert_eq!(
        jump,
        PlanError::Jump {
            object: 0,
            by: -2.0
        }
    );
    assert_eq!(none.order(), [0]);
    // Coincident points of equal speeds: ordered by number, without events.
    let same = [Motion1::linear(1.0, 2.0); 5];
    let mut list = SortedList::new(&same, 0.0, f64::INFINITY).unwrap();
    assert_eq!(list.advance(100.0).unwrap().events, 0);
    assert_eq!(list.order(), [0, 1, 2, 3, 4]);
}

#[test]
fn processing_events_and_changing_plans_never_allocate() {
    let mut rng = SplitMix(14);
    let motions: Vec<_> = (0..200).map(|_| random(&mut rng, 2)).collect();
    let mut list = SortedList::new(&motions, 0.0, f64::INFINITY).unwrap();
    let (events, calls) = counted(|| {
        let events = list.advance(1.0).unwrap().events;
        for o in 0..200 {
            let x0 = list.motion(o).unwrap().at(1.0);
            list.change_plan(
                o,
                Motion1::Linear {
                    x0,
                    v: 0.5,
                    t0: 1.0,
                },
            )
            .unwrap();
        }
        events
    });
    assert!(events > 1000);
    assert_eq!(calls, 0);
}
