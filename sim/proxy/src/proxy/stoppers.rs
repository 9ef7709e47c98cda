//! Pairs that stopped or held the tool, kept to be evaluated again.
//!
//! Real-time callable: no allocation, no blocking, work bounded by [`STOPPERS`] and
//! [`super::MAX_ROWS`].

use hapticd_ccd::PairKind;
use hapticd_geometry::Rigid;

use super::Proxy;
use crate::rows::{Candidate, candidate};
use crate::slots::BodyKey;

/// A pair that stopped a motion. From then on it has a row, regardless of the contact filter, until
/// it is out of reach or has not been needed for some time.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Stopper {
    body: BodyKey,
    kind: PairKind,
    tool_feature: u32,
    body_feature: u32,
}

/// Number of stoppers that are remembered.
pub(super) const STOPPERS: usize = 8;
/// Number of ticks for which a stopper is remembered.
const STOPPER_TICKS: u64 = 16;

impl Proxy {
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

    /// Forgets the stoppers whose time is over.
    pub(super) fn expire_stoppers(&mut self, tick: u64) {
        for slot in &mut self.stoppers {
            *slot = slot.filter(|(_, until)| *until > tick);
        }
    }

    /// Remembers the candidate that stopped a motion, in place of the stopper that expires first.
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

    /// Keeps what held the tool back in the round that ends, for [`Proxy::recall`].
    pub(super) fn keep_holding(&mut self) {
        self.kept.clear();
        let held = self.holding.iter();
        let held = held.filter_map(|&i| self.candidates.get(i as usize));
        self.kept.extend(held.map(|c| (c.body_index, c.pair_index)));
    }

    /// Evaluates the kept pairs again, outside of the budget: a round that evaluated none of the
    /// previous round's contacts would take them for gone, and the hand would feel nothing. There
    /// are at most [`super::MAX_ROWS`] and a stopper. Returns their number; they are the first
    /// candidates.
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

#[cfg(test)]
mod tests {
    use hapticd_ccd::FeaturePair;
    use hapticd_geometry::{Pose, Vec3};

    use super::super::NearBody;
    use super::*;
    use crate::arm_setup::ArmSetup;
    use crate::coupling::{Damping, Gains};
    use crate::interaction::Interaction;
    use crate::snapshot::{BodyEntry, HINTS, Material, Pair, Snapshot};
    use crate::tool::{Distances, ToolShape};

    /// Returns the pair of a ball's centre and a face that lies `below_m` under the tool's origin.
    fn over_a_face(below_m: f64, tool_feature: u32, body_feature: u32) -> Pair {
        let face = [[0.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let face = face.map(|[x, y]| Vec3::new(x, y, -below_m));
        let hints = [Vec3::zeros(); HINTS];
        let there = Rigid::new(&Pose::identity());
        let kind = PairKind::VertexFace;
        Pair {
            tool_feature,
            body_feature,
            ..Pair::new(
                FeaturePair {
                    kind,
                    a: &[Vec3::zeros(); 3],
                    b: &face,
                },
                hints,
                &there,
                0.0,
            )
        }
    }

    fn near(slot: u8, radius_m: f64) -> NearBody {
        NearBody {
            entry: BodyEntry {
                key: BodyKey {
                    slot,
                    generation: 1,
                },
                id: 1 + u32::from(slot),
                world_from_body: Pose::identity(),
                fixed: true,
                margin_m: 1.0,
                first_pair: 0,
                pair_count: 0,
                full: false,
                encloses_tool: false,
                target: None,
                by_trajectory: false,
                dynamic: false,
                centre: Vec3::zeros(),
                bound_m: 1.0,
                radius_m: 0.0,
                material: Material {
                    stiffness_n_per_m: 1000.0,
                    damping_n_s_per_m: 0.0,
                    friction: 0.0,
                    force_shading: false,
                },
            },
            world_from_frame: Rigid::new(&Pose::identity()),
            frame_from_tool: Rigid::new(&Pose::identity()),
            moved: 0.0,
            radius_m,
            tested_pairs: 0,
            tested_to_m: 0.0,
        }
    }

    /// Returns an arm with its tool near two bodies. `places` gives body and pair of each
    /// candidate.
    fn arm(pairs: &[Pair], places: &[(u8, u32)]) -> Proxy {
        let mut arm = Proxy::new(&ArmSetup {
            shape: ToolShape::sphere(0.005),
            distances: Distances::for_width(0.2),
            gains: Gains::default(),
            damping: Damping::default(),
            interaction: Interaction::default(),
            pair_budget: 16,
            reach_max_m: 0.1,
            reach_min_m: 0.005,
        });
        let mut snapshot = Snapshot::new(pairs.len());
        snapshot.pairs.extend_from_slice(pairs);
        arm.snapshot = Some(Box::new(snapshot));
        arm.near.extend([near(0, 0.005), near(1, 0.007)]);
        for &(body_index, pair_index) in places {
            let at = Rigid::new(&arm.proxy);
            arm.candidates.push(Candidate {
                body_index,
                pair_index,
                ..candidate(&pairs[pair_index as usize], &at, None)
            });
        }
        arm
    }

    fn stopped(arm: &Proxy) -> Vec<bool> {
        arm.candidates.iter().map(|c| arm.has_stopped(c)).collect()
    }

    #[test]
    fn a_pair_that_stopped_the_tool_is_known_by_body_kind_and_features() {
        let edges = Pair {
            kind: PairKind::EdgeEdge,
            ..over_a_face(0.01, 3, 4)
        };
        let pairs = [
            over_a_face(0.01, 3, 4),
            over_a_face(0.01, 3, 5),
            over_a_face(0.01, 2, 4),
            edges,
            over_a_face(0.02, 3, 4),
        ];
        let mut arm = arm(&pairs, &[(0, 0), (1, 0), (0, 1), (0, 2), (0, 3), (0, 4)]);
        assert_eq!(stopped(&arm), [false; 6]);
        arm.remember(0, 100);
        // The last one is the same pair, in an answer about another place.
        assert_eq!(stopped(&arm), [true, false, false, false, false, true]);
        arm.remember(3, 100);
        assert_eq!(stopped(&arm), [true, false, false, true, false, true]);
        arm.remember(6, 100);
        assert_eq!(arm.stoppers.iter().flatten().count(), 2);
        arm.snapshot = None;
        assert_eq!(stopped(&arm), [false; 6]);
    }

    #[test]
    fn a_pair_that_stops_the_tool_again_is_remembered_from_then() {
        let pairs = [over_a_face(0.01, 0, 0), over_a_face(0.01, 0, 1)];
        let mut arm = arm(&pairs, &[(0, 0), (0, 1)]);
        for (candidate, tick) in [(0, 100), (1, 103), (0, 105)] {
            arm.remember(candidate, tick);
        }
        let mut until: Vec<u64> = arm.stoppers.iter().flatten().map(|s| s.1).collect();
        until.sort_unstable();
        assert_eq!(until, [119, 121]);
    }

    #[test]
    fn of_too_many_the_one_that_would_be_forgotten_first_goes() {
        let pairs: Vec<Pair> = (0..10).map(|k| over_a_face(0.01, 0, k)).collect();
        let places: Vec<(u8, u32)> = (0..10).map(|k| (0, k)).collect();
        let mut arm = arm(&pairs, &places);
        for (k, tick) in [7, 5, 3, 9, 11, 13, 15, 17].into_iter().enumerate() {
            arm.remember(k, tick);
        }
        assert_eq!(stopped(&arm)[..8], [true; 8]);
        arm.remember(8, 20);
        arm.remember(9, 20);
        let mut expected = [true; 10];
        (expected[1], expected[2]) = (false, false);
        assert_eq!(stopped(&arm), expected);
    }

    #[test]
    fn what_held_the_tool_is_recalled_where_the_tool_is_now() {
        let pairs = [over_a_face(0.01, 0, 0), over_a_face(0.02, 0, 1)];
        let mut arm = arm(&pairs, &[(0, 0), (1, 1), (0, 1)]);
        arm.holding.extend([1, 2, 7]);
        arm.keep_holding();
        assert_eq!(arm.kept, [(1, 1), (0, 1)]);
        arm.candidates.clear();
        arm.proxy = Pose::translation(0.0, 0.0, -0.004);
        assert_eq!(arm.recall(), 2);
        let of = |c: &Candidate| (c.body_index, c.pair_index, c.radius_m);
        let places: Vec<_> = arm.candidates.iter().map(of).collect();
        assert_eq!(places, [(1, 1, 0.007), (0, 1, 0.005)]);
        for c in &arm.candidates {
            assert!((c.distance_m - 0.016).abs() < 1e-12, "{c:?}");
        }
        // What held in an earlier round does not count.
        arm.holding.clear();
        arm.keep_holding();
        assert_eq!((arm.recall(), arm.candidates.len()), (0, 2));
    }

    #[test]
    fn without_an_answer_nothing_is_recalled() {
        let mut arm = arm(&[over_a_face(0.01, 0, 0)], &[(0, 0)]);
        arm.holding.push(0);
        arm.keep_holding();
        arm.snapshot = None;
        assert_eq!((arm.recall(), arm.candidates.len()), (0, 1));
    }
}
