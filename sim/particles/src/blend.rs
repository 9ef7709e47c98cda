//! Decides which spheres' surfaces blend: two that touch start to blend, and continue until they
//! are further apart than when they touched.
//!
//! # Theory
//!
//! Positions alone cannot decide this: drops that approach must not fuse before they touch, and
//! drops that part stay fused for a while (Triquet 2001, section 4.1 and figure 4.3). So the
//! mechanics keeps the set of pairs, with hysteresis, and reports additions and removals.
//!
//! # Practice
//!
//! Pairs are tested where a step ends. A pair that would come and go within a step is not seen. No
//! allocation once grown.

use super::sphere::{SphereError, Spheres};
use crate::Vec3;

/// When spheres of a body blend. The values are gaps between collision spheres, m; negative where
/// they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blending {
    /// A pair starts to blend at a gap of at most this.
    pub blend_at_m: f64,
    /// A pair stops blending at a gap wider than this; not less than `blend_at_m`.
    pub part_at_m: f64,
    /// Whether they also blend with spheres of other bodies. Both bodies must allow it, and the
    /// lower values apply.
    pub others: bool,
}

impl Blending {
    pub(super) fn check(&self) -> Result<(), SphereError> {
        for (name, value, fine) in [
            ("blend_at_m", self.blend_at_m, true),
            (
                "part_at_m",
                self.part_at_m,
                self.part_at_m >= self.blend_at_m,
            ),
        ] {
            if !(fine && value.is_finite()) {
                return Err(SphereError::Number { name, value });
            }
        }
        Ok(())
    }
}

/// Change of a pair of spheres; the lower index comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlendEvent {
    /// The pair has touched.
    Added(u32, u32),
    /// The pair has parted.
    Removed(u32, u32),
}

/// Pairs by their lower index. The partners of `i` are `other[first[i]..first[i + 1]]`, rising.
#[derive(Clone, Debug, Default)]
struct Table {
    first: Vec<u32>,
    other: Vec<u32>,
}

impl Table {
    fn row(&self, i: usize) -> &[u32] {
        match self.first.get(i..i + 2) {
            Some(ends) => &self.other[ends[0] as usize..ends[1] as usize],
            None => &[],
        }
    }

    /// Counting sort by the lower index; the few partners of each sphere are then sorted in place.
    fn fill(&mut self, pairs: &[(u32, u32)], spheres: usize) {
        self.first.clear();
        self.first.resize(spheres + 1, 0);
        for pair in pairs {
            self.first[pair.0 as usize + 1] += 1;
        }
        for i in 0..spheres {
            self.first[i + 1] += self.first[i];
        }
        self.other.clear();
        self.other.resize(pairs.len(), 0);
        for pair in pairs.iter().rev() {
            let end = &mut self.first[pair.0 as usize + 1];
            *end -= 1;
            self.other[*end as usize] = pair.1;
        }
        self.first.rotate_left(1);
        self.first[spheres] = pairs.len() as u32;
        for i in 0..spheres {
            self.other[self.first[i] as usize..self.first[i + 1] as usize].sort_unstable();
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Blends {
    /// Rules of the bodies, sorted by body.
    rules: Vec<(u32, Blending)>,
    /// Rule of each sphere.
    rule: Vec<Option<Blending>>,
    /// Pairs that may be in reach when the step ends.
    pub candidates: Vec<(u32, u32)>,
    now: Table,
    last: Table,
    pub events: Vec<BlendEvent>,
}

impl Blends {
    /// Sets the rule of a body from now on. `None` parts its pairs at the end of the next step.
    pub fn set(&mut self, body: u32, rule: Option<Blending>, spheres: &Spheres) {
        match (self.rules.binary_search_by_key(&body, |r| r.0), rule) {
            (Ok(k), Some(rule)) => self.rules[k].1 = rule,
            (Ok(k), None) => {
                self.rules.remove(k);
            }
            (Err(k), Some(rule)) => self.rules.insert(k, (body, rule)),
            (Err(_), None) => {}
        }
        for (slot, of) in self.rule.iter_mut().zip(&spheres.body) {
            if *of == body {
                *slot = rule;
            }
        }
    }

    /// Registers a new sphere of `body`.
    pub fn push(&mut self, body: u32) {
        let known = self.rules.binary_search_by_key(&body, |r| r.0);
        self.rule.push(known.ok().map(|k| self.rules[k].1));
    }

    /// Widest gap at which any pair stays blended, m.
    pub fn widest(&self) -> Option<f64> {
        self.rules.iter().map(|r| r.1.part_at_m).reduce(f64::max)
    }

    /// Gaps at which the pair starts and stops blending, m; `None` if it never blends.
    #[inline]
    pub fn limits(&self, a: usize, b: usize, spheres: &Spheres) -> Option<[f64; 2]> {
        let (ra, rb) = (self.rule[a]?, self.rule[b]?);
        if spheres.body[a] == spheres.body[b] {
            return Some([ra.blend_at_m, ra.part_at_m]);
        }
        let low = [
            ra.blend_at_m.min(rb.blend_at_m),
            ra.part_at_m.min(rb.part_at_m),
        ];
        (ra.others && rb.others).then_some(low)
    }

    /// Tests the candidates at the present positions of the spheres.
    pub fn update(&mut self, spheres: &Spheres) {
        core::mem::swap(&mut self.now, &mut self.last);
        let mut candidates = core::mem::take(&mut self.candidates);
        candidates.retain(|&(i, j)| {
            let (a, b) = (i as usize, j as usize);
            let Some([join, part]) = self.limits(a, b, spheres) else {
                return false;
            };
            let touching = spheres.radius[a] + spheres.radius[b];
            let apart: Vec3 = spheres.x[a] - spheres.x[b];
            let square = apart.norm_squared();
            let within = |gap: f64| {
                let reach = touching + gap;
                reach >= 0.0 && square <= reach * reach
            };
            // Most pairs are clearly near or far and need no search in the table.
            within(join) || (within(part) && self.last.row(a).binary_search(&j).is_ok())
        });
        self.now.fill(&candidates, spheres.x.len());
        self.candidates = candidates;
        self.events.clear();
        for i in 0..spheres.x.len() {
            let (mut old, mut new) = (self.last.row(i).iter(), self.now.row(i).iter());
            let (mut o, mut n) = (old.next(), new.next());
            loop {
                let event = match (o, n) {
                    (None, None) => break,
                    (Some(&j), None) => BlendEvent::Removed(i as u32, j),
                    (None, Some(&j)) => BlendEvent::Added(i as u32, j),
                    (Some(&j), Some(&k)) if j < k => BlendEvent::Removed(i as u32, j),
                    (Some(&j), Some(&k)) if j > k => BlendEvent::Added(i as u32, k),
                    _ => {
                        (o, n) = (old.next(), new.next());
                        continue;
                    }
                };
                self.events.push(event);
                match event {
                    BlendEvent::Removed(..) => o = old.next(),
                    BlendEvent::Added(..) => n = new.next(),
                }
            }
        }
    }

    /// All pairs that blend, rising.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.now.first.len().saturating_sub(1))
            .flat_map(|i| self.now.row(i).iter().map(move |j| (i as u32, *j)))
    }
}
