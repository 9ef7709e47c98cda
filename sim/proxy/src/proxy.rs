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
use hapticd_gauss::{Motion, Projector, Row, Status};
use hapticd_geometry::{Pose, Rigid, Screw, Vec3, transform};

use crate::arm_setup::ArmSetup;
use crate::bodies::BodyTable;
use crate::coupling::{Coupling, Touched};
use crate::guide::Guide;
use crate::interaction::{Intent, Interaction};
use crate::motion::pull_between;
use crate::outcome::{ArmOutcome, Contact, MAX_CONTACTS, MAX_SUBSTEPS, SpringState};
use crate::rendered::{RenderContext, RenderedProxy};
use crate::rows::{Candidate, candidate};
use crate::screw_path::{ScrewPath, swapped};
use crate::slots::{BodyKey, MAX_BODIES, tool_in};
use crate::snapshot::{BodyEntry, Snapshot};
use crate::soft::{MAX_FOUND, MAX_SOFT_ROWS, SoftSnapshot};
use crate::soft_row::SoftRow;
use crate::tool::{Distances, ToolShape};
use crate::twist::shift_of_velocity;

mod planes;
mod press;
mod shading;
mod soft_rows;
mod stoppers;
mod survey;

use planes::{Aim, Planes, Round};
use shading::Anchor;
use soft_rows::Held;
use stoppers::{STOPPERS, Stopper};
use survey::{NearBody, ROUNDING_M};

/// Most contact rows of one projection; the nearest are kept.
pub const MAX_ROWS: usize = 64;
/// Largest rotation of one piece of path, rad. It is below half a turn, so that the corners of the
/// path determine the sense of rotation. It is also limited because rows are linear.
const MAX_TURN: f64 = 3.0;
/// Distance at which detection stops, in clearances. A pair at its threshold may lose a rounding
/// error (1e-14 m) per motion, which rows restore. The reserve between this value and 1 is never
/// used up in a session.
const GUARD: f64 = 1.001;
/// Longest motion that is projected on contacts at once, in tool sizes (radii of its ball).
const MAX_STRIDE: f64 = 0.25;
/// Rotation from which a motion in contact counts as turning, rad.
const TURNING: f64 = 1e-5;
/// Excess distance, as a share of the safe distance, up to which a contact counts as where its row
/// put it.
const SLACK: f64 = 0.1;
/// Cosine of the largest rotation of a normal for which a contact still counts as the same: 0.1
/// degrees. Where a ball rolls round an edge, the force is off by the same angle. On moving
/// surfaces 2.5 degrees.
const SAME_NORMAL_COS: [f64; 2] = [1.0 - 2e-6, 0.999];
/// Cosine of the largest angle between the normals of one plane: 0.08 degrees.
const SAME_PLANE_COS: f64 = 1.0 - 1e-6;
/// Shortest motion that is worth a substep, m.
const REST_M: f64 = 1e-10;
/// Share of a missing safe distance that one tick restores; small, since the hand feels it.
const RECOVERY: f64 = 0.2;

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
    soft: Option<Box<SoftSnapshot>>,
    /// Tangent planes of soft surfaces in this tick, `..soft_count`, deepest first, and the proxy
    /// pose at which they were computed.
    soft_rows: [Option<SoftRow>; MAX_SOFT_ROWS],
    soft_found: Vec<SoftRow>,
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
            soft_rows: [None; MAX_SOFT_ROWS],
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
        }
    }

    /// Places the proxy without a path: nothing is solid until a snapshot of the new epoch proves
    /// it clear. A tool that follows by increments is placed once; later it continues from where it
    /// is.
    pub fn anchor(&mut self, pose: &Pose) -> Option<Box<Snapshot>> {
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
    pub fn detach(&mut self) -> Option<Box<Snapshot>> {
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
    pub fn offer_soft(&mut self, mut soft: Box<SoftSnapshot>) -> Option<Box<SoftSnapshot>> {
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
        let gains = self.coupling.gains();
        let intended = self
            .intent
            .goal(device, &before, &self.shape, &gains, period_s);
        let goal = if self.shape.turns {
            intended
        } else {
            // A ball turns with the hand about its own centre, which moves no point of its surface
            // through anything. Other tools that may not turn keep the orientation at which they
            // were anchored.
            let rotation = if self.shape.bound_m == 0.0 {
                intended.rotation
            } else {
                self.proxy.rotation
            };
            if self.shape.bound_m == 0.0 {
                let centre = transform(&self.proxy, &self.shape.centre);
                self.proxy.rotation = rotation;
                self.proxy.translation.vector = centre - rotation * self.shape.centre;
            }
            Pose::from_parts(intended.translation, rotation)
        };
        let goal = self.yielded_goal(goal);
        let stiffness = self.coupling.stiffness_n_per_m();
        let goal = match &mut self.guide {
            Some(guide) => guide.guide(&goal, stiffness),
            None => goal,
        };
        let hand_step = goal.translation.vector - self.goal.translation.vector;
        self.goal = goal;
        let soft_m = self.meet_soft(&goal, tick, period_s, &mut out);

        for slot in &mut self.stoppers {
            *slot = slot.filter(|(_, until)| *until > tick);
        }
        let hand = transform(&goal, &self.shape.centre);
        if let Some(last) = self.last_hand.filter(|_| period_s > 0.0) {
            let share = (period_s / HAND_S).min(1.0);
            self.hand_m_s += ((hand - last) / period_s - self.hand_m_s) * share;
        }
        self.last_hand = Some(hand);
        let mut touched = Touched::new();
        let mut walked = 0.0;
        self.load_count = 0;
        self.moved_by = false;
        (self.behind_m, self.uncarried) = (0.0, 1.0);
        // Pose that the proxy would have reached if the certificate had not ended first.
        let mut ahead = None;
        self.holding.clear();
        for substep in 0..MAX_SUBSTEPS {
            self.keep_holding();
            self.survey(bodies);
            let Aim {
                pull,
                wanted,
                path_m: wanted_path,
                centre,
                gyration_m2,
            } = self.aim(&self.proxy, &goal, period_s);
            let busy = self
                .near
                .iter()
                .any(|n| bodies.step_path(n.entry.key) > 0.0);
            if !wanted_path.is_finite() {
                break;
            }
            let busy = busy || soft_m > 0.0;
            if wanted_path < REST_M && !busy && substep > 0 {
                break;
            }
            // The search covers the wanted motion, pushes by bodies and the recovery of the safe
            // distance.
            let steps = self.near.iter().map(|n| bodies.step_path(n.entry.key));
            let push_m = self.distances.safe_m + soft_m + steps.sum::<f64>();
            let mut allowed = wanted_path + push_m;
            // A round takes its share of the tick's pairs; if that cuts it short, all that the tick
            // has left.
            let left = (MAX_SUBSTEPS * self.pair_budget).saturating_sub(out.pairs_tested as usize);
            let mut budget = self.pair_budget.min(left);
            let (mut kept, mut is_short) = (0, false);
            if let Some(s) = self.snapshot.as_deref() {
                let certified = self.certified_path(allowed);
                allowed = self.affordable_path(&self.near, s, certified, budget);
                if allowed < certified && budget < left {
                    budget = left;
                    allowed = self.affordable_path(&self.near, s, certified, budget);
                }
                is_short = allowed < certified;
                if is_short {
                    kept = self.recall();
                }
            }
            out.substeps += 1;
            // A pressing hand wants millimetres and moves micrometres. So the search covers only
            // the last tick's motion, and is repeated over everything if that was too short. The
            // proxy never passes what was not searched: `path` stays within `room`. Later rounds
            // seldom find more than what a contact's plane cut off. Tools that press each other
            // need all rows, because `together` derives their goals from them.
            let presses = self.yields != Motion::zeros();
            let first_search_m = allowed.min(if presses {
                f64::INFINITY
            } else if substep == 0 {
                self.stride
            } else {
                2.0 * self.distances.safe_m
            });
            let mut room = first_search_m;
            let mut cut = false;
            // Rows are tangent planes of a contact that bends as the tool turns about it. If the
            // hand is further away than the contact's radius of curvature, its projection would
            // overshoot back and forth. In contact the goal is therefore approached in strides.
            let bold = MAX_STRIDE * self.shape.bound_m;
            let mut share = 1.0;
            let (motion, is_free, rows, screw, path) = loop {
                out.pairs_tested += self.gather(bodies, room, budget, kept);
                let aims = [pull * share, wanted * share];
                let (mut motion, mut rows) = self.project(
                    &aims,
                    &centre,
                    (bodies, gyration_m2),
                    &mut out,
                    &mut touched,
                );
                // Without rotation, as in sliding on a face, the planes are exact.
                let turning = motion.fixed_rows::<3>(3).norm() > TURNING;
                let bounded = turning && share == 1.0 && wanted_path > bold;
                let held =
                    motion != aims[1] || out.contacts[..out.contact_count].iter().any(|c| c.active);
                if bounded && held {
                    share = bold / wanted_path;
                    let aims = [pull * share, wanted * share];
                    (motion, rows) = self.project(
                        &aims,
                        &centre,
                        (bodies, gyration_m2),
                        &mut out,
                        &mut touched,
                    );
                }
                self.slipping(&mut motion, &hand_step);
                self.pressing(&mut motion, &wanted, push_m);
                let is_free = motion == wanted;
                let angle = motion.fixed_rows::<3>(3).norm();
                if angle > MAX_TURN {
                    // A part of the same twist. (The screw of more than half a turn would be
                    // another one.)
                    motion *= MAX_TURN / angle;
                    cut = true;
                }
                let turn = motion.fixed_rows::<3>(3).into_owned();
                let shift = shift_of_velocity(&motion.fixed_rows::<3>(0).into_owned(), &turn);
                let screw = Screw::from_twist(&shift, &turn, &centre);
                let path = self.shape.path(&screw, &self.proxy);
                let spent = out.pairs_tested as usize >= MAX_SUBSTEPS * self.pair_budget;
                if path <= room || room >= allowed || spent || !path.is_finite() {
                    break (motion, is_free, rows, screw, path);
                }
                room = if room == first_search_m {
                    allowed.min(2.0 * path)
                } else {
                    allowed
                };
            };
            out.rows = out.rows.max(rows as u32);
            if !path.is_finite() {
                break;
            }
            if path < REST_M {
                break;
            }
            walked += path.min(room);
            let (from, uncarried) = (self.proxy, self.uncarried);
            let mut t_end = 1.0_f64;
            if path > room {
                t_end = room / path;
                self.behind_m = path - room;
                out.starved = true;
            }
            out.starved |= cut;
            let (t, stopper) = self.first_contact(&screw, path, t_end);
            if t == 1.0 && motion == wanted {
                // The end of the screw except for rounding; without this, free space would render
                // 1e-17 m.
                self.proxy = goal;
                out.walked(&self.proxy);
                break;
            }
            if t > 0.0 {
                self.proxy = screw.pose_at(&self.proxy, t);
                self.proxy.rotation.renormalize_fast();
                out.walked(&self.proxy);
                self.uncarried *= 1.0 - t;
            }
            match stopper {
                Some(candidate) => {
                    if !self.holding.contains(&(candidate as u32)) {
                        self.holding.push(candidate as u32);
                    }
                    self.remember(candidate, tick);
                }
                None => {
                    if out.starved {
                        // Known surfaces hold back even beyond the certificate. If the budget left
                        // some out, only the projected motion is known; but nothing holds what
                        // remains after a stride.
                        let (t, _) = self.first_contact(&screw, path, 1.0);
                        let free = is_free && t == 1.0;
                        ahead = Some(match is_short && share == 1.0 {
                            true if free => goal,
                            true => screw.pose_at(&from, t),
                            false => {
                                let round = Round {
                                    from,
                                    uncarried,
                                    is_free: free,
                                    kept,
                                };
                                self.beyond(&round, &goal, (bodies, period_s), &mut out)
                            }
                        });
                        break;
                    }
                    // The whole projected motion was made. The rest of the wanted one is behind
                    // contacts, unless far rows were only guesses: one more round finds that out.
                    if rows == 0 {
                        break;
                    }
                    let held = (motion - wanted).norm() > 1e-3 * wanted.norm();
                    if share == 1.0 && (!held || self.still_holds(path, bodies)) {
                        break;
                    }
                }
            }
            if out.pairs_tested as usize >= MAX_SUBSTEPS * self.pair_budget {
                // Another round could evaluate nothing, and would take the contacts for gone.
                out.starved = true;
                let round = Round {
                    from,
                    uncarried,
                    is_free: false,
                    kept,
                };
                ahead = Some(self.beyond(&round, &goal, (bodies, period_s), &mut out));
                break;
            }
        }
        self.stride = 1.1 * walked + self.distances.safe_m;
        if period_s > 0.0 {
            let went = pull_between(&self.shape, &before, &self.proxy) / period_s;
            self.velocity += (went - self.velocity) * (period_s / EXPECTED_S).min(1.0);
        }
        self.report(&mut out, tick);
        if let Some(guide) = &mut self.guide {
            guide.went(&self.proxy);
            out.insertion = guide.insertion();
        }
        let went = [&before, &self.proxy, &goal];
        self.intent
            .went(went, device, &self.shape, &gains, period_s);
        // The hand of a tool that follows by increments is at any offset.
        let drawn_to = match self.intent.interaction() {
            Interaction::Increments => self.proxy,
            _ => *device,
        };
        let base = ahead.unwrap_or(self.proxy);
        if let Some(shaded) = self.shade(&base, &drawn_to, bodies) {
            ahead = Some(shaded.felt);
            touched.or_touch(shaded.material);
            self.moved_by |= shaded.moves;
        }
        let feel = RenderContext {
            shape: &self.shape,
            gyration_m2: self.coupling.gains().gyration_m2().unwrap_or(0.0),
            safe_m: self.distances.safe_m,
            period_s,
        };
        // The hand of a tool that follows by increments coincides with the tool.
        let ahead = ahead.filter(|_| self.intent.interaction() != Interaction::Increments);
        let went = [&before, &self.proxy];
        let felt = (self.rendered).step(&feel, &drawn_to, went, ahead.as_ref());
        let centre = &self.shape.centre;
        out.wrench = (self.coupling).wrench_on(&drawn_to, &felt, centre, &touched, period_s);
        let has_mass = matches!(self.intent.interaction(), Interaction::SpringWithMass(_));
        out.spring = SpringState {
            far_end: felt,
            centre: *centre,
            energy: *self.coupling.energy(),
            held_by_movers: self.moved_by
                || has_mass
                || self.guide.is_some()
                || self.yields != Motion::zeros(),
        };
        out.proxy = self.proxy;
        out
    }

    /// Projects the pull of the coupling on the rows of the present contacts (Gauss). Returns the
    /// motion and the number of rows. If no row acts on pull or screw, the motion is the screw that
    /// leads to the goal.
    fn project(
        &mut self,
        [pull, screw]: &[Motion; 2],
        centre: &Vec3,
        (bodies, gyration_m2): (&BodyTable, f64),
        out: &mut ArmOutcome,
        touched: &mut Touched,
    ) -> (Motion, usize) {
        let planes = self.planes(centre, bodies);
        let Planes {
            rows, order, gaps, ..
        } = &planes;
        let (rigid, count) = (planes.rigid, planes.count);
        let mut rub = self.rub;
        let Some(friction_solution) = self.solve(&planes, pull, gyration_m2, &mut rub) else {
            return (Motion::zeros(), count);
        };
        self.rub = rub;
        let projection = friction_solution.projection;

        self.load_count = 0;
        touched.clear_contacts();
        let normal = projection
            .active()
            .iter()
            .map(|a| (a.row, rows[a.row].normal * a.multiplier));
        let pushes = normal
            .chain(friction_solution.grips().iter().copied())
            .enumerate();
        for (k, (row, push)) in pushes {
            if let Some(stiffness) = self.stiffness_of(order, rigid, row) {
                match k < projection.active().len() {
                    true => touched.hold(stiffness, &push, &rows[row].arm),
                    false => touched.rub(stiffness, &push, &rows[row].arm),
                }
            }
            // A soft surface gets its push from its own simulation.
            if row >= rigid {
                continue;
            }
            let c = &self.candidates[order[row] as usize];
            if let Some(load) = self.loads.get_mut(self.load_count) {
                *load = (
                    self.near[c.body_index as usize].entry.key,
                    c.body_point,
                    push,
                );
                self.load_count += 1;
            }
        }

        // Contacts that held nothing may limit how far a soft material gives way.
        for (k, row) in rows[..count].iter().enumerate() {
            if !(projection.multiplier(k) > 0.0)
                && let Some(stiffness) = self.stiffness_of(order, rigid, k)
            {
                let gap_m = row.slack(&projection.motion);
                touched.near(stiffness, &row.normal, &row.arm, gap_m);
            }
        }

        out.contact_count = 0;
        self.holding.clear();
        self.rows.clear();
        for k in 0..rigid {
            let active = projection.multiplier(k) > 0.0;
            if active {
                self.holding.push(order[k]);
            }
            let c = &self.candidates[order[k] as usize];
            let near = &self.near[c.body_index as usize];
            // Something that presses this tool need not hold it back in this tick.
            let near_enough = active || gaps[k] < self.distances.release_m;
            self.moved_by |= near_enough && !near.entry.fixed;
            if active {
                let m = near.entry.material;
                touched.touch(m.stiffness_n_per_m, m.damping_n_s_per_m);
            }
            let contact = Contact {
                point: c.body_point + c.normal * near.entry.radius_m,
                normal: c.normal,
                gap_m: gaps[k],
                body: near.entry.id,
                active,
            };
            self.rows.push(contact);
            if out.contact_count < MAX_CONTACTS && (active || gaps[k] < self.distances.release_m) {
                out.contacts[out.contact_count] = contact;
                out.contact_count += 1;
            }
        }
        self.remember_soft(count - rigid, |k| projection.multiplier(rigid + k));
        for k in rigid..count {
            self.moved_by = true;
            self.report_soft(k - rigid, projection.multiplier(k) > 0.0, out, touched);
        }
        // Decided by active rows and not by comparing motions: the projection returns its input
        // with rounding.
        let leads = |row: &Row| row.slack(screw) >= 0.0;
        let acts = !projection.active().is_empty() || !friction_solution.grips().is_empty();
        let optimal = projection.status == Status::Optimal;
        let is_free = optimal && !acts && rows[..count].iter().all(leads);
        (if is_free { *screw } else { projection.motion }, count)
    }

    /// Returns true if the contacts that held back the last projection still hold at the end of its
    /// motion, `path` long: present, at the safe distance, and facing as before. The rest of the
    /// wanted motion is then behind them, and another round would find nothing.
    ///
    /// A contact that slid off its feature may have been replaced by a neighbour in the same plane,
    /// as on every inner edge of a flat side.
    fn still_holds(&self, path: f64, bodies: &BodyTable) -> bool {
        let Some(snapshot) = self.snapshot.as_deref() else {
            return false;
        };
        let world_from_tool = Rigid::new(&self.proxy);
        let near_enough = (1.0 + SLACK) * self.distances.safe_m;
        let now = |c: &Candidate| {
            let pair = &snapshot.pairs[c.pair_index as usize];
            let near = &self.near[c.body_index as usize];
            Candidate {
                radius_m: c.radius_m,
                ..candidate(pair, &world_from_tool, near.frame())
            }
        };
        let holds = |c: &Candidate, normal: &Vec3, facing: f64| {
            let gap = c.distance_m - c.radius_m;
            c.contact && gap <= near_enough && c.normal.dot(normal) > facing
        };
        let close = |p: &Vec3, q: &Vec3| (p - q).norm_squared() <= path * path;
        self.holding.iter().all(|&i| {
            let before = &self.candidates[i as usize];
            let itself = now(before);
            let body = self.near[before.body_index as usize].entry.key;
            let facing = SAME_NORMAL_COS[usize::from(bodies.step_path(body) > 0.0)];
            holds(&itself, &before.normal, facing)
                || self.candidates.iter().any(|other| {
                    other.body_index == before.body_index
                        && close(&other.tool_point, &before.tool_point)
                        && {
                            let there = now(other);
                            holds(&there, &before.normal, SAME_PLANE_COS)
                                && close(&there.tool_point, &itself.tool_point)
                        }
                })
        })
    }

    /// Returns the earliest proven lower bound over the candidates, and the candidate that set it.
    fn first_contact(&self, screw: &Screw, path: f64, t_end: f64) -> (f64, Option<usize>) {
        let clearance_m = GUARD * self.distances.clearance_m;
        let way = ScrewPath::new(screw);
        let mut t = t_end;
        let mut stopper = None;
        for (i, c) in self.candidates.iter().enumerate() {
            let threshold = c.radius_m + clearance_m;
            // Not: `distance >= ...`, so that NaN is tested (and stops).
            if c.distance_m - path > threshold || way.least_gap(c) > threshold + ROUNDING_M {
                continue;
            }
            let at = way.advance(c.kind, &c.tool, &c.body, &c.normal, threshold, t);
            if at < t {
                t = at;
                stopper = Some(i);
            }
        }
        (t, stopper)
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
            let at = way.advance(swapped(c.kind), &c.body, &c.tool, &-c.normal, threshold, t);
            t = t.min(at);
        }
        t
    }
}
