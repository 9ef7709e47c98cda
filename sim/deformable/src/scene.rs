//! The scene: bodies, tools, and a step for a query.

use crate::Continuous;
use crate::world::{DeformableWorld, Report, Settings};
use hapticd_geometry::TriMesh;
use hapticd_particles::NeighbourSearch;
use hapticd_proxy::{BodyKey, DeformableSnapshot, Finder, MAX_ARMS, Material, Query};
use hapticd_rays::{Detector, DetectorError, Refused};
use hapticd_xpbd as xpbd;

use super::implicit::{ImplicitBodies, ImplicitSpec};
use super::resident::Resident;
use super::rigid::{Rigid, touches_soft};
use super::settings::DeformableSettings;
use super::spec::{DeformableAddError, DeformableKind, DeformableSpec, MAX_BODIES};
use super::tool::Tool;
use super::tracked::Tracking;
use crate::skins::{SkinSpec, SkinStates};
use hapticd_scene::BodySpec;
use hapticd_scene::Scene;

/// Shortest prediction distance, m: the motion of a hand at 1 m/s until the answer after the next.
const MIN_PREDICTION_M: f32 = 0.004;
/// Rate at which soft bodies lose velocity to the air, 1/s.
const AIR_1_S: f64 = 0.5;

/// Description of a soft body for clients.
#[derive(Clone, Debug)]
pub struct DeformableInfo {
    /// Identity of the body.
    pub id: u32,
    /// Name for people. Bodies of a crowd append a space and a number to the name of their spec; no
    /// configured name has this form.
    pub name: String,
    /// Name of the spec that it was made from.
    pub spec: String,
    /// Kind of the body.
    pub kind: DeformableKind,
    /// Number of points of its surface.
    pub points: usize,
    /// Triangles of its surface, as indices into the points of [`DeformableScene::surfaces`].
    pub triangles: Vec<[u32; 3]>,
}

/// Soft solids, cloth, crowds and implicit bodies among the rigid bodies and the tools of a scene,
/// stepped by queries: the same queries give the same surfaces, bit for bit.
///
/// For the thread of the deformables: uses rayon's threads, takes some milliseconds a step,
/// allocates while its scratch memory grows. World frame, SI units. The bodies of the rigid scene
/// push all deformables and are not pushed back. A tool that is placed inside one is not felt until
/// it has been outside all of them.
#[derive(Debug)]
pub struct DeformableScene {
    settings: DeformableSettings,
    pub(super) world: DeformableWorld,
    pub(super) bodies: Vec<Resident>,
    pub(super) tools: [Option<Tool>; MAX_ARMS],
    rigid: Vec<Rigid>,
    tracking: Tracking,
    implicit: ImplicitBodies,
    /// Tick of the last step's query.
    last_tick: u64,
    sequence: u64,
    lost_ticks: u64,
    refused: u64,
    crossings: u64,
    report: Report,
}

impl DeformableScene {
    /// Creates the deformables among the rigid bodies and tools of `rigid`.
    ///
    /// # Errors
    /// [`DeformableAddError`]: the first fault.
    pub fn new(
        settings: DeformableSettings,
        specs: &[DeformableSpec],
        implicit: &[ImplicitSpec],
        rigid: &Scene,
    ) -> Result<DeformableScene, DeformableAddError> {
        let step_s = settings.step_ticks as f64 * settings.period_s;
        let edges = specs.iter().map(|spec| mean_edge_m(&spec.mesh));
        let edge_m = edges.fold(f32::INFINITY, f32::min).clamp(1e-4, 0.1);
        let rays = hapticd_rays::Settings::for_edges(edge_m);
        let mut world = DeformableWorld::new(Settings {
            dynamics: xpbd::Settings {
                gravity_m_s2: settings.gravity_m_s2,
                damping_1_s: AIR_1_S,
                ..xpbd::Settings::default()
            },
            substeps: settings.substeps,
            rays: hapticd_rays::Settings {
                prediction_m: rays.prediction_m.max(MIN_PREDICTION_M),
                self_volumes: false,
                ..rays
            },
        })?;
        (world.scene_mut()).set_broad_phase(hapticd_scene::broad_phase(settings.broad_phase));
        let count = specs.iter().map(DeformableSpec::count).sum::<usize>() + implicit.len();
        if count > MAX_BODIES {
            return Err(DeformableAddError::TooMany { count });
        }
        let mut bodies = Vec::with_capacity(count);
        for spec in specs {
            bodies.extend(Resident::add(&mut world, spec)?);
        }
        let mut met = Vec::new();
        for (key, spec) in rigid.residents() {
            met.extend(Rigid::add(&mut world, key, spec)?);
        }
        let mut tools = [const { None }; MAX_ARMS];
        for (arm, (slot, tool)) in tools.iter_mut().zip(rigid.tools()).enumerate() {
            let Some((shape, seen)) = tool else { continue };
            let mesh = shape.index.mesh().filter(|_| seen.radius_m == 0.0);
            let mesh = mesh.map(|mesh| &**mesh);
            *slot = Some(Tool::add(&mut world, arm, seen, mesh, step_s)?);
        }
        Ok(DeformableScene {
            settings,
            world,
            bodies,
            tools,
            rigid: met,
            tracking: Tracking::default(),
            implicit: ImplicitBodies::new(&settings, implicit, rigid)?,
            last_tick: 0,
            sequence: 0,
            lost_ticks: 0,
            refused: 0,
            crossings: 0,
            report: Report::default(),
        })
    }

    /// Lets liquids come to rest, before the first step, among the rigid bodies at their initial
    /// poses. A liquid that still falls after some tenths of a second of its own time starts as it
    /// was added. Takes no time of the scene. Deterministic, with a bounded number of steps.
    pub fn settle(&mut self) {
        let step_s = self.settings.step_ticks as f64 * self.settings.period_s;
        self.implicit.settle(step_s);
    }

    /// Steps to the time of a query, if a step is due; returns whether one was made. A query more
    /// than two steps after the last loses time: the excess is not simulated.
    pub fn step(&mut self, query: &Query) -> bool {
        let elapsed = query.tick.saturating_sub(self.last_tick);
        if elapsed < self.settings.step_ticks {
            return false;
        }
        let ticks = elapsed.min(2 * self.settings.step_ticks);
        self.lost_ticks += if self.last_tick > 0 {
            elapsed - ticks
        } else {
            0
        };
        self.last_tick = query.tick;
        let dt_s = ticks as f64 * self.settings.period_s;
        for body in &self.rigid {
            let refused = body.follow(&mut self.world, query, dt_s).is_err();
            self.refused += u64::from(refused);
        }
        for (tool, asked) in self.tools.iter_mut().zip(&query.arms) {
            if let Some(tool) = tool {
                self.refused += u64::from(tool.follow(&mut self.world, asked, dt_s).is_err());
            }
        }
        // Without soft bodies there is nothing to detect.
        if !self.bodies.is_empty() {
            match self.world.step(dt_s) {
                Ok(report) => {
                    self.report = *report;
                    self.crossings += u64::from(report.continuous.crossings);
                }
                Err(_) => self.refused += 1,
            }
        }
        for body in &mut self.bodies {
            body.follow(&self.world);
        }
        self.refused += self.implicit.step(query, dt_s);
        for tool in self.tools.iter_mut().flatten() {
            let touches = touches_soft(&self.world, tool.object, &self.bodies);
            tool.clear(&mut self.world, touches);
        }
        for body in &mut self.rigid {
            body.clear(&mut self.world, &self.bodies);
        }
        true
    }

    /// Adds a body of the rigid scene, between two steps. From the next step on, soft bodies meet
    /// it as soon as it is clear of all of them. It starts where `spec` says and moves as queries
    /// say. Replaces an existing body with the same key.
    ///
    /// Fast if [`BodySpec::soft_shape`] has been called before.
    ///
    /// # Errors
    /// [`DeformableAddError::Body`]: soft bodies then pass through it.
    pub fn add_body(&mut self, key: BodyKey, spec: &BodySpec) -> Result<(), DeformableAddError> {
        self.remove_body(key);
        self.implicit.add_body(key, spec);
        if let Some(mut body) = Rigid::add(&mut self.world, key, spec)? {
            body.make_ghost(&mut self.world);
            self.rigid.push(body);
        }
        Ok(())
    }

    /// Removes a body of the rigid scene, between two steps: objects that it carried fall. Returns
    /// false if soft bodies never met it.
    pub fn remove_body(&mut self, key: BodyKey) -> bool {
        self.implicit.remove_body(key);
        let Some(place) = self.rigid.iter().position(|body| body.key == key) else {
            return false;
        };
        let body = self.rigid.remove(place);
        self.refused += u64::from(body.remove(&mut self.world).is_err());
        true
    }

    /// Number of bodies of the rigid scene that soft bodies can meet.
    pub fn rigid_bodies(&self) -> usize {
        self.rigid.len()
    }

    /// Fills `out` with the features that an arm's tool tracks, after a step. Returns false, with
    /// `out` unchanged, if that arm has no query.
    pub fn answer(&mut self, query: &Query, arm: usize, out: &mut DeformableSnapshot) -> bool {
        let (Some(Some(tool)), Some(asked)) = (self.tools.get(arm), query.arms.get(arm)) else {
            return false;
        };
        if !asked.present || tool.epoch != Some(asked.epoch) {
            return false;
        }
        self.sequence += 1;
        out.sequence = self.sequence;
        out.query_tick = query.tick;
        out.every_ticks = self.settings.step_ticks;
        out.arm = arm;
        out.epoch = asked.epoch;
        out.tool = Some(tool.shape.clone());
        let detector = self.world.detector();
        out.finder = Finder {
            name: detector.name(),
            age_steps: u32::try_from(detector.progress().age()).unwrap_or(u32::MAX),
            took_ns: detector.gpu_ns().unwrap_or(0.0) as u64,
        };
        self.tracking.fill(&self.world, tool, &self.bodies, out);
        self.implicit.answer(query, arm, out);
        true
    }

    /// Descriptions of all soft bodies.
    pub fn infos(&self) -> Vec<DeformableInfo> {
        let info = |body: &Resident| DeformableInfo {
            id: body.id,
            name: body.name.clone(),
            spec: body.spec.clone(),
            kind: body.kind,
            points: body.shape.points().len(),
            triangles: body.shape.triangles().to_vec(),
        };
        self.bodies.iter().map(info).collect()
    }

    /// Identities and surfaces, world frame, m.
    pub fn surfaces(&self) -> impl Iterator<Item = (u32, &[hapticd_geometry::Vec3])> {
        let bodies = self.bodies.iter();
        bodies.map(|body| (body.id, body.points(&self.world)))
    }

    /// Sets the haptic material of a deformable from the next answer on. Returns false if the body
    /// does not exist.
    pub fn set_surface(&mut self, id: u32, surface: &Material) -> bool {
        let body = self.bodies.iter_mut().find(|body| body.id == id);
        let soft = body.map(|body| body.surface = *surface).is_some();
        soft || self.implicit.set_surface(id, surface)
    }

    /// Specification of the skin of each implicit body.
    pub fn skin_specs(&self) -> impl Iterator<Item = SkinSpec> + '_ {
        self.implicit.skin_specs()
    }

    /// Copies the implicit bodies after the last step, for the skin thread. Allocates while the
    /// lists grow.
    pub fn skin_states(&self, out: &mut SkinStates) {
        self.implicit.states(self.last_tick, out);
    }

    /// Statistics of the last step.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Detection and dynamics, for inspection.
    pub fn world(&self) -> &DeformableWorld {
        &self.world
    }

    /// Sets the neighbour search for the spheres of implicit bodies from the next step on. `None`,
    /// the default, selects the hashed grid of the mechanics. Results are the same, to the bit.
    pub fn set_neighbour_search(&mut self, search: Option<Box<dyn NeighbourSearch>>) {
        self.implicit.set_neighbour_search(search);
    }

    /// Sets the treatment of surfaces that go through each other between two steps, from the next
    /// step on; off by default.
    pub fn set_continuous(&mut self, mode: Continuous) {
        self.world.set_continuous(mode);
    }

    /// Pairs of features that met in a step and were let through, so far; 0 if continuous detection
    /// is off ([`DeformableScene::set_continuous`]).
    pub fn crossings(&self) -> u64 {
        self.crossings
    }

    /// Sets the backend that finds contacts from the next step on.
    ///
    /// # Errors
    /// If it does not support the settings of soft scenes; the previous one then stays.
    pub fn set_detector(&mut self, detector: Box<dyn Detector>) -> Result<(), DetectorError> {
        self.world.set_detector(detector).map(drop)
    }

    /// Replaces the backend of a supervising detector ([`hapticd_rays::Watched`]) by another one,
    /// on trial from the next step on. Returns the old one for the caller to drop, and does not
    /// wait.
    ///
    /// # Errors
    /// If the detector supervises no backend, or the new one does not support the settings of soft
    /// scenes; it is returned then.
    pub fn replace_backend(
        &mut self,
        backend: Box<dyn Detector>,
    ) -> Result<Box<dyn Detector>, Refused> {
        self.world.detector_mut().replace(backend)
    }

    /// Settings of the detection, which another backend must support.
    pub fn detector_settings(&self) -> &hapticd_rays::Settings {
        self.world.detector().settings()
    }

    /// The detector that finds the contacts.
    pub fn detector(&self) -> &dyn Detector {
        self.world.detector()
    }

    /// Ticks that were not simulated because the queries came too late.
    pub fn lost_ticks(&self) -> u64 {
        self.lost_ticks
    }

    /// Steps, poses and tools that were refused because of invalid numbers. The objects concerned
    /// stayed where they were.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Pairs of implicit bodies' spheres left out so far because a step had no capacity for them:
    /// the furthest of those that might have met. Spheres may then sink into each other.
    pub fn pairs_left_out(&self) -> u64 {
        self.implicit.left_out()
    }

    /// Sequence number of the last answer.
    pub fn sequence(&self) -> u64 {
        self.sequence
    }
}

fn mean_edge_m(mesh: &TriMesh) -> f32 {
    let x = mesh.positions();
    let lengths = mesh.triangles().iter().flat_map(|[a, b, c]| {
        [(*a, *b), (*b, *c), (*c, *a)].map(|(i, j)| (x[i as usize] - x[j as usize]).norm())
    });
    let count = 3 * mesh.triangles().len().max(1);
    (lengths.sum::<f64>() / count as f64) as f32
}
