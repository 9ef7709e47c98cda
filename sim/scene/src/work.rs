//! Computations of the dynamics that may take longer than an answer may wait.
//!
//! Planning a pile of bodies takes tens of milliseconds, as does testing whether a newcomer with a
//! large mesh is clear of all others. Neither delays answers: [`Scene::begin_advance`] and
//! [`Scene::begin_add`] leave the work to be taken ([`Scene::take_work`]). The caller runs it
//! wherever there is time, on another thread or at once, and returns it to the scene
//! ([`Scene::finish`]). The work owns the rigid world. Until it is returned, bodies continue on
//! their trajectories and wait at the end; the scene answers all queries, and adds or removes no
//! body ([`Scene::is_working`]).
//!
//! The time of its return is not a function of the queries. So the owner of the scene records after
//! which query it returned, and a replay that finishes it there computes the same.
//!
//! [`Scene::begin_advance`]: crate::Scene::begin_advance
//! [`Scene::begin_add`]: crate::Scene::begin_add
//! [`Scene::take_work`]: crate::Scene::take_work
//! [`Scene::finish`]: crate::Scene::finish
//! [`Scene::is_working`]: crate::Scene::is_working

use hapticd_proxy::MAX_SEGMENTS;
use hapticd_rigid::{
    BodyError, BodyId, BodySpec as RigidSpec, Checkpoint, Executed, Plan, RigidWorld as Rigid,
};

/// A task of the dynamics with the rigid world; see the module page.
pub struct Work {
    pub(crate) rigid: Box<Rigid>,
    pub(crate) task: Task,
}

pub(crate) enum Task {
    /// Plan the next trajectory.
    Plan {
        /// Its length, s.
        step_s: f64,
    },
    /// Test whether a newcomer is clear of all other bodies.
    Check(Box<Check>),
}

pub(crate) struct Check {
    pub spec: RigidSpec,
    /// The body that it is to replace, which is no obstacle.
    pub old: Option<BodyId>,
    /// Checkpoints and plans that the loop still follows or has yet to follow.
    pub issued: Vec<(Checkpoint, Plan)>,
    pub result: Result<(), BodyError>,
}

impl Work {
    /// Runs the task. Takes as long as necessary; allocates. Deterministic.
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
                check.result = self.rigid.check_without(&check.spec, check.old);
                for (saved, plan) in &check.issued {
                    if check.result.is_err() {
                        break;
                    }
                    let newcomer = (&check.spec, check.old);
                    if let Some(other) = self.rigid.crosses(newcomer, saved, plan) {
                        check.result = Err(BodyError::InTheWay(other));
                    }
                }
            }
        }
    }
}
