//! Implicit bodies in the haptic loop. The loop evaluates their potential at the tool in every
//! tick, so the rendered surface is the visible one.
//!
//! Real-time callable except for filling lists: no allocation, no blocking, work bounded by
//! [`MAX_TERMS`], [`MAX_CLIQUES`] and [`MAX_SAMPLES`]. Deterministic. World frame, SI units.
//!
//! # Theory
//!
//! The surface of an implicit body is the set where a sum of potentials equals a level (Triquet
//! 2001, chapter 1); inside, the sum is above it. The visible mesh is made of the same sum
//! ([`hapticd_skin::Skin`]) on a separate thread. Contact does not need the mesh: value and
//! gradient at a point suffice (the source leaves this out on purpose). The
//! nearest terms travel to the loop with their velocities and move on between two answers.
//!
//! * *The foot* of a point is the nearby point of the surface, found by Newton's method on the
//!   square root of the potential. Murakami's kernel is a square, so its root falls off like a
//!   parabola and is not flat where the kernel ends. Two steps from there reach the surface.
//! * *A ball* is probed where it is deepest: at its point against the gradient, starting from the
//!   side of each of the nearest terms. (That gradient and the one at the foot differ where blends
//!   bend; the depth is right to within some hundredths of itself.)
//! * *A mesh* is probed at the points that the answer lists: those of its surface nearest to terms.
//! * *Cliques*: where not all primitives may blend, the largest sum over a set that may all blend
//!   with each other counts ([`hapticd_skin::blend::Cliques`] explains why that is one continuous
//!   potential). They are computed with the answer and travel as sets of terms. The tool can reach
//!   only a few terms in a tick, and most of their sets coincide. Where blending is an equivalence,
//!   the cliques are its classes. Each class makes a separate surface, and a point is in the body
//!   if it is in one of them.
//!
//! # Guarantees and limits
//!
//! As for all soft surfaces, rows bend the wanted motion, continuous detection then cuts it, and
//! the surface itself is not a hard wall. Where parts press each other flat, the higher of their
//! potentials is rendered; the mesh is at the same place. Beyond the reach of its kernels a body
//! exerts nothing. A tool that moves further in one tick than from there to the surface is found
//! inside, and it passes through a body thinner than that.

use std::cell::RefCell;
use std::sync::Arc;

use hapticd_geometry::{Pose, Vec3, transform};
use hapticd_skin::{Kernel, Primitive, Skeleton};

use crate::snapshot::Material;
use crate::soft_row::{DeformableRow, Moment, RowQuery};
use crate::tool::ToolShape;

mod sampled;

pub use sampled::Sampled;

/// Most primitives of one body that are rendered at once; the nearest are kept.
pub const MAX_TERMS: usize = 64;
/// Most maximal cliques of terms of one body.
pub const MAX_CLIQUES: usize = 64;
/// Most points of a tool's mesh that are probed.
pub const MAX_SAMPLES: usize = 16;
/// Bound on the distance from a point inside a potential to its foot, as a share of the reach of
/// the terms there. From the end of a kernel to its surface the share is 0.46.
pub const FOOT_REACH: f64 = 0.6;
/// Capacity for rows of implicit bodies in a tick; further rows are dropped.
pub(crate) const MAX_PROBED: usize = 64;
/// Sides from which a ball is probed.
const SEARCHES: usize = 4;
/// Steps to the deepest point of a ball; each leaves about a third of the remaining distance.
const STEPS: usize = 5;
/// Steps to a foot; from where a tool is, the fourth is below a micrometre.
const FOOT_STEPS: usize = 5;
/// Longest step, as a share of the largest reach. From a summit of the potential a step would
/// otherwise go anywhere.
const MAX_STEP_SHARE: f64 = 0.45;
/// Relative distance from the level beyond which the result is not a foot.
const LEVEL_TOLERANCE: f64 = 0.05;

/// A primitive near the tool.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// Primitive at its reference position.
    pub primitive: Primitive,
    /// Velocity, m/s.
    pub velocity: Vec3,
    /// Ball outside of which the potential is 0: centre at the reference, and radius, m.
    centre: Vec3,
    reach_m: f64,
    /// Inverse square of the radius for a point primitive with Murakami's kernel, which is all that
    /// its evaluation needs. All primitives that mechanics move are of this kind.
    per_r2: Option<f64>,
}

impl Term {
    /// Creates the term of a primitive that moves at `velocity`, m/s.
    #[must_use]
    pub fn new(primitive: &Primitive, velocity: Vec3) -> Term {
        let (low, high) = primitive.bounds();
        let (centre, reach_m) = match primitive.skeleton {
            Skeleton::Point(at) if primitive.kernel.is_finite() => (at, primitive.radius_m),
            _ => (0.5 * (low + high), 0.5 * (high - low).norm()),
        };
        Term {
            primitive: *primitive,
            velocity,
            centre,
            reach_m,
            per_r2: match (primitive.skeleton, primitive.kernel) {
                (Skeleton::Point(_), Kernel::Murakami) => {
                    Some(1.0 / (primitive.radius_m * primitive.radius_m))
                }
                _ => None,
            },
        }
    }

    /// Returns potential and gradient at a point at the reference.
    #[inline]
    fn sense(&self, at: &Vec3) -> (f64, Vec3) {
        let Some(per_r2) = self.per_r2 else {
            return self.primitive.with_gradient(at);
        };
        let away = at - self.centre;
        let rest = 1.0 - away.norm_squared() * per_r2;
        // Not `<=`: NaN must come out as NaN, which gives no row.
        if rest < 0.0 {
            return (0.0, Vec3::zeros());
        }
        let slope = self.primitive.amplitude * rest;
        (slope * rest, away * (-4.0 * slope * per_r2))
    }

    /// Returns the distance from a point at the reference to the term's support, m; 0 within.
    #[must_use]
    pub fn distance_m(&self, at: &Vec3) -> f64 {
        ((at - self.centre).norm() - self.reach_m).max(0.0)
    }
}

/// Part of an implicit body near a tool, at the time of an answer.
#[derive(Clone, Debug)]
pub struct ImplicitSurface {
    /// Client-visible identity.
    pub id: u32,
    /// Material of the body.
    pub material: Material,
    /// Value of the sum of potentials on the surface, above 0.
    pub level: f64,
    /// Nearest terms, at most [`MAX_TERMS`].
    pub terms: Vec<Term>,
    /// Maximal cliques of terms that blend, one bit per term, at most [`MAX_CLIQUES`]. Empty if all
    /// terms blend.
    pub cliques: Vec<u64>,
    /// Sampled potential, which is then all of the body: see [`Sampled`].
    pub sampled: Option<Arc<Sampled>>,
}

/// Point of the surface near a query point.
#[derive(Clone, Copy, Debug)]
pub struct Foot {
    /// Position on the surface, m.
    pub point: Vec3,
    /// Outward unit normal.
    pub normal: Vec3,
    /// Distance from the surface to the query point along the normal, m; below 0 inside.
    pub distance_m: f64,
    /// Velocity of the surface there, m/s.
    pub velocity: Vec3,
}

/// Terms that may act where the tool is, moved on to the present time.
struct Local<'a> {
    surface: &'a ImplicitSurface,
    age_s: f64,
    near: [u8; MAX_TERMS],
    count: usize,
    balls: Balls,
    /// Cliques of the nearby terms.
    cliques: Sets,
    /// True if none of the terms is negative anywhere.
    positive: bool,
    /// Value and gradient of each term at the last query point; valid for the terms that act there.
    found: RefCell<[(f64, Vec3); MAX_TERMS]>,
}

/// Balls of the nearby terms, in the same order. A query tests all of them at once, since most
/// terms do not act at a given point.
struct Balls {
    /// Displacement of each term since the reference, m.
    shift: [[f64; MAX_TERMS]; 3],
    centre: [[f64; MAX_TERMS]; 3],
    /// NaN for a term that is not a ball.
    per_r2: [f64; MAX_TERMS],
}

impl Balls {
    const NONE: Balls = Balls {
        shift: [[0.0; MAX_TERMS]; 3],
        centre: [[0.0; MAX_TERMS]; 3],
        per_r2: [f64::NAN; MAX_TERMS],
    };

    fn set(&mut self, place: usize, term: &Term, age_s: f64) {
        let shift = term.velocity * age_s;
        for axis in 0..3 {
            self.shift[axis][place] = shift[axis];
            self.centre[axis][place] = term.centre[axis];
        }
        self.per_r2[place] = term.per_r2.unwrap_or(f64::NAN);
    }

    /// Returns `rest` of [`Term::sense`] for each ball; below 0 where the term does not act.
    fn rests(&self, at: &Vec3, count: usize) -> [f64; MAX_TERMS] {
        let mut rests = [0.0; MAX_TERMS];
        let [sx, sy, sz] = &self.shift;
        let [cx, cy, cz] = &self.centre;
        for k in 0..count.min(MAX_TERMS) {
            let (x, y, z) = (
                at.x - sx[k] - cx[k],
                at.y - sy[k] - cy[k],
                at.z - sz[k] - cz[k],
            );
            rests[k] = 1.0 - (x * x + y * y + z * z) * self.per_r2[k];
        }
        rests
    }
}

/// Cliques among a subset of the terms.
struct Sets {
    all: [u64; MAX_CLIQUES],
    count: usize,
}

impl Sets {
    /// Returns the cliques restricted to the terms `some`, without those contained in another one.
    fn among(cliques: &[u64], some: u64) -> Sets {
        let mut sets = Sets {
            all: [0; MAX_CLIQUES],
            count: 0,
        };
        for clique in cliques.iter().take(MAX_CLIQUES) {
            let new = clique & some;
            if new == 0 || sets.get().iter().any(|old| new & !old == 0) {
                continue;
            }
            let mut kept = 0;
            for k in 0..sets.count {
                if sets.all[k] & !new != 0 {
                    sets.all[kept] = sets.all[k];
                    kept += 1;
                }
            }
            sets.all[kept] = new;
            sets.count = kept + 1;
        }
        sets
    }

    fn get(&self) -> &[u64] {
        &self.all[..self.count]
    }
}

/// Iterates over the terms of a set, in order.
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        next
    })
}

/// Potential of the highest clique at a point.
struct Sense {
    value: f64,
    gradient: Vec3,
    velocity: Vec3,
}

impl ImplicitSurface {
    /// Returns the terms that act within `within_m` of `at`, or at the feet of such points, `age_s`
    /// after the reference.
    fn local(&self, at: &Vec3, within_m: f64, age_s: f64) -> Local<'_> {
        let mut near = [0; MAX_TERMS];
        let mut balls = Balls::NONE;
        let (mut count, mut set, mut positive) = (0, 0, true);
        for (number, term) in (0..).zip(self.terms.iter().take(MAX_TERMS)) {
            let room = within_m + FOOT_REACH * term.reach_m;
            if term.distance_m(&(at - term.velocity * age_s)) <= room {
                near[count] = number;
                balls.set(count, term, age_s);
                count += 1;
                set |= 1 << number;
                positive &= term.per_r2.is_some() && term.primitive.amplitude >= 0.0;
            }
        }
        Local {
            surface: self,
            age_s,
            near,
            count,
            balls,
            cliques: Sets::among(&self.cliques, set),
            positive,
            found: RefCell::new([(0.0, Vec3::zeros()); MAX_TERMS]),
        }
    }

    /// Returns the foot of a point, or `None` where no term acts. Not for real-time use: it visits
    /// every term.
    #[must_use]
    pub fn foot(&self, at: &Vec3, age_s: f64) -> Option<Foot> {
        if let Some(sampled) = &self.sampled {
            return sampled.foot(at);
        }
        self.local(at, 0.0, age_s).foot(at)
    }

    /// Computes how much each term counts at a point at the reference: its share of the gradient of
    /// the highest clique there. Shares are at least 0 and sum to 1.
    ///
    /// Writes the shares of the first `shares.len()` terms and 0 beyond the last term. Returns
    /// false if nothing acts there. For a sampled potential the first share is 1.
    pub fn shares(&self, at: &Vec3, shares: &mut [f64]) -> bool {
        shares.fill(0.0);
        if let (Some(_), Some(first)) = (&self.sampled, shares.first_mut()) {
            *first = 1.0;
            return true;
        }
        let local = self.local(at, 0.0, 0.0);
        let Some((set, sense)) = local.highest(at) else {
            return false;
        };
        let Some(normal) = (-sense.gradient).try_normalize(0.0) else {
            return false;
        };
        let mut sum = 0.0;
        for number in local.near() {
            let slope = -self.terms[number].primitive.with_gradient(at).1;
            let share = slope.dot(&normal).max(0.0);
            if set >> number & 1 == 1
                && let Some(place) = shares.get_mut(number)
            {
                *place = share;
                sum += share;
            }
        }
        if sum > 0.0 {
            shares.iter_mut().for_each(|share| *share /= sum);
        }
        sum > 0.0
    }

    /// Returns how many of the cliques that reach a point at the reference contain it. Two or more
    /// means that parts of a body press each other there, out of reach of a tool.
    #[must_use]
    pub fn layers(&self, at: &Vec3) -> usize {
        let values: Vec<f64> = self.terms.iter().map(|t| t.primitive.value(at)).collect();
        let reach = (0..MAX_TERMS).zip(&values);
        let reach = reach.filter(|(_, value)| **value > 0.0);
        let reach = reach.fold(0, |set, (number, _)| set | 1 << number);
        let cliques = match &self.cliques[..] {
            [] => Sets::among(&[u64::MAX], reach),
            cliques => Sets::among(cliques, reach),
        };
        let of = |set: &u64| members(*set).map(|number| values[number]).sum::<f64>();
        let cliques = cliques.get().iter();
        cliques.filter(|set| of(set) > self.level).count()
    }

    /// Returns the potential of the highest clique above the level, at a point at the reference.
    #[must_use]
    pub fn excess(&self, at: &Vec3) -> f64 {
        if let Some(sampled) = &self.sampled {
            return sampled.excess(at);
        }
        let highest = self.local(at, 0.0, 0.0).highest(at);
        highest.map_or(0.0, |(_, sense)| sense.value) - self.level
    }
}

impl Local<'_> {
    fn near(&self) -> impl Iterator<Item = usize> + '_ {
        self.near[..self.count].iter().map(|n| usize::from(*n))
    }

    /// Returns the highest clique at a point, and its potential there.
    fn highest(&self, at: &Vec3) -> Option<(u64, Sense)> {
        let surface = self.surface;
        let rests = self.balls.rests(at, self.count);
        let sense = |number: usize| {
            let term = &surface.terms[number];
            term.sense(&(at - term.velocity * self.age_s))
        };
        // Not `>=`: NaN passes, and terms that are not balls are evaluated themselves.
        let felt = self.near().zip(&rests).filter(|(_, rest)| !(**rest < 0.0));
        let felt = felt.map(|(number, _)| number);
        if surface.cliques.is_empty() {
            return self.sum_of_all(felt, sense);
        }
        let mut found = self.found.borrow_mut();
        let mut live = 0_u64;
        for number in felt {
            found[number] = sense(number);
            live |= 1 << number;
        }
        let mut best: Option<(u64, f64)> = None;
        for set in self.cliques.get() {
            // A subset of a positive sum is not larger than that sum.
            let within = |(of, _): (u64, f64)| set & live & !of == 0;
            if self.positive && best.is_some_and(within) {
                continue;
            }
            let value: f64 = members(set & live).map(|number| found[number].0).sum();
            // NaN never wins.
            if value > best.map_or(0.0, |(_, most)| most) {
                best = Some((*set, value));
            }
        }
        let (set, value) = best?;
        let mut sense = Sense {
            value,
            gradient: Vec3::zeros(),
            velocity: Vec3::zeros(),
        };
        for number in members(set & live) {
            let (value, gradient) = found[number];
            sense.gradient += gradient;
            sense.velocity += surface.terms[number].velocity * (value / sense.value);
        }
        Some((set, sense))
    }

    /// Returns the sum over all terms, for a body where all blend.
    fn sum_of_all(
        &self,
        felt: impl Iterator<Item = usize>,
        sense: impl Fn(usize) -> (f64, Vec3),
    ) -> Option<(u64, Sense)> {
        let mut all = Sense {
            value: 0.0,
            gradient: Vec3::zeros(),
            velocity: Vec3::zeros(),
        };
        for number in felt {
            let (value, gradient) = sense(number);
            all.value += value;
            all.gradient += gradient;
            all.velocity += self.surface.terms[number].velocity * value;
        }
        // NaN gives nothing.
        if !(all.value > 0.0) {
            return None;
        }
        all.velocity /= all.value;
        Some((u64::MAX, all))
    }

    fn sense(&self, at: &Vec3) -> Option<Sense> {
        self.highest(at).map(|(_, sense)| sense)
    }

    fn foot(&self, at: &Vec3) -> Option<Foot> {
        let mut point = *at;
        let mut sense = self.sense(at)?;
        let aim = self.surface.level.sqrt();
        for _ in 0..FOOT_STEPS {
            // The gradient of the root is that of the sum over twice the root.
            let root = sense.value.sqrt();
            let square = sense.gradient.norm_squared();
            if !(square > 0.0) {
                break;
            }
            let step = sense.gradient * (2.0 * root * (aim - root) / square);
            let reach = self.near().map(|n| self.surface.terms[n].reach_m);
            let longest = MAX_STEP_SHARE * reach.fold(0.0, f64::max);
            let length = step.norm();
            if !length.is_finite() {
                return None;
            }
            let next = point + step * (longest / length.max(longest).max(f64::MIN_POSITIVE));
            let Some(there) = self.sense(&next) else {
                break;
            };
            (point, sense) = (next, there);
        }
        // Not `>`: NaN is not a foot either.
        if !((sense.value.sqrt() - aim).abs() <= LEVEL_TOLERANCE * aim) {
            return None;
        }
        let normal = (-sense.gradient).try_normalize(0.0)?;
        Some(Foot {
            point,
            normal,
            distance_m: (at - point).dot(&normal),
            velocity: sense.velocity,
        })
    }

    /// Returns the deepest point of a ball, searched from the side of `from`.
    fn deepest(&self, centre: &Vec3, radius_m: f64, from: &Vec3) -> Option<Vec3> {
        let mut normal = (centre - from).try_normalize(0.0)?;
        for _ in 0..STEPS {
            let Some(sense) = self.sense(&(centre - normal * radius_m)) else {
                break;
            };
            normal = (-sense.gradient).try_normalize(0.0)?;
        }
        Some(centre - normal * radius_m)
    }

    /// Returns the ball's deepest points from the sides of the [`SEARCHES`] nearest terms.
    fn of_ball(&self, centre: &Vec3, radius_m: f64) -> [Option<Vec3>; SEARCHES] {
        let mut nearest: [Option<(f64, usize)>; SEARCHES] = [None; SEARCHES];
        for number in self.near() {
            let term = &self.surface.terms[number];
            let distance =
                (centre - term.centre - term.velocity * self.age_s).norm() - term.reach_m;
            let mut new = Some((distance, number));
            for place in &mut nearest {
                let before = place.is_none_or(|(d, _)| new.is_some_and(|(n, _)| n < d));
                if before {
                    std::mem::swap(place, &mut new);
                }
            }
        }
        nearest.map(|found| {
            let term = &self.surface.terms[found?.1];
            let heart = term.primitive.heart() + term.velocity * self.age_s;
            self.deepest(centre, radius_m, &heart)
        })
    }
}

/// A point of a tool that touches an implicit body, or is near it.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Position on the tool, world frame, m.
    pub tool_point: Vec3,
    /// Foot of that point.
    pub foot: Foot,
}

impl ImplicitSurface {
    /// Calls `each` where the tool at `pose` is nearer to the surface than `band_m`, `age_s` after
    /// the reference.
    ///
    /// `samples` are points of the tool's mesh, tool frame, at most [`MAX_SAMPLES`]. A ball needs
    /// none; its deepest points are searched.
    pub fn touches(
        &self,
        (tool, pose): (&ToolShape, &Pose),
        samples: &[Vec3],
        age_s: f64,
        band_m: f64,
        mut each: impl FnMut(Touch),
    ) {
        if let Some(sampled) = &self.sampled {
            return sampled.touches((tool, pose), samples, band_m, each);
        }
        let centre = transform(pose, &tool.centre);
        let local = self.local(&centre, 0.5 * tool.size_m() + band_m.max(0.0), age_s);
        if local.count == 0 {
            return;
        }
        let mut probe = |tool_point: Vec3| {
            if let Some(foot) = local.foot(&tool_point)
                // NaN is not a touch.
                && foot.distance_m < band_m
            {
                each(Touch { tool_point, foot });
            }
        };
        if tool.radius_m > 0.0 {
            let points = local.of_ball(&centre, tool.radius_m);
            points.into_iter().flatten().for_each(&mut probe);
        } else {
            let samples = samples.iter().take(MAX_SAMPLES);
            samples
                .map(|sample| transform(pose, sample))
                .for_each(probe);
        }
    }
}

/// Adds to `all` the rows by which implicit bodies stop the tool, if they are within the query's
/// band and as far as the capacity goes. Surfaces are numbered from `first`.
///
/// `samples` are points of the tool's mesh, tool frame; a ball needs none.
pub(crate) fn survey(
    (surfaces, first): (&[ImplicitSurface], usize),
    samples: &[Vec3],
    query: &RowQuery<'_>,
    all: &mut Vec<DeformableRow>,
) {
    let &RowQuery {
        tool,
        pose,
        moment: Moment { age_s, period_s },
        band_m,
    } = query;
    for (surface, number) in surfaces.iter().zip(first..) {
        let Ok(number) = u8::try_from(number) else {
            return;
        };
        surface.touches((tool, pose), samples, age_s, band_m, |touch| {
            if all.len() < all.capacity() {
                let Touch { tool_point, foot } = touch;
                let place = (tool_point, foot.point, foot.normal);
                let step = foot.velocity * period_s;
                all.push(DeformableRow::new(number, place, foot.distance_m, &step));
            }
        });
    }
}

#[cfg(test)]
mod tests;
