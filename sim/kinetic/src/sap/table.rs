//! The bounds of all bodies over a step in one array, the bands of their endpoints, and the time
//! during which two bodies' boxes overlap.

use super::lines::Lines;
use super::pairs::Pair;

/// Bounds of one body: lower and upper on each axis.
pub(super) const BOUNDS: usize = 6;

/// Numbers that are tested together: a whole number of bodies and of the processor's lanes. Columns
/// are a whole number of blocks long.
const BLOCK: usize = 48;

/// How far the times of an overlap are moved outwards, as a share of the step: their rounding
/// error.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Bounds and bands. Each column has six consecutive numbers for each body, so that those of one
/// body lie in one or two cache lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) start: Vec<f64>,
    pub(super) end: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
    /// Time from which a body's line is valid: 0, or the time of a change of its plan in this step.
    pub(super) since: Vec<f64>,
    /// Length of the step.
    pub(super) h: f64,
}

/// Returns the index of an endpoint's numbers. An endpoint is twice a body's number, plus one for
/// the upper bound.
pub(super) fn at(axis: usize, endpoint: u32) -> usize {
    BOUNDS * (endpoint as usize >> 1) + 2 * axis + (endpoint & 1) as usize
}

fn block(column: &[f64], from: usize) -> &[f64; BLOCK] {
    const NONE: [f64; BLOCK] = [0.0; BLOCK];
    column[from..].first_chunk().unwrap_or(&NONE)
}

/// If a bound is not finite, the extent is infinite or NaN.
fn is_valid_extent(x: f64) -> bool {
    (0.0..=f64::MAX).contains(&x)
}

fn set_all(starts: &mut [f64], ends: &mut [f64], lines: &[Lines]) -> (bool, bool) {
    // Arrays of a known length, so that copying six numbers makes no call.
    let (starts, ends) = (
        starts.as_chunks_mut::<BOUNDS>().0,
        ends.as_chunks_mut::<BOUNDS>().0,
    );
    let (mut all_other, mut all_valid) = (0, true);
    for ((start, end), lines) in starts.iter_mut().zip(ends).zip(lines) {
        let flat = |bounds: &[[f64; 2]; 3]| -> [f64; BOUNDS] {
            [
                bounds[0][0],
                bounds[0][1],
                bounds[1][0],
                bounds[1][1],
                bounds[2][0],
                bounds[2][1],
            ]
        };
        let extents = |b: &[f64; BOUNDS]| {
            is_valid_extent(b[1] - b[0])
                & is_valid_extent(b[3] - b[2])
                & is_valid_extent(b[5] - b[4])
        };
        let (from, to) = (flat(&lines.start), flat(&lines.end));
        let mut other = 0;
        for k in 0..BOUNDS {
            other |= start[k].to_bits() ^ from[k].to_bits();
        }
        all_valid &= extents(&to);
        *end = to;
        // Equal to the last ends, which were valid.
        if other != 0 {
            *start = from;
            all_valid &= extents(&from);
        }
        all_other |= other;
    }
    (all_other == 0, all_valid)
}

impl Table {
    pub(super) fn new(bodies: usize) -> Self {
        let size = (BOUNDS * bodies).next_multiple_of(BLOCK);
        Self {
            start: vec![0.0; size],
            end: vec![0.0; size],
            low: vec![f64::MIN; size],
            high: vec![f64::MAX; size],
            since: vec![0.0; bodies],
            h: 0.0,
        }
    }

    /// Makes the last step's ends the starts of the next. The ends are meaningless until set.
    pub(super) fn turn(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
    }

    /// Sets a body's bounds. Returns whether it starts where the last step ended, and whether the
    /// bounds are valid.
    pub(super) fn set(&mut self, body: usize, lines: &Lines) -> (bool, bool) {
        let range = BOUNDS * body..BOUNDS * body + BOUNDS;
        set_all(
            &mut self.start[range.clone()],
            &mut self.end[range],
            std::slice::from_ref(lines),
        )
    }

    /// Same as [`Table::set`], for all bodies.
    pub(super) fn set_all(&mut self, lines: &[Lines]) -> (bool, bool) {
        set_all(&mut self.start, &mut self.end, lines)
    }

    /// Leaves a body that was not set where it is.
    pub(super) fn rest(&mut self, body: usize) {
        let range = BOUNDS * body..BOUNDS * body + BOUNDS;
        self.end[range.clone()].copy_from_slice(&self.start[range]);
    }

    pub(super) fn lines(&self, body: usize) -> Lines {
        let of =
            |c: &[f64]| [0, 1, 2].map(|axis| [0, 1].map(|side| c[BOUNDS * body + 2 * axis + side]));
        Lines {
            start: of(&self.start),
            end: of(&self.end),
        }
    }

    /// Calls `found(axis, endpoint)` for every endpoint that is outside its band somewhere in the
    /// step. If `continuous`, the starts are the last ends and hence in their bands.
    pub(super) fn leavers(&self, continuous: bool, mut found: impl FnMut(usize, u32)) {
        for from in (0..self.end.len()).step_by(BLOCK) {
            let (low, high) = (block(&self.low, from), block(&self.high, from));
            let end = block(&self.end, from);
            // NaN counts as outside. First tests whether any is outside: that stores nothing, and
            // mostly it is enough.
            let mut out = 0_u64;
            for i in 0..BLOCK {
                out |= u64::from(!((end[i] >= low[i]) & (end[i] <= high[i])));
            }
            let start = if continuous {
                end
            } else {
                block(&self.start, from)
            };
            if !continuous {
                for i in 0..BLOCK {
                    out |= u64::from(!((start[i] >= low[i]) & (start[i] <= high[i])));
                }
            }
            if out != 0 {
                for i in 0..BLOCK {
                    let inside = |x: f64| (x >= low[i]) & (x <= high[i]);
                    if !(inside(end[i]) & inside(start[i])) {
                        let (body, column) = ((from + i) / BOUNDS, (from + i) % BOUNDS);
                        found(column / 2, (2 * body + column % 2) as u32);
                    }
                }
            }
        }
    }

    /// Returns whether an endpoint leaves its band.
    pub(super) fn leaves(&self, axis: usize, endpoint: u32) -> bool {
        let k = at(axis, endpoint);
        let (low, high) = (self.low[k], self.high[k]);
        let inside = |x: f64| x >= low && x <= high;
        !(inside(self.start[k]) && inside(self.end[k]))
    }

    /// Removes the bands: every finite number is inside.
    pub(super) fn open(&mut self, axis: usize) {
        for k in (2 * axis..self.low.len()).step_by(BOUNDS) {
            for k in [k, k + 1] {
                (self.low[k], self.high[k]) = (f64::MIN, f64::MAX);
            }
        }
    }

    /// Returns whether two bodies' boxes, each swept over the whole step, overlap on this axis.
    pub(super) fn swept_overlap(&self, axis: usize, i: usize, j: usize) -> bool {
        let (lo, hi) = (2 * axis, 2 * axis + 1);
        let least = |b: usize| self.start[BOUNDS * b + lo].min(self.end[BOUNDS * b + lo]);
        let most = |b: usize| self.start[BOUNDS * b + hi].max(self.end[BOUNDS * b + hi]);
        least(i) <= most(j) && least(j) <= most(i)
    }

    fn at(&self, column: usize, body: usize, t: f64) -> f64 {
        let k = BOUNDS * body + column;
        let (start, end) = (self.start[k], self.end[k]);
        let since = self.since[body];
        if t <= since {
            start
        } else if t >= self.h {
            end
        } else {
            start + (end - start) * ((t - since) / (self.h - since))
        }
    }

    /// Returns whether the boxes overlap at `t`; touching is overlapping.
    pub(super) fn overlap_at(&self, (i, j): Pair, t: f64) -> bool {
        let (i, j) = (i as usize, j as usize);
        (0..3).all(|axis| {
            let (lo, hi) = (2 * axis, 2 * axis + 1);
            self.at(lo, i, t) <= self.at(hi, j, t) && self.at(lo, j, t) <= self.at(hi, i, t)
        })
    }

    /// Returns when in `[from, h]` the boxes overlap: one interval of time, since all bounds are
    /// linear.
    ///
    /// It starts exactly at `from` if they overlap then, and its end is infinite if they overlap at
    /// the end. Other times are rounded outwards.
    pub(super) fn overlap(&self, (i, j): Pair, from: f64) -> Option<[f64; 2]> {
        let (i, j) = (i as usize, j as usize);
        let from = from.max(self.since[i]).max(self.since[j]);
        let length = self.h - from;
        let (mut on, mut off) = (from, f64::INFINITY);
        for axis in 0..3 {
            for (lower, upper) in [(i, j), (j, i)] {
                let (lo, hi) = (2 * axis, 2 * axis + 1);
                let first = [self.at(lo, lower, from), self.at(hi, upper, from)];
                let last = [self.end[BOUNDS * lower + lo], self.end[BOUNDS * upper + hi]];
                let (before, after) = (first[1] - first[0], last[1] - last[0]);
                let time = from + length * (before / (before - after));
                match (first[0] <= first[1], last[0] <= last[1]) {
                    (true, true) => {}
                    (false, false) => return None,
                    (false, true) => on = on.max((time - ROUNDING * self.h).clamp(from, self.h)),
                    (true, false) => off = off.min((time + ROUNDING * self.h).clamp(from, self.h)),
                }
            }
        }
        (on <= off).then_some([on, off])
    }
}
