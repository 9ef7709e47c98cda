//! Real roots in `[0, 1]`, and signs of other polynomials at them.

use crate::polynomial::{Dyadic, Polynomial, Sturm};

/// A root of a square-free polynomial: the only one in `(low, high]`, or `low` itself if the two
/// are equal.
#[derive(Clone, Debug)]
pub(crate) struct Root {
    polynomial: Polynomial,
    sturm: Sturm,
    pub low: Dyadic,
    pub high: Dyadic,
}

/// Returns the root at a known time.
pub(crate) fn at(time: i64) -> Root {
    let polynomial = Polynomial::new(vec![(-time).into(), 1.into()]);
    Root {
        sturm: polynomial.sturm(),
        polynomial,
        low: Dyadic::integer(time),
        high: Dyadic::integer(time),
    }
}

/// Returns all roots in `[0, 1]`, in order, of a non-zero polynomial.
pub(crate) fn roots(polynomial: &Polynomial) -> Vec<Root> {
    let mut found = Vec::new();
    if polynomial.degree() == 0 {
        return found;
    }
    let polynomial = polynomial.square_free();
    let sturm = polynomial.sturm();
    let (zero, one) = (Dyadic::integer(0), Dyadic::integer(1));
    if polynomial.sign_at(&zero) == 0 {
        found.push(at(0));
    }
    // The earliest is last.
    let mut pending = vec![(zero, one)];
    while let Some((low, high)) = pending.pop() {
        match sturm.roots(&low, &high) {
            0 => {}
            1 => found.push(Root {
                polynomial: polynomial.clone(),
                sturm: sturm.clone(),
                low,
                high,
            }),
            _ => {
                let middle = low.middle(&high);
                pending.push((middle.clone(), high));
                pending.push((low, middle));
            }
        }
    }
    found
}

impl Root {
    fn exact(&self) -> bool {
        self.low == self.high
    }

    /// Halves the interval.
    pub fn refine(&mut self) {
        if self.exact() {
            return;
        }
        if self.polynomial.sign_at(&self.high) == 0 {
            self.low = self.high.clone();
            return;
        }
        let middle = self.low.middle(&self.high);
        if self.sturm.roots(&self.low, &middle) == 1 {
            self.high = middle;
        } else {
            self.low = middle;
        }
    }

    /// Returns the sign of another polynomial at this root.
    pub fn sign(&mut self, other: &Polynomial) -> i32 {
        if other.degree() == 0 {
            return other.sign_at(&self.low);
        }
        if self.exact() {
            return other.sign_at(&self.low);
        }
        let common = self.polynomial.common_divisor(other);
        if common.degree() > 0 && common.sturm().roots(&self.low, &self.high) > 0 {
            return 0;
        }
        let sturm = other.square_free().sturm();
        while !self.exact() && sturm.roots(&self.low, &self.high) > 0 {
            self.refine();
        }
        other.sign_at(&self.high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(c: &[i64]) -> Polynomial {
        Polynomial::new(c.iter().map(|&x| x.into()).collect())
    }

    #[test]
    fn roots_in_the_closed_unit_interval_are_found_in_order() {
        // x (x - 1) (3 x - 1) (x - 2): 0, 1/3, 1.
        let p = of(&[0, 1])
            .times(&of(&[-1, 1]))
            .times(&of(&[-1, 3]))
            .times(&of(&[-2, 1]));
        let mut found = roots(&p);
        assert_eq!(found.len(), 3);
        let probe = of(&[-1, 3]);
        let signs: Vec<_> = found.iter_mut().map(|r| r.sign(&probe)).collect();
        assert_eq!(signs, [-1, 0, 1]);
        // A double root counts once.
        assert_eq!(roots(&probe.times(&probe)).len(), 1);
        assert!(roots(&of(&[1, 0, 1])).is_empty() && roots(&of(&[5])).is_empty());
    }

    #[test]
    fn roots_that_differ_by_little_are_told_apart() {
        // 2^60 x - 2^59 - 1 against 2 x - 1.
        let p = of(&[-(1 << 59) - 1, 1 << 60]);
        let half = of(&[-1, 2]);
        assert_eq!(roots(&p)[0].sign(&half), 1);
        assert_eq!(roots(&half)[0].sign(&p), -1);
        // sqrt(1/2) is a root of both 2 x^2 - 1 and 2 x^3 - x, and not of 2 x^2 + x - 1.
        let square = of(&[-1, 0, 2]);
        let mut root = roots(&square).remove(0);
        assert_eq!(root.sign(&of(&[0, -1, 0, 2])), 0);
        assert_eq!(root.sign(&of(&[-1, 1, 2])), 1);
    }
}
