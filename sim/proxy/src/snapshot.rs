//! What crosses between the haptic loop and the collision thread: [`Query`] one way, [`Snapshot`]
//! the other.
//!
//! A snapshot is a *certificate*. It was taken at reference poses and promises, per body: as long
//! as no point of the tool has moved more than [`BodyEntry::margin_m`] relative to that body since
//! those poses, no feature pair outside the list can come closer than the certified clearance.
//! Everything in it is a consequence of the query alone, so the same query on the same scene gives
//! the same snapshot.
//!
//! Both types are moved through rings without allocation: a `Query` is plain data, a `Snapshot` is
//! built once with its full capacity and travels as a `Box`.
//!
//! Frames: tool points are in the tool frame; body points are in the body frame. Metres.

use std::sync::Arc;

use hapticd_ccd::PairKind;
use hapticd_ccd::pair::{closest_points, highest};
use hapticd_geometry::{Pose, Rigid, SmoothMesh, Vec3};

use crate::trajectory::{Followed, Trajectory};

/// Most arms one daemon drives.
pub const MAX_ARMS: usize = 4;
/// Places in the tables of bodies.
pub const MAX_BODIES: usize = 64;
/// Most bodies of one scene; the world refuses the next one with this number. The places after them
/// are the tools', which are bodies to each other.
pub const MAX_SCENE_BODIES: usize = MAX_BODIES - MAX_ARMS;

/// The place of an arm's tool in the tables of bodies.
#[must_use]
pub fn tool_slot(arm: usize) -> usize {
    MAX_SCENE_BODIES + arm
}

/// The arm whose tool has this place; `None` for a body of the scene.
#[must_use]
pub fn tool_in(slot: usize) -> Option<usize> {
    slot.checked_sub(MAX_SCENE_BODIES)
        .filter(|arm| *arm < MAX_ARMS)
}

/// Client-visible identity of an arm's tool as a body: no body of the scene has it.
#[must_use]
pub fn tool_id(arm: usize) -> u32 {
    u32::MAX - arm as u32
}

/// Name of an arm's tool as a body: placed again it is another one.
#[must_use]
pub fn tool_key(arm: usize, epoch: u32) -> BodyKey {
    BodyKey {
        slot: tool_slot(arm) as u8,
        generation: epoch,
    }
}

/// Names a body for as long as it lives: a slot that is used again gets another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct BodyKey {
    /// Place in the body table, below [`MAX_BODIES`].
    pub slot: u8,
    /// Counts how often the slot was given out.
    pub generation: u32,
}

/// The loop's word on one body: the loop alone moves bodies, so this is where the body *is*.
#[derive(Clone, Copy, Debug)]
pub struct BodyPose {
    /// Which body.
    pub key: BodyKey,
    /// Where it is now.
    pub world_from_body: Pose,
}

/// The loop's word on one tool.
#[derive(Clone, Copy, Debug)]
pub struct ArmQuery {
    /// False: no such arm, or no input from it yet.
    pub present: bool,
    /// Changes whenever the proxy was placed again instead of being moved; answers to older epochs
    /// are void.
    pub epoch: u32,
    /// Where the proxy is.
    pub world_from_tool: Pose,
    /// Where it is expected to be when the answer is used, as seen from where it is: the answer is
    /// about there.
    pub ahead: Pose,
    /// Where the tool wants to be: where the hand draws it to.
    pub world_from_goal: Pose,
    /// How strongly: the coupling's stiffness, N/m.
    pub stiffness_n_per_m: f64,
    /// And for turns, N m/rad; 0 if the tool does not turn.
    pub stiffness_nm_per_rad: f64,
    /// How far to look, metres.
    pub reach_m: f64,
    /// One bit per body slot that is solid to this tool already. For the others the answer must say
    /// whether the tool is inside ([`BodyEntry::encloses_tool`]).
    pub solid: u64,
}

impl ArmQuery {
    /// Where the answer takes the tool to be, its reference pose.
    #[must_use]
    pub fn world_from_reference(&self) -> Pose {
        if self.ahead == Pose::identity() {
            return self.world_from_tool;
        }
        self.world_from_tool * self.ahead
    }
}

/// Most bodies whose pushes a query reports.
pub const MAX_PUSHES: usize = 16;

/// What the tools pushed a body with: the loop's report to the dynamics. World frame.
#[derive(Clone, Copy, Debug)]
pub struct Push {
    /// Which body.
    pub key: BodyKey,
    /// Sum over all ticks since the body came, N s: a lost query loses nothing.
    pub impulse_n_s: Vec3,
    /// The same about the centre of mass, N m s.
    pub moment_nm_s: Vec3,
    /// Force of the last tick, N; zero if nothing touched it.
    pub force_n: Vec3,
    /// Where it acts, m.
    pub point: Vec3,
    /// Stiffness of the coupling behind it, N/m: what the force loses with every metre that the
    /// body gives way.
    pub stiffness_n_per_m: f64,
    /// Velocity of the hand behind it, m/s.
    pub hand_m_s: Vec3,
}

impl Push {
    /// Nothing yet.
    #[must_use]
    pub fn none(key: BodyKey) -> Self {
        Push {
            key,
            impulse_n_s: Vec3::zeros(),
            moment_nm_s: Vec3::zeros(),
            force_n: Vec3::zeros(),
            point: Vec3::zeros(),
            stiffness_n_per_m: 0.0,
            hand_m_s: Vec3::zeros(),
        }
    }
}

/// One question to the collision thread.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Tick at whose end these poses held.
    pub tick: u64,
    /// The tools.
    pub arms: [ArmQuery; MAX_ARMS],
    /// Poses of the bodies of the scene that the loop knows, `..body_count`.
    pub bodies: [BodyPose; MAX_BODIES],
    /// How many entries of `bodies` count.
    pub body_count: usize,
    /// How far the loop came on the course of the dynamics.
    pub followed: Followed,
    /// Ticks so far in which its bodies stood at the end of a course and waited for the next.
    pub idle_ticks: u64,
    /// What tools pushed, `..push_count`.
    pub pushes: [Push; MAX_PUSHES],
    /// How many entries of `pushes` count.
    pub push_count: usize,
}

impl Default for Query {
    fn default() -> Self {
        Query {
            tick: 0,
            arms: [ArmQuery {
                present: false,
                epoch: 0,
                world_from_tool: Pose::identity(),
                ahead: Pose::identity(),
                world_from_goal: Pose::identity(),
                stiffness_n_per_m: 0.0,
                stiffness_nm_per_rad: 0.0,
                reach_m: 0.0,
                solid: 0,
            }; MAX_ARMS],
            bodies: [BodyPose {
                key: BodyKey::default(),
                world_from_body: Pose::identity(),
            }; MAX_BODIES],
            body_count: 0,
            followed: Followed::START,
            idle_ticks: 0,
            pushes: [Push::none(BodyKey::default()); MAX_PUSHES],
            push_count: 0,
        }
    }
}

impl Query {
    /// The loop's pose of a body, if the loop knows it.
    pub fn pose_of(&self, key: BodyKey) -> Option<Pose> {
        self.bodies[..self.body_count]
            .iter()
            .find(|b| b.key == key)
            .map(|b| b.world_from_body)
    }
}

/// How the surface of a body answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Stiffest coupling that touching this body may use, N/m.
    pub stiffness_n_per_m: f64,
    /// Damping on the rate of the coupling's deflection, N·s/m.
    pub damping_n_s_per_m: f64,
    /// Coulomb's coefficient between this surface and any tool.
    pub friction: f64,
    /// A coarse mesh is felt as the smooth surface that it stands for.
    pub force_shading: bool,
}

/// Where a kinematic body shall go.
#[derive(Clone, Copy, Debug)]
pub struct BodyTarget {
    /// Where.
    pub world_from_body: Pose,
    /// Fastest that any of its points may go on the way, m/s.
    pub speed_m_s: f64,
}

/// Length of [`Pair::hints`].
pub const HINTS: usize = 7;

/// One feature pair near each other at the reference poses. In the order of use: what is sieved out
/// is not read to the end.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Pair {
    /// Distance of the two closed features at the reference poses less the radii of tool and body,
    /// metres.
    pub distance_m: f64,
    /// Unit, from the body's feature to the tool's at the reference poses, in the frame of the body
    /// points; zero if they touch.
    pub direction: Vec3,
    /// Largest coordinate of the body's feature along [`Pair::direction`], metres.
    pub support_m: f64,
    /// Which features: the first is the tool's.
    pub kind: PairKind,
    /// Index of the tool's feature among its kind, for reports.
    pub tool_feature: u32,
    /// Index of the body's feature among its kind, for reports.
    pub body_feature: u32,
    /// Points of the tool's feature, tool frame; 1, 2 or 3 of them count, as `kind` says.
    pub tool: [Vec3; 3],
    /// Points of the body's feature, body frame (world frame if the body is [`BodyEntry::fixed`]).
    pub body: [Vec3; 3],
    /// For telling a locally closest pair from its neighbours (see `rows`): edge-edge: in-plane
    /// directions into the two faces at the tool's edge, then at the body's edge; vertex-face and
    /// face-vertex: directions into the neighbour across the face's edges 01, 12, 20, in the face's
    /// frame, then along four edges of the vertex, in its frame. Unit; zero where there is none.
    pub hints: [Vec3; HINTS],
}

impl Pair {
    /// A pair at its reference poses. `frame_from_tool` takes tool points to the frame of the body
    /// points; the distance is that of the features less `radius_m`.
    pub fn new(
        kind: PairKind,
        tool: [Vec3; 3],
        body: [Vec3; 3],
        hints: [Vec3; HINTS],
        frame_from_tool: &Rigid,
        radius_m: f64,
    ) -> Pair {
        let (a, b, _) = closest_points(kind, &tool.map(|p| frame_from_tool.point(&p)), &body);
        let distance = (a - b).norm();
        // Any unit vector will do; this one is the best but for rounding.
        let direction = (a - b).try_normalize(0.0).unwrap_or_default();
        Pair {
            kind,
            tool,
            body,
            hints,
            direction,
            support_m: highest(kind, &body, &direction),
            distance_m: distance - radius_m,
            tool_feature: 0,
            body_feature: 0,
        }
    }

    /// Lower bound on the distance of the features (the tool's radius not taken off), at any pose:
    /// how far they are apart along the direction of the reference poses. A tenth of the work of
    /// the distance, and as good while neither turns much.
    #[inline]
    pub fn separation(&self, frame_from_tool: &Rigid) -> f64 {
        let n = frame_from_tool.unturn(&self.direction);
        let mut low = n.dot(&self.tool[0]);
        for p in &self.tool[1..self.kind.points_a()] {
            low = low.min(n.dot(p));
        }
        low + self.direction.dot(&frame_from_tool.translation) - self.support_m
    }
}

/// What a snapshot says about one body.
#[derive(Clone, Copy, Debug)]
pub struct BodyEntry {
    /// Which body.
    pub key: BodyKey,
    /// Client-visible identity, see the protocol.
    pub id: u32,
    /// Reference pose of the body.
    pub world_from_body: Pose,
    /// Never moves: its pairs' points and hints are in the world frame already.
    pub fixed: bool,
    /// How far any tool point may move relative to this body before the list stops being complete.
    /// Already less the certified clearance. Negative when the list is truncated inside the
    /// clearance.
    pub margin_m: f64,
    /// First pair of this body in [`Snapshot::pairs`].
    pub first_pair: u32,
    /// How many pairs; sorted by `distance_m`.
    pub pair_count: u32,
    /// More pairs were within reach than the list has room for, or than the answer's budget of work
    /// sufficed to find.
    pub full: bool,
    /// The tool is inside this body or around it, or their surfaces meet, so it cannot become solid
    /// to it now. Asked for by `ArmQuery::solid`.
    pub encloses_tool: bool,
    /// Moves only if it has one, or on a course.
    pub target: Option<BodyTarget>,
    /// The dynamics move it: along courses, whatever its target.
    pub by_course: bool,
    /// Centre of mass, body frame; zero for what has no mass.
    pub centre: Vec3,
    /// Radius of a ball about the body's origin that holds it, metres: bounds its points' motion.
    pub bound_m: f64,
    /// Half-thickness around the body's features, metres: the radius of another arm's ball; 0 for
    /// all that is a mesh.
    pub radius_m: f64,
    /// Surface.
    pub material: Material,
}

/// The answer of the collision thread for one tool.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Counts the answers, over all arms.
    pub sequence: u64,
    /// The query that this answers.
    pub query_tick: u64,
    /// Which arm.
    pub arm: usize,
    /// The query's epoch of that arm.
    pub epoch: u32,
    /// Reference pose of the tool.
    pub world_from_tool: Pose,
    /// Changes with every body that comes or goes; never falls.
    pub scene_version: u64,
    /// Every body of the scene.
    pub bodies: Vec<BodyEntry>,
    /// By body, the smooth surface that it is felt as; missing ones, and `None`: its mesh. Shared
    /// with the scene, so the loop must not be the last to have a snapshot.
    pub smooth: Vec<Option<Arc<SmoothMesh>>>,
    /// The feature pairs, body by body.
    pub pairs: Vec<Pair>,
    /// Where the dynamics want their bodies to go next.
    pub course: Trajectory,
    /// Time the answer took, for reports only; 0 in virtual time.
    pub compute_ns: u64,
    /// Who else had a share in it, for reports only: the answer is the same without.
    pub midphase: MidPhaseShare,
}

/// What a mid-phase, which is a GPU as a rule, did for an answer of the collision thread. Changes
/// nothing in the answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MidPhaseShare {
    /// Bodies, and other arms' tools, near which it named the pairs of triangles; near all others
    /// the CPU searched by itself.
    pub bodies: u16,
    /// Time that it took for those, where it computes, ns; 0 if it named none or has no clock.
    pub took_ns: u64,
}

impl Snapshot {
    /// An empty snapshot for at most this many feature pairs over all bodies; it never grows.
    /// Allocates; not for the real-time thread.
    pub fn new(pairs: usize) -> Self {
        Snapshot {
            sequence: 0,
            query_tick: 0,
            arm: 0,
            epoch: 0,
            world_from_tool: Pose::identity(),
            scene_version: 0,
            bodies: Vec::with_capacity(MAX_BODIES),
            smooth: Vec::with_capacity(MAX_BODIES),
            pairs: Vec::with_capacity(pairs),
            course: Trajectory::new(),
            compute_ns: 0,
            midphase: MidPhaseShare::default(),
        }
    }

    /// The pairs of one body, nearest first.
    pub fn pairs_of(&self, entry: &BodyEntry) -> &[Pair] {
        let first = entry.first_pair as usize;
        &self.pairs[first..first + entry.pair_count as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_ccd::closest;
    use hapticd_geometry::Quat;

    /// A number in -1..1, from a linear congruential sequence.
    fn next(seed: &mut u64) -> f64 {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// The sieve of the haptic loop: never above the distance, at any pose, and the distance itself
    /// at the reference poses.
    #[test]
    fn separation_is_a_lower_bound_at_every_pose() {
        let mut seed = 7;
        let (mut tight, mut compared) = (0, 0);
        for kind in [
            PairKind::VertexFace,
            PairKind::FaceVertex,
            PairKind::EdgeEdge,
        ] {
            for _ in 0..300 {
                let mut point = || Vec3::from_fn(|_, _| 0.1 * next(&mut seed));
                let (tool, body) = ([point(), point(), point()], [point(), point(), point()]);
                let mut pose = |size: f64| {
                    let shift = Vec3::from_fn(|_, _| size * next(&mut seed));
                    let turn = Vec3::from_fn(|_, _| 10.0 * size * next(&mut seed));
                    Pose::from_parts(shift.into(), Quat::from_scaled_axis(turn))
                };
                let reference = pose(0.3);
                let hints = [Vec3::zeros(); HINTS];
                let pair = Pair::new(kind, tool, body, hints, &Rigid::new(&reference), 0.0);
                let here = pair.separation(&Rigid::new(&reference));
                assert!(here <= pair.distance_m + 1e-12, "{kind:?}");
                tight += usize::from(here > pair.distance_m - 1e-9);
                for size in [1e-4, 1e-3, 1e-2, 0.3] {
                    let moved = Rigid::new(&(pose(size) * reference));
                    let there = tool.map(|p| moved.point(&p));
                    let distance = closest(kind, &there, &body).distance;
                    let separation = pair.separation(&moved);
                    assert!(separation <= distance + 1e-12, "{kind:?} {size}");
                    compared += usize::from(separation > 0.5 * distance);
                }
            }
        }
        assert!(tight > 890, "tight at the reference poses: {tight} of 900");
        assert!(compared > 1000, "of any use: {compared}");
    }

    /// Features that touch have no direction: nothing is claimed.
    #[test]
    fn touching_features_are_never_sieved_out() {
        let pair = Pair::new(
            PairKind::EdgeEdge,
            [Vec3::x(), -Vec3::x(), Vec3::zeros()],
            [Vec3::y(), -Vec3::y(), Vec3::zeros()],
            [Vec3::zeros(); HINTS],
            &Rigid::new(&Pose::identity()),
            0.0,
        );
        let far = Rigid::new(&Pose::translation(0.0, 0.0, 5.0));
        assert_eq!(pair.separation(&far), 0.0);
    }
}
