//! Pairs of objects whose boxes are near each other, found by the broad phase of the scene.
//!
//! The decision is made here, in single precision. The broad phase receives boxes that are wider by
//! the rounding error.

use hapticd_geometry::{Aabb, BroadPhase, SweptBox, Vec3};

use crate::bounds::{Bounds, near};

/// Fraction of the coordinates by which a box is widened: the rounding error of a comparison in
/// single precision.
const ROUNDING: f64 = 2.0 * f32::EPSILON as f64;

/// Keeps its memory from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pairs {
    boxes: Vec<SweptBox>,
    pairs: Vec<(u32, u32)>,
}

impl Pairs {
    /// Returns all pairs `(a, b)`, `a < b`, in order, of boxes that are nearer than `margin` along
    /// every axis and accepted by `counts`. Allocates only if there are more than ever before.
    pub fn near(
        &mut self,
        boxes: &[Bounds],
        margin: f32,
        broad: &mut dyn BroadPhase,
        counts: impl Fn(u32, u32) -> bool,
    ) -> &[(u32, u32)] {
        self.boxes.clear();
        self.boxes.extend(boxes.iter().map(|b| swept(b, margin)));
        broad.overlapping(&self.boxes, &mut self.pairs);
        (self.pairs)
            .retain(|&(a, b)| near(&boxes[a as usize], &boxes[b as usize], margin) && counts(a, b));
        &self.pairs
    }
}

/// Box at rest that is wider by half of the margin and by the rounding error.
fn swept((low, high): &Bounds, margin: f32) -> SweptBox {
    if (0..3).any(|k| low[k] > high[k]) {
        return SweptBox::NOWHERE;
    }
    let [low, high] = [low, high].map(|p| Vec3::new(p.x.into(), p.y.into(), p.z.into()));
    let margin = f64::from(margin);
    let rounding = ROUNDING * (low.amax().max(high.amax()) + margin);
    SweptBox::still(Aabb { low, high }.widened(0.5 * margin + rounding))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::V3;
    use hapticd_geometry::SweepAndPrune;
    use proptest::prelude::*;

    proptest! {
        /// The pairs equal those of a test of all pairs, step after step.
        #[test]
        fn like_brute_force(
            starts in prop::collection::vec(prop::array::uniform3(0.0f32..1.0), 2..60),
            moves in prop::collection::vec(prop::array::uniform3(-0.2f32..0.2), 60),
            margin in 0.0f32..0.1,
        ) {
            let (mut pairs, mut broad) = (Pairs::default(), SweepAndPrune::default());
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
                prop_assert_eq!(pairs.near(&boxes, margin, &mut broad, counts), &expected[..]);
            }
        }
    }
}
