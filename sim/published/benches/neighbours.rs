//! Cost of neighbours by registration: one step of points (moves, lists, pairs within a radius) by
//! the number of points and by the size of the environment, compared with a grid, a hash and a
//! tree.
//!
//! `cargo bench -p hapticd-published --bench neighbours`. With `WAY="volume, crowds, hash, 1
//! radii"` only that method runs on that scene, for as many steps as `STEPS` says: for `valgrind
//! --tool=callgrind --toggle-collect='*go_through*'`.
#![allow(missing_docs)]
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use common::Random;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use hapticd_benchmarks::{Cell, detail, number, ours};
use hapticd_geometry::Vec3;
use hapticd_published::baselines::{ByGrid, ByHash, ByRegistration, Neighbours, Pairs};
use hapticd_registration::map::Map;
use hapticd_registration::registration::{Kind, Policy, Registration};
use hapticd_registration::scale::Density;

#[path = "../../registration/benches/common/mod.rs"]
mod common;
#[path = "../tests/common/tree.rs"]
mod tree;

/// A scene: points that oscillate by a tenth of the radius per step, so that about a tenth of them
/// change cells.
struct Scene {
    frames: Vec<Vec<Vec3>>,
    side: f64,
    radius: f64,
    flat: bool,
}

impl Scene {
    fn new(count: usize, side: f64, radius: f64, flat: bool, crowded: bool) -> Self {
        let mut random = Random(7);
        let half = Vec3::new(1.0, 1.0, if flat { 0.0 } else { 1.0 });
        let mut at: Vec<Vec3> = (0..count)
            .map(|i| {
                if crowded && i % 10 < 5 {
                    // Half of them in crowds two radii across.
                    let mut centre = Random(100 + (i / 10 % 8) as u64);
                    let c = centre.vector(flat) * (side * 0.9) + half * (side * 0.05);
                    c + (random.vector(flat) - half * 0.5) * (2.0 * radius)
                } else {
                    random.vector(flat) * (side * 0.999) + half * (side * 0.0005)
                }
            })
            .collect();
        let speeds: Vec<Vec3> = (0..count)
            .map(|_| (random.vector(flat) - half * 0.5) * (0.2 * radius))
            .collect();
        let inside = |x: f64| x > 1e-6 * side && x < side * (1.0 - 1e-6);
        let mut frames = vec![at.clone()];
        for _ in 0..20 {
            for (p, v) in at.iter_mut().zip(&speeds) {
                let to = *p + v;
                if (0..if flat { 2 } else { 3 }).all(|i| inside(to[i])) {
                    *p = to;
                }
            }
            frames.push(at.clone());
        }
        Scene {
            frames,
            side,
            radius,
            flat,
        }
    }

    fn map(&self, width: f64) -> Map {
        let n = (self.side / width).round() as usize;
        if self.flat {
            Map::grid_2d(Vec3::zeros(), width, [n, n]).unwrap()
        } else {
            Map::grid_3d(Vec3::zeros(), width, [n; 3]).unwrap()
        }
    }

    /// Registration with cells of this many radii. With `split`, larger cells are refined to one
    /// radius.
    fn ours(&self, radii: usize, split: Option<usize>) -> ByRegistration {
        let registration =
            Registration::new(self.map(self.radius * radii as f64), Policy::Tolerate);
        let density = split.map(|split| Density {
            kind: Kind::Point,
            split,
            merge: split / 2,
            finest: radii.ilog2() as u8,
            coarsest: 0,
            budget: 64,
            balanced: false,
        });
        let mut ours =
            ByRegistration::new(registration, &self.frames[0], self.radius, density).unwrap();
        for _ in 0..200 {
            ours.update(&self.frames[0]).unwrap();
        }
        ours
    }

    fn all(&self) -> Vec<(String, Box<dyn Neighbours>)> {
        let at = &self.frames[0];
        let high = Vec3::new(
            self.side,
            self.side,
            if self.flat { 0.0 } else { self.side },
        );
        let mut all: Vec<(String, Box<dyn Neighbours>)> = Vec::new();
        for radii in HASHES {
            let width = radii * self.radius;
            let hash = ByHash::new(at, self.radius, width, self.flat).unwrap();
            all.push((format!("hash, {radii} radii"), Box::new(hash)));
        }
        let others: Vec<(String, Box<dyn Neighbours>)> = vec![
            (
                "grid".into(),
                Box::new(ByGrid::new(Vec3::zeros(), high, at, self.radius).unwrap()),
            ),
            (
                "tree".into(),
                Box::new(tree::ByTree::new(at, self.radius).unwrap()),
            ),
            (
                "registration, one level".into(),
                Box::new(self.ours(1, None)),
            ),
        ];
        all.extend(others);
        for radii in [4, 8] {
            for split in [16, 32] {
                let name = format!("registration, {radii} radii, split {split}");
                all.push((name, Box::new(self.ours(radii, Some(split)))));
            }
        }
        all
    }
}

/// Widths of the hash's cells; the others are compared with the best of them.
const HASHES: [f64; 5] = [0.5, 1.0, 1.5, 2.0, 3.0];

/// Runs all methods in turns, so that other load on the machine affects all alike. Prints the
/// medians of many passes over ten frames, per step, and the median of the ratios to the best hash
/// of the same turn. Returns those ratios of registration: with cells by density in its best
/// setting, and with cells of one width.
fn in_turns(name: &str, scene: &Scene) -> [f64; 2] {
    let mut all = scene.all();
    let mut took = vec![Vec::new(); all.len()];
    let mut updates = vec![Vec::new(); all.len()];
    let mut out = Pairs::new();
    for _ in 0..turns() {
        for (k, (_, way)) in all.iter_mut().enumerate() {
            let begin = Instant::now();
            let mut update = Duration::ZERO;
            for i in 0..10 {
                let begin = Instant::now();
                way.update(black_box(&scene.frames[walk(i, 6)])).unwrap();
                update += begin.elapsed();
                way.pairs(&mut out);
                black_box(out.len());
            }
            let all = begin.elapsed().as_secs_f64();
            took[k].push(all / 10.0);
            updates[k].push(update.as_secs_f64() / all);
        }
    }
    let best = (0..HASHES.len())
        .min_by(|&i, &j| median(&took[i]).total_cmp(&median(&took[j])))
        .unwrap();
    let [mut by_density, mut one_level] = [f64::INFINITY; 2];
    for (k, (way, _)) in all.iter().enumerate() {
        let us = 1e6 * median(&took[k]);
        let ratios: Vec<f64> = took[k]
            .iter()
            .zip(&took[best])
            .map(|(a, b)| a / b)
            .collect();
        let beside = median(&ratios);
        let update = 100.0 * median(&updates[k]);
        match way.strip_prefix("registration, ") {
            Some("one level") => one_level = beside,
            Some(_) => by_density = by_density.min(beside),
            None => {}
        }
        println!(
            "in turns, {name}, {way}: {us:.0} us, {update:.0} % of it updates, {beside:.2} of the best hash"
        );
    }
    [by_density, one_level]
}

/// Number of turns: 41, or as set in the environment.
fn turns() -> usize {
    let asked = std::env::var("TURNS").ok();
    asked.and_then(|n| n.parse().ok()).unwrap_or(41)
}

fn median(times: &[f64]) -> f64 {
    let mut sorted = times.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// Frame number of a walk forth and back.
fn walk(i: usize, frames: usize) -> usize {
    let k = i % (2 * frames - 2);
    if k < frames { k } else { 2 * frames - 2 - k }
}

/// Runs one method on one scene for as many steps as the environment sets, and nothing else.
fn one_way(name: &str, scene: &Scene, wanted: &str) {
    let asked = std::env::var("STEPS").ok();
    let steps = asked.and_then(|n| n.parse().ok()).unwrap_or(20);
    for (way, mut neighbours) in scene.all() {
        if format!("{name}, {way}") == wanted {
            go_through(scene, neighbours.as_mut(), steps);
        }
    }
}

/// The code that an instruction counter measures.
#[inline(never)]
fn go_through(scene: &Scene, way: &mut dyn Neighbours, steps: usize) {
    let mut out = Pairs::new();
    for i in 0..steps {
        way.update(black_box(&scene.frames[walk(i, 6)])).unwrap();
        way.pairs(&mut out);
        black_box(out.len());
    }
}

fn steps(c: &mut Criterion) {
    let mut ratios = Vec::new();
    for (name, flat, crowded, side) in [
        ("plane, uniform", true, false, 64.0),
        ("plane, crowds", true, true, 256.0),
        ("volume, uniform", false, false, 16.0),
        ("volume, crowds", false, true, 32.0),
    ] {
        let scene = Scene::new(4_000, side, 1.0, flat, crowded);
        if let Ok(wanted) = std::env::var("WAY") {
            if wanted.starts_with(name) {
                one_way(name, &scene, &wanted);
            }
            continue;
        }
        ratios.push(in_turns(name, &scene));
        let mut group = c.benchmark_group(name);
        for (way, mut neighbours) in scene.all() {
            let mut out = Pairs::new();
            let mut i = 0;
            group.bench_function(format!("{way}, update"), |b| {
                b.iter(|| {
                    i += 1;
                    neighbours
                        .update(black_box(&scene.frames[walk(i, 21)]))
                        .unwrap();
                });
            });
            group.bench_function(format!("{way}, pairs"), |b| {
                b.iter(|| {
                    neighbours.pairs(&mut out);
                    black_box(out.len())
                });
            });
        }
    }
    if let [plane, plane_crowds, volume, volume_crowds] = ratios[..] {
        for (what, plane, volume) in [
            ("uniform", plane, volume),
            ("crowds", plane_crowds, volume_crowds),
        ] {
            let one_level = vec![number(plane[1]), number(volume[1])];
            let cells = vec![
                number(plane[0]),
                number(volume[0]),
                Cell::Several(one_level),
            ];
            detail("5.6", what, cells);
        }
        let by_density = [plane, plane_crowds, volume, volume_crowds].map(|ratio| ratio[0]);
        ours("5.6", "", Cell::range(&by_density));
    }
}

/// Cost by the number of points at one density, and by the size of the environment at one number.
fn growth(c: &mut Criterion) {
    if std::env::var("WAY").is_ok() {
        return;
    }
    let mut group = c.benchmark_group("update by points");
    for count in [500, 1_000, 2_000, 4_000, 8_000] {
        let side = ((count as f64 / 1_000.0).sqrt() * 32.0).round();
        let scene = Scene::new(count, side, 1.0, true, false);
        update(&mut group, count, &scene);
    }
    group.finish();
    let mut group = c.benchmark_group("update by environment");
    for side in [32, 100, 316, 1_000] {
        // All at the same place, whatever is around.
        let small = Scene::new(1_000, 31.5, 1.0, true, false);
        let scene = Scene {
            side: f64::from(side),
            ..small
        };
        update(&mut group, side as usize, &scene);
    }
}

fn update(
    group: &mut criterion::BenchmarkGroup<'_, criterion::measurement::WallTime>,
    id: usize,
    scene: &Scene,
) {
    let mut ours = scene.ours(1, None);
    let mut i = 0;
    group.bench_function(BenchmarkId::from_parameter(id), |b| {
        b.iter(|| {
            i += 1;
            ours.update(black_box(&scene.frames[walk(i, 21)])).unwrap();
        });
    });
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .sample_size(20)
        .without_plots();
    targets = steps, growth
}
criterion_main!(benches);
