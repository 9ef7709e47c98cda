//! Ray queries: when they are used, what is reported without them, and their known pitfalls. All
//! other tests cover their results as well: with `HAPTICD_RAY_QUERIES=demanded` in the environment
//! all full traces of these tests use them, without it the other algorithms.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

use crate::common;

use common::{Random, Shape, body, choice, step, tracer};
use hapticd_geometry::{Vec3, shapes};
use hapticd_rays::layout::{DEFORMABLE, NONE, Normal, Object, Point, Ray, SHEET};
use hapticd_shaders::{
    Gpu, Hits, Kind, OpenError, Options, Packed, RayQueries, Tracer, Work, wgpu,
};

const FEATURE: wgpu::Features = wgpu::Features::EXPERIMENTAL_RAY_QUERY;

fn enough() -> wgpu::Limits {
    wgpu::Limits::defaults().using_minimum_supported_acceleration_structure_values()
}

#[test]
fn only_who_asks_gets_them_and_software_only_on_demand() {
    let none = wgpu::Features::empty();
    let decide = |wish: RayQueries, kind, features| {
        let decided = wish.decide("Toy", kind, features, &enough());
        decided.map_err(|error| error.to_string())
    };
    for kind in [Kind::Discrete, Kind::Integrated, Kind::Software] {
        let is_gpu = kind != Kind::Software;
        assert_eq!(decide(RayQueries::Off, kind, FEATURE), Ok(false));
        assert_eq!(decide(RayQueries::Hardware, kind, FEATURE), Ok(is_gpu));
        assert_eq!(decide(RayQueries::Hardware, kind, none), Ok(false));
        assert_eq!(decide(RayQueries::Demanded, kind, FEATURE), Ok(true));
        assert_eq!(
            decide(RayQueries::Demanded, kind, none),
            Err("adapter Toy has no ray queries: its EXPERIMENTAL_RAY_QUERY is 0".into())
        );
    }
    assert_eq!(RayQueries::default(), RayQueries::Off);
    assert_eq!(Options::from(choice()).ray_queries, RayQueries::Off);
}

#[test]
fn limits_that_are_nothing_are_named() {
    let limits = wgpu::Limits {
        max_tlas_instance_count: 0,
        ..enough()
    };
    let decide = |wish: RayQueries| wish.decide("Toy", Kind::Discrete, FEATURE, &limits);
    assert_eq!(decide(RayQueries::Hardware), Ok(false));
    assert_eq!(
        decide(RayQueries::Demanded).unwrap_err().to_string(),
        "adapter Toy has no ray queries: its max_tlas_instance_count is 0"
    );
}

/// On any adapter: WebGPU's own limits allow no acceleration structures.
#[test]
fn what_cannot_be_had_is_refused_when_it_is_demanded_and_done_without_otherwise() {
    let open = |ray_queries| {
        Gpu::open(Options {
            limits: Some(wgpu::Limits::defaults()),
            ray_queries,
            ..choice().into()
        })
    };
    let error = open(RayQueries::Demanded).unwrap_err();
    assert!(matches!(error, OpenError::NoRayQueries { .. }), "{error}");
    for wish in [RayQueries::Off, RayQueries::Hardware] {
        assert!(!open(wish).unwrap().ray_queries());
    }
}

#[test]
fn wishes_have_names() {
    for wish in [RayQueries::Off, RayQueries::Hardware, RayQueries::Demanded] {
        assert_eq!(wish.to_string().parse(), Ok(wish));
    }
    let error = "on".parse::<RayQueries>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`on` says nothing of ray queries: `off`, `hardware` or `demanded`"
    );
}

/// Ray queries only skip triangles that are not hit: the answers equal those through the tree and
/// over all triangles, ties and rounding included.
#[test]
fn the_answers_are_those_of_the_other_ways() {
    let mut chance = Random(11);
    for (mesh, flags) in [
        (shapes::torus(0.08, 0.03, 40, 18).unwrap(), 0),
        (shapes::sheet(0.1, 20).unwrap(), SHEET),
    ] {
        let shape = Shape::new(&mesh);
        let lines = (0..10_000).map(|_| looking(chance.vector() * 0.12, chance.direction()));
        let (points, normals) = lines.unzip();
        let mut packed = Packed::default();
        let near = Object {
            q: chance.turn(),
            t: [0.9, -0.8, 0.7],
            ..body(flags)
        };
        Shape::cloud(points, normals).add_to(&mut packed, &Object { flags: 0, ..near });
        shape.add_to(&mut packed, &near);
        // The same in the world, as a deformable.
        shape.add_to(&mut packed, &body(flags | DEFORMABLE));
        let rays = |target, clusters: u32| -> Vec<Ray> {
            (0..10_000)
                .map(|point| Ray {
                    source: 0,
                    point,
                    target,
                    // Half of them test one cluster only.
                    start: if clusters == 0 || point.is_multiple_of(2) {
                        NONE
                    } else {
                        point % clusters
                    },
                })
                .collect()
        };
        let (tree, basic) = (rays(1, 0), rays(2, 8));
        let work = Work {
            tree: &tree,
            basic: &basic,
            prediction: 0.05,
            ..Work::default()
        };
        // Near the deformable, which is at the origin: the cloud moves there for the second half.
        let mut at_origin = packed.clone();
        at_origin.objects[0] = Object {
            t: [0.01, 0.0, 0.0],
            ..at_origin.objects[0]
        };
        for packed in [packed, at_origin] {
            let mut plain = Tracer::new(Gpu::open(choice()).unwrap()).unwrap();
            plain.set_scene(&packed).unwrap();
            let expected = step(&mut plain, &work);
            let answer = step(&mut tracer(&packed), &work);
            println!(
                "tree and all triangles {:?} ns, by ray queries {:?} ns",
                expected.pass_ns, answer.pass_ns
            );
            let met = |all: &[Hits]| all.iter().filter(|hits| **hits != Hits::NOTHING).count();
            let some = met(&expected.tree) + met(&expected.basic);
            assert!(some > 1000, "{some}");
            assert!(answer.tree == expected.tree && answer.basic == expected.basic);
        }
    }
}

/// Distinguishes the algorithms: ray queries do not use trees, and a rigid shape is where it was
/// when the scene was set.
#[test]
fn they_are_asked_where_they_are_to_be() {
    let mut packed = Packed::default();
    let (point, normal) = looking(Vec3::new(0.01, 0.007, -0.05), Vec3::z());
    Shape::cloud(vec![point], vec![normal]).add_to(&mut packed, &body(0));
    let plate = Shape::new(&shapes::cuboid(&Vec3::new(0.1, 0.1, 0.01)).unwrap());
    plate.add_to(&mut packed, &body(0));
    for node in &mut packed.nodes {
        (node.low, node.high) = ([7.0; 3], [8.0; 3]);
    }
    let ray = Ray {
        source: 0,
        point: 0,
        target: 1,
        start: NONE,
    };
    let mut tracer = tracer(&packed);
    let asked = tracer.gpu().ray_queries();
    let met = |tracer: &mut Tracer| {
        let work = Work {
            tree: &[ray],
            basic: &[ray],
            ..Work::default()
        };
        let answer = step(tracer, &work);
        [&answer.tree, &answer.basic].map(|all| all[0].ahead().is_some())
    };
    assert_eq!(met(&mut tracer), [asked, true]);
    let mut moved = plate.points.clone();
    for point in &mut moved {
        point.x[0] += 1.0;
    }
    tracer.deform(1, &moved, &plate.normals).unwrap();
    // Nothing is there any more, and its new place is not reported.
    assert_eq!(met(&mut tracer), [false, false]);
    let ray_there = looking(Vec3::new(1.01, 0.007, -0.05), Vec3::z());
    tracer.deform(0, &[ray_there.0], &[ray_there.1]).unwrap();
    assert_eq!(met(&mut tracer), [false, !asked]);
}

fn to_f32(v: Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// A point with its ray along `d`.
fn looking(x: Vec3, d: Vec3) -> (Point, Normal) {
    let point = Point {
        x: to_f32(x),
        cluster: 0,
    };
    let normal = Normal {
        n: to_f32(-d),
        exit: f32::INFINITY,
    };
    (point, normal)
}

/// From outside through the edges and corners of a ball, rotated and off the origin: whichever
/// triangle is named, there is a hit, at the right place.
#[test]
fn no_line_slips_through_between_two_triangles() {
    const WAY: f64 = 0.02;
    let mut chance = Random(5);
    let ball = Shape::new(&shapes::icosphere(0.1, 3).unwrap());
    let place = Object {
        q: chance.turn(),
        t: [0.4, -0.3, 0.2],
        ..body(0)
    };
    let mut lines = Vec::new();
    for triangle in &ball.triangles {
        let [a, b, c] = ball.corners(triangle);
        let inward = -(b - a).cross(&(c - a)).normalize();
        for (from, to, share) in [(a, b, 0.0), (a, b, 0.5), (b, c, chance.signed().abs())] {
            // By 45 degrees at most.
            let d = (inward + chance.direction() * 0.7).normalize();
            let through = from + (to - from) * share;
            lines.push(looking(through - d * WAY, d));
        }
    }
    let (points, normals) = lines.into_iter().unzip();
    let cloud = Shape::cloud(points, normals);
    for flags in [0, DEFORMABLE] {
        // A deformable is where its points are.
        let at = if flags == 0 { place } else { body(flags) };
        let mut packed = Packed::default();
        cloud.add_to(&mut packed, &Object { flags: 0, ..at });
        ball.add_to(&mut packed, &at);
        let rays: Vec<Ray> = (0..cloud.points.len() as u32)
            .map(|point| Ray {
                source: 0,
                point,
                target: 1,
                start: NONE,
            })
            .collect();
        let work = if flags == 0 {
            Work {
                tree: &rays,
                ..Work::default()
            }
        } else {
            Work {
                basic: &rays,
                ..Work::default()
            }
        };
        let answer = step(&mut tracer(&packed), &work);
        let hits = answer.tree.iter().chain(&answer.basic);
        let lost: Vec<usize> = hits
            .enumerate()
            .filter(|(_, hits)| {
                let t = hits.ahead().map_or(f64::INFINITY, |hit| hit.t.into());
                (t - WAY).abs() > 2e-6
            })
            .map(|(k, _)| k)
            .collect();
        assert!(
            lost.is_empty(),
            "{} of {} lost, the first are {:?}",
            lost.len(),
            rays.len(),
            &lost[..lost.len().min(5)]
        );
    }
}

/// Many objects in one place, of two shapes, alternately rigid and deformable: each ray hits only
/// its own target, at the depth of that target's size.
#[test]
fn a_ray_meets_no_object_but_its_target() {
    let sizes = [0.05, 0.03];
    let balls = sizes.map(|size| Shape::new(&shapes::icosphere(size, 2).unwrap()));
    let mut packed = Packed::default();
    // Along x from inside the larger and from inside the smaller, with different distances to the
    // two.
    let [(from_large, along), (from_small, _)] =
        [0.04, 0.001].map(|x| looking(Vec3::new(x, 0.0, 0.0), Vec3::x()));
    let short = Normal {
        exit: 0.035,
        ..along
    };
    Shape::cloud(vec![from_large, from_small], vec![along, short]).add_to(&mut packed, &body(0));
    let count: u32 = 40;
    for k in 1..=count {
        let deforms = k.is_multiple_of(3);
        let moved = Object {
            // Only a rigid one is moved: the others' points are in the world.
            t: [if deforms { 0.0 } else { 0.0001 * k as f32 }, 0.0, 0.0],
            ..body(if deforms { DEFORMABLE } else { 0 })
        };
        balls[k as usize % 2].add_to(&mut packed, &moved);
    }
    let (mut tree, mut basic) = (Vec::new(), Vec::new());
    for target in 1..=count {
        let ray = Ray {
            source: 0,
            point: target % 2,
            target,
            start: NONE,
        };
        let list = if target.is_multiple_of(3) {
            &mut basic
        } else {
            &mut tree
        };
        list.push(ray);
    }
    let answer = step(
        &mut tracer(&packed),
        &Work {
            tree: &tree,
            basic: &basic,
            ..Work::default()
        },
    );
    let found = answer.tree.iter().chain(&answer.basic);
    for (ray, hits) in tree.iter().chain(&basic).zip(found) {
        let k = ray.target as usize;
        let shift = if k.is_multiple_of(3) {
            0.0
        } else {
            1e-4 * k as f64
        };
        // Between a corner and the middle of a face.
        let expected = sizes[k % 2] + shift - [0.04, 0.001][k % 2];
        let t = hits.ahead().map_or(f64::NAN, |hit| hit.t.into());
        assert!(
            t <= expected + 1e-6 && t > expected - 0.03 * sizes[k % 2],
            "{ray:?}: {t}, should be {expected}"
        );
    }
}
