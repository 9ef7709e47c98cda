//! What all contacts share: a gap that is not to be negative, friction across it, no bounce.
//!
//! # Theory
//!
//! `C >= 0` by XPBD without compliance; the multiplier is summed over the sweeps of a substep and
//! kept positive as a sum. Friction takes back the tangential movement since the substep began, as
//! far as `mu` times the normal multiplier allows (Macklin et al. 2014, "Unified particle
//! physics"); where it sticks, what the substeps of a step leave unmended is remembered.
//!
//! A contact that the substep finds open or shallow is closed to zero; one that is deep comes out
//! by no more than the push-out speed allows. What speed a push outwards has left is taken off
//! afterwards (the velocity pass of Müller et al. 2020 with restitution zero): a depth is not
//! energy.
//!
//! Unlike [`xpbd`](hapticd_xpbd) nothing is carried from one substep to the next but that: there
//! contacts ask for velocities, and a load must be known from the start; here they ask for places,
//! so chains of light spheres settle to rest with a little depth and no speed, after one sweep as
//! well. Loads carried on made heaps of balls throw their topmost (one sweep), and a tool on a wire
//! hop.

use super::probe::Probes;
use super::sphere::Spheres;
use crate::Vec3;

/// Everything that contacts move, and when in the step it is.
pub(super) struct StepContext<'a> {
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
    fn look(&self, scene: &StepContext<'_>) -> (Vec3, f64);
    /// Movement of the first side relative to the second since the substep began, m.
    fn slid(&self, scene: &StepContext<'_>) -> Vec3;
    /// Sum of the inverse masses, 1/kg.
    fn give(&self, scene: &StepContext<'_>) -> f64;
    /// Relative velocity, m/s.
    fn speed(&self, scene: &StepContext<'_>) -> Vec3;
    /// Moves both sides by `p` (kg m) times inverse mass.
    fn shove(&self, scene: &mut StepContext<'_>, p: &Vec3);
    /// The same with velocities and an impulse (N s).
    fn push(&self, scene: &mut StepContext<'_>, p: &Vec3);
}

/// What a contact presses with in a substep.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub normal: Vec3,
    /// kg m
    pub along: f64,
    pub across: Vec3,
    /// What was taken off afterwards, N s.
    pub calmed: f64,
    /// Where it sticks: tangential movement that substeps have left unmended, m.
    pub slip: Vec3,
}

/// The state of a contact in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Press {
    pub load: Load,
    friction: f64,
    /// Least gap that the substep asks for, m: negative of one that is found deep inside.
    floor: f64,
    /// Relative normal velocity when the substep began, m/s: negative where the sides come
    /// together.
    leaving: f64,
}

fn tangential(v: &Vec3, n: &Vec3) -> Vec3 {
    v - n * n.dot(v)
}

impl Press {
    pub fn new(friction: f64) -> Self {
        Self {
            load: Load::default(),
            friction,
            floor: 0.0,
            leaving: 0.0,
        }
    }

    pub fn is_idle(&self) -> bool {
        self.load.along == 0.0
    }

    /// Before the prediction: how much is to be reached in the substep.
    #[inline]
    pub fn begin<S: Sides>(&mut self, sides: &S, scene: &StepContext<'_>) {
        let (n, gap) = sides.look(scene);
        self.load.along = 0.0;
        self.load.across = Vec3::zeros();
        self.load.calmed = 0.0;
        self.load.slip = tangential(&self.load.slip, &n);
        // What is not a number is no depth.
        self.floor = if gap < 0.0 {
            (gap + scene.push_out * scene.h).min(0.0)
        } else {
            0.0
        };
        self.leaving = sides.speed(scene).dot(&n);
    }

    /// One visit. Returns false if the numbers did not allow it.
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

    /// When the substep has settled: remembers what of the movement a sticking contact has not
    /// taken back; one that slid starts again.
    #[inline]
    pub fn keep_hold<S: Sides>(&mut self, sides: &S, scene: &StepContext<'_>) {
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

    /// After velocities are known: takes off what speed the push outwards has left.
    #[inline]
    pub fn calm<S: Sides>(&mut self, sides: &S, scene: &mut StepContext<'_>) {
        if self.load.along == 0.0 {
            return;
        }
        let n = self.load.normal;
        let excess = sides.speed(scene).dot(&n) - self.leaving.max(0.0);
        if !(excess > 0.0) {
            return;
        }
        let p = excess / sides.give(scene);
        if p.is_finite() {
            self.load.calmed += p;
            sides.push(scene, &(n * -p));
        }
    }

    /// What the first side has got in the substep, N s.
    pub fn impulse(&self, h: f64) -> Vec3 {
        let load = &self.load;
        (load.normal * load.along + load.across) / h - load.normal * load.calmed
    }
}
