//! Time to verify one step of a path: a 10,000-triangle tool over a 200,000-triangle ground.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_ccd::{FirstContactOptions, MeshIndex, first_contact};
use hapticd_geometry::{Pose, Screw, Vec3, shapes};

fn bench(c: &mut Criterion) {
    let ground = shapes::terrain([0.5, 0.5], 224, 0.02, 0.05, 7).expect("valid sizes");
    let ground = MeshIndex::new(ground);
    let torus = MeshIndex::new(shapes::torus(0.08, 0.03, 100, 50).expect("valid sizes"));
    let options = FirstContactOptions::default();
    let start = Pose::translation(0.05, 0.02, 0.08);
    let at = start.translation.vector;
    for (name, d, w) in [
        ("tick of 1 mm, far", Vec3::new(1e-3, 0.0, 0.0), 0.01),
        ("fall of 0.2 m", Vec3::new(0.1, 0.0, -0.2), 0.5),
        ("fall of 5 m", Vec3::new(0.1, 0.0, -5.0), 2.0),
    ] {
        let screw = Screw::from_twist(&d, &Vec3::new(0.3 * w, 0.1 * w, w), &at);
        let (contact, counters) = first_contact(&torus, &ground, &start, &screw, &options);
        let t = contact.map_or(f64::NAN, |c| c.t);
        let boxes = counters.boxes_final;
        c.bench_function(
            &format!("{name}: contact at {t:.4}, {boxes} boxes"),
            |bench| {
                bench.iter(|| first_contact(&torus, &ground, black_box(&start), &screw, &options));
            },
        );
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
