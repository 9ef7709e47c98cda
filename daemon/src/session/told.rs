//! What happens to the GPUs: told once when one is given up, and once when one is in charge again.

use std::sync::Mutex;

use crate::near::NearFacts;
use crate::scribe::Live;
use crate::soft::SoftState;

/// What was told already.
#[derive(Default)]
pub(super) struct Told {
    soft: Counts,
    near: Counts,
}

/// Of one GPU.
#[derive(Default)]
struct Counts {
    takeovers: u64,
    handed_back: u64,
}

impl Counts {
    /// Whether it was handed back, and whether it was given up, since the last look. In this order: a hand-back that follows takes a second at least.
    fn news(&mut self, takeovers: u64, handed_back: u64) -> (bool, bool) {
        let news = (handed_back > self.handed_back, takeovers > self.takeovers);
        (self.handed_back, self.takeovers) = (handed_back, takeovers);
        news
    }
}

impl Told {
    /// Looks at what the collision thread says, if the live view can be had.
    pub(super) fn near(&mut self, near: &Mutex<Option<NearFacts>>, live: &Mutex<Live>) {
        let facts = near.lock().map_or(None, |near| near.clone());
        if let Some(facts) = facts
            && let Ok(mut live) = live.try_lock()
        {
            let (back, lost) = self.near.news(facts.takeovers, facts.handed_back);
            if back {
                back_again(&mut live, "a GPU looks for what is near the tools again");
            }
            if lost {
                let why = &facts.why;
                let line = format!("the CPU alone looks for what is near the tools: {why}");
                tracing::warn!("{line}");
                live.push_event(line);
            }
            live.near = Some(facts);
        }
    }

    /// Looks at what the soft bodies' thread says, if the live view can be had.
    pub(super) fn soft(&mut self, state: &SoftState, live: &Mutex<Live>) {
        if let Ok(mut live) = live.try_lock() {
            let facts = state.facts();
            let (back, lost) = self.soft.news(facts.takeovers, facts.handed_back);
            if back {
                back_again(&mut live, "a GPU finds the contacts again");
            }
            if lost {
                let line = format!("the CPU took over the contacts: {}", facts.why);
                tracing::warn!("{line}");
                live.push_event(line);
            }
            live.soft = Some(facts);
        }
    }
}

fn back_again(live: &mut Live, line: &str) {
    tracing::info!("{line}");
    live.push_event(line.to_owned());
}
