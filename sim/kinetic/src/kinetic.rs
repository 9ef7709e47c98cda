//! The interface that all kinetic structures share: time moves forwards, plans change at isolated
//! instants, and everything can be checked and rebuilt.

use crate::stats::Stats;

/// Events within [`MIN_PROGRESS_S`] of each other that count as a livelock.
pub const MAX_STALLED_EVENTS: u32 = 500;

/// Least advance of time that counts as progress, s.
pub const MIN_PROGRESS_S: f64 = 1e-9;

/// How far after the current time a structure is rebuilt, as a share of the time scale. A little
/// later the objects are in general position again.
pub const REBUILD_AFTER: f64 = 1e-6;

/// Most attempts of one [`Kinetic::advance_or_rebuild`] to rebuild the structure.
pub const MAX_REBUILDS: u32 = 16;

/// Result of a call of [`Kinetic::advance`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Advanced {
    /// Events processed.
    pub events: u64,
    /// Events among them that changed the maintained property.
    pub external: u64,
}

impl Advanced {
    /// Returns all events that a structure has counted.
    #[must_use]
    pub fn total(stats: &Stats) -> Self {
        Self {
            events: stats.events(),
            external: stats.events_external(),
        }
    }

    /// Returns the events since an earlier total.
    #[must_use]
    pub fn since(self, before: Self) -> Self {
        Self {
            events: self.events - before.events,
            external: self.external - before.external,
        }
    }
}

/// The parts of a structure disagree with each other or with the positions of the objects. Either
/// the objects are not in general position, or the implementation has a bug. [`Kinetic::rebuild`]
/// rebuilds it.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("at {time} s, object {object}: {what}")]
pub struct Inconsistent {
    /// Time of the fault, s.
    pub time: f64,
    /// The object, or the first of several.
    pub object: u32,
    /// The inconsistency.
    pub what: &'static str,
}

/// Largest jump of a new plan, as a share of the numbers that it is computed from.
const MAX_JUMP: f64 = 1e-9;

/// Why a plan is refused. The caller's fault.
///
/// All structures have these reasons in common; none has all of them. Objects are points, bodies or
/// boxes, by their indices.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum PlanError {
    /// There is no such object.
    #[error("there is no object {object}, only {count}")]
    NoObject {
        /// Index of the object.
        object: u32,
        /// Number of objects.
        count: usize,
    },
    /// A number is NaN or infinite.
    #[error("object {object}: its motion has a number that is not finite")]
    NotFinite {
        /// Index of the object.
        object: u32,
    },
    /// The degree is higher than the structure's certificates allow.
    #[error("object {object}: its motion has degree {degree}, above {most}")]
    Degree {
        /// Index of the object.
        object: u32,
        /// Its degree; the largest number if the motion is not a polynomial.
        degree: usize,
        /// The highest allowed degree.
        most: usize,
    },
    /// The new motion does not begin where the old one is now.
    #[error("object {object} would jump by {by} m or rad")]
    Jump {
        /// Index of the object.
        object: u32,
        /// Size of the jump, m; of a rotation, rad.
        by: f64,
    },
    /// A bound is not finite, or a lower one is above the upper one.
    #[error("object {object}: bounds {start:?} to {end:?} are not finite or not in order")]
    Bounds {
        /// Index of the object.
        object: u32,
        /// Its lower and upper bound on each axis at the start, m.
        start: [[f64; 2]; 3],
        /// The same at the end, m.
        end: [[f64; 2]; 3],
    },
    /// An object has never been given a motion.
    #[error("object {object} was never given a motion")]
    Unset {
        /// Index of the object, or of the first of several.
        object: u32,
    },
    /// An object has already been set for the next step, so this one is over.
    #[error("object {object}: its plan cannot be changed between two steps")]
    BetweenSteps {
        /// Index of the object.
        object: u32,
    },
}

impl PlanError {
    /// Checks that a new plan begins where its object is. It is off `by` some distance (m) or angle
    /// (rad), computed from numbers of the magnitude `size`, at least 1.
    ///
    /// # Errors
    /// [`PlanError::Jump`] if that is more than rounding explains.
    pub fn check_jump(object: u32, by: f64, size: f64) -> Result<(), Self> {
        // A NaN also fails the comparison.
        if by.abs() <= MAX_JUMP * size {
            Ok(())
        } else {
            Err(Self::Jump { object, by })
        }
    }
}

/// A structure that is kept up to date while its objects move.
pub trait Kinetic {
    /// The motion of an object: of a point, a rigid body or a box, as the structure has them.
    type Plan;

    /// Returns the structure's current time, s. It never decreases.
    fn now(&self) -> f64;

    /// Returns the time of the next event, infinite if there is none before the horizon.
    fn next_time(&self) -> f64;

    /// Processes the events up to `t`, one at a time in order, and makes `t` the current time.
    ///
    /// An earlier `t`, or one that is NaN, does nothing. An infinite `t` processes all events and
    /// leaves no time from which to continue.
    ///
    /// # Errors
    /// A handler found an impossible state, or time stands still: [`MAX_STALLED_EVENTS`].
    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent>;

    /// Gives an object this motion from now on. Costs as much as the object's certificates
    /// (locality).
    ///
    /// # Errors
    /// The plan is invalid; then nothing has changed.
    fn change_plan(&mut self, object: u32, plan: Self::Plan) -> Result<(), PlanError>;

    /// Checks everything that is stored against the positions at `t`, from scratch.
    ///
    /// For tests: `t` is the current time or, if there are no events in between, later.
    ///
    /// # Errors
    /// The first inconsistency found.
    fn audit(&self, t: f64) -> Result<(), Inconsistent>;

    /// Rebuilds everything from the positions at `t`, which becomes the current time if it is
    /// later.
    ///
    /// # Errors
    /// The objects are in no position for which the structure can be built.
    fn rebuild(&mut self, t: f64) -> Result<(), Inconsistent>;

    /// Advances as [`Self::advance`] does, but rebuilds the structure after an inconsistency.
    ///
    /// It rebuilds a little later ([`REBUILD_AFTER`] of `scale_s`) and continues from there.
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
            // What is degenerate at one time is still so a rounding error later, so the offset
            // grows.
            self.rebuild(self.now() + attempt * REBUILD_AFTER * scale_s)?;
            attempt += 1.0;
        }
    }

    /// Returns the counters.
    fn stats(&self) -> &Stats;

    /// Starts a new window of the counters.
    fn reset_stats(&mut self);
}

/// Counts the events during which time stands still, so that a structure ends a livelock with an
/// error.
#[derive(Clone, Copy, Debug, Default)]
pub struct Livelock {
    since: f64,
    events: u32,
}

impl Livelock {
    /// Starts without events at `now`, s.
    #[must_use]
    pub fn new(now: f64) -> Self {
        Self {
            since: now,
            events: 0,
        }
    }

    /// Counts an event at `now`, s. Returns true if more than `most` have come without time
    /// advancing by [`MIN_PROGRESS_S`].
    pub fn event(&mut self, now: f64, most: u32) -> bool {
        if now > self.since + MIN_PROGRESS_S {
            *self = Self::new(now);
        }
        self.events += 1;
        self.events > most
    }
}
