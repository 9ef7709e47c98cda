//! How fine a skin can be for what it may cost: the edge of the cubes, from frame to frame.
//!
//! # Theory
//!
//! A sphere of radius `r` cubes has `12 π r² - 7.1` triangles (digest of Triquet 2001, section 7.3:
//! six cut edges for every `π r²`, less what Euler's formula takes). Their sum over the primitives
//! is an estimate from above, since what overlaps is not on the surface; what share of it is left
//! the last frame has shown, and a body that deforms has nearly the same share in the next one, at
//! any size of cubes. So the first frame is too coarse rather than too slow, and the next ones are
//! right.
//!
//! Sizes are the rungs of a *ladder*, each `√2` times the one before: twice the triangles or half.
//! Quality changes in visible steps, so it is to change rarely: down as far as it takes at once, up
//! by one rung and only where that leaves room.
//!
//! The source has one size for everything, chosen by hand, and asks for better in its outlook
//! (section 5.5).
//!
//! # Practice
//!
//! No clock: seconds are what the caller has measured. Deterministic for the same calls. Does not
//! allocate.

use crate::domain::{Domain, DomainError};
use crate::primitive::{Primitive, Skeleton};
use crate::skin::visible_radius_m;

/// Rungs of the ladder: the coarsest has cubes 256 times as large as wanted.
pub const MAX_RUNGS: u32 = 17;

/// Part of the budget that a finer rung may take at most, if it is to be gone to: what stays on a
/// rung that fits cannot swing between two.
const ROOM: f64 = 0.8;

/// Weight of the last frame in what is remembered.
const NEWEST: f64 = 0.25;

/// Triangles of a frame whose time is that of its primitives and not theirs.
const MIN_TRIANGLES: f64 = 100.0;

/// What is remembered, and the newest; 0 is nothing yet.
fn blended(old: f64, newest: f64) -> f64 {
    if old == 0.0 {
        newest
    } else {
        old + NEWEST * (newest - old)
    }
}

/// What a skin may cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Edge of the cubes that is wanted, m: it is never finer.
    pub cell_m: f64,
    /// Most triangles, about.
    pub triangles: f64,
    /// Longest that a frame may take to make, s, about. Infinite: no matter.
    pub seconds: f64,
}

/// Of a budget that is none. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{0:?}: all have to be above 0, and the edge finite")]
pub struct NoBudget(pub Budget);

/// What a frame is to be made with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Where.
    pub domain: Domain,
    /// 0 is what is wanted; each further one has cubes `√2` times as large.
    pub rung: u32,
    /// Triangles that are expected.
    pub triangles: f64,
    /// Even the coarsest rung is expected to cost more than the budget.
    pub over: bool,
}

impl Choice {
    /// Whether there is none coarser.
    #[must_use]
    pub fn is_coarsest(&self) -> bool {
        self.rung + 1 >= MAX_RUNGS
    }

    /// Whether it is coarser than wanted.
    #[must_use]
    pub fn is_below(&self) -> bool {
        self.rung > 0
    }
}

/// Chooses the edge of the cubes; remembers what the last frames cost. See the module page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    budget: Budget,
    rung: u32,
    /// Triangles of the plain estimate that the last choice's rung would have.
    estimate: f64,
    /// Triangles made over those estimated; 0 as long as nothing was measured.
    share: f64,
    /// Of a triangle, s; 0 as long as nothing was measured.
    cost: f64,
    domain: Option<Domain>,
}

impl Quality {
    /// Begins at what is wanted.
    ///
    /// # Errors
    /// [`NoBudget`]: one of its numbers is 0, less or NaN, or the edge is infinite.
    pub fn new(budget: Budget) -> Result<Quality, NoBudget> {
        let above = budget.cell_m > 0.0 && budget.triangles > 0.0 && budget.seconds > 0.0;
        if !(above && budget.cell_m.is_finite()) {
            return Err(NoBudget(budget));
        }
        Ok(Quality {
            budget,
            rung: 0,
            estimate: 0.0,
            share: 0.0,
            cost: 0.0,
            domain: None,
        })
    }

    /// Edge of the cubes of a rung, m: the same bits whenever it is asked for.
    #[must_use]
    pub fn cell_m(&self, rung: u32) -> f64 {
        let whole = f64::from(1_u32 << (rung / 2).min(31)) * self.budget.cell_m;
        if rung.is_multiple_of(2) {
            whole
        } else {
            whole * std::f64::consts::SQRT_2
        }
    }

    /// What to make the next frame of these with. The domain holds all of them
    /// ([`Domain::around`]); it is the last one as long as that holds them and is not much too
    /// large, so that a mesh keeps its nodes.
    ///
    /// # Errors
    /// [`DomainError`]: no domain of the coarsest cubes holds them.
    pub fn choose(&mut self, level: f64, primitives: &[Primitive]) -> Result<Choice, DomainError> {
        let plain = |rung| estimate(level, primitives, self.cell_m(rung));
        let last = MAX_RUNGS - 1;
        let mut rung = self.rung;
        while rung < last && self.load(plain(rung)) > 1.0 {
            rung += 1;
        }
        if rung == self.rung && rung > 0 && self.load(plain(rung - 1)) <= ROOM {
            rung -= 1;
        }
        // What does not fit into a box of these cubes fits into one of larger ones, if any.
        let domain =
            loop {
                match self.domain_for(level, primitives, self.cell_m(rung)) {
                    Err(
                        DomainError::Cells(_) | DomainError::Large(_) | DomainError::Place { .. },
                    ) if rung < last => rung += 1,
                    found => break found?,
                }
            };
        let estimate = plain(rung);
        (self.rung, self.domain, self.estimate) = (rung, Some(domain), estimate);
        Ok(Choice {
            domain,
            rung,
            triangles: self.expected(self.estimate),
            over: self.load(self.estimate) > 1.0,
        })
    }

    /// What the frame of the last choice had and took, s. Without a call the next choice knows no
    /// more than the last. Seconds below 0, or that are none, are not counted, nor are those of a
    /// frame of a handful of triangles.
    pub fn made(&mut self, triangles: usize, seconds: f64) {
        let triangles = triangles as f64;
        if self.estimate > 0.0 {
            // Never 0: what has no triangles now may have some later.
            let share = (triangles / self.estimate).clamp(1e-3, 1e3);
            // Too little is put right at once, too much bit by bit.
            self.share = share.max(blended(self.share, share));
        }
        if seconds.is_finite() && seconds >= 0.0 && triangles >= MIN_TRIANGLES {
            self.cost = blended(self.cost, seconds / triangles);
        }
    }

    /// Triangles to expect where there are so many by the plain estimate.
    fn expected(&self, estimate: f64) -> f64 {
        if self.share == 0.0 {
            estimate
        } else {
            self.share * estimate
        }
    }

    /// Part of the budget that a frame of so many triangles by the plain estimate takes.
    fn load(&self, estimate: f64) -> f64 {
        let triangles = self.expected(estimate);
        let time = self.cost * triangles / self.budget.seconds;
        (triangles / self.budget.triangles).max(time)
    }

    fn domain_for(
        &self,
        level: f64,
        primitives: &[Primitive],
        cell_m: f64,
    ) -> Result<Domain, DomainError> {
        let new = Domain::around(primitives, level, cell_m)?;
        let kept = self.domain.filter(|old| {
            let volume = |d: &Domain| (d.high() - d.low()).product();
            let holds =
                (0..3).all(|k| old.low()[k] <= new.low()[k] && old.high()[k] >= new.high()[k]);
            old.cell_m() == cell_m && holds && volume(old) <= 4.0 * volume(&new)
        });
        Ok(kept.unwrap_or(new))
    }
}

/// Triangles that primitives would have apart from each other, with cubes of this edge, m. From
/// above where they overlap.
#[must_use]
pub fn estimate(level: f64, primitives: &[Primitive], cell_m: f64) -> f64 {
    // Of a sphere's, 3 for every h² of its area.
    let of = |p: &Primitive| (3.0 * area(p, level) / (cell_m * cell_m) - 7.1).max(0.0);
    primitives.iter().map(of).sum()
}

/// Of the surface of a lone primitive, m², about.
fn area(primitive: &Primitive, level: f64) -> f64 {
    use std::f64::consts::PI;
    let r = visible_radius_m(primitive, level);
    if r == 0.0 {
        return 0.0;
    }
    let ball = 4.0 * PI * r * r;
    match &primitive.skeleton {
        Skeleton::Point(_) => ball,
        // Of its cube at most.
        Skeleton::Rounded(..) => 24.0 * r * r,
        Skeleton::Segment([a, b]) => ball + 2.0 * PI * r * (b - a).norm(),
        // What bulges at its ends is what it is thinner by before them.
        Skeleton::Convolved([a, b]) => 2.0 * PI * r * (b - a).norm(),
        Skeleton::Triangle([a, b, c]) => {
            let around = (b - a).norm() + (c - b).norm() + (a - c).norm();
            ball + PI * r * around + (b - a).cross(&(c - a)).norm()
        }
        Skeleton::Ellipsoid(_, axes) => {
            let [a, b, c]: [f64; 3] = axes.tr_mul(axes).diagonal().map(f64::sqrt).into();
            // Thomsen's formula: to 1.1 %.
            let part = |x: f64, y: f64| (x * y).powf(1.6075);
            ball * ((part(a, b) + part(b, c) + part(c, a)) / 3.0).powf(1.0 / 1.6075)
        }
        Skeleton::Cylinder([a, b], thick) => {
            let r = r + thick;
            2.0 * PI * r * ((b - a).norm() + 2.0 * r)
        }
    }
}
