//! Signs of life: which thread has shown none for how long. A silence is told once, and its end, too.

use std::time::Duration;

/// How long a thread may show no sign of life before that is an event.
const SILENCE: Duration = Duration::from_secs(1);

/// What was last seen of each thread.
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
                "{name} shows no sign of life since {:.1} s",
                (now - *since) as f64 * 1e-9
            );
            news.push(format!("{name} shows no sign of life"));
        }
    }
}
