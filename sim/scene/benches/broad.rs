//! Cost of the broad phases: boxes that drift through a region, by their number and by how many of
//! them move. `cargo bench -p hapticd-scene --bench broad`.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::SystemTime;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use hapticd_benchmarks::{detail, median_s, number};
use hapticd_geometry::{Aabb, SweptBox, Vec3};
use hapticd_scene::{BroadPhaseKind, broad_phase};

/// Number of steps of a millisecond, run to and fro.
const STEPS: usize = 50;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5)
    }
}

/// Boxes of 1 to 2 cm, eight per litre; one in `mover_of` moves at up to half a metre per second.
fn frames(count: usize, mover_of: usize) -> Vec<Vec<SweptBox>> {
    let mut random = Random(3);
    let side = 0.05 * (count as f64).cbrt();
    let bodies: Vec<(Vec3, Vec3, f64)> = (0..count)
        .map(|i| {
            let way = if i % mover_of == 0 {
                random.vector() * 1e-3
            } else {
                Vec3::zeros()
            };
            (random.vector() * side, way, 0.005 * (1.0 + random.unit()))
        })
        .collect();
    let at = |k: usize| {
        let t = (k % (2 * STEPS)).min(2 * STEPS - k % (2 * STEPS)) as f64;
        bodies
            .iter()
            .map(move |(at, way, half)| Aabb::about(&(at + way * t), *half))
    };
    (0..2 * STEPS)
        .map(|k| {
            at(k)
                .zip(at(k + 1))
                .map(|(start, end)| SweptBox { start, end })
                .collect()
        })
        .collect()
}

fn broad(c: &mut Criterion) {
    // By kind, in the order of the benchmarks.
    let mut medians = BroadPhaseKind::ALL.map(|_| Vec::new());
    for (name, mover_of) in [("all move", 1), ("one in twenty moves", 20)] {
        let mut group = c.benchmark_group(name);
        for count in [100, 1000, 10_000] {
            let frames = frames(count, mover_of);
            for (kind, medians) in BroadPhaseKind::ALL.into_iter().zip(&mut medians) {
                let (mut broad, mut pairs) = (broad_phase(kind), Vec::new());
                let id = BenchmarkId::new(broad.name(), count);
                let mut k = 0;
                let since = SystemTime::now();
                group.bench_function(id, |b| {
                    b.iter(|| {
                        broad.overlapping(black_box(&frames[k % frames.len()]), &mut pairs);
                        k += 1;
                        pairs.len()
                    });
                });
                medians.extend(median_s(since, &[name, broad.name(), &count.to_string()]));
            }
        }
        group.finish();
    }
    renew(&medians);
}

/// Renews the figures, if no filter left one out.
fn renew(medians: &[Vec<f64>]) {
    let of = |wanted: BroadPhaseKind| BroadPhaseKind::ALL.iter().position(|&kind| kind == wanted);
    let sweep = &medians[of(BroadPhaseKind::Sweep).expect("one of all")];
    if medians.iter().any(|all| all.len() != 6) {
        return;
    }
    for (kind, all) in BroadPhaseKind::ALL.iter().zip(medians) {
        let beside = all.iter().zip(sweep).map(|(s, sweep)| number(s / sweep));
        match kind {
            BroadPhaseKind::Sweep => {
                let us = sweep.iter().map(|s| number(1e6 * s));
                detail("5.1", "sweep, us", us.collect());
            }
            BroadPhaseKind::Kinetic => detail("5.1", "kinetic", beside.collect()),
            BroadPhaseKind::Registration => detail("5.1", "registration", beside.collect()),
        }
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(std::time::Duration::from_millis(400))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = broad
}
criterion_main!(benches);
