//! A change of the frame in which an arm measures: how poses that stand still for the hand move in
//! the world.
//!
//! Pure functions, allocation-free.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Quat, Vec3};

/// A change of an arm's frame between two ticks.
#[derive(Clone, Copy, Debug)]
pub struct FrameChange {
    /// Pose of the arm's base in the world before.
    pub from: Pose,
    /// Pose of the arm's base in the world now.
    pub to: Pose,
    /// World metres per device metre now, over those before.
    pub ratio: f64,
    /// Rotation of the tool in its own axes.
    pub tool_turn: Quat,
}

impl FrameChange {
    /// Returns the change of the world's directions.
    fn turn(&self) -> Quat {
        self.to.rotation * self.from.rotation.inverse()
    }

    /// Returns where a tool is now, world frame, that has not moved for the hand.
    pub fn carry(&self, world_from_tool: &Pose) -> Pose {
        let turn = self.turn();
        let place = world_from_tool.translation.vector - self.from.translation.vector;
        let place = self.to.translation.vector + turn * (place * self.ratio);
        let rotation = turn * world_from_tool.rotation * self.tool_turn;
        Pose::from_parts(place.into(), rotation)
    }

    /// Returns a shift and a rotation vector, world axes, as the hand still sees them.
    pub(crate) fn carry_motion(&self, motion: &Motion) -> Motion {
        let turn = self.turn();
        let part = |first: usize| Vec3::new(motion[first], motion[first + 1], motion[first + 2]);
        let (shift, rotation) = (turn * (part(0) * self.ratio), turn * part(3));
        Motion::new(
            shift.x, shift.y, shift.z, rotation.x, rotation.y, rotation.z,
        )
    }
}
