//! Coulomb friction of one body: the nearest motion that the rows admit and the surfaces let
//! through.
//!
//! Guarantees: no allocation, no panic, no lock; at most [`Effort::rounds`] + 3 projections and as
//! many times [`Effort::passes`] passes over at most [`MAX_ACTIVE`] contacts; deterministic. An
//! unfinished iteration costs feel: the motion meets the rows, whatever friction is.
//!
//! # Theory
//!
//! With friction the motion nearest to the wanted one (Redon 2002, equation 5.20) is sought among
//! motions that also lose to the surfaces: contact `i` pushes with `p_i`, and `M (x - wanted) =
//! sum_i J_i^T p_i`. Coulomb's law asks of every contact that
//!
//! - the normal part is no pull, `p_n >= 0`, and acts only where the row holds with equality;
//! - the tangential part stays in the cone, `|p_t| <= mu p_n`;
//! - within the cone the surfaces do not slip; on it they slip against `p_t`.
//!
//! Redon's empirical model (section 5.6) replaces this by linear rows, so that the problem stays
//! convex: a pit for sticking, which lifts the body where it starts to slide, and a row for
//! sliding, whose direction must be known beforehand. For one body the law itself is no dearer. In
//! turns, the normal pushes follow from a projection in which the tangential ones change the
//! intention, and the tangential ones from limits `mu p_n` that stand still (Tresca's problem,
//! which is convex; block Gauss-Seidel). For a particle on a plane that is exact in one turn and
//! gives what the source's sliding row gives.
//!
//! # Practice
//!
//! [`FrictionMemory`] remembers the friction's total push, not that of single contacts: of many
//! contacts in a plane the projection names any three, and others in the next tick. A body that all
//! its contacts hold moves exactly as what holds it does, so it never creeps.
//!
//! What the iteration leaves of slip is small in a tick and adds up to millimetres, and a push that
//! is a little too large draws the body along: it would do work. So the last word is the law's:
//! contacts inside their cones, and those that would be pushed along their slip, stick *exactly*
//! (`Tresca::sticks`), whatever the iteration has found.
//!
//! Contacts that nearly oppose each other jam: the pushes that Coulomb's law then asks for grow
//! from turn to turn, and the iteration ends first. Its motion must not give energy even so. At
//! rest the law leaves no more of the wanted motion than there was, `|wanted - x| <= |wanted|`:
//! nothing pushes along what it lets through. A motion that leaves more is not the law's, and is
//! shortened until it leaves least; standing still leaves all. Rows with positive bounds are owed a
//! motion by themselves. It is the shortest one, smooth, before friction has its say about the
//! rest. Where a surface moves neither is done: it may put in what the law then leaves.

use nalgebra::{Vector2, Vector6};

use crate::friction::tangents;
use crate::projector::Active;
use crate::{MAX_ACTIVE, Metric, Motion, Projection, Projector, Row, Status, Vec3};

/// The surface behind a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Surface {
    /// Coulomb's coefficient. What is negative or not finite counts as zero.
    pub friction: f64,
    /// How the surface itself moves, about the reference point of the body that rubs on it and in
    /// the motion's unit.
    pub carrier: Motion,
}

impl Surface {
    /// Smooth and at rest.
    pub const SMOOTH: Self = Self {
        friction: 0.0,
        carrier: Motion::from_array_storage(nalgebra::ArrayStorage([[0.0; 6]; 1])),
    };
}

/// How long to iterate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effort {
    /// Most turns of projection and friction.
    pub rounds: u32,
    /// Most passes over the contacts in one turn.
    pub passes: u32,
    /// A turn that changes friction by no more than this, relative to the kinetic size of the
    /// problem, is the last one.
    pub settled: f64,
}

impl Effort {
    /// For one control tick: what is left to do is done by the next one, which starts from there.
    pub const TICK: Self = Self {
        rounds: 4,
        passes: 24,
        settled: 1e-4,
    };
    /// To rounding, where there is a solution.
    pub const THOROUGH: Self = Self {
        rounds: 200,
        passes: 2000,
        settled: 1e-12,
    };
}

/// Memory of one body's friction from one problem to the next.
#[derive(Clone, Copy, Debug, Default)]
pub struct FrictionMemory {
    /// Total of the tangential pushes, a covector about the reference point.
    total: Motion,
}

impl FrictionMemory {
    /// No friction yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

/// A motion with friction.
#[derive(Clone, Copy, Debug)]
pub struct FrictionSolution {
    /// The last projection: its motion is the result, its rows carry the normal pushes.
    pub projection: Projection,
    /// Rows that rub and their tangential pushes, world axes, `..len`.
    grips: [(usize, Vec3); MAX_ACTIVE],
    len: usize,
    /// Everything in contact is held: the motion is the carrier's.
    pub held: bool,
    /// Change of friction in the last turn, relative to the kinetic size of the problem; at least 1
    /// where what was found would have given energy and is not what the law says.
    pub residual: f64,
}

impl FrictionSolution {
    /// Rows that rub, with what they push along their surface: `M (x - wanted)` is the sum of this
    /// and the normal pushes. For a motion that is a displacement: kg m.
    #[must_use]
    pub fn grips(&self) -> &[(usize, Vec3)] {
        &self.grips[..self.len]
    }
}

impl<const N: usize> Projector<N> {
    /// [`Self::project_or_hold`] with Coulomb friction. `surfaces` are those of the rows, in their
    /// order; a row without one is smooth.
    ///
    /// While all surfaces are at rest the rest of the wanted motion is no longer than what is left
    /// after the shortest motion that meets the rows, whatever the iteration has found.
    pub fn project_with_friction(
        &mut self,
        metric: &Metric,
        wanted: &Motion,
        rows: &[Row],
        surfaces: &[Surface],
        rub: &mut FrictionMemory,
        effort: Effort,
    ) -> FrictionSolution {
        let surfaces = &surfaces[..surfaces.len().min(rows.len())];
        // Written so that NaN does not rub.
        let rubs = surfaces.iter().any(|s| s.friction > 0.0);
        let owes = rows.iter().any(|row| row.bound > 0.0);
        if !(rubs && owes && at_rest(surfaces)) || rows.len() > N {
            return self.rub(metric, wanted, rows, surfaces, rub, effort);
        }
        // First what the rows ask for, by the shortest motion, then the rest of the wanted one from
        // there. Did surfaces at rest hold the first part, too, the shortest motion that slips
        // nowhere could be a hundred times as long, and contacts that jam would push by it.
        let base = self.project_or_hold(metric, &Motion::zeros(), rows);
        if base.status == Status::Rejected {
            return self.rub(metric, wanted, rows, surfaces, rub, effort);
        }
        let mut rest_rows = [Row::NONE; N];
        for (rest, row) in rest_rows.iter_mut().zip(rows) {
            // What a row lacks of the base by rounding, or because not all can be met, it is not
            // owed.
            let bound = (-row.slack(&base.motion)).min(0.0);
            *rest = Row { bound, ..*row };
        }
        let (rows, rest) = (&rest_rows[..rows.len()], wanted - base.motion);
        let mut rubbed = self.rub(metric, &rest, rows, surfaces, rub, effort);
        rubbed.projection = rubbed.projection.shifted(&base.motion, base.relaxed);
        rubbed
    }

    /// [`Self::project_with_friction`] where standing still meets the rows, or surfaces move.
    fn rub(
        &mut self,
        metric: &Metric,
        wanted: &Motion,
        rows: &[Row],
        surfaces: &[Surface],
        rub: &mut FrictionMemory,
        effort: Effort,
    ) -> FrictionSolution {
        let size = metric.norm(wanted);
        let mut total = rub.total;
        *rub = FrictionMemory::new();
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
                // Nothing rubs: not even what was remembered.
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
                // The normal pushes are those of the last projection; what holds need not be pushed
                // out of again.
                let multipliers = result.projection;
                let still = self.project_or_hold(metric, &carrier, rows);
                if still.status == Status::Optimal {
                    result.projection = multipliers.with_motion(&still);
                    result.held = true;
                    break;
                }
            }
            if result.residual <= effort.settled || round + 1 == effort.rounds {
                // The normal pushes are those of the last projection here, too.
                let multipliers = result.projection;
                let stuck = tresca.sticks(metric, wanted, rows, multipliers.active());
                let nearest = self.project_or_hold(metric, &stuck, rows);
                if nearest.status == Status::Optimal {
                    result.projection = multipliers.with_motion(&nearest);
                }
                // Contacts that jam, or that the iteration takes to touch: what meets them all
                // at once may be a thousand times the wanted motion, to any side. Less of what
                // the iteration has found is always admissible, and sticks where that sticks.
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
            rub.total = total;
        }
        result
    }
}

/// Of surfaces that move one may put in what the law then leaves: nothing is held to that.
fn at_rest(surfaces: &[Surface]) -> bool {
    surfaces.iter().all(|s| s.carrier == Motion::zeros())
}

/// A motion leaves more of the wanted one than was there.
fn gains(metric: &Metric, wanted: &Motion, motion: &Motion) -> bool {
    let before = metric.norm(wanted);
    let left = metric.norm(&(wanted - motion));
    left * left > before * before * (1.0 + ROUNDING)
}

/// The part of a motion that leaves least of the wanted one, 0 to 1.
fn nearest_share(metric: &Metric, wanted: &Motion, motion: &Motion) -> f64 {
    let (along, wanted) = (metric.to_kinetic(motion), metric.to_kinetic(wanted));
    let share = along.dot(&wanted) / along.norm_squared();
    // NaN is no share.
    if share > 0.0 { share.min(1.0) } else { 0.0 }
}

/// Relative error of a square that sums and projections may make.
const ROUNDING: f64 = 1e-9;
/// What slips by less than this part of the wanted motion, inside its cone, is held.
const HELD: f64 = 1e-2;
/// A push this close to its cone, relative to it, is on it.
const ON_CONE: f64 = 1e-6;
/// A push this close to its cone, relative to it, may turn out to be on it: it is left as the
/// iteration found it, unless it would do work.
const NEAR_CONE: f64 = 1e-2;
/// A demand of which less than this part is new follows from others.
const DEPENDENT: f64 = 1e-3;
/// Contacts that span less than this part of the square of their size are in a line, and nearer
/// ones in one place: what they hold may still turn.
const IN_LINE: f64 = 1e-3;

/// One contact along its surface, in kinetic coordinates.
#[derive(Clone, Copy)]
struct Block {
    row: usize,
    axes: [Vec3; 2],
    columns: [Vector6<f64>; 2],
    arm: Vec3,
    /// Greatest response to a unit push.
    mobility: f64,
    /// Least normal motion that the row asks for.
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

/// The tangential problem with the normal pushes given.
struct Tresca {
    blocks: [Block; MAX_ACTIVE],
    len: usize,
    /// All active rows rub, so that friction may hold the body as a whole.
    all_rub: bool,
    /// Kinetic: with the pushes at hand.
    motion: Vector6<f64>,
    settled: bool,
}

impl Tresca {
    /// `None` if nothing rubs. `total` is the friction that the projection was made with.
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
            all_rub: true,
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
            // Written so that NaN does not rub.
            if !(limit > 0.0 && limit.is_finite()) {
                tresca.all_rub = false;
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
            // A share of the friction so far, corrected by the slip that was left.
            let share = total.fixed_rows::<3>(0) * (active.multiplier / pressed);
            let share = Vector2::new(share.dot(&t), share.dot(&s));
            block.push = block.in_cone(share - block.slip(&slipping) / block.mobility);
            if !(block.push.sum() + block.mobility + block.bound).is_finite() {
                tresca.all_rub = false;
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

    /// Until no pass changes a push by more than `settled`, kinetic.
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

    /// The friction's total, a covector.
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

    /// The motion nearest to the wanted one and the pushes of what slides, on which the `active`
    /// rows hold with equality and contacts that stick do not slip: those inside their cones, and
    /// those with a push that does not oppose their slip.
    fn sticks(&self, metric: &Metric, wanted: &Motion, rows: &[Row], active: &[Active]) -> Motion {
        let mut held = [false; MAX_ACTIVE];
        for (held, block) in held.iter_mut().zip(&self.blocks[..self.len]) {
            *held = block.push.norm() < block.limit * (1.0 - NEAR_CONE);
        }
        let mut motion = metric.to_kinetic(wanted);
        // Each turn but the last one holds one more contact.
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

    /// The motion of what holds the body, if its contacts hold it as a whole: none slips by more
    /// than `slip` (kinetic), two apart are inside their cones, and all touch, are on one carrier
    /// and not in a line. (With two points held, the others cannot slip, and where their pushes end
    /// does not matter.)
    fn holds(&self, slip: f64) -> Option<Motion> {
        let blocks = &self.blocks[..self.len];
        let first = blocks.first().filter(|_| self.all_rub)?;
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
        // A body that contact cannot turn has all its arms at zero.
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

/// Linear demands `a . x = b` on a motion, kinetic, made orthonormal one after the other: what an
/// earlier one settles, a later one does not change.
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

    /// One more demand, unless it follows from those that are there: but for [`DEPENDENT`], which
    /// would make it one of large motions.
    fn add(&mut self, mut axis: Vector6<f64>, mut value: f64) {
        let size = axis.norm();
        // Twice, for what the first pass leaves by rounding.
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

    /// The motion nearest to this one that meets all demands.
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

/// How a motion moves a point.
fn moves(motion: &Motion, arm: &Vec3) -> Vec3 {
    motion.fixed_rows::<3>(0) + motion.fixed_rows::<3>(3).cross(arm)
}
