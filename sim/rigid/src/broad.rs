//! Pairs of bodies that may come near each other: bounding balls with a skin, boxed for any broad
//! phase.
//!
//! # Theory
//!
//! The list stays valid while no ball, including its path in the coming step, leaves its skin,
//! whatever impacts do on that path. So bodies at rest cost one comparison each, and the broad
//! phase is not needed once the list exists. The list is that of the balls, so it is the same for
//! any broad phase.
//!
//! The boxes are at rest. A box swept along the motion of the coming step would be tighter, but
//! that motion does not exist yet when the list is needed: the velocities are solved for over its
//! pairs. The motions are known only afterwards, and a body thrown farther than expected is checked
//! again then. And a path is a small part of a radius (1 m/s for a millisecond: three hundredths of
//! a radius of 36 mm). Its direction matters less than how often the list is rebuilt.
//!
//! # Practice
//!
//! The table counts instructions of 200 steps of 1 ms, for 64 weightless bodies of 4 to 6 cm that
//! bounce about in a box, and of 120 steps, for 64 bodies that fall in a heap. (`cargo bench -p
//! hapticd-scene --bench rigid` has the scenes.) *Without skin*, every ball's box covers only the
//! path of the coming step, and the list is rebuilt in each step. A swept box would have the same
//! searches and hardly fewer pairs.
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
//! So the skin is the better design for short paths per step, as with bodies moved by hand, with
//! each of the three broad phases. An exact order of all bounds gains nothing if it is needed once
//! in five steps. Far above that, the list costs more than the search, since each of its pairs has
//! its near features queried. A narrower skin pays there (half the fraction of the radius and one
//! path: a ninth less at 5 m/s, a hundredth more at 1 m/s). A step of 4 ms at 1 m/s is between the
//! first two columns.

use hapticd_geometry::{Aabb, BroadPhase, SweptBox, Vec3};

/// Skin in units of the radius, and of the path of one step.
const SKIN_PER_RADIUS: f64 = 0.1;
const SKIN_PER_PATH: f64 = 4.0;

/// Bounding ball of one body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ball {
    pub centre: Vec3,
    pub radius_m: f64,
    /// Maximum displacement of the centre in the coming step.
    pub path_m: f64,
    /// Whether the ball is kept apart from every other. Two that are not solid may meet.
    pub solid: bool,
}

/// State of a ball when the list was made.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    centre: Vec3,
    skin_m: f64,
    /// Radius plus skin plus rounding.
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
    /// Whether the list contains all pairs that may meet while the ball follows its path.
    pub fn covers(&self, slot: usize, ball: &Ball) -> bool {
        match self.anchors.get(slot) {
            Some(Some(anchor)) => {
                (ball.centre - anchor.centre).norm() + ball.path_m <= anchor.skin_m
            }
            _ => false,
        }
    }

    /// Sets the broad phase that finds overlapping boxes.
    pub fn set_search(&mut self, search: Box<dyn BroadPhase>) {
        self.search = search;
    }

    /// The broad phase, with its statistics.
    pub fn search(&self) -> &dyn BroadPhase {
        &*self.search
    }

    /// Invalidates the list: the next one is rebuilt.
    pub fn forget(&mut self) {
        self.anchors.clear();
    }

    /// Rebuilds the list. Omits pairs in which neither body is solid.
    pub fn rebuild(&mut self, balls: impl Iterator<Item = Option<Ball>>) {
        self.anchors.clear();
        self.boxes.clear();
        for ball in balls {
            let Some(ball) = ball else {
                self.anchors.push(None);
                self.boxes.push(SweptBox::NOWHERE);
                continue;
            };
            let skin_m = SKIN_PER_RADIUS * ball.radius_m + SKIN_PER_PATH * ball.path_m;
            // The bounds are balls of this radius about the anchors; a millionth covers the
            // rounding.
            let reach_m = (ball.radius_m + skin_m) * (1.0 + 1e-6) + 1e-12 * ball.centre.amax();
            self.anchors.push(Some(Anchor {
                centre: ball.centre,
                skin_m,
                reach_m,
                solid: ball.solid,
            }));
            // Slightly wider than the ball, which decides.
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
                    path_m: 0.1 * next(),
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
                assert!(is_listed || gap > x.path_m + y.path_m || !(x.solid || y.solid));
            }
        }
        assert!(listed > 10 && broad.pairs.len() == listed as usize);
        let mut ball = balls[1].unwrap();
        assert!(broad.covers(1, &ball) && !broad.covers(0, &ball) && !broad.covers(99, &ball));
        ball.centre.y += 5.0 * ball.path_m + 0.2 * ball.radius_m;
        assert!(!broad.covers(1, &ball));
    }
}
