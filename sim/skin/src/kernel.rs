//! How the potential of a primitive falls with distance.
//!
//! # Theory
//!
//! All functions that the source compares are here (Triquet 2001, sections 1.2.4 and 3.2.1), with
//! what its scan lost restored: Gascuel's for any `p`, and Blanc's and Schlick's with 5.5 where 4.5
//! is printed, which would leave a step at half the radius. They are functions of the squared
//! distance over the radius, `u = (d/R)²`. So the default kernel and two others never need a root.
//!
//! All fall monotonically, and none is negative. Those with finite support are 0 from `u = 1` on.
//! All but [`Kernel::Step`], [`Kernel::Linear`] and [`Kernel::Inverse`] have a continuous slope.

/// A decreasing function of distance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Kernel {
    /// `(1 - u)²` (Murakami, Ichihara 1987): the cheapest, and the default.
    #[default]
    Murakami,
    /// `1 - 22/9 u + 17/9 u² - 4/9 u³` (Wyvill, McPheeters, Wyvill 1986).
    Wyvill,
    /// Metaballs (Nishimura et al. 1985); maximum 4/3.
    Nishimura,
    /// Steepness `p` at half the radius, where the value is 1/2 (Gascuel 1993); above 0, at most 6.
    Gascuel(f64),
    /// Softness `p` (Blanc, Schlick 1995), from a millionth to a million. The value is 1/2 at half
    /// the radius.
    BlancSchlick(f64),
    /// `exp(-a u)` (Blinn 1982), `a` above 0. Infinite support.
    Blinn(f64),
    /// `1 / d`. Infinite support, and infinite at 0.
    Inverse,
    /// 1/2 up to the radius: surfaces do not blend.
    Step,
    /// `1 - d`.
    Linear,
}

/// A kernel parameter out of range.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("{kernel:?}: its parameter has to be above 0, from {least} to {most}")]
pub struct KernelError {
    /// Kernel as given.
    pub kernel: Kernel,
    /// Smallest allowed parameter.
    pub least: f64,
    /// Largest allowed parameter.
    pub most: f64,
}

impl Kernel {
    /// Checks that the parameter, if any, keeps the kernel decreasing and nonnegative.
    ///
    /// # Errors
    /// [`KernelError`]: it is out of range or NaN.
    pub fn check(self) -> Result<(), KernelError> {
        let (p, least, most) = match self {
            // Beyond 6 the outer branch is negative before it ends: its factor is (p - 2) + (8 -
            // 2p) d.
            Kernel::Gascuel(p) => (p, f64::from_bits(1), 6.0),
            // Near half the radius the denominator is a difference of two numbers as large as `p`,
            // and equals 1.125: for a large `p` it is mostly rounding. For a small `p` the slope at
            // 0 divides by the square of almost 0.
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

    /// True if the kernel is 0 from its radius on.
    #[must_use]
    pub fn is_finite(self) -> bool {
        !matches!(self, Kernel::Blinn(_) | Kernel::Inverse)
    }

    /// Value at `u`, the square of distance over radius. Real-time callable.
    #[inline]
    #[must_use]
    pub fn value(self, u: f64) -> f64 {
        self.with_slope(u).0
    }

    /// Value, and its derivative with respect to `u`. The derivative is 0 where it does not exist
    /// (a tip at 0, a step). Real-time callable.
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
                // 2 (1-d)², with slope -4 (1-d) in d.
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

    /// Largest distance over radius at which the value is at least `share`: the distance of a lone
    /// primitive's surface from its skeleton. 0 if there is no such distance.
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
        // One bisection per bit of the mantissa.
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

/// Converts a slope in `d` to one in `u = d²`; 0 at a tip.
#[inline]
fn by_u(slope: f64, d: f64) -> f64 {
    if d > 0.0 { 0.5 * slope / d } else { 0.0 }
}
