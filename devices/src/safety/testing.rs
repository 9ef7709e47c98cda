//! Fixtures that the tests of this module share.

use crate::arm::{ArmSample, ArmSpec, ArmStatus, Vec3, Workspace};

/// A typical 6-DOF desktop arm.
pub(crate) fn spec() -> ArmSpec {
    ArmSpec {
        name: "test arm".into(),
        degrees_in: 6,
        degrees_out: 6,
        has_rotation: true,
        has_torque: true,
        peak_force_n: 10.0,
        continuous_force_n: 3.0,
        peak_torque_nm: 0.4,
        continuous_torque_nm: 0.15,
        max_force_slew_n_per_s: 2000.0,
        max_torque_slew_nm_per_s: 80.0,
        max_velocity_m_s: 1.5,
        max_angular_velocity_rad_s: 20.0,
        workspace: Workspace {
            center: Vec3::zeros(),
            half_extents: Vec3::new(0.1, 0.1, 0.1),
        },
        native_period_ns: 1_000_000,
        transport_delay_ns: 0,
        mass_kg: 0.2,
        damping_n_s_per_m: 2.0,
        coulomb_friction_n: 0.1,
        resolution_m: 2e-5,
        inertia_kg_m2: 1e-4,
        angular_damping_nm_s_per_rad: 1e-3,
        angular_coulomb_friction_nm: 1e-3,
        resolution_rad: 1e-4,
    }
}

/// A healthy sample at the origin that arrived at `time_ns`.
pub(crate) fn sample(time_ns: u64) -> ArmSample {
    ArmSample {
        time_ns,
        sequence: 1,
        status: ArmStatus::default(),
        ..ArmSample::default()
    }
}
