//! The judge: a pure function of the recorded ticks and the notes.
//!
//! Every bound is a number of ticks that the loop ran; a machine that pauses runs none.

use crate::{
    notes::{Note, What},
    recording::{Tick, length},
};
use std::fmt;

/// What the configuration of an episode guarantees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Guarantees {
    /// Peak force of the initial configuration, N.
    pub peak_n: f64,
    /// Maximum rate of change of a force, N/s.
    pub slew_n_per_s: f64,
    /// Longer pauses count as this long for the slew limit, ns.
    pub stall_ns: u64,
    /// Ramp of the force after it was off, s.
    pub ramp_s: f64,
    /// Period of the loop, ns.
    pub period_ns: u64,
    /// The arm that touches only bodies of the pressing client.
    pub lone_arm: usize,
    /// Top of that client's bodies, m; the hand is inside when it is lower.
    pub top_m: f64,
    /// A silent client's force ramps to at most this, N.
    pub silent_max_n: f64,
    /// Maximum number of ticks from a cause (a client's death, SIGTERM) to a force of exactly zero.
    pub zero_ticks: usize,
    /// Maximum number of ticks from a client's last message to no force: its lease, `zero_ticks`
    /// until that is seen, and as many again for an answer that reflects it.
    pub silent_ticks: usize,
}

/// Result of one rule.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// Name of the rule.
    pub rule: &'static str,
    /// Number of ticks or events that were checked.
    pub checked: usize,
    /// Number of violations.
    pub broken: usize,
    /// Description of the first violation, or figures.
    pub words: String,
}

impl Verdict {
    fn new(rule: &'static str) -> Self {
        Self {
            rule,
            ..Self::default()
        }
    }

    fn breaks(&mut self, words: impl FnOnce() -> String) {
        self.broken += 1;
        if self.broken == 1 {
            self.words = words();
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            checked,
            broken,
            words,
        } = self;
        let word = if *broken == 0 { "holds" } else { "BROKEN" };
        write!(f, "{rule:<12} {word:<6} {broken} of {checked}")?;
        if words.is_empty() {
            Ok(())
        } else {
            write!(f, "; {words}")
        }
    }
}

/// Checks an episode against every rule that is visible in ticks and notes.
pub fn judge(promises: &Guarantees, ticks: &[Tick], notes: &[Note]) -> Vec<Verdict> {
    let case = Case {
        promises,
        ticks,
        notes,
    };
    vec![
        case.limits(),
        case.slew(),
        case.reasons(),
        case.deaths(),
        case.silence(),
        case.returns(),
        case.events(),
        case.end(),
        case.usage(),
    ]
}

struct Case<'a> {
    promises: &'a Guarantees,
    ticks: &'a [Tick],
    notes: &'a [Note],
}

impl Case<'_> {
    /// Returns pairs of consecutive ticks, without pairs across ticks that the recorder lost.
    fn pairs(ticks: &[Tick]) -> impl Iterator<Item = &[Tick]> {
        let pairs = ticks.windows(2);
        pairs.filter(|pair| pair[1].tick == pair[0].tick + 1)
    }

    /// Returns the index of the first tick after a time.
    fn after(&self, at_ns: u64) -> usize {
        self.ticks.partition_point(|tick| tick.now_ns <= at_ns)
    }

    /// Returns the number of ticks that the slew limit takes from the highest force to none, plus
    /// two for rounding.
    fn slew_ticks(&self) -> usize {
        let p = self.promises;
        let per_tick = p.slew_n_per_s * p.period_ns as f64 * 1e-9;
        (p.peak_n / per_tick).ceil() as usize + 2
    }

    /// Rule: from a few ticks after its acknowledgement, no force is above a limit. A tightening
    /// counts until a technician begins to undo it.
    fn limits(&self) -> Verdict {
        let mut verdict = Verdict::new("limits");
        let arms = self.ticks.first().map_or(0, |tick| tick.arms.len());
        for arm in 0..arms {
            let mut from = 0;
            let mut bound = self.promises.peak_n;
            let mut asked = Vec::new();
            let mut reloaded = self.promises.peak_n;
            // Requests made before this time may have been undone.
            let mut undone_ns = 0;
            let is = |of: u8| of == 255 || usize::from(of) == arm;
            for note in self.notes {
                match note.what {
                    What::Tightened {
                        arm: of,
                        peak_n,
                        asked_ns,
                    } if is(of) && asked_ns >= undone_ns => asked.push(peak_n),
                    What::Undoing { arm: of } if is(of) => {
                        asked.clear();
                        undone_ns = u64::MAX;
                    }
                    What::Undone { arm: of } if is(of) => undone_ns = note.at_ns,
                    What::Reloaded { peak_n } => reloaded = reloaded.min(peak_n),
                    _ => continue,
                }
                let next = asked.iter().copied().fold(reloaded, f64::min);
                // An undone limit ends when the technician asks; a new one gets its ticks of grace.
                let grace = if next < bound { self.slew_ticks() } else { 0 };
                let to = (self.after(note.at_ns) + grace).min(self.ticks.len());
                self.below(&mut verdict, arm, from.min(to)..to, bound);
                (from, bound) = (to, next);
            }
            self.below(&mut verdict, arm, from..self.ticks.len(), bound);
        }
        verdict
    }

    fn below(&self, verdict: &mut Verdict, arm: usize, of: std::ops::Range<usize>, bound: f64) {
        for tick in &self.ticks[of.start.min(of.end)..of.end] {
            let force = tick.arms[arm].length_n();
            verdict.checked += 1;
            // A NaN exceeds every bound.
            if !(force <= bound + 1e-9) {
                verdict.breaks(|| {
                    format!(
                        "tick {}: {force:.3} N on arm {arm}, {bound:.3} N acknowledged",
                        tick.tick
                    )
                });
            }
        }
    }

    /// Rule: a force changes at most by the slew limit, or goes to exactly zero.
    fn slew(&self) -> Verdict {
        let mut verdict = Verdict::new("slew");
        for pair in Self::pairs(self.ticks) {
            let dt_ns = pair[1].now_ns.saturating_sub(pair[0].now_ns);
            let dt_s = dt_ns.min(self.promises.stall_ns) as f64 * 1e-9;
            let most = self.promises.slew_n_per_s * dt_s * (1.0 + 1e-9) + 1e-9;
            for (arm, (old, new)) in pair[0].arms.iter().zip(&pair[1].arms).enumerate() {
                let change: [f64; 3] = std::array::from_fn(|k| new.force_n[k] - old.force_n[k]);
                let (change, zero) = (length(&change), new.length_n() == 0.0);
                verdict.checked += 1;
                if !(change <= most || zero) {
                    let tick = pair[1].tick;
                    verdict.breaks(|| {
                        format!("tick {tick}: arm {arm} by {change:.3} N, {most:.3} N allowed")
                    });
                }
            }
        }
        verdict
    }

    /// Rule: force that is taken away has a reason.
    fn reasons(&self) -> Verdict {
        let mut verdict = Verdict::new("reasons");
        let mut counts = std::collections::BTreeMap::new();
        for pair in Self::pairs(self.ticks) {
            for (arm, (old, new)) in pair[0].arms.iter().zip(&pair[1].arms).enumerate() {
                if is_on(old.state) && is_off(new.state) {
                    verdict.checked += 1;
                    *counts.entry(new.reason).or_insert(0_u32) += 1;
                    if new.reason == 0 {
                        verdict.breaks(|| format!("tick {}: arm {arm} has none", pair[1].tick));
                    }
                }
            }
        }
        if verdict.broken == 0 {
            let counts: Vec<_> = counts.iter().map(|(r, n)| format!("{n} of {r}")).collect();
            verdict.words = format!("by reason: {}", counts.join(", "));
        }
        verdict
    }

    /// Returns the lone arm's forces from a tick on, up to the next body put under it or the end.
    fn lone(&self, from: usize, to_ns: u64) -> &[Tick] {
        let to = self.after(to_ns).max(from);
        &self.ticks[from..to]
    }

    /// Returns the time at which the next body is requested or SIGTERM is sent.
    fn next_body_ns(&self, at_ns: u64) -> u64 {
        let next = |note: &&Note| {
            note.at_ns > at_ns && matches!(note.what, What::Adding | What::Terminated)
        };
        self.notes.iter().find(next).map_or(u64::MAX, |n| n.at_ns)
    }

    /// Rule: a dead client's bodies produce no force a few ticks after its death is visible.
    fn deaths(&self) -> Verdict {
        let mut verdict = Verdict::new("deaths");
        let mut slowest = 0;
        for note in self.notes.iter().filter(|note| note.what == What::Dead) {
            let ticks = self.lone(self.after(note.at_ns), self.next_body_ns(note.at_ns));
            verdict.checked += 1;
            slowest = slowest.max(self.zero(&mut verdict, ticks, self.promises.zero_ticks, 0.0));
        }
        if verdict.broken == 0 {
            verdict.words = format!("zero after {slowest} ticks at most");
        }
        verdict
    }

    /// Checks that force is at most `silent_max_n` within `within` ticks and stays so; returns the
    /// number of ticks that it took.
    fn zero(
        &self,
        verdict: &mut Verdict,
        ticks: &[Tick],
        within: usize,
        silent_max_n: f64,
    ) -> usize {
        let arm = self.promises.lone_arm;
        let force = |tick: &Tick| tick.arms.get(arm).map_or(0.0, |arm| arm.length_n());
        let last = ticks
            .iter()
            .rposition(|tick| !(force(tick) <= silent_max_n));
        let Some(last) = last else { return 0 };
        // By number, because the recorder may have lost some.
        let count = (ticks[last].tick - ticks[0].tick) as usize;
        if count >= within {
            verdict.breaks(|| {
                let (tick, force) = (ticks[last].tick, force(&ticks[last]));
                format!("tick {tick}: {force:.3} N still, {count} ticks after it, {within} allowed")
            });
        }
        count + 1
    }

    /// Rule: a silent client loses its force.
    fn silence(&self) -> Verdict {
        let mut verdict = Verdict::new("silence");
        for (at_ns, until_ns) in self.stops() {
            let ticks = self.lone(self.after(at_ns), until_ns);
            // Continued before its lease ended: there is nothing to check.
            if ticks.len() > self.promises.silent_ticks {
                verdict.checked += 1;
                let within = self.promises.silent_ticks;
                self.zero(&mut verdict, ticks, within, self.promises.silent_max_n);
            }
        }
        verdict
    }

    /// Returns true if the pressing client has its body at this note.
    fn has_body(&self, index: usize) -> bool {
        let told =
            |note: &&Note| matches!(note.what, What::Adding | What::Added { .. } | What::Dead);
        let last = self.notes[..index].iter().rfind(told);
        last.is_some_and(|note| matches!(note.what, What::Added { .. }))
    }

    /// Returns pairs of SIGSTOP and the event that ended it, as times.
    fn stops(&self) -> impl Iterator<Item = (u64, u64)> {
        let stops = self.notes.iter().enumerate();
        stops.filter_map(|(index, note)| {
            if note.what != What::Stopped || !self.has_body(index) {
                return None;
            }
            let ends = |note: &&Note| {
                matches!(
                    note.what,
                    What::Continued | What::Dead | What::Adding | What::Terminated
                )
            };
            let end = self.notes[index..].iter().find(ends)?;
            Some((note.at_ns, end.at_ns))
        })
    }

    /// Rule: when a silent client sends again while the hand is inside throughout, its force
    /// returns no faster than the ramp.
    fn returns(&self) -> Verdict {
        let mut verdict = Verdict::new("returns");
        let arm = self.promises.lone_arm;
        for (index, note) in self.notes.iter().enumerate() {
            if note.what != What::Continued || !self.has_body(index) {
                continue;
            }
            let from = self.after(note.at_ns);
            let before = &self.ticks[from.saturating_sub(20)..from];
            let off = before.len() == 20
                && before.iter().all(|tick| {
                    let arm = &tick.arms[arm];
                    arm.length_n() <= self.promises.silent_max_n
                        && arm.hand_z_m < self.promises.top_m
                });
            if !off {
                continue;
            }
            let inside = self.lone(from, self.next_body_ns(note.at_ns));
            let inside = inside.iter().take(500);
            let inside = inside.take_while(|tick| tick.arms[arm].hand_z_m < self.promises.top_m);
            let mut on = 0;
            for tick in inside {
                let force = tick.arms[arm].length_n();
                on += usize::from(force > 0.0);
                let time_s = (on * self.promises.period_ns as usize) as f64 * 1e-9;
                // A tick more or less is tolerated, and so is a small force at the start.
                let most = self.promises.peak_n * time_s / self.promises.ramp_s * 1.1 + 0.25;
                verdict.checked += 1;
                if force > most {
                    verdict.breaks(|| {
                        format!(
                            "tick {}: {force:.3} N after {on} ticks, {most:.3} N allowed",
                            tick.tick
                        )
                    });
                }
            }
        }
        verdict
    }

    /// Rule: every force-off is reported with its tick, or counted as lost.
    fn events(&self) -> Verdict {
        let mut verdict = Verdict::new("events");
        let find = |what: &What| self.notes.iter().find(|note| note.what == *what);
        let Some(listening) = find(&What::Listening) else {
            verdict.breaks(|| "nobody listened".to_owned());
            return verdict;
        };
        let end_ns = find(&What::Terminated).map_or(u64::MAX, |note| note.at_ns);
        let from = self.after(listening.at_ns);
        // A cut in the last tenth of a second may be reported when no client listens any more.
        let to = self.after(end_ns.saturating_sub(100_000_000)).max(from);
        let mut told: Vec<(u8, u64)> = Vec::new();
        let mut lost = 0_usize;
        for note in self.notes {
            match note.what {
                What::ForceOff { arm, tick, .. } => told.push((arm, tick)),
                What::Lost { count } => lost += count as usize,
                _ => {}
            }
        }
        let mut untold = 0_usize;
        let mut first = String::new();
        for pair in Self::pairs(&self.ticks[from..to]) {
            for (arm, (old, new)) in pair[0].arms.iter().zip(&pair[1].arms).enumerate() {
                if !(is_on(old.state) && is_off(new.state)) {
                    continue;
                }
                verdict.checked += 1;
                let tick = pair[1].tick;
                let is_told =
                    |(of, at): &(u8, u64)| usize::from(*of) == arm && at.abs_diff(tick) <= 1;
                if !told.iter().any(is_told) {
                    untold += 1;
                    if untold == 1 {
                        first = format!(
                            "tick {tick}: arm {arm}, reason {}, was not told",
                            new.reason
                        );
                    }
                }
            }
        }
        verdict.broken = untold.saturating_sub(lost);
        verdict.words = match verdict.broken {
            0 => format!("{} told, {lost} lost and counted", told.len()),
            _ => first,
        };
        verdict
    }

    /// Rule: after SIGTERM force is zero within its bound, and the daemon ends well.
    fn end(&self) -> Verdict {
        let mut verdict = Verdict::new("end");
        let terminated = self.notes.iter().find(|n| n.what == What::Terminated);
        let Some(terminated) = terminated else {
            verdict.breaks(|| "it ended before it was told to".to_owned());
            return verdict;
        };
        let ticks = &self.ticks[self.after(terminated.at_ns)..];
        let within = self.promises.zero_ticks;
        verdict.checked += 2;
        let forces = |tick: &Tick| tick.arms.iter().any(|arm| arm.length_n() != 0.0);
        let last = ticks.iter().rposition(forces);
        if let Some(last) = last.filter(|last| *last >= within) {
            let tick = ticks[last].tick;
            verdict.breaks(|| format!("tick {tick}: force {last} ticks after, {within} allowed"));
        }
        let status = self.notes.iter().find_map(|note| match note.what {
            What::Exited { status } => Some(status),
            _ => None,
        });
        if status != Some(Some(0)) {
            verdict.breaks(|| format!("exit status {status:?}"));
        }
        if verdict.broken == 0 {
            verdict.words = format!("zero after {} ticks", last.map_or(0, |last| last + 1));
        }
        verdict
    }

    /// Rule: descriptors and threads are as many as before the chaos, and memory is not much more.
    fn usage(&self) -> Verdict {
        let mut verdict = Verdict::new("usage");
        let usage = |wanted: bool| {
            self.notes.iter().rev().find_map(|note| match note.what {
                What::Usage {
                    before,
                    resident,
                    descriptors,
                    threads,
                } if before == wanted => Some([resident, descriptors, threads]),
                _ => None,
            })
        };
        let (Some(before), Some(after)) = (usage(true), usage(false)) else {
            verdict.breaks(|| "it was not measured".to_owned());
            return verdict;
        };
        verdict.checked = 3;
        verdict.words = format!(
            "resident {} to {} MB, descriptors {} to {}, threads {} to {}",
            before[0] >> 20,
            after[0] >> 20,
            before[1],
            after[1],
            before[2],
            after[2]
        );
        // The allocator keeps some freed memory; a leak of every body is far larger.
        let grown = after[0] > before[0] + (256 << 20);
        for broken in [grown, after[1] > before[1], after[2] > before[2]] {
            verdict.broken += usize::from(broken);
        }
        verdict
    }
}

/// Returns true if force is or may be produced: ramping or active.
fn is_on(state: u8) -> bool {
    matches!(state, 2 | 3)
}

/// Returns true if force is or was being taken away: fading or fault.
fn is_off(state: u8) -> bool {
    matches!(state, 4 | 5)
}
