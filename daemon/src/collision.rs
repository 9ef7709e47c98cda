//! The collision side: owns the [`World`], applies commands, answers the loop's queries.
//!
//! [`Collider::answer`] is a pure function of the commands and the query (given the scene so far), which is what makes recordings
//! replayable: the recorder keeps the commands and the query's tick of every step, and nothing else.
//! It runs on the collision thread in real time ([`run`]) and inline in virtual time.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::broad::BroadFacts;
use crate::keeper::{SceneEnd, Standing};
use crate::motion::BodyMotion;
use crate::near::{NearBook, NearFacts};
use crossbeam::channel::{Receiver, Sender, TrySendError};
use hapticd_ccd::MidPhase;
use hapticd_geometry::Pose;
use hapticd_haptics::{BodyKey, MAX_ARMS, Material, Query, Snapshot};
use hapticd_sync::latest;
use hapticd_sync::ring;
use hapticd_sys::clock::now_ns;
use hapticd_world::{AddError, BodyInfo, BodySpec, CommandError, World};

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
}

/// The world with its duties. See the module page.
pub struct Collider {
    world: World,
    motions: Vec<BodyMotion>,
    period_s: f64,
    near: NearBook,
}

impl Collider {
    /// Takes over a scene, the motions of bodies that move by themselves, and the loop's period.
    pub fn new(world: World, motions: Vec<BodyMotion>, period_s: f64) -> Self {
        Collider {
            world,
            motions,
            period_s,
            near: NearBook::default(),
        }
    }

    /// The scene.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Applies one command; for the log also what was applied, if it was.
    pub fn apply_logged(&mut self, command: SceneCommand) -> (SceneReply, Option<Applied>) {
        let id_before = match &command {
            SceneCommand::Add(_) => None,
            SceneCommand::Remove { id }
            | SceneCommand::Target { id, .. }
            | SceneCommand::Halt { id }
            | SceneCommand::Surface { id, .. } => Some(*id),
        };
        let key_before = id_before.and_then(|id| self.key_of(id));
        let reply = self.apply(&command);
        let (id, key) = match &reply {
            SceneReply::Added(id) => (*id, self.key_of(*id)),
            SceneReply::Done => (id_before.unwrap_or(0), key_before),
            SceneReply::AddRefused(_) | SceneReply::Refused(_) => (0, None),
        };
        let applied = key.map(|key| Applied { command, id, key });
        (reply, applied)
    }

    fn key_of(&self, id: u32) -> Option<BodyKey> {
        self.world.infos().find(|b| b.id == id).map(|b| b.key)
    }

    /// Applies one command.
    pub fn apply(&mut self, command: &SceneCommand) -> SceneReply {
        let done = |r: Result<(), CommandError>| match r {
            Ok(()) => SceneReply::Done,
            Err(e) => SceneReply::Refused(e),
        };
        match command {
            SceneCommand::Add(spec) => match self.world.add_body((**spec).clone()) {
                Ok(id) => SceneReply::Added(id),
                Err(e) => SceneReply::AddRefused(e),
            },
            SceneCommand::Remove { id } => done(self.world.remove_body(*id)),
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
        }
    }

    /// Answers a query for every arm that asks; `buffer` lends snapshots, `deliver` takes them. Returns the sequence of the
    /// last answer. An arm for which no buffer is to be had goes without an answer this time.
    pub fn answer(
        &mut self,
        query: &Query,
        mut buffer: impl FnMut() -> Option<Box<Snapshot>>,
        mut deliver: impl FnMut(Box<Snapshot>),
    ) -> u64 {
        // Time is the query's tick, so that the answer is a function of the query.
        let t_s = query.tick as f64 * self.period_s;
        for motion in &self.motions {
            let (pose, speed) = motion.target(t_s);
            // A body that was removed, or that a client took over and then removed, wants nothing any more.
            let _ = self.world.set_target(motion.id, &pose, speed);
        }
        self.world.advance(query, self.period_s);
        let mut last = 0;
        for arm in 0..MAX_ARMS {
            if !query.arms[arm].present {
                continue;
            }
            let Some(mut snapshot) = buffer() else { break };
            if self.world.answer(query, arm, &mut snapshot) {
                last = snapshot.sequence;
                deliver(snapshot);
            }
        }
        last
    }

    /// Lets somebody else look for what is near the tools: [`World::set_midphase`]. Gives back who did until now.
    pub fn set_midphase(&mut self, midphase: Box<dyn MidPhase>) -> Option<Box<dyn MidPhase>> {
        let old = self.world.midphase().map(MidPhase::facts);
        self.near.replace(old, midphase.facts());
        self.world.set_midphase(midphase)
    }

    /// How who looks for what is near the tools stands; in charge where it is the CPU alone.
    pub fn near_standing(&self) -> Standing {
        let midphase = self.world.midphase();
        midphase.map_or(Standing::InCharge, |m| self.near.standing(m.facts()))
    }

    /// What became of the questions about what is near the tools; `None` where it is the CPU alone who looks.
    pub fn near_facts(&self, failed_attempts: u64) -> Option<NearFacts> {
        let midphase = self.world.midphase()?;
        Some(self.near.facts(midphase.facts(), failed_attempts))
    }

    /// Who says which dynamic bodies may touch at all, and what it has done.
    pub fn broad_facts(&self) -> BroadFacts {
        BroadFacts::of(self.world.broad_phase().name(), self.world.broad_work())
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
    pub replies: Sender<(u64, SceneReply)>,
    /// To the soft bodies: who came and who went. `None`: there are none.
    pub soft: Option<Sender<Applied>>,
    /// Steps for the recorder; a full queue drops and counts.
    pub log: Option<Sender<StepLog>>,
    /// Steps that the recorder missed.
    pub log_lost: std::sync::Arc<AtomicU64>,
    /// Who is in the scene, for those who list it.
    pub infos: std::sync::Arc<std::sync::Mutex<Vec<BodyInfo>>>,
    /// What a GPU was asked, after each answer; stays `None` where none is.
    pub near: std::sync::Arc<std::sync::Mutex<Option<NearFacts>>>,
    /// What the broad phase has done, after each answer.
    pub broad: std::sync::Arc<std::sync::Mutex<BroadFacts>>,
    /// Where a new GPU comes from when the one that looks for what is near is given up.
    pub keeper: Option<SceneEnd<Collider>>,
}

/// The collision thread: free-running, takes the newest query and answers it, until `stop`. `heartbeat` counts its rounds.
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
    let mut ending = false;
    while !ending {
        // Looked at before the commands: what was asked before the end is done and recorded.
        ending = stop.load(Ordering::Acquire);
        heartbeat.fetch_add(1, Ordering::Relaxed);
        if let Some(keeper) = &mut links.keeper {
            keeper.attend(&mut collider);
        }
        let mut applied = Vec::new();
        while let Ok(request) = links.requests.try_recv() {
            let (reply, done) = collider.apply_logged(request.command);
            applied.extend(done);
            // A client that is gone needs no answer.
            let _ = links.replies.try_send((request.token, reply));
        }
        if let Some(soft) = &links.soft {
            for done in applied.iter().filter(|done| crate::soft::concerns(done)) {
                note(&mut untold, done);
            }
            tell(soft, &mut untold);
        }
        if !applied.is_empty()
            && let Ok(mut infos) = links.infos.lock()
        {
            *infos = collider.infos();
        }
        while let Some(buffer) = links.used.pop() {
            spare.push(buffer);
        }
        let query = {
            let (query, new) = links.queries.read();
            new.then_some(*query)
        };
        let Some(query) = query else {
            if !applied.is_empty() {
                step += 1;
                log(&links, commands(step, applied));
            }
            // Nothing new to answer. The loop is FIFO above us: yielding a slice costs one wake-up of latency at most, and
            // spinning would cost the loop its second core.
            std::thread::sleep(std::time::Duration::from_micros(50));
            continue;
        };
        // Before the answers, which may name what came: whoever has seen what follows from an answer
        // finds in the log what it rests on.
        if !applied.is_empty() {
            step += 1;
            log(&links, commands(step, std::mem::take(&mut applied)));
        }
        let started = now_ns();
        let snapshots = &mut links.snapshots;
        let last_sequence = collider.answer(
            &query,
            || spare.pop(),
            |mut snapshot| {
                snapshot.compute_ns = now_ns() - started;
                // The ring holds every buffer there is, so it cannot be full.
                let _ = snapshots.push(snapshot);
            },
        );
        // Who reads it just now gets the next one.
        if let Ok(mut near) = links.near.try_lock() {
            let failed = links.keeper.as_ref().map(SceneEnd::failed_attempts);
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
                last_sequence,
                soft: false,
            },
        );
    }
    collider
}

/// What is still to be told. Who goes before they were told that it came is nobody to them: so this never holds more than the bodies that there are
/// and those that they know, however long they take and whatever clients do.
fn note(untold: &mut VecDeque<Applied>, done: &Applied) {
    let is_it =
        |other: &Applied| other.key == done.key && matches!(other.command, SceneCommand::Add(_));
    if matches!(done.command, SceneCommand::Remove { .. })
        && let Some(at) = untold.iter().position(is_it)
    {
        untold.remove(at);
        return;
    }
    untold.push_back(done.clone());
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
fn commands(step: u64, applied: Vec<Applied>) -> StepLog {
    StepLog {
        step,
        query_tick: 0,
        applied,
        last_sequence: 0,
        soft: false,
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
    use hapticd_world::BodyKind;

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

    /// However long soft bodies take, a client that adds and takes away does not fill the memory.
    #[test]
    fn who_comes_and_goes_before_soft_bodies_were_told_is_nobody() {
        let mesh = shapes::cuboid(&Vec3::repeat(0.1)).unwrap();
        let spec = BodySpec {
            name: "guest".to_owned(),
            kind: BodyKind::Kinematic,
            shape: hapticd_world::Shape::of(mesh).0,
            solid: true,
            world_from_body: Pose::identity(),
            material: crate::scene::DEFAULT_MATERIAL,
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
