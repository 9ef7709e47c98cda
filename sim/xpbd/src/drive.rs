//! Callers' control of existing objects: place, pin, drive, pull, push. Only the list of driven
//! particles allocates.

use nalgebra::UnitQuaternion;

use super::body::{BodyError, BodyId, BodyState, Pull};
use super::contact::{ContactFault, ContactPoint};
use super::contact_solver::Anchor;
use super::finite;
use super::particle::{ParticleError, ParticleId, check_place};
use super::surface::DeformableId;
use super::world::XpbdWorld;
use crate::Vec3;

impl XpbdWorld {
    /// Sets the pose and motion of a body. Allocates nothing.
    ///
    /// # Errors
    /// [`BodyError`] if the body does not exist, a number is not finite, or the rotation is not a
    /// unit quaternion.
    pub fn set_body(&mut self, id: BodyId, state: &BodyState) -> Result<(), BodyError> {
        self.body_mut(id)?.set(state)
    }

    /// Moves a kinematic body at constant velocity to this pose during the next step; it stands
    /// still after it. Has no effect on a dynamic body. Allocates nothing.
    ///
    /// # Errors
    /// [`BodyError`] if the body does not exist, a number is not finite, or the rotation is not a
    /// unit quaternion.
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
    /// [`BodyError`] if the body does not exist or a number is not finite.
    pub fn push_body(&mut self, id: BodyId, force: Vec3, at: Vec3) -> Result<(), BodyError> {
        let body = self.body_mut(id)?;
        if !(finite(&force) && finite(&at)) {
            return Err(BodyError::Force { force, at });
        }
        body.force += force;
        body.torque += (at - body.state.position).cross(&force);
        Ok(())
    }

    /// Pulls a dynamic body towards a frame during the next step. Has no effect on a kinematic
    /// body. Allocates nothing.
    ///
    /// # Errors
    /// [`BodyError`] if the body does not exist, a number is not finite, a rotation is not a unit
    /// quaternion, or a stiffness or damping is negative.
    pub fn pull_body(&mut self, id: BodyId, pull: &Pull) -> Result<(), BodyError> {
        pull.check()?;
        let body = self.body_mut(id)?;
        if body.is_dynamic() {
            body.pull = Some(*pull);
        }
        Ok(())
    }

    /// Sets the position (m) and velocity (m/s) of a particle. Allocates nothing.
    ///
    /// # Errors
    /// [`ParticleError`] if the particle does not exist or a number is not finite.
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
    /// [`ParticleError::Unknown`] if the particle does not exist.
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

    /// Moves a pinned particle at constant velocity to `target` (m) during the next step; it stands
    /// still after it. Has no effect on a free particle. Allocates while the list of driven
    /// particles grows.
    ///
    /// # Errors
    /// [`ParticleError`] if the particle does not exist or a number is not finite.
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
    /// [`ParticleError`] if the particle does not exist or the force is not finite.
    pub fn push_particle(&mut self, id: ParticleId, force: Vec3) -> Result<(), ParticleError> {
        let i = self.particles.index(id)?;
        if !finite(&force) {
            return Err(ParticleError::Force(force));
        }
        self.particles.force[i] += force;
        Ok(())
    }

    /// Pushes a point of a surface triangle with `force` (N) for the next step: the push of the
    /// haptic tool. Allocates nothing.
    ///
    /// # Errors
    /// [`ContactFault`] if the point does not exist, or the force is not finite
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
