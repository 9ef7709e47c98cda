//! JSON messages of a recording, and their conversion to and from the types of the loop.
//!
//! Lengths are metres, forces newtons, times nanoseconds on the loop's clock, rotations quaternions
//! `[x, y, z, w]`. Poses of samples are `base_from_tool`; all others are in the world frame. A
//! round trip through a message changes no bit. The code is pure.

use hapticd_devices::arm::{ArmSample, ArmStatus};
use hapticd_devices::safety::{Limits, OscillationLimits};
use hapticd_devices::sim::ArmTruth;
use hapticd_geometry::Vec3;
use hapticd_proxy::{BodyKey, Gains, Held, Insertion, MAX_ARMS, Phase};
use serde::{Deserialize, Serialize};

pub use super::command::{AddMessage, CommandMessage};
use super::effect::{EffectOrderMessage, effect_orders};
use super::energy::{EnergyMessage, TruthMessage};
use super::grasp::{GraspOrderMessage, grasp_orders};
use super::number::Num;
use super::spatial::{PoseMessage, Triple, WrenchMessage, triple, vector};
use super::workspace::{FrameMessage, WorkspaceOrderMessage, workspace_orders};
use hapticd_collision::step_log::{StepLog, WorkLog};
use hapticd_loop::core::{ArmInput, LoopInput};
use hapticd_loop::record::{ArmTick, Blame, TickRecord};
use hapticd_loop::watchdog::Silent;

/// An arm's newest sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleMessage {
    /// Time of arrival.
    pub time_ns: u64,
    /// Sequence number of the report.
    pub sequence: u64,
    /// Pose of the tool in the base frame.
    pub pose: PoseMessage,
    /// Linear velocity, m/s.
    #[serde(default)]
    pub linear_velocity: Triple,
    /// Angular velocity, rad/s.
    #[serde(default)]
    pub angular_velocity: Triple,
    /// Buttons, one bit each.
    #[serde(default)]
    pub buttons: u32,
    /// Number of reports skipped to reach this one.
    #[serde(default)]
    pub skipped: u32,
    /// Temperature of the hottest motor, °C.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature_c: Option<Num>,
    /// Status bits: `calibrated` 1, `safety_switch_closed` 2, `input_stalled` 4, `pose_invalid` 8.
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
    /// Stiffness, N/m.
    pub stiffness_n_per_m: Num,
    /// Damping, N·s/m.
    pub damping_n_s_per_m: Num,
    /// Rotational stiffness, N·m/rad.
    pub rotational_stiffness_nm_per_rad: Num,
    /// Rotational damping, N·m·s/rad.
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

/// Limits that a governor keeps; the fields are those of [`Limits`].
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

/// Input of a tick from one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputMessage {
    /// The newest sample.
    pub sample: SampleMessage,
    /// Whether the arm is attached.
    pub attached: bool,
    /// Sequence of the snapshot offered before this tick; 0: none.
    pub offered: u64,
    /// Sequence of the soft bodies' snapshot offered before this tick; 0: none.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub offered_deformable: u64,
    /// The gains, if they differ from the tick before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gains: Option<GainsMessage>,
    /// The limits, if they differ from the tick before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<LimitsMessage>,
    /// Latched faults were cleared before this tick.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cleared: bool,
    /// Before this tick, force was ordered to rise from its value only by the ramp.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub eased: bool,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

fn is_no_body(id: &u32) -> bool {
    *id == 0
}

fn is_all_alive(silent: &u8) -> bool {
    *silent == 0
}

fn is_false(flag: &bool) -> bool {
    !flag
}

/// Output of a tick for one arm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputMessage {
    /// The coupling's wrench, before the governor.
    pub wanted: WrenchMessage,
    /// The force of the effects, before the governor, if there is any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects_n: Option<Triple>,
    /// The wrench that went to the arm.
    pub sent: WrenchMessage,
    /// Frame of the arm, if an application or a clutch has moved it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<FrameMessage>,
    /// Device pose: the tool where the hand holds it, world.
    pub world_from_device: PoseMessage,
    /// Proxy: the tool where it is allowed to be, world.
    pub world_from_proxy: PoseMessage,
    /// The proxy was placed at the device pose.
    pub anchored: bool,
    /// State code of the governor.
    pub state: u8,
    /// Reason code of the governor; 0: none.
    pub reason: u8,
    /// The certificate or the budget held the tool back.
    pub starved: bool,
    /// Client-visible id of the body that the arm holds; absent if it holds none.
    #[serde(default, skip_serializing_if = "is_no_body")]
    pub grasped: u32,
    /// Number of contacts.
    pub contacts: u16,
    /// Number of contact rows.
    pub rows: u16,
    /// Number of feature pairs evaluated.
    pub pairs: u32,
    /// Number of slide-and-retry rounds.
    pub substeps: u8,
    /// Sequence of the snapshot in use.
    pub snapshot: u64,
    /// Age of that snapshot, ticks; 4294967295 without one.
    pub snapshot_age_ticks: u32,
    /// Bodies and tools for which a GPU mid-phase found the pairs of that snapshot; absent without
    /// one. The snapshot is the same either way, and a replay may give another number or none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mid_phase_by_gpu: Option<u16>,
    /// Time that the GPU mid-phase took, ns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mid_phase_gpu_ns: Option<u64>,
    /// Age of the sample, ns.
    pub input_age_ns: u64,
    /// Bodies solid to the tool: one bit per slot, in hexadecimal.
    pub solid: String,
    /// Bodies that the tool is inside, in the same format; absent if there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<String>,
    /// Age of the soft bodies' snapshot in use, ticks; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deformable_age_ticks: Option<u32>,
    /// Number of tracked points in that snapshot; absent without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tracked: Option<u16>,
    /// If a GPU found the contacts of that snapshot: the number of steps by which they are older
    /// than the surfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deformable_gpu_age_steps: Option<u32>,
    /// Time that those contacts took the GPU, ns; 0 if it has no clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deformable_gpu_ns: Option<u64>,
    /// State of the needle, if the arm holds one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub needle: Option<NeedleMessage>,
    /// Energy ledger of the coupling; absent in recordings from before it existed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyMessage>,
}

/// State of a needle in a tick.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeedleMessage {
    /// `free`, `touching` or `inserted`.
    pub phase: String,
    /// Length of the tip's path in the tissue, m.
    pub depth_m: Num,
    /// Force of the tissue along the axis, N; positive pushes the needle out.
    pub force_n: Num,
    /// Force across the axis, N.
    pub lateral_n: Num,
    /// Position of the tip, world, m.
    pub tip_m: Triple,
    /// Number of surfaces pierced so far.
    pub pierced: u32,
    /// What holds its tip: `friction`, `layer 1`, `membrane 4`, `bone 5`, `border` or `hub`.
    pub held: String,
}

impl NeedleMessage {
    /// Returns the message of an arm that holds a needle; `None` without one.
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

/// Returns the phase as a word; `None` without a needle.
pub fn phase_word(phase: Phase) -> Option<&'static str> {
    match phase {
        Phase::None => None,
        Phase::Free => Some("free"),
        Phase::Touching => Some("touching"),
        Phase::Inserted => Some("inserted"),
    }
}

/// Returns in words what holds a tip.
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
    /// Index of the arm, below [`MAX_ARMS`].
    pub index: u8,
    /// What went into the tick.
    pub input: InputMessage,
    /// What came out of the tick.
    pub output: OutputMessage,
    /// True state of a simulated arm. A real arm has none, and recordings from before it existed
    /// have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truth: Option<TruthMessage>,
}

/// One tick, topic `/tick`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TickMessage {
    /// Number of the tick, from 1; without gaps unless the recorder missed some.
    pub tick: u64,
    /// Time of the tick, as the computation saw it.
    pub now_ns: u64,
    /// Periods since the previous tick.
    pub periods: u32,
    /// True while force was ramping to zero for good.
    pub stopping: bool,
    /// An immediate stop was ordered.
    #[serde(default, skip_serializing_if = "is_false")]
    pub cut: bool,
    /// Bits of the threads that showed no sign of life: `supervisor` 1, `ipc` 2, `collision` 4,
    /// `scribe` 8.
    #[serde(default, skip_serializing_if = "is_all_alive")]
    pub silent: u8,
    /// Client-visible ids of the bodies that were forgotten before this tick and its snapshots,
    /// because their clients were gone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub gone: Vec<u32>,
    /// Bodies that were silenced (true) or restored (false) before this tick, in this order, after
    /// those that were forgotten.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silenced: Vec<(u32, bool)>,
    /// Orders about effects before this tick, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub effects: Vec<EffectOrderMessage>,
    /// Orders about what arms hold, before this tick, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub grasps: Vec<GraspOrderMessage>,
    /// Orders about arms' workspaces before this tick, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub workspaces: Vec<WorkspaceOrderMessage>,
    /// Time at which the loop asked to be woken.
    pub signalled_ns: u64,
    /// Time at which it woke.
    pub awake_ns: u64,
    /// Time at which it was done.
    pub done_ns: u64,
    /// Cause of a late tick: `none`, `loop`, `device` or `collision`.
    pub blame: String,
    /// The configured arms.
    pub arms: Vec<ArmMessage>,
}

/// Returns the blame as a word.
pub fn blame_word(blame: Blame) -> &'static str {
    match blame {
        Blame::None => "none",
        Blame::Loop => "loop",
        Blame::Device => "device",
        Blame::Collision => "collision",
    }
}

impl OutputMessage {
    /// Returns the output in an arm's record.
    pub fn of(arm: &ArmTick) -> Self {
        let by_gpu = arm.soft_finder.name == "GPU";
        OutputMessage {
            wanted: (&arm.wanted).into(),
            effects_n: (arm.effects_n != Vec3::zeros()).then(|| triple(&arm.effects_n)),
            sent: (&arm.sent).into(),
            frame: FrameMessage::of(arm),
            world_from_device: (&arm.world_from_device).into(),
            world_from_proxy: (&arm.world_from_proxy).into(),
            anchored: arm.anchored,
            state: arm.state,
            reason: arm.reason,
            starved: arm.starved,
            grasped: arm.grasped,
            contacts: arm.contacts,
            rows: arm.rows,
            pairs: arm.pairs,
            substeps: arm.substeps,
            snapshot: arm.snapshot,
            snapshot_age_ticks: arm.snapshot_age,
            mid_phase_by_gpu: Some(arm.midphase.bodies).filter(|n| *n > 0),
            mid_phase_gpu_ns: Some(arm.midphase.took_ns).filter(|ns| *ns > 0),
            input_age_ns: arm.input_age_ns,
            solid: format!("{:x}", arm.solid),
            inside: (arm.inside != 0).then(|| format!("{:x}", arm.inside)),
            deformable_age_ticks: (arm.soft_age != u32::MAX).then_some(arm.soft_age),
            tracked: (arm.soft_age != u32::MAX).then_some(arm.tracked),
            deformable_gpu_age_steps: by_gpu.then_some(arm.soft_finder.age_steps),
            deformable_gpu_ns: by_gpu.then_some(arm.soft_finder.took_ns),
            needle: NeedleMessage::of(&arm.insertion),
            energy: Some((&arm.energy).into()),
        }
    }
}

/// Gains and limits that the last message of an arm stated. Later messages repeat them only when
/// they change.
#[derive(Clone, Copy, Debug, Default)]
pub struct LastStated {
    gains: Option<GainsMessage>,
    limits: Option<LimitsMessage>,
}

impl TickMessage {
    /// Returns the message of the first `arms` arms of a record. `last` belongs to the message
    /// before and is updated.
    pub fn of(record: &TickRecord, arms: usize, last: &mut [LastStated; MAX_ARMS]) -> Self {
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
            effects: effect_orders(record),
            grasps: grasp_orders(record),
            workspaces: workspace_orders(record),
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
                            offered_deformable: arm.offered_deformable,
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

    /// Returns the input of the loop.
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

/// Key of a body in queries. It is mainly for people: a replay recomputes it, except where soft
/// bodies are told which bodies came and went.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeyMessage {
    /// Slot of the body.
    pub slot: u8,
    /// Generation of the slot.
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

/// A command that was applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AppliedMessage {
    /// The command.
    pub command: CommandMessage,
    /// The body it was applied to.
    pub key: KeyMessage,
}

/// One step of the collision thread or of the soft bodies' thread, topic `/collision`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepMessage {
    /// Number of the step, from 1; without gaps unless the recorder missed some.
    pub step: u64,
    /// Tick of the query that this step answered; 0: none, commands only.
    pub query_tick: u64,
    /// Sequence of the last snapshot of this step; 0: none.
    pub last_sequence: u64,
    /// Commands that were applied to the scene before this step.
    pub applied: Vec<AppliedMessage>,
    /// True for a step of the soft bodies, which have separate counts of steps and snapshots. Its
    /// commands are new surfaces of soft bodies, and clients' bodies that come and go, with their
    /// whole meshes again: the timing of the soft bodies' thread decides on which step these fall.
    /// Recordings from before soft bodies met such bodies have no commands here.
    #[serde(default, skip_serializing_if = "is_false")]
    pub deformable: bool,
    /// A trajectory that was planned in an earlier step arrived before this one.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dynamics_landed: bool,
    /// Work of the dynamics was still away: the dynamics stood still in this step.
    #[serde(default, skip_serializing_if = "is_false")]
    pub dynamics_away: bool,
    /// This step began to plan a trajectory and did not wait for it.
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
            deformable: log.deformable,
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

/// An event in words, topic `/event`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventMessage {
    /// Time of the event.
    pub now_ns: u64,
    /// Text of the event.
    pub text: String,
}
