//! Pairs of registered points that are near each other: the points of each leaf side by side, and each two leaves of a ring looked at once.
//!
//! The ring must be at least as wide as the distance that is asked for, so the leaves must be. No allocation once tables have been as large as they get. Metres.

use hapticd_geometry::Vec3;

use crate::map::Cell;
use crate::registration::{Kind, ParticleId, Registration};

/// See the [module](self).
#[derive(Clone, Debug, Default)]
pub(crate) struct Beside {
    /// The leaves that points are in.
    occupied: Vec<Cell>,
    /// By leaf: when it was last found to be one of those, and where its points are.
    ranges: Vec<(u32, u32, u32)>,
    now: u32,
    points: Vec<(Vec3, u32)>,
}

impl Beside {
    /// Puts the points of each leaf that one of these particles is in side by side. `point` says of an entity's number where its point is and which one it is.
    pub(crate) fn gather(
        &mut self,
        registration: &Registration,
        particles: &[ParticleId],
        point: impl Fn(u32) -> (Vec3, u32),
    ) {
        if self.now == u32::MAX {
            self.ranges.clear();
            self.now = 0;
        }
        self.now += 1;
        let slots = registration.map().cell_slots();
        if self.ranges.len() < slots {
            self.ranges.resize(slots, (0, 0, 0));
        }
        self.occupied.clear();
        self.points.clear();
        for &p in particles {
            let c = registration.cell_of(p);
            if self.ranges[c.index()].0 == self.now {
                continue;
            }
            let start = self.points.len() as u32;
            let numbers = registration.numbers(c, Kind::Point);
            self.points.extend(numbers.iter().map(|&x| point(x)));
            self.ranges[c.index()] = (self.now, start, self.points.len() as u32);
            self.occupied.push(c);
        }
    }

    /// Calls `visit` once for each two points whose squared distance is at most `most`, m², with the lower number, the higher, and that square.
    pub(crate) fn pairs(
        &self,
        registration: &mut Registration,
        most: f64,
        mut visit: impl FnMut(u32, u32, f64),
    ) {
        for &c in &self.occupied {
            let (_, start, end) = self.ranges[c.index()];
            let own = &self.points[start as usize..end as usize];
            for (k, &(p, i)) in own.iter().enumerate() {
                for &(q, j) in &own[k + 1..] {
                    let square = (q - p).norm_squared();
                    if square <= most {
                        visit(i.min(j), i.max(j), square);
                    }
                }
            }
            // Each two leaves once.
            for &b in registration.ring_numbers(c) {
                let (seen, start, end) = self.ranges[b as usize];
                if b < c.0 || seen != self.now {
                    continue;
                }
                let others = &self.points[start as usize..end as usize];
                for &(p, i) in own {
                    for &(q, j) in others {
                        let square = (q - p).norm_squared();
                        if square <= most {
                            visit(i.min(j), i.max(j), square);
                        }
                    }
                }
            }
        }
    }
}
