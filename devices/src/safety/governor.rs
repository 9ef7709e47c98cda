//! The governor: decides in every tick how much of the wanted wrench may reach the arm.
//!
//! # Rules
//! 1. **Only less.** Force and torque are treated separately. The target of a tick is the wanted
//!    wrench clamped to a length, then multiplied by a factor in 0..=1. The output moves straight
//!    towards the target, no faster than the slew limit. Once the slew limit no longer binds, the
//!    output is the target: parallel to the wanted wrench and no longer. It is never longer than
//!    the longer of the last output and the target.
//! 2. **Peak.** `|force| <= peak` in every tick. (While limits are *tightened* under load, the
//!    force moves to the new peak within the slew limit.)
//! 3. **Continuous.** The mean square over any window is bounded, see [`thermal`](super::thermal).
//! 4. **Slew.** `|change| <= slew * dt`, except for a cut, which is a jump to exactly zero.
//! 5. **Cuts.** On each cause whose [response](ForceOffReason::response) is
//!    [`Response::Cut`](super::Response::Cut) the output is exactly zero in the tick that sees it.
//! 6. **Fades.** On every other cause the factor falls linearly to zero within `fade_ns`; the
//!    output is exactly zero no later than [`Governor::zero_within_ns`] after the tick that saw it.
//! 7. **Return.** After a cut or a completed fade, force returns only when every cause is gone and
//!    less than the engage force was wanted for `engage_ticks` ticks in a row, with a linear ramp
//!    of `ramp_s`. If the cause of a fade goes before the fade is complete, the ramp starts from
//!    the factor that the fade has reached.
//! 8. **Rise.** A peak or continuous limit that is raised rises to its new value with the slope of
//!    the ramp of `ramp_s`, after a ramp of rule 7 that is under way. After [`Governor::ease`] the
//!    peak rises in the same way from the present force. Thus no limit or surface that changes
//!    throws the hand.
//! 9. **Effects.** What applications add to the wanted force ([`GovernorInput::effects_n`]) takes
//!    what the limits leave beside the wanted force, and has its factor. Ledger, coupling and
//!    limits see the wanted force as if nothing were added, but for the heat of the motors. It is
//!    no part of the small force of rule 7: it comes in along the ramp.
//! 10. **Pause.** While [`Governor::pause`] is ordered, a factor of all force goes to zero within
//!     20 ms; it comes back within 200 ms. It is no cause: rules 5 to 7 are as without it.
//! 11. **Latched.** An emergency stop and a supervisor's stop need [`Governor::clear`]; a shutdown
//!     is final.
//!
//! # Faults that the governor detects
//! Wanted wrench or sample not finite; sample marked invalid, stalled, uncalibrated, or with its
//! safety switch open; sample or contact data too old; tool too fast; motor too hot; gap between
//! two ticks; oscillation. All others come in as [`GovernorInput::faults`].
//!
//! # Guarantees
//! Real-time callable: no allocation, no lock, no blocking, constant time. No panic on any input;
//! time that runs backwards counts as no time. Deterministic.

use super::channel::{Channel, ChannelLimits, ChannelStep};
use super::history::History;
use super::limits::{Limits, LimitsError};
use super::oscillation::{Amplitudes, Observation, OscillationDetector, Verdict};
use super::passivity::{ControlAction, DEBT_BOUND_SWINGS, Energy, Passivity, Sent, Spring};
use super::pause::Pause;
use super::reason::{ForceOffReason, ReasonSet};
use crate::arm::{ArmSample, ArmSpec, Vec3, Workspace, Wrench};
use nalgebra::UnitQuaternion;

/// Input of the governor in one tick.
#[derive(Clone, Copy, Debug)]
pub struct GovernorInput<'a> {
    /// Present time, ns, on the monotonic clock that also stamped the sample.
    pub now_ns: u64,
    /// Wrench that the loop wants the arm to exert, in the arm's base frame.
    pub wanted: Wrench,
    /// Force that applications add to it, N, base frame (rule 9). It belongs to no spring.
    pub effects_n: Vec3,
    /// The part of it that answers the hand's motion, N: it can oscillate as contact can.
    pub reacting_n: Vec3,
    /// Newest sample of the arm; its age is `now_ns - sample.time_ns`.
    pub sample: &'a ArmSample,
    /// Age of the contact data behind `wanted`, ns; 0 if `wanted` does not come from contact data.
    pub contact_age_ns: u64,
    /// The spring behind `wanted`, if it comes from one. Its energy is accounted for.
    pub spring: Option<Spring>,
    /// Causes that others found: emergency stop, device lost, client lost, lease expired and so on.
    pub faults: ReasonSet,
    /// Whether force is requested at all.
    pub enable: bool,
}

/// State of the governor between off and on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum GovernorState {
    /// Off in good order: no force is requested.
    Disengaged = 0,
    /// No fault. The ramp starts once the wanted force has been small for long enough.
    WaitingSmallForce = 1,
    /// The factor rises.
    Ramping = 2,
    /// Full authority.
    Active = 3,
    /// The factor falls to zero.
    Fading = 4,
    /// Off because of a fault.
    Fault = 5,
}

/// The rules that made the output smaller than the wanted wrench.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reductions(u8);

impl Reductions {
    /// Rule: the peak limit.
    pub const PEAK: Reductions = Reductions(1);
    /// Rule: the continuous limit.
    pub const CONTINUOUS: Reductions = Reductions(2);
    /// Rule: the slew limit.
    pub const SLEW: Reductions = Reductions(4);
    /// Rule: the fade outside the workspace.
    pub const EDGE: Reductions = Reductions(8);
    /// Rule: the gain, lowered for oscillation or for energy fed to the hand.
    pub const OSCILLATION: Reductions = Reductions(16);
    /// Rule: off, ramping or fading.
    pub const SCALE: Reductions = Reductions(32);

    /// Returns whether this rule applied.
    #[must_use]
    pub const fn contains(self, rule: Reductions) -> bool {
        self.0 & rule.0 == rule.0
    }

    /// Returns the bits as published.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    fn add_if(&mut self, condition: bool, rule: Reductions) {
        if condition {
            self.0 |= rule.0;
        }
    }

    /// Returns the limits that bound a step of either channel.
    #[inline]
    fn of(force: &ChannelStep, torque: &ChannelStep) -> Self {
        let mut rules = Reductions::default();
        rules.add_if(
            force.clamped_to_peak || torque.clamped_to_peak,
            Reductions::PEAK,
        );
        rules.add_if(
            force.clamped_to_continuous || torque.clamped_to_continuous,
            Reductions::CONTINUOUS,
        );
        rules.add_if(force.slewed || torque.slewed, Reductions::SLEW);
        rules
    }
}

/// How much of a wanted force is sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PassedForce {
    /// Share that remains after clamping, 0 to 1. Includes the slew limit, but not the fade outside
    /// the workspace.
    pub share: f64,
    /// Factor of the fade outside the workspace, 0 to 1: 1 inside.
    pub edge: f64,
    /// Length to which peak and continuous limits clamp the force, N.
    pub most_n: f64,
}

/// The wrench that may be sent, and the reasons for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Governed {
    /// Wrench for the arm, in its base frame.
    pub wrench: Wrench,
    /// State of the governor.
    pub state: GovernorState,
    /// The most severe cause that holds now, if any.
    pub reason: Option<ForceOffReason>,
    /// All causes that hold now.
    pub reasons: ReasonSet,
    /// Factor of ramp and fade, 0 to 1.
    pub scale: f64,
    /// Rules that reduced the output.
    pub reductions: Reductions,
    /// How much of the wanted force is sent.
    pub passed: PassedForce,
    /// Share of the effects' force that is sent, 0 to 1.
    pub added: f64,
    /// The arm should brake if it can: it is too fast, or it was stopped in an emergency.
    pub brake: bool,
    /// The pose may have jumped unseen: move the proxy back to the device before force returns.
    pub reanchor: bool,
}

/// The limits of a channel that apply now, below the limits in force while they rise.
#[derive(Clone, Copy, Debug)]
struct RisingLimits {
    peak: f64,
    continuous: f64,
}

impl RisingLimits {
    fn all(peak: f64, continuous: f64) -> Self {
        RisingLimits { peak, continuous }
    }

    /// Lowers the peak to the present output, if there is any.
    fn ease(&mut self, out: f64) {
        if out > 0.0 {
            self.peak = self.peak.min(out);
        }
    }

    /// Raises the limits by one tick, in which a ramp rises by `share` of the whole.
    fn rise(&mut self, limits: ChannelLimits, share: f64) -> ChannelLimits {
        let rise = |now: f64, to: f64| {
            if now < to {
                (now + to * share).min(to)
            } else {
                to
            }
        };
        self.peak = rise(self.peak, limits.peak);
        self.continuous = rise(self.continuous, limits.continuous);
        ChannelLimits {
            peak: self.peak,
            continuous: self.continuous,
            ..limits
        }
    }
}

/// Limits of both channels in one tick.
struct TickLimits {
    force: ChannelLimits,
    torque: ChannelLimits,
}

/// Time since the last tick.
struct TickTime {
    /// All of it, s.
    gap_s: f64,
    /// Time over which force may change in this tick, s; after a stall it is cut anyway.
    dt_s: f64,
    /// The gap is longer than the limits allow.
    stalled: bool,
}

/// What a tick puts out, for the arm, the energy ledger and the loop.
struct Output {
    reductions: Reductions,
    /// Share of the effects' force that is sent.
    added: f64,
    sent: Sent,
    passed: PassedForce,
}

const BRAKE: ReasonSet = ReasonSet::of(ForceOffReason::OverVelocity)
    .with(ForceOffReason::EmergencyStop)
    .with(ForceOffReason::Supervisor);

const REANCHOR: ReasonSet = ReasonSet::of(ForceOffReason::Stall)
    .with(ForceOffReason::DeviceLost)
    .with(ForceOffReason::DeviceFault)
    .with(ForceOffReason::NotCalibrated)
    .with(ForceOffReason::InvalidSample)
    .with(ForceOffReason::PoseUnknown)
    .with(ForceOffReason::StaleInput);

/// Returns whether hand and spring moved continuously to where they are, without a jump.
fn is_continuous(reasons: ReasonSet) -> bool {
    !reasons.intersects(REANCHOR)
}

/// After over-velocity the arm must be slower than this share of the limit before the cause ends.
const VELOCITY_HYSTERESIS: f64 = 0.5;
/// After over-temperature the motor must be this far below the limit before the cause ends, K.
const TEMPERATURE_HYSTERESIS_C: f64 = 5.0;

/// The safety governor of one arm.
#[derive(Clone, Debug)]
pub struct Governor {
    /// Limits of arm and technician.
    ceiling: Limits,
    /// The ceiling, tightened by the application.
    limits: Limits,
    workspace: Workspace,
    force: Channel,
    torque: Channel,
    /// The part of those limits that applies now: less while a raised limit rises.
    force_rising: RisingLimits,
    torque_rising: RisingLimits,
    force_oscillation: OscillationDetector,
    torque_oscillation: OscillationDetector,
    passivity: Passivity,
    /// Energy is still given to the hand at the smallest gain.
    is_exhausted: bool,
    /// Orientation of the last sane tick, and the sum of all small rotations since the start, rad.
    last_rotation: Option<UnitQuaternion<f64>>,
    turned: Vec3,
    /// Resolution of the arm: m, rad.
    resolution: (f64, f64),
    state: GovernorState,
    scale: f64,
    pause: Pause,
    small_force_ticks: u32,
    last_ns: Option<u64>,
    latched: ReasonSet,
    /// Causes of the last tick, to detect new ones.
    previous: ReasonSet,
    history: History,
}

impl Governor {
    /// Makes a governor that is off, with the technician's limits tightened by what the arm
    /// declares.
    ///
    /// # Errors
    /// The [`LimitsError`] of limits that cannot be kept.
    pub fn new(limits: &Limits, spec: &ArmSpec) -> Result<Self, LimitsError> {
        let ceiling = limits.tightened_by_arm(spec);
        ceiling.validate()?;
        Ok(Governor {
            limits: ceiling,
            ceiling,
            workspace: spec.workspace,
            force: Channel::default(),
            torque: Channel::default(),
            force_rising: RisingLimits::all(ceiling.peak_force_n, ceiling.continuous_force_n),
            torque_rising: RisingLimits::all(ceiling.peak_torque_nm, ceiling.continuous_torque_nm),
            force_oscillation: OscillationDetector::default(),
            torque_oscillation: OscillationDetector::default(),
            passivity: Passivity::new(spec),
            is_exhausted: false,
            last_rotation: None,
            turned: Vec3::zeros(),
            resolution: (spec.resolution_m, spec.resolution_rad),
            state: GovernorState::Disengaged,
            scale: 0.0,
            pause: Pause::new(),
            small_force_ticks: 0,
            last_ns: None,
            latched: ReasonSet::EMPTY,
            previous: ReasonSet::EMPTY,
            history: History::default(),
        })
    }

    /// Sets the delay from the arrival of a sample to the command that answers it, ns; by default a
    /// report's period. The energy ledger is as accurate as this delay.
    #[must_use]
    pub fn answering_after(mut self, delay_ns: u64) -> Self {
        self.passivity.answer_after(delay_ns);
        self
    }

    /// Puts an application's limits on top of the ceiling. Each call replaces the one before, and
    /// none can exceed the ceiling. May be called between ticks while force is on: the force falls
    /// within the slew limit and rises with the slope of the ramp. If the combination asks for more
    /// peak than its continuous limit allows, the peak is lowered ([`Limits::keepable`]), so a
    /// combination of valid limits is accepted.
    ///
    /// # Errors
    /// The [`LimitsError`] of a field that is out of its range; the limits then stay as they were.
    pub fn tighten(&mut self, app: &Limits) -> Result<(), LimitsError> {
        let limits = self.ceiling.tightened(app).keepable();
        limits.validate()?;
        // A small rise of the continuous limit is a large rise of the permitted peak: a force that
        // was held by that limit would jump.
        let is_raised = limits.continuous_force_n > self.limits.continuous_force_n
            || limits.continuous_torque_nm > self.limits.continuous_torque_nm;
        self.limits = limits;
        if is_raised {
            self.ease();
        }
        Ok(())
    }

    /// Returns the limits of arm and technician from the start. Limits in force are never looser.
    #[must_use]
    pub fn ceiling(&self) -> &Limits {
        &self.ceiling
    }

    /// Returns the limits in force.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Turns force off from the next tick until [`clear`](Governor::clear), with the response of
    /// the reason.
    pub fn request_stop(&mut self, reason: ForceOffReason) {
        self.latched = self.latched.with(reason);
    }

    /// Clears every latched cause except a shutdown. Causes that still hold come back in the next
    /// tick.
    pub fn clear(&mut self) {
        let shutdown = ReasonSet::of(ForceOffReason::Shutdown);
        self.latched = self.latched.minus(self.latched.minus(shutdown));
    }

    /// Sets the factor to zero now, so that the force goes to zero at the slew limit and returns as
    /// after a fade. For a tick whose cause leaves nothing to fade, such as contact with a body
    /// that must make no force at all.
    pub fn release(&mut self) {
        self.scale = 0.0;
        self.state = GovernorState::Disengaged;
    }

    /// Takes all force away, effects included, until it is called with `false` (rule 10).
    pub fn pause(&mut self, is_paused: bool) {
        self.pause.order(is_paused);
    }

    /// Returns whether all force that is wanted may be sent now: the governor is active, and not
    /// paused.
    #[must_use]
    pub fn has_full_authority(&self) -> bool {
        self.state == GovernorState::Active && self.pause.factor() >= 1.0
    }

    /// Lets force and torque rise from their present values only with the slope of the ramp: the
    /// touched surface is about to change.
    pub fn ease(&mut self) {
        self.force_rising.ease(self.force.base().norm());
        self.torque_rising.ease(self.torque.base().norm());
    }

    /// Returns the force-offs so far.
    #[must_use]
    pub fn history(&self) -> &History {
        &self.history
    }

    /// Returns the state.
    #[must_use]
    pub fn state(&self) -> GovernorState {
        self.state
    }

    /// Returns how often the gain was lowered, by an oscillation or by energy that was given to the
    /// hand.
    #[must_use]
    pub fn oscillations(&self) -> u64 {
        self.force_oscillation
            .detections()
            .saturating_add(self.torque_oscillation.detections())
            .saturating_add(self.passivity.acted())
    }

    /// Returns the gains of force and torque that oscillations left: 1 is full gain.
    #[must_use]
    pub fn oscillation_gains(&self) -> [f64; 2] {
        [&self.force_oscillation, &self.torque_oscillation].map(OscillationDetector::gain)
    }

    /// Returns the energy that the spring behind the force gave and took.
    #[must_use]
    pub fn energy(&self) -> &Energy {
        self.passivity.energy()
    }

    /// Returns the share of the continuous budget in use, force and torque: 0 cold, 1 at the limit.
    #[must_use]
    pub fn heat(&self) -> (f64, f64) {
        (
            self.force.used(&self.force_limits()),
            self.torque.used(&self.torque_limits()),
        )
    }

    /// Returns the longest time from the tick that sees the cause of a fade to the first tick whose
    /// output is exactly zero, for ticks of `period_ns`: the fade, then the slew from the peak,
    /// then one tick of rounding for each. `u64::MAX` if a slew limit of zero holds a force for
    /// ever.
    #[must_use]
    pub fn zero_within_ns(&self, period_ns: u64) -> u64 {
        let slew_ns = |peak: f64, slew: f64| if peak > 0.0 { peak / slew * 1e9 } else { 0.0 };
        let l = &self.ceiling;
        let slowest = slew_ns(l.peak_force_n, self.limits.slew_n_per_s)
            .max(slew_ns(l.peak_torque_nm, self.limits.slew_nm_per_s));
        // A float beyond the range of u64 becomes u64::MAX.
        (slowest.ceil() as u64)
            .saturating_add(self.limits.fade_ns)
            .saturating_add(period_ns.saturating_mul(2))
    }

    /// Computes the output of one tick.
    pub fn step(&mut self, input: &GovernorInput<'_>) -> Governed {
        let time = self.advance_clock(input.now_ns);
        let limits = self.raise_limits(&time);
        let found = self.find_faults(input, time.stalled);
        let is_sane = !found.contains(ForceOffReason::InvalidCommand)
            && !found.contains(ForceOffReason::InvalidSample)
            && !time.stalled;
        let spring = self.observe_spring(input, is_sane && is_continuous(found));
        let exhausted = self.detect_oscillation(input, is_sane, time.dt_s);
        let reasons = found.with_if(exhausted, ForceOffReason::Oscillation);
        self.record_new(reasons, input.now_ns);
        let small = input.wanted.force_n.norm() < self.limits.engage_force_n
            && input.wanted.torque_nm.norm() < self.limits.engage_torque_nm;
        self.advance_state(reasons, small, time.dt_s);
        self.pause.advance(time.dt_s);
        let output = if reasons.cuts().is_empty() {
            self.send(input, &limits, time.dt_s)
        } else {
            self.cut()
        };
        self.settle_energy(input, spring, &output.sent, time.dt_s);
        Governed {
            wrench: self.output(),
            state: self.state,
            reason: reasons.first(),
            reasons,
            scale: self.scale,
            reductions: output.reductions,
            passed: output.passed,
            added: output.added,
            brake: reasons.intersects(BRAKE),
            reanchor: reasons.intersects(REANCHOR),
        }
    }

    /// Measures the time since the last tick. Time that runs backwards counts as no time.
    #[inline]
    fn advance_clock(&mut self, now_ns: u64) -> TickTime {
        let gap_ns = now_ns.saturating_sub(self.last_ns.unwrap_or(now_ns));
        self.last_ns = Some(now_ns.max(self.last_ns.unwrap_or(0)));
        TickTime {
            gap_s: gap_ns as f64 * 1e-9,
            dt_s: gap_ns.min(self.limits.stall_ns) as f64 * 1e-9,
            stalled: gap_ns > self.limits.stall_ns,
        }
    }

    /// Raises limits that still rise (rule 8), and accounts for the heat of the outputs that the
    /// last tick left. Returns the limits of this tick.
    #[inline]
    fn raise_limits(&mut self, time: &TickTime) -> TickLimits {
        // One ramp after the other: both at once would be steeper than either.
        let share = match self.state {
            GovernorState::Ramping => 0.0,
            _ => time.dt_s / self.limits.ramp_s,
        };
        let force = self.force_rising.rise(self.force_limits(), share);
        let torque = self.torque_rising.rise(self.torque_limits(), share);
        self.force.hold(time.gap_s, &force);
        self.torque.hold(time.gap_s, &torque);
        TickLimits { force, torque }
    }

    /// Shows the motion of hand and spring to the energy ledger. Returns the spring that the ledger
    /// accounts for in this tick: none after a jump, which is no work of the arm.
    #[inline]
    fn observe_spring<'a>(
        &mut self,
        input: &'a GovernorInput<'_>,
        is_continuous: bool,
    ) -> Option<&'a Spring> {
        let spring = input.spring.as_ref().filter(|_| is_continuous);
        match spring {
            Some(spring) => {
                let sample = input.sample;
                (self.passivity).observe(sample.time_ns, &sample.pose, spring);
            }
            None => self.passivity.forget(),
        }
        spring
    }

    /// Feeds the oscillation detectors with a sane tick; any other interrupts the motion that they
    /// follow. Returns whether oscillation is a cause now.
    #[inline]
    fn detect_oscillation(&mut self, input: &GovernorInput<'_>, is_sane: bool, dt_s: f64) -> bool {
        if is_sane {
            return self.watch_oscillation(input, dt_s);
        }
        self.force_oscillation.reset_motion();
        self.torque_oscillation.reset_motion();
        self.last_rotation = None;
        false
    }

    /// Records the causes that the last tick did not have.
    #[inline]
    fn record_new(&mut self, reasons: ReasonSet, now_ns: u64) {
        for reason in reasons.minus(self.previous).iter() {
            self.history.record(now_ns, reason);
        }
        self.previous = reasons;
    }

    /// Makes the output exactly zero (rule 5).
    fn cut(&mut self) -> Output {
        self.force.cut();
        self.torque.cut();
        Output {
            reductions: Reductions::SCALE,
            added: 0.0,
            sent: Sent {
                wrench: self.output(),
                most: [f64::INFINITY; 2],
                factor: [0.0; 2],
                edge: 0.0,
                held_back: Wrench::default(),
            },
            passed: PassedForce {
                share: 0.0,
                edge: 1.0,
                most_n: f64::INFINITY,
            },
        }
    }

    /// Moves force and torque towards the wanted wrench (rules 1 to 4), by the factors of ramp and
    /// fade, of the workspace's edge, and of the gains.
    #[inline]
    fn send(&mut self, input: &GovernorInput<'_>, limits: &TickLimits, dt_s: f64) -> Output {
        let edge = edge_scale(
            &self.workspace,
            &input.sample.pose.translation.vector,
            self.limits.edge_fade_m,
        );
        let gain = self.passivity.gain();
        let gains = [
            self.force_oscillation.gain().min(gain),
            self.torque_oscillation.gain().min(gain),
        ];
        let scale = self.scale * self.pause.factor();
        let common = scale * edge;
        let factor = gains.map(|gain| common * gain);
        let wanted = &input.wanted;
        let (force, added) = (&wanted.force_n, &input.effects_n);
        let force = (self.force).step(force, added, factor[0], dt_s, &limits.force);
        let (torque, added) = (&wanted.torque_nm, &Vec3::zeros());
        let torque = (self.torque).step(torque, added, factor[1], dt_s, &limits.torque);
        let mut reductions = Reductions::of(&force, &torque);
        reductions.add_if(scale < 1.0, Reductions::SCALE);
        reductions.add_if(edge < 1.0, Reductions::EDGE);
        reductions.add_if(gains[0].min(gains[1]) < 1.0, Reductions::OSCILLATION);
        Output {
            reductions,
            added: force.added,
            sent: Sent {
                // What effects do is no work of the spring, and what limits do to effects nothing
                // that the spring has to pay.
                wrench: Wrench {
                    force_n: self.force.base(),
                    torque_nm: self.torque.base(),
                },
                most: [force.most, torque.most],
                // What the slew limit holds back comes later. To the ledger it is a late force, not
                // a weak spring.
                factor,
                edge,
                held_back: Wrench {
                    force_n: force.held_back,
                    torque_nm: torque.held_back,
                },
            },
            passed: PassedForce {
                share: match edge > 0.0 {
                    true => (force.factor / edge).min(1.0),
                    false => scale * gains[0],
                },
                edge,
                most_n: force.most,
            },
        }
    }

    /// Returns the outputs of both channels.
    #[inline]
    fn output(&self) -> Wrench {
        Wrench {
            force_n: self.force.output(),
            torque_nm: self.torque.output(),
        }
    }

    /// Settles the energy of the tick once its wrench is known. The ledger may lower the gain, and
    /// reports when even the smallest gain gives energy to the hand.
    #[inline]
    fn settle_energy(
        &mut self,
        input: &GovernorInput<'_>,
        spring: Option<&Spring>,
        sent: &Sent,
        dt_s: f64,
    ) {
        self.is_exhausted &= self.scale > 0.0;
        let Some(spring) = spring else {
            return;
        };
        let o = self.limits.oscillation;
        let swing_j = o.force_n * o.motion_m.max(self.resolution.0 * 4.0);
        let rounding_j = sent.wrench.force_n.norm() * self.resolution.0
            + sent.wrench.torque_nm.norm() * self.resolution.1;
        let bound_j = DEBT_BOUND_SWINGS * swing_j + rounding_j;
        let time_ns = input.sample.time_ns;
        let acted = (self.passivity).settle(time_ns, spring, sent, bound_j, dt_s);
        self.is_exhausted |= acted == ControlAction::Exhausted;
    }

    /// Finds every cause that holds in this tick, except oscillation.
    fn find_faults(&mut self, input: &GovernorInput<'_>, stalled: bool) -> ReasonSet {
        use ForceOffReason as R;
        let (limits, sample) = (&self.limits, input.sample);
        let before = self.previous;
        let release = |held: bool, factor: f64| if held { factor } else { 1.0 };
        let slower = release(before.contains(R::OverVelocity), VELOCITY_HYSTERESIS);
        let cooler = if before.contains(R::OverTemperature) {
            TEMPERATURE_HYSTERESIS_C
        } else {
            0.0
        };
        let too_hot = sample
            .temperature_c
            .is_some_and(|t| f64::from(t) > limits.max_temperature_c - cooler || t.is_nan());
        let finite = sample.pose.translation.vector.iter().all(|x| x.is_finite())
            && sample.pose.rotation.coords.iter().all(|x| x.is_finite())
            && sample.linear_velocity.iter().all(|x| x.is_finite())
            && sample.angular_velocity.iter().all(|x| x.is_finite());
        let too_fast = sample.linear_velocity.norm() > limits.velocity_limit_m_s * slower
            || sample.angular_velocity.norm() > limits.angular_velocity_limit_rad_s * slower;

        // Before its first report an arm has reported no status.
        let has_reported = sample.sequence > 0;
        let status = sample.status;
        let found = input
            .faults
            .with_if(has_reported && !status.calibrated, R::NotCalibrated)
            .with_if(
                has_reported && !status.safety_switch_closed,
                R::SafetySwitch,
            )
            .with_if(
                !input.wanted.is_finite() || !input.effects_n.sum().is_finite(),
                R::InvalidCommand,
            )
            .with_if(!finite, R::InvalidSample)
            .with_if(finite && too_fast, R::OverVelocity)
            .with_if(stalled || sample.status.input_stalled, R::Stall)
            .with_if(
                !has_reported
                    || input.now_ns.saturating_sub(sample.time_ns) > limits.stale_input_ns,
                R::StaleInput,
            )
            .with_if(sample.status.pose_invalid, R::PoseUnknown)
            .with_if(
                input.contact_age_ns > limits.stale_contact_ns,
                R::StaleContact,
            )
            .with_if(too_hot, R::OverTemperature)
            .with_if(!input.enable, R::Disabled);
        self.latched = found
            .iter()
            .filter(|r| r.is_latched())
            .fold(self.latched, ReasonSet::with);
        found.union(self.latched)
    }

    /// Feeds the oscillation detectors. Returns true if a detector is exhausted, and from then on
    /// until the fade is complete.
    fn watch_oscillation(&mut self, input: &GovernorInput<'_>, dt_s: f64) -> bool {
        let o = self.limits.oscillation;
        let pose = &input.sample.pose;
        if let Some(last) = self.last_rotation {
            self.turned += (pose.rotation * last.inverse()).scaled_axis();
        }
        self.last_rotation = Some(pose.rotation);
        let is_owed = self.passivity.energy().debt_j > 0.0;
        let held = input.spring.as_ref();
        let held = held.filter(|spring| !spring.held_by_movers && !is_owed);
        let far_end = held.map(|spring| spring.far_end.translation.vector);
        let moved = Amplitudes {
            motion: o.motion_m.max(self.resolution.0 * 4.0),
            force: o.force_n,
        };
        let reacting_n = input.wanted.force_n + input.reacting_n;
        let force = self.force_oscillation.step(
            input.now_ns,
            dt_s,
            Observation {
                place: &pose.translation.vector,
                wanted: &reacting_n,
                far_end: far_end.as_ref(),
            },
            moved,
        );
        let turned = Amplitudes {
            motion: o.turning_rad.max(self.resolution.1 * 4.0),
            force: o.torque_nm,
        };
        let torque = self.torque_oscillation.step(
            input.now_ns,
            dt_s,
            Observation {
                place: &self.turned,
                wanted: &input.wanted.torque_nm,
                far_end: None,
            },
            turned,
        );
        if force == Verdict::Lowered || torque == Verdict::Lowered {
            self.passivity.ignore_pending(input.sample.time_ns);
        }
        force == Verdict::Exhausted
            || torque == Verdict::Exhausted
            || self.is_exhausted
            || (self.previous.contains(ForceOffReason::Oscillation) && self.scale > 0.0)
    }

    /// The state machine: advances state and factor by one tick.
    fn advance_state(&mut self, reasons: ReasonSet, small_force: bool, dt_s: f64) {
        use GovernorState as S;
        if !reasons.cuts().is_empty() {
            (self.state, self.scale) = (S::Fault, 0.0);
            return;
        }
        if !reasons.is_empty() {
            self.scale = (self.scale - dt_s / (self.limits.fade_ns as f64 * 1e-9)).max(0.0);
            self.state = if self.scale > 0.0 {
                S::Fading
            } else if reasons.iter().all(ForceOffReason::is_orderly) {
                S::Disengaged
            } else {
                S::Fault
            };
            return;
        }
        match self.state {
            S::Disengaged | S::Fault => {
                self.small_force_ticks = u32::from(small_force);
                self.state = S::WaitingSmallForce;
            }
            S::WaitingSmallForce => {
                self.small_force_ticks = if small_force {
                    self.small_force_ticks.saturating_add(1)
                } else {
                    0
                };
            }
            S::Fading => self.state = S::Ramping,
            S::Ramping | S::Active => {}
        }
        match self.state {
            S::WaitingSmallForce if self.small_force_ticks >= self.limits.engage_ticks => {
                self.state = S::Ramping;
            }
            S::Ramping => {
                self.scale = (self.scale + dt_s / self.limits.ramp_s).min(1.0);
                if self.scale >= 1.0 {
                    self.state = S::Active;
                }
            }
            _ => {}
        }
    }

    fn force_limits(&self) -> ChannelLimits {
        ChannelLimits {
            peak: self.limits.peak_force_n,
            continuous: self.limits.continuous_force_n,
            slew_per_s: self.limits.slew_n_per_s,
            time_constant_s: self.limits.continuous_window_s,
        }
    }

    fn torque_limits(&self) -> ChannelLimits {
        ChannelLimits {
            peak: self.limits.peak_torque_nm,
            continuous: self.limits.continuous_torque_nm,
            slew_per_s: self.limits.slew_nm_per_s,
            time_constant_s: self.limits.continuous_window_s,
        }
    }
}

/// Returns 1 inside the workspace, falling to 0 at `fade_m` outside it. `position` is finite.
fn edge_scale(workspace: &Workspace, position: &Vec3, fade_m: f64) -> f64 {
    let beyond = (position - workspace.center).abs() - workspace.half_extents;
    let distance = beyond.map(|x| x.max(0.0)).norm();
    if distance <= 0.0 {
        1.0
    } else if distance < fade_m {
        1.0 - distance / fade_m
    } else {
        0.0
    }
}
