//! Virtual time: the whole daemon's data path in one thread, deterministic, as fast as possible.
//!
//! Collision answers arrive a fixed number of ticks late, so that nothing relies on them being
//! fresh. Arms are simulated or replayed; see [`VirtualArm`]. Uses no clock except for the
//! compute-time stamps, which influence nothing.

use std::collections::VecDeque;

use hapticd_deformable::DeformableScene;
use hapticd_devices::arm::{ArmCommand, ArmSample};
use hapticd_devices::safety::Limits;
use hapticd_devices::sim::ArmTruth;
use hapticd_proxy::{DeformableSnapshot, MAX_ARMS, Snapshot};
use hapticd_scene::CommandError;
use hapticd_sys::clock::now_ns;

use crate::collider::Collider;
use crate::command::{Applied, SceneCommand, SceneReply};
use crate::deformable;
use crate::deformable::FIRST_ID;
use crate::step_log::{StepLog, WorkLog};
use hapticd_devices::sim::HeldArm;
use hapticd_loop::core::{ArmInput, LoopCore, LoopInput};
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::{Silencing, TickRecord};
use hapticd_loop::watchdog::Silent;

/// An arm without a wire.
pub trait VirtualArm {
    /// Advances the arm by `dt_ns` under a command, to `now_ns`. Returns the arm's newest sample,
    /// `None` while it is gone.
    fn step(&mut self, now_ns: u64, dt_ns: u64, command: &ArmCommand) -> Option<ArmSample>;

    /// Ground truth of a simulated arm at the time of the last step, even while the arm is gone.
    fn truth(&self) -> Option<ArmTruth> {
        None
    }
}

impl VirtualArm for HeldArm {
    fn step(&mut self, now_ns: u64, _dt_ns: u64, command: &ArmCommand) -> Option<ArmSample> {
        HeldArm::step(self, now_ns, command)
    }

    fn truth(&self) -> Option<ArmTruth> {
        Some(HeldArm::truth(self))
    }
}

/// A simulated arm that keeps its newest sample, since it reports only new ones.
pub struct SimulatedArm {
    held: Box<HeldArm>,
    last: ArmSample,
}

impl SimulatedArm {
    /// Makes an arm that has not reported yet.
    pub fn new(held: Box<HeldArm>) -> Self {
        let last = ArmSample::default();
        SimulatedArm { held, last }
    }
}

impl VirtualArm for SimulatedArm {
    fn step(&mut self, now_ns: u64, dt_ns: u64, command: &ArmCommand) -> Option<ArmSample> {
        if let Some(sample) = VirtualArm::step(&mut *self.held, now_ns, dt_ns, command) {
            self.last = sample;
        }
        self.held.is_connected().then_some(self.last)
    }

    fn truth(&self) -> Option<ArmTruth> {
        Some(self.held.truth())
    }
}

/// The soft bodies, with their answers in flight.
struct Soft {
    scene: DeformableScene,
    in_flight: VecDeque<(u64, Box<DeformableSnapshot>)>,
    // Boxes: they travel to the loop and back.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<DeformableSnapshot>>,
    applied: Vec<Applied>,
    last_step: Option<StepLog>,
    steps: u64,
    hangs: bool,
}

impl Soft {
    fn offer(&mut self, core: &mut LoopCore, tick: u64) {
        while self.in_flight.front().is_some_and(|(due, _)| *due <= tick) {
            if let Some((_, deformable)) = self.in_flight.pop_front() {
                self.spare.extend(core.offer_soft(deformable));
            }
        }
    }

    fn step(&mut self, query: &hapticd_proxy::Query, due: u64) {
        let (spare, in_flight) = (&mut self.spare, &mut self.in_flight);
        let last_sequence = deformable::answer(
            &mut self.scene,
            query,
            || Some(spare.pop().unwrap_or_default()),
            |deformable| in_flight.push_back((due, deformable)),
        );
        self.last_step = None;
        if last_sequence.is_some() || !self.applied.is_empty() {
            self.steps += 1;
            self.last_step = Some(StepLog {
                step: self.steps,
                query_tick: last_sequence.map_or(0, |_| query.tick),
                applied: std::mem::take(&mut self.applied),
                last_sequence: last_sequence.unwrap_or(0),
                deformable: true,
                work: WorkLog::default(),
            });
        }
    }
}

/// The driver.
pub struct VirtualLoop {
    core: LoopCore,
    collider: Collider,
    deformable: Option<Soft>,
    arms: [Option<Box<dyn VirtualArm + Send>>; MAX_ARMS],
    latency_ticks: u64,
    in_flight: VecDeque<(u64, Box<Snapshot>)>,
    // Boxes: they travel to the loop and back.
    #[allow(clippy::vec_box)]
    spare: Vec<Box<Snapshot>>,
    pair_capacity: usize,
    now_ns: u64,
    samples: [ArmInput; MAX_ARMS],
    applied: Vec<Applied>,
    last_step: StepLog,
}

impl VirtualLoop {
    /// Takes over core, scene and arms. An answer to the query of tick `k` is offered before tick
    /// `k + 1 + latency_ticks`.
    pub fn new(
        core: LoopCore,
        (collider, deformable): (Collider, Option<DeformableScene>),
        arms: [Option<Box<dyn VirtualArm + Send>>; MAX_ARMS],
        latency_ticks: u32,
        pair_capacity: usize,
    ) -> Self {
        VirtualLoop {
            core,
            collider,
            deformable: deformable.map(|scene| Soft {
                scene,
                in_flight: VecDeque::new(),
                spare: Vec::new(),
                applied: Vec::new(),
                last_step: None,
                steps: 0,
                hangs: false,
            }),
            arms,
            latency_ticks: u64::from(latency_ticks),
            in_flight: VecDeque::new(),
            spare: Vec::new(),
            pair_capacity,
            now_ns: 0,
            samples: [ArmInput::default(); MAX_ARMS],
            applied: Vec::new(),
            last_step: StepLog {
                step: 0,
                query_tick: 0,
                applied: Vec::new(),
                last_sequence: 0,
                deformable: false,
                work: WorkLog::default(),
            },
        }
    }

    /// Applies a command to the scene before the next collision step.
    pub fn command(&mut self, command: SceneCommand) -> SceneReply {
        if let (SceneCommand::Surface { id, material }, Some(deformable)) =
            (&command, &mut self.deformable)
            && *id >= FIRST_ID
        {
            let applied = deformable::apply(&mut deformable.scene, (*id, *material));
            let reply = match &applied {
                Some(_) => SceneReply::Done,
                None => SceneReply::Refused(CommandError::NoSuchBody(*id)),
            };
            deformable.applied.extend(applied);
            return reply;
        }
        let (reply, applied) = self.collider.apply_logged(command);
        if let (Some(deformable), Some(news)) = (&mut self.deformable, &applied) {
            for change in deformable::changes(news) {
                match deformable::follow(&mut deformable.scene, change) {
                    Ok(done) => deformable.applied.extend(done),
                    Err(why) => tracing::warn!("soft bodies cannot meet {why}"),
                }
            }
        }
        self.applied.extend(applied);
        reply
    }

    /// Removes a body whose client is gone: the tool no longer feels it from the next tick on.
    /// [`SceneCommand::Remove`] must follow.
    pub fn forget(&mut self, id: u32) {
        self.core.forget(id);
    }

    /// Silences a body, so that it makes no force, or restores it, from the next tick on.
    pub fn silence(&mut self, body: u32, silent: bool) {
        self.core.silence(Silencing { body, silent });
    }

    /// Gives the loop an order of an application before the next tick. Returns false if it takes no
    /// more in that tick.
    pub fn order(&mut self, order: LoopOrder) -> bool {
        self.core.order(order)
    }

    /// Tightens the limits of all arms before the next tick, replacing an earlier tightening.
    pub fn tighten(&mut self, limits: &Limits) {
        for arm in 0..MAX_ARMS {
            if let Err(why) = self.core.tighten(arm, limits) {
                // A reload's limits are checked before; if invalid ones slip through, the old ones
                // stay.
                tracing::error!(arm, %why, "limits refused");
            }
        }
    }

    /// Lets forces rise only by the ramp from now on: surfaces are about to change.
    pub fn ease(&mut self) {
        (0..MAX_ARMS).for_each(|arm| self.core.ease(arm));
    }

    /// Runs one tick.
    pub fn step(&mut self, stopping: bool) -> &TickRecord {
        let period_ns = self.core.period_ns();
        self.now_ns += period_ns;
        let tick = self.core.record().tick + 1;
        let mut newest: [Option<Box<Snapshot>>; MAX_ARMS] = [const { None }; MAX_ARMS];
        while self.in_flight.front().is_some_and(|(due, _)| *due <= tick) {
            if let Some((_, snapshot)) = self.in_flight.pop_front()
                && let Some(slot) = newest.get_mut(snapshot.arm)
                && let Some(old) = slot.replace(snapshot)
            {
                self.spare.push(old);
            }
        }
        for snapshot in newest.into_iter().flatten() {
            if let Some(old) = self.core.offer(snapshot) {
                self.spare.push(old);
            }
        }
        if let Some(deformable) = &mut self.deformable {
            deformable.offer(&mut self.core, tick);
        }
        for i in 0..MAX_ARMS {
            if let Some(arm) = &mut self.arms[i] {
                let command = self.core.command(i);
                let sample = arm.step(self.now_ns, period_ns, &command);
                self.samples[i] = ArmInput {
                    sample: sample.unwrap_or(self.samples[i].sample),
                    attached: sample.is_some(),
                    truth: arm.truth(),
                };
            }
        }
        let started = now_ns();
        self.core.tick(&LoopInput {
            now_ns: self.now_ns,
            periods: 1,
            arms: self.samples,
            stopping,
            cut: false,
            silent: Silent::NONE,
        });
        let took = now_ns() - started;
        self.core
            .stamp(self.now_ns, self.now_ns, self.now_ns + took);
        while let Some(old) = self.core.take_retired() {
            self.spare.push(old);
        }
        let query = self.core.query();
        let due = tick + 1 + self.latency_ticks;
        let (spare, in_flight, pairs) = (&mut self.spare, &mut self.in_flight, self.pair_capacity);
        let last_sequence = self.collider.answer(
            &query,
            || {
                Some(
                    spare
                        .pop()
                        .unwrap_or_else(|| Box::new(Snapshot::new(pairs))),
                )
            },
            |snapshot| in_flight.push_back((due, snapshot)),
        );
        self.last_step = StepLog {
            step: self.last_step.step + 1,
            query_tick: query.tick,
            applied: std::mem::take(&mut self.applied),
            last_sequence,
            deformable: false,
            work: WorkLog::default(),
        };
        if let Some(deformable) = self
            .deformable
            .as_mut()
            .filter(|deformable| !deformable.hangs)
        {
            deformable.step(&query, due);
        }
        self.core.record()
    }

    /// The collision step of the last tick.
    pub fn last_step(&self) -> &StepLog {
        &self.last_step
    }

    /// The soft bodies' step of the last tick, if one was due.
    pub fn last_soft_step(&self) -> Option<&StepLog> {
        self.deformable.as_ref()?.last_step.as_ref()
    }

    /// Makes the soft bodies' thread hang from the next tick on, or ends that: for fault scripts.
    pub fn hang_soft(&mut self, hangs: bool) {
        if let Some(deformable) = &mut self.deformable {
            deformable.hangs = hangs;
        }
    }

    /// The soft bodies.
    pub fn deformable(&self) -> Option<&DeformableScene> {
        self.deformable.as_ref().map(|deformable| &deformable.scene)
    }

    /// Both sides of the scene, for changes between two ticks: for fault scripts.
    pub fn scenes(&mut self) -> (&mut Collider, Option<&mut DeformableScene>) {
        let deformable = self
            .deformable
            .as_mut()
            .map(|deformable| &mut deformable.scene);
        (&mut self.collider, deformable)
    }

    /// The loop.
    pub fn core(&self) -> &LoopCore {
        &self.core
    }

    /// The scene.
    pub fn collider(&self) -> &Collider {
        &self.collider
    }
}
