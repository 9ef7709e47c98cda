//! Polynomials of time up to the sixth degree, in place, and predicates: polynomials that know the
//! magnitude of the numbers that they were computed from.
//!
//! Coefficients are those of a Taylor series about *now*: `c[k]` belongs to `s^k`, `s = t - now`.
//! Nothing allocates, nothing panics; numbers that are not finite stay so.

/// Highest degree: that of the hull's predicates for points that move with the third degree.
pub const MAX_DEGREE: usize = 6;

/// Share of the sum of absolute terms below which a coefficient is rounding error: some ten
/// roundings of 1.1e-16 each.
const ROUNDING: f64 = 4e-15;

/// Share of the sum of absolute terms below which a value does not determine its sign: the rounding
/// of an event's time, and some more. A single share of 1e-9 would treat objects that differ by a
/// millionth in two coordinates as one.
pub const UNCERTAIN: f64 = 1e-13;

/// The polynomial `c[0] + c[1] s + ... + c[6] s^6`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Polynomial {
    /// Coefficients, the constant first.
    pub c: [f64; MAX_DEGREE + 1],
}

impl Polynomial {
    /// Takes coefficients, the constant first; those beyond the sixth degree are dropped.
    #[must_use]
    pub fn new(coefficients: &[f64]) -> Self {
        let mut c = [0.0; MAX_DEGREE + 1];
        for (to, from) in c.iter_mut().zip(coefficients) {
            *to = *from;
        }
        Self { c }
    }

    /// Returns the largest power with a coefficient other than zero; 0 for a constant, and for
    /// zero.
    #[must_use]
    pub fn degree(&self) -> usize {
        (1..=MAX_DEGREE)
            .rev()
            .find(|&k| self.c[k] != 0.0)
            .unwrap_or(0)
    }

    /// Returns the value at `s`, by Horner's rule.
    #[must_use]
    pub fn at(&self, s: f64) -> f64 {
        self.c.iter().rev().fold(0.0, |sum, c| sum * s + c)
    }

    /// Returns the derivative.
    #[must_use]
    pub fn derivative(&self) -> Self {
        let mut c = [0.0; MAX_DEGREE + 1];
        let mut power = 1.0;
        for k in 1..=MAX_DEGREE {
            c[k - 1] = power * self.c[k];
            power += 1.0;
        }
        Self { c }
    }

    /// Returns the same function, written about `s = by` (Taylor shift).
    #[must_use]
    pub fn shifted(&self, by: f64) -> Self {
        let mut c = self.c;
        let degree = self.degree();
        for low in 0..degree {
            for k in (low..degree).rev() {
                c[k] += by * c[k + 1];
            }
        }
        Self { c }
    }

    /// Returns whether all coefficients are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.c.iter().all(|c| c.is_finite())
    }
}

/// The polynomial of a certificate with the *sum of absolute terms* of every coefficient. A
/// coefficient that is small against that sum is rounding error and stands for zero.
///
/// For a product, the terms follow from the factors' terms as `|f| terms(g) + |g| terms(f)`, not as
/// the product of the terms. A small area of three points that nearly coincide is a product of two
/// small differences, each of which is known accurately.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Predicate {
    /// The function.
    pub value: Polynomial,
    /// Magnitude of the numbers that each coefficient was computed from.
    pub terms: Polynomial,
}

impl Predicate {
    /// Takes a motion as exact: the terms are the absolute values of its coefficients.
    #[must_use]
    pub fn exact(value: Polynomial) -> Self {
        Self {
            value,
            terms: Polynomial {
                c: value.c.map(f64::abs),
            },
        }
    }

    /// Returns the sign just after now: that of the value if it is clear, else that of the first
    /// derivative that is not zero. 0 for a function that is identically zero.
    #[must_use]
    pub fn sign_after(&self) -> f64 {
        if self.value.c[0].abs() > UNCERTAIN * self.terms.c[0] {
            return self.value.c[0].signum();
        }
        (1..=MAX_DEGREE)
            .find(|&k| self.value.c[k].abs() > UNCERTAIN * self.terms.c[k])
            .map_or(0.0, |k| self.value.c[k].signum())
    }

    /// Returns the same function with zeros in place of rounding errors.
    #[must_use]
    pub fn cleaned(&self) -> Polynomial {
        let mut c = self.value.c;
        for (c, terms) in c.iter_mut().zip(&self.terms.c) {
            if c.abs() <= ROUNDING * terms {
                *c = 0.0;
            }
        }
        Polynomial { c }
    }
}

impl std::ops::Sub for Predicate {
    type Output = Self;
    fn sub(mut self, other: Self) -> Self {
        for k in 0..=MAX_DEGREE {
            self.value.c[k] -= other.value.c[k];
            self.terms.c[k] += other.terms.c[k];
        }
        self
    }
}

impl std::ops::Add for Predicate {
    type Output = Self;
    fn add(mut self, other: Self) -> Self {
        for k in 0..=MAX_DEGREE {
            self.value.c[k] += other.value.c[k];
            self.terms.c[k] += other.terms.c[k];
        }
        self
    }
}

impl std::ops::Neg for Predicate {
    type Output = Self;
    fn neg(mut self) -> Self {
        self.value.c = self.value.c.map(|c| -c);
        self
    }
}

impl std::ops::Mul for Predicate {
    type Output = Self;
    /// Powers above the sixth are dropped: factors of at most the third degree have none.
    fn mul(self, other: Self) -> Self {
        let (mut value, mut terms) = (Polynomial::default(), Polynomial::default());
        let (mine, theirs) = (self.terms.degree(), other.terms.degree());
        for i in 0..=mine {
            for k in 0..=theirs.min(MAX_DEGREE - i) {
                value.c[i + k] += self.value.c[i] * other.value.c[k];
                terms.c[i + k] += self.terms.c[i] * other.value.c[k].abs()
                    + self.value.c[i].abs() * other.terms.c[k];
            }
        }
        Self { value, terms }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifting_keeps_the_function() {
        let p = Polynomial::new(&[1.0, -2.0, 0.5, 3.0, -1.0, 0.25, 0.125]);
        let q = p.shifted(0.75);
        for k in 0..20 {
            let s = f64::from(k) * 0.1 - 1.0;
            assert!((q.at(s) - p.at(s + 0.75)).abs() < 1e-12);
        }
    }

    #[test]
    fn products_and_derivatives_are_those_of_functions() {
        let p = Polynomial::new(&[1.0, 2.0, -1.0, 0.5]);
        let q = Polynomial::new(&[-3.0, 0.25, 1.5, 2.0]);
        let r = (Predicate::exact(p) * Predicate::exact(q)).value;
        assert!((r.at(0.7) - p.at(0.7) * q.at(0.7)).abs() < 1e-13);
        let slope = (r.at(0.7 + 1e-6) - r.at(0.7 - 1e-6)) / 2e-6;
        assert!((r.derivative().at(0.7) - slope).abs() < 1e-7);
    }

    #[test]
    fn a_difference_of_equals_is_zero_and_has_no_sign() {
        let third = Predicate::exact(Polynomial::new(&[0.1 + 0.2, 1.0]));
        let other = Predicate::exact(Polynomial::new(&[0.3, 1.0]));
        let f = third - other;
        assert_ne!(f.value.c[0], 0.0);
        assert_eq!(f.cleaned(), Polynomial::default());
        assert_eq!(f.sign_after(), 0.0);
        let rising = Predicate::exact(Polynomial::new(&[0.0, 0.0, 2.0]));
        assert_eq!(rising.sign_after(), 1.0);
        assert_eq!((-rising).sign_after(), -1.0);
    }
}
