//! Pairs of clusters near each other, and how far each has moved since it was traced in full
//! (Lehericey 2016, chapter 4, section 4.1).
//!
//! # Theory
//!
//! The boxes of the clusters are inflated by half of the threshold each, so two clusters that
//! become neighbours must move by the threshold before they can touch. A new pair is still traced
//! in full: it may have been near from the start, or come from far away in one step.
//!
//! # Practice
//!
//! Pairs are *directed*: rays go from the first cluster to the second. They are sorted by source,
//! target and clusters, so all pairs from one cluster to one target are contiguous (a [`Run`]).

use rayon::prelude::*;

use crate::bounds::{Bounds, near};
use crate::displacement::{Measure, Motion};
use crate::scene::Item;

/// Two clusters near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClusterPair {
    /// Object whose points send rays.
    pub source: u32,
    /// Object that the rays are tested against.
    pub target: u32,
    /// Cluster of the source, local.
    pub from: u32,
    /// Cluster of the target, local.
    pub to: u32,
    /// Relative motion since the last full trace.
    pub moved: Motion,
    /// Whether the pair is to be traced in full.
    pub full: bool,
}

impl ClusterPair {
    fn key(&self) -> (u32, u32, u32, u32) {
        (self.source, self.target, self.from, self.to)
    }
}

/// All neighbours of one cluster in one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Object whose points send rays.
    pub source: u32,
    /// Object that the rays are tested against.
    pub target: u32,
    /// Cluster of the source, local.
    pub from: u32,
    /// Index of the first neighbour.
    pub first: u32,
    /// Number of neighbours.
    pub count: u32,
}

/// All pairs of near clusters. See the module documentation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Neighbourhood {
    directed: Vec<(u32, u32)>,
    found: Vec<Scratch>,
    pub now: Vec<ClusterPair>,
    before: Vec<ClusterPair>,
    pub runs: Vec<Run>,
}

/// Results of one chunk of the object pairs.
#[derive(Clone, Debug, Default)]
struct Scratch {
    near: Vec<ClusterPair>,
    targets: Vec<u32>,
}

/// Object pairs per task.
const CHUNK: usize = 8;

impl Neighbourhood {
    /// Finds the neighbours among the clusters of these object pairs `(a, b)`, `a <= b`, and
    /// decides which are to be traced in full.
    ///
    /// `margin`: boxes further apart are not neighbours, m. `threshold`: displacement above which
    /// the trace is full; `None` means always.
    pub fn update(
        &mut self,
        items: &[Item],
        pairs: &[(u32, u32)],
        margin: f32,
        threshold: Option<f32>,
        measure: Measure,
    ) {
        self.directed.clear();
        for &(a, b) in pairs {
            self.directed.push((a, b));
            if a != b {
                self.directed.push((b, a));
            }
        }
        self.directed.sort_unstable();
        let parts = self.directed.len().div_ceil(CHUNK);
        if self.found.len() < parts {
            self.found.resize_with(parts, Scratch::default);
        }
        let directed = self.directed.par_chunks(CHUNK);
        directed.zip(&mut self.found).for_each(|(chunk, scratch)| {
            scratch.near.clear();
            for &(source, target) in chunk {
                find(items, source, target, margin, scratch);
            }
        });
        std::mem::swap(&mut self.now, &mut self.before);
        self.now.clear();
        for scratch in &self.found[..parts] {
            self.now.extend_from_slice(&scratch.near);
        }
        let mut old = self.before.iter().peekable();
        for near in &mut self.now {
            while old.next_if(|o| o.key() < near.key()).is_some() {}
            let known = old.next_if(|o| o.key() == near.key());
            let (Some(known), Some(threshold)) = (known, threshold) else {
                near.full = true;
                continue;
            };
            let moved = known.moved.then(&near.moved);
            if measure == Measure::Absolute {
                // Each point decides separately.
                near.full = false;
            } else if moved.length() > threshold {
                near.full = true;
                near.moved = Motion::ZERO;
                continue;
            }
            near.moved = moved;
        }
        // A full trace resets the sum.
        for near in self.now.iter_mut().filter(|near| near.full) {
            near.moved = Motion::ZERO;
        }
        self.runs.clear();
        for (i, near) in self.now.iter().enumerate() {
            let same = i > 0 && {
                let last = &self.now[i - 1];
                (last.source, last.target, last.from) == (near.source, near.target, near.from)
            };
            match self.runs.last_mut() {
                Some(run) if same => run.count += 1,
                _ => self.runs.push(Run {
                    source: near.source,
                    target: near.target,
                    from: near.from,
                    first: i as u32,
                    count: 1,
                }),
            }
        }
    }

    pub fn of(&self, run: &Run) -> &[ClusterPair] {
        &self.now[run.first as usize..(run.first + run.count) as usize]
    }
}

/// Appends the neighbours of one directed pair of objects.
fn find(items: &[Item], source: u32, target: u32, margin: f32, scratch: &mut Scratch) {
    let (a, b) = (&items[source as usize], &items[target as usize]);
    let all: &Bounds = &a.bounds;
    scratch.targets.clear();
    for (c, bounds) in b.cluster_bounds.iter().enumerate() {
        if near(all, bounds, margin) {
            scratch.targets.push(c as u32);
        }
    }
    for (from, bounds) in a.cluster_bounds.iter().enumerate() {
        if !near(bounds, &b.bounds, margin) {
            continue;
        }
        for &to in &scratch.targets {
            if near(bounds, &b.cluster_bounds[to as usize], margin) {
                let moved = a.motions[from].relative(&b.motions[to as usize]);
                scratch.near.push(ClusterPair {
                    source,
                    target,
                    from: from as u32,
                    to,
                    moved,
                    full: false,
                });
            }
        }
    }
}
