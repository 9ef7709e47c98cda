//! Finds all possible contacts of a step once, at its start, with a margin for the distance that
//! each sphere may move.

use super::blend::Blends;
use super::fluid::{Fluid, FluidPair};
use super::near_pairs::NearPairs;
use super::pairs::PairRow;
use super::planes::{Plane, PlaneRow};
use super::sphere::{NO_FLUID, NO_STRAND, Spheres};
use super::step::StepReport;
use super::unilateral::ContactState;
use super::world::{Settings, SphereWorld, key};
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

/// How far the spheres of a step may move and reach.
struct SearchBounds {
    /// Distance that an impact may add to the margin of a pair, m.
    impact_margin: f64,
    /// Widest gap at which any pair stays blended, m.
    blend: Option<f64>,
    /// Distance at which any two spheres may come near, m.
    size: f64,
}

/// Whether both spheres belong to one fluid.
#[inline]
fn is_same_fluid(s: &Spheres, i: usize, j: usize) -> bool {
    s.fluid[i] != NO_FLUID && s.fluid[i] == s.fluid[j]
}

/// The selection of the rows of a step from the pairs that are near.
struct Selection<'w> {
    found: &'w NearPairs,
    spheres: &'w Spheres,
    settings: &'w Settings,
    fluids: &'w [Fluid],
    neighbours: &'w [u64],
    max_move: &'w [f64],
    bounds: SearchBounds,
    /// Pairs that were left out before the selection.
    beyond: u32,
    pairs: &'w mut Vec<PairRow>,
    near: &'w mut Vec<FluidPair>,
    blends: &'w mut Blends,
    left_out: u32,
}

/// A pair under selection: spheres `a` and `b`, with what decides their distance.
struct NearSpheres {
    a: u32,
    b: u32,
    /// Square of the distance of the centres, m².
    square: f64,
    /// Sum of the radii, m.
    touching: f64,
    /// Distance that both may move, m.
    margin: f64,
    /// Arc between them if both are on one wire, m; otherwise infinite.
    along: f64,
    same_wire: bool,
}

impl Selection<'_> {
    /// Selects the rows with this share of all margins. Returns how many pairs did not fit.
    fn select(&mut self, share: f64) -> u32 {
        self.pairs.clear();
        self.near.clear();
        self.blends.candidates.clear();
        let impact_margin = share * self.bounds.impact_margin;
        self.left_out = self.beyond;
        let found = self.found;
        for (a, b, square) in found.pairs() {
            let pair = self.pair(a, b, square, share);
            let (i, j) = (a as usize, b as usize);
            let s = self.spheres;
            let free = s.inverse_mass[i] + s.inverse_mass[j] > 0.0;
            if is_same_fluid(s, i, j) {
                if free {
                    self.add_fluid(&pair);
                }
            } else if free {
                self.add_contact(&pair, impact_margin);
            }
            self.add_blend(&pair);
        }
        self.left_out
    }

    /// Measures a pair once for all kinds of rows.
    #[inline]
    fn pair(&self, a: u32, b: u32, square: f64, share: f64) -> NearSpheres {
        let s = self.spheres;
        let (i, j) = (a as usize, b as usize);
        let wire = s.on_strand[i].strand;
        let same_wire = wire != NO_STRAND && wire == s.on_strand[j].strand;
        NearSpheres {
            a,
            b,
            square,
            touching: s.radius[i] + s.radius[j],
            margin: share * (self.max_move[i] + self.max_move[j]),
            along: if same_wire {
                (s.on_strand[i].arc - s.on_strand[j].arc).abs()
            } else {
                f64::INFINITY
            },
            same_wire,
        }
    }

    /// Adds a pair of one fluid within its cutoff.
    #[inline]
    fn add_fluid(&mut self, pair: &NearSpheres) {
        let fluid = self.spheres.fluid[pair.a as usize];
        let reach = self.fluids[fluid as usize].cutoff + pair.margin;
        if pair.square < reach * reach {
            if self.near.len() < self.most() {
                let (a, b) = (pair.a, pair.b);
                self.near.push(FluidPair { a, b, fluid });
            } else {
                self.left_out = self.left_out.saturating_add(1);
            }
        }
    }

    /// Adds a contact that may close, unless the two never touch each other.
    #[inline]
    fn add_contact(&mut self, pair: &NearSpheres, impact_margin: f64) {
        let reach = pair.touching + pair.margin + impact_margin;
        if pair.touching > 0.0
            && pair.square < reach * reach
            && pair.along > HALF_CIRCLE * pair.touching
            && self.neighbours.binary_search(&key(pair.a, pair.b)).is_err()
        {
            if self.pairs.len() < self.most() {
                let row = PairRow::new(pair.a, pair.b, self.settings.friction, self.spheres);
                self.pairs.push(row);
            } else {
                self.left_out = self.left_out.saturating_add(1);
            }
        }
    }

    /// Adds a pair that may blend. Neighbours on a wire blend without being searched for.
    #[inline]
    fn add_blend(&mut self, pair: &NearSpheres) {
        let (i, j) = (pair.a as usize, pair.b as usize);
        let is_in_window = pair.same_wire && pair.along <= self.spheres.on_strand[i].window;
        if self.bounds.blend.is_none() || is_in_window {
            return;
        }
        if let Some([_, part]) = self.blends.limits(i, j, self.spheres) {
            let reach = pair.touching + part + pair.margin;
            if reach > 0.0 && pair.square < reach * reach {
                if self.blends.candidates.len() < self.most() {
                    self.blends.candidates.push((pair.a, pair.b));
                } else {
                    self.left_out = self.left_out.saturating_add(1);
                }
            }
        }
    }

    /// Largest number of pairs of each kind.
    #[inline]
    fn most(&self) -> usize {
        self.settings.most_pairs as usize
    }
}

impl SphereWorld {
    /// Lists all pairs that may come near in a step of `dt`.
    pub(super) fn search(&mut self, dt: f64, report: &mut StepReport) {
        if !core::mem::replace(&mut self.neighbours_sorted, true) {
            self.neighbours.sort_unstable();
            self.neighbours.dedup();
        }
        self.pairs.clear();
        self.near.clear();
        self.blends.candidates.clear();
        let bounds = self.bound_moves(dt);
        if !(bounds.size > 0.0) {
            return;
        }
        let beyond = self.collect_near(&bounds);
        let mut selection = Selection {
            found: &self.found,
            spheres: &self.spheres,
            settings: &self.settings,
            fluids: &self.fluids,
            neighbours: &self.neighbours,
            max_move: &self.max_move,
            bounds,
            beyond,
            pairs: &mut self.pairs,
            near: &mut self.near,
            blends: &mut self.blends,
            left_out: 0,
        };
        // If not all pairs fit, the nearest come first: margins shrink until the rest fits.
        let left_out = selection.select(1.0);
        if left_out > 0 {
            let _ = MARGINS
                .into_iter()
                .find(|share| selection.select(*share) == 0);
        }
        report.pairs_left_out = left_out;
    }

    /// Bounds how far each sphere may move in a step of `dt`, and from that the distance at which
    /// any two may come near.
    fn bound_moves(&mut self, dt: f64) -> SearchBounds {
        let s = &self.spheres;
        let largest = s.radius.iter().copied().fold(0.0, f64::max);
        let cutoff = self.fluids.iter().map(|f| f.cutoff).fold(0.0, f64::max);
        let most = MAX_MOVE_RADII * largest.max(cutoff / 2.0);
        let fall = self.settings.gravity_m_s2.norm() * dt * dt;
        let (mut widest, mut longest) = (0.0_f64, 0.0_f64);
        for (i, max_move) in self.max_move.iter_mut().enumerate() {
            let path = s.v[i].norm() * dt + fall;
            // For a displacement that is NaN, `min` returns the bound.
            let path = path.min(most);
            longest = longest.max(path);
            *max_move = path + SLACK * s.radius[i];
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
        SearchBounds {
            impact_margin,
            blend,
            size,
        }
    }

    /// Collects the pairs that are near enough for any kind of row, by cells. Returns how many did
    /// not fit.
    fn collect_near(&mut self, bounds: &SearchBounds) -> u32 {
        let (s, max_move, fluids) = (&self.spheres, &self.max_move, &self.fluids);
        let most = self.settings.most_pairs as usize;
        // Wide enough for all that follows: three kinds of rows, and as many again for pairs that
        // must not touch.
        let keep = |i: usize, j: usize, square: f64| {
            let margin = max_move[i] + max_move[j];
            let touching = s.radius[i] + s.radius[j] + margin;
            let own = if is_same_fluid(s, i, j) {
                fluids[s.fluid[i] as usize].cutoff + margin
            } else {
                touching + bounds.impact_margin
            };
            let reach = bounds.blend.map_or(own, |part| own.max(touching + part));
            reach > 0.0 && square < reach * reach
        };
        (self.found).collect(&s.x, bounds.size, most.saturating_mul(6).max(1), keep)
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
