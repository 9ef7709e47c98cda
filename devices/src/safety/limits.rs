//! The limits that the governor keeps, and how limits from several sources combine.
//!
//! Three parties set limits: the arm's specification, the technician's configuration and the
//! application. The tighter value of each field applies, so nobody can loosen what another one set.
//! Pure values, no I/O.

use crate::arm::ArmSpec;
use thiserror::Error;

/// The limits that the governor never exceeds. SI units. `f64::INFINITY` means "no limit from this
/// source" where a field allows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest force magnitude, N.
    pub peak_force_n: f64,
    /// Largest force that may be held for ever, N (root mean square, see
    /// [`thermal`](super::thermal)).
    pub continuous_force_n: f64,
    /// Largest torque magnitude, N·m.
    pub peak_torque_nm: f64,
    /// Largest torque that may be held for ever, N·m (root mean square).
    pub continuous_torque_nm: f64,
    /// Time constant of the heating model behind the continuous limits, s.
    pub continuous_window_s: f64,
    /// Largest rate of change of the force vector, N/s.
    pub slew_n_per_s: f64,
    /// Largest rate of change of the torque vector, N·m/s.
    pub slew_nm_per_s: f64,
    /// Tool speed above which force is cut, m/s.
    pub velocity_limit_m_s: f64,
    /// Angular speed of the tool above which force is cut, rad/s.
    pub angular_velocity_limit_rad_s: f64,
    /// Motor temperature above which force fades, degrees Celsius; applies to arms that report one.
    pub max_temperature_c: f64,
    /// Time over which force rises from zero to full after a start or a fault, s.
    pub ramp_s: f64,
    /// Time over which force fades to zero on a cause that calls for a fade, ns.
    pub fade_ns: u64,
    /// Force engages only while less than this is wanted, N ("wait for small force").
    pub engage_force_n: f64,
    /// Force engages only while less torque than this is wanted, N·m.
    pub engage_torque_nm: f64,
    /// Number of ticks in a row with a small wanted force and torque before the ramp begins.
    pub engage_ticks: u32,
    /// Distance outside the workspace at which force has faded to zero, m.
    pub edge_fade_m: f64,
    /// A longer gap between two ticks is a stall, ns.
    pub stall_ns: u64,
    /// Age above which a device sample is stale, ns.
    pub stale_input_ns: u64,
    /// Age above which contact data are stale, ns.
    pub stale_contact_ns: u64,
    /// Thresholds of the oscillation detector.
    pub oscillation: OscillationLimits,
}

/// Thresholds of the [oscillation detector](super::oscillation).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OscillationLimits {
    /// Smallest motion of the tool between two reversals, m; at least four encoder steps.
    pub motion_m: f64,
    /// Smallest swing of the wanted force from one turning point to the next, N.
    pub force_n: f64,
    /// Smallest rotation of the tool between two reversals, rad; at least four encoder steps.
    pub turning_rad: f64,
    /// Smallest swing of the wanted torque from one turning point to the next, N·m.
    pub torque_nm: f64,
}

/// Last share of the continuous budget, over which the peak is lowered to the continuous limit.
pub(super) const THERMAL_KNEE: f64 = 0.3;

impl Default for Limits {
    /// Times that suit a 1 kHz loop; unlimited magnitudes, so that the arm's specification decides
    /// them.
    ///
    /// CHAI3D's "wait for small force" takes 0.2 N for more than 3 ticks; its rise time is 2 s,
    /// ours is 1 s.
    fn default() -> Self {
        Limits {
            peak_force_n: f64::INFINITY,
            continuous_force_n: f64::INFINITY,
            peak_torque_nm: f64::INFINITY,
            continuous_torque_nm: f64::INFINITY,
            continuous_window_s: 10.0,
            slew_n_per_s: f64::INFINITY,
            slew_nm_per_s: f64::INFINITY,
            velocity_limit_m_s: f64::INFINITY,
            angular_velocity_limit_rad_s: f64::INFINITY,
            max_temperature_c: 80.0,
            ramp_s: 1.0,
            fade_ns: 50_000_000,
            engage_force_n: 0.2,
            engage_torque_nm: 0.01,
            engage_ticks: 4,
            edge_fade_m: 0.01,
            stall_ns: 10_000_000,
            stale_input_ns: 5_000_000,
            stale_contact_ns: 20_000_000,
            oscillation: OscillationLimits {
                motion_m: 1e-4,
                force_n: 0.5,
                turning_rad: 3e-3,
                torque_nm: 0.02,
            },
        }
    }
}

/// Why a set of limits cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum LimitsError {
    /// A field is NaN or outside its allowed range.
    #[error("{field} is {value}, must be {must}")]
    OutOfRange {
        /// Field of [`Limits`].
        field: &'static str,
        /// Value of the field.
        value: f64,
        /// What the field must be.
        must: &'static str,
    },
    /// The slew limit would make a fade take longer than the fade time.
    #[error(
        "{field} is {value}, must be at least {least}: \
         a peak of {peak} must fade within {fade_ms} ms"
    )]
    SlewTooLow {
        /// Field of [`Limits`].
        field: &'static str,
        /// Value of the field.
        value: f64,
        /// Smallest allowed value.
        least: f64,
        /// Peak of the same channel, N or N·m.
        peak: f64,
        /// Fade time, ms.
        fade_ms: f64,
    },
    /// In one tick as long as a stall, the peak could heat the arm past the continuous limit.
    #[error(
        "{field} is {continuous}: with a peak of {peak} a tick as long as a stall would heat the arm \
         past it, so it must be at least {least:.4}, or the peak at most {most:.4} (or \
         continuous_window_s at least {needed_s:.1} instead of {window_s})"
    )]
    WindowTooShort {
        /// The continuous limit, a field of [`Limits`].
        field: &'static str,
        /// Value of the continuous limit.
        continuous: f64,
        /// Peak of the same channel.
        peak: f64,
        /// Smallest continuous limit for this peak.
        least: f64,
        /// Largest peak for this continuous limit.
        most: f64,
        /// Requested window, s.
        window_s: f64,
        /// Shortest window that can be kept, s.
        needed_s: f64,
    },
}

impl Limits {
    /// Returns the defaults, tightened by an arm's own limits.
    #[must_use]
    pub fn for_arm(spec: &ArmSpec) -> Self {
        Self::default().tightened_by_arm(spec)
    }

    /// Returns these limits, tightened by what the arm declares.
    ///
    /// A velocity limit of 0 means that the arm declares none (the angular one, if it measures no
    /// rotation), and tightens nothing.
    #[must_use]
    pub fn tightened_by_arm(&self, spec: &ArmSpec) -> Self {
        let or_none = |limit: f64| if limit > 0.0 { limit } else { f64::INFINITY };
        self.tightened(&Limits {
            peak_force_n: spec.peak_force_n,
            continuous_force_n: spec.continuous_force_n.min(spec.peak_force_n),
            peak_torque_nm: spec.peak_torque_nm,
            continuous_torque_nm: spec.continuous_torque_nm.min(spec.peak_torque_nm),
            slew_n_per_s: spec.max_force_slew_n_per_s,
            slew_nm_per_s: spec.max_torque_slew_nm_per_s,
            velocity_limit_m_s: or_none(spec.max_velocity_m_s),
            angular_velocity_limit_rad_s: or_none(spec.max_angular_velocity_rad_s),
            ..*self
        })
    }

    /// Returns the tighter of both, field by field. If one side is NaN, the other side applies.
    #[must_use]
    pub fn tightened(&self, other: &Limits) -> Self {
        let (a, b) = (self, other);
        Limits {
            peak_force_n: a.peak_force_n.min(b.peak_force_n),
            continuous_force_n: a.continuous_force_n.min(b.continuous_force_n),
            peak_torque_nm: a.peak_torque_nm.min(b.peak_torque_nm),
            continuous_torque_nm: a.continuous_torque_nm.min(b.continuous_torque_nm),
            continuous_window_s: a.continuous_window_s.min(b.continuous_window_s),
            slew_n_per_s: a.slew_n_per_s.min(b.slew_n_per_s),
            slew_nm_per_s: a.slew_nm_per_s.min(b.slew_nm_per_s),
            velocity_limit_m_s: a.velocity_limit_m_s.min(b.velocity_limit_m_s),
            angular_velocity_limit_rad_s: a
                .angular_velocity_limit_rad_s
                .min(b.angular_velocity_limit_rad_s),
            max_temperature_c: a.max_temperature_c.min(b.max_temperature_c),
            ramp_s: a.ramp_s.max(b.ramp_s),
            fade_ns: a.fade_ns.min(b.fade_ns),
            engage_force_n: a.engage_force_n.min(b.engage_force_n),
            engage_torque_nm: a.engage_torque_nm.min(b.engage_torque_nm),
            engage_ticks: a.engage_ticks.max(b.engage_ticks),
            edge_fade_m: a.edge_fade_m.min(b.edge_fade_m),
            stall_ns: a.stall_ns.min(b.stall_ns),
            stale_input_ns: a.stale_input_ns.min(b.stale_input_ns),
            stale_contact_ns: a.stale_contact_ns.min(b.stale_contact_ns),
            oscillation: OscillationLimits {
                motion_m: a.oscillation.motion_m.min(b.oscillation.motion_m),
                force_n: a.oscillation.force_n.min(b.oscillation.force_n),
                turning_rad: a.oscillation.turning_rad.min(b.oscillation.turning_rad),
                torque_nm: a.oscillation.torque_nm.min(b.oscillation.torque_nm),
            },
        }
    }

    /// Checks that the governor can keep these limits.
    ///
    /// # Errors
    /// The first field that is NaN, negative, zero where a time is needed, or unbounded where a
    /// bound is needed; or a [`LimitsError::WindowTooShort`].
    pub fn validate(&self) -> Result<(), LimitsError> {
        let bounded: [(&'static str, f64); 7] = [
            ("peak_force_n", self.peak_force_n),
            ("peak_torque_nm", self.peak_torque_nm),
            ("engage_force_n", self.engage_force_n),
            ("engage_torque_nm", self.engage_torque_nm),
            ("slew_n_per_s", self.slew_n_per_s),
            ("slew_nm_per_s", self.slew_nm_per_s),
            ("edge_fade_m", self.edge_fade_m),
        ];
        for (field, value) in bounded {
            if !(value.is_finite() && value >= 0.0) {
                return Err(LimitsError::OutOfRange {
                    field,
                    value,
                    must: "finite and not negative",
                });
            }
        }
        let not_negative: [(&'static str, f64); 8] = [
            ("continuous_force_n", self.continuous_force_n),
            ("continuous_torque_nm", self.continuous_torque_nm),
            ("velocity_limit_m_s", self.velocity_limit_m_s),
            (
                "angular_velocity_limit_rad_s",
                self.angular_velocity_limit_rad_s,
            ),
            ("oscillation.motion_m", self.oscillation.motion_m),
            ("oscillation.force_n", self.oscillation.force_n),
            ("oscillation.turning_rad", self.oscillation.turning_rad),
            ("oscillation.torque_nm", self.oscillation.torque_nm),
        ];
        for (field, value) in not_negative {
            if value.is_nan() || value < 0.0 {
                return Err(LimitsError::OutOfRange {
                    field,
                    value,
                    must: "a number, not negative",
                });
            }
        }
        if self.max_temperature_c.is_nan() {
            return Err(LimitsError::OutOfRange {
                field: "max_temperature_c",
                value: self.max_temperature_c,
                must: "a number",
            });
        }
        let positive: [(&'static str, f64); 4] = [
            ("continuous_window_s", self.continuous_window_s),
            ("ramp_s", self.ramp_s),
            ("fade_ns", self.fade_ns as f64),
            ("stall_ns", self.stall_ns as f64),
        ];
        for (field, value) in positive {
            if !(value.is_finite() && value > 0.0) {
                return Err(LimitsError::OutOfRange {
                    field,
                    value,
                    must: "finite and positive",
                });
            }
        }
        for (field, peak, continuous) in [
            (
                "continuous_force_n",
                self.peak_force_n,
                self.continuous_force_n,
            ),
            (
                "continuous_torque_nm",
                self.peak_torque_nm,
                self.continuous_torque_nm,
            ),
        ] {
            let needed_s = self.window_needed_s(peak, continuous);
            if self.continuous_window_s < needed_s {
                return Err(LimitsError::WindowTooShort {
                    field,
                    continuous,
                    peak,
                    least: peak / self.peak_for(1.0),
                    most: self.peak_for(continuous),
                    window_s: self.continuous_window_s,
                    needed_s,
                });
            }
        }
        Ok(())
    }

    /// Checks that a force at its peak can fade within `fade_ns`: the slew limit also bounds its
    /// fall.
    ///
    /// # Errors
    /// [`LimitsError::SlewTooLow`].
    pub fn validate_fade(&self) -> Result<(), LimitsError> {
        let fade_s = self.fade_ns as f64 * 1e-9;
        for (field, value, peak) in [
            ("slew_n_per_s", self.slew_n_per_s, self.peak_force_n),
            ("slew_nm_per_s", self.slew_nm_per_s, self.peak_torque_nm),
        ] {
            let least = peak / fade_s;
            // Allows for the rounding of the division.
            if value < least * (1.0 - 1e-9) {
                return Err(LimitsError::SlewTooLow {
                    field,
                    value,
                    least,
                    peak,
                    fade_ms: fade_s * 1e3,
                });
            }
        }
        Ok(())
    }

    /// Returns the shortest `continuous_window_s` in which no tick as long as a stall can heat the
    /// arm past the continuous limit, s.
    fn window_needed_s(&self, peak: f64, continuous: f64) -> f64 {
        // A continuous limit of zero lets nothing pass, so nothing is heated.
        if continuous > 0.0 {
            let excess = (peak / continuous).powi(2) - 1.0;
            self.stall_ns as f64 * 1e-9 * excess.max(0.0) / THERMAL_KNEE
        } else {
            0.0
        }
    }

    /// Returns the largest peak for a continuous limit in this window and with this stall, in the
    /// limit's unit. Inverse of what [`validate`](Self::validate) requires of the window.
    #[must_use]
    pub fn peak_for(&self, continuous: f64) -> f64 {
        let excess = THERMAL_KNEE * self.continuous_window_s / (self.stall_ns as f64 * 1e-9);
        // Slightly less, because the two directions of the formula round differently.
        continuous * (1.0 + excess).sqrt() * (1.0 - 1e-9)
    }

    /// Returns these limits, with a peak lowered if the window is too short for it.
    ///
    /// Combining valid limits field by field keeps every field in its range; only the ratio of peak
    /// to continuous limit can become too large for the window. After this, the combination of any
    /// valid limits can be kept, and is no looser.
    #[must_use]
    pub fn keepable(&self) -> Self {
        let peak = |peak: f64, continuous: f64| {
            if self.continuous_window_s < self.window_needed_s(peak, continuous) {
                self.peak_for(continuous)
            } else {
                peak
            }
        };
        Limits {
            peak_force_n: peak(self.peak_force_n, self.continuous_force_n),
            peak_torque_nm: peak(self.peak_torque_nm, self.continuous_torque_nm),
            ..*self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::spec;
    use super::*;

    #[test]
    fn nobody_can_loosen_what_another_one_set() {
        let technician = Limits {
            peak_force_n: 5.0,
            ramp_s: 3.0,
            ..Limits::default()
        };
        let app = Limits {
            peak_force_n: 50.0,
            ramp_s: 0.1,
            fade_ns: 1_000_000,
            ..Limits::default()
        };
        let both = technician.tightened(&app);
        assert_eq!(
            (both.peak_force_n, both.ramp_s, both.fade_ns),
            (5.0, 3.0, 1_000_000)
        );
        assert_eq!(both, app.tightened(&technician));
        assert_eq!(
            both,
            both.tightened(&technician),
            "tightening twice changes nothing"
        );
    }

    #[test]
    fn the_arm_bounds_the_magnitudes() {
        let limits = Limits::for_arm(&spec());
        assert_eq!(limits.peak_force_n, spec().peak_force_n);
        assert_eq!(limits.slew_n_per_s, spec().max_force_slew_n_per_s);
        assert_eq!(limits.validate(), Ok(()));
        let unlimited = Limits::default();
        assert!(matches!(
            unlimited.validate(),
            Err(LimitsError::OutOfRange {
                field: "peak_force_n",
                ..
            })
        ));
    }

    #[test]
    fn the_continuous_limit_never_exceeds_the_peak() {
        let boastful = ArmSpec {
            continuous_force_n: 11.0,
            continuous_torque_nm: 0.5,
            ..spec()
        };
        let bounded = Limits {
            peak_force_n: 10.0,
            continuous_force_n: 10.0,
            peak_torque_nm: 0.4,
            continuous_torque_nm: 0.4,
            slew_n_per_s: 2000.0,
            slew_nm_per_s: 80.0,
            velocity_limit_m_s: 1.5,
            angular_velocity_limit_rad_s: 20.0,
            ..Limits::default()
        };
        assert_eq!(Limits::for_arm(&boastful), bounded);
        let modest = Limits {
            continuous_force_n: 3.0,
            continuous_torque_nm: 0.15,
            ..bounded
        };
        assert_eq!(Limits::for_arm(&spec()), modest);
    }

    #[test]
    fn every_number_out_of_its_range_is_named() {
        type Spoil = fn(&mut Limits, f64);
        type Refused<'a> = (&'a [(&'a str, Spoil)], &'a [f64]);
        let bounded: [(&str, Spoil); 7] = [
            ("peak_force_n", |l, x| l.peak_force_n = x),
            ("peak_torque_nm", |l, x| l.peak_torque_nm = x),
            ("engage_force_n", |l, x| l.engage_force_n = x),
            ("engage_torque_nm", |l, x| l.engage_torque_nm = x),
            ("slew_n_per_s", |l, x| l.slew_n_per_s = x),
            ("slew_nm_per_s", |l, x| l.slew_nm_per_s = x),
            ("edge_fade_m", |l, x| l.edge_fade_m = x),
        ];
        let not_negative: [(&str, Spoil); 8] = [
            ("continuous_force_n", |l, x| l.continuous_force_n = x),
            ("continuous_torque_nm", |l, x| l.continuous_torque_nm = x),
            ("velocity_limit_m_s", |l, x| l.velocity_limit_m_s = x),
            ("angular_velocity_limit_rad_s", |l, x| {
                l.angular_velocity_limit_rad_s = x;
            }),
            ("oscillation.motion_m", |l, x| l.oscillation.motion_m = x),
            ("oscillation.force_n", |l, x| l.oscillation.force_n = x),
            ("oscillation.turning_rad", |l, x| {
                l.oscillation.turning_rad = x;
            }),
            ("oscillation.torque_nm", |l, x| l.oscillation.torque_nm = x),
        ];
        let positive: [(&str, Spoil); 4] = [
            ("continuous_window_s", |l, x| l.continuous_window_s = x),
            ("ramp_s", |l, x| l.ramp_s = x),
            ("fade_ns", |l, _| l.fade_ns = 0),
            ("stall_ns", |l, _| l.stall_ns = 0),
        ];
        let numbers: [(&str, Spoil); 1] = [("max_temperature_c", |l, x| l.max_temperature_c = x)];
        let endless = [f64::NAN, -1.0, f64::INFINITY];
        let refused: [Refused; 4] = [
            (&bounded, &endless),
            (&not_negative, &[f64::NAN, -1.0]),
            (&positive, &[f64::NAN, -1.0, 0.0, f64::INFINITY]),
            (&numbers, &[f64::NAN]),
        ];
        for (fields, values) in refused {
            for ((name, spoil), value) in fields
                .iter()
                .flat_map(|f| values.iter().map(move |v| (f, v)))
            {
                let mut limits = Limits::for_arm(&spec());
                spoil(&mut limits, *value);
                match limits.validate() {
                    Err(LimitsError::OutOfRange { field, .. }) => assert_eq!(field, *name),
                    other => panic!("{name} = {value}: {other:?}"),
                }
            }
        }
        // Zero is a valid limit: nothing passes.
        for (name, spoil) in bounded.iter().chain(&not_negative) {
            let mut limits = Limits::for_arm(&spec());
            spoil(&mut limits, 0.0);
            assert_eq!(limits.validate(), Ok(()), "{name}");
        }
    }

    #[test]
    fn an_arm_without_rotation_has_no_angular_velocity_limit() {
        let mut arm = spec();
        arm.max_angular_velocity_rad_s = 0.0;
        assert_eq!(
            Limits::for_arm(&arm).angular_velocity_limit_rad_s,
            f64::INFINITY
        );
    }

    #[test]
    fn a_field_that_is_not_a_number_is_named() {
        let mut limits = Limits::for_arm(&spec());
        limits.edge_fade_m = f64::NAN;
        match limits.validate() {
            Err(LimitsError::OutOfRange { field, value, .. }) => {
                assert_eq!(field, "edge_fade_m");
                assert!(value.is_nan());
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_slew_limit_that_outlasts_the_fade_is_refused() {
        let limits = Limits {
            peak_force_n: 4.0,
            peak_torque_nm: 0.1,
            slew_n_per_s: 80.0,
            slew_nm_per_s: 2.0,
            ..Limits::for_arm(&spec())
        };
        assert_eq!(limits.validate_fade(), Ok(()));
        for (field, slow) in [
            (
                "slew_n_per_s",
                Limits {
                    slew_n_per_s: 79.9,
                    ..limits
                },
            ),
            (
                "slew_nm_per_s",
                Limits {
                    slew_nm_per_s: 1.9,
                    ..limits
                },
            ),
        ] {
            let error = slow.validate_fade().unwrap_err();
            assert!(
                matches!(error, LimitsError::SlewTooLow { field: f, .. } if f == field),
                "{error}"
            );
        }
        let slow = Limits {
            slew_n_per_s: 79.9,
            ..limits
        };
        let Err(LimitsError::SlewTooLow { least, fade_ms, .. }) = slow.validate_fade() else {
            panic!("too slow for 4 N");
        };
        assert!((least - 80.0).abs() < 1e-9 && (fade_ms - 50.0).abs() < 1e-9);
        // A relative error of 1e-9 is the rounding of a number that was written down; more is
        // refused.
        for (short, is_kept) in [(1e-9, true), (2e-9, false)] {
            let hair = Limits {
                slew_n_per_s: least * (1.0 - short),
                ..limits
            };
            assert_eq!(hair.validate_fade().is_ok(), is_kept, "{short}");
        }
    }

    #[test]
    fn a_window_too_short_for_the_peak_is_refused() {
        let mut limits = Limits::for_arm(&spec());
        limits.peak_force_n = 30.0;
        limits.continuous_force_n = 1.0;
        // (30^2 - 1) * 0.01 s / 0.3 = 29.97 s, and the window is 10 s.
        match limits.validate() {
            Err(LimitsError::WindowTooShort {
                needed_s,
                least,
                most,
                ..
            }) => {
                assert!((needed_s - 29.966_666_667).abs() < 1e-6);
                // Each of the three remedies suffices, and only just.
                let just = Limits {
                    continuous_window_s: needed_s,
                    ..limits
                };
                assert_eq!(just.keepable(), just);
                let ways = |share: f64| {
                    [
                        Limits {
                            continuous_window_s: needed_s * share,
                            ..limits
                        },
                        Limits {
                            continuous_force_n: least * share,
                            ..limits
                        },
                        Limits {
                            peak_force_n: most / share,
                            ..limits
                        },
                    ]
                };
                for (share, is_kept) in [(1.0, true), (1.0 - 1e-6, false)] {
                    for way in ways(share) {
                        assert_eq!(way.validate().is_ok(), is_kept, "{way:?}");
                    }
                }
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_peak_that_the_window_does_not_allow_is_lowered_to_one() {
        let limits = Limits::for_arm(&spec());
        assert_eq!(limits.keepable(), limits, "nothing to lower");
        for continuous in [1e-300, 1e-9, 0.05, 0.2] {
            let tight = Limits {
                continuous_force_n: continuous,
                continuous_torque_nm: 0.0,
                ..limits
            };
            assert!(tight.validate().is_err(), "{continuous} N");
            let kept = tight.keepable();
            assert_eq!(kept.validate(), Ok(()), "{continuous} N");
            assert!(kept.peak_force_n > continuous && kept.peak_force_n < tight.peak_force_n);
            assert_eq!(kept.peak_torque_nm, tight.peak_torque_nm);
            let looser = Limits {
                peak_force_n: kept.peak_force_n * (1.0 + 1e-6),
                ..kept
            };
            assert!(looser.validate().is_err(), "no lower than needed");
        }
        // Torque likewise: lowered to the continuous limit times the root of 1 + 0.3 * 10 s / 10
        // ms.
        let weak = Limits {
            continuous_torque_nm: 0.01,
            ..limits
        };
        let kept = weak.keepable();
        assert!((kept.peak_torque_nm / (0.01 * 301.0_f64.sqrt()) - 1.0).abs() < 1e-8);
        assert_eq!(kept.peak_force_n, limits.peak_force_n);
    }
}
