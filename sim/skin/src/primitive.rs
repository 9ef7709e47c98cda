//! Skeletons of potentials: points, segments, triangles, ellipsoids and cylinders.
//!
//! # Theory
//!
//! Most primitives apply a [`Kernel`] to the distance from their skeleton (*distance surfaces*;
//! Triquet 2001, section 1.2.5). Two of them that touch bulge at the joint, since both count there
//! in full. [`Skeleton::Convolved`] is the integral of the kernel along a segment instead, which
//! does not depend on how the segment is divided. For Murakami's kernel the integral is a
//! polynomial between two bounds. With `h` the distance to the line and `a² = R² - h²`, it is `A/R⁴
//! ∫ (a² - s²)² ds` over the part of the segment within `a` of the foot (digest, section 2.7).
//!
//! The source has points and segments; triangle, ellipsoid and cylinder are extensions. The
//! *ellipsoid* scales its frame instead of measuring a distance. So all its level sets are
//! ellipsoids, and no root is needed.
//!
//! # Practice
//!
//! World frame, metres; potentials are dimensionless. Values and gradients are real-time callable:
//! no allocation, bounded work. This is the exact and general form in double precision. It renders
//! the contact at a tool, and is the oracle of all faster forms.

use hapticd_geometry::{Mat3, Vec3, closest};

use crate::kernel::{Kernel, KernelError};

/// Geometry that a potential falls from. Positions in the world, m. See the module page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Skeleton {
    /// A point.
    Point(Vec3),
    /// A point with a distance that is the `n`-th root of the sum of `n`-th powers (Blanc, Schlick
    /// 1995; equation 1.5). `n` is at least 1: 1 is an octahedron, 2 a ball, and larger values
    /// approach the cube, which is infinite `n`.
    Rounded(Vec3, f64),
    /// A segment between two points, by distance (equation 1.7).
    Segment([Vec3; 2]),
    /// A segment between two points, by convolution: [`Kernel::Murakami`] only. The potential grows
    /// with length over radius.
    Convolved([Vec3; 2]),
    /// A triangle, by distance.
    Triangle([Vec3; 3]),
    /// A centre, and half axes as columns: orthogonal, each longer than 0, for a radius of 1 m.
    Ellipsoid(Vec3, Mat3),
    /// A solid cylinder about the segment, with its radius, m. The distance is 0 inside it.
    Cylinder([Vec3; 2], f64),
}

/// One term of the sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Primitive {
    /// Geometry that the potential falls from.
    pub skeleton: Skeleton,
    /// Distance from the skeleton at which the potential ends, m. For kernels without an end, the
    /// unit of distance.
    pub radius_m: f64,
    /// Factor of the kernel.
    pub amplitude: f64,
    /// How the potential falls.
    pub kernel: Kernel,
}

/// Maximum distance between two ends of a skeleton, m: its fourth power is still finite.
const MAX_COORDINATE_M: f64 = 1e75;

/// Shortest half axis of an ellipsoid: fourth powers of lengths measured by it are still finite.
const MIN_HALF_AXIS: f64 = 1e-75;

/// Reasons for refusing a primitive. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PrimitiveError {
    /// The radius is NaN, infinite, 0 or negative.
    #[error("radius {0} m: it has to be above 0 and finite")]
    Radius(f64),
    /// The amplitude is not finite in single precision, in which skins are made.
    #[error("amplitude {0}: it has to be finite, in single precision")]
    Amplitude(f64),
    /// A coordinate of the skeleton is not finite.
    #[error("{0:?}: not all of its numbers are finite")]
    NotFinite(Skeleton),
    /// An exponent, half axis, cylinder radius or extent is out of range, or the radius is too
    /// small.
    #[error("{skeleton:?}: {what}")]
    Shape {
        /// Skeleton as given.
        skeleton: Skeleton,
        /// Requirement that it violates.
        what: &'static str,
    },
    /// The kernel's parameter is out of range.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// Only Murakami's kernel has a closed form along a segment.
    #[error("{0:?} along a segment: only Murakami works")]
    Convolution(Kernel),
}

impl Primitive {
    /// Creates a point of amplitude 1 with the default kernel.
    #[must_use]
    pub fn point(centre: Vec3, radius_m: f64) -> Primitive {
        Primitive {
            skeleton: Skeleton::Point(centre),
            radius_m,
            amplitude: 1.0,
            kernel: Kernel::default(),
        }
    }

    /// Checks that the primitive has a value and a gradient everywhere.
    ///
    /// # Errors
    /// [`PrimitiveError`]: the first defect found.
    pub fn check(&self) -> Result<(), PrimitiveError> {
        if !(self.radius_m > 0.0 && self.radius_m.is_finite()) {
            return Err(PrimitiveError::Radius(self.radius_m));
        }
        if !(self.amplitude as f32).is_finite() {
            return Err(PrimitiveError::Amplitude(self.amplitude));
        }
        self.kernel.check()?;
        let skeleton = self.skeleton;
        let finite = |some: &[Vec3]| some.iter().all(|p| p.iter().all(|x| x.is_finite()));
        let wrong = |what| Err(PrimitiveError::Shape { skeleton, what });
        if !(1.0 / (self.radius_m * self.radius_m)).is_finite() {
            return wrong("its radius is so small that its square is zero");
        }
        let ends: &[Vec3] = match &skeleton {
            Skeleton::Segment(ends) | Skeleton::Convolved(ends) | Skeleton::Cylinder(ends, _) => {
                ends
            }
            Skeleton::Triangle(corners) => corners,
            Skeleton::Point(_) | Skeleton::Rounded(..) | Skeleton::Ellipsoid(..) => &[],
        };
        if finite(ends)
            && ends
                .iter()
                .any(|end| (end - ends[0]).amax() > MAX_COORDINATE_M)
        {
            return wrong("its ends have to be within 1e75 m of each other");
        }
        let all = match &skeleton {
            Skeleton::Point(c) => finite(&[*c]),
            Skeleton::Rounded(c, n) => {
                // Not `<`: NaN must fail as well.
                if !(*n >= 1.0) {
                    return wrong("its exponent has to be 1 or more");
                }
                finite(&[*c])
            }
            Skeleton::Segment(ends) => finite(ends),
            Skeleton::Convolved(ends) => {
                if self.kernel != Kernel::Murakami {
                    return Err(PrimitiveError::Convolution(self.kernel));
                }
                finite(ends)
            }
            Skeleton::Triangle(corners) => finite(corners),
            Skeleton::Ellipsoid(c, axes) => {
                let products = axes.tr_mul(axes);
                let lengths = products.diagonal();
                if !(lengths.min() > 0.0) {
                    return wrong("half axes have to be longer than 0");
                }
                if !(lengths.min() >= MIN_HALF_AXIS * MIN_HALF_AXIS) {
                    return wrong("half axes have to be longer than 1e-75 where the radius is 1 m");
                }
                let across = products.upper_triangle() - Mat3::from_diagonal(&lengths);
                if !(across.amax() <= 1e-9 * lengths.max()) {
                    return wrong("half axes have to be orthogonal");
                }
                finite(&[*c, lengths])
            }
            Skeleton::Cylinder(ends, radius) => {
                if !(*radius >= 0.0 && radius.is_finite()) {
                    return wrong("its radius has to be 0 m or more, and finite");
                }
                finite(ends)
            }
        };
        if all {
            Ok(())
        } else {
            Err(PrimitiveError::NotFinite(skeleton))
        }
    }

    /// Potential at a position.
    #[must_use]
    pub fn value(&self, at: &Vec3) -> f64 {
        match &self.skeleton {
            Skeleton::Convolved(ends) => self.amplitude * convolved(ends, self.radius_m, at).0,
            _ => self.amplitude * self.kernel.value(self.measure(at).0),
        }
    }

    /// Potential at a position, and its gradient, 1/m. Where the gradient is undefined (a tip, the
    /// ridge of a skeleton), returns that of one side, or 0.
    #[must_use]
    pub fn with_gradient(&self, at: &Vec3) -> (f64, Vec3) {
        let (value, gradient) = match &self.skeleton {
            Skeleton::Convolved(ends) => convolved(ends, self.radius_m, at),
            _ => {
                let (u, by_place) = self.measure(at);
                let (value, slope) = self.kernel.with_slope(u);
                if slope == 0.0 {
                    return (self.amplitude * value, Vec3::zeros());
                }
                (value, slope * by_place)
            }
        };
        (self.amplitude * value, self.amplitude * gradient)
    }

    /// Square of distance over radius, and its gradient, 1/m.
    fn measure(&self, at: &Vec3) -> (f64, Vec3) {
        let per_r2 = 1.0 / (self.radius_m * self.radius_m);
        // Vector from the nearest point of the skeleton.
        let away = match &self.skeleton {
            Skeleton::Point(c) => at - c,
            Skeleton::Rounded(c, n) => {
                return rounded(&((at - c) / self.radius_m), *n, self.radius_m);
            }
            Skeleton::Segment([a, b]) | Skeleton::Convolved([a, b]) => {
                at - (a + along(a, b, at) * (b - a))
            }
            Skeleton::Triangle(corners) => at - closest::point_triangle(at, corners).0,
            Skeleton::Ellipsoid(c, axes) => {
                // The columns are orthogonal: the inverse is the transpose with each row divided by
                // its squared length.
                let d = at - c;
                let squares = axes.tr_mul(axes).diagonal();
                let local = axes.tr_mul(&d).component_div(&squares);
                let square = per_r2 * local.norm_squared();
                if square.is_nan() {
                    // Overflow, as at the end of this function.
                    let local = local / self.radius_m;
                    let gradient = axes * (local / self.radius_m).component_div(&squares);
                    return (local.norm_squared(), 2.0 * gradient);
                }
                let gradient = axes * local.component_div(&squares);
                return (square, 2.0 * per_r2 * gradient);
            }
            Skeleton::Cylinder([a, b], radius) => {
                let axis = b - a;
                let length = axis.norm();
                if length > 0.0 {
                    let axis = axis / length;
                    let s = axis.dot(&(at - a));
                    let across = at - a - s * axis;
                    let q = across.norm();
                    // Distance beyond the side, plus distance beyond the ends.
                    let side = if q > *radius {
                        across * (1.0 - radius / q)
                    } else {
                        Vec3::zeros()
                    };
                    side + (s - s.clamp(0.0, length)) * axis
                } else {
                    // A cylinder of length 0 has no axis: treat it as a ball.
                    let d = at - a;
                    d * (1.0 - radius / d.norm().max(*radius).max(f64::MIN_POSITIVE))
                }
            }
        };
        let square = per_r2 * away.norm_squared();
        if square.is_nan() {
            // 0 times infinity: the squares of both radius and distance are out of range.
            let away = away / self.radius_m;
            return (away.norm_squared(), 2.0 / self.radius_m * away);
        }
        (square, 2.0 * per_r2 * away)
    }

    /// Lowest and highest corner, m, of a box outside of which the potential is 0. Infinite for
    /// kernels without an end.
    #[must_use]
    pub fn bounds(&self) -> (Vec3, Vec3) {
        if !self.kernel.is_finite() {
            return (Vec3::repeat(f64::NEG_INFINITY), Vec3::repeat(f64::INFINITY));
        }
        let around = |points: &[Vec3], by: Vec3| {
            let low = points.iter().fold(points[0], |low, p| low.inf(p));
            let high = points.iter().fold(points[0], |high, p| high.sup(p));
            (low - by, high + by)
        };
        let r = Vec3::repeat(self.radius_m);
        match &self.skeleton {
            // No `n`-norm is smaller than the largest coordinate, so the cube of side `2r`
            // suffices.
            Skeleton::Point(c) | Skeleton::Rounded(c, _) => around(&[*c], r),
            Skeleton::Segment(ends) | Skeleton::Convolved(ends) => around(ends, r),
            Skeleton::Triangle(corners) => around(corners, r),
            Skeleton::Ellipsoid(c, axes) => {
                let rows = [0, 1, 2].map(|k| axes.row(k).norm());
                around(&[*c], self.radius_m * Vec3::from(rows))
            }
            Skeleton::Cylinder(ends, radius) => around(ends, r.add_scalar(*radius)),
        }
    }

    /// A point of the skeleton, m. It is inside the surface if any point of the primitive is.
    #[must_use]
    pub fn heart(&self) -> Vec3 {
        match &self.skeleton {
            Skeleton::Point(c) | Skeleton::Rounded(c, _) | Skeleton::Ellipsoid(c, _) => *c,
            Skeleton::Segment([a, b])
            | Skeleton::Convolved([a, b])
            | Skeleton::Cylinder([a, b], _) => 0.5 * (a + b),
            Skeleton::Triangle([a, b, c]) => (a + b + c) / 3.0,
        }
    }
}

/// Parameter of the foot of a point on a segment: 0 at `a`, 1 at `b`.
fn along(a: &Vec3, b: &Vec3, at: &Vec3) -> f64 {
    let d = b - a;
    let square = d.norm_squared();
    if square > 0.0 {
        (d.dot(&(at - a)) / square).clamp(0.0, 1.0)
    } else {
        0.0
    }
}

/// Square of the `n`-norm of `x`, and its gradient over `r`.
fn rounded(x: &Vec3, n: f64, r: f64) -> (f64, Vec3) {
    let largest = x.amax();
    if largest == 0.0 || largest == f64::INFINITY {
        return (largest, Vec3::zeros());
    }
    // Relative to the largest coordinate: no power overflows, and an infinite exponent keeps only
    // the largest.
    let part = x.map(|x| (x.abs() / largest).powf(n));
    let norm = largest * part.sum().powf(1.0 / n);
    let rate = x.map(|x| x.signum() * (x.abs() / norm).powf(n - 1.0));
    let rate = if n.is_infinite() {
        // The gradient of one side of the edge.
        let k = x.iamax();
        Vec3::ith(k, x[k].signum())
    } else {
        rate
    };
    (norm * norm, 2.0 * norm / r * rate)
}

/// Murakami's kernel integrated along a segment, over the radius, and its gradient, 1/m.
fn convolved([a, b]: &[Vec3; 2], radius: f64, at: &Vec3) -> (f64, Vec3) {
    let axis = b - a;
    let length = axis.norm();
    if !(length > 0.0) {
        return (0.0, Vec3::zeros());
    }
    let axis = axis / length;
    // In units of the radius: the foot on the line, and the offset from it.
    let s = axis.dot(&(at - a)) / radius;
    let across = (at - a) / radius - s * axis;
    let square = 1.0 - across.norm_squared();
    if !(square > 0.0) {
        return (0.0, Vec3::zeros());
    }
    let half = square.sqrt();
    let [from, to] = [(-s).max(-half), (length / radius - s).min(half)];
    if !(from < to) {
        return (0.0, Vec3::zeros());
    }
    let value = |u: f64| u * (square * square + u * u * (u * u / 5.0 - square * (2.0 / 3.0)));
    // Derivative with respect to `square`. The bounds contribute nothing: the kernel is 0 at ±half.
    let by_square = |u: f64| u * (2.0 * square - u * u * (2.0 / 3.0));
    let kernel = |u: f64| (square - u * u) * (square - u * u);
    let across = (by_square(to) - by_square(from)) * -2.0 * across;
    // Both bounds move back as the point moves along the axis; the kernel is 0 at bounds of ±half.
    let along = kernel(from) - kernel(to);
    (value(to) - value(from), (across + along * axis) / radius)
}
