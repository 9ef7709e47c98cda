//! Contact with friction between any number of bodies: block descent over the contacts, with one
//! impulse of three components each.
//!
//! # Theory
//!
//! Gauss' principle asks for the admissible velocities nearest to the wanted ones (Redon 2002,
//! equation 5.20); the multipliers are the contact impulses. With friction, the row `v_n >= bound`
//! of a contact becomes a cone (the pit of equation 5.40 with infinitely many sides): `v_n - bound
//! >= mu |v_t|`. Its multipliers are the impulses `|p_t| <= mu p_n`. That problem is convex, but
//! it also lifts a sliding body. [`FrictionLaw::Coulomb`] removes the lift: it shifts the cone down
//! by the sliding speed itself (De Saxcé's bipotential). The fixed points are exactly Coulomb's
//! law: no sliding inside the cone, `p_t` against the motion and of size `mu p_n` on its boundary,
//! `v_n = bound` while pressed.
//!
//! The contacts are visited in turn. Each gets the impulse that is correct for it while the others
//! keep theirs (non-smooth Gauss-Seidel), and the velocities of its two bodies are updated at once.
//! Between sweeps, the impulses are extrapolated along their last change, to the minimum of the
//! dual energy on that line; otherwise stacks would take hundreds of sweeps. (A guessed step
//! length, as in the nonlinear conjugate gradient method of Silcowitz, Niebe and Erleben 2010,
//! oscillates forever if one body has dozens of nearly redundant contacts.) A sweep always comes
//! last, so the impulses are in their cones however early the descent stops.
//!
//! # Practice
//!
//! Works in velocities, not in the `m x m` matrix of contact space. Memory and the cost of a sweep
//! are linear in the contacts, however the bodies share them. Impulses left in the contacts by the
//! last call are the start of this one. No allocation after the first call of the largest problem,
//! no panic, deterministic.

use nalgebra::Matrix3;

use crate::Vec3;

/// Maximum number of inner rounds per visit that separate sliding from sticking. The next sweep
/// does the rest.
const SLIDING_ROUNDS: u32 = 6;

/// A start with a first sweep that changes at most this many tolerances is a recent answer, and the
/// next call continues from here. A few sweeps then suffice.
const WARM_TOLERANCES: f64 = 30.0;
const WARM_SWEEPS: u32 = 8;

/// Maximum length of an extrapolation, in units of the last change. Where impulses change but no
/// velocity does, the parabola is flat and its minimum arbitrary.
const MAX_EXTRAPOLATION: f64 = 1.0;

/// How friction bounds the motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrictionLaw {
    /// Coulomb's law: sliding contacts keep their distance.
    Coulomb,
    /// Gauss' principle with the friction cone as the admissible set: convex, unique velocities;
    /// sliding lifts by `mu |v_t|`.
    Convex,
}

/// A moving body. Its velocity is input and output.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mover {
    /// Velocity of the centre of mass, m/s, world axes.
    pub velocity: Vec3,
    /// Angular velocity, rad/s, world axes.
    pub spin: Vec3,
    /// Inverse mass, 1/kg, positive.
    pub inverse_mass: f64,
    /// Inverse of the inertia about the centre of mass, world axes, 1/(kg m²).
    pub inverse_inertia: Matrix3<f64>,
}

impl Mover {
    /// Velocity of the point at `arm` from the centre of mass.
    #[inline]
    #[must_use]
    pub fn velocity_at(&self, arm: &Vec3) -> Vec3 {
        self.velocity + self.spin.cross(arm)
    }

    /// Applies the impulse `p` (N s) at `arm`.
    #[inline]
    pub fn push(&mut self, arm: &Vec3, p: &Vec3) {
        self.velocity += p * self.inverse_mass;
        self.spin += self.inverse_inertia * arm.cross(p);
    }
}

/// One contact point between two bodies, at least one of which is a [`Mover`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Indices of the movers. `None` for a body with prescribed motion, see `drift`.
    pub bodies: [Option<u32>; 2],
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Contact point minus centre of mass, m, for each mover.
    pub arms: [Vec3; 2],
    /// Contribution of bodies with prescribed motion to the relative velocity at the contact (first
    /// minus second), m/s.
    pub drift: Vec3,
    /// Smallest admissible relative velocity along the normal, m/s.
    pub bound: f64,
    /// Coefficient of friction, not negative.
    pub friction: f64,
    /// Impulse on the first body, N s, world axes: the start of the descent on input, the result on
    /// output.
    pub impulse: Vec3,
}

/// Stopping criteria.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DescentLimits {
    /// The descent ends when a sweep changes no contact's relative velocity by more than this, m/s.
    pub tolerance_m_s: f64,
    /// Maximum number of sweeps. A start within a few tolerances gets only a few, since the next
    /// call continues from there.
    pub sweeps: u32,
}

/// Outcome of a descent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Descent {
    /// Number of sweeps made.
    pub sweeps: u32,
    /// Largest change of a contact's relative velocity by its impulse in the last sweep, m/s. 0
    /// without contacts; infinite if a number was not finite (the velocities are then unchanged).
    pub residual_m_s: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// Data of a contact that stay constant over a descent.
#[derive(Clone, Copy, Debug)]
struct Block {
    first: u32,
    second: u32,
    /// `I^-1 [arm]x`: angular velocity per impulse.
    turns: [Matrix3<f64>; 2],
    /// Relative velocity per impulse, and the inverse.
    gain: Matrix3<f64>,
    stiffness: Matrix3<f64>,
    /// `n . gain n`.
    normal_gain: f64,
    /// Upper bound on the largest eigenvalue of `gain`.
    most_gain: f64,
}

const NO_MOVER: u32 = u32::MAX;

/// Work space of the descent.
#[derive(Clone, Debug, Default)]
pub struct ConeSolver {
    blocks: Vec<Block>,
    /// Impulses at the last pause between sweeps, and their change since the one before.
    before: Vec<Vec3>,
    change: Vec<Vec3>,
    /// The same for velocity and spin, by mover; only for movers that contacts name.
    named: Vec<u32>,
    velocity_before: Vec<[Vec3; 2]>,
    velocity_change: Vec<[Vec3; 2]>,
}

impl ConeSolver {
    /// Reserves capacity for problems of up to `contacts` contacts.
    #[must_use]
    pub fn with_capacity(contacts: usize) -> Self {
        Self {
            blocks: Vec::with_capacity(contacts),
            before: Vec::with_capacity(contacts),
            change: Vec::with_capacity(contacts),
            ..Self::default()
        }
    }

    /// Changes the velocities of `movers` and the impulses of `contacts` so that every contact
    /// obeys its law.
    ///
    /// On entry, the velocities are the wanted ones, *without* the impulses of the contacts; these
    /// are applied first. A contact without an existing mover carries no impulse.
    pub fn solve(
        &mut self,
        movers: &mut [Mover],
        contacts: &mut [Contact],
        law: FrictionLaw,
        limits: &DescentLimits,
    ) -> Descent {
        if !self.prepare(movers, contacts) {
            for contact in contacts {
                contact.impulse = Vec3::zeros();
            }
            return Descent {
                residual_m_s: f64::INFINITY,
                ..Descent::default()
            };
        }
        for (block, contact) in self.blocks.iter().zip(contacts.iter()) {
            push(movers, block, &contact.impulse);
        }
        let mut result = Descent {
            converged: contacts.is_empty(),
            ..Descent::default()
        };
        self.start(movers, contacts);
        let mut most = limits.sweeps;
        while !result.converged && result.sweeps < most {
            let mut worst = 0.0_f64;
            for (block, contact) in self.blocks.iter().zip(contacts.iter_mut()) {
                let changed = visit(block, contact, movers, law);
                // NaN must not be lost.
                worst = if changed <= worst { worst } else { changed };
            }
            result.sweeps += 1;
            result.residual_m_s = worst;
            result.converged = worst <= limits.tolerance_m_s;
            if result.sweeps == 1 && worst <= WARM_TOLERANCES * limits.tolerance_m_s {
                most = most.min(WARM_SWEEPS);
            }
            if !result.converged && result.sweeps < most && result.sweeps > 1 {
                self.extrapolate(movers, contacts);
            }
        }
        result
    }

    /// Records the starting point of the descent.
    fn start(&mut self, movers: &[Mover], contacts: &[Contact]) {
        self.before.clear();
        self.before.extend(contacts.iter().map(|c| c.impulse));
        self.change.clear();
        self.change.resize(contacts.len(), Vec3::zeros());
        self.named.clear();
        let named = self.blocks.iter().flat_map(|b| [b.first, b.second]);
        self.named.extend(named.filter(|&m| m != NO_MOVER));
        self.named.sort_unstable();
        self.named.dedup();
        self.velocity_before.clear();
        let velocities = movers.iter().map(|m| [m.velocity, m.spin]);
        self.velocity_before.extend(velocities);
        self.velocity_change.clear();
        self.velocity_change
            .resize(movers.len(), [Vec3::zeros(); 2]);
    }

    /// Extrapolates along the last change. On that line, the energy of the dual problem (without
    /// the cones, which the next sweep enforces) is a parabola.
    fn extrapolate(&mut self, movers: &mut [Mover], contacts: &mut [Contact]) {
        for &m in &self.named {
            let m = m as usize;
            let now = [movers[m].velocity, movers[m].spin];
            let before = &mut self.velocity_before[m];
            self.velocity_change[m] = [now[0] - before[0], now[1] - before[1]];
            *before = now;
        }
        let (mut slope, mut bend) = (0.0, 0.0);
        let notes = self.before.iter_mut().zip(&mut self.change);
        for ((block, contact), (before, change)) in
            self.blocks.iter().zip(contacts.iter()).zip(notes)
        {
            *change = contact.impulse - *before;
            *before = contact.impulse;
            let mut excess = contact.drift - contact.normal * contact.bound;
            let mut faster = Vec3::zeros();
            if block.first != NO_MOVER {
                let [velocity, spin] = &self.velocity_change[block.first as usize];
                excess += movers[block.first as usize].velocity_at(&contact.arms[0]);
                faster += velocity + spin.cross(&contact.arms[0]);
            }
            if block.second != NO_MOVER {
                let [velocity, spin] = &self.velocity_change[block.second as usize];
                excess -= movers[block.second as usize].velocity_at(&contact.arms[1]);
                faster -= velocity + spin.cross(&contact.arms[1]);
            }
            slope += change.dot(&excess);
            bend += change.dot(&faster);
        }
        // Neither backwards nor by NaN.
        if !(slope < 0.0 && bend > 0.0) {
            return;
        }
        let further = (-slope / bend).min(MAX_EXTRAPOLATION);
        for (contact, change) in contacts.iter_mut().zip(&self.change) {
            contact.impulse += change * further;
        }
        for &m in &self.named {
            let (mover, change) = (&mut movers[m as usize], &self.velocity_change[m as usize]);
            mover.velocity += change[0] * further;
            mover.spin += change[1] * further;
        }
    }

    /// Sets up the blocks; returns false when a number is not finite.
    fn prepare(&mut self, movers: &[Mover], contacts: &mut [Contact]) -> bool {
        self.blocks.clear();
        let sound = |m: &Mover| {
            m.inverse_mass > 0.0
                && (m.inverse_mass + m.velocity.sum() + m.spin.sum() + m.inverse_inertia.sum())
                    .is_finite()
        };
        for contact in contacts.iter_mut() {
            let body = |k: usize| {
                let index = contact.bodies[k]?;
                movers.get(index as usize).map(|m| (index, m))
            };
            let pair = [body(0), body(1)];
            let numbers = contact.normal.sum()
                + contact.drift.sum()
                + contact.bound
                + contact.friction
                + contact.impulse.sum();
            if !(numbers.is_finite() && pair.iter().flatten().all(|(_, m)| sound(m))) {
                return false;
            }
            let mut gain = Matrix3::zeros();
            let mut turns = [Matrix3::zeros(); 2];
            for (k, entry) in pair.iter().enumerate() {
                if let Some((_, m)) = entry {
                    let cross = contact.arms[k].cross_matrix();
                    turns[k] = m.inverse_inertia * cross;
                    gain += Matrix3::identity() * m.inverse_mass + cross.tr_mul(&turns[k]);
                }
            }
            let normal_gain = contact.normal.dot(&(gain * contact.normal));
            let stiffness = gain.try_inverse();
            let most_gain = gain.row_iter().map(|r| r.abs().sum()).fold(0.0, f64::max);
            if stiffness.is_none() || !(normal_gain > 0.0 && most_gain.is_finite()) {
                contact.impulse = Vec3::zeros();
            }
            self.blocks.push(Block {
                first: pair[0].map_or(NO_MOVER, |(i, _)| i),
                second: pair[1].map_or(NO_MOVER, |(i, _)| i),
                turns,
                gain,
                // A contact without movers has no gain and is skipped.
                stiffness: stiffness.unwrap_or_else(Matrix3::zeros),
                normal_gain: if stiffness.is_some() {
                    normal_gain
                } else {
                    0.0
                },
                most_gain,
            });
        }
        true
    }
}

#[inline]
fn push(movers: &mut [Mover], block: &Block, p: &Vec3) {
    if block.first != NO_MOVER {
        let m = &mut movers[block.first as usize];
        m.velocity += p * m.inverse_mass;
        m.spin += block.turns[0] * p;
    }
    if block.second != NO_MOVER {
        let m = &mut movers[block.second as usize];
        m.velocity -= p * m.inverse_mass;
        m.spin -= block.turns[1] * p;
    }
}

/// Gives one contact its impulse. Returns the change of its relative velocity, m/s.
#[inline]
fn visit(block: &Block, contact: &mut Contact, movers: &mut [Mover], law: FrictionLaw) -> f64 {
    if !(block.normal_gain > 0.0) {
        return 0.0;
    }
    let mut u = contact.drift;
    if block.first != NO_MOVER {
        u += movers[block.first as usize].velocity_at(&contact.arms[0]);
    }
    if block.second != NO_MOVER {
        u -= movers[block.second as usize].velocity_at(&contact.arms[1]);
    }
    let n = &contact.normal;
    let old = contact.impulse;
    let new = if contact.friction > 0.0 {
        // Sticking is one linear solve.
        let stuck = old - block.stiffness * (u - n * contact.bound);
        let pressed = n.dot(&stuck);
        let along = (stuck - n * pressed).norm();
        if pressed >= 0.0 && along <= contact.friction * pressed {
            stuck
        } else {
            match law {
                FrictionLaw::Coulomb => slide(block, contact, &u),
                FrictionLaw::Convex => slide_in_pit(block, contact, &u),
            }
        }
    } else {
        let pressed = n.dot(&old);
        n * (pressed - (n.dot(&u) - contact.bound) / block.normal_gain).max(0.0)
    };
    let change = new - old;
    if change == Vec3::zeros() {
        return 0.0;
    }
    contact.impulse = new;
    push(movers, block, &change);
    (block.gain * change).norm()
}

/// Coulomb's law at one contact that does not stick: normal and tangential part in turn.
fn slide(block: &Block, contact: &Contact, u: &Vec3) -> Vec3 {
    let n = &contact.normal;
    let mut pressed = n.dot(&contact.impulse);
    let mut along = contact.impulse - n * pressed;
    for round in 0..SLIDING_ROUNDS {
        let before = (pressed, along);
        let now = u + block.gain * (n * pressed + along - contact.impulse);
        pressed = (pressed - (n.dot(&now) - contact.bound) / block.normal_gain).max(0.0);
        let now = u + block.gain * (n * pressed + along - contact.impulse);
        let sliding = now - n * n.dot(&now);
        along = clipped(
            &(along - sliding / block.most_gain),
            contact.friction * pressed,
        );
        let moved = (pressed - before.0).abs() + (along - before.1).norm();
        if round > 0 && moved <= 1e-12 * pressed {
            break;
        }
    }
    n * pressed + along
}

/// The convex law: projected gradient on the cone of impulses.
fn slide_in_pit(block: &Block, contact: &Contact, u: &Vec3) -> Vec3 {
    let mut p = contact.impulse;
    for _ in 0..SLIDING_ROUNDS {
        let now = u + block.gain * (p - contact.impulse) - contact.normal * contact.bound;
        p = on_cone(
            &(p - now / block.most_gain),
            &contact.normal,
            contact.friction,
        );
    }
    p
}

fn clipped(v: &Vec3, most: f64) -> Vec3 {
    let length = v.norm();
    if length > most {
        v * (most / length)
    } else {
        *v
    }
}

/// Nearest point of the cone `|p_t| <= mu p_n`.
fn on_cone(p: &Vec3, n: &Vec3, mu: f64) -> Vec3 {
    let pressed = n.dot(p);
    let tangential = p - n * pressed;
    let along = tangential.norm();
    if along <= mu * pressed {
        *p
    } else if mu * along <= -pressed {
        Vec3::zeros()
    } else {
        let height = (pressed + mu * along) / (1.0 + mu * mu);
        n * height + tangential * (mu * height / along)
    }
}
