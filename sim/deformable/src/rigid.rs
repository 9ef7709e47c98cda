//! A body of the rigid scene among soft bodies: it moves as the loop says and pushes objects in its
//! path.
//!
//! A body added while the scene runs is a ghost until it has been clear of all soft bodies, like a
//! tool. If it is placed inside a soft body, or around one, it touches nothing until it is out. No
//! body moves faster than [`FASTEST_M_S`], whatever the loop says. If the thread of the soft bodies
//! was delayed, a body catches up over several steps instead of flinging away what it meets.

use crate::world::{AddError, DeformableWorld, ObjectId};
use hapticd_geometry::{Pose, transform};
use hapticd_proxy::{BodyKey, Query};
use hapticd_rays::{Progress, Topology};

use super::resident::Resident;
use super::spec::{DeformableAddError, DeformableKind};
use hapticd_ccd::Winding;
use hapticd_scene::{BodyKind, BodySpec, Shape};

use hapticd_scene::surrounds;

/// Largest speed of any point of a rigid body among soft ones, m/s: the limit for poses that
/// clients send.
const FASTEST_M_S: f64 = 20.0;

/// A rigid body. See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Rigid {
    pub key: BodyKey,
    object: ObjectId,
    /// Whether it never moves.
    fixed: bool,
    shape: Shape,
    /// Whether it encloses a volume.
    volume: bool,
    /// Initial pose.
    start: Pose,
    /// The detector's newest step when it became a ghost; `None` if it is not a ghost.
    ghost_since: Option<u64>,
}

impl Rigid {
    /// Adds a body at its initial pose, in contact with what is there. Returns `None` for a point,
    /// which touches nothing.
    pub fn add(
        world: &mut DeformableWorld,
        key: BodyKey,
        spec: &BodySpec,
    ) -> Result<Option<Rigid>, DeformableAddError> {
        let refused = |why| DeformableAddError::Body {
            name: spec.name.clone(),
            why,
        };
        let shape = spec.soft_shape().map_err(|why| refused(why.into()))?;
        let Some(shape) = shape else {
            return Ok(None);
        };
        let (pose, friction) = (&spec.world_from_body, spec.material.friction);
        let fixed = spec.kind == BodyKind::Static;
        let volume = shape.topology() == Topology::Volume;
        let object = if fixed {
            world.add_fixed(shape, pose, friction)
        } else {
            world.add_kinematic(shape, pose, friction)
        };
        Ok(Some(Rigid {
            key,
            object: object.map_err(refused)?,
            fixed,
            shape: spec.shape.clone(),
            volume,
            start: spec.world_from_body,
            ghost_since: None,
        }))
    }

    /// Makes it a ghost until it has been clear of all soft bodies.
    pub fn make_ghost(&mut self, world: &mut DeformableWorld) {
        self.ghost_since = Some(world.detector().progress().newest);
        world.set_ghost(self.object, true);
    }

    /// Moves it, before a step, to where the loop has it, if the loop knows it.
    pub fn follow(
        &self,
        world: &mut DeformableWorld,
        query: &Query,
        dt_s: f64,
    ) -> Result<(), AddError> {
        if self.fixed {
            return Ok(());
        }
        let Some(goal) = query.pose_of(self.key) else {
            return Ok(());
        };
        let Some(now) = world.pose(self.object) else {
            return Err(AddError::NotRigid(self.object.0));
        };
        world.drive(self.object, &self.reached(&now, &goal, dt_s))
    }

    /// Pose that it may reach on the path from one pose to another.
    fn reached(&self, from: &Pose, to: &Pose, dt_s: f64) -> Pose {
        let way = to.translation.vector - from.translation.vector;
        let turn = from.rotation.inverse() * to.rotation;
        let length = way.norm() + turn.angle() * self.shape.bound_m;
        let most = FASTEST_M_S * dt_s;
        // Not `<=`: the world refuses a NaN.
        if !(length > most) {
            return *to;
        }
        let share = most / length;
        Pose::from_parts(
            (from.translation.vector + way * share).into(),
            from.rotation * turn.powf(share),
        )
    }

    /// Ends the ghost state, after a step, if it is out of all soft bodies. An answer from before
    /// it was added does not count.
    pub fn clear(&mut self, world: &mut DeformableWorld, bodies: &[Resident]) {
        let Some(since) = &mut self.ghost_since else {
            return;
        };
        let Progress {
            newest, answered, ..
        } = world.detector().progress();
        // A replaced detector restarts its count.
        *since = newest.min(*since);
        let told = answered > *since;
        if told && !touches_soft(world, self.object, bodies) && !self.is_nested(world, bodies) {
            self.ghost_since = None;
            world.set_ghost(self.object, false);
        }
    }

    /// Whether it is inside a soft body without touching it, or around one; rays do not find
    /// either.
    fn is_nested(&self, world: &DeformableWorld, bodies: &[Resident]) -> bool {
        let pose = world.pose(self.object).unwrap_or(self.start);
        let inverse = pose.inverse();
        bodies.iter().any(|body| {
            let points = body.points(world);
            let around = || {
                let first = points.first().map(|p| transform(&inverse, p));
                let near = first.filter(|p| self.volume && p.norm() <= self.shape.bound_m);
                let mut winding = Winding::default();
                near.is_some_and(|p| winding.about(&self.shape.index, &p) != Some(0))
            };
            let inside = || {
                let corners = || {
                    body.shape
                        .triangles()
                        .iter()
                        .map(|t| t.map(|v| points[v as usize]))
                };
                let mut pieces = self.shape.pieces().iter().map(|p| transform(&pose, p));
                body.kind != DeformableKind::Cloth && pieces.any(|p| surrounds(corners(), &p))
            };
            around() || inside()
        })
    }

    /// Removes it from the world.
    pub fn remove(self, world: &mut DeformableWorld) -> Result<(), AddError> {
        world.remove(self.object)
    }
}

/// Whether an object had a contact with a soft body, rendered or not.
pub(super) fn touches_soft(world: &DeformableWorld, object: ObjectId, bodies: &[Resident]) -> bool {
    let mut contacts = world.detector().contacts().iter();
    contacts.any(|contact| {
        let other = match (contact.source == object.0, contact.target == object.0) {
            (true, _) => contact.target,
            (_, true) => contact.source,
            _ => return false,
        };
        bodies.iter().any(|body| body.object.0 == other)
    })
}
