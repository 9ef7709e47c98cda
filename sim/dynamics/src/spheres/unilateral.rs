//! What all contacts share: a gap that is not to be negative, friction across it, no bounce.
//!
//! # Theory
//!
//! `C >= 0` by XPBD without compliance; the multiplier is summed over the sweeps of a substep and kept positive as a sum. Friction takes back the
//! tangential movement since the substep began, as far as `mu` times the normal multiplier allows (Macklin et al. 2014, "Unified particle physics").
//!
//! A contact that the substep found open, or shallow, is closed to zero; one that was deep comes out by no more than the push-out speed allows. What
//! speed a push outwards has left is taken off afterwards (the velocity pass of Müller et al. 2020 with restitution zero): a depth is not energy.

use super::probe::Probes;
use super::sphere::Spheres;
use crate::Vec3;

/// Everything that contacts move, and when in the step it is.
pub(super) struct Scene<'a> {
    pub spheres: &'a mut Spheres,
    pub probes: &'a mut Probes,
    /// Substep, s.
    pub h: f64,
    /// From the step's beginning to the substep's and to its end, s.
    pub time: [f64; 2],
    /// m/s
    pub push_out: f64,
}

/// The two sides of a contact. "First" is the one that a positive push moves along the normal.
pub(super) trait Sides {
    /// Unit normal towards the first side and the gap, m, now.
    fn look(&self, scene: &Scene<'_>) -> (Vec3, f64);
    /// The gap when the substep began, m.
    fn gap_before(&self, scene: &Scene<'_>) -> f64;
    /// Movement of the first side relative to the second since the substep began, m.
    fn slid(&self, scene: &Scene<'_>) -> Vec3;
    /// Relative velocity, m/s: until the substep settles the predicted one.
    fn speed(&self, scene: &Scene<'_>) -> Vec3;
    /// Sum of the inverse masses, 1/kg.
    fn give(&self, scene: &Scene<'_>) -> f64;
    /// Moves both sides by `p` (kg m) times inverse mass.
    fn shove(&self, scene: &mut Scene<'_>, p: &Vec3);
    /// The same with velocities and an impulse (N s).
    fn push(&self, scene: &mut Scene<'_>, p: &Vec3);
}

/// Multipliers of a contact in a substep.
#[derive(Clone, Copy, Debug)]
pub(super) struct Press {
    pub normal: Vec3,
    /// kg m
    pub along: f64,
    pub across: Vec3,
    /// Relative normal velocity that the prediction had, m/s.
    leaving: f64,
    pub friction: f64,
}

impl Press {
    pub fn new(friction: f64) -> Self {
        Self {
            normal: Vec3::zeros(),
            along: 0.0,
            across: Vec3::zeros(),
            leaving: 0.0,
            friction,
        }
    }

    pub fn begin_substep(&mut self) {
        self.along = 0.0;
        self.across = Vec3::zeros();
    }

    /// One visit. Returns false if the numbers did not allow it.
    #[inline]
    pub fn solve<S: Sides>(&mut self, sides: &S, scene: &mut Scene<'_>) -> bool {
        let (n, gap) = sides.look(scene);
        if gap >= 0.0 && self.along == 0.0 {
            return true;
        }
        let give = sides.give(scene);
        if give == 0.0 {
            return true;
        }
        let goal = (sides.gap_before(scene) + scene.push_out * scene.h).min(0.0);
        let along = (self.along + (goal - gap) / give).max(0.0);
        if along == 0.0 && self.along == 0.0 {
            return true;
        }
        let p = n * (along - self.along);
        if !p.sum().is_finite() {
            return false;
        }
        if self.along == 0.0 {
            self.leaving = sides.speed(scene).dot(&n);
        }
        self.along = along;
        self.normal = n;
        sides.shove(scene, &p);
        if self.friction == 0.0 {
            return true;
        }
        let slid = sides.slid(scene);
        let slid = slid - n * n.dot(&slid);
        let mut wanted = self.across - n * n.dot(&self.across) - slid / give;
        let (size, most) = (wanted.norm(), self.friction * along);
        if size > most {
            wanted *= most / size;
        }
        let p = wanted - self.across;
        if !p.sum().is_finite() {
            return false;
        }
        self.across = wanted;
        sides.shove(scene, &p);
        true
    }

    /// After velocities are known: the speed that was gained by being pushed out is taken off.
    #[inline]
    pub fn calm<S: Sides>(&mut self, sides: &S, scene: &mut Scene<'_>) {
        if self.along == 0.0 {
            return;
        }
        let excess = sides.speed(scene).dot(&self.normal) - self.leaving.max(0.0);
        if !(excess > 0.0) {
            return;
        }
        let p = excess / sides.give(scene);
        if p.is_finite() {
            sides.push(scene, &(self.normal * -p));
            self.along -= p * scene.h;
        }
    }

    /// What the first side has got in the substep, N s.
    pub fn impulse(&self, h: f64) -> Vec3 {
        (self.normal * self.along + self.across) / h
    }
}
