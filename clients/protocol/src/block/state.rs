//! The state of one arm, published in every tick of the haptic loop.
//!
//! Poses, velocities and wrenches are in the world frame. Wrenches act on the hand, at the tool's
//! origin.

use super::{put, take};
use crate::wire::Pose;

/// Words of the payload.
pub const STATE_WORDS: usize = 48;

/// Bits of [`ArmState::flags`].
pub mod flag {
    /// The arm is attached and its pose is known.
    pub const ATTACHED: u16 = 1;
    /// The tool touches something.
    pub const TOUCHING: u16 = 2;
    /// The certificate or the tick's pair budget held the tool back in this tick.
    pub const STARVED: u16 = 4;
    /// The contact data are older than the limit.
    pub const STALE: u16 = 8;
    /// The daemon is shutting down.
    pub const STOPPING: u16 = 16;
    /// The tool is inside a body, or overlaps it. No force of that body is rendered until the tool
    /// is out.
    pub const INSIDE: u16 = 32;
}

/// State of the safety governor between off and on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum GovernorState {
    /// Off in good order: no force is requested.
    Disengaged = 0,
    /// Waits until the wanted force is small, then ramps.
    WaitingSmallForce = 1,
    /// Force is rising.
    Ramping = 2,
    /// Full authority.
    Active = 3,
    /// Force is falling to zero.
    Fading = 4,
    /// Off because of a fault.
    Fault = 5,
}

impl GovernorState {
    /// Returns the state with this code, or `None` if the code is unknown.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            0 => Self::Disengaged,
            1 => Self::WaitingSmallForce,
            2 => Self::Ramping,
            3 => Self::Active,
            4 => Self::Fading,
            5 => Self::Fault,
            _ => return None,
        })
    }

    /// Returns a description for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Disengaged => "off",
            Self::WaitingSmallForce => "waiting",
            Self::Ramping => "ramping up",
            Self::Active => "active",
            Self::Fading => "fading",
            Self::Fault => "fault",
        }
    }
}

/// Returns the meaning of a force-off code for people. Codes never change their meaning; new ones
/// are appended.
pub const fn force_off_text(code: u8) -> &'static str {
    match code {
        0 => "none",
        1 => "emergency stop",
        2 => "device lost",
        3 => "device reports a fault",
        4 => "device not calibrated",
        5 => "safety switch open",
        6 => "wanted force is not finite",
        7 => "device sample is not valid",
        8 => "velocity limit exceeded",
        9 => "loop stalled",
        10 => "client lost",
        11 => "stopped by the supervisor",
        32 => "device sample too old",
        33 => "no pose for the joints that were read",
        34 => "contact data too old",
        35 => "lease expired",
        36 => "oscillation",
        37 => "device too hot",
        38 => "force not enabled",
        39 => "shutting down",
        40 => "clients are not served",
        _ => "a cause that this version does not know",
    }
}

/// Newest state of an arm. Words are counted from the first word of the payload.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmState {
    /// Word 0: number of the tick, from 1.
    pub tick: u64,
    /// Word 1: time of the tick, ns on the daemon's monotonic clock (`CLOCK_MONOTONIC`, the same
    /// for all processes).
    pub time_ns: u64,
    /// Words 2..9: pose of the tool as the hand holds it.
    pub world_from_device: Pose,
    /// Words 9..16: pose of the proxy, that is, of the tool where it is allowed to be. Applications
    /// draw this one.
    pub world_from_proxy: Pose,
    /// Words 16..19: velocity of the hand, m/s.
    pub linear_velocity_m_s: [f64; 3],
    /// Words 19..22: angular velocity of the hand, rad/s.
    pub angular_velocity_rad_s: [f64; 3],
    /// Words 22..25: force sent to the arm, N.
    pub force_n: [f64; 3],
    /// Words 25..28: torque sent to the arm, N m.
    pub torque_nm: [f64; 3],
    /// Words 28..31: force of the coupling before the governor, N.
    pub wanted_force_n: [f64; 3],
    /// Words 31..34: torque of the coupling before the governor, N m.
    pub wanted_torque_nm: [f64; 3],
    /// Word 34, bits 0..8: code of the [`GovernorState`].
    pub governor: u8,
    /// Word 34, bits 8..16: code of the reason why force is off or reduced ([`force_off_text`]); 0
    /// for no reason.
    pub reason: u8,
    /// Word 34, bits 16..32: a sum of [`flag`] bits.
    pub flags: u16,
    /// Word 34, bits 32..48: number of contacts in this tick.
    pub contacts: u16,
    /// Word 34, bits 48..64: with [`flag::INSIDE`], the low 16 bits of the identity of the first
    /// body (or other arm's tool) that the tool is inside of; otherwise 0.
    pub inside_body: u16,
    /// Word 35, bits 0..32: buttons, one bit each, starting at bit 0; 1 means pressed.
    pub buttons: u32,
    /// Word 35, bits 32..64: age of the contact data, ticks; `u32::MAX` without any.
    pub snapshot_age_ticks: u32,
    /// Word 36: whole periods that the loop has skipped since it started.
    pub missed_ticks: u64,
    /// Word 37: computation time of the newest finished tick (the one before this), ns.
    pub compute_ns: u64,
    /// Word 38: how much later than requested the loop woke for that tick, ns.
    pub lateness_ns: u64,
    /// Word 39: age of the arm's sample, ns.
    pub input_age_ns: u64,
    /// Word 40, bits 0..8: code of the newest reason why force went off, kept when it is on again;
    /// 0 before the first.
    pub last_force_off: u8,
    /// Word 41: tick in which force went off; another reason while it is off keeps it.
    pub last_force_off_tick: u64,
    /// Word 42: how often force went off since the loop started. Another reason while it is off is
    /// not counted.
    pub force_offs: u64,
    /// Words 43..48: energy of the arm's coupling.
    pub energy: ArmEnergy,
}

/// Energy of the spring between hand and tool since the force was last off for lack of a pose, J at
/// the device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmEnergy {
    /// Energy given to the hand; negative if taken from it.
    pub given_j: f64,
    /// Energy stored now.
    pub stored_j: f64,
    /// Energy given beyond what bodies put in and beyond what the arm's own damping and friction
    /// certainly absorb.
    pub debt_j: f64,
    /// Energy that was stored and was removed where the passivity controller lowered the gain.
    pub withheld_j: f64,
    /// Gain of the passivity controller; 1 where it does not act.
    pub gain: f64,
}

impl ArmEnergy {
    /// Energy of a spring that has done nothing.
    pub const EMPTY: Self = Self {
        given_j: 0.0,
        stored_j: 0.0,
        debt_j: 0.0,
        withheld_j: 0.0,
        gain: 1.0,
    };

    fn to_array(self) -> [f64; 5] {
        [
            self.given_j,
            self.stored_j,
            self.debt_j,
            self.withheld_j,
            self.gain,
        ]
    }

    fn from_array([given_j, stored_j, debt_j, withheld_j, gain]: [f64; 5]) -> Self {
        Self {
            given_j,
            stored_j,
            debt_j,
            withheld_j,
            gain,
        }
    }
}

impl ArmState {
    /// State before the first tick.
    pub const EMPTY: Self = Self {
        tick: 0,
        time_ns: 0,
        world_from_device: Pose::IDENTITY,
        world_from_proxy: Pose::IDENTITY,
        linear_velocity_m_s: [0.0; 3],
        angular_velocity_rad_s: [0.0; 3],
        force_n: [0.0; 3],
        torque_nm: [0.0; 3],
        wanted_force_n: [0.0; 3],
        wanted_torque_nm: [0.0; 3],
        governor: 0,
        reason: 0,
        flags: 0,
        contacts: 0,
        inside_body: 0,
        buttons: 0,
        snapshot_age_ticks: u32::MAX,
        missed_ticks: 0,
        compute_ns: 0,
        lateness_ns: 0,
        input_age_ns: 0,
        last_force_off: 0,
        last_force_off_tick: 0,
        force_offs: 0,
        energy: ArmEnergy::EMPTY,
    };

    /// Returns the payload words. Real-time callable.
    pub fn to_words(&self) -> [u64; STATE_WORDS] {
        let mut words = [0; STATE_WORDS];
        words[0] = self.tick;
        words[1] = self.time_ns;
        put(&mut words, 2, self.world_from_device.to_array());
        put(&mut words, 9, self.world_from_proxy.to_array());
        put(&mut words, 16, self.linear_velocity_m_s);
        put(&mut words, 19, self.angular_velocity_rad_s);
        put(&mut words, 22, self.force_n);
        put(&mut words, 25, self.torque_nm);
        put(&mut words, 28, self.wanted_force_n);
        put(&mut words, 31, self.wanted_torque_nm);
        words[34] = u64::from(self.governor)
            | u64::from(self.reason) << 8
            | u64::from(self.flags) << 16
            | u64::from(self.contacts) << 32
            | u64::from(self.inside_body) << 48;
        words[35] = u64::from(self.buttons) | u64::from(self.snapshot_age_ticks) << 32;
        words[36] = self.missed_ticks;
        words[37] = self.compute_ns;
        words[38] = self.lateness_ns;
        words[39] = self.input_age_ns;
        words[40] = u64::from(self.last_force_off);
        words[41] = self.last_force_off_tick;
        words[42] = self.force_offs;
        put(&mut words, 43, self.energy.to_array());
        words
    }

    /// Reads the payload words; any words give a state. Real-time callable.
    pub fn from_words(words: &[u64; STATE_WORDS]) -> Self {
        Self {
            tick: words[0],
            time_ns: words[1],
            world_from_device: Pose::from_array(take(words, 2)),
            world_from_proxy: Pose::from_array(take(words, 9)),
            linear_velocity_m_s: take(words, 16),
            angular_velocity_rad_s: take(words, 19),
            force_n: take(words, 22),
            torque_nm: take(words, 25),
            wanted_force_n: take(words, 28),
            wanted_torque_nm: take(words, 31),
            governor: words[34] as u8,
            reason: (words[34] >> 8) as u8,
            flags: (words[34] >> 16) as u16,
            contacts: (words[34] >> 32) as u16,
            inside_body: (words[34] >> 48) as u16,
            buttons: words[35] as u32,
            snapshot_age_ticks: (words[35] >> 32) as u32,
            missed_ticks: words[36],
            compute_ns: words[37],
            lateness_ns: words[38],
            input_age_ns: words[39],
            last_force_off: words[40] as u8,
            last_force_off_tick: words[41],
            force_offs: words[42],
            energy: ArmEnergy::from_array(take(words, 43)),
        }
    }

    /// Returns true if all of these [`flag`] bits are set.
    pub fn has(&self, flags: u16) -> bool {
        self.flags & flags == flags
    }

    /// Returns the state of the governor; `None` for a code of a newer version.
    pub fn governor_state(&self) -> Option<GovernorState> {
        GovernorState::from_code(self.governor)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    fn pose(first: f64) -> Pose {
        Pose::from_array(std::array::from_fn(|index| first + index as f64))
    }

    /// Each number is its own word index; numbers that share a word have other values.
    fn counted() -> ArmState {
        let three = |first: f64| [first, first + 1.0, first + 2.0];
        ArmState {
            tick: 0x1234,
            time_ns: 1,
            world_from_device: pose(2.0),
            world_from_proxy: pose(9.0),
            linear_velocity_m_s: three(16.0),
            angular_velocity_rad_s: three(19.0),
            force_n: three(22.0),
            torque_nm: three(25.0),
            wanted_force_n: three(28.0),
            wanted_torque_nm: three(31.0),
            governor: 3,
            reason: 35,
            flags: flag::TOUCHING | flag::STALE,
            contacts: 7,
            inside_body: 9,
            buttons: 5,
            snapshot_age_ticks: 6,
            missed_ticks: 36,
            compute_ns: 37,
            lateness_ns: 38,
            input_age_ns: 39,
            last_force_off: 40,
            last_force_off_tick: 41,
            force_offs: 42,
            energy: ArmEnergy::from_array(std::array::from_fn(|index| 43.0 + index as f64)),
        }
    }

    #[test]
    fn every_field_is_at_its_published_word() {
        let words = counted().to_words();
        assert_eq!((words[0], words[1]), (0x1234, 1));
        for (index, word) in words.iter().enumerate().take(34).skip(2) {
            assert_eq!(f64::from_bits(*word), index as f64);
        }
        assert_eq!(words[34], 0x0009_0007_000a_2303);
        assert_eq!(words[35], 0x0000_0006_0000_0005);
        assert_eq!(words[36..43], [36, 37, 38, 39, 40, 41, 42]);
        for (index, word) in words.iter().enumerate().skip(43) {
            assert_eq!(f64::from_bits(*word), index as f64);
        }
    }

    #[test]
    fn a_state_finds_its_way_back() {
        for state in [counted(), ArmState::EMPTY] {
            assert_eq!(ArmState::from_words(&state.to_words()), state);
        }
        assert!(counted().has(flag::TOUCHING) && !counted().has(flag::TOUCHING | flag::STARVED));
        assert_eq!(counted().governor_state(), Some(GovernorState::Active));
    }

    #[test]
    fn any_words_are_some_state() {
        for word in [0, u64::MAX, f64::NAN.to_bits()] {
            let state = ArmState::from_words(&[word; STATE_WORDS]);
            assert_eq!(state.to_words()[34], word);
        }
    }

    #[test]
    fn governor_codes_find_their_way_back() {
        for code in 0..=255 {
            assert_eq!(
                GovernorState::from_code(code).map(|state| state as u8),
                (code < 6).then_some(code)
            );
        }
    }
}
