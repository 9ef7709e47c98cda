//! Builds everything that runs from a configuration: scene, loop, arms. `run`, `demo`, `replay` and
//! the tests share it.
//!
//! Allocates and loads files; start-up only.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hapticd_config as config;
use hapticd_deformable::{
    Continuous, DeformableAddError, DeformableScene, DeformableSettings, DeformableSpec,
    RegisteredSpheres,
};
use hapticd_devices::arm::ArmSpec;
use hapticd_devices::profile::{Profile, ProfileErrors, shipped};
use hapticd_devices::safety::{Limits, LimitsError, OscillationLimits};
use hapticd_devices::sim::held_arm::HeldArmError;
use hapticd_devices::sim::{HandParams, HeldArm, SimArmParams};
use hapticd_geometry::{MeshReport, Pose, TriMesh, Vec3, shapes};
use hapticd_needle::{SurroundingsError, Tissue};
use hapticd_planar::{PlanarEngine, PlanarScene};
use hapticd_proxy::{ArmSetup, Damping, Distances, Interaction, MAX_ARMS, tool_id};
use hapticd_scene::{AddError, BroadPhaseKind, Order, Scene};

use crate::intentions;
use crate::scene::{self, SceneError};
use hapticd_collision::collider::Collider;
use hapticd_collision::motion::BodyMotion;
use hapticd_collision::needle::{Watch, Watchable};
use hapticd_loop::core::{ArmFrame, LoopArm, LoopCore};
use hapticd_monitor::checker::Checker;
use hapticd_monitor::scribe::{Live, LiveArm};

use self::gains::{CouplingKeys, answer_delay_ns, gains};

pub mod gains;
mod limit_keys;

pub use self::limit_keys::unkept;

/// Reason why a configuration that parses cannot run. The fault is in the configuration or in a
/// file that it names.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionSetupError {
    /// The scene cannot be built.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A device profile does not exist.
    #[error("arm `{arm}`: there is no shipped profile `{profile}`; there are: {known}")]
    NoProfile {
        /// Name of the arm.
        arm: String,
        /// Name of the requested profile.
        profile: String,
        /// Names of the shipped profiles.
        known: String,
    },
    /// A device profile cannot be read.
    #[error("arm `{arm}`: {path}: {error}")]
    UnreadableProfile {
        /// Name of the arm.
        arm: String,
        /// Path of the profile.
        path: String,
        /// Error of the system.
        error: std::io::Error,
    },
    /// A device profile is wrong.
    #[error("arm `{arm}`: {errors}")]
    Profile {
        /// Name of the arm.
        arm: String,
        /// All errors in the profile.
        errors: Box<ProfileErrors>,
    },
    /// A simulated arm is impossible.
    #[error("arm `{arm}`: {error}")]
    Simulated {
        /// Name of the arm.
        arm: String,
        /// Error of the arm or its hand.
        error: HeldArmError,
    },
    /// An intention is unknown, unreadable or invalid.
    #[error("arm `{arm}`: {error}")]
    Intention {
        /// Name of the arm.
        arm: String,
        /// Error of the intention.
        error: Box<intentions::Error>,
    },
    /// Limits contradict each other for an arm, by the names that they have in their files.
    #[error("limits: {0}")]
    Limits(String),
}

/// One fault that keeps a configuration from running, with the key that causes it.
#[derive(Debug)]
pub struct Fault {
    /// Key of the configuration, as in its entries: `body.floor.shape.file`.
    pub key: String,
    /// The file concerned, if any.
    pub file: Option<PathBuf>,
    /// The error itself.
    pub error: SessionSetupError,
}

impl fmt::Display for Fault {
    /// Also names the file if the error itself does not.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.error.to_string();
        if let Some(file) = self.file.as_ref().map(|file| file.display().to_string())
            && !text.contains(&file)
        {
            write!(f, "{file}: ")?;
        }
        f.write_str(&text)
    }
}

/// All faults that keep a configuration from running, at least a line for each; never empty.
#[derive(Debug)]
pub struct SessionSetupErrors(Vec<Fault>);

impl SessionSetupErrors {
    /// Returns all faults, of arms, limits and bodies.
    pub fn faults(&self) -> &[Fault] {
        &self.0
    }
}

impl fmt::Display for SessionSetupErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            write!(f, "{}{fault}", if i == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl std::error::Error for SessionSetupErrors {}

/// Source of an arm's samples.
pub enum Source {
    /// A simulated arm in a simulated hand.
    Simulated(Box<HeldArm>),
    /// A device on the HID bus.
    Hid(Box<HidSource>),
}

/// How to find a HID arm and talk to it.
#[derive(Clone)]
pub struct HidSource {
    /// Report layout, kinematics, limits.
    pub profile: Profile,
    /// If set, only a device with this serial number.
    pub serial: Option<String>,
    /// If set, only a device at this port.
    pub port_path: Option<String>,
}

/// One arm of the session.
pub struct SessionArm {
    /// Name of the arm.
    pub name: String,
    /// Properties that the arm declares.
    pub spec: ArmSpec,
    /// Pose of the arm's base in the world, and its motion scale.
    pub frame: ArmFrame,
    /// Source of its samples.
    pub source: Source,
    /// Radius of a sphere tool; 0 for a mesh.
    pub tool_radius_m: f64,
    /// The tool's mesh; `None` for a sphere.
    pub tool_mesh: Option<TriMesh>,
    /// Coupling keys of the configuration.
    pub coupling: CouplingKeys,
    /// How the tool follows the hand.
    pub interaction: Interaction,
    /// What the damper of the coupling acts on.
    pub damping: Damping,
    /// Delay by [`answer_delay_ns`], before anything was measured.
    pub answer_delay_ns: u64,
}

/// A session, ready to run.
pub struct SessionSetup {
    /// Core of the haptic loop.
    pub core: LoopCore,
    /// The collider, which owns the scene.
    pub collider: Collider,
    /// Soft bodies, cloth and other deformables, if there are any.
    pub deformable: Option<DeformableScene>,
    /// The tissue for needles, if there is any.
    pub tissue: Option<Arc<Tissue>>,
    /// Watches the neighbourhood of needles, if there are any.
    pub watch: Option<Watch>,
    /// The arms by index.
    pub arms: Vec<SessionArm>,
    /// Period of the loop, ns.
    pub period_ns: u64,
    /// Capacity of a snapshot, feature pairs.
    pub pair_capacity: usize,
    /// Reports on the configured meshes, each with the name of its owner.
    pub meshes: Vec<(String, MeshReport)>,
}

impl SessionSetup {
    /// Returns the names of the arms by index.
    pub fn names(&self) -> Vec<Option<String>> {
        self.arms.iter().map(|a| Some(a.name.clone())).collect()
    }

    /// Returns the meshes that clients draw: rigid bodies, and tools under the tools' ids. A ball
    /// becomes a mesh with its vertices on the ball.
    pub fn shapes(&self) -> Vec<(u32, Cow<'_, TriMesh>)> {
        let world = self.collider.world();
        let of_body = |id| Some(&**world.spec(id)?.shape.index.mesh()?);
        let bodies = world.infos().map(|info| info.id);
        let bodies = bodies.filter_map(|id| Some((id, Cow::Borrowed(of_body(id)?))));
        let tools = self.arms.iter().enumerate().filter_map(|(index, arm)| {
            let mesh = match &arm.tool_mesh {
                Some(mesh) => Cow::Borrowed(mesh),
                None => Cow::Owned(shapes::icosphere(arm.tool_radius_m, BALL_SUBDIVISIONS).ok()?),
            };
            Some((tool_id(index), mesh))
        });
        bodies.chain(tools).collect()
    }

    /// Returns the live state before the first tick of these arms and bodies.
    pub fn live(&self) -> Live {
        let arms = self.arms.iter().enumerate().map(|(i, arm)| {
            let governor = self.core.governor(i);
            let limits = governor.map_or_else(Limits::default, |g| *g.limits());
            LiveArm::new(&arm.name, limits, arm.spec.has_torque)
        });
        let bodies = self.collider.infos().into_iter();
        Live {
            arms: arms.collect(),
            bodies: bodies.map(|b| (b.key.slot, b.name)).collect(),
            ..Live::new()
        }
    }

    /// Returns a checker that has the tools and the bodies.
    pub fn checker(&self) -> Checker {
        let mut checker = Checker::new();
        for (i, arm) in self.arms.iter().enumerate() {
            checker.set_tool(i, arm.tool_mesh.as_ref(), arm.tool_radius_m);
        }
        for info in self.collider.infos() {
            if let Some(mesh) = self
                .collider
                .world()
                .spec(info.id)
                .and_then(|s| s.shape.index.mesh())
            {
                checker.add_body(info.key, mesh, &info.initial, info.kind);
            }
        }
        checker
    }
}

/// Subdivisions of a ball that clients draw: 1280 triangles.
const BALL_SUBDIVISIONS: u32 = 3;
/// Maximum size of a profile, bytes. Shipped ones have a few thousand.
const MAX_PROFILE_BYTES: u64 = 1 << 20;
/// Maximum number of attempts at a step of the soft bodies in which surfaces met.
const STEP_ATTEMPTS: u32 = 8;

/// Assumed time from a query to the use of its answer in real time, s. It sizes the reach of
/// queries.
const REAL_LAG_S: f64 = 0.003;

/// Builds a session. Relative files are taken from `folder`; `virtual_time` sizes for virtual
/// latency.
///
/// # Errors
/// All faults of arms, limits and bodies, not only the first.
pub fn build(
    config: &config::Config,
    folder: &Path,
    virtual_time: bool,
) -> Result<SessionSetup, SessionSetupErrors> {
    let mut faults = Vec::new();
    let period_ns = 1_000_000_000 / u64::from(config.haptic_loop.rate_hz.max(1));
    let period_s = period_ns as f64 * 1e-9;
    let limits = limits(&config.safety);
    // A simulated arm uses the same clock as the loop.
    let start_ns = if virtual_time {
        0
    } else {
        hapticd_sys::clock::now_ns()
    };
    let mut arms = Vec::new();
    let mut tools = Vec::new();
    let mut meshes = Vec::new();
    for arm in config.arms.iter().take(MAX_ARMS) {
        let frame = ArmFrame {
            world_from_base: scene::pose(&arm.world_from_base),
            scale: arm.motion_scale,
        };
        let device = source(arm, folder, start_ns).map_err(|error| device_fault(arm, error));
        // The tool is checked even if the device is wrong. Whether it turns does not matter then.
        let turns = device.as_ref().is_ok_and(|(spec, _)| spec.has_rotation);
        let tool = scene::tool(arm, turns, folder)
            .map_err(|error| shape_fault(&format!("arm.{}.tool", arm.name), &arm.tool, error));
        let ((spec, source), built) = match (device, tool) {
            (Ok(device), Ok(tool)) => (device, tool),
            (device, tool) => {
                faults.extend(device.err());
                faults.extend(tool.err());
                continue;
            }
        };
        arms.push(SessionArm {
            name: arm.name.clone(),
            frame,
            source,
            tool_radius_m: built.tool.radius_m,
            tool_mesh: built.mesh.clone(),
            coupling: CouplingKeys::of(arm),
            interaction: interaction(&arm.interaction),
            damping: damping(&arm.interaction),
            answer_delay_ns: answer_delay_ns(&spec, period_ns, virtual_time),
            spec,
        });
        meshes.extend(
            (built.report.clone()).map(|report| (format!("tool of arm `{}`", arm.name), report)),
        );
        tools.push(built);
    }
    let own = config.arms.iter().filter_map(|arm| {
        let built = arms.iter().find(|built| built.name == arm.name)?;
        Some((arm, &built.spec))
    });
    let unkept = unkept(&limits, own);
    let is_kept = unkept.is_empty();
    faults.extend(unkept);
    // One set of distances for the scene, sized for the widest workspace. Redon 2002 scales them by
    // the width of the scene.
    let width = arms
        .iter()
        .map(|a| 2.0 * a.frame.scale * a.spec.workspace.half_extents.max())
        .fold(0.05, f64::max);
    let distances = Distances::for_width(width);
    let pairs = config.collision.pairs as usize;
    let mut world = Scene::new(distances.clearance_m, pairs);
    world.set_order(order(&config.dynamics.order));
    world.set_broad_phase(broad_phase(config.collision.broad_phase));
    let mut loop_arms: [Option<LoopArm>; MAX_ARMS] = [const { None }; MAX_ARMS];
    for (i, (arm, built)) in arms.iter().zip(tools).enumerate() {
        world.set_tool(i, built.shape, built.tool);
        loop_arms[i] = Some(LoopArm {
            frame: arm.frame,
            setup: ArmSetup {
                shape: built.tool,
                distances,
                // The supervisor replaces these by gains from measured timing.
                gains: gains(
                    &arm.spec,
                    &arm.coupling,
                    period_s,
                    arm.answer_delay_ns as f64 * 1e-9,
                ),
                pair_budget: config.haptic_loop.tick_budget_pairs as usize,
                damping: arm.damping,
                interaction: arm.interaction,
                reach_max_m: config.collision.reach_max_m,
                reach_min_m: (20.0 * distances.safe_m).min(config.collision.reach_max_m),
            },
            spec: arm.spec.clone(),
            answer_delay_ns: arm.answer_delay_ns,
            limits,
        });
    }
    let lag_s = if virtual_time {
        (f64::from(config.collision.virtual_latency_ticks) + 1.0) * period_s
    } else {
        REAL_LAG_S
    };
    let mut planar = scene::planar::has_plane(config).then(PlanarScene::default);
    // A planar engine also needs the bodies, so it is built after them.
    let mut core = None;
    if planar.is_none() && is_kept {
        core = LoopCore::new(std::mem::take(&mut loop_arms), period_ns, lag_s)
            .map_err(|error| faults.push(limits_fault(error)))
            .ok();
    }
    let mut placed = Vec::new();
    let mut motions = Vec::new();
    let mut deformables = Vec::new();
    let mut implicit = Vec::new();
    let (tissue, needles) = scene::needle::build(config, folder).unwrap_or_else(|wrong| {
        faults.extend(wrong.into_iter().map(|w| Fault {
            key: w.key,
            file: None,
            error: w.error.into(),
        }));
        (None, Vec::new())
    });
    let scene_bodies = config.bodies.iter();
    for body in scene_bodies.filter(|body| !scene::is_for_needles(body)) {
        let before = deformables.iter().map(DeformableSpec::count).sum::<usize>() + implicit.len();
        let id = hapticd_collision::deformable::FIRST_ID + before as u32;
        if body.kind == config::BodyKind::Implicit {
            match scene::implicit::implicit(body, &config.materials, folder, id) {
                Ok(spec) => implicit.push(spec),
                Err(error) => faults.push(body_fault(body, error)),
            }
            continue;
        }
        match scene::deformable(body, &config.materials, folder, id) {
            Ok(None) => {}
            Ok(Some((spec, report))) => {
                meshes.push((format!("body `{}`", body.name), report));
                deformables.push(spec);
                continue;
            }
            Err(error) => {
                faults.push(body_fault(body, error));
                continue;
            }
        }
        let added = scene::body(body, &config.materials, folder).and_then(|(spec, report)| {
            let (start, bound_m) = (spec.world_from_body, spec.shape.bound_m);
            let id = world.add_body(spec)?;
            if let Some(planar) = &mut planar {
                let least_m = distances.clearance_m;
                scene::planar::add(planar, &mut placed, body, id, least_m)?;
            }
            meshes.push((format!("body `{}`", body.name), report));
            Ok(BodyMotion::new(id, &body.motion, start, bound_m))
        });
        match added {
            Ok(motion) => motions.extend(motion),
            Err(error) => faults.push(body_fault(body, error)),
        }
    }
    if let Some(scene) = planar.filter(|_| faults.is_empty()) {
        world.set_planar();
        core = build_planar_core(config, scene, loop_arms, period_ns)
            .map_err(|fault| faults.push(*fault))
            .ok();
    }
    let any = !(deformables.is_empty() && implicit.is_empty());
    let deformable = (faults.is_empty() && any)
        .then(|| {
            DeformableScene::new(
                soft_settings(config, period_s),
                &deformables,
                &implicit,
                &world,
            )
        })
        .transpose()
        .map_err(|error| faults.push(soft_fault(config, error)))
        .unwrap_or_default()
        .map(|mut scene| {
            scene.set_continuous(continuous(config.deformable.continuous));
            if config.deformable.neighbours == config::Neighbours::Registration {
                scene.set_neighbour_search(Some(Box::new(RegisteredSpheres::new())));
            }
            scene.settle();
            scene
        });
    let mut core = match core {
        Some(core) if faults.is_empty() => core,
        _ => return Err(SessionSetupErrors(faults)),
    };
    // Clients' bodies get ids after those of the configuration.
    let last = world.infos().map(|body| body.id).max().unwrap_or(0);
    core.set_clients_bodies(last + 1..hapticd_collision::deformable::FIRST_ID);
    let watched: Vec<Watchable> = needles
        .iter()
        .map(scene::needle::BuiltNeedle::watchable)
        .collect();
    let watch = tissue.as_ref().filter(|_| !watched.is_empty());
    let watch = watch
        .map(|tissue| {
            let names = scene::needle::structures(config);
            Watch::new(tissue, scene::needle::tissue_name(config), names, &watched)
        })
        .transpose()
        .map_err(|error| SessionSetupErrors(vec![surroundings_fault(config, error)]))?;
    for made in needles {
        core.set_guide(made.arm, Box::new(made.guide));
    }
    Ok(SessionSetup {
        core,
        collider: Collider::new(world, motions, period_s),
        deformable,
        tissue,
        watch,
        arms,
        period_ns,
        // Capacity for the lists of several bodies at once.
        pair_capacity: 2 * pairs,
        meshes,
    })
}

/// Builds the loop of a planar scene whose bodies are complete.
fn build_planar_core(
    config: &config::Config,
    mut scene: PlanarScene,
    loop_arms: [Option<LoopArm>; MAX_ARMS],
    period_ns: u64,
) -> Result<LoopCore, Box<Fault>> {
    for (arm, tool) in config.arms.iter().zip(&mut scene.tools) {
        let outline = scene::tool_outline(arm);
        let outline = outline
            .map_err(|error| shape_fault(&format!("arm.{}.tool", arm.name), &arm.tool, error))?;
        *tool = Some(outline);
    }
    let setups = std::array::from_fn(|i| loop_arms[i].as_ref().map(|setup| setup.setup));
    let engine = PlanarEngine::new(&setups, &scene).map_err(|error| {
        Box::new(Fault {
            key: config.bodies.first().map_or("arm".to_owned(), |body| {
                format!("body.{}.shape.kind", body.name)
            }),
            file: None,
            error: SceneError::Planar(error.into()).into(),
        })
    })?;
    LoopCore::planar(loop_arms, period_ns, engine).map_err(|error| Box::new(limits_fault(error)))
}

fn soft_settings(config: &config::Config, period_s: f64) -> DeformableSettings {
    DeformableSettings {
        step_ticks: u64::from(config.deformable.step_ticks.max(1)),
        substeps: config.deformable.substeps.max(1),
        gravity_m_s2: match &config.dynamics.order {
            config::Order::Second { gravity_m_s2 } => Vec3::from(*gravity_m_s2),
            config::Order::First { .. } => Vec3::zeros(),
        },
        period_s,
        broad_phase: broad_phase(config.collision.broad_phase),
    }
}

fn continuous(choice: config::Continuous) -> Continuous {
    match choice {
        config::Continuous::Off => Continuous::Off,
        config::Continuous::Count => Continuous::Count,
        config::Continuous::Hold => Continuous::Hold {
            attempts: STEP_ATTEMPTS,
        },
    }
}

fn broad_phase(choice: config::BroadPhase) -> BroadPhaseKind {
    match choice {
        config::BroadPhase::Sweep => BroadPhaseKind::Sweep,
        config::BroadPhase::Kinetic => BroadPhaseKind::Kinetic,
        config::BroadPhase::Registration => BroadPhaseKind::Registration,
    }
}

/// Returns the fault for an error of the soft scene: one of its bodies, or a rigid body that rays
/// cannot be traced against.
fn soft_fault(config: &config::Config, error: DeformableAddError) -> Fault {
    let name = match &error {
        DeformableAddError::Body { name, .. }
        | DeformableAddError::Pins { name, .. }
        | DeformableAddError::Mass { name, .. } => name.clone(),
        DeformableAddError::Implicit(error) => error.name.clone(),
        DeformableAddError::TooMany { .. } => largest_crowd(config).to_owned(),
        _ => String::new(),
    };
    let key = match (&error, config.bodies.iter().find(|body| body.name == name)) {
        (DeformableAddError::Pins { .. }, Some(body)) => format!("body.{}.pinned", body.name),
        (DeformableAddError::TooMany { .. }, Some(body)) => format!("body.{}.copies", body.name),
        (_, Some(body)) => format!("body.{}.shape.kind", body.name),
        _ => "deformable.substeps".to_owned(),
    };
    Fault {
        key,
        file: None,
        error: SceneError::Soft(error).into(),
    }
}

/// Returns the name of the crowd with the most copies.
fn largest_crowd(config: &config::Config) -> &str {
    let crowds = config.bodies.iter();
    let crowds = crowds.filter(|body| body.kind == config::BodyKind::Crowd);
    crowds
        .max_by_key(|body| body.copies)
        .map_or("", |b| &b.name)
}

/// Returns the fault for something that cannot be registered in the tissue.
fn surroundings_fault(config: &config::Config, error: SurroundingsError) -> Fault {
    let id = match &error {
        SurroundingsError::Mesh { id, .. } | SurroundingsError::Surface { id, .. } => Some(*id),
        _ => None,
    };
    let body = id.and_then(|id| config.bodies.get(id as usize));
    let tissue = || {
        let mut bodies = config.bodies.iter();
        bodies.find(|b| b.kind == config::BodyKind::Tissue)
    };
    let name = body.or_else(tissue).map_or("", |b| b.name.as_str());
    Fault {
        key: format!("body.{name}.shape.kind"),
        file: None,
        error: SceneError::from(scene::needle::InsertionError::Surroundings {
            name: name.to_owned(),
            error,
        })
        .into(),
    }
}

fn order(order: &config::Order) -> Order {
    match order {
        config::Order::Second { gravity_m_s2 } => Order::Second {
            gravity_m_s2: Vec3::from(*gravity_m_s2),
        },
        config::Order::First { drag_per_s } => Order::First {
            drag_per_s: *drag_per_s,
        },
    }
}

fn interaction(interaction: &config::Interaction) -> Interaction {
    match interaction {
        config::Interaction::Spring {
            tool_mass_kg: Some(mass_kg),
            ..
        } => Interaction::SpringWithMass(*mass_kg),
        config::Interaction::Spring { .. } => Interaction::Spring,
        config::Interaction::Increments {} => Interaction::Increments,
    }
}

fn damping(interaction: &config::Interaction) -> Damping {
    match interaction {
        config::Interaction::Spring {
            damping: config::Damping::Device,
            ..
        } => Damping::Device,
        _ => Damping::Relative,
    }
}

fn device_fault(arm: &config::Arm, error: SessionSetupError) -> Fault {
    let (key, file) = match &arm.device {
        config::Device::Hid { profile, .. } => ("profile", profile),
        config::Device::Simulated { intention, .. } => ("intention", intention),
    };
    // Invalid hand parameters or mechanics are not the intention's fault, and concern no single
    // key.
    let is_whole_arm = matches!(error, SessionSetupError::Simulated { .. });
    Fault {
        key: format!(
            "arm.{}.{}",
            arm.name,
            if is_whole_arm { "name" } else { key }
        ),
        file: match file {
            config::NameOrPath::Path(path) if !is_whole_arm => Some(path.clone()),
            _ => None,
        },
        error,
    }
}

/// Returns the fault for a shape; `table` is the key of the shape's table.
fn shape_fault(table: &str, shape: &config::Shape, error: SceneError) -> Fault {
    use scene::volume::VolumeError;
    let (key, file) = match (shape, &error) {
        (config::Shape::Mesh { file, .. }, _)
        | (
            config::Shape::Volume { file, .. },
            SceneError::Volume(
                VolumeError::Read { .. } | VolumeError::NoUnit(_) | VolumeError::Far { .. },
            ),
        ) => ("file", Some(file.clone())),
        (config::Shape::Volume { .. }, SceneError::Volume(VolumeError::Grid { .. })) => {
            ("level", None)
        }
        (
            config::Shape::Polygon { .. },
            SceneError::Planar(scene::planar::PlanarError::Polygon { .. }),
        ) => ("vertices_m", None),
        _ => ("kind", None),
    };
    Fault {
        key: format!("{table}.{key}"),
        file,
        error: error.into(),
    }
}

fn body_fault(body: &config::Body, error: SceneError) -> Fault {
    let key = match &error {
        SceneError::Add(AddError::Full | AddError::NameTaken(_)) => "name",
        SceneError::Add(AddError::BadMaterial { .. }) => "material",
        _ => return shape_fault(&format!("body.{}.shape", body.name), &body.shape, error),
    };
    Fault {
        key: format!("body.{}.{key}", body.name),
        file: None,
        error: error.into(),
    }
}

/// Returns the fault for limits that the per-arm check did not find, in the governor's words.
fn limits_fault(error: LimitsError) -> Fault {
    Fault {
        key: "safety.peak_force_n".to_owned(),
        file: None,
        error: SessionSetupError::Limits(error.to_string()),
    }
}

fn source(
    arm: &config::Arm,
    folder: &Path,
    start_ns: u64,
) -> Result<(ArmSpec, Source), SessionSetupError> {
    let name = || arm.name.clone();
    match &arm.device {
        config::Device::Hid {
            profile,
            serial,
            port_path,
        } => {
            let profile = load_profile(profile, &arm.name, folder)?;
            Ok((
                profile.spec.clone(),
                Source::Hid(Box::new(HidSource {
                    profile,
                    serial: serial.clone(),
                    port_path: port_path.clone(),
                })),
            ))
        }
        config::Device::Simulated {
            intention,
            mechanics,
            hand,
            ..
        } => {
            let mut spec = SimArmParams::desktop().spec;
            spec.name = name();
            spec.mass_kg = mechanics.mass_kg;
            spec.damping_n_s_per_m = mechanics.damping_n_s_per_m;
            spec.coulomb_friction_n = mechanics.coulomb_friction_n;
            spec.resolution_m = mechanics.resolution_m;
            spec.peak_force_n = mechanics.saturation_n;
            spec.continuous_force_n = spec.continuous_force_n.min(mechanics.saturation_n);
            spec.native_period_ns = 1_000_000_000 / u64::from(mechanics.report_rate_hz.max(1));
            spec.transport_delay_ns = u64::from(mechanics.delay_us) * 1000;
            let hand = HandParams {
                stiffness_n_per_m: hand.stiffness_n_per_m,
                damping_n_s_per_m: hand.damping_n_s_per_m,
                ..HandParams::relaxed()
            };
            let wants = match intention {
                config::NameOrPath::Name(n) => intentions::named(n),
                config::NameOrPath::Path(p) => intentions::load(&folder.join(p)),
            }
            .map_err(|error| SessionSetupError::Intention {
                arm: name(),
                error: Box::new(error),
            })?;
            let setup = HeldArm::new(SimArmParams::of(spec.clone()), hand, wants, start_ns)
                .map_err(|error| SessionSetupError::Simulated { arm: name(), error })?;
            Ok((spec, Source::Simulated(Box::new(setup))))
        }
    }
}

fn load_profile(
    profile: &config::NameOrPath,
    arm: &str,
    folder: &Path,
) -> Result<Profile, SessionSetupError> {
    let parsed = match profile {
        config::NameOrPath::Name(name) => match shipped(name) {
            Some(found) => found.parse(),
            None => {
                return Err(SessionSetupError::NoProfile {
                    arm: arm.to_owned(),
                    profile: name.clone(),
                    known: hapticd_devices::profile::SHIPPED
                        .iter()
                        .map(|s| s.name)
                        .collect::<Vec<_>>()
                        .join(", "),
                });
            }
        },
        config::NameOrPath::Path(path) => {
            let path = folder.join(path);
            let text = hapticd_files::read_text(&path, MAX_PROFILE_BYTES).map_err(|error| {
                SessionSetupError::UnreadableProfile {
                    arm: arm.to_owned(),
                    path: path.display().to_string(),
                    error,
                }
            })?;
            Profile::parse(&path.display().to_string(), &text)
        }
    };
    parsed.map_err(|errors| SessionSetupError::Profile {
        arm: arm.to_owned(),
        errors: Box::new(errors),
    })
}

/// Returns the configuration's safety section as limits.
pub fn limits(s: &config::Safety) -> Limits {
    let ns = |ms: f64| (ms * 1e6) as u64;
    Limits {
        peak_force_n: s.peak_force_n,
        continuous_force_n: s.continuous_force_n,
        peak_torque_nm: s.peak_torque_nm,
        continuous_torque_nm: s.continuous_torque_nm,
        continuous_window_s: s.continuous_window_s,
        slew_n_per_s: s.slew_n_per_ms * 1e3,
        slew_nm_per_s: s.slew_nm_per_ms * 1e3,
        velocity_limit_m_s: s.velocity_limit_m_s,
        angular_velocity_limit_rad_s: s.angular_velocity_limit_rad_s,
        max_temperature_c: s.max_temperature_c,
        ramp_s: s.ramp_s,
        fade_ns: ns(s.fade_ms),
        engage_force_n: s.engage_force_n,
        engage_torque_nm: s.engage_torque_nm,
        engage_ticks: s.engage_ticks,
        edge_fade_m: s.edge_fade_m,
        stall_ns: ns(s.stall_ms),
        stale_input_ns: ns(s.stale_input_ms),
        stale_contact_ns: ns(s.stale_contact_ms),
        oscillation: OscillationLimits {
            force_n: s.oscillation_force_n,
            torque_nm: s.oscillation_torque_nm,
            ..Limits::default().oscillation
        },
    }
}

/// Returns the centre of an arm's workspace in the world.
pub fn workspace_centre(arm: &SessionArm) -> Vec3 {
    arm.frame
        .to_world(&Pose::from_parts(
            arm.spec.workspace.center.into(),
            nalgebra::UnitQuaternion::identity(),
        ))
        .translation
        .vector
}
