//! Boxes that move in a room, and two reference methods for their overlaps that are not kinetic.

use super::Rng;
use hapticd_kinetic::sap::{Lines, Pair, PairSet};
use hapticd_kinetic::{Kinetic, Sap};

/// Length of a step, s.
pub const H: f64 = 1e-3;

/// Boxes of 6 to 12 cm in a room with a body for every 8 litres, at random velocities; they turn
/// back at the walls.
pub struct Scene {
    half: Vec<[f64; 3]>,
    centre: Vec<[f64; 3]>,
    velocity: Vec<[f64; 3]>,
    room: f64,
    pub lines: Vec<Lines>,
    pub movers: usize,
}

impl Scene {
    pub fn new(seed: u64, bodies: usize, speed: f64, movers: usize) -> Self {
        let mut rng = Rng(seed);
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

    pub fn bounds(&self, b: usize) -> [[f64; 2]; 3] {
        [0, 1, 2].map(|k| {
            [
                self.centre[b][k] - self.half[b][k],
                self.centre[b][k] + self.half[b][k],
            ]
        })
    }

    pub fn go(&mut self) {
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

pub fn swept(l: &Lines) -> [[f64; 2]; 3] {
    [0, 1, 2].map(|k| {
        [
            l.start[k][0].min(l.end[k][0]),
            l.start[k][1].max(l.end[k][1]),
        ]
    })
}

/// A sweep along one axis, rebuilt in every step.
#[derive(Default)]
pub struct Rebuilt {
    order: Vec<(f64, u32)>,
    boxes: Vec<([[f64; 2]; 3], u32)>,
    pub pairs: Vec<Pair>,
}

impl Rebuilt {
    pub fn step(&mut self, lines: &[Lines]) -> usize {
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

/// The endpoints of three axes kept in order from step to step, for boxes swept over the step;
/// pairs change at once.
pub struct Incremental {
    boxes: Vec<[[f64; 2]; 3]>,
    order: [Vec<u32>; 3],
    keys: Vec<f64>,
    pairs: PairSet,
}

impl Incremental {
    pub fn new(lines: &[Lines]) -> Self {
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

    pub fn step(&mut self, lines: &[Lines]) -> usize {
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

pub fn ours(sap: &mut Sap, scene: &Scene) -> usize {
    sap.set_all(&scene.lines[..scene.movers])
        .expect("bodies that are there");
    sap.step(H).expect("bounds in order");
    sap.advance(H).expect("a step that was made");
    sap.pairs().len()
}

pub fn started(scene: &Scene) -> Sap {
    let mut sap = Sap::new(scene.lines.len());
    sap.reserve(8 * scene.lines.len());
    for (b, l) in scene.lines.iter().enumerate() {
        sap.set(b as u32, l).expect("a body that is there");
    }
    sap.step(H).expect("bounds in order");
    sap
}
