//! The coplanarity cubic over a stretch of time, in Bernstein form.

use super::TINY;
use super::frame::{Frame, State};

/// Rounding error of a coefficient, in units of `f64::EPSILON` and of the product of the three
/// lengths (32 u, see the module).
const DETERMINANT_ROUNDING: f64 = 16.0;

/// `F` over one stretch, in local time from 0 to 1.
pub(super) struct Cubic {
    /// Bernstein coefficients.
    f: [f64; 4],
    /// Values that the coefficients must exceed in size to be significant.
    bound: [f64; 4],
}

/// The critical time of a stretch, where the search looks closer.
#[derive(Clone, Copy)]
pub(super) struct Critical {
    /// In local time.
    pub time: f64,
    /// Half the width around `time` on which `F` is indistinguishable from 0; NaN or large if
    /// unknown.
    pub blur: f64,
    /// Whether `F` carries any information.
    pub known: bool,
}

impl Cubic {
    #[inline]
    pub fn new(frame: &Frame, a: &State, b: &State, separation: f64) -> Self {
        let n0 = a.e1.cross(&a.e2);
        let n1 = a.e1.cross(&b.e2) + b.e1.cross(&a.e2);
        let n2 = b.e1.cross(&b.e2);
        let third = 1.0 / 3.0;
        let f = [
            a.d.dot(&n0),
            (b.d.dot(&n0) + a.d.dot(&n1)) * third,
            (b.d.dot(&n1) + a.d.dot(&n2)) * third,
            b.d.dot(&n2),
        ];
        let rounding = DETERMINANT_ROUNDING * f64::EPSILON * frame.volume + TINY;
        let mut bound = [rounding; 4];
        if separation > 0.0 {
            // The length |e1 x e2| is below the Bernstein sum of the lengths of its coefficients
            // (the middle one is n1 / 2).
            let (l0, l1, l2) = (n0.norm(), n1.norm(), n2.norm());
            let slack = DETERMINANT_ROUNDING * f64::EPSILON * frame.area;
            for (bound, length) in
                bound
                    .iter_mut()
                    .zip([l0, (l0 + l1) * third, (l1 + l2) * third, l2])
            {
                *bound += separation * (length + slack) * (1.0 + 1e-14);
            }
        }
        Self { f, bound }
    }

    /// Whether `F` proves that the features do not touch.
    #[inline]
    pub fn clear(&self) -> bool {
        let (f, e) = (&self.f, &self.bound);
        (f[0] > e[0] && f[1] > e[1] && f[2] > e[2] && f[3] > e[3])
            || (f[0] < -e[0] && f[1] < -e[1] && f[2] < -e[2] && f[3] < -e[3])
    }

    /// Whether `F` proves this at the beginning of the stretch.
    #[inline]
    pub fn clear_at_start(&self) -> bool {
        self.f[0].abs() > self.bound[0]
    }

    /// Whether `F` has certainly changed sign at the end.
    #[inline]
    pub fn crosses(&self) -> bool {
        let (f, e) = (&self.f, &self.bound);
        (f[0] > e[0] && f[3] < -e[3]) || (f[0] < -e[0] && f[3] > e[3])
    }

    /// Returns the first root or, failing that, the time of the minimum absolute value.
    pub fn critical(&self) -> Critical {
        let [f0, f1, f2, f3] = self.f;
        let noise = self.bound[0].max(self.bound[3]);
        if self.f.iter().all(|x| !(x.abs() > 4.0 * noise)) {
            return Critical {
                time: 0.5,
                blur: f64::INFINITY,
                known: false,
            };
        }
        // Power form: f0 + t (c1 + t (c2 + t c3)), with the sign chosen to be positive at the
        // beginning.
        let side = if f0 < 0.0 { -1.0 } else { 1.0 };
        let c0 = side * f0;
        let c1 = side * 3.0 * (f1 - f0);
        let c2 = side * 3.0 * (f2 - 2.0 * f1 + f0);
        let c3 = side * ((f3 - f0) - 3.0 * (f2 - f1));
        let value = |t: f64| c0 + t * (c1 + t * (c2 + t * c3));
        let slope = |t: f64| c1 + t * (2.0 * c2 + t * 3.0 * c3);
        let mut high = 1.0;
        if side * f3 > 0.0 {
            // No change of sign from end to end: take the minimum in between.
            let low = minimum(c1, c2, c3);
            if !(value(low) < 0.0) {
                return Critical {
                    time: low,
                    blur: f64::INFINITY,
                    known: true,
                };
            }
            high = low;
        }
        let time = first_root(&value, &slope, high, 0.5 * noise);
        Critical {
            time,
            blur: 2.0 * noise / slope(time).abs(),
            known: true,
        }
    }
}

/// Time in `[0, 1]` at which a cubic with this derivative has its local minimum, or 0.5 if it has
/// none inside.
fn minimum(c1: f64, c2: f64, c3: f64) -> f64 {
    // The root of c1 + 2 c2 t + 3 c3 t^2 with positive slope.
    let square = c2 * c2 - 3.0 * c1 * c3;
    if !(square >= 0.0) {
        return 0.5;
    }
    let root = square.sqrt();
    let t = if c2 > 0.0 {
        -c1 / (c2 + root)
    } else {
        (root - c2) / (3.0 * c3)
    };
    if t > 0.0 && t < 1.0 { t } else { 0.5 }
}

/// Finds a root in `[0, high]` of a function that is not negative at 0 and not positive at `high`,
/// by Newton steps. Bisects when a step leaves the bracket.
pub(super) fn first_root(
    value: &impl Fn(f64) -> f64,
    slope: &impl Fn(f64) -> f64,
    high: f64,
    enough: f64,
) -> f64 {
    let (mut low, mut high) = (0.0, high);
    let at_high = value(high);
    let at_low = value(low);
    // If both are 0, the share is NaN and the root is the beginning.
    let share = at_low / (at_low - at_high);
    let mut t = if share > 0.0 {
        high * share.min(1.0)
    } else {
        0.0
    };
    for _ in 0..24 {
        let f = value(t);
        if !(f.abs() > enough) {
            break;
        }
        if f > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let newton = t - f / slope(t);
        let next = if newton > low && newton < high {
            newton
        } else {
            0.5 * (low + high)
        };
        if next == t {
            break;
        }
        t = next;
    }
    t
}
