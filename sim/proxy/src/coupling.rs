//! Virtual coupling: the spring and damper between the device pose and the rendered proxy.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic.
//!
//! # Theory
//!
//! The force on the arm is `F = k (p_proxy - p_device) + b d/dt(p_proxy - p_device)`, and likewise
//! for rotation (Redon 2002, section 6.4.2, eq. 6.4; Colgate's damped spring). In free space the
//! proxy is at the device pose. Deflection and rate are then exactly zero, so the coupling adds
//! nothing to the feel of the arm. The damper may act on the device instead, `F = k (p_proxy -
//! p_device) - b d/dt p_device` (eq. 6.5); that is more stable, but felt everywhere.
//!
//! Stretch is measured between the centres of the tool's ball, and the force's torque about the
//! tool's origin is added. The spring is the gradient, by the hand's pose, of `k |c_proxy -
//! c_device|^2 / 2 + k_r |twist|^2 / 2`. The proxy minimises this energy subject to the contacts:
//! it is projected by the same metric ([`Gains::gyration_m2`]). So the wrench equals that of the
//! contact forces, and over a closed path it returns the energy that the world gave.
//!
//! A material that asks for less stiffness gets it in both parts alike, so the metric does not
//! change. With several materials, each governs the part of the stretch that it holds
//! ([`several`](Touched)): a tool that leans on stone and touches a sponge still leans on stone.
//!
//! Stability sets the stiffness: see [`crate::timing`].
//!
//! # Practice
//!
//! The daemon measures period and delay and recomputes the gains off the real-time thread.
//! Materials may ask for less stiffness and never get more. A material touched out of free space
//! has its stiffness from the first tick, because nothing is stretched yet. While a spring is
//! stretched, its stiffness glides.
//!
//! A spring that stiffens while stretched would have more energy to return than the hand put in. It
//! keeps its energy and goes slack instead. With `L` the stretch (of both parts, by the metric) and
//! a slack `l`, the force is `k (1 - l/L)` times the stretch and the stored energy `k (L - l)^2 /
//! 2`. `l` follows from equal energy before and after. The slack shrinks as the hand comes out.
//!
//! What the safety governor lets through of the force counts as part of the spring ([`Passed`]): a
//! ramp that rises under load would give as much energy as a rising stiffness. With a share `a` of
//! the force, cut off at `c`, the stored energy is `a k t^2 / 2` up to `t = c / k`, and `a (c t -
//! c^2 / 2k)` beyond.
//!
//! The fade outside the workspace follows from the position of the hand. On the way out it takes
//! stored energy; on the way back it returns that amount and no more. A hand that presses on
//! outside, where nothing resists, puts no energy in.

mod contact_forces;
mod damper;
mod several;

/// Velocity that the damper acts on: `Relative` is equation 6.4, `Device` equation 6.5.
pub use hapticd_choices::Damping;
pub use several::Touched;

use crate::contact::Contact;
use crate::frame_change::FrameChange;
use crate::motion::deflection;
use crate::timing::LoopTiming;
use contact_forces::Pushes;
use damper::{Damper, Ends};
use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Vec3, transform};
use several::{Form, Holding};

/// Gains of one arm's coupling, at the device.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Gains {
    /// Stiffness, N/m.
    pub stiffness_n_per_m: f64,
    /// Damping, N·s/m.
    pub damping_n_s_per_m: f64,
    /// Rotational stiffness, N·m/rad.
    pub rotational_stiffness_nm_per_rad: f64,
    /// Rotational damping, N·m·s/rad.
    pub rotational_damping_nm_s_per_rad: f64,
}

impl Gains {
    /// Returns the stable gains: translational ones from `linear`, rotational ones from `angular`
    /// (same formulas, with N·m·s/rad, N·m and rad in place of N·s/m, N and m).
    ///
    /// Viscous damping is assumed to carry `factor` times as much stiffness as it does. Above 1,
    /// the hand's own damping has to make up for the rest.
    pub fn stable(linear: &LoopTiming, angular: Option<&LoopTiming>, factor: f64) -> Gains {
        let stiffness = |timing: &LoopTiming| timing.stiffness_beyond(factor);
        Gains {
            stiffness_n_per_m: stiffness(linear),
            damping_n_s_per_m: linear.stable_damping(),
            rotational_stiffness_nm_per_rad: angular.map_or(0.0, stiffness),
            rotational_damping_nm_s_per_rad: angular.map_or(0.0, LoopTiming::stable_damping),
        }
    }

    /// Returns rotational over linear stiffness, m²: the square of the lever at which a force turns
    /// the spring as far as it stretches it. `None` if either stiffness is missing.
    pub fn gyration_m2(&self) -> Option<f64> {
        let ratio = self.rotational_stiffness_nm_per_rad / self.stiffness_n_per_m;
        (ratio > 0.0 && ratio.is_finite()).then_some(ratio)
    }
}

/// Force and torque about the tool's origin at the device pose, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force, N.
    pub force_n: Vec3,
    /// Torque, N·m.
    pub torque_nm: Vec3,
}

/// Energy that a spring stores by its stretch and by its twist if all of its wrench reaches the
/// hand, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringEnergy {
    /// Energy after this tick, by stretch and by twist, J.
    pub stored_j: [f64; 2],
    /// Stiffness after this tick, N/m and N·m/rad.
    pub stiffness: [f64; 2],
    /// Energy before stiffness and slack changed in this tick.
    pub before: EndsEnergy,
}

/// Energy of the last tick's spring for each combination of old and new ends.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndsEnergy {
    /// Stiffness of that spring, N/m and N·m/rad.
    pub stiffness: [f64; 2],
    /// Neither end moved, J.
    pub none_j: [f64; 2],
    /// Only the hand's end moved, J.
    pub hand_j: [f64; 2],
    /// Only the far end moved, J.
    pub far_j: [f64; 2],
    /// Both ends moved, J.
    pub both_j: [f64; 2],
}

/// How much of a wrench reaches the hand: the effect of the safety governor in the last tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passed {
    /// Share of the force that remains after the cut-off, 0 to 1, without the fade.
    pub share: f64,
    /// Share of that which the fade outside the workspace leaves, 0 to 1.
    pub edge: f64,
    /// Magnitude at which the force is cut off, N.
    pub most_n: f64,
}

impl Default for Passed {
    /// Passes all of the force.
    fn default() -> Self {
        Passed {
            share: 1.0,
            edge: 1.0,
            most_n: f64::INFINITY,
        }
    }
}

impl Passed {
    /// Returns the energy of a spring of this stiffness at this stretch, J.
    fn stored_j(&self, stiffness: f64, taut_m: f64) -> f64 {
        let (share, knee_m) = (self.share * self.edge, self.most_n / stiffness);
        if taut_m <= knee_m {
            0.5 * share * stiffness * taut_m * taut_m
        } else {
            share * self.most_n * (taut_m - 0.5 * knee_m)
        }
    }

    /// Returns the stretch that stores this energy, m; `None` if the spring stores nothing at all.
    fn taut_m(&self, stiffness: f64, stored_j: f64) -> Option<f64> {
        let (share, knee_m) = (self.share * self.edge, self.most_n / stiffness);
        let force_n = share * self.most_n;
        let taut_m = if stored_j <= 0.5 * force_n * knee_m {
            (2.0 * stored_j / (share * stiffness)).sqrt()
        } else {
            stored_j / force_n + 0.5 * knee_m
        };
        taut_m.is_finite().then_some(taut_m)
    }
}

/// Time constant with which stiffness follows a change of material under load, s. It keeps the
/// force from stepping.
const BLEND_S: f64 = 0.010;
/// Stretch up to which a spring counts as at rest, m: rounding.
const REST_M: f64 = 1e-9;
/// Twist up to which a spring counts as at rest, rad.
const REST_RAD: f64 = 1e-9;

/// Coupling of one arm, with its short history.
#[derive(Clone, Debug)]
pub struct Coupling {
    gains: Gains,
    damper: Damper,
    /// Stiffness along the stretch.
    stiffness_n_per_m: f64,
    /// Directional stiffness, if several materials held in the last tick, and the stiffness of
    /// which it is a share, N/m.
    form: Option<(Form, f64)>,
    /// Passed shares of the last tick and of the one before.
    passed: Passed,
    passed_before: Passed,
    /// Ends of the spring in the last tick: device and proxy.
    ends: Option<(Pose, Pose)>,
    energy: SpringEnergy,
    /// Part of the stretch that gives no force, m.
    slack_m: f64,
    /// Energy that the fade outside the workspace has taken and not returned, J.
    faded_j: f64,
    /// True if the spring was stretched in the previous tick.
    was_loaded: bool,
    /// Pushes of the contacts in the last wrench's spring.
    pushes: Pushes,
}

/// Deflection of the spring between its ends.
struct Tension {
    /// Shift of the tool's centre from device to proxy, m, and rotation vector, rad.
    deflection: Motion,
    /// From the tool's origin to its centre at the device pose, m.
    lever: Vec3,
    /// The deflection by the metric, and its length, m.
    pull: Motion,
    length: f64,
    /// False if the spring is at rest, except for rounding.
    is_loaded: bool,
}

/// Stiffness of several materials, seen along the stretch.
struct Directional {
    /// Share of the coupling's stiffness.
    share: f64,
    /// Force across the stretch per length of it, in the same shares.
    across: Motion,
}

impl Coupling {
    /// Creates a coupling at rest.
    pub fn new(gains: Gains, damping: Damping) -> Self {
        Coupling {
            gains,
            damper: Damper::new(damping),
            stiffness_n_per_m: gains.stiffness_n_per_m,
            form: None,
            passed: Passed::default(),
            passed_before: Passed::default(),
            ends: None,
            energy: SpringEnergy::default(),
            slack_m: 0.0,
            faded_j: 0.0,
            was_loaded: false,
            pushes: Pushes::NONE,
        }
    }

    /// Takes new gains; the stiffness then glides to them.
    pub fn set_gains(&mut self, gains: Gains) {
        self.gains = gains;
    }

    /// Carries the ends of the last tick along with the arm's frame.
    pub fn carry(&mut self, change: &FrameChange) {
        if let Some((device, proxy)) = &mut self.ends {
            (*device, *proxy) = (change.carry(device), change.carry(proxy));
        }
        self.damper.carry(change);
    }

    /// Returns the gains in force.
    pub fn gains(&self) -> Gains {
        self.gains
    }

    /// Takes the share of the last wrench that reached the hand.
    pub fn set_passed(&mut self, passed: Passed) {
        self.passed = passed;
    }

    /// Returns the magnitude at which the governor cut off the last force, N.
    pub fn most_n(&self) -> f64 {
        self.passed.most_n
    }

    /// Returns the stored energy of the last wrench's spring, and how it came about.
    pub fn energy(&self) -> &SpringEnergy {
        &self.energy
    }

    /// Returns the stiffness in force, N/m; it glides from one material's value to the next.
    pub fn stiffness_n_per_m(&self) -> f64 {
        self.stiffness_n_per_m
    }

    /// Clears the history, after the proxy was placed again.
    pub fn reset(&mut self) {
        self.damper.forget();
        self.was_loaded = false;
        (self.slack_m, self.faded_j) = (0.0, 0.0);
        (self.ends, self.form) = (None, None);
        self.energy = SpringEnergy::default();
        self.stiffness_n_per_m = self.gains.stiffness_n_per_m;
    }

    /// Returns the wrench on the device.
    ///
    /// `centre` is the point of the tool that the spring is fixed to (tool frame). `material`, a
    /// stiffness and a damping, caps the gains while something is touched. `period_s` is the time
    /// since the previous call.
    pub fn wrench(
        &mut self,
        device: &Pose,
        proxy: &Pose,
        centre: &Vec3,
        material: Option<(f64, f64)>,
        period_s: f64,
    ) -> Wrench {
        let mut touched = Touched::new();
        if let Some((k, b)) = material {
            touched.touch(k, b);
        }
        self.wrench_on(device, proxy, centre, &touched, period_s)
    }

    /// Returns the wrench like [`Self::wrench`], for a tool that may touch several materials.
    pub fn wrench_on(
        &mut self,
        device: &Pose,
        proxy: &Pose,
        centre: &Vec3,
        touched: &Touched,
        period_s: f64,
    ) -> Wrench {
        let tension = self.tension(device, proxy, centre);
        let holding = touched.holding(self.gains.stiffness_n_per_m, self.gains.gyration_m2());
        let (softest, most) = touched
            .softest()
            .unwrap_or((self.gains.stiffness_n_per_m, f64::INFINITY));
        let damping = most.min(self.gains.damping_n_s_per_m);
        let (wanted, directional) = self.wanted_stiffness(&holding, softest);

        self.resume(&tension, wanted);
        let before = self.stiffness_n_per_m;
        self.record_ends(device, proxy, centre);
        self.glide_to(wanted, period_s);
        self.update_slack(tension.length, before);
        self.passed_before = self.passed;
        let taut = if self.slack_m > 0.0 {
            1.0 - self.slack_m / tension.length
        } else {
            1.0
        };

        let metric = self.metric();
        let ends = Ends {
            device,
            proxy,
            centre,
        };
        let rate = self.damper.rate(ends, &tension, &metric, period_s);
        let (rate, spin) = parts(&rate);
        let (damping, damping_turns) = self.both_dampings(damping);
        let turning = self.rotational(self.stiffness_n_per_m);
        self.store(&tension, taut, turning);
        self.pushes = touched.pushes(&holding);
        self.take_form(holding, directional.as_ref(), tension.is_loaded);
        let whole = self.form.as_ref().map_or(self.stiffness_n_per_m, |f| f.1);
        self.pushes.scale(taut * whole);
        let (across_n, across_nm) = self.across(directional.as_ref(), tension.length, taut);
        let (stretch, twist) = parts(&tension.deflection);
        let spring_n = stretch * (taut * self.stiffness_n_per_m) + across_n;
        let force_n = self.damper.add(spring_n, rate * damping);
        let spring_nm = twist * (taut * turning) + across_nm;
        Wrench {
            force_n,
            torque_nm: self.damper.add(spring_nm, spin * damping_turns)
                + tension.lever.cross(&force_n),
        }
    }

    /// Sets the force at each of these contacts of the last wrench, N, in the world frame, on the
    /// tool. They add up to `force_n`, the wrench's force; without a contact that pushes, they are
    /// zero.
    pub fn share_out(&self, force_n: &Vec3, contacts: &mut [Contact]) {
        self.pushes.share_out(force_n, contacts);
    }

    /// Returns how far the spring is stretched and twisted between its ends.
    fn tension(&self, device: &Pose, proxy: &Pose, centre: &Vec3) -> Tension {
        let deflection = deflection(device, proxy, centre);
        let (stretch, twist) = parts(&deflection);
        let turns = self.gains.rotational_stiffness_nm_per_rad > 0.0;
        let pull = deflection.component_mul(&self.metric());
        Tension {
            deflection,
            lever: transform(device, centre) - device.translation.vector,
            pull,
            length: pull.norm(),
            is_loaded: stretch.norm() > REST_M || (turns && twist.norm() > REST_RAD),
        }
    }

    /// Returns the stiffness along the stretch that the touched materials ask for, N/m, and the
    /// directional part where several of them hold.
    fn wanted_stiffness(&self, holding: &Holding, softest: f64) -> (f64, Option<Directional>) {
        let whole = self.gains.stiffness_n_per_m;
        match holding {
            Holding::Several(form, held) => {
                let (share, across) = form.at(held);
                let across = across / held.norm();
                (share * whole, Some(Directional { share, across }))
            }
            Holding::One(stiffness) => (*stiffness, None),
            Holding::Unknown => (softest.min(whole), None),
        }
    }

    /// Takes up the spring as the last tick left it, at the present stretch. A spring that was at
    /// rest has its wanted stiffness at once and no slack, because nothing is stored in it yet.
    fn resume(&mut self, tension: &Tension, wanted: f64) {
        // Directional stiffness of the last tick, evaluated at the present stretch.
        if let Some((form, whole)) = &self.form {
            self.stiffness_n_per_m = form.share(&tension.pull) * whole;
        }
        if !self.was_loaded {
            (self.stiffness_n_per_m, self.slack_m) = (wanted, 0.0);
            self.faded_j = 0.0;
        }
        self.was_loaded = tension.is_loaded;
    }

    /// Lets the stiffness glide to the wanted one, so that the force does not step.
    fn glide_to(&mut self, wanted: f64, period_s: f64) {
        let before = self.stiffness_n_per_m;
        self.stiffness_n_per_m += (wanted - before) * (period_s / BLEND_S).clamp(0.0, 1.0);
        // The stability bound may have dropped. It holds at once, without a glide.
        self.stiffness_n_per_m = self.stiffness_n_per_m.min(self.gains.stiffness_n_per_m);
    }

    /// Returns the rotational stiffness that goes with a stiffness along the stretch, N·m/rad.
    fn rotational(&self, stiffness: f64) -> f64 {
        softer(stiffness, self.gains.stiffness_n_per_m) * self.gains.rotational_stiffness_nm_per_rad
    }

    /// Returns the damping of shift and rotation if the materials allow `damping`, N·s/m.
    fn both_dampings(&self, damping: f64) -> (f64, f64) {
        let most = self.gains.rotational_damping_nm_s_per_rad;
        match self.gains.gyration_m2().filter(|_| most > 0.0) {
            // Same ratio as the spring's. A force at the contact stretches both parts alike, so the
            // torque stays that of the force while it changes.
            Some(gyration) => {
                let damping = damping.min(most / gyration);
                (damping, damping * gyration)
            }
            None => (
                damping,
                softer(damping, self.gains.damping_n_s_per_m) * most,
            ),
        }
    }

    /// Records stiffness and stored energy after this tick, for the energy ledger.
    fn store(&mut self, tension: &Tension, taut: f64, turning: f64) {
        self.energy.stiffness = [self.stiffness_n_per_m, turning];
        let (stretch, twist) = parts(&tension.deflection);
        self.energy.stored_j = [
            0.5 * self.stiffness_n_per_m * taut * taut * stretch.norm_squared(),
            0.5 * turning * taut * taut * twist.norm_squared(),
        ];
    }

    /// Keeps the directional stiffness of a loaded spring for the next tick, and the stiffness of
    /// which it is a share now that the glide has set the one along the stretch.
    #[inline]
    fn take_form(&mut self, holding: Holding, directional: Option<&Directional>, is_loaded: bool) {
        let share = directional.map_or(0.0, |directional| directional.share);
        self.form = match holding {
            Holding::Several(form, _) if is_loaded && share > 0.0 => {
                Some((form, self.stiffness_n_per_m / share))
            }
            _ => None,
        };
    }

    /// Returns force and torque across the stretch: stiffer materials hold a larger part of it than
    /// softer ones. It is the gradient of `k(s) (L - l)^2 / 2`, hence the second factor of
    /// tautness.
    fn across(&self, directional: Option<&Directional>, length: f64, taut: f64) -> (Vec3, Vec3) {
        let across = directional.map_or_else(Motion::zeros, |d| d.across * length);
        let whole = self.form.as_ref();
        let across = across * whole.map_or(0.0, |(_, whole)| taut * taut * whole);
        (
            across.fixed_rows::<3>(0).into_owned(),
            across.fixed_rows::<3>(3) * self.metric()[3],
        )
    }

    /// Returns the weights of shift and rotation in the spring's metric: half the stiffness times
    /// the square of a weighed deflection is the stored energy.
    fn metric(&self) -> Motion {
        let turn = self.gains.gyration_m2().map_or(0.0, f64::sqrt);
        Motion::new(1.0, 1.0, 1.0, turn, turn, turn)
    }

    /// Records the energy that the spring, with its old stiffness, would store had only one of its
    /// ends moved.
    fn record_ends(&mut self, device: &Pose, proxy: &Pose, centre: &Vec3) {
        let (hand_before, far_before) = self.ends.unwrap_or((*device, *proxy));
        self.ends = Some((*device, *proxy));
        let (form, metric) = (self.form, self.metric());
        let stored_j = |device: &Pose, proxy: &Pose| {
            let deflection = deflection(device, proxy, centre);
            let (stretch, twist) = parts(&deflection);
            let pull = deflection.component_mul(&metric);
            let taut = match self.slack_m > 0.0 {
                true => (1.0 - self.slack_m / pull.norm()).max(0.0),
                false => 1.0,
            };
            let stiffness = match &form {
                Some((form, whole)) => form.share(&pull) * whole,
                None => self.stiffness_n_per_m,
            };
            let whole = [
                stiffness * stretch.norm_squared(),
                self.rotational(stiffness) * twist.norm_squared(),
            ];
            whole.map(|square| 0.5 * square * taut * taut)
        };
        self.energy.before = EndsEnergy {
            stiffness: [
                self.stiffness_n_per_m,
                self.rotational(self.stiffness_n_per_m),
            ],
            none_j: stored_j(&hand_before, &far_before),
            hand_j: stored_j(device, &far_before),
            far_j: stored_j(&hand_before, proxy),
            both_j: stored_j(device, proxy),
        };
    }

    /// Adapts the slack so that the stored energy survives a change of stiffness or share.
    fn update_slack(&mut self, length: f64, before: f64) {
        // The part of the slack that the hand has left stores nothing.
        let taut = (length - self.slack_m.min(length)).max(0.0);
        // A raised limit is a client's order and rises by the governor's ramp; the spring does not
        // account for it.
        let limited = Passed {
            most_n: self.passed.most_n,
            ..self.passed_before
        };
        let now = self.stiffness_n_per_m;
        let stored_j = limited.stored_j(before, taut) + self.fade_energy_j(&limited, before, taut);
        let rises = self.passed.stored_j(now, taut) > stored_j;
        let kept = if rises || self.slack_m > 0.0 {
            self.passed.taut_m(now, stored_j).unwrap_or(taut)
        } else {
            taut
        };
        // A taut spring that gets softer loses energy: its stretch determines what it stores.
        self.slack_m = (length - kept).max(0.0);
    }

    /// Returns the energy that the fade outside the workspace gives the spring in this tick, J;
    /// negative if the fade takes energy.
    fn fade_energy_j(&mut self, before: &Passed, stiffness: f64, taut: f64) -> f64 {
        let whole = Passed {
            edge: 1.0,
            ..*before
        };
        let rise = self.passed.edge - before.edge;
        let by_fade_j = (rise * whole.stored_j(stiffness, taut)).min(self.faded_j);
        self.faded_j = match self.passed.edge < 1.0 {
            true => self.faded_j - by_fade_j,
            // Nothing carries over to the next time.
            false => 0.0,
        };
        by_fade_j
    }
}

/// Returns shift and rotation of a motion.
fn parts(motion: &Motion) -> (Vec3, Vec3) {
    (
        motion.fixed_rows::<3>(0).into_owned(),
        motion.fixed_rows::<3>(3).into_owned(),
    )
}

/// Returns the share of a gain that is left, at most 1. Without a gain this is 0 / 0, and `min`
/// drops a NaN.
#[inline]
fn softer(of: f64, by: f64) -> f64 {
    (of / by).min(1.0)
}

#[cfg(test)]
mod borders;
#[cfg(test)]
mod tests;
