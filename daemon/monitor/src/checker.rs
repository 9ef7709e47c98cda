//! The independent check of every tick: no penetration, no tunnelling.
//!
//! The checker follows the records and does not rely on the loop's own results. It keeps a separate
//! copy of bodies and tools and asks `hapticd-audit`, which shares no code with the detection. It
//! runs off the real-time thread and allocates.
//!
//! # What it knows
//!
//! Shapes come with the collision thread's steps. Everything else comes with the ticks' records:
//! which body had which slot ([`TickRecord::bodies`]), which bodies were solid to which tool, and
//! where they moved. The two come through different queues. A body's step is in its queue before
//! any record that names the body, so the scribe reads steps first. A step may then be early by a
//! whole backlog of records. So the checker identifies bodies by their keys, never by their slots
//! alone. It keeps a shape until no later record can name it, whatever has been removed in the
//! meantime.
//!
//! The checker never guesses what it cannot know: a shape whose step was lost, or a pose from
//! before a lost record. Such a tick counts as not checked, with the cause; what is known is still
//! checked. A lost pose is known again when the body moves, or when the body is surveyed
//! ([`TickRecord::surveyed`]). A large shape that is not ready yet is treated in the same way.

use std::collections::HashMap;
use std::sync::Arc;

use hapticd_audit::{
    ScrewMotion, Solid, Sweep, SweepLimits, Tool, penetration_depth_m, sweep_body, sweep_past_tool,
    sweep_tool, tools_overlap_m,
};
use hapticd_geometry::{Pose, TriMesh};
use hapticd_proxy::{BodyKey, MAX_ARMS, MAX_SCENE_BODIES, tool_slot};
use hapticd_scene::BodyKind;

use crate::stats::{NotChecked, Stats};
use hapticd_collision::command::{Applied, SceneCommand};
use hapticd_loop::record::{ArmTick, MovedBody, TickRecord};

mod preparer;
#[cfg(test)]
mod tests;

use preparer::{Preparer, WorkerEnd};

enum ArmShape {
    Ball(f64),
    Mesh(Solid),
}

impl ArmShape {
    fn tool(&self) -> Tool<'_> {
        match self {
            ArmShape::Ball(radius_m) => Tool::Sphere {
                radius_m: *radius_m,
            },
            ArmShape::Mesh(solid) => Tool::Mesh(solid),
        }
    }
}

/// Whether the scene still has a body.
#[derive(Clone, Copy, PartialEq)]
enum CheckedScene {
    Has,
    /// The scene has removed it; no answer without it is known yet.
    Removed,
    /// No answer from this sequence on has it.
    RemovedBefore(u64),
}

struct CheckedBody {
    /// `None` while it is being prepared.
    solid: Option<Solid>,
    movable: bool,
    initial: Pose,
    /// Pose after the last record; `None` if unknown, because a record was lost.
    pose: Option<Pose>,
    /// True if the loop had the body in the last record.
    listed: bool,
    scene: CheckedScene,
}

/// The independent checker; see the module page.
pub struct Checker {
    arms: [Option<ArmShape>; MAX_ARMS],
    /// Poses of the tools after the last record, as far as they are known.
    proxies: [Option<Pose>; MAX_ARMS],
    bodies: HashMap<BodyKey, CheckedBody>,
    /// Prepares large shapes on another thread. Without it, they are prepared here.
    preparer: Option<Preparer>,
    limits: SweepLimits,
    /// Tick of the last record.
    tick: u64,
    /// Sequence of the newest answer that was offered to the loop.
    offered: u64,
    /// Times that a survey found a body at another pose than the earlier records gave.
    misplaced: u64,
}

/// Result of checking one arm in one tick.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Verdict {
    /// Depth, m; 0 means apart.
    penetration_m: f64,
    /// True if the path went through a surface, or came so near that this could not be decided.
    crossed: bool,
    /// Why the check was incomplete, if it was.
    missing: Option<NotChecked>,
}

impl Verdict {
    fn depth(&mut self, depth_m: f64) {
        self.penetration_m = self.penetration_m.max(depth_m);
    }

    fn motion(&mut self, sweep: Sweep) {
        self.crossed |= !matches!(sweep, Sweep::Clear { .. });
    }
}

/// A tool's part of a tick: its shape, its start and its path.
struct Motion<'a> {
    tool: Tool<'a>,
    /// `None` if the tool was placed, or its earlier pose is unknown.
    start: Option<Pose>,
    tick: &'a ArmTick,
}

impl Motion<'_> {
    /// Returns the segments of the path as pairs of poses.
    fn pieces(&self) -> impl Iterator<Item = (Pose, &Pose)> {
        let corners = &self.tick.path[..usize::from(self.tick.path_len)];
        let starts = self.start.into_iter().chain(corners.iter().copied());
        let pieces = if self.start.is_some() { corners } else { &[] };
        starts.zip(pieces)
    }
}

impl Checker {
    /// Creates a checker without bodies or tools.
    pub fn new() -> Self {
        Checker {
            arms: [const { None }; MAX_ARMS],
            proxies: [None; MAX_ARMS],
            bodies: HashMap::new(),
            preparer: None,
            limits: SweepLimits::default(),
            tick: 0,
            offered: 0,
            misplaced: 0,
        }
    }

    /// Hands the preparation of large shapes to another thread, which serves the returned end.
    /// [`Checker::add_body`] then returns soon. Ticks before a shape is ready are not checked
    /// completely.
    pub fn prepare_on_other_thread(&mut self) -> WorkerEnd {
        let (preparer, ends) = preparer::preparer();
        self.preparer = Some(preparer);
        ends
    }

    /// Sets the tool of an arm: a mesh, or a ball of this radius.
    pub fn set_tool(&mut self, arm: usize, mesh: Option<&TriMesh>, radius_m: f64) {
        if let Some(slot) = self.arms.get_mut(arm) {
            *slot = Some(match mesh {
                Some(mesh) => ArmShape::Mesh(Solid::new(mesh)),
                None => ArmShape::Ball(radius_m),
            });
        }
    }

    /// Adds a body of the scene.
    pub fn add_body(&mut self, key: BodyKey, mesh: &Arc<TriMesh>, pose: &Pose, kind: BodyKind) {
        let solid = match &self.preparer {
            Some(preparer) => preparer.prepare(key, mesh),
            None => Some(Solid::of(mesh.clone())),
        };
        let body = CheckedBody {
            solid,
            movable: kind != BodyKind::Static,
            initial: *pose,
            pose: None,
            listed: false,
            scene: CheckedScene::Has,
        };
        self.bodies.insert(key, body);
    }

    /// Marks a body as removed from the scene. The loop may still have it for some ticks, or be
    /// about to get it.
    pub fn remove_body(&mut self, key: BodyKey) {
        if let Some(body) = self.bodies.get_mut(&key) {
            body.scene = CheckedScene::Removed;
        }
    }

    /// Follows a command to the scene.
    pub fn follow(&mut self, applied: &Applied) {
        match &applied.command {
            SceneCommand::Add(spec) => {
                if let Some(mesh) = spec.shape.index.mesh() {
                    self.add_body(applied.key, mesh, &spec.world_from_body, spec.kind);
                }
            }
            SceneCommand::Remove { .. } => self.remove_body(applied.key),
            SceneCommand::Place { .. } => {
                // The loop cannot move a body there: the one that it has goes, and another comes.
                for change in applied.replacement().iter().flatten() {
                    self.follow(change);
                }
            }
            SceneCommand::Target { .. }
            | SceneCommand::Halt { .. }
            | SceneCommand::Surface { .. }
            | SceneCommand::Push { .. } => {}
        }
    }

    /// Takes the sequence of a step's last answer, after the step's commands; 0 if it made none.
    pub fn answered(&mut self, last_sequence: u64) {
        if last_sequence == 0 {
            return;
        }
        for body in self.bodies.values_mut() {
            if body.scene == CheckedScene::Removed {
                body.scene = CheckedScene::RemovedBefore(last_sequence);
            }
        }
    }

    /// Checks one tick and reports to the statistics. Returns whether it found penetration or a
    /// crossing.
    pub fn check(&mut self, record: &TickRecord, stats: &mut Stats) -> bool {
        self.begin(record, stats);
        let mut alarm = false;
        for arm in 0..MAX_ARMS {
            if !record.arms[arm].attached {
                self.proxies[arm] = None;
                continue;
            }
            let verdict = self.check_arm(record, arm);
            alarm |= verdict.penetration_m > 0.0 || verdict.crossed;
            match verdict.missing {
                None => stats.checked(arm, verdict.penetration_m, verdict.crossed),
                Some(why) => {
                    stats.checked_in_part(arm, verdict.penetration_m, verdict.crossed);
                    stats.unchecked(arm, why, 1);
                }
            }
        }
        self.advance(record);
        alarm
    }

    /// Follows a tick without checking it.
    pub fn pass_over(&mut self, record: &TickRecord, stats: &mut Stats) {
        self.begin(record, stats);
        for (arm, tick) in record.arms.iter().enumerate() {
            if tick.attached {
                stats.unchecked(arm, NotChecked::Busy, 1);
            }
            self.proxies[arm] = Some(tick.world_from_proxy).filter(|_| tick.attached);
        }
        self.advance(record);
    }

    /// Times that a survey found a body at another pose than the earlier records gave. Stays 0
    /// unless the records are wrong.
    pub fn misplaced(&self) -> u64 {
        self.misplaced
    }

    /// Returns the number of bodies that are kept.
    pub fn shapes(&self) -> usize {
        self.bodies.len()
    }

    /// Takes over the list of bodies that the loop had in this tick.
    fn begin(&mut self, record: &TickRecord, stats: &mut Stats) {
        for (key, solid) in self.preparer.iter().flat_map(Preparer::ready) {
            // The shape of a body that is gone in the meantime is dropped.
            if let Some(body) = self.bodies.get_mut(&key) {
                body.solid = Some(solid);
            }
        }
        let lost = record.tick.saturating_sub(self.tick + 1);
        self.tick = record.tick;
        if lost > 0 {
            // Anything that moved did so unseen.
            self.proxies = [None; MAX_ARMS];
            for body in self.bodies.values_mut().filter(|body| body.movable) {
                body.pose = None;
            }
            for (arm, _) in (record.arms.iter().enumerate()).filter(|(_, tick)| tick.attached) {
                stats.unchecked(arm, NotChecked::UnknownPlace, lost);
            }
        }
        let offered = record.arms.iter().map(|arm| arm.offered).max();
        self.offered = self.offered.max(offered.unwrap_or(0));
        let offered = self.offered;
        self.bodies.retain(|key, body| {
            let there = record.body_in(usize::from(key.slot));
            let listed = there == Some(*key);
            let came = listed && !body.listed;
            if came {
                // A body starts at the scene's pose. If a record was lost, it may have moved since.
                body.pose = (lost == 0 || !body.movable).then_some(body.initial);
            }
            let went = body.listed && !listed;
            body.listed = listed;
            // Once the loop has forgotten a body, the body never comes back. A body that the loop
            // has not had yet never comes either, once the loop has an answer without it or a later
            // body in its slot.
            let gone =
                matches!(body.scene, CheckedScene::RemovedBefore(answer) if answer <= offered);
            let replaced = there.is_some_and(|other| other.generation > key.generation);
            listed || !(went || gone || replaced)
        });
    }

    fn advance(&mut self, record: &TickRecord) {
        for moved in moved(record) {
            if let Some(body) = self.bodies.get_mut(&moved.key) {
                body.pose = Some(moved.world_from_body);
            }
        }
        let Some(surveyed) = record.surveyed else {
            return;
        };
        if let Some(body) = self.bodies.get_mut(&surveyed.key) {
            let here = surveyed.world_from_body;
            self.misplaced += u64::from(body.pose.is_some_and(|known| known != here));
            body.pose = Some(here);
        }
    }

    fn check_arm(&mut self, record: &TickRecord, arm: usize) -> Verdict {
        let tick = &record.arms[arm];
        let before = self.proxies[arm].filter(|_| !tick.anchored);
        self.proxies[arm] = Some(tick.world_from_proxy);
        let mut verdict = Verdict {
            penetration_m: 0.0,
            crossed: false,
            missing: None,
        };
        if tick.solid == 0 {
            return verdict;
        }
        let Some(shape) = self.arms[arm].as_ref() else {
            verdict.missing = Some(NotChecked::UnknownShape);
            return verdict;
        };
        let mut motion = Motion {
            tool: shape.tool(),
            start: before,
            tick,
        };
        // A ball may turn in place before it moves, so its centre moves straight.
        if let (Some(from), ArmShape::Ball(_)) = (&mut motion.start, shape) {
            from.rotation = tick.world_from_proxy.rotation;
        }
        if before.is_none() && !tick.anchored {
            verdict.missing = Some(NotChecked::UnknownPlace);
        }
        self.past_bodies(record, &motion, &mut verdict);
        self.past_tools(record, arm, &motion, &mut verdict);
        verdict
    }

    /// Checks the tool against bodies: tools move first, past bodies at their old poses; then
    /// bodies move, past tools at their new poses.
    fn past_bodies(&self, record: &TickRecord, motion: &Motion, verdict: &mut Verdict) {
        let (tool, tick) = (&motion.tool, motion.tick);
        let solid = (0..MAX_SCENE_BODIES).filter(|slot| tick.solid & (1 << slot) != 0);
        for slot in solid {
            let key = record.body_in(slot);
            let Some((key, body)) = key.and_then(|key| Some((key, self.bodies.get(&key)?))) else {
                verdict.missing = Some(NotChecked::UnknownShape);
                continue;
            };
            let Some(solid) = &body.solid else {
                verdict.missing.get_or_insert(NotChecked::Busy);
                continue;
            };
            if let Some(pose) = &body.pose {
                for (from, to) in motion.pieces() {
                    let sweep = sweep_tool(
                        tool,
                        ScrewMotion { from: &from, to },
                        solid,
                        pose,
                        &self.limits,
                    );
                    verdict.motion(sweep);
                }
            } else {
                verdict.missing.get_or_insert(NotChecked::UnknownPlace);
            }
            let moved = moved(record).find(|m| m.key == key);
            let after = moved.map(|m| m.world_from_body).or(body.pose);
            let Some(after) = after else { continue };
            let at = &tick.world_from_proxy;
            if let (Some(before), Some(_)) = (&body.pose, moved) {
                verdict.motion(sweep_body(
                    tool,
                    at,
                    solid,
                    ScrewMotion {
                        from: before,
                        to: &after,
                    },
                    &self.limits,
                ));
            }
            verdict.depth(penetration_depth_m(tool, at, solid, &after));
        }
    }

    /// Checks the tool against other tools. Tools move one after the other: past earlier tools at
    /// their new poses, past later tools at their old poses.
    fn past_tools(&self, record: &TickRecord, arm: usize, motion: &Motion, verdict: &mut Verdict) {
        let tick = motion.tick;
        let solid = |other: &usize| *other != arm && tick.solid & (1 << tool_slot(*other)) != 0;
        for other in (0..MAX_ARMS).filter(solid) {
            let Some(shape) = self.arms[other].as_ref() else {
                verdict.missing = Some(NotChecked::UnknownShape);
                continue;
            };
            // A tool that is placed in this tick may have been at either pose when this one moved.
            let known = self.proxies[other].filter(|_| !record.arms[other].anchored);
            let Some(at) = known else {
                verdict.missing.get_or_insert(NotChecked::UnknownPlace);
                continue;
            };
            let other = shape.tool();
            for (from, to) in motion.pieces() {
                let sweep = sweep_past_tool(
                    &motion.tool,
                    ScrewMotion { from: &from, to },
                    &other,
                    &at,
                    &self.limits,
                );
                verdict.motion(sweep);
            }
            let here = &tick.world_from_proxy;
            verdict.depth(tools_overlap_m(&motion.tool, here, &other, &at));
        }
    }
}

/// Returns the bodies that moved in a tick, with their poses after it.
fn moved(record: &TickRecord) -> impl Iterator<Item = &MovedBody> {
    record.moved.iter().take(usize::from(record.moved_count))
}

impl Default for Checker {
    fn default() -> Self {
        Self::new()
    }
}
