//! Exact distances from every sample of a grid to the nearest sample of the other side, in linear
//! time.
//!
//! Felzenszwalb and Huttenlocher, *Distance transforms of sampled functions* (Theory of Computing
//! 8, 2012, section 2): along each axis in turn, the lower envelope of the parabolas that stand on
//! the samples of a line. Spacings may differ by axis. Allocates three numbers per sample.
//! Deterministic.

/// Returns the approximate signed distance of each sample, x fastest, from the surface between
/// inside and outside, m; below 0 inside. The surface is taken to be half of the finest spacing
/// before the nearest sample of the other side. `None` if all samples are on one side.
pub fn signed(
    nodes: [u32; 3],
    spacing_m: [f64; 3],
    inside: impl Fn(usize) -> bool,
) -> Option<Vec<f32>> {
    let count = nodes.iter().map(|n| *n as usize).product();
    let half = 0.5 * spacing_m.into_iter().fold(f64::INFINITY, f64::min);
    let mut lines = Lines::new(nodes);
    let mut from_inside = lines.squares(nodes, spacing_m, count, &inside);
    let from_outside = lines.squares(nodes, spacing_m, count, |k| !inside(k));
    for (k, (to, other)) in from_inside.iter_mut().zip(from_outside).enumerate() {
        let (square, sign) = if inside(k) { (other, -1.0) } else { (*to, 1.0) };
        if !square.is_finite() {
            return None;
        }
        *to = (sign * (f64::from(square).sqrt() - half)) as f32;
    }
    Some(from_inside)
}

/// Work space for one line of samples.
struct Lines {
    line: Vec<f64>,
    /// Indices of the lowest parabolas from left to right, and where each one starts to be lowest.
    tops: Vec<usize>,
    from: Vec<f64>,
}

impl Lines {
    fn new(nodes: [u32; 3]) -> Lines {
        let longest = nodes.iter().map(|n| *n as usize).max().unwrap_or(0);
        Lines {
            line: Vec::with_capacity(longest),
            tops: Vec::with_capacity(longest),
            from: Vec::with_capacity(longest),
        }
    }

    /// Returns the squared distance of each sample from the nearest sample of `source`, m²;
    /// infinite if there is none.
    fn squares(
        &mut self,
        nodes: [u32; 3],
        spacing_m: [f64; 3],
        count: usize,
        source: impl Fn(usize) -> bool,
    ) -> Vec<f32> {
        let square = |k: usize| if source(k) { 0.0 } else { f32::INFINITY };
        let mut squares: Vec<f32> = (0..count).map(square).collect();
        let [nx, ny, nz] = nodes.map(|n| n as usize);
        let strides = [1, nx, nx * ny];
        for (axis, starts) in [
            (0, (ny, nx, nz, nx * ny)),
            (1, (nx, 1, nz, nx * ny)),
            (2, (nx, 1, ny, nx)),
        ] {
            let (inner, by, outer, over) = starts;
            let length = [nx, ny, nz][axis];
            for o in 0..outer {
                for i in 0..inner {
                    let first = o * over + i * by;
                    let places = (0..length).map(|k| first + k * strides[axis]);
                    self.line.clear();
                    self.line
                        .extend(places.clone().map(|k| f64::from(squares[k])));
                    self.envelope(spacing_m[axis] * spacing_m[axis]);
                    for (k, place) in places.enumerate() {
                        squares[place] = self.at(k, spacing_m[axis] * spacing_m[axis]) as f32;
                    }
                }
            }
        }
        squares
    }

    /// Computes the lower envelope of the current line.
    fn envelope(&mut self, square_m2: f64) {
        self.tops.clear();
        self.from.clear();
        for (k, height) in self.line.iter().enumerate().filter(|(_, x)| x.is_finite()) {
            // Crossing of this parabola with the last one; parabolas that are never lowest are
            // dropped.
            let mut from = f64::NEG_INFINITY;
            while let (Some(top), Some(begins)) = (self.tops.last(), self.from.last()) {
                let (a, b) = (*top as f64, k as f64);
                let rise = (height - self.line[*top]) / square_m2;
                from = (rise + b * b - a * a) / (2.0 * (b - a));
                if from > *begins {
                    break;
                }
                self.tops.pop();
                self.from.pop();
                from = f64::NEG_INFINITY;
            }
            self.tops.push(k);
            self.from.push(from);
        }
    }

    /// Returns the envelope at sample `k`.
    fn at(&self, k: usize, square_m2: f64) -> f64 {
        let lowest = self.from.partition_point(|from| *from <= k as f64);
        match lowest.checked_sub(1) {
            Some(lowest) => {
                let top = self.tops[lowest];
                let steps = k as f64 - top as f64;
                square_m2 * steps * steps + self.line[top]
            }
            None => f64::INFINITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_knows_the_nearest_of_the_other_side() {
        let (nodes, spacing_m) = ([9_u32, 7, 8], [0.5, 1.0, 0.75]);
        let place = |k: usize| {
            let [x, y] = [9, 7];
            [k % x, k / x % y, k / (x * y)]
        };
        // Scattered by a plain hash: sparse, dense, none.
        for (modulus, some) in [(23_usize, true), (3, true), (usize::MAX, false)] {
            let inside = |k: usize| (k.wrapping_mul(2_654_435_761) >> 7) % modulus == 1;
            let found = signed(nodes, spacing_m, inside);
            let count = 9 * 7 * 8;
            assert_eq!(found.is_some(), some && (0..count).any(inside));
            for (k, away) in found.iter().flatten().enumerate() {
                let here = place(k);
                let far = |other: usize| {
                    let there = place(other);
                    let d = [0, 1, 2].map(|i| (here[i] as f64 - there[i] as f64) * spacing_m[i]);
                    d.iter().map(|x| x * x).sum::<f64>().sqrt()
                };
                let others = (0..count).filter(|other| inside(*other) != inside(k));
                let nearest = others.map(far).fold(f64::INFINITY, f64::min) - 0.25;
                let expected = if inside(k) { -nearest } else { nearest };
                assert!(
                    (f64::from(*away) - expected).abs() < 1e-6,
                    "{here:?}: {away} {expected}"
                );
            }
        }
    }
}
