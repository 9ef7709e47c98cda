//! Device profiles: an arm's reports, units, geometry, limits and quirks as data, one TOML file per
//! model.
//!
//! A profile is checked as a whole when it is read: every mistake is reported at once, with its
//! line, and unknown keys are mistakes. A profile that passed cannot fail later for a reason of its
//! own. Reading allocates and is done before an arm is opened; it touches no device.
//!
//! # Keys
//!
//! | section | keys |
//! |---|---|
//! | `[identity]` | `name` |
//! | `[[identity.match]]` | `vendor_id`; optional `product_id`, `usage_page`, `usage`, `interface` |
//! | `[input]` | optional `ignored_report_ids` |
//! | `[[input.report]]` | `name`, `id` (0: the device numbers no reports), `bytes` (id included); optional `pose` = `whole`, `part` or `none` |
//! | `[[input.field]]` | `report`, `what` = `axis`, `buttons`, `calibrated`, `safety_switch`, `counter` or `temperature`, `bit_offset` (from the first bit of the report, id included), `bit_size` 1 to 32; optional `signed`, `endian` = `little` or `big`. `axis`: `index`, `unit`, `scale` (units per count), optional `offset`. `buttons`: `index` of the first. `calibrated`, `safety_switch`: optional `invert`. `temperature`: `scale` (°C per count), optional `offset` |
//! | `[[output.report]]` | `name`, `id`, `bytes`; optional `fill` |
//! | `[[output.field]]` | `report`, `what` = `effort`, `sequence` or `constant`, `bit_offset`, `bit_size`; optional `signed`, `endian`. `effort`: `index`, `unit` = `N` or `N*m`, `scale` (counts per unit), optional `zero` (counts that mean no force), `min`, `max` (counts). `constant`: `value` |
//! | `[kinematics]` | `model` = `cartesian`, `serial`, `pantograph`, `delta` or `rate`, and the model's own keys; optional tables `base_from_mechanism` and `flange_from_tool`, each `translation_m`, `roll_pitch_yaw_rad` |
//! | … `cartesian` | `translations` 1 to 3; optional `rotation` = `none`, `vector`, `roll_pitch_yaw` or `quaternion` |
//! | … `serial` | `[[kinematics.joint]]` with `kind` = `revolute` or `prismatic`, `a_m`, `alpha_rad`, `d_m`, `theta_rad`; optional `rotation` (default true), `coupling` (rows) |
//! | … `pantograph` | `base_m`, `left_inner_m`, `left_outer_m`, `right_inner_m`, `right_outer_m` |
//! | … `delta` | `base_radius_m`, `platform_radius_m`, `upper_arm_m`, `forearm_m`, `azimuths_rad` |
//! | … `rate` | optional `dead_band_m_s`, `dead_band_rad_s`, `max_step_ms`; six axes in `m/s` and `rad/s` |
//! | `[limits]` | `workspace_center_m`, `workspace_half_extents_m`, `max_velocity_m_s`; with force `peak_force_n`, `continuous_force_n`, `max_force_slew_n_per_s`; with torque `peak_torque_nm`, `continuous_torque_nm`, `max_torque_slew_nm_per_s`; with rotation `max_angular_velocity_rad_s` |
//! | `[mechanics]` | with force `mass_kg`, `damping_n_s_per_m`, `coulomb_friction_n`, `resolution_m`; with torque `inertia_kg_m2`, `angular_damping_nm_s_per_rad`, `angular_coulomb_friction_nm`, `resolution_rad` |
//! | `[timing]` | `native_period_us`; optional `transport_delay_us`, `linear_velocity_window_ms`, `angular_velocity_window_ms` |
//! | `[quirks]` | optional `leading_zero_on_write` (default: the reports have no id), `silent_at_rest` |
//! | `[[start]]`, `[[stop]]` | reports to send when the arm is opened and after the last command: `kind` = `output` or `feature`, `bytes` (id or 0 first) |

mod error;
pub mod generic;
mod read;
mod read_kinematics;
mod read_layout;
mod section;
mod shipped;

use std::sync::Arc;

pub use error::{Problem, ProfileErrors};
pub use shipped::{SHIPPED, Shipped, shipped};

use crate::arm::ArmSpec;
use crate::codec::Codec;
use crate::kinematics::{Mounted, Rate};
use crate::velocity::VelocityWindows;

/// The devices that a profile is for. Fields that are `None` match anything.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Match {
    /// USB (or Bluetooth) vendor id.
    pub vendor_id: u16,
    /// Product id.
    pub product_id: Option<u16>,
    /// Usage page of a top-level collection.
    pub usage_page: Option<u16>,
    /// Usage of the same top-level collection.
    pub usage: Option<u16>,
    /// USB interface of a composite device.
    pub interface: Option<u8>,
}

/// How axes become a pose.
#[derive(Clone, Debug)]
pub enum Model {
    /// The axes are positions.
    Position(Arc<Mounted>),
    /// The axes are velocities, which are integrated.
    Rate(Rate),
}

/// How a report is sent outside the loop.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum ReportKind {
    /// As an output report.
    Output,
    /// As a feature report over the control pipe, which is slow.
    Feature,
}

/// A report that is sent when an arm is opened or closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FixedReport {
    /// How the report is sent.
    pub kind: ReportKind,
    /// Bytes to send: the report id, or 0 if reports have none, then the data.
    pub bytes: Vec<u8>,
}

/// A checked profile: one model of arm.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The devices that it is for.
    pub matches: Vec<Match>,
    /// Codec of its reports.
    pub codec: Codec,
    /// Geometry of the arm.
    pub model: Model,
    /// Name, degrees of freedom, limits and mechanics.
    pub spec: ArmSpec,
    /// Windows of the velocity estimate.
    pub windows: VelocityWindows,
    /// The arm sends reports only while it moves, so silence means rest.
    pub silent_at_rest: bool,
    /// Reports sent when the arm is opened, in this order.
    pub start: Vec<FixedReport>,
    /// Reports sent after the last command, in this order.
    pub stop: Vec<FixedReport>,
}

impl Profile {
    /// Parses a profile. `source_name` is used only in messages.
    ///
    /// # Errors
    /// Every mistake in the text.
    pub fn parse(source_name: &str, text: &str) -> Result<Self, ProfileErrors> {
        read::profile(source_name, text)
    }
}

#[cfg(test)]
mod tests;
