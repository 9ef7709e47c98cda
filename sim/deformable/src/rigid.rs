//! A body of the rigid scene among soft ones: it goes where the loop says and pushes what is in its
//! way.
//!
//! One that comes while the scene runs is a ghost until it has been clear of everything soft, as a
//! tool is: what is put down inside a soft body, or around one, touches nothing until it is out.
//! None goes faster than [`FASTEST_M_S`], whatever the loop says: where the soft bodies' thread was
//! held up, a body makes up for its way in several steps, and does not fling away what it meets on
//! it.

use crate::world::{AddError, DeformableWorld, ObjectId};
use hapticd_geometry::{Pose, transform};
use hapticd_proxy::{BodyKey, Query};
use hapticd_rays::{Progress, Topology};

use super::resident::Resident;
use super::spec::{SoftAddError, SoftKind};
use hapticd_ccd::Winding;
use hapticd_scene::{BodyKind, BodySpec, Shape};

use hapticd_scene::surrounds;

/// Fastest that any point of a rigid body goes among soft ones, m/s: as fast as clients may send
/// one.
const FASTEST_M_S: f64 = 20.0;

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Rigid {
    pub key: BodyKey,
    object: ObjectId,
    /// Never moves.
    fixed: bool,
    shape: Shape,
    /// Has an inside.
    volume: bool,
    /// Where it started.
    start: Pose,
    /// The detector's newest step when it became a ghost; `None`: it is none any more.
    ghost_since: Option<u64>,
}

impl Rigid {
    /// At the place where it starts, touching what is there; `None`: a point, which touches
    /// nothing.
    pub fn add(
        world: &mut DeformableWorld,
        key: BodyKey,
        spec: &BodySpec,
    ) -> Result<Option<Rigid>, SoftAddError> {
        let refused = |why| SoftAddError::Body {
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

    /// Touches nothing until it has been clear of everything soft.
    pub fn haunt(&mut self, world: &mut DeformableWorld) {
        self.ghost_since = Some(world.detector().progress().newest);
        world.set_ghost(self.object, true);
    }

    /// Before a step: to where the loop has it, if the loop knows it.
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

    /// How far it may go on its way from one pose to another.
    fn reached(&self, from: &Pose, to: &Pose, dt_s: f64) -> Pose {
        let way = to.translation.vector - from.translation.vector;
        let turn = from.rotation.inverse() * to.rotation;
        let length = way.norm() + turn.angle() * self.shape.bound_m;
        let most = FASTEST_M_S * dt_s;
        // Not `<=`: a NaN is the world's to refuse.
        if !(length > most) {
            return *to;
        }
        let share = most / length;
        Pose::from_parts(
            (from.translation.vector + way * share).into(),
            from.rotation * turn.powf(share),
        )
    }

    /// After a step: out of everything soft it is a ghost no more. An answer from before it came
    /// says nothing of it.
    pub fn clear(&mut self, world: &mut DeformableWorld, bodies: &[Resident]) {
        let Some(since) = &mut self.ghost_since else {
            return;
        };
        let Progress {
            newest, answered, ..
        } = world.detector().progress();
        // Another detector counts again.
        *since = newest.min(*since);
        let told = answered > *since;
        if told && !touches_soft(world, self.object, bodies) && !self.is_nested(world, bodies) {
            self.ghost_since = None;
            world.set_ghost(self.object, false);
        }
    }

    /// Whether it is inside of a soft body that it does not touch, or around one: rays say nothing
    /// of those.
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
                body.kind != SoftKind::Cloth && pieces.any(|p| surrounds(corners(), &p))
            };
            around() || inside()
        })
    }

    /// Lets go of everything.
    pub fn remove(self, world: &mut DeformableWorld) -> Result<(), AddError> {
        world.remove(self.object)
    }
}

/// Whether an object had a contact with a soft body, felt or not.
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
