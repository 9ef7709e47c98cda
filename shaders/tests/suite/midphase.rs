//! The mid-phase never loses a pair: the exact tests find the same among its candidates as among
//! all pairs.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

use crate::common;

use std::collections::BTreeSet;

use common::{Random, gpu};
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch, advance_features};
use hapticd_ccd::{Advance, AdvanceLimits, FeaturePair, MeshIndex, PairKind, closest};
use hapticd_geometry::{Pose, Quat, Screw, TriMesh, Vec3, shapes};
use hapticd_shaders::{Candidates, DEPTH, MeshBoxes, Midphase, ShapeId, Sweep, SweepError};

/// A feature pair by kind and indices.
type Name = (PairKind, u32, u32);

struct Body {
    index: MeshIndex,
    id: ShapeId,
    /// Centre of its mesh, in its own frame.
    middle: Vec3,
}

impl Body {
    fn new(midphase: &mut Midphase, mesh: &TriMesh, middle: Vec3) -> Self {
        let moved = mesh.positions().iter().map(|p| p + middle);
        let mesh = TriMesh::new(moved.collect(), mesh.triangles().to_vec()).unwrap();
        Self {
            id: midphase.add(&MeshBoxes::new(&mesh)),
            index: MeshIndex::new(mesh),
            middle,
        }
    }

    fn triangles(&self) -> u32 {
        self.index.mesh().unwrap().triangles().len() as u32
    }
}

/// Four shapes, near their origins and far from them, where single precision has steps of 0.03 mm.
fn bodies(midphase: &mut Midphase) -> Vec<Body> {
    let meshes = [
        shapes::icosphere(0.1, 1).unwrap(),
        shapes::torus(0.1, 0.03, 12, 6).unwrap(),
        shapes::cuboid(&Vec3::new(0.1, 0.2, 0.05)).unwrap(),
        shapes::block_with_hole(&Vec3::new(0.1, 0.08, 0.05), 0.04).unwrap(),
    ];
    let mut all = Vec::new();
    for far in [0.0, 300.0] {
        for mesh in &meshes {
            let middle = Vec3::new(far, -0.7 * far, 0.3 * far);
            all.push(Body::new(midphase, mesh, middle));
        }
    }
    all
}

/// The exact test of one feature pair: near at the start, or nearer than the clearance during the
/// motion.
fn matters(a: &Body, b: &Body, (kind, fa, fb): Name, sweep: &Sweep, clearance: f64) -> bool {
    let p = a.index.feature_a(kind, fa).unwrap();
    let q = b.index.feature_b(kind, fb).unwrap();
    let start = p.map(|p| (sweep.b_from_a * nalgebra::Point3::from(p)).coords);
    if closest(kind, &start, &q).distance < clearance {
        return true;
    }
    let motion_a = Motion::screw(&sweep.b_from_a, &sweep.screw);
    let motion_b = Motion::still(&Pose::identity());
    advance_features(
        FeaturePair { kind, a: &p, b: &q },
        [&motion_a, &motion_b],
        AdvanceLimits {
            threshold: clearance,
            t_max: 1.0,
            max_steps: 256,
        },
    ) != Advance::Clear
}

/// Feature pairs that two triangles own.
fn owned(a: &Body, b: &Body, (t, u): (u32, u32)) -> Vec<Name> {
    let (x, y) = (a.index.adjacency().unwrap(), b.index.adjacency().unwrap());
    let mut all = Vec::new();
    all.extend(
        x.owned_vertices(t, a.index.mesh().unwrap().triangles()[t as usize])
            .iter()
            .map(|&v| (PairKind::VertexFace, v, u)),
    );
    all.extend(
        y.owned_vertices(u, b.index.mesh().unwrap().triangles()[u as usize])
            .iter()
            .map(|&v| (PairKind::FaceVertex, t, v)),
    );
    for &e in x.owned_edges(t).iter() {
        all.extend(y.owned_edges(u).iter().map(|&f| (PairKind::EdgeEdge, e, f)));
    }
    all
}

const CLEARANCE_M: f64 = 1e-3;

/// Includes what a stop leaves above the clearance.
const REACH_M: f64 = CLEARANCE_M + 1e-8;

/// A sweep in which A usually comes near B.
fn sweep(a: &Body, b: &Body, chance: &mut Random) -> Sweep {
    let turn = Quat::from_scaled_axis(chance.vector() * 2.0);
    // The middle of A is a few decimetres from that of B.
    let at = b.middle + chance.vector() * 0.3;
    let b_from_a = Pose::from_parts((at - turn * a.middle).into(), turn);
    let way = (b.middle - at) * 0.7 + chance.vector() * 0.1;
    let screw = match chance.below(8) {
        0 => Screw::identity(),
        1 | 2 => Screw::from_twist(&way, &Vec3::zeros(), &at),
        3 => Screw::from_twist(&way, &(chance.vector() * 1e-7), &at),
        _ => Screw::from_twist(&way, &(chance.vector() * 2.5), &at),
    };
    Sweep {
        a: a.id,
        b: b.id,
        b_from_a,
        screw,
        reach_m: REACH_M,
    }
}

fn ask(midphase: &mut Midphase, sweeps: &[Sweep]) -> Candidates {
    midphase.send(sweeps).unwrap();
    midphase.wait().unwrap().unwrap()
}

/// The exact tests find the same list among the candidates, among all
/// pairs, and as the CPU's own search.
#[test]
fn the_list_is_the_same_as_without_a_gpu() {
    let mut midphase = Midphase::new(gpu()).unwrap();
    let bodies = bodies(&mut midphase);
    let mut chance = Random(11);
    let mut sweeps = Vec::new();
    let mut between = Vec::new();
    for k in 0..64 {
        let half = bodies.len() / 2;
        // Near their origins, far from them, and one of each.
        let pick = |chance: &mut Random, far: bool| chance.below(half) + if far { half } else { 0 };
        let (a, b) = (
            pick(&mut chance, k % 4 >= 2),
            pick(&mut chance, k % 4 == 1 || k % 4 == 2),
        );
        sweeps.push(sweep(&bodies[a], &bodies[b], &mut chance));
        between.push((&bodies[a], &bodies[b]));
    }
    midphase.set_capacity(1 << 17);
    let found = ask(&mut midphase, &sweeps);
    let mut search = MovingSearch::new(1 << 16);
    let (mut all, mut lists, mut listed) = (0, 0, 0);
    for (k, (sweep, (a, b))) in sweeps.iter().zip(between).enumerate() {
        assert!(found.is_complete(k));
        let candidates: BTreeSet<(u32, u32)> = found.of(k).iter().map(|c| (c.a, c.b)).collect();
        assert_eq!(candidates.len(), found.of(k).len(), "none is there twice");
        let pairs = (0..a.triangles()).flat_map(|t| (0..b.triangles()).map(move |u| (t, u)));
        let mut exact = BTreeSet::new();
        for pair in pairs {
            all += 1;
            for name in owned(a, b, pair) {
                if matters(a, b, name, sweep, CLEARANCE_M) {
                    assert!(
                        candidates.contains(&pair),
                        "sweep {k} lost {name:?} of {pair:?}: {sweep:?}"
                    );
                    exact.insert(name);
                }
            }
        }
        let motion_a = Motion::screw(&sweep.b_from_a, &sweep.screw);
        let motion_b = Motion::still(&Pose::identity());
        let body = |shape, motion| MovingBody {
            shape,
            motion,
            radius_m: 0.0,
        };
        let set = search.step_pairs(
            &body(&a.index, &motion_a),
            &body(&b.index, &motion_b),
            CLEARANCE_M,
            CLEARANCE_M,
        );
        assert_eq!(set.complete_until, 1.0);
        let of_search: BTreeSet<Name> = (set.pairs.iter())
            .map(|p| (p.pair.kind, p.pair.feature_a, p.pair.feature_b))
            .collect();
        assert_eq!(exact, of_search, "sweep {k}");
        lists += usize::from(!exact.is_empty());
        listed += exact.len();
    }
    let some = found.pairs.len();
    println!(
        "{all} pairs of triangles, {some} candidates; {listed} feature pairs in {lists} of 64 lists"
    );
    assert!(all >= 100_000 && lists > 32 && listed > 2_000);
    assert!(some * 3 < all, "{some} of {all} is no selection");
}

/// A speck comes to within a picometre less than the reach of a slab, at the start, during the
/// motion or at the end: closer than single precision can tell, and never lost.
#[test]
fn roundings_are_covered() {
    let mut midphase = Midphase::new(gpu()).unwrap();
    // Another at the far end, so that the first is far from the middle.
    let arm = Vec3::new(1.7, 0.9, -0.3);
    let speck = [Vec3::zeros(), Vec3::x() * 1e-9, Vec3::y() * 1e-9];
    let both = speck
        .map(|p| p + arm)
        .into_iter()
        .chain(speck.map(|p| p - arm));
    let specks = TriMesh::new(both.collect(), vec![[0, 1, 2], [3, 4, 5]]).unwrap();
    let specks = midphase.add(&MeshBoxes::new(&specks));
    let slab = shapes::cuboid(&Vec3::new(10.0, 10.0, 0.125)).unwrap();
    let slab = midphase.add(&MeshBoxes::new(&slab));
    midphase.set_capacity(1 << 16);
    let mut chance = Random(23);
    let sweeps: Vec<Sweep> = (0..3000)
        .map(|k| {
            let reach_m = 1e-3 + 0.01 * chance.signed().abs();
            let lowest = Vec3::new(chance.signed(), chance.signed(), 0.125 + reach_m - 1e-12);
            let turn = Quat::from_scaled_axis(chance.vector() * 3.0);
            let with_speck = |at: Vec3| Pose::from_parts((at - turn * arm).into(), turn);
            let start = with_speck(lowest);
            let up = Vec3::new(chance.signed(), chance.signed(), chance.signed().abs());
            let (b_from_a, screw) = match k % 3 {
                0 => (start, Screw::from_twist(&up, &Vec3::zeros(), &lowest)),
                1 => {
                    let twist = Screw::from_twist(&-up, &Vec3::zeros(), &up);
                    (with_speck(lowest + up), twist)
                }
                _ => {
                    // A swing about a horizontal axis above, lowest in the middle of one of its
                    // parts.
                    let radius = 0.3 + chance.signed().abs();
                    let screw = Screw {
                        angle: 1.5,
                        translation: 0.0,
                        point: lowest + Vec3::z() * radius,
                        axis: Vec3::y(),
                    };
                    (screw.part(0.625).inverse().pose_at(&start, 1.0), screw)
                }
            };
            Sweep {
                a: specks,
                b: slab,
                b_from_a,
                screw,
                reach_m,
            }
        })
        .collect();
    let found = ask(&mut midphase, &sweeps);
    let first = |found: &Candidates, k: usize| found.of(k).iter().filter(|c| c.a == 0).count();
    let lost = (0..sweeps.len()).filter(|&k| first(&found, k) == 0);
    assert_eq!(lost.count(), 0, "of {}", sweeps.len());
    // And none of those that stay a tenth of a millimetre further away, except for the arcs.
    let away: Vec<Sweep> = sweeps
        .iter()
        .map(|sweep| Sweep {
            reach_m: sweep.reach_m - 1e-4,
            ..*sweep
        })
        .collect();
    let found = ask(&mut midphase, &away);
    let straight = (0..sweeps.len()).filter(|k| k % 3 < 2);
    assert_eq!(straight.filter(|&k| first(&found, k) > 0).count(), 0);
}

/// The swept boxes exclude what they should: a box that passes at some distance is not a candidate.
#[test]
fn what_stays_away_is_no_candidate() {
    let mut midphase = Midphase::new(gpu()).unwrap();
    let cube = shapes::cuboid(&Vec3::repeat(0.1)).unwrap();
    let id = midphase.add(&MeshBoxes::new(&cube));
    let by = |y: f64, screw: Screw| Sweep {
        a: id,
        b: id,
        b_from_a: Pose::translation(-1.0, y, 0.0),
        screw,
        reach_m: 0.01,
    };
    let along = Screw::from_twist(&Vec3::new(2.0, 0.0, 0.0), &Vec3::zeros(), &Vec3::zeros());
    let round = Screw {
        angle: 1.0,
        translation: 0.0,
        point: Vec3::zeros(),
        axis: Vec3::z(),
    };
    let found = ask(
        &mut midphase,
        &[
            by(0.2099, along),
            by(0.2101, along),
            by(0.0, Screw::identity()),
            // About B's middle, always a metre away; its arc deviates by 13 cm.
            by(0.0, round),
        ],
    );
    assert!(found.wanted[0] > 0);
    assert_eq!(found.wanted[1..], [0, 0, 0]);
}

#[test]
fn a_list_without_room_names_the_queries_that_it_cut_short() {
    let mut midphase = Midphase::new(gpu()).unwrap();
    let bodies = bodies(&mut midphase);
    let mut chance = Random(3);
    let sweeps: Vec<Sweep> = (0..12)
        .map(|k| sweep(&bodies[k % 4], &bodies[(k + 1) % 4], &mut chance))
        .collect();
    let whole = ask(&mut midphase, &sweeps);
    let all: u32 = whole.wanted.iter().sum();
    assert!(
        all > 2_000 && (0..12).all(|k| whole.is_complete(k)),
        "{all}"
    );
    midphase.set_capacity(all as usize / 2);
    let short = ask(&mut midphase, &sweeps);
    assert_eq!(short.wanted, whole.wanted);
    assert_eq!(short.pairs.len(), all as usize / 2);
    let cut = (0..12).filter(|&k| !short.is_complete(k)).count();
    assert!(cut > 0, "half of them is missing somewhere");
    for k in 0..12 {
        if short.is_complete(k) {
            assert_eq!(short.of(k), whole.of(k));
        } else {
            assert!(short.of(k).len() < whole.of(k).len());
        }
    }
    // The capacity has grown.
    let again = ask(&mut midphase, &sweeps);
    assert_eq!(again.pairs, whole.pairs);
    // Alone as among others.
    let one = ask(&mut midphase, &sweeps[7..8]);
    let alone: Vec<_> = one.of(0).iter().map(|c| (c.a, c.b)).collect();
    let among: Vec<_> = whole.of(7).iter().map(|c| (c.a, c.b)).collect();
    assert_eq!(alone, among);
}

#[test]
fn what_is_no_sweep_is_refused_and_a_lost_device_keeps_the_shapes() {
    let mut midphase = Midphase::new(gpu()).unwrap();
    let bodies = bodies(&mut midphase);
    let mut chance = Random(5);
    let good: Vec<Sweep> = (0..4)
        .map(|k| sweep(&bodies[k], &bodies[3 - k], &mut chance))
        .collect();
    assert!(ask(&mut midphase, &[]).pairs.is_empty());
    let before = ask(&mut midphase, &good);
    for bad in [f64::NAN, f64::INFINITY, 2e6] {
        let far = Sweep {
            reach_m: bad,
            ..good[0]
        };
        let refused = midphase.send(&[good[1], far]).unwrap_err();
        assert!(
            matches!(refused, SweepError::Range { query: 1, .. }),
            "{refused}"
        );
        let far = Sweep {
            b_from_a: Pose::translation(0.0, bad, 0.0),
            ..good[0]
        };
        assert!(midphase.send(&[far]).is_err());
    }
    let mut other = Midphase::new(gpu()).unwrap();
    let refused = other.send(&good).unwrap_err();
    assert!(
        matches!(
            refused,
            SweepError::Shape {
                query: 0,
                of: 0,
                ..
            }
        ),
        "{refused}"
    );
    for _ in 0..DEPTH {
        midphase.send(&good).unwrap();
    }
    assert!(matches!(midphase.send(&good), Err(SweepError::Busy)));
    midphase.gpu().lose();
    assert!(matches!(midphase.send(&good), Err(SweepError::Fault(_))));
    assert!(midphase.wait().is_err());
    midphase.recover().unwrap();
    let after = ask(&mut midphase, &good);
    assert_eq!((after.ticket.generation, after.ticket.number), (2, 1));
    assert_eq!(after.pairs, before.pairs);
}
