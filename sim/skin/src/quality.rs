//! Quality control: chooses the edge of the cubes from frame to frame within a cost budget.
//!
//! # Theory
//!
//! A sphere of radius `r` cubes has `12 π r² - 7.1` triangles (digest of Triquet 2001, section 7.3:
//! six cut edges for every `π r²`, less the constant of Euler's formula). The sum over the
//! primitives is an upper estimate, since overlapping parts are not on the surface. The last frame
//! shows the share that is left. A body that deforms has nearly the same share in the next frame,
//! at any cube size. So the first frame is too coarse rather than too slow, and the next ones fit.
//!
//! Sizes are the rungs of a *ladder*; each is `√2` times the one before, so it halves the
//! triangles. Quality changes in visible steps, so changes must be rare: coarser as far as needed
//! at once, finer by one rung and only with a reserve.
//!
//! The source has one size for everything, chosen by hand, and names better as future work (section
//! 5.5).
//!
//! # Practice
//!
//! No clock: the caller measures the seconds. Deterministic for the same calls. Does not allocate.

use crate::domain::{Domain, DomainError};
use crate::primitive::{Primitive, Skeleton};
use crate::skin::visible_radius_m;

/// Number of rungs: the coarsest has cubes 256 times as large as wanted.
pub const MAX_RUNGS: u32 = 17;

/// Maximum load that a finer rung may have before it is chosen. This hysteresis keeps a rung that
/// fits from swinging between two.
const MAX_FINER_LOAD: f64 = 0.8;

/// Weight of the newest frame in the running averages.
const NEWEST: f64 = 0.25;

/// Fewest triangles at which the time of a frame counts. Below, the primitives dominate the time.
const MIN_TRIANGLES: f64 = 100.0;

/// Blends the newest value into a running average; 0 means no value yet.
fn blended(old: f64, newest: f64) -> f64 {
    if old == 0.0 {
        newest
    } else {
        old + NEWEST * (newest - old)
    }
}

/// Budget of a skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Budget {
    /// Edge of the cubes that is wanted, m. Cubes are never smaller.
    pub cell_m: f64,
    /// Approximate limit of triangles.
    pub triangles: f64,
    /// Approximate limit of the time that a frame takes, s. Infinite means no limit.
    pub seconds: f64,
}

/// An invalid budget. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{0:?}: all must be above 0, and the edge finite")]
pub struct InvalidBudget(pub Budget);

/// Settings of the next frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Domain to polygonize in.
    pub domain: Domain,
    /// Rung: 0 is the wanted size; each further rung has cubes `√2` times as large.
    pub rung: u32,
    /// Number of triangles expected.
    pub triangles: f64,
    /// True if even the coarsest rung is expected to exceed the budget.
    pub over: bool,
}

impl Choice {
    /// True if no coarser rung exists.
    #[must_use]
    pub fn is_coarsest(&self) -> bool {
        self.rung + 1 >= MAX_RUNGS
    }

    /// True if coarser than wanted.
    #[must_use]
    pub fn is_below(&self) -> bool {
        self.rung > 0
    }
}

/// Chooses the edge of the cubes from the cost of the last frames. See the module page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    budget: Budget,
    rung: u32,
    /// Plain estimate of the triangles at the last choice's rung.
    estimate: f64,
    /// Triangles made over triangles estimated; 0 until measured.
    share: f64,
    /// Time per triangle, s; 0 until measured.
    cost: f64,
    domain: Option<Domain>,
}

impl Quality {
    /// Starts at the wanted size.
    ///
    /// # Errors
    /// [`InvalidBudget`]: a number is 0, negative or NaN, or the edge is infinite.
    pub fn new(budget: Budget) -> Result<Quality, InvalidBudget> {
        let above = budget.cell_m > 0.0 && budget.triangles > 0.0 && budget.seconds > 0.0;
        if !(above && budget.cell_m.is_finite()) {
            return Err(InvalidBudget(budget));
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

    /// Edge of the cubes of a rung, m. Every call returns the same bits.
    #[must_use]
    pub fn cell_m(&self, rung: u32) -> f64 {
        let whole = f64::from(1_u32 << (rung / 2).min(31)) * self.budget.cell_m;
        if rung.is_multiple_of(2) {
            whole
        } else {
            whole * std::f64::consts::SQRT_2
        }
    }

    /// Chooses the settings of the next frame. The domain holds all primitives
    /// ([`Domain::around`]). The last domain is kept while it holds them and is at most four times
    /// too large, so that a mesh keeps its nodes.
    ///
    /// # Errors
    /// [`DomainError`]: no domain of the coarsest cubes holds the primitives.
    pub fn choose(&mut self, level: f64, primitives: &[Primitive]) -> Result<Choice, DomainError> {
        let plain = |rung| estimate(level, primitives, self.cell_m(rung));
        let last = MAX_RUNGS - 1;
        let mut rung = self.rung;
        while rung < last && self.load(plain(rung)) > 1.0 {
            rung += 1;
        }
        if rung == self.rung && rung > 0 && self.load(plain(rung - 1)) <= MAX_FINER_LOAD {
            rung -= 1;
        }
        // Primitives that exceed a domain of these cubes may fit one of larger cubes.
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

    /// Reports the triangles and the time, s, of the frame of the last choice. Without a call the
    /// next choice uses the earlier measurements. Negative or non-finite seconds do not count, nor
    /// does the time of a frame of fewer than 100 triangles.
    pub fn made(&mut self, triangles: usize, seconds: f64) {
        let triangles = triangles as f64;
        if self.estimate > 0.0 {
            // Never 0: a body without triangles now may have some later.
            let share = (triangles / self.estimate).clamp(1e-3, 1e3);
            // Underestimates are corrected at once, overestimates gradually.
            self.share = share.max(blended(self.share, share));
        }
        if seconds.is_finite() && seconds >= 0.0 && triangles >= MIN_TRIANGLES {
            self.cost = blended(self.cost, seconds / triangles);
        }
    }

    /// Triangles to expect for this plain estimate.
    fn expected(&self, estimate: f64) -> f64 {
        if self.share == 0.0 {
            estimate
        } else {
            self.share * estimate
        }
    }

    /// Part of the budget that a frame with this plain estimate takes.
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

/// Number of triangles of the primitives when apart from each other, for cubes of this edge, m. An
/// upper estimate where they overlap.
#[must_use]
pub fn estimate(level: f64, primitives: &[Primitive], cell_m: f64) -> f64 {
    // As for a sphere: 3 triangles for every h² of area.
    let of = |p: &Primitive| (3.0 * area(p, level) / (cell_m * cell_m) - 7.1).max(0.0);
    primitives.iter().map(of).sum()
}

/// Approximate surface area of a lone primitive, m².
fn area(primitive: &Primitive, level: f64) -> f64 {
    use std::f64::consts::PI;
    let r = visible_radius_m(primitive, level);
    if r == 0.0 {
        return 0.0;
    }
    let ball = 4.0 * PI * r * r;
    match &primitive.skeleton {
        Skeleton::Point(_) => ball,
        // At most that of its bounding cube.
        Skeleton::Rounded(..) => 24.0 * r * r,
        Skeleton::Segment([a, b]) => ball + 2.0 * PI * r * (b - a).norm(),
        // The bulge at the ends makes up for the thinner part before them.
        Skeleton::Convolved([a, b]) => 2.0 * PI * r * (b - a).norm(),
        Skeleton::Triangle([a, b, c]) => {
            let around = (b - a).norm() + (c - b).norm() + (a - c).norm();
            ball + PI * r * around + (b - a).cross(&(c - a)).norm()
        }
        Skeleton::Ellipsoid(_, axes) => {
            let [a, b, c]: [f64; 3] = axes.tr_mul(axes).diagonal().map(f64::sqrt).into();
            // Thomsen's formula, accurate to 1.1 %.
            let part = |x: f64, y: f64| (x * y).powf(1.6075);
            ball * ((part(a, b) + part(b, c) + part(c, a)) / 3.0).powf(1.0 / 1.6075)
        }
        Skeleton::Cylinder([a, b], thick) => {
            let r = r + thick;
            2.0 * PI * r * ((b - a).norm() + 2.0 * r)
        }
    }
}
