//! Which pairs of bodies may come near each other: bounding balls with a skin, in boxes for
//! whatever broad phase there is.
//!
//! # Theory
//!
//! The list stays true while no ball, with the way that it is about to go, leaves its skin,
//! whatever the impacts on that way do: so bodies at rest cost a comparison each, and who looked
//! for the boxes is forgotten when the list is there. It is that of the balls: the same whoever
//! that was.
//!
//! The boxes rest. A box that is swept along the coming step's motion would be tighter, but there
//! is no such motion when the list is wanted: the velocities are solved for over its pairs. They
//! are known only when that is done, and what they throw farther than was thought is looked at
//! again then. And a way is a small part of a radius (1 m/s for a millisecond: three hundredths of
//! one of 36 mm): where it leads matters less than how often the list is made.
//!
//! # Practice
//!
//! Instructions of 200 steps of 1 ms, 64 weightless bodies of 4 to 6 cm that bounce about in a box
//! (`cargo bench -p hapticd-scene --bench rigid` has the scenes), and of 120 steps of 64 that fall
//! in a heap. *Without skin* every ball's box holds the way of the coming step and nothing else,
//! the list is rebuilt in each: a swept box would have the same searches and hardly fewer pairs.
//!
//! | velocities along each axis | up to 1 m/s | up to 5 m/s | heap, falling |
//! |---|---|---|---|
//! | searches a step, with skin (without) | 0.20 (2.2) | 0.35 (3.2) | 0.15 (1.4) |
//! | share of the searches: sweep | 1.4 % (12 %) | 0.4 % (3.2 %) | 1.8 % |
//! | kinetic | 2.2 % (16 %) | 0.7 % (4.5 %) | 2.8 % (15 %) |
//! | registration | 5.3 % | 1.2 % | 7.4 % |
//! | all instructions with sweep, millions | 478 (515) | 3637 (3058) | 234 |
//! | with kinetic | 482 (538) | 3647 (3103) | 237 (254) |
//!
//! So the skin is the better design where a step's way is as short as with bodies that hands move,
//! with each of the three; an exact order of all bounds gains nothing where it is asked for once in
//! five steps. Far above that the list costs more than the search, since each pair of it has its
//! near features looked up: there a narrower skin pays (half the part of the radius and one way: a
//! ninth less at 5 m/s, a hundredth more at 1 m/s). A step of 4 ms at 1 m/s is between the first
//! two columns.

use hapticd_geometry::{Aabb, BroadPhase, SweptBox, Vec3};

/// Skin in units of the radius, and of the way of one step.
const SKIN_PER_RADIUS: f64 = 0.1;
const SKIN_PER_WAY: f64 = 4.0;

/// One body's ball.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub centre: Vec3,
    pub radius_m: f64,
    /// How far the centre may go in the coming step.
    pub way_m: f64,
    /// Kept apart from every other ball; two that are not may meet.
    pub solid: bool,
}

/// Where a ball was when the list was made.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    centre: Vec3,
    skin_m: f64,
    /// Radius, skin and rounding.
    reach_m: f64,
    solid: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Broad {
    anchors: Vec<Option<Anchor>>,
    boxes: Vec<SweptBox>,
    search: Box<dyn BroadPhase>,
    /// Lower slot first, sorted.
    pub pairs: Vec<(u32, u32)>,
}

impl Broad {
    /// Whether the list holds all pairs that may meet while the ball goes its way.
    pub fn covers(&self, slot: usize, ball: &Ball) -> bool {
        match self.anchors.get(slot) {
            Some(Some(anchor)) => {
                (ball.centre - anchor.centre).norm() + ball.way_m <= anchor.skin_m
            }
            _ => false,
        }
    }

    /// Who looks for boxes that overlap from now on.
    pub fn set_search(&mut self, search: Box<dyn BroadPhase>) {
        self.search = search;
    }

    /// Who looks, and what it has done.
    pub fn search(&self) -> &dyn BroadPhase {
        &*self.search
    }

    /// Forgets everything: the next list is rebuilt.
    pub fn forget(&mut self) {
        self.anchors.clear();
    }

    /// Makes the list. Pairs of two bodies that may meet are left out.
    pub fn rebuild(&mut self, balls: impl Iterator<Item = Option<Ball>>) {
        self.anchors.clear();
        self.boxes.clear();
        for ball in balls {
            let Some(ball) = ball else {
                self.anchors.push(None);
                self.boxes.push(SweptBox::NOWHERE);
                continue;
            };
            let skin_m = SKIN_PER_RADIUS * ball.radius_m + SKIN_PER_WAY * ball.way_m;
            // The bounds are of balls of this radius about the anchors; a millionth covers the
            // rounding.
            let reach_m = (ball.radius_m + skin_m) * (1.0 + 1e-6) + 1e-12 * ball.centre.amax();
            self.anchors.push(Some(Anchor {
                centre: ball.centre,
                skin_m,
                reach_m,
                solid: ball.solid,
            }));
            // A little wider than the ball, which decides.
            let wider_m = reach_m + 1e-12 * (reach_m + ball.centre.amax());
            let around = Aabb::about(&ball.centre, wider_m);
            self.boxes.push(SweptBox::still(around));
        }
        self.search.overlapping(&self.boxes, &mut self.pairs);
        let anchors = &self.anchors;
        self.pairs.retain(|&(i, j)| {
            let (Some(x), Some(y)) = (&anchors[i as usize], &anchors[j as usize]) else {
                return false;
            };
            let both = x.reach_m + y.reach_m;
            (x.solid || y.solid) && (x.centre - y.centre).norm_squared() <= both * both
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_that_may_meet_is_listed() {
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 53) as f64
        };
        let balls: Vec<Option<Ball>> = (0..60)
            .map(|i| {
                (i % 9 != 0).then(|| Ball {
                    centre: Vec3::new(next(), next(), next()) * 3.0,
                    radius_m: 0.3 * next(),
                    way_m: 0.1 * next(),
                    solid: i % 3 != 0,
                })
            })
            .collect();
        let mut broad = Broad::default();
        broad.rebuild(balls.iter().copied());
        let mut listed = 0;
        for (i, x) in balls.iter().enumerate() {
            for (j, y) in balls.iter().enumerate().skip(i + 1) {
                let (Some(x), Some(y)) = (x, y) else { continue };
                let gap = (x.centre - y.centre).norm() - x.radius_m - y.radius_m;
                let is_listed = broad.pairs.contains(&(i as u32, j as u32));
                listed += u32::from(is_listed);
                assert!(is_listed || gap > x.way_m + y.way_m || !(x.solid || y.solid));
            }
        }
        assert!(listed > 10 && broad.pairs.len() == listed as usize);
        let mut ball = balls[1].unwrap();
        assert!(broad.covers(1, &ball) && !broad.covers(0, &ball) && !broad.covers(99, &ball));
        ball.centre.y += 5.0 * ball.way_m + 0.2 * ball.radius_m;
        assert!(!broad.covers(1, &ball));
    }
}
