//! Arm and hand together: the in-process arm.
//!
//! One call of [`HeldArm::step`] is one exchange with an arm: send a command, let time pass, read
//! the newest report. It works in real time (the caller passes the monotonic clock) and in virtual
//! time.
//!
//! No clock, no thread, no allocation after construction, deterministic. Time that runs backwards
//! counts as no time. A gap of more than a second (the machine was asleep) is not simulated: for
//! the hand and the arm only that second passes.

use super::arm::{SimArm, SimArmParams, SimError};
use super::hand::{Hand, HandParams};
use super::intention::{Intention, IntentionError};
use super::mechanism::Mechanism;
use crate::arm::{ArmCommand, ArmSample, ArmSpec, Pose, Wrench};
use crate::truth::ArmTruth;
use thiserror::Error;

/// Longest gap that is simulated in one call, ns.
const LONGEST_GAP_NS: u64 = 1_000_000_000;

/// Why a held arm cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum HeldArmError {
    /// The arm or the hand is invalid.
    #[error(transparent)]
    Sim(#[from] SimError),
    /// The intention is invalid.
    #[error(transparent)]
    Intention(#[from] IntentionError),
}

/// A simulated arm in a simulated hand.
#[derive(Clone, Debug)]
pub struct HeldArm {
    arm: SimArm,
    hand: Hand,
    intention: Intention,
    /// The caller's time at the start of the simulation, plus the gaps that were not simulated, ns.
    offset_ns: u64,
    last_ns: u64,
    /// Simulated time at which the intention begins, ns; `None` while the hand waits for that.
    begun_ns: Option<u64>,
}

impl HeldArm {
    /// Makes an arm and a hand at rest where the intention begins, at the caller's time `now_ns`.
    /// The hand's mass is added to the arm's load.
    ///
    /// # Errors
    /// [`HeldArmError`] if arm, hand or intention are invalid.
    pub fn new(
        mut arm: SimArmParams,
        hand: HandParams,
        intention: Intention,
        now_ns: u64,
    ) -> Result<Self, HeldArmError> {
        intention.validate()?;
        arm.load_mass_kg += hand.mass_kg;
        arm.load_inertia_kg_m2 += hand.inertia_kg_m2;
        let start = intention.pose(0.0);
        let (step_s, turns) = (arm.step_ns as f64 * 1e-9, arm.spec.has_rotation);
        let mass = arm.spec.mass_kg + arm.load_mass_kg;
        let inertia = if turns {
            arm.spec.inertia_kg_m2 + arm.load_inertia_kg_m2
        } else {
            0.0
        };
        let arm = SimArm::new(arm, start, 0)?;
        hand.validate(mass, inertia, step_s)?;
        Ok(HeldArm {
            arm,
            hand: Hand::new(hand, start),
            intention,
            offset_ns: now_ns,
            last_ns: now_ns,
            begun_ns: Some(0),
        })
    }

    /// Lets the hand hold its first pose until [`Self::begin`]; the arm reports meanwhile. The
    /// times of faults wait, too.
    pub fn hold(&mut self) {
        self.begun_ns = None;
    }

    /// Begins the intention at the simulated time, if it has not begun.
    pub fn begin(&mut self) {
        self.begun_ns.get_or_insert(self.arm.now_ns());
    }

    /// Replaces the hand at once, with the same intention. A hand without mass, stiffness and
    /// damping lets go of the handle.
    ///
    /// # Errors
    /// [`SimError`] if that hand is invalid with this arm; the previous hand then stays.
    pub fn change_hand(&mut self, hand: HandParams) -> Result<(), SimError> {
        let (arm, before) = (self.arm.params(), self.hand.params());
        let load = [
            arm.load_mass_kg - before.mass_kg + hand.mass_kg,
            arm.load_inertia_kg_m2 - before.inertia_kg_m2 + hand.inertia_kg_m2,
        ];
        let turns = arm.spec.has_rotation;
        let inertia = arm.spec.inertia_kg_m2 + load[1];
        hand.validate(
            arm.spec.mass_kg + load[0],
            if turns { inertia } else { 0.0 },
            arm.step_ns as f64 * 1e-9,
        )?;
        let mut changed = Hand::new(hand, self.hand.intended);
        changed.intended_velocity = self.hand.intended_velocity;
        changed.intended_angular_velocity = self.hand.intended_angular_velocity;
        self.hand = changed;
        self.arm.set_load(load[0].max(0.0), load[1].max(0.0));
        Ok(())
    }

    /// Sends `command` at the time of the last call, advances to `now_ns`, and returns the newest
    /// report that has arrived by then.
    pub fn step(&mut self, now_ns: u64, command: &ArmCommand) -> Option<ArmSample> {
        self.send(command);
        self.advance_to(now_ns);
        self.read_newest()
    }

    /// Sends a command at the simulated time.
    pub fn send(&mut self, command: &ArmCommand) {
        self.arm.send(command);
    }

    /// Advances the simulation to the caller's time `now_ns`.
    pub fn advance_to(&mut self, now_ns: u64) {
        let gap_ns = now_ns.saturating_sub(self.last_ns);
        self.last_ns = self.last_ns.max(now_ns);
        self.offset_ns = self
            .offset_ns
            .saturating_add(gap_ns.saturating_sub(LONGEST_GAP_NS));
        let end_ns = self.last_ns.saturating_sub(self.offset_ns);
        while self.arm.now_ns() < end_ns {
            let at_ns = self.arm.now_ns();
            let mut dt_ns = self.arm.params().step_ns.min(end_ns - at_ns);
            // A report shows the handle at the time when the report is due, not a step later.
            let due_ns = self.arm.next_report_ns();
            if due_ns > at_ns {
                dt_ns = dt_ns.min(due_ns - at_ns);
            }
            let t_ns = at_ns + dt_ns;
            let wrench = self.hand.wrench(self.arm.body());
            self.arm.step(dt_ns, &wrench);
            let script_ns = self.begun_ns.map_or(0, |begun_ns| t_ns - begun_ns);
            let intended = self.intention.pose(script_ns as f64 * 1e-9);
            self.hand.intend(intended, dt_ns as f64 * 1e-9);
            if self.begun_ns.is_none() {
                self.arm.restart_faults();
            }
        }
    }

    /// Returns the newest report that has arrived, stamped on the caller's clock.
    pub fn read_newest(&mut self) -> Option<ArmSample> {
        let mut sample = self.arm.read_newest()?;
        sample.time_ns = sample.time_ns.saturating_add(self.offset_ns);
        Some(sample)
    }

    /// Returns what the arm declares.
    #[must_use]
    pub fn spec(&self) -> &ArmSpec {
        &self.arm.params().spec
    }

    /// Returns whether the arm is plugged in.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.arm.is_connected()
    }

    /// Returns the exact state of the handle, which no real arm could report.
    #[must_use]
    pub fn handle(&self) -> &Mechanism {
        self.arm.body()
    }

    /// Returns the pose that the hand wants now.
    #[must_use]
    pub fn intended(&self) -> &Pose {
        &self.hand.intended
    }

    /// Returns the wrench that the hand exerts now.
    #[must_use]
    pub fn hand_wrench(&self) -> Wrench {
        self.hand.wrench(self.arm.body())
    }

    /// Returns the time from the simulated time until the next report arrives, ns.
    #[must_use]
    pub fn until_next_arrival_ns(&self) -> u64 {
        self.arm.next_arrival_ns().saturating_sub(self.arm.now_ns())
    }

    /// Returns the exact state at the simulated time, on the caller's clock.
    #[must_use]
    pub fn truth(&self) -> ArmTruth {
        let handle = self.handle();
        ArmTruth {
            time_ns: self.arm.now_ns().saturating_add(self.offset_ns),
            pose: handle.pose,
            linear_velocity: handle.linear_velocity,
            angular_velocity: handle.angular_velocity,
            hand: self.hand_wrench(),
            motors: self.motor_wrench(),
            hand_work: self.arm.hand_work(),
            motor_work: self.arm.motor_work(),
        }
    }

    /// Returns the wrench that the motors produce now.
    #[must_use]
    pub fn motor_wrench(&self) -> Wrench {
        self.arm.motor_wrench()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::Vec3;
    use crate::sim::{FaultKind, SimFault};

    const MS: u64 = 1_000_000;

    fn rest() -> Intention {
        Intention::Rest {
            at: [0.0, 0.0, 0.01],
            rotation: [0.0; 3],
        }
    }

    fn command(sequence: u64, z: f64) -> ArmCommand {
        let mut command = ArmCommand {
            sequence,
            ..ArmCommand::default()
        };
        command.wrench.force_n.z = z;
        command
    }

    fn held_arm_with(faults: Vec<SimFault>) -> HeldArm {
        let arm = SimArmParams {
            faults,
            ..SimArmParams::desktop()
        };
        HeldArm::new(arm, HandParams::relaxed(), rest(), 0).expect("valid")
    }

    fn fault(at_s: f64, for_s: f64, kind: FaultKind) -> Vec<SimFault> {
        vec![SimFault { at_s, for_s, kind }]
    }

    #[test]
    fn a_hand_that_lets_go_takes_its_mass_along() {
        let mut held_arm = held_arm_with(vec![]);
        let press = command(1, 5.0);
        for tick in 1..=300 {
            held_arm.step(tick * MS, &press);
        }
        let no_hand = HandParams {
            mass_kg: 0.0,
            stiffness_n_per_m: 0.0,
            damping_n_s_per_m: 0.0,
            inertia_kg_m2: 0.0,
            ..HandParams::relaxed()
        };
        let before = held_arm.handle().linear_velocity;
        held_arm.change_hand(no_hand).expect("valid");
        assert_eq!(held_arm.handle().linear_velocity, before);
        assert_eq!(held_arm.hand_wrench().force_n, Vec3::zeros());
        // 5 N less friction accelerate the arm's own mass, and damping takes a part of it.
        let from = held_arm.handle().linear_velocity.z;
        for tick in 301..=303 {
            held_arm.step(tick * MS, &press);
        }
        let spec = held_arm.spec().clone();
        let gained = held_arm.handle().linear_velocity.z - from;
        let most = 3e-3 * (5.0 - spec.coulomb_friction_n) / spec.mass_kg;
        assert!(
            gained <= most && gained > 0.9 * most,
            "{gained} m/s of {most}"
        );
        let wrong = HandParams {
            damping_n_s_per_m: f64::NAN,
            ..no_hand
        };
        assert!(held_arm.change_hand(wrong).is_err());
    }

    #[test]
    fn a_force_displaces_the_hand_by_what_its_spring_gives_and_friction_leaves() {
        let mut held_arm = held_arm_with(vec![]);
        let mut sample = None;
        for tick in 1..=2000 {
            sample = held_arm.step(tick * MS, &command(tick, -3.0)).or(sample);
        }
        let z = sample.expect("reports").pose.translation.z;
        // 3 N over 300 N/m, plus or minus 0.1 N of friction.
        assert!((z - 0.0).abs() <= 0.1 / 300.0 + 2e-5, "{z}");
        assert_eq!(
            held_arm.handle().linear_velocity,
            Vec3::zeros(),
            "held by friction"
        );
    }

    #[test]
    fn a_command_works_after_the_delay_and_its_effect_is_seen_after_the_other_delay() {
        let mut params = SimArmParams::desktop();
        (params.input_delay_ns, params.output_delay_ns) = (3 * MS, 2 * MS);
        params.spec.resolution_m = 0.0;
        params.spec.coulomb_friction_n = 0.0;
        let mut held_arm = HeldArm::new(params, HandParams::relaxed(), rest(), 0).expect("valid");
        let mut seen = Vec::new();
        for tick in 1..=12 {
            if let Some(sample) = held_arm.step(tick * MS, &command(tick, 5.0)) {
                seen.push((tick, sample.time_ns / MS, sample.pose.translation.z > 0.01));
            }
        }
        // Sent at 0, it acts from 2 ms, so the report of 3 ms is the first that differs; it arrives
        // at 6 ms.
        assert_eq!(
            seen[0],
            (3, 3, false),
            "the report made at once arrives after 3 ms"
        );
        let first = seen.iter().find(|(_, _, moved)| *moved).expect("moves");
        assert_eq!(first, &(6, 6, true));
    }

    #[test]
    fn reports_carry_what_the_encoders_resolve() {
        let mut params = SimArmParams::desktop();
        (params.spec.resolution_m, params.spec.resolution_rad) = (1e-3, 0.01);
        let circle = Intention::Circle {
            center: [0.0; 3],
            rotation: [0.0; 3],
            radius_m: 0.05,
            period_s: 2.0,
            turn_along: true,
        };
        let mut held_arm = HeldArm::new(params, HandParams::firm(), circle, 0).expect("valid");
        let mut fastest = 0.0_f64;
        for tick in 1..=1000 {
            let Some(sample) = held_arm.step(tick * MS, &ArmCommand::default()) else {
                continue;
            };
            for x in sample.pose.translation.vector.iter() {
                assert!((x / 1e-3 - (x / 1e-3).round()).abs() < 1e-9);
            }
            for turn in sample.pose.rotation.scaled_axis().iter() {
                assert!((turn / 0.01 - (turn / 0.01).round()).abs() < 1e-6);
            }
            fastest = fastest.max(sample.linear_velocity.norm());
        }
        // 0.05 m * pi/s, plus at most two steps of 1 mm over the window of 15 ms.
        assert!((0.12..0.30).contains(&fastest), "{fastest}");
        assert!((held_arm.handle().linear_velocity.norm() - 0.157).abs() < 0.01);
    }

    #[test]
    fn the_same_calls_give_bit_identical_samples() {
        let run = || {
            let dash = Intention::Dash {
                center: [0.0; 3],
                half_extents: [0.08; 3],
                speed_m_s: 10.0,
                turn_rad: 1.0,
                seed: 42,
            };
            let mut held_arm = HeldArm::new(
                SimArmParams::desktop(),
                HandParams::imposed_motion(),
                dash,
                5,
            )
            .expect("valid");
            let mut all = Vec::new();
            for tick in 1..=500u64 {
                let z = if tick % 3 == 0 { 4.0 } else { -2.0 };
                all.push(held_arm.step(5 + tick * MS, &command(tick, z)));
            }
            all
        };
        assert_eq!(run(), run());
    }

    #[test]
    fn a_relentless_hand_dashes_at_ten_metres_a_second() {
        let dash = Intention::Dash {
            center: [0.0; 3],
            half_extents: [0.1; 3],
            speed_m_s: 10.0,
            turn_rad: 0.0,
            seed: 1,
        };
        let mut held_arm = HeldArm::new(
            SimArmParams::desktop(),
            HandParams::imposed_motion(),
            dash,
            0,
        )
        .expect("valid");
        let (mut fastest, mut furthest) = (0.0_f64, 0.0_f64);
        for tick in 1..=2000u64 {
            held_arm.step(tick * MS, &command(tick, 10.0));
            fastest = fastest.max(held_arm.handle().linear_velocity.norm());
            let lag =
                held_arm.intended().translation.vector - held_arm.handle().pose.translation.vector;
            furthest = furthest.max(lag.norm());
        }
        assert!(fastest > 10.0 && fastest < 15.0, "{fastest}");
        assert!(furthest < 0.03, "{furthest}");
    }

    #[test]
    fn an_unplugged_arm_is_silent_and_limp_and_counts_again_when_it_is_back() {
        let mut held_arm = held_arm_with(fault(0.1, 0.05, FaultKind::Unplug));
        let mut log = Vec::new();
        for tick in 1..=200 {
            let sample = held_arm.step(tick * MS, &command(tick, -2.0));
            log.push((
                tick,
                held_arm.is_connected(),
                sample.map(|s| s.sequence),
                held_arm.motor_wrench().force_n.z,
            ));
        }
        assert!(log[98].1);
        assert!(
            log[101..149]
                .iter()
                .all(|(_, connected, seen, z)| !connected && seen.is_none() && *z == 0.0)
        );
        let back = log[149..].iter().find_map(|l| l.2);
        assert_eq!(back, Some(1), "sequence starts again");
        assert_eq!(log[160].3, -2.0);
    }

    #[test]
    fn a_hung_arm_holds_its_force_until_its_own_watchdog_ends_it() {
        let mut held_arm = held_arm_with(fault(0.1, 1.0, FaultKind::Hang));
        let mut held = 0;
        for tick in 1..=200 {
            held_arm.step(tick * MS, &command(tick, -2.0));
            if tick > 100 && held_arm.motor_wrench().force_n.z != 0.0 {
                held += 1;
            }
        }
        assert!((19..=22).contains(&held), "{held} ms");
        assert_eq!(held_arm.motor_wrench(), Wrench::zero());
    }

    #[test]
    fn a_reader_that_sleeps_gets_an_old_report_and_is_told_so() {
        let mut held_arm = held_arm_with(vec![]);
        held_arm.step(MS, &ArmCommand::default());
        let late = held_arm
            .step(201 * MS, &ArmCommand::default())
            .expect("reports wait");
        assert!(late.status.input_stalled);
        assert_eq!(late.skipped, 62);
        assert!(
            late.time_ns < 70 * MS,
            "hidraw keeps the oldest: {}",
            late.time_ns
        );
        let next = held_arm
            .step(202 * MS, &ArmCommand::default())
            .expect("fresh");
        assert!(!next.status.input_stalled && next.time_ns > 200 * MS);
    }

    #[test]
    fn each_other_fault_shows_in_the_samples() {
        let during = |kind: FaultKind| {
            let mut held_arm = held_arm_with(fault(0.05, 0.1, kind));
            (1..=100)
                .filter_map(|tick| held_arm.step(tick * MS, &command(tick, -3.0)))
                .last()
                .expect("reports")
        };
        assert!(during(FaultKind::DropReports).time_ns < 52 * MS);
        assert!(during(FaultKind::DelayReports { by_s: 0.02 }).time_ns <= 100 * MS);
        assert!(
            during(FaultKind::Garbage { range_m: 0.5 })
                .linear_velocity
                .norm()
                > 2.0
        );
        assert!(during(FaultKind::NotANumber).pose.translation.x.is_nan());
        assert!(during(FaultKind::PoseInvalid).status.pose_invalid);
        assert!(
            !during(FaultKind::SafetySwitchOpen)
                .status
                .safety_switch_closed
        );
        assert!(!during(FaultKind::NotCalibrated).status.calibrated);
        assert_eq!(
            during(FaultKind::Hot {
                temperature_c: 90.0
            })
            .temperature_c,
            Some(90.0)
        );
        let frozen = during(FaultKind::FreezeEncoders);
        assert_eq!(frozen.linear_velocity, Vec3::zeros());
    }

    #[test]
    fn a_long_sleep_of_the_machine_is_one_second_to_the_arm() {
        let mut held_arm = held_arm_with(vec![]);
        held_arm.advance_to(3_600_000 * MS);
        assert_eq!(held_arm.arm.now_ns(), 1_000 * MS);
        held_arm.read_newest();
        let sample = held_arm
            .step(3_600_001 * MS, &ArmCommand::default())
            .expect("reports");
        assert_eq!(
            sample.time_ns,
            3_600_001 * MS - 500_000,
            "on the caller's clock"
        );
    }

    fn circle_at(hz: u64) -> HeldArm {
        let mut params = SimArmParams::desktop();
        params.spec.native_period_ns = 1_000_000_000 / hz;
        params.spec.resolution_m = 0.0;
        let circle = Intention::Circle {
            center: [0.0; 3],
            rotation: [0.0; 3],
            radius_m: 0.05,
            period_s: 2.0,
            turn_along: true,
        };
        HeldArm::new(params, HandParams::firm(), circle, 0).expect("valid")
    }

    #[test]
    fn a_report_shows_the_handle_when_it_is_due() {
        for hz in [1000, 2000, 4000, 8000] {
            let (mut exact, mut rough) = (circle_at(hz), circle_at(hz));
            let period_ns = 1_000_000_000 / hz;
            let mut places = Vec::new();
            for k in 1..=hz / 10 {
                exact.advance_to(k * period_ns);
                places.push(exact.truth().pose);
            }
            // Read at times unrelated to those of the reports.
            let delay_ns = rough.arm.params().input_delay_ns;
            let mut seen = 0;
            for k in 1..2000 {
                let Some(sample) = rough.step(k * 51_237, &ArmCommand::default()) else {
                    continue;
                };
                let made_ns = sample.time_ns - delay_ns;
                assert_eq!(made_ns % period_ns, 0, "{hz} Hz");
                let Some(index) = (made_ns / period_ns).checked_sub(1) else {
                    continue;
                };
                let Some(place) = places.get(index as usize) else {
                    continue;
                };
                let off = sample.pose.translation.vector - place.translation.vector;
                // Integration steps end at different times; only their error separates the two.
                assert!(off.norm() < 1e-6, "{hz} Hz: {} m", off.norm());
                seen += 1;
            }
            assert!(seen as u64 >= hz / 11, "{hz} Hz: {seen} samples");
        }
    }

    #[test]
    fn a_reader_that_is_late_each_time_misses_no_report() {
        for hz in [1000, 2000, 4000, 8000] {
            let mut held_arm = circle_at(hz);
            let (mut now_ns, mut last) = (0, 0);
            for _ in 0..hz {
                // Each round takes 90 us more: a thread that wakes late, a write.
                now_ns += held_arm.until_next_arrival_ns() + 90_000;
                let sample = held_arm.step(now_ns, &ArmCommand::default()).expect("new");
                assert_eq!((sample.sequence, sample.skipped), (last + 1, 0), "{hz} Hz");
                last = sample.sequence;
            }
        }
    }

    #[test]
    fn without_friction_work_is_all_the_energy_of_motion() {
        let mut params = SimArmParams::desktop();
        params.spec.damping_n_s_per_m = 0.0;
        params.spec.coulomb_friction_n = 0.0;
        params.spec.angular_damping_nm_s_per_rad = 0.0;
        params.spec.angular_coulomb_friction_nm = 0.0;
        let mut held_arm = HeldArm::new(params, HandParams::relaxed(), rest(), 0).expect("valid");
        let mut fastest = 0.0_f64;
        for tick in 1..=2000u64 {
            let mut command = command(tick, 3.0 * (tick as f64 * 0.02).sin());
            command.wrench.torque_nm.y = 0.05 * (tick as f64 * 0.03).cos();
            held_arm.step(tick * MS, &command);
            let truth = held_arm.truth();
            let given = truth.hand_work.total_j() + truth.motor_work.total_j();
            let motion = held_arm.handle().kinetic_energy_j();
            assert!((given - motion).abs() < 1e-12, "{given} J, {motion} J");
            fastest = fastest.max(motion);
        }
        assert!(fastest > 1e-4, "{fastest} J");
        assert!(held_arm.truth().motor_work.torque_j != 0.0);
    }

    #[test]
    fn motors_that_only_brake_have_taken_energy() {
        let mut held_arm = circle_at(8000);
        for tick in 1..=8000 {
            let velocity = held_arm.handle().linear_velocity;
            let mut brake = command(tick, 0.0);
            brake.wrench.force_n = velocity * -3.0;
            held_arm.step(tick * 125_000, &brake);
        }
        let truth = held_arm.truth();
        // 3 N s/m against pi/20 m/s for a second.
        let taken = -3.0 * (std::f64::consts::PI / 20.0).powi(2);
        let work = truth.motor_work.force_j;
        assert!((work / taken - 1.0).abs() < 0.1, "{work} J, not {taken} J");
        assert_eq!(truth.motor_work.torque_j, 0.0);
        assert!(truth.hand_work.force_j > -work);
    }

    #[test]
    fn the_truth_is_stamped_on_the_callers_clock_over_a_gap() {
        let mut held_arm = held_arm_with(vec![]);
        held_arm.advance_to(3_600_000 * MS);
        assert_eq!(held_arm.truth().time_ns, 3_600_000 * MS);
        assert_eq!(held_arm.truth().pose, held_arm.handle().pose);
    }

    #[test]
    fn nonsense_is_refused() {
        let new = |arm, hand| HeldArm::new(arm, hand, rest(), 0).map(|_| ());
        let mut massless = SimArmParams::desktop();
        massless.spec.mass_kg = -0.1;
        assert!(matches!(
            new(massless, HandParams::relaxed()),
            Err(HeldArmError::Sim(SimError::OutOfRange { .. }))
        ));
        let stiff = HandParams {
            stiffness_n_per_m: 1e9,
            ..HandParams::relaxed()
        };
        assert!(matches!(
            new(SimArmParams::desktop(), stiff),
            Err(HeldArmError::Sim(SimError::HandTooStiff { .. }))
        ));
        for preset in [
            HandParams::relaxed(),
            HandParams::firm(),
            HandParams::imposed_motion(),
        ] {
            assert_eq!(new(SimArmParams::desktop(), preset), Ok(()));
        }
    }
}
