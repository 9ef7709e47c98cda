//! Messages between the haptic loop and the collision thread: [`Query`] one way, [`Snapshot`] the
//! other.
//!
//! A snapshot is a *certificate*. It is taken at reference poses and guarantees per body: as long
//! as no point of the tool has moved more than [`BodyEntry::margin_m`] relative to that body since
//! those poses, no feature pair outside the list can come closer than the certified clearance. Its
//! content follows from the query alone, so the same query on the same scene gives the same
//! snapshot.
//!
//! Both types move through rings without allocation. A `Query` is plain data; a `Snapshot` is built
//! once with its full capacity and travels as a `Box`.
//!
//! Frames: tool points are in the tool frame; body points are in the body frame. Metres.

use std::sync::Arc;

use hapticd_ccd::pair::{closest_points, highest};
use hapticd_ccd::{FeaturePair, PairKind};
use hapticd_gauss::Motion;
use hapticd_geometry::{Pose, Rigid, SmoothMesh, Vec3};

use crate::slots::{BodyKey, MAX_ARMS, MAX_BODIES};
use crate::trajectory::{Followed, Trajectory};

/// The loop's report on one body. Only the loop moves bodies, so this is the body's actual pose.
#[derive(Clone, Copy, Debug)]
pub struct BodyPose {
    /// Key of the body.
    pub key: BodyKey,
    /// Present pose of the body.
    pub world_from_body: Pose,
}

/// The loop's report on one tool.
#[derive(Clone, Copy, Debug)]
pub struct ArmQuery {
    /// False if there is no such arm, or no input from it yet.
    pub present: bool,
    /// Changes whenever the proxy is placed again instead of being moved; answers to older epochs
    /// are void.
    pub epoch: u32,
    /// Pose of the proxy.
    pub world_from_tool: Pose,
    /// Predicted pose of the proxy at the time of the answer, relative to its present pose. The
    /// answer refers to the predicted pose.
    pub ahead: Pose,
    /// Goal of the tool: the pose to which the hand draws it.
    pub world_from_goal: Pose,
    /// Stiffness of the coupling that draws it, N/m.
    pub stiffness_n_per_m: f64,
    /// Rotational stiffness of the coupling, N·m/rad; 0 if the tool does not turn.
    pub stiffness_nm_per_rad: f64,
    /// Reach of the answer, m.
    pub reach_m: f64,
    /// Bodies that are solid to this tool already, one bit per slot. For all others the answer must
    /// report whether the tool is inside ([`BodyEntry::encloses_tool`]).
    pub solid: u64,
}

impl ArmQuery {
    /// Returns the reference pose of the answer.
    #[must_use]
    pub fn world_from_reference(&self) -> Pose {
        if self.ahead == Pose::identity() {
            return self.world_from_tool;
        }
        self.world_from_tool * self.ahead
    }
}

/// Most bodies with pushes in a query.
pub const MAX_PUSHES: usize = 16;

/// Pushes of the tools on one body: the loop's report to the dynamics. World frame.
#[derive(Clone, Copy, Debug)]
pub struct Push {
    /// Key of the body.
    pub key: BodyKey,
    /// Impulse summed over all ticks since the body came, N·s; a lost query loses nothing.
    pub impulse_n_s: Vec3,
    /// Angular impulse about the centre of mass, summed likewise, N·m·s.
    pub moment_nm_s: Vec3,
    /// Force of the last tick, N; zero if nothing touched the body.
    pub force_n: Vec3,
    /// Point of application, m.
    pub point: Vec3,
    /// Stiffness of the coupling behind the force, N/m: the loss of force per metre that the body
    /// gives way.
    pub stiffness_n_per_m: f64,
    /// Velocity of the hand behind the force, m/s.
    pub hand_m_s: Vec3,
}

impl Push {
    /// Creates a record without any push.
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

/// A body that a tool holds, and how the hand draws it: the loop's report to the dynamics. World
/// frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraspQuery {
    /// Key of the body. The answer treats it as no obstacle to the tool.
    pub key: BodyKey,
    /// Pose of the body at which nothing is stretched.
    pub target: Pose,
    /// Where the spring is fixed, body frame, m; `None` for a tool that does not turn: then the
    /// hand says how the body is turned, and the spring acts at its centre of mass.
    pub grip: Option<Vec3>,
    /// A point of the target: the tool's centre there, m.
    pub at: Vec3,
    /// Velocity of the target at that point, m/s, and angular velocity, rad/s.
    pub velocity: Motion,
    /// Its acceleration, m/s² and rad/s².
    pub acceleration: Motion,
    /// Stiffness, N/m; 0 for an arm that makes no force.
    pub stiffness_n_per_m: f64,
    /// Rotational stiffness, N·m/rad; 0 with `grip` `None`.
    pub stiffness_nm_per_rad: f64,
    /// Largest force, N.
    pub most_n: f64,
}

/// One query to the collision thread.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Tick; the poses are those at its end.
    pub tick: u64,
    /// Tools, by arm.
    pub arms: [ArmQuery; MAX_ARMS],
    /// Poses of the bodies of the scene that the loop knows, `..body_count`.
    pub bodies: [BodyPose; MAX_BODIES],
    /// Number of valid entries of `bodies`.
    pub body_count: usize,
    /// How far the loop has come on the trajectory of the dynamics.
    pub followed: Followed,
    /// Ticks so far in which bodies waited at the end of a trajectory for the next one.
    pub idle_ticks: u64,
    /// Pushes of the tools, `..push_count`.
    pub pushes: [Push; MAX_PUSHES],
    /// Number of valid entries of `pushes`.
    pub push_count: usize,
    /// What the tools hold, by arm.
    pub grasps: [Option<GraspQuery>; MAX_ARMS],
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
            grasps: [None; MAX_ARMS],
        }
    }
}

impl Query {
    /// Returns the loop's pose of a body, if the loop knows it.
    pub fn pose_of(&self, key: BodyKey) -> Option<Pose> {
        self.bodies[..self.body_count]
            .iter()
            .find(|b| b.key == key)
            .map(|b| b.world_from_body)
    }
}

/// Surface properties of a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Largest stiffness of a coupling that touches this body, N/m.
    pub stiffness_n_per_m: f64,
    /// Damping on the rate of the coupling's deflection, N·s/m.
    pub damping_n_s_per_m: f64,
    /// Coulomb's coefficient between this surface and any tool.
    pub friction: f64,
    /// True if a coarse mesh is rendered as the smooth surface that it stands for.
    pub force_shading: bool,
}

impl Material {
    /// The defaults of a `[[material]]`, without force shading.
    pub const DEFAULT: Self = Material {
        stiffness_n_per_m: 800.0,
        damping_n_s_per_m: 0.5,
        friction: 0.3,
        force_shading: false,
    };
}

/// Target of a kinematic body.
#[derive(Clone, Copy, Debug)]
pub struct BodyTarget {
    /// Pose to reach.
    pub world_from_body: Pose,
    /// Highest speed of any of its points on the path there, m/s.
    pub speed_m_s: f64,
}

/// Length of [`Pair::hints`].
pub const HINTS: usize = 7;

/// A feature pair within reach at the reference poses. Fields are in order of use, so that a pair
/// that is filtered out is not read to its end.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Pair {
    /// Distance of the two closed features at the reference poses less the radii of tool and body,
    /// m.
    pub distance_m: f64,
    /// Unit vector from the body's feature to the tool's at the reference poses, in the frame of
    /// the body points; zero if they touch.
    pub direction: Vec3,
    /// Largest coordinate of the body's feature along [`Pair::direction`], m.
    pub support_m: f64,
    /// Kind of the pair; the first feature is the tool's.
    pub kind: PairKind,
    /// Index of the tool's feature among its kind, for reports.
    pub tool_feature: u32,
    /// Index of the body's feature among its kind, for reports.
    pub body_feature: u32,
    /// Points of the tool's feature, tool frame; `kind` tells whether 1, 2 or 3 of them count.
    pub tool: [Vec3; 3],
    /// Points of the body's feature, body frame (world frame if the body is [`BodyEntry::fixed`]).
    pub body: [Vec3; 3],
    /// Directions that tell a locally closest pair from its neighbours (see `rows`). Unit vectors;
    /// zero where there is no neighbour.
    ///
    /// * Edge-edge: in-plane directions into the two faces at the tool's edge, then at the body's
    ///   edge.
    /// * Vertex-face and face-vertex: directions into the neighbour across the face's edges 01, 12,
    ///   20, in the face's frame; then along four edges of the vertex, in its frame.
    pub hints: [Vec3; HINTS],
}

impl Pair {
    /// Creates a pair at its reference poses. A is the tool's feature, in the tool frame, and B the
    /// body's, in the frame of the body points. `frame_from_tool` takes tool points to the frame of
    /// the body points; the distance is that of the features less `radius_m`.
    pub fn new(
        features: FeaturePair<'_>,
        hints: [Vec3; HINTS],
        frame_from_tool: &Rigid,
        radius_m: f64,
    ) -> Pair {
        let (kind, tool, body) = (features.kind, *features.a, *features.b);
        let (a, b, _) = closest_points(kind, &tool.map(|p| frame_from_tool.point(&p)), &body);
        let distance = (a - b).norm();
        // Any unit vector is valid; this one is the best except for rounding.
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

    /// Returns a lower bound on the distance of the features (the tool's radius not subtracted) at
    /// any pose: their separation along the direction of the reference poses. It costs a tenth of
    /// the distance, and is as good as long as neither turns much.
    #[inline]
    pub fn separation(&self, frame_from_tool: &Rigid) -> f64 {
        let n = frame_from_tool.inverse_vector(&self.direction);
        let mut low = n.dot(&self.tool[0]);
        for p in &self.tool[1..self.kind.points_a()] {
            low = low.min(n.dot(p));
        }
        low + self.direction.dot(&frame_from_tool.translation) - self.support_m
    }
}

/// Entry of a snapshot for one body.
#[derive(Clone, Copy, Debug)]
pub struct BodyEntry {
    /// Key of the body.
    pub key: BodyKey,
    /// Client-visible identity, see the protocol.
    pub id: u32,
    /// Reference pose of the body.
    pub world_from_body: Pose,
    /// True if the body never moves: points and hints of its pairs are already in the world frame.
    pub fixed: bool,
    /// Motion of any tool point relative to this body up to which the list stays complete, m. The
    /// certified clearance is already subtracted. Negative if the list is truncated inside the
    /// clearance.
    pub margin_m: f64,
    /// First pair of this body in [`Snapshot::pairs`].
    pub first_pair: u32,
    /// Number of its pairs; sorted by `distance_m`.
    pub pair_count: u32,
    /// True if more pairs were within reach than the list has capacity for, or than the answer's
    /// work budget could find.
    pub full: bool,
    /// True if the tool is inside this body or around it, or their surfaces meet; then the body
    /// cannot become solid to it now. Requested by `ArmQuery::solid`.
    pub encloses_tool: bool,
    /// Target of a kinematic body; without one it moves only on a trajectory.
    pub target: Option<BodyTarget>,
    /// True if the dynamics move the body: along trajectories, regardless of a target.
    pub by_trajectory: bool,
    /// True if forces move the body: a tool can hold it.
    pub dynamic: bool,
    /// Centre of mass, body frame; zero for a body without mass.
    pub centre: Vec3,
    /// Radius of a ball about the body's origin that holds the body, m; bounds its points' motion.
    pub bound_m: f64,
    /// Half-thickness around the body's features, m: the radius of another arm's ball; 0 for every
    /// mesh.
    pub radius_m: f64,
    /// Material of the surface.
    pub material: Material,
}

/// Answer of the collision thread for one tool.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Sequence number of the answer, over all arms.
    pub sequence: u64,
    /// Tick of the query that this answers.
    pub query_tick: u64,
    /// Index of the arm.
    pub arm: usize,
    /// Epoch of that arm in the query.
    pub epoch: u32,
    /// Reference pose of the tool.
    pub world_from_tool: Pose,
    /// Changes with every body that comes or goes; never falls.
    pub scene_version: u64,
    /// Entries of all bodies of the scene.
    pub bodies: Vec<BodyEntry>,
    /// Smooth surface to render for each body; for missing entries and `None`, the mesh is
    /// rendered. Shared with the scene, so the loop must not be the last owner of a snapshot.
    pub smooth: Vec<Option<Arc<SmoothMesh>>>,
    /// Feature pairs, body by body.
    pub pairs: Vec<Pair>,
    /// Next trajectory of the bodies that the dynamics move.
    pub trajectory: Trajectory,
    /// Time that the answer took, ns, for reports only; 0 in virtual time.
    pub compute_ns: u64,
    /// Share of the mid-phase, for reports only: the answer is the same without it.
    pub midphase: MidPhaseShare,
}

/// What a mid-phase, usually a GPU, contributed to an answer of the collision thread. The answer
/// does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MidPhaseShare {
    /// Number of bodies and of other arms' tools for which it listed the pairs of triangles; for
    /// all others the CPU searched alone.
    pub bodies: u16,
    /// Time that this took, measured where it computes, ns; 0 if it listed none or has no clock.
    pub took_ns: u64,
}

impl Snapshot {
    /// Creates an empty snapshot for at most this many feature pairs over all bodies; it never
    /// grows. Allocates; not for the real-time thread.
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
            trajectory: Trajectory::new(),
            compute_ns: 0,
            midphase: MidPhaseShare::default(),
        }
    }

    /// Returns the pairs of one body, nearest first.
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

    /// Returns a number in -1..1 from a linear congruential sequence.
    fn next(seed: &mut u64) -> f64 {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// The haptic loop's filter: never above the distance, at any pose, and the distance itself at
    /// the reference poses.
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
                let pair = Pair::new(
                    FeaturePair {
                        kind,
                        a: &tool,
                        b: &body,
                    },
                    hints,
                    &Rigid::new(&reference),
                    0.0,
                );
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

    /// Features that touch have no direction, so no bound is claimed.
    #[test]
    fn touching_features_are_never_sieved_out() {
        let pair = Pair::new(
            FeaturePair {
                kind: PairKind::EdgeEdge,
                a: &[Vec3::x(), -Vec3::x(), Vec3::zeros()],
                b: &[Vec3::y(), -Vec3::y(), Vec3::zeros()],
            },
            [Vec3::zeros(); HINTS],
            &Rigid::new(&Pose::identity()),
            0.0,
        );
        let far = Rigid::new(&Pose::translation(0.0, 0.0, 5.0));
        assert_eq!(pair.separation(&far), 0.0);
    }
}
