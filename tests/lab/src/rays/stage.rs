//! The source's scenes, run once with the fullest settings and recorded, so that every variant looks at the same motions.

use std::sync::Arc;

use hapticd_dynamics::xpbd;
use hapticd_geometry::{Adjacency, MassProperties, MeshReport, Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_rays::{Scene, Settings, Shape, Topology};
use hapticd_soft::{ObjectId, SoftWorld};

use crate::experiment::Failure;
use crate::models::concave;

/// The source's step in all scenes, s.
const STEP_S: f64 = 1.0 / 60.0;
const SUBSTEPS: u32 = 4;
const DENSITY_KG_M3: f64 = 1000.0;
const FRICTION: f64 = 0.5;

pub fn failed(e: &dyn std::fmt::Display) -> Failure {
    Failure::Run(format!("the scene: {e}"))
}

/// Numbers from 0 to 1, the same every time.
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

    /// A turn, all equally likely (Shoemake 1992).
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

/// A shape with what the dynamics need of it.
pub struct Part {
    shape: Arc<Shape>,
    mass: MassProperties,
}

impl Part {
    fn new(mesh: &TriMesh) -> Result<Part, Failure> {
        let report = MeshReport::of(mesh, &Adjacency::new(mesh));
        Ok(Part {
            shape: Arc::new(Shape::new(mesh, Topology::Volume, 0).map_err(|e| failed(&e))?),
            mass: MassProperties::of(mesh, &report, DENSITY_KG_M3).map_err(|e| failed(&e))?,
        })
    }
}

/// The four concave bodies.
pub fn parts() -> Result<Vec<Part>, Failure> {
    concave::all()?.iter().map(Part::new).collect()
}

/// The detection's thresholds for bodies with these edges: what the source does not say.
pub fn rays(parts: &[Part]) -> Settings {
    let edges = parts.iter().map(|part| part.shape.mean_edge_m());
    Settings::for_edges(edges.sum::<f32>() / parts.len() as f32)
}

/// Scene S1: objects of the four shapes in turn, from a cubic lattice, fall on a plane; the plane is object 0.
pub struct Falling {
    parts: Vec<Part>,
    world: SoftWorld,
    plane: Arc<Shape>,
    ids: Vec<ObjectId>,
    numbers: Numbers,
}

const SPACING_M: f64 = 0.16;

fn plane_pose() -> Pose {
    Pose::translation(0.0, 0.0, -0.5)
}

impl Falling {
    pub fn new(side: u32, settings: Settings) -> Result<Falling, Failure> {
        let parts = parts()?;
        let mut world = SoftWorld::new(hapticd_soft::Settings {
            dynamics: xpbd::Settings {
                damping_1_s: 0.1,
                ..xpbd::Settings::default()
            },
            substeps: SUBSTEPS,
            rays: settings,
        })
        .map_err(|e| failed(&e))?;
        let plane = shapes::cuboid(&Vec3::new(20.0, 20.0, 0.5)).map_err(|e| failed(&e))?;
        let plane = Arc::new(Shape::new(&plane, Topology::Volume, 0).map_err(|e| failed(&e))?);
        (world.add_fixed(plane.clone(), &plane_pose(), FRICTION)).map_err(|e| failed(&e))?;
        let mut falling = Falling {
            parts,
            world,
            plane,
            ids: Vec::new(),
            numbers: Numbers::new(7),
        };
        for k in 0..side.pow(3) {
            let [x, y, z] = [k % side, k / side % side, k / side.pow(2)].map(f64::from);
            let half = f64::from(side - 1) / 2.0;
            falling.add(Vec3::new(x - half, y - half, z + 2.0) * SPACING_M)?;
        }
        Ok(falling)
    }

    fn add(&mut self, at: Vec3) -> Result<(), Failure> {
        let part = &self.parts[self.ids.len() % self.parts.len()];
        let pose = Pose::from_parts(at.into(), self.numbers.turn());
        let id = (self.world).add_rigid(part.shape.clone(), &part.mass, &pose, FRICTION);
        self.ids.push(id.map_err(|e| failed(&e))?);
        Ok(())
    }

    /// Where all objects are, without the plane.
    fn poses(&self) -> Vec<Pose> {
        (self.ids.iter())
            .map(|id| self.world.pose(*id).unwrap_or_default())
            .collect()
    }

    /// Runs on and notes where everything was at every step.
    pub fn record(mut self, steps: usize) -> Result<Recording, Failure> {
        let mut poses = Vec::with_capacity(steps);
        for _ in 0..steps {
            poses.push(self.poses());
            self.world.step(STEP_S).map_err(|e| failed(&e))?;
        }
        let shapes = (0..self.ids.len())
            .map(|k| self.parts[k % self.parts.len()].shape.clone())
            .collect();
        Ok(Recording {
            plane: self.plane,
            shapes,
            poses,
        })
    }
}

/// Where every object was at every step.
pub struct Recording {
    plane: Arc<Shape>,
    shapes: Vec<Arc<Shape>>,
    poses: Vec<Vec<Pose>>,
}

impl Recording {
    pub fn steps(&self) -> usize {
        self.poses.len()
    }

    /// Takes the detection through all steps: `each` is called with the scene of every step.
    pub fn replay(
        &self,
        mut each: impl FnMut(usize, &mut Scene) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut scene = Scene::new();
        (scene.add_rigid(self.plane.clone(), &plane_pose(), true)).map_err(|e| failed(&e))?;
        for (shape, pose) in self
            .shapes
            .iter()
            .zip(self.poses.first().into_iter().flatten())
        {
            (scene.add_rigid(shape.clone(), pose, false)).map_err(|e| failed(&e))?;
        }
        for (step, poses) in self.poses.iter().enumerate() {
            scene.begin_step();
            for (object, pose) in (1..).zip(poses) {
                scene.set_pose(object, pose).map_err(|e| failed(&e))?;
            }
            each(step, &mut scene)?;
        }
        Ok(())
    }
}
