//! Certificates of a body: counted against corners that are found from the edges alone, by their
//! directions about each vertex.

use crate::common;

use std::collections::BTreeMap;
use std::f64::consts::TAU;

use common::Rng;
use hapticd_kinetic::pseudo::{PolygonBody, Shift};
use hapticd_kinetic::{Kinetic, PolygonStructure, PseudoTriangulation};

type Name = (u32, u32);

fn star(rng: &mut Rng, n: usize) -> Vec<[f64; 2]> {
    (0..n)
        .map(|k| {
            let (sin, cos) = ((k as f64 + rng.range(0.1, 0.9)) * TAU / n as f64).sin_cos();
            let r = rng.range(0.4, 1.0);
            [r * cos, r * sin]
        })
        .collect()
}

/// Number of corners outside the polygons that involve a body and another one.
fn corners_of(s: &PseudoTriangulation, body: u32) -> u64 {
    let mut about: BTreeMap<Name, Vec<Name>> = BTreeMap::new();
    let mut join = |a: Name, b: Name| {
        about.entry(a).or_default().push(b);
        about.entry(b).or_default().push(a);
    };
    let sizes: Vec<u32> = (s.bodies().iter().map(|b| b.shape.len() as u32)).collect();
    for (b, &n) in (0..).zip(&sizes) {
        (0..n).for_each(|v| join((b, v), (b, (v + 1) % n)));
    }
    s.free_edges().iter().for_each(|[a, b]| join(*a, *b));
    let place = |(b, v): Name| s.polygon(b, 0.0)[v as usize];
    let mut count = 0;
    for (&at, others) in &about {
        let from = place(at);
        let direction = |o: &Name| {
            let to = place(*o);
            (to[1] - from[1]).atan2(to[0] - from[0])
        };
        let mut others = others.clone();
        others.sort_by(|a, b| direction(a).total_cmp(&direction(b)));
        for (k, &one) in others.iter().enumerate() {
            let other = others[(k + 1) % others.len()];
            // From the polygon's next vertex counter-clockwise to the previous one is its inside.
            let n = sizes[at.0 as usize];
            let next = (at.0, (at.1 + 1) % n);
            let before = (at.0, (at.1 + n - 1) % n);
            let bodies = [one.0, at.0, other.0];
            let changes = bodies.contains(&body) && bodies.iter().any(|b| *b != body);
            count += u64::from((one, other) != (next, before) && changes);
        }
    }
    count
}

#[test]
fn the_certificates_that_name_a_body_are_the_corners_that_it_changes() {
    let mut rng = Rng(11);
    let shapes: Vec<_> = (0..4).map(|_| star(&mut rng, 7)).collect();
    let bodies = shapes
        .iter()
        .map(|s| PolygonBody::wall(s.clone()))
        .collect();
    let mut s = PseudoTriangulation::for_steps(bodies).unwrap();
    assert_eq!(s.count_certificates(0), 0);
    // The last one does not take part.
    s.begin(|b| (b < 3).then(|| ([2.6 * f64::from(b), 0.3 * f64::from(b * b)], f64::from(b))));
    while !s.build_on(1000).unwrap() {}
    let mut most = 0;
    for _ in 0..40 {
        for body in 0..3 {
            let counted = s.count_certificates(body);
            assert!(counted > 0);
            assert_eq!(counted, corners_of(&s, body), "body {body}");
            most = most.max(counted);
        }
        let shift = Shift {
            body: rng.below(3) as u32,
            by: [rng.range(-0.2, 0.2), rng.range(-0.2, 0.2)],
            turn: rng.range(-0.5, 0.5),
        };
        let went = s.go(&[shift], 1000).unwrap();
        // Never against another body: bodies that touch are not in general position.
        let back = Shift {
            by: shift.by.map(|x| -0.5 * went.share * x),
            turn: -0.5 * went.share * shift.turn,
            ..shift
        };
        s.go(&[back], 1000).unwrap();
    }
    assert_eq!((s.count_certificates(3), s.count_certificates(9)), (0, 0));
    assert!(s.stats().events() > 20, "{}", s.stats().events());
    assert_eq!(s.stats().measures().certificates_per_object_max, most);
}
