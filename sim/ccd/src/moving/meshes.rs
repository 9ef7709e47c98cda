//! First contact of two moving bodies, and which feature pairs may touch during a step.

use std::cmp::Ordering;

use hapticd_geometry::{Pose, Vec3, transform};

use super::motion::{Motion, RelativeMotion};
use super::search::{FoundPair, MovingCounters, Queue, SearchGoal, Side};
use crate::advance::{Advance, RESOLUTION_M, RESOLUTION_RELATIVE};
use crate::index::{MeshIndex, Shape};
use crate::pair::{PairKind, closest};
use crate::proximity::{NearPair, Proximity};

/// Maximum number of steps for one feature pair. Running out costs motion, never correctness. Two
/// or three dozen are common when features slide past each other at the threshold.
const MAX_STEPS: u32 = 256;

/// One body of a query.
#[derive(Clone, Copy, Debug)]
pub struct MovingBody<'a> {
    /// Surface of the body, or a point.
    pub shape: &'a MeshIndex,
    /// Start pose and motion.
    pub motion: &'a Motion,
    /// The body is everything within this distance of its shape, metres: 0 for a mesh, the radius
    /// for a sphere given by its centre.
    pub radius_m: f64,
}

/// A feature pair within the clearance at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingContact {
    /// Kind of the features.
    pub kind: PairKind,
    /// Vertex, edge or triangle index in A.
    pub feature_a: u32,
    /// Vertex, edge or triangle index in B.
    pub feature_b: u32,
    /// Closest point of A's feature, world.
    pub point_a: Vec3,
    /// Closest point of B's feature, world.
    pub point_b: Vec3,
    /// Unit normal from B to A, world; zero if the features touch.
    pub normal: Vec3,
    /// Distance of the features minus the radii of the bodies, metres.
    pub distance_m: f64,
}

/// Answer to a first-contact query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Up to this time, nothing provably comes nearer than the clearance (or than it was at the
    /// start). 1 if nothing ever does.
    pub free_until: f64,
    /// The contact that ends the free time. Of several pairs at the same time, the first in the
    /// order of [`PairKind`] and indices. `None` if the whole step is free.
    pub first: Option<MovingContact>,
    /// Whether `first` is at the clearance at that time. `false` if the proof ended because steps
    /// ran out or a number was not finite; the bodies may then be farther apart than the clearance.
    pub certain: bool,
}

impl Meeting {
    const FREE: Self = Self {
        free_until: 1.0,
        first: None,
        certain: true,
    };

    pub(crate) const UNKNOWN: Self = Self {
        free_until: 0.0,
        first: None,
        certain: false,
    };
}

/// A feature pair in the list of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepPair {
    /// The pair and its distance at the start.
    pub pair: NearPair,
    /// Before this time, the pair is provably farther apart than the clearance.
    pub earliest: f64,
}

/// All feature pairs that matter during a step.
#[derive(Clone, Copy, Debug)]
pub struct StepSet<'a> {
    /// Sorted by [`StepPair::earliest`], then distance, then kind and indices.
    pub pairs: &'a [StepPair],
    /// Up to this time the list is complete: no unlisted feature pair comes nearer than the
    /// clearance before it. 1 unless there are more pairs than the capacity.
    pub complete_until: f64,
    /// At the start, no unlisted feature pair is nearer than this: the requested reach, or less if
    /// pairs were dropped for capacity.
    pub complete_to: f64,
}

/// Work space of the queries on moving bodies; one per querying thread. Buffers grow on first use
/// and are kept.
#[derive(Debug)]
pub struct MovingSearch {
    queue: Queue,
    near: Proximity,
    contacts: Vec<MovingContact>,
    step: Vec<StepPair>,
    capacity: usize,
    counters: MovingCounters,
}

impl MovingSearch {
    /// Work space for lists of at most `capacity` pairs (at least 1).
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self {
            queue: Queue::default(),
            near: Proximity::new(capacity),
            contacts: Vec::new(),
            step: Vec::new(),
            capacity: capacity.max(1),
            counters: MovingCounters::default(),
        }
    }

    /// Work done by all queries so far.
    #[must_use]
    pub fn counters(&self) -> MovingCounters {
        self.counters
    }

    /// Finds the first time in `[0, t_max]` at which two bodies come within `clearance_m` of each
    /// other.
    ///
    /// Up to [`Meeting::free_until`], every feature pair is proven to be at least `min(clearance,
    /// its distance at time 0)` apart. Bodies that start nearer than the clearance may slide and
    /// separate but not approach; bodies that touch at the start stop at 0. Shapes are surfaces: a
    /// body that starts wholly inside another does not touch it. Two points never touch.
    pub fn first_contact(
        &mut self,
        a: &MovingBody<'_>,
        b: &MovingBody<'_>,
        clearance_m: f64,
        t_max: f64,
    ) -> Meeting {
        let floor = clearance_m.max(0.0) + a.radius_m + b.radius_m;
        let (Some(frame), true) = (Frame::new(a, b), sane(clearance_m, floor) && t_max >= 0.0)
        else {
            return Meeting::UNKNOWN;
        };
        let mut best: Option<(f64, PairKind, u32, u32)> = None;
        let [mut side_a, mut side_b] = frame.sides(a, b);
        let mut meet = |met: &FoundPair<'_, '_>, end: f64| {
            let advanced = met.features.advance(floor, met.time, end, MAX_STEPS);
            let Advance::Stopped { t, .. } = advanced else {
                return end;
            };
            let found = (t, met.features.kind, met.feature_a, met.feature_b);
            let earlier = best.is_none_or(|b| (t, found.1, found.2, found.3) < b);
            if earlier {
                best = Some(found);
            }
            end.min(t)
        };
        let counters = &mut self.counters;
        let end = t_max.min(1.0);
        let goal = SearchGoal {
            floor,
            reach: f64::NEG_INFINITY,
            end,
        };
        let sides = [&mut side_a, &mut side_b];
        self.queue.run(sides, goal, counters, &mut meet);
        let Some((t, kind, feature_a, feature_b)) = best else {
            return Meeting {
                free_until: end,
                ..Meeting::FREE
            };
        };
        let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
        let first = contact([a, b], &poses, kind, [feature_a, feature_b]);
        let slack = stop_slack(floor);
        Meeting {
            free_until: t,
            certain: first.is_some_and(|c| c.distance_m <= clearance_m.max(0.0) + slack),
            first,
        }
    }

    /// Returns all feature pairs at time `t` within `clearance_m`, plus the slack that a stop
    /// leaves above it. With `t` = [`Meeting::free_until`], these are the simultaneous contacts.
    /// Nearest first; at most the capacity of the work space.
    pub fn contacts_at(
        &mut self,
        a: &MovingBody<'_>,
        b: &MovingBody<'_>,
        t: f64,
        clearance_m: f64,
    ) -> &[MovingContact] {
        let poses = [a.motion.pose_at(t), b.motion.pose_at(t)];
        let b_from_a = poses[1].inverse() * poses[0];
        let floor = clearance_m.max(0.0) + a.radius_m + b.radius_m;
        let reach = floor + stop_slack(floor);
        self.contacts.clear();
        let near = self.near.query(a.shape, 0.0, b.shape, &b_from_a, reach);
        for n in near.pairs {
            let found = contact([a, b], &poses, n.kind, [n.feature_a, n.feature_b]);
            self.contacts.extend(found);
        }
        &self.contacts
    }

    /// Returns all feature pairs that may come within `clearance_m` during the step, or that are
    /// nearer than `reach_m` at its start.
    ///
    /// This is the certificate of a step: whatever part of these motions is executed, unlisted
    /// pairs need no test. If there are more than the capacity, the list holds those that may meet
    /// first; see [`StepSet::complete_until`].
    pub fn step_pairs(
        &mut self,
        a: &MovingBody<'_>,
        b: &MovingBody<'_>,
        clearance_m: f64,
        reach_m: f64,
    ) -> StepSet<'_> {
        self.step.clear();
        let radii = a.radius_m + b.radius_m;
        let (floor, reach) = (clearance_m.max(0.0) + radii, reach_m + radii);
        let (Some(frame), true) = (
            Frame::new(a, b),
            sane(clearance_m, floor) && reach.is_finite(),
        ) else {
            return StepSet {
                pairs: &[],
                complete_until: 0.0,
                complete_to: f64::NEG_INFINITY,
            };
        };
        let [mut side_a, mut side_b] = frame.sides(a, b);
        let (step, capacity) = (&mut self.step, self.capacity);
        let (mut complete_until, mut complete_to) = (1.0, reach_m);
        let mut meet = |met: &FoundPair<'_, '_>, end: f64| {
            let at_start = met.features.closest_at(0.0).distance;
            let near = at_start < reach;
            let earliest = match met.features.advance(floor, met.time, 1.0, MAX_STEPS) {
                // Already within the clearance, whatever the motion.
                _ if at_start < floor => 0.0,
                Advance::Clear if !near => return end,
                Advance::Clear => 1.0,
                Advance::Stopped { t, .. } => t,
            };
            step.push(StepPair {
                pair: NearPair {
                    kind: met.features.kind,
                    feature_a: met.feature_a,
                    feature_b: met.feature_b,
                    distance: at_start - radii,
                },
                earliest,
            });
            if step.len() < 2 * capacity {
                return end;
            }
            drop_latest(step, capacity, &mut complete_until, &mut complete_to);
            complete_until
        };
        let counters = &mut self.counters;
        let goal = SearchGoal {
            floor,
            reach: reach.max(floor),
            end: 1.0,
        };
        let sides = [&mut side_a, &mut side_b];
        self.queue.run(sides, goal, counters, &mut meet);
        if step.len() > capacity {
            drop_latest(step, capacity, &mut complete_until, &mut complete_to);
        }
        self.step.sort_unstable_by(step_order);
        StepSet {
            pairs: &self.step,
            complete_until,
            complete_to,
        }
    }
}

/// Keeps the pairs that may meet first, and reduces the completeness to what was dropped.
fn drop_latest(step: &mut Vec<StepPair>, capacity: usize, until: &mut f64, to: &mut f64) {
    step.select_nth_unstable_by(capacity - 1, step_order);
    for dropped in &step[capacity..] {
        *until = until.min(dropped.earliest);
        *to = to.min(dropped.pair.distance);
    }
    step.truncate(capacity);
}

fn step_order(x: &StepPair, y: &StepPair) -> Ordering {
    let key = |p: &NearPair| (p.kind, p.feature_a, p.feature_b);
    (x.earliest.total_cmp(&y.earliest))
        .then_with(|| x.pair.distance.total_cmp(&y.pair.distance))
        .then_with(|| key(&x.pair).cmp(&key(&y.pair)))
}

/// How far above the threshold a stop may be, metres.
pub(crate) fn stop_slack(floor: f64) -> f64 {
    2.0 * (RESOLUTION_RELATIVE * floor).min(RESOLUTION_M) + 1e-12 + 1e-9 * floor
}

/// The contact of two features at given poses; `None` if a feature does not exist.
fn contact(
    [a, b]: [&MovingBody<'_>; 2],
    poses: &[Pose; 2],
    kind: PairKind,
    [feature_a, feature_b]: [u32; 2],
) -> Option<MovingContact> {
    let points_a = a.shape.feature_a(kind, feature_a)?;
    let points_b = b.shape.feature_b(kind, feature_b)?;
    let here = closest(
        kind,
        &points_a.map(|p| transform(&poses[0], &p)),
        &points_b.map(|p| transform(&poses[1], &p)),
    );
    Some(MovingContact {
        kind,
        feature_a,
        feature_b,
        point_a: here.point_a,
        point_b: here.point_b,
        normal: here.normal,
        distance_m: here.distance - a.radius_m - b.radius_m,
    })
}

/// Relative motions of a pair of bodies, in a common frame.
struct Frame {
    relative_motions: [RelativeMotion; 2],
}

impl Frame {
    /// `None` if a number is not finite.
    fn new(a: &MovingBody<'_>, b: &MovingBody<'_>) -> Option<Self> {
        if !(a.motion.is_finite() && b.motion.is_finite()) {
            return None;
        }
        let origin = transform(b.motion.start(), &middle(b.shape));
        let common = a.motion.common_factors(b.motion);
        Some(Self {
            relative_motions: [a, b].map(|x| RelativeMotion::new(x.motion, common, &origin)),
        })
    }

    fn sides<'a>(&self, a: &MovingBody<'a>, b: &MovingBody<'a>) -> [Side<'a>; 2] {
        [
            Side::new(a.shape, self.relative_motions[0]),
            Side::new(b.shape, self.relative_motions[1]),
        ]
    }
}

/// Whether the arguments are finite. `clearance_m` is tested as well because `max` would hide a
/// NaN.
fn sane(clearance_m: f64, floor: f64) -> bool {
    clearance_m.is_finite() && floor.is_finite()
}

fn middle(shape: &MeshIndex) -> Vec3 {
    match &shape.shape {
        Shape::Point(p) => *p,
        Shape::Surface(s) => s.tree.obb(0).center,
    }
}
