//! Reports changes of the GPUs once each: when one is given up, and when one has taken over again.

use std::sync::Mutex;

use hapticd_collision::broad_phase::BroadPhaseStats;
use hapticd_collision::deformable::DeformableState;
use hapticd_collision::gpu_supervisor::{GpuNews, GpuStats, GpuUse};
use hapticd_collision::mid_phase::MidPhaseStatus;
use hapticd_collision::skin::SkinThreadState;
use hapticd_monitor::scribe::Live;

/// What has been reported already.
pub(super) struct Notifier {
    contacts: GpuNews,
    mid_phase: GpuNews,
    skins: GpuNews,
    /// Number of refused frames of skins; `why` is the last reason.
    refused: u64,
    why: String,
    /// Last reason why the CPU made a large skin.
    why_instead: String,
}

impl Default for Notifier {
    fn default() -> Self {
        Notifier {
            contacts: GpuNews::new(GpuUse::Contacts),
            mid_phase: GpuNews::new(GpuUse::MidPhase),
            skins: GpuNews::new(GpuUse::Skins),
            refused: 0,
            why: String::new(),
            why_instead: String::new(),
        }
    }
}

impl Notifier {
    /// Reports the status of the collision thread, if the live view's lock is free.
    pub(super) fn near(&mut self, near: &Mutex<Option<MidPhaseStatus>>, live: &Mutex<Live>) {
        let facts = near.lock().map_or(None, |near| near.clone());
        if let Some(facts) = facts
            && let Ok(mut live) = live.try_lock()
        {
            (self.mid_phase).report(&facts.gpu, |line| live.push_event(line));
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
            if let Some(gpu) = &facts.gpu {
                self.skins.report(gpu, |line| live.push_event(line));
            }
            if facts.why_instead != self.why_instead {
                let is_loss = |gpu: &GpuStats| gpu.why == facts.why_instead;
                if !facts.gpu.as_ref().is_some_and(is_loss) {
                    let line = format!("the CPU made a large skin: {}", facts.why_instead);
                    tracing::warn!("{line}");
                    live.push_event(line);
                }
                self.why_instead.clone_from(&facts.why_instead);
            }
            live.skin = Some(facts);
        }
    }

    /// Reports the status of the soft bodies' thread, if the live view's lock is free.
    pub(super) fn deformable(&mut self, state: &DeformableState, live: &Mutex<Live>) {
        if let Ok(mut live) = live.try_lock() {
            let facts = state.facts();
            (self.contacts).report(&facts.gpu, |line| live.push_event(line));
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

#[cfg(test)]
mod tests {
    use hapticd_ccd::MidPhaseStats;

    use super::*;
    use hapticd_collision::mid_phase::MidPhaseTotals;

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
    fn a_lost_gpu_for_skins_is_told_once_and_so_is_the_next() {
        let live = Mutex::new(Live::new());
        let state = SkinThreadState::default();
        let mut told = Notifier::default();
        let mut look = |takeovers, handed_back, why: &str| {
            why.clone_into(&mut state.why_instead.lock().unwrap());
            *state.gpu.lock().unwrap() = Some(GpuStats {
                takeovers,
                why: why.to_owned(),
                handed_back,
                failed_attempts: 0,
            });
            for _ in 0..3 {
                told.skin(&state, &live);
            }
            let mut live = live.lock().unwrap();
            live.events.drain(..).collect::<Vec<_>>()
        };
        assert!(look(0, 0, "").is_empty());
        let line = "GPU skins lost (unplugged); falling back to CPU";
        assert_eq!(look(1, 0, "unplugged"), [line]);
        assert_eq!(look(1, 1, "unplugged"), ["GPU skins back"]);
        let line = "GPU skins lost (reset); falling back to CPU";
        assert_eq!(look(2, 1, "reset"), [line]);
    }

    #[test]
    fn a_loss_and_a_return_are_told_once_each() {
        let live = Mutex::new(Live::new());
        let near = Mutex::new(None);
        let state = DeformableState::default();
        let mut told = Notifier::default();
        let mut look = |takeovers, handed_back, why: &str| {
            let gpu = GpuStats {
                takeovers,
                why: why.to_owned(),
                handed_back,
                failed_attempts: 0,
            };
            state.detector.lock().unwrap().gpu = gpu.clone();
            let status = MidPhaseTotals::default().facts(&MidPhaseStats::default(), gpu);
            *near.lock().unwrap() = Some(status);
            for _ in 0..3 {
                told.near(&near, &live);
            }
            for _ in 0..3 {
                told.deformable(&state, &live);
            }
            let mut live = live.lock().unwrap();
            assert_eq!(live.near.as_ref(), near.lock().unwrap().as_ref());
            assert_eq!(live.deformable, Some(state.facts()));
            live.events.drain(..).collect::<Vec<_>>()
        };
        assert!(look(0, 0, "").is_empty());
        let lines = [
            "GPU mid-phase lost (unplugged); falling back to CPU",
            "GPU contacts lost (unplugged); falling back to CPU",
        ];
        assert_eq!(look(1, 0, "unplugged"), lines);
        assert!(look(1, 0, "unplugged").is_empty());
        let lines = ["GPU mid-phase back", "GPU contacts back"];
        assert_eq!(look(1, 1, "unplugged"), lines);
        // A return and a loss between two looks.
        let lines = [
            "GPU mid-phase back",
            "GPU mid-phase lost (hung); falling back to CPU",
            "GPU contacts back",
            "GPU contacts lost (hung); falling back to CPU",
        ];
        assert_eq!(look(2, 2, "hung"), lines);
    }
}
