//! Polygons that move: first contacts against sampling, impacts without penetration.

use crate::common;

use common::Rng;
use common::polygons::{
    END, Shape, any_overlap, assert_touching, body, boxed, c_shape, interlock, sampled, scene,
    star, walls,
};
use hapticd_counting::counted;
use hapticd_kinetic::pseudo::{
    Bounce, Contact, Contacts, CornerChange, Policy, PolygonBody, ShapeError, rebound,
};
use hapticd_kinetic::{Kinetic, PlanError, PolygonStructure, PseudoTriangulation, Rigid2};

#[derive(Default, Debug)]
struct Tally {
    same: u32,
    none: u32,
    thin: u32,
    events: u64,
}

/// Runs until the first contact, which must be where sampling places it; audits on the way.
fn race(bodies: Vec<PolygonBody>, policy: Policy, tally: &mut Tally, what: &str) {
    let mut structure =
        PseudoTriangulation::new(bodies.clone(), 0.0, END, policy, Contacts::Stop).unwrap();
    let mut t: f64 = 0.0;
    while t < END && structure.contact().is_none() {
        t += 0.1;
        structure
            .advance(t.min(END))
            .unwrap_or_else(|e| panic!("{what}: {e}"));
        structure
            .audit(structure.now())
            .unwrap_or_else(|e| panic!("{what}: {e}"));
    }
    tally.events += structure.stats().events();
    let want = sampled(&bodies, END, 4e-3);
    match (structure.contact(), want) {
        (None, None) => tally.none += 1,
        (Some(contact), want) => {
            assert_touching(&bodies, contact, what);
            if want.is_some_and(|t| (contact.time - t).abs() < 1e-6) {
                tally.same += 1;
            } else {
                // A contact that is over before the next sample, or has no depth.
                assert!(
                    want.is_none_or(|t| contact.time < t),
                    "{what}: late, {contact:?} {want:?}"
                );
                tally.thin += 1;
            }
        }
        (None, Some(t)) => panic!("{what}: a contact at {t} was missed"),
    }
}

const POLICIES: [Policy; 4] = [
    Policy::First,
    Policy::Longer,
    Policy::Shorter,
    Policy::Foreign,
];

#[test]
fn first_contacts_of_stars_are_those_of_sampling() {
    let mut rng = Rng(23);
    let mut tally = Tally::default();
    for run in 0..60 {
        let (n, spin) = if run % 2 == 0 { (12, 1.5) } else { (24, 3.0) };
        let shapes = (0..2).map(|_| star(&mut rng, n, 0.3)).collect();
        let bodies = scene(&mut rng, shapes, spin, 1.05);
        for policy in POLICIES {
            race(
                bodies.clone(),
                policy,
                &mut tally,
                &format!("run {run} {policy:?}"),
            );
        }
    }
    assert!(
        tally.same > 100 && tally.none > 20 && tally.thin < 8,
        "{tally:?}"
    );
    assert!(tally.events > 1000);
}

#[test]
fn first_contacts_of_stars_that_only_translate_are_those_of_sampling() {
    let mut rng = Rng(24);
    let mut tally = Tally::default();
    for run in 0..60 {
        let shapes = (0..2 + run % 3).map(|_| star(&mut rng, 14, 0.3)).collect();
        let bodies = scene(&mut rng, shapes, 0.0, 1.05);
        race(bodies, Policy::Foreign, &mut tally, &format!("run {run}"));
    }
    assert!(tally.same > 30, "{tally:?}");
}

#[test]
fn first_contacts_of_many_stars_are_those_of_sampling() {
    let mut rng = Rng(25);
    let mut tally = Tally::default();
    for run in 0..24 {
        let (count, n) = [(4, 10), (6, 8), (8, 12)][run % 3];
        let shapes = (0..count).map(|_| star(&mut rng, n, 0.3)).collect();
        let bodies = scene(&mut rng, shapes, 2.0, 1.05);
        race(bodies, POLICIES[run % 4], &mut tally, &format!("run {run}"));
    }
    assert!(tally.same > 18, "{tally:?}");
}

/// C in C, hulls that overlap from the start.
#[test]
fn first_contacts_of_interlocked_shapes_are_those_of_sampling() {
    let mut rng = Rng(26);
    let mut tally = Tally::default();
    let mut interlocked = 0;
    for run in 0..60 {
        let n = [20, 16, 40][run % 3];
        let shapes = [(); 2].map(|()| c_shape(&mut rng, n));
        let mut bodies = scene(&mut rng, shapes.to_vec(), 1.5, 1.05);
        interlock(&mut rng, &mut bodies, 200);
        let d = bodies[0].motion.centre;
        interlocked += u32::from(d[0].hypot(d[1]) < 0.8);
        race(bodies, POLICIES[run % 4], &mut tally, &format!("run {run}"));
    }
    assert!(
        tally.same > 30 && interlocked > 10,
        "{tally:?} {interlocked}"
    );
}

/// The counts and areas are checked by the build's own audit.
#[test]
fn cells_and_edges_are_as_many_as_they_must_be() {
    let mut rng = Rng(27);
    for run in 0..60 {
        let count = 1 + run % 8;
        let shapes: Vec<_> = (0..count)
            .map(|k| match (run + k) % 3 {
                0 => star(&mut rng, 12, 0.3),
                1 => c_shape(&mut rng, 16),
                _ => star(&mut rng, 9, 0.995),
            })
            .collect();
        let reflex: usize = shapes
            .iter()
            .map(|s| {
                let n = s.len();
                (0..n)
                    .filter(|&k| {
                        let [a, b, c] = [s[(k + n - 1) % n], s[k], s[(k + 1) % n]];
                        (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]) < 0.0
                    })
                    .count()
            })
            .sum();
        let gap = if count == 1 { 0.0 } else { 1.1 };
        let bodies = scene(&mut rng, shapes, 0.0, gap);
        let structure =
            PseudoTriangulation::new(bodies, 0.0, 1.0, Policy::Foreign, Contacts::Stop).unwrap();
        assert_eq!(structure.free_edges().len(), reflex + 3 * (count - 1));
        assert_eq!(structure.cells(), reflex + 2 * (count - 1));
        structure.audit(0.0).unwrap();
    }
}

fn bounce(
    seed: u64,
    count: usize,
    n: usize,
    gravity: f64,
    how: Bounce,
    end: f64,
) -> (u64, f64, f64) {
    let mut rng = Rng(seed);
    let bodies = boxed(&mut rng, count, n, gravity);
    assert!(!any_overlap(&bodies, 0.0));
    let energy = |bodies: &[PolygonBody], t: f64| -> f64 {
        bodies
            .iter()
            .filter(|b| b.mass < f64::INFINITY)
            .map(|b| {
                let v = b.motion.velocity_at(t);
                let height = b.motion.about(t).centre[1];
                0.5 * b.mass * (v[0] * v[0] + v[1] * v[1])
                    + 0.5 * b.inertia * b.motion.omega.powi(2)
                    + b.mass * gravity * height
            })
            .sum()
    };
    let before = energy(&bodies, 0.0);
    let mut structure = PseudoTriangulation::new(
        bodies,
        0.0,
        end + 1.0,
        Policy::Foreign,
        Contacts::Bounce(how),
    )
    .unwrap();
    let mut now = 0.0;
    for k in 1..=(end / 0.02) as u32 {
        let t = f64::from(k) * 0.02;
        structure
            .advance(t)
            .unwrap_or_else(|e| panic!("{e} after {} impacts", structure.impacts()));
        assert!(structure.now() >= now);
        now = structure.now();
        assert!(!any_overlap(structure.bodies(), t), "penetration at {t}");
        if k % 5 == 0 {
            structure.audit(t).unwrap_or_else(|e| panic!("{e}"));
        }
    }
    (structure.impacts(), before, energy(structure.bodies(), now))
}

#[test]
fn bodies_in_a_box_bounce_for_ever_without_penetration() {
    let all = Bounce {
        restitution: 1.0,
        least_speed: 0.0,
    };
    for (seed, count, n) in [(1, 5, 8), (2, 8, 6), (3, 6, 10)] {
        let (impacts, before, after) = bounce(seed, count, n, 0.0, all, 20.0);
        assert!(impacts > 50, "{impacts}");
        assert!((after - before).abs() < 1e-9 * before, "{before} {after}");
    }
}

/// Gravity, five to eight polygons, restitution 1 and below it with a least speed.
#[test]
fn bodies_that_fall_and_bounce_do_not_penetrate() {
    let all = Bounce {
        restitution: 1.0,
        least_speed: 0.0,
    };
    for (seed, count, n) in [(4, 5, 8), (40, 8, 8)] {
        let (impacts, before, after) = bounce(seed, count, n, 3.0, all, 8.0);
        assert!(
            impacts > 50 && (after - before).abs() < 1e-8 * before.abs().max(1.0),
            "{impacts} {before} {after}"
        );
    }
    for (seed, count, n, restitution) in [(5, 5, 8, 0.5), (51, 6, 10, 0.3), (52, 8, 6, 0.7)] {
        let some = Bounce {
            restitution,
            least_speed: 0.05,
        };
        let (impacts, before, after) = bounce(seed, count, n, 3.0, some, 5.0);
        assert!(
            impacts > 200 && after < before,
            "{impacts} {before} {after}"
        );
    }
}

#[test]
fn squares_on_a_lattice_a_hundredth_of_a_millionth_out_of_true() {
    let mut rng = Rng(28);
    let mut tally = Tally::default();
    for run in 0..80 {
        let mut bodies = vec![];
        while bodies.len() < 4 {
            let shape = [[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]]
                .map(|p| p.map(|x| x + 1e-7 * rng.range(-1.0, 1.0)));
            let centre = [0; 2].map(|_| 2.0 * (rng.below(5) as f64 - 2.0));
            let velocity = [0; 2].map(|_| rng.below(3) as f64 - 1.0);
            let b = body(shape.to_vec(), centre, velocity, 0.0);
            if bodies
                .iter()
                .all(|o: &PolygonBody| o.motion.centre != centre)
            {
                bodies.push(b);
            }
        }
        race(bodies, POLICIES[run % 4], &mut tally, &format!("run {run}"));
    }
    assert!(tally.same > 20, "{tally:?}");
}

#[test]
fn a_corrupted_structure_is_found_out_rebuilt_and_right() {
    let mut rng = Rng(29);
    let mut rebuilt = 0;
    for _ in 0..20 {
        let shapes = (0..3).map(|_| star(&mut rng, 10, 0.4)).collect();
        let bodies = scene(&mut rng, shapes, 1.0, 1.3);
        let mut structure =
            PseudoTriangulation::new(bodies.clone(), 0.0, END, Policy::Foreign, Contacts::Stop)
                .unwrap();
        structure.corrupt();
        assert!(structure.audit(0.0).is_err());
        structure.advance_or_rebuild(END, 1.0).unwrap();
        if structure.stats().rebuilds > 0 {
            rebuilt += 1;
            structure.audit(structure.now()).unwrap();
            let want = sampled(&bodies, END, 4e-3);
            assert_eq!(
                structure.contact().map(|c| (c.time * 1e5).round()),
                want.map(|t| (t * 1e5).round())
            );
        }
    }
    assert!(rebuilt > 8, "{rebuilt}");
}

/// The livelock guard reports a Zeno sequence of bounces: time stands still.
#[test]
fn bounces_that_accumulate_are_an_error_and_no_hang() {
    let mut rng = Rng(30);
    let mut bodies = walls(&mut rng, 2.0);
    let mut ball = body(star(&mut rng, 8, 0.9), [0.0, 0.0], [0.0, 0.0], 0.0);
    ball.motion.acceleration = [0.0, -10.0];
    ball.inertia = f64::INFINITY;
    bodies.push(ball);
    let dead = Bounce {
        restitution: 0.2,
        least_speed: 0.0,
    };
    let mut structure =
        PseudoTriangulation::new(bodies, 0.0, 50.0, Policy::Foreign, Contacts::Bounce(dead))
            .unwrap();
    let fault = structure.advance(40.0).unwrap_err();
    assert_eq!(fault.what, "time stands still");
    assert!(fault.time < 5.0);
}

#[test]
fn a_plan_may_change_at_a_contact_and_time_goes_on() {
    let square = |x: f64| {
        [[-0.5, -0.5], [0.5, -0.51], [0.5, 0.5], [-0.49, 0.5]]
            .map(|p: [f64; 2]| [p[0], p[1] + x])
            .to_vec()
    };
    let bodies = vec![
        body(square(0.0), [0.0, 0.0], [1.0, 0.0], 0.0),
        body(square(0.03), [3.0, 0.0], [0.0, 0.0], 0.0),
    ];
    let mut structure =
        PseudoTriangulation::new(bodies, 0.0, 20.0, Policy::Foreign, Contacts::Stop).unwrap();
    structure.advance(10.0).unwrap();
    let contact = *structure.contact().unwrap();
    assert!((contact.time - 2.0).abs() < 0.02 && structure.now() == contact.time);
    structure.advance(10.0).unwrap();
    assert_eq!(structure.now(), contact.time);
    let mut plan = structure.bodies()[0].motion.about(contact.time);
    plan.velocity = [-1.0, 0.0];
    structure.change_plan(0, plan).unwrap();
    structure.advance(10.0).unwrap();
    assert!(structure.contact().is_none() && structure.now() == 10.0);
    structure.audit(10.0).unwrap();
}

#[test]
fn bad_shapes_and_motions_are_refused_with_their_numbers() {
    let square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.1]];
    let make = |bodies: Vec<PolygonBody>| {
        PseudoTriangulation::new(bodies, 0.0, 1.0, Policy::Foreign, Contacts::Stop).map(|_| ())
    };
    let still = |shape: Shape| body(shape, [0.0; 2], [0.0; 2], 0.0);
    assert_eq!(make(vec![]), Ok(()));
    assert_eq!(make(vec![still(square.clone())]), Ok(()));
    let mut clockwise = square.clone();
    clockwise.reverse();
    assert!(matches!(
        make(vec![still(clockwise)]),
        Err(ShapeError::Area {
            body: 0,
            vertices: 4,
            ..
        })
    ));
    assert!(matches!(
        make(vec![still(square[..2].to_vec())]),
        Err(ShapeError::Area { vertices: 2, .. })
    ));
    let bow = vec![[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [1.0, -1.0], [0.0, 2.0]];
    assert!(matches!(
        make(vec![still(bow)]),
        Err(ShapeError::NotSimple { body: 0, .. })
    ));
    let double = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [1.0, 1.0]];
    assert!(matches!(
        make(vec![still(double)]),
        Err(ShapeError::NotSimple { .. })
    ));
    let two = vec![still(square.clone()), still(square.clone())];
    assert_eq!(make(two), Err(ShapeError::Overlap { bodies: [0, 1] }));
    for bad in [f64::NAN, f64::INFINITY] {
        let mut shape = square.clone();
        shape[2][1] = bad;
        assert_eq!(
            make(vec![still(shape)]),
            Err(ShapeError::NotFinite { body: 0 })
        );
        let moving = body(square.clone(), [0.0, bad], [0.0; 2], 0.0);
        assert_eq!(make(vec![moving]), Err(ShapeError::NotFinite { body: 0 }));
    }
    let mut light = still(square.clone());
    light.mass = 0.0;
    assert_eq!(make(vec![light]), Err(ShapeError::NotFinite { body: 0 }));
    let one = vec![still(square)];
    let mut structure =
        PseudoTriangulation::new(one, 0.0, 1.0, Policy::Foreign, Contacts::Stop).unwrap();
    assert_eq!(
        structure.change_plan(1, Rigid2::still()),
        Err(PlanError::NoObject {
            object: 1,
            count: 1
        })
    );
    let away = Rigid2 {
        centre: [3.0, 4.0],
        ..Rigid2::default()
    };
    assert_eq!(
        structure.change_plan(0, away),
        Err(PlanError::Jump { object: 0, by: 5.0 })
    );
    assert_eq!(structure.advance(1.0).unwrap().events, 0);
}

/// The same bits, and no allocation on the way.
#[test]
fn the_same_bodies_bounce_the_same_to_the_bit_and_allocate_nothing() {
    let run = || {
        let mut rng = Rng(31);
        let bodies = boxed(&mut rng, 5, 8, 0.0);
        let how = Bounce {
            restitution: 1.0,
            least_speed: 0.0,
        };
        let mut structure =
            PseudoTriangulation::new(bodies, 0.0, 9.0, Policy::Foreign, Contacts::Bounce(how))
                .unwrap();
        let (events, calls) = counted(|| structure.advance(8.0).unwrap().events);
        assert_eq!(calls, 0);
        let bits: Vec<_> = (structure.bodies().iter())
            .map(|b| b.motion.centre.map(f64::to_bits))
            .collect();
        (events, bits)
    };
    let first = run();
    assert!(first.0 > 500);
    assert_eq!(first, run());
}

/// Rotating bodies are searched in intervals: the end of one is not taken for an event.
#[test]
fn a_contact_that_is_far_off_is_found_without_a_horizon() {
    let mut rng = Rng(32);
    for run in 0..4 {
        let shapes = [(); 2].map(|()| star(&mut rng, 8, 0.5)).to_vec();
        let mut bodies = scene(&mut rng, shapes, 0.03, 3.0);
        for b in &mut bodies {
            // They meet in the middle after some three minutes, or never.
            let towards = if run < 2 { -1.0 } else { 1.0 };
            b.motion.velocity = b.motion.centre.map(|x| towards * x / 200.0);
        }
        let mut structure = PseudoTriangulation::new(
            bodies.clone(),
            0.0,
            f64::INFINITY,
            Policy::Foreign,
            Contacts::Stop,
        )
        .unwrap();
        for k in 1..=50 {
            structure.advance(f64::from(k) * 4.0).unwrap();
            structure.audit(structure.now()).unwrap();
        }
        let looked = structure.stats().internal[3];
        assert!(looked > 10, "{looked}");
        let want = sampled(&bodies, 200.0, 4e-3);
        let found = structure.contact().map(|c| c.time);
        assert_eq!(found.is_some(), run < 2);
        assert!(
            found.zip(want).is_none_or(|(a, b)| (a - b).abs() < 1e-6),
            "{found:?} {want:?}"
        );
        assert_eq!(found.is_some(), want.is_some());
    }
}

/// Cells keep their numbers while edges slide, and events name the corner that caused them.
#[test]
fn cells_keep_their_numbers_and_cover_the_hull_less_the_bodies() {
    let mut rng = Rng(33);
    let mut slid = 0;
    for run in 0..20 {
        let shapes = (0..3).map(|_| star(&mut rng, 10, 0.3)).collect();
        let bodies = scene(&mut rng, shapes, 2.0, 1.05);
        let mut structure =
            PseudoTriangulation::new(bodies, 0.0, END, Policy::Foreign, Contacts::Stop).unwrap();
        let numbers = |s: &PseudoTriangulation| {
            let mut all: Vec<_> = s.outlines().iter().map(|c| c.number).collect();
            all.sort_unstable();
            all
        };
        let first = numbers(&structure);
        assert!(first.windows(2).all(|w| w[0] < w[1]) && first.len() == structure.cells());
        let mut seen = structure.outlines();
        while let Some(event) = structure.step(END).unwrap() {
            assert_eq!(event.time, structure.now());
            assert_eq!(numbers(&structure), first, "run {run}");
            let now = structure.outlines();
            let place = |(body, vertex): (u32, u32)| {
                structure.polygon(body, structure.now())[vertex as usize]
            };
            for cell in &now {
                assert_eq!(cell.corners.iter().filter(|c| c.2).count(), 3);
            }
            match event.happened {
                CornerChange::Straight | CornerChange::Closed => {
                    slid += 1;
                    // Only cells with the corner's vertex change.
                    let changed = seen.iter().filter(|c| !now.contains(c)).count();
                    assert!((1..=2).contains(&changed), "run {run}: {changed} cells");
                    let [u, v, x] = event.corner.map(place);
                    let area = (v[0] - u[0]) * (x[1] - v[1]) - (v[1] - u[1]) * (x[0] - v[0]);
                    assert!(area.abs() < 1e-8, "{area}");
                }
                CornerChange::Contact => assert!(structure.contact().is_some()),
                CornerChange::Looked => assert_eq!(seen, now),
            }
            seen = now;
        }
    }
    assert!(slid > 100, "{slid}");
}

#[test]
fn a_rebound_keeps_momentum_and_turns_the_normal_speed_round() {
    let mut rng = Rng(34);
    let mut bounced = 0;
    for _ in 0..300 {
        let shapes = [(); 2].map(|()| star(&mut rng, 7, 0.4)).to_vec();
        let bodies = scene(&mut rng, shapes, 2.0, 1.05);
        let mut structure =
            PseudoTriangulation::new(bodies.clone(), 0.0, END, Policy::Foreign, Contacts::Stop)
                .unwrap();
        structure.advance(END).unwrap();
        let Some(contact) = structure.contact() else {
            continue;
        };
        bounced += 1;
        let restitution = rng.unit();
        let how = Bounce {
            restitution,
            least_speed: 0.0,
        };
        let two = contact.bodies.map(|b| &bodies[b as usize]);
        let after = rebound(two, contact, how).unwrap();
        let before = two.map(|b| b.motion.about(contact.time));
        let momentum = |m: &[Rigid2; 2], k: usize| m[0].velocity[k] + m[1].velocity[k];
        let spin = |m: &[Rigid2; 2]| -> f64 {
            let one = |m: &Rigid2| {
                0.4 * m.omega + m.centre[0] * m.velocity[1] - m.centre[1] * m.velocity[0]
            };
            m.iter().map(one).sum()
        };
        let speed = |m: &[Rigid2; 2]| {
            let v = m.map(|m| {
                let arm = [
                    contact.point[0] - m.centre[0],
                    contact.point[1] - m.centre[1],
                ];
                [
                    m.velocity[0] - m.omega * arm[1],
                    m.velocity[1] + m.omega * arm[0],
                ]
            });
            (0..2)
                .map(|k| (v[0][k] - v[1][k]) * contact.normal[k])
                .sum::<f64>()
        };
        for k in 0..2 {
            assert!((momentum(&before, k) - momentum(&after, k)).abs() < 1e-12);
        }
        assert!((spin(&before) - spin(&after)).abs() < 1e-12);
        assert!(speed(&before) <= 0.0);
        assert!((speed(&after) + restitution * speed(&before)).abs() < 1e-12);
    }
    assert!(bounced > 100, "{bounced}");
    let wall = PolygonBody::wall(vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]);
    let contact = Contact {
        time: 0.0,
        bodies: [0, 1],
        vertex: 0,
        edge: [1, 0],
        point: [0.0; 2],
        normal: [0.0, 1.0],
    };
    let how = Bounce {
        restitution: 1.0,
        least_speed: 0.1,
    };
    assert!(rebound([&wall, &wall], &contact, how).is_err());
}
