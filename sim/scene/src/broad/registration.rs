//! Registration as a broad phase: the centres of the boxes are points that are tracked from cell to
//! cell of a map of space. The boxes that may meet a box are in the lists of its own cell.
//!
//! # Theory
//!
//! The lists of a point name all points in its cell and in the cells around it (Pitiot 2015,
//! section 5.1). The map is a grid of cubes, with crowded ones refined (section 6.1) down to a
//! finest width `w`. All leaves consist of whole cubes of that width. So a point nearer than `w`
//! along every axis is in the same leaf, or in one that shares a vertex with it. Two boxes with
//! half widths below `w / 2` that meet have centres nearer than that: they are in each other's
//! lists. Boxes that are larger, or outside the map, are few by the choice of `w` and of the map's
//! place; they are compared with all others.
//!
//! # Practice
//!
//! `w` is one and a half times the width that all but a thirty-second of the boxes fit in. Map and
//! `w` are chosen again when twice as many boxes as then do not fit, or when `w` has become four
//! times too wide. A step costs the tracking of moving points, the lists of their cells, and each
//! large box against all; a new map takes some milliseconds. Each point is verified to be in its
//! reported cell.

use hapticd_geometry::broad::{BroadWork, Extent, Upkeep, pairs_of_unbounded};
use hapticd_geometry::{Aabb, BroadPhase, SweepAndPrune, SweptBox, Vec3};
use hapticd_registration::map::{Cell, Map};
use hapticd_registration::registration::{EntityId, Kind, ParticleId, Policy, Registration};
use hapticd_registration::scale::{Density, Scaler};
use hapticd_registration::track::Outcome;

/// Up to this many boxes are compared all against all.
const BRUTE_FORCE_MAX: usize = 16;
/// One box in this many may be too large for the lists, and at least `MIN_LARGE` boxes may be.
const LARGE_SHARE: usize = 32;
const MIN_LARGE: usize = 8;
/// Factor by which a box may grow before it counts as large.
const GROWTH: f64 = 1.5;
/// Maximum width of a box in units of `w`, slightly less than necessary.
const FIT: f64 = 1.0 - 1e-3;
/// A map is too coarse when its finest width is this many times the wanted one.
const COARSE: f64 = 4.0;
/// Maximum number of cells of a map before refinement, and maximum number of levels below those.
const MAX_CELLS: f64 = 512.0;
const MAX_LEVELS: u8 = 10;
/// A leaf with more points than this is refined.
const CROWD: usize = 8;
/// Maximum number of leaves refined or merged in a step.
const BUDGET: usize = 64;

/// Broad phase by registration; see the module page. Allocates for a new map, and while lists grow
/// beyond their largest size so far.
#[derive(Clone, Debug, Default)]
pub struct RegistrationPhase {
    domain: Option<Domain>,
    /// Hull of each box.
    hulls: Vec<Aabb>,
    middles: Vec<(Vec3, f64)>,
    extents: Vec<Extent>,
    /// Registration of each box, if any.
    placed: Vec<Option<Placed>>,
    /// Boxes that are compared with all others.
    large: Vec<u32>,
    wide: Vec<u32>,
    /// Work space for quantiles.
    numbers: Vec<f64>,
    spare: SweepAndPrune,
    work: BroadWork,
    tracked: Tracked,
    /// Number of boxes compared with all others, and of maps made.
    compared: u64,
    maps: u64,
}

/// Counts of points that have moved.
#[derive(Clone, Copy, Debug, Default)]
struct Tracked {
    moved: u64,
    changed_cell: u64,
}

#[derive(Clone, Copy, Debug)]
struct Placed {
    particle: ParticleId,
    entity: EntityId,
}

/// A map over the scene.
#[derive(Clone, Debug)]
struct Domain {
    registration: Registration,
    scaler: Scaler,
    /// Bounds of its points.
    inside: Aabb,
    /// Width of its finest cells, m.
    finest_m: f64,
    /// Width of its cells before refinement, m.
    base_m: f64,
    /// Whether finer cells were not possible.
    is_least: bool,
    /// Number of boxes that did not fit when it was made.
    misfits: usize,
    /// Index of the box, by entity.
    number: Vec<u32>,
    /// Cell of the last point; the search for the next one starts there.
    near: Cell,
}

impl BroadPhase for RegistrationPhase {
    fn name(&self) -> &'static str {
        "registration"
    }

    fn overlapping(&mut self, boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>) {
        pairs.clear();
        self.look(boxes);
        self.fit();
        if self.domain.is_none() && self.bounded().nth(BRUTE_FORCE_MAX).is_some() {
            // No such map is possible: the boxes are too close together for the size of their
            // coordinates.
            self.spare.overlapping(boxes, pairs);
            self.work.search(boxes.len(), pairs.len());
            return;
        }
        self.register();
        self.compared += self.large.len() as u64;
        self.list(boxes, pairs);
        pairs_of_unbounded(&self.wide, boxes, pairs);
        pairs.sort_unstable();
        self.work.search(boxes.len(), pairs.len());
    }

    fn work(&self) -> BroadWork {
        let upkeep = Upkeep::Registration {
            moved: self.tracked.moved,
            changed_cell: self.tracked.changed_cell,
            large: self.compared,
            maps: self.maps,
        };
        BroadWork {
            upkeep,
            ..self.work
        }
    }

    fn boxed_clone(&self) -> Box<dyn BroadPhase> {
        Box::new(self.clone())
    }
}

impl RegistrationPhase {
    /// Classifies the boxes.
    fn look(&mut self, boxes: &[SweptBox]) {
        self.hulls.clear();
        self.middles.clear();
        self.extents.clear();
        self.wide.clear();
        for (i, b) in (0_u32..).zip(boxes) {
            let extent = b.extent();
            self.extents.push(extent);
            if extent == Extent::Everywhere {
                self.wide.push(i);
            }
            let (hull, middle, half) = if extent == Extent::Bounded {
                let hull = b.hull();
                let middle = hull.low * 0.5 + hull.high * 0.5;
                let half = (hull.high - middle).sup(&(middle - hull.low)).max();
                (hull, middle, half)
            } else {
                (Aabb::NOWHERE, Vec3::zeros(), 0.0)
            };
            self.hulls.push(hull);
            self.middles.push((middle, half));
        }
    }

    fn bounded(&self) -> impl Iterator<Item = usize> + '_ {
        let extents = self.extents.iter().enumerate();
        extents.filter_map(|(i, e)| (*e == Extent::Bounded).then_some(i))
    }

    /// Keeps a map that most boxes fit in, or none if there are few boxes.
    fn fit(&mut self) {
        let count = self.bounded().count();
        if count <= BRUTE_FORCE_MAX {
            self.forget();
            return;
        }
        let most = MIN_LARGE.max(count / LARGE_SHARE);
        let wanted_m = 2.0 * self.usual_half(most);
        if let Some(domain) = &self.domain {
            let misfits = self
                .bounded()
                .filter(|&i| !domain.fits(&self.middles[i]))
                .count();
            let coarse = domain.finest_m > COARSE * GROWTH * wanted_m && !domain.is_least;
            if misfits <= 2 * domain.misfits + most && !coarse {
                return;
            }
        }
        self.forget();
        let Some(mut domain) = self.new_domain(wanted_m) else {
            return;
        };
        domain.misfits = self
            .bounded()
            .filter(|&i| !domain.fits(&self.middles[i]))
            .count();
        self.domain = Some(domain);
        self.maps += 1;
        // All refinement at once, as far as it goes.
        for _ in 0..=MAX_LEVELS {
            self.register();
            let more = self.domain.as_mut().map(Domain::scale);
            if more != Some(true) {
                break;
            }
        }
    }

    fn forget(&mut self) {
        self.domain = None;
        self.placed.clear();
    }

    /// Half width that all boxes except `but` of them have at most. The largest half width, if no
    /// box is more than twice as large.
    fn usual_half(&mut self, but: usize) -> f64 {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.extend(self.bounded().map(|i| self.middles[i].1));
        let at = numbers.len().saturating_sub(1 + but);
        let (_, usual, larger) = numbers.select_nth_unstable_by(at, f64::total_cmp);
        let (usual, largest) = (*usual, larger.iter().copied().fold(*usual, f64::max));
        self.numbers = numbers;
        if largest <= 2.0 * usual {
            largest
        } else {
            usual
        }
    }

    /// Lowest and highest coordinate of the centres, without a few outermost ones on each side if
    /// those are far away.
    fn span(&mut self, axis: usize, but: usize) -> [f64; 2] {
        let mut numbers = std::mem::take(&mut self.numbers);
        numbers.clear();
        numbers.extend(self.bounded().map(|i| self.middles[i].0[axis]));
        let last = numbers.len() - 1;
        let mut nth = |k: usize| *numbers.select_nth_unstable_by(k, f64::total_cmp).1;
        let [least, low, high, most] = [nth(0), nth(but / 2), nth(last - but / 2), nth(last)];
        self.numbers = numbers;
        let far = 4.0 * (high - low);
        if most - least > far {
            [low, high]
        } else {
            [least, most]
        }
    }

    fn new_domain(&mut self, wanted_m: f64) -> Option<Domain> {
        let count = self.bounded().count();
        let but = MIN_LARGE.max(count / LARGE_SHARE) / 2;
        let spans = [0, 1, 2].map(|axis| self.span(axis, but));
        let low = Vec3::from(spans.map(|s| s[0]));
        let high = Vec3::from(spans.map(|s| s[1]));
        let extent = high - low;
        // Not much narrower than the resolution of the coordinates, nor than the levels allow.
        let largest = low.amax().max(high.amax()).max(extent.max());
        let least_m = (1e-7 * largest).max(extent.max() / f64::from(1 << MAX_LEVELS));
        let finest_m = (GROWTH * wanted_m).max(least_m).max(1e-9);
        // Extra space around it, so that points do not leave it at once.
        let around = extent * 0.25 + Vec3::repeat(2.0 * finest_m);
        let (low, size) = (low - around, extent + around * 2.0);
        let (mut levels, mut base_m) = (0, finest_m);
        let along = |base_m: f64| size.map(|x| (x / base_m).ceil().max(1.0));
        while along(base_m).product() > MAX_CELLS {
            if levels == MAX_LEVELS + 4 {
                return None;
            }
            levels += 1;
            base_m *= 2.0;
        }
        let cells = along(base_m);
        let cells_along = [0, 1, 2].map(|axis: usize| cells[axis] as usize);
        let map = Map::grid_3d(low, base_m, cells_along).ok()?;
        let near = map.leaves().next()?;
        let density = Density {
            kind: Kind::Point,
            split: CROWD,
            merge: CROWD / 2,
            finest: levels,
            coarsest: 0,
            budget: BUDGET,
            balanced: false,
        };
        let inset = 1e-3 * finest_m;
        Some(Domain {
            registration: Registration::new(map, Policy::Tolerate),
            scaler: Scaler::new(density).ok()?,
            inside: Aabb {
                low,
                high: low + cells * base_m,
            }
            .widened(-inset),
            finest_m,
            base_m,
            is_least: finest_m > GROWTH * wanted_m,
            misfits: 0,
            number: Vec::new(),
            near,
        })
    }

    /// Registers every box that fits at its place, and no others; unregistered boxes are large.
    fn register(&mut self) {
        self.large.clear();
        let Some(domain) = &mut self.domain else {
            let bounded = self.extents.iter().zip(0_u32..);
            let bounded = bounded.filter(|(e, _)| **e == Extent::Bounded);
            self.large.extend(bounded.map(|(_, i)| i));
            return;
        };
        // Before the points are updated, while they are at their recorded places.
        domain.scale();
        for placed in self
            .placed
            .drain(self.middles.len().min(self.placed.len())..)
        {
            domain.remove(placed);
        }
        self.placed.resize(self.middles.len(), None);
        for (i, placed) in self.placed.iter_mut().enumerate() {
            let bounded = self.extents[i] == Extent::Bounded;
            let fits = bounded && domain.fits(&self.middles[i]);
            let at = &self.middles[i].0;
            if !(fits && domain.follow(placed, at, i as u32, &mut self.tracked)) {
                domain.remove(placed.take());
                if bounded {
                    self.large.push(i as u32);
                }
            }
        }
    }

    /// Appends the pairs of bounded boxes.
    fn list(&mut self, boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>) {
        let meet = |i: u32, j: u32| {
            let (i, j) = (i as usize, j as usize);
            self.hulls[i].overlaps(&self.hulls[j]) && boxes[i].meets_bounded(&boxes[j])
        };
        if let Some(domain) = &mut self.domain {
            for (placed, i) in self.placed.iter().zip(0_u32..) {
                let Some(cell) = placed.as_ref().and_then(|p| domain.cell(p)) else {
                    continue;
                };
                for x in domain.registration.point_numbers(cell) {
                    let j = domain.number[x as usize];
                    if i < j && meet(i, j) {
                        pairs.push((i, j));
                    }
                }
            }
        }
        let mut large = self.large.iter().copied().peekable();
        for j in 0..boxes.len() as u32 {
            // A pair of large boxes is listed once.
            let is_large = large.next_if_eq(&j).is_some();
            for &i in &self.large {
                if (i < j || (i > j && !is_large)) && meet(i, j) {
                    pairs.push((i.min(j), i.max(j)));
                }
            }
        }
    }
}

impl Domain {
    /// Whether the lists are valid for a box with this centre and half width.
    fn fits(&self, (middle, half): &(Vec3, f64)) -> bool {
        let inside =
            (0..3).all(|k| self.inside.low[k] <= middle[k] && middle[k] <= self.inside.high[k]);
        inside && 2.0 * half <= FIT * self.finest_m
    }

    fn cell(&self, placed: &Placed) -> Option<Cell> {
        let particle = self.registration.particle(placed.particle)?;
        Some(self.registration.map().cell(particle.dart))
    }

    /// Moves the point of a box, or inserts it. Returns false if it does not end up where it should
    /// be.
    fn follow(
        &mut self,
        placed: &mut Option<Placed>,
        at: &Vec3,
        number: u32,
        tracked: &mut Tracked,
    ) -> bool {
        let was = match placed {
            Some(placed) => {
                let was = self.registration.particle(placed.particle);
                let was = was.filter(|was| was.position != *at);
                let cell = was.map(|was| self.registration.map().cell(was.dart));
                let reached = self.registration.move_particle(placed.particle, at);
                if !matches!(reached, Ok(Outcome::Reached)) {
                    return false;
                }
                cell
            }
            None => {
                let near = self.nearest_leaf();
                let Ok(particle) = self.registration.insert_particle(at, near) else {
                    return false;
                };
                let Ok(entity) = self.registration.insert_point(particle) else {
                    // It is new, so no entity refers to it.
                    let _ = self.registration.remove_particle(particle);
                    return false;
                };
                if self.number.len() <= entity.index() {
                    self.number.resize(entity.index() + 1, 0);
                }
                self.number[entity.index()] = number;
                *placed = Some(Placed { particle, entity });
                None
            }
        };
        let Some(cell) = placed.as_ref().and_then(|placed| self.cell(placed)) else {
            return false;
        };
        if let Some(was) = was {
            tracked.moved += 1;
            tracked.changed_cell += u64::from(was != cell);
        }
        self.near = cell;
        self.holds(cell, at)
    }

    /// A leaf to start a search from: that of the last point, if it still exists.
    fn nearest_leaf(&self) -> Cell {
        let map = self.registration.map();
        if map.has_cell(self.near) && map.is_leaf(self.near) {
            return self.near;
        }
        map.leaves().next().unwrap_or(self.near)
    }

    /// Whether a point is in a leaf, within a hundredth of the margin in the size of boxes.
    fn holds(&self, cell: Cell, at: &Vec3) -> bool {
        let map = self.registration.map();
        let half = 0.5 * self.base_m / f64::from(1_u32 << map.cell_level(cell));
        (at - map.centre(cell)).amax() <= half + 1e-5 * self.finest_m
    }

    fn remove(&mut self, placed: Option<Placed>) {
        if let Some(Placed { particle, entity }) = placed {
            // Both exist: they are removed only here.
            let _ = self.registration.remove(entity);
            let _ = self.registration.remove_particle(particle);
        }
    }

    /// Refines and merges. Returns whether something is left to do.
    fn scale(&mut self) -> bool {
        self.scaler.step(&mut self.registration).more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wall of boxes in a region, one box across all of it, and one far away.
    fn scene(shift: f64) -> Vec<SweptBox> {
        let at = |i: u32| {
            let (row, column) = (f64::from(i / 20), f64::from(i % 20));
            Vec3::new(column + shift, row, 0.1 * (column + row).sin())
        };
        let mut boxes: Vec<SweptBox> = (0..400)
            .map(|i| SweptBox::still(Aabb::about(&at(i), 0.2)))
            .collect();
        boxes[7] = SweptBox::still(Aabb::about(&at(200), 30.0));
        boxes[8] = SweptBox::still(Aabb::about(&Vec3::repeat(1e6), 0.2));
        boxes
    }

    /// The lists do the work: nearly all boxes are registered, in refined cells, and few are
    /// compared with all others.
    #[test]
    fn nearly_all_boxes_are_registered() {
        let (mut broad, mut pairs) = (RegistrationPhase::default(), Vec::new());
        broad.overlapping(&scene(0.0), &mut pairs);
        let domain = broad.domain.as_ref().unwrap();
        assert_eq!(broad.large, [7, 8]);
        assert_eq!(broad.placed.iter().flatten().count(), 398);
        assert!(
            (0.6..0.61).contains(&domain.finest_m),
            "{}",
            domain.finest_m
        );
        let map = domain.registration.map();
        let finest = map.leaves().map(|c| map.cell_level(c)).max();
        assert!(finest > Some(0), "{finest:?}");
        // The one box across the whole region meets the rest.
        assert_eq!(pairs.len(), 398);
    }

    /// Counts moving points and, among those, changes of cell.
    #[test]
    fn changes_of_cell_are_counted_among_moves() {
        let (mut broad, mut pairs) = (RegistrationPhase::default(), Vec::new());
        let mut boxes = scene(0.0);
        let told = |moved, changed_cell, large| Upkeep::Registration {
            moved,
            changed_cell,
            large,
            maps: 1,
        };
        broad.overlapping(&boxes, &mut pairs);
        let first = broad.work();
        assert_eq!(first.upkeep, told(0, 0, 2));
        assert_eq!((first.searches, first.boxes, first.pairs), (1, 400, 398));
        // All at the same places.
        broad.overlapping(&boxes, &mut pairs);
        assert_eq!(broad.work().upkeep, told(0, 0, 4));
        // Near the centre of its cell, where there is no border at any refinement.
        let domain = broad.domain.as_ref().unwrap();
        let (finest_m, cell) = (domain.finest_m, domain.cell(&broad.placed[30].unwrap()));
        let inside = domain.registration.map().centre(cell.unwrap()) + Vec3::repeat(0.3 * finest_m);
        let mut put = |at: &Vec3| {
            boxes[30] = SweptBox::still(Aabb::about(at, 0.2));
            broad.overlapping(&boxes, &mut pairs);
            broad.work().upkeep
        };
        assert_eq!(put(&inside), told(1, 0, 6));
        let beside = inside + Vec3::x() * (1e-3 * finest_m);
        assert_eq!(put(&beside), told(2, 0, 8));
        assert_eq!(put(&beside), told(2, 0, 10));
        // Farther than the width of any cell, along a row of them.
        let far = Vec3::new(if inside.x < 10.0 { 19.0 } else { 0.0 }, inside.y, inside.z);
        assert_eq!(put(&far), told(3, 1, 12));
    }

    /// The map stays while its scene moves a little, and is rebuilt when the scene has left it.
    #[test]
    fn a_map_stays_as_long_as_it_is_good() {
        let (mut broad, mut pairs) = (RegistrationPhase::default(), Vec::new());
        broad.overlapping(&scene(0.0), &mut pairs);
        let first = broad.domain.as_ref().unwrap().inside;
        for k in 1..=20 {
            broad.overlapping(&scene(0.2 * f64::from(k)), &mut pairs);
            assert_eq!(broad.domain.as_ref().unwrap().inside, first, "{k}");
            assert_eq!(broad.large, [7, 8]);
        }
        let tally = broad.domain.as_ref().unwrap().registration.tally();
        assert!(tally.moves > 20 * 398 && tally.fallbacks < 10, "{tally:?}");
        broad.overlapping(&scene(40.0), &mut pairs);
        assert_ne!(broad.domain.as_ref().unwrap().inside, first);
        assert_eq!(
            (broad.large.as_slice(), pairs.len()),
            ([7, 8].as_slice(), 398)
        );
        // A few boxes need no map.
        broad.overlapping(&scene(40.0)[..BRUTE_FORCE_MAX], &mut pairs);
        assert!(broad.domain.is_none() && broad.large.len() == BRUTE_FORCE_MAX);
    }
}
