//! The simulated arm: a mechanism behind encoders, motors and a wire, like a real arm.
//!
//! * **Encoders** round each coordinate of the position, and of the rotation vector relative to the
//!   start orientation, to the declared resolution.
//! * **Reports** are made every native period and arrive `input_delay_ns` later. They wait in a
//!   queue of 63 that keeps the *oldest*, like Linux's hidraw. A read takes the newest one waiting
//!   and counts the others as skipped.
//! * **Commands** take effect `output_delay_ns` after they are sent. The motors saturate at the
//!   declared peaks, and go off when no command came for the watchdog's time.
//! * **Velocities** come from the same estimator as for real arms, from the quantised poses.
//!
//! No clock, no thread, deterministic; allocates only when it is built. Times are on the caller's
//! clock; events are resolved to one integration step.

use std::collections::VecDeque;

use super::fault::{FaultKind, SimFault};
use super::mechanism::{Mechanism, MechanismParams};
use super::random;
use crate::arm::{ArmCommand, ArmSample, ArmSpec, ArmStatus, Pose, Vec3, Workspace, Wrench};
use crate::truth::Work;
use crate::velocity::{VelocityEstimator, VelocityWindows};
use nalgebra::{Translation3, UnitQuaternion};
use thiserror::Error;

/// Capacity of the queue of reports to read; a 64th report is lost, as with hidraw.
const QUEUE_LENGTH: usize = 63;
/// Largest number of commands, and of reports, under way; more are lost.
const IN_FLIGHT: usize = 1024;

/// Parameters of a simulated arm.
#[derive(Clone, Debug, PartialEq)]
pub struct SimArmParams {
    /// What the arm declares, which is also how it behaves.
    pub spec: ArmSpec,
    /// Delay from a pose to its report being ready to read, ns.
    pub input_delay_ns: u64,
    /// Delay from sending a command to its force, ns.
    pub output_delay_ns: u64,
    /// Time without a command after which the motors go off, ns. `None`: the last command is held
    /// for ever.
    pub watchdog_ns: Option<u64>,
    /// Mass of the load on the handle, kg.
    pub load_mass_kg: f64,
    /// Moment of inertia of the load, kg·m².
    pub load_inertia_kg_m2: f64,
    /// Windows of the velocity estimate.
    pub windows: VelocityWindows,
    /// Longest integration step, ns.
    pub step_ns: u64,
    /// Faults that occur.
    pub faults: Vec<SimFault>,
}

/// Why a simulated arm or its hand cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum SimError {
    /// A value that is not finite or out of range.
    #[error("{what} is {value}, must be {must}")]
    OutOfRange {
        /// Name of the value.
        what: &'static str,
        /// Value given.
        value: f64,
        /// What the value must be.
        must: &'static str,
    },
    /// The hand is too stiff or too damped for the mass and the integration step.
    #[error(
        "with {mass_kg} kg the hand's {stiffness_n_per_m} N/m and {damping_n_s_per_m} N·s/m need a shorter step"
    )]
    HandTooStiff {
        /// Moving mass, kg.
        mass_kg: f64,
        /// Stiffness of the hand, N/m.
        stiffness_n_per_m: f64,
        /// Damping of the hand, N·s/m.
        damping_n_s_per_m: f64,
    },
}

impl SimArmParams {
    /// Makes the parameters of an arm as specified. The transport delay is divided evenly between
    /// both directions; the watchdog takes 20 ms, the integration step 50 us.
    #[must_use]
    pub fn of(spec: ArmSpec) -> Self {
        let input_delay_ns = Self::input_delay_of(&spec);
        SimArmParams {
            input_delay_ns,
            output_delay_ns: spec.transport_delay_ns - input_delay_ns,
            watchdog_ns: Some(20_000_000),
            load_mass_kg: 0.0,
            load_inertia_kg_m2: 0.0,
            windows: VelocityWindows::default(),
            step_ns: 50_000,
            faults: Vec::new(),
            spec,
        }
    }

    /// Returns the delay from making a report of such an arm to its arrival, ns.
    #[must_use]
    pub fn input_delay_of(spec: &ArmSpec) -> u64 {
        spec.transport_delay_ns / 2
    }

    /// Returns a 6-DOF desktop arm of no particular make: 10 N, 20 cm of workspace, 1 kHz, 1 ms of
    /// transport delay.
    #[must_use]
    pub fn desktop() -> Self {
        Self::of(ArmSpec {
            name: "simulated desktop arm".into(),
            degrees_in: 6,
            degrees_out: 6,
            has_rotation: true,
            has_torque: true,
            peak_force_n: 10.0,
            continuous_force_n: 4.0,
            peak_torque_nm: 0.4,
            continuous_torque_nm: 0.15,
            max_force_slew_n_per_s: 4_000.0,
            max_torque_slew_nm_per_s: 160.0,
            max_velocity_m_s: 2.0,
            max_angular_velocity_rad_s: 30.0,
            workspace: Workspace {
                center: Vec3::zeros(),
                half_extents: Vec3::new(0.1, 0.1, 0.1),
            },
            native_period_ns: 1_000_000,
            transport_delay_ns: 1_000_000,
            mass_kg: 0.15,
            damping_n_s_per_m: 2.0,
            coulomb_friction_n: 0.1,
            resolution_m: 2e-5,
            inertia_kg_m2: 1e-4,
            angular_damping_nm_s_per_rad: 2e-3,
            angular_coulomb_friction_nm: 1e-3,
            resolution_rad: 1e-4,
        })
    }

    fn validate(&self) -> Result<(), SimError> {
        let s = &self.spec;
        let mass_kg = s.mass_kg + self.load_mass_kg;
        if !(mass_kg.is_finite() && mass_kg > 0.0) {
            return Err(SimError::OutOfRange {
                what: "mass_kg",
                value: mass_kg,
                must: "positive",
            });
        }
        for (what, value) in [
            ("native_period_ns", s.native_period_ns as f64),
            ("step_ns", self.step_ns as f64),
        ] {
            if value <= 0.0 {
                return Err(SimError::OutOfRange {
                    what,
                    value,
                    must: "positive",
                });
            }
        }
        for (what, value) in [
            ("mass_kg", s.mass_kg),
            ("damping_n_s_per_m", s.damping_n_s_per_m),
            ("coulomb_friction_n", s.coulomb_friction_n),
            ("resolution_m", s.resolution_m),
            ("inertia_kg_m2", s.inertia_kg_m2 + self.load_inertia_kg_m2),
            (
                "angular_damping_nm_s_per_rad",
                s.angular_damping_nm_s_per_rad,
            ),
            ("angular_coulomb_friction_nm", s.angular_coulomb_friction_nm),
            ("resolution_rad", s.resolution_rad),
            ("peak_force_n", s.peak_force_n),
            ("peak_torque_nm", s.peak_torque_nm),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(SimError::OutOfRange {
                    what,
                    value,
                    must: "finite and not negative",
                });
            }
        }
        Ok(())
    }
}

/// A pose on its way to the host.
#[derive(Clone, Copy, Debug)]
struct Report {
    arrival_ns: u64,
    pose: Pose,
    status: ArmStatus,
    temperature_c: Option<f32>,
}

/// The simulated arm.
#[derive(Clone, Debug)]
pub struct SimArm {
    params: SimArmParams,
    start: Pose,
    start_ns: u64,
    now_ns: u64,
    body: Mechanism,
    next_report_ns: u64,
    under_way: VecDeque<Report>,
    waiting: VecDeque<Report>,
    /// A report was lost because the queue was full.
    overflowed: bool,
    commands: VecDeque<(u64, ArmCommand)>,
    motors: ArmCommand,
    last_command_ns: u64,
    frozen: Option<Pose>,
    connected: bool,
    sequence: u64,
    made: u64,
    velocity: VelocityEstimator,
    hand_work: Work,
    motor_work: Work,
}

impl SimArm {
    /// Makes an arm at rest at `start`, at the time `now_ns`. Its first report is made at once.
    ///
    /// # Errors
    /// [`SimError::OutOfRange`] for mechanics that no body has.
    pub fn new(params: SimArmParams, start: Pose, now_ns: u64) -> Result<Self, SimError> {
        params.validate()?;
        let mechanics =
            MechanismParams::of(&params.spec, params.load_mass_kg, params.load_inertia_kg_m2);
        Ok(SimArm {
            velocity: VelocityEstimator::new(params.windows),
            body: Mechanism::new(mechanics, start),
            params,
            start,
            start_ns: now_ns,
            now_ns,
            next_report_ns: now_ns,
            under_way: VecDeque::with_capacity(IN_FLIGHT),
            waiting: VecDeque::with_capacity(QUEUE_LENGTH),
            overflowed: false,
            commands: VecDeque::with_capacity(IN_FLIGHT),
            motors: ArmCommand::default(),
            last_command_ns: now_ns,
            frozen: None,
            connected: true,
            sequence: 0,
            made: 0,
            hand_work: Work::default(),
            motor_work: Work::default(),
        })
    }

    /// Returns the parameters.
    #[must_use]
    pub fn params(&self) -> &SimArmParams {
        &self.params
    }

    /// Changes the load that moves with the handle, kg and kg·m². The velocity of the handle stays.
    pub fn set_load(&mut self, mass_kg: f64, inertia_kg_m2: f64) {
        self.params.load_mass_kg = mass_kg;
        self.params.load_inertia_kg_m2 = inertia_kg_m2;
        self.body.set_params(MechanismParams::of(
            &self.params.spec,
            mass_kg,
            inertia_kg_m2,
        ));
    }

    /// Counts the times of the faults from now on.
    pub fn restart_faults(&mut self) {
        self.start_ns = self.now_ns;
    }

    /// Returns the simulated time, ns.
    #[must_use]
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Returns the exact body: pose and velocities before encoders and wire.
    #[must_use]
    pub fn body(&self) -> &Mechanism {
        &self.body
    }

    /// Returns the work of the hand on the handle so far.
    #[must_use]
    pub fn hand_work(&self) -> Work {
        self.hand_work
    }

    /// Returns the work of the motors on the handle so far.
    #[must_use]
    pub fn motor_work(&self) -> Work {
        self.motor_work
    }

    /// Returns whether the arm is plugged in.
    #[must_use]
    pub fn is_connected(&self) -> bool {
        self.connected
    }

    /// Returns the arrival time of the earliest report under way, or else of the next one to be
    /// made, ns.
    #[must_use]
    pub fn next_arrival_ns(&self) -> u64 {
        let made_next_ns = self
            .next_report_ns
            .saturating_add(self.params.input_delay_ns);
        self.under_way
            .front()
            .map_or(made_next_ns, |report| report.arrival_ns)
    }

    /// Returns when the next report is made, ns. An integration step beyond this time makes it
    /// late.
    #[must_use]
    pub fn next_report_ns(&self) -> u64 {
        self.next_report_ns
    }

    /// Returns the wrench that the motors produce now.
    #[must_use]
    pub fn motor_wrench(&self) -> Wrench {
        let spec = &self.params.spec;
        let wanted = &self.motors.wrench;
        let silent = self.now_ns.saturating_sub(self.last_command_ns);
        if !self.connected || self.params.watchdog_ns.is_some_and(|limit| silent > limit) {
            return Wrench::zero();
        }
        Wrench {
            force_n: wanted.force_n.cap_magnitude(spec.peak_force_n),
            torque_nm: if spec.has_torque {
                wanted.torque_nm.cap_magnitude(spec.peak_torque_nm)
            } else {
                Vec3::zeros()
            },
        }
    }

    /// Sends a command now. A command that is not finite counts as zero force.
    pub fn send(&mut self, command: &ArmCommand) {
        let lost = self.fault(|k| {
            matches!(
                k,
                FaultKind::DropCommands | FaultKind::Hang | FaultKind::Unplug
            )
        });
        if lost.is_some() || self.commands.len() >= IN_FLIGHT {
            return;
        }
        let mut command = *command;
        if !command.wrench.is_finite() {
            command.wrench = Wrench::zero();
        }
        self.commands.push_back((
            self.now_ns.saturating_add(self.params.output_delay_ns),
            command,
        ));
    }

    /// Takes one integration step of `dt_ns` (at most [`SimArmParams::step_ns`] for accuracy) under
    /// a constant wrench of the hand.
    pub fn step(&mut self, dt_ns: u64, hand: &Wrench) {
        self.update_faults();
        while self
            .commands
            .front()
            .is_some_and(|(due, _)| *due <= self.now_ns)
        {
            if let Some((_, command)) = self.commands.pop_front() {
                self.motors = command;
                self.last_command_ns = self.now_ns;
            }
        }
        self.report();
        let motors = self.motor_wrench();
        let total = Wrench {
            force_n: motors.force_n + hand.force_n,
            torque_nm: motors.torque_nm + hand.torque_nm,
        };
        if let Some(moved) = self.body.step(dt_ns as f64 * 1e-9, &total) {
            self.hand_work.add(hand, &moved);
            self.motor_work.add(&motors, &moved);
        }
        self.now_ns = self.now_ns.saturating_add(dt_ns);
        self.deliver();
    }

    /// Takes all reports that have arrived and returns the newest, or `None` if none has.
    pub fn read_newest(&mut self) -> Option<ArmSample> {
        self.update_faults();
        self.report();
        self.deliver();
        let skipped = self.waiting.len().saturating_sub(1) as u32;
        let overflowed = std::mem::take(&mut self.overflowed);
        let mut newest = None;
        while let Some(report) = self.waiting.pop_front() {
            self.sequence += 1;
            self.velocity.push(report.arrival_ns, &report.pose);
            newest = Some(report);
        }
        newest.map(|report| ArmSample {
            time_ns: report.arrival_ns,
            sequence: self.sequence,
            pose: report.pose,
            linear_velocity: self.velocity.linear(),
            angular_velocity: self.velocity.angular(),
            buttons: 0,
            skipped,
            temperature_c: report.temperature_c,
            status: ArmStatus {
                input_stalled: overflowed,
                ..report.status
            },
        })
    }

    /// Returns the first fault of the wanted kind that holds now.
    fn fault(&self, wanted: impl Fn(&FaultKind) -> bool) -> Option<FaultKind> {
        let t_ns = self.now_ns - self.start_ns;
        self.params
            .faults
            .iter()
            .filter(|f| f.holds_at(t_ns))
            .map(|f| f.kind)
            .find(wanted)
    }

    /// Applies what begins or ends with a fault.
    fn update_faults(&mut self) {
        if self.params.faults.is_empty() {
            return;
        }
        let frozen = self
            .fault(|k| matches!(k, FaultKind::FreezeEncoders))
            .is_some();
        if frozen {
            let measured = self.measured();
            self.frozen.get_or_insert(measured);
        } else {
            self.frozen = None;
        }
        let unplugged = self.fault(|k| matches!(k, FaultKind::Unplug)).is_some();
        if unplugged {
            self.commands.clear();
            self.under_way.clear();
            self.waiting.clear();
            self.overflowed = false;
            self.motors = ArmCommand::default();
        } else if !self.connected {
            // The arm was opened again: all counts start from the beginning.
            self.sequence = 0;
            self.velocity.reset();
        }
        self.connected = !unplugged;
    }

    /// Returns the pose that the encoders measure.
    fn measured(&self) -> Pose {
        let spec = &self.params.spec;
        let round = |v: Vec3, step: f64| {
            if step > 0.0 {
                v.map(|x| (x / step).round() * step)
            } else {
                v
            }
        };
        let position = round(self.body.pose.translation.vector, spec.resolution_m);
        let turned = self.body.pose.rotation * self.start.rotation.inverse();
        let rotation = if spec.has_rotation {
            UnitQuaternion::from_scaled_axis(round(turned.scaled_axis(), spec.resolution_rad))
                * self.start.rotation
        } else {
            self.start.rotation
        };
        Pose::from_parts(Translation3::from(position), rotation)
    }

    /// Makes the reports that are due.
    fn report(&mut self) {
        while self.next_report_ns <= self.now_ns {
            let due = self.next_report_ns;
            self.next_report_ns = due.saturating_add(self.params.spec.native_period_ns);
            self.made = self.made.wrapping_add(1);
            let silent = self.fault(|k| {
                matches!(
                    k,
                    FaultKind::DropReports | FaultKind::Hang | FaultKind::Unplug
                )
            });
            if silent.is_some() || self.under_way.len() >= IN_FLIGHT {
                continue;
            }
            let mut report = Report {
                arrival_ns: due.saturating_add(self.params.input_delay_ns),
                pose: self.frozen.unwrap_or_else(|| self.measured()),
                status: ArmStatus::default(),
                temperature_c: None,
            };
            self.apply_faults(&mut report);
            // A wire keeps the order: no report overtakes a delayed one.
            let last_ns = self.under_way.back().map_or(0, |r| r.arrival_ns);
            report.arrival_ns = report.arrival_ns.max(last_ns);
            self.under_way.push_back(report);
        }
    }

    /// Applies the present faults to a report.
    fn apply_faults(&self, report: &mut Report) {
        let t_ns = self.now_ns - self.start_ns;
        for fault in self.params.faults.iter().filter(|f| f.holds_at(t_ns)) {
            match fault.kind {
                FaultKind::DelayReports { by_s } => {
                    report.arrival_ns = report.arrival_ns.saturating_add((by_s * 1e9) as u64);
                }
                FaultKind::Garbage { range_m } => {
                    for axis in 0..3u64 {
                        report.pose.translation.vector[axis as usize] +=
                            range_m * random::symmetric(t_ns, self.made * 3 + axis);
                    }
                }
                FaultKind::NotANumber => report.pose.translation.vector.x = f64::NAN,
                FaultKind::PoseInvalid => report.status.pose_invalid = true,
                FaultKind::SafetySwitchOpen => report.status.safety_switch_closed = false,
                FaultKind::NotCalibrated => report.status.calibrated = false,
                FaultKind::Hot { temperature_c } => report.temperature_c = Some(temperature_c),
                FaultKind::DropReports
                | FaultKind::FreezeEncoders
                | FaultKind::DropCommands
                | FaultKind::Hang
                | FaultKind::Unplug => {}
            }
        }
    }

    /// Moves reports that have arrived into the queue, which keeps the oldest.
    fn deliver(&mut self) {
        while self
            .under_way
            .front()
            .is_some_and(|r| r.arrival_ns <= self.now_ns)
        {
            if let Some(report) = self.under_way.pop_front() {
                if self.waiting.len() < QUEUE_LENGTH {
                    self.waiting.push_back(report);
                } else {
                    self.overflowed = true;
                }
            }
        }
    }
}
