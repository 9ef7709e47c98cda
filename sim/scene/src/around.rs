//! Obstacles of a tool: the bodies of the scene and the other arms' tools.

use hapticd_ccd::{MeshIndex, NearSet, Proximity, ShapePair};
use hapticd_geometry::Pose;
use hapticd_proxy::{ArmQuery, BodyKey, BodyTarget, MAX_ARMS, Material, Query, tool_id, tool_key};

use crate::body::{BodyKind, Shape};
use crate::effort::BALL;
use crate::resident::{Resident, Tool};

/// A body of the scene or another arm's tool, as an obstacle for a tool.
#[derive(Clone, Copy)]
pub(crate) struct Around<'a> {
    pub key: BodyKey,
    pub id: u32,
    pub shape: &'a Shape,
    pub world_from_body: Pose,
    pub fixed: bool,
    pub dynamic: bool,
    pub tool: bool,
    pub target: Option<BodyTarget>,
    pub radius_m: f64,
    pub material: Material,
}

/// Tools are hard, undamped and frictionless to each other: only their couplings limit the pressing
/// force.
const BETWEEN_TOOLS: Material = Material {
    stiffness_n_per_m: f64::MAX,
    damping_n_s_per_m: f64::MAX,
    friction: 0.0,
    force_shading: false,
};

/// All obstacles for an arm's tool: bodies by slot, then tools by arm.
pub(crate) fn around<'a>(
    slots: &'a [Option<Resident>],
    tools: &'a [Option<Tool>; MAX_ARMS],
    query: &'a Query,
    arm: usize,
) -> impl Iterator<Item = Around<'a>> {
    let bodies = slots.iter().flatten().map(|body| Around {
        key: body.key,
        id: body.id,
        shape: &body.spec.shape,
        world_from_body: body.pose_in(query),
        fixed: body.spec.kind == BodyKind::Static,
        dynamic: body.spec.kind == BodyKind::Dynamic,
        tool: false,
        target: body.target,
        radius_m: 0.0,
        material: body.spec.material,
    });
    let others = (0..MAX_ARMS).filter(move |other| *other != arm);
    bodies.chain(others.filter_map(|other| {
        let tool = tools[other].as_ref()?;
        let asked = Some(&query.arms[other]).filter(|asked| asked.present)?;
        Some(Around {
            key: tool_key(other, asked.epoch),
            id: tool_id(other),
            shape: &tool.shape,
            world_from_body: tool.tool.seen_at(&asked.world_from_reference()),
            fixed: false,
            dynamic: false,
            tool: true,
            target: None,
            radius_m: tool.tool.radius_m,
            material: BETWEEN_TOOLS,
        })
    }))
}

/// A tool and an obstacle at their relative pose.
pub(crate) struct Sides<'a> {
    pub tool: &'a Tool,
    pub body_from_tool: Pose,
    other: &'a MeshIndex,
    /// Sum of both radii.
    radius_m: f64,
    pub body_bound_m: f64,
    reach_m: f64,
}

impl<'a> Sides<'a> {
    pub fn new(tool: &'a Tool, body: &Around<'a>, asked: &ArmQuery) -> Self {
        Self {
            tool,
            body_from_tool: body.world_from_body.inverse() * asked.world_from_reference(),
            other: &body.shape.index,
            radius_m: tool.tool.radius_m + body.radius_m,
            body_bound_m: body.shape.bound_m + body.radius_m,
            reach_m: asked.reach_m,
        }
    }

    fn shapes(&self) -> ShapePair<'_> {
        ShapePair {
            a: &self.tool.shape.index,
            a_radius: self.radius_m,
            b: self.other,
            b_from_a: &self.body_from_tool,
        }
    }

    pub fn query<'p>(&self, proximity: &'p mut Proximity, budget: u64) -> NearSet<'p> {
        let shapes = self.shapes();
        let (a, b) = (shapes.a, shapes.b);
        let is_ball = a.mesh().is_none() || b.mesh().is_none();
        let budget = if is_ball { budget / BALL } else { budget };
        proximity.query_within(&shapes, self.reach_m, budget)
    }

    pub fn query_among<'p>(
        &self,
        proximity: &'p mut Proximity,
        candidates: &[[u32; 2]],
    ) -> Option<NearSet<'p>> {
        proximity.query_among(&self.shapes(), self.reach_m, candidates)
    }
}
