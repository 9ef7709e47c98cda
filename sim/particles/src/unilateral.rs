//! What all contacts share: a gap that must not become negative, friction, no bounce.
//!
//! # Theory
//!
//! `C >= 0` by XPBD without compliance. The multiplier is summed over the sweeps of a substep, and
//! only the sum is kept positive. Friction undoes the tangential displacement since the substep
//! began, as far as `mu` times the normal multiplier allows (Macklin et al. 2014, "Unified particle
//! physics"). While a contact sticks, the displacement that the substeps of a step leave
//! uncorrected is stored.
//!
//! A contact that the substep finds open or shallow is closed to zero. A deep one comes out no
//! faster than the push-out speed. The velocity that an outward push leaves is removed afterwards
//! (the velocity pass of Müller et al. 2020 with restitution zero): a depth is not energy.
//!
//! Unlike in [`xpbd`](hapticd_xpbd), nothing but that stored displacement carries over between
//! substeps. There, contacts ask for velocities, and a load must be known from the start. Here they
//! ask for positions, so chains of light spheres settle to rest with a little depth and no speed,
//! even after one sweep. Warm-starting the loads made heaps of balls throw their topmost (one
//! sweep), and a tool on a wire hop.

use super::probe::Probes;
use super::sphere::Spheres;
use crate::Vec3;

/// All objects that contacts move, and the time within the step.
pub(super) struct StepContext<'a> {
    pub spheres: &'a mut Spheres,
    pub probes: &'a mut Probes,
    /// Length of the substep, s.
    pub h: f64,
    /// Time since the step began, s; planes have moved for that long.
    pub time: f64,
    /// Push-out speed, m/s.
    pub push_out: f64,
}

/// The two sides of a contact. A positive push moves the "first" side along the normal.
pub(super) trait Sides {
    /// Returns the present unit normal towards the first side, and the gap, m.
    fn look(&self, scene: &StepContext<'_>) -> (Vec3, f64);
    /// Returns the displacement of the first side relative to the second since the substep began,
    /// m.
    fn slid(&self, scene: &StepContext<'_>) -> Vec3;
    /// Returns the sum of the inverse masses, 1/kg.
    fn give(&self, scene: &StepContext<'_>) -> f64;
    /// Returns the relative velocity, m/s.
    fn speed(&self, scene: &StepContext<'_>) -> Vec3;
    /// Moves both sides by `p` (kg m) times inverse mass.
    fn apply_displacement(&self, scene: &mut StepContext<'_>, p: &Vec3);
    /// Changes both velocities by the impulse `p` (N s) times inverse mass.
    fn push(&self, scene: &mut StepContext<'_>, p: &Vec3);
}

/// Multipliers of a contact in a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub normal: Vec3,
    /// Normal multiplier, kg m.
    pub along: f64,
    pub across: Vec3,
    /// Impulse that was removed afterwards, N s.
    pub removed_impulse: f64,
    /// Tangential displacement of a sticking contact that the substeps have left uncorrected, m.
    pub slip: Vec3,
}

/// State of a contact in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactState {
    pub load: Load,
    friction: f64,
    /// Smallest gap that the substep asks for, m; negative for a contact found deep inside.
    floor: f64,
    /// Relative normal velocity at the start of the substep, m/s; negative while the sides
    /// approach.
    initial_normal_velocity: f64,
}

fn tangential(v: &Vec3, n: &Vec3) -> Vec3 {
    v - n * n.dot(v)
}

impl ContactState {
    pub fn new(friction: f64) -> Self {
        Self {
            load: Load::default(),
            friction,
            floor: 0.0,
            initial_normal_velocity: 0.0,
        }
    }

    pub fn is_idle(&self) -> bool {
        self.load.along == 0.0
    }

    /// Sets the bounds for the substep. Runs before the prediction.
    #[inline]
    pub fn begin<S: Sides>(&mut self, sides: &S, scene: &StepContext<'_>) {
        let (n, gap) = sides.look(scene);
        self.load.along = 0.0;
        self.load.across = Vec3::zeros();
        self.load.removed_impulse = 0.0;
        self.load.slip = tangential(&self.load.slip, &n);
        // A NaN gap counts as no depth.
        self.floor = if gap < 0.0 {
            (gap + scene.push_out * scene.h).min(0.0)
        } else {
            0.0
        };
        self.initial_normal_velocity = sides.speed(scene).dot(&n);
    }

    /// Solves the contact once. Returns false if the numbers are not finite.
    #[inline]
    pub fn solve<S: Sides>(&mut self, sides: &S, scene: &mut StepContext<'_>) -> bool {
        let (n, gap) = sides.look(scene);
        let c = gap - self.floor;
        if c >= 0.0 && self.load.along == 0.0 {
            return true;
        }
        let give = sides.give(scene);
        if give == 0.0 {
            return true;
        }
        let along = (self.load.along - c / give).max(0.0);
        let p = n * (along - self.load.along);
        if !p.sum().is_finite() {
            return false;
        }
        self.load.along = along;
        self.load.normal = n;
        sides.apply_displacement(scene, &p);
        if self.friction == 0.0 {
            return true;
        }
        let slid = tangential(&sides.slid(scene), &n) + self.load.slip;
        let mut wanted = tangential(&self.load.across, &n) - slid / give;
        let (size, most) = (wanted.norm(), self.friction * along);
        if size > most {
            wanted *= most / size;
        }
        let p = wanted - self.load.across;
        if !p.sum().is_finite() {
            return false;
        }
        self.load.across = wanted;
        sides.apply_displacement(scene, &p);
        true
    }

    /// Accumulates the displacement that a sticking contact did not correct. Runs when the substep
    /// has settled. A contact that slid starts again from zero.
    #[inline]
    pub fn accumulate_slip<S: Sides>(&mut self, sides: &S, scene: &StepContext<'_>) {
        let load = &mut self.load;
        if load.along == 0.0 || self.friction == 0.0 {
            return load.slip = Vec3::zeros();
        }
        if load.across.norm() >= self.friction * load.along * (1.0 - 1e-9) {
            return load.slip = Vec3::zeros();
        }
        let slip = load.slip + tangential(&sides.slid(scene), &load.normal);
        // A sphere that was placed elsewhere, or put back at rest, is not pulled back by its slip.
        let held = slip.norm() < f64::MAX;
        load.slip = if held { slip } else { Vec3::zeros() };
    }

    /// Removes the velocity that outward pushes have left. Runs once velocities are known.
    #[inline]
    pub fn remove_excess_velocity<S: Sides>(&mut self, sides: &S, scene: &mut StepContext<'_>) {
        if self.load.along == 0.0 {
            return;
        }
        let n = self.load.normal;
        let excess = sides.speed(scene).dot(&n) - self.initial_normal_velocity.max(0.0);
        if !(excess > 0.0) {
            return;
        }
        let p = excess / sides.give(scene);
        if p.is_finite() {
            self.load.removed_impulse += p;
            sides.push(scene, &(n * -p));
        }
    }

    /// Returns the impulse on the first side in the substep, N s.
    pub fn impulse(&self, h: f64) -> Vec3 {
        let load = &self.load;
        (load.normal * load.along + load.across) / h - load.normal * load.removed_impulse
    }
}
