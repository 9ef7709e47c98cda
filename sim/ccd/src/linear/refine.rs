//! What 53 bits cannot decide: the contact conditions as polynomials in time, with 106 bits.
//!
//! Four coplanar points, projected along an axis that is not in their plane, are a problem in two dimensions. With `[x, y]` the cross
//! product there and the quadratics
//!
//! ```text
//! P = [e2, d]    Q = [e1, d]    R = [e1, e2]
//! ```
//!
//! the line of one edge of a feature has all of the other feature strictly on one side, and all of its own on the other, if the two numbers of a pair have
//! the same strict sign:
//!
//! ```text
//! edges         (P, P - R)  line of b      (Q, Q - R)  line of a
//! vertex/face   (P, P + R)  side f0 f2     (Q, Q - R)  side f0 f1     (P - Q, P - Q + R)  side f1 f2
//! ```
//!
//! Such a line separates the features whether or not they are coplanar, so a stretch of time is free if `F` has one sign on it or
//! both numbers of a pair do; and it holds a contact if `F` changes sign and no pair can have equal signs. Everything is in Bernstein form on the stretch, which is
//! halved by de Casteljau: time itself has more than 53 bits here.
//!
//! **Rounding.** Coordinates' differences are exact; positions, products and sums have an error of less than `100 u^2` times the product
//! of the lengths, and each halving adds less than `16 u^2`: with 60 of them less than `2^11 u^2 = 2^-95`. Used: `2^-94`.

use super::TINY;
use super::double_double::Twice;
use super::frame::{Exact, Frame};

/// See the module.
const ROUNDING: f64 = 1.0 / ((1u64 << 47) as f64 * (1u64 << 47) as f64);

/// Deepest halving of the stretch, and the width that leaves.
const MAX_DEPTH: usize = 60;
const SHORTEST: f64 = 1.0 / (1u64 << MAX_DEPTH) as f64;

/// What is known of a stretch of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Refined {
    /// No contact in it.
    Free,
    /// Free until the first of these times; contact by the second if `proven`. In the stretch's own time.
    Contact { from: f64, to: f64, proven: bool },
    /// Too many halvings, or the projection is a line: nothing new.
    Unknown,
}

/// Bernstein coefficients on the stretch in hand; `f` is three times `F`.
#[derive(Clone, Copy)]
struct Polynomials {
    f: [Twice; 4],
    p: [Twice; 3],
    q: [Twice; 3],
    r: [Twice; 3],
}

/// Bounds of the rounding errors.
struct Bounds {
    f: f64,
    /// Of a sum or difference of the quadratics.
    plane: f64,
}

/// Signs of a polynomial on a stretch.
#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Positive,
    Negative,
    Mixed,
}

/// Sign proven by Bernstein coefficients.
#[inline]
fn sign<const N: usize>(c: [f64; N], bound: f64) -> Sign {
    if c.iter().all(|&x| x > bound) {
        Sign::Positive
    } else if c.iter().all(|&x| x < -bound) {
        Sign::Negative
    } else {
        Sign::Mixed
    }
}

#[inline]
fn values<const N: usize>(c: &[Twice; N]) -> [f64; N] {
    c.map(Twice::value)
}

/// What one stretch's coefficients say.
enum Look {
    Free,
    /// Root of `F` inside both features, for certain.
    Contact,
    Open,
}

impl Polynomials {
    fn look(&self, edges: bool, bounds: &Bounds) -> Look {
        let f = values(&self.f);
        if sign(f, bounds.f) != Sign::Mixed {
            return Look::Free;
        }
        let (p, q, r) = (&self.p, &self.q, &self.r);
        let pair = |x: [Twice; 3], y: [Twice; 3]| {
            (sign(values(&x), bounds.plane), sign(values(&y), bounds.plane))
        };
        let each = |op: fn(Twice, Twice) -> Twice, x: &[Twice; 3], y: &[Twice; 3]| {
            std::array::from_fn(|i| op(x[i], y[i]))
        };
        let second = pair(*q, each(|x, y| x - y, q, r));
        let pairs = if edges {
            [pair(*p, each(|x, y| x - y, p, r)), second, second]
        } else {
            let third = each(|x, y| x - y, p, q);
            [
                pair(*p, each(|x, y| x + y, p, r)),
                second,
                pair(third, each(|x, y| x + y, &third, r)),
            ]
        };
        if pairs.iter().any(|(x, y)| x == y && *x != Sign::Mixed) {
            return Look::Free;
        }
        let opposite = |(x, y): (Sign, Sign)| x != y && x != Sign::Mixed && y != Sign::Mixed;
        let crosses = (f[0] > bounds.f && f[3] < -bounds.f) || (f[0] < -bounds.f && f[3] > bounds.f);
        if crosses && pairs.into_iter().all(opposite) {
            return Look::Contact;
        }
        Look::Open
    }

    /// The two halves.
    fn halved(&self) -> (Self, Self) {
        let (f0, f1) = halve_cubic(&self.f);
        let (p0, p1) = halve_quadratic(&self.p);
        let (q0, q1) = halve_quadratic(&self.q);
        let (r0, r1) = halve_quadratic(&self.r);
        let of = |f, p, q, r| Self { f, p, q, r };
        (of(f0, p0, q0, r0), of(f1, p1, q1, r1))
    }
}

#[inline]
fn mean(a: Twice, b: Twice) -> Twice {
    (a + b).half()
}

#[inline]
fn halve_quadratic(c: &[Twice; 3]) -> ([Twice; 3], [Twice; 3]) {
    let (a, b) = (mean(c[0], c[1]), mean(c[1], c[2]));
    let m = mean(a, b);
    ([c[0], a, m], [m, b, c[2]])
}

#[inline]
fn halve_cubic(c: &[Twice; 4]) -> ([Twice; 4], [Twice; 4]) {
    let (a, b, d) = (mean(c[0], c[1]), mean(c[1], c[2]), mean(c[2], c[3]));
    let (e, g) = (mean(a, b), mean(b, d));
    let m = mean(e, g);
    ([c[0], a, e, m], [m, g, d, c[3]])
}

#[inline]
fn cross(x: &[Twice; 3], y: &[Twice; 3]) -> [Twice; 3] {
    [
        x[1] * y[2] - x[2] * y[1],
        x[2] * y[0] - x[0] * y[2],
        x[0] * y[1] - x[1] * y[0],
    ]
}

#[inline]
fn dot(x: &[Twice; 3], y: &[Twice; 3]) -> Twice {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

#[inline]
fn plus(x: &[Twice; 3], y: &[Twice; 3]) -> [Twice; 3] {
    std::array::from_fn(|i| x[i] + y[i])
}

/// Polynomials on the stretch between two states, projected along the axis that is best there; `None` if every projection is a line,
/// as that of parallel edges and needles is.
fn polynomials(frame: &Frame, a: &Exact, b: &Exact) -> Option<(Polynomials, Bounds)> {
    let n0 = cross(&a.e1, &a.e2);
    let n1 = plus(&cross(&a.e1, &b.e2), &cross(&b.e1, &a.e2));
    let n2 = cross(&b.e1, &b.e2);
    // The normal halfway, four times.
    let middle: [f64; 3] = std::array::from_fn(|i| (n0[i] + n1[i] + n2[i]).value().abs());
    let mut axis = 0;
    for i in 1..3 {
        if middle[i] > middle[axis] {
            axis = i;
        }
    }
    let bounds = Bounds {
        f: ROUNDING * 4.0 * frame.volume + TINY,
        plane: ROUNDING * (2.0 * frame.area + 2.0 * frame.reach * frame.reach) + TINY,
    };
    if !(middle[axis] > bounds.plane) {
        return None;
    }
    // Thrice F: a third has no exact representation.
    let f = [
        dot(&a.d, &n0).times(3.0),
        dot(&b.d, &n0) + dot(&a.d, &n1),
        dot(&b.d, &n1) + dot(&a.d, &n2),
        dot(&b.d, &n2).times(3.0),
    ];
    let quadratic = |x: [&[Twice; 3]; 2], y: [&[Twice; 3]; 2]| -> [Twice; 3] {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let flat = |x: &[Twice; 3], y: &[Twice; 3]| x[i] * y[j] - x[j] * y[i];
        [
            flat(x[0], y[0]),
            (flat(x[0], y[1]) + flat(x[1], y[0])).half(),
            flat(x[1], y[1]),
        ]
    };
    let polynomials = Polynomials {
        f,
        p: quadratic([&a.e2, &b.e2], [&a.d, &b.d]),
        q: quadratic([&a.e1, &b.e1], [&a.d, &b.d]),
        r: [n0[axis], n1[axis].half(), n2[axis]],
    };
    Some((polynomials, bounds))
}

/// Decides the stretch `[a, b]` of the motion with at most `halvings` looks, of which it takes those it needs; the time of a proven contact to within `time`, a
/// fraction of the motion.
pub(super) fn refine(frame: &Frame, a: f64, b: f64, time: f64, halvings: &mut u32) -> Refined {
    let (start, end) = (frame.exactly_at(a), frame.exactly_at(b));
    let Some((polynomials, bounds)) = polynomials(frame, &start, &end) else {
        return Refined::Unknown;
    };
    let enough = time / (b - a);
    // Stretches still to be looked at, the earliest last: coefficients, beginning, width.
    let mut stack = [(polynomials, 0.0, 1.0); MAX_DEPTH + 2];
    let mut count = 1;
    while count > 0 {
        count -= 1;
        let (here, from, width) = stack[count];
        if *halvings == 0 {
            return Refined::Unknown;
        }
        *halvings -= 1;
        let proven = match here.look(frame.edges, &bounds) {
            Look::Free => continue,
            Look::Contact => true,
            Look::Open => false,
        };
        if width <= SHORTEST || (proven && width <= enough) {
            let to = from + width;
            return Refined::Contact { from, to, proven };
        }
        let (early, late) = here.halved();
        let width = 0.5 * width;
        stack[count] = (late, from + width, width);
        stack[count + 1] = (early, from, width);
        count += 2;
    }
    Refined::Free
}
