//! What the dynamics compute that may take longer than an answer may wait.
//!
//! A plan for bodies that pile up takes tens of milliseconds, and so does finding out whether a
//! newcomer with a large mesh is clear of all others. Neither holds up answers:
//! [`World::begin_advance`] and [`World::begin_add`] leave the work to be taken
//! ([`World::take_work`]), somebody runs it wherever there is time, on another thread or at once,
//! and the world takes it back ([`World::finish`]). The work owns the rigid world. Until it is back
//! bodies go on on the courses that they have and wait at their end; the scene answers all queries,
//! and takes no body in or out ([`World::is_working`]).
//!
//! When it comes back is not a function of the queries. So whoever owns the world records after
//! which query it did, and a replay that finishes it there computes the same.
//!
//! [`World::begin_advance`]: crate::World::begin_advance
//! [`World::begin_add`]: crate::World::begin_add
//! [`World::take_work`]: crate::World::take_work
//! [`World::finish`]: crate::World::finish
//! [`World::is_working`]: crate::World::is_working

use hapticd_proxy::MAX_SEGMENTS;
use hapticd_rigid::{BodyError, BodySpec as RigidSpec, Executed, Plan, Saved, World as Rigid};

/// See the module page.
pub struct Work {
    pub(crate) rigid: Box<Rigid>,
    pub(crate) task: Task,
}

pub(crate) enum Task {
    /// The next course.
    Plan {
        /// Its length.
        step_s: f64,
    },
    /// Whether a newcomer has space.
    Check(Box<Check>),
}

pub(crate) struct Check {
    pub spec: RigidSpec,
    /// Where the loop still is, and on its way to.
    pub issued: Vec<(Saved, Plan)>,
    pub result: Result<(), BodyError>,
}

impl Work {
    /// Does it. Takes as long as it takes; allocates. Deterministic.
    pub fn run(&mut self) {
        match &mut self.task {
            Task::Plan { step_s } => {
                let segments = self.rigid.plan(*step_s).segments().len().min(MAX_SEGMENTS);
                self.rigid.commit(&Executed {
                    segments,
                    share: 0.0,
                });
            }
            Task::Check(check) => {
                check.result = self.rigid.check(&check.spec);
                for (saved, plan) in &check.issued {
                    if check.result.is_err() {
                        break;
                    }
                    if let Some(other) = self.rigid.crosses(&check.spec, saved, plan) {
                        check.result = Err(BodyError::InTheWay(other));
                    }
                }
            }
        }
    }
}
