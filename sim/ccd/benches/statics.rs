//! Two static meshes of 70,000 triangles: all intersecting pairs, whether any exists, and their
//! distance. `peers` runs the same in other libraries.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::{MeshIndex, Proximity};
use hapticd_geometry::{Pose, Quat, Vec3, shapes};

fn bench(c: &mut Criterion) {
    let torus = MeshIndex::new(shapes::torus(0.3, 0.1, 265, 132).expect("valid"));
    let turn = Quat::from_scaled_axis(Vec3::new(1.2, 0.3, -0.2));
    let at = |x: f64| Pose::from_parts(Vec3::new(x, 0.05, 0.02).into(), turn);
    let (across, apart) = (at(0.1), at(0.9));
    let mut search = Intersections::default();
    let pairs = search.all(&torus, &torus, &across).len();
    c.bench_function(&format!("all {pairs} intersecting pairs"), |bench| {
        bench.iter(|| search.all(&torus, &torus, black_box(&across)).len());
    });
    c.bench_function("any intersecting pair", |bench| {
        bench.iter(|| search.any(&torus, &torus, black_box(&across)));
    });
    let mut proximity = Proximity::new(16);
    let distance = |p: &mut Proximity| p.query(&torus, 0.0, &torus, &apart, 10.0).pairs[0].distance;
    let gap = distance(&mut proximity);
    c.bench_function(&format!("distance, {gap:.4} m"), |bench| {
        bench.iter(|| distance(black_box(&mut proximity)));
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
