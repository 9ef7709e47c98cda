//! Bodies near the tool in the snapshot in use: how far their certificates reach, and which pairs
//! must be evaluated.
//!
//! Real-time callable: no allocation, no blocking, work bounded by the pair budget.

use hapticd_geometry::{Pose, Quat, Rigid, transform};

use super::Proxy;
use crate::bodies::{BodyTable, TrackedBody};
use crate::motion::path_of;
use crate::outcome::{ArmOutcome, MAX_SUBSTEPS, MIN_SUBSTEP_M};
use crate::rows::candidate;
use crate::snapshot::{BodyEntry, Snapshot};

/// Factor by which the next query's reach exceeds what a full list is sure to cover.
const REACH_FACTOR: f64 = 1.05;
/// Largest share of the certificate in use that a predicted motion may take.
const MAX_PREDICTED_SHARE: f64 = 0.9;
/// Covers the rounding of a pair's separation, m: exact to 1e-12 of the coordinates.
pub(super) const ROUNDING_M: f64 = 1e-9;

/// A body of the snapshot in use that may be touched, with the rest of its certificate.
#[derive(Clone, Copy)]
pub(super) struct NearBody {
    pub(super) entry: BodyEntry,
    /// Transforms from the frame of the pairs' body points to the world, and from the tool to that
    /// frame.
    pub(super) world_from_frame: Rigid,
    pub(super) frame_from_tool: Rigid,
    /// Upper bound on the tool's motion relative to the body since the reference poses, m.
    pub(super) moved: f64,
    /// Sum of the radii of tool and body, m.
    pub(super) radius_m: f64,
    /// The body's first `tested_pairs` pairs were tested at the present poses. Those of them that
    /// may be nearer than `tested_to_m` are among the candidates.
    pub(super) tested_pairs: usize,
    pub(super) tested_to_m: f64,
}

impl NearBody {
    /// Returns the reference distance below which a pair can come nearer than the clearance on a
    /// path: `|d - d_reference| <= moved + path`.
    pub(super) fn within_reach(&self, path: f64, clearance_m: f64) -> f64 {
        self.moved + path + clearance_m
    }

    /// Returns the frame of the pairs' body points; `None` if it is the world.
    pub(super) fn frame(&self) -> Option<&Rigid> {
        (!self.entry.fixed).then_some(&self.world_from_frame)
    }
}

impl Proxy {
    /// Returns the reach that the next answer should have, m; infinite if nothing is known.
    ///
    /// A full list with its furthest pair at distance `d` shows that after a motion of `moved` at
    /// least as many pairs are within `d + moved`. With the same capacity the next list is full
    /// there, and a slightly larger reach proves it. The tool moves no further than its shortest
    /// certificate, so a larger reach for other bodies gains nothing unless they approach; the
    /// caller adds that. If the list turns out not to be full (neighbours left, bodies went), one
    /// answer certifies less than it could, and the next uses its full reach.
    pub fn worthwhile_reach(&self, bodies: &BodyTable, reference: &Pose) -> f64 {
        let mut reach = f64::INFINITY;
        let Some(snapshot) = self.snapshot.as_deref() else {
            return reach;
        };
        for entry in snapshot.bodies.iter().filter(|e| e.full) {
            let body = bodies.get(entry.key).filter(|_| self.is_solid(entry.key));
            let (Some(body), Some(last)) = (body, snapshot.pairs_of(entry).last()) else {
                continue;
            };
            let moved = self.moved_since(snapshot, entry, &body.pose, reference);
            reach = reach.min(REACH_FACTOR * (last.distance_m.max(0.0) + moved) + ROUNDING_M);
        }
        reach
    }

    /// Returns the predicted pose of the tool in `ahead_s`, relative to its present pose.
    ///
    /// The tool is assumed to keep its velocity, but within what is certified about a tool that
    /// stands still instead. If some body is not solid, the prediction is the present pose.
    pub fn expected(&self, ahead_s: f64) -> Pose {
        let Some(snapshot) = self.snapshot.as_deref().filter(|_| ahead_s > 0.0) else {
            return Pose::identity();
        };
        let obstacles = || snapshot.bodies.iter().filter(|e| !self.grasps(e.key));
        if !obstacles().all(|entry| self.is_solid(entry.key)) {
            return Pose::identity();
        }
        let motion = self.velocity * ahead_s;
        let path = path_of(&self.shape, &motion);
        let margins = obstacles().map(|entry| entry.margin_m);
        let most = MAX_PREDICTED_SHARE * margins.fold(f64::INFINITY, f64::min).max(0.0);
        // Not: `path <= ...`, so that NaN predicts nothing.
        if !(path > MIN_SUBSTEP_M) {
            return Pose::identity();
        }
        let motion = motion * (most / path).min(1.0);
        let (shift, turn) = (motion.fixed_rows::<3>(0), motion.fixed_rows::<3>(3));
        let rotation = Quat::from_scaled_axis(turn.into_owned()) * self.proxy.rotation;
        let centre = transform(&self.proxy, &self.shape.centre) + shift;
        let there = Pose::from_parts((centre - rotation * self.shape.centre).into(), rotation);
        self.proxy.inverse() * there
    }

    /// Lists the solid bodies of the snapshot in use at the present poses.
    pub(super) fn survey(&mut self, bodies: &BodyTable) {
        self.near.clear();
        self.candidates.clear();
        let Some(snapshot) = self.snapshot.as_deref() else {
            return;
        };
        for entry in &snapshot.bodies {
            if !self.meets(entry.key) {
                continue;
            }
            let Some(body) = bodies.get(entry.key) else {
                continue;
            };
            let near = self.near_body(snapshot, entry, body);
            self.near.push(near);
        }
    }

    pub(super) fn near_body(
        &self,
        snapshot: &Snapshot,
        entry: &BodyEntry,
        body: &TrackedBody,
    ) -> NearBody {
        let frame = if entry.fixed {
            Pose::identity()
        } else {
            body.pose
        };
        NearBody {
            entry: *entry,
            world_from_frame: Rigid::new(&frame),
            frame_from_tool: Rigid::new(&(frame.inverse() * self.proxy)),
            moved: self.moved_since(snapshot, entry, &body.pose, &self.proxy),
            radius_m: self.shape.radius_m + entry.radius_m,
            tested_pairs: 0,
            tested_to_m: f64::NEG_INFINITY,
        }
    }

    /// Returns the largest step that a body may plan in a tick, m: half of the rest of the
    /// certificate between it and the tool. A tool that gives way to it needs the other half.
    /// Giving way to a step that is not made would push the hand every other tick.
    pub(crate) fn largest_step_m(&self, body: &TrackedBody) -> f64 {
        if !self.present || !self.is_solid(body.key) {
            return f64::INFINITY;
        }
        let snapshot = self.snapshot.as_deref();
        let entry = snapshot.and_then(|s| Some((s, s.bodies.iter().find(|e| e.key == body.key)?)));
        // A body that the answer in use does not list stands still.
        let Some((snapshot, entry)) = entry else {
            return 0.0;
        };
        if entry.pair_count == 0 {
            return f64::INFINITY;
        }
        let moved_m = self.moved_since(snapshot, entry, &body.pose, &self.proxy);
        0.5 * (entry.margin_m - moved_m).max(0.0)
    }

    /// Reports which answer is in use.
    pub(super) fn report(&self, out: &mut ArmOutcome, tick: u64) {
        if let Some(s) = self.snapshot.as_deref() {
            out.snapshot_age = tick.saturating_sub(s.query_tick);
            out.snapshot_sequence = s.sequence;
            out.midphase = s.midphase;
        }
    }

    /// Returns the path that the certificates leave, at most `wanted`, m.
    ///
    /// Unlisted pairs were `margin + clearance` away or more and have approached by `moved` at
    /// most.
    pub(super) fn certified_path(&self, wanted: f64) -> f64 {
        let mut path = wanted;
        for near in &self.near {
            path = path.min(near.entry.margin_m - near.moved);
        }
        path.max(0.0)
    }

    /// Returns the part of `path` for which at most `budget` pairs must be evaluated.
    pub(super) fn affordable_path(
        &self,
        near: &[NearBody],
        snapshot: &Snapshot,
        path: f64,
        budget: usize,
    ) -> f64 {
        let fits = |path: f64| -> bool {
            let clearance_m = self.distances.clearance_m;
            let must =
                |near: &NearBody| reachable(snapshot, near, near.within_reach(path, clearance_m));
            near.iter().map(must).sum::<usize>() <= budget
        };
        // Mostly the whole list fits, and needs no search.
        let listed = |near: &NearBody| snapshot.pairs_of(&near.entry).len();
        if near.iter().map(listed).sum::<usize>() <= budget || fits(path) {
            return path;
        }
        let mut path = path;
        while path >= MIN_SUBSTEP_M {
            path *= 0.5;
            if fits(path) {
                return if fits(1.5 * path) { 1.5 * path } else { path };
            }
        }
        0.0
    }

    /// Returns the distance below which a pair may need a row: it can come to the safe distance on
    /// this path, including the body's own step.
    pub(super) fn horizon(&self, near: &NearBody, bodies: &BodyTable, path: f64) -> f64 {
        path + bodies.step_path(near.entry.key) + self.distances.safe_m
    }

    /// Evaluates every pair that can come nearer than the clearance on this path (they fit the
    /// budget, or the path is 0), then those that may need a row, as far as the budget goes. Adds
    /// to what was gathered for a shorter path since the survey. Returns the number of pairs
    /// evaluated.
    ///
    /// Two filters apply, the cheap one first: the distance at the reference poses less the motion
    /// since then, and the pair's separation along the direction of its reference poses.
    ///
    /// `kept` is the number of candidates kept from the round before.
    pub(super) fn gather(
        &mut self,
        bodies: &BodyTable,
        path: f64,
        budget: usize,
        kept: usize,
    ) -> u32 {
        // Capacity for every pair that this path must evaluate, whatever the shorter one kept.
        if self.candidates.len() + budget > MAX_SUBSTEPS * self.pair_budget + kept {
            self.candidates.truncate(kept);
            for near in &mut self.near {
                near.tested_pairs = 0;
            }
        }
        let Some(snapshot) = self.snapshot.as_deref() else {
            return 0;
        };
        let clearance_m = self.distances.clearance_m;
        let must =
            |near: &NearBody| reachable(snapshot, near, near.within_reach(path, clearance_m));
        let mut spare = budget.saturating_sub(self.near.iter().map(must).sum::<usize>());
        let world_from_tool = Rigid::new(&self.proxy);
        let mut tested = 0;
        for i in 0..self.near.len() {
            let near = &self.near[i];
            let must = must(near);
            let horizon = self.horizon(near, bodies, path);
            let may = reachable(snapshot, near, near.moved + horizon).max(must);
            let extra = (may - must).min(spare);
            spare -= extra;
            let limit = horizon.max(path + clearance_m) + near.radius_m + ROUNDING_M;
            let pairs = &snapshot.pairs_of(&near.entry)[..must + extra];
            for (k, pair) in pairs.iter().enumerate() {
                if tested as usize == budget {
                    break;
                }
                let separation = pair.separation(&near.frame_from_tool);
                // Not: `separation <= limit`, so that NaN is evaluated.
                let evaluated = k < near.tested_pairs && !(separation > near.tested_to_m);
                let place = (i as u8, near.entry.first_pair + k as u32);
                if evaluated || separation > limit || self.kept[..kept].contains(&place) {
                    continue;
                }
                tested += 1;
                let mut c = candidate(pair, &world_from_tool, near.frame());
                c.radius_m = near.radius_m;
                (c.body_index, c.pair_index) = place;
                self.candidates.push(c);
            }
            let near = &mut self.near[i];
            near.tested_pairs = near.tested_pairs.max(must + extra);
            near.tested_to_m = near.tested_to_m.max(limit);
        }
        tested
    }
}

/// Returns how many of a body's pairs were nearer than this at the reference poses.
fn reachable(snapshot: &Snapshot, near: &NearBody, distance_m: f64) -> usize {
    let pairs = snapshot.pairs_of(&near.entry);
    pairs.partition_point(|p| p.distance_m < distance_m)
}
