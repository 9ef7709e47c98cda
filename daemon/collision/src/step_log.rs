//! What the recorder keeps of a step of the collision thread or of the deformable bodies' thread.

use crate::command::Applied;

/// One step as the recorder keeps it.
pub struct StepLog {
    /// From 1; a step that the recorder missed leaves a gap.
    pub step: u64,
    /// The query that was answered; 0: none, commands only.
    pub query_tick: u64,
    /// Commands applied before it.
    pub applied: Vec<Applied>,
    /// Sequence of the last snapshot of this step.
    pub last_sequence: u64,
    /// A step of the soft bodies, which count for themselves.
    pub deformable: bool,
    /// Where the dynamics' work was.
    pub work: WorkLog,
}

/// Where the work of the dynamics ([`Work`](hapticd_scene::Work)) was in a step: what a replay
/// cannot know of the timing of threads. None of it: what the step began came back within it, as in
/// virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkLog {
    /// A trajectory that was planned in an earlier step came back before this one.
    pub landed: bool,
    /// Work of an earlier step was still away: the dynamics stood still.
    pub away: bool,
    /// A trajectory that this step began to plan did not come back within it.
    pub awaited: bool,
}
