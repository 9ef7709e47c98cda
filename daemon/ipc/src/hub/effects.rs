//! The effects of clients: the owner of each, its place in the loop, and when it ends.
//!
//! The loop ends an effect by itself when its duration is over. The hub ends it with its client. A
//! place is given again only when its last effect has certainly gone out.

use super::requests::{check_ranges, out_of_range};
use super::{Envelope, Hub, Output, Pending};
use crate::{ClientId, Command, Refusal};
use hapticd_geometry::Vec3;
use hapticd_loop::effects::{
    EFFECTS_PER_ARM, Effect, EffectChange, EffectKind, EffectOrder, EffectShape, MAX_EFFECTS,
    Waveform,
};
use hapticd_loop::orders::LoopOrder;
use hapticd_protocol::{
    event::{self, EffectEnd},
    reply::ErrorCode,
    request::{self, MAX_EFFECT_FORCE_N, SetEffect},
    wire::MAX_COORDINATE_M,
};
use std::collections::BTreeMap;

const _: () = assert!(EFFECTS_PER_ARM == request::EFFECTS_PER_ARM);

/// Time after its end by which an effect has certainly gone out of the loop, ns.
const GONE_NS: u64 = 100_000_000;
/// Ranges of the other numbers of an effect.
const COEFFICIENT: f64 = 100_000.0;
const FREQUENCY_HZ: f64 = 400.0;
const TIME_S: f64 = 3600.0;

/// A running effect.
#[derive(Clone, Copy, Debug)]
struct Held {
    client: ClientId,
    place: u8,
    begun_ns: u64,
    /// Time by which its duration is over; `u64::MAX` if it has none.
    over_ns: u64,
}

/// All running effects: see the module documentation.
#[derive(Debug, Default)]
pub(super) struct EffectTable {
    effects: BTreeMap<u32, Held>,
    /// By place: when it can be given again.
    free_ns: BTreeMap<u8, u64>,
    last: u32,
    /// The newest time that the hub was told, ns.
    now_ns: u64,
}

impl EffectTable {
    /// Notes the time.
    pub(super) fn note_time(&mut self, now_ns: u64) {
        self.now_ns = self.now_ns.max(now_ns);
    }

    /// Returns whether a client has an effect.
    pub(super) fn any_of(&self, client: ClientId) -> bool {
        self.effects.values().any(|held| held.client == client)
    }

    /// Returns the effects of a client.
    fn of(&self, client: ClientId) -> Vec<u32> {
        let of_client = self
            .effects
            .iter()
            .filter(|(_, held)| held.client == client);
        of_client.map(|(effect, _)| *effect).collect()
    }

    /// Returns a free place of an arm.
    fn place(&self, arm: usize) -> Option<u8> {
        let first = arm * EFFECTS_PER_ARM;
        (first..(first + EFFECTS_PER_ARM).min(MAX_EFFECTS))
            .map(|place| place as u8)
            .filter(|place| !self.effects.values().any(|held| held.place == *place))
            .find(|place| self.free_ns.get(place).is_none_or(|ns| *ns <= self.now_ns))
    }

    /// Removes an effect and returns its place.
    fn remove(&mut self, effect: u32) -> Option<u8> {
        let held = self.effects.remove(&effect)?;
        let free_ns = self.now_ns.saturating_add(GONE_NS);
        self.free_ns.insert(held.place, free_ns);
        Some(held.place)
    }

    /// Forgets an effect that never began.
    pub(super) fn withdraw(&mut self, effect: u32) {
        self.effects.remove(&effect);
    }

    /// Removes the effects that are over, with their clients. Also gives the next end.
    pub(super) fn take_over(&mut self) -> (Vec<(u32, ClientId)>, Option<u64>) {
        let now_ns = self.now_ns;
        let over = self
            .effects
            .iter()
            .filter(|(_, held)| held.over_ns <= now_ns);
        let over: Vec<_> = over.map(|(effect, held)| (*effect, held.client)).collect();
        for (effect, _) in &over {
            self.effects.remove(effect);
        }
        let next_ns = self.effects.values().map(|held| held.over_ns).min();
        (over, next_ns.filter(|next_ns| *next_ns < u64::MAX))
    }
}

/// Time by which an effect that began then is over.
fn over_ns(effect: &Effect, begun_ns: u64) -> u64 {
    let seconds = effect.delay_s + effect.duration_s;
    match seconds.is_finite() {
        true => begun_ns.saturating_add((seconds * 1e9) as u64 + GONE_NS),
        false => u64::MAX,
    }
}

/// Checks the numbers of an effect and returns it as the loop takes it.
fn checked(asked: &SetEffect) -> Result<Effect, Refusal> {
    let force = -MAX_EFFECT_FORCE_N..=MAX_EFFECT_FORCE_N;
    let length = 0.0..=MAX_COORDINATE_M;
    check_ranges([
        ("place_m", Vec3::from(asked.place_m).amax(), length.clone()),
        ("magnitude_n", asked.magnitude_n, force.clone()),
        ("second_n", asked.second_n, force),
        ("coefficient", asked.coefficient.0, 0.0..=COEFFICIENT),
        ("frequency_hz", asked.frequency_hz.0, 0.0..=FREQUENCY_HZ),
        ("phase", asked.phase, -1.0..=1.0),
        ("dead_band_m", asked.dead_band_m.0, length),
        ("cap_n", asked.cap_n.0, 0.0..=MAX_EFFECT_FORCE_N),
        ("delay_s", asked.delay_s.0, 0.0..=TIME_S),
        ("attack_s", asked.attack_s.0, 0.0..=TIME_S),
        ("attack_level", asked.attack_level.0, 0.0..=1.0),
        ("fade_s", asked.fade_s.0, 0.0..=TIME_S),
        ("fade_level", asked.fade_level.0, 0.0..=1.0),
    ])?;
    let kind = EffectKind::ALL[usize::from(asked.kind.code())];
    let shape = EffectShape::ALL[usize::from(asked.shape.code())];
    let needs_range = match kind {
        EffectKind::Magnet => true,
        EffectKind::Barrier => shape != EffectShape::Plane,
        _ => false,
    };
    let range_m = asked.range_m.0;
    if range_m > MAX_COORDINATE_M && (needs_range || range_m.is_finite()) {
        return Err(out_of_range("range_m", range_m, MAX_COORDINATE_M));
    }
    let duration_s = asked.duration_s.0;
    if duration_s > TIME_S && (kind == EffectKind::Ramp || duration_s.is_finite()) {
        return Err(out_of_range("duration_s", duration_s, TIME_S));
    }
    if matches!(kind, EffectKind::Friction | EffectKind::Magnet) {
        let name = "magnitude_n";
        check_ranges([(name, asked.magnitude_n, 0.0..=MAX_EFFECT_FORCE_N)])?;
    }
    let axis = Vec3::from(asked.axis);
    let axis = (axis / axis.amax())
        .try_normalize(0.0)
        .filter(|axis| axis.sum().is_finite());
    let Some(axis) = axis else {
        let detail = "axis is 0, and must have a direction";
        return Err(Refusal::text(ErrorCode::OutOfRange, detail));
    };
    Ok(Effect {
        kind,
        waveform: Waveform::ALL[usize::from(asked.waveform.code())],
        shape,
        place_m: Vec3::from(asked.place_m),
        axis,
        magnitude_n: asked.magnitude_n,
        second_n: asked.second_n,
        coefficient: asked.coefficient.0,
        frequency_hz: asked.frequency_hz.0,
        phase: asked.phase,
        dead_band_m: asked.dead_band_m.0,
        range_m,
        cap_n: asked.cap_n.0,
        delay_s: asked.delay_s.0,
        duration_s,
        attack_s: asked.attack_s.0,
        attack_level: asked.attack_level.0,
        fade_s: asked.fade_s.0,
        fade_level: asked.fade_level.0,
    })
}

impl Hub {
    /// Begins an effect, or gives one of the client's other numbers. The answer comes when the loop
    /// has the order.
    pub(super) fn set_effect<F>(
        &mut self,
        envelope: Envelope,
        asked: &SetEffect,
        out: &mut Vec<Output<F>>,
    ) -> Result<(), Refusal> {
        let Envelope {
            client, id, now_ns, ..
        } = envelope;
        let effect = checked(asked)?;
        let is_new = asked.effect == 0;
        let (number, change) = if is_new {
            (
                self.new_effect(client, asked.arm, now_ns)?,
                EffectChange::Start(effect),
            )
        } else {
            self.check_effect(client, asked.effect)?;
            (asked.effect, EffectChange::Update(effect))
        };
        let Some(held) = self.effects.effects.get_mut(&number) else {
            return Ok(());
        };
        held.over_ns = over_ns(&effect, held.begun_ns);
        let place = held.place;
        let token = self.register_pending(Pending::Effect {
            client,
            id,
            effect: number,
            is_new,
        });
        let order = LoopOrder::Effect(EffectOrder { place, change });
        out.push(Output::Command(Command::Order {
            token: Some(token),
            order,
        }));
        let focused = self
            .sessions
            .get(&client)
            .is_none_or(|session| session.focused);
        if is_new && !focused {
            out.push(tell(place, EffectChange::Hold(true)));
        }
        Ok(())
    }

    /// Finds a place for a new effect and returns its number.
    fn new_effect(&mut self, client: ClientId, arm: u8, now_ns: u64) -> Result<u32, Refusal> {
        let arm = self.one_arm(arm, "an effect belongs to one arm")?;
        if self.quotas.effect_force_n <= 0.0 {
            return Err(Refusal::new(ErrorCode::TooManyEffects, 0, 0));
        }
        let Some(place) = self.effects.place(arm) else {
            let limit = EFFECTS_PER_ARM as u64;
            return Err(Refusal::new(ErrorCode::TooManyEffects, limit, limit));
        };
        let table = &mut self.effects;
        table.last = table.last.wrapping_add(1).max(1);
        let held = Held {
            client,
            place,
            begun_ns: now_ns,
            over_ns: u64::MAX,
        };
        table.effects.insert(table.last, held);
        Ok(table.last)
    }

    fn check_effect(&self, client: ClientId, effect: u32) -> Result<(), Refusal> {
        let held = self.effects.effects.get(&effect);
        match held.is_some_and(|held| held.client == client) {
            true => Ok(()),
            false => Err(Refusal::new(ErrorCode::NoSuchEffect, u64::from(effect), 0)),
        }
    }

    /// Lets an effect of the client go out. One that is not there is no error: it may just have
    /// ended.
    pub(super) fn stop_effect<F>(
        &mut self,
        envelope: Envelope,
        effect: u32,
        out: &mut Vec<Output<F>>,
    ) {
        if self.check_effect(envelope.client, effect).is_ok()
            && let Some(place) = self.effects.remove(effect)
        {
            out.push(tell(place, EffectChange::Stop));
        }
    }

    /// Lets all effects of a client go out and returns their numbers.
    pub(super) fn end_effects<F>(
        &mut self,
        client: ClientId,
        out: &mut Vec<Output<F>>,
    ) -> Vec<u32> {
        let effects = self.effects.of(client);
        for effect in &effects {
            let place = self.effects.remove(*effect);
            out.extend(place.map(|place| tell(place, EffectChange::Stop)));
        }
        effects
    }

    /// Holds back the effects of a client that is out of focus, or lets them on.
    pub(super) fn hold_effects<F>(&self, client: ClientId, held: bool, out: &mut Vec<Output<F>>) {
        let of_client = self
            .effects
            .effects
            .values()
            .filter(|of| of.client == client);
        out.extend(of_client.map(|of| tell(of.place, EffectChange::Hold(held))));
    }

    /// Tells a client that listens that effects of it have ended.
    pub(super) fn tell_effects_ended<F>(
        &self,
        client: ClientId,
        effects: &[u32],
        reason: EffectEnd,
        out: &mut Vec<Output<F>>,
    ) {
        if self
            .sessions
            .get(&client)
            .is_some_and(|session| session.events)
        {
            out.extend(effects.iter().map(|effect| {
                Output::Event {
                    client,
                    event: event::EffectEnded {
                        effect: *effect,
                        reason,
                    }
                    .into(),
                }
            }));
        }
    }
}

/// An order that is never lost and has no answer.
fn tell<F>(place: u8, change: EffectChange) -> Output<F> {
    Output::Command(Command::Order {
        token: None,
        order: LoopOrder::Effect(EffectOrder { place, change }),
    })
}
