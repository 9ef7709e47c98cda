//! The independent check of every tick: no penetration, no tunnelling.
//!
//! Follows the records, not the loop's word: it keeps its own copy of the bodies and tools and asks `hapticd-audit`, which shares no
//! code with the detection. Off the real-time thread; allocates.

use std::collections::{HashMap, HashSet};

use hapticd_audit::{
    Solid, Sweep, SweepLimits, Tool, penetration_depth_m, sweep_body, sweep_past_tool, sweep_tool,
    tools_overlap_m,
};
use hapticd_geometry::{Pose, TriMesh};
use hapticd_haptics::{BodyKey, MAX_ARMS, tool_slot};

use crate::collision::{Applied, SceneCommand};
use crate::haptic::record::{MAX_MOVED, TickRecord};
use crate::stats::Stats;

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

struct CheckedBody {
    id: u32,
    solid: Solid,
    pose: Pose,
}

/// See the module page.
pub struct Checker {
    arms: [Option<ArmShape>; MAX_ARMS],
    proxies: [Option<Pose>; MAX_ARMS],
    bodies: HashMap<BodyKey, CheckedBody>,
    limits: SweepLimits,
    /// Largest client-visible id that was added: they rise.
    newest: u32,
    /// Ids that the loop forgot before it was said here that they were added.
    gone_before: HashSet<u32>,
    /// Set when bodies moved that the record did not hold: their poses are unknown from then on.
    blind: bool,
}

/// What the check of one tick of one arm found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Depth, m; 0 means apart.
    pub penetration_m: f64,
    /// The path went through a surface (or came so near that it could not be told).
    pub crossed: bool,
}

impl Checker {
    /// Nothing to check yet.
    pub fn new() -> Self {
        Checker {
            arms: [const { None }; MAX_ARMS],
            proxies: [None; MAX_ARMS],
            bodies: HashMap::new(),
            limits: SweepLimits::default(),
            newest: 0,
            gone_before: HashSet::new(),
            blind: false,
        }
    }

    /// An arm's tool: a mesh, or a ball of this radius.
    pub fn set_tool(&mut self, arm: usize, mesh: Option<&TriMesh>, radius_m: f64) {
        if let Some(slot) = self.arms.get_mut(arm) {
            *slot = Some(match mesh {
                Some(mesh) => ArmShape::Mesh(Solid::new(mesh)),
                None => ArmShape::Ball(radius_m),
            });
        }
    }

    /// A body came, with its client-visible id.
    pub fn add_body(&mut self, id: u32, key: BodyKey, mesh: &TriMesh, pose: &Pose) {
        self.newest = self.newest.max(id);
        // Ticks and steps come from different threads: it may have been gone already.
        if self.gone_before.remove(&id) {
            return;
        }
        self.bodies.insert(
            key,
            CheckedBody {
                id,
                solid: Solid::new(mesh),
                pose: *pose,
            },
        );
    }

    /// A body went.
    pub fn remove_body(&mut self, key: BodyKey) {
        self.bodies.remove(&key);
    }

    /// Follows a command to the scene.
    pub fn follow(&mut self, applied: &Applied) {
        match &applied.command {
            SceneCommand::Add(spec) => {
                if let Some(mesh) = spec.shape.index.mesh() {
                    self.add_body(applied.id, applied.key, mesh, &spec.world_from_body);
                }
            }
            SceneCommand::Remove { .. } => self.remove_body(applied.key),
            SceneCommand::Target { .. }
            | SceneCommand::Halt { .. }
            | SceneCommand::Surface { .. } => {}
        }
    }

    /// From this tick on the loop knows nothing of these bodies.
    fn forget(&mut self, gone: &[u32]) {
        for id in gone {
            if *id > self.newest {
                self.gone_before.insert(*id);
            }
            self.bodies.retain(|_, body| body.id != *id);
        }
    }

    /// Looks at one tick and tells the statistics.
    pub fn check(&mut self, record: &TickRecord, stats: &mut Stats) {
        self.forget(record.gone());
        for arm in 0..MAX_ARMS {
            match self.check_arm(record, arm) {
                Some(v) => stats.checked(arm, v.penetration_m, v.crossed),
                None if record.arms[arm].attached => stats.unchecked(arm),
                None => {}
            }
        }
        self.advance(record);
    }

    /// Follows a tick without looking at it.
    pub fn pass_over(&mut self, record: &TickRecord, stats: &mut Stats) {
        self.forget(record.gone());
        for arm in 0..MAX_ARMS {
            if record.arms[arm].attached {
                stats.unchecked(arm);
            }
            // The path from here to the next tick's start was not seen.
            self.proxies[arm] =
                Some(record.arms[arm].world_from_proxy).filter(|_| record.arms[arm].attached);
        }
        self.advance(record);
    }

    fn advance(&mut self, record: &TickRecord) {
        self.blind |= record.moved_count as usize > MAX_MOVED;
        for moved in &record.moved[..(record.moved_count as usize).min(MAX_MOVED)] {
            if let Some(body) = self.bodies.get_mut(&moved.key) {
                body.pose = moved.world_from_body;
            }
        }
    }

    fn check_arm(&mut self, record: &TickRecord, arm: usize) -> Option<Verdict> {
        let tick = &record.arms[arm];
        let shape = self.arms[arm].as_ref()?;
        if !tick.attached || self.blind {
            self.proxies[arm] = None;
            return None;
        }
        let tool = shape.tool();
        let mut start = if tick.anchored {
            None
        } else {
            self.proxies[arm]
        };
        // A ball has turned in place before it moved: its centre goes straight.
        if let (Some(from), ArmShape::Ball(_)) = (&mut start, shape) {
            from.rotation = tick.world_from_proxy.rotation;
        }
        self.proxies[arm] = Some(tick.world_from_proxy);
        let mut verdict = Verdict {
            penetration_m: 0.0,
            crossed: false,
        };
        for (key, body) in &self.bodies {
            if tick.solid & (1 << key.slot) == 0 {
                continue;
            }
            // The tools move first, past bodies where they were; then the bodies, past tools where they are.
            if let Some(mut from) = start {
                for to in &tick.path[..tick.path_len as usize] {
                    let sweep = sweep_tool(&tool, &from, to, &body.solid, &body.pose, &self.limits);
                    verdict.crossed |= !matches!(sweep, Sweep::Clear { .. });
                    from = *to;
                }
            }
            let moved = record.moved[..(record.moved_count as usize).min(MAX_MOVED)]
                .iter()
                .find(|m| m.key == *key);
            let pose = moved.map_or(body.pose, |m| m.world_from_body);
            if moved.is_some() {
                let sweep = sweep_body(
                    &tool,
                    &tick.world_from_proxy,
                    &body.solid,
                    &body.pose,
                    &pose,
                    &self.limits,
                );
                verdict.crossed |= !matches!(sweep, Sweep::Clear { .. });
            }
            let depth = penetration_depth_m(&tool, &tick.world_from_proxy, &body.solid, &pose);
            verdict.penetration_m = verdict.penetration_m.max(depth);
        }
        // Tools move one after the other: past those before them where they are now, past those after them where they were.
        for (other, shape) in self.arms.iter().enumerate() {
            let solid = |a: usize, b: usize| record.arms[a].solid & (1 << tool_slot(b)) != 0;
            let known = other != arm && solid(arm, other) && solid(other, arm);
            let (Some(shape), Some(at)) = (shape.as_ref().filter(|_| known), self.proxies[other])
            else {
                continue;
            };
            let other = shape.tool();
            if let Some(mut from) = start {
                for to in &tick.path[..tick.path_len as usize] {
                    let sweep = sweep_past_tool(&tool, &from, to, &other, &at, &self.limits);
                    verdict.crossed |= !matches!(sweep, Sweep::Clear { .. });
                    from = *to;
                }
            }
            let depth = tools_overlap_m(&tool, &tick.world_from_proxy, &other, &at);
            verdict.penetration_m = verdict.penetration_m.max(depth);
        }
        Some(verdict)
    }
}

impl Default for Checker {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Vec3, shapes};

    /// A ball in the middle of a block that is solid to it, with these bodies gone.
    fn inside(gone: &[u32]) -> TickRecord {
        let mut record = TickRecord::new();
        record.arms[0].attached = true;
        record.arms[0].solid = 1;
        record.gone[..gone.len()].copy_from_slice(gone);
        record.gone_count = gone.len() as u8;
        record
    }

    #[test]
    fn a_body_that_the_loop_forgot_is_not_checked_any_more_whatever_comes_first() {
        let block = shapes::cuboid(&Vec3::repeat(0.05)).unwrap();
        let key = BodyKey {
            slot: 0,
            generation: 1,
        };
        let depth = |checker: &mut Checker, gone: &[u32]| {
            let mut stats = Stats::new(true, 1_000_000, &[Some("right".to_owned())]);
            checker.check(&inside(gone), &mut stats);
            stats.report(Vec::new()).max_penetration_m
        };
        let new = || {
            let mut checker = Checker::new();
            checker.set_tool(0, None, 0.005);
            checker
        };
        let mut checker = new();
        checker.add_body(7, key, &block, &Pose::identity());
        assert!(depth(&mut checker, &[]) > 0.01);
        assert_eq!(depth(&mut checker, &[7]), 0.0);
        assert_eq!(depth(&mut checker, &[]), 0.0);
        // The tick is seen before the step that added it.
        let mut checker = new();
        assert_eq!(depth(&mut checker, &[7]), 0.0);
        checker.add_body(7, key, &block, &Pose::identity());
        assert_eq!(depth(&mut checker, &[]), 0.0);
        // Another one in its place is checked.
        checker.remove_body(key);
        checker.add_body(8, key, &block, &Pose::identity());
        assert!(depth(&mut checker, &[]) > 0.01);
        assert!(checker.gone_before.is_empty());
    }
}
