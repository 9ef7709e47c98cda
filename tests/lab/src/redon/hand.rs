//! A hand on an arm, modelled as a mass on a spring: stands in for people and their devices.
//!
//! The masses of hand and arm move together. A spring and a damper pull them to the hand's intended
//! pose, bounded by what a hand can exert, and the arm has some friction. Between two ticks the
//! force of the device is constant, like that of a motor. Not real time.

use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_proxy::Wrench;

/// Integration steps per tick.
const STEPS: u32 = 20;

/// Parameters of a hand. SI units.
#[derive(Clone, Copy, Debug)]
pub struct Grip {
    pub mass_kg: f64,
    pub stiffness_n_per_m: f64,
    pub damping_n_s_per_m: f64,
    pub most_n: f64,
    pub inertia_kg_m2: f64,
    pub stiffness_nm_per_rad: f64,
    pub damping_nm_s_per_rad: f64,
    pub most_nm: f64,
    /// The arm's own friction, N s/m.
    pub arm_n_s_per_m: f64,
}

impl Grip {
    /// A relaxed grip on a light arm.
    pub const RELAXED: Self = Self {
        mass_kg: 0.15,
        stiffness_n_per_m: 300.0,
        damping_n_s_per_m: 8.0,
        most_n: 20.0,
        inertia_kg_m2: 2e-4,
        stiffness_nm_per_rad: 1.0,
        damping_nm_s_per_rad: 0.02,
        most_nm: 1.0,
        arm_n_s_per_m: 1.0,
    };
}

/// A hand on an arm; see the module page.
#[derive(Clone, Debug)]
pub struct Hand {
    pub grip: Grip,
    pub pose: Pose,
    pub velocity: Vec3,
    pub spin: Vec3,
}

impl Hand {
    /// Makes a hand at rest.
    pub fn new(grip: Grip, pose: Pose) -> Self {
        Self {
            grip,
            pose,
            velocity: Vec3::zeros(),
            spin: Vec3::zeros(),
        }
    }

    /// Advances by `period_s`, with this force of the device and with `goal` as the hand's intended
    /// pose.
    pub fn advance(&mut self, goal: &Pose, device: &Wrench, period_s: f64) {
        let (g, h) = (self.grip, period_s / f64::from(STEPS));
        for _ in 0..STEPS {
            let stretch = goal.translation.vector - self.pose.translation.vector;
            let pull = (stretch * g.stiffness_n_per_m - self.velocity * g.damping_n_s_per_m)
                .cap_magnitude(g.most_n);
            let force = pull + device.force_n - self.velocity * g.arm_n_s_per_m;
            self.velocity += force * (h / g.mass_kg);
            let turn = (goal.rotation * self.pose.rotation.inverse()).scaled_axis();
            let twist = (turn * g.stiffness_nm_per_rad - self.spin * g.damping_nm_s_per_rad)
                .cap_magnitude(g.most_nm);
            self.spin += (twist + device.torque_nm) * (h / g.inertia_kg_m2);
            self.pose.translation.vector += self.velocity * h;
            self.pose.rotation = Quat::from_scaled_axis(self.spin * h) * self.pose.rotation;
        }
        self.pose.rotation.renormalize();
    }
}

/// Intended poses of a hand: from station to station at constant speed.
#[derive(Clone, Debug)]
pub struct Script {
    stations: Vec<(f64, Pose)>,
}

impl Script {
    /// Makes a script of stations, each with the time of the motion to it, s; for the first, the
    /// time for which the hand waits there.
    pub fn new(stations: &[(f64, Pose)]) -> Self {
        let mut at = 0.0;
        let stations = stations.iter().map(|(s, pose)| {
            at += s;
            (at, *pose)
        });
        Self {
            stations: stations.collect(),
        }
    }

    /// Returns its duration, s.
    pub fn duration_s(&self) -> f64 {
        self.stations.last().map_or(0.0, |s| s.0)
    }

    /// Returns the index of the station to which the hand is moving.
    pub fn stage(&self, time_s: f64) -> usize {
        self.stations
            .iter()
            .position(|s| time_s < s.0)
            .unwrap_or(self.stations.len())
    }

    /// Returns the intended pose.
    pub fn goal(&self, time_s: f64) -> Pose {
        let stage = self.stage(time_s);
        let Some((end, to)) = self.stations.get(stage).or(self.stations.last()) else {
            return Pose::identity();
        };
        let Some((start, from)) = stage.checked_sub(1).and_then(|i| self.stations.get(i)) else {
            return *to;
        };
        if stage == self.stations.len() || end <= start {
            return *to;
        }
        let share = (time_s - start) / (end - start);
        let turn = (to.rotation * from.rotation.inverse()).scaled_axis();
        Pose::from_parts(
            from.translation
                .vector
                .lerp(&to.translation.vector, share)
                .into(),
            Quat::from_scaled_axis(turn * share) * from.rotation,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hand_comes_to_where_it_wants_to_be_less_what_the_device_pushes() {
        let goal = Pose::from_parts(
            Vec3::new(0.01, -0.02, 0.03).into(),
            Quat::from_scaled_axis(Vec3::new(0.1, 0.2, -0.1)),
        );
        let mut hand = Hand::new(Grip::RELAXED, Pose::identity());
        let device = Wrench {
            force_n: Vec3::z() * 1.5,
            torque_nm: Vec3::zeros(),
        };
        for _ in 0..2000 {
            hand.advance(&goal, &device, 1e-3);
        }
        let off = hand.pose.translation.vector - goal.translation.vector;
        // 1.5 N on 300 N/m.
        assert!((off - Vec3::z() * 5e-3).norm() < 1e-6, "{off}");
        assert!(hand.pose.rotation.angle_to(&goal.rotation) < 1e-6);
        assert!(hand.velocity.norm() < 1e-6);
    }

    #[test]
    fn a_script_waits_goes_at_constant_speed_and_stays() {
        let at = |x: f64| Pose::translation(x, 0.0, 0.0);
        let script = Script::new(&[(1.0, at(0.0)), (2.0, at(4.0)), (1.0, at(4.0))]);
        assert_eq!(script.duration_s(), 4.0);
        for (time_s, stage, x) in [
            (0.5, 0, 0.0),
            (1.0, 1, 0.0),
            (1.5, 1, 1.0),
            (2.9, 1, 3.8),
            (3.5, 2, 4.0),
            (9.0, 3, 4.0),
        ] {
            assert_eq!(script.stage(time_s), stage);
            assert!((script.goal(time_s).translation.x - x).abs() < 1e-12);
        }
    }
}
