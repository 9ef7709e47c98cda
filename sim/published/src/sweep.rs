//! Continuous overlap test of two oriented boxes, one of which follows a constant-speed screw.
//!
//! Conservative: it may report an overlap that does not exist, but never misses one. Stage 1 is the
//! separating-axis test with both sides of the inequality bounded by intervals over a part of the
//! motion. If no axis separates for the whole part, stage 2 halves the part, as long as the motion
//! is large compared with the boxes (Redon 2002, section 3.3.1).
//!
//! Distances along the face axes of a box are bounded in that box's own frame, so that constants
//! there stay constant. The printed subdivision criterion (equation 3.13) is dimensionally
//! inconsistent. It is read as `(t1 - t0)|v| > k (sum a_i |n.e_i| + sum b_i |n.f_i|)` with `n =
//! v/|v|`.
//!
//! Bounded time (at most `2^max_depth` parts, in practice a few), allocation-free, a pure function,
//! no panics; non-finite values give "overlap".

pub use hapticd_ccd::obb::Axes;
use hapticd_ccd::obb::Obb;
use hapticd_geometry::{IVec3, Interval, Screw, ScrewBounds, Vec3};

/// Upper limit of [`SweepOptions::max_depth`].
const MAX_DEPTH: u32 = 32;

/// Parameters of the continuous overlap test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepOptions {
    /// Redon's constant of the subdivision rule: larger values subdivide less, infinity never.
    pub k: f64,
    /// Maximum depth of subdivision, at most 32.
    pub max_depth: u32,
    /// Axes to try.
    pub axes: Axes,
}

impl Default for SweepOptions {
    fn default() -> Self {
        Self {
            k: 0.15,
            max_depth: 12,
            axes: Axes::All,
        }
    }
}

/// Tests whether the first box, moving with `screw`, may overlap the static second one at some time
/// in `[0, t_end]`. Both boxes (the first at time 0) and the screw are in one frame. `evaluations`
/// counts interval separating-axis tests.
#[must_use]
pub fn overlap_during(
    [a, b]: [&Obb; 2],
    screw: &Screw,
    t_end: f64,
    options: &SweepOptions,
    evaluations: &mut u64,
) -> bool {
    let pair = MovingPair::new(a, b, screw);
    // At most one later half per level is pending, plus both halves of the current one.
    let mut stack = [(0.0, 0.0, 0u32); MAX_DEPTH as usize + 2];
    stack[0] = (0.0, t_end, 0);
    let mut height = 1;
    while height > 0 {
        height -= 1;
        let (low, high, depth) = stack[height];
        *evaluations += 1;
        if pair.separated(Interval::new(low, high), options.axes) {
            continue;
        }
        if depth >= options.max_depth.min(MAX_DEPTH) || !pair.subdivide(low, high, options.k) {
            return true;
        }
        let middle = 0.5 * (low + high);
        stack[height] = (middle, high, depth + 1);
        stack[height + 1] = (low, middle, depth + 1);
        height += 2;
    }
    false
}

/// Stage 1 alone: returns whether one axis provably separates the boxes during all of `time`.
#[must_use]
pub fn separated_during(a: &Obb, b: &Obb, screw: &Screw, time: Interval, axes: Axes) -> bool {
    MovingPair::new(a, b, screw).separated(time, axes)
}

struct MovingPair<'a> {
    a: &'a Obb,
    b: &'a Obb,
    screw: &'a Screw,
    /// The screw in b's axes about b's centre, and a's centre there.
    screw_in_b: Screw,
    center_in_b: Vec3,
    /// Axes of a in b's axes.
    axes_in_b: [Vec3; 3],
    /// The inverse screw in a's axes about a's centre, and b's centre there.
    screw_in_a: Screw,
    center_in_a: Vec3,
    /// Rounding error of the frame changes, metres.
    slack: f64,
}

impl<'a> MovingPair<'a> {
    fn new(a: &'a Obb, b: &'a Obb, screw: &'a Screw) -> Self {
        let into = |x: &Obb, s: &Screw| Screw {
            point: x.axes.tr_mul(&(s.point - x.center)),
            axis: x.axes.tr_mul(&s.axis),
            ..*s
        };
        let back = Screw {
            angle: -screw.angle,
            translation: -screw.translation,
            ..*screw
        };
        let size = a.center.amax() + b.center.amax() + a.half.sum() + b.half.sum();
        let travel = screw.translation.abs() + screw.angle.abs() * (screw.point.amax() + size);
        Self {
            a,
            b,
            screw,
            screw_in_b: into(b, screw),
            center_in_b: b.axes.tr_mul(&(a.center - b.center)),
            axes_in_b: [0, 1, 2].map(|i| b.axes.tr_mul(&a.axes.column(i))),
            screw_in_a: into(a, &back),
            center_in_a: a.axes.tr_mul(&(b.center - a.center)),
            slack: 64.0 * f64::EPSILON * (size + travel),
        }
    }

    /// Interval separating-axis test, all quantities over `time`.
    fn separated(&self, time: Interval, axes: Axes) -> bool {
        let in_b = ScrewBounds::new(&self.screw_in_b, time);
        let m = self.axes_in_b.map(|e| components(in_b.direction(&e)));
        let (ha, hb) = (&self.a.half, &self.b.half);
        let size = m.map(|row| row.map(Interval::abs));
        let tb = components(in_b.point(&self.center_in_b));
        for j in 0..3 {
            let radius: f64 = (0..3).map(|i| size[i][j].hi * ha[i]).sum();
            if tb[j].abs().lo > hb[j] + radius + self.slack {
                return true;
            }
        }
        let in_a = ScrewBounds::new(&self.screw_in_a, time);
        let ta = components(in_a.point(&self.center_in_a));
        for i in 0..3 {
            let radius: f64 = (0..3).map(|j| size[i][j].hi * hb[j]).sum();
            if ta[i].abs().lo > ha[i] + radius + self.slack {
                return true;
            }
        }
        if axes == Axes::Faces {
            return false;
        }
        for i in 0..3 {
            let (k, l) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (p, q) = ((j + 1) % 3, (j + 2) % 3);
                // The axis is not of unit length. Where it is nearly zero, the small term keeps
                // rounding from separating.
                let left = (ta[l] * m[k][j] - ta[k] * m[l][j]).abs().lo;
                let n = |x: usize, y: usize| size[x][y].hi + 1e-12;
                let right = ha[k] * n(l, j) + ha[l] * n(k, j) + hb[p] * n(i, q) + hb[q] * n(i, p);
                if left > right + self.slack {
                    return true;
                }
            }
        }
        false
    }

    /// True if a's centre moves far in `[low, high]` compared with the extent of the boxes along
    /// its path.
    fn subdivide(&self, low: f64, high: f64, k: f64) -> bool {
        let start = self.screw.velocity_of(&self.a.center);
        // Along the axes of a, the velocity is that of time 0, by invariance of the body twist.
        let now = self
            .screw
            .velocity_of(&(self.a.center + self.screw.shift_of(&self.a.center, low)));
        let extent: f64 = (0..3)
            .map(|i| {
                self.a.half[i] * start.dot(&self.a.axes.column(i)).abs()
                    + self.b.half[i] * now.dot(&self.b.axes.column(i)).abs()
            })
            .sum();
        (high - low) * start.norm_squared() > k * extent
    }
}

fn components(v: IVec3) -> [Interval; 3] {
    [v.x, v.y, v.z]
}
