//! Contacts between two spheres: their surfaces do not pass through each other. The normal is the
//! present line of centres.

use super::sphere::Spheres;
use super::unilateral::{ContactState, Sides, StepContext};
use crate::Vec3;

#[derive(Clone, Copy, Debug)]
pub(super) struct SpherePair {
    pub a: u32,
    pub b: u32,
    /// Sum of the radii, m.
    pub reach: f64,
}

impl SpherePair {
    fn of(a: u32, b: u32, spheres: &Spheres) -> Self {
        let reach = spheres.radius[a as usize] + spheres.radius[b as usize];
        Self { a, b, reach }
    }
}

impl Sides for SpherePair {
    #[inline]
    fn look(&self, scene: &StepContext<'_>) -> (Vec3, f64) {
        let s = &*scene.spheres;
        let apart = s.x[self.a as usize] - s.x[self.b as usize];
        let length = apart.norm();
        if length > 0.0 {
            (apart / length, length - self.reach)
        } else {
            // Two coincident spheres need some direction to part: z.
            (Vec3::z(), -self.reach)
        }
    }

    #[inline]
    fn slid(&self, scene: &StepContext<'_>) -> Vec3 {
        let s = &*scene.spheres;
        let (a, b) = (self.a as usize, self.b as usize);
        (s.x[a] - s.before[a]) - (s.x[b] - s.before[b])
    }

    #[inline]
    fn speed(&self, scene: &StepContext<'_>) -> Vec3 {
        scene.spheres.v[self.a as usize] - scene.spheres.v[self.b as usize]
    }

    #[inline]
    fn give(&self, scene: &StepContext<'_>) -> f64 {
        let w = &scene.spheres.inverse_mass;
        w[self.a as usize] + w[self.b as usize]
    }

    #[inline]
    fn apply_displacement(&self, scene: &mut StepContext<'_>, p: &Vec3) {
        let s = &mut *scene.spheres;
        let (a, b) = (self.a as usize, self.b as usize);
        s.x[a] += p * s.inverse_mass[a];
        s.x[b] -= p * s.inverse_mass[b];
    }

    #[inline]
    fn push(&self, scene: &mut StepContext<'_>, p: &Vec3) {
        let s = &mut *scene.spheres;
        let (a, b) = (self.a as usize, self.b as usize);
        s.v[a] += p * s.inverse_mass[a];
        s.v[b] -= p * s.inverse_mass[b];
    }
}

/// A contact that may press in this step.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairRow {
    pub sides: SpherePair,
    pub press: ContactState,
}

impl PairRow {
    pub fn new(a: u32, b: u32, friction: f64, spheres: &Spheres) -> Self {
        Self {
            sides: SpherePair::of(a, b, spheres),
            press: ContactState::new(friction),
        }
    }

    /// Fast rejection: most rows have nothing to do in any sweep.
    #[inline]
    pub fn is_far(&self, spheres: &Spheres) -> bool {
        let apart = spheres.x[self.sides.a as usize] - spheres.x[self.sides.b as usize];
        self.press.is_idle() && apart.norm_squared() >= self.sides.reach * self.sides.reach
    }
}
