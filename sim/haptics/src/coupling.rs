//! The virtual coupling: the spring-damper between where the hand is and where the tool is allowed to be.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic.
//!
//! # Theory
//!
//! The force on the arm is `F = k (p_proxy - p_device) + b d/dt(p_proxy - p_device)` and likewise for rotation
//! (Redon 2002, section 6.4.2, eq. 6.4; Colgate's damped spring). In free space the proxy is at the device pose,
//! so the deflection and its rate are both exactly zero and the arm is felt as it is. The damper may act on the device instead,
//! `F = k (p_proxy - p_device) - b d/dt p_device` (eq. 6.5): stabler, and felt everywhere.
//!
//! The stiffness is not a matter of taste. A spring rendered with period `T` and delay `t_d` by an arm with
//! viscous damping `b` feeds energy unless `k (T/2 + t_d) + B < b` (Colgate and Schenkel for `t_d = 0`; pure delay
//! adds `k t_d` of lost phase), and encoder steps `d` feed energy that only Coulomb friction `f_c` can take
//! away: `k < 2 f_c / d` (Abbott and Okamura 2005). [`RigTiming::stable_stiffness`] is the smaller of the two,
//! less a reserve.
//!
//! # Practice
//!
//! The daemon measures period and delay and recomputes the gains off the real-time thread;
//! materials may ask for less stiffness and never get more.

use hapticd_geometry::{Pose, Quat, Vec3};

/// What the stable gains follow from. SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigTiming {
    /// Period of the loop, s (measured).
    pub period_s: f64,
    /// Delay from a change at the hand to the force that answers it, beyond the sampling itself, s (measured).
    pub delay_s: f64,
    /// The arm's own viscous damping, N·s/m.
    pub damping_n_s_per_m: f64,
    /// The arm's own Coulomb friction, N.
    pub coulomb_friction_n: f64,
    /// Smallest position step that the encoders see, m.
    pub resolution_m: f64,
}

/// Share of the theoretical bound that is used: the bound is for a linear arm whose damping is known exactly.
const RESERVE: f64 = 0.8;
/// Share of the arm's damping that the virtual damper may use up.
const DAMPER_SHARE: f64 = 0.25;

impl RigTiming {
    /// Largest stiffness that stays passive, N/m, with the virtual damper of [`Self::stable_damping`] running.
    ///
    /// Zero if the timing or the arm gives no room (no damping, NaN): then nothing stiff can be rendered.
    pub fn stable_stiffness(&self) -> f64 {
        let lag = self.period_s / 2.0 + self.delay_s;
        // `f64::min` below drops a NaN, so a NaN must be seen here.
        if !(lag > 0.0 && self.damping_n_s_per_m > 0.0 && self.coulomb_friction_n >= 0.0) {
            return 0.0;
        }
        let viscous = (1.0 - DAMPER_SHARE) * self.damping_n_s_per_m / lag;
        let bound = if self.resolution_m > 0.0 {
            viscous.min(2.0 * self.coulomb_friction_n / self.resolution_m)
        } else {
            viscous
        };
        if bound.is_finite() && bound > 0.0 {
            RESERVE * bound
        } else {
            0.0
        }
    }

    /// Virtual damping that goes with it, N·s/m.
    pub fn stable_damping(&self) -> f64 {
        let b = RESERVE * DAMPER_SHARE * self.damping_n_s_per_m;
        if b.is_finite() && b > 0.0 { b } else { 0.0 }
    }
}

/// Gains of one arm's coupling, at the device.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Gains {
    /// N/m.
    pub stiffness_n_per_m: f64,
    /// N·s/m.
    pub damping_n_s_per_m: f64,
    /// N·m/rad.
    pub rotational_stiffness_nm_per_rad: f64,
    /// N·m·s/rad.
    pub rotational_damping_nm_s_per_rad: f64,
}

impl Gains {
    /// Translational gains from `linear`, rotational ones from `angular` (same formulas, with N·m·s/rad, N·m and
    /// rad in place of N·s/m, N and m).
    pub fn stable(linear: &RigTiming, angular: Option<&RigTiming>) -> Gains {
        Gains {
            stiffness_n_per_m: linear.stable_stiffness(),
            damping_n_s_per_m: linear.stable_damping(),
            rotational_stiffness_nm_per_rad: angular.map_or(0.0, RigTiming::stable_stiffness),
            rotational_damping_nm_s_per_rad: angular.map_or(0.0, RigTiming::stable_damping),
        }
    }
}

/// What the damper of the coupling acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Damping {
    /// The speed of the proxy relative to the device (equation 6.4): free motion stays free.
    #[default]
    Relative,
    /// The speed of the device (equation 6.5): the stabler variant, felt as friction everywhere.
    Device,
}

/// Force and torque at the tool's origin, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// N.
    pub force_n: Vec3,
    /// N·m.
    pub torque_nm: Vec3,
}

/// Deflections kept for the rate estimate: the window in samples.
const WINDOW: usize = 8;
/// Stiffness follows a change of material within about this many seconds, so that the force does not step.
const BLEND_S: f64 = 0.010;

/// The coupling of one arm with its short memory.
#[derive(Clone, Debug)]
pub struct Coupling {
    gains: Gains,
    damping: Damping,
    stiffness_n_per_m: f64,
    /// What is damped, up to a constant: the stretch, or the device's way back.
    history: [(Vec3, Vec3); WINDOW],
    filled: usize,
    next: usize,
    /// Rotation of the device in the previous tick, and all that it has turned back since the start.
    last: Option<(Quat, Vec3)>,
}

impl Coupling {
    /// A coupling at rest.
    pub fn new(gains: Gains, damping: Damping) -> Self {
        Coupling {
            gains,
            damping,
            last: None,
            stiffness_n_per_m: gains.stiffness_n_per_m,
            history: [(Vec3::zeros(), Vec3::zeros()); WINDOW],
            filled: 0,
            next: 0,
        }
    }

    /// Takes new gains; the stiffness then glides to them.
    pub fn set_gains(&mut self, gains: Gains) {
        self.gains = gains;
    }

    /// Gains in force.
    pub fn gains(&self) -> Gains {
        self.gains
    }

    /// Stiffness in force, N/m: on its way from one material's to the next's.
    pub fn stiffness_n_per_m(&self) -> f64 {
        self.stiffness_n_per_m
    }

    /// Forgets the past: after the proxy was placed anew.
    pub fn reset(&mut self) {
        self.filled = 0;
        self.next = 0;
        self.last = None;
        self.stiffness_n_per_m = self.gains.stiffness_n_per_m;
    }

    /// The wrench on the device. `material_stiffness` and `material_damping` cap the gains while something is
    /// touched (pass `None` in free space); `period_s` is the time since the previous call.
    pub fn wrench(
        &mut self,
        device: &Pose,
        proxy: &Pose,
        material: Option<(f64, f64)>,
        period_s: f64,
    ) -> Wrench {
        let stretch = proxy.translation.vector - device.translation.vector;
        let twist = (proxy.rotation * device.rotation.inverse()).scaled_axis();

        let wanted = match material {
            Some((k, _)) => k.min(self.gains.stiffness_n_per_m),
            None => self.gains.stiffness_n_per_m,
        };
        let share = (period_s / BLEND_S).clamp(0.0, 1.0);
        self.stiffness_n_per_m += (wanted - self.stiffness_n_per_m) * share;
        // The bound of stability may have come down: that one is not negotiable.
        self.stiffness_n_per_m = self.stiffness_n_per_m.min(self.gains.stiffness_n_per_m);

        let damped = match self.damping {
            Damping::Relative => (stretch, twist),
            Damping::Device => {
                let (before, back) = self.last.unwrap_or((device.rotation, Vec3::zeros()));
                let back = back - (device.rotation * before.inverse()).scaled_axis();
                self.last = Some((device.rotation, back));
                (-device.translation.vector, back)
            }
        };
        let (oldest, span) = if self.filled == 0 {
            (damped, 1)
        } else if self.filled < WINDOW {
            (self.history[0], self.filled)
        } else {
            (self.history[self.next], WINDOW)
        };
        self.history[self.next] = damped;
        self.next = (self.next + 1) % WINDOW;
        self.filled = (self.filled + 1).min(WINDOW);
        let window_s = span as f64 * period_s;
        let (rate, spin) = if window_s > 0.0 {
            (
                (damped.0 - oldest.0) / window_s,
                (damped.1 - oldest.1) / window_s,
            )
        } else {
            (Vec3::zeros(), Vec3::zeros())
        };

        let damping = match material {
            Some((_, b)) => b.min(self.gains.damping_n_s_per_m),
            None => self.gains.damping_n_s_per_m,
        };
        Wrench {
            force_n: stretch * self.stiffness_n_per_m + rate * damping,
            torque_nm: twist * self.gains.rotational_stiffness_nm_per_rad
                + spin * self.gains.rotational_damping_nm_s_per_rad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIG: RigTiming = RigTiming {
        period_s: 1e-3,
        delay_s: 1e-3,
        damping_n_s_per_m: 2.0,
        coulomb_friction_n: 0.1,
        resolution_m: 1e-5,
    };

    #[test]
    fn stiffness_falls_with_period_and_with_delay() {
        let k = RIG.stable_stiffness();
        assert!((k - 0.8 * 0.75 * 2.0 / 1.5e-3).abs() < 1e-9, "{k}");
        let slower = RigTiming {
            period_s: 2e-3,
            ..RIG
        };
        let later = RigTiming {
            delay_s: 2e-3,
            ..RIG
        };
        assert!(slower.stable_stiffness() < k && later.stable_stiffness() < k);
    }

    #[test]
    fn coarse_encoders_cap_stiffness() {
        let coarse = RigTiming {
            resolution_m: 1e-3,
            ..RIG
        };
        assert!((coarse.stable_stiffness() - 0.8 * 200.0).abs() < 1e-9);
    }

    #[test]
    fn nonsense_gives_no_stiffness() {
        for rig in [
            RigTiming {
                damping_n_s_per_m: f64::NAN,
                ..RIG
            },
            RigTiming {
                damping_n_s_per_m: 0.0,
                ..RIG
            },
            RigTiming {
                period_s: 0.0,
                delay_s: 0.0,
                ..RIG
            },
        ] {
            assert_eq!(rig.stable_stiffness(), 0.0, "{rig:?}");
        }
    }

    #[test]
    fn free_space_is_forceless_and_a_held_stretch_gives_the_spring() {
        let gains = Gains {
            stiffness_n_per_m: 500.0,
            damping_n_s_per_m: 1.0,
            ..Gains::default()
        };
        let mut c = Coupling::new(gains, Damping::Relative);
        for i in 0..20 {
            let p = Pose::translation(f64::from(i) * 0.01, 0.0, 0.0);
            assert_eq!(c.wrench(&p, &p, None, 1e-3), Wrench::default());
        }
        let device = Pose::translation(0.0, 0.0, -0.002);
        let mut w = Wrench::default();
        for _ in 0..20 {
            w = c.wrench(&device, &Pose::identity(), Some((400.0, 1.0)), 1e-3);
        }
        // The stiffness glides from 500 to the material's 400.
        assert!((w.force_n.z - 0.8).abs() < 0.03, "{w:?}");
    }
}
