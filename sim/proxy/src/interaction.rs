//! How the tool follows the hand: what it intends in a tick, before contacts have their say.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic. World frame, SI
//! units.
//!
//! # Theory
//!
//! Redon 2002, section 6.3.3, knows two metaphors of interaction. By the *spring* the tool wants to
//! be where the hand is; what keeps it away is the spring's stretch, which ends where the contact
//! ends. By *increments* each displacement of the hand is an intended displacement of the tool;
//! what a contact refuses is lost, and the offset between hand and tool stays.
//!
//! The world may be of first or second order (section 6.3.1). In the first the tool has no inertia:
//! it goes where it wants to be within the tick. In the second it is a body with mass, which the
//! damped spring of equation 6.3 pulls,
//!
//! `m v' = k (x_hand - x) + b (v_hand - v)`,
//!
//! and contacts act on its velocity. The spring is integrated implicitly, as is stable for every
//! mass, stiffness and period: `v_1 = (v + T/m (k s + b v_hand)) / (1 + T b/m + T^2 k/m)` with `s`
//! the stretch before the step.
//!
//! # Practice
//!
//! The tool's side of the spring has the stiffness that the hand is given, so that action is
//! reaction, but never less than moves the mass at [`MIN_RAD_S`]: an arm that may not be given
//! any force still leads its tool. Its damping is critical. The inertia is that of a solid ball as
//! large as the tool.
//!
//! Bodies that the tool touches feel the spring and not the mass. To the loop every body is
//! immovable within a tick, so a blow would hand on more momentum than the body's own mass takes,
//! and so more energy than the tool had: what the mass strikes with is lost instead.

use hapticd_geometry::{Pose, Quat, Vec3, transform};

use crate::coupling::Gains;
use crate::tool::ToolShape;

/// What draws the tool.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Interaction {
    /// A spring to the hand; the tool has no inertia.
    #[default]
    Spring,
    /// A spring to the hand; the tool has this mass, kg.
    SpringWithMass(f64),
    /// The hand's displacements, without inertia. The hand feels nothing: there is no place that it
    /// is drawn to.
    Increments,
}

/// Slowest natural frequency of a tool with mass, rad/s.
const MIN_RAD_S: f64 = 30.0;

/// The tool's intention from tick to tick.
#[derive(Clone, Debug)]
pub struct Intent {
    interaction: Interaction,
    last_device: Option<Pose>,
    /// Of the tool's centre, and its spin: what it really did in the last tick.
    velocity: Vec3,
    spin: Vec3,
    /// How much of what contacts held back in the last tick was the spring's doing, 0 to 1; the
    /// rest was that of the mass.
    of_spring: f64,
}

/// One direction of the spring, per unit of mass: stiffness and damping.
struct Spring {
    stiffness: f64,
    damping: f64,
}

impl Spring {
    /// `stiffness / mass` of the hand's side.
    fn new(stiffness_per_mass: f64) -> Self {
        let stiffness = stiffness_per_mass.max(MIN_RAD_S * MIN_RAD_S);
        Spring {
            stiffness,
            damping: 2.0 * stiffness.sqrt(),
        }
    }

    /// What the implicit step divides by: the mass that a contact feels, in masses.
    fn load(&self, period_s: f64) -> f64 {
        1.0 + period_s * (self.damping + period_s * self.stiffness)
    }

    fn step(&self, stretch: &Vec3, hand: &Vec3, own: &Vec3, period_s: f64) -> Vec3 {
        let pull = stretch * self.stiffness + hand * self.damping;
        (own + pull * period_s) / self.load(period_s)
    }
}

impl Intent {
    /// Of a tool that has not been anywhere.
    pub fn new(interaction: Interaction) -> Self {
        Intent {
            interaction,
            last_device: None,
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
            of_spring: 1.0,
        }
    }

    /// What draws it.
    pub fn interaction(&self) -> Interaction {
        self.interaction
    }

    /// Forgets the past: after the tool was placed again.
    pub fn reset(&mut self) {
        self.last_device = None;
        self.velocity = Vec3::zeros();
        self.spin = Vec3::zeros();
    }

    /// Where the tool at `tool` wants to be at the end of the tick.
    pub fn goal(
        &mut self,
        device: &Pose,
        tool: &Pose,
        shape: &ToolShape,
        gains: &Gains,
        period_s: f64,
    ) -> Pose {
        let last = self.last_device.replace(*device).unwrap_or(*device);
        let turned = device.rotation * last.rotation.inverse();
        match self.interaction {
            Interaction::Spring => *device,
            Interaction::Increments => {
                let shift = device.translation.vector - last.translation.vector;
                let rotation = Quat::new_normalize((turned * tool.rotation).into_inner());
                Pose::from_parts((tool.translation.vector + shift).into(), rotation)
            }
            Interaction::SpringWithMass(mass_kg) => {
                // Not: `period_s <= 0.0`, so that NaN stays where it is.
                if !(period_s > 0.0) {
                    return *tool;
                }
                let centre = transform(tool, &shape.centre);
                let hand = transform(device, &shape.centre);
                let hand_velocity = (hand - transform(&last, &shape.centre)) / period_s;
                let v = Spring::new(gains.stiffness_n_per_m / mass_kg).step(
                    &(hand - centre),
                    &hand_velocity,
                    &self.velocity,
                    period_s,
                );
                let rotation = if shape.turns {
                    let inertia = mass_kg * gyration(shape);
                    let stretch = (device.rotation * tool.rotation.inverse()).scaled_axis();
                    let w = Spring::new(gains.rotational_stiffness_nm_per_rad / inertia).step(
                        &stretch,
                        &(turned.scaled_axis() / period_s),
                        &self.spin,
                        period_s,
                    );
                    Quat::from_scaled_axis(w * period_s) * tool.rotation
                } else {
                    device.rotation
                };
                let origin = centre + v * period_s - rotation * shape.centre;
                Pose::from_parts(origin.into(), Quat::new_normalize(rotation.into_inner()))
            }
        }
    }

    /// What the tick has made of the intention: it led from `from` to `to` instead of `goal`.
    pub fn went(
        &mut self,
        [from, to, goal]: [&Pose; 3],
        device: &Pose,
        shape: &ToolShape,
        gains: &Gains,
        period_s: f64,
    ) {
        let Interaction::SpringWithMass(mass_kg) = self.interaction else {
            return;
        };
        if !(period_s > 0.0) {
            return;
        }
        let shift = |a: &Pose, b: &Pose| transform(b, &shape.centre) - transform(a, &shape.centre);
        let turn = |a: &Pose, b: &Pose| (b.rotation * a.rotation.inverse()).scaled_axis();
        self.velocity = shift(from, to) / period_s;
        self.spin = turn(from, to) / period_s;
        let inertia = mass_kg * gyration(shape);
        let (linear, angular) = (
            Spring::new(gains.stiffness_n_per_m / mass_kg),
            Spring::new(gains.rotational_stiffness_nm_per_rad / inertia),
        );
        let (refused, unturned) = (shift(to, goal), turn(to, goal));
        let pulled = mass_kg * linear.stiffness * shift(to, device).dot(&refused)
            + inertia * angular.stiffness * turn(to, device).dot(&unturned);
        let resisted = (mass_kg * linear.load(period_s) * refused.norm_squared()
            + inertia * angular.load(period_s) * unturned.norm_squared())
            / (period_s * period_s);
        self.of_spring = if resisted > 0.0 {
            (pulled / resisted).clamp(0.0, 1.0)
        } else {
            0.0
        };
    }

    /// The force, N, that a touched body feels for each metre by which contact with it changed the
    /// tick's wanted displacement.
    pub fn newtons_per_metre(&self, gains: &Gains, stiffness_n_per_m: f64, period_s: f64) -> f64 {
        match self.interaction {
            Interaction::SpringWithMass(mass_kg) if period_s > 0.0 => {
                let spring = Spring::new(gains.stiffness_n_per_m / mass_kg);
                self.of_spring * mass_kg * spring.load(period_s) / (period_s * period_s)
            }
            _ => stiffness_n_per_m,
        }
    }

    /// How contacts measure rotations against translations, m² (`|v|^2 + g |w|^2`): by the
    /// stiffnesses of the spring, so that what it is stretched by is what the contacts hold it
    /// with; for a tool with a mass by what its implicit step weighs. Where no torque is given
    /// there is nothing to be true to, and it is as for a tool of evenly spread mass.
    pub fn gyration_m2(&self, gains: &Gains, shape: &ToolShape, period_s: f64) -> f64 {
        let ball = gyration(shape);
        match self.interaction {
            Interaction::SpringWithMass(mass_kg) if period_s > 0.0 => {
                let linear = Spring::new(gains.stiffness_n_per_m / mass_kg);
                let angular = Spring::new(gains.rotational_stiffness_nm_per_rad / (mass_kg * ball));
                ball * angular.load(period_s) / linear.load(period_s)
            }
            _ => gains.gyration_m2().unwrap_or(ball),
        }
    }
}

/// Inertia per mass of a solid ball as large as the tool, m².
pub fn gyration(shape: &ToolShape) -> f64 {
    (0.4 * shape.bound_m * shape.bound_m).max(1e-8)
}

#[cfg(test)]
mod tests;
