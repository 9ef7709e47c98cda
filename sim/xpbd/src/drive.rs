//! What callers do to what is in a world: put it elsewhere, pin, drive, push. Nothing here
//! allocates but the list of driven particles.

use nalgebra::UnitQuaternion;

use super::body::{BodyError, BodyId, BodyState, XpbdBody};
use super::contact::{ContactFault, ContactPoint};
use super::contact_solver::Anchor;
use super::finite;
use super::particle::{ParticleError, ParticleId, check_place};
use super::surface::DeformableId;
use super::world::XpbdWorld;
use crate::Vec3;

impl XpbdWorld {
    /// Puts a body elsewhere, with another motion. Allocates nothing.
    ///
    /// # Errors
    /// [`BodyError`] if there is no such body or a number is not finite.
    pub fn set_body(&mut self, id: BodyId, state: &BodyState) -> Result<(), BodyError> {
        self.body_mut(id)?.set(state)
    }

    /// A kinematic body moves evenly to this pose during the next step, and stands after it. Of no
    /// effect on a dynamic one. Allocates nothing.
    ///
    /// # Errors
    /// [`BodyError`] if there is no such body or a number is not finite.
    pub fn drive_body(
        &mut self,
        id: BodyId,
        position: Vec3,
        rotation: UnitQuaternion<f64>,
    ) -> Result<(), BodyError> {
        let body = self.body_mut(id)?;
        if !finite(&position) {
            return Err(BodyError::Position(position));
        }
        let norm = rotation.coords.norm();
        if !((norm - 1.0).abs() < 1e-6) {
            return Err(BodyError::Rotation(norm));
        }
        if !body.is_dynamic() {
            body.target = Some((position, rotation));
        }
        Ok(())
    }

    /// Pushes a body with `force` (N) at the world point `at` (m) for the next step. Allocates
    /// nothing.
    ///
    /// # Errors
    /// [`BodyError`] if there is no such body or a number is not finite.
    pub fn push_body(&mut self, id: BodyId, force: Vec3, at: Vec3) -> Result<(), BodyError> {
        let body = self.body_mut(id)?;
        if !(finite(&force) && finite(&at)) {
            return Err(BodyError::Force { force, at });
        }
        body.force += force;
        body.torque += (at - body.state.position).cross(&force);
        Ok(())
    }

    pub(super) fn body_mut(&mut self, id: BodyId) -> Result<&mut XpbdBody, BodyError> {
        let count = self.bodies();
        if !self.has_body(id) {
            return Err(BodyError::Unknown { body: id.0, count });
        }
        Ok(&mut self.bodies[id.0 as usize])
    }

    /// Puts a particle elsewhere, with another velocity. Allocates nothing.
    ///
    /// # Errors
    /// [`ParticleError`] if there is no such particle or a number is not finite.
    pub fn set_particle(
        &mut self,
        id: ParticleId,
        position: Vec3,
        velocity: Vec3,
    ) -> Result<(), ParticleError> {
        let i = self.particles.index(id)?;
        check_place(&position, &velocity)?;
        self.particles.x[i] = position;
        self.particles.v[i] = velocity;
        Ok(())
    }

    /// Pins a particle where it is (as if of infinite mass), or frees it. Allocates nothing.
    ///
    /// # Errors
    /// [`ParticleError::Unknown`].
    pub fn pin(&mut self, id: ParticleId, pinned: bool) -> Result<(), ParticleError> {
        let i = self.particles.index(id)?;
        let was = self.particles.inverse_mass[i] == 0.0;
        self.masses_changed |= pinned != was;
        if pinned && !was {
            self.particles.inverse_mass[i] = 0.0;
            self.particles.v[i] = Vec3::zeros();
        } else if !pinned {
            self.particles.inverse_mass[i] = 1.0 / self.particles.mass[i];
        }
        Ok(())
    }

    /// A pinned particle moves evenly to `target` (m) during the next step, and stands after it. Of
    /// no effect on a free one. Allocates while the list of driven particles grows.
    ///
    /// # Errors
    /// [`ParticleError`] if there is no such particle or a number is not finite.
    pub fn drive_particle(&mut self, id: ParticleId, target: Vec3) -> Result<(), ParticleError> {
        let i = self.particles.index(id)?;
        if !finite(&target) {
            return Err(ParticleError::Position(target));
        }
        if self.particles.inverse_mass[i] == 0.0 {
            self.particles.drive(i, target);
        }
        Ok(())
    }

    /// Pushes a particle with `force` (N) for the next step. Allocates nothing.
    ///
    /// # Errors
    /// [`ParticleError`] if there is no such particle or the force is not finite.
    pub fn push_particle(&mut self, id: ParticleId, force: Vec3) -> Result<(), ParticleError> {
        let i = self.particles.index(id)?;
        if !finite(&force) {
            return Err(ParticleError::Force(force));
        }
        self.particles.force[i] += force;
        Ok(())
    }

    /// Pushes with `force` (N) at the point of a surface triangle for the next step: the haptic
    /// tool's push. Allocates nothing.
    ///
    /// # Errors
    /// [`ContactFault`] if there is no such point, or the force is not finite
    /// ([`ContactFault::Point`] then holds it).
    pub fn push_surface(
        &mut self,
        deformable: DeformableId,
        vertices: [u32; 3],
        weights: [f64; 3],
        force: Vec3,
    ) -> Result<(), ContactFault> {
        if !finite(&force) {
            return Err(ContactFault::Point(force));
        }
        let point = ContactPoint::Triangle {
            deformable,
            vertices,
            weights,
        };
        if let Anchor::Particles(stencil) = self.anchor(&point)? {
            for &(i, k) in stencil.entries() {
                self.particles.force[i as usize] += force * k;
            }
        }
        Ok(())
    }
}
