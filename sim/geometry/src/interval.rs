//! Interval arithmetic with outward rounding: every operation returns an interval that holds every
//! result of the real operation on members of its operands (Redon 2002, section 3.3 and equation
//! 3.7; the thesis leaves out the rounding that is added here).
//!
//! Bounds move outward by one unit in the last place after each rounded operation, and by two after
//! a library `sin` or `cos` (glibc keeps both errors below one). Nothing panics: operands or
//! results that are not numbers give [`Interval::ENTIRE`]. No allocation.

use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::pose::Vec3;

/// A closed interval `[lo, hi]` of reals; the bounds may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound.
    pub lo: f64,
    /// Upper bound, not below `lo`.
    pub hi: f64,
}

impl Interval {
    /// All reals.
    pub const ENTIRE: Interval = Interval {
        lo: f64::NEG_INFINITY,
        hi: f64::INFINITY,
    };
    /// `[0, 0]`.
    pub const ZERO: Interval = Interval::point(0.0);

    /// Builds the interval between two bounds, in either order; NaN gives [`Interval::ENTIRE`].
    #[inline]
    #[must_use]
    pub fn new(a: f64, b: f64) -> Self {
        if a <= b {
            Interval { lo: a, hi: b }
        } else if b < a {
            Interval { lo: b, hi: a }
        } else {
            Interval::ENTIRE
        }
    }

    /// The interval of a single number, which must not be NaN.
    #[inline]
    #[must_use]
    pub const fn point(x: f64) -> Self {
        Interval { lo: x, hi: x }
    }

    /// Rounds outwards by one unit in the last place; NaN bounds become infinite.
    #[inline]
    fn outward(lo: f64, hi: f64) -> Self {
        Interval {
            lo: if lo.is_nan() {
                f64::NEG_INFINITY
            } else {
                lo.next_down()
            },
            hi: if hi.is_nan() {
                f64::INFINITY
            } else {
                hi.next_up()
            },
        }
    }

    /// Returns `hi - lo`, rounded up.
    #[inline]
    #[must_use]
    pub fn width(self) -> f64 {
        (self.hi - self.lo).next_up()
    }

    /// Returns a member near the middle.
    #[inline]
    #[must_use]
    pub fn middle(self) -> f64 {
        if self == Interval::ENTIRE {
            return 0.0;
        }
        (0.5 * self.lo + 0.5 * self.hi).clamp(self.lo, self.hi)
    }

    /// Returns whether `x` is a member.
    #[inline]
    #[must_use]
    pub fn contains(self, x: f64) -> bool {
        self.lo <= x && x <= self.hi
    }

    /// Returns whether the other interval is a subset.
    #[inline]
    #[must_use]
    pub fn encloses(self, other: Interval) -> bool {
        self.lo <= other.lo && other.hi <= self.hi
    }

    /// Returns whether the two have a number in common.
    #[inline]
    #[must_use]
    pub fn overlaps(self, other: Interval) -> bool {
        self.lo <= other.hi && other.lo <= self.hi
    }

    /// Returns the smallest interval that holds both.
    #[inline]
    #[must_use]
    pub fn hull(self, other: Interval) -> Self {
        Interval {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// Returns the numbers that both have in common, if any.
    #[inline]
    #[must_use]
    pub fn intersection(self, other: Interval) -> Option<Self> {
        self.overlaps(other).then(|| Interval {
            lo: self.lo.max(other.lo),
            hi: self.hi.min(other.hi),
        })
    }

    /// Returns the largest absolute value.
    #[inline]
    #[must_use]
    pub fn magnitude(self) -> f64 {
        self.lo.abs().max(self.hi.abs())
    }

    /// Absolute value; exact.
    #[inline]
    #[must_use]
    pub fn abs(self) -> Self {
        if self.lo >= 0.0 {
            self
        } else if self.hi <= 0.0 {
            -self
        } else {
            Interval {
                lo: 0.0,
                hi: self.magnitude(),
            }
        }
    }

    /// Square; never negative, unlike `self * self`.
    #[inline]
    #[must_use]
    pub fn sqr(self) -> Self {
        let a = self.abs();
        let r = Interval::outward(a.lo * a.lo, a.hi * a.hi);
        Interval {
            lo: r.lo.max(0.0),
            hi: r.hi,
        }
    }

    /// Square root of the members that are not negative.
    #[inline]
    #[must_use]
    pub fn sqrt(self) -> Self {
        let r = Interval::outward(self.lo.max(0.0).sqrt(), self.hi.max(0.0).sqrt());
        Interval {
            lo: r.lo.max(0.0),
            hi: r.hi,
        }
    }

    /// Sine, radians.
    #[inline]
    #[must_use]
    pub fn sin(self) -> Self {
        self.wave(f64::sin, FRAC_PI_2)
    }

    /// Cosine, radians.
    #[inline]
    #[must_use]
    pub fn cos(self) -> Self {
        self.wave(f64::cos, 0.0)
    }

    /// For a function `f` of period 2 pi that is +1 at `top`, -1 half a period later, and monotone
    /// in between.
    #[inline]
    fn wave(self, f: fn(f64) -> f64, top: f64) -> Self {
        const ALL: Interval = Interval { lo: -1.0, hi: 1.0 };
        // Beyond this the rounding of the period itself would matter.
        if !(self.magnitude() < 1e6 && self.hi - self.lo < TAU) {
            return ALL;
        }
        let (a, b) = (f(self.lo), f(self.hi));
        let mut r = Interval {
            lo: a.min(b).next_down().next_down().max(-1.0),
            hi: a.max(b).next_up().next_up().min(1.0),
        };
        if self.meets(top) {
            r.hi = 1.0;
        }
        if self.meets(top + PI) {
            r.lo = -1.0;
        }
        r
    }

    /// Whether some `x + 2 k pi` may be a member; errs on the side of yes.
    #[inline]
    fn meets(self, x: f64) -> bool {
        // In periods; the rounding is below 1e-9 for arguments below 1e6.
        const SLACK: f64 = 1e-9;
        let (lo, hi) = ((self.lo - x) / TAU - SLACK, (self.hi - x) / TAU + SLACK);
        lo.ceil() <= hi
    }
}

impl From<f64> for Interval {
    #[inline]
    fn from(x: f64) -> Self {
        Interval::new(x, x)
    }
}

impl Neg for Interval {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Interval {
            lo: -self.hi,
            hi: -self.lo,
        }
    }
}

impl Add for Interval {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Interval::outward(self.lo + o.lo, self.hi + o.hi)
    }
}

impl Sub for Interval {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Interval::outward(self.lo - o.hi, self.hi - o.lo)
    }
}

impl Mul for Interval {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        let (a, b, c, d) = (
            self.lo * o.lo,
            self.lo * o.hi,
            self.hi * o.lo,
            self.hi * o.hi,
        );
        // `min` and `max` drop NaN (zero times infinity), so test for it.
        if a.is_nan() || b.is_nan() || c.is_nan() || d.is_nan() {
            return Interval::ENTIRE;
        }
        Interval::outward(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }
}

impl Mul<f64> for Interval {
    type Output = Self;
    #[inline]
    fn mul(self, k: f64) -> Self {
        let (a, b) = (self.lo * k, self.hi * k);
        if a.is_nan() || b.is_nan() {
            return Interval::ENTIRE;
        }
        Interval::outward(a.min(b), a.max(b))
    }
}

impl Div for Interval {
    type Output = Self;
    /// Returns [`Interval::ENTIRE`] if the divisor contains zero.
    #[inline]
    fn div(self, o: Self) -> Self {
        if !(o.lo > 0.0 || o.hi < 0.0) {
            return Interval::ENTIRE;
        }
        let (a, b, c, d) = (
            self.lo / o.lo,
            self.lo / o.hi,
            self.hi / o.lo,
            self.hi / o.hi,
        );
        if a.is_nan() || b.is_nan() || c.is_nan() || d.is_nan() {
            return Interval::ENTIRE;
        }
        Interval::outward(a.min(b).min(c.min(d)), a.max(b).max(c.max(d)))
    }
}

/// A box of vectors: an interval for each component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IVec3 {
    /// Along x.
    pub x: Interval,
    /// Along y.
    pub y: Interval,
    /// Along z.
    pub z: Interval,
}

impl IVec3 {
    /// Builds the box from three intervals.
    #[inline]
    #[must_use]
    pub const fn new(x: Interval, y: Interval, z: Interval) -> Self {
        IVec3 { x, y, z }
    }

    /// Returns whether `v` is inside.
    #[inline]
    #[must_use]
    pub fn contains(self, v: &Vec3) -> bool {
        self.x.contains(v.x) && self.y.contains(v.y) && self.z.contains(v.z)
    }

    /// Dot product.
    #[inline]
    #[must_use]
    pub fn dot(self, o: IVec3) -> Interval {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Cross product.
    #[inline]
    #[must_use]
    pub fn cross(self, o: IVec3) -> Self {
        IVec3 {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }

    /// Squared length.
    #[inline]
    #[must_use]
    pub fn norm_squared(self) -> Interval {
        let s = self.x.sqr() + self.y.sqr() + self.z.sqr();
        Interval {
            lo: s.lo.max(0.0),
            hi: s.hi,
        }
    }

    /// Returns the smallest box that holds both.
    #[inline]
    #[must_use]
    pub fn hull(self, o: IVec3) -> Self {
        IVec3 {
            x: self.x.hull(o.x),
            y: self.y.hull(o.y),
            z: self.z.hull(o.z),
        }
    }

    /// Returns the largest width of the three.
    #[inline]
    #[must_use]
    pub fn width(self) -> f64 {
        self.x.width().max(self.y.width()).max(self.z.width())
    }

    /// Returns the lowest and the highest corner.
    #[inline]
    #[must_use]
    pub fn corners(self) -> (Vec3, Vec3) {
        (
            Vec3::new(self.x.lo, self.y.lo, self.z.lo),
            Vec3::new(self.x.hi, self.y.hi, self.z.hi),
        )
    }
}

impl From<&Vec3> for IVec3 {
    #[inline]
    fn from(v: &Vec3) -> Self {
        IVec3::new(v.x.into(), v.y.into(), v.z.into())
    }
}

impl Add for IVec3 {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        IVec3::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl Sub for IVec3 {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        IVec3::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl Mul<Interval> for IVec3 {
    type Output = Self;
    #[inline]
    fn mul(self, k: Interval) -> Self {
        IVec3::new(self.x * k, self.y * k, self.z * k)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers of all magnitudes and both signs.
    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            -10.0..10.0f64,
            (-300.0..300.0f64, any::<bool>())
                .prop_map(|(e, s)| 10f64.powf(e) * if s { 1.0 } else { -1.0 }),
            Just(0.0),
        ]
    }

    /// An interval and a member of it.
    fn member(range: f64) -> impl Strategy<Value = (Interval, f64)> {
        (-range..range, 0.0..range / 3.0, 0.0..=1.0f64).prop_map(|(a, w, k)| {
            let i = Interval::new(a, a + w);
            (i, (a + k * w).clamp(i.lo, i.hi))
        })
    }

    /// `a + b` without rounding, as a value and a remainder.
    fn exact_sum(a: f64, b: f64) -> (f64, f64) {
        let s = a + b;
        let t = s - a;
        (s, (a - (s - t)) + (b - t))
    }

    #[test]
    fn sine_and_cosine_know_their_peaks() {
        let whole = Interval::new(-1.0, 1.0);
        assert_eq!(Interval::new(0.0, 7.0).cos(), whole);
        assert_eq!(Interval::new(0.1, 3.0).sin().hi, 1.0);
        assert!(Interval::new(0.1, 3.0).sin().lo > 0.09);
        assert_eq!(Interval::new(3.0, 3.3).cos().lo, -1.0);
        assert_eq!(Interval::new(-0.1, 0.1).cos().hi, 1.0);
        assert!(Interval::new(-0.1, 0.1).sin().hi < 0.1);
        assert_eq!(Interval::new(1e9, 1e9).sin(), whole);
        assert_eq!(Interval::ENTIRE.cos(), whole);
        // A bound that is a peak up to rounding.
        assert_eq!(Interval::new(0.0, FRAC_PI_2).sin().hi, 1.0);
        assert_eq!(Interval::new(1.0, PI).cos().lo, -1.0);
    }

    #[test]
    fn what_is_not_a_number_is_every_number() {
        assert_eq!(Interval::new(f64::NAN, 1.0), Interval::ENTIRE);
        assert_eq!(Interval::from(f64::NAN), Interval::ENTIRE);
        assert_eq!(Interval::ENTIRE - Interval::ENTIRE, Interval::ENTIRE);
        assert_eq!(Interval::ENTIRE * Interval::ZERO, Interval::ENTIRE);
        assert_eq!(Interval::ENTIRE * 0.0, Interval::ENTIRE);
        assert_eq!(
            Interval::point(1.0) / Interval::new(-1.0, 1.0),
            Interval::ENTIRE
        );
        assert_eq!(Interval::point(0.0) / Interval::ZERO, Interval::ENTIRE);
        assert_eq!(Interval::new(2.0, -1.0), Interval { lo: -1.0, hi: 2.0 });
        assert_eq!(Interval::ENTIRE.middle(), 0.0);
    }

    #[test]
    fn squares_roots_and_absolute_values() {
        let i = Interval::new(-2.0, 1.0);
        assert_eq!(i.abs(), Interval { lo: 0.0, hi: 2.0 });
        assert!(i.sqr().lo == 0.0 && i.sqr().contains(4.0) && i.sqr().hi < 4.0001);
        assert!(
            Interval::new(4.0, 9.0)
                .sqrt()
                .encloses(Interval::new(2.0, 3.0))
        );
        assert_eq!(
            Interval::new(-3.0, -2.0).abs(),
            Interval { lo: 2.0, hi: 3.0 }
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        /// Rounding: the exact sum (known without error as `s + e`) lies between the bounds,
        /// strictly if there is any error.
        #[test]
        fn sums_and_products_of_numbers_hold_the_exact_result(a in number(), b in number()) {
            let (s, e) = exact_sum(a, b);
            let i = Interval::from(a) + Interval::from(b);
            prop_assert!(i.lo < s && s < i.hi);
            if e.is_finite() && e != 0.0 {
                prop_assert!(e.abs() < (i.hi - s).max(s - i.lo));
            }
            let p = a * b;
            let q = Interval::from(a) * Interval::from(b);
            if p.is_finite() {
                prop_assert!(q.lo < p && p < q.hi);
                let error = a.mul_add(b, -p);
                prop_assert!(p - q.lo >= error.abs() && q.hi - p >= error.abs());
            }
        }

        #[test]
        fn operations_hold_their_members((i, x) in member(8.0), (j, y) in member(8.0), k in -3.0..3.0f64) {
            prop_assert!((i + j).contains(x + y));
            prop_assert!((i - j).contains(x - y));
            prop_assert!((i * j).contains(x * y));
            prop_assert!((i * k).contains(x * k));
            prop_assert!((i / j).contains(x / y) || j.contains(0.0));
            prop_assert!(i.sqr().contains(x * x) && i.abs().contains(x.abs()));
            prop_assert!(i.sin().contains(x.sin()) && i.cos().contains(x.cos()));
            prop_assert!(i.sin().lo >= -1.0 && i.sin().hi <= 1.0);
            prop_assert!(i.hull(j).contains(x) && i.hull(j).contains(y));
            prop_assert_eq!(i.intersection(j).is_some(), i.overlaps(j));
            prop_assert!(i.contains(i.middle()));
        }

        /// Not only safe but tight: the range over a fine grid is nearly the whole interval.
        #[test]
        fn sine_is_tight(a in -20.0..20.0f64, w in 0.0..6.0f64) {
            let i = Interval::new(a, a + w);
            let samples = (0..=2000).map(|k| (a + w * f64::from(k) / 2000.0).sin());
            let (lo, hi) = samples.fold((1.0f64, -1.0f64), |(l, h), s| (l.min(s), h.max(s)));
            let s = i.sin();
            prop_assert!(lo - s.lo < 2e-6 && s.hi - hi < 2e-6, "{s:?} {lo} {hi}");
        }

        #[test]
        fn vectors_hold_their_members((a, x) in member(4.0), (b, y) in member(4.0), (c, z) in member(4.0)) {
            let (i, j) = (IVec3::new(a, b, c), IVec3::new(c, a, b));
            let (v, w) = (Vec3::new(x, y, z), Vec3::new(z, x, y));
            let near = |i: Interval, x: f64| i.lo - 1e-12 <= x && x <= i.hi + 1e-12;
            prop_assert!(near(i.dot(j), v.dot(&w)) && near(i.norm_squared(), v.norm_squared()));
            let (cross, real) = (i.cross(j), v.cross(&w));
            prop_assert!(near(cross.x, real.x) && near(cross.y, real.y) && near(cross.z, real.z));
            prop_assert!((i + j).contains(&(v + w)) && (i - j).contains(&(v - w)));
            prop_assert!((i * a).contains(&(v * x)));
            prop_assert!(i.hull(j).contains(&w));
        }
    }
}
