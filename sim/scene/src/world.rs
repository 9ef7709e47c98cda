//! Bookkeeping of the scene: its bodies and tools, and the operations on them.

use std::sync::Arc;

use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::{MeshIndex, MidPhase, NearPair, Proximity, Winding};
use hapticd_geometry::broad::BroadWork;
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_proxy::{
    BodyKey, BodyTarget, MAX_ARMS, MAX_BODIES, MAX_SCENE_BODIES, Material, Query, ToolShape,
};

use hapticd_rigid::{BodyError, BodyId};

use crate::body::{AddError, BodyKind, BodySpec, CommandError, Shape};
use crate::broad::BroadPhaseKind;
use crate::dynamics::{Dynamics, Order};
use crate::effort::AnswerWork;
use crate::found::Found;
use crate::pushes::{BodyPush, MAX_PUSH_M_S, MAX_PUSH_RAD_S};
use crate::resident::{Resident, Tool};
use crate::work::Work;

/// Progress of adding a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adding {
    /// The body was added; its id.
    Added(u32),
    /// Its clearance is still to be tested: [`Scene::take_work`].
    Working,
}

/// A body that is to come into a slot.
pub(crate) struct Newcomer {
    pub slot: usize,
    pub spec: BodySpec,
    /// Id of the body in that slot, if it comes in its place.
    pub id: Option<u32>,
}

/// Public data of a body.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// Unique id, never reused.
    pub id: u32,
    /// Name, for people.
    pub name: String,
    /// Whether and how it may move.
    pub kind: BodyKind,
    /// Initial pose.
    pub initial: Pose,
    /// Number of triangles of its mesh.
    pub triangles: usize,
    /// Key in queries and snapshots.
    pub key: BodyKey,
}

/// The scene. See the crate page.
pub struct Scene {
    pub(crate) slots: [Option<Resident>; MAX_BODIES],
    generations: [u32; MAX_BODIES],
    pub(crate) tools: [Option<Tool>; MAX_ARMS],
    pub(crate) version: u64,
    pub(crate) sequence: u64,
    next_id: u32,
    pub(crate) proximity: Proximity,
    /// External mid-phase that finds candidate triangle pairs. Without it, or where it declines,
    /// `proximity` finds them.
    pub(crate) midphase: Option<Box<dyn MidPhase>>,
    pub(crate) intersections: Intersections,
    pub(crate) winding: Winding,
    /// Work space of an answer: the pairs of all bodies in sequence, the result for each body,
    /// distances.
    pub(crate) near: Vec<NearPair>,
    pub(crate) found: Vec<Found>,
    pub(crate) distances: Vec<f64>,
    pub(crate) spent: AnswerWork,
    pub(crate) clearance_m: f64,
    /// Present only while there is a dynamic body, or a body with a pending clearance check.
    pub(crate) dynamics: Option<Box<Dynamics>>,
    /// The body with a pending check.
    pub(crate) newcomer: Option<Newcomer>,
    order: Order,
    broad_phase: BroadPhaseKind,
    pub(crate) planar: bool,
}

impl Scene {
    /// Creates an empty scene. Its answers certify `clearance_m` (the loop's
    /// `Distances::clearance_m`) and list at most `pairs_per_body` feature pairs of one body.
    pub fn new(clearance_m: f64, pairs_per_body: usize) -> Self {
        Scene {
            slots: [const { None }; MAX_BODIES],
            generations: [0; MAX_BODIES],
            tools: [const { None }; MAX_ARMS],
            version: 1,
            sequence: 0,
            next_id: 1,
            proximity: Proximity::new(pairs_per_body.max(16)),
            midphase: None,
            intersections: Intersections::default(),
            winding: Winding::default(),
            newcomer: None,
            near: Vec::new(),
            found: Vec::with_capacity(MAX_BODIES),
            distances: Vec::new(),
            spent: AnswerWork::default(),
            clearance_m,
            dynamics: None,
            order: Order::Second {
                gravity_m_s2: Vec3::new(0.0, 0.0, -9.81),
            },
            broad_phase: BroadPhaseKind::default(),
            planar: false,
        }
    }

    /// Makes the scene planar: from now on it lies in the plane `z = 0` with its present bodies.
    /// Further bodies are refused, and targets are projected into the plane.
    pub fn set_planar(&mut self) {
        self.planar = true;
    }

    /// Sets the tool of an arm. `shape` holds the mesh (one vertex for a sphere), `tool` the loop's
    /// view of it.
    pub fn set_tool(&mut self, arm: usize, shape: Shape, tool: ToolShape) {
        if arm < MAX_ARMS {
            if let Some(midphase) = &mut self.midphase {
                midphase.prepare(&shape.index);
            }
            self.tools[arm] = Some(Tool { shape, tool });
        }
    }

    /// Sets an external mid-phase that finds candidate triangle pairs near each tool. Answers are
    /// the same with it and without, bit for bit. Prepares all present shapes, which may take long
    /// if the mid-phase does not have them yet ([`Scene::shapes`]); later shapes are prepared when
    /// they are added. Returns the previous mid-phase for the caller to drop.
    pub fn set_midphase(&mut self, mut midphase: Box<dyn MidPhase>) -> Option<Box<dyn MidPhase>> {
        for shape in self.shapes() {
            midphase.prepare(shape);
        }
        self.midphase.replace(midphase)
    }

    /// The shapes of all bodies, followed by those of the tools.
    pub fn shapes(&self) -> impl Iterator<Item = &Arc<MeshIndex>> {
        let bodies = self.slots.iter().flatten().map(|body| &body.spec.shape);
        let tools = self.tools.iter().flatten().map(|tool| &tool.shape);
        bodies.chain(tools).map(|shape| &shape.index)
    }

    /// The present bodies, by slot.
    pub fn residents(&self) -> impl Iterator<Item = (BodyKey, &BodySpec)> {
        self.bodies().map(|body| (body.key, &body.spec))
    }

    /// The tools by arm, each with the loop's view of it; `None` where there is no arm.
    pub fn tools(&self) -> [Option<(&Shape, &ToolShape)>; MAX_ARMS] {
        self.tools
            .each_ref()
            .map(|tool| tool.as_ref().map(|t| (&t.shape, &t.tool)))
    }

    /// Largest total number of triangles of a mesh tool and a mesh body; 0 if there is no such
    /// pair.
    pub fn largest_pair(&self) -> usize {
        let mesh = |shape: &Shape| Some(shape.triangles()).filter(|&n| n > 0);
        let tools = self.tools.iter().flatten();
        let tool = tools.filter_map(|tool| mesh(&tool.shape)).max();
        let body = (self.bodies())
            .filter_map(|body| mesh(&body.spec.shape))
            .max();
        tool.zip(body).map_or(0, |(tool, body)| tool + body)
    }

    /// Work of the last answer.
    #[must_use]
    pub fn spent(&self) -> AnswerWork {
        self.spent
    }

    /// The mid-phase set by [`Scene::set_midphase`].
    pub fn midphase(&self) -> Option<&dyn MidPhase> {
        self.midphase.as_deref()
    }

    /// Sets what forces do to dynamic bodies. Takes effect with the first of them. The default is
    /// second order with 9.81 m/s² along -z.
    pub fn set_order(&mut self, order: Order) {
        self.order = order;
    }

    /// Sets the broad phase between bodies. Takes effect with the first dynamic one. Does not
    /// change any answer.
    pub fn set_broad_phase(&mut self, kind: BroadPhaseKind) {
        self.broad_phase = kind;
    }

    /// The kind set by [`Scene::set_broad_phase`].
    pub fn broad_phase(&self) -> BroadPhaseKind {
        self.broad_phase
    }

    /// Work of the broad phase so far; `None` while there is no dynamic body, since it is not used
    /// then. Reads counters only.
    pub fn broad_work(&self) -> Option<BroadWork> {
        self.dynamics().map(Dynamics::broad_work)
    }

    /// Adds a body; it becomes solid to each tool as soon as that tool is proven clear of it. In a
    /// scene with dynamic bodies, this also waits for the test that it is clear of them;
    /// [`Scene::begin_add`] does not.
    ///
    /// # Errors
    /// [`AddError`]; nothing changes then.
    pub fn add_body(&mut self, spec: BodySpec) -> Result<u32, AddError> {
        match self.begin_add(spec)? {
            Adding::Added(id) => Ok(id),
            Adding::Working => match self.take_work() {
                Some(mut work) => {
                    work.run();
                    self.finish(*work).unwrap_or(Err(AddError::Busy))
                }
                None => Err(AddError::Busy),
            },
        }
    }

    /// Begins to add a body; the remaining work is left to [`Scene::take_work`]. `O(bodies)` for
    /// any mesh.
    ///
    /// # Errors
    /// [`AddError`]; nothing changes then.
    pub fn begin_add(&mut self, spec: BodySpec) -> Result<Adding, AddError> {
        let newcomer = self.vacancy(spec)?;
        if self.dynamics.is_none() && newcomer.spec.kind != BodyKind::Dynamic {
            return self.enter(newcomer).map(Adding::Added);
        }
        self.make_dynamics(&newcomer.spec)?;
        if let Some(dynamics) = &mut self.dynamics {
            dynamics.check(&newcomer.spec, None);
        }
        self.newcomer = Some(newcomer);
        Ok(Adding::Working)
    }

    /// Adds a body that a scene in the same state has already accepted: for replays.
    ///
    /// # Errors
    /// [`AddError`]; nothing changes then.
    pub fn add_accepted(&mut self, spec: BodySpec) -> Result<u32, AddError> {
        let newcomer = self.vacancy(spec)?;
        if newcomer.spec.kind == BodyKind::Dynamic {
            self.make_dynamics(&newcomer.spec)?;
        }
        self.enter(newcomer)
    }

    /// Takes the pending work of the dynamics, to be run when there is time and returned to
    /// [`Scene::finish`].
    pub fn take_work(&mut self) -> Option<Box<Work>> {
        self.dynamics.as_mut().and_then(|d| d.take_work())
    }

    /// Whether such work is pending or taken. Until it is finished, no body is added or removed or
    /// changes its material.
    pub fn is_working(&self) -> bool {
        self.dynamics.as_ref().is_some_and(|d| d.is_working())
    }

    /// Accepts work that has been run. Returns the outcome for the body being added or placed, if
    /// the work concerned one.
    pub fn finish(&mut self, work: Work) -> Option<Result<u32, AddError>> {
        let result = self.dynamics.as_mut()?.finish(work)?;
        let newcomer = self.newcomer.take()?;
        Some(match result {
            Ok(()) => self.enter(newcomer),
            Err(why) => Err(self.refused(&newcomer.spec, why)),
        })
    }

    /// Removes a body and returns it: dropping it may free a large mesh.
    ///
    /// # Errors
    /// [`CommandError`].
    pub fn take_body(&mut self, id: u32) -> Result<BodySpec, CommandError> {
        let slot = self.slot_of(id)?;
        if self.is_working() {
            return Err(CommandError::Busy(id));
        }
        let Some(body) = self.slots[slot].take() else {
            return Err(CommandError::NoSuchBody(id));
        };
        self.version += 1;
        if let Some(dynamics) = &mut self.dynamics {
            dynamics.remove(slot);
        }
        Ok(body.spec)
    }

    /// Removes a body.
    ///
    /// # Errors
    /// [`CommandError`].
    pub fn remove_body(&mut self, id: u32) -> Result<(), CommandError> {
        self.take_body(id).map(drop)
    }

    /// Returns a new body with its slot, if everything but its clearance from other bodies is
    /// valid.
    fn vacancy(&self, spec: BodySpec) -> Result<Newcomer, AddError> {
        if self.planar {
            return Err(AddError::Planar(spec.name.clone()));
        }
        if self.is_working() {
            return Err(AddError::Busy);
        }
        if self.bodies().any(|b| b.spec.name == spec.name) {
            return Err(AddError::NameTaken(spec.name.clone()));
        }
        if !finite(&spec.world_from_body) {
            return Err(AddError::BadPose(spec.name.clone()));
        }
        check_material(&spec.name, &spec.material)?;
        if spec.solid && !spec.shape.closed {
            return Err(AddError::OpenSolid {
                detail: format!("{} triangles", spec.shape.triangles()),
                name: spec.name.clone(),
            });
        }
        let free = self.slots[..MAX_SCENE_BODIES]
            .iter()
            .position(Option::is_none);
        let slot = free.ok_or(AddError::Full)?;
        let id = None;
        Ok(Newcomer { slot, spec, id })
    }

    /// Enters a body that is known to be clear, under a key that no body had. Returns its id.
    pub(crate) fn enter(&mut self, newcomer: Newcomer) -> Result<u32, AddError> {
        let Newcomer { slot, spec, id } = newcomer;
        if let Some(dynamics) = &mut self.dynamics {
            dynamics.start(&self.slots);
            if let Err(why) = dynamics.insert(slot, &spec, &spec.world_from_body) {
                return Err(self.refused(&spec, why));
            }
        }
        if let Some(midphase) = &mut self.midphase {
            midphase.prepare(&spec.shape.index);
        }
        self.generations[slot] += 1;
        let id = id.unwrap_or(self.next_id);
        self.next_id = self.next_id.max(id + 1);
        self.version += 1;
        self.slots[slot] = Some(Resident {
            key: BodyKey {
                slot: slot as u8,
                generation: self.generations[slot],
            },
            id,
            pose: spec.world_from_body,
            spec,
            target: None,
        });
        Ok(id)
    }

    /// Creates the dynamics with the first dynamic body and enters all present bodies.
    fn make_dynamics(&mut self, first: &BodySpec) -> Result<(), AddError> {
        if self.dynamics.is_some() {
            return Ok(());
        }
        let refused = |why| AddError::Dynamics {
            name: first.name.clone(),
            why,
            other: None,
        };
        let mut dynamics = Box::new(Dynamics::new(self.order, self.broad_phase).map_err(refused)?);
        for body in self.slots.iter().flatten() {
            // Present bodies may overlap: only dynamic bodies are kept apart.
            dynamics
                .insert(body.key.slot as usize, &body.spec, &body.pose)
                .map_err(refused)?;
        }
        self.dynamics = Some(dynamics);
        Ok(())
    }

    /// Converts a refusal by the dynamics to an error. If the body was to be their first, the
    /// dynamics are dropped.
    fn refused(&mut self, spec: &BodySpec, why: BodyError) -> AddError {
        let other = match &why {
            BodyError::Overlap(overlap) => self.name_in_dynamics(overlap.other),
            BodyError::InTheWay(other) => self.name_in_dynamics(*other),
            _ => None,
        };
        if self.dynamics().is_none() {
            self.dynamics = None;
        }
        AddError::Dynamics {
            name: spec.name.clone(),
            why,
            other,
        }
    }

    /// Name of a body with this id in the dynamics.
    fn name_in_dynamics(&self, id: BodyId) -> Option<String> {
        let slot = self.dynamics.as_deref()?.slot_of(id)?;
        self.slots[slot].as_ref().map(|body| body.spec.name.clone())
    }

    /// The dynamics, once there is a dynamic body.
    pub(crate) fn dynamics(&self) -> Option<&Dynamics> {
        self.dynamics.as_deref().filter(|d| d.is_running())
    }

    /// Updates the dynamics from the loop's report, once per query and before the arms' answers,
    /// and waits for their computations. `period_s` is the loop's.
    pub fn advance(&mut self, query: &Query, period_s: f64) {
        self.begin_advance(query, period_s);
        if let Some(mut work) = self.take_work() {
            work.run();
            self.finish(*work);
        }
    }

    /// As [`Scene::advance`], but leaves the long computations to [`Scene::take_work`]. While those
    /// are taken, it only records the poses.
    pub fn begin_advance(&mut self, query: &Query, period_s: f64) {
        self.record_poses(query);
        if let Some(dynamics) = self.dynamics.as_mut().filter(|d| d.is_running()) {
            dynamics.advance(query, &self.slots, period_s);
        }
    }

    /// Records the poses of the bodies as reported by the loop.
    pub fn record_poses(&mut self, query: &Query) {
        for body in self.slots.iter_mut().flatten() {
            if let Some(pose) = query.pose_of(body.key) {
                body.pose = pose;
            }
        }
    }

    /// Sends a kinematic body towards a pose, with no point of it faster than `speed_m_s`.
    pub fn set_target(&mut self, id: u32, pose: &Pose, speed_m_s: f64) -> Result<(), CommandError> {
        let slot = self.slot_of(id)?;
        let Some(body) = self.slots[slot].as_mut() else {
            return Err(CommandError::NoSuchBody(id));
        };
        match body.spec.kind {
            BodyKind::Static => return Err(CommandError::Static(id)),
            BodyKind::Dynamic => return Err(CommandError::Dynamic(id)),
            BodyKind::Kinematic => {}
        }
        if !finite(pose) || !speed_m_s.is_finite() || speed_m_s < 0.0 {
            return Err(CommandError::BadTarget(id));
        }
        let pose = if self.planar { flat(pose) } else { *pose };
        body.target = Some(BodyTarget {
            world_from_body: pose,
            speed_m_s,
        });
        self.version += 1;
        Ok(())
    }

    /// Stops a body where it is: its client has disconnected or gone silent.
    pub fn clear_target(&mut self, id: u32) -> Result<(), CommandError> {
        let slot = self.slot_of(id)?;
        if let Some(body) = self.slots[slot].as_mut() {
            body.target = None;
        }
        self.version += 1;
        Ok(())
    }

    /// Sets the material of a body.
    pub fn set_material(&mut self, id: u32, material: &Material) -> Result<(), CommandError> {
        let slot = self.slot_of(id)?;
        if self.is_working() {
            return Err(CommandError::Busy(id));
        }
        if check_material("", material).is_err() {
            return Err(CommandError::BadTarget(id));
        }
        if let Some(body) = self.slots[slot].as_mut() {
            body.spec.material = *material;
            if let Some(dynamics) = &mut self.dynamics {
                dynamics.set_friction(slot, material.friction, body.spec.restitution);
            }
        }
        self.version += 1;
        Ok(())
    }

    /// Gives a dynamic body an impulse or a velocity. It takes effect with the next
    /// trajectory that is planned, and exactly once. A sleeping body wakes.
    ///
    /// # Errors
    /// [`CommandError`]; nothing changes then.
    pub fn push_body(&mut self, id: u32, push: &BodyPush) -> Result<(), CommandError> {
        let slot = self.slot_of(id)?;
        if self.is_working() {
            return Err(CommandError::Busy(id));
        }
        let body = self.slots[slot].as_ref();
        let body = body.ok_or(CommandError::NoSuchBody(id))?;
        let dynamics = self.dynamics.as_mut().filter(|d| d.is_running());
        let Some(dynamics) = dynamics.filter(|_| body.spec.kind == BodyKind::Dynamic) else {
            return Err(CommandError::NotDynamic(id));
        };
        if !dynamics.is_second_order() {
            return Err(CommandError::FirstOrder(id));
        }
        let pushed = dynamics.push(slot, &body.pose, push);
        pushed.map_err(|why| CommandError::TooFast {
            body: id,
            what: match why.angular {
                false => "the velocity (m/s)",
                true => "the angular velocity (rad/s)",
            },
            value: why.value,
            limit: match why.angular {
                false => MAX_PUSH_M_S,
                true => MAX_PUSH_RAD_S,
            },
        })
    }

    /// Data of all bodies, by slot.
    pub fn infos(&self) -> impl Iterator<Item = BodyInfo> + '_ {
        self.bodies().map(|b| BodyInfo {
            id: b.id,
            name: b.spec.name.clone(),
            kind: b.spec.kind,
            initial: b.spec.world_from_body,
            triangles: b.spec.shape.triangles(),
            key: b.key,
        })
    }

    /// The description of the body with that id.
    pub fn spec(&self, id: u32) -> Option<&BodySpec> {
        self.bodies().find(|b| b.id == id).map(|b| &b.spec)
    }

    pub(crate) fn bodies(&self) -> impl Iterator<Item = &Resident> {
        self.slots.iter().flatten()
    }

    pub(crate) fn slot_of(&self, id: u32) -> Result<usize, CommandError> {
        self.slots
            .iter()
            .position(|s| s.as_ref().is_some_and(|b| b.id == id))
            .ok_or(CommandError::NoSuchBody(id))
    }
}

/// Projects a pose into the plane `z = 0`: the origin's x and y, and the turn of its x axis about
/// z.
fn flat(pose: &Pose) -> Pose {
    let (x, at) = (pose.rotation * Vec3::x(), pose.translation.vector);
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), x.y.atan2(x.x));
    Pose::from_parts(Vec3::new(at.x, at.y, 0.0).into(), turn)
}

pub(crate) fn finite(pose: &Pose) -> bool {
    pose.translation.vector.iter().all(|x| x.is_finite())
        && pose.rotation.coords.iter().all(|x| x.is_finite())
}

fn check_material(name: &str, material: &Material) -> Result<(), AddError> {
    for (what, value) in [
        ("stiffness_n_per_m", material.stiffness_n_per_m),
        ("damping_n_s_per_m", material.damping_n_s_per_m),
        ("friction", material.friction),
    ] {
        if !(value.is_finite() && value >= 0.0) {
            return Err(AddError::BadMaterial {
                name: name.to_owned(),
                what,
                value,
            });
        }
    }
    Ok(())
}
