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
const DEEPEST: f64 = 1.0 / (1u64 << MAX_DEPTH) as f64;

/// Stretches this short, 2^-66 of the motion, are not halved.
const SHORTEST: f64 = DEEPEST / 64.0;

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

/// The quadratics of one projection.
#[derive(Clone, Copy)]
struct Plane {
    p: [Twice; 3],
    q: [Twice; 3],
    r: [Twice; 3],
}

/// Bernstein coefficients on the stretch in hand; `f` is three times `F`.
#[derive(Clone, Copy)]
struct Polynomials<const N: usize> {
    f: [Twice; 4],
    planes: [Plane; N],
}

/// Bounds of the rounding errors.
struct Bounds {
    f: f64,
    /// Of a sum or difference of the quadratics.
    plane: f64,
    /// What `R` must exceed for one projection to tell all.
    flat: f64,
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
    /// Root of `F` inside both features, for certain; or one inside the other at the end, in one plane.
    Contact,
    /// Nothing is known even at its beginning.
    Stuck,
    Open,
}

impl Plane {
    /// The pairs of the module's table: Bernstein coefficients of both numbers.
    fn pairs(&self, edges: bool) -> [([f64; 3], [f64; 3]); 3] {
        let (p, q, r) = (&self.p, &self.q, &self.r);
        let each = |op: fn(Twice, Twice) -> Twice, x: &[Twice; 3], y: &[Twice; 3]| {
            std::array::from_fn(|i| op(x[i], y[i]).value())
        };
        let (plus, minus) = (|x, y| x + y, |x, y| x - y);
        let second = (values(q), each(minus, q, r));
        if edges {
            [(values(p), each(minus, p, r)), second, second]
        } else {
            let third = std::array::from_fn(|i| p[i] - q[i]);
            [
                (values(p), each(plus, p, r)),
                second,
                (values(&third), each(plus, &third, r)),
            ]
        }
    }

    fn halved(&self) -> (Self, Self) {
        let (p0, p1) = halve_quadratic(&self.p);
        let (q0, q1) = halve_quadratic(&self.q);
        let (r0, r1) = halve_quadratic(&self.r);
        let of = |p, q, r| Self { p, q, r };
        (of(p0, q0, r0), of(p1, q1, r1))
    }
}

impl<const N: usize> Polynomials<N> {
    fn look(&self, edges: bool, bounds: &Bounds) -> Look {
        let f = values(&self.f);
        if sign(f, bounds.f) != Sign::Mixed {
            return Look::Free;
        }
        let bound = bounds.plane;
        let (mut inside, mut inside_at_end) = (false, false);
        let mut stuck = f[0].abs() <= bounds.f;
        for plane in &self.planes {
            let pairs = plane.pairs(edges);
            let signs = pairs.map(|(x, y)| (sign(x, bound), sign(y, bound)));
            if signs.iter().any(|(x, y)| x == y && *x != Sign::Mixed) {
                return Look::Free;
            }
            let opposite = |(x, y): (Sign, Sign)| x != y && x != Sign::Mixed && y != Sign::Mixed;
            inside |= signs.into_iter().all(opposite);
            inside_at_end |= (pairs.iter())
                .all(|(x, y)| (x[2] > bound && y[2] < -bound) || (x[2] < -bound && y[2] > bound));
            stuck &= !(pairs.iter())
                .any(|(x, y)| (x[0] > bound && y[0] > bound) || (x[0] < -bound && y[0] < -bound));
        }
        let crosses =
            (f[0] > bounds.f && f[3] < -bounds.f) || (f[0] < -bounds.f && f[3] > bounds.f);
        let flat = f.iter().all(|x| x.abs() <= bounds.f);
        if (crosses && inside) || (flat && inside_at_end) {
            Look::Contact
        } else if stuck {
            Look::Stuck
        } else {
            Look::Open
        }
    }

    /// Whether the projections are lines at the beginning, or nearly.
    fn flat(&self, bounds: &Bounds) -> bool {
        (self.planes.iter()).all(|plane| plane.r[0].value().abs() <= bounds.flat)
    }

    /// The two halves.
    fn halved(&self) -> (Self, Self) {
        let (f0, f1) = halve_cubic(&self.f);
        let (mut early, mut late) = (*self, *self);
        (early.f, late.f) = (f0, f1);
        for (i, plane) in self.planes.iter().enumerate() {
            (early.planes[i], late.planes[i]) = plane.halved();
        }
        (early, late)
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

/// Decides the stretch `[a, b]` of the motion with at most `halvings` looks, of which it takes those it needs; the time of a proven contact to within `time`, a
/// fraction of the motion.
pub(super) fn refine(frame: &Frame, a: f64, b: f64, time: f64, halvings: &mut u32) -> Refined {
    let whole = Whole::new(frame, a, b);
    let limits = Limits {
        proven: time / (b - a),
        any: (SHORTEST / (b - a)).max(DEEPEST),
    };
    let mut degenerate = true;
    let mut answer = Refined::Unknown;
    if let Some(axis) = whole.best_axis() {
        answer = whole.decide(
            &whole.polynomials([axis]),
            &limits,
            halvings,
            &mut degenerate,
        );
    }
    // Where one projection is a line, all three together may say more.
    if degenerate {
        let all = whole.polynomials([0, 1, 2]);
        match whole.decide(&all, &limits, halvings, &mut degenerate) {
            Refined::Unknown => {}
            better => answer = better,
        }
    }
    answer
}

/// Widths of stretches that are not halved, in the time of the whole.
struct Limits {
    /// With a contact for certain.
    proven: f64,
    /// Without.
    any: f64,
}

/// A stretch as it came.
struct Whole {
    edges: bool,
    a: Exact,
    b: Exact,
    /// Bernstein coefficients of `e1 x e2`, the middle one twice.
    normal: [[Twice; 3]; 3],
    bounds: Bounds,
}

impl Whole {
    fn new(frame: &Frame, a: f64, b: f64) -> Self {
        let (a, b) = (frame.exactly_at(a), frame.exactly_at(b));
        Self {
            edges: frame.edges,
            normal: [
                cross(&a.e1, &a.e2),
                plus(&cross(&a.e1, &b.e2), &cross(&b.e1, &a.e2)),
                cross(&b.e1, &b.e2),
            ],
            bounds: Bounds {
                f: ROUNDING * 4.0 * frame.volume + TINY,
                plane: ROUNDING * (2.0 * frame.area + 2.0 * frame.reach * frame.reach) + TINY,
                flat: 1e-4 * frame.area,
            },
            a,
            b,
        }
    }

    /// Axis along which the features are widest; `None` if every projection is a line, as that of parallel edges and needles is.
    fn best_axis(&self) -> Option<usize> {
        let [n0, n1, n2] = &self.normal;
        let size: [f64; 3] = std::array::from_fn(|i| (n0[i] + n1[i] + n2[i]).value().abs());
        let mut axis = 0;
        for i in 1..3 {
            if size[i] > size[axis] {
                axis = i;
            }
        }
        (size[axis] > self.bounds.plane).then_some(axis)
    }

    fn polynomials<const N: usize>(&self, axes: [usize; N]) -> Polynomials<N> {
        let (a, b) = (&self.a, &self.b);
        let [n0, n1, n2] = &self.normal;
        // Thrice F: a third has no exact representation.
        let f = [
            dot(&a.d, n0).times(3.0),
            dot(&b.d, n0) + dot(&a.d, n1),
            dot(&b.d, n1) + dot(&a.d, n2),
            dot(&b.d, n2).times(3.0),
        ];
        let planes = axes.map(|axis| {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            let flat = |x: &[Twice; 3], y: &[Twice; 3]| x[i] * y[j] - x[j] * y[i];
            let quadratic = |x: [&[Twice; 3]; 2], y: [&[Twice; 3]; 2]| {
                [
                    flat(x[0], y[0]),
                    (flat(x[0], y[1]) + flat(x[1], y[0])).half(),
                    flat(x[1], y[1]),
                ]
            };
            Plane {
                p: quadratic([&a.e2, &b.e2], [&a.d, &b.d]),
                q: quadratic([&a.e1, &b.e1], [&a.d, &b.d]),
                r: [n0[axis], n1[axis].half(), n2[axis]],
            }
        });
        Polynomials { f, planes }
    }

    /// See [`refine`]. Sets `degenerate` unless the answer is to be had from these projections.
    fn decide<const N: usize>(
        &self,
        polynomials: &Polynomials<N>,
        limits: &Limits,
        halvings: &mut u32,
        degenerate: &mut bool,
    ) -> Refined {
        *degenerate = false;
        // Most are decided at once.
        let mut here = (*polynomials, 0.0, 1.0);
        let mut look = here.0.look(self.edges, &self.bounds);
        if let Look::Free = look {
            return Refined::Free;
        }
        // Stretches still to be looked at, the earliest last: coefficients, beginning, width.
        let mut later = [here; MAX_DEPTH + 1];
        let mut count = 0;
        loop {
            let (polynomials, from, width) = here;
            let proven = matches!(look, Look::Contact);
            let stuck = matches!(look, Look::Stuck);
            if let Look::Free = look {
                if count == 0 {
                    return Refined::Free;
                }
                count -= 1;
                here = later[count];
            } else if stuck || width <= limits.any || (proven && width <= limits.proven) {
                *degenerate = !proven && polynomials.flat(&self.bounds);
                let to = if stuck { from } else { from + width };
                return Refined::Contact { from, to, proven };
            } else {
                let (early, late) = polynomials.halved();
                let width = 0.5 * width;
                later[count] = (late, from + width, width);
                count += 1;
                here = (early, from, width);
            }
            if *halvings == 0 {
                return Refined::Unknown;
            }
            *halvings -= 1;
            look = here.0.look(self.edges, &self.bounds);
        }
    }
}
