//! What callers read: positions now and when the step began, velocities, impulses, sums. Nothing
//! here allocates.

use super::attachment::AttachmentId;
use super::body::{BodyId, BodyState};
use super::particle::ParticleId;
use super::surface::{Deformable, DeformableId, Skin, carried};
use super::world::{Settings, XpbdWorld};
use crate::Vec3;

impl XpbdWorld {
    /// What holds for everything.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Positions of all particles, m, by [`ParticleId`].
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.particles.x
    }

    /// Positions of all particles when the last step began, m.
    #[must_use]
    pub fn positions_at_start(&self) -> &[Vec3] {
        &self.particles.start
    }

    /// Velocities of all particles, m/s.
    #[must_use]
    pub fn velocities(&self) -> &[Vec3] {
        &self.particles.v
    }

    /// Masses of all particles, kg, pinned or not.
    #[must_use]
    pub fn masses(&self) -> &[f64] {
        &self.particles.mass
    }

    /// How many deformables there are.
    #[must_use]
    pub fn deformables(&self) -> usize {
        self.deformables.len()
    }

    fn deformable(&self, id: DeformableId) -> Option<&Deformable> {
        self.deformables.get(id.0 as usize)
    }

    /// Surface positions of a deformable, m, in its mesh's order. `None` if there is no such thing,
    /// as in all that follow.
    #[must_use]
    pub fn surface(&self, id: DeformableId) -> Option<&[Vec3]> {
        let deformable = self.deformable(id)?;
        Some(match &deformable.skin {
            Skin::Bare => &self.particles.x[range(deformable.particles)],
            Skin::Embedded { now, .. } => now,
        })
    }

    /// Surface positions when the last step began, m.
    #[must_use]
    pub fn surface_at_start(&self, id: DeformableId) -> Option<&[Vec3]> {
        let deformable = self.deformable(id)?;
        Some(match &deformable.skin {
            Skin::Bare => &self.particles.start[range(deformable.particles)],
            Skin::Embedded { start, .. } => start,
        })
    }

    /// Velocity of a surface vertex, m/s.
    #[must_use]
    pub fn surface_velocity(&self, id: DeformableId, vertex: u32) -> Option<Vec3> {
        let deformable = self.deformable(id)?;
        match &deformable.skin {
            Skin::Bare => self.particles.v[range(deformable.particles)]
                .get(vertex as usize)
                .copied(),
            Skin::Embedded { carriers, .. } => carriers
                .get(vertex as usize)
                .map(|carrier| carried(carrier, &self.particles.v)),
        }
    }

    /// The triangles of a deformable, as they were given.
    #[must_use]
    pub fn triangles(&self, id: DeformableId) -> Option<&[[u32; 3]]> {
        Some(&self.deformable(id)?.triangles)
    }

    /// Half thickness of a deformable, m.
    #[must_use]
    pub fn half_thickness(&self, id: DeformableId) -> Option<f64> {
        Some(self.deformable(id)?.half_thickness)
    }

    /// The particles of a deformable: indices into [`XpbdWorld::positions`]. A cloth's are its
    /// surface vertices, in order.
    #[must_use]
    pub fn particles_of(&self, id: DeformableId) -> Option<core::ops::Range<usize>> {
        Some(range(self.deformable(id)?.particles))
    }

    /// The particle that is a cloth's vertex; `None` of a soft body's.
    #[must_use]
    pub fn particle_of(&self, id: DeformableId, vertex: u32) -> Option<ParticleId> {
        let deformable = self.deformable(id)?;
        let (first, count) = deformable.particles;
        let bare = matches!(deformable.skin, Skin::Bare);
        (bare && vertex < count).then_some(ParticleId(first + vertex))
    }

    /// Least and greatest volume ratio (now to rest) of a soft body's tetrahedra; negative: turned
    /// inside out. `None` of a cloth.
    #[must_use]
    pub fn volume_ratios(&self, id: DeformableId) -> Option<(f64, f64)> {
        let deformable = self.deformable(id)?;
        (self.tetrahedra[range(deformable.tetrahedra)].iter())
            .map(|t| t.volume_ratio(&self.particles.x))
            .fold(None, |seen: Option<(f64, f64)>, r| {
                Some(seen.map_or((r, r), |(low, high)| (low.min(r), high.max(r))))
            })
    }

    /// How many rigid bodies there are.
    #[must_use]
    pub fn bodies(&self) -> usize {
        self.bodies.len() - self.free_bodies.len()
    }

    /// Pose and motion of a body.
    #[must_use]
    pub fn body(&self, id: BodyId) -> Option<&BodyState> {
        self.has_body(id).then(|| &self.bodies[id.0 as usize].state)
    }

    /// Whether forces move a body; not if there is no such body.
    #[must_use]
    pub fn is_dynamic(&self, id: BodyId) -> bool {
        (self.bodies.get(id.0 as usize)).is_some_and(super::body::XpbdBody::is_dynamic)
    }

    /// Pose and motion of a body when the last step began.
    #[must_use]
    pub fn body_at_start(&self, id: BodyId) -> Option<&BodyState> {
        self.has_body(id).then(|| &self.bodies[id.0 as usize].start)
    }

    /// By contact of the last step's list, the impulse on its first side, N s; zero of those that
    /// were left out.
    #[must_use]
    pub fn impulses(&self) -> &[Vec3] {
        &self.contacts.impulses
    }

    /// What a hold pulled with in the last step, N s.
    #[must_use]
    pub fn hold_impulse(&self, id: AttachmentId) -> Option<Vec3> {
        let hold = self.attachments.get(id.0 as usize)?;
        hold.active.then_some(hold.impulse)
    }

    /// Of free particles and dynamic bodies, J.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let particles: f64 = (self.free())
            .map(|(i, m)| m * self.particles.v[i].norm_squared() / 2.0)
            .sum();
        let bodies: f64 = self.bodies.iter().map(|b| b.energy()).sum();
        particles + bodies
    }

    /// Of free particles and dynamic bodies, N s.
    #[must_use]
    pub fn momentum(&self) -> Vec3 {
        let mut sum = Vec3::zeros();
        for (i, m) in self.free() {
            sum += self.particles.v[i] * m;
        }
        for body in self.bodies.iter().filter(|b| b.is_dynamic()) {
            sum += body.state.velocity / body.inverse_mass;
        }
        sum
    }

    /// Of free particles and dynamic bodies about the world's origin, kg m²/s.
    #[must_use]
    pub fn angular_momentum(&self) -> Vec3 {
        let mut sum = Vec3::zeros();
        for (i, m) in self.free() {
            sum += self.particles.x[i].cross(&self.particles.v[i]) * m;
        }
        for body in self.bodies.iter().filter(|b| b.is_dynamic()) {
            let p = body.state.velocity / body.inverse_mass;
            sum += body.state.position.cross(&p) + body.momentum;
        }
        sum
    }

    fn free(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let p = &self.particles;
        (0..p.x.len())
            .filter(|i| p.inverse_mass[*i] > 0.0)
            .map(|i| (i, p.mass[i]))
    }
}

fn range((first, count): (u32, u32)) -> core::ops::Range<usize> {
    first as usize..(first + count) as usize
}
