//! The scene: bodies, tools, and a step under a query.

use crate::Continuous;
use crate::world::{DeformableWorld, Report, Settings};
use hapticd_geometry::TriMesh;
use hapticd_particles::NeighbourSearch;
use hapticd_proxy::{BodyKey, Finder, MAX_ARMS, Material, Query, SoftSnapshot};
use hapticd_rays::{Detector, DetectorError, Refused};
use hapticd_xpbd as xpbd;

use super::implicit::{ImplicitBodies, ImplicitSpec};
use super::resident::Resident;
use super::rigid::{Rigid, touches_soft};
use super::spec::{MAX_BODIES, SoftAddError, SoftKind, SoftSettings, SoftSpec};
use super::tool::Tool;
use super::tracked::Tracking;
use crate::skins::{SkinSpec, SkinStates};
use hapticd_scene::BodySpec;
use hapticd_scene::Scene;

/// Shortest prediction, m: what a hand at a metre a second reaches before the next answer but one.
const MIN_PREDICTION_M: f32 = 0.004;
/// Share of velocities that soft bodies lose per second to the air.
const AIR_1_S: f64 = 0.5;

/// What a client may know of a soft body.
#[derive(Clone, Debug)]
pub struct SoftInfo {
    /// Identity.
    pub id: u32,
    /// For people; the bodies of a crowd have a space and a number behind their spec's, which no
    /// configured name has.
    pub name: String,
    /// Name of the spec that it was made of.
    pub spec: String,
    /// What it is.
    pub kind: SoftKind,
    /// Points of its surface.
    pub points: usize,
    /// Triangles of its surface, in the points of [`SoftScene::surfaces`].
    pub triangles: Vec<[u32; 3]>,
}

/// Soft bodies, cloth and crowds among the rigid bodies and the tools of a scene, stepped by
/// queries: same queries, same surfaces, bit for bit.
///
/// For the soft bodies' own thread: uses rayon's threads, takes some milliseconds a step, allocates
/// while its work space grows. World frame, SI units. All of them are pushed by the bodies of the
/// rigid scene and do not push those. A tool that is put down inside one is not felt until it has
/// been out of all of them.
#[derive(Debug)]
pub struct SoftScene {
    settings: SoftSettings,
    pub(super) world: DeformableWorld,
    pub(super) bodies: Vec<Resident>,
    pub(super) tools: [Option<Tool>; MAX_ARMS],
    rigid: Vec<Rigid>,
    tracking: Tracking,
    implicit: ImplicitBodies,
    /// Query of the last step.
    last_tick: u64,
    sequence: u64,
    lost_ticks: u64,
    refused: u64,
    crossings: u64,
    report: Report,
}

impl SoftScene {
    /// Soft bodies among the rigid ones of `world` and its tools.
    ///
    /// # Errors
    /// [`SoftAddError`]: the first thing that is wrong.
    pub fn new(
        settings: SoftSettings,
        specs: &[SoftSpec],
        implicit: &[ImplicitSpec],
        rigid: &Scene,
    ) -> Result<SoftScene, SoftAddError> {
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
        (world.scene_mut()).set_broad_phase(settings.broad_phase.make());
        let count = specs.iter().map(SoftSpec::count).sum::<usize>() + implicit.len();
        if count > MAX_BODIES {
            return Err(SoftAddError::TooMany { count });
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
        Ok(SoftScene {
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

    /// Before the first step: liquids come to rest where they are, among the rigid bodies as they
    /// were added. Those that still fall after some tenths of a second of theirs start as they were
    /// added. It takes no time of the scene. Deterministic, and a bounded number of steps.
    pub fn settle(&mut self) {
        let step_s = self.settings.step_ticks as f64 * self.settings.period_s;
        self.implicit.settle(step_s);
    }

    /// A step to the time of a query, if one is due. A query that comes later than two steps after
    /// the last costs time: what is beyond them is not made up for.
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
        // Without anything soft there is nothing to detect.
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

    /// A body that came to the rigid scene since, between two steps: from the next on soft bodies
    /// meet it, as soon as it is clear of all of them. It starts where `spec` says and goes where
    /// queries say. One of that name that is there already goes.
    ///
    /// Quick if somebody has asked for [`BodySpec::soft_shape`] before.
    ///
    /// # Errors
    /// [`SoftAddError::Body`]: soft bodies then pass through it.
    pub fn add_body(&mut self, key: BodyKey, spec: &BodySpec) -> Result<(), SoftAddError> {
        self.remove_body(key);
        self.implicit.add_body(key, spec);
        if let Some(mut body) = Rigid::add(&mut self.world, key, spec)? {
            body.haunt(&mut self.world);
            self.rigid.push(body);
        }
        Ok(())
    }

    /// A body of the rigid scene has gone, between two steps: what it carried falls. False: soft
    /// bodies never met it.
    pub fn remove_body(&mut self, key: BodyKey) -> bool {
        self.implicit.remove_body(key);
        let Some(place) = self.rigid.iter().position(|body| body.key == key) else {
            return false;
        };
        let body = self.rigid.remove(place);
        self.refused += u64::from(body.remove(&mut self.world).is_err());
        true
    }

    /// How many bodies of the rigid scene soft bodies can meet.
    pub fn rigid_bodies(&self) -> usize {
        self.rigid.len()
    }

    /// After a step: fills `out` with what an arm's tool tracks. False (and `out` untouched): that
    /// arm asks nothing.
    pub fn answer(&mut self, query: &Query, arm: usize, out: &mut SoftSnapshot) -> bool {
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

    /// Everybody.
    pub fn infos(&self) -> Vec<SoftInfo> {
        let info = |body: &Resident| SoftInfo {
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

    /// How a soft body feels from the next answer on. False: there is no such body.
    pub fn set_surface(&mut self, id: u32, surface: &Material) -> bool {
        let body = self.bodies.iter_mut().find(|body| body.id == id);
        let soft = body.map(|body| body.surface = *surface).is_some();
        soft || self.implicit.set_surface(id, surface)
    }

    /// What the skin of each implicit body is to be made by.
    pub fn skin_specs(&self) -> impl Iterator<Item = SkinSpec> + '_ {
        self.implicit.skin_specs()
    }

    /// Implicit bodies after the last step, for the skin thread. Allocates while the lists grow.
    pub fn skin_states(&self, out: &mut SkinStates) {
        self.implicit.states(self.last_tick, out);
    }

    /// What the last step did.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Detection and dynamics, for a look.
    pub fn world(&self) -> &DeformableWorld {
        &self.world
    }

    /// Who finds spheres of implicit bodies near each other from the next step on; `None`: the
    /// mechanics themselves, by a hash, as at first. What happens is the same, to the bit.
    pub fn set_neighbour_search(&mut self, search: Option<Box<dyn NeighbourSearch>>) {
        self.implicit.set_neighbour_search(search);
    }

    /// What is done from the next step on about surfaces that go through each other between two
    /// steps; at first nothing.
    pub fn set_continuous(&mut self, mode: Continuous) {
        self.world.set_continuous(mode);
    }

    /// Pairs of features that met in a step and were let through, so far; 0 where nobody looks
    /// ([`SoftScene::set_continuous`]).
    pub fn crossings(&self) -> u64 {
        self.crossings
    }

    /// Finds contacts by another backend from the next step on.
    ///
    /// # Errors
    /// If it does not do what soft scenes need; the one before then stays.
    pub fn set_detector(&mut self, detector: Box<dyn Detector>) -> Result<(), DetectorError> {
        self.world.set_detector(detector).map(drop)
    }

    /// Where a backend is watched over ([`hapticd_rays::Watched`]): another one in its place, on
    /// trial from the next step on. Gives back the old one, for whoever is to drop it, and does not
    /// wait.
    ///
    /// # Errors
    /// If none is watched over, or the new one does not do what soft scenes need; it is given back
    /// then.
    pub fn replace_backend(
        &mut self,
        backend: Box<dyn Detector>,
    ) -> Result<Box<dyn Detector>, Refused> {
        self.world.detector_mut().replace(backend)
    }

    /// What the detection is asked for: what another backend must be made with.
    pub fn detector_settings(&self) -> &hapticd_rays::Settings {
        self.world.detector().settings()
    }

    /// What finds the contacts.
    pub fn detector(&self) -> &dyn Detector {
        self.world.detector()
    }

    /// Ticks that were not simulated, since the queries came too late.
    pub fn lost_ticks(&self) -> u64 {
        self.lost_ticks
    }

    /// Steps, poses and tools that were refused: numbers that are none. What they were for stayed
    /// where it was.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Pairs of implicit bodies' spheres that a step had no room for, so far: the furthest of those
    /// that might have met in it. Spheres may sink into each other then.
    pub fn pairs_left_out(&self) -> u64 {
        self.implicit.left_out()
    }

    /// Sequence of the last answer.
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
