//! Outlines in the plane: their validation, outlines made from parameters, and tools grown by a
//! margin.
//!
//! Metres. Vertices are in counter-clockwise order. Allocates and is not for the loop, except for
//! [`distance`] and [`is_inside`].

/// Smallest distance between edges that do not meet, and smallest length of an edge, m.
pub const MIN_M: f64 = 1e-5;
/// Smallest angle between two neighbouring edges, degrees, inside or outside.
pub const MIN_ANGLE_DEG: f64 = 2.0;

/// A point of the plane.
pub type Point = [f64; 2];

/// Reason why vertices do not make an outline; due to the caller's input.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PolygonError {
    /// There are fewer than three vertices.
    #[error("a polygon has at least 3 vertices, not {count}")]
    TooFew {
        /// Number of vertices.
        count: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} is not finite")]
    NotFinite {
        /// Index of the vertex, from 0.
        vertex: usize,
    },
    /// An edge is shorter than [`MIN_M`].
    #[error(
        "the edge from vertex {vertex} is {length_m:.1e} m long; at least {MIN_M:.0e} m needed"
    )]
    Short {
        /// Index of the vertex at which it starts, from 0.
        vertex: usize,
        /// Length of the edge, m.
        length_m: f64,
    },
    /// Two edges cross, or come too near.
    #[error(
        "the edges from vertices {edges:?} cross or are {distance_m:.1e} m apart; at least {MIN_M:.0e} m needed"
    )]
    Crossing {
        /// Indices of the vertices at which they start, from 0.
        edges: [usize; 2],
        /// Distance of the edges, m; 0 if they cross.
        distance_m: f64,
    },
    /// Two neighbouring edges fold onto each other.
    #[error(
        "the edges at vertex {vertex} enclose {angle_deg:.2} degrees; at least {MIN_ANGLE_DEG} are needed"
    )]
    Sharp {
        /// Index of the vertex, from 0.
        vertex: usize,
        /// Angle between the edges, degrees.
        angle_deg: f64,
    },
    /// A tool is not convex.
    #[error("the tool is not convex at vertex {vertex}")]
    NotConvex {
        /// Index of the vertex, from 0.
        vertex: usize,
    },
}

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn cross(a: Point, b: Point) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn length(a: Point) -> f64 {
    a[0].hypot(a[1])
}

/// Returns the area, m²; positive if the vertices are in counter-clockwise order.
#[must_use]
pub fn area(outline: &[Point]) -> f64 {
    let n = outline.len();
    (0..n)
        .map(|k| 0.5 * cross(outline[k], outline[(k + 1) % n]))
        .sum()
}

fn distance_to_segment(p: Point, [a, b]: [Point; 2]) -> f64 {
    let along = minus(b, a);
    let square = dot(along, along);
    let t = if square > 0.0 {
        (dot(minus(p, a), along) / square).clamp(0.0, 1.0)
    } else {
        0.0
    };
    length(minus(p, [a[0] + t * along[0], a[1] + t * along[1]]))
}

fn cross_each_other(s: [Point; 2], t: [Point; 2]) -> bool {
    let sides = |s: [Point; 2], t: [Point; 2]| {
        let along = minus(s[1], s[0]);
        cross(along, minus(t[0], s[0])) * cross(along, minus(t[1], s[0])) < 0.0
    };
    sides(s, t) && sides(t, s)
}

fn distance_of_segments(s: [Point; 2], t: [Point; 2]) -> f64 {
    if cross_each_other(s, t) {
        return 0.0;
    }
    let ends = [
        distance_to_segment(s[0], t),
        distance_to_segment(s[1], t),
        distance_to_segment(t[0], s),
        distance_to_segment(t[1], s),
    ];
    ends.into_iter().fold(f64::INFINITY, f64::min)
}

fn edge(outline: &[Point], k: usize) -> [Point; 2] {
    [outline[k], outline[(k + 1) % outline.len()]]
}

/// Returns true if a point is inside.
#[must_use]
pub fn is_inside(outline: &[Point], p: Point) -> bool {
    let mut inside = false;
    for k in 0..outline.len() {
        let [a, b] = edge(outline, k);
        if (a[1] > p[1]) != (b[1] > p[1]) {
            inside ^= p[0] < a[0] + (p[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0]);
        }
    }
    inside
}

/// Returns the distance of two outlines, m; 0 if they overlap. Compares all pairs of edges,
/// independent of any structure.
#[must_use]
pub fn distance(p: &[Point], q: &[Point]) -> f64 {
    let (Some(first), Some(other)) = (p.first(), q.first()) else {
        return f64::INFINITY;
    };
    if is_inside(q, *first) || is_inside(p, *other) {
        return 0.0;
    }
    let mut least = f64::INFINITY;
    for i in 0..p.len() {
        for k in 0..q.len() {
            least = least.min(distance_of_segments(edge(p, i), edge(q, k)));
        }
    }
    least
}

/// Returns the vertices of a simple polygon, counter-clockwise. The flag is true if they were
/// clockwise and have been reversed.
///
/// # Errors
///
/// See [`PolygonError`]; vertices are counted in the given order.
pub fn outline(vertices: &[Point]) -> Result<(Vec<Point>, bool), PolygonError> {
    let n = vertices.len();
    if n < 3 {
        return Err(PolygonError::TooFew { count: n });
    }
    if let Some(vertex) = vertices
        .iter()
        .position(|p| !p.iter().all(|x| x.is_finite()))
    {
        return Err(PolygonError::NotFinite { vertex });
    }
    for vertex in 0..n {
        let [a, b] = edge(vertices, vertex);
        let length_m = length(minus(b, a));
        if !(length_m >= MIN_M) {
            return Err(PolygonError::Short { vertex, length_m });
        }
    }
    for vertex in 0..n {
        let before = minus(vertices[(vertex + n - 1) % n], vertices[vertex]);
        let after = minus(vertices[(vertex + 1) % n], vertices[vertex]);
        let angle_deg = cross(before, after)
            .atan2(dot(before, after))
            .abs()
            .to_degrees();
        if angle_deg < MIN_ANGLE_DEG {
            return Err(PolygonError::Sharp { vertex, angle_deg });
        }
    }
    for i in 0..n {
        for k in i + 2..n {
            if (k + 1) % n == i {
                continue;
            }
            let distance_m = distance_of_segments(edge(vertices, i), edge(vertices, k));
            if distance_m < MIN_M {
                return Err(PolygonError::Crossing {
                    edges: [i, k],
                    distance_m,
                });
            }
        }
    }
    let mut outline = vertices.to_vec();
    let clockwise = area(&outline) < 0.0;
    if clockwise {
        outline.reverse();
    }
    Ok((outline, clockwise))
}

/// Returns a regular polygon *about* a disc of this radius: it contains the disc, and its corners
/// are further out by the factor `1 / cos(pi / sides)`.
#[must_use]
pub fn about_disc(radius_m: f64, sides: u32) -> Vec<Point> {
    let sides = sides.max(3);
    let step = std::f64::consts::TAU / f64::from(sides);
    let r = radius_m / (0.5 * step).cos();
    // Offset by half a step: if `sides` is a multiple of four, sides face along the axes.
    (0..sides)
        .map(|k| (f64::from(k) + 0.5) * step)
        .map(|a| [r * a.cos(), r * a.sin()])
        .collect()
}

/// Returns a star with this number of points about the origin, the first along x.
#[must_use]
pub fn star(points: u32, outer_radius_m: f64, inner_radius_m: f64) -> Vec<Point> {
    let points = points.max(2);
    let step = std::f64::consts::PI / f64::from(points);
    (0..2 * points)
        .map(|k| {
            let r = if k % 2 == 0 {
                outer_radius_m
            } else {
                inner_radius_m
            };
            let a = f64::from(k) * step;
            [r * a.cos(), r * a.sin()]
        })
        .collect()
}

/// Checks that an outline is strictly convex.
///
/// # Errors
///
/// [`PolygonError::NotConvex`].
pub fn check_convex(outline: &[Point]) -> Result<(), PolygonError> {
    let n = outline.len();
    for vertex in 0..n {
        let before = minus(outline[vertex], outline[(vertex + n - 1) % n]);
        let after = minus(outline[(vertex + 1) % n], outline[vertex]);
        if !(cross(before, after) > 1e-6 * length(before) * length(after)) {
            return Err(PolygonError::NotConvex { vertex });
        }
    }
    Ok(())
}

/// Returns a convex outline with its edges moved outwards by `margin_m`: it contains every point
/// within that distance of the outline.
#[must_use]
pub fn grown(outline: &[Point], margin_m: f64) -> Vec<Point> {
    let n = outline.len();
    let normal = |k: usize| {
        let [a, b] = edge(outline, k % n);
        let along = minus(b, a);
        let l = length(along);
        [along[1] / l, -along[0] / l]
    };
    (0..n)
        .map(|k| {
            let (before, after) = (normal(k + n - 1), normal(k));
            let share = margin_m / (1.0 + dot(before, after));
            [0, 1].map(|i| outline[k][i] + share * (before[i] + after[i]))
        })
        .collect()
}

/// Returns the outline with each vertex moved by at most `by_m` along each axis, always the same
/// for the same `seed`. Kinetic structures need vertices in general position, and drawn outlines
/// often lie on lattices.
#[must_use]
pub fn perturbed(outline: &[Point], by_m: f64, seed: u64) -> Vec<Point> {
    let mut state = seed
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .wrapping_add(0x1234_5678_9abc_def1);
    let mut next = || {
        // Steele, Lea and Flood 2014 (SplitMix64).
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    outline
        .iter()
        .map(|p| [p[0] + by_m * next(), p[1] + by_m * next()])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [Point; 4] = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]];

    #[test]
    fn either_sense_is_taken_and_turned_round() {
        let (ccw, turned) = outline(&SQUARE).unwrap();
        assert!(!turned && area(&ccw) > 0.0);
        let mut back = SQUARE;
        back.reverse();
        let (ccw, turned) = outline(&back).unwrap();
        assert!(turned && (area(&ccw) - 0.01).abs() < 1e-15);
    }

    #[test]
    fn what_is_no_outline_is_refused_with_its_numbers() {
        assert_eq!(
            outline(&SQUARE[..2]),
            Err(PolygonError::TooFew { count: 2 })
        );
        let mut bad = SQUARE;
        bad[2][1] = f64::NAN;
        assert_eq!(outline(&bad), Err(PolygonError::NotFinite { vertex: 2 }));
        let bow = [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]];
        assert!(
            matches!(
                outline(&bow),
                Err(PolygonError::Crossing { edges: [0, 2], .. })
            ),
            "{:?}",
            outline(&bow)
        );
        let twice = [SQUARE[0], SQUARE[0], SQUARE[1], SQUARE[2]];
        assert_eq!(
            outline(&twice),
            Err(PolygonError::Short {
                vertex: 0,
                length_m: 0.0
            })
        );
        let spike = [SQUARE[0], [0.1, 0.001], SQUARE[3], [-0.1, 0.05]];
        assert!(outline(&spike).is_ok());
        let spike = [[0.0, 0.0], [0.1, 0.001], [0.0, 0.002]];
        assert!(matches!(
            outline(&spike),
            Err(PolygonError::Sharp { vertex: 1, .. })
        ));
        let touching = [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.05, 5e-6], [0.0, 0.1]];
        assert!(
            matches!(outline(&touching), Err(PolygonError::Crossing { distance_m, .. }) if distance_m > 0.0)
        );
    }

    #[test]
    fn a_disc_is_inside_of_its_polygon_and_grown_outlines_hold_what_is_near() {
        for sides in [3, 8, 24] {
            let polygon = about_disc(0.01, sides);
            for k in 0..1000 {
                let a = f64::from(k) * 0.01;
                let rim = [
                    0.01 * a.cos() * (1.0 - 1e-12),
                    0.01 * a.sin() * (1.0 - 1e-12),
                ];
                assert!(is_inside(&polygon, rim), "{sides} {k}");
                // No nearer than the margin to anything outside of the grown outline.
                let far = [0.03 * a.cos(), 0.03 * a.sin()];
                let large = grown(&polygon, 0.001);
                let near = [far, [far[0] + 1e-4, far[1]], [far[0], far[1] + 1e-4]];
                let gap = distance(&large, &near);
                if gap > 0.0 {
                    assert!(distance(&polygon, &near) >= 0.001 - 1e-12);
                }
            }
        }
        assert!(check_convex(&about_disc(0.01, 12)).is_ok());
        assert!(check_convex(&star(5, 0.02, 0.01)).is_err());
    }

    #[test]
    fn distances_are_those_of_sampling() {
        let p = star(5, 0.03, 0.012);
        for k in 0..60 {
            let by = [
                0.05 * (f64::from(k) * 0.37).cos(),
                0.05 * (f64::from(k) * 0.61).sin(),
            ];
            let q: Vec<_> = about_disc(0.01, 7)
                .iter()
                .map(|v| [v[0] + by[0], v[1] + by[1]])
                .collect();
            let points = |o: &[Point]| {
                let o = o.to_vec();
                (0..o.len())
                    .flat_map(move |k| {
                        let [a, b] = edge(&o, k);
                        (0..200).map(move |s| {
                            [0, 1].map(|i| a[i] + (b[i] - a[i]) * f64::from(s) / 200.0)
                        })
                    })
                    .collect::<Vec<_>>()
            };
            let (a, b) = (points(&p), points(&q));
            let mut sampled = f64::INFINITY;
            for x in &a {
                for y in &b {
                    sampled = sampled.min(length(minus(*x, *y)));
                }
            }
            let inside = b.iter().any(|y| is_inside(&p, *y)) || a.iter().any(|x| is_inside(&q, *x));
            let found = distance(&p, &q);
            if inside {
                assert!(found < 1e-4, "{k}: {found}");
            } else {
                assert!(
                    found <= sampled + 1e-15 && found > sampled - 2e-4,
                    "{k}: {found} {sampled}"
                );
            }
        }
    }
}
