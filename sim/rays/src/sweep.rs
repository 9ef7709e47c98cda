//! Pairs of boxes that are near each other: sweep and prune along one axis.
//!
//! The order along the axis is kept from step to step and put right by insertion, which costs next to nothing while little changes (Baraff 1992).

use crate::scene::{Bounds, near};

/// Keeps the order between steps.
#[derive(Clone, Debug, Default)]
pub struct Sweep {
    order: Vec<u32>,
    pairs: Vec<(u32, u32)>,
}

impl Sweep {
    /// All pairs `(a, b)`, `a < b`, of boxes that are nearer than `margin` along every axis and not both left out, in order.
    /// Allocates only when there are more than ever before.
    pub fn pairs(
        &mut self,
        boxes: &[Bounds],
        margin: f32,
        counts: impl Fn(u32, u32) -> bool,
    ) -> &[(u32, u32)] {
        if self.order.len() != boxes.len() {
            self.order.clear();
            self.order.extend(0..boxes.len() as u32);
            self.order
                .sort_by(|&a, &b| boxes[a as usize].0.x.total_cmp(&boxes[b as usize].0.x));
        }
        for i in 1..self.order.len() {
            let mut k = i;
            while k > 0 && boxes[self.order[k] as usize].0.x < boxes[self.order[k - 1] as usize].0.x
            {
                self.order.swap(k, k - 1);
                k -= 1;
            }
        }
        self.pairs.clear();
        for (i, &a) in self.order.iter().enumerate() {
            let end = boxes[a as usize].1.x + margin;
            for &b in &self.order[i + 1..] {
                if boxes[b as usize].0.x > end {
                    break;
                }
                if near(&boxes[a as usize], &boxes[b as usize], margin) && counts(a, b) {
                    self.pairs.push((a.min(b), a.max(b)));
                }
            }
        }
        self.pairs.sort_unstable();
        &self.pairs
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::V3;
    use proptest::prelude::*;

    proptest! {
        /// The same pairs as by looking at all, step after step.
        #[test]
        fn as_by_brute_force(
            starts in prop::collection::vec(prop::array::uniform3(0.0f32..1.0), 2..60),
            moves in prop::collection::vec(prop::array::uniform3(-0.2f32..0.2), 60),
            margin in 0.0f32..0.1,
        ) {
            let mut sweep = Sweep::default();
            for step in 0..4 {
                let boxes: Vec<Bounds> = starts.iter().zip(&moves).map(|(s, m)| {
                    let low = V3::from(*s) + V3::from(*m) * step as f32;
                    (low, low + V3::new(0.1, 0.2, 0.05))
                }).collect();
                let counts = |a: u32, b: u32| !(a + b).is_multiple_of(5);
                let mut expected = Vec::new();
                for a in 0..boxes.len() as u32 {
                    for b in a + 1..boxes.len() as u32 {
                        if near(&boxes[a as usize], &boxes[b as usize], margin) && counts(a, b) {
                            expected.push((a, b));
                        }
                    }
                }
                prop_assert_eq!(sweep.pairs(&boxes, margin, counts), &expected[..]);
            }
        }
    }
}
