//! The product's loop on a bench: scene, engine and answers one tick later, with the gains, damper,
//! metaphor, period and delay that an experiment selects.
//!
//! Virtual time, deterministic. Experiments that need an exact check of every tick use
//! [`super::trial`] instead.

use std::collections::VecDeque;

use hapticd_geometry::{Pose, TriMesh};
use hapticd_proxy::{
    ArmOutcome, ArmSetup, Damping, Distances, Engine, Gains, Interaction, MAX_ARMS, Material,
    Snapshot, TickInput, ToolShape, Wrench,
};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};

use crate::experiment::Failure;

/// Width of the arm's workspace, from which the contact distances derive, m.
pub const WIDTH_M: f64 = 0.2;
/// Maximum number of feature pairs per body in an answer.
const PAIRS: usize = 1024;
/// Pair budget of a round of a tick: the product's own.
const PAIR_BUDGET: usize = 1024;
/// Far above every gain: the surface of the body limits nothing.
const UNCAPPED: f64 = 1e12;

/// Settings of the loop.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub gains: Gains,
    pub damping: Damping,
    pub interaction: Interaction,
    pub period_s: f64,
    /// Whole periods from the command of the force to its effect.
    pub delay: usize,
}

/// A loop on a bench; see the module page.
pub struct Bench {
    world: Scene,
    engine: Engine,
    answer: Option<Box<Snapshot>>,
    period_s: f64,
    forces: VecDeque<Wrench>,
}

impl Bench {
    /// Makes a bench with a ball of this radius, or a mesh that does not turn, before one static
    /// frictionless body that is rendered as its mesh, without shading.
    pub fn new(
        tool: Result<f64, &TriMesh>,
        body: &TriMesh,
        pose: Pose,
        setting: &Setting,
    ) -> Result<Self, Failure> {
        let material = Material {
            stiffness_n_per_m: UNCAPPED,
            damping_n_s_per_m: UNCAPPED,
            friction: 0.0,
            force_shading: false,
        };
        Self::of(tool, body, pose, setting, material)
    }

    /// The same before a body of this material.
    pub fn of(
        tool: Result<f64, &TriMesh>,
        body: &TriMesh,
        pose: Pose,
        setting: &Setting,
        material: Material,
    ) -> Result<Self, Failure> {
        let tool = match tool {
            Ok(radius_m) => (Shape::point(), ToolShape::sphere(radius_m)),
            Err(mesh) => (
                Shape::of(mesh.clone()).0,
                ToolShape::mesh(mesh.positions(), false),
            ),
        };
        Self::made(tool, PAIR_BUDGET, body, pose, setting, material)
    }

    /// Makes a bench with a mesh that turns, with this pair budget, before a body of this material.
    pub fn turning(
        (tool, pairs): (&TriMesh, usize),
        body: &TriMesh,
        setting: &Setting,
        material: Material,
    ) -> Result<Self, Failure> {
        let shape = ToolShape::mesh(tool.positions(), true);
        let tool = (Shape::of(tool.clone()).0, shape);
        Self::made(tool, pairs, body, Pose::identity(), setting, material)
    }

    fn made(
        (form, tool_shape): (Shape, ToolShape),
        pair_budget: usize,
        body: &TriMesh,
        pose: Pose,
        setting: &Setting,
        material: Material,
    ) -> Result<Self, Failure> {
        let distances = Distances::for_width(WIDTH_M);
        let mut world = Scene::new(distances.clearance_m, PAIRS);
        world.set_tool(0, form, tool_shape);
        let shape = Shape::of(body.clone()).0.shaded_for(&material);
        let spec = BodySpec {
            name: "body".into(),
            kind: BodyKind::Static,
            solid: shape.closed,
            shape,
            world_from_body: pose,
            restitution: 0.0,
            density_kg_m3: 1000.0,
            material,
        };
        world
            .add_body(spec)
            .map_err(|e| Failure::Run(format!("the body: {e}")))?;
        let mut setups = [None; MAX_ARMS];
        setups[0] = Some(ArmSetup {
            shape: tool_shape,
            distances,
            gains: setting.gains,
            damping: setting.damping,
            interaction: setting.interaction,
            pair_budget,
            reach_max_m: 0.05,
            reach_min_m: 20.0 * distances.safe_m,
        });
        Ok(Self {
            world,
            engine: Engine::new(setups, 3.0 * setting.period_s),
            answer: None,
            period_s: setting.period_s,
            forces: VecDeque::from(vec![Wrench::default(); setting.delay]),
        })
    }

    /// Runs one tick with this device pose; returns the outcome, and the force that the hand feels
    /// until the next tick.
    pub fn tick(&mut self, device: &Pose) -> (ArmOutcome, Wrench) {
        let mut free = self.answer.take().and_then(|a| self.engine.receive(a));
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(*device);
        self.engine.tick(&TickInput {
            period_s: self.period_s,
            devices,
            anchor: 0,
        });
        free = free.or_else(|| self.engine.take_retired());
        let mut answer = free.unwrap_or_else(|| Box::new(Snapshot::new(2 * PAIRS)));
        if self.world.answer(&self.engine.query(), 0, &mut answer) {
            self.answer = Some(answer);
        }
        let outcome = self.engine.output().arms[0];
        self.forces.push_back(outcome.wrench);
        (outcome, self.forces.pop_front().unwrap_or_default())
    }
}
