//! A scripted path of the hand: way points in time, joined by straight lines.
//!
//! Pure and deterministic. Times in seconds from the moment the arm was plugged in, positions in
//! metres in the arm's frame. The hand does not yield to forces: what the arm receives depends on
//! the daemon alone.

use std::fmt;

/// Way points `(seconds, position)`; before the first and after the last the hand rests, unless the
/// path repeats.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    points: Vec<(f64, [f64; 3])>,
    repeats: bool,
}

/// Why a path's text was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError(String);

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "path: {}", self.0)
    }
}

impl std::error::Error for PathError {}

impl Path {
    /// Returns a path on which the hand rests at `position_m`.
    pub fn rest(position_m: [f64; 3]) -> Path {
        Path {
            points: vec![(0.0, position_m)],
            repeats: false,
        }
    }

    /// Returns a path back and forth between two points, starting at `from_m`; `period_s` is the
    /// whole cycle.
    pub fn swing(from_m: [f64; 3], to_m: [f64; 3], period_s: f64) -> Path {
        Path {
            points: vec![(0.0, from_m), (period_s / 2.0, to_m), (period_s, from_m)],
            repeats: true,
        }
    }

    /// Parses `T X Y Z; T X Y Z; ... [; repeat]` (seconds and metres, times increasing).
    ///
    /// # Errors
    /// [`PathError`] names the way point that cannot be read or whose time does not increase.
    pub fn parse(text: &str) -> Result<Path, PathError> {
        let mut path = Path {
            points: Vec::new(),
            repeats: false,
        };
        for part in text
            .split(';')
            .map(str::trim)
            .filter(|part| !part.is_empty())
        {
            if part == "repeat" {
                path.repeats = true;
                continue;
            }
            let numbers: Result<Vec<f64>, _> = part.split_whitespace().map(str::parse).collect();
            let point = match numbers.as_deref() {
                Ok(&[t, x, y, z]) if [t, x, y, z].iter().all(|n| n.is_finite()) => (t, [x, y, z]),
                _ => return Err(PathError(format!("`{part}` is not `T X Y Z`"))),
            };
            if path.points.last().is_some_and(|last| last.0 >= point.0) {
                return Err(PathError(format!(
                    "`{part}` does not come later than the point before it"
                )));
            }
            path.points.push(point);
        }
        if path.points.is_empty() {
            return Err(PathError("no way points".to_owned()));
        }
        Ok(path)
    }

    /// Returns the hand's position at `seconds`.
    pub fn at(&self, seconds: f64) -> [f64; 3] {
        let (first, last) = (self.points[0], self.points[self.points.len() - 1]);
        let period = last.0 - first.0;
        let seconds = if self.repeats && period > 0.0 && seconds > last.0 {
            first.0 + (seconds - first.0) % period
        } else {
            seconds
        };
        let next = self.points.partition_point(|point| point.0 <= seconds);
        if next == 0 {
            return first.1;
        }
        let Some(b) = self.points.get(next) else {
            return last.1;
        };
        let a = self.points[next - 1];
        let s = (seconds - a.0) / (b.0 - a.0);
        std::array::from_fn(|axis| a.1[axis] + s * (b.1[axis] - a.1[axis]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_interpolates_rests_and_repeats() {
        let once = Path::parse("0 0 0 0; 1 0 0 0.1; 3 0.2 0 0.1").expect("good");
        assert_eq!(once.at(-1.0), [0.0, 0.0, 0.0]);
        assert_eq!(once.at(0.5), [0.0, 0.0, 0.05]);
        assert_eq!(once.at(2.0), [0.1, 0.0, 0.1]);
        assert_eq!(once.at(99.0), [0.2, 0.0, 0.1]);
        let swing = Path::swing([0.0; 3], [0.0, 0.0, -1.0], 2.0);
        for k in 0..5 {
            let t = 2.0 * f64::from(k);
            assert_eq!(swing.at(t + 0.5), [0.0, 0.0, -0.5]);
            assert_eq!(swing.at(t + 1.5), [0.0, 0.0, -0.5]);
        }
        assert_eq!(Path::rest([1.0, 2.0, 3.0]).at(7.0), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn a_bad_way_point_is_named() {
        for (text, part) in [
            ("0 0 0", "`0 0 0`"),
            ("0 0 0 0; 0 1 1 1", "`0 1 1 1`"),
            ("0 0 0 nan", "nan"),
            ("repeat", "no way points"),
        ] {
            let error = Path::parse(text).expect_err("refused").to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
