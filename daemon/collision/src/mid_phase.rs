//! Statistics of the mid-phase over a whole run, in which one GPU may replace another that was
//! given up.
//!
//! Pure; allocates only for the texts.

use hapticd_ccd::MidPhaseStats;

use crate::gpu_supervisor::GpuStats;

/// Statistics for people and scripts. Counts cover all GPUs that were asked.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct MidPhaseStatus {
    /// The backend in use: `GPU`, or `CPU` while the GPU is given up.
    pub backend: &'static str,
    /// Pairs of meshes sent to the GPU.
    pub sent: u64,
    /// Pairs answered in time and in full. The CPU answered all others.
    pub answered: u64,
    /// Answers with more pairs of triangles than capacity.
    pub short: u64,
    /// Answers that came too late.
    pub late: u64,
    /// Refused pairs: numbers out of range, no memory.
    pub refused: u64,
    /// Pairs of triangles in the last answer.
    pub candidates: u64,
    /// Time of the last answer on the GPU, µs.
    pub gpu_us: Option<f64>,
    /// Why the GPU is given up; empty while it is in use.
    pub given_up: String,
    /// What became of the GPUs.
    #[serde(flatten)]
    pub gpu: GpuStats,
}

/// Sums the counts of all backends so far.
#[derive(Clone, Debug, Default)]
pub struct MidPhaseTotals {
    /// Sum over earlier backends.
    past: MidPhaseStats,
    /// Counts of the present backend when it arrived, from its test query.
    arrived_with: MidPhaseStats,
}

impl MidPhaseTotals {
    /// Replaces the backend with statistics `old`, if any, by the one with statistics `new`. What
    /// the first one did before it arrived counts.
    pub fn replace(&mut self, old: Option<&MidPhaseStats>, new: &MidPhaseStats) {
        let Some(old) = old else { return };
        self.past = self.with(old);
        self.arrived_with = new.clone();
    }

    /// The sum, with the present backend's counts; its reason and measures are not in it.
    fn with(&self, now: &MidPhaseStats) -> MidPhaseStats {
        let (past, before) = (&self.past, &self.arrived_with);
        MidPhaseStats {
            sent: past.sent + now.sent - before.sent,
            answered: past.answered + now.answered - before.answered,
            short: past.short + now.short - before.short,
            late: past.late + now.late - before.late,
            refused: past.refused + now.refused - before.refused,
            ..MidPhaseStats::default()
        }
    }

    /// Statistics of the run so far. `now`: those of the present backend.
    pub fn facts(&self, now: &MidPhaseStats, gpu: GpuStats) -> MidPhaseStatus {
        let total = self.with(now);
        let is_given_up = !now.given_up.is_empty();
        MidPhaseStatus {
            backend: if is_given_up { "CPU" } else { "GPU" },
            sent: total.sent,
            answered: total.answered,
            short: total.short,
            late: total.late,
            refused: total.refused,
            candidates: now.candidates,
            gpu_us: now.gpu_ns.map(|ns| ns * 1e-3),
            given_up: now.given_up.clone(),
            gpu,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(sent: u64, answered: u64, given_up: &str) -> MidPhaseStats {
        MidPhaseStats {
            sent,
            answered,
            short: 1,
            late: sent - answered - 1,
            given_up: given_up.to_owned(),
            ..MidPhaseStats::default()
        }
    }

    #[test]
    fn counts_go_on_where_one_takes_the_place_of_another() {
        let mut totals = MidPhaseTotals::default();
        totals.replace(None, &asked(1, 0, ""));
        let status = |totals: &MidPhaseTotals, now: &MidPhaseStats| {
            let status = totals.facts(now, GpuStats::default());
            (status.backend, status.sent, status.answered)
        };
        assert_eq!(status(&totals, &asked(100, 90, "")), ("GPU", 100, 90));
        let lost = asked(101, 90, "lost");
        assert_eq!(status(&totals, &lost), ("CPU", 101, 90));

        // The next one was asked twice before it arrived.
        let came_with = asked(2, 1, "");
        totals.replace(Some(&lost), &came_with);
        assert_eq!(status(&totals, &came_with), ("GPU", 101, 90));
        let now = asked(12, 5, "");
        assert_eq!(status(&totals, &now), ("GPU", 111, 94));
        let facts = totals.facts(&now, GpuStats::default());
        assert_eq!((facts.short, facts.late), (1, 16));

        // And a third, which never answers.
        let late = asked(13, 5, "late");
        totals.replace(Some(&late), &asked(1, 0, ""));
        let hung = asked(9, 0, "late again");
        assert_eq!(status(&totals, &hung), ("CPU", 120, 94));
        let facts = totals.facts(&hung, GpuStats::default());
        assert_eq!(facts.given_up, "late again");
    }
}
