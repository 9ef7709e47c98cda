//! Cost of one projection of a 6 degree-of-freedom tool on 32 contact rows, cold and warm.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_gauss::{Metric, Motion, Projector, Row, Vec3};
use nalgebra::Matrix3;

/// Rows of a tool resting in a bowl: 32 contacts around it, all nearly active.
fn bowl() -> Vec<Row> {
    (0..32)
        .map(|i| {
            let angle = f64::from(i) * 2.4;
            let tilt = 0.2 + 0.02 * f64::from(i);
            let outward = Vec3::new(
                angle.cos() * tilt.sin(),
                angle.sin() * tilt.sin(),
                -tilt.cos(),
            );
            let twist = Vec3::new(0.1 * angle.sin(), 0.05, 0.1 * angle.cos());
            Row {
                normal: (-outward + twist).normalize(),
                arm: outward * 0.02,
                bound: -1e-5 * f64::from(i % 5),
            }
        })
        .collect()
}

fn project(c: &mut Criterion) {
    let metric = Metric::new(0.1, &(Matrix3::identity() * 2e-5)).expect("a valid metric");
    let rows = bowl();
    let wanted = Motion::new(2e-4, -1e-4, -1e-3, 0.01, 0.02, -0.005);
    let mut projector = Projector::<64>::new();
    c.bench_function("project 32 rows, cold", |b| {
        b.iter(|| {
            projector.forget();
            projector.project(black_box(&metric), black_box(&wanted), black_box(&rows))
        });
    });
    c.bench_function("project 32 rows, warm", |b| {
        b.iter(|| projector.project(black_box(&metric), black_box(&wanted), black_box(&rows)));
    });
}

criterion_group!(benches, project);
criterion_main!(benches);
