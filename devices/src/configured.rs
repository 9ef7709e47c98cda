//! From the configuration's sections to the settings of this crate: `[safety]`, and what `[[arm]]`
//! says of a simulated arm and its hand. Allocates; start-up and reloads only.

use hapticd_config as config;

use crate::safety::{Limits, OscillationLimits};
use crate::sim::{HandParams, Intention, IntentionError, Keyframe, Pattern, SimArmParams, Track};

impl From<&config::Safety> for Limits {
    /// Takes all keys of `[safety]`. The detector of oscillations also has thresholds without a
    /// key.
    fn from(keys: &config::Safety) -> Self {
        let ns = |ms: f64| (ms * 1e6) as u64;
        Limits {
            peak_force_n: keys.peak_force_n,
            continuous_force_n: keys.continuous_force_n,
            peak_torque_nm: keys.peak_torque_nm,
            continuous_torque_nm: keys.continuous_torque_nm,
            continuous_window_s: keys.continuous_window_s,
            slew_n_per_s: keys.slew_n_per_ms * 1e3,
            slew_nm_per_s: keys.slew_nm_per_ms * 1e3,
            velocity_limit_m_s: keys.velocity_limit_m_s,
            angular_velocity_limit_rad_s: keys.angular_velocity_limit_rad_s,
            max_temperature_c: keys.max_temperature_c,
            ramp_s: keys.ramp_s,
            fade_ns: ns(keys.fade_ms),
            engage_force_n: keys.engage_force_n,
            engage_torque_nm: keys.engage_torque_nm,
            engage_ticks: keys.engage_ticks,
            edge_fade_m: keys.edge_fade_m,
            stall_ns: ns(keys.stall_ms),
            stale_input_ns: ns(keys.stale_input_ms),
            stale_contact_ns: ns(keys.stale_contact_ms),
            oscillation: OscillationLimits {
                force_n: keys.oscillation_force_n,
                torque_nm: keys.oscillation_torque_nm,
                ..Limits::default().oscillation
            },
        }
    }
}

impl From<&config::Mechanics> for SimArmParams {
    /// Makes the desktop arm with these mechanics.
    fn from(keys: &config::Mechanics) -> Self {
        let mut spec = SimArmParams::desktop().spec;
        spec.mass_kg = keys.mass_kg;
        spec.damping_n_s_per_m = keys.damping_n_s_per_m;
        spec.coulomb_friction_n = keys.coulomb_friction_n;
        spec.resolution_m = keys.resolution_m;
        spec.peak_force_n = keys.saturation_n;
        spec.continuous_force_n = spec.continuous_force_n.min(keys.saturation_n);
        spec.native_period_ns = 1_000_000_000 / u64::from(keys.report_rate_hz.max(1));
        spec.transport_delay_ns = u64::from(keys.delay_us) * 1000;
        SimArmParams::of(spec)
    }
}

impl From<&config::Hand> for HandParams {
    /// Makes a relaxed hand with this grip.
    fn from(keys: &config::Hand) -> Self {
        HandParams {
            stiffness_n_per_m: keys.stiffness_n_per_m,
            damping_n_s_per_m: keys.damping_n_s_per_m,
            ..HandParams::relaxed()
        }
    }
}

impl TryFrom<config::HandIntention> for Intention {
    type Error = IntentionError;

    /// Takes the intention of a file.
    ///
    /// # Errors
    /// What [`Intention::validate`] and [`Track::new`] refuse.
    fn try_from(file: config::HandIntention) -> Result<Self, IntentionError> {
        use config::HandIntention as File;
        let intention = match file {
            File::Rest { at, rotation } => Intention::Rest { at, rotation },
            File::Press {
                from,
                rotation,
                depth_m,
                move_s,
                hold_s,
            } => Intention::Press {
                from,
                rotation,
                depth_m,
                move_s,
                hold_s,
            },
            File::Explore {
                center,
                rotation,
                half_width_m,
                pressure_depth_m,
                speed_m_s,
                pattern,
            } => Intention::Explore {
                center,
                rotation,
                half_width_m,
                pressure_depth_m,
                speed_m_s,
                pattern: match pattern {
                    config::HandPattern::Raster => Pattern::Raster,
                    config::HandPattern::Lissajous => Pattern::Lissajous,
                },
            },
            File::Circle {
                center,
                rotation,
                radius_m,
                period_s,
                turn_along,
            } => Intention::Circle {
                center,
                rotation,
                radius_m,
                period_s,
                turn_along,
            },
            File::Recorded { track } => Intention::Recorded {
                track: poses(track)?,
            },
            File::Script { track, repeat } => Intention::Script {
                track: poses(track)?,
                repeat,
            },
            File::Dash {
                center,
                half_extents,
                speed_m_s,
                turn_rad,
                seed,
            } => Intention::Dash {
                center,
                half_extents,
                speed_m_s,
                turn_rad,
                seed,
            },
        };
        intention.validate()?;
        Ok(intention)
    }
}

fn poses(keys: Vec<config::HandKey>) -> Result<Track, IntentionError> {
    let keys = keys.into_iter().map(|key| Keyframe {
        t_s: key.t_s,
        position: key.position,
        rotation: key.rotation,
    });
    Track::new(keys.collect())
}
