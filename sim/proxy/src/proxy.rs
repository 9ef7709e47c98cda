//! One arm's proxy: the tool where it is allowed to be, moved only through certified continuous
//! detection.
//!
//! Real-time callable after construction: no allocation, no blocking, work bounded by the pair
//! budget and [`MAX_SUBSTEPS`]. Deterministic. World frame, SI units.
//!
//! # Theory
//!
//! The proxy tries to rejoin the device pose within the tick (Redon 2002, section 6.4.2, first
//! order). The wanted motion is projected on the contact rows by Gauss' principle (chapter 5) and
//! becomes a constant-speed screw (section 3.1). The screw is cut at the earliest proven lower
//! bound over all listed pairs, and again where the certificate ends. If a pair stopped it, the
//! rest is tried again from there with that pair's row: the tool slides.
//!
//! Invariant: after every call all feature pairs between the tool and each *solid* body are at
//! least the clearance apart, and were so all along the path. [`crate::Engine`] explains when a
//! body is solid.

use hapticd_gauss::coulomb::FrictionMemory;
use hapticd_gauss::{Motion, Projector};
use hapticd_geometry::{Pose, Rigid, Screw, Vec3, transform};

use crate::arm_setup::ArmSetup;
use crate::bodies::BodyTable;
use crate::contact::Contact;
use crate::coupling::{Coupling, Touched};
use crate::guide::Guide;
use crate::interaction::{Intent, Interaction};
use crate::motion::pull_between;
use crate::outcome::{ArmOutcome, LetGo, MAX_SUBSTEPS, SpringState};
use crate::rendered::{RenderContext, RenderedProxy};
use crate::rows::{Candidate, candidate};
use crate::screw_path::ScrewPath;
use crate::slots::{BodyKey, MAX_BODIES, tool_in};
use crate::snapshot::{BodyEntry, Snapshot};
use crate::soft::{DeformableSnapshot, MAX_DEFORMABLE_ROWS, MAX_FOUND};
use crate::soft_row::DeformableRow;
use crate::tool::{Distances, ToolShape};

mod grasp;
mod planes;
mod press;
mod projection;
mod rounds;
mod shading;
mod soft_rows;
mod stoppers;
mod survey;

use grasp::{Grasp, Released};
use shading::Anchor;
use soft_rows::Held;
use stoppers::{STOPPERS, Stopper};
use survey::NearBody;

/// Most contact rows of one projection; the nearest are kept.
pub const MAX_ROWS: usize = 64;
/// Distance at which detection stops, in clearances. A pair at its threshold may lose a rounding
/// error (1e-14 m) per motion, which rows restore. The reserve between this value and 1 is never
/// used up in a session.
const GUARD: f64 = 1.001;

/// The proxy of one arm.
pub(crate) struct Proxy {
    pub shape: ToolShape,
    pub distances: Distances,
    pub coupling: Coupling,
    pub intent: Intent,
    /// Guide fixed to the tool; it holds the tool back before anything rigid does.
    pub guide: Option<Box<dyn Guide>>,
    pub present: bool,
    pub epoch: u32,
    pub proxy: Pose,
    pub snapshot: Option<Box<Snapshot>>,
    /// Newest soft snapshot; ignored if it is of another epoch.
    soft: Option<Box<DeformableSnapshot>>,
    /// Tangent planes of soft surfaces in this tick, `..soft_count`, deepest first, and the proxy
    /// pose at which they were computed.
    soft_rows: [Option<DeformableRow>; MAX_DEFORMABLE_ROWS],
    soft_found: Vec<DeformableRow>,
    soft_count: usize,
    soft_at: Pose,
    soft_period_s: f64,
    /// What soft surfaces held the tool by in the last tick, and in this one.
    held: Option<Held>,
    holds: Option<Held>,
    /// Goal of the last tick.
    pub goal: Pose,
    /// Keys of the bodies that are solid to this tool, by slot.
    solid: [Option<BodyKey>; MAX_BODIES],
    /// Keys of the bodies that this tool was inside of in the newest answer, by slot.
    inside: [Option<BodyKey>; MAX_BODIES],
    /// Other arms' tools to which this one is solid as well, one bit per slot. Neither may stop the
    /// other before both know that they are apart.
    pub met: u64,
    /// Far end of the coupling: the proxy as it is rendered.
    pub rendered: RenderedProxy,
    /// Change of the goal in the last tick by giving way to other tools: shift of the shape's
    /// centre, and rotation vector.
    pub yields: Motion,
    /// Rows of rigid bodies in the last projection, including those too far away to touch.
    pub rows: Vec<Contact>,
    pair_budget: usize,
    projector: Projector<MAX_ROWS>,
    candidates: Vec<Candidate>,
    /// Rows that held the tool back in the last projection, and the candidate that stopped it.
    holding: Vec<u32>,
    /// The same of the round before, by body and pair, to be recalled if the budget is short.
    kept: Vec<(u8, u32)>,
    near: Vec<NearBody>,
    /// Pairs that stopped the tool, each with the tick until which it counts.
    stoppers: [Option<(Stopper, u64)>; STOPPERS],
    /// Friction of the last projection, as the warm start of the next one.
    rub: FrictionMemory,
    /// Initial search distance of the next tick: a little more than the last tick's motion, m.
    stride: f64,
    /// Smoothed velocity of the tool: of the shape's centre (m/s), and the rotation vector (rad/s).
    velocity: Motion,
    /// Path that the last tick did not make because certificate or budget ended, m.
    pub behind_m: f64,
    /// Part of the steps of the bodies that hold the tool which it has not made in this tick.
    uncarried: f64,
    /// Pushes of the last projection's contacts on bodies: body, point, and the displacement of the
    /// coupling behind the push, m.
    loads: [(BodyKey, Vec3, Vec3); MAX_LOADS],
    load_count: usize,
    /// True if something that moves or bends touched the tool in this tick.
    moved_by: bool,
    /// Point at which friction holds the spring's far end on a smooth surface.
    anchor: Option<Anchor>,
    /// Smoothed velocity of the hand at the tool's centre, m/s.
    hand_m_s: Vec3,
    last_hand: Option<Vec3>,
    /// What the tool holds, and what it held last.
    grasp: Option<Grasp>,
    released: Option<Released>,
    /// End of a grasp since the last tick.
    went: Option<LetGo>,
}

/// Inputs of one tick that its steps share.
struct TickContext<'a> {
    device: &'a Pose,
    bodies: &'a BodyTable,
    /// Proxy before the tick.
    before: Pose,
    /// Pose that the proxy tries to reach.
    goal: Pose,
    /// Shift of the goal since the last tick, m.
    hand_step: Vec3,
    /// Distance by which soft surfaces may push the tool beyond its wanted motion, m.
    soft_m: f64,
    tick: u64,
    period_s: f64,
}

/// Most contacts that push bodies in a tick.
const MAX_LOADS: usize = 2 * hapticd_gauss::MAX_ACTIVE;
/// Smoothing time of the tool's velocity, which predicts its motion, s.
const EXPECTED_S: f64 = 0.004;
/// Smoothing time of the hand's velocity, s.
const HAND_S: f64 = 0.008;

impl Proxy {
    pub fn new(setup: &ArmSetup) -> Self {
        let pair_budget = setup.pair_budget;
        Proxy {
            shape: setup.shape,
            distances: setup.distances,
            coupling: Coupling::new(setup.gains, setup.damping),
            intent: Intent::new(setup.interaction),
            guide: None,
            present: false,
            epoch: 0,
            proxy: Pose::identity(),
            snapshot: None,
            soft: None,
            soft_rows: [None; MAX_DEFORMABLE_ROWS],
            soft_found: Vec::with_capacity(MAX_FOUND),
            soft_count: 0,
            soft_at: Pose::identity(),
            soft_period_s: 0.0,
            held: None,
            holds: None,
            goal: Pose::identity(),
            solid: [None; MAX_BODIES],
            inside: [None; MAX_BODIES],
            met: 0,
            rendered: RenderedProxy::new(&Pose::identity()),
            yields: Motion::zeros(),
            rows: Vec::with_capacity(MAX_ROWS),
            pair_budget,
            projector: Projector::new(),
            candidates: Vec::with_capacity(MAX_SUBSTEPS * pair_budget + MAX_ROWS + 1),
            holding: Vec::with_capacity(MAX_ROWS + 1),
            kept: Vec::with_capacity(MAX_ROWS + 1),
            near: Vec::with_capacity(MAX_BODIES),
            stoppers: [None; STOPPERS],
            rub: FrictionMemory::new(),
            stride: f64::INFINITY,
            velocity: Motion::zeros(),
            behind_m: 0.0,
            uncarried: 1.0,
            loads: [(BodyKey::default(), Vec3::zeros(), Vec3::zeros()); MAX_LOADS],
            load_count: 0,
            moved_by: false,
            anchor: None,
            hand_m_s: Vec3::zeros(),
            last_hand: None,
            grasp: None,
            released: None,
            went: None,
        }
    }

    /// Places the proxy without a path: nothing is solid until a snapshot of the new epoch proves
    /// it clear. A tool that follows by increments is placed once; later it continues from where it
    /// is.
    pub fn anchor(&mut self, pose: &Pose, tick: u64) -> Option<Box<Snapshot>> {
        self.let_go(LetGo::ArmLost, tick);
        self.present = true;
        let placed = self.epoch > 0 && self.intent.interaction() == Interaction::Increments;
        self.epoch = self.epoch.wrapping_add(1);
        if !placed {
            self.proxy = *pose;
        }
        self.goal = self.proxy;
        self.yields = Motion::zeros();
        self.rendered = RenderedProxy::new(pose);
        (self.held, self.holds, self.anchor) = (None, None, None);
        self.behind_m = 0.0;
        self.velocity = Motion::zeros();
        self.intent.reset();
        if let Some(guide) = &mut self.guide {
            guide.anchor();
        }
        self.solid = [None; MAX_BODIES];
        self.inside = [None; MAX_BODIES];
        self.coupling.reset();
        self.rub = FrictionMemory::new();
        self.hand_m_s = Vec3::zeros();
        self.last_hand = None;
        self.snapshot.take()
    }

    /// Detaches the arm; returns the snapshot that was in use.
    pub fn detach(&mut self, tick: u64) -> Option<Box<Snapshot>> {
        self.let_go(LetGo::ArmLost, tick);
        self.present = false;
        self.epoch = self.epoch.wrapping_add(1);
        self.solid = [None; MAX_BODIES];
        self.inside = [None; MAX_BODIES];
        self.snapshot.take()
    }

    pub fn is_solid(&self, key: BodyKey) -> bool {
        self.solid[key.slot as usize] == Some(key)
    }

    /// Returns true if the body is not solid because the tool overlaps it. A body without an answer
    /// so far is neither solid nor inside.
    pub fn is_inside(&self, key: BodyKey) -> bool {
        self.inside[key.slot as usize] == Some(key)
    }

    /// Returns true if the body is solid and, if it is a tool, this one is solid to it.
    pub fn meets(&self, key: BodyKey) -> bool {
        let both = tool_in(key.slot as usize).is_none() || self.met & (1 << key.slot) != 0;
        both && self.is_solid(key)
    }

    /// Returns an upper bound on the motion of the tool relative to a body, from a snapshot's
    /// reference poses to the pose `tool`, m.
    fn moved_since(&self, snapshot: &Snapshot, entry: &BodyEntry, body: &Pose, tool: &Pose) -> f64 {
        if entry.fixed {
            return self.shape.displacement(&snapshot.world_from_tool, tool);
        }
        let then = entry.world_from_body.inverse() * snapshot.world_from_tool;
        let now = body.inverse() * tool;
        self.shape.displacement(&then, &now)
    }

    /// Takes a snapshot into use if it certifies the present poses. Returns the buffer that is no
    /// longer needed.
    pub fn offer(&mut self, snapshot: Box<Snapshot>, bodies: &BodyTable) -> Option<Box<Snapshot>> {
        if !self.present || snapshot.epoch != self.epoch {
            return Some(snapshot);
        }
        // An overtaken answer knows less than the one in use, and does not list bodies that came
        // since.
        if let Some(current) = self.snapshot.as_deref()
            && current.epoch == self.epoch
            && current.sequence >= snapshot.sequence
        {
            return Some(snapshot);
        }
        let unknown = |key: &BodyKey| !snapshot.bodies.iter().any(|e| e.key == *key);
        if (self.solid.iter().flatten()).any(|key| unknown(key) && bodies.get(*key).is_some()) {
            return Some(snapshot);
        }
        for entry in &snapshot.bodies {
            if self.is_solid(entry.key) {
                let Some(body) = bodies.get(entry.key) else {
                    continue;
                };
                // Not: `moved >= margin`, so that NaN refuses.
                if !(self.moved_since(&snapshot, entry, &body.pose, &self.proxy) < entry.margin_m) {
                    return Some(snapshot);
                }
            }
        }
        for slot in 0..MAX_BODIES {
            let here = snapshot.bodies.iter().find(|e| e.key.slot as usize == slot);
            let known = here.filter(|e| bodies.get(e.key).is_some());
            let known = known.filter(|e| !self.was_held(e.key, snapshot.query_tick));
            self.inside[slot] = None;
            self.solid[slot] = match (known, self.solid[slot]) {
                (Some(e), Some(key)) if key == e.key => Some(key),
                (Some(e), _) => {
                    let pose = bodies.get(e.key).map_or(e.world_from_body, |b| b.pose);
                    let moved = self.moved_since(&snapshot, e, &pose, &self.proxy);
                    let nearest = snapshot
                        .pairs_of(e)
                        .first()
                        .map_or(f64::INFINITY, |p| p.distance_m);
                    let clear = !e.encloses_tool
                        && moved < e.margin_m
                        && nearest - moved > self.distances.clearance_m;
                    // Nearer than the clearance is not a valid start either.
                    let overlaps = e.encloses_tool || nearest <= self.distances.clearance_m;
                    self.inside[slot] = overlaps.then_some(e.key);
                    clear.then_some(e.key)
                }
                (None, _) => None,
            };
        }
        self.snapshot.replace(snapshot)
    }

    /// Takes a soft snapshot into use, unless it is older than the current one or of another epoch.
    /// Returns the buffer that is no longer needed.
    pub fn offer_soft(
        &mut self,
        mut soft: Box<DeformableSnapshot>,
    ) -> Option<Box<DeformableSnapshot>> {
        if !self.present || soft.epoch != self.epoch {
            return Some(soft);
        }
        if let Some(current) = self.soft.as_deref().filter(|s| s.epoch == self.epoch) {
            if current.sequence >= soft.sequence {
                return Some(soft);
            }
            soft.inherit(current);
        }
        self.soft.replace(soft)
    }

    /// Moves the proxy towards `device` as far as it is allowed, and returns the outcome with the
    /// wrench.
    pub fn tick(
        &mut self,
        device: &Pose,
        bodies: &BodyTable,
        tick: u64,
        period_s: f64,
    ) -> ArmOutcome {
        let mut out = ArmOutcome::absent();
        out.present = true;
        let before = self.proxy;
        let hand = self.intend(device, period_s);
        let goal = self.held_goal(hand, bodies, period_s);
        let hand_step = goal.translation.vector - self.goal.translation.vector;
        self.goal = goal;
        let soft_m = self.meet_soft(&goal, tick, period_s, &mut out);
        self.expire_stoppers(tick);
        self.smooth_hand_velocity(&hand, period_s);
        let context = TickContext {
            device,
            bodies,
            before,
            goal,
            hand_step,
            soft_m,
            tick,
            period_s,
        };
        let mut touched = Touched::new();
        let ahead = self.approach(&context, &mut out, &mut touched);
        self.conclude(&context, &mut out);
        self.watch_grasp(&context, &mut out);
        self.render(&context, ahead, &mut out, &mut touched);
        out.proxy = self.proxy;
        out
    }

    /// Returns the pose that the tool is to reach in this tick: what the hand intends, less the
    /// rotation of a tool that may not turn, after giving way to other tools, as the guide allows.
    fn intend(&mut self, device: &Pose, period_s: f64) -> Pose {
        let gains = self.coupling.gains();
        let intended = self
            .intent
            .goal(device, &self.proxy, &self.shape, &gains, period_s);
        let goal = if self.shape.turns {
            intended
        } else {
            self.without_turning(&intended)
        };
        let goal = self.yielded_goal(goal);
        let stiffness = self.coupling.stiffness_n_per_m();
        match &mut self.guide {
            Some(guide) => guide.guide(&goal, stiffness),
            None => goal,
        }
    }

    /// Returns the goal of a tool that may not turn.
    ///
    /// A ball turns with the hand about its own centre, at once: that moves no point of its surface
    /// through anything. Other tools that may not turn keep the orientation at which they were
    /// anchored.
    fn without_turning(&mut self, intended: &Pose) -> Pose {
        if self.shape.bound_m == 0.0 {
            let rotation = intended.rotation;
            let centre = transform(&self.proxy, &self.shape.centre);
            self.proxy.rotation = rotation;
            self.proxy.translation.vector = centre - rotation * self.shape.centre;
        }
        Pose::from_parts(intended.translation, self.proxy.rotation)
    }

    /// Follows the velocity of the hand at the tool's centre; bodies that are pushed see it.
    fn smooth_hand_velocity(&mut self, goal: &Pose, period_s: f64) {
        let hand = transform(goal, &self.shape.centre);
        if let Some(last) = self.last_hand.filter(|_| period_s > 0.0) {
            let share = (period_s / HAND_S).min(1.0);
            self.hand_m_s += ((hand - last) / period_s - self.hand_m_s) * share;
        }
        self.last_hand = Some(hand);
    }

    /// Passes the motion of this tick to what the next tick starts from: the velocity that predicts
    /// the tool's motion, the guide and the intent.
    fn conclude(&mut self, context: &TickContext<'_>, out: &mut ArmOutcome) {
        let (before, period_s) = (&context.before, context.period_s);
        if period_s > 0.0 {
            let went = pull_between(&self.shape, before, &self.proxy) / period_s;
            self.velocity += (went - self.velocity) * (period_s / EXPECTED_S).min(1.0);
        }
        self.report(out, context.tick);
        if let Some(guide) = &mut self.guide {
            guide.went(&self.proxy);
            out.insertion = guide.insertion();
        }
        let gains = self.coupling.gains();
        let went = [before, &self.proxy, &context.goal];
        self.intent
            .went(went, context.device, &self.shape, &gains, period_s);
    }

    /// Renders the proxy, or the pose `ahead` of it, and takes the wrench of the coupling to it.
    fn render(
        &mut self,
        context: &TickContext<'_>,
        mut ahead: Option<Pose>,
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) {
        // The hand of a tool that follows by increments is at any offset.
        let drawn_to = match self.intent.interaction() {
            Interaction::Increments => self.proxy,
            _ => *context.device,
        };
        let base = ahead.unwrap_or(self.proxy);
        if let Some(shaded) = self.shade(&base, &drawn_to, context.bodies) {
            ahead = Some(shaded.felt);
            touched.or_touch(shaded.material);
            self.moved_by |= shaded.moves;
        }
        touched.or_touch(self.held_material());
        let feel = RenderContext {
            shape: &self.shape,
            gyration_m2: self.coupling.gains().gyration_m2().unwrap_or(0.0),
            safe_m: self.distances.safe_m,
            period_s: context.period_s,
        };
        // The hand of a tool that follows by increments coincides with the tool.
        let ahead = ahead.filter(|_| self.intent.interaction() != Interaction::Increments);
        let went = [&context.before, &self.proxy];
        let felt = (self.rendered).step(&feel, &drawn_to, went, ahead.as_ref());
        let centre = &self.shape.centre;
        out.wrench = (self.coupling).wrench_on(&drawn_to, &felt, centre, touched, context.period_s);
        let contacts = &mut out.contacts[..out.contact_count];
        self.coupling.share_out(&out.wrench.force_n, contacts);
        let has_mass = matches!(self.intent.interaction(), Interaction::SpringWithMass(_));
        out.spring = SpringState {
            far_end: felt,
            centre: *centre,
            energy: *self.coupling.energy(),
            held_by_movers: self.moved_by
                || has_mass
                || self.guide.is_some()
                || self.grasp.is_some()
                || self.yields != Motion::zeros(),
        };
    }

    /// Returns the share of `step` (0 to 1) that a body may make while this tool stands still.
    pub fn body_advance(
        &self,
        bodies: &BodyTable,
        key: BodyKey,
        step: &Screw,
        step_path: f64,
    ) -> f64 {
        if !self.present || !self.is_solid(key) {
            return 1.0;
        }
        let (Some(snapshot), Some(body)) = (self.snapshot.as_deref(), bodies.get(key)) else {
            return 0.0;
        };
        let Some(entry) = snapshot.bodies.iter().find(|e| e.key == key) else {
            return 0.0; // Solid, but not listed in the snapshot in use: it stands still.
        };
        let near = self.near_body(snapshot, entry, body);
        // The tool stands still, so no distance changes by more than the path of the body's points.
        let left = (near.entry.margin_m - near.moved).max(0.0);
        let one = std::slice::from_ref(&near);
        let path = self.affordable_path(one, snapshot, left.min(step_path), self.pair_budget);
        if !(path > 0.0) {
            return 0.0;
        }
        let mut t = if path < step_path {
            path / step_path
        } else {
            1.0
        };
        let threshold = near.radius_m + GUARD * self.distances.clearance_m;
        let horizon = near.within_reach(path, self.distances.clearance_m);
        let way = ScrewPath::new(step);
        let world_from_tool = Rigid::new(&self.proxy);
        for pair in snapshot.pairs_of(&near.entry) {
            if pair.distance_m >= horizon {
                break;
            }
            if pair.separation(&near.frame_from_tool) - path > threshold {
                continue;
            }
            let c = candidate(pair, &world_from_tool, near.frame());
            if c.distance_m - path > threshold {
                continue;
            }
            let at = way.advance(c.features().swapped(), &-c.normal, threshold, t);
            t = t.min(at);
        }
        t
    }
}
