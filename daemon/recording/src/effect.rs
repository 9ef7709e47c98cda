//! Orders about effects as a recording holds them: inputs of a tick.

use hapticd_loop::effects::{Effect, EffectChange, EffectKind, EffectOrder, EffectShape, Waveform};
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::TickRecord;
use serde::{Deserialize, Serialize};

use super::number::Num;
use super::spatial::{Triple, triple, vector};

/// The numbers of an effect; see `hapticd_loop::effects`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct EffectMessage {
    /// Number of the law, of a vibration's form, and of the shape.
    pub kind: u8,
    pub waveform: u8,
    pub shape: u8,
    pub place_m: Triple,
    pub axis: Triple,
    pub magnitude_n: Num,
    pub second_n: Num,
    pub coefficient: Num,
    pub frequency_hz: Num,
    pub phase: Num,
    pub dead_band_m: Num,
    pub range_m: Num,
    pub cap_n: Num,
    pub delay_s: Num,
    pub duration_s: Num,
    pub attack_s: Num,
    pub attack_level: Num,
    pub fade_s: Num,
    pub fade_level: Num,
}

/// An order about the effect in a place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectOrderMessage {
    /// A new effect begins.
    Start {
        /// The place.
        place: u8,
        /// The effect.
        effect: EffectMessage,
    },
    /// A running effect gets other numbers.
    Update {
        /// The place.
        place: u8,
        /// The effect.
        effect: EffectMessage,
    },
    /// An effect goes out.
    Stop {
        /// The place.
        place: u8,
    },
    /// An effect is held back or let on.
    Hold {
        /// The place.
        place: u8,
        /// Whether it is held back.
        held: bool,
    },
}

impl From<&Effect> for EffectMessage {
    fn from(effect: &Effect) -> Self {
        EffectMessage {
            kind: effect.kind as u8,
            waveform: effect.waveform as u8,
            shape: effect.shape as u8,
            place_m: triple(&effect.place_m),
            axis: triple(&effect.axis),
            magnitude_n: Num(effect.magnitude_n),
            second_n: Num(effect.second_n),
            coefficient: Num(effect.coefficient),
            frequency_hz: Num(effect.frequency_hz),
            phase: Num(effect.phase),
            dead_band_m: Num(effect.dead_band_m),
            range_m: Num(effect.range_m),
            cap_n: Num(effect.cap_n),
            delay_s: Num(effect.delay_s),
            duration_s: Num(effect.duration_s),
            attack_s: Num(effect.attack_s),
            attack_level: Num(effect.attack_level),
            fade_s: Num(effect.fade_s),
            fade_level: Num(effect.fade_level),
        }
    }
}

impl EffectMessage {
    /// Returns the effect; `None` if one of its three codes is unknown.
    fn effect(&self) -> Option<Effect> {
        Some(Effect {
            kind: *EffectKind::ALL.get(usize::from(self.kind))?,
            waveform: *Waveform::ALL.get(usize::from(self.waveform))?,
            shape: *EffectShape::ALL.get(usize::from(self.shape))?,
            place_m: vector(&self.place_m),
            axis: vector(&self.axis),
            magnitude_n: self.magnitude_n.0,
            second_n: self.second_n.0,
            coefficient: self.coefficient.0,
            frequency_hz: self.frequency_hz.0,
            phase: self.phase.0,
            dead_band_m: self.dead_band_m.0,
            range_m: self.range_m.0,
            cap_n: self.cap_n.0,
            delay_s: self.delay_s.0,
            duration_s: self.duration_s.0,
            attack_s: self.attack_s.0,
            attack_level: self.attack_level.0,
            fade_s: self.fade_s.0,
            fade_level: self.fade_level.0,
        })
    }
}

impl From<&EffectOrder> for EffectOrderMessage {
    fn from(order: &EffectOrder) -> Self {
        let place = order.place;
        match &order.change {
            EffectChange::Start(effect) => EffectOrderMessage::Start {
                place,
                effect: effect.into(),
            },
            EffectChange::Update(effect) => EffectOrderMessage::Update {
                place,
                effect: effect.into(),
            },
            EffectChange::Stop => EffectOrderMessage::Stop { place },
            EffectChange::Hold(held) => EffectOrderMessage::Hold { place, held: *held },
        }
    }
}

impl EffectOrderMessage {
    /// Returns the order; `None` if the effect has an unknown code.
    pub fn order(&self) -> Option<EffectOrder> {
        let (place, change) = match self {
            EffectOrderMessage::Start { place, effect } => {
                (*place, EffectChange::Start(effect.effect()?))
            }
            EffectOrderMessage::Update { place, effect } => {
                (*place, EffectChange::Update(effect.effect()?))
            }
            EffectOrderMessage::Stop { place } => (*place, EffectChange::Stop),
            EffectOrderMessage::Hold { place, held } => (*place, EffectChange::Hold(*held)),
        };
        Some(EffectOrder { place, change })
    }
}

/// The orders about effects before a tick.
pub(crate) fn effect_orders(record: &TickRecord) -> Vec<EffectOrderMessage> {
    let order = |order: &LoopOrder| match order {
        LoopOrder::Effect(order) => Some(order.into()),
        LoopOrder::Grasp(_) | LoopOrder::Workspace(_) => None,
    };
    record.orders.iter().filter_map(order).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::Vec3;

    #[test]
    fn an_order_survives_json_bit_for_bit() {
        let effect = Effect {
            kind: EffectKind::Barrier,
            waveform: Waveform::SawDown,
            shape: EffectShape::Plane,
            place_m: Vec3::new(0.1, -0.0, 1e-300),
            magnitude_n: 1.0 / 3.0,
            frequency_hz: 7.0,
            ..Effect::default()
        };
        let changes = [
            EffectChange::Start(effect),
            EffectChange::Update(effect),
            EffectChange::Stop,
            EffectChange::Hold(true),
        ];
        for change in changes {
            let order = EffectOrder { place: 31, change };
            let text = serde_json::to_string(&EffectOrderMessage::from(&order)).unwrap();
            let read: EffectOrderMessage = serde_json::from_str(&text).unwrap();
            assert_eq!(read.order(), Some(order), "{text}");
        }
    }

    #[test]
    fn an_unknown_code_is_no_effect() {
        let mut message = EffectMessage::from(&Effect::default());
        message.kind = 9;
        let order = EffectOrderMessage::Start {
            place: 0,
            effect: message,
        };
        assert_eq!(order.order(), None);
    }
}
