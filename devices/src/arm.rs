//! Types that every arm shares: the newest sample, the command, and the specification.
//!
//! All quantities are in the arm's *base frame* (fixed to the arm's foot): poses are
//! `base_from_tool`, and forces act at the tool origin. The daemon places the base in the world.
//! Nothing here blocks or does I/O. [`ArmSample`] and [`ArmCommand`] are `Copy`, so they can cross
//! a lock-free mailbox.

/// A point or a vector, in metres, newtons or metres per second, as named where it is used.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A rigid transform, named `to_from_what`.
pub type Pose = nalgebra::Isometry3<f64>;

/// Largest length of an arm and coordinate of its pose, m; the same as for meshes. Beyond it, the
/// rounding of a coordinate is no longer small against the clearance.
pub const MAX_COORDINATE_M: f64 = 1e4;
/// Largest number of degrees of freedom of an arm.
pub const MAX_AXES: usize = 7;
/// One number for each axis of an arm; axes that it lacks are zero.
///
/// As positions: metres or radians. As efforts: the dual, newtons or newton metres.
pub type Axes = [f64; MAX_AXES];

/// What an arm reports about itself apart from its pose.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct ArmStatus {
    /// The arm knows its absolute position. `true` for arms that need no calibration.
    pub calibrated: bool,
    /// The dead-man or safety switch is closed, or the arm has none: the hand permits force.
    pub safety_switch_closed: bool,
    /// The input queue was full when it was drained: the reader had stalled and reports were lost.
    pub input_stalled: bool,
    /// The kinematic model gave no pose for the joints that were read (singular or out of reach),
    /// or a pose beyond [`MAX_COORDINATE_M`]. The sample repeats the last good pose.
    pub pose_invalid: bool,
}

impl Default for ArmStatus {
    /// Ready and healthy.
    fn default() -> Self {
        Self {
            calibrated: true,
            safety_switch_closed: true,
            input_stalled: false,
            pose_invalid: false,
        }
    }
}

/// The newest state of an arm, in the arm's base frame.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ArmSample {
    /// Arrival time of the report, nanoseconds on the daemon's monotonic clock.
    pub time_ns: u64,
    /// Number of input reports decoded since the arm was opened, this one included. Starts at 1; 0
    /// means "none yet".
    pub sequence: u64,
    /// Pose of the tool in the base frame.
    pub pose: Pose,
    /// Velocity of the tool origin, m/s, estimated over the window that the transport documents.
    pub linear_velocity: Vec3,
    /// Angular velocity of the tool, rad/s.
    pub angular_velocity: Vec3,
    /// One bit per button, bit 0 for the first; 1 is pressed.
    pub buttons: u32,
    /// Number of queued reports skipped to reach this one.
    pub skipped: u32,
    /// Temperature of the hottest motor, degrees Celsius, if the arm reports one.
    pub temperature_c: Option<f32>,
    /// What the arm reports about itself.
    pub status: ArmStatus,
}

impl Default for ArmSample {
    /// No report yet: sequence 0, at rest at the base origin, not calibrated, safety switch open.
    fn default() -> Self {
        Self {
            time_ns: 0,
            sequence: 0,
            pose: Pose::identity(),
            linear_velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            buttons: 0,
            skipped: 0,
            temperature_c: None,
            status: ArmStatus {
                calibrated: false,
                safety_switch_closed: false,
                input_stalled: false,
                pose_invalid: false,
            },
        }
    }
}

/// A force and a torque in the base frame, acting at the tool origin.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force, N.
    pub force_n: Vec3,
    /// Torque about the tool origin, N·m.
    pub torque_nm: Vec3,
}

impl Wrench {
    /// Returns zero force and zero torque.
    #[must_use]
    pub fn zero() -> Self {
        Self::default()
    }

    /// Returns whether every component is finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.force_n
            .iter()
            .chain(self.torque_nm.iter())
            .all(|x| x.is_finite())
    }
}

/// A command to an arm.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct ArmCommand {
    /// Tick number of the loop, or any other number that grows with every new command.
    pub sequence: u64,
    /// Wrench that the motors shall produce at the tool origin.
    pub wrench: Wrench,
}

/// An axis-aligned box in the base frame in which the arm is meant to be used.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Workspace {
    /// Centre of the box, m.
    pub center: Vec3,
    /// Half of its edge lengths, m, all positive.
    pub half_extents: Vec3,
}

/// What an arm declares: degrees of freedom, limits, mechanics and clock. The safety governor
/// applies its limits, whoever sends the command.
///
/// Limits and mechanics that do not apply are zero: force and mass for an arm without motors,
/// torque and inertia for an arm without torque, angular velocity for an arm that measures no
/// rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmSpec {
    /// Name for logs and for people.
    pub name: String,
    /// Number of measured degrees of freedom, 1 to 7.
    pub degrees_in: u8,
    /// Number of driven degrees of freedom, 0 to 7.
    pub degrees_out: u8,
    /// Whether the arm measures the rotation of the pose.
    pub has_rotation: bool,
    /// Whether the arm can make torque at the tool.
    pub has_torque: bool,
    /// Largest force magnitude that may ever be sent to the arm, N.
    pub peak_force_n: f64,
    /// Largest force magnitude that the arm may hold for ever, N.
    pub continuous_force_n: f64,
    /// Largest torque magnitude that may ever be sent to the arm, N·m.
    pub peak_torque_nm: f64,
    /// Largest torque magnitude that the arm may hold for ever, N·m.
    pub continuous_torque_nm: f64,
    /// Largest rate of change of the force, N/s.
    pub max_force_slew_n_per_s: f64,
    /// Largest rate of change of the torque, N·m/s.
    pub max_torque_slew_nm_per_s: f64,
    /// Tool speed above which something is wrong, m/s.
    pub max_velocity_m_s: f64,
    /// Angular speed of the tool above which something is wrong, rad/s.
    pub max_angular_velocity_rad_s: f64,
    /// Region in which the arm is meant to be used.
    pub workspace: Workspace,
    /// Report period of the arm, ns.
    pub native_period_ns: u64,
    /// Delay from a command leaving the daemon to its effect in a sample, in addition to one sample
    /// period, ns.
    pub transport_delay_ns: u64,
    /// Apparent mass at the tool, kg.
    pub mass_kg: f64,
    /// Viscous damping at the tool, N·s/m (`b` of the passivity bound of Colgate and Schenkel).
    pub damping_n_s_per_m: f64,
    /// Coulomb friction at the tool, N (`f_c` of Abbott and Okamura).
    pub coulomb_friction_n: f64,
    /// Position resolution at the tool, m (`Delta` of Abbott and Okamura).
    pub resolution_m: f64,
    /// Apparent moment of inertia of the handle, kg·m².
    pub inertia_kg_m2: f64,
    /// Rotational damping, N·m·s/rad.
    pub angular_damping_nm_s_per_rad: f64,
    /// Rotational Coulomb friction, N·m.
    pub angular_coulomb_friction_nm: f64,
    /// Rotational resolution, rad.
    pub resolution_rad: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_that_was_never_read_permits_no_force() {
        let sample = ArmSample::default();
        assert_eq!(sample.sequence, 0);
        assert!(!sample.status.calibrated && !sample.status.safety_switch_closed);
    }

    #[test]
    fn one_bad_component_makes_a_wrench_not_finite() {
        for i in 0..6 {
            for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
                let mut wrench = Wrench::zero();
                if i < 3 {
                    wrench.force_n[i] = bad;
                } else {
                    wrench.torque_nm[i - 3] = bad;
                }
                assert!(!wrench.is_finite());
            }
        }
        assert!(Wrench::zero().is_finite());
    }
}
