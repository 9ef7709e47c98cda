//! One tick of the haptic loop, from arm samples to arm commands: engine, coupling, governors,
//! record. Sans-I/O.
//!
//! The real-time thread, the virtual-time driver and the replay all call [`LoopCore::tick`]. It
//! allocates nothing, locks nothing, blocks on nothing and reads no clock: time comes in as an
//! argument. The same inputs give the same outputs, bit for bit.

use std::ops::Range;

use hapticd_devices::arm::{ArmCommand, ArmSample, ArmSpec, Wrench};
use hapticd_devices::safety::{
    ForceOffReason, Governed, Governor, GovernorInput, Limits, LimitsError, ReasonSet,
};
use hapticd_devices::sim::ArmTruth;
use hapticd_geometry::Pose;
use hapticd_planar::PlanarEngine;
use hapticd_proxy::{
    ArmOutcome, ArmSetup, DeformableSnapshot, Engine, Gains, Guide, LetGo, MAX_ARMS, MAX_BODIES,
    Passed, Query, Snapshot, TickInput, TickOutput, tool_id, tool_in,
};

use super::effects::law::{Bounds, Hand};
use super::effects::{Effects, EffectsForce, Moment};
use super::frame::ArmFrame;
use super::grasp::Grasps;
use super::orders::{LoopOrder, Orders};
use super::record::{ArmTick, Blame, MAX_GONE, MovedBody, Silencing, TickRecord};
use super::silenced::{Silenced, Touch};
use super::simulation::Simulation;
use super::watchdog::{Silent, Watched};
use super::workspace::{Workspace, WorkspaceChange, WorkspaceInput, WorkspaceOrder};

/// Age of the mean motion that a sample's velocity tells, ns.
const VELOCITY_WINDOW_NS: u64 = 4_000_000;

/// Set-up of one arm in the loop.
pub struct LoopArm {
    /// Pose and scale of the arm in the world.
    pub frame: ArmFrame,
    /// Tool, distances and gains.
    pub setup: ArmSetup,
    /// Specification that the arm declares.
    pub spec: ArmSpec,
    /// Time from the arrival of a sample to the moment at which its answering command leaves, ns.
    pub answer_delay_ns: u64,
    /// Limits for the governor.
    pub limits: Limits,
    /// Button that holds what the tool touches, 0 to 31.
    pub grasp_button: Option<u8>,
    /// Button that engages the clutch, 0 to 31.
    pub clutch_button: Option<u8>,
}

struct Channel {
    /// Boxed at the start: a loop is moved into its thread, and stacks are small.
    workspace: Box<Workspace>,
    /// The frame moved before this tick.
    is_carried: bool,
    governor: Governor,
    gains: Gains,
    /// Largest damping that effects make, N s/m.
    most_damping: f64,
    native_period_ns: u64,
    was_attached: bool,
    /// Tick in which the tool was placed at the hand, or the last tick without a pose.
    anchored_tick: u64,
    last_sequence: u64,
}

impl Channel {
    /// Notes a sample, and whether it gave a pose. Returns whether the tool has to be placed at the
    /// hand: the arm is back, or counts its samples from the start again.
    #[inline]
    fn note_sample(&mut self, sample: &ArmSample, known: bool) -> bool {
        let mut anchor = false;
        if known {
            anchor = !self.was_attached || sample.sequence < self.last_sequence;
            self.last_sequence = sample.sequence;
        }
        self.was_attached = known;
        anchor
    }

    /// Age of the contact data behind a wrench, ns: the older of the snapshot and the shape of a
    /// touched soft surface.
    #[inline]
    fn contact_age_ns(&self, outcome: &ArmOutcome, tick: u64, period_ns: u64) -> u64 {
        let contact_age_ns = if outcome.snapshot_age == u64::MAX {
            // Nothing is solid yet, so no contact can be stale. But if the arm is attached and no
            // answer at all comes within the bound, the collision thread does not respond.
            let asked = tick.saturating_sub(self.anchored_tick);
            asked.saturating_mul(period_ns)
        } else {
            outcome.snapshot_age.saturating_mul(period_ns)
        };
        // The past shape of a soft surface says nothing about its present one: while touched, its
        // age counts like the rest.
        let soft_age_ns = if outcome.soft_rows > 0 {
            outcome.soft_late.saturating_mul(period_ns)
        } else {
            0
        };
        contact_age_ns.max(soft_age_ns)
    }

    /// Moves the arm's frame, and what depends on it in the engine.
    #[inline]
    fn move_frame(
        &mut self,
        arm: usize,
        sample: &ArmSample,
        at: &Placing,
        engine: &mut Simulation,
    ) {
        let change = self.workspace.tick(&WorkspaceInput {
            hand: &sample.pose,
            buttons: sample.buttons,
            dt_s: at.dt_s,
            outcome: &engine.output().arms[arm],
            has_authority: self.governor.has_full_authority(),
            is_placed: at.is_placed,
        });
        let Some(change) = change else { return };
        self.is_carried = true;
        engine.carry(arm, &change);
        if change.ratio != 1.0 {
            let in_world = self.workspace.frame().to_world_gains(&self.gains);
            engine.set_gains(arm, in_world);
        }
    }

    /// Hands the orders to stop to the governor. They come before its step, so that they hold in
    /// the same tick.
    #[inline]
    fn obey_stops(&mut self, input: &LoopInput) {
        if input.stopping {
            self.governor.request_stop(ForceOffReason::Shutdown);
        }
        if input.cut || input.silent.contains(Watched::Supervisor) {
            self.governor.request_stop(ForceOffReason::Supervisor);
        }
    }
}

/// How an arm comes into a tick.
struct Placing {
    /// Time since the last tick, s.
    dt_s: f64,
    /// Its tool is placed at the hand.
    is_placed: bool,
}

/// What happened to an arm since its last tick.
#[derive(Clone, Copy, Default)]
struct ArmEvents {
    /// Sequence of the last snapshot offered; 0: none.
    offered: u64,
    /// Same for the soft bodies' snapshot.
    offered_deformable: u64,
    /// Latched faults were cleared.
    cleared: bool,
    /// The force may rise only by the ramp.
    eased: bool,
    /// Client-visible id of a removed body that the tool touched.
    removed_body: Option<u32>,
}

/// An arm's part of a tick, between the engine and the governor.
struct ArmStep<'a> {
    input: &'a ArmInput,
    outcome: &'a ArmOutcome,
    /// Device pose of the tool in the world; `None` without one.
    device: Option<&'a Pose>,
    /// The proxy was placed at the device pose.
    anchored: bool,
    events: ArmEvents,
    /// The coupling's wrench, device base frame.
    wanted: Wrench,
    /// The force of the effects, device base frame.
    effects: EffectsForce,
    /// Age of the sample, ns.
    input_age_ns: u64,
}

impl ArmStep<'_> {
    /// Which party made this arm late or held its tool back, if the arm is there.
    #[inline]
    fn blame(&self, native_period_ns: u64, period_ns: u64, stale_ticks: u64) -> Blame {
        if !self.input.attached {
            return Blame::None;
        }
        let input_late = self.input.sample.sequence > 0
            && self.input_age_ns > 2 * native_period_ns.max(period_ns);
        let age = self.outcome.snapshot_age;
        if input_late {
            Blame::Device
        } else if self.outcome.starved || (age != u64::MAX && age > stale_ticks) {
            Blame::Collision
        } else {
            Blame::None
        }
    }

    /// Writes the arm's share of the record, in place. The body that the tool is inside of gets its
    /// id once all arms are done.
    #[inline]
    fn record(&self, channel: &Channel, governed: &Governed, record: &mut ArmTick) {
        let (input, outcome, events) = (self.input, self.outcome, &self.events);
        let governor = &channel.governor;
        *record = ArmTick {
            sample: input.sample,
            attached: input.attached,
            anchored: self.anchored,
            offered: events.offered,
            offered_deformable: events.offered_deformable,
            gains: channel.gains,
            limits: *governor.limits(),
            cleared: events.cleared,
            eased: events.eased,
            removed_body: events.removed_body,
            frame: channel.workspace.moved_frame(),
            clutched: channel.workspace.is_clutched(),
            driven: channel.workspace.is_driven(),
            world_from_device: self.device.copied().unwrap_or_else(Pose::identity),
            world_from_proxy: outcome.proxy,
            wanted: self.wanted,
            effects_n: self.effects.force_n,
            sent: governed.wrench,
            energy: *governor.energy(),
            lowered: (governor.oscillations(), governor.oscillation_gains()),
            state: governed.state as u8,
            reason: governed.reason.map_or(0, |r| r.code()),
            contacts: outcome.contact_count as u16,
            rows: outcome.rows as u16,
            pairs: outcome.pairs_tested,
            substeps: outcome.substeps as u8,
            starved: outcome.starved,
            snapshot_age: u32::try_from(outcome.snapshot_age).unwrap_or(u32::MAX),
            snapshot: outcome.snapshot_sequence,
            midphase: outcome.midphase,
            input_age_ns: self.input_age_ns,
            soft_age: u32::try_from(outcome.soft_age).unwrap_or(u32::MAX),
            soft_finder: outcome.soft_finder,
            tracked: outcome.tracked as u16,
            soft_rows: outcome.soft_rows as u16,
            insertion: outcome.insertion,
            solid: outcome.solid,
            inside: outcome.inside,
            inside_body: 0,
            grasped: outcome.grasped,
            path: outcome.path,
            path_len: outcome.path_len as u8,
            truth: input.truth,
        };
    }
}

/// Input of a tick from one arm.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArmInput {
    /// Newest sample; sequence 0 before the first.
    pub sample: ArmSample,
    /// Whether the arm is attached.
    pub attached: bool,
    /// Ground truth of a simulated arm, for the record only.
    pub truth: Option<ArmTruth>,
}

/// Inputs of one tick.
#[derive(Clone, Copy, Debug)]
pub struct LoopInput {
    /// Time of the tick, ns.
    pub now_ns: u64,
    /// Periods since the previous tick; more than one after an overrun.
    pub periods: u32,
    /// Inputs by arm index.
    pub arms: [ArmInput; MAX_ARMS],
    /// Ramp all force to zero and keep it there.
    pub stopping: bool,
    /// Cut all force at once, latched.
    pub cut: bool,
    /// Threads that show no sign of life.
    pub silent: Silent,
}

impl LoopInput {
    /// Periods since the previous tick, at least one.
    fn elapsed_periods(&self) -> u32 {
        self.periods.max(1)
    }
}

/// The haptic loop without I/O: see the module documentation.
pub struct LoopCore {
    engine: Simulation,
    channels: [Option<Channel>; MAX_ARMS],
    period_ns: u64,
    /// By arm, since its last tick.
    events: [ArmEvents; MAX_ARMS],
    gone: [u32; MAX_GONE],
    gone_count: u8,
    /// By arm: its tool has touched a client's body while clients are not served.
    touched_unserved: [bool; MAX_ARMS],
    /// Range of client-visible ids of clients' bodies.
    clients_bodies: Range<u32>,
    silenced: Silenced,
    effects: Effects,
    grasps: Grasps,
    /// Since the last tick, for its record.
    orders: Orders,
    record: TickRecord,
    commands: [ArmCommand; MAX_ARMS],
    /// Snapshot age, in ticks, beyond which contact counts as stale.
    stale_ticks: u64,
}

impl LoopCore {
    /// Makes a loop with this nominal period for these arms. Allocates everything that it needs.
    ///
    /// # Errors
    /// If an arm's limits cannot be kept.
    pub fn new(
        arms: [Option<LoopArm>; MAX_ARMS],
        period_ns: u64,
        snapshot_lag_s: f64,
    ) -> Result<Self, LimitsError> {
        let setups = std::array::from_fn(|i| arms[i].as_ref().map(|r| r.setup));
        let engine = Simulation::Solid(Box::new(Engine::new(setups, snapshot_lag_s)));
        Self::of(arms, period_ns, engine)
    }

    /// Makes a loop for these arms in a planar scene. The engine must have been made for the same
    /// set-ups.
    ///
    /// # Errors
    /// If an arm's limits cannot be kept.
    pub fn planar(
        arms: [Option<LoopArm>; MAX_ARMS],
        period_ns: u64,
        engine: PlanarEngine,
    ) -> Result<Self, LimitsError> {
        Self::of(arms, period_ns, Simulation::Planar(Box::new(engine)))
    }

    fn of(
        arms: [Option<LoopArm>; MAX_ARMS],
        period_ns: u64,
        mut engine: Simulation,
    ) -> Result<Self, LimitsError> {
        let stale_ns = arms
            .iter()
            .flatten()
            .map(|r| r.limits.stale_contact_ns)
            .min()
            .unwrap_or(u64::MAX);
        let mut channels = [const { None }; MAX_ARMS];
        let mut grasps = Grasps::new();
        for (i, arm_parts) in arms.into_iter().enumerate() {
            if let Some(r) = arm_parts {
                grasps.set_button(i, r.grasp_button);
                engine.set_gains(i, r.frame.to_world_gains(&r.setup.gains));
                channels[i] = Some(Channel {
                    workspace: Box::new(Workspace::new(r.frame, r.clutch_button)),
                    is_carried: false,
                    gains: r.setup.gains,
                    governor: Governor::new(&r.limits, &r.spec)?.answering_after(r.answer_delay_ns),
                    most_damping: stable_damping(&r.spec),
                    native_period_ns: r.spec.native_period_ns,
                    was_attached: false,
                    anchored_tick: 0,
                    last_sequence: 0,
                });
            }
        }
        Ok(LoopCore {
            engine,
            channels,
            period_ns,
            events: [ArmEvents::default(); MAX_ARMS],
            gone: [0; MAX_GONE],
            gone_count: 0,
            touched_unserved: [false; MAX_ARMS],
            clients_bodies: 0..0,
            silenced: Silenced::new(),
            effects: Effects::new(0.0),
            grasps,
            orders: Orders::default(),
            record: TickRecord::new(),
            commands: [ArmCommand::default(); MAX_ARMS],
            stale_ticks: stale_ns / period_ns.max(1),
        })
    }

    /// Declares bodies with these client-visible ids as clients' bodies. Call it before the first
    /// tick.
    pub fn set_clients_bodies(&mut self, ids: Range<u32>) {
        self.clients_bodies = ids;
    }

    /// Lets the effects of an arm make this much force together, N; none until then. Call it before
    /// the first tick.
    pub fn set_most_effect_force(&mut self, most_n: f64) {
        self.effects = Effects::new(most_n);
    }

    /// Obeys an order of an application from the next tick on.
    ///
    /// Returns false, with nothing done, if [`MAX_ORDERS`](super::orders::MAX_ORDERS) came since
    /// the last tick; the next tick must run first.
    pub fn order(&mut self, order: LoopOrder) -> bool {
        if !self.orders.push(order) {
            return false;
        }
        match order {
            LoopOrder::Effect(order) => self.effects.order(order),
            LoopOrder::Grasp(order) => {
                let is_silenced = |body| self.silenced.contains(body);
                self.grasps.order(order, is_silenced, &mut self.engine);
            }
            LoopOrder::Workspace(order) => self.order_workspace(order),
        }
        true
    }

    /// Gives an arm another mapping, with its bubble, or its clutch. Arms that do not exist are
    /// ignored.
    fn order_workspace(&mut self, order: WorkspaceOrder) {
        let arm = usize::from(order.arm);
        let Some(Some(c)) = self.channels.get_mut(arm) else {
            return;
        };
        c.workspace.order(order.change);
        match order.change {
            WorkspaceChange::Map(mapping) => {
                let wall = mapping.bubble.map(|bubble| bubble.wall());
                self.effects.set_bubble(arm, wall);
            }
            WorkspaceChange::Stop => self.effects.set_bubble(arm, None),
            WorkspaceChange::Clutch(_) => {}
        }
    }

    /// Nominal period, ns.
    pub fn period_ns(&self) -> u64 {
        self.period_ns
    }

    /// Removes a body whose client is gone. From the next tick on the body stops nothing. Force is
    /// cut if the tool was touching it, since what the tool was pressed against no longer exists.
    /// Call it before the snapshots of that tick are offered, as a replay does.
    ///
    /// Returns false, with nothing done, if [`MAX_GONE`] bodies were removed since the last tick;
    /// the next tick must run first.
    pub fn forget(&mut self, id: u32) -> bool {
        let Some(slot) = self.gone.get_mut(usize::from(self.gone_count)) else {
            return false;
        };
        *slot = id;
        self.gone_count += 1;
        for (events, arm) in self.events.iter_mut().zip(&self.engine.output().arms) {
            let mut contacts = arm.contacts[..arm.contact_count].iter();
            if arm.grasped == id || contacts.any(|c| c.body == id) {
                events.removed_body.get_or_insert(id);
            }
        }
        self.engine.forget(id);
        self.silenced.forget(id);
        true
    }

    /// Silences a body whose client is silent or out of focus, or restores it, from the next tick
    /// on. A silenced body makes no force. The force of an arm that presses on it fades (reason 35)
    /// and returns as after any fault: once little force is wanted, along the ramp.
    ///
    /// Returns false, with nothing done, if [`MAX_GONE`] orders came since the last tick; the next
    /// tick must run first.
    pub fn silence(&mut self, order: Silencing) -> bool {
        let is_told = self.silenced.tell(order, &self.engine.output().arms);
        if is_told && order.silent {
            self.grasps.end_of(order.body, &mut self.engine);
        }
        is_told
    }

    /// Hands the newest snapshot of an arm to the engine before a tick. Returns a buffer to
    /// recycle.
    pub fn offer(&mut self, snapshot: Box<Snapshot>) -> Option<Box<Snapshot>> {
        if let Some(events) = self.events.get_mut(snapshot.arm) {
            events.offered = snapshot.sequence;
        }
        self.engine.receive(snapshot)
    }

    /// Hands the newest snapshot of the soft bodies to the engine before a tick. Returns a buffer
    /// to recycle.
    pub fn offer_soft(
        &mut self,
        deformable: Box<DeformableSnapshot>,
    ) -> Option<Box<DeformableSnapshot>> {
        if let Some(events) = self.events.get_mut(deformable.arm) {
            events.offered_deformable = deformable.sequence;
        }
        self.engine.receive_soft(deformable)
    }

    /// Returns a buffer that the last tick released, if any is left.
    pub fn take_retired(&mut self) -> Option<Box<Snapshot>> {
        self.engine.take_retired()
    }

    /// Fixes a needle to an arm's tool. Call it before the first tick.
    pub fn set_guide(&mut self, arm: usize, guide: Box<dyn Guide>) {
        self.engine.set_guide(arm, guide);
    }

    /// Sets an arm's gains, at the device, from the next tick on.
    pub fn set_gains(&mut self, arm: usize, gains: Gains) {
        if let Some(Some(c)) = self.channels.get_mut(arm) {
            c.gains = gains;
            let in_world = c.workspace.frame().to_world_gains(&gains);
            self.engine.set_gains(arm, in_world);
        }
    }

    /// Tightens an arm's limits and replaces an earlier tightening. Values looser than those at the
    /// start have no effect. Does nothing if the arm does not exist. Real-time callable.
    ///
    /// # Errors
    /// If one of the limits is out of its range; the limits then stay as they were.
    pub fn tighten(&mut self, arm: usize, limits: &Limits) -> Result<(), LimitsError> {
        match self.channels.get_mut(arm) {
            Some(Some(c)) => c.governor.tighten(limits),
            _ => Ok(()),
        }
    }

    /// Clears an arm's latched faults. Causes that still hold come back in the next tick. Real-time
    /// callable.
    pub fn clear_faults(&mut self, arm: usize) {
        if let Some(Some(c)) = self.channels.get_mut(arm) {
            self.events[arm].cleared = true;
            c.governor.clear();
        }
    }

    /// Lets an arm's force rise only by the ramp, from its present value, because surfaces are
    /// about to change. Real-time callable.
    pub fn ease(&mut self, arm: usize) {
        if let Some(Some(c)) = self.channels.get_mut(arm) {
            self.events[arm].eased = true;
            c.governor.ease();
        }
    }

    /// Runs one tick and returns its record.
    pub fn tick(&mut self, input: &LoopInput) -> &TickRecord {
        let placed = self.place_devices(input);
        self.obey_buttons(input, &placed);
        self.engine.tick(&placed);
        self.note_input(input);
        let mut passed = [Passed::default(); MAX_ARMS];
        for arm in 0..MAX_ARMS {
            passed[arm] = self.govern(arm, input, &placed);
        }
        // The coupling responds to this in the next tick.
        for (arm, passed) in passed.into_iter().enumerate() {
            self.engine.set_passed(arm, passed);
        }
        for arm in &mut self.record.arms {
            arm.inside_body = first_body_id(&self.engine, arm.inside);
        }
        record_bodies(&mut self.record, &self.engine);
        self.record.measures = self.engine.measures();
        &self.record
    }

    /// Takes the arms' samples to the world, and finds the arms whose tools have to be placed at
    /// the hand. The engine's input.
    #[inline]
    fn place_devices(&mut self, input: &LoopInput) -> TickInput {
        let dt_ns = self.period_ns * u64::from(input.elapsed_periods());
        let mut placed = TickInput {
            period_s: dt_ns as f64 * 1e-9,
            devices: [None; MAX_ARMS],
            anchor: 0,
        };
        for (i, channel) in self.channels.iter_mut().enumerate() {
            let Some(c) = channel else { continue };
            let arm = &input.arms[i];
            let known = arm.attached && arm.sample.sequence > 0 && arm.sample.status.calibrated;
            let anchor = c.note_sample(&arm.sample, known);
            if anchor {
                placed.anchor |= 1 << i;
            }
            if input.silent.contains(Watched::Ipc) && c.workspace.end_unserved() {
                self.effects.set_bubble(i, None);
            }
            c.is_carried = false;
            if known {
                let sample = &arm.sample;
                let at = Placing {
                    dt_s: placed.period_s,
                    is_placed: anchor,
                };
                c.move_frame(i, sample, &at, &mut self.engine);
                placed.devices[i] = Some(c.workspace.frame().to_world(&sample.pose));
            }
        }
        placed
    }

    /// Lets buttons grasp, and lets go of what applications hold while nobody serves them.
    #[inline]
    fn obey_buttons(&mut self, input: &LoopInput, placed: &TickInput) {
        for (arm, device) in placed.devices.iter().enumerate() {
            let buttons = device.map_or(0, |_| input.arms[arm].sample.buttons);
            let is_silenced = |body| self.silenced.contains(body);
            self.grasps
                .press(arm, buttons, is_silenced, &mut self.engine);
        }
        if input.silent.contains(Watched::Ipc) {
            self.grasps.end_unserved(&mut self.engine);
        }
    }

    /// Begins the record of the tick that the engine just ran: what came in, from outside and from
    /// the orders since the last tick. The arms' shares follow; a tick that skipped periods is the
    /// loop's fault, whatever they say.
    #[inline]
    fn note_input(&mut self, input: &LoopInput) {
        let record = &mut self.record;
        record.tick = self.engine.output().tick;
        record.now_ns = input.now_ns;
        record.periods = input.elapsed_periods();
        record.stopping = input.stopping;
        record.cut = input.cut;
        record.silent = input.silent;
        record.gone = self.gone;
        record.gone_count = std::mem::take(&mut self.gone_count);
        (record.silencings, record.silencing_count) = self.silenced.take_orders();
        record.orders = std::mem::take(&mut self.orders);
        record.blame = if record.periods > 1 {
            Blame::Loop
        } else {
            Blame::None
        };
    }

    /// Passes an arm's wrench through its governor to the arm's command, and records the arm's
    /// share of the tick. Returns how much of the wrench was passed.
    #[inline]
    fn govern(&mut self, i: usize, input: &LoopInput, placed: &TickInput) -> Passed {
        let Some(c) = &mut self.channels[i] else {
            self.record.arms[i] = ArmTick::absent();
            return Passed::default();
        };
        let out = self.engine.output();
        let (arm, outcome) = (&input.arms[i], &out.arms[i]);
        self.grasps.note(i, outcome.grasped, outcome.let_go);
        let step = ArmStep {
            input: arm,
            outcome,
            device: placed.devices[i].as_ref(),
            anchored: placed.anchor & (1 << i) != 0,
            events: std::mem::take(&mut self.events[i]),
            wanted: c.workspace.frame().to_base(&outcome.wrench),
            effects: run_effects(&mut self.effects, i, c, input, placed),
            input_age_ns: input.now_ns.saturating_sub(arm.sample.time_ns),
        };
        // Without a pose there is no query that could be answered.
        if step.anchored || step.device.is_none() {
            c.anchored_tick = out.tick;
        }
        let contact_age_ns = c.contact_age_ns(outcome, out.tick, self.period_ns);
        c.obey_stops(input);
        // One touch is enough: a hand that bounces off the body must not start a new fade with
        // every touch.
        self.touched_unserved[i] = input.silent.contains(Watched::Ipc)
            && (self.touched_unserved[i] || touches_any(outcome, &self.clients_bodies));
        let touch = self.silenced.touch(i, outcome);
        if touch == Touch::Forceless {
            c.governor.release();
        }
        c.governor.pause(c.workspace.is_clutched());
        let mut spring = c.workspace.frame().to_base_spring(&outcome.spring);
        spring.held_by_movers |= c.is_carried;
        let governed = c.governor.step(&GovernorInput {
            now_ns: input.now_ns,
            wanted: step.wanted,
            effects_n: step.effects.force_n,
            reacting_n: step.effects.reacting_n,
            sample: &arm.sample,
            contact_age_ns,
            spring: Some(spring),
            faults: ReasonSet::EMPTY
                .with_if(!arm.attached, ForceOffReason::DeviceLost)
                .with_if(
                    step.events.removed_body.is_some(),
                    ForceOffReason::ClientLost,
                )
                .with_if(self.touched_unserved[i], ForceOffReason::ClientsUnserved)
                .with_if(touch != Touch::None, ForceOffReason::LeaseExpired),
            enable: true,
        });
        self.effects.note_sent(i, governed.added);
        if governed.scale <= 0.0 {
            self.silenced.faded(i);
        }
        self.commands[i] = ArmCommand {
            sequence: out.tick,
            wrench: governed.wrench,
        };
        if self.record.blame == Blame::None {
            self.record.blame = step.blame(c.native_period_ns, self.period_ns, self.stale_ticks);
        }
        step.record(c, &governed, &mut self.record.arms[i]);
        Passed {
            share: governed.passed.share,
            edge: governed.passed.edge,
            most_n: governed.passed.most_n,
        }
    }

    /// Sets the time stamps of the tick that just ran. The caller owns the clock.
    pub fn stamp(&mut self, signalled_ns: u64, awake_ns: u64, done_ns: u64) -> &TickRecord {
        self.record.signalled_ns = signalled_ns;
        self.record.awake_ns = awake_ns;
        self.record.done_ns = done_ns;
        &self.record
    }

    /// Blames the device for the wait before this tick (device-clocked loop).
    pub fn blame_device(&mut self) {
        self.record.blame = Blame::Device;
    }

    /// What an arm let go of in the last tick, or found nothing to take.
    pub fn grasp_ended(&self, arm: usize) -> Option<LetGo> {
        self.grasps.ended(arm)
    }

    /// Command to send to an arm.
    pub fn command(&self, arm: usize) -> ArmCommand {
        self.commands[arm]
    }

    /// Query for the collision thread.
    pub fn query(&self) -> Query {
        self.engine.query()
    }

    /// Output of the engine in the last tick.
    pub fn output(&self) -> &TickOutput {
        self.engine.output()
    }

    /// The engine, for the poses of bodies.
    pub fn engine(&self) -> &Simulation {
        &self.engine
    }

    /// Governor of an arm, for its history.
    pub fn governor(&self, arm: usize) -> Option<&Governor> {
        self.channels.get(arm)?.as_ref().map(|c| &c.governor)
    }

    /// Record of the last tick.
    pub fn record(&self) -> &TickRecord {
        &self.record
    }

    /// Whether every arm's wrench is exactly zero.
    pub fn is_quiet(&self) -> bool {
        self.commands.iter().all(|c| c.wrench == Wrench::default())
    }
}

/// Damping that effects may make at an arm, N s/m: what its mass allows with the delay from a
/// motion to the force that answers it. An arm that declares no mass gets what it damps itself.
fn stable_damping(spec: &ArmSpec) -> f64 {
    let delay_ns = spec
        .transport_delay_ns
        .saturating_add(spec.native_period_ns);
    let delay_s = delay_ns.saturating_add(VELOCITY_WINDOW_NS) as f64 * 1e-9;
    (0.5 * spec.mass_kg / delay_s).max(spec.damping_n_s_per_m)
}

/// Runs the effects of an arm for this tick.
#[inline]
fn run_effects(
    effects: &mut Effects,
    arm: usize,
    channel: &Channel,
    input: &LoopInput,
    placed: &TickInput,
) -> EffectsForce {
    let sample = &input.arms[arm].sample;
    let hand = placed.devices[arm].map(|_| Hand {
        place: sample.pose.translation.vector,
        velocity: sample.linear_velocity,
    });
    if hand.is_none() || placed.anchor & (1 << arm) != 0 {
        effects.forget_pose(arm);
    }
    let frame = channel.workspace.frame();
    let moment = Moment {
        base_from_world: &frame.world_from_base.inverse(),
        scale: frame.scale,
        hand,
        bounds: Bounds {
            stiffness_n_per_m: channel.gains.stiffness_n_per_m,
            damping_n_s_per_m: channel.most_damping,
        },
        dt_s: placed.period_s,
        is_served: !input.silent.contains(Watched::Ipc),
    };
    effects.tick(arm, &moment)
}

/// Whether the tool touches one of the bodies with these client-visible ids.
#[inline]
fn touches_any(outcome: &ArmOutcome, bodies: &Range<u32>) -> bool {
    let contacts = &outcome.contacts[..outcome.contact_count];
    contacts
        .iter()
        .any(|contact| bodies.contains(&contact.body))
}

/// Client-visible id of the first body in a set of slots; 0 for an empty set.
pub(crate) fn first_body_id(engine: &Simulation, slots: u64) -> u32 {
    let first = slots.trailing_zeros() as usize;
    if let Some(other) = tool_in(first) {
        return tool_id(other);
    }
    let mut bodies = engine.bodies();
    let body = bodies.find(|body| usize::from(body.key.slot) == first);
    body.map_or(0, |body| body.id)
}

/// Records which bodies exist, the poses of those that moved, and the body whose turn it is to be
/// surveyed.
fn record_bodies(record: &mut TickRecord, engine: &Simulation) {
    record.bodies = [0; MAX_BODIES];
    record.surveyed = None;
    record.moved_count = 0;
    let turn = TickRecord::surveyed_slot(record.tick);
    for key in engine.tools() {
        record.bodies[usize::from(key.slot)] = key.generation;
    }
    for body in engine.bodies() {
        let slot = usize::from(body.key.slot);
        record.bodies[slot] = body.key.generation;
        let placed = MovedBody {
            key: body.key,
            id: body.id,
            world_from_body: body.pose,
        };
        if slot == turn {
            record.surveyed = Some(placed);
        }
        if body.moved {
            if let Some(place) = record.moved.get_mut(usize::from(record.moved_count)) {
                *place = placed;
            }
            record.moved_count += 1;
        }
    }
}
