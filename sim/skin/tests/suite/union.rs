//! Unions: one closed surface for any graph, from the largest sum over sets that may all blend.

use hapticd_counting::counted;
use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Blending, Cliques, Graph, Set, members};
use hapticd_skin::{
    Ambiguity, Domain, Grid, Kernel, Mesh, Primitive, Report, Settings, Skeleton, Skin, SkinError,
};
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

fn make(settings: &Settings, primitives: &[Primitive], blending: Blending<'_>) -> (Mesh, Report) {
    let mut mesh = Mesh::default();
    let report = Skin::default().polygonize_by(settings, primitives, blending, &mut mesh);
    (mesh, report.unwrap())
}

fn is_whole(mesh: &Mesh) -> bool {
    let faults = mesh.faults();
    (faults.open_edges, faults.pinched) == (0, 0)
}

/// Six times the enclosed volume, if the triangles face outwards.
fn volume(mesh: &Mesh) -> f64 {
    let at = |v: &u32| Vec3::from(mesh.points[*v as usize].map(f64::from));
    let of = |[a, b, c]: &[u32; 3]| at(a).dot(&at(b).cross(&at(c)));
    mesh.triangles.iter().map(of).sum()
}

fn graph_of(pairs: &[(u32, u32)], count: u32) -> Graph {
    let mut graph = Graph::new();
    for (a, b) in pairs {
        graph.allow(a % count, b % count);
    }
    graph
}

/// By definition, over all subsets: the largest sum of a set of primitives that all blend, plus the
/// negative ones.
fn oracle(graph: &Graph, primitives: &[Primitive], at: &Vec3) -> f64 {
    let values: Vec<f64> = primitives.iter().map(|p| p.value(at)).collect();
    let count = primitives.len() as u32;
    let (mut best, mut cliques) = (0.0_f64, vec![(0_u32, 0_u32, 0.0)]);
    while let Some((next, set, sum)) = cliques.pop() {
        best = best.max(sum);
        for k in next..count {
            let blends = (0..k).all(|j| set >> j & 1 == 0 || graph.blends(j, k));
            if blends && primitives[k as usize].amplitude > 0.0 {
                cliques.push((k + 1, set | 1 << k, sum + values[k as usize]));
            }
        }
    }
    best + values.iter().filter(|x| **x < 0.0).sum::<f64>()
}

/// Two parallel straight legs of a strand and the half circle that joins them; returns also the
/// distances along the strand.
fn hairpin(apart: f64) -> (Vec<Primitive>, Vec<f64>) {
    let (leg, radius) = (4.0, apart / 2.0);
    let bend = std::f64::consts::PI * radius;
    let length = 2.0 * leg + bend;
    let count = (length / 0.35).ceil() as u32;
    let at = |k: u32| {
        let s = f64::from(k) / f64::from(count) * length;
        let (x, y) = if s < leg {
            (s, -radius)
        } else if s < leg + bend {
            let (sin, cos) = ((s - leg) / radius).sin_cos();
            (leg + radius * sin, -radius * cos)
        } else {
            (length - s, radius)
        };
        Vec3::new(x - 2.2 + 0.013, y - 0.007, 0.011)
    };
    let primitives = (0..=count).map(|k| Primitive::point(at(k), 1.0)).collect();
    (primitives, vec![length / f64::from(count); count as usize])
}

const CELL: f64 = 0.541_196_1 / 2.0;

#[test]
fn the_legs_of_a_hairpin_do_not_melt_and_its_skin_is_closed() {
    let settings = settings(CELL / 2.0, 66);
    for apart in [1.55, 1.4, 1.2] {
        let (primitives, steps) = hairpin(apart);
        let mut graph = Graph::new();
        graph.strand(0, &steps, 2.2);
        // Classes do not exist here: their mesh tears.
        let (torn, report) = make(&settings, &primitives, Blending::Inhibited(&graph));
        let torn = (report.control.torn, is_whole(&torn));
        assert!(torn.0 > 50 && !torn.1, "{apart}: {torn:?}");
        let (mesh, _) = make(&settings, &primitives, Blending::Union(&graph));
        assert!(is_whole(&mesh), "{apart}: {:?}", mesh.faults());
        assert_eq!((mesh.pieces(), mesh.euler()), (1, 2), "{apart}");
        // Far from the bend the skin is that of one leg alone; where all blend it is not.
        let least = |mesh: &Mesh| {
            let leg = |at: &Vec3, side: f64| {
                let own = primitives.iter().filter(|p| p.heart().y * side > 0.0);
                own.map(|p| p.value(at)).sum::<f64>()
            };
            let there = mesh.points.iter().map(|p| Vec3::from(p.map(f64::from)));
            let there = there.filter(|p| (p.x + 1.0).abs() < 0.4);
            let value = there.map(|p| leg(&p, -1.0).max(leg(&p, 1.0)));
            value.fold(f64::INFINITY, f64::min)
        };
        let (melted, _) = make(&settings, &primitives, Blending::Free);
        let (creased, melted) = (least(&mesh), least(&melted));
        // The error of linear interpolation in a cube.
        assert!((creased - LEVEL).abs() < 0.04, "{apart}: {creased}");
        assert!(melted < 0.65 * LEVEL, "{apart}: {melted}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Every node and every vertex match the definition, over all subsets of all primitives: for
    /// any graph, with some negative terms.
    #[test]
    fn nodes_have_the_largest_sum_of_any_clique(
        some in proptest::collection::vec(
            ([-0.8..0.8, -0.8..0.8, -0.8..0.8], 0.3..0.8, -0.2..1.4, 0_u8..6), 1..9),
        pairs in proptest::collection::vec((0_u32..9, 0_u32..9), 0..20),
    ) {
        let settings = settings(0.16, 17);
        let primitives: Vec<Primitive> = some.iter().map(|(c, radius, amplitude, kind)| {
            let c = Vec3::from(*c);
            let p = Primitive { amplitude: *amplitude, ..Primitive::point(c, *radius) };
            match kind {
                0 => Primitive { skeleton: Skeleton::Segment([c, c.yzx()]), ..p },
                1 => Primitive { kernel: Kernel::Wyvill, ..p },
                _ => p,
            }
        }).collect();
        let graph = graph_of(&pairs, primitives.len() as u32);
        let (mesh, _) = make(&settings, &primitives, Blending::Union(&graph));
        prop_assert!(is_whole(&mesh), "{:?}", mesh.faults());
        let domain = &settings.domain;
        let place = |node: [u32; 3]| domain.low() + domain.cell_m() * Vec3::from(node.map(f64::from));
        let value = |node: [u32; 3]| {
            let border = node.iter().any(|i| *i == 0 || *i == 17);
            let value = oracle(&graph, &primitives, &place(node));
            if border { value.min(LEVEL) } else { value }
        };
        let (mut cut, mut doubtful) = (Vec::new(), false);
        for z in 0..=17 { for y in 0..=17 { for x in 0..=17 {
            let from = value([x, y, z]);
            doubtful |= (from - LEVEL).abs() < 1e-5 && from != LEVEL;
            for axis in 0..3 {
                let mut next = [x, y, z];
                next[axis] += 1;
                if next[axis] > 17 { continue; }
                let to = value(next);
                if (from > LEVEL) != (to > LEVEL) {
                    let share = (LEVEL - from) / (to - from);
                    cut.push((place([x, y, z]), place(next), share));
                }
            }
        }}}
        // Very near the level, single precision may decide otherwise.
        if !doubtful {
            prop_assert_eq!(mesh.points.len(), cut.len());
            for (from, to, share) in &cut {
                // On the edge, at the linear crossing or at the true one.
                let on_it = mesh.points.iter().filter_map(|p| {
                    let p = Vec3::from(p.map(f64::from));
                    let along = (p - from).dot(&(to - from)) / (to - from).norm_squared();
                    let beside = (p - from - along * (to - from)).norm();
                    let is = beside < 1e-5 && (-1e-3..=1.001).contains(&along);
                    is.then(|| (along, oracle(&graph, &primitives, &p)))
                });
                let found: Vec<(f64, f64)> = on_it.collect();
                let is = found.iter().any(|(along, value)| {
                    (along - share).abs() < 2e-3 || (value - LEVEL).abs() < 5e-3
                });
                prop_assert!(is, "{share} from {from:?} to {to:?}: {found:?}");
            }
        }
    }

    /// Any graph, any number: closed and outwards. With a complete graph the bytes equal free
    /// blending, and with separate classes inhibited blending.
    #[test]
    fn a_union_is_closed_and_equals_what_it_has_to(
        some in proptest::collection::vec(([-0.8..0.8, -0.8..0.8, -0.8..0.8], 0.2..0.5, 0_u32..3), 1..24),
        pairs in proptest::collection::vec((0_u32..24, 0_u32..24), 0..150),
        cells in 8_u32..40,
    ) {
        let settings = settings(2.0 / f64::from(cells), cells);
        let primitives: Vec<Primitive> =
            some.iter().map(|(c, r, _)| Primitive::point(Vec3::from(*c), *r)).collect();
        let count = primitives.len() as u32;
        let any = graph_of(&pairs, count);
        let (mesh, report) = make(&settings, &primitives, Blending::Union(&any));
        prop_assert!(is_whole(&mesh), "{:?}", mesh.faults());
        prop_assert!(mesh.triangles.is_empty() || volume(&mesh) > 0.0);
        prop_assert_eq!(report.control, Default::default());
        let all: Vec<(u32, u32)> = (0..count).flat_map(|b| (0..b).map(move |a| (a, b))).collect();
        let (whole, _) = make(&settings, &primitives, Blending::Union(&graph_of(&all, count)));
        prop_assert_eq!(whole, make(&settings, &primitives, Blending::Free).0);
        let bodies: Vec<(u32, u32)> = all.into_iter()
            .filter(|(a, b)| some[*a as usize].2 == some[*b as usize].2).collect();
        let bodies = graph_of(&bodies, count);
        let (pressed, report) = make(&settings, &primitives, Blending::Inhibited(&bodies));
        let (union, _) = make(&settings, &primitives, Blending::Union(&bodies));
        prop_assert!(is_whole(&union));
        // Otherwise it lacks the surfaces between bodies that press each other.
        if report.control.shared == 0 {
            prop_assert_eq!(union, pressed);
        }
    }
}

/// A vertex has the normal and the velocity of the clique that it lies on, however near the other
/// is.
#[test]
fn on_either_side_of_a_crease_is_one_of_the_two() {
    let settings = settings(0.07, 40);
    let centres = [-0.45, 0.45].map(|x| Vec3::new(x + 0.004, 0.011, -0.007));
    let balls = centres.map(|c| Primitive::point(c, 1.0));
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let graph = Graph::new();
    let by = Blending::Union(&graph);
    skin.polygonize_by(&settings, &balls, by, &mut mesh)
        .unwrap();
    assert!(is_whole(&mesh) && mesh.pieces() == 1 && mesh.euler() == 2);
    let ways = [Vec3::new(0.1, 0.2, 0.3), Vec3::new(-0.7, 0.0, 0.5)];
    let mut motions = Vec::new();
    skin.motions(&mesh, &ways, &mut motions).unwrap();
    for ((p, n), v) in mesh.points.iter().zip(&mesh.normals).zip(&motions) {
        let p = Vec3::from(p.map(f64::from));
        let side = usize::from(p.x > 0.004);
        let normal = Vec3::from(n.map(f64::from));
        let of = |k: usize| (p - centres[k]).normalize();
        let way = |k: usize| (Vec3::from(v.map(f64::from)) - ways[k]).norm();
        if (p.x - 0.004).abs() > 1e-3 {
            assert!((normal - of(side)).norm() < 1e-4, "{p:?} {normal:?}");
            assert!(way(side) < 1e-6, "{p:?} {v:?}");
        } else {
            assert!(way(0).min(way(1)) < 1e-6);
        }
    }
}

#[test]
fn a_union_takes_no_memory_once_warm_and_is_the_same_again() {
    let settings = settings(CELL, 33);
    let (primitives, steps) = hairpin(1.4);
    let (away, _) = hairpin(1.41);
    let mut graph = Graph::new();
    graph.strand(0, &steps, 2.2);
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let by = Blending::Union(&graph);
    // Two meshes are kept: each must have held either scene.
    for primitives in [&primitives, &away, &away, &primitives, &primitives] {
        skin.polygonize_by(&settings, primitives, by, &mut mesh)
            .unwrap();
    }
    let before = mesh.clone();
    // Once all bricks are rebuilt, once all are reused.
    for (primitives, reused) in [(&away, false), (&primitives, false), (&primitives, true)] {
        let (report, calls) = counted(|| skin.polygonize_by(&settings, primitives, by, &mut mesh));
        let report = report.unwrap();
        assert_eq!((calls, report.reused == report.sampled), (0, reused));
    }
    assert_eq!(mesh, before);
    // Another kind of blending reuses nothing.
    let report = skin.polygonize_controlled(&settings, &primitives, &graph, &mut mesh);
    assert_eq!(report.unwrap().reused, 0);
}

/// A negative grid subtracts from every clique; a nonnegative one belongs to the cliques that allow
/// it.
#[test]
fn grids_are_terms_like_others_and_what_takes_away_does_so_from_all() {
    let settings = settings(0.1, 24);
    let block = |value: f32| {
        let low = Vec3::new(-0.1, -0.6, -0.6);
        Grid::new(low, 0.3, [3, 5, 5], vec![value; 75]).unwrap()
    };
    let balls = [-0.3, 0.3].map(|x| Primitive::point(Vec3::new(x, 0.0, 0.0), 0.9));
    let mesh = |grids: Vec<Grid>, graph: &Graph| {
        let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
        skin.set_grids(grids);
        let by = Blending::Union(graph);
        skin.polygonize_by(&settings, &balls, by, &mut mesh)
            .unwrap();
        assert!(is_whole(&mesh), "{:?}", mesh.faults());
        mesh
    };
    let alone = Graph::new();
    let plain = volume(&mesh(Vec::new(), &alone));
    let dug = volume(&mesh(vec![block(-0.3)], &alone));
    assert!(dug < 0.9 * plain, "{dug} {plain}");
    // It blends with no other term and is below the level: it is invisible.
    assert!((volume(&mesh(vec![block(0.3)], &alone)) - plain).abs() < 1e-6);
    let grown = volume(&mesh(vec![block(0.3)], &graph_of(&[(1, 2)], 3)));
    assert!(grown > 1.1 * plain, "{grown} {plain}");
}

/// Too many in one place, and too many cliques: refused with their numbers, and nothing of earlier
/// meshes is left.
#[test]
fn too_many_are_refused_with_their_numbers() {
    let settings = settings(0.1, 28);
    let ball = |k: u32| Primitive::point(Vec3::new(0.01, 1e-4 * f64::from(k), -0.02), 0.4);
    let mut primitives: Vec<Primitive> = (0..129).map(ball).collect();
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let mut apart = |primitives: &[Primitive], graph: &Graph| {
        let by = Blending::Union(graph);
        let made = skin.polygonize_by(&settings, primitives, by, &mut mesh);
        (made.map(|_| ()), mesh.clone())
    };
    let (made, left) = apart(&primitives, &Graph::new());
    assert!(matches!(made, Err(SkinError::Crowded(129))), "{made:?}");
    assert_eq!(left, Mesh::default());
    primitives.pop();
    assert!(apart(&primitives, &Graph::new()).0.is_ok());
    let mut thirds = Graph::new();
    for b in 0..128 {
        for a in (0..b).filter(|a| a / 3 != b / 3) {
            thirds.allow(a, b);
        }
    }
    let (made, left) = apart(&primitives, &thirds);
    let said = made.unwrap_err().to_string();
    let wanted =
        "in one eighth of a brick of 7³ cubes more than 256 maximal cliques among 128 primitives";
    assert_eq!(said, wanted);
    assert_eq!(left, Mesh::default());
}

/// The cliques that a place sees are those of all primitives, restricted to those that reach it:
/// this is why neighbours agree.
#[test]
fn what_a_place_sees_is_a_part_of_what_there_is() {
    let (primitives, steps) = hairpin(1.4);
    let mut graph = Graph::new();
    graph.strand(0, &steps, 2.2);
    let count = primitives.len() as u32;
    let may: Vec<Set> = (0..count)
        .map(|a| (0..count).fold(0, |set, b| set | Set::from(graph.blends(a, b)) << b))
        .collect();
    let all = Set::MAX >> (128 - count);
    let mut cliques = Cliques::default();
    for k in 0..500 {
        let s = f64::from(k);
        let at = Vec3::new(
            2.6 * (0.1 * s).sin(),
            1.2 * (0.37 * s).sin(),
            (0.7 * s).cos(),
        );
        let values: Vec<f64> = primitives.iter().map(|p| p.value(&at)).collect();
        let reach = members(all).filter(|i| values[*i] > 0.0);
        let reach = reach.fold(0, |set, i| set | 1 << i);
        let mut highest = |candidates| {
            let found = cliques.find(&may, candidates, 128).unwrap().iter();
            let sum = |c: &Set| members(*c).map(|i| values[i]).sum::<f64>();
            found.map(sum).fold(0.0, f64::max)
        };
        assert_eq!(highest(reach), highest(all));
    }
}
