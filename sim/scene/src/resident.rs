//! A body and a tool as the scene has them.

use hapticd_geometry::Pose;
use hapticd_proxy::{BodyKey, BodyTarget, Query, ToolShape};

use crate::body::{BodySpec, Shape};

pub(crate) struct Resident {
    pub key: BodyKey,
    pub id: u32,
    pub spec: BodySpec,
    pub target: Option<BodyTarget>,
    /// Last known pose.
    pub pose: Pose,
}

impl Resident {
    /// Pose as reported by the loop, or the initial pose if the loop does not know it yet.
    pub fn pose_in(&self, query: &Query) -> Pose {
        query.pose_of(self.key).unwrap_or(self.spec.world_from_body)
    }
}

pub(crate) struct Tool {
    pub shape: Shape,
    pub tool: ToolShape,
}
