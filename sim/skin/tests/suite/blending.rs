//! Tests the graph, the classes and the contact against the source's own tables.

use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Bulge, Classes, Graph, Set, UnknownPrimitive, members, pressed};
use hapticd_skin::{Kernel, Primitive};
use proptest::prelude::*;

const LEVEL: f64 = 0.5;

#[test]
fn pairs_come_and_go_and_none_is_there_twice() {
    let mut graph = Graph::new();
    assert!(graph.blends(3, 3) && !graph.blends(3, 4));
    assert!(graph.allow(4, 3) && !graph.allow(3, 4) && !graph.allow(5, 5));
    assert!(graph.allow(1, 9) && graph.blends(9, 1) && graph.blends(3, 4));
    assert_eq!(graph.pairs(), [(1, 9), (3, 4)]);
    assert_eq!(graph.check(10), Ok(()));
    assert_eq!(
        graph.check(9),
        Err(UnknownPrimitive {
            a: 1,
            b: 9,
            count: 9
        })
    );
    assert!(graph.forbid(9, 1) && !graph.forbid(9, 1) && !graph.blends(1, 9));
    // Touching allows, parting forbids, and between the two the past decides (figure 4.3).
    let mut together = Vec::new();
    for gap in [3.0, 1.0, -0.1, 1.0, 3.0] {
        if gap < 0.0 {
            graph.allow(0, 1);
        } else if gap > 2.0 {
            graph.forbid(0, 1);
        }
        together.push(graph.blends(0, 1));
    }
    assert_eq!(together, [false, false, true, true, false]);
}

#[test]
fn a_strand_blends_within_its_reach_along_it() {
    let mut graph = Graph::new();
    graph.allow(2, 9);
    graph.strand(4, &[1.0, 1.0, 2.0, 0.5], 2.0);
    assert_eq!(
        graph.pairs(),
        [(2, 9), (4, 5), (4, 6), (5, 6), (6, 7), (7, 8)]
    );
}

/// Members that may blend with each member of a place.
fn among(graph: &Graph, place: &[u32]) -> Vec<Set> {
    let may = |a: &u32| {
        let all = place.iter().enumerate();
        all.fold(0, |set, (i, b)| set | Set::from(graph.blends(*a, *b)) << i)
    };
    place.iter().map(may).collect()
}

/// A chain of four in one place (the table of section 4.2.4): three orders, three results.
#[test]
fn the_order_decides_where_blending_is_no_equivalence() {
    let mut chain = Graph::new();
    for i in 0..3 {
        chain.allow(i, i + 1);
    }
    let [a, b, c, d] = [0, 1, 2, 3];
    let mut classes = Classes::default();
    let all = 0b1111;
    for (order, first, second) in [
        ([a, b, c, d], vec![a, b], vec![b, c, d]),
        ([a, b, d, c], vec![a, b], vec![c, d]),
        ([b, a, c, d], vec![a, b, c], vec![c, d]),
    ] {
        let may = among(&chain, &order);
        classes.clear();
        classes.split(&may, all);
        let mut found = Vec::new();
        for class in classes.classes() {
            let mut class: Vec<u32> = members(*class).map(|i| order[i]).collect();
            class.sort_unstable();
            found.push(class);
        }
        assert_eq!(found, [first, second], "{order:?}");
        assert!(!classes.is_partition());
    }
    // Without the middle link the result is one, in every order.
    chain.forbid(b, c);
    for order in [[a, b, c, d], [a, b, d, c], [d, a, c, b]] {
        classes.clear();
        classes.split(&among(&chain, &order), all);
        assert_eq!((classes.classes().len(), classes.is_partition()), (2, true));
    }
    classes.split(&among(&chain, &[a, b, c, d]), 0);
    assert_eq!((classes.classes().len(), classes.is_partition()), (0, true));
}

proptest! {
    /// Against the definition: an equivalence is reflexive and symmetric here by construction. It
    /// can fail only if two blend with a third but not with each other.
    #[test]
    fn a_partition_is_an_equivalence(
        pairs in proptest::collection::vec((0_u32..7, 0_u32..7), 0..12),
        some in proptest::collection::vec(any::<Set>(), 1..4),
    ) {
        let mut graph = Graph::new();
        for (a, b) in pairs {
            graph.allow(a, b);
        }
        let all: Vec<u32> = (0..7).collect();
        let may = among(&graph, &all);
        let mut classes = Classes::default();
        for set in some.iter().flat_map(|set| [set & 0x7f, 0x7f]) {
            let all: Vec<u32> = members(set).map(|i| i as u32).collect();
            let transitive = all.iter().all(|&a| all.iter().all(|&b| all.iter().all(|&c| {
                !(graph.blends(a, b) && graph.blends(b, c)) || graph.blends(a, c)
            })));
            classes.split(&may, set);
            prop_assert_eq!(classes.is_partition(), transitive);
            let clique = all.iter().all(|&a| all.iter().all(|&b| graph.blends(a, b)));
            prop_assert!(!clique || classes.classes().len() == usize::from(set != 0));
        }
    }
}

/// Distance at which a potential falls to the level between two balls: bisected between the centre
/// and the midpoint.
fn radius(distance: f64, potential: impl Fn(f64, f64) -> f64) -> f64 {
    let [a, b] = [0.0, distance].map(|x| Primitive::point(Vec3::new(x, 0.0, 0.0), 1.0));
    let (mut low, mut high) = (0.0, distance);
    for _ in 0..60 {
        let x = Vec3::new(0.5 * (low + high), 0.0, 0.0);
        if potential(a.value(&x), b.value(&x)) > LEVEL {
            low = x.x;
        } else {
            high = x.x;
        }
    }
    low
}

/// The digest's table of section 4.5: as printed bodies repel; pressed they are free, then touch,
/// then share the middle.
#[test]
fn bodies_touch_without_pulling_or_pushing_before() {
    for (distance, literal, free, middle) in [
        (1.3, 0.474, true, 0.667),
        (1.1, 0.380, true, 0.973),
        (1.0, 0.326, false, 1.125),
        (0.9, 0.268, false, 1.272),
        (0.8, 0.205, false, 1.411),
    ] {
        let as_printed = radius(distance, |a, b| a - b);
        assert!(
            (as_printed - literal).abs() < 1e-3,
            "{distance}: {as_printed}"
        );
        let ours = radius(distance, |a, b| pressed(a, [b], LEVEL));
        let expected = if free {
            Kernel::Murakami.reach(LEVEL)
        } else {
            distance / 2.0
        };
        assert!((ours - expected).abs() < 1e-12, "{distance}: {ours}");
        let sum = 2.0 * Kernel::Murakami.value((distance / 2.0).powi(2));
        assert!((sum - middle).abs() < 1e-3, "{distance}: {sum}");
    }
}

/// The five conditions of section 4.3.1, and that it falls in the contact as [`pressed`] does.
#[test]
fn a_bulge_joins_smoothly() {
    let (from, top, height) = (0.1, 0.3, 0.15);
    let bulge = Bulge::new(from, top, height, LEVEL).unwrap();
    let near =
        |(a, b): (f64, f64), (c, d): (f64, f64)| (a - c).abs() < 1e-9 && (b - d).abs() < 1e-9;
    assert!(near(bulge.with_slope(from), (0.0, 0.0)));
    assert!(near(bulge.with_slope(top), (height, 0.0)));
    assert!(near(bulge.with_slope(LEVEL), (0.0, -1.0)));
    assert!(near(bulge.with_slope(0.8), (-0.3, -1.0)));
    let own = 0.9;
    assert!((own + bulge.with_slope(0.8).0 - pressed(own, [0.8], LEVEL)).abs() < 1e-12);
    let mut before = bulge.with_slope(0.0);
    let step = 1e-5;
    for k in 1..100_000 {
        let x = f64::from(k) * step;
        let now = bulge.with_slope(x);
        assert!(now.0 <= height && (x > LEVEL || now.0 >= 0.0));
        // The slope is that of the value, and is continuous.
        assert!(((now.0 - before.0) / step - now.1).abs() < 1e-2, "{x}");
        assert!((now.1 - before.1).abs() < 1e-2, "{x}");
        assert!(
            if x < top {
                now.1 >= 0.0
            } else {
                now.1 <= 1e-12
            },
            "{x}"
        );
        before = now;
    }
    for (from, top, height, level) in [
        (-0.1, 0.3, 0.15, 0.5),
        (0.3, 0.3, 0.15, 0.5),
        (0.1, 0.5, 0.15, 0.5),
        (0.1, 0.3, 0.06, 0.5),
        (0.1, 0.3, f64::NAN, 0.5),
        (f64::NAN, 0.3, 0.15, 0.5),
        (0.1, 0.3, 0.15, f64::INFINITY),
    ] {
        let error = Bulge::new(from, top, height, level).unwrap_err();
        assert!(
            error.to_string().contains("0 <= from < top < level"),
            "{error}"
        );
    }
}
