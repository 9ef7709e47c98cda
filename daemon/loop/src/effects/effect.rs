//! What an effect is: a law of force with its numbers and its course in time.

use hapticd_geometry::Vec3;

/// The law of an effect's force; see [`law`](super::law).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum EffectKind {
    /// A force along the axis.
    #[default]
    Constant = 0,
    /// A force along the axis that goes from one value to another over the duration.
    Ramp = 1,
    /// A vibration along the axis.
    Periodic = 2,
    /// A pull to a point, a line or a plane: guidance.
    Spring = 3,
    /// A force against the velocity: a viscous field.
    Damper = 4,
    /// A force against motion that does not depend on its speed.
    Friction = 5,
    /// A mass at the hand.
    Inertia = 6,
    /// An attraction with a short range.
    Magnet = 7,
    /// A region that the hand is pushed out of.
    Barrier = 8,
}

impl EffectKind {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Self; 9] = [
        Self::Constant,
        Self::Ramp,
        Self::Periodic,
        Self::Spring,
        Self::Damper,
        Self::Friction,
        Self::Inertia,
        Self::Magnet,
        Self::Barrier,
    ];

    /// Returns whether the force follows time alone, and not the hand.
    #[must_use]
    pub fn is_driven(self) -> bool {
        matches!(self, Self::Constant | Self::Ramp | Self::Periodic)
    }
}

/// The form of a vibration, of amplitude 1 and period 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Waveform {
    /// `sin(2 pi p)`.
    #[default]
    Sine = 0,
    /// From 0 up to 1, down to -1, back to 0, in straight lines.
    Triangle = 1,
    /// 1 in the first half, -1 in the second.
    Square = 2,
    /// From -1 up to 1, then it falls back.
    SawUp = 3,
    /// From 1 down to -1, then it jumps back.
    SawDown = 4,
}

impl Waveform {
    /// All forms, in the order of their numbers.
    pub const ALL: [Self; 5] = [
        Self::Sine,
        Self::Triangle,
        Self::Square,
        Self::SawUp,
        Self::SawDown,
    ];

    /// Returns the value after `periods` periods, from -1 to 1.
    #[must_use]
    pub fn at(self, periods: f64) -> f64 {
        let p = periods - periods.floor();
        match self {
            Self::Sine => (std::f64::consts::TAU * p).sin(),
            Self::Triangle if p < 0.25 => 4.0 * p,
            Self::Triangle if p < 0.75 => 2.0 - 4.0 * p,
            Self::Triangle => 4.0 * p - 4.0,
            Self::Square => f64::from(p < 0.5) * 2.0 - 1.0,
            Self::SawUp => 2.0 * p - 1.0,
            Self::SawDown => 1.0 - 2.0 * p,
        }
    }
}

/// Where an effect is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum EffectShape {
    /// The place.
    #[default]
    Point = 0,
    /// The line through the place along the axis.
    Line = 1,
    /// The plane through the place, with the axis as its normal.
    Plane = 2,
}

impl EffectShape {
    /// All shapes, in the order of their numbers.
    pub const ALL: [Self; 3] = [Self::Point, Self::Line, Self::Plane];

    /// Returns the shortest vector from `hand` to the shape.
    #[must_use]
    pub fn offset(self, place: &Vec3, axis: &Vec3, hand: &Vec3) -> Vec3 {
        let to_place = place - hand;
        match self {
            Self::Point => to_place,
            Self::Line => to_place - axis * to_place.dot(axis),
            Self::Plane => axis * to_place.dot(axis),
        }
    }
}

/// An effect: what its law reads. Lengths and directions are the world's; newtons, stiffness,
/// damping and mass are what the hand feels at the device. Every number is finite but `range_m` and
/// `duration_s`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// The law.
    pub kind: EffectKind,
    /// Form of a vibration.
    pub waveform: Waveform,
    /// Where spring, magnet, barrier, and the field of damper and friction are.
    pub shape: EffectShape,
    /// A point of the shape, m.
    pub place_m: Vec3,
    /// Direction of the force, or of line or normal; of length 1.
    pub axis: Vec3,
    /// Force, amplitude, largest pull of a magnet, or friction, N; the first force of a ramp.
    pub magnitude_n: f64,
    /// Last force of a ramp, offset of a vibration, N.
    pub second_n: f64,
    /// Stiffness (N/m), damping (N s/m) or mass (kg).
    pub coefficient: f64,
    /// Frequency of a vibration, Hz.
    pub frequency_hz: f64,
    /// Phase of a vibration at its start, periods.
    pub phase: f64,
    /// Distance up to which a spring does not pull, m.
    pub dead_band_m: f64,
    /// Reach of a magnet or a field, radius of a barrier, m; infinite: everywhere.
    pub range_m: f64,
    /// The force is never longer, N.
    pub cap_n: f64,
    /// Time from the order to the first force, s.
    pub delay_s: f64,
    /// Time from the first force to the end, s; infinite: until it is stopped.
    pub duration_s: f64,
    /// Time in which a driven force goes from `attack_level` to the whole, s.
    pub attack_s: f64,
    /// Share of the force at its start, 0 to 1.
    pub attack_level: f64,
    /// Time before the end in which a driven force goes to `fade_level`, s.
    pub fade_s: f64,
    /// Share of the force at its end, 0 to 1.
    pub fade_level: f64,
}

impl Default for Effect {
    /// No force, for ever.
    fn default() -> Self {
        Effect {
            kind: EffectKind::Constant,
            waveform: Waveform::Sine,
            shape: EffectShape::Point,
            place_m: Vec3::zeros(),
            axis: Vec3::x(),
            magnitude_n: 0.0,
            second_n: 0.0,
            coefficient: 0.0,
            frequency_hz: 0.0,
            phase: 0.0,
            dead_band_m: 0.0,
            range_m: f64::INFINITY,
            cap_n: 0.0,
            delay_s: 0.0,
            duration_s: f64::INFINITY,
            attack_s: 0.0,
            attack_level: 0.0,
            fade_s: 0.0,
            fade_level: 0.0,
        }
    }
}

impl Effect {
    /// Returns the share of a driven force at a time after its start.
    #[must_use]
    pub fn envelope(&self, elapsed_s: f64) -> f64 {
        let toward = |level: f64, share: f64| level + (1.0 - level) * share;
        let attack = match elapsed_s < self.attack_s {
            true => toward(self.attack_level, elapsed_s / self.attack_s),
            false => 1.0,
        };
        let left_s = self.duration_s - elapsed_s;
        let fade = match left_s < self.fade_s {
            true => toward(self.fade_level, left_s.max(0.0) / self.fade_s),
            false => 1.0,
        };
        attack.min(fade)
    }
}
