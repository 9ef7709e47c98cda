//! Builds everything that runs from a configuration: scene, loop, arms. `run`, `demo`, `replay` and
//! the tests share it.
//!
//! Allocates and loads files; start-up only.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use hapticd_config as config;
use hapticd_deformable::DeformableScene;
use hapticd_devices::safety::Limits;
use hapticd_geometry::{MeshReport, TriMesh, shapes};
use hapticd_needle::Tissue;
use hapticd_proxy::{Distances, tool_id};
use hapticd_scene::Scene;

use hapticd_collision::collider::Collider;
use hapticd_collision::needle::Watch;
use hapticd_loop::core::LoopCore;
use hapticd_monitor::checker::Checker;
use hapticd_monitor::scribe::{Live, LiveArm};
use hapticd_scene_setup as scene_setup;

use self::arms::BuiltArms;
use self::bodies::Bodies;
use self::faults::noted;

mod arms;
mod bodies;
mod deformables;
mod faults;
pub mod gains;
mod limit_keys;
mod loop_core;
mod needles;

pub use self::arms::{HidSource, SessionArm, Source, workspace_centre};
pub use self::faults::{Fault, SessionSetupError, SessionSetupErrors};
pub use self::limit_keys::unkept;

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

/// The configuration takes as many of each thing as the crate that holds them.
const _: () = {
    use config::{Tabular, schema};
    assert!(schema::ARMS_MAX == hapticd_proxy::MAX_ARMS);
    assert!(schema::BODIES_MAX == hapticd_proxy::MAX_SCENE_BODIES);
    assert!(schema::LAYERS_MAX == hapticd_needle::MAX_LAYERS);
    let copies = config::Body::SECTION.range("copies");
    assert!(*copies.end() == hapticd_deformable::MAX_BODIES as f64);
};

/// What all steps of building a session read.
struct Inputs<'a> {
    config: &'a config::Config,
    /// Folder that relative files are taken from.
    folder: &'a Path,
    /// Whether to size for virtual latency, and start clocks at zero.
    virtual_time: bool,
    /// Period of the loop, ns.
    period_ns: u64,
}

impl Inputs<'_> {
    /// Returns the period of the loop, s.
    fn period_s(&self) -> f64 {
        self.period_ns as f64 * 1e-9
    }
}

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
    let inputs = Inputs {
        config,
        folder,
        virtual_time,
        period_ns: 1_000_000_000 / u64::from(config.haptic_loop.rate_hz.max(1)),
    };
    let mut faults = Vec::new();

    // Arms, and whether their governors can keep the limits.
    let limits = Limits::from(&config.safety);
    let built = arms::build(&inputs, &mut faults);
    let unkept = unkept(&limits, built.declared(config));
    let is_kept = unkept.is_empty();
    faults.extend(unkept);

    // One set of distances for the scene, sized for the widest workspace. Redon 2002 scales them by
    // the width of the scene.
    let distances = Distances::for_width(built.width_m());
    let mut loop_arms = loop_core::loop_arms(&inputs, &built, distances, limits);
    let BuiltArms {
        arms,
        tools,
        mut meshes,
    } = built;

    // The loop in space. A planar one also needs the bodies, so it is built after them.
    let is_planar = scene_setup::planar::has_plane(config);
    let mut core = None;
    if !is_planar && is_kept {
        let spatial = loop_core::spatial(&inputs, std::mem::take(&mut loop_arms));
        core = noted(spatial, &mut faults);
    }

    // Needles and bodies; each reports its own fault.
    let (tissue, needles) = needles::build(&inputs, &mut faults);
    let world = bodies::scene_with_tools(config, tools, distances);
    let mut bodies = Bodies::new(world, is_planar, distances);
    bodies.add_all(&inputs, &mut faults);

    // What needs all bodies at once, and is not tried if one is missing.
    if let Some(scene) = bodies.planar.take().filter(|_| faults.is_empty()) {
        bodies.world.set_planar();
        let planar = loop_core::planar(&inputs, scene, loop_arms);
        core = noted(planar, &mut faults);
    }
    let mut deformable = None;
    if faults.is_empty() {
        deformable = noted(deformables::build(&inputs, &bodies), &mut faults).flatten();
    }

    let mut core = match core {
        Some(core) if faults.is_empty() => core,
        _ => return Err(SessionSetupErrors(faults)),
    };
    core.set_clients_bodies(clients_ids(&bodies.world));
    core.set_most_effect_force(config.ipc.max_effect_force_n);
    let watch = needles::watch(config, tissue.as_ref(), &needles)
        .map_err(|fault| SessionSetupErrors(vec![*fault]))?;
    for made in needles {
        core.set_guide(made.arm, Box::new(made.guide));
    }
    meshes.extend(bodies.meshes);
    Ok(SessionSetup {
        core,
        collider: Collider::new(bodies.world, bodies.motions, inputs.period_s()),
        deformable,
        tissue,
        watch,
        arms,
        period_ns: inputs.period_ns,
        // Capacity for the lists of several bodies at once.
        pair_capacity: 2 * config.collision.pairs as usize,
        meshes,
    })
}

/// Returns the ids of clients' bodies, which come after those of the configuration.
fn clients_ids(world: &Scene) -> Range<u32> {
    let last = world.infos().map(|body| body.id).max().unwrap_or(0);
    last + 1..hapticd_collision::deformable::FIRST_ID
}
