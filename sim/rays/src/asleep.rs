//! Sleeping predictions: those between rigid solids that cannot have become a contact, given how
//! far their point has moved since they were found.
//!
//! # Theory
//!
//! The result of a walk matters when it becomes a contact, and most predictions never do: they are
//! near an object that rests. A prediction knows how far its point was from the other object. In
//! the frame of that object nothing else moves, so the point cannot touch until it has moved that
//! far (Lehericey 2016, chapter 2, section 3, property P2, which holds in any frame). Until then
//! the walk is omitted. When it is due, it starts no further away than equation 4.1 assumes,
//! because since the last full trace the pair has moved at most by the displacement threshold. A
//! walk that finds the prediction again computes its free distance again, and the prediction sleeps
//! again.
//!
//! The free distance is not the length of the ray, which exceeds the distance to the surface. It is
//! the height above the planes of the met triangle and of its neighbours that rise towards the
//! point. A nearer surface that is not among these is found late only if a fold is finer than the
//! displacement threshold, half an edge in [`Settings::for_edges`](crate::Settings::for_edges):
//! beyond it the pair is traced in full.
//!
//! # Practice
//!
//! A sleeper has no [`Record`](crate::layout::Record), so until it wakes it does not compete with
//! nearer answers of the same point. Each step tests the position of each sleeper's point, a few
//! nanoseconds, and copies the sleeper.

use crate::V3;
use crate::layout::Ray;
use crate::plan::Directed;
use crate::rays::Rays;
use crate::scene::{RayScene, relative};
use crate::settings::Settings;

/// One prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sleeper {
    /// Point of the source, local.
    pub point: u32,
    /// Triangle of the target where the walk is to start, local.
    pub triangle: u32,
    /// Position of the point when the prediction was found, in the frame of the target, m.
    pub at: V3,
    /// Distance that the point may move from there before it can touch, m.
    pub room: f32,
}

/// A prediction that is about to sleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NewSleeper {
    pub source: u32,
    pub target: u32,
    pub sleeper: Sleeper,
}

/// Sleepers of one directed pair, in order of their points.
#[derive(Clone, Copy, Debug)]
struct Group {
    pair: (u32, u32),
    first: u32,
    count: u32,
}

/// All sleepers. See the module documentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asleep {
    groups: Vec<Group>,
    sleepers: Vec<Sleeper>,
    groups_before: Vec<Group>,
    sleepers_before: Vec<Sleeper>,
    /// Predictions from this step's walks and from its full traces, each in order of source, target
    /// and point.
    falling: [Vec<NewSleeper>; 2],
}

impl Asleep {
    /// Removes all sleepers.
    pub fn clear(&mut self) {
        self.groups.clear();
        self.sleepers.clear();
    }

    /// Removes the sleepers of other pairs. [`Asleep::count`] reflects this from the next
    /// [`Asleep::update`] on.
    pub fn retain(&mut self, stays: impl Fn(u32, u32) -> bool) {
        self.groups
            .retain(|group| stays(group.pair.0, group.pair.1));
    }

    /// Number of sleepers.
    pub fn count(&self) -> usize {
        self.sleepers.len()
    }

    /// Appends a walk for each sleeper of a pair that wakes now.
    pub fn wake(&self, scene: &RayScene, settings: &Settings, pair: &Directed, out: &mut Rays) {
        let key = (pair.source, pair.target);
        let group = self.groups.binary_search_by_key(&key, |group| group.pair);
        let Ok(group) = group.map(|k| &self.groups[k]) else {
            return;
        };
        let [source, target] = [pair.source, pair.target].map(|o| &scene.items[o as usize]);
        let relative = relative(source, target);
        let turn = relative.rotation.to_rotation_matrix();
        for i in group.first..group.first + group.count {
            let sleeper = &self.sleepers[i as usize];
            let x = source.shape.points[sleeper.point as usize];
            let moved = (turn * x + relative.translation.vector - sleeper.at).norm();
            // Not `>=`: a NaN wakes.
            if !(moved + settings.awake_m < sleeper.room) {
                out.woken.push(i);
                out.walk.push(Ray {
                    source: pair.source,
                    point: sleeper.point,
                    target: pair.target,
                    start: sleeper.triangle,
                });
            }
        }
    }

    /// Begins a step. Runs before its traces.
    pub fn begin(&mut self) {
        self.falling.iter_mut().for_each(Vec::clear);
    }

    /// Adds predictions that the traces found. Must be called in order.
    pub fn fall(&mut self, full: bool, some: &[NewSleeper]) {
        self.falling[usize::from(full)].extend_from_slice(some);
    }

    /// Updates the sleepers, once a step, after the traces. Pairs that were walked keep all
    /// sleepers except the woken ones and receive the new ones. Other pairs have only those of the
    /// full traces. `pairs` and `woken` are in order.
    pub fn update(&mut self, pairs: &[Directed], woken: &[u32]) {
        std::mem::swap(&mut self.groups, &mut self.groups_before);
        std::mem::swap(&mut self.sleepers, &mut self.sleepers_before);
        self.clear();
        let mut falling = self.falling.each_ref().map(Vec::as_slice);
        if self.groups_before.is_empty() && falling.iter().all(|some| some.is_empty()) {
            return;
        }
        let mut old = self.groups_before.iter().peekable();
        let mut woken = woken.iter().peekable();
        for pair in pairs {
            let key = (pair.source, pair.target);
            let first = self.sleepers.len();
            while old.next_if(|group| group.pair < key).is_some() {}
            let known = old.next_if(|group| group.pair == key);
            if let Some(group) = known.filter(|_| !pair.full) {
                let (mut from, end) = (group.first, group.first + group.count);
                while from < end {
                    let next = woken.next_if(|i| **i < end).map_or(end, |i| *i);
                    let some = &self.sleepers_before[from as usize..next as usize];
                    self.sleepers.extend_from_slice(some);
                    from = next + 1;
                }
            }
            let kept = self.sleepers.len();
            let found = &mut falling[usize::from(pair.full)];
            let count = found.partition_point(|new| (new.source, new.target) == key);
            let (new, rest) = found.split_at(count);
            *found = rest;
            self.sleepers.extend(new.iter().map(|new| new.sleeper));
            if first < kept && kept < self.sleepers.len() {
                self.sleepers[first..].sort_unstable_by_key(|sleeper| sleeper.point);
            }
            let count = self.sleepers.len() - first;
            if count > 0 {
                self.groups.push(Group {
                    pair: key,
                    first: first as u32,
                    count: count as u32,
                });
            }
        }
        debug_assert!(falling.iter().all(|rest| rest.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(source: u32, target: u32, full: bool) -> Directed {
        Directed {
            source,
            target,
            full,
        }
    }

    fn falling(source: u32, target: u32, point: u32) -> NewSleeper {
        let sleeper = Sleeper {
            point,
            triangle: 7,
            at: V3::zeros(),
            room: 1.0,
        };
        NewSleeper {
            source,
            target,
            sleeper,
        }
    }

    /// Sleepers, pair by pair.
    fn all(asleep: &Asleep) -> Vec<((u32, u32), Vec<u32>)> {
        let of = |group: &Group| {
            let range = group.first as usize..(group.first + group.count) as usize;
            asleep.sleepers[range].iter().map(|s| s.point).collect()
        };
        let groups = asleep.groups.iter();
        groups.map(|group| (group.pair, of(group))).collect()
    }

    #[test]
    fn sleepers_stay_come_and_go() {
        let mut asleep = Asleep::default();
        let points = [
            (1, 2, 0),
            (1, 2, 4),
            (1, 2, 6),
            (1, 3, 5),
            (2, 1, 9),
            (3, 1, 2),
        ];
        asleep.fall(true, &points.map(|(a, b, p)| falling(a, b, p)));
        asleep.update(
            &[(1, 2), (1, 3), (2, 1), (3, 1)].map(|(a, b)| pair(a, b, true)),
            &[],
        );
        let expected = [
            ((1, 2), vec![0, 4, 6]),
            ((1, 3), vec![5]),
            ((2, 1), vec![9]),
            ((3, 1), vec![2]),
        ];
        assert_eq!(all(&asleep), expected);
        // Two wake in one pair, and one of them and a new one fall asleep. One wakes in another
        // pair and does not. A third pair is traced again. A fourth is gone.
        asleep.begin();
        asleep.fall(false, &[falling(1, 2, 3), falling(1, 2, 4)]);
        asleep.fall(true, &[falling(2, 1, 8)]);
        let now = [pair(1, 2, false), pair(1, 3, false), pair(2, 1, true)];
        asleep.update(&now, &[0, 1, 3]);
        assert_eq!(all(&asleep), [((1, 2), vec![3, 4, 6]), ((2, 1), vec![8])]);
        asleep.begin();
        asleep.update(&now[..2], &[]);
        assert_eq!(all(&asleep), [((1, 2), vec![3, 4, 6])]);
        // An object has gone.
        asleep.retain(|_, target| target != 2);
        asleep.update(&now[..2], &[]);
        assert_eq!((all(&asleep), asleep.count()), (vec![], 0));
        asleep.clear();
        assert_eq!(asleep.count(), 0);
    }
}
