//! The bounds of all bodies over a step, side by side, the bands of their endpoints, and the time
//! in which two bodies' boxes overlap.

use super::lines::Lines;
use super::pairs::Pair;

/// Bounds of one body: lower and upper on each axis.
pub(super) const BOUNDS: usize = 6;

/// Numbers that are looked at together: a whole number of bodies and of the processor's lanes.
/// Columns are whole blocks long.
const BLOCK: usize = 48;

/// By how much the times of an overlap are moved outwards, as a share of the step: what they are
/// rounded by.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// See the module. Six numbers for each body, one after the other: what one body's are is in one or
/// two lines of the cache.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pub(super) start: Vec<f64>,
    pub(super) end: Vec<f64>,
    pub(super) low: Vec<f64>,
    pub(super) high: Vec<f64>,
    /// From when on a body's line is valid: 0, or when its plan was changed in this step.
    pub(super) since: Vec<f64>,
    /// Length of the step.
    pub(super) h: f64,
}

/// Where an endpoint's numbers are: twice a body's number, and one more for the upper bound.
pub(super) fn at(axis: usize, endpoint: u32) -> usize {
    BOUNDS * (endpoint as usize >> 1) + 2 * axis + (endpoint & 1) as usize
}

fn block(column: &[f64], from: usize) -> &[f64; BLOCK] {
    const NONE: [f64; BLOCK] = [0.0; BLOCK];
    column[from..].first_chunk().unwrap_or(&NONE)
}

/// Of what is not finite the extent is not, or it is no number.
fn is_extent(x: f64) -> bool {
    (0.0..=f64::MAX).contains(&x)
}

fn set_all(starts: &mut [f64], ends: &mut [f64], lines: &[Lines]) -> (bool, bool) {
    // Arrays of a known length: nothing is called to copy six numbers.
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
            is_extent(b[1] - b[0]) & is_extent(b[3] - b[2]) & is_extent(b[5] - b[4])
        };
        let (from, to) = (flat(&lines.start), flat(&lines.end));
        let mut other = 0;
        for k in 0..BOUNDS {
            other |= start[k].to_bits() ^ from[k].to_bits();
        }
        all_valid &= extents(&to);
        *end = to;
        // Ends that were right are starts that are right.
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

    /// The end of the last step is the start of the next one. What the ends are then is nothing.
    pub(super) fn turn(&mut self) {
        std::mem::swap(&mut self.start, &mut self.end);
    }

    /// Sets a body's bounds. Whether it starts where it was to start, and whether its bounds are
    /// bounds.
    pub(super) fn set(&mut self, body: usize, lines: &Lines) -> (bool, bool) {
        let range = BOUNDS * body..BOUNDS * body + BOUNDS;
        set_all(
            &mut self.start[range.clone()],
            &mut self.end[range],
            std::slice::from_ref(lines),
        )
    }

    /// The same of all bodies.
    pub(super) fn set_all(&mut self, lines: &[Lines]) -> (bool, bool) {
        set_all(&mut self.start, &mut self.end, lines)
    }

    /// A body that was not set stays where it is.
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

    /// Calls `found(axis, endpoint)` for every endpoint that is outside of its band somewhere in
    /// the step. The starts are in their bands if `continuous`: they are the last ends.
    pub(super) fn leavers(&self, continuous: bool, mut found: impl FnMut(usize, u32)) {
        for from in (0..self.end.len()).step_by(BLOCK) {
            let (low, high) = (block(&self.low, from), block(&self.high, from));
            let end = block(&self.end, from);
            // A number that is none is outside, too. First whether there is any: nothing is stored,
            // and mostly that is all.
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

    /// Whether an endpoint leaves its band.
    pub(super) fn leaves(&self, axis: usize, endpoint: u32) -> bool {
        let k = at(axis, endpoint);
        let (low, high) = (self.low[k], self.high[k]);
        let inside = |x: f64| x >= low && x <= high;
        !(inside(self.start[k]) && inside(self.end[k]))
    }

    /// No bands: all that is finite is inside.
    pub(super) fn open(&mut self, axis: usize) {
        for k in (2 * axis..self.low.len()).step_by(BOUNDS) {
            for k in [k, k + 1] {
                (self.low[k], self.high[k]) = (f64::MIN, f64::MAX);
            }
        }
    }

    /// Whether two bodies' boxes, each swept over the whole step, overlap on this axis.
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

    /// Whether the boxes overlap at `t`; touching is overlapping.
    pub(super) fn overlap_at(&self, (i, j): Pair, t: f64) -> bool {
        let (i, j) = (i as usize, j as usize);
        (0..3).all(|axis| {
            let (lo, hi) = (2 * axis, 2 * axis + 1);
            self.at(lo, i, t) <= self.at(hi, j, t) && self.at(lo, j, t) <= self.at(hi, i, t)
        })
    }

    /// When in `[from, h]` the boxes overlap: one stretch of time, since all bounds are linear. It
    /// begins at `from` exactly if they overlap then, and is infinite if they do at the end. Other
    /// times are rounded outwards.
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
