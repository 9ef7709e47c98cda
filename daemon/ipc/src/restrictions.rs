//! Restrictions that clients put on top of the configuration's limits: by arm, until a technician
//! releases them.
//!
//! Lives on the server's thread and hands over to the loop directly. Pure: no clock, no thread.
//!
//! * A request that the governor could not keep is refused here, with numbers: everything that
//!   reaches the loop is valid.
//! * An accepted request is answered when a tick has kept it, so "done" means in force. If the loop
//!   does not take it within a bound, the answer says so; the request stands and is in force as
//!   soon as the loop runs.
//! * No request of an application loosens anything. Only the technician's
//!   [`release`](RestrictionQueue::release) does, up to the configuration.

use super::{Answer, Refusal};
use hapticd_devices::safety::{Limits, LimitsError};
use hapticd_loop::limits::{ArmLimits, Restriction, RestrictionsOwner};
use hapticd_protocol::{reply::ErrorCode, request::TightenLimits};
use hapticd_proxy::MAX_ARMS;
use std::collections::VecDeque;

/// Longest time that a running loop may need to take a request, ns of the server's rounds.
const LOOP_PATIENCE_NS: u64 = 1_000_000_000;
/// A longer pause between two rounds counts as this much: while the process was stopped, the loop
/// was stopped as well.
const LONGEST_ROUND_NS: u64 = 20_000_000;

/// Converts a client's requested limits into the loop's form.
fn restriction(wish: &TightenLimits) -> Restriction {
    Restriction {
        peak_force_n: wish.peak_force_n.0,
        continuous_force_n: wish.continuous_force_n.0,
        peak_torque_nm: wish.peak_torque_nm.0,
        continuous_torque_nm: wish.continuous_torque_nm.0,
        slew_n_per_s: wish.slew_n_per_s.0,
        slew_nm_per_s: wish.slew_nm_per_s.0,
        velocity_m_s: wish.velocity_m_s.0,
        angular_velocity_rad_s: wish.angular_velocity_rad_s.0,
    }
}

/// A request that the loop has not kept in a tick yet.
struct Waiting {
    token: u64,
    version: u64,
    /// The arms that it concerns.
    arms: [bool; MAX_ARMS],
    waited_ns: u64,
}

/// The only owner of the restrictions: see the module documentation.
pub struct RestrictionQueue {
    owner: RestrictionsOwner,
    /// Waiting requests, by version.
    waiting: VecDeque<Waiting>,
    /// Requests refused at once.
    refused: Vec<(u64, Refusal)>,
    settled_ns: Option<u64>,
}

impl RestrictionQueue {
    /// Makes the queue of one loop; `owner` hands restrictions over.
    pub fn new(owner: RestrictionsOwner) -> Self {
        RestrictionQueue {
            owner,
            waiting: VecDeque::new(),
            refused: Vec::new(),
            settled_ns: None,
        }
    }

    /// Restricts an arm, or all. If one of several arms could not keep it, none is restricted.
    pub fn tighten(&mut self, token: u64, arm: Option<usize>, wish: &TightenLimits) {
        let wish = restriction(wish);
        let arms = selected_arms(arm);
        let before = self.owner.value().arms;
        let in_force = self.owner.in_force().arms;
        for (index, limits) in in_force.iter().enumerate() {
            let Some(limits) = limits.as_ref().filter(|_| arms[index]) else {
                continue;
            };
            if let Err(why) = check(&limits.configured, &before[index].and(&wish), &wish) {
                let refusal = Refusal {
                    detail: format!("arm {index}: {}", why.detail),
                    ..why
                };
                self.refused.push((token, refusal));
                return;
            }
        }
        self.change(token, arms, |arm| *arm = arm.and(&wish));
    }

    /// Removes all restrictions of an arm, or of all: the configuration's limits are in force
    /// again.
    pub fn release(&mut self, token: u64, arm: Option<usize>) {
        self.change(token, selected_arms(arm), |arm| *arm = Restriction::NONE);
    }

    /// Clears latched faults of an arm, or of all.
    pub fn clear_faults(&mut self, token: u64, arm: Option<usize>) {
        let arms = selected_arms(arm);
        let version = self.owner.change(|value| {
            for (count, _) in value.clears.iter_mut().zip(arms).filter(|(_, is)| *is) {
                *count += 1;
            }
        });
        self.wait(token, version, arms);
    }

    fn change(&mut self, token: u64, arms: [bool; MAX_ARMS], change: impl Fn(&mut Restriction)) {
        let version = self.owner.change(|value| {
            let of = value.arms.iter_mut().zip(arms);
            of.filter(|(_, is)| *is).for_each(|(arm, _)| change(arm));
        });
        self.wait(token, version, arms);
    }

    fn wait(&mut self, token: u64, version: u64, arms: [bool; MAX_ARMS]) {
        self.waiting.push_back(Waiting {
            token,
            version,
            arms,
            waited_ns: 0,
        });
    }

    /// Appends the due answers. Returns true if others still wait for the loop. Called in every
    /// round of the server.
    pub fn settle(&mut self, now_ns: u64, answers: &mut Vec<(u64, Answer)>) -> bool {
        let refused = self.refused.drain(..);
        answers.extend(refused.map(|(token, why)| (token, Answer::Refused(why))));
        let round_ns = now_ns.saturating_sub(self.settled_ns.replace(now_ns).unwrap_or(now_ns));
        let round_ns = round_ns.min(LONGEST_ROUND_NS);
        if self.waiting.is_empty() {
            return false;
        }
        let kept = *self.owner.in_force();
        while let Some(first) = self.waiting.front_mut() {
            let answer = if kept.restrictions >= first.version {
                answer(first, &kept.arms)
            } else if first.waited_ns < LOOP_PATIENCE_NS {
                break;
            } else {
                let why = format!(
                    "the haptic loop has not taken it for {} ms; it takes effect once the loop runs",
                    LOOP_PATIENCE_NS / 1_000_000
                );
                Answer::Refused(Refusal::text(ErrorCode::Internal, why))
            };
            answers.push((first.token, answer));
            self.waiting.pop_front();
        }
        for waiting in &mut self.waiting {
            waiting.waited_ns += round_ns;
        }
        !self.waiting.is_empty()
    }

    /// The limits that an arm's governor keeps.
    pub fn in_force(&mut self, arm: usize) -> Option<Limits> {
        let arms = &self.owner.in_force().arms;
        arms.get(arm)?.as_ref().map(|limits| limits.in_force)
    }

    /// The limits that arm and configuration allow.
    pub fn configured(&mut self, arm: usize) -> Option<Limits> {
        let arms = &self.owner.in_force().arms;
        arms.get(arm)?.as_ref().map(|limits| limits.configured)
    }

    /// The limits that an arm's governor keeps once the loop has taken all requests.
    pub fn asked(&mut self, arm: usize) -> Option<Limits> {
        let configured = self.configured(arm)?;
        let restriction = self.owner.value().arms.get(arm)?;
        Some(restriction.applied_to(&configured).keepable())
    }
}

/// By arm, whether it is selected.
fn selected_arms(arm: Option<usize>) -> [bool; MAX_ARMS] {
    std::array::from_fn(|index| arm.is_none_or(|arm| arm == index))
}

fn answer(waiting: &Waiting, kept: &[Option<ArmLimits>; MAX_ARMS]) -> Answer {
    let mut arms = kept.iter().zip(waiting.arms);
    if arms.any(|(limits, is)| is && limits.is_some_and(|l| !l.is_taken)) {
        let why = "the governor refused the limits; the old ones stay: please report this";
        return Answer::Refused(Refusal::text(ErrorCode::Internal, why));
    }
    Answer::Done
}

/// Checks that an arm with these limits can keep all restrictions together with the newest one,
/// `wish`.
fn check(configured: &Limits, all: &Restriction, wish: &Restriction) -> Result<(), Refusal> {
    // With the configured peak, which is the largest force that may be on when the request comes.
    let wished = Limits {
        slew_n_per_s: wish.slew_n_per_s,
        slew_nm_per_s: wish.slew_nm_per_s,
        ..*configured
    };
    wished
        .validate_fade()
        .map_err(|error| refusal(&wished, error))?;
    let limits = all.applied_to(configured);
    limits.validate().map_err(|error| refusal(&limits, error))
}

/// The refusal of one limit, with its number and its bound.
fn refusal(limits: &Limits, error: LimitsError) -> Refusal {
    match error {
        LimitsError::SlewTooLow {
            field,
            value,
            least,
            fade_ms,
            ..
        } => {
            let unit = if field == "slew_n_per_s" {
                "N/s"
            } else {
                "N m/s"
            };
            let text = short(value);
            refused(
                value,
                least,
                format!(
                    "{field} is {text} {unit}, at least {least}: \
                     the peak must fade within {fade_ms} ms"
                ),
            )
        }
        LimitsError::OutOfRange { field, value, must } => refused(
            value,
            0.0,
            format!("{field} is {}, must be {must}", short(value)),
        ),
        LimitsError::WindowTooShort { .. } => too_short(limits),
    }
}

/// The refusal of limits whose peak the heating window does not allow: states which, and both
/// remedies.
fn too_short(limits: &Limits) -> Refusal {
    let torque_allows = limits.peak_for(limits.continuous_torque_nm) >= limits.peak_torque_nm;
    let force = limits.continuous_force_n > 0.0
        && (torque_allows || limits.peak_for(limits.continuous_force_n) < limits.peak_force_n);
    let (what, unit, continuous, peak) = if force {
        (
            "force_n",
            "N",
            limits.continuous_force_n,
            limits.peak_force_n,
        )
    } else {
        (
            "torque_nm",
            "N m",
            limits.continuous_torque_nm,
            limits.peak_torque_nm,
        )
    };
    // To four digits, each rounded to the side that can be kept.
    let least = (peak / limits.peak_for(1.0) * 1e4).ceil() / 1e4;
    let most = (limits.peak_for(continuous) * 1e4).floor() / 1e4;
    let mut detail = format!(
        "continuous_{what} is {} {unit}, at least {least} with a peak of {peak} {unit} and a \
         window of {} s",
        short(continuous),
        limits.continuous_window_s
    );
    if most > 0.0 {
        detail += &format!("; or tighten peak_{what} to {most} or less with it");
    }
    refused(continuous, least, detail)
}

/// Formats a number for people: very small or large ones in scientific notation.
fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-4..1e7).contains(&size) {
        value.to_string()
    } else {
        format!("{value:e}")
    }
}

/// Numbers as whole ones for programs, and exactly in the text.
fn refused(number: f64, limit: f64, detail: String) -> Refusal {
    Refusal {
        code: ErrorCode::LimitsRefused,
        number: number as u64,
        limit: limit.ceil() as u64,
        detail,
    }
}

#[cfg(test)]
mod tests;
