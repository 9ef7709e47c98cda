//! The JSON messages of a recording, and how the loop's own types become them and come back.
//!
//! Lengths are metres, forces newtons, times nanoseconds on the loop's clock, rotations quaternions
//! `[x, y, z, w]`. Poses of samples are `base_from_tool`, all others are in the world. Going
//! through a message changes no bit. Pure.

use hapticd_devices::arm::{ArmSample, ArmStatus, Wrench};
use hapticd_devices::safety::{Limits, OscillationLimits};
use hapticd_devices::sim::ArmTruth;
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_proxy::{BodyKey, Gains, Held, Insertion, MAX_ARMS, Phase};
use serde::{Deserialize, Serialize};

pub use super::command::{AddMessage, CommandMessage};
use super::energy::{EnergyMessage, TruthMessage};
use super::number::Num;
use hapticd_collision::collider::{StepLog, WorkLog};
use hapticd_loop::core::{ArmInput, LoopInput};
use hapticd_loop::record::{ArmTick, Blame, TickRecord};
use hapticd_loop::watchdog::Silent;

/// A point or vector.
pub type Triple = [Num; 3];

pub(super) fn triple(v: &Vec3) -> Triple {
    [Num(v.x), Num(v.y), Num(v.z)]
}

pub(super) fn vector(t: &Triple) -> Vec3 {
    Vec3::new(t[0].0, t[1].0, t[2].0)
}

/// A pose.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoseMessage {
    /// m.
    pub position_m: Triple,
    /// Unit quaternion, x y z w.
    pub rotation_xyzw: [Num; 4],
}

impl From<&Pose> for PoseMessage {
    fn from(p: &Pose) -> Self {
        let q = p.rotation.coords;
        PoseMessage {
            position_m: triple(&p.translation.vector),
            rotation_xyzw: [Num(q.x), Num(q.y), Num(q.z), Num(q.w)],
        }
    }
}

impl From<&PoseMessage> for Pose {
    /// The quaternion is taken as it stands: normalising it would change its last bits.
    fn from(m: &PoseMessage) -> Self {
        let [x, y, z, w] = m.rotation_xyzw;
        Pose::from_parts(
            vector(&m.position_m).into(),
            Quat::new_unchecked(nalgebra::Quaternion::new(w.0, x.0, y.0, z.0)),
        )
    }
}

/// Force and torque in an arm's base frame.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrenchMessage {
    /// N.
    pub force_n: Triple,
    /// N·m.
    pub torque_nm: Triple,
}

impl From<&Wrench> for WrenchMessage {
    fn from(w: &Wrench) -> Self {
        WrenchMessage {
            force_n: triple(&w.force_n),
            torque_nm: triple(&w.torque_nm),
        }
    }
}

impl From<&WrenchMessage> for Wrench {
    fn from(m: &WrenchMessage) -> Self {
        Wrench {
            force_n: vector(&m.force_n),
            torque_nm: vector(&m.torque_nm),
        }
    }
}

/// An arm's newest sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleMessage {
    /// When it arrived.
    pub time_ns: u64,
    /// Counts reports.
    pub sequence: u64,
    /// Tool in the base frame.
    pub pose: PoseMessage,
    /// m/s.
    #[serde(default)]
    pub linear_velocity: Triple,
    /// rad/s.
    #[serde(default)]
    pub angular_velocity: Triple,
    /// Bits.
    #[serde(default)]
    pub buttons: u32,
    /// Reports passed over.
    #[serde(default)]
    pub skipped: u32,
    /// Hottest motor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<Num>,
    /// `calibrated` 1, `safety_switch_closed` 2, `input_stalled` 4, `pose_invalid` 8.
    #[serde(default)]
    pub status: u8,
}

impl From<&ArmSample> for SampleMessage {
    fn from(s: &ArmSample) -> Self {
        let flags = [
            s.status.calibrated,
            s.status.safety_switch_closed,
            s.status.input_stalled,
            s.status.pose_invalid,
        ];
        SampleMessage {
            time_ns: s.time_ns,
            sequence: s.sequence,
            pose: (&s.pose).into(),
            linear_velocity: triple(&s.linear_velocity),
            angular_velocity: triple(&s.angular_velocity),
            buttons: s.buttons,
            skipped: s.skipped,
            // Every f32 is an f64.
            temperature_c: s.temperature_c.map(|t| Num(f64::from(t))),
            status: flags
                .iter()
                .enumerate()
                .map(|(i, on)| u8::from(*on) << i)
                .sum(),
        }
    }
}

impl From<&SampleMessage> for ArmSample {
    fn from(m: &SampleMessage) -> Self {
        ArmSample {
            time_ns: m.time_ns,
            sequence: m.sequence,
            pose: (&m.pose).into(),
            linear_velocity: vector(&m.linear_velocity),
            angular_velocity: vector(&m.angular_velocity),
            buttons: m.buttons,
            skipped: m.skipped,
            temperature_c: m.temperature_c.map(|t| t.0 as f32),
            status: ArmStatus {
                calibrated: m.status & 1 != 0,
                safety_switch_closed: m.status & 2 != 0,
                input_stalled: m.status & 4 != 0,
                pose_invalid: m.status & 8 != 0,
            },
        }
    }
}

/// Coupling gains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GainsMessage {
    /// N/m.
    pub stiffness_n_per_m: Num,
    /// N·s/m.
    pub damping_n_s_per_m: Num,
    /// N·m/rad.
    pub rotational_stiffness_nm_per_rad: Num,
    /// N·m·s/rad.
    pub rotational_damping_nm_s_per_rad: Num,
}

impl From<&Gains> for GainsMessage {
    fn from(g: &Gains) -> Self {
        GainsMessage {
            stiffness_n_per_m: Num(g.stiffness_n_per_m),
            damping_n_s_per_m: Num(g.damping_n_s_per_m),
            rotational_stiffness_nm_per_rad: Num(g.rotational_stiffness_nm_per_rad),
            rotational_damping_nm_s_per_rad: Num(g.rotational_damping_nm_s_per_rad),
        }
    }
}

impl From<&GainsMessage> for Gains {
    fn from(m: &GainsMessage) -> Self {
        Gains {
            stiffness_n_per_m: m.stiffness_n_per_m.0,
            damping_n_s_per_m: m.damping_n_s_per_m.0,
            rotational_stiffness_nm_per_rad: m.rotational_stiffness_nm_per_rad.0,
            rotational_damping_nm_s_per_rad: m.rotational_damping_nm_s_per_rad.0,
        }
    }
}

/// Limits that a governor keeps; field by field those of [`Limits`].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct LimitsMessage {
    pub peak_force_n: Num,
    pub continuous_force_n: Num,
    pub peak_torque_nm: Num,
    pub continuous_torque_nm: Num,
    pub continuous_window_s: Num,
    pub slew_n_per_s: Num,
    pub slew_nm_per_s: Num,
    pub velocity_limit_m_s: Num,
    pub angular_velocity_limit_rad_s: Num,
    pub max_temperature_c: Num,
    pub ramp_s: Num,
    pub fade_ns: u64,
    pub engage_force_n: Num,
    pub engage_torque_nm: Num,
    pub engage_ticks: u32,
    pub edge_fade_m: Num,
    pub stall_ns: u64,
    pub stale_input_ns: u64,
    pub stale_contact_ns: u64,
    pub oscillation_motion_m: Num,
    pub oscillation_force_n: Num,
    pub oscillation_turning_rad: Num,
    pub oscillation_torque_nm: Num,
}

impl From<&Limits> for LimitsMessage {
    fn from(l: &Limits) -> Self {
        LimitsMessage {
            peak_force_n: Num(l.peak_force_n),
            continuous_force_n: Num(l.continuous_force_n),
            peak_torque_nm: Num(l.peak_torque_nm),
            continuous_torque_nm: Num(l.continuous_torque_nm),
            continuous_window_s: Num(l.continuous_window_s),
            slew_n_per_s: Num(l.slew_n_per_s),
            slew_nm_per_s: Num(l.slew_nm_per_s),
            velocity_limit_m_s: Num(l.velocity_limit_m_s),
            angular_velocity_limit_rad_s: Num(l.angular_velocity_limit_rad_s),
            max_temperature_c: Num(l.max_temperature_c),
            ramp_s: Num(l.ramp_s),
            fade_ns: l.fade_ns,
            engage_force_n: Num(l.engage_force_n),
            engage_torque_nm: Num(l.engage_torque_nm),
            engage_ticks: l.engage_ticks,
            edge_fade_m: Num(l.edge_fade_m),
            stall_ns: l.stall_ns,
            stale_input_ns: l.stale_input_ns,
            stale_contact_ns: l.stale_contact_ns,
            oscillation_motion_m: Num(l.oscillation.motion_m),
            oscillation_force_n: Num(l.oscillation.force_n),
            oscillation_turning_rad: Num(l.oscillation.turning_rad),
            oscillation_torque_nm: Num(l.oscillation.torque_nm),
        }
    }
}

impl From<&LimitsMessage> for Limits {
    fn from(m: &LimitsMessage) -> Self {
        Limits {
            peak_force_n: m.peak_force_n.0,
            continuous_force_n: m.continuous_force_n.0,
            peak_torque_nm: m.peak_torque_nm.0,
            continuous_torque_nm: m.continuous_torque_nm.0,
            continuous_window_s: m.continuous_window_s.0,
            slew_n_per_s: m.slew_n_per_s.0,
            slew_nm_per_s: m.slew_nm_per_s.0,
            velocity_limit_m_s: m.velocity_limit_m_s.0,
            angular_velocity_limit_rad_s: m.angular_velocity_limit_rad_s.0,
            max_temperature_c: m.max_temperature_c.0,
            ramp_s: m.ramp_s.0,
            fade_ns: m.fade_ns,
            engage_force_n: m.engage_force_n.0,
            engage_torque_nm: m.engage_torque_nm.0,
            engage_ticks: m.engage_ticks,
            edge_fade_m: m.edge_fade_m.0,
            stall_ns: m.stall_ns,
            stale_input_ns: m.stale_input_ns,
            stale_contact_ns: m.stale_contact_ns,
            oscillation: OscillationLimits {
                motion_m: m.oscillation_motion_m.0,
                force_n: m.oscillation_force_n.0,
                turning_rad: m.oscillation_turning_rad.0,
                torque_nm: m.oscillation_torque_nm.0,
            },
        }
    }
}

/// What went into a tick from one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputMessage {
    /// The newest sample.
    pub sample: SampleMessage,
    /// The arm is there.
    pub attached: bool,
    /// Sequence of the snapshot offered before this tick; 0: none.
    pub offered: u64,
    /// Sequence of the soft bodies' word offered before this tick; 0: none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offered_soft: u64,
    /// The gains, if they are others than in the tick before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gains: Option<GainsMessage>,
    /// The limits, if they are others than in the tick before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsMessage>,
    /// Latched faults were cleared before this tick.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cleared: bool,
    /// Force was told to rise only by the ramp, from what it was, before this tick.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub eased: bool,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn is_all_alive(silent: &u8) -> bool {
    *silent == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// What came out of a tick for one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputMessage {
    /// The coupling's wrench, before the governor.
    pub wanted: WrenchMessage,
    /// The wrench that went to the arm.
    pub sent: WrenchMessage,
    /// Tool where the hand is, world.
    pub world_from_device: PoseMessage,
    /// Tool where it is allowed to be, world.
    pub world_from_proxy: PoseMessage,
    /// The proxy was placed at the device pose.
    pub anchored: bool,
    /// Governor's state code.
    pub state: u8,
    /// Governor's reason code; 0: none.
    pub reason: u8,
    /// The certificate or the budget held the tool back.
    pub starved: bool,
    /// Contacts.
    pub contacts: u16,
    /// Contact rows.
    pub rows: u16,
    /// Feature pairs evaluated.
    pub pairs: u32,
    /// Slide-and-retry rounds.
    pub substeps: u8,
    /// Sequence of the snapshot in use.
    pub snapshot: u64,
    /// Its age, ticks; 4294967295 without one.
    pub snapshot_age_ticks: u32,
    /// Where a GPU looks for what is near: of how many bodies and tools it named the pairs for that
    /// snapshot, which is the same without. A replay may have others, or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_by_gpu: Option<u16>,
    /// And the time that it took it, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub near_gpu_ns: Option<u64>,
    /// Age of the sample.
    pub input_age_ns: u64,
    /// Bodies solid to the tool, a bit per slot, in hexadecimal.
    pub solid: String,
    /// Bodies that the tool is inside of, in the same way; none where it is inside of none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Where there are soft bodies: the age of their word in use, ticks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_age_ticks: Option<u32>,
    /// And how many of its points are tracked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracked: Option<u16>,
    /// Where a GPU found the contacts of that word: by how many steps they are older than the
    /// surfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_gpu_age_steps: Option<u32>,
    /// And the time that they took it, ns; 0 if it has no clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub soft_gpu_ns: Option<u64>,
    /// Where the arm holds a needle: what it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needle: Option<NeedleMessage>,
    /// What the spring gave and took; missing in recordings of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyMessage>,
}

/// What a needle did in a tick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeedleMessage {
    /// `free`, `touching` or `inserted`.
    pub phase: String,
    /// Length of its tip's way in the tissue.
    pub depth_m: Num,
    /// Force of the tissue along its axis; positive pushes it out.
    pub force_n: Num,
    /// Force across it.
    pub lateral_n: Num,
    /// Where its tip is, world.
    pub tip_m: Triple,
    /// Surfaces pierced so far.
    pub pierced: u32,
    /// What holds its tip: `friction`, `layer 1`, `membrane 4`, `bone 5`, `border` or `hub`.
    pub held: String,
}

impl NeedleMessage {
    /// Of an arm that holds one.
    pub fn of(insertion: &Insertion) -> Option<Self> {
        let phase = phase_word(insertion.phase)?;
        Some(NeedleMessage {
            phase: phase.to_owned(),
            depth_m: Num(insertion.depth_m),
            force_n: Num(insertion.force_n),
            lateral_n: Num(insertion.lateral_n),
            tip_m: triple(&insertion.tip),
            pierced: insertion.pierced,
            held: held_words(insertion.held),
        })
    }
}

/// A phase in a word; none where there is no needle.
pub fn phase_word(phase: Phase) -> Option<&'static str> {
    match phase {
        Phase::None => None,
        Phase::Free => Some("free"),
        Phase::Touching => Some("touching"),
        Phase::Inserted => Some("inserted"),
    }
}

/// What holds a tip, in words.
pub fn held_words(held: Held) -> String {
    match held {
        Held::Friction => "friction".to_owned(),
        Held::Layer(k) => format!("layer {k}"),
        Held::Membrane(id) => format!("membrane {id}"),
        Held::Bone(id) => format!("bone {id}"),
        Held::Border => "border".to_owned(),
        Held::Hub => "hub".to_owned(),
    }
}

/// One arm in one tick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ArmMessage {
    /// Which arm.
    pub index: u8,
    /// In.
    pub input: InputMessage,
    /// Out.
    pub output: OutputMessage,
    /// Of a simulated arm; a real arm has none, and neither have recordings from before there was
    /// any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<TruthMessage>,
}

/// One tick, topic `/tick`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TickMessage {
    /// From 1, without gaps unless the recorder missed some.
    pub tick: u64,
    /// Time of the tick, which is what the computation saw.
    pub now_ns: u64,
    /// Periods since the previous tick.
    pub periods: u32,
    /// Force was ramping to zero for good.
    pub stopping: bool,
    /// An immediate stop was ordered.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
    /// Threads that showed no sign of life: `supervisor` 1, `ipc` 2, `collision` 4, `scribe` 8.
    #[serde(default, skip_serializing_if = "is_all_alive")]
    pub silent: u8,
    /// Bodies that were forgotten before this tick and its snapshots, because their clients were
    /// gone, by their client-visible ids.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<u32>,
    /// Bodies that were silenced (true) or restored (false) before this tick, after those that were
    /// forgotten, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silenced: Vec<(u32, bool)>,
    /// When the loop asked to be woken.
    pub signalled_ns: u64,
    /// When it woke.
    pub awake_ns: u64,
    /// When it was done.
    pub done_ns: u64,
    /// `none`, `loop`, `device` or `collision`.
    pub blame: String,
    /// The configured arms.
    pub arms: Vec<ArmMessage>,
}

/// A blame in a word.
pub fn blame_word(blame: Blame) -> &'static str {
    match blame {
        Blame::None => "none",
        Blame::Loop => "loop",
        Blame::Device => "device",
        Blame::Collision => "collision",
    }
}

impl OutputMessage {
    /// Of an arm's record.
    pub fn of(arm: &ArmTick) -> Self {
        let by_gpu = arm.soft_finder.name == "GPU";
        OutputMessage {
            wanted: (&arm.wanted).into(),
            sent: (&arm.sent).into(),
            world_from_device: (&arm.world_from_device).into(),
            world_from_proxy: (&arm.world_from_proxy).into(),
            anchored: arm.anchored,
            state: arm.state,
            reason: arm.reason,
            starved: arm.starved,
            contacts: arm.contacts,
            rows: arm.rows,
            pairs: arm.pairs,
            substeps: arm.substeps,
            snapshot: arm.snapshot,
            snapshot_age_ticks: arm.snapshot_age,
            near_by_gpu: Some(arm.midphase.bodies).filter(|n| *n > 0),
            near_gpu_ns: Some(arm.midphase.took_ns).filter(|ns| *ns > 0),
            input_age_ns: arm.input_age_ns,
            solid: format!("{:x}", arm.solid),
            inside: (arm.inside != 0).then(|| format!("{:x}", arm.inside)),
            soft_age_ticks: (arm.soft_age != u32::MAX).then_some(arm.soft_age),
            tracked: (arm.soft_age != u32::MAX).then_some(arm.tracked),
            soft_gpu_age_steps: by_gpu.then_some(arm.soft_finder.age_steps),
            soft_gpu_ns: by_gpu.then_some(arm.soft_finder.took_ns),
            needle: NeedleMessage::of(&arm.insertion),
            energy: Some((&arm.energy).into()),
        }
    }
}

/// What the last message said of an arm and later ones repeat only when it changes.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastSaid {
    gains: Option<GainsMessage>,
    limits: Option<LimitsMessage>,
}

impl TickMessage {
    /// The first `arms` arms of a record; `last` is that of the message before and is brought up to
    /// date.
    pub fn of(record: &TickRecord, arms: usize, last: &mut [LastSaid; MAX_ARMS]) -> Self {
        let arms = record.arms.iter().zip(last).take(arms).enumerate();
        TickMessage {
            tick: record.tick,
            now_ns: record.now_ns,
            periods: record.periods,
            stopping: record.stopping,
            cut: record.cut,
            silent: record.silent.bits(),
            gone: record.gone().to_vec(),
            silenced: record
                .silencings()
                .iter()
                .map(|order| (order.body, order.silent))
                .collect(),
            signalled_ns: record.signalled_ns,
            awake_ns: record.awake_ns,
            done_ns: record.done_ns,
            blame: blame_word(record.blame).to_owned(),
            arms: arms
                .map(|(i, (arm, last))| {
                    let now = GainsMessage::from(&arm.gains);
                    let new = last.gains.replace(now) != Some(now);
                    let limits = LimitsMessage::from(&arm.limits);
                    let new_limits = last.limits.replace(limits) != Some(limits);
                    ArmMessage {
                        index: i as u8,
                        input: InputMessage {
                            sample: (&arm.sample).into(),
                            attached: arm.attached,
                            offered: arm.offered,
                            offered_soft: arm.offered_soft,
                            gains: new.then_some(now),
                            limits: new_limits.then_some(limits),
                            cleared: arm.cleared,
                            eased: arm.eased,
                        },
                        output: OutputMessage::of(arm),
                        truth: arm.truth.as_ref().map(TruthMessage::from),
                    }
                })
                .collect(),
        }
    }

    /// What the loop was told.
    pub fn input(&self) -> LoopInput {
        let mut arms = [ArmInput::default(); MAX_ARMS];
        for arm in &self.arms {
            if let Some(slot) = arms.get_mut(usize::from(arm.index)) {
                *slot = ArmInput {
                    sample: (&arm.input.sample).into(),
                    attached: arm.input.attached,
                    truth: arm.truth.as_ref().map(ArmTruth::from),
                };
            }
        }
        LoopInput {
            now_ns: self.now_ns,
            periods: self.periods,
            arms,
            stopping: self.stopping,
            cut: self.cut,
            silent: Silent::from_bits(self.silent),
        }
    }
}

/// The name of a body in queries. For people: the replay finds it again by itself, but where soft
/// bodies are told who came and who went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyMessage {
    /// Slot.
    pub slot: u8,
    /// Generation.
    pub generation: u32,
}

impl From<BodyKey> for KeyMessage {
    fn from(key: BodyKey) -> Self {
        KeyMessage {
            slot: key.slot,
            generation: key.generation,
        }
    }
}

impl From<KeyMessage> for BodyKey {
    fn from(key: KeyMessage) -> Self {
        BodyKey {
            slot: key.slot,
            generation: key.generation,
        }
    }
}

/// A command that was carried out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AppliedMessage {
    /// What.
    pub command: CommandMessage,
    /// The body it was done to.
    pub key: KeyMessage,
}

/// One step of the collision thread or of the soft bodies', topic `/collision`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepMessage {
    /// From 1, without gaps unless the recorder missed some.
    pub step: u64,
    /// The query that was answered, by its tick; 0: none, commands only.
    pub query_tick: u64,
    /// Sequence of the last snapshot of this step; 0: none.
    pub last_sequence: u64,
    /// What was done to the scene before.
    pub applied: Vec<AppliedMessage>,
    /// Of the soft bodies, which count their steps and snapshots for themselves. What is applied
    /// here are new surfaces of theirs, and clients' bodies that come and go, with their whole
    /// meshes once more: which of their steps these fall on is their thread's timing. In recordings
    /// from before soft bodies met those there are none.
    #[serde(default, skip_serializing_if = "is_false")]
    pub soft: bool,
    /// A course that was planned in an earlier step came back before this one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dynamics_landed: bool,
    /// Work of the dynamics was away: they stood still in this step.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dynamics_away: bool,
    /// This step began to plan a course and did not wait for it.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dynamics_awaited: bool,
}

impl From<&StepLog> for StepMessage {
    fn from(log: &StepLog) -> Self {
        let WorkLog {
            landed,
            away,
            awaited,
        } = log.work;
        StepMessage {
            dynamics_landed: landed,
            dynamics_away: away,
            dynamics_awaited: awaited,
            step: log.step,
            query_tick: log.query_tick,
            last_sequence: log.last_sequence,
            soft: log.soft,
            applied: log
                .applied
                .iter()
                .map(|a| AppliedMessage {
                    command: a.into(),
                    key: a.key.into(),
                })
                .collect(),
        }
    }
}

/// Something worth a line, topic `/event`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventMessage {
    /// When.
    pub now_ns: u64,
    /// What.
    pub text: String,
}
