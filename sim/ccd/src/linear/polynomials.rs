//! The contact conditions as polynomials in time, and what their Bernstein coefficients prove, in
//! `f64` or in double-double arithmetic.
//!
//! Four coplanar points, projected along an axis that is not in their plane, are a two-dimensional
//! problem. With `[x, y]` the cross product there and the quadratics
//! ```text
//! P = [e2, d]    Q = [e1, d]    R = [e1, e2]
//! ```
//!
//! The line of one edge of a feature has all of the other feature strictly on one side, and all of
//! its own on the other, if the two numbers of a pair have the same strict sign:
//!
//! ```text
//! edges         (P, P - R)  line of b      (Q, Q - R)  line of a
//! vertex/face   (P, P + R)  side f0 f2     (Q, Q - R)  side f0 f1     (P - Q, P - Q + R)  side f1 f2
//! ```
//!
//! Such a line separates the features whether or not they are coplanar. So a stretch of time is
//! free if `F` has one sign on it, or if both numbers of a pair do. It contains a contact if `F`
//! changes sign and no pair can have equal signs.
//!
//! # How much of a stretch is free
//!
//! The graph of a polynomial lies in the convex hull of its control points `(i/n, c_i)`. The hull's
//! lower boundary crosses a level on one of its edges, which is a chord from a control point above
//! the level to one that is not above it. So before the earliest crossing of all such chords, the
//! polynomial is above the level ([`prefix`]). Applied from both ends, this converges quadratically
//! to a simple root (Bezier clipping, Sederberg and Nishita 1990). If much is left, it is divided.

use std::ops::{Add, Mul, Neg, Sub};

use super::coplanarity::first_root;

/// Type of the coefficients.
pub(super) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// The nearest `f64`.
    fn value(self) -> f64;
    /// Half the value, exactly.
    fn half(self) -> Self;
    /// Product with an `f64`.
    fn times(self, x: f64) -> Self;
}

impl Number for f64 {
    #[inline]
    fn value(self) -> f64 {
        self
    }
    #[inline]
    fn half(self) -> f64 {
        0.5 * self
    }
    #[inline]
    fn times(self, x: f64) -> f64 {
        self * x
    }
}

/// The three vectors of the module's theory at one time.
#[derive(Clone, Copy)]
pub(super) struct Vectors<T> {
    pub d: [T; 3],
    pub e1: [T; 3],
    pub e2: [T; 3],
}

/// Bernstein coefficients of two numbers that separate the features if their signs are equal.
type Pair = ([f64; 3], [f64; 3]);

/// The quadratics of one projection.
#[derive(Clone, Copy)]
pub(super) struct Plane<T> {
    p: [T; 3],
    q: [T; 3],
    r: [T; 3],
}

/// Bernstein coefficients on a stretch; `f` is three times `F`.
#[derive(Clone, Copy)]
pub(super) struct Polynomials<T, const N: usize> {
    f: [T; 4],
    planes: [Plane<T>; N],
}

/// Whether at one time `F` is within its bound and no line separates the features, in the
/// projection along the axis of their largest extent. `None` if that projection is a line, or
/// nearly: below `flat`. `n` is `e1 x e2`.
#[inline]
pub(super) fn stuck<T: Number>(
    s: &Vectors<T>,
    n: &[T; 3],
    edges: bool,
    bounds: &Bounds,
    flat: f64,
) -> Option<bool> {
    if dot(&s.d, n).times(3.0).value().abs() > bounds.f {
        return Some(false);
    }
    let size = [n[0].value().abs(), n[1].value().abs(), n[2].value().abs()];
    let axis = if size[0] >= size[1] && size[0] >= size[2] {
        0
    } else {
        2 - usize::from(size[1] >= size[2])
    };
    if !(size[axis] > flat) {
        return None;
    }
    let (p, q, r) = (along(axis, &s.e2, &s.d), along(axis, &s.e1, &s.d), n[axis]);
    let apart = |x: T, y: T| sign(x.value(), bounds.plane) * sign(y.value(), bounds.plane) > 0;
    Some(!if edges {
        apart(p, p - r) || apart(q, q - r)
    } else {
        apart(p, p + r) || apart(q, q - r) || apart(p - q, p - q + r)
    })
}

/// Bounds on the errors of coefficients.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    /// Error of `f`.
    pub f: f64,
    /// Error of a sum or difference of the quadratics.
    pub plane: f64,
    /// Value that no coefficient of `f` may exceed if the features are to count as coplanar
    /// throughout; negative if that is unknown.
    pub coplanar: f64,
}

/// What the coefficients on one stretch prove.
#[derive(Clone, Copy, Default)]
pub(super) struct StretchTest {
    /// No contact on it.
    pub free: bool,
    /// Whether `F` certainly has opposite signs at its ends.
    pub crosses: bool,
    /// Certainly a root of `F` inside both features, or, in one plane, one feature inside the other
    /// at the end.
    pub contact: bool,
    /// Nothing is proven even at its beginning.
    pub stuck: bool,
    /// Nothing is proven even at its end.
    pub stuck_at_end: bool,
}

/// A stretch that is proven free.
const FREE: StretchTest = StretchTest {
    free: true,
    crosses: false,
    contact: false,
    stuck: false,
    stuck_at_end: false,
};

/// Length of the initial part of a stretch on which a polynomial exceeds a level, given that it
/// does so at the beginning.
#[inline]
fn prefix<const N: usize>(c: [f64; N], level: f64) -> f64 {
    let mut first = f64::INFINITY;
    for k in 1..N {
        if c[k] > level {
            continue;
        }
        for j in 0..k {
            if c[j] > level {
                let chord = (k - j) as f64 * (c[j] - level) / (c[j] - c[k]);
                let crossing = j as f64 + chord;
                if crossing.is_nan() {
                    return 0.0;
                }
                first = first.min(crossing);
            }
        }
    }
    if first == f64::INFINITY {
        return 1.0;
    }
    // The rounding of the crossing is a few units in the last place.
    first / (N - 1) as f64 * (1.0 - 1e-14)
}

/// As [`prefix`], from the end.
#[inline]
fn suffix<const N: usize>(mut c: [f64; N], level: f64) -> f64 {
    c.reverse();
    prefix(c, level)
}

#[inline]
fn negated<const N: usize>(c: [f64; N]) -> [f64; N] {
    c.map(|x| -x)
}

/// Returns 1 or -1 for the sign of a value that exceeds a bound in size, otherwise 0, including for
/// NaN.
#[inline]
fn sign(x: f64, bound: f64) -> i8 {
    i8::from(x > bound) - i8::from(x < -bound)
}

#[inline]
fn values<T: Number, const N: usize>(c: &[T; N]) -> [f64; N] {
    c.each_ref().map(|x| x.value())
}

/// Splits at `s` by de Casteljau. Returns the part after `s`, then the part before it.
#[inline]
fn split_quadratic<T: Number>(c: &[T; 3], s: f64) -> ([T; 3], [T; 3]) {
    let between = |x: T, y: T| x + (y - x).times(s);
    let (a, b) = (between(c[0], c[1]), between(c[1], c[2]));
    let m = between(a, b);
    ([m, b, c[2]], [c[0], a, m])
}

/// As [`split_quadratic`].
#[inline]
fn split_cubic<T: Number>(c: &[T; 4], s: f64) -> ([T; 4], [T; 4]) {
    let between = |x: T, y: T| x + (y - x).times(s);
    let (a, b, d) = (
        between(c[0], c[1]),
        between(c[1], c[2]),
        between(c[2], c[3]),
    );
    let (e, g) = (between(a, b), between(b, d));
    let m = between(e, g);
    ([m, g, d, c[3]], [c[0], a, e, m])
}

#[inline]
pub(super) fn cross<T: Number>(x: &[T; 3], y: &[T; 3]) -> [T; 3] {
    [
        x[1] * y[2] - x[2] * y[1],
        x[2] * y[0] - x[0] * y[2],
        x[0] * y[1] - x[1] * y[0],
    ]
}

#[inline]
fn dot<T: Number>(x: &[T; 3], y: &[T; 3]) -> T {
    x[0] * y[0] + x[1] * y[1] + x[2] * y[2]
}

/// The cross product of two vectors along an axis.
#[inline]
fn along<T: Number>(axis: usize, x: &[T; 3], y: &[T; 3]) -> T {
    match axis {
        0 => x[1] * y[2] - x[2] * y[1],
        1 => x[2] * y[0] - x[0] * y[2],
        _ => x[0] * y[1] - x[1] * y[0],
    }
}

impl<T: Number> Plane<T> {
    #[inline]
    fn new(a: &Vectors<T>, b: &Vectors<T>, normal: &Normal<T>, axis: usize) -> Self {
        let quadratic = |xa: &[T; 3], ya: &[T; 3], xb: &[T; 3], yb: &[T; 3]| {
            let middle = along(axis, xa, yb) + along(axis, xb, ya);
            [along(axis, xa, ya), middle.half(), along(axis, xb, yb)]
        };
        Self {
            p: quadratic(&a.e2, &a.d, &b.e2, &b.d),
            q: quadratic(&a.e1, &a.d, &b.e1, &b.d),
            r: [normal[0][axis], normal[1][axis].half(), normal[2][axis]],
        }
    }

    /// The pairs of the module's table, of which there are two or three, as Bernstein coefficients
    /// of both numbers.
    #[inline]
    fn pairs(&self, edges: bool) -> ([Pair; 3], usize) {
        let (p, q, r) = (&self.p, &self.q, &self.r);
        let minus = |x: &[T; 3], y: &[T; 3]| [x[0] - y[0], x[1] - y[1], x[2] - y[2]];
        let plus = |x: &[T; 3], y: &[T; 3]| [x[0] + y[0], x[1] + y[1], x[2] + y[2]];
        let second = (values(q), values(&minus(q, r)));
        if edges {
            ([(values(p), values(&minus(p, r))), second, second], 2)
        } else {
            let third = minus(p, q);
            let first = (values(p), values(&plus(p, r)));
            (
                [first, second, (values(&third), values(&plus(&third, r)))],
                3,
            )
        }
    }

    #[inline]
    fn split(&self, s: f64) -> (Self, Self) {
        let ((p1, p0), (q1, q0), (r1, r0)) = (
            split_quadratic(&self.p, s),
            split_quadratic(&self.q, s),
            split_quadratic(&self.r, s),
        );
        let of = |p, q, r| Self { p, q, r };
        (of(p1, q1, r1), of(p0, q0, r0))
    }
}

/// `e1 x e2` over a stretch: Bernstein coefficients, the middle one doubled.
pub(super) type Normal<T> = [[T; 3]; 3];

/// Computes `e1 x e2` for the stretch from `a`, where it is `n_a`, to `b`.
#[inline]
pub(super) fn normal<T: Number>(a: &Vectors<T>, n_a: [T; 3], b: &Vectors<T>) -> Normal<T> {
    let (x, y) = (cross(&a.e1, &b.e2), cross(&b.e1, &a.e2));
    [
        n_a,
        [x[0] + y[0], x[1] + y[1], x[2] + y[2]],
        cross(&b.e1, &b.e2),
    ]
}

/// Three times `F`, since a third has no exact representation.
#[inline]
pub(super) fn coplanarity<T: Number>(
    a: &Vectors<T>,
    b: &Vectors<T>,
    [n0, n1, n2]: &Normal<T>,
) -> [T; 4] {
    [
        dot(&a.d, n0).times(3.0),
        dot(&b.d, n0) + dot(&a.d, n1),
        dot(&b.d, n1) + dot(&a.d, n2),
        dot(&b.d, n2).times(3.0),
    ]
}

/// Axis along which the projected features are largest, and their size.
#[inline]
pub(super) fn best_axis<T: Number>(normal: &Normal<T>) -> (usize, f64) {
    let [n0, n1, n2] = normal;
    let size: [f64; 3] = std::array::from_fn(|i| (n0[i] + n1[i] + n2[i]).value().abs());
    let mut axis = 0;
    for i in 1..3 {
        if size[i] > size[axis] {
            axis = i;
        }
    }
    (axis, size[axis])
}

impl<T: Number, const N: usize> Polynomials<T, N> {
    #[inline]
    pub fn new(
        f: [T; 4],
        a: &Vectors<T>,
        b: &Vectors<T>,
        normal: &Normal<T>,
        axes: [usize; N],
    ) -> Self {
        let planes = axes.map(|axis| Plane::new(a, b, normal, axis));
        Self { f, planes }
    }

    /// Tests what the coefficients prove about the stretch.
    #[inline]
    pub fn classify(&self, edges: bool, bounds: &Bounds) -> StretchTest {
        let f = values(&self.f);
        let (first, last) = (sign(f[0], bounds.f), sign(f[3], bounds.f));
        if first != 0
            && first == last
            && sign(f[1], bounds.f) == first
            && sign(f[2], bounds.f) == first
        {
            return FREE;
        }
        let (mut stuck, mut stuck_at_end) = (first == 0, last == 0);
        let (mut inside, mut inside_at_end) = (false, false);
        for plane in &self.planes {
            let (pairs, count) = plane.pairs(edges);
            let (mut all, mut all_at_end) = (true, true);
            for (x, y) in &pairs[..count] {
                // 1 for equal signs, -1 for opposite ones.
                let [start, middle, end] =
                    [0, 1, 2].map(|i| sign(x[i], bounds.plane) * sign(y[i], bounds.plane));
                let (s0, s1, s2) = (
                    sign(x[0], bounds.plane),
                    sign(x[1], bounds.plane),
                    sign(x[2], bounds.plane),
                );
                let same = s0 == s1 && s1 == s2;
                if same && start > 0 && middle > 0 && end > 0 {
                    return FREE;
                }
                stuck &= start <= 0;
                stuck_at_end &= end <= 0;
                all &= same && start < 0 && middle < 0 && end < 0;
                all_at_end &= end < 0;
            }
            inside |= all;
            inside_at_end |= all_at_end;
        }
        let crosses = first * last < 0;
        let coplanar = f.iter().all(|x| x.abs() <= bounds.coplanar);
        StretchTest {
            free: false,
            crosses,
            contact: (crosses && inside) || (coplanar && inside_at_end),
            stuck,
            stuck_at_end,
        }
    }

    /// Returns the local times until which, and from which on, the stretch is proven free. All of
    /// it is free if the latter is not after the former.
    fn ends(&self, edges: bool, bounds: &Bounds) -> (f64, f64) {
        let (mut from, mut after): (f64, f64) = (0.0, 0.0);
        let f = values(&self.f);
        let (first, last) = (sign(f[0], bounds.f), sign(f[3], bounds.f));
        if first != 0 {
            from = prefix(if first > 0 { f } else { negated(f) }, bounds.f);
        }
        if last != 0 {
            after = suffix(if last > 0 { f } else { negated(f) }, bounds.f);
        }
        let bound = bounds.plane;
        for plane in &self.planes {
            let (pairs, count) = plane.pairs(edges);
            for &(x, y) in &pairs[..count] {
                let (x0, x2) = (sign(x[0], bound), sign(x[2], bound));
                if x0 * sign(y[0], bound) > 0 {
                    let (x, y) = if x0 > 0 {
                        (x, y)
                    } else {
                        (negated(x), negated(y))
                    };
                    from = from.max(prefix(x, bound).min(prefix(y, bound)));
                }
                if x2 * sign(y[2], bound) > 0 {
                    let (x, y) = if x2 > 0 {
                        (x, y)
                    } else {
                        (negated(x), negated(y))
                    };
                    after = after.max(suffix(x, bound).min(suffix(y, bound)));
                }
            }
        }
        (from, 1.0 - after)
    }

    /// Whether the projections at the beginning are lines, or nearly: below a bound.
    pub fn flat(&self, bound: f64) -> bool {
        (self.planes.iter()).all(|plane| plane.r[0].value().abs() <= bound)
    }

    /// Whether `F` is below its bound throughout.
    pub fn coplanar(&self, bounds: &Bounds) -> bool {
        self.f.iter().all(|x| x.value().abs() <= bounds.f)
    }

    #[inline]
    fn split(&self, s: f64) -> (Self, Self) {
        let (f1, f0) = split_cubic(&self.f, s);
        let (mut late, mut early) = (*self, *self);
        (late.f, early.f) = (f1, f0);
        for (i, plane) in self.planes.iter().enumerate() {
            (late.planes[i], early.planes[i]) = plane.split(s);
        }
        (late, early)
    }

    /// Restricts the polynomials to a part of the stretch, with at most two divisions. Its ends are
    /// met to within a few units in the last place of 1.
    #[inline]
    pub fn part(&self, from: f64, to: f64) -> Self {
        let late = if from > 0.0 {
            self.split(from).0
        } else {
            *self
        };
        if to < 1.0 {
            late.split((to - from) / (1.0 - from)).1
        } else {
            late
        }
    }

    /// Converts to `f64`, with bounds that cover what [`scan`] does. The nearest number is `u`
    /// away. Two divisions of a cubic add `2 . 3 . 5 u` (each mean `x + s (y - x)`: `2 u` for the
    /// difference, `2 u` for the product, `u` for the sum), together `31 u < 16` epsilon. Two
    /// divisions of a quadratic add `2 . 2 . 5 u`, sums of three of them `2 u` more: `23 u < 12`
    /// epsilon. Used: 32 and 16.
    #[inline]
    pub fn plain(&self, bounds: &Bounds) -> (Polynomials<f64, N>, Bounds) {
        let polynomials = Polynomials {
            f: values(&self.f),
            planes: std::array::from_fn(|i| {
                let plane = &self.planes[i];
                Plane {
                    p: values(&plane.p),
                    q: values(&plane.q),
                    r: values(&plane.r),
                }
            }),
        };
        let most = |c: &[f64]| c.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        let plane = (polynomials.planes.iter())
            .map(|plane| most(&plane.p) + most(&plane.q) + most(&plane.r))
            .fold(0.0, f64::max);
        let wider = Bounds {
            f: bounds.f + 32.0 * f64::EPSILON * most(&polynomials.f),
            plane: bounds.plane + 16.0 * f64::EPSILON * plane,
            coplanar: bounds.f,
        };
        (polynomials, wider)
    }
}

/// Locates the first sign change of `F`, in local time. Up to the first of the two times, `F`
/// certainly has its initial sign; at the second, most likely the other one.
#[inline]
fn crossing(f: &[f64; 4], bound: f64) -> Option<(f64, f64)> {
    let side = if f[0] < 0.0 { -1.0 } else { 1.0 };
    let [f0, f1, f2, f3] = f.map(|x| side * x);
    // Power form.
    let (c1, c2, c3) = (
        3.0 * (f1 - f0),
        3.0 * (f2 - 2.0 * f1 + f0),
        (f3 - f0) - 3.0 * (f2 - f1),
    );
    let value = |t: f64| f0 + t * (c1 + t * (c2 + t * c3));
    let slope = |t: f64| c1 + t * (2.0 * c2 + t * 3.0 * c3);
    let time = first_root(&value, &slope, 1.0, 0.25 * bound);
    let blur = 2.0 * bound / slope(time).abs();
    let low = time - blur;
    if !(blur < 0.1 && low > 0.0) {
        return None;
    }
    let (_, early) = split_cubic(&[f0, f1, f2, f3], low);
    early
        .iter()
        .all(|&x| x > bound)
        .then_some((low, time + blur))
}

/// Result of a scan: what is left of a stretch.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scan {
    /// Nothing is left.
    Free,
    /// Free until `from`, certainly a contact by `to`.
    Contact { from: f64, to: f64 },
    /// Free until `from`; undecided until `to`, and unknown after it.
    Open { from: f64, to: f64 },
}

/// Error bound for the ends of a part, and for a time converted back from local time. `to - from`,
/// the quotient, the product and the sum round once each, with numbers below 1: less than `8 u`.
pub(super) const SLACK: f64 = 4.0 * f64::EPSILON;

/// Largest number of stretches that wait for a test.
const CAPACITY: usize = 12;

/// Width of a stretch at which the rounding of `F` may be all that is left.
const BLURRED: f64 = 1e-11;

/// Width of a stretch that is not divided further.
const SHORTEST: f64 = 128.0 * f64::EPSILON;

/// The stretch under test, and those still to be tested.
struct Stretches {
    from: f64,
    to: f64,
    /// The earliest last.
    later: [(f64, f64); CAPACITY],
    count: usize,
}

/// What the tests leave of the stretch under test.
struct Rest {
    begin: f64,
    end: f64,
}

impl Stretches {
    /// Keeps the part from `cut` on for later.
    #[inline]
    fn put_off(&mut self, cut: f64, to: f64) {
        self.later[self.count] = (cut - SLACK, to);
        self.count += 1;
    }

    /// Goes on to the next stretch. Returns false if none is left.
    #[inline]
    fn take_next(&mut self) -> bool {
        if self.count == 0 {
            return false;
        }
        self.count -= 1;
        (self.from, self.to) = self.later[self.count];
        true
    }

    /// Narrows the stretch to the neighbourhood of its crossing, if that is simple and can be
    /// located at once. The part after it is put off.
    #[inline]
    fn narrow_to_crossing(&mut self, f: &[f64; 4], bound: f64) -> bool {
        let (from, to, width) = (self.from, self.to, self.to - self.from);
        let Some((low, high)) = crossing(f, bound) else {
            return false;
        };
        let (low, high) = (
            from + low * width - SLACK,
            from + high * width + 2.0 * SLACK,
        );
        if !(low > from && high - low <= BLURRED) {
            return false;
        }
        if high < to {
            self.put_off(high, to);
        }
        (self.from, self.to) = (low, high.min(to));
        true
    }

    /// Cuts from both ends what the coefficients prove free. `None` if nothing is left.
    #[inline]
    fn clip<const N: usize>(
        &self,
        here: &Polynomials<f64, N>,
        test: &StretchTest,
        edges: bool,
        bounds: &Bounds,
    ) -> Option<Rest> {
        let (from, to, width) = (self.from, self.to, self.to - self.from);
        if test.free {
            return None;
        }
        if test.stuck && test.stuck_at_end {
            return Some(Rest {
                begin: from,
                end: to,
            });
        }
        let (first, last) = here.ends(edges, bounds);
        // The end is doubled, so that the part that ends there covers what it should.
        (!(first >= last)).then_some(Rest {
            begin: (from + first * width - SLACK).max(from),
            end: (from + last * width + 2.0 * SLACK).min(to),
        })
    }

    /// Ends the scan if the rest is a contact, or cannot be decided. `may_test`: tests are left.
    #[inline]
    fn conclude(
        &self,
        test: &StretchTest,
        &Rest { begin, end }: &Rest,
        proven: f64,
        may_test: bool,
    ) -> Option<Scan> {
        let (left, width) = (end - begin, self.to - self.from);
        // A contact is in what is left. Where that no longer shrinks, only the rounding of `F`
        // remains.
        if test.contact && (left <= proven || (left <= BLURRED && left > 0.5 * width)) {
            return Some(Scan::Contact {
                from: begin,
                to: end,
            });
        }
        // At the last digits, undecided at the beginning, or too many parts.
        if !may_test || test.stuck || !(width > SHORTEST) || !(left > 0.0) || self.count == CAPACITY
        {
            let to = if left > 0.0 { end } else { self.to };
            return Some(Scan::Open { from: begin, to });
        }
        None
    }

    /// Goes on with the rest, or with its first part.
    #[inline]
    fn divide(&mut self, &Rest { begin, end }: &Rest, proven: f64) {
        let width = self.to - self.from;
        // Closing in from both sides is best. From the left alone, as long as it makes progress,
        // the next small part is a guess that pays off at a simple root.
        let gained = begin - self.from;
        let cut = if end - begin <= 0.5 * width {
            if gained > 0.0 && end == self.to {
                begin + (0.01 * gained).max(0.9 * proven)
            } else {
                end
            }
        } else if gained > 0.1 * width {
            begin + (0.01 * gained).max(0.9 * proven)
        } else {
            0.5 * (begin + end)
        };
        (self.from, self.to) = (begin, end);
        if cut < end {
            self.put_off(cut, end);
            self.to = cut;
        }
    }
}

/// Finds the first part of a stretch that `f64` does not prove free, with at most `looks` tests.
/// Locates a contact to within `proven`.
pub(super) fn scan<const N: usize>(
    whole: &Polynomials<f64, N>,
    edges: bool,
    bounds: &Bounds,
    proven: f64,
    looks: &mut u32,
) -> Scan {
    let mut now = Stretches {
        from: 0.0,
        to: 1.0,
        later: [(0.0, 0.0); CAPACITY],
        count: 0,
    };
    let mut here = *whole;
    loop {
        let test = here.classify(edges, bounds);
        let narrowed = !test.free
            && test.crosses
            && !(now.to - now.from <= BLURRED)
            && *looks > 0
            && now.count < CAPACITY
            && now.narrow_to_crossing(&here.f, bounds.f);
        if !narrowed {
            match now.clip(&here, &test, edges, bounds) {
                None => {
                    if !now.take_next() {
                        return Scan::Free;
                    }
                }
                Some(rest) => {
                    if let Some(result) = now.conclude(&test, &rest, proven, *looks > 0) {
                        return result;
                    }
                    now.divide(&rest, proven);
                }
            }
        }
        if *looks == 0 {
            return Scan::Open {
                from: now.from,
                to: now.to,
            };
        }
        *looks -= 1;
        here = whole.part(now.from, now.to);
    }
}
