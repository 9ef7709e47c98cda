//! What 53 bits cannot decide: the contact conditions (see `polynomials`) with 106 bits.
//!
//! The coefficients are computed with twice the digits, and then looked at as plain numbers with
//! *their own* rounding, which is small where they are. What that leaves open is cut out with twice
//! the digits and looked at again: time itself has more than 53 bits here.
//!
//! **Rounding.** Coordinates' differences are exact; positions, products and sums have an error of
//! less than `100 u^2` times the product of the lengths. A part is cut out of the one above it by
//! two divisions of a cubic, `2 . 3` means `x + s (y - x)` that add less than `8 u^2 (2 + 2 + 1) =
//! 40 u^2` of the largest coefficient each: with at most `MAX_DEPTH = 20` cuts one inside the other
//! less than `2^13 u^2 = 2^-93`. Used: `2^-92`.

use super::TINY;
use super::double_double::Twice;
use super::frame::Frame;
use super::polynomials::{
    Bounds, Normal, Polynomials, SLACK, Scan, Vectors, best_axis, coplanarity, cross, normal, scan,
    stuck,
};

/// See the module.
const ROUNDING: f64 = 1.0 / ((1u64 << 46) as f64 * (1u64 << 46) as f64);

/// Most parts one inside the other.
const MAX_DEPTH: u32 = 20;

/// Parts this short, fractions of the motion (2^-66) and of the stretch, are not looked at more
/// closely.
const SHORTEST: f64 = DEEPEST / 64.0;
const DEEPEST: f64 = 1.0 / (1u64 << 60) as f64;

/// What is known of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Refined {
    /// No contact in it.
    Free,
    /// Free until the first of these times; contact by the second if `proven`. In the stretch's own
    /// time.
    Contact { from: f64, to: f64, proven: bool },
    /// Too many looks, or the projection is a line: nothing new.
    Unknown,
}

/// Decides the stretch `[a, b]` of the motion with at most `looks` looks, of which it takes those
/// it needs; the time of a proven contact to within `time`, a fraction of the motion.
pub(super) fn refine(frame: &Frame, a: f64, b: f64, time: f64, looks: &mut u32) -> Refined {
    let bounds = Bounds {
        f: ROUNDING * 4.0 * frame.volume + TINY,
        plane: ROUNDING * 2.0 * frame.areas + TINY,
        coplanar: ROUNDING * 4.0 * frame.volume + TINY,
    };
    let flat = 1e-4 * frame.area;
    // Most often the stretch begins with a contact: no need to know the rest of it.
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
    // If every projection is a line, as that of parallel edges and needles is, one does not do.
    let f = coplanarity(&whole.a, &whole.b, &whole.normal);
    let (axis, size) = best_axis(&whole.normal);
    if size > whole.bounds.plane {
        degenerate = false;
        let polynomials = Polynomials::new(f, &whole.a, &whole.b, &whole.normal, [axis]);
        answer = whole.decide(&polynomials, limits, looks, MAX_DEPTH, &mut degenerate);
    }
    // Where one projection is a line, all three together may say more.
    if degenerate {
        let polynomials = Polynomials::new(f, &whole.a, &whole.b, &whole.normal, [0, 1, 2]);
        match whole.decide(&polynomials, limits, looks, MAX_DEPTH, &mut degenerate) {
            Refined::Unknown => {}
            better => answer = better,
        }
    }
    answer
}

/// Widths of stretches that are not looked at more closely, in the time of the whole.
#[derive(Clone, Copy)]
struct Limits {
    /// With a contact for certain.
    proven: f64,
    /// Without.
    any: f64,
}

/// A stretch as it came.
struct Whole {
    edges: bool,
    a: Vectors<Twice>,
    b: Vectors<Twice>,
    normal: Normal<Twice>,
    bounds: Bounds,
    /// What `R` must exceed for one projection to tell all.
    flat: f64,
}

impl Whole {
    /// See [`refine`]; of a part, in its own time. Sets `degenerate` if the answer is not to be had
    /// from these projections.
    fn decide<const N: usize>(
        &self,
        here: &Polynomials<Twice, N>,
        limits: Limits,
        looks: &mut u32,
        depth: u32,
        degenerate: &mut bool,
    ) -> Refined {
        let look = here.look(self.edges, &self.bounds);
        if look.free {
            return Refined::Free;
        }
        // A contact at the end, which no closer look can rule out, is as good as proven there.
        let short = limits.proven >= 1.0 && (look.contact || look.stuck_at_end);
        if look.stuck || short || limits.any >= 1.0 {
            let proven = look.contact && !look.stuck;
            *degenerate = !proven && here.flat(self.flat);
            let to = if look.stuck { 0.0 } else { 1.0 };
            return Refined::Contact {
                from: 0.0,
                to,
                proven,
            };
        }
        *degenerate = false;
        // Twice the digits cost as much as these.
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
            // Plain numbers have come to a point; some way behind it they may know more.
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

/// Of the parts that are cut out, the first, and how much longer the next is: plain numbers are
/// blind this far around a double root.
const NARROW: f64 = 1e-7;
const LONGER: f64 = 1e3;
