//! Bodies that forces move: between the rigid-body world and the loop that carries its plans out.
//!
//! # Theory
//!
//! The loop alone moves bodies, and only as far as detection against the tools lets it; the
//! dynamics say where they are to go. They plan a *course* of a few ticks, proven free of
//! collisions between all bodies, while the loop is still on the one before ([`Trajectory`]).
//! Mostly the loop reaches the end of that one, and goes on. Where a tool was in the way the course
//! that was planned for that end is void; the rigid world goes back to where the loop stopped and
//! plans again from there.
//!
//! What tools push comes with the queries as sums over time, so a lost query loses nothing; a
//! course is driven by the mean force since the course before. That force is two or three ticks old
//! when the body gives way to it, and a spring that answers late feeds energy. The force is
//! therefore taken on to the middle of the course: less `k tau` times the speed at which the body
//! leaves the hand, which cancels the delay to first order, as far as the mass bears it.
//!
//! # Practice
//!
//! Everything follows from the queries and the commands, so a recorded session replays. As long as
//! no body is dynamic nothing here costs anything, and kinematic bodies go by themselves; beside
//! dynamic ones they go on courses, too.

use hapticd_geometry::broad::BroadWork;
use hapticd_geometry::{Pose, Screw, Vec3};
use hapticd_proxy::{Followed, MAX_BODIES, MAX_SEGMENTS, Query, Trajectory};
use hapticd_rigid::{
    BodyError, BodyId, BodyKind as RigidKind, BodySpec as RigidSpec, Executed, Mass, Plan,
    RigidWorld as Rigid, Saved, Settings, Twist, Wrench,
};

use crate::body::{BodyKind, BodySpec};
use crate::broad::BroadPhaseKind;
use crate::work::{Check, Task, Work};
use crate::world::Resident;

/// What forces change (Redon 2002, section 6.3.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Order {
    /// Accelerations. `gravity_m_s2` acts on everything that is free, m/s².
    Second {
        /// m/s².
        gravity_m_s2: Vec3,
    },
    /// Velocities: a force `f` moves a mass `m` at `f / (m drag)`, and nothing moves that is not
    /// pushed.
    First {
        /// Above 0, 1/s.
        drag_per_s: f64,
    },
}

/// Shortest and longest course, ticks: what is pushed is felt no sooner and no later than in one
/// and a half.
const SHORTEST_TICKS: u64 = 2;
const LONGEST_TICKS: u64 = 16;
/// And before it is known how long answers take.
const FIRST_TICKS: u64 = 4;
/// Trajectories in a row that the loop must have found in time before they get shorter by a tick.
const IN_TIME: u32 = 100;
/// Delay that the force is taken on by, in lengths of a course: pushed during one, it drives the
/// next.
const DELAY: f64 = 2.0;
/// Most of what the mass bears in one step, of what would turn its motion round.
const BEARABLE: f64 = 0.5;

/// A course that was given out and that the loop has not left behind.
struct Issued {
    course: Trajectory,
    /// The plan it is taken from, and where the rigid world was before.
    plan: Plan,
    saved: Saved,
}

/// The totals of a push that were used already.
#[derive(Clone, Copy)]
struct Used {
    impulse_n_s: Vec3,
    moment_nm_s: Vec3,
}

/// See the module page.
pub(crate) struct Dynamics {
    order: Order,
    /// `None` while work on it is away: then nothing here changes.
    rigid: Option<Box<Rigid>>,
    /// What is to be taken.
    work: Option<Box<Work>>,
    /// The course whose plan is away.
    planning: Option<Issued>,
    /// The first dynamic body is in; until then bodies move as if there were no dynamics.
    running: bool,
    broad: BroadWork,
    /// Centres of mass, body frames.
    centres: [Vec3; MAX_BODIES],
    ids: [Option<BodyId>; MAX_BODIES],
    used: [Used; MAX_BODIES],
    issued: Vec<Issued>,
    spare: Vec<Issued>,
    last: u64,
    planned_tick: u64,
    /// Length of the courses: as short as they can be for the loop not to wait for the next one.
    ticks: u64,
    /// Trajectories that were there in time since the last one that was not.
    in_time: u32,
    /// Ticks that the loop had waited when it was last looked at, and whether it had been stopped
    /// by a tool since.
    idle: u64,
    stopped: bool,
}

impl Dynamics {
    /// No bodies.
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
            course: Trajectory::new(),
            plan: Plan::default(),
            saved: Saved::default(),
        };
        let mut rigid = Rigid::new(settings)?;
        rigid.set_broad_phase(broad_phase.make());
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

    /// What finding out which bodies may touch has cost, as far as it was known when the last work
    /// came back.
    pub fn broad_work(&self) -> BroadWork {
        self.broad
    }

    /// Whether there is a dynamic body.
    pub fn is_running(&self) -> bool {
        self.running
    }

    /// Whether work is to be taken or away.
    pub fn is_working(&self) -> bool {
        self.rigid.is_none()
    }

    /// What is to be done, once.
    pub fn take_work(&mut self) -> Option<Box<Work>> {
        self.work.take()
    }

    /// Leaves it to be found out whether a newcomer has space.
    pub fn check(&mut self, spec: &BodySpec) {
        if let Some(rigid) = self.rigid.take() {
            let issued = self.issued.iter();
            let issued = issued.map(|i| (i.saved.clone(), i.plan.clone()));
            let check = Check {
                spec: rigid_spec(spec, &spec.world_from_body),
                issued: issued.collect(),
                result: Ok(()),
            };
            let task = Task::Check(Box::new(check));
            self.work = Some(Box::new(Work { rigid, task }));
        }
    }

    /// Takes work back that was run; what came of a check.
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

    /// The dynamics begin: with kinematic bodies where the loop has brought them meanwhile.
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
                // Only of kinematic bodies; others have not moved.
                let _ = rigid.place_kinematic(id, &pose);
            }
        }
    }

    /// Takes a body in that is known to have space where it is now. `O(bodies)`.
    pub fn insert(&mut self, slot: usize, spec: &BodySpec, pose: &Pose) -> Result<(), BodyError> {
        let Some(rigid) = &mut self.rigid else {
            return Ok(());
        };
        let id = rigid.add_unchecked(&rigid_spec(spec, pose))?;
        self.centres[slot] = rigid.body(id)?.pivot;
        self.ids[slot] = Some(id);
        self.used[slot] = Used {
            impulse_n_s: Vec3::zeros(),
            moment_nm_s: Vec3::zeros(),
        };
        Ok(())
    }

    /// The slot of a body.
    pub fn slot_of(&self, id: BodyId) -> Option<usize> {
        self.ids.iter().position(|known| *known == Some(id))
    }

    /// Gives a body another surface; how it bounces stays.
    pub fn set_friction(&mut self, slot: usize, friction: f64, restitution: f64) {
        if let (Some(id), Some(rigid)) = (self.ids[slot], &mut self.rigid) {
            let material = hapticd_rigid::Material {
                friction,
                restitution,
            };
            // It is there, and the caller has looked at the numbers.
            let _ = rigid.set_material(id, &material);
        }
    }

    /// Lets a body go.
    pub fn remove(&mut self, slot: usize) {
        if let (Some(id), Some(rigid)) = (self.ids[slot].take(), &mut self.rigid) {
            // It is there: nobody else takes bodies out.
            let _ = rigid.remove(id);
        }
    }

    /// Centre of mass, body frame.
    pub fn centre(&self, slot: usize) -> Vec3 {
        self.centres[slot]
    }

    /// The course that the loop needs next, if there is one.
    pub fn course(&self, query: &Query) -> Option<&Trajectory> {
        let ahead = |issued: &&Issued| issued.course.number > query.followed.course;
        self.issued.iter().find(ahead).map(|issued| &issued.course)
    }

    /// Brings the courses up to date with what the loop reports.
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
        while self
            .issued
            .first()
            .is_some_and(|i| i.course.number < at.course)
        {
            let old = self.issued.remove(0);
            self.spare.push(old);
        }
        let after = match self.issued.first() {
            // An empty one first: when the loop has taken it up, nothing moves kinematic bodies any
            // more but courses.
            None => {
                self.issue_empty(at);
                return;
            }
            Some(now) if now.course.number > at.course => None,
            Some(now) => {
                let end = end_of(&now.course);
                if self
                    .issued
                    .get(1)
                    .is_some_and(|next| next.course.after == at)
                {
                    // It has, or will have, where to go on from there.
                    None
                } else if at.ended && at != end {
                    // Stopped on the way: what comes after was planned for an end that was not
                    // reached.
                    let executed = Executed {
                        segments: at.segments as usize,
                        share: at.share,
                    };
                    if let Some(rigid) = &mut self.rigid {
                        rigid.resume(&now.saved, &now.plan, &executed);
                    }
                    while self.issued.len() > 1 {
                        self.spare.extend(self.issued.pop());
                    }
                    self.stopped = true;
                    Some(at)
                } else if self.issued.len() == 1 {
                    // Where a tool was in the way the loop has to wait, whatever the courses'
                    // length.
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
                // The loop stands still there: so this is where they are.
                for resident in residents.iter().flatten() {
                    let id = self.ids[resident.key.slot as usize];
                    let pose = query.pose_of(resident.key);
                    if let (Some(id), Some(pose), Some(rigid)) = (id, pose, &mut self.rigid) {
                        // Only of kinematic bodies, of which nothing else is known for certain.
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
            issued.course.clear();
            self.last += 1;
            issued.course.number = self.last;
            issued.course.after = after;
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
        let course = &mut issued.course;
        course.clear();
        self.last += 1;
        course.number = self.last;
        course.after = after;
        for resident in residents.iter().flatten() {
            let moves = resident.spec.kind != BodyKind::Static;
            if moves && self.ids[resident.key.slot as usize].is_some() {
                course.bodies.push(resident.key);
            }
        }
        self.planning = Some(issued);
        let task = Task::Plan { step_s };
        self.work = Some(Box::new(Work { rigid, task }));
    }

    /// What acts on the bodies during the coming `step_s`: kinematic ones go towards their targets,
    /// dynamic ones are pushed.
    fn drive(
        &mut self,
        query: &Query,
        residents: &[Option<Resident>; MAX_BODIES],
        step_s: f64,
        period_s: f64,
    ) {
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
                                    // It has the speed that the force gives it: solved for that.
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
                }
            }
        }
    }
}

/// What the rigid world is told of a body.
fn rigid_spec(spec: &BodySpec, pose: &Pose) -> RigidSpec {
    let kind = match spec.kind {
        BodyKind::Static => RigidKind::Static,
        BodyKind::Kinematic => RigidKind::Kinematic,
        BodyKind::Dynamic => RigidKind::Dynamic,
    };
    RigidSpec {
        shape: spec.shape.index.clone(),
        facts: Some(spec.shape.facts.clone()),
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

/// Makes the course that of a plan.
fn fill(issued: &mut Issued, plan: &Plan, ids: &[Option<BodyId>; MAX_BODIES]) {
    let course = &mut issued.course;
    course.segments = plan.segments().len().min(MAX_SEGMENTS);
    for (k, segment) in plan.segments()[..course.segments].iter().enumerate() {
        course.durations_s[k] = segment.duration_s;
        let screws = plan.screws(segment);
        for key in &course.bodies {
            let slot = ids[key.slot as usize].map(|id| id.slot as usize);
            let screw = slot.and_then(|slot| screws.get(slot)).copied();
            course.screws.push(screw.unwrap_or_else(Screw::identity));
        }
    }
    issued.plan.clone_from(plan);
}

/// The place at which a course has been followed to its end.
fn end_of(course: &Trajectory) -> Followed {
    Followed {
        course: course.number,
        segments: course.segments as u32,
        share: 0.0,
        ended: true,
    }
}
