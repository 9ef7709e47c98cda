//! The passivity observer and controller: what the hand was given, to the joule, and the gain that
//! keeps it from being more.
//!
//! # Theory
//! A force that is held does exactly `F . dd` between two samples of the hand, however it moved
//! between them (Stramigioli et al. 2005). So the work on the hand is a sum of products that are
//! known, without any velocity. With `F` the wrench as governed and as late as the arm declares,
//! `d` the hand and `p` the far end of the spring:
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
//! `K`, late by `n` samples, leaks `K ds . dd / 2 + K (s(k-1) - s(k-1-n)) . dd(k)` a tick, which is
//! Colgate's bound when compared with the spare. The far end is no matter of samples: going from
//! place to place within a tick it puts in what `V` changes by, the mean of before and after the
//! hand went. So it leaks nothing while the hand is still, nor where it goes along. The hand feels
//! that late, too: a tool that slips off an edge lets its spring go at once, and the hand is pushed
//! on for as long as commands are under way. Of what is given so, or of what a body that comes
//! takes too little, the far end pays: at most what it took itself, and a body that moves also what
//! it put in. A hand that swings before a surface that stays has no such payer. Nothing is
//! saved up: a hand that slid with friction for a minute has no credit (Hannaford and Ryu's running
//! sum has). The reference that the observer follows is the energy of a spring that is neither
//! sampled nor late (Ryu et al. 2005), so that it need not wait for a sum to run empty.
//!
//! Limits that are raised under load give energy, too: that was ordered, and goes by the governor's
//! ramp. It is no leak. Nor is what the fade at the edge of the workspace takes on the way out and
//! gives on the way back: it follows from where the hand is.
//!
//! A body that stands still puts nothing in, and one that is slid over takes. Its contact gives way
//! by a safe distance and comes back, so it may give what it has just taken, up to the bound that
//! is acted on; what it puts in beyond that is an error, and a debt.
//!
//! *The controller.* A debt beyond what four of the smallest noticeable swings would cost means
//! that the spring is too stiff for the arm and the hand that holds it, whatever the frequency: an
//! oscillation of 2 Hz and one of 200 feed energy alike, and a hand that taps does not. Since the
//! debt began the leak was so many times the spare: the gain falls to where it would not have been,
//! and well below, so that the swing dies away. It comes back by a factor `e` in ten seconds; the
//! coupling takes its energy along, so that this rise gives none. Below [`GAIN_FLOOR`] there is
//! nothing left to lower.
//!
//! # Practice
//! Fixed memory, work bounded by [`COMMANDS`], no allocation, no clock. A ledger is as good as the
//! damping, friction and delay that the arm declares; [`super::oscillation`] stands behind it and
//! needs none of them.

use nalgebra::Translation3;

use crate::arm::{ArmSpec, Pose, Vec3, Wrench};

/// Commands that are kept: the delay of an arm is at most so many ticks.
pub const COMMANDS: usize = 64;
/// Share of the arm's declared damping and friction that is counted on: the share of the passive
/// bound that couplings use unless told otherwise.
const SURE: f64 = 0.9;
/// The gain is never lowered below this.
pub const GAIN_FLOOR: f64 = 1.0 / 64.0;
/// A gain that has risen from the floor by less than this is at it.
const RISEN: f64 = 1.1;
/// Time in which the gain comes back by a factor of e, s.
const RECOVERY_S: f64 = 10.0;
/// How far below the passive gain the gain is set: just below it, a swing dies away too slowly.
const MARGIN: f64 = 0.6;
/// Most that one debt lowers the gain by.
const STEP: f64 = 0.25;
/// Smallest noticeable swings whose energy is a debt that is acted on.
pub(super) const SWINGS: f64 = 4.0;

/// The spring behind the wanted wrench, in the arm's base frame and its metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Its far end: where the tool is allowed to be.
    pub far_end: Pose,
    /// The point of the tool that it is fixed to, tool frame, m.
    pub centre: Vec3,
    /// Stored by stretch and by twist, were all of the wanted wrench sent, J.
    pub stored_j: [f64; 2],
    /// Its stiffness, N/m and N·m/rad.
    pub stiffness: [f64; 2],
    /// The spring before its stiffness or slack changed in this tick.
    pub before: Ends,
    /// What holds the tool moves, bends, or has a mass: the damper's force on it may put energy in,
    /// too.
    pub held_by_movers: bool,
}

/// What the spring of the last tick stores by stretch and by twist when its ends have gone where
/// they went in this one, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ends {
    /// Its stiffness, N/m and N·m/rad.
    pub stiffness: [f64; 2],
    /// Neither has.
    pub none_j: [f64; 2],
    /// The hand's alone.
    pub hand_j: [f64; 2],
    /// The far one alone.
    pub far_j: [f64; 2],
    /// Both.
    pub both_j: [f64; 2],
}

/// What an arm's spring did up to a tick. Energies in J, since the force was last off for want of a
/// pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Energy {
    /// Given to the hand; negative: taken from it.
    pub given_j: f64,
    /// Put in by what holds the tool.
    pub world_j: f64,
    /// Stored now.
    pub stored_j: f64,
    /// Made (positive) or dissipated by sampling, delay, ramps and gains.
    pub leak_j: f64,
    /// Added (positive) or taken off by limits that were raised or came down. So
    /// `given = leak + world + limits - stored`, but for what is under way.
    pub limits_j: f64,
    /// Given beyond all that the arm's damping surely takes; see the module page.
    pub debt_j: f64,
    /// What was stored and taken off where the controller lowered the gain.
    pub withheld_j: f64,
    /// The controller's gain, 1 where it does not act.
    pub gain: f64,
}

impl Default for Energy {
    /// Of a spring that has done nothing.
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

/// What a tick sent: wrench, and how much of the wanted one that is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    pub wrench: Wrench,
    /// Lengths at which peak and continuous limits cut them off.
    pub most: [f64; 2],
    /// Factor after that, force and torque.
    pub factor: [f64; 2],
    /// Of which the fade towards the edge of the workspace is so much.
    pub edge: f64,
    /// What the slew limit leaves for the ticks to come.
    pub held_back: Wrench,
}

/// What is stored by springs of this stiffness of which a part is sent: cut off at `most`, then by
/// `factor`.
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

/// What a step of the controller did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Acted {
    No,
    Lowered,
    /// The gain was at its floor already.
    Exhausted,
}

/// What was sent, and what the far end had to do with it.
#[derive(Clone, Copy, Debug, Default)]
struct Command {
    /// When the hand was where it was computed for.
    time_ns: u64,
    wrench: Wrench,
    /// How much of it came of the far end's going, in its tick or held back since.
    by_far_end: Wrench,
    /// What that far end may pay for while it is under way, J.
    pays_j: f64,
}

/// Of the last tick.
#[derive(Clone, Copy, Debug)]
struct Before {
    time_ns: u64,
    hand: Pose,
    far_end: Pose,
    /// Of what was sent. Not known yet where it has only now begun to be looked at.
    factor: Option<[f64; 2]>,
    /// Lengths at which it was cut off, and the fade at the workspace's edge.
    most: [f64; 2],
    edge: f64,
}

/// Of the tick that has not sent yet.
#[derive(Clone, Copy, Debug, Default)]
struct Open {
    /// There is a new sample of the hand.
    is_news: bool,
    given_j: f64,
    spare_j: f64,
    /// How far hand and far end went.
    went: (Vec3, Vec3),
    yielded: (Vec3, Vec3),
    /// Given, or not taken, because the far end is felt late.
    late_j: f64,
}

/// See the module page.
#[derive(Clone, Debug)]
pub(super) struct Passivity {
    damping: [f64; 2],
    friction: [f64; 2],
    transport_ns: u64,
    delay_ns: u64,
    period_ns: u64,
    /// A ring.
    commands: [Command; COMMANDS],
    next: usize,
    filled: usize,
    /// What the slew limit has kept out of the newest command.
    held_back: Wrench,
    before: Option<Before>,
    energy: Energy,
    open: Open,
    /// What was owed before the newest sample, and leak less spare since.
    owed_j: f64,
    answer_j: f64,
    /// What bodies that stand still have put in less what they took, from minus the bound to 0.
    contact_j: f64,
    /// Leak and spare since the debt began.
    since: [f64; 2],
    /// At the end of the last tick.
    debt_before_j: f64,
    acted: u64,
    /// Until when commands from before the force was lowered are under way: what they do is no
    /// reason to lower it again.
    settled_ns: u64,
}

impl Passivity {
    pub fn new(spec: &ArmSpec) -> Self {
        Passivity {
            damping: [spec.damping_n_s_per_m, spec.angular_damping_nm_s_per_rad].map(|b| SURE * b),
            friction: [spec.coulomb_friction_n, spec.angular_coulomb_friction_nm].map(|f| SURE * f),
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
            open: Open::default(),
            owed_j: 0.0,
            answer_j: 0.0,
            contact_j: 0.0,
            since: [0.0; 2],
            debt_before_j: 0.0,
            acted: 0,
            settled_ns: 0,
        }
    }

    /// A command leaves so long after the sample that it answers has arrived.
    pub fn answer_after(&mut self, answer_ns: u64) {
        self.delay_ns = self.transport_ns.saturating_add(answer_ns);
    }

    /// The pose may have jumped: what was before is no part of what comes. The gain stays.
    pub fn forget(&mut self) {
        self.before = None;
        self.settled_ns = 0;
        self.open = Open::default();
        self.owed_j = 0.0;
        self.answer_j = 0.0;
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

    /// How often the gain was lowered.
    pub fn acted(&self) -> u64 {
        self.acted
    }

    /// Factor for the wanted wrench.
    pub fn gain(&self) -> f64 {
        self.energy.gain
    }

    /// Before a tick sends anything: what the commands so far did while the hand went to `hand`,
    /// where it was at `time_ns`.
    pub fn observe(&mut self, time_ns: u64, hand: &Pose, spring: &Spring) {
        let at_centre = Translation3::from(spring.centre);
        let (hand, far_end) = (hand * at_centre, spring.far_end * at_centre);
        let Some(before) = self.before else {
            self.before = Some(Before {
                time_ns,
                hand,
                far_end,
                factor: None,
                most: [f64::INFINITY; 2],
                edge: 1.0,
            });
            return;
        };
        // No news of the hand: what the far end does meanwhile counts with the next.
        if time_ns <= before.time_ns {
            return;
        }
        let (held, unfelt) = self.held_between(before.time_ns, time_ns);
        let went = between(&before.hand, &hand);
        let dt_s = (time_ns - before.time_ns) as f64 * 1e-9;
        let ways = [went.0.norm(), went.1.norm()];
        let spare = |k: usize| ways[k] * (self.damping[k] * ways[k] / dt_s + self.friction[k]);
        // What is stored, and the force at the far end, change when this tick sends.
        self.open = Open {
            is_news: true,
            given_j: work(&held, &went),
            spare_j: spare(0) + spare(1),
            went,
            yielded: between(&before.far_end, &far_end),
            late_j: -work(&unfelt, &went),
        };
        self.before = Some(Before {
            time_ns,
            hand,
            far_end,
            ..before
        });
    }

    /// After a tick has sent: what is stored now, and whether the gain must fall, for a debt of
    /// more than `bound_j`. `dt_s` is the time since the last tick.
    pub fn settle(
        &mut self,
        time_ns: u64,
        spring: &Spring,
        sent: &Sent,
        bound_j: f64,
        dt_s: f64,
    ) -> Acted {
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
            return Acted::No;
        };
        let Some(factor) = before.factor.replace(sent.factor) else {
            (before.most, before.edge) = (sent.most, sent.edge);
            return Acted::No;
        };
        // As if the limits had been these before, too: what raising them gives was ordered, and
        // rises by the governor's ramp.
        let ends = &spring.before;
        let edge = std::mem::replace(&mut before.edge, sent.edge);
        let as_ordered = match edge > 0.0 {
            true => factor.map(|factor| factor * sent.edge / edge),
            false => sent.factor,
        };
        let of = |stored_j| sent_j(stored_j, ends.stiffness, sent.most, as_ordered);
        let (none_j, hand_j) = (of(ends.none_j), of(ends.hand_j));
        let by_spring_j = 0.5 * (of(ends.both_j) - hand_j + of(ends.far_j) - none_j);
        // The damper's force on a body that moves is that body's affair: what it pushes the hand by
        // it put in.
        let by_all_j = 0.5 * (work(&last, &open.yielded) + work(&wrench, &open.yielded));
        let world_j = match spring.held_by_movers {
            true => by_spring_j.max(by_all_j),
            false => by_spring_j,
        };
        let by_far_end = by_far_end(before, &open.yielded, ends, |k, j| {
            as_ordered[k] * (2.0 * ends.stiffness[k] * j).sqrt().min(sent.most[k])
        });
        // What the slew limit holds back comes with the commands after this one, and they pay.
        let held_back = self.held_back;
        self.commands[command].by_far_end = Wrench {
            force_n: by_far_end.force_n + held_before.force_n - held_back.force_n,
            torque_nm: by_far_end.torque_nm + held_before.torque_nm - held_back.torque_nm,
        };
        let kept_j = match held_before == Wrench::default() {
            true => 0.0,
            false => {
                let last = (command + COMMANDS - 1) % COMMANDS;
                std::mem::take(&mut self.commands[last].pays_j)
            }
        };
        self.commands[command].pays_j = kept_j
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
        // In its own tick the far end counts as if it had gone half way through.
        let late_j = open.late_j - 0.5 * work(&by_far_end, &open.went);
        let late_j = self.paid_j(time_ns, late_j);
        let leak_j = rise_j + open.given_j - world_j;
        self.book(time_ns, &open, leak_j, made_j - late_j);
        self.control(time_ns, bound_j, dt_s)
    }

    /// `made_j`: by a contact that should make nothing, less what the far end paid for.
    fn book(&mut self, time_ns: u64, open: &Open, leak_j: f64, made_j: f64) {
        let energy = &mut self.energy;
        energy.leak_j += leak_j;
        // A loop that is faster than the arm sends several times for one sample: together they are
        // its answer, and what one of them makes another takes.
        if open.is_news {
            self.owed_j = energy.debt_j;
            self.answer_j = 0.0;
        }
        self.answer_j += leak_j + made_j - open.spare_j;
        energy.debt_j = self.owed_j + self.answer_j;
        self.since[0] += leak_j + made_j;
        self.since[1] += open.spare_j;
        // Not: `debt <= 0`, so that NaN is no debt.
        if !(energy.debt_j > 0.0) || time_ns < self.settled_ns {
            energy.debt_j = 0.0;
            self.since = [0.0; 2];
        }
    }

    fn control(&mut self, time_ns: u64, bound_j: f64, dt_s: f64) -> Acted {
        let energy = &mut self.energy;
        // The coupling learns a tick late how much of its force was let through, and then takes
        // back what that stored too much. Such a debt is gone in the next tick and reached no hand.
        let standing_j = energy.debt_j.min(self.debt_before_j);
        self.debt_before_j = energy.debt_j;
        if standing_j <= bound_j {
            energy.gain = (energy.gain * (1.0 + dt_s / RECOVERY_S)).min(1.0);
            return Acted::No;
        }
        let passive = (self.since[1] / self.since[0]).max(0.0);
        let factor = (MARGIN * passive).clamp(STEP, MARGIN);
        self.acted = self.acted.saturating_add(1);
        energy.debt_j = 0.0;
        self.debt_before_j = 0.0;
        self.owed_j = 0.0;
        (self.since, self.answer_j) = ([0.0; 2], 0.0);
        if energy.gain <= GAIN_FLOOR * RISEN {
            return Acted::Exhausted;
        }
        let lowered = (energy.gain * factor).max(GAIN_FLOOR);
        energy.withheld_j += energy.stored_j * (1.0 - lowered / energy.gain);
        energy.gain = lowered;
        self.unsettle(time_ns);
        Acted::Lowered
    }

    /// The force was lowered at once by a gain, for a sample of this time: commands from before are
    /// under way, and the coupling learns a tick late what it stores too little then.
    pub fn unsettle(&mut self, time_ns: u64) {
        self.settled_ns = time_ns.saturating_add(self.delay_ns.saturating_add(self.period_ns));
    }

    /// Of what a far end that is felt late has given, the part that the far ends of the commands
    /// under way at `time_ns` pay for. Each pays once.
    fn paid_j(&mut self, time_ns: u64, late_j: f64) -> f64 {
        let mut open_j = late_j.max(0.0);
        for back in 1..=self.filled {
            let command = &mut self.commands[(self.next + COMMANDS - back) % COMMANDS];
            let felt_ns = command.time_ns.saturating_add(self.delay_ns);
            // The hand's last way ended now and began up to a period ago.
            if open_j == 0.0 || felt_ns.saturating_add(self.period_ns) < time_ns {
                break;
            }
            let paid_j = command.pays_j.min(open_j);
            command.pays_j -= paid_j;
            open_j -= paid_j;
        }
        late_j.max(0.0) - open_j
    }

    /// The wrench that the motors held while the hand's samples went from one time to a later one,
    /// and what far ends had done to the commands that were under way: means of the pieces.
    fn held_between(&self, from_ns: u64, to_ns: u64) -> (Wrench, Wrench) {
        let span_ns = to_ns - from_ns;
        let (mut sum, mut unfelt) = (Wrench::default(), self.held_back);
        let mut until_ns = to_ns;
        for back in 1..=self.filled {
            let command = &self.commands[(self.next + COMMANDS - back) % COMMANDS];
            let (wrench, by_far_end) = (command.wrench, command.by_far_end);
            let acts_ns = command.time_ns.saturating_add(self.delay_ns);
            let waits_ns = acts_ns.clamp(from_ns, to_ns) - from_ns;
            let waits = waits_ns as f64 / span_ns as f64;
            unfelt.force_n += by_far_end.force_n * waits;
            unfelt.torque_nm += by_far_end.torque_nm * waits;
            // Where the ring ends its oldest command has to do.
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
        (sum, unfelt)
    }
}

/// What the far end's going has done to the wrench, the hand where it is now. `pull` is the length
/// of what is sent of a spring, of stretch (0) or twist (1), that stores so much.
fn by_far_end(
    now: &Before,
    yielded: &(Vec3, Vec3),
    ends: &Ends,
    pull: impl Fn(usize, f64) -> f64,
) -> Wrench {
    let stretch = between(&now.hand, &now.far_end);
    let change = |k: usize, now: &Vec3, yielded: &Vec3| {
        let along = |way: Vec3| way.try_normalize(0.0).unwrap_or_default();
        along(*now) * pull(k, ends.both_j[k]) - along(now - yielded) * pull(k, ends.hand_j[k])
    };
    Wrench {
        force_n: change(0, &stretch.0, &yielded.0),
        torque_nm: change(1, &stretch.1, &yielded.1),
    }
}

/// Shift and rotation vector between two poses.
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
