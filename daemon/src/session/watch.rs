//! Signs of life: which threads have shown none, and for how long. The beginning and the end of a
//! silence are each reported once.

use std::time::Duration;

/// Time without a sign of life after which a thread's silence is reported.
const SILENCE: Duration = Duration::from_secs(1);

/// Last sign of life of each thread.
pub(super) struct Watch {
    seen: Vec<(u64, u64, bool)>,
    started: u64,
}

impl Watch {
    pub(super) fn new(started: u64) -> Self {
        Watch {
            seen: Vec::new(),
            started,
        }
    }

    pub(super) fn look(
        &mut self,
        name: &str,
        index: usize,
        beat: u64,
        now: u64,
        news: &mut Vec<String>,
    ) {
        while self.seen.len() <= index {
            self.seen.push((0, self.started, false));
        }
        let (last, since, told) = &mut self.seen[index];
        if beat != *last {
            if *told {
                tracing::warn!("{name} is alive again");
            }
            (*last, *since, *told) = (beat, now, false);
        } else if !*told && now - *since > SILENCE.as_nanos() as u64 {
            *told = true;
            tracing::error!(
                "{name} has not responded for {:.1} s",
                (now - *since) as f64 * 1e-9
            );
            news.push(format!("{name} shows no sign of life"));
        }
    }
}

/// Rounds of the supervisor (3 s) without a tick after which the loop counts as hung and the run
/// ends. Force does not wait for that: the arms' threads send zero as soon as the loop is silent.
/// The unit is rounds, not time: a machine that pauses does not hang, and one that is short of
/// processors may give the loop no tick for as long as a second.
const HUNG_ROUNDS: u32 = 150;

/// Tests whether the haptic loop still ticks, counted in the supervisor's rounds.
#[derive(Default)]
pub(super) struct Pulse {
    beat: u64,
    rounds: u32,
}

impl Pulse {
    /// Counts one round; `beat` counts the loop's ticks. Returns true if the loop hangs.
    pub(super) fn is_gone(&mut self, beat: u64) -> bool {
        if beat == self.beat {
            self.rounds += 1;
        } else {
            *self = Pulse { beat, rounds: 0 };
        }
        self.rounds >= HUNG_ROUNDS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_hangs_after_150_rounds_without_a_tick() {
        let mut pulse = Pulse::default();
        let gone: Vec<u32> = (0..1000)
            .filter(|k| pulse.is_gone(u64::from(20 + k / 150)))
            .collect();
        assert!(gone.is_empty(), "{gone:?}");
        // 100 rounds have passed since the last tick, the 26th.
        let first = (1..1000).find(|_| pulse.is_gone(26));
        assert_eq!(first, Some(51));
    }
}
