//! Reports changes of the GPUs once each: when one is given up, and when one has taken over again.

use std::sync::Mutex;

use hapticd_collision::broad_phase::BroadPhaseStats;
use hapticd_collision::deformable::DeformableState;
use hapticd_collision::mid_phase::MidPhaseStatus;
use hapticd_collision::skin::SkinThreadState;
use hapticd_monitor::scribe::Live;

/// What has been reported already.
#[derive(Default)]
pub(super) struct Notifier {
    deformable: Counts,
    near: Counts,
    /// Number of refused frames of skins; `why` is the last reason.
    refused: u64,
    why: String,
    /// Last reason why the CPU made a large skin.
    why_instead: String,
}

/// Counts of one GPU.
#[derive(Default)]
struct Counts {
    takeovers: u64,
    handed_back: u64,
}

impl Counts {
    /// Returns whether the GPU was handed back, and whether it was given up, since the last call.
    /// They are reported in this order: a hand-back after a loss takes at least a second.
    fn news(&mut self, takeovers: u64, handed_back: u64) -> (bool, bool) {
        let news = (handed_back > self.handed_back, takeovers > self.takeovers);
        (self.handed_back, self.takeovers) = (handed_back, takeovers);
        news
    }
}

impl Notifier {
    /// Reports the status of the collision thread, if the live view's lock is free.
    pub(super) fn near(&mut self, near: &Mutex<Option<MidPhaseStatus>>, live: &Mutex<Live>) {
        let facts = near.lock().map_or(None, |near| near.clone());
        if let Some(facts) = facts
            && let Ok(mut live) = live.try_lock()
        {
            let (back, lost) = self.near.news(facts.takeovers, facts.handed_back);
            if back {
                back_again(&mut live, "GPU mid-phase back");
            }
            if lost {
                let why = &facts.why;
                let line = format!("GPU mid-phase lost ({why}); falling back to CPU");
                tracing::warn!("{line}");
                live.push_event(line);
            }
            live.near = Some(facts);
        }
    }

    /// Reports the status of the skin thread, if the live view's lock is free.
    pub(super) fn skin(&mut self, state: &SkinThreadState, live: &Mutex<Live>) {
        if let Ok(mut live) = live.try_lock() {
            let facts = state.facts();
            if facts.refused > self.refused {
                self.refused = facts.refused;
                // Every frame may be refused for the same reason.
                if facts.why != self.why {
                    let line = format!("a skin is not shown: {}", facts.why);
                    tracing::warn!("{line}");
                    live.push_event(line);
                    self.why.clone_from(&facts.why);
                }
            }
            if facts.why_instead != self.why_instead {
                let line = format!("the CPU made a large skin: {}", facts.why_instead);
                tracing::warn!("{line}");
                live.push_event(line);
                self.why_instead.clone_from(&facts.why_instead);
            }
            live.skin = Some(facts);
        }
    }

    /// Reports the status of the soft bodies' thread, if the live view's lock is free.
    pub(super) fn deformable(&mut self, state: &DeformableState, live: &Mutex<Live>) {
        if let Ok(mut live) = live.try_lock() {
            let facts = state.facts();
            let (back, lost) = self.deformable.news(facts.takeovers, facts.handed_back);
            if back {
                back_again(&mut live, "GPU contacts back");
            }
            if lost {
                let line = format!("the CPU took over the contacts: {}", facts.why);
                tracing::warn!("{line}");
                live.push_event(line);
            }
            live.deformable = Some(facts);
        }
    }
}

/// Copies the broad phase's statistics to the live view, if its lock is free.
pub(super) fn broad(broad: &Mutex<BroadPhaseStats>, live: &Mutex<Live>) {
    let facts = broad.lock().map(|facts| *facts);
    if let (Ok(facts), Ok(mut live)) = (facts, live.try_lock()) {
        live.broad = Some(facts);
    }
}

fn back_again(live: &mut Live, line: &str) {
    tracing::info!("{line}");
    live.push_event(line.to_owned());
}

#[cfg(test)]
mod tests {
    use hapticd_ccd::MidPhaseStats;

    use super::*;
    use hapticd_collision::mid_phase::MidPhaseHistory;

    #[test]
    fn each_reason_why_the_cpu_makes_large_skins_is_told_once() {
        let live = Mutex::new(Live::new());
        let state = SkinThreadState::default();
        let mut told = Notifier::default();
        let mut look = |why: &str| {
            why.clone_into(&mut state.why_instead.lock().unwrap());
            for _ in 0..3 {
                told.skin(&state, &live);
            }
            let mut live = live.lock().unwrap();
            live.events.drain(..).collect::<Vec<_>>()
        };
        assert!(look("").is_empty());
        assert_eq!(look("late"), ["the CPU made a large skin: late"]);
        assert!(look("late").is_empty());
        assert_eq!(look("lost"), ["the CPU made a large skin: lost"]);
    }

    #[test]
    fn a_loss_and_a_return_are_told_once_each() {
        let live = Mutex::new(Live::new());
        let near = Mutex::new(None);
        let mut told = Notifier::default();
        let mut book = MidPhaseHistory::default();
        let mut look = |book: &MidPhaseHistory, facts: &MidPhaseStats| {
            *near.lock().unwrap() = Some(book.facts(facts, 0));
            for _ in 0..3 {
                told.near(&near, &live);
            }
            let mut live = live.lock().unwrap();
            assert_eq!(live.near.as_ref(), near.lock().unwrap().as_ref());
            live.events.drain(..).collect::<Vec<_>>()
        };
        let asked = |answered, given_up: &str| MidPhaseStats {
            sent: answered,
            answered,
            given_up: given_up.to_owned(),
            ..MidPhaseStats::default()
        };
        assert!(look(&book, &asked(5, "")).is_empty());
        let lost = asked(5, "unplugged");
        let line = "GPU mid-phase lost (unplugged); falling back to CPU";
        assert_eq!(look(&book, &lost), [line]);
        book.replace(Some(&lost), &asked(1, ""));
        assert!(look(&book, &asked(1, "")).is_empty());
        let line = "GPU mid-phase back";
        assert_eq!(look(&book, &asked(2, "")), [line]);
        let line = "GPU mid-phase lost (hung); falling back to CPU";
        assert_eq!(look(&book, &asked(2, "hung")), [line]);
    }
}
