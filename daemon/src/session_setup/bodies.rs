//! Bodies of a session: rigid ones go into the scene at once, deformable ones wait for it to be
//! complete. Those for needles are built elsewhere.

use hapticd_collision::configured;
use hapticd_collision::deformable::FIRST_ID;
use hapticd_collision::motion::BodyMotion;
use hapticd_config as config;
use hapticd_deformable::{DeformableSpec, ImplicitSpec};
use hapticd_geometry::MeshReport;
use hapticd_planar::PlanarScene;
use hapticd_proxy::Distances;
use hapticd_scene::Scene;

use super::faults::body_fault;
use super::{Fault, Inputs};
use hapticd_scene_setup::{self as scene_setup, BuiltTool, SceneError};

/// The bodies that could be built, by what simulates them.
pub(super) struct Bodies {
    /// Scene with the tools and the rigid bodies.
    pub world: Scene,
    /// Outlines of the rigid bodies if the scene lies in the plane.
    pub planar: Option<PlanarScene>,
    /// Motions of bodies that move by a pattern.
    pub motions: Vec<BodyMotion>,
    /// Soft bodies, cloth and crowds.
    pub deformables: Vec<DeformableSpec>,
    /// Implicit bodies.
    pub implicit: Vec<ImplicitSpec>,
    /// Reports on the bodies' meshes, each with the name of its owner.
    pub meshes: Vec<(String, MeshReport)>,
    /// Names and placed outlines of the planar bodies so far, against which the next is checked.
    placed: Vec<(String, Vec<[f64; 2]>)>,
    /// Minimum distance between planar bodies.
    least_m: f64,
}

/// Returns a scene without bodies, in which the arms have these tools.
pub(super) fn scene_with_tools(
    config: &config::Config,
    tools: Vec<BuiltTool>,
    distances: Distances,
) -> Scene {
    let mut world = configured::scene(config, distances.clearance_m);
    for (arm, built) in tools.into_iter().enumerate() {
        world.set_tool(arm, built.shape, built.tool);
    }
    world
}

impl Bodies {
    /// Returns no bodies, for a scene that has its tools.
    pub(super) fn new(world: Scene, is_planar: bool, distances: Distances) -> Bodies {
        Bodies {
            world,
            planar: is_planar.then(PlanarScene::default),
            motions: Vec::new(),
            deformables: Vec::new(),
            implicit: Vec::new(),
            meshes: Vec::new(),
            placed: Vec::new(),
            least_m: distances.clearance_m,
        }
    }

    /// Builds and adds all bodies that are not for needles. The order of the configuration gives
    /// them their ids.
    pub(super) fn add_all(&mut self, inputs: &Inputs<'_>, faults: &mut Vec<Fault>) {
        let bodies = inputs.config.bodies.iter();
        for body in bodies.filter(|body| !scene_setup::is_for_needles(body)) {
            if let Err(error) = self.add(body, inputs) {
                faults.push(body_fault(body, error));
            }
        }
    }

    fn add(&mut self, body: &config::Body, inputs: &Inputs<'_>) -> Result<(), SceneError> {
        let (materials, folder) = (&inputs.config.materials, inputs.folder);
        let id = self.next_deformable_id();
        if body.kind == config::BodyKind::Implicit {
            let spec = scene_setup::implicit::implicit(body, materials, folder, id)?;
            self.implicit.push(spec);
            return Ok(());
        }
        match scene_setup::deformable(body, materials, folder, id)? {
            Some((spec, report)) => {
                self.report_mesh(body, report);
                self.deformables.push(spec);
                Ok(())
            }
            None => self.add_rigid(body, inputs),
        }
    }

    /// Adds a body to the scene, and its outline to the plane if there is one.
    fn add_rigid(&mut self, body: &config::Body, inputs: &Inputs<'_>) -> Result<(), SceneError> {
        let (spec, report) = scene_setup::body(body, &inputs.config.materials, inputs.folder)?;
        let (start, bound_m) = (spec.world_from_body, spec.shape.bound_m);
        let id = self.world.add_body(spec)?;
        if let Some(planar) = &mut self.planar {
            scene_setup::planar::add(planar, &mut self.placed, body, id, self.least_m)?;
        }
        self.report_mesh(body, report);
        let motion = BodyMotion::new(id, &body.motion, start, bound_m);
        self.motions.extend(motion);
        Ok(())
    }

    /// Returns the id of the next deformable body. Each body of a crowd has its own.
    fn next_deformable_id(&self) -> u32 {
        let specs = self.deformables.iter();
        let before = specs.map(DeformableSpec::count).sum::<usize>() + self.implicit.len();
        FIRST_ID + before as u32
    }

    fn report_mesh(&mut self, body: &config::Body, report: MeshReport) {
        self.meshes.push((format!("body `{}`", body.name), report));
    }
}
