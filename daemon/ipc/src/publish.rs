//! Publishes the haptic loop's state: every tick, from its thread, into the shared blocks.
//!
//! Real-time callable: no allocation, no lock, no system call, bounded by the numbers of arms,
//! contacts and bodies. A few hundred nanoseconds per arm, and as many for the bodies.

use super::blocks::{ArmWriters, BlockWriters};
use hapticd_devices::safety::ForceOffReason;
use hapticd_geometry::Vec3;
use hapticd_loop::{
    core::{ArmFrame, LoopCore},
    record::{ArmTick, TickRecord},
    thread::Publish,
};
use hapticd_protocol::{
    block::{
        ArmEnergy, ArmState, Bodies, BodyState, Contact, Contacts, NeedleHold, NeedlePhase,
        NeedleState, flag,
    },
    wire,
};
use hapticd_proxy::{ArmOutcome, Held, Insertion, MAX_ARMS, MAX_CONTACTS, Phase};
use hapticd_sync::latest;

/// The loop's end of the blocks.
#[derive(Debug)]
pub struct BlockPublisher {
    arms: [Option<(ArmWriters, ArmFrame)>; MAX_ARMS],
    bodies: hapticd_sync::seqlock::Writer<
        hapticd_sys::block::SharedBlock,
        { hapticd_protocol::block::BODIES_WORDS },
    >,
    /// Age of contact data beyond which they count as stale, ticks.
    stale_ticks: u32,
    missed_ticks: u64,
    force_offs: [ForceOffs; MAX_ARMS],
    /// Forces at each arm's contacts in this tick, N, world frame.
    forces: [[Vec3; MAX_CONTACTS]; MAX_ARMS],
    near: latest::Reader<NearestStructures>,
}

/// What is near an arm's needle, computed off the loop.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NearestStructure {
    /// Tick for which it was computed; 0: never.
    pub tick: u64,
    /// The nearest structure, counted from 1; 0: none is near enough to be known.
    pub structure: u32,
    /// Its distance from the needle's surface, m.
    pub distance_m: f64,
    /// Distance from the needle's axis up to which no structure is missed, m.
    pub sure_m: f64,
}

/// By arm.
pub type NearestStructures = [NearestStructure; MAX_ARMS];

/// Number of times an arm's force went off, and the last time.
///
/// Another reason while it is off is no other time: it only takes the first one's place.
#[derive(Clone, Copy, Debug, Default)]
struct ForceOffs {
    /// The reason in the previous tick.
    before: u8,
    reason: u8,
    tick: u64,
    count: u64,
}

impl ForceOffs {
    fn see(&mut self, tick: u64, reason: u8) {
        let is_off = |reason| ForceOffReason::from_code(reason).is_some();
        if is_off(reason) {
            self.reason = reason;
            if !is_off(self.before) {
                self.tick = tick;
                self.count = self.count.saturating_add(1);
            }
        }
        self.before = reason;
    }
}

fn pose(pose: &hapticd_geometry::Pose) -> wire::Pose {
    let (t, q) = (&pose.translation.vector, &pose.rotation.coords);
    wire::Pose {
        translation_m: [t.x, t.y, t.z],
        rotation_xyzw: [q.x, q.y, q.z, q.w],
    }
}

fn array(v: &Vec3) -> [f64; 3] {
    [v.x, v.y, v.z]
}

impl BlockPublisher {
    /// Publishes into `writers`; `frames` holds the arms' frames. Arms without a block are not
    /// published.
    pub fn new(
        writers: BlockWriters,
        frames: [Option<ArmFrame>; MAX_ARMS],
        stale_ticks: u32,
    ) -> Self {
        let mut arms = [const { None }; MAX_ARMS];
        for (index, writers) in writers.arms {
            let slot = usize::from(index);
            if let (Some(place), Some(Some(frame))) = (arms.get_mut(slot), frames.get(slot)) {
                *place = Some((writers, *frame));
            }
        }
        Self {
            arms,
            bodies: writers.bodies,
            stale_ticks,
            missed_ticks: 0,
            force_offs: [ForceOffs::default(); MAX_ARMS],
            forces: [[Vec3::zeros(); MAX_CONTACTS]; MAX_ARMS],
            near: latest::latest(NearestStructures::default()).1,
        }
    }

    /// Publishes what this mailbox says to be near the arms' needles.
    #[must_use]
    pub fn with_near(mut self, near: latest::Reader<NearestStructures>) -> Self {
        self.near = near;
        self
    }

    /// The published form of an arm's share of a tick.
    fn state(&self, record: &TickRecord, arm: &ArmTick, frame: &ArmFrame) -> ArmState {
        let to_world = |v: &Vec3| array(&(frame.world_from_base.rotation * v));
        let stale = arm.snapshot_age != u32::MAX && arm.snapshot_age > self.stale_ticks;
        let flags = [
            (arm.attached, flag::ATTACHED),
            (arm.contacts > 0, flag::TOUCHING),
            (arm.starved, flag::STARVED),
            (stale, flag::STALE),
            (record.stopping, flag::STOPPING),
            (arm.inside != 0, flag::INSIDE),
        ];
        ArmState {
            tick: record.tick,
            time_ns: record.now_ns,
            world_from_device: pose(&arm.world_from_device),
            world_from_proxy: pose(&arm.world_from_proxy),
            linear_velocity_m_s: to_world(&(arm.sample.linear_velocity * frame.scale)),
            angular_velocity_rad_s: to_world(&arm.sample.angular_velocity),
            force_n: to_world(&arm.sent.force_n),
            torque_nm: to_world(&arm.sent.torque_nm),
            wanted_force_n: to_world(&arm.wanted.force_n),
            wanted_torque_nm: to_world(&arm.wanted.torque_nm),
            governor: arm.state,
            reason: arm.reason,
            flags: flags
                .iter()
                .filter(|(holds, _)| *holds)
                .map(|(_, bit)| bit)
                .sum(),
            contacts: arm.contacts,
            inside_body: arm.inside_body as u16,
            buttons: arm.sample.buttons,
            snapshot_age_ticks: arm.snapshot_age,
            missed_ticks: self.missed_ticks,
            compute_ns: record.done_ns.saturating_sub(record.awake_ns),
            lateness_ns: record.awake_ns.saturating_sub(record.signalled_ns),
            input_age_ns: arm.input_age_ns,
            // Filled in by the publisher's counters.
            last_force_off: 0,
            grasped_body: arm.grasped,
            last_force_off_tick: 0,
            force_offs: 0,
            energy: ArmEnergy {
                given_j: arm.energy.given_j,
                stored_j: arm.energy.stored_j,
                debt_j: arm.energy.debt_j,
                withheld_j: arm.energy.withheld_j,
                gain: arm.energy.gain,
            },
        }
    }
}

impl Publish for BlockPublisher {
    fn publish(&mut self, core: &LoopCore) {
        let (record, output) = (core.record(), core.output());
        self.missed_ticks = self
            .missed_ticks
            .saturating_add(u64::from(record.periods.saturating_sub(1)));
        for index in 0..MAX_ARMS {
            let Some(Some((_, frame))) = self.arms.get(index) else {
                continue;
            };
            let mut state = self.state(record, &record.arms[index], frame);
            let offs = &mut self.force_offs[index];
            offs.see(record.tick, record.arms[index].reason);
            (state.last_force_off, state.last_force_off_tick) = (offs.reason, offs.tick);
            state.force_offs = offs.count;
            let outcome = &output.arms[index];
            let mut contacts = Contacts::new(record.tick, record.now_ns);
            let forces = &mut self.forces[index];
            share_out(&Vec3::from(state.force_n), outcome, forces);
            let found = outcome.contacts.iter().take(outcome.contact_count);
            for (contact, force) in found.zip(forces.iter()) {
                contacts.push(Contact {
                    point_m: array(&contact.point),
                    normal: array(&contact.normal),
                    distance_m: contact.gap_m,
                    body: contact.body,
                    force_n: array(force),
                });
            }
            let near = self.near.read().0.get(index).copied();
            let near = near.unwrap_or_default();
            let needle = needle(record, &record.arms[index].insertion, &near);
            if let Some(Some((writers, _))) = self.arms.get_mut(index) {
                writers.state.write(&state.to_words());
                writers.contacts.write(&contacts.to_words());
                writers.needle.write(&needle.to_words());
            }
        }
        let mut bodies = Bodies::new(record.tick, record.now_ns);
        for body in core.engine().bodies() {
            let origin = body.pose.translation.vector;
            let arms = output.arms.iter().zip(&self.forces);
            let (force, torque) = force_of_tools(arms, body.id, &origin);
            bodies.push(BodyState {
                body: body.id,
                moving: body.is_on_its_way(),
                world_from_body: pose(&body.pose),
                force_n: array(&force),
                torque_nm: array(&torque),
            });
        }
        self.bodies.write(&bodies.to_words());
    }
}

/// Shares out the force that was sent to an arm, N, world frame, among its contacts: each gets what
/// the governor left of its share of the coupling's force. They add up to what was sent.
fn share_out(sent: &Vec3, outcome: &ArmOutcome, forces: &mut [Vec3; MAX_CONTACTS]) {
    let contacts = &outcome.contacts[..outcome.contact_count];
    let wanted: Vec3 = contacts.iter().map(|contact| contact.force_n).sum();
    let weight: f64 = contacts.iter().map(|contact| contact.force_n.norm()).sum();
    let left = sent.dot(&wanted) / wanted.norm_squared();
    // Written so that NaN, where nothing is wanted, shares nothing out.
    let left = if left > 0.0 { left.min(1.0) } else { 0.0 };
    let rest = if weight > 0.0 {
        (sent - wanted * left) / weight
    } else {
        Vec3::zeros()
    };
    for (force, contact) in forces.iter_mut().zip(contacts) {
        *force = contact.force_n * left + rest * contact.force_n.norm();
    }
}

/// Force of all tools on a body, N, and its torque about `origin`, N m.
fn force_of_tools<'a>(
    arms: impl Iterator<Item = (&'a ArmOutcome, &'a [Vec3; MAX_CONTACTS])>,
    body: u32,
    origin: &Vec3,
) -> (Vec3, Vec3) {
    let (mut force, mut torque) = (Vec3::zeros(), Vec3::zeros());
    for (arm, forces) in arms {
        let contacts = arm.contacts[..arm.contact_count].iter().zip(forces);
        for (contact, felt) in contacts.filter(|(contact, _)| contact.body == body) {
            force -= felt;
            torque -= (contact.point - origin).cross(felt);
        }
    }
    (force, torque)
}

/// The published form of a needle.
fn needle(record: &TickRecord, insertion: &Insertion, near: &NearestStructure) -> NeedleState {
    let phase = match insertion.phase {
        Phase::None => NeedlePhase::Absent,
        Phase::Free => NeedlePhase::Free,
        Phase::Touching => NeedlePhase::Touching,
        Phase::Inserted => NeedlePhase::Inserted,
    };
    let (hold, held_by) = match insertion.held {
        Held::Friction => (NeedleHold::Friction, 0),
        Held::Layer(layer) => (NeedleHold::Layer, layer),
        Held::Membrane(structure) => (NeedleHold::Membrane, structure),
        Held::Bone(structure) => (NeedleHold::Bone, structure),
        Held::Border => (NeedleHold::Border, 0),
        Held::Hub => (NeedleHold::Hub, 0),
    };
    NeedleState {
        tick: record.tick,
        time_ns: record.now_ns,
        phase: phase.code(),
        hold: hold.code(),
        pierced: insertion.pierced,
        held_by,
        depth_m: insertion.depth_m,
        axial_n: insertion.force_n,
        lateral_n: insertion.lateral_n,
        layer: insertion.layer as u16,
        tip_m: array(&insertion.tip),
        nearest: near.structure,
        nearest_m: near.distance_m,
        sure_m: near.sure_m,
        nearest_tick: near.tick,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blocks;
    use hapticd_devices::arm::Wrench;
    use hapticd_geometry::{Pose, Quat};
    use hapticd_protocol::block::{GovernorState, force_off_text};

    fn publisher(frame: ArmFrame) -> BlockPublisher {
        let (writers, _fds) = blocks::create(&[0]).unwrap();
        let mut frames = [None; MAX_ARMS];
        frames[0] = Some(frame);
        BlockPublisher::new(writers, frames, 10)
    }

    /// Turned by 90 degrees about z: the base's x is the world's y.
    fn turned() -> ArmFrame {
        let rotation = Quat::from_axis_angle(&Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
        ArmFrame {
            world_from_base: Pose::from_parts(Vec3::new(1.0, 0.0, 0.0).into(), rotation),
            scale: 2.0,
        }
    }

    #[test]
    fn wrenches_and_velocities_are_published_in_the_world_frame() {
        let mut record = TickRecord::new();
        let mut arm = ArmTick::absent();
        arm.sent = Wrench {
            force_n: Vec3::new(3.0, 0.0, 1.0),
            torque_nm: Vec3::zeros(),
        };
        arm.sample.linear_velocity = Vec3::new(0.5, 0.0, 0.0);
        arm.sample.angular_velocity = Vec3::new(0.0, 1.0, 0.0);
        arm.snapshot_age = 11;
        arm.contacts = 2;
        (record.awake_ns, record.signalled_ns, record.done_ns) = (1500, 1000, 4000);
        let state = publisher(turned()).state(&record, &arm, &turned());
        let near = |got: [f64; 3], expected: [f64; 3]| {
            got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
        };
        assert!(near(state.force_n, [0.0, 3.0, 1.0]), "{:?}", state.force_n);
        assert!(
            near(state.linear_velocity_m_s, [0.0, 1.0, 0.0]),
            "scaled: {:?}",
            state.linear_velocity_m_s
        );
        assert!(
            near(state.angular_velocity_rad_s, [-1.0, 0.0, 0.0]),
            "not scaled"
        );
        assert_eq!(state.flags, flag::TOUCHING | flag::STALE);
        assert_eq!((state.lateness_ns, state.compute_ns), (500, 2500));
    }

    #[test]
    fn the_forces_at_the_contacts_are_what_was_sent() {
        let mut outcome = ArmOutcome::absent();
        outcome.contact_count = 3;
        for (k, force_n) in [Vec3::z() * 8.0, Vec3::x() * 2.0, Vec3::zeros()]
            .into_iter()
            .enumerate()
        {
            outcome.contacts[k].force_n = force_n;
            outcome.contacts[k].point = Vec3::new(0.1, 0.0, 0.0);
            outcome.contacts[k].body = 7;
        }
        let mut forces = [Vec3::repeat(9.0); MAX_CONTACTS];
        // A quarter is left, and a little across: what a slew limit leaves of another direction.
        let sent = Vec3::new(0.5, 0.1, 2.0);
        share_out(&sent, &outcome, &mut forces);
        let sum: Vec3 = forces[..3].iter().sum();
        assert!((sum - sent).norm() < 1e-12, "{sum}");
        assert!((forces[0] - Vec3::z() * 2.0).norm() < 0.1, "{}", forces[0]);
        assert_eq!(forces[2], Vec3::zeros());
        let arms = [(&outcome, &forces)];
        let (force, torque) = force_of_tools(arms.into_iter(), 7, &Vec3::zeros());
        assert!((force + sent).norm() < 1e-12);
        assert!((torque - Vec3::new(0.1, 0.0, 0.0).cross(&force)).norm() < 1e-12);
        let (none, _) = force_of_tools(arms.into_iter(), 8, &Vec3::zeros());
        assert_eq!(none, Vec3::zeros());
        // Force is off.
        share_out(&Vec3::zeros(), &outcome, &mut forces);
        assert!(forces[..3].iter().all(|force| *force == Vec3::zeros()));
        // Sent without a contact that holds: by a needle, say.
        outcome.contact_count = 0;
        share_out(&sent, &outcome, &mut forces);
    }

    #[test]
    fn the_last_force_off_stays_when_force_is_on_again() {
        let mut offs = ForceOffs::default();
        for (tick, reason) in (1..).zip([0, 34, 34, 0, 2, 34, 0, 0]) {
            offs.see(tick, reason);
        }
        assert_eq!((offs.reason, offs.tick, offs.count), (34, 5, 2));
    }

    /// A latched 11, and a loop that stalls again and again meanwhile: the stall is the smaller
    /// number and is shown for a tick.
    #[test]
    fn stalls_while_force_is_off_are_no_more_force_offs() {
        let mut offs = ForceOffs::default();
        for tick in 1..=1000 {
            let reason = if tick % 10 == 0 { 9 } else { 11 };
            offs.see(tick, if tick < 5 { 0 } else { reason });
        }
        offs.see(1001, 11);
        assert_eq!((offs.reason, offs.tick, offs.count), (11, 5, 1));
    }

    #[test]
    fn the_protocols_texts_and_codes_are_the_governors() {
        for reason in ForceOffReason::ALL {
            assert_eq!(force_off_text(reason.code()), reason.text());
        }
        use hapticd_devices::safety::GovernorState as Ours;
        for (ours, theirs) in [
            (Ours::Disengaged, GovernorState::Disengaged),
            (Ours::WaitingSmallForce, GovernorState::WaitingSmallForce),
            (Ours::Ramping, GovernorState::Ramping),
            (Ours::Active, GovernorState::Active),
            (Ours::Fading, GovernorState::Fading),
            (Ours::Fault, GovernorState::Fault),
        ] {
            assert_eq!(GovernorState::from_code(ours as u8), Some(theirs));
        }
    }

    #[test]
    fn the_protocol_has_room_for_everything_that_the_loop_has() {
        const {
            assert!(hapticd_protocol::MAX_BODIES >= hapticd_proxy::MAX_BODIES);
            assert!(hapticd_protocol::MAX_CONTACTS >= MAX_CONTACTS);
            assert!(hapticd_protocol::MAX_ARMS >= MAX_ARMS);
        }
    }
}
