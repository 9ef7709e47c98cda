//! Computes a recorded run again and compares it bit for bit.
//!
//! Ticks run in their order. A collision step that answered the query of tick `k` runs right after
//! tick `k`, with the commands that were applied before it. Its snapshots wait until the tick
//! before which they were offered. So the replay does what the run did, whatever the timing of its
//! threads was. It is single-threaded, deterministic and as fast as possible.
//!
//! A missing record (the recorder could not keep up) makes everything after it unverifiable. The
//! replay then stops there and reports it.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use hapticd_deformable::DeformableScene;
use hapticd_devices::safety::Limits;
use hapticd_proxy::{DeformableSnapshot, Gains, MAX_ARMS, Snapshot};
use hapticd_scene::Work;
use serde::Serialize;

use crate::session_setup::SessionSetup;
use hapticd_collision::collider::Collider;
use hapticd_collision::command::{Applied, SceneCommand, SceneReply};
use hapticd_loop::core::LoopCore;
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::{Blame, Silencing};
use hapticd_monitor::checker::Checker;
use hapticd_monitor::stats::{Report, Stats};
use hapticd_recording::message::{
    ArmMessage, GainsMessage, NeedleMessage, OutputMessage, StepMessage, TickMessage,
};
use hapticd_recording::number::Num;
use hapticd_recording::{Event, ReadError, Time};

/// The first difference between recording and replay.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Tick of the difference.
    pub tick: u64,
    /// Index of the arm.
    pub arm: u8,
    /// Name of the value.
    pub what: &'static str,
    /// The recorded value.
    pub recorded: String,
    /// The replayed value.
    pub replayed: String,
}

/// How the recording ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// The recording is complete.
    Complete,
    /// The file is cut off; everything before the cut was replayed.
    Truncated,
    /// The file is damaged from here on.
    Damaged(String),
    /// Records are missing from here on, or contradict each other.
    Gap(String),
}

/// Outcome of a replay.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    /// Ticks that were computed and compared.
    pub ticks: u64,
    /// Ticks in which something differs.
    pub differing_ticks: u64,
    /// Ticks at the very end whose collision step was no longer recorded; at most 256.
    pub unverified_ticks: u64,
    /// The first difference in the first differing tick.
    pub first_difference: Option<Difference>,
    /// How the recording ended.
    pub end: End,
    /// Statistics of the replayed run, with the times of the recorded run.
    pub report: Report,
}

impl Outcome {
    /// Returns true if there was at least one tick, and everything recorded and readable came out
    /// the same. A file that is merely cut off does not count as a difference; lost records do.
    pub fn is_identical(&self) -> bool {
        self.ticks > 0
            && self.first_difference.is_none()
            && matches!(self.end, End::Complete | End::Truncated)
    }
}

/// Ticks that are read ahead to find a collision step that was written late. The recorder's queues
/// are shorter.
const LOOK_AHEAD: usize = 16_384;

/// Ticks at the end that may lack their collision step; more count as lost records.
const TAIL: u64 = 256;

/// Reads the messages, and reads ahead as far as their order requires.
struct Queue<S> {
    source: S,
    ticks: VecDeque<Box<TickMessage>>,
    steps: VecDeque<Box<StepMessage>>,
    soft_steps: VecDeque<Box<StepMessage>>,
    end: Option<End>,
}

impl<S: FnMut() -> Result<Option<Event>, ReadError>> Queue<S> {
    fn read(&mut self) {
        match (self.source)() {
            Ok(Some(Event::Tick(tick))) => self.ticks.push_back(tick),
            Ok(Some(Event::Step(step))) if step.deformable => self.soft_steps.push_back(step),
            Ok(Some(Event::Step(step))) => self.steps.push_back(step),
            Ok(Some(Event::Event(_))) => {}
            Ok(None) => self.end = Some(End::Complete),
            Err(ReadError::Truncated) => self.end = Some(End::Truncated),
            Err(e) => self.end = Some(End::Damaged(e.to_string())),
        }
    }

    fn tick(&mut self) -> Option<Box<TickMessage>> {
        while self.ticks.is_empty() && self.end.is_none() {
            self.read();
        }
        self.ticks.pop_front()
    }

    /// Returns the next step if it answers this tick's query or an earlier one, or no query.
    fn step(&mut self, tick: u64, deformable: bool) -> Option<Box<StepMessage>> {
        // The steps of each thread are written in order. A step with a later query means that there
        // is no other one for this tick.
        while self.of(deformable).is_empty() && self.end.is_none() && self.ticks.len() < LOOK_AHEAD
        {
            self.read();
        }
        let steps = self.of(deformable);
        let next = steps.front()?;
        (next.query_tick <= tick)
            .then(|| steps.pop_front())
            .flatten()
    }

    fn of(&mut self, deformable: bool) -> &mut VecDeque<Box<StepMessage>> {
        if deformable {
            &mut self.soft_steps
        } else {
            &mut self.steps
        }
    }
}

/// The soft bodies, with the answers that wait to be offered.
struct SoftReplay {
    scene: DeformableScene,
    answers: BTreeMap<u64, Box<DeformableSnapshot>>,
    step: u64,
    sequence: u64,
}

struct Replay {
    core: LoopCore,
    collider: Collider,
    deformable: Option<SoftReplay>,
    gains: [Option<GainsMessage>; MAX_ARMS],
    snapshots: BTreeMap<u64, Box<Snapshot>>,
    // Snapshots are large, so they are moved in boxes.
    #[expect(clippy::vec_box)]
    spare: Vec<Box<Snapshot>>,
    pair_capacity: usize,
    tick: u64,
    step: u64,
    sequence: u64,
    /// A trajectory that the run was still planning.
    planning: Option<Box<Work>>,
    checker: Option<Checker>,
}

/// Replays the events of `source` in a session that was built from the recording's configuration.
pub fn replay(
    setup: SessionSetup,
    time: Time,
    check: bool,
    source: impl FnMut() -> Result<Option<Event>, ReadError>,
) -> Outcome {
    let mut stats = Stats::new(time == Time::Virtual, setup.period_ns, &setup.names());
    let checker = check.then(|| setup.checker());
    let mut state = Replay {
        core: setup.core,
        collider: setup.collider,
        deformable: setup.deformable.map(|scene| SoftReplay {
            scene,
            answers: BTreeMap::new(),
            step: 0,
            sequence: 0,
        }),
        gains: [None; MAX_ARMS],
        snapshots: BTreeMap::new(),
        spare: Vec::new(),
        pair_capacity: setup.pair_capacity,
        tick: 0,
        step: 0,
        sequence: 0,
        planning: None,
        checker,
    };
    let mut queue = Queue {
        source,
        ticks: VecDeque::new(),
        steps: VecDeque::new(),
        soft_steps: VecDeque::new(),
        end: None,
    };
    let mut ticks = 0;
    let mut differing_ticks = 0;
    let mut first_difference = None;
    let mut unverified_ticks = 0;
    let end = loop {
        let Some(message) = queue.tick() else {
            break queue.end.unwrap_or(End::Complete);
        };
        if let Err(why) = state.run_tick(&message, &mut stats) {
            // Ticks and steps come from different threads, so at the very end a tick may lack the
            // step that it needs.
            let left = 1 + queue.ticks.len() as u64;
            break match queue.end {
                Some(end @ (End::Complete | End::Truncated))
                    if queue.steps.is_empty() && left <= TAIL =>
                {
                    unverified_ticks = left;
                    end
                }
                _ => End::Gap(why),
            };
        }
        ticks += 1;
        if let Some(difference) = state.difference(&message) {
            differing_ticks += 1;
            first_difference.get_or_insert(difference);
        }
        let mut gap = None;
        while let Some(step) = queue.step(message.tick, false) {
            if let Err(why) = state.run_step(&step) {
                gap = Some(why);
                break;
            }
        }
        while state.deformable.is_some()
            && gap.is_none()
            && let Some(step) = queue.step(message.tick, true)
        {
            gap = state.run_soft_step(&step).err();
        }
        if let Some(why) = gap {
            break End::Gap(why);
        }
    };
    Outcome {
        ticks,
        differing_ticks,
        unverified_ticks,
        first_difference,
        end,
        report: stats.report(Vec::new()),
    }
}

impl Replay {
    /// Runs one tick. An error says what is missing.
    fn run_tick(&mut self, message: &TickMessage, stats: &mut Stats) -> Result<(), String> {
        if message.tick != self.tick + 1 {
            return Err(format!(
                "ticks {} to {} are missing: the recorder could not keep up",
                self.tick + 1,
                message.tick.saturating_sub(1)
            ));
        }
        self.tick = message.tick;
        for body in &message.gone {
            if !self.core.forget(*body) {
                return Err(format!(
                    "too many bodies are gone before tick {}",
                    message.tick
                ));
            }
        }
        for &(body, silent) in &message.silenced {
            if !self.core.silence(Silencing { body, silent }) {
                return Err(format!(
                    "too many bodies are silenced before tick {}",
                    message.tick
                ));
            }
        }
        let effects = message.effects.iter();
        let effects = effects.map(|effect| effect.order().map(LoopOrder::Effect));
        let grasps = message.grasps.iter();
        let grasps = grasps.map(|grasp| Some(LoopOrder::Grasp(grasp.order())));
        let workspaces = message.workspaces.iter();
        let workspaces = workspaces.map(|order| Some(LoopOrder::Workspace(order.order())));
        for order in effects.chain(grasps).chain(workspaces) {
            if !order.is_some_and(|order| self.core.order(order)) {
                return Err(format!(
                    "an application's order before tick {} is unknown, or one too many",
                    message.tick
                ));
            }
        }
        for arm in &message.arms {
            self.prepare(message.tick, arm)?;
        }
        self.core.tick(&message.input());
        if message.blame == hapticd_recording::message::blame_word(Blame::Device) {
            // Only the run knew that the device's report did not come.
            self.core.blame_device();
        }
        self.core
            .stamp(message.signalled_ns, message.awake_ns, message.done_ns);
        while let Some(buffer) = self.core.take_retired() {
            self.spare.push(buffer);
        }
        let record = self.core.record();
        stats.add(record);
        if let Some(checker) = &mut self.checker {
            checker.check(record, stats);
        }
        Ok(())
    }

    /// Sets gains, limits and snapshot of an arm before the tick.
    fn prepare(&mut self, tick: u64, arm: &ArmMessage) -> Result<(), String> {
        let index = usize::from(arm.index);
        if let Some(gains) = arm.input.gains
            && let Some(now) = self.gains.get_mut(index)
        {
            *now = Some(gains);
            self.core.set_gains(index, Gains::from(&gains));
        }
        if arm.input.cleared {
            self.core.clear_faults(index);
        }
        if arm.input.eased {
            self.core.ease(index);
        }
        if let Some(limits) = &arm.input.limits {
            // These are the limits that the run kept.
            self.core
                .tighten(index, &Limits::from(limits))
                .map_err(|e| format!("the limits of tick {tick} are refused: {e}"))?;
        }
        self.offer_soft(tick, arm)?;
        let offered = arm.input.offered;
        if offered == 0 {
            return Ok(());
        }
        let Some(snapshot) = self.snapshots.remove(&offered) else {
            return Err(format!(
                "the collision step of snapshot {offered}, given to arm {index} before tick {tick}, is missing"
            ));
        };
        // Snapshots that were skipped are not offered any more.
        let passed: Vec<u64> = self
            .snapshots
            .range(..offered)
            .filter(|(_, s)| s.arm == snapshot.arm)
            .map(|(k, _)| *k)
            .collect();
        for key in passed {
            self.spare.extend(self.snapshots.remove(&key));
        }
        if snapshot.arm != index {
            return Err(format!(
                "snapshot {offered}, given to arm {index} before tick {tick}, is another arm's"
            ));
        }
        self.spare.extend(self.core.offer(snapshot));
        Ok(())
    }

    /// Offers an arm the latest answer of the soft bodies before the tick.
    fn offer_soft(&mut self, tick: u64, arm: &ArmMessage) -> Result<(), String> {
        let (offered, index) = (arm.input.offered_deformable, usize::from(arm.index));
        if offered == 0 {
            return Ok(());
        }
        let missing = || {
            format!(
                "the soft step of answer {offered}, given to arm {index} before tick {tick}, is missing"
            )
        };
        let deformable = self.deformable.as_mut().ok_or_else(missing)?;
        let answer = deformable.answers.remove(&offered).ok_or_else(missing)?;
        if answer.arm != index {
            return Err(format!(
                "soft answer {offered}, given to arm {index} before tick {tick}, is another arm's"
            ));
        }
        // The loop takes every answer in order, so it took the earlier ones as well. Their
        // statements about planes count.
        let before: Vec<u64> = (deformable.answers.range(..offered))
            .filter(|(_, s)| s.arm == index)
            .map(|(k, _)| *k)
            .collect();
        for key in before {
            if let Some(passed) = deformable.answers.remove(&key) {
                self.core.offer_soft(passed);
            }
        }
        self.core.offer_soft(answer);
        Ok(())
    }

    /// Computes one step of the soft bodies.
    fn run_soft_step(&mut self, message: &StepMessage) -> Result<(), String> {
        let Some(deformable) = self.deformable.as_mut() else {
            return Ok(());
        };
        if message.step != deformable.step + 1 {
            return Err(format!(
                "soft steps {} to {} are missing before tick {}: the recorder could not keep up",
                deformable.step + 1,
                message.step.saturating_sub(1),
                self.tick + 1
            ));
        }
        deformable.step = message.step;
        for applied in &message.applied {
            let refused = |why: String| {
                let step = message.step;
                format!("soft step {step}: a command is refused: {why}")
            };
            let command = (applied.command.command()).map_err(|e| refused(e.to_string()))?;
            if let SceneCommand::Surface { id, material } = command {
                deformable.scene.set_surface(id, &material);
                continue;
            }
            let applied = Applied {
                command,
                id: 0,
                key: applied.key.into(),
                placed: None,
            };
            hapticd_collision::deformable::follow(&mut deformable.scene, applied)
                .map_err(|e| refused(e.to_string()))?;
        }
        if message.query_tick == 0 {
            return Ok(());
        }
        if message.query_tick != self.tick {
            return Err(format!(
                "soft step {} answered tick {} but was written after tick {}",
                message.step, message.query_tick, self.tick
            ));
        }
        let query = self.core.query();
        let answers = &mut deformable.answers;
        // If the run had no buffer left, an arm went without an answer.
        let mut left = message.last_sequence.saturating_sub(deformable.sequence);
        let last = hapticd_collision::deformable::answer(
            &mut deformable.scene,
            &query,
            || {
                left = left.checked_sub(1)?;
                Some(Box::default())
            },
            |answer| {
                answers.insert(answer.sequence, answer);
            },
        );
        if last != Some(message.last_sequence) {
            return Err(format!(
                "soft step {} made answers up to {last:?}, the recorded one up to {}",
                message.step, message.last_sequence
            ));
        }
        deformable.sequence = message.last_sequence;
        Ok(())
    }

    /// Computes one collision step.
    fn run_step(&mut self, message: &StepMessage) -> Result<(), String> {
        if message.step != self.step + 1 {
            return Err(format!(
                "collision steps {} to {} are missing before tick {}: the recorder could not keep up",
                self.step + 1,
                message.step.saturating_sub(1),
                self.tick + 1
            ));
        }
        self.step = message.step;
        if message.dynamics_landed {
            let Some(mut work) = self.planning.take() else {
                return Err(format!(
                    "before collision step {}, a trajectory came that no step had begun",
                    message.step
                ));
            };
            work.run();
            self.collider.finish(*work);
        }
        for applied in &message.applied {
            let refused = |why: String| {
                format!(
                    "collision step {}: a command is refused: {why}",
                    message.step
                )
            };
            let command = applied
                .command
                .command()
                .map_err(|e| refused(e.to_string()))?;
            match self.collider.apply_recorded(command) {
                (SceneReply::AddRefused(e), _) => return Err(refused(e.to_string())),
                (SceneReply::Refused(e), _) => return Err(refused(e.to_string())),
                (SceneReply::Added(_) | SceneReply::Done, done) => {
                    if let (Some(checker), Some(done)) = (&mut self.checker, done) {
                        checker.follow(&done);
                    }
                }
            }
        }
        if message.query_tick == 0 {
            return Ok(());
        }
        if message.query_tick != self.tick {
            return Err(format!(
                "collision step {} answered tick {} but was written after tick {}",
                message.step, message.query_tick, self.tick
            ));
        }
        let query = self.core.query();
        let (spare, snapshots, pairs) = (&mut self.spare, &mut self.snapshots, self.pair_capacity);
        let mut left = message.last_sequence.saturating_sub(self.sequence);
        let planning = &mut self.planning;
        let answered = self.collider.answer_with(
            &query,
            message.dynamics_away,
            |mut work| {
                if message.dynamics_awaited {
                    *planning = Some(work);
                    return None;
                }
                work.run();
                Some(work)
            },
            || {
                // If the run had no buffer left, an arm went without an answer.
                left = left.checked_sub(1)?;
                Some(
                    spare
                        .pop()
                        .unwrap_or_else(|| Box::new(Snapshot::new(pairs))),
                )
            },
            |snapshot| {
                snapshots.insert(snapshot.sequence, snapshot);
            },
        );
        let last = answered.last_sequence;
        if last != message.last_sequence {
            return Err(format!(
                "collision step {} made snapshots up to {}, the recorded one up to {}",
                message.step, last, message.last_sequence
            ));
        }
        if last > 0 {
            self.sequence = last;
        }
        if let Some(checker) = &mut self.checker {
            checker.answered(last);
        }
        Ok(())
    }

    /// Returns the difference between the tick that just ran and its record.
    fn difference(&self, message: &TickMessage) -> Option<Difference> {
        let record = self.core.record();
        message.arms.iter().find_map(|arm| {
            let now = OutputMessage::of(record.arms.get(usize::from(arm.index))?);
            let (what, recorded, replayed) = first_difference(&arm.output, &now)?;
            Some(Difference {
                tick: message.tick,
                arm: arm.index,
                what,
                recorded,
                replayed,
            })
        })
    }
}

fn format_numbers(numbers: &[Num]) -> String {
    let words: Vec<String> = numbers
        .iter()
        .map(|n| format!("{:e} ({:#018x})", n.0, n.0.to_bits()))
        .collect();
    format!("[{}]", words.join(", "))
}

/// Returns the first field that differs: first what goes to the arm, then what led to it.
fn first_difference(
    a: &OutputMessage,
    b: &OutputMessage,
) -> Option<(&'static str, String, String)> {
    let numbers: [(&'static str, &[Num], &[Num]); 8] = [
        ("sent.force_n", &a.sent.force_n, &b.sent.force_n),
        ("sent.torque_nm", &a.sent.torque_nm, &b.sent.torque_nm),
        ("wanted.force_n", &a.wanted.force_n, &b.wanted.force_n),
        ("wanted.torque_nm", &a.wanted.torque_nm, &b.wanted.torque_nm),
        (
            "world_from_proxy.position_m",
            &a.world_from_proxy.position_m,
            &b.world_from_proxy.position_m,
        ),
        (
            "world_from_proxy.rotation_xyzw",
            &a.world_from_proxy.rotation_xyzw,
            &b.world_from_proxy.rotation_xyzw,
        ),
        (
            "world_from_device.position_m",
            &a.world_from_device.position_m,
            &b.world_from_device.position_m,
        ),
        (
            "world_from_device.rotation_xyzw",
            &a.world_from_device.rotation_xyzw,
            &b.world_from_device.rotation_xyzw,
        ),
    ];
    let number = numbers
        .into_iter()
        .find(|(_, a, b)| a != b)
        .map(|(what, a, b)| (what, format_numbers(a), format_numbers(b)));
    number.or_else(|| {
        let counts = [
            ("anchored", u64::from(a.anchored), u64::from(b.anchored)),
            ("state", u64::from(a.state), u64::from(b.state)),
            ("reason", u64::from(a.reason), u64::from(b.reason)),
            ("starved", u64::from(a.starved), u64::from(b.starved)),
            ("grasped", u64::from(a.grasped), u64::from(b.grasped)),
            ("contacts", u64::from(a.contacts), u64::from(b.contacts)),
            ("rows", u64::from(a.rows), u64::from(b.rows)),
            ("pairs", u64::from(a.pairs), u64::from(b.pairs)),
            ("substeps", u64::from(a.substeps), u64::from(b.substeps)),
            ("snapshot", a.snapshot, b.snapshot),
            (
                "snapshot_age_ticks",
                u64::from(a.snapshot_age_ticks),
                u64::from(b.snapshot_age_ticks),
            ),
            ("input_age_ns", a.input_age_ns, b.input_age_ns),
        ];
        counts
            .into_iter()
            .find(|(_, a, b)| a != b)
            .map(|(what, a, b)| (what, a.to_string(), b.to_string()))
            .or_else(|| (a.solid != b.solid).then(|| ("solid", a.solid.clone(), b.solid.clone())))
            .or_else(|| {
                let slots = |inside: &Option<String>| inside.clone().unwrap_or_default();
                (a.inside != b.inside).then(|| ("inside", slots(&a.inside), slots(&b.inside)))
            })
            .or_else(|| {
                let told = |needle: &Option<NeedleMessage>| format!("{needle:?}");
                (a.needle != b.needle).then(|| ("needle", told(&a.needle), told(&b.needle)))
            })
            .or_else(|| {
                let differs = a.energy.is_some() && a.energy != b.energy;
                differs.then(|| {
                    (
                        "energy",
                        format!("{:?}", a.energy),
                        format!("{:?}", b.energy),
                    )
                })
            })
    })
}
