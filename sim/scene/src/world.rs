//! The scene's bookkeeping: who is there, what may be asked of it.

use std::sync::Arc;

use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::{MeshIndex, MidPhase, NearPair, Proximity, Winding};
use hapticd_geometry::broad::BroadWork;
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_proxy::{
    BodyKey, BodyTarget, MAX_ARMS, MAX_BODIES, MAX_SCENE_BODIES, Material, Query, ToolShape,
};

use hapticd_rigid::{BodyError, BodyId};

use crate::answer::Found;
use crate::body::{AddError, BodyKind, BodySpec, CommandError, Shape};
use crate::broad::BroadPhaseKind;
use crate::dynamics::{Dynamics, Order};
use crate::effort::AnswerWork;
use crate::work::Work;

pub(crate) struct Resident {
    pub key: BodyKey,
    pub id: u32,
    pub spec: BodySpec,
    pub target: Option<BodyTarget>,
    /// Where it was when it was last heard of.
    pub pose: Pose,
}

pub(crate) struct Tool {
    pub shape: Shape,
    pub tool: ToolShape,
}

/// How far the adding of a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adding {
    /// It is there.
    Added(u32),
    /// Whether it has space is to be found out: [`Scene::take_work`].
    Working,
}

/// What a client may know of a body.
#[derive(Clone, Debug)]
pub struct BodyInfo {
    /// Identity, never used twice.
    pub id: u32,
    /// For people.
    pub name: String,
    /// May it move.
    pub kind: BodyKind,
    /// Where it started.
    pub initial: Pose,
    /// Triangles of its mesh.
    pub triangles: usize,
    /// Name in queries and snapshots.
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
    /// Who may find the pairs of triangles that are near; without it, and where it declines,
    /// `proximity` does.
    pub(crate) midphase: Option<Box<dyn MidPhase>>,
    pub(crate) intersections: Intersections,
    pub(crate) winding: Winding,
    /// Work space of an answer: the bodies' pairs one after the other, what there was of each,
    /// distances.
    pub(crate) near: Vec<NearPair>,
    pub(crate) found: Vec<Found>,
    pub(crate) distances: Vec<f64>,
    pub(crate) spent: AnswerWork,
    pub(crate) clearance_m: f64,
    /// Only while there is a body that forces move, or one of which it is being found out whether
    /// it has space.
    pub(crate) dynamics: Option<Box<Dynamics>>,
    /// That one, and its place.
    newcomer: Option<(usize, BodySpec)>,
    order: Order,
    broad_phase: BroadPhaseKind,
    planar: bool,
}

impl Scene {
    /// An empty scene whose answers certify `clearance_m` (the loop's `Distances::clearance_m`) and
    /// list at most `pairs_per_body` feature pairs of one body.
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

    /// From now on the scene lies in the plane `z = 0` with the bodies that it has: others are
    /// refused, and targets count as far as they are in the plane.
    pub fn lie_flat(&mut self) {
        self.planar = true;
    }

    /// Gives an arm its tool. `shape` holds the mesh (one vertex for a sphere), `tool` the loop's
    /// view of it.
    pub fn set_tool(&mut self, arm: usize, shape: Shape, tool: ToolShape) {
        if arm < MAX_ARMS {
            if let Some(midphase) = &mut self.midphase {
                midphase.prepare(&shape.index);
            }
            self.tools[arm] = Some(Tool { shape, tool });
        }
    }

    /// Lets somebody else look for the pairs of triangles near each tool. Answers are the same with
    /// it and without, bit for bit. Gets all shapes that are there ready, which may take long where
    /// it does not have them ([`Scene::shapes`]); those that come later when they come. Gives back
    /// who did until now, for whoever is to drop it.
    pub fn set_midphase(&mut self, mut midphase: Box<dyn MidPhase>) -> Option<Box<dyn MidPhase>> {
        for shape in self.shapes() {
            midphase.prepare(shape);
        }
        self.midphase.replace(midphase)
    }

    /// The shapes of all bodies, and those of the tools behind them.
    pub fn shapes(&self) -> impl Iterator<Item = &Arc<MeshIndex>> {
        let bodies = self.slots.iter().flatten().map(|body| &body.spec.shape);
        let tools = self.tools.iter().flatten().map(|tool| &tool.shape);
        bodies.chain(tools).map(|shape| &shape.index)
    }

    /// The bodies that are there, by their slots.
    pub fn residents(&self) -> impl Iterator<Item = (BodyKey, &BodySpec)> {
        self.bodies().map(|body| (body.key, &body.spec))
    }

    /// The arms' tools by slot, each with what it is to the loop; `None` where there is no arm.
    pub fn tools(&self) -> [Option<(&Shape, &ToolShape)>; MAX_ARMS] {
        self.tools
            .each_ref()
            .map(|tool| tool.as_ref().map(|t| (&t.shape, &t.tool)))
    }

    /// Most triangles that a tool and a body, both meshes, have together; 0 without such two.
    pub fn largest_pair(&self) -> usize {
        let mesh = |shape: &Shape| Some(shape.triangles()).filter(|&n| n > 0);
        let tools = self.tools.iter().flatten();
        let tool = tools.filter_map(|tool| mesh(&tool.shape)).max();
        let body = (self.bodies())
            .filter_map(|body| mesh(&body.spec.shape))
            .max();
        tool.zip(body).map_or(0, |(tool, body)| tool + body)
    }

    /// What the last answer took.
    #[must_use]
    pub fn spent(&self) -> AnswerWork {
        self.spent
    }

    /// Who was set by [`Scene::set_midphase`].
    pub fn midphase(&self) -> Option<&dyn MidPhase> {
        self.midphase.as_deref()
    }

    /// What forces do to dynamic bodies, from the first of them on. Second order with 9.81 m/s²
    /// along -z if nothing is said.
    pub fn set_order(&mut self, order: Order) {
        self.order = order;
    }

    /// Who finds which bodies may touch each other at all, from the first dynamic one on. Changes
    /// no answer.
    pub fn set_broad_phase(&mut self, kind: BroadPhaseKind) {
        self.broad_phase = kind;
    }

    /// Who was set by [`Scene::set_broad_phase`].
    pub fn broad_phase(&self) -> BroadPhaseKind {
        self.broad_phase
    }

    /// What it has done so far; `None` while there was no dynamic body: nobody asks it then. Reads
    /// counters.
    pub fn broad_work(&self) -> Option<BroadWork> {
        self.dynamics().map(Dynamics::broad_work)
    }

    /// Adds a body; it becomes solid to each tool as soon as that tool is proven clear of it.
    /// Beside dynamic bodies that takes as long as it takes to find out whether it is clear of
    /// them; [`Scene::begin_add`] does not wait for that.
    ///
    /// # Errors
    /// [`AddError`]; nothing has changed then.
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

    /// Begins to add a body: what is left to do is [`Scene::take_work`]'s. `O(bodies)`, whatever
    /// the mesh.
    ///
    /// # Errors
    /// [`AddError`]; nothing has changed then.
    pub fn begin_add(&mut self, spec: BodySpec) -> Result<Adding, AddError> {
        let slot = self.vacancy(&spec)?;
        if self.dynamics.is_none() && spec.kind != BodyKind::Dynamic {
            return self.enter(slot, spec).map(Adding::Added);
        }
        self.make_dynamics(&spec)?;
        if let Some(dynamics) = &mut self.dynamics {
            dynamics.check(&spec);
        }
        self.newcomer = Some((slot, spec));
        Ok(Adding::Working)
    }

    /// Adds a body that was found to have space by a world in this very state: for replays.
    ///
    /// # Errors
    /// [`AddError`]; nothing has changed then.
    pub fn add_accepted(&mut self, spec: BodySpec) -> Result<u32, AddError> {
        let slot = self.vacancy(&spec)?;
        if spec.kind == BodyKind::Dynamic {
            self.make_dynamics(&spec)?;
        }
        self.enter(slot, spec)
    }

    /// What the dynamics have to compute, for whoever has the time: to be run and given to
    /// [`Scene::finish`].
    pub fn take_work(&mut self) -> Option<Box<Work>> {
        self.dynamics.as_mut().and_then(|d| d.take_work())
    }

    /// Whether there is such work, here or where it was taken to. Until it is finished no body
    /// comes or goes, or gets another surface.
    pub fn is_working(&self) -> bool {
        self.dynamics.as_ref().is_some_and(|d| d.is_working())
    }

    /// Takes work back when it has been run. What came of the body that was being added, if it was
    /// about one.
    pub fn finish(&mut self, work: Work) -> Option<Result<u32, AddError>> {
        let result = self.dynamics.as_mut()?.finish(work)?;
        let (slot, spec) = self.newcomer.take()?;
        Some(match result {
            Ok(()) => self.enter(slot, spec),
            Err(why) => Err(self.refused(&spec, why)),
        })
    }

    /// Takes a body out, and gives it back: dropping it may free a large mesh.
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

    /// Where a new body would go, if nothing but other bodies is in its way.
    fn vacancy(&self, spec: &BodySpec) -> Result<usize, AddError> {
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
        free.ok_or(AddError::Full)
    }

    /// Takes a body in that has space.
    fn enter(&mut self, slot: usize, spec: BodySpec) -> Result<u32, AddError> {
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
        let id = self.next_id;
        self.next_id += 1;
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

    /// With the first dynamic body everybody goes into the dynamics.
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
            // What is there already may be inside of each other: only dynamic bodies are kept
            // apart.
            dynamics
                .insert(body.key.slot as usize, &body.spec, &body.pose)
                .map_err(refused)?;
        }
        self.dynamics = Some(dynamics);
        Ok(())
    }

    /// The dynamics do not want a body; if it was to be their first, they are gone.
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

    /// The name of a body that the dynamics know by this number.
    fn name_in_dynamics(&self, id: BodyId) -> Option<String> {
        let slot = self.dynamics.as_deref()?.slot_of(id)?;
        self.slots[slot].as_ref().map(|body| body.spec.name.clone())
    }

    /// Once there is a dynamic body.
    pub(crate) fn dynamics(&self) -> Option<&Dynamics> {
        self.dynamics.as_deref().filter(|d| d.is_running())
    }

    /// Brings the dynamics up to date with the loop's report, once per query and before the arms'
    /// answers, and waits for what they compute. `period_s` is the loop's.
    pub fn advance(&mut self, query: &Query, period_s: f64) {
        self.begin_advance(query, period_s);
        if let Some(mut work) = self.take_work() {
            work.run();
            self.finish(*work);
        }
    }

    /// As [`Scene::advance`], but leaves what takes time to be taken: [`Scene::take_work`]. While
    /// that is away this notes the poses only.
    pub fn begin_advance(&mut self, query: &Query, period_s: f64) {
        self.note_poses(query);
        if let Some(dynamics) = self.dynamics.as_mut().filter(|d| d.is_running()) {
            dynamics.advance(query, &self.slots, period_s);
        }
    }

    /// Where the bodies are by the loop's word.
    pub fn note_poses(&mut self, query: &Query) {
        for body in self.slots.iter_mut().flatten() {
            if let Some(pose) = query.pose_of(body.key) {
                body.pose = pose;
            }
        }
    }

    /// Sends a kinematic body towards a pose, its points no faster than `speed_m_s`.
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

    /// Lets a body stop where it is: its commander is gone or fell silent.
    pub fn clear_target(&mut self, id: u32) -> Result<(), CommandError> {
        let slot = self.slot_of(id)?;
        if let Some(body) = self.slots[slot].as_mut() {
            body.target = None;
        }
        self.version += 1;
        Ok(())
    }

    /// Gives a body another surface.
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

    /// Everybody, by slot.
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

    /// The body of that id as it was specified.
    pub fn spec(&self, id: u32) -> Option<&BodySpec> {
        self.bodies().find(|b| b.id == id).map(|b| &b.spec)
    }

    /// Where a body is by the loop's word, or where it starts if the loop does not know it yet.
    pub(crate) fn pose_in(body: &Resident, query: &Query) -> Pose {
        query.pose_of(body.key).unwrap_or(body.spec.world_from_body)
    }

    pub(crate) fn bodies(&self) -> impl Iterator<Item = &Resident> {
        self.slots.iter().flatten()
    }

    fn slot_of(&self, id: u32) -> Result<usize, CommandError> {
        self.slots
            .iter()
            .position(|s| s.as_ref().is_some_and(|b| b.id == id))
            .ok_or(CommandError::NoSuchBody(id))
    }
}

/// What there is of a pose in the plane `z = 0`: where its origin is beside, and its x axis' turn
/// about z.
fn flat(pose: &Pose) -> Pose {
    let (x, at) = (pose.rotation * Vec3::x(), pose.translation.vector);
    let turn = Quat::from_axis_angle(&Vec3::z_axis(), x.y.atan2(x.x));
    Pose::from_parts(Vec3::new(at.x, at.y, 0.0).into(), turn)
}

fn finite(pose: &Pose) -> bool {
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
