//! The scene's bookkeeping: who is there, what may be asked of it.

use std::sync::Arc;

use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::{MeshIndex, MidPhase, NearPair, Proximity};
use hapticd_geometry::broad::BroadWork;
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_haptics::{
    BodyKey, BodyTarget, MAX_ARMS, MAX_BODIES, MAX_SCENE_BODIES, Material, Query, ToolShape,
};

use crate::answer::Found;
use crate::body::{AddError, BodyKind, BodySpec, CommandError, Shape};
use crate::broad::BroadPhaseKind;
use crate::dynamics::{Dynamics, Order};
use crate::inside::piece_points;

pub(crate) struct Resident {
    pub key: BodyKey,
    pub id: u32,
    pub spec: BodySpec,
    pub target: Option<BodyTarget>,
    /// Where it was when it was last heard of.
    pub pose: Pose,
    /// One point of each piece.
    pub pieces: Vec<Vec3>,
}

pub(crate) struct Tool {
    pub shape: Shape,
    pub tool: ToolShape,
    /// One point of each piece.
    pub pieces: Vec<Vec3>,
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
pub struct World {
    pub(crate) slots: [Option<Resident>; MAX_BODIES],
    generations: [u32; MAX_BODIES],
    pub(crate) tools: [Option<Tool>; MAX_ARMS],
    pub(crate) version: u64,
    pub(crate) sequence: u64,
    next_id: u32,
    pub(crate) proximity: Proximity,
    /// Who may find the pairs of triangles that are near; without it, and where it declines, `proximity` does.
    pub(crate) midphase: Option<Box<dyn MidPhase>>,
    pub(crate) intersections: Intersections,
    /// Work space of an answer: the bodies' pairs one after the other, what there was of each, distances.
    pub(crate) near: Vec<NearPair>,
    pub(crate) found: Vec<Found>,
    pub(crate) distances: Vec<f64>,
    pub(crate) clearance_m: f64,
    /// Only while there is a body that forces move.
    pub(crate) dynamics: Option<Box<Dynamics>>,
    order: Order,
    broad_phase: BroadPhaseKind,
    planar: bool,
}

impl World {
    /// An empty scene whose answers certify `clearance_m` (the loop's `Distances::clearance_m`) and list at most
    /// `pairs_per_body` feature pairs of one body.
    pub fn new(clearance_m: f64, pairs_per_body: usize) -> Self {
        World {
            slots: [const { None }; MAX_BODIES],
            generations: [0; MAX_BODIES],
            tools: [const { None }; MAX_ARMS],
            version: 1,
            sequence: 0,
            next_id: 1,
            proximity: Proximity::new(pairs_per_body.max(16)),
            midphase: None,
            intersections: Intersections::default(),
            near: Vec::new(),
            found: Vec::with_capacity(MAX_BODIES),
            distances: Vec::new(),
            clearance_m,
            dynamics: None,
            order: Order::Second {
                gravity_m_s2: Vec3::new(0.0, 0.0, -9.81),
            },
            broad_phase: BroadPhaseKind::default(),
            planar: false,
        }
    }

    /// From now on the scene lies in the plane `z = 0` with the bodies that it has: others are refused, and targets count as far as they are in the plane.
    pub fn lie_flat(&mut self) {
        self.planar = true;
    }

    /// Gives an arm its tool. `shape` holds the mesh (one vertex for a sphere), `tool` the loop's view of it.
    pub fn set_tool(&mut self, arm: usize, shape: Shape, tool: ToolShape) {
        if arm < MAX_ARMS {
            if let Some(midphase) = &mut self.midphase {
                midphase.prepare(&shape.index);
            }
            let pieces = piece_points(&shape.index);
            self.tools[arm] = Some(Tool {
                shape,
                tool,
                pieces,
            });
        }
    }

    /// Lets somebody else look for the pairs of triangles near each tool. Answers are the same with it and without, bit for bit. Gets all
    /// shapes that are there ready, which may take long where it does not have them ([`World::shapes`]); those that come later when they come.
    /// Gives back who did until now, for whoever is to drop it.
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

    /// Who was set by [`World::set_midphase`].
    pub fn midphase(&self) -> Option<&dyn MidPhase> {
        self.midphase.as_deref()
    }

    /// What forces do to dynamic bodies, from the first of them on. Second order with 9.81 m/s² along -z if nothing is said.
    pub fn set_order(&mut self, order: Order) {
        self.order = order;
    }

    /// Who finds which bodies may touch each other at all, from the first dynamic one on. Changes no answer.
    pub fn set_broad_phase(&mut self, kind: BroadPhaseKind) {
        self.broad_phase = kind;
    }

    /// Who was set by [`World::set_broad_phase`].
    pub fn broad_phase(&self) -> BroadPhaseKind {
        self.broad_phase
    }

    /// What it has done so far; `None` while there was no dynamic body: nobody asks it then. Reads counters.
    pub fn broad_work(&self) -> Option<BroadWork> {
        self.dynamics.as_ref().map(|d| d.broad_work())
    }

    /// Adds a body; it becomes solid to each tool as soon as that tool is proven clear of it.
    pub fn add_body(&mut self, spec: BodySpec) -> Result<u32, AddError> {
        if self.planar {
            return Err(AddError::Planar(spec.name));
        }
        if self.bodies().any(|b| b.spec.name == spec.name) {
            return Err(AddError::NameTaken(spec.name));
        }
        if !finite(&spec.world_from_body) {
            return Err(AddError::BadPose(spec.name));
        }
        check_material(&spec.name, &spec.material)?;
        if spec.solid && !spec.shape.closed {
            return Err(AddError::OpenSolid {
                detail: format!("{} triangles", spec.shape.triangles()),
                name: spec.name,
            });
        }
        let free = self.slots[..MAX_SCENE_BODIES]
            .iter()
            .position(Option::is_none);
        let Some(slot) = free else {
            return Err(AddError::Full);
        };
        self.join_dynamics(slot, &spec)?;
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
            pieces: piece_points(&spec.shape.index),
            pose: spec.world_from_body,
            spec,
            target: None,
        });
        Ok(id)
    }

    /// Removes a body.
    pub fn remove_body(&mut self, id: u32) -> Result<(), CommandError> {
        let slot = self.slot_of(id)?;
        self.slots[slot] = None;
        self.version += 1;
        if let Some(dynamics) = &mut self.dynamics {
            dynamics.remove(slot);
        }
        Ok(())
    }

    /// Takes a new body, and with the first dynamic one everybody, into the dynamics.
    fn join_dynamics(&mut self, slot: usize, spec: &BodySpec) -> Result<(), AddError> {
        let refused = |why| AddError::Dynamics {
            name: spec.name.clone(),
            why,
        };
        if let Some(dynamics) = &mut self.dynamics {
            return dynamics
                .add(slot, spec, &spec.world_from_body)
                .map_err(refused);
        }
        if spec.kind != BodyKind::Dynamic {
            return Ok(());
        }
        let mut dynamics = Box::new(Dynamics::new(self.order, self.broad_phase).map_err(refused)?);
        for body in self.slots.iter().flatten() {
            dynamics
                .add(body.key.slot as usize, &body.spec, &body.pose)
                .map_err(refused)?;
        }
        dynamics
            .add(slot, spec, &spec.world_from_body)
            .map_err(refused)?;
        self.dynamics = Some(dynamics);
        Ok(())
    }

    /// Brings the dynamics up to date with the loop's report; once per query, before the arms' answers. `period_s` is the loop's.
    pub fn advance(&mut self, query: &Query, period_s: f64) {
        for body in self.slots.iter_mut().flatten() {
            if let Some(pose) = query.pose_of(body.key) {
                body.pose = pose;
            }
        }
        if let Some(dynamics) = &mut self.dynamics {
            dynamics.advance(query, &self.slots, period_s);
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

/// What there is of a pose in the plane `z = 0`: where its origin is beside, and its x axis' turn about z.
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
