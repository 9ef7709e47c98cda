//! Time to verify one step of a path: a 10,000-triangle tool over a 200,000-triangle ground.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_ccd::MeshIndex;
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_geometry::{Pose, Screw, Vec3, shapes};

fn bench(c: &mut Criterion) {
    let ground = shapes::terrain([0.5, 0.5], 224, 0.02, 0.05, 7).expect("valid sizes");
    let ground = MeshIndex::new(ground);
    let torus = MeshIndex::new(shapes::torus(0.08, 0.03, 100, 50).expect("valid sizes"));
    let still = Motion::still(&Pose::identity());
    let mut search = MovingSearch::new(64);
    let start = Pose::translation(0.05, 0.02, 0.08);
    let at = start.translation.vector;
    for (name, d, w) in [
        ("tick of 1 mm, far", Vec3::new(1e-3, 0.0, 0.0), 0.01),
        ("fall of 0.2 m", Vec3::new(0.1, 0.0, -0.2), 0.5),
        ("fall of 5 m", Vec3::new(0.1, 0.0, -5.0), 2.0),
    ] {
        let screw = Screw::from_twist(&d, &Vec3::new(0.3 * w, 0.1 * w, w), &at);
        let motion = Motion::screw(&start, &screw);
        let body = |shape, motion| MovingBody {
            shape,
            motion,
            radius_m: 0.0,
        };
        let (tool, standing) = (body(&torus, &motion), body(&ground, &still));
        let before = search.counters().boxes;
        let t = search.first_contact(&tool, &standing, 1e-5, 1.0).free_until;
        let boxes = search.counters().boxes - before;
        c.bench_function(
            &format!("{name}: free until {t:.4}, {boxes} boxes"),
            |bench| {
                bench.iter(|| search.first_contact(black_box(&tool), &standing, 1e-5, 1.0));
            },
        );
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
