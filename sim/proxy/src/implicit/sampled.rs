//! Sampled potentials in the haptic loop: the foot of a point, and the contacts of a tool.
//!
//! Real-time callable except for [`Sampled::new`]: no allocation and no blocking. A foot takes at
//! most 64 samples at each of [`FOOT_STEPS`] points; a ball has [`SEARCHES`](super::SEARCHES) feet.
//! Deterministic. World frame, SI units. The potential never changes, so the loop and all other
//! threads share it behind an `Arc`.
//!
//! # Theory
//!
//! The function is that of the skin, [`Grid`], so the rendered surface is the visible one. Its
//! gradient is continuous, so a normal turns without jumps. Nothing else is known of a client's
//! potential: away from the surface it may be flat or noisy, as scans are, and it has no reach. So
//! the search for the surface cannot follow the potential. Instead, every sample stores its exact
//! distance to the nearest sample of the other side ([`lines`]). Along the slope of that distance a
//! search starts within about a sample of the surface, from anywhere.
//!
//! * *The foot* is the nearest point of the surface. Each step has two parts: along the gradient to
//!   the level (Newton), and across it towards the query point. How much of the second part is
//!   taken follows from what the last step left of it (secant): near a bump that is smaller than
//!   the distance, the full part would oscillate.
//! * *A ball* touches at its centre's foot, however deep that is. In a hollow it touches at several
//!   points; those are searched from the points of the ball that are nearest to the surface.
//! * *A mesh* is probed at the points that the answer lists.
//!
//! # Guarantees and limits
//!
//! A foot is on the surface to [`ON_LEVEL`] of a sample, or there is no foot. Details thinner than
//! two samples are not in the data. A tool that gets further than half through a wall is given the
//! wall's other side. Where the surface bends more tightly than a third of a distance, the foot
//! from there may miss the nearest point.

use hapticd_geometry::{Pose, Vec3, transform};
use hapticd_skin::Grid;

use super::{Foot, SEARCHES, Touch};
use crate::implicit::MAX_SAMPLES;
use crate::tool::ToolShape;

mod lines;

/// Most points at which the potential is evaluated for a foot.
pub const FOOT_STEPS: usize = 14;
/// Number of last steps that only move to the level.
const LAST_STEPS: usize = 4;
/// Largest distance of a foot from the level, in units of the finest spacing.
pub const ON_LEVEL: f64 = 1e-3;
/// Distances that count as converged, in units of the finest spacing: along the gradient, and
/// across it.
const SETTLED: (f64, f64) = (1e-5, 1e-3);
/// Smallest and largest share of the part across the gradient that a step takes.
const PACE: (f64, f64) = (0.15, 2.0);
/// The feet of a ball have normals further apart than this (cosine).
const APART: f64 = 0.9;

/// A grid, its level, and the distances to it. See the module page.
#[derive(Clone, Debug, PartialEq)]
pub struct Sampled {
    grid: Grid,
    level: f64,
    /// Approximate distance of each sample from the surface, m; below 0 inside.
    away_m: Vec<f32>,
    finest_m: f64,
    coarsest_m: f64,
}

/// Potential at a point, in terms of the surface: the outward unit normal, and the distance to the
/// level along it, by the slope there.
struct Sense {
    normal: Vec3,
    level_m: f64,
}

impl Sampled {
    /// Creates the sampled potential; `None` if no sample, or every sample, is above the level.
    /// Takes time proportional to the number of samples, and allocates.
    #[must_use]
    pub fn new(grid: Grid, level: f64) -> Option<Sampled> {
        let spacing_m = grid.spacing_m();
        let away_m = lines::signed(grid.nodes(), spacing_m, |k| {
            f64::from(grid.values()[k]) > level
        })?;
        let least = |a: f64, b: f64| a.min(b);
        Some(Sampled {
            level,
            away_m,
            finest_m: spacing_m.into_iter().fold(f64::INFINITY, least),
            coarsest_m: spacing_m.into_iter().fold(0.0, f64::max),
            grid,
        })
    }

    /// Returns the samples.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the potential on the surface.
    #[must_use]
    pub fn level(&self) -> f64 {
        self.level
    }

    /// Returns the potential above the level at a point; beyond the grid the potential is 0.
    #[must_use]
    pub fn excess(&self, at: &Vec3) -> f64 {
        self.grid.value(at) - self.level
    }

    /// Returns the sample that is furthest inside, m, and its approximate depth, m.
    #[must_use]
    pub fn deepest(&self) -> (Vec3, f64) {
        let furthest = |best: usize, k: usize| match self.away_m[k] < self.away_m[best] {
            true => k,
            false => best,
        };
        let deepest = (0..self.away_m.len()).fold(0, furthest);
        let [nx, ny, _] = self.grid.nodes().map(|n| n as usize);
        let node = [deepest % nx, deepest / nx % ny, deepest / (nx * ny)];
        let place = self.grid.place(&Vec3::from(node.map(|i| i as f64)));
        (place, -f64::from(self.away_m[deepest]))
    }

    /// Returns a lower bound of the distance from a point to the surface, m; 0 or less near it and
    /// inside.
    #[must_use]
    pub fn clear_m(&self, at: &Vec3) -> f64 {
        let inner = self.within(at);
        let beyond_m = (at - inner).norm();
        // The other side's nearest sample is further away than the surface, by at most one
        // diagonal. Interpolation between samples adds another.
        let unsure_m = 2.0 * 3.0_f64.sqrt() * self.coarsest_m;
        (self.away(&inner).0 - unsure_m - beyond_m).max(beyond_m - self.coarsest_m)
    }

    /// Returns the foot of a point anywhere; `None` if the search does not end on the level.
    #[must_use]
    pub fn foot(&self, at: &Vec3) -> Option<Foot> {
        self.closest(at, self.start(at))
    }

    /// Returns the nearest point of the grid that is far enough from its border to have samples on
    /// all sides.
    fn within(&self, at: &Vec3) -> Vec3 {
        let (mut local, nodes) = (self.grid.in_samples(at), self.grid.nodes());
        for k in 0..3 {
            // `max` and `min` also turn NaN into a point.
            local[k] = local[k].max(0.01).min(f64::from(nodes[k] - 1) - 0.01);
        }
        self.grid.place(&local)
    }

    /// Returns the approximate distance of a grid point from the surface, m, and its slope,
    /// interpolated between the nearest eight samples.
    fn away(&self, at: &Vec3) -> (f64, Vec3) {
        let (local, nodes) = (self.grid.in_samples(at), self.grid.nodes());
        let (mut node, mut part) = ([0_usize; 3], [0.0; 3]);
        for k in 0..3 {
            let cell = (local[k].max(0.0) as u32).min(nodes[k] - 2);
            (node[k], part[k]) = (cell as usize, (local[k] - f64::from(cell)).clamp(0.0, 1.0));
        }
        let [nx, ny] = [nodes[0], nodes[1]].map(|n| n as usize);
        let first = (node[2] * ny + node[1]) * nx + node[0];
        let corner = |c: usize| {
            let step = (c >> 2) * nx * ny + (c >> 1 & 1) * nx + (c & 1);
            f64::from(self.away_m[first + step])
        };
        let c: [f64; 8] = std::array::from_fn(corner);
        let mix = |a: f64, b: f64, t: f64| a + (b - a) * t;
        let [u, v, w] = part;
        let x = [0, 2, 4, 6].map(|i| mix(c[i], c[i + 1], u));
        let y = [0, 2].map(|i| mix(x[i], x[i + 1], v));
        let by_x = [0, 2, 4, 6].map(|i| c[i + 1] - c[i]);
        let by_x = [0, 2].map(|i| mix(by_x[i], by_x[i + 1], v));
        let by_y = [0, 2].map(|i| x[i + 1] - x[i]);
        let slope = Vec3::new(
            mix(by_x[0], by_x[1], w),
            mix(by_y[0], by_y[1], w),
            y[1] - y[0],
        );
        (mix(y[0], y[1], w), self.grid.slope(&slope))
    }

    /// Returns a point within about a sample of the surface, towards it from `at`.
    fn start(&self, at: &Vec3) -> Vec3 {
        let mut place = self.within(at);
        // The slope points along the shortest path except where two are equally short. Two steps
        // are enough to get near one of them.
        for _ in 0..2 {
            let (away_m, slope) = self.away(&place);
            if away_m.abs() <= self.coarsest_m {
                break;
            }
            let Some(way) = slope.try_normalize(1e-9) else {
                break;
            };
            place = self.within(&(place - way * away_m));
        }
        place
    }

    fn sense(&self, at: &Vec3) -> Option<Sense> {
        let (value, gradient) = self.grid.with_gradient(at);
        let slope = gradient.norm();
        // Not `<=`: NaN gives nothing.
        if !(slope > 0.0 && slope.is_finite()) {
            return None;
        }
        Some(Sense {
            normal: gradient / -slope,
            level_m: (value - self.level) / slope,
        })
    }

    /// Returns the foot of `at`, searched from `place`.
    fn closest(&self, at: &Vec3, mut place: Vec3) -> Option<Foot> {
        // Offset across the gradient before the last step, and the share of it that was taken.
        let (mut pace, mut before): (f64, Option<(Vec3, f64)>) = (1.0, None);
        let mut sense = self.sense(&place)?;
        for step in 1..FOOT_STEPS {
            let Sense { normal, level_m } = sense;
            let way = at - place;
            let aside = way - normal * way.dot(&normal);
            if let Some((before, taken)) = before {
                let left = aside.dot(&before) / before.norm_squared();
                // If more is left than there was, the secant slope is meaningless.
                if left < 1.0 {
                    pace = (taken / (1.0 - left)).clamp(PACE.0, PACE.1);
                }
            }
            let only_level = step + LAST_STEPS >= FOOT_STEPS;
            let (aside_m, there) = (aside.norm(), level_m.abs() <= SETTLED.0 * self.finest_m);
            if there && (only_level || aside_m <= SETTLED.1 * self.finest_m) {
                break;
            }
            // Steps stay within the range in which the potential is a guide.
            let along = level_m.clamp(-self.coarsest_m, self.coarsest_m);
            place += normal * along;
            if !only_level && aside_m > 0.0 {
                let taken = pace.min(self.coarsest_m / aside_m);
                before = Some((aside, taken));
                place += aside * taken;
            }
            sense = self.sense(&place)?;
        }
        // Not `>`: NaN is not a foot either.
        if !(sense.level_m.abs() <= ON_LEVEL * self.finest_m) {
            return None;
        }
        Some(Foot {
            point: place,
            normal: sense.normal,
            distance_m: (at - place).dot(&sense.normal),
            velocity: Vec3::zeros(),
        })
    }

    /// Returns the feet of a ball's centre, the nearest first: those that touch within `band_m`, or
    /// nearly.
    fn of_ball(&self, centre: &Vec3, radius_m: f64, band_m: f64) -> [Option<Foot>; SEARCHES] {
        let mut found = [None; SEARCHES];
        found[0] = self.foot(centre);
        let mut count = usize::from(found[0].is_some());
        // Points of the ball with their distances; only sides without a foot are searched.
        let near_m = band_m + self.coarsest_m;
        let away = DIRECTIONS.map(|side| {
            let side = Vec3::from(side).normalize();
            let point = centre + side * radius_m;
            (self.away(&self.within(&point)).0, side, point)
        });
        let mut taken = [Vec3::zeros(); SEARCHES];
        for search in 1..SEARCHES {
            let is_new = |side: &Vec3| {
                let found = found.iter().flatten().map(|foot| -foot.normal);
                let mut all = found.chain(taken[..search].iter().copied());
                all.all(|other| other.dot(side) < 0.7)
            };
            let mut best: Option<&(f64, Vec3, Vec3)> = None;
            for candidate in away.iter().filter(|c| c.0 < near_m && is_new(&c.1)) {
                if best.is_none_or(|b| candidate.0 < b.0) {
                    best = Some(candidate);
                }
            }
            let Some((_, side, point)) = best else { break };
            taken[search] = *side;
            let foot = self.closest(centre, self.start(point));
            let Some(foot) = foot.filter(|foot| {
                let mut all = found.iter().flatten();
                // The foot must face the side from which it was searched: the far side of a thin
                // wall is not a contact.
                all.all(|other| other.normal.dot(&foot.normal) < APART)
                    && foot.normal.dot(side) < 0.0
            }) else {
                continue;
            };
            found[count] = Some(foot);
            count += 1;
        }
        found
    }

    /// See [`ImplicitSurface::touches`](super::ImplicitSurface::touches).
    pub(super) fn touches(
        &self,
        (tool, pose): (&ToolShape, &Pose),
        samples: &[Vec3],
        band_m: f64,
        mut each: impl FnMut(Touch),
    ) {
        let centre = transform(pose, &tool.centre);
        if self.clear_m(&centre) > 0.5 * tool.size_m() + band_m.max(0.0) {
            return;
        }
        // NaN is not a touch.
        if tool.radius_m > 0.0 {
            let feet = self.of_ball(&centre, tool.radius_m, band_m);
            for mut foot in feet.into_iter().flatten() {
                foot.distance_m -= tool.radius_m;
                if foot.distance_m < band_m {
                    let tool_point = centre - foot.normal * tool.radius_m;
                    each(Touch { tool_point, foot });
                }
            }
        } else {
            for sample in samples.iter().take(MAX_SAMPLES) {
                let tool_point = transform(pose, sample);
                if let Some(foot) = self.foot(&tool_point)
                    && foot.distance_m < band_m
                {
                    each(Touch { tool_point, foot });
                }
            }
        }
    }
}

/// Directions to the sides, edges and corners of a cube.
const DIRECTIONS: [[f64; 3]; 26] = {
    let (mut all, mut count, mut k) = ([[0.0; 3]; 26], 0, 0);
    while k < 27 {
        if k != 13 {
            all[count] = [
                (k % 3) as f64 - 1.0,
                (k / 3 % 3) as f64 - 1.0,
                (k / 9) as f64 - 1.0,
            ];
            count += 1;
        }
        k += 1;
    }
    all
};

#[cfg(test)]
mod tests;
