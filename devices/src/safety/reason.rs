//! Why force went off: numbered causes, and sets of causes.
//!
//! The numbers are part of the published state and of the recordings, so they never change meaning;
//! a new cause takes a free number. Everything here is `Copy`, allocates nothing and may be called
//! from the haptic loop.
//!
//! Numbers below 32 are *cuts*: force is exactly zero in the tick that sees the cause. Numbers from
//! 32 are *fades*: force ramps to zero within [`Limits::fade_ns`](super::Limits::fade_ns). If
//! several causes hold at once, the smallest number is reported.

use std::fmt;

/// Response of the governor to a cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// Exactly zero in the same tick, regardless of the slew limit.
    Cut,
    /// Ramp to zero within the fade time, within the slew limit.
    Fade,
}

/// A cause for which force is off. The discriminant is the published reason code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ForceOffReason {
    /// The emergency stop is pressed. Latched: force stays off until
    /// [`Governor::clear`](super::Governor::clear).
    EmergencyStop = 1,
    /// The arm is unplugged or its transport failed.
    DeviceLost = 2,
    /// The arm reports an internal fault (amplifier, redundancy check).
    DeviceFault = 3,
    /// The arm is not calibrated or not homed, so its pose means nothing.
    NotCalibrated = 4,
    /// The dead-man switch, grip sensor or safety switch is open.
    SafetySwitch = 5,
    /// The wanted wrench contained a NaN or an infinity.
    InvalidCommand = 6,
    /// The arm's pose or velocity contained a NaN or an infinity.
    InvalidSample = 7,
    /// The tool is faster than the linear or angular velocity limit.
    OverVelocity = 8,
    /// The loop did not run for longer than [`Limits::stall_ns`](super::Limits::stall_ns), or the
    /// arm's input queue overflowed.
    Stall = 9,
    /// The client that asked for force is dead or disconnected (detected, not merely silent).
    ClientLost = 10,
    /// An immediate stop: the supervisor shows no sign of life, or a second SIGTERM came. Latched.
    Supervisor = 11,

    /// The arm's newest sample is older than
    /// [`Limits::stale_input_ns`](super::Limits::stale_input_ns).
    StaleInput = 32,
    /// The arm's kinematic model gave no pose for the joints that were read.
    PoseUnknown = 33,
    /// The contact data are older than
    /// [`Limits::stale_contact_ns`](super::Limits::stale_contact_ns).
    StaleContact = 34,
    /// The client is silent: its lease has run out.
    LeaseExpired = 35,
    /// Oscillation continued although the gain had been reduced to its floor.
    Oscillation = 36,
    /// The arm is hotter than [`Limits::max_temperature_c`](super::Limits::max_temperature_c).
    OverTemperature = 37,
    /// Force is not requested.
    Disabled = 38,
    /// Orderly shutdown of the daemon. Latched until the daemon ends.
    Shutdown = 39,
    /// The tool touches a client's body while the thread that serves clients is silent: the death
    /// of that client would go unnoticed.
    ClientsUnserved = 40,
}

impl ForceOffReason {
    /// Every cause, in the order of its code.
    pub const ALL: [ForceOffReason; 20] = [
        Self::EmergencyStop,
        Self::DeviceLost,
        Self::DeviceFault,
        Self::NotCalibrated,
        Self::SafetySwitch,
        Self::InvalidCommand,
        Self::InvalidSample,
        Self::OverVelocity,
        Self::Stall,
        Self::ClientLost,
        Self::Supervisor,
        Self::StaleInput,
        Self::PoseUnknown,
        Self::StaleContact,
        Self::LeaseExpired,
        Self::Oscillation,
        Self::OverTemperature,
        Self::Disabled,
        Self::Shutdown,
        Self::ClientsUnserved,
    ];

    /// Returns the published number of this cause.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the cause with this number, `None` for a free number.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|r| r.code() == code)
    }

    /// Returns the response: cut or fade.
    #[must_use]
    pub const fn response(self) -> Response {
        if self.code() < 32 {
            Response::Cut
        } else {
            Response::Fade
        }
    }

    /// Returns true for causes that are not faults: force was given up in good order.
    #[must_use]
    pub const fn is_orderly(self) -> bool {
        matches!(self, Self::Disabled | Self::Shutdown | Self::LeaseExpired)
    }

    /// Returns true for causes that remain once seen, until they are cleared.
    #[must_use]
    pub const fn is_latched(self) -> bool {
        matches!(
            self,
            Self::EmergencyStop | Self::Supervisor | Self::Shutdown
        )
    }

    /// Returns one plain sentence for a technician.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::EmergencyStop => "emergency stop",
            Self::DeviceLost => "device lost",
            Self::DeviceFault => "device reports a fault",
            Self::NotCalibrated => "device not calibrated",
            Self::SafetySwitch => "safety switch open",
            Self::InvalidCommand => "wanted force is not finite",
            Self::InvalidSample => "device sample is not valid",
            Self::OverVelocity => "velocity limit exceeded",
            Self::Stall => "loop stalled",
            Self::ClientLost => "client lost",
            Self::Supervisor => "stopped by the supervisor",
            Self::StaleInput => "device sample too old",
            Self::PoseUnknown => "no pose for the joints that were read",
            Self::StaleContact => "contact data too old",
            Self::LeaseExpired => "lease expired",
            Self::Oscillation => "oscillation",
            Self::OverTemperature => "device too hot",
            Self::Disabled => "force not enabled",
            Self::Shutdown => "shutting down",
            Self::ClientsUnserved => "clients are not served",
        }
    }
}

impl fmt::Display for ForceOffReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.text(), self.code())
    }
}

/// A set of causes; bit `n` stands for the cause with code `n`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReasonSet(u64);

impl ReasonSet {
    /// The empty set.
    pub const EMPTY: ReasonSet = ReasonSet(0);
    const CUTS: u64 = (1 << 32) - 1;

    /// Returns the set of one cause.
    #[must_use]
    pub const fn of(reason: ForceOffReason) -> Self {
        ReasonSet(1 << reason.code())
    }

    /// Returns this set with one more cause.
    #[must_use]
    pub const fn with(self, reason: ForceOffReason) -> Self {
        ReasonSet(self.0 | 1 << reason.code())
    }

    /// Returns this set with one more cause if `condition` holds.
    #[must_use]
    pub const fn with_if(self, condition: bool, reason: ForceOffReason) -> Self {
        if condition { self.with(reason) } else { self }
    }

    /// Returns the causes in either set.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        ReasonSet(self.0 | other.0)
    }

    /// Returns the causes in this set that are not in the other.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        ReasonSet(self.0 & !other.0)
    }

    /// Returns only the causes whose response is a cut.
    #[must_use]
    pub const fn cuts(self) -> Self {
        ReasonSet(self.0 & Self::CUTS)
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns true if the sets share a cause.
    #[must_use]
    pub const fn intersects(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Returns true if the cause is in the set.
    #[must_use]
    pub const fn contains(self, reason: ForceOffReason) -> bool {
        self.0 & 1 << reason.code() != 0
    }

    /// Returns the cause with the smallest code, which is the one reported.
    #[must_use]
    pub fn first(self) -> Option<ForceOffReason> {
        // Only codes of the enum are ever set, so the lookup succeeds.
        if self.0 == 0 {
            None
        } else {
            ForceOffReason::from_code(self.0.trailing_zeros() as u8)
        }
    }

    /// Iterates over the causes, smallest code first.
    pub fn iter(self) -> impl Iterator<Item = ForceOffReason> {
        ForceOffReason::ALL
            .into_iter()
            .filter(move |r| self.contains(*r))
    }

    /// Returns the bits as published: bit `n` is the cause with code `n`.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }
}

impl FromIterator<ForceOffReason> for ReasonSet {
    fn from_iter<I: IntoIterator<Item = ForceOffReason>>(iter: I) -> Self {
        iter.into_iter().fold(Self::EMPTY, Self::with)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_ordered_and_find_their_way_back() {
        for pair in ForceOffReason::ALL.windows(2) {
            assert!(pair[0].code() < pair[1].code());
        }
        for reason in ForceOffReason::ALL {
            assert_eq!(ForceOffReason::from_code(reason.code()), Some(reason));
            assert!(reason.code() < 64, "a set has 64 bits");
        }
        assert_eq!(ForceOffReason::from_code(0), None);
        assert_eq!(ForceOffReason::from_code(255), None);
    }

    #[test]
    fn the_published_codes_never_change() {
        let published = ForceOffReason::ALL.map(ForceOffReason::code);
        assert_eq!(
            published,
            [
                1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 32, 33, 34, 35, 36, 37, 38, 39, 40
            ]
        );
    }

    #[test]
    fn the_most_severe_cause_is_reported_first() {
        let set: ReasonSet = [
            ForceOffReason::Shutdown,
            ForceOffReason::Stall,
            ForceOffReason::StaleInput,
        ]
        .into_iter()
        .collect();
        assert_eq!(set.first(), Some(ForceOffReason::Stall));
        assert_eq!(set.cuts(), ReasonSet::of(ForceOffReason::Stall));
        assert_eq!(
            set.minus(set.cuts()).first(),
            Some(ForceOffReason::StaleInput)
        );
        assert_eq!(set.iter().count(), 3);
        assert_eq!(ReasonSet::EMPTY.first(), None);
    }
}
