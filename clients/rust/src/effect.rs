//! The beginning of an effect: every number that a law can do without.

use hapticd_protocol::request::{EffectKind, EffectShape, MAX_EFFECT_FORCE_N, SetEffect, Waveform};
use hapticd_protocol::wire::{Limit, NonNegative};

/// Returns an effect of this law that makes no force yet: along z, at the origin, everywhere,
/// without an end and without an envelope. Change what the law reads, then send it with
/// [`Client::set_effect`](crate::Client::set_effect).
///
/// ```
/// use hapticd_client::{EffectKind, Limit, NonNegative, SetEffect, effect};
///
/// // 0.4 N at 120 Hz for a quarter of a second.
/// let buzz = SetEffect {
///     magnitude_n: 0.4,
///     frequency_hz: NonNegative(120.0),
///     duration_s: Limit(0.25),
///     ..effect(0, EffectKind::Periodic)
/// };
/// # assert_eq!(buzz.arm, 0);
/// ```
#[must_use]
pub fn effect(arm: u8, kind: EffectKind) -> SetEffect {
    let none = NonNegative(0.0);
    SetEffect {
        place_m: [0.0; 3],
        axis: [0.0, 0.0, 1.0],
        magnitude_n: 0.0,
        second_n: 0.0,
        coefficient: none,
        frequency_hz: none,
        phase: 0.0,
        dead_band_m: none,
        range_m: Limit::NONE,
        cap_n: NonNegative(MAX_EFFECT_FORCE_N),
        delay_s: none,
        duration_s: Limit::NONE,
        attack_s: none,
        attack_level: none,
        fade_s: none,
        fade_level: none,
        effect: 0,
        arm,
        kind,
        waveform: Waveform::Sine,
        shape: EffectShape::Point,
    }
}
