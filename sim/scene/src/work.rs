//! What the dynamics compute that may take longer than an answer may wait.
//!
//! A plan for bodies that pile up takes tens of milliseconds, and so does finding out whether a
//! newcomer with a large mesh is clear of all others. Neither holds up answers:
//! [`RigidWorld::begin_advance`] and [`RigidWorld::begin_add`] leave the work to be taken
//! ([`RigidWorld::take_work`]), somebody runs it wherever there is time, on another thread or at
//! once, and the world takes it back ([`RigidWorld::finish`]). The work owns the rigid world. Until
//! it is back bodies go on on the courses that they have and wait at their end; the scene answers
//! all queries, and takes no body in or out ([`RigidWorld::is_working`]).
//!
//! When it comes back is not a function of the queries. So whoever owns the world records after
//! which query it did, and a replay that finishes it there computes the same.
//!
//! [`RigidWorld::begin_advance`]: crate::RigidWorld::begin_advance
//! [`RigidWorld::begin_add`]: crate::RigidWorld::begin_add
//! [`RigidWorld::take_work`]: crate::RigidWorld::take_work
//! [`RigidWorld::finish`]: crate::RigidWorld::finish
//! [`RigidWorld::is_working`]: crate::RigidWorld::is_working

use hapticd_proxy::MAX_SEGMENTS;
use hapticd_rigid::{BodyError, BodySpec as RigidSpec, Executed, Plan, RigidWorld as Rigid, Saved};

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
