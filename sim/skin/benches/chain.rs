//! Meshes a moving chain of 64 points with normals, on one thread. Also a coil with turns that
//! touch, with and without control of blending: the source's extreme scene, eight times as slow
//! there (Triquet 2001, section 5.3).
//!
//! `cargo bench -p hapticd-skin --bench chain`
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::SystemTime;

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_benchmarks::{Cell, median_s, number, ours};
use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Blending, Bulge, Graph};
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive, Settings, Skeleton, Skin};

fn chain(radius_m: f64) -> Vec<Primitive> {
    let at = |i: u8| {
        let s = f64::from(i) / 63.0;
        0.62 * Vec3::new((6.0 * s).sin(), (9.0 * s + 0.5).sin(), (5.0 * s).cos())
    };
    (0..64).map(|i| Primitive::point(at(i), radius_m)).collect()
}

fn bench(c: &mut Criterion) {
    let [mut all_move, mut one_moves] = [const { Vec::new() }; 2];
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
        let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
        // All move a little, back and forth: no brick is reused.
        let frames = [0.0, 1e-4].map(|by| moved(chain(radius_m), by));
        let all = every(c, &format!("{name} {cells}"), |k| {
            skin.polygonize(&settings, black_box(&frames[k]), &mut mesh)
        });
        // One in the middle moves; the rest is reused.
        let mut frames = [chain(radius_m), chain(radius_m)];
        frames[1][20] = moved(chain(radius_m), 1e-3)[20];
        let one = every(c, &format!("{name} {cells}, one of 64 moves"), |k| {
            skin.polygonize(&settings, black_box(&frames[k]), &mut mesh)
        });
        if matches!((name, cells), ("thick", 64 | 128) | ("thin", 256)) {
            all_move.push(all);
            one_moves.push(one);
        }
    }
    for (row, medians) in [("4.1", all_move), ("4.2", one_moves)] {
        // None if a filter left one of them out.
        if let Some(medians) = medians.into_iter().collect::<Option<Vec<f64>>>() {
            let ms: Vec<Cell> = medians.iter().map(|s| number(1e3 * s)).collect();
            ours(row, "ms", ms);
        }
    }
}

fn moved(mut primitives: Vec<Primitive>, by: f64) -> Vec<Primitive> {
    for primitive in &mut primitives {
        if let Skeleton::Point(c) = &mut primitive.skeleton {
            c.x += by;
        }
    }
    primitives
}

/// Times frame 0, frame 1, frame 0 and so on. Returns the median, s; `None` if a filter left it
/// out.
fn every<T>(c: &mut Criterion, name: &str, mut frame: impl FnMut(usize) -> T) -> Option<f64> {
    let since = SystemTime::now();
    let mut k = 0;
    c.bench_function(name, |b| {
        b.iter(|| {
            k = 1 - k;
            frame(k)
        });
    });
    median_s(since, &[name])
}

/// The source's scene of many drops (section 5.1; digest, 7.3): some 55 triangles each, all moving.
fn drops(c: &mut Criterion) {
    for count in [50_u32, 100, 200, 400] {
        // Spread by Knuth's linear congruential generator, x(k+1) = a x(k) + c.
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            20.0 * (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let drops: Vec<Primitive> = (0..count)
            .map(|_| Primitive::point(Vec3::new(next(), next(), next()), 1.0))
            .collect();
        let settings = Settings {
            domain: Domain::around(&drops, 0.5, 0.42).unwrap(),
            level: 0.5,
            ambiguity: Ambiguity::Separate,
        };
        let frames = [0.0, 1e-4].map(|by| moved(drops.clone(), by));
        let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
        skin.polygonize(&settings, &frames[0], &mut mesh).unwrap();
        let triangles = mesh.triangles.len();
        let median = every(c, &format!("{count} drops, {triangles} triangles"), |k| {
            skin.polygonize(&settings, black_box(&frames[k]), &mut mesh)
        });
        if let (200, Some(s)) = (count, median) {
            ours("4.7", "ms", number(1e3 * s));
        }
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
    let mut times = Vec::new();
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
        let frames = [0.0, 1e-4].map(|by| moved(primitives.clone(), by));
        let bulge = Bulge::new(0.1, 0.3, 0.15, 0.5).unwrap();
        let [free, controlled, _] = [
            ("free", Blending::Free),
            ("controlled", Blending::Inhibited(&graph)),
            ("bulging", Blending::Bulging(&graph, bulge)),
        ]
        .map(|(name, blending)| {
            every(c, &format!("coil {pitch} {name}"), |k| {
                skin.polygonize_by(&settings, black_box(&frames[k]), blending, &mut mesh)
            })
        });
        times.extend(controlled.zip(free).map(|(a, b)| number(a / b)));
    }
    if times.len() == 2 {
        ours("4.9", "times", times);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(40);
    targets = bench, drops, control
}
criterion_main!(benches);
