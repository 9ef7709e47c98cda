//! Control of blending over time and with both tables: the past decides what positions cannot, the
//! order does not matter, and arbitrary graphs do no harm.

use std::collections::BTreeSet;

use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Blending, Bulge, Graph};
use hapticd_skin::table::CORNERS;
use hapticd_skin::{
    Ambiguity, Checker, Domain, Kernel, Mesh, Primitive, Settings, Skeleton, Skin, SkinError,
    visible_radius_m,
};
use proptest::prelude::*;

const BOTH: [Ambiguity; 2] = [Ambiguity::Separate, Ambiguity::Join];

fn settings(cell_m: f64, cells: u32, ambiguity: Ambiguity) -> Settings {
    let half = f64::from(cells) * cell_m / 2.0;
    Settings {
        domain: Domain::new(Vec3::repeat(-half), cell_m, [cells; 3]).unwrap(),
        level: 0.5,
        ambiguity,
    }
}

fn is_whole(mesh: &Mesh) -> bool {
    let faults = mesh.faults();
    (faults.open_edges, faults.pinched) == (0, 0)
}

/// Bits of vertices and their normals.
fn vertices(mesh: &Mesh) -> BTreeSet<[u32; 6]> {
    let pairs = mesh.points.iter().zip(&mesh.normals);
    pairs
        .map(|(p, n)| [p[0], p[1], p[2], n[0], n[1], n[2]].map(f32::to_bits))
        .collect()
}

/// Figure 4.3, drops that approach and part, frame by frame with one skin. They are two while they
/// approach, each as if the other were absent, although their potentials would fuse them long
/// before. They are one when they touch, and still one where they were two on approach.
#[test]
fn drops_fuse_when_they_touch_and_part_later_than_they_fused() {
    let settings = settings(0.06, 50, Ambiguity::Separate);
    let drops = |apart: f64| {
        [-0.5, 0.5].map(|by| Primitive::point(Vec3::new(by * apart + 0.004, 0.011, -0.007), 1.0))
    };
    let touch = 2.0 * visible_radius_m(&drops(0.0)[0], settings.level);
    assert!((touch - 1.0824).abs() < 1e-4);
    let mut skin = Skin::default();
    let mut graph = Graph::new();
    let mut seen = Vec::new();
    for apart in [1.6, 1.2, 1.1, 1.05, 1.1, 1.2, 1.45, 1.6] {
        if apart <= touch {
            graph.allow(0, 1);
        } else if apart > 1.5 {
            graph.forbid(0, 1);
        }
        let (both, mut mesh) = (drops(apart), Mesh::default());
        let report = skin.polygonize_controlled(&settings, &both, &graph, &mut mesh);
        assert_eq!(report.unwrap().control.torn, 0);
        assert!(is_whole(&mesh), "{apart}");
        seen.push(mesh.pieces());
        if graph.pairs().is_empty() {
            let mut alone = BTreeSet::new();
            for drop in both {
                let (mut one, mut fresh) = (Mesh::default(), Skin::default());
                fresh.polygonize(&settings, &[drop], &mut one).unwrap();
                alone.append(&mut vertices(&one));
            }
            assert!(vertices(&mesh) == alone, "pulled or pushed at {apart}");
        }
    }
    assert_eq!(seen, [2, 2, 2, 1, 1, 1, 2, 2]);
    let mut free = Mesh::default();
    skin.polygonize(&settings, &drops(1.2), &mut free).unwrap();
    assert_eq!(free.pieces(), 1, "by positions alone they are one");
}

/// A coil of radius 2.5 R, R = 1, four turns, a primitive every 0.35 R.
fn coil(pitch: f64) -> (Vec<Primitive>, Vec<f64>) {
    let turn = std::f64::consts::TAU;
    let length = 4.0 * (turn * 2.5).hypot(pitch);
    let count = (length / 0.35).ceil() as u32;
    let at = |k: u32| {
        let s = f64::from(k) / f64::from(count) * 4.0;
        let (sin, cos) = (turn * s).sin_cos();
        Vec3::new(
            2.5 * cos + 0.017,
            2.5 * sin - 0.011,
            pitch * (s - 2.0) + 0.007,
        )
    };
    let primitives = (0..=count).map(|k| Primitive::point(at(k), 1.0)).collect();
    (primitives, vec![length / f64::from(count); count as usize])
}

/// The window follows the cube size: with both tables, at coarse and fine cubes, also where part of
/// the strand is not balls.
#[test]
fn a_coil_closes_by_both_tables_at_any_size_of_cubes() {
    for (cubes, cells) in [(1.29, 24), (2.7, 44)] {
        let cell = 0.541_196_1 / cubes;
        for (ambiguity, pitch) in BOTH.into_iter().zip([1.1, 1.3]) {
            let settings = settings(cell, cells, ambiguity);
            let (mut primitives, steps) = coil(pitch);
            for k in (5..primitives.len()).step_by(9) {
                // A segment no longer than the spacing and as thick as the strand: its reach is
                // hardly larger.
                let c = primitives[k].heart();
                primitives[k].skeleton = Skeleton::Segment([c, c + Vec3::new(0.0, 0.0, 1e-3)]);
            }
            let mut graph = Graph::new();
            graph.strand(0, &steps, 2.002 + 3.0_f64.sqrt() * cell);
            let mut mesh = Mesh::default();
            let made =
                Skin::default().polygonize_controlled(&settings, &primitives, &graph, &mut mesh);
            let control = made.unwrap().control;
            assert_eq!(
                (control.torn, control.dropped),
                (0, 0),
                "{cubes} {pitch}: {control:?}"
            );
            assert!(
                control.doubled > 0 && is_whole(&mesh),
                "{cubes} {pitch}: {:?}",
                mesh.faults()
            );
            assert_eq!((mesh.pieces(), mesh.euler()), (1, 2), "{cubes} {pitch}");
        }
    }
}

fn bodies() -> impl Strategy<Value = Vec<(Primitive, u32)>> {
    let place = || [-0.8..0.8, -0.8..0.8, -0.8..0.8].prop_map(Vec3::from);
    let skeleton = prop_oneof![
        4 => place().prop_map(Skeleton::Point),
        1 => [place(), place()].prop_map(Skeleton::Segment),
        1 => (place(), 1.5..6.0).prop_map(|(c, n)| Skeleton::Rounded(c, n)),
    ];
    let one = (skeleton, 0.2..0.6, 0.7..1.5, any::<bool>(), 0_u32..4).prop_map(
        |(skeleton, radius_m, amplitude, wyvill, body)| {
            let kernel = if wyvill {
                Kernel::Wyvill
            } else {
                Kernel::Murakami
            };
            let one = Primitive {
                skeleton,
                radius_m,
                amplitude,
                kernel,
            };
            (one, body)
        },
    );
    proptest::collection::vec(one, 1..16)
}

fn cliques(of: &[(Primitive, u32)]) -> Graph {
    let mut graph = Graph::new();
    for (b, of_b) in (0..).zip(of) {
        for (a, of_a) in (0..b).zip(of) {
            if of_a.1 == of_b.1 {
                graph.allow(a, b);
            }
        }
    }
    graph
}

/// A body at a node: whether it reaches the node, and whether the node is inside it, each certainly
/// and possibly.
struct At {
    reached: [bool; 2],
    inside: [bool; 2],
}

/// Counts of control by their definitions, from all nodes and cubes: cubes that more than one body
/// reaches and one is inside, and those in which more than one has triangles. Bodies have one ball
/// or more, each a clique.
fn counted(settings: &Settings, of: &[(Primitive, u32)]) -> [[usize; 2]; 2] {
    let cells = settings.domain.cells()[0];
    let side = cells + 1;
    // By node: the bodies that reach it, and the potential of each, as far as doubles predict
    // singles.
    let node = |n: [u32; 3]| {
        let at = settings.domain.low() + settings.domain.cell_m() * Vec3::from(n.map(f64::from));
        let mut bodies = [(0.0, false, false); 4];
        for (p, body) in of {
            let far = (at - p.heart()).norm() / p.radius_m;
            let body = &mut bodies[*body as usize];
            body.0 += p.value(&at);
            body.1 |= far < 1.0 - 1e-5;
            body.2 |= far < 1.0 + 1e-5;
        }
        let border = n.iter().any(|i| *i == 0 || *i == cells);
        let level = settings.level;
        std::array::from_fn(|k| {
            let others = (0..4).filter(|j| *j != k).map(|j| bodies[j].0 - level);
            let over = bodies[k].0 - others.fold(0.0, f64::max) - level;
            let is_in = [over > 1e-4, over > -1e-4].map(|is| is && !border);
            At {
                reached: [bodies[k].1, bodies[k].2],
                inside: is_in,
            }
        })
    };
    let all: Vec<[At; 4]> = (0..side.pow(3))
        .map(|k| node([k % side, k / side % side, k / side / side]))
        .collect();
    let [mut shared, mut doubled] = [[0; 2]; 2];
    for k in 0..cells.pow(3) {
        let low = [k % cells, k / cells % cells, k / cells / cells];
        let corner = |c: usize| {
            let [x, y, z] = [0, 1, 2].map(|i| low[i] + u32::from(CORNERS[c][i]));
            &all[((z * side + y) * side + x) as usize]
        };
        let count = |is: &dyn Fn(usize) -> bool| (0..4).filter(|body| is(*body)).count();
        let any = |body: usize, is: &dyn Fn(&At) -> bool| (0..8).any(|c| is(&corner(c)[body]));
        for sure in [0, 1] {
            let reached = count(&|body| any(body, &|n| n.reached[sure]));
            let inside = count(&|body| any(body, &|n| n.inside[sure]));
            shared[sure] += usize::from(reached > 1 && inside > 0);
            // One corner inside and another outside: certainly inside implies possibly inside, and
            // vice versa.
            let cut = count(&|body| {
                any(body, &|n| n.inside[sure]) && any(body, &|n| !n.inside[1 - sure])
            });
            doubled[sure] += usize::from(reached > 1 && cut > 1);
        }
    }
    [shared, doubled]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Bodies of several kinds, with both tables, flat and bulging: each is closed, and none uses
    /// another's vertices.
    #[test]
    fn bodies_of_all_kinds_close_by_both_tables(
        some in bodies(),
        cells in 10_u32..30,
        join in any::<bool>(),
    ) {
        let settings = settings(2.4 / f64::from(cells), cells, BOTH[usize::from(join)]);
        let primitives: Vec<Primitive> = some.iter().map(|(p, _)| *p).collect();
        let graph = cliques(&some);
        let bulge = Bulge::new(0.1, 0.35, 0.15, settings.level).unwrap();
        for by in [Blending::Inhibited(&graph), Blending::Bulging(&graph, bulge)] {
            let mut mesh = Mesh::default();
            let mut skin = Skin::default();
            let report = skin.polygonize_by(&settings, &primitives, by, &mut mesh).unwrap();
            prop_assert_eq!((report.control.torn, report.control.dropped), (0, 0));
            prop_assert!(Checker::default().check(&mesh).is_sound(), "{:?}", mesh.faults());
        }
    }

    /// The counts of control match the definitions, except for nodes on the level and on the ends
    /// of supports.
    #[test]
    fn what_is_counted_is_what_the_definitions_say(some in bodies(), cells in 10_u32..26) {
        let settings = settings(2.4 / f64::from(cells), cells, Ambiguity::Separate);
        let balls: Vec<(Primitive, u32)> = (some.iter())
            .map(|(p, body)| (Primitive { skeleton: Skeleton::Point(p.heart()), ..*p }, *body))
            .collect();
        let primitives: Vec<Primitive> = balls.iter().map(|(p, _)| *p).collect();
        let mut mesh = Mesh::default();
        let graph = cliques(&balls);
        let mut skin = Skin::default();
        let report = skin.polygonize_controlled(&settings, &primitives, &graph, &mut mesh);
        let control = report.unwrap().control;
        let [shared, doubled] = counted(&settings, &balls);
        for (name, found, [sure, maybe]) in [
            ("shared", control.shared, shared),
            ("doubled", control.doubled, doubled),
        ] {
            prop_assert!(
                (sure..=maybe).contains(&found),
                "{name}: {found}, and there are {sure} to {maybe}"
            );
        }
    }

    /// One ball per body: the surfaces are the same to the bit in any order, where two meet and
    /// where three do.
    #[test]
    fn the_order_of_bodies_is_no_matter(some in bodies(), turn in 1_usize..15) {
        let settings = settings(0.1, 24, Ambiguity::Separate);
        let balls: Vec<Primitive> = (some.iter())
            .map(|(p, _)| Primitive {
                skeleton: Skeleton::Point(p.heart()),
                kernel: Kernel::Murakami,
                ..*p
            })
            .collect();
        let mut turned = balls.clone();
        turned.rotate_left(turn % balls.len());
        turned.reverse();
        let [here, there] = [&balls, &turned].map(|balls| {
            let mut mesh = Mesh::default();
            let mut skin = Skin::default();
            let report = skin
                .polygonize_controlled(&settings, balls, &Graph::new(), &mut mesh)
                .unwrap();
            (vertices(&mesh), mesh.points.len(), mesh.triangles.len(), report.control)
        });
        prop_assert!(here == there);
    }

    /// Pairs in any order and direction, repeated or reflexive: setting them equals allowing them
    /// one by one. Unknown primitives are refused, and nothing panics.
    #[test]
    fn a_graph_that_is_set_is_the_one_that_is_allowed(
        pairs in proptest::collection::vec((0_u32..9, 0_u32..9), 0..20),
        stranger in proptest::option::of((0_u32..9, 9_u32..40, any::<bool>())),
    ) {
        let mut all = pairs.clone();
        if let Some((a, b, turned)) = stranger {
            all.push(if turned { (b, a) } else { (a, b) });
        }
        let (mut set, mut allowed) = (Graph::new(), Graph::new());
        set.set(all.iter().copied());
        for (a, b) in &all {
            allowed.allow(*a, *b);
        }
        prop_assert_eq!(&set, &allowed);
        prop_assert_eq!(set.check(9).is_err(), stranger.is_some());
        let balls: Vec<Primitive> = (0..9)
            .map(|k| Primitive::point(Vec3::new(0.1 * f64::from(k) - 0.4, 0.0, 0.0), 0.4))
            .collect();
        let settings = settings(0.1, 14, Ambiguity::Separate);
        let mut mesh = Mesh::default();
        let made = Skin::default().polygonize_controlled(&settings, &balls, &set, &mut mesh);
        prop_assert_eq!(matches!(made, Err(SkinError::Graph(_))), stranger.is_some());
        prop_assert_eq!(made.is_ok(), stranger.is_none());
    }
}
