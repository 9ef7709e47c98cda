//! Conversion between rational numbers and `f64`.

use num_bigint::BigInt;
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{Signed, ToPrimitive, Zero};

/// Returns the `f64` nearest to a rational number: ties to even, subnormal numbers included,
/// infinite beyond the largest.
#[must_use]
pub fn nearest_f64(x: &BigRational) -> f64 {
    if x.is_zero() {
        return 0.0;
    }
    let (n, d) = (x.numer().abs(), x.denom().clone());
    // A quotient of 53 or 54 bits, or fewer if the result is subnormal, in units of 2^-shift.
    let shift = (53 - (n.bits() as i64 - d.bits() as i64)).min(1074);
    let scale = |x: &BigInt, by: i64| if by > 0 { x << by } else { x.clone() };
    let (mut shift, mut q, mut r, d) = {
        let (n, d) = (scale(&n, shift), scale(&d, -shift));
        let (q, r) = n.div_rem(&d);
        (shift, q, r, d)
    };
    let mut d = d;
    if q.bits() > 53 {
        // One bit too many: it becomes part of the remainder.
        if q.is_odd() {
            r += &d;
        }
        q >>= 1;
        d <<= 1;
        shift -= 1;
    }
    let twice = &r << 1;
    if twice > d || (twice == d && q.is_odd()) {
        q += 1;
    }
    let q = q.to_u64().map_or(f64::INFINITY, |q| q as f64);
    // Both factors are exact, and so is the second product. It takes two steps because 2^-shift
    // alone may be out of range.
    let half = (-shift / 2) as i32;
    let size = q * 2f64.powi(half) * 2f64.powi((-shift) as i32 - half);
    if x.is_negative() { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: i128, d: i128) -> f64 {
        nearest_f64(&BigRational::new(n.into(), d.into()))
    }

    #[test]
    fn quotients_are_rounded_as_the_processor_does() {
        let mut x = 7_u64;
        for _ in 0..20_000 {
            x = x
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let (n, d) = (
                (x >> 11) as i64 - (1 << 52),
                (x.rotate_left(29) >> (11 + x % 40)) as i64 + 1,
            );
            assert_eq!(of(n.into(), d.into()), n as f64 / d as f64, "{n}/{d}");
        }
    }

    #[test]
    fn every_f64_comes_back() {
        for x in [
            1.0,
            -0.1,
            5e-324,
            2.2e-308,
            f64::MAX,
            f64::MIN_POSITIVE,
            1e-310,
            0.0,
            -3.5e200,
        ] {
            assert_eq!(nearest_f64(&BigRational::from_float(x).expect("finite")), x);
        }
    }

    #[test]
    fn ties_go_to_even_and_what_is_too_large_is_infinite() {
        let even = (1_i128 << 54) + 2;
        assert_eq!(of(even, 1), (1_u64 << 54) as f64);
        assert_eq!(of(even + 1, 1), (1_u64 << 54) as f64 + 4.0);
        assert_eq!(of(even + 4, 1), (1_u64 << 54) as f64 + 8.0);
        let tiny = BigRational::new(3.into(), BigInt::from(1) << 1075);
        assert_eq!(
            nearest_f64(&tiny),
            1e-323,
            "one and a half of the least number goes to two"
        );
        let huge = BigRational::from_integer(BigInt::from(1) << 1024);
        assert_eq!(nearest_f64(&huge), f64::INFINITY);
    }
}
