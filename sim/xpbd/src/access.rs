//! Read access to the world: positions now and at the start of the step, velocities, impulses,
//! sums. Nothing here allocates.

use super::attachment::AttachmentId;
use super::body::{BodyId, BodyState};
use super::particle::ParticleId;
use super::surface::{Deformable, DeformableId, Skin, carried};
use super::world::{Settings, XpbdWorld};
use crate::Vec3;

impl XpbdWorld {
    /// Settings of the world.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Positions of all particles, m, by [`ParticleId`].
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.particles.x
    }

    /// Positions of all particles at the start of the last step, m.
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

    /// Number of deformables.
    #[must_use]
    pub fn deformables(&self) -> usize {
        self.deformables.len()
    }

    fn deformable(&self, id: DeformableId) -> Option<&Deformable> {
        self.deformables.get(id.0 as usize)
    }

    /// Surface positions of a deformable, m, in the order of its mesh. Like the accessors below,
    /// returns `None` if the deformable does not exist.
    #[must_use]
    pub fn surface(&self, id: DeformableId) -> Option<&[Vec3]> {
        let deformable = self.deformable(id)?;
        Some(match &deformable.skin {
            Skin::Bare => &self.particles.x[range(deformable.particles)],
            Skin::Embedded { now, .. } => now,
        })
    }

    /// Surface positions at the start of the last step, m.
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

    /// Triangles of a deformable, as given at its creation.
    #[must_use]
    pub fn triangles(&self, id: DeformableId) -> Option<&[[u32; 3]]> {
        Some(&self.deformable(id)?.triangles)
    }

    /// Half thickness of a deformable, m.
    #[must_use]
    pub fn half_thickness(&self, id: DeformableId) -> Option<f64> {
        Some(self.deformable(id)?.half_thickness)
    }

    /// Particles of a deformable, as indices into [`XpbdWorld::positions`]. For a cloth they are
    /// its surface vertices, in order.
    #[must_use]
    pub fn particles_of(&self, id: DeformableId) -> Option<core::ops::Range<usize>> {
        Some(range(self.deformable(id)?.particles))
    }

    /// Particle at a cloth's vertex; `None` for a soft body.
    #[must_use]
    pub fn particle_of(&self, id: DeformableId, vertex: u32) -> Option<ParticleId> {
        let deformable = self.deformable(id)?;
        let (first, count) = deformable.particles;
        let bare = matches!(deformable.skin, Skin::Bare);
        (bare && vertex < count).then_some(ParticleId(first + vertex))
    }

    /// Smallest and largest volume ratio (current over rest) of a soft body's tetrahedra. A
    /// negative ratio means inverted. `None` for a cloth.
    #[must_use]
    pub fn volume_ratios(&self, id: DeformableId) -> Option<(f64, f64)> {
        let deformable = self.deformable(id)?;
        (self.tetrahedra[range(deformable.tetrahedra)].iter())
            .map(|t| t.volume_ratio(&self.particles.x))
            .fold(None, |seen: Option<(f64, f64)>, r| {
                Some(seen.map_or((r, r), |(low, high)| (low.min(r), high.max(r))))
            })
    }

    /// Pose and motion of a body.
    #[must_use]
    pub fn body(&self, id: BodyId) -> Option<&BodyState> {
        self.has_body(id).then(|| &self.bodies[id.0 as usize].state)
    }

    /// Whether forces move the body; false if it does not exist.
    #[must_use]
    pub fn is_dynamic(&self, id: BodyId) -> bool {
        (self.bodies.get(id.0 as usize)).is_some_and(super::body::XpbdBody::is_dynamic)
    }

    /// Pose and motion of a body at the start of the last step.
    #[must_use]
    pub fn body_at_start(&self, id: BodyId) -> Option<&BodyState> {
        self.has_body(id).then(|| &self.bodies[id.0 as usize].start)
    }

    /// Impulse on the first side of each contact of the last step's list, N s; zero for contacts
    /// that were left out.
    #[must_use]
    pub fn impulses(&self) -> &[Vec3] {
        &self.contacts.impulses
    }

    /// Impulse that a hold applied in the last step, N s.
    #[must_use]
    pub fn hold_impulse(&self, id: AttachmentId) -> Option<Vec3> {
        let hold = self.attachments.get(id.0 as usize)?;
        hold.active.then_some(hold.impulse)
    }

    /// Kinetic energy of free particles and dynamic bodies, J.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let particles: f64 = (self.free())
            .map(|(i, m)| m * self.particles.v[i].norm_squared() / 2.0)
            .sum();
        let bodies: f64 = self.bodies.iter().map(|b| b.energy()).sum();
        particles + bodies
    }

    /// Linear momentum of free particles and dynamic bodies, N s.
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

    /// Angular momentum of free particles and dynamic bodies about the world's origin, kg m²/s.
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
