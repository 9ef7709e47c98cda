//! Dynamic bodies: the link between the rigid world and the loop that executes its plans.
//!
//! # Theory
//!
//! Only the loop moves bodies, and only as far as detection against the tools allows; the dynamics
//! tell where they should go. They plan a *trajectory* of a few ticks, proven collision-free
//! between all bodies, while the loop still follows the previous one ([`Trajectory`]). Usually the
//! loop reaches the end of that one and continues. If a tool was in the way, the trajectory planned
//! for that end is void. The rigid world then goes back to where the loop stopped and plans again
//! from there.
//!
//! The pushes of tools come with the queries as sums over time, so a lost query loses nothing. A
//! trajectory is driven by the mean force since the previous one. That force is two or three ticks
//! old when the body yields to it, and a spring that answers late feeds in energy. The force is
//! therefore extrapolated to the middle of the trajectory. `k tau` times the speed at which the
//! body moves away from the hand is subtracted, which cancels the delay to first order, as far as
//! the mass allows it.
//!
//! # Practice
//!
//! Everything follows from the queries and the commands, so a recorded session can be replayed. As
//! long as no body is dynamic, nothing here costs anything, and kinematic bodies move on their own.
//! In a scene with dynamic bodies, kinematic ones also follow trajectories.

use hapticd_gauss::Motion;
use hapticd_geometry::broad::BroadWork;
use hapticd_geometry::{Pose, Quat, Screw, Vec3, transform};
use hapticd_proxy::{BodyKey, Followed, GraspQuery, MAX_BODIES, MAX_SEGMENTS, Query, Trajectory};
use hapticd_rigid::{
    BodyError, BodyId, BodyKind as RigidKind, BodySpec as RigidSpec, BodyView, Checkpoint,
    Executed, Hold, Mass, Plan, RigidWorld as Rigid, Settings, Twist, Wrench,
};

use crate::body::{BodyKind, BodySpec};
use crate::broad::{self, BroadPhaseKind};
use crate::pushes::{BodyPush, Pushes, TooFast};
use crate::resident::Resident;
use crate::work::{Check, Task, Work};

/// Which quantity forces change (Redon 2002, section 6.3.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// Forces change accelerations. `gravity_m_s2` acts on every free body, m/s².
    Second {
        /// Gravitational acceleration, m/s².
        gravity_m_s2: Vec3,
    },
    /// Forces change velocities: a force `f` moves a mass `m` at `f / (m drag)`, and nothing moves
    /// unless pushed.
    First {
        /// Drag, above 0, 1/s.
        drag_per_s: f64,
    },
}

impl Order {
    /// Gravitational acceleration of every free body, m/s²; zero in first order.
    pub fn gravity_m_s2(&self) -> Vec3 {
        match self {
            Order::Second { gravity_m_s2 } => *gravity_m_s2,
            Order::First { .. } => Vec3::zeros(),
        }
    }
}

/// Minimum and maximum length of a trajectory, ticks. A push takes effect one and a half lengths
/// later.
const SHORTEST_TICKS: u64 = 2;
const LONGEST_TICKS: u64 = 16;
/// Length before the delay of answers is known, ticks.
const FIRST_TICKS: u64 = 4;
/// Number of consecutive trajectories that must be ready in time before they get shorter by a tick.
const IN_TIME: u32 = 100;
/// Delay by which the force is extrapolated, in lengths of a trajectory: a push during one drives
/// the next.
const DELAY: f64 = 2.0;
/// Largest damping that the mass bears in one step, as a fraction of what would reverse its motion.
const BEARABLE: f64 = 0.5;

/// A trajectory that was issued and that the loop has not finished.
struct Issued {
    trajectory: Trajectory,
    /// The plan that it is taken from, and the state of the rigid world before it.
    plan: Plan,
    saved: Checkpoint,
}

/// The totals of a push that have already been applied.
#[derive(Clone, Copy)]
struct Used {
    impulse_n_s: Vec3,
    moment_nm_s: Vec3,
}

/// Dynamics of the scene; see the module page.
pub(crate) struct Dynamics {
    order: Order,
    /// `None` while work on it is pending or taken; nothing here changes then.
    rigid: Option<Box<Rigid>>,
    /// Work to be taken.
    work: Option<Box<Work>>,
    /// The trajectory that is being planned.
    planning: Option<Issued>,
    /// Whether the first dynamic body has been added; until then, bodies move as if there were no
    /// dynamics.
    running: bool,
    broad: BroadWork,
    /// Centres of mass, body frames.
    centres: [Vec3; MAX_BODIES],
    ids: [Option<BodyId>; MAX_BODIES],
    used: [Used; MAX_BODIES],
    pushes: Pushes,
    issued: Vec<Issued>,
    spare: Vec<Issued>,
    last: u64,
    planned_tick: u64,
    /// Length of the trajectories: as short as possible without the loop waiting for the next one.
    ticks: u64,
    /// Number of trajectories ready in time since the last one that was late.
    in_time: u32,
    /// Number of ticks that the loop had waited at the last check, and whether a tool has stopped
    /// it since.
    idle: u64,
    stopped: bool,
}

impl Dynamics {
    /// Creates the dynamics without bodies.
    pub fn new(order: Order, broad_phase: BroadPhaseKind) -> Result<Self, BodyError> {
        let mut settings = Settings {
            kinematic_passes: true,
            ..Settings::default()
        };
        match order {
            Order::Second { gravity_m_s2 } => settings.gravity = gravity_m_s2,
            Order::First { drag_per_s } => {
                settings.order = hapticd_rigid::Order::First;
                settings.drag_per_s = drag_per_s;
            }
        }
        let issued = || Issued {
            trajectory: Trajectory::new(),
            plan: Plan::default(),
            saved: Checkpoint::default(),
        };
        let mut rigid = Rigid::new(settings)?;
        rigid.set_broad_phase(broad::broad_phase(broad_phase));
        Ok(Dynamics {
            order,
            rigid: Some(Box::new(rigid)),
            work: None,
            planning: None,
            running: false,
            broad: BroadWork::default(),
            centres: [Vec3::zeros(); MAX_BODIES],
            ids: [None; MAX_BODIES],
            used: [Used {
                impulse_n_s: Vec3::zeros(),
                moment_nm_s: Vec3::zeros(),
            }; MAX_BODIES],
            pushes: Pushes::default(),
            issued: Vec::with_capacity(2),
            spare: (0..3).map(|_| issued()).collect(),
            last: 0,
            planned_tick: 0,
            ticks: FIRST_TICKS,
            in_time: 0,
            idle: 0,
            stopped: false,
        })
    }

    /// Work of the broad phase, as known when the last work returned.
    pub fn broad_work(&self) -> BroadWork {
        self.broad
    }

    /// Whether there is a dynamic body.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Whether work is pending or taken.
    pub fn is_working(&self) -> bool {
        self.rigid.is_none()
    }

    /// Takes the pending work.
    pub fn take_work(&mut self) -> Option<Box<Work>> {
        self.work.take()
    }

    /// Creates the work of checking whether a newcomer is clear. The body in slot `old`, which it
    /// is to replace, is no obstacle.
    pub fn check(&mut self, spec: &BodySpec, old: Option<usize>) {
        if let Some(rigid) = self.rigid.take() {
            let issued = self.issued.iter();
            let issued = issued.map(|i| (i.saved.clone(), i.plan.clone()));
            let check = Check {
                spec: rigid_spec(spec, &spec.world_from_body),
                old: old.and_then(|slot| self.ids[slot]),
                issued: issued.collect(),
                result: Ok(()),
            };
            let task = Task::Check(Box::new(check));
            self.work = Some(Box::new(Work { rigid, task }));
        }
    }

    /// Accepts work that has been run. Returns the outcome of a check.
    pub fn finish(&mut self, work: Work) -> Option<Result<(), BodyError>> {
        let Work { rigid, task } = work;
        self.broad = rigid.broad_phase().work();
        let result = match task {
            Task::Plan { .. } => {
                if let Some(mut issued) = self.planning.take() {
                    fill(&mut issued, rigid.last_plan(), &self.ids);
                    self.issued.push(issued);
                }
                None
            }
            Task::Check(check) => Some(check.result),
        };
        self.rigid = Some(rigid);
        result
    }

    /// Starts the dynamics, with kinematic bodies where the loop has brought them.
    pub fn start(&mut self, residents: &[Option<Resident>; MAX_BODIES]) {
        if std::mem::replace(&mut self.running, true) {
            return;
        }
        for resident in residents.iter().flatten() {
            let mut pose = resident.pose;
            pose.rotation.renormalize();
            if let (Some(id), Some(rigid)) =
                (self.ids[resident.key.slot as usize], self.rigid.as_mut())
            {
                // Succeeds only for kinematic bodies; the others have not moved.
                let _ = rigid.place_kinematic(id, &pose);
            }
        }
    }

    /// Enters a body that is known to be clear at its present pose, in place of the one that had
    /// its slot. `O(bodies)`.
    pub fn insert(&mut self, slot: usize, spec: &BodySpec, pose: &Pose) -> Result<(), BodyError> {
        let Some(rigid) = &mut self.rigid else {
            return Ok(());
        };
        let id = rigid.add_unchecked(&rigid_spec(spec, pose))?;
        self.centres[slot] = rigid.body(id)?.pivot;
        if let Some(old) = self.ids[slot].replace(id) {
            // It exists; what rested on it wakes.
            let _ = rigid.remove(old);
        }
        self.used[slot] = Used {
            impulse_n_s: Vec3::zeros(),
            moment_nm_s: Vec3::zeros(),
        };
        Ok(())
    }

    /// Slot of a body.
    pub fn slot_of(&self, id: BodyId) -> Option<usize> {
        self.ids.iter().position(|known| *known == Some(id))
    }

    /// Sets the friction of a body; its restitution is passed unchanged.
    pub fn set_friction(&mut self, slot: usize, friction: f64, restitution: f64) {
        if let (Some(id), Some(rigid)) = (self.ids[slot], &mut self.rigid) {
            let material = hapticd_rigid::Material {
                friction,
                restitution,
            };
            // The body exists, and the caller has checked the numbers.
            let _ = rigid.set_material(id, &material);
        }
    }

    /// Removes a body.
    pub fn remove(&mut self, slot: usize) {
        if let (Some(id), Some(rigid)) = (self.ids[slot].take(), &mut self.rigid) {
            // It exists: bodies are removed only here.
            let _ = rigid.remove(id);
        }
    }

    /// Gives a dynamic body a push. `pose`: where the loop has it, so that a point means what the
    /// client saw. Nothing happens while work is pending.
    pub fn push(&mut self, slot: usize, pose: &Pose, push: &BodyPush) -> Result<(), TooFast> {
        let (Some(id), Some(rigid)) = (self.ids[slot], &mut self.rigid) else {
            return Ok(());
        };
        let lever = match push {
            BodyPush::Impulse { point, .. } => point - transform(pose, &self.centres[slot]),
            BodyPush::Velocity { .. } => Vec3::zeros(),
        };
        self.pushes.give(rigid, (id, self.last), push, &lever)
    }

    /// Whether bodies keep a velocity.
    pub fn is_second_order(&self) -> bool {
        matches!(self.order, Order::Second { .. })
    }

    /// Centre of mass of a body, body frame.
    pub fn centre(&self, slot: usize) -> Vec3 {
        self.centres[slot]
    }

    /// The trajectory that the loop needs next, if there is one.
    pub fn trajectory(&self, query: &Query) -> Option<&Trajectory> {
        let ahead = |issued: &&Issued| issued.trajectory.number > query.followed.trajectory;
        self.issued
            .iter()
            .find(ahead)
            .map(|issued| &issued.trajectory)
    }

    /// Updates the trajectories from the loop's report.
    pub fn advance(
        &mut self,
        query: &Query,
        residents: &[Option<Resident>; MAX_BODIES],
        period_s: f64,
    ) {
        if self.rigid.is_none() {
            return;
        }
        let at = query.followed;
        self.pushes.forget_before(at.trajectory);
        while self
            .issued
            .first()
            .is_some_and(|i| i.trajectory.number < at.trajectory)
        {
            let old = self.issued.remove(0);
            self.spare.push(old);
        }
        let after = match self.issued.first() {
            // An empty trajectory first: once the loop has taken it up, only trajectories move
            // kinematic bodies.
            None => {
                self.issue_empty(at);
                return;
            }
            Some(now) if now.trajectory.number > at.trajectory => None,
            Some(now) => {
                let end = end_of(&now.trajectory);
                if self
                    .issued
                    .get(1)
                    .is_some_and(|next| next.trajectory.after == at)
                {
                    // The loop has, or will have, its continuation from there.
                    None
                } else if at.ended && at != end {
                    // Stopped early: the next trajectory was planned for an end that was not
                    // reached.
                    let executed = Executed {
                        segments: at.segments as usize,
                        share: at.share,
                    };
                    if let Some(rigid) = &mut self.rigid {
                        rigid.resume(&now.saved, &now.plan, &executed);
                        self.pushes.give_again(rigid);
                    }
                    while self.issued.len() > 1 {
                        self.spare.extend(self.issued.pop());
                    }
                    self.stopped = true;
                    Some(at)
                } else if self.issued.len() == 1 {
                    // If a tool was in the way, the loop must wait whatever the length of the
                    // trajectories.
                    if query.idle_ticks > self.idle && !self.stopped {
                        self.in_time = 0;
                        self.ticks = (self.ticks + 1).min(LONGEST_TICKS);
                    }
                    self.idle = query.idle_ticks;
                    self.stopped = false;
                    self.in_time += 1;
                    if self.in_time > IN_TIME {
                        self.in_time = 0;
                        self.ticks = (self.ticks - 1).max(SHORTEST_TICKS);
                    }
                    Some(end)
                } else {
                    None
                }
            }
        };
        if let Some(after) = after {
            if after == at {
                // The loop stands still there, so these are the present poses.
                for resident in residents.iter().flatten() {
                    let id = self.ids[resident.key.slot as usize];
                    let pose = query.pose_of(resident.key);
                    if let (Some(id), Some(pose), Some(rigid)) = (id, pose, &mut self.rigid) {
                        // Succeeds only for kinematic bodies, for which no other pose is certain.
                        let _ = rigid.place_kinematic(id, &pose);
                    }
                }
            }
            let step_s = self.ticks as f64 * period_s;
            self.plan(after, query, residents, step_s, period_s);
        }
    }

    fn issue_empty(&mut self, after: Followed) {
        if let Some(mut issued) = self.spare.pop() {
            issued.trajectory.clear();
            self.last += 1;
            issued.trajectory.number = self.last;
            issued.trajectory.after = after;
            issued.plan = Plan::default();
            if let Some(rigid) = &self.rigid {
                rigid.save(&mut issued.saved);
            }
            self.issued.push(issued);
        }
    }

    fn plan(
        &mut self,
        after: Followed,
        query: &Query,
        residents: &[Option<Resident>; MAX_BODIES],
        step_s: f64,
        period_s: f64,
    ) {
        let Some(mut issued) = self.spare.pop() else {
            return;
        };
        self.drive(query, residents, step_s, period_s);
        let Some(rigid) = self.rigid.take() else {
            self.spare.push(issued);
            return;
        };
        rigid.save(&mut issued.saved);
        let trajectory = &mut issued.trajectory;
        trajectory.clear();
        self.last += 1;
        trajectory.number = self.last;
        trajectory.after = after;
        for resident in residents.iter().flatten() {
            let moves = resident.spec.kind != BodyKind::Static;
            if moves && self.ids[resident.key.slot as usize].is_some() {
                trajectory.bodies.push(resident.key);
            }
        }
        self.planning = Some(issued);
        let task = Task::Plan { step_s };
        self.work = Some(Box::new(Work { rigid, task }));
    }

    /// Time that the loop needs to the end of the trajectory that it follows, s; 0 if it stands
    /// still.
    fn left_s(&self, query: &Query) -> f64 {
        let at = query.followed;
        let now = self.issued.first().map(|issued| &issued.trajectory);
        let Some(now) = now.filter(|now| now.number == at.trajectory && !at.ended) else {
            return 0.0;
        };
        let ahead = now.durations_s[..now.segments]
            .iter()
            .skip(at.segments as usize);
        let first = ahead.clone().next().copied().unwrap_or(0.0);
        (ahead.sum::<f64>() - at.share * first).max(0.0)
    }

    /// Sets what acts on the bodies during the coming `step_s`: kinematic ones move towards their
    /// targets, dynamic ones are pushed.
    fn drive(
        &mut self,
        query: &Query,
        residents: &[Option<Resident>; MAX_BODIES],
        step_s: f64,
        period_s: f64,
    ) {
        let until_s = step_s + self.left_s(query);
        let since_s = query.tick.saturating_sub(self.planned_tick).max(1) as f64 * period_s;
        self.planned_tick = query.tick;
        for resident in residents.iter().flatten() {
            let slot = resident.key.slot as usize;
            let (Some(id), Some(rigid)) = (self.ids[slot], &mut self.rigid) else {
                continue;
            };
            let Ok(view) = rigid.body(id) else {
                continue;
            };
            match resident.spec.kind {
                BodyKind::Static => {}
                BodyKind::Kinematic => {
                    let twist = resident.target.as_ref().map_or(Twist::ZERO, |target| {
                        let whole = Screw::between(&view.world_from_body, &target.world_from_body);
                        let bound = resident.spec.shape.bound_m;
                        let origin = view.world_from_body.translation.vector;
                        let path = whole.velocity_of(&origin).norm() + whole.angle.abs() * bound;
                        let share = if path > 0.0 {
                            (target.speed_m_s * step_s / path).min(1.0)
                        } else {
                            0.0
                        };
                        let step = whole.part(share);
                        Twist {
                            linear: step.shift_of(&view.centre, 1.0) / step_s,
                            angular: step.angular_velocity() / step_s,
                        }
                    });
                    let _ = rigid.set_twist(id, &twist);
                }
                BodyKind::Dynamic => {
                    let pushes = &query.pushes[..query.push_count];
                    let wrench = match pushes.iter().find(|p| p.key == resident.key) {
                        None => Wrench::ZERO,
                        Some(push) => {
                            let used = &mut self.used[slot];
                            let mut force = (push.impulse_n_s - used.impulse_n_s) / since_s;
                            let mut torque = (push.moment_nm_s - used.moment_nm_s) / since_s;
                            *used = Used {
                                impulse_n_s: push.impulse_n_s,
                                moment_nm_s: push.moment_nm_s,
                            };
                            if let Some(along) = push.force_n.try_normalize(1e-9) {
                                let arm = push.point - view.centre;
                                let mass = rigid.mass_at(id, &push.point, &along);
                                let damping = push.stiffness_n_per_m * DELAY * step_s;
                                let pressed = force.dot(&along).max(0.0);
                                let less = match self.order {
                                    Order::Second { .. } => {
                                        let at_point =
                                            view.twist.linear + view.twist.angular.cross(&arm);
                                        let speed = (at_point - push.hand_m_s).dot(&along);
                                        damping.min(BEARABLE * mass / step_s) * speed
                                    }
                                    // The speed follows from the force: solved for the equilibrium.
                                    Order::First { drag_per_s } => {
                                        let drag = mass * drag_per_s;
                                        let hand = push.hand_m_s.dot(&along);
                                        let speed = (pressed + damping * hand) / (drag + damping);
                                        pressed - drag * speed
                                    }
                                };
                                // Never a pull.
                                let less = less.min(pressed);
                                force -= along * less;
                                torque -= arm.cross(&along) * less;
                            }
                            Wrench { force, torque }
                        }
                    };
                    let _ = rigid.set_wrench(id, &wrench);
                    let _ =
                        rigid.set_holds(id, &held(query, resident.key, &view, [until_s, step_s]));
                }
            }
        }
    }
}

/// The springs by which tools hold a body in a step of `step_s`, which ends `until_s` after the
/// query.
fn held(query: &Query, key: BodyKey, body: &BodyView, [until_s, step_s]: [f64; 2]) -> Vec<Hold> {
    let grasps = query
        .grasps
        .iter()
        .flatten()
        .filter(|grasp| grasp.key == key);
    let hold = |grasp: &GraspQuery| {
        let grip = grasp.grip.unwrap_or(body.pivot);
        // The target at the end of the step; its velocity in the middle of it, where that of the
        // body is the way of the step.
        let way = grasp.velocity * until_s + grasp.acceleration * (0.5 * until_s * until_s);
        let velocity = grasp.velocity + grasp.acceleration * (until_s - 0.5 * step_s);
        let parts = |motion: &Motion| {
            let (linear, angular) = (motion.fixed_rows::<3>(0), motion.fixed_rows::<3>(3));
            (linear.into_owned(), angular.into_owned())
        };
        let ((shift, turn), (linear, angular)) = (parts(&way), parts(&velocity));
        let turned = Quat::from_scaled_axis(turn);
        let origin = grasp.target.translation.vector;
        let at = grasp.at + shift + turned * (origin - grasp.at);
        let target = Pose::from_parts(at.into(), turned * grasp.target.rotation);
        let lever = transform(&target, &grip) - (grasp.at + shift);
        Hold {
            grip: grasp.grip,
            target,
            velocity: Twist {
                linear: linear + angular.cross(&lever),
                angular,
            },
            stiffness_n_per_m: grasp.stiffness_n_per_m,
            stiffness_nm_per_rad: grasp.stiffness_nm_per_rad,
            most_n: grasp.most_n,
        }
    };
    grasps.map(hold).collect()
}

/// Converts the description of a body for the rigid world.
fn rigid_spec(spec: &BodySpec, pose: &Pose) -> RigidSpec {
    let kind = match spec.kind {
        BodyKind::Static => RigidKind::Static,
        BodyKind::Kinematic => RigidKind::Kinematic,
        BodyKind::Dynamic => RigidKind::Dynamic,
    };
    RigidSpec {
        shape: spec.shape.index.clone(),
        summary: Some(spec.shape.summary.clone()),
        kind,
        mass: (kind == RigidKind::Dynamic).then_some(Mass::Density(spec.density_kg_m3)),
        world_from_body: *pose,
        twist: Twist::ZERO,
        material: hapticd_rigid::Material {
            friction: spec.material.friction,
            restitution: spec.restitution,
        },
    }
}

/// Fills the trajectory from a plan.
fn fill(issued: &mut Issued, plan: &Plan, ids: &[Option<BodyId>; MAX_BODIES]) {
    let trajectory = &mut issued.trajectory;
    trajectory.segments = plan.segments().len().min(MAX_SEGMENTS);
    for (k, segment) in plan.segments()[..trajectory.segments].iter().enumerate() {
        trajectory.durations_s[k] = segment.duration_s;
        let screws = plan.screws(segment);
        for key in &trajectory.bodies {
            let slot = ids[key.slot as usize].map(|id| id.slot as usize);
            let screw = slot.and_then(|slot| screws.get(slot)).copied();
            trajectory
                .screws
                .push(screw.unwrap_or_else(Screw::identity));
        }
    }
    issued.plan.clone_from(plan);
}

/// Progress of a loop that has followed a trajectory to its end.
fn end_of(trajectory: &Trajectory) -> Followed {
    Followed {
        trajectory: trajectory.number,
        segments: trajectory.segments as u32,
        share: 0.0,
        ended: true,
    }
}
