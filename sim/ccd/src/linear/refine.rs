//! What 53 bits cannot decide: the contact conditions (see `polynomials`) with 106 bits.
//!
//! The coefficients are computed in double-double arithmetic, then tested as `f64` with *their own*
//! rounding, which is small where they are small. An undecided part is cut out in double-double
//! arithmetic and tested again: time itself has more than 53 bits here.
//!
//! **Rounding.** Differences of coordinates are exact; positions, products and sums have an error
//! of less than `100 u^2` times the product of the lengths. A part is cut out of its parent by two
//! divisions of a cubic. That takes `2 . 3` interpolations `x + s (y - x)`, each of which adds less
//! than `8 u^2 (2 + 2 + 1) = 40 u^2` of the largest coefficient. With at most `MAX_DEPTH = 20`
//! nested cuts, that is less than `2^13 u^2 = 2^-93`. Used: `2^-92`.

use super::TINY;
use super::double_double::DoubleDouble;
use super::frame::Frame;
use super::polynomials::{
    Bounds, Normal, Polynomials, SLACK, Scan, Vectors, best_axis, coplanarity, cross, normal, scan,
    stuck,
};

/// Relative rounding error, 2^-92; see the module.
const ROUNDING: f64 = 1.0 / ((1u64 << 46) as f64 * (1u64 << 46) as f64);

/// Maximum depth of nested parts.
const MAX_DEPTH: u32 = 20;

/// Parts this short are not tested further: as a fraction of the motion (2^-66), and of the
/// stretch.
const SHORTEST: f64 = DEEPEST / 64.0;
const DEEPEST: f64 = 1.0 / (1u64 << 60) as f64;

/// Result for a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Refined {
    /// No contact in the stretch.
    Free,
    /// Free until `from`; in contact by `to` if `proven`. In local time.
    Contact { from: f64, to: f64, proven: bool },
    /// Too many tests, or the projection degenerates to a line: no new information.
    Unknown,
}

/// Decides the stretch `[a, b]` of the motion with at most `looks` tests, from which it subtracts
/// those used. Locates a proven contact to within `time`, a fraction of the motion.
pub(super) fn refine(frame: &Frame, a: f64, b: f64, time: f64, looks: &mut u32) -> Refined {
    let bounds = Bounds {
        f: ROUNDING * 4.0 * frame.volume + TINY,
        plane: ROUNDING * 2.0 * frame.areas + TINY,
        coplanar: ROUNDING * 4.0 * frame.volume + TINY,
    };
    let flat = 1e-4 * frame.area;
    // The stretch usually begins with a contact; the rest of it is then not needed.
    let at_a = frame.exactly_at(a);
    let normal_at_a = cross(&at_a.e1, &at_a.e2);
    if stuck(&at_a, &normal_at_a, frame.edges, &bounds, flat) == Some(true) {
        return Refined::Contact {
            from: 0.0,
            to: 0.0,
            proven: false,
        };
    }
    let at_b = frame.exactly_at(b);
    let whole = Whole {
        edges: frame.edges,
        normal: normal(&at_a, normal_at_a, &at_b),
        bounds,
        flat,
        a: at_a,
        b: at_b,
    };
    let limits = Limits {
        proven: time / (b - a),
        any: (SHORTEST / (b - a)).max(DEEPEST),
    };
    let mut degenerate = true;
    let mut answer = Refined::Unknown;
    // If every projection is a line, as for parallel edges and needles, one projection is not
    // enough.
    let f = coplanarity(&whole.a, &whole.b, &whole.normal);
    let (axis, size) = best_axis(&whole.normal);
    if size > whole.bounds.plane {
        degenerate = false;
        let polynomials = Polynomials::new(f, &whole.a, &whole.b, &whole.normal, [axis]);
        answer = whole.decide(&polynomials, limits, looks, MAX_DEPTH, &mut degenerate);
    }
    // Where one projection is a line, all three together may tell more.
    if degenerate {
        let polynomials = Polynomials::new(f, &whole.a, &whole.b, &whole.normal, [0, 1, 2]);
        match whole.decide(&polynomials, limits, looks, MAX_DEPTH, &mut degenerate) {
            Refined::Unknown => {}
            better => answer = better,
        }
    }
    answer
}

/// Widths below which stretches are not tested further, in the time of the whole.
#[derive(Clone, Copy)]
struct Limits {
    /// With a certain contact.
    proven: f64,
    /// Without one.
    any: f64,
}

/// A stretch as given.
struct Whole {
    edges: bool,
    a: Vectors<DoubleDouble>,
    b: Vectors<DoubleDouble>,
    normal: Normal<DoubleDouble>,
    bounds: Bounds,
    /// Value that `R` must exceed for a single projection to suffice.
    flat: f64,
}

impl Whole {
    /// As [`refine`], for a part, in its local time. Sets `degenerate` if these projections cannot
    /// give the answer.
    fn decide<const N: usize>(
        &self,
        here: &Polynomials<DoubleDouble, N>,
        limits: Limits,
        looks: &mut u32,
        depth: u32,
        degenerate: &mut bool,
    ) -> Refined {
        let classify = here.classify(self.edges, &self.bounds);
        if classify.free {
            return Refined::Free;
        }
        // A contact at the end that no closer test can rule out is as good as proven there.
        let short = limits.proven >= 1.0 && (classify.contact || classify.stuck_at_end);
        if classify.stuck || short || limits.any >= 1.0 {
            let proven = classify.contact && !classify.stuck;
            *degenerate = !proven && here.flat(self.flat);
            let to = if classify.stuck { 0.0 } else { 1.0 };
            return Refined::Contact {
                from: 0.0,
                to,
                proven,
            };
        }
        *degenerate = false;
        // Double-double arithmetic costs as much as this many tests.
        *looks = looks.saturating_sub(4);
        let mut from = 0.0;
        let mut longest = NARROW;
        while *looks > 0 && depth > 0 {
            *looks -= 1;
            let left = 1.0 - from;
            let (plain, bounds) = here.part(from, 1.0).plain(&self.bounds);
            let (p, q) = match scan(&plain, self.edges, &bounds, limits.proven / left, looks) {
                Scan::Free => return Refined::Free,
                Scan::Contact { from: p, to: q } => {
                    return Refined::Contact {
                        from: from + p * left,
                        to: from + q * left,
                        proven: true,
                    };
                }
                Scan::Open { from: p, to: q } => (
                    (from + p * left - SLACK).max(from),
                    (from + q * left + SLACK).min(1.0),
                ),
            };
            // `f64` has narrowed to a point; it may tell more some distance behind it.
            let q = q.min(p + longest).max(p + 8.0 * SLACK).min(1.0);
            longest = (longest * LONGER).min(0.5);
            let width = q - p;
            let inner = Limits {
                proven: limits.proven / width,
                any: limits.any / width,
            };
            match self.decide(&here.part(p, q), inner, looks, depth - 1, degenerate) {
                Refined::Free if q >= 1.0 => return Refined::Free,
                Refined::Free => from = q - 2.0 * SLACK,
                Refined::Unknown => return Refined::Unknown,
                Refined::Contact {
                    from: first,
                    to,
                    proven,
                } => {
                    return Refined::Contact {
                        from: p + first * width,
                        to: p + to * width,
                        proven,
                    };
                }
            }
        }
        Refined::Unknown
    }
}

/// Length of the first part that is cut out, and the growth factor of the next: `f64` is blind this
/// far around a double root.
const NARROW: f64 = 1e-7;
const LONGER: f64 = 1e3;
