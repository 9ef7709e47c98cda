//! The collision side: owns the [`Scene`], applies commands, answers the loop's queries.
//!
//! [`Collider::answer`] is a pure function of the commands and the query (given the scene so far),
//! which is what makes recordings replayable: the recorder keeps the commands and the query's tick
//! of every step, and in which steps the dynamics' work came back.
//!
//! Answers come first: the importer prepares a body, the planner computes for the dynamics, the
//! janitor frees, and a GPU's own thread makes shapes ready for it, so nothing here takes longer
//! the more bodies pile up or the larger a mesh is that comes or goes. It runs on the collision
//! thread in real time ([`run`]) and inline in virtual time.

pub mod urgency;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use urgency::Urgency;

use crate::broad_phase::BroadPhaseStats;
use crate::gpu_supervisor::{BackendState, UserEnd};
use crate::janitor::Janitor;
use crate::mid_phase::{MidPhaseHistory, MidPhaseStatus};
use crate::motion::BodyMotion;
use crate::planner::Planner;
use crossbeam::channel::{Receiver, Sender, TrySendError};
use hapticd_ccd::MidPhase;
use hapticd_geometry::Pose;
use hapticd_proxy::{BodyKey, MAX_ARMS, Material, Query, Snapshot};
use hapticd_scene::{AddError, Adding, BodyInfo, BodySpec, CommandError, Scene, Work};
use hapticd_sync::ring;
use hapticd_sync::{delivery, latest};
use hapticd_sys::clock::now_ns;

/// Snapshots in flight per arm: one in use, one offered, one being built, one to spare.
pub const BUFFERS: usize = 4 * MAX_ARMS;

/// What may be done to the scene from outside.
#[derive(Clone)]
pub enum SceneCommand {
    /// Add a body.
    Add(Box<BodySpec>),
    /// Remove a body.
    Remove {
        /// Client-visible id.
        id: u32,
    },
    /// Send a kinematic body somewhere.
    Target {
        /// Client-visible id.
        id: u32,
        /// Where to.
        world_from_body: Pose,
        /// No faster than this.
        speed_m_s: f64,
    },
    /// Let it stop where it is.
    Halt {
        /// Client-visible id.
        id: u32,
    },
    /// Give it another surface: stiffness 0 makes it forceless, though never penetrable.
    Surface {
        /// Client-visible id.
        id: u32,
        /// The surface.
        material: Material,
    },
}

impl SceneCommand {
    /// The body that it is about, if that is there already.
    fn body(&self) -> Option<u32> {
        match self {
            SceneCommand::Add(_) => None,
            SceneCommand::Remove { id }
            | SceneCommand::Target { id, .. }
            | SceneCommand::Halt { id }
            | SceneCommand::Surface { id, .. } => Some(*id),
        }
    }
}

/// What came of a [`SceneCommand`].
#[derive(Clone, Debug, PartialEq)]
pub enum SceneReply {
    /// Body added under this id.
    Added(u32),
    /// Done.
    Done,
    /// The body was refused.
    AddRefused(AddError),
    /// The command was refused.
    Refused(CommandError),
}

/// A command with the place its answer goes; the token means something to the sender only.
pub struct Request {
    /// What to do.
    pub command: SceneCommand,
    /// Given back with the reply.
    pub token: u64,
}

/// A command that was carried out.
#[derive(Clone)]
pub struct Applied {
    /// What was done.
    pub command: SceneCommand,
    /// The body it was done to.
    pub id: u32,
    /// Its name in queries and snapshots.
    pub key: BodyKey,
}

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
    pub soft: bool,
    /// Where the dynamics' work was.
    pub work: WorkLog,
}

/// Where the work of the dynamics ([`Work`]) was in a step: what a replay cannot know of the timing
/// of threads. None of it: what the step began came back within it, as in virtual time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkLog {
    /// A course that was planned in an earlier step came back before this one.
    pub landed: bool,
    /// Work of an earlier step was still away: the dynamics stood still.
    pub away: bool,
    /// A course that this step began to plan did not come back within it.
    pub awaited: bool,
}

/// What came of one query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// Sequence of the last snapshot; 0: none.
    pub last_sequence: u64,
    /// Where the dynamics' work was.
    pub work: WorkLog,
}

/// How far a command is.
pub enum Begun {
    /// Carried out, or refused.
    Done(SceneReply, Option<Applied>),
    /// A body to add: whether it has space is being found out.
    Working,
}

/// The world with its duties. See the module page.
pub struct Collider {
    world: Scene,
    motions: Vec<BodyMotion>,
    period_s: f64,
    near: MidPhaseHistory,
    /// Of the answer given last.
    sequence: u64,
    /// What each arm's last answer took: the cheapest is answered first.
    spent: [u64; MAX_ARMS],
}

impl Collider {
    /// Takes over a scene, the motions of bodies that move by themselves, and the loop's period.
    pub fn new(world: Scene, motions: Vec<BodyMotion>, period_s: f64) -> Self {
        Collider {
            world,
            motions,
            period_s,
            near: MidPhaseHistory::default(),
            sequence: 0,
            spent: [0; MAX_ARMS],
        }
    }

    /// The scene.
    pub fn world(&self) -> &Scene {
        &self.world
    }

    /// Applies one command, and waits for what there is to find out; for the log also what was
    /// applied, if it was.
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
            command => self.apply_logged(command),
        }
    }

    /// Begins a command; `O(bodies)`. A body that it lets go of is given back for whoever frees it.
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
        };
        let applied = (id.zip(key))
            .filter(|_| reply == SceneReply::Done)
            .map(|(id, key)| Applied {
                command: command.clone(),
                id,
                key,
            });
        (Begun::Done(reply, applied), gone)
    }

    /// Whether a command cannot be begun before the dynamics' work is back.
    pub fn must_wait(&self, command: &SceneCommand) -> bool {
        let waits = !matches!(
            command,
            SceneCommand::Target { .. } | SceneCommand::Halt { .. }
        );
        waits && self.world.is_working()
    }

    /// What came of a body that was to be added by this command.
    pub fn added(
        &self,
        added: Result<u32, AddError>,
        command: SceneCommand,
    ) -> (SceneReply, Option<Applied>) {
        match added {
            Ok(id) => {
                let key = self.key_of(id);
                let applied = key.map(|key| Applied { command, id, key });
                (SceneReply::Added(id), applied)
            }
            Err(why) => (SceneReply::AddRefused(why), None),
        }
    }

    /// What the dynamics have to compute: [`Scene::take_work`].
    pub fn take_work(&mut self) -> Option<Box<Work>> {
        self.world.take_work()
    }

    /// Takes work back that was run; what came of a body that was being added.
    pub fn finish(&mut self, work: Work) -> Option<Result<u32, AddError>> {
        self.world.finish(work)
    }

    fn key_of(&self, id: u32) -> Option<BodyKey> {
        self.world.infos().find(|b| b.id == id).map(|b| b.key)
    }

    /// Answers a query for every arm that asks; `buffer` lends snapshots, `deliver` takes them.
    /// Returns the sequence of the last answer. An arm for which no buffer is to be had goes
    /// without an answer this time. Waits for the dynamics.
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
        self.answer_beside(query, false, now, buffer, deliver)
            .last_sequence
    }

    /// As [`Collider::answer`], but `give` decides where the dynamics' work is done: what it does
    /// not give back at once is to come back by [`Collider::finish`], and this answer does without.
    /// `away`: work of which this collider does not know is away, in a replay.
    pub fn answer_beside(
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
            // A body that was removed, or that a client took over and then removed, wants nothing
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
        // An arm with its tool in a costly mesh makes the others' next answers late, never this
        // one.
        let mut arms: [usize; MAX_ARMS] = std::array::from_fn(|arm| arm);
        arms.sort_unstable_by_key(|&arm| (self.spent[arm], arm));
        let first = self.sequence + 1;
        for arm in arms {
            if !self.world.has_answer(query, arm) {
                continue;
            }
            // By the arms' own order: equal queries get equal answers, whatever they cost.
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

    /// Lets somebody else look for what is near the tools: [`Scene::set_midphase`]. Gives back who
    /// did until now.
    pub fn set_midphase(&mut self, midphase: Box<dyn MidPhase>) -> Option<Box<dyn MidPhase>> {
        let old = self.world.midphase().map(MidPhase::facts);
        self.near.replace(old, midphase.facts());
        self.world.set_midphase(midphase)
    }

    /// How who looks for what is near the tools stands; in charge where it is the CPU alone.
    pub fn near_standing(&self) -> BackendState {
        let midphase = self.world.midphase();
        midphase.map_or(BackendState::Active, |m| self.near.standing(m.facts()))
    }

    /// What became of the questions about what is near the tools; `None` where it is the CPU alone
    /// who looks.
    pub fn near_facts(&self, failed_attempts: u64) -> Option<MidPhaseStatus> {
        let midphase = self.world.midphase()?;
        Some(self.near.facts(midphase.facts(), failed_attempts))
    }

    /// Who says which dynamic bodies may touch at all, and what it has done.
    pub fn broad_facts(&self) -> BroadPhaseStats {
        BroadPhaseStats::of(self.world.broad_phase().name(), self.world.broad_work())
    }

    /// Everybody.
    pub fn infos(&self) -> Vec<BodyInfo> {
        self.world.infos().collect()
    }
}

/// The collision thread's ends of the rings.
pub struct Links {
    /// Room for feature pairs in one snapshot.
    pub pair_capacity: usize,
    /// Newest query.
    pub queries: latest::Reader<Query>,
    /// Snapshots to the loop.
    pub snapshots: ring::Producer<Box<Snapshot>>,
    /// Used buffers from the loop.
    pub used: ring::Consumer<Box<Snapshot>>,
    /// Commands from clients.
    pub requests: Receiver<Request>,
    /// Their answers.
    pub replies: delivery::Sender<(u64, SceneReply)>,
    /// To the soft bodies: who came and who went. `None`: there are none.
    pub soft: Option<Sender<Applied>>,
    /// Steps for the recorder; a full queue drops and counts.
    pub log: Option<Sender<StepLog>>,
    /// Steps that the recorder missed.
    pub log_lost: std::sync::Arc<AtomicU64>,
    /// What a GPU was asked, after each answer; stays `None` where none is.
    pub near: std::sync::Arc<std::sync::Mutex<Option<MidPhaseStatus>>>,
    /// What the broad phase has done, after each answer.
    pub broad: std::sync::Arc<std::sync::Mutex<BroadPhaseStats>>,
    /// Who computes for the dynamics.
    pub planner: Planner,
    /// Who frees bodies.
    pub janitor: Janitor,
    /// Where a new GPU comes from when the one that looks for what is near is given up.
    pub supervisor: Option<UserEnd<Collider>>,
    /// How the thread is scheduled.
    pub urgency: Urgency,
}

/// The collision thread: free-running, takes the newest query and answers it, until `stop`.
/// `heartbeat` counts its rounds.
pub fn run(
    mut collider: Collider,
    mut links: Links,
    stop: &AtomicBool,
    heartbeat: &AtomicU64,
) -> Collider {
    let mut step = 0;
    let mut spare: Vec<Box<Snapshot>> = (0..BUFFERS)
        .map(|_| Box::new(Snapshot::new(links.pair_capacity)))
        .collect();
    // For soft bodies, whose queue has had no room yet.
    let mut untold = VecDeque::new();
    let mut desk = Desk::default();
    let mut landed = false;
    let mut ending = false;
    while !ending {
        // Looked at before the commands: what was asked before the end is done and recorded.
        ending = stop.load(Ordering::Acquire);
        heartbeat.fetch_add(1, Ordering::Relaxed);
        links.urgency.attend();
        if let Some(supervisor) = &mut links.supervisor {
            supervisor.attend(&mut collider);
        }
        let mut applied = Vec::new();
        links.janitor.attend();
        landed |= desk.land(&mut collider, &mut links, &mut applied);
        desk.serve(&mut collider, &mut links, &mut applied);
        if let Some(soft) = &links.soft {
            for done in applied
                .iter()
                .filter(|done| crate::deformable::concerns(done))
            {
                if let Some(body) = note(&mut untold, done) {
                    links.janitor.free(body);
                }
            }
            tell(soft, &mut untold);
        }
        while let Some(mut buffer) = links.used.pop() {
            // Bodies that are gone are freed by the janitor, when no buffer has a part of them.
            buffer.smooth.clear();
            spare.push(buffer);
        }
        let query = {
            let (query, new) = links.queries.read();
            new.then_some(*query)
        };
        let Some(query) = query else {
            if !applied.is_empty() {
                step += 1;
                log(&links, commands(step, applied, std::mem::take(&mut landed)));
            }
            // Nothing new to answer. The loop is FIFO above us: yielding a slice costs one wake-up
            // of latency at most, and spinning would cost the loop its second core.
            std::thread::sleep(std::time::Duration::from_micros(50));
            continue;
        };
        // Before the answers, which may name what came: whoever has seen what follows from an
        // answer finds in the log what it rests on.
        if !applied.is_empty() {
            step += 1;
            let applied = std::mem::take(&mut applied);
            log(&links, commands(step, applied, std::mem::take(&mut landed)));
        }
        let started = now_ns();
        let (snapshots, planner) = (&mut links.snapshots, &mut links.planner);
        let answered = collider.answer_beside(
            &query,
            false,
            |work| planner.give(work),
            || spare.pop(),
            |mut snapshot| {
                snapshot.compute_ns = now_ns() - started;
                // The ring holds every buffer there is, so it cannot be full.
                let _ = snapshots.push(snapshot);
            },
        );
        // Who reads it just now gets the next one.
        if let Ok(mut near) = links.near.try_lock() {
            let failed = links.supervisor.as_ref().map(UserEnd::failed_attempts);
            *near = collider.near_facts(failed.unwrap_or(0));
        }
        if let Ok(mut broad) = links.broad.try_lock() {
            *broad = collider.broad_facts();
        }
        step += 1;
        log(
            &links,
            StepLog {
                step,
                query_tick: query.tick,
                applied,
                last_sequence: answered.last_sequence,
                soft: false,
                work: WorkLog {
                    landed: std::mem::take(&mut landed),
                    ..answered.work
                },
            },
        );
    }
    collider
}

/// Clients' requests that wait for the dynamics.
#[derive(Default)]
struct Desk {
    /// The next one, which cannot be begun yet; those behind it wait with it.
    next: Option<Request>,
    /// A body to add, of which it is being found out whether it has space.
    adding: Option<Request>,
}

impl Desk {
    /// Takes back what the planner has done. True: it was a course.
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
            let _ = links.replies.send((token, reply));
        }
        false
    }

    /// Begins as many requests as it can, in their order.
    fn serve(&mut self, collider: &mut Collider, links: &mut Links, applied: &mut Vec<Applied>) {
        while let Some(request) = self.next.take().or_else(|| links.requests.try_recv().ok()) {
            if collider.must_wait(&request.command) {
                self.next = Some(request);
                return;
            }
            let (begun, gone) = collider.begin(&request.command);
            gone.into_iter().for_each(|body| links.janitor.free(body));
            match begun {
                Begun::Done(reply, done) => {
                    let refused = matches!(reply, SceneReply::AddRefused(_));
                    applied.extend(done);
                    // A client that is gone needs no answer.
                    let _ = links.replies.send((request.token, reply));
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

/// What is still to be told, and a body of which nothing is. Who goes before they were told that it
/// came is nobody to them: so this never holds more than the bodies that there are and those that
/// they know, however long they take and whatever clients do.
fn note(untold: &mut VecDeque<Applied>, done: &Applied) -> Option<BodySpec> {
    let is_it =
        |other: &Applied| other.key == done.key && matches!(other.command, SceneCommand::Add(_));
    if matches!(done.command, SceneCommand::Remove { .. })
        && let Some(at) = untold.iter().position(is_it)
    {
        return match untold.remove(at)?.command {
            SceneCommand::Add(body) => Some(*body),
            _ => None,
        };
    }
    untold.push_back(done.clone());
    None
}

/// Tells as much as there is room for, oldest first. Does not wait.
fn tell(soft: &Sender<Applied>, untold: &mut VecDeque<Applied>) {
    while let Some(next) = untold.pop_front() {
        match soft.try_send(next) {
            Ok(()) => {}
            Err(TrySendError::Full(next)) => {
                untold.push_front(next);
                return;
            }
            // They have ended.
            Err(TrySendError::Disconnected(_)) => untold.clear(),
        }
    }
}

/// A step that answered nothing.
fn commands(step: u64, applied: Vec<Applied>, landed: bool) -> StepLog {
    StepLog {
        step,
        query_tick: 0,
        applied,
        last_sequence: 0,
        soft: false,
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
    use hapticd_geometry::{Vec3, shapes};
    use hapticd_scene::BodyKind;

    use super::*;

    #[test]
    fn soft_bodies_are_told_in_order_and_nobody_waits_for_room() {
        let gone = |id| Applied {
            command: SceneCommand::Remove { id },
            id,
            key: BodyKey::default(),
        };
        let (sender, receiver) = crossbeam::channel::bounded(2);
        let mut untold: VecDeque<Applied> = (1..=5).map(gone).collect();
        let mut heard = Vec::new();
        for left in [3, 1, 0] {
            tell(&sender, &mut untold);
            assert_eq!(untold.len(), left);
            heard.extend(receiver.try_iter().map(|applied| applied.id));
        }
        assert_eq!(heard, [1, 2, 3, 4, 5]);
        drop(receiver);
        untold.extend((6..9).map(gone));
        tell(&sender, &mut untold);
        assert!(untold.is_empty());
    }

    /// An arm in a costly mesh is answered after the others, under the number that it would have
    /// had anyway: a replay, which may search by other means, has the same.
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
            material: crate::fixtures::MATERIAL,
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

    /// However long soft bodies take, a client that adds and takes away does not fill the memory.
    #[test]
    fn who_comes_and_goes_before_soft_bodies_were_told_is_nobody() {
        let mesh = shapes::cuboid(&Vec3::repeat(0.1)).unwrap();
        let spec = BodySpec {
            name: "guest".to_owned(),
            kind: BodyKind::Kinematic,
            shape: hapticd_scene::Shape::of(mesh).0,
            solid: true,
            world_from_body: Pose::identity(),
            material: crate::fixtures::MATERIAL,
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
        };
        let came = |g| with(SceneCommand::Add(Box::new(spec.clone())), g);
        let went = |g| with(SceneCommand::Remove { id: 7 }, g);
        let mut untold = VecDeque::new();
        // They were told that the first came; its number is used again and again.
        note(&mut untold, &went(0));
        for generation in 1..1000 {
            note(&mut untold, &came(generation));
            assert_eq!(untold.len(), 2);
            note(&mut untold, &went(generation));
            assert_eq!(untold.len(), 1);
        }
        note(&mut untold, &came(1000));
        let told: Vec<u32> = untold.iter().map(|done| done.key.generation).collect();
        assert_eq!(told, [0, 1000]);
    }
}
