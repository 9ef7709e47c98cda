//! State of one use's GPU and its counts over a run, in which one backend may replace another that
//! was given up.
//!
//! Pure; allocates only for the reason of a loss.

/// What the user of a backend knows of the present one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vitals<'a> {
    /// Why it was given up; empty while it is in use.
    pub given_up: &'a str,
    /// A count that grows when it answers, and never falls. It may begin anywhere: a backend may
    /// have answered before it arrived.
    pub answered: u64,
}

/// State of a backend, as seen by the user that it computes for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendState {
    /// The backend answers. The first one counts as active from the start.
    #[default]
    Active,
    /// The backend replaced another one and has not answered yet.
    Probation,
    /// The backend was given up: the CPU answers.
    Lost,
}

/// Counts of one use's GPU, for people and scripts.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct GpuStats {
    /// Times that a GPU was given up, active or on probation, and the CPU continued alone.
    pub takeovers: u64,
    /// Reason of the last takeover.
    pub why: String,
    /// Times that a GPU took over again and answered.
    pub handed_back: u64,
    /// Failed attempts to reopen a GPU.
    pub failed_attempts: u64,
}

/// Follows the backends of one user.
#[derive(Clone, Debug, Default)]
pub struct History {
    state: BackendState,
    /// Answers of the present backend when it arrived.
    arrived_with: u64,
    stats: GpuStats,
}

impl History {
    /// Notes what is known of the present backend, and returns its state.
    pub fn note(&mut self, now: Vitals<'_>) -> BackendState {
        // An answer counts even if the backend was given up right after it.
        if self.state == BackendState::Probation && now.answered > self.arrived_with {
            self.state = BackendState::Active;
            self.stats.handed_back += 1;
        }
        if self.state != BackendState::Lost && !now.given_up.is_empty() {
            self.state = BackendState::Lost;
            self.stats.takeovers += 1;
            now.given_up.clone_into(&mut self.stats.why);
        }
        self.state
    }

    /// Notes that a new backend was offered; `now` is of the one that is present afterwards. If
    /// that is the old one, which was given up, nothing has changed.
    pub fn replaced(&mut self, now: Vitals<'_>) {
        if now.given_up.is_empty() {
            self.state = BackendState::Probation;
            self.arrived_with = now.answered;
        }
    }

    /// The counts; [`GpuStats::failed_attempts`] is not known here.
    #[must_use]
    pub fn stats(&self) -> &GpuStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vitals(given_up: &str, answered: u64) -> Vitals<'_> {
        Vitals { given_up, answered }
    }

    #[test]
    fn each_loss_and_each_return_count_once() {
        let mut history = History::default();
        for answered in [0, 0, 7] {
            assert_eq!(history.note(vitals("", answered)), BackendState::Active);
        }
        for _ in 0..3 {
            assert_eq!(history.note(vitals("unplugged", 7)), BackendState::Lost);
        }
        // The next one has answered twice before it arrives.
        history.replaced(vitals("", 2));
        assert_eq!(history.note(vitals("", 2)), BackendState::Probation);
        assert_eq!(history.stats().handed_back, 0);
        for answered in [3, 4] {
            assert_eq!(history.note(vitals("", answered)), BackendState::Active);
        }
        // The third is given up on probation, the fourth right after its first answer.
        history.note(vitals("reset", 4));
        history.replaced(vitals("", 0));
        assert_eq!(history.note(vitals("late", 0)), BackendState::Lost);
        history.replaced(vitals("", 0));
        assert_eq!(history.note(vitals("hung", 1)), BackendState::Lost);
        let expected = GpuStats {
            takeovers: 4,
            why: "hung".to_owned(),
            handed_back: 2,
            failed_attempts: 0,
        };
        assert_eq!(history.stats(), &expected);
    }

    #[test]
    fn a_backend_that_is_refused_is_no_loss() {
        let mut history = History::default();
        history.note(vitals("unplugged", 0));
        history.replaced(vitals("unplugged", 0));
        assert_eq!(history.note(vitals("unplugged", 0)), BackendState::Lost);
        assert_eq!(history.stats().takeovers, 1);
    }
}
