//! The virtual coupling: the spring-damper between where the hand is and where the tool is allowed
//! to be.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic.
//!
//! # Theory
//!
//! The force on the arm is `F = k (p_proxy - p_device) + b d/dt(p_proxy - p_device)` and likewise
//! for rotation (Redon 2002, section 6.4.2, eq. 6.4; Colgate's damped spring). In free space the
//! proxy is at the device pose, so the deflection and its rate are both exactly zero and the arm is
//! felt as it is. The damper may act on the device instead, `F = k (p_proxy - p_device) - b d/dt
//! p_device` (eq. 6.5): stabler, and felt everywhere.
//!
//! Stretch is taken between the centres of the tool's ball, and the torque of the force about the
//! tool's origin is added: the spring is the gradient, by the hand's pose, of `k |c_proxy -
//! c_device|^2 / 2 + k_r |twist|^2 / 2`. The proxy is where contacts let this be least: it is
//! projected by the same metric ([`Gains::gyration_m2`]). So the wrench is that of the contacts'
//! forces, and gives over a closed path what the world gave.
//!
//! A material that asks for less stiffness gets it in both parts alike: the metric stays as it is.
//! Of several each answers for what it holds ([`several`](Touched)): a tool that leans on stone and
//! touches a sponge leans on stone.
//!
//! The stiffness is not a matter of taste: see [`crate::timing`].
//!
//! # Practice
//!
//! The daemon measures period and delay and recomputes the gains off the real-time thread;
//! materials may ask for less stiffness and never get more. What is touched out of free space has
//! its material's stiffness from the first tick, for nothing is stretched yet; while a spring is
//! stretched its stiffness glides. A spring that gets stiffer while it is stretched would have more
//! to give back than the hand put in: it takes its energy along and goes slack instead. With `L`
//! the stretch (of both parts, by the metric) and a slack `l`, force is `k (1 - l/L)` times the
//! stretch and what is stored `k (L - l)^2 / 2`; `l` follows from this being the same before and
//! after. It goes as the hand comes out.
//!
//! What the safety governor lets through of the force counts as part of the spring ([`Passed`]): a
//! ramp that rises under load would give as much energy as a stiffness that rises. With a share `a`
//! of the force, cut off at `c`, what is stored is `a k t^2 / 2` up to `t = c / k`, and `a (c t -
//! c^2 / 2k)` beyond.
//!
//! The fade outside the workspace follows from where the hand is. On its way out it takes what is
//! stored, and on the way back it gives as much again and no more: a hand that pressed on outside,
//! where nothing resists, has put nothing in by that.

mod several;

pub use several::Touched;

use crate::timing::LoopTiming;
use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Quat, Vec3, transform};
use several::{Form, Holding};

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
    /// Translational gains from `linear`, rotational ones from `angular` (same formulas, with
    /// N·m·s/rad, N·m and rad in place of N·s/m, N and m). Viscous damping is taken to carry
    /// `factor` times as much stiffness as it does: above 1 the hand's own has to.
    pub fn stable(linear: &LoopTiming, angular: Option<&LoopTiming>, factor: f64) -> Gains {
        let stiffness = |timing: &LoopTiming| timing.stiffness_beyond(factor);
        Gains {
            stiffness_n_per_m: stiffness(linear),
            damping_n_s_per_m: linear.stable_damping(),
            rotational_stiffness_nm_per_rad: angular.map_or(0.0, stiffness),
            rotational_damping_nm_s_per_rad: angular.map_or(0.0, LoopTiming::stable_damping),
        }
    }

    /// Rotational by linear stiffness, m²: the square of the lever at which a force turns the
    /// spring as far as it stretches it. `None` without either of them.
    pub fn gyration_m2(&self) -> Option<f64> {
        let ratio = self.rotational_stiffness_nm_per_rad / self.stiffness_n_per_m;
        (ratio > 0.0 && ratio.is_finite()).then_some(ratio)
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

/// Force and torque at the tool's origin where the hand is, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// N.
    pub force_n: Vec3,
    /// N·m.
    pub torque_nm: Vec3,
}

/// What a spring has stored by its stretch and by its twist, were all of its wrench passed to the
/// hand, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringEnergy {
    /// Now.
    pub stored_j: [f64; 2],
    /// Its stiffness now, N/m and N·m/rad.
    pub stiffness: [f64; 2],
    /// Before stiffness and slack changed in this tick.
    pub before: EndsEnergy,
}

/// What the spring of the last tick stores when its ends have gone where they went in this one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndsEnergy {
    /// Its stiffness, N/m and N·m/rad.
    pub stiffness: [f64; 2],
    /// Neither has.
    pub none_j: [f64; 2],
    /// The hand's alone.
    pub hand_j: [f64; 2],
    /// The far one alone.
    pub far_j: [f64; 2],
    /// Both.
    pub both_j: [f64; 2],
}

/// How much of a wrench reaches the hand: what the safety governor did in the last tick.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passed {
    /// Share of the force that is left when it has been cut off, 0 to 1, the fade aside.
    pub share: f64,
    /// Of that, what the fade outside the workspace leaves, 0 to 1.
    pub edge: f64,
    /// Length at which the force is cut off, N.
    pub most_n: f64,
}

impl Default for Passed {
    /// All of it.
    fn default() -> Self {
        Passed {
            share: 1.0,
            edge: 1.0,
            most_n: f64::INFINITY,
        }
    }
}

impl Passed {
    /// Energy of a spring of this stiffness that is stretched this far, J.
    fn stored_j(&self, stiffness: f64, taut_m: f64) -> f64 {
        let (share, knee_m) = (self.share * self.edge, self.most_n / stiffness);
        if taut_m <= knee_m {
            0.5 * share * stiffness * taut_m * taut_m
        } else {
            share * self.most_n * (taut_m - 0.5 * knee_m)
        }
    }

    /// The stretch at which it stores so much, m; `None` where it stores nothing at all.
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

/// Deflections kept for the rate estimate: the window in samples.
pub(crate) const WINDOW: usize = 8;
/// Under load stiffness follows a change of material within about this many seconds, so that the
/// force does not step.
const BLEND_S: f64 = 0.010;
/// A spring that is stretched by no more is at rest, m: rounding.
const REST_M: f64 = 1e-9;
/// And that is turned by no more, rad.
const REST_RAD: f64 = 1e-9;

/// The coupling of one arm with its short memory.
#[derive(Clone, Debug)]
pub struct Coupling {
    gains: Gains,
    damping: Damping,
    /// Along the stretch.
    stiffness_n_per_m: f64,
    /// Where several materials held in the last tick: how stiff it was in which direction, and the
    /// stiffness that this is a share of, N/m.
    form: Option<(Form, f64)>,
    /// What reached the hand in the last tick and in the one before.
    passed: Passed,
    passed_before: Passed,
    /// Where its ends were in the last tick: device and proxy.
    ends: Option<(Pose, Pose)>,
    energy: SpringEnergy,
    /// So much of the stretch gives no force, m.
    slack_m: f64,
    /// What the fade outside the workspace has taken and not given back, J.
    faded_j: f64,
    /// The spring was stretched in the previous tick.
    was_loaded: bool,
    /// What is damped, up to a constant: the stretch, or the device's way back.
    history: [(Vec3, Vec3); WINDOW],
    filled: usize,
    next: usize,
    /// Rotation of the device in the previous tick, and all that it has turned back since the
    /// start.
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
            form: None,
            passed: Passed::default(),
            passed_before: Passed::default(),
            ends: None,
            energy: SpringEnergy::default(),
            slack_m: 0.0,
            faded_j: 0.0,
            was_loaded: false,
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

    /// Takes what reached the hand of the last wrench.
    pub fn set_passed(&mut self, passed: Passed) {
        self.passed = passed;
    }

    /// Length at which the governor cut the last force off, N.
    pub fn most_n(&self) -> f64 {
        self.passed.most_n
    }

    /// What the spring of the last wrench has stored, and how that came.
    pub fn energy(&self) -> &SpringEnergy {
        &self.energy
    }

    /// Stiffness in force, N/m: on its way from one material's to the next's.
    pub fn stiffness_n_per_m(&self) -> f64 {
        self.stiffness_n_per_m
    }

    /// Forgets the past: after the proxy was placed again.
    pub fn reset(&mut self) {
        self.forget();
        self.last = None;
        self.was_loaded = false;
        (self.slack_m, self.faded_j) = (0.0, 0.0);
        (self.ends, self.form) = (None, None);
        self.energy = SpringEnergy::default();
        self.stiffness_n_per_m = self.gains.stiffness_n_per_m;
    }

    /// The wrench on the device. `centre` is the point of the tool that the spring is fixed to
    /// (tool frame). `material`, stiffness and damping, caps the gains while something is touched;
    /// `period_s` is the time since the previous call.
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

    /// [`Self::wrench`] of a tool that may touch several materials.
    pub fn wrench_on(
        &mut self,
        device: &Pose,
        proxy: &Pose,
        centre: &Vec3,
        touched: &Touched,
        period_s: f64,
    ) -> Wrench {
        let at = transform(device, centre);
        let stretch = transform(proxy, centre) - at;
        let twist = (proxy.rotation * device.rotation.inverse()).scaled_axis();
        let turns = self.gains.rotational_stiffness_nm_per_rad > 0.0;
        let is_loaded = stretch.norm() > REST_M || (turns && twist.norm() > REST_RAD);

        let whole = self.gains.stiffness_n_per_m;
        let gyration_m2 = self.gains.gyration_m2();
        let holding = touched.holding(whole, gyration_m2);
        let (softest, most) = touched.softest().unwrap_or((whole, f64::INFINITY));
        let damping = most.min(self.gains.damping_n_s_per_m);
        let (wanted, form) = match holding {
            Holding::Several(form, held) => {
                let (share, across) = form.at(&held);
                (share * whole, Some((form, share, across / held.norm())))
            }
            Holding::One(stiffness) => (stiffness, None),
            Holding::Unknown => (softest.min(whole), None),
        };
        let pull = self.by_metric(&stretch, &twist);
        // A spring that is not as stiff in each direction: what it was where the stretch is now.
        if let Some((form, whole)) = self.form {
            self.stiffness_n_per_m = form.share(&pull) * whole;
        }
        if !self.was_loaded {
            (self.stiffness_n_per_m, self.slack_m) = (wanted, 0.0);
            self.faded_j = 0.0;
        }
        self.was_loaded = is_loaded;
        let before = self.stiffness_n_per_m;
        self.note_ends(device, proxy, centre);
        self.stiffness_n_per_m += (wanted - before) * (period_s / BLEND_S).clamp(0.0, 1.0);
        // The bound of stability may have come down: that one is not negotiable.
        self.stiffness_n_per_m = self.stiffness_n_per_m.min(self.gains.stiffness_n_per_m);
        let length = pull.norm();
        self.slacken(length, before);
        self.passed_before = self.passed;
        let taut = if self.slack_m > 0.0 {
            1.0 - self.slack_m / length
        } else {
            1.0
        };

        let (rate, spin) = match self.damping {
            // A spring that is at rest has let go: what it did before is no pull.
            Damping::Relative if !is_loaded => {
                self.forget();
                (Vec3::zeros(), Vec3::zeros())
            }
            Damping::Relative => self.rate((stretch, twist), period_s),
            Damping::Device => {
                let (before, back) = self.last.unwrap_or((device.rotation, Vec3::zeros()));
                let back = back - (device.rotation * before.inverse()).scaled_axis();
                self.last = Some((device.rotation, back));
                self.rate((-device.translation.vector, back), period_s)
            }
        };
        // Without a gain this is 0 / 0, and `min` drops a NaN.
        let softer = |of: f64, by: f64| (of / by).min(1.0);
        let turning = softer(self.stiffness_n_per_m, self.gains.stiffness_n_per_m)
            * self.gains.rotational_stiffness_nm_per_rad;
        let most = self.gains.rotational_damping_nm_s_per_rad;
        let (damping, damping_turns) = match self.gains.gyration_m2().filter(|_| most > 0.0) {
            // In the ratio of the spring's: a force at the contact pulls by both alike, and so its
            // torque is that of the force while it changes, too.
            Some(gyration) => {
                let damping = damping.min(most / gyration);
                (damping, damping * gyration)
            }
            None => (
                damping,
                softer(damping, self.gains.damping_n_s_per_m) * most,
            ),
        };
        self.energy.stiffness = [self.stiffness_n_per_m, turning];
        self.energy.stored_j = [
            0.5 * self.stiffness_n_per_m * taut * taut * stretch.norm_squared(),
            0.5 * turning * taut * taut * twist.norm_squared(),
        ];
        // Across the stretch: what stiffer materials hold more of than softer ones. The gradient of
        // `k(s) (L - l)^2 / 2`: twice as taut.
        let across = match &form {
            Some((_, _, across)) => across * length,
            None => Motion::zeros(),
        };
        self.form = form
            .filter(|(_, share, _)| is_loaded && *share > 0.0)
            .map(|(form, share, _)| (form, self.stiffness_n_per_m / share));
        let across = across * self.form.map_or(0.0, |(_, whole)| taut * taut * whole);
        let (across_n, across_nm) = (
            across.fixed_rows::<3>(0).into_owned(),
            across.fixed_rows::<3>(3) * gyration_m2.map_or(0.0, f64::sqrt),
        );
        let damped = |spring: Vec3, damper: Vec3| match self.damping {
            Damping::Relative => without_pull(spring, damper),
            Damping::Device => spring + damper,
        };
        let spring_n = stretch * (taut * self.stiffness_n_per_m) + across_n;
        let force_n = damped(spring_n, rate * damping);
        let lever = at - device.translation.vector;
        Wrench {
            force_n,
            torque_nm: damped(twist * (taut * turning) + across_nm, spin * damping_turns)
                + lever.cross(&force_n),
        }
    }

    /// Stretch and twist as one vector, whose square times half the stiffness is what is stored.
    fn by_metric(&self, stretch: &Vec3, twist: &Vec3) -> Motion {
        let turned = twist * self.gains.gyration_m2().map_or(0.0, f64::sqrt);
        Motion::new(
            stretch.x, stretch.y, stretch.z, turned.x, turned.y, turned.z,
        )
    }

    /// What the spring as it was would have stored had only one of its ends gone where it went.
    fn note_ends(&mut self, device: &Pose, proxy: &Pose, centre: &Vec3) {
        let (hand_before, far_before) = self.ends.unwrap_or((*device, *proxy));
        self.ends = Some((*device, *proxy));
        let by_turning = |stiffness: f64| {
            let share = stiffness / self.gains.stiffness_n_per_m;
            share.min(1.0) * self.gains.rotational_stiffness_nm_per_rad
        };
        let form = self.form;
        let stored_j = |device: &Pose, proxy: &Pose| {
            let stretch = transform(proxy, centre) - transform(device, centre);
            let twist = (proxy.rotation * device.rotation.inverse()).scaled_axis();
            let pull = self.by_metric(&stretch, &twist);
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
                by_turning(stiffness) * twist.norm_squared(),
            ];
            whole.map(|square| 0.5 * square * taut * taut)
        };
        self.energy.before = EndsEnergy {
            stiffness: [self.stiffness_n_per_m, by_turning(self.stiffness_n_per_m)],
            none_j: stored_j(&hand_before, &far_before),
            hand_j: stored_j(device, &far_before),
            far_j: stored_j(&hand_before, proxy),
            both_j: stored_j(device, proxy),
        };
    }

    /// Keeps what is stored as it was before stiffness or share changed.
    fn slacken(&mut self, length: f64, before: f64) {
        // What has come out of the slack has nothing stored.
        let taut = (length - self.slack_m.min(length)).max(0.0);
        // A limit that is raised is somebody's order, and rises by the governor's ramp: that is no
        // doing of the spring.
        let limited = Passed {
            most_n: self.passed.most_n,
            ..self.passed_before
        };
        let now = self.stiffness_n_per_m;
        let stored_j = limited.stored_j(before, taut) + self.by_fade(&limited, before, taut);
        let rises = self.passed.stored_j(now, taut) > stored_j;
        let kept = if rises || self.slack_m > 0.0 {
            self.passed.taut_m(now, stored_j).unwrap_or(taut)
        } else {
            taut
        };
        // A taut spring that gets softer loses energy: it stores by its length and no more.
        self.slack_m = (length - kept).max(0.0);
    }

    /// What the fade outside the workspace gives the spring in this tick; negative: takes, J.
    fn by_fade(&mut self, before: &Passed, stiffness: f64, taut: f64) -> f64 {
        let whole = Passed {
            edge: 1.0,
            ..*before
        };
        let rise = self.passed.edge - before.edge;
        let by_fade_j = (rise * whole.stored_j(stiffness, taut)).min(self.faded_j);
        self.faded_j = match self.passed.edge < 1.0 {
            true => self.faded_j - by_fade_j,
            // Nothing is saved up for the next time.
            false => 0.0,
        };
        by_fade_j
    }

    /// How fast what is damped has changed over the window.
    fn rate(&mut self, damped: (Vec3, Vec3), period_s: f64) -> (Vec3, Vec3) {
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
        if window_s > 0.0 {
            (
                (damped.0 - oldest.0) / window_s,
                (damped.1 - oldest.1) / window_s,
            )
        } else {
            (Vec3::zeros(), Vec3::zeros())
        }
    }

    fn forget(&mut self) {
        self.filled = 0;
        self.next = 0;
    }
}

/// Spring and damper together, which may weaken the spring and never turn it round: a surface does
/// not hold on to what leaves it.
fn without_pull(spring: Vec3, damper: Vec3) -> Vec3 {
    let square = spring.norm_squared();
    let both = spring + damper;
    if square == 0.0 {
        Vec3::zeros()
    } else {
        both - spring * (both.dot(&spring).min(0.0) / square)
    }
}

#[cfg(test)]
mod borders;
#[cfg(test)]
mod tests;
