//! Polynomials with integer coefficients.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

/// A time: `numerator / 2^shift`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dyadic {
    pub numerator: BigInt,
    pub shift: u64,
}

impl Dyadic {
    pub fn integer(x: i64) -> Self {
        Self {
            numerator: BigInt::from(x),
            shift: 0,
        }
    }

    /// Returns the midpoint of two times.
    pub fn middle(&self, other: &Self) -> Self {
        let shift = self.shift.max(other.shift);
        let raised = |x: &Self| &x.numerator << (shift - x.shift);
        Self {
            numerator: raised(self) + raised(other),
            shift: shift + 1,
        }
    }
}

/// Coefficients, lowest power first, without leading zeros; empty for zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Polynomial(Vec<BigInt>);

impl Polynomial {
    pub fn new(mut coefficients: Vec<BigInt>) -> Self {
        while coefficients.last().is_some_and(BigInt::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the degree; 0 for constants and zero.
    pub fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    fn leading(&self) -> &BigInt {
        self.0.last().expect("not zero")
    }

    fn combined(&self, other: &Self, op: impl Fn(&BigInt, &BigInt) -> BigInt) -> Self {
        let zero = BigInt::zero();
        let term = |x: &Self, i: usize| x.0.get(i).unwrap_or(&zero).clone();
        let n = self.0.len().max(other.0.len());
        Self::new(
            (0..n)
                .map(|i| op(&term(self, i), &term(other, i)))
                .collect(),
        )
    }

    pub fn plus(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a + b)
    }

    pub fn minus(&self, other: &Self) -> Self {
        self.combined(other, |a, b| a - b)
    }

    pub fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::new(Vec::new());
        }
        let mut product = vec![BigInt::zero(); self.0.len() + other.0.len() - 1];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self::new(product)
    }

    pub fn negated(&self) -> Self {
        Self(self.0.iter().map(|c| -c).collect())
    }

    pub fn derivative(&self) -> Self {
        let terms = self.0.iter().enumerate().skip(1);
        Self::new(terms.map(|(i, c)| c * BigInt::from(i)).collect())
    }

    /// Returns the polynomial divided by the positive greatest common divisor of its coefficients.
    pub fn primitive(&self) -> Self {
        let content = self.0.iter().fold(BigInt::zero(), |g, c| g.gcd(c));
        if content.is_zero() || content.is_one() {
            return self.clone();
        }
        Self(self.0.iter().map(|c| c / &content).collect())
    }

    /// Returns quotient and remainder of `self`, times a positive number, by a non-zero divisor.
    fn divided(&self, divisor: &Self) -> (Self, Self) {
        let size = divisor.leading().abs();
        let sign = divisor.leading().signum();
        let mut rest = self.clone();
        let mut quotient = Vec::new();
        while !rest.is_zero() && rest.0.len() >= divisor.0.len() {
            let shift = rest.0.len() - divisor.0.len();
            let factor = rest.leading() * &sign;
            for c in &mut quotient {
                *c *= &size;
            }
            if quotient.len() <= shift {
                quotient.resize(shift + 1, BigInt::zero());
            }
            quotient[shift] += &factor;
            let mut next: Vec<_> = rest.0.iter().map(|c| c * &size).collect();
            for (i, c) in divisor.0.iter().enumerate() {
                next[i + shift] -= &factor * c;
            }
            rest = Self::new(next);
        }
        (Self::new(quotient), rest)
    }

    /// Returns the primitive greatest common divisor; if one is zero, the other one.
    pub fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.primitive(), other.primitive());
        while !b.is_zero() {
            let rest = a.divided(&b).1.primitive();
            a = std::mem::replace(&mut b, rest);
        }
        a
    }

    /// Returns the polynomial with the same roots, each of them simple. `self` must not be zero.
    pub fn square_free(&self) -> Self {
        let common = self.common_divisor(&self.derivative());
        if common.degree() == 0 {
            return self.primitive();
        }
        self.divided(&common).0.primitive()
    }

    /// Returns the sign of the value at a time.
    pub fn sign_at(&self, t: &Dyadic) -> i32 {
        // Horner's scheme times 2^(shift * degree).
        let mut value = BigInt::zero();
        for (power, c) in self.0.iter().rev().enumerate() {
            value = value * &t.numerator + (c << (t.shift * power as u64));
        }
        sign(&value)
    }

    /// Returns Sturm's sequence of a square-free polynomial.
    pub fn sturm(&self) -> Sturm {
        let mut chain = vec![self.clone()];
        let mut next = self.derivative();
        while !next.is_zero() {
            let rest = chain[chain.len() - 1]
                .divided(&next)
                .1
                .negated()
                .primitive();
            chain.push(next);
            next = rest;
        }
        Sturm(chain)
    }
}

/// Returns -1, 0 or 1.
pub(crate) fn sign(x: &BigInt) -> i32 {
    i32::from(x.is_positive()) - i32::from(x.is_negative())
}

/// Sturm's sequence.
#[derive(Clone, Debug)]
pub(crate) struct Sturm(Vec<Polynomial>);

impl Sturm {
    fn changes(&self, t: &Dyadic) -> usize {
        let mut last = 0;
        let mut changes = 0;
        for p in &self.0 {
            let s = p.sign_at(t);
            if s != 0 {
                changes += usize::from(last != 0 && s != last);
                last = s;
            }
        }
        changes
    }

    /// Returns the number of roots in `(from, to]`.
    pub fn roots(&self, from: &Dyadic, to: &Dyadic) -> usize {
        self.changes(from) - self.changes(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(c: &[i64]) -> Polynomial {
        Polynomial::new(c.iter().map(|&x| BigInt::from(x)).collect())
    }

    fn at(numerator: i64, shift: u64) -> Dyadic {
        Dyadic {
            numerator: BigInt::from(numerator),
            shift,
        }
    }

    #[test]
    fn products_are_taken_apart_again() {
        // (2x - 1)^2 (x + 3) and (2x - 1)(x - 5).
        let half = of(&[-1, 2]);
        let a = half.times(&half).times(&of(&[3, 1]));
        let b = half.times(&of(&[-5, 1]));
        assert_eq!(a.common_divisor(&b), half);
        let once = half.times(&of(&[3, 1]));
        assert!([once.clone(), once.negated()].contains(&a.square_free()));
        assert_eq!(a.square_free().sturm().roots(&at(0, 0), &at(1, 0)), 1);
        assert_eq!(a.square_free().sturm().roots(&at(-4, 0), &at(1, 0)), 2);
    }

    #[test]
    fn the_end_of_a_half_open_interval_counts_and_its_beginning_does_not() {
        // x (2x - 1) (x - 1).
        let p = of(&[0, 1]).times(&of(&[-1, 2])).times(&of(&[-1, 1]));
        let sturm = p.sturm();
        assert_eq!(sturm.roots(&at(0, 0), &at(1, 0)), 2);
        assert_eq!(sturm.roots(&at(0, 0), &at(1, 1)), 1);
        assert_eq!(sturm.roots(&at(1, 1), &at(3, 2)), 0);
        assert_eq!(sturm.roots(&at(-1, 0), &at(1, 2)), 1);
    }

    #[test]
    fn signs_at_fractions_are_exact() {
        // x^2 - 2 near its root, to 2^-200.
        let p = of(&[-2, 0, 1]);
        let (mut low, mut high) = (at(1, 0), at(2, 0));
        for _ in 0..200 {
            let middle = low.middle(&high);
            if p.sign_at(&middle) < 0 {
                low = middle;
            } else {
                high = middle;
            }
        }
        assert_eq!((p.sign_at(&low), p.sign_at(&high)), (-1, 1));
        assert_eq!(p.sturm().roots(&low, &high), 1);
        assert_eq!(p.sign_at(&at(0, 0)), -1);
        assert_eq!(Polynomial::new(vec![]).sign_at(&at(1, 0)), 0);
    }
}
