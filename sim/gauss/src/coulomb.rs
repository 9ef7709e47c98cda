//! Coulomb friction of one body: the nearest motion that the rows and the friction of the surfaces
//! allow.
//!
//! Guarantees: no allocation, no panic, no lock. At most [`Effort::rounds`] + 3 projections and as
//! many times [`Effort::passes`] passes over at most [`MAX_ACTIVE`] contacts. Deterministic. An
//! unfinished iteration costs only fidelity of friction: the motion still meets the rows.
//!
//! # Theory
//!
//! With friction, the motion nearest to the wanted one (Redon 2002, equation 5.20) is sought among
//! motions that also lose energy to the surfaces. Contact `i` pushes with `p_i`, and `M (x -
//! wanted) = sum_i J_i^T p_i`. Coulomb's law requires of every contact that
//!
//! - the normal part does not pull, `p_n >= 0`, and acts only where the row holds with equality;
//! - the tangential part stays in the cone, `|p_t| <= mu p_n`;
//! - inside the cone the surfaces do not slip; on its boundary they slip against `p_t`.
//!
//! Redon's empirical model (section 5.6) replaces this by linear rows, so that the problem stays
//! convex. It uses a pit for sticking, which lifts the body where it starts to slide, and a row for
//! sliding, with a direction that must be known in advance. For one body, the law itself costs no
//! more. The normal and the tangential pushes are solved in turn. The normal pushes follow from a
//! projection in which the tangential ones change the intention. The tangential ones follow with
//! fixed limits `mu p_n` (Tresca's problem, which is convex, by block Gauss-Seidel). For a particle
//! on a plane, one round is exact and agrees with the source's sliding row.
//!
//! # Practice
//!
//! [`FrictionMemory`] remembers the total push of friction, not that of single contacts. Of many
//! contacts in a plane, the projection names any three, and others in the next tick. A body held by
//! all its contacts moves exactly with the body that holds it, so it never creeps.
//!
//! The slip that the iteration leaves is small in one tick but adds up to millimetres, and a push
//! that is slightly too large drags the body along, which would do work. So the law is enforced at
//! the end: contacts inside their cones, and those that would be pushed along their slip, stick
//! *exactly* (`Tresca::sticks`), whatever the iteration has found.
//!
//! Contacts that nearly oppose each other jam: the pushes that Coulomb's law requires grow from
//! round to round, and the iteration ends first. Even then its motion must not add energy. With
//! surfaces at rest, the law leaves no more of the wanted motion than there was, `|wanted - x|
//! <= |wanted|`: nothing pushes along the motion that it allows. A motion that leaves more violates
//! the law. It is scaled down until it leaves the minimum; standing still leaves all of it. Rows
//! with positive bounds require a motion of their own. It is the shortest one, frictionless,
//! computed before friction acts on the rest. Where a surface moves, neither step applies: it may
//! add what the law then leaves.

use nalgebra::{Vector2, Vector6};

use crate::friction::tangents;
use crate::outcome::Active;
use crate::{MAX_ACTIVE, Metric, Motion, Projection, Projector, Row, Status, Vec3};

/// The surface behind a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coulomb's coefficient. A negative or non-finite value counts as zero.
    pub friction: f64,
    /// Motion of the surface itself, about the reference point of the body in contact with it and
    /// in the motion's unit.
    pub carrier: Motion,
}

impl Surface {
    /// A frictionless surface at rest.
    pub const SMOOTH: Self = Self {
        friction: 0.0,
        carrier: Motion::from_array_storage(nalgebra::ArrayStorage([[0.0; 6]; 1])),
    };
}

/// Limits of the iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Maximum number of rounds of projection and friction.
    pub rounds: u32,
    /// Maximum number of passes over the contacts in one round.
    pub passes: u32,
    /// The iteration ends with a round that changes friction by no more than this, relative to the
    /// kinetic size of the problem.
    pub settled: f64,
}

impl Effort {
    /// For one control tick. The next tick continues from there with what is left to do.
    pub const TICK: Self = Self {
        rounds: 4,
        passes: 24,
        settled: 1e-4,
    };
    /// To rounding, where a solution exists.
    pub const THOROUGH: Self = Self {
        rounds: 200,
        passes: 2000,
        settled: 1e-12,
    };
}

/// Friction of one body, remembered from one problem to the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrictionMemory {
    /// Sum of the tangential pushes, a covector about the reference point.
    total: Motion,
}

impl FrictionMemory {
    /// A memory without friction.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// A motion with friction.
#[derive(Clone, Copy, Debug)]
pub struct FrictionSolution {
    /// The last projection: its motion is the result; its rows carry the normal pushes.
    pub projection: Projection,
    /// Rows with friction and their tangential pushes, world axes; the first `len` are set.
    grips: [(usize, Vec3); MAX_ACTIVE],
    len: usize,
    /// True when every contact sticks; the motion is then that of the carrier.
    pub held: bool,
    /// Change of friction in the last round, relative to the kinetic size of the problem. At least
    /// 1 where the computed motion would have added energy, which the law excludes.
    pub residual: f64,
}

impl FrictionSolution {
    /// Rows with friction and their tangential pushes: `M (x - wanted)` is the sum of these and of
    /// the normal pushes. In kg m for a motion that is a displacement.
    #[must_use]
    pub fn grips(&self) -> &[(usize, Vec3)] {
        &self.grips[..self.len]
    }
}

/// A motion that is wanted, and what constrains it.
#[derive(Clone, Copy, Debug)]
pub struct FrictionProblem<'a> {
    /// Kinetic metric of the body.
    pub metric: &'a Metric,
    /// The wanted motion.
    pub wanted: &'a Motion,
    /// Constraints of contacts.
    pub rows: &'a [Row],
    /// Surfaces of the rows, in their order; a row without one is frictionless.
    pub surfaces: &'a [Surface],
}

impl<const N: usize> Projector<N> {
    /// As [`Self::project_or_hold`], with Coulomb friction.
    ///
    /// While all surfaces are at rest, the remainder of the wanted motion is no longer than what is
    /// left after the shortest motion that meets the rows, whatever the iteration finds.
    pub fn project_with_friction(
        &mut self,
        problem: FrictionProblem<'_>,
        memory: &mut FrictionMemory,
        effort: Effort,
    ) -> FrictionSolution {
        let FrictionProblem {
            metric,
            wanted,
            rows,
            surfaces,
        } = problem;
        let surfaces = &surfaces[..surfaces.len().min(rows.len())];
        let problem = FrictionProblem {
            surfaces,
            ..problem
        };
        // Written so that NaN counts as frictionless.
        let frictional = surfaces.iter().any(|s| s.friction > 0.0);
        let owes = rows.iter().any(|row| row.bound > 0.0);
        if !(frictional && owes && at_rest(surfaces)) || rows.len() > N {
            return self.iterate_friction(problem, memory, effort);
        }
        // First the shortest motion that meets the rows, then the rest of the wanted motion from
        // there. If surfaces at rest also held the first part, the shortest motion without any slip
        // could be a hundred times as long, and jammed contacts would push by it.
        let base = self.project_or_hold(metric, &Motion::zeros(), rows);
        if base.status == Status::Rejected {
            return self.iterate_friction(problem, memory, effort);
        }
        let mut rest_rows = [Row::NONE; N];
        for (rest, row) in rest_rows.iter_mut().zip(rows) {
            // A row is not owed what it lacks of the base through rounding, or because not all rows
            // can be met.
            let bound = (-row.slack(&base.motion)).min(0.0);
            *rest = Row { bound, ..*row };
        }
        let rest = FrictionProblem {
            wanted: &(wanted - base.motion),
            rows: &rest_rows[..rows.len()],
            ..problem
        };
        let mut solution = self.iterate_friction(rest, memory, effort);
        solution.projection = solution.projection.shifted(&base.motion, base.relaxed);
        solution
    }

    /// As [`Self::project_with_friction`], for the case where standing still meets the rows, or
    /// where surfaces move.
    fn iterate_friction(
        &mut self,
        problem: FrictionProblem<'_>,
        memory: &mut FrictionMemory,
        effort: Effort,
    ) -> FrictionSolution {
        let FrictionProblem {
            metric,
            wanted,
            rows,
            surfaces,
        } = problem;
        let size = metric.norm(wanted);
        let mut total = memory.total;
        *memory = FrictionMemory::new();
        let mut result = FrictionSolution {
            projection: self.project_or_hold(metric, &pushed(metric, wanted, &total), rows),
            grips: [(0, Vec3::zeros()); MAX_ACTIVE],
            len: 0,
            held: false,
            residual: 0.0,
        };
        for round in 0..effort.rounds {
            let tresca = Tresca::new(metric, rows, surfaces, &result.projection, &total);
            let Some(mut tresca) = tresca else {
                // No contact has friction, so the remembered friction also vanishes.
                result.len = 0;
                if total != Motion::zeros() {
                    total = Motion::zeros();
                    result.projection = self.project_or_hold(metric, wanted, rows);
                    continue;
                }
                break;
            };
            tresca.iterate(effort.passes, 0.1 * effort.settled * size);
            let before = total;
            total = tresca.total();
            result.grips = tresca.grips();
            result.len = tresca.len;
            let change = metric.covector_to_kinetic(&(total - before)).norm();
            result.residual = change / size.max(f64::MIN_POSITIVE);
            if let Some(carrier) = tresca.holds(HELD * size) {
                // The normal pushes are those of the last projection. The holding contacts need no
                // further pushing out.
                let multipliers = result.projection;
                let still = self.project_or_hold(metric, &carrier, rows);
                if still.status == Status::Optimal {
                    result.projection = multipliers.with_motion(&still);
                    result.held = true;
                    break;
                }
            }
            if result.residual <= effort.settled || round + 1 == effort.rounds {
                // Here too, the normal pushes are those of the last projection.
                let multipliers = result.projection;
                let stuck = tresca.sticks(metric, wanted, rows, multipliers.active());
                let nearest = self.project_or_hold(metric, &stuck, rows);
                if nearest.status == Status::Optimal {
                    result.projection = multipliers.with_motion(&nearest);
                }
                // For contacts that jam, or that the iteration takes to be touching, the motion
                // that meets them all at once may be a thousand times the wanted motion, in any
                // direction. A scaled-down result of the iteration is always admissible and sticks
                // wherever the full one sticks.
                if at_rest(surfaces) && gains(metric, wanted, &result.projection.motion) {
                    result.projection = multipliers;
                    result.residual = result.residual.max(1.0);
                    if gains(metric, wanted, &result.projection.motion) {
                        let motion = &mut result.projection.motion;
                        *motion *= nearest_share(metric, wanted, motion);
                    }
                }
                break;
            }
            result.projection = self.project_or_hold(metric, &pushed(metric, wanted, &total), rows);
        }
        if total.sum().is_finite() {
            memory.total = total;
        }
        result
    }
}

/// Whether all surfaces are at rest. Moving surfaces may add energy, so the energy bound does not
/// apply to them.
fn at_rest(surfaces: &[Surface]) -> bool {
    surfaces.iter().all(|s| s.carrier == Motion::zeros())
}

/// Whether a motion leaves more of the wanted motion than there was.
fn gains(metric: &Metric, wanted: &Motion, motion: &Motion) -> bool {
    let before = metric.norm(wanted);
    let left = metric.norm(&(wanted - motion));
    left * left > before * before * (1.0 + ROUNDING)
}

/// The share of a motion, 0 to 1, that leaves the least of the wanted one.
fn nearest_share(metric: &Metric, wanted: &Motion, motion: &Motion) -> f64 {
    let (along, wanted) = (metric.to_kinetic(motion), metric.to_kinetic(wanted));
    let share = along.dot(&wanted) / along.norm_squared();
    // A NaN share counts as 0.
    if share > 0.0 { share.min(1.0) } else { 0.0 }
}

/// Relative error of a square that sums and projections may cause.
const ROUNDING: f64 = 1e-9;
/// A contact inside its cone that slips by less than this fraction of the wanted motion counts as
/// held.
const HELD: f64 = 1e-2;
/// A push this close to its cone, relative to it, counts as on it.
const ON_CONE: f64 = 1e-6;
/// A push this close to its cone, relative to it, may turn out to be on it. It is left as the
/// iteration found it, unless it would do work.
const NEAR_CONE: f64 = 1e-2;
/// A demand with less than this fraction independent of earlier demands follows from them.
const DEPENDENT: f64 = 1e-3;
/// Contacts that span less than this fraction of the square of their size are collinear, and nearer
/// ones coincide: a body that they hold may still turn.
const IN_LINE: f64 = 1e-3;

/// Tangential data of one contact, in kinetic coordinates.
#[derive(Clone, Copy)]
struct Block {
    row: usize,
    axes: [Vec3; 2],
    columns: [Vector6<f64>; 2],
    arm: Vec3,
    /// Largest response to a unit push.
    mobility: f64,
    /// Smallest normal motion that the row requires.
    bound: f64,
    carrier: Motion,
    target: Vector2<f64>,
    limit: f64,
    push: Vector2<f64>,
}

impl Block {
    const NONE: Self = Self {
        row: 0,
        axes: [Vec3::new(0.0, 0.0, 0.0); 2],
        columns: [Vector6::from_array_storage(nalgebra::ArrayStorage([[0.0; 6]; 1])); 2],
        arm: Vec3::new(0.0, 0.0, 0.0),
        mobility: 1.0,
        bound: 0.0,
        carrier: Surface::SMOOTH.carrier,
        target: Vector2::new(0.0, 0.0),
        limit: 0.0,
        push: Vector2::new(0.0, 0.0),
    };

    fn slip(&self, motion: &Vector6<f64>) -> Vector2<f64> {
        Vector2::new(self.columns[0].dot(motion), self.columns[1].dot(motion)) - self.target
    }

    fn in_cone(&self, push: Vector2<f64>) -> Vector2<f64> {
        let square = push.norm_squared();
        if square > self.limit * self.limit {
            push * (self.limit / square.sqrt())
        } else {
            push
        }
    }
}

/// The tangential problem with given normal pushes.
struct Tresca {
    blocks: [Block; MAX_ACTIVE],
    len: usize,
    /// Whether all active rows have friction, so that it may hold the body as a whole.
    all_frictional: bool,
    /// Kinetic coordinates of the motion with the current pushes.
    motion: Vector6<f64>,
    settled: bool,
}

impl Tresca {
    /// Sets up the problem; `None` without any frictional contact. `total` is the friction with
    /// which the projection was made.
    fn new(
        metric: &Metric,
        rows: &[Row],
        surfaces: &[Surface],
        projection: &Projection,
        total: &Motion,
    ) -> Option<Self> {
        let mut tresca = Self {
            blocks: [Block::NONE; MAX_ACTIVE],
            len: 0,
            all_frictional: true,
            motion: metric.to_kinetic(&projection.motion) - metric.covector_to_kinetic(total),
            settled: false,
        };
        let slipping = metric.to_kinetic(&projection.motion);
        let pressed: f64 = projection.active().iter().map(|a| a.multiplier).sum();
        for active in projection.active() {
            let (Some(row), Some(surface)) = (rows.get(active.row), surfaces.get(active.row))
            else {
                continue;
            };
            let length = row.normal.norm();
            let limit = surface.friction * active.multiplier * length;
            // Written so that NaN counts as frictionless.
            if !(limit > 0.0 && limit.is_finite()) {
                tresca.all_frictional = false;
                continue;
            }
            let [t, s] = tangents(&(row.normal / length));
            let columns = [t, s].map(|d| metric.covector_to_kinetic(&pushing(&d, &row.arm)));
            let (a, b) = (columns[0].norm_squared(), columns[1].norm_squared());
            let c = columns[0].dot(&columns[1]);
            let half = 0.5 * (a - b);
            let carried = moves(&surface.carrier, &row.arm);
            let mut block = Block {
                row: active.row,
                axes: [t, s],
                columns,
                arm: row.arm,
                mobility: 0.5 * (a + b) + (half * half + c * c).sqrt(),
                bound: row.bound / length,
                carrier: surface.carrier,
                target: Vector2::new(carried.dot(&t), carried.dot(&s)),
                limit,
                push: Vector2::zeros(),
            };
            // A share of the friction so far, corrected by the remaining slip.
            let share = total.fixed_rows::<3>(0) * (active.multiplier / pressed);
            let share = Vector2::new(share.dot(&t), share.dot(&s));
            block.push = block.in_cone(share - block.slip(&slipping) / block.mobility);
            if !(block.push.sum() + block.mobility + block.bound).is_finite() {
                tresca.all_frictional = false;
                continue;
            }
            for (column, part) in block.columns.iter().zip(block.push.iter()) {
                tresca.motion += column * *part;
            }
            tresca.blocks[tresca.len] = block;
            tresca.len += 1;
        }
        (tresca.len > 0).then_some(tresca)
    }

    /// Iterates until no pass changes a push by more than `settled`, kinetic.
    fn iterate(&mut self, passes: u32, settled: f64) {
        for _ in 0..passes {
            let mut most = 0.0_f64;
            for block in &mut self.blocks[..self.len] {
                let push = block.in_cone(block.push - block.slip(&self.motion) / block.mobility);
                let change = push - block.push;
                block.push = push;
                self.motion += block.columns[0] * change.x + block.columns[1] * change.y;
                most = most.max(change.norm_squared() * block.mobility);
            }
            if !(most > settled * settled) {
                self.settled = true;
                break;
            }
        }
    }

    /// Total friction, a covector.
    fn total(&self) -> Motion {
        let mut total = Motion::zeros();
        for block in &self.blocks[..self.len] {
            total += pushing(&block.world_push(), &block.arm);
        }
        total
    }

    fn grips(&self) -> [(usize, Vec3); MAX_ACTIVE] {
        let mut grips = [(0, Vec3::zeros()); MAX_ACTIVE];
        for (grip, block) in grips.iter_mut().zip(&self.blocks[..self.len]) {
            *grip = (block.row, block.world_push());
        }
        grips
    }

    /// Returns the motion nearest to the wanted one plus the pushes of sliding contacts, under
    /// equality constraints. The `active` rows hold with equality, and sticking contacts do not
    /// slip. A contact sticks if its push is inside the cone, or does not oppose its slip.
    fn sticks(&self, metric: &Metric, wanted: &Motion, rows: &[Row], active: &[Active]) -> Motion {
        let mut held = [false; MAX_ACTIVE];
        for (held, block) in held.iter_mut().zip(&self.blocks[..self.len]) {
            *held = block.push.norm() < block.limit * (1.0 - NEAR_CONE);
        }
        let mut motion = metric.to_kinetic(wanted);
        // Each turn but the last holds one more contact.
        for _ in 0..=self.len {
            motion = metric.to_kinetic(wanted);
            for (block, _) in self.blocks[..self.len].iter().zip(held).filter(|(_, h)| !h) {
                motion += block.columns[0] * block.push.x + block.columns[1] * block.push.y;
            }
            let mut demands = Demands::none();
            for row in active.iter().filter_map(|a| rows.get(a.row)) {
                demands.add(metric.covector_to_kinetic(&row.covector()), row.bound);
            }
            for (block, _) in self.blocks[..self.len].iter().zip(held).filter(|(_, h)| *h) {
                demands.add(block.columns[0], block.target.x);
                demands.add(block.columns[1], block.target.y);
            }
            motion = demands.nearest(motion);
            let drawn = |(i, block): &(usize, &Block)| {
                !held[*i] && block.push.dot(&block.slip(&motion)) > 0.0
            };
            let Some((i, _)) = self.blocks[..self.len].iter().enumerate().find(drawn) else {
                break;
            };
            held[i] = true;
        }
        metric.from_kinetic(&motion)
    }

    /// Returns the motion of the carrier, if the contacts hold the body as a whole. That requires
    /// that no contact slips by more than `slip` (kinetic), that two separate contacts are inside
    /// their cones, and that all contacts touch, share one carrier and are not collinear. (With two
    /// points held, the others cannot slip, and where their pushes end does not matter.)
    fn holds(&self, slip: f64) -> Option<Motion> {
        let blocks = &self.blocks[..self.len];
        let first = blocks.first().filter(|_| self.all_frictional)?;
        let rests = |b: &Block| {
            b.slip(&self.motion).norm_squared() <= slip * slip * b.mobility
                && b.bound >= -slip * b.mobility.sqrt()
                && b.carrier == first.carrier
        };
        let sticks = |b: &&Block| b.push.norm() < b.limit * (1.0 - ON_CONE);
        let held = blocks.iter().find(sticks)?;
        if !blocks.iter().all(rests) {
            return None;
        }
        // A body that contact cannot turn has zero arms only.
        if blocks.iter().all(|b| b.arm == Vec3::zeros()) {
            return Some(first.carrier);
        }
        let (mut widest, mut longest, mut apart) = (0.0_f64, 0.0_f64, 0.0_f64);
        for b in blocks {
            let p = b.arm - first.arm;
            longest = longest.max(p.norm_squared());
            for c in blocks {
                widest = widest.max(p.cross(&(c.arm - first.arm)).norm());
            }
        }
        for b in blocks.iter().filter(sticks) {
            apart = apart.max((b.arm - held.arm).norm_squared());
        }
        (widest > IN_LINE * longest && apart > IN_LINE * longest).then_some(first.carrier)
    }
}

/// Linear demands `a . x = b` on a motion, kinetic, orthonormalised in sequence: a later demand
/// does not change what an earlier one has settled.
struct Demands {
    axes: [Vector6<f64>; 6],
    values: [f64; 6],
    len: usize,
}

impl Demands {
    fn none() -> Self {
        Self {
            axes: [Vector6::zeros(); 6],
            values: [0.0; 6],
            len: 0,
        }
    }

    /// Adds a demand unless it follows from the present ones to within [`DEPENDENT`]; such a demand
    /// would require large motions.
    fn add(&mut self, mut axis: Vector6<f64>, mut value: f64) {
        let size = axis.norm();
        // Twice, to remove what the first pass leaves by rounding.
        for _ in 0..2 {
            for (known, set) in self.axes[..self.len].iter().zip(&self.values) {
                let along = known.dot(&axis);
                axis -= known * along;
                value -= set * along;
            }
        }
        let left = axis.norm();
        if self.len < 6 && left > DEPENDENT * size {
            self.axes[self.len] = axis / left;
            self.values[self.len] = value / left;
            self.len += 1;
        }
    }

    /// The motion nearest to the given one that meets all demands.
    fn nearest(&self, mut motion: Vector6<f64>) -> Vector6<f64> {
        for (axis, value) in self.axes[..self.len].iter().zip(&self.values) {
            motion += axis * (value - axis.dot(&motion));
        }
        motion
    }
}

impl Block {
    fn world_push(&self) -> Vec3 {
        self.axes[0] * self.push.x + self.axes[1] * self.push.y
    }
}

fn pushed(metric: &Metric, wanted: &Motion, covector: &Motion) -> Motion {
    wanted + metric.from_kinetic(&metric.covector_to_kinetic(covector))
}

/// A push at a contact as a covector of motion space.
fn pushing(push: &Vec3, arm: &Vec3) -> Motion {
    let moment = arm.cross(push);
    Motion::new(push.x, push.y, push.z, moment.x, moment.y, moment.z)
}

/// Motion of a point under a rigid motion.
fn moves(motion: &Motion, arm: &Vec3) -> Vec3 {
    motion.fixed_rows::<3>(0) + motion.fixed_rows::<3>(3).cross(arm)
}
