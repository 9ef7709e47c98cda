//! Kinetic metric of one rigid body: `M = Q^T Q`, factored once (Redon 2002, section 5.4). No
//! allocation; fails only in constructors.

use nalgebra::Matrix3;

use crate::{Motion, Vec3};

/// Smallest pivot, relative to the largest entry, of an inertia that still counts as positive
/// definite.
const PIVOT_MIN: f64 = 1e-12;

/// Why a mass and an inertia do not form a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MetricError {
    /// The mass (kg) is not a positive finite number.
    Mass(f64),
    /// The inertia has a non-finite entry or is not symmetric within rounding.
    NotSymmetric,
    /// The inertia is not positive definite: Cholesky pivot `pivot` (kg m²) of index `axis`.
    NotPositiveDefinite {
        /// Index of the pivot, 0 to 2.
        axis: usize,
        /// Its value (kg m²).
        pivot: f64,
    },
}

impl core::fmt::Display for MetricError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Mass(mass) => write!(f, "mass {mass} kg is not positive and finite"),
            Self::NotSymmetric => f.write_str("the inertia is not a finite symmetric matrix"),
            Self::NotPositiveDefinite { axis, pivot } => write!(
                f,
                "the inertia is not positive definite (pivot {axis} is {pivot} kg m2)"
            ),
        }
    }
}

impl core::error::Error for MetricError {}

/// Mass matrix of a rigid body about its centre of mass, in world axes, as `M = Q^T Q`, `Q =
/// diag(sqrt(m) 1, P)`, `I = P^T P`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    root_mass: f64,
    factor: Matrix3<f64>,
    inverse: Matrix3<f64>,
}

impl Metric {
    /// Metric of a body of `mass_kg` and of inertia `inertia_world` (kg m², about the centre of
    /// mass, world axes).
    ///
    /// # Errors
    /// [`MetricError`] when the mass is not positive, or the inertia not symmetric positive
    /// definite (relative pivot 1e-12).
    pub fn new(mass_kg: f64, inertia_world: &Matrix3<f64>) -> Result<Self, MetricError> {
        if !(mass_kg > 0.0 && mass_kg.is_finite()) {
            return Err(MetricError::Mass(mass_kg));
        }
        let inertia = inertia_world;
        let size = inertia.amax();
        let skew = (inertia - inertia.transpose()).amax();
        // A NaN also fails the comparison.
        if !(size.is_finite() && skew <= 1e-9 * size) {
            return Err(MetricError::NotSymmetric);
        }
        let lower = cholesky(inertia, PIVOT_MIN * size)?;
        let factor = lower.transpose();
        Ok(Self {
            root_mass: mass_kg.sqrt(),
            factor,
            inverse: upper_inverse(&factor),
        })
    }

    /// The metric of the same body after `rotation` (a rotation matrix, world axes), without
    /// refactoring.
    #[must_use]
    pub fn rotated(&self, rotation: &Matrix3<f64>) -> Self {
        Self {
            root_mass: self.root_mass,
            factor: self.factor * rotation.transpose(),
            inverse: rotation * self.inverse,
        }
    }

    /// `Q x`: the motion in coordinates in which the kinetic norm is Euclidean.
    #[must_use]
    pub fn to_kinetic(&self, motion: &Motion) -> Motion {
        let (linear, angular) = halves(motion);
        join(&(linear * self.root_mass), &(self.factor * angular))
    }

    /// `Q^-1 y`: the motion with the kinetic coordinates `y`.
    #[must_use]
    pub fn from_kinetic(&self, kinetic: &Motion) -> Motion {
        let (linear, angular) = halves(kinetic);
        join(&(linear / self.root_mass), &(self.inverse * angular))
    }

    /// `Q^-T c`: a row of the Jacobian in kinetic coordinates.
    #[must_use]
    pub fn covector_to_kinetic(&self, covector: &Motion) -> Motion {
        let (linear, angular) = halves(covector);
        join(
            &(linear / self.root_mass),
            &(self.inverse.transpose() * angular),
        )
    }

    /// Kinetic norm `sqrt(x^T M x)`: for a displacement over one second, the square root of twice
    /// the kinetic energy.
    #[must_use]
    pub fn norm(&self, motion: &Motion) -> f64 {
        self.to_kinetic(motion).norm()
    }
}

fn halves(v: &Motion) -> (Vec3, Vec3) {
    (Vec3::new(v[0], v[1], v[2]), Vec3::new(v[3], v[4], v[5]))
}

fn join(a: &Vec3, b: &Vec3) -> Motion {
    Motion::new(a.x, a.y, a.z, b.x, b.y, b.z)
}

/// Lower triangular `L` with `L L^T = m` (only the lower half of `m` is read).
fn cholesky(m: &Matrix3<f64>, least: f64) -> Result<Matrix3<f64>, MetricError> {
    let mut l = Matrix3::zeros();
    for j in 0..3 {
        let mut pivot = m[(j, j)];
        for k in 0..j {
            pivot -= l[(j, k)] * l[(j, k)];
        }
        if pivot <= least {
            return Err(MetricError::NotPositiveDefinite { axis: j, pivot });
        }
        l[(j, j)] = pivot.sqrt();
        for i in j + 1..3 {
            let mut sum = m[(i, j)];
            for k in 0..j {
                sum -= l[(i, k)] * l[(j, k)];
            }
            l[(i, j)] = sum / l[(j, j)];
        }
    }
    Ok(l)
}

fn upper_inverse(u: &Matrix3<f64>) -> Matrix3<f64> {
    let mut inverse = Matrix3::zeros();
    for column in 0..3 {
        for i in (0..=column).rev() {
            let mut sum = if i == column { 1.0 } else { 0.0 };
            for k in i + 1..=column {
                sum -= u[(i, k)] * inverse[(k, column)];
            }
            inverse[(i, column)] = sum / u[(i, i)];
        }
    }
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inertia() -> Matrix3<f64> {
        Matrix3::new(2.0, 0.3, -0.1, 0.3, 1.5, 0.2, -0.1, 0.2, 0.9)
    }

    #[test]
    fn norm_is_the_kinetic_norm() {
        let metric = Metric::new(3.0, &inertia()).unwrap();
        let x = Motion::new(0.1, -0.7, 0.4, 1.0, 0.2, -0.5);
        let (v, om) = halves(&x);
        let expected = (3.0 * v.norm_squared() + om.dot(&(inertia() * om))).sqrt();
        assert!((metric.norm(&x) - expected).abs() < 1e-14);
    }

    #[test]
    fn kinetic_coordinates_round_trip_and_pair() {
        let metric = Metric::new(0.02, &(inertia() * 1e-5)).unwrap();
        let x = Motion::new(0.1, -0.7, 0.4, 1.0, 0.2, -0.5);
        let c = Motion::new(-1.0, 0.3, 0.2, 0.01, -0.03, 0.05);
        let y = metric.to_kinetic(&x);
        assert!((metric.from_kinetic(&y) - x).amax() < 1e-13);
        assert!((metric.covector_to_kinetic(&c).dot(&y) - c.dot(&x)).abs() < 1e-13);
    }

    #[test]
    fn rotated_is_the_metric_of_the_rotated_inertia() {
        let r = nalgebra::Rotation3::from_euler_angles(0.4, -1.1, 2.0).into_inner();
        let turned = Metric::new(3.0, &inertia()).unwrap().rotated(&r);
        let direct = Metric::new(3.0, &(r * inertia() * r.transpose())).unwrap();
        let x = Motion::new(0.1, -0.7, 0.4, 1.0, 0.2, -0.5);
        assert!((turned.norm(&x) - direct.norm(&x)).abs() < 1e-13);
        assert!((turned.from_kinetic(&turned.to_kinetic(&x)) - x).amax() < 1e-13);
    }

    #[test]
    fn refuses_what_is_no_mass_matrix() {
        let i = inertia();
        assert_eq!(Metric::new(0.0, &i), Err(MetricError::Mass(0.0)));
        assert!(matches!(
            Metric::new(f64::NAN, &i),
            Err(MetricError::Mass(_))
        ));
        let mut skewed = i;
        skewed[(0, 1)] += 0.1;
        assert_eq!(Metric::new(1.0, &skewed), Err(MetricError::NotSymmetric));
        let mut nan = i;
        nan[(2, 2)] = f64::NAN;
        assert_eq!(Metric::new(1.0, &nan), Err(MetricError::NotSymmetric));
        let flat = Matrix3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0));
        assert_eq!(
            Metric::new(1.0, &flat),
            Err(MetricError::NotPositiveDefinite {
                axis: 2,
                pivot: 0.0
            })
        );
    }
}
