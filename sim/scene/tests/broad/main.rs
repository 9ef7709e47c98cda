//! Broad phases against comparing all boxes with all others, step after step: each lists the same
//! pairs, whatever it has seen before.

use hapticd_counting::{Counting, counted};
use hapticd_geometry::{Aabb, BroadPhase, SweptBox, Vec3};
use hapticd_scene::{BroadPhaseKind, broad_phase};
use proptest::prelude::*;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// SplitMix64.
#[derive(Clone)]
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5)
    }
}

/// Boxes that move, appear, disappear, jump, and are invalid.
#[derive(Clone)]
struct Boxes {
    random: Random,
    bodies: Vec<MovingBox>,
    /// Size of the region, m; 0 along an axis puts all boxes in a plane.
    size: Vec3,
    /// Width of a box, m.
    width: f64,
    /// Width of the widest box relative to this, in decades.
    decades: f64,
    fastest: f64,
    /// Positions are whole multiples of this, m, so that boxes touch exactly; 0 means any position.
    lattice: f64,
    origin: Vec3,
}

#[derive(Clone)]
struct MovingBox {
    at: Vec3,
    way: Vec3,
    half: Vec3,
    sort: u64,
}

impl Boxes {
    fn body(&mut self) -> MovingBox {
        let at = self.origin + self.random.vector().component_mul(&self.size);
        let larger = 10_f64.powf(self.decades * self.random.unit().powi(3));
        let half = (self.random.vector().abs() + Vec3::repeat(0.1)) * (self.width * larger);
        let way = self.random.vector() * self.fastest;
        let sort = self.random.bits() % 100;
        MovingBox {
            at,
            way,
            half,
            sort,
        }
    }

    fn snap(&self, x: Vec3) -> Vec3 {
        match self.lattice {
            w if w > 0.0 => x.map(|x| (x / w).round() * w),
            _ => x,
        }
    }

    /// Makes the boxes of the next step.
    fn step(&mut self, boxes: &mut Vec<SweptBox>) {
        if self.random.unit() < 0.3 {
            let body = self.body();
            self.bodies.push(body);
        }
        if self.random.unit() < 0.3 && !self.bodies.is_empty() {
            let i = self.random.bits() as usize % self.bodies.len();
            self.bodies.swap_remove(i);
        }
        boxes.clear();
        for i in 0..self.bodies.len() {
            if self.random.unit() < 0.02 {
                self.bodies[i] = self.body();
            }
            let MovingBox {
                at,
                way,
                half,
                sort,
            } = self.bodies[i].clone();
            let (from, to) = (self.snap(at), self.snap(at + way));
            let half = self.snap(half);
            let [start, end] = [from, to].map(|x| Aabb {
                low: x - half,
                high: x + half,
            });
            boxes.push(match sort {
                0 => SweptBox::EVERYWHERE,
                1 => SweptBox::NOWHERE,
                2 => SweptBox {
                    start,
                    end: Aabb {
                        low: end.low,
                        high: Vec3::repeat(f64::NAN),
                    },
                },
                3 => SweptBox::still(start.widened(1e30)),
                4..30 => SweptBox::still(start),
                30..40 => SweptBox::between(&start, &end, 0.1 * self.width),
                _ => SweptBox { start, end },
            });
            self.bodies[i].at = at + way;
            // Most turn back, some leave.
            let out = (0..3)
                .any(|k| (at + way - self.origin)[k].abs() > 0.5 * self.size[k].max(self.width));
            if out && i % 7 != 0 {
                self.bodies[i].way = -way;
            }
        }
    }
}

fn all_pairs(boxes: &[SweptBox]) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    for j in 0..boxes.len() as u32 {
        for i in 0..j {
            if boxes[i as usize].meets(&boxes[j as usize]) {
                pairs.push((i, j));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Checks every broad phase, and a clone of it from some steps ago that has seen nothing since.
fn check(scene: &mut Boxes, steps: usize) {
    let mut broad: Vec<Box<dyn BroadPhase>> = BroadPhaseKind::ALL
        .iter()
        .map(|k| broad_phase(*k))
        .collect();
    let mut old = broad.clone();
    let (mut boxes, mut pairs) = (Vec::new(), vec![(7, 7)]);
    for step in 0..steps {
        scene.step(&mut boxes);
        let wanted = all_pairs(&boxes);
        for (broad, old) in broad.iter_mut().zip(&mut old) {
            broad.overlapping(&boxes, &mut pairs);
            assert!(
                pairs == wanted,
                "{} in step {step}: {}",
                broad.name(),
                difference(&pairs, &wanted)
            );
            if step % 5 == 4 {
                old.overlapping(&boxes, &mut pairs);
                assert!(
                    pairs == wanted,
                    "a clone of {}: {}",
                    old.name(),
                    difference(&pairs, &wanted)
                );
                *old = broad.clone();
            }
        }
    }
}

fn difference(found: &[(u32, u32)], wanted: &[(u32, u32)]) -> String {
    let missing: Vec<_> = wanted
        .iter()
        .filter(|p| found.binary_search(p).is_err())
        .take(4)
        .collect();
    let more: Vec<_> = found
        .iter()
        .filter(|p| wanted.binary_search(p).is_err())
        .take(4)
        .collect();
    format!(
        "{} of {} pairs, missing {missing:?}, not wanted {more:?}",
        found.len(),
        wanted.len()
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn each_lists_what_comparing_all_with_all_does(
        seed in any::<u64>(),
        count in prop_oneof![0_usize..20, 20_usize..120],
        size in prop::array::uniform3(prop_oneof![Just(0.0), Just(1.0), Just(10.0)]),
        width in prop_oneof![Just(0.0), Just(0.01), Just(0.1), Just(1.0)],
        decades in prop_oneof![Just(0.0), Just(1.0), Just(4.0)],
        fastest in prop_oneof![Just(0.0), Just(0.005), Just(0.2), Just(20.0)],
        lattice in prop_oneof![Just(0.0), Just(0.125)],
        far in prop_oneof![Just(0.0), Just(1000.0), Just(1e9)],
    ) {
        let mut scene = Boxes {
            random: Random(seed),
            bodies: Vec::new(),
            size: Vec3::from(size),
            width,
            decades,
            fastest,
            lattice,
            origin: Vec3::new(far, -far, 0.5 * far),
        };
        for _ in 0..count {
            let body = scene.body();
            scene.bodies.push(body);
        }
        check(&mut scene, 12);
    }
}

fn still(at: Vec3, half: f64) -> SweptBox {
    SweptBox::still(Aabb::about(&at, half))
}

fn agree(boxes: &[SweptBox], broad: &mut [Box<dyn BroadPhase>]) -> usize {
    let wanted = all_pairs(boxes);
    let mut pairs = Vec::new();
    for broad in broad {
        broad.overlapping(boxes, &mut pairs);
        assert!(
            pairs == wanted,
            "{}: {}",
            broad.name(),
            difference(&pairs, &wanted)
        );
    }
    wanted.len()
}

fn all() -> Vec<Box<dyn BroadPhase>> {
    BroadPhaseKind::ALL
        .iter()
        .map(|k| broad_phase(*k))
        .collect()
}

#[test]
fn none_one_and_a_thousand_at_one_place() {
    let mut broad = all();
    assert_eq!(agree(&[], &mut broad), 0);
    assert_eq!(agree(&[SweptBox::EVERYWHERE], &mut broad), 0);
    assert_eq!(agree(&[SweptBox::NOWHERE; 40], &mut broad), 0);
    assert_eq!(agree(&[SweptBox::EVERYWHERE; 40], &mut broad), 780);
    for half in [0.0, 0.1] {
        let heap = vec![still(Vec3::new(1.0, 2.0, 3.0), half); 1000];
        assert_eq!(agree(&heap, &mut broad), 499_500);
    }
    assert_eq!(agree(&[], &mut broad), 0);
}

/// A scene that grows by decades, moves away by a kilometre, and shrinks to a millimetre.
#[test]
fn a_scene_may_change_its_size_and_place() {
    let mut broad = all();
    let mut random = Random(5);
    let places: Vec<Vec3> = (0..200).map(|_| random.vector()).collect();
    let mut met = 0;
    for step in 0..60 {
        let t = f64::from(step);
        let (size, half) = match step {
            0..20 => (1.0, 0.03),
            20..40 => (10_f64.powf(0.2 * (t - 20.0)), 0.03),
            _ => (1e-3, 3e-5),
        };
        let shift = if step >= 30 {
            Vec3::x() * 1000.0
        } else {
            Vec3::zeros()
        };
        let boxes: Vec<SweptBox> = places
            .iter()
            .map(|p| still(p * size + shift, half))
            .collect();
        met += agree(&boxes, &mut broad);
        // The same query again, now settled.
        agree(&boxes, &mut broad);
    }
    assert!(met > 1000, "{met}");
}

/// Boxes in rows that touch to the last bit, or just fail to.
#[test]
fn what_touches_meets_and_what_does_not_quite_does_not() {
    let mut broad = all();
    let row = |half: f64| -> Vec<SweptBox> {
        (0..200)
            .map(|i| still(Vec3::new(f64::from(i), 0.0, f64::from(i % 2)), half))
            .collect()
    };
    assert_eq!(agree(&row(0.5), &mut broad), 199);
    assert_eq!(agree(&row(0.5 - 1e-12), &mut broad), 0);
    assert_eq!(agree(&row(0.5), &mut broad), 199);
}

/// Boxes that move in circles.
fn round(k: u32, boxes: &mut Vec<SweptBox>) {
    boxes.clear();
    let at = |i: u32, k: u32| {
        let t = f64::from(k % 40) / 40.0 * std::f64::consts::TAU;
        let (row, column) = (f64::from(i / 20), f64::from(i % 20));
        let phase = t + f64::from(i % 5);
        Aabb::about(
            &Vec3::new(
                column + 0.7 * phase.cos(),
                row + 0.7 * phase.sin(),
                0.3 * t.sin(),
            ),
            0.3 + 0.1 * f64::from(i % 3),
        )
    };
    boxes.extend((0..400).map(|i| SweptBox {
        start: at(i, k),
        end: at(i, k + 1),
    }));
    // Some exist only in every second round of ten, and one is large.
    for i in 0..10 {
        if ((k + i) / 10).is_multiple_of(2) {
            boxes[17 * i as usize] = SweptBox::NOWHERE;
        }
    }
    boxes[9] = SweptBox::still(Aabb::about(&Vec3::new(10.0, 10.0, 0.0), 12.0));
}

#[test]
fn what_goes_on_as_before_allocates_nothing() {
    let (mut boxes, mut pairs) = (Vec::new(), Vec::new());
    for kind in BroadPhaseKind::ALL {
        let mut broad = broad_phase(kind);
        for k in 0..200 {
            round(k, &mut boxes);
            broad.overlapping(&boxes, &mut pairs);
        }
        let mut found = 0;
        for k in 200..280 {
            round(k, &mut boxes);
            let ((), calls) = counted(|| broad.overlapping(&boxes, &mut pairs));
            assert_eq!(calls, 0, "{} in step {k}", broad.name());
            found += pairs.len();
        }
        assert!(found > 80 * 200, "{found}");
    }
}

/// A crowd with its cells at their finest, and a few boxes in it that are slightly too wide for
/// them.
#[test]
fn what_is_a_little_too_wide_for_the_finest_cells_is_found_all_the_same() {
    for (seed, wide) in (0..12).zip([0.9, 1.1, 1.6, 2.0, 2.5, 2.9].into_iter().cycle()) {
        let mut random = Random(seed);
        let mut broad = all();
        let mut places: Vec<Vec3> = (0..600).map(|_| random.vector() * 0.4).collect();
        places.push(Vec3::repeat(3.0));
        for step in 0..6 {
            let boxes: Vec<SweptBox> = (0_usize..)
                .zip(&places)
                .map(|(i, p)| {
                    // The finest cells are 0.03 wide: one and a half times the width of nearly all
                    // boxes.
                    let half = if i % 60 == 7 { 0.015 * wide } else { 0.01 };
                    still(*p, half)
                })
                .collect();
            let met = agree(&boxes, &mut broad);
            assert!(met > 100, "{met} in step {step}");
            for p in &mut places {
                *p += random.vector() * 0.02;
            }
        }
    }
}
