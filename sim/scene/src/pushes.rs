//! Impulses and velocities that clients give to dynamic bodies.
//!
//! The rigid world is ahead of the loop: it is at the end of the last trajectory that was planned.
//! A push acts there, and the next trajectory begins with it. If a tool stops the loop before that,
//! the rigid world goes back to a checkpoint that does not know the push. So a push is kept until
//! the loop follows a trajectory that was planned after it, and is given again until then: exactly
//! once, whatever becomes of the trajectories.

use hapticd_geometry::Vec3;
use hapticd_rigid::{BodyId, RigidWorld as Rigid, Twist};

/// Largest change of a body's velocity by one push, m/s. A tool moves at a metre or two a second;
/// more is a mistake of units.
pub const MAX_PUSH_M_S: f64 = 100.0;
/// Same for its angular velocity, rad/s.
pub const MAX_PUSH_RAD_S: f64 = 1000.0;

/// What a client gives to a dynamic body. World frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BodyPush {
    /// An impulse: it adds to the body's velocity.
    Impulse {
        /// Impulse, N s.
        impulse_n_s: Vec3,
        /// Angular impulse beyond that of the impulse at its point, N m s.
        moment_nm_s: Vec3,
        /// Where the impulse acts, m.
        point: Vec3,
    },
    /// A velocity, which takes the place of the one that the body has.
    Velocity {
        /// Velocity of the centre of mass, m/s.
        linear_m_s: Vec3,
        /// Angular velocity, rad/s.
        angular_rad_s: Vec3,
    },
}

/// A push that would change a velocity by too much.
pub(crate) struct TooFast {
    /// Whether it is the angular velocity.
    pub angular: bool,
    /// The change, m/s or rad/s.
    pub value: f64,
}

/// Pushes of one body after the same trajectory: a velocity if there was one, then impulses about
/// the centre of mass.
struct Given {
    id: BodyId,
    /// The last trajectory that was planned before.
    after: u64,
    velocity: Option<Twist>,
    impulse_n_s: Vec3,
    moment_nm_s: Vec3,
}

impl Given {
    fn act(&self, rigid: &mut Rigid) {
        // A body that has gone needs none.
        let Ok(body) = rigid.body(self.id) else {
            return;
        };
        let had = self.velocity.unwrap_or(body.twist);
        let change = rigid.velocity_change(self.id, &self.impulse_n_s, &self.moment_nm_s);
        let twist = Twist {
            linear: had.linear + change.linear,
            angular: had.angular + change.angular,
        };
        // It wakes the body.
        let _ = rigid.set_twist(self.id, &twist);
    }
}

/// The pushes that the trajectory which the loop follows does not know; see the module page.
#[derive(Default)]
pub(crate) struct Pushes(Vec<Given>);

impl Pushes {
    /// Gives a body a push. `lever`: from the body's centre of mass to the point of an impulse, m.
    /// `after`: the last trajectory that was planned. At most two entries a body are kept, however
    /// many pushes there are.
    pub fn give(
        &mut self,
        rigid: &mut Rigid,
        (id, after): (BodyId, u64),
        push: &BodyPush,
        lever: &Vec3,
    ) -> Result<(), TooFast> {
        let mut given = Given {
            id,
            after,
            velocity: None,
            impulse_n_s: Vec3::zeros(),
            moment_nm_s: Vec3::zeros(),
        };
        let change = match *push {
            BodyPush::Impulse {
                impulse_n_s,
                moment_nm_s,
                ..
            } => {
                given.impulse_n_s = impulse_n_s;
                given.moment_nm_s = moment_nm_s + lever.cross(&impulse_n_s);
                rigid.velocity_change(id, &given.impulse_n_s, &given.moment_nm_s)
            }
            BodyPush::Velocity {
                linear_m_s,
                angular_rad_s,
            } => {
                let twist = Twist {
                    linear: linear_m_s,
                    angular: angular_rad_s,
                };
                given.velocity = Some(twist);
                twist
            }
        };
        let (linear, angular) = (change.linear.norm(), change.angular.norm());
        for (angular, value, most) in [
            (false, linear, MAX_PUSH_M_S),
            (true, angular, MAX_PUSH_RAD_S),
        ] {
            // Written so that NaN is refused.
            if !(value <= most) {
                return Err(TooFast { angular, value });
            }
        }
        given.act(rigid);
        let same = (self.0.iter_mut()).find(|other| (other.id, other.after) == (id, after));
        match (same, given.velocity) {
            (Some(same), None) => {
                same.impulse_n_s += given.impulse_n_s;
                same.moment_nm_s += given.moment_nm_s;
            }
            (Some(same), Some(_)) => *same = given,
            (None, _) => self.0.push(given),
        }
        Ok(())
    }

    /// Forgets the pushes that trajectory `followed` was planned with.
    pub fn forget_before(&mut self, followed: u64) {
        self.0.retain(|given| given.after >= followed);
    }

    /// Gives all of them again, after the rigid world went back to the trajectory that the loop
    /// follows.
    pub fn give_again(&self, rigid: &mut Rigid) {
        self.0.iter().for_each(|given| given.act(rigid));
    }
}
