//! The number behind a force-off: what was measured, and the limit that it broke.
//!
//! Read from the tick's record when the reason changes. Real-time callable: no allocation. The text
//! is made only where the cause is displayed.

use std::fmt;

use hapticd_devices::safety::ForceOffReason;

use super::record::{ArmTick, Blame, TickRecord};
use super::watchdog::Watched;

/// The part of a tick that explains why force went off.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Cause {
    /// The reason has no number: it is a state of the arm, or another log line explains it.
    #[default]
    Plain,
    /// A value above its limit.
    Above {
        /// What was measured, where the reason does not say it.
        what: &'static str,
        /// The measured value, in `unit`.
        value: f64,
        /// The limit, in `unit`.
        limit: f64,
        /// Unit of value and limit.
        unit: &'static str,
    },
    /// A number is not finite.
    NotFinite {
        /// Name of the quantity.
        what: &'static str,
    },
    /// A body no longer exists.
    BodyGone {
        /// Client-visible id of the body.
        body: u32,
    },
    /// A sample grew too old while the loop was late; for a tick on time it would have been fresh
    /// enough.
    LateLoop {
        /// How late the tick was, ms.
        late_ms: f64,
        /// Age of the sample at that tick, ms.
        age_ms: f64,
        /// Limit of the age, ms.
        limit_ms: f64,
    },
    /// A fixed text.
    Words(&'static str),
}

const MS: f64 = 1e-6;

/// The cause of a stop that was asked for: nothing can be cleared, since the daemon ends.
const ORDERED: Cause = Cause::Words("an immediate stop was ordered");

impl Cause {
    /// Returns the cause of a reason in this tick. `period_ns` is the loop's period, 0 while it is
    /// not known.
    #[must_use]
    pub fn of(reason: u8, arm: &ArmTick, record: &TickRecord, period_ns: u64) -> Cause {
        use ForceOffReason as R;
        let (sample, limits) = (&arm.sample, &arm.limits);
        let age = |what, ns: u64, limit_ns: u64| Cause::Above {
            what,
            value: ns as f64 * MS,
            limit: limit_ns as f64 * MS,
            unit: "ms",
        };
        let ticks_ns = |ticks: u32| u64::from(ticks).saturating_mul(period_ns);
        match R::from_code(reason) {
            Some(R::OverVelocity) => {
                let (m_s, rad_s) = (
                    sample.linear_velocity.norm(),
                    sample.angular_velocity.norm(),
                );
                let (linear, angular) = (
                    limits.velocity_limit_m_s,
                    limits.angular_velocity_limit_rad_s,
                );
                // Report the one that is further beyond its limit.
                if m_s * angular >= rad_s * linear {
                    Cause::above(m_s, linear, "m/s")
                } else {
                    Cause::above(rad_s, angular, "rad/s")
                }
            }
            Some(R::OverTemperature) => sample.temperature_c.map_or(Cause::Plain, |c| {
                Cause::above(f64::from(c), limits.max_temperature_c, "C")
            }),
            Some(R::StaleInput) if sample.sequence == 0 => {
                Cause::Words("the arm has not reported yet")
            }
            Some(R::StaleInput) => {
                let (age_ns, limit_ns) = (arm.input_age_ns, limits.stale_input_ns);
                let late_ns = ticks_ns(record.periods.saturating_sub(1));
                if record.blame == Blame::Loop && age_ns.saturating_sub(late_ns) <= limit_ns {
                    return Cause::LateLoop {
                        late_ms: late_ns as f64 * MS,
                        age_ms: age_ns as f64 * MS,
                        limit_ms: limit_ns as f64 * MS,
                    };
                }
                age("", age_ns, limit_ns)
            }
            Some(R::StaleContact) if arm.snapshot_age == u32::MAX => Cause::Above {
                what: "no answer yet",
                value: f64::NAN,
                limit: limits.stale_contact_ns as f64 * MS,
                unit: "ms",
            },
            Some(R::StaleContact) if period_ns > 0 => {
                let rigid_ns = ticks_ns(arm.snapshot_age);
                if rigid_ns <= limits.stale_contact_ns && arm.soft_rows > 0 {
                    let soft_ns = ticks_ns(arm.soft_age);
                    return age("soft surfaces ", soft_ns, limits.stale_contact_ns);
                }
                age("", rigid_ns, limits.stale_contact_ns)
            }
            Some(R::Stall) if sample.status.input_stalled => {
                Cause::Words("the arm's queue of reports overflowed")
            }
            Some(R::Stall) if period_ns > 0 => {
                age("no tick for ", ticks_ns(record.periods), limits.stall_ns)
            }
            Some(R::InvalidCommand) => {
                let is_force = !arm.wanted.force_n.iter().all(|x| x.is_finite());
                Cause::not_finite([(is_force, "force"), (true, "torque")])
            }
            Some(R::InvalidSample) => {
                let pose = &sample.pose;
                let is_bad = |numbers: &[f64]| !numbers.iter().all(|x| x.is_finite());
                Cause::not_finite([
                    (is_bad(pose.translation.vector.as_slice()), "position"),
                    (is_bad(pose.rotation.coords.as_slice()), "rotation"),
                    (is_bad(sample.linear_velocity.as_slice()), "velocity"),
                    (true, "angular speed"),
                ])
            }
            Some(R::ClientLost) => arm
                .removed_body
                .map_or(Cause::Plain, |body| Cause::BodyGone { body }),
            Some(R::Supervisor) if record.cut => ORDERED,
            Some(R::Supervisor) if record.silent.contains(Watched::Supervisor) => {
                match record.silent.supervisor() {
                    Some([ticks, limit]) if period_ns > 0 => {
                        age("it was silent for ", ticks_ns(ticks), ticks_ns(limit))
                    }
                    _ => Cause::Words("it shows no sign of life"),
                }
            }
            _ => Cause::Plain,
        }
    }

    fn above(value: f64, limit: f64, unit: &'static str) -> Cause {
        Cause::Above {
            what: "",
            value,
            limit,
            unit,
        }
    }

    fn not_finite<const N: usize>(all: [(bool, &'static str); N]) -> Cause {
        let what = all.into_iter().find_map(|(is, what)| is.then_some(what));
        what.map_or(Cause::Plain, |what| Cause::NotFinite { what })
    }

    /// Whether force stays off for this cause of `reason` until a technician clears it.
    #[must_use]
    pub fn awaits_a_clear(&self, reason: u8) -> bool {
        let reason = ForceOffReason::from_code(reason);
        let is_latched = reason.is_some_and(ForceOffReason::is_latched);
        is_latched && reason != Some(ForceOffReason::Shutdown) && *self != ORDERED
    }

    /// Measured value and limit, for programs; `None` where the cause has no such number.
    #[must_use]
    pub fn numbers(&self) -> (Option<f64>, Option<f64>) {
        match self {
            Cause::Above { value, limit, .. } => {
                (Some(*value).filter(|value| value.is_finite()), Some(*limit))
            }
            Cause::LateLoop {
                age_ms, limit_ms, ..
            } => (Some(*age_ms), Some(*limit_ms)),
            _ => (None, None),
        }
    }
}

impl fmt::Display for Cause {
    /// Begins with a colon; empty where there is no number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Plain => Ok(()),
            Cause::Above {
                what,
                value,
                limit,
                unit,
            } if value.is_nan() => write!(f, ": {what}, limit {} {unit}", short(*limit)),
            Cause::Above {
                what,
                value,
                limit,
                unit,
            } => {
                let (value, limit) = (short(*value), short(*limit));
                write!(f, ": {what}{value} {unit}, limit {limit}")
            }
            Cause::LateLoop {
                late_ms,
                age_ms,
                limit_ms,
            } => {
                let [late, age, limit] = [late_ms, age_ms, limit_ms].map(|ms| short(*ms));
                let by = "the loop was late by";
                write!(
                    f,
                    ": {by} {late} ms, the sample was {age} ms old, limit {limit}"
                )
            }
            Cause::NotFinite { what } => write!(f, ": its {what}"),
            Cause::BodyGone { body } => write!(f, ": body {body} is gone"),
            Cause::Words(words) => write!(f, ": {words}"),
        }
    }
}

/// Formats with four significant digits, without trailing zeros.
fn short(value: f64) -> String {
    let before = value.abs().max(1e-3).log10().floor() as i32;
    let digits = usize::try_from(3 - before).unwrap_or(0);
    let text = format!("{value:.digits$}");
    if !text.contains('.') {
        return text;
    }
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::Vec3;

    /// Text of a reason in a tick of 1 ms that `change` has edited.
    fn said(reason: ForceOffReason, change: impl FnOnce(&mut TickRecord)) -> String {
        let mut record = TickRecord::new();
        record.arms[0].sample.sequence = 1;
        change(&mut record);
        Cause::of(reason.code(), &record.arms[0], &record, 1_000_000).to_string()
    }

    #[test]
    fn every_reason_with_a_number_says_it_and_its_limit() {
        use ForceOffReason as R;
        let said_of = [
            said(R::OverVelocity, |r| {
                r.arms[0].sample.linear_velocity = Vec3::new(0.0, -1.7, 0.0);
                r.arms[0].limits.velocity_limit_m_s = 1.5;
            }),
            said(R::OverVelocity, |r| {
                r.arms[0].sample.angular_velocity = Vec3::new(31.25, 0.0, 0.0);
                r.arms[0].limits.angular_velocity_limit_rad_s = 20.0;
            }),
            said(R::OverTemperature, |r| {
                r.arms[0].sample.temperature_c = Some(81.5);
                r.arms[0].limits.max_temperature_c = 70.0;
            }),
            said(R::StaleInput, |r| {
                r.arms[0].input_age_ns = 12_345_678;
                r.arms[0].limits.stale_input_ns = 10_000_000;
            }),
            said(R::StaleInput, |r| r.arms[0].sample.sequence = 0),
            // 9 periods: the sample was 1 ms old when the tick was due.
            said(R::StaleInput, |r| {
                (r.periods, r.blame) = (9, Blame::Loop);
                r.arms[0].input_age_ns = 9_000_000;
                r.arms[0].limits.stale_input_ns = 5_000_000;
            }),
            // Too old when the tick was due, and a loop that waits for its device.
            said(R::StaleInput, |r| {
                (r.periods, r.blame) = (3, Blame::Loop);
                r.arms[0].input_age_ns = 9_000_000;
                r.arms[0].limits.stale_input_ns = 5_000_000;
            }),
            said(R::StaleInput, |r| {
                (r.periods, r.blame) = (9, Blame::Device);
                r.arms[0].input_age_ns = 9_000_000;
                r.arms[0].limits.stale_input_ns = 5_000_000;
            }),
            said(R::StaleContact, |r| {
                r.arms[0].snapshot_age = 45;
                r.arms[0].limits.stale_contact_ns = 40_000_000;
            }),
            said(R::StaleContact, |r| {
                (r.arms[0].snapshot_age, r.arms[0].soft_age) = (2, 61);
                r.arms[0].soft_rows = 3;
                r.arms[0].limits.stale_contact_ns = 40_000_000;
            }),
            said(R::StaleContact, |r| {
                r.arms[0].limits.stale_contact_ns = 40_000_000;
            }),
            said(R::Stall, |r| {
                r.periods = 23;
                r.arms[0].limits.stall_ns = 20_000_000;
            }),
            said(R::Stall, |r| r.arms[0].sample.status.input_stalled = true),
            said(R::InvalidCommand, |r| {
                r.arms[0].wanted.torque_nm.x = f64::NAN
            }),
            said(R::InvalidSample, |r| {
                r.arms[0].sample.linear_velocity.y = f64::INFINITY;
            }),
            said(R::ClientLost, |r| {
                (r.gone[0], r.gone[1], r.gone_count) = (6, 7, 2);
                r.arms[0].removed_body = Some(7);
            }),
            said(R::Supervisor, |r| r.cut = true),
            said(R::DeviceLost, |_| {}),
        ];
        assert_eq!(
            said_of.join("\n"),
            ": 1.7 m/s, limit 1.5
: 31.25 rad/s, limit 20
: 81.5 C, limit 70
: 12.35 ms, limit 10
: the arm has not reported yet
: the loop was late by 8 ms, the sample was 9 ms old, limit 5
: 9 ms, limit 5
: 9 ms, limit 5
: 45 ms, limit 40
: soft surfaces 61 ms, limit 40
: no answer yet, limit 40 ms
: no tick for 23 ms, limit 20
: the arm's queue of reports overflowed
: its torque
: its velocity
: body 7 is gone
: an immediate stop was ordered
"
        );
    }
}
