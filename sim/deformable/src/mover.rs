//! How an object of the world moves, and its pose in the dynamics.

use hapticd_geometry::Pose;
use hapticd_xpbd::{BodyId, BodyState, DeformableId};

/// How an object moves.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mover {
    /// The number is free.
    Gone,
    Fixed,
    /// `body_from_mesh`: transform from the mesh's frame to the principal axes at the centre of
    /// mass.
    Body {
        body: BodyId,
        body_from_mesh: Pose,
    },
    Deformable(DeformableId),
}

pub(crate) fn pose_of(state: &BodyState) -> Pose {
    Pose::from_parts(state.position.into(), state.rotation)
}

pub(crate) fn state_of(pose: &Pose) -> BodyState {
    BodyState {
        rotation: pose.rotation,
        ..BodyState::at(pose.translation.vector)
    }
}
