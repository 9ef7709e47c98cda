//! Limits that cannot be kept, reported by the keys and units of the file that they come from. The
//! governor has other names for some of them, and an arm's profile has others again.

use hapticd_config as config;
use hapticd_devices::arm::ArmSpec;
use hapticd_devices::safety::{Limits, LimitsError};

use super::{Fault, SessionSetupError};

/// Returns the limits that the governors of these arms could not keep. Each key is listed once,
/// even if it affects several arms.
pub fn unkept<'a>(
    limits: &Limits,
    arms: impl IntoIterator<Item = (&'a config::Arm, &'a ArmSpec)>,
) -> Vec<Fault> {
    let mut found: Vec<Fault> = Vec::new();
    for (arm, spec) in arms {
        let own = limits.tightened_by_arm(spec);
        let errors = [own.validate_fade().err(), own.validate().err()];
        for error in errors.into_iter().flatten() {
            let fault = fault(limits, arm, spec, error);
            if found.iter().all(|other| other.key != fault.key) {
                found.push(fault);
            }
        }
    }
    found
}

/// Origin of one of an arm's limits.
struct Place {
    /// Key of the configuration that sets the limit.
    path: String,
    /// Name of the limit in the message.
    name: String,
    /// Number of the governor's units in one unit of the key.
    scale: f64,
}

fn fault(limits: &Limits, arm: &config::Arm, spec: &ArmSpec, error: LimitsError) -> Fault {
    let (place, text) = match error {
        LimitsError::SlewTooLow {
            field,
            value,
            least,
            peak,
            fade_ms,
        } => {
            let is_force = field == "slew_n_per_s";
            let (configured, of_arm) = if is_force {
                (limits.slew_n_per_s, spec.max_force_slew_n_per_s)
            } else {
                (limits.slew_nm_per_s, spec.max_torque_slew_nm_per_s)
            };
            let unit = if is_force { "N" } else { "N m" };
            let (place, per) = if configured <= of_arm {
                let key = if is_force {
                    "slew_n_per_ms"
                } else {
                    "slew_nm_per_ms"
                };
                (of_safety(key, 1e3), "ms")
            } else if is_force {
                (of_arms(arm, "max_force_slew_n_per_s", "fade_ms"), "s")
            } else {
                (of_arms(arm, "max_torque_slew_nm_per_s", "fade_ms"), "s")
            };
            let text = format!(
                "{} is {} {unit}/{per}, must be at least {} {unit}/{per}: \
                 a peak of {peak} {unit} must fade within `safety.fade_ms`, which is {fade_ms} ms",
                place.name,
                strip_rounding(value / place.scale),
                round_up(least / place.scale),
            );
            (place, text)
        }
        LimitsError::WindowTooShort { field, .. } => {
            let (configured, of_arm) = if field == "continuous_force_n" {
                (limits.continuous_force_n, spec.continuous_force_n)
            } else {
                (limits.continuous_torque_nm, spec.continuous_torque_nm)
            };
            let place = if configured <= of_arm {
                of_safety(field, 1.0)
            } else {
                of_arms(arm, field, "continuous_window_s")
            };
            let text = error.to_string().replacen(field, &place.name, 1);
            (place, text)
        }
        LimitsError::OutOfRange { field, value, must } => {
            let place = match field {
                "fade_ns" => of_safety("fade_ms", 1e6),
                "stall_ns" => of_safety("stall_ms", 1e6),
                "slew_n_per_s" => of_safety("slew_n_per_ms", 1e3),
                "slew_nm_per_s" => of_safety("slew_nm_per_ms", 1e3),
                "oscillation.force_n" => of_safety("oscillation_force_n", 1.0),
                "oscillation.torque_nm" => of_safety("oscillation_torque_nm", 1.0),
                other => of_safety(other, 1.0),
            };
            let value = value / place.scale;
            let text = format!("{} is {value}, must be {must}", place.name);
            (place, text)
        }
    };
    Fault {
        key: place.path,
        file: None,
        error: SessionSetupError::Limits(text),
    }
}

fn of_safety(key: &str, scale: f64) -> Place {
    Place {
        path: format!("safety.{key}"),
        name: format!("`{key}`"),
        scale,
    }
}

/// Returns the place of a limit that the arm declares. A simulated arm has no such key: there
/// `instead`, a key of `[safety]`, must give way.
fn of_arms(arm: &config::Arm, key: &str, instead: &str) -> Place {
    let (path, whose) = match &arm.device {
        config::Device::Hid { profile, .. } => {
            let profile = match profile {
                config::NameOrPath::Name(name) => name.clone(),
                config::NameOrPath::Path(path) => path.display().to_string(),
            };
            let path = format!("arm.{}.profile", arm.name);
            (path, format!("its profile {profile}"))
        }
        config::Device::Simulated { .. } => (
            format!("safety.{instead}"),
            "every simulated arm".to_owned(),
        ),
    };
    Place {
        path,
        name: format!("arm `{}`: `{key}` of {whose}", arm.name),
        scale: 1.0,
    }
}

/// Removes the rounding error that a change of units leaves.
fn strip_rounding(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

/// Returns a number of few digits that is not less than `value`, apart from rounding errors in it.
fn round_up(value: f64) -> f64 {
    let unit = 10f64.powi(value.abs().max(1e-9).log10().floor() as i32 - 3);
    strip_rounding((value / unit - 1e-6).ceil() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reported_bound_suffices_and_has_few_digits() {
        for (bound, told) in [
            (0.08, 0.08),
            (80.0, 80.0),
            (4.0 / 0.03, 133.4),
            (0.2 / 0.07, 2.858),
            (1.0 / 3e4, 3.334e-5),
            (12_345.6, 12_350.0),
        ] {
            assert_eq!(round_up(bound), told);
        }
        assert_eq!(strip_rounding(0.1 + 0.2), 0.3);
    }
}
