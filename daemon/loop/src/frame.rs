//! Frame of an arm: where its base is in the world, and how its poses, gains, springs and wrenches
//! cross from one side to the other.
//!
//! Pure, allocation-free, deterministic.

use hapticd_devices::arm::Wrench;
use hapticd_devices::safety::{Ends, Spring};
use hapticd_geometry::{Pose, Quat};
use hapticd_proxy::{Gains, SpringState};

/// Pose of an arm's base in the world, and the scale of its motions there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmFrame {
    /// Pose of the arm's base in the world.
    pub world_from_base: Pose,
    /// World metres per device metre.
    pub scale: f64,
    /// Rotation from the tool's axes to the hand's, which a clutch has left; `None`: they are the
    /// same.
    pub hand_from_tool: Option<Quat>,
}

impl ArmFrame {
    /// Makes a frame whose tool has the axes of the hand.
    #[must_use]
    pub fn new(world_from_base: Pose, scale: f64) -> Self {
        ArmFrame {
            world_from_base,
            scale,
            hand_from_tool: None,
        }
    }

    /// Converts a tool pose in the base frame to the world frame.
    pub fn to_world(&self, base_from_tool: &Pose) -> Pose {
        let mut scaled = *base_from_tool;
        scaled.translation.vector *= self.scale;
        if let Some(turn) = &self.hand_from_tool {
            scaled.rotation *= turn;
        }
        self.world_from_base * scaled
    }

    /// Converts gains at the device to gains in the world. A metre at the device is `scale` metres
    /// in the world, while a force is the same on both sides. Angles are also the same on both
    /// sides, so torque scales relative to force with the world.
    pub(crate) fn to_world_gains(self, device: &Gains) -> Gains {
        Gains {
            stiffness_n_per_m: device.stiffness_n_per_m / self.scale,
            damping_n_s_per_m: device.damping_n_s_per_m / self.scale,
            rotational_stiffness_nm_per_rad: device.rotational_stiffness_nm_per_rad * self.scale,
            rotational_damping_nm_s_per_rad: device.rotational_damping_nm_s_per_rad * self.scale,
        }
    }

    /// Converts the state of the spring from the world frame to the device's base frame.
    pub(crate) fn to_base_spring(self, world: &SpringState) -> Spring {
        let mut far_end = self.world_from_base.inverse() * world.far_end;
        far_end.translation.vector /= self.scale;
        let mut centre = world.centre / self.scale;
        if let Some(turn) = &self.hand_from_tool {
            far_end.rotation *= turn.inverse();
            centre = turn * centre;
        }
        let (energy, before) = (&world.energy, &world.energy.before);
        let per_scale = |joules: f64| joules / self.scale;
        // The force is equal on both sides, but acts over a longer path in the world.
        let at_device = |[k, turning]: [f64; 2]| [k * self.scale, turning / self.scale];
        Spring {
            far_end,
            centre,
            stored_j: energy.stored_j.map(per_scale),
            stiffness: at_device(energy.stiffness),
            before: Ends {
                stiffness: at_device(before.stiffness),
                none_j: before.none_j.map(per_scale),
                hand_j: before.hand_j.map(per_scale),
                far_j: before.far_j.map(per_scale),
                both_j: before.both_j.map(per_scale),
            },
            held_by_movers: world.held_by_movers,
        }
    }

    /// Converts a wrench in the world to the wrench at the hand, in base axes. The tool's levers
    /// are device metres to the hand. So a tick's work on the hand is the work in the world divided
    /// by the scale, and a surface at rest takes none of it.
    pub(crate) fn to_base(self, world: &hapticd_proxy::Wrench) -> Wrench {
        let base_from_world = self.world_from_base.rotation.inverse();
        Wrench {
            force_n: base_from_world * world.force_n,
            torque_nm: base_from_world * world.torque_nm / self.scale,
        }
    }
}
