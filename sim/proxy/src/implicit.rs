//! Implicit bodies in the loop: their potential is evaluated at the tool, at every tick. What is
//! seen is what is felt.
//!
//! Real-time callable but for filling lists: no allocation, no blocking, work bounded by
//! [`MAX_TERMS`], [`MAX_CLIQUES`] and [`MAX_SAMPLES`]. Deterministic. World frame, SI units.
//!
//! # Theory
//!
//! The surface of an implicit body is where a sum of potentials is at a level (Triquet 2001,
//! chapter 1), inside above it. The mesh that people see is made of the same sum
//! ([`hapticd_skin::Skin`]) on a thread of its own; nothing of it is needed to feel the body: value
//! and gradient at a place are all that a contact is made of (digest, section 11.1, where the
//! source leaves it out on purpose). The nearest terms travel to the loop with their velocities and
//! move on between two answers.
//!
//! * *The foot* of a place: the surface beside it, by Newton's method on the square root of the
//!   potential. Murakami's kernel is a square, so that its root falls off like a parabola and has
//!   no flat foot where the kernel ends; two steps from there are at the surface.
//! * *A ball* is probed where it is deepest: its point against the gradient, from the side of each
//!   of the nearest terms. (The gradient there and the one at its foot differ where blends bend:
//!   the depth is right within some hundredths of itself.)
//! * *A mesh* is probed at the points that the answer names: those of its surface that are nearest
//!   to terms.
//! * *Cliques*: where primitives may not all blend, the largest sum over those that may all blend
//!   with each other counts ([`hapticd_skin::blend::Cliques`] says why that is one continuous
//!   potential). They are found where the answer is made and travel as sets of terms; of the terms
//!   that the tool can reach in a tick few are left, and most of their sets are the same. Where
//!   blending is an equivalence the cliques are its classes, each of which makes a surface of its
//!   own, and a place is in the body if it is in one of them.
//!
//! # What this promises, and what not
//!
//! As for all soft surfaces: rows bend the wanted motion, continuous detection then cuts it, and
//! the surface itself is no wall. Parts that press each other flat are felt by the higher of their
//! potentials, which is where the mesh is, too. Beyond the reach of its kernels a body is not felt:
//! a tool that goes further in a tick than from there to the surface is found inside, and through a
//! body thinner than that it passes.

use std::cell::RefCell;
use std::sync::Arc;

use hapticd_geometry::{Pose, Vec3, transform};
use hapticd_skin::{Kernel, Primitive, Skeleton};

use crate::snapshot::Material;
use crate::soft::{Moment, SoftRow};
use crate::tool::ToolShape;

mod sampled;

pub use sampled::Sampled;

/// Most primitives of one body that are felt at once: the nearest.
pub const MAX_TERMS: usize = 64;
/// Most maximal cliques of terms of one body.
pub const MAX_CLIQUES: usize = 64;
/// Most points of a tool's mesh that are probed.
pub const MAX_SAMPLES: usize = 16;
/// A foot is no further from a place that feels anything than this part of the reach of what is
/// felt: from the end of a kernel to its surface is 0.46.
pub const FOOT_REACH: f64 = 0.6;
/// Room for rows of implicit bodies in a tick; what is found beyond them is left out.
pub(crate) const MAX_PROBED: usize = 64;
/// Sides from which a ball is probed.
const SEARCHES: usize = 4;
/// Steps to the deepest point of a ball: each leaves about a third of the way.
const STEPS: usize = 5;
/// Steps to a foot: from where a tool is the fourth is below a micrometre.
const FOOT_STEPS: usize = 5;
/// None of them longer than this part of the largest reach: from a summit they would go anywhere.
const LONGEST: f64 = 0.45;
/// What is further from the level in the end is no foot.
const ASTRAY: f64 = 0.05;

/// A primitive near the tool.
#[derive(Clone, Copy, Debug)]
pub struct Term {
    /// Where it was at the reference.
    pub primitive: Primitive,
    /// How it moves, m/s.
    pub velocity: Vec3,
    /// A ball that it is 0 outside of: centre at the reference, and radius, m.
    centre: Vec3,
    reach_m: f64,
    /// Of a ball by Murakami's kernel, as all are that mechanics move: what it is at a place needs
    /// no more.
    per_r2: Option<f64>,
}

impl Term {
    /// With how it moves, m/s.
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

    /// Potential and gradient at a place at the reference.
    #[inline]
    fn sense(&self, at: &Vec3) -> (f64, Vec3) {
        let Some(per_r2) = self.per_r2 else {
            return self.primitive.with_gradient(at);
        };
        let away = at - self.centre;
        let rest = 1.0 - away.norm_squared() * per_r2;
        // Not `<=`: NaN is felt as NaN, and that is no row.
        if rest < 0.0 {
            return (0.0, Vec3::zeros());
        }
        let slope = self.primitive.amplitude * rest;
        (slope * rest, away * (-4.0 * slope * per_r2))
    }

    /// Distance from a place at the reference to where it may be felt, m; 0 within.
    #[must_use]
    pub fn distance_m(&self, at: &Vec3) -> f64 {
        ((at - self.centre).norm() - self.reach_m).max(0.0)
    }
}

/// What of an implicit body is near a tool, at the time of an answer.
#[derive(Clone, Debug)]
pub struct ImplicitSurface {
    /// Client-visible identity.
    pub id: u32,
    /// How it feels.
    pub material: Material,
    /// The sum of potentials on the surface, above 0.
    pub level: f64,
    /// [`MAX_TERMS`] at most.
    pub terms: Vec<Term>,
    /// Who blends: the maximal cliques, a bit for each term, [`MAX_CLIQUES`] at most. Empty: all of
    /// them.
    pub cliques: Vec<u64>,
    /// A potential of samples, which is all of the body then: [`Sampled`] says how it is felt.
    pub sampled: Option<Arc<Sampled>>,
}

/// Beside a place, where the surface is.
#[derive(Clone, Copy, Debug)]
pub struct Foot {
    /// On the surface, m.
    pub point: Vec3,
    /// Outward, unit.
    pub normal: Vec3,
    /// From the surface to the place along the normal, m: below 0 inside.
    pub distance_m: f64,
    /// Of the surface there, m/s.
    pub velocity: Vec3,
}

/// The terms that may be felt where the tool is, moved on.
struct Local<'a> {
    surface: &'a ImplicitSurface,
    age_s: f64,
    near: [u8; MAX_TERMS],
    count: usize,
    balls: Balls,
    /// Of those that are near.
    cliques: Sets,
    /// None of them is below 0 anywhere.
    positive: bool,
    /// What each is at the place that was asked for last; of those that are felt there.
    found: RefCell<[(f64, Vec3); MAX_TERMS]>,
}

/// The balls of the terms that are near, in their order: what is felt at a place is asked of all,
/// and most are not.
struct Balls {
    /// How far it has moved, m.
    shift: [[f64; MAX_TERMS]; 3],
    centre: [[f64; MAX_TERMS]; 3],
    /// NaN of what is no ball.
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

    /// As [`Term::sense`] has it: below 0 where it is not felt.
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

/// Cliques of some of the terms.
struct Sets {
    all: [u64; MAX_CLIQUES],
    count: usize,
}

impl Sets {
    /// What these are among `some` terms: none in another one.
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

/// The terms of a set, in order.
fn members(mut set: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (set != 0).then(|| set.trailing_zeros() as usize);
        set &= set.wrapping_sub(1);
        next
    })
}

/// The highest clique at a place.
struct Sense {
    value: f64,
    gradient: Vec3,
    velocity: Vec3,
}

impl ImplicitSurface {
    /// Those that are felt within `within_m` of `at`, or at the feet of such places, `age_s` after
    /// the reference.
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

    /// Where the surface is beside a place; `None` where nothing is felt. For whoever is not in a
    /// hurry: it looks at every term.
    #[must_use]
    pub fn foot(&self, at: &Vec3, age_s: f64) -> Option<Foot> {
        if let Some(sampled) = &self.sampled {
            return sampled.foot(at);
        }
        self.local(at, 0.0, age_s).foot(at)
    }

    /// How much each term counts at a place at the reference: shares of the gradient of the highest
    /// clique there, none below 0, together 1. Written for the first terms as far as `shares` goes;
    /// the rest is 0. False: nothing is felt there. Of samples the first has it all.
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

    /// How many cliques, of those that reach a place at the reference, it is in: two or more where
    /// parts of a body press each other, and no tool comes.
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

    /// Potential above the level at a place at the reference: the highest clique's.
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

    /// The clique that is highest at a place, and what it is there.
    fn highest(&self, at: &Vec3) -> Option<(u64, Sense)> {
        let surface = self.surface;
        let rests = self.balls.rests(at, self.count);
        let sense = |number: usize| {
            let term = &surface.terms[number];
            term.sense(&(at - term.velocity * self.age_s))
        };
        // Not `>=`: NaN is felt, and what is no ball is asked itself.
        let felt = self.near().zip(&rests).filter(|(_, rest)| !(**rest < 0.0));
        let felt = felt.map(|(number, _)| number);
        if surface.cliques.is_empty() {
            return self.together(felt, sense);
        }
        let mut found = self.found.borrow_mut();
        let mut live = 0_u64;
        for number in felt {
            found[number] = sense(number);
            live |= 1 << number;
        }
        let mut best: Option<(u64, f64)> = None;
        for set in self.cliques.get() {
            // No more than what it is part of.
            let within = |(of, _): (u64, f64)| set & live & !of == 0;
            if self.positive && best.is_some_and(within) {
                continue;
            }
            let value: f64 = members(set & live).map(|number| found[number].0).sum();
            // NaN is nothing.
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

    /// All of them, where all blend.
    fn together(
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
        // NaN is nothing.
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
            let longest = LONGEST * reach.fold(0.0, f64::max);
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
        // Not `>`: NaN is no foot either.
        if !((sense.value.sqrt() - aim).abs() <= ASTRAY * aim) {
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

    /// The deepest point of a ball, looked for from the side of `from`.
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

    /// The ball's deepest points, from the sides of the nearest terms: with room for [`SEARCHES`].
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
    /// On the tool, world frame, m.
    pub tool_point: Vec3,
    /// Where the surface is beside it.
    pub foot: Foot,
}

impl ImplicitSurface {
    /// Where the tool at `pose` is nearer to the surface than `band_m`, `age_s` after the
    /// reference. `samples`: points of the tool's mesh, tool frame, [`MAX_SAMPLES`] at most; of a
    /// ball none are needed, its deepest points are looked for.
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
                // NaN is no touch.
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

/// Where implicit bodies stop the tool at `pose`: adds the rows nearer than `band_m` to `all`, as
/// far as it has room; surfaces count on from `first`. `samples`: points of the tool's mesh, tool
/// frame; of a ball none are needed.
pub(crate) fn survey(
    (surfaces, first): (&[ImplicitSurface], usize),
    samples: &[Vec3],
    (tool, pose): (&ToolShape, &Pose),
    moment: &Moment,
    band_m: f64,
    all: &mut Vec<SoftRow>,
) {
    for (surface, number) in surfaces.iter().zip(first..) {
        let Ok(number) = u8::try_from(number) else {
            return;
        };
        surface.touches((tool, pose), samples, moment.age_s, band_m, |touch| {
            if all.len() < all.capacity() {
                let Touch { tool_point, foot } = touch;
                let place = (tool_point, foot.point, foot.normal);
                let step = foot.velocity * moment.period_s;
                all.push(SoftRow::new(number, place, foot.distance_m, &step));
            }
        });
    }
}

#[cfg(test)]
mod tests;
