//! Events of the loop in words: each event once, in the log and for the live view.
//!
//! | event | line of the log |
//! |---|---|
//! | force goes off | `WARN arm=right force off: contact data too old (34): 45 ms, limit 40` |
//! | another reason while it is off | `WARN arm=right force still off: device lost (2), after ...` |
//! | its cause is over | `INFO arm=right cause over: contact data too old (34), for 35 ms` |
//! | full force is back | `INFO arm=right force on, off for 241 ms` |
//! | the gain is lowered | `WARN arm=right gain lowered: force 0.50, ...` |
//! | an arm goes, comes | only at `debug`: its thread says why |
//!
//! When the daemon ends, force goes off at `INFO`. The first [`MAX_FORCE_OFFS`] force-offs of an
//! arm in a minute have separate lines; the others are counted by reason and reported at the end of
//! the minute. The same holds for changes of the reason while force is off, and for lowered gains.

use std::collections::BTreeMap;

use hapticd_devices::safety::ForceOffReason;

use hapticd_loop::cause::Cause;
use hapticd_loop::events::{Gaps, LoopEvent, LoopEventKind};
use hapticd_loop::line_limit::Limit;

/// Maximum number of force-offs of an arm in a minute with separate lines.
pub const MAX_FORCE_OFFS: u64 = 20;

/// Log state of one arm.
#[derive(Clone, Debug)]
struct ArmLog {
    name: String,
    /// Time at which force went off, ns, and whether a line said so; `None` while it is on, or if
    /// it never was.
    off: Option<(u64, bool)>,
    /// Time at which the present cause began, ns, its code, and whether a line said so.
    cause: Option<(u64, u8, bool)>,
    offs: Offs,
    still_offs: Offs,
    lowered: Limit,
}

/// Force-offs of this minute, or changes of the reason while force was off.
#[derive(Clone, Debug)]
struct Offs {
    limit: Limit,
    /// Those without a line, by reason.
    more: BTreeMap<u8, u64>,
}

impl Offs {
    fn new() -> Self {
        Offs {
            limit: Limit::new(MAX_FORCE_OFFS),
            more: BTreeMap::new(),
        }
    }

    /// Counts one more. Returns whether it gets a line.
    fn admit(&mut self, now_ns: u64, reason: u8) -> bool {
        let admitted = self.limit.admit(now_ns);
        if !admitted {
            *self.more.entry(reason).or_default() += 1;
        }
        admitted
    }

    /// Takes the number of those without a line, and what they were; `None` if all have one.
    fn take_more(&mut self) -> Option<(u64, String)> {
        let more = std::mem::take(&mut self.more);
        let each: Vec<String> = more
            .iter()
            .map(|(reason, count)| format!("{count} x {}", text(*reason)))
            .collect();
        let count: u64 = more.values().sum();
        (count > 0).then(|| (count, each.join(", ")))
    }
}

/// Writes the log of the loop's events. Not real-time.
#[derive(Debug)]
pub struct Logbook {
    arms: Vec<ArmLog>,
    gaps: Gaps,
}

impl Logbook {
    /// Creates a logbook for arms of these names, by index.
    pub fn new(names: &[String]) -> Self {
        let arm = |name: &String| ArmLog {
            name: name.clone(),
            off: None,
            cause: None,
            offs: Offs::new(),
            still_offs: Offs::new(),
            lowered: Limit::new(MAX_FORCE_OFFS),
        };
        Logbook {
            arms: names.iter().map(arm).collect(),
            gaps: Gaps::default(),
        }
    }

    /// Logs one event. Returns its words if it is also for the live view and the recording.
    pub fn event(&mut self, event: &LoopEvent) -> Option<String> {
        let missing = self.gaps.before(event);
        if missing > 0 {
            tracing::warn!(
                event = "events_lost",
                count = missing,
                "{missing} events of the loop are missing here: the scribe could not keep up"
            );
        }
        self.minute(event.now_ns);
        let arm = self.arms.get_mut(usize::from(event.arm))?;
        let name = arm.name.clone();
        arm.tell(event).map(|words| format!("{name}: {words}"))
    }

    /// Takes the time of a tick. Once a minute is over, logs what was only counted in it.
    pub fn minute(&mut self, now_ns: u64) {
        for arm in &mut self.arms {
            if arm.offs.limit.ended(now_ns).is_some() {
                arm.say_more_offs();
            }
            if arm.still_offs.limit.ended(now_ns).is_some() {
                arm.say_more_still_offs();
            }
            let more = arm.lowered.ended(now_ns);
            arm.more_lowered(more);
        }
    }

    /// Logs what was only counted, at the end of the run.
    pub fn finish(&mut self) {
        for arm in &mut self.arms {
            arm.say_more_offs();
            arm.say_more_still_offs();
            let more = arm.lowered.finish();
            arm.more_lowered(more);
        }
    }
}

impl ArmLog {
    fn tell(&mut self, event: &LoopEvent) -> Option<String> {
        match event.kind {
            LoopEventKind::ArmAttached | LoopEventKind::ArmLost => {
                let is_there = event.kind == LoopEventKind::ArmAttached;
                let words = if is_there { "attached" } else { "gone" };
                let (arm, tick) = (self.name.as_str(), event.tick);
                tracing::debug!(arm, tick, "loop: arm {words}");
                Some(words.to_owned())
            }
            LoopEventKind::ForceOff { reason, cause }
            | LoopEventKind::StillOff { reason, cause } => Some(self.off(event, reason, cause)),
            LoopEventKind::CauseOver { reason } => {
                self.cause_over(event);
                Some(format!("cause over: {}", text(reason)))
            }
            LoopEventKind::ForceOn => {
                self.on(event);
                None
            }
            LoopEventKind::GainLowered {
                oscillation,
                energy,
            } => Some(self.lowered(event, oscillation, energy)),
        }
    }

    fn off(&mut self, event: &LoopEvent, reason: u8, cause: Cause) -> String {
        // A new cause ends the old one.
        let before = self.take_cause(event.now_ns);
        let (name, what, offs) = match event.kind {
            LoopEventKind::StillOff { .. } => {
                ("force_still_off", "force still off", &mut self.still_offs)
            }
            _ => ("force_off", "force off", &mut self.offs),
        };
        let admitted = offs.admit(event.now_ns, reason);
        let words = format!("{what}: {}{cause}", text(reason));
        if admitted {
            let after = before.map_or_else(String::new, |(reason, off_ms, _)| {
                format!(", after {} for {}", text(reason), length(off_ms))
            });
            let end = if cause.awaits_a_clear(reason) {
                "; needs `hapticd clear`"
            } else {
                ""
            };
            let (arm, tick) = (self.name.as_str(), event.tick);
            let event = name;
            let (value, limit) = cause.numbers();
            macro_rules! tell {
                ($at:ident) => {
                    tracing::$at!(
                        arm,
                        event,
                        reason,
                        tick,
                        value,
                        limit,
                        "{words}{after}{end}"
                    )
                };
            }
            // A shutdown is intended, so it is no reason to warn.
            if reason == ForceOffReason::Shutdown.code() {
                tell!(info);
            } else {
                tell!(warn);
            }
        }
        self.cause = Some((event.now_ns, reason, admitted));
        let (_, told) = self.off.get_or_insert((event.now_ns, false));
        *told |= admitted;
        words
    }

    /// Ends the present cause. Returns its reason, its duration in ms, and whether a line reported
    /// its beginning.
    fn take_cause(&mut self, now_ns: u64) -> Option<(u8, f64, bool)> {
        let (since_ns, reason, told) = self.cause.take()?;
        Some((reason, ms(now_ns, since_ns), told))
    }

    fn cause_over(&mut self, event: &LoopEvent) {
        let Some((reason, off_ms, true)) = self.take_cause(event.now_ns) else {
            return;
        };
        let (arm, tick) = (self.name.as_str(), event.tick);
        let (words, length) = (text(reason), length(off_ms));
        tracing::info!(
            arm,
            event = "cause_over",
            reason,
            off_ms,
            tick,
            "cause over: {words} for {length}"
        );
    }

    fn on(&mut self, event: &LoopEvent) {
        let (arm, tick) = (self.name.as_str(), event.tick);
        match self.off.take() {
            None => tracing::info!(arm, event = "force_on", tick, "force on"),
            Some((since_ns, true)) => {
                let off_ms = ms(event.now_ns, since_ns);
                let length = length(off_ms);
                tracing::info!(
                    arm,
                    event = "force_on",
                    off_ms,
                    tick,
                    "force on after {length}"
                );
            }
            Some((_, false)) => {}
        }
    }

    fn lowered(&mut self, event: &LoopEvent, [force, torque]: [f64; 2], energy: f64) -> String {
        let words = format!(
            "gain lowered: force {force:.2}, torque {torque:.2} after oscillation; {energy:.2} \
             after energy fed to the hand"
        );
        if self.lowered.admit(event.now_ns) {
            let (arm, tick) = (self.name.as_str(), event.tick);
            tracing::warn!(
                arm,
                event = "gain_lowered",
                force,
                torque,
                energy,
                tick,
                "{words}"
            );
        }
        words
    }

    fn more_lowered(&self, count: Option<u64>) {
        if let Some(count) = count {
            let arm = self.name.as_str();
            tracing::warn!(
                arm,
                event = "gain_lowered_more",
                count,
                "gain lowered {count} more times in the last minute"
            );
        }
    }

    fn say_more_offs(&mut self) {
        let arm = self.name.as_str();
        if let Some((count, each)) = self.offs.take_more() {
            tracing::warn!(
                arm,
                event = "force_off_more",
                count,
                "force off {count} more times in the last minute: {each}"
            );
        }
    }

    fn say_more_still_offs(&mut self) {
        let arm = self.name.as_str();
        if let Some((count, each)) = self.still_offs.take_more() {
            tracing::warn!(
                arm,
                event = "force_still_off_more",
                count,
                "while force was off its reason changed {count} more times in the last minute: {each}"
            );
        }
    }
}

fn text(reason: u8) -> String {
    ForceOffReason::from_code(reason)
        .map_or_else(|| format!("unknown ({reason})"), |r| r.to_string())
}

fn ms(now_ns: u64, since_ns: u64) -> f64 {
    now_ns.saturating_sub(since_ns) as f64 * 1e-6
}

fn length(ms: f64) -> String {
    if ms < 10_000.0 {
        format!("{ms:.0} ms")
    } else {
        format!("{:.1} s", ms * 1e-3)
    }
}
