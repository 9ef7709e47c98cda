//! Contact of two spheres on an algebraic motion: the sign of a quartic (Redon 2002, section 2.5
//! and equations 2.32, 2.33).

use hapticd_geometry::Vec3;

use super::cubic::roots_in;

/// Coefficients, constant first, of `(|b - a(f)|^2 - R^2) (1 + tau^2)` in the fraction `f` of the
/// shift, `tau = T f`.
///
/// Centre `a` moves by `s` while it turns by `2 atan(T)` about z, `b` is static; both in the screw
/// frame. Square metres. No divisions; degree 2 where the rotation or the shift is zero.
#[must_use]
pub fn sphere_quartic(a: &Vec3, b: &Vec3, radii: f64, s: f64, half_tangent: f64) -> [f64; 5] {
    let t = half_tangent;
    let start = (b - a).norm_squared() - radii * radii;
    let rise = a.z - b.z;
    [
        start,
        2.0 * (s * rise + 2.0 * t * (b.x * a.y - b.y * a.x)),
        (start + 4.0 * (a.x * b.x + a.y * b.y)) * t * t + s * s,
        2.0 * s * rise * t * t,
        s * s * t * t,
    ]
}

/// Tests whether the spheres overlap or touch before `share_end`. Never misses an overlap: anything
/// within rounding of one counts.
///
/// Tests the ends first, then the cylinders that the centres' paths lie on, then the minima of the
/// quartic, at the roots of its derivative. Where the quartic is a quadratic, tests its
/// discriminant, without a division.
#[must_use]
#[allow(clippy::many_single_char_names)]
pub fn spheres_meet(
    [a, b]: [&Vec3; 2],
    radii: f64,
    s: f64,
    half_tangent: f64,
    share_end: f64,
) -> bool {
    let q = sphere_quartic(a, b, radii, s, half_tangent);
    let end = share_end;
    let value = |x: f64| (((q[4] * x + q[3]) * x + q[2]) * x + q[1]) * x + q[0];
    // Rounding of the coefficients and of the value, from the sizes of the squares that form them.
    let tau = half_tangent * end;
    let size = (a.abs().sum() + b.abs().sum() + radii + s.abs()).powi(2);
    let zero = 64.0 * f64::EPSILON * size * (1.0 + tau * tau);
    // In this order NaN counts as contact.
    if !(q[0] > zero && value(end) > zero) {
        return true;
    }
    let away = |x: &Vec3| x.x.hypot(x.y);
    let slack = zero.sqrt();
    let reach = radii + slack;
    let (low, high) = (a.z.min(a.z + s * end), a.z.max(a.z + s * end));
    if (away(a) - away(b)).abs() > reach || b.z < low - reach || b.z > high + reach {
        return false;
    }
    if q[4] == 0.0 && q[3] == 0.0 {
        // Falls from the start, rises again at the end, and its minimum is not above zero.
        let dips = q[1] < 0.0 && q[1] + 2.0 * q[2] * end > 0.0;
        return dips && 4.0 * q[2] * (q[0] - zero) <= q[1] * q[1];
    }
    let slope = [q[1], 2.0 * q[2], 3.0 * q[3], 4.0 * q[4]];
    let (roots, count) = roots_in(&slope, 0.0, end);
    roots[..count].iter().any(|&x| value(x) <= zero)
}
