//! Objects that the caller moves: bodies that follow a path whatever they meet, and tools that a
//! hand pulls.

use std::sync::Arc;

use hapticd_geometry::{Pose, Vec3};
use hapticd_rays::Shape;
use hapticd_xpbd::{BodyKind, Pull};

use crate::mover::{Mover, state_of};
use crate::world::{AddError, DeformableWorld, ObjectId, check};

impl DeformableWorld {
    /// Adds a rigid body that moves as [`DeformableWorld::drive`] says, and pushes objects in its
    /// path.
    ///
    /// # Errors
    /// [`AddError`].
    pub fn add_kinematic(
        &mut self,
        shape: Arc<Shape>,
        world_from_mesh: &Pose,
        friction: f64,
    ) -> Result<ObjectId, AddError> {
        self.add_driven(
            shape,
            &BodyKind::Kinematic,
            Vec3::zeros(),
            world_from_mesh,
            friction,
        )
    }

    /// Adds a tool at rest, to be moved by [`DeformableWorld::pull`]. Its mass and inertia are
    /// those of a ball of `mass_kg` and `radius_m` about `centre` (mesh frame).
    ///
    /// # Errors
    /// [`AddError`].
    pub fn add_tool(
        &mut self,
        shape: Arc<Shape>,
        (mass_kg, radius_m, centre): (f64, f64, Vec3),
        world_from_mesh: &Pose,
        friction: f64,
    ) -> Result<ObjectId, AddError> {
        let kind = BodyKind::Dynamic {
            mass_kg,
            inertia_kg_m2: Vec3::repeat(0.4 * mass_kg * radius_m * radius_m),
        };
        self.add_driven(shape, &kind, centre, world_from_mesh, friction)
    }

    fn add_driven(
        &mut self,
        shape: Arc<Shape>,
        kind: &BodyKind,
        centre: Vec3,
        world_from_mesh: &Pose,
        friction: f64,
    ) -> Result<ObjectId, AddError> {
        check(friction)?;
        let mesh_from_body = Pose::translation(centre.x, centre.y, centre.z);
        self.scene.check_capacity(&shape, world_from_mesh)?;
        let state = state_of(&(world_from_mesh * mesh_from_body));
        let body = self.dynamics.add_body(kind, &state)?;
        let id = self.scene.add_rigid(shape, world_from_mesh, false)?;
        let mover = Mover::Body {
            body,
            body_from_mesh: mesh_from_body.inverse(),
        };
        Ok(self.join(id, mover, friction))
    }

    /// Moves a kinematic body to this pose during the next step.
    ///
    /// # Errors
    /// [`AddError`] if the object is not a rigid body or the pose is invalid.
    pub fn drive(&mut self, id: ObjectId, world_from_mesh: &Pose) -> Result<(), AddError> {
        let (body, body_from_mesh) = self.rigid(id)?;
        let goal = world_from_mesh * body_from_mesh.inverse();
        (self.dynamics).drive_body(body, goal.translation.vector, goal.rotation)?;
        Ok(())
    }

    /// Pulls a tool by its mesh's frame, which moves from one pose to the other during the next
    /// step. Stiffness and damping are in N/m and N s/m, then N m/rad and N m s/rad.
    ///
    /// # Errors
    /// [`AddError`] if the object is not a rigid body, a number is not finite, or a stiffness or
    /// damping is negative.
    pub fn pull(
        &mut self,
        id: ObjectId,
        [from, to]: [&Pose; 2],
        [stiffness, damping]: [f64; 2],
        [turn_stiffness, turn_damping]: [f64; 2],
    ) -> Result<(), AddError> {
        let (body, body_from_mesh) = self.rigid(id)?;
        let mesh_from_body = body_from_mesh.inverse();
        let [from, to] = [from, to].map(|pose| {
            let goal = pose * mesh_from_body;
            (goal.translation.vector, goal.rotation)
        });
        let pull = Pull {
            from,
            to,
            stiffness_n_m: stiffness,
            damping_n_s_m: damping,
            stiffness_nm_rad: turn_stiffness,
            damping_nm_s_rad: turn_damping,
        };
        self.dynamics.pull_body(body, &pull)?;
        Ok(())
    }

    /// Places a rigid body at a pose, at rest.
    ///
    /// # Errors
    /// [`AddError`] if the object is not a rigid body or the pose is invalid.
    pub fn place(&mut self, id: ObjectId, world_from_mesh: &Pose) -> Result<(), AddError> {
        let (body, body_from_mesh) = self.rigid(id)?;
        hapticd_rays::check_pose(id.0, world_from_mesh)?;
        let state = state_of(&(world_from_mesh * body_from_mesh.inverse()));
        self.dynamics.set_body(body, &state)?;
        Ok(())
    }

    /// Sets whether an object is a ghost: it touches nothing, though its contacts are still found.
    pub fn set_ghost(&mut self, id: ObjectId, ghost: bool) {
        if let Some(flag) = self.ghosts.get_mut(id.0 as usize) {
            *flag = ghost;
        }
    }

    fn rigid(&self, id: ObjectId) -> Result<(hapticd_xpbd::BodyId, Pose), AddError> {
        match self.movers.get(id.0 as usize) {
            Some(Mover::Body {
                body,
                body_from_mesh,
            }) => Ok((*body, *body_from_mesh)),
            _ => Err(AddError::NotRigid(id.0)),
        }
    }
}
