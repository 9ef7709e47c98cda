//! Effects: forces that applications add to what contact makes.
//!
//! * An effect never changes contact: the governor gives it what the limits leave beside the
//!   contact's force, and the energy ledger of the contact's spring does not see it.
//! * All effects of an arm together make at most the configured force
//!   (`ipc.max_effect_force_n`), and no torque.
//! * An effect that follows the hand comes in along [`FADE_S`]. Every effect that is stopped or
//!   held goes out along it, also while the clients' server is silent.
//! * The elastic force of a bubble ([`workspace`](super::workspace)) is an effect like the others.
//! * Orders come in as inputs of a tick and are recorded, so a replay has the same forces.
//!
//! Stiffnesses of an arm's effects share what the arm renders stably: where they ask for more
//! together, each gets its share.
//!
//! Real-time callable: fixed memory, no allocation, bounded by [`MAX_EFFECTS`]. Deterministic.

mod effect;
pub mod law;

pub use effect::{Effect, EffectKind, EffectShape, Waveform};

use hapticd_devices::arm::{Pose, Vec3};
use hapticd_proxy::MAX_ARMS;

use law::{Bounds, Course, Hand, Memory};

/// Effects of an arm at the same time.
pub const EFFECTS_PER_ARM: usize = 8;
/// Places for effects: those of the first arm, then those of the second and so on.
pub const MAX_EFFECTS: usize = MAX_ARMS * EFFECTS_PER_ARM;
/// Time in which an effect comes in and goes out, s.
pub const FADE_S: f64 = 0.02;

/// What is to be done with an effect.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EffectChange {
    /// Begin a new effect in this place, whatever was there.
    Start(Effect),
    /// Give a running effect other numbers. Its time goes on.
    Update(Effect),
    /// Let it go out. The place is free after [`FADE_S`].
    Stop,
    /// Hold it back (its application is out of focus), or let it on. Its time goes on.
    Hold(bool),
}

/// An order about the effect in a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EffectOrder {
    /// The place, below [`MAX_EFFECTS`].
    pub place: u8,
    /// What is to be done.
    pub change: EffectChange,
}

impl Default for EffectOrder {
    fn default() -> Self {
        EffectOrder {
            place: 0,
            change: EffectChange::Stop,
        }
    }
}

/// The force of an arm's effects in a tick, base frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EffectsForce {
    /// All of it, N.
    pub force_n: Vec3,
    /// The part that answers the hand's motion, N.
    pub reacting_n: Vec3,
}

/// What the effects of an arm see of a tick.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Pose of the world in the arm's base frame.
    pub base_from_world: &'a Pose,
    /// World metres per device metre.
    pub scale: f64,
    /// The hand; `None` without a pose.
    pub hand: Option<Hand>,
    /// What the arm renders stably.
    pub bounds: Bounds,
    /// Time since the last tick, s.
    pub dt_s: f64,
    /// The clients' server shows that it is alive. Otherwise effects go out.
    pub is_served: bool,
}

/// An effect that runs.
#[derive(Clone, Copy, Debug)]
struct Running {
    effect: Effect,
    /// Since the order, s.
    elapsed_s: f64,
    /// Factor of the force, 0 to 1.
    gate: f64,
    held: bool,
    ending: bool,
    memory: Memory,
}

impl Running {
    fn new(effect: Effect) -> Self {
        Running {
            effect,
            elapsed_s: 0.0,
            // A pulse of few ticks would be lost in a fade; it follows the slew limit alone.
            gate: f64::from(effect.kind.is_driven()),
            held: false,
            ending: false,
            memory: Memory::default(),
        }
    }

    /// Takes other numbers. What a law remembers fits its own numbers alone: another law begins
    /// afresh, and a mass that becomes another one begins at rest.
    fn update(&mut self, effect: Effect) {
        let is_same_law = effect.kind == self.effect.kind;
        let is_same_mass = effect.coefficient == self.effect.coefficient;
        if !is_same_law {
            self.gate = f64::from(effect.kind.is_driven());
        }
        if !is_same_law || (effect.kind == EffectKind::Inertia && !is_same_mass) {
            self.memory = Memory::default();
        }
        self.effect = effect;
    }

    /// Returns the time since the first force, s; `None` before it, and after the end of a driven
    /// one.
    fn course_s(&self) -> Option<f64> {
        let since_s = self.elapsed_s - self.effect.delay_s;
        let is_over = since_s >= self.effect.duration_s && self.effect.kind.is_driven();
        (since_s >= 0.0 && !is_over).then_some(since_s)
    }

    /// Advances time and factor by a tick. Returns false once the effect is gone.
    fn advance(&mut self, dt_s: f64, is_served: bool) -> bool {
        self.elapsed_s += dt_s;
        let is_over = self.elapsed_s >= self.effect.delay_s + self.effect.duration_s;
        self.ending |= is_over;
        let step = dt_s / FADE_S;
        self.gate = match self.held || self.ending || !is_served {
            true => (self.gate - step).max(0.0),
            false => (self.gate + step).min(1.0),
        };
        let is_cut = is_over && self.effect.kind.is_driven();
        !(self.ending && (self.gate <= 0.0 || is_cut))
    }
}

/// What an arm's effects share in a tick.
struct Shares {
    /// Share of its stiffness that each gets.
    stiffness: f64,
    /// Share of their forces that the hand felt in the last tick.
    felt: f64,
    /// Force that all of them make at most, N.
    most_n: f64,
}

impl Running {
    /// Adds the force of a tick to `sum`; `effect` is in the base frame. Returns false once the
    /// effect is gone.
    fn tick(
        &mut self,
        mut effect: Effect,
        moment: &Moment<'_>,
        shares: &Shares,
        sum: &mut EffectsForce,
    ) -> bool {
        let &Moment { bounds, dt_s, .. } = moment;
        if let (Some(hand), Some(elapsed_s)) = (&moment.hand, self.course_s()) {
            // Before the gate: what goes out alone goes out in a straight line.
            effect.cap_n = effect.cap_n.min(shares.most_n);
            if stiffness(self) > 0.0 {
                effect.coefficient *= shares.stiffness;
            }
            let course = Course {
                elapsed_s,
                dt_s,
                felt: shares.felt * self.gate,
            };
            let force = law::force(&effect, &course, hand, &bounds, &mut self.memory);
            let force = force * self.gate;
            sum.force_n += force;
            if !effect.kind.is_driven() {
                sum.reacting_n += force;
            }
        }
        self.advance(dt_s, moment.is_served)
    }
}

/// The effects of all arms: see the module documentation.
#[derive(Clone, Debug)]
pub struct Effects {
    places: [Option<Running>; MAX_EFFECTS],
    /// The elastic force of each arm's bubble: an effect in the base frame.
    bubbles: Box<[Option<Running>; MAX_ARMS]>,
    /// Number of effects by arm: most arms have none.
    counts: [u8; MAX_ARMS],
    /// Share of the effects' forces that each arm's hand felt in the last tick, 0 to 1.
    felt: [f64; MAX_ARMS],
    most_n: f64,
}

impl Effects {
    /// No effects. Those of an arm make at most `most_n` newtons together.
    #[must_use]
    pub fn new(most_n: f64) -> Self {
        Effects {
            places: [None; MAX_EFFECTS],
            bubbles: Box::new([None; MAX_ARMS]),
            counts: [0; MAX_ARMS],
            felt: [1.0; MAX_ARMS],
            most_n,
        }
    }

    /// Obeys an order before a tick. Places that do not exist are ignored.
    pub fn order(&mut self, order: EffectOrder) {
        let Some(place) = self.places.get_mut(usize::from(order.place)) else {
            return;
        };
        match (order.change, place) {
            (EffectChange::Start(effect), place) => *place = Some(Running::new(effect)),
            (EffectChange::Update(effect), Some(running)) => running.update(effect),
            (EffectChange::Stop, Some(running)) => running.ending = true,
            (EffectChange::Hold(held), Some(running)) => running.held = held,
            (_, None) => {}
        }
        let arm = usize::from(order.place) / EFFECTS_PER_ARM;
        self.counts[arm] = self.of_arm(arm).iter().flatten().count() as u8;
    }

    /// Gives an arm's bubble its elastic force, in the arm's base frame and its metres, or lets it
    /// go out. Arms that do not exist are ignored.
    pub fn set_bubble(&mut self, arm: usize, wall: Option<Effect>) {
        let Some(place) = self.bubbles.get_mut(arm) else {
            return;
        };
        match (wall, place) {
            (Some(wall), Some(running)) if !running.ending => running.update(wall),
            (Some(wall), place) => *place = Some(Running::new(wall)),
            (None, Some(running)) => running.ending = true,
            (None, None) => {}
        }
    }

    fn of_arm(&self, arm: usize) -> &[Option<Running>] {
        &self.places[arm * EFFECTS_PER_ARM..(arm + 1) * EFFECTS_PER_ARM]
    }

    /// Lets go of what the effects of an arm hold on to: its pose is unknown, or has jumped.
    pub fn forget_pose(&mut self, arm: usize) {
        let first = arm * EFFECTS_PER_ARM;
        for running in self.places[first..first + EFFECTS_PER_ARM]
            .iter_mut()
            .flatten()
        {
            running.memory = Memory::default();
        }
    }

    /// Tells what share of the forces of this tick was sent, 0 to 1. Call it after
    /// [`tick`](Self::tick).
    #[inline]
    pub fn note_sent(&mut self, arm: usize, share: f64) {
        self.felt[arm] *= share;
    }

    /// Runs the effects of an arm for one tick and returns their force, base frame.
    #[inline]
    pub fn tick(&mut self, arm: usize, moment: &Moment<'_>) -> EffectsForce {
        match (self.counts[arm], &self.bubbles[arm]) {
            (0, None) => EffectsForce::default(),
            _ => self.run(arm, moment),
        }
    }

    fn run(&mut self, arm: usize, moment: &Moment<'_>) -> EffectsForce {
        let asked = self.of_arm(arm).iter().chain(&self.bubbles[arm..=arm]);
        let asked: f64 = asked.flatten().map(stiffness).sum();
        let shares = Shares {
            stiffness: (moment.bounds.stiffness_n_per_m / asked).min(1.0),
            felt: self.felt[arm],
            most_n: self.most_n,
        };
        let mut sum = EffectsForce::default();
        let first = arm * EFFECTS_PER_ARM;
        for place in &mut self.places[first..first + EFFECTS_PER_ARM] {
            let Some(running) = place else { continue };
            let effect = in_base(&running.effect, moment);
            if !running.tick(effect, moment, &shares, &mut sum) {
                *place = None;
                self.counts[arm] -= 1;
            }
        }
        if let Some(running) = &mut self.bubbles[arm] {
            let effect = running.effect;
            if !running.tick(effect, moment, &shares, &mut sum) {
                self.bubbles[arm] = None;
            }
        }
        let length = sum.force_n.norm();
        if length > self.most_n {
            let share = self.most_n / length;
            sum.force_n *= share;
            sum.reacting_n *= share;
            self.felt[arm] = share;
        } else {
            self.felt[arm] = 1.0;
        }
        sum
    }
}

/// The stiffness that an effect asks for, N/m.
fn stiffness(running: &Running) -> f64 {
    match running.effect.kind {
        EffectKind::Spring | EffectKind::Friction | EffectKind::Magnet | EffectKind::Barrier => {
            running.effect.coefficient
        }
        _ => 0.0,
    }
}

/// Returns an effect in the arm's base frame and its metres.
fn in_base(effect: &Effect, moment: &Moment<'_>) -> Effect {
    let base_from_world = moment.base_from_world;
    let place = base_from_world * nalgebra::Point3::from(effect.place_m);
    Effect {
        place_m: place.coords / moment.scale,
        axis: base_from_world.rotation * effect.axis,
        dead_band_m: effect.dead_band_m / moment.scale,
        range_m: effect.range_m / moment.scale,
        ..*effect
    }
}

#[cfg(test)]
mod tests;
