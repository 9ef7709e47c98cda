//! A chain of 64 points that moves: a whole mesh with normals, one thread. And a coil whose turns touch, with control of blending and without: the
//! source's extreme scene, eight times as slow there (Triquet 2001, section 5.3).
//!
//! `cargo bench -p hapticd-skin --bench chain`
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_geometry::Vec3;
use hapticd_skin::blend::Graph;
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive, Settings, Skin};

fn chain(radius_m: f64) -> Vec<Primitive> {
    let at = |i: u8| {
        let s = f64::from(i) / 63.0;
        0.62 * Vec3::new((6.0 * s).sin(), (9.0 * s + 0.5).sin(), (5.0 * s).cos())
    };
    (0..64).map(|i| Primitive::point(at(i), radius_m)).collect()
}

fn bench(c: &mut Criterion) {
    for (name, radius_m, cells) in [
        ("thick", 0.3, 32),
        ("thick", 0.3, 64),
        ("thick", 0.3, 128),
        ("thin", 0.1, 64),
        ("thin", 0.1, 128),
        ("thin", 0.1, 256),
    ] {
        let settings = Settings {
            domain: Domain::new(Vec3::repeat(-1.0), 2.0 / f64::from(cells), [cells; 3]).unwrap(),
            level: 0.35,
            ambiguity: Ambiguity::Separate,
        };
        let primitives = chain(radius_m);
        let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
        c.bench_function(&format!("{name} {cells}"), |b| {
            b.iter(|| skin.polygonize(&settings, black_box(&primitives), &mut mesh));
        });
    }
}

/// Four turns of radius 2.5 in 180 points of radius 1.
fn coil(pitch: f64) -> (Vec<Primitive>, Vec<f64>) {
    let turn = std::f64::consts::TAU;
    let step = 4.0 * (turn * 2.5).hypot(pitch) / 179.0;
    let at = |k: u8| {
        let s = f64::from(k) / 179.0 * 4.0;
        let (sin, cos) = (turn * s).sin_cos();
        Vec3::new(2.5 * cos, 2.5 * sin, pitch * (s - 2.0))
    };
    let points = (0..180).map(|k| Primitive::point(at(k), 1.0)).collect();
    (points, vec![step; 179])
}

fn control(c: &mut Criterion) {
    for pitch in [1.6, 1.1] {
        let cell = 0.27;
        let settings = Settings {
            domain: Domain::new(Vec3::repeat(-4.5), cell, [34; 3]).unwrap(),
            level: 0.5,
            ambiguity: Ambiguity::Separate,
        };
        let (primitives, steps) = coil(pitch);
        let mut graph = Graph::new();
        graph.strand(0, &steps, 2.0 + 3.0_f64.sqrt() * cell);
        let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
        c.bench_function(&format!("coil {pitch} free"), |b| {
            b.iter(|| skin.polygonize(&settings, black_box(&primitives), &mut mesh));
        });
        c.bench_function(&format!("coil {pitch} controlled"), |b| {
            let primitives = black_box(&primitives);
            b.iter(|| skin.polygonize_controlled(&settings, primitives, &graph, &mut mesh));
        });
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(40);
    targets = bench, control
}
criterion_main!(benches);
