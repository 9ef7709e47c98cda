//! Requests about workspaces, to start from.

use hapticd_protocol::{reply::ArmInfo, request::SetWorkspace, wire::NonNegative};

/// Speed of a frame that is neither felt as a jump nor waited for, m/s.
const SPEED_M_S: f64 = 0.5;

/// Returns the mapping that an arm has by its configuration, without a bubble. To be changed and
/// sent with [`Client::set_workspace`](crate::Client::set_workspace).
///
/// Lengths and poses are the world's, right-handed, z up. An application with other axes converts
/// its poses.
pub fn workspace(arm: &ArmInfo) -> SetWorkspace {
    SetWorkspace {
        world_from_base: arm.world_from_base,
        scale: NonNegative(arm.scale),
        max_speed_m_s: NonNegative(SPEED_M_S),
        bubble_center_m: [0.0; 3],
        bubble_radius_m: NonNegative(0.0),
        bubble_width_m: NonNegative(0.0),
        bubble_speed_m_s: NonNegative(0.0),
        bubble_stiffness_n_per_m: NonNegative(0.0),
        bubble_cap_n: NonNegative(0.0),
        arm: arm.index,
        recentre: false,
    }
}
