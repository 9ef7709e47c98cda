//! Contacts of probes with points of the skin.
//!
//! A contact is between the probe and a point of the skin, which moves as a weighted mean of
//! spheres: `C = gap + n . (dp - sum w_i dx_i) >= 0` with the displacements since the step began.
//! The reaction to the probe's contact force acts on the spheres, by their weights.

use super::finite;
use super::planes::{ListFault, check_normal};
use super::probe::{Probes, Tool};
use super::sphere::Spheres;
use super::unilateral::{ContactState, Sides, StepContext};
use crate::Vec3;

/// Largest number of spheres that carry a contact of a probe.
pub const MAX_WEIGHTS: usize = 8;

/// A contact: the constraint that a probe's point stays on its side of a point of the skin during
/// the next step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeContact {
    /// Slot of the probe.
    pub probe: u32,
    /// Vector from the probe's position to the point that touches, m, world axes. A probe does not
    /// rotate, so this is only for the caller's records; it must be finite.
    pub offset: Vec3,
    /// Unit vector towards the probe.
    pub normal: Vec3,
    /// Gap at the start of the step, m; negative is inside.
    pub gap_m: f64,
    /// Spheres and their weights in the point of the skin; unused entries have the weight 0. The
    /// sum is 1, none is below -0.01. A sphere may be named twice.
    pub weights: [(u32, f64); MAX_WEIGHTS],
    /// Coulomb's coefficient, not negative.
    pub friction: f64,
}

impl ProbeContact {
    pub(super) fn check(&self, probes: &Probes, spheres: &Spheres) -> Result<(), ListFault> {
        let probe = probes.slots.get(self.probe as usize);
        if probe.is_none_or(Option::is_none) {
            return Err(ListFault::Probe(self.probe));
        }
        check_normal(&self.normal)?;
        if !finite(&self.offset) {
            return Err(ListFault::Vector(self.offset));
        }
        if !self.gap_m.is_finite() {
            return Err(ListFault::Gap(self.gap_m));
        }
        if !(self.friction >= 0.0 && self.friction.is_finite()) {
            return Err(ListFault::Friction(self.friction));
        }
        let mut sum = 0.0;
        for &(sphere, weight) in &self.weights {
            if !(weight >= -0.01 && weight.is_finite()) {
                return Err(ListFault::Weight(weight));
            }
            if weight != 0.0 && sphere as usize >= spheres.x.len() {
                return Err(ListFault::Sphere(sphere));
            }
            sum += weight;
        }
        // A NaN fails this comparison.
        if (sum - 1.0).abs() <= 1e-6 {
            Ok(())
        } else {
            Err(ListFault::Weights(sum))
        }
    }
}

/// A probe and a point of the skin.
#[derive(Clone, Copy, Debug)]
pub(super) struct SkinContact {
    /// Slot, which holds a probe.
    pub probe: u32,
    pub normal: Vec3,
    pub gap: f64,
    pub weights: [(u32, f64); MAX_WEIGHTS],
    pub count: u32,
}

impl SkinContact {
    /// Merges entries so that each sphere occurs once, because the mobility is a sum of squares.
    pub fn new(contact: &ProbeContact) -> Self {
        let mut weights = [(0, 0.0); MAX_WEIGHTS];
        let mut count = 0;
        for &(sphere, weight) in contact.weights.iter().filter(|w| w.1 != 0.0) {
            match weights[..count].iter_mut().find(|w| w.0 == sphere) {
                Some(known) => known.1 += weight,
                None => {
                    weights[count] = (sphere, weight);
                    count += 1;
                }
            }
        }
        Self {
            probe: contact.probe,
            normal: contact.normal.normalize(),
            gap: contact.gap_m,
            weights,
            count: count as u32,
        }
    }

    fn weights(&self) -> &[(u32, f64)] {
        &self.weights[..self.count as usize]
    }

    fn mean(&self, of: impl Fn(usize) -> Vec3) -> Vec3 {
        (self.weights().iter()).fold(Vec3::zeros(), |sum, &(i, w)| sum + of(i as usize) * w)
    }

    /// Value read from the probe, or the default if the slot is empty.
    fn tool<T: Default>(&self, scene: &StepContext<'_>, get: impl Fn(&Tool) -> T) -> T {
        scene.probes.slots[self.probe as usize]
            .as_ref()
            .map_or_else(T::default, get)
    }
}

impl Sides for SkinContact {
    fn look(&self, scene: &StepContext<'_>) -> (Vec3, f64) {
        let s = &*scene.spheres;
        let skin = self.mean(|i| s.x[i] - s.start[i]);
        let probe = self.tool(scene, |t| t.x - t.start);
        (self.normal, self.gap + self.normal.dot(&(probe - skin)))
    }

    fn slid(&self, scene: &StepContext<'_>) -> Vec3 {
        let s = &*scene.spheres;
        self.tool(scene, |t| t.x - t.before) - self.mean(|i| s.x[i] - s.before[i])
    }

    fn speed(&self, scene: &StepContext<'_>) -> Vec3 {
        self.tool(scene, |t| t.v) - self.mean(|i| scene.spheres.v[i])
    }

    fn give(&self, scene: &StepContext<'_>) -> f64 {
        let w = &scene.spheres.inverse_mass;
        let skin: f64 = (self.weights().iter())
            .map(|&(i, k)| w[i as usize] * k * k)
            .sum();
        self.tool(scene, |t| t.inverse_mass) + skin
    }

    fn apply_displacement(&self, scene: &mut StepContext<'_>, p: &Vec3) {
        let s = &mut *scene.spheres;
        for &(i, k) in self.weights() {
            s.x[i as usize] -= p * (k * s.inverse_mass[i as usize]);
        }
        if let Some(tool) = &mut scene.probes.slots[self.probe as usize] {
            tool.x += p * tool.inverse_mass;
        }
    }

    fn push(&self, scene: &mut StepContext<'_>, p: &Vec3) {
        let s = &mut *scene.spheres;
        for &(i, k) in self.weights() {
            s.v[i as usize] -= p * (k * s.inverse_mass[i as usize]);
        }
        if let Some(tool) = &mut scene.probes.slots[self.probe as usize] {
            tool.v += p * tool.inverse_mass;
        }
    }
}

/// A contact of a probe in this step, and its index in the caller's list.
#[derive(Clone, Copy, Debug)]
pub(super) struct SkinContactRow {
    pub sides: SkinContact,
    pub press: ContactState,
    pub source: u32,
}
