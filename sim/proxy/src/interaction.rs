//! How the tool follows the hand: the motion that it intends in a tick, before contacts act.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic. World frame, SI
//! units.
//!
//! # Theory
//!
//! Redon 2002, section 6.3.3, has two metaphors of interaction. With the *spring* the tool wants to
//! be where the hand is. Contacts stretch the spring, and the stretch ends when the contact ends.
//! With *increments* each displacement of the hand is an intended displacement of the tool. What a
//! contact refuses is lost, and the offset between hand and tool stays.
//!
//! The dynamics may be of first or second order (section 6.3.1). In first order the tool has no
//! inertia: it moves to its goal within the tick. In second order it is a body with mass, pulled by
//! the damped spring of equation 6.3,
//!
//! `m v' = k (x_hand - x) + b (v_hand - v)`,
//!
//! and contacts act on its velocity. The spring is integrated implicitly, which is stable for every
//! mass, stiffness and period: `v_1 = (v + T/m (k s + b v_hand)) / (1 + T b/m + T^2 k/m)` with `s`
//! the stretch before the step.
//!
//! # Practice
//!
//! The tool's side of the spring has the stiffness that the hand is given, so that action equals
//! reaction. It is never less than what moves the mass at [`MIN_RAD_S`]: an arm that may not be
//! given any force still leads its tool. Damping is critical. The inertia is that of a solid ball
//! as large as the tool.
//!
//! Bodies that the tool touches feel the spring and not the mass. Within a tick the loop treats
//! every body as immovable. An impact would therefore transfer more momentum than a body of its
//! mass takes, and thus more energy than the tool had. The impact energy of the mass is lost
//! instead.

use hapticd_geometry::{Pose, Quat, Vec3, transform};

use crate::coupling::Gains;
use crate::tool::ToolShape;

/// How the tool is drawn to the hand.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Interaction {
    /// A spring to the hand; the tool has no inertia.
    #[default]
    Spring,
    /// A spring to the hand; the tool has this mass, kg.
    SpringWithMass(f64),
    /// Displacements of the hand, without inertia. The hand feels nothing, since no position draws
    /// it.
    Increments,
}

/// Lowest natural frequency of a tool with mass, rad/s.
const MIN_RAD_S: f64 = 30.0;

/// State of the tool's intention from tick to tick.
#[derive(Clone, Debug)]
pub struct Intent {
    interaction: Interaction,
    last_device: Option<Pose>,
    /// Actual velocity of the tool's centre in the last tick, m/s, and its spin, rad/s.
    velocity: Vec3,
    spin: Vec3,
    /// Share of the spring in what contacts held back in the last tick, 0 to 1; the rest was due to
    /// the mass.
    of_spring: f64,
}

/// One direction of the spring, per unit of mass: stiffness and damping.
struct Spring {
    stiffness: f64,
    damping: f64,
}

impl Spring {
    /// Creates the spring from `stiffness / mass` of the hand's side.
    fn new(stiffness_per_mass: f64) -> Self {
        let stiffness = stiffness_per_mass.max(MIN_RAD_S * MIN_RAD_S);
        Spring {
            stiffness,
            damping: 2.0 * stiffness.sqrt(),
        }
    }

    /// Returns the divisor of the implicit step: the mass that a contact feels, in units of the
    /// mass.
    fn load(&self, period_s: f64) -> f64 {
        1.0 + period_s * (self.damping + period_s * self.stiffness)
    }

    fn step(&self, stretch: &Vec3, hand: &Vec3, own: &Vec3, period_s: f64) -> Vec3 {
        let pull = stretch * self.stiffness + hand * self.damping;
        (own + pull * period_s) / self.load(period_s)
    }
}

impl Intent {
    /// Creates the state of a tool that has not moved yet.
    pub fn new(interaction: Interaction) -> Self {
        Intent {
            interaction,
            last_device: None,
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
            of_spring: 1.0,
        }
    }

    /// Returns the kind of interaction.
    pub fn interaction(&self) -> Interaction {
        self.interaction
    }

    /// Clears the history, after the tool was placed again.
    pub fn reset(&mut self) {
        self.last_device = None;
        self.velocity = Vec3::zeros();
        self.spin = Vec3::zeros();
    }

    /// Returns the pose that the tool at `tool` wants to have at the end of the tick.
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
                // Not: `period_s <= 0.0`, so that NaN leaves the tool where it is.
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

    /// Takes the outcome of the tick: the motion led from `from` to `to` instead of to `goal`.
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

    /// Returns the force, N, on a touched body per metre by which contact with it changed the
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

    /// Returns the weight of rotations against translations in the contacts' metric, m² (`|v|^2 +
    /// g |w|^2`).
    ///
    /// It is the ratio of the spring's stiffnesses, so that contacts hold the tool with exactly the
    /// stretch of the spring. For a tool with mass it follows from the implicit step. If the arm
    /// renders no torque, no ratio is given, and it is that of a tool of evenly spread mass.
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

/// Returns the inertia per mass of a solid ball as large as the tool, m².
pub fn gyration(shape: &ToolShape) -> f64 {
    (0.4 * shape.bound_m * shape.bound_m).max(1e-8)
}

#[cfg(test)]
mod tests;
