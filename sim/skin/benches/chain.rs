//! A chain of 64 points that moves: a whole mesh with normals, one thread.
//!
//! `cargo bench -p hapticd-skin --bench chain`
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_geometry::Vec3;
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

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(40);
    targets = bench
}
criterion_main!(benches);
