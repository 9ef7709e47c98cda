//! Probes: haptic tools that translate, as mass points pulled towards a frame by a spring and a
//! damper.
//!
//! # Theory
//!
//! Each substep takes spring and damper at its *end*, which is implicit Euler for them, as in
//! [`Pull`](hapticd_xpbd::Pull). With mass `m`, stiffness `k`, damping `c`, `(m + h c + h² k) v' =
//! m v + h k (target' - x) + h c v_target + J`, which is stable for every `k`, `c` and `h`. The
//! impulse `J` of contacts is in the same equation, so contacts see the effective mass `m + h c +
//! h² k`. At rest they push with exactly the spring's deflection times its stiffness. Gravity does
//! not act on a probe: the pull carries it.

use super::finite;
use super::sphere::{SphereError, finite_vector, not_negative};
use crate::Vec3;

/// Largest number of probes.
pub const MAX_PROBES: usize = 4;

/// A tool in a hand: its state, its mass and the frame that pulls it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// Position, m.
    pub position: Vec3,
    /// Velocity, m/s.
    pub velocity: Vec3,
    /// Mass, kg, positive.
    pub mass_kg: f64,
    /// Position of the frame that pulls the probe at the start of the next step, m. The frame moves
    /// at constant velocity.
    pub from: Vec3,
    /// Position of the frame at the end of the step, m. It stays here unless another pull is set.
    pub to: Vec3,
    /// Stiffness, N/m.
    pub stiffness_n_m: f64,
    /// Damping of motion relative to the frame, N s/m.
    pub damping_n_s_m: f64,
}

impl Probe {
    fn check(&self) -> Result<(), SphereError> {
        for (name, value) in [
            ("position", &self.position),
            ("velocity", &self.velocity),
            ("from", &self.from),
            ("to", &self.to),
        ] {
            finite_vector(name, value)?;
        }
        if !(self.mass_kg > 0.0 && self.mass_kg.is_finite() && (1.0 / self.mass_kg).is_finite()) {
            return Err(SphereError::Number {
                name: "mass_kg",
                value: self.mass_kg,
            });
        }
        not_negative("stiffness_n_m", self.stiffness_n_m)?;
        not_negative("damping_n_s_m", self.damping_n_s_m)
    }
}

/// State of a probe after a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeState {
    /// Position, m.
    pub position: Vec3,
    /// Velocity, m/s.
    pub velocity: Vec3,
    /// Impulse of its contacts in the last step, N s.
    pub impulse: Vec3,
    /// Impulse of its spring and damper in the last step, N s; the hand feels the opposite.
    pub pull_impulse: Vec3,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Tool {
    pub probe: Probe,
    pub x: Vec3,
    pub before: Vec3,
    pub start: Vec3,
    pub v: Vec3,
    /// `1 / (m + h c + h² k)`, 1/kg.
    pub inverse_mass: f64,
    pub impulse: Vec3,
    pub pull_impulse: Vec3,
    /// Velocity at the start of the substep, m/s.
    old: Vec3,
}

/// The probe slots of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Probes {
    pub slots: [Option<Tool>; MAX_PROBES],
}

impl Probes {
    pub fn set(&mut self, slot: usize, probe: Option<&Probe>) -> Result<(), SphereError> {
        if slot >= MAX_PROBES {
            return Err(SphereError::Unknown {
                sphere: slot.try_into().unwrap_or(u32::MAX),
                count: MAX_PROBES,
            });
        }
        let Some(probe) = probe else {
            self.slots[slot] = None;
            return Ok(());
        };
        probe.check()?;
        self.slots[slot] = Some(Tool {
            probe: *probe,
            x: probe.position,
            before: probe.position,
            start: probe.position,
            v: probe.velocity,
            inverse_mass: 1.0 / probe.mass_kg,
            impulse: Vec3::zeros(),
            pull_impulse: Vec3::zeros(),
            old: probe.velocity,
        });
        Ok(())
    }

    pub fn begin_step(&mut self, h: f64) {
        for tool in self.slots.iter_mut().flatten() {
            tool.start = tool.x;
            tool.impulse = Vec3::zeros();
            tool.pull_impulse = Vec3::zeros();
            let p = &tool.probe;
            tool.inverse_mass = 1.0 / (p.mass_kg + h * p.damping_n_s_m + h * h * p.stiffness_n_m);
        }
    }

    /// Sets velocity and position to those at the end of a substep without contacts. By then
    /// `share` of the step of length `step_s` is complete.
    pub fn predict(&mut self, h: f64, share: f64, step_s: f64) {
        for tool in self.slots.iter_mut().flatten() {
            let p = &tool.probe;
            let way = p.to - p.from;
            let target = p.from + way * share;
            let force = (target - tool.x) * p.stiffness_n_m + way * (p.damping_n_s_m / step_s);
            tool.before = tool.x;
            tool.old = tool.v;
            tool.v = (tool.v * p.mass_kg + force * h) * tool.inverse_mass;
            let next = tool.x + tool.v * h;
            if finite(&next) {
                tool.x = next;
            }
        }
    }

    /// Derives velocities from the new positions. Returns the number of probes that were put back
    /// to where the substep began, at rest.
    pub fn settle(&mut self, h: f64) -> u32 {
        let mut held = 0;
        for tool in self.slots.iter_mut().flatten() {
            let flown = tool.before + tool.v * h;
            let v = tool.v + (tool.x - flown) / h;
            if finite(&tool.x) && finite(&v) && finite(&flown) {
                tool.v = v;
            } else {
                tool.x = tool.before;
                tool.v = Vec3::zeros();
                held += 1;
            }
        }
        held
    }

    /// Adds up the impulse of spring and damper: all of the change of momentum that contacts
    /// (`impulse`, since the substep began) did not cause.
    pub fn record_pull(&mut self, before: &[Vec3; MAX_PROBES]) {
        for (tool, before) in self.slots.iter_mut().zip(before) {
            if let Some(tool) = tool {
                let change = (tool.v - tool.old) * tool.probe.mass_kg;
                tool.pull_impulse += change - (tool.impulse - before);
            }
        }
    }

    pub fn impulses(&self) -> [Vec3; MAX_PROBES] {
        self.slots
            .map(|tool| tool.map_or(Vec3::zeros(), |t| t.impulse))
    }

    /// Ends the step: the frames have arrived.
    pub fn end_step(&mut self) {
        for tool in self.slots.iter_mut().flatten() {
            tool.probe.from = tool.probe.to;
        }
    }
}
