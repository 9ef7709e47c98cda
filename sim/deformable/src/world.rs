//! The world: objects known to both the detection and the dynamics, and a step through both.

use std::sync::Arc;

use hapticd_geometry::{MassProperties, Pose, Quat, TriMesh, Vec3};
use hapticd_rays::{
    Detector, DetectorError, Progress, RayScene, SceneError, Shape, ShapeError, Topology, Tracer,
};
use hapticd_xpbd::{self, BodyId, BodyKind, ClothMaterial, DeformableId, SoftMaterial};

use crate::contacts::Contacts;
use crate::continuous::{Continuous, ContinuousReport, Watch};
use crate::crossings::Crossings;
use crate::mover::{Mover, View, pose_of, state_of};

/// Settings of the whole world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Settings of the dynamics.
    pub dynamics: hapticd_xpbd::Settings,
    /// Number of substeps in a step, at least 1.
    pub substeps: u32,
    /// Settings of the detection.
    pub rays: hapticd_rays::Settings,
}

/// Identifies an object, numbered from 0 in order of addition; the same number as in the
/// [`RayScene`] and in its contacts. Numbers of removed objects are reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u32);

/// Why an object was refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AddError {
    /// Its mesh is invalid.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Its pose is invalid, or the scene is full.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Its mass or motion is invalid.
    #[error(transparent)]
    Body(#[from] hapticd_xpbd::BodyError),
    /// Its cloth is invalid.
    #[error(transparent)]
    Cloth(#[from] hapticd_xpbd::ClothError),
    /// Its soft solid is invalid.
    #[error(transparent)]
    Soft(#[from] hapticd_xpbd::SoftError),
    /// The coefficient of friction is negative or not finite.
    #[error("friction {0} is out of range")]
    Friction(f64),
    /// Only rigid bodies can be driven, pulled and placed.
    #[error("object {0} is not a moving rigid body")]
    NotRigid(u32),
    /// Only rigid objects can be removed.
    #[error("object {0} is not rigid")]
    Stays(u32),
}

/// Why a step was not made; nothing has moved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The dynamics refused it.
    #[error(transparent)]
    Dynamics(#[from] hapticd_xpbd::StepError),
    /// The detection failed without a fallback: see [`hapticd_rays::Watched`].
    #[error(transparent)]
    Detector(#[from] DetectorError),
}

/// Statistics of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Report of the detection, for the step whose contacts these are.
    pub rays: hapticd_rays::Report,
    /// Progress of the detector, including the number of that step.
    pub progress: Progress,
    /// Report of the dynamics.
    pub dynamics: hapticd_xpbd::StepReport,
    /// Contacts passed to the dynamics, predictions included. A pair of rigid objects has at most
    /// four touching ones and eight predictions.
    pub contacts: usize,
    /// Report of continuous detection.
    pub continuous: ContinuousReport,
    /// Objects outside the range of the detection: they continue to move, and touch nothing.
    pub lost: usize,
}

/// Soft bodies and the objects that they meet. See the crate documentation.
#[derive(Debug)]
pub struct DeformableWorld {
    settings: Settings,
    pub(crate) scene: RayScene,
    detector: Box<dyn Detector>,
    pub(crate) dynamics: hapticd_xpbd::XpbdWorld,
    pub(crate) movers: Vec<Mover>,
    friction: Vec<f64>,
    /// For each object, whether it is a ghost.
    pub(crate) ghosts: Vec<bool>,
    contacts: Contacts,
    watch: Watch,
    report: Report,
}

impl DeformableWorld {
    /// Creates an empty world, with the CPU as detector.
    ///
    /// # Errors
    /// [`hapticd_xpbd::SettingsError`].
    pub fn new(settings: Settings) -> Result<DeformableWorld, hapticd_xpbd::SettingsError> {
        Ok(DeformableWorld {
            settings,
            scene: RayScene::new(),
            detector: Box::new(Tracer::new(settings.rays)),
            dynamics: hapticd_xpbd::XpbdWorld::new(settings.dynamics)?,
            movers: Vec::new(),
            friction: Vec::new(),
            ghosts: Vec::new(),
            contacts: Contacts::default(),
            watch: Watch::default(),
            report: Report::default(),
        })
    }

    /// Sets the detector from the next step on, with the settings of this world, and returns the
    /// previous one.
    ///
    /// Its answers may be some steps old: predictions ([`hapticd_rays::Settings::prediction_m`])
    /// should reach as far as objects move in that time.
    ///
    /// # Errors
    /// [`DetectorError::Unsupported`] if it does not support the settings; the old one then stays.
    pub fn set_detector(
        &mut self,
        mut detector: Box<dyn Detector>,
    ) -> Result<Box<dyn Detector>, DetectorError> {
        detector.set_settings(self.settings.rays)?;
        Ok(std::mem::replace(&mut self.detector, detector))
    }

    /// The detector, with its last answer.
    #[must_use]
    pub fn detector(&self) -> &dyn Detector {
        &*self.detector
    }

    /// The detector, for maintenance between steps.
    pub fn detector_mut(&mut self) -> &mut dyn Detector {
        &mut *self.detector
    }

    /// Adds an object that never moves.
    ///
    /// # Errors
    /// [`AddError`].
    pub fn add_fixed(
        &mut self,
        shape: Arc<Shape>,
        pose: &Pose,
        friction: f64,
    ) -> Result<ObjectId, AddError> {
        check(friction)?;
        let id = self.scene.add_rigid(shape, pose, true)?;
        Ok(self.join(id, Mover::Fixed, friction))
    }

    /// Adds a rigid body at rest. `mass`: mass properties of the mesh that the shape was made from,
    /// in its frame.
    ///
    /// # Errors
    /// [`AddError`].
    pub fn add_rigid(
        &mut self,
        shape: Arc<Shape>,
        mass: &MassProperties,
        world_from_mesh: &Pose,
        friction: f64,
    ) -> Result<ObjectId, AddError> {
        check(friction)?;
        let (mesh_from_body, moments) = principal(mass);
        let state = state_of(&(world_from_mesh * mesh_from_body));
        let kind = BodyKind::Dynamic {
            mass_kg: mass.mass,
            inertia_kg_m2: moments,
        };
        // If one half refuses it, the other must not have it.
        self.scene.check_capacity(&shape, world_from_mesh)?;
        let body = self.dynamics.add_body(&kind, &state)?;
        let id = self.scene.add_rigid(shape, world_from_mesh, false)?;
        let mover = Mover::Body {
            body,
            body_from_mesh: mesh_from_body.inverse(),
        };
        Ok(self.join(id, mover, friction))
    }

    /// Adds a cloth, at rest where the mesh is, in the world.
    ///
    /// # Errors
    /// [`AddError`].
    pub fn add_cloth(
        &mut self,
        mesh: &TriMesh,
        material: &ClothMaterial,
        points_per_cluster: usize,
        friction: f64,
    ) -> Result<ObjectId, AddError> {
        check(friction)?;
        let sheet = Topology::Sheet {
            half_thickness_m: material.half_thickness_m,
        };
        let shape = Shape::new(mesh, sheet, points_per_cluster)?;
        let deformable = (self.dynamics).add_cloth(mesh.positions(), mesh.triangles(), material)?;
        Ok(self.join_deformable(Arc::new(shape), deformable, friction))
    }

    /// Adds a soft solid, at rest where the mesh is, in the world. `cells`: number of boxes of
    /// tetrahedra along its longest side.
    ///
    /// # Errors
    /// [`AddError`].
    pub fn add_soft(
        &mut self,
        mesh: &TriMesh,
        cells: u32,
        material: &SoftMaterial,
        points_per_cluster: usize,
        friction: f64,
    ) -> Result<ObjectId, AddError> {
        check(friction)?;
        let shape = Shape::new(mesh, Topology::Volume, points_per_cluster)?;
        let deformable =
            (self.dynamics).add_soft(mesh.positions(), mesh.triangles(), cells, material)?;
        Ok(self.join_deformable(Arc::new(shape), deformable, friction))
    }

    fn join_deformable(
        &mut self,
        shape: Arc<Shape>,
        deformable: DeformableId,
        friction: f64,
    ) -> ObjectId {
        let id = self.scene.add_deformable(shape);
        self.join(id, Mover::Deformable(deformable), friction)
    }

    pub(crate) fn join(&mut self, id: u32, mover: Mover, friction: f64) -> ObjectId {
        let (at, count) = (id as usize, self.scene.len());
        self.movers.truncate(count);
        self.friction.truncate(count);
        self.ghosts.truncate(count);
        if at == self.movers.len() {
            self.movers.push(mover);
            self.friction.push(friction);
            self.ghosts.push(false);
        } else {
            (self.movers[at], self.friction[at], self.ghosts[at]) = (mover, friction, false);
        }
        ObjectId(id)
    }

    /// Removes a rigid object, between two steps. Objects that it carried fall; objects that it
    /// pushed are pushed no more. All others keep their numbers.
    ///
    /// # Errors
    /// [`AddError::Stays`] if it is not a rigid object.
    pub fn remove(&mut self, id: ObjectId) -> Result<(), AddError> {
        match self.movers.get(id.0 as usize) {
            Some(Mover::Fixed) => {}
            Some(Mover::Body { body, .. }) => self.dynamics.remove_body(*body)?,
            Some(Mover::Gone | Mover::Deformable(_)) | None => {
                return Err(AddError::Stays(id.0));
            }
        }
        self.scene.remove(id.0)?;
        self.movers[id.0 as usize] = Mover::Gone;
        Ok(())
    }

    /// Sets whether the dynamics get contacts only, as in Lehericey's solver, and no predictions. A
    /// resting body then falls freely in every second step. For comparison.
    pub fn set_contacts_only(&mut self, only: bool) {
        self.contacts.only = only;
    }

    /// Finds the contacts at the present positions, and advances everything by `dt_s` under them.
    ///
    /// # Errors
    /// [`StepError`]; nothing has moved then.
    pub fn step(&mut self, dt_s: f64) -> Result<&Report, StepError> {
        self.detect()?;
        let view = View {
            scene: &self.scene,
            movers: &self.movers,
            friction: &self.friction,
            ghosts: &self.ghosts,
        };
        let detector = &*self.detector;
        self.contacts.convert(detector, &view, &self.dynamics, dt_s);
        self.watch.begin(&view, &self.dynamics, dt_s);
        loop {
            let list = self.contacts.with(self.watch.contacts());
            self.report.contacts = list.len();
            self.report.dynamics = self.dynamics.step(dt_s, self.settings.substeps, list)?;
            if !self.watch.again(&view, &mut self.dynamics) {
                break;
            }
        }
        self.report.continuous = self.watch.report();
        Ok(&self.report)
    }

    /// Sets the treatment of surfaces that go through each other between two steps, from the next
    /// step on; off by default.
    pub fn set_continuous(&mut self, mode: Continuous) {
        self.watch.mode = mode;
    }

    /// Result of continuous detection in the last step; empty if it is off. Surfaces are objects,
    /// in order of their numbers, without free numbers.
    #[must_use]
    pub fn crossings(&self) -> &Crossings {
        self.watch.crossings()
    }

    /// Submits the present positions to the detector and takes the contacts that have arrived: the
    /// first half of [`DeformableWorld::step`].
    fn detect(&mut self) -> Result<(), DetectorError> {
        self.scene.begin_step();
        self.report.lost = 0;
        for (id, mover) in (0..).zip(&self.movers) {
            let placed = match mover {
                Mover::Gone | Mover::Fixed => Ok(()),
                Mover::Body {
                    body,
                    body_from_mesh,
                } => match self.dynamics.body(*body) {
                    Some(state) => self.scene.set_pose(id, &(pose_of(state) * body_from_mesh)),
                    None => Ok(()),
                },
                Mover::Deformable(deformable) => match self.dynamics.surface(*deformable) {
                    Some(points) => self.scene.set_points(id, points),
                    None => Ok(()),
                },
            };
            self.report.lost += usize::from(placed.is_err());
        }
        self.detector.submit(&mut self.scene)?;
        self.detector.poll()?;
        self.report.rays = *self.detector.report();
        self.report.progress = self.detector.progress();
        Ok(())
    }

    /// The detection's scene: shapes and records.
    #[must_use]
    pub fn scene(&self) -> &RayScene {
        &self.scene
    }

    /// The detection's scene, for a second tracer.
    pub fn scene_mut(&mut self) -> &mut RayScene {
        &mut self.scene
    }

    /// The dynamics: velocities, energies, surfaces.
    #[must_use]
    pub fn dynamics(&self) -> &hapticd_xpbd::XpbdWorld {
        &self.dynamics
    }

    /// The dynamics, for pushing and holding objects.
    pub fn dynamics_mut(&mut self) -> &mut hapticd_xpbd::XpbdWorld {
        &mut self.dynamics
    }

    /// Pose of a rigid body: its mesh's frame in the world. `None` for a fixed object or a
    /// deformable.
    #[must_use]
    pub fn pose(&self, id: ObjectId) -> Option<Pose> {
        match self.movers.get(id.0 as usize)? {
            Mover::Body {
                body,
                body_from_mesh,
            } => Some(pose_of(self.dynamics.body(*body)?) * body_from_mesh),
            _ => None,
        }
    }

    /// Id of a rigid body in the dynamics.
    #[must_use]
    pub fn body(&self, id: ObjectId) -> Option<BodyId> {
        match self.movers.get(id.0 as usize)? {
            Mover::Body { body, .. } => Some(*body),
            _ => None,
        }
    }

    /// Id of a deformable in the dynamics.
    #[must_use]
    pub fn deformable(&self, id: ObjectId) -> Option<DeformableId> {
        match self.movers.get(id.0 as usize)? {
            Mover::Deformable(deformable) => Some(*deformable),
            _ => None,
        }
    }

    /// Statistics of the last step.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }
}

pub(crate) fn check(friction: f64) -> Result<(), AddError> {
    if friction >= 0.0 && friction.is_finite() {
        Ok(())
    } else {
        Err(AddError::Friction(friction))
    }
}

/// The frame of the principal axes at the centre of mass, and the moments about them.
fn principal(mass: &MassProperties) -> (Pose, Vec3) {
    let eigen = mass.inertia.symmetric_eigen();
    let mut axes = eigen.eigenvectors;
    if axes.determinant() < 0.0 {
        axes.column_mut(2).neg_mut();
    }
    let turn = nalgebra::Rotation3::from_matrix_unchecked(axes);
    let pose = Pose::from_parts(mass.center.into(), Quat::from_rotation_matrix(&turn));
    (pose, eigen.eigenvalues)
}
