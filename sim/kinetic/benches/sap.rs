//! One step of sweep-and-prune: ours, an insertion sort kept from step to step, and a sweep made anew, of the same boxes.
//!
//! All three are told the same lines in each step. First they take turns, of twenty steps, so that what else the machine does meets all of them; medians and worst are printed. Then criterion
//! measures each by itself.
//!
//! `cargo bench -p hapticd-kinetic --bench sap`
#![allow(missing_docs)]
#![allow(clippy::print_stdout)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use hapticd_kinetic::sap::{Lines, Pair, PairSet};
use hapticd_kinetic::{Kinetic, Sap};

const H: f64 = 1e-3;

struct Rng(u64);

impl Rng {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Boxes of 6 to 12 cm in a room with a body for every 8 litres, at random velocities; they turn round at the walls.
struct Scene {
    half: Vec<[f64; 3]>,
    centre: Vec<[f64; 3]>,
    velocity: Vec<[f64; 3]>,
    room: f64,
    lines: Vec<Lines>,
    movers: usize,
}

impl Scene {
    fn new(bodies: usize, speed: f64, movers: usize) -> Self {
        let mut rng = Rng(1);
        let room = 0.1 * (bodies as f64).cbrt();
        let mut three = |low: f64, high: f64| [0; 3].map(|_| low + (high - low) * rng.unit());
        let mut scene = Self {
            half: (0..bodies).map(|_| three(0.03, 0.06)).collect(),
            centre: (0..bodies).map(|_| three(-room, room)).collect(),
            velocity: (0..bodies).map(|_| three(-speed, speed)).collect(),
            room,
            lines: vec![Lines::still(&[[0.0; 2]; 3]); bodies],
            movers,
        };
        for b in 0..bodies {
            scene.lines[b] = Lines::still(&scene.bounds(b));
        }
        scene
    }

    fn bounds(&self, b: usize) -> [[f64; 2]; 3] {
        [0, 1, 2].map(|k| {
            [
                self.centre[b][k] - self.half[b][k],
                self.centre[b][k] + self.half[b][k],
            ]
        })
    }

    fn go(&mut self) {
        for b in 0..self.movers {
            for k in 0..3 {
                self.centre[b][k] += self.velocity[b][k] * H;
                if self.centre[b][k].abs() > self.room {
                    self.velocity[b][k] = -self.velocity[b][k].abs() * self.centre[b][k].signum();
                }
            }
            self.lines[b].start = self.lines[b].end;
            self.lines[b].end = self.bounds(b);
        }
    }
}

fn swept(l: &Lines) -> [[f64; 2]; 3] {
    [0, 1, 2].map(|k| {
        [
            l.start[k][0].min(l.end[k][0]),
            l.start[k][1].max(l.end[k][1]),
        ]
    })
}

/// A sweep along one axis, made anew in every step.
#[derive(Default)]
struct Rebuilt {
    order: Vec<(f64, u32)>,
    boxes: Vec<([[f64; 2]; 3], u32)>,
    pairs: Vec<Pair>,
}

impl Rebuilt {
    fn step(&mut self, lines: &[Lines]) -> usize {
        self.order.clear();
        self.order.extend(
            lines
                .iter()
                .enumerate()
                .map(|(b, l)| (l.start[0][0].min(l.end[0][0]), b as u32)),
        );
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        self.boxes.clear();
        self.boxes.extend(
            self.order
                .iter()
                .map(|&(_, b)| (swept(&lines[b as usize]), b)),
        );
        self.pairs.clear();
        for k in 0..self.boxes.len() {
            let (a, i) = self.boxes[k];
            for &(b, j) in &self.boxes[k + 1..] {
                if b[0][0] > a[0][1] {
                    break;
                }
                if a[1][0] <= b[1][1]
                    && b[1][0] <= a[1][1]
                    && a[2][0] <= b[2][1]
                    && b[2][0] <= a[2][1]
                {
                    self.pairs.push((i.min(j), i.max(j)));
                }
            }
        }
        self.pairs.len()
    }
}

/// The endpoints of three axes kept in order from step to step, of boxes swept over the step; pairs at once.
struct Incremental {
    boxes: Vec<[[f64; 2]; 3]>,
    order: [Vec<u32>; 3],
    keys: Vec<f64>,
    pairs: PairSet,
}

impl Incremental {
    fn new(lines: &[Lines]) -> Self {
        let boxes: Vec<_> = lines.iter().map(swept).collect();
        let order = [0, 1, 2].map(|axis| {
            let mut order: Vec<u32> = (0..2 * lines.len() as u32).collect();
            let key = |e: u32| boxes[e as usize / 2][axis][e as usize % 2];
            order.sort_by(|&a, &b| key(a).total_cmp(&key(b)).then((a & 1).cmp(&(b & 1))));
            order
        });
        let mut rebuilt = Rebuilt::default();
        rebuilt.step(lines);
        let mut pairs = PairSet::with_capacity(8 * lines.len());
        for p in rebuilt.pairs {
            pairs.insert(p);
        }
        let keys = vec![0.0; 2 * lines.len()];
        Self {
            boxes,
            order,
            keys,
            pairs,
        }
    }

    fn step(&mut self, lines: &[Lines]) -> usize {
        for (to, l) in self.boxes.iter_mut().zip(lines) {
            *to = swept(l);
        }
        for axis in 0..3 {
            let order = &mut self.order[axis];
            for (key, &e) in self.keys.iter_mut().zip(order.iter()) {
                *key = self.boxes[e as usize / 2][axis][e as usize % 2];
            }
            for k in 1..order.len() {
                let (key, e) = (self.keys[k], order[k]);
                if key > self.keys[k - 1] {
                    continue;
                }
                let mut m = k;
                while m > 0 {
                    let (f, other) = (order[m - 1], self.keys[m - 1]);
                    if !(key < other || (key == other && e & 1 < f & 1)) {
                        break;
                    }
                    if (e ^ f) & 1 == 1 {
                        let (i, j) = (e.min(f) / 2, e.max(f) / 2);
                        if e & 1 == 0 {
                            let (a, b) = (&self.boxes[i as usize], &self.boxes[j as usize]);
                            if (0..3).all(|y| a[y][0] <= b[y][1] && b[y][0] <= a[y][1]) {
                                self.pairs.insert((i, j));
                            }
                        } else {
                            self.pairs.remove((i, j));
                        }
                    }
                    order[m] = f;
                    self.keys[m] = other;
                    m -= 1;
                }
                order[m] = e;
                self.keys[m] = key;
            }
        }
        self.pairs.list().len()
    }
}

fn ours(sap: &mut Sap, scene: &Scene) -> usize {
    sap.set_all(&scene.lines[..scene.movers])
        .expect("bodies that are there");
    let report = sap.step(H).expect("bounds in order");
    sap.advance(H).expect("a step that was made");
    black_box(report);
    sap.pairs().len()
}

fn started(scene: &Scene) -> Sap {
    let mut sap = Sap::new(scene.lines.len());
    sap.reserve(8 * scene.lines.len());
    for (b, l) in scene.lines.iter().enumerate() {
        sap.set(b as u32, l).expect("a body that is there");
    }
    sap.step(H).expect("bounds in order");
    sap
}

fn timed(f: impl FnOnce() -> usize) -> Duration {
    let start = Instant::now();
    black_box(f());
    start.elapsed()
}

/// Median, mean, worst, in microseconds.
fn figures(times: &mut [Duration]) -> [f64; 3] {
    times.sort_unstable();
    let us = |d: Duration| d.as_secs_f64() * 1e6;
    let mean = us(times.iter().sum()) / times.len() as f64;
    [us(times[times.len() / 2]), mean, us(times[times.len() - 1])]
}

/// Bodies, speed in m/s, how many move.
const SCENES: [(usize, f64, usize); 10] = [
    (20, 1.0, 20),
    (60, 1.0, 60),
    (200, 1.0, 200),
    (10_000, 0.0001, 10_000),
    (10_000, 0.001, 10_000),
    (10_000, 0.01, 10_000),
    (10_000, 0.1, 10_000),
    (10_000, 1.0, 10_000),
    (10_000, 0.1, 1_000),
    (10_000, 0.1, 100),
];

fn turns() {
    println!(
        "bodies, speed m/s, movers: exchanges, awake, pairs; us a step, median (mean, worst): ours, insertion sort, sweep anew; ratios"
    );
    for (bodies, speed, movers) in SCENES {
        let mut scenes = [(); 3].map(|()| Scene::new(bodies, speed, movers));
        let (mut sap, mut kept, mut anew) = (
            started(&scenes[0]),
            Incremental::new(&scenes[1].lines),
            Rebuilt::default(),
        );
        let mut times = [const { Vec::new() }; 3];
        let mut awake = 0;
        let steps = if bodies > 1000 { 400 } else { 4000 };
        // In turns of twenty steps: what one has in the caches it may keep for that long.
        for turn in 0..steps / 20 {
            for method in (0..3).map(|m| (m + turn) % 3) {
                for _ in 0..20 {
                    let scene = &mut scenes[method];
                    scene.go();
                    times[method].push(timed(|| match method {
                        0 => ours(&mut sap, scene),
                        1 => kept.step(&scene.lines),
                        _ => anew.step(&scene.lines),
                    }));
                    if method == 0 {
                        awake += sap.last_report().awake;
                    }
                }
            }
        }
        let swaps = sap.stats().internal[2];
        let [a, b, c] = times.each_mut().map(|t| figures(t));
        let text = |[median, mean, worst]: [f64; 3]| format!("{median:.2} ({mean:.2}, {worst:.0})");
        println!(
            "{bodies:6} {speed:7} {movers:6}: {:9.1} {:8.1} {:6}; {} {} {}; {:.2} {:.2}",
            swaps as f64 / f64::from(steps as u32),
            awake as f64 / f64::from(steps as u32),
            sap.pairs().len(),
            text(a),
            text(b),
            text(c),
            b[0] / a[0],
            c[0] / a[0],
        );
    }
}

fn bench(c: &mut Criterion) {
    turns();
    for (bodies, speed, movers) in [
        (200, 1.0, 200),
        (10_000, 0.001, 10_000),
        (10_000, 0.01, 10_000),
    ] {
        let mut group = c.benchmark_group(format!("{bodies} bodies, {speed} m/s, {movers} move"));
        let mut run = |name: &str, step: &mut dyn FnMut(&Scene) -> usize| {
            let mut scene = Scene::new(bodies, speed, movers);
            group.bench_function(name, |b| {
                b.iter_custom(|count| {
                    (0..count)
                        .map(|_| {
                            scene.go();
                            timed(|| step(&scene))
                        })
                        .sum()
                });
            });
        };
        let scene = Scene::new(bodies, speed, movers);
        let mut sap = started(&scene);
        run("ours", &mut |s| ours(&mut sap, s));
        let mut kept = Incremental::new(&scene.lines);
        run("insertion sort", &mut |s| kept.step(&s.lines));
        let mut anew = Rebuilt::default();
        run("sweep anew", &mut |s| anew.step(&s.lines));
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20).measurement_time(Duration::from_secs(2)).warm_up_time(Duration::from_millis(300));
    targets = bench
}
criterion_main!(benches);
