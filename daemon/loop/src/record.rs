//! The record of one tick: everything that the recorder, the metrics, the live view and the checker
//! need.
//!
//! Plain `Copy` data of fixed size, so that it crosses the ring from the real-time thread without
//! allocation. The input half is complete: with the commands and the order of the snapshots it
//! determines the output half bit for bit.

use hapticd_devices::arm::{ArmSample, Vec3, Wrench};
use hapticd_devices::safety::{Energy, Limits};
use hapticd_devices::sim::ArmTruth;
use hapticd_geometry::{Digest, Pose};
use hapticd_planar::Measures;
use hapticd_proxy::{
    BodyKey, Finder, Gains, Insertion, MAX_ARMS, MAX_BODIES, MAX_SCENE_BODIES, MAX_SUBSTEPS,
    MidPhaseShare,
};

use super::frame::ArmFrame;
use super::orders::Orders;
use super::watchdog::Silent;

/// Which party made the loop miss whole periods or starved it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Blame {
    /// None: the tick was in time.
    #[default]
    None,
    /// The loop woke late or computed too long: the scheduler, other load, or the loop's own work.
    Loop,
    /// An arm's input did not come (device-clocked loop), or is stale.
    Device,
    /// The newest contact snapshot is too old, or its certificate held the tool back.
    Collision,
}

/// One arm's share of a tick.
#[derive(Clone, Copy, Debug)]
pub struct ArmTick {
    /// Input: the newest sample, `sequence == 0` before the first, `lost` once the arm is gone.
    pub sample: ArmSample,
    /// Input: the arm is attached.
    pub attached: bool,
    /// Input: the proxy was placed at the device pose in this tick.
    pub anchored: bool,
    /// Input: sequence of the snapshot that was offered to the engine before this tick; 0: none.
    pub offered: u64,
    /// Input: same for the soft bodies' snapshot.
    pub offered_deformable: u64,
    /// Input: coupling gains in force.
    pub gains: Gains,
    /// Input: the limits that the governor keeps.
    pub limits: Limits,
    /// Input: latched faults were cleared before this tick.
    pub cleared: bool,
    /// Input: before this tick, force was limited to rise only by the ramp from its present value.
    pub eased: bool,
    /// Client-visible id of a body that the tool touched and that was removed before this tick. For
    /// the log; not recorded.
    pub removed_body: Option<u32>,
    /// Device pose of the tool, world.
    pub world_from_device: Pose,
    /// Frame of the arm, if it may differ from the configured one.
    pub frame: Option<ArmFrame>,
    /// A clutch holds the tool.
    pub clutched: bool,
    /// The bubble moved the frame.
    pub driven: bool,
    /// Proxy pose of the tool, world.
    pub world_from_proxy: Pose,
    /// The coupling's wrench, device base frame, before the governor.
    pub wanted: Wrench,
    /// The force of the applications' effects, N, device base frame, before the governor.
    pub effects_n: Vec3,
    /// The wrench sent to the arm, device base frame.
    pub sent: Wrench,
    /// Energy that the spring behind it gave and took.
    pub energy: Energy,
    /// Number of times that the governor has lowered the gain so far, and the gain that
    /// oscillations left for force and for torque (what energy left of it is in `energy`). For the
    /// log; not recorded.
    pub lowered: (u64, [f64; 2]),
    /// Governor's state code.
    pub state: u8,
    /// Governor's reason code, 0 for none.
    pub reason: u8,
    /// Number of contacts.
    pub contacts: u16,
    /// Contact rows of the largest projection.
    pub rows: u16,
    /// Feature pairs evaluated.
    pub pairs: u32,
    /// Slide-and-retry rounds.
    pub substeps: u8,
    /// The certificate or the budget held the tool back.
    pub starved: bool,
    /// Age of the snapshot in use, ticks; `u32::MAX` without one.
    pub snapshot_age: u32,
    /// Sequence of the snapshot in use.
    pub snapshot: u64,
    /// Share of a GPU in that snapshot. No input of a replay: the snapshot is the same without a
    /// GPU.
    pub midphase: MidPhaseShare,
    /// Age of the sample, ns.
    pub input_age_ns: u64,
    /// Age of the soft bodies' snapshot in use, ticks; `u32::MAX` without one.
    pub soft_age: u32,
    /// Which finder found the contacts of that snapshot.
    pub soft_finder: Finder,
    /// Number of tracked points of tool and soft bodies.
    pub tracked: u16,
    /// Number of tangent planes of soft surfaces near enough to count.
    pub soft_rows: u16,
    /// State of the needle at the tool.
    pub insertion: Insertion,
    /// Bodies solid to the tool, by slot.
    pub solid: u64,
    /// Bodies that the tool is inside of or overlaps, by slot. They are not solid until the tool
    /// has moved out.
    pub inside: u64,
    /// Client-visible id of the first body in `inside`; 0 if there is none.
    pub inside_body: u32,
    /// Client-visible id of the body that the arm holds; 0: none.
    pub grasped: u32,
    /// Corners of the tool's path in this tick, `..path_len`.
    pub path: [Pose; MAX_SUBSTEPS],
    /// Number of corners in `path`.
    pub path_len: u8,
    /// Ground truth of a simulated arm: handle, wrenches and work. Not an input of the computation.
    /// Its time stamp is the tick's time where time is virtual, else that of the arm's last report.
    pub truth: Option<ArmTruth>,
}

/// Capacity for moved bodies in a record: every body of a scene.
pub const MAX_MOVED: usize = MAX_BODIES;

/// Most bodies removed at once: every body of a scene.
pub const MAX_GONE: usize = MAX_BODIES;

/// A body stops making force, or makes force again: its client is silent or out of focus, or is
/// back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Silencing {
    /// Client-visible id of the body.
    pub body: u32,
    /// Whether the body makes no force.
    pub silent: bool,
}

/// An order to the loop about a client's body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyOrder {
    /// The client is gone: remove the body with this client-visible id.
    Forget(u32),
    /// Silence the body or restore it.
    Silence(Silencing),
}

/// A body and its pose after a tick.
#[derive(Clone, Copy, Debug)]
pub struct MovedBody {
    /// Slot and generation of the body.
    pub key: BodyKey,
    /// Client-visible id.
    pub id: u32,
    /// Pose after the tick.
    pub world_from_body: Pose,
}

impl ArmTick {
    /// The record of an arm that does not exist.
    pub fn absent() -> Self {
        ArmTick {
            sample: ArmSample::default(),
            attached: false,
            anchored: false,
            offered: 0,
            offered_deformable: 0,
            gains: Gains::default(),
            limits: Limits::default(),
            cleared: false,
            eased: false,
            removed_body: None,
            frame: None,
            clutched: false,
            driven: false,
            world_from_device: Pose::identity(),
            world_from_proxy: Pose::identity(),
            wanted: Wrench::default(),
            effects_n: Vec3::zeros(),
            sent: Wrench::default(),
            energy: Energy::default(),
            lowered: (0, [1.0; 2]),
            state: 0,
            reason: 0,
            contacts: 0,
            rows: 0,
            pairs: 0,
            substeps: 0,
            starved: false,
            snapshot_age: u32::MAX,
            snapshot: 0,
            midphase: MidPhaseShare::default(),
            input_age_ns: 0,
            soft_age: u32::MAX,
            soft_finder: Finder::default(),
            tracked: 0,
            soft_rows: 0,
            insertion: Insertion::default(),
            solid: 0,
            inside: 0,
            inside_body: 0,
            grasped: 0,
            path: [Pose::identity(); MAX_SUBSTEPS],
            path_len: 0,
            truth: None,
        }
    }
}

/// The record of one tick.
#[derive(Clone, Copy, Debug)]
pub struct TickRecord {
    /// Number of the tick, from 1.
    pub tick: u64,
    /// Input: time of the tick by the loop's clock, ns. This is the deadline, which the computation
    /// uses as its time.
    pub now_ns: u64,
    /// Input: periods since the previous tick, 1 if none was skipped.
    pub periods: u32,
    /// When the loop asked to be woken (signalled), ns.
    pub signalled_ns: u64,
    /// When the loop woke, ns.
    pub awake_ns: u64,
    /// When the loop was done, ns.
    pub done_ns: u64,
    /// Which party is to blame for skipped periods or starvation.
    pub blame: Blame,
    /// Input: a stop was requested; force ramps to zero.
    pub stopping: bool,
    /// Input: an immediate stop was ordered.
    pub cut: bool,
    /// Input: threads that showed no sign of life.
    pub silent: Silent,
    /// Input: client-visible ids of bodies removed before this tick and its snapshots,
    /// `..gone_count`.
    pub gone: [u32; MAX_GONE],
    /// Number of ids in `gone`.
    pub gone_count: u8,
    /// Input: bodies silenced or restored before this tick, in this order, `..silencing_count`.
    pub silencings: [Silencing; MAX_GONE],
    /// Number of entries in `silencings`.
    pub silencing_count: u8,
    /// Input: orders of applications before this tick.
    pub orders: Orders,
    /// The arms, by index.
    pub arms: [ArmTick; MAX_ARMS],
    /// The bodies that the loop knew in this tick. By slot: the generation of the body there, or
    /// the epoch of a tool; 0 if empty. Together with [`ArmTick::solid`] it tells what was solid to
    /// which tool.
    pub bodies: [u32; MAX_BODIES],
    /// One of the bodies, each in turn, moved or not, with its pose after the tick. A reader that
    /// missed records knows every body again after [`MAX_SCENE_BODIES`] of them.
    pub surveyed: Option<MovedBody>,
    /// The bodies that moved, at most the first [`MAX_MOVED`].
    pub moved: [MovedBody; MAX_MOVED],
    /// Number of bodies that moved.
    pub moved_count: u16,
    /// Cost so far of the kinetic structure of a planar scene; not recorded.
    pub measures: Option<Measures>,
}

impl TickRecord {
    /// The body or tool that had this slot in this tick.
    pub fn body_in(&self, slot: usize) -> Option<BodyKey> {
        let generation = *self
            .bodies
            .get(slot)
            .filter(|generation| **generation > 0)?;
        Some(BodyKey {
            slot: slot as u8,
            generation,
        })
    }

    /// The slot whose body is [`TickRecord::surveyed`] in this tick.
    pub fn surveyed_slot(tick: u64) -> usize {
        (tick % MAX_SCENE_BODIES as u64) as usize
    }

    /// Client-visible ids of the bodies removed before this tick.
    pub fn gone(&self) -> &[u32] {
        self.gone
            .get(..usize::from(self.gone_count))
            .unwrap_or(&self.gone)
    }

    /// Bodies silenced and restored before this tick, in order.
    pub fn silencings(&self) -> &[Silencing] {
        self.silencings
            .get(..usize::from(self.silencing_count))
            .unwrap_or(&self.silencings)
    }

    /// Adds the results of the tick to a digest: each arm's wanted wrench, sent wrench and proxy,
    /// and the bodies that moved.
    pub fn add_to(&self, digest: &mut Digest) {
        digest.word(self.tick);
        for arm in &self.arms {
            for wrench in [&arm.wanted, &arm.sent] {
                digest.numbers(wrench.force_n.as_slice());
                digest.numbers(wrench.torque_nm.as_slice());
            }
            digest.pose(&arm.world_from_proxy);
        }
        let moved = usize::from(self.moved_count).min(self.moved.len());
        for body in self.moved[..moved].iter().chain(&self.surveyed) {
            digest.word(u64::from(body.id));
            digest.pose(&body.world_from_body);
        }
    }

    /// A record from before the first tick.
    pub fn new() -> Self {
        TickRecord {
            tick: 0,
            now_ns: 0,
            periods: 1,
            signalled_ns: 0,
            awake_ns: 0,
            done_ns: 0,
            blame: Blame::None,
            stopping: false,
            cut: false,
            silent: Silent::NONE,
            gone: [0; MAX_GONE],
            gone_count: 0,
            silencings: [Silencing::default(); MAX_GONE],
            silencing_count: 0,
            orders: Orders::default(),
            arms: [ArmTick::absent(); MAX_ARMS],
            bodies: [0; MAX_BODIES],
            surveyed: None,
            moved: [MovedBody {
                key: BodyKey {
                    slot: 0,
                    generation: 0,
                },
                id: 0,
                world_from_body: Pose::identity(),
            }; MAX_MOVED],
            moved_count: 0,
            measures: None,
        }
    }
}

impl Default for TickRecord {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_tick_made_changes_its_digest() {
        let mut record = TickRecord::new();
        record.moved_count = 1;
        let of = |record: &TickRecord| {
            let mut digest = Digest::default();
            record.add_to(&mut digest);
            digest
        };
        let plain = of(&record);
        assert_eq!(of(&record), plain);
        let changes: [fn(&mut TickRecord); 7] = [
            |r| r.tick += 1,
            |r| r.arms[0].wanted.force_n.y = 1e-300,
            |r| r.arms[0].sent.torque_nm.z = -0.0,
            |r| r.arms[1].world_from_proxy.translation.x = 1.0,
            |r| r.moved[0].world_from_body.translation.z = 1e-12,
            |r| r.moved[0].id = 7,
            |r| r.surveyed = Some(r.moved[0]),
        ];
        for (k, change) in changes.into_iter().enumerate() {
            let mut changed = record;
            change(&mut changed);
            assert_ne!(of(&changed), plain, "change {k}");
        }
    }
}
