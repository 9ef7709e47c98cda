//! Rules that random tests do not reach: ties, slopes, lists that overflow into their neighbours.

use crate::common;

use common::{Shape, body, gpu, step, tracer};
use hapticd_geometry::{Vec3, shapes};
use hapticd_rays::layout::{Class, INVERTED, NONE, Normal, Object, Point, Ray, SHEET};
use hapticd_shaders::{Chunk, Narrow, Packed, Room, Step, Work};

const ENDLESS: f32 = f32::INFINITY;

fn point(x: [f32; 3]) -> Point {
    Point { x, cluster: 0 }
}

fn normal(n: [f32; 3]) -> Normal {
    Normal { n, exit: ENDLESS }
}

fn ray(point: u32, start: u32) -> Ray {
    Ray {
        source: 0,
        point,
        target: 1,
        start,
    }
}

/// Points of a source (0) with rays along z to a sheet (1) of four by four squares of an eighth of
/// a metre, right below its corners: all numbers are exact, and up to six triangles are hit at the
/// same place.
fn corners(flags: u32) -> (Packed, Shape) {
    let mut packed = Packed::default();
    let sheet = Shape::new(&shapes::sheet(0.25, 4).unwrap());
    let below = sheet.points.iter().map(|p| point([p.x[0], p.x[1], -0.5]));
    let normals = vec![normal([0.0, 0.0, -1.0]); sheet.points.len()];
    Shape::cloud(below.collect(), normals).add_to(&mut packed, &body(flags));
    sheet.add_to(&mut packed, &body(SHEET));
    (packed, sheet)
}

/// Lowest triangle at a point of a shape, among those that count.
fn lowest(shape: &Shape, point: u32, counts: impl Fn(u32) -> bool) -> Option<u32> {
    let at = |t: u32| shape.triangles[t as usize].v.contains(&point);
    (0..shape.triangles.len() as u32).find(|&t| counts(t) && at(t))
}

#[test]
fn of_triangles_at_the_same_place_the_lowest_is_met() {
    let (packed, sheet) = corners(0);
    let count = sheet.points.len() as u32;
    let rays: Vec<Ray> = (0..count).map(|p| ray(p, NONE)).collect();
    let answer = step(
        &mut tracer(&packed),
        &Work {
            tree: &rays,
            basic: &rays,
            ..Work::default()
        },
    );
    for p in 0..count {
        let expected = lowest(&sheet, p, |_| true);
        for hits in [&answer.tree, &answer.basic] {
            let hit = hits[p as usize].ahead().unwrap();
            assert_eq!((hit.number(), hit.t), (expected, 0.5), "point {p}");
        }
    }
}

/// Rays of one point to several clusters hit different triangles at the same place: in any order,
/// the lowest is kept.
#[test]
fn of_answers_at_the_same_place_the_lowest_is_kept() {
    let (packed, sheet) = corners(0);
    let mut narrow = Narrow::new(gpu()).unwrap();
    narrow.set_scene(&packed).unwrap();
    let count = sheet.points.len() as u32;
    let clusters = sheet.cluster_starts.len() as u32 - 1;
    // Rays of one point in neighbouring threads, or far apart, and in the reverse order.
    let near: Vec<Ray> = (0..count)
        .flat_map(|p| (0..clusters).map(move |c| ray(p, c)))
        .collect();
    let far: Vec<Ray> = (0..clusters)
        .flat_map(|c| (0..count).map(move |p| ray(p, c)))
        .collect();
    let back: Vec<Ray> = far.iter().rev().copied().collect();
    for basic in [&near, &far, &back] {
        narrow
            .send(&Step {
                basic,
                prediction: 1.0,
                records: true,
                ..Step::default()
            })
            .unwrap();
        let found = narrow.wait().unwrap().unwrap();
        assert_eq!(found.contacts.len(), count as usize);
        for p in 0..count {
            let record = found.records[2 * p as usize];
            assert_eq!(record.class(), Class::Collision);
            assert_eq!(Some(record.triangle), lowest(&sheet, p, |_| true), "{p}");
        }
    }
}

/// A contact between sheets counts by the distance along the target's normal, not by the length of
/// the ray.
#[test]
fn thickness_is_measured_along_the_normal() {
    let mut packed = Packed::default();
    let sheet = Shape::new(&shapes::sheet(0.25, 4).unwrap());
    // The second is 60 degrees off: as high above the sheet, and twice as far along its ray.
    let (s, c) = (0.75_f32.sqrt(), 0.5);
    let normals = [
        [0.0, 0.0, -1.0],
        [s, 0.0, -c],
        [0.0, 0.0, -1.0],
        [s, 0.0, -c],
    ];
    let heights = [0.0029, 0.0029, 0.0031, 0.0031];
    let points = heights.map(|z| point([0.03, 0.02, z]));
    let thick = |half_thickness| Object {
        half_thickness,
        ..body(SHEET)
    };
    let cloud = Shape::cloud(points.to_vec(), normals.map(normal).to_vec());
    cloud.add_to(&mut packed, &thick(0.001));
    sheet.add_to(&mut packed, &thick(0.002));
    let rays: Vec<Ray> = (0..4).map(|p| ray(p, NONE)).collect();
    let mut narrow = Narrow::new(gpu()).unwrap();
    narrow.set_scene(&packed).unwrap();
    let of = |narrow: &mut Narrow, prediction| -> Vec<Class> {
        narrow
            .send(&Step {
                tree: &rays,
                prediction,
                records: true,
                ..Step::default()
            })
            .unwrap();
        let found = narrow.wait().unwrap().unwrap();
        let classes = (0..4).map(|p| found.records[2 * p].class());
        for contact in &found.contacts {
            assert!((contact.depth - 1e-4).abs() < 1e-6, "{contact:?}");
            assert!((contact.n[2] - 1.0).abs() < 1e-6, "{contact:?}");
        }
        classes.collect()
    };
    use Class::{Collision, Nothing, Prediction};
    let wide = of(&mut narrow, 0.01);
    assert_eq!(wide, [Collision, Collision, Prediction, Prediction]);
    // A prediction is as long as its ray.
    let middle = of(&mut narrow, 0.005);
    assert_eq!(middle, [Collision, Nothing, Prediction, Nothing]);
}

/// Through the sheet, or around its border: only the first must be corrected.
#[test]
fn a_point_crosses_a_sheet_only_where_it_is() {
    let mut packed = Packed::default();
    let now = point([0.03, 0.02, -0.003]);
    let looks = normal([0.0, 0.0, 1.0]);
    Shape::cloud(vec![now], vec![looks]).add_to(&mut packed, &body(SHEET));
    let sheet = Shape::new(&shapes::sheet(0.25, 4).unwrap());
    sheet.add_to(&mut packed, &body(SHEET));
    let mut narrow = Narrow::new(gpu()).unwrap();
    let rays = [ray(0, NONE)];
    let mut after = |way: &[[f32; 3]]| {
        narrow.set_scene(&packed).unwrap();
        let mut bits = 0;
        for pair in way.windows(2) {
            let [before, x] = [point(pair[0]), point(pair[1])];
            narrow.deform(0, &[x], &[before], &[looks]).unwrap();
            narrow
                .send(&Step {
                    tree: &rays,
                    prediction: 0.01,
                    inversions: true,
                    records: true,
                    ..Step::default()
                })
                .unwrap();
            let found = narrow.wait().unwrap().unwrap();
            assert_eq!(found.contacts.len() + found.near.len(), 1);
            bits = found.records[0].bits | found.records[1].bits;
            let n = found.contacts.iter().map(|c| c.n[2]).next();
            assert_eq!(n.is_some(), bits & INVERTED != 0);
            // Back up, to where it came from.
            assert!(n.is_none_or(|n| n > 0.99), "{n:?}");
        }
        bits & INVERTED != 0
    };
    let (above, below, beside) = (
        [0.03, 0.02, 0.003],
        [0.03, 0.02, -0.003],
        [0.6, 0.02, 0.003],
    );
    assert!(after(&[above, below]));
    assert!(!after(&[beside, below]));
    assert!(!after(&[below, below]));
    // Remembered until it is back.
    assert!(after(&[above, below, below, below]));
    assert!(!after(&[above, below, below, above]));
}

/// A list that overflows does not affect those behind it.
#[test]
fn a_list_does_not_run_into_the_next() {
    let mut packed = Packed::default();
    let ball = Shape::new(&shapes::icosphere(0.1, 3).unwrap());
    let block = Shape::new(&shapes::cuboid(&Vec3::repeat(0.1)).unwrap());
    ball.add_to(&mut packed, &body(0));
    block.add_to(&mut packed, &body(0));
    // A small one inside the ball, of given rays only.
    let inner = Shape::new(&shapes::cuboid(&Vec3::repeat(0.04)).unwrap());
    inner.add_to(&mut packed, &body(0));
    let mut narrow = Narrow::new(gpu()).unwrap();
    narrow.set_scene(&packed).unwrap();
    let given: Vec<Ray> = (0..8)
        .map(|point| Ray {
            source: 2,
            point,
            target: 0,
            start: NONE,
        })
        .collect();
    let chunks: Vec<Chunk> = Chunk::of(0, 1, ball.points.len() as u32, true).collect();
    let room = |rays| Room {
        rays,
        contacts: 4096,
        near: 4096,
    };
    let mut run = |chunks: &[Chunk], rays: [usize; 3]| {
        narrow.set_capacity(room(rays));
        narrow
            .send(&Step {
                chunks,
                basic: &given,
                walk: &[],
                prediction: 1.0,
                records: true,
                ..Step::default()
            })
            .unwrap();
        narrow.wait().unwrap().unwrap()
    };
    let alone = run(&[], [0; 3]);
    let block_at = packed.objects[2].first_record as usize;
    let of_block = |records: &[hapticd_rays::layout::Record]| records[block_at..].to_vec();
    let some = of_block(&alone.records);
    assert!(some.iter().any(|record| record.class() != Class::Nothing));
    // Capacity for hundreds, which the buffer then keeps, and for five: the given rays lie right
    // behind them.
    let all = run(&chunks, [1000, 0, 0]);
    assert!(!all.overflow && all.wanted[0] > 100);
    assert_eq!(of_block(&all.records), some);
    let few = run(&chunks, [5, 0, 0]);
    assert!(few.overflow);
    assert_eq!((few.wanted[0], few.wanted[1]), (all.wanted[0], 8));
    assert_eq!(of_block(&few.records), some);
    assert_eq!(run(&chunks, [1000, 0, 0]).contacts, all.contacts);
}

/// Times are reported exactly if the adapter has timestamps.
#[test]
fn passes_are_timed_if_there_is_a_clock() {
    let (packed, _) = corners(0);
    let mut tracer = tracer(&packed);
    let rays = [ray(0, NONE)];
    let work = Work {
        tree: &rays,
        ..Work::default()
    };
    let times = step(&mut tracer, &work).pass_ns;
    assert_eq!(times.is_some(), tracer.gpu().tick_ns().is_some());
    assert!(
        times
            .into_iter()
            .flatten()
            .all(|ns| (0.0..6e10).contains(&ns))
    );
}
