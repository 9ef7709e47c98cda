//! The state of one arm, published in every tick of the haptic loop.
//!
//! Poses, velocities and wrenches are in the world frame. Wrenches act on the hand, at the tool's
//! origin.

use super::words::words;
use crate::{
    description::{CodeLayout, CodesLayout},
    wire::{Pose, codes, flags},
};

/// Words of the payload.
pub const STATE_WORDS: usize = ArmState::WORDS;

flags! {
    /// Bits of [`ArmState::flags`](crate::block::ArmState::flags).
    pub mod flag: u16 {
        /// The arm is attached and its pose is known.
        ATTACHED = 1,
        /// The tool touches something.
        TOUCHING = 2,
        /// The certificate or the tick's pair budget held the tool back in this tick.
        STARVED = 4,
        /// The contact data are older than the limit.
        STALE = 8,
        /// The daemon is shutting down.
        STOPPING = 16,
        /// The tool is inside a body, or overlaps it. No force of that body is rendered until the
        /// tool is out.
        INSIDE = 32,
        /// A clutch holds the tool: the hand moves without force.
        CLUTCHED = 64,
        /// The hand is outside of the bubble and drives the arm's frame.
        DRIVEN = 128,
    }
}

codes! {
    /// State of the safety governor between off and on.
    pub enum GovernorState: u8, "a state of the governor" {
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
}

impl GovernorState {
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

/// Codes of the reasons why force is off or reduced, with their meanings. Codes never change their
/// meaning; new ones are appended.
const FORCE_OFF: &[(u8, &str)] = &[
    (0, "none"),
    (1, "emergency stop"),
    (2, "device lost"),
    (3, "device reports a fault"),
    (4, "device not calibrated"),
    (5, "safety switch open"),
    (6, "wanted force is not finite"),
    (7, "device sample is not valid"),
    (8, "velocity limit exceeded"),
    (9, "loop stalled"),
    (10, "client lost"),
    (11, "stopped by the supervisor"),
    (32, "device sample too old"),
    (33, "no pose for the joints that were read"),
    (34, "contact data too old"),
    (35, "lease expired"),
    (36, "oscillation"),
    (37, "device too hot"),
    (38, "force not enabled"),
    (39, "shutting down"),
    (40, "clients are not served"),
];

/// Returns the meaning of a force-off code for people.
pub fn force_off_text(code: u8) -> &'static str {
    let known = FORCE_OFF.iter().find(|(known, _)| *known == code);
    known.map_or("a cause that this version does not know", |(_, text)| text)
}

/// Returns the codes of the reasons why force is off or reduced.
pub(crate) fn force_off_layout() -> CodesLayout {
    let values = FORCE_OFF.iter().map(|(code, text)| CodeLayout {
        name: text,
        code: u64::from(*code),
        doc: String::new(),
    });
    CodesLayout {
        name: "ForceOffReason",
        doc: "Reason why force is off or reduced.".to_owned(),
        bits: 8,
        values: values.collect(),
    }
}

words! {
    /// Newest state of an arm. Words are counted from the first word of the payload.
    pub struct ArmState in 48 words {
        /// Number of the tick, from 1.
        tick: u64 = word 0;
        /// Time of the tick, ns on `CLOCK_MONOTONIC`. That clock is the same for all processes.
        time_ns: u64 = word 1;
        /// Pose of the tool as the hand holds it.
        world_from_device: Pose = word 2;
        /// Pose of the proxy: of the tool where it is allowed to be. Applications draw this one.
        world_from_proxy: Pose = word 9;
        /// Velocity of the hand, m/s; 0 while a clutch holds the tool.
        linear_velocity_m_s: [f64; 3] = word 16;
        /// Angular velocity of the hand, rad/s; 0 while a clutch holds the tool.
        angular_velocity_rad_s: [f64; 3] = word 19;
        /// Force sent to the arm, N.
        force_n: [f64; 3] = word 22;
        /// Torque sent to the arm, N m.
        torque_nm: [f64; 3] = word 25;
        /// Force of the coupling before the governor, N.
        wanted_force_n: [f64; 3] = word 28;
        /// Torque of the coupling before the governor, N m.
        wanted_torque_nm: [f64; 3] = word 31;
        /// Code of the [`GovernorState`].
        governor: u8 = word 34;
        /// Code of the reason why force is off or reduced; 0 for no reason. [`force_off_text`] says
        /// it in words.
        reason: u8 = word 34 bit 8;
        /// A sum of [`flag`] bits.
        flags: u16 = word 34 bit 16;
        /// Number of contacts in this tick.
        contacts: u16 = word 34 bit 32;
        /// Low 16 bits of the body that the tool is inside of, with `INSIDE`. The first body or
        /// other arm's tool; otherwise 0.
        inside_body: u16 = word 34 bit 48;
        /// Buttons, one bit each, starting at bit 0; 1 means pressed.
        buttons: u32 = word 35;
        /// Age of the contact data, ticks; `u32::MAX` without any.
        snapshot_age_ticks: u32 = word 35 bit 32;
        /// Whole periods that the loop has skipped since it started.
        missed_ticks: u64 = word 36;
        /// Computation time of the newest finished tick (the one before this), ns.
        compute_ns: u64 = word 37;
        /// How much later than requested the loop woke for that tick, ns.
        lateness_ns: u64 = word 38;
        /// Age of the arm's sample, ns.
        input_age_ns: u64 = word 39;
        /// Code of the newest reason why force went off; 0 before the first. It is kept when force
        /// is on again.
        last_force_off: u8 = word 40;
        /// Identity of the dynamic body that the arm holds; 0: none.
        grasped_body: u32 = word 40 bit 32;
        /// Tick in which force went off; another reason while it is off keeps it.
        last_force_off_tick: u64 = word 41;
        /// How often force went off since the loop started. Another reason while it is off is not
        /// counted.
        force_offs: u64 = word 42;
        /// Energy of the arm's coupling.
        energy: ArmEnergy = word 43;
    }
}

words! {
    /// Energy of the spring between hand and tool since the force was last off for lack of a pose,
    /// J at the device.
    pub struct ArmEnergy in 5 words {
        /// Energy given to the hand; negative if taken from it.
        given_j: f64 = word 0;
        /// Energy stored now.
        stored_j: f64 = word 1;
        /// Energy given beyond what bodies put in and the arm absorbs. The arm absorbs what its own
        /// damping and friction certainly take.
        debt_j: f64 = word 2;
        /// Stored energy that was removed where the passivity controller acted.
        withheld_j: f64 = word 3;
        /// Gain of the passivity controller; 1 where it does not act.
        gain: f64 = word 4;
    }
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
        grasped_body: 0,
        last_force_off_tick: 0,
        force_offs: 0,
        energy: ArmEnergy::EMPTY,
    };

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
            grasped_body: 8,
            last_force_off_tick: 41,
            force_offs: 42,
            energy: ArmEnergy {
                given_j: 43.0,
                stored_j: 44.0,
                debt_j: 45.0,
                withheld_j: 46.0,
                gain: 47.0,
            },
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
        assert_eq!(
            words[36..43],
            [36, 37, 38, 39, 0x0000_0008_0000_0028, 41, 42]
        );
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
