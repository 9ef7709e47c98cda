//! The moving part of an arm: a rigid body with viscous and Coulomb friction.
//!
//! # Theory
//! `m v' = F - b v - f_c v/|v|`, and the same for rotation, with an inertia that is equal about
//! every axis (so that there is no gyroscopic torque). One step of length `h` is backward Euler in
//! the velocity, which has a closed form even with Coulomb friction: with `v* = (m v + h F) / (m +
//! h b)` the new velocity is `v* max(0, 1 - h f_c / ((m + h b) |v*|))`. So a body at rest stays
//! *exactly* at rest while `|F| <= f_c`, and a body that friction slows stops and does not turn
//! back. The position moves by the mean of old and new velocity, which is exact for a constant
//! acceleration. A one-sided rule would act like half a step of delay, and would shift every
//! stability limit that the simulation must show.
//!
//! # Practice
//! Constant time, no allocation, deterministic. A step with forces that are not finite does
//! nothing.

use crate::arm::{ArmSpec, Pose, Vec3, Wrench};
use crate::truth::Work;
use nalgebra::{Translation3, UnitQuaternion};

/// Mechanics at the tool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MechanismParams {
    /// Mass, kg; positive.
    pub mass_kg: f64,
    /// Viscous damping, N·s/m.
    pub damping_n_s_per_m: f64,
    /// Coulomb friction, N.
    pub coulomb_friction_n: f64,
    /// Moment of inertia, kg·m²; zero for an arm that cannot turn.
    pub inertia_kg_m2: f64,
    /// Rotational damping, N·m·s/rad.
    pub angular_damping_nm_s_per_rad: f64,
    /// Rotational Coulomb friction, N·m.
    pub angular_coulomb_friction_nm: f64,
}

impl MechanismParams {
    /// Returns what an arm declares, with a load (a hand) added to its handle.
    #[must_use]
    pub fn of(spec: &ArmSpec, load_mass_kg: f64, load_inertia_kg_m2: f64) -> Self {
        let turns = spec.has_rotation && spec.inertia_kg_m2 > 0.0;
        MechanismParams {
            mass_kg: spec.mass_kg + load_mass_kg,
            damping_n_s_per_m: spec.damping_n_s_per_m,
            coulomb_friction_n: spec.coulomb_friction_n,
            inertia_kg_m2: if turns {
                spec.inertia_kg_m2 + load_inertia_kg_m2
            } else {
                0.0
            },
            angular_damping_nm_s_per_rad: spec.angular_damping_nm_s_per_rad,
            angular_coulomb_friction_nm: spec.angular_coulomb_friction_nm,
        }
    }
}

/// Displacement of a body in one integration step, in the base frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Displacement {
    /// Translation, m.
    pub translation_m: Vec3,
    /// Rotation vector, rad.
    pub turn_rad: Vec3,
}

impl Work {
    /// Adds one integration step under a finite wrench.
    pub(super) fn add(&mut self, wrench: &Wrench, moved: &Displacement) {
        self.force_j += wrench.force_n.dot(&moved.translation_m);
        self.torque_j += wrench.torque_nm.dot(&moved.turn_rad);
    }
}

/// The body, its pose and its velocities, in the arm's base frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mechanism {
    params: MechanismParams,
    /// Exact pose, not the encoder's.
    pub pose: Pose,
    /// Linear velocity, m/s.
    pub linear_velocity: Vec3,
    /// Angular velocity, rad/s.
    pub angular_velocity: Vec3,
}

/// What resists a force or a torque: inertia, and viscous and Coulomb friction.
struct Resistance {
    /// Mass, kg, or moment of inertia, kg m².
    inertia: f64,
    /// N·s/m or N·m·s/rad.
    damping: f64,
    /// N or N·m.
    coulomb: f64,
}

/// Backward Euler with viscous and Coulomb friction, for a linear or an angular velocity.
fn step_velocity(velocity: &Vec3, force: &Vec3, resistance: &Resistance, h: f64) -> Vec3 {
    let &Resistance {
        inertia,
        damping,
        coulomb,
    } = resistance;
    let effective = inertia + h * damping;
    let free = (velocity * inertia + force * h) / effective;
    let speed = free.norm();
    let loss = h * coulomb / effective;
    if speed <= loss {
        Vec3::zeros()
    } else {
        free * (1.0 - loss / speed)
    }
}

impl Mechanism {
    /// Makes a body at rest at a pose.
    #[must_use]
    pub fn new(params: MechanismParams, pose: Pose) -> Self {
        Mechanism {
            params,
            pose,
            linear_velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
        }
    }

    /// Replaces the parameters; the velocity stays. A load that was removed takes its momentum with
    /// it.
    pub fn set_params(&mut self, params: MechanismParams) {
        self.params = params;
    }

    /// Takes one integration step of `h_s` under a constant wrench at the tool origin. Returns
    /// `None` and does nothing if the wrench is not finite or the step is not positive.
    pub fn step(&mut self, h_s: f64, wrench: &Wrench) -> Option<Displacement> {
        if !(wrench.is_finite() && h_s > 0.0) {
            return None;
        }
        let p = &self.params;
        let before = self.linear_velocity;
        self.linear_velocity = step_velocity(
            &before,
            &wrench.force_n,
            &Resistance {
                inertia: p.mass_kg,
                damping: p.damping_n_s_per_m,
                coulomb: p.coulomb_friction_n,
            },
            h_s,
        );
        let translation_m = (before + self.linear_velocity) * (0.5 * h_s);
        let position = self.pose.translation.vector + translation_m;
        let mut turn_rad = Vec3::zeros();
        let mut rotation = self.pose.rotation;
        if p.inertia_kg_m2 > 0.0 {
            let before = self.angular_velocity;
            self.angular_velocity = step_velocity(
                &before,
                &wrench.torque_nm,
                &Resistance {
                    inertia: p.inertia_kg_m2,
                    damping: p.angular_damping_nm_s_per_rad,
                    coulomb: p.angular_coulomb_friction_nm,
                },
                h_s,
            );
            turn_rad = (before + self.angular_velocity) * (0.5 * h_s);
            rotation = UnitQuaternion::from_scaled_axis(turn_rad) * rotation;
            rotation.renormalize_fast();
        }
        self.pose = Pose::from_parts(Translation3::from(position), rotation);
        Some(Displacement {
            translation_m,
            turn_rad,
        })
    }

    /// Returns the kinetic energy, J.
    #[must_use]
    pub fn kinetic_energy_j(&self) -> f64 {
        0.5 * self.params.mass_kg * self.linear_velocity.norm_squared()
            + 0.5 * self.params.inertia_kg_m2 * self.angular_velocity.norm_squared()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const H: f64 = 5e-5;

    fn params() -> MechanismParams {
        MechanismParams {
            mass_kg: 0.2,
            damping_n_s_per_m: 2.0,
            coulomb_friction_n: 0.3,
            inertia_kg_m2: 1e-4,
            angular_damping_nm_s_per_rad: 1e-3,
            angular_coulomb_friction_nm: 2e-3,
        }
    }

    fn force(x: f64) -> Wrench {
        Wrench {
            force_n: Vec3::new(x, 0.0, 0.0),
            torque_nm: Vec3::zeros(),
        }
    }

    #[test]
    fn below_the_friction_nothing_moves_at_all() {
        let mut body = Mechanism::new(params(), Pose::translation(0.1, 0.2, 0.3));
        let start = body.pose;
        let push = Wrench {
            force_n: Vec3::new(0.2, -0.2, 0.1),
            torque_nm: Vec3::new(0.0, 1.9e-3, 0.0),
        };
        for _ in 0..20_000 {
            body.step(H, &push);
        }
        assert_eq!(body.pose, start);
    }

    #[test]
    fn a_push_ends_at_the_speed_of_the_viscous_balance() {
        let mut body = Mechanism::new(params(), Pose::identity());
        for _ in 0..40_000 {
            body.step(H, &force(1.3));
        }
        // (1.3 - 0.3) / 2 = 0.5 m/s after twenty time constants of 0.1 s.
        assert!((body.linear_velocity.x - 0.5).abs() < 1e-6);
    }

    #[test]
    fn free_flight_follows_the_closed_solution() {
        let mut frictionless = params();
        frictionless.coulomb_friction_n = 0.0;
        let mut body = Mechanism::new(frictionless, Pose::identity());
        for _ in 0..2_000 {
            body.step(H, &force(1.0));
        }
        let (m, b, t) = (0.2, 2.0, 0.1_f64);
        let v = 1.0 / b * (1.0 - (-b * t / m).exp());
        let x = t / b - m / b * v;
        assert!((body.linear_velocity.x - v).abs() < 2e-4 * v);
        assert!((body.pose.translation.x - x).abs() < 5e-4 * x);
    }

    #[test]
    fn a_sliding_body_stops_for_good_and_in_the_coulomb_time() {
        let mut p = params();
        p.damping_n_s_per_m = 0.0;
        let mut body = Mechanism::new(p, Pose::identity());
        body.linear_velocity.y = 0.6;
        // m v / f_c = 0.4 s, distance v t / 2 = 0.12 m.
        for _ in 0..7_990 {
            body.step(H, &Wrench::zero());
        }
        assert!(body.linear_velocity.y > 0.0);
        for _ in 0..20 {
            body.step(H, &Wrench::zero());
        }
        assert_eq!(body.linear_velocity, Vec3::zeros());
        assert!((body.pose.translation.y - 0.12).abs() < 1e-5);
    }

    #[test]
    fn turning_keeps_the_quaternion_a_rotation() {
        let mut body = Mechanism::new(params(), Pose::identity());
        let spin = Wrench {
            force_n: Vec3::zeros(),
            torque_nm: Vec3::new(0.01, 0.02, -0.005),
        };
        for _ in 0..50_000 {
            body.step(H, &spin);
        }
        assert!((body.pose.rotation.coords.norm() - 1.0).abs() < 1e-12);
        assert!(body.angular_velocity.norm() > 10.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        #[test]
        fn no_push_gives_more_energy_than_its_work(
            forces in prop::collection::vec(prop::array::uniform3(-20.0..20.0f64), 1..200)
        ) {
            let mut body = Mechanism::new(params(), Pose::identity());
            let mut work = 0.0;
            for f in forces {
                let before = body.pose.translation.vector;
                let push = Wrench { force_n: Vec3::from(f), torque_nm: Vec3::zeros() };
                body.step(H, &push);
                work += push.force_n.dot(&(body.pose.translation.vector - before));
                prop_assert!(body.kinetic_energy_j() <= work + 1e-12);
            }
        }
    }
}
