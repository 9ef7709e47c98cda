//! Settings of a soft scene.

use hapticd_geometry::Vec3;
use hapticd_scene::BroadPhaseKind;

/// Settings of a soft scene.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DeformableSettings {
    /// Length of a step, ticks; at least 1.
    pub step_ticks: u64,
    /// Number of substeps in a step.
    pub substeps: u32,
    /// Gravity, m/s².
    pub gravity_m_s2: Vec3,
    /// Period of the loop, s.
    pub period_s: f64,
    /// Broad phase. Does not change results.
    pub broad_phase: BroadPhaseKind,
}
