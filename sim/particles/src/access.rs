//! Read access to the world. Nothing here allocates.

use super::blend::BlendEvent;
use super::probe::ProbeState;
use super::world::{Settings, SphereWorld};
use crate::Vec3;

impl SphereWorld {
    /// Settings of the world.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Centres of all spheres by index, m.
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.spheres.x
    }

    /// Centres of all spheres at the start of the last step, m.
    #[must_use]
    pub fn positions_at_start(&self) -> &[Vec3] {
        &self.spheres.start
    }

    /// Velocities of all spheres, m/s.
    #[must_use]
    pub fn velocities(&self) -> &[Vec3] {
        &self.spheres.v
    }

    /// Radii of the collision spheres, m.
    #[must_use]
    pub fn radii(&self) -> &[f64] {
        &self.spheres.radius
    }

    /// Masses of all spheres, kg, fixed or not.
    #[must_use]
    pub fn masses(&self) -> &[f64] {
        &self.spheres.mass
    }

    /// Body of each sphere, as numbered by the caller.
    #[must_use]
    pub fn bodies(&self) -> &[u32] {
        &self.spheres.body
    }

    /// Whether a sphere is fixed; `None` if it does not exist.
    #[must_use]
    pub fn is_fixed(&self, sphere: u32) -> Option<bool> {
        let w = self.spheres.inverse_mass.get(sphere as usize)?;
        Some(*w == 0.0)
    }

    /// Pairs that began or ceased to blend in the last step, by rising indices.
    #[must_use]
    pub fn events(&self) -> &[BlendEvent] {
        &self.blends.events
    }

    /// All pairs that blend since they touched, by rising indices, the lower index first. Excludes
    /// pairs that blend along the wire of a strand.
    pub fn blended(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.blends.pairs()
    }

    /// State of the probe in a slot; `None` if the slot is empty.
    #[must_use]
    pub fn probe(&self, slot: usize) -> Option<ProbeState> {
        let tool = self.probes.slots.get(slot)?.as_ref()?;
        Some(ProbeState {
            position: tool.x,
            velocity: tool.v,
            impulse: tool.impulse,
            pull_impulse: tool.pull_impulse,
        })
    }

    /// Impulse on the sphere of each obstacle of the last step's list, N s; zero for obstacles that
    /// were left out.
    #[must_use]
    pub fn obstacle_impulses(&self) -> &[Vec3] {
        &self.obstacle_impulses
    }

    /// Impulse on the probe of each contact of the last step's list, N s; zero for contacts that
    /// were left out.
    #[must_use]
    pub fn probe_contact_impulses(&self) -> &[Vec3] {
        &self.contact_impulses
    }

    /// Kinetic energy of free spheres and probes, J.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let spheres: f64 = (self.free())
            .map(|(i, m)| m * self.spheres.v[i].norm_squared() / 2.0)
            .sum();
        let probes: f64 = (self.probes.slots.iter().flatten())
            .map(|t| t.probe.mass_kg * t.v.norm_squared() / 2.0)
            .sum();
        spheres + probes
    }

    /// Linear momentum of free spheres and probes, N s.
    #[must_use]
    pub fn momentum(&self) -> Vec3 {
        let spheres = (self.free()).fold(Vec3::zeros(), |p, (i, m)| p + self.spheres.v[i] * m);
        (self.probes.slots.iter().flatten()).fold(spheres, |p, t| p + t.v * t.probe.mass_kg)
    }

    /// Angular momentum of free spheres and probes about the world's origin, kg m²/s.
    #[must_use]
    pub fn angular_momentum(&self) -> Vec3 {
        let s = &self.spheres;
        let spheres = (self.free()).fold(Vec3::zeros(), |l, (i, m)| l + s.x[i].cross(&s.v[i]) * m);
        (self.probes.slots.iter().flatten())
            .fold(spheres, |l, t| l + t.x.cross(&t.v) * t.probe.mass_kg)
    }

    fn free(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let s = &self.spheres;
        (0..s.x.len())
            .filter(|i| s.inverse_mass[*i] > 0.0)
            .map(|i| (i, s.mass[i]))
    }
}
