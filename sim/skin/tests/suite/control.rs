//! Meshes of bodies that may not blend: each closed, and pressed flat where they meet.

use hapticd_counting::counted;
use hapticd_geometry::Vec3;
use hapticd_skin::blend::Graph;
use hapticd_skin::{
    Ambiguity, Control, Domain, Kernel, Mesh, Primitive, Report, Settings, Skin, SkinError,
};
use proptest::prelude::*;

fn settings(cell_m: f64, cells: u32) -> Settings {
    let half = f64::from(cells) * cell_m / 2.0;
    Settings {
        domain: Domain::new(Vec3::repeat(-half), cell_m, [cells; 3]).unwrap(),
        level: 0.5,
        ambiguity: Ambiguity::Separate,
    }
}

fn controlled(settings: &Settings, primitives: &[Primitive], graph: &Graph) -> (Mesh, Report) {
    let mut mesh = Mesh::default();
    let mut skin = Skin::default();
    let report = skin.polygonize_controlled(settings, primitives, graph, &mut mesh);
    (mesh, report.unwrap())
}

fn free(settings: &Settings, primitives: &[Primitive]) -> Mesh {
    let mut mesh = Mesh::default();
    Skin::default()
        .polygonize(settings, primitives, &mut mesh)
        .unwrap();
    mesh
}

fn complete(count: u32) -> Graph {
    let mut graph = Graph::new();
    for b in 0..count {
        for a in 0..b {
            graph.allow(a, b);
        }
    }
    graph
}

fn is_whole(mesh: &Mesh) -> bool {
    let faults = mesh.faults();
    (faults.open_edges, faults.pinched) == (0, 0)
}

/// A coil of radius 2.5 R and four turns, a primitive about every 0.35 R (digest, section 4.6),
/// R = 1.
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

/// Cube edge of half the visible radius.
const CELL: f64 = 0.541_196_1 / 2.0;

#[test]
fn a_coil_closes_with_the_window_that_the_rule_asks_for() {
    let settings = settings(CELL, 33);
    for (pitch, touches) in [(3.0, false), (1.6, true), (1.3, true), (1.1, true)] {
        let (primitives, steps) = coil(pitch);
        let mut graph = Graph::new();
        graph.strand(0, &steps, 2.0 + 3.0_f64.sqrt() * CELL);
        let (mesh, report) = controlled(&settings, &primitives, &graph);
        let control = report.control;
        assert_eq!(
            (control.torn, control.dropped),
            (0, 0),
            "{pitch}: {control:?}"
        );
        assert!(is_whole(&mesh), "{pitch}: {:?}", mesh.faults());
        // One strand, which touches itself and stays one strand.
        assert_eq!((mesh.pieces(), mesh.euler()), (1, 2), "{pitch}");
        assert_eq!(control.doubled > 0, touches, "{pitch}: {control:?}");
        if !touches {
            assert_eq!(control.shared, 0);
            assert_eq!(mesh.points.len(), free(&settings, &primitives).points.len());
        }
        // With neighbours only, the relation is not an equivalence, and the report says so.
        let mut neighbours = Graph::new();
        neighbours.strand(0, &steps, 1.5 * steps[0]);
        let (torn, report) = controlled(&settings, &primitives, &neighbours);
        assert!(report.control.torn > 1000, "{pitch}: {:?}", report.control);
        assert!(torn.faults().open_edges > 0, "{pitch}");
    }
}

/// A graph that is an equivalence nowhere, with primitives of several kinds: the mesh is torn, the
/// report says so, and nothing panics.
#[test]
fn a_graph_that_tears_does_no_more() {
    let settings = settings(CELL, 33);
    let (mut primitives, steps) = coil(1.6);
    for primitive in primitives.iter_mut().skip(7).step_by(5) {
        primitive.kernel = Kernel::Wyvill;
    }
    primitives[70].amplitude = -0.3;
    let mut neighbours = Graph::new();
    neighbours.strand(0, &steps, 1.5 * steps[0]);
    let (mesh, report) = controlled(&settings, &primitives, &neighbours);
    assert!(report.control.torn > 1000 && report.control.dropped > 100);
    assert!(mesh.faults().open_edges > 100);
    assert_eq!(mesh, controlled(&settings, &primitives, &neighbours).0);
}

#[test]
fn two_balls_touch_on_the_same_vertices() {
    let settings = settings(0.07, 40);
    let apart = |d: f64| {
        [-0.5, 0.5].map(|s| Primitive::point(Vec3::new(s * d + 0.004, 0.011, -0.007), 1.0))
    };
    for (distance, touches) in [(1.3, false), (0.8, true), (0.7, true)] {
        let balls = apart(distance);
        let (mesh, report) = controlled(&settings, &balls, &Graph::new());
        assert!(
            is_whole(&mesh) && mesh.pieces() == 2 && mesh.euler() == 4,
            "{distance}"
        );
        assert_eq!((report.control.torn, report.control.dropped), (0, 0));
        assert_eq!(report.control.doubled > 0, touches);
        // Apart from the contact, no body is where it would not be alone.
        let radius = Kernel::Murakami.reach(0.5);
        let centre = |k: usize| [1.0, -1.0][k] * -0.5 * distance + 0.004;
        let middle = |p: &[f32; 3]| (f64::from(p[0]) - 0.004).abs();
        for p in &mesh.points {
            let ball = usize::from(p[0] > 0.004);
            let from = Vec3::new(centre(ball), 0.011, -0.007);
            let away = (Vec3::from(p.map(f64::from)) - from).norm();
            let flat = middle(p) < 0.02;
            assert!(
                flat || (away - radius).abs() < 0.02,
                "{distance}: {p:?} {away}"
            );
        }
        // Where both ends of an edge are inside both, the flat sides coincide, a millionth apart,
        // and belong to two pieces: all but the rims.
        let flat: Vec<Vec3> = (mesh.points.iter().filter(|p| middle(p) < 1e-3))
            .map(|p| Vec3::from(p.map(f64::from)))
            .collect();
        let pairs = flat.iter().filter(|p| {
            let near = flat.iter().filter(|q| (*p - *q).norm() < 1e-6);
            near.count() == 2
        });
        let pairs = pairs.count();
        assert_eq!(touches, pairs > 20, "{distance}: {pairs}");
        assert!(
            2 * pairs >= flat.len(),
            "{distance}: {pairs} of {}",
            flat.len()
        );
    }
    // A third between them, of either body: it blends with one and presses the other.
    let [a, b] = apart(1.4);
    let third = Primitive::point(Vec3::new(0.0, 0.3, 0.0), 0.8);
    let mut graph = Graph::new();
    graph.allow(0, 2);
    let (mesh, report) = controlled(&settings, &[a, b, third], &graph);
    assert!(is_whole(&mesh) && mesh.pieces() == 2, "{report:?}");
}

/// Control changes nothing where all may blend.
#[test]
fn a_complete_graph_is_no_control() {
    let settings = settings(0.05, 50);
    let balls: Vec<Primitive> = (0..25)
        .map(|k| {
            let s = f64::from(k) * 0.7;
            Primitive::point(
                0.7 * Vec3::new(s.sin(), (1.7 * s).cos(), (0.6 * s).sin()),
                0.5,
            )
        })
        .collect();
    let (mesh, report) = controlled(&settings, &balls, &complete(25));
    assert_eq!(mesh, free(&settings, &balls));
    assert_eq!(report.control, Control::default());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Bodies of any primitives, each a clique, at any distance: every body is closed, and none
    /// gains what another loses.
    #[test]
    fn bodies_close_each_for_itself(
        some in proptest::collection::vec(([-0.8..0.8, -0.8..0.8, -0.8..0.8], 0.2..0.6, 0_u32..3), 1..24),
        cells in 8_u32..40,
    ) {
        let settings = settings(2.0 / f64::from(cells), cells);
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
        let (mesh, report) = controlled(&settings, &primitives, &graph);
        prop_assert_eq!((report.control.torn, report.control.dropped), (0, 0));
        prop_assert!(is_whole(&mesh), "{:?}", mesh.faults());
        // As many as made one by one, where they do not touch.
        if report.control.shared == 0 {
            let mut alone = 0;
            for body in 0..3 {
                let its: Vec<Primitive> = some.iter().zip(&primitives)
                    .filter(|((.., of), _)| *of == body).map(|(_, p)| *p).collect();
                alone += free(&settings, &its).triangles.len();
            }
            prop_assert_eq!(mesh.triangles.len(), alone);
        }
    }
}

#[test]
fn control_is_deterministic_takes_no_memory_and_refuses_strangers() {
    let settings = settings(CELL, 33);
    let (primitives, steps) = coil(1.2);
    let mut graph = Graph::new();
    graph.strand(0, &steps, 2.0 + 3.0_f64.sqrt() * CELL);
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let (away, _) = coil(1.21);
    // Two meshes are kept: each must have held either scene.
    for primitives in [&primitives, &away, &away, &primitives, &primitives] {
        skin.polygonize_controlled(&settings, primitives, &graph, &mut mesh)
            .unwrap();
    }
    let before = mesh.clone();
    // Once all bricks are rebuilt, once all are reused.
    for (primitives, reused) in [(&away, false), (&primitives, false), (&primitives, true)] {
        let (report, calls) =
            counted(|| skin.polygonize_controlled(&settings, primitives, &graph, &mut mesh));
        let report = report.unwrap();
        assert_eq!((calls, report.reused == report.sampled), (0, reused));
    }
    assert_eq!(mesh, before);
    let few = &primitives[..10];
    let error = skin
        .polygonize_controlled(&settings, few, &graph, &mut mesh)
        .unwrap_err();
    assert!(matches!(error, SkinError::Graph(_)), "{error}");
    assert_eq!(mesh, Mesh::default());
}

/// More that may not blend than one brick can distinguish: refused, with no remains of the bricks
/// before it.
#[test]
fn a_crowd_in_one_brick_is_refused() {
    let settings = settings(0.1, 40);
    let ball = |k: u32, x: f64| Primitive::point(Vec3::new(x, 1e-4 * f64::from(k), 0.0), 0.3);
    let mut primitives = vec![ball(0, -1.5), ball(1, -1.4)];
    primitives.extend((0..129).map(|k| ball(k, 1.0)));
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let made = skin.polygonize_controlled(&settings, &primitives, &Graph::new(), &mut mesh);
    let error = made.unwrap_err();
    assert!(matches!(error, SkinError::Crowded(129)), "{error}");
    assert_eq!(mesh, Mesh::default());
    // One less, or all that may blend, is accepted.
    primitives.pop();
    assert!(is_whole(
        &controlled(&settings, &primitives, &Graph::new()).0
    ));
    let count = primitives.len() as u32;
    assert!(is_whole(
        &controlled(&settings, &primitives, &complete(count)).0
    ));
}
