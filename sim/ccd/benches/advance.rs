//! Time of one `advance` call in the cases that occur in the 1 kHz loop.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_ccd::advance::{AdvanceLimits, advance_bound};
use hapticd_ccd::{FeaturePair, MotionBound, PairKind, closest};
use hapticd_geometry::Vec3;
use hapticd_geometry::screw::Screw;

fn bench(c: &mut Criterion) {
    let floor = [
        Vec3::new(-0.01, -0.01, 0.0),
        Vec3::new(0.01, -0.01, 0.0),
        Vec3::new(0.0, 0.01, 0.0),
    ];
    let above = |h: f64| {
        [
            Vec3::new(0.001, 0.002, h),
            Vec3::new(0.011, 0.002, h + 0.001),
            Vec3::new(0.003, 0.009, h + 0.004),
        ]
    };
    let slide = Screw {
        angle: 1e-3,
        translation: 5e-4,
        point: Vec3::new(0.03, 0.02, 0.05),
        axis: Vec3::new(0.6, 0.0, 0.8),
    };
    let push = Screw {
        angle: 1e-3,
        translation: -2e-3,
        point: Vec3::new(0.03, 0.02, 0.05),
        axis: Vec3::z(),
    };
    for (name, kind) in [
        ("vf", PairKind::VertexFace),
        ("fv", PairKind::FaceVertex),
        ("ee", PairKind::EdgeEdge),
    ] {
        let (far, near) = (above(3e-3), above(1e-3));
        let (a, b) = if kind == PairKind::FaceVertex {
            (floor.map(|p| p + Vec3::z() * 0.02), far)
        } else {
            (far, floor)
        };
        let bound = MotionBound::new(&slide);
        let warm = Some(closest(kind, &a, &b).normal);
        c.bench_function(&format!("{name} clear, first direction"), |bench| {
            bench.iter(|| {
                advance_bound(
                    FeaturePair {
                        kind,
                        a: black_box(&a),
                        b: black_box(&b),
                    },
                    &bound,
                    AdvanceLimits {
                        threshold: 1e-5,
                        t_max: 1.0,
                        max_steps: 8,
                    },
                    None,
                )
            });
        });
        c.bench_function(&format!("{name} clear, warm"), |bench| {
            bench.iter(|| {
                advance_bound(
                    FeaturePair {
                        kind,
                        a: black_box(&a),
                        b: black_box(&b),
                    },
                    &bound,
                    AdvanceLimits {
                        threshold: 1e-5,
                        t_max: 1.0,
                        max_steps: 8,
                    },
                    warm,
                )
            });
        });
        let bound = MotionBound::new(&push);
        c.bench_function(&format!("{name} push"), |bench| {
            bench.iter(|| {
                advance_bound(
                    FeaturePair {
                        kind,
                        a: black_box(&near),
                        b: black_box(&floor),
                    },
                    &bound,
                    AdvanceLimits {
                        threshold: 1e-5,
                        t_max: 1.0,
                        max_steps: 8,
                    },
                    None,
                )
            });
        });
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);
