//! The passivity observer and controller: an exact account of the energy that the hand is given,
//! and the gain that limits it.
//!
//! # Theory
//! A force that is held does exactly `F . dd` of work between two samples of the hand, however the
//! hand moved between them (Stramigioli et al. 2005). The work on the hand is therefore a sum of
//! known products, without any velocity. With `F` the wrench as governed and as late as the arm
//! declares, `d` the hand and `p` the far end of the spring:
//!
//! ```text
//! given  = F . dd                  to the hand
//! world                            what bodies put into the spring at its far end
//! leak   = dV + given - world      made by sampling, delay, ramps and gains; negative: dissipated
//! spare  = b |dd|^2 / T + f |dd|   what the arm's own damping and friction surely take
//! debt   = max(0, debt + leak - spare)
//! ```
//!
//! `V` is what the spring has stored, the governor's share of it. A sampled spring with stiffness
//! `K`, late by `n` samples, leaks `K ds . dd / 2 + K (s(k-1) - s(k-1-n)) . dd(k)` per tick, which
//! is Colgate's bound when compared with the spare.
//!
//! The far end is not sampled. When it moves within a tick, it puts in the change of `V`, as the
//! mean of before and after the hand moved. So it leaks nothing while the hand is still, nor where
//! the two move together. But the hand feels that late: a tool that slips off an edge releases its
//! spring at once, and the hand is pushed on for as long as commands are under way. The far end
//! pays for what is given in this way, and for what a body that approaches takes too little. It
//! pays at most what it took itself; a body that moves also pays what it put in. A hand that swings
//! before a surface that stands still has no such payer.
//!
//! Nothing is saved up: a hand that slid with friction for a minute has no credit (in Hannaford and
//! Ryu's running sum it has). The reference that the observer follows is the energy of a spring
//! that is neither sampled nor late (Ryu et al. 2005), so it need not wait for a sum to run empty.
//!
//! Limits that are raised under load also give energy. That was ordered and follows the governor's
//! ramp, so it is not a leak. Neither is the energy that the fade at the edge of the workspace
//! takes on the way out and gives on the way back: it follows from the position of the hand.
//!
//! A body that stands still puts nothing in, and one that the tool slides over takes energy. Its
//! contact yields by a safe distance and comes back, so it may give what it has just taken, up to
//! the bound at which the controller acts. What it puts in beyond that is an error, and a debt.
//!
//! *The controller.* A debt beyond the cost of four of the smallest noticeable swings means that
//! the spring is too stiff for the arm and the hand that holds it, whatever the frequency:
//! oscillations of 2 Hz and of 200 Hz feed energy alike, and a hand that taps does not. The ratio
//! of leak to spare since the debt began shows how much too stiff: the gain falls to where there
//! would have been no debt, and well below, so that the swing dies away. It comes back by a factor
//! `e` in ten seconds; the coupling takes its energy along, so this rise gives none. Below
//! [`GAIN_FLOOR`] there is nothing left to lower.
//!
//! # Practice
//! Fixed memory, work bounded by [`COMMANDS`], no allocation, no clock. A ledger is as good as the
//! damping, friction and delay that the arm declares. [`super::oscillation`] is the fallback and
//! needs none of them.

use nalgebra::Translation3;

use crate::arm::{ArmSpec, Pose, Vec3, Wrench};

/// Number of stored commands: the delay of an arm is at most this many ticks.
pub const COMMANDS: usize = 64;
/// Share of the arm's declared damping and friction that is relied on: the share of the passive
/// bound that couplings use by default.
const RELIED_SHARE: f64 = 0.9;
/// Lowest gain.
pub const GAIN_FLOOR: f64 = 1.0 / 64.0;
/// A gain that has risen from the floor by less than this factor counts as being at the floor.
const AT_FLOOR_FACTOR: f64 = 1.1;
/// Time in which the gain comes back by a factor of e, s.
const RECOVERY_S: f64 = 10.0;
/// Gain after an action over the passive gain: just below the passive gain, a swing dies away too
/// slowly.
const MARGIN: f64 = 0.6;
/// Smallest factor by which one debt lowers the gain.
const MIN_GAIN_FACTOR: f64 = 0.25;
/// The controller acts on a debt beyond the energy of this many smallest noticeable swings.
pub(super) const DEBT_BOUND_SWINGS: f64 = 4.0;

/// The spring behind the wanted wrench, in the arm's base frame and its metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Far end of the spring: the rendered proxy.
    pub far_end: Pose,
    /// Point of the tool that the spring is fixed to, tool frame, m.
    pub centre: Vec3,
    /// Energy stored by stretch and by twist if all of the wanted wrench were sent, J.
    pub stored_j: [f64; 2],
    /// Stiffness, N/m and N·m/rad.
    pub stiffness: [f64; 2],
    /// The spring before its stiffness or slack changed in this tick.
    pub before: Ends,
    /// What holds the tool moves, bends, or has a mass: the damper's force on it may also put
    /// energy in.
    pub held_by_movers: bool,
}

/// Energy that the spring of the last tick stores by stretch and by twist after its ends moved as
/// in this tick, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ends {
    /// Stiffness, N/m and N·m/rad.
    pub stiffness: [f64; 2],
    /// With neither end moved.
    pub none_j: [f64; 2],
    /// With only the hand's end moved.
    pub hand_j: [f64; 2],
    /// With only the far end moved.
    pub far_j: [f64; 2],
    /// With both ends moved.
    pub both_j: [f64; 2],
}

/// Energies of an arm's spring up to a tick, J, since the force was last off for lack of a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Energy given to the hand; negative: taken from it.
    pub given_j: f64,
    /// Energy put in by what holds the tool.
    pub world_j: f64,
    /// Energy stored now.
    pub stored_j: f64,
    /// Energy made (positive) or dissipated by sampling, delay, ramps and gains.
    pub leak_j: f64,
    /// Energy added (positive) or removed by limits that rose or fell. Thus `given = leak + world +
    /// limits - stored`, apart from commands under way.
    pub limits_j: f64,
    /// Energy given beyond all that the arm's damping surely takes; see the module page.
    pub debt_j: f64,
    /// Stored energy that was removed when the controller lowered the gain.
    pub withheld_j: f64,
    /// Gain of the controller; 1 if it does not act.
    pub gain: f64,
}

impl Default for Energy {
    /// Energies of a spring that has done nothing.
    fn default() -> Self {
        Energy {
            given_j: 0.0,
            world_j: 0.0,
            stored_j: 0.0,
            leak_j: 0.0,
            limits_j: 0.0,
            debt_j: 0.0,
            withheld_j: 0.0,
            gain: 1.0,
        }
    }
}

/// The wrench that a tick sent, and how it follows from the wanted one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub wrench: Wrench,
    /// Lengths to which peak and continuous limits clamp force and torque.
    pub most: [f64; 2],
    /// Factor after clamping, for force and torque.
    pub factor: [f64; 2],
    /// Part of that factor from the fade at the edge of the workspace.
    pub edge: f64,
    /// Part that the slew limit leaves for later ticks.
    pub held_back: Wrench,
}

/// Returns the energy stored by springs of this stiffness of which only a part is sent: clamped to
/// `most`, then multiplied by `factor`.
fn sent_j(stored_j: [f64; 2], stiffness: [f64; 2], most: [f64; 2], factor: [f64; 2]) -> f64 {
    let part = |k: usize| {
        let pull = (2.0 * stiffness[k] * stored_j[k]).sqrt();
        let whole = match pull > most[k] {
            true => most[k] * (pull - 0.5 * most[k]) / stiffness[k],
            false => stored_j[k],
        };
        factor[k] * whole
    };
    part(0) + part(1)
}

/// Result of a step of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ControlAction {
    No,
    Lowered,
    /// The gain was already at its floor.
    Exhausted,
}

/// A command that was sent, and the part that the far end has in it.
#[derive(Clone, Copy, Debug, Default)]
struct Command {
    /// Time of the hand's sample that it was computed for.
    time_ns: u64,
    wrench: Wrench,
    /// Part that comes from motion of the far end, in its tick or held back since.
    by_far_end: Wrench,
    /// Energy that the far end may pay for while the command is under way, J.
    payable_j: f64,
}

/// State at the end of the last tick.
#[derive(Clone, Copy, Debug)]
struct LastTick {
    time_ns: u64,
    hand: Pose,
    far_end: Pose,
    /// Factors of what was sent; `None` in the first tick that is observed.
    factor: Option<[f64; 2]>,
    /// Lengths to which it was clamped (`most`), and the fade at the workspace's edge (`edge`).
    most: [f64; 2],
    edge: f64,
}

/// Amounts of a tick that has been observed and not settled.
#[derive(Clone, Copy, Debug, Default)]
struct PendingTick {
    /// Whether there is a new sample of the hand.
    has_new_sample: bool,
    given_j: f64,
    spare_j: f64,
    /// Motion of the hand (`hand_motion`) and of the far end (`far_end_motion`): shift and rotation
    /// vector.
    hand_motion: (Vec3, Vec3),
    far_end_motion: (Vec3, Vec3),
    /// Energy given, or not taken, because the hand feels the far end late.
    late_j: f64,
}

/// The observer and controller of one arm; see the module page.
#[derive(Clone, Debug)]
pub(super) struct Passivity {
    damping: [f64; 2],
    friction: [f64; 2],
    transport_ns: u64,
    delay_ns: u64,
    period_ns: u64,
    /// Ring of the last commands.
    commands: [Command; COMMANDS],
    next: usize,
    filled: usize,
    /// Part that the slew limit has kept out of the newest command.
    held_back: Wrench,
    before: Option<LastTick>,
    energy: Energy,
    open: PendingTick,
    /// Debt before the newest sample (`debt_at_sample_j`), and leak less spare since then
    /// (`since_sample_j`).
    debt_at_sample_j: f64,
    since_sample_j: f64,
    /// Energy that bodies that stand still have put in, less what they took; from minus the bound
    /// to 0.
    contact_j: f64,
    /// Leak and spare since the debt began.
    since: [f64; 2],
    /// Debt at the end of the last tick.
    debt_before_j: f64,
    acted: u64,
    /// Time until which commands from before the force was lowered are under way. Their effect is
    /// no reason to lower it again.
    settled_ns: u64,
}

impl Passivity {
    pub fn new(spec: &ArmSpec) -> Self {
        Passivity {
            damping: [spec.damping_n_s_per_m, spec.angular_damping_nm_s_per_rad]
                .map(|b| RELIED_SHARE * b),
            friction: [spec.coulomb_friction_n, spec.angular_coulomb_friction_nm]
                .map(|f| RELIED_SHARE * f),
            transport_ns: spec.transport_delay_ns,
            // A command leaves with the report after the one that it answers.
            delay_ns: spec
                .transport_delay_ns
                .saturating_add(spec.native_period_ns),
            period_ns: spec.native_period_ns,
            commands: [Command::default(); COMMANDS],
            next: 0,
            filled: 0,
            held_back: Wrench::default(),
            before: None,
            energy: Energy::default(),
            open: PendingTick::default(),
            debt_at_sample_j: 0.0,
            since_sample_j: 0.0,
            contact_j: 0.0,
            since: [0.0; 2],
            debt_before_j: 0.0,
            acted: 0,
            settled_ns: 0,
        }
    }

    /// Sets the delay from the arrival of a sample to the command that answers it.
    pub fn answer_after(&mut self, answer_ns: u64) {
        self.delay_ns = self.transport_ns.saturating_add(answer_ns);
    }

    /// Starts afresh after a possible jump of the pose; what was before does not count. The gain
    /// stays.
    pub fn forget(&mut self) {
        self.before = None;
        self.settled_ns = 0;
        self.open = PendingTick::default();
        self.debt_at_sample_j = 0.0;
        self.since_sample_j = 0.0;
        self.contact_j = 0.0;
        self.filled = 0;
        self.held_back = Wrench::default();
        self.since = [0.0; 2];
        self.debt_before_j = 0.0;
        self.energy = Energy {
            gain: self.energy.gain,
            ..Energy::default()
        };
    }

    pub fn energy(&self) -> &Energy {
        &self.energy
    }

    /// Returns how often the gain was lowered.
    pub fn acted(&self) -> u64 {
        self.acted
    }

    /// Returns the factor for the wanted wrench.
    pub fn gain(&self) -> f64 {
        self.energy.gain
    }

    /// Accounts, before a tick sends, for what the commands so far did while the hand moved to
    /// `hand`, its pose at `time_ns`.
    pub fn observe(&mut self, time_ns: u64, hand: &Pose, spring: &Spring) {
        let at_centre = Translation3::from(spring.centre);
        let (hand, far_end) = (hand * at_centre, spring.far_end * at_centre);
        let Some(before) = self.before else {
            self.before = Some(LastTick {
                time_ns,
                hand,
                far_end,
                factor: None,
                most: [f64::INFINITY; 2],
                edge: 1.0,
            });
            return;
        };
        // No new sample of the hand: motion of the far end meanwhile counts with the next sample.
        if time_ns <= before.time_ns {
            return;
        }
        let (held, pending_far_end) = self.held_between(before.time_ns, time_ns);
        let hand_motion = between(&before.hand, &hand);
        let dt_s = (time_ns - before.time_ns) as f64 * 1e-9;
        let ways = [hand_motion.0.norm(), hand_motion.1.norm()];
        let spare = |k: usize| ways[k] * (self.damping[k] * ways[k] / dt_s + self.friction[k]);
        // The stored energy and the force at the far end change when this tick sends.
        self.open = PendingTick {
            has_new_sample: true,
            given_j: work(&held, &hand_motion),
            spare_j: spare(0) + spare(1),
            hand_motion,
            far_end_motion: between(&before.far_end, &far_end),
            late_j: -work(&pending_far_end, &hand_motion),
        };
        self.before = Some(LastTick {
            time_ns,
            hand,
            far_end,
            ..before
        });
    }

    /// Accounts, after a tick has sent, for what is stored now, and lowers the gain for a debt of
    /// more than `bound_j`. `dt_s` is the time since the last tick.
    pub fn settle(
        &mut self,
        time_ns: u64,
        spring: &Spring,
        sent: &Sent,
        bound_j: f64,
        dt_s: f64,
    ) -> ControlAction {
        let hand = self.before.map_or(Pose::identity(), |before| before.hand);
        let lever = hand.rotation * spring.centre;
        let at_centre = |wrench: &Wrench| Wrench {
            force_n: wrench.force_n,
            torque_nm: wrench.torque_nm - lever.cross(&wrench.force_n),
        };
        let wrench = at_centre(&sent.wrench);
        let held_before = std::mem::replace(&mut self.held_back, at_centre(&sent.held_back));
        let last = self.commands[(self.next + COMMANDS - 1) % COMMANDS].wrench;
        let command = self.next;
        self.commands[command] = Command {
            time_ns,
            wrench,
            ..Command::default()
        };
        self.next = (self.next + 1) % COMMANDS;
        self.filled = (self.filled + 1).min(COMMANDS);
        let open = std::mem::take(&mut self.open);
        let stored_j = sent_j(spring.stored_j, spring.stiffness, sent.most, sent.factor);
        self.energy.stored_j = stored_j;
        let Some(before) = &mut self.before else {
            return ControlAction::No;
        };
        let Some(factor) = before.factor.replace(sent.factor) else {
            (before.most, before.edge) = (sent.most, sent.edge);
            return ControlAction::No;
        };
        // As if the present limits had applied before: the energy of raising them was ordered and
        // follows the governor's ramp.
        let ends = &spring.before;
        let edge = std::mem::replace(&mut before.edge, sent.edge);
        let as_ordered = match edge > 0.0 {
            true => factor.map(|factor| factor * sent.edge / edge),
            false => sent.factor,
        };
        let of = |stored_j| sent_j(stored_j, ends.stiffness, sent.most, as_ordered);
        let (none_j, hand_j) = (of(ends.none_j), of(ends.hand_j));
        let by_spring_j = 0.5 * (of(ends.both_j) - hand_j + of(ends.far_j) - none_j);
        // The damper's force on a body that moves is that body's own: it put in what it pushes the
        // hand with.
        let by_all_j =
            0.5 * (work(&last, &open.far_end_motion) + work(&wrench, &open.far_end_motion));
        let world_j = match spring.held_by_movers {
            true => by_spring_j.max(by_all_j),
            false => by_spring_j,
        };
        let by_far_end = by_far_end(before, &open.far_end_motion, ends, |k, j| {
            as_ordered[k] * (2.0 * ends.stiffness[k] * j).sqrt().min(sent.most[k])
        });
        // What the slew limit holds back comes with the next commands, and they pay for it.
        let held_back = self.held_back;
        self.commands[command].by_far_end = Wrench {
            force_n: by_far_end.force_n + held_before.force_n - held_back.force_n,
            torque_nm: by_far_end.torque_nm + held_before.torque_nm - held_back.torque_nm,
        };
        let kept_j = match held_before == Wrench::default() {
            true => 0.0,
            false => {
                let last = (command + COMMANDS - 1) % COMMANDS;
                std::mem::take(&mut self.commands[last].payable_j)
            }
        };
        self.commands[command].payable_j = kept_j
            + match spring.held_by_movers {
                true => world_j.abs(),
                false => (-world_j).max(0.0),
            };
        let rise_j = stored_j - none_j;
        let most = std::mem::replace(&mut before.most, sent.most);
        let as_limited_j = sent_j(ends.none_j, ends.stiffness, most, factor);
        self.energy.limits_j += none_j - as_limited_j;
        self.energy.given_j += open.given_j;
        self.energy.world_j += world_j;
        let mut made_j = 0.0;
        if !spring.held_by_movers {
            let contact_j = self.contact_j + world_j;
            made_j = contact_j.max(0.0);
            self.contact_j = contact_j.clamp(-bound_j, 0.0);
        }
        // In its own tick the far end counts as if it had moved half way.
        let late_j = open.late_j - 0.5 * work(&by_far_end, &open.hand_motion);
        let late_j = self.settle_late_j(time_ns, late_j);
        let leak_j = rise_j + open.given_j - world_j;
        self.update_ledger(time_ns, &open, leak_j, made_j - late_j);
        self.control(time_ns, bound_j, dt_s)
    }

    /// Books a tick. `made_j` is the energy made by a contact that should make none, less what the
    /// far end paid for.
    fn update_ledger(&mut self, time_ns: u64, open: &PendingTick, leak_j: f64, made_j: f64) {
        let energy = &mut self.energy;
        energy.leak_j += leak_j;
        // A loop that is faster than the arm sends several commands per sample. Together they are
        // its answer, and one may take what another makes.
        if open.has_new_sample {
            self.debt_at_sample_j = energy.debt_j;
            self.since_sample_j = 0.0;
        }
        self.since_sample_j += leak_j + made_j - open.spare_j;
        energy.debt_j = self.debt_at_sample_j + self.since_sample_j;
        self.since[0] += leak_j + made_j;
        self.since[1] += open.spare_j;
        // Not written as `debt <= 0`, so that NaN is no debt.
        if !(energy.debt_j > 0.0) || time_ns < self.settled_ns {
            energy.debt_j = 0.0;
            self.since = [0.0; 2];
        }
    }

    fn control(&mut self, time_ns: u64, bound_j: f64, dt_s: f64) -> ControlAction {
        let energy = &mut self.energy;
        // The coupling learns a tick late how much of its force was let through, and then takes
        // back the excess stored. Such a debt is gone in the next tick and reached no hand.
        let standing_j = energy.debt_j.min(self.debt_before_j);
        self.debt_before_j = energy.debt_j;
        if standing_j <= bound_j {
            energy.gain = (energy.gain * (1.0 + dt_s / RECOVERY_S)).min(1.0);
            return ControlAction::No;
        }
        let passive = (self.since[1] / self.since[0]).max(0.0);
        let factor = (MARGIN * passive).clamp(MIN_GAIN_FACTOR, MARGIN);
        self.acted = self.acted.saturating_add(1);
        energy.debt_j = 0.0;
        self.debt_before_j = 0.0;
        self.debt_at_sample_j = 0.0;
        (self.since, self.since_sample_j) = ([0.0; 2], 0.0);
        if energy.gain <= GAIN_FLOOR * AT_FLOOR_FACTOR {
            return ControlAction::Exhausted;
        }
        let lowered = (energy.gain * factor).max(GAIN_FLOOR);
        energy.withheld_j += energy.stored_j * (1.0 - lowered / energy.gain);
        energy.gain = lowered;
        self.ignore_pending(time_ns);
        ControlAction::Lowered
    }

    /// Notes that a gain lowered the force at once, for a sample of this time. Commands from before
    /// are under way, and the coupling learns a tick late how much less it stores.
    pub fn ignore_pending(&mut self, time_ns: u64) {
        self.settled_ns = time_ns.saturating_add(self.delay_ns.saturating_add(self.period_ns));
    }

    /// Returns the part of `late_j`, which a far end that is felt late has given, that the far ends
    /// of the commands under way at `time_ns` pay for. Each pays once.
    fn settle_late_j(&mut self, time_ns: u64, late_j: f64) -> f64 {
        let mut open_j = late_j.max(0.0);
        for back in 1..=self.filled {
            let command = &mut self.commands[(self.next + COMMANDS - back) % COMMANDS];
            let effect_ns = command.time_ns.saturating_add(self.delay_ns);
            // The hand's last motion ended now and began up to a period ago.
            if open_j == 0.0 || effect_ns.saturating_add(self.period_ns) < time_ns {
                break;
            }
            let settle_late_j = command.payable_j.min(open_j);
            command.payable_j -= settle_late_j;
            open_j -= settle_late_j;
        }
        late_j.max(0.0) - open_j
    }

    /// Returns the wrench that the motors held between two samples of the hand, and the part that
    /// far ends had in the commands still under way, both as means over the interval.
    fn held_between(&self, from_ns: u64, to_ns: u64) -> (Wrench, Wrench) {
        let span_ns = to_ns - from_ns;
        let (mut sum, mut pending_far_end) = (Wrench::default(), self.held_back);
        let mut until_ns = to_ns;
        for back in 1..=self.filled {
            let command = &self.commands[(self.next + COMMANDS - back) % COMMANDS];
            let (wrench, by_far_end) = (command.wrench, command.by_far_end);
            let acts_ns = command.time_ns.saturating_add(self.delay_ns);
            let waits_ns = acts_ns.clamp(from_ns, to_ns) - from_ns;
            let waits = waits_ns as f64 / span_ns as f64;
            pending_far_end.force_n += by_far_end.force_n * waits;
            pending_far_end.torque_nm += by_far_end.torque_nm * waits;
            // At the end of the ring the oldest command stands for all earlier ones.
            let begins_ns = if back == COMMANDS { from_ns } else { acts_ns };
            if begins_ns >= until_ns {
                continue;
            }
            let begins_ns = begins_ns.max(from_ns);
            let share = (until_ns - begins_ns) as f64 / span_ns as f64;
            sum.force_n += wrench.force_n * share;
            sum.torque_nm += wrench.torque_nm * share;
            until_ns = begins_ns;
            if until_ns <= from_ns {
                break;
            }
        }
        (sum, pending_far_end)
    }
}

/// Returns the change of the wrench by the motion of the far end, at the hand's present pose.
/// `pull` gives the length sent for a spring, of stretch (0) or twist (1), from its stored energy.
fn by_far_end(
    now: &LastTick,
    far_end_motion: &(Vec3, Vec3),
    ends: &Ends,
    pull: impl Fn(usize, f64) -> f64,
) -> Wrench {
    let stretch = between(&now.hand, &now.far_end);
    let change = |k: usize, now: &Vec3, far_end_motion: &Vec3| {
        let along = |way: Vec3| way.try_normalize(0.0).unwrap_or_default();
        along(*now) * pull(k, ends.both_j[k])
            - along(now - far_end_motion) * pull(k, ends.hand_j[k])
    };
    Wrench {
        force_n: change(0, &stretch.0, &far_end_motion.0),
        torque_nm: change(1, &stretch.1, &far_end_motion.1),
    }
}

/// Returns the translation and the rotation vector between two poses.
fn between(from: &Pose, to: &Pose) -> (Vec3, Vec3) {
    (
        to.translation.vector - from.translation.vector,
        (to.rotation * from.rotation.inverse()).scaled_axis(),
    )
}

fn work(wrench: &Wrench, way: &(Vec3, Vec3)) -> f64 {
    wrench.force_n.dot(&way.0) + wrench.torque_nm.dot(&way.1)
}

#[cfg(test)]
mod tests;
