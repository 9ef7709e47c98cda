//! The laws of the effects.
//!
//! # Theory
//! `o` is the shortest vector from the hand to the effect's shape, `d` its length, `v` the hand's
//! velocity, `e(t)` the envelope. Forces are cut to the effect's cap, along their direction.
//!
//! | kind | force |
//! |---|---|
//! | constant | `e m a`: magnitude `m` along the axis `a` |
//! | ramp | `e (m + (m2 - m) t / T) a`: from `m` to `m2` over the duration `T` |
//! | periodic | `e (m2 + m w(f t + phase)) a`: waveform `w`, offset `m2` |
//! | spring | `k (d - dead band) o / d` beyond the dead band |
//! | damper | `-b v`, times the field |
//! | friction | `k (s - x)`, at most `m` times the field; the point `s` is dragged along |
//! | inertia | `k (y - x) + c (y' - v)` to a mass at `y` that is moved by this force alone |
//! | magnet | `min(k d, m, k (range - d)) o / d` within its range |
//! | barrier | `k depth` along the shortest way out: of the ball, the cylinder, the half-space |
//!
//! The field of damper and friction is 1 up to half of the range and falls in a straight line to 0
//! at the range. Spring, magnet and barrier have a potential, friction and damper take energy from
//! the hand, and the mass stores what it is given: with enough samples none of them feeds a hand.
//! The mass begins at rest, is moved by what the hand truly feels, and slips where the force is at
//! its cap, so it has no energy but what the hand put in.
//! Constant, ramp and periodic forces do work by intention. (Laws of HID's physical input devices
//! 5.0, "conditions", and of OpenHaptics and CHAI3D; their magnet and stick-slip jump.)
//!
//! # Practice
//! A stiffness is cut to what the arm renders stably, a damping to what its mass allows
//! ([`Bounds`]). Real-time: constant time, no allocation. Deterministic.

use hapticd_geometry::Vec3;

use super::effect::{Effect, EffectKind, EffectShape};

/// Damping of the mass of an inertia, relative to its critical one.
const MASS_DAMPING_RATIO: f64 = 0.3;
/// Largest `k dt^2 / m` of the mass of an inertia: its swing is sampled well.
const MASS_STEP: f64 = 0.1;

/// The hand, in the arm's base frame.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    /// Origin of the tool, m.
    pub place: Vec3,
    /// Its velocity, m/s.
    pub velocity: Vec3,
}

/// Where an effect is in its course.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// Since its first force, s.
    pub elapsed_s: f64,
    /// Since the last tick, s.
    pub dt_s: f64,
    /// Share of the last tick's force that the hand felt, 0 to 1.
    pub felt: f64,
}

/// What an arm renders stably.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Stiffness, N/m.
    pub stiffness_n_per_m: f64,
    /// Damping, N s/m.
    pub damping_n_s_per_m: f64,
}

/// What a law remembers from tick to tick.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Memory {
    /// The point that friction holds on to, or the place of the mass.
    held: Option<Vec3>,
    /// Velocity of the mass, and its force in the last tick.
    velocity: Vec3,
    force: Vec3,
    /// Share of the force that the hand felt then.
    felt: f64,
}

/// Returns the force of an effect, N. Place and axis of the effect, its lengths and the hand are in
/// one frame.
pub(super) fn force(
    effect: &Effect,
    course: &Course,
    hand: &Hand,
    bounds: &Bounds,
    memory: &mut Memory,
) -> Vec3 {
    let elapsed_s = course.elapsed_s;
    let offset = effect
        .shape
        .offset(&effect.place_m, &effect.axis, &hand.place);
    let distance = offset.norm();
    let toward = offset.try_normalize(0.0).unwrap_or_default();
    let stiffness = effect.coefficient.min(bounds.stiffness_n_per_m);
    let field = match effect.range_m.is_finite() {
        true => (2.0 * (1.0 - distance / effect.range_m)).clamp(0.0, 1.0),
        false => 1.0,
    };
    let along = |newtons: f64| effect.axis * (effect.envelope(elapsed_s) * newtons);
    let (first, second) = (effect.magnitude_n, effect.second_n);
    let force = match effect.kind {
        EffectKind::Constant => along(first),
        EffectKind::Ramp => {
            along(first + (second - first) * (elapsed_s / effect.duration_s).min(1.0))
        }
        EffectKind::Periodic => {
            let periods = effect.frequency_hz * elapsed_s + effect.phase;
            along(second + first * effect.waveform.at(periods))
        }
        EffectKind::Spring => toward * (stiffness * (distance - effect.dead_band_m).max(0.0)),
        EffectKind::Damper => {
            hand.velocity * (-effect.coefficient.min(bounds.damping_n_s_per_m) * field)
        }
        EffectKind::Friction => friction(stiffness, first.max(0.0) * field, hand, memory),
        EffectKind::Inertia => inertia(effect, hand, course, bounds, memory),
        EffectKind::Magnet => {
            let pull = (stiffness * distance).min(stiffness * (effect.range_m - distance));
            toward * pull.min(first).max(0.0)
        }
        EffectKind::Barrier if effect.shape == EffectShape::Plane => {
            // The forbidden side is the one that the normal points away from.
            effect.axis * (stiffness * offset.dot(&effect.axis).max(0.0))
        }
        EffectKind::Barrier => toward * (-stiffness * (effect.range_m - distance).max(0.0)),
    };
    // A range without an end makes no force of a magnet or a barrier.
    match force.sum().is_finite() {
        true => force.cap_magnitude(effect.cap_n),
        false => Vec3::zeros(),
    }
}

/// A spring to a point that is dragged along where it would pull with more than `most_n`.
fn friction(stiffness: f64, most_n: f64, hand: &Hand, memory: &mut Memory) -> Vec3 {
    let held = memory.held.get_or_insert(hand.place);
    let longest = match stiffness > 0.0 {
        true => most_n / stiffness,
        false => 0.0,
    };
    let stretch = (*held - hand.place).cap_magnitude(longest);
    *held = hand.place + stretch;
    stretch * stiffness
}

/// A spring and a damper to a mass that nothing else moves.
fn inertia(
    effect: &Effect,
    hand: &Hand,
    course: &Course,
    bounds: &Bounds,
    memory: &mut Memory,
) -> Vec3 {
    let (mass_kg, dt_s) = (effect.coefficient, course.dt_s);
    if mass_kg <= 0.0 || dt_s <= 0.0 {
        return Vec3::zeros();
    }
    let stiffest = MASS_STEP * mass_kg / (dt_s * dt_s);
    let stiffness = bounds.stiffness_n_per_m.min(stiffest);
    if stiffness <= 0.0 {
        return Vec3::zeros();
    }
    let damping =
        (2.0 * MASS_DAMPING_RATIO * (stiffness * mass_kg).sqrt()).min(bounds.damping_n_s_per_m);
    // First the velocity, by the force of the last tick, then the place: such a swing keeps its
    // energy.
    memory.velocity -= memory.force * (course.felt * dt_s / mass_kg);
    let held = memory.held.get_or_insert(hand.place);
    let place = *held + memory.velocity * dt_s;
    let mut stretch = (place - hand.place).cap_magnitude(effect.cap_n / stiffness);
    // What the hand did not feel is not stored: a share that rises takes the energy along.
    if course.felt > memory.felt {
        stretch *= (memory.felt / course.felt).sqrt();
    }
    memory.felt = course.felt;
    *held = hand.place + stretch;
    let pull = stretch * stiffness + (memory.velocity - hand.velocity) * damping;
    memory.force = pull.cap_magnitude(effect.cap_n);
    memory.force
}

#[cfg(test)]
mod tests;
