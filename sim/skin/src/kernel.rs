//! How the potential of a primitive falls with distance.
//!
//! # Theory
//!
//! Of the functions that the source compares (Triquet 2001, sections 1.2.4 and 3.2.1) all are here,
//! with what its scan lost restored: Gascuel's for any `p`, Blanc's and Schlick's with 5.5 where
//! 4.5 is printed, which would leave a step at half the radius. They are written in the square of
//! the distance over the radius, `u = (d/R)²`, since for the one that is used by default, and two
//! others, no root is ever needed.
//!
//! All fall, none is negative. Those of finite support are 0 from `u = 1` on. All but
//! [`Kernel::Step`], [`Kernel::Linear`] and [`Kernel::Inverse`] have a continuous slope.

/// A falling function of distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Kernel {
    /// `(1 - u)²` (Murakami, Ichihara 1987): the cheapest of all, and what the library uses.
    #[default]
    Murakami,
    /// `1 - 22/9 u + 17/9 u² - 4/9 u³` (Wyvill, McPheeters, Wyvill 1986).
    Wyvill,
    /// Metaballs (Nishimura et al. 1985): highest 4/3.
    Nishimura,
    /// `p`: how steep it is at half the radius, where it is 1/2 (Gascuel 1993); above 0, at most 6.
    Gascuel(f64),
    /// `p`: how soft it is (Blanc, Schlick 1995); a millionth to a million. 1/2 at half the radius.
    BlancSchlick(f64),
    /// `exp(-a u)` (Blinn 1982), `a` above 0. Reaches everywhere.
    Blinn(f64),
    /// `1 / d`. Reaches everywhere, and is infinite at 0.
    Inverse,
    /// 1/2 up to the radius: surfaces that do not blend.
    Step,
    /// `1 - d`.
    Linear,
}

/// Of a number that a kernel cannot have.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{kernel:?}: its parameter has to be above 0, from {least} to {most}")]
pub struct KernelError {
    /// As given.
    pub kernel: Kernel,
    /// Smallest that it may be.
    pub least: f64,
    /// Largest that it may be.
    pub most: f64,
}

impl Kernel {
    /// Whether its parameter, if it has one, leaves it falling everywhere and never negative.
    ///
    /// # Errors
    /// [`KernelError`]: it does not, or is NaN.
    pub fn check(self) -> Result<(), KernelError> {
        let (p, least, most) = match self {
            // Beyond 6 the outer branch is negative before it ends: its factor is (p - 2) + (8 -
            // 2p) d.
            Kernel::Gascuel(p) => (p, f64::from_bits(1), 6.0),
            // Near half the radius its denominator is the difference of two numbers as large as
            // `p`, and 1.125: of too large ones that is rounding. Of too small ones the slope at 0
            // is a division by the square of nothing.
            Kernel::BlancSchlick(p) => (p, 1e-6, 1e6),
            Kernel::Blinn(p) => (p, f64::from_bits(1), f64::MAX),
            _ => return Ok(()),
        };
        if (least..=most).contains(&p) {
            Ok(())
        } else {
            Err(KernelError {
                kernel: self,
                least,
                most,
            })
        }
    }

    /// Whether it is 0 from its radius on.
    #[must_use]
    pub fn is_finite(self) -> bool {
        !matches!(self, Kernel::Blinn(_) | Kernel::Inverse)
    }

    /// At the square of distance over radius. Real-time callable.
    #[inline]
    #[must_use]
    pub fn value(self, u: f64) -> f64 {
        self.with_slope(u).0
    }

    /// Value, and how it changes with `u`; where it has no slope (at 0 of those with a tip there,
    /// at a step) that is 0. Real-time callable.
    #[inline]
    #[must_use]
    pub fn with_slope(self, u: f64) -> (f64, f64) {
        if self.is_finite() && u >= 1.0 {
            return (0.0, 0.0);
        }
        match self {
            Kernel::Murakami => {
                let v = 1.0 - u;
                (v * v, -2.0 * v)
            }
            Kernel::Wyvill => (
                1.0 + u * (-22.0 / 9.0 + u * (17.0 / 9.0 - u * (4.0 / 9.0))),
                -22.0 / 9.0 + u * (34.0 / 9.0 - u * (12.0 / 9.0)),
            ),
            Kernel::Nishimura if u <= 1.0 / 9.0 => (4.0 / 3.0 - 4.0 * u, -4.0),
            Kernel::Nishimura => {
                let d = u.sqrt();
                // 2 (1-d)², whose slope in d is -4 (1-d).
                (2.0 * (1.0 - d) * (1.0 - d), -2.0 * (1.0 - d) / d)
            }
            Kernel::Gascuel(p) => {
                let d = u.sqrt();
                if d < 0.5 {
                    (0.5 * (1.0 + p * (0.5 - d)), by_u(-0.5 * p, d))
                } else {
                    let (a, b, v) = (p - 2.0, 8.0 - 2.0 * p, 1.0 - d);
                    let slope = b * v * v - 2.0 * (a + b * d) * v;
                    ((a + b * d) * v * v, by_u(slope, d))
                }
            }
            Kernel::BlancSchlick(p) => {
                let (top, top_slope, bottom, bottom_slope, from) = if u < 0.25 {
                    let k = 4.5 - 4.0 * p;
                    (-9.0 * u * u, -18.0 * u, p + k * u, k, 1.0)
                } else {
                    let (v, k) = (1.0 - u, 1.5 + 4.0 * p);
                    (v * v, -2.0 * v, 0.75 - p + k * u, k, 0.0)
                };
                let slope = (top_slope * bottom - top * bottom_slope) / (bottom * bottom);
                (from + top / bottom, slope)
            }
            Kernel::Blinn(a) => {
                let f = (-a * u).exp();
                (f, -a * f)
            }
            Kernel::Inverse => {
                let d = u.sqrt();
                (1.0 / d, by_u(-1.0 / u, d))
            }
            Kernel::Step => (0.5, 0.0),
            Kernel::Linear => {
                let d = u.sqrt();
                (1.0 - d, by_u(-1.0, d))
            }
        }
    }

    /// Largest distance over radius at which it is `share` or more: how far the surface of a lone
    /// primitive is from what it is about. 0: it is nowhere.
    #[must_use]
    pub fn reach(self, share: f64) -> f64 {
        if self == Kernel::Murakami {
            return (1.0 - share.max(0.0).sqrt()).max(0.0).sqrt();
        }
        let is_in = |d: f64| self.value(d * d) >= share;
        let mut high = 1.0;
        while !self.is_finite() && is_in(high) && high < 1e6 {
            high *= 2.0;
        }
        let mut low = 0.0;
        // As many halvings as the mantissa has bits.
        for _ in 0..53 {
            let middle = 0.5 * (low + high);
            if is_in(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }
}

/// A slope in `d` as one in `u = d²`; none at a tip.
#[inline]
fn by_u(slope: f64, d: f64) -> f64 {
    if d > 0.0 { 0.5 * slope / d } else { 0.0 }
}
