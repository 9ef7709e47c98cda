//! The source's three modes, and the dry pass that decides which bodies bulge.

use std::collections::{BTreeMap, BTreeSet};

use hapticd_counting::counted;
use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Blending, Bulge, Graph};
use hapticd_skin::{Ambiguity, Domain, Kernel, Mesh, Primitive, Report, Settings, Skin, SkinError};
use proptest::prelude::*;

const LEVEL: f64 = 0.5;

fn settings(cell_m: f64, cells: u32) -> Settings {
    let half = f64::from(cells) * cell_m / 2.0;
    Settings {
        domain: Domain::new(Vec3::repeat(-half), cell_m, [cells; 3]).unwrap(),
        level: LEVEL,
        ambiguity: Ambiguity::Separate,
    }
}

fn bulge() -> Bulge {
    Bulge::new(0.1, 0.3, 0.15, LEVEL).unwrap()
}

fn made(settings: &Settings, primitives: &[Primitive], by: Blending<'_>) -> (Skin, Mesh, Report) {
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let report = skin
        .polygonize_by(settings, primitives, by, &mut mesh)
        .unwrap();
    (skin, mesh, report)
}

fn is_whole(mesh: &Mesh) -> bool {
    let faults = mesh.faults();
    (faults.open_edges, faults.pinched) == (0, 0)
}

/// Bits of a vertex and its normal.
type Vertex = [u32; 6];

fn vertices(mesh: &Mesh) -> BTreeSet<Vertex> {
    let pairs = mesh.points.iter().zip(&mesh.normals);
    pairs
        .map(|(p, n)| [p[0], p[1], p[2], n[0], n[1], n[2]].map(f32::to_bits))
        .collect()
}

/// Figure 5.13: two primitives fuse, touch flat, and touch flat and bulge around it.
#[test]
fn two_primitives_fuse_or_touch_or_bulge() {
    let settings = settings(0.03, 80);
    let half = 0.45;
    let balls = [-half, half].map(|x| Primitive::point(Vec3::new(x, 0.0, 0.0), 1.0));
    let graph = Graph::new();
    let (_, fused, _) = made(&settings, &balls, Blending::Free);
    let (_, flat, inhibited) = made(&settings, &balls, Blending::Inhibited(&graph));
    let (skin, bulging, report) = made(&settings, &balls, Blending::Bulging(&graph, bulge()));
    assert_eq!([&fused, &flat, &bulging].map(Mesh::pieces), [1, 2, 2]);
    for mesh in [&fused, &flat, &bulging] {
        assert!(is_whole(mesh), "{:?}", mesh.faults());
    }
    for report in [inhibited, report] {
        assert_eq!((report.control.torn, report.control.dropped), (0, 0));
        assert!(report.control.doubled > 100);
    }
    assert_eq!(skin.contacts(), [(0, 1)]);
    // Distance of the surface from the axis near the middle, and outside both.
    let reach = |mesh: &Mesh, from: f32, to: f32| {
        let near = mesh
            .points
            .iter()
            .filter(|p| (from..to).contains(&p[0].abs()));
        near.map(|p| f64::from(p[1].hypot(p[2])))
            .fold(0.0, f64::max)
    };
    let radius = Kernel::Murakami.reach(LEVEL);
    let rim = (radius * radius - half * half).sqrt();
    assert!((reach(&flat, 0.0, 1e-3) - rim).abs() < 2e-3);
    assert!(reach(&fused, 0.0, 0.02) > rim + 0.2);
    assert!(reach(&bulging, 0.0, 0.02) > reach(&flat, 0.0, 0.02) + 0.1);
    assert!(reach(&bulging, 0.0, 0.02) < reach(&fused, 0.0, 0.02));
    // Flat: where both ends of an edge are inside both, in the plane between them.
    let in_plane = |mesh: &Mesh| {
        let flat = mesh.points.iter().filter(|p| p[0].abs() < 1e-3);
        flat.filter(|p| p[1].hypot(p[2]) < 0.2).count()
    };
    assert!(in_plane(&flat) > 100 && in_plane(&flat) == in_plane(&bulging));
    assert_eq!(in_plane(&fused), 0);
    // Vertices lie where the documented field is: F + g(G); normals follow its gradient.
    let mut swollen = 0;
    for (p, n) in bulging.points.iter().zip(&bulging.normals) {
        let at = Vec3::from(p.map(f64::from));
        let own = usize::from(p[0] > 0.0);
        let [(a, of_a), (b, of_b)] = [own, 1 - own].map(|k| balls[k].with_gradient(&at));
        let (g, slope) = bulge().with_slope(b);
        if p[0].abs() < 0.1 || !(0.11..0.49).contains(&b) {
            continue;
        }
        swollen += 1;
        assert!((a + g - LEVEL).abs() < 0.01, "{at:?}: {}", a + g);
        let outwards = -(of_a + slope * of_b).normalize();
        let n = Vec3::from(n.map(f64::from));
        assert!((n - outwards).norm() < 1e-3, "{at:?}: {n:?} {outwards:?}");
    }
    assert!(swollen > 100, "{swollen}");
}

/// By the plain definition at all nodes: as many vertices as edges cut by each body, also with a
/// bulge higher than the potential that causes it, and where all potentials together are below the
/// level.
#[test]
fn every_edge_that_a_body_cuts_has_a_vertex() {
    let settings = settings(0.05, 60);
    let balls = [-0.47, 0.47].map(|x| Primitive::point(Vec3::new(x, 0.007, -0.003), 1.0));
    for (bulge, high) in [
        (bulge(), false),
        (Bulge::new(0.02, 0.12, 0.4, LEVEL).unwrap(), true),
    ] {
        let graph = Graph::new();
        let (_, mesh, report) = made(&settings, &balls, Blending::Bulging(&graph, bulge));
        assert!(is_whole(&mesh) && report.control.dropped == 0);
        let mut below = 0;
        let mut inside = |node: [u32; 3], own: usize| {
            let at = settings.domain.low() + 0.05 * Vec3::from(node.map(f64::from));
            let [a, b] = [own, 1 - own].map(|k| balls[k].value(&at));
            let is = a > 0.0 && a + bulge.with_slope(b).0 > LEVEL;
            below += usize::from(is && a + b < LEVEL);
            is
        };
        let mut cut = 0;
        for k in 0..60_u32.pow(3) {
            let node = [k % 60, k / 60 % 60, k / 3600];
            for axis in 0..3 {
                let mut next = node;
                next[axis] += 1;
                cut += (0..2)
                    .filter(|k| inside(node, *k) != inside(next, *k))
                    .count();
            }
        }
        assert_eq!(mesh.points.len(), cut);
        assert_eq!(below > 100, high, "{below}");
    }
}

/// Bodies that press none are unchanged to the bit: a third ball, however near, all far sides, and
/// a whole scene without contacts.
#[test]
fn bodies_that_are_not_in_contact_are_unchanged() {
    let settings = settings(0.05, 80);
    let ball = |x: f64, y: f64| Primitive::point(Vec3::new(x, y, 0.013), 1.0);
    // The first two touch, the third is near the second, the fourth near nothing.
    let balls = [
        ball(-0.9, 0.0),
        ball(0.0, 0.0),
        ball(1.12, 0.0),
        ball(-0.9, 1.7),
    ];
    let graph = Graph::new();
    let (_, flat, _) = made(&settings, &balls, Blending::Inhibited(&graph));
    let (skin, bulging, _) = made(&settings, &balls, Blending::Bulging(&graph, bulge()));
    assert_eq!(skin.contacts(), [(0, 1)]);
    assert!(is_whole(&bulging) && bulging.pieces() == 4);
    let [before, after] = [&flat, &bulging].map(vertices);
    let place = |v: &Vertex| Vec3::from([0, 1, 2].map(|k| f64::from(f32::from_bits(v[k]))));
    // The third and fourth, and parts that the other ball of the pair does not reach.
    let alone = |v: &&Vertex| {
        let x = place(v).x;
        x > 0.56 || place(v).y > 1.0 || x < -1.001
    };
    let alone = before.iter().filter(alone);
    assert!(alone.clone().count() > 1000);
    assert!(alone.clone().all(|v| after.contains(v)));
    assert!(before.iter().filter(|v| !after.contains(*v)).count() > 100);
    // Without the first no bodies touch.
    let (_, flat, _) = made(&settings, &balls[1..], Blending::Inhibited(&graph));
    let (skin, bulging, _) = made(&settings, &balls[1..], Blending::Bulging(&graph, bulge()));
    assert!(skin.contacts().is_empty() && bulging == flat);
}

/// A strand that returns to itself is in contact with itself, and bulges.
#[test]
fn a_strand_presses_itself() {
    let turn = std::f64::consts::TAU;
    let at = |k: u32, pitch: f64| {
        let s = f64::from(k) / 30.0;
        let (sin, cos) = (turn * s).sin_cos();
        Vec3::new(1.2 * cos + 0.017, 1.2 * sin - 0.011, pitch * (s - 1.0))
    };
    let coil = |pitch: f64| -> Vec<Primitive> {
        (0..=60)
            .map(|k| Primitive::point(at(k, pitch), 0.5))
            .collect()
    };
    let settings = settings(0.09, 36);
    let mut graph = Graph::new();
    graph.strand(0, &[0.26; 60], 1.0 + 3.0_f64.sqrt() * 0.09 + 0.3);
    for (pitch, contacts) in [(1.2, &[][..]), (0.6, &[(0, 0)])] {
        let primitives = coil(pitch);
        let (skin, mesh, report) = made(&settings, &primitives, Blending::Bulging(&graph, bulge()));
        assert_eq!(
            (report.control.torn, report.control.dropped),
            (0, 0),
            "{pitch}"
        );
        assert!(is_whole(&mesh) && mesh.pieces() == 1, "{pitch}");
        assert_eq!(skin.contacts(), contacts, "{pitch}");
        let (_, flat, _) = made(&settings, &primitives, Blending::Inhibited(&graph));
        assert_eq!(mesh == flat, contacts.is_empty());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Bodies, each a clique, at any distance: those in contact share an inside node, by the plain
    /// sums at all nodes, and no others. Each one is closed.
    #[test]
    fn the_dry_pass_finds_those_that_have_a_node_in_common(
        some in proptest::collection::vec(([-0.8..0.8, -0.8..0.8, -0.8..0.8], 0.2..0.6, 0_u32..4), 1..16),
        cells in 8_u32..24,
    ) {
        let settings = settings(2.4 / f64::from(cells), cells);
        let primitives: Vec<Primitive> =
            some.iter().map(|(c, r, _)| Primitive::point(Vec3::from(*c), *r)).collect();
        let mut graph = Graph::new();
        for (b, of_b) in some.iter().enumerate() {
            for (a, of_a) in some[..b].iter().enumerate() {
                if of_a.2 == of_b.2 {
                    graph.allow(a as u32, b as u32);
                }
            }
        }
        let (skin, mesh, report) = made(&settings, &primitives, Blending::Bulging(&graph, bulge()));
        prop_assert_eq!((report.control.torn, report.control.dropped), (0, 0));
        prop_assert!(is_whole(&mesh), "{:?}", mesh.faults());
        let domain = &settings.domain;
        let (mut sure, mut maybe) = (BTreeSet::new(), BTreeSet::new());
        for k in 0..(cells - 1).pow(3) {
            let node = [k % (cells - 1), k / (cells - 1) % (cells - 1), k / (cells - 1).pow(2)];
            let at = domain.low() + domain.cell_m() * Vec3::from(node.map(|i| f64::from(i + 1)));
            let mut sums: BTreeMap<u32, (u32, f64)> = BTreeMap::new();
            for (k, (p, (.., body))) in (0..).zip(primitives.iter().zip(&some)) {
                sums.entry(*body).or_insert((k, 0.0)).1 += p.value(&at);
            }
            let sums: Vec<_> = sums.into_values().collect();
            for (i, (a, of_a)) in sums.iter().enumerate() {
                for (b, of_b) in &sums[i + 1..] {
                    let least = of_a.min(*of_b) - LEVEL;
                    let pair = (*a.min(b), *a.max(b));
                    // Single precision may decide otherwise on the level itself.
                    if least > 1e-5 {
                        sure.insert(pair);
                    }
                    if least > -1e-5 {
                        maybe.insert(pair);
                    }
                }
            }
        }
        let found: BTreeSet<_> = skin.contacts().iter().copied().collect();
        prop_assert!(sure.is_subset(&found), "{sure:?} {found:?}");
        prop_assert!(found.is_subset(&maybe), "{maybe:?} {found:?}");
    }
}

#[test]
fn bulges_take_no_memory_and_have_the_skins_level() {
    let settings = settings(0.05, 60);
    let at = |by: f64| [-0.45, 0.45].map(|x| Primitive::point(Vec3::new(x + by, by, 0.0), 1.0));
    let (here, there) = (at(0.0), at(0.02));
    let graph = Graph::new();
    let by = Blending::Bulging(&graph, bulge());
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    for balls in [&here, &there, &there, &here, &here] {
        skin.polygonize_by(&settings, balls, by, &mut mesh).unwrap();
    }
    let (made, calls) = counted(|| skin.polygonize_by(&settings, &there, by, &mut mesh));
    assert_eq!((made.unwrap().reused, calls), (0, 0));
    let other = Bulge::new(0.1, 0.3, 0.15, 0.4).unwrap();
    let error = skin
        .polygonize_by(
            &settings,
            &here,
            Blending::Bulging(&graph, other),
            &mut mesh,
        )
        .unwrap_err();
    assert!(matches!(error, SkinError::Bulge { .. }), "{error}");
    assert!(mesh == Mesh::default() && skin.contacts().is_empty());
    // At the height of the level it would be a separate body where the other one ends.
    assert!(Bulge::new(0.1, 0.3, 0.5, LEVEL).is_err());
}
