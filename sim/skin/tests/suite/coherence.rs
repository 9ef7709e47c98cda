//! Reuse of the last mesh and many threads give the same bits as one thread that rebuilds
//! everything.

use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Blending, Bulge, Graph};
use hapticd_skin::{Ambiguity, Domain, Kernel, Mesh, Primitive, Report, Settings, Skeleton, Skin};
use proptest::prelude::*;
use proptest::sample::Index;

fn settings(shift: f64) -> Settings {
    Settings {
        domain: Domain::new(Vec3::repeat(-1.4) + shift * Vec3::x(), 0.1, [28; 3]).unwrap(),
        level: 0.5,
        ambiguity: Ambiguity::Separate,
    }
}

/// Blending graph of several bodies, or of one.
fn bodies(count: usize, bodies: u32) -> Graph {
    let mut graph = Graph::new();
    for b in 0..count as u32 {
        for a in (0..b).filter(|a| a % bodies == b % bodies) {
            graph.allow(a, b);
        }
    }
    graph
}

fn make(
    skin: &mut Skin,
    settings: &Settings,
    primitives: &[Primitive],
    blending: Blending<'_>,
) -> (Mesh, Report) {
    let mut mesh = Mesh::default();
    let report = skin.polygonize_by(settings, primitives, blending, &mut mesh);
    (mesh, report.unwrap())
}

/// A mesh rebuilt from scratch.
fn plain(settings: &Settings, primitives: &[Primitive], blending: Blending<'_>) -> (Mesh, Report) {
    make(&mut Skin::default(), settings, primitives, blending)
}

fn one() -> impl Strategy<Value = Primitive> {
    (
        [-1.2..1.2, -1.2..1.2, -1.2..1.2],
        0.15..0.5,
        -0.3..1.4,
        0_u8..8,
    )
        .prop_map(|(centre, radius_m, amplitude, kind)| {
            let c = Vec3::from(centre);
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

/// A change between two frames.
#[derive(Clone, Debug)]
enum Change {
    Nothing,
    Move(Index, [f64; 3]),
    Other(Index, Primitive),
    Append(Primitive),
    Insert(Index, Primitive),
    Vanish(Index),
    Shift,
    Level,
    Link(Index, Index),
    Control,
    Refused,
    Parallel,
}

fn change() -> impl Strategy<Value = Change> {
    let way = [-0.1..0.1, -0.1..0.1, -0.1..0.1];
    prop_oneof![
        2 => Just(Change::Nothing),
        6 => (any::<Index>(), way).prop_map(|(k, v)| Change::Move(k, v)),
        3 => (any::<Index>(), one()).prop_map(|(k, p)| Change::Other(k, p)),
        2 => one().prop_map(Change::Append),
        1 => (any::<Index>(), one()).prop_map(|(k, p)| Change::Insert(k, p)),
        2 => any::<Index>().prop_map(Change::Vanish),
        1 => Just(Change::Shift),
        1 => Just(Change::Level),
        1 => (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Change::Link(a, b)),
        1 => Just(Change::Control),
        1 => Just(Change::Refused),
        1 => Just(Change::Parallel),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever moves, appears, disappears, changes its kind or starts to blend: each mesh and its
    /// report equal those made without the last mesh.
    #[test]
    fn what_is_taken_over_is_what_would_be_made(
        start in proptest::collection::vec(one(), 1..20),
        changes in proptest::collection::vec(change(), 1..12),
    ) {
        let mut skin = Skin::default();
        let mut primitives = start;
        let mut settings = settings(0.0);
        let (mut mode, mut parallel, mut graph) = (0, false, Graph::new());
        for change in changes {
            let count = primitives.len();
            match change {
                Change::Nothing => {}
                Change::Move(k, v) => match &mut primitives[k.index(count)].skeleton {
                    Skeleton::Point(c) => *c += Vec3::from(v),
                    Skeleton::Segment(ends) => ends[0] += Vec3::from(v),
                    _ => unreachable!(),
                },
                Change::Other(k, p) => primitives[k.index(count)] = p,
                Change::Append(p) => primitives.push(p),
                Change::Insert(k, p) => primitives.insert(k.index(count), p),
                Change::Vanish(k) => if count > 1 { primitives.remove(k.index(count)); },
                Change::Shift => settings.domain = self::settings(0.7).domain,
                Change::Level => settings.level = 0.9 - settings.level,
                Change::Link(a, b) => { graph.allow(a.index(count) as u32, b.index(count) as u32); }
                Change::Control => mode = (mode + 1) % 4,
                Change::Refused => {
                    let bad = [Primitive::point(Vec3::zeros(), -1.0)];
                    let made = skin.polygonize(&settings, &bad, &mut Mesh::default());
                    prop_assert!(made.is_err());
                }
                Change::Parallel => {
                    parallel = !parallel;
                    skin.set_parallel(parallel);
                }
            }
            if graph.check(primitives.len() as u32).is_err() {
                graph = Graph::new();
            }
            let bulge = Bulge::new(0.05, settings.level / 2.0, 0.2, settings.level).unwrap();
            let by = match mode {
                0 => Blending::Free,
                1 => Blending::Inhibited(&graph),
                2 => Blending::Union(&graph),
                _ => Blending::Bulging(&graph, bulge),
            };
            let (mesh, report) = make(&mut skin, &settings, &primitives, by);
            let (wanted, plain) = plain(&settings, &primitives, by);
            prop_assert_eq!(mesh, wanted);
            prop_assert_eq!(plain.reused, 0);
            prop_assert_eq!(Report { reused: 0, ..report }, plain);
        }
    }

    /// With 1, 2, 3 and 8 threads, with and without control, from scratch and from the last mesh.
    #[test]
    fn threads_make_what_one_makes(
        primitives in proptest::collection::vec(one(), 8..40),
        to in [-1.0..1.0, -1.0..1.0, -1.0..1.0],
        kinds in 1_u32..4,
    ) {
        let settings = settings(0.0);
        let mut moved = primitives.clone();
        moved[7] = Primitive::point(Vec3::from(to), 0.4);
        let graph = bodies(primitives.len(), kinds);
        let bulge = Bulge::new(0.05, 0.3, 0.2, 0.5).unwrap();
        for by in [
            Blending::Free,
            Blending::Inhibited(&graph),
            Blending::Bulging(&graph, bulge),
            Blending::Union(&graph),
        ] {
            let mut alone = Skin::default();
            let wanted = [&primitives, &moved].map(|p| make(&mut alone, &settings, p, by));
            for threads in [1, 2, 3, 8] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut skin = Skin::default();
                skin.set_parallel(true);
                let made = pool.install(|| {
                    [&primitives, &moved].map(|p| make(&mut skin, &settings, p, by))
                });
                prop_assert!(made == wanted, "{threads} threads");
            }
        }
    }
}

/// One of 64 in a chain moves: nearly all of the rest is reused.
#[test]
fn little_is_rebuilt_where_little_moves() {
    let at = |k: u32| {
        let s = f64::from(k) / 63.0;
        1.1 * Vec3::new((6.0 * s).sin(), (9.0 * s + 0.5).sin(), (5.0 * s).cos())
    };
    let mut chain: Vec<Primitive> = (0..64).map(|k| Primitive::point(at(k), 0.2)).collect();
    let settings = Settings {
        domain: Domain::new(Vec3::repeat(-1.4), 0.05, [56; 3]).unwrap(),
        ..settings(0.0)
    };
    let mut skin = Skin::default();
    let (_, first) = make(&mut skin, &settings, &chain, Blending::Free);
    assert!(first.reused == 0 && first.sampled > 100, "{first:?}");
    let (_, still) = make(&mut skin, &settings, &chain, Blending::Free);
    assert_eq!(still.reused, still.sampled);
    chain[20].skeleton = Skeleton::Point(at(20) + Vec3::repeat(0.02));
    let (mesh, report) = make(&mut skin, &settings, &chain, Blending::Free);
    let again = report.sampled - report.reused;
    assert!((4..=40).contains(&again), "{report:?}");
    assert_eq!(mesh, plain(&settings, &chain, Blending::Free).0);
    // Bricks that have only lost a primitive are rebuilt as well.
    let last = chain.pop();
    assert!(last.is_some());
    let (mesh, report) = make(&mut skin, &settings, &chain, Blending::Free);
    assert!(
        report.reused > 80 && report.reused < report.sampled,
        "{report:?}"
    );
    assert_eq!(mesh, plain(&settings, &chain, Blending::Free).0);
    // In another domain, at another level and after a refusal, all bricks are rebuilt.
    let elsewhere = Settings {
        domain: Domain::new(Vec3::repeat(-1.75), 0.05, [63; 3]).unwrap(),
        ..settings
    };
    assert_eq!(
        make(&mut skin, &elsewhere, &chain, Blending::Free).1.reused,
        0
    );
    assert!(make(&mut skin, &elsewhere, &chain, Blending::Free).1.reused > 80);
    let higher = Settings {
        level: 0.51,
        ..elsewhere
    };
    assert_eq!(make(&mut skin, &higher, &chain, Blending::Free).1.reused, 0);
    let bad = [Primitive::point(Vec3::zeros(), f64::INFINITY)];
    assert!(
        skin.polygonize(&higher, &bad, &mut Mesh::default())
            .is_err()
    );
    assert_eq!(make(&mut skin, &higher, &chain, Blending::Free).1.reused, 0);
    // With control, while the graph stays the same.
    let mut graph = bodies(chain.len(), 2);
    assert_eq!(
        make(&mut skin, &higher, &chain, Blending::Inhibited(&graph))
            .1
            .reused,
        0
    );
    let (_, same) = make(&mut skin, &higher, &chain, Blending::Inhibited(&graph));
    assert_eq!(same.reused, same.sampled);
    graph.allow(0, 1);
    assert_eq!(
        make(&mut skin, &higher, &chain, Blending::Inhibited(&graph))
            .1
            .reused,
        0
    );
}

/// A ball elsewhere becomes a segment: the lists have other numbers for the same primitives. The
/// name of a vertex at a brick's end must be the same on both sides.
#[test]
fn bricks_of_one_class_each_agree_when_numbers_change() {
    let segment = |y: f64| Primitive {
        skeleton: Skeleton::Segment([Vec3::new(-0.9, y, 0.0), Vec3::new(0.9, y, 0.1)]),
        ..Primitive::point(Vec3::zeros(), 0.5)
    };
    let ball = |x: f64| Primitive::point(Vec3::new(x, 0.25, 0.0), 0.4);
    let far = Primitive::point(Vec3::new(0.0, 0.0, 1.2), 0.15);
    let mut primitives = [ball(-0.8), segment(-0.12), segment(0.13), far];
    let (settings, graph) = (settings(0.0), Graph::new());
    let mut skin = Skin::default();
    make(
        &mut skin,
        &settings,
        &primitives,
        Blending::Inhibited(&graph),
    );
    let c = far.heart();
    primitives[3].skeleton = Skeleton::Segment([c, c]);
    primitives[0] = ball(-0.75);
    let (mesh, report) = make(
        &mut skin,
        &settings,
        &primitives,
        Blending::Inhibited(&graph),
    );
    let (wanted, plain) = plain(&settings, &primitives, Blending::Inhibited(&graph));
    assert!(
        plain.control.doubled > 20 && plain.control.dropped == 0,
        "{plain:?}"
    );
    assert_eq!(mesh, wanted);
    assert_eq!(
        Report {
            reused: 0,
            ..report
        },
        plain
    );
}
