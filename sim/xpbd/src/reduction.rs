//! Reduces the contacts between two rigid bodies to at most four, as in Bullet: the deepest, and
//! three that span the largest area.
//!
//! More contacts would be redundant and cost the same each. Works in place on a list of indices; no
//! allocation, deterministic (of equal candidates the first wins).

use crate::Vec3;

/// Indices of the contacts that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    indices: [u32; 4],
    count: usize,
}

impl Kept {
    /// Indices, the deepest contact first.
    #[must_use]
    pub fn indices(&self) -> &[u32] {
        &self.indices[..self.count]
    }

    fn keep(&mut self, index: usize) {
        self.indices[self.count] = index as u32;
        self.count += 1;
    }
}

/// Selects among the contacts of one pair at `points` (m, any one frame) with `depths` (m, larger
/// is deeper; one per point).
///
/// Keeps the deepest; the one farthest from it; the one that spans the largest triangle with both;
/// and the one that adds most area to that triangle. Points that add no area (on a line, or all in
/// one place) are not kept, nor are points that are not finite.
#[must_use]
pub fn keep_four(points: &[Vec3], depths: &[f64]) -> Kept {
    let mut kept = Kept::default();
    let count = points.len().min(depths.len());
    let best = |score: &dyn Fn(usize) -> f64, least: f64| {
        let mut found: Option<(usize, f64)> = None;
        for i in 0..count {
            let s = score(i);
            if points[i].sum().is_finite() && s > found.map_or(least, |f| f.1) {
                found = Some((i, s));
            }
        }
        found.map(|f| f.0)
    };
    let Some(a) = best(&|i| depths[i], f64::NEG_INFINITY) else {
        return kept;
    };
    kept.keep(a);
    let a = points[a];
    let Some(b) = best(&|i| (points[i] - a).norm_squared(), 0.0) else {
        return kept;
    };
    kept.keep(b);
    let b = points[b];
    // A triangle below this area is a line: the square root of rounding, times the square of the
    // size.
    let line = 1e-8 * (b - a).norm_squared();
    let area = |p: &Vec3, q: &Vec3, r: &Vec3| (q - p).cross(&(r - p)).norm();
    let Some(c) = best(&|i| area(&a, &b, &points[i]), line) else {
        return kept;
    };
    kept.keep(c);
    let c = points[c];
    let around = (b - a).cross(&(c - a));
    // Seen along the triangle's normal: how far the point is outside the side that it exceeds most.
    let outside = |p: &Vec3| {
        [(&a, &b), (&b, &c), (&c, &a)]
            .map(|(u, v)| -(v - u).cross(&(p - u)).dot(&around) / around.norm())
            .into_iter()
            .fold(0.0, f64::max)
    };
    if let Some(d) = best(&|i| outside(&points[i]), line) {
        kept.keep(d);
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_face_full_of_points_keeps_its_corners() {
        let points: Vec<Vec3> = (0..81)
            .map(|i| Vec3::new(f64::from(i % 9), f64::from(i / 9), 0.0))
            .collect();
        let mut depths = vec![1e-3; 81];
        depths[8] = 2e-3;
        let mut kept = keep_four(&points, &depths).indices().to_vec();
        assert_eq!(kept[0], 8);
        kept.sort_unstable();
        assert_eq!(kept, [0, 8, 72, 80]);
    }

    #[test]
    fn a_line_keeps_its_ends_and_a_place_one_point() {
        let line: Vec<Vec3> = (0..9)
            .map(|i| Vec3::new(1.0, 2.0, 3.0) * f64::from(i))
            .collect();
        assert_eq!(keep_four(&line, &[1.0; 9]).indices(), [0, 8]);
        assert_eq!(keep_four(&[Vec3::x(); 5], &[1.0; 5]).indices(), [0]);
        assert_eq!(keep_four(&[], &[]).indices().len(), 0);
    }

    #[test]
    fn non_finite_points_are_dropped() {
        let points = [Vec3::x(), Vec3::new(f64::NAN, 0.0, 0.0), Vec3::y()];
        assert_eq!(keep_four(&points, &[f64::NAN, 1.0, 1.0]).indices(), [2, 0]);
    }
}
