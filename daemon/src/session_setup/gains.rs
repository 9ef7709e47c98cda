//! Gains of an arm's coupling: what its timing allows, within the bounds of the configuration.
//!
//! Computed when a session is built and once a second; never in a tick.

use hapticd_config as config;
use hapticd_devices::arm::ArmSpec;
use hapticd_proxy::{Gains, LoopTiming};

/// Configured keys of a coupling's gains, in addition to what the arm's timing allows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CouplingKeys {
    /// Factor on the passive stiffness.
    pub auto_factor: f64,
    /// Upper bound of the stiffness.
    pub max_stiffness_n_per_m: Option<f64>,
    /// Stiffness regardless of every bound. Real arms have no such key in their configuration.
    pub forced_stiffness_n_per_m: Option<f64>,
    /// Damping regardless of every bound. Never set for a real arm.
    pub forced_damping_n_s_per_m: Option<f64>,
}

impl Default for CouplingKeys {
    /// Returns keys that give the stiffness that the arm alone can carry.
    fn default() -> Self {
        CouplingKeys {
            auto_factor: 1.0,
            max_stiffness_n_per_m: None,
            forced_stiffness_n_per_m: None,
            forced_damping_n_s_per_m: None,
        }
    }
}

impl From<&config::Arm> for CouplingKeys {
    fn from(arm: &config::Arm) -> Self {
        let (forced_stiffness_n_per_m, forced_damping_n_s_per_m) = match &arm.device {
            config::Device::Simulated {
                forced_stiffness_n_per_m,
                forced_damping_n_s_per_m,
                ..
            } => (*forced_stiffness_n_per_m, *forced_damping_n_s_per_m),
            config::Device::Hid { .. } => (None, None),
        };
        CouplingKeys {
            auto_factor: arm.auto_factor,
            max_stiffness_n_per_m: arm.max_stiffness_n_per_m,
            forced_stiffness_n_per_m,
            forced_damping_n_s_per_m,
        }
    }
}

impl CouplingKeys {
    /// Returns the keys without the forced values.
    pub fn unforced(self) -> Self {
        CouplingKeys {
            auto_factor: self.auto_factor,
            max_stiffness_n_per_m: self.max_stiffness_n_per_m,
            ..CouplingKeys::default()
        }
    }
}

/// Returns stable gains for an arm in a loop of this period. `answer_delay_s` is the time between a
/// sample's arrival and its answer, in addition to the arm's own delay. The configuration bounds
/// the gains; on a simulated arm it may also force them.
pub fn gains(spec: &ArmSpec, keys: &CouplingKeys, period_s: f64, answer_delay_s: f64) -> Gains {
    let linear = LoopTiming {
        // A loop that is faster than its arm sends several commands for one sample. They are the
        // same if nothing moves.
        period_s: period_s.max(spec.native_period_ns as f64 * 1e-9),
        delay_s: spec.transport_delay_ns as f64 * 1e-9 + answer_delay_s,
        damping_n_s_per_m: spec.damping_n_s_per_m,
        coulomb_friction_n: spec.coulomb_friction_n,
        resolution_m: spec.resolution_m,
    };
    let angular = LoopTiming {
        damping_n_s_per_m: spec.angular_damping_nm_s_per_rad,
        coulomb_friction_n: spec.angular_coulomb_friction_nm,
        resolution_m: spec.resolution_rad,
        ..linear
    };
    let angular = spec.has_torque.then_some(&angular);
    let mut gains = Gains::stable(&linear, angular, keys.auto_factor);
    if let Some(cap) = keys.max_stiffness_n_per_m {
        gains.stiffness_n_per_m = gains.stiffness_n_per_m.min(cap);
    }
    if let Some(forced) = keys.forced_stiffness_n_per_m {
        gains.stiffness_n_per_m = forced;
    }
    if let Some(forced) = keys.forced_damping_n_s_per_m {
        gains.damping_n_s_per_m = forced;
    }
    gains
}

/// Returns the time from a sample's arrival to the departure of the command that answers it, ns.
/// The loop adds this to the arm's own transport delay, which ends where this begins.
///
/// A real arm's thread sends a command when the next report comes. So this is a report's period,
/// whatever share of it the sample has waited for its tick. In virtual time a command leaves in its
/// tick. The sample has waited for that tick since it arrived, half of the arm's delay after it was
/// made.
pub fn answer_delay_ns(spec: &ArmSpec, period_ns: u64, virtual_time: bool) -> u64 {
    if !virtual_time {
        return spec.native_period_ns;
    }
    let (short, long) = (
        spec.native_period_ns.min(period_ns).max(1),
        spec.native_period_ns.max(period_ns),
    );
    let input_delay_ns = hapticd_devices::sim::SimArmParams::input_delay_of(spec);
    if long % short == 0 {
        input_delay_ns.next_multiple_of(short) - input_delay_ns
    } else {
        // The wait differs between samples, but is always shorter than this.
        short
    }
}

/// Returns that delay as measured: a sample that is older at its tick is answered that late.
pub fn measured_delay_s(spec: &ArmSpec, input_age_s: Option<f64>) -> f64 {
    (spec.native_period_ns as f64 * 1e-9).max(input_age_s.unwrap_or(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_devices::sim::SimArmParams;

    fn spec(native_us: u64, delay_us: u64) -> ArmSpec {
        ArmSpec {
            native_period_ns: native_us * 1000,
            transport_delay_ns: delay_us * 1000,
            ..SimArmParams::desktop().spec
        }
    }

    #[test]
    fn in_virtual_time_a_sample_waits_for_its_tick_alone() {
        // Report's period, delay and loop's period, us, and the wait.
        let known = [
            (1000, 0, 1000, 0),
            (1000, 500, 1000, 750),
            (1000, 2000, 1000, 0),
            (1000, 2002, 1000, 999),
            (1000, 500, 125, 0),
            (125, 500, 1000, 0),
            (125, 600, 1000, 75),
            (3000, 500, 1000, 750),
            (700, 500, 1000, 700),
        ];
        for (native_us, delay_us, period_us, wait_us) in known {
            let spec = spec(native_us, delay_us);
            let wait_ns = answer_delay_ns(&spec, period_us * 1000, true);
            assert_eq!(
                wait_ns,
                wait_us * 1000,
                "{native_us}, {delay_us}, {period_us}"
            );
            assert_eq!(
                answer_delay_ns(&spec, period_us * 1000, false),
                native_us * 1000
            );
        }
    }

    #[test]
    fn a_loop_that_is_faster_than_its_arm_renders_no_more() {
        let keys = CouplingKeys::default();
        let of = |period_s| gains(&spec(1000, 500), &keys, period_s, 1e-3).stiffness_n_per_m;
        assert_eq!(of(125e-6), of(1e-3));
        assert!(of(2e-3) < of(1e-3));
    }

    #[test]
    fn forced_gains_override_bounds() {
        let spec = spec(1000, 500);
        let of = |keys: &CouplingKeys| gains(&spec, keys, 1e-3, 1e-3);
        let auto = of(&CouplingKeys::default());
        let bounded = CouplingKeys {
            max_stiffness_n_per_m: Some(0.5 * auto.stiffness_n_per_m),
            ..CouplingKeys::default()
        };
        assert_eq!(of(&bounded).stiffness_n_per_m, 0.5 * auto.stiffness_n_per_m);
        let forced = CouplingKeys {
            forced_stiffness_n_per_m: Some(5000.0),
            forced_damping_n_s_per_m: Some(3.0),
            ..bounded
        };
        let gains = of(&forced);
        assert_eq!(
            (gains.stiffness_n_per_m, gains.damping_n_s_per_m),
            (5000.0, 3.0)
        );
        assert_eq!(of(&forced.unforced()), of(&bounded));
    }
}
