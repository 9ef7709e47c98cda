//! What may touch in a step: found once, when it begins, with a margin for the way that each sphere may go.

use super::fluid::Near;
use super::pairs::PairRow;
use super::planes::{Plane, PlaneRow};
use super::sphere::{NO_FLUID, NO_STRAND};
use super::step::StepReport;
use super::unilateral::Press;
use super::world::{SphereWorld, key};
use crate::Vec3;

/// Of the largest radius (or half a fluid's cutoff): most that a sphere is expected to move in a step.
const MOST_STIR: f64 = 4.0;
/// Of its own radius: what a push may add to the way that it would fly.
const SLACK: f64 = 0.1;
/// A wire that bends no sharper than its own thickness does not touch itself within half a circle.
const HALF_CIRCLE: f64 = core::f64::consts::FRAC_PI_2;

impl SphereWorld {
    /// What pressed in the step before is what its contacts begin with in this one, in substeps of `h`.
    pub(super) fn remember(&mut self, h: f64) {
        // A force, in units of the new substep.
        let scale = if self.last_h > 0.0 {
            (h / self.last_h).powi(2)
        } else {
            0.0
        };
        self.last_h = h;
        for memory in [
            &mut self.pair_memory,
            &mut self.plane_memory,
            &mut self.touch_memory,
        ] {
            memory.forget();
        }
        for row in &self.pairs {
            let key = key(row.sides.a, row.sides.b);
            self.pair_memory.add(key, &row.press.load, scale);
        }
        for row in &self.planes {
            self.plane_memory.add(row.key, &row.press.load, scale);
        }
        for row in &self.touches {
            self.touch_memory
                .add(row.sides.key(), &row.press.load, scale);
        }
        self.pair_memory.sort();
        self.plane_memory.sort();
        self.touch_memory.sort();
    }

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
        let most = MOST_STIR * largest.max(cutoff / 2.0);
        let fall = self.settings.gravity_m_s2.norm() * dt * dt;
        let mut widest = 0.0_f64;
        for (i, stir) in self.stir.iter_mut().enumerate() {
            let way = s.v[i].norm() * dt + fall;
            // Of a way that is not a number the bound is left.
            *stir = way.min(most) + SLACK * s.radius[i];
            widest = widest.max(*stir);
        }
        let blend = self.blends.widest();
        let reach = (2.0 * largest).max(cutoff);
        let size = reach.max(blend.map_or(0.0, |part| 2.0 * largest + part)) + 2.0 * widest;
        if !(size > 0.0) {
            return;
        }
        self.cells.build(&s.x, size);
        let (settings, stir, fluids) = (&self.settings, &self.stir, &self.fluids);
        let (pairs, near, blends) = (&mut self.pairs, &mut self.near, &mut self.blends);
        let neighbours = &self.neighbours;
        let memory = &mut self.pair_memory;
        let most = settings.most_pairs as usize;
        let mut left_out = 0_u32;
        self.cells.pairs(|a, b| {
            let (i, j) = (a as usize, b as usize);
            let square = (s.x[i] - s.x[j]).norm_squared();
            let margin = stir[i] + stir[j];
            let touching = s.radius[i] + s.radius[j];
            let free = s.inverse_mass[i] + s.inverse_mass[j] > 0.0;
            let wire = s.on_strand[i].strand;
            let same_wire = wire != NO_STRAND && wire == s.on_strand[j].strand;
            let along = if same_wire {
                (s.on_strand[i].arc - s.on_strand[j].arc).abs()
            } else {
                f64::INFINITY
            };
            if s.fluid[i] != NO_FLUID && s.fluid[i] == s.fluid[j] {
                let reach = fluids[s.fluid[i] as usize].cutoff + margin;
                if free && square < reach * reach {
                    if near.len() < most {
                        let fluid = s.fluid[i];
                        near.push(Near { a, b, fluid });
                    } else {
                        left_out = left_out.saturating_add(1);
                    }
                }
            } else if free
                && touching > 0.0
                && square < (touching + margin) * (touching + margin)
                && along > HALF_CIRCLE * touching
                && neighbours.binary_search(&key(a, b)).is_err()
            {
                if pairs.len() < most {
                    let apart = s.x[i] - s.x[j];
                    let normal = apart.try_normalize(0.0).unwrap_or_else(Vec3::z);
                    let load = memory.recall(key(a, b), &normal);
                    pairs.push(PairRow::new(a, b, settings.friction, s, load));
                } else {
                    left_out = left_out.saturating_add(1);
                }
            }
            if blend.is_none() || (same_wire && along <= s.on_strand[i].window) {
                return;
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
        });
        report.pairs_left_out = left_out;
    }

    /// Rows for the walls that a sphere may reach in this step.
    pub(super) fn meet_walls(&mut self, dt: f64) {
        let s = &self.spheres;
        for (number, (axis, sign, at)) in self.walls.planes().enumerate() {
            let normal = Vec3::ith(axis, sign);
            let point = Vec3::ith(axis, at);
            for i in 0..s.x.len() {
                // A wall cannot be passed: who is fast is looked at whatever its speed.
                let gap = sign * (s.x[i][axis] - at) - s.radius[i];
                let stir = self.stir[i].max(s.v[i][axis].abs() * dt);
                if s.inverse_mass[i] > 0.0 && gap < stir {
                    let key = (i as u64) << 32 | number as u64;
                    let load = self.plane_memory.recall(key, &normal);
                    self.planes.push(PlaneRow {
                        sides: Plane {
                            sphere: i as u32,
                            point,
                            normal,
                            velocity: Vec3::zeros(),
                        },
                        press: Press::new(self.walls.friction, load),
                        source: None,
                        key,
                    });
                }
            }
        }
    }
}
