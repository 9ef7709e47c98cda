//! Statistics of the mid-phase over a whole run, in which one GPU may replace another that was
//! given up.
//!
//! Pure; allocates only for the texts.

use hapticd_ccd::MidPhaseStats;

use crate::gpu_supervisor::BackendState;

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
    /// Times that a GPU was given up and the CPU continued alone.
    pub takeovers: u64,
    /// Reason of the last takeover.
    pub why: String,
    /// Times that a GPU took over again and answered.
    pub handed_back: u64,
    /// Failed attempts to reopen a GPU.
    pub failed_attempts: u64,
}

/// Keeps the counts of earlier backends.
#[derive(Clone, Debug, Default)]
pub struct MidPhaseHistory {
    /// Sum over earlier backends.
    past: MidPhaseStats,
    /// Times that one of them was given up, and the last reason.
    takeovers: u64,
    why: String,
    /// Times that a backend replaced another and then answered.
    handed_back: u64,
    /// Counts of the present backend when it arrived, from its test query; `None` for the first
    /// one.
    before: Option<MidPhaseStats>,
}

impl MidPhaseHistory {
    /// Replaces the backend with statistics `old`, if any, by the one with statistics `new`.
    pub fn replace(&mut self, old: Option<&MidPhaseStats>, new: &MidPhaseStats) {
        let Some(old) = old else { return };
        self.handed_back += u64::from(self.has_come_back(old));
        let came_with = self.before.take().unwrap_or_default();
        let past = &mut self.past;
        past.sent += old.sent - came_with.sent;
        past.answered += old.answered - came_with.answered;
        past.short += old.short - came_with.short;
        past.late += old.late - came_with.late;
        past.refused += old.refused - came_with.refused;
        if !old.given_up.is_empty() {
            self.takeovers += 1;
            self.why.clone_from(&old.given_up);
        }
        self.before = Some(new.clone());
    }

    /// Whether the backend with these statistics replaced another and has answered since.
    fn has_come_back(&self, now: &MidPhaseStats) -> bool {
        (self.before.as_ref()).is_some_and(|before| now.answered > before.answered)
    }

    /// State of the backend with these statistics. The first one counts as active from the start.
    pub fn backend_state(&self, now: &MidPhaseStats) -> BackendState {
        if !now.given_up.is_empty() {
            BackendState::Lost
        } else if self.before.is_none() || self.has_come_back(now) {
            BackendState::Active
        } else {
            BackendState::Probation
        }
    }

    /// Statistics of the run so far, including those of the present backend.
    pub fn facts(&self, now: &MidPhaseStats, failed_attempts: u64) -> MidPhaseStatus {
        let none = MidPhaseStats::default();
        let before = self.before.as_ref().unwrap_or(&none);
        let is_given_up = !now.given_up.is_empty();
        MidPhaseStatus {
            backend: if is_given_up { "CPU" } else { "GPU" },
            sent: self.past.sent + now.sent - before.sent,
            answered: self.past.answered + now.answered - before.answered,
            short: self.past.short + now.short - before.short,
            late: self.past.late + now.late - before.late,
            refused: self.past.refused + now.refused - before.refused,
            candidates: now.candidates,
            gpu_us: now.gpu_ns.map(|ns| ns * 1e-3),
            given_up: now.given_up.clone(),
            takeovers: self.takeovers + u64::from(is_given_up),
            why: if is_given_up {
                now.given_up.clone()
            } else {
                self.why.clone()
            },
            handed_back: self.handed_back + u64::from(self.has_come_back(now)),
            failed_attempts,
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
        let mut book = MidPhaseHistory::default();
        book.replace(None, &asked(1, 0, ""));
        let first = asked(100, 90, "");
        assert_eq!(book.backend_state(&first), BackendState::Active);
        assert_eq!(book.facts(&first, 0).takeovers, 0);
        let lost = asked(101, 90, "lost");
        assert_eq!(book.backend_state(&lost), BackendState::Lost);
        let facts = book.facts(&lost, 3);
        assert_eq!((facts.backend, facts.takeovers), ("CPU", 1));
        assert_eq!(
            (facts.why.as_str(), facts.given_up.as_str()),
            ("lost", "lost")
        );
        assert_eq!((facts.handed_back, facts.failed_attempts), (0, 3));

        // The next one was asked twice before it arrived.
        let came_with = asked(2, 1, "");
        book.replace(Some(&lost), &came_with);
        assert_eq!(book.backend_state(&came_with), BackendState::Probation);
        let facts = book.facts(&came_with, 3);
        assert_eq!(
            (facts.backend, facts.sent, facts.answered),
            ("GPU", 101, 90)
        );
        assert_eq!((facts.takeovers, facts.handed_back), (1, 0));
        let now = asked(12, 5, "");
        assert_eq!(book.backend_state(&now), BackendState::Active);
        let facts = book.facts(&now, 3);
        assert_eq!((facts.sent, facts.answered), (111, 94));
        assert_eq!((facts.short, facts.late), (1, 16));
        assert_eq!((facts.takeovers, facts.handed_back), (1, 1));
        assert_eq!((facts.why.as_str(), facts.given_up.as_str()), ("lost", ""));

        // And a third, which never answers.
        let late = asked(13, 5, "late");
        book.replace(Some(&late), &asked(1, 0, ""));
        let hung = asked(9, 0, "late again");
        assert_eq!(book.backend_state(&hung), BackendState::Lost);
        let facts = book.facts(&hung, 4);
        assert_eq!((facts.sent, facts.answered), (120, 94));
        assert_eq!((facts.takeovers, facts.handed_back), (3, 1));
        assert_eq!(facts.why, "late again");
    }
}
