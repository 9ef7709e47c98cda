//! Checkpoints: a world stores its state before a plan, for callers that plan ahead of what they
//! execute.
//!
//! A real-time loop follows one plan while the next is made from its end. If something stops the
//! loop early, the world returns to the start of the plan that was followed, then advances along it
//! as far as the loop came. Lists of near features stay: their certificates refer to poses and are
//! checked against the present poses of the bodies. Does not allocate once its memory has grown to
//! the scene, unless bodies were added since the checkpoint.

use hapticd_ccd::moving::{Motion, MovingBody};
use hapticd_geometry::Screw;

use crate::body::{BodyId, BodySpec};
use crate::plan::{Executed, Plan};
use crate::solve::State;
use crate::world::RigidWorld;

/// Checkpoint of a world.
#[derive(Clone, Debug, Default)]
pub struct Checkpoint {
    state: State,
    generations: Vec<u32>,
    /// Sleep state, and time for which the body has been quiet (s).
    rest: Vec<(bool, f64)>,
}

impl RigidWorld {
    /// Stores the state of all bodies.
    pub fn save(&self, saved: &mut Checkpoint) {
        saved.state.clone_from(&self.state);
        saved.generations.clone_from(&self.generations);
        saved.rest.clear();
        let rest = self
            .bodies
            .iter()
            .map(|b| b.as_ref().map_or((false, 0.0), |b| (b.asleep, b.quiet_s)));
        saved.rest.extend(rest);
    }

    /// Returns to `saved` and advances from there along `plan`, which must have been made from that
    /// state, as far as `executed`. Bodies added since then are as they came: what later plans made
    /// of them was not executed.
    pub fn resume(&mut self, saved: &Checkpoint, plan: &Plan, executed: &Executed) {
        self.planned = false;
        for (slot, body) in self.bodies.iter_mut().enumerate() {
            if saved.generations.get(slot) != self.generations.get(slot) {
                continue;
            }
            if let Some(body) = body {
                self.state.pose[slot] = saved.state.pose[slot];
                self.state.twist[slot] = saved.state.twist[slot];
                (body.asleep, body.quiet_s) = saved.rest[slot];
            }
        }
        self.follow(plan, executed);
        for (slot, body) in self.bodies.iter_mut().enumerate() {
            let came = saved.generations.get(slot) != self.generations.get(slot);
            if let Some(body) = body.as_mut().filter(|_| came) {
                (self.state.pose[slot], self.state.twist[slot]) = body.came;
                (body.asleep, body.quiet_s) = (false, 0.0);
            }
        }
    }

    /// Returns the first body, by slot, that touches a newcomer at rest at its start pose while
    /// moving from `saved` along `plan`. Used for bodies that are added while a plan made without
    /// them is executed. A body that the newcomer is to replace, `old`, is no obstacle.
    pub fn crosses(
        &mut self,
        (newcomer, old): (&BodySpec, Option<BodyId>),
        saved: &Checkpoint,
        plan: &Plan,
    ) -> Option<BodyId> {
        let mut pose = newcomer.world_from_body;
        pose.rotation.renormalize();
        let still = Motion::still(&pose);
        let standing = MovingBody {
            shape: &newcomer.shape,
            motion: &still,
            radius_m: 0.0,
        };
        for slot in 0..saved.generations.len().min(self.bodies.len()) {
            let same = saved.generations[slot] == self.generations[slot];
            let is_obstacle = same && old != Some(self.id_at(slot));
            let body = self.bodies[slot].as_ref().filter(|_| is_obstacle);
            let Some(shape) = body.map(|b| b.shape.clone()) else {
                continue;
            };
            let mut pose = saved.state.pose[slot];
            for segment in &plan.segments {
                let Some(screw) = plan.screws(segment).get(slot) else {
                    break;
                };
                if *screw == Screw::identity() {
                    continue;
                }
                let motion = Motion::screw(&pose, screw);
                let moving = MovingBody {
                    shape: &shape,
                    motion: &motion,
                    radius_m: 0.0,
                };
                let meeting = self.moving.first_contact(&moving, &standing, 0.0, 1.0);
                if meeting.free_until < 1.0 {
                    return Some(self.id_at(slot));
                }
                pose = screw.pose_at(&pose, 1.0);
            }
        }
        None
    }
}
