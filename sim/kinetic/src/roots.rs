//! Failure times of certificates: the first time from *now* on after which a function is below
//! zero, or never.
//!
//! # Theory
//!
//! The caller guarantees that a certificate is true *just after* now. At now itself it may be zero,
//! or a rounding error below zero, because it has just been repaired; that is not a failure if it
//! rises. Touching zero without crossing it is not a failure either. Everything is written about
//! now, never about the time at which a motion began. Otherwise the difference of two large numbers
//! could say that a pair that has just changed places meets again.
//!
//! - [`linear`], [`quadratic`]: closed forms, the latter without cancellation.
//! - [`polynomial`]: by the roots of the derivative, recursively. Between two of them a function is
//!   monotone, and has one root or none.
//! - [`smooth`]: for functions with rotation. With `M` at least `|f''|`, the parabola `f + f' s - M
//!   s^2/2` is below `f`, so the certificate holds up to the parabola's root. These steps approach
//!   a simple root quadratically from the left and never jump over one.
//!
//! # Practice
//!
//! Nothing allocates or panics. A function with a number that is not finite never fails, because
//! motions are checked where they enter. Where coefficients differ by more than 1e300 in magnitude,
//! only the largest count.

use crate::polynomial::{MAX_DEGREE, Polynomial, Predicate};

/// Latest time of a root of a polynomial, s: with coefficients of 1, the sixth power of anything
/// larger overflows.
const LATEST: f64 = 1e50;

/// Most halvings of an interval: 52 for the digits of a number and as many for its power. With
/// Newton's steps about eight are enough.
const MAX_HALVINGS: u32 = 200;

/// Share of the sum of absolute terms below which an extremum is zero: Horner's rule rounds twice a
/// degree.
const TOUCHING: f64 = 8.0 * f64::EPSILON;

/// Smallest step of [`smooth`], s: anything nearer counts as now.
const MIN_STEP: f64 = 1e-12;

/// Most steps of [`smooth`]. If it would take more, the answer is early, which is safe.
const MAX_STEPS: u32 = 100_000;

/// Returns the seconds from now until `value + slope s` falls below zero.
#[must_use]
pub fn linear(value: f64, slope: f64) -> f64 {
    if slope >= 0.0 || slope.is_nan() {
        f64::INFINITY
    } else {
        value.max(0.0) / -slope
    }
}

/// Returns the seconds from now until `a s^2 + b s + c` falls below zero.
#[must_use]
pub fn quadratic(a: f64, b: f64, c: f64) -> f64 {
    let c = c.max(0.0);
    if c == 0.0 {
        if b < 0.0 || (b == 0.0 && a < 0.0) {
            return 0.0;
        }
        return if b == 0.0 || a >= 0.0 {
            f64::INFINITY
        } else {
            -b / a
        };
    }
    if a == 0.0 {
        return if b < 0.0 { -c / b } else { f64::INFINITY };
    }
    let discriminant = b * b - 4.0 * a * c;
    if !(discriminant > 0.0) {
        return f64::INFINITY;
    }
    let root = discriminant.sqrt();
    let q = if b < 0.0 { root - b } else { -(b + root) } / 2.0;
    match (a > 0.0, b < 0.0) {
        (true, true) | (false, true) => c / q,
        (true, false) => f64::INFINITY,
        (false, false) => q / a,
    }
}

/// Returns the seconds from now, less than `window`, until the polynomial falls below zero.
#[must_use]
pub fn polynomial(f: &Polynomial, window: f64) -> f64 {
    let largest = f.c.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
    if !(largest > 0.0 && largest.is_finite() && f.is_finite()) {
        return f64::INFINITY;
    }
    // A power of two changes no digit.
    let unit = power_of_two_below(largest);
    let mut f = Polynomial {
        c: f.c.map(|c| c / unit),
    };
    f.c[0] = f.c[0].max(0.0);
    let delay = match f.degree() {
        0 => f64::INFINITY,
        1 => linear(f.c[0], f.c[1]),
        2 => quadratic(f.c[2], f.c[1], f.c[0]),
        degree => isolated(&f, degree, window.min(last_root(&f, degree)).min(LATEST)),
    };
    if delay < window { delay } else { f64::INFINITY }
}

fn power_of_two_below(x: f64) -> f64 {
    let power = f64::from_bits(x.to_bits() & (0x7ff << 52));
    if power == 0.0 {
        f64::MIN_POSITIVE
    } else {
        power
    }
}

/// Returns a bound beyond which there is no root (Fujiwara's bound).
fn last_root(f: &Polynomial, degree: usize) -> f64 {
    let mut most = 0.0_f64;
    let mut inverse = 1.0;
    for k in (0..degree).rev() {
        most = most.max((f.c[k] / f.c[degree]).abs().powf(1.0 / inverse));
        inverse += 1.0;
    }
    2.0 * most
}

fn isolated(f: &Polynomial, degree: usize, window: f64) -> f64 {
    if !(window > 0.0) {
        return if window == 0.0 && sign_at_zero(f) < 0.0 {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let mut chain = [*f; MAX_DEGREE + 1];
    for k in 1..degree {
        chain[k] = chain[k - 1].derivative();
    }
    // The lowest derivative first: the roots of each divide the window into pieces on which the
    // next one up is monotone.
    let mut cuts = [0.0; MAX_DEGREE + 2];
    let mut count = 0;
    for p in chain[1..degree].iter().rev() {
        let before = cuts;
        let pieces = count + 1;
        count = 0;
        for piece in 0..pieces {
            let from = if piece == 0 { 0.0 } else { before[piece - 1] };
            let to = if piece == pieces - 1 {
                window
            } else {
                before[piece]
            };
            let (left, right) = (p.at(from), p.at(to));
            if (left < 0.0 && right > 0.0) || (left > 0.0 && right < 0.0) {
                cuts[count] = crossing(p, from, to, left);
                count += 1;
            }
        }
    }
    let mut from = 0.0;
    let mut left = f.c[0];
    for piece in 0..=count {
        let to = if piece == count { window } else { cuts[piece] };
        let mut right = f.at(to);
        // The lowest value of a function that touches zero may be a rounding error above or below
        // it.
        if piece < count && right.abs() <= TOUCHING * size(f, to) {
            right = 0.0;
        }
        if left >= 0.0 && right < 0.0 {
            return if left == 0.0 {
                from
            } else {
                crossing(f, from, to, left)
            };
        }
        from = to;
        left = right;
    }
    f64::INFINITY
}

/// Returns the sum of the absolute terms at `s`.
fn size(f: &Polynomial, s: f64) -> f64 {
    f.c.iter().rev().fold(0.0, |sum, c| sum * s + c.abs())
}

fn sign_at_zero(f: &Polynomial) -> f64 {
    f.c.iter().find(|&&c| c != 0.0).map_or(0.0, |c| c.signum())
}

/// Returns where a function that is monotone from `low` to `high` changes its sign, to the last
/// digit. Uses Newton's steps where they stay inside, else halving.
fn crossing(f: &Polynomial, mut low: f64, mut high: f64, left: f64) -> f64 {
    let slope = f.derivative();
    let mut s = 0.5 * (low + high);
    for k in 0..MAX_HALVINGS {
        let value = f.at(s);
        if value == 0.0 {
            return s;
        }
        if (value > 0.0) == (left > 0.0) {
            low = s;
        } else {
            high = s;
        }
        let newton = s - value / slope.at(s);
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return high;
        }
        // Every third step halves: Newton's steps may creep along a flat piece.
        s = if k % 3 != 2 && newton > low && newton < high {
            newton
        } else {
            middle
        };
        if high - low <= f64::EPSILON * high {
            return high;
        }
    }
    high
}

/// Returns the first time in `[now, horizon)` after which a certificate is false, or infinity. A
/// certificate that is identically zero never fails.
#[must_use]
pub fn first_failure(certificate: &Predicate, now: f64, horizon: f64) -> f64 {
    now + polynomial(&certificate.cleaned(), horizon - now)
}

/// A function with a bound of its second derivative.
pub trait Smooth {
    /// Returns value and first derivative at `t`.
    fn at(&self, t: f64) -> (f64, f64);
    /// Returns an upper bound of `|f''|` in `[t, t + window]`.
    fn second_derivative_bound(&self, t: f64, window: f64) -> f64;
}

/// Result of a search by [`smooth`], and its cost.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothFailure {
    /// A time no later than the first after which the function is below zero; infinite if there is
    /// none before the horizon.
    pub time: f64,
    /// Number of evaluations.
    pub evaluations: u32,
    /// The function was false at the start, beyond rounding; `time` is that start. It should not
    /// happen, so callers count it.
    pub was_false: bool,
}

/// Returns the first time in `[now, horizon)` after which `f` is below zero. `window` is the
/// longest interval for which one bound of the second derivative is requested, s.
#[must_use]
pub fn smooth(f: &impl Smooth, now: f64, horizon: f64, window: f64) -> SmoothFailure {
    let mut t = now;
    let answer = |time, evaluations, was_false| SmoothFailure {
        time,
        evaluations,
        was_false,
    };
    for evaluations in 1..=MAX_STEPS {
        let (value, slope) = f.at(t);
        let stretch = window.min(horizon - t);
        let bound = f.second_derivative_bound(t, stretch);
        if value <= 0.0 && slope <= 0.0 {
            return answer(t, evaluations, false);
        }
        let discriminant = slope * slope + 2.0 * bound * value;
        if !(discriminant >= 0.0) {
            return answer(t, evaluations, true);
        }
        // Two forms of one root. With the second alone, a bound of zero (all three points
        // translate) would always say "now".
        let step = if slope < 0.0 {
            2.0 * value / (discriminant.sqrt() - slope)
        } else {
            (slope + discriminant.sqrt()) / bound
        };
        if step < MIN_STEP {
            return answer(t, evaluations, false);
        }
        // `min` selects the stretch if the step is NaN: 0/0, a constant above zero.
        t += step.min(stretch);
        if t >= horizon {
            return answer(f64::INFINITY, evaluations, false);
        }
    }
    answer(t, MAX_STEPS, false)
}
