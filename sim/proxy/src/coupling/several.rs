//! Contacts with several materials: the directional stiffness of the coupling's spring. Each
//! material governs the part of the stretch that it holds.
//!
//! Real-time callable: no allocation, no blocking, bounded time. Deterministic.
//!
//! # Theory
//!
//! A surface of stiffness `k` under a coupling of stiffness `K` is a spring of `c` behind it,
//! `1/k = 1/K + 1/c`. Contacts of one stiffness form one surface. They leave free the polyhedron
//! `D = { z : n . z <= gap }`, and the spring acts on the distance of `z` from it, by the
//! coupling's metric. At a stretch `s` of the coupling the stored energy is
//!
//! ```text
//! V(s) = min over z of  K |z - s|^2 / 2  +  sum of c distance(z, D)^2 / 2
//! ```
//!
//! and the force is its gradient. `V` is convex and its gradient is continuous, so closed paths
//! give no energy.
//!
//! - Contacts of one stiffness that hold all of `s` give `k s`, for any number of them and any
//!   distribution of their loads.
//! - Surfaces at right angles each give what they would give alone.
//! - Parallel surfaces are springs in parallel.
//! - Nothing pulls.
//! - Friction holds along the surface by no more than on a rigid one, `k` times its part of the
//!   stretch; beyond that it slips.
//!
//! # Practice
//!
//! With `f` the pushes, `V` is the maximum of `f . s - |f|^2 / 2K - sum of |f_surface|^2 / 2c -
//! gaps` over `f` in the cones of the contacts. This is a least-squares problem with bounded
//! multipliers (Lawson and Hanson 1974, chapter 23; Stark and Parker 1995) over the rows of the
//! tick's projection. Rows that the projection did not load count as well: the projection chooses
//! which corners of a box it loads, and a soft surface may load others.

use hapticd_gauss::Motion;
use hapticd_gauss::coulomb::FrictionSolution;
use hapticd_geometry::Vec3;
use nalgebra::Matrix6;

use super::contact_forces::Pushes;

/// Capacity for contacts; later contacts that hold nothing are dropped.
pub(super) const MAX_ROWS: usize = 32;
/// Most contacts loaded at once.
const MAX_LOADED: usize = 18;
/// Most contacts loaded or released before the search ends with its current result.
const MAX_PIVOTS: u32 = 64;
/// Violation of a contact, as a share of the stretch, that counts as rounding.
const ROUNDING: f64 = 1e-12;
/// Regularisation, as a share of a contact's own term. It makes contacts that share a load share it
/// evenly.
const REGULARISATION: f64 = 1e-13;

/// One contact of a tick.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    /// Stiffness of its surface, N/m; in a [`Form`], as a share of the coupling's.
    stiffness: f64,
    /// Direction in which it holds: normal, and its moment about the spring's centre, m. In a
    /// [`Form`], by the coupling's metric.
    along: Motion,
    /// Distance of the tool from it, m.
    gap_m: f64,
    /// Part of the stretch that it holds, m; not in a [`Form`].
    push_m: f64,
    /// Row of the projection that it was.
    source: u8,
    /// True if it holds a part of the stretch.
    holds: bool,
    /// Largest part of the stretch that it can hold, m; finite for friction only. In a [`Form`],
    /// multiplied by the stiffness.
    limit_m: f64,
}

/// Contacts that hold a tool in a tick, by material.
#[derive(Clone, Copy, Debug)]
pub struct Touched {
    /// Least stiffness and damping of the tick.
    softest: Option<(f64, f64)>,
    /// Part of the stretch that is held: shift, m, and its moment about the spring's centre, m².
    held: Motion,
    /// Sum of the lengths of all pushes, m.
    pushed_m: f64,
    rows: [Row; MAX_ROWS],
    count: usize,
    /// Row of the projection that contacts are added for.
    source: u8,
}

impl Default for Touched {
    fn default() -> Self {
        Touched {
            softest: None,
            held: Motion::zeros(),
            pushed_m: 0.0,
            rows: [Row::default(); MAX_ROWS],
            count: 0,
            source: 0,
        }
    }
}

impl Touched {
    /// Creates an empty set of contacts.
    pub fn new() -> Self {
        Touched::default()
    }

    /// Clears the contacts and what they hold, before they are collected again. Least stiffness and
    /// damping of the tick stay.
    pub fn clear_contacts(&mut self) {
        self.count = 0;
        (self.held, self.pushed_m) = (Motion::zeros(), 0.0);
    }

    /// Notes that a material of this stiffness and damping is touched.
    pub fn touch(&mut self, stiffness_n_per_m: f64, damping_n_s_per_m: f64) {
        let (k, b) = self.softest.unwrap_or((f64::INFINITY, f64::INFINITY));
        self.softest = Some((k.min(stiffness_n_per_m), b.min(damping_n_s_per_m)));
    }

    /// Sets stiffness and damping if nothing was touched so far.
    pub fn or_touch(&mut self, material: Option<(f64, f64)>) {
        self.softest = self.softest.or(material);
    }

    /// Says which row of the projection the contacts are that are added from here on. The forces at
    /// the contacts are told by it.
    pub fn from_row(&mut self, row: usize) {
        self.source = u8::try_from(row).unwrap_or(u8::MAX);
    }

    /// Adds what the contacts of a projection hold of the stretch: the normal pushes first, then
    /// friction's. `rows` are the projection's, and `stiffness_of` gives the stiffness of a row's
    /// material, N/m; a row without one is left out.
    pub fn hold_all(
        &mut self,
        solution: &FrictionSolution,
        rows: &[hapticd_gauss::Row],
        stiffness_of: impl Fn(usize) -> Option<f64>,
    ) {
        for held in solution.projection.active() {
            if let Some(stiffness) = stiffness_of(held.row) {
                let row = &rows[held.row];
                self.from_row(held.row);
                self.hold(stiffness, &(row.normal * held.multiplier), &row.arm);
            }
        }
        for (row, push) in solution.grips() {
            if let Some(stiffness) = stiffness_of(*row) {
                self.from_row(*row);
                self.rub(stiffness, push, &rows[*row].arm);
            }
        }
    }

    /// Adds a contact that holds the part `push` of the stretch, m, at `lever` from the spring's
    /// centre, m.
    pub fn hold(&mut self, stiffness_n_per_m: f64, push: &Vec3, lever: &Vec3) {
        self.part(stiffness_n_per_m, push, lever, f64::INFINITY);
    }

    /// Adds the part of the stretch that friction holds along the surface, likewise.
    pub fn rub(&mut self, stiffness_n_per_m: f64, push: &Vec3, lever: &Vec3) {
        self.part(stiffness_n_per_m, push, lever, push.norm());
    }

    fn part(&mut self, stiffness: f64, push: &Vec3, lever: &Vec3, limit_m: f64) {
        let length = push.norm();
        // Written so that NaN holds nothing.
        if length > 0.0 {
            let along = with_moment(&(push / length), lever);
            self.held += along * length;
            self.pushed_m += length;
            self.note(Row {
                stiffness,
                along,
                gap_m: 0.0,
                push_m: length,
                source: self.source,
                holds: true,
                limit_m,
            });
        }
    }

    /// Adds a contact that held nothing, `gap_m` from where the tool comes to rest. To be called
    /// after all contacts that hold.
    ///
    /// Returns false, and drops the contact, if the holding contacts push by less than the gap.
    pub fn near(
        &mut self,
        stiffness_n_per_m: f64,
        normal: &Vec3,
        lever: &Vec3,
        gap_m: f64,
    ) -> bool {
        let row = Row {
            stiffness: stiffness_n_per_m,
            along: with_moment(normal, lever),
            gap_m: gap_m.max(0.0),
            push_m: 0.0,
            source: self.source,
            holds: false,
            limit_m: f64::INFINITY,
        };
        let is_reached = row.gap_m < self.pushed_m;
        if is_reached {
            self.note(row);
        }
        is_reached
    }

    fn note(&mut self, row: Row) {
        if let Some(place) = self.rows.get_mut(self.count) {
            *place = row;
            self.count += 1;
        }
    }

    /// Returns the least stiffness and damping touched in this tick.
    pub fn softest(&self) -> Option<(f64, f64)> {
        self.softest
    }

    /// Returns what holds the tool under a coupling of stiffness `whole` (N/m) and this gyration.
    pub(super) fn holding(&self, whole: f64, gyration_m2: Option<f64>) -> Holding {
        let lever_m = gyration_m2.map_or(0.0, f64::sqrt);
        let by_lever = if lever_m > 0.0 { 1.0 / lever_m } else { 0.0 };
        let metric = Motion::new(1.0, 1.0, 1.0, by_lever, by_lever, by_lever);
        let held = self.held.component_mul(&metric);
        let rows = &self.rows[..self.count];
        let Some(first) = rows.iter().find(|row| row.holds) else {
            return Holding::Unknown;
        };
        let share_of = |row: &Row| (row.stiffness / whole).min(1.0);
        let share = share_of(first);
        // A single stiffness suffices if the surface, as it gives, does not reach a stiffer or
        // softer one.
        let alone = rows.iter().all(|row| {
            let given = held * (1.0 - share);
            let is_reached = || row.along.component_mul(&metric).dot(&given) > row.gap_m;
            share_of(row) == share || (!row.holds && !is_reached())
        });
        if alone || !(held.norm() > 0.0) {
            return Holding::One(first.stiffness.min(whole));
        }
        let mut form = Form {
            rows: [Row::default(); MAX_ROWS],
            count: 0,
            across: Matrix6::zeros(),
            softest: 1.0,
            loaded: 0,
            loads: [0.0; MAX_ROWS],
        };
        let mut spanned = Matrix6::zeros();
        for row in rows {
            let (stiffness, along) = (share_of(row), row.along.component_mul(&metric));
            if row.holds {
                form.softest = form.softest.min(stiffness);
                include(&mut spanned, &along);
            }
            // A contact without stiffness gives no force, whatever it holds.
            if !(stiffness > 0.0) {
                continue;
            }
            form.loaded |= u32::from(row.holds) << form.count;
            form.rows[form.count] = Row {
                stiffness,
                along,
                limit_m: row.limit_m * stiffness,
                ..*row
            };
            form.count += 1;
        }
        // Across everything that holds, nothing is stretched now. A stretch that arises there meets
        // the least stiffness.
        form.across = (Matrix6::identity() - spanned) * form.softest;
        let (loads, by_row) = Loads::by_row(&form.rows[..form.count], &held, form.loaded);
        (form.loaded, form.loads) = (loads.loaded, by_row);
        Holding::Several(form, held)
    }

    /// Returns what each contact pushes, as a part of the stretch, m.
    pub(super) fn pushes(&self, holding: &Holding) -> Pushes {
        let mut pushes = Pushes::NONE;
        let mut add = |row: &Row, load: f64| {
            if load > 0.0 {
                pushes.add(row.source, row.along.fixed_rows::<3>(0) * load);
            }
        };
        match holding {
            Holding::Several(form, _) => {
                let rows = form.rows[..form.count].iter();
                rows.zip(form.loads).for_each(|(row, load)| add(row, load));
            }
            _ => (self.rows[..self.count].iter()).for_each(|row| add(row, row.push_m)),
        }
        pushes
    }
}

/// Returns a direction at a lever as a motion, with its moment.
fn with_moment(direction: &Vec3, lever: &Vec3) -> Motion {
    let moment = lever.cross(direction);
    Motion::new(
        direction.x,
        direction.y,
        direction.z,
        moment.x,
        moment.y,
        moment.z,
    )
}

/// Adds a direction to a projector.
fn include(projector: &mut Matrix6<f64>, along: &Motion) {
    // Two passes: one leaves rounding of a nearly parallel direction.
    let mut rest = *along;
    for _ in 0..2 {
        rest -= *projector * rest;
    }
    let length = rest.norm();
    if length > 1e-6 * along.norm() {
        *projector += rest * rest.transpose() / (length * length);
    }
}

/// What holds a tool, as its coupling needs it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)] // On the stack, where nothing may be allocated.
pub(super) enum Holding {
    /// Nothing, or nothing with a known stiffness.
    Unknown,
    /// One stiffness, N/m, in all directions.
    One(f64),
    /// Several stiffnesses: the spring's form, and the stretch that the contacts hold, both by the
    /// coupling's metric.
    Several(Form, Motion),
}

/// A spring with directional stiffness, in shares of the coupling's stiffness.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    rows: [Row; MAX_ROWS],
    count: usize,
    /// Stiffness of the directions across all contacts that hold.
    across: Matrix6<f64>,
    softest: f64,
    /// Rows that were loaded when the form was made, one bit each. The search starts with them.
    loaded: u32,
    /// Load of each row when the form was made, m in shares of the coupling's stiffness.
    loads: [f64; MAX_ROWS],
}

impl Form {
    /// Returns the stored energy at this stretch as a share of what the coupling's full stiffness
    /// would store, and the part of the force across the stretch.
    pub fn at(&self, stretch: &Motion) -> (f64, Motion) {
        let square = stretch.norm_squared();
        // Written so that NaN counts as no stretch.
        if !(square > 0.0) {
            return (self.softest, Motion::zeros());
        }
        let loads = Loads::of(&self.rows[..self.count], stretch, self.loaded);
        let across = self.across * stretch;
        let share = (loads.stored + across.dot(stretch)) / square;
        let force = loads.force + across;
        (share, force - stretch * share)
    }

    /// Returns the stored energy at this stretch as a share of what the coupling's full stiffness
    /// would store.
    pub fn share(&self, stretch: &Motion) -> f64 {
        self.at(stretch).0
    }
}

/// Pushes of the contacts at one stretch.
struct Loads {
    /// Total push, in shares of the coupling's stiffness.
    force: Motion,
    /// Twice the stored energy, in the same unit.
    stored: f64,
    /// Loaded contacts, one bit each.
    loaded: u32,
}

impl Loads {
    /// Solves for the multipliers of the theory. Loads the contacts of `first` (one bit each) at
    /// once, then one contact after the other, the most violated first. Contacts that would pull
    /// are released.
    fn of(rows: &[Row], stretch: &Motion, first: u32) -> Self {
        Self::from_set(&Set::solved(rows, stretch, first), stretch)
    }

    /// Does the same, and returns the load of each row.
    fn by_row(rows: &[Row], stretch: &Motion, first: u32) -> (Self, [f64; MAX_ROWS]) {
        let set = Set::solved(rows, stretch, first);
        let mut loads = [0.0; MAX_ROWS];
        for (k, load) in set.index[..set.count].iter().zip(set.load) {
            loads[*k] = load;
        }
        for (k, row) in rows.iter().enumerate() {
            if set.full & 1 << k != 0 {
                loads[k] = row.limit_m;
            }
        }
        (Self::from_set(&set, stretch), loads)
    }

    fn from_set(set: &Set<'_>, stretch: &Motion) -> Self {
        let mut loads = Loads {
            force: Motion::zeros(),
            stored: 0.0,
            loaded: set.free() | set.full,
        };
        let force = set.force();
        for (row, load) in set.pushes() {
            let out_m = match load < row.limit_m {
                true => 0.0,
                false => set.out_m(row, &(stretch - force), &set.force_of(row.stiffness)),
            };
            loads.stored += load * (row.along.dot(stretch) - row.gap_m + out_m);
        }
        loads.force = force;
        loads
    }
}

/// Active set: the contacts that are loaded.
struct Set<'a> {
    rows: &'a [Row],
    /// Contacts at their exact place.
    index: [usize; MAX_LOADED],
    load: [f64; MAX_LOADED],
    count: usize,
    /// Contacts that give the most that they can, one bit each.
    full: u32,
}

impl<'a> Set<'a> {
    /// Finds the loads at a stretch; see [`Loads::of`].
    fn solved(rows: &'a [Row], stretch: &Motion, first: u32) -> Self {
        let mut set = Set {
            rows,
            index: [0; MAX_LOADED],
            load: [0.0; MAX_LOADED],
            count: 0,
            full: 0,
        };
        for k in (0..rows.len()).filter(|k| first & 1 << k != 0) {
            set.add(k, 0.0);
        }
        set.balance(stretch);
        let least = ROUNDING * stretch.norm();
        let mut barred = 0_u32;
        for _ in 0..MAX_PIVOTS {
            let Some(furthest) = set.furthest(stretch, least, barred) else {
                break;
            };
            let bit = 1 << furthest;
            let was_full = set.full & bit;
            set.full &= !bit;
            if !set.add(
                furthest,
                if was_full == 0 {
                    0.0
                } else {
                    rows[furthest].limit_m
                },
            ) {
                break;
            }
            set.balance(stretch);
            let stays = set.free() & bit == 0 && set.full & bit == was_full;
            // The contact left the set again at once: it was violated by rounding only.
            barred = if stays { barred | bit } else { 0 };
        }
        set
    }

    /// Adds a contact that is to be at its exact place; false if the set is full.
    fn add(&mut self, index: usize, load: f64) -> bool {
        let is_room = self.count < MAX_LOADED;
        if is_room {
            (self.index[self.count], self.load[self.count]) = (index, load);
            self.count += 1;
        }
        is_room
    }

    fn filled(&self) -> impl Iterator<Item = &Row> {
        let rows = self.rows.iter().enumerate();
        rows.filter(|(k, _)| self.full & 1 << k != 0)
            .map(|(_, row)| row)
    }

    fn pushes(&self) -> impl Iterator<Item = (&Row, f64)> {
        let loads = self.load[..self.count].iter().copied();
        let rows = self.index[..self.count].iter().map(|k| &self.rows[*k]);
        rows.zip(loads)
            .chain(self.filled().map(|row| (row, row.limit_m)))
    }

    fn free(&self) -> u32 {
        self.index[..self.count]
            .iter()
            .fold(0, |all, k| all | 1 << k)
    }

    fn force(&self) -> Motion {
        self.pushes().map(|(row, load)| row.along * load).sum()
    }

    fn force_of(&self, stiffness: f64) -> Motion {
        let same = self.pushes().filter(|(row, _)| row.stiffness == stiffness);
        same.map(|(row, load)| row.along * load).sum()
    }

    /// Returns by how far a contact is violated, with `left` of the stretch remaining and its
    /// surface pushing by `by_surface`.
    fn out_m(&self, row: &Row, left: &Motion, by_surface: &Motion) -> f64 {
        let gives = (1.0 - row.stiffness) / row.stiffness;
        row.along.dot(&(left - by_surface * gives)) - row.gap_m
    }

    /// Returns the most violated contact, if one exceeds `least`: too far in, or, for one at its
    /// limit, too far out.
    fn furthest(&self, stretch: &Motion, least: f64, barred: u32) -> Option<usize> {
        let left = stretch - self.force();
        let taken = self.free() | barred;
        let mut furthest = (least, None);
        // Rows of one surface are often adjacent.
        let (mut surface, mut by_surface) = (f64::NAN, Motion::zeros());
        for (k, row) in self.rows.iter().enumerate() {
            if taken & 1 << k != 0 {
                continue;
            }
            if row.stiffness != surface {
                surface = row.stiffness;
                by_surface = self.force_of(surface);
            }
            let out_m = match self.full & 1 << k {
                0 => self.out_m(row, &left, &by_surface),
                _ => -self.out_m(row, &left, &by_surface),
            };
            let length = row.along.norm();
            if out_m > furthest.0 * length {
                furthest = (out_m / length, Some(k));
            }
        }
        furthest.1
    }

    /// Loads the contacts until all are at their places, releasing those that would pull.
    fn balance(&mut self, stretch: &Motion) {
        while let Some(balanced) = self.balanced(stretch) {
            if self.step_towards(&balanced) {
                break;
            }
        }
    }

    /// Returns the loads that put every contact at its place, including negative ones.
    fn balanced(&self, stretch: &Motion) -> Option<[f64; MAX_LOADED]> {
        let n = self.count;
        let filled: Motion = self.filled().map(|row| row.along * row.limit_m).sum();
        let mut factor = [[0.0; MAX_LOADED]; MAX_LOADED];
        let mut solution = [0.0; MAX_LOADED];
        // Cholesky and forward substitution, row by row.
        for i in 0..n {
            let row = &self.rows[self.index[i]];
            for j in 0..=i {
                let other = &self.rows[self.index[j]];
                let gives = match other.stiffness == row.stiffness {
                    true => 1.0 / row.stiffness,
                    false => 1.0,
                };
                let mut entry = row.along.dot(&other.along) * gives;
                if i == j {
                    entry *= 1.0 + REGULARISATION;
                }
                for k in 0..j {
                    entry -= factor[i][k] * factor[j][k];
                }
                if i != j {
                    factor[i][j] = entry / factor[j][j];
                } else if entry > 0.0 {
                    factor[i][i] = entry.sqrt();
                } else {
                    return None;
                }
            }
            let same = self
                .filled()
                .filter(|other| other.stiffness == row.stiffness);
            let by_surface = same.map(|row| row.along * row.limit_m).sum();
            let mut right = self.out_m(row, &(stretch - filled), &by_surface);
            for k in 0..i {
                right -= factor[i][k] * solution[k];
            }
            solution[i] = right / factor[i][i];
        }
        for i in (0..n).rev() {
            for k in i + 1..n {
                solution[i] -= factor[k][i] * solution[k];
            }
            solution[i] /= factor[i][i];
        }
        Some(solution)
    }

    /// Moves the loads towards `balanced` until the first one would pull or exceed its limit, and
    /// releases or caps that one. Returns true if the loads arrived.
    fn step_towards(&mut self, balanced: &[f64; MAX_LOADED]) -> bool {
        let mut share = 1.0_f64;
        let mut got_there = true;
        for k in 0..self.count {
            let (load, wanted, limit_m) =
                (self.load[k], balanced[k], self.rows[self.index[k]].limit_m);
            if wanted <= 0.0 || wanted >= limit_m {
                let end = if wanted <= 0.0 { 0.0 } else { limit_m };
                got_there = false;
                // The bounded contact may already be at its bound: then the share is zero.
                share = share.min(((end - load) / (wanted - load)).max(0.0));
            }
        }
        let mut kept = 0;
        for k in 0..self.count {
            let (index, wanted) = (self.index[k], balanced[k]);
            let load = self.load[k] + (wanted - self.load[k]) * share;
            let (limit_m, close) = (
                self.rows[index].limit_m,
                1e-14 * (wanted - self.load[k]).abs(),
            );
            if wanted <= 0.0 && load <= close {
                continue;
            }
            if wanted >= limit_m && load >= limit_m - close {
                self.full |= 1 << index;
                continue;
            }
            (self.load[kept], self.index[kept]) = (load, index);
            kept += 1;
        }
        self.count = kept;
        got_there
    }
}

#[cfg(test)]
mod tests;
