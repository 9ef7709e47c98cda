//! Steps for a control loop: bodies shifted one after the other, each as far as comparing all edges
//! allows; structures of some of the bodies, built incrementally.

use crate::common;

use common::Rng;
use hapticd_counting::counted;
use hapticd_kinetic::pseudo::{End, PolygonBody, Shift, overlap};
use hapticd_kinetic::{Kinetic, PseudoTriangulation, Rigid2};
use std::f64::consts::TAU;

type Place = ([f64; 2], f64);

fn star(rng: &mut Rng, n: usize) -> Vec<[f64; 2]> {
    (0..n)
        .map(|k| {
            let (sin, cos) = ((k as f64 + rng.range(0.1, 0.9)) * TAU / n as f64).sin_cos();
            let r = rng.range(0.4, 1.0);
            [r * cos, r * sin]
        })
        .collect()
}

fn at(shape: &[[f64; 2]], (c, a): Place) -> Vec<[f64; 2]> {
    let (sin, cos) = a.sin_cos();
    let place = |p: &[f64; 2]| {
        [
            c[0] + cos * p[0] - sin * p[1],
            c[1] + sin * p[0] + cos * p[1],
        ]
    };
    shape.iter().map(place).collect()
}

/// Four stars around a fifth.
fn scene(rng: &mut Rng) -> (Vec<Vec<[f64; 2]>>, Vec<Place>) {
    let shapes = (0..5).map(|_| star(rng, 9)).collect();
    let mut places = vec![([0.0, 0.0], 0.3)];
    for k in 0..4 {
        let (sin, cos) = (TAU * f64::from(k) / 4.0 + rng.range(-0.2, 0.2)).sin_cos();
        places.push(([2.6 * cos, 2.6 * sin], rng.range(0.0, TAU)));
    }
    (shapes, places)
}

fn structure(shapes: &[Vec<[f64; 2]>]) -> PseudoTriangulation {
    let bodies = shapes
        .iter()
        .map(|s| PolygonBody::wall(s.clone()))
        .collect();
    PseudoTriangulation::for_steps(bodies).unwrap()
}

fn build(s: &mut PseudoTriangulation, place: impl Fn(u32) -> Option<Place>) -> u32 {
    s.begin(place);
    let mut calls = 1;
    while !s.build_on(500).unwrap() {
        calls += 1;
    }
    calls
}

#[test]
fn steps_end_where_comparing_all_edges_says() {
    let mut rng = Rng(3);
    let (mut whole, mut touched) = (0, 0);
    for _ in 0..25 {
        let (shapes, mut places) = scene(&mut rng);
        let mut s = structure(&shapes);
        assert!(!s.is_whole() && s.go(&[], 10).is_err());
        assert!(build(&mut s, |b| Some(places[b as usize])) > 3);
        s.audit(0.0).unwrap();
        for _ in 0..60 {
            let body = rng.below(5);
            let spin = rng.below(2) as f64;
            let shift = Shift {
                body: body as u32,
                by: [rng.range(-1.5, 1.5), rng.range(-1.5, 1.5)],
                turn: spin * rng.range(-0.5, 0.5),
            };
            let went = s.go(&[shift], 10_000).unwrap();
            s.audit(0.0).unwrap();
            let on = |share: f64| {
                let (c, a) = places[body];
                let there = (
                    [0, 1].map(|i| c[i] + share * shift.by[i]),
                    a + share * shift.turn,
                );
                let own = at(&shapes[body], there);
                (0..5).any(|k| k != body && overlap(&own, &at(&shapes[k], places[k])))
            };
            // The first overlap in steps of a hundredth is never before the step's end, and there
            // is one a little after it stopped.
            let first = (0..=100).map(|k| f64::from(k) / 100.0).find(|t| on(*t));
            assert!(
                first.is_none_or(|t| t >= went.share - 1e-9),
                "{first:?} {went:?}"
            );
            match went.end {
                End::Whole => whole += 1,
                End::Contact(contact) => {
                    touched += 1;
                    assert!(contact.bodies.contains(&(body as u32)));
                    assert!(on(went.share + 1e-7) || on(went.share + 1e-5), "{went:?}");
                }
                End::Budget => panic!("{went:?}"),
            }
            // Back a little: bodies that touch are not in general position.
            let mut share = went.share;
            if matches!(went.end, End::Contact(_)) {
                let back = share.min(1e-6);
                let home = Shift {
                    by: shift.by.map(|x| -x * back),
                    turn: -shift.turn * back,
                    ..shift
                };
                s.go(&[home], 100).unwrap();
                share -= back;
            }
            let there = s.placed(body as u32).unwrap();
            let (c, a) = places[body];
            let wanted = (
                [0, 1].map(|i| c[i] + share * shift.by[i]),
                a + share * shift.turn,
            );
            assert!(
                (there.0[0] - wanted.0[0]).abs()
                    + (there.0[1] - wanted.0[1]).abs()
                    + (there.1 - wanted.1).abs()
                    < 1e-12
            );
            places[body] = there;
            // Positions kept between steps are where the bodies are.
            for (k, place) in places.iter().enumerate() {
                for (v, p) in at(&shapes[k], *place).into_iter().enumerate() {
                    assert_eq!(s.vertex(k as u32, v as u32), Some(p));
                }
            }
        }
    }
    assert!(whole > 300 && touched > 200, "{whole} {touched}");
}

/// A plan moves a body between steps: the kept positions are then stale, and the structure must be
/// rebuilt before the next step.
#[test]
fn steps_after_a_change_of_plan_are_refused_until_the_structure_is_rebuilt() {
    let mut rng = Rng(2);
    let (shapes, places) = scene(&mut rng);
    let mut s = structure(&shapes);
    build(&mut s, |b| Some(places[b as usize]));
    let shift = Shift {
        body: 1,
        by: [0.01, 0.02],
        turn: 0.1,
    };
    assert_eq!(s.go(&[shift], 100).unwrap().end, End::Whole);
    let (centre, angle) = s.placed(0).unwrap();
    let drift = Rigid2 {
        centre,
        angle,
        velocity: [0.1, 0.0],
        ..Rigid2::still()
    };
    s.change_plan(0, drift).unwrap();
    let fault = s.go(&[shift], 100).unwrap_err();
    assert_eq!(fault.what, "it must be rebuilt");
    build(&mut s, |b| Some(places[b as usize]));
    assert_eq!(s.go(&[shift], 100).unwrap().end, End::Whole);
}

/// A step that is cut short repeatedly ends where it would have ended at once.
#[test]
fn a_budget_cuts_steps_and_nothing_else() {
    let mut rng = Rng(8);
    let mut cuts = 0;
    for _ in 0..40 {
        let (shapes, places) = scene(&mut rng);
        let (mut one, mut other) = (structure(&shapes), structure(&shapes));
        build(&mut one, |b| Some(places[b as usize]));
        build(&mut other, |b| Some(places[b as usize]));
        let by = [rng.range(-3.0, 3.0), rng.range(-3.0, 3.0)];
        let went = one
            .go(
                &[Shift {
                    body: 0,
                    by,
                    turn: 0.0,
                }],
                10_000,
            )
            .unwrap();
        let mut left = 1.0;
        let mut share = 0.0;
        loop {
            let rest = by.map(|x| x * left);
            let part = other
                .go(
                    &[Shift {
                        body: 0,
                        by: rest,
                        turn: 0.0,
                    }],
                    2,
                )
                .unwrap();
            other.audit(0.0).unwrap();
            share += left * part.share;
            left = 1.0 - share;
            if part.end != End::Budget {
                assert_eq!(
                    matches!(part.end, End::Whole),
                    matches!(went.end, End::Whole)
                );
                break;
            }
            cuts += 1;
        }
        assert!((share - went.share).abs() < 1e-9, "{share} {went:?}");
    }
    assert!(cuts > 40, "{cuts}");
}

/// A body that does not take part is not in the way, and neither building a structure nor a step
/// allocates.
#[test]
fn structures_of_some_bodies_are_made_without_allocating() {
    let mut rng = Rng(5);
    for round in 0..20 {
        let (shapes, places) = scene(&mut rng);
        let mut s = structure(&shapes);
        let out = 1 + round % 4;
        let is_in = |b: u32| b as usize != out;
        let ((), calls) = counted(|| {
            build(&mut s, |b| is_in(b).then(|| places[b as usize]));
        });
        assert_eq!(calls, 0);
        s.audit(0.0).unwrap();
        assert!(!s.takes_part(out as u32) && s.takes_part(0));
        // Straight at the body that does not take part.
        let by = places[out].0.map(|x| 0.9 * x);
        let (went, calls) = counted(|| {
            s.go(
                &[Shift {
                    body: 0,
                    by,
                    turn: 0.1,
                }],
                10_000,
            )
            .unwrap()
        });
        assert_eq!(calls, 0);
        let own = at(&shapes[0], s.placed(0).unwrap());
        assert!(
            overlap(&own, &at(&shapes[out], places[out])) || matches!(went.end, End::Contact(_))
        );
        // With it there is an obstacle.
        let ((), calls) = counted(|| {
            build(&mut s, |b| Some(places[b as usize]));
        });
        assert_eq!(calls, 0);
        let went = s
            .go(
                &[Shift {
                    body: 0,
                    by,
                    turn: 0.1,
                }],
                10_000,
            )
            .unwrap();
        let End::Contact(contact) = went.end else {
            panic!("{went:?}");
        };
        assert!(contact.bodies.contains(&0));
        s.audit(0.0).unwrap();
    }
}

/// Moves as far as possible, and back a little at a contact, as a control loop does: bodies that
/// touch are not in general position. Returns the contact's normal.
fn go_and_part(s: &mut PseudoTriangulation, shift: Shift) -> Option<[f64; 2]> {
    let went = s.go(&[shift], 1000).unwrap();
    let End::Contact(contact) = went.end else {
        return None;
    };
    let back = went.share.min(1e-3);
    let by = shift.by.map(|x| -x * back);
    s.go(&[Shift { by, ..shift }], 100).unwrap();
    Some(contact.normal)
}

/// Small and far from the origin of time: a hundred thousand steps lose no precision, since each
/// has its own time.
#[test]
fn a_long_rest_and_many_slides_leave_the_structure_sound() {
    let mut rng = Rng(11);
    let (shapes, places) = scene(&mut rng);
    let mut s = structure(&shapes);
    build(&mut s, |b| Some(places[b as usize]));
    let mut contacts = 0;
    for k in 0..100_000 {
        // Towards one body, along it, and away, in millimetres.
        let a = f64::from(k) * 2e-4;
        let by = [3e-3 * a.cos() + rng.range(-1e-4, 1e-4), 3e-3 * a.sin()];
        let shift = Shift {
            body: 0,
            by,
            turn: 0.0,
        };
        if let Some(n) = go_and_part(&mut s, shift) {
            contacts += 1;
            // And along it.
            let along = by[0] * -n[1] + by[1] * n[0];
            let by = [-n[1] * along, n[0] * along];
            go_and_part(&mut s, Shift { by, ..shift });
        }
        if k % 5000 == 0 {
            s.audit(0.0).unwrap();
            for b in 1..5 {
                let own = at(&shapes[0], s.placed(0).unwrap());
                assert!(!overlap(&own, &at(&shapes[b], places[b])), "step {k}");
            }
        }
    }
    assert!(contacts > 2000, "{contacts}");
    assert_eq!(s.stats().rebuilds, 1);
}
