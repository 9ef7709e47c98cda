//! Which pairs of bodies may come near each other: bounding balls with a skin, swept along one axis.
//!
//! The list stays true while no body has moved its ball by more than its skin, so bodies at rest cost a comparison each.

use hapticd_geometry::Vec3;

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
    pub moves: bool,
}

#[derive(Clone, Debug, Default)]
struct Entry {
    slot: u32,
    low: f64,
    high: f64,
    centre: Vec3,
    reach: f64,
    moves: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Broad {
    anchors: Vec<Option<(Vec3, f64)>>,
    entries: Vec<Entry>,
    /// Lower slot first, sorted.
    pub pairs: Vec<(u32, u32)>,
}

impl Broad {
    /// Whether the list holds all pairs that may meet while the ball goes its way.
    pub fn covers(&self, slot: usize, ball: &Ball) -> bool {
        match self.anchors.get(slot) {
            Some(Some((anchor, skin))) => (ball.centre - anchor).norm() + ball.way_m <= *skin,
            _ => false,
        }
    }

    /// Forgets everything: the next list is made anew.
    pub fn forget(&mut self) {
        self.anchors.clear();
    }

    /// Makes the list. Pairs of two bodies that never move are left out.
    pub fn rebuild(&mut self, balls: impl Iterator<Item = Option<Ball>>) {
        self.anchors.clear();
        self.entries.clear();
        self.pairs.clear();
        for (slot, ball) in balls.enumerate() {
            let Some(ball) = ball else {
                self.anchors.push(None);
                continue;
            };
            let skin = SKIN_PER_RADIUS * ball.radius_m + SKIN_PER_WAY * ball.way_m;
            // The bounds are of balls of this radius about the anchors; a millionth covers the rounding.
            let reach = (ball.radius_m + skin) * (1.0 + 1e-6) + 1e-12 * ball.centre.amax();
            self.anchors.push(Some((ball.centre, skin)));
            self.entries.push(Entry {
                slot: slot as u32,
                low: ball.centre.x - reach,
                high: ball.centre.x + reach,
                centre: ball.centre,
                reach,
                moves: ball.moves,
            });
        }
        (self.entries).sort_unstable_by(|x, y| x.low.total_cmp(&y.low).then(x.slot.cmp(&y.slot)));
        for (i, x) in self.entries.iter().enumerate() {
            for y in self.entries[i + 1..].iter().take_while(|y| y.low <= x.high) {
                let both = x.reach + y.reach;
                if (x.moves || y.moves) && (x.centre - y.centre).norm_squared() <= both * both {
                    self.pairs.push((x.slot.min(y.slot), x.slot.max(y.slot)));
                }
            }
        }
        self.pairs.sort_unstable();
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
                    moves: i % 3 != 0,
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
                assert!(is_listed || gap > x.way_m + y.way_m || !(x.moves || y.moves));
            }
        }
        assert!(listed > 10 && broad.pairs.len() == listed as usize);
        let mut ball = balls[1].unwrap();
        assert!(broad.covers(1, &ball) && !broad.covers(0, &ball) && !broad.covers(99, &ball));
        ball.centre.y += 5.0 * ball.way_m + 0.2 * ball.radius_m;
        assert!(!broad.covers(1, &ball));
    }
}
