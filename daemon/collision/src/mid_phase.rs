//! What became of the questions about what is near the tools, over a whole run: one GPU may take
//! the place of another that was given up.
//!
//! Pure; allocates for the texts only.

use hapticd_ccd::MidPhaseStats;

use crate::gpu_supervisor::BackendState;

/// For people and scripts. Counts are those of all GPUs that were asked.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct MidPhaseStatus {
    /// Who is in charge: `GPU`, or `CPU` while it is given up.
    pub backend: &'static str,
    /// Pairs of meshes that it was asked about.
    pub sent: u64,
    /// Of those: answered in time and in full. All others were the CPU's.
    pub answered: u64,
    /// More pairs of triangles than room.
    pub short: u64,
    /// Too late.
    pub late: u64,
    /// Numbers out of range, no memory.
    pub refused: u64,
    /// Pairs of triangles in the last answer.
    pub candidates: u64,
    /// Time of the last answer on the GPU, µs.
    pub gpu_us: Option<f64>,
    /// Why it is given up; empty: it is not.
    pub given_up: String,
    /// Times that one was given up, and the CPU went on alone.
    pub takeovers: u64,
    /// Why, the last time.
    pub why: String,
    /// Times that it was handed back to one that answers.
    pub handed_back: u64,
    /// Attempts to have one again that came to nothing.
    pub failed_attempts: u64,
}

/// Keeps the counts of those that are gone.
#[derive(Clone, Debug, Default)]
pub struct MidPhaseHistory {
    /// Of those that are gone, all together.
    past: MidPhaseStats,
    /// Times that one of those was given up, and why the last time.
    takeovers: u64,
    why: String,
    /// Times that one took the place of another and then answered.
    handed_back: u64,
    /// What the one that is there had answered when it came, for a trial; `None`: it is the first.
    before: Option<MidPhaseStats>,
}

impl MidPhaseHistory {
    /// Another one, with these facts, takes the place of the one with those, if there was one.
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

    /// The one with these facts took another's place and has answered since.
    fn has_come_back(&self, now: &MidPhaseStats) -> bool {
        (self.before.as_ref()).is_some_and(|before| now.answered > before.answered)
    }

    /// How the one with these facts stands. The first one counts as in charge from the start.
    pub fn standing(&self, now: &MidPhaseStats) -> BackendState {
        if !now.given_up.is_empty() {
            BackendState::Lost
        } else if self.before.is_none() || self.has_come_back(now) {
            BackendState::Active
        } else {
            BackendState::Probation
        }
    }

    /// Of the run so far, with those of the one that is there.
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
        assert_eq!(book.standing(&first), BackendState::Active);
        assert_eq!(book.facts(&first, 0).takeovers, 0);
        let lost = asked(101, 90, "lost");
        assert_eq!(book.standing(&lost), BackendState::Lost);
        let facts = book.facts(&lost, 3);
        assert_eq!((facts.backend, facts.takeovers), ("CPU", 1));
        assert_eq!(
            (facts.why.as_str(), facts.given_up.as_str()),
            ("lost", "lost")
        );
        assert_eq!((facts.handed_back, facts.failed_attempts), (0, 3));

        // The next one was asked twice before it came.
        let came_with = asked(2, 1, "");
        book.replace(Some(&lost), &came_with);
        assert_eq!(book.standing(&came_with), BackendState::Probation);
        let facts = book.facts(&came_with, 3);
        assert_eq!(
            (facts.backend, facts.sent, facts.answered),
            ("GPU", 101, 90)
        );
        assert_eq!((facts.takeovers, facts.handed_back), (1, 0));
        let now = asked(12, 5, "");
        assert_eq!(book.standing(&now), BackendState::Active);
        let facts = book.facts(&now, 3);
        assert_eq!((facts.sent, facts.answered), (111, 94));
        assert_eq!((facts.short, facts.late), (1, 16));
        assert_eq!((facts.takeovers, facts.handed_back), (1, 1));
        assert_eq!((facts.why.as_str(), facts.given_up.as_str()), ("lost", ""));

        // And a third, which never answers.
        let late = asked(13, 5, "late");
        book.replace(Some(&late), &asked(1, 0, ""));
        let hung = asked(9, 0, "late again");
        assert_eq!(book.standing(&hung), BackendState::Lost);
        let facts = book.facts(&hung, 4);
        assert_eq!((facts.sent, facts.answered), (120, 94));
        assert_eq!((facts.takeovers, facts.handed_back), (3, 1));
        assert_eq!(facts.why, "late again");
    }
}
