//! One step: near pairs, repositioning, velocities, screws, detection, and execution.
//!
//! # Theory
//!
//! Redon's step (2002, figure 1.1 and section 6.2): solve for the velocities, make one
//! constant-speed screw of each, find the first time at which any pair comes to its clearance, and
//! place *all* bodies at that time of the same screws. The rest of the step continues from there
//! with the new contact known, a bounded number of times. Velocities at a stop are interpolated
//! between those of the start and of the end, in proportion.
//!
//! **No step adds energy** (second order, kinematic bodies excepted). Let `v0` be the velocities at
//! the start, after impacts, and `f` the change by forces. The velocities at the end, `v1`, are the
//! nearest to the wanted `u = v0 + f` among those that contacts allow. Standing still is among
//! them, so `|v1|^2 <= v1 . u`. The bodies move along `v1`, so forces do the work `v1 . f = v1 .
//! (u - v0)`, and the kinetic energy changes by at most that minus `|v1 - v0|^2 / 2`. A part of a
//! step lies between its ends and energy is convex, so no part of it adds energy either. This holds
//! for straight paths and a fixed orientation; `corrected_twist` handles the rest.
//!
//! # Practice
//!
//! * A screw carries the centre of mass along an arc that only ends on the straight path. A body in
//!   free flight that was stopped early gets the velocity that its parabola has at its present
//!   height. Any other body pays with its speed for the height gained by the arc, or by the lift
//!   that restores gaps, and for the energy that the turn of its inertia at unchanged angular
//!   velocity would add. Energy from being lowered is lost.
//! * Bodies in contact with an arc that would bow into the contact move in shorter segments, since
//!   their rows describe straight paths only.
//! * A stopped pair is nearer than the safe distance. It is moved back to it at once, while the
//!   bodies still have their incoming speed, and pays with that.
//! * A commit of a part of a segment takes the velocity in proportion; the arc may then add or
//!   remove a little energy.

use hapticd_geometry::{Pose, Screw, Vec3};

use crate::body::{BodyKind, RigidBody, Twist};
use crate::broad::{Ball, Broad};
use crate::clamp::Detection;
use crate::hold::pushed;
use crate::link::{Link, Sides};
use crate::plan::{ContactReport, Executed, Plan, Segment, SegmentKind};
use crate::settings::{Order, Settings};
use crate::sleep::{fall_asleep, update_quiet, wake};
use crate::solve::{Interval, MAX_TURN, SolveContext, SolveOutput, State};
use crate::world::{RigidWorld, is_solid, sides};

/// Maximum number of motion segments in a step. The rest of the step is then not simulated, which
/// the plan reports.
const MAX_SEGMENTS: u32 = 16;
/// Maximum number of repositionings before a step.
const MAX_REPOSITIONINGS: u32 = 4;
/// Maximum distance at which contacts are anticipated, as a fraction of the smaller body's radius.
const MAX_ANTICIPATION: f64 = 0.3;
/// Maximum bow of the screw of bodies in contact, as a fraction of their safe distance, unless its
/// share of the step would become too small.
const MAX_BOW: f64 = 0.5;
const MIN_SHARE: f64 = 0.08;
/// A segment that gets no further than this fraction of itself is a stall.
const STALL: f64 = 1e-3;
/// If a link stalls this many times in a row, its bodies are held for the rest of the step.
const MAX_STALLS: u32 = 3;

impl RigidWorld {
    /// Plans the coming `step_s`. Changes no visible state, except that sleeping bodies may wake. A
    /// second plan replaces the first.
    ///
    /// A step that is not positive and finite gives an empty plan.
    pub fn plan(&mut self, step_s: f64) -> &Plan {
        self.plan.clear(self.bodies.len());
        self.planned = true;
        // Field by field, since a derived `clone_from` allocates.
        self.ahead.pose.clone_from(&self.state.pose);
        self.ahead.twist.clone_from(&self.state.twist);
        self.searches.count = 0;
        if !(step_s > 0.0 && step_s.is_finite()) {
            return &self.plan;
        }
        self.held.clear();
        self.held.resize(self.bodies.len(), false);
        self.look(step_s);
        // Links of sleeping bodies are not kept up to date.
        if wake(&mut self.bodies, &self.ahead, &self.links, &self.settings) {
            self.look(step_s);
        }
        self.reposition(step_s);
        for link in &mut self.links {
            link.stalls = 0;
        }
        let mut left = step_s;
        while left > 0.0 && self.plan.counters.segments < MAX_SEGMENTS {
            if self.plan.counters.segments > 0 {
                self.look(left);
                // A stopped body is nearer than it should be, but still has the energy to get back:
                // its incoming speed.
                if self.settings.order == Order::Second {
                    self.reposition(left);
                }
            }
            let made = self.motion(left);
            left -= made;
            // The remainder is only rounding.
            if left < 1e-12 * step_s {
                left = 0.0;
            }
        }
        self.plan.duration_s = step_s - left;
        self.plan.counters.searches = self.searches.count;
        self.report();
        &self.plan
    }

    /// The last plan, whether or not it was executed.
    #[must_use]
    pub fn last_plan(&self) -> &Plan {
        &self.plan
    }

    /// Moves the bodies along the plan, to its end or as far as `executed` says. Does nothing
    /// without a valid plan.
    pub fn commit(&mut self, executed: &Executed) {
        if std::mem::take(&mut self.planned) {
            let plan = std::mem::take(&mut self.plan);
            self.follow(&plan, executed);
            self.plan = plan;
        }
    }

    /// Does [`RigidWorld::plan`] and all of [`RigidWorld::commit`]. Returns the executed plan.
    pub fn step(&mut self, step_s: f64) -> &Plan {
        self.plan(step_s);
        self.commit(&Executed::ALL);
        &self.plan
    }

    /// Moves the bodies along a plan that was made for their present poses.
    pub(crate) fn follow(&mut self, plan: &Plan, executed: &Executed) {
        let share = if executed.share.is_finite() {
            executed.share.clamp(0.0, 1.0)
        } else {
            0.0
        };
        let mut passed = 0.0;
        for (k, segment) in plan.segments.iter().enumerate() {
            let part = match k.cmp(&executed.segments) {
                std::cmp::Ordering::Less => 1.0,
                std::cmp::Ordering::Equal => share,
                std::cmp::Ordering::Greater => break,
            };
            if part == 0.0 {
                break;
            }
            passed += part * segment.duration_s;
            for (slot, i) in segment.screws.clone().enumerate() {
                let (Some(screw), Some(pose)) = (plan.screws.get(i), self.state.pose.get_mut(slot))
                else {
                    continue;
                };
                place(pose, screw, part);
                // In a first-order world, twists are commands and stay.
                if segment.kind == SegmentKind::Motion && self.settings.order == Order::Second {
                    self.state.twist[slot] = plan.start[i].towards(&plan.end[i], part);
                }
            }
        }
        if passed > 0.0 && update_quiet(&mut self.bodies, &self.state, &self.settings, passed) {
            fall_asleep(
                &mut self.bodies,
                &mut self.state,
                &self.links,
                &mut self.groups,
                &self.settings,
            );
        }
    }

    /// Updates lists and contacts for a step of this length.
    fn look(&mut self, step_s: f64) {
        let pull = self.settings.gravity.norm();
        let (bodies, state) = (&self.bodies, &self.ahead);
        let way = |slot: usize, body: &RigidBody| {
            if body.kind == BodyKind::Static || body.asleep {
                return 0.0;
            }
            let twist = &state.twist[slot];
            let pulled = pull + pushed(body, &state.pose[slot], twist, step_s).norm();
            (twist.linear.norm()
                + twist.angular.norm() * (body.centre - body.pivot).norm()
                + pulled * step_s)
                * step_s
        };
        let lists = (&mut self.broad, &mut self.links, &mut self.spare);
        find_neighbours(bodies, state, &self.settings, way, lists);
        for link in &mut self.links {
            let slots = [link.a as usize, link.b as usize];
            let Some(sides) = sides(bodies, state, link.a, link.b) else {
                continue;
            };
            let idle = |slot: usize, b: &RigidBody| {
                b.kind == BodyKind::Static
                    || b.asleep
                    || b.kind == BodyKind::Kinematic && state.twist[slot] == Twist::ZERO
            };
            if idle(slots[0], sides.bodies[0]) && idle(slots[1], sides.bodies[1]) && link.is_known()
            {
                continue;
            }
            let nearer = approach(
                &sides,
                [&state.twist[slots[0]], &state.twist[slots[1]]],
                pull,
                step_s,
            );
            // Faster approaches are left to detection: their contact is known once it is there.
            let most = MAX_ANTICIPATION * sides.bodies[0].radius_m;
            let look = link.distances.release_m + nearer.min(most);
            link.update(&sides, look, &mut self.searches);
        }
    }

    /// Separates the bodies again, in zero simulated time, while some contact is nearer than the
    /// alarm distance.
    fn reposition(&mut self, step_s: f64) {
        let nearest = |links: &[Link]| {
            let of = |l: &Link| {
                l.points
                    .iter()
                    .map(|p| p.gap_m / l.distances.alarm_m)
                    .fold(f64::INFINITY, f64::min)
            };
            links.iter().map(of).fold(f64::INFINITY, f64::min)
        };
        let mut before = 0.0;
        for _ in 0..MAX_REPOSITIONINGS {
            let now = nearest(&self.links);
            // Finished, or no progress.
            if now >= 1.0 || now <= before {
                return;
            }
            before = now;
            let scene = SolveContext {
                settings: &self.settings,
                bodies: &self.bodies,
                state: &self.ahead,
                held: &self.held,
            };
            self.solver
                .reposition(&scene, &mut self.links, &mut self.motions);
            self.segment(SegmentKind::Reposition, 1.0);
            self.look(step_s);
        }
    }

    /// Makes one motion segment of at most `step_s`. Returns the time covered, s.
    fn motion(&mut self, step_s: f64) -> f64 {
        let scene = SolveContext {
            settings: &self.settings,
            bodies: &self.bodies,
            state: &self.ahead,
            held: &self.held,
        };
        let interval = Interval {
            step_s,
            impulses_s: self.impulses_s,
        };
        let counters = &mut self.plan.counters;
        let mut output = SolveOutput {
            links: &mut self.links,
            motions: &mut self.motions,
            counters,
        };
        self.solver.velocities(&scene, interval, &mut output);
        for &slot in &self.solver.squeezing {
            counters.held += u32::from(!self.held[slot as usize]);
            self.held[slot as usize] = true;
        }
        self.impulses_s = step_s;
        self.plan.residual_m_s = self.plan.residual_m_s.max(self.solver.residual_m_s);
        self.segment(SegmentKind::Motion, step_s)
    }

    /// Makes screws of the motions over `step_s`, clamps them, and advances the predicted state
    /// along them. Returns the time covered, s.
    fn segment(&mut self, kind: SegmentKind, step_s: f64) -> f64 {
        let slots = self.bodies.len();
        // A screw of more than half a turn would be a different motion, so only a part of the time
        // is taken.
        let turn = |t: &Twist| t.angular.norm() * step_s;
        let most = self.motions.way.iter().map(turn).fold(0.0, f64::max);
        let mut share = if most > MAX_TURN {
            MAX_TURN / most
        } else {
            1.0
        };
        if kind == SegmentKind::Motion && self.settings.order == Order::Second {
            share = share.min(self.straight_share(step_s));
        }
        let from = self.plan.screws.len();
        for slot in 0..slots {
            let way = &self.motions.way[slot];
            let scale = share * step_s;
            let screw = Screw::from_twist(
                &(way.linear * scale),
                &(way.angular * scale),
                &self.pivot_ahead(slot),
            );
            let size = screw.angle + screw.translation + screw.point.sum();
            // Invalid motions and standing still become the identity.
            let moves = *way != Twist::ZERO && size.is_finite();
            self.plan
                .screws
                .push(if moves { screw } else { Screw::identity() });
        }
        let (t, stopper) = self.clamp(from);
        let made = share * t;
        for slot in 0..slots {
            let screw = &mut self.plan.screws[from + slot];
            *screw = screw.part(t);
            let old = self.ahead.pose[slot];
            place(&mut self.ahead.pose[slot], screw, 1.0);
            let (start, end, made_s) = match kind {
                SegmentKind::Motion => {
                    let start = self.motions.start[slot];
                    let end = start.towards(&self.motions.end[slot], made);
                    (start, end, made * step_s)
                }
                SegmentKind::Reposition => (self.ahead.twist[slot], self.ahead.twist[slot], 0.0),
            };
            let end = if end.is_finite() { end } else { start };
            let end = match self.settings.order {
                Order::First => end,
                Order::Second => {
                    self.corrected_twist(slot, &old, [&start, &end], made_s, made < 1.0)
                }
            };
            let asleep = self.bodies[slot]
                .as_ref()
                .is_none_or(|b| b.asleep || b.kind == BodyKind::Static);
            // A kinematic body that is held keeps its command.
            let keeps = self.bodies[slot]
                .as_ref()
                .is_some_and(|b| b.kind == BodyKind::Kinematic);
            let (start, end) = match (asleep, keeps) {
                (true, _) => (Twist::ZERO, Twist::ZERO),
                (_, true) => (self.ahead.twist[slot], self.ahead.twist[slot]),
                _ => (start, end),
            };
            self.plan.start.push(start);
            self.plan.end.push(end);
            self.ahead.twist[slot] = match (self.settings.order, keeps) {
                // Commanded twists stay.
                (Order::First, _) | (_, true) => self.ahead.twist[slot],
                _ => end,
            };
        }
        let counters = &mut self.plan.counters;
        let duration_s = match kind {
            SegmentKind::Motion => {
                counters.segments += 1;
                made * step_s
            }
            SegmentKind::Reposition => {
                counters.repositionings += 1;
                0.0
            }
        };
        self.plan.segments.push(Segment {
            kind,
            duration_s,
            screws: from..from + slots,
        });
        if kind == SegmentKind::Motion {
            self.hold_if_stalled(t, stopper);
        }
        made * step_s
    }

    /// Returns the share of the motions over `step_s` that is straight enough for bodies in
    /// contact. A turning screw bows out from the straight path of the centre of mass, by an amount
    /// that shrinks with the square of the share. Contacts describe straight paths only.
    fn straight_share(&self, step_s: f64) -> f64 {
        let bend = |slot: u32| {
            let way = &self.motions.way[slot as usize];
            way.angular.cross(&way.linear)
        };
        let mut share = 1.0_f64;
        for link in &self.links {
            let d = &link.distances;
            let bends = bend(link.a) - bend(link.b);
            for p in link.points.iter().filter(|p| p.gap_m <= d.release_m) {
                // The path bows out away from the side to which it bends.
                let bow = p.normal.dot(&bends) * step_s * step_s / 8.0;
                if bow > MAX_BOW * d.safe_m {
                    share = share.min((MAX_BOW * d.safe_m / bow).sqrt());
                }
            }
        }
        share.max(MIN_SHARE)
    }

    /// Returns the corrected twist of a body that a segment has moved to its present pose, given
    /// the twist that its velocities alone produce in this time (see the module page). `cut` is
    /// true if the segment was stopped early.
    fn corrected_twist(
        &self,
        slot: usize,
        old: &Pose,
        [start, end]: [&Twist; 2],
        made_s: f64,
        cut: bool,
    ) -> Twist {
        let body = self.bodies[slot].as_ref();
        // What springs draw has its velocity from them.
        let Some(body) = body.filter(|b| b.inverse_mass > 0.0 && b.holds.is_empty()) else {
            return *end;
        };
        let new = &self.ahead.pose[slot];
        let pull = body.pull(&self.settings.gravity);
        let went = body.pivot_at(new) - body.pivot_at(old);
        let has = body.spin_energy(new, &end.angular);
        if self.motions.free[slot] {
            let had = |twist: &Twist| body.spin_energy(old, &twist.angular);
            let most = had(start).max(had(end));
            // At its end, the straight path meets the parabola.
            let linear = match cut {
                true => parabola_velocity(&pull, &start.linear, &end.linear, &went),
                false => end.linear,
            };
            return Twist {
                linear,
                angular: end.angular * root_share(most, has),
            };
        }
        let level = self.motions.end[slot].linear * made_s;
        let mass = 1.0 / body.inverse_mass;
        let linear = 0.5 * mass * end.linear.norm_squared();
        let given = body.spin_energy(old, &end.angular) - has + mass * pull.dot(&(went - level));
        let share = root_share(linear + has + given, linear + has);
        Twist {
            linear: end.linear * share,
            angular: end.angular * share,
        }
    }

    /// Returns the share of the screws from `from` on up to which all pairs keep their clearance,
    /// and the link that ends it.
    fn clamp(&mut self, from: usize) -> (f64, Option<usize>) {
        let screws = &self.plan.screws[from..];
        // Contacts may throw a body farther than expected, so new pairs may come near.
        let (bodies, state) = (&self.bodies, &self.ahead);
        let way = |slot: usize, body: &RigidBody| {
            let centre = body.centre_at(&state.pose[slot]);
            screws[slot].velocity_of(&centre).norm()
        };
        let lists = (&mut self.broad, &mut self.links, &mut self.spare);
        find_neighbours(bodies, state, &self.settings, way, lists);
        let still = Screw::identity();
        let mut detection = Detection {
            search: &mut self.moving,
            counters: &mut self.plan.counters,
        };
        let (mut t, mut stopper) = (1.0, None);
        for (k, link) in self.links.iter_mut().enumerate() {
            let pair = [&screws[link.a as usize], &screws[link.b as usize]];
            if pair == [&still; 2] {
                continue;
            }
            let Some(sides) = sides(bodies, state, link.a, link.b) else {
                continue;
            };
            let stop = detection.proven(link, &sides, pair, t);
            if stop.t < t {
                t = stop.t;
                stopper = Some(k);
                if let Some(features) = stop.features {
                    link.force(features);
                }
            }
        }
        (t, stopper)
    }

    /// Holds the bodies of a link that stops the step repeatedly, so that the others can continue.
    fn hold_if_stalled(&mut self, t: f64, stopper: Option<usize>) {
        let Some(k) = stopper.filter(|_| t < STALL) else {
            return;
        };
        let link = &mut self.links[k];
        link.stalls += 1;
        if link.stalls < MAX_STALLS {
            return;
        }
        for slot in [link.a as usize, link.b as usize] {
            let can_move = self.bodies[slot]
                .as_ref()
                .is_some_and(|b| b.kind != BodyKind::Static);
            if can_move && !self.held[slot] {
                self.held[slot] = true;
                self.plan.counters.held += 1;
                if self.bodies[slot]
                    .as_ref()
                    .is_some_and(|b| b.kind == BodyKind::Dynamic)
                    && self.settings.order == Order::Second
                {
                    self.ahead.twist[slot] = Twist::ZERO;
                }
            }
        }
    }

    fn report(&mut self) {
        for link in &self.links {
            let ids = [self.id_at(link.a as usize), self.id_at(link.b as usize)];
            let near = link
                .points
                .iter()
                .filter(|p| p.gap_m <= link.distances.release_m || p.impulse.norm_squared() > 0.0);
            self.plan.contacts.extend(near.map(|p| ContactReport {
                bodies: ids,
                point: p.middle,
                normal: p.normal,
                gap_m: p.gap_m,
                impulse: p.impulse,
            }));
        }
    }
}

/// Velocity of a body in free flight after the displacement `went`: that of its parabola at this
/// height. `end` is an approximation of it.
fn parabola_velocity(pull: &Vec3, start: &Vec3, end: &Vec3, went: &Vec3) -> Vec3 {
    let size = pull.norm();
    if size == 0.0 {
        return *end;
    }
    let along = pull / size;
    let (fell, falls) = (start.dot(&along), end.dot(&along));
    let square = fell * fell + 2.0 * size * went.dot(&along);
    let velocity = end + along * (square.max(0.0).sqrt().copysign(falls) - falls);
    // Above the apex of the parabola, the missing energy is taken from the remaining velocity.
    let most = start.norm_squared() + 2.0 * pull.dot(went);
    velocity * root_share(most, velocity.norm_squared())
}

/// Factor for a velocity of energy `has` so that it has at most the energy `most`.
fn root_share(most: f64, has: f64) -> f64 {
    if has > most && has > 0.0 {
        (most.max(0.0) / has).sqrt()
    } else {
        1.0
    }
}

/// Moves a pose along a share of a screw.
fn place(pose: &mut Pose, screw: &Screw, share: f64) {
    if *screw != Screw::identity() {
        *pose = screw.pose_at(pose, share);
        pose.rotation.renormalize();
    }
}

/// Upper bound on how far two bodies approach in a step if only gravity, their wrenches and their
/// holds change their velocities, m.
fn approach(sides: &Sides<'_>, twists: [&Twist; 2], pull: f64, step_s: f64) -> f64 {
    let [a, b] = sides.bodies;
    let centre = a.centre_at(sides.poses[0]);
    let at = |k: usize, body: &RigidBody| {
        twists[k].linear
            + twists[k]
                .angular
                .cross(&(centre - body.pivot_at(sides.poses[k])))
    };
    let turning = (twists[0].angular - twists[1].angular).norm() * a.radius_m;
    let pushed = |k: usize| pushed(sides.bodies[k], sides.poses[k], twists[k], step_s);
    let pulled = |x: &RigidBody, y: &RigidBody| {
        let force = (pushed(0) - pushed(1)).norm();
        // Gravity pulls both alike, unless one of them has no mass.
        force
            + if x.inverse_mass > 0.0 && y.inverse_mass > 0.0 {
                0.0
            } else {
                pull
            }
    };
    ((at(0, a) - at(1, b)).norm() + turning + pulled(a, b) * step_s) * step_s
}

/// Updates the list of neighbours and the links, for bodies with centres that move no farther than
/// `way`, m.
fn find_neighbours(
    bodies: &[Option<RigidBody>],
    state: &State,
    settings: &Settings,
    way: impl Fn(usize, &RigidBody) -> f64,
    (broad, links, spare): (&mut Broad, &mut Vec<Link>, &mut Vec<Link>),
) {
    let ball = |slot: usize| {
        let body = bodies[slot].as_ref()?;
        Some(Ball {
            centre: body.centre_at(&state.pose[slot]),
            radius_m: body.radius_m,
            path_m: way(slot, body),
            solid: is_solid(body, settings),
        })
    };
    let covered = (0..bodies.len()).all(|s| ball(s).is_none_or(|b| broad.covers(s, &b)));
    if !covered {
        broad.rebuild((0..bodies.len()).map(ball));
        relink(&broad.pairs, bodies, state, links, spare);
    }
}

/// Rebuilds the links from `pairs`; links that remain keep their data.
fn relink(
    pairs: &[(u32, u32)],
    bodies: &[Option<RigidBody>],
    state: &State,
    links: &mut Vec<Link>,
    spare: &mut Vec<Link>,
) {
    let key = |l: &Link| (l.a.min(l.b), l.a.max(l.b));
    let old = links.len();
    let mut gone = 0;
    while gone < links.len() {
        if pairs.binary_search(&key(&links[gone])).is_ok() {
            gone += 1;
        } else {
            spare.push(links.swap_remove(gone));
        }
    }
    if links.len() < old {
        links.sort_unstable_by_key(key);
    }
    let kept = links.len();
    for &(low, high) in pairs {
        if links[..kept]
            .binary_search_by_key(&(low, high), key)
            .is_ok()
        {
            continue;
        }
        let radius = |s: u32| bodies[s as usize].as_ref().map_or(0.0, |b| b.radius_m);
        let (a, b) = if radius(low) <= radius(high) {
            (low, high)
        } else {
            (high, low)
        };
        let Some(sides) = sides(bodies, state, a, b) else {
            continue;
        };
        let mut link = spare.pop().unwrap_or_else(|| Link::new(a, b));
        link.reset(a, b, &sides);
        links.push(link);
    }
    links.sort_unstable_by_key(key);
}
