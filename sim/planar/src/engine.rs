//! Engine of planar scenes: one tick of all arms and polygons as a pure function of its inputs.
//!
//! After construction nothing here allocates, locks, blocks or reads a clock. Work per tick is
//! bounded: for each tool by its event budget and [`hapticd_proxy::MAX_SUBSTEPS`] motions, for each
//! moving body by [`BODY_EVENTS`], for a structure that is rebuilt by [`BUILD_BUDGET`].
//!
//! # Order of a tick
//!
//! As in `hapticd_proxy::Engine`. Bodies plan their steps. Each tool moves while everything else
//! stands still, giving way to what pushes it. Each body steps while everything else stands still,
//! as far as it can (`blocked_bodies` lists those that could not). One mover at a time.
//!
//! # Members
//!
//! Members are the polygons of the scene, from the first answer of the collision thread that lists
//! them, and the tools that are clear of all of them. A tool that starts inside a polygon follows
//! the hand, feels nothing and stops nothing until it is clear of everything. From then on it is a
//! member until it is placed again. When the members change, or when the structure has detected a
//! fault, it is rebuilt, a part of it in each tick. Meanwhile all members stand still (`starved`).
//!
//! Unlike bodies of a solid scene, polygons also block each other: one that moves stops at others.

use hapticd_geometry::{Pose, Vec3};
use hapticd_kinetic::pseudo::{self, End, ShapeError, Shift};
use hapticd_kinetic::{Measures, PseudoTriangulation};
use hapticd_proxy::{
    ArmOutcome, ArmQuery, ArmSetup, BodyKey, BodyTable, FrameChange, Gains, MAX_ARMS, MAX_BODIES,
    MAX_SCENE_BODIES, Material, Passed, Query, Snapshot, TickInput, TickOutput, is_pose, tool_id,
    tool_slot,
};

use crate::contacts::Features;
use crate::polygon::{Point, check_convex, distance, grown, perturbed};
use crate::proxy::{BACK, PlanarProxy, TickContext, go_back, max_share, turned, unwound, yaw};

/// Most vertices of all polygons and tools of a scene together.
pub const MAX_VERTICES: usize = 512;
/// Most events of one body's step.
pub const BODY_EVENTS: u32 = 256;
/// Interval in ticks at which the certificates of one body are counted, each body in turn.
const COUNT_EVERY: u64 = 16;
/// Most comparisons of edges per tick for a structure that is rebuilt.
pub const BUILD_BUDGET: u32 = 20_000;
/// Largest displacement of the structure's vertices from the true ones, in clearances. Drawn
/// outlines often lie on lattices, which are not in general position.
const PERTURBATION: f64 = 0.01;
/// Growth of a tool in the structure, in clearances: one, plus the displacement of vertices, plus
/// the deviation of a motion from its screw.
const GROWN: f64 = 1.25;

/// Content of a planar scene.
#[derive(Clone, Debug, Default)]
pub struct PlanarScene {
    /// Identities and outlines of the bodies, each in its body frame, counter-clockwise.
    pub bodies: Vec<(u32, Vec<Point>)>,
    /// Outlines of the tools, each in its tool frame, counter-clockwise, convex.
    pub tools: [Option<Vec<Point>>; MAX_ARMS],
}

/// Reason why a scene is refused; due to the caller's input.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// There are too many vertices.
    #[error(
        "the scene's polygons and tools have {count} vertices together; at most {MAX_VERTICES} fit"
    )]
    TooMany {
        /// Number of vertices.
        count: usize,
    },
    /// An outline is invalid, or a tool is not convex.
    #[error(transparent)]
    Polygon(#[from] crate::polygon::PolygonError),
    /// The structure refuses an outline.
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// All arms and polygons of a planar scene. See the module page.
pub struct PlanarEngine {
    arms: [Option<Box<PlanarProxy>>; MAX_ARMS],
    last_device: [Option<Pose>; MAX_ARMS],
    bodies: BodyTable,
    structure: PseudoTriangulation,
    /// Outlines as the structure has them: bodies, then tools.
    outlines: Vec<Vec<Point>>,
    /// Identity, key in the body table and material of each body of the structure.
    ids: Vec<u32>,
    keys: Vec<Option<BodyKey>>,
    materials: Vec<Material>,
    /// True for each body of the structure that is a member.
    members: Vec<bool>,
    /// For each arm, the bodies that its tool overlaps while it is not a member, one bit per slot.
    inside: [u64; MAX_ARMS],
    /// Positions of the members when the structure was begun.
    places: Vec<Option<(Point, f64)>>,
    /// True if the structure has to be started again.
    stale: bool,
    clearance_m: f64,
    tick: u64,
    output: TickOutput,
    /// Buffers for comparing outlines.
    scratch: [Vec<Point>; 2],
    faults: u64,
    builds: u64,
}

const SMOOTH: Material = Material {
    stiffness_n_per_m: f64::INFINITY,
    damping_n_s_per_m: f64::INFINITY,
    friction: 0.0,
    force_shading: false,
};

impl PlanarEngine {
    /// Creates an engine for these arms in this scene. Allocates everything that it will ever need.
    ///
    /// # Errors
    ///
    /// See [`SceneError`].
    pub fn new(
        setups: &[Option<ArmSetup>; MAX_ARMS],
        scene: &PlanarScene,
    ) -> Result<Self, SceneError> {
        let clearance_m = setups
            .iter()
            .flatten()
            .map(|s| s.distances.clearance_m)
            .fold(0.0, f64::max);
        let mut outlines = Vec::new();
        let mut ids = Vec::new();
        for (id, outline) in &scene.bodies {
            outlines.push(perturbed(
                outline,
                PERTURBATION * clearance_m,
                u64::from(*id),
            ));
            ids.push(*id);
        }
        let mut arms = [const { None }; MAX_ARMS];
        for (i, setup) in setups.iter().enumerate() {
            let (Some(setup), Some(outline)) = (setup, &scene.tools[i]) else {
                continue;
            };
            check_convex(outline)?;
            let c = setup.shape.centre;
            let about: Vec<Point> = outline.iter().map(|p| [p[0] - c.x, p[1] - c.y]).collect();
            let grown = grown(&about, GROWN * setup.distances.clearance_m);
            arms[i] = Some(Box::new(PlanarProxy::new(setup, outlines.len() as u32)));
            outlines.push(perturbed(
                &grown,
                PERTURBATION * clearance_m,
                u64::from(tool_id(i)),
            ));
            ids.push(tool_id(i));
        }
        let count: usize = outlines.iter().map(Vec::len).sum();
        if count > MAX_VERTICES {
            return Err(SceneError::TooMany { count });
        }
        let bodies = outlines
            .iter()
            .map(|o| pseudo::PolygonBody::wall(o.clone()))
            .collect();
        let most = outlines.iter().map(Vec::len).max().unwrap_or(0);
        let n = outlines.len();
        Ok(PlanarEngine {
            arms,
            last_device: [None; MAX_ARMS],
            bodies: BodyTable::new(),
            structure: PseudoTriangulation::for_steps(bodies)?,
            outlines,
            ids,
            keys: vec![None; n],
            materials: vec![SMOOTH; n],
            members: vec![false; n],
            inside: [0; MAX_ARMS],
            places: vec![None; n],
            stale: true,
            clearance_m,
            tick: 0,
            output: TickOutput {
                tick: 0,
                arms: std::array::from_fn(|_| ArmOutcome::absent()),
                blocked_bodies: 0,
            },
            scratch: [Vec::with_capacity(most), Vec::with_capacity(most)],
            faults: 0,
            builds: 0,
        })
    }

    /// Sets an arm's gains, from the next tick on.
    pub fn set_gains(&mut self, arm: usize, gains: Gains) {
        if let Some(a) = self.arms.get_mut(arm).and_then(Option::as_mut) {
            a.coupling.set_gains(gains);
        }
    }

    /// Carries what an arm's coupling remembers of the last tick along with the arm's frame, which
    /// moves before the next one.
    pub fn carry(&mut self, arm: usize, change: &FrameChange) {
        if let Some(a) = self.arms.get_mut(arm).and_then(Option::as_mut) {
            a.coupling.carry(change);
        }
    }

    /// Sets how much of an arm's last wrench the safety governor let through.
    pub fn set_passed(&mut self, arm: usize, passed: Passed) {
        if let Some(a) = self.arms.get_mut(arm).and_then(Option::as_mut) {
            a.coupling.set_passed(passed);
        }
    }

    /// Returns the gains of an arm.
    #[must_use]
    pub fn gains(&self, arm: usize) -> Option<Gains> {
        self.arms.get(arm)?.as_ref().map(|a| a.coupling.gains())
    }

    /// Takes the list of bodies and their targets from a snapshot, and returns the buffer. The
    /// snapshot's pairs are not used.
    pub fn receive(&mut self, snapshot: Box<Snapshot>) -> Option<Box<Snapshot>> {
        self.bodies.follow(&snapshot);
        for entry in &snapshot.bodies {
            if let Some(b) = self.ids.iter().position(|id| *id == entry.id) {
                self.materials[b] = entry.material;
            }
        }
        Some(snapshot)
    }

    /// Removes a body: from the next tick on it stops nothing.
    pub fn forget(&mut self, id: u32) {
        self.bodies.forget(id);
    }

    /// Runs one tick. See the module page.
    pub fn tick(&mut self, input: &TickInput) -> &TickOutput {
        self.tick += 1;
        self.output.tick = self.tick;
        self.output.blocked_bodies = 0;
        self.bodies.plan(input.period_s);
        let mut devices = [None; MAX_ARMS];
        for i in 0..MAX_ARMS {
            devices[i] = self.arrive(i, input);
        }
        self.choose_members();
        let whole = self.make();
        for i in 0..MAX_ARMS {
            self.output.arms[i] = match (self.arms[i].as_deref_mut(), &devices[i]) {
                (Some(arm), Some(device)) => {
                    if !self.members[arm.index as usize] {
                        arm.float(device, input.period_s)
                    } else if !whole || self.stale {
                        arm.hold(device, input.period_s)
                    } else {
                        let mut around = TickContext {
                            structure: &mut self.structure,
                            bodies: &self.bodies,
                            keys: &self.keys,
                            ids: &self.ids,
                            materials: &self.materials,
                            tick: self.tick,
                            period_s: input.period_s,
                        };
                        let (out, sound) = arm.tick(device, &mut around);
                        if sound.is_err() {
                            self.faults += 1;
                            self.stale = true;
                        }
                        out
                    }
                }
                _ => ArmOutcome::absent(),
            };
        }
        self.move_bodies(whole);
        for i in 0..MAX_ARMS {
            let solid = self.solid_to(i);
            self.output.arms[i].solid = solid;
            self.output.arms[i].inside = self.inside[i];
        }
        if self.tick.is_multiple_of(COUNT_EVERY) && !self.outlines.is_empty() {
            let turn = self.tick / COUNT_EVERY % self.outlines.len() as u64;
            self.structure.count_certificates(turn as u32);
        }
        &self.output
    }

    /// Returns the device pose of an arm in this tick, and places its tool if it is new.
    fn arrive(&mut self, i: usize, input: &TickInput) -> Option<Pose> {
        let arm = self.arms[i].as_deref_mut()?;
        let anchor = input.anchor & (1 << i) != 0;
        // An invalid pose counts as no news: the hand is taken to be where it was.
        let held = self.last_device[i].filter(|_| !anchor);
        let device = input.devices[i].and_then(|p| if is_pose(&p) { Some(p) } else { held });
        self.last_device[i] = device;
        let Some(device) = device else {
            if arm.present {
                arm.detach();
            }
            return None;
        };
        if !arm.present || anchor {
            arm.anchor(&device);
            self.members[arm.index as usize] = false;
            self.stale = true;
        }
        Some(device)
    }

    /// Chooses the members from this tick on.
    fn choose_members(&mut self) {
        let scene = self.outlines.len() - self.arms.iter().flatten().count();
        for b in 0..scene {
            let id = self.ids[b];
            self.keys[b] = self
                .bodies
                .of_scene()
                .find(|body| body.id == id)
                .map(|body| body.key);
            let is = self.keys[b].is_some();
            self.stale |= self.members[b] != is;
            self.members[b] = is;
        }
        for i in 0..MAX_ARMS {
            let Some(arm) = self.arms[i].as_deref() else {
                continue;
            };
            let (index, present) = (arm.index as usize, arm.present);
            self.inside[i] = 0;
            let is = present && (self.members[index] || self.is_clear(i));
            self.stale |= self.members[index] != is;
            self.members[index] = is;
        }
    }

    /// Returns true if an arm's tool is clear of all members, by comparing all edges, and there is
    /// a body at all. Notes what it overlaps.
    fn is_clear(&mut self, i: usize) -> bool {
        let Some(arm) = self.arms[i].as_deref() else {
            return false;
        };
        let index = arm.index as usize;
        let [mut own, mut other] = std::mem::take(&mut self.scratch);
        put(&self.outlines[index], (arm.at, arm.angle), &mut own);
        let mut clear = self.bodies.of_scene().next().is_some();
        for b in (0..self.outlines.len()).filter(|b| *b != index && self.members[*b]) {
            if let Some(place) = self.place_of(b) {
                put(&self.outlines[b], place, &mut other);
                let apart = distance(&own, &other) > PERTURBATION * self.clearance_m;
                clear &= apart;
                if let Some(slot) = self.slot_in_table(b).filter(|_| !apart) {
                    self.inside[i] |= 1 << slot;
                }
            }
        }
        self.scratch = [own, other];
        clear
    }

    /// Returns the slot in the body table of a body of the structure, or of a tool.
    fn slot_in_table(&self, b: usize) -> Option<usize> {
        let is_it =
            |arm: &Option<Box<PlanarProxy>>| arm.as_deref().is_some_and(|a| a.index as usize == b);
        let tool = self.arms.iter().position(is_it).map(tool_slot);
        tool.or_else(|| Some(usize::from(self.keys[b]?.slot)))
    }

    /// Returns centre and angle of a member of the structure.
    fn place_of(&self, b: usize) -> Option<(Point, f64)> {
        if let Some(arm) = self
            .arms
            .iter()
            .flatten()
            .find(|arm| arm.index as usize == b)
        {
            return Some((arm.at, arm.angle));
        }
        let body = self.bodies.get(self.keys[b]?)?;
        let t = body.pose.translation.vector;
        Some(([t.x, t.y], yaw(&body.pose, 0.0)))
    }

    /// Continues a rebuild of the structure, if there is one. Returns true if the structure is
    /// usable.
    fn make(&mut self) -> bool {
        if self.stale {
            for b in 0..self.outlines.len() {
                self.places[b] = if self.members[b] {
                    self.place_of(b)
                } else {
                    None
                };
            }
            self.structure
                .begin(|b| self.places.get(b as usize).copied().flatten());
            self.stale = false;
            self.builds += 1;
        }
        match self.structure.build_on(BUILD_BUDGET) {
            Ok(whole) => whole,
            Err(_) => {
                self.faults += 1;
                self.stale = true;
                false
            }
        }
    }

    /// Moves every body that wants a step as far as it may, one after the other.
    fn move_bodies(&mut self, whole: bool) {
        for slot in 0..MAX_SCENE_BODIES {
            let Some((key, screw, _)) = self.bodies.step(slot) else {
                continue;
            };
            let Some(b) = self.keys.iter().position(|k| *k == Some(key)) else {
                continue;
            };
            let (Some(body), Some((from, angle))) =
                (self.bodies.get(key), self.structure.placed(b as u32))
            else {
                continue;
            };
            let before = body.pose;
            if !whole || self.stale {
                self.bodies.place(slot, &before, 0.0);
                self.output.blocked_bodies |= 1 << slot;
                continue;
            }
            let there = screw.pose_at(&before, 1.0);
            let t = there.translation.vector;
            let turn = unwound(yaw(&there, angle), angle) - angle;
            let by = [t.x - from[0], t.y - from[1]];
            let length = by[0].hypot(by[1]);
            let part = max_share(length, turn, 0.1 * self.clearance_m);
            let shift = Shift {
                body: b as u32,
                by: by.map(|x| x * part),
                turn: turn * part,
            };
            let share = self.step(b, &shift, part * (length + turn.abs() * self.bound_of(b)));
            let (at, turned_by) = match self.structure.placed(b as u32) {
                Some(placed) if !self.stale => placed,
                _ => (from, angle),
            };
            let pose = Pose::from_parts(
                Vec3::new(at[0], at[1], before.translation.z).into(),
                turned(turned_by),
            );
            if share < 1.0 {
                self.output.blocked_bodies |= 1 << slot;
            }
            self.bodies.place(
                slot,
                if share > 0.0 { &pose } else { &before },
                part * share,
            );
        }
    }

    /// Returns the share of a body's shift that was made; 0 if the structure detected a fault.
    fn step(&mut self, b: usize, shift: &Shift, path: f64) -> f64 {
        let mut go = || {
            let went = self.structure.go(&[*shift], BODY_EVENTS)?;
            let mut share = went.share;
            if let End::Contact(contact) = went.end {
                let back = (BACK * self.clearance_m / path).min(share);
                go_back(&mut self.structure, shift, back)?;
                share -= back;
                for arm in self.arms.iter_mut().flatten() {
                    let features = Features::of(&contact);
                    if features.other(arm.index) == Some(b as u32) {
                        arm.memory.note(features, self.tick);
                    }
                }
            }
            Ok::<f64, hapticd_kinetic::Inconsistent>(share)
        };
        match go() {
            Ok(share) => share,
            Err(_) => {
                self.faults += 1;
                self.stale = true;
                0.0
            }
        }
    }

    fn bound_of(&self, b: usize) -> f64 {
        self.outlines[b]
            .iter()
            .map(|p| p[0].hypot(p[1]))
            .fold(0.0, f64::max)
    }

    /// Returns the bodies that are solid to an arm's tool, one bit per slot.
    fn solid_to(&self, i: usize) -> u64 {
        let takes_part = |arm: &PlanarProxy| arm.present && self.members[arm.index as usize];
        let Some(arm) = self.arms[i].as_deref().filter(|a| takes_part(a)) else {
            return 0;
        };
        let mut bits = 0;
        for (b, key) in self.keys.iter().enumerate() {
            if let Some(key) = key.filter(|_| self.members[b]) {
                bits |= 1 << key.slot;
            }
        }
        for (j, other) in self.arms.iter().enumerate() {
            if other
                .as_deref()
                .is_some_and(|o| o.index != arm.index && takes_part(o))
            {
                bits |= 1 << tool_slot(j);
            }
        }
        bits
    }

    /// Returns the query to the collision thread after a tick: the present poses. The answer holds
    /// the targets of bodies that move.
    #[must_use]
    pub fn query(&self) -> Query {
        let mut q = Query {
            tick: self.tick,
            ..Query::default()
        };
        for (i, arm) in self.arms.iter().enumerate() {
            if let Some(arm) = arm {
                q.arms[i] = ArmQuery {
                    present: arm.present,
                    epoch: arm.epoch,
                    world_from_tool: arm.proxy(),
                    ahead: Pose::identity(),
                    world_from_goal: arm.goal,
                    stiffness_n_per_m: arm.coupling.stiffness_n_per_m(),
                    stiffness_nm_per_rad: 0.0,
                    reach_m: arm.setup.reach_min_m,
                    solid: self.output.arms[i].solid,
                };
            }
        }
        q.body_count = self.bodies.write_poses(&mut q.bodies);
        q.followed = self.bodies.followed();
        q
    }

    /// Returns the table of bodies at their present poses.
    #[must_use]
    pub fn table(&self) -> &BodyTable {
        &self.bodies
    }

    /// Returns the last tick's output.
    #[must_use]
    pub fn output(&self) -> &TickOutput {
        &self.output
    }

    /// Returns the number of faults that the structure detected, and the number of times that it
    /// was started.
    #[must_use]
    pub fn rebuilds(&self) -> [u64; 2] {
        [self.faults, self.builds]
    }

    /// Returns the cost of the structure so far. The certificates of each body are counted in turn,
    /// one body in every sixteen ticks.
    #[must_use]
    pub fn measures(&self) -> Measures {
        use hapticd_kinetic::Kinetic;
        self.structure.stats().measures()
    }

    /// For tests: makes the structure detect a fault in its next step.
    #[doc(hidden)]
    pub fn spoil(&mut self) {
        self.structure.spoil();
    }

    /// For tests: checks the structure against the positions, from scratch. Allocates.
    ///
    /// # Errors
    ///
    /// The inconsistency that was found.
    pub fn audit(&self) -> Result<(), hapticd_kinetic::Inconsistent> {
        use hapticd_kinetic::Kinetic;
        if self.structure.is_whole() {
            self.structure.audit(self.structure.now())
        } else {
            Ok(())
        }
    }
}

/// Writes an outline at a position and angle.
fn put(outline: &[Point], (at, angle): (Point, f64), to: &mut Vec<Point>) {
    let (sin, cos) = angle.sin_cos();
    to.clear();
    to.extend(outline.iter().map(|p| {
        [
            at[0] + cos * p[0] - sin * p[1],
            at[1] + sin * p[0] + cos * p[1],
        ]
    }));
}

const _: () = assert!(MAX_BODIES <= 64, "bodies are bits");
