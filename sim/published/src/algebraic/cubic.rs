//! Real roots of a cubic in an interval.
//!
//! Not Cardano: the interval is split where the derivative vanishes. In each part the cubic is
//! monotone, and a root is bracketed and found by Newton steps that never leave the bracket. So
//! vanishing leading coefficients are no special case, and roots come sorted. A root that touches
//! zero without crossing is found where the extremum is zero to rounding.

/// Value of `c[3] x^3 + c[2] x^2 + c[1] x + c[0]`.
#[inline]
#[must_use]
pub fn value(c: &[f64; 4], x: f64) -> f64 {
    ((c[3] * x + c[2]) * x + c[1]) * x + c[0]
}

/// Derivative at `x`.
#[inline]
fn slope(c: &[f64; 4], x: f64) -> f64 {
    (3.0 * c[3] * x + 2.0 * c[2]) * x + c[1]
}

/// Bound on the rounding error of [`value`] for `|x| <= most`.
#[inline]
fn rounding(c: &[f64; 4], most: f64) -> f64 {
    let sum = ((c[3].abs() * most + c[2].abs()) * most + c[1].abs()) * most + c[0].abs();
    8.0 * f64::EPSILON * sum
}

/// Real roots of a quadratic `c[2] x^2 + c[1] x + c[0]`, ascending, and their number; no roots if
/// it is zero or not finite.
#[must_use]
pub fn quadratic_roots(c: &[f64; 3]) -> ([f64; 2], usize) {
    let [c0, half, c2] = [c[0], 0.5 * c[1], c[2]];
    let discriminant = half * half - c2 * c0;
    if !(discriminant >= 0.0) {
        return ([0.0; 2], 0);
    }
    let q = -(half + discriminant.sqrt().copysign(half));
    let (x, y) = (c0 / q, q / c2);
    match (x.is_finite(), y.is_finite()) {
        (true, true) if x == y => ([x, 0.0], 1),
        (true, true) => ([x.min(y), x.max(y)], 2),
        (true, false) => ([x, 0.0], 1),
        (false, true) => ([y, 0.0], 1),
        _ => ([0.0; 2], 0),
    }
}

/// Roots in `[low, high]`, ascending, and their number. Coefficients from the constant upwards.
///
/// Returns none for the zero polynomial, for which every number is a root, and for non-finite
/// coefficients. Real-time safe.
#[must_use]
pub fn roots_in(c: &[f64; 4], low: f64, high: f64) -> ([f64; 3], usize) {
    let mut roots = [0.0; 3];
    let mut count = 0;
    let finite = c.iter().sum::<f64>().is_finite() && low <= high;
    if !finite || c.iter().all(|&x| x == 0.0) {
        return (roots, count);
    }
    let zero = rounding(c, low.abs().max(high.abs()));
    let mut cuts = [low, high, high, high];
    let mut parts = 1;
    let (extrema, n) = quadratic_roots(&[c[1], 2.0 * c[2], 3.0 * c[3]]);
    for &x in &extrema[..n] {
        if low < x && x < high {
            cuts[parts] = x;
            parts += 1;
            cuts[parts] = high;
        }
    }
    let mut add = |x: f64| {
        if count < 3 && (count == 0 || x > roots[count - 1]) {
            roots[count] = x;
            count += 1;
        }
    };
    for k in 0..parts {
        let (from, to) = (cuts[k], cuts[k + 1]);
        let (at_from, at_to) = (value(c, from), value(c, to));
        if at_from.abs() <= zero {
            add(from);
        } else if at_from.signum() != at_to.signum() && at_to.abs() > zero {
            add(enclosed_root(c, from, to, at_from));
        }
        if k + 1 == parts && at_to.abs() <= zero {
            add(to);
        }
    }
    (roots, count)
}

/// Finds the root between two numbers at which a monotone cubic has different signs: Newton, with
/// bisection where a step leaves the bracket.
fn enclosed_root(c: &[f64; 4], mut low: f64, mut high: f64, at_low: f64) -> f64 {
    let mut x = 0.5 * (low + high);
    for _ in 0..200 {
        let y = value(c, x);
        if y == 0.0 {
            return x;
        }
        if y.signum() == at_low.signum() {
            low = x;
        } else {
            high = x;
        }
        let newton = x - y / slope(c, x);
        let next = if low < newton && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        if next == x || !(low < next && next < high) {
            break;
        }
        // Newton steps come from one side and may leave the bracket wide: stop when they no longer
        // move.
        if (next - x).abs() <= f64::EPSILON * x.abs() {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn from_roots(scale: f64, r: &[f64; 3]) -> [f64; 4] {
        [
            -scale * r[0] * r[1] * r[2],
            scale * (r[0] * r[1] + r[1] * r[2] + r[2] * r[0]),
            -scale * (r[0] + r[1] + r[2]),
            scale,
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn known_roots_are_found(mut r in prop::array::uniform3(-1.0..2.0f64), e in -6.0..6.0f64) {
            r.sort_by(f64::total_cmp);
            prop_assume!(r[1] - r[0] > 1e-3 && r[2] - r[1] > 1e-3);
            prop_assume!(r.iter().all(|x| x.abs() > 1e-6 && (x - 1.0).abs() > 1e-6));
            let c = from_roots(10f64.powf(e), &r);
            let (found, n) = roots_in(&c, 0.0, 1.0);
            let expected: Vec<f64> = r.into_iter().filter(|x| (0.0..=1.0).contains(x)).collect();
            prop_assert_eq!(n, expected.len());
            for (x, y) in found.iter().zip(&expected) {
                prop_assert!((x - y).abs() < 1e-9, "{} {}", x, y);
            }
        }

        /// However small the leading coefficients, the sign does not change between two roots or up
        /// to the ends.
        #[test]
        fn signs_change_only_at_roots(c in prop::array::uniform4(-1.0..1.0f64), e in prop::array::uniform4(-20.0..0.0f64)) {
            let c = [0, 1, 2, 3].map(|i| c[i] * 10f64.powf(e[i]));
            let (found, n) = roots_in(&c, 0.0, 1.0);
            prop_assert!(found[..n].windows(2).all(|w| w[0] < w[1]));
            let mut cuts = vec![0.0];
            cuts.extend_from_slice(&found[..n]);
            cuts.push(1.0);
            for w in cuts.windows(2) {
                let inside = |k: i32| w[0] + (w[1] - w[0]) * (0.01 + 0.98 * f64::from(k) / 20.0);
                let zero = rounding(&c, 1.0);
                let signs: Vec<f64> = (0..=20).map(|k| value(&c, inside(k))).filter(|y| y.abs() > 4.0 * zero).map(f64::signum).collect();
                prop_assert!(signs.windows(2).all(|s| s[0] == s[1]), "{:?} {:?}", c, cuts);
            }
        }
    }

    #[test]
    fn double_roots_ends_lines_and_nothing() {
        let c = from_roots(1.0, &[0.5, 0.5, 2.0]);
        let (found, n) = roots_in(&c, 0.0, 1.0);
        assert!(n == 1 && (found[0] - 0.5).abs() < 1e-7);
        assert_eq!(roots_in(&[0.0, 1.0, 0.0, 0.0], 0.0, 1.0), ([0.0; 3], 1));
        assert_eq!(
            roots_in(&[-1.0, 1.0, 0.0, 0.0], 0.0, 1.0),
            ([1.0, 0.0, 0.0], 1)
        );
        assert_eq!(roots_in(&[-0.09, 0.1, 0.0, 0.0], 0.0, 1.0).1, 1);
        assert_eq!(roots_in(&[1.0, 0.0, 0.0, 0.0], 0.0, 1.0).1, 0);
        assert_eq!(roots_in(&[0.0; 4], 0.0, 1.0).1, 0);
        assert_eq!(roots_in(&[f64::NAN, 1.0, 1.0, 1.0], 0.0, 1.0).1, 0);
    }
}
