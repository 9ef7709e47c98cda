//! What all kinetic structures have in common: time goes forwards, plans change at isolated
//! instants, and everything can be checked and rebuilt.

use crate::stats::Stats;

/// Events without time going on by [`STILL_S`] that are taken for a livelock (rule T8).
pub const MAX_STILL_EVENTS: u32 = 500;

/// What time has to go on by to count as going on, s.
pub const STILL_S: f64 = 1e-9;

/// How far beyond now a structure is rebuilt, as a share of the time scale: a little later the
/// objects are in general position again (rule T8).
pub const REBUILD_AFTER: f64 = 1e-6;

/// Most attempts of one [`Kinetic::advance_or_rebuild`] to make the structure again.
pub const MAX_REBUILDS: u32 = 16;

/// What a call of [`Kinetic::advance`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advanced {
    /// Events that were processed.
    pub events: u64,
    /// Those among them that changed what is kept up to date.
    pub external: u64,
}

/// A structure whose parts do not agree with each other or with the positions of the objects:
/// objects that are not in general position, or our own fault. [`Kinetic::rebuild`] rebuilds it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("at {time} s, object {object}: {what}")]
pub struct Inconsistent {
    /// When, s.
    pub time: f64,
    /// Which object, or the first of several.
    pub object: u32,
    /// What cannot be.
    pub what: &'static str,
}

/// A structure that is kept up to date while its objects move.
pub trait Kinetic {
    /// How an object moves.
    type Plan;
    /// Why a plan may be refused.
    type PlanError;

    /// The structure's time, s. It never decreases (rule T1).
    fn now(&self) -> f64;

    /// Time of the next event, infinite if there is none before the horizon.
    fn next_time(&self) -> f64;

    /// Processes the events up to `t`, one at a time (rule T6), and makes it now. An earlier `t`
    /// than now, or one that is no number, does nothing. An infinite one processes all events there
    /// are and leaves no time to go on from.
    ///
    /// # Errors
    /// A handler found what cannot be, or time stands still: [`MAX_STILL_EVENTS`].
    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent>;

    /// The object moves like this from now on. Costs what the object's certificates cost
    /// (locality).
    ///
    /// # Errors
    /// The plan is none; nothing has changed then.
    fn change_plan(&mut self, object: u32, plan: Self::Plan) -> Result<(), Self::PlanError>;

    /// Everything that is stored, against the positions at `t`, from scratch. For tests: `t` is to
    /// be now or, without events in between, later.
    ///
    /// # Errors
    /// The first thing that is not as it should be.
    fn audit(&self, t: f64) -> Result<(), Inconsistent>;

    /// Makes everything again from the positions at `t`, which becomes now if it is later.
    ///
    /// # Errors
    /// The objects are in no position that the structure can be made of.
    fn rebuild(&mut self, t: f64) -> Result<(), Inconsistent>;

    /// As [`Self::advance`], but where something cannot be the structure is rebuilt a little
    /// later ([`REBUILD_AFTER`] of `scale_s`), and goes on from there.
    ///
    /// # Errors
    /// The structure cannot be rebuilt either, or it took more than [`MAX_REBUILDS`] attempts.
    fn advance_or_rebuild(&mut self, t: f64, scale_s: f64) -> Result<Advanced, Inconsistent> {
        let mut done = Advanced::default();
        let mut attempt = 1.0;
        loop {
            let fault = match self.advance(t) {
                Ok(more) => {
                    done.events += more.events;
                    done.external += more.external;
                    return Ok(done);
                }
                Err(fault) => fault,
            };
            if attempt > f64::from(MAX_REBUILDS) {
                return Err(fault);
            }
            // What is degenerate at one time is so at the next, too, if that is a rounding away.
            self.rebuild(self.now() + attempt * REBUILD_AFTER * scale_s)?;
            attempt += 1.0;
        }
    }

    /// Counters.
    fn stats(&self) -> &Stats;

    /// Begins a new window of the counters.
    fn reset_stats(&mut self);
}

/// Counts the events at which time stands still, so that a structure ends a livelock with an error
/// (rule T8).
#[derive(Clone, Copy, Debug, Default)]
pub struct Livelock {
    since: f64,
    events: u32,
}

impl Livelock {
    /// No event yet, at `now`, s.
    #[must_use]
    pub fn new(now: f64) -> Self {
        Self {
            since: now,
            events: 0,
        }
    }

    /// Counts an event at `now`, s. True if more than `most` have come without time going on by
    /// [`STILL_S`].
    pub fn event(&mut self, now: f64, most: u32) -> bool {
        if now > self.since + STILL_S {
            *self = Self::new(now);
        }
        self.events += 1;
        self.events > most
    }
}
