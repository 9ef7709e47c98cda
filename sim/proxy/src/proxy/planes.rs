//! Tangent planes of the present contacts, and the motion that they leave of the spring's pull.
//!
//! Real-time callable: no allocation, no blocking, work bounded by [`MAX_ROWS`] and
//! [`MAX_SUBSTEPS`].

use hapticd_gauss::coulomb::{Effort, FrictionMemory, FrictionProblem, FrictionSolution, Surface};
use hapticd_gauss::{ContactGap, Metric, Motion, Row};
use hapticd_geometry::{Pose, Quat, Vec3, transform};

use super::{MAX_ROWS, Proxy, TickContext};
use crate::bodies::BodyTable;
use crate::motion::{motion_between, path_of, pull_between};
use crate::outcome::{ArmOutcome, MAX_SUBSTEPS, MIN_SUBSTEP_M};

/// Goal of one round.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    /// Pull of the spring: shift of the shape's centre, and rotation vector.
    pub pull: Motion,
    /// Twist of the screw that leads to the goal.
    pub wanted: Motion,
    /// Upper bound on the path of a point of the tool on that screw, m.
    pub path_m: f64,
    /// Centre of the shape, world frame, m.
    pub centre: Vec3,
    /// Twist over stretch of the spring, m².
    pub gyration_m2: f64,
}

/// Contacts as rows of a projection: rigid ones by distance, then soft ones.
pub(super) struct Planes {
    pub rows: [Row; MAX_ROWS],
    pub surfaces: [Surface; MAX_ROWS],
    /// Candidate and gap (m) of each rigid row.
    pub order: [u32; MAX_ROWS],
    pub gaps: [f64; MAX_ROWS],
    /// Number of rigid rows, and number of all rows.
    pub rigid: usize,
    pub count: usize,
}

/// A round that was cut short by the end of the certificate or of the budget.
pub(super) struct Round {
    /// Pose of the tool at which the candidates were evaluated.
    pub from: Pose,
    /// Part of the bodies' steps that the tool had not made there.
    pub uncarried: f64,
    /// True if no evaluated candidate blocks the motion.
    pub is_free: bool,
    /// Number of candidates kept from the round before.
    pub kept: usize,
}

impl Planes {
    /// Returns true if no row takes anything from the motion.
    pub(super) fn leave(&self, motion: &Motion) -> bool {
        let mut rows = self.rows[..self.count].iter();
        rows.all(|row| row.slack(motion) >= 0.0)
    }
}

impl Proxy {
    /// Returns the aim of a round from the tool at `pose` to `goal`.
    pub(super) fn aim(&self, pose: &Pose, goal: &Pose, period_s: f64) -> Aim {
        let wanted = motion_between(&self.shape, pose, goal);
        let pull = pull_between(&self.shape, pose, goal);
        Aim {
            pull,
            wanted,
            path_m: path_of(&self.shape, &wanted),
            centre: transform(pose, &self.shape.centre),
            // From the whole pull: a stride, as a part of it, may stay below the governor's
            // cut-off.
            gyration_m2: self.gyration_m2(&pull, period_s),
        }
    }

    /// Builds the rows from the candidates' last evaluation; arms are taken from `centre`.
    pub(super) fn planes(&self, centre: &Vec3, bodies: &BodyTable) -> Planes {
        // Filled in the return slot: a copy costs a tenth of a tick.
        let mut planes = Planes {
            rows: [Row {
                normal: Vec3::zeros(),
                arm: Vec3::zeros(),
                bound: 0.0,
            }; MAX_ROWS],
            surfaces: [Surface::SMOOTH; MAX_ROWS],
            order: [0; MAX_ROWS],
            gaps: [0.0; MAX_ROWS],
            rigid: 0,
            count: 0,
        };
        // The nearest contacts, kept sorted by gap: an insertion sort of at most MAX_ROWS indices.
        let (order, gaps) = (&mut planes.order, &mut planes.gaps);
        let mut count = 0;
        for (i, c) in self.candidates.iter().enumerate() {
            let gap = c.distance_m - c.radius_m;
            if !(c.contact || self.has_stopped(c)) {
                continue;
            }
            if count == MAX_ROWS && gap >= gaps[MAX_ROWS - 1] {
                continue;
            }
            let mut at = count.min(MAX_ROWS - 1);
            while at > 0 && gaps[at - 1] > gap {
                gaps[at] = gaps[at - 1];
                order[at] = order[at - 1];
                at -= 1;
            }
            gaps[at] = gap;
            order[at] = i as u32;
            count = (count + 1).min(MAX_ROWS);
        }
        for k in 0..count {
            let c = &self.candidates[planes.order[k] as usize];
            let entry = &self.near[c.body_index as usize].entry;
            let gap = ContactGap {
                gap_m: planes.gaps[k],
                safe_m: self.distances.safe_m,
                approach_m: bodies.approach(entry.key, &c.body_point, &c.normal),
            };
            planes.rows[k] = Row {
                normal: c.normal,
                arm: self.shape.arm(&c.tool_point, centre),
                bound: gap.bound(),
            };
            planes.surfaces[k] = Surface {
                friction: entry.material.friction,
                carrier: bodies.carrier(entry.key, centre) * self.uncarried,
            };
        }
        planes.rigid = count;
        planes.count = self.add_soft(centre, &mut planes.rows, &mut planes.surfaces, count);
        planes
    }

    /// Projects a pull on these planes by the spring's metric; `None` if the metric is invalid.
    pub(super) fn solve(
        &mut self,
        planes: &Planes,
        pull: &Motion,
        gyration_m2: f64,
        rub: &mut FrictionMemory,
    ) -> Option<FrictionSolution> {
        let inertia = nalgebra::Matrix3::identity() * gyration_m2;
        let metric = Metric::new(1.0, &inertia).ok()?;
        let (rows, surfaces) = (
            &planes.rows[..planes.count],
            &planes.surfaces[..planes.count],
        );
        // The coupling wants its whole deflection again in each tick, so the contacts' pushes on it
        // are the forces of the tick. The tool sticks while they stay in their cones, and slides
        // until they do.
        let effort = Effort::TICK;
        Some((self.projector).project_with_friction(
            FrictionProblem {
                metric: &metric,
                wanted: pull,
                rows,
                surfaces,
            },
            rub,
            effort,
        ))
    }

    /// Returns the pose that the spring would draw the tool to if only the contact planes of the
    /// round's start were in the way, as unbounded planes. That is the goal if the tool is free to
    /// get there and no plane blocks it.
    ///
    /// Each iteration moves the tool's contact points along, so that a tool that turns as it slides
    /// is not held back by stale planes. Evaluates at most the pairs that the tick has left.
    pub(super) fn beyond(
        &mut self,
        round: &Round,
        context: &TickContext<'_>,
        out: &mut ArmOutcome,
    ) -> Pose {
        let (from, goal) = (&round.from, &context.goal);
        let centre = transform(from, &self.shape.centre);
        let stands = (self.proxy, self.uncarried);
        (self.proxy, self.uncarried) = (*from, round.uncarried);
        // Touched pairs may be further away than the rest of the motion.
        let left = (MAX_SUBSTEPS * self.pair_budget).saturating_sub(out.pairs_tested as usize);
        let touch_m = self.distances.release_m;
        out.pairs_tested += self.gather(context.bodies, touch_m, left, round.kept);
        let mut planes = self.planes(&centre, context.bodies);
        (self.proxy, self.uncarried) = stands;
        if round.is_free && planes.leave(&pull_between(&self.shape, from, goal)) {
            return *goal;
        }
        let asked = planes.rows;
        let (mut rub, mut rendered) = (self.rub, *from);
        for _ in 0..MAX_SUBSTEPS {
            let aim = self.aim(&rendered, goal, context.period_s);
            let Some(friction_solution) = self.solve(&planes, &aim.pull, aim.gyration_m2, &mut rub)
            else {
                break;
            };
            let motion = friction_solution.projection.motion;
            let (shift, turn): (Vec3, Vec3) = (
                motion.fixed_rows::<3>(0).into_owned(),
                motion.fixed_rows::<3>(3).into_owned(),
            );
            rendered.rotation = Quat::from_scaled_axis(turn) * rendered.rotation;
            let centre_now = aim.centre + shift;
            rendered.translation.vector = centre_now - rendered.rotation * self.shape.centre;
            // Not: `... < MIN_SUBSTEP_M`, so that NaN ends it.
            if !(path_of(&self.shape, &motion) >= MIN_SUBSTEP_M) {
                break;
            }
            let turned = rendered.rotation * from.rotation.inverse();
            for (row, asked) in planes.rows[..planes.count].iter_mut().zip(&asked) {
                let arm = turned * asked.arm;
                let gone = (centre_now - centre) + (arm - asked.arm);
                *row = Row {
                    arm,
                    bound: asked.bound - asked.normal.dot(&gone),
                    ..*asked
                };
            }
        }
        rendered
    }
}
