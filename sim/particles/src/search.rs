//! Finds all possible contacts of a step once, at its start, with a margin for the distance that
//! each sphere may move.

use super::fluid::FluidPair;
use super::pairs::PairRow;
use super::planes::{Plane, PlaneRow};
use super::sphere::{NO_FLUID, NO_STRAND};
use super::step::StepReport;
use super::unilateral::ContactState;
use super::world::{SphereWorld, key};
use crate::Vec3;

/// Largest displacement that a sphere is expected to make in a step, as a multiple of the largest
/// radius (or half a fluid's cutoff).
const MAX_MOVE_RADII: f64 = 4.0;
/// Displacement that forces may add to the free flight, as a fraction of the sphere's radius.
const SLACK: f64 = 0.05;
/// Fractions of the margins to try if not all pairs fit.
const MARGINS: [f64; 3] = [0.5, 0.25, 0.0];
/// Half a circle over its diameter: a wire that bends no sharper than its own thickness does not
/// touch itself within this arc.
const HALF_CIRCLE: f64 = core::f64::consts::FRAC_PI_2;

impl SphereWorld {
    /// Lists all pairs that may come near in a step of `dt`.
    pub(super) fn search(&mut self, dt: f64, report: &mut StepReport) {
        if !core::mem::replace(&mut self.neighbours_sorted, true) {
            self.neighbours.sort_unstable();
            self.neighbours.dedup();
        }
        let s = &self.spheres;
        self.pairs.clear();
        self.near.clear();
        self.blends.candidates.clear();
        let largest = s.radius.iter().copied().fold(0.0, f64::max);
        let cutoff = self.fluids.iter().map(|f| f.cutoff).fold(0.0, f64::max);
        let most = MAX_MOVE_RADII * largest.max(cutoff / 2.0);
        let fall = self.settings.gravity_m_s2.norm() * dt * dt;
        let (mut widest, mut longest) = (0.0_f64, 0.0_f64);
        for (i, max_move) in self.max_move.iter_mut().enumerate() {
            let way = s.v[i].norm() * dt + fall;
            // For a displacement that is NaN, `min` returns the bound.
            let way = way.min(most);
            longest = longest.max(way);
            *max_move = way + SLACK * s.radius[i];
            widest = widest.max(*max_move);
        }
        // Without bounce, no impact makes a sphere faster than the fastest. Within a fluid, coming
        // too near does no harm.
        let all_one = s.fluid.iter().all(|f| *f == s.fluid[0] && *f != NO_FLUID);
        let impact_margin = if all_one { 0.0 } else { longest };
        let blend = self.blends.widest();
        let reach = (2.0 * largest).max(cutoff);
        let size = reach.max(blend.map_or(0.0, |part| 2.0 * largest + part))
            + 2.0 * widest
            + impact_margin;
        if !(size > 0.0) {
            return;
        }
        let (settings, max_move, fluids) = (&self.settings, &self.max_move, &self.fluids);
        let most = settings.most_pairs as usize;
        let same_fluid = |i: usize, j: usize| s.fluid[i] != NO_FLUID && s.fluid[i] == s.fluid[j];
        // Wide enough for all that follows: three kinds of rows, and as many again for pairs that
        // must not touch.
        let keep = |i: usize, j: usize, square: f64| {
            let margin = max_move[i] + max_move[j];
            let touching = s.radius[i] + s.radius[j] + margin;
            let own = if same_fluid(i, j) {
                fluids[s.fluid[i] as usize].cutoff + margin
            } else {
                touching + impact_margin
            };
            let reach = blend.map_or(own, |part| own.max(touching + part));
            reach > 0.0 && square < reach * reach
        };
        let beyond = (self.found).collect(&s.x, size, most.saturating_mul(6).max(1), keep);
        let (found, pairs, near) = (&self.found, &mut self.pairs, &mut self.near);
        let (blends, neighbours) = (&mut self.blends, &self.neighbours);
        let mut look = |share: f64| {
            pairs.clear();
            near.clear();
            blends.candidates.clear();
            let impact_margin = share * impact_margin;
            let mut left_out = beyond;
            for (a, b, square) in found.pairs() {
                let (i, j) = (a as usize, b as usize);
                let margin = share * (max_move[i] + max_move[j]);
                let touching = s.radius[i] + s.radius[j];
                let free = s.inverse_mass[i] + s.inverse_mass[j] > 0.0;
                let wire = s.on_strand[i].strand;
                let same_wire = wire != NO_STRAND && wire == s.on_strand[j].strand;
                let along = if same_wire {
                    (s.on_strand[i].arc - s.on_strand[j].arc).abs()
                } else {
                    f64::INFINITY
                };
                if same_fluid(i, j) {
                    let reach = fluids[s.fluid[i] as usize].cutoff + margin;
                    if free && square < reach * reach {
                        if near.len() < most {
                            let fluid = s.fluid[i];
                            near.push(FluidPair { a, b, fluid });
                        } else {
                            left_out = left_out.saturating_add(1);
                        }
                    }
                } else if free
                    && touching > 0.0
                    && square
                        < (touching + margin + impact_margin) * (touching + margin + impact_margin)
                    && along > HALF_CIRCLE * touching
                    && neighbours.binary_search(&key(a, b)).is_err()
                {
                    if pairs.len() < most {
                        pairs.push(PairRow::new(a, b, settings.friction, s));
                    } else {
                        left_out = left_out.saturating_add(1);
                    }
                }
                if blend.is_none() || (same_wire && along <= s.on_strand[i].window) {
                    continue;
                }
                if let Some([_, part]) = blends.limits(i, j, s) {
                    let reach = touching + part + margin;
                    if reach > 0.0 && square < reach * reach {
                        if blends.candidates.len() < most {
                            blends.candidates.push((a, b));
                        } else {
                            left_out = left_out.saturating_add(1);
                        }
                    }
                }
            }
            left_out
        };
        // If not all pairs fit, the nearest come first: margins shrink until the rest fits.
        let left_out = look(1.0);
        if left_out > 0 {
            let _ = MARGINS.into_iter().find(|share| look(*share) == 0);
        }
        report.pairs_left_out = left_out;
    }

    /// Adds rows for the walls that a sphere may reach in this step.
    pub(super) fn add_wall_rows(&mut self, dt: f64) {
        let s = &self.spheres;
        for (axis, sign, at) in self.walls.planes() {
            let normal = Vec3::ith(axis, sign);
            let point = Vec3::ith(axis, at);
            for i in 0..s.x.len() {
                // A wall cannot be passed: a fast sphere is tested whatever its speed.
                let gap = sign * (s.x[i][axis] - at) - s.radius[i];
                let max_move = self.max_move[i].max(s.v[i][axis].abs() * dt);
                if s.inverse_mass[i] > 0.0 && gap < max_move {
                    self.planes.push(PlaneRow {
                        sides: Plane {
                            sphere: i as u32,
                            point,
                            normal,
                            velocity: Vec3::zeros(),
                        },
                        press: ContactState::new(self.walls.friction),
                        source: None,
                    });
                }
            }
        }
    }
}
