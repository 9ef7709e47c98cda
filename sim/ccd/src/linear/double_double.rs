//! Double-double numbers: an unevaluated sum of two `f64` (Dekker 1971), about 106 bits.
//!
//! Contains only what the refinement needs. With `u = 2^-53`, every operation has an absolute error
//! of at most `8 u^2` times the sum of the sizes of its operands (sums) or the product of their
//! sizes (products), as long as nothing under- or overflows. No fused operations, so that the
//! result is the same on every processor.

use std::ops::{Add, Mul, Neg, Sub};

use super::polynomials::Number;

/// `high + low`, `|low| <= u |high|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DoubleDouble {
    high: f64,
    low: f64,
}

/// `a + b` exactly.
#[inline(always)]
fn sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    let t = s - a;
    (s, (a - (s - t)) + (b - t))
}

/// `a + b` exactly if `|a| >= |b|`.
#[inline(always)]
fn quick_sum(a: f64, b: f64) -> (f64, f64) {
    let s = a + b;
    (s, b - (s - a))
}

/// Splits `a` into two halves of 26 bits.
#[inline(always)]
fn halves(a: f64) -> (f64, f64) {
    let c = 134_217_729.0 * a;
    let high = c - (c - a);
    (high, a - high)
}

/// `a b` exactly.
#[inline(always)]
fn product(a: f64, b: f64) -> (f64, f64) {
    let p = a * b;
    let ((ah, al), (bh, bl)) = (halves(a), halves(b));
    (p, ((ah * bh - p) + ah * bl + al * bh) + al * bl)
}

impl DoubleDouble {
    /// `a - b`, exactly.
    #[inline(always)]
    pub fn difference(a: f64, b: f64) -> Self {
        let (high, low) = sum(a, -b);
        Self { high, low }
    }
}

impl Number for DoubleDouble {
    #[inline(always)]
    fn value(self) -> f64 {
        self.high
    }

    #[inline(always)]
    fn half(self) -> Self {
        Self {
            high: 0.5 * self.high,
            low: 0.5 * self.low,
        }
    }

    #[inline(always)]
    fn times(self, x: f64) -> Self {
        let (p, e) = product(self.high, x);
        let (high, low) = quick_sum(p, e + self.low * x);
        Self { high, low }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let (s, e) = sum(self.high, o.high);
        let (high, low) = quick_sum(s, e + (self.low + o.low));
        Self { high, low }
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self {
            high: -self.high,
            low: -self.low,
        }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        let (p, e) = product(self.high, o.high);
        let (high, low) = quick_sum(p, e + (self.high * o.low + self.low * o.high));
        Self { high, low }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_and_sums_keep_what_plain_numbers_lose() {
        let tiny = f64::EPSILON / 8.0;
        let one_and = DoubleDouble::difference(1.0, -tiny);
        assert_eq!(one_and.value(), 1.0);
        assert_eq!((one_and - DoubleDouble::difference(1.0, 0.0)).value(), tiny);
        // (1 + e)^2 - 1 = 2 e + e^2, with e = 2^-40.
        let e = 0.5f64.powi(40);
        let plus = DoubleDouble::difference(1.0, -e);
        let square = plus * plus - DoubleDouble::difference(1.0, 0.0);
        assert_eq!(square.value(), 2.0 * e + e * e);
        assert_eq!(
            one_and.times(3.0) - DoubleDouble::difference(3.0, 0.0),
            DoubleDouble::difference(3.0 * tiny, 0.0)
        );
        assert_eq!(one_and.half() + one_and.half(), one_and);
    }

    #[test]
    fn products_are_exact_in_two_parts() {
        // 53-bit factors against 128-bit integers.
        let mut x = 0x1234_5678_9abc_def1_u64;
        for _ in 0..10_000 {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let (a, b) = (x >> 11, (x.rotate_left(32)) >> 11);
            let (high, low) = product(a as f64, b as f64);
            assert_eq!(high as i128 + low as i128, i128::from(a) * i128::from(b));
        }
    }
}
