//! Bricks meshed by groups equal those meshed node by node, to the bit.

use hapticd_geometry::Vec3;
use proptest::prelude::*;

use super::Groups;
use crate::blend::{Blending, Bulge, Graph, Set};
use crate::kernel::Kernel;
use crate::sample::NODES;
use crate::{Ambiguity, Control, Domain, Mesh, Primitive, Report, Settings, Skeleton, Skin};

/// Everything produced: mesh, report, contacts and velocities.
type All = (Mesh, Report, Vec<(u32, u32)>, Vec<[f32; 3]>);

fn made(settings: &Settings, primitives: &[Primitive], by: Blending<'_>, by_nodes: bool) -> All {
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    skin.now.by_nodes = by_nodes;
    skin.before.by_nodes = by_nodes;
    let report = skin
        .polygonize_by(settings, primitives, by, &mut mesh)
        .unwrap();
    let velocities: Vec<Vec3> = (0..primitives.len())
        .map(|k| Vec3::new(k as f64, -0.3 * k as f64, 1.0))
        .collect();
    let mut out = Vec::new();
    skin.motions(&mesh, &velocities, &mut out).unwrap();
    (mesh, report, skin.contacts().to_vec(), out)
}

/// Checks that groups and nodes agree, pressed flat and bulging. Returns the counts of shared
/// cubes.
fn is_the_same(settings: &Settings, primitives: &[Primitive], graph: &Graph) -> Control {
    let level = settings.level;
    let bulge = Bulge::new(0.1 * level, 0.5 * level, 0.4 * level, level).unwrap();
    let mut control = Control::default();
    for by in [Blending::Inhibited(graph), Blending::Bulging(graph, bulge)] {
        let [groups, nodes] =
            [false, true].map(|by_nodes| made(settings, primitives, by, by_nodes));
        assert!(groups == nodes, "{by:?}: {:?} {:?}", groups.1, nodes.1);
        control = groups.1.control;
    }
    control
}

fn settings(cell_m: f64, level: f64, ambiguity: Ambiguity) -> Settings {
    let cells = (2.4 / cell_m) as u32;
    Settings {
        domain: Domain::new(Vec3::repeat(-1.2), cell_m, [cells; 3]).unwrap(),
        level,
        ambiguity,
    }
}

/// Any kind of primitive, some of them negative.
fn one() -> impl Strategy<Value = Primitive> {
    let place = [-1.3..1.3, -1.3..1.3, -1.3..1.3];
    (place, 0.1..0.9, -0.4..1.6, 0_u8..12).prop_map(|(c, radius_m, amplitude, kind)| {
        let c = Vec3::from(c);
        let p = Primitive {
            amplitude,
            ..Primitive::point(c, radius_m)
        };
        match kind {
            0 => Primitive {
                skeleton: Skeleton::Segment([c, c.yzx()]),
                ..p
            },
            1 => Primitive {
                kernel: Kernel::Wyvill,
                ..p
            },
            _ => p,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Bodies that are cliques, strands in which some that meet may not blend, and arbitrary pairs:
    /// graphs that are an equivalence and graphs that are not.
    #[test]
    fn groups_make_what_nodes_make(
        primitives in proptest::collection::vec(one(), 2..50),
        bodies in 1_u32..6,
        window in 1_u32..8,
        pairs in proptest::collection::vec((0_u32..50, 0_u32..50), 0..60),
        kind in 0_u8..3,
        cell in 0.05..0.3,
        level in 0.2..0.7,
        separate in proptest::bool::ANY,
    ) {
        let ambiguity = if separate { Ambiguity::Separate } else { Ambiguity::Join };
        let settings = settings(cell, level, ambiguity);
        let count = primitives.len() as u32;
        let mut graph = Graph::new();
        for b in 0..count {
            for a in 0..b {
                let may = match kind {
                    0 => a % bodies == b % bodies,
                    1 => a % bodies == b % bodies && b - a <= window * bodies,
                    _ => pairs.contains(&(a, b)),
                };
                if may {
                    graph.allow(a, b);
                }
            }
        }
        is_the_same(&settings, &primitives, &graph);
    }
}

/// A coil with turns that overlap deeply, so that classes are parts of strands; and equal balls in
/// a row, of which two press the third equally.
#[test]
fn strands_and_equals_are_the_same() {
    let at = |k: u32, pitch: f64| {
        let s = f64::from(k) / 60.0;
        let (sin, cos) = (std::f64::consts::TAU * s).sin_cos();
        Vec3::new(0.7 * cos, 0.7 * sin, pitch * (s - 1.0))
    };
    let graph = |cell: f64| {
        let mut graph = Graph::new();
        graph.strand(0, &[0.075; 120], 0.6 + 3.0_f64.sqrt() * cell + 0.05);
        graph
    };
    for (pitch, cell) in [(0.45, 0.08), (0.3, 0.08), (0.3, 0.05), (0.25, 0.11)] {
        let coil: Vec<Primitive> = (0..=120)
            .map(|k| Primitive::point(at(k, pitch), 0.3))
            .collect();
        let settings = settings(cell, 0.5, Ambiguity::Separate);
        let control = is_the_same(&settings, &coil, &graph(cell));
        assert!(control.torn == 0 && control.doubled > 20, "{control:?}");
    }
    let ball = |x: f64, y: f64| Primitive::point(Vec3::new(x, y, 0.0), 0.5);
    let row = [
        ball(-0.4, 0.0),
        ball(0.4, 0.0),
        ball(0.0, 0.2),
        ball(0.0, -0.2),
    ];
    for cell in [0.05, 0.08, 0.1] {
        let settings = settings(cell, 0.5, Ambiguity::Separate);
        let control = is_the_same(&settings, &row, &Graph::new());
        assert!(control.torn == 0 && control.doubled > 20, "{control:?}");
    }
}

/// A strand of three with ends that may not blend: its classes are unknown where both ends reach a
/// cube that may contain something.
#[test]
fn a_strand_that_meets_itself_is_no_group() {
    let may: [Set; 4] = [0b0011, 0b0111, 0b0110, 0b1000];
    let board = |bits: u64| [0, 0, bits, 0, 0, 0, 0, 0];
    let everywhere = [u64::MAX; NODES];
    let mut groups = Groups::default();
    let apart = [board(1), board(2), board(1 << 20), board(3)];
    groups.find(&may);
    assert_eq!(groups.of, [0, 0, 0, 1]);
    assert!(groups.are_classes(&may, &apart, &everywhere));
    let meets = [board(1), board(2), board(2), board(0)];
    groups.find(&may);
    assert!(!groups.are_classes(&may, &meets, &everywhere));
    assert!(groups.are_classes(&may, &meets, &board(1 << 40)));
    // Members of different groups may meet anywhere; there are at most 128.
    let strangers: Vec<Set> = (0..128).map(|i| 1 << i).collect();
    groups.find(&strangers);
    assert!(groups.are_classes(&strangers, &[[u64::MAX; NODES]; 128], &everywhere));
    assert_eq!(groups.apart().cubes[3] & 1, 1);
}
