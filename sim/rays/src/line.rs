//! Intersection of a line and a triangle, on both sides of the line's origin.
//!
//! The inner and the outer ray of a point lie on one line: one intersection serves both, and only
//! the sign of `t` tells them apart (Lehericey 2016, chapter 3, section 2; Möller and Trumbore
//! 1997).

use crate::V3;

/// Barycentric tolerance outside a triangle that still counts as inside: two triangles on one edge
/// leave no gap between them.
pub const EDGE: f32 = 1e-5;
/// Threshold for parallel lines, which do not meet a triangle: determinant over the product of the
/// lengths of the two sides.
pub const PARALLEL: f32 = 1e-7;

/// A line through a point, in some frame.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Origin, where `t` is 0, m.
    pub o: V3,
    /// Unit direction.
    pub d: V3,
}

/// Point where a line meets a triangle's plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Meeting {
    /// Signed distance along the line, m.
    pub t: f32,
    /// First coordinate in `corner 0 + u (corner 1 - corner 0) + v (corner 2 - corner 0)`.
    pub u: f32,
    /// Second coordinate; see [`Meeting::u`].
    pub v: f32,
    /// True if the line goes from the inner side of the triangle to the outer one.
    pub outward: bool,
}

impl Meeting {
    /// Whether the point of the plane belongs to the triangle.
    #[must_use]
    pub fn inside(&self) -> bool {
        self.u >= -EDGE && self.v >= -EDGE && self.u + self.v <= 1.0 + EDGE
    }

    /// Edge that the walk crosses from here ([`crate::layout::Neighbours`]); `None` inside.
    ///
    /// Lehericey 2016, algorithm 2: the first of the three edges that the point is beyond. The
    /// algorithm is printed with `u + v <= 0` for `<= 1`.
    #[must_use]
    pub fn edge(&self) -> Option<usize> {
        if self.u < -EDGE {
            Some(0)
        } else if self.v < -EDGE {
            Some(1)
        } else if self.u + self.v > 1.0 + EDGE {
            Some(2)
        } else {
            None
        }
    }
}

/// Returns where the line meets the plane of a triangle; `None` if the line is parallel to it, if
/// the triangle has no area, or on NaN.
#[inline]
#[must_use]
pub fn meet(line: &Line, corners: &[V3; 3]) -> Option<Meeting> {
    let (e1, e2) = (corners[1] - corners[0], corners[2] - corners[0]);
    let p = line.d.cross(&e2);
    let det = e1.dot(&p);
    let scale = e1.norm_squared() * e2.norm_squared();
    if !(det * det > PARALLEL * PARALLEL * scale) {
        return None;
    }
    let inv = 1.0 / det;
    let s = line.o - corners[0];
    let q = s.cross(&e1);
    let (u, v, t) = (s.dot(&p) * inv, line.d.dot(&q) * inv, e2.dot(&q) * inv);
    // One sum tells whether all three are finite.
    (u + v + t).is_finite().then_some(Meeting {
        t,
        u,
        v,
        outward: det < 0.0,
    })
}

/// Equals [`meet`] to the bit if the point belongs to the triangle, else returns `None`. Signs
/// reject most triangles before the division.
#[inline]
#[must_use]
pub fn meet_inside(line: &Line, corners: &[V3; 3]) -> Option<Meeting> {
    let (e1, e2) = (corners[1] - corners[0], corners[2] - corners[0]);
    let p = line.d.cross(&e2);
    let det = e1.dot(&p);
    let s = line.o - corners[0];
    // `u` and `v` times the magnitude of the determinant. The quotients are rounded three times:
    // beyond twice the tolerance the point is certainly outside. Anything nearer, or NaN, is left
    // to the division.
    let beyond = -2.0 * EDGE * det.abs();
    let u = s.dot(&p) * det.signum();
    if u < beyond || u > det.abs() - beyond {
        return None;
    }
    let v = line.d.dot(&s.cross(&e1)) * det.signum();
    if v < beyond || u + v > det.abs() - beyond {
        return None;
    }
    meet(line, corners).filter(Meeting::inside)
}

/// Reciprocal of the direction, for [`within`]; finite even along an axis.
#[inline]
#[must_use]
pub fn inverse(d: &V3) -> V3 {
    d.map(|x| {
        if x.abs() > 1e-20 {
            1.0 / x
        } else {
            1e20_f32.copysign(x)
        }
    })
}

/// Whether the line from `o` meets a box, given by its lowest and its highest corner, between
/// `from` and `to`.
///
/// Never misses a point that is in the box and further than a millionth of its size from its sides
/// ([`Node`](crate::layout::Node)s are built with that margin).
#[inline]
#[must_use]
pub fn within(o: &V3, inverse: &V3, [low, high]: &[V3; 2], mut from: f32, mut to: f32) -> bool {
    for k in 0..3 {
        let (a, b) = ((low[k] - o[k]) * inverse[k], (high[k] - o[k]) * inverse[k]);
        from = from.max(a.min(b));
        to = to.min(a.max(b));
    }
    // Each end is rounded three times.
    from <= to + 1e-6 * (from.abs() + to.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CORNERS: [[f32; 3]; 3] = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 1.0, 0.0]];

    fn corners() -> [V3; 3] {
        CORNERS.map(V3::from)
    }

    fn along_z(x: f32, y: f32, z: f32, sign: f32) -> Option<Meeting> {
        let line = Line {
            o: V3::new(x, y, z),
            d: V3::z() * sign,
        };
        meet(&line, &corners())
    }

    #[test]
    fn both_sides_of_the_origin_in_one_go() {
        // From below the line goes outward (the normal is +z); from above, downward, it goes
        // inward.
        let below = along_z(0.5, 0.25, -3.0, 1.0).unwrap();
        assert_eq!((below.t, below.u, below.v), (3.0, 0.25, 0.25));
        assert!(below.outward && below.inside());
        let above = along_z(0.5, 0.25, 3.0, 1.0).unwrap();
        assert_eq!(above.t, -3.0);
        assert!(above.outward);
        assert!(!along_z(0.5, 0.25, 3.0, -1.0).unwrap().outward);
    }

    #[test]
    fn the_edge_to_cross_is_the_first_that_the_point_is_beyond() {
        let edge = |x, y| along_z(x, y, 1.0, 1.0).unwrap().edge();
        assert_eq!(edge(0.5, 0.25), None);
        assert_eq!(edge(-0.5, 0.25), Some(0));
        assert_eq!(edge(0.5, -0.25), Some(1));
        assert_eq!(edge(2.0, 2.0), Some(2));
        // The corner zones are decided by the order.
        assert_eq!(edge(-0.5, -0.5), Some(0));
        assert_eq!(edge(-0.5, 3.0), Some(0));
        assert_eq!(edge(4.0, -0.5), Some(1));
    }

    #[test]
    fn parallel_lines_and_what_is_no_number_meet_nothing() {
        let line = |d: V3| Line { o: V3::z(), d };
        assert_eq!(meet(&line(V3::x()), &corners()), None);
        let flat = [V3::zeros(), V3::x(), V3::x() * 2.0];
        assert_eq!(meet(&line(V3::z()), &flat), None);
        assert_eq!(meet(&line(V3::repeat(f32::NAN)), &corners()), None);
        let mut broken = corners();
        broken[2].x = f32::NAN;
        assert_eq!(meet(&line(-V3::z()), &broken), None);
    }

    #[test]
    fn a_shared_edge_leaves_no_gap() {
        let other = [corners()[1], V3::new(2.0, 1.0, 0.0), corners()[2]];
        for k in 0..1000 {
            let s = k as f32 / 999.0;
            let d = V3::new(0.1 * s, 0.3, -1.0).normalize();
            let line = Line {
                o: V3::new(2.0 * s, 1.0 - s, 0.0) - 0.7 * d,
                d,
            };
            let met = [corners(), other].map(|c| meet(&line, &c).is_some_and(|m| m.inside()));
            assert!(met[0] || met[1], "{k}");
        }
    }

    /// Many lines through and just outside edges and corners, of triangles large, small and thin,
    /// and some that are not finite.
    #[test]
    fn telling_by_signs_changes_no_bit() {
        let mut seed = 7_u64;
        let mut next = || {
            seed = (seed.wrapping_mul(6_364_136_223_846_793_005))
                .wrapping_add(1_442_695_040_888_963_407);
            (seed >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
        };
        let (mut inside, mut beside) = (0, 0);
        for k in 0..400_000 {
            let size = 10.0_f32.powi(k % 7 - 5);
            let mut corners = [0; 3].map(|_| V3::from_fn(|_, _| next()) * size);
            if k % 5 == 0 {
                corners[2] = corners[0].lerp(&corners[1], next()) + corners[2] * 1e-3;
            }
            let mut d = V3::from_fn(|_, _| next()).normalize();
            // Twice the tolerance of an edge, on both sides of it; every third anywhere.
            let near = |x: f32| 2.0 * EDGE * x;
            let (u, v) = match k % 3 {
                0 => (near(next()), next()),
                1 => (0.5 + 0.5 * next(), near(next())),
                _ => (next() * 1.5, next() * 1.5),
            };
            let (u, v) = if k % 2 == 0 {
                (u, v)
            } else {
                (u, 1.0 - u + near(v))
            };
            let on = corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * v;
            let mut o = on - d * next() * size;
            match k % 1000 {
                0 => d.x = f32::NAN,
                1 => o.y = f32::INFINITY,
                2 => corners[1] = corners[0],
                _ => {}
            }
            let line = Line { o, d };
            let slow = meet(&line, &corners);
            let wanted = slow.filter(Meeting::inside);
            let bits = |m: Meeting| ([m.t, m.u, m.v].map(f32::to_bits), m.outward);
            assert_eq!(
                meet_inside(&line, &corners).map(bits),
                wanted.map(bits),
                "{k}"
            );
            inside += usize::from(wanted.is_some());
            beside += usize::from(slow.is_some() && wanted.is_none());
        }
        assert!(inside > 50_000 && beside > 50_000, "{inside} {beside}");
    }

    #[test]
    fn boxes() {
        let corners = [V3::repeat(-1.0), V3::repeat(1.0)];
        let hit = |o: V3, d: V3, from, to| within(&o, &inverse(&d), &corners, from, to);
        assert!(hit(V3::new(0.0, 0.0, -3.0), V3::z(), 0.0, 5.0));
        assert!(!hit(V3::new(0.0, 0.0, -3.0), V3::z(), 0.0, 1.0));
        assert!(hit(V3::new(0.0, 0.0, -3.0), -V3::z(), -5.0, 0.0));
        assert!(!hit(V3::new(0.0, 1.5, -3.0), V3::z(), 0.0, 5.0));
        // Along a side, just inside it and just outside.
        assert!(hit(V3::new(0.0, 0.99999, -3.0), V3::z(), 0.0, 5.0));
        assert!(!hit(V3::new(0.0, 1.00001, -3.0), V3::z(), 0.0, 5.0));
    }
}
