//! What all contacts share: a gap that is not to be negative, friction across it, no bounce, and what is inside comes out slowly.
//!
//! # Theory
//!
//! As between the contacts of [`xpbd`](crate::xpbd): `C >= 0` without compliance, the multiplier summed over the sweeps of a substep and kept positive as a
//! sum; friction takes back the tangential movement since the substep began, as far as `mu` times the normal multiplier allows (Macklin et al. 2014, "Unified
//! particle physics"), and where it sticks what substeps leave unmended is remembered.
//!
//! What a substep ended with is the start of the next, across steps too where a contact is [known again](super::memory): a load at rest is then carried
//! from the first sweep on, and heaps stand still.
//!
//! A contact that is found inside is only asked not to get deeper. It is brought out by another pass, at the push-out speed, that changes positions and no
//! velocity: a depth is not energy.

use super::probe::Probes;
use super::sphere::Spheres;
use crate::Vec3;

/// Everything that contacts move, and when in the step it is.
pub(super) struct Scene<'a> {
    pub spheres: &'a mut Spheres,
    pub probes: &'a mut Probes,
    /// Substep, s.
    pub h: f64,
    /// Since the step began, s: planes have moved that long.
    pub time: f64,
    /// m/s
    pub push_out: f64,
}

/// The two sides of a contact. "First" is the one that a positive push moves along the normal.
pub(super) trait Sides {
    /// Unit normal towards the first side and the gap, m, now.
    fn look(&self, scene: &Scene<'_>) -> (Vec3, f64);
    /// Movement of the first side relative to the second since the substep began, m.
    fn slid(&self, scene: &Scene<'_>) -> Vec3;
    /// Sum of the inverse masses, 1/kg.
    fn give(&self, scene: &Scene<'_>) -> f64;
    /// Moves both sides by `p` (kg m) times inverse mass.
    fn shove(&self, scene: &mut Scene<'_>, p: &Vec3);
}

/// What a contact presses with, carried from substep to substep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub normal: Vec3,
    /// kg m
    pub along: f64,
    pub across: Vec3,
    /// Where it sticks: tangential movement that substeps have left unmended, m.
    pub slip: Vec3,
}

/// The state of a contact in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Press {
    pub load: Load,
    friction: f64,
    /// Of the substep, m: what the gap has to keep, and what the push-out is to reach.
    floor: f64,
    goal: f64,
    /// What the push-out has given so far, kg m.
    out: f64,
}

fn tangential(v: &Vec3, n: &Vec3) -> Vec3 {
    v - n * n.dot(v)
}

impl Press {
    pub fn new(friction: f64, load: Load) -> Self {
        Self {
            load,
            friction,
            floor: 0.0,
            goal: 0.0,
            out: 0.0,
        }
    }

    pub fn is_idle(&self) -> bool {
        self.load.along == 0.0 && self.floor == 0.0
    }

    /// Before the prediction: how much is to be reached in the substep.
    #[inline]
    pub fn begin<S: Sides>(&mut self, sides: &S, scene: &Scene<'_>) {
        let (_, gap) = sides.look(scene);
        self.out = 0.0;
        if gap < 0.0 {
            self.floor = gap;
            self.goal = (gap + scene.push_out * scene.h).min(0.0);
        } else {
            // What is not a number is no depth.
            (self.floor, self.goal) = (0.0, 0.0);
        }
    }

    /// After the prediction: the load of the last substep to begin with.
    #[inline]
    pub fn resume<S: Sides>(&mut self, sides: &S, scene: &mut Scene<'_>) {
        if self.load.along > 0.0 {
            let (n, _) = sides.look(scene);
            self.load.normal = n;
            self.load.across = tangential(&self.load.across, &n);
            self.load.slip = tangential(&self.load.slip, &n);
            let p = n * self.load.along + self.load.across;
            if p.sum().is_finite() {
                sides.shove(scene, &p);
            } else {
                self.load = Load::default();
            }
        }
    }

    /// One visit. Returns false if the numbers did not allow it.
    #[inline]
    pub fn solve<S: Sides>(&mut self, sides: &S, scene: &mut Scene<'_>) -> bool {
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
        sides.shove(scene, &p);
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
        sides.shove(scene, &p);
        true
    }

    /// When the substep has settled: remembers what of the movement a sticking contact has not taken back; one that slid begins anew.
    #[inline]
    pub fn keep_hold<S: Sides>(&mut self, sides: &S, scene: &Scene<'_>) {
        let load = &mut self.load;
        if load.along == 0.0 || self.friction == 0.0 {
            return load.slip = Vec3::zeros();
        }
        if load.across.norm() >= self.friction * load.along * (1.0 - 1e-9) {
            return load.slip = Vec3::zeros();
        }
        let slip = load.slip + tangential(&sides.slid(scene), &load.normal);
        // One that was put elsewhere, or could not be held, does not come back for it.
        let held = slip.norm() < f64::MAX;
        load.slip = if held { slip } else { Vec3::zeros() };
    }

    /// Moves what is inside outwards, velocities as they are.
    #[inline]
    pub fn push_out<S: Sides>(&mut self, sides: &S, scene: &mut Scene<'_>) {
        if self.floor == 0.0 {
            return;
        }
        let (n, gap) = sides.look(scene);
        // Positive as a sum: what the others' pushes have made too much is taken back.
        let out = (self.out + (self.goal - gap) / sides.give(scene)).max(0.0);
        let p = n * (out - self.out);
        if p.sum().is_finite() {
            self.out = out;
            sides.shove(scene, &p);
        }
    }

    /// What the first side has got in the substep, N s.
    pub fn impulse(&self, h: f64) -> Vec3 {
        (self.load.normal * self.load.along + self.load.across) / h
    }
}
