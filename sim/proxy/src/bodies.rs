//! The loop's table of bodies: the loop alone moves them, so their poses here are where they are.
//!
//! Real-time callable: no allocation, bounded by [`MAX_BODIES`]. Deterministic. World frame, SI
//! units.
//!
//! A kinematic body has a target; each tick it wants to make one step towards it, a constant-speed
//! screw no faster than the target's speed. Tools move first, making room for that step; then the
//! body goes as far as continuous detection against every tool allows. Bodies on a
//! [`Trajectory`](crate::Trajectory) go along it together instead.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Screw, Vec3, transform};

use crate::snapshot::{
    BodyEntry, BodyKey, BodyPose, BodyTarget, MAX_BODIES, MAX_PUSHES, MAX_SCENE_BODIES, Push,
    Snapshot, tool_id, tool_key, tool_slot,
};
use crate::trajectory::{Followed, Piece, Trajectories};

/// Remaining way that counts as arrived, metres (angles count by the body's bounding radius).
const ARRIVED_M: f64 = 1e-9;

/// One body.
#[derive(Clone, Copy, Debug)]
pub struct TrackedBody {
    /// Its name.
    pub key: BodyKey,
    /// Client-visible identity.
    pub id: u32,
    /// Where it is.
    pub pose: Pose,
    /// Where it wants to be.
    pub target: Option<BodyTarget>,
    /// Moves on courses only; a target is none of the loop's business.
    pub by_course: bool,
    /// Centre of mass, body frame.
    centre: Vec3,
    /// What tools pushed it with so far.
    push: Push,
    /// Ticks since a tool last did.
    untouched: u32,
    bound_m: f64,
    step: Option<(Screw, f64)>,
    /// How far it would go if answers were fast enough, m.
    wished_m: f64,
    /// Share of the last wanted step that was made; 1 if it did not want to move.
    pub progress: f64,
    /// Whether its pose changed in the last tick.
    pub moved: bool,
}

/// All bodies by slot.
pub struct BodyTable {
    slots: [Option<TrackedBody>; MAX_BODIES],
    version: u64,
    /// Identities of the bodies that were forgotten last, for snapshots that still list them. No
    /// body has identity 0. As many as a scene has room for: before that many later ones went, the
    /// collision thread has removed this one too.
    gone: [u32; MAX_BODIES],
    next_gone: usize,
    courses: Trajectories,
}

/// For how many ticks a push is reported after the last touch: longer than any query can be lost.
const REPORTED_TICKS: u32 = 1000;

impl BodyTable {
    /// No bodies.
    pub fn new() -> Self {
        BodyTable {
            slots: [None; MAX_BODIES],
            version: 0,
            gone: [0; MAX_BODIES],
            next_gone: 0,
            courses: Trajectories::new(),
        }
    }

    /// The body of this identity is gone, whatever later snapshots say.
    pub fn forget(&mut self, id: u32) {
        self.gone[self.next_gone] = id;
        self.next_gone = (self.next_gone + 1) % MAX_BODIES;
        for slot in &mut self.slots {
            if slot.is_some_and(|body| body.id == id) {
                *slot = None;
            }
        }
    }

    /// The body of that name, if it lives.
    pub fn get(&self, key: BodyKey) -> Option<&TrackedBody> {
        self.slots
            .get(key.slot as usize)?
            .as_ref()
            .filter(|b| b.key == key)
    }

    /// The body in a slot, if it wants to make a step of its own in this tick.
    pub(crate) fn stepping(&self, slot: usize) -> Option<&TrackedBody> {
        let body = self.slots.get(slot)?.as_ref();
        body.filter(|b| b.step.is_some() && !b.by_course)
    }

    /// All living bodies, by slot, and then the tools.
    pub fn iter(&self) -> impl Iterator<Item = &TrackedBody> {
        self.slots.iter().flatten()
    }

    /// Takes over who lives and what they want from a snapshot, unless it is older than what is
    /// known.
    pub fn follow(&mut self, snapshot: &Snapshot) {
        if snapshot.scene_version < self.version {
            return;
        }
        self.version = snapshot.scene_version;
        self.courses.offer(&snapshot.course);
        let mut listed = 0_u64;
        for entry in &snapshot.bodies {
            let slot = entry.key.slot as usize;
            // The loop alone knows where the tools are.
            if slot >= MAX_SCENE_BODIES || self.gone.contains(&entry.id) {
                continue;
            }
            listed |= 1 << slot;
            match &mut self.slots[slot] {
                Some(body) if body.key == entry.key => {
                    body.target = entry.target;
                    body.by_course = entry.by_course;
                }
                body => *body = Some(Self::newborn(entry)),
            }
        }
        for (slot, body) in self.slots[..MAX_SCENE_BODIES].iter_mut().enumerate() {
            if listed & (1 << slot) == 0 {
                *body = None;
            }
        }
    }

    /// An arm's tool is there, for other arms' tools; `None`: it is gone.
    pub(crate) fn place_tool(&mut self, arm: usize, tool: Option<(u32, &Pose)>) {
        self.slots[tool_slot(arm)] = tool.map(|(epoch, pose)| TrackedBody {
            key: tool_key(arm, epoch),
            id: tool_id(arm),
            pose: *pose,
            target: None,
            by_course: false,
            centre: Vec3::zeros(),
            push: Push::none(tool_key(arm, epoch)),
            untouched: u32::MAX,
            bound_m: 0.0,
            step: None,
            wished_m: 0.0,
            progress: 1.0,
            moved: false,
        });
    }

    /// All bodies of the scene that live, by slot.
    pub fn of_scene(&self) -> impl Iterator<Item = &TrackedBody> {
        self.slots[..MAX_SCENE_BODIES].iter().flatten()
    }

    fn newborn(entry: &BodyEntry) -> TrackedBody {
        TrackedBody {
            key: entry.key,
            id: entry.id,
            pose: entry.world_from_body,
            target: entry.target,
            by_course: entry.by_course,
            centre: entry.centre,
            push: Push::none(entry.key),
            untouched: u32::MAX,
            bound_m: entry.bound_m,
            step: None,
            wished_m: 0.0,
            progress: 1.0,
            moved: false,
        }
    }

    /// Decides every body's wanted step for a tick of `period_s`.
    pub fn plan(&mut self, period_s: f64) {
        for body in self.slots.iter_mut().flatten() {
            body.step = None;
            body.progress = 1.0;
            body.moved = false;
            body.untouched = body.untouched.saturating_add(1);
            let Some(target) = body.target.filter(|_| !body.by_course) else {
                continue;
            };
            let whole = Screw::between(&body.pose, &target.world_from_body);
            let path = screw_path(&whole, &body.pose, body.bound_m);
            if !(path > ARRIVED_M) {
                continue;
            }
            let share = (target.speed_m_s * period_s / path).min(1.0);
            if !(share > 0.0) {
                continue;
            }
            let step = whole.part(share);
            body.step = Some((step, path * share));
        }
        self.courses.plan(period_s);
        // What tools make room for: the whole of the tick's way, as one screw.
        for i in 0..self.courses.course().bodies.len() {
            let key = self.courses.course().bodies[i];
            let Some(body) = self.get(key).filter(|b| b.by_course) else {
                continue;
            };
            let (mut pose, mut path) = (body.pose, 0.0);
            for piece in self.courses.pieces() {
                if let Some(screw) = self.screw_of(i, piece) {
                    path += screw_path(&screw, &pose, body.bound_m);
                    pose = screw.pose_at(&pose, 1.0);
                }
            }
            let step = Screw::between(&body.pose, &pose);
            if path > 0.0
                && let Some(Some(body)) = self.slots.get_mut(key.slot as usize)
            {
                body.step = Some((step, path));
            }
        }
        for body in self.slots.iter_mut().flatten() {
            body.wished_m = body.step.map_or(0.0, |(_, path)| path);
        }
    }

    /// A body's planned step is at most so long, m: what tools make room for is what it can go.
    pub(crate) fn shorten(&mut self, slot: usize, most_m: f64) {
        let Some(Some(body)) = self.slots.get_mut(slot) else {
            return;
        };
        if let Some((screw, path)) = &mut body.step
            && *path > most_m
        {
            *screw = screw.part(most_m / *path);
            *path = most_m;
        }
    }

    /// What the body at place `i` of the course does in a piece of it; `None` if it stays.
    fn screw_of(&self, i: usize, piece: &Piece) -> Option<Screw> {
        let screw = self.courses.course().screws_of(piece.segment).get(i)?;
        let moves = screw.angle != 0.0 || screw.translation != 0.0;
        moves.then(|| screw.part(piece.to - piece.from))
    }

    /// Moves the bodies on the course through this tick's part of it, all together, as far as
    /// `allowed` says of each: the share of a screw that it may make. True: something was in the
    /// way, and the course ends there.
    pub(crate) fn follow_course(
        &mut self,
        mut allowed: impl FnMut(&Self, BodyKey, &Screw, f64) -> f64,
    ) -> bool {
        for k in 0..self.courses.pieces().len() {
            let piece = self.courses.pieces()[k];
            let mut t = 1.0_f64;
            for i in 0..self.courses.course().bodies.len() {
                let key = self.courses.course().bodies[i];
                let Some(body) = self.get(key).filter(|b| b.by_course) else {
                    continue;
                };
                if let Some(screw) = self.screw_of(i, &piece) {
                    let path = screw_path(&screw, &body.pose, body.bound_m);
                    t = t.min(allowed(self, key, &screw, path));
                }
            }
            // Written so that NaN is no share.
            let t = if t > 0.0 { t } else { 0.0 };
            for i in 0..self.courses.course().bodies.len() {
                let key = self.courses.course().bodies[i];
                if t > 0.0
                    && let Some(screw) = self.screw_of(i, &piece)
                    && let Some(Some(body)) = self.slots.get_mut(key.slot as usize)
                    && body.key == key
                    && body.by_course
                {
                    body.moved = true;
                    body.pose = screw.pose_at(&body.pose, t);
                    body.pose.rotation.renormalize_fast();
                }
            }
            self.courses.made(&piece, t);
            if t < 1.0 {
                return true;
            }
        }
        false
    }

    /// How far the loop came on the course.
    pub fn followed(&self) -> Followed {
        self.courses.at
    }

    /// Ticks so far in which the bodies stood at the end of a course and waited for the next.
    pub fn idle_ticks(&self) -> u64 {
        self.courses.idle
    }

    /// A tool pushed a body at a point of its surface for a tick of `period_s`. `stiffness_n_per_m`
    /// is that of the coupling behind it and `hand_m_s` the velocity of the hand.
    pub(crate) fn push(
        &mut self,
        key: BodyKey,
        point: &Vec3,
        force_n: &Vec3,
        period_s: f64,
        (stiffness_n_per_m, hand_m_s): (f64, Vec3),
    ) {
        let Some(Some(body)) = self.slots.get_mut(key.slot as usize) else {
            return;
        };
        if body.key != key || !body.by_course {
            return;
        }
        let arm = point - transform(&body.pose, &body.centre);
        let push = &mut body.push;
        if body.untouched > 0 {
            push.force_n = Vec3::zeros();
            push.point = *point;
        }
        // Several contacts: where they push together.
        let (before, after) = (push.force_n.norm(), (push.force_n + force_n).norm());
        if after > 0.0 && before > 0.0 {
            let weight = force_n.norm() / (before + force_n.norm());
            push.point += (point - push.point) * weight;
        }
        body.untouched = 0;
        push.force_n += force_n;
        push.impulse_n_s += force_n * period_s;
        push.moment_nm_s += arm.cross(force_n) * period_s;
        push.stiffness_n_per_m = stiffness_n_per_m;
        push.hand_m_s = hand_m_s;
    }

    /// For a query: what tools pushed lately.
    pub fn write_pushes(&self, out: &mut [Push; MAX_PUSHES]) -> usize {
        let mut n = 0;
        let lately = |b: &&TrackedBody| b.by_course && b.untouched < REPORTED_TICKS;
        // The newest first, should there be more than there is room for.
        for fresh in [true, false] {
            for body in self
                .iter()
                .filter(lately)
                .filter(|b| (b.untouched == 0) == fresh)
            {
                let Some(slot) = out.get_mut(n) else { return n };
                *slot = body.push;
                if body.untouched > 0 {
                    slot.force_n = Vec3::zeros();
                }
                n += 1;
            }
        }
        n
    }

    /// Longest path that a point of the body wants to make in this tick, m.
    pub fn step_path(&self, key: BodyKey) -> f64 {
        self.get(key).and_then(|b| b.step).map_or(0.0, |s| s.1)
    }

    /// The longest way that a body would go in this tick if answers were fast enough, m.
    pub(crate) fn longest_step(&self) -> f64 {
        self.iter().map(|b| b.wished_m).fold(0.0, f64::max)
    }

    /// The step itself.
    pub fn step(&self, slot: usize) -> Option<(BodyKey, Screw, f64)> {
        let body = self.slots.get(slot)?.as_ref().filter(|b| !b.by_course)?;
        body.step.map(|(s, p)| (body.key, s, p))
    }

    /// How far the body's own step comes towards the tool along `normal` at a point of its surface,
    /// m; 0 if it recedes.
    pub fn approach(&self, key: BodyKey, point: &Vec3, normal: &Vec3) -> f64 {
        match self.get(key).and_then(|b| b.step) {
            Some((screw, _)) => {
                let after = transform(&screw.displacement_at(1.0), point);
                (after - point).dot(normal).max(0.0)
            }
            None => 0.0,
        }
    }

    /// The body's own step as a motion about `centre`: what is held on the body goes with it.
    pub fn carrier(&self, key: BodyKey, centre: &Vec3) -> Motion {
        match self.get(key).and_then(|b| b.step) {
            Some((screw, _)) => {
                let v = screw.velocity_of(centre);
                let w = screw.axis * screw.angle;
                Motion::new(v.x, v.y, v.z, w.x, w.y, w.z)
            }
            None => Motion::zeros(),
        }
    }

    /// Puts a body where it has come to in this tick, having made the share `t` of its step: for
    /// whoever moves bodies otherwise than by screws.
    pub fn place(&mut self, slot: usize, pose: &Pose, t: f64) {
        if let Some(Some(body)) = self.slots.get_mut(slot) {
            body.progress = t;
            body.moved |= body.pose != *pose;
            body.pose = *pose;
        }
    }

    /// Makes the share `t` of the body's step.
    pub(crate) fn commit(&mut self, slot: usize, t: f64) {
        if let Some(body) = self.slots[slot].as_mut()
            && let Some((screw, _)) = body.step
        {
            body.progress = t;
            if t > 0.0 {
                body.moved = true;
                body.pose = screw.pose_at(&body.pose, t);
                body.pose.rotation.renormalize_fast();
            }
        }
    }

    /// For a query.
    pub fn write_poses(&self, out: &mut [BodyPose; MAX_BODIES]) -> usize {
        let mut n = 0;
        for body in self.of_scene() {
            out[n] = BodyPose {
                key: body.key,
                world_from_body: body.pose,
            };
            n += 1;
        }
        n
    }
}

impl Default for BodyTable {
    fn default() -> Self {
        Self::new()
    }
}

/// Upper bound on the path of any point within `bound` of the pose's origin.
fn screw_path(screw: &Screw, pose: &Pose, bound: f64) -> f64 {
    screw.velocity_of(&pose.translation.vector).norm() + screw.angle.abs() * bound
}
