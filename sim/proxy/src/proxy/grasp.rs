//! What a tool holds: a dynamic body on a spring behind the tool.
//!
//! Real-time callable: no allocation, no blocking, constant time. Deterministic. World frame, SI
//! units.
//!
//! # Theory
//!
//! ```text
//! hand --k-- tool --3 k-- body
//! ```
//!
//! The tool has no mass. It is where the two springs balance, as far as its contacts allow: its
//! goal is a quarter of the way from the *anchor*, where it would be if it were fixed to the body,
//! to the hand. The hand feels the coupling between itself and the tool, as ever, so governor and
//! ledger see nothing new. The dynamics draw the body with the other spring
//! (`hapticd_rigid::Hold`), at most with the force that the hand gets.
//!
//! If no contact holds the tool back, hand and body are connected by both springs in series. If
//! one does, the body is drawn to the tool where it is.
//!
//! # Practice
//!
//! * The body is no obstacle to the tool that holds it. Once let go, it is solid to it from the
//!   first answer that proves the tool clear, like any body that appears beside a tool.
//! * A body is taken at the pose that it has relative to the tool, so nothing jumps.
//! * The body lags the hand by the dynamics' two plans. They get the hand's velocity and
//!   acceleration to make up for it: a velocity that is told late would be felt as mass, by the
//!   damping.
//! * A tool that does not turn holds the body at its centre of mass, for both sides alike.
//!   Otherwise a body that turns would draw the hand by its lever.
//! * A grasp that is stretched by more than the arm can pull, three times over, for 100 ms ends:
//!   the body is caught somewhere.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Quat, Vec3, transform};

use super::{Proxy, TickContext};
use crate::bodies::{BodyTable, TrackedBody};
use crate::motion::{deflection, pull_between};
use crate::outcome::{ArmOutcome, LetGo};
use crate::slots::BodyKey;
use crate::snapshot::GraspQuery;

/// Stiffness between tool and body, in stiffnesses of the coupling.
const STIFFER: f64 = 3.0;
/// Share of the way from the anchor to the hand at which the tool is.
const SHARE: f64 = 1.0 / (1.0 + STIFFER);
/// Distance from its goal up to which a tool counts as held back by nothing, m (rotations count by
/// the tool's size).
const THERE_M: f64 = 1e-7;
/// Stretch at which a grasp slips, in stretches of the largest force.
const SLIP: f64 = 3.0;
/// Time for which it must be stretched that far, s.
const SLIP_S: f64 = 0.1;
/// Smoothing time of the hand's motion, s.
const HAND_S: f64 = 0.008;
/// Largest speed against the hand at which a body is taken, m/s: a faster one would pull with the
/// whole force at once.
const TAKEN_M_S: f64 = 0.5;

/// A body that a tool holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Grasp {
    key: BodyKey,
    id: u32,
    /// Pose of the body in the tool's frame while nothing is stretched.
    tool_from_body: Pose,
    /// Where the hand draws the tool, and how the tool's centre moves there.
    hand: Pose,
    motion: HandMotion,
    /// Centre of mass, body frame, m.
    centre: Vec3,
    /// Stiffness and damping of the body's surface.
    material: Option<(f64, f64)>,
    /// Time for which it has been stretched too far, s.
    stretched_s: f64,
    /// Whether contacts held the tool back in the last tick.
    blocked: bool,
}

/// Velocity and acceleration of the hand, smoothed twice: what lags in both by as much is known and
/// taken off, so that a constant acceleration has no lag.
#[derive(Clone, Copy, Debug)]
struct HandMotion {
    once: Motion,
    twice: Motion,
}

impl HandMotion {
    const STILL: Self = HandMotion {
        once: Motion::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
        twice: Motion::new(0.0, 0.0, 0.0, 0.0, 0.0, 0.0),
    };

    fn follow(&mut self, velocity: &Motion, period_s: f64) {
        let share = (period_s / HAND_S).min(1.0);
        self.once += (velocity - self.once) * share;
        self.twice += (self.once - self.twice) * share;
    }

    fn velocity(&self) -> Motion {
        self.once * 2.0 - self.twice
    }

    fn acceleration(&self) -> Motion {
        (self.once - self.twice) / HAND_S
    }
}

/// A body that was held, and the last tick in which answers know it as held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Released {
    key: BodyKey,
    tick: u64,
}

impl Proxy {
    /// Takes a body, at its present pose relative to the tool, and lets go of another one first.
    /// Returns false, with nothing done, if the body is further than `reach_m` from the tool, or
    /// too fast. `tick` and `period_s` are the number of the last tick and its length, s.
    pub fn take(&mut self, body: &TrackedBody, reach_m: f64, (tick, period_s): (u64, f64)) -> bool {
        if self.grasp.is_some_and(|grasp| grasp.key == body.key) {
            return true;
        }
        let tool = transform(&self.proxy, &self.shape.centre);
        let apart_m = (body.pose.translation.vector - tool).norm() - body.bound_m();
        let fast_m_s = match period_s > 0.0 {
            true => (body.step_at(&tool) / period_s - self.hand_m_s).norm(),
            false => 0.0,
        };
        // Not: `... > ...`, so that NaN is refused.
        if !(apart_m <= reach_m + self.shape.size_m() && fast_m_s <= TAKEN_M_S) {
            return false;
        }
        self.let_go(LetGo::Ordered, tick);
        // The anchor is where the tool's present pose is between it and the hand. So what presses
        // the tool now becomes the stretch of the new spring, and no force changes.
        let pull = pull_between(&self.shape, &self.goal, &self.proxy) * (SHARE / (1.0 - SHARE));
        let anchor = self.pulled(&self.proxy, &pull);
        self.grasp = Some(Grasp {
            key: body.key,
            id: body.id,
            tool_from_body: anchor.inverse() * body.pose,
            hand: self.goal,
            motion: HandMotion::STILL,
            centre: body.centre(),
            material: self.material_of(body.key),
            stretched_s: 0.0,
            blocked: false,
        });
        self.forget_body(body.key);
        true
    }

    /// Returns stiffness and damping of a body's surface, from the answer in use.
    fn material_of(&self, key: BodyKey) -> Option<(f64, f64)> {
        let snapshot = self.snapshot.as_deref()?;
        let entry = snapshot.bodies.iter().find(|entry| entry.key == key)?;
        let material = &entry.material;
        Some((material.stiffness_n_per_m, material.damping_n_s_per_m))
    }

    /// Returns the surface of the body that the tool holds: the coupling gets no stiffer than what
    /// it touched.
    pub(super) fn held_material(&self) -> Option<(f64, f64)> {
        self.grasp?.material
    }

    /// Lets go of what the tool holds.
    pub fn let_go(&mut self, why: LetGo, tick: u64) {
        if let Some(grasp) = self.grasp.take() {
            self.released = Some(Released {
                key: grasp.key,
                tick,
            });
            self.went = Some(why);
        }
    }

    /// Takes the end of a grasp, for a tick in which the arm is not there.
    pub fn take_end(&mut self) -> Option<LetGo> {
        self.went.take()
    }

    /// Returns the client-visible identity of the body that the tool holds; 0: none.
    pub fn held_id(&self) -> u32 {
        self.grasp.map_or(0, |grasp| grasp.id)
    }

    /// Returns true if the tool holds this body.
    pub fn grasps(&self, key: BodyKey) -> bool {
        self.grasp.is_some_and(|grasp| grasp.key == key)
    }

    /// Returns true if an answer to a query of this tick says nothing about whether this body is
    /// clear of the tool, because the tool held it.
    pub(super) fn was_held(&self, key: BodyKey, query_tick: u64) -> bool {
        let released = |of: Released| of.key == key && query_tick <= of.tick;
        self.grasps(key) || self.released.is_some_and(released)
    }

    /// The body is no obstacle any more.
    fn forget_body(&mut self, key: BodyKey) {
        let slot = key.slot as usize;
        self.solid[slot] = None;
        self.inside[slot] = None;
    }

    /// Returns the tool's goal between the hand's, `goal`, and the body that it holds.
    pub(super) fn held_goal(&mut self, goal: Pose, bodies: &BodyTable, period_s: f64) -> Pose {
        let Some(mut grasp) = self.grasp else {
            return goal;
        };
        let Some(body) = bodies.ahead(grasp.key) else {
            return goal;
        };
        if period_s > 0.0 {
            let went = deflection(&grasp.hand, &goal, &self.shape.centre) / period_s;
            grasp.motion.follow(&went, period_s);
        }
        grasp.hand = goal;
        self.grasp = Some(grasp);
        let anchor = self.anchor_of(&grasp, &body);
        let pull = pull_between(&self.shape, &anchor, &goal) * SHARE;
        let mut between = self.pulled(&anchor, &pull);
        if !self.shape.turns {
            // It turns with the hand, or not at all.
            let centre = transform(&between, &self.shape.centre);
            between.rotation = goal.rotation;
            between.translation.vector = centre - goal.rotation * self.shape.centre;
        }
        between
    }

    /// Returns where the tool would be if it were fixed to the body that it holds.
    fn anchor_of(&self, grasp: &Grasp, body: &Pose) -> Pose {
        if self.shape.turns {
            return body * grasp.tool_from_body.inverse();
        }
        // As far from the hand as the body's centre of mass is from where the hand would have it.
        let target = grasp.hand * grasp.tool_from_body;
        let off = transform(body, &grasp.centre) - transform(&target, &grasp.centre);
        Pose::from_parts(
            (grasp.hand.translation.vector + off).into(),
            grasp.hand.rotation,
        )
    }

    /// Returns a pose of the tool after a shift of its centre and a rotation about it.
    fn pulled(&self, pose: &Pose, pull: &Motion) -> Pose {
        let turn = pull.fixed_rows::<3>(3).into_owned();
        let rotation = Quat::from_scaled_axis(turn) * pose.rotation;
        let shift = pull.fixed_rows::<3>(0).into_owned();
        let centre = transform(pose, &self.shape.centre) + shift;
        Pose::from_parts((centre - rotation * self.shape.centre).into(), rotation)
    }

    /// Ends a grasp whose body has gone, or which is stretched too far, and reports it.
    pub(super) fn watch_grasp(&mut self, context: &TickContext<'_>, out: &mut ArmOutcome) {
        let TickContext {
            goal, bodies, tick, ..
        } = context;
        if let Some(mut grasp) = self.grasp {
            let left = pull_between(&self.shape, &self.proxy, goal);
            let left_m = left.fixed_rows::<3>(0).norm()
                + left.fixed_rows::<3>(3).norm() * self.shape.bound_m;
            grasp.blocked = left_m > THERE_M;
            let hand = transform(&grasp.hand, &self.shape.centre);
            let stretch_m = match bodies.get(grasp.key) {
                Some(body) => {
                    let anchor = self.anchor_of(&grasp, &body.pose);
                    (hand - transform(&anchor, &self.shape.centre)).norm()
                }
                None => 0.0,
            };
            let pulled_n = self.held_stiffness(false) * stretch_m;
            grasp.stretched_s = match pulled_n > SLIP * self.coupling.most_n() {
                true => grasp.stretched_s + context.period_s,
                false => 0.0,
            };
            self.grasp = Some(grasp);
            if bodies.get(grasp.key).is_none() {
                self.let_go(LetGo::BodyGone, *tick);
            } else if grasp.stretched_s >= SLIP_S {
                self.let_go(LetGo::Stretched, *tick);
            }
        }
        out.grasped = self.grasp.map_or(0, |grasp| grasp.id);
        out.let_go = self.take_end();
    }

    /// Stiffness with which the body is drawn, N/m.
    fn held_stiffness(&self, blocked: bool) -> f64 {
        self.coupling.stiffness_n_per_m() * if blocked { STIFFER } else { STIFFER * SHARE }
    }

    /// Returns what the dynamics have to know of the grasp.
    pub fn grasp_query(&self) -> Option<GraspQuery> {
        let grasp = self.grasp?;
        let gains = self.coupling.gains();
        let stiffness_n_per_m = self.held_stiffness(grasp.blocked);
        let (tool, velocity, acceleration) = match grasp.blocked {
            true => (self.proxy, self.velocity, Motion::zeros()),
            false => (
                grasp.hand,
                grasp.motion.velocity(),
                grasp.motion.acceleration(),
            ),
        };
        let turns = self.shape.turns && gains.stiffness_n_per_m > 0.0;
        let ratio = stiffness_n_per_m / gains.stiffness_n_per_m;
        Some(GraspQuery {
            key: grasp.key,
            target: tool * grasp.tool_from_body,
            at: transform(&tool, &self.shape.centre),
            grip: turns.then(|| transform(&grasp.tool_from_body.inverse(), &self.shape.centre)),
            velocity,
            acceleration,
            stiffness_n_per_m,
            stiffness_nm_per_rad: match turns {
                true => gains.rotational_stiffness_nm_per_rad * ratio,
                false => 0.0,
            },
            most_n: self.coupling.most_n(),
        })
    }
}
