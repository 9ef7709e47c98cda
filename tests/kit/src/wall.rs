//! An arm on a wall in virtual time: simulated arm and hand, the real coupling and the real
//! governor, and the true work of the motors.
//!
//! Experiments on stability and energy need an exact contact, so that every effect is the loop's.
//! Deterministic. Allocates; for tests and experiments only.

use hapticd_devices::arm::{ArmCommand, ArmSample, Wrench};
use hapticd_devices::safety::{
    Ends, Governor, GovernorInput, Limits, ReasonSet, Reductions, Spring,
};
use hapticd_devices::sim::{HandParams, HeldArm, Intention, SimArmParams};
use hapticd_geometry::Vec3;
use hapticd_proxy::{Coupling, Damping, Gains, Passed};

/// Automatic stiffness of the coupling on [`Wall::of`]'s arm, N/m: 0.9 of the bound for 2 N s/m and
/// 2.5 ms, without a virtual damper.
pub const AUTO_STIFFNESS: f64 = 720.0;

/// No hand.
pub const NO_HAND: HandParams = HandParams {
    mass_kg: 0.0,
    stiffness_n_per_m: 0.0,
    damping_n_s_per_m: 0.0,
    inertia_kg_m2: 0.0,
    angular_stiffness_nm_per_rad: 0.0,
    angular_damping_nm_s_per_rad: 0.0,
    ..HandParams::relaxed()
};

/// Returns hands from firm to the smallest damping possible.
#[must_use]
pub fn hands() -> [(&'static str, HandParams); 4] {
    let undamped = HandParams {
        mass_kg: 0.0,
        stiffness_n_per_m: 100.0,
        damping_n_s_per_m: 0.0,
        ..HandParams::relaxed()
    };
    let heavy = HandParams {
        mass_kg: 3.0,
        ..undamped
    };
    [
        ("relaxed", HandParams::relaxed()),
        ("firm", HandParams::firm()),
        ("undamped", undamped),
        ("undamped and heavy", heavy),
    ]
}

/// Duration of a tick, ns: the loop runs at 1 kHz.
const TICK_NS: u64 = 1_000_000;
/// Number of pieces of a tick over which the motors' work is summed.
const PIECES: u64 = 20;

/// One tick of an arm on a wall.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tick {
    /// Force sent, out of the wall, N.
    pub sent_n: f64,
    /// Gain of the passivity controller.
    pub gain: f64,
    /// The governor holds force back because of an oscillation.
    pub oscillation_limited: bool,
    /// Energy given to the hand so far, by the ledger, J.
    pub given_j: f64,
    /// Energy put in so far by the wall, by the ledger, J.
    pub world_j: f64,
    /// Debt of the ledger, J.
    pub debt_j: f64,
    /// Energy stored in the part of the spring that is sent, J.
    pub stored_j: f64,
    /// True energy given to the handle so far by the motors, J.
    pub true_j: f64,
    /// True energy taken from the handle so far by the arm's own damping and friction, J.
    pub taken_j: f64,
}

/// Returns the difference of the highest and the lowest force, N.
#[must_use]
pub fn swing_n(ticks: &[Tick]) -> f64 {
    let forces = || ticks.iter().map(|tick| tick.sent_n);
    forces().fold(f64::MIN, f64::max) - forces().fold(f64::MAX, f64::min)
}

/// A wall below z = 0, with its arm and its loop. The arm's thread sends a command with the report
/// after the one that it answers, so the delay is the declared one of the arm plus one period.
#[derive(Clone, Debug)]
pub struct Wall {
    /// Stiffness of the coupling, N/m.
    pub stiffness: f64,
    /// Height of the wall's surface at a time (s), m.
    pub surface: fn(f64) -> f64,
    /// Whether the ledger is told that the wall moves.
    pub moves: bool,
    /// The governor's ramp, s.
    pub ramp_s: f64,
    /// If true, the governor decides; otherwise the wanted force is sent.
    pub governed: bool,
    /// Tick from which another hand holds the handle, and that hand.
    pub changes: Option<(u64, HandParams)>,
    /// The arm.
    pub arm: SimArmParams,
}

impl Wall {
    /// Returns a wall that stands still, with the desktop arm. A report is available at the time at
    /// which it was made, so the sample that a tick sees is of that tick.
    #[must_use]
    pub fn of(stiffness: f64) -> Self {
        let mut arm = SimArmParams::desktop();
        arm.input_delay_ns = 0;
        arm.output_delay_ns = arm.spec.transport_delay_ns;
        Wall {
            stiffness,
            surface: |_| 0.0,
            moves: false,
            ramp_s: 0.05,
            governed: true,
            changes: None,
            arm,
        }
    }

    /// Runs `ticks` ticks with this hand.
    ///
    /// # Panics
    /// If arm, hand or intention are invalid.
    #[must_use]
    pub fn run(&self, hand: HandParams, intention: Intention, ticks: u64) -> Vec<Tick> {
        let mut held = HeldArm::new(self.arm.clone(), hand, intention, 0).expect("valid");
        let limits = Limits {
            ramp_s: self.ramp_s,
            ..Limits::default()
        };
        let mut governor = Governor::new(&limits, held.spec()).expect("valid");
        let gains = Gains {
            stiffness_n_per_m: self.stiffness,
            ..Gains::default()
        };
        let mut coupling = Coupling::new(gains, Damping::Relative);
        let mut commands = [ArmCommand::default(); 2];
        let mut sample = ArmSample::default();
        let (mut true_j, mut taken_j) = (0.0, 0.0);
        let spec = held.spec().clone();
        let piece_s = TICK_NS as f64 * 1e-9 / PIECES as f64;
        let mut out = Vec::new();
        for tick in 1..=ticks {
            if let Some((_, other)) = self.changes.filter(|(at, _)| *at == tick) {
                held.change_hand(other).expect("valid");
            }
            held.send(&commands[0]);
            commands[0] = commands[1];
            for part in 1..=PIECES {
                let before = held.handle().pose.translation.vector;
                let force_n = held.motor_wrench().force_n;
                held.advance_to((tick - 1) * TICK_NS + part * TICK_NS / PIECES);
                let way = held.handle().pose.translation.vector - before;
                true_j += force_n.dot(&way);
                let damped = spec.damping_n_s_per_m * way.norm() / piece_s;
                taken_j += (damped + spec.coulomb_friction_n) * way.norm();
            }
            sample = held.read_newest().unwrap_or(sample);
            let hand = sample.pose;
            let mut proxy = hand;
            let surface = (self.surface)(tick as f64 * 1e-3);
            proxy.translation.z = hand.translation.z.max(surface);
            let wrench = coupling.wrench(&hand, &proxy, &Vec3::zeros(), None, 1e-3);
            let energy = coupling.energy();
            let wanted = Wrench {
                force_n: wrench.force_n,
                torque_nm: wrench.torque_nm,
            };
            let governed = governor.step(&GovernorInput {
                now_ns: tick * TICK_NS,
                wanted,
                effects_n: Vec3::zeros(),
                reacting_n: Vec3::zeros(),
                sample: &sample,
                contact_age_ns: 0,
                spring: Some(Spring {
                    far_end: proxy,
                    centre: Vec3::zeros(),
                    stored_j: energy.stored_j,
                    stiffness: energy.stiffness,
                    before: Ends {
                        stiffness: energy.before.stiffness,
                        none_j: energy.before.none_j,
                        hand_j: energy.before.hand_j,
                        far_j: energy.before.far_j,
                        both_j: energy.before.both_j,
                    },
                    held_by_movers: self.moves,
                }),
                faults: ReasonSet::EMPTY,
                enable: true,
            });
            let sent = if self.governed {
                coupling.set_passed(Passed {
                    share: governed.passed.share,
                    edge: governed.passed.edge,
                    most_n: governed.passed.most_n,
                });
                governed.wrench
            } else {
                wanted
            };
            commands[1] = ArmCommand {
                sequence: tick,
                wrench: sent,
            };
            let energy = governor.energy();
            out.push(Tick {
                sent_n: sent.force_n.z,
                gain: energy.gain,
                oscillation_limited: governed.reductions.contains(Reductions::OSCILLATION),
                given_j: energy.given_j,
                world_j: energy.world_j,
                debt_j: energy.debt_j,
                stored_j: energy.stored_j,
                true_j,
                taken_j,
            });
        }
        out
    }
}
