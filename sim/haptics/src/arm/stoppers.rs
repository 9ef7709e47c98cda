//! What stopped or held the tool: pairs that are looked at again.
//!
//! Real-time callable: no allocation, no blocking, work bounded by [`STOPPERS`] and
//! [`super::MAX_ROWS`].

use hapticd_ccd::PairKind;
use hapticd_geometry::Rigid;

use super::Arm;
use crate::rows::{Candidate, candidate};
use crate::snapshot::BodyKey;

/// A pair that stopped a motion: from then on it has a row, whatever the filter of contacts says of it, until it is out of
/// reach or has not been needed for a while.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Stopper {
    body: BodyKey,
    kind: PairKind,
    tool_feature: u32,
    body_feature: u32,
}

/// How many of them are remembered.
pub(super) const STOPPERS: usize = 8;
/// For how many ticks.
const STOPPER_TICKS: u64 = 16;

impl Arm {
    fn stopper(&self, c: &Candidate) -> Option<Stopper> {
        let pair = self.snapshot.as_deref()?.pairs.get(c.pair_index as usize)?;
        Some(Stopper {
            body: self.near.get(c.body_index as usize)?.entry.key,
            kind: pair.kind,
            tool_feature: pair.tool_feature,
            body_feature: pair.body_feature,
        })
    }

    pub(super) fn has_stopped(&self, c: &Candidate) -> bool {
        let mut known = self.stoppers.iter().flatten();
        known.clone().next().is_some()
            && self.stopper(c).is_some_and(|s| known.any(|(k, _)| *k == s))
    }

    /// Remembers the candidate that stopped a motion, in the place of the one that is forgotten first.
    pub(super) fn remember(&mut self, candidate: usize, tick: u64) {
        let Some(stopper) = self.candidates.get(candidate).and_then(|c| self.stopper(c)) else {
            return;
        };
        let rank = |slot: &Option<(Stopper, u64)>| match slot {
            Some((s, _)) if *s == stopper => 0,
            None => 1,
            Some((_, until)) => 2 + until,
        };
        if let Some(slot) = self.stoppers.iter_mut().min_by_key(|s| rank(s)) {
            *slot = Some((stopper, tick + STOPPER_TICKS));
        }
    }

    /// Notes what held the tool back in the round that ends, for [`Arm::recall`].
    pub(super) fn keep_holding(&mut self) {
        self.kept.clear();
        let held = self.holding.iter();
        let held = held.filter_map(|&i| self.candidates.get(i as usize));
        self.kept.extend(held.map(|c| (c.body_index, c.pair_index)));
    }

    /// Looks at the kept pairs once more, whatever the budget says: a round that saw none of the
    /// contacts of the round before would take them for gone, and the hand would feel nothing.
    /// Not counted: at most [`super::MAX_ROWS`] and a stopper. Gives how many there are, the first
    /// of the candidates.
    pub(super) fn recall(&mut self) -> usize {
        let Some(snapshot) = self.snapshot.as_deref() else {
            return 0;
        };
        let world_from_tool = Rigid::new(&self.proxy);
        for &(body_index, pair_index) in &self.kept {
            let near = &self.near[body_index as usize];
            let pair = &snapshot.pairs[pair_index as usize];
            self.candidates.push(Candidate {
                radius_m: near.radius_m,
                body_index,
                pair_index,
                ..candidate(pair, &world_from_tool, near.frame())
            });
        }
        self.kept.len()
    }
}
