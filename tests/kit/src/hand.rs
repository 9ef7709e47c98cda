//! Adversarial device trajectories.
//!
//! Each hand plays one attack for a while, then picks another. Poses are device poses; the loop
//! decides how far the tool follows. One tick is 1 ms: 10 m/s is 10 mm a tick.

use hapticd_geometry::{Pose, Quat, Vec3};

use crate::random::Random;

/// Maximum displacement of the device in a tick, m, except for [`Attack::Jump`].
pub const DASH_M: f64 = 0.010;

/// A kind of attack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attack {
    /// Straight motions to random places and back, with turning, at random speeds up to 10 m/s.
    Dash,
    /// A straight line through a target at 10 m/s.
    Shot,
    /// Pressed against a target and dragged sideways.
    Slide,
    /// Small noise around a target.
    Wiggle,
    /// Along the direction of insertion, with a small error of position and angle.
    Insert,
    /// Turning on the spot at up to 100 rad/s.
    Spin,
    /// An instantaneous jump to another place.
    Jump,
    /// Pressed against a target and held there, exactly still.
    Press,
    /// Numbers that are not finite.
    Nonsense,
    /// Still, in a place free of all bodies.
    Rest,
}

/// All attacks.
pub const ATTACKS: [Attack; 10] = [
    Attack::Dash,
    Attack::Shot,
    Attack::Slide,
    Attack::Wiggle,
    Attack::Insert,
    Attack::Spin,
    Attack::Jump,
    Attack::Press,
    Attack::Nonsense,
    Attack::Rest,
];

/// Space in which a hand plays.
#[derive(Clone, Debug)]
pub struct Playground {
    /// Half size of the box about the origin, m.
    pub room: Vec3,
    /// Points to attack.
    pub targets: Vec<Vec3>,
    /// Direction of insertion; see `ScenePlan::insert`.
    pub insert: Vec3,
    /// A pose away from all bodies.
    pub free: Pose,
}

/// A generator of device poses; see the module page.
#[derive(Clone, Debug)]
pub struct Hand {
    ground: Playground,
    random: Random,
    attack: Attack,
    left: u32,
    at: Vec3,
    rotation: Quat,
    target: Vec3,
    direction: Vec3,
    spin: Vec3,
    speed: f64,
    phase: f64,
    still: u32,
}

impl Hand {
    /// Returns a hand at the free pose.
    #[must_use]
    pub fn new(ground: Playground, seed: u64) -> Self {
        Hand {
            at: ground.free.translation.vector,
            rotation: ground.free.rotation,
            ground,
            random: Random::new(seed),
            attack: Attack::Rest,
            left: 30,
            target: Vec3::zeros(),
            direction: Vec3::x(),
            spin: Vec3::zeros(),
            speed: 0.0,
            phase: 0.0,
            still: 0,
        }
    }

    /// Returns the current attack.
    #[must_use]
    pub fn attack(&self) -> Attack {
        self.attack
    }

    /// Returns the number of ticks for which the device has not moved.
    #[must_use]
    pub fn still(&self) -> u32 {
        self.still
    }

    /// Returns the next device pose; not finite during [`Attack::Nonsense`].
    pub fn step(&mut self) -> Pose {
        if self.left == 0 {
            self.choose();
        }
        self.left -= 1;
        let before = (self.at, self.rotation);
        match self.attack {
            Attack::Dash => {
                if (self.target - self.at).norm() < self.speed {
                    self.target = self.anywhere();
                    self.speed = DASH_M * self.random.unit();
                }
                self.go_towards_target();
                self.turn();
            }
            Attack::Shot => {
                self.at += self.direction * self.speed;
                self.phase += self.speed;
                if self.phase > 2.0 * self.ground.room.norm() {
                    self.aim();
                }
            }
            Attack::Slide => {
                let side = self.direction.cross(&self.spin);
                let wave = (self.phase * 0.05).sin() * 0.5 * self.ground.room.amax();
                self.phase += 1.0;
                let goal = self.target + side * wave;
                self.at += (goal - self.at).cap_magnitude(self.speed);
            }
            Attack::Wiggle => {
                self.at = self.target + self.random.vector() * self.speed;
                self.rotation = Quat::from_scaled_axis(self.random.vector() * 0.05) * self.rotation;
            }
            Attack::Insert => {
                self.phase += self.speed;
                let off = self.random.vector() * 5e-4;
                let depth = 0.6 * self.ground.room.amax() * self.phase.sin();
                let goal = self.target + self.direction * depth + off;
                self.at += (goal - self.at).cap_magnitude(DASH_M);
                self.rotation =
                    Quat::from_scaled_axis(self.random.vector() * 0.03) * self.ground.free.rotation;
            }
            Attack::Spin => self.turn(),
            Attack::Jump => {
                if self.random.chance(0.1) {
                    self.at = self.anywhere();
                    self.rotation = self.random.rotation();
                }
            }
            Attack::Press => self.at += (self.target - self.at).cap_magnitude(self.speed),
            Attack::Nonsense => {
                if self.random.chance(0.3) {
                    self.still = 0;
                    let mut broken = Pose::from_parts(self.at.into(), self.rotation);
                    let bad = [f64::NAN, f64::INFINITY, -1e300, 1e200][self.random.below(4)];
                    let axis = self.random.below(3);
                    broken.translation.vector[axis] = bad;
                    return broken;
                }
                self.at += self.random.vector() * 1e-3;
            }
            Attack::Rest => {
                self.at = self.ground.free.translation.vector;
                self.rotation = self.ground.free.rotation;
            }
        }
        self.still = if before == (self.at, self.rotation) {
            self.still + 1
        } else {
            0
        };
        Pose::from_parts(self.at.into(), self.rotation)
    }

    fn choose(&mut self) {
        self.attack = ATTACKS[self.random.below(ATTACKS.len())];
        // Rest and press take longest and break least.
        if matches!(self.attack, Attack::Rest | Attack::Press) && self.random.chance(0.7) {
            self.attack = Attack::Dash;
        }
        if self.attack == Attack::Insert && self.ground.insert == Vec3::zeros() {
            self.attack = Attack::Slide;
        }
        self.left = 15 + self.random.below(120) as u32;
        self.phase = 0.0;
        self.direction = self.random.direction();
        self.spin = self.random.direction();
        let strike = self.ground.targets[self.random.below(self.ground.targets.len())];
        match self.attack {
            Attack::Dash => {
                self.target = self.anywhere();
                self.speed = DASH_M * self.random.unit();
                self.spin *= 0.05 * self.random.unit();
            }
            Attack::Shot => self.aim(),
            Attack::Slide => {
                self.target = strike + self.random.vector() * 2e-3;
                self.speed = DASH_M * self.random.unit() * self.random.unit();
            }
            Attack::Wiggle => {
                self.target = strike + self.random.vector() * 3e-3;
                self.speed = 3e-3 * self.random.unit();
            }
            Attack::Insert => {
                self.target = strike;
                self.direction = self.ground.insert;
                self.speed = self.random.between(0.01, 0.15);
            }
            Attack::Spin => self.spin *= 0.1 * self.random.unit(),
            Attack::Press => {
                self.target = strike + self.random.vector() * 4e-3;
                self.speed = 2e-4 + DASH_M * self.random.unit() * self.random.unit();
            }
            // Long enough to see whether the tool follows.
            Attack::Rest => self.left = 280,
            Attack::Jump | Attack::Nonsense => {}
        }
        if self.attack == Attack::Press {
            self.left += 250;
        }
    }

    fn aim(&mut self) {
        let strike = self.ground.targets[self.random.below(self.ground.targets.len())];
        self.direction = self.random.direction();
        self.at = strike - self.direction * self.ground.room.norm();
        self.speed = DASH_M * (1.0 - 0.3 * self.random.unit());
        self.phase = 0.0;
        self.rotation = self.random.rotation();
    }

    fn anywhere(&mut self) -> Vec3 {
        self.random.vector().component_mul(&self.ground.room)
    }

    fn go_towards_target(&mut self) {
        self.at += (self.target - self.at).cap_magnitude(self.speed);
    }

    fn turn(&mut self) {
        self.rotation = Quat::from_scaled_axis(self.spin) * self.rotation;
    }
}
