//! The three traces against brute force in `f64`, more than a hundred thousand rays each.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

use crate::common;

use common::oracle;
use common::{Random, Shape, body, step, tracer};
use hapticd_geometry::{TriMesh, Vec3, shapes};
use hapticd_rays::layout::{DEFORMABLE, NONE, Normal, Object, Point, Ray, SHEET};
use hapticd_shaders::{Hits, Packed, Work};

/// Rays per shape; five shapes are 110,000 rays.
const RAYS: usize = 22_000;
/// Fraction of rays for which more than one answer is right.
const UNCLEAR: f64 = 0.01;

fn meshes() -> Vec<(&'static str, TriMesh, u32)> {
    vec![
        ("sphere", shapes::icosphere(0.1, 3).unwrap(), 0),
        ("torus", shapes::torus(0.08, 0.03, 40, 18).unwrap(), 0),
        (
            "block with a hole",
            shapes::block_with_hole(&Vec3::new(0.1, 0.08, 0.05), 0.03).unwrap(),
            0,
        ),
        (
            "cuboid",
            shapes::cuboid(&Vec3::new(0.1, 0.05, 0.02)).unwrap(),
            0,
        ),
        ("sheet", shapes::sheet(0.1, 20).unwrap(), SHEET),
    ]
}

/// Points around the shape with lines in all directions; for some the exit of their own object is
/// near.
fn cloud(chance: &mut Random, count: usize) -> Shape {
    let mut points = Vec::new();
    let mut normals = Vec::new();
    for _ in 0..count {
        let x = chance.vector() * 0.12;
        let n = chance.direction();
        points.push(Point {
            x: [x.x as f32, x.y as f32, x.z as f32],
            cluster: 0,
        });
        normals.push(Normal {
            n: [n.x as f32, n.y as f32, n.z as f32],
            exit: if chance.below(2) == 0 {
                f32::INFINITY
            } else {
                (chance.signed().abs() * 0.2) as f32
            },
        });
    }
    Shape::cloud(points, normals)
}

fn turned(chance: &mut Random, flags: u32) -> Object {
    let shift = chance.vector() * 0.05;
    Object {
        q: chance.turn(),
        t: [0.4 + shift.x as f32, shift.y as f32, -0.2 + shift.z as f32],
        half_thickness: if flags & SHEET == 0 { 0.0 } else { 0.002 },
        ..body(flags)
    }
}

struct Case {
    name: &'static str,
    shape: Shape,
    cloud: Shape,
    packed: Packed,
}

/// A cloud (0) around a target (1), both somewhere in the world, from the same seed.
fn case(k: usize, name: &'static str, mesh: &TriMesh, from: u32, to: u32) -> Case {
    let mut chance = Random(k as u64);
    let shape = Shape::new(mesh);
    let cloud = cloud(&mut chance, RAYS);
    let mut packed = Packed::default();
    let target = turned(&mut chance, to);
    // Near the target, so that many rays hit it.
    let source = Object {
        q: chance.turn(),
        t: target.t.map(|x| x + 0.01),
        ..turned(&mut chance, from)
    };
    cloud.add_to(&mut packed, &source);
    let target = if to & DEFORMABLE == 0 {
        target
    } else {
        Object {
            q: [0.0, 0.0, 0.0, 1.0],
            t: [0.0; 3],
            ..target
        }
    };
    shape.add_to(&mut packed, &target);
    Case {
        name,
        shape,
        cloud,
        packed,
    }
}

const PREDICTION: f64 = 0.05;

impl Case {
    fn line(&self, point: usize) -> oracle::Line {
        let [source, target] = [&self.packed.objects[0], &self.packed.objects[1]];
        let x = self.cloud.point(point as u32);
        oracle::line(
            source,
            target,
            &x,
            &self.cloud.normals[point],
            PREDICTION,
            None,
        )
    }

    /// Compares all answers; returns the number of rays with a hit, and of those without a single
    /// right answer.
    fn compare(
        &self,
        rays: &[Ray],
        hits: &[Hits],
        only: impl Fn(&Ray) -> Vec<u32>,
    ) -> (usize, usize) {
        assert_eq!(rays.len(), hits.len());
        let (mut met, mut unclear) = (0, 0);
        for (ray, hit) in rays.iter().zip(hits) {
            let line = self.line(ray.point as usize);
            let all = oracle::candidates(&line, &self.shape, only(ray));
            if let Err(wrong) = oracle::judge(&all, hit) {
                panic!("{}, {ray:?}: {wrong}", self.name);
            }
            met += usize::from(hit.ahead().is_some() || hit.behind().is_some());
            unclear += usize::from(!oracle::is_clear(&all));
        }
        assert!(
            (unclear as f64) < UNCLEAR * rays.len() as f64,
            "{}: {unclear} of {}",
            self.name,
            rays.len()
        );
        (met, unclear)
    }

    fn rays(&self, start: impl Fn(usize) -> u32) -> Vec<Ray> {
        (0..RAYS)
            .map(|p| Ray {
                source: 0,
                point: p as u32,
                target: 1,
                start: start(p),
            })
            .collect()
    }
}

fn work<'a>() -> Work<'a> {
    Work {
        prediction: PREDICTION as f32,
        ..Work::default()
    }
}

#[test]
fn the_tree_and_the_basic_trace_find_what_brute_force_finds() {
    let (mut met, mut unclear, mut all) = (0, 0, 0);
    for (k, (name, mesh, flags)) in meshes().iter().enumerate() {
        let case = case(k, name, mesh, 0, *flags);
        let rays = case.rays(|_| NONE);
        let answer = step(
            &mut tracer(&case.packed),
            &Work {
                tree: &rays,
                basic: &rays,
                ..work()
            },
        );
        let triangles: Vec<u32> = (0..case.shape.triangles.len() as u32).collect();
        let counts = case.compare(&rays, &answer.tree, |_| triangles.clone());
        met += counts.0;
        unclear += counts.1;
        all += rays.len();
        // The boxes only skip what is not hit: the same answer.
        assert_eq!(answer.tree, answer.basic, "{name}");
        assert!(answer.walk.is_empty());
    }
    println!("{all} rays, {met} met something, {unclear} had more than one right answer");
    assert!(met > all / 8);
}

#[test]
fn the_basic_trace_of_a_cluster_sees_no_other_triangles() {
    for (k, (name, mesh, flags)) in meshes().iter().enumerate() {
        let case = case(k + 10, name, mesh, 0, *flags | DEFORMABLE);
        let rays = case.rays(|p| p as u32 % 9);
        let answer = step(
            &mut tracer(&case.packed),
            &Work {
                basic: &rays,
                ..work()
            },
        );
        let (starts, members) = (&case.shape.cluster_starts, &case.shape.members);
        case.compare(&rays, &answer.basic, |ray| {
            let c = ray.start as usize;
            // There are eight clusters; the ninth has no triangles.
            starts.get(c + 1).map_or(Vec::new(), |&end| {
                members[starts[c] as usize..end as usize].to_vec()
            })
        });
    }
}

#[test]
fn rays_from_sheets_look_as_far_as_they_must() {
    for (k, (name, mesh, flags)) in meshes().iter().enumerate() {
        let case = case(k + 20, name, mesh, SHEET, *flags);
        let rays = case.rays(|_| NONE);
        let answer = step(
            &mut tracer(&case.packed),
            &Work {
                tree: &rays,
                ..work()
            },
        );
        let triangles: Vec<u32> = (0..case.shape.triangles.len() as u32).collect();
        case.compare(&rays, &answer.tree, |_| triangles.clone());
    }
}

/// The walk in `f64`: where it ends, or `None`; and whether rounding could have led it elsewhere.
fn walk(case: &Case, line: &oracle::Line, start: u32) -> (Option<u32>, bool) {
    let mut triangle = start;
    let mut clear = true;
    for _ in 0..64.min(case.shape.triangles.len()) {
        let corners = case.shape.corners(&case.shape.triangles[triangle as usize]);
        let Some((uvt, _, slack, _, sure)) = oracle::meet(line, corners) else {
            return (None, clear);
        };
        let (u, v) = (uvt.x + oracle::EDGE, uvt.y + oracle::EDGE);
        let w = 1.0 + oracle::EDGE - uvt.x - uvt.y;
        clear &= sure;
        let mut edge = None;
        for (k, beyond) in [u, v, w].into_iter().enumerate() {
            clear &= beyond.abs() > 2.0 * slack;
            if beyond < 0.0 {
                edge = Some(k);
                break;
            }
        }
        let Some(edge) = edge else {
            return (Some(triangle), clear);
        };
        triangle = case.shape.neighbours[triangle as usize].across[edge];
        if triangle == NONE {
            return (None, clear);
        }
    }
    (None, clear)
}

#[test]
fn walks_go_where_they_go_in_double_precision() {
    let (mut arrived, mut unclear, mut all) = (0, 0, 0);
    for (k, (name, mesh, flags)) in meshes().iter().enumerate() {
        let case = case(k + 30, name, mesh, 0, *flags);
        let mut chance = Random(77);
        let starts: Vec<u32> = (0..RAYS)
            .map(|_| chance.below(case.shape.triangles.len()) as u32)
            .collect();
        let rays = case.rays(|p| starts[p]);
        let answer = step(
            &mut tracer(&case.packed),
            &Work {
                walk: &rays,
                ..work()
            },
        );
        for (ray, hits) in rays.iter().zip(&answer.walk) {
            let line = case.line(ray.point as usize);
            let (expected, clear) = walk(&case, &line, ray.start);
            let found = hits.ahead().or(hits.behind());
            all += 1;
            unclear += usize::from(!clear);
            arrived += usize::from(found.is_some());
            if clear {
                assert_eq!(
                    found.and_then(|hit| hit.number()),
                    expected,
                    "{name}, {ray:?}"
                );
            }
            // Wherever it ended, the line hits that triangle, there and not on the other side.
            let Some(hit) = found else { continue };
            assert!(hits.ahead().is_none() || hits.behind().is_none());
            let endless = oracle::Line {
                behind: f64::INFINITY,
                ahead: f64::INFINITY,
                ..line
            };
            let all = oracle::candidates(&endless, &case.shape, hit.number());
            oracle::judge(&all, hits).unwrap_or_else(|wrong| panic!("{name}, {ray:?}: {wrong}"));
        }
    }
    println!("{all} walks, {arrived} arrived, {unclear} could have gone another way");
    assert!(arrived > all / 10);
    assert!((unclear as f64) < 2.0 * UNCLEAR * all as f64);
}

#[test]
fn a_shape_against_itself_leaves_out_the_triangles_of_the_point() {
    for (k, (name, mesh, flags)) in meshes().iter().enumerate() {
        let shape = Shape::new(mesh);
        let mut packed = Packed::default();
        let object = turned(&mut Random(k as u64), *flags);
        shape.add_to(&mut packed, &object);
        let rays: Vec<Ray> = (0..shape.points.len() as u32)
            .map(|point| Ray {
                source: 0,
                point,
                target: 0,
                start: NONE,
            })
            .collect();
        let answer = step(
            &mut tracer(&packed),
            &Work {
                tree: &rays,
                basic: &rays,
                ..work()
            },
        );
        assert_eq!(answer.tree, answer.basic, "{name}");
        for (ray, hits) in rays.iter().zip(&answer.tree) {
            let (p, normal) = (shape.point(ray.point), &shape.normals[ray.point as usize]);
            let line = oracle::line(&object, &object, &p, normal, PREDICTION, Some(ray.point));
            let all = oracle::candidates(&line, &shape, 0..shape.triangles.len() as u32);
            oracle::judge(&all, hits).unwrap_or_else(|wrong| panic!("{name}, {ray:?}: {wrong}"));
        }
        if *flags == 0 {
            // A closed volume: every inner ray exits somewhere.
            assert!(
                answer
                    .tree
                    .iter()
                    .all(|hits| hits.ahead().is_some_and(|hit| hit.outward())),
                "{name}"
            );
        }
    }
}
