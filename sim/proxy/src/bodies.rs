//! Body table of the haptic loop. Only the loop moves bodies, so the poses here are authoritative.
//!
//! Real-time callable: no allocation, bounded by [`MAX_BODIES`]. Deterministic. World frame, SI
//! units.
//!
//! A kinematic body has a target. In each tick it wants to make one step towards it: a
//! constant-speed screw no faster than the target's speed. Tools move first and give way to that
//! step. Then the body moves as far as continuous detection against every tool allows. Bodies on a
//! [`Trajectory`](crate::Trajectory) move along it together instead.

use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Screw, Vec3, transform};

use crate::slots::{BodyKey, MAX_BODIES, MAX_SCENE_BODIES, tool_id, tool_key, tool_slot};
use crate::snapshot::{BodyEntry, BodyPose, BodyTarget, MAX_PUSHES, Push, Snapshot};
use crate::trajectory::{Followed, Piece, Trajectories};

/// Remaining path that counts as arrived, m (angles count by the body's bounding radius).
const ARRIVED_M: f64 = 1e-9;

/// One body as the loop tracks it.
#[derive(Clone, Copy, Debug)]
pub struct TrackedBody {
    /// Slot and generation.
    pub key: BodyKey,
    /// Client-visible identity.
    pub id: u32,
    /// Current pose, `world_from_body`.
    pub pose: Pose,
    /// Pose and speed that a client asks for, if any.
    pub target: Option<BodyTarget>,
    /// True if the body moves on trajectories only; the loop then ignores its target.
    pub by_trajectory: bool,
    /// True if forces move the body: a tool can hold it.
    pub dynamic: bool,
    /// Centre of mass, body frame, m.
    centre: Vec3,
    /// Accumulated push of the tools.
    push: Push,
    /// Ticks since a tool last pushed the body.
    ticks_since_touch: u32,
    bound_m: f64,
    step: Option<(Screw, f64)>,
    /// Path that the body would make in this tick if answers were fast enough, m.
    unlimited_path_m: f64,
    /// Share of the last wanted step that was made; 1 if the body did not want to move.
    pub progress: f64,
    /// True if the pose changed in the last tick.
    pub moved: bool,
}

impl TrackedBody {
    /// Centre of mass, body frame, m.
    #[must_use]
    pub fn centre(&self) -> Vec3 {
        self.centre
    }

    /// Radius of a ball about the body's origin that holds it, m.
    pub(crate) fn bound_m(&self) -> f64 {
        self.bound_m
    }

    /// Shift of the body's point at `point` (world) in its planned step, m.
    pub(crate) fn step_at(&self, point: &Vec3) -> Vec3 {
        match &self.step {
            Some((screw, _)) => transform(&screw.displacement_at(1.0), point) - point,
            None => Vec3::zeros(),
        }
    }

    /// Whether the body has a target that it has not reached.
    #[must_use]
    pub fn is_on_its_way(&self) -> bool {
        self.target.is_some_and(|target| {
            let whole = Screw::between(&self.pose, &target.world_from_body);
            screw_path(&whole, &self.pose, self.bound_m) > ARRIVED_M
        })
    }
}

/// All bodies by slot: those of the scene, then the tools.
pub struct BodyTable {
    slots: [Option<TrackedBody>; MAX_BODIES],
    version: u64,
    /// Identities of the bodies removed last, for snapshots that still list them. No body has
    /// identity 0. The ring holds as many entries as there are body slots: before it wraps, the
    /// collision thread has removed the oldest body as well.
    removed_ids: [u32; MAX_BODIES],
    next_removed: usize,
    trajectories: Trajectories,
}

/// Number of ticks for which a push is reported after the last touch; longer than any query can be
/// lost.
const REPORTED_TICKS: u32 = 1000;

impl BodyTable {
    /// Creates an empty table.
    pub fn new() -> Self {
        BodyTable {
            slots: [None; MAX_BODIES],
            version: 0,
            removed_ids: [0; MAX_BODIES],
            next_removed: 0,
            trajectories: Trajectories::new(),
        }
    }

    /// Removes the body of this identity; later snapshots cannot bring it back.
    pub fn forget(&mut self, id: u32) {
        self.removed_ids[self.next_removed] = id;
        self.next_removed = (self.next_removed + 1) % MAX_BODIES;
        for slot in &mut self.slots {
            if slot.is_some_and(|body| body.id == id) {
                *slot = None;
            }
        }
    }

    /// Returns the body of this key, if it exists.
    pub fn get(&self, key: BodyKey) -> Option<&TrackedBody> {
        self.slots
            .get(key.slot as usize)?
            .as_ref()
            .filter(|b| b.key == key)
    }

    /// Returns the pose that a body has after the step of this tick, if all of it can be made.
    pub(crate) fn ahead(&self, key: BodyKey) -> Option<Pose> {
        let body = self.get(key)?;
        Some(match &body.step {
            Some((screw, _)) => screw.pose_at(&body.pose, 1.0),
            None => body.pose,
        })
    }

    /// Returns the body in a slot if it wants to make a step in this tick and is not on a
    /// trajectory.
    pub(crate) fn stepping(&self, slot: usize) -> Option<&TrackedBody> {
        let body = self.slots.get(slot)?.as_ref();
        body.filter(|b| b.step.is_some() && !b.by_trajectory)
    }

    /// Iterates over all bodies by slot, the tools last.
    pub fn iter(&self) -> impl Iterator<Item = &TrackedBody> {
        self.slots.iter().flatten()
    }

    /// Takes the list of bodies, their targets and the trajectory from a snapshot, unless the
    /// snapshot is older than the table.
    pub fn follow(&mut self, snapshot: &Snapshot) {
        if snapshot.scene_version < self.version {
            return;
        }
        self.version = snapshot.scene_version;
        self.trajectories.offer(&snapshot.trajectory);
        let mut listed = 0_u64;
        for entry in &snapshot.bodies {
            let slot = entry.key.slot as usize;
            // The loop alone places the tools.
            if slot >= MAX_SCENE_BODIES || self.removed_ids.contains(&entry.id) {
                continue;
            }
            listed |= 1 << slot;
            match &mut self.slots[slot] {
                Some(body) if body.key == entry.key => {
                    body.target = entry.target;
                    body.by_trajectory = entry.by_trajectory;
                }
                body => *body = Some(Self::from_entry(entry)),
            }
        }
        for (slot, body) in self.slots[..MAX_SCENE_BODIES].iter_mut().enumerate() {
            if listed & (1 << slot) == 0 {
                *body = None;
            }
        }
    }

    /// Places an arm's tool as a body for the other arms' tools; `None` removes it.
    pub(crate) fn place_tool(&mut self, arm: usize, tool: Option<(u32, &Pose)>) {
        self.slots[tool_slot(arm)] = tool.map(|(epoch, pose)| TrackedBody {
            key: tool_key(arm, epoch),
            id: tool_id(arm),
            pose: *pose,
            target: None,
            by_trajectory: false,
            dynamic: false,
            centre: Vec3::zeros(),
            push: Push::none(tool_key(arm, epoch)),
            ticks_since_touch: u32::MAX,
            bound_m: 0.0,
            step: None,
            unlimited_path_m: 0.0,
            progress: 1.0,
            moved: false,
        });
    }

    /// Iterates over the bodies of the scene by slot, without the tools.
    pub fn of_scene(&self) -> impl Iterator<Item = &TrackedBody> {
        self.slots[..MAX_SCENE_BODIES].iter().flatten()
    }

    fn from_entry(entry: &BodyEntry) -> TrackedBody {
        TrackedBody {
            key: entry.key,
            id: entry.id,
            pose: entry.world_from_body,
            target: entry.target,
            by_trajectory: entry.by_trajectory,
            dynamic: entry.dynamic,
            centre: entry.centre,
            push: Push::none(entry.key),
            ticks_since_touch: u32::MAX,
            bound_m: entry.bound_m,
            step: None,
            unlimited_path_m: 0.0,
            progress: 1.0,
            moved: false,
        }
    }

    /// Plans every body's wanted step for a tick of `period_s`.
    pub fn plan(&mut self, period_s: f64) {
        for body in self.slots.iter_mut().flatten() {
            body.step = None;
            body.progress = 1.0;
            body.moved = false;
            body.ticks_since_touch = body.ticks_since_touch.saturating_add(1);
            let Some(target) = body.target.filter(|_| !body.by_trajectory) else {
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
        self.trajectories.plan(period_s);
        // Tools give way to the whole of the tick's path, taken as one screw.
        for i in 0..self.trajectories.trajectory().bodies.len() {
            let key = self.trajectories.trajectory().bodies[i];
            let Some(body) = self.get(key).filter(|b| b.by_trajectory) else {
                continue;
            };
            let (mut pose, mut path) = (body.pose, 0.0);
            for piece in self.trajectories.pieces() {
                if let Some(screw) = self.screw_in_piece(i, piece) {
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
            body.unlimited_path_m = body.step.map_or(0.0, |(_, path)| path);
        }
    }

    /// Limits a body's planned step to a path of `most_m`, m, so that tools give way only to what
    /// it can make.
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

    /// Returns the part of body `i`'s screw that lies in a piece of the trajectory; `None` if the
    /// body rests.
    fn screw_in_piece(&self, i: usize, piece: &Piece) -> Option<Screw> {
        let screw = self
            .trajectories
            .trajectory()
            .screws_of(piece.segment)
            .get(i)?;
        let moves = screw.angle != 0.0 || screw.translation != 0.0;
        moves.then(|| screw.part(piece.to - piece.from))
    }

    /// Moves all bodies on the trajectory together through this tick's part of it.
    ///
    /// `allowed` returns the share of a screw that one body may make; the least share holds for
    /// all. Returns true if something blocked the motion; the trajectory ends there.
    pub(crate) fn follow_trajectory(
        &mut self,
        mut allowed: impl FnMut(&Self, BodyKey, &Screw, f64) -> f64,
    ) -> bool {
        for k in 0..self.trajectories.pieces().len() {
            let piece = self.trajectories.pieces()[k];
            let mut t = 1.0_f64;
            for i in 0..self.trajectories.trajectory().bodies.len() {
                let key = self.trajectories.trajectory().bodies[i];
                let Some(body) = self.get(key).filter(|b| b.by_trajectory) else {
                    continue;
                };
                if let Some(screw) = self.screw_in_piece(i, &piece) {
                    let path = screw_path(&screw, &body.pose, body.bound_m);
                    t = t.min(allowed(self, key, &screw, path));
                }
            }
            // Written so that NaN gives a share of 0.
            let t = if t > 0.0 { t } else { 0.0 };
            for i in 0..self.trajectories.trajectory().bodies.len() {
                let key = self.trajectories.trajectory().bodies[i];
                if t > 0.0
                    && let Some(screw) = self.screw_in_piece(i, &piece)
                    && let Some(Some(body)) = self.slots.get_mut(key.slot as usize)
                    && body.key == key
                    && body.by_trajectory
                {
                    body.moved = true;
                    body.pose = screw.pose_at(&body.pose, t);
                    body.pose.rotation.renormalize_fast();
                }
            }
            self.trajectories.made(&piece, t);
            if t < 1.0 {
                return true;
            }
        }
        false
    }

    /// Returns how far the loop has come on the trajectory.
    pub fn followed(&self) -> Followed {
        self.trajectories.at
    }

    /// Returns the number of ticks so far in which bodies waited at the end of a trajectory for the
    /// next one.
    pub fn idle_ticks(&self) -> u64 {
        self.trajectories.idle
    }

    /// Adds the push of a tool on a body at a point of its surface, for a tick of `period_s`.
    /// Bodies that are not on a trajectory ignore it.
    ///
    /// `stiffness_n_per_m` is the stiffness of the coupling behind the push, and `hand_m_s` the
    /// velocity of the hand.
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
        if body.key != key || !body.by_trajectory {
            return;
        }
        let arm = point - transform(&body.pose, &body.centre);
        let push = &mut body.push;
        if body.ticks_since_touch > 0 {
            push.force_n = Vec3::zeros();
            push.point = *point;
        }
        // Several contacts act at their common centre, weighted by force.
        let (before, after) = (push.force_n.norm(), (push.force_n + force_n).norm());
        if after > 0.0 && before > 0.0 {
            let weight = force_n.norm() / (before + force_n.norm());
            push.point += (point - push.point) * weight;
        }
        body.ticks_since_touch = 0;
        push.force_n += force_n;
        push.impulse_n_s += force_n * period_s;
        push.moment_nm_s += arm.cross(force_n) * period_s;
        push.stiffness_n_per_m = stiffness_n_per_m;
        push.hand_m_s = hand_m_s;
    }

    /// Writes the recent pushes of the tools for a query; returns their number.
    pub fn write_pushes(&self, out: &mut [Push; MAX_PUSHES]) -> usize {
        let mut n = 0;
        let lately = |b: &&TrackedBody| b.by_trajectory && b.ticks_since_touch < REPORTED_TICKS;
        // This tick's pushes come first, in case not all fit.
        for fresh in [true, false] {
            for body in self
                .iter()
                .filter(lately)
                .filter(|b| (b.ticks_since_touch == 0) == fresh)
            {
                let Some(slot) = out.get_mut(n) else { return n };
                *slot = body.push;
                if body.ticks_since_touch > 0 {
                    slot.force_n = Vec3::zeros();
                }
                n += 1;
            }
        }
        n
    }

    /// Returns the longest path that a point of the body wants to make in this tick, m.
    pub fn step_path(&self, key: BodyKey) -> f64 {
        self.get(key).and_then(|b| b.step).map_or(0.0, |s| s.1)
    }

    /// Returns the longest path that a body would make in this tick if answers were fast enough, m.
    pub(crate) fn longest_step(&self) -> f64 {
        self.iter().map(|b| b.unlimited_path_m).fold(0.0, f64::max)
    }

    /// Returns key, screw and path (m) of the step of a body that is not on a trajectory.
    pub fn step(&self, slot: usize) -> Option<(BodyKey, Screw, f64)> {
        let body = self
            .slots
            .get(slot)?
            .as_ref()
            .filter(|b| !b.by_trajectory)?;
        body.step.map(|(s, p)| (body.key, s, p))
    }

    /// Returns how far the body's step approaches the tool along `normal` at a point of the body's
    /// surface, m; 0 if it recedes.
    pub fn approach(&self, key: BodyKey, point: &Vec3, normal: &Vec3) -> f64 {
        match self.get(key).and_then(|b| b.step) {
            Some((screw, _)) => {
                let after = transform(&screw.displacement_at(1.0), point);
                (after - point).dot(normal).max(0.0)
            }
            None => 0.0,
        }
    }

    /// Returns the body's step as a motion about `centre`; whatever sticks to the body moves with
    /// it.
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

    /// Puts a body at `pose`, having made the share `t` of its step. For callers that move bodies
    /// by other means than screws.
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

    /// Writes the poses of the scene's bodies for a query; returns their number.
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

/// Returns an upper bound on the path of any point within `bound` of the pose's origin, m.
fn screw_path(screw: &Screw, pose: &Pose, bound: f64) -> f64 {
    screw.velocity_of(&pose.translation.vector).norm() + screw.angle.abs() * bound
}
