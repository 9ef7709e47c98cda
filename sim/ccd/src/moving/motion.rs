//! Motion of a body during a step: a screw, or a chain of screws, each relative to the previous
//! body.
//!
//! Constant-speed screws compose freely (Redon 2002, section 2.5). A link that follows a screw
//! relative to a parent that itself follows one is at `D0(t) D1(t) P(0)`, where both displacements
//! are expressed in the world *as it is at time 0*. Every [`Motion`] is such a product, with one
//! factor for a free body and none for a static one.
//!
//! # Bounds
//!
//! The innermost factor carries a point along a screw: speed `|v|`, acceleration `|w x v|` and jerk
//! `w |w x v|` are constant. An outer factor with angular velocity `w` carries a point that already
//! moves with speed, acceleration and jerk of at most `V`, `A`, `J`. With `v` the factor's own
//! velocity at the point's place at time 0, and `d` the distance that the point may be from there
//! (`V t` plus the radius of a region),
//!
//! ```text
//! speed        <= |v| + w d + V
//! acceleration <= |w x v| + w^2 d + 2 w V + A
//! jerk         <= w (|w x v| + w^2 d) + 3 w^2 V + 3 w A + J
//! ```
//!
//! All terms of the acceleration and the jerk except the last are orthogonal to the angular
//! velocity of the outermost factor.
//!
//! Allocation-free, no panics. Metres, radians; time in fractions of the step.

use hapticd_geometry::{Pose, Rigid, Screw, Vec3};

use crate::advance::{MotionBound, one_norm, screw_factors};

/// Maximum length of a chain made by [`Motion::link`].
pub const MAX_LINKS: usize = 8;

/// Rounding errors of one factor of a motion, in units of `f64::EPSILON` times the size of its
/// terms; see [`crate::advance`].
const ROUNDINGS: f64 = 64.0;

/// Start pose of a body and its motion over a step, `t` in `[0, 1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Motion {
    start: Pose,
    /// Screws in the world at time 0, outermost first.
    screws: [Screw; MAX_LINKS],
    count: usize,
}

impl Motion {
    /// A body that stands still.
    #[must_use]
    pub fn still(world_from_body: &Pose) -> Self {
        Self {
            start: *world_from_body,
            screws: [Screw::identity(); MAX_LINKS],
            count: 0,
        }
    }

    /// A body that follows one screw, given in the world.
    #[must_use]
    pub fn screw(world_from_body: &Pose, screw: &Screw) -> Self {
        let mut motion = Self::still(world_from_body);
        motion.append(screw);
        motion
    }

    /// A body carried by the body with this motion. It starts at `parent_from_link` and follows a
    /// screw, both in the frame of the carrier.
    ///
    /// `None` if the chain would be longer than [`MAX_LINKS`] moving links.
    #[must_use]
    pub fn link(&self, parent_from_link: &Pose, screw_in_parent: &Screw) -> Option<Self> {
        let mut motion = *self;
        motion.start = self.start * parent_from_link;
        motion
            .append(&screw_in_parent.in_frame(&self.start))
            .then_some(motion)
    }

    /// Returns `false` if the chain is full.
    fn append(&mut self, screw: &Screw) -> bool {
        if screw.angle == 0.0 && screw.translation == 0.0 {
            return true;
        }
        let Some(place) = self.screws.get_mut(self.count) else {
            return false;
        };
        *place = *screw;
        self.count += 1;
        true
    }

    /// World from body at time 0.
    #[must_use]
    pub fn start(&self) -> &Pose {
        &self.start
    }

    /// The factors of the motion in the world at time 0, outermost first; empty if the body stands
    /// still.
    #[must_use]
    pub fn screws(&self) -> &[Screw] {
        &self.screws[..self.count]
    }

    /// World from body at time `t`.
    #[must_use]
    pub fn pose_at(&self, t: f64) -> Pose {
        let carried = self.screws().iter().rev();
        carried.fold(self.start, |pose, screw| screw.pose_at(&pose, t))
    }

    /// The first share `s` of the motion, as a separate motion.
    #[must_use]
    pub fn part(&self, s: f64) -> Self {
        let mut part = *self;
        for screw in &mut part.screws[..self.count] {
            *screw = screw.part(s);
        }
        part
    }

    /// Whether all numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let pose = self.start.translation.vector.sum() + self.start.rotation.coords.sum();
        let screws = self.screws().iter();
        screws.fold(pose.is_finite(), |finite, s| {
            let sum = s.angle + s.translation + s.point.sum() + s.axis.sum();
            finite && sum.is_finite()
        })
    }

    /// Number of leading factors that two motions share. Those carry both bodies alike and do not
    /// affect their relative motion.
    #[must_use]
    pub fn common_factors(&self, other: &Self) -> usize {
        let both = self.screws().iter().zip(other.screws());
        both.take_while(|(x, y)| x == y).count()
    }
}

/// A [`Motion`] in the form that the tests use: about an origin near the bodies, without the
/// factors that a pair has in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativeMotion {
    links: [MotionBound; MAX_LINKS],
    count: usize,
    start: Rigid,
    /// Sum of the angular speeds.
    turn: f64,
}

/// Position and derivatives of a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointState {
    pub(crate) x: Vec3,
    pub(crate) v: Vec3,
    pub(crate) a: Vec3,
}

impl PointState {
    pub(crate) const ZERO: Self = Self {
        x: Vec3::new(0.0, 0.0, 0.0),
        v: Vec3::new(0.0, 0.0, 0.0),
        a: Vec3::new(0.0, 0.0, 0.0),
    };
}

/// Pose and velocities of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyState {
    pub(crate) pose: Rigid,
    /// Velocity of the origin of the body.
    velocity: Vec3,
    pub(crate) omega: Vec3,
}

impl BodyState {
    #[inline]
    pub(crate) fn velocity_at(&self, x: &Vec3) -> Vec3 {
        self.velocity + self.omega.cross(&(x - self.pose.translation))
    }
}

/// Bounds on the derivatives of a point over `[0, t_max]`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    pub(crate) speed: f64,
    pub(crate) acceleration: f64,
    pub(crate) jerk: f64,
    /// Parts of the acceleration and of the jerk that may have any direction. The rest is
    /// orthogonal to the axis of the outermost factor.
    free_acceleration: f64,
    free_jerk: f64,
}

impl Limits {
    /// Bounds on acceleration and jerk along a direction. `across`, at most 1, is the part of it
    /// that is orthogonal to the axis of the outermost factor.
    #[inline]
    pub(crate) fn along(&self, across: f64) -> (f64, f64) {
        (
            self.free_acceleration + (self.acceleration - self.free_acceleration) * across,
            self.free_jerk + (self.jerk - self.free_jerk) * across,
        )
    }
}

impl RelativeMotion {
    pub(crate) fn new(motion: &Motion, common: usize, origin: &Vec3) -> Self {
        let mut links = [MotionBound::new(&Screw::identity()); MAX_LINKS];
        let screws = &motion.screws()[common..];
        let mut turn = 0.0;
        for (link, screw) in links.iter_mut().zip(screws) {
            *link = MotionBound::new(screw).about(origin);
            turn += link.speed();
        }
        let mut start = Rigid::new(motion.start());
        start.translation -= origin;
        Self {
            links,
            count: screws.len(),
            start,
            turn,
        }
    }

    #[inline]
    fn links(&self) -> &[MotionBound] {
        &self.links[..self.count]
    }

    /// Position of a point of the body at time 0.
    #[inline]
    pub(crate) fn place(&self, local: &Vec3) -> Vec3 {
        self.start.point(local)
    }

    /// Sum of the angular speeds of the factors, radians per step.
    #[inline]
    pub(crate) fn turn_rate(&self) -> f64 {
        self.turn
    }

    /// State at time `t` of the point that is at `x` at time 0.
    #[inline]
    pub(crate) fn point(&self, x: &Vec3, t: f64) -> PointState {
        let mut s = PointState {
            x: *x,
            ..PointState::ZERO
        };
        for link in self.links().iter().rev() {
            let factors = Factors::new(link, t);
            let x = factors.carry(link, &s.x);
            let (v, a) = (factors.turn(link, &s.v), factors.turn(link, &s.a));
            let own = link.velocity_at(&x);
            s = PointState {
                x,
                v: own + v,
                a: link.omega().cross(&(own + v * 2.0)) + a,
            };
        }
        s
    }

    /// State of the body at time `t`.
    pub(crate) fn body(&self, t: f64) -> BodyState {
        let mut s = BodyState {
            pose: self.start,
            velocity: Vec3::zeros(),
            omega: Vec3::zeros(),
        };
        for link in self.links().iter().rev() {
            let factors = Factors::new(link, t);
            let at = factors.carry(link, &s.pose.translation);
            for mut axis in s.pose.rotation.column_iter_mut() {
                let turned = factors.turn(link, &axis.clone_owned());
                axis.copy_from(&turned);
            }
            s.pose.translation = at;
            s.velocity = link.velocity_at(&at) + factors.turn(link, &s.velocity);
            s.omega = link.omega() + factors.turn(link, &s.omega);
        }
        s
    }

    /// Bounds for all points within `radius` of `x` at time 0.
    #[inline]
    pub(crate) fn limits(&self, x: &Vec3, radius: f64, t_max: f64) -> Limits {
        let mut l = Limits::default();
        for link in self.links().iter().rev() {
            let v = link.velocity_at(x);
            let w = link.speed();
            let away = radius + l.speed * t_max;
            let across = link.omega().cross(&v).norm() + w * w * away;
            l = Limits {
                speed: (v.norm() + w * away + l.speed) * ROUNDED_UP,
                acceleration: (across + 2.0 * w * l.speed + l.acceleration) * ROUNDED_UP,
                jerk: (w * (across + 3.0 * (w * l.speed + l.acceleration)) + l.jerk) * ROUNDED_UP,
                free_acceleration: l.acceleration,
                free_jerk: l.jerk,
            };
        }
        l
    }

    /// Size of the part of a unit direction that is orthogonal to the axis of the outermost factor.
    #[inline]
    pub(crate) fn across(&self, n: &Vec3) -> f64 {
        match self.links().first() {
            Some(outer) if outer.speed() > 0.0 => {
                (outer.omega().cross(n).norm() / outer.speed() * ROUNDED_UP).min(1.0)
            }
            _ => 0.0,
        }
    }

    /// Bound on the rounding error of a projection of a point, and of the tests based on it, for
    /// coordinates with a 1-norm of at most `extent` at time 0.
    pub(crate) fn rounding(&self, extent: f64, t_max: f64) -> f64 {
        let mut size = extent;
        for link in self.links().iter().rev() {
            size += t_max * (link.size() + link.speed() * size);
        }
        ROUNDINGS
            * f64::EPSILON
            * (1 + self.count) as f64
            * (1.0 + self.turn * t_max)
            * (size + one_norm(&self.start.translation))
    }
}

/// Covers the rounding of a dozen additions of positive terms.
const ROUNDED_UP: f64 = 1.0 + 64.0 * f64::EPSILON;

/// The displacement of one factor at one time: `x + t v + c2 a + c3 j`. It does not use the screw's
/// point, which may be far away.
struct Factors {
    t: f64,
    sine: f64,
    c2: f64,
    c3: f64,
}

impl Factors {
    #[inline]
    fn new(link: &MotionBound, t: f64) -> Self {
        let w = link.speed();
        let (c2, c3) = screw_factors(w, t);
        Self {
            t,
            sine: t - w * w * c3,
            c2,
            c3,
        }
    }

    #[inline]
    fn carry(&self, link: &MotionBound, x: &Vec3) -> Vec3 {
        let v = link.velocity_at(x);
        let a = link.omega().cross(&v);
        x + v * self.t + a * self.c2 + link.omega().cross(&a) * self.c3
    }

    #[inline]
    fn turn(&self, link: &MotionBound, f: &Vec3) -> Vec3 {
        let once = link.omega().cross(f);
        f + once * self.sine + link.omega().cross(&once) * self.c2
    }
}
