//! The certified answer: feature pairs near the tool, and how far the tool may move before the list
//! is incomplete.
//!
//! # Theory
//!
//! For each body, the proximity query returns the nearest feature pairs and a distance
//! `complete_to` such that every *unlisted* pair is at least that far away. If no tool point moves
//! more than `m` relative to the body, an unlisted pair stays farther than `complete_to - m`; so
//! `margin = complete_to - clearance` keeps it beyond the clearance. A truncated list has a smaller
//! `complete_to`, hence a smaller margin: the work is bounded ([`crate::effort`]) and the
//! certificate stays valid. The capacity of an answer goes to the nearest pairs over all bodies.

use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::{FeaturePair, MeshIndex, MidPhaseQuery, NearPair, PairKind, Winding};
use hapticd_geometry::{Pose, Rigid, Vec3, transform};
use hapticd_proxy::{ArmQuery, BodyEntry, HINTS, MidPhaseShare, Pair, Query, Snapshot};

use crate::around::{Around, Sides, around};
use crate::body::Shape;
use crate::effort::{AnswerWork, ENCLOSURE, ENCLOSURES, MAX_CANDIDATES, SEARCHES};
use crate::found::{Found, share_capacity};
use crate::inside::encloses;
use crate::resident::Tool;
use crate::world::Scene;

/// What one arm asks for.
#[derive(Clone, Copy)]
struct Request<'a> {
    query: &'a Query,
    arm: usize,
    asked: &'a ArmQuery,
    /// Reference pose of the answer.
    world_from_tool: Pose,
}

impl<'a> Request<'a> {
    fn new(query: &'a Query, arm: usize) -> Self {
        let asked = &query.arms[arm];
        Self {
            query,
            arm,
            asked,
            world_from_tool: asked.world_from_reference(),
        }
    }

    /// Whether the answer must say if the tool is inside a body: everything not proven solid.
    fn asks_about(&self, body: &Around<'_>) -> bool {
        // By key, not by slot: when the loop sent the query, another body may have had this one's
        // slot.
        let known = body.tool || self.query.pose_of(body.key).is_some();
        !known || self.asked.solid & (1 << body.key.slot) == 0
    }

    /// Whether the tool holds this body, which is no obstacle to it then.
    fn is_held(&self, body: &Around<'_>) -> bool {
        let grasp = self.query.grasps[self.arm].as_ref();
        grasp.is_some_and(|grasp| grasp.key == body.key)
    }
}

impl Scene {
    /// Fills `out` with the answer for one arm. Returns false, with `out` unchanged, if that arm
    /// has no query.
    ///
    /// Does not allocate after its work space has grown to the scene. Does not wait, except for a
    /// mid-phase. Deterministic, also with a mid-phase.
    pub fn answer(&mut self, query: &Query, arm: usize, out: &mut Snapshot) -> bool {
        if !self.has_answer(query, arm) {
            return false;
        }
        let request = Request::new(query, arm);
        self.begin_answer(&request, out);
        self.ask_midphase(&request);
        let part = self.search_bodies(&request, &mut out.midphase);
        self.search_exhausted(&request, part);
        if out.midphase.bodies > 0 {
            let took_ns = self.midphase.as_ref().and_then(|m| m.facts().gpu_ns);
            out.midphase.took_ns = took_ns.unwrap_or(0.0) as u64;
        }
        share_capacity(
            &self.near,
            &mut self.found,
            out.pairs.capacity(),
            &mut self.distances,
        );
        self.certify_bodies(&request, out);
        true
    }

    /// Empties `out` and gives it its head and the next trajectory of the dynamic bodies.
    fn begin_answer(&mut self, request: &Request<'_>, out: &mut Snapshot) {
        self.sequence += 1;
        out.sequence = self.sequence;
        out.query_tick = request.query.tick;
        out.arm = request.arm;
        out.epoch = request.asked.epoch;
        out.world_from_tool = request.world_from_tool;
        out.scene_version = self.version;
        out.compute_ns = 0;
        out.midphase = MidPhaseShare::default();
        out.bodies.clear();
        out.smooth.clear();
        out.pairs.clear();
        out.trajectory.clear();
        if let Some(trajectory) = self.dynamics().and_then(|d| d.trajectory(request.query)) {
            out.trajectory.copy_from(trajectory);
        }
    }

    /// Queries the mid-phase about all bodies at once, before the first of its answers is needed.
    fn ask_midphase(&mut self, request: &Request<'_>) {
        let (Some(midphase), Some(tool)) = (&mut self.midphase, &self.tools[request.arm]) else {
            return;
        };
        let bodies = around(&self.slots, &self.tools, request.query, request.arm);
        midphase.ask(&mut bodies.map(|body| MidPhaseQuery {
            a: &tool.shape.index,
            b: &body.shape.index,
            b_from_a: body.world_from_body.inverse() * request.world_from_tool,
            reach_m: request.asked.reach_m + (tool.tool.radius_m + body.radius_m),
        }));
    }

    /// Finds every body's nearest pairs, among the candidates of the mid-phase where it names not
    /// too many. Each body's search has an even part of the budget, which is returned.
    fn search_bodies(&mut self, request: &Request<'_>, share: &mut MidPhaseShare) -> u64 {
        let Request { query, arm, .. } = *request;
        self.near.clear();
        self.found.clear();
        self.spent = AnswerWork::default();
        let count = around(&self.slots, &self.tools, query, arm).count() as u64;
        let (part, mut named) = (SEARCHES / count.max(1), 0);
        let Some(tool) = &self.tools[arm] else {
            return part;
        };
        for (k, body) in around(&self.slots, &self.tools, query, arm).enumerate() {
            if request.is_held(&body) {
                self.found.push(Found::NOTHING);
                continue;
            }
            let sides = Sides::new(tool, &body, request.asked);
            let candidates = self.midphase.as_mut().and_then(|m| m.candidates(k));
            let few = candidates.filter(|some| named + some.len() <= MAX_CANDIDATES);
            let among = few.and_then(|some| {
                named += some.len();
                let near = sides.query_among(&mut self.proximity, some);
                self.spent.search += near.as_ref().map_or(0, |near| near.work);
                near
            });
            let near = match among {
                Some(near) => {
                    share.bodies += 1;
                    near
                }
                None => {
                    let near = sides.query(&mut self.proximity, part);
                    self.spent.search += near.work;
                    near
                }
            };
            self.found.push(Found::new(&near, &sides, &mut self.near));
        }
        part
    }

    /// Searches again for the bodies for which `part` of the budget was not enough: they share what
    /// the others left.
    fn search_exhausted(&mut self, request: &Request<'_>, part: u64) {
        let exhausted = self.found.iter().filter(|f| f.exhausted).count() as u64;
        let share = SEARCHES.saturating_sub(self.spent.search) / exhausted.max(1);
        if let Some(tool) = &self.tools[request.arm]
            && share > part
            && exhausted > 0
        {
            let bodies = around(&self.slots, &self.tools, request.query, request.arm);
            for (body, found) in bodies.zip(&mut self.found).filter(|(_, f)| f.exhausted) {
                let sides = Sides::new(tool, &body, request.asked);
                let near = sides.query(&mut self.proximity, share);
                self.spent.search += near.work;
                *found = Found::new(&near, &sides, &mut self.near);
            }
        }
        self.spent.exhausted = self.found.iter().filter(|f| f.exhausted).count();
    }

    /// Lists every body with its share of the pairs, and certifies how far the tool may move before
    /// a pair that is not listed can touch it.
    fn certify_bodies(&mut self, request: &Request<'_>, out: &mut Snapshot) {
        let Request { query, arm, .. } = *request;
        let Some(tool) = &self.tools[arm] else {
            return;
        };
        let asking = around(&self.slots, &self.tools, query, arm);
        let asks = |body: &Around<'_>| request.asks_about(body) && !request.is_held(body);
        let asking = asking.filter(asks).count() as u64;
        let mut enclosure = EnclosureTest {
            intersections: &mut self.intersections,
            winding: &mut self.winding,
            spent: &mut self.spent,
            visits_each: ENCLOSURE.min(ENCLOSURES / asking.max(1)),
        };
        let running = self.dynamics.as_deref().filter(|d| d.is_running());
        let bodies = around(&self.slots, &self.tools, query, arm);
        for (body, found) in bodies.zip(&self.found) {
            let body_from_tool = body.world_from_body.inverse() * request.world_from_tool;
            let near = found.of(&self.near);
            let first = out.pairs.len();
            let mut complete_to = found.complete_to;
            if let Some(left_out) = near.get(found.taken) {
                complete_to = complete_to.min(left_out.distance);
            }
            let full = complete_to < request.asked.reach_m;
            let frame_from_tool = Rigid::new(if body.fixed {
                &request.world_from_tool
            } else {
                &body_from_tool
            });
            let listed = &near[..found.taken];
            if !list_pairs(listed, tool, &body, &frame_from_tool, &mut out.pairs) {
                // The query names only existing features. If one did not exist, nothing could be
                // certified.
                complete_to = f64::NEG_INFINITY;
            }
            let taken = out.pairs.len() - first;
            let encloses_tool =
                asks(&body) && enclosure.encloses(&tool.shape, body.shape, &body_from_tool);
            let by_trajectory = !(body.fixed || body.tool) && running.is_some();
            let shaded = body.material.force_shading && !by_trajectory && taken > 0;
            (out.smooth).push(body.shape.smooth.clone().filter(|_| shaded));
            out.bodies.push(BodyEntry {
                key: body.key,
                id: body.id,
                world_from_body: body.world_from_body,
                fixed: body.fixed,
                margin_m: complete_to - self.clearance_m,
                first_pair: first as u32,
                pair_count: taken as u32,
                full,
                encloses_tool,
                target: body.target,
                by_trajectory,
                dynamic: body.dynamic,
                centre: (running.filter(|_| !body.tool))
                    .map_or_else(Vec3::zeros, |d| d.centre(body.key.slot as usize)),
                bound_m: body.shape.bound_m,
                radius_m: body.radius_m,
                material: body.material,
            });
        }
    }

    /// Whether this arm has a query and a tool.
    #[must_use]
    pub fn has_answer(&self, query: &Query, arm: usize) -> bool {
        let asks = query.arms.get(arm).is_some_and(|asked| asked.present);
        asks && self.tools[arm].is_some()
    }
}

/// The test whether the tool is inside a body, around it or across its surface.
struct EnclosureTest<'s> {
    intersections: &'s mut Intersections,
    winding: &'s mut Winding,
    spent: &'s mut AnswerWork,
    /// Boxes that it may visit for one body.
    visits_each: u64,
}

impl EnclosureTest<'_> {
    /// Tests one body. A body that is not known to be clear counts as enclosing the tool.
    fn encloses(&mut self, tool: &Shape, body: &Shape, body_from_tool: &Pose) -> bool {
        let mut visits = self.visits_each;
        let meets =
            (self.intersections).any_within(&tool.index, &body.index, body_from_tool, &mut visits);
        let encloses_tool =
            meets != Some(false) || encloses(self.winding, tool, body, body_from_tool, &mut visits);
        self.spent.enclosure += self.visits_each - visits;
        self.spent.undecided += usize::from(visits == 0 && encloses_tool);
        encloses_tool
    }
}

/// Appends the pairs of one body that the answer lists. Returns whether all their features exist.
fn list_pairs(
    listed: &[NearPair],
    tool: &Tool,
    body: &Around<'_>,
    frame_from_tool: &Rigid,
    pairs: &mut Vec<Pair>,
) -> bool {
    let world = body.fixed.then_some(&body.world_from_body);
    let mut all_exist = true;
    for pair in listed {
        match resolve(
            pair,
            &tool.shape.index,
            &body.shape.index,
            world,
            frame_from_tool,
        ) {
            Some(p) => pairs.push(p),
            None => all_exist = false,
        }
    }
    all_exist
}

/// Looks up the coordinates of a pair of feature indices. If `world` is given, the body's side is
/// in the world frame.
fn resolve(
    pair: &NearPair,
    tool: &MeshIndex,
    body: &MeshIndex,
    world: Option<&Pose>,
    frame_from_tool: &Rigid,
) -> Option<Pair> {
    let mut hints = [Vec3::zeros(); HINTS];
    let tool_points = tool.feature_a(pair.kind, pair.feature_a)?;
    let mut body_points = body.feature_b(pair.kind, pair.feature_b)?;
    let body_hints = match pair.kind {
        PairKind::VertexFace => {
            hints[..3].copy_from_slice(&body.into_neighbours(pair.feature_b));
            hints[3..].copy_from_slice(&tool.along_edges(pair.feature_a));
            0..3
        }
        PairKind::FaceVertex => {
            hints[..3].copy_from_slice(&tool.into_neighbours(pair.feature_a));
            hints[3..].copy_from_slice(&body.along_edges(pair.feature_b));
            3..HINTS
        }
        PairKind::EdgeEdge => {
            [hints[0], hints[1]] = tool.into_faces(pair.feature_a);
            [hints[2], hints[3]] = body.into_faces(pair.feature_b);
            2..4
        }
    };
    if let Some(pose) = world {
        for p in &mut body_points[..pair.kind.points_b()] {
            *p = transform(pose, p);
        }
        for h in &mut hints[body_hints] {
            *h = pose.rotation * *h;
        }
    }
    Some(Pair {
        // The distance of the query, which is comparable to its `complete_to` to the last digit.
        distance_m: pair.distance,
        tool_feature: pair.feature_a,
        body_feature: pair.feature_b,
        ..Pair::new(
            FeaturePair {
                kind: pair.kind,
                a: &tool_points,
                b: &body_points,
            },
            hints,
            frame_from_tool,
            0.0,
        )
    })
}
