//! What callers read. Nothing here allocates.

use super::blend::BlendEvent;
use super::probe::ProbeState;
use super::world::{Settings, SphereWorld};
use crate::Vec3;

impl SphereWorld {
    /// What holds for everything.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Centres of all spheres by index, m.
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.spheres.x
    }

    /// Centres when the last step began, m.
    #[must_use]
    pub fn positions_at_start(&self) -> &[Vec3] {
        &self.spheres.start
    }

    /// m/s
    #[must_use]
    pub fn velocities(&self) -> &[Vec3] {
        &self.spheres.v
    }

    /// Radii of the collision spheres, m.
    #[must_use]
    pub fn radii(&self) -> &[f64] {
        &self.spheres.radius
    }

    /// kg, fixed or not.
    #[must_use]
    pub fn masses(&self) -> &[f64] {
        &self.spheres.mass
    }

    /// The callers' numbers of the bodies, by sphere.
    #[must_use]
    pub fn bodies(&self) -> &[u32] {
        &self.spheres.body
    }

    /// Whether a sphere is held; `None` if there is no such sphere.
    #[must_use]
    pub fn is_fixed(&self, sphere: u32) -> Option<bool> {
        let w = self.spheres.inverse_mass.get(sphere as usize)?;
        Some(*w == 0.0)
    }

    /// Which pairs have begun or ceased to blend in the last step, by rising indices.
    #[must_use]
    pub fn events(&self) -> &[BlendEvent] {
        &self.blends.events
    }

    /// All pairs that blend since they touched, by rising indices, the lower index first. Those of
    /// strands along the wire are not among them.
    pub fn blended(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.blends.pairs()
    }

    /// What the probe in a slot does; `None` if there is none.
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

    /// By obstacle of the last step's list, the impulse on its sphere, N s; zero of those that were
    /// left out.
    #[must_use]
    pub fn obstacle_impulses(&self) -> &[Vec3] {
        &self.obstacle_impulses
    }

    /// By contact of the last step's list, the impulse on its probe, N s; zero of those that were
    /// left out.
    #[must_use]
    pub fn probe_contact_impulses(&self) -> &[Vec3] {
        &self.contact_impulses
    }

    /// Of free spheres and probes, J.
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

    /// Of free spheres and probes, N s.
    #[must_use]
    pub fn momentum(&self) -> Vec3 {
        let spheres = (self.free()).fold(Vec3::zeros(), |p, (i, m)| p + self.spheres.v[i] * m);
        (self.probes.slots.iter().flatten()).fold(spheres, |p, t| p + t.v * t.probe.mass_kg)
    }

    /// Of free spheres and probes about the world's origin, kg m²/s.
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
