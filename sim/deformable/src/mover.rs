//! How objects of the world move, and their poses in the dynamics.

use hapticd_geometry::Pose;
use hapticd_rays::RayScene;
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

/// Read access to the objects of the world: all that detection needs of them, by number.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    pub scene: &'a RayScene,
    pub movers: &'a [Mover],
    pub friction: &'a [f64],
    /// Objects that take part in no contact.
    pub ghosts: &'a [bool],
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
