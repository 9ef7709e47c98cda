//! The limits that the loop keeps: the strictest of the configuration's and the clients', composed
//! at a tick boundary.
//!
//! # Owners
//!
//! Two threads set the limits. Each has a separate mailbox and is the only owner of its values:
//!
//! * the supervisor: the configuration's limits and the measured gains ([`Configured`]),
//! * the clients' server: the restrictions by arm and the clears of latched faults
//!   ([`Restrictions`]).
//!
//! An owner keeps the whole value and publishes it whole, so no change is lost when the loop skips
//! a value. Neither owner needs the other thread: a client's request is in force at the next tick
//! whatever the supervisor does.
//!
//! The loop composes both ([`Composer`]). After the tick that kept them, it publishes their
//! versions and the limits of each arm ([`InForce`]). A client's request is reported as done only
//! from this answer.
//!
//! The functions that the loop calls are real-time: they neither allocate, lock nor block.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hapticd_devices::safety::Limits;
use hapticd_proxy::{Gains, MAX_ARMS};
use hapticd_sync::latest;

use super::core::LoopCore;

/// A client's limits on top of the configuration's, SI units. Infinite means no restriction. No
/// value is negative or NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Restriction {
    pub peak_force_n: f64,
    pub continuous_force_n: f64,
    pub peak_torque_nm: f64,
    pub continuous_torque_nm: f64,
    pub slew_n_per_s: f64,
    pub slew_nm_per_s: f64,
    pub velocity_m_s: f64,
    pub angular_velocity_rad_s: f64,
}

impl Restriction {
    /// Restricts nothing.
    pub const NONE: Self = Restriction {
        peak_force_n: f64::INFINITY,
        continuous_force_n: f64::INFINITY,
        peak_torque_nm: f64::INFINITY,
        continuous_torque_nm: f64::INFINITY,
        slew_n_per_s: f64::INFINITY,
        slew_nm_per_s: f64::INFINITY,
        velocity_m_s: f64::INFINITY,
        angular_velocity_rad_s: f64::INFINITY,
    };

    /// The stricter of both, field by field.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        Restriction {
            peak_force_n: self.peak_force_n.min(other.peak_force_n),
            continuous_force_n: self.continuous_force_n.min(other.continuous_force_n),
            peak_torque_nm: self.peak_torque_nm.min(other.peak_torque_nm),
            continuous_torque_nm: self.continuous_torque_nm.min(other.continuous_torque_nm),
            slew_n_per_s: self.slew_n_per_s.min(other.slew_n_per_s),
            slew_nm_per_s: self.slew_nm_per_s.min(other.slew_nm_per_s),
            velocity_m_s: self.velocity_m_s.min(other.velocity_m_s),
            angular_velocity_rad_s: self
                .angular_velocity_rad_s
                .min(other.angular_velocity_rad_s),
        }
    }

    /// Applies this restriction to `limits`: takes the smaller of each magnitude and keeps the
    /// rest.
    #[must_use]
    pub fn applied_to(&self, limits: &Limits) -> Limits {
        let l = limits;
        Limits {
            peak_force_n: l.peak_force_n.min(self.peak_force_n),
            continuous_force_n: l.continuous_force_n.min(self.continuous_force_n),
            peak_torque_nm: l.peak_torque_nm.min(self.peak_torque_nm),
            continuous_torque_nm: l.continuous_torque_nm.min(self.continuous_torque_nm),
            slew_n_per_s: l.slew_n_per_s.min(self.slew_n_per_s),
            slew_nm_per_s: l.slew_nm_per_s.min(self.slew_nm_per_s),
            velocity_limit_m_s: l.velocity_limit_m_s.min(self.velocity_m_s),
            angular_velocity_limit_rad_s: l
                .angular_velocity_limit_rad_s
                .min(self.angular_velocity_rad_s),
            ..*limits
        }
    }
}

/// The supervisor's values for the loop.
#[derive(Clone, Copy, Debug)]
pub struct Configured {
    /// Counts changes.
    pub version: u64,
    /// The configuration's limits, for all arms.
    pub limits: Limits,
    /// The coupling's gains by arm, once they are measured.
    pub gains: [Option<Gains>; MAX_ARMS],
    /// Counts the reloads that change surfaces.
    pub surfaces: u64,
}

/// The clients' server's values for the loop.
#[derive(Clone, Copy, Debug)]
pub struct Restrictions {
    /// Counts changes.
    pub version: u64,
    /// By arm, the strictest of all restrictions that were not released.
    pub arms: [Restriction; MAX_ARMS],
    /// By arm, counts the requests to clear latched faults.
    pub clears: [u64; MAX_ARMS],
}

impl Default for Restrictions {
    fn default() -> Self {
        Restrictions {
            version: 0,
            arms: [Restriction::NONE; MAX_ARMS],
            clears: [0; MAX_ARMS],
        }
    }
}

/// The limits of one arm after a tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ArmLimits {
    /// What arm and configuration allow: limits rise this far when restrictions are released.
    pub configured: Limits,
    /// What the governor keeps.
    pub in_force: Limits,
    /// Whether the governor accepted the composed limits. Always true as long as owners send valid
    /// limits; otherwise the older limits stay.
    pub is_taken: bool,
}

/// What the loop has kept since the last tick in which it changed.
#[derive(Clone, Copy, Debug, Default)]
pub struct InForce {
    /// Version of [`Configured`].
    pub configured: u64,
    /// Version of [`Restrictions`].
    pub restrictions: u64,
    /// Limits by arm; `None` where no arm exists.
    pub arms: [Option<ArmLimits>; MAX_ARMS],
}

/// The supervisor's end: the only owner of [`Configured`].
pub struct ConfiguredOwner {
    value: Configured,
    out: latest::Writer<Configured>,
    taken: Arc<AtomicU64>,
}

/// The clients' server's end: the only owner of [`Restrictions`].
pub struct RestrictionsOwner {
    value: Restrictions,
    out: latest::Writer<Restrictions>,
    in_force: latest::Reader<InForce>,
}

/// Makes the ends for a loop over `core`, where `limits` are the configuration's. Allocates.
pub fn link(core: &LoopCore, limits: Limits) -> (Composer, ConfiguredOwner, RestrictionsOwner) {
    let value = Configured {
        version: 0,
        limits,
        gains: [None; MAX_ARMS],
        surfaces: 0,
    };
    let (configured_out, configured) = latest::latest(value);
    let (restrictions_out, restrictions) = latest::latest(Restrictions::default());
    let at_the_start = InForce {
        arms: std::array::from_fn(|arm| {
            core.governor(arm).map(|governor| ArmLimits {
                configured: *governor.ceiling(),
                in_force: *governor.limits(),
                is_taken: true,
            })
        }),
        ..InForce::default()
    };
    let (in_force_out, in_force) = latest::latest(at_the_start);
    let taken = Arc::new(AtomicU64::new(0));
    (
        Composer {
            configured,
            restrictions,
            in_force: in_force_out,
            configured_taken: taken.clone(),
            versions: (0, 0),
            clears: [0; MAX_ARMS],
            surfaces: 0,
            changed: None,
        },
        ConfiguredOwner {
            value,
            out: configured_out,
            taken,
        },
        RestrictionsOwner {
            value: Restrictions::default(),
            out: restrictions_out,
            in_force,
        },
    )
}

impl ConfiguredOwner {
    /// Publishes the configuration's limits after a reload and returns the version to wait for.
    /// `eases`: the reload also changes surfaces, which are to be sent after this call; forces then
    /// rise by the ramp.
    pub fn set_limits(&mut self, limits: Limits, eases: bool) -> u64 {
        self.value.limits = limits;
        self.value.surfaces += u64::from(eases);
        self.publish()
    }

    /// Publishes the gains of each arm that has an entry and returns the version to wait for.
    pub fn set_gains(&mut self, gains: impl Iterator<Item = Gains>) -> u64 {
        for (slot, gains) in self.value.gains.iter_mut().zip(gains) {
            *slot = Some(gains);
        }
        self.publish()
    }

    fn publish(&mut self) -> u64 {
        self.value.version += 1;
        self.out.write(self.value);
        self.value.version
    }

    /// Whether a tick has kept this version or a later one.
    pub fn is_taken(&self, version: u64) -> bool {
        // Acquire: a thread that sees this also sees what the tick published before it.
        self.taken.load(Ordering::Acquire) >= version
    }
}

impl RestrictionsOwner {
    /// The published value.
    pub fn value(&self) -> &Restrictions {
        &self.value
    }

    /// Changes the value, publishes it whole, and returns the version to wait for.
    pub fn change(&mut self, change: impl FnOnce(&mut Restrictions)) -> u64 {
        change(&mut self.value);
        self.value.version += 1;
        self.out.write(self.value);
        self.value.version
    }

    /// What the loop says it keeps.
    pub fn in_force(&mut self) -> &InForce {
        self.in_force.read().0
    }
}

/// The loop's end: takes the owners' values and puts them into force. Real-time.
pub struct Composer {
    configured: latest::Reader<Configured>,
    restrictions: latest::Reader<Restrictions>,
    in_force: latest::Writer<InForce>,
    configured_taken: Arc<AtomicU64>,
    /// Versions of both values at the last take.
    versions: (u64, u64),
    /// Clear requests carried out, by arm.
    clears: [u64; MAX_ARMS],
    /// Surface changes seen so far.
    surfaces: u64,
    /// What the next tick keeps, if that is new.
    changed: Option<InForce>,
}

impl Composer {
    /// Takes the newest values of both owners, if either is new. Call it before a tick.
    pub fn take(&mut self, core: &mut LoopCore) {
        let (configured, _) = self.configured.read();
        let (restrictions, _) = self.restrictions.read();
        let versions = (configured.version, restrictions.version);
        if versions == self.versions {
            return;
        }
        self.versions = versions;
        let mut changed = InForce {
            configured: configured.version,
            restrictions: restrictions.version,
            ..InForce::default()
        };
        let eases = configured.surfaces != self.surfaces;
        self.surfaces = configured.surfaces;
        for arm in 0..MAX_ARMS {
            if eases {
                core.ease(arm);
            }
            if let Some(gains) = configured.gains[arm] {
                core.set_gains(arm, gains);
            }
            if restrictions.clears[arm] != self.clears[arm] {
                self.clears[arm] = restrictions.clears[arm];
                core.clear_faults(arm);
            }
            let limits = restrictions.arms[arm].applied_to(&configured.limits);
            let is_taken = core.tighten(arm, &limits).is_ok();
            changed.arms[arm] = core.governor(arm).map(|governor| ArmLimits {
                configured: governor.ceiling().tightened(&configured.limits).keepable(),
                in_force: *governor.limits(),
                is_taken,
            });
        }
        self.changed = Some(changed);
    }

    /// Publishes what the tick kept, if that is new. Call it after a tick, when its state is
    /// published.
    pub fn acknowledge(&mut self) {
        if let Some(changed) = self.changed.take() {
            self.in_force.write(changed);
            // Release: the tick's state is published before this.
            self.configured_taken
                .store(changed.configured, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests;
