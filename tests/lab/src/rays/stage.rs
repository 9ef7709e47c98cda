//! Simulation of the source's scenes: a world with objects, live or recorded, so that every variant
//! sees the same motions.

use std::collections::VecDeque;
use std::sync::Arc;

use hapticd_deformable::world::{DeformableWorld, ObjectId};
use hapticd_geometry::{Adjacency, MassProperties, MeshReport, Pose, Quat, TriMesh, Vec3};
use hapticd_rays::{RayScene, Settings, Shape, Topology};
use hapticd_xpbd::{self as xpbd, ClothMaterial};

use crate::experiment::Failure;

/// Step of the source in all scenes, s.
pub const STEP_S: f64 = 1.0 / 60.0;
const DENSITY_KG_M3: f64 = 1000.0;
pub const FRICTION: f64 = 0.5;

pub fn failed(e: &dyn std::fmt::Display) -> Failure {
    Failure::Run(format!("the scene: {e}"))
}

/// Random numbers from 0 to 1, the same in every run.
pub struct Numbers(u64);

impl Numbers {
    pub fn new(seed: u64) -> Self {
        Numbers(seed)
    }

    pub fn next(&mut self) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a number from `-half` to `half`.
    pub fn about(&mut self, half: f64) -> f64 {
        half * (2.0 * self.next() - 1.0)
    }

    /// Returns a uniformly distributed rotation (Shoemake 1992).
    pub fn turn(&mut self) -> Quat {
        let tau = std::f64::consts::TAU;
        let (u, a, b) = (self.next(), tau * self.next(), tau * self.next());
        let (r, s) = ((1.0 - u).sqrt(), u.sqrt());
        Quat::from_quaternion(nalgebra::Quaternion::new(
            s * b.cos(),
            r * a.sin(),
            r * a.cos(),
            s * b.sin(),
        ))
    }
}

/// A solid with the properties that the dynamics need.
#[derive(Clone)]
pub struct Part {
    pub shape: Arc<Shape>,
    pub mass: MassProperties,
}

impl Part {
    pub fn new(mesh: &TriMesh, points_per_cluster: usize) -> Result<Part, Failure> {
        let report = MeshReport::of(mesh, &Adjacency::new(mesh));
        Ok(Part {
            shape: solid(mesh, points_per_cluster)?,
            mass: MassProperties::of(mesh, &report, DENSITY_KG_M3).map_err(|e| failed(&e))?,
        })
    }
}

/// Makes a solid that never moves.
pub fn solid(mesh: &TriMesh, points_per_cluster: usize) -> Result<Arc<Shape>, Failure> {
    let shape = Shape::new(mesh, Topology::Volume, points_per_cluster);
    Ok(Arc::new(shape.map_err(|e| failed(&e))?))
}

/// Kind of motion of an object.
#[derive(Clone, Copy)]
enum Kind {
    Fixed(Pose),
    Rigid,
    Deformable,
}

/// An object of a stage.
#[derive(Clone)]
struct Actor {
    shape: Arc<Shape>,
    kind: Kind,
    /// Step in which it appears.
    since: usize,
}

/// A running scene.
pub struct Stage {
    world: DeformableWorld,
    actors: Vec<Actor>,
    ids: Vec<ObjectId>,
    /// Objects that appear later, by step.
    later: VecDeque<(usize, Part, Pose)>,
    done: usize,
}

impl Stage {
    /// Makes an empty stage; `substeps` is that of the dynamics.
    pub fn new(rays: Settings, substeps: u32, damping_1_s: f64) -> Result<Stage, Failure> {
        let world = DeformableWorld::new(hapticd_deformable::world::Settings {
            dynamics: xpbd::Settings {
                damping_1_s,
                ..xpbd::Settings::default()
            },
            substeps,
            rays,
        });
        Ok(Stage {
            world: world.map_err(|e| failed(&e))?,
            actors: Vec::new(),
            ids: Vec::new(),
            later: VecDeque::new(),
            done: 0,
        })
    }

    fn join(&mut self, id: ObjectId, kind: Kind) {
        let shape = self.world.scene().shape(id.0).clone();
        self.actors.push(Actor {
            shape,
            kind,
            since: self.done,
        });
        self.ids.push(id);
    }

    pub fn add_fixed(&mut self, shape: Arc<Shape>, pose: &Pose) -> Result<(), Failure> {
        let id = self.world.add_fixed(shape, pose, FRICTION);
        self.join(id.map_err(|e| failed(&e))?, Kind::Fixed(*pose));
        Ok(())
    }

    pub fn add_rigid(&mut self, part: &Part, pose: &Pose) -> Result<(), Failure> {
        let id = (self.world).add_rigid(part.shape.clone(), &part.mass, pose, FRICTION);
        self.join(id.map_err(|e| failed(&e))?, Kind::Rigid);
        Ok(())
    }

    /// Adds a rigid body that appears at step `step`; call it in order of the steps.
    pub fn add_later(&mut self, step: usize, part: &Part, pose: &Pose) {
        self.later.push_back((step, part.clone(), *pose));
    }

    pub fn add_cloth(
        &mut self,
        mesh: &TriMesh,
        material: &ClothMaterial,
        points_per_cluster: usize,
    ) -> Result<(), Failure> {
        let id = (self.world).add_cloth(mesh, material, points_per_cluster, FRICTION);
        self.join(id.map_err(|e| failed(&e))?, Kind::Deformable);
        Ok(())
    }

    /// Adds the objects that are due.
    fn let_in(&mut self) -> Result<(), Failure> {
        while self.later.front().is_some_and(|next| next.0 <= self.done) {
            if let Some((_, part, pose)) = self.later.pop_front() {
                self.add_rigid(&part, &pose)?;
            }
        }
        Ok(())
    }

    /// Detects and moves. Afterwards the world's scene is still in the state that the detection
    /// saw.
    pub fn step(&mut self) -> Result<(), Failure> {
        self.let_in()?;
        self.world.step(STEP_S).map_err(|e| failed(&e))?;
        self.done += 1;
        Ok(())
    }

    /// Returns the settings of the detection.
    pub fn settings(&self) -> Settings {
        *self.world.detector().settings()
    }

    pub fn world(&self) -> &DeformableWorld {
        &self.world
    }

    pub fn world_mut(&mut self) -> &mut DeformableWorld {
        &mut self.world
    }

    /// Returns the points of every deformable, in order of addition.
    pub fn surfaces(&self) -> impl Iterator<Item = &[Vec3]> {
        (self.ids.iter())
            .filter_map(|id| self.world.dynamics().surface(self.world.deformable(*id)?))
    }

    /// Gives all points of a deformable, selected by its number in order of addition, a velocity,
    /// m/s.
    pub fn throw(&mut self, deformable: usize, velocity: Vec3) -> Result<(), Failure> {
        let mut ids = (self.ids.iter()).filter_map(|id| self.world.deformable(*id));
        let Some(id) = ids.nth(deformable) else {
            return Ok(());
        };
        drop(ids);
        let dynamics = self.world.dynamics_mut();
        for vertex in 0.. {
            let Some(particle) = dynamics.particle_of(id, vertex) else {
                break;
            };
            let at = dynamics.surface(id).map(|points| points[vertex as usize]);
            let put = dynamics.set_particle(particle, at.unwrap_or_default(), velocity);
            put.map_err(|e| failed(&e))?;
        }
        Ok(())
    }

    fn frame(&self) -> Frame {
        let mut frame = Frame::default();
        for (id, actor) in self.ids.iter().zip(&self.actors) {
            match actor.kind {
                Kind::Fixed(_) => {}
                Kind::Rigid => frame.poses.push(self.world.pose(*id).unwrap_or_default()),
                Kind::Deformable => {
                    let deformable = self.world.deformable(*id);
                    let points = deformable.and_then(|d| self.world.dynamics().surface(d));
                    let points = points.unwrap_or_default().iter();
                    frame
                        .points
                        .push(points.map(|p| p.map(|x| x as f32).into()).collect());
                }
            }
        }
        frame
    }

    /// Runs `steps` steps and records the positions of everything at each.
    pub fn record(mut self, steps: usize) -> Result<Recording, Failure> {
        let mut frames = Vec::with_capacity(steps);
        for _ in 0..steps {
            self.let_in()?;
            frames.push(self.frame());
            self.step()?;
        }
        Ok(Recording {
            actors: self.actors,
            frames,
        })
    }
}

/// Positions of everything that moves at one step, in order of addition; as the detection sees
/// them.
#[derive(Default)]
struct Frame {
    poses: Vec<Pose>,
    points: Vec<Vec<[f32; 3]>>,
}

/// Positions of everything at every step.
pub struct Recording {
    actors: Vec<Actor>,
    frames: Vec<Frame>,
}

impl Recording {
    pub fn steps(&self) -> usize {
        self.frames.len()
    }

    /// Returns the shapes of all objects, with clusters of another size.
    pub fn shapes(&self, points_per_cluster: usize) -> Result<Vec<Arc<Shape>>, Failure> {
        let again = |actor: &Actor| {
            let shape = &actor.shape;
            let points = shape.points().iter().map(|p| p.cast()).collect();
            let triangles = shape.triangles().to_vec();
            let mesh = TriMesh::new(points, triangles).map_err(|e| failed(&e))?;
            let again = Shape::new(&mesh, shape.topology(), points_per_cluster);
            Ok(Arc::new(again.map_err(|e| failed(&e))?))
        };
        self.actors.iter().map(again).collect()
    }

    /// Runs the detection through all steps: `each` is called with the scene of every step.
    pub fn replay(
        &self,
        each: impl FnMut(usize, &mut RayScene) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let shapes: Vec<_> = self.actors.iter().map(|a| a.shape.clone()).collect();
        self.replay_with(&shapes, each)
    }

    /// The same, with other shapes of the same points, for example with other clusters.
    pub fn replay_with(
        &self,
        shapes: &[Arc<Shape>],
        mut each: impl FnMut(usize, &mut RayScene) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut scene = RayScene::new();
        let mut points: Vec<Vec3> = Vec::new();
        for (step, frame) in self.frames.iter().enumerate() {
            scene.begin_step();
            let (mut poses, mut surfaces) = (frame.poses.iter(), frame.points.iter());
            for (object, (actor, shape)) in (0..).zip(self.actors.iter().zip(shapes)) {
                if actor.since > step {
                    break;
                }
                let fresh = object == scene.len() as u32;
                match actor.kind {
                    Kind::Fixed(pose) => {
                        if fresh {
                            (scene.add_rigid(shape.clone(), &pose, true))
                                .map_err(|e| failed(&e))?;
                        }
                    }
                    Kind::Rigid => {
                        let Some(pose) = poses.next() else { break };
                        if fresh {
                            (scene.add_rigid(shape.clone(), pose, false))
                                .map_err(|e| failed(&e))?;
                        }
                        scene.set_pose(object, pose).map_err(|e| failed(&e))?;
                    }
                    Kind::Deformable => {
                        let Some(surface) = surfaces.next() else {
                            break;
                        };
                        if fresh {
                            scene.add_deformable(shape.clone());
                        }
                        points.clear();
                        points.extend(surface.iter().map(|p| Vec3::from(p.map(f64::from))));
                        scene.set_points(object, &points).map_err(|e| failed(&e))?;
                    }
                }
            }
            each(step, &mut scene)?;
        }
        Ok(())
    }
}
