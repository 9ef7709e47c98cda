//! Velocities of a step: impacts, forces, contacts and friction, group by group.
//!
//! # Theory
//!
//! At velocity level and over one step, a contact of gap `d` requires `n . (v_i - v_j) h >= -(d -
//! safe)`: it may close to the safe distance and no further (Redon 2002, equations 5.8 and 6.1,
//! integrated over the step). A contact that approaches faster than resting contacts do, and would
//! close within the step, bounces at its beginning: `v+ = argmin |v - v-|_M`, `n.v+ >= -e n.v-`
//! (equation 5.19). Where a gap has fallen below the safe distance, only the *path* of the step is
//! projected once more so that it opens again. The velocities are left unchanged: stabilisation
//! adds no energy.

mod impact;

use std::ops::Range;

use hapticd_ccd::moving::{Motion, advance_features};
use hapticd_ccd::{Advance, AdvanceLimits, FeaturePair};
use hapticd_gauss::{ConeSolver, Contact, ContactGap, DescentLimits, Mover, RECOVERY};
use hapticd_geometry::{Mat3, Pose, Screw, Vec3};

use crate::body::{BodyKind, RigidBody, Twist};
use crate::groups::Groups;
use crate::hold::{Beginning, drive};
use crate::link::Link;
use crate::plan::Counters;
use crate::point::{Features, Point};
use crate::settings::{Order, Settings};

/// A gap that is short by less than this fraction of the safe distance is left unchanged.
const LACKING: f64 = 1e-3;
/// A body with less than this fraction of the energy that a lift takes is not lifted.
const AT_REST: f64 = 1e-2;
/// Maximum angle of one screw, rad.
pub(crate) const MAX_TURN: f64 = 0.5;
/// Number of steps after which features that come near are assumed to touch.
const PASSING_STEPS: u32 = 32;
/// A squeezed group with contacts that still approach at this fraction of its speeds has no
/// admissible motion.
const SQUEEZED: f64 = 0.1;

pub(crate) const NO_MOVER: u32 = u32::MAX;

/// Poses and twists by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub pose: Vec<Pose>,
    pub twist: Vec<Twist>,
}

/// Motions of a step, by slot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motions {
    /// Twist at the beginning, after impacts.
    pub start: Vec<Twist>,
    /// Twist at the end.
    pub end: Vec<Twist>,
    /// Twist that carries the body during the step.
    pub way: Vec<Twist>,
    /// Whether the body is in free flight: only forces act on it.
    pub free: Vec<bool>,
}

impl Motions {
    fn reset(&mut self, slots: usize) {
        for list in [&mut self.start, &mut self.end, &mut self.way] {
            list.clear();
            list.resize(slots, Twist::ZERO);
        }
        self.free.clear();
        self.free.resize(slots, false);
    }
}

/// View of the scene during a solve.
pub(crate) struct SolveContext<'a> {
    pub settings: &'a Settings,
    pub bodies: &'a [Option<RigidBody>],
    pub state: &'a State,
    /// Bodies that stand still in this plan, whatever their kind.
    pub held: &'a [bool],
}

impl SolveContext<'_> {
    fn is_mover(&self, slot: usize) -> bool {
        (self.bodies[slot].as_ref())
            .is_some_and(|b| b.kind == BodyKind::Dynamic && !b.asleep && !self.held[slot])
    }

    /// Twist of a body with prescribed motion.
    pub fn given(&self, slot: usize) -> Twist {
        match &self.bodies[slot] {
            Some(b) if b.kind == BodyKind::Kinematic && !self.held[slot] => self.state.twist[slot],
            _ => Twist::ZERO,
        }
    }

    /// The motion of a body that keeps this twist; `None` if it turns too far for one screw.
    fn motion(&self, slot: usize, twist: &Twist, step_s: f64) -> Option<Motion> {
        let body = self.bodies[slot].as_ref()?;
        let pose = &self.state.pose[slot];
        let turn = twist.angular * step_s;
        if !(turn.norm() <= MAX_TURN) {
            return None;
        }
        let screw = Screw::from_twist(&(twist.linear * step_s), &turn, &body.pivot_at(pose));
        Some(Motion::screw(pose, &screw))
    }

    /// Whether two features that are not yet in contact reach the safe distance if nothing stops
    /// them.
    ///
    /// A row is the tangent plane of a contact. It would brake features that only pass by, such as
    /// a peg at the rim of its hole.
    fn may_touch(&self, link: &Link, f: &Features, motions: &[Option<Motion>; 2]) -> bool {
        let shape = |slot: u32| self.bodies[slot as usize].as_ref().map(|b| &b.shape);
        let (Some(a), Some(b), [Some(x), Some(y)]) = (shape(link.a), shape(link.b), motions) else {
            return true;
        };
        let (Some(a), Some(b)) = (a.feature_a(f.kind, f.a), b.feature_b(f.kind, f.b)) else {
            return true;
        };
        advance_features(
            FeaturePair {
                kind: f.kind,
                a: &a,
                b: &b,
            },
            [x, y],
            AdvanceLimits {
                threshold: link.distances.safe_m,
                t_max: 1.0,
                max_steps: PASSING_STEPS,
            },
        ) != Advance::Clear
    }

    /// Velocity of the point at `p` of a body with this twist.
    pub(crate) fn velocity_at(&self, slot: usize, twist: &Twist, p: &Vec3) -> Vec3 {
        let Some(body) = &self.bodies[slot] else {
            return Vec3::zeros();
        };
        twist.linear
            + twist
                .angular
                .cross(&(p - body.pivot_at(&self.state.pose[slot])))
    }
}

/// A contact of the current problem.
#[derive(Clone, Copy, Debug)]
struct Row {
    group: u32,
    link: u32,
    point: u32,
}

/// Data of a mover beyond those that the cone solver needs.
#[derive(Clone, Copy, Debug)]
struct Member {
    slot: u32,
    inertia: Mat3,
    /// Twist at the start of the step.
    before: Twist,
    /// Change of the twist by forces in the step.
    forced: Twist,
    /// Twist at the end of the step without contacts.
    wanted: Twist,
    /// Whether it has contacts.
    touched: bool,
    /// For a held body: by how much of its change the velocity at the start changes the wanted one.
    keeps: Option<(f64, Mat3)>,
}

impl Member {
    /// Twist after free flight over the step: first gyroscopic rotation, which adds no energy, then
    /// forces.
    fn free(&self, from: &Twist, step_s: f64) -> Twist {
        if let Some((linear, angular)) = &self.keeps {
            return Twist {
                linear: self.wanted.linear + (from.linear - self.before.linear) * *linear,
                angular: self.wanted.angular + angular * (from.angular - self.before.angular),
            };
        }
        Twist {
            linear: from.linear + self.forced.linear,
            angular: after_free_rotation(&from.angular, &self.inertia, step_s)
                + self.forced.angular,
        }
    }
}

/// Work space of the solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Solver {
    cone: ConeSolver,
    groups: Groups,
    movers: Vec<Mover>,
    members: Vec<Member>,
    /// Index of the mover, by slot.
    mover_of: Vec<u32>,
    /// Movers with contacts, as (group, mover), sorted.
    by_group: Vec<(u32, u32)>,
    rows: Vec<Row>,
    contacts: Vec<Contact>,
    impacts: Vec<Contact>,
    bounds: Vec<f64>,
    mixed: [Vec<Twist>; 2],
    pub residual_m_s: f64,
    /// Bodies with prescribed motion that leave others no space.
    pub squeezing: Vec<u32>,
}

/// The time step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interval {
    pub step_s: f64,
    /// Length of the step that the stored contact impulses belong to, s.
    pub impulses_s: f64,
}

/// What a solve writes.
pub(crate) struct SolveOutput<'a> {
    /// Links, whose contacts keep their impulses.
    pub links: &'a mut [Link],
    pub motions: &'a mut Motions,
    pub counters: &'a mut Counters,
}

/// Ranges of one group in the lists.
#[derive(Clone, Debug)]
struct Group {
    rows: Range<usize>,
    members: Range<usize>,
}

impl Solver {
    /// Computes the motions of the coming interval. Stores the impulses of the contacts in the
    /// links.
    pub fn velocities(
        &mut self,
        scene: &SolveContext<'_>,
        interval: Interval,
        output: &mut SolveOutput<'_>,
    ) {
        let out = &mut *output.motions;
        out.reset(scene.bodies.len());
        for slot in 0..scene.bodies.len() {
            let given = scene.given(slot);
            (out.start[slot], out.end[slot], out.way[slot]) = (given, given, given);
        }
        self.load_movers(scene, interval.step_s);
        self.load_rows(scene, output.links, interval.step_s);
        self.residual_m_s = 0.0;
        self.squeezing.clear();
        let mut group = Group {
            rows: 0..0,
            members: 0..0,
        };
        while let Some(row) = self.rows.get(group.rows.end) {
            let name = row.group;
            let rows = &self.rows[group.rows.end..];
            let count = rows.iter().take_while(|r| r.group == name).count();
            group.rows = group.rows.end..group.rows.end + count;
            let members = &self.by_group[group.members.end..];
            let count = members.iter().take_while(|m| m.0 == name).count();
            group.members = group.members.end..group.members.end + count;
            output.counters.groups += 1;
            output.counters.contacts += group.rows.len() as u32;
            self.solve_group(scene, interval, &group, output);
        }
        let out = &mut *output.motions;
        for member in self.members.iter().filter(|m| !m.touched) {
            let slot = member.slot as usize;
            out.start[slot] = member.before;
            out.end[slot] = member.wanted;
            let held = member.keeps.is_some();
            out.free[slot] = scene.settings.order == Order::Second && !held;
            // Midpoint velocities make a free fall exact.
            out.way[slot] = match scene.settings.order {
                Order::First => member.wanted,
                // A spring that acts by its value at the end carries the body by that velocity.
                Order::Second if held => member.wanted,
                // The final angular velocity is used, since turning about it keeps its energy.
                Order::Second => Twist {
                    angular: member.wanted.angular,
                    ..member.before.towards(&member.wanted, 0.5)
                },
            };
        }
    }

    /// Computes the smallest motion that restores the safe distance at every contact, as twists per
    /// unit of time (equation 6.2).
    pub fn reposition(&mut self, scene: &SolveContext<'_>, links: &mut [Link], out: &mut Motions) {
        out.reset(scene.bodies.len());
        self.load_movers(scene, 0.0);
        for mover in &mut self.movers {
            (mover.velocity, mover.spin) = (Vec3::zeros(), Vec3::zeros());
        }
        self.contacts.clear();
        let mut scale = 0.0_f64;
        for link in links.iter() {
            for point in &link.points {
                let Some(mut contact) = self.contact(scene, link, point, false) else {
                    break;
                };
                contact.drift = Vec3::zeros();
                contact.friction = 0.0;
                contact.bound = link.distances.safe_m - point.gap_m;
                scale = scale.max(link.distances.safe_m);
                self.contacts.push(contact);
            }
        }
        let limits = DescentLimits {
            tolerance_m_s: 1e-3 * scale,
            sweeps: (scene.settings.visits / self.contacts.len().max(1) as u32).max(4),
        };
        self.cone.solve(
            &mut self.movers,
            &mut self.contacts,
            scene.settings.friction,
            &limits,
        );
        for (mover, member) in self.movers.iter().zip(&self.members) {
            out.way[member.slot as usize] = Twist {
                linear: mover.velocity,
                angular: mover.spin,
            };
        }
    }

    fn load_movers(&mut self, scene: &SolveContext<'_>, step_s: f64) {
        self.movers.clear();
        self.members.clear();
        self.mover_of.clear();
        self.mover_of.resize(scene.bodies.len(), NO_MOVER);
        for (slot, body) in scene.bodies.iter().enumerate() {
            let Some(body) = body.as_ref().filter(|_| scene.is_mover(slot)) else {
                continue;
            };
            let turn = *scene.state.pose[slot]
                .rotation
                .to_rotation_matrix()
                .matrix();
            let inverse_inertia = turn * body.inverse_inertia * turn.transpose();
            let inertia = turn * body.inertia * turn.transpose();
            let now = scene.state.twist[slot];
            let twisting = inverse_inertia * body.wrench.torque;
            let mut member = Member {
                slot: slot as u32,
                inertia,
                before: Twist::ZERO,
                forced: Twist::ZERO,
                wanted: Twist::ZERO,
                touched: false,
                keeps: None,
            };
            match scene.settings.order {
                Order::First => {
                    let yields_s = 1.0 / scene.settings.drag_per_s;
                    member.wanted = Twist {
                        linear: now.linear + body.wrench.force * (body.inverse_mass * yields_s),
                        angular: now.angular + twisting * yields_s,
                    };
                }
                Order::Second => {
                    member.before = now;
                    member.forced = Twist {
                        linear: body.pull(&scene.settings.gravity) * step_s,
                        angular: twisting * step_s,
                    };
                    member.wanted = member.free(&now, step_s);
                }
            }
            let mut mover = Mover {
                velocity: Vec3::zeros(),
                spin: Vec3::zeros(),
                inverse_mass: body.inverse_mass,
                inverse_inertia,
            };
            hold(scene, slot, step_s, &mut member, &mut mover);
            // Forces that overflow are treated as absent.
            if !member.wanted.is_finite() {
                (member.forced, member.wanted) = (Twist::ZERO, member.before);
            }
            self.mover_of[slot] = self.movers.len() as u32;
            self.members.push(member);
            set(&mut mover, &member.wanted);
            self.movers.push(mover);
        }
    }

    /// Collects the relevant contacts and the movers that have some, by group.
    fn load_rows(&mut self, scene: &SolveContext<'_>, links: &[Link], step_s: f64) {
        self.rows.clear();
        self.groups.start(scene.bodies.len());
        for (l, link) in links.iter().enumerate() {
            let slots = [link.a as usize, link.b as usize];
            let movers = slots.map(|s| self.mover_of[s]);
            if movers == [NO_MOVER; 2] {
                continue;
            }
            let twists = [0, 1].map(|k| match self.members.get(movers[k] as usize) {
                Some(member) => member.wanted,
                None => scene.given(slots[k]),
            });
            let first = self.rows.len();
            let mut motions = None;
            for (p, point) in link.points.iter().enumerate() {
                let v = [0, 1].map(|k| scene.velocity_at(slots[k], &twists[k], &point.middle));
                let closing = -point.normal.dot(&(v[0] - v[1]));
                let release = link.distances.release_m;
                let mut matters = point.gap_m <= release + 1.5 * closing.max(0.0) * step_s;
                if matters && point.gap_m > release {
                    let motions = motions.get_or_insert_with(|| {
                        [0, 1].map(|k| scene.motion(slots[k], &twists[k], step_s))
                    });
                    matters = scene.may_touch(link, &point.features, motions);
                }
                if matters {
                    self.rows.push(Row {
                        group: 0,
                        link: l as u32,
                        point: p as u32,
                    });
                }
            }
            if self.rows.len() > first {
                if !movers.contains(&NO_MOVER) {
                    self.groups.join(link.a, link.b);
                }
                for mover in movers {
                    if let Some(member) = self.members.get_mut(mover as usize) {
                        member.touched = true;
                    }
                }
            }
        }
        for row in &mut self.rows {
            let link = &links[row.link as usize];
            let a_moves = self.mover_of[link.a as usize] != NO_MOVER;
            row.group = self.groups.find(if a_moves { link.a } else { link.b });
        }
        self.rows
            .sort_unstable_by_key(|r| (r.group, r.link, r.point));
        self.by_group.clear();
        for (m, member) in self.members.iter().enumerate().filter(|(_, m)| m.touched) {
            self.by_group
                .push((self.groups.find(member.slot), m as u32));
        }
        self.by_group.sort_unstable();
    }

    /// A contact between movers and bodies with prescribed motion; `None` if neither is a mover.
    fn contact(
        &self,
        scene: &SolveContext<'_>,
        link: &Link,
        point: &Point,
        given: bool,
    ) -> Option<Contact> {
        let mut contact = Contact {
            bodies: [None; 2],
            normal: point.normal,
            arms: [Vec3::zeros(); 2],
            drift: Vec3::zeros(),
            bound: 0.0,
            friction: link.friction,
            impulse: Vec3::zeros(),
        };
        for (k, slot, sign) in [(0, link.a as usize, 1.0), (1, link.b as usize, -1.0)] {
            let mover = self.mover_of[slot];
            if mover != NO_MOVER {
                let body = scene.bodies[slot].as_ref()?;
                contact.bodies[k] = Some(mover);
                contact.arms[k] = point.middle - body.pivot_at(&scene.state.pose[slot]);
            } else if given {
                contact.drift += scene.velocity_at(slot, &scene.given(slot), &point.middle) * sign;
            }
        }
        (contact.bodies != [None; 2]).then_some(contact)
    }

    fn solve_group(
        &mut self,
        scene: &SolveContext<'_>,
        interval: Interval,
        group: &Group,
        output: &mut SolveOutput<'_>,
    ) {
        let SolveOutput {
            links,
            motions: out,
            counters,
        } = output;
        let (mut squeezing, mut lacking) = (false, 0.0_f64);
        self.contacts.clear();
        for i in group.rows.clone() {
            let r = self.rows[i];
            let link = &links[r.link as usize];
            let point = &link.points[r.point as usize];
            let Some(mut contact) = self.contact(scene, link, point, true) else {
                continue;
            };
            squeezing |= contact.drift != Vec3::zeros();
            let room = point.gap_m - link.distances.safe_m;
            if room < -LACKING * link.distances.safe_m {
                lacking = lacking.max(-room);
            }
            contact.bound = -room.max(0.0) / interval.step_s;
            contact.impulse = point.impulse * (interval.step_s / interval.impulses_s);
            self.contacts.push(contact);
        }
        if scene.settings.order == Order::Second {
            self.bounce(scene.settings, links, group, interval.step_s);
        }
        self.each(group, |member, mover| {
            out.start[member.slot as usize] = member.before;
            set(mover, &member.wanted);
        });
        let scale = self.speed_scale(scene.settings, interval.step_s);
        let limits = DescentLimits {
            tolerance_m_s: scene.settings.tolerance * scale,
            sweeps: (scene.settings.visits / group.rows.len() as u32).max(4),
        };
        let law = scene.settings.friction;
        let descent = self
            .cone
            .solve(&mut self.movers, &mut self.contacts, law, &limits);
        counters.visits += descent.sweeps * group.rows.len() as u32;
        counters.unconverged += u32::from(!descent.converged);
        self.residual_m_s = self.residual_m_s.max(descent.residual_m_s);
        let hopeless = !descent.residual_m_s.is_finite()
            || squeezing && !descent.converged && self.worst_approach() > SQUEEZED * scale;
        let contacts = &mut self.contacts;
        for (r, contact) in self.rows[group.rows.clone()].iter().zip(contacts) {
            if hopeless {
                contact.impulse = Vec3::zeros();
            }
            links[r.link as usize].points[r.point as usize].impulse = contact.impulse;
        }
        if hopeless {
            // The group stands still, and so do the bodies that squeeze it.
            counters.infeasible += 1;
            self.each(group, |_, mover| set(mover, &Twist::ZERO));
            for r in &self.rows[group.rows.clone()] {
                let link = &links[r.link as usize];
                for slot in [link.a, link.b] {
                    if scene.given(slot as usize) != Twist::ZERO && !self.squeezing.contains(&slot)
                    {
                        self.squeezing.push(slot);
                        out.way[slot as usize] = Twist::ZERO;
                    }
                }
            }
        }
        if scene.settings.order == Order::Second && !squeezing {
            self.shorten(group);
        }
        self.each(group, |member, mover| {
            out.end[member.slot as usize] = twist_of(mover)
        });
        let pays = scene.settings.order == Order::Second && !squeezing;
        if lacking > 0.0
            && !hopeless
            && !(pays && self.is_at_rest(group, RECOVERY * lacking / interval.step_s))
        {
            self.recover(links, group, interval.step_s, &limits);
            if pays {
                self.limit_lift(group, out);
            }
        }
        self.each(group, |member, mover| {
            out.way[member.slot as usize] = twist_of(mover)
        });
    }

    /// Applies Gauss' principle along the velocities of the descent: of their multiples from 0 to
    /// 1, picks the nearest to the wanted ones.
    ///
    /// Standing still is admissible, so these multiples are too, and an exact answer is unchanged.
    /// The residual of a descent of bounded work can add energy; the result of this cannot, since
    /// `|v|² <= v . wanted` is all that the proof needs (see the module page of `step`).
    fn shorten(&mut self, group: &Group) {
        let (mut own, mut with_wanted) = (0.0, 0.0);
        self.each(group, |member, mover| {
            let momentum = [
                mover.velocity / mover.inverse_mass,
                member.inertia * mover.spin,
            ];
            own += momentum[0].dot(&mover.velocity) + momentum[1].dot(&mover.spin);
            with_wanted +=
                momentum[0].dot(&member.wanted.linear) + momentum[1].dot(&member.wanted.angular);
        });
        if with_wanted < own {
            let share = (with_wanted / own).max(0.0);
            self.each(group, |_, mover| {
                mover.velocity *= share;
                mover.spin *= share;
            });
        }
    }

    /// Changes the paths, not the velocities, so that gaps below the safe distance open again.
    fn recover(&mut self, links: &[Link], group: &Group, step_s: f64, limits: &DescentLimits) {
        for (r, contact) in self.rows[group.rows.clone()].iter().zip(&mut self.contacts) {
            let link = &links[r.link as usize];
            let gap = ContactGap {
                gap_m: link.points[r.point as usize].gap_m,
                safe_m: link.distances.safe_m,
                approach_m: 0.0,
            };
            contact.bound = gap.bound() / step_s;
            contact.friction = 0.0;
            contact.impulse = Vec3::zeros();
        }
        let law = hapticd_gauss::FrictionLaw::Coulomb;
        self.cone
            .solve(&mut self.movers, &mut self.contacts, law, limits);
    }

    /// Whether some body of the group is too slow to pay for a lift at this speed; gaps then stay
    /// unchanged.
    fn is_at_rest(&mut self, group: &Group, speed: f64) -> bool {
        let mut slow = false;
        self.each(group, |member, mover| {
            let rise = member.forced.linear.norm() * speed;
            slow |= energy_per_mass(member, mover) < AT_REST * rise;
        });
        slow
    }

    /// Scales down what [`Solver::recover`] has added until every body's kinetic energy pays for
    /// the height that it gains.
    fn limit_lift(&mut self, group: &Group, out: &Motions) {
        let mut share = 1.0_f64;
        self.each(group, |member, mover| {
            let end = &out.end[member.slot as usize];
            let rise = -member.forced.linear.dot(&(mover.velocity - end.linear));
            let way = twist_of(mover);
            set(mover, end);
            let has = energy_per_mass(member, mover);
            set(mover, &way);
            if rise > has {
                share = share.min(has / rise);
            }
        });
        self.each(group, |member, mover| {
            let end = out.end[member.slot as usize];
            set(mover, &end.towards(&twist_of(mover), share));
        });
    }

    /// Visits every mover of a group.
    fn each(&mut self, group: &Group, mut f: impl FnMut(&mut Member, &mut Mover)) {
        for &(_, m) in &self.by_group[group.members.clone()] {
            f(&mut self.members[m as usize], &mut self.movers[m as usize]);
        }
    }

    /// Kinetic energy of a group, J.
    fn energy(&self, group: &Group) -> f64 {
        let of = |&(_, m): &(u32, u32)| {
            let (mover, member) = (&self.movers[m as usize], &self.members[m as usize]);
            energy_per_mass(member, mover) / mover.inverse_mass
        };
        self.by_group[group.members.clone()].iter().map(of).sum()
    }

    /// Largest speed at a contact, at least the speed that gravity adds in a step.
    fn speed_scale(&self, settings: &Settings, step_s: f64) -> f64 {
        let mut scale = settings.gravity.norm() * step_s;
        for c in &self.contacts {
            scale = scale.max(c.drift.norm());
            for k in 0..2 {
                if let Some(m) = c.bodies[k] {
                    scale = scale.max(self.movers[m as usize].velocity_at(&c.arms[k]).norm());
                }
            }
        }
        scale.max(f64::MIN_POSITIVE)
    }

    /// Relative velocity at a contact, first body minus second.
    fn relative(&self, c: &Contact) -> Vec3 {
        let of = |k: usize| match c.bodies[k] {
            Some(m) => self.movers[m as usize].velocity_at(&c.arms[k]),
            None => Vec3::zeros(),
        };
        c.drift + of(0) - of(1)
    }

    /// Largest excess of closing speed over what is allowed, over all contacts, m/s.
    fn worst_approach(&self) -> f64 {
        let excess = |c: &Contact| c.bound - c.normal.dot(&self.relative(c));
        self.contacts.iter().map(excess).fold(0.0, f64::max)
    }
}

/// Lets the springs that hold a body act on it over a step: they add to its mass and change the
/// velocity that it wants. See [`crate::hold`].
fn hold(
    scene: &SolveContext<'_>,
    slot: usize,
    step_s: f64,
    member: &mut Member,
    mover: &mut Mover,
) {
    let Some(body) = &scene.bodies[slot] else {
        return;
    };
    let at = Beginning {
        body,
        pose: &scene.state.pose[slot],
        twist: &scene.state.twist[slot],
        inertia: &member.inertia,
    };
    let settings = scene.settings;
    let Some(drive) = drive(&at, step_s, settings.order, settings.drag_per_s) else {
        return;
    };
    let Some(inverse_inertia) = drive.inertia.try_inverse() else {
        return;
    };
    // The wanted velocities, in which all other forces are, become a momentum once more.
    let mass = 1.0 / mover.inverse_mass;
    let linear = (member.wanted.linear * mass + drive.impulse) / drive.mass;
    let angular = inverse_inertia * (member.inertia * member.wanted.angular + drive.moment);
    member.keeps = Some((mass / drive.mass, inverse_inertia * member.inertia));
    member.wanted = Twist { linear, angular };
    member.forced = Twist {
        linear: linear - member.before.linear,
        angular: angular - member.before.angular,
    };
    member.inertia = drive.inertia;
    (mover.inverse_mass, mover.inverse_inertia) = (1.0 / drive.mass, inverse_inertia);
}

/// Kinetic energy of a mover, J/kg.
fn energy_per_mass(member: &Member, mover: &Mover) -> f64 {
    let angular = mover.spin.dot(&(member.inertia * mover.spin));
    0.5 * (mover.velocity.norm_squared() + angular * mover.inverse_mass)
}

fn set(mover: &mut Mover, twist: &Twist) {
    (mover.velocity, mover.spin) = (twist.linear, twist.angular);
}

fn twist_of(mover: &Mover) -> Twist {
    Twist {
        linear: mover.velocity,
        angular: mover.spin,
    }
}

/// The angular velocity after `step_s` of free rotation: one Newton step of the implicit rule. That
/// rule loses energy where the explicit one gains, and the result never has more than before.
fn after_free_rotation(spin: &Vec3, inertia: &Mat3, step_s: f64) -> Vec3 {
    let momentum = inertia * spin;
    let torque = spin.cross(&momentum) * step_s;
    let slope = inertia + (spin.cross_matrix() * inertia - momentum.cross_matrix()) * step_s;
    let Some(inverse) = slope.try_inverse() else {
        return *spin;
    };
    let turned = spin - inverse * torque;
    let (was, is) = (spin.dot(&momentum), turned.dot(&(inertia * turned)));
    if is > was {
        turned * (was / is).sqrt()
    } else {
        turned
    }
}
