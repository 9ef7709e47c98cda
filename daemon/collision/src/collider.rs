//! The collision side: owns the [`Scene`], applies commands, answers the loop's queries.
//!
//! [`Collider::answer`] is a pure function of the commands and the query (given the scene so far),
//! which makes recordings replayable. The recorder keeps the commands and the query's tick of every
//! step, and the steps in which the dynamics' work came back.
//!
//! Answers come first: the importer prepares a body, the planner computes for the dynamics, the
//! janitor frees, and a separate GPU thread prepares shapes for the GPU. So nothing here takes
//! longer as bodies pile up, or as meshes that come and go grow larger. It runs on the collision
//! thread in real time ([`run`]) and inline in virtual time.

pub mod urgency;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use urgency::Urgency;

use crate::broad_phase::BroadPhaseStats;
use crate::command::{Applied, Request, SceneCommand, SceneReply};
use crate::gpu_supervisor::{GpuStats, UserEnd};
use crate::janitor::Janitor;
use crate::mid_phase::{MidPhaseStatus, MidPhaseTotals};
use crate::motion::BodyMotion;
use crate::planner::Planner;
use crate::requests::ReplySender;
use crate::step_log::{StepLog, WorkLog};
use crossbeam::channel::{Receiver, Sender, TrySendError};
use hapticd_ccd::MidPhase;
use hapticd_proxy::{BodyKey, MAX_ARMS, Query, Snapshot};
use hapticd_scene::{AddError, Adding, BodyInfo, BodySpec, CommandError, PlaceError, Scene, Work};
use hapticd_sync::{latest, ring};
use hapticd_sys::clock::now_ns;

/// Snapshots in flight per arm: one in use, one offered, one being built, one to spare.
pub const BUFFERS: usize = 4 * MAX_ARMS;

/// What came of one query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// Sequence of the last snapshot; 0 if there was none.
    pub last_sequence: u64,
    /// State of the dynamics' work.
    pub work: WorkLog,
}

/// Progress of a command.
pub enum Begun {
    /// The command was carried out or refused.
    Done(SceneReply, Option<Applied>),
    /// A body is being added or placed: the check for space is running.
    Working,
}

/// The scene and its commands, motions and answers. See the module documentation.
pub struct Collider {
    world: Scene,
    motions: Vec<BodyMotion>,
    period_s: f64,
    near: MidPhaseTotals,
    /// Sequence of the last answer.
    sequence: u64,
    /// Cost of each arm's last answer: the cheapest arm is answered first.
    spent: [u64; MAX_ARMS],
}

impl Collider {
    /// Takes over a scene, the motions of bodies that move on their own, and the loop's period.
    pub fn new(world: Scene, motions: Vec<BodyMotion>, period_s: f64) -> Self {
        Collider {
            world,
            motions,
            period_s,
            near: MidPhaseTotals::default(),
            sequence: 0,
            spent: [0; MAX_ARMS],
        }
    }

    /// The scene.
    pub fn world(&self) -> &Scene {
        &self.world
    }

    /// Applies one command and waits for its result. Also returns, for the log, what was applied,
    /// if anything.
    pub fn apply_logged(&mut self, command: SceneCommand) -> (SceneReply, Option<Applied>) {
        match self.begin(&command) {
            (Begun::Done(reply, applied), _) => (reply, applied),
            (Begun::Working, _) => {
                let added = self.take_work().and_then(|mut work| {
                    work.run();
                    self.finish(*work)
                });
                self.added(added.unwrap_or(Err(AddError::Busy)), command)
            }
        }
    }

    /// Applies a command of a recording. A body that had space in the run has it now.
    pub fn apply_recorded(&mut self, command: SceneCommand) -> (SceneReply, Option<Applied>) {
        match command {
            SceneCommand::Add(spec) => {
                let added = self.world.add_accepted((*spec).clone());
                self.added(added, SceneCommand::Add(spec))
            }
            SceneCommand::Place {
                id,
                world_from_body,
            } => match self.world.place_accepted(id, &world_from_body) {
                Ok(()) => self.added(Ok(id), command),
                Err(why) => (refusal(why), None),
            },
            command => self.apply_logged(command),
        }
    }

    /// Begins a command; `O(bodies)`. Returns a body that the scene releases, for the caller to
    /// have freed.
    pub fn begin(&mut self, command: &SceneCommand) -> (Begun, Option<BodySpec>) {
        let done = |r: Result<(), CommandError>| match r {
            Ok(()) => SceneReply::Done,
            Err(e) => SceneReply::Refused(e),
        };
        let (id, mut gone) = (command.body(), None);
        let key = id.and_then(|id| self.key_of(id));
        let reply = match command {
            SceneCommand::Add(spec) => {
                let added = match self.world.begin_add((**spec).clone()) {
                    Ok(Adding::Working) => return (Begun::Working, None),
                    Ok(Adding::Added(id)) => Ok(id),
                    Err(why) => Err(why),
                };
                let (reply, applied) = self.added(added, command.clone());
                return (Begun::Done(reply, applied), None);
            }
            SceneCommand::Remove { id } => done(self.world.take_body(*id).map(|body| {
                gone = Some(body);
            })),
            SceneCommand::Target {
                id,
                world_from_body,
                speed_m_s,
            } => {
                // From now on a client moves it.
                self.motions.retain(|m| m.id != *id);
                done(self.world.set_target(*id, world_from_body, *speed_m_s))
            }
            SceneCommand::Halt { id } => done(self.world.clear_target(*id)),
            SceneCommand::Surface { id, material } => done(self.world.set_material(*id, material)),
            SceneCommand::Push { id, push } => done(self.world.push_body(*id, push)),
            SceneCommand::Place {
                id,
                world_from_body,
            } => match self.world.begin_place(*id, world_from_body) {
                Ok(Adding::Working) => return (Begun::Working, None),
                Ok(Adding::Added(id)) => {
                    let (reply, applied) = self.added(Ok(id), command.clone());
                    return (Begun::Done(reply, applied), None);
                }
                Err(why) => refusal(why),
            },
        };
        let applied = (id.zip(key))
            .filter(|_| reply == SceneReply::Done)
            .map(|(id, key)| Applied {
                command: command.clone(),
                id,
                key,
                placed: None,
            });
        (Begun::Done(reply, applied), gone)
    }

    /// Whether a command cannot begin before the dynamics' work is back.
    pub fn must_wait(&self, command: &SceneCommand) -> bool {
        let waits = !matches!(
            command,
            SceneCommand::Target { .. } | SceneCommand::Halt { .. }
        );
        waits && self.world.is_working()
    }

    /// Reply to the command that added or placed a body, from the result of that.
    pub fn added(
        &self,
        added: Result<u32, AddError>,
        command: SceneCommand,
    ) -> (SceneReply, Option<Applied>) {
        match added {
            Ok(id) => {
                let is_placed = matches!(command, SceneCommand::Place { .. });
                let spec = self.world.spec(id).filter(|_| is_placed);
                let placed = spec.map(|spec| Box::new(spec.clone()));
                let applied = self.key_of(id).map(|key| Applied {
                    command,
                    id,
                    key,
                    placed,
                });
                let reply = match is_placed {
                    true => SceneReply::Done,
                    false => SceneReply::Added(id),
                };
                (reply, applied)
            }
            Err(why) => (SceneReply::AddRefused(why), None),
        }
    }

    /// Takes the pending computation of the dynamics: [`Scene::take_work`].
    pub fn take_work(&mut self) -> Option<Box<Work>> {
        self.world.take_work()
    }

    /// Takes completed work back. Returns the result of adding or placing a body, if that was the
    /// work.
    pub fn finish(&mut self, work: Work) -> Option<Result<u32, AddError>> {
        self.world.finish(work)
    }

    fn key_of(&self, id: u32) -> Option<BodyKey> {
        self.world.infos().find(|b| b.id == id).map(|b| b.key)
    }

    /// Answers a query for every arm that asks. `buffer` lends snapshots, `deliver` takes them.
    /// Returns the sequence of the last answer. An arm without an available buffer gets no answer
    /// this time. Waits for the dynamics.
    pub fn answer(
        &mut self,
        query: &Query,
        buffer: impl FnMut() -> Option<Box<Snapshot>>,
        deliver: impl FnMut(Box<Snapshot>),
    ) -> u64 {
        let now = |mut work: Box<Work>| {
            work.run();
            Some(work)
        };
        self.answer_with(query, false, now, buffer, deliver)
            .last_sequence
    }

    /// Same as [`Collider::answer`], except that `give` decides where the dynamics' work is done.
    /// Work that it does not return at once comes back through [`Collider::finish`], and this
    /// answer does without it. `away`: in a replay, work unknown to this collider is out.
    pub fn answer_with(
        &mut self,
        query: &Query,
        away: bool,
        give: impl FnOnce(Box<Work>) -> Option<Box<Work>>,
        mut buffer: impl FnMut() -> Option<Box<Snapshot>>,
        mut deliver: impl FnMut(Box<Snapshot>),
    ) -> Answered {
        // Time is the query's tick, so that the answer is a function of the query.
        let t_s = query.tick as f64 * self.period_s;
        for motion in &self.motions {
            let (pose, speed) = motion.target(t_s);
            // A body that was removed, or that a client took over and then removed, has no motion
            // any more.
            let _ = self.world.set_target(motion.id, &pose, speed);
        }
        let mut answered = Answered::default();
        if away || self.world.is_working() {
            answered.work.away = true;
            self.world.record_poses(query);
        } else {
            self.world.begin_advance(query, self.period_s);
        }
        if let Some(work) = self.world.take_work() {
            match give(work) {
                Some(work) => {
                    self.world.finish(*work);
                }
                None => answered.work.awaited = true,
            }
        }
        // An arm with its tool in a costly mesh delays the others' next answers, never this one.
        let mut arms: [usize; MAX_ARMS] = std::array::from_fn(|arm| arm);
        arms.sort_unstable_by_key(|&arm| (self.spent[arm], arm));
        let first = self.sequence + 1;
        for arm in arms {
            if !self.world.has_answer(query, arm) {
                continue;
            }
            // By the arms' own order: equal queries get equal answers, whatever their cost.
            let before = (0..arm).filter(|&other| self.world.has_answer(query, other));
            let sequence = first + before.count() as u64;
            self.sequence = self.sequence.max(sequence);
            let Some(mut snapshot) = buffer() else {
                continue;
            };
            self.world.answer(query, arm, &mut snapshot);
            self.spent[arm] = self.world.spent().search;
            snapshot.sequence = sequence;
            answered.last_sequence = answered.last_sequence.max(sequence);
            deliver(snapshot);
        }
        answered
    }

    /// Replaces the mid-phase: [`Scene::set_midphase`]. Returns the previous one, if any.
    pub fn set_midphase(&mut self, midphase: Box<dyn MidPhase>) -> Option<Box<dyn MidPhase>> {
        let old = self.world.midphase().map(MidPhase::facts);
        self.near.replace(old, midphase.facts());
        self.world.set_midphase(midphase)
    }

    /// Statistics of the mid-phase queries, with `gpu`, what became of the GPUs; `None` where the
    /// CPU works alone.
    pub fn midphase_status(&self, gpu: GpuStats) -> Option<MidPhaseStatus> {
        let midphase = self.world.midphase()?;
        Some(self.near.facts(midphase.facts(), gpu))
    }

    /// Statistics of the broad phase between dynamic bodies.
    pub fn broad_phase_stats(&self) -> BroadPhaseStats {
        BroadPhaseStats::of(self.world.broad_phase().name(), self.world.broad_work())
    }

    /// All bodies.
    pub fn infos(&self) -> Vec<BodyInfo> {
        self.world.infos().collect()
    }
}

/// The collision thread's ends of the rings.
pub struct Links {
    /// Capacity for feature pairs in one snapshot.
    pub pair_capacity: usize,
    /// Newest query.
    pub queries: latest::Reader<Query>,
    /// Snapshots to the loop.
    pub snapshots: ring::Producer<Box<Snapshot>>,
    /// Used buffers from the loop.
    pub used: ring::Consumer<Box<Snapshot>>,
    /// Commands from clients.
    pub requests: Receiver<Request>,
    /// Replies to clients' commands, straight to their server.
    pub replies: ReplySender,
    /// Added and removed bodies, for the soft bodies; `None` if there are none.
    pub deformable: Option<Sender<Applied>>,
    /// Steps for the recorder; a full queue drops and counts.
    pub log: Option<Sender<StepLog>>,
    /// Steps that the recorder missed.
    pub log_lost: std::sync::Arc<AtomicU64>,
    /// GPU mid-phase statistics, after each answer; stays `None` without a GPU.
    pub near: std::sync::Arc<std::sync::Mutex<Option<MidPhaseStatus>>>,
    /// Broad phase statistics, after each answer.
    pub broad: std::sync::Arc<std::sync::Mutex<BroadPhaseStats>>,
    /// The thread that computes for the dynamics.
    pub planner: Planner,
    /// The thread that frees bodies.
    pub janitor: Janitor,
    /// Source of a new GPU when the mid-phase's GPU is given up.
    pub supervisor: Option<UserEnd<Collider>>,
    /// Scheduling of the thread.
    pub urgency: Urgency,
}

/// Runs the collision thread until `stop`: free-running, it takes the newest query and answers it.
/// `heartbeat` counts its rounds.
pub fn run(
    mut collider: Collider,
    mut links: Links,
    stop: &AtomicBool,
    heartbeat: &AtomicU64,
) -> Collider {
    let mut rounds = Rounds::new(links.pair_capacity);
    let mut ending = false;
    while !ending {
        // Read before the commands: requests made before the end are carried out and recorded.
        ending = stop.load(Ordering::Acquire);
        heartbeat.fetch_add(1, Ordering::Relaxed);
        links.urgency.attend();
        if let Some(supervisor) = &mut links.supervisor {
            supervisor.attend(&mut collider);
        }
        links.janitor.attend();
        let applied = rounds.apply_commands(&mut collider, &mut links);
        rounds.tell_soft_bodies(&mut links, &applied);
        rounds.take_used_buffers(&mut links);
        let query = links.queries.read_new();
        // Before the answers, which may name a new body: a reader that has seen the effect of an
        // answer finds its cause in the log.
        rounds.log_commands(&links, applied);
        let Some(query) = query else {
            // No new query. The loop is FIFO above this thread: yielding a slice costs one wake-up
            // of latency at most, and spinning would cost the loop its second core.
            std::thread::sleep(std::time::Duration::from_micros(50));
            continue;
        };
        let answered = rounds.answer(&mut collider, &mut links, &query);
        publish_stats(&collider, &mut links);
        rounds.log_answer(&links, query.tick, answered);
    }
    collider
}

/// What the collision thread keeps from one round to the next.
struct Rounds {
    /// Number of the last step in the log.
    step: u64,
    /// Buffers for answers.
    // Boxes: they travel to the loop and back.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Snapshot>>,
    /// Changes for the soft bodies, as long as their queue is full.
    unsent: VecDeque<Applied>,
    desk: RequestQueue,
    /// A trajectory came back, and no step in the log says so yet.
    landed: bool,
}

impl Rounds {
    /// Allocates the buffers, so that no round has to.
    fn new(pair_capacity: usize) -> Self {
        Rounds {
            step: 0,
            spare: (0..BUFFERS)
                .map(|_| Box::new(Snapshot::new(pair_capacity)))
                .collect(),
            unsent: VecDeque::new(),
            desk: RequestQueue::default(),
            landed: false,
        }
    }

    /// Takes back work of the dynamics, then begins what waited for it. Returns the commands that
    /// were carried out.
    fn apply_commands(&mut self, collider: &mut Collider, links: &mut Links) -> Vec<Applied> {
        let mut applied = Vec::new();
        self.landed |= self.desk.land(collider, links, &mut applied);
        self.desk.serve(collider, links, &mut applied);
        applied
    }

    /// Hands on the changes that concern the soft bodies, and those of earlier rounds that had no
    /// space in the queue.
    fn tell_soft_bodies(&mut self, links: &mut Links, applied: &[Applied]) {
        let Some(deformable) = &links.deformable else {
            return;
        };
        for done in applied.iter().flat_map(crate::deformable::changes) {
            if let Some(body) = note(&mut self.unsent, &done) {
                links.janitor.free(body);
            }
        }
        tell(deformable, &mut self.unsent);
    }

    /// Takes back the buffers that the loop no longer uses, for the answers of this round.
    fn take_used_buffers(&mut self, links: &mut Links) {
        while let Some(mut buffer) = links.used.pop() {
            // The janitor frees bodies that are gone, once no buffer has a part of them.
            buffer.smooth.clear();
            self.spare.push(buffer);
        }
    }

    /// Answers a query for all arms, as far as there are buffers.
    fn answer(&mut self, collider: &mut Collider, links: &mut Links, query: &Query) -> Answered {
        let started = now_ns();
        let (snapshots, planner) = (&mut links.snapshots, &mut links.planner);
        collider.answer_with(
            query,
            false,
            |work| planner.give(work),
            || self.spare.pop(),
            |mut snapshot| {
                snapshot.compute_ns = now_ns() - started;
                // Cannot be full: the ring holds every buffer.
                let _ = snapshots.push(snapshot);
            },
        )
    }

    /// Logs the commands of a round, if there are any, as a step without an answer.
    fn log_commands(&mut self, links: &Links, applied: Vec<Applied>) {
        if !applied.is_empty() {
            self.step += 1;
            let landed = std::mem::take(&mut self.landed);
            log(links, commands(self.step, applied, landed));
        }
    }

    /// Logs an answer as a step without commands.
    fn log_answer(&mut self, links: &Links, query_tick: u64, answered: Answered) {
        self.step += 1;
        log(
            links,
            StepLog {
                step: self.step,
                query_tick,
                applied: Vec::new(),
                last_sequence: answered.last_sequence,
                deformable: false,
                work: WorkLog {
                    landed: std::mem::take(&mut self.landed),
                    ..answered.work
                },
            },
        );
    }
}

/// Publishes the statistics after an answer. A reader that holds a lock now gets the next value.
fn publish_stats(collider: &Collider, links: &mut Links) {
    if let Ok(mut near) = links.near.try_lock() {
        let supervisor = links.supervisor.as_mut();
        let gpu = supervisor.map(|supervisor| supervisor.stats(collider));
        *near = collider.midphase_status(gpu.unwrap_or_default());
    }
    if let Ok(mut broad) = links.broad.try_lock() {
        *broad = collider.broad_phase_stats();
    }
}

/// Clients' requests that wait for the dynamics.
#[derive(Default)]
struct RequestQueue {
    /// The next request, which cannot begin yet; those behind it wait with it.
    next: Option<Request>,
    /// A body to add or to place, while the check for space runs.
    adding: Option<Request>,
}

impl RequestQueue {
    /// Takes back completed work from the planner. Returns whether it was a trajectory.
    fn land(
        &mut self,
        collider: &mut Collider,
        links: &mut Links,
        applied: &mut Vec<Applied>,
    ) -> bool {
        let work = links.planner.take();
        work.is_some_and(|work| self.take_back(*work, collider, links, applied))
    }

    fn take_back(
        &mut self,
        work: Work,
        collider: &mut Collider,
        links: &mut Links,
        applied: &mut Vec<Applied>,
    ) -> bool {
        let Some(added) = collider.finish(work) else {
            return true;
        };
        if let Some(Request { command, token }) = self.adding.take() {
            let refused = added.is_err().then(|| command.clone());
            let (reply, done) = collider.added(added, command);
            if let Some(SceneCommand::Add(body)) = refused {
                links.janitor.free(*body);
            }
            applied.extend(done);
            links.replies.send(token, reply);
        }
        false
    }

    /// Begins as many requests as possible, in order.
    fn serve(&mut self, collider: &mut Collider, links: &mut Links, applied: &mut Vec<Applied>) {
        while let Some(request) = self.next.take().or_else(|| links.requests.try_recv().ok()) {
            // A target is for the body at its new place.
            let placing = self.adding.as_ref();
            let placing = placing.is_some_and(|placing| placing.command.places(&request.command));
            if placing || collider.must_wait(&request.command) {
                self.next = Some(request);
                return;
            }
            let (begun, gone) = collider.begin(&request.command);
            gone.into_iter().for_each(|body| links.janitor.free(body));
            match begun {
                Begun::Done(reply, done) => {
                    let refused = matches!(reply, SceneReply::AddRefused(_));
                    applied.extend(done);
                    links.replies.send(request.token, reply);
                    if let (true, SceneCommand::Add(body)) = (refused, request.command) {
                        links.janitor.free(*body);
                    }
                }
                Begun::Working => {
                    self.adding = Some(request);
                    let work = collider.take_work();
                    if let Some(work) = work.and_then(|work| links.planner.give(work)) {
                        self.take_back(*work, collider, links, applied);
                    }
                }
            }
        }
    }
}

/// Reply to a command that could not place a body.
fn refusal(why: PlaceError) -> SceneReply {
    match why {
        PlaceError::Command(why) => SceneReply::Refused(why),
        PlaceError::Add(why) => SceneReply::AddRefused(why),
    }
}

/// Queues a change for the soft bodies. A removal cancels an addition that is still queued, and
/// returns that body. So the queue never holds more than the existing bodies plus those that the
/// soft bodies know, however long they take and whatever clients do.
fn note(unsent: &mut VecDeque<Applied>, done: &Applied) -> Option<BodySpec> {
    let is_it =
        |other: &Applied| other.key == done.key && matches!(other.command, SceneCommand::Add(_));
    if matches!(done.command, SceneCommand::Remove { .. })
        && let Some(at) = unsent.iter().position(is_it)
    {
        return match unsent.remove(at)?.command {
            SceneCommand::Add(body) => Some(*body),
            _ => None,
        };
    }
    unsent.push_back(done.clone());
    None
}

/// Sends as many changes as fit, oldest first. Does not wait.
fn tell(deformable: &Sender<Applied>, unsent: &mut VecDeque<Applied>) {
    while let Some(next) = unsent.pop_front() {
        match deformable.try_send(next) {
            Ok(()) => {}
            Err(TrySendError::Full(next)) => {
                unsent.push_front(next);
                return;
            }
            // The soft bodies' thread has ended.
            Err(TrySendError::Disconnected(_)) => unsent.clear(),
        }
    }
}

/// A step without an answer.
fn commands(step: u64, applied: Vec<Applied>, landed: bool) -> StepLog {
    StepLog {
        step,
        query_tick: 0,
        applied,
        last_sequence: 0,
        deformable: false,
        work: WorkLog {
            landed,
            ..WorkLog::default()
        },
    }
}

fn log(links: &Links, step: StepLog) {
    if let Some(sink) = &links.log
        && sink.try_send(step).is_err()
    {
        links.log_lost.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use hapticd_geometry::{Pose, Vec3, shapes};
    use hapticd_scene::BodyKind;

    use super::*;

    #[test]
    fn changes_reach_soft_bodies_in_order_without_waiting() {
        let gone = |id| Applied {
            command: SceneCommand::Remove { id },
            id,
            key: BodyKey::default(),
            placed: None,
        };
        let (sender, receiver) = crossbeam::channel::bounded(2);
        let mut unsent: VecDeque<Applied> = (1..=5).map(gone).collect();
        let mut heard = Vec::new();
        for left in [3, 1, 0] {
            tell(&sender, &mut unsent);
            assert_eq!(unsent.len(), left);
            heard.extend(receiver.try_iter().map(|applied| applied.id));
        }
        assert_eq!(heard, [1, 2, 3, 4, 5]);
        drop(receiver);
        unsent.extend((6..9).map(gone));
        tell(&sender, &mut unsent);
        assert!(unsent.is_empty());
    }

    /// An arm in a costly mesh is answered after the others, under the number that it would have
    /// had anyway: a replay, which may search by other means, has the same numbers.
    #[test]
    fn an_arm_that_costs_little_is_answered_first() {
        let costly = hapticd_scene::Shape::of(hapticd_testkit::meshes::tangle(5_000).unwrap()).0;
        let mut world = Scene::new(1e-4, 1024);
        for arm in [0, 2] {
            let tool = hapticd_proxy::ToolShape::sphere(0.005);
            world.set_tool(arm, hapticd_scene::Shape::point(), tool);
        }
        let at = |x| Pose::translation(x, 0.0, 0.0);
        let mut collider = Collider::new(world, Vec::new(), 1e-3);
        let (reply, _) = collider.apply_logged(SceneCommand::Add(Box::new(BodySpec {
            name: "costly".to_owned(),
            kind: BodyKind::Static,
            shape: costly,
            solid: false,
            world_from_body: Pose::identity(),
            material: hapticd_proxy::Material::DEFAULT,
            restitution: 0.0,
            density_kg_m3: 1000.0,
        })));
        assert!(matches!(reply, SceneReply::Added(_)), "{reply:?}");
        let mut query = Query::default();
        for arm in [0, 2] {
            query.arms[arm].present = true;
            query.arms[arm].reach_m = 0.002;
        }
        let mut answer = |inside: usize| {
            query.tick += 1;
            query.arms[inside].world_from_tool = at(0.0);
            query.arms[2 - inside].world_from_tool = at(1.0);
            let mut order = Vec::new();
            let last = collider.answer(
                &query,
                || Some(Box::new(Snapshot::new(4096))),
                |snapshot| order.push((snapshot.arm, snapshot.sequence)),
            );
            (order, last)
        };
        assert_eq!(answer(0), (vec![(0, 1), (2, 2)], 2));
        assert_eq!(answer(0), (vec![(2, 4), (0, 3)], 4));
        answer(2);
        assert_eq!(answer(2), (vec![(0, 7), (2, 8)], 8));
    }

    /// However long the soft bodies take, a client that adds and removes bodies does not fill the
    /// memory.
    #[test]
    fn a_removal_cancels_an_addition_that_is_still_queued() {
        let mesh = shapes::cuboid(&Vec3::repeat(0.1)).unwrap();
        let spec = BodySpec {
            name: "guest".to_owned(),
            kind: BodyKind::Kinematic,
            shape: hapticd_scene::Shape::of(mesh).0,
            solid: true,
            world_from_body: Pose::identity(),
            material: hapticd_proxy::Material::DEFAULT,
            restitution: 0.0,
            density_kg_m3: 1000.0,
        };
        let with = |command, generation| Applied {
            command,
            id: 7,
            key: BodyKey {
                slot: 3,
                generation,
            },
            placed: None,
        };
        let came = |g| with(SceneCommand::Add(Box::new(spec.clone())), g);
        let went = |g| with(SceneCommand::Remove { id: 7 }, g);
        let mut unsent = VecDeque::new();
        // The soft bodies were told of the first one; its number is used again and again.
        note(&mut unsent, &went(0));
        for generation in 1..1000 {
            note(&mut unsent, &came(generation));
            assert_eq!(unsent.len(), 2);
            note(&mut unsent, &went(generation));
            assert_eq!(unsent.len(), 1);
        }
        note(&mut unsent, &came(1000));
        let told: Vec<u32> = unsent.iter().map(|done| done.key.generation).collect();
        assert_eq!(told, [0, 1000]);
    }
}
