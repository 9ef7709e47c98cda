//! Swept boxes against exact rational times; sweep-and-prune against testing all pairs.

use hapticd_geometry::broad::{BroadWork, Upkeep};
use hapticd_geometry::{Aabb, BroadPhase, SweepAndPrune, SweptBox, Vec3};
use proptest::prelude::*;

/// Bounds of one axis at start and end, all of them whole numbers.
type Line = [i64; 2];
type Whole = [[Line; 2]; 3];

fn swept(b: &Whole) -> SweptBox {
    let corner = |side: usize, end: usize| {
        Vec3::from([0, 1, 2].map(|axis: usize| b[axis][side][end] as f64))
    };
    let at = |end: usize| Aabb {
        low: corner(0, end),
        high: corner(1, end),
    };
    SweptBox {
        start: at(0),
        end: at(1),
    }
}

/// Whether two boxes meet, in fractions: the latest time at which an overlap begins against the
/// earliest at which one ends.
fn meet_exactly(a: &Whole, b: &Whole) -> bool {
    // Numerator and denominator, the latter above 0.
    let (mut on, mut off) = ((0, 1), (1, 1));
    let less = |x: (i64, i64), y: (i64, i64)| x.0 * y.1 < y.0 * x.1;
    for axis in 0..3 {
        for (lower, upper) in [(a, b), (b, a)] {
            let gap = |end: usize| upper[axis][1][end] - lower[axis][0][end];
            let (before, after) = (gap(0), gap(1));
            match (before >= 0, after >= 0) {
                (true, true) => {}
                (false, false) => return false,
                (false, true) => {
                    let time = (-before, after - before);
                    on = if less(on, time) { time } else { on };
                }
                (true, false) => {
                    let time = (before, before - after);
                    off = if less(time, off) { time } else { off };
                }
            }
        }
    }
    !less(off, on)
}

fn whole() -> impl Strategy<Value = Whole> {
    let line = (-12_i64..12, -12_i64..12, 0_i64..6, 0_i64..6);
    prop::array::uniform3(
        line.prop_map(|(low, later, size, grown)| [[low, later], [low + size, later + grown]]),
    )
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

proptest! {
    /// Times of integer bounds are fractions of small numbers: the rounding is far below their
    /// differences.
    #[test]
    fn meetings_match_exact_fractions(a in whole(), b in whole()) {
        let (x, y) = (swept(&a), swept(&b));
        prop_assert_eq!(x.meets(&y), meet_exactly(&a, &b));
        prop_assert_eq!(y.meets(&x), meet_exactly(&a, &b));
        // Never more than their hulls, never less than where they are at either end.
        prop_assert!(!x.meets(&y) || x.hull().overlaps(&y.hull()));
        prop_assert!(x.meets(&y) || !(x.start.overlaps(&y.start) || x.end.overlaps(&y.end)));
    }

    /// Step after step, with boxes that appear, vanish, jump and are invalid.
    #[test]
    fn sweep_and_prune_finds_what_every_pair_tried_finds(
        steps in prop::collection::vec(prop::collection::vec((whole(), 0_u32..40), 0..40), 1..6),
    ) {
        let (mut broad, mut pairs) = (SweepAndPrune::default(), Vec::new());
        for step in &steps {
            let boxes: Vec<SweptBox> = step.iter().map(|(b, sort)| match sort {
                0 => SweptBox::EVERYWHERE,
                1 | 2 => SweptBox::NOWHERE,
                3 => SweptBox { start: swept(b).start.widened(f64::NAN), ..swept(b) },
                4..20 => SweptBox::still(swept(b).start),
                _ => swept(b),
            }).collect();
            broad.overlapping(&boxes, &mut pairs);
            prop_assert_eq!(&pairs, &all_pairs(&boxes));
        }
    }
}

#[test]
fn boxes_pass_each_other_without_meeting() {
    // One moves along x past the other, which moves out of its path along y in time; their hulls
    // overlap.
    let unit = Aabb::about(&Vec3::zeros(), 0.5);
    let at = |x: f64, y: f64| Aabb {
        low: unit.low + Vec3::new(x, y, 0.0),
        high: unit.high + Vec3::new(x, y, 0.0),
    };
    let comes = SweptBox::between(&at(-8.0, 0.0), &at(0.0, 0.0), 0.0);
    let leaves = SweptBox::between(&at(0.0, 0.0), &at(0.0, 8.0), 0.0);
    assert!(comes.hull().overlaps(&leaves.hull()) && !comes.meets(&leaves));
    let slow = SweptBox::between(&at(0.0, 0.0), &at(0.0, 1.0), 0.0);
    assert!(comes.meets(&slow));
}

#[test]
fn what_has_no_bounds_meets_all_that_is_somewhere() {
    let unit = Aabb::about(&Vec3::zeros(), 0.5);
    let far = SweptBox::still(unit.widened(1e200));
    let none = SweptBox::still(unit.widened(f64::NAN));
    let here = SweptBox::still(unit);
    for wide in [SweptBox::EVERYWHERE, far, none] {
        assert!(wide.meets(&here) && here.meets(&wide) && wide.meets(&far));
        assert!(!wide.meets(&SweptBox::NOWHERE) && !SweptBox::NOWHERE.meets(&wide));
    }
    // Inverted at one end only: the time at which it was a box is unknown.
    let torn = SweptBox {
        start: unit,
        end: unit.widened(-1.0),
    };
    assert!(!torn.meets(&here));
}

#[test]
fn what_sweeping_costs_is_counted() {
    let boxes = |order: &[u32]| -> Vec<SweptBox> {
        let at = |&x: &u32| Aabb::about(&Vec3::new(f64::from(x), 0.0, 0.0), 0.6);
        order.iter().map(|x| SweptBox::still(at(x))).collect()
    };
    let (mut sweep, mut pairs) = (SweepAndPrune::default(), Vec::new());
    assert_eq!(sweep.work(), BroadWork::default());
    let mut told = |order: &[u32]| {
        sweep.overlapping(&boxes(order), &mut pairs);
        let work = sweep.work();
        let Upkeep::Order { exchanges, sorts } = work.upkeep else {
            panic!("{work:?}");
        };
        ([work.searches, work.boxes, work.pairs], [exchanges, sorts])
    };
    // Each meets the next one.
    assert_eq!(told(&[0, 1, 2, 3]), ([1, 4, 3], [0, 0]));
    // One exchange, and the same four in their new order.
    assert_eq!(told(&[0, 2, 1, 3]), ([2, 8, 6], [1, 0]));
    assert_eq!(told(&[0, 2, 1, 3]), ([3, 12, 9], [1, 0]));
    // The reverse order is too much for exchanges.
    let back: Vec<u32> = (0..100).rev().collect();
    assert_eq!(told(&back), ([4, 112, 108], [1, 1]));
}
