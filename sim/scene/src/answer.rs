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

use hapticd_ccd::PairKind;
use hapticd_ccd::{MeshIndex, MidPhaseQuery, NearPair, NearSet, Proximity};
use hapticd_geometry::{Pose, Rigid, Vec3, transform};
use hapticd_proxy::{
    ArmQuery, BodyEntry, BodyKey, BodyTarget, HINTS, MAX_ARMS, Material, MidPhaseShare, Pair,
    Query, Snapshot, ToolShape, tool_id, tool_key,
};

use crate::body::{BodyKind, Shape};
use crate::effort::{AnswerWork, BALL, ENCLOSURE, ENCLOSURES, MAX_CANDIDATES, SEARCHES};
use crate::inside::encloses;
use crate::world::{Resident, Scene, Tool};

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
        let Some(tool) = &self.tools[arm] else {
            return false;
        };
        let asked = &query.arms[arm];
        let world_from_tool = asked.world_from_reference();
        self.sequence += 1;
        out.sequence = self.sequence;
        out.query_tick = query.tick;
        out.arm = arm;
        out.epoch = asked.epoch;
        out.world_from_tool = world_from_tool;
        out.scene_version = self.version;
        out.compute_ns = 0;
        out.midphase = MidPhaseShare::default();
        out.bodies.clear();
        out.smooth.clear();
        out.pairs.clear();
        out.course.clear();
        if let Some(course) = self.dynamics().and_then(|d| d.course(query)) {
            out.course.copy_from(course);
        }

        // The mid-phase is queried about all bodies at once.
        if let Some(midphase) = &mut self.midphase {
            let bodies = around(&self.slots, &self.tools, query, arm);
            midphase.ask(&mut bodies.map(|body| MidPhaseQuery {
                a: &tool.shape.index,
                b: &body.shape.index,
                b_from_a: body.world_from_body.inverse() * world_from_tool,
                reach_m: asked.reach_m + (tool.tool.radius_m + body.radius_m),
            }));
        }

        // First every body's nearest pairs, then the selection of those that fit.
        self.near.clear();
        self.found.clear();
        self.spent = AnswerWork::default();
        let count = around(&self.slots, &self.tools, query, arm).count() as u64;
        let (part, mut named) = (SEARCHES / count.max(1), 0);
        for (k, body) in around(&self.slots, &self.tools, query, arm).enumerate() {
            let sides = Sides::new(tool, &body, asked);
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
                    out.midphase.bodies += 1;
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
        // Bodies with an exhausted search share the remaining budget.
        let exhausted = self.found.iter().filter(|f| f.exhausted).count() as u64;
        let share = SEARCHES.saturating_sub(self.spent.search) / exhausted.max(1);
        if share > part && exhausted > 0 {
            let bodies = around(&self.slots, &self.tools, query, arm);
            for (body, found) in bodies.zip(&mut self.found).filter(|(_, f)| f.exhausted) {
                let sides = Sides::new(tool, &body, asked);
                let near = sides.query(&mut self.proximity, share);
                self.spent.search += near.work;
                *found = Found::new(&near, &sides, &mut self.near);
            }
        }
        self.spent.exhausted = self.found.iter().filter(|f| f.exhausted).count();
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

        let asks = |body: &Around<'_>| {
            // By key, not by slot: when the loop sent the query, another body may have had this
            // one's slot.
            let known = body.tool || query.pose_of(body.key).is_some();
            !known || asked.solid & (1 << body.key.slot) == 0
        };
        let asking = around(&self.slots, &self.tools, query, arm).filter(asks);
        let visits_each = ENCLOSURE.min(ENCLOSURES / (asking.count() as u64).max(1));
        let running = self.dynamics.as_deref().filter(|d| d.is_running());
        let bodies = around(&self.slots, &self.tools, query, arm);
        for (body, found) in bodies.zip(&self.found) {
            let Around {
                world_from_body,
                fixed,
                ..
            } = body;
            let body_from_tool = world_from_body.inverse() * world_from_tool;
            let index = &*body.shape.index;
            let near = found.of(&self.near);
            let first = out.pairs.len();
            let mut complete_to = found.complete_to;
            if let Some(left_out) = near.get(found.taken) {
                complete_to = complete_to.min(left_out.distance);
            }
            let full = complete_to < asked.reach_m;
            let world = fixed.then_some(&world_from_body);
            let frame_from_tool = Rigid::new(if fixed {
                &world_from_tool
            } else {
                &body_from_tool
            });
            for pair in &near[..found.taken] {
                let tool_index = &tool.shape.index;
                match resolve(pair, tool_index, index, world, &frame_from_tool) {
                    Some(p) => out.pairs.push(p),
                    // The query names only existing features. If one did not exist, nothing could
                    // be certified.
                    None => complete_to = f64::NEG_INFINITY,
                }
            }
            let taken = out.pairs.len() - first;
            let mut encloses_tool = false;
            if asks(&body) {
                let mut visits = visits_each;
                let meets = self.intersections.any_within(
                    &tool.shape.index,
                    index,
                    &body_from_tool,
                    &mut visits,
                );
                // A body that is not known to be clear counts as enclosing the tool.
                encloses_tool = meets != Some(false)
                    || encloses(
                        &mut self.winding,
                        &tool.shape,
                        body.shape,
                        &body_from_tool,
                        &mut visits,
                    );
                self.spent.enclosure += visits_each - visits;
                self.spent.undecided += usize::from(visits == 0 && encloses_tool);
            }
            let by_trajectory = !(fixed || body.tool) && running.is_some();
            let shaded = body.material.force_shading && !by_trajectory && taken > 0;
            (out.smooth).push(body.shape.smooth.clone().filter(|_| shaded));
            out.bodies.push(BodyEntry {
                key: body.key,
                id: body.id,
                world_from_body,
                fixed,
                margin_m: complete_to - self.clearance_m,
                first_pair: first as u32,
                pair_count: taken as u32,
                full,
                encloses_tool,
                target: body.target,
                by_trajectory,
                centre: (running.filter(|_| !body.tool))
                    .map_or_else(Vec3::zeros, |d| d.centre(body.key.slot as usize)),
                bound_m: body.shape.bound_m,
                radius_m: body.radius_m,
                material: body.material,
            });
        }
        true
    }

    /// Whether this arm has a query and a tool.
    #[must_use]
    pub fn has_answer(&self, query: &Query, arm: usize) -> bool {
        let asks = query.arms.get(arm).is_some_and(|asked| asked.present);
        asks && self.tools[arm].is_some()
    }
}

/// A body of the scene or another arm's tool, as an obstacle for a tool.
#[derive(Clone, Copy)]
struct Around<'a> {
    key: BodyKey,
    id: u32,
    shape: &'a Shape,
    world_from_body: Pose,
    fixed: bool,
    tool: bool,
    target: Option<BodyTarget>,
    radius_m: f64,
    material: Material,
}

/// Tools are hard, undamped and frictionless to each other: only their couplings limit the pressing
/// force.
const BETWEEN_TOOLS: Material = Material {
    stiffness_n_per_m: f64::MAX,
    damping_n_s_per_m: f64::MAX,
    friction: 0.0,
    force_shading: false,
};

/// All obstacles for an arm's tool: bodies by slot, then tools by arm.
fn around<'a>(
    slots: &'a [Option<Resident>],
    tools: &'a [Option<Tool>; MAX_ARMS],
    query: &'a Query,
    arm: usize,
) -> impl Iterator<Item = Around<'a>> {
    let bodies = slots.iter().flatten().map(|body| Around {
        key: body.key,
        id: body.id,
        shape: &body.spec.shape,
        world_from_body: Scene::pose_in(body, query),
        fixed: body.spec.kind == BodyKind::Static,
        tool: false,
        target: body.target,
        radius_m: 0.0,
        material: body.spec.material,
    });
    let others = (0..MAX_ARMS).filter(move |other| *other != arm);
    bodies.chain(others.filter_map(|other| {
        let tool = tools[other].as_ref()?;
        let asked = Some(&query.arms[other]).filter(|asked| asked.present)?;
        Some(Around {
            key: tool_key(other, asked.epoch),
            id: tool_id(other),
            shape: &tool.shape,
            world_from_body: tool.tool.seen_at(&asked.world_from_reference()),
            fixed: false,
            tool: true,
            target: None,
            radius_m: tool.tool.radius_m,
            material: BETWEEN_TOOLS,
        })
    }))
}

/// A tool and an obstacle at their relative pose.
struct Sides<'a> {
    tool: &'a Tool,
    body_from_tool: Pose,
    other: &'a MeshIndex,
    /// Sum of both radii.
    radius_m: f64,
    body_bound_m: f64,
    reach_m: f64,
}

impl<'a> Sides<'a> {
    fn new(tool: &'a Tool, body: &Around<'a>, asked: &ArmQuery) -> Self {
        Self {
            tool,
            body_from_tool: body.world_from_body.inverse() * asked.world_from_reference(),
            other: &body.shape.index,
            radius_m: tool.tool.radius_m + body.radius_m,
            body_bound_m: body.shape.bound_m + body.radius_m,
            reach_m: asked.reach_m,
        }
    }

    fn query<'p>(&self, proximity: &'p mut Proximity, budget: u64) -> NearSet<'p> {
        let (a, b) = (&self.tool.shape.index, self.other);
        let pose = &self.body_from_tool;
        let is_ball = a.mesh().is_none() || b.mesh().is_none();
        let budget = if is_ball { budget / BALL } else { budget };
        proximity.query_within(a, self.radius_m, b, pose, self.reach_m, budget)
    }

    fn query_among<'p>(
        &self,
        proximity: &'p mut Proximity,
        candidates: &[[u32; 2]],
    ) -> Option<NearSet<'p>> {
        let (a, b) = (&self.tool.shape.index, self.other);
        let pose = &self.body_from_tool;
        proximity.query_among(a, self.radius_m, b, pose, self.reach_m, candidates)
    }
}

/// Result of the query for one body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// Index of its first pair.
    first: usize,
    /// Number of pairs.
    pairs: usize,
    /// Distance from which on pairs may be missing, m.
    complete_to: f64,
    /// Whether the search was given up.
    exhausted: bool,
    /// Number of its nearest pairs that the answer lists.
    taken: usize,
}

impl Found {
    /// Stores the result of a query; appends its pairs to `all`.
    fn new(near: &NearSet<'_>, sides: &Sides<'_>, all: &mut Vec<NearPair>) -> Self {
        let mut complete_to = near.complete_to;
        if near.pairs.is_empty() || near.exhausted {
            // Nothing is within reach, or the search was given up: the bounding balls may give
            // more. Otherwise a body far from every tool could move no further than the reach per
            // answer.
            let apart = balls_apart(&sides.tool.tool, sides.body_bound_m, &sides.body_from_tool);
            complete_to = complete_to.max(apart);
        }
        let first = all.len();
        all.extend_from_slice(near.pairs);
        Self {
            first,
            pairs: near.pairs.len(),
            complete_to,
            exhausted: near.exhausted,
            taken: 0,
        }
    }

    fn of<'n>(&self, all: &'n [NearPair]) -> &'n [NearPair] {
        &all[self.first..self.first + self.pairs]
    }
}

/// Decides how many pairs of each body an answer with capacity `room` lists: the nearest over all
/// bodies, since the tool may move only as far as the shortest certificate. `near` holds the
/// bodies' lists, each nearest first. Equal distances at the end are shared evenly, so that no body
/// is left out because of its place in the scene. `distances` is work space.
fn share_capacity(near: &[NearPair], found: &mut [Found], room: usize, distances: &mut Vec<f64>) {
    for f in found.iter_mut() {
        f.taken = f.pairs;
    }
    if found.iter().map(|f| f.pairs).sum::<usize>() <= room {
        return;
    }
    distances.clear();
    let listed = found.iter().flat_map(|f| f.of(near));
    distances.extend(listed.map(|pair| pair.distance));
    let (_, &mut end, _) = distances.select_nth_unstable_by(room, f64::total_cmp);
    let (mut left, mut tied) = (room, 0);
    for f in found.iter_mut() {
        let list = f.of(near);
        f.taken = list.partition_point(|pair| pair.distance < end);
        left -= f.taken;
        tied += usize::from(list.get(f.taken).is_some_and(|pair| pair.distance == end));
    }
    for f in found {
        let list = f.of(near);
        let ties = list[f.taken..].partition_point(|pair| pair.distance == end);
        if ties > 0 {
            let share = ties.min(left / tied);
            f.taken += share;
            left -= share;
            tied -= 1;
        }
    }
}

/// Lower bound on the distance of tool and body from their bounding balls, m.
fn balls_apart(tool: &ToolShape, body_bound_m: f64, body_from_tool: &Pose) -> f64 {
    let centre = transform(body_from_tool, &tool.centre).norm();
    let balls = tool.bound_m + tool.radius_m + body_bound_m;
    centre - balls - 1e-12 * (centre + balls)
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
            pair.kind,
            tool_points,
            body_points,
            hints,
            frame_from_tool,
            0.0,
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(lists: &[&[f64]], room: usize) -> Vec<usize> {
        let pair = |&distance: &f64| NearPair {
            kind: PairKind::EdgeEdge,
            feature_a: 0,
            feature_b: 0,
            distance,
        };
        let near: Vec<NearPair> = lists.iter().copied().flatten().map(pair).collect();
        let mut first = 0;
        let list = |list: &&[f64]| {
            let pairs = list.len();
            first += pairs;
            Found {
                first: first - pairs,
                pairs,
                ..Found::default()
            }
        };
        let mut found: Vec<Found> = lists.iter().map(list).collect();
        share_capacity(&near, &mut found, room, &mut Vec::new());
        found.iter().map(|f| f.taken).collect()
    }

    #[test]
    fn room_goes_to_the_nearest_and_ties_are_shared() {
        let (a, b, c): (&[f64], &[f64], &[f64]) = (&[1.0, 2.0, 3.0], &[2.5, 4.0], &[0.5]);
        assert_eq!(shared(&[a, b, c], 6), [3, 2, 1]);
        assert_eq!(shared(&[a, b, c], 4), [2, 1, 1]);
        assert_eq!(shared(&[a, b, c], 1), [0, 0, 1]);
        let flat: &[f64] = &[1.0; 10];
        assert_eq!(shared(&[flat, flat, flat], 10), [3, 3, 4]);
        assert_eq!(shared(&[flat, &[1.0], flat], 11), [3, 1, 7]);
        assert_eq!(shared(&[&[], flat, &[0.0]], 5), [0, 4, 1]);
        assert_eq!(shared(&[], 5), [0; 0]);
    }
}
