//! Registered points gathered leaf by leaf, and from them the pairs that may be close: those within
//! each leaf, and those of each two leaves of a ring, visited once.
//!
//! The ring, and hence every leaf, must be at least as wide as the requested distance. Points are
//! gathered by a counting sort over the leaf in which each is registered. It reads particles and
//! positions in order and writes to the range of each leaf; no list is visited. No allocation once
//! tables have reached their largest size. Metres.

use hapticd_geometry::Vec3;

use crate::registration::{ParticleId, Registration};

/// A gathered point.
#[derive(Clone, Copy, Debug)]
pub struct GatheredPoint {
    /// Position, m, in the axes of the map.
    pub at: Vec3,
    /// Index of the point, from 0.
    pub number: u32,
}

impl AsRef<GatheredPoint> for GatheredPoint {
    #[inline]
    fn as_ref(&self) -> &GatheredPoint {
        self
    }
}

/// Points of one leaf: their range and bounding box.
#[derive(Clone, Copy, Debug)]
struct Group {
    low: Vec3,
    high: Vec3,
    start: u32,
    end: u32,
    cell: u32,
}

/// Points gathered leaf by leaf. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct Gathered {
    groups: Vec<Group>,
    /// For each leaf: the last gathering in which it had points, and its group then.
    seen: Vec<(u32, u32)>,
    now: u32,
    /// For each point: its group.
    of: Vec<u32>,
    points: Vec<GatheredPoint>,
}

/// Groups smaller than this are tested point by point: neither a bounding box nor a branch-free
/// loop pays off.
pub const MIN_FOR_BOX: usize = 6;

impl Gathered {
    /// Gathers the points of these particles: the particle at `i` is point `i`, and is at `at[i]`,
    /// m. Allocates until tables are large enough.
    pub fn gather(&mut self, registration: &Registration, particles: &[ParticleId], at: &[Vec3]) {
        if self.now == u32::MAX {
            self.seen.clear();
            self.now = 0;
        }
        self.now += 1;
        let slots = registration.map().cell_slots();
        if self.seen.len() < slots {
            self.seen.resize(slots, (0, 0));
        }
        self.groups.clear();
        self.of.clear();
        for &p in particles {
            let cell = registration.cell_of(p);
            let seen = &mut self.seen[cell.index()];
            if seen.0 != self.now {
                *seen = (self.now, self.groups.len() as u32);
                self.groups.push(Group {
                    low: Vec3::repeat(f64::INFINITY),
                    high: Vec3::repeat(f64::NEG_INFINITY),
                    start: 0,
                    end: 0,
                    cell: cell.index() as u32,
                });
            }
            self.groups[seen.1 as usize].end += 1;
            self.of.push(seen.1);
        }
        let mut start = 0;
        for group in &mut self.groups {
            let count = group.end;
            (group.start, group.end) = (start, start);
            start += count;
        }
        let nowhere = GatheredPoint {
            at: Vec3::zeros(),
            number: 0,
        };
        self.points.resize(particles.len(), nowhere);
        for ((&g, &at), number) in self.of.iter().zip(at).zip(0..) {
            let group = &mut self.groups[g as usize];
            (group.low, group.high) = (lesser(&group.low, &at), greater(&group.high, &at));
            self.points[group.end as usize] = GatheredPoint { at, number };
            group.end += 1;
        }
    }

    /// Calls `visit` with a point and a slice of others, so that every pair with a squared distance
    /// of at most `most`, m², comes together once. Other pairs may come together as well.
    pub fn candidates(
        &self,
        registration: &mut Registration,
        most: f64,
        mut visit: impl FnMut(&GatheredPoint, &[GatheredPoint]),
    ) {
        for group in &self.groups {
            let own = &self.points[group.start as usize..group.end as usize];
            for (k, one) in own.iter().enumerate() {
                visit(one, &own[k + 1..]);
            }
            // Each pair of leaves once; skips pairs in which all points are too far apart.
            for &b in registration.ring_numbers(group.cell) {
                let (seen, slot) = self.seen[b as usize];
                if b < group.cell || seen != self.now {
                    continue;
                }
                let Group {
                    low,
                    high,
                    start,
                    end,
                    ..
                } = &self.groups[slot as usize];
                if squared_gap(&group.low, &group.high, low, high) > most {
                    continue;
                }
                let others = &self.points[*start as usize..*end as usize];
                for one in own {
                    if others.len() < MIN_FOR_BOX
                        || squared_gap(&one.at, &one.at, low, high) <= most
                    {
                        visit(one, others);
                    }
                }
            }
        }
    }
}

/// Returns the squared distance between two boxes, m².
#[inline]
fn squared_gap(low: &Vec3, high: &Vec3, other_low: &Vec3, other_high: &Vec3) -> f64 {
    let gap = greater(&(other_low - high), &(low - other_high));
    greater(&gap, &Vec3::zeros()).norm_squared()
}

/// Returns the greater of each two coordinates. None is NaN, so each comparison compiles to one
/// instruction.
#[inline]
fn greater(a: &Vec3, b: &Vec3) -> Vec3 {
    a.zip_map(b, |a, b| if a > b { a } else { b })
}

#[inline]
fn lesser(a: &Vec3, b: &Vec3) -> Vec3 {
    a.zip_map(b, |a, b| if a < b { a } else { b })
}
