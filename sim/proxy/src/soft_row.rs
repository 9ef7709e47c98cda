//! One row by which a soft surface stops the tool in a tick.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Vec3};

use crate::tool::ToolShape;

/// Tangent plane of a soft surface at the tool, for one tick.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DeformableRow {
    /// Number of the surface, see [`crate::DeformableSnapshot::body`].
    pub surface: u8,
    /// The tool's point at the start of the tick, world frame, m.
    pub tool_point: Vec3,
    /// Point of the other side, m.
    pub point: Vec3,
    /// Unit normal, towards the tool.
    pub normal: Vec3,
    /// Distance along the normal less the half thicknesses, m.
    pub gap_m: f64,
    /// Approach of the surface along the normal in this tick, m; not negative.
    pub approach_m: f64,
    /// Motion of the surface in this tick.
    pub carrier: Motion,
}

/// Age of the answer in this tick.
#[derive(Clone, Copy)]
pub(crate) struct Moment {
    /// Time for which surfaces have moved on since the answer, s.
    pub age_s: f64,
    /// Time for which they move in this tick, s; 0 if they stand still.
    pub period_s: f64,
}

/// The tool whose rows are searched in a tick.
#[derive(Clone, Copy)]
pub(crate) struct RowQuery<'a> {
    pub tool: &'a ToolShape,
    /// Pose of the tool.
    pub pose: &'a Pose,
    pub moment: Moment,
    /// Rows farther from the tool than this do not count, m.
    pub band_m: f64,
}

impl DeformableRow {
    /// Creates a row. `surface` is its number; the points are the tool's and the other side's,
    /// followed by the normal; `step` is the motion of the surface in this tick, m.
    pub(crate) fn new(
        surface: u8,
        (tool_point, point, normal): (Vec3, Vec3, Vec3),
        gap_m: f64,
        step: &Vec3,
    ) -> DeformableRow {
        DeformableRow {
            surface,
            tool_point,
            point,
            normal,
            gap_m,
            approach_m: step.dot(&normal).max(0.0),
            carrier: Motion::new(step.x, step.y, step.z, 0.0, 0.0, 0.0),
        }
    }
}
