//! Accepted shapes: simple polygons, counter-clockwise, that do not overlap.

use super::{PolygonBody, cross, orient};
use crate::kinetic::Inconsistent;

/// Why bodies are refused. All but the last are the caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A number is NaN or infinite, or a mass or an inertia is not above zero.
    #[error("body {body}: a number is not finite, or its mass or inertia is not above zero")]
    NotFinite {
        /// Index of the body.
        body: u32,
    },
    /// Fewer than three vertices, or not counter-clockwise.
    #[error(
        "body {body}: {vertices} vertices, area {area} m²; at least three needed, counter-clockwise"
    )]
    Area {
        /// Index of the body.
        body: u32,
        /// Number of its vertices.
        vertices: usize,
        /// Its area, m²; positive if counter-clockwise.
        area: f64,
    },
    /// Its outline crosses itself, or an edge has no length.
    #[error("body {body}: its edges {edges:?} cross, or have no length")]
    NotSimple {
        /// Index of the body.
        body: u32,
        /// Two edges, by their first vertices.
        edges: [u32; 2],
    },
    /// Two bodies overlap at the start.
    #[error("bodies {bodies:?} overlap at the start")]
    Overlap {
        /// Indices of the bodies.
        bodies: [u32; 2],
    },
    /// The vertices are not in general position.
    #[error(transparent)]
    Inconsistent(Inconsistent),
}

pub(crate) type Point = [f64; 2];

/// Area of a polygon; positive if counter-clockwise.
pub(crate) fn area(polygon: &[Point]) -> f64 {
    (0..polygon.len())
        .map(|k| 0.5 * cross(polygon[k], polygon[(k + 1) % polygon.len()]))
        .sum()
}

/// Whether two segments cross, the ends of each being on different sides of the other.
pub(crate) fn crosses(a: [Point; 2], b: [Point; 2]) -> bool {
    let sides =
        |s: [Point; 2], t: [Point; 2]| orient(s[0], s[1], t[0]) * orient(s[0], s[1], t[1]) < 0.0;
    sides(a, b) && sides(b, a)
}

fn is_inside(polygon: &[Point], p: Point) -> bool {
    let mut inside = false;
    for k in 0..polygon.len() {
        let (a, b) = (polygon[k], polygon[(k + 1) % polygon.len()]);
        if (a[1] > p[1]) != (b[1] > p[1]) {
            let x = a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
            inside ^= p[0] < x;
        }
    }
    inside
}

/// Returns whether two polygons have an interior point in common: edges cross, or one is inside the
/// other.
#[must_use]
pub fn overlap(p: &[[f64; 2]], q: &[[f64; 2]]) -> bool {
    let edge = |s: &[Point], k: usize| [s[k], s[(k + 1) % s.len()]];
    (0..p.len()).any(|i| (0..q.len()).any(|k| crosses(edge(p, i), edge(q, k))))
        || p.first().is_some_and(|v| is_inside(q, *v))
        || q.first().is_some_and(|v| is_inside(p, *v))
}

/// Checks each body separately.
///
/// # Errors
/// See [`ShapeError`].
pub(crate) fn check_shapes(bodies: &[PolygonBody]) -> Result<(), ShapeError> {
    for (b, body) in bodies.iter().enumerate() {
        let (b, n) = (b as u32, body.shape.len());
        let masses = body.mass > 0.0 && body.inertia > 0.0;
        if !(masses
            && body.motion.is_finite()
            && body.shape.iter().flatten().all(|x| x.is_finite()))
        {
            return Err(ShapeError::NotFinite { body: b });
        }
        let area = area(&body.shape);
        if n < 3 || !(area > 0.0) {
            return Err(ShapeError::Area {
                body: b,
                vertices: n,
                area,
            });
        }
        let edge = |k: usize| [body.shape[k], body.shape[(k + 1) % n]];
        for i in 0..n {
            let ends = edge(i);
            let fault = (0..i).find(|&k| crosses(ends, edge(k)) || body.shape[k] == ends[0]);
            if let Some(k) = fault {
                let edges = [k as u32, i as u32];
                return Err(ShapeError::NotSimple { body: b, edges });
            }
        }
    }
    Ok(())
}

/// Checks the bodies, and that they do not overlap at `now`.
///
/// # Errors
/// See [`ShapeError`].
pub(crate) fn check(bodies: &[PolygonBody], now: f64) -> Result<(), ShapeError> {
    check_shapes(bodies)?;
    let polygons: Vec<_> = bodies.iter().map(|b| b.polygon(now)).collect();
    for k in 0..polygons.len() {
        for i in 0..k {
            if overlap(&polygons[i], &polygons[k]) {
                let bodies = [i as u32, k as u32];
                return Err(ShapeError::Overlap { bodies });
            }
        }
    }
    Ok(())
}

/// Number of vertices at which the polygon's inside is larger than a straight angle.
pub(crate) fn reflex_vertices(shape: &[Point]) -> usize {
    let n = shape.len();
    (0..n)
        .filter(|&k| orient(shape[(k + n - 1) % n], shape[k], shape[(k + 1) % n]) < 0.0)
        .count()
}
